//! Command-line code shared by all commands: arguments, output, signals, exit status and JSON.
//!
//! Output never panics, even if stdout or stderr is a closed pipe or a file on a full disk. Nothing is written to
//! stdout after the first failure, which has these consequences:
//!
//! - A closed pipe (`… | head -1`) is not an error and causes no message.
//! - Any other failure, such as a full disk, is reported on stderr at the end. A command whose only result is its
//!   output then fails; a command that has written its files succeeds.

use crate::epd::summarise;
use crate::files;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
#[cfg(unix)]
use nix::sys::signal::{SigHandler, Signal, signal};
use serde::Serialize;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Writes a line to stdout like `println!`, but does not panic: see [`terminal`](crate::terminal).
#[macro_export]
macro_rules! outln {
    ($($argument:tt)*) => { $crate::terminal::print(format_args!("{}\n", format_args!($($argument)*))) };
}

/// Writes a line to stderr like `eprintln!`, but does not panic: errors are ignored.
#[macro_export]
macro_rules! errln {
    ($($argument:tt)*) => { $crate::terminal::print_error(format_args!("{}\n", format_args!($($argument)*))) };
}

enum Stdout {
    Open,
    /// It failed, and the error has not been reported yet.
    Failed(io::Error),
    /// It failed, and the error has been reported.
    Closed,
}

static STDOUT: Mutex<Stdout> = Mutex::new(Stdout::Open);

/// The name of the program, for messages.
static NAME: OnceLock<String> = OnceLock::new();

fn stdout_state() -> MutexGuard<'static, Stdout> {
    STDOUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes text to stdout unless an earlier write failed. See [`outln!`](crate::outln).
pub fn print(text: fmt::Arguments<'_>) {
    let mut state = stdout_state();
    if matches!(*state, Stdout::Open) {
        let mut stdout = stdout().lock();
        if let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) {
            *state = Stdout::Failed(error);
        }
    }
}

/// Writes text to stderr and ignores errors. See [`errln!`](crate::errln).
pub fn print_error(text: fmt::Arguments<'_>) {
    // One call, so that lines of several threads do not interleave.
    let _ = stderr().write_all(text.to_string().as_bytes());
}

pub fn is_stdout_closed() -> bool {
    !matches!(*stdout_state(), Stdout::Open)
}

/// Reports, once, why writing to stdout failed, and returns whether it did. A closed pipe is not reported and returns
/// false.
pub fn report_lost_output() -> bool {
    let mut state = stdout_state();
    match std::mem::replace(&mut *state, Stdout::Closed) {
        Stdout::Open => *state = Stdout::Open,
        Stdout::Failed(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_message(&format!("stdout: {error}"));
            return true;
        }
        Stdout::Failed(_) | Stdout::Closed => {}
    }
    false
}

/// Writes a message to stderr, prefixed with the name of the program.
pub fn print_message(message: &str) {
    match NAME.get() {
        Some(name) => errln!("{name}: {message}"),
        None => errln!("{message}"),
    }
}

/// Writes messages about lines of a file that were skipped to stderr, at most a few of them.
pub fn warn(skipped: &[String]) {
    summarise(skipped).iter().for_each(|line| print_message(line));
}

/// Parses the arguments of the program. If they are invalid, prints one line to stderr and exits with status 2; after
/// printing the help, exits with status 0.
pub fn parse(command: &Command) -> ArgMatches {
    let (path, subcommand) = selected(command, std::env::args_os().skip(1));
    let _ = NAME.set(path.clone());
    command.clone().try_get_matches().unwrap_or_else(|error| {
        if error.use_stderr() {
            print_message(&format!("{}; try '{path} --help'", one_line(&error, subcommand)));
            std::process::exit(Status::Usage as i32);
        }
        print(format_args!("{}", error.render()));
        std::process::exit(if report_lost_output() { Status::Incomplete } else { Status::Success } as i32);
    })
}

/// The subcommand that the arguments select, with the names that lead to it.
fn selected(mut command: &Command, arguments: impl Iterator<Item = OsString>) -> (String, &Command) {
    let mut path = command.get_name().to_owned();
    for argument in arguments {
        let Some(subcommand) = command.find_subcommand(&argument) else { break };
        command = subcommand;
        path = format!("{path} {}", command.get_name());
    }
    (path, command)
}

/// The error message of clap about the arguments of `command` in one line, without the usage.
fn one_line(error: &clap::Error, command: &Command) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        return format!("a command is missing: {}", names.join(", "));
    }
    let text = error.render().to_string();
    let parts = text.split("\n\n").filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
    let parts: Vec<String> = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let line = parts.join("; ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Status {
    /// Done. For a check: yes. For an SPRT: H1 accepted.
    Success = 0,
    /// The check failed. For an SPRT: H0 accepted.
    Negative = 1,
    /// Invalid arguments or input files; nothing was done.
    Usage = 2,
    /// The SPRT is undecided after all games.
    Undecided = 3,
    /// An engine could not be used, or a file could not be written: the work is incomplete.
    Incomplete = 4,
    /// An engine misbehaved in a `match --strict`.
    Faults = 5,
    Interrupted = 130,
}

