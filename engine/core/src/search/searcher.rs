//! Searches: started or waited for, on threads of their own or on the calling thread.

use super::analysis::Analysis;
use super::error::PoolError;
use super::hash::HashTable;
use super::history::SharedHistories;
use super::job::{Job, Limits, Listener, Settings};
use super::pool::ThreadPool;
use super::shared::{PROCESSORS, Persistent, Shared};
use super::start;
use super::thread::Thread;
use super::watchdog::Watchdog;
use crate::board::Game;
use crate::rng;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The interval at which [`Searcher::search_until`] looks at its flag.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Runs one search after another, with a hash table that they share.
pub struct Searcher {
    /// The options of the next searches.
    pub settings: Settings,
    threads: Threads,
    watchdog: Watchdog,
    hash: Arc<HashTable>,
    /// Whether nothing has been stored since the table was cleared.
    hash_is_empty: bool,
    /// The histories shared by all threads.
    histories: Arc<SharedHistories>,
    persistent: Arc<Persistent>,
    stop: Arc<AtomicBool>,
    /// The running or last search.
    search: Option<Arc<Shared>>,
}

enum Threads {
    Own(ThreadPool),
    /// The calling thread is the main thread; its helpers are in the pool.
    Calling(Box<Thread>, ThreadPool),
}

impl Searcher {
    /// A searcher with at least one thread of its own and a hash table of `hash_mib` MiB.
    ///
    /// # Errors
    /// If there is not enough memory or a thread cannot be started.
    pub fn new(threads: usize, hash_mib: usize) -> Result<Self, PoolError> {
        let histories = SharedHistories::new()?;
        let mut pool = ThreadPool::new(Arc::clone(&histories));
        pool.resize(threads.max(1))?;
        Self::with_threads(Threads::Own(pool), histories, hash_mib)
    }

