//! What a search may spend, and what it tells.

use super::Strength;
use crate::board::Game;
use crate::nnue::{self, Network};
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::sync::Arc;
use std::time::Duration;

/// The limits of one search, as `go` gives them. All that are given hold together.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left on the clocks of White and Black. May be zero: the engine still answers at once.
    pub clock: [Option<Duration>; 2],
    /// Increment per move of White and Black.
    pub increment: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Exact time for the move.
    pub move_time: Option<Duration>,
    /// Iterations.
    pub depth: Option<u32>,
    /// Nodes, of all threads together.
    pub nodes: Option<u64>,
    /// Nodes, of all threads together, after which no other iteration begins. The answer is then that of
    /// a whole iteration. `go` cannot give it: it is for programs that use the library.
    pub soft_nodes: Option<u64>,
    /// Ends when a mate in this number of moves is found.
    pub mate: Option<u32>,
    /// Do not answer before `stop`, even when all is known.
    pub infinite: bool,
    /// The opponent is to move in fact: as `infinite` until `ponderhit`.
    pub ponder: bool,
    /// The only root moves to look at; empty for all. Each must be legal.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Whether a search for a side ends by itself because of the time, the depth or the nodes.
    pub fn is_bounded(&self, us: Colour) -> bool {
        self.move_time.is_some() || self.depth.is_some() || self.nodes.is_some() || self.clock[us.index()].is_some()
    }
}

/// What of the options concerns a search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Lines to report, at least 1.
    pub multi_pv: usize,
    /// Time that each move loses between engine and clock.
    pub move_overhead: Duration,
    /// Share of a clock to think for, as a percentage of the usual one.
    pub slow_mover: u32,
    /// Nodes per millisecond that stand for time; 0 for the real clock.
    pub nodes_time: u64,
    /// Playing strength; `None` for the full one.
    pub strength: Option<Strength>,
    /// The network that evaluates positions of Spartan Chess; `None` for the hand-made evaluation,
    /// which evaluates the other games in any case.
    pub network: Option<Arc<Network>>,
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
        }
    }
}

/// How a score relates to the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The true value is at most the score.
    Upper,
    /// The true value is at least the score.
    Lower,
    /// The score is the value.
    Exact,
}

/// What a search knows after an iteration, or a part of one, about one line.
#[derive(Clone, Debug)]
pub struct Report {
    /// Completed or current iteration.
    pub depth: u32,
    /// The longest line that was looked at.
    pub seldepth: u32,
    /// The rank of the line, from 1.
    pub multi_pv: usize,
    /// The value from the side to move's view.
    pub score: Score,
    /// How exact it is.
    pub bound: Bound,
    /// Chances of the side to move to win, draw and lose, in thousandths.
    pub wdl: [u32; 3],
    /// Positions visited by all threads.
    pub nodes: u64,
    /// Positions of all threads whose value came from the tablebase.
    pub tb_hits: u64,
    /// Since the search began.
    pub time: Duration,
    /// Full entries of the hash table, in thousandths.
    pub hashfull: u32,
    /// The line: legal moves from the root on. Empty only when the root has no legal move.
    pub pv: Vec<Move>,
}

/// Who hears of a search. Called from search threads.
pub trait Listener: Send + Sync {
    /// A line was found or its value bounded.
    fn report(&self, report: &Report);
    /// The search began to look at a root move (number from 1) at a depth. Only after three seconds.
    fn current_move(&self, depth: u32, mv: Move, number: usize);
    /// The search is over. `best` is missing only when there is no legal move.
    fn best_move(&self, best: Option<Move>, ponder: Option<Move>);
}

/// A search to be done.
#[derive(Clone, Debug)]
pub struct Job {
    /// The root and the positions before it.
    pub game: Game,
    /// What it may spend.
    pub limits: Limits,
    /// How to do it.
    pub settings: Settings,
}