impl Status {
    /// The status of a check.
    pub const fn of_check(passed: bool) -> Self {
        if passed { Self::Success } else { Self::Negative }
    }

    /// The status of a command whose result is what it has printed: `self`, or `Incomplete` if stdout failed and `self`
    /// is `Success`.
    pub fn after_printing(self) -> Self {
        if report_lost_output() && self == Self::Success { Self::Incomplete } else { self }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    pub status: Status,
    pub message: String,
}

impl From<String> for Error {
    /// An error in arguments or input files, like [`usage`].
    fn from(message: String) -> Self {
        usage(message)
    }
}

/// An error in arguments or input files.
pub fn usage(message: impl fmt::Display) -> Error {
    Error { status: Status::Usage, message: format!("{message}") }
}

/// An error that left the work incomplete.
pub fn failed(message: impl fmt::Display) -> Error {
    Error { status: Status::Incomplete, message: format!("{message}") }
}

/// Makes errors about an input file, prefixed with its name.
pub fn unreadable<E: fmt::Display>(path: &Path) -> impl Fn(E) -> Error {
    move |error| usage(format!("{}: {error}", path.display()))
}

/// Makes errors about a file that cannot be written, prefixed with its name.
pub fn unwritable<E: fmt::Display>(path: &Path) -> impl Fn(E) -> Error {
    move |error| failed(format!("{}: {error}", path.display()))
}

pub type CommandResult = Result<Status, Error>;

/// The exit status of the program. Prints an error to stderr.
pub fn exit_code(result: CommandResult) -> ExitCode {
    // Commands that write files succeed even if stdout failed; the others call `after_printing`.
    report_lost_output();
    let status = result.unwrap_or_else(|Error { status, message }| {
        print_message(&message);
        status
    });
    ExitCode::from(status as u8)
}

/// Flags set by a termination signal, for commands that finish their current work first.
pub struct Interrupt {
    /// The command should stop. It may also set this flag itself.
    pub stop: Arc<AtomicBool>,
    pub interrupted: Arc<AtomicBool>,
}

impl Interrupt {
    /// Installs the signal handler; call it only once.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub fn listen() -> Result<Self, String> {
        let new = Self { stop: Arc::default(), interrupted: Arc::default() };
        let (stop, interrupted) = (Arc::clone(&new.stop), Arc::clone(&new.interrupted));
        #[cfg(unix)]
        let hangup = ignore_hangup();
        let handler = ctrlc::set_handler(move || {
            stop.store(true, Ordering::Relaxed);
            // On a second signal exit at once.
            if interrupted.swap(true, Ordering::Relaxed) {
                std::process::exit(Status::Interrupted as i32);
            }
        });
        handler.map_err(|error| format!("signals: {error}"))?;
        // It has replaced what `nohup` set.
        #[cfg(unix)]
        if matches!(hangup, Ok(SigHandler::SigIgn)) {
            let _ = ignore_hangup();
        }
        Ok(new)
    }
}

/// Ignores SIGHUP, and returns what was done at it before.
#[cfg(unix)]
fn ignore_hangup() -> nix::Result<SigHandler> {
    // SAFETY: no handler is installed that could run at a bad time.
    unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) }
}

/// Parses a percentage, with or without `%`.
///
/// # Errors
/// If it is not a number from 0 to 100.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>().ok();
    number.filter(|percent| (0.0..=100.0).contains(percent)).ok_or_else(|| "a percentage from 0 to 100".to_owned())
}

/// Whether a path means stdout: `-`.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks that [`write_text`] will not overwrite a file without permission.
///
/// # Errors
/// See [`files::check_new`].
pub fn check_output(path: &Path, force: bool) -> Result<(), String> {
    if is_stdout(path) { Ok(()) } else { files::check_new(path, force, files::FORCE_HINT) }
}

/// Writes a value as JSON to a new file, or to stdout (see [`is_stdout`]). `force` overwrites an existing file.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn write_json(path: &Path, value: &impl Serialize, force: bool) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| format!("JSON: {error}"))?;
    write_text(path, &(text + "\n"), force)
}

/// Writes a text to a new file, or to stdout (see [`is_stdout`]). `force` overwrites an existing file.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn write_text(path: &Path, text: &str, force: bool) -> Result<(), String> {
    if is_stdout(path) {
        outln!("{}", text.trim_end());
        return Ok(());
    }
    files::write_new(path, text.as_bytes(), force).map_err(|error| format!("{}: {error}", path.display()))
}
