//! What the programs of this package have in common on the command line: arguments, output, signals,
//! exit status, progress and JSON.
//!
//! Output never panics, whatever stdout and stderr are: a closed pipe, a full disk. Nothing is written
//! to stdout after the first failure, and the program decides what that means:
//!
//! - A reader that has gone (`… | head -1`) has what it wanted: no error, no message.
//! - Another failure, such as a full disk, is told on stderr at the end. A program whose output was all
//!   that it was run for then fails; one that has written its files does not.

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

/// Writes a line to stderr like `eprintln!`, but does not panic: what cannot be written is lost.
#[macro_export]
macro_rules! errln {
    ($($argument:tt)*) => { $crate::cli::print_error(format_args!("{}\n", format_args!($($argument)*))) };
}

/// What has become of stdout.
enum Stdout {
    Open,
    /// It failed, which the user does not know yet.
    Failed(io::Error),
    /// It failed, and all is said.
    Closed,
}

static STDOUT: Mutex<Stdout> = Mutex::new(Stdout::Open);

/// The name of the program, for messages.
static NAME: OnceLock<String> = OnceLock::new();

fn stdout_state() -> MutexGuard<'static, Stdout> {
    STDOUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes text to stdout, unless that has failed before. See [`outln!`](crate::outln).
pub fn print(text: fmt::Arguments<'_>) {
    let mut state = stdout_state();
    if matches!(*state, Stdout::Open) {
        let mut stdout = stdout().lock();
        if let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) {
            *state = Stdout::Failed(error);
        }
    }
}

/// Writes text to stderr if that is possible. See [`errln!`](crate::errln).
pub fn print_error(text: fmt::Arguments<'_>) {
    // In one piece, so that lines of several threads do not mix.
    let _ = stderr().write_all(text.to_string().as_bytes());
}

/// Whether nobody reads stdout any more.
pub fn is_stdout_closed() -> bool {
    !matches!(*stdout_state(), Stdout::Open)
}

/// Tells, once, why stdout could not be written. Nothing is told, and the result is false, if all was
/// written or the reader has gone.
pub fn tell_lost_output() -> bool {
    let mut state = stdout_state();
    match std::mem::replace(&mut *state, Stdout::Closed) {
        Stdout::Open => *state = Stdout::Open,
        Stdout::Failed(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("stdout: {error}"));
            return true;
        }
        Stdout::Failed(_) | Stdout::Closed => {}
    }
    false
}

/// Writes a message after the name of the program to stderr.
pub fn complain(message: &str) {
    match NAME.get() {
        Some(name) => errln!("{name}: {message}"),
        None => errln!("{message}"),
    }
}

/// The arguments of the program. Where they are wrong, a line says why, and the program ends with status
/// 2; where help is asked for, it ends with status 0.
pub fn parse<T: Parser>() -> T {
    T::from_arg_matches(&matches(&T::command())).unwrap_or_else(|error| refuse(&error, &T::command()))
}

/// As [`parse`], before the arguments are put in their places.
pub fn matches(command: &Command) -> ArgMatches {
    let _ = NAME.set(command.get_name().to_owned());
    command.clone().try_get_matches().unwrap_or_else(|error| refuse(&error, command))
}

/// Ends the program because of its arguments, or of a request for help.
fn refuse(error: &clap::Error, command: &Command) -> ! {
    if !error.use_stderr() {
        print(format_args!("{}", error.render()));
        std::process::exit(i32::from(tell_lost_output()));
    }
    let subcommand = std::env::args().nth(1).filter(|name| command.find_subcommand(name).is_some());
    let path = subcommand.map_or_else(String::new, |name| format!(" {name}"));
    complain(&format!("{}; try '{}{path} --help'", one_line(error, command), command.get_name()));
    std::process::exit(2);
}

/// What is wrong with the arguments, without the usage.
fn one_line(error: &clap::Error, command: &Command) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        return format!("a command is missing: {}", names.join(", "));
    }
    let text = error.render().to_string();
    let said = text.split("\n\n").filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
    let said: Vec<String> = said.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let said = said.join("; ");
    said.strip_prefix("error: ").unwrap_or(&said).to_owned()
}

/// The exit status of a program that makes something: 0 when it is done, 1 when it failed. Why it failed
/// goes to stderr. What it says on stdout is no part of what it makes.
pub fn done(result: Result<(), String>) -> ExitCode {
    tell_lost_output();
    result.map_or_else(|error| trouble(&error, 1), |()| ExitCode::SUCCESS)
}

/// The exit status of a program that finds something out: 0 for yes, 1 for no, 2 when it failed, or
/// could not say what it found. Why goes to stderr.
pub fn answer(result: Result<bool, String>) -> ExitCode {
    let lost = tell_lost_output();
    match result {
        Ok(true) if lost => ExitCode::from(2),
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => trouble(&error, 2),
    }
}

fn trouble(error: &str, status: u8) -> ExitCode {
    complain(error);
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

/// Reads a percentage, with or without its sign.
///
/// # Errors
/// When it is none from 0 to 100.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>().ok();
    number.filter(|percent| (0.0..=100.0).contains(percent)).ok_or_else(|| "a percentage from 0 to 100".to_owned())
}

/// Whether a path stands for stdout: `-`.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks that [`write_json`] will not overwrite a file, or is allowed to.
///
/// # Errors
/// See [`files::check_new`].
pub fn check_json(path: &Path, force: bool) -> Result<(), String> {
    if is_stdout(path) { Ok(()) } else { files::check_new(path, force, files::FORCE_HINT) }
}

/// Writes a value as JSON to a new file, or to stdout, see [`is_stdout`]. `force` overwrites a file.
///
/// # Errors
/// When the file exists, or cannot be written.
pub fn write_json(path: &Path, value: &impl Serialize, force: bool) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| format!("JSON: {error}"))?;
    if is_stdout(path) {
        outln!("{text}");
        return Ok(());
    }
    files::write_new(path, (text + "\n").as_bytes(), force).map_err(|error| format!("{}: {error}", path.display()))
}
