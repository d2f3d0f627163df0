//! Checking values against those of the positions after each move.
//!
//! The check uses the engine's board and move generator and the engine's reader of the files, nothing of the solver. By
//! induction over the distance, a table in which every value follows from its successors' is correct, if all its
//! successors are.

use agoge_core::board::Board;
use agoge_core::board::FIFTY_MOVES;
use agoge_core::tables::{Tables, Value, Wdl};

/// The value that follows from those after the moves; `None` if one of them is not in the tables. The distance to
/// zeroing is `None` where it does not follow: in some cursed wins and blessed losses.
fn from_moves(board: &Board, tables: &Tables) -> Option<(Value, Option<u16>)> {
    let moves = board.legal_moves();
    if moves.is_empty() {
        let mated = Value { wdl: Wdl::Loss, dtz: Some(0), dtm: Some(0) };
        return Some(if board.in_check() { (mated, Some(0)) } else { (Value::DRAW, Some(0)) });
    }
    let mut options = Vec::new();
    for mv in moves {
        let next = board.after(mv);
        let after = tables.value(&next)?;
        let zeroing = next.halfmove_clock() == 0;
        let dtz = if zeroing { 1 } else { after.dtz? + 1 };
        let wdl = match after.wdl.negated() {
            Wdl::Win if dtz > FIFTY_MOVES => Wdl::CursedWin,
            Wdl::Loss if dtz > FIFTY_MOVES => Wdl::BlessedLoss,
            wdl => wdl,
        };
        // The unlimited distance of a position decided within fifty moves is not in the tables.
        let is_known = zeroing || after.wdl.negated() == wdl;
        options.push((wdl, dtz, is_known, after.dtm));
    }
    let wdl = options.iter().map(|&(wdl, ..)| wdl).max()?;
    let (mut dtz, mut dtm) = (Vec::new(), Vec::new());
    let mut is_exact = true;
    for &(option, distance, is_known, mate) in &options {
        // Without the fifty-move rule, a win is a win.
        if option.is_win() == wdl.is_win() && option.is_loss() == wdl.is_loss() {
            dtm.push(mate? + 1);
            is_exact &= is_known || matches!(wdl, Wdl::Win | Wdl::Loss);
            if option == wdl || !matches!(wdl, Wdl::Win) {
                is_exact &= option == wdl;
                dtz.push(distance);
            }
        }
    }
    let best =
        |distances: Vec<u16>| if wdl.is_win() { distances.into_iter().min() } else { distances.into_iter().max() };
    let (dtz, dtm) = (best(dtz)?, best(dtm)?);
    if wdl == Wdl::Draw {
        return Some((Value::DRAW, Some(0)));
    }
    Some((Value { wdl, dtz: Some(dtz), dtm: Some(dtm) }, is_exact.then_some(dtz)))
}

/// Checks the value of a position.
///
/// # Errors
/// If the tables lack the position or one after a move, or if the value does not follow; the message has the position
/// and both values.
pub fn check(board: &Board, tables: &Tables) -> Result<(), String> {
    let missing = || format!("{}: no table", board.to_fen());
    let value = tables.value(board).ok_or_else(missing)?;
    let (expected, dtz) = from_moves(board, tables).ok_or_else(missing)?;
    if value.wdl == expected.wdl && value.dtm == expected.dtm && (dtz.is_none() || value.dtz == dtz) {
        return Ok(());
    }
    Err(format!("{}: {value:?}, but the moves lead to {expected:?}", board.to_fen()))
}
