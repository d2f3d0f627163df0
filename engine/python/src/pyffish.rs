//! The functions of pyffish, for the variants that Agoge knows.

use crate::{value_error, variant_of};
use agoge_core::board::{Board, FIFTY_MOVES, Game, MoveError, Variant};
use agoge_core::fairy::{self, written};
use agoge_core::types::{Colour, Move};
use pyo3::prelude::*;

/// The value of a mate in answers, as in pyffish.
const VALUE_MATE: i32 = 32_000;

/// The game of a FEN, or `startpos`, and moves.
fn game_of(variant: &str, fen: &str, moves: &[String]) -> PyResult<Game> {
    let variant = variant_of(variant)?;
    let board = match fen {
        "startpos" => Board::start(variant),
        _ => Board::from_fen(fen, variant).map_err(value_error)?,
    };
    let mut game = Game::new(board);
    for uci in moves {
        let mv = move_of(game.board(), uci)?;
        game.push(mv).map_err(|error| invalid(uci, &error))?;
    }
    Ok(game)
}

fn invalid(uci: &str, error: &MoveError) -> PyErr {
    value_error(format!("Invalid move '{uci}': {error}"))
}

fn move_of(board: &Board, uci: &str) -> PyResult<Move> {
    board.parse_move(uci).map_err(|error| invalid(uci, &error))
}

/// Whether an object is true: pyffish takes any as a flag.
pub struct Flag(bool);

impl<'py> FromPyObject<'_, 'py> for Flag {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        object.is_truthy().map(Self)
    }
}

/// Orthodox castling is the only one that is known.
fn no_chess960(Flag(chess960): Flag) -> PyResult<()> {
    if chess960 { Err(value_error("Chess960 is not supported")) } else { Ok(()) }
}

#[pyfunction]
pub fn info() -> String {
    format!("Agoge {} by the Agoge developers", env!("CARGO_PKG_VERSION"))
}

#[pyfunction]
pub fn variants() -> Vec<&'static str> {
    Variant::ALL.map(Variant::name).to_vec()
}

#[pyfunction]
pub fn start_fen(variant: &str) -> PyResult<&'static str> {
    Ok(variant_of(variant)?.start_fen())
}

#[pyfunction]
pub fn two_boards(variant: &str) -> PyResult<bool> {
    variant_of(variant).map(|_| false)
}

#[pyfunction]
pub fn captures_to_hand(variant: &str) -> PyResult<bool> {
    variant_of(variant).map(|_| false)
}

