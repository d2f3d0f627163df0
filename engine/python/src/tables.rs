//! Endgame tables.

use crate::board::PyBoard;
use crate::moves::PyMove;
use agoge_core::tables::Tables;
use pyo3::prelude::*;
use std::ffi::OsString;

/// The embedded table of three men and the files of some folders.
#[pyclass(name = "Tables", module = "agoge_chess", frozen, subclass)]
pub struct PyTables {
    tables: Tables,
    problems: Vec<String>,
}

#[pymethods]
impl PyTables {
    #[new]
    #[pyo3(signature = (path=None))]
    fn new(py: Python<'_>, path: Option<OsString>) -> Self {
        let (tables, problems) = py.detach(|| Tables::open(&path.unwrap_or_default()));
        Self { tables, problems: problems.iter().map(ToString::to_string).collect() }
    }

    #[getter]
    fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    /// The greatest number of men of a position that is known.
    #[getter]
    fn max_men(&self) -> u32 {
        self.tables.max_men().max(3)
    }

    /// The embedded table is always there.
    #[expect(clippy::unused_self, reason = "a method of Python")]
    const fn __bool__(&self) -> bool {
        true
    }

    fn __len__(&self) -> usize {
        self.tables.len()
    }

    /// The result, the distance to mate and the distance to zeroing.
    #[pyo3(name = "_probe")]
    fn probe(&self, board: &PyBoard) -> Option<(&'static str, Option<u16>, Option<u16>)> {
        let board = board.game.board();
        let value = self.tables.value(board)?;
        let result = value.result_at(board.halfmove_clock())?;
        Some((result.name(), value.dtm, value.dtz))
    }

    fn best_moves(&self, board: &PyBoard) -> Option<Vec<PyMove>> {
        let moves = board.game.board().legal_moves();
        let best = self.tables.best_moves(&board.game, moves)?;
        Some(best.into_iter().map(PyMove::from).collect())
    }
}
