//! The engine as programs see it: one facade, its options, and the protocols that speak to it.
//!
//! [`Engine`] knows no protocol; [`uci`] and [`cecp`] turn lines of text into calls of it, and a
//! browser front can do so beside them.

pub mod cecp;
pub mod command;
mod engine;
mod flip;
mod inbox;
mod info;
pub mod options;
mod output;
pub mod text;
mod turns;
pub mod uci;

pub use engine::{Engine, EngineError, PositionError};
pub use options::{Options, Setting};
pub use output::Output;
