//! Incremental accumulators.
//!
//! A move changes two to four features, so the new accumulator is the old one plus and minus a few rows of weights.
//! Making a move only records its changes; the accumulator is computed when a value is needed, which at many nodes is
//! never (lazy updates). When White's king crosses the middle of the board, all features change. The accumulator is
//! then computed from a cached one for that half of the board by the difference of the two positions (refresh table,
//! "Finny tables", by Luecx in Koivisto).

use super::arch::{PIECES, feature, head_of, is_mirrored};
use super::file::{Network, Row};
use super::kernels::Kernels;
use super::to_centipawns;
use crate::board::{Board, Observer};
use crate::types::score::Value;
use crate::types::{Bitboard, Colour, Move, Piece, Square};
use arrayvec::ArrayVec;
use std::sync::Arc;

/// The maximum number of pieces that a move adds to the board, and that it removes.
const MAX_CHANGES: usize = 3;

/// The pieces that a move adds to the board and those that it removes.
#[derive(Clone, Default, Debug)]
pub struct Changes {
    added: ArrayVec<(Piece, Square), MAX_CHANGES>,
    removed: ArrayVec<(Piece, Square), MAX_CHANGES>,
}

impl Observer for Changes {
    #[inline]
    fn added(&mut self, piece: Piece, square: Square) {
        self.added.push((piece, square));
    }

    #[inline]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.removed.push((piece, square));
    }
}

/// A position of the current line.
#[derive(Clone)]
struct StackEntry {
    row: Row,
    /// Whether `row` is computed.
    computed: bool,
    /// Whether the features are mirrored, because White's king is on files e to h.
    mirrored: bool,
    /// The difference from the previous position.
    changes: Changes,
}

impl StackEntry {
    fn new() -> Self {
        Self { row: Row::ZERO, computed: false, mirrored: false, changes: Changes::default() }
    }
}

/// The accumulator of the last refreshed position with White's king on one half of the board.
#[derive(Clone)]
struct RefreshEntry {
    row: Row,
    /// The position, by piece.
    pieces: [Bitboard; Piece::COUNT],
}

/// The accumulators of a thread's current line.
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    /// The positions of the line.
    stack: Vec<StackEntry>,
    /// The index in `stack` of the current position.
    top: usize,
    /// The cached accumulators for White's king on files a to d, and e to h.
    refresh_table: [RefreshEntry; 2],
}

impl Accumulators {
    /// Accumulators for a line from a position of Spartan Chess.
    pub fn new(network: Arc<Network>, kernels: Kernels, board: &Board) -> Self {
        let empty = RefreshEntry { row: *network.biases(), pieces: [Bitboard::EMPTY; Piece::COUNT] };
        let mut new =
            Self { network, kernels, stack: vec![StackEntry::new()], top: 0, refresh_table: [empty.clone(), empty] };
        new.restart(board);
        new
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Starts a new line.
    pub fn restart(&mut self, board: &Board) {
        self.top = 0;
        self.stack[0].computed = false;
        self.stack[0].mirrored = mirrors(board);
    }

    /// Makes a legal move on `board`, which must be the current position.
    #[inline]
    pub fn make_move(&mut self, board: &mut Board, mv: Move) {
        self.top += 1;
        if self.top == self.stack.len() {
            self.stack.push(StackEntry::new());
        }
        let entry = &mut self.stack[self.top];
        entry.computed = false;
        entry.changes.added.clear();
        entry.changes.removed.clear();
        board.make_move_observed(mv, &mut entry.changes);
        entry.mirrored = mirrors(board);
    }

    /// Undoes the last move.
    ///
    /// # Panics
    /// At the start of the line.
    #[inline]
    pub fn undo_move(&mut self) {
        self.top -= 1;
    }

    /// The value of `board`, which must be the current position, in centipawns from the side to move's view. It equals
    /// that of [`super::evaluate_full`].
    pub fn evaluate(&mut self, board: &Board) -> Value {
        self.update(board);
        let head = head_of(board);
        let sum = self.kernels.sum(&self.stack[self.top].row, &self.network.output_weights()[head]);
        to_centipawns(&self.network, sum, head)
    }

    /// Computes the accumulator of the current position.
    fn update(&mut self, board: &Board) {
        let mirrored = self.stack[self.top].mirrored;
        let mut computed_index = self.top;
        while !self.stack[computed_index].computed {
            if computed_index == 0 || self.stack[computed_index - 1].mirrored != mirrored {
                return self.refresh(board);
            }
            computed_index -= 1;
        }
        for index in computed_index + 1..=self.top {
            let (before, rest) = self.stack.split_at_mut(index);
            let StackEntry { row, changes, computed, .. } = &mut rest[0];
            let input = &before[index - 1].row;
            let weights = |&(piece, square): &(Piece, Square)| -> &Row {
                &self.network.feature_weights()[feature(piece, square, mirrored)]
            };
            match (&changes.added[..], &changes.removed[..]) {
                ([to], [from]) => self.kernels.update(row, input, [weights(to)], [weights(from)]),
                ([to], [from, captured]) => {
                    self.kernels.update(row, input, [weights(to)], [weights(from), weights(captured)]);
                }
                ([king, rook], [from, rook_from]) => {
                    self.kernels.update(
                        row,
                        input,
                        [weights(king), weights(rook)],
                        [weights(from), weights(rook_from)],
                    );
                }
                (added, removed) => {
                    *row = *input;
                    for change in added {
                        let input = *row;
                        self.kernels.update(row, &input, [weights(change)], []);
                    }
                    for change in removed {
                        let input = *row;
                        self.kernels.update(row, &input, [], [weights(change)]);
                    }
                }
            }
            *computed = true;
        }
    }

    /// Computes the accumulator of the current position from the cached one for its half of the board.
    fn refresh(&mut self, board: &Board) {
        let entry = &mut self.stack[self.top];
        let mirrored = entry.mirrored;
        let cached = &mut self.refresh_table[usize::from(mirrored)];
        for piece in PIECES {
            let weights = |square| &self.network.feature_weights()[feature(piece, square, mirrored)];
            let now = board.coloured(piece.colour, piece.kind);
            let before = std::mem::replace(&mut cached.pieces[piece.index()], now);
            for square in now & !before {
                let input = cached.row;
                self.kernels.update(&mut cached.row, &input, [weights(square)], []);
            }
            for square in before & !now {
                let input = cached.row;
                self.kernels.update(&mut cached.row, &input, [], [weights(square)]);
            }
        }
        entry.row = cached.row;
        entry.computed = true;
    }
}

/// Whether the features of a position are mirrored.
#[inline]
fn mirrors(board: &Board) -> bool {
    is_mirrored(board.kings(Colour::White).lowest())
}

#[cfg(test)]
mod tests {
    use super::super::{evaluate_full, kernels::Level};
    use super::*;
    use crate::board::{Game, Variant};
    use crate::rng::Rng;

