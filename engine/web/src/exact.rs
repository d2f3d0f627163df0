//! Exact results of positions and moves, from endgame tables.

use agoge_core::board::Board;
use agoge_core::tables::{RankedMove, Value, Wdl};
use agoge_core::types::Move;
use serde::Serialize;

/// A move, its SAN and the position after it.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// In coordinate notation.
    #[serde(rename = "move")]
    pub mv: String,
    pub san: String,
    pub fen: String,
}

/// The result for the side to move.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Exact {
    /// With the fifty-move rule: `win`, `cursed win`, `draw`, `blessed loss` or `loss`; `None` if no table has it.
    pub result: Option<&'static str>,
    /// The moves of the winner to mate, without the fifty-move rule.
    pub mate: Option<u16>,
}

/// A move of a position of the tables.
#[derive(Clone, Debug, Serialize)]
pub struct ExactMove {
    #[serde(flatten)]
    pub step: Step,
    /// For the side that moves.
    #[serde(flatten)]
    pub exact: Exact,
    /// The plies to the next move that cannot be taken back, after this one.
    pub zeroing: Option<u16>,
}

impl Step {
    /// Makes a legal move on a board.
    pub fn make(board: &mut Board, mv: Move) -> Self {
        let san = board.to_san(mv);
        board.make_move(mv);
        Self { mv: mv.to_string(), san, fen: board.to_fen() }
    }
}

impl Exact {
    /// That of a position with a halfmove clock; `None` if it depends on an unknown distance to zeroing, see
    /// [`Value::result_at`].
    pub fn of(value: Value, clock: u16) -> Option<Self> {
        let result = value.result_at(clock)?;
        let mate = value.dtm.filter(|_| value.wdl != Wdl::Draw).map(|plies| plies.div_ceil(2));
        Some(Self { result: Some(result.name()), mate })
    }
}

impl ExactMove {
    /// That of a move of [`agoge_core::tables::Tables::ranked_moves`].
    pub fn of(board: &Board, ranked: &RankedMove) -> Self {
        let exact = Exact { result: ranked.result.map(Wdl::name), mate: ranked.mate };
        Self { step: Step::make(&mut board.clone(), ranked.mv), exact, zeroing: ranked.dtz }
    }
}
