//! crate doc
pub mod attacks;
pub mod board;
pub mod eval;
pub mod protocol;
pub mod search;
pub mod tools;
pub mod types;
