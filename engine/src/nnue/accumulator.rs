//! Accumulators that follow the search.
//!
//! A move changes two to four features, so the accumulator after it is that before it plus and minus
//! a few columns of weights. Moves are only noted down when they are made; sums are done when a value
//! is asked for, which many nodes never do (lazy updates). Where White's king crosses the middle of
//! the board all features change: the accumulator is then made from one kept for that half of the
//! board, by the difference of the two positions (the refresh table of Luecx's Koivisto, "Finny
//! tables").

use super::arch::{PIECES, feature, head_of, is_mirrored};
use super::file::{Network, Row};
use super::kernels::Kernels;
use super::to_centipawns;
use crate::board::{Board, Observer};
use crate::types::score::Value;
use crate::types::{Bitboard, Colour, Move, Piece, Square};
use arrayvec::ArrayVec;
use std::sync::Arc;

/// The most pieces that a move puts on the board, and the most that it takes off.
const MOST: usize = 3;

/// The pieces that a move puts on the board and those that it takes off.
#[derive(Clone, Default, Debug)]
pub struct Changes {
    added: ArrayVec<(Piece, Square), MOST>,
    removed: ArrayVec<(Piece, Square), MOST>,
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

/// A position of the line that is looked at.
#[derive(Clone)]
struct Entry {
    row: Row,
    /// Whether `row` was computed.
    computed: bool,
    /// Which half of the board White's king is on.
    mirrored: bool,
    /// How the position differs from the one before.
    changes: Changes,
}

impl Entry {
    fn new() -> Self {
        Self { row: Row::ZERO, computed: false, mirrored: false, changes: Changes::default() }
    }
}

/// An accumulator of some position with White's king on one half of the board.
#[derive(Clone)]
struct Kept {
    row: Row,
    /// The position, by piece.
    pieces: [Bitboard; Piece::COUNT],
}

/// The accumulators of the line that a thread looks at.
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    /// The line, its start first.
    line: Vec<Entry>,
    /// Where in `line` the present position is.
    top: usize,
    /// For White's king on files a to d, and e to h.
    kept: [Kept; 2],
}

impl Accumulators {
    /// Accumulators for a line that begins with a position of Spartan Chess.
    pub fn new(network: Arc<Network>, kernels: Kernels, board: &Board) -> Self {
        let empty = Kept { row: *network.biases(), pieces: [Bitboard::EMPTY; Piece::COUNT] };
        let mut new = Self { network, kernels, line: vec![Entry::new()], top: 0, kept: [empty.clone(), empty] };
        new.restart(board);
        new
    }

    /// The network that is evaluated.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Begins a new line.
    pub fn restart(&mut self, board: &Board) {
        self.top = 0;
        self.line[0].computed = false;
        self.line[0].mirrored = half(board);
    }

    /// Makes a legal move of the present position, which is the given one, and goes on to the
    /// position after it.
    #[inline]
    pub fn make_move(&mut self, board: &mut Board, mv: Move) {
        self.top += 1;
        if self.top == self.line.len() {
            self.line.push(Entry::new());
        }
        let entry = &mut self.line[self.top];
        entry.computed = false;
        entry.changes.added.clear();
        entry.changes.removed.clear();
        board.make_move_observed(mv, &mut entry.changes);
        entry.mirrored = half(board);
    }

    /// Goes back to the position before the last move.
    ///
    /// # Panics
    /// At the start of the line.
    #[inline]
    pub fn take_back(&mut self) {
        self.top -= 1;
    }

    /// The value of the present position, which must be the given one, from the side to move's view in
    /// centipawns. What [`super::evaluate_full`] gives.
    pub fn evaluate(&mut self, board: &Board) -> Value {
        self.update(board);
        let head = head_of(board);
        let sum = self.kernels.sum(&self.line[self.top].row, &self.network.output_weights()[head]);
        to_centipawns(&self.network, sum, head)
    }

