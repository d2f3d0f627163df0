//! crate doc
pub mod attacks;
pub mod board;
pub mod types;
