//! The PGN file of a match.

use super::resume::{Played, read};
use super::settings::Match;
use crate::{errln, files};
use std::fs::{File, OpenOptions};
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
    /// read it during the match. Games after `length` bytes, which are played again, are removed.
    pub(super) fn append(path: &Path, length: Option<u64>) -> Result<Self, String> {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        if files::is_special(path) {
            return Self::device(path);
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        let mut games = Self { path: path.to_owned(), file };
        if let Some(length) = length {
            games.remove_from(length).map_err(failed)?;
        }
        games.separate().map_err(failed)?;
        Ok(games)
    }

    /// Opens a device or pipe, such as `/dev/null`, which has no games yet.
    fn device(path: &Path) -> Result<Self, String> {
        let file = OpenOptions::new().write(true).open(path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Removes the games after `length` bytes. Anything else there is kept.
    fn remove_from(&mut self, length: u64) -> io::Result<()> {
        if self.file.metadata()?.len() <= length {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(length))?;
        let mut rest = Vec::new();
        self.file.read_to_end(&mut rest)?;
        let rest = String::from_utf8_lossy(&rest);
        if rest.trim_start().starts_with("[Event ") {
            let count = rest.lines().filter(|line| line.starts_with("[Event ")).count();
            let games = if count == 1 { "a game that was" } else { &format!("{count} games that were") };
            errln!("{}: removed {games} played after the match was last saved", self.path.display());
            files::cut(&mut self.file, length)?;
        }
        Ok(())
    }

    /// Opens the file, locks it so that no other match writes to it, and reads the games already played.
    pub(super) fn open(path: &Path, resume: bool, settings: &Match) -> Result<(Self, Played), String> {
        if files::is_special(path) {
            return Ok((Self::device(path)?, Played::default()));
        }
        let shown = path.display();
        let mut games = Self { path: path.to_owned(), file: files::open_locked(path)? };
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

    /// Ends an incomplete game, which a full disk may have left, so that the next one is not read as a part of it.
    fn separate(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let mut end = Vec::new();
        self.file.seek(SeekFrom::Start(length.saturating_sub(2)))?;
        self.file.read_to_end(&mut end)?;
        self.file.write_all(if end.is_empty() || end == b"\n\n" { b"" } else { b"\n\n" })
    }

    /// Drops everything after the complete games.
    fn keep(&mut self, length: usize) -> io::Result<()> {
        files::cut(&mut self.file, length as u64)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::notation::pgn::Reader;

    #[test]
    fn games_are_appended_after_an_incomplete_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        let game = "[Event \"x\"]\n[Round \"2\"]\n\n1. e4 {+0.35/12 0.1s} *\n\n";
        let torn = "[Event \"x\"]\n[Round \"1\"]\n\n1. e4 {+0.35/12 0.1";
        for (before, count, added) in [("", 1, 0), (game, 2, 0), (torn, 2, 2)] {
            std::fs::write(&path, before).expect("a file");
            GamesFile::append(&path, None).expect("a file").write(game).expect("space");
            let bytes = std::fs::read(&path).expect("a file");
            let mut reader = Reader::new(&bytes);
            let games: Vec<_> = std::iter::from_fn(|| reader.next_game()).collect();
            assert_eq!((games.len(), games[count - 1].tag("Round")), (count, Some("2")), "{before}");
            assert_eq!(bytes.len() - before.len() - game.len(), added);
        }
    }
}
