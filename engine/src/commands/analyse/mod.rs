//! Annotates games: an evaluation of each position, a better line for each mistake, the accuracy of each side, and a
//! graph of the winning chances.

mod game;
mod graph;
mod judgment;
mod outputs;
mod own;

use super::files::{self, is_standard};
use super::{Command, Scope, interrupt, run_parsed};
use crate::tables;
use agoge_core::board::Variant;
use agoge_core::memory;
use agoge_core::notation::pgn::{ParsedGame, Reader, Replay, Warning};
use agoge_core::search::Limits;
use agoge_core::text::unicode;
use clap::{CommandFactory as _, Parser};
use game::annotate;
use outputs::Outputs;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

/// The maximum size of an input file in bytes.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// The text of `--help` below the options.
const AFTER_HELP: &str = "\
The games are written with an evaluation after each move: [%eval 0.35] in pawns from White's
view, or [%eval #-3] where Black mates in three moves. Everything in the file is kept. The
graph of a game shows White's winning chances. Positions of three men, or in the endgame
tables, get their exact result, too.

Variant: from the tag Variant, else from --variant, else spartan if all moves are legal there,
else chess.

Mistakes: the evaluation of a position gives the expected score of the side to move, from 0
for a certain loss to 1 for a certain win. The loss of a move is the expected score before it
minus the one after it. A move that loses 0.05 or more is an inaccuracy (?!, $6 in the file),
0.1 a mistake (?, $2), 0.2 a blunder (??, $4); the better line follows as a variation. The
engine's own choice loses nothing.

Accuracy: a move that loses nothing counts 100 %, and each 0.1 that it loses halves this: a
loss of 0.1 counts 50 %, of 0.2 25 %. The accuracy of a side is the mean over its moves. The
average loss is also given in centipawns; scores beyond 10 pawns and mates count as 10 pawns.

A damaged game is read as far as possible, up to its first illegal move; a message names the
line. The evaluations, marks and variations of an earlier analysis are replaced, those of other
people kept.

Files appear when they are complete. Ctrl-C stops and keeps the complete games. The exit status
is 0, or 1 if nothing is written or it was interrupted, or 2 for invalid arguments, or 3 if what
could be read is written, but not all games could be read to their end.";

pub(super) const COMMAND: Command = Command {
    usage: "analyse games.pgn",
    help: "annotates games; see 'analyse --help'",
    scope: Scope::Program(
        |variant, arguments| {
            let variant = variant.map(|variant| format!("--variant={}", variant.name()).into());
            run_parsed(variant.into_iter().chain(arguments), run)
        },
        Arguments::command,
    ),
};

/// Annotates the games of a PGN file
#[derive(Parser, Debug)]
#[command(name = "agoge analyse", version, after_help = AFTER_HELP)]
struct Arguments {
    /// The games, as PGN; - for standard input
    file: PathBuf,
    /// The annotated games; - for standard output [default: games.analysed.pgn for games.pgn]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The graph; further games get games-2.svg and so on [default: games.svg for games.pgn]
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The variant of games without a tag Variant: spartan or chess
    #[arg(long, value_name = "NAME", overrides_with = "variant")]
    variant: Option<Variant>,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Time for each position in milliseconds, instead of nodes
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    hash: usize,
    #[arg(long, value_name = "FOLDERS", help = tables::OPTION_HELP)]
    tables: Option<OsString>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Arguments {
    fn limits(&self) -> Limits {
        match self.movetime {
            Some(time) => Limits { move_time: Some(Duration::from_millis(time)), ..Limits::default() },
            None => Limits { nodes: Some(self.nodes), ..Limits::default() },
        }
    }
}

/// The exit status if only a part of the games could be read.
const PARTLY: u8 = 3;

/// Annotates the games of a file. Returns the exit status.
///
/// # Errors
/// If a file cannot be read or written, no game can be read, there is not enough memory, or a thread cannot be
/// started: no file is written then. If a signal interrupts it: the complete games are written.
fn run(arguments: &Arguments) -> Result<u8, String> {
    let input =
        if is_standard(&arguments.file) { "standard input".into() } else { arguments.file.display().to_string() };
    let bytes = unicode(&files::read(&arguments.file, MAX_FILE_SIZE)?).into_bytes();
    let Check { count, usable, damaged } = check(&bytes, arguments, &input);
    if count == 0 {
        return Err(format!("{input}: no game"));
    }
    if usable == 0 {
        return Err("no game could be analysed; nothing is written".into());
    }
    interrupt::listen(outputs::save)?;
    let mut outputs = Outputs::create(arguments, count)?;
    let tables = tables::open(arguments.tables.as_deref())?;
    let mut searcher = memory::searcher(arguments.threads.into(), arguments.hash).map_err(|error| error.to_string())?;
    searcher.settings.tables = tables.into();
    let mut reader = Reader::new(&bytes);
    for index in 0..count {
        let Some(mut parsed) = reader.next_game() else { break };
        if usable_moves(&parsed, arguments).is_err() {
            continue;
        }
        own::remove(&mut parsed);
        let annotated = annotate(&mut searcher, arguments, &parsed, index, count);
        if interrupt::received() {
            let written = outputs.written;
            if written > 0 {
                outputs.finish()?;
            }
            return Err(format!("interrupted; games written: {written} of {count}"));
        }
        outputs.add(&annotated?, &parsed, index)?;
    }
    outputs.finish()?;
    Ok(if damaged { PARTLY } else { 0 })
}

/// What [`check`] has found.
struct Check {
    count: usize,
    /// The number of games that can be analysed.
    usable: usize,
    /// Whether some game cannot be read to its end.
    damaged: bool,
}

/// Reads all games to report damage before hours of work. The games are not stored: they need many times the memory of
/// their text.
fn check(bytes: &[u8], arguments: &Arguments, input: &str) -> Check {
    const MAX_MESSAGES: usize = 100;
    let mut reader = Reader::new(bytes);
    let mut found = Check { count: 0, usable: 0, damaged: false };
    let mut messages = 0;
    let mut report = |line: usize, game: usize, text: &str| {
        messages += 1;
        // Go on even if standard error is closed.
        let _ = match messages {
            ..=MAX_MESSAGES => writeln!(io::stderr(), "agoge: {input}, line {line}, game {game}: {text}"),
            _ if messages == MAX_MESSAGES + 1 => {
                writeln!(io::stderr(), "agoge: {input}: further messages are left out")
            }
            _ => Ok(()),
        };
    };
    while let Some(game) = reader.next_game() {
        found.count += 1;
        match usable_moves(&game, arguments) {
            Ok(end) => {
                found.usable += 1;
                for Warning { line, cause, cut } in game.all_warnings(end.as_ref()) {
                    found.damaged |= cut;
                    let rest =
                        if Some(line) == end.as_ref().map(|end| end.line) && cut { "; read up to there" } else { "" };
                    report(line, found.count, &format!("{cause}{rest}"));
                }
            }
            Err((line, error)) => {
                found.damaged = true;
                report(line, found.count, &format!("{error}; skipped"));
            }
        }
    }
    found
}

/// Whether a game can be analysed: why its moves end early, or the line and the cause if nothing of it can be read.
fn usable_moves(game: &ParsedGame, arguments: &Arguments) -> Result<Option<Warning>, (usize, String)> {
    let Replay { moves, end, .. } = game.replay_legal(arguments.variant).map_err(|error| (game.line, error))?;
    match end {
        // Perhaps this is not a game at all.
        Some(end) if moves.is_empty() && game.tags.is_empty() => Err((end.line, end.cause)),
        end => Ok(end),
    }
}
