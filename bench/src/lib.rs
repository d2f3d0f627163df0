//! Shared parts of the tools around the engine: matches, data and tuning.

pub mod rng;
pub mod sample;
