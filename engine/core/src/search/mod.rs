//! The search: from limits and a root position to a best move.
//!
//! [`ThreadPool`] owns the threads and the hash table. Each thread runs iterative deepening (`worker`) over a principal
//! variation search (`node`), which gets its moves in stages (`picker`) and records their success (`history`). In won
//! positions, `mate_finder` searches for a forced mate in addition. `job` has the input and output of a search, `time`
//! the clock, `strength` the limited levels, `probe` the exact values of endgames. [`BlockingSearcher`] waits for the
//! result of each search, [`InlineSearcher`] searches on the calling thread.

mod blocking;
mod cycle;
mod hash;
mod history;
mod job;
mod mate_finder;
mod memory;
mod node;
mod pages;
pub mod params;
mod picker;
mod pool;
mod probe;
mod strength;
mod time;
mod wdl;
mod worker;

pub use blocking::{Analysis, BlockingSearcher, centipawns, search, white_view};
pub use hash::{Entry, HashTable};
pub use history::Histories;
pub use job::{Bound, Job, Limits, Listener, Report, Settings};
pub use memory::OutOfMemory;
pub use picker::{Hints, MovePicker, Stage};
use pool::Search;
pub use pool::{InlineSearcher, PoolError, STACK_SIZE, ThreadPool};
pub use strength::{LEVELS, MAX_RATING, MIN_RATING, Strength};
