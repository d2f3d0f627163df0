//! Files of positions that grow line by line, so that a generator that was interrupted goes on where
//! it was.

use crate::epd::Epd;
use agoge::board::Variant;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that begins with a header of comment lines and goes on with positions.
#[derive(Debug)]
pub struct Collection {
    path: PathBuf,
    file: File,
}

impl Collection {
    /// Opens a file, or makes it, and gives the positions that it has. The header tells how the
    /// positions are made, so a file with another one is not touched. Half a line at the end, left
    /// by a generator that was killed, is cut off.
    ///
    /// # Errors
    /// When the file cannot be read or written, has another header, or a line of it is wrong.
    pub fn open(path: &Path, header: &str, variant: Variant) -> Result<(Self, Vec<Epd>), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let header: String = header.lines().map(|line| format!("# {line}\n")).collect();
        if text.len() < header.len() && header.starts_with(&text) {
            text = header;
            file.set_len(0).map_err(failed)?;
            file.rewind().map_err(failed)?;
            file.write_all(text.as_bytes()).map_err(failed)?;
        } else if !text.starts_with(&header) {
            return Err(format!("{}: the file was made with other settings; name another one", path.display()));
        }
        file.set_len(text.len() as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let positions = Epd::parse_all(&text, variant).map_err(|error| format!("{}, {error}", path.display()))?;
        let collection = Self { path: path.to_owned(), file };
        Ok((collection, positions.into_iter().map(|(_, epd)| epd).collect()))
    }

    /// Adds a position.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, epd: &Epd) -> Result<(), String> {
        let line = format!("{epd}\n");
        self.file.write_all(line.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge::board::Board;

    #[test]
    fn half_a_line_is_cut_off_and_the_rest_goes_on() {
        let path = std::env::temp_dir().join(format!("agoge-collection-{}.epd", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let epd = Epd::new(Board::start(Variant::Spartan)).with("id", "a.1");
        let open = |header| Collection::open(&path, header, Variant::Spartan);
        let (mut collection, positions) = open("one\ntwo").unwrap();
        assert!(positions.is_empty());
        collection.push(&epd).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        assert_eq!(whole, format!("# one\n# two\n{epd}\n"));

        std::fs::write(&path, format!("{whole}lgkcckwl/hhhh")).unwrap();
        let (mut collection, positions) = open("one\ntwo").unwrap();
        assert_eq!(positions, std::slice::from_ref(&epd));
        collection.push(&epd).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{whole}{epd}\n"));

        assert!(open("one\nthree").unwrap_err().contains("other settings"));
        std::fs::write(&path, "# one\n# tw").unwrap();
        assert!(open("one\ntwo").is_ok());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# one\n# two\n");
        std::fs::remove_file(&path).unwrap();
    }
}
