//! The command line and the output of [fastchess](https://github.com/Disservin/fastchess), for tools that drive it, such
//! as OpenBench.
//!
//! - [`command_line`]: the options.
//! - [`book`]: the order of the openings.
//! - [`output`]: the lines on stdout.
//! - [`games`]: the games in PGN and EPD.
//! - [`saved`]: the file of a match that can be continued.
//! - [`run`]: plays the match.

mod book;
mod command_line;
mod games;
mod output;
mod run;
mod saved;

pub use run::{is_called, main};
