//! Endgame tables: what is found in them, and whether they are right. [`agoge_solver`] makes them, and the engine reads
//! them: see [`agoge_core::tables`].

pub mod embedded;
mod four_men;
mod run;
mod statistics;
mod study;
#[cfg(test)]
mod tests;
mod three_men;
mod verify;

pub use run::{Args, run};
pub use statistics::{Statistics, rows};
pub use study::{Theme, best_line, instructive};
pub use verify::check;
