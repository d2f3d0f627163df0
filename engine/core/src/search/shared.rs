//! What the threads of a search share: the job, the hash table, flags, counters and results.

use super::hash::HashTable;
use super::job::{Bound, Job, Listener, Report};
use super::root_move::{RootMove, ThreadResult, vote};
use super::time::{SchedulingDelay, TimeManager};
use super::wdl::win_draw_loss;
use crate::board::Board;
use crate::clock::Instant;
use crate::strength::Strength;
use crate::tables::Tables;
use crate::types::Move;
use crate::types::score::{DRAW, INFINITE, MATE, MATE_IN_MAX, Score, Value};
use once_cell::sync::Lazy;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// What a thread publishes while it searches, on a cache line of its own to avoid false sharing.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Counters {
    pub nodes: AtomicU64,
    pub tb_hits: AtomicU64,
    /// The thread's vote on the end of the search: [`NO_VOTE`], [`GO_ON`] or [`STOP`].
    vote: AtomicU8,
}

const NO_VOTE: u8 = 0;
const GO_ON: u8 = 1;
const STOP: u8 = 2;

/// The search ends when this percentage of the votes is for it.
const STOP_MAJORITY: usize = 65;

/// What threads wait for: results, stop requests, and whether the best move was sent.
#[derive(Default)]
struct Progress {
    /// The result of the last completed iteration of each thread.
    results: Vec<Option<ThreadResult>>,
    stop_requested: bool,
    best_move_sent: bool,
}

/// How many threads can run at the same time, if the system reports it.
pub(super) static PROCESSORS: Lazy<usize> =
    Lazy::new(|| thread::available_parallelism().map_or(usize::MAX, NonZero::get));

/// What lasts from one search to the next, besides the hash table.
#[derive(Default)]
pub(super) struct Persistent {
    /// How long the main thread has had to wait for a processor.
    pub delay: SchedulingDelay,
    /// Gives a limited engine different evaluation errors in each game.
    pub seed: AtomicU64,
}

/// One search: the state shared by its threads and by those that control it.
pub(super) struct Shared {
    pub job: Job,
    pub listener: Arc<dyn Listener>,
    pub hash: Arc<HashTable>,
    pub counters: Box<[Counters]>,
    /// The node limit if a single thread searches; it is then exact.
    pub single_thread_node_limit: Option<u64>,
    pub stop: Arc<AtomicBool>,
    pub is_oversubscribed: bool,
    /// The limited playing strength, if any.
    pub strength: Option<Strength>,
    ponder: AtomicBool,
    pub start: Instant,
    pub persistent: Arc<Persistent>,
    progress: Mutex<Progress>,
    changed: Condvar,
    /// Whether the best move is chosen, after which nothing is reported. Locked during each report.
    answered: Mutex<bool>,
}

impl Shared {
    /// A search by a number of threads, which `stop` ends. Its clock starts now.
    pub fn new(
        mut job: Job,
        listener: Arc<dyn Listener>,
        hash: Arc<HashTable>,
        threads: usize,
        persistent: Arc<Persistent>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let strength = job.settings.options.strength();
        if let Some(strength) = strength {
            let nodes = job.limits.nodes.unwrap_or(strength.nodes);
            job.limits.nodes = Some(nodes.min(strength.nodes));
        }
        let progress = Progress { results: vec![None; threads], ..Progress::default() };
        Self {
            single_thread_node_limit: job.limits.nodes.filter(|_| threads == 1),
            ponder: AtomicBool::new(job.limits.ponder),
            job,
            listener,
            hash,
            counters: (0..threads).map(|_| Counters::default()).collect(),
            stop,
            is_oversubscribed: threads > *PROCESSORS,
            strength,
            start: Instant::now(),
            persistent,
            progress: Mutex::new(progress),
            changed: Condvar::new(),
            answered: Mutex::default(),
        }
    }

