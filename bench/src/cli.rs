//! What the programs of this package have in common on the command line: exit status, progress and
//! JSON.

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::ExitCode;

/// The exit status of a program that does something: 0 when it is done, 1 when it failed. Why it
/// failed goes to stderr.
pub fn done(result: Result<(), String>) -> ExitCode {
    result.map_or_else(|error| trouble(&error, 1), |()| ExitCode::SUCCESS)
}

/// The exit status of a program that finds something out: 0 for yes, 1 for no, 2 when it failed. Why
/// it failed goes to stderr.
pub fn answer(result: Result<bool, String>) -> ExitCode {
    result.map_or_else(|error| trouble(&error, 2), |yes| if yes { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn trouble(error: &str, status: u8) -> ExitCode {
    eprintln!("{error}");
    ExitCode::from(status)
}

/// The look of [`progress`].
const PROGRESS: &str = "{elapsed_precise} {wide_bar} {prefix}{pos}/{len} {msg} ({eta} left)";

/// A progress bar on stderr with times, for work that was begun before and stands at `position` of
/// `length`. Its prefix, empty at first, goes before the numbers, its message behind them.
pub fn progress(length: u64, position: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(PROGRESS).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_position(position).with_style(style)
}

/// Whether a path stands for stdout: `-`.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes a value as JSON to a file, or to stdout, see [`is_stdout`].
///
/// # Errors
/// When it cannot be written.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| format!("JSON: {error}"))? + "\n";
    if is_stdout(path) {
        stdout().write_all(text.as_bytes()).map_err(|error| format!("stdout: {error}"))
    } else {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_of_the_progress_is_well_formed() {
        assert!(ProgressStyle::with_template(PROGRESS).is_ok());
    }
}
