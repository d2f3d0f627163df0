//! Makes starting positions for self-play: random ones that a short search finds balanced enough. OpenBench calls the
//! engine for them before it generates data.

use crate::board::{Board, Game, Variant};
use crate::nnue::Network;
use crate::notation::epd::summarise;
use crate::notation::starts::{self, Shares, StartSampler};
use crate::search::{Limits, Searcher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The soft limit of the short search, in nodes, as in `agoge-bench datagen play`.
pub const NODES: u64 = 5000;

/// The hard limit of the short search, as a multiple of the soft one.
const HARD_LIMIT: u64 = 8;

/// The size of the hash table in MiB. It is cleared for each position.
const HASH: usize = 1;

/// How often a running search looks at the flag that stops it.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// What to make.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters {
    /// The number of positions.
    pub count: u64,
    /// The seed: with the same other parameters and network, it gives the same positions.
    pub seed: u64,
    /// A file of positions to start from, each followed by up to three random moves. Without one, six to ten random
    /// moves are made from the initial position.
    pub book: Option<PathBuf>,
    /// The share of random endgames, 0 to 1.
    pub endgames: f64,
    /// The share of random middlegames with one king each, 0 to 1.
    pub middlegames: f64,
    /// The soft limit of the short search in nodes.
    pub nodes: u64,
}

/// Makes different positions in which the game is not over, and calls `on_position` with each. Calls `on_skipped` with
/// messages about lines of the book that could not be read. The short search uses `network`, or the hand-made
/// evaluation, on the calling thread. Ends soon after `stop` is set, and then returns false.
///
/// # Errors
/// If the book cannot be read, there is not enough memory, or new positions have become too rare. The error is a
/// message for the user.
pub fn run(
    parameters: &Parameters,
    variant: Variant,
    network: Option<Arc<Network>>,
    stop: &AtomicBool,
    on_skipped: impl Fn(&str),
    mut on_position: impl FnMut(&Board),
) -> Result<bool, String> {
    let &Parameters { count, seed, ref book, endgames, middlegames, nodes } = parameters;
    let (book, skipped) =
        book.as_ref().map_or_else(|| Ok(Default::default()), |path| starts::read_book(path, variant))?;
    summarise(&skipped).iter().for_each(|line| on_skipped(line));
    let others = (1.0 - endgames - middlegames).max(0.0);
    let shares =
        Shares { book: if book.is_empty() { 0.0 } else { others }, endgame: endgames, middlegame: middlegames };
    let mut sampler = StartSampler::new(variant, seed, shares, book);
    let mut searcher = Searcher::on_this_thread(HASH).map_err(|error| error.to_string())?;
    searcher.settings.network = network;
    let limits = Limits { nodes: Some(nodes.saturating_mul(HARD_LIMIT)), soft_nodes: Some(nodes), ..Limits::default() };
    let flag = searcher.stop_flag();
    thread::scope(|scope| {
        // Dropped when all is done.
        let (_sender, has_ended) = mpsc::channel::<()>();
        let watch = move || {
            // Again and again, since each search resets the flag.
            while has_ended.recv_timeout(STOP_CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if stop.load(Ordering::Relaxed) {
                    flag.store(true, Ordering::Relaxed);
                }
            }
        };
        // The number of nodes is the user's, so a search may be long. Without threads, it ends before `stop` takes
        // effect.
        let _ = thread::Builder::new().spawn_scoped(scope, watch);
        let mut found = 0;
        while found < count {
            let start = sampler.sample().ok_or("there are no new starting positions")?;
            searcher.clear();
            let analysis = searcher.search(&Game::new(start.board.clone()), limits.clone(), 1);
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if analysis.score().is_some_and(|score| score.unsigned_abs() <= start.kind.max_score().into()) {
                on_position(&start.board);
                found += 1;
            }
        }
        Ok(true)
    })
}
