//! Generates self-play games for tuning and training, and processes files of such games. See bench/DATA.md.

mod charts;
mod files;
mod game;
mod play;
mod start_sampler;
mod stats;

use agoge_bench::cli;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Plays games of the engine against itself, and merges, shuffles, verifies and summarises game files.
#[derive(Parser)]
#[command(name = "datagen", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play games; exits with status 130 if interrupted
    Play(play::Arguments),
    /// Merge files into one, without duplicate games
    Merge(files::Merge),
    /// Shuffle the games of a file
    Shuffle(files::Shuffle),
    /// Replay all games and check them against the rules; exits with status 1 on any error
    Verify(files::Verify),
    /// Count positions by men, kings, score and result
    Stats(stats::Arguments),
}

/// The exit status of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Interrupted = 130,
}

/// An error message with its exit status.
type ExitError = (Status, String);

/// An error of a command that failed.
fn failed(message: impl Into<String>) -> ExitError {
    (Status::Failed, message.into())
}

/// An error about the arguments.
fn usage(message: impl Into<String>) -> ExitError {
    (Status::Usage, message.into())
}

fn main() -> ExitCode {
    let status = match cli::parse::<Arguments>().command {
        Command::Play(arguments) => play::run(&arguments),
        Command::Merge(arguments) => files::merge(&arguments),
        Command::Shuffle(arguments) => files::shuffle(&arguments),
        Command::Verify(arguments) => files::verify(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
    };
    // For commands that write files, output on stdout is not essential.
    cli::report_lost_output();
    let status = status.unwrap_or_else(|(status, message)| {
        cli::print_message(&message);
        status
    });
    ExitCode::from(status as u8)
}
