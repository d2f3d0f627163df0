//! A position as a front end needs it.

use agoge_core::board::{Board, Game, Outcome};
use agoge_core::types::{Colour, Move};
use serde::Serialize;

#[derive(Serialize)]
pub struct Position {
    pub fen: String,
    /// `white` or `black`, the side to move.
    pub turn: &'static str,
    /// All legal moves; empty after the end by mate or stalemate.
    pub legal: Vec<LegalMove>,
    /// Whether all kings of the side to move are attacked.
    pub check: bool,
    /// The squares of the attacked kings of the side to move: with two kings, one may stay attacked.
    pub attacked: Vec<String>,
    /// The number of kings of the side to move.
    pub kings: u32,
    /// The end of the game, if this is it.
    pub end: Option<End>,
}

#[derive(Serialize)]
pub struct LegalMove {
    /// In coordinate notation.
    #[serde(rename = "move")]
    pub mv: String,
    pub san: String,
}

#[derive(Serialize)]
pub struct End {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'static str,
    /// For users: `duple-checkmate`, `checkmate`, `stalemate`, `threefold repetition`, `fifty-move rule`,
    /// `dead position`.
    pub reason: String,
}

impl End {
    fn of(game: &Game) -> Option<Self> {
        let outcome = game.outcome()?;
        let board = game.board();
        let is_duple = matches!(outcome, Outcome::Checkmate { .. }) && board.has_two_kings(board.side_to_move());
        let reason = if is_duple { "duple-checkmate".to_owned() } else { outcome.to_string() };
        Some(Self { result: outcome.result(), reason })
    }
}

impl Position {
    pub fn of(game: &Game) -> Self {
        let board = game.board();
        let side = board.side_to_move();
        Self {
            fen: board.to_fen(),
            turn: colour_name(side),
            legal: board.legal_moves().into_iter().map(|mv| LegalMove::of(board, mv)).collect(),
            check: board.in_check(),
            attacked: board.attacked_kings().map(|square| square.to_string()).collect(),
            kings: board.kings(side).count(),
            end: End::of(game),
        }
    }
}

impl LegalMove {
    fn of(board: &Board, mv: Move) -> Self {
        Self { mv: mv.to_string(), san: board.to_san(mv) }
    }
}

/// The name of a colour in answers.
pub const fn colour_name(colour: Colour) -> &'static str {
    match colour {
        Colour::White => "white",
        Colour::Black => "black",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn position(fen: &str) -> Position {
        Position::of(&Game::new(Board::from_fen(fen, Variant::Spartan).expect("a valid FEN")))
    }

    #[test]
    fn attacked_kings_and_check() {
        // One of two kings is attacked: no check.
        let one = position("k6k/8/8/8/8/8/8/R3K3 b - - 0 1");
        assert_eq!((one.check, one.attacked, one.kings), (false, vec!["a8".to_owned()], 2));
        let both = position("k6k/8/8/8/8/8/8/R3K2R b KQ - 0 1");
        assert_eq!((both.check, both.attacked.len(), both.end.is_none()), (true, 2, true));
    }

    #[test]
    fn a_mate_of_two_kings_is_named() {
        let end = position("k1k5/8/1Q6/8/8/8/2R5/R2RK3 b - - 0 1").end;
        let end = end.map(|end| (end.result, end.reason));
        assert_eq!(end, Some(("1-0", "duple-checkmate".to_owned())));
    }
}
