//! The optimiser of the network: [AdamW](crate::adamw) with clipped gradients and bounded weights.

use super::gradient::Calculator;
use super::net::{HeadBiases, MAX_OUTPUT_BIAS, Row, Tile, VECTORS, Weights, bound};
use crate::adamw::Step;
use rayon::prelude::*;
use wide::f32x16;

#[derive(Clone, Copy, Debug)]
pub struct Hyperparameters {
    pub rate: f32,
    /// The weight decay, relative to weight and learning rate.
    pub decay: f32,
    /// The maximum Euclidean norm of the gradient; longer gradients are scaled down to it.
    pub clip: f32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct AdamW {
    /// The first moments.
    pub means: Weights,
    /// The second moments.
    pub squares: Weights,
    pub steps: u64,
}

impl AdamW {
    /// The initial state for a network of `tiles` tiles.
    pub fn new(tiles: usize) -> Self {
        Self { means: Weights::zeroed(tiles), squares: Weights::zeroed(tiles), steps: 0 }
    }

    /// Updates the weights with the gradient in the calculator and clamps them to the range of a quantised network.
    /// Returns the norm of the gradient.
    pub fn update(&mut self, weights: &mut Weights, calculator: &Calculator, hyperparameters: Hyperparameters) -> f32 {
        self.steps += 1;
        let (gradients, output_gradient) = calculator.gradient();
        let norm = norm(&calculator.gradient().0.map(sum_of_squares).collect::<Vec<_>>(), output_gradient);
        let clipping = if norm > hyperparameters.clip { hyperparameters.clip / norm } else { 1.0 };
        let step = Step::new(self.steps, hyperparameters.rate, hyperparameters.decay).scaled(clipping);
        weights
            .tiles
            .par_iter_mut()
            .zip(&mut self.means.tiles)
            .zip(&mut self.squares.tiles)
            .zip(gradients)
            .with_max_len(1)
            .for_each(|(((weights, means), squares), gradient)| {
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
    use crate::train::position::Position;
    use crate::train::position::tests::share;
    use agoge_core::board::{Board, Variant};

    /// The first step of each weight with a nonzero gradient equals the learning rate.
    #[test]
    fn the_first_step_equals_the_learning_rate() {
        let position = Position::new(&Board::start(Variant::Spartan), 50, 2).expect("a position");
        let before = Weights::random(1, 1);
        let mut weights = before.clone();
        let mut calculator = Calculator::new(1);
        calculator.learn(&weights, &[position], &[0], share(1.0));
        let step = Hyperparameters { rate: 1e-3, decay: 0.0, clip: f32::INFINITY };
        let norm = AdamW::new(1).update(&mut weights, &calculator, step);
        assert!(norm > 0.0);
        let distances = before.rows().flatten().zip(weights.rows().flatten()).map(|(before, after)| after - before);
        let moved: Vec<f32> = distances.map(f32::abs).filter(|&distance| distance > 0.0).collect();
        assert!(moved.iter().all(|&distance| distance < 1.001e-3));
        // The other gradients are too small compared with the epsilon.
        let full = moved.iter().filter(|&&distance| distance > 0.99e-3).count();
        assert!(full > 1000 && full > moved.len() * 9 / 10, "{full} of {}", moved.len());
    }

    #[test]
    fn weights_decay_towards_zero() {
        let before = Weights::random(1, 1);
        let mut weights = before.clone();
        let step = Hyperparameters { rate: 0.1, decay: 0.5, clip: 1.0 };
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
            adam.update(&mut weights, &calculator, Hyperparameters { rate: 1.0, decay: 0.0, clip: 1.0 });
        }
        for (i, row) in weights.tiles[0].iter().enumerate() {
            assert!(row.numbers().iter().all(|weight| weight.abs() <= bound(i)));
        }
    }
}
