//! The network in floating point, laid out for training.

use super::position::Position;
use crate::rng::Rng;
use agoge_core::nnue::Network;
use agoge_core::nnue::arch::{
    HEADS, HIDDEN, INPUTS, MAX_BIAS, MAX_FEATURE_WEIGHT, MAX_HEAD_SUM, MAX_OUTPUT_WEIGHT, OUTPUT_ONE, QA, QB,
    ThreatStates,
};
use rayon::prelude::*;
use wide::f32x16;

const WIDTH: usize = size_of::<f32x16>() / size_of::<f32>();

/// The number of vectors in a row. A row fits into the registers of a core.
pub const VECTORS: usize = 4;

/// The number of neurons in a tile. Their most used weights stay in a core's second-level cache.
pub const LANES: usize = WIDTH * VECTORS;

/// Numbers in vectors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vectors<const N: usize>(pub [f32x16; N]);

/// One number for each neuron of a tile.
pub type Row = Vectors<VECTORS>;

pub type HeadBiases = Vectors<{ HEADS / WIDTH }>;

const _: () = assert!(HEADS.is_multiple_of(WIDTH));

impl<const N: usize> Vectors<N> {
    pub const ZERO: Self = Self([f32x16::ZERO; N]);

    /// The results of successive calls of a function.
    pub fn from_fn(mut number: impl FnMut() -> f32) -> Self {
        Self(std::array::from_fn(|_| f32x16::new(std::array::from_fn(|_| number()))))
    }

    pub fn numbers(&self) -> &[f32] {
        bytemuck::cast_slice(&self.0)
    }

    pub fn numbers_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// The number of squares: each piece has a feature for each in every threat state, in consecutive rows.
pub const SQUARES: usize = 64;

/// The row of the biases in a tile; the preceding rows are the weights of the features.
pub const BIAS: usize = INPUTS;

/// The first row of output weights; there is one row for each head.
pub const FIRST_HEAD: usize = BIAS + 1;

pub const ROWS: usize = FIRST_HEAD + HEADS;

/// All weights of [`LANES`] neurons: [`ROWS`] rows. Gradients and the moments of the optimiser have the same layout.
pub type Tile = Box<[Row; ROWS]>;

pub fn zeroed_tile() -> Tile {
    // Allocated directly on the heap: it might not fit on the stack.
    vec![Row::ZERO; ROWS].into_boxed_slice().try_into().expect("the requested number of rows")
}

/// The quantised value of 1.0 in a row of a tile.
fn one(row: usize) -> f32 {
    if row <= BIAS { QA as f32 } else { QB as f32 }
}

/// The maximum absolute value of the numbers in a row of a tile, so that they can be quantised.
pub fn bound(row: usize) -> f32 {
    let quantised = match row {
        0..BIAS => MAX_FEATURE_WEIGHT,
        BIAS => MAX_BIAS,
        _ => MAX_OUTPUT_WEIGHT,
    };
    f32::from(quantised) / one(row)
}

/// The maximum bias of a head, in units of 400 centipawns. Much larger values would overflow 32 bits after
/// quantisation.
pub const MAX_OUTPUT_BIAS: f32 = 50.0;

/// A network, or anything with a number for each of its weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The neurons, [`LANES`] at a time.
    pub tiles: Vec<Tile>,
    pub output_biases: HeadBiases,
}

impl Weights {
    /// All zero, with a hidden layer of `tiles` times [`LANES`] neurons.
    pub fn zeroed(tiles: usize) -> Self {
        Self { tiles: vec![zeroed_tile(); tiles], output_biases: HeadBiases::ZERO }
    }

