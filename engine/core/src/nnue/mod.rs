//! The neural network: architecture, file format and evaluation.
//!
//! An efficiently updatable neural network (Yu Nasu 2018; "NNUE" of chessprogramming.org) for
//! [`Variant::Spartan`](crate::board::Variant::Spartan):
//!
//! - 3072 features: each of the twelve pieces on each of the 64 squares, not attacked or attacked in one of three ways
//!   (see [`arch::ThreatStates`]). The armies differ, so there is only White's perspective, mirrored left-right if
//!   necessary so that White's king is on files a to d. A move changes few features, which makes the network cheap.
//! - One layer of 512 neurons, the accumulator: biases plus the weights of all active features. Its activation is the
//!   square of the accumulator clipped to 0 to 1 (squared clipped ReLU).
//! - 128 output heads, selected by the side to move, which with two different armies is more than a sign, by whether
//!   Black has one king or two, by the kings in danger, and by the number of pieces.
//!
//! All weights are integers (see [`arch`]), so every machine computes the same values. The output is in centipawns from
//! the side to move's view. [`evaluate_full`] is the simple reference implementation; [`Accumulators`] compute the same
//! values incrementally during a search, with the best [`Kernels`] of the machine.
//!
//! The program `train` of the package `agoge-bench` trains the networks.

mod accumulator;
pub mod arch;
mod embedded;
mod explain;
mod file;
mod kernels;

pub use accumulator::Accumulators;
pub use embedded::{embedded, provide};
pub use explain::explain;
pub use file::{FILE_BYTES, MAX_FILE, MAX_NAME, Network, NetworkError, Row};
pub use kernels::{Kernels, Level};

use crate::board::Board;
use crate::types::score::{MAX_EVAL, Value};
use arch::{HIDDEN, OUTPUT_ONE, SCALE, activation, features, head_of};

