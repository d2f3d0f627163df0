//! Exact values of endgames.

use super::worker::Worker;
use crate::board::{Board, FIFTY_MOVES};
use crate::tables::{self, Tables, Wdl};
use crate::types::score::{DRAW, MAX_PLY, TABLE_WIN, Value, mate_in, mated_in};

impl Worker<'_> {
    /// The exact value of a position, if it is known. `depth` is the remaining depth of the search.
    #[inline]
    pub(super) fn probe_tables(&mut self, board: &Board, ply: usize, depth: i32) -> Option<Value> {
        if board.occupied().count() > self.probe_men {
            return None;
        }
        let value = self.look_up(board, ply, depth)?;
        self.tb_hits += 1;
        Some(value)
    }

    #[cold]
    fn look_up(&self, board: &Board, ply: usize, depth: i32) -> Option<Value> {
        let settings = &self.search.job.settings;
        let men = board.occupied().count();
        let is_too_shallow = men == settings.table_men() && depth < settings.options.table_probe_depth as i32;
        let tables = if is_too_shallow { Tables::embedded() } else { settings.tables_for(board) };
        search_value(tables.value(board)?, board.halfmove_clock(), ply)
    }
}

/// The search value of a mate in some plies; `None` beyond the maximum ply.
fn mate_value(is_win: bool, plies: u16, ply: usize) -> Option<Value> {
    let end = ply + usize::from(plies);
    (end < MAX_PLY).then(|| if is_win { mate_in(end) } else { mated_in(end) })
}

/// The search value of a position in the tables. Wins and losses that the fifty-move rule makes draws differ from draws
/// as little as possible. `None` if the value does not say whether the fifty-move rule comes first.
fn search_value(value: tables::Value, halfmove_clock: u16, ply: usize) -> Option<Value> {
    let is_win = match value.result_at(halfmove_clock)? {
        Wdl::Draw => return Some(DRAW),
        Wdl::CursedWin => return Some(DRAW + 1),
        Wdl::BlessedLoss => return Some(DRAW - 1),
        Wdl::Win => true,
        Wdl::Loss => false,
    };
    let mate = value.dtm.filter(|&plies| halfmove_clock.saturating_add(plies) <= FIFTY_MOVES);
    if let Some(mate) = mate.and_then(|plies| mate_value(is_win, plies, ply)) {
        return Some(mate);
    }
    let dtz = value.dtz?;
    let far = TABLE_WIN - Value::from(value.dtm.unwrap_or(dtz));
    Some(if is_win { far } else { -far })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::{MATE, MATE_IN_MAX, MAX_EVAL, Score};

    #[test]
    fn values_of_the_search() {
        let at = |value, clock, ply| search_value(value, clock, ply).expect("a value");
        let win = tables::Value { wdl: Wdl::Win, dtz: Some(11), dtm: Some(21) };
        assert_eq!(at(win, 0, 4), MATE - 25);
        assert_eq!(Score::from(at(win, 0, 0)), Score::Mate(11));
        // The mate might come too late, but the next capture does not.
        let late = at(win, 85, 4);
        assert!(late < MATE_IN_MAX && late > MAX_EVAL);
        assert_eq!(at(win, 90, 4), DRAW + 1);
        let loss = tables::Value { wdl: Wdl::Loss, dtz: Some(10), dtm: None };
        assert!(at(loss, 0, 4) < -MAX_EVAL);
        assert_eq!(at(loss, 91, 4), DRAW - 1);
        // Faster wins are better, also beyond the maximum ply.
        let far = |dtm| at(tables::Value { wdl: Wdl::Win, dtz: Some(50), dtm: Some(dtm) }, 0, 100);
        assert!(far(27) > far(29) && far(29) > far(501));
        // The embedded table does not tell what comes before the mate.
        let embedded = tables::Value { dtz: None, ..win };
        assert_eq!(search_value(embedded, 79, 4), Some(MATE - 25));
        assert_eq!(search_value(embedded, 80, 4), None);
    }
}
