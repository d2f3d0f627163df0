//! Training positions of the tuner: the quiet positions of game records, or text lines `FEN | score | result` with the
//! score (in centipawns) and the result (1.0, 0.5 or 0.0) from White's view. The score may be missing.

use crate::data::record::{GameRecord, IllegalMove};
use agoge_core::board::{Board, Variant};
use std::fmt;

/// A position with the score of a search and the result of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The position.
    pub board: Board,
    /// In centipawns from White's view.
    pub score: Option<i32>,
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
    pub fn of_game(game: &GameRecord) -> Result<Vec<Self>, IllegalMove> {
        let opening = game.start.occupied().count() > MOST_ENDGAME_MEN;
        let mut skip = if opening { SKIPPED_PLIES } else { 0 };
        let mut samples = Vec::new();
        game.replay(|board, ply| {
            if skip > 0 {
                skip -= 1;
            } else if ply.score.unsigned_abs() < DECIDED && !board.in_check() && !board.is_noisy(ply.mv) {
                let score = Some(i32::from(ply.score));
                samples.push(Self { board: board.clone(), score, result: game.result.points() });
            }
        })?;
        Ok(samples)
    }

    /// Parses a line of text.
    ///
    /// # Errors
    /// Describes the error in the line.
    pub fn parse(line: &str, variant: Variant) -> Result<Self, String> {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let (fen, score, result) = match *fields {
            [fen, result] => (fen, "", result),
            [fen, score, result] => (fen, score, result),
            _ => return Err(format!("{} fields instead of 2 or 3", fields.len())),
        };
        let board = Board::from_fen(fen, variant).map_err(|error| error.to_string())?;
        let score = match score {
            "" => None,
            score => Some(score.parse().map_err(|_| format!("'{score}' is not a score in centipawns"))?),
        };
        let result = match result {
            "1.0" | "1" | "1-0" => 1.0,
            "0.5" | "1/2-1/2" => 0.5,
            "0.0" | "0" | "0-1" => 0.0,
            _ => return Err(format!("'{result}' is not a result")),
        };
        Ok(Self { board, score, result })
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | ", self.board)?;
        if let Some(score) = self.score {
            write!(f, "{score} ")?;
        }
        write!(f, "| {:.1}", self.result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::{GameResult, Ply};

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
        assert_eq!(scores, [Some(10), Some(20), Some(1999), Some(30)]);
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

    #[test]
    fn lines_round_trip() {
        let start = Variant::Spartan.start_fen();
        for line in [format!("{start} | -12 | 0.5"), format!("{start} | | 1.0")] {
            assert_eq!(Sample::parse(&line, Variant::Spartan).unwrap().to_string(), line);
        }
        assert_eq!(Sample::parse(&format!("{start}|0.0"), Variant::Spartan).unwrap().score, None);
        for line in ["", start, "x | 1 | 1.0", &format!("{start} | one | 1.0"), &format!("{start} | 1 | 2.0")] {
            assert!(Sample::parse(line, Variant::Spartan).is_err(), "{line}");
        }
    }
}
