//! Makes starting positions for self-play: random ones that a short search finds balanced enough. OpenBench calls the
//! engine for them before it generates data.

use agoge_core::board::{Board, Game, Variant};
use agoge_core::nnue::Network;
use agoge_core::notation::starts::{Shares, StartSampler};
use agoge_core::search::{Limits, PoolError, Searcher};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The soft limit of the short search, in nodes, as in `agoge-bench datagen play`.
pub const NODES: u64 = 5000;

/// The hard limit of the short search, as a multiple of the soft one.
const HARD_LIMIT: u64 = 8;

/// The size of the hash table in MiB. It is cleared for each position.
const HASH: usize = 1;

/// What to make.
pub struct Parameters {
    /// The variant.
    pub variant: Variant,
    /// The number of positions.
    pub count: u64,
    /// The seed: the positions depend on nothing else.
    pub seed: u64,
    /// Positions to start from, each followed by up to three random moves; if empty, six to ten random moves are made
    /// from the initial position.
    pub book: Vec<Board>,
    /// The share of random endgames, 0 to 1.
    pub endgames: f64,
    /// The share of random middlegames with one king each.
    pub middlegames: f64,
    /// The soft limit of the short search in nodes.
    pub nodes: u64,
    /// The network of the search; `None` for the hand-made evaluation.
    pub network: Option<Arc<Network>>,
}

/// Why there are no positions.
#[derive(Debug)]
pub enum GenFensError {
    /// There is not enough memory, or a thread could not be started.
    Pool(PoolError),
    /// New positions have become too rare.
    Exhausted,
}

impl fmt::Display for GenFensError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(error) => error.fmt(f),
            Self::Exhausted => f.write_str("there are no new starting positions"),
        }
    }
}

impl std::error::Error for GenFensError {}

/// Makes different positions in which the game is not over, and calls `on_position` with each. Returns false if `stop`
/// was set before the end.
///
/// # Errors
/// If there is not enough memory, a thread cannot be started, or there are not enough positions.
pub fn run(
    parameters: Parameters,
    stop: &AtomicBool,
    mut on_position: impl FnMut(&Board),
) -> Result<bool, GenFensError> {
    let Parameters { variant, count, seed, book, endgames, middlegames, nodes, network } = parameters;
    let others = (1.0 - endgames - middlegames).max(0.0);
    let shares =
        Shares { book: if book.is_empty() { 0.0 } else { others }, endgame: endgames, middlegame: middlegames };
    let mut sampler = StartSampler::new(variant, seed, shares, book);
    let mut searcher = Searcher::new(1, HASH).map_err(GenFensError::Pool)?;
    searcher.settings.network = network;
    let limits = Limits { nodes: Some(nodes.saturating_mul(HARD_LIMIT)), soft_nodes: Some(nodes), ..Limits::default() };
    let mut found = 0;
    while found < count {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let start = sampler.sample().ok_or(GenFensError::Exhausted)?;
        searcher.clear();
        let analysis = searcher.search(&Game::new(start.board.clone()), limits.clone(), 1);
        if analysis.score().is_some_and(|score| score.unsigned_abs() <= start.kind.max_score().into()) {
            on_position(&start.board);
            found += 1;
        }
    }
    Ok(true)
}
