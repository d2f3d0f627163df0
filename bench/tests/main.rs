//! The tests of the programs, in one program so that they are linked once.

mod common;

mod conversion;
mod datagen;
#[cfg(unix)]
#[path = "match.rs"]
mod matches;
#[cfg(target_os = "linux")]
mod output;
#[cfg(unix)]
mod spsa;
mod suites;
mod train;
