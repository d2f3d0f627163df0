//! Searches a fixed set of positions. To a fixed depth, the number of nodes is a signature of the search; nodes per
//! second measure its speed.

use crate::board::{Board, Game, Variant};
use crate::clock::Instant;
use crate::search::{Limits, Searcher};
use crate::types::Move;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The positions: one FEN of Spartan Chess per line; `#` begins a comment.
const POSITIONS: &str = include_str!("../data/bench.epd");

/// How to search the positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// When the search of a position ends.
    pub goal: Goal,
    /// Search threads; 0 to search on the calling thread. The node count is reproducible only without a second one.
    pub threads: usize,
    /// Size of the hash table in MiB.
    pub hash: usize,
}

/// What a bench measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Each position to this depth, with an empty hash table.
    Depth(u32),
    /// All positions in this time, each in the same share of it, under the conditions of a game: the hash table is not
    /// cleared between positions.
    Time(Duration),
}

/// Compare signatures at these parameters.
impl Default for Parameters {
    fn default() -> Self {
        Self { goal: Goal::Depth(12), threads: 1, hash: 16 }
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

/// The FENs of the set.
pub fn positions() -> impl Iterator<Item = &'static str> {
    POSITIONS.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty())
}

/// The node count of a bench with the default parameters, as recorded: it changes with the search.
pub fn signature() -> u64 {
    let line = POSITIONS.lines().find_map(|line| line.strip_prefix("# bench: ")?.split(' ').next()?.parse().ok());
    line.unwrap_or(0)
}

/// Searches all positions and calls `on_progress` after each one. Returns `None` if `stop` was set before the end.
///
/// # Errors
/// If there is no network or not enough memory, or a thread cannot be started; the error is a message for the user.
pub fn run(
    parameters: Parameters,
    stop: &AtomicBool,
    mut on_progress: impl FnMut(&Progress),
) -> Result<Option<Summary>, String> {
    let Parameters { goal, threads, hash } = parameters;
    let searcher = if threads == 0 { Searcher::on_this_thread(hash) } else { Searcher::new(threads, hash) };
    let mut searcher = searcher.map_err(|error| error.to_string())?;
    searcher.settings.options.move_overhead = 0;
    searcher.settings.check_network(Variant::Spartan)?;
    let mut summary = Summary::default();
    let count = positions().count();
    for (index, fen) in positions().enumerate() {
        let game = Game::new(Board::from_fen(fen, Variant::Spartan).map_err(|error| error.to_string())?);
        let limits = match goal {
            Goal::Depth(depth) => {
                searcher.clear();
                Limits { depth: Some(depth), ..Limits::default() }
            }
            Goal::Time(time) => {
                // A search that overran its time shortens the later ones.
                let share = time.saturating_sub(summary.time) / (count - index) as u32;
                Limits { move_time: Some(share), ..Limits::default() }
            }
        };
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
        assert!(signature() > 1_000_000, "{}", signature());
        let two = positions().filter(|fen| fen.split(' ').next().is_some_and(|board| board.matches('k').count() == 2));
        let two = two.count();
        assert!(two >= 10 && seen.len() - two >= 10, "{two} of {} with two kings", seen.len());
    }
}
