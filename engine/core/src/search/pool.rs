//! The search threads: long-lived, one search at a time, all on the same tree ("Lazy SMP" of chessprogramming.org).
//!
//! Threads share only the hash table and a few flags. The random order of their hash table accesses is enough to make
//! them search different parts of the tree.

use super::hash::HashTable;
use super::time::{SchedulingDelay, TimeManager};
use super::wdl::win_draw_loss;
use super::worker::{RootMove, ThreadResult, Worker};
use super::{Bound, Job, Limits, Listener, OutOfMemory, Report, Settings};
use crate::board::{Game, Variant};
use crate::clock::Instant;
use crate::rng;
use crate::tables::Tables;
use crate::types::Move;
use crate::types::score::{DRAW, INFINITE, MATE, MATE_IN_MAX, Score, Value};
use once_cell::sync::Lazy;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Stack size of a search thread, in bytes. The deepest line takes about 3 MiB; the system maps only what is used.
pub const STACK_SIZE: usize = 16 << 20;

/// Why a change of the pool failed. The pool is unchanged.
#[derive(Debug)]
pub enum PoolError {
    /// There is not enough memory for the hash table or the history tables of a thread.
    Memory(OutOfMemory),
    /// The system cannot start more threads.
    Thread {
        /// How many threads were requested.
        wanted: usize,
        /// The error of the system.
        cause: io::Error,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => error.fmt(f),
            Self::Thread { wanted, cause } => {
                write!(f, "{wanted} thread{} cannot be started: {cause}", if *wanted == 1 { "" } else { "s" })
            }
        }
    }
}

impl std::error::Error for PoolError {}

impl From<OutOfMemory> for PoolError {
    fn from(error: OutOfMemory) -> Self {
        Self::Memory(error)
    }
}

/// The counters of a thread, on their own cache line to avoid false sharing.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Counters {
    pub nodes: AtomicU64,
    pub tb_hits: AtomicU64,
}

/// What threads wait for: results, stop requests, and whether the best move was sent.
#[derive(Default)]
struct Progress {
    /// The result of the last completed iteration of each thread.
    results: Vec<Option<ThreadResult>>,
    /// Helper threads that have finished.
    finished_helpers: usize,
    /// `stop` was called.
    stop_requested: bool,
    /// The best move was reported.
    best_move_sent: bool,
}

/// How many threads can run at the same time, if the system reports it.
static PROCESSORS: Lazy<usize> = Lazy::new(|| thread::available_parallelism().map_or(usize::MAX, NonZero::get));

/// State that persists between searches.
#[derive(Default)]
pub(super) struct PoolState {
    /// How long the main thread has had to wait for a processor.
    pub delay: SchedulingDelay,
    /// Gives a limited engine different evaluation errors in each game.
    pub seed: AtomicU64,
}

/// One search: the state shared by its threads and by those that control it.
pub(super) struct Search {
    pub job: Job,
    pub listener: Arc<dyn Listener>,
    pub hash: Arc<HashTable>,
    pub counters: Box<[Counters]>,
    /// The node limit if a single thread searches; it is then exact.
    pub single_thread_node_limit: Option<u64>,
    pub stop: Arc<AtomicBool>,
    /// Whether there are more threads than processors.
    pub is_oversubscribed: bool,
    ponder: AtomicBool,
    /// When the clock started.
    pub start: Instant,
    pub state: Arc<PoolState>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Search {
    /// A search by a number of threads. Its clock starts now.
    pub fn new(
        mut job: Job,
        listener: Arc<dyn Listener>,
        hash: Arc<HashTable>,
        threads: usize,
        state: Arc<PoolState>,
    ) -> Self {
        if let Some(strength) = job.settings.strength {
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
            stop: Arc::default(),
            is_oversubscribed: threads > *PROCESSORS,
            start: Instant::now(),
            state,
            progress: Mutex::new(progress),
            changed: Condvar::new(),
        }
    }

    /// A placeholder for no search, already best_move_sent.
    fn idle(hash: Arc<HashTable>, state: Arc<PoolState>) -> Arc<Self> {
        let job =
            Job { game: Game::start(Variant::default()), limits: Limits::default(), settings: Settings::default() };
        let search = Self::new(job, Arc::new(NullListener), hash, 1, state);
        search.progress().best_move_sent = true;
        Arc::new(search)
    }

    /// Locks the progress, even if a thread panicked while it held the lock.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl Fn(&Progress) -> bool) {
        let progress = self.progress();
        drop(self.changed.wait_while(progress, |p| condition(p)).unwrap_or_else(PoisonError::into_inner));
    }

