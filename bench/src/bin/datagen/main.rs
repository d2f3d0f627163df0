//! Games of the engine against itself, for the training of evaluations, and the care of their files.
//! See bench/DATA.md.

mod charts;
mod files;
mod game;
mod lottery;
mod play;
mod stats;

use agoge_bench::cli;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Plays games of the engine against itself, and merges, shuffles, checks and counts files of them.
#[derive(Parser)]
#[command(name = "datagen", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play games; ends with status 130 when it is interrupted
    Play(play::Arguments),
    /// Write the games of some files to one, each game once
    Merge(files::Merge),
    /// Write the games of a file in random order
    Shuffle(files::Shuffle),
    /// Replay all games by the rules; ends with status 1 if anything is wrong
    Verify(files::Verify),
    /// Count positions by men, kings, score and result
    Stats(stats::Arguments),
}

/// How a command has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Interrupted = 130,
}

/// A message and the exit status that goes with it.
type Trouble = (Status, String);

/// Makes a message one about something that did not work.
fn failed(message: impl Into<String>) -> Trouble {
    (Status::Failed, message.into())
}

/// Makes a message one about the arguments.
fn usage(message: impl Into<String>) -> Trouble {
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
    // Where files are written, what is said of them is not needed.
    cli::tell_lost_output();
    let status = status.unwrap_or_else(|(status, message)| {
        cli::complain(&message);
        status
    });
    ExitCode::from(status as u8)
}
