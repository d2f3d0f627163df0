//! The Universal Chess Interface, without threads and input: [`parse`] reads a line, [`Session`] executes it, and
//! [`Message`] is what it writes.

mod command;
mod message;
mod session;
mod task;

pub use command::{Command, Go, MAX_SECONDS, Task, parse};
pub use message::Message;
pub use session::{Output, Session, about};
pub use task::Work;

/// The name and the version of the engine.
pub const NAME: &str = concat!("Agoge ", env!("CARGO_PKG_VERSION"));

/// The authors.
pub const AUTHOR: &str = "the Agoge developers";