    /// Changes the progress and wakes all threads that wait for a change.
    fn signal(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress());
        self.changed.notify_all();
    }

    pub fn time_manager(&self) -> TimeManager {
        let side = self.job.game.board().side_to_move();
        TimeManager::new(self.start, side, &self.job.limits, &self.job.settings, self.state.delay.get())
    }

    /// Nodes of all threads, as last published.
    pub fn total_nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Tablebase hits of all threads, as last published.
    pub fn total_tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
    }

    pub fn is_pondering(&self) -> bool {
        self.ponder.load(Relaxed)
    }

    /// Publishes the result of an iteration to the main thread, unless that has best_move_sent already.
    pub fn publish(&self, thread: usize, result: Option<ThreadResult>) {
        if let Some(last) = self.progress().results.get_mut(thread) {
            *last = result;
        }
    }

    /// Reports the value and the line of a root move, if it has been searched.
    pub fn report(&self, root_move: &RootMove, index: usize) {
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
        let has_clock = limits.move_time.is_some() || limits.clock.iter().any(Option::is_some);
        let mut board = self.job.game.board().clone();
        line.iter().for_each(|&mv| board.make_move(mv));
        while line.len() < plies {
            let known = || self.hash.probe(board.key(), line.len())?.mv.filter(|&mv| board.is_legal(mv));
            let tables = if has_clock { Tables::embedded() } else { self.job.settings.tables_for(&board) };
            let Some(mv) = tables.best_move(&board).or_else(known) else { break };
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
        let known = self.hash.probe(game.board().key(), 1).and_then(|entry| entry.mv);
        known.filter(|&mv| game.board().is_legal(mv)).or_else(|| game.board().legal_moves().first().copied())
    }

    /// The number of lines to search and report.
    pub fn multi_pv(&self) -> usize {
        self.job.settings.multi_pv.max(1)
    }

    /// Runs the search on one thread. The main thread first wakes its helpers and finally reports the best move.
    fn run(self: &Arc<Self>, worker: &mut Worker, helpers: Vec<Sender<Message>>) {
        // The main thread wakes the helpers, since running helpers could starve the input thread on few processors. It
        // skips the rest once `stop` is set.
        for helper in helpers {
            let message = Message::Search { search: Arc::clone(self), helpers: Vec::new() };
            if self.stop.load(Relaxed) || helper.send(message).is_err() {
                self.signal(|progress| progress.finished_helpers += 1);
            }
        }
        if worker.index > 0 && self.stop.load(Relaxed) {
            return self.signal(|progress| progress.finished_helpers += 1);
        }
        // A panic is a bug, but the GUI must still get a best move.
        let result = catch_unwind(AssertUnwindSafe(|| worker.run(Arc::clone(self)))).unwrap_or_default();
        worker.publish_counters();
        if worker.index > 0 {
            return self.signal(|progress| progress.finished_helpers += 1);
        }
        // All threads stop when the main thread does, even if the best move is not to be reported yet.
        self.stop.store(true, Relaxed);
        self.wait_while(|progress| (self.job.limits.infinite || self.is_pondering()) && !progress.stop_requested);
        // Use the published results of the helpers. Waiting until the last of them is scheduled and stops could take
        // longer than the clock allows.
        let mut results = std::mem::take(&mut self.progress().results);
        if let (Some(main), true) = (results.first_mut(), result.is_some()) {
            *main = result;
        }
        let results: Vec<ThreadResult> = results.into_iter().flatten().collect();
        let answer = catch_unwind(AssertUnwindSafe(|| self.choose_move(&results)));
        let (mv, ponder) = answer.unwrap_or_else(|_| (self.fallback_move(), None));
        let _ = catch_unwind(AssertUnwindSafe(|| self.listener.best_move(mv, ponder)));
        self.signal(|progress| progress.best_move_sent = true);
    }

    /// Chooses the best move and the expected reply.
    fn choose_move(&self, results: &[ThreadResult]) -> (Option<Move>, Option<Move>) {
        let main = results.iter().find(|result| result.thread == 0);
        let chosen = if self.multi_pv() > 1 && main.is_some() { main } else { vote(results) };
        let Some(ThreadResult { thread, best, ponder, .. }) = chosen else { return (self.fallback_move(), None) };
        // The last line reported must be that of the best move.
        if *thread > 0 {
            self.report(best, 0);
        }
        (Some(best.mv), *ponder)
    }

    /// A legal move in case every thread has panicked; `None` if there is none.
    fn fallback_move(&self) -> Option<Move> {
        let board = self.job.game.board();
        let wanted = self.job.limits.search_moves.iter().copied().find(|&mv| board.is_legal(mv));
        wanted.or_else(|| board.legal_moves().first().copied())
    }
}

