//! Command-line code shared by the programs of this package: arguments, output, signals, exit status, progress and
//! JSON.
//!
//! Output never panics, even if stdout or stderr is a closed pipe or a file on a full disk. Nothing is written to
//! stdout after the first failure, which has these consequences:
//!
//! - A closed pipe (`… | head -1`) is not an error and causes no message.
//! - Any other failure, such as a full disk, is reported on stderr at the end. A program whose only result is its
//!   output then fails; a program that has written its files succeeds.

pub use agoge::tools::progress::progress;

use crate::files;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, Parser};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Writes a line to stdout like `println!`, but does not panic: see [`cli`](crate::cli).
#[macro_export]
macro_rules! outln {
    ($($argument:tt)*) => { $crate::cli::print(format_args!("{}\n", format_args!($($argument)*))) };
}

/// Writes a line to stderr like `eprintln!`, but does not panic: errors are ignored.
#[macro_export]
macro_rules! errln {
    ($($argument:tt)*) => { $crate::cli::print_error(format_args!("{}\n", format_args!($($argument)*))) };
}

/// The state of stdout.
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

/// Whether a write to stdout has failed.
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

/// Parses the arguments of the program. If they are invalid, prints one line to stderr and exits with status 2; after
/// printing the help, exits with status 0.
pub fn parse<T: Parser>() -> T {
    T::from_arg_matches(&matches(&T::command())).unwrap_or_else(|error| exit_on_parse_error(&error, &T::command()))
}

/// Like [`parse`], but returns the raw matches.
pub fn matches(command: &Command) -> ArgMatches {
    let _ = NAME.set(command.get_name().to_owned());
    command.clone().try_get_matches().unwrap_or_else(|error| exit_on_parse_error(&error, command))
}

/// Exits after invalid arguments or a request for help.
fn exit_on_parse_error(error: &clap::Error, command: &Command) -> ! {
    if !error.use_stderr() {
        print(format_args!("{}", error.render()));
        std::process::exit(i32::from(report_lost_output()));
    }
    let subcommand = std::env::args().nth(1).filter(|name| command.find_subcommand(name).is_some());
    let path = subcommand.map_or_else(String::new, |name| format!(" {name}"));
    print_message(&format!("{}; try '{}{path} --help'", one_line(error, command), command.get_name()));
    std::process::exit(2);
}

/// The error message of clap in one line, without the usage.
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

/// The exit status of a program that creates files: 0 on success, 1 on failure, with the error on stderr. A failed
/// write to stdout does not count, because the files are the result.
pub fn exit_code(result: Result<(), String>) -> ExitCode {
    report_lost_output();
    result.map_or_else(|error| fail(&error, 1), |()| ExitCode::SUCCESS)
}

/// The exit status of a program that answers a question: 0 for yes, 1 for no, 2 if it failed or could not print the
/// answer, with the error on stderr.
pub fn exit_code_of_check(result: Result<bool, String>) -> ExitCode {
    let lost = report_lost_output();
    match result {
        Ok(true) if lost => ExitCode::from(2),
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => fail(&error, 2),
    }
}

fn fail(error: &str, status: u8) -> ExitCode {
    print_message(error);
    ExitCode::from(status)
}

/// Flags set by a termination signal, for programs that finish their current work first.
pub struct Interrupt {
    /// The program should stop. It may also set this flag itself.
    pub stop: Arc<AtomicBool>,
    /// A signal was received.
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
        let handler = ctrlc::set_handler(move || {
            interrupted.store(true, Ordering::Relaxed);
            stop.store(true, Ordering::Relaxed);
        });
        handler.map_err(|error| format!("signals: {error}"))?;
        Ok(new)
    }
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

/// Checks that [`write_json`] will not overwrite a file without permission.
///
/// # Errors
/// See [`files::check_new`].
pub fn check_json(path: &Path, force: bool) -> Result<(), String> {
    if is_stdout(path) { Ok(()) } else { files::check_new(path, force, files::FORCE_HINT) }
}

/// Writes a value as JSON to a new file, or to stdout (see [`is_stdout`]). `force` overwrites an existing file.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn write_json(path: &Path, value: &impl Serialize, force: bool) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| format!("JSON: {error}"))?;
    if is_stdout(path) {
        outln!("{text}");
        return Ok(());
    }
    files::write_new(path, (text + "\n").as_bytes(), force).map_err(|error| format!("{}: {error}", path.display()))
}
