//! Search.

mod limits;
mod pool;

pub use limits::{Bound, Job, Limits, Listener, Report, Settings};
pub use pool::{PoolError, ThreadPool};
