//! Incremental accumulators.
//!
//! The accumulator of a position is that of the position evaluated before, plus and minus the weights of the features
//! that differ. In a search these are about seven: consecutive evaluations are a few moves apart. The two positions are
//! compared directly, so no move has to be recorded. When White's king crosses the middle of the board, all features
//! change; so each half has its own accumulator (refresh table, "Finny tables", by Luecx in Koivisto).

use super::accumulate;
use super::arch::{ThreatStates, feature, features_with, head_by, is_mirrored, threats_of_both};
use super::file::{Network, Row};
use super::kernels::Kernels;
use super::to_centipawns;
use crate::board::{Board, Threats, Variant};
use crate::types::Colour;
use crate::types::score::Value;
use arrayvec::ArrayVec;
use std::sync::Arc;

/// A position and its accumulator.
#[derive(Clone)]
struct Evaluated {
    board: Board,
    threats: [Threats; 2],
    states: ThreatStates,
    row: Row,
}

/// The accumulators of a thread.
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    /// The last evaluated positions with White's king on files a to d, and e to h.
    halves: [Evaluated; 2],
}

impl Accumulators {
    /// Accumulators for evaluations by a network, which hold the initial position.
    pub fn new(network: Arc<Network>, kernels: Kernels) -> Self {
        let board = Board::start(Variant::Spartan);
        let threats = threats_of_both(&board);
        let states = ThreatStates::by(&threats, &board);
        let halves = [false, true].map(|mirrored| {
            let row = accumulate(&network, &features_with(&board, &states, mirrored));
            Evaluated { board: board.clone(), threats, states, row }
        });
        Self { network, kernels, halves }
    }

    /// The network that evaluates.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The squares that a side attacks, if the position is one of those evaluated last.
    #[inline]
    pub fn threats_of(&self, colour: Colour, board: &Board) -> Option<Threats> {
        let last = self.halves.iter().find(|last| last.board.key() == board.key())?;
        Some(last.threats[colour.index()])
    }