/// Chooses among the results of the threads.
///
/// Proven mates, for or against us, come first, the shortest before all: a thread with a longer mate, or none, has missed it. Otherwise
/// each thread votes for its best move with the square of its depth, and the deepest thread that voted for the winning
/// move is chosen.
fn vote(results: &[ThreadResult]) -> Option<&ThreadResult> {
    let is_proven = |result: &&ThreadResult| {
        let best = &result.best;
        best.value.abs() >= MATE_IN_MAX
            && (best.bound == Bound::Exact || (best.bound == Bound::Lower) == (best.value > 0))
    };
    // Ties go to the lowest thread index, that of the main thread.
    if let Some(mate) = results.iter().filter(is_proven).min_by_key(|result| MATE - result.best.value.abs()) {
        return Some(mate);
    }
    let weight = |result: &ThreadResult| u64::from(result.depth).pow(2);
    let mut votes: HashMap<Move, u64> = HashMap::new();
    for result in results {
        *votes.entry(result.best.mv).or_default() += weight(result);
    }
    results
        .iter()
        .max_by_key(|result| (votes[&result.best.mv], weight(result), result.best.value, Reverse(result.thread)))
}

enum Message {
    /// Run a search, after waking helpers.
    Search { search: Arc<Search>, helpers: Vec<Sender<Message>> },
    /// Replace the last search, and thereby release its hash table. Drop the sender when done.
    ReplaceSearch(Arc<Search>, Sender<Never>),
    /// Clear the histories. Drop the sender when done.
    ClearHistories(Sender<Never>),
}

/// Never sent: the receiver waits until all senders have been dropped.
enum Never {}

struct Thread {
    messages: Sender<Message>,
    handle: Option<JoinHandle<()>>,
}

