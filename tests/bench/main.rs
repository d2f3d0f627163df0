//! The tests of the program `agoge-bench`, some of which run `agoge`, too.

mod common;
#[path = "../common/mailbox.rs"]
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
mod theory;
mod train;
mod xboard;
