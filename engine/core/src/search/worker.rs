//! A search thread: its state, and iterative deepening from the root.

use super::cycle::repetitions;
use super::hash::Entry;
use super::history::{Histories, PieceMove};
use super::mate_finder::{MateFinder, is_attacker_to_move};
use super::node::PROVEN_DEPTH;
use super::params::*;
use super::time::TimeManager;
use super::wdl::win_draw_loss;
use super::{Bound, OutOfMemory, Report, Search};
use crate::board::Board;
use crate::eval::Evaluator;
use crate::tables::three_men;
use crate::types::score::{DRAW, INFINITE, MATE, MATE_IN_MAX, MAX_PLY, NO_VALUE, Score, Value, mate_in, mated_in};
use crate::types::{Bitboard, Move};
use arrayvec::ArrayVec;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A line of moves.
pub(super) type PvLine = ArrayVec<Move, MAX_PLY>;

/// A thread's data for one ply of the current line.
#[derive(Clone)]
pub(super) struct StackEntry {
    /// The corrected static evaluation, or [`NO_VALUE`] in check.
    pub eval: Value,
    /// The move made at this ply, unless it was a null move.
    pub current: Option<PieceMove>,
    /// The move made at this ply, if it is quiet.
    pub quiet: Option<Move>,
    /// Squares that the opponent attacks.
    pub threats: Bitboard,
    /// The move that a singular search excludes.
    pub excluded: Option<Move>,
    /// Quiet moves that caused a cutoff at this ply.
    pub killers: [Option<Move>; 2],
    /// How many nodes at this ply have failed high since their parent was entered.
    pub cutoffs: i32,
}

impl StackEntry {
    const EMPTY: Self = Self {
        eval: NO_VALUE,
        current: None,
        quiet: None,
        threats: Bitboard::EMPTY,
        excluded: None,
        killers: [None; 2],
        cutoffs: 0,
    };
}

/// Stack entries before the root: the search looks back up to six plies.
pub(super) const STACK_OFFSET: usize = 6;

/// A root move and its search results.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// The value of this iteration, or -[`INFINITE`] if the move has not been searched yet or, unless it is the
    /// first one, did not raise alpha.
    pub value: Value,
    /// The value of the last completed iteration, or -[`INFINITE`] as for `value`.
    pub previous: Value,
    /// The average of the values of completed iterations, the last one counting half: it is less erratic than the last
    /// value. Mates do not count. `None` before the first.
    pub average: Option<Value>,
    /// The bound of `value`.
    pub bound: Bound,
    /// The iteration of `value`.
    pub depth: u32,
    /// The principal variation, beginning with the move.
    pub pv: Vec<Move>,
    /// The principal variation of the last completed iteration, if this one has changed it.
    pub previous_pv: Option<Vec<Move>>,
    /// Nodes searched below the move, in all iterations.
    pub nodes: u64,
    pub seldepth: u32,
}

impl RootMove {
    pub fn new(mv: Move) -> Self {
        Self {
            mv,
            value: -INFINITE,
            previous: -INFINITE,
            average: None,
            bound: Bound::Exact,
            depth: 0,
            pv: vec![mv],
            previous_pv: None,
            nodes: 0,
            seldepth: 0,
        }
    }

    fn start_iteration(&mut self) {
        self.previous = std::mem::replace(&mut self.value, -INFINITE);
        self.previous_pv = None;
    }

    fn update_average(&mut self) {
        if self.value.abs() < MATE_IN_MAX {
            self.average = Some(self.average.map_or(self.value, |average| (average + self.value) / 2));
        }
    }

    /// Restores the result of the last completed iteration.
    fn restore(&mut self, completed_depth: u32) {
        self.value = self.previous;
        self.bound = Bound::Exact;
        self.depth = completed_depth;
        if let Some(pv) = self.previous_pv.take() {
            self.pv = pv;
        }
    }
}

/// The first iteration may use this number of nodes even if time is up or `stop` has arrived.
const MIN_NODES: u64 = 2048;

/// The mate finder runs from this value on, in centipawns.
const MATE_FINDER_VALUE: Value = 1000;