    /// Locks the progress, even if a thread panicked while it held the lock.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the progress and wakes all threads that wait for a change.
    fn signal(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress());
        self.changed.notify_all();
    }

    fn wait_while(&self, condition: impl Fn(&Progress) -> bool) {
        let progress = self.progress();
        drop(self.changed.wait_while(progress, |p| condition(p)).unwrap_or_else(PoisonError::into_inner));
    }

    pub fn wait(&self) {
        self.wait_while(|progress| !progress.best_move_sent);
    }

    /// As [`Self::wait`], for a limited time. Returns whether the best move was reported.
    pub fn wait_timeout(&self, timeout: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.progress(), timeout, |progress| !progress.best_move_sent);
        waited.unwrap_or_else(PoisonError::into_inner).0.best_move_sent
    }

    pub fn stop(&self) {
        self.signal(|progress| progress.stop_requested = true);
        self.stop.store(true, Relaxed);
    }

    /// Makes the time limits apply to a search that is pondering.
    pub fn ponder_hit(&self) {
        self.signal(|_| self.ponder.store(false, Relaxed));
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub fn is_pondering(&self) -> bool {
        self.ponder.load(Relaxed)
    }

    pub fn is_running(&self) -> bool {
        !self.progress().best_move_sent
    }

    /// Whether the search runs and ends only on [`Self::stop`], or not before [`Self::ponder_hit`].
    pub fn needs_command(&self) -> bool {
        let Job { game, limits, .. } = &self.job;
        let ends = !limits.infinite && limits.is_bounded(game.board().side_to_move()) && !self.is_pondering();
        let progress = self.progress();
        !ends && !progress.best_move_sent && !progress.stop_requested
    }

    pub fn time_manager(&self) -> TimeManager {
        let side = self.job.game.board().side_to_move();
        TimeManager::new(self.start, side, &self.job.limits, &self.job.settings.options, self.persistent.delay.get())
    }

    pub fn total_nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    pub fn total_tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
    }

    /// Records a thread's vote to end the search; `None` before its first iteration and after its last.
    pub fn vote_to_stop(&self, thread: usize, vote: Option<bool>) {
        let vote = vote.map_or(NO_VOTE, |stop| if stop { STOP } else { GO_ON });
        self.counters[thread].vote.store(vote, Relaxed);
    }

    /// Whether most of the threads that have a vote would stop. A single thread may by chance see no change of the best
    /// move, or one too many. The main thread has two votes, so with two threads it decides alone: waiting for both to
    /// agree took 22 % more time per move.
    pub fn most_would_stop(&self) -> bool {
        let (mut votes, mut for_stop) = (0, 0);
        for (thread, counters) in self.counters.iter().enumerate() {
            let weight = if thread == 0 { 2 } else { 1 };
            let vote = counters.vote.load(Relaxed);
            votes += weight * usize::from(vote != NO_VOTE);
            for_stop += weight * usize::from(vote == STOP);
        }
        for_stop > 0 && for_stop * 100 >= votes * STOP_MAJORITY
    }

    /// Publishes the result of an iteration, unless the best move has already been chosen.
    pub fn publish(&self, thread: usize, result: Option<ThreadResult>) {
        if let Some(last) = self.progress().results.get_mut(thread) {
            *last = result;
        }
    }

    /// Reports the value and the line of a root move, if it has been searched and the best move is still to come.
    pub fn report(&self, root_move: &RootMove, index: usize) {
        let answered = self.answered();
        if !*answered {
            self.report_line(root_move, index);
        }
    }

    /// Reports that the search starts a root move, if the best move is still to come.
    pub fn report_current_move(&self, depth: u32, mv: Move, number: usize) {
        let answered = self.answered();
        if !*answered {
            self.listener.current_move(depth, mv, number);
        }
    }

    fn answered(&self) -> MutexGuard<'_, bool> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report_line(&self, root_move: &RootMove, index: usize) {
        let value = root_move.value;
        if value == -INFINITE {
            return;
        }
        self.listener.report(&Report {
            depth: root_move.depth.max(1),
            seldepth: root_move.seldepth,
            multi_pv: index + 1,
            score: Score::from(value),
            bound: root_move.bound,
            wdl: win_draw_loss(value),
            nodes: self.total_nodes(),
            tb_hits: self.total_tb_hits(),
            time: self.start.elapsed(),
            hashfull: self.hash.hashfull(),
            pv: self.extended_pv(root_move, value),
        });
    }

    /// The principal variation of a root move. A line that is shorter than its mate score says is completed from the
    /// endgame tables or the hash table; tables in files, which take milliseconds, are read only without a clock. A
    /// line of one move with a draw score gets a reply (see [`Self::reply_to`]).
    fn extended_pv(&self, root_move: &RootMove, value: Value) -> Vec<Move> {
        let mut line = root_move.pv.clone();
        if value == DRAW && line.len() == 1 {
            line.extend(self.reply_to(line[0]));
        }
        if value.abs() < MATE_IN_MAX || root_move.bound != Bound::Exact {
            return line;
        }
        let plies = (MATE - value.abs()) as usize;
        let limits = &self.job.limits;
        let mut board = self.job.game.board().clone();
        line.iter().for_each(|&mv| board.make_move(mv));
        while line.len() < plies {
            let tables = if limits.is_timed() { Tables::embedded() } else { self.job.settings.tables_for(&board) };
            let Some(mv) = tables.best_move(&board).or_else(|| self.hash_move(&board, line.len())) else { break };
            board.make_move(mv);
            line.push(mv);
        }
        line
    }

    /// A reply to a root move, unless that ends the game. Some tools take a line of one move with a draw score for the
    /// end of the game, but a line is also that short when the opponent can repeat a position.
    fn reply_to(&self, mv: Move) -> Option<Move> {
        let mut game = self.job.game.clone();
        game.push(mv).ok()?;
        if game.outcome().is_some() {
            return None;
        }
        self.hash_move(game.board(), 1).or_else(|| game.board().legal_moves().first().copied())
    }

    /// The move of a position in the hash table, if it is legal.
    pub fn hash_move(&self, board: &Board, ply: usize) -> Option<Move> {
        self.hash.probe(board.key(), ply)?.mv.filter(|&mv| board.is_legal(mv))
    }

    pub fn multi_pv(&self) -> usize {
        self.job.settings.options.multi_pv as usize
    }

    /// Ends the search with the result of the main thread: reports the best move, but not before the limits allow it.
    pub fn finish(&self, result: Option<ThreadResult>) {
        // All threads stop when the main thread does, even if the best move is not to be reported yet.
        self.stop.store(true, Relaxed);
        self.wait_while(|progress| (self.job.limits.infinite || self.is_pondering()) && !progress.stop_requested);
        if let (Some(main), true) = (self.progress().results.first_mut(), result.is_some()) {
            *main = result;
        }
        self.answer(false);
    }

    /// Waits for the best move until a time since the start, and then reports it in place of a main thread that has not
    /// been scheduled, from the last completed iterations. Without any it keeps waiting.
    pub fn answer_at(&self, deadline: Duration) {
        const INTERVAL: Duration = Duration::from_millis(1);
        self.wait_while(|progress| !progress.best_move_sent && self.is_pondering());
        while !self.wait_timeout(deadline.saturating_sub(self.start.elapsed()).max(INTERVAL)) {
            let is_late = self.start.elapsed() >= deadline;
            if is_late && self.progress().results.iter().any(Option::is_some) {
                self.stop.store(true, Relaxed);
                self.answer(true);
            }
        }
    }

    /// Reports the best move, unless another thread has done so. `reports_line` is whether to report
    /// the line of the best move again.
    fn answer(&self, reports_line: bool) {
        let mut answered = self.answered();
        if std::mem::replace(&mut *answered, true) {
            return;
        }
        // Use the published results of the helpers. Waiting until the last of them is scheduled and stops could take
        // longer than the clock allows.
        let results: Vec<ThreadResult> = std::mem::take(&mut self.progress().results).into_iter().flatten().collect();
        let answer = catch_unwind(AssertUnwindSafe(|| self.choose_move(&results, reports_line)));
        let (mv, ponder) = answer.unwrap_or_else(|_| (self.fallback_move(), None));
        let failures = self.job.settings.tables.new_failures();
        let _ = catch_unwind(AssertUnwindSafe(|| {
            if !failures.is_empty() {
                self.listener.tables_failed(failures);
            }
            self.listener.best_move(mv, ponder);
        }));
        self.signal(|progress| progress.best_move_sent = true);
    }

    fn choose_move(&self, results: &[ThreadResult], reports_line: bool) -> (Option<Move>, Option<Move>) {
        let main = results.iter().find(|result| result.thread == 0);
        let chosen = if self.multi_pv() > 1 && main.is_some() { main } else { vote(results) };
        let Some(ThreadResult { thread, best, ponder, .. }) = chosen else { return (self.fallback_move(), None) };
        // The last line reported must be that of the best move.
        if *thread > 0 || reports_line {
            self.report_line(best, 0);
        }
        (Some(best.mv), *ponder)
    }

    /// A legal move if no thread has a result; `None` if there is no legal move.
    fn fallback_move(&self) -> Option<Move> {
        let board = self.job.game.board();
        let wanted = self.job.limits.search_moves.iter().copied().find(|&mv| board.is_legal(mv));
        wanted.or_else(|| board.legal_moves().first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, Variant};
    use crate::search::job::{Limits, Settings};

    #[test]
    fn of_two_threads_the_main_one_decides() {
        let job = Job { game: Game::start(Variant::Spartan), limits: Limits::default(), settings: Settings::default() };
        let search = Shared::new(
            job,
            Arc::new(()),
            Arc::new(HashTable::new(1).expect("a small table")),
            2,
            Arc::default(),
            Arc::default(),
        );
        assert!(!search.most_would_stop(), "nobody has a vote");
        for (main, helper, ends) in [(true, false, true), (false, true, false), (true, true, true)] {
            search.vote_to_stop(0, Some(main));
            search.vote_to_stop(1, Some(helper));
            assert_eq!(search.most_would_stop(), ends, "{main} {helper}");
        }
        search.vote_to_stop(0, None);
        search.vote_to_stop(1, None);
        assert!(!search.most_would_stop(), "nobody is left");
    }
}
