//! What the tests that drive the programs have in common.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the engine in a target directory: it is another package's program, which a test of this
/// package alone does not build.
pub fn build_engine(target: &Path, more: &[&str]) {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--package", "agoge", "--bin", "agoge", "--target-dir"]).arg(target).args(more);
    assert!(build.status().expect("cargo runs").success());
}

/// The file name of the engine.
pub fn engine_name() -> String {
    format!("agoge{}", std::env::consts::EXE_SUFFIX)
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
