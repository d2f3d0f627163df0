//! Matches between engines, with the rules of [`agoge_core::board`] as the referee.
//!
//! - [`config`]: engines and their limits, parsed from the command line.
//! - [`openings`]: the starting positions and moves of games.
//! - [`schedule`]: the pairings, openings and colours of all games.
//! - [`settings`]: all settings of a match.
//! - [`engine`]: the engines as processes, which may crash or hang at any time, with UCI or XBoard's protocol.
//! - [`clock`]: the clock of a side.
//! - [`game`]: one game: legality, adjudication.
//! - [`pgn`] and [`games_file`]: PGN output of games.
//! - [`stats`] and [`sprt`]: statistics of the results.
//! - [`standings`]: the results so far.
//! - [`processors`]: the processors to which games are bound.
//! - [`runner`]: plays games concurrently.
//! - [`resume`]: reads the games already played.
//! - [`arguments`], `setup`, [`report`] and [`command`]: the command `match`.
//! - [`fastchess`]: the same with the command line and the output of fastchess.
//!
//! The PGN file is the only state of a match: to resume it, `match` reads
//! the file and plays the games of the schedule that are missing.

pub mod arguments;
pub mod clock;
pub mod command;
pub mod config;
pub mod engine;
pub mod fastchess;
pub mod game;
pub mod games_file;
pub mod openings;
pub mod pgn;
pub mod processors;
pub mod report;
pub mod resume;
pub mod runner;
pub mod schedule;
pub mod settings;
mod setup;
pub mod sprt;
pub mod standings;
pub mod stats;
