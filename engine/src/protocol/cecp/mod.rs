//! The Chess Engine Communication Protocol, version 2, which XBoard and WinBoard speak.
//!
//! Unlike UCI it leaves the game to the engine: which side it plays, its clock, when it thinks, what
//! was played, and when it is over. The thread of the session takes the lines from the inbox one by
//! one and never waits for a search. A search leaves its answer on a desk and wakes the session up,
//! which makes the move, tells the result if the game is over, and ponders.
//!
//! While the engine is on move, commands that would disturb it and can wait (`ping`, `memory`, `cores`,
//! `option`) are done after its move, those that end its thinking at once.

mod clock;
mod command;
mod edit;
mod features;
mod play;
mod record;
mod session;
mod setup;
mod thinking;

pub use session::Session;
