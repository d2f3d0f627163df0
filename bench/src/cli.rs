//! What the programs of this package have in common on the command line: signals, exit status,
//! progress and JSON.

pub use agoge::tools::progress::progress;

use serde::Serialize;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// What a signal to end does to a program that first finishes what it has begun.
pub struct Interrupt {
    /// Asks for the end. The program may set it for other reasons, too.
    pub stop: Arc<AtomicBool>,
    /// A signal came.
    pub interrupted: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens to signals from now on; to be called once.
    ///
    /// # Errors
    /// When the system does not allow it.
    pub fn listen() -> Result<Self, String> {
        let new = Self { stop: Arc::default(), interrupted: Arc::default() };
        let (stop, interrupted) = (Arc::clone(&new.stop), Arc::clone(&new.interrupted));
        let handler = ctrlc::set_handler(move || {
            interrupted.store(true, Ordering::Relaxed);
            stop.store(true, Ordering::Relaxed);
        });
        handler.map_err(|error| format!("signals: {error}"))?;
        Ok(new)
    }
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
