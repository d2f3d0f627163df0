//! Work beside the input: perft, bench, the speed test and openings.

use agoge_core::search::STACK_SIZE;
use agoge_core::uci::Work;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Work on a thread of its own, which prints the results itself.
pub(super) struct RunningTask {
    handle: JoinHandle<()>,
    stop: Arc<AtomicBool>,
}

impl RunningTask {
    /// Starts it.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn start(work: Work) -> io::Result<Self> {
        let stop = Arc::<AtomicBool>::default();
        let flag = Arc::clone(&stop);
        let handle = thread::Builder::new().stack_size(STACK_SIZE).spawn(move || work(&flag))?;
        Ok(Self { handle, stop })
    }

    /// Tells it to stop soon.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.handle.is_finished()
    }

    /// Waits for its end. False after a panic, which is a bug.
    pub(super) fn join(self) -> bool {
        self.handle.join().is_ok()
    }
}
