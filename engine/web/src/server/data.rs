//! The user's data folder: private files that are replaced as a whole.
//!
//! A file is written beside its place, synchronised and renamed, so that a program or system that dies leaves the old
//! or the new one. What reads a file before it replaces it holds the [lock](DataFolder::lock) meanwhile, because
//! several servers may run at once. Reading needs no lock.

use directories::ProjectDirs;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempPath;

/// How long to wait for another server that has the lock; it may have been suspended.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The beginning of the names of files that are being written.
const TEMPORARY: &str = ".agoge-";

/// Temporary files that are older were left by a program that was killed.
const TEMPORARY_TIMEOUT: Duration = Duration::from_secs(3600);

/// Whether a text has this number of lower-case hexadecimal digits and nothing else.
pub fn is_hexadecimal(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// The given folder, or the one that the system has for programs. It need not exist yet.
    ///
    /// # Errors
    /// If the system has no such folder, as a sentence.
    pub fn new(path: Option<PathBuf>) -> Result<Self, String> {
        let usual = || ProjectDirs::from("", "", "agoge").map(|folders| folders.data_local_dir().to_owned());
        let path = path.or_else(usual).ok_or("There is no home folder to save anything in.")?;
        Ok(Self { path: std::path::absolute(&path).unwrap_or(path) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a folder in it if it is missing.
    pub fn create(&self, name: &str) -> io::Result<()> {
        create_folder(&self.path.join(name))
    }

    /// Waits until no other thread or program has the lock. It ends when the file is dropped, or the program ends.
    pub fn lock(&self) -> io::Result<File> {
        let end = Instant::now() + LOCK_TIMEOUT;
        loop {
            match self.try_lock("lock")? {
                Some(lock) => return Ok(lock),
                None if Instant::now() > end => {
                    return Err(io::Error::new(ErrorKind::TimedOut, "another program has locked it"));
                }
                None => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Locks a file of the folder; `None` if another program has done so.
    pub fn try_lock(&self, name: &str) -> io::Result<Option<File>> {
        create_folder(&self.path)?;
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.write(true).create(true).truncate(false).open(self.path.join(name))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Creates a folder that only the user may read, with those above it. One that exists is left as it is.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Reads a file; `None` if there is none.
///
/// # Errors
/// [`ErrorKind::InvalidData`] if it is no file or longer than allowed; otherwise what the system says.
pub fn read(path: &Path, max_size: u64) -> io::Result<Option<Vec<u8>>> {
    let invalid = |what: &str| Err(io::Error::new(ErrorKind::InvalidData, what));
    let read = || {
        // Opening a pipe could wait for ever.
        if !fs::metadata(path)?.is_file() {
            return invalid("not a file");
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(max_size + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max_size { invalid("too long") } else { Ok(bytes) }
    };
    match patiently(read) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a private file beside its place. It is deleted when dropped.
pub fn write(folder: &Path, bytes: &[u8]) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file.into_temp_path())
}

/// Puts a written file in its place.
pub fn replace(file: TempPath, path: &Path) -> io::Result<()> {
    let mut file = Some(file);
    patiently(|| {
        let written = file.take().ok_or(ErrorKind::NotFound)?;
        written.persist(path).map_err(|failed| {
            file = Some(failed.path);
            failed.error
        })
    })?;
    sync_folder_of(path)
}

/// Deletes a file or, if there is none, does nothing.
pub fn delete(path: &Path) -> io::Result<()> {
    match patiently(|| fs::remove_file(path)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_folder_of(path),
    }
}

/// Renames a file that cannot be used, so that its name is free.
pub fn set_aside(path: &Path) -> io::Result<()> {
    let names = std::iter::once("damaged".to_owned()).chain((2..1000).map(|number| format!("damaged-{number}")));
    let free = names.map(|name| path.with_extension(name)).find(|path| !path.exists());
    fs::rename(path, free.ok_or(ErrorKind::AlreadyExists)?)
}

/// Deletes what programs that were killed have not finished.
pub fn delete_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_temporary = entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes());
        let age =
            || entry.metadata().and_then(|data| data.modified()).map(|time| SystemTime::now().duration_since(time));
        if is_temporary && age().is_ok_and(|age| age.is_ok_and(|age| age > TEMPORARY_TIMEOUT)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// On Unix a name is on the disk only when its folder is.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Tries again for a moment if Windows refuses because another program has opened the file, such as a virus scanner.
fn patiently<T>(mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let tries = if cfg!(windows) { 20 } else { 0 };
    for _ in 0..tries {
        match action() {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => thread::sleep(Duration::from_millis(25)),
            result => return result,
        }
    }
    action()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_as_a_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let names = || fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(read(&path, 3).expect("no file"), None);
        delete(&path).expect("nothing to do");
        let first = write(folder.path(), b"one").expect("a file");
        assert_eq!((names(), read(&path, 3).expect("no file")), (1, None));
        replace(first, &path).expect("replaced");
        drop(write(folder.path(), b"not used").expect("a file"));
        assert_eq!((names(), read(&path, 3).expect("a file")), (1, Some(b"one".to_vec())));
        replace(write(folder.path(), b"four").expect("a file"), &path).expect("replaced");
        assert_eq!(read(&path, 3).expect_err("too long").kind(), ErrorKind::InvalidData);
        assert_eq!(read(folder.path(), 3).expect_err("a folder").kind(), ErrorKind::InvalidData);
        for name in ["file.damaged", "file.damaged-2"] {
            replace(write(folder.path(), b"x").expect("a file"), &path).expect("replaced");
            set_aside(&path).expect("renamed");
            assert!(!path.exists() && folder.path().join(name).exists());
        }
    }

    #[test]
    fn only_old_temporary_files_are_leftovers() {
        let folder = tempfile::tempdir().expect("a folder");
        let create = |name: &str, age| {
            let file = File::create(folder.path().join(name)).expect("a file");
            file.set_modified(SystemTime::now() - age).expect("a time");
        };
        let (new, old) = (Duration::from_secs(3000), Duration::from_secs(4000));
        for (name, age) in [(".agoge-new", new), (".agoge-old", old), ("old.json", old)] {
            create(name, age);
        }
        delete_leftovers(folder.path());
        assert!(folder.path().join(".agoge-new").exists() && folder.path().join("old.json").exists());
        assert!(!folder.path().join(".agoge-old").exists());
    }

    #[test]
    fn a_lock_excludes_other_threads_and_ends_when_dropped() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::new(Some(temporary.path().join("a/b"))).expect("a folder");
        let lock = folder.lock().expect("the lock");
        assert!(folder.try_lock("lock").expect("a file").is_none());
        drop(lock);
        assert!(folder.try_lock("lock").expect("a file").is_some());
    }
}
