//! What a search may lack.

use std::{fmt, io};

/// Why a searcher could not be made or changed. An existing one is unchanged.
#[derive(Debug)]
pub enum PoolError {
    Memory {
        /// What it is needed for.
        purpose: &'static str,
        mib: usize,
    },
    Thread {
        wanted: usize,
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
