//! Agoge, a Spartan Chess engine.
//!
//! The rooms of the house, each of which knows only those above it:
//!
//! - [`rng`]: pseudo-random numbers.
//! - [`types`]: squares, bitboards, pieces, moves, values.
//! - [`attacks`]: where pieces attack: magic sliders, leapers, lines.
//! - [`board`]: the position and the rules; FEN, SAN, making and generating moves, exchanges.
//! - [`pgn`]: games in portable game notation.
//! - [`book`]: opening books.
//! - [`eval`]: the hand-made evaluation.
//! - [`nnue`]: the neural network: its shape, its file, sums that follow the search, vector instructions.
//! - [`tablebase`]: exact values of positions with three men.
//! - [`search`]: from limits and a root to a best move: the tree search, the hash table, threads.
//! - [`tools`]: perft, bench, the speed test and the analysis of games, which the program offers as commands.
//! - [`protocol`]: the engine as a facade, and two protocols in front of it: the Universal Chess
//!   Interface and that of XBoard.
//!
//! A line on stdin becomes a command (`protocol`), the facade turns it into a root position and
//! limits, the [`search::ThreadPool`] searches, and a [`search::Listener`] writes what is found.
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
pub mod eval;
pub mod nnue;
pub mod pgn;
pub mod protocol;
pub mod rng;
pub mod search;
pub mod tablebase;
pub mod tools;
pub mod types;
