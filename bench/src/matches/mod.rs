//! Matches between UCI engines, with the rules of [`agoge::board`] as the referee.
//!
//! - [`config`]: engines and their limits, parsed from the command line.
//! - [`openings`]: the starting positions and moves of games.
//! - [`schedule`]: the pairings, openings and colours of all games.
//! - [`uci`]: a UCI engine as a process, which may crash or hang at any time.
//! - [`game`]: one game: clocks, legality, adjudication.
//! - [`pgn`]: PGN output of games.
//! - [`stats`] and [`sprt`]: statistics of the results.
//! - [`standings`]: the results so far.
//! - [`runner`]: plays games concurrently.
//! - [`resume`]: reads the games already played.
//! - [`report`]: the final tables and the JSON report.
//! - [`fastchess`]: the command line and the output of fastchess.
//! - [`arguments`], `setup`, `games_file`, `progress` and [`command`]: the command `match`, which combines the
//!   others.
//!
//! The PGN file is the only state of a match: to resume it, `match` reads
//! the file and plays the games of the schedule that are missing.

pub mod arguments;
pub mod command;
pub mod config;
pub mod fastchess;
pub mod game;
mod games_file;
pub mod openings;
pub mod pgn;
mod progress;
pub mod report;
pub mod resume;
pub mod runner;
pub mod schedule;
mod setup;
pub mod sprt;
pub mod standings;
pub mod stats;
pub mod uci;
