//! The histories of one thread: which moves were good before ("History Heuristic" of chessprogramming.org), and how
//! wrong the evaluation was ("Static Evaluation Correction History").
//!
//! Updates use the gravity formula: the closer a counter is to its limit, the smaller the step. Counters cannot
//! overflow, and old updates fade.

use super::error::PoolError;
use super::params::*;
use crate::board::Board;
use crate::pages::PageBox;
use crate::types::score::Value;
use crate::types::{Bitboard, Colour, Move, Piece, PieceType, Square};
use bytemuck::Zeroable;

/// The largest absolute value of a move counter.
pub const MAX_HISTORY: i32 = 16_384;

const CORRECTION_SIZE: usize = 16_384;
const PAWN_SIZE: usize = 1024;
/// The largest absolute value of a correction counter. Counter times weight / 2560 is the correction in centipawns.
const MAX_CORRECTION: i32 = 1024;

/// Counters by piece and destination.
pub(super) type PieceTo = [[i16; 64]; Piece::COUNT];

/// The continuation history where there is no earlier move.
static NO_HISTORY: PieceTo = [[0; 64]; Piece::COUNT];

#[inline]
fn update(counter: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-MAX_HISTORY, MAX_HISTORY);
    let value = i32::from(*counter);
    *counter = (value + bonus - value * bonus.abs() / MAX_HISTORY) as i16;
}

/// A piece and its destination: the index of continuation histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceMove {
    /// The piece that moved, before any promotion.
    pub piece: Piece,
    pub to: Square,
}

impl PieceMove {
    #[inline]
    const fn index(self) -> usize {
        self.piece.index() * 64 + self.to.index()
    }
}

/// 0 to 3 by whether the origin and the destination of a move are attacked.
#[inline]
fn threat_index(threats: Bitboard, mv: Move) -> usize {
    usize::from(threats.has(mv.from())) * 2 + usize::from(threats.has(mv.to()))
}

/// All histories of a thread. They persist between searches.
pub struct Histories(PageBox<Tables>);

struct Tables {
    /// Butterfly history: by side, threats to origin and destination, origin, destination.
    quiet: [[[[i16; 64]; 64]; 4]; 2],
    /// Capture history: by whether the destination is known to be defended, piece, destination and captured piece type.
    capture: [[[[i16; PieceType::COUNT]; 64]; Piece::COUNT]; 2],
    /// Continuation history: by an earlier move, and piece and destination of the current one.
    continuation: [PieceTo; Piece::COUNT * 64],
    /// Counter moves: the encoded reply that refuted a move, by the move's piece and destination; 0 for none.
    counter: [u16; Piece::COUNT * 64],
    /// Pawn history: by pawn structure, piece and destination.
    pawn: [PieceTo; PAWN_SIZE],
    pawn_correction: [[i16; CORRECTION_SIZE]; 2],
    non_pawn_correction: [[[i16; CORRECTION_SIZE]; 2]; 2],
    move_correction: [PieceTo; Piece::COUNT * 64],
}

// SAFETY: all fields are arrays of integers, and nothing refers to padding.
unsafe impl Zeroable for Tables {}

impl Histories {
    /// Empty histories.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new() -> Result<Self, PoolError> {
        const MIB: usize = size_of::<Tables>().div_ceil(1 << 20);
        let tables = PageBox::zeroed().ok_or(PoolError::Memory { mib: MIB, purpose: "the history tables" })?;
        Ok(Self(tables))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The history of a quiet move by origin and destination, within ±16,384.
    #[inline]
    pub fn quiet(&self, side: Colour, threats: Bitboard, mv: Move) -> i32 {
        self.0.quiet[side.index()][threat_index(threats, mv)][mv.from().index()][mv.to().index()].into()
    }

    #[inline]
    pub(super) fn continuations(&self, earlier: [Option<PieceMove>; 4]) -> [&PieceTo; 4] {
        earlier.map(|earlier| earlier.map_or(&NO_HISTORY, |earlier| &self.0.continuation[earlier.index()]))
    }

    #[inline]
    pub(super) fn by_pawns(&self, board: &Board) -> &PieceTo {
        &self.0.pawn[table_index::<PAWN_SIZE>(board.keys().pawns)]
    }

    /// Adds a bonus, or a malus if it is negative, to the pawn history of a quiet move.
    #[inline]
    pub fn update_by_pawns(&mut self, board: &Board, current: PieceMove, bonus: i32) {
        let table = &mut self.0.pawn[table_index::<PAWN_SIZE>(board.keys().pawns)];
        update(&mut table[current.piece.index()][current.to.index()], bonus);
    }

    /// The continuation history of a quiet move after an earlier one, within ±16,384; 0 without one.
    #[inline]
    pub fn continuation(&self, earlier: Option<PieceMove>, current: PieceMove) -> i32 {
        earlier
            .map_or(0, |earlier| self.0.continuation[earlier.index()][current.piece.index()][current.to.index()].into())
    }