impl Thread {
    /// Starts the thread `index` of the `wanted` ones.
    fn spawn(index: usize, wanted: usize, search: Arc<Search>) -> Result<Self, PoolError> {
        // Allocated here, where a lack of memory can still be reported.
        let mut worker = Worker::new(index, search)?;
        let (messages, received) = mpsc::channel();
        let run = move || {
            while let Ok(message) = received.recv() {
                match message {
                    Message::Search { search, helpers } => search.run(&mut worker, helpers),
                    Message::ReplaceSearch(search, _done) => worker.search = search,
                    Message::ClearHistories(_done) => worker.histories.clear(),
                }
            }
        };
        let handle = thread::Builder::new().name(format!("search {index}")).stack_size(STACK_SIZE).spawn(run);
        match handle {
            Ok(handle) => Ok(Self { messages, handle: Some(handle) }),
            Err(cause) => Err(PoolError::Thread { wanted, cause }),
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // The thread ends when its channel closes.
        let (closed, _) = mpsc::channel();
        self.messages = closed;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// Searches on the calling thread, for many short searches in a row: passing them to another thread would take as long
/// as the searches.
///
/// The calling thread needs a stack of [`STACK_SIZE`] bytes.
pub struct InlineSearcher {
    worker: Worker,
    stop: Arc<AtomicBool>,
}

impl InlineSearcher {
    /// A searcher with a hash table of `hash_mib` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(hash_mib: usize) -> Result<Self, PoolError> {
        let worker = Worker::new(0, Search::idle(Arc::new(HashTable::new(hash_mib)?), Arc::default()))?;
        Ok(Self { worker, stop: Arc::default() })
    }

    /// Clears the hash table and the histories, for a new game.
    pub fn clear(&mut self) {
        self.worker.search.hash.clear(1);
        self.worker.histories.clear();
    }

    /// Gives a limited engine different evaluation errors.
    pub fn set_seed(&mut self, seed: u64) {
        self.worker.search.state.seed.store(seed, Relaxed);
    }

    /// A flag that ends the running search soon when it is set. The next search resets it.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Searches until a limit is reached or the flag of [`InlineSearcher::stop_flag`] is set. The listener receives exactly
    /// one best move.
    pub fn search(&mut self, job: Job, listener: Arc<dyn Listener>) {
        let last = &self.worker.search;
        let (hash, state) = (Arc::clone(&last.hash), Arc::clone(&last.state));
        hash.new_search();
        self.stop.store(false, Relaxed);
        let search = Search { stop: Arc::clone(&self.stop), ..Search::new(job, listener, hash, 1, state) };
        Arc::new(search).run(&mut self.worker, Vec::new());
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        self.worker.search.total_nodes()
    }
}

/// A listener that ignores everything.
struct NullListener;

impl Listener for NullListener {
    fn report(&self, _: &Report) {}
    fn current_move(&self, _: u32, _: Move, _: usize) {}
    fn best_move(&self, _: Option<Move>, _: Option<Move>) {}
}

/// Search threads and the hash table that they share.
pub struct ThreadPool {
    threads: Vec<Thread>,
    hash: Arc<HashTable>,
    /// Whether nothing has been stored since the table was cleared.
    hash_is_empty: bool,
    /// The running or last search.
    search: Arc<Search>,
}

impl ThreadPool {
    /// A pool of at least one thread with a hash table of `hash_mib` MiB.
    ///
    /// # Errors
    /// If there is not enough memory or a thread cannot be started.
    pub fn new(threads: usize, hash_mib: usize) -> Result<Self, PoolError> {
        let hash = Arc::new(HashTable::new(hash_mib)?);
        let search = Search::idle(Arc::clone(&hash), Arc::default());
        // The first table is small. Clearing it here would make startup slower.
        let mut pool = Self { threads: Vec::new(), hash, hash_is_empty: false, search };
        pool.set_threads(threads)?;
        pool.new_seed();
        Ok(pool)
    }

    /// Sets the number of threads, after the running search. The remaining threads keep their histories.
    ///
    /// # Errors
    /// If the system cannot start more threads. The number is then unchanged.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        self.wait();
        let before = self.threads.len();
        let wanted = threads.max(1);
        for index in before..wanted {
            match Thread::spawn(index, wanted, Arc::clone(&self.search)) {
                Ok(thread) => self.threads.push(thread),
                Err(error) => {
                    self.threads.truncate(before);
                    return Err(error);
                }
            }
        }
        // Close all channels before waiting for the first thread.
        let mut surplus = self.threads.split_off(wanted);
        for thread in &mut surplus {
            thread.messages = mpsc::channel().0;
        }
        Ok(())
    }

    /// Sets the size of the hash table, after the running search. The new table is empty.
    ///
    /// # Errors
    /// If there is not enough memory. The old table is then unchanged.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), PoolError> {
        self.wait();
        if mib == self.hash.mib() {
            return Ok(());
        }
        self.hash = Arc::new(HashTable::replacing(mib, self.hash.mib())?);
        let state = Arc::clone(&self.search.state);
        // The last reference to the old table is in the last search. Free it before touching the new one: there may not
        // be enough memory for both.
        self.search = Search::idle(Arc::clone(&self.hash), state);
        self.broadcast(|done| Message::ReplaceSearch(Arc::clone(&self.search), done));
        self.hash_is_empty = false;
        self.clear_hash();
        Ok(())
    }

