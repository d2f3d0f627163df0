//! `theory build`: searches on all cores.
//!
//! Searches are chosen in batches. Two batches are in progress at any time, so that all cores have work; a batch is
//! chosen when the one before the last has been integrated as a whole, and results are integrated in the order in which
//! they were chosen. So the tree does not depend on the number of threads. A file that is continued gives its results
//! at once to the same procedure.

use super::searches::{Known, Log, Origin, Settings, key_of};
use super::tree::{Task, Tree};
use super::{Found, search};
use crate::analysis::{Searcher, lock, on_threads, thread_count};
use crate::outln;
use crate::progress::Progress;
use crate::terminal::{CommandResult, Interrupt, Status, failed, usage};
use agoge_core::board::Board;
use agoge_core::types::Move;
use clap::Args;
use indicatif::{HumanCount, HumanDuration};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Arguments {
    /// The file of searches; it is continued if it exists
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Stop when this number of positions has been searched; the searches in progress are finished
    #[arg(long, default_value_t = 20_000)]
    positions: usize,
    #[command(flatten)]
    settings: Settings,
    /// The number of threads; 0 for one for each processor
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Stop after this time
    #[arg(long)]
    seconds: Option<u64>,
}

/// A chosen search and its result.
type Chosen = (Task, Option<Found>);

/// The tree and the searches in progress.
pub struct Growth {
    pub tree: Tree,
    /// The results of the file.
    known: Known,
    /// No batches are chosen when this number of positions has been searched.
    positions: usize,
    /// The chosen searches: those of a batch are integrated when all have their results.
    batches: VecDeque<Vec<Chosen>>,
    /// The number of the first of these batches.
    first: usize,
    /// The searches that no thread has begun: numbers of batches, and indices in them.
    waiting: VecDeque<(usize, usize)>,
}

impl Growth {
    /// A tree of known searches.
    ///
    /// # Errors
    /// If they are not those of a tree.
    pub fn new(settings: &Settings, known: Known, positions: usize) -> Result<Self, String> {
        let tree = Tree::new(settings.ply_cost);
        let (batches, waiting) = (VecDeque::new(), VecDeque::new());
        let mut new = Self { tree, known, positions, batches, first: 0, waiting };
        new.advance()?;
        Ok(new)
    }

    /// Integrates what is complete and chooses new searches.
    fn advance(&mut self) -> Result<(), String> {
        loop {
            if let Some(batch) = self.batches.front()
                && self.batches.len() == 2
            {
                if batch.iter().any(|(_, found)| found.is_none()) {
                    return Ok(());
                }
                for (task, found) in self.batches.pop_front().unwrap_or_default() {
                    found.iter().for_each(|found| self.tree.integrate(task, found));
                }
                self.first += 1;
            }
            if self.tree.searched() >= self.positions && self.batches.iter().all(Vec::is_empty) {
                return Ok(());
            }
            self.choose()?;
            if self.batches.len() == 2 && self.batches.iter().all(Vec::is_empty) {
                return Ok(());
            }
        }
    }

    fn choose(&mut self) -> Result<(), String> {
        let tasks = if self.tree.searched() < self.positions { self.tree.choose() } else { Vec::new() };
        let number = self.first + self.batches.len();
        let mut batch = Vec::with_capacity(tasks.len());
        for (index, task) in tasks.into_iter().enumerate() {
            let board = &self.tree.positions[task.position].board;
            let found = self.known.remove(&key_of(board, task));
            if found.is_some_and(|found| found.mv.is_some_and(|mv| !board.is_legal(mv))) {
                return Err(format!("the move of a search of {board} is not legal: the file is damaged"));
            }
            if found.is_none() {
                self.waiting.push_back((number, index));
            }
            batch.push((task, found));
        }
        self.batches.push_back(batch);
        Ok(())
    }

    /// Whether there is nothing to search, and nothing being searched.
    pub fn is_done(&self) -> bool {
        self.batches.iter().flatten().all(|(_, found)| found.is_some())
    }

