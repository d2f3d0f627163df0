//! Agoge, a Spartan Chess engine: its commands and protocols. The engine itself is the package `agoge-core`.
//!
//! - [`session`]: input, output, and the session of UCI.
//! - [`uci`]: UCI as vampirc-uci reads and writes it.
//! - [`cecp`]: XBoard's protocol.
//! - [`commands`]: the commands of the program, such as `agoge analyse`.
//! - [`tables`]: the endgame tables of the user.

pub mod cecp;
pub mod commands;
pub mod session;
pub mod tables;
pub mod uci;
