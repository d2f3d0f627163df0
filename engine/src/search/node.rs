//! The search of a node: principal variation search with its prunings, reductions and extensions,
//! and quiescence.

use super::Bound;
use super::hash::Entry;
use super::history::PieceMove;
use super::params::*;
use super::picker::{Hints, MovePicker, Stage, moved};
use super::worker::Worker;
use crate::board::Board;
use crate::eval::{evaluate, is_mop_up};
use crate::search::cycle::has_upcoming_repetition;
use crate::tablebase;
use crate::types::score::{DRAW, INFINITE, MATE_IN_MAX, MAX_EVAL, MAX_PLY, NO_VALUE, Value, mate_in, mated_in};
use crate::types::{Move, PieceType};
use arrayvec::ArrayVec;
use once_cell::sync::Lazy;
use std::sync::atomic::Ordering::Relaxed;

/// What kind of node is searched; known when the search is compiled.
pub(super) trait Node {
    /// Whether the window is open.
    const PV: bool;
    /// Whether this is the root.
    const ROOT: bool;
}

struct Root;
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

/// A value from which on the game is decided, in centipawns.
const DECIDED: Value = 2000;

/// The depth of proven results in the hash table, beyond that of any search.
pub(super) const PROVEN: i32 = 255;

/// ln x times 1024 for depths and move numbers, in fixed point, so that every machine reduces alike.
static LOGARITHMS: Lazy<[i32; 64]> = Lazy::new(|| std::array::from_fn(|x| if x == 0 { 0 } else { fixed_ln(x as u32) }));

/// The natural logarithm times 1024, by integer arithmetic: the sum of 1/k with Euler's correction.
fn fixed_ln(x: u32) -> i32 {
    let scale: i64 = 1 << 30;
    let x = i64::from(x);
    let harmonic: i64 = (1..=x).map(|k| scale / k).sum();
    // H(x) = ln x + gamma + 1/2x - 1/12x^2 + ...
    let gamma = 619_774_861;
    ((harmonic - gamma - scale / (2 * x) + scale / (12 * x * x)) >> 20) as i32
}

/// The late move reduction by depth and number of the move, in 1/1024 of a ply.
fn reduction(depth: i32, number: i32) -> i32 {
    let ln = |x: i32| LOGARITHMS[x.clamp(0, 63) as usize];
    lmr_base() + lmr_factor() * (ln(depth) * ln(number) / 1024) / 1024
}

fn history_bonus(depth: i32) -> i32 {
    (bonus_factor() * depth - bonus_offset()).min(bonus_max())
}

impl Worker {
    /// Searches the root; root moves get their values and lines.
    pub(super) fn search_root(&mut self, board: &Board, alpha: Value, beta: Value, depth: i32) -> Value {
        self.search_node::<Root>(board, alpha, beta, depth, 0, false)
    }

    /// The static evaluation before corrections: a function of the position alone.
    fn raw_eval(&mut self, board: &Board) -> Value {
        match &mut self.accumulators {
            Some(accumulators) if !is_mop_up(board) => accumulators.evaluate(board),
            _ => evaluate(board),
        }
    }

    /// A raw evaluation as the search sees it: faded as the fifty-move rule comes near, corrected by what was
    /// learned, and with the error of a limited player.
    fn corrected(&self, board: &Board, raw: Value, ply: usize) -> Value {
        let mut eval = raw;
        // The way to a mate that only takes technique is in the evaluation alone; corrections blur it.
        if !is_mop_up(board) {
            eval = raw * (200 - Value::from(board.halfmove_clock()).min(100)) / 200;
            eval += self.histories.correction(board, self.last_moves(ply));
        }
        if let Some(strength) = self.search.job.settings.strength {
            eval += strength.error_of(board.key(), self.search.state.seed.load(Relaxed));
        }
        eval.clamp(-MAX_EVAL + 1, MAX_EVAL - 1)
    }

