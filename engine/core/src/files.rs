//! Files that are named by the user.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The letters for bytes that are not UTF-8 in text that may contain names of files, one for each byte: letters of a
/// private use area, as no text has them.
const BYTES: u32 = 0x0010_FF00;

/// Input as text, from which [`path`] makes a name of a file with the same bytes: on Unix it need not be UTF-8.
/// Elsewhere invalid UTF-8 is replaced.
pub fn to_text(bytes: &[u8]) -> String {
    if cfg!(not(unix)) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|&byte| char::from_u32(BYTES + u32::from(byte))));
    }
    text
}

/// The byte that a letter of [`to_text`] stands for, if it is not UTF-8.
pub fn byte_of(letter: char) -> Option<u8> {
    u32::from(letter).checked_sub(BYTES).and_then(|byte| u8::try_from(byte).ok())
}

/// The name of a file in a text made by [`to_text`].
pub fn path(text: &str) -> PathBuf {
    #[cfg(unix)]
    if text.chars().any(|letter| byte_of(letter).is_some()) {
        use std::os::unix::ffi::OsStringExt;
        let mut bytes = Vec::with_capacity(text.len());
        for letter in text.chars() {
            match byte_of(letter) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        return std::ffi::OsString::from_vec(bytes).into();
    }
    text.into()
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// If the file cannot be read, is larger, or is not a regular file. Opening a pipe would wait for a writer, and a
/// device need not end.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let data = fs::metadata(path)?;
    let kind = data.file_type();
    if !kind.is_file() {
        return Err(io::Error::other(format!("it is {}", kind_name(kind))));
    }
    // Some files of the system, such as /proc/kmsg, are like pipes. Their length is 0.
    if data.len() == 0 {
        return Ok(Vec::new());
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

/// Why writing to a file may wait for another program: because it is neither a regular file nor a device that drops
/// what is written. A terminal waits if it is stopped or nobody reads from its other end.
///
/// # Errors
/// Says what the file is.
pub fn check_writable(data: &Metadata) -> io::Result<()> {
    if data.is_file() || is_sink(data) {
        Ok(())
    } else {
        Err(io::Error::other(format!("it is {}", kind_name(data.file_type()))))
    }
}

/// Whether it is `/dev/null` or `/dev/full`, by whatever name.
fn is_sink(data: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let is = |name| fs::metadata(name).is_ok_and(|known| known.rdev() == data.rdev());
        is_device(data.file_type()) && ["/dev/null", "/dev/full"].into_iter().any(is)
    }
    #[cfg(not(unix))]
    {
        let _ = data;
        false
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_kept() {
        for bytes in [&b"a b.epd"[..], "é".as_bytes(), b"\xe9t\xe9 \xff\x80.epd", b"\xc3", b""] {
            let text = to_text(bytes);
            assert_eq!(std::str::from_utf8(bytes).is_ok_and(|valid| valid == text), std::str::from_utf8(bytes).is_ok());
            #[cfg(unix)]
            assert_eq!(path(&text).as_os_str().as_encoded_bytes(), bytes);
        }
    }
}
