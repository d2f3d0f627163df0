//! Files of positions that grow line by line, so that an interrupted generator can resume.

use crate::epd::{Epd, canonical};
use crate::files;
use crate::progress::Progress;
use crate::terminal::{Error, failed, usage};
use agoge_core::board::Variant;
use agoge_core::search::PoolError;
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file with a header of comment lines followed by positions.
#[derive(Debug)]
pub struct Collection {
    path: PathBuf,
    file: File,
    /// The positions in the file in [`canonical`] form.
    seen: HashSet<String>,
}

impl Collection {
    /// Opens or creates a file and returns its positions. The header records the settings of the generator; a file with
    /// a different header is left unchanged. An incomplete last line, left by a killed generator, is removed.
    ///
    /// # Errors
    /// If the file cannot be read or written, another program is writing to it, it has a different header, or it contains
    /// an invalid line.
    pub fn open(path: &Path, header: &str, variant: Variant) -> Result<(Self, Vec<Epd>), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = files::open_locked(path)?;
        let header: String = header.lines().map(|line| format!("# {line}\n")).collect();
        let text = files::read_lines(&mut file, &header).map_err(failed)?;
        if !text.starts_with(&header) {
            return Err(format!("{}: the file was made with other settings; choose another name", path.display()));
        }
        files::cut(&mut file, text.len() as u64).map_err(failed)?;
        let positions = Epd::parse_all(&text, variant).map_err(|error| format!("{}, {error}", path.display()))?;
        let positions: Vec<Epd> = positions.into_iter().map(|(_, epd)| epd).collect();
        let seen = positions.iter().map(|epd| canonical(&epd.board)).collect();
        Ok((Self { path: path.to_owned(), file, seen }, positions))
    }

    /// The number of positions in the file; equivalent positions count once.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    /// Adds a position unless the file contains it, or its mirror image where the two are equivalent. Returns whether
    /// it was added.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push_new(&mut self, epd: &Epd) -> Result<bool, String> {
        let is_new = self.seen.insert(canonical(&epd.board));
        if is_new {
            self.push(epd)?;
        }
        Ok(is_new)
    }

    /// Adds positions until there are `count`: `find` returns those with some numbers, from `next` on, `batch` at a
    /// time. `unit` says what the numbers count.
    ///
    /// # Errors
    /// If `find` fails or the file cannot be written.
    pub fn fill<F: IntoIterator<Item = Epd>>(
        &mut self,
        count: usize,
        next: &mut u64,
        batch: u64,
        unit: &str,
        find: impl Fn(Range<u64>) -> Result<Vec<F>, PoolError>,
    ) -> Result<(), Error> {
        let bar = Progress::new(count as u64, self.count() as u64);
        while self.count() < count {
            let found = find(*next..*next + batch).map_err(usage)?;
            *next += batch;
            for epd in found.into_iter().flatten() {
                if self.count() < count && self.push_new(&epd).map_err(failed)? {
                    bar.inc();
                }
            }
            bar.set_message(format!("{unit} {next}"));
        }
        bar.finish();
        Ok(())
    }

    fn push(&mut self, epd: &Epd) -> Result<(), String> {
        let line = format!("{epd}\n");
        self.file.write_all(line.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Board;

    #[test]
    fn an_incomplete_line_is_removed_on_resume() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("positions.epd");
        let epd = Epd::new(Board::start(Variant::Spartan)).with("id", "a.1");
        let open = |header| Collection::open(&path, header, Variant::Spartan);
        let (mut collection, positions) = open("one\ntwo").unwrap();
        assert!(positions.is_empty());
        assert!(open("one\ntwo").unwrap_err().contains("another program is writing to it"));
        collection.push(&epd).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        assert_eq!(whole, format!("# one\n# two\n{epd}\n"));
        drop(collection);

        std::fs::write(&path, format!("{whole}lgkcckwl/hhhh")).unwrap();
        let (mut collection, positions) = open("one\ntwo").unwrap();
        assert_eq!(positions, std::slice::from_ref(&epd));
        collection.push(&epd).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{whole}{epd}\n"));
        drop(collection);

        let (mut collection, _) = open("one\ntwo").unwrap();
        assert_eq!((collection.push_new(&epd), collection.count()), (Ok(false), 1));
        let other = Epd::new(Board::from_fen("2k5/8/8/8/8/8/8/4K2R w - - 0 1", Variant::Spartan).unwrap());
        assert_eq!((collection.push_new(&other), collection.count()), (Ok(true), 2));
        let mirrored = Epd::new(Board::from_fen("5k2/8/8/8/8/8/8/R2K4 w - - 0 1", Variant::Spartan).unwrap());
        assert_eq!((collection.push_new(&mirrored), collection.count()), (Ok(false), 2));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{whole}{epd}\n{other}\n"));
        drop(collection);

        assert!(open("one\nthree").unwrap_err().contains("other settings"));
        // A file without a complete line is not mistaken for an incomplete header either.
        std::fs::write(&path, "precious").unwrap();
        assert!(open("one\ntwo").unwrap_err().contains("other settings"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
        std::fs::write(&path, "# one\n# tw").unwrap();
        assert!(open("one\ntwo").is_ok());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# one\n# two\n");
    }
}
