//! Mates with a single solution, proven by exhaustive search: in every position of the solver one move mates in time
//! and no other one does, whatever the opponent replies.

use crate::suites::solver::{Solver, Unsolved};
use agoge_core::board::Board;
use agoge_core::types::Move;

/// The only move that mates within a number of moves, at least one, if there is no faster mate and no other such move.
fn only_move(solver: &mut Solver, board: &Board, moves: u32) -> Result<Option<Move>, Unsolved> {
    if solver.shortest(board, moves)? != Some(moves) {
        return Ok(None);
    }
    let mut only = None;
    for mv in board.legal_moves() {
        if solver.solves(board, mv, moves)? && only.replace(mv).is_some() {
            return Ok(None);
        }
    }
    Ok(only)
}

/// The solution of a mate in a number of moves, if it has a single one: the opponent's replies hold out longest.
pub fn solution(solver: &mut Solver, board: &Board, moves: u32) -> Result<Option<Vec<Move>>, Unsolved> {
    let Some(first) = only_move(solver, board, moves)? else { return Ok(None) };
    if moves == 1 {
        return Ok(Some(vec![first]));
    }
    let after = board.after(first);
    for reply in after.legal_moves() {
        if let Some(rest) = solution(solver, &after.after(reply), moves - 1)? {
            return Ok(Some([vec![first, reply], rest].concat()));
        }
    }
    Ok(None)
}

/// What is wrong with the solution of a mate.
pub fn fault(solver: &mut Solver, board: &Board, line: &[Move]) -> Option<String> {
    let mut board = board.clone();
    for (ply, &mv) in line.iter().enumerate() {
        let left = (line.len() - ply).div_ceil(2) as u32;
        if ply % 2 == 0 {
            match only_move(solver, &board, left) {
                Ok(Some(only)) if only == mv => {}
                Ok(_) => return Some(format!("{} is not the only mate in {left}", board.to_san(mv))),
                Err(error) => return Some(error.to_string()),
            }
        }
        board.make_move(mv);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).unwrap()
    }

    #[test]
    fn a_mate_with_two_solutions_is_no_puzzle() {
        let mut solver = Solver::new(1);
        let mut found = |fen, moves| {
            solver.clear();
            let line = solution(&mut solver, &board(fen), moves).unwrap();
            line.map(|line| line.iter().map(Move::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(found("1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1", 1), Some("h5b5".to_owned()));
        // Queen and rook mate; there is no mate in two, since there is a faster one.
        assert_eq!(found("7k/8/6K1/8/8/8/8/RQ6 w - - 0 1", 1), None);
        assert_eq!(found("1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1", 2), None);
        assert_eq!(found("7k/8/8/8/8/8/8/K7 w - - 0 1", 1), None);
    }

    #[test]
    fn solutions_are_proven_again() {
        let mut solver = Solver::new(1);
        let start = board("5B1K/2P3P1/8/1N6/6w1/8/2P3h1/1k6 b - - 0 4");
        let line = solution(&mut solver, &start, 2).unwrap().unwrap();
        assert_eq!((line.len(), line[0].to_string().as_str()), (3, "g2h1g"));
        assert_eq!(fault(&mut solver, &start, &line), None);
        let other = start.legal_moves().into_iter().find(|&mv| mv != line[0]).unwrap();
        assert!(fault(&mut solver, &start, &[other, line[1], line[2]]).unwrap().contains("not the only mate in 2"));
        solver.clear();
        solver.allow(1);
        assert!(fault(&mut solver, &start, &line).unwrap().contains("node limit"));
    }
}
