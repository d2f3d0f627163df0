//! The engine facade, its options, and the protocols.
//!
//! [`Engine`] is independent of the protocols. [`uci`] and [`cecp`] translate lines of text into calls to it; a browser
//! front end could do the same.

pub mod cecp;
pub mod command;
mod engine;
mod inbox;
mod info;
pub mod options;
mod output;
pub mod text;
mod time_slice;
pub mod uci;

pub use engine::{Engine, EngineError, PositionError};
pub use options::{Options, Setting};
pub use output::Output;
