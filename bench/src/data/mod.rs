//! Self-play games for tuning and training, and books of openings. See bench/DATA.md.
//!
//! - [`record`]: the file format of games.
//! - [`game`] and [`play`]: plays games on all cores, from the positions of [`starts`].
//! - [`import`]: reads games from PGN, such as those of OpenBench.
//! - [`transform`], [`stats`] and `charts`: merge, shuffle, verify and summarise files of games.
//! - [`openings`]: books of openings for matches.

mod charts;
pub mod game;
pub mod import;
pub mod openings;
pub mod play;
pub mod record;
pub mod stats;
pub mod transform;

pub use agoge_core::notation::starts;

use crate::terminal::{CommandResult, Error, print_message, unreadable, unwritable};
use crate::train::pack;
use clap::{Args, Subcommand};
use record::{GameRecord, Header, Reader, RecordError, Writer};
use std::fs;
use std::path::{Path, PathBuf};

/// From this halfmove clock on, games are often drawn by the fifty-move rule, which a network does not see: positions
/// are not learnt, and `play` searches them as in a match.
pub const HIGH_CLOCK: u16 = 20;

#[derive(Args)]
pub struct BookOptions {
    /// The book
    #[arg(long)]
    out: PathBuf,
    /// The seed of all games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Hash table of each search in MiB
    #[arg(long, default_value_t = 8)]
    hash: usize,
}

#[derive(Subcommand)]
pub enum Datagen {
    /// Play games; exits with status 130 if interrupted
    Play(play::Arguments),
    /// Read games from PGN, such as those of OpenBench; games that break the rules are dropped
    Import(import::Arguments),
    /// Merge files into one, without duplicate games
    Merge(transform::Merge),
    /// Shuffle the games of a file
    Shuffle(transform::Shuffle),
    /// Write the positions that `train` would learn from as packed records, for trainers outside this program
    Pack(pack::Arguments),
    /// Replay all games and check them against the rules; exits with status 1 on any error
    Verify(transform::Verify),
    /// Count positions by men, kings, score and result
    Stats(stats::Arguments),
}

pub fn run(command: &Datagen) -> CommandResult {
    match command {
        Datagen::Play(arguments) => play::run(arguments),
        Datagen::Import(arguments) => import::run(arguments),
        Datagen::Merge(arguments) => transform::merge(arguments),
        Datagen::Shuffle(arguments) => transform::shuffle(arguments),
        Datagen::Pack(arguments) => pack::run(arguments),
        Datagen::Verify(arguments) => transform::verify(arguments),
        Datagen::Stats(arguments) => stats::run(arguments),
    }
}

/// Removes a file of games in which not even the header was written as a whole: a generator killed before its first
/// write leaves an empty one, and a machine that fails one of zeros. Returns whether it was one.
///
/// # Errors
/// If it cannot be read or removed.
pub fn remove_blank(path: &Path, header: &Header) -> Result<bool, Error> {
    if !Writer::is_blank(path, header).map_err(unreadable(path))? {
        return Ok(false);
    }
    let length = fs::metadata(path).map_or(0, |found| found.len());
    if length > 0 {
        print_message(&format!("{}: removed {length} bytes of an incomplete header", path.display()));
    }
    fs::remove_file(path).map_err(unwritable(path))?;
    Ok(true)
}

/// The header and the games of a file. An incomplete block at the end, because the writer was killed or is still
/// running, is reported but not an error.
///
/// # Errors
/// If the file has no valid header. The iterator ends with an error if a block is damaged.
pub fn read_games(path: &Path) -> Result<(Header, impl Iterator<Item = Result<GameRecord, Error>>), Error> {
    let reader = Reader::open(path).map_err(unreadable(path))?;
    let header = reader.header().clone();
    let games = reader.filter_map(move |game| match game {
        Err(error @ RecordError::Truncated { .. }) => {
            print_message(&format!("{}: {error}", path.display()));
            None
        }
        game => Some(game.map_err(unreadable(path))),
    });
    Ok((header, games))
}
