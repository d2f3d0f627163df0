//! The search threads: long-lived, one search at a time, all on the same tree (Lazy SMP).
//!
//! Threads share only the hash table and a few flags. They differ by the order in which their entries
//! come into the table, which is enough to make them look at different parts of the tree.

use super::hash::{HashTable, OutOfMemory};
use super::time::TimeManager;
use super::wdl::win_draw_loss;
use super::worker::{Finding, RootMove, Worker};
use super::{Bound, Job, Limits, Listener, Report, Settings};
use crate::board::{Game, Variant};
use crate::types::Move;
use crate::types::score::{DRAW, INFINITE, MATE, MATE_IN_MAX, Score, Value};
use once_cell::sync::Lazy;
use std::collections::HashMap;
use std::fmt;
use std::num::NonZero;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Stack of a search thread, in bytes: the deepest line of nodes takes about 3 MiB. Only what is used
/// is taken from the system.
pub const STACK_SIZE: usize = 16 << 20;

/// Why the pool stayed as it was.
#[derive(Debug)]
pub enum PoolError {
    /// The hash table does not fit.
    Memory(OutOfMemory),
    /// The system gives no more threads.
    Thread {
        /// How many threads were asked for.
        wanted: usize,
        /// What the system said.
        cause: std::io::Error,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => error.fmt(f),
            Self::Thread { wanted, cause } => write!(f, "{wanted} threads cannot be started: {cause}"),
        }
    }
}

impl std::error::Error for PoolError {}

impl From<OutOfMemory> for PoolError {
    fn from(error: OutOfMemory) -> Self {
        Self::Memory(error)
    }
}

/// A counter on a cache line of its own, so that threads do not slow each other down.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct NodeCounter(pub AtomicU64);

/// How far a search has come.
#[derive(Default)]
struct Progress {
    /// What each thread found, the main thread's first.
    findings: Vec<Option<Finding>>,
    /// Threads that have ended.
    ended: usize,
    /// The search was told to stop.
    told: bool,
    /// The answer was given.
    answered: bool,
}

/// How many threads can run at the same time, as far as the system tells.
static PROCESSORS: Lazy<usize> = Lazy::new(|| thread::available_parallelism().map_or(usize::MAX, NonZero::get));

/// One search: what is shared between the threads that do it and those who control it.
pub(super) struct Search {
    pub job: Job,
    pub listener: Arc<dyn Listener>,
    pub hash: Arc<HashTable>,
    pub nodes: Box<[NodeCounter]>,
    /// The node limit, if a single thread searches: then it is kept to the node.
    pub single_thread_node_limit: Option<u64>,
    pub stop: AtomicBool,
    /// There are more threads than processors.
    pub is_crowded: bool,
    ponder: AtomicBool,
    /// When the time began to run.
    pub start: Instant,
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Search {
    /// A search by so many threads, whose time runs from now on.
    pub fn new(job: Job, listener: Arc<dyn Listener>, hash: Arc<HashTable>, threads: usize) -> Self {
        let progress = Progress { findings: vec![None; threads], ..Progress::default() };
        Self {
            single_thread_node_limit: job.limits.nodes.filter(|_| threads == 1),
            ponder: AtomicBool::new(job.limits.ponder),
            job,
            listener,
            hash,
            nodes: (0..threads).map(|_| NodeCounter::default()).collect(),
            stop: AtomicBool::new(false),
            is_crowded: threads > *PROCESSORS,
            start: Instant::now(),
            progress: Mutex::new(progress),
            changed: Condvar::new(),
        }
    }

    /// A search that is over before it began.
    fn finished(hash: Arc<HashTable>) -> Arc<Self> {
        let job =
            Job { game: Game::start(Variant::default()), limits: Limits::default(), settings: Settings::default() };
        let search = Self::new(job, Arc::new(Nobody), hash, 1);
        search.progress().answered = true;
        Arc::new(search)
    }

    /// The state, also when a thread died while holding it.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl Fn(&Progress) -> bool) {
        let progress = self.progress();
        drop(self.changed.wait_while(progress, |p| condition(p)).unwrap_or_else(PoisonError::into_inner));
    }

