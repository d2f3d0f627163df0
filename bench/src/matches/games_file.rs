//! The PGN file of a match.

use super::resume::{Played, read};
use super::settings::Match;
use crate::errln;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The PGN file.
#[derive(Debug)]
pub struct GamesFile {
    path: PathBuf,
    file: File,
}

impl GamesFile {
    /// Opens the file for games after those that it has. It is not locked: on Windows the client of OpenBench could not
    /// read it during the match.
    pub(super) fn append(path: &Path) -> Result<Self, String> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Opens the file, locks it so that no other match writes to it, and reads the games already played.
    pub(super) fn open(path: &Path, resume: bool, settings: &Match) -> Result<(Self, Played), String> {
        let shown = path.display();
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| format!("{shown}: {error}"))?;
        // With another error the file system has no locks.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(format!("{shown}: another match is writing to it"));
        }
        let mut games = Self { path: path.to_owned(), file };
        let mut bytes = Vec::new();
        games.file.read_to_end(&mut bytes).map_err(|error| games.failed(&error))?;
        let played = if bytes.iter().all(u8::is_ascii_whitespace) {
            Played::default()
        } else if resume {
            read(&bytes, settings).map_err(|error| format!("{shown}, {error}"))?
        } else {
            return Err(format!("{shown} contains games: --resume continues the match"));
        };
        if played.is_truncated {
            errln!("{shown}: removed an incomplete game at the end");
        }
        games.keep(played.length).map_err(|error| games.failed(&error))?;
        Ok((games, played))
    }

    /// Drops everything after the complete games.
    fn keep(&mut self, length: usize) -> io::Result<()> {
        self.file.set_len(length as u64)?;
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(if length > 0 { b"\n\n" } else { b"" })
    }

    /// Writes a game with a single call, without buffering.
    pub(super) fn write(&mut self, text: &str) -> Result<(), String> {
        self.file.write_all(text.as_bytes()).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.path.display())
    }
}
