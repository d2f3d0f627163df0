//! The command line of `agoge-bench`.

use crate::terminal::{self, CommandResult};
use crate::{data, matches, suites, tables, theory, train, tune};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// The text after the commands in `--help`.
const DETAILS: &str = "\
EXIT STATUS
  0    done; for a check: yes; for an SPRT: H1 accepted
  1    the check failed: no; for an SPRT: H0 accepted
  2    invalid arguments or input files, nothing was done
  3    SPRT: all games played, undecided
  4    an engine could not be used, or a file could not be written: the work is incomplete
  5    match --strict: an illegal move, crash, stall or loss on time
  130  interrupted (Ctrl-C)";

/// Matches, data generation, training, tuning and test suites for Spartan Chess engines.
#[derive(Parser)]
#[command(name = "agoge-bench", bin_name = "agoge-bench", version, after_help = DETAILS)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play a match between UCI or XBoard engines
    Match(Box<matches::arguments::Arguments>),
    /// Play games for training, and merge, shuffle, verify or summarise files of games
    #[command(subcommand)]
    Datagen(data::Datagen),
    /// Make a book of balanced openings for matches; continues an existing book
    Openings(data::openings::Arguments),
    /// Make the opening theory: a tree of searched positions, and games from them
    #[command(subcommand)]
    Theory(theory::Theory),
    /// Train the neural network of the engine on the scores and results of games
    Train(Box<train::command::Arguments>),
    /// Average the weights of networks that were trained from the same initial weights
    Average(train::average::Arguments),
    /// Fit the parameters of the hand-made evaluation to the results of games
    Tune(tune::texel::Arguments),
    /// Tune search parameters by games of an engine against itself; it must be built with `--features tune`
    #[command(subcommand)]
    Spsa(tune::spsa::command::Action),
    /// Run a suite of positions (EPD with dm, bm or am) at a fixed limit and print the score
    Suite(suites::suite::Arguments),
    /// Find and prove forced mates
    #[command(subcommand)]
    Mates(suites::mates::Task),
    /// Find best-move positions in games, and check them
    #[command(subcommand)]
    Tactics(suites::tactics::Task),
    /// Make puzzles from games, prove them, and measure their difficulty
    #[command(subcommand)]
    Puzzles(suites::puzzles::Task),
    /// Play won endgames against a perfect defender and count the wins
    Conversion(suites::conversion::command::Arguments),
    /// Solve all endgames of three men and some of four, and write the tables that the engine embeds
    EmbeddedTables(tables::embedded::Arguments),
    /// Solve endgames by retrograde analysis and write a table file for each class
    Tables(tables::Args),
}

pub fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(words) = matches::fastchess::is_called(&words) {
        return matches::fastchess::main(words);
    }
    let matches = terminal::parse(&CommandLine::command());
    let result = CommandLine::from_arg_matches(&matches)
        .map_err(|error| terminal::usage(error.to_string()))
        .and_then(|line| run(line.command, &matches));
    terminal::exit_code(result)
}

fn run(command: Command, found: &ArgMatches) -> CommandResult {
    match command {
        Command::Match(arguments) => matches::command::run(&arguments, found.subcommand_matches("match")),
        Command::Datagen(command) => data::run(&command),
        Command::Openings(arguments) => data::openings::run(&arguments),
        Command::Theory(command) => theory::run(&command),
        Command::Train(arguments) => train::command::run(&arguments),
        Command::Average(arguments) => train::average::run(&arguments),
        Command::Tune(arguments) => tune::texel::run(&arguments),
        Command::Spsa(action) => tune::spsa::command::run(action),
        Command::Suite(arguments) => suites::suite::run(&arguments),
        Command::Mates(task) => suites::mates::run(&task),
        Command::Tactics(task) => suites::tactics::run(&task),
        Command::Puzzles(task) => suites::puzzles::run(&task),
        Command::Conversion(arguments) => suites::conversion::command::run(&arguments),
        Command::EmbeddedTables(arguments) => tables::embedded::run(&arguments),
        Command::Tables(arguments) => tables::run(&arguments),
    }
}
