//! Endgame tables: solving classes, checking and writing their files. The engine reads them: see [`agoge_core::tables`].

mod classes;
mod encode;
mod known;
mod moves;
mod run;
mod solve;
mod solved;
mod statistics;
mod store;
mod study;
#[cfg(test)]
mod tests;
pub mod three_men;
mod verify;
mod write;

pub use classes::{all_classes, in_order};
pub use moves::{Conversion, Material, Step};
pub use run::{Args, run};
pub use solve::Solver;
pub use solved::{Slice, Solved, board};
pub use statistics::{Statistics, rows};
pub use store::Store;
pub use study::{Theme, best_line, instructive};
pub use verify::check;
pub use write::contents;
