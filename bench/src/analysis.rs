//! Analysts for parallel tasks.

pub use agoge::tools::analyst::{Analysis, Analyst, centipawns, white_view};

use agoge::search::PoolError;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Workers that parallel tasks borrow, since they are costly to make: analysts, or whatever else. There
/// are never more than tasks at the same time.
pub struct Bureau<W = Analyst> {
    hire: Box<dyn Fn() -> Result<W, PoolError> + Send + Sync>,
    forget: fn(&mut W),
    idle: Mutex<Vec<W>>,
}

impl Bureau {
    /// A bureau of analysts with one thread each and hash tables of some MiB.
    pub fn new(hash_mib: usize) -> Self {
        Self::of(move || Analyst::new(1, hash_mib), Analyst::forget)
    }
}

impl<W: Send> Bureau<W> {
    /// A bureau of workers that `hire` makes. Before each task `forget` makes the worker forget the
    /// tasks before it, so that the result does not depend on which worker does it.
    pub fn of(hire: impl Fn() -> Result<W, PoolError> + Send + Sync + 'static, forget: fn(&mut W)) -> Self {
        Self { hire: Box::new(hire), forget, idle: Mutex::new(Vec::new()) }
    }

    /// Does something with a worker that remembers nothing.
    ///
    /// # Errors
    /// When memory or threads are lacking.
    pub fn with<T>(&self, task: impl FnOnce(&mut W) -> T) -> Result<T, PoolError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut worker = match taken {
            Some(worker) => worker,
            None => (self.hire)()?,
        };
        (self.forget)(&mut worker);
        let result = task(&mut worker);
        idle().push(worker);
        Ok(result)
    }

    /// Does a task for each of some numbers, on all cores. The results are in the order of the numbers.
    ///
    /// # Errors
    /// When memory or threads are lacking.
    pub fn map<T: Send>(
        &self,
        numbers: Range<u64>,
        task: impl Fn(&mut W, u64) -> T + Sync,
    ) -> Result<Vec<T>, PoolError> {
        numbers.into_par_iter().map(|number| self.with(|worker| task(worker, number))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge::board::{Game, Variant};

    #[test]
    fn the_same_search_tells_the_same() {
        let game = Game::start(Variant::Spartan);
        let bureau = Bureau::new(1);
        let search = || bureau.with(|analyst| analyst.search_nodes(&game, 3000, 3)).unwrap();
        let (one, other) = (search(), search());
        assert_eq!(one.best, other.best);
        assert_eq!(one.score(), other.score());
        let lines = one.lines();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].pv[0] != lines[1].pv[0] && lines[1].pv[0] != lines[2].pv[0]);
        assert_eq!(one.best, lines[0].pv.first().copied());
    }

    #[test]
    fn workers_forget_and_results_are_in_order() {
        let bureau = Bureau::of(|| Ok(Vec::new()), Vec::clear);
        let take_down = |notes: &mut Vec<u64>, number| {
            notes.push(number);
            notes.clone()
        };
        let results = bureau.map(10..200, take_down).unwrap();
        assert_eq!(results, (10..200).map(|number| vec![number]).collect::<Vec<_>>());
    }
}
