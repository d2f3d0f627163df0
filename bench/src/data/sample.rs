//! Training positions of the tuner: the quiet positions of games.

use crate::data::record::GameRecord;
use agoge_core::board::Board;

/// A position with the score of a search and the result of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    pub board: Board,
    /// In centipawns from White's view.
    pub score: i16,
    /// 1 if White won, 0.5 for a draw, 0 if Black won.
    pub result: f32,
}

/// Games that start with more men than a random endgame can have started from an opening. Their first positions are
/// skipped, because the random moves before them leave tactics.
const MOST_ENDGAME_MEN: u32 = 19;

/// The number of positions skipped at the start of such games.
const SKIPPED_PLIES: usize = 4;

/// Positions with at least this score, in centipawns, are decided and skipped.
const DECIDED: u16 = 2000;

impl Sample {
    /// The quiet positions of a game: the side to move is not in check, its move neither captures nor promotes, and the
    /// game is not decided yet.
    ///
    /// # Errors
    /// If a move of the game is illegal.
    pub fn of_game(game: &GameRecord) -> Result<Vec<Self>, String> {
        let opening = game.start.occupied().count() > MOST_ENDGAME_MEN;
        let mut skip = if opening { SKIPPED_PLIES } else { 0 };
        let mut samples = Vec::new();
        game.replay(|board, ply| {
            if skip > 0 {
                skip -= 1;
            } else if ply.score.unsigned_abs() < DECIDED && !board.in_check() && !board.is_noisy(ply.mv) {
                let result = f32::from(game.result.half_points()) / 2.0;
                samples.push(Self { board: board.clone(), score: ply.score, result });
            }
        })?;
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::{GameResult, Ply};
    use agoge_core::board::Variant;

    #[test]
    fn quiet_positions_of_games_are_sampled() {
        let start = Board::from_fen("2k5/8/8/2h5/8/2N5/4P3/4K3 w - - 0 1", Variant::Spartan).unwrap();
        let moves = ["c3e4", "c5d4", "e4c5", "d4e3", "e1f1", "e3e2"];
        let scores = [10, 20, 1999, -2000, 30, 40];
        let mut board = start.clone();
        let mut plies = Vec::new();
        for (text, score) in moves.into_iter().zip(scores) {
            let mv = board.parse_move(text).unwrap();
            plies.push(Ply { mv, score });
            board.make_move(mv);
        }
        let game = GameRecord { number: 1, start, plies, result: GameResult::BlackWins };
        let samples = Sample::of_game(&game).unwrap();
        // The fourth position is decided, and the last move is a capture.
        let scores: Vec<_> = samples.iter().map(|sample| sample.score).collect();
        assert_eq!(scores, [10, 20, 1999, 30]);
        assert!(samples.iter().all(|sample| sample.result == 0.0));
        assert_eq!(samples[1].board.to_fen(), "2k5/8/8/2h5/4N3/8/4P3/4K3 b - - 1 1");

        // The first four positions of a game from a full board are skipped.
        let start = Board::start(Variant::Spartan);
        let mut board = start.clone();
        let plies = ["g2g3", "e8e6", "d2d4", "b7d5", "g1f3", "h8f6"].map(|text| {
            let mv = board.parse_move(text).unwrap();
            board.make_move(mv);
            Ply { mv, score: 5 }
        });
        let game = GameRecord { number: 2, start, plies: plies.to_vec(), result: GameResult::Draw };
        assert_eq!(Sample::of_game(&game).unwrap().len(), 2);
        let wrong = GameRecord { plies: vec![plies[1]], ..game };
        assert!(Sample::of_game(&wrong).is_err());
    }
}
