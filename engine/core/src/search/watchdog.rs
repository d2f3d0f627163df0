//! A thread that sends the best move in time when the main thread is not scheduled.
//!
//! On a busy machine a thread that searches may have to wait for tens of milliseconds, more than a short clock has
//! left. A thread that sleeps most of the time is woken at once.

use super::shared::Shared;
use crate::time_slice::request_short_time_slice;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{Builder, JoinHandle};

/// Watches one search after another. The thread starts with the first search on the clock.
#[derive(Default)]
pub(super) struct Watchdog(Option<(Sender<Arc<Shared>>, JoinHandle<()>)>);

impl Watchdog {
    /// Makes sure that a search on the clock ends in time. If the system cannot start the thread, the search relies on
    /// its own clock checks.
    pub fn watch(&mut self, search: &Arc<Shared>) {
        if search.time_manager().deadline().is_none() {
            return;
        }
        if self.0.is_none() {
            let (sender, searches) = mpsc::channel::<Arc<Shared>>();
            let started = Builder::new().name("watchdog".to_owned()).spawn(move || {
                request_short_time_slice();
                for search in searches {
                    if let Some(deadline) = search.time_manager().deadline() {
                        search.answer_at(deadline);
                    }
                }
            });
            self.0 = started.ok().map(|thread| (sender, thread));
        }
        if let Some((searches, _)) = &self.0 {
            let _ = searches.send(Arc::clone(search));
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some((searches, thread)) = self.0.take() {
            // The thread ends when its channel closes.
            drop(searches);
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, Variant};
    use crate::search::hash::HashTable;
    use crate::search::job::{Job, Limits, Listener, Report, Settings};
    use crate::search::root_move::{RootMove, ThreadResult};
    use crate::types::Move;
    use std::sync::{Mutex, PoisonError};
    use std::time::Duration;

    /// All first moves of reports, and all best moves.
    #[derive(Default)]
    struct Recorder(Mutex<(Vec<Move>, Vec<Option<Move>>)>);

    impl Recorder {
        fn lines(&self) -> (Vec<Move>, Vec<Option<Move>>) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
        }
    }

    impl Listener for Recorder {
        fn report(&self, report: &Report) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).0.push(report.pv[0]);
        }
        fn best_move(&self, best: Option<Move>, _: Option<Move>) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).1.push(best);
        }
    }

    /// A search whose main thread does not run, and a result of it.
    fn search(recorder: &Arc<Recorder>, limits: Limits) -> (Arc<Shared>, ThreadResult) {
        let game = Game::start(Variant::Spartan);
        let mut best = RootMove::new(game.board().legal_moves()[3]);
        best.value = 20;
        let job = Job { game, limits, settings: Settings::default() };
        let hash = Arc::new(HashTable::new(1).expect("a small table"));
        let search = Shared::new(job, Arc::clone(recorder) as _, hash, 1, Arc::default(), Arc::default());
        (Arc::new(search), ThreadResult { thread: 0, depth: 3, best, ponder: None })
    }

    const TIME: Duration = Duration::from_millis(50);
    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn a_main_thread_without_a_processor_is_not_waited_for() {
        let (recorder, mut watchdog) = (Arc::<Recorder>::default(), Watchdog::default());
        let (search, result) = search(&recorder, Limits { move_time: Some(TIME), ..Limits::default() });
        watchdog.watch(&search);
        search.publish(0, Some(result.clone()));
        assert!(search.wait_timeout(PATIENCE) && search.is_stopped());
        assert!(search.start.elapsed() >= search.time_manager().deadline().expect("a clock"));
        // What the main thread finds later comes too late.
        search.report(
            &RootMove { value: 30, ..RootMove::new(Move::normal(result.best.mv.to(), result.best.mv.from())) },
            0,
        );
        search.finish(None);
        assert_eq!(recorder.lines(), (vec![result.best.mv], vec![Some(result.best.mv)]));
    }

    #[test]
    fn nothing_is_answered_before_there_is_a_move_or_the_ponder_move_is_made() {
        for ponder in [false, true] {
            let (recorder, mut watchdog) = (Arc::<Recorder>::default(), Watchdog::default());
            let (search, result) = search(&recorder, Limits { move_time: Some(TIME), ponder, ..Limits::default() });
            watchdog.watch(&search);
            if ponder {
                search.publish(0, Some(result.clone()));
            }
            assert!(!search.wait_timeout(2 * TIME), "pondering: {ponder}");
            if ponder {
                search.ponder_hit();
                assert!(search.wait_timeout(PATIENCE));
            } else {
                search.finish(Some(result.clone()));
            }
            assert_eq!(recorder.lines().1, [Some(result.best.mv)]);
        }
    }

    #[test]
    fn only_clocks_are_watched() {
        let recorder = Arc::<Recorder>::default();
        let mut watchdog = Watchdog::default();
        watchdog.watch(&search(&recorder, Limits { nodes: Some(1), ..Limits::default() }).0);
        assert!(watchdog.0.is_none());
    }
}
