//! The search of one node: principal variation search with pruning, reductions and extensions, and quiescence search.
//!
//! The comments of `search_node` and `quiescence` number the steps in order. Names in quotes are pages of
//! chessprogramming.org; Elo figures are from matches of this engine when the technique was added or changed.
//! `bench/CHANGELOG.md` has their conditions and error bars.

use super::cycle::{has_upcoming_repetition, repetitions};
use super::hash::Entry;
use super::history::PieceMove;
use super::job::Bound;
use super::params::*;
use super::picker::{Hints, MovePicker, Stage, piece_move};
use super::worker::Worker;
use crate::board::Board;
use crate::eval::Source;
use crate::types::score::{DRAW, INFINITE, MATE_IN_MAX, MAX_EVAL, MAX_PLY, NO_VALUE, Value, mate_in, mated_in};
use crate::types::{Colour, Move, PieceType};
use arrayvec::ArrayVec;
use once_cell::sync::Lazy;
use std::sync::atomic::Ordering::Relaxed;

pub(super) trait Node {
    /// Whether this is a PV node: the window is not null.
    const PV: bool;
    const ROOT: bool;
}

pub(super) struct Root;
struct Pv;
struct NonPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// From this size of alpha on, in centipawns, pruning by evaluation is switched off. This also covers nodes whose alpha
/// is still -[`INFINITE`].
const DECIDED: Value = 2000;

/// From this halfmove clock on, hash values give no cutoffs in the main search: the fifty-move rule may change them.
const NEAR_FIFTY_MOVES: u16 = 90;

/// The depth of proven mates in the hash table, greater than that of any search.
pub(super) const PROVEN_DEPTH: i32 = 255;

/// 1024 ln x for depths and move numbers, in fixed point so that the node count of the bench is the same everywhere.
static LOGARITHMS: Lazy<[i32; 64]> = Lazy::new(|| std::array::from_fn(|x| if x == 0 { 0 } else { fixed_ln(x as u32) }));

/// The natural logarithm times 1024 in integer arithmetic: the harmonic sum with Euler's correction.
fn fixed_ln(x: u32) -> i32 {
    let scale: i64 = 1 << 30;
    let x = i64::from(x);
    let harmonic: i64 = (1..=x).map(|k| scale / k).sum();
    // H(x) = ln x + gamma + 1/2x - 1/12x^2 + ...
    let gamma = 619_774_861;
    ((harmonic - gamma - scale / (2 * x) + scale / (12 * x * x)) >> 20) as i32
}

/// The late move reduction by depth and move number, in 1/1024 of a ply, before adjustments.
fn base_reduction(depth: i32, move_count: i32) -> i32 {
    let ln = |x: i32| LOGARITHMS[x.clamp(0, 63) as usize];
    lmr_base() + lmr_factor() * (ln(depth) * ln(move_count) / 1024) / 1024
}

fn history_bonus(depth: i32) -> i32 {
    (bonus_factor() * depth - bonus_offset()).min(bonus_max())
}

