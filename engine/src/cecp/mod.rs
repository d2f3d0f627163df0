//! The Chess Engine Communication Protocol, version 2, of XBoard and WinBoard.
//!
//! Unlike in UCI the engine manages the game: the side it plays, its clock, when it thinks, the moves played, and the
//! end of the game. The session thread processes the lines of the inbox in order and waits for no search to end by
//! itself, except a short one for a hint. A search stores its answer in an `AnswerSlot` and wakes the session, which
//! makes the move, prints the result if the game is over, and ponders.
//!
//! While the engine is thinking about its move, `ping`, `memory`, `cores` and `option` are deferred until after the
//! move; commands that end its thinking are executed at once.

mod clock;
mod command;
mod edit;
mod features;
mod play;
mod session;
mod setup;
mod thinking;

pub use session::Session;
