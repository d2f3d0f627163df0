//! Endgame tables: solving classes by retrograde analysis and writing their files, which [`agoge_core::tables`] reads.
//!
//! A [`Store`] has the solved classes of a folder. A [`Plan`] says which of some classes are missing there and what
//! they take, and [`build`] solves them. [`Solver`] solves a single class.

mod classes;
mod encode;
mod error;
mod known;
mod moves;
mod plan;
mod solve;
mod solved;
mod store;
#[cfg(test)]
mod tests;
mod write;

pub use classes::{all_classes, in_order};
pub use encode::encode;
pub use error::Error;
pub use moves::{Conversion, Material, Step};
pub use plan::{Estimate, Plan, Progress, build};
pub use solve::Solver;
pub use solved::{Slice, Solved, board};
pub use store::Store;
pub use write::contents;
