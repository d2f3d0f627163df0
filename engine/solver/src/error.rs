//! Why classes are not solved.

use agoge_core::tables::{Class, TableError};
use std::path::{Path, PathBuf};
use std::{fmt, io};

#[derive(Debug)]
pub enum Error {
    /// It was told to stop.
    Stopped,
    /// A class needs more memory than is allowed, in bytes.
    Memory { class: Class, needed: usize },
    /// A file that is there cannot be used.
    Table { path: PathBuf, cause: TableError },
    /// A file or folder cannot be made.
    Write { path: PathBuf, cause: io::Error },
    /// Another program solves classes in the folder.
    Locked(PathBuf),
}

impl Error {
    pub(crate) fn table(path: &Path) -> impl Fn(TableError) -> Self {
        move |cause| Self::Table { path: path.to_owned(), cause }
    }

    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        move |cause| Self::Write { path: path.to_owned(), cause }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped; the same command continues"),
            Self::Memory { class, needed } => {
                let gib = *needed as f64 / (1u64 << 30) as f64;
                write!(f, "{class} takes {gib:.1} GiB of memory, more than is allowed")
            }
            Self::Table { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Write { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Locked(folder) => write!(f, "{}: another program is making tables there", folder.display()),
        }
    }
}

impl std::error::Error for Error {}
