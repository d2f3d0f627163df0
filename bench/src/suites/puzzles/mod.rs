//! Makes puzzles for the board in the browser from games, proves them again, and measures their difficulty.
//!
//! - `judge`: what a search says of a position; [`puzzle`]: a puzzle and its line in a file.
//! - `make`: finds puzzles in games; `mate`: proves mates; `themes`: what puzzles are about.
//! - `check`: proves a file again, and lets a level of the engine solve it.

mod check;
mod judge;
mod make;
mod mate;
pub mod puzzle;
mod themes;

use crate::terminal::CommandResult;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Task {
    /// Play games and write their puzzles; continues an existing file
    Make(make::Arguments),
    /// Prove every puzzle of a file with more nodes; exits with status 1 if one is not proven
    Check(check::Check),
    /// Measure how many puzzles a level of the engine solves, by difficulty; exits with status 1 if difficulty does not
    /// predict it
    Solve(check::Solve),
}

pub fn run(task: &Task) -> CommandResult {
    match task {
        Task::Make(arguments) => make::run(arguments),
        Task::Check(arguments) => check::check(arguments),
        Task::Solve(arguments) => check::solve(arguments),
    }
}
