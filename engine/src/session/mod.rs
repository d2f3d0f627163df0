//! The engine facade, its options, and the protocols.
//!
//! [`Engine`] is independent of the protocols. [`uci`] and [`cecp`] translate lines of text into calls to it.

pub mod about;
pub(crate) mod engine;
pub(crate) mod inbox;
mod output;
pub(crate) mod time_slice;

pub use agoge_core::options::{OptionValue, Options};
pub use engine::{Engine, EngineError, PositionError};
pub use output::Output;

/// The maximum time: thirty years. Longer times are clamped, so that arithmetic on times cannot overflow.
pub(crate) const MAX_SECONDS: u32 = 1_000_000_000;

#[cfg(test)]
/// A sample report for the tests of all protocols.
pub(crate) fn sample_report() -> agoge_core::search::Report {
    use agoge_core::search::{Bound, Report};
    use agoge_core::types::{Move, PieceType, Square, score::Score};
    Report {
        depth: 12,
        seldepth: 20,
        multi_pv: 1,
        score: Score::Cp(-34),
        bound: Bound::Exact,
        wdl: [100, 500, 400],
        nodes: 5_000_000,
        tb_hits: 12,
        time: std::time::Duration::from_millis(2500),
        hashfull: 17,
        pv: vec![Move::promotion(Square::A2, Square::A1, PieceType::Warlord), Move::normal(Square::E1, Square::E2)],
    }
}
