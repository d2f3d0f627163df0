//! Searches a fixed set of positions to a fixed depth. The number of nodes is a signature of the search, and nodes per
//! second measure its speed.

use crate::board::{Board, FenError, Game, Variant};
use crate::clock::Instant;
use crate::search::{Limits, PoolError, Searcher};
use crate::types::Move;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The positions: one FEN of Spartan Chess per line; `#` begins a comment.
const POSITIONS: &str = include_str!("../data/bench.epd");

/// The settings of a bench. Compare signatures at the default settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Search depth for each position.
    pub depth: u32,
    /// Search threads; 0 to search on the calling thread. The node count is reproducible only without a second one.
    pub threads: usize,
    /// Size of the hash table in MiB.
    pub hash: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { depth: 12, threads: 1, hash: 16 }
    }
}

/// The result of a bench, or of one of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Nodes of all searches.
    pub nodes: u64,
    /// Total search time.
    pub time: Duration,
}

impl Summary {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        u64::try_from(u128::from(self.nodes) * 1_000_000 / self.time.as_micros().max(1)).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.nps())
    }
}

/// The result of one position.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The number of the position, from 1.
    pub number: usize,
    /// The number of positions.
    pub count: usize,
    /// The position.
    pub fen: &'a str,
    /// The best move.
    pub best: Option<Move>,
    /// Nodes and time of its search.
    pub summary: Summary,
}

/// Why a bench failed.
#[derive(Debug)]
pub enum BenchError {
    /// There is not enough memory, or a thread could not be started.
    Pool(PoolError),
    /// A position of the set is invalid.
    Fen(FenError),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(error) => error.fmt(f),
            Self::Fen(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BenchError {}

/// The FENs of the set.
pub fn positions() -> impl Iterator<Item = &'static str> {
    POSITIONS.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty())
}

/// Searches all positions, each with an empty hash table, and calls `on_progress` after each one. Returns `None` if
/// `stop` was set before the end.
///
/// # Errors
/// If there is not enough memory or a thread cannot be started.
pub fn run(
    parameters: Parameters,
    stop: &AtomicBool,
    on_progress: impl FnMut(&Progress),
) -> Result<Option<Summary>, BenchError> {
    let searcher = new_searcher(parameters.threads, parameters.hash)?;
    let limits = Limits { depth: Some(parameters.depth), ..Limits::default() };
    let prepare = |searcher: &mut Searcher, _, _| {
        searcher.clear();
        limits.clone()
    };
    search_all(searcher, prepare, stop, on_progress)
}

/// A searcher with some threads or, without any, on the calling thread.
pub(super) fn new_searcher(threads: usize, hash_mib: usize) -> Result<Searcher, BenchError> {
    let searcher = if threads == 0 { Searcher::on_this_thread(hash_mib) } else { Searcher::new(threads, hash_mib) };
    searcher.map_err(BenchError::Pool)
}

/// Searches all positions. `prepare` returns the limits of each search: it gets the time spent so far and the number of
/// positions left.
pub(super) fn search_all(
    mut searcher: Searcher,
    mut prepare: impl FnMut(&mut Searcher, Duration, u32) -> Limits,
    stop: &AtomicBool,
    mut on_progress: impl FnMut(&Progress),
) -> Result<Option<Summary>, BenchError> {
    let mut summary = Summary::default();
    let count = positions().count();
    for (index, fen) in positions().enumerate() {
        let game = Game::new(Board::from_fen(fen, Variant::Spartan).map_err(BenchError::Fen)?);
        let limits = prepare(&mut searcher, summary.time, (count - index) as u32);
        let start = Instant::now();
        let best = searcher.search_until(stop, &game, limits, 1).best;
        let one = Summary { nodes: searcher.nodes(), time: start.elapsed() };
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        summary.nodes += one.nodes;
        summary.time += one.time;
        on_progress(&Progress { number: index + 1, count, fen, best, summary: one });
    }
    Ok(Some(summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn positions_are_distinct_and_not_over() {
        let mut seen = HashSet::new();
        for fen in positions() {
            let board = Board::from_fen(fen, Variant::Spartan).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(Game::new(board.clone()).outcome().is_none(), "{fen}");
            assert!(seen.insert(board.key()), "{fen} is a duplicate");
        }
        assert!(seen.len() >= 40);
        let two = positions().filter(|fen| fen.split(' ').next().is_some_and(|board| board.matches('k').count() == 2));
        let two = two.count();
        assert!(two >= 10 && seen.len() - two >= 10, "{two} of {} with two kings", seen.len());
    }
}
