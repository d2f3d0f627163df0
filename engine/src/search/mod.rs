//! Search.

mod limits;

pub use limits::{Bound, Job, Limits, Listener, Report, Settings};
