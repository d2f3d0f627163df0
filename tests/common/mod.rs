//! What several integration tests share.

pub mod uci;