    /// The corrected evaluation of a node that lies too deep to be searched, or is too late to be.
    pub(super) fn eval_at_end(&mut self, board: &Board, ply: usize) -> Value {
        let raw = self.raw_eval(board);
        self.corrected(board, raw, ply)
    }

    fn last_moves(&self, ply: usize) -> [Option<PieceMove>; 2] {
        [self.at(ply, -1).current, self.at(ply, -2).current]
    }

    /// Makes a move, calls `below` on the new position, and takes the move back.
    #[inline]
    fn with_move<T>(&mut self, board: &Board, mv: Move, ply: usize, below: impl FnOnce(&mut Self, &Board) -> T) -> T {
        // Making the move takes about as long as the memory needs to answer.
        self.search.hash.prefetch(board.likely_key_after(mv));
        let entry = self.at_mut(ply);
        entry.current = moved(board, mv);
        entry.quiet = (!board.is_noisy(mv)).then_some(mv);
        let mut next = board.clone();
        match &mut self.accumulators {
            Some(accumulators) => accumulators.make_move(&mut next, mv),
            None => next.make_move(mv),
        }
        self.nodes += 1;
        self.keys.push(next.key());
        let result = below(self, &next);
        self.keys.pop();
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.take_back();
        }
        result
    }

    fn search_node<N: Node>(
        &mut self,
        board: &Board,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Value {
        if depth <= 0 {
            return self.quiescence::<N>(board, alpha, beta, ply);
        }
        self.lines[ply].clear();
        if self.check_limits() {
            return DRAW;
        }
        let in_check = board.in_check();
        self.seldepth = self.seldepth.max(ply + 1);
        if !N::ROOT {
            if self.is_draw(board, ply) {
                return DRAW;
            }
            if let Some(value) = self.probe_tablebase(board, ply) {
                return value;
            }
            if ply >= MAX_PLY - 1 {
                return if in_check { DRAW } else { self.eval_at_end(board, ply) };
            }
            // Mate distance: no line from here is better than mating now, or worse than being mated.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
            if alpha < DRAW && has_upcoming_repetition(board, &self.keys[self.keys_floor..], ply) {
                alpha = DRAW;
                if alpha >= beta {
                    return alpha;
                }
            }
        }

        let us = board.side_to_move();
        let excluded = self.at(ply, 0).excluded;
        let key = board.key();
        let entry = self.search.hash.probe(key, ply);
        let hash_move = if N::ROOT { Some(self.root_moves[self.pv_index].pv[0]) } else { entry.and_then(|e| e.mv) };
        let hash_pv = N::PV || entry.is_some_and(|e| e.pv);

        // What the mate finder has proven counts in the principal variation as well: it is not to be lost where
        // the remaining depth is too small for it.
        let proven = entry.filter(|e| e.depth >= PROVEN && e.value.abs() >= MATE_IN_MAX && excluded.is_none());
        let proven = proven.filter(|_| board.halfmove_clock() < 90 && !N::ROOT);
        if let Some(entry) = entry
            && excluded.is_none()
            && board.halfmove_clock() < 90
            && (if N::PV { proven.is_some() } else { entry.depth >= depth })
            && bound_allows(&entry, alpha, beta)
        {
            return entry.value;
        }
        let mut floor = -INFINITE;
        if N::PV
            && let Some(proven) = proven
        {
            match proven.bound {
                Some(Bound::Lower) => {
                    floor = proven.value;
                    alpha = alpha.max(floor);
                }
                _ => beta = beta.min(proven.value),
            }
        }

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
            raw = match entry {
                Some(entry) if entry.eval != NO_VALUE => entry.eval,
                _ => self.raw_eval(board),
            };
            eval = self.corrected(board, raw, ply);
            estimate = eval;
            match entry {
                Some(entry) if entry.value != NO_VALUE && bound_allows(&entry, eval, eval + 1) => {
                    estimate = entry.value;
                }
                None => {
                    let bare = Entry { mv: None, value: NO_VALUE, eval: raw, depth: 0, bound: None, pv: hash_pv };
                    self.search.hash.store(key, ply, bare);
                }
                _ => {}
            }
        }
        self.at_mut(ply).eval = eval;
        self.at_mut(ply + 1).cutoffs = 0;
        self.at_mut(ply + 1).killers = [None; 2];
        let before = [self.at(ply, -2).eval, self.at(ply, -4).eval].into_iter().find(|&e| e != NO_VALUE);
        let improving = !in_check && before.is_some_and(|before| eval > before);
        let prior_eval = self.at(ply, -1).eval;
        let complexity = if in_check || excluded.is_some() { 0 } else { (eval - raw).abs() };

        // A quiet move of the opponent after which things look better for us was a bad one.
        if !in_check
            && excluded.is_none()
            && prior_eval != NO_VALUE
            && let Some(quiet) = self.at(ply, -1).quiet
        {
            let bonus =
                (evaldiff_base() - (prior_eval + eval) * evaldiff_factor() / 16).clamp(-evaldiff_max(), evaldiff_max());
            let threats = self.at(ply, -1).threats;
            self.histories.update_quiet(!us, threats, quiet, bonus);
        }
        // Where the game is decided the only thing left to find is the mate, which evaluations know nothing of.
        let decided = alpha.abs() >= DECIDED;
        if !N::PV && !in_check && excluded.is_none() && !decided {
            if depth <= razor_depth() && estimate + razor_base() + razor_margin() * depth <= alpha {
                let value = self.quiescence::<NonPv>(board, alpha, alpha + 1, ply);
                if value <= alpha {
                    return value;
                }
            }
            if depth <= rfp_depth()
                && estimate < MATE_IN_MAX
                && beta > -MATE_IN_MAX
                && estimate - rfp_margin() * (depth - i32::from(improving)) - complexity * rfp_complexity() / 64 >= beta
            {
                return (estimate + beta) / 2;
            }
            if let Some(value) = self.null_move(board, beta, depth, ply, estimate, cut_node) {
                return value;
            }
        }

        // Without a move from the hash table a shallower search will find one for the next visit.
        if depth >= iir_depth() && hash_move.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        let probcut_beta = beta + probcut_margin() - probcut_improving() * i32::from(improving);
        if !N::PV
            && !in_check
            && excluded.is_none()
            && depth >= probcut_depth()
            && beta.abs() < MATE_IN_MAX
            && entry.is_none_or(|e| e.value == NO_VALUE || e.value >= probcut_beta)
        {
            let bare = Entry { mv: hash_move, value: NO_VALUE, eval: raw, depth, bound: None, pv: hash_pv };
            if let Some(value) = self.probcut(board, probcut_beta, ply, cut_node, bare) {
                return value;
            }
        }

        // What was broken off above says nothing, and not one node more may be searched.
        if self.stopped {
            return DRAW;
        }

        let earlier = [-1, -2, -4, -6].map(|offset| self.at(ply, offset).current);
        let threats = board.threats_of(!us);
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
        let mut count = 0;
        let mut quiets: ArrayVec<Move, 64> = ArrayVec::new();
        let mut captures: ArrayVec<Move, 32> = ArrayVec::new();
        let hash_move_is_noisy = hash_move.is_some_and(|mv| board.is_noisy(mv));
        let is_zugzwang_safe = board.has_pieces(us) || board.has_two_kings(us);

        while let Some(mv) = picker.next(board, &self.histories) {
            if Some(mv) == excluded || N::ROOT && !self.is_wanted_at_root(mv) {
                continue;
            }
            count += 1;
            if N::ROOT {
                self.report_current_move(depth, mv, count as usize);
            }
            let is_noisy = board.is_noisy(mv);
            let Some(current) = moved(board, mv) else { continue };
            let history = if is_noisy {
                self.histories.capture(current, board.captured(mv))
            } else {
                self.histories.quiet(us, threats.all, mv)
                    + self.histories.continuation(earlier[0], current)
                    + self.histories.continuation(earlier[1], current)
            };
            let mut reduced = reduction(depth, count);

            if !N::ROOT && best > -MATE_IN_MAX && is_zugzwang_safe && !decided {
                let lmr_depth = (depth - reduced / 1024 + history / lmr_history()).max(0);
                if !is_noisy {
                    if count >= (lmp_base() + lmp_factor() * depth * depth / 16) / (2 - i32::from(improving)) {
                        picker.skip_quiets();
                        continue;
                    }
                    if depth <= history_depth() && history < -history_margin() * depth {
                        continue;
                    }
                    if !in_check
                        && lmr_depth <= futility_depth()
                        && eval + futility_base() + futility_margin() * lmr_depth + history / futility_history()
                            <= alpha
                    {
                        picker.skip_quiets();
                        continue;
                    }
                    if !board.see_ge(mv, -see_quiet() * lmr_depth * lmr_depth) {
                        continue;
                    }
                } else if picker.stage() >= Stage::BadNoisy
                    && !board.see_ge(mv, -see_noisy() * depth - history / see_history())
                {
                    continue;
                }
            }

            let mut extension = 0;
            if !N::ROOT
                && depth >= singular_depth()
                && Some(mv) == hash_move
                && excluded.is_none()
                && ply < 2 * self.root_depth as usize
            {
                match self.singularity(board, entry, beta, depth, ply, cut_node, N::PV) {
                    Singularity::Extension(plies) => extension = plies,
                    Singularity::Cutoff(value) => return value,
                }
                if self.stopped {
                    return DRAW;
                }
            }

            let nodes_before = self.nodes;
            let value = self.with_move(board, mv, ply, |this, next| {
                let gives_check = next.in_check();
                let new_depth = depth - 1 + extension;
                let mut value = -INFINITE;
                if depth >= 2 && count > 1 + i32::from(N::ROOT) {
                    if is_noisy {
                        reduced = reduced * lmr_noisy() / 1024;
                    }
                    reduced -= history * 1024 / lmr_history();
                    reduced += lmr_cut_node() * i32::from(cut_node);
                    reduced += lmr_not_improving() * i32::from(!improving && !in_check);
                    reduced += lmr_noisy_hash_move() * i32::from(hash_move_is_noisy);
                    reduced -= lmr_hash_pv() * i32::from(hash_pv) + lmr_pv() * i32::from(N::PV);
                    reduced -= lmr_gives_check() * i32::from(gives_check) + lmr_in_check() * i32::from(in_check);
                    reduced -= lmr_refutation() * i32::from(picker.stage() <= Stage::CounterMove);
                    reduced -= complexity * lmr_complexity() / 16;
                    reduced += lmr_cutoffs() * i32::from(this.at(ply, 1).cutoffs > 3);
                    let shallow = (new_depth - reduced / 1024).clamp(1, (new_depth + 1).max(1));
                    value = -this.search_node::<NonPv>(next, -alpha - 1, -alpha, shallow, ply + 1, true);
                    if value > alpha && shallow < new_depth {
                        let full = new_depth + i32::from(value > best + deeper_margin() + 2 * new_depth)
                            - i32::from(value < best + new_depth);
                        if shallow < full {
                            value = -this.search_node::<NonPv>(next, -alpha - 1, -alpha, full, ply + 1, !cut_node);
                        }
                        if !is_noisy && (value <= alpha || value >= beta) {
                            let bonus = if value >= beta { history_bonus(full) } else { -history_bonus(full) };
                            this.histories.update_continuation(earlier[0], current, bonus);
                            this.histories.update_continuation(earlier[1], current, bonus);
                        }
                    }
                } else if !N::PV || count > 1 {
                    value = -this.search_node::<NonPv>(next, -alpha - 1, -alpha, new_depth, ply + 1, !cut_node);
                }
                if N::PV && (count == 1 || value > alpha) {
                    value = -this.search_node::<Pv>(next, -beta, -alpha, new_depth, ply + 1, false);
                }
                value
            });
            if self.stopped {
                return DRAW;
            }
            if N::ROOT {
                self.update_root_move(mv, value, count, alpha, beta, nodes_before);
            }

            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.update_line(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
            if Some(mv) != best_move {
                let _ = if is_noisy { captures.try_push(mv) } else { quiets.try_push(mv) };
            }
        }

        if count == 0 {
            return if excluded.is_some() {
                alpha
            } else if in_check {
                mated_in(ply)
            } else {
                DRAW
            };
        }
        if best < floor {
            // Nothing better than the proven mate.
            if let Some(mv) = hash_move.filter(|&mv| board.is_legal(mv)) {
                self.lines[ply].clear();
                self.lines[ply].push(mv);
            }
            return floor;
        }
        if best >= beta
            && let Some(mv) = best_move
        {
            self.at_mut(ply).cutoffs += 1;
            self.reward(board, mv, &quiets, &captures, depth, ply, &hints);
        } else if best_move.is_none()
            && let Some(quiet) = self.at(ply, -1).quiet
            && let Some(prior) = self.at(ply, -1).current
        {
            // All moves failed: the opponent's move before was a good one.
            let bonus = history_bonus(depth) * prior_factor() / 1024;
            let threats = self.at(ply, -1).threats;
            self.histories.update_quiet(!us, threats, quiet, bonus);
            let before = self.at(ply, -2).current;
            self.histories.update_continuation(before, prior, bonus);
        }
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
            if !in_check && fits && best.abs() < MATE_IN_MAX && best_move.is_none_or(|mv| !board.is_noisy(mv)) {
                let moves = self.last_moves(ply);
                self.histories.update_correction(board, moves, depth, best - eval);
            }
        }
        best
    }

    /// The exact value of a position with few men.
    #[inline]
    fn probe_tablebase(&mut self, board: &Board, ply: usize) -> Option<Value> {
        if board.occupied().count() > tablebase::MEN || self.search.job.settings.strength.is_some() {
            return None;
        }
        let value = tablebase::probe(board)?;
        self.tb_hits += 1;
        let (plies, score) = match value {
            tablebase::Value::Draw => return Some(DRAW),
            tablebase::Value::Win(plies) => (plies, mate_in(ply + usize::from(plies))),
            tablebase::Value::Loss(plies) => (plies, mated_in(ply + usize::from(plies))),
        };
        // Not where the fifty-move rule may come first, nor beyond the longest line.
        if board.halfmove_clock() + u16::from(plies) > 100 || ply + usize::from(plies) >= MAX_PLY {
            return None;
        }
        Some(score)
    }

    /// Passes: if the opponent can do nothing with a free move, a real move will be better still
    /// (Donninger 1993). Not where zugzwang is likely, nor while one of two kings may be taken; deep ones
    /// are verified.
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
            || ply < self.null_move_floor
            || self.at(ply, -1).current.is_none()
            || !board.has_pieces(us)
            || board.attacked_kings().nonempty()
        {
            return None;
        }
        let reduction = null_base() + depth / null_divisor() + ((estimate - beta) / null_eval()).min(3);
        let mut next = board.clone();
        next.make_null_move();
        self.search.hash.prefetch(next.key());
        let entry = self.at_mut(ply);
        (entry.current, entry.quiet) = (None, None);
        self.nodes += 1;
        self.keys.push(next.key());
        let floor = std::mem::replace(&mut self.keys_floor, self.keys.len() - 1);
        let mut value = -self.search_node::<NonPv>(&next, -beta, -beta + 1, depth - reduction, ply + 1, !cut_node);
        self.keys_floor = floor;
        self.keys.pop();
        if self.stopped || value < beta {
            return None;
        }
        // A mate that relies on a free move is not proven.
        if value >= MATE_IN_MAX {
            value = beta;
        }
        // With one piece beside the king zugzwang is common; and deep cutoffs are worth a check.
        let few_pieces = !(board.colour(us) & !board.pawns() & !board.kind(PieceType::King)).many();
        if self.null_move_floor > 0 || depth < null_verify_depth() && !few_pieces {
            return Some(value);
        }
        self.null_move_floor = ply + 3 * (depth - reduction).max(0) as usize / 4 + 1;
        let verified = self.search_node::<NonPv>(board, beta - 1, beta, depth - reduction, ply, false);
        self.null_move_floor = 0;
        (verified >= beta).then_some(value)
    }

    /// If a capture searched shallowly beats beta by a margin, a full search is likely to do so, too
    /// (ProbCut, Buro 1995).
    ///
    /// `bare` is what the hash table is to keep of the node, with the hash move so far.
    fn probcut(
        &mut self,
        board: &Board,
        probcut_beta: Value,
        ply: usize,
        cut_node: bool,
        bare: Entry,
    ) -> Option<Value> {
        const REDUCTION: i32 = 4;
        let margin = probcut_beta - self.at(ply, 0).eval;
        let mut picker = MovePicker::noisy(board, Hints { hash_move: bare.mv, ..Hints::default() }, margin);
        while let Some(mv) = picker.next(board, &self.histories) {
            // The hash move comes unseen.
            if !board.see_ge(mv, margin) {
                continue;
            }
            let depth = bare.depth - REDUCTION;
            let value = self.with_move(board, mv, ply, |this, next| {
                let (alpha, beta) = (-probcut_beta, -probcut_beta + 1);
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
                let entry = Entry { mv: Some(mv), value, depth: depth + 1, bound: Some(Bound::Lower), ..bare };
                self.search.hash.store(board.key(), ply, entry);
                return Some(value);
            }
        }
        None
    }

    /// Searches a node without its hash move: if all others are clearly worse the move is singular
    /// and worth a deeper look; if even they reach beta, the node is cut off (multicut).
    #[allow(clippy::too_many_arguments)]
    fn singularity(
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
            return Singularity::Cutoff(singular_beta);
        }
        if entry.value >= beta {
            return Singularity::Extension(-2);
        }
        Singularity::Extension(-i32::from(cut_node))
    }

    /// Remembers that a move refuted a node, and that those before it did not.
    #[allow(clippy::too_many_arguments)]
    fn reward(
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
        let bonus = history_bonus(depth);
        let Hints { threats, earlier, .. } = *hints;
        let Some(current) = moved(board, best) else { return };
        if board.is_noisy(best) {
            self.histories.update_capture(current, board.captured(best), bonus);
        } else {
            let killers = &mut self.at_mut(ply).killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.histories.set_counter_move(earlier[0], best);
            let mut update = |mv: Move, bonus: i32| {
                self.histories.update_quiet(us, threats.all, mv, bonus);
                if let Some(current) = moved(board, mv) {
                    self.histories.update_by_pawns(board, current, bonus);
                    for earlier in earlier {
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
        for &mv in captures {
            if let Some(current) = moved(board, mv) {
                self.histories.update_capture(current, board.captured(mv), -bonus);
            }
        }
    }

    fn update_root_move(&mut self, mv: Move, value: Value, count: i32, alpha: Value, beta: Value, nodes_before: u64) {
        let nodes = self.nodes - nodes_before;
        let root_depth = self.root_depth as u32;
        let seldepth = self.seldepth as u32;
        let line = self.lines[1].clone();
        if count == 1 {
            // What a search with another window left behind is no longer to be compared with.
            let pv_index = self.pv_index;
            self.root_moves[pv_index..].iter_mut().for_each(|m| m.value = -INFINITE);
        }
        let Some(root_move) = self.root_moves.iter_mut().find(|m| m.mv == mv) else { return };
        root_move.nodes += nodes;
        if count == 1 || value > alpha {
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
            // A move that failed low has no line of its own: the old one is kept.
            if value > alpha || root_move.pv.len() < 2 {
                let mut pv = Vec::with_capacity(line.len() + 1);
                pv.push(mv);
                pv.extend_from_slice(&line);
                let before = std::mem::replace(&mut root_move.pv, pv);
                root_move.previous_pv.get_or_insert(before);
            }
        }
    }

    /// Searches captures and promotions, and every move out of check, until the position is quiet.
    fn quiescence<N: Node>(&mut self, board: &Board, mut alpha: Value, beta: Value, ply: usize) -> Value {
        self.lines[ply].clear();
        if self.check_limits() {
            return DRAW;
        }
        self.seldepth = self.seldepth.max(ply + 1);
        if self.is_draw(board, ply) {
            return DRAW;
        }
        if let Some(value) = self.probe_tablebase(board, ply) {
            return value;
        }
        let in_check = board.in_check();
        if ply >= MAX_PLY - 1 {
            return if in_check { DRAW } else { self.eval_at_end(board, ply) };
        }
        if alpha < DRAW && has_upcoming_repetition(board, &self.keys[self.keys_floor..], ply) {
            alpha = DRAW;
            if alpha >= beta {
                return alpha;
            }
        }

        let key = board.key();
        let entry = self.search.hash.probe(key, ply);
        let hash_pv = N::PV || entry.is_some_and(|e| e.pv);
        if let Some(entry) = entry
            && !N::PV
            && bound_allows(&entry, alpha, beta)
        {
            return entry.value;
        }

        let mut best = -INFINITE;
        let mut raw = NO_VALUE;
        let mut futility = -INFINITE;
        if !in_check {
            raw = match entry {
                Some(entry) if entry.eval != NO_VALUE => entry.eval,
                _ => self.raw_eval(board),
            };
            best = self.corrected(board, raw, ply);
            // In the main line a mate must come with the moves that lead to it.
            if let Some(entry) = entry
                && bound_allows(&entry, best, best + 1)
                && (!N::PV || entry.value.abs() < MATE_IN_MAX)
            {
                best = entry.value;
            }
            if best >= beta {
                if entry.is_none() {
                    let bound = Some(Bound::Lower);
                    let bare = Entry { mv: None, value: best, eval: raw, depth: 0, bound, pv: hash_pv };
                    self.search.hash.store(key, ply, bare);
                }
                return best;
            }
            alpha = alpha.max(best);
            futility = best + qs_futility();
        }

        let hints = Hints {
            hash_move: entry.and_then(|e| e.mv),
            earlier: [self.at(ply, -1).current, self.at(ply, -2).current, None, None],
            ..Hints::default()
        };
        let mut picker = if in_check { MovePicker::new(board, hints) } else { MovePicker::noisy(board, hints, 0) };
        let mut best_move = None;
        let mut count = 0;
        while let Some(mv) = picker.next(board, &self.histories) {
            count += 1;
            if best > -MATE_IN_MAX {
                // One evasion is enough to know that it is no mate.
                if in_check && !board.is_noisy(mv) {
                    picker.skip_quiets();
                    if count > 1 {
                        continue;
                    }
                }
                if !in_check && mv.promoted().is_none() {
                    let gain = board.captured(mv).map_or(0, PieceType::exchange_value);
                    if futility + gain <= alpha {
                        best = best.max(futility + gain);
                        continue;
                    }
                }
                if !in_check && futility <= alpha && !board.see_ge(mv, qs_see()) {
                    best = best.max(futility);
                    continue;
                }
            }
            let value =
                self.with_move(board, mv, ply, |this, next| -this.quiescence::<N>(next, -beta, -alpha, ply + 1));
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.update_line(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        if in_check && count == 0 {
            return mated_in(ply);
        }
        let bound = Some(if best >= beta { Bound::Lower } else { Bound::Upper });
        let entry = Entry { mv: best_move, value: best, eval: raw, depth: 0, bound, pv: hash_pv };
        self.search.hash.store(key, ply, entry);
        best
    }
}

/// What a singular search says about the hash move.
enum Singularity {
    /// Search it so many plies deeper.
    Extension(i32),
    /// The node is cut off with a value.
    Cutoff(Value),
}

/// Whether an entry's value decides a window: too good or too bad for it.
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

    #[test]
    fn logarithms_in_fixed_point() {
        for x in 1..64u32 {
            let exact = f64::from(x).ln() * 1024.0;
            assert!((f64::from(fixed_ln(x)) - exact).abs() < 12.0, "{x}: {} {exact}", fixed_ln(x));
        }
    }
}
