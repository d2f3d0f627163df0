//! The engine as programs see it: one facade, its options, and the protocols that speak to it.
//!
//! [`Engine`] knows no protocol; [`uci`] turns lines of text into calls of it, and another protocol
//! or a browser front can do so beside it.

pub mod command;
mod engine;
mod inbox;
mod info;
pub mod options;
mod output;
pub mod text;
pub mod uci;

pub use engine::{Engine, EngineError, PositionError};
pub use options::{Options, Setting};
pub use output::Output;
