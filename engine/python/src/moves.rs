//! Moves.

use crate::board::square_of;
use crate::value_error;
use agoge_core::board::Board;
use agoge_core::types::{Move, PieceType, Square};
use pyo3::prelude::*;

/// A move without its board: two squares and a promotion.
#[pyclass(name = "Move", module = "agoge_chess", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PyMove {
    from: Square,
    to: Square,
    promotion: Option<PieceType>,
}

impl From<Move> for PyMove {
    fn from(mv: Move) -> Self {
        Self { from: mv.from(), to: mv.to(), promotion: mv.promoted() }
    }
}

impl PyMove {
    /// The legal move of a board that this is.
    ///
    /// # Errors
    /// `ValueError` if it is not legal.
    pub fn on(self, board: &Board) -> PyResult<Move> {
        let legal = board.legal_moves().into_iter().find(|&mv| Self::from(mv) == self);
        legal.ok_or_else(|| value_error(format!("illegal move {} in {board}", self.uci())))
    }
}

#[pymethods]
impl PyMove {
    #[new]
    #[pyo3(signature = (from_square, to_square, promotion=None))]
    fn new(from_square: i64, to_square: i64, promotion: Option<char>) -> PyResult<Self> {
        let kind = |letter: char| {
            let kind = PieceType::from_letter(letter).filter(|kind| !kind.is_pawn());
            kind.ok_or_else(|| value_error(format!("'{letter}' is not a piece to promote to")))
        };
        let (from, to) = (square_of(from_square)?, square_of(to_square)?);
        if from == to {
            return Err(value_error(format!("a move from {from} to {to} does not leave its square")));
        }
        Ok(Self { from, to, promotion: promotion.map(kind).transpose()? })
    }

    #[staticmethod]
    fn from_uci(uci: &str) -> PyResult<Self> {
        match Move::parse_coordinates(uci) {
            Some((from, to, promotion)) if from != to => Ok(Self { from, to, promotion }),
            _ => Err(value_error(format!("'{uci}' is not a move in coordinate notation"))),
        }
    }

    pub fn uci(&self) -> String {
        let promotion = self.promotion.map(|kind| kind.letter().to_string());
        format!("{}{}{}", self.from, self.to, promotion.unwrap_or_default())
    }

    #[getter(from_square)]
    fn origin(&self) -> usize {
        self.from.index()
    }

    #[getter(to_square)]
    fn target(&self) -> usize {
        self.to.index()
    }

    #[getter]
    fn promotion(&self) -> Option<char> {
        self.promotion.map(PieceType::letter)
    }

    fn __str__(&self) -> String {
        self.uci()
    }

    fn __repr__(&self) -> String {
        format!("Move.from_uci('{}')", self.uci())
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_uci")?.unbind(), (slf.get().uci(),)))
    }
}
