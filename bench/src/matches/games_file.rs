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
    /// read it during the match.
    pub(super) fn append(path: &Path) -> Result<Self, String> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        let mut games = Self { path: path.to_owned(), file };
        games.separate().map_err(|error| games.failed(&error))?;
        Ok(games)
    }

    /// Opens the file, locks it so that no other match writes to it, and reads the games already played.
    pub(super) fn open(path: &Path, resume: bool, settings: &Match) -> Result<(Self, Played), String> {
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
            GamesFile::append(&path).expect("a file").write(game).expect("space");
            let bytes = std::fs::read(&path).expect("a file");
            let mut reader = Reader::new(&bytes);
            let games: Vec<_> = std::iter::from_fn(|| reader.next_game()).collect();
            assert_eq!((games.len(), games[count - 1].tag("Round")), (count, Some("2")), "{before}");
            assert_eq!(bytes.len() - before.len() - game.len(), added);
        }
    }
}
