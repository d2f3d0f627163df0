//! The command `agoge explore`: opening theory and exact endgames in a terminal.

mod line;
mod print;

use super::{Command, Failure, Scope, run_parsed};
use crate::tables;
use agoge_core::board::Variant;
use agoge_core::tables::{MAX_MEN, Tables};
use agoge_web::explorer::explore;
use clap::{CommandFactory as _, Parser};
use std::ffi::OsString;
use std::io::{self, Write as _};

/// The text of `--help` below the options.
const AFTER_HELP: &str = "\
Moves are in SAN or coordinates, with or without numbers: 1.e4 Hbd5 2.e5, or e2e4 b7d5 e4e5.
They start from the initial position, or from a FEN before them.

Theory is a tree of searched positions, in the program; bench/THEORY.md tells how it was made.
The value of a move is that of the best play after it, in pawns or as moves to mate (M3), for
the side that makes it. The expected score is the chance to win and half of the chance to draw
that the option UCI_ShowWDL tells for this value. Games are those of the engine against itself
that came to the position after the move; the bar has the shares won, drawn and lost by the
side that makes it. Depth and nodes are those of the searches of the position after the move.

With endgame tables each legal move is won, drawn or lost, with the moves to mate. Three men
are in the program, and agoge tables makes more.

The exit status is 0, also if the position is not in theory, 1 if a table cannot be used, and
2 for an invalid position or move.";

pub(super) const COMMAND: Command = Command {
    usage: "explore [FEN] [moves]",
    help: "shows opening theory and exact endgames; see 'explore --help'",
    scope: Scope::Program(
        |variant, arguments| {
            if variant.is_some_and(|variant| variant != Variant::Spartan) {
                let message = "agoge: explore has the theory of Spartan Chess only.";
                return Err(Failure::usage(message.to_owned()));
            }
            run_parsed(arguments, run)
        },
        Arguments::command,
    ),
};

/// Shows the opening theory at a position, and exact results in endgames
#[derive(Parser, Debug)]
#[command(name = "agoge explore", version, after_help = AFTER_HELP)]
struct Arguments {
    /// A position as FEN, and moves after it; by default the initial position
    #[arg(value_name = "FEN | MOVES")]
    line: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[arg(long, value_name = "FOLDERS", help = tables::OPTION_HELP)]
    tables: Option<OsString>,
}

/// Prints what is known about the position.
///
/// # Errors
/// If the position or a move is not legal, a table cannot be used, or the text cannot be printed.
fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let game = line::read(&arguments.line.join(" ")).map_err(|error| Failure::usage(format!("agoge: {error}")))?;
    // Opening tables reads them all. With more men not even a capture leads to one.
    let is_endgame = game.board().occupied().count() as usize <= MAX_MEN + 1;
    let is_wanted = is_endgame || arguments.tables.is_some();
    let tables = if is_wanted { tables::open(arguments.tables.as_deref())? } else { Tables::default() };
    let explored = explore(&game, Some(&tables))?;
    let text = if arguments.json { explored.to_json() + "\n" } else { print::text(&game, &explored) };
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        // As after `| head`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("standard output: {error}").into()),
        _ => Ok(0),
    }
}