/// Options of pyffish change nothing here.
#[pyfunction]
pub fn set_option(_name: &str, _value: &Bound<'_, PyAny>) {}

#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false)))]
pub fn legal_moves(variant: &str, fen: &str, moves: Vec<String>, chess960: Flag) -> PyResult<Vec<String>> {
    no_chess960(chess960)?;
    Ok(game_of(variant, fen, &moves)?.board().legal_moves().iter().map(ToString::to_string).collect())
}

#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false), sfen=Flag(false), show_promoted=Flag(false), count_started=0))]
pub fn get_fen(
    variant: &str,
    fen: &str,
    moves: Vec<String>,
    chess960: Flag,
    sfen: Flag,
    show_promoted: Flag,
    count_started: i32,
) -> PyResult<String> {
    no_chess960(chess960)?;
    if sfen.0 {
        return Err(value_error("SFEN is not supported"));
    }
    // They concern variants with drops or counting rules only.
    let _ = (show_promoted.0, count_started);
    Ok(game_of(variant, fen, &moves)?.board().to_fen())
}

/// There are no other variants.
#[pyfunction]
pub fn load_variant_config(_config: &str) {}

#[pyfunction]
#[pyo3(signature = (_fen, variant, chess960=Flag(false)))]
pub fn get_fog_fen(_fen: &str, variant: &str, chess960: Flag) -> PyResult<String> {
    no_chess960(chess960)?;
    Err(value_error(format!("{} is not played with fog of war", variant_of(variant)?.name())))
}

/// Whether the notation with a number of pyffish is the long one.
fn is_long(notation: u8) -> PyResult<bool> {
    fairy::is_long(notation.into()).map_err(value_error)
}

#[pyfunction]
#[pyo3(signature = (variant, fen, r#move, chess960=Flag(false), notation=0))]
pub fn get_san(variant: &str, fen: &str, r#move: &str, chess960: Flag, notation: u8) -> PyResult<String> {
    no_chess960(chess960)?;
    let game = game_of(variant, fen, &[])?;
    Ok(written(game.board(), move_of(game.board(), r#move)?, is_long(notation)?))
}

#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false), notation=0))]
pub fn get_san_moves(
    variant: &str,
    fen: &str,
    moves: Vec<String>,
    chess960: Flag,
    notation: u8,
) -> PyResult<Vec<String>> {
    no_chess960(chess960)?;
    let mut game = game_of(variant, fen, &[])?;
    let long = is_long(notation)?;
    let mut texts = Vec::with_capacity(moves.len());
    for uci in &moves {
        let mv = move_of(game.board(), uci)?;
        texts.push(written(game.board(), mv, long));
        game.push(mv).map_err(|error| invalid(uci, &error))?;
    }
    Ok(texts)
}

#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false)))]
pub fn gives_check(variant: &str, fen: &str, moves: Vec<String>, chess960: Flag) -> PyResult<bool> {
    no_chess960(chess960)?;
    Ok(game_of(variant, fen, &moves)?.board().in_check())
}

#[pyfunction]
#[pyo3(signature = (variant, fen, moves, r#move, chess960=Flag(false)))]
pub fn is_capture(variant: &str, fen: &str, moves: Vec<String>, r#move: &str, chess960: Flag) -> PyResult<bool> {
    no_chess960(chess960)?;
    let game = game_of(variant, fen, &moves)?;
    Ok(game.board().captured(move_of(game.board(), r#move)?).is_some())
}

/// The unpromoted kind of a captured piece matters only with two boards.
#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false)))]
pub fn piece_to_partner(variant: &str, fen: &str, moves: Vec<String>, chess960: Flag) -> PyResult<&'static str> {
    no_chess960(chess960)?;
    game_of(variant, fen, &moves).map(|_| "")
}

/// The result for the side to move if it has no legal move, otherwise 0.
#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false)))]
pub fn game_result(variant: &str, fen: &str, moves: Vec<String>, chess960: Flag) -> PyResult<i32> {
    no_chess960(chess960)?;
    let game = game_of(variant, fen, &moves)?;
    let is_mate = game.board().in_check() && !game.board().has_legal_move();
    Ok(if is_mate { -VALUE_MATE } else { 0 })
}

/// Neither variant has an end by rule with legal moves left.
#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false)))]
pub fn is_immediate_game_end(variant: &str, fen: &str, moves: Vec<String>, chess960: Flag) -> PyResult<(bool, i32)> {
    no_chess960(chess960)?;
    game_of(variant, fen, &moves).map(|_| (false, 0))
}

/// Draws by threefold repetition and the fifty-move rule.
#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false), count_started=0))]
pub fn is_optional_game_end(
    variant: &str,
    fen: &str,
    moves: Vec<String>,
    chess960: Flag,
    count_started: i32,
) -> PyResult<(bool, i32)> {
    no_chess960(chess960)?;
    let _ = count_started;
    let game = game_of(variant, fen, &moves)?;
    let is_late = game.board().halfmove_clock() >= FIFTY_MOVES && game.board().has_legal_move();
    Ok((is_late || game.repetitions() >= 3, 0))
}

/// For White and for Black, whether they cannot win with their material.
#[pyfunction]
#[pyo3(signature = (variant, fen, moves, chess960=Flag(false)))]
pub fn has_insufficient_material(
    variant: &str,
    fen: &str,
    moves: Vec<String>,
    chess960: Flag,
) -> PyResult<(bool, bool)> {
    no_chess960(chess960)?;
    let game = game_of(variant, fen, &moves)?;
    let is_insufficient = |side| fairy::has_insufficient_material(game.board(), side);
    Ok((is_insufficient(Colour::White), is_insufficient(Colour::Black)))
}

/// 1 for a valid FEN, otherwise the code of pyffish for the wrong field.
#[pyfunction]
#[pyo3(signature = (fen, variant="chess", chess960=Flag(false)))]
pub fn validate_fen(fen: &str, variant: &str, chess960: Flag) -> PyResult<i32> {
    no_chess960(chess960)?;
    // An empty one is wrong in every variant.
    if fen.trim().is_empty() { Ok(0) } else { Ok(fairy::validate_fen(fen, variant_of(variant)?)) }
}