    /// Random initial weights.
    ///
    /// The biases put most neurons into the range where their activation has a nonzero derivative. All threat states
    /// of a piece start equal, and all buckets. The heads of Black start with the opposite sign, because values are
    /// from the side to move's view. So the gradients of all positions agree from the first step on.
    pub fn random(tiles: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut uniform = |bound: f32| ((rng.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * bound;
        let mut weights = Self::zeroed(tiles);
        for tile in &mut weights.tiles {
            let (first, others) = tile[..INPUTS].split_at_mut(INPUTS / ThreatStates::COUNT);
            first.fill_with(|| Row::from_fn(|| uniform(0.03)));
            others.chunks_exact_mut(first.len()).for_each(|rows| rows.copy_from_slice(first));
            tile[BIAS] = Row::from_fn(|| 0.1 + uniform(0.1));
            let white = Row::from_fn(|| uniform(0.2));
            let black = Vectors(white.0.map(|vector| -vector));
            tile[FIRST_HEAD..FIRST_HEAD + HEADS / 2].fill(white);
            tile[FIRST_HEAD + HEADS / 2..].fill(black);
        }
        weights
    }

    /// The weights of a quantised network, to continue its training.
    pub fn from_network(network: &Network) -> Self {
        let mut weights = Self::zeroed(HIDDEN / LANES);
        for (i, tile) in weights.tiles.iter_mut().enumerate() {
            let columns = i * LANES..(i + 1) * LANES;
            let copy = |to: &mut Row, from: &[i16], one: i32| {
                let from = from.iter().map(|&weight| f32::from(weight) / one as f32);
                to.numbers_mut().iter_mut().zip(from).for_each(|(to, from)| *to = from);
            };
            for (to, from) in tile.iter_mut().zip(network.feature_weights()) {
                copy(to, &from.0[columns.clone()], QA);
            }
            copy(&mut tile[BIAS], &network.biases().0[columns.clone()], QA);
            for (to, from) in tile[FIRST_HEAD..].iter_mut().zip(network.output_weights()) {
                copy(to, &from.0[columns.clone()], QB);
            }
        }
        let biases = network.output_biases().iter().zip(rounding_losses(network));
        for (to, (&from, loss)) in weights.output_biases.numbers_mut().iter_mut().zip(biases) {
            *to = (i64::from(from) - i64::from(loss)) as f32 / OUTPUT_ONE as f32;
        }
        weights
    }

    /// All numbers in a fixed order.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.tiles.iter().flat_map(|tile| tile.iter()).map(Row::numbers).chain([self.output_biases.numbers()])
    }

    /// All numbers in a fixed order, mutable.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.tiles
            .iter_mut()
            .flat_map(|tile| tile.iter_mut())
            .map(Row::numbers_mut)
            .chain([self.output_biases.numbers_mut()])
    }

    /// Scales down weights whose sums could overflow in a quantised network.
    pub fn clip_sums(&mut self) {
        self.clip_output_sums();
        self.clip_accumulators();
    }

    /// Scales down the output weights of each head whose positive or negative weights exceed the sum allowed in a
    /// quantised network. This bounds the sum over all tiles, unlike [`bound`].
    fn clip_output_sums(&mut self) {
        // Rounding increases a weight by at most half a unit.
        let width = self.tiles.len() * LANES;
        let limit = (MAX_HEAD_SUM as f32 - width as f32 / 2.0) / QB as f32;
        for head in FIRST_HEAD..ROWS {
            let sum = |sign: f32| -> f32 {
                let rows = self.tiles.iter().map(|tile| tile[head].numbers());
                rows.map(|row| row.iter().map(|weight| (sign * weight).max(0.0)).sum::<f32>()).sum()
            };
            let largest = sum(1.0).max(sum(-1.0));
            // Slightly smaller than necessary, because the sum is rounded, too.
            if largest > limit {
                let factor = limit / largest * 0.9999;
                let rows = self.tiles.iter_mut().map(|tile| tile[head].numbers_mut());
                rows.flatten().for_each(|weight| *weight *= factor);
            }
        }
    }

