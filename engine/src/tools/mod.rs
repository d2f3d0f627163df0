//! Commands of the binary that are no part of play: counting moves, measuring, and analysing games.

pub mod analyse;
pub mod analyst;
pub mod bench;
pub mod files;
pub mod graph;
pub mod perft;
pub mod progress;
pub mod speedtest;