/// The result of one thread.
#[derive(Clone, Debug)]
pub(super) struct ThreadResult {
    /// The index of the thread.
    pub thread: usize,
    /// The last completed iteration.
    pub depth: u32,
    pub best: RootMove,
    /// The expected reply.
    pub ponder: Option<Move>,
}

/// The state of a search thread. The histories persist between searches.
pub(super) struct Worker {
    pub index: usize,
    pub histories: Histories,
    pub evaluator: Evaluator,
    pub stack: Vec<StackEntry>,
    /// The principal variation from each ply on ("Triangular PV-Table" of chessprogramming.org).
    pub pv_table: Vec<PvLine>,
    /// Keys of the game and of the current line, the current position last.
    pub keys: Vec<u64>,
    /// Repetitions are not searched before this index, because of a null move there.
    pub repetition_start: usize,
    pub search: Arc<Search>,
    pub time: TimeManager,
    pub nodes: u64,
    pub tb_hits: u64,
    /// Positions with more men are in no table; 0 at limited strength.
    pub probe_men: u32,
    pub seldepth: usize,
    pub root_depth: i32,
    pub completed_depth: u32,
    pub root_moves: Vec<RootMove>,
    /// The current line of a MultiPV search. The root moves before it have their final values.
    pub pv_index: usize,
    /// No null moves before this ply, during verification of a null move.
    pub null_move_min_ply: usize,
    mate_finder: MateFinder,
    /// Nodes that the mate finder used in this search.
    mate_nodes: u64,
    /// The last check of the clock, in time since the start.
    last_check: Duration,
    /// The longest time between two checks of the clock.
    longest_gap: Duration,
    /// The search must end at once.
    pub stopped: bool,
    /// The allotted time is used up, but the search is pondering.
    stop_on_ponder_hit: bool,
}

impl Worker {
    /// A worker with empty histories. Index 0 is the main thread.
    ///
    /// # Errors
    /// If there is not enough memory for the histories.
    pub fn new(index: usize, search: Arc<Search>) -> Result<Self, OutOfMemory> {
        let time = search.time_manager();
        Ok(Self {
            index,
            histories: Histories::new()?,
            evaluator: Evaluator::default(),
            stack: vec![StackEntry::EMPTY; MAX_PLY + STACK_OFFSET + 4],
            pv_table: vec![PvLine::new(); MAX_PLY + 2],
            keys: Vec::new(),
            repetition_start: 0,
            search,
            time,
            nodes: 0,
            tb_hits: 0,
            probe_men: 0,
            seldepth: 0,
            root_depth: 0,
            completed_depth: 0,
            root_moves: Vec::new(),
            pv_index: 0,
            null_move_min_ply: 0,
            mate_finder: MateFinder::default(),
            mate_nodes: 0,
            last_check: Duration::ZERO,
            longest_gap: Duration::ZERO,
            stopped: false,
            stop_on_ponder_hit: false,
        })
    }

    fn is_main(&self) -> bool {
        self.index == 0
    }

    /// Searches a job and returns the result; `None` if the root has no legal move.
    pub fn run(&mut self, search: Arc<Search>) -> Option<ThreadResult> {
        self.time = search.time_manager();
        self.search = search;
        self.nodes = 0;
        self.tb_hits = 0;
        self.completed_depth = 0;
        self.mate_nodes = 0;
        self.mate_finder = MateFinder::default();
        self.null_move_min_ply = 0;
        self.repetition_start = 0;
        self.last_check = Duration::ZERO;
        self.longest_gap = Duration::ZERO;
        self.stopped = false;
        self.stop_on_ponder_hit = false;
        self.stack.fill(StackEntry::EMPTY);

        let board = self.search.job.game.board().clone();
        self.evaluator.set_network(self.search.job.settings.network.as_ref());
        let job = &self.search.job;
        self.keys.clear();
        self.keys.extend_from_slice(job.game.keys());
        let wanted = &job.limits.search_moves;
        self.root_moves = board
            .legal_moves()
            .into_iter()
            .filter(|mv| wanted.is_empty() || wanted.contains(mv))
            .map(RootMove::new)
            .collect();
        if self.root_moves.is_empty() {
            if self.is_main() {
                self.report_finished_game(&board);
            }
            return None;
        }
        self.prepare_tables(&board);
        self.deepen(&board);
        if self.is_main() && self.time.is_limited() {
            self.search.state.delay.update(self.longest_gap);
        }
        self.result(&board)
    }

