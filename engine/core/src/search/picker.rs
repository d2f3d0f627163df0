//! Staged move generation and move ordering ("Move Ordering" of chessprogramming.org): a cutoff saves the work of the
//! later stages.

use super::history::{Histories, PieceMove};
use super::params::*;
use crate::board::{Board, Threats};
use crate::types::{MAX_MOVES, Move, MoveList, Piece, PieceType};
use arrayvec::ArrayVec;
use wide::{i32x4, i32x8};

/// The stages of a picker, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The move of the hash table.
    HashMove,
    /// Captures and promotions are generated; no move belongs to this stage.
    GenerateNoisy,
    /// Captures and promotions that lose no material by SEE.
    GoodNoisy,
    /// Quiet moves that refuted sibling nodes.
    Killers,
    /// The quiet move that refuted the opponent's last move elsewhere.
    CounterMove,
    /// Quiet moves are generated; no move belongs to this stage.
    GenerateQuiet,
    /// The other quiet moves, by their histories.
    Quiet,
    /// Captures that lose material by SEE.
    BadNoisy,
    /// There are no more moves.
    Done,
}

/// What a node knows about its moves before they are generated.
#[derive(Clone, Copy, Default)]
pub struct Hints {
    /// The hash move, possibly illegal.
    pub hash_move: Option<Move>,
    /// Two different quiet moves that refuted sibling nodes.
    pub killers: [Option<Move>; 2],
    /// The quiet move that refuted the opponent's last move elsewhere.
    pub counter: Option<Move>,
    /// Squares that the opponent attacks; none if unknown.
    pub threats: Threats,
    /// The moves one, two, four and six plies ago.
    pub earlier: [Option<PieceMove>; 4],
}

/// The number of keys that are compared at a time.
const LANES: usize = 8;

/// The bits of a key for the index of the move.
const INDEX_BITS: u32 = 10;
const INDEX_MASK: i32 = (1 << INDEX_BITS) - 1;
const _: () = assert!(MAX_MOVES <= 1 << INDEX_BITS);

/// The key of a move that was taken, less than all others.
const TAKEN: i32 = i32::MIN;

/// Moves with scores, from which the best are taken one by one: a selection sort with vectors. It also tells which move
/// will be taken next, so that its hash bucket can be fetched early.
#[derive(Default)]
struct ScoredMoves {
    /// Those before `next` were taken.
    moves: ArrayVec<Move, MAX_MOVES>,
    /// The score of each move above its index, counted downwards: of equal moves the first is taken first. [`TAKEN`]
    /// for those that were taken, and to fill up the last vector.
    keys: ArrayVec<i32, { MAX_MOVES.next_multiple_of(LANES) }>,
    next: usize,
    upcoming: Option<Move>,
}

impl ScoredMoves {
    /// Drops all moves but the first ones, which count as taken.
    fn keep_first(&mut self, count: usize) {
        self.moves.truncate(count);
        self.keys.clear();
        self.keys.extend(std::iter::repeat_n(TAKEN, count));
        self.next = count;
    }

    /// Adds a move, before any is taken. The score is limited to 21 bits and a sign.
    fn push(&mut self, mv: Move, score: i32) {
        let limit = i32::MAX >> INDEX_BITS;
        self.keys.push(key(score.clamp(-limit, limit), self.moves.len()));
        self.moves.push(mv);
    }

    /// To be called after the last move was added.
    fn finish(&mut self) {
        while !self.keys.len().is_multiple_of(LANES) {
            self.keys.push(TAKEN);
        }
    }

    /// Takes the best of the remaining moves, and returns its score, too.
    fn take_best(&mut self) -> Option<(Move, i32)> {
        let [first, second] = self.greatest_keys();
        self.upcoming = (second != TAKEN).then(|| self.moves[index(second)]);
        if first == TAKEN {
            return None;
        }
        let (best, next) = (index(first), self.next);
        self.keys[best] = key(self.keys[next] >> INDEX_BITS, best);
        self.keys[next] = TAKEN;
        self.moves.swap(best, next);
        self.next += 1;
        Some((self.moves[next], first >> INDEX_BITS))
    }

    /// The two greatest keys.
    fn greatest_keys(&self) -> [i32; 2] {
        let [mut first, mut second] = [i32x8::splat(TAKEN); 2];
        let start = self.next / LANES * LANES;
        for &keys in self.keys.get(start..).unwrap_or_default().as_chunks::<LANES>().0 {
            let keys = i32x8::new(keys);
            second = second.max(first.min(keys));
            first = first.max(keys);
        }
        let ([a, b], [c, d]): ([i32x4; 2], [i32x4; 2]) = (bytemuck::cast(first), bytemuck::cast(second));
        let (first, second) = (a.max(b).to_array(), a.min(b).max(c).max(d).to_array());
        let [mut greatest, mut next] = [TAKEN; 2];
        for (first, second) in first.into_iter().zip(second) {
            next = next.max(greatest.min(first)).max(second);
            greatest = greatest.max(first);
        }
        [greatest, next]
    }
}

