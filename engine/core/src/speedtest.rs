//! Measures the speed of the search under the conditions of a game: all threads, a large hash table that is not cleared
//! between positions, and the same time for each position of the bench.

use super::bench::{BenchError, Progress, Summary, new_searcher, search_all};
use crate::search::{Limits, Searcher};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The default size of the hash table in MiB per thread.
const HASH_PER_THREAD: usize = 16;

/// The settings of a speed test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Search threads; 0 to search on the calling thread.
    pub threads: usize,
    /// Size of the hash table in MiB.
    pub hash: usize,
    /// Total search time.
    pub time: Duration,
}

impl Parameters {
    /// The given settings. Defaults: as many threads as the machine can run at once, 16 MiB per thread, and a minute.
    pub fn new(threads: Option<usize>, hash: Option<usize>, seconds: Option<u32>) -> Self {
        let available = || std::thread::available_parallelism().map_or(1, usize::from).min(1024);
        let threads = threads.unwrap_or_else(available);
        let hash = hash.unwrap_or(threads.saturating_mul(HASH_PER_THREAD));
        Self { threads, hash, time: Duration::from_secs(seconds.unwrap_or(60).into()) }
    }
}

/// Searches all positions, and calls `on_progress` after each one. Returns `None` if `stop` was set before the end.
///
/// # Errors
/// If there is not enough memory or a thread cannot be started.
pub fn run(
    parameters: Parameters,
    stop: &AtomicBool,
    on_progress: impl FnMut(&Progress),
) -> Result<Option<Summary>, BenchError> {
    let mut searcher = new_searcher(parameters.threads, parameters.hash)?;
    searcher.settings.options.move_overhead = 0;
    let prepare = |_: &mut Searcher, spent, left| {
        // A search that overran its time shortens the later ones.
        let share = parameters.time.saturating_sub(spent) / left;
        Limits { move_time: Some(share), ..Limits::default() }
    };
    search_all(searcher, prepare, stop, on_progress)
}
