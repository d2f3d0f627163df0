//! What can be wrong with a file of games.

use std::fmt;
use std::io;

/// Why games could not be read or written.
#[derive(Debug)]
pub enum RecordError {
    /// The system refused to open, read or write the file.
    Io(io::Error),
    /// The file does not begin as a file of games.
    NotRecords,
    /// The file has a version of the format that this program does not know.
    Version(u16),
    /// The header is damaged, or the file ends in it.
    Header(&'static str),
    /// The file ends within a block, as it does when the writer was killed. All games before are whole.
    Torn {
        /// Where the block begins, in bytes from the begin of the file.
        offset: u64,
        /// How many bytes of it are there.
        bytes: u64,
    },
    /// A block is damaged.
    Corrupt {
        /// Where the block begins, in bytes from the begin of the file.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// Another program writes to the file.
    Locked,
    /// A game cannot be written: it has too many plies or a score without meaning, is of another
    /// variant than the file, or the header is too long.
    Unwritable(&'static str),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotRecords => f.write_str("it is not a file of game records"),
            Self::Version(version) => write!(f, "version {version} of the format is not known"),
            Self::Header(cause) => write!(f, "the header is damaged: {cause}"),
            Self::Torn { offset, bytes } => {
                write!(f, "the file ends within the block at byte {offset}, after {bytes} bytes of it")
            }
            Self::Corrupt { offset, cause } => write!(f, "the block at byte {offset} is damaged: {cause}"),
            Self::Locked => f.write_str("another program writes to it"),
            Self::Unwritable(cause) => f.write_str(cause),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
