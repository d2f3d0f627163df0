//! The hand-made evaluation.

use crate::board::Board;
use crate::types::score::Value;
use crate::types::{Colour, PieceType};

/// placeholder until the real one lands
pub fn evaluate(board: &Board) -> Value {
    let mut v = 0;
    for k in PieceType::ALL {
        let x = [100, 300, 325, 500, 950, 0, 100, 320, 290, 720, 820][k.index()];
        v += x * (board.coloured(Colour::White, k).count() as i32 - board.coloured(Colour::Black, k).count() as i32);
    }
    if board.has_two_kings(Colour::Black) {
        v -= 450;
    }
    if board.side_to_move() == Colour::White { v } else { -v }
}

/// placeholder until the real one lands
pub fn explain(board: &Board) -> String {
    format!("Evaluation: {}", evaluate(board))
}
