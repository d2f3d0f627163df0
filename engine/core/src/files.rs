//! Reading files that are named by the user.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// If the file cannot be read, is larger, or is not a regular file. Opening a pipe would wait for a writer, and a device
/// need not end.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() {
        return Err(io::Error::other(format!("is {}", kind_name(kind))));
    }
    read_up_to(File::open(path)?, limit)
}

/// Reads to the end of an input of at most `limit` bytes.
///
/// # Errors
/// If the input cannot be read or is larger.
pub fn read_up_to(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("larger than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

/// What a path is that is not a regular file, for a message.
fn kind_name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a directory"
    } else if is_pipe(kind) {
        "a pipe"
    } else {
        "a device"
    }
}

/// Whether opening or reading a file of this kind may wait for another program: a named pipe or a socket.
pub fn is_pipe(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink() && !is_device(kind)
}

/// Whether a file of this kind is a device: unknown on systems other than Unix.
pub fn is_device(kind: FileType) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        kind.is_char_device() || kind.is_block_device()
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        false
    }
}
