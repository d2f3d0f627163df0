//! Multi-threaded perft that can be stopped.

use super::{Command, Scope};
use agoge_core::board::Board;
use agoge_core::types::Move;
use rayon::prelude::*;
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) const COMMAND: Command = Command {
    usage: "perft N [fen], go perft N",
    help: "counts the leaf nodes of the tree of legal moves, on all threads",
    scope: Scope::Both,
};

/// The maximum depth. A count to this depth would not finish in a lifetime, and one a little deeper
/// would overflow 64 bits.
pub const MAX_DEPTH: u32 = 12;

/// The depth of a subtree that is counted as one piece of work: a few milliseconds, short enough to balance the threads
/// and to stop quickly.
const CHUNK: u32 = 4;

/// Leaf nodes by root move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// Each legal move with the number of leaf nodes after it, in generation order.
    pub divide: Vec<(Move, u64)>,
}

impl Perft {
    /// The sum over all root moves.
    pub fn total(&self) -> u64 {
        self.divide.iter().map(|&(_, nodes)| nodes).sum()
    }
}

/// Counts the leaf nodes below each legal move, `depth` (1 to [`MAX_DEPTH`]) plies from the root, with `threads`
/// threads. Returns `None` if `stop` was set before the end.
///
/// # Errors
/// If the threads cannot be started.
pub fn perft(
    board: &Board,
    depth: u32,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Perft>, ThreadPoolBuildError> {
    let depth = depth.clamp(1, MAX_DEPTH);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let moves = board.legal_moves().to_vec();
    let divide =
        pool.install(|| moves.into_par_iter().map(|mv| (mv, count(&board.after(mv), depth - 1, stop))).collect());
    Ok((!stop.load(Ordering::Relaxed)).then_some(Perft { divide }))
}

fn count(board: &Board, depth: u32, stop: &AtomicBool) -> u64 {
    if stop.load(Ordering::Relaxed) {
        0
    } else if depth <= CHUNK {
        board.perft(depth)
    } else {
        let moves = board.legal_moves().to_vec();
        moves.into_par_iter().map(|mv| count(&board.after(mv), depth - 1, stop)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    #[test]
    fn matches_the_single_threaded_count() {
        let board = Board::start(Variant::Spartan);
        let stop = AtomicBool::new(false);
        for (depth, nodes) in [(1, 20), (2, 640), (3, 14_244), (5, 11_712_515)] {
            let perft = perft(&board, depth, 2, &stop).expect("two threads").expect("not stopped");
            assert_eq!(perft.total(), nodes);
            assert_eq!(perft.divide.len(), 20);
        }
        stop.store(true, Ordering::Relaxed);
        assert!(perft(&board, MAX_DEPTH, 2, &stop).expect("two threads").is_none());
    }
}
