//! Safe file writing: new files never overwrite existing ones, and existing files are replaced atomically.
//!
//! [`write_new`] and [`replace`] write under a new random name in the same directory and then rename the file. Planted
//! symbolic links are not followed, and an incomplete file never has the final name.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

pub const FORCE_HINT: &str = "--force overwrites it";

pub const RESUME_HINT: &str = "--resume continues it, --force overwrites it";

pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Locks a file against other writers while it is open. Returns false if another program has locked it. File systems
/// without locks are accepted.
pub fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Opens a file to continue it, or creates it, and locks it.
///
/// # Errors
/// If it cannot be opened, is a device or pipe, or another program is writing to it. The message has its path.
pub fn open_locked(path: &Path) -> Result<File, String> {
    // Reading a device may never end.
    check_no_device(path)?;
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
    if lock(&file) { Ok(file) } else { Err(format!("{}: another program is writing to it", path.display())) }
}

/// Shortens a file, and goes on at its end.
///
/// # Errors
/// If the file cannot be shortened.
pub fn cut(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length)).map(drop)
}

/// A builder of temporary files for unfinished output.
pub fn unfinished() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".agoge-").suffix(".tmp");
    // The usual permissions of a new file; the default of a temporary file is private to the user.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// Whether a path is a device or pipe, where nothing can be overwritten.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Checks that a path is not a device or pipe.
///
/// # Errors
/// If it is. The message has the path.
pub fn check_no_device(path: &Path) -> Result<(), String> {
    if is_special(path) { Err(format!("{}: it is not a file", path.display())) } else { Ok(()) }
}

/// Checks that a file can be created or, with `force`, overwritten.
///
/// # Errors
/// If the file exists (the message then ends with `hint`) or its directory does not exist.
pub fn check_new(path: &Path, force: bool, hint: &str) -> Result<(), String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("{shown}: it is a directory"));
    }
    let directory = directory_of(path);
    if !directory.is_dir() {
        return Err(format!("{shown}: there is no directory {}", directory.display()));
    }
    // A dangling link occupies the name, too.
    if !force && fs::symlink_metadata(path).is_ok() && !is_special(path) {
        return Err(format!("{shown}: the file exists; {hint}"));
    }
    Ok(())
}

/// Creates a file to be written piece by piece. `force` overwrites an existing file.
///
/// # Errors
/// If the file exists or cannot be created.
pub fn create(path: &Path, force: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    if is_special(path) {
        return options.open(path);
    }
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    options.open(path)
}

/// Writes a new file atomically. `force` overwrites an existing file.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn write_new(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    write_new_by(path, force, |file| file.write_all(bytes))
}

/// As [`write_new`], for contents that a function writes.
///
/// # Errors
/// As [`write_new`].
pub fn write_new_by(path: &Path, force: bool, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    if is_special(path) {
        return replace_by(path, write);
    }
    if force {
        // Write to the target of a link and keep the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        return replace_by(&path, write);
    }
    write_unfinished(path, write)?.persist_noclobber(path)?;
    Ok(())
}

/// Replaces a file atomically: at any time either the old or the new contents exist. A device stays one.
///
/// # Errors
/// If a file cannot be written in the directory.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(path, |file| file.write_all(bytes))
}

fn replace_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    if is_special(path) {
        return write(&mut OpenOptions::new().write(true).open(path)?);
    }
    let unfinished = write_unfinished(path, write)?;
    if let Ok(metadata) = fs::metadata(path) {
        unfinished.as_file().set_permissions(metadata.permissions())?;
    }
    unfinished.persist(path)?;
    Ok(())
}

fn write_unfinished(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<NamedTempFile> {
    // Drop the temporary name from the error message.
    let bare = |error: io::Error| error.raw_os_error().map_or(error, io::Error::from_raw_os_error);
    let mut file = unfinished().tempfile_in(directory_of(path)).map_err(bare)?;
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Reads a text file that grows line by line after a header: its whole lines, without an incomplete last one. A new
/// file, or one with only the beginning of the header, gets the header; nothing else is changed.
///
/// # Errors
/// If it cannot be read or written.
pub fn read_lines(file: &mut File, header: &str) -> io::Result<String> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    if header.starts_with(&text) {
        header.clone_into(&mut text);
        file.rewind()?;
        file.write_all(text.as_bytes())?;
    }
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_overwritten_unless_forced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        assert_eq!(check_new(&path, false, "x"), Ok(()));
        write_new(&path, b"one", false).unwrap();
        assert!(check_new(&path, false, "x").unwrap_err().ends_with("a: the file exists; x"));
        assert_eq!(write_new(&path, b"two", false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(create(&path, false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(check_new(&path, true, "x"), Ok(()));
        write_new(&path, b"three", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        create(&path, true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        assert!(check_new(directory.path(), true, "x").is_err());
        assert!(check_new(&directory.path().join("b/c"), true, "x").is_err());
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    #[cfg(unix)]
    fn only_links_named_by_the_user_are_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let [path, link, target] = ["a", "link", "target"].map(|name| directory.path().join(name));
        fs::write(&target, "precious").unwrap();
        symlink(&target, &link).unwrap();
        // `replace` replaces the link itself; `write_new` with `force` writes to its target.
        assert!(check_new(&link, false, "x").is_err() && write_new(&link, b"new", false).is_err());
        replace(&link, b"new").unwrap();
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"precious");
        fs::remove_file(&link).unwrap();
        symlink(&target, &link).unwrap();
        write_new(&link, b"new", true).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        write_new(&path, b"", false).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        File::create(directory.path().join("plain")).unwrap();
        assert_eq!(mode(&path), mode(&directory.path().join("plain")));
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        replace(&path, b"x").unwrap();
        assert_eq!(mode(&path), 0o640);
        // A device has no contents to lose.
        assert_eq!(check_new(Path::new("/dev/null"), false, "x"), Ok(()));
        write_new(Path::new("/dev/null"), b"x", false).unwrap();
        write_new(Path::new("/dev/null"), b"x", true).unwrap();
        replace(Path::new("/dev/null"), b"x").unwrap();
        assert!(is_special(Path::new("/dev/null")));
    }
}
