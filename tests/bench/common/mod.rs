//! Helpers of the tests that run the programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The engine, built together with the tests. The binary of its own package may be missing or out of date.
pub const ENGINE: &str = env!("CARGO_BIN_EXE_tested-agoge");

/// Whether tests that take minutes run in full; otherwise a sample of their cases is tested. `.ci/run` sets the
/// variable.
pub fn full_tests() -> bool {
    std::env::var_os("AGOGE_FULL_TESTS").is_some()
}

/// A command of the program.
pub fn bench(subcommand: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tested-agoge-bench"));
    command.arg(subcommand);
    command
}

/// A running program that is killed if the test ends before it.
#[cfg(unix)]
pub struct Running(pub std::process::Child);

#[cfg(unix)]
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes an executable shell script.
#[cfg(unix)]
pub fn write_script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("an executable script");
}

/// An empty directory for one test.
pub fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// The output of a program as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
pub fn assert_succeeds(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[track_caller]
pub fn assert_fails(output: &Output, code: i32, message: &str) {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(error.contains(message), "{error}");
}