    /// Scales down the positive or negative feature weights of each neuron whose accumulator could overflow 16 bits in a
    /// quantised network: those of the largest pieces on all squares.
    fn clip_accumulators(&mut self) {
        // Rounding increases the bias and each weight by at most half a unit.
        let limit = (f32::from(i16::MAX) - (SQUARES + 1) as f32 / 2.0) / QA as f32;
        self.tiles.par_iter_mut().with_max_len(1).for_each(|tile| {
            for sign in [1.0, -1.0] {
                let mut sums = Row::ZERO;
                for square in 0..SQUARES {
                    let mut largest = Row::ZERO;
                    for row in tile[..INPUTS].iter().skip(square).step_by(SQUARES) {
                        for v in 0..VECTORS {
                            largest.0[v] = largest.0[v].fast_max(row.0[v] * sign);
                        }
                    }
                    for v in 0..VECTORS {
                        sums.0[v] += largest.0[v];
                    }
                }
                for (neuron, &sum) in sums.numbers().iter().enumerate() {
                    let room = limit - sign * tile[BIAS].numbers()[neuron];
                    // Slightly smaller than necessary, because the sum is rounded, too.
                    if sum > room {
                        let weights = tile[..INPUTS].iter_mut().map(|row| &mut row.numbers_mut()[neuron]);
                        weights
                            .filter(|weight| sign * **weight > 0.0)
                            .for_each(|weight| *weight *= room / sum * 0.9999);
                    }
                }
            }
        });
    }

    /// The weights rounded to those of the quantised network. The biases of the heads, whose units are tiny, stay.
    #[must_use]
    pub fn rounded(&self) -> Self {
        let mut rounded = self.clone();
        rounded.tiles.par_iter_mut().with_max_len(1).for_each(|tile| {
            for (i, row) in tile.iter_mut().enumerate() {
                let one = one(i);
                row.0.iter_mut().for_each(|weights| *weights = (*weights * one).round() / one);
            }
        });
        rounded
    }

    /// Multiplies all outputs by a factor, as far as the bounds of the weights allow.
    pub fn scale_outputs(&mut self, factor: f32) {
        for tile in &mut self.tiles {
            for (head, row) in tile.iter_mut().enumerate().skip(FIRST_HEAD) {
                let bound = bound(head);
                row.numbers_mut().iter_mut().for_each(|weight| *weight = (*weight * factor).clamp(-bound, bound));
            }
        }
        let biases = self.output_biases.numbers_mut().iter_mut();
        biases.for_each(|bias| *bias = (*bias * factor).clamp(-MAX_OUTPUT_BIAS, MAX_OUTPUT_BIAS));
        self.clip_output_sums();
    }

    /// The quantised network.
    ///
    /// # Panics
    /// If the hidden layer does not have the engine's width, or a weight is not finite or out of bounds; training keeps
    /// all weights within bounds.
    pub fn quantised(&self) -> Network {
        assert_eq!(self.tiles.len() * LANES, HIDDEN, "the width of the engine's network");
        let round = |weight: f32, one: f32| (weight * one).round();
        let mut network = Network::zeroed();
        for (i, tile) in self.tiles.iter().enumerate() {
            let columns = i * LANES..(i + 1) * LANES;
            let copy = |to: &mut [i16], from: &Row, one| {
                to.iter_mut().zip(from.numbers()).for_each(|(to, &from)| *to = round(from, one) as i16);
            };
            for (to, from) in network.feature_weights_mut().iter_mut().zip(tile.iter()) {
                copy(&mut to.0[columns.clone()], from, QA as f32);
            }
            copy(&mut network.biases_mut().0[columns.clone()], &tile[BIAS], QA as f32);
            for (to, from) in network.output_weights_mut().iter_mut().zip(&tile[FIRST_HEAD..]) {
                copy(&mut to.0[columns.clone()], from, QB as f32);
            }
        }
        let losses = rounding_losses(&network);
        let biases = self.output_biases.numbers().iter().zip(losses);
        for (to, (&from, loss)) in network.output_biases_mut().iter_mut().zip(biases) {
            *to = round(from, OUTPUT_ONE as f32) as i32 + loss;
        }
        assert!(self.rows().flatten().all(|weight| weight.is_finite()), "weights are numbers");
        network.check().expect("weights are kept within their bounds");
        network
    }