fn key(score: i32, index: usize) -> i32 {
    score << INDEX_BITS | (INDEX_MASK - index as i32)
}

fn index(key: i32) -> usize {
    (INDEX_MASK - (key & INDEX_MASK)) as usize
}

/// Picks the moves of a node in the order in which they are to be searched, and generates them as late as it can.
pub struct MovePicker {
    stage: Stage,
    hints: Hints,
    /// The minimum SEE of a good capture, in centipawns.
    see_margin: i32,
    noisy_only: bool,
    moves: ScoredMoves,
    /// The number of killers or bad captures that have been returned.
    next: usize,
    /// The number of bad captures, which are collected at the start of `moves`.
    bad: usize,
}

impl MovePicker {
    /// A picker for all moves of a node. The moves of the hints are tested for legality.
    pub fn new(board: &Board, mut hints: Hints) -> Self {
        hints.hash_move = hints.hash_move.filter(|&mv| board.is_legal(mv));
        Self {
            stage: Stage::HashMove,
            hints,
            see_margin: 0,
            noisy_only: false,
            moves: ScoredMoves::default(),
            next: 0,
            bad: 0,
        }
    }

    /// A picker for captures and promotions with a SEE of at least `see_margin`. A noisy hash move comes first, without
    /// this test.
    pub fn noisy(board: &Board, mut hints: Hints, see_margin: i32) -> Self {
        hints.hash_move = hints.hash_move.filter(|&mv| board.is_noisy(mv));
        let mut picker = Self::new(board, hints);
        picker.see_margin = see_margin;
        picker.noisy_only = true;
        picker
    }

    /// Leaves out the quiet moves that have not been returned yet.
    pub fn skip_quiets(&mut self) {
        self.noisy_only = true;
    }

    /// Where [`Self::next`] goes on: in the stage of the last move, or in the one after it if that was the hash move or
    /// the counter move.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The move that will probably be returned next, if it is known.
    pub fn upcoming(&self) -> Option<Move> {
        self.moves.upcoming
    }

