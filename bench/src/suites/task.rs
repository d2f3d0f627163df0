//! Test suites: positions with a known answer, and whether a search finds it.
//!
//! The operations of a position define the answer: `dm` is the number of moves of the shortest forced mate by the side
//! to move; `bm` are the best moves and `am` moves to avoid, both in algebraic or coordinate notation. `bm #3` is a
//! mate in three, too, and `bm #-3` means that the side to move is mated in three.

use crate::analysis::Analysis;
use crate::epd::Epd;
use crate::suites::solver::Solver;
use agoge_core::board::Board;
use agoge_core::search::{Bound, Report};
use agoge_core::types::Move;
use agoge_core::types::score::Score;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Task {
    /// A mate in this number of moves; negative if the side to move is mated.
    Mate(i32),
    /// One of the best moves, if any are given, and none of the moves to avoid.
    Moves { best: Vec<Move>, avoid: Vec<Move> },
}

impl Task {
    /// The task of a line.
    ///
    /// # Errors
    /// If the line has no task or one that is impossible in the position.
    pub fn of(epd: &Epd) -> Result<Self, String> {
        match epd.mate_distance()? {
            Some(0) => return Err("a mate in 0 moves".to_owned()),
            Some(moves) => return Ok(Self::Mate(moves)),
            None => {}
        }
        let (best, avoid) = (read_moves(epd, "bm")?, read_moves(epd, "am")?);
        if best.is_empty() && avoid.is_empty() {
            return Err("none of the operations dm, bm and am".to_owned());
        }
        Ok(Self::Moves { best, avoid })
    }

    /// Whether a move solves a task that asks for a move.
    fn accepts(&self, mv: Move) -> bool {
        match self {
            Self::Mate(_) => false,
            Self::Moves { best, avoid } => (best.is_empty() || best.contains(&mv)) && !avoid.contains(&mv),
        }
    }

    /// The number of nodes after which the search found the answer; `None` if it did not. A move must be kept to the end.
    /// A mate must be found at its true distance, or with `any_mate` at any distance.
    pub fn solved_after(&self, analysis: &Analysis, any_mate: bool) -> Option<u64> {
        match *self {
            Self::Mate(shortest) => {
                let found = |score| match score {
                    Score::Mate(moves) => moves == shortest || any_mate && is_longer(moves, shortest),
                    Score::Cp(_) => false,
                };
                analysis.exact().find(|report| found(report.score)).map(|report| report.nodes)
            }
            Self::Moves { .. } => {
                analysis.best.filter(|&mv| self.accepts(mv))?;
                let right = |report: &&Report| report.pv.first().is_some_and(|&mv| self.accepts(mv));
                let kept = analysis.exact().rev().take_while(right).last();
                // The answer may come from an unfinished iteration without a report.
                kept.or(analysis.exact().next_back()).map(|report| report.nodes)
            }
        }
    }
}

/// Whether a mate is one by the same side in more moves.
const fn is_longer(mate: i32, shortest: i32) -> bool {
    mate.signum() == shortest.signum() && mate.abs() > shortest.abs()
}

/// The moves in an operation.
///
/// # Errors
/// Names the text that is not a legal move.
pub fn read_moves(epd: &Epd, name: &str) -> Result<Vec<Move>, String> {
    let read = |text: &str| {
        let coordinates = epd.board.parse_move(text);
        coordinates.or_else(|_| epd.board.parse_san(text).map_err(|error| format!("{name} {text}: {error}")))
    };
    epd.operand(name).unwrap_or("").split_whitespace().map(read).collect()
}

/// The mates announced by a search, checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Announced {
    /// The number of announced mates; each number of moves counts once.
    pub mates: u32,
    /// The false ones, as text.
    pub wrong: Vec<String>,
    /// The number of mates that could be neither proven nor refuted.
    pub unproven: u32,
}

