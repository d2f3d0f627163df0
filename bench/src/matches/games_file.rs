//! The PGN file of a match.

use super::resume::{Plan, Played, read};
use crate::errln;
use crate::terminal::{Error, usage};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The PGN file, locked so that no other match writes to it.
pub(super) struct GamesFile {
    path: PathBuf,
    file: File,
}

impl GamesFile {
    /// Opens the file and reads the games already played.
    pub(super) fn open(path: &Path, resume: bool, plan: &Plan<'_>) -> Result<(Self, Played), Error> {
        let shown = path.display();
        let error = |error: std::io::Error| usage(format!("{shown}: {error}"));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(usage(format!("{shown}: another match is writing to it"))),
            // The file system has no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(error)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(error)?;
            return Ok((Self { path: path.to_owned(), file }, Played::default()));
        }
        if !resume {
            return Err(usage(format!("{shown} contains games: --resume continues the match")));
        }
        let played = read(&bytes, plan).map_err(|error| usage(format!("{shown}, {error}")))?;
        if played.is_truncated {
            errln!("{shown}: removed an incomplete game at the end");
        }
        let mut games = Self { path: path.to_owned(), file };
        games.file.set_len(played.length as u64).map_err(error)?;
        games.file.seek(SeekFrom::End(0)).map_err(error)?;
        if played.length > 0 {
            games.file.write_all(b"\n\n").map_err(error)?;
        }
        Ok((games, played))
    }

    /// Writes a game with a single call, without buffering.
    pub(super) fn write(&mut self, text: &str) -> Result<(), String> {
        self.file.write_all(text.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}