    /// The history of a capture or promotion, in a node where the opponent attacks the squares of `threats`. Promotions
    /// without capture use the index of a captured king.
    #[inline]
    pub fn capture(&self, threats: Bitboard, current: PieceMove, captured: Option<PieceType>) -> i32 {
        let captured = captured.unwrap_or(PieceType::King);
        let defended = usize::from(threats.has(current.to));
        self.0.capture[defended][current.piece.index()][current.to.index()][captured.index()].into()
    }

    /// The reply that last refuted a move.
    #[inline]
    pub fn counter_move(&self, earlier: Option<PieceMove>) -> Option<Move> {
        Move::from_bits(self.0.counter[earlier?.index()])
    }

    /// Notes the quiet move that refuted an earlier one.
    #[inline]
    pub fn set_counter_move(&mut self, earlier: Option<PieceMove>, reply: Move) {
        if let Some(earlier) = earlier {
            self.0.counter[earlier.index()] = reply.bits();
        }
    }

    /// Adds a bonus, or a malus if it is negative, to [`Self::quiet`].
    #[inline]
    pub fn update_quiet(&mut self, side: Colour, threats: Bitboard, mv: Move, bonus: i32) {
        let counter = &mut self.0.quiet[side.index()][threat_index(threats, mv)][mv.from().index()][mv.to().index()];
        update(counter, bonus);
    }

    /// Adds a bonus, or a malus if it is negative, to [`Self::continuation`].
    #[inline]
    pub fn update_continuation(&mut self, earlier: Option<PieceMove>, current: PieceMove, bonus: i32) {
        if let Some(earlier) = earlier {
            update(&mut self.0.continuation[earlier.index()][current.piece.index()][current.to.index()], bonus);
        }
    }

    /// Adds a bonus, or a malus if it is negative, to [`Self::capture`].
    #[inline]
    pub fn update_capture(&mut self, threats: Bitboard, current: PieceMove, captured: Option<PieceType>, bonus: i32) {
        let captured = captured.unwrap_or(PieceType::King);
        let defended = usize::from(threats.has(current.to));
        update(&mut self.0.capture[defended][current.piece.index()][current.to.index()][captured.index()], bonus);
    }

    /// The correction to add to a static evaluation, in centipawns: how wrong it was in positions with the same pawns,
    /// the same pieces of a side, or the same last two moves.
    #[inline]
    pub fn correction(&self, board: &Board, moves: [Option<PieceMove>; 2]) -> Value {
        let keys = board.keys();
        let side = board.side_to_move().index();
        let pawns = i32::from(self.0.pawn_correction[side][table_index::<CORRECTION_SIZE>(keys.pawns)]);
        let white = i32::from(self.0.non_pawn_correction[side][0][table_index::<CORRECTION_SIZE>(keys.non_pawns[0])]);
        let black = i32::from(self.0.non_pawn_correction[side][1][table_index::<CORRECTION_SIZE>(keys.non_pawns[1])]);
        let line = match moves {
            [Some(last), Some(earlier)] => {
                i32::from(self.0.move_correction[earlier.index()][last.piece.index()][last.to.index()])
            }
            _ => 0,
        };
        (pawns * corr_pawn() + (white + black) * corr_non_pawn() + line * corr_move()) / (40 * 64)
    }

    /// Updates the correction histories by the difference between the search value and the static evaluation.
    #[inline]
    pub fn update_correction(&mut self, board: &Board, moves: [Option<PieceMove>; 2], depth: i32, error: Value) {
        let keys = board.keys();
        let side = board.side_to_move().index();
        let bonus = (error * depth / 8).clamp(-MAX_CORRECTION / 4, MAX_CORRECTION / 4);
        let learn = |counter: &mut i16| {
            let value = i32::from(*counter);
            *counter = (value + bonus - value * bonus.abs() / MAX_CORRECTION) as i16;
        };
        learn(&mut self.0.pawn_correction[side][table_index::<CORRECTION_SIZE>(keys.pawns)]);
        learn(&mut self.0.non_pawn_correction[side][0][table_index::<CORRECTION_SIZE>(keys.non_pawns[0])]);
        learn(&mut self.0.non_pawn_correction[side][1][table_index::<CORRECTION_SIZE>(keys.non_pawns[1])]);
        if let [Some(last), Some(earlier)] = moves {
            learn(&mut self.0.move_correction[earlier.index()][last.piece.index()][last.to.index()]);
        }
    }
}

#[inline]
const fn table_index<const SIZE: usize>(key: u64) -> usize {
    (key % SIZE as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stay_within_their_limit() {
        let mut counter = 0;
        for _ in 0..1000 {
            update(&mut counter, 5000);
        }
        assert!(i32::from(counter) <= MAX_HISTORY && counter > 15_000);
        update(&mut counter, -i32::MAX);
        assert!(i32::from(counter) >= -MAX_HISTORY);
    }
}
