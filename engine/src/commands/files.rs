//! Reading input files, and writing files that appear only when complete.

use agoge_core::files::{is_device, is_pipe, read_file, read_up_to};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// The error if a file exists.
const HINT: &str = "the file exists; --force overwrites it";

/// Whether a path is `-`, which stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a regular file, or standard input for `-`, of at most `limit` bytes.
///
/// # Errors
/// If the file cannot be read, is larger, or is a directory, a pipe or a device. The message names the file.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    if is_standard(path) {
        return read_up_to(io::stdin().lock(), limit).map_err(|error| format!("standard input: {error}"));
    }
    read_file(path, limit).map_err(|error| {
        let pipe = fs::metadata(path).is_ok_and(|data| is_pipe(data.file_type()));
        let hint = if pipe { "; give - to read from standard input" } else { "" };
        format!("{}: {error}{hint}", path.display())
    })
}

/// A file being written. It has a temporary name in the directory of the final file until [`NewFile::commit`], and is
/// removed if it is dropped before. A device is written directly.
#[derive(Debug)]
pub struct NewFile {
    /// As given by the user, for messages.
    name: PathBuf,
    /// `None` once the file is closed.
    file: Option<File>,
    /// `None` for a device.
    temporary: Option<TempPath>,
    /// The final name, with symbolic links resolved.
    target: PathBuf,
    overwrite: bool,
}

impl NewFile {
    /// Creates a file. If the file exists, `overwrite` must be set.
    ///
    /// # Errors
    /// If the file exists and may not be overwritten, is a directory or a pipe, or cannot be created. The
    /// message names the file.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, String> {
        Self::try_create(path, overwrite).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn try_create(path: &Path, overwrite: bool) -> io::Result<Self> {
        if path.is_dir() || path.to_string_lossy().ends_with(std::path::is_separator) {
            return Err(io::Error::other("it is a directory"));
        }
        let mut target = path.to_owned();
        let mut old = None;
        // A symbolic link that leads nowhere is an error.
        if fs::symlink_metadata(path).is_ok() {
            let data = fs::metadata(path)?;
            if is_pipe(data.file_type()) {
                return Err(io::Error::other("it is a pipe; give - to write to standard output"));
            }
            if is_device(data.file_type()) {
                let file = Some(OpenOptions::new().write(true).open(path)?);
                return Ok(Self { name: path.to_owned(), file, temporary: None, target, overwrite });
            }
            if !overwrite {
                return Err(io::Error::other(HINT));
            }
            // Replace the target of a symbolic link, not the link.
            target = fs::canonicalize(path)?;
            old = Some(data);
        }
        let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::metadata(directory)?;
        let mut builder = tempfile::Builder::new();
        // The usual permissions of a new file; by default nobody else could read it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.prefix(".agoge-").suffix(".tmp").tempfile_in(directory);
        // The error of the crate names the temporary file.
        let (file, temporary) = file.map_err(|error| io::Error::from(error.kind()))?.into_parts();
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        Ok(Self { name: path.to_owned(), file: Some(file), temporary: Some(temporary), target, overwrite })
    }

    /// The final name as given by the user.
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// Appends a text, unless the file is closed.
    ///
    /// # Errors
    /// If it cannot be written. The message names the file.
    pub fn write(&mut self, text: &str) -> Result<(), String> {
        let written = self.file.as_mut().map_or(Ok(()), |file| file.write_all(text.as_bytes()));
        written.map_err(|error| self.error(&error))
    }

    /// Closes the file: the number of open files is limited.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Closes the file and gives it its final name.
    ///
    /// # Errors
    /// If another file has taken the name, or it cannot be renamed. The message names the file.
    pub fn commit(mut self) -> Result<(), String> {
        self.close();
        let moved = match self.temporary.take() {
            None => return Ok(()),
            Some(temporary) if self.overwrite => temporary.persist(&self.target),
            Some(temporary) => temporary.persist_noclobber(&self.target),
        };
        moved.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => self.error(&io::Error::other(HINT)),
            _ => self.error(&error.error),
        })
    }

    fn error(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.name.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn names(folder: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_appears_when_it_is_committed() {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("a");
        let mut file = NewFile::create(&path, false).expect("a new file");
        file.write("x").expect("space");
        assert!(!path.exists());
        file.commit().expect("the name is free");
        assert_eq!((fs::read_to_string(&path).expect("a file"), names(&folder).len()), ("x".into(), 1));
        drop(NewFile::create(&folder.path().join("b"), false).expect("a new file"));
        assert_eq!(names(&folder), ["a"]);
    }

    #[test]
    fn only_overwrite_replaces_a_file() {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("a");
        let first = NewFile::create(&path, false).expect("a new file");
        // Another program takes the name meanwhile.
        fs::write(&path, "theirs").expect("a file");
        assert!(first.commit().is_err_and(|error| error.contains("--force")));
        assert!(NewFile::create(&path, false).is_err_and(|error| error.contains("--force")));
        let mut file = NewFile::create(&path, true).expect("it may be overwritten");
        file.write("ours").expect("space");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "theirs");
        file.commit().expect("it may be overwritten");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "ours");
        assert_eq!(names(&folder), ["a"]);
    }

    #[test]
    fn directories_are_refused() {
        let folder = TempDir::new().expect("a folder");
        for name in ["", "new/", "no/file"] {
            assert!(NewFile::create(&folder.path().join(name), true).is_err(), "{name:?}");
        }
        assert!(names(&folder).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let folder = TempDir::new().expect("a folder");
        let (link, path) = (folder.path().join("link"), folder.path().join("a"));
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        assert!(NewFile::create(&link, true).is_err(), "it leads nowhere");
        fs::write(&path, "old").expect("a file");
        NewFile::create(&link, true).and_then(NewFile::commit).expect("it may be overwritten");
        assert!(link.is_symlink() && fs::read_to_string(&path).expect("a file").is_empty());
    }
}
