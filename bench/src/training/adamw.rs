//! The optimiser: Adam with decoupled weight decay (Loshchilov and Hutter), and bounds.

use super::gradient::Calculator;
use super::net::{Row, Tile, VECTORS, Weights, bound};
use rayon::prelude::*;
use wide::f32x16;

/// How much of the mean slope is kept from step to step.
const MEAN_DECAY: f32 = 0.9;
/// The same for the mean of its square.
const SQUARE_DECAY: f32 = 0.999;
/// Keeps steps small where there is no slope.
const EPSILON: f32 = 1e-8;

/// What decides about a step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The learning rate.
    pub rate: f32,
    /// The pull of all weights towards zero, as a share of weight and rate.
    pub decay: f32,
    /// The longest gradient, in the Euclidean norm; a longer one is shortened to it.
    pub clip: f32,
}

/// What is remembered from step to step.
#[derive(Clone, PartialEq, Debug)]
pub struct AdamW {
    /// The mean slopes.
    pub means: Weights,
    /// The mean squares of the slopes.
    pub squares: Weights,
    /// The steps that were done.
    pub steps: u64,
}

/// The factors of one step.
struct Factors {
    /// Of the gradient, to shorten it.
    gradient: f32,
    /// Of the mean slope, which begins at zero and so is too small at first.
    mean: f32,
    /// Of the mean square, likewise.
    square: f32,
    rate: f32,
    /// What is left of a weight.
    kept: f32,
}

impl AdamW {
    /// For a network of so many tiles.
    pub fn new(tiles: usize) -> Self {
        Self { means: Weights::zeroed(tiles), squares: Weights::zeroed(tiles), steps: 0 }
    }

    /// Moves the weights against the gradient that the calculator has, and keeps them within the
    /// bounds of a quantised network. Returns the norm of the gradient.
    pub fn update(&mut self, weights: &mut Weights, calculator: &Calculator, step: Step) -> f32 {
        self.steps += 1;
        let (gradients, output_gradient) = calculator.gradient();
        let norm = norm(&calculator.gradient().0.map(sum_of_squares).collect::<Vec<_>>(), output_gradient);
        let share = |decay: f32| 1.0 - libm::pow(f64::from(decay), self.steps as f64);
        let factors = Factors {
            gradient: if norm > step.clip { step.clip / norm } else { 1.0 },
            mean: (1.0 / share(MEAN_DECAY)) as f32,
            square: (1.0 / share(SQUARE_DECAY)) as f32,
            rate: step.rate,
            kept: 1.0 - step.rate * step.decay,
        };
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
                        factors.apply(&mut weights.0[v], &mut means.0[v], &mut squares.0[v], gradient.0[v], bound);
                    }
                }
            });
        let (means, squares) = (&mut self.means.output_biases, &mut self.squares.output_biases);
        let bound = f32x16::splat(MAX_OUTPUT_BIAS);
        factors.apply(&mut weights.output_biases, means, squares, *output_gradient, bound);
        weights.lighten_heads();
        norm
    }
}

/// The bias of a head, in units of 400 centipawns; far more would not fit its 32 bits.
const MAX_OUTPUT_BIAS: f32 = 50.0;

impl Factors {
    #[inline(always)]
    fn apply(&self, weights: &mut f32x16, means: &mut f32x16, squares: &mut f32x16, gradient: f32x16, bound: f32x16) {
        let slope = gradient * self.gradient;
        *means = *means * MEAN_DECAY + slope * (1.0 - MEAN_DECAY);
        *squares = *squares * SQUARE_DECAY + slope * slope * (1.0 - SQUARE_DECAY);
        let step = *means * self.mean / ((*squares * self.square).sqrt() + EPSILON);
        *weights = (*weights * self.kept - step * self.rate).fast_max(-bound).fast_min(bound);
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

fn norm(squares: &[f32], output_gradient: &f32x16) -> f32 {
    let output_squares = (*output_gradient * *output_gradient).to_array();
    (squares.iter().sum::<f32>() + output_squares.iter().sum::<f32>()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::position::Position;
    use agoge::board::{Board, Variant};

    /// A first step has the length of the rate wherever there is a slope, whatever its size.
    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let position = Position::new(&Board::start(Variant::Spartan), 50, 2).expect("a position");
        let before = Weights::random(1, 1);
        let mut weights = before.clone();
        let mut calculator = Calculator::new(1);
        calculator.learn(&weights, &[position], &[0], 1.0);
        let step = Step { rate: 1e-3, decay: 0.0, clip: f32::INFINITY };
        let norm = AdamW::new(1).update(&mut weights, &calculator, step);
        assert!(norm > 0.0);
        let distances = before.rows().flatten().zip(weights.rows().flatten()).map(|(before, after)| after - before);
        let moved: Vec<f32> = distances.map(f32::abs).filter(|&distance| distance > 0.0).collect();
        assert!(moved.iter().all(|&distance| distance < 1.001e-3));
        // The slopes of the others are too slight.
        let full = moved.iter().filter(|&&distance| distance > 0.99e-3).count();
        assert!(full > 1000 && full > moved.len() * 9 / 10, "{full} of {}", moved.len());
    }

    #[test]
    fn decay_pulls_towards_zero() {
        let before = Weights::random(1, 1);
        let mut weights = before.clone();
        let step = Step { rate: 0.1, decay: 0.5, clip: 1.0 };
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
            calculator.learn(&weights, &positions, &[0, 1, 2], 0.0);
            adam.update(&mut weights, &calculator, Step { rate: 1.0, decay: 0.0, clip: 1.0 });
        }
        for (i, row) in weights.tiles[0].iter().enumerate() {
            assert!(row.numbers().iter().all(|weight| weight.abs() <= bound(i)));
        }
    }
}
