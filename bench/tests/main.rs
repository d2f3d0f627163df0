//! The tests of the programs, in one test binary so that they are linked only once.

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
mod tables;
mod train;
