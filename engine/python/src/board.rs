//! The board with its history.

use crate::moves::PyMove;
use crate::{value_error, variant_of};
use agoge_core::board::{Board, FIFTY_MOVES, Game, Outcome, Variant};
use agoge_core::eval::Evaluator;
use agoge_core::fairy;
use agoge_core::nnue;
use agoge_core::notation::pgn;
use agoge_core::types::{Colour, Move, Piece, Square};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};

/// `True` for White, as in python-chess.
pub const fn is_white(colour: Colour) -> bool {
    matches!(colour, Colour::White)
}

const fn colour_of(white: bool) -> Colour {
    if white { Colour::White } else { Colour::Black }
}

/// The greatest depth of perft, which no computer reaches. It keeps the recursion within the stack.
const MAX_PERFT: u32 = 100;

/// The square with a number.
pub fn square_of(index: i64) -> PyResult<Square> {
    let square = u8::try_from(index).ok().filter(|&index| index < 64).map(Square::new);
    square.ok_or_else(|| value_error(format!("{index} is not a square from 0 to 63")))
}

/// The FEN, variant and moves from which a board is restored.
type Restored = (String, &'static str, Vec<String>);

/// A position with its history.
#[pyclass(name = "Board", module = "agoge_chess", subclass)]
#[derive(Clone)]
pub struct PyBoard {
    pub game: Game,
}

impl PyBoard {
    fn board(&self) -> &Board {
        self.game.board()
    }

    fn push_legal(&mut self, mv: Move) -> PyResult<PyMove> {
        self.game.push(mv).map_err(value_error)?;
        Ok(mv.into())
    }
}

#[pymethods]
impl PyBoard {
    #[new]
    #[pyo3(signature = (fen=None, variant="spartan"))]
    fn new(fen: Option<&str>, variant: &str) -> PyResult<Self> {
        let variant = variant_of(variant)?;
        let board = match fen {
            Some(fen) => Board::from_fen(fen, variant).map_err(value_error)?,
            None => Board::start(variant),
        };
        Ok(Self { game: Game::new(board) })
    }

    #[getter]
    fn variant(&self) -> &'static str {
        self.board().variant().name()
    }

    /// What python-chess asks for.
    #[getter]
    fn uci_variant(&self) -> &'static str {
        self.variant()
    }

    #[getter]
    fn turn(&self) -> bool {
        is_white(self.board().side_to_move())
    }

    #[getter]
    fn halfmove_clock(&self) -> u16 {
        self.board().halfmove_clock()
    }

    #[getter]
    fn fullmove_number(&self) -> u16 {
        self.board().fullmove_number()
    }

    #[getter]
    fn castling_rights(&self) -> String {
        // The third field of the FEN.
        self.board().to_fen().split(' ').nth(2).unwrap_or("-").to_owned()
    }

    #[getter]
    fn ep_square(&self) -> Option<usize> {
        self.board().en_passant().map(Square::index)
    }

    #[getter]
    fn move_stack(&self) -> Vec<PyMove> {
        self.game.moves().iter().map(|&mv| mv.into()).collect()
    }

    #[getter]
    fn legal_moves(&self) -> Vec<PyMove> {
        self.board().legal_moves().into_iter().map(PyMove::from).collect()
    }

    fn fen(&self) -> String {
        self.board().to_fen()
    }

    fn ply(&self) -> usize {
        fairy::ply(self.board())
    }

    fn piece_at(&self, square: i64) -> PyResult<Option<char>> {
        Ok(self.board().piece_on(square_of(square)?).map(Piece::letter))
    }

    fn piece_map<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let map = PyDict::new(py);
        for square in Square::all() {
            if let Some(piece) = self.board().piece_on(square) {
                map.set_item(square.index(), piece.letter())?;
            }
        }
        Ok(map)
    }

    fn kings(&self, color: bool) -> Vec<usize> {
        self.board().kings(colour_of(color)).map(Square::index).collect()
    }

    fn attacked_kings(&self) -> Vec<usize> {
        self.board().attacked_kings().map(Square::index).collect()
    }

    fn is_legal(&self, mv: PyMove) -> bool {
        mv.on(self.board()).is_ok()
    }

    fn is_capture(&self, mv: PyMove) -> PyResult<bool> {
        Ok(self.board().captured(mv.on(self.board())?).is_some())
    }

    fn gives_check(&self, mv: PyMove) -> PyResult<bool> {
        Ok(self.board().after(mv.on(self.board())?).in_check())
    }

    fn parse_uci(&self, uci: &str) -> PyResult<PyMove> {
        let mv = self.board().parse_move(uci).map_err(|error| self.refused(uci, error))?;
        Ok(mv.into())
    }

    fn parse_san(&self, san: &str) -> PyResult<PyMove> {
        let mv = self.board().parse_san(san).map_err(|error| self.refused(san, error))?;
        Ok(mv.into())
    }

    fn san(&self, mv: PyMove) -> PyResult<String> {
        Ok(self.board().to_san(mv.on(self.board())?))
    }

    fn variation_san(&self, variation: Vec<PyMove>) -> PyResult<String> {
        let mut board = self.board().clone();
        let mut moves = Vec::new();
        for mv in variation {
            let mv = mv.on(&board)?;
            board.make_move(mv);
            moves.push(mv);
        }
        Ok(pgn::numbered(self.board(), &moves).join(" "))
    }

    fn push(&mut self, mv: PyMove) -> PyResult<()> {
        self.push_legal(mv.on(self.board())?).map(|_| ())
    }

    fn push_uci(&mut self, uci: &str) -> PyResult<PyMove> {
        let mv = self.board().parse_move(uci).map_err(|error| self.refused(uci, error))?;
        self.push_legal(mv)
    }

    fn push_san(&mut self, san: &str) -> PyResult<PyMove> {
        let mv = self.board().parse_san(san).map_err(|error| self.refused(san, error))?;
        self.push_legal(mv)
    }

    fn pop(&mut self) -> PyResult<PyMove> {
        let last = self.peek()?;
        self.game.undo(1);
        Ok(last)
    }

    fn peek(&self) -> PyResult<PyMove> {
        let last = self.game.moves().last();
        last.map(|&mv| mv.into()).ok_or_else(|| PyIndexError::new_err("no move has been made"))
    }

    fn is_check(&self) -> bool {
        self.board().in_check()
    }

    fn is_checkmate(&self) -> bool {
        self.board().in_check() && !self.board().has_legal_move()
    }

    fn is_stalemate(&self) -> bool {
        !self.board().in_check() && !self.board().has_legal_move()
    }

    fn is_insufficient_material(&self) -> bool {
        self.board().is_dead_position()
    }

    fn is_fifty_moves(&self) -> bool {
        self.board().halfmove_clock() >= FIFTY_MOVES && self.board().has_legal_move()
    }

    #[pyo3(signature = (count=3))]
    fn is_repetition(&self, count: usize) -> bool {
        self.game.repetitions() >= count
    }

    fn is_game_over(&self) -> bool {
        self.game.outcome().is_some()
    }

    fn result(&self) -> &'static str {
        self.game.outcome().map_or("*", Outcome::result)
    }

    /// How the game ended and who won it.
    fn _outcome(&self) -> Option<(String, Option<bool>)> {
        let outcome = self.game.outcome()?;
        let winner = match outcome {
            Outcome::Checkmate { winner } => Some(is_white(winner)),
            _ => None,
        };
        Some((outcome.to_string(), winner))
    }

    fn perft(&self, py: Python<'_>, depth: i64) -> PyResult<u64> {
        let given = u32::try_from(depth).ok().filter(|&depth| depth <= MAX_PERFT);
        let depth = given.ok_or_else(|| value_error(format!("{depth} is not a depth from 0 to {MAX_PERFT}")))?;
        Ok(py.detach(|| self.board().perft(depth)))
    }

    fn evaluate(&self) -> i32 {
        static EVALUATOR: Mutex<Option<Evaluator>> = Mutex::new(None);
        let mut evaluator = EVALUATOR.lock().unwrap_or_else(PoisonError::into_inner);
        let evaluator = evaluator.get_or_insert_default();
        evaluator.prepare(nnue::embedded().as_ref(), self.board().variant());
        evaluator.evaluate(self.board(), evaluator.source(self.board()))
    }

    #[pyo3(signature = (*, stack=true))]
    fn copy(&self, stack: bool) -> Self {
        if stack { self.clone() } else { Self { game: Game::new(self.board().clone()) } }
    }

    fn root(&self) -> Self {
        Self { game: Game::new(self.game.initial_board().clone()) }
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.borrow().board() == self.board())
    }

    fn __str__(&self) -> String {
        let rank = |rank: u8| {
            let letter = |file| self.board().piece_on(Square::new(8 * rank + file)).map_or('.', Piece::letter);
            (0..8).map(|file| letter(file).to_string()).collect::<Vec<_>>().join(" ")
        };
        (0..8).rev().map(rank).collect::<Vec<_>>().join("\n")
    }

    fn __repr__(&self) -> String {
        match self.board().variant() {
            Variant::Spartan => format!("Board('{}')", self.fen()),
            other => format!("Board('{}', '{}')", self.fen(), other.name()),
        }
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, Restored)> {
        let this = slf.borrow();
        let moves = this.game.moves().iter().map(ToString::to_string).collect();
        let arguments = (this.game.initial_board().to_fen(), this.variant(), moves);
        Ok((slf.get_type().getattr("_restore")?.unbind(), arguments))
    }

    /// A board from what `__reduce__` gives.
    #[staticmethod]
    fn _restore(fen: &str, variant: &str, moves: Vec<String>) -> PyResult<Self> {
        let mut board = Self::new(Some(fen), variant)?;
        for uci in moves {
            board.push_uci(&uci)?;
        }
        Ok(board)
    }
}

impl PyBoard {
    /// The error about a move that the rules do not allow.
    fn refused(&self, text: &str, error: impl std::fmt::Display) -> PyErr {
        value_error(format!("'{text}': {error} in {}", self.board()))
    }
}
