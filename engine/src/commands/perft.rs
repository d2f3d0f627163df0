//! Multi-threaded perft that can be stopped.

use super::{Command, Scope};
use agoge_core::board::Board;
use agoge_core::types::Move;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) const COMMAND: Command = Command {
    usage: "perft N [fen], go perft N",
    help: "counts the leaf nodes of the tree of legal moves, on all threads",
    scope: Scope::Both,
};

/// The depth of a subtree that is counted as one piece of work: a few milliseconds, short enough to balance the threads
/// and to stop quickly.
const CHUNK: u32 = 4;

/// Counts the leaf nodes below each legal move, in generation order, `depth` plies (at least 1) from the root. `None`
/// if `stop` was set before the end.
///
/// # Errors
/// If the threads cannot be started; the error is a message for the user.
pub fn perft(board: &Board, depth: u32, threads: usize, stop: &AtomicBool) -> Result<Option<Vec<(Move, u64)>>, String> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    let moves = board.legal_moves().to_vec();
    let divide =
        pool.install(|| moves.into_par_iter().map(|mv| (mv, count(&board.after(mv), depth - 1, stop))).collect());
    Ok((!stop.load(Ordering::Relaxed)).then_some(divide))
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
            let divide = perft(&board, depth, 2, &stop).expect("two threads").expect("not stopped");
            assert_eq!(divide.iter().map(|&(_, nodes)| nodes).sum::<u64>(), nodes);
            assert_eq!(divide.len(), 20);
        }
        stop.store(true, Ordering::Relaxed);
        assert!(perft(&board, 12, 2, &stop).expect("two threads").is_none());
    }
}
