//! A search thread: what it keeps between searches, and what it does for each.

use super::error::PoolError;
use super::history::{HistoryTables, SharedHistories};
use super::shared::Shared;
use super::worker::Worker;
use crate::eval::Evaluator;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;

pub(super) type Task = Box<dyn FnOnce(&mut Thread) + Send>;

pub(super) struct Thread {
    /// 0 for the main thread.
    index: usize,
    pub tables: HistoryTables,
    evaluator: Evaluator,
}

impl Thread {
    /// A thread whose own histories are empty.
    ///
    /// # Errors
    /// If there is not enough memory for the histories.
    pub fn new(index: usize, shared: &Arc<SharedHistories>) -> Result<Self, PoolError> {
        Ok(Self { index, tables: HistoryTables::of_thread(shared)?, evaluator: Evaluator::default() })
    }

    /// Searches. The main thread first wakes its helpers and finally reports the best move.
    pub fn search(&mut self, search: &Arc<Shared>, helpers: &[Sender<Task>]) {
        // The main thread wakes the helpers, since running helpers could starve the input thread on few processors. It
        // skips the rest once `stop` is set.
        for helper in helpers.iter().take_while(|_| !search.is_stopped()) {
            let search = Arc::clone(search);
            let _ = helper.send(Box::new(move |thread| thread.search(&search, &[])));
        }
        let is_main = self.index == 0;
        if !is_main && search.is_stopped() {
            return;
        }
        // A panic is a bug, but the GUI must still get a best move.
        let result = catch_unwind(AssertUnwindSafe(|| {
            Worker::new(self.index, search, self.tables.histories(), &mut self.evaluator).deepen()
        }));
        if is_main {
            search.finish(result.unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, Variant};
    use crate::search::hash::HashTable;
    use crate::search::job::{Job, Limits, Settings};
    use std::sync::mpsc;

    /// Regression test: a thousand threads on two processors searched for seconds after `stop`.
    #[test]
    fn threads_that_come_too_late_do_not_search() {
        let (game, limits) = (Game::start(Variant::default()), Limits::default());
        let job = Job { game, limits, settings: Settings::default() };
        let hash = Arc::new(HashTable::new(1).expect("a small table"));
        let search = Arc::new(Shared::new(job, Arc::new(()), hash, 4, Arc::default(), Arc::default()));
        search.stop();
        let (helper, tasks) = mpsc::channel();
        let shared = SharedHistories::new().expect("memory");
        Thread::new(1, &shared).expect("memory").search(&search, &[helper.clone(), helper]);
        assert!(tasks.try_recv().is_err());
        assert_eq!(search.total_nodes(), 0);
    }
}
