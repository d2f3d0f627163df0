//! Searches in parallel: a pool of searchers, and threads that work until they are stopped.

pub use agoge_core::search::{Analysis, Searcher, centipawns, white_view};

use crate::rng::Rng;
use agoge_core::search::{PoolError, Report, STACK_SIZE};
use agoge_core::types::Move;
use rayon::prelude::*;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// A pool of workers for parallel tasks: searchers, or anything else that is expensive to create. It never holds more
/// workers than there were concurrent tasks.
pub struct WorkerPool<W = Searcher> {
    create: Box<dyn Fn() -> Result<W, PoolError> + Send + Sync>,
    reset: fn(&mut W),
    idle: Mutex<Vec<W>>,
}

impl WorkerPool {
    /// A pool of searchers with one thread and a hash table of `hash_mib` MiB each.
    pub fn new(hash_mib: usize) -> Self {
        Self::from_fn(move || Searcher::new(1, hash_mib), Searcher::clear)
    }
}

impl<W: Send> WorkerPool<W> {
    /// A pool of workers created by `create`. `reset` is called before each task and must clear all state of earlier
    /// tasks, so that results do not depend on which worker runs the task.
    pub fn from_fn(create: impl Fn() -> Result<W, PoolError> + Send + Sync + 'static, reset: fn(&mut W)) -> Self {
        Self { create: Box::new(create), reset, idle: Mutex::new(Vec::new()) }
    }

    /// Runs a task on a reset worker.
    ///
    /// # Errors
    /// If a worker cannot be created for lack of memory or threads.
    pub fn with<T>(&self, task: impl FnOnce(&mut W) -> T) -> Result<T, PoolError> {
        let taken = lock(&self.idle).pop();
        let mut worker = match taken {
            Some(worker) => worker,
            None => (self.create)()?,
        };
        (self.reset)(&mut worker);
        let result = task(&mut worker);
        lock(&self.idle).push(worker);
        Ok(result)
    }

    /// Runs a task for each number of a range on all cores. The results are in the order of the numbers.
    ///
    /// # Errors
    /// If a worker cannot be created for lack of memory or threads.
    pub fn map<T: Send>(
        &self,
        numbers: Range<u64>,
        task: impl Fn(&mut W, u64) -> T + Sync,
    ) -> Result<Vec<T>, PoolError> {
        numbers.into_par_iter().map(|number| self.with(|worker| task(worker, number))).collect()
    }
}

/// Locks a mutex, also after a panic of another thread.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of threads to use: 0 stands for all processors.
pub fn thread_count(threads: usize) -> usize {
    match threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Runs `work` on some threads, which get their numbers. An error or a panic of one sets `stop` for the others.
///
/// # Errors
/// That of the first thread that has one.
pub fn on_threads(
    count: usize,
    stop: &AtomicBool,
    work: impl Fn(usize) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let stop_others = |_: &String| stop.store(true, Ordering::Relaxed);
    let work = &|number| {
        let result = catch_unwind(AssertUnwindSafe(|| work(number)));
        result.unwrap_or_else(|_| Err("a thread panicked".to_owned())).inspect_err(stop_others)
    };
    thread::scope(|scope| {
        let start = |number| {
            let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, move || work(number));
            thread.map_err(|error| format!("cannot start a thread: {error}")).inspect_err(stop_others)
        };
        let threads: Vec<_> = (0..count).map(start).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread?.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    })
}

/// Draws one of some lines and returns its first move. A line that is worse than the best by `temperature` centipawns
/// is drawn e times less often.
pub fn draw_move(lines: &[&Report], temperature: f64, rng: &mut Rng) -> Option<Move> {
    let best = lines.iter().map(|line| centipawns(line.score)).max()?;
    let weight = |line: &Report| (f64::from(centipawns(line.score) - best) / temperature).exp();
    let mut remaining = rng.unit() * lines.iter().map(|line| weight(line)).sum::<f64>();
    let drawn = lines.iter().find(|line| {
        remaining -= weight(line);
        remaining < 0.0
    });
    drawn.or(lines.first())?.pv.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::{Game, Variant};

    #[test]
    fn the_same_search_gives_the_same_result() {
        let game = Game::start(Variant::Spartan);
        let pool = WorkerPool::new(1);
        let search = || pool.with(|searcher| searcher.search_nodes(&game, 3000, 3)).unwrap();
        let (one, other) = (search(), search());
        assert_eq!(one.best, other.best);
        assert_eq!(one.score(), other.score());
        let lines = one.lines();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].pv[0] != lines[1].pv[0] && lines[1].pv[0] != lines[2].pv[0]);
        assert_eq!(one.best, lines[0].pv.first().copied());
    }

    #[test]
    fn workers_are_reset_and_results_are_in_order() {
        let pool = WorkerPool::from_fn(|| Ok(Vec::new()), Vec::clear);
        let append = |notes: &mut Vec<u64>, number| {
            notes.push(number);
            notes.clone()
        };
        let results = pool.map(10..200, append).unwrap();
        assert_eq!(results, (10..200).map(|number| vec![number]).collect::<Vec<_>>());
    }
}