    /// Sets up the endgame tables. If they have the root, removes the root moves that do not keep the result, or that
    /// win more slowly or lose faster than others. MultiPV keeps all.
    fn prepare_tables(&mut self, board: &Board) {
        let settings = &self.search.job.settings;
        self.probe_men = if settings.strength.is_none() { settings.table_men().max(three_men::MEN) } else { 0 };
        if settings.multi_pv > 1 || board.occupied().count() > settings.table_men() {
            return;
        }
        let moves = self.root_moves.iter().map(|root_move| root_move.mv);
        let best = settings.tables.best_moves(&self.search.job.game, moves);
        if let Some(best) = best.filter(|best| !best.is_empty()) {
            self.root_moves.retain(|root_move| best.contains(&root_move.mv));
        }
    }

    /// The current result.
    fn result(&self, board: &Board) -> Option<ThreadResult> {
        Some(ThreadResult {
            thread: self.index,
            depth: self.completed_depth,
            best: self.root_moves.first()?.clone(),
            ponder: self.ponder_move(board),
        })
    }

    fn report_finished_game(&self, board: &Board) {
        let value = if board.in_check() && !board.has_legal_move() { mated_in(0) } else { DRAW };
        self.search.listener.report(&Report {
            depth: 0,
            seldepth: 0,
            multi_pv: 1,
            score: Score::from(value),
            bound: Bound::Exact,
            wdl: win_draw_loss(value),
            nodes: 0,
            tb_hits: 0,
            time: self.time.wall_time(),
            hashfull: self.search.hash.hashfull(),
            pv: Vec::new(),
        });
    }

