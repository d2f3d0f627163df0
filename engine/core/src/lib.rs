#![doc = include_str!("../README.md")]
//!
//! # Modules
//! Each depends only on those above it:
//!
//! - [`rng`], [`text`], [`files`], [`clock`], [`time_slice`]: random numbers, untrusted text, files of bounded size,
//!   the clock of the system or of a host, time slices of its scheduler.
//! - [`types`]: squares, bitboards, pieces, moves, scores.
//! - [`attacks`]: attack tables: magic bitboards for sliders, leapers, lines.
//! - [`board`]: the position and the rules; FEN, SAN, making and generating moves, static exchange evaluation.
//! - [`notation`]: PGN, EPD, opening books, starting positions.
//! - [`fairy`]: answers in the manner of Fairy-Stockfish's libraries.
//! - [`theory`]: opening theory, as text and in a compact form.
//! - [`nnue`]: the neural network: its architecture, its file format, incremental accumulators, SIMD kernels.
//! - [`eval`]: the evaluation: by the network or by hand-made terms.
//! - [`tables`]: endgame tables, embedded and in files: classes, the numbering of positions, the file format, probing.
//! - [`strength`], [`options`]: limited playing strength; the options of all protocols.
//! - [`search`]: the tree search, the hash table, time management, threads.
//! - `memory`, with the feature of this name: the memory that is left for hash tables.
//! - [`engine`]: the engine without a protocol.
//! - [`mod@bench`]: the speed of the search on a fixed set of positions. [`genfens`]: openings for generated games.
//! - [`uci`]: the Universal Chess Interface.

#![warn(missing_docs)]

pub mod attacks;
pub mod bench;
pub mod board;
pub mod clock;
pub mod engine;
pub mod eval;
pub mod fairy;
pub mod files;
pub mod genfens;
#[cfg(feature = "memory")]
pub mod memory;
pub mod nnue;
pub mod notation;
pub mod options;
mod pages;
pub mod rng;
pub mod search;
pub mod strength;
pub mod tables;
pub mod text;
pub mod theory;
pub mod time_slice;
pub mod types;
pub mod uci;

/// Whether the tests that take minutes run in full; otherwise a sample of their cases is tested. `.ci/run` sets the
/// variable.
#[cfg(test)]
fn full_tests() -> bool {
    std::env::var_os("AGOGE_FULL_TESTS").is_some()
}
