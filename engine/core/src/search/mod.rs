//! The search: from limits and a root position to a best move.
//!
//! A [`Searcher`] runs one search after another, on the threads of a `pool` or on the calling thread, and owns the hash
//! table. Each `thread` makes a `worker` for a search, which deepens iteratively (`deepen`) over a principal variation
//! search (`node`). That gets its moves in stages (`picker`) and records their success (`history`). In won positions,
//! `mate_finder` searches for a forced mate in addition, between iterations (`mates`). `shared` is what the threads of
//! a search have in common, `job` the input and output of a search, `start` how threads are started, `time` the clock,
//! `watchdog` the thread that enforces it on a busy machine, `probe` the exact values of endgames.

mod analysis;
mod cycle;
mod deepen;
mod error;
mod hash;
mod history;
mod job;
mod mate_finder;
mod mates;
mod node;
pub mod params;
mod picker;
mod pool;
mod probe;
mod root_move;
mod searcher;
mod shared;
mod start;
mod thread;
mod time;
mod watchdog;
mod wdl;
mod worker;

pub use analysis::{Analysis, centipawns, white_view};
pub use error::PoolError;
pub use hash::{Entry, HashTable};
pub use history::{Histories, HistoryTables};
pub use job::{Bound, Limits, Listener, Report, Settings};
pub use picker::{Hints, MovePicker, Stage};
pub use searcher::Searcher;
pub use start::STACK_SIZE;
#[cfg(target_family = "wasm")]
pub use start::lend_thread;
pub use wdl::{expectation, win_draw_loss};
