//! The board in the browser.
//!
//! - [`json`]: questions about the rules in JSON, which the page asks.
//! - [`server`]: the server of `agoge gui` (feature `server`).
//!
//! The package `agoge-wasm` has the engine in WebAssembly, for the page without a server.

pub mod json;
#[cfg(feature = "server")]
pub mod server;
