//! The engines of a match as processes, which may crash or hang at any time.
//!
//! A thread reads an engine's output and records the arrival time of each line, so that the time of a move does not
//! depend on when the line is processed. All times come from a monotonic clock.
//!
//! No output of an engine can take unbounded time or memory: lines are truncated, the queue of lines is bounded, and
//! only lines that report progress extend a deadline.

mod connection;
mod process;
mod search;
pub mod uci;
mod xboard;

pub use connection::Log;
pub use process::processors;

use super::clock::Clock;
use super::config::{EngineConfig, Protocol};
use crate::errln;
use agoge_core::board::{Board, Variant};
use agoge_core::types::Move;
use agoge_core::types::score::Score;
use regex_lite::Regex;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use uci::UciEngine;
use xboard::XBoardEngine;

/// Why an engine did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It exited or closed its output.
    Crash(String),
    /// It did not answer in time.
    Stall(String),
    /// It lacks an option or the variant that the match requires.
    Unsupported(String),
    /// It does not accept the game: it rejects a legal move or claims a wrong result.
    Dispute(String),
    /// The match has been stopped; not a fault of the engine.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(details) | Self::Stall(details) | Self::Unsupported(details) | Self::Dispute(details) => {
                f.write_str(details)
            }
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

/// The settings common to all engines of a match.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    pub variant: Variant,
    /// The stall timeout: an engine hangs if it does not answer within this time after its allowance, or searches
    /// without a clock and makes no progress for this time.
    pub stall_timeout: Duration,
    pub log: Option<Arc<Log>>,
    /// The lines of a search to keep for the games.
    pub kept_lines: Vec<Regex>,
    /// Whether options that an engine lacks are skipped with a warning instead of being an error.
    pub skip_unknown_options: bool,
}

impl MatchConfig {
    /// The settings of a variant: a stall timeout of a minute, no log, no kept lines.
    pub const fn new(variant: Variant) -> Self {
        Self {
            variant,
            stall_timeout: Duration::from_secs(60),
            log: None,
            kept_lines: Vec::new(),
            skip_unknown_options: false,
        }
    }

    /// Skips an option that an engine lacks, with a warning.
    ///
    /// # Errors
    /// If such options are not to be skipped.
    fn skip_option(&self, engine: &str, option: &str) -> Result<(), Failure> {
        if !self.skip_unknown_options {
            return Err(Failure::Unsupported(format!("{engine} has no option '{option}'")));
        }
        errln!("Warning; {engine} doesn't have option {option}");
        Ok(())
    }
}

/// What an engine says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// Its name; empty if it does not give one.
    pub name: String,
    /// Its author; empty if it does not give one.
    pub author: String,
    /// The names of its options and the rest of their lines, from the type on.
    options: Vec<(String, String)>,
}

impl Identity {
    /// The rest of the line of an option, if the engine has it.
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter();
        options.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, rest)| rest.as_str())
    }

    fn add_option(&mut self, name: &str, rest: &str) {
        // Bounds the memory for an engine that never stops listing options.
        if self.options.len() < 10_000 {
            self.options.push((name.trim().to_owned(), rest.to_owned()));
        }
    }

    /// The default value of an option of UCI, if the engine has it.
    pub fn default_value(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.option(name)?.split_once("default ")?;
        let end = [" min ", " max ", " var "].iter().filter_map(|word| rest.find(word)).min();
        Some(rest[..end.unwrap_or(rest.len())].trim())
    }
}

/// The contents of a line about a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// The score from the engine's view.
    pub score: Option<Score>,
    pub depth: u32,
    pub seldepth: u32,
    pub nodes: u64,
    pub(super) is_bound: bool,
    /// Whether it is about the first line of multi-PV.
    pub(super) is_main: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The move in coordinate notation, not validated; `None` if the engine resigns.
    pub best: Option<String>,
    /// The time from the command to the answer.
    pub time: Duration,
    /// The last report on the first line.
    pub info: Info,
    /// The lines that match [`MatchConfig::kept_lines`].
    pub lines: Vec<String>,
    /// Whether the engine has sent a move for which it was not asked since its last search, for example the same one
    /// twice.
    pub has_unasked_move: bool,
}

/// A position for an engine to search.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    pub start: &'a Board,
    /// The moves since then.
    pub moves: &'a [Move],
    /// The position after them.
    pub board: &'a Board,
    pub clocks: &'a [Clock; 2],
}

impl Turn<'_> {
    /// The clock of the side to move.
    pub fn clock(&self) -> &Clock {
        &self.clocks[self.board.side_to_move().index()]
    }
}

/// Starts an engine and sets its options.
///
/// # Errors
/// If it cannot be started, does not speak its protocol, lacks an option, or does not play the variant: all variants
/// except orthodox chess must be listed in its option `UCI_Variant` or its feature `variants`.
pub fn start(config: &EngineConfig, match_config: &MatchConfig, stop: &AtomicBool) -> Result<Box<dyn Engine>, Failure> {
    Ok(match config.protocol {
        Protocol::Uci => Box::new(UciEngine::start(config, match_config, stop)?),
        Protocol::XBoard => Box::new(XBoardEngine::start(config, match_config, stop)?),
    })
}

/// A running engine, whatever its protocol.
pub trait Engine: fmt::Debug + Send {
    /// What the engine says about itself.
    fn identity(&self) -> &Identity;

    /// Whether the engine can play another game.
    fn is_alive(&self) -> bool;

    /// Prepares the engine for a new game that starts at a position.
    ///
    /// # Errors
    /// If it is not ready in time or cannot set up the position.
    fn new_game(&mut self, start: &Board, stop: &AtomicBool) -> Result<(), Failure>;

    /// Sets an option without checking that it exists. It takes effect from the next game on.
    ///
    /// # Errors
    /// If the engine has exited.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Failure>;

    /// Lets the engine search when it has done everything else that it was told, for which it is given time. Output
    /// from before the search is dropped. After the allowance of its clock the answer is too late: the engine is told
    /// to move, and its answer is still returned with its time. Without an allowance the engine may search as long as
    /// it makes progress (its reported depth or nodes increase), but at most ten times the stall timeout.
    ///
    /// # Errors
    /// If the engine exits, does not answer in time or does not accept the game.
    fn search(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<SearchResult, Failure>;

    /// Lets the engine ponder after its move, if it is to and has predicted the opponent's move. An engine with
    /// XBoard's protocol ponders of its own accord.
    ///
    /// # Errors
    /// If the engine exits or is not ready in time.
    fn ponder(&mut self, _turn: &Turn<'_>, _stop: &AtomicBool) -> Result<(), Failure> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_values() {
        let identity = |rest: &str| Identity { options: vec![("Hash".into(), rest.into())], ..Identity::default() };
        for (rest, value) in [
            ("spin default 16 min 1 max 1024", Some("16")),
            ("combo default spartan var spartan var chess", Some("spartan")),
            ("string default a b", Some("a b")),
            ("button", None),
        ] {
            assert_eq!(identity(rest).default_value("hash"), value, "{rest}");
        }
        assert_eq!(identity("button").default_value("Threads"), None);
    }
}