    /// The next legal move; none is returned twice. `board` is the position of the node.
    pub fn next(&mut self, board: &Board, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::GenerateNoisy;
                    if self.hints.hash_move.is_some() {
                        return self.hints.hash_move;
                    }
                }
                Stage::GenerateNoisy => {
                    self.generate_noisy(board, histories);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    if let Some((mv, score)) = self.moves.take_best() {
                        // A capture with a good history may lose a little material.
                        if board.see_ge(
                            mv,
                            self.see_margin - if self.noisy_only { 0 } else { score / good_noisy_divisor() },
                        ) {
                            return Some(mv);
                        }
                        self.moves.moves[self.bad] = mv;
                        self.bad += 1;
                    } else if self.noisy_only {
                        self.stage = Stage::Done;
                    } else {
                        self.next = 0;
                        self.stage = Stage::Killers;
                    }
                }
                Stage::Killers => {
                    // `next` counts the killers here.
                    if self.noisy_only || self.next == 2 {
                        self.stage = Stage::CounterMove;
                    } else {
                        let killer = self.hints.killers[self.next];
                        self.next += 1;
                        if let Some(mv) = killer.filter(|&mv| self.is_unseen_quiet(board, mv)) {
                            return Some(mv);
                        }
                    }
                }
                Stage::CounterMove => {
                    self.stage = Stage::GenerateQuiet;
                    let counter = self.hints.counter.filter(|counter| !self.hints.killers.contains(&Some(*counter)));
                    if let Some(mv) = counter.filter(|&mv| !self.noisy_only && self.is_unseen_quiet(board, mv)) {
                        return Some(mv);
                    }
                    self.hints.counter = counter;
                }
                Stage::GenerateQuiet => {
                    self.moves.keep_first(self.bad);
                    if !self.noisy_only {
                        self.generate_quiet(board, histories);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if !self.noisy_only
                        && let Some((mv, _)) = self.moves.take_best()
                    {
                        return Some(mv);
                    }
                    self.next = 0;
                    self.stage = Stage::BadNoisy;
                }
                Stage::BadNoisy => {
                    if self.next < self.bad {
                        self.next += 1;
                        return Some(self.moves.moves[self.next - 1]);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn is_unseen_quiet(&self, board: &Board, mv: Move) -> bool {
        Some(mv) != self.hints.hash_move && !board.is_noisy(mv) && board.is_legal(mv)
    }

    /// Not inlined: its list would enlarge the stack frame of every call of [`next`](Self::next).
    #[inline(never)]
    fn generate_noisy(&mut self, board: &Board, histories: &Histories) {
        let mut list = MoveList::new();
        board.noisy_moves(&mut list);
        for &mv in &list {
            if Some(mv) == self.hints.hash_move {
                continue;
            }
            let captured = board.captured(mv);
            let promoted = mv.promoted().map_or(0, PieceType::exchange_value);
            let gain = captured.map_or(0, PieceType::exchange_value) + promoted;
            let threats = self.hints.threats.all;
            let history = piece_move(board, mv).map_or(0, |current| histories.capture(threats, current, captured));
            self.moves.push(mv, 16 * gain + history * order_noisy() / 64);
        }
        self.moves.finish();
    }

    /// Not inlined: its list would enlarge the stack frame of every call of [`next`](Self::next).
    #[inline(never)]
    fn generate_quiet(&mut self, board: &Board, histories: &Histories) {
        let mut list = MoveList::new();
        board.quiet_moves(&mut list);
        let side = board.side_to_move();
        let Hints { hash_move, killers, counter, threats, earlier } = self.hints;
        let skipped = [hash_move, killers[0], killers[1], counter];
        let [last, own, before, sixth] = histories.continuations(earlier);
        let pawns = histories.by_pawns(board);
        for &mv in &list {
            if skipped.contains(&Some(mv)) {
                continue;
            }
            let Some(current) = piece_move(board, mv) else { continue };
            let (piece, to) = (current.piece.index(), current.to.index());
            let mut score = histories.quiet(side, threats.all, mv) * order_quiet()
                + last[piece][to].get() * order_cont1()
                + own[piece][to].get() * order_cont2()
                + before[piece][to].get() * order_cont4()
                + sixth[piece][to].get() * order_cont6()
                + i32::from(pawns[piece][to]) * order_pawns();
            score /= 64;
            let kind = current.piece.kind;
            if kind != PieceType::King || board.has_two_kings(side) {
                let danger = threats.by_lesser_than(kind);
                let value = kind.exchange_value() / 16;
                if danger.has(mv.from()) {
                    score += value * order_escape();
                }
                if danger.has(mv.to()) {
                    score -= value * order_blunder();
                }
            }
            self.moves.push(mv, score);
        }
        self.moves.finish();
    }
}

/// The piece that moves and its destination.
#[inline]
pub fn piece_move(board: &Board, mv: Move) -> Option<PieceMove> {
    let kind = board.kind_on(mv.from())?;
    Some(PieceMove { piece: Piece { colour: board.side_to_move(), kind }, to: mv.to() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::types::Square;

    /// Moves that differ, one for each index.
    fn moves(count: usize) -> Vec<Move> {
        let pairs = (0..64 * 64).map(|i: u16| (i / 64, i % 64)).filter(|(from, to)| from != to);
        pairs.map(|(from, to)| Move::normal(Square::new(from as u8), Square::new(to as u8))).take(count).collect()
    }

    #[test]
    fn the_best_move_is_taken_first_and_the_next_one_known() {
        let mut rng = Rng::new(1);
        for count in (0..40).chain([MAX_MOVES]) {
            // A few values only, so that many are equal.
            let scores: Vec<i32> = (0..count).map(|_| rng.below(9) as i32 * 1000 - 4000).collect();
            let mut list = ScoredMoves::default();
            moves(count).into_iter().zip(&scores).for_each(|(mv, &score)| list.push(mv, score));
            list.finish();
            let mut expected: Vec<(Move, i32)> = moves(count).into_iter().zip(scores).collect();
            for next in 0..count {
                let best = (next..count).rev().max_by_key(|&i| expected[i].1).expect("moves are left");
                expected.swap(next, best);
                // Of equal moves it may be another one.
                let upcoming = expected.iter().find(|(mv, _)| list.upcoming == Some(*mv));
                assert!(upcoming.is_none_or(|(_, score)| *score == expected[next].1), "{count} moves, {next}");
                assert_eq!(list.take_best(), Some(expected[next]), "{count} moves, {next}");
                assert_eq!(list.upcoming.is_some(), next + 1 < count);
            }
            assert_eq!(list.take_best(), None);
        }
    }

    #[test]
    fn moves_kept_back_are_not_taken_again() {
        let moves = moves(20);
        let mut list = ScoredMoves::default();
        moves[..12].iter().for_each(|&mv| list.push(mv, 7));
        list.finish();
        list.take_best();
        list.keep_first(3);
        moves[12..].iter().zip([i32::MIN, 5, i32::MAX]).for_each(|(&mv, score)| list.push(mv, score));
        list.finish();
        let taken: Vec<Move> = std::iter::from_fn(|| list.take_best()).map(|(mv, _)| mv).collect();
        assert_eq!(taken, [moves[14], moves[13], moves[12]]);
    }
}
