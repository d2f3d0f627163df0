//! Errors of files of games.

use std::fmt;
use std::io;

#[derive(Debug)]
pub enum RecordError {
    /// Opening, reading or writing the file failed.
    Io(io::Error),
    NotRecords,
    Version(u16),
    /// The header is damaged, or the file ends within it.
    Header(&'static str),
    /// The file ends within a block, for example because the writer was killed. All earlier games are complete.
    Truncated {
        /// The offset of the block, in bytes from the start of the file.
        offset: u64,
        /// The number of bytes of the incomplete block.
        bytes: u64,
    },
    Corrupt {
        /// The offset of the block, in bytes from the start of the file.
        offset: u64,
        cause: String,
    },
    Locked,
    /// A game cannot be written because it has too many plies, a score out of range or a different variant than the
    /// file; or the header is too long.
    Unwritable(&'static str),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotRecords => f.write_str("it is not a file of game records"),
            Self::Version(version) => write!(f, "unknown format version {version}"),
            Self::Header(cause) => write!(f, "the header is damaged: {cause}"),
            Self::Truncated { offset, bytes } => {
                write!(f, "the file ends within the block at byte {offset}, after {bytes} bytes of it")
            }
            Self::Corrupt { offset, cause } => write!(f, "the block at byte {offset} is damaged: {cause}"),
            Self::Locked => f.write_str("another program is writing to it"),
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
