//! Endgame tables: solving classes, checking and writing their files. The engine reads them: see [`agoge::tables`].

mod classes;
mod encode;
mod moves;
mod run;
mod solve;
mod solved;
mod statistics;
mod store;
pub mod tablebase;
#[cfg(test)]
mod tests;
mod three_men;
mod verify;
mod write;

pub use classes::{all_classes, in_order};
pub use moves::{Conversion, Material, Step};
pub use run::{Args, run};
pub use solve::Solver;
pub use solved::{Slice, Solved, board};
pub use statistics::{Statistics, rows};
pub use store::{Store, StoreError};
pub use three_men::three_men;
pub use verify::check;
pub use write::contents;
