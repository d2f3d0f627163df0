//! The integration tests, in one program so that they are linked once.

mod common;

mod analyse;
mod cecp;
mod cecp_torture;
mod faults;
mod fen;
mod network;
mod perft;
mod properties;
mod rules;
mod search;
mod torture;
mod uci;
