//! Choosing among the moves of a position in the tables.

use super::set::Tables;
use super::three_men;
use super::value::Wdl;
use crate::board::{Board, FIFTY_MOVES, Game, Outcome};
use crate::types::Move;

/// How good a move is for the side that makes it, greater for better ones: the result, whether the mate comes before the
/// fifty-move rule in any case, and distances.
type Rank = (Wdl, bool, i32, i32);

impl Tables {
    /// The moves of a game, out of some legal ones, that keep the best possible result and lead to it best: in wins the
    /// fastest ones, in losses the slowest ones, in draws all. The halfmove clock and repetitions count. `None` if the
    /// tables lack a position after a move, or there are no moves.
    pub fn best_moves(&self, game: &Game, moves: impl IntoIterator<Item = Move>) -> Option<Vec<Move>> {
        let rank = |mv: Move| {
            let mut next = game.clone();
            next.push(mv).ok()?;
            match next.outcome() {
                Some(outcome) if !matches!(outcome, Outcome::Checkmate { .. }) => Some((Wdl::Draw, false, 0, 0)),
                _ => self.rank(next.board()),
            }
        };
        let ranked: Vec<(Move, Rank)> = moves.into_iter().map(|mv| Some((mv, rank(mv)?))).collect::<Option<_>>()?;
        let best = ranked.iter().map(|&(_, rank)| rank).max()?;
        Some(ranked.into_iter().filter(|&(_, rank)| rank == best).map(|(mv, _)| mv).collect())
    }

    /// The first of the best moves of a position without regard to repetitions, for principal variations. `None` in draws.
    pub fn best_move(&self, board: &Board) -> Option<Move> {
        // The embedded table is many times as fast as a file.
        let tables = |board: &Board| if board.occupied().count() <= three_men::MEN { Self::embedded() } else { self };
        let moves = board.legal_moves();
        let rank = |mv: Move| {
            let after = board.after(mv);
            Some((tables(&after).rank(&after)?, mv))
        };
        let known: Vec<(Rank, Move)> = moves.iter().rev().filter_map(|&mv| rank(mv)).collect();
        let &(rank, mv) = known.iter().max_by_key(|(rank, _)| rank)?;
        // The tables may lack a bad move, such as the promotion to a minor piece.
        let is_best =
            known.len() == moves.len() || tables(board).value(board)?.result_at(board.halfmove_clock()) == Some(rank.0);
        (is_best && rank.0 != Wdl::Draw).then_some(mv)
    }

    /// The rank of a move, given the position after it.
    fn rank(&self, after: &Board) -> Option<Rank> {
        let value = self.value(after)?;
        let clock = after.halfmove_clock();
        let result = value.result_at(clock)?.negated();
        // Zeroing takes no longer than mate.
        let dtz = if clock == 0 { 0 } else { i32::from(value.dtz.or(value.dtm)?) };
        let dtm = value.dtm.map_or(0, i32::from);
        Some(match value.dtm {
            // Mate is the goal, as long as the fifty-move rule cannot come first. Each move of this kind shortens the way
            // to mate, and so does each move by the distance to zeroing the way to the next position: neither can go in
            // circles.
            Some(plies) if result == Wdl::Win && clock.saturating_add(plies) <= FIFTY_MOVES => (result, true, -dtm, 0),
            _ if result.is_win() => (result, false, -dtz, -dtm),
            _ => (result, false, dtm, dtz),
        })
    }
}
