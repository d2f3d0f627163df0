//! Move statistics of one thread: which moves proved good before, and how wrong the evaluation was.
//!
//! All numbers decay by "gravity": an update moves a counter towards its limit by a share of what is
//! left, so that no counter overflows and old news fades.

use super::params::*;
use crate::board::Board;
use crate::types::score::Value;
use crate::types::{Bitboard, Colour, Move, Piece, PieceType, Square};
use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_box;

/// The largest absolute value of a move counter.
pub const MAX_HISTORY: i32 = 16_384;

/// Entries of a correction table.
const CORRECTION_SIZE: usize = 16_384;
/// Pawn structures told apart by the pawn history.
const PAWN_SIZE: usize = 1024;
/// Correction values are kept in 1/256 of a centipawn's weighted share.
const MAX_CORRECTION: i32 = 1024;

/// Counters by piece and destination.
pub(super) type PieceTo = [[i16; 64]; Piece::COUNT];

/// What is known after no move at all.
static NOTHING: PieceTo = [[0; 64]; Piece::COUNT];

/// Statistics are a few MiB for each thread, and there was no room for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory;

/// A table of zeroes on the heap. The pages come from the system as zeroes already, so that a table
/// takes no memory before it is used.
fn zeroed<T: Zeroable>() -> Result<Box<T>, OutOfMemory> {
    try_zeroed_box().map_err(|()| OutOfMemory)
}

#[inline]
fn update(counter: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-MAX_HISTORY, MAX_HISTORY);
    let value = i32::from(*counter);
    *counter = (value + bonus - value * bonus.abs() / MAX_HISTORY) as i16;
}

/// A moved piece and where it went: the key of continuation histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceMove {
    /// What moved, before any promotion.
    pub piece: Piece,
    /// Where it went.
    pub to: Square,
}

impl PieceMove {
    #[inline]
    const fn index(self) -> usize {
        self.piece.index() * 64 + self.to.index()
    }
}

/// Whether origin and destination of a move are attacked: quiet moves into and out of attack differ.
#[inline]
fn threat_index(threats: Bitboard, mv: Move) -> usize {
    usize::from(threats.has(mv.from())) * 2 + usize::from(threats.has(mv.to()))
}

/// Everything that a thread remembers from one search to the next.
pub struct Histories {
    /// By side, attack on origin and destination, origin and destination.
    quiet: Box<[[[[i16; 64]; 64]; 4]; 2]>,
    /// By piece, destination and kind captured.
    capture: Box<[[[i16; PieceType::COUNT]; 64]; Piece::COUNT]>,
    /// By an earlier move, and piece and destination of this one.
    continuation: Box<[PieceTo; Piece::COUNT * 64]>,
    /// The encoded reply that refuted a move, by the move's piece and destination; 0 for none.
    counter: Box<[u16; Piece::COUNT * 64]>,
    /// By pawn structure, piece and destination.
    pawn: Box<[PieceTo; PAWN_SIZE]>,
    pawn_correction: Box<[[i16; CORRECTION_SIZE]; 2]>,
    non_pawn_correction: Box<[[[i16; CORRECTION_SIZE]; 2]; 2]>,
    move_correction: Box<[PieceTo; Piece::COUNT * 64]>,
}

