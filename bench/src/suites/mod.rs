//! Positions with known answers, and measurements of an engine on them.
//!
//! - [`task`]: what a search must find; [`suite`] measures how many it finds.
//! - [`solver`]: proves mates; [`mates`] collects them.
//! - [`tactics`]: collects positions with a single best move.
//! - [`recheck`]: checks such files again, and removes lines.
//! - [`puzzles`]: makes the puzzles of the board in the browser.
//! - [`conversion`]: plays won endgames.

pub mod conversion;
pub mod mates;
pub mod puzzles;
pub mod recheck;
pub mod solver;
pub mod suite;
pub mod tactics;
pub mod task;
