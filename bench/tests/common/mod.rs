//! What the tests that drive the programs have in common.

use std::fs;
use std::path::{Path, PathBuf};

/// The engine, built together with the tests. That of its own package may be missing, or older.
pub const ENGINE: &str = env!("CARGO_BIN_EXE_tested-engine");

/// Makes a shell script that runs.
#[cfg(unix)]
pub fn write_script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a script that runs");
}

/// A directory for one test, empty.
pub fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// What a program has written.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
