//! The Universal Chess Interface.
//!
//! The crate vampirc-uci (version 0.11) reads the commands without free text and writes `id`, `option`, `info` and
//! `readyok`. The rest is done here, because the crate
//!
//! - does not know Spartan pieces: it cannot read or write a promotion to one, nor `bestmove (none)`;
//! - silently cuts a list of moves at the first one that it cannot read;
//! - panics on blanks after the last number and on numbers out of range;
//! - has no depth above 255, and writes `currmovenumber` as `currmovenum`;
//! - takes times in the types of another crate, which it does not re-export.
//!
//! `position`, `go` and `setoption` are therefore read here, and moves, times and large depths are written as text.

pub mod command;
mod info;
mod session;

pub use session::{Flow, Session};
