//! The input and output of a search: limits, settings, reports.

use super::wdl::expected_score;
use crate::board::{Board, Game, Variant};
use crate::nnue::{self, Network};
use crate::options::Options;
use crate::tables::{Problem, Tables};
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::sync::Arc;
use std::time::Duration;

/// The limits of one search, the arguments of `go`. The search ends when it reaches the first of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Time left on the clocks of White and Black. If zero, the engine moves at once.
    pub clock: [Option<Duration>; 2],
    /// What is added to the clocks of White and Black after each move.
    pub increment: [Duration; 2],
    /// The moves to the next time control, this one included; `None` if the clock is for the rest of the game.
    pub moves_to_go: Option<u32>,
    /// Fixed time for the move, from which the overhead is subtracted.
    pub move_time: Option<Duration>,
    /// Maximum depth, in iterations.
    pub depth: Option<u32>,
    /// Maximum number of nodes of all threads. The first iteration may exceed it.
    pub nodes: Option<u64>,
    /// No iteration starts after this number of nodes of all threads, so that the result is that of a complete
    /// iteration. Cannot be set by `go`; for programs that use the library.
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
    /// If only one side has a clock, assumes that the other clock shows the same.
    pub fn complete_clocks(&mut self) {
        let [white, black] = self.clock;
        self.clock = [white.or(black), black.or(white)];
    }

    /// Whether there is a clock or a fixed time for the move.
    pub fn is_timed(&self) -> bool {
        self.move_time.is_some() || self.clock.iter().any(Option::is_some)
    }

    /// Whether a search for a side ends by itself because of time, depth or nodes. A `mate` may never be found.
    pub fn is_bounded(&self, us: Colour) -> bool {
        self.move_time.is_some() || self.depth.is_some() || self.nodes.is_some() || self.clock[us.index()].is_some()
    }
}

/// How to search: the options and what they have loaded.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The values of all options.
    pub options: Options,
    /// The network for Spartan Chess, which [`Options::use_nnue`] may forbid; `None` for the hand-made evaluation.
    /// Orthodox chess always uses the latter.
    pub network: Option<Arc<Network>>,
    /// The endgame tables in files.
    pub tables: Arc<Tables>,
    /// Evaluate positions without regard to the halfmove clock and to the correction histories, which then learn
    /// nothing. So the scores depend on the positions alone, as a network that learns from them needs it. The search is
    /// weaker.
    pub plain_eval: bool,
}

impl Settings {
    /// The network to evaluate with, if any.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref().filter(|_| self.options.use_nnue)
    }

    /// Tells whether positions of a variant can be evaluated as the options want it.
    ///
    /// # Errors
    /// If the network is missing, in a program that has none embedded; the error is a message for the user.
    pub fn check_network(&self, variant: Variant) -> Result<(), &'static str> {
        let is_missing = variant == Variant::Spartan && self.options.use_nnue && self.network.is_none();
        if is_missing { Err("there is no network: set EvalFile, or Use NNUE to false") } else { Ok(()) }
    }

    /// Positions with more men are not looked up in files: the limit or the greatest number of men in a file, whichever
    /// is less. 0 without files or at limited strength.
    pub fn table_men(&self) -> u32 {
        if self.options.strength().is_some() { 0 } else { self.tables.max_men().min(self.options.table_probe_limit) }
    }

    /// The tables in which a position is looked up: without the files if it has too many men.
    pub fn tables_for(&self, board: &Board) -> &Tables {
        if board.occupied().count() <= self.table_men() { &self.tables } else { Tables::embedded() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { options: Options::default(), network: nnue::embedded(), tables: Arc::default(), plain_eval: false }
    }
}

/// What a value says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is at most this: no move reached alpha.
    Upper,
    /// It is at least this: a move reached beta.
    Lower,
    /// It is this.
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
    /// Whether the score is exact, or the search failed low or high.
    pub bound: Bound,
    /// Chances of the side to move to win, draw and lose, in thousandths.
    pub wdl: [u32; 3],
    /// The nodes of all threads since the start of the search.
    pub nodes: u64,
    /// The positions found in endgame tables since the start of the search, by all threads.
    pub tb_hits: u64,
    /// Time since the start of the search.
    pub time: Duration,
    /// Share of the hash table with entries of this search, in thousandths.
    pub hashfull: u32,
    /// The principal variation: legal moves from the root. Empty only if the root has no legal move.
    pub pv: Vec<Move>,
}

impl Report {
    /// The expected score of the side to move, from 0 to 1: its chance to win plus half of that to draw.
    pub fn expectation(&self) -> f64 {
        expected_score(self.wdl)
    }
}

/// Search callbacks, called from search threads. `()` ignores everything.
pub trait Listener: Send + Sync {
    /// The search has found a line, or a bound of its value.
    fn report(&self, _report: &Report) {}

    /// The search starts a root move, numbered from 1. Called only after the search has run for three seconds.
    fn current_move(&self, _depth: u32, _mv: Move, _number: usize) {}

    /// These table files have failed during the search and are not used any more.
    fn tables_failed(&self, _problems: Vec<Problem>) {}

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
