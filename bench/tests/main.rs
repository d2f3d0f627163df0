//! The tests of the programs, in one test binary so that they are linked only once.

mod common;
#[path = "../../tests/common/mailbox.rs"]
#[allow(dead_code)]
mod mailbox;

mod conversion;
mod datagen;
#[cfg(unix)]
mod fastchess;
#[path = "match.rs"]
mod matches;
#[cfg(target_os = "linux")]
mod output;
#[cfg(unix)]
mod spsa;
mod suites;
mod tables;
mod tables_oracle;
mod train;
mod xboard;