    /// Changes a flag so that nobody who waits for it sleeps through the change.
    fn signal(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress());
        self.changed.notify_all();
    }

    pub fn time_manager(&self) -> TimeManager {
        let side = self.job.game.board().side_to_move();
        TimeManager::new(self.start, side, &self.job.limits, &self.job.settings)
    }

    /// Nodes of all threads, as far as they have told.
    pub fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|counter| counter.0.load(Relaxed)).sum()
    }

    pub fn is_pondering(&self) -> bool {
        self.ponder.load(Relaxed)
    }

    /// Tells the listener what is known of a root move: its value, or the one before if there is none
    /// yet.
    pub fn report(&self, root_move: &RootMove, depth: u32, index: usize) {
        let value = if root_move.value == -INFINITE { root_move.previous } else { root_move.value };
        if value == -INFINITE {
            return;
        }
        self.listener.report(&Report {
            depth,
            seldepth: root_move.seldepth,
            multi_pv: index + 1,
            score: Score::from(value),
            bound: root_move.bound,
            wdl: win_draw_loss(value),
            nodes: self.total_nodes(),
            time: self.start.elapsed(),
            hashfull: self.hash.hashfull(),
            pv: self.completed_line(root_move, value),
        });
    }

    /// The line of a root move. Where it ends before the mate that its value speaks of, the hash table
    /// usually knows how to go on.
    fn completed_line(&self, root_move: &RootMove, value: Value) -> Vec<Move> {
        let mut line = root_move.pv.clone();
        if value == DRAW && line.len() == 1 {
            line.extend(self.reply_to(line[0]));
        }
        if value.abs() < MATE_IN_MAX || root_move.bound != Bound::Exact {
            return line;
        }
        let plies = (MATE - value.abs()) as usize;
        let mut board = self.job.game.board().clone();
        line.iter().for_each(|&mv| board.make_move(mv));
        while line.len() < plies {
            let entry = self.hash.probe(board.key(), line.len());
            let Some(mv) = entry.and_then(|entry| entry.mv).filter(|&mv| board.is_legal(mv)) else { break };
            board.make_move(mv);
            line.push(mv);
        }
        line
    }

    /// A move after a root move, unless that ends the game. For tools that take a line of one move with
    /// the value of a draw for the end of the game: a line may also be that short because the opponent is
    /// able to repeat the position.
    fn reply_to(&self, mv: Move) -> Option<Move> {
        let mut game = self.job.game.clone();
        game.push(mv).ok()?;
        if game.outcome().is_some() {
            return None;
        }
        let known = self.hash.probe(game.board().key(), 1).and_then(|entry| entry.mv);
        known.filter(|&mv| game.board().is_legal(mv)).or_else(|| game.board().legal_moves().first().copied())
    }

    /// How many lines to search. A handicapped engine chooses among several.
    pub fn lines(&self) -> usize {
        let lines = self.told_lines();
        if self.job.settings.skill.is_some() { lines.max(4) } else { lines }
    }

    /// How many lines to tell of.
    pub fn told_lines(&self) -> usize {
        self.job.settings.multi_pv.max(1)
    }

    /// Takes part in the search as a thread, and gives the answer as the main thread. Calls some other
    /// threads first.
    fn take_part(self: &Arc<Self>, worker: &mut Worker, helpers: Vec<Sender<Command>>) {
        // Where threads are many and processors few, some get their turn only when all is over.
        let late = self.stop.load(Relaxed);
        if late {
            self.signal(|progress| progress.ended += helpers.len());
        } else {
            self.call(helpers);
        }
        if late && worker.index > 0 {
            return self.signal(|progress| progress.ended += 1);
        }
        // A panic is a bug, but no reason to leave the GUI without an answer.
        let run = AssertUnwindSafe(|| worker.run(Arc::clone(self)));
        let finding = std::panic::catch_unwind(run).unwrap_or_default();
        self.nodes[worker.index].0.store(worker.nodes, Relaxed);
        if worker.index > 0 {
            self.signal(|progress| {
                progress.findings[worker.index] = finding;
                progress.ended += 1;
            });
            return;
        }
        // What ends the search of this thread ends that of all, also if the answer has to wait.
        self.stop.store(true, Relaxed);
        self.wait_while(|progress| (self.job.limits.infinite || self.is_pondering()) && !progress.told);
        self.wait_while(|progress| progress.ended + 1 < self.nodes.len());
        let mut findings: Vec<Finding> = self.progress().findings.drain(..).flatten().collect();
        findings.extend(finding);
        self.answer(worker, &findings);
    }

    /// Calls threads to the search: two, each of which calls one half of the others. So nobody has much to
    /// do, however many there are. Who starts a search hears the next command at once, and does not
    /// have to compete for that with all whom it has woken up.
    fn call(self: &Arc<Self>, mut helpers: Vec<Sender<Command>>) {
        let second_half = helpers.split_off(helpers.len() / 2);
        for mut half in [helpers, second_half] {
            let count = half.len();
            let Some(next) = half.pop() else { continue };
            let command = Command::Search { search: Arc::clone(self), helpers: half };
            if next.send(command).is_err() {
                self.signal(|progress| progress.ended += count);
            }
        }
    }

    fn answer(&self, worker: &Worker, findings: &[Finding]) {
        let best = match self.job.settings.skill {
            Some(skill) => findings.last().map(|f| (f, pick_by_skill(&f.root_moves, skill, worker.nodes))),
            None if self.lines() > 1 => findings.last().map(|f| (f, 0)),
            None => vote(findings).map(|f| (f, 0)),
        };
        let (mv, ponder) = match best {
            Some((finding, index)) => {
                let root_move = &finding.root_moves[index];
                // The last line that is told is that of the answer.
                if finding.thread > 0 || index > 0 {
                    self.report(root_move, finding.depth, 0);
                }
                let ponder = root_move.pv.get(1).copied().or(if index == 0 { finding.ponder } else { None });
                (Some(root_move.mv), ponder)
            }
            // No legal move; or every thread broke down, and any move is better than none.
            None => {
                let board = self.job.game.board();
                let wanted = self.job.limits.search_moves.iter().copied().find(|&mv| board.is_legal(mv));
                (wanted.or_else(|| board.legal_moves().first().copied()), None)
            }
        };
        self.listener.best_move(mv, ponder);
        self.signal(|progress| progress.answered = true);
    }
}

