//! Writing files: new ones that overwrite nothing, and old ones that are replaced in one step.
//!
//! What is written for a while stands under a random name that no file had before, in the same
//! directory: links that somebody has put there are not followed, and half a file never looks like a
//! whole one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// What a message about a file that exists says of the way out.
pub const FORCE_HINT: &str = "--force overwrites it";

/// The same where work can be gone on with.
pub const RESUME_HINT: &str = "--resume goes on with it, --force overwrites it";

/// Where a file of this path stands.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Names for files that are not finished.
pub fn unfinished() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".agoge-").suffix(".tmp");
    // As any new file, and not for the user alone.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// Whether a path is one of a device or pipe, where nothing is overwritten.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Checks that a file can be made, or, with `force`, overwritten.
///
/// # Errors
/// When the file exists, which is said together with `hint`, or when its directory does not.
pub fn check_new(path: &Path, force: bool, hint: &str) -> Result<(), String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("{shown}: it is a directory"));
    }
    let directory = directory_of(path);
    if !directory.is_dir() {
        return Err(format!("{shown}: there is no directory {}", directory.display()));
    }
    // A link that leads nowhere has a name that is taken, too.
    if !force && fs::symlink_metadata(path).is_ok() && !is_special(path) {
        return Err(format!("{shown}: the file exists; {hint}"));
    }
    Ok(())
}

/// Makes a file to be written bit by bit. `force` overwrites one.
///
/// # Errors
/// When the file exists, or cannot be made.
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

/// Writes a new file at once. `force` overwrites one.
///
/// # Errors
/// When the file exists, or cannot be written.
pub fn write_new(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    if is_special(path) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    if force {
        // A link stays a link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        return replace(&path, bytes);
    }
    write_unfinished(path, bytes)?.persist_noclobber(path)?;
    Ok(())
}

/// Replaces a file in one step: whatever happens, there is the old one or the new one.
///
/// # Errors
/// When a file cannot be written there.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = write_unfinished(path, bytes)?;
    if let Ok(metadata) = fs::metadata(path) {
        unfinished.as_file().set_permissions(metadata.permissions())?;
    }
    unfinished.persist(path)?;
    Ok(())
}

fn write_unfinished(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    // The name is of no interest to the user.
    let bare = |error: io::Error| error.raw_os_error().map_or(error, io::Error::from_raw_os_error);
    let mut file = unfinished().tempfile_in(directory_of(path)).map_err(bare)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
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
    fn links_are_not_followed_where_nobody_named_them() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let [path, link, target] = ["a", "link", "target"].map(|name| directory.path().join(name));
        fs::write(&target, "precious").unwrap();
        symlink(&target, &link).unwrap();
        // Replacing replaces the link; overwriting goes where the user's link leads.
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
        // A device is no file that could be lost.
        assert_eq!(check_new(Path::new("/dev/null"), false, "x"), Ok(()));
        write_new(Path::new("/dev/null"), b"x", false).unwrap();
        assert!(is_special(Path::new("/dev/null")));
    }
}
