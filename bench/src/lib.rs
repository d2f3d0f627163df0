//! The tools around the engine: matches, data generation, training, tuning and test suites.
//!
//! They are subcommands of one program, `agoge-bench`:
//!
//! - `matches`: `match` plays engines against each other.
//! - [`data`]: `datagen` plays games for training, `openings` makes books of openings for matches.
//! - [`theory`]: `theory` makes the opening theory.
//! - [`train`]: `train` trains the network.
//! - [`tune`]: `tune` fits the hand-made evaluation, `spsa` tunes search parameters by games.
//! - [`suites`]: `suite` measures an engine on positions with known answers, `mates` and `tactics` collect such
//!   positions, `conversion` measures won endgames.
//! - [`tables`]: `tables` solves endgames and writes table files, `embedded-tables` writes those that the engine
//!   embeds.
//!
//! [`command`] has the command line, [`terminal`] what all commands share: output, exit status and signals;
//! [`progress`] is the display of progress. [`files`] writes files atomically, [`epd`] and [`collection`] read and
//! write positions, [`analysis`] is a pool of searchers, [`adamw`] the optimiser of both trainers.

// The library exists for the tests of the program; names that say it all need no words.
#![allow(missing_docs)]

pub mod adamw;
pub mod analysis;
pub mod collection;
pub mod command;
pub mod data;
pub mod files;
mod matches;
pub mod progress;
pub mod suites;
pub mod tables;
pub mod terminal;
pub mod theory;
pub mod train;
pub mod tune;

pub use agoge_core::{notation::epd, rng};

/// The name, version and revision of the program, for the files that it makes.
pub const PROGRAM: &str = concat!("agoge-bench ", env!("CARGO_PKG_VERSION"), " (", env!("AGOGE_REVISION"), ")");

/// Whether the tests that take minutes run in full; otherwise a sample of their cases is tested. `.ci/run` sets the
/// variable.
#[cfg(test)]
fn full_tests() -> bool {
    std::env::var_os("AGOGE_FULL_TESTS").is_some()
}