/// The threads' choice: each votes for its move with the weight of its depth and its value. A proven
/// mate goes before all votes.
fn vote(findings: &[Finding]) -> Option<&Finding> {
    let value = |f: &Finding| f.root_moves[0].value.max(-INFINITE);
    let worst = findings.iter().map(value).min()?;
    let mut votes: HashMap<Move, i64> = HashMap::new();
    let weight = |f: &Finding| i64::from(value(f) - worst + 14) * i64::from(f.depth);
    for finding in findings {
        *votes.entry(finding.root_moves[0].mv).or_default() += weight(finding);
    }
    findings.iter().max_by_key(|f| {
        let mate = if value(f).abs() >= MATE_IN_MAX { value(f) } else { 0 };
        (mate, votes[&f.root_moves[0].mv], weight(f))
    })
}

/// A move that a weaker player might choose: the less skill, the more a random bonus may make up for.
fn pick_by_skill(root_moves: &[RootMove], skill: f64, seed: u64) -> usize {
    let candidates = &root_moves[..root_moves.len().min(4)];
    let Some(best) = candidates.iter().map(|m| m.value).max() else { return 0 };
    let worst = candidates.iter().map(|m| m.value).filter(|&v| v > -INFINITE).min().unwrap_or(best);
    let spread = f64::from((best - worst).clamp(0, 100));
    let weakness = 120.0 - 2.0 * skill.clamp(0.0, 20.0) * 2.75;
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
    let mut state = seed ^ clock | 1;
    let mut chosen = (0, Value::MIN);
    for (index, candidate) in candidates.iter().enumerate().filter(|(_, m)| m.value > -INFINITE) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let random = f64::from((state >> 40) as u32 % 1000) / 1000.0;
        let push = (weakness * f64::from(best - candidate.value) + spread * random * weakness) / 128.0;
        let value = candidate.value + push as Value;
        if value > chosen.1 {
            chosen = (index, value);
        }
    }
    chosen.0
}

fn make_worker(index: usize, search: Arc<Search>) -> std::io::Result<Worker> {
    Worker::new(index, search).map_err(|_| std::io::ErrorKind::OutOfMemory.into())
}