impl Worker<'_> {
    /// Whether the fade towards the fifty-move rule and the correction histories apply to an evaluation.
    fn is_corrected(&self, source: Source) -> bool {
        source != Source::MopUp && !self.search.job.settings.plain_eval
    }

    /// The static evaluation, raw and corrected. The raw one depends on the position alone; `stored` has it from the
    /// hash table, or [`NO_VALUE`]. It is scaled down as the fifty-move rule approaches, then the correction histories
    /// and the evaluation error of a limited player are added; the first two not with
    /// [`Settings::plain_eval`](super::job::Settings::plain_eval).
    fn static_eval(&mut self, board: &Board, stored: Value, ply: usize) -> (Value, Value) {
        let source = self.evaluator.source(board);
        let raw = if stored == NO_VALUE { self.evaluator.evaluate(board, source) } else { stored };
        let mut eval = raw;
        if self.is_corrected(source) {
            eval = raw * (200 - Value::from(board.halfmove_clock()).min(100)) / 200;
            eval += self.histories.correction(board, self.last_moves(ply));
        }
        if let Some(strength) = self.search.strength {
            eval += strength.error_of(board.key(), self.search.persistent.seed.load(Relaxed));
        }
        (raw, eval.clamp(-MAX_EVAL + 1, MAX_EVAL - 1))
    }

    /// The raw static evaluation of a position that will be searched, or [`NO_VALUE`] in check. Its search finds it in
    /// the hash table and does not repeat it.
    fn raw_eval(&mut self, board: &Board, ply: usize) -> Value {
        if board.in_check() {
            return NO_VALUE;
        }
        let entry = self.probe_hash(board.key(), ply, board.halfmove_clock());
        let stored = entry.map_or(NO_VALUE, |entry| entry.eval);
        if stored != NO_VALUE {
            return stored;
        }
        let source = self.evaluator.source(board);
        let raw = self.evaluator.evaluate(board, source);
        if entry.is_none() {
            self.search.hash.store(board.key(), ply, Entry::eval_only(raw, false));
        }
        raw
    }

    /// The corrected evaluation of a node that is not searched: at the maximum ply, or when time is up.
    pub(super) fn leaf_eval(&mut self, board: &Board, ply: usize) -> Value {
        self.static_eval(board, NO_VALUE, ply).1
    }

    fn last_moves(&self, ply: usize) -> [Option<PieceMove>; 2] {
        [self.at(ply, -1).current, self.at(ply, -2).current]
    }

    /// Fetches the hash bucket of the position after a move.
    #[inline]
    fn prefetch(&self, board: &Board, mv: Move) {
        self.search.hash.prefetch(board.likely_key_after(mv));
    }

    /// Makes a move, calls `search` on the new position, and undoes the move. The caller prefetches its hash bucket.
    #[inline]
    fn with_move<T>(&mut self, board: &Board, mv: Move, ply: usize, search: impl FnOnce(&mut Self, &Board) -> T) -> T {
        let entry = self.at_mut(ply);
        entry.current = piece_move(board, mv);
        entry.quiet = (!board.is_noisy(mv)).then_some(mv);
        // Not `Board::after`: the compiler would copy the board a second time.
        let mut next = board.clone();
        next.make_move(mv);
        self.nodes += 1;
        self.keys.push(next.key());
        let result = search(self, &next);
        self.keys.pop();
        result
    }

    /// The hash entry of the position after a legal move. If it decides the position, the move need not be made. `None`
    /// if the value may depend on the moves before: near the fifty-move rule, or if a repetition is possible.
    #[inline]
    fn entry_after(&self, board: &Board, mv: Move, ply: usize) -> Option<Entry> {
        if board.halfmove_clock() >= NEAR_FIFTY_MOVES - 1 {
            return None;
        }
        let key = board.key_after(mv)?;
        let irreversible = board.is_irreversible(mv);
        let halfmoves = if irreversible { 0 } else { board.halfmove_clock() + 1 };
        let entry = self.probe_hash(key, ply + 1, halfmoves)?;
        if irreversible {
            return Some(entry);
        }
        let repeats = repetitions(key, &self.keys[self.repetition_start..], halfmoves.into()).next().is_some();
        // From the third ply on, the opponent may be able to repeat a position, which is better than a negative value.
        (!repeats && (halfmoves < 3 || entry.value >= DRAW)).then_some(entry)
    }

    /// The principal variation search of a node. `cut_node`: a null-window node that is expected to fail high. At the
    /// root it also updates the values and lines of the root moves.
    pub(super) fn search_node<N: Node>(
        &mut self,
        board: &Board,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Value {
        // Step 1. Horizon and limits. At depth 0 quiescence search takes over. Once a limit is reached, every value
        // returned is meaningless and discarded by the caller.
        if depth <= 0 {
            return self.quiescence::<N>(board, alpha, beta, ply);
        }
        self.pv_table[ply].clear();
        if self.check_limits() {
            return DRAW;
        }
        let in_check = board.in_check();
        self.seldepth = self.seldepth.max(ply + 1);
        if !N::ROOT {
            // Step 2. Draw detection, endgame tables, maximum ply. The root must return a move and skips these.
            if self.is_draw(board, ply) {
                return DRAW;
            }
            if let Some(value) = self.probe_tables(board, ply, depth) {
                return value;
            }
            if ply >= MAX_PLY - 1 {
                return if in_check { DRAW } else { self.leaf_eval(board, ply) };
            }

            // Step 3. Mate distance pruning ("Mate Distance Pruning"). No value from here is better than mate by the
            // next move, or worse than being mated now. An earlier, shorter mate makes this node irrelevant.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }

            // Step 4. Upcoming repetition (van Kervinck 2013, see `cycle`). A side that can repeat a
            // position by its next move has at least a draw. This sees the draw a ply before it is on the board.
            if alpha < DRAW && has_upcoming_repetition(board, &self.keys[self.repetition_start..], ply) {
                alpha = DRAW;
                if alpha >= beta {
                    return alpha;
                }
            }
        }

        // Step 5. Hash table lookup (Greenblatt et al. 1967; "Transposition Table"). An entry of sufficient
        // depth and fitting bound gives a cutoff at non-PV nodes. Near the fifty-move rule the same position may have
        // another value. The search without the excluded move (step 15) is a different node and gets no cutoff.
        let us = board.side_to_move();
        let excluded = self.at(ply, 0).excluded;
        let key = board.key();
        let entry = self.probe_hash(key, ply, board.halfmove_clock());
        let hash_move = if N::ROOT { Some(self.root_moves[self.pv_index].pv[0]) } else { entry.and_then(|e| e.mv) };
        let hash_pv = N::PV || entry.is_some_and(|e| e.pv);

        // Mates proven by the mate finder count at PV nodes, too: the remaining depth may be too small to find them
        // again.
        let usable = entry.filter(|_| excluded.is_none() && board.halfmove_clock() < NEAR_FIFTY_MOVES);
        let proven = usable.filter(|e| !N::ROOT && e.depth >= PROVEN_DEPTH && e.value.abs() >= MATE_IN_MAX);
        if let Some(entry) = if N::PV { proven } else { usable.filter(|e| e.depth >= depth) }
            && bound_allows(&entry, alpha, beta)
        {
            return entry.value;
        }
        let mut lower_bound = -INFINITE;
        if N::PV
            && let Some(proven) = proven
        {
            match proven.bound {
                Some(Bound::Lower) => {
                    lower_bound = proven.value;
                    alpha = alpha.max(lower_bound);
                }
                _ => beta = beta.min(proven.value),
            }
        }

        if let Some(mv) = hash_move {
            self.prefetch(board, mv);
        }

        // Step 6. Static evaluation. `raw` is the evaluation before corrections, as stored in the hash table; `eval`
        // has the corrections ("Static Evaluation Correction History"); `estimate` is the hash value where its bound
        // makes it the better estimate.
        let raw;
        let eval;
        let mut estimate = NO_VALUE;
        if in_check {
            raw = NO_VALUE;
            eval = NO_VALUE;
        } else if excluded.is_some() {
            raw = NO_VALUE;
            eval = self.at(ply, 0).eval;
            estimate = eval;
        } else {
            (raw, eval) = self.static_eval(board, entry.map_or(NO_VALUE, |e| e.eval), ply);
            estimate = eval;
            if let Some(entry) = entry
                && entry.value != NO_VALUE
                && bound_allows(&entry, eval, eval + 1)
            {
                estimate = entry.value;
            }
        }
        self.at_mut(ply).eval = eval;
        self.at_mut(ply + 1).cutoffs = 0;
        self.at_mut(ply + 1).killers = [None; 2];
        // Improving: the evaluation has risen since our previous turn, or the one before if that was in check, or is
        // above beta anyway. Then prune and reduce less.
        let before = [self.at(ply, -2).eval, self.at(ply, -4).eval].into_iter().find(|&e| e != NO_VALUE);
        let improving = !in_check && (eval >= beta || before.is_some_and(|before| eval > before));
        let prior_eval = self.at(ply, -1).eval;
        let correction = if in_check || excluded.is_some() { 0 } else { (eval - raw).abs() };

        // Step 7. History update by evaluation difference, as in Stockfish. If the evaluation rose for us after the
        // opponent's quiet move, that move was bad; if it fell, the move was good. +46 Elo.
        if !in_check && excluded.is_none() && prior_eval != NO_VALUE {
            let bonus =
                (evaldiff_base() - (prior_eval + eval) * evaldiff_factor() / 16).clamp(-evaldiff_max(), evaldiff_max());
            self.update_prior_move(us, ply, bonus, bonus * evaldiff_continuation() / 64);
        }

        // In a decided game the only thing left to find is the mate, which margins of the evaluation hide.
        let decided = alpha.abs() >= DECIDED;
        let may_prune = !N::PV && !in_check && excluded.is_none() && !decided;

        // Step 8. Reverse futility pruning ("Reverse Futility Pruning"). If the evaluation is so far above beta that
        // the opponent is unlikely to make it up in the remaining depth, assume a fail high. The margin is smaller when
        // improving, and larger where the corrections are large and the evaluation is unreliable.
        if may_prune
            && depth <= rfp_depth()
            && estimate < MATE_IN_MAX
            && beta > -MATE_IN_MAX
            && estimate - rfp_margin() * (depth - i32::from(improving)) - correction * rfp_correction() / 64 >= beta
        {
            let value = (estimate + beta) / 2;
            // Later visits find the cutoff before they make the move (step 17): +39 Elo at 4,000 nodes.
            if entry.is_none_or(|e| e.depth < depth) {
                let entry = Entry { mv: hash_move, value, eval: raw, depth, bound: Some(Bound::Lower), pv: hash_pv };
                self.search.hash.store(key, ply, entry);
            }
            return value;
        }
        if entry.is_none() && !in_check && excluded.is_none() {
            self.search.hash.store(key, ply, Entry::eval_only(raw, hash_pv));
        }
        if may_prune {
            // Step 9. Razoring (after Birmingham and Kent 1977; "Razoring"). If the evaluation is far below alpha at
            // low depth, quiescence search verifies that no capture helps.
            if depth <= razor_depth() && estimate + razor_base() + razor_margin() * depth <= alpha {
                let value = self.quiescence::<NonPv>(board, alpha, alpha + 1, ply);
                if value <= alpha {
                    return value;
                }
            }

            // Step 10. Null move pruning (Donninger 1993; see `null_move`).
            if let Some(value) = self.null_move(board, beta, depth, ply, estimate, cut_node) {
                return value;
            }
        }

        // Step 11. Internal iterative reduction (Schröder 2020; "Internal Iterative Reductions"). Without a hash move
        // the move ordering is poor. A shallower search is cheaper and stores a hash move for the next visit.
        if depth >= iir_depth() && hash_move.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        // Step 12. ProbCut (see `probcut`), unless the hash value is below the raised beta. +22 Elo.
        let probcut_margin = probcut_margin() - probcut_improving() * i32::from(improving);
        if !N::PV
            && !in_check
            && excluded.is_none()
            && depth >= probcut_depth()
            && beta.abs() < MATE_IN_MAX
            && entry.is_none_or(|e| e.value == NO_VALUE || e.value >= beta + probcut_margin)
        {
            let entry = Entry { mv: hash_move, value: NO_VALUE, eval: raw, depth, bound: None, pv: hash_pv };
            if let Some(value) = self.probcut(board, beta, probcut_margin, ply, cut_node, entry) {
                return value;
            }
        }

        // The search was stopped in null move or ProbCut: its results are meaningless.
        if self.stopped {
            return DRAW;
        }

        // Step 13. Move loop. The picker returns the moves in stages, the most promising first: hash move, good
        // captures, killers, counter move, quiet moves by history, bad captures. Without killers: -18 Elo.
        let earlier = [-1, -2, -4, -6].map(|offset| self.at(ply, offset).current);
        let threats = self.evaluator.threats_of(!us, board);
        self.at_mut(ply).threats = threats.all;
        let hints = Hints {
            hash_move,
            killers: self.at(ply, 0).killers,
            counter: self.histories.counter_move(earlier[0]),
            threats,
            earlier,
        };
        let mut picker = MovePicker::new(board, hints);
        let mut best = -INFINITE;
        let mut best_move = None;
        let original_alpha = alpha;
        let mut move_count = 0;
        let mut alpha_raises = 0;
        let mut quiets: ArrayVec<Move, 64> = ArrayVec::new();
        let mut captures: ArrayVec<Move, 32> = ArrayVec::new();
        let hash_move_is_noisy = hash_move.is_some_and(|mv| board.is_noisy(mv));
        let is_zugzwang_safe = board.has_pieces(us) || board.has_two_kings(us);
        // With at most three men, giving away the last piece may force stalemate: SEE must not prune it.
        let may_seek_stalemate = board.colour(us).count() <= 3;

        while let Some(mv) = picker.next(board, &self.histories) {
            if Some(mv) == excluded || N::ROOT && !self.is_root_candidate(mv) {
                continue;
            }
            move_count += 1;
            // Prefetch now: loading the bucket takes longer than the pruning below.
            self.prefetch(board, mv);
            if let Some(upcoming) = picker.upcoming() {
                self.prefetch(board, upcoming);
            }
            if N::ROOT {
                self.report_current_move(mv, move_count as usize);
            }
            let is_noisy = board.is_noisy(mv);
            let Some(current) = piece_move(board, mv) else { continue };
            let history = if is_noisy {
                self.histories.capture(threats.all, current, board.captured(mv))
            } else {
                self.histories.quiet(us, threats.all, mv)
                    + self.histories.continuation(earlier[0], current)
                    + self.histories.continuation(earlier[1], current)
            };
            let mut reduction = base_reduction(depth, move_count);

            // Step 14. Pruning of moves, also at PV nodes, once the best score is not a mate against us. Not where
            // zugzwang is likely, since then every quiet move may look bad, and not in a decided game.
            if !N::ROOT && best > -MATE_IN_MAX && is_zugzwang_safe && !decided {
                // The depth that the move would be searched to after its reduction.
                let lmr_depth = (depth - reduction / 1024 + history / lmr_history()).max(0);
                // A check that loses no material is pruned by none of these.
                let is_safe_check = || board.gives_check(mv) && board.see_ge(mv, 0);
                if !is_noisy {
                    // Late move pruning ("Futility Pruning", move count based). With good ordering, the late quiet
                    // moves hardly ever raise alpha. A mistake at a PV node costs most: prune later there.
                    if move_count
                        >= (lmp_base() + lmp_factor() * depth * depth / 16) / (2 - i32::from(improving || N::PV))
                        && !is_safe_check()
                    {
                        picker.skip_quiets();
                        continue;
                    }
                    // History pruning ("History Leaf Pruning"). Skip quiet moves with a bad history.
                    if depth <= history_depth() && history < -history_margin() * depth && !is_safe_check() {
                        continue;
                    }
                    // Futility pruning (Schaeffer 1986, Heinz 1998; "Futility Pruning"). If the static
                    // evaluation is far below alpha, a quiet move is unlikely to raise alpha.
                    if !in_check
                        && lmr_depth <= futility_depth()
                        && eval + futility_base() + futility_margin() * lmr_depth + history / futility_history()
                            <= alpha
                        && !is_safe_check()
                    {
                        picker.skip_quiets();
                        continue;
                    }
                    // SEE pruning ("Static Exchange Evaluation"). Skip quiet moves that lose material. The margin
                    // grows with the square of the depth.
                    if !may_seek_stalemate && !board.see_ge(mv, -see_quiet() * lmr_depth * lmr_depth) {
                        continue;
                    }
                } else {
                    // Futility pruning of captures: not even the captured piece makes up for the evaluation.
                    if !in_check
                        && lmr_depth <= capture_futility_depth()
                        && mv.promoted().is_none()
                        && eval
                            + capture_futility_base()
                            + capture_futility_margin() * lmr_depth
                            + board.captured(mv).map_or(0, PieceType::exchange_value)
                            + history / capture_futility_history()
                            <= alpha
                        && !is_safe_check()
                    {
                        continue;
                    }
                    // SEE pruning of bad captures and promotions.
                    if !may_seek_stalemate
                        && picker.stage() >= Stage::BadNoisy
                        && !board.see_ge(mv, -see_noisy() * depth - history / see_history())
                    {
                        continue;
                    }
                }
            }

            // Step 15. Singular extensions (Anantharaman, Campbell and Hsu 1988; see `singular_extension`) for the hash
            // move. The bound on `ply` keeps the extended tree finite.
            let mut extension = 0;
            if !N::ROOT
                && depth >= singular_depth()
                && Some(mv) == hash_move
                && excluded.is_none()
                && ply < 2 * self.root_depth as usize
            {
                match self.singular_extension(board, entry, beta, depth, ply, cut_node, N::PV) {
                    Singularity::Extension(plies) => extension = plies,
                    Singularity::Cutoff(value) => return value,
                }
                if self.stopped {
                    return DRAW;
                }
            }

            // Step 16. Late move reductions ("Late Move Reductions"). Late moves get a null-window search of reduced
            // depth; a negative reduction extends by one ply. If one raises alpha, it is searched again at about full
            // depth. A quiet move after which the evaluation rises is reduced less, and one after which it falls more.
            let new_depth = depth - 1 + extension;
            let is_late = depth >= 2 && move_count > 1 + i32::from(N::ROOT);
            if is_late {
                if is_noisy {
                    reduction = reduction * lmr_noisy() / 1024;
                }
                reduction -= history * 1024 / lmr_history();
                reduction += lmr_cut_node() * i32::from(cut_node);
                reduction += lmr_not_improving() * i32::from(!improving && !in_check);
                reduction += lmr_noisy_hash_move() * i32::from(hash_move_is_noisy);
                reduction -= lmr_hash_pv() * i32::from(hash_pv) + lmr_pv() * i32::from(N::PV);
                reduction -= lmr_in_check() * i32::from(in_check);
                reduction -= lmr_refutation() * i32::from(picker.stage() <= Stage::Killers);
                reduction -= correction * lmr_correction() / 16;
                reduction += lmr_cutoffs() * i32::from(self.at(ply, 1).cutoffs > lmr_cutoff_count());
                reduction += lmr_alpha_raise() * alpha_raises.min(4);
            }
            // `next` is the raw evaluation after the move, from the opponent's view. Only positions in check have none.
            let reduced_depth = |next: Value| {
                let mut reduction = reduction;
                if next == NO_VALUE {
                    reduction -= lmr_gives_check();
                } else if !is_noisy && raw != NO_VALUE {
                    let rise = -next - raw + lmr_rise_offset();
                    reduction -= rise.clamp(-lmr_rise_max(), lmr_rise_max()) * lmr_rise() / 16;
                }
                (new_depth - reduction / 1024).clamp(1, (new_depth + 1).max(1))
            };

            // Step 17. Hash table lookup before the move is made, which saves the node if the entry decides it.
            let needs_line = N::ROOT || N::PV && move_count == 1;
            let known = if needs_line { None } else { self.entry_after(board, mv, ply) };
            let known = known.filter(|entry| {
                let is_deep_enough = match (-entry.value <= alpha, is_late) {
                    (true, true) => entry.depth >= reduced_depth(entry.eval),
                    (true, false) => entry.depth >= new_depth,
                    (false, _) => !N::PV && entry.depth >= new_depth + i32::from(is_late),
                };
                is_deep_enough && bound_allows(entry, -alpha - 1, -alpha)
            });

            let nodes_before = self.nodes;
            self.at_mut(ply).move_count = move_count;
            let search_move = |this: &mut Self, next: &Board| {
                let mut value = -INFINITE;
                if is_late {
                    let reduced_depth = reduced_depth(this.raw_eval(next, ply + 1));
                    value = -this.search_node::<NonPv>(next, -alpha - 1, -alpha, reduced_depth, ply + 1, true);
                    if value > alpha && reduced_depth < new_depth {
                        // One ply deeper if clearly better than the best move after a reduction of two plies or
                        // more, one ply shallower if barely better.
                        let is_much_better = value > best + deeper_margin() + 2 * new_depth;
                        let full_depth = new_depth + i32::from(is_much_better && reduced_depth + 1 < new_depth)
                            - i32::from(value < best + new_depth);
                        if reduced_depth < full_depth {
                            value =
                                -this.search_node::<NonPv>(next, -alpha - 1, -alpha, full_depth, ply + 1, !cut_node);
                        }
                        if !is_noisy && (value <= alpha || value >= beta) {
                            let bonus = history_bonus(full_depth) * lmr_history_bonus() / 1024;
                            let bonus = if value >= beta { bonus } else { -bonus };
                            this.histories.update_continuation(earlier[0], current, bonus);
                            this.histories.update_continuation(earlier[1], current, bonus);
                        }
                    }
                } else if !N::PV || move_count > 1 {
                    // Without a reduction: a null-window search of full depth, or a ply less at an expected cut node
                    // without a hash move, whose first move is a guess.
                    let is_guess = cut_node && hash_move.is_none() && depth >= 3 && !decided;
                    let full_depth = new_depth - i32::from(is_guess);
                    value = -this.search_node::<NonPv>(next, -alpha - 1, -alpha, full_depth, ply + 1, !cut_node);
                }

                // Step 18. Principal variation search (Marsland and Campbell 1982; "Principal Variation Search"). At PV
                // nodes the first move, and every move that beats alpha in the null window, gets the full window.
                if N::PV && (move_count == 1 || value > alpha) {
                    value = -this.search_node::<Pv>(next, -beta, -alpha, new_depth, ply + 1, false);
                }
                value
            };
            let value = match known {
                Some(entry) => -entry.value,
                None => self.with_move(board, mv, ply, search_move),
            };
            if self.stopped {
                return DRAW;
            }

            // Step 19. Update the root move, the best move, the principal variation and alpha.
            if N::ROOT {
                self.update_root_move(mv, value, move_count, alpha, beta, nodes_before);
            }

            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.update_pv(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                    alpha_raises += 1;
                }
            }
            // The moves that failed get a malus if another one causes a cutoff.
            if Some(mv) != best_move {
                let _ = if is_noisy { captures.try_push(mv) } else { quiets.try_push(mv) };
            }
        }

        // Step 20. Mate and stalemate: there was no legal move, or only the excluded one.
        if move_count == 0 {
            return if excluded.is_some() {
                alpha
            } else if in_check {
                mated_in(ply)
            } else {
                DRAW
            };
        }
        if best < lower_bound {
            // Nothing better than the proven mate was found.
            if let Some(mv) = hash_move.filter(|&mv| board.is_legal(mv)) {
                self.pv_table[ply].clear();
                self.pv_table[ply].push(mv);
            }
            return lower_bound;
        }

        // Step 21. Histories. A move that causes a cutoff gets a bonus, those searched before it a malus ("History
        // Heuristic"; see `update_histories`). If all moves failed low, the opponent's quiet move was good: +23 Elo.
        if best >= beta
            && let Some(mv) = best_move
        {
            self.at_mut(ply).cutoffs += 1;
            self.update_histories(board, mv, &quiets, &captures, depth, ply, &hints);
        } else if best_move.is_none() {
            // The later the move was ordered, the less it was expected to be good.
            let count = self.at(ply, -1).move_count.min(10);
            let bonus = history_bonus(depth) * prior_factor() / 1024 * (prior_count_base() + count) / 8;
            self.update_prior_move(us, ply, bonus, bonus);
        }

        // Step 22. Store the result in the hash table and learn the error of the evaluation ("Static Evaluation
        // Correction History"). Not for the search without the excluded move, for later lines of MultiPV, nor over a
        // proven mate. Noisy best moves, and bounds on the wrong side of the evaluation, say nothing about its error.
        let bound = if best >= beta {
            Bound::Lower
        } else if best > original_alpha && N::PV {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if excluded.is_none() && !(N::ROOT && self.pv_index > 0) && !(N::PV && proven.is_some()) {
            let entry = Entry { mv: best_move, value: best, eval: raw, depth, bound: Some(bound), pv: hash_pv };
            self.search.hash.store(key, ply, entry);
            let fits = match bound {
                Bound::Lower => best > eval,
                Bound::Upper => best < eval,
                Bound::Exact => true,
            };
            let says_much = !in_check && fits && best.abs() < MATE_IN_MAX;
            if says_much
                && best_move.is_none_or(|mv| !board.is_noisy(mv))
                && self.is_corrected(self.evaluator.source(board))
            {
                let moves = self.last_moves(ply);
                self.histories.update_correction(board, moves, depth, best - eval);
            }
        }
        best
    }

    /// Null move pruning (Beal 1989, Goetsch and Campbell 1990, Donninger 1993; "Null Move Pruning"): if the position
    /// is still above beta after the opponent gets a free move, a real move will be better still. Not where zugzwang is
    /// likely, nor while one of two kings is attacked (+8 Elo): it could be taken. High depths are verified by a search
    /// without null moves. As in Stockfish, a null move does not count as a node.
    fn null_move(
        &mut self,
        board: &Board,
        beta: Value,
        depth: i32,
        ply: usize,
        estimate: Value,
        cut_node: bool,
    ) -> Option<Value> {
        let us = board.side_to_move();
        let eval = self.at(ply, 0).eval;
        if depth < null_depth()
            || estimate < beta
            || eval + null_slope() * depth < beta + null_margin()
            || beta <= -MATE_IN_MAX
            || ply < self.null_move_min_ply
            || self.at(ply, -1).current.is_none()
            || !board.has_pieces(us)
            || board.attacked_kings().nonempty()
        {
            return None;
        }
        // If the evaluation has risen, too, a fail high is likely and a shallow search enough.
        let before = self.at(ply, -2).eval;
        let has_risen = before != NO_VALUE && eval > before;
        let reduction =
            null_base() + i32::from(has_risen) + depth / null_divisor() + ((estimate - beta) / null_eval()).min(3);
        let mut next = board.clone();
        next.make_null_move();
        self.search.hash.prefetch(next.key());
        let entry = self.at_mut(ply);
        (entry.current, entry.quiet) = (None, None);
        self.keys.push(next.key());
        let start = std::mem::replace(&mut self.repetition_start, self.keys.len() - 1);
        let mut value = -self.search_node::<NonPv>(&next, -beta, -beta + 1, depth - reduction, ply + 1, !cut_node);
        self.repetition_start = start;
        self.keys.pop();
        if self.stopped || value < beta {
            return None;
        }
        // Neither a mate nor a win by the tables is proven by a null move.
        if value >= MAX_EVAL {
            value = beta;
        }
        // Outside a verification search, verify at high depth, where a wrong cutoff costs most, and with at most one
        // piece besides kings and pawns, where zugzwang is common.
        let few_pieces = !(board.colour(us) & !board.pawns() & !board.kind(PieceType::King)).many();
        if self.null_move_min_ply > 0 || depth < null_verify_depth() && !few_pieces {
            return Some(value);
        }
        self.null_move_min_ply = ply + 3 * (depth - reduction).max(0) as usize / 4 + 1;
        let verified = self.search_node::<NonPv>(board, beta - 1, beta, depth - reduction, ply, false);
        self.null_move_min_ply = 0;
        (verified >= beta).then_some(value)
    }

    /// ProbCut (after Buro 1995; "ProbCut"): if a capture beats beta by a margin in a shallow search, a full search is
    /// likely to beat beta, too. Returns the value less the margin.
    ///
    /// `node` has the hash move, the raw evaluation, the depth and the PV flag of the node; if ProbCut succeeds, it is
    /// stored with the move and its value.
    fn probcut(
        &mut self,
        board: &Board,
        beta: Value,
        margin: Value,
        ply: usize,
        cut_node: bool,
        node: Entry,
    ) -> Option<Value> {
        const REDUCTION: i32 = 4;
        let probcut_beta = beta + margin;
        let gain = probcut_beta - self.at(ply, 0).eval;
        let mut picker = MovePicker::noisy(board, Hints { hash_move: node.mv, ..Hints::default() }, gain);
        while let Some(mv) = picker.next(board, &self.histories) {
            // The picker does not test the hash move.
            if !board.see_ge(mv, gain) {
                continue;
            }
            // Making the move takes about as long as fetching the bucket from memory.
            self.prefetch(board, mv);
            let depth = node.depth - REDUCTION;
            let value = self.with_move(board, mv, ply, |this, next| {
                let (alpha, beta) = (-probcut_beta, -probcut_beta + 1);
                // Quiescence search first: it refutes most of the captures cheaply.
                let mut value = -this.quiescence::<NonPv>(next, alpha, beta, ply + 1);
                if value >= probcut_beta && depth > 0 {
                    value = -this.search_node::<NonPv>(next, alpha, beta, depth, ply + 1, !cut_node);
                }
                value
            });
            if self.stopped {
                return None;
            }
            if value >= probcut_beta {
                let entry = Entry { mv: Some(mv), value, depth: depth + 1, bound: Some(Bound::Lower), ..node };
                self.search.hash.store(board.key(), ply, entry);
                return Some(if value < MATE_IN_MAX { value - margin } else { value });
            }
        }
        None
    }

    /// Singular extension (Anantharaman, Campbell and Hsu 1988; "Singular Extensions", restricted to the hash move). A
    /// reduced search excludes the hash move. If all other moves fail low by a margin, the hash move is singular and
    /// extended: by one ply, by two or three (+12 Elo for the third) if they fail by far. If even the others reach
    /// beta, the node is cut off (a form of "Multi-Cut", Björnsson and Marsland 1998). Otherwise the hash move may be
    /// reduced.
    #[allow(clippy::too_many_arguments)]
    fn singular_extension(
        &mut self,
        board: &Board,
        entry: Option<Entry>,
        beta: Value,
        depth: i32,
        ply: usize,
        cut_node: bool,
        pv: bool,
    ) -> Singularity {
        let Some(entry) = entry else { return Singularity::Extension(0) };
        if entry.depth < depth - 3
            || !matches!(entry.bound, Some(Bound::Lower | Bound::Exact))
            || entry.value.abs() >= MATE_IN_MAX
        {
            return Singularity::Extension(0);
        }
        let singular_beta = entry.value - depth * singular_margin() / 16;
        self.at_mut(ply).excluded = entry.mv;
        let value = self.search_node::<NonPv>(board, singular_beta - 1, singular_beta, (depth - 1) / 2, ply, cut_node);
        self.at_mut(ply).excluded = None;
        if self.stopped {
            return Singularity::Extension(0);
        }
        if value < singular_beta {
            let double = !pv && value < singular_beta - double_margin();
            let triple = !pv && value < singular_beta - triple_margin();
            return Singularity::Extension(1 + i32::from(double) + i32::from(triple));
        }
        if singular_beta >= beta {
            // The value is from a reduced search: closer to beta, the lower the depth.
            let is_mate = beta.abs() >= MATE_IN_MAX;
            let value = if is_mate { singular_beta } else { (singular_beta * depth + beta) / (depth + 1) };
            return Singularity::Cutoff(value);
        }
        Singularity::Extension(if entry.value >= beta || cut_node { -2 } else { 0 })
    }

    /// Updates the histories after a cutoff: a bonus for the best move, a malus for the captures and, if it is quiet,
    /// the quiet moves searched before it ("History Heuristic", Schaeffer 1983). The more of those, the larger the
    /// bonus. A quiet best move also becomes a killer ("Killer Heuristic") and the counter move of the opponent's move
    /// ("Countermove Heuristic", Uiterwijk 1992). History by pawn structure: +18 Elo.
    #[allow(clippy::too_many_arguments)]
    fn update_histories(
        &mut self,
        board: &Board,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
        depth: i32,
        ply: usize,
        hints: &Hints,
    ) {
        let us = board.side_to_move();
        let bonus = history_bonus(depth) * (bonus_count_base() + quiets.len().min(12) as i32) / 16;
        let Hints { threats, earlier, .. } = *hints;
        let Some(current) = piece_move(board, best) else { return };
        if board.is_noisy(best) {
            self.histories.update_capture(threats.all, current, board.captured(best), bonus);
        } else {
            let killers = &mut self.at_mut(ply).killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.histories.set_counter_move(earlier[0], best);
            // What happened long before a check says little about the evasion.
            let earlier = if board.in_check() { &earlier[..2] } else { &earlier[..] };
            let mut update = |mv: Move, bonus: i32| {
                self.histories.update_quiet(us, threats.all, mv, bonus);
                if let Some(current) = piece_move(board, mv) {
                    self.histories.update_by_pawns(board, current, bonus);
                    for &earlier in earlier {
                        self.histories.update_continuation(earlier, current, bonus);
                    }
                }
            };
            update(best, bonus);
            let malus = (malus_factor() * depth - malus_offset()).min(malus_max());
            for &mv in quiets {
                update(mv, -malus);
            }
        }
        let capture_malus = bonus * capture_malus() / 1024;
        for &mv in captures {
            if let Some(current) = piece_move(board, mv) {
                self.histories.update_capture(threats.all, current, board.captured(mv), -capture_malus);
            }
        }
    }

    /// Updates the butterfly and continuation histories of the opponent's last move, if it was quiet.
    fn update_prior_move(&mut self, us: Colour, ply: usize, bonus: i32, continuation_bonus: i32) {
        let prior = self.at(ply, -1);
        let threats = prior.threats;
        let (Some(quiet), Some(current)) = (prior.quiet, prior.current) else { return };
        self.histories.update_quiet(!us, threats, quiet, bonus);
        let before = self.at(ply, -2).current;
        self.histories.update_continuation(before, current, continuation_bonus);
    }

    fn update_root_move(
        &mut self,
        mv: Move,
        value: Value,
        move_count: i32,
        alpha: Value,
        beta: Value,
        nodes_before: u64,
    ) {
        let nodes = self.nodes - nodes_before;
        let root_depth = self.root_depth as u32;
        let seldepth = self.seldepth as u32;
        let line = self.pv_table[1].clone();
        if move_count == 1 {
            // Values from a search with another window must not be compared with new ones.
            let pv_index = self.pv_index;
            self.root_moves[pv_index..].iter_mut().for_each(|m| m.value = -INFINITE);
        }
        let Some(root_move) = self.root_moves.iter_mut().find(|m| m.mv == mv) else { return };
        root_move.nodes += nodes;
        if move_count == 1 || value > alpha {
            root_move.value = value;
            root_move.depth = root_depth;
            root_move.seldepth = seldepth;
            root_move.bound = if value <= alpha {
                Bound::Upper
            } else if value >= beta {
                Bound::Lower
            } else {
                Bound::Exact
            };
            // A move that failed low has no new line: keep the old one.
            if value > alpha || root_move.pv.len() < 2 {
                let mut pv = Vec::with_capacity(line.len() + 1);
                pv.push(mv);
                pv.extend_from_slice(&line);
                let before = std::mem::replace(&mut root_move.pv, pv);
                root_move.previous_pv.get_or_insert(before);
            }
        }
    }

    /// Quiescence search ("Quiescence Search"): searches captures and promotions, and all moves when in check, until
    /// the position is quiet enough for the static evaluation. Searching quiet checks gained nothing measurable.
    fn quiescence<N: Node>(&mut self, board: &Board, mut alpha: Value, beta: Value, ply: usize) -> Value {
        // Step 1. Limits, draw detection, endgame tables, maximum ply, upcoming repetition: as in `search_node`.
        // Stalemate is looked for only where it is likely.
        self.pv_table[ply].clear();
        if self.check_limits() {
            return DRAW;
        }
        self.seldepth = self.seldepth.max(ply + 1);
        if self.is_draw(board, ply) {
            return DRAW;
        }
        if let Some(value) = self.probe_tables(board, ply, 0) {
            return value;
        }
        let in_check = board.in_check();
        if !in_check && !board.has_pieces(board.side_to_move()) && !board.has_legal_move() {
            return DRAW;
        }
        if ply >= MAX_PLY - 1 {
            return if in_check { DRAW } else { self.leaf_eval(board, ply) };
        }
        if alpha < DRAW && has_upcoming_repetition(board, &self.keys[self.repetition_start..], ply) {
            alpha = DRAW;
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 2. Hash table lookup. An entry of any depth is deep enough.
        let key = board.key();
        let entry = self.probe_hash(key, ply, board.halfmove_clock());
        let hash_pv = N::PV || entry.is_some_and(|e| e.pv);
        if let Some(entry) = entry
            && !N::PV
            && bound_allows(&entry, alpha, beta)
        {
            return entry.value;
        }

        // Step 3. Stand pat ("Quiescence Search"). The side to move need not capture, so the static evaluation is a
        // lower bound, unless it is in check.
        let mut best = -INFINITE;
        let mut raw = NO_VALUE;
        let mut futility = -INFINITE;
        if !in_check {
            (raw, best) = self.static_eval(board, entry.map_or(NO_VALUE, |e| e.eval), ply);
            // At PV nodes, no mate score from the table: its line is unknown.
            if let Some(entry) = entry
                && bound_allows(&entry, best, best + 1)
                && (!N::PV || entry.value.abs() < MATE_IN_MAX)
            {
                best = entry.value;
            }
            if best >= beta {
                if entry.is_none() {
                    let bound = Some(Bound::Lower);
                    let stand_pat = Entry { mv: None, value: best, eval: raw, depth: 0, bound, pv: hash_pv };
                    self.search.hash.store(key, ply, stand_pat);
                }
                return best;
            }
            alpha = alpha.max(best);
            futility = best + qs_futility();
        }

        // Step 4. Move loop: captures and promotions, or all moves when in check.
        let hints = Hints {
            hash_move: entry.and_then(|e| e.mv),
            earlier: [self.at(ply, -1).current, self.at(ply, -2).current, None, None],
            ..Hints::default()
        };
        let mut picker = if in_check { MovePicker::new(board, hints) } else { MovePicker::noisy(board, hints, 0) };
        let mut best_move = None;
        let mut move_count = 0;
        let mut quiet_evasions = 0;
        let last_to = self.at(ply, -1).current.map(|last| last.to);
        while let Some(mv) = picker.next(board, &self.histories) {
            move_count += 1;
            self.prefetch(board, mv);
            // Step 5. Pruning, once the best score is not a mate against us.
            if best > -MATE_IN_MAX {
                // Once an evasion avoids mate, search only a few more quiet ones.
                if in_check && !board.is_noisy(mv) {
                    quiet_evasions += 1;
                    if quiet_evasions > qs_evasions() {
                        picker.skip_quiets();
                        continue;
                    }
                }
                if !in_check && mv.promoted().is_none() {
                    // The best captures come first: skip all but the first few and those on the square of the last
                    // move.
                    if move_count > qs_captures() && alpha.abs() < DECIDED && last_to != Some(mv.to()) {
                        continue;
                    }
                    // Delta pruning ("Delta Pruning"): not even the captured piece reaches alpha.
                    let gain = board.captured(mv).map_or(0, PieceType::exchange_value);
                    if futility + gain <= alpha {
                        best = best.max(futility + gain);
                        continue;
                    }
                }
                // Skip captures with a bad SEE if even the margin does not reach alpha.
                if !in_check && futility <= alpha && !board.see_ge(mv, qs_see()) {
                    best = best.max(futility);
                    continue;
                }
            }

            // Step 6. Make the move, unless the hash table decides the position after it, search, and update the best
            // move and alpha.
            let known = if N::PV { None } else { self.entry_after(board, mv, ply) };
            let value = match known.filter(|entry| bound_allows(entry, -beta, -alpha)) {
                Some(entry) => -entry.value,
                None => {
                    self.with_move(board, mv, ply, |this, next| -this.quiescence::<N>(next, -beta, -alpha, ply + 1))
                }
            };
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.update_pv(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }

        // Step 7. Checkmate: all evasions were generated.
        if in_check && move_count == 0 {
            return mated_in(ply);
        }

        // Step 8. Store the result at depth 0. The value is never exact, since not all moves were searched.
        let bound = Some(if best >= beta { Bound::Lower } else { Bound::Upper });
        let entry = Entry { mv: best_move, value: best, eval: raw, depth: 0, bound, pv: hash_pv };
        self.search.hash.store(key, ply, entry);
        best
    }
}

enum Singularity {
    /// Extend the hash move by this number of plies; reduce it if negative.
    Extension(i32),
    /// Cut the node off with this value.
    Cutoff(Value),
}

/// Whether the bound of an entry decides a window: its value is at least beta, at most alpha, or exact.
fn bound_allows(entry: &Entry, alpha: Value, beta: Value) -> bool {
    entry.value != NO_VALUE
        && match entry.bound {
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => entry.value >= beta,
            Some(Bound::Upper) => entry.value <= alpha,
            None => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, Variant};
    use crate::eval::Evaluator;
    use crate::search::deepen::tests::{search, small_table};
    use crate::search::history::HistoryTables;
    use crate::search::job::Limits;
    use std::sync::Arc;

    #[test]
    fn the_evaluation_after_a_move_is_left_in_the_hash_table() {
        let search = search(Game::start(Variant::Spartan), Limits::default(), small_table(), Arc::new(()));
        let hash = &search.hash;
        let (mut tables, mut evaluator) = (HistoryTables::new().expect("memory"), Evaluator::default());
        let mut worker = Worker::new(0, &search, tables.histories(), &mut evaluator);
        let board = |fen| Board::from_fen(fen, Variant::Spartan).expect("a position");

        let start = Board::start(Variant::Spartan);
        let raw = worker.raw_eval(&start, 1);
        let eval_only = Entry::eval_only(raw, false);
        assert_ne!(raw, NO_VALUE);
        assert_eq!(hash.probe(start.key(), 1), Some(eval_only));

        // A stored evaluation is used, and an entry without one stays as it is.
        let known = board("2k5/8/8/2h5/8/2N5/4P3/4K3 w - - 0 1");
        hash.store(known.key(), 1, Entry { eval: 123, ..eval_only });
        assert_eq!(worker.raw_eval(&known, 1), 123);
        let deep = Entry { value: 40, eval: NO_VALUE, depth: 9, bound: Some(Bound::Lower), ..eval_only };
        hash.store(known.key(), 1, deep);
        assert_ne!(worker.raw_eval(&known, 1), NO_VALUE);
        assert_eq!(hash.probe(known.key(), 1), Some(deep));

        let check = board("2k5/8/8/2R5/8/8/4P3/4K3 b - - 0 1");
        assert_eq!((worker.raw_eval(&check, 1), hash.probe(check.key(), 1)), (NO_VALUE, None));
    }

    #[test]
    fn logarithms_in_fixed_point() {
        for x in 1..64u32 {
            let exact = f64::from(x).ln() * 1024.0;
            assert!((f64::from(fixed_ln(x)) - exact).abs() < 12.0, "{x}: {} {exact}", fixed_ln(x));
        }
    }
}
