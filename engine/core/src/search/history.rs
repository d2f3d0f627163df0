//! Which moves were good before ("History Heuristic" of chessprogramming.org), and how wrong the evaluation was
//! ("Static Evaluation Correction History"). All threads share the correction and continuation histories; each
//! has its own copy of the others.
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
use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

/// The largest absolute value of a move counter.
pub const MAX_HISTORY: i32 = 16_384;

const CORRECTION_SIZE: usize = 16_384;
const PAWN_SIZE: usize = 1024;
/// The largest absolute value of a correction counter. Counter times weight / 2560 is the correction in centipawns.
const MAX_CORRECTION: i32 = 1024;

/// Counters by piece and destination.
pub(super) type PieceTo = [[i16; 64]; Piece::COUNT];

/// The same, shared by all threads.
pub(super) type SharedPieceTo = [[SharedCounter; 64]; Piece::COUNT];

/// The continuation history where there is no earlier move.
static NO_HISTORY: SharedPieceTo = [const { [const { SharedCounter(AtomicI16::new(0)) }; 64] }; Piece::COUNT];

/// A counter after a bonus, which is clamped to the counter's limit.
#[inline]
fn updated(counter: i16, bonus: i32, limit: i32) -> i16 {
    let (value, bonus) = (i32::from(counter), bonus.clamp(-limit, limit));
    (value + bonus - value * bonus.abs() / limit) as i16
}

#[inline]
fn update(counter: &mut i16, bonus: i32) {
    *counter = updated(*counter, bonus, MAX_HISTORY);
}

/// A counter of all threads. If two update it at the same time, one of the updates may be lost, which does no harm.
pub(super) struct SharedCounter(AtomicI16);

impl SharedCounter {
    #[inline]
    pub(super) fn get(&self) -> i32 {
        self.0.load(Relaxed).into()
    }

    #[inline]
    fn update(&self, bonus: i32, limit: i32) {
        self.0.store(updated(self.0.load(Relaxed), bonus, limit), Relaxed);
    }
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

/// The memory of all histories that a thread uses. They persist between searches.
pub struct HistoryTables {
    own: PageBox<OwnTables>,
    shared: Arc<SharedHistories>,
}

/// All histories that a thread uses, for a search. It holds references to the tables, so that nodes need not
/// dereference the boxes.
pub struct Histories<'a> {
    own: &'a mut OwnTables,
    shared: &'a SharedTables,
}

/// The histories that threads have in common: what one learns, all know.
pub(super) struct SharedHistories(PageBox<SharedTables>);

struct OwnTables {
    /// Butterfly history: by side, threats to origin and destination, origin, destination.
    quiet: [[[[i16; 64]; 64]; 4]; 2],
    /// Capture history: by whether the destination is known to be defended, piece, destination and captured piece type.
    capture: [[[[i16; PieceType::COUNT]; 64]; Piece::COUNT]; 2],
    /// Counter moves: the encoded reply that refuted a move, by the move's piece and destination; 0 for none.
    counter: [u16; Piece::COUNT * 64],
    /// Pawn history: by pawn structure, piece and destination.
    pawn: [PieceTo; PAWN_SIZE],
}

struct SharedTables {
    /// Continuation history: by an earlier move, and piece and destination of the current one.
    continuation: [SharedPieceTo; Piece::COUNT * 64],
    /// By side to move and pawn structure.
    pawn_correction: [[SharedCounter; CORRECTION_SIZE]; 2],
    /// By side to move, side of the pieces, and its pieces.
    non_pawn_correction: [[[SharedCounter; CORRECTION_SIZE]; 2]; 2],
    /// By the second-to-last move, and piece and destination of the last one.
    move_correction: [SharedPieceTo; Piece::COUNT * 64],
}

// SAFETY: all fields are arrays of integers, for which zero is a valid value.
unsafe impl Zeroable for OwnTables {}
// SAFETY: all fields are arrays of atomic integers, for which zero is a valid value.
unsafe impl Zeroable for SharedTables {}

/// A zeroed table.
fn new_table<T: Zeroable>() -> Result<PageBox<T>, PoolError> {
    let mib = size_of::<T>().div_ceil(1 << 20);
    PageBox::zeroed().ok_or(PoolError::Memory { mib, purpose: "the history tables" })
}

impl SharedHistories {
    /// Empty histories.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new() -> Result<Arc<Self>, PoolError> {
        Ok(Arc::new(Self(new_table()?)))
    }

    /// Forgets everything. Updates by other threads at the same time may remain.
    pub fn clear(&self) {
        let SharedTables { continuation, pawn_correction, non_pawn_correction, move_correction } = &*self.0;
        let pawns = pawn_correction.as_flattened();
        let others = non_pawn_correction.as_flattened().as_flattened();
        let moves =
            [continuation, move_correction].map(|table| table.as_flattened().as_flattened()).into_iter().flatten();
        for counter in pawns.iter().chain(others).chain(moves) {
            counter.0.store(0, Relaxed);
        }
    }
}

