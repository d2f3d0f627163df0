//! The commands other than play: perft, openings for data generation, the analysis of games, the board in the browser.

pub mod analyse;
pub mod arguments;
pub mod files;
pub mod genfens;
pub mod graph;
pub mod gui;
pub mod perft;
pub mod progress;
