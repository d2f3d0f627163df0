//! Commands other than play: perft, bench, the speed test, openings for data generation and the analysis of games.

#[cfg(feature = "analyse")]
pub mod analyse;
#[cfg(any(feature = "analyse", feature = "gui"))]
pub mod arguments;
pub mod bench;
#[cfg(feature = "analyse")]
pub mod files;
pub mod genfens;
#[cfg(feature = "analyse")]
pub mod graph;
pub mod perft;
#[cfg(feature = "analyse")]
pub mod progress;
pub mod speedtest;
