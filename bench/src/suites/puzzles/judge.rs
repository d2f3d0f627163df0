//! What a search says of the choice in a position, and whether it makes a puzzle.
//!
//! Scores are compared as expectations: 1 is a win, 0.5 a draw, 0 a loss. Two moves that both win have nearly the same
//! expectation, however many centipawns lie between them.

use crate::analysis::{Analysis, Searcher};
use crate::epd::Epd;
use crate::suites::task::Task;
use agoge_core::board::{Board, Game};
use agoge_core::search::Bound;
use agoge_core::types::Move;

/// A solution wins if it has at least this expectation …
pub const WINS: f64 = 0.9;

/// … or it saves the game with this one, …
pub const SAVES: f64 = 0.4;

/// … if the second-best move loses: it has at most this one.
pub const LOST: f64 = 0.1;

/// The best reply of the opponent may be better than the one in the line by this expectation.
pub const REPLY_TOLERANCE: f64 = 0.15;

/// The best move of a position and the expectations of the best two moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Verdict {
    pub best: Move,
    pub value: f64,
    /// `None` if there is only one legal move.
    pub second: Option<f64>,
}

impl Verdict {
    /// Whether the best move wins or saves the game, and every other move is worse by a margin.
    pub fn is_single(&self, margin: f64) -> bool {
        let second = self.second.unwrap_or(0.0);
        let matters = self.value >= WINS || self.value >= SAVES && second <= LOST;
        matters && self.second.is_none_or(|second| self.value - second >= margin)
    }
}

fn analyse(searcher: &mut Searcher, board: &Board, nodes: u64, lines: usize) -> Analysis {
    searcher.clear();
    searcher.search_nodes(&Game::new(board.clone()), nodes, lines)
}

/// The expectation of the side to move after a search that goes on with what the searcher knows, and its best move.
pub fn play(searcher: &mut Searcher, game: &Game, nodes: u64) -> Option<(Move, f64)> {
    let analysis = searcher.search_nodes(game, nodes, 1);
    Some((analysis.best?, analysis.exact().next_back()?.expectation()))
}

/// Searches two lines from a cleared state. `None` if the search does not know both: the last report of one is only a
/// bound on the wrong side, or it changed its mind in an unfinished iteration.
pub fn judge(searcher: &mut Searcher, board: &Board, nodes: u64) -> Option<Verdict> {
    let analysis = analyse(searcher, board, nodes, 2);
    let lines = analysis.lines();
    let first = *lines.first()?;
    let best = *first.pv.first()?;
    if first.bound == Bound::Upper || analysis.best != Some(best) {
        return None;
    }
    let second = match lines.get(1) {
        Some(second) if second.bound == Bound::Lower || second.pv.first() == Some(&best) => return None,
        Some(second) => Some(second.expectation()),
        None if board.count_moves() > 1 => return None,
        None => None,
    };
    Some(Verdict { best, value: first.expectation(), second })
}

/// The best move of a search from a cleared state and its expectation.
pub fn best_reply(searcher: &mut Searcher, board: &Board, nodes: u64) -> Option<(Move, f64)> {
    let analysis = analyse(searcher, board, nodes, 1);
    Some((analysis.best?, analysis.exact().next_back()?.expectation()))
}

/// The number of nodes after which a search finds a move and keeps it to the end; `None` if it does not.
pub fn nodes_to_find(searcher: &mut Searcher, board: &Board, mv: Move, nodes: u64) -> Option<u64> {
    let task = Task::of(&Epd::new(board.clone()).with("bm", mv)).ok()?;
    task.solved_after(&analyse(searcher, board, nodes, 1), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).unwrap()
    }

    #[test]
    fn a_solution_is_single_if_it_matters() {
        let best = board("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1").parse_move("g1g7").unwrap();
        let is_single = |value, second| Verdict { best, value, second }.is_single(0.3);
        for (value, second, single) in [
            (1.0, Some(0.7), true),
            (1.0, Some(0.71), false),
            (0.9, Some(0.5), true),
            (0.89, Some(0.5), false),
            (0.5, Some(0.1), true),
            (0.5, Some(0.11), false),
            (0.39, Some(0.0), false),
            (0.95, None, true),
            (0.5, None, true),
        ] {
            assert_eq!(is_single(value, second), single, "{value} {second:?}");
        }
    }

    #[test]
    fn moves_that_win_alike_are_no_puzzle() {
        let mut searcher = Searcher::new(1, 1).unwrap();
        // The king must take the queen, or it is lost; many moves of the queen win.
        let saved = judge(&mut searcher, &board("8/8/8/8/8/2q5/1K6/7k w - - 0 1".replace('q', "g").as_str()), 5000);
        let saved = saved.unwrap();
        assert_eq!(saved.best.to_string(), "b2c3");
        assert!(saved.is_single(0.3) && saved.value < WINS, "{saved:?}");
        let won = judge(&mut searcher, &board("7k/8/4K3/8/8/8/8/6Q1 w - - 0 1"), 5000).unwrap();
        assert!(won.value >= WINS && !won.is_single(0.3), "{won:?}");
    }
}
