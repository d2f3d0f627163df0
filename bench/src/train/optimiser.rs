//! The optimiser of the network: [AdamW](crate::adamw) with clipped gradients, bounded weights and shared steps.
//!
//! A weight of a rare feature has few positions to learn from, and learns them by heart. Shared steps treat each weight
//! of a group as the sum of a weight of its own and one that all of the group share (the "factorizer" of other
//! trainers): what holds for all squares of a piece, or all heads of a side, is learnt from the positions of all of
//! them. Only the moments of the shared weights are stored: a step of theirs is a step of each weight.

use super::gradient::{Calculator, add};
use super::net::{FIRST_HEAD, HeadBiases, MAX_OUTPUT_BIAS, Row, SQUARES, Tile, VECTORS, Weights, bound};
use crate::adamw::Step;
use agoge_core::nnue::arch::{HEADS, INPUTS};
use rayon::prelude::*;
use std::ops::Range;
use wide::f32x16;

const HEAD_GROUPS: usize = 4;
const FEATURE_GROUPS: usize = INPUTS / SQUARES;

/// The number of groups of rows in a tile that share steps: the squares of each piece in each threat state, and the
/// heads of each side to move and number of Spartan kings.
pub const GROUPS: usize = FEATURE_GROUPS + HEAD_GROUPS;

/// The rows of a group.
fn rows_of(group: usize) -> Range<usize> {
    let (first, length) = match group.checked_sub(FEATURE_GROUPS) {
        None => (group * SQUARES, SQUARES),
        Some(heads) => (FIRST_HEAD + heads * (HEADS / HEAD_GROUPS), HEADS / HEAD_GROUPS),
    };
    first..first + length
}

#[derive(Clone, Copy, Debug)]
pub struct Hyperparameters {
    pub rate: f32,
    /// The weight decay, relative to weight and learning rate.
    pub decay: f32,
    /// The maximum Euclidean norm of the gradient; longer gradients are scaled down to it.
    pub clip: f32,
    /// See [`Step::with_epsilon`].
    pub epsilon: f32,
    /// The learning rate of the shared steps, relative to `rate`; 0 for none.
    pub shared: f32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct AdamW {
    /// The first moments.
    pub means: Weights,
    /// The second moments.
    pub squares: Weights,
    /// The first and second moments of the shared weights: [`GROUPS`] rows for each tile.
    pub shared: [Vec<Row>; 2],
    pub steps: u64,
}

impl AdamW {
    /// The initial state for a network of `tiles` tiles.
    pub fn new(tiles: usize) -> Self {
        let shared = vec![Row::ZERO; GROUPS * tiles];
        Self {
            means: Weights::zeroed(tiles),
            squares: Weights::zeroed(tiles),
            shared: [shared.clone(), shared],
            steps: 0,
        }
    }

