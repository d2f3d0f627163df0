//! Positions with known answers, and measurements of an engine on them.
//!
//! - [`task`]: what a search must find; [`suite`] measures how many it finds.
//! - [`solver`]: proves mates; [`mates`] collects them.
//! - [`tactics`]: collects positions with a single best move.
//! - [`endgame`]: solves endgames by retrograde analysis; [`conversion`] plays them, [`tablebase`] writes the file that
//!   the engine embeds.

pub mod conversion;
pub mod endgame;
pub mod mates;
pub mod solver;
pub mod suite;
pub mod tablebase;
pub mod tactics;
pub mod task;
