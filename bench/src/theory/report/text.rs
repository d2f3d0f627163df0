//! Markdown: tables, lines of moves, values.

use super::estimate::{reversed, score};
use crate::matches::stats::Wdl;
use agoge_core::board::Board;
use agoge_core::notation::pgn::numbered;
use agoge_core::search::expectation as expected_score;
use agoge_core::theory::Position;
use agoge_core::types::score::{Score, Value};
use agoge_core::types::{Colour, Move};

/// A table; all columns but the first `texts` are right-aligned.
pub struct Table {
    text: String,
}

impl Table {
    pub fn new<const N: usize>(texts: usize, heading: [&str; N]) -> Self {
        let rule = |column| if column < texts { "---" } else { "---:" };
        let mut table = Self { text: String::new() };
        table.row(&heading);
        table.row::<N>(&std::array::from_fn(rule));
        table
    }

    pub fn row<const N: usize>(&mut self, cells: &[impl AsRef<str>; N]) {
        let cells = cells.each_ref().map(AsRef::as_ref);
        self.text += &format!("| {} |\n", cells.join(" | "));
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

/// Moves from a position in SAN, with their numbers.
pub fn line(board: &Board, moves: &[Move]) -> String {
    numbered(board, moves).join(" ")
}

/// A value from White's view in pawns.
pub fn pawns(white: Value) -> String {
    match Score::from(white) {
        Score::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0).replace('-', "−"),
        Score::Mate(moves) if moves > 0 => format!("mate in {moves}"),
        Score::Mate(moves) => format!("mated in {}", -moves),
    }
}

/// White's chance to win plus half of the chance to draw, by the curve with which the engine shows them.
pub fn expectation(white: Value) -> String {
    format!("{:.0} %", 100.0 * expected_score(white))
}

/// White's games of a position of theory.
pub fn white_games(board: &Board, position: &Position) -> Wdl {
    let [wins, draws, losses] = position.games.map(u64::from);
    let games = Wdl { wins, draws, losses };
    if board.side_to_move() == Colour::White { games } else { reversed(games) }
}

/// Wins, draws and losses; a dash if there are none.
pub fn results(games: Wdl) -> String {
    match games {
        Wdl { wins: 0, draws: 0, losses: 0 } => "–".to_owned(),
        Wdl { wins, draws, losses } => format!("{wins} / {draws} / {losses}"),
    }
}

/// The score as text.
pub fn score_text(games: Wdl) -> String {
    score(games).percent()
}
