//! Choosing among the moves of a position in the tables.

use super::set::Tables;
use super::three_men;
use super::value::Wdl;
use crate::board::{Board, FIFTY_MOVES, Game, Outcome};
use crate::types::Move;
use std::cmp::Reverse;

/// How good a move is for the side that makes it, greater for better ones: the result, whether the mate comes before
/// the fifty-move rule in any case, and distances.
type Rank = (Wdl, bool, i32, i32);

/// A legal move with its exact result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// A legal move.
    pub mv: Move,
    /// For the side that makes the move, with the fifty-move rule and repetitions; `None` if the tables lack it.
    pub result: Option<Wdl>,
    /// The moves to mate of the side that wins, this one included, without the fifty-move rule; `None` if it is
    /// unknown, or in draws.
    pub mate: Option<u16>,
    /// The distance to zeroing after the move, see [`Value::dtz`](super::Value::dtz); `None` if it is unknown, or in
    /// draws.
    pub dtz: Option<u16>,
}

impl Tables {
    /// All moves of a game, the best one first, see [`Self::best_moves`]; those without a result come last.
    pub fn ranked_moves(&self, game: &Game) -> Vec<RankedMove> {
        let board = game.board();
        let of = |&mv: &Move| {
            let rank = self.rank_of(game, mv);
            let result = rank.map(|(result, ..)| result);
            let is_decisive = result.is_some_and(|result| result != Wdl::Draw);
            let value = self.value(&board.after(mv)).filter(|_| is_decisive);
            let mate = value.and_then(|value| value.dtm).map(|plies| (plies + 1).div_ceil(2));
            (rank, RankedMove { mv, result, mate, dtz: value.and_then(|value| value.dtz) })
        };
        let mut ranked: Vec<(Option<Rank>, RankedMove)> = board.legal_moves().iter().map(of).collect();
        // Stable, so that equal moves keep their order.
        ranked.sort_by_key(|&(rank, _)| Reverse(rank));
        ranked.into_iter().map(|(_, ranked)| ranked).collect()
    }

    /// The moves of a game, out of some legal ones, that keep the best possible result and lead to it best: in wins the
    /// fastest ones, in losses the slowest ones, in draws all. The halfmove clock and repetitions count. `None` if the
    /// tables lack a position after a move, or there are no moves.
    pub fn best_moves(&self, game: &Game, moves: impl IntoIterator<Item = Move>) -> Option<Vec<Move>> {
        let ranked: Option<Vec<(Move, Rank)>> =
            moves.into_iter().map(|mv| Some((mv, self.rank_of(game, mv)?))).collect();
        let ranked = ranked?;
        let best = ranked.iter().map(|&(_, rank)| rank).max()?;
        Some(ranked.into_iter().filter(|&(_, rank)| rank == best).map(|(mv, _)| mv).collect())
    }

    /// The first of the best moves of a position without regard to repetitions, for principal variations. `None` in
    /// draws.
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

    /// The rank of a move of a game.
    fn rank_of(&self, game: &Game, mv: Move) -> Option<Rank> {
        let mut next = game.clone();
        next.push(mv).ok()?;
        match next.outcome() {
            Some(outcome) if !matches!(outcome, Outcome::Checkmate { .. }) => Some((Wdl::Draw, false, 0, 0)),
            _ => self.rank(next.board()),
        }
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
            // Mate is the goal, as long as the fifty-move rule cannot come first. Each move of this kind shortens the
            // way to mate, and so does each move by the distance to zeroing the way to the next position: neither can
            // go in circles.
            Some(plies) if result == Wdl::Win && clock.saturating_add(plies) <= FIFTY_MOVES => (result, true, -dtm, 0),
            _ if result.is_win() => (result, false, -dtz, -dtm),
            _ => (result, false, dtm, dtz),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    #[test]
    fn all_moves_are_ranked() {
        let ranked =
            |fen: &str| Tables::embedded().ranked_moves(&Game::new(Board::from_fen(fen, Variant::Spartan).unwrap()));
        // A mate in one, and moves that take longer.
        let moves = ranked("k7/2Q5/1K6/8/8/8/8/8 w - - 0 1");
        let first = moves[0];
        assert_eq!((first.result, first.mate, first.dtz), (Some(Wdl::Win), Some(1), None));
        assert!(moves.windows(2).all(|pair| pair[0].result > pair[1].result || pair[0].mate <= pair[1].mate));
        // Every move has a result, also one that gives the queen away.
        let moves = ranked("8/8/8/8/8/1k6/8/K1Q5 w - - 0 1");
        assert!(moves.iter().all(|ranked| ranked.result.is_some()), "{moves:?}");
        // The loser delays the mate.
        let moves = ranked("k7/8/1K6/2Q5/8/8/8/8 b - - 0 1");
        assert!(moves.iter().all(|ranked| ranked.result == Some(Wdl::Loss) && ranked.mate.is_some()), "{moves:?}");
        assert!(ranked(Variant::Spartan.start_fen()).iter().all(|ranked| ranked.result.is_none()));
    }
}
