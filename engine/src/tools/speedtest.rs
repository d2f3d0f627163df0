//! The speed of the search with a clock, as in play: all threads, a hash table of some size that is not
//! emptied between the positions, and the same time for each of the positions of the bench.

use super::bench::{BenchError, Progress, Summary, positions, search};
use crate::board::{Board, Game, Variant};
use crate::search::{Job, Limits, Settings, ThreadPool};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// MiB of the hash table for each thread, unless told otherwise.
const HASH_PER_THREAD: usize = 16;

/// How the speed is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Threads of the search.
    pub threads: usize,
    /// MiB of the hash table.
    pub hash: usize,
    /// Time of all searches together.
    pub time: Duration,
}

impl Parameters {
    /// With all that is not given as usual: as many threads as the machine can run at once, 16 MiB for each
    /// thread, and a minute.
    pub fn new(threads: Option<usize>, hash: Option<usize>, seconds: Option<u32>) -> Self {
        let available = || std::thread::available_parallelism().map_or(1, usize::from).min(1024);
        let threads = threads.unwrap_or_else(available);
        let hash = hash.unwrap_or(threads.saturating_mul(HASH_PER_THREAD));
        Self { threads, hash, time: Duration::from_secs(seconds.unwrap_or(60).into()) }
    }
}

/// Searches all positions and tells of each one as it is done. Nothing comes back when `stop` was set
/// before the end.
///
/// # Errors
/// When memory or threads are lacking.
pub fn run(
    parameters: Parameters,
    stop: &AtomicBool,
    mut tell: impl FnMut(&Progress),
) -> Result<Option<Summary>, BenchError> {
    let mut pool = ThreadPool::new(parameters.threads, parameters.hash).map_err(BenchError::Pool)?;
    let mut summary = Summary::default();
    let count = positions().count();
    for (index, fen) in positions().enumerate() {
        let game = Game::new(Board::from_fen(fen, Variant::Spartan).map_err(BenchError::Fen)?);
        // What one search took too long is taken from those that come.
        let left = parameters.time.saturating_sub(summary.time) / (count - index) as u32;
        let limits = Limits { move_time: Some(left), ..Limits::default() };
        let settings = Settings { move_overhead: Duration::ZERO, ..Settings::default() };
        let start = Instant::now();
        let best = search(&mut pool, Job { game, limits, settings }, stop);
        let one = Summary { nodes: pool.nodes(), time: start.elapsed() };
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        summary.nodes += one.nodes;
        summary.time += one.time;
        tell(&Progress { number: index + 1, count, fen, best, summary: one });
    }
    Ok(Some(summary))
}