/// Checks every mate that a search announced, including bounds that imply a mate. If the length of the shortest mate is
/// known, any shorter mate, or one for the other side, is wrong. Otherwise the solver decides, with at most `nodes`
/// nodes.
pub fn check_mates(
    board: &Board,
    task: &Task,
    analysis: &Analysis,
    solver: Option<&mut Solver>,
    nodes: u64,
) -> Announced {
    let mut claimed: Vec<i32> = Vec::new();
    for report in &analysis.reports {
        let claim = match (report.score, report.bound) {
            (Score::Mate(moves), Bound::Exact) => Some(moves),
            (Score::Mate(moves), Bound::Lower) if moves > 0 => Some(moves),
            (Score::Mate(moves), Bound::Upper) if moves <= 0 => Some(moves),
            _ => None,
        };
        claimed.extend(claim.filter(|_| report.multi_pv == 1));
    }
    claimed.sort_unstable();
    claimed.dedup();
    let mut announced = Announced { mates: claimed.len() as u32, ..Announced::default() };
    let mut solver = solver;
    for claim in claimed {
        let right = match (task, &mut solver) {
            (&Task::Mate(shortest), _) => Some(claim == shortest || is_longer(claim, shortest)),
            (_, Some(solver)) => {
                solver.clear();
                solver.allow(nodes);
                let moves = claim.unsigned_abs();
                if claim > 0 { solver.mates_within(board, moves) } else { solver.mated_within(board, moves) }.ok()
            }
            (_, None) => None,
        };
        match right {
            Some(true) => {}
            Some(false) => announced.wrong.push(format!("mate {claim}")),
            None => announced.unproven += 1,
        }
    }
    announced
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;
    use std::time::Duration;

    fn epd(text: &str) -> Epd {
        Epd::parse(text, Variant::Spartan).unwrap().unwrap()
    }

    fn report(board: &Board, score: Score, bound: Bound, mv: &str, nodes: u64) -> Report {
        Report {
            depth: 1,
            seldepth: 1,
            multi_pv: 1,
            score,
            bound,
            wdl: [0, 1000, 0],
            nodes,
            tb_hits: 0,
            time: Duration::ZERO,
            hashfull: 0,
            pv: vec![board.parse_move(mv).unwrap()],
        }
    }

    #[test]
    fn tasks_are_parsed() {
        let fen = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1";
        let task = |operations: &str| Task::of(&epd(&format!("{fen} ; {operations}")));
        assert_eq!(task("dm 1 ; bm Qg7"), Ok(Task::Mate(1)));
        for (operations, moves) in [("bm #1;", 1), ("bm #+2", 2), ("bm #-3; id \"x\"", -3), ("bm #12 # found", 12)] {
            assert_eq!(task(operations), Ok(Task::Mate(moves)), "{operations}");
        }
        let Ok(Task::Moves { best, avoid }) = task("bm Qg7 g1h1 ; am Kf5") else { panic!("moves") };
        assert_eq!((best.len(), avoid.len()), (2, 1));
        for wrong in ["dm 0", "dm x", "dm -1", "bm Qb2", "bm", "id x", "am ?", "bm #0", "bm #x", "bm # 1"] {
            assert!(task(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_answer_must_be_kept_to_the_end() {
        let epd = epd("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 ; bm Qg7");
        let task = Task::of(&epd).unwrap();
        let solved = |moves: &[&str]| {
            let mut analysis = Analysis::default();
            for (index, mv) in moves.iter().enumerate() {
                analysis.reports.push(report(&epd.board, Score::Cp(0), Bound::Exact, mv, 10 * index as u64));
            }
            analysis.best = moves.last().map(|mv| epd.board.parse_move(mv).unwrap());
            task.solved_after(&analysis, false)
        };
        assert_eq!(solved(&["g1g7", "g1g2", "g1g7", "g1g7"]), Some(20));
        assert_eq!(solved(&["g1g7", "g1g2"]), None);
        assert_eq!(solved(&[]), None);
    }

    #[test]
    fn wrong_mates_are_detected() {
        let line = epd("k7/8/2K5/8/8/8/8/1Q6 w - - 0 1 ; dm 1");
        let task = Task::of(&line).unwrap();
        let announce = |task: &Task, moves, bound, solver: Option<&mut Solver>| {
            let reports = vec![report(&line.board, Score::Mate(moves), bound, "b1b7", 5)];
            check_mates(&line.board, task, &Analysis { reports, best: None }, solver, 100_000)
        };
        for (moves, bound, wrong) in [
            (1, Bound::Exact, false),
            (4, Bound::Exact, false),
            (1, Bound::Lower, false),
            (-1, Bound::Exact, true),
            (-2, Bound::Upper, true),
        ] {
            assert_eq!(announce(&task, moves, bound, None).wrong.len(), usize::from(wrong), "{moves}");
        }
        assert_eq!(announce(&Task::Mate(2), 1, Bound::Exact, None).wrong, ["mate 1"]);
        for (claim, wrong) in [(-2, false), (-3, false), (-1, true), (2, true)] {
            assert_eq!(announce(&Task::Mate(-2), claim, Bound::Exact, None).wrong.len(), usize::from(wrong), "{claim}");
        }
        assert_eq!(announce(&task, 1, Bound::Upper, None), Announced::default());
        // Without a known length the solver decides.
        let moves = Task::Moves { best: Vec::new(), avoid: Vec::new() };
        assert_eq!(announce(&moves, 1, Bound::Exact, None).unproven, 1);
        let mut solver = Solver::new(1);
        assert_eq!(announce(&moves, 1, Bound::Exact, Some(&mut solver)).wrong.len(), 0);
        assert_eq!(announce(&moves, -2, Bound::Exact, Some(&mut solver)).wrong, ["mate -2"]);
    }
}
