//! Agoge, a Spartan Chess engine.
//!
//! The modules; each depends only on those above it:
//!
//! - [`rng`]: pseudo-random numbers.
//! - [`files`]: reading files of bounded size.
//! - [`clock`]: the clock of the system or of a host.
//! - [`types`]: squares, bitboards, pieces, moves, scores.
//! - [`attacks`]: attack tables: magic bitboards for sliders, leapers, lines.
//! - [`board`]: the position and the rules; FEN, SAN, making and generating moves, static exchange evaluation.
//! - [`pgn`]: reading and writing portable game notation.
//! - [`book`]: opening books.
//! - [`epd`]: reading and writing positions with operations.
//! - [`starts`]: random starting positions for self-play.
//! - [`eval`]: the hand-made evaluation.
//! - [`nnue`]: the neural network: its architecture, its file format, incremental accumulators, SIMD kernels.
//! - [`three_men`]: exact values of three-man endgames, embedded in the program.
//! - [`tables`]: endgame tables in files: classes, the numbering of positions, the file format, probing.
//! - [`search`]: the tree search, the hash table, time management, threads.
//! - [`tools`]: the commands perft, bench, speed test, openings for data generation and analysis of games.
//! - [`protocol`]: the engine facade, and its two protocols: the Universal Chess Interface (UCI) and that of XBoard
//!   (CECP).
//! - [`json`]: questions about the rules in JSON, for front ends (feature `json`).
//! - [`gui`]: the board in the browser (feature `gui`).
//!
//! `protocol` parses a line of input into a command, [`protocol::Engine`] starts the search, the [`search::ThreadPool`]
//! runs it, and a [`search::Listener`] prints the results.
//!
//! ```
//! use agoge::board::{Board, Variant};
//!
//! let board = Board::start(Variant::Spartan);
//! assert_eq!(board.legal_moves().len(), 20);
//! assert_eq!(board.perft(3), 14_244);
//! ```

pub mod attacks;
pub mod board;
pub mod book;
pub mod clock;
pub mod epd;
pub mod eval;
pub mod files;
#[cfg(feature = "gui")]
pub mod gui;
#[cfg(feature = "json")]
pub mod json;
pub mod nnue;
pub mod pgn;
#[cfg(not(target_family = "wasm"))]
pub mod protocol;
pub mod rng;
pub mod search;
pub mod starts;
pub mod tables;
pub mod three_men;
pub mod tools;
pub mod types;

/// Whether the tests that take minutes run in full; otherwise a sample of their cases is tested. `.ci/run` sets the
/// variable.
#[cfg(test)]
fn full_tests() -> bool {
    std::env::var_os("AGOGE_FULL_TESTS").is_some()
}