    fn task(&self, (batch, index): (usize, usize)) -> Task {
        self.batches[batch - self.first][index].0
    }

    fn submit(&mut self, (batch, index): (usize, usize), found: Found) -> Result<(), String> {
        self.batches[batch - self.first][index].1 = Some(found);
        self.advance()
    }
}

/// A search for a thread.
struct Job {
    /// The number of its batch, and the index in it.
    place: (usize, usize),
    key: (u64, usize),
    board: Board,
    left_out: Vec<Move>,
}

/// What the threads share.
struct Builder<'a> {
    arguments: &'a Arguments,
    state: Mutex<(Growth, Log)>,
    changed: Condvar,
    stop: &'a AtomicBool,
    progress: Progress,
    begin: Instant,
    /// The number of searched positions at the beginning.
    before: usize,
}

impl Builder<'_> {
    /// The next search. Waits while those in progress decide what it is.
    fn next(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        loop {
            if self.stop.load(Ordering::Relaxed) || state.0.is_done() {
                return None;
            }
            if let Some(place) = state.0.waiting.pop_front() {
                let task = state.0.task(place);
                let position = &state.0.tree.positions[task.position];
                let left_out = position.edges.iter().map(|edge| edge.mv).collect();
                return Some(Job {
                    place,
                    key: key_of(&position.board, task),
                    board: position.board.clone(),
                    left_out,
                });
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(100));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn work(&self) -> Result<(), String> {
        let settings = &self.arguments.settings;
        let mut searcher = Searcher::on_this_thread(settings.hash).map_err(|error| error.to_string())?;
        while let Some(Job { place, key, board, left_out }) = self.next() {
            let found = search(&mut searcher, &board, &left_out, settings.nodes);
            let found = found.ok_or_else(|| format!("a search of {board} had no result"))?;
            let mut state = lock(&self.state);
            state.1.push(key, &found)?;
            state.0.submit(place, found)?;
            let searched = state.0.tree.searched();
            drop(state);
            self.changed.notify_all();
            self.progress.update(searched as u64, self.left(searched));
            if self.arguments.seconds.is_some_and(|seconds| self.begin.elapsed().as_secs() >= seconds) {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// The time left, as text.
    fn left(&self, searched: usize) -> String {
        let done = searched.saturating_sub(self.before);
        let rest = self.arguments.positions.saturating_sub(searched);
        if done == 0 {
            return String::new();
        }
        let seconds = self.begin.elapsed().as_secs_f64() * rest as f64 / done as f64;
        let left = Duration::from_secs_f64(self.arguments.seconds.map_or(seconds, |most| {
            seconds.min(Duration::from_secs(most).saturating_sub(self.begin.elapsed()).as_secs_f64())
        }));
        format!("positions, about {} left", HumanDuration(left))
    }
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let (log, origin, known) = Log::open(&arguments.out, &Origin::new(arguments.settings)).map_err(usage)?;
    let growth = Growth::new(&origin.settings, known, arguments.positions);
    let growth = growth.map_err(|error| usage(format!("{}: {error}", arguments.out.display())))?;
    let before = growth.tree.searched();
    let Interrupt { stop, interrupted } = Interrupt::listen().map_err(failed)?;
    let builder = Builder {
        arguments,
        progress: Progress::new(arguments.positions as u64, before as u64),
        state: Mutex::new((growth, log)),
        changed: Condvar::new(),
        stop: &stop,
        begin: Instant::now(),
        before,
    };
    let result = on_threads(thread_count(arguments.threads), &stop, |_| builder.work());
    builder.progress.finish();
    result.map_err(failed)?;
    let (growth, _) = builder.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let tree = &growth.tree;
    outln!("{} positions; by ply: {}", HumanCount(tree.searched() as u64), joined(&tree.by_ply()));
    outln!("the best line: {}", joined(&tree.best_line()));
    Ok(if interrupted.load(Ordering::Relaxed) { Status::Interrupted } else { Status::Success })
}

/// The items of a list with blanks between them.
fn joined(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
