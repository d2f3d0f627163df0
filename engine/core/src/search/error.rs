//! What a search may lack.

use std::{fmt, io};

/// Why a searcher could not be made or changed. An existing one is unchanged.
#[derive(Debug)]
pub enum PoolError {
    /// The system refuses memory.
    Memory {
        /// What it is needed for.
        purpose: &'static str,
        /// How much it is, in MiB, rounded up.
        mib: usize,
    },
    /// The system refuses a thread.
    Thread {
        /// The number of threads that were to be there.
        wanted: usize,
        /// The error of the system.
        cause: io::Error,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { purpose, mib } => write!(f, "there is not enough memory for {purpose} of {mib} MiB"),
            Self::Thread { wanted, cause } => {
                write!(f, "{wanted} thread{} cannot be started: {cause}", if *wanted == 1 { "" } else { "s" })
            }
        }
    }
}

impl std::error::Error for PoolError {}