/// The accumulator for a set of features, each less than [`arch::INPUTS`]: the sum of the biases and the weights of the
/// features.
///
/// With at most one feature for each square, no sum overflows. The additions wrap, so intermediate overflows, such as
/// in an update, which adds before it subtracts, are harmless if the final set has at most one feature for each square.
pub fn accumulate(network: &Network, features: &[u16]) -> Row {
    let mut sums = *network.biases();
    for &feature in features {
        let weights = &network.feature_weights()[usize::from(feature)];
        for (sum, weight) in sums.0.iter_mut().zip(&weights.0) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    sums
}

/// The output of a head, 0 to [`arch::HEADS`] - 1, for an accumulator: centipawns from the side to move's view, rounded
/// towards zero. Its absolute value is below [`MAX_EVAL`].
pub fn output(network: &Network, accumulator: &Row, head: usize) -> Value {
    let weights = &network.output_weights()[head];
    let mut sum = 0i32;
    for i in 0..HIDDEN {
        // The sum fits an i32: see `arch::MAX_HEAD_SUM`.
        sum += i32::from(activation(accumulator.0[i])) * i32::from(weights.0[i]);
    }
    to_centipawns(network, sum, head)
}

/// The output of a head from the sum over all activations times weights.
#[inline]
fn to_centipawns(network: &Network, sum: i32, head: usize) -> Value {
    // In 64 bits, since the sum may already be close to the limits of 32 bits.
    let sum = i64::from(sum) + i64::from(network.output_biases()[head]);
    let value = sum * i64::from(SCALE) / i64::from(OUTPUT_ONE);
    value.clamp(i64::from(1 - MAX_EVAL), i64::from(MAX_EVAL - 1)) as Value
}

/// The value of a position of Spartan Chess, computed from scratch, in centipawns from the side to move's view. Its
/// absolute value is below [`MAX_EVAL`].
///
/// The network does not know orthodox chess; its values for such positions are meaningless.
pub fn evaluate_full(network: &Network, board: &Board) -> Value {
    output(network, &accumulate(network, &features(board)), head_of(board))
}

#[cfg(test)]
mod tests {
    use super::arch::{
        HEADS, INPUTS, MAX_BIAS, MAX_FEATURE_WEIGHT, MAX_HEAD_SUM, MAX_OUTPUT_WEIGHT, QA, QB, ThreatStates,
    };
    use super::*;
    use crate::board::Variant;
    use crate::types::{Colour, Piece, PieceType, Square};

    /// A network whose first neuron is White's queens less Black's generals, in quarters, plus a half.
    fn queens() -> Network {
        let mut network = Network::zeroed();
        network.biases_mut().0[0] = QA as i16 / 2;
        for square in Square::all() {
            for (colour, kind, weight) in [
                (Colour::White, PieceType::Queen, QA as i16 / 4),
                (Colour::Black, PieceType::General, -(QA as i16) / 4),
            ] {
                for state in 0..ThreatStates::COUNT {
                    let feature = arch::feature(Piece { colour, kind }, square, state, false);
                    network.feature_weights_mut()[feature].0[0] = weight;
                }
            }
        }
        for head in 0..HEADS {
            network.output_weights_mut()[head].0[0] = if head < HEADS / 2 { QB as i16 } else { -(QB as i16) };
        }
        network
    }

    #[test]
    fn values_are_those_of_the_formula() {
        let network = queens();
        let value = |fen| evaluate_full(&network, &Board::from_fen(fen, Variant::Spartan).expect("a position"));
        // 225 / 900 · 400, where 225 is (1/2)² · 900, 506 / 900 · 400 and so on, rounded towards zero.
        assert_eq!(value("k7/8/8/8/8/8/8/K7 w - - 0 1"), 100);
        assert_eq!(value("k7/8/8/8/8/8/8/K7 b - - 0 1"), -100);
        assert_eq!(value("8/8/8/k7/8/8/8/K5Q1 w - - 0 1"), 224);
        assert_eq!(value("8/8/8/k7/8/8/7g/1K6 b - - 0 1"), -24);
        assert_eq!(value("8/8/8/k7/8/8/6QQ/1K4QQ w - - 0 1"), 400);
    }

    #[test]
    fn mirrored_positions_are_worth_the_same() {
        let mut network = Network::zeroed();
        for (i, row) in network.feature_weights_mut().iter_mut().enumerate() {
            for (j, weight) in row.0.iter_mut().enumerate() {
                *weight = (i * 7919 + j * 104_729) as i16 % 100;
            }
        }
        for row in network.output_weights_mut() {
            row.0.iter_mut().enumerate().for_each(|(j, weight)| *weight = j as i16 % 101 - 50);
        }
        let left = Board::from_fen("1lg1k3/hh5h/8/3w4/8/2N5/PP6/1K3R2 w - - 0 1", Variant::Spartan).unwrap();
        let right = Board::from_fen("3k1gl1/h5hh/8/4w3/8/5N2/6PP/2R3K1 w - - 0 1", Variant::Spartan).unwrap();
        assert_ne!(evaluate_full(&network, &left), 0);
        assert_eq!(evaluate_full(&network, &left), evaluate_full(&network, &right));
    }

    #[test]
    fn the_largest_weights_on_the_fullest_board_overflow_nothing() {
        let mut network = Network::zeroed();
        for sign in [1, -1] {
            // Together i16::MAX.
            network.biases_mut().0.fill(MAX_BIAS - 511);
            network.feature_weights_mut().iter_mut().for_each(|row| row.0.fill(MAX_FEATURE_WEIGHT / 2));
            network.output_biases_mut().fill(if sign > 0 { i32::MAX } else { i32::MIN });
            for row in network.output_weights_mut() {
                let full = MAX_HEAD_SUM as usize / MAX_OUTPUT_WEIGHT as usize;
                row.0.fill(0);
                row.0[..full].fill(sign * MAX_OUTPUT_WEIGHT);
                row.0[full] = sign * (MAX_HEAD_SUM as usize % MAX_OUTPUT_WEIGHT as usize) as i16;
            }
            network.check().expect("weights within their bounds");
            let all: Vec<u16> = (0..64).collect();
            let sums = accumulate(&network, &all);
            assert!(sums.0.iter().all(|&sum| sum == i16::MAX));
            assert!(all.iter().all(|&feature| usize::from(feature) < INPUTS));
            let extreme = output(&network, &sums, 0);
            assert_eq!(extreme, i32::from(sign) * (MAX_EVAL - 1));
        }
    }
}
