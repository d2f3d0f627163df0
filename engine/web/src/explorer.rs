//! What is known about a position: the moves of opening theory with their values and games, and the exact results of
//! all moves where the endgame tables have them.
//!
//! The page asks for it by [`crate::json`], and `agoge explore` prints it. Programs with the feature `server` embed the
//! theory; others get it by [`load_theory`].

use crate::exact::ExactMove;
use crate::json::colour_name;
use agoge_core::board::{Board, Game};
use agoge_core::search::expectation;
use agoge_core::tables::Tables;
use agoge_core::theory::{Position, Theory};
use agoge_core::types::Colour;
use agoge_core::types::score::{Score, Value};
use serde::Serialize;
use std::sync::OnceLock;

static THEORY: OnceLock<Theory> = OnceLock::new();

/// Takes the compact form of theory. The first one counts.
///
/// # Errors
/// If it is damaged.
pub fn load_theory(bytes: &[u8]) -> Result<(), String> {
    let theory = Theory::from_bytes(bytes)?;
    let _ = THEORY.set(theory);
    Ok(())
}

/// The theory.
///
/// # Errors
/// If it is not loaded, or damaged.
fn theory() -> Result<&'static Theory, String> {
    #[cfg(feature = "server")]
    if THEORY.get().is_none() {
        load_theory(agoge_core::theory::EMBEDDED)?;
    }
    THEORY.get().ok_or_else(|| "the opening theory is not loaded".to_owned())
}

/// Theory at the end of a line.
#[derive(Clone, Debug, Serialize)]
pub struct Explored {
    pub fen: String,
    /// `white` or `black`, the side to move.
    pub turn: &'static str,
    /// The number of moves of the line.
    pub plies: usize,
    /// The last position of the line that is in theory, if any is. It is the position at the end if it has as many
    /// `plies`.
    pub theory: Option<Known>,
    /// The exact results of the moves, if tables were asked and have them, the best one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exact: Vec<ExactMove>,
}

/// A position of theory. All values are those of the side to move.
#[derive(Clone, Debug, Serialize)]
pub struct Known {
    /// The moves of the line that lead to it.
    pub plies: usize,
    pub fen: String,
    pub turn: &'static str,
    #[serde(flatten)]
    pub worth: Worth,
    pub games: Games,
    /// The searches of the position; none of the initial one.
    #[serde(flatten)]
    pub searches: Option<Searches>,
    /// The best one first.
    pub moves: Vec<KnownMove>,
}

/// A move of theory.
#[derive(Clone, Debug, Serialize)]
pub struct KnownMove {
    /// In coordinate notation.
    #[serde(rename = "move")]
    pub mv: String,
    pub san: String,
    #[serde(flatten)]
    pub worth: Worth,
    /// Those of the position after the move, which other moves may have reached; `None` if that is not in theory.
    pub games: Option<Games>,
    /// Those of the position after the move.
    #[serde(flatten)]
    pub searches: Option<Searches>,
}

/// A value.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Worth {
    /// `{"cp": centipawns}` or `{"mate": moves}`, negative if the side is mated.
    pub score: ScoreJson,
    /// The expected score, 0 to 1: the chance to win and half of the chance to draw, as in `UCI_ShowWDL`.
    pub expected: f64,
}

/// A score, as in UCI.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreJson {
    Cp(i32),
    Mate(i32),
}

/// The results of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Games {
    /// Won by White.
    pub white: u32,
    pub draws: u32,
    /// Won by Black.
    pub black: u32,
}

/// The searches of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Searches {
    /// Of the first one.
    pub depth: u32,
    /// Of all.
    pub nodes: u32,
}

impl Worth {
    fn of(value: Value) -> Self {
        let score = match Score::from(value) {
            Score::Cp(value) => ScoreJson::Cp(value),
            Score::Mate(moves) => ScoreJson::Mate(moves),
        };
        Self { score, expected: expectation(value) }
    }
}

impl Games {
    /// From games that a side has won, drawn and lost.
    const fn of([won, draws, lost]: [u32; 3], side: Colour) -> Self {
        match side {
            Colour::White => Self { white: won, draws, black: lost },
            Colour::Black => Self { white: lost, draws, black: won },
        }
    }

    pub const fn count(self) -> u32 {
        self.white.saturating_add(self.draws).saturating_add(self.black)
    }
}

impl Searches {
    fn of(position: &Position) -> Option<Self> {
        (position.depth > 0).then_some(Self { depth: position.depth, nodes: position.nodes })
    }
}

impl Known {
    fn of(theory: &Theory, board: &Board, position: &Position, plies: usize) -> Self {
        let side = board.side_to_move();
        let moves = position.best_first().into_iter().map(|known| {
            let next = theory.get(&board.after(known.mv));
            KnownMove {
                mv: known.mv.to_string(),
                san: board.to_san(known.mv),
                worth: Worth::of(known.value),
                games: next.map(|next| Games::of(next.games, !side)),
                searches: next.and_then(Searches::of),
            }
        });
        Self {
            plies,
            fen: board.to_fen(),
            turn: colour_name(side),
            worth: Worth::of(position.value()),
            games: Games::of(position.games, side),
            searches: Searches::of(position),
            moves: moves.collect(),
        }
    }
}

/// What is known about the last position of a game; without `tables` only theory.
///
/// # Errors
/// If the theory is not loaded.
pub fn explore(game: &Game, tables: Option<&Tables>) -> Result<Explored, String> {
    let theory = theory()?;
    let mut board = game.initial_board().clone();
    let mut last = theory.get(&board).map(|position| (board.clone(), position, 0));
    for (index, &mv) in game.moves().iter().enumerate() {
        board.make_move(mv);
        if let Some(position) = theory.get(&board) {
            last = Some((board.clone(), position, index + 1));
        }
    }
    Ok(Explored {
        fen: board.to_fen(),
        turn: colour_name(board.side_to_move()),
        plies: game.moves().len(),
        theory: last.map(|(board, position, plies)| Known::of(theory, &board, position, plies)),
        exact: tables.map_or_else(Vec::new, |tables| exact_moves(game, tables)),
    })
}

/// The results of all moves, the best one first; none if no table has a position after one.
fn exact_moves(game: &Game, tables: &Tables) -> Vec<ExactMove> {
    let board = game.board();
    let mut moves = tables.ranked_moves(game);
    if moves.iter().all(|ranked| ranked.result.is_none()) {
        moves.clear();
    }
    moves.iter().map(|ranked| ExactMove::of(board, ranked)).collect()
}

impl Explored {
    /// Whether the position at the end is in theory.
    pub fn is_known(&self) -> bool {
        self.theory.as_ref().is_some_and(|known| known.plies == self.plies)
    }

    /// As JSON in one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