    /// Computes the accumulator of the present position.
    fn update(&mut self, board: &Board) {
        let mirrored = self.line[self.top].mirrored;
        let mut base = self.top;
        while !self.line[base].computed {
            if base == 0 || self.line[base - 1].mirrored != mirrored {
                return self.refresh(board);
            }
            base -= 1;
        }
        for index in base + 1..=self.top {
            let (before, rest) = self.line.split_at_mut(index);
            let Entry { row, changes, computed, .. } = &mut rest[0];
            let input = &before[index - 1].row;
            let column = |&(piece, square): &(Piece, Square)| -> &Row {
                &self.network.feature_weights()[feature(piece, square, mirrored)]
            };
            match (&changes.added[..], &changes.removed[..]) {
                ([to], [from]) => self.kernels.update(row, input, [column(to)], [column(from)]),
                ([to], [from, captured]) => {
                    self.kernels.update(row, input, [column(to)], [column(from), column(captured)]);
                }
                ([king, rook], [from, corner]) => {
                    self.kernels.update(row, input, [column(king), column(rook)], [column(from), column(corner)]);
                }
                (added, removed) => {
                    *row = *input;
                    for change in added {
                        let input = *row;
                        self.kernels.update(row, &input, [column(change)], []);
                    }
                    for change in removed {
                        let input = *row;
                        self.kernels.update(row, &input, [], [column(change)]);
                    }
                }
            }
            *computed = true;
        }
    }

    /// Computes the accumulator of the present position from the one kept for this half of the board.
    fn refresh(&mut self, board: &Board) {
        let entry = &mut self.line[self.top];
        let mirrored = entry.mirrored;
        let kept = &mut self.kept[usize::from(mirrored)];
        for piece in PIECES {
            let column = |square| &self.network.feature_weights()[feature(piece, square, mirrored)];
            let now = board.coloured(piece.colour, piece.kind);
            let before = std::mem::replace(&mut kept.pieces[piece.index()], now);
            for square in now & !before {
                let input = kept.row;
                self.kernels.update(&mut kept.row, &input, [column(square)], []);
            }
            for square in before & !now {
                let input = kept.row;
                self.kernels.update(&mut kept.row, &input, [], [column(square)]);
            }
        }
        entry.row = kept.row;
        entry.computed = true;
    }
}

/// Whether features of a position are mirrored.
#[inline]
fn half(board: &Board) -> bool {
    is_mirrored(board.kings(Colour::White).lowest())
}

#[cfg(test)]
mod tests {
    use super::super::{evaluate_full, kernels::Level};
    use super::*;
    use crate::board::{Game, Variant};
    use crate::rng::Rng;

    /// A network whose weights are all over the range that they may have.
    fn random_network(seed: u64) -> Arc<Network> {
        use super::super::arch::{MAX_BIAS, MAX_FEATURE_WEIGHT, MAX_OUTPUT_WEIGHT, OUTPUT_ONE};
        let mut random = Rng::new(seed);
        let mut draw = |bound: i16| (random.next() % (2 * bound as u64 + 1)) as i16 - bound;
        let mut network = Network::zeroed();
        network.feature_weights_mut().iter_mut().flat_map(|row| &mut row.0).for_each(|w| *w = draw(MAX_FEATURE_WEIGHT));
        network.biases_mut().0.iter_mut().for_each(|bias| *bias = draw(MAX_BIAS));
        network.output_weights_mut().iter_mut().flat_map(|row| &mut row.0).for_each(|w| *w = draw(MAX_OUTPUT_WEIGHT));
        network.output_biases_mut().iter_mut().for_each(|bias| *bias = i32::from(draw(1000)) * (OUTPUT_ONE / 1000));
        network.check().expect("weights within their bounds");
        Arc::new(network)
    }

    fn all_kernels() -> Vec<Kernels> {
        Level::ALL.into_iter().filter_map(Kernels::new).collect()
    }

    /// Walks about at random, forwards and back, and compares on the way.
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
                all.iter_mut().for_each(Accumulators::take_back);
            } else if !stuck {
                let mv = moves[random.below(moves.len())];
                let mut next = board.clone();
                for accumulators in &mut all {
                    next = board.clone();
                    accumulators.make_move(&mut next, mv);
                }
                boards.push(next);
            }
            // Not at every step, so that several moves are caught up with at once.
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
        // Eight walks of 125,000 steps: a million.
        std::thread::scope(|scope| {
            for seed in 0..8 {
                scope.spawn(move || walk(125_000, seed));
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
