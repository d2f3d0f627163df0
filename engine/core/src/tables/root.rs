//! Choosing among the moves of a position in the tables.

use super::set::Tables;
use super::value::{FIFTY_MOVES, Wdl};
use crate::board::{Board, Game, Outcome};
use crate::types::Move;

/// A move with what follows from the position after it, for the side that moves.
struct Ranked {
    mv: Move,
    result: Wdl,
    dtz: u16,
    dtm: Option<u16>,
    /// Whether the mate comes before the fifty-move rule in any case.
    is_mate_in_time: bool,
}

impl Tables {
    /// The moves of a game, out of some legal ones, that keep the best possible result and lead to it best: in wins the
    /// fastest ones, in losses the slowest ones, in draws all. The halfmove clock and repetitions count. `None` if the
    /// tables lack a position after a move, or there are no moves.
    pub fn best_moves(&self, game: &Game, moves: impl IntoIterator<Item = Move>) -> Option<Vec<Move>> {
        let rank = |mv: Move| {
            let mut next = game.clone();
            next.push(mv).ok()?;
            self.rank(mv, next.board(), next.outcome().is_some_and(is_draw))
        };
        select(moves.into_iter().map(rank).collect::<Option<_>>()?)
    }

    /// One of the best moves of a position without regard to repetitions, for principal variations. `None` in draws.
    pub fn best_move(&self, board: &Board) -> Option<Move> {
        let result = self.value(board)?.result_at(board.halfmove_clock()).filter(|&result| result != Wdl::Draw)?;
        // The tables may lack a bad move, such as the promotion to a minor piece.
        let moves = board.legal_moves().into_iter();
        let ranked: Vec<_> = moves.filter_map(|mv| self.rank(mv, &board.after(mv), false)).collect();
        if ranked.iter().any(|option| option.result == result) { select(ranked)?.first().copied() } else { None }
    }

    /// What a move leads to. `is_draw`: the game ends in a draw.
    fn rank(&self, mv: Move, after: &Board, is_draw: bool) -> Option<Ranked> {
        if is_draw {
            return Some(Ranked { mv, result: Wdl::Draw, dtz: 0, dtm: None, is_mate_in_time: false });
        }
        let value = self.value(after)?;
        let clock = after.halfmove_clock();
        Some(Ranked {
            mv,
            result: value.result_at(clock)?.negated(),
            // Zeroing takes no longer than mate.
            dtz: if clock == 0 { 1 } else { value.dtz.or(value.dtm)? + 1 },
            dtm: value.dtm.map(|plies| plies + 1),
            is_mate_in_time: value.dtm.is_some_and(|plies| clock.saturating_add(plies) <= FIFTY_MOVES),
        })
    }
}

fn is_draw(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Checkmate { .. })
}

fn select(mut moves: Vec<Ranked>) -> Option<Vec<Move>> {
    let best = moves.iter().map(|option| option.result).max()?;
    moves.retain(|option| option.result == best);
    // Mate is the goal, as long as the fifty-move rule cannot come first. Each move of this kind shortens the way to
    // mate, and so does each move by the distance to zeroing the way to the next position: neither can go in circles.
    if best == Wdl::Win && moves.iter().any(|option| option.is_mate_in_time) {
        moves.retain(|option| option.is_mate_in_time);
        let fastest = moves.iter().filter_map(|option| option.dtm).min();
        moves.retain(|option| option.dtm == fastest);
    } else if best.is_win() {
        let fastest = moves.iter().map(|option| (option.dtz, option.dtm)).min()?;
        moves.retain(|option| (option.dtz, option.dtm) == fastest);
    } else if best.is_loss() {
        let slowest = moves.iter().map(|option| (option.dtm, option.dtz)).max()?;
        moves.retain(|option| (option.dtm, option.dtz) == slowest);
    }
    Some(moves.into_iter().map(|option| option.mv).collect())
}