enum Command {
    /// Take part in a search, and call others to it.
    Search { search: Arc<Search>, helpers: Vec<Sender<Command>> },
    /// Let go of the last search and its hash table in favour of one that is over; then, of the sender.
    Release(Arc<Search>, Sender<Never>),
    /// Forget all move statistics; then let go of the sender.
    Forget(Sender<Never>),
}

/// What is never sent: who waits for it waits until all senders are gone.
enum Never {}

struct Thread {
    commands: Sender<Command>,
    handle: Option<JoinHandle<()>>,
}

impl Thread {
    fn spawn(index: usize, search: Arc<Search>) -> std::io::Result<Self> {
        // Made here, where a lack of memory can still be reported.
        let mut worker = make_worker(index, search)?;
        let (commands, received) = mpsc::channel();
        let handle =
            thread::Builder::new().name(format!("search {index}")).stack_size(STACK_SIZE).spawn(move || {
                while let Ok(command) = received.recv() {
                    match command {
                        Command::Search { search, helpers } => search.take_part(&mut worker, helpers),
                        Command::Release(search, _done) => worker.search = search,
                        Command::Forget(_done) => worker.histories.clear(),
                    }
                }
            })?;
        Ok(Self { commands, handle: Some(handle) })
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // The thread ends when its channel closes.
        let (closed, _) = mpsc::channel();
        self.commands = closed;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// A search without threads of its own, for many short searches one after the other: handing them to
/// another thread would take as long as the searches.
///
/// The thread that searches needs a stack of [`STACK_SIZE`] bytes.
pub struct Searcher(Worker);

impl Searcher {
    /// A searcher with a hash table of some MiB.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(hash_mib: usize) -> Result<Self, PoolError> {
        let worker = make_worker(0, Search::finished(Arc::new(HashTable::new(hash_mib)?)));
        worker.map(Self).map_err(|cause| PoolError::Thread { wanted: 1, cause })
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.0.search.hash.clear(1);
        self.0.histories.clear();
    }

    /// Searches until one of the limits is reached. The listener gets exactly one answer, and nothing
    /// else can end the search.
    pub fn search(&mut self, job: Job, listener: Arc<dyn Listener>) {
        let hash = Arc::clone(&self.0.search.hash);
        hash.new_search();
        Arc::new(Search::new(job, listener, hash, 1)).take_part(&mut self.0, Vec::new());
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        self.0.search.total_nodes()
    }
}

/// A listener that is never called.
struct Nobody;

impl Listener for Nobody {
    fn report(&self, _: &Report) {}
    fn current_move(&self, _: u32, _: Move, _: usize) {}
    fn best_move(&self, _: Option<Move>, _: Option<Move>) {}
}

/// Search threads and the hash table that they share.
pub struct ThreadPool {
    threads: Vec<Thread>,
    hash: Arc<HashTable>,
    /// Nothing was stored since the table was emptied.
    hash_is_empty: bool,
    /// The running search, or the last one.
    search: Arc<Search>,
}

impl ThreadPool {
    /// A pool of at least one thread with a hash table of some MiB.
    ///
    /// # Errors
    /// When there is not enough memory or no thread can be started.
    pub fn new(threads: usize, hash_mib: usize) -> Result<Self, PoolError> {
        let hash = Arc::new(HashTable::new(hash_mib)?);
        let search = Search::finished(Arc::clone(&hash));
        // The first table is a small one. To empty it here would make the start slower.
        let mut pool = Self { threads: Vec::new(), hash, hash_is_empty: false, search };
        pool.set_threads(threads)?;
        Ok(pool)
    }

    /// Changes the number of threads, after the running search. What the remaining ones learned stays.
    ///
    /// # Errors
    /// When the system gives no more threads; then the number stays as it was.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        self.wait();
        let before = self.threads.len();
        let wanted = threads.max(1);
        for index in before..wanted {
            match Thread::spawn(index, Arc::clone(&self.search)) {
                Ok(thread) => self.threads.push(thread),
                Err(cause) => {
                    self.threads.truncate(before);
                    return Err(PoolError::Thread { wanted, cause });
                }
            }
        }
        // All are told to end before the first is waited for.
        let mut surplus = self.threads.split_off(wanted);
        for thread in &mut surplus {
            thread.commands = mpsc::channel().0;
        }
        Ok(())
    }

