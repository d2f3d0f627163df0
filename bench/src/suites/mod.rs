//! Positions with known answers, and measurements of an engine on them.
//!
//! - [`task`]: what a search must find; [`suite`] measures how many it finds.
//! - [`solver`]: proves mates; [`mates`] collects them.
//! - [`tactics`]: collects positions with a single best move.
//! - [`conversion`]: plays won endgames.

pub mod conversion;
pub mod mates;
pub mod solver;
pub mod suite;
pub mod tactics;
pub mod task;
