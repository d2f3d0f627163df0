//! Matches between UCI engines, with the rules of [`agoge::board`] as the referee.
//!
//! - [`config`]: engines and their limits, as they are written on the command line.
//! - [`openings`]: where games begin.
//! - [`schedule`]: who plays whom, from which opening, with which colours.
//! - [`uci`]: an engine as a process that may crash or hang at any time.
//! - [`game`]: one game: clocks, legality, adjudication.
//! - [`pgn`]: games as text, in and out.
//! - [`stats`] and [`sprt`]: what the results mean.
//! - [`standings`]: the results so far, added up.
//! - [`runner`]: games at the same time.
//! - [`resume`]: what has been played already.
//! - [`report`]: the final table and JSON.
//!
//! The binary `match` puts them together. The PGN file is the only record of a match: to resume one
//! is to read it and to play what the schedule has and the file has not.

pub mod config;
pub mod game;
pub mod openings;
pub mod pgn;
pub mod report;
pub mod resume;
pub mod runner;
pub mod schedule;
pub mod sprt;
pub mod standings;
pub mod stats;
pub mod uci;