    /// Changes the size of the hash table, after the running search. The new table is empty.
    ///
    /// # Errors
    /// When there is not enough memory; then the old table stays as it was.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), PoolError> {
        self.wait();
        if mib == self.hash.mib() {
            return Ok(());
        }
        self.hash = Arc::new(HashTable::in_place_of(mib, self.hash.mib())?);
        // The old table is freed when nobody remembers the last search any more. Only then there may be
        // room for the new one.
        self.search = Search::finished(Arc::clone(&self.hash));
        self.tell_all(|done| Command::Release(Arc::clone(&self.search), done));
        self.hash_is_empty = false;
        self.clear_hash();
        Ok(())
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.clear_hash();
        self.tell_all(Command::Forget);
    }

    /// Empties the hash table, after the running search, with as many threads as search.
    pub fn clear_hash(&mut self) {
        self.wait();
        if !self.hash_is_empty {
            self.hash.clear(self.threads.len().min(*PROCESSORS));
            self.hash_is_empty = true;
        }
    }

    /// Gives a command to all threads, and waits until the last one has carried it out.
    fn tell_all(&self, command: impl Fn(Sender<Never>) -> Command) {
        let (sender, all_done) = mpsc::channel();
        for thread in &self.threads {
            let _ = thread.commands.send(command(sender.clone()));
        }
        drop(sender);
        let _ = all_done.recv();
    }

    /// Starts a search and returns at once; waits for an earlier one first. The listener gets exactly
    /// one answer.
    pub fn start(&mut self, job: Job, listener: Arc<dyn Listener>) {
        self.wait();
        self.hash_is_empty = false;
        self.hash.new_search();
        self.search = Arc::new(Search::new(job, listener, Arc::clone(&self.hash), self.threads.len()));
        if let Some((main, helpers)) = self.threads.split_first() {
            let helpers = helpers.iter().map(|thread| thread.commands.clone()).collect();
            let _ = main.commands.send(Command::Search { search: Arc::clone(&self.search), helpers });
        }
    }

    /// Asks the running search to answer at once.
    pub fn stop(&self) {
        self.search.signal(|progress| progress.told = true);
        self.search.stop.store(true, Relaxed);
    }

    /// Tells the running search that the expected move was made: limits of time hold from now on. The
    /// time spent pondering counts as thought, so that the answer may come at once.
    pub fn ponder_hit(&self) {
        self.search.signal(|_| self.search.ponder.store(false, Relaxed));
    }

    /// Whether the answer of a search is still to come.
    pub fn is_searching(&self) -> bool {
        !self.search.progress().answered
    }

    /// Waits until the answer of the running search was given.
    pub fn wait(&self) {
        self.search.wait_while(|progress| !progress.answered);
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
            thread.commands = mpsc::channel().0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(threads: usize) -> Arc<Search> {
        let job =
            Job { game: Game::start(Variant::default()), limits: Limits::default(), settings: Settings::default() };
        Arc::new(Search::new(job, Arc::new(Nobody), Arc::new(HashTable::new(1).expect("a small table")), threads))
    }

    /// A thousand threads on two processors used to search for seconds after `stop`.
    #[test]
    fn threads_that_come_too_late_do_not_search() {
        let search = search(4);
        search.stop.store(true, Relaxed);
        let mut worker = make_worker(1, Arc::clone(&search)).expect("a worker");
        let (helper, called) = mpsc::channel();
        search.take_part(&mut worker, vec![helper.clone(), helper]);
        assert!(called.try_recv().is_err());
        assert_eq!((search.progress().ended, search.total_nodes()), (3, 0));
    }

    #[test]
    fn each_thread_calls_two_others() {
        let search = search(9);
        let (helper, called) = mpsc::channel();
        search.call(vec![helper; 8]);
        let lists = std::iter::from_fn(|| called.try_recv().ok()).map(|command| match command {
            Command::Search { helpers, .. } => helpers.len(),
            _ => panic!("another command"),
        });
        assert_eq!(lists.collect::<Vec<_>>(), [3, 3]);
        // Threads that are gone count as if they had searched.
        let (helper, gone) = mpsc::channel();
        drop(gone);
        search.call(vec![helper; 8]);
        assert_eq!(search.progress().ended, 8);
    }
}
