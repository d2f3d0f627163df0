//! The network trainer: from game files to a file of quantised weights.
//!
//! - [`data`]: reads games and selects training positions.
//! - [`position`]: a training position in 40 bytes.
//! - [`net`]: the network in floating point.
//! - [`gradient`]: the loss and its gradient, which takes nearly all the time.
//! - [`optimiser`]: the optimiser.
//! - [`trainer`]: schedules, epochs and batches.
//! - [`checkpoint`]: saving and resuming.
//! - [`report`]: the table, the chart and the quantisation error.
//! - [`finish`]: the network file, and how it compares with its original and with another network.
//! - [`average`]: the command `average`.
//! - [`command`]: the command `train`.
//! - [`pack`]: the command `datagen pack`, for other trainers.
//!
//! The same data, configuration and seed give the same network bit for bit, regardless of the number of threads and of
//! interruptions.

pub mod average;
pub mod checkpoint;
pub mod command;
pub mod data;
pub mod finish;
pub mod gradient;
pub mod net;
pub mod optimiser;
pub mod pack;
pub mod position;
pub mod report;
pub mod trainer;
