//! Shared parts of the tools around the engine: benches, data generation and tuning.

pub mod rng;
pub mod sample;
pub mod tournament;
