//! The native part of the Python package `agoge-chess`. `agoge_chess/_agoge.pyi` documents it for users.

mod board;
mod engine;
mod moves;
mod pgn;
mod pyffish;
mod tables;

use agoge_core::board::Variant;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::fmt;

/// A `ValueError` with the message of an error of the core.
fn value_error(error: impl fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The variant with a name.
fn variant_of(name: &str) -> PyResult<Variant> {
    let known = Variant::ALL.map(Variant::name).join(" or ");
    Variant::from_name(name).ok_or_else(|| value_error(format!("unknown variant '{name}': not {known}")))
}

#[pymodule]
mod _agoge {
    #[pymodule_export]
    use super::board::PyBoard;
    #[pymodule_export]
    use super::engine::{PyEngine, PyReport, Search};
    #[pymodule_export]
    use super::moves::PyMove;
    #[pymodule_export]
    use super::pgn::{line_ends, read_part, variant_of_tag, write_game};
    #[pymodule_export]
    use super::pyffish::{
        captures_to_hand, game_result, get_fen, get_fog_fen, get_san, get_san_moves, gives_check,
        has_insufficient_material, info, is_capture, is_immediate_game_end, is_optional_game_end, legal_moves,
        load_variant_config, piece_to_partner, set_option, start_fen, two_boards, validate_fen, variants,
    };
    #[pymodule_export]
    use super::tables::PyTables;
}
