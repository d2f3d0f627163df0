//! The moves of a game, and what is noted about them.

use super::annotations::Annotations;
use agoge_core::board::Board;
use agoge_core::types::Move;
use serde::{Deserialize, Serialize};

/// A move of a game and what belongs to it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Node {
    /// In coordinate notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// In algebraic notation; ignored when written.
    #[serde(default)]
    pub san: String,
    /// The position after the move; ignored when written.
    #[serde(default)]
    pub fen: String,
    /// A comment before the move, if it is the first one of a variation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    #[serde(flatten)]
    pub notes: Annotations,
    /// What could not be read in its variations.
    #[serde(skip)]
    pub(super) unread: Option<String>,
    /// Alternatives to the move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Vec<Node>>,
}

impl Node {
    /// Makes a move on a board.
    pub fn make(board: &mut Board, mv: Move) -> Self {
        let san = board.to_san(mv);
        board.make_move(mv);
        Self { mv: mv.to_string(), san, fen: board.to_fen(), ..Self::default() }
    }
}
