//! The trainer of the network: from files of games to a file of quantised weights.
//!
//! - [`data`]: reads games and picks the positions that are worth learning.
//! - [`position`]: such a position in 32 bytes.
//! - [`net`]: the network in floating point.
//! - [`gradient`]: the loss and its slope, which takes nearly all the time.
//! - [`adamw`]: the optimiser.
//! - [`trainer`]: schedules, epochs, batches.
//! - [`checkpoint`]: to go on another day.
//! - [`report`]: table, picture, quantisation error.
//!
//! The same data, configuration and seed give the same network bit for bit, whatever the number of
//! threads and however often the training was interrupted.

pub mod adamw;
pub mod checkpoint;
pub mod data;
pub mod gradient;
pub mod net;
pub mod position;
pub mod report;
pub mod trainer;
