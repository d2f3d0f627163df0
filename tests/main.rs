//! The tests of the program `agoge`.

#[path = "../engine/core/build.rs"]
mod build_script;
mod common;

mod analyse;
mod book;
mod cecp;
mod cecp_thinking;
mod cecp_torture;
mod commands;
mod epd;
mod explore;
mod faults;
mod fen;
mod go;
mod gui;
mod gui_store;
mod interrupts;
mod network;
mod openbench;
mod perft;
mod pgn;
mod properties;
mod rules;
mod search;
#[cfg(unix)]
mod tables;
mod torture;
mod uci;
