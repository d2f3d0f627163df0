//! The integration tests, in a single binary to link only once.

mod common;

mod analyse;
mod cecp;
mod cecp_torture;
mod faults;
mod fen;
#[cfg(feature = "gui")]
mod gui;
mod network;
mod perft;
mod properties;
mod rules;
mod search;
mod torture;
mod uci;
