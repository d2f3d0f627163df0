//! Iterative deepening from the root ("Iterative Deepening" of chessprogramming.org).

use super::job::{Bound, Report};
use super::node::Root;
use super::params::*;
use super::root_move::{RootMove, ThreadResult};
use super::wdl::win_draw_loss;
use super::worker::Worker;
use crate::board::Board;
use crate::types::Move;
use crate::types::score::{DRAW, INFINITE, MATE, MATE_IN_MAX, MAX_PLY, Score, Value, mated_in};
use std::cmp::Reverse;
use std::time::Duration;

impl Worker<'_> {
    /// Searches with increasing depth until a limit is reached. `None` if the root has no legal move.
    pub fn deepen(mut self) -> Option<ThreadResult> {
        let search = self.search;
        let (board, limits) = (search.job.game.board(), &search.job.limits);
        if self.root_moves.is_empty() {
            if self.is_main() {
                self.report_finished_game(board);
            }
            return None;
        }
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
            self.publish_result(board);
            let best = self.root_moves[0].mv;
            let value = self.root_moves[0].value;
            if self.is_main() {
                self.report_lines();
                let is_mate = |moves: u32| value.abs() >= (MATE - 2 * moves.min(1000) as Value).max(MATE_IN_MAX);
                if limits.mate.is_some_and(is_mate) {
                    break;
                }
                if limits.soft_nodes.is_some_and(|limit| search.total_nodes() >= limit) {
                    break;
                }
            }
            stability = if last_best == Some(best) { stability + 1 } else { 0 };
            let falling = last_value.map_or(0, |last| last - value);
            last_best = Some(best);
            last_value = Some(value);
            let would_stop = self.is_soft_limit_reached(stability, falling);
            search.vote_to_stop(self.index, Some(would_stop));
            if !self.is_main() {
                continue;
            }
            if search.most_would_stop() {
                if search.is_pondering() {
                    self.stop_on_ponder_hit = true;
                } else {
                    break;
                }
            }
            self.find_mate(board, value);
        }
        search.vote_to_stop(self.index, None);
        self.publish_counters();
        if self.is_main() && self.time.is_limited() {
            search.persistent.delay.update(self.longest_gap);
        }
        self.result(board)
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

    /// Whether this thread would stop a search on the clock before the next iteration.
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
    /// chessprogramming.org), still smaller if the last value is close to the average. Each fail low or high widens the
    /// window on its side; a fail low also lowers beta, and a fail high reduces the depth, by up to three plies.
    fn aspiration_search(&mut self, board: &Board, depth: i32) {
        let RootMove { previous, average, .. } = self.root_moves[self.pv_index];
        let centre = average.unwrap_or(previous);
        let mut delta = aspiration_window() + centre.abs() / aspiration_eval();
        if (previous - centre).abs() < aspiration_stable() {
            delta -= delta / 4;
        }
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && previous.abs() < MATE_IN_MAX {
            alpha = (centre - delta).max(-INFINITE);
            beta = (centre + delta).min(INFINITE);
        }
        let mut fail_highs = 0;
        loop {
            let value = self.search_node::<Root>(board, alpha, beta, (depth - fail_highs).max(1), 0, false);
            self.root_moves[self.pv_index..].sort_by_key(|m| Reverse(m.value));
            if self.stopped {
                return;
            }
            let failed_low = value <= alpha;
            if failed_low {
                // The value is unlikely to be far above the old alpha.
                beta = (3 * alpha + beta) / 4;
                alpha = (value - delta).max(-INFINITE);
                fail_highs = 0;
            } else if value >= beta {
                beta = (value + delta).min(INFINITE);
                fail_highs = (fail_highs + 1).min(3);
            } else {
                return;
            }
            if self.is_main() && self.search.multi_pv() == 1 && self.time.wall_time() > Duration::from_secs(3) {
                self.search.report(&self.root_moves[self.pv_index], self.pv_index);
            }
            delta += delta / 2 + 5;
            if delta > 1000 {
                (alpha, beta) = if failed_low { (-INFINITE, beta) } else { (alpha, INFINITE) };
            }
        }
    }

    pub(super) fn report_lines(&self) {
        for (index, root_move) in self.root_moves.iter().enumerate().take(self.search.multi_pv()) {
            self.search.report(root_move, index);
        }
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

    /// Publishes the result so far, if another thread may answer with it.
    pub(super) fn publish_result(&self, board: &Board) {
        if self.search.counters.len() > 1 || self.time.is_limited() {
            self.search.publish(self.index, self.result(board));
        }
    }

    fn result(&self, board: &Board) -> Option<ThreadResult> {
        Some(ThreadResult {
            thread: self.index,
            depth: self.completed_depth,
            best: self.root_moves.first()?.clone(),
            ponder: self.ponder_move(board),
        })
    }

    /// The second move of the best line, or the best reply of the tables or the hash table.
    fn ponder_move(&self, board: &Board) -> Option<Move> {
        let best = self.root_moves.first()?;
        if let Some(&ponder) = best.pv.get(1) {
            return Some(ponder);
        }
        let next = board.after(best.mv);
        let tables = self.search.job.settings.tables_for(&next);
        tables.best_move(&next).or_else(|| self.search.hash_move(&next, 1))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::board::{Game, Variant};
    use crate::eval::Evaluator;
    use crate::search::hash::{Entry, HashTable};
    use crate::search::history::HistoryTables;
    use crate::search::job::{Job, Limits, Listener, Settings};
    use crate::search::node::PROVEN_DEPTH;
    use crate::search::shared::Shared;
    use crate::types::score::{NO_VALUE, mate_in};
    use std::sync::Arc;
    use std::time::Instant;

    pub fn search(game: Game, limits: Limits, hash: HashTable, listener: Arc<dyn Listener>) -> Shared {
        let job = Job { game, limits, settings: Settings::default() };
        Shared::new(job, listener, Arc::new(hash), 1, Arc::default(), Arc::default())
    }

    fn run(search: &Shared) -> ThreadResult {
        let (mut tables, mut evaluator) = (HistoryTables::new().expect("memory"), Evaluator::default());
        Worker::new(0, search, tables.histories(), &mut evaluator).deepen().expect("there are moves")
    }

    pub fn small_table() -> HashTable {
        HashTable::new(4).expect("a small table")
    }

    /// Nodes and completed iterations of a search from the initial position.
    fn spent(limits: Limits) -> (u64, u32) {
        let search = search(Game::start(Variant::Spartan), limits, small_table(), Arc::new(()));
        let result = run(&search);
        (search.total_nodes(), result.depth)
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

    /// Nodes of the main thread, which has a thousand seconds, if some helpers would stop and one would not.
    fn spent_with_helpers(for_stop: usize, ponder: bool) -> u64 {
        let clock = [Some(Duration::from_secs(1000)), None];
        let limits = Limits { clock, ponder, nodes: Some(20_000), ..Limits::default() };
        let job = Job { game: Game::start(Variant::Spartan), limits, settings: Settings::default() };
        let (hash, threads) = (Arc::new(small_table()), for_stop + 3);
        let search = Shared::new(job, Arc::new(()), hash, threads, Arc::default(), Arc::default());
        (1..=for_stop).for_each(|thread| search.vote_to_stop(thread, Some(true)));
        search.vote_to_stop(for_stop + 1, Some(false));
        // The last one has not completed an iteration, or has ended.
        search.vote_to_stop(for_stop + 2, None);
        run(&search);
        search.total_nodes()
    }

    #[test]
    fn most_threads_end_a_search_on_the_clock() {
        // Of the votes, the main thread has two, which are against.
        assert!(spent_with_helpers(5, false) >= 20_000, "5 of 8");
        assert!(spent_with_helpers(6, false) < 5000, "6 of 9");
        assert!(spent_with_helpers(6, true) >= 20_000, "pondering");
    }

    #[test]
    fn a_search_that_starts_too_late_still_finds_a_move() {
        let fen = "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1";
        let game = Game::new(Board::from_fen(fen, Variant::Spartan).expect("a position"));
        let limits = Limits { move_time: Some(Duration::from_millis(20)), ..Limits::default() };
        let mut search = search(game, limits, small_table(), Arc::new(()));
        search.start = Instant::now().checked_sub(Duration::from_secs(1)).expect("a second ago");
        let result = run(&search);
        assert_eq!(result.best.mv.to_string(), "c1c8");
        assert!(result.depth >= 1);
    }

    /// The halfmove clock may be higher than where a mate was proven.
    #[test]
    fn mates_after_the_fifty_move_rule_do_not_count() {
        for (clock, is_mate) in [(0, true), (69, true), (70, false), (80, false)] {
            let fen = format!("8/8/8/8/3k4/8/8/R3K2R w - - {clock} 100");
            let root = Board::from_fen(&fen, Variant::Spartan).expect("a position");
            let hash = small_table();
            let (bound, depth) = (Some(Bound::Upper), PROVEN_DEPTH);
            for mv in root.legal_moves() {
                let entry = Entry { mv: None, value: mated_in(30), eval: NO_VALUE, depth, bound, pv: true };
                hash.store(root.after(mv).key(), 0, entry);
            }
            let limits = Limits { depth: Some(3), ..Limits::default() };
            let result = run(&search(Game::new(root), limits, hash, Arc::new(())));
            assert_eq!(result.best.value == mate_in(31), is_mate, "{fen}: {}", result.best.value);
        }
    }

    /// All lookups, also those of quiescence, go through `Worker::probe_hash`.
    #[test]
    fn late_mates_in_the_table_have_no_value() {
        let hash = small_table();
        let mv = Move::from_bits(0x123);
        let bound = Some(Bound::Lower);
        hash.store(1, 0, Entry { mv, value: mate_in(31), eval: 900, depth: 9, bound, pv: false });
        let search = search(Game::new(Board::start(Variant::Spartan)), Limits::default(), hash, Arc::new(()));
        let (mut tables, mut evaluator) = (HistoryTables::new().expect("memory"), Evaluator::default());
        let worker = Worker::new(0, &search, tables.histories(), &mut evaluator);
        let value =
            |clock| worker.probe_hash(1, 4, clock).map(|entry| (entry.mv, entry.eval, entry.value, entry.bound));
        assert_eq!(value(69), Some((mv, 900, mate_in(35), bound)));
        assert_eq!(value(70), Some((mv, 900, NO_VALUE, None)));
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
        }

        let mut seed = 1u32;
        for fen in [
            Variant::Spartan.start_fen(),
            "4k1k1/2h5/8/8/3Q4/8/5PPP/R3K2R w KQ - 0 1",
            "8/8/8/5K2/8/6k1/8/Q7 w - - 0 80",
        ] {
            let root = Board::from_fen(fen, Variant::Spartan).expect("a position");
            let hash = small_table();
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
            let search = search(Game::new(root.clone()), limits, hash, Arc::new(LegalityChecker(root.clone())));
            assert!(root.is_legal(run(&search).best.mv));
        }
    }
}
