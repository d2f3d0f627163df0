//! Exact values of endgames: the embedded table of three men and the tables in files.

use super::worker::Worker;
use crate::board::Board;
use crate::tables::{self, FIFTY_MOVES, Wdl};
use crate::three_men;
use crate::types::score::{DRAW, MAX_PLY, TABLE_WIN, Value, mate_in, mated_in};

impl Worker {
    /// The exact value of a position, if it is known. `depth` is the remaining depth of the search.
    #[inline]
    pub(super) fn probe_tables(&mut self, board: &Board, ply: usize, depth: i32) -> Option<Value> {
        if board.occupied().count() > self.probe_men {
            return None;
        }
        let value = self.probe_embedded(board, ply).or_else(|| self.probe_files(board, ply, depth))?;
        self.tb_hits += 1;
        Some(value)
    }

    /// The value in the embedded table. Not if the fifty-move rule may come first, nor beyond the maximum ply.
    #[cold]
    fn probe_embedded(&self, board: &Board, ply: usize) -> Option<Value> {
        let plies = match three_men::probe(board)? {
            three_men::Dtm::Draw => return Some(DRAW),
            three_men::Dtm::Win(plies) | three_men::Dtm::Loss(plies) => u16::from(plies),
        };
        if board.halfmove_clock() + plies > FIFTY_MOVES {
            return None;
        }
        mate_value(!plies.is_multiple_of(2), plies, ply)
    }

    #[cold]
    fn probe_files(&self, board: &Board, ply: usize, depth: i32) -> Option<Value> {
        let settings = &self.search.job.settings;
        let men = board.occupied().count();
        if men > self.table_men || men == self.table_men && depth < settings.probe_depth {
            return None;
        }
        let value = settings.tables.as_ref()?.value(board)?;
        Some(search_value(value, board.halfmove_clock(), ply))
    }
}

/// The search value of a mate in some plies; `None` beyond the maximum ply.
fn mate_value(is_win: bool, plies: u16, ply: usize) -> Option<Value> {
    let end = ply + usize::from(plies);
    (end < MAX_PLY).then(|| if is_win { mate_in(end) } else { mated_in(end) })
}

/// The search value of a position in the tables. Wins and losses that the fifty-move rule makes draws differ from draws
/// as little as possible.
fn search_value(value: tables::Value, halfmove_clock: u16, ply: usize) -> Value {
    let is_win = match value.result_at(halfmove_clock) {
        Wdl::Draw => return DRAW,
        Wdl::CursedWin => return DRAW + 1,
        Wdl::BlessedLoss => return DRAW - 1,
        Wdl::Win => true,
        Wdl::Loss => false,
    };
    let mate = value.dtm.filter(|&plies| halfmove_clock.saturating_add(plies) <= FIFTY_MOVES);
    if let Some(mate) = mate.and_then(|plies| mate_value(is_win, plies, ply)) {
        return mate;
    }
    let far = TABLE_WIN - Value::from(value.dtm.unwrap_or(value.dtz));
    if is_win { far } else { -far }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::{MATE, MATE_IN_MAX, MAX_EVAL, Score};

    #[test]
    fn values_of_the_search() {
        let win = tables::Value { wdl: Wdl::Win, dtz: 11, dtm: Some(21) };
        assert_eq!(search_value(win, 0, 4), MATE - 25);
        assert_eq!(Score::from(search_value(win, 0, 0)), Score::Mate(11));
        // The mate might come too late, but the next capture does not.
        let late = search_value(win, 85, 4);
        assert!(late < MATE_IN_MAX && late > MAX_EVAL);
        assert_eq!(search_value(win, 90, 4), DRAW + 1);
        let loss = tables::Value { wdl: Wdl::Loss, dtz: 10, dtm: None };
        assert!(search_value(loss, 0, 4) < -MAX_EVAL);
        assert_eq!(search_value(loss, 91, 4), DRAW - 1);
        // Faster wins are better, also beyond the maximum ply.
        let far = |dtm| search_value(tables::Value { wdl: Wdl::Win, dtz: 50, dtm: Some(dtm) }, 0, 100);
        assert!(far(27) > far(29) && far(29) > far(501));
    }
}
