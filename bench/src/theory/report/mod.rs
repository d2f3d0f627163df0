//! `theory report`: the figures of `positions/OPENINGS.md`.
//!
//! - [`document`]: the parts of the document that the program writes.
//! - [`openings`]: what follows from the theory alone; [`short`]: short games.
//! - [`facts`]: what happens in a game; [`games`], [`kings`] and [`balance`] count it.
//! - [`tips`]: the inventor's tips, tested by [`features`] of the games.
//! - [`estimate`], [`text`]: error bars and tables.

mod balance;
mod document;
mod estimate;
mod facts;
mod features;
mod games;
mod kings;
mod openings;
mod short;
mod text;
mod tips;

use crate::data::read_games;
use crate::outln;
use crate::terminal::{CommandResult, Error, Status, print_message, unreadable, unwritable, usage};
use agoge_core::theory::Theory;
use balance::Match;
use clap::Args;
use document::Part;
use facts::Facts;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// The theory
    #[arg(default_value = "positions/theory.epd")]
    theory: PathBuf,
    /// The files of games from the theory
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Files of games from the initial position, each of another strength
    #[arg(long, value_name = "FILE", num_args = 1..)]
    balance: Vec<PathBuf>,
    /// Only this part
    #[arg(long, value_name = "NAME")]
    part: Option<String>,
    /// Write the parts into this document, which has their marks; by default they are printed
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// Compare the parts with those of the document instead; exits with status 1 if they differ
    #[arg(long, requires = "document")]
    check: bool,
}

/// The name of a part, and what makes it from the theory or from games.
type Maker<T> = (&'static str, fn(&T) -> String);

const OF_THEORY: [Maker<Theory>; 5] = [
    ("first-moves", openings::first_moves),
    ("replies", openings::replies),
    ("main-lines", openings::main_lines),
    ("only-moves", openings::only_moves),
    ("shortest-mates", |_| short::shortest_mates()),
];

const OF_GAMES: [Maker<[Facts]>; 12] = [
    ("endings", games::endings),
    ("hoplites", games::hoplites),
    ("pawns", games::pawns),
    ("castling", games::castling),
    ("exchanges", games::exchanges),
    ("kings", kings::kings),
    ("worth", kings::worth),
    ("promotions", kings::promotions),
    ("mistakes", short::mistakes),
    ("short-wins", short::short_wins),
    ("tips", tips::tips),
    ("quick-wins", tips::quick_wins),
];

const BALANCE: &str = "balance";

/// The games of a file, and its settings.
fn read(path: &Path) -> Result<(String, Vec<Facts>), Error> {
    let (header, records) = read_games(path)?;
    let facts = records.map(|record| Facts::of(record?).map_err(unreadable(path)));
    Ok((header.settings, facts.collect::<Result<_, _>>()?))
}

/// The names of files without folders.
fn names(paths: &[PathBuf]) -> String {
    let names = paths.iter().filter_map(|path| path.file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// The parts that can be made.
fn parts(arguments: &Arguments) -> Result<Vec<Part>, Error> {
    let is_wanted = |name: &&str| arguments.part.as_deref().is_none_or(|part| part == *name);
    let part = |name: &'static str, files: &str, text: &str| {
        let command = format!("agoge-bench theory report positions/theory.epd{files} --part {name}");
        Part { name, text: format!("`{command}`\n\n{text}") }
    };
    let text = fs::read_to_string(&arguments.theory).map_err(unreadable(&arguments.theory))?;
    let theory = Theory::parse(&text).map_err(unreadable(&arguments.theory))?;
    let mut parts = Vec::new();
    for (name, make) in OF_THEORY.iter().filter(|(name, _)| is_wanted(name)) {
        parts.push(part(name, "", &make(&theory)));
    }
    if !arguments.games.is_empty() && OF_GAMES.iter().any(|(name, _)| is_wanted(name)) {
        let mut games = Vec::new();
        for path in &arguments.games {
            games.extend(read(path)?.1);
        }
        let files = format!(" --games {}", names(&arguments.games));
        for (name, make) in OF_GAMES.iter().filter(|(name, _)| is_wanted(name)) {
            parts.push(part(name, &files, &make(&games)));
        }
    }
    if !arguments.balance.is_empty() && is_wanted(&BALANCE) {
        let read = |path: &PathBuf| {
            let (settings, games) = read(path)?;
            Ok(Match { nodes: balance::nodes_of(&settings), games })
        };
        let matches: Vec<Match> = arguments.balance.iter().map(read).collect::<Result<_, Error>>()?;
        let files = format!(" --balance {}", names(&arguments.balance));
        parts.push(part(BALANCE, &files, &balance::balance(&matches)));
    }
    match &arguments.part {
        Some(name) if parts.is_empty() => Err(usage(format!("there is no part '{name}' of these files"))),
        _ => Ok(parts),
    }
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let parts = parts(arguments)?;
    let Some(path) = &arguments.document else {
        parts.iter().for_each(|part| outln!("{}", part.marked()));
        return Ok(Status::Success.after_printing());
    };
    let mut document = fs::read_to_string(path).map_err(unreadable(path))?;
    let mut different = 0;
    for part in &parts {
        if !part.is_in(&document).map_err(unreadable(path))? {
            different += 1;
            if arguments.check {
                print_message(&format!("{}: the part '{}' differs", path.display(), part.name));
            }
            document = part.insert(&document).map_err(unreadable(path))?;
        }
    }
    if !arguments.check {
        crate::files::write_new(path, document.as_bytes(), true).map_err(unwritable(path))?;
    }
    outln!("parts: {}, {}: {different}", parts.len(), if arguments.check { "different" } else { "changed" });
    Ok(Status::of_check(!arguments.check || different == 0).after_printing())
}