impl Histories {
    /// Remembers nothing.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            quiet: zeroed()?,
            capture: zeroed()?,
            continuation: zeroed()?,
            counter: zeroed()?,
            pawn: zeroed()?,
            pawn_correction: zeroed()?,
            non_pawn_correction: zeroed()?,
            move_correction: zeroed()?,
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        // New tables cost nothing before they are used, old ones would be filled to the end.
        if let Ok(new) = Self::new() {
            *self = new;
            return;
        }
        *self.quiet = Zeroable::zeroed();
        *self.capture = Zeroable::zeroed();
        self.continuation.fill(Zeroable::zeroed());
        *self.counter = Zeroable::zeroed();
        self.pawn.fill(Zeroable::zeroed());
        self.pawn_correction.fill(Zeroable::zeroed());
        self.non_pawn_correction.fill(Zeroable::zeroed());
        self.move_correction.fill(Zeroable::zeroed());
    }

    /// The record of a quiet move by origin and destination, within ±16,384.
    #[inline]
    pub fn quiet(&self, side: Colour, threats: Bitboard, mv: Move) -> i32 {
        self.quiet[side.index()][threat_index(threats, mv)][mv.from().index()][mv.to().index()].into()
    }

    /// The records of all piece moves after each of some earlier moves.
    #[inline]
    pub(super) fn continuations(&self, earlier: [Option<PieceMove>; 4]) -> [&PieceTo; 4] {
        earlier.map(|earlier| earlier.map_or(&NOTHING, |earlier| &self.continuation[earlier.index()]))
    }

    /// The records of all piece moves with the pawns where they are.
    #[inline]
    pub(super) fn by_pawns(&self, board: &Board) -> &PieceTo {
        &self.pawn[slot::<PAWN_SIZE>(board.keys().pawns)]
    }

    /// Rewards (or punishes) a quiet move by the pawn structure.
    #[inline]
    pub fn update_by_pawns(&mut self, board: &Board, current: PieceMove, bonus: i32) {
        let table = &mut self.pawn[slot::<PAWN_SIZE>(board.keys().pawns)];
        update(&mut table[current.piece.index()][current.to.index()], bonus);
    }

    /// The record of a piece's move after an earlier move.
    #[inline]
    pub fn continuation(&self, earlier: Option<PieceMove>, current: PieceMove) -> i32 {
        earlier
            .map_or(0, |earlier| self.continuation[earlier.index()][current.piece.index()][current.to.index()].into())
    }

    /// The record of a capture or promotion. Promotions without capture count as capturing a king.
    #[inline]
    pub fn capture(&self, current: PieceMove, captured: Option<PieceType>) -> i32 {
        let captured = captured.unwrap_or(PieceType::King);
        self.capture[current.piece.index()][current.to.index()][captured.index()].into()
    }

    /// The reply that last refuted a move.
    #[inline]
    pub fn counter_move(&self, earlier: Option<PieceMove>) -> Option<Move> {
        Move::from_bits(self.counter[earlier?.index()])
    }

    /// Remembers a reply that refuted a move.
    #[inline]
    pub fn set_counter_move(&mut self, earlier: Option<PieceMove>, reply: Move) {
        if let Some(earlier) = earlier {
            self.counter[earlier.index()] = reply.bits();
        }
    }

    /// Rewards (or punishes) a quiet move by origin and destination.
    #[inline]
    pub fn update_quiet(&mut self, side: Colour, threats: Bitboard, mv: Move, bonus: i32) {
        let counter = &mut self.quiet[side.index()][threat_index(threats, mv)][mv.from().index()][mv.to().index()];
        update(counter, bonus);
    }

    /// Rewards (or punishes) a move as the continuation of an earlier one.
    #[inline]
    pub fn update_continuation(&mut self, earlier: Option<PieceMove>, current: PieceMove, bonus: i32) {
        if let Some(earlier) = earlier {
            update(&mut self.continuation[earlier.index()][current.piece.index()][current.to.index()], bonus);
        }
    }

    /// Rewards (or punishes) a capture or promotion.
    #[inline]
    pub fn update_capture(&mut self, current: PieceMove, captured: Option<PieceType>, bonus: i32) {
        let captured = captured.unwrap_or(PieceType::King);
        update(&mut self.capture[current.piece.index()][current.to.index()][captured.index()], bonus);
    }

    /// What to add to a static evaluation, from how wrong it was in positions that share the pawns,
    /// the pieces of a side, or the last two moves. In centipawns.
    #[inline]
    pub fn correction(&self, board: &Board, moves: [Option<PieceMove>; 2]) -> Value {
        let keys = board.keys();
        let side = board.side_to_move().index();
        let pawns = i32::from(self.pawn_correction[side][slot::<CORRECTION_SIZE>(keys.pawns)]);
        let white = i32::from(self.non_pawn_correction[side][0][slot::<CORRECTION_SIZE>(keys.non_pawns[0])]);
        let black = i32::from(self.non_pawn_correction[side][1][slot::<CORRECTION_SIZE>(keys.non_pawns[1])]);
        let line = match moves {
            [Some(last), Some(earlier)] => {
                i32::from(self.move_correction[earlier.index()][last.piece.index()][last.to.index()])
            }
            _ => 0,
        };
        (pawns * corr_pawn() + (white + black) * corr_non_pawn() + line * corr_move()) / (40 * 64)
    }

    /// Learns the difference between what the search found and the static evaluation.
    #[inline]
    pub fn update_correction(&mut self, board: &Board, moves: [Option<PieceMove>; 2], depth: i32, error: Value) {
        let keys = board.keys();
        let side = board.side_to_move().index();
        let bonus = (error * depth / 8).clamp(-MAX_CORRECTION / 4, MAX_CORRECTION / 4);
        let learn = |counter: &mut i16| {
            let value = i32::from(*counter);
            *counter = (value + bonus - value * bonus.abs() / MAX_CORRECTION) as i16;
        };
        learn(&mut self.pawn_correction[side][slot::<CORRECTION_SIZE>(keys.pawns)]);
        learn(&mut self.non_pawn_correction[side][0][slot::<CORRECTION_SIZE>(keys.non_pawns[0])]);
        learn(&mut self.non_pawn_correction[side][1][slot::<CORRECTION_SIZE>(keys.non_pawns[1])]);
        if let [Some(last), Some(earlier)] = moves {
            learn(&mut self.move_correction[earlier.index()][last.piece.index()][last.to.index()]);
        }
    }
}

/// The place of a key in a table.
#[inline]
const fn slot<const SIZE: usize>(key: u64) -> usize {
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
