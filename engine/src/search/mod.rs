//! The search: from limits and a root position to a best move.
//!
//! [`ThreadPool`] owns the threads and the hash table. Each thread deepens iteratively (`worker`)
//! over a principal variation search (`node`) that takes its moves in stages (`picker`) and learns
//! from them (`history`). Where a game is decided, `mate_finder` looks for the mate besides.

mod cycle;
mod hash;
mod history;
mod limits;
mod mate_finder;
mod node;
pub mod params;
mod picker;
mod pool;
mod strength;
mod time;
mod wdl;
mod worker;

pub use hash::{Entry, HashTable, OutOfMemory};
pub use history::Histories;
pub use limits::{Bound, Job, Limits, Listener, Report, Settings};
pub use picker::{Hints, MovePicker, Stage};
use pool::Search;
pub use pool::{PoolError, STACK_SIZE, Searcher, ThreadPool};
pub use strength::{LEVELS, MAX_RATING, MIN_RATING, Strength};
