//! Instructive positions of a class: the longest wins, mutual zugzwangs, and positions with a single good move.

use super::statistics::{Statistics, Zugzwangs};
use crate::epd::{Epd, plain_san};
use crate::rng::Rng;
use agoge_core::board::Board;
use agoge_core::tables::{Tables, Wdl};
use agoge_core::types::{Colour, Move};
use agoge_solver::Solved;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::fmt::Write;

/// The random positions of a class among which single good moves are sought.
const SAMPLES: usize = 20_000;

/// The least number of legal moves if only one of them is good.
const MIN_MOVES: usize = 4;

/// The least distance to mate of instructive wins, in plies.
const MIN_PLIES: u16 = 9;

/// What is instructive about a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Theme {
    /// No win of its class and side is longer.
    LongestWin,
    /// Both sides would rather not be on move.
    Zugzwang,
    OnlyWin,
    OnlyDraw,
}

impl Theme {
    const fn name(self) -> &'static str {
        match self {
            Self::LongestWin => "longest win",
            Self::Zugzwang => "mutual zugzwang",
            Self::OnlyWin => "only move to win",
            Self::OnlyDraw => "only move to draw",
        }
    }
}

/// The result and the distance to mate of a move, for the side that moves. A move may make a win a ply too late.
fn outcome(tables: &Tables, board: &Board, mv: Move) -> Option<(Wdl, u16)> {
    let after = board.after(mv);
    let value = tables.value(&after)?;
    Some((value.result_at(after.halfmove_clock())?.negated(), value.dtm?))
}

/// The moves that keep the result of a position: in a win those with the fastest mate, in a draw those that draw.
fn good_moves(tables: &Tables, board: &Board) -> Option<Vec<Move>> {
    let moves: Vec<_> =
        board.legal_moves().into_iter().map(|mv| Some((mv, outcome(tables, board, mv)?))).collect::<Option<_>>()?;
    let best = moves.iter().map(|&(_, (wdl, _))| wdl).max()?;
    let good = moves.iter().filter(|(_, (wdl, _))| *wdl == best);
    let fastest = good.clone().map(|&(_, (_, dtm))| dtm).min()?;
    Some(good.filter(|(_, (_, dtm))| !best.is_win() || *dtm == fastest).map(|&(mv, _)| mv).collect())
}

/// The position with its theme and exact answers: the best moves and the distance to mate. `None` if every move is as
/// good as the others, so that there is no answer, or if a table is missing.
fn entry(tables: &Tables, board: &Board, class: &str, theme: Theme) -> Option<Epd> {
    let value = tables.value(board)?;
    let good = good_moves(tables, board)?;
    if good.len() == board.legal_moves().len() && !value.wdl.is_win() {
        return None;
    }
    let names: Vec<String> = good.into_iter().map(|mv| plain_san(board, mv)).collect();
    let mut epd = Epd::new(board.clone()).with("bm", names.join(" "));
    if value.wdl == Wdl::Win {
        epd = epd.with("dm", value.dtm?.div_ceil(2));
    } else if value.wdl == Wdl::Draw {
        epd = epd.with("ce", 0);
    }
    Some(epd.with("c0", value.describe(0)).with("c1", theme.name()).with("id", class))
}

/// The instructive positions of a class with its statistics and zugzwangs, by theme.
pub fn instructive(
    solved: &Solved,
    statistics: &[Statistics; 2],
    zugzwangs: &Zugzwangs,
    tables: &Tables,
) -> Vec<(Theme, Epd)> {
    let class = solved.class().to_string();
    let mut found: Vec<(Theme, Board)> = Vec::new();
    let longest = statistics.iter().filter_map(|side| side.longest_win.as_ref());
    let longest = longest.filter(|&&(plies, _)| plies >= MIN_PLIES);
    found.extend(longest.map(|(_, board)| (Theme::LongestWin, board.clone())));
    found.extend(zugzwangs.example.iter().map(|(board, _)| (Theme::Zugzwang, board.clone())));
    let mut rng = Rng::new(solved.class().key());
    let samples: Vec<usize> = (0..SAMPLES).map(|_| rng.below(solved.indices())).collect();
    for colour in Colour::ALL {
        let only = |&index: &usize| {
            let (board, value) = solved.get(index)?;
            let moves = board.legal_moves();
            if board.side_to_move() != colour
                || value.wdl.is_loss()
                || moves.len() < MIN_MOVES
                || value.dtm? < MIN_PLIES && value.wdl.is_win()
            {
                return None;
            }
            let results: Vec<Wdl> =
                moves.iter().map(|&mv| Some(outcome(tables, &board, mv)?.0)).collect::<Option<_>>()?;
            let mut good = moves.iter().zip(&results).filter(|&(_, &result)| result == value.wdl);
            let (&only, _) = good.next()?;
            // A capture that saves the game is easy to find.
            if good.next().is_some() || board.captured(only).is_some() {
                return None;
            }
            // The longest win, or the draw that is hardest to find.
            let rank = if value.wdl.is_win() { usize::from(value.dtm?) } else { moves.len() };
            let theme = if value.wdl.is_win() { Theme::OnlyWin } else { Theme::OnlyDraw };
            Some((theme, rank, Reverse(index)))
        };
        let mut all: Vec<_> = samples.par_iter().filter_map(only).collect();
        all.sort_unstable();
        all.dedup();
        for (theme, count) in [(Theme::OnlyWin, 2), (Theme::OnlyDraw, 1)] {
            let best = all.iter().rev().filter(|found| found.0 == theme).take(count);
            found.extend(best.filter_map(|&(.., Reverse(index))| Some((theme, solved.get(index)?.0))));
        }
    }
    let line = |(theme, board): (Theme, Board)| Some((theme, entry(tables, &board, &class, theme)?));
    found.into_iter().filter_map(line).collect()
}

/// The moves of the best play from a won or lost position to mate, numbered as in PGN.
pub fn best_line(tables: &Tables, board: &Board) -> String {
    let mut board = board.clone();
    let mut text = String::new();
    while let Some(mv) = tables.best_move(&board) {
        let number = board.fullmove_number();
        let _ = match board.side_to_move() {
            Colour::White => write!(text, " {number}."),
            Colour::Black if text.is_empty() => write!(text, " {number}..."),
            Colour::Black => Ok(()),
        };
        let _ = write!(text, " {}", board.to_san(mv));
        board = board.after(mv);
    }
    text.trim_start().to_owned()
}
