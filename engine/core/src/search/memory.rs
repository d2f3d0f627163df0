//! The error of allocations.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    pub purpose: &'static str,
    pub mib: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is not enough memory for {} of {} MiB", self.purpose, self.mib)
    }
}

impl std::error::Error for OutOfMemory {}
