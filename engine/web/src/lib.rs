//! The board in the browser.
//!
//! - [`exact`]: results from endgame tables.
//! - [`explorer`]: what is known about a position: opening theory and exact endgames.
//! - [`json`]: questions about the rules in JSON, which the page asks.
//! - [`server`]: the server of `agoge gui` (feature `server`).
//! - `wasm`: the engine in WebAssembly, for the page without a server.

pub mod exact;
pub mod explorer;
pub mod json;
#[cfg(feature = "server")]
pub mod server;
#[cfg(any(test, target_family = "wasm"))]
mod wasm;
