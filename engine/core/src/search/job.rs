//! The input and output of a search: limits, settings, reports.

use super::strength::Strength;
use crate::board::{Board, Game};
use crate::nnue::{self, Network};
use crate::tables::{MAX_MEN, Tables};
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::sync::Arc;
use std::time::Duration;

/// The limits of one search, the arguments of `go`. The search ends when it reaches the first of them.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left on the clocks of White and Black. If zero, the engine moves at once.
    pub clock: [Option<Duration>; 2],
    pub increment: [Duration; 2],
    pub moves_to_go: Option<u32>,
    /// Fixed time for the move, from which the overhead is subtracted.
    pub move_time: Option<Duration>,
    /// Maximum depth, in iterations.
    pub depth: Option<u32>,
    /// Maximum number of nodes of all threads. The first iteration may exceed it.
    pub nodes: Option<u64>,
    /// No iteration starts after this number of nodes of all threads, so that the result is that of a complete
    /// iteration. Not available by `go`; for programs that use the library.
    pub soft_nodes: Option<u64>,
    /// The search ends when it finds a mate in this number of moves or fewer.
    pub mate: Option<u32>,
    /// Do not report the best move before `stop`, even if the search has ended.
    pub infinite: bool,
    /// Search on the opponent's time: like `infinite` until `ponderhit`.
    pub ponder: bool,
    /// Search only these root moves, each of which must be legal; empty for all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Whether a search for a side ends by itself because of time, depth or nodes. A `mate` may never be found.
    pub fn is_bounded(&self, us: Colour) -> bool {
        self.move_time.is_some() || self.depth.is_some() || self.nodes.is_some() || self.clock[us.index()].is_some()
    }
}

#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of lines to report, at least 1.
    pub multi_pv: usize,
    /// Time that each move loses between engine and clock.
    pub move_overhead: Duration,
    /// Time for a move, as a percentage of the normal time.
    pub slow_mover: u32,
    /// Nodes per millisecond if the search measures time in nodes; 0 for the real clock.
    pub nodes_time: u64,
    /// Playing strength; `None` for full strength.
    pub strength: Option<Strength>,
    /// The network for Spartan Chess; `None` for the hand-made evaluation. Orthodox chess always uses the latter.
    pub network: Option<Arc<Network>>,
    pub tables: Arc<Tables>,
    /// Positions with more men are not looked up in the files of `tables`.
    pub probe_limit: u32,
    /// The minimum depth at which the search looks up positions with [`Self::table_men`] men; positions with fewer are
    /// always looked up.
    pub probe_depth: i32,
}

impl Settings {
    /// Positions with more men are not looked up in files: the limit or the greatest number of men in a file, whichever
    /// is less. 0 without files or at limited strength.
    pub fn table_men(&self) -> u32 {
        if self.strength.is_some() { 0 } else { self.tables.max_men().min(self.probe_limit) }
    }

    /// The tables in which a position is looked up: without the files if it has too many men.
    pub fn tables_for(&self, board: &Board) -> &Tables {
        if board.occupied().count() <= self.table_men() { &self.tables } else { Tables::embedded() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            slow_mover: 100,
            nodes_time: 0,
            strength: None,
            network: nnue::embedded(),
            tables: Arc::default(),
            probe_limit: MAX_MEN as u32,
            probe_depth: 1,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Upper,
    Lower,
    Exact,
}

/// One line of a search, after or during an iteration.
#[derive(Clone, Debug)]
pub struct Report {
    /// Completed or current iteration.
    pub depth: u32,
    /// The maximum ply reached.
    pub seldepth: u32,
    /// The rank of the line, from 1.
    pub multi_pv: usize,
    /// The score from the side to move's view.
    pub score: Score,
    pub bound: Bound,
    /// Chances of the side to move to win, draw and lose, in thousandths.
    pub wdl: [u32; 3],
    pub nodes: u64,
    pub tb_hits: u64,
    /// Time since the start of the search.
    pub time: Duration,
    /// Share of the hash table with entries of this search, in thousandths.
    pub hashfull: u32,
    /// The principal variation: legal moves from the root. Empty only if the root has no legal move.
    pub pv: Vec<Move>,
}

/// Search callbacks, called from search threads. `()` ignores everything.
pub trait Listener: Send + Sync {
    /// The search has found a line, or a bound of its value.
    fn report(&self, _report: &Report) {}

    /// The search starts a root move, numbered from 1. Called only once the search has run for three seconds.
    fn current_move(&self, _depth: u32, _mv: Move, _number: usize) {}

    /// The search has ended. `best` is `None` only if there is no legal move.
    fn best_move(&self, _best: Option<Move>, _ponder: Option<Move>) {}
}

impl Listener for () {}

#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The root and the positions before it.
    pub game: Game,
    pub limits: Limits,
    pub settings: Settings,
}