    /// The value of a position in centipawns from the side to move's view. It equals that of [`super::evaluate_full`],
    /// and is computed faster if the position is similar to the one before.
    pub fn evaluate(&mut self, board: &Board) -> Value {
        let mirrored = is_mirrored(board);
        let last = &mut self.halves[usize::from(mirrored)];
        let threats = threats_of_both(board);
        let states = ThreatStates::by(&threats, board);
        let mut added = ArrayVec::<u16, 64>::new();
        let mut removed = ArrayVec::<u16, 64>::new();
        for square in last.board.difference(board) | last.states.difference(&states) {
            if let Some(piece) = last.board.piece_on(square) {
                removed.push(feature(piece, square, last.states.on(square), mirrored) as u16);
            }
            if let Some(piece) = board.piece_on(square) {
                added.push(feature(piece, square, states.on(square), mirrored) as u16);
            }
        }
        self.kernels.update(&mut last.row, self.network.feature_weights(), &added, &removed);
        last.board.clone_from(board);
        last.threats = threats;
        last.states = states;

        let head = head_by(&last.threats, board);
        let sum = self.kernels.sum(&last.row, &self.network.output_weights()[head]);
        to_centipawns(&self.network, sum, head)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{evaluate_full, kernels::Level};
    use super::*;
    use crate::rng::Rng;

    /// A network with random weights, as large as those of all pieces may be.
    fn random_network(seed: u64) -> Arc<Network> {
        use super::super::arch::{MAX_BIAS, MAX_FEATURE_WEIGHT, MAX_OUTPUT_WEIGHT, OUTPUT_ONE};
        let mut random = Rng::new(seed);
        let mut draw = |bound: i16| (random.next() % (2 * bound as u64 + 1)) as i16 - bound;
        let mut network = Network::zeroed();
        network
            .feature_weights_mut()
            .iter_mut()
            .flat_map(|row| &mut row.0)
            .for_each(|w| *w = draw(MAX_FEATURE_WEIGHT / 2));
        network.biases_mut().0.iter_mut().for_each(|bias| *bias = draw(MAX_BIAS / 2));
        network
            .output_weights_mut()
            .iter_mut()
            .flat_map(|row| &mut row.0)
            .for_each(|w| *w = draw(MAX_OUTPUT_WEIGHT / 4));
        network.output_biases_mut().iter_mut().for_each(|bias| *bias = i32::from(draw(1000)) * (OUTPUT_ONE / 1000));
        network.check().expect("weights within their bounds");
        Arc::new(network)
    }

    fn all_kernels() -> Vec<Kernels> {
        Level::ALL.into_iter().filter_map(Kernels::new).collect()
    }

    /// A random walk of moves to and fro that compares the values.
    fn walk(steps: usize, seed: u64) {
        let network = random_network(seed);
        let mut random = Rng::new(seed);
        let mut boards = vec![Board::start(Variant::Spartan)];
        let mut all: Vec<Accumulators> =
            all_kernels().into_iter().map(|kernels| Accumulators::new(network.clone(), kernels)).collect();
        for _ in 0..steps {
            let board = &boards[boards.len() - 1];
            let moves = board.legal_moves();
            let stuck = moves.is_empty() || boards.len() > 250;
            if stuck && random.below(4) == 0 {
                boards.truncate(1);
            } else if boards.len() > 1 && (stuck || random.below(3) == 0) {
                boards.pop();
            } else if !stuck {
                boards.push(board.after(moves[random.below(moves.len())]));
            }
            // Not at every step, to test updates over several moves.
            if random.below(3) > 0 {
                let board = &boards[boards.len() - 1];
                let expected = evaluate_full(&network, board);
                for accumulators in &mut all {
                    assert_eq!(accumulators.evaluate(board), expected, "{} {board}", accumulators.kernels.level());
                }
            }
        }
    }

    #[test]
    fn updates_equal_full_evaluations_at_every_level() {
        // In full: one million steps.
        let steps = if crate::full_tests() { 125_000 } else { 2_500 };
        std::thread::scope(|scope| {
            for seed in 0..8 {
                scope.spawn(move || walk(steps, seed));
            }
        });
    }

    #[test]
    fn promotions_castling_and_captures_are_followed() {
        let network = random_network(99);
        for (fen, moves) in [
            ("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/R3K2R w KQ - 0 1", ["e1g1", "a7b6", "g1h1", "b6c5"]),
            ("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/R3K2R w KQ - 0 1", ["e1c1", "a7b6", "c1b1", "b6c5"]),
            ("8/k3P3/8/8/8/8/2h5/7K w - - 0 1", ["e7e8q", "c2d1g", "h1g2", "a7a6"]),
            ("k4l2/4P3/8/8/8/8/2h5/2R4K w - - 0 1", ["e7f8n", "c2c1k", "h1g2", "c1d2"]),
            ("k7/8/8/8/8/8/7h/3K4 w - - 0 1", ["d1e1", "a8b7", "e1d1", "b7c6"]),
        ] {
            for kernels in all_kernels() {
                let mut board = Board::from_fen(fen, Variant::Spartan).expect("a position");
                let mut accumulators = Accumulators::new(network.clone(), kernels);
                assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board));
                for text in moves {
                    let mv = board.parse_move(text).unwrap_or_else(|_| panic!("{text} in {board}"));
                    board.make_move(mv);
                    assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board), "{board}");
                }
            }
        }
    }

    #[test]
    fn positions_need_nothing_in_common() {
        let network = random_network(7);
        let mut accumulators = Accumulators::new(network.clone(), Kernels::best());
        for fen in ["8/8/2k5/8/8/8/4P3/1K6 w - - 0 1", "8/8/2k5/8/8/8/4P3/6K1 b - - 0 1"] {
            let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
            assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board));
        }
    }
}