    /// Clears the hash table and all histories, for a new game.
    pub fn clear(&mut self) {
        self.new_seed();
        self.clear_hash();
        self.broadcast(Message::ClearHistories);
    }

    fn new_seed(&self) {
        self.search.state.seed.store(rng::entropy(), Relaxed);
    }

    /// Clears the hash table, after the running search, with as many threads as the search uses.
    pub fn clear_hash(&mut self) {
        self.wait();
        // Helpers may not have stopped yet and could still store entries.
        self.search.wait_while(|progress| progress.finished_helpers + 1 < self.search.counters.len());
        if !self.hash_is_empty {
            self.hash.clear(self.threads.len().min(*PROCESSORS));
            self.hash_is_empty = true;
        }
    }

    /// Sends a message to all threads and waits until all have executed it.
    fn broadcast(&self, message: impl Fn(Sender<Never>) -> Message) {
        let (sender, all_done) = mpsc::channel();
        for thread in &self.threads {
            let _ = thread.messages.send(message(sender.clone()));
        }
        drop(sender);
        let _ = all_done.recv();
    }

    /// Starts a search and returns at once, but waits for an earlier search first. The listener receives exactly one
    /// best move.
    pub fn start(&mut self, job: Job, listener: Arc<dyn Listener>) {
        self.wait();
        self.hash_is_empty = false;
        self.hash.new_search();
        let (hash, state) = (Arc::clone(&self.hash), Arc::clone(&self.search.state));
        self.search = Arc::new(Search::new(job, listener, hash, self.threads.len(), state));
        if let Some((main, helpers)) = self.threads.split_first() {
            let helpers = helpers.iter().map(|thread| thread.messages.clone()).collect();
            let _ = main.messages.send(Message::Search { search: Arc::clone(&self.search), helpers });
        }
    }

    /// Stops the running search, which then reports its best move.
    pub fn stop(&self) {
        self.search.signal(|progress| progress.stop_requested = true);
        self.search.stop.store(true, Relaxed);
    }

    /// Ends pondering, since the opponent has made the expected move. Time limits apply from now on. The time spent
    /// pondering counts, so the best move may come at once.
    pub fn ponder_hit(&self) {
        self.search.signal(|_| self.search.ponder.store(false, Relaxed));
    }

    /// Whether a search has not reported its best move yet.
    pub fn is_searching(&self) -> bool {
        !self.search.progress().best_move_sent
    }

    /// Whether a search is running that ends only on [`Self::stop`], or not before [`Self::ponder_hit`].
    pub fn needs_command(&self) -> bool {
        let Job { game, limits, .. } = &self.search.job;
        let ends = !limits.infinite && limits.is_bounded(game.board().side_to_move()) && !self.search.is_pondering();
        let progress = self.search.progress();
        !ends && !progress.best_move_sent && !progress.stop_requested
    }

    /// Waits until the running search has reported its best move.
    pub fn wait(&self) {
        self.search.wait_while(|progress| !progress.best_move_sent);
    }

