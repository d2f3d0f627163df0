//! Commands other than play: perft, bench, the speed test and the analysis of games.

pub mod analyse;
pub mod bench;
pub mod files;
pub mod graph;
pub mod perft;
pub mod progress;
pub mod speedtest;
