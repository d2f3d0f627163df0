//! crate doc
pub mod attacks;
pub mod board;
pub mod eval;
pub mod search;
pub mod types;
