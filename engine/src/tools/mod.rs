//! Commands of the program besides play: perft, bench and the analysis of games.

pub mod analyse;
pub mod analyst;
pub mod bench;
pub mod files;
pub mod graph;
pub mod perft;
pub mod progress;
pub mod speedtest;
