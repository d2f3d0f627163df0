//! Commands of the binary that are no part of play: counting moves and measuring.

pub mod bench;
pub mod perft;
