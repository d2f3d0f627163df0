//! The error of allocations.

use std::fmt;

/// There is not enough memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// What it was needed for.
    pub purpose: &'static str,
    /// The requested size in MiB.
    pub mib: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is not enough memory for {} of {} MiB", self.purpose, self.mib)
    }
}

impl std::error::Error for OutOfMemory {}
