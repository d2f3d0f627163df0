//! Shared code of the tools around the engine: benchmarks, data generation, tuning and matches.

pub mod analysis;
pub mod cli;
pub mod collection;
pub mod conversion;
pub mod endgame;
pub mod epd;
pub mod files;
pub mod mate;
pub mod record;
pub use agoge::rng;
pub mod sample;
pub mod spsa;
pub mod starts;
pub mod suite;
pub mod tournament;
pub mod training;