    /// Iterative deepening: searches with increasing depth until a limit is reached.
    fn deepen(&mut self, board: &Board) {
        let search = Arc::clone(&self.search);
        let limits = &search.job.limits;
        let depth_limit = limits.depth.map_or(MAX_PLY as u32 - 1, |depth| depth.clamp(1, MAX_PLY as u32 - 1));
        let lines = search.multi_pv().min(self.root_moves.len());
        let mut stability = 0;
        let mut last_best = None;
        let mut last_value: Option<Value> = None;

        for depth in 1..=depth_limit {
            self.root_depth = depth as i32;
            self.root_moves.iter_mut().for_each(RootMove::start_iteration);
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspiration_search(board, depth as i32);
                if self.stopped {
                    break;
                }
                // The sort is stable: moves that did not raise alpha keep their order.
                self.root_moves[..=index].sort_by_key(|m| Reverse(m.value));
            }
            self.publish_counters();
            if self.stopped {
                self.finish_aborted_iteration(board);
                break;
            }
            self.completed_depth = depth;
            self.root_moves.iter_mut().for_each(RootMove::update_average);
            if search.counters.len() > 1 {
                search.publish(self.index, self.result(board));
            }
            if !self.is_main() {
                continue;
            }
            self.report_lines();

            let best = self.root_moves[0].mv;
            let value = self.root_moves[0].value;
            if limits.mate.is_some_and(|moves| value >= MATE - 2 * moves.min(1000) as Value) {
                break;
            }
            if limits.soft_nodes.is_some_and(|limit| search.total_nodes() >= limit) {
                break;
            }
            stability = if last_best == Some(best) { stability + 1 } else { 0 };
            let falling = last_value.map_or(0, |last| last - value);
            last_best = Some(best);
            last_value = Some(value);
            if self.is_soft_limit_reached(stability, falling) {
                if self.search.is_pondering() {
                    self.stop_on_ponder_hit = true;
                } else if !limits.infinite {
                    break;
                }
            }
            self.find_mate(board, value);
        }
    }

    /// Spends a share of the nodes on the mate finder while the side to move is winning. A proof goes into the hash
    /// table, where the next iteration finds it.
    ///
    /// The budget depends only on the node count, so that searches are reproducible. It starts at 0, since a head start
    /// of a few thousand nodes would take all the time at fast time controls.
    fn find_mate(&mut self, board: &Board, value: Value) {
        /// One finder node for every 8 nodes. A finder node takes up to twice as long.
        const NODES_PER_FINDER_NODE: u64 = 8;
        /// A smaller budget would only repeat the path from the root.
        const MIN_BUDGET: u64 = 100;
        let limits = &self.search.job.limits;
        let far_from_fifty_moves = board.halfmove_clock() < 40;
        let limited = !limits.search_moves.is_empty() || self.search.job.settings.strength.is_some();
        // After a mate, a shorter one.
        let is_wanted = value >= MATE_FINDER_VALUE && value < mate_in(self.mate_finder.plies());
        if !is_wanted || limited || !far_from_fifty_moves {
            return;
        }
        let budget = (self.nodes / NODES_PER_FINDER_NODE).saturating_sub(self.mate_nodes);
        if budget < MIN_BUDGET {
            return;
        }
        let before = self.nodes;
        let mut finder = std::mem::take(&mut self.mate_finder);
        let found = finder.search(board, budget, || {
            let may_continue = !self.check_limits_every(16);
            self.nodes += u64::from(may_continue);
            may_continue
        });
        self.mate_nodes += self.nodes - before;
        if found {
            let proof = finder.proof(board);
            // The next iteration starts with the mate.
            if let Some(mv) = proof.first().and_then(|root| root.mv) {
                self.root_moves.sort_by_key(|m| m.mv != mv);
            }
            for proven in proof {
                let value = mate_in(proven.plies);
                let (value, bound) =
                    if is_attacker_to_move(proven.plies) { (value, Bound::Lower) } else { (-value, Bound::Upper) };
                let entry =
                    Entry { mv: proven.mv, value, eval: NO_VALUE, depth: PROVEN_DEPTH, bound: Some(bound), pv: true };
                self.search.hash.store(proven.key, 0, entry);
            }
        }
        self.mate_finder = finder;
    }

    /// Chooses the result of an aborted iteration and reports it.
    ///
    /// The best move of the last iteration is searched first. A better move found after it is accepted. But if the
    /// first move only became worse, a move not searched yet may be better: then the last completed iteration is
    /// restored.
    fn finish_aborted_iteration(&mut self, board: &Board) {
        let completed = self.completed_depth;
        let lines = self.search.multi_pv().min(self.root_moves.len());
        if completed == 0 {
            if self.root_moves[0].value == -INFINITE {
                // Not even one move was searched. GUIs expect a score with every best move.
                self.root_moves[0].value = self.leaf_eval(board, 0);
            }
        } else if lines == 1 {
            let last_value = self.root_moves.iter().map(|m| m.previous).max().unwrap_or(-INFINITE);
            let best = &mut self.root_moves[0];
            let replaced_best = best.previous < last_value;
            let is_worse = best.value < last_value || best.value <= -MATE_IN_MAX;
            if best.bound == Bound::Upper || is_worse && !replaced_best {
                self.root_moves.iter_mut().for_each(|m| m.restore(completed));
                self.root_moves.sort_by_key(|m| Reverse(m.value));
            } else if is_worse {
                best.bound = Bound::Lower;
            }
        } else {
            self.finish_aborted_lines(completed);
        }
        if self.is_main() {
            // Even without a new line, to update nodes and time.
            self.report_lines();
        }
    }

    /// Chooses the results of an aborted iteration of a MultiPV search. Completed lines stand. The others are restored
    /// from the last iteration, and their values are capped at that of the worst completed line, which is known to be
    /// better.
    fn finish_aborted_lines(&mut self, completed: u32) {
        let (done, rest) = self.root_moves.split_at_mut(self.pv_index);
        rest.iter_mut().for_each(|m| m.restore(completed));
        rest.sort_by_key(|m| Reverse(m.value));
        if let Some(worst) = done.last() {
            for root_move in rest.iter_mut().filter(|m| m.value > worst.value) {
                root_move.value = worst.value;
                root_move.bound = Bound::Upper;
                root_move.depth = worst.depth;
            }
        }
    }

    /// Whether a search on the clock should stop before the next iteration.
    fn is_soft_limit_reached(&self, stability: i32, falling: Value) -> bool {
        if !self.time.is_limited() {
            return false;
        }
        let only_move = self.root_moves.len() == 1;
        let share = self.root_moves[0].nodes as f64 / self.nodes.max(1) as f64;
        let hundredths = |x: i32| f64::from(x) / 100.0;
        let scale = (hundredths(time_unstable()) - hundredths(time_stability()) * f64::from(stability.min(8)))
            * (hundredths(time_effort()) - hundredths(time_effort_share()) * share)
            * (1.0 + f64::from(falling.clamp(-20, 60)) / f64::from(time_falling()))
            * if only_move { 0.2 } else { 1.0 };
        // Parameters that are being tuned may make the scale negative.
        self.time.should_stop(self.search.total_nodes(), scale.max(0.0))
    }

    /// Searches the root with a small window around the average of the last values ("Aspiration Windows" of
    /// chessprogramming.org), and widens it after each fail low or high. After a fail high the depth is reduced, by up to
    /// three plies.
    fn aspiration_search(&mut self, board: &Board, depth: i32) {
        let RootMove { previous, average, .. } = self.root_moves[self.pv_index];
        let centre = average.unwrap_or(previous);
        let mut delta = aspiration_window() + centre.abs() / aspiration_eval();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && previous.abs() < MATE_IN_MAX {
            alpha = (centre - delta).max(-INFINITE);
            beta = (centre + delta).min(INFINITE);
        }
        let mut fail_highs = 0;
        loop {
            let value = self.search_root(board, alpha, beta, (depth - fail_highs).max(1));
            self.root_moves[self.pv_index..].sort_by_key(|m| Reverse(m.value));
            if self.stopped {
                return;
            }
            let failed_low = value <= alpha;
            if failed_low {
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-INFINITE);
                fail_highs = 0;
            } else if value >= beta {
                beta = (value + delta).min(INFINITE);
                fail_highs = (fail_highs + 1).min(3);
            } else {
                return;
            }
            if self.is_main() && self.search.multi_pv() == 1 && self.time.wall_time() > Duration::from_secs(3) {
                self.report(self.pv_index);
            }
            delta += delta / 2 + 5;
            if delta > 1000 {
                (alpha, beta) = if failed_low { (-INFINITE, beta) } else { (alpha, INFINITE) };
            }
        }
    }

    fn report_lines(&self) {
        for index in 0..self.search.multi_pv().min(self.root_moves.len()) {
            self.report(index);
        }
    }

    fn report(&self, index: usize) {
        self.search.report(&self.root_moves[index], index);
    }

    /// Checks the clock and `stop` every 512 nodes, and a single-threaded node limit at every node. Once true, it stays
    /// true.
    #[inline]
    pub fn check_limits(&mut self) -> bool {
        self.check_limits_every(512)
    }

    /// The same for another interval, which should take about half a millisecond.
    #[inline]
    fn check_limits_every(&mut self, nodes: u64) -> bool {
        if self.stopped {
            return true;
        }
        if self.nodes.is_multiple_of(nodes) {
            self.check_time();
        } else if self.search.single_thread_node_limit.is_some_and(|limit| self.nodes >= limit) {
            self.stopped = self.has_move_to_play();
        }
        self.stopped
    }

    fn check_time(&mut self) {
        self.publish_counters();
        if self.is_main() {
            let now = self.time.wall_time();
            self.longest_gap = self.longest_gap.max(now.saturating_sub(self.last_check));
            self.last_check = now;
        } else if self.search.is_oversubscribed && self.nodes.is_multiple_of(2048) {
            // Lets the main thread and the input thread run when threads outnumber processors. Rarely, since yielded
            // time also goes to other processes.
            std::thread::yield_now();
        }
        // Helpers stop at once, since their result is not needed.
        let stop_requested = self.search.stop.load(Relaxed) && (!self.is_main() || self.has_min_nodes());
        self.stopped = stop_requested || self.is_main() && self.is_limit_reached();
    }

    /// Whether the first iteration is complete, so that there is a sensible best move. It counts as complete if it takes
    /// too long: quiescence search can explode on boards full of pieces.
    fn has_move_to_play(&self) -> bool {
        const MAX_FIRST_NODES: u64 = 100_000;
        self.completed_depth >= 1 || self.nodes >= MAX_FIRST_NODES
    }

    /// Whether the first iteration is complete or has had [`MIN_NODES`]. They take less than a millisecond, and are
    /// spent even if `stop` or the end of the time came before the search began, so that a late start still finds a
    /// reasonable move.
    fn has_min_nodes(&self) -> bool {
        self.has_move_to_play() || self.nodes >= MIN_NODES
    }

    pub fn publish_counters(&self) {
        let counters = &self.search.counters[self.index];
        counters.nodes.store(self.nodes, Relaxed);
        counters.tb_hits.store(self.tb_hits, Relaxed);
    }

    fn is_limit_reached(&self) -> bool {
        if !self.has_move_to_play() && (!self.has_min_nodes() || !self.time.is_over(self.nodes)) {
            return false;
        }
        let total = self.search.total_nodes();
        if self.search.job.limits.nodes.is_some_and(|limit| total >= limit) {
            return true;
        }
        if self.search.is_pondering() {
            return false;
        }
        self.stop_on_ponder_hit || self.time.is_over(total)
    }

    /// The second move of the best line, or the best reply of the tables or the hash table.
    fn ponder_move(&self, board: &Board) -> Option<Move> {
        let best = self.root_moves.first()?;
        if let Some(&ponder) = best.pv.get(1) {
            return Some(ponder);
        }
        let next = board.after(best.mv);
        let known = || self.search.hash.probe(next.key(), 1)?.mv.filter(|&mv| next.is_legal(mv));
        self.search.job.settings.tables_for(&next).best_move(&next).or_else(known)
    }

    /// Makes the principal variation of a ply: the move, followed by the line of the next ply.
    #[inline]
    pub fn update_pv(&mut self, ply: usize, mv: Move) {
        let (line, below) = {
            let (head, tail) = self.pv_table.split_at_mut(ply + 1);
            (&mut head[ply], &tail[0])
        };
        line.clear();
        line.push(mv);
        let _ = line.try_extend_from_slice(&below[..below.len().min(MAX_PLY - 1)]);
    }

    /// Whether a root move is searched for the current line of MultiPV.
    #[inline]
    pub fn is_root_candidate(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..].iter().any(|m| m.mv == mv)
    }

    /// Whether the position is a draw for the search. A single repetition counts if the earlier position is after the
    /// root; otherwise it takes two.
    #[inline]
    pub fn is_draw(&self, board: &Board, ply: usize) -> bool {
        let halfmoves = usize::from(board.halfmove_clock());
        if halfmoves >= 100 && (!board.in_check() || board.has_legal_move()) {
            return true;
        }
        if board.is_dead_position() {
            return true;
        }
        let Some((&key, earlier)) = self.keys[self.repetition_start..].split_last() else { return false };
        let mut repetitions = repetitions(key, earlier, halfmoves);
        // Once since the root, or twice.
        repetitions.next().is_some_and(|distance| distance < ply || repetitions.next().is_some())
    }

    /// The stack entry at an offset from a ply, negative for earlier plies.
    #[inline]
    pub fn at(&self, ply: usize, offset: isize) -> &StackEntry {
        &self.stack[(ply + STACK_OFFSET).wrapping_add_signed(offset)]
    }

    /// The stack entry of a ply.
    #[inline]
    pub fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.stack[ply + STACK_OFFSET]
    }

    /// Reports the current root move to the listener, after three seconds.
    pub fn report_current_move(&self, depth: i32, mv: Move, number: usize) {
        if self.is_main() && self.time.wall_time() > Duration::from_secs(3) {
            self.search.listener.current_move(depth as u32, mv, number + self.pv_index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HashTable, Job, Limits, Listener, Settings};
    use super::*;
    use crate::board::{Game, Variant};
    use std::time::Instant;

    struct NullListener;

    impl Listener for NullListener {
        fn report(&self, _: &Report) {}
        fn current_move(&self, _: u32, _: Move, _: usize) {}
        fn best_move(&self, _: Option<Move>, _: Option<Move>) {}
    }

    /// Nodes and completed iterations of a search from the initial position.
    fn spent(limits: Limits) -> (u64, u32) {
        let job = Job { game: Game::start(Variant::Spartan), limits, settings: Settings::default() };
        let hash = Arc::new(HashTable::new(1).expect("a small table"));
        let search = Arc::new(Search::new(job, Arc::new(NullListener), hash, 1, Arc::default()));
        let mut worker = Worker::new(0, Arc::clone(&search)).expect("a worker");
        let result = worker.run(search).expect("there are moves");
        (worker.nodes, result.depth)
    }

    #[test]
    fn a_soft_limit_lets_an_iteration_end() {
        let soft = |soft_nodes| spent(Limits { soft_nodes: Some(soft_nodes), ..Limits::default() });
        let (nodes, depth) = soft(3000);
        let (nodes_before, _) = spent(Limits { depth: Some(depth - 1), ..Limits::default() });
        assert!(nodes_before < 3000 && nodes >= 3000);
        assert_eq!(spent(Limits { depth: Some(depth), ..Limits::default() }), (nodes, depth));
        // The limit may be exactly the last node of an iteration. The first iteration is always completed.
        assert_eq!(soft(nodes), (nodes, depth));
        assert_eq!(soft(0).1, 1);
    }

    #[test]
    fn a_search_that_starts_too_late_still_finds_a_move() {
        let fen = "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1";
        let game = Game::new(Board::from_fen(fen, Variant::Spartan).expect("a position"));
        let limits = Limits { move_time: Some(Duration::from_millis(20)), ..Limits::default() };
        let job = Job { game, limits, settings: Settings::default() };
        let hash = Arc::new(HashTable::new(1).expect("a small table"));
        let mut search = Search::new(job, Arc::new(NullListener), hash, 1, Arc::default());
        search.start = Instant::now().checked_sub(Duration::from_secs(1)).expect("a second ago");
        let search = Arc::new(search);
        let mut worker = Worker::new(0, Arc::clone(&search)).expect("a worker");
        let result = worker.run(search).expect("there are moves");
        assert_eq!(result.best.mv.to_string(), "c1c8");
        assert!(result.depth >= 1);
    }

    /// After a key collision the hash table has a move of another position.
    #[test]
    fn wrong_moves_in_the_table_are_never_played() {
        /// Checks that all reported lines are legal.
        struct LegalityChecker(Board);

        impl Listener for LegalityChecker {
            fn report(&self, report: &Report) {
                let mut board = self.0.clone();
                for &mv in &report.pv {
                    assert!(board.is_legal(mv), "{mv} in {board}");
                    board.make_move(mv);
                }
            }
            fn current_move(&self, _: u32, _: Move, _: usize) {}
            fn best_move(&self, _: Option<Move>, _: Option<Move>) {}
        }

        let mut seed = 1u32;
        for fen in [
            Variant::Spartan.start_fen(),
            "4k1k1/2h5/8/8/3Q4/8/5PPP/R3K2R w KQ - 0 1",
            "8/8/8/5K2/8/6k1/8/Q7 w - - 0 80",
        ] {
            let root = Board::from_fen(fen, Variant::Spartan).expect("a position");
            let hash = Arc::new(HashTable::new(4).expect("a small table"));
            // Wrong moves for all positions near the root.
            let mut boards = vec![root.clone()];
            for _ in 0..3 {
                for board in std::mem::take(&mut boards) {
                    boards.extend(board.legal_moves().into_iter().map(|mv| board.after(mv)));
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let mv = Move::from_bits((seed >> 16) as u16);
                    let entry = Entry { mv, value: NO_VALUE, eval: NO_VALUE, depth: 1, bound: None, pv: true };
                    hash.store(board.key(), 0, entry);
                }
            }
            let limits = Limits { nodes: Some(20_000), ..Limits::default() };
            let job = Job { game: Game::new(root.clone()), limits, settings: Settings::default() };
            let search = Arc::new(Search::new(job, Arc::new(LegalityChecker(root.clone())), hash, 1, Arc::default()));
            let mut worker = Worker::new(0, Arc::clone(&search)).expect("a worker");
            let result = worker.run(search).expect("there are moves");
            assert!(root.is_legal(result.best.mv));
        }
    }
}