    /// A searcher that searches on the calling thread, which needs a stack of [`STACK_SIZE`](super::STACK_SIZE) bytes.
    /// This halves the time of short searches, and works where there are no threads.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn on_this_thread(hash_mib: usize) -> Result<Self, PoolError> {
        let histories = SharedHistories::new()?;
        let main = Box::new(Thread::new(0, &histories)?);
        let helpers = ThreadPool::of_helpers(Arc::clone(&histories));
        Self::with_threads(Threads::Calling(main, helpers), histories, hash_mib)
    }

    fn with_threads(threads: Threads, histories: Arc<SharedHistories>, hash_mib: usize) -> Result<Self, PoolError> {
        let searcher = Self {
            settings: Settings::default(),
            threads,
            watchdog: Watchdog::default(),
            hash: Arc::new(HashTable::new(hash_mib)?),
            // The first table is small. Clearing it here would make startup slower.
            hash_is_empty: false,
            histories,
            persistent: Arc::default(),
            stop: Arc::default(),
            search: None,
        };
        searcher.set_seed(rng::entropy());
        Ok(searcher)
    }

    /// Sets the number of threads, after the running search. The remaining threads keep their own histories. A searcher
    /// on the calling thread has that as its main thread, and the others help; in WebAssembly, as many as the host has
    /// lent.
    ///
    /// # Errors
    /// If the system cannot start more threads. The number is then unchanged.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        self.wait();
        match &mut self.threads {
            Threads::Own(pool) => pool.resize(threads.max(1)),
            Threads::Calling(_, helpers) => helpers.resize(threads.saturating_sub(1).min(start::available())),
        }
    }

    /// Whether searches run on the calling thread: starting one returns at its end.
    pub fn is_on_this_thread(&self) -> bool {
        matches!(self.threads, Threads::Calling(..))
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
        self.hash = Arc::new(HashTable::new(mib)?);
        // Free the old table, which the last search has, before touching the new one: there may not be enough memory
        // for both.
        self.search = None;
        self.hash_is_empty = false;
        self.clear_hash();
        Ok(())
    }

    /// Clears the hash table and all histories, for a new game: the next search then depends only on its position, and
    /// a limited engine gets new evaluation errors.
    pub fn clear(&mut self) {
        self.clear_hash();
        self.set_seed(rng::entropy());
        self.on_all_threads(|thread| thread.tables.clear_own());
        // Now that no helper of the last search is left to update them.
        self.histories.clear();
    }

    /// Clears the hash table, after the running search, with as many threads as the search uses.
    pub fn clear_hash(&mut self) {
        // After its best move, helpers of a search may not have stopped yet and could still store entries.
        self.on_all_threads(|_| ());
        if !self.hash_is_empty {
            let threads = match &self.threads {
                Threads::Own(pool) => pool.len(),
                Threads::Calling(_, helpers) => 1 + helpers.len(),
            };
            self.hash.clear(threads.min(*PROCESSORS));
            self.hash_is_empty = true;
        }
    }

    /// Executes a task on all threads when they have ended the running search.
    fn on_all_threads(&mut self, task: fn(&mut Thread)) {
        self.wait();
        match &mut self.threads {
            Threads::Own(pool) => pool.broadcast(task),
            Threads::Calling(thread, helpers) => {
                helpers.broadcast(task);
                task(thread);
            }
        }
    }

    /// Sets the seed of the evaluation errors of a limited engine.
    pub fn set_seed(&self, seed: u64) {
        self.persistent.seed.store(seed, Relaxed);
    }

    /// Starts a search, but waits for an earlier one first. The listener receives exactly one best move.
    ///
    /// On threads of its own, the search runs when this function returns. On the calling thread it has ended then: no
    /// command could arrive meanwhile, so `infinite` and `ponder` have no effect.
    pub fn start(&mut self, game: Game, mut limits: Limits, listener: Arc<dyn Listener>) {
        self.wait();
        self.hash_is_empty = false;
        self.hash.new_search();
        let count = match &self.threads {
            Threads::Own(pool) => {
                // Helpers of the last search may not have seen its flag yet.
                self.stop = Arc::default();
                useful_threads(pool.len(), &limits, *PROCESSORS)
            }
            Threads::Calling(_, helpers) => {
                // The flag remains, so those of the last search must have seen it.
                helpers.broadcast(|_| ());
                self.stop.store(false, Relaxed);
                (limits.infinite, limits.ponder) = (false, false);
                useful_threads(1 + helpers.len(), &limits, *PROCESSORS)
            }
        };
        // The levels are measured with one thread; others would search more nodes than a level has.
        let count = if self.settings.options.strength().is_some() { 1 } else { count };
        let job = Job { game, limits, settings: self.settings.clone() };
        let (hash, persistent, stop) = (Arc::clone(&self.hash), Arc::clone(&self.persistent), Arc::clone(&self.stop));
        let search = Arc::new(Shared::new(job, listener, hash, count, persistent, stop));
        self.search = Some(Arc::clone(&search));
        match &mut self.threads {
            Threads::Own(pool) => {
                self.watchdog.watch(&search);
                let channels = pool.channels(count);
                let main = channels[0].clone();
                let _ = main.send(Box::new(move |thread| thread.search(&search, &channels[1..])));
            }
            Threads::Calling(thread, helpers) => thread.search(&search, &helpers.channels(count - 1)),
        }
    }

    /// The search that has not reported its best move yet.
    fn running(&self) -> Option<&Shared> {
        self.search.as_deref().filter(|search| search.is_running())
    }

    /// Stops the running search, if any, which then reports its best move.
    pub fn stop(&self) {
        self.running().map(Shared::stop);
    }

    /// A flag that ends the running search soon when it is set. Callers of a searcher on the calling thread can set it
    /// in a [`Listener`]; there the next search resets it. With threads of its own each search has another flag.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Ends pondering, since the opponent has made the expected move. Time limits apply from now on. The time spent
    /// pondering counts, so the best move may come at once.
    pub fn ponder_hit(&self) {
        self.running().map(Shared::ponder_hit);
    }

    /// Whether the best move of a search is still to come.
    pub fn is_searching(&self) -> bool {
        self.running().is_some()
    }

    /// Whether a search is running that ends only on [`Self::stop`], or not before [`Self::ponder_hit`].
    pub fn needs_command(&self) -> bool {
        self.running().is_some_and(Shared::needs_command)
    }

    /// Waits until the running search, if any, has reported its best move.
    pub fn wait(&self) {
        self.search.as_deref().map(Shared::wait);
    }

    /// Nodes of the running or last search, all threads together.
    pub fn nodes(&self) -> u64 {
        self.search.as_deref().map_or(0, Shared::total_nodes)
    }

    /// Searches for a number of lines, waits for the result and returns all reports.
    pub fn search(&mut self, game: &Game, limits: Limits, multi_pv: usize) -> Analysis {
        self.search_until(&AtomicBool::new(false), game, limits, multi_pv)
    }

    /// As [`Self::search`], but ends soon after `stop` is set, unless it searches on the calling thread.
    pub fn search_until(&mut self, stop: &AtomicBool, game: &Game, limits: Limits, multi_pv: usize) -> Analysis {
        let recorder = Arc::new(Mutex::new(Analysis::default()));
        self.settings.options.multi_pv = multi_pv.max(1) as u32;
        self.start(game.clone(), limits, recorder.clone());
        // After a search on the calling thread there is nothing to wait for, and perhaps no clock of the system to do
        // so.
        while self.running().is_some_and(|search| !search.wait_timeout(STOP_CHECK_INTERVAL)) {
            if stop.load(Relaxed) {
                self.stop();
            }
        }
        std::mem::take(&mut recorder.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// As [`Self::search`], with a limit of nodes alone.
    pub fn search_nodes(&mut self, game: &Game, nodes: u64, multi_pv: usize) -> Analysis {
        self.search(game, Limits { nodes: Some(nodes), ..Limits::default() }, multi_pv)
    }
}

/// How many of some threads search. With a time limit, not more than there are processors: others would only delay the
/// main thread, and a thousand would let its time run out.
fn useful_threads(threads: usize, limits: &Limits, processors: usize) -> usize {
    if limits.is_timed() { threads.min(processors.max(1)) } else { threads }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Variant};
    use crate::search::{Report, STACK_SIZE};
    use crate::types::Move;

    #[test]
    fn the_clock_limits_the_number_of_threads() {
        let timed = Limits { clock: [Some(Duration::from_secs(1)), None], ..Limits::default() };
        let fixed = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() };
        for (limits, threads, processors, expected) in [
            (&timed, 1024, 2, 2),
            (&fixed, 1024, 2, 2),
            (&timed, 2, 8, 2),
            (&timed, 3, usize::MAX, 3),
            (&Limits::default(), 1024, 2, 1024),
        ] {
            assert_eq!(useful_threads(threads, limits, processors), expected);
        }
    }

    #[test]
    fn searches_on_this_thread_match_those_of_the_pool() {
        let game = Game::start(Variant::Spartan);
        let here = move || {
            let mut searcher = Searcher::on_this_thread(1).expect("memory");
            let searches = [(); 3].map(|()| {
                let analysis = searcher.search_nodes(&game, 3000, 1);
                (analysis.best, analysis.score(), searcher.nodes())
            });
            searcher.clear();
            let again = searcher.search_nodes(&game, 3000, 1);
            (searches, (again.best, again.score(), searcher.nodes()))
        };
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(here);
        let (searches, again) = thread.expect("a thread").join().expect("searches");
        let game = Game::start(Variant::Spartan);
        let mut searcher = Searcher::new(1, 1).expect("memory");
        for search in searches {
            let analysis = searcher.search_nodes(&game, 3000, 1);
            assert_eq!((analysis.best, analysis.score(), searcher.nodes()), search);
        }
        assert_eq!(again, searches[0]);
    }

    /// Ends each search early from a report of the main thread, as a host without further threads does.
    struct Stopper(Arc<AtomicBool>, Mutex<Option<Move>>);

    impl Listener for Stopper {
        fn report(&self, report: &Report) {
            self.0.store(report.depth >= 6, Relaxed);
        }
        fn best_move(&self, best: Option<Move>, _: Option<Move>) {
            *self.1.lock().unwrap_or_else(PoisonError::into_inner) = best;
        }
    }

    #[test]
    fn helpers_search_with_the_calling_thread() {
        let search = || {
            let mut searcher = Searcher::on_this_thread(1).expect("memory");
            let listener = Arc::new(Stopper(searcher.stop_flag(), Mutex::default()));
            let game = Game::start(Variant::Spartan);
            for threads in [3, 2, 1, 4, 0] {
                searcher.set_threads(threads).expect("threads");
                for _ in 0..3 {
                    searcher.start(game.clone(), Limits::default(), Arc::clone(&listener) as _);
                    let best = listener.1.lock().unwrap_or_else(PoisonError::into_inner).take();
                    assert!(best.is_some_and(|mv| game.board().is_legal(mv)), "{best:?}");
                    let search = searcher.search.as_deref().expect("a search");
                    assert_eq!(search.counters.len(), threads.max(1));
                }
                searcher.clear();
            }
        };
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(search);
        thread.expect("a thread").join().expect("searches");
    }

    /// Helpers may still search when the best move has been sent, but must not leave anything behind.
    #[test]
    fn nothing_that_several_threads_have_learnt_survives_a_clear() {
        let game = Game::start(Variant::Spartan);
        let one = |searcher: &mut Searcher| {
            let analysis = searcher.search_nodes(&game, 20_000, 1);
            (analysis.best, analysis.score(), searcher.nodes())
        };
        let mut searcher = Searcher::new(1, 1).expect("memory");
        let expected = one(&mut searcher);
        for _ in 0..5 {
            searcher.set_threads(4).expect("threads");
            searcher.search_nodes(&game, 20_000, 1);
            searcher.clear();
            searcher.set_threads(1).expect("threads");
            assert_eq!(one(&mut searcher), expected);
        }
    }

    #[test]
    fn a_plain_evaluation_ignores_the_halfmove_clock() {
        let mut searcher = Searcher::new(1, 1).expect("memory");
        // White has no queen.
        let mut score = |clock: u16, plain_eval| {
            let fen = format!("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNB1KBNR w KQ - {clock} 40");
            let board = Board::from_fen(&fen, Variant::Spartan).expect("a position");
            searcher.clear();
            searcher.settings.plain_eval = plain_eval;
            searcher.search_nodes(&Game::new(board), 2000, 1).score()
        };
        assert_eq!(score(0, true), score(40, true));
        assert_ne!(score(0, false), score(40, false));
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
        fn best_move(&self, best: Option<Move>, _: Option<Move>) {
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(best);
            assert!(!self.in_answer, "this panic is a part of the test");
        }
    }

    /// Regression test: after a panic the searcher waited forever for a best move.
    #[test]
    fn a_panic_still_yields_a_best_move() {
        for threads in [1, 3] {
            let mut searcher = Searcher::new(threads, 1).expect("a searcher");
            for (in_report, in_answer) in [(true, false), (false, true), (true, true), (false, false)] {
                let listener = Arc::new(Faulty { in_report, in_answer, answers: Mutex::default() });
                let limits = Limits { depth: Some(4), ..Limits::default() };
                let game = Game::start(Variant::Spartan);
                let start = game.board().clone();
                searcher.start(game, limits, Arc::clone(&listener) as Arc<dyn Listener>);
                searcher.wait();
                assert!(!searcher.is_searching());
                let answers = listener.answers.lock().unwrap_or_else(PoisonError::into_inner);
                assert!(matches!(answers[..], [Some(mv)] if start.is_legal(mv)), "{answers:?}");
            }
        }
    }
}