impl HistoryTables {
    /// Empty histories of a single thread.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new() -> Result<Self, PoolError> {
        Self::of_thread(&SharedHistories::new()?)
    }

    /// Histories of one of several threads. Its own ones are empty.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn of_thread(shared: &Arc<SharedHistories>) -> Result<Self, PoolError> {
        Ok(Self { own: new_table()?, shared: Arc::clone(shared) })
    }

    /// Forgets everything but what is shared with other threads.
    pub(super) fn clear_own(&mut self) {
        self.own.clear();
    }

    /// The histories for a search.
    pub fn histories(&mut self) -> Histories<'_> {
        Histories { own: &mut self.own, shared: &self.shared.0 }
    }
}

impl Histories<'_> {
    /// The history of a quiet move by origin and destination, within ±16,384.
    #[inline]
    pub fn quiet(&self, side: Colour, threats: Bitboard, mv: Move) -> i32 {
        self.own.quiet[side.index()][threat_index(threats, mv)][mv.from().index()][mv.to().index()].into()
    }

    #[inline]
    pub(super) fn continuations(&self, earlier: [Option<PieceMove>; 4]) -> [&SharedPieceTo; 4] {
        let continuation = &self.shared.continuation;
        earlier.map(|earlier| earlier.map_or(&NO_HISTORY, |earlier| &continuation[earlier.index()]))
    }

    #[inline]
    pub(super) fn by_pawns(&self, board: &Board) -> &PieceTo {
        &self.own.pawn[table_index::<PAWN_SIZE>(board.keys().pawns)]
    }

    /// Adds a bonus, or a malus if it is negative, to the pawn history of a quiet move.
    #[inline]
    pub fn update_by_pawns(&mut self, board: &Board, current: PieceMove, bonus: i32) {
        let table = &mut self.own.pawn[table_index::<PAWN_SIZE>(board.keys().pawns)];
        update(&mut table[current.piece.index()][current.to.index()], bonus);
    }

    /// The continuation history of a quiet move after an earlier one, within ±16,384; 0 without one.
    #[inline]
    pub fn continuation(&self, earlier: Option<PieceMove>, current: PieceMove) -> i32 {
        let Some(earlier) = earlier else { return 0 };
        self.shared.continuation[earlier.index()][current.piece.index()][current.to.index()].get()
    }

    /// The history of a capture or promotion, in a node where the opponent attacks the squares of `threats`. Promotions
    /// without capture use the index of a captured king.
    #[inline]
    pub fn capture(&self, threats: Bitboard, current: PieceMove, captured: Option<PieceType>) -> i32 {
        let captured = captured.unwrap_or(PieceType::King);
        let defended = usize::from(threats.has(current.to));
        self.own.capture[defended][current.piece.index()][current.to.index()][captured.index()].into()
    }

    /// The reply that last refuted a move.
    #[inline]
    pub fn counter_move(&self, earlier: Option<PieceMove>) -> Option<Move> {
        Move::from_bits(self.own.counter[earlier?.index()])
    }

    /// Notes the quiet move that refuted an earlier one.
    #[inline]
    pub fn set_counter_move(&mut self, earlier: Option<PieceMove>, reply: Move) {
        if let Some(earlier) = earlier {
            self.own.counter[earlier.index()] = reply.bits();
        }
    }

    /// Adds a bonus, or a malus if it is negative, to [`Self::quiet`].
    #[inline]
    pub fn update_quiet(&mut self, side: Colour, threats: Bitboard, mv: Move, bonus: i32) {
        let counter = &mut self.own.quiet[side.index()][threat_index(threats, mv)][mv.from().index()][mv.to().index()];
        update(counter, bonus);
    }

    /// Adds a bonus, or a malus if it is negative, to [`Self::continuation`].
    #[inline]
    pub fn update_continuation(&self, earlier: Option<PieceMove>, current: PieceMove, bonus: i32) {
        if let Some(earlier) = earlier {
            let counter = &self.shared.continuation[earlier.index()][current.piece.index()][current.to.index()];
            counter.update(bonus, MAX_HISTORY);
        }
    }

    /// Adds a bonus, or a malus if it is negative, to [`Self::capture`].
    #[inline]
    pub fn update_capture(&mut self, threats: Bitboard, current: PieceMove, captured: Option<PieceType>, bonus: i32) {
        let captured = captured.unwrap_or(PieceType::King);
        let defended = usize::from(threats.has(current.to));
        update(&mut self.own.capture[defended][current.piece.index()][current.to.index()][captured.index()], bonus);
    }

    /// The correction to add to a static evaluation, in centipawns: how wrong it was in positions with the same pawns,
    /// the same pieces of a side, or the same last two moves.
    #[inline]
    pub fn correction(&self, board: &Board, moves: [Option<PieceMove>; 2]) -> Value {
        let tables = self.shared;
        let keys = board.keys();
        let side = board.side_to_move().index();
        let pawns = tables.pawn_correction[side][table_index::<CORRECTION_SIZE>(keys.pawns)].get();
        let white = tables.non_pawn_correction[side][0][table_index::<CORRECTION_SIZE>(keys.non_pawns[0])].get();
        let black = tables.non_pawn_correction[side][1][table_index::<CORRECTION_SIZE>(keys.non_pawns[1])].get();
        let line = match moves {
            [Some(last), Some(earlier)] => {
                tables.move_correction[earlier.index()][last.piece.index()][last.to.index()].get()
            }
            _ => 0,
        };
        (pawns * corr_pawn() + (white + black) * corr_non_pawn() + line * corr_move()) / (40 * 64)
    }

    /// Updates the correction histories by the difference between the search value and the static evaluation.
    #[inline]
    pub fn update_correction(&self, board: &Board, moves: [Option<PieceMove>; 2], depth: i32, error: Value) {
        let tables = self.shared;
        let keys = board.keys();
        let side = board.side_to_move().index();
        let bonus = (error * depth / 8).clamp(-MAX_CORRECTION / 4, MAX_CORRECTION / 4);
        let learn = |counter: &SharedCounter| counter.update(bonus, MAX_CORRECTION);
        learn(&tables.pawn_correction[side][table_index::<CORRECTION_SIZE>(keys.pawns)]);
        learn(&tables.non_pawn_correction[side][0][table_index::<CORRECTION_SIZE>(keys.non_pawns[0])]);
        learn(&tables.non_pawn_correction[side][1][table_index::<CORRECTION_SIZE>(keys.non_pawns[1])]);
        if let [Some(last), Some(earlier)] = moves {
            learn(&tables.move_correction[earlier.index()][last.piece.index()][last.to.index()]);
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
    use crate::board::Variant;
    use crate::search::picker::piece_move;

    fn two_threads() -> (Arc<SharedHistories>, HistoryTables, HistoryTables) {
        let shared = SharedHistories::new().expect("memory");
        let thread = || HistoryTables::of_thread(&shared).expect("memory");
        let (a, b) = (thread(), thread());
        (shared, a, b)
    }

    #[test]
    fn threads_share_corrections_and_continuations_and_nothing_else() {
        let (shared, mut tables_a, mut tables_b) = two_threads();
        let (mut a, b) = (tables_a.histories(), tables_b.histories());
        let board = Board::start(Variant::Spartan);
        let mv = board.legal_moves()[0];
        let current = piece_move(&board, mv).expect("a piece");
        let moves = [Some(current); 2];
        a.update_correction(&board, moves, 8, 100);
        a.update_continuation(moves[1], current, 100);
        a.update_quiet(Colour::White, Bitboard::EMPTY, mv, 100);
        let correction = a.correction(&board, moves);
        assert!(correction > 0);
        assert_eq!(b.correction(&board, moves), correction);
        assert_eq!(b.continuation(moves[1], current), 100);
        assert_eq!(b.quiet(Colour::White, Bitboard::EMPTY, mv), 0);
        // Other moves, the same pieces.
        let without_moves = b.correction(&board, [None; 2]);
        assert!(0 < without_moves && without_moves < correction);
        for tables in [&mut tables_a, &mut tables_b] {
            tables.clear_own();
            assert_eq!(tables.histories().correction(&board, moves), correction);
            assert_eq!(tables.histories().continuation(moves[1], current), 100);
            assert_eq!(tables.histories().quiet(Colour::White, Bitboard::EMPTY, mv), 0);
        }
        shared.clear();
        for tables in [&mut tables_a, &mut tables_b] {
            assert_eq!(tables.histories().correction(&board, moves), 0);
            assert_eq!(tables.histories().continuation(moves[1], current), 0);
        }
    }

    #[test]
    fn updates_at_the_same_time_keep_counters_within_their_limit() {
        const UPDATES: i32 = if cfg!(miri) { 100 } else { 20_000 };
        let (_, mut a, mut b) = two_threads();
        let (a, b) = (a.histories(), b.histories());
        let board = Board::start(Variant::Spartan);
        // The correction that one thread alone would reach.
        let mut alone = HistoryTables::new().expect("memory");
        let alone = alone.histories();
        (0..UPDATES).for_each(|_| alone.update_correction(&board, [None; 2], 20, 1000));
        std::thread::scope(|scope| {
            for histories in [&a, &b] {
                scope.spawn(|| {
                    for _ in 0..UPDATES {
                        histories.update_correction(&board, [None; 2], 20, 1000);
                        let correction = histories.correction(&board, [None; 2]);
                        assert!((0..=alone.correction(&board, [None; 2])).contains(&correction), "{correction}");
                    }
                });
            }
        });
        assert_eq!(a.correction(&board, [None; 2]), alone.correction(&board, [None; 2]));
    }

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