    /// A network with random weights over their full range.
    fn random_network(seed: u64) -> Arc<Network> {
        use super::super::arch::{MAX_BIAS, MAX_FEATURE_WEIGHT, MAX_OUTPUT_WEIGHT, OUTPUT_ONE};
        let mut random = Rng::new(seed);
        let mut draw = |bound: i16| (random.next() % (2 * bound as u64 + 1)) as i16 - bound;
        let mut network = Network::zeroed();
        network.feature_weights_mut().iter_mut().flat_map(|row| &mut row.0).for_each(|w| *w = draw(MAX_FEATURE_WEIGHT));
        network.biases_mut().0.iter_mut().for_each(|bias| *bias = draw(MAX_BIAS));
        network
            .output_weights_mut()
            .iter_mut()
            .flat_map(|row| &mut row.0)
            .for_each(|w| *w = draw(MAX_OUTPUT_WEIGHT / 2));
        network.output_biases_mut().iter_mut().for_each(|bias| *bias = i32::from(draw(1000)) * (OUTPUT_ONE / 1000));
        network.check().expect("weights within their bounds");
        Arc::new(network)
    }

    fn all_kernels() -> Vec<Kernels> {
        Level::ALL.into_iter().filter_map(Kernels::new).collect()
    }

    /// A random walk that makes and undoes moves and compares the values.
    fn walk(steps: usize, seed: u64) {
        let network = random_network(seed);
        let mut random = Rng::new(seed);
        let mut boards = vec![Board::start(Variant::Spartan)];
        let mut all: Vec<Accumulators> =
            all_kernels().into_iter().map(|kernels| Accumulators::new(network.clone(), kernels, &boards[0])).collect();
        for _ in 0..steps {
            let board = &boards[boards.len() - 1];
            let moves = board.legal_moves();
            let stuck = moves.is_empty() || boards.len() > 250;
            if stuck && random.below(4) == 0 {
                boards.truncate(1);
                all.iter_mut().for_each(|accumulators| accumulators.restart(&boards[0]));
            } else if boards.len() > 1 && (stuck || random.below(3) == 0) {
                boards.pop();
                all.iter_mut().for_each(Accumulators::undo_move);
            } else if !stuck {
                let mv = moves[random.below(moves.len())];
                let mut next = board.clone();
                for accumulators in &mut all {
                    next = board.clone();
                    accumulators.make_move(&mut next, mv);
                }
                boards.push(next);
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
                let mut accumulators = Accumulators::new(network.clone(), kernels, &board);
                assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board));
                for text in moves {
                    let mv = board.parse_move(text).unwrap_or_else(|_| panic!("{text} in {board}"));
                    accumulators.make_move(&mut board, mv);
                    assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board), "{board}");
                }
            }
        }
    }

    #[test]
    fn a_line_can_begin_anywhere() {
        let network = random_network(7);
        let start = Game::start(Variant::Spartan);
        let mut accumulators = Accumulators::new(network.clone(), Kernels::best(), start.board());
        for fen in ["8/8/2k5/8/8/8/4P3/1K6 w - - 0 1", "8/8/2k5/8/8/8/4P3/6K1 b - - 0 1"] {
            let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
            accumulators.restart(&board);
            assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board));
        }
    }
}