    /// Nodes of the running or last search, all threads together.
    pub fn nodes(&self) -> u64 {
        self.search.total_nodes()
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.stop();
        self.wait();
        for thread in &mut self.threads {
            thread.messages = mpsc::channel().0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(threads: usize) -> Arc<Search> {
        let job =
            Job { game: Game::start(Variant::default()), limits: Limits::default(), settings: Settings::default() };
        Arc::new(Search::new(
            job,
            Arc::new(NullListener),
            Arc::new(HashTable::new(1).expect("a small table")),
            threads,
            Arc::default(),
        ))
    }

    /// Regression test: a thousand threads on two processors searched for seconds after `stop`.
    #[test]
    fn threads_that_come_too_late_do_not_search() {
        let search = search(4);
        search.stop.store(true, Relaxed);
        let mut worker = Worker::new(1, Arc::clone(&search)).expect("a worker");
        let (helper, called) = mpsc::channel();
        search.run(&mut worker, vec![helper.clone(), helper]);
        assert!(called.try_recv().is_err());
        assert_eq!((search.progress().finished_helpers, search.total_nodes()), (3, 0));
    }

    /// Panics on request, and records the best moves.
    struct Faulty {
        in_report: bool,
        in_answer: bool,
        answers: Mutex<Vec<Option<Move>>>,
    }

    impl Listener for Faulty {
        fn report(&self, _: &Report) {
            assert!(!self.in_report, "this panic is a part of the test");
        }
        fn current_move(&self, _: u32, _: Move, _: usize) {}
        fn best_move(&self, best: Option<Move>, _: Option<Move>) {
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(best);
            assert!(!self.in_answer, "this panic is a part of the test");
        }
    }

    /// Regression test: after a panic the pool waited forever for a best move.
    #[test]
    fn a_panic_still_yields_a_best_move() {
        for threads in [1, 3] {
            let mut pool = ThreadPool::new(threads, 1).expect("a pool");
            for (in_report, in_answer) in [(true, false), (false, true), (true, true), (false, false)] {
                let listener = Arc::new(Faulty { in_report, in_answer, answers: Mutex::default() });
                let limits = Limits { depth: Some(4), ..Limits::default() };
                let job = Job { game: Game::start(Variant::Spartan), limits, settings: Settings::default() };
                let start = job.game.board().clone();
                pool.start(job, Arc::clone(&listener) as Arc<dyn Listener>);
                pool.wait();
                assert!(!pool.is_searching());
                let answers = listener.answers.lock().unwrap_or_else(PoisonError::into_inner);
                assert!(matches!(answers[..], [Some(mv)] if start.is_legal(mv)), "{answers:?}");
            }
        }
    }

    fn result(thread: usize, depth: u32, mv: Move, value: Value) -> ThreadResult {
        let mut best = RootMove::new(mv);
        (best.value, best.depth) = (value, depth);
        ThreadResult { thread, depth, best, ponder: None }
    }

    #[test]
    fn the_vote_prefers_mates_and_depth() {
        use crate::types::Square;
        let [a, b] = [Square::E4, Square::E3].map(|to| Move::normal(Square::E2, to));
        let chosen = |results: &[ThreadResult]| vote(results).map(|result| result.thread);
        assert_eq!(chosen(&[]), None);
        // A mate beats any number of threads that have not seen it.
        assert_eq!(chosen(&[result(0, 9, a, -80), result(1, 12, b, -MATE + 6), result(2, 9, a, -90)]), Some(1));
        assert_eq!(chosen(&[result(0, 9, a, MATE - 9), result(1, 8, b, MATE - 5)]), Some(1));
        // A lower bound on a loss does not prove the mate.
        let mut lower = result(0, 9, a, -MATE + 4);
        lower.best.bound = Bound::Lower;
        assert_eq!(chosen(&[lower, result(1, 9, b, 10), result(2, 8, b, 20)]), Some(1));
        // Two threads of nearly the same depth outvote one; shallow threads do not.
        assert_eq!(chosen(&[result(0, 10, a, 0), result(1, 9, b, 0), result(2, 9, b, 5)]), Some(2));
        assert_eq!(chosen(&[result(0, 10, a, 0), result(1, 3, b, 300), result(2, 2, b, 300)]), Some(0));
        assert_eq!(chosen(&[result(0, 10, a, 5), result(1, 10, a, 5)]), Some(0));
    }
}
