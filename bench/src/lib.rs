//! Shared parts of the tools around the engine: benches, data generation, tuning and matches.

pub mod rng;
pub mod sample;
pub mod spsa;
pub mod tournament;