    /// Updates the weights with the gradient in the calculator and clamps them to the range of a quantised network.
    /// Returns the norm of the gradient.
    pub fn update(&mut self, weights: &mut Weights, calculator: &Calculator, hyperparameters: Hyperparameters) -> f32 {
        self.steps += 1;
        let (gradients, output_gradient) = calculator.gradient();
        let norm = norm(&calculator.gradient().0.map(sum_of_squares).collect::<Vec<_>>(), output_gradient);
        let clipping = if norm > hyperparameters.clip { hyperparameters.clip / norm } else { 1.0 };
        let Hyperparameters { rate, decay, epsilon, shared, .. } = hyperparameters;
        let step = Step::new(self.steps, rate, decay).with_epsilon(epsilon).scaled(clipping);
        let shared_step = Step::new(self.steps, rate * shared, 0.0).with_epsilon(epsilon).scaled(clipping);
        let [shared_means, shared_squares] = &mut self.shared;
        weights
            .tiles
            .par_iter_mut()
            .zip(&mut self.means.tiles)
            .zip(&mut self.squares.tiles)
            .zip(gradients)
            .zip(shared_means.par_chunks_mut(GROUPS).zip(shared_squares.par_chunks_mut(GROUPS)))
            .with_max_len(1)
            .for_each(|((((weights, means), squares), gradient), (shared_means, shared_squares))| {
                if shared > 0.0 {
                    step_together(weights, gradient, shared_step, shared_means, shared_squares);
                }
                let rows = weights.iter_mut().zip(means.iter_mut()).zip(squares.iter_mut()).zip(gradient.iter());
                for (i, (((weights, means), squares), gradient)) in rows.enumerate() {
                    let bound = f32x16::splat(bound(i));
                    for v in 0..VECTORS {
                        step.apply(&mut weights.0[v], &mut means.0[v], &mut squares.0[v], gradient.0[v], bound);
                    }
                }
            });
        let (means, squares) = (&mut self.means.output_biases, &mut self.squares.output_biases);
        let bound = f32x16::splat(MAX_OUTPUT_BIAS);
        for (v, &gradient) in output_gradient.0.iter().enumerate() {
            step.apply(&mut weights.output_biases.0[v], &mut means.0[v], &mut squares.0[v], gradient, bound);
        }
        weights.clip_sums();
        norm
    }
}

/// The shared steps of all groups of a tile. The step of each weight on its own, which follows, bounds the weights.
fn step_together(weights: &mut Tile, gradient: &Tile, step: Step, means: &mut [Row], squares: &mut [Row]) {
    for (group, (means, squares)) in means.iter_mut().zip(squares).enumerate() {
        let rows = rows_of(group);
        let gradient = gradient[rows.clone()].iter().fold(Row::ZERO, add);
        let mut change = Row::ZERO;
        for v in 0..VECTORS {
            let bound = f32x16::splat(f32::MAX);
            step.apply(&mut change.0[v], &mut means.0[v], &mut squares.0[v], gradient.0[v], bound);
        }
        weights[rows].iter_mut().for_each(|row| *row = add(*row, &change));
    }
}

fn sum_of_squares(tile: &Tile) -> f32 {
    let mut sums = Row::ZERO;
    for row in tile.iter() {
        for v in 0..VECTORS {
            sums.0[v] += row.0[v] * row.0[v];
        }
    }
    sums.numbers().iter().sum()
}

fn norm(squares: &[f32], output_gradient: &HeadBiases) -> f32 {
    let output_squares = output_gradient.numbers().iter().map(|slope| slope * slope);
    (squares.iter().sum::<f32>() + output_squares.sum::<f32>()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adamw::EPSILON;
    use crate::train::net::ROWS;
    use crate::train::position::Position;
    use crate::train::position::tests::share;
    use agoge_core::board::{Board, Variant};
    use agoge_core::nnue::arch::{feature, head};
    use agoge_core::types::{Colour, Piece, PieceType, Square};

    const PLAIN: Hyperparameters =
        Hyperparameters { rate: 1e-3, decay: 0.0, clip: f32::INFINITY, epsilon: EPSILON as f32, shared: 0.0 };

    /// The first step of each weight with a nonzero gradient equals the learning rate.
    #[test]
    fn the_first_step_equals_the_learning_rate() {
        let position = Position::new(&Board::start(Variant::Spartan), 50, 2).expect("a position");
        let before = Weights::random(1, 1);
        let mut weights = before.clone();
        let mut calculator = Calculator::new(1);
        calculator.learn(&weights, &[position], &[0], share(1.0));
        let norm = AdamW::new(1).update(&mut weights, &calculator, PLAIN);
        assert!(norm > 0.0);
        let distances = before.rows().flatten().zip(weights.rows().flatten()).map(|(before, after)| after - before);
        let moved: Vec<f32> = distances.map(f32::abs).filter(|&distance| distance > 0.0).collect();
        assert!(moved.iter().all(|&distance| distance < 1.001e-3));
        // The other gradients are too small compared with the epsilon.
        let full = moved.iter().filter(|&&distance| distance > 0.99e-3).count();
        assert!(full > 1000 && full > moved.len() * 9 / 10, "{full} of {}", moved.len());
    }

    #[test]
    fn the_groups_have_all_features_and_heads() {
        let rows: Vec<usize> = (0..GROUPS).flat_map(rows_of).collect();
        assert_eq!(rows, (0..INPUTS).chain(FIRST_HEAD..ROWS).collect::<Vec<_>>());
        assert_eq!(rows_of(GROUPS - 1).end - HEADS / 4, FIRST_HEAD + head(Colour::Black, true, 0, 0));
    }

    /// A piece that is nowhere in the training positions, on squares where others of its kind are.
    #[test]
    fn shared_steps_reach_the_other_squares_of_a_piece() {
        let position = Position::new(&Board::start(Variant::Spartan), 50, 2).expect("a position");
        let before = Weights::random(1, 1);
        let changed = |shared: f32, row: usize| {
            let mut weights = before.clone();
            let mut calculator = Calculator::new(1);
            calculator.learn(&weights, &[position], &[0], share(1.0));
            AdamW::new(1).update(&mut weights, &calculator, Hyperparameters { shared, ..PLAIN });
            weights.tiles[0][row] != before.tiles[0][row]
        };
        // White has pawns on the second rank, and no bishop is attacked by a lesser man.
        let pawn = |square| feature(Piece { colour: Colour::White, kind: PieceType::Pawn }, square, 0, false);
        let bishop = feature(Piece { colour: Colour::White, kind: PieceType::Bishop }, Square::C1, 3, false);
        assert!(changed(0.0, pawn(Square::A2)) && !changed(0.0, pawn(Square::A5)));
        assert!(changed(0.5, pawn(Square::A5)) && !changed(0.5, bishop));
        let white = |pieces| FIRST_HEAD + head(Colour::White, true, 0, pieces);
        assert!(changed(0.0, white(32)) && !changed(0.0, white(10)));
        assert!(changed(0.5, white(10)) && !changed(0.5, FIRST_HEAD + head(Colour::Black, true, 0, 10)));
    }

    #[test]
    fn weights_decay_towards_zero() {
        let before = Weights::random(1, 1);
        let mut weights = before.clone();
        let step = Hyperparameters { rate: 0.1, decay: 0.5, clip: 1.0, ..PLAIN };
        AdamW::new(1).update(&mut weights, &Calculator::new(1), step);
        for (before, after) in before.rows().flatten().zip(weights.rows().flatten()) {
            assert!((after - 0.95 * before).abs() < 1e-6);
        }
    }

    #[test]
    fn weights_stay_within_their_bounds() {
        let positions: Vec<Position> =
            (0..3).filter_map(|i| Position::new(&Board::start(Variant::Spartan), 3000, i)).collect();
        let mut weights = Weights::random(1, 1);
        let mut adam = AdamW::new(1);
        let mut calculator = Calculator::new(1);
        for _ in 0..20 {
            calculator.learn(&weights, &positions, &[0, 1, 2], share(0.0));
            adam.update(&mut weights, &calculator, Hyperparameters { rate: 1.0, clip: 1.0, ..PLAIN });
        }
        for (i, row) in weights.tiles[0].iter().enumerate() {
            assert!(row.numbers().iter().all(|weight| weight.abs() <= bound(i)));
        }
    }
}