    /// The output for a position, in units of [`agoge_core::nnue::arch::SCALE`] centipawns. This is the direct formula
    /// for a few positions; [`super::gradient`] is the fast version for training.
    pub fn output(&self, position: &Position) -> f32 {
        let head = position.head();
        let mut output = self.output_biases.numbers()[head];
        for tile in &self.tiles {
            let mut sums = tile[BIAS];
            for feature in position.features() {
                let weights = tile[usize::from(feature)].numbers();
                sums.numbers_mut().iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
            }
            let activation = sums.numbers().iter().map(|sum| sum.clamp(0.0, 1.0).powi(2));
            output += activation.zip(tile[FIRST_HEAD + head].numbers()).map(|(a, weight)| a * weight).sum::<f32>();
        }
        output
    }
}

/// What each head of a quantised network loses on average because activations are rounded down: half a unit of each.
fn rounding_losses(network: &Network) -> [i32; HEADS] {
    network.output_weights().each_ref().map(|row| row.0.iter().map(|&weight| i32::from(weight)).sum::<i32>() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weights_can_be_quantised() {
        for sign in [1.0, -1.0] {
            let mut weights = Weights::zeroed(HIDDEN / LANES);
            for tile in &mut weights.tiles {
                for (i, row) in tile.iter_mut().enumerate() {
                    row.numbers_mut().fill(sign * bound(i));
                }
            }
            weights.clip_sums();
            let network = weights.quantised();
            let sum = 64 * network.feature_weights()[0].0[0] + network.biases().0[0];
            assert!((32_600..=i16::MAX).contains(&sum.abs()), "{sum}");
            assert_eq!(network.biases().0[511], sign as i16 * MAX_BIAS);
            let sum: i32 = network.output_weights()[3].0.iter().map(|&weight| i32::from(weight)).sum();
            assert!(sum.abs() > MAX_HEAD_SUM * 9 / 10);
        }
    }

    #[test]
    fn quantised_networks_round_trip() {
        let network = agoge_core::nnue::embedded().expect("a network");
        let mut again = Weights::from_network(&network).quantised();
        again.set_name(network.name()).expect("a name");
        assert!(again.feature_weights() == network.feature_weights() && again.biases() == network.biases());
        assert!(again.output_weights() == network.output_weights());
        // A bias may have more digits than an f32.
        let biases = again.output_biases().iter().zip(network.output_biases());
        assert!(biases.into_iter().all(|(again, bias)| (again - bias).abs() <= 1 << 8));
    }

    #[test]
    fn outputs_are_scaled() {
        let mut weights = Weights::random(1, 4);
        weights.output_biases.numbers_mut()[3] = 0.5;
        let positions = crate::train::position::tests::random_positions(20, 8);
        let before: Vec<f32> = positions.iter().map(|position| weights.output(position)).collect();
        weights.scale_outputs(0.8);
        for (position, before) in positions.iter().zip(before) {
            assert!((weights.output(position) - 0.8 * before).abs() < 1e-5);
        }
        assert_eq!(weights.output_biases.numbers()[3], 0.4);
        weights.scale_outputs(1e6);
        assert!(weights.tiles[0][FIRST_HEAD].numbers().iter().all(|weight| weight.abs() <= bound(FIRST_HEAD)));
    }

    #[test]
    fn small_sums_are_unchanged() {
        let mut weights = Weights::random(HIDDEN / LANES, 1);
        let before = weights.clone();
        weights.clip_sums();
        assert_eq!(weights, before);
    }
}
