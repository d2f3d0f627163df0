//! Staged move generation and move ordering ("Move Ordering" of chessprogramming.org): a cutoff saves the work of the
//! later stages.

use super::history::{Histories, PieceMove};
use super::params::*;
use crate::board::{Board, Threats};
use crate::types::{MAX_MOVES, Move, MoveList, Piece, PieceType};
use arrayvec::ArrayVec;

/// The stages of a picker, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    HashMove,
    GenerateNoisy,
    /// Captures and promotions that lose no material by SEE.
    GoodNoisy,
    /// Quiet moves that refuted sibling nodes.
    Killers,
    /// The quiet move that refuted the opponent's last move elsewhere.
    CounterMove,
    GenerateQuiet,
    Quiet,
    /// Captures that lose material by SEE.
    BadNoisy,
    Done,
}

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

struct Scored {
    mv: Move,
    score: i32,
}

pub struct MovePicker {
    stage: Stage,
    hints: Hints,
    /// The minimum SEE of a good capture, in centipawns.
    see_margin: i32,
    noisy_only: bool,
    moves: ArrayVec<Scored, MAX_MOVES>,
    /// The index in `moves` of the next move.
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
            moves: ArrayVec::new(),
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

    pub fn skip_quiets(&mut self) {
        self.noisy_only = true;
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

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
                    if let Some(scored) = self.select_best() {
                        let Scored { mv, score } = scored;
                        // A capture with a good history may lose a little material.
                        if board.see_ge(
                            mv,
                            self.see_margin - if self.noisy_only { 0 } else { score / good_noisy_divisor() },
                        ) {
                            return Some(mv);
                        }
                        self.moves[self.bad] = Scored { mv, score };
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
                    self.next = self.bad;
                    self.moves.truncate(self.bad);
                    if !self.noisy_only {
                        self.generate_quiet(board, histories);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if !self.noisy_only
                        && let Some(scored) = self.select_best()
                    {
                        return Some(scored.mv);
                    }
                    self.next = 0;
                    self.stage = Stage::BadNoisy;
                }
                Stage::BadNoisy => {
                    if self.next < self.bad {
                        self.next += 1;
                        return Some(self.moves[self.next - 1].mv);
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

    /// Removes the best of the remaining moves: a step of selection sort.
    fn select_best(&mut self) -> Option<Scored> {
        let mut best = self.next;
        let first = self.moves.get(best)?;
        let mut best_score = first.score;
        for (i, scored) in self.moves.iter().enumerate().skip(best + 1) {
            if scored.score > best_score {
                (best, best_score) = (i, scored.score);
            }
        }
        self.moves.swap(best, self.next);
        let Scored { mv, score } = self.moves[self.next];
        self.next += 1;
        Some(Scored { mv, score })
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
            self.moves.push(Scored { mv, score: 16 * gain + history * order_noisy() / 64 });
        }
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
                + i32::from(last[piece][to]) * order_cont1()
                + i32::from(own[piece][to]) * order_cont2()
                + i32::from(before[piece][to]) * order_cont4()
                + i32::from(sixth[piece][to]) * order_cont6()
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
            self.moves.push(Scored { mv, score });
        }
    }
}

/// The piece that moves and its destination.
#[inline]
pub fn piece_move(board: &Board, mv: Move) -> Option<PieceMove> {
    let kind = board.kind_on(mv.from())?;
    Some(PieceMove { piece: Piece { colour: board.side_to_move(), kind }, to: mv.to() })
}
