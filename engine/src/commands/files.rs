//! Reading input files, and writing files that appear only when complete.

use agoge_core::files::{is_device, is_pipe, read_file, read_up_to};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

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
    /// `None` once the file is closed.
    writer: Option<BufWriter<File>>,
    /// `None` for a device, and once the file has its final name.
    temporary: Option<PathBuf>,
    /// The name given by the user.
    name: PathBuf,
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
        check(path, overwrite)?;
        let old = fs::metadata(path).ok();
        if old.as_ref().is_some_and(|old| is_device(old.file_type())) {
            let file = OpenOptions::new().write(true).open(path)?;
            let (writer, name) = (Some(BufWriter::new(file)), path.to_owned());
            return Ok(Self { writer, temporary: None, target: name.clone(), name, overwrite });
        }
        // Replace the target of a symbolic link, not the link.
        let target = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let (file, temporary) = create_temporary(target.parent().unwrap_or(Path::new("")))?;
        let writer = Some(BufWriter::new(file));
        let new = Self { writer, temporary: Some(temporary.clone()), name: path.to_owned(), target, overwrite };
        if let Some(old) = old {
            fs::set_permissions(temporary, old.permissions())?;
        }
        Ok(new)
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
        let written = self.writer.as_mut().map_or(Ok(()), |writer| writer.write_all(text.as_bytes()));
        written.map_err(|error| self.error(&error))
    }

    /// Flushes and closes the file: the number of open files is limited.
    ///
    /// # Errors
    /// If it cannot be written. The message names the file.
    pub fn close(&mut self) -> Result<(), String> {
        let written = self.writer.take().map_or(Ok(()), |mut writer| writer.flush());
        written.map_err(|error| self.error(&error))
    }

    /// Closes the file and gives it its final name.
    ///
    /// # Errors
    /// If it cannot be written, or another file has taken the name. The message names the file.
    pub fn commit(mut self) -> Result<(), String> {
        self.close()?;
        let moved = match &self.temporary {
            None => Ok(()),
            Some(temporary) if self.overwrite => fs::rename(temporary, &self.target),
            Some(temporary) => rename_to_new(temporary, &self.target),
        };
        moved.map_err(|error| self.error(&error))?;
        self.temporary = None;
        Ok(())
    }

    fn error(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.name.display())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Checks that a file can be written: it does not exist, may be overwritten, or is a device.
///
/// # Errors
/// If it cannot.
fn check(path: &Path, overwrite: bool) -> io::Result<()> {
    let directory = || Err(io::Error::other("is a directory"));
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) if path.to_string_lossy().ends_with(std::path::is_separator) => directory(),
        Err(error) => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let is_possible = path.file_name().is_some() && parent.is_none_or(Path::is_dir);
            if is_possible { Ok(()) } else { Err(error) }
        }
        Ok(_) => {
            let kind = fs::metadata(path)?.file_type();
            if kind.is_dir() {
                directory()
            } else if is_pipe(kind) {
                Err(io::Error::other("is a pipe; give - to write to standard output"))
            } else if overwrite || is_device(kind) {
                Ok(())
            } else {
                Err(io::Error::other(HINT))
            }
        }
    }
}

/// Checks in advance whether [`NewFile::create`] would fail.
///
/// # Errors
/// If it would. The message names the file.
pub fn check_output(path: &Path, overwrite: bool) -> Result<(), String> {
    check(path, overwrite).map_err(|error| format!("{}: {error}", path.display()))
}

fn create_temporary(directory: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    loop {
        // Short, even if the final name is as long as the file system allows.
        let name = format!(".agoge-{}-{}.tmp", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = directory.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            // Left behind by a killed process with the same ID.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, path)),
        }
    }
}

/// Renames a file unless the new name is taken; [`fs::rename`] would overwrite.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(_) if fs::symlink_metadata(to).is_ok() => Err(io::Error::other(HINT)),
        // Not every file system has hard links.
        Err(_) => fs::rename(from, to),
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
