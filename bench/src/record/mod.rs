//! Games in a compact binary file: what the generator writes and the trainers read.
//!
//! All numbers are little-endian. A file begins with a header:
//!
//! | Bytes | What |
//! | --- | --- |
//! | 8 | `AGOGEREC` |
//! | 2 | version of the format: 1 |
//! | 1 | variant: 0 Spartan, 1 orthodox |
//! | 1 | 0 |
//! | 8 | seed |
//! | 4, n | length of the name of the program, the name in UTF-8 |
//! | 4, n | length of the settings, the settings in UTF-8 |
//! | 4 | CRC-32 of all bytes before |
//!
//! Then come blocks of one or more games:
//!
//! | Bytes | What |
//! | --- | --- |
//! | 4 | `GAME` |
//! | 4 | number of games, at least 1 |
//! | 4 | length of the games, compressed |
//! | 4 | length of the games, not compressed |
//! | 4 | CRC-32 of the compressed bytes |
//! | 4 | CRC-32 of the 20 bytes before |
//! | n | the games, one after the other, as a Zstandard frame |
//!
//! A game is its number (8 bytes), the position that it begins with, its result (1 byte: 0 Black
//! wins, 1 draw, 2 White wins), the number of plies (2 bytes), their moves (2 bytes each, as
//! [`Move::bits`]) and their scores (2 bytes each). A position is the set of the occupied squares (8
//! bytes, a1 the lowest bit), four bits for each of them in their order (1 to 6 the kinds of White,
//! pawn to king, 7 to 12 those of Black; the first of two in the low half, 0 in a half left over),
//! side to move and rights to castle (1 byte: 1 Black to move, 2 and 4 White may castle short and
//! long, 8 and 16 Black), the file of an en-passant capture (1 byte: 0 none, 1 to 8), the halfmove
//! clock (2 bytes) and the number of the move (2 bytes).
//!
//! A block is written with a single call. If the writer is killed in it, the file ends in half a
//! block, which [`Reader`] tells apart from damage and [`Writer::append`] cuts off. Nothing in a file
//! may cause a panic.

mod encoding;
mod error;
mod header;
mod reader;
mod writer;

use crate::analysis::white_view;
use agoge::board::{Board, Game, Outcome, Variant};
use agoge::types::score::Score;
use agoge::types::{Colour, Move};
pub use error::RecordError;
pub use header::Header;
pub use reader::Reader;
use std::fmt;
pub use writer::{Appended, Writer};

/// Evaluations, in centipawns, lie between this and its negative.
pub const MAX_SCORE: i16 = 20_000;

/// A mate in `n` plies is `MATE - n`, for Black the negative of it. Mates are beyond
/// [`MAX_SCORE`]: `n` is at most 11,999.
pub const MATE: i16 = 32_000;

/// The most plies of a game.
pub const MAX_PLIES: usize = u16::MAX as usize;

/// The most bytes of the games of a block before they are compressed.
const MAX_BLOCK: usize = 16 << 20;

/// A game that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Together with the seed and the settings in the header this determines the game. In a file
    /// that was merged from files of several seeds, games may share a number.
    pub number: u64,
    /// The position that the game begins with. Positions before it do not count as repetitions.
    pub start: Board,
    /// The moves that were played. A file may hold any moves: [`GameRecord::replay`] knows which are
    /// legal.
    pub plies: Vec<Ply>,
    /// How the game has ended.
    pub result: GameResult,
}

/// A move and what the search thought before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move that was played.
    pub mv: Move,
    /// The score of the position before the move, in centipawns from White's view: within
    /// ±[`MAX_SCORE`], or ±([`MATE`] - plies) for a forced mate.
    pub score: i16,
}

impl Ply {
    /// Whether the score is a forced mate.
    pub const fn is_mate(&self) -> bool {
        self.score > MAX_SCORE || self.score < -MAX_SCORE
    }
}

/// The score of a search as a record has it, from White's view, given that of the side to move.
pub fn white_score(side: Colour, score: Score) -> i16 {
    const MOST_PLIES: i32 = (MATE - MAX_SCORE) as i32 - 1;
    let mover = match score {
        Score::Cp(value) => value.clamp(-i32::from(MAX_SCORE), i32::from(MAX_SCORE)),
        Score::Mate(moves) if moves > 0 => i32::from(MATE) - moves.saturating_mul(2).min(MOST_PLIES + 1) + 1,
        Score::Mate(moves) => -i32::from(MATE) + moves.saturating_mul(-2).min(MOST_PLIES),
    };
    white_view(side, mover) as i16
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum GameResult {
    /// White has won.
    WhiteWins,
    /// Nobody has won.
    Draw,
    /// Black has won.
    BlackWins,
}

impl GameResult {
    /// All results, that of White first.
    pub const ALL: [Self; 3] = [Self::WhiteWins, Self::Draw, Self::BlackWins];

    /// 0 if White has won, 1 for a draw, 2 if Black has won.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The points of White: 1, 0.5 or 0.
    pub const fn points(self) -> f32 {
        match self {
            Self::WhiteWins => 1.0,
            Self::Draw => 0.5,
            Self::BlackWins => 0.0,
        }
    }

    /// The result of a game that a side has won.
    pub const fn won_by(side: Colour) -> Self {
        match side {
            Colour::White => Self::WhiteWins,
            Colour::Black => Self::BlackWins,
        }
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Checkmate { winner } => Self::won_by(winner),
            _ => Self::Draw,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteWins => "1-0",
            Self::Draw => "1/2-1/2",
            Self::BlackWins => "0-1",
        })
    }
}

/// A move of a record that is not legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IllegalMove {
    /// The number of the ply, from 0.
    pub ply: usize,
    /// The move.
    pub mv: Move,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the move {} of ply {} is not legal", self.mv, self.ply + 1)
    }
}

impl std::error::Error for IllegalMove {}

impl GameRecord {
    /// Plays the game: shows each position with the ply that comes next, and gives the last one.
    ///
    /// # Errors
    /// When a move is not legal; the positions before it were shown.
    pub fn replay(&self, mut visit: impl FnMut(&Board, &Ply)) -> Result<Board, IllegalMove> {
        let mut board = self.start.clone();
        for (ply, played) in self.plies.iter().enumerate() {
            if !board.is_legal(played.mv) {
                return Err(IllegalMove { ply, mv: played.mv });
            }
            visit(&board, played);
            board.make_move(played.mv);
        }
        Ok(board)
    }

    /// Checks the game against the rules: its moves are legal, it does not go on after its end, and
    /// if the rules have ended it the result is theirs.
    ///
    /// # Errors
    /// Tells what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let mut game = Game::new(self.start.clone());
        for (ply, played) in self.plies.iter().enumerate() {
            if let Some(outcome) = game.outcome() {
                return Err(format!("it goes on after {outcome} at ply {ply}"));
            }
            game.push(played.mv).map_err(|_| IllegalMove { ply, mv: played.mv }.to_string())?;
        }
        match game.outcome() {
            Some(outcome) if GameResult::from(outcome) != self.result => {
                Err(format!("it ends in {outcome}, {}, but says {}", GameResult::from(outcome), self.result))
            }
            _ => Ok(()),
        }
    }

    /// The game as in a block of a file, before it is compressed.
    ///
    /// # Errors
    /// When it has too many plies or a score without meaning.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RecordError> {
        let mut bytes = Vec::new();
        encoding::encode(self, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads what [`GameRecord::to_bytes`] gives.
    ///
    /// # Errors
    /// Tells what is wrong with the bytes.
    pub fn from_bytes(bytes: &[u8], variant: Variant) -> Result<Self, String> {
        let mut bytes = encoding::Bytes::new(bytes);
        let game = encoding::decode(&mut bytes, variant)?;
        if bytes.is_empty() { Ok(game) } else { Err(format!("game {}: it goes on after its end", game.number)) }
    }

    /// The game that is played.
    pub fn variant(&self) -> Variant {
        self.start.variant()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::starts::{random_endgame, random_opening};

    /// A game of random moves and scores.
    pub(crate) fn random_record(variant: Variant, number: u64) -> GameRecord {
        let mut rng = Rng::new(number + 1);
        let start = if number.is_multiple_of(2) { random_opening } else { random_endgame };
        let game = std::iter::repeat_with(|| start(variant, &mut rng)).flatten().next().expect("endless");
        let start = game.board().clone();
        let mut game = Game::new(start.clone());
        let mut plies = Vec::new();
        while game.outcome().is_none() && plies.len() < 40 {
            let moves = game.board().legal_moves();
            let mv = moves[rng.below(moves.len())];
            game.push(mv).expect("a legal move");
            plies.push(Ply { mv, score: rng.below(2001) as i16 - 1000 });
        }
        let result = game.outcome().map_or(GameResult::ALL[number as usize % 3], GameResult::from);
        GameRecord { number, start, plies, result }
    }

    #[test]
    fn scores_keep_their_order() {
        use Score::{Cp, Mate};
        let order =
            [Mate(1), Mate(2), Mate(60), Mate(i32::MAX), Cp(30_000), Cp(0), Cp(-1), Mate(i32::MIN), Mate(-1), Mate(0)];
        let scores = order.map(|score| white_score(Colour::White, score));
        assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
        assert_eq!(scores[0], MATE - 1);
        assert_eq!(scores[1], MATE - 3);
        assert_eq!(scores[4], MAX_SCORE);
        assert_eq!(scores[8], -MATE + 2);
        assert_eq!(scores[9], -MATE);
        assert_eq!(white_score(Colour::Black, Cp(7)), -7);
        let mv = Board::start(Variant::Spartan).legal_moves()[0];
        let mates = scores.map(|score| Ply { mv, score }.is_mate());
        assert_eq!(mates, [true, true, true, true, false, false, false, true, true, true]);
    }

    #[test]
    fn wrong_games_are_found() {
        let good = (0..).map(|number| random_record(Variant::Spartan, number)).find(|game| {
            let last = game.replay(|_, _| ()).expect("legal moves");
            game.plies.len() > 2 && Game::new(last).outcome().is_some()
        });
        let good = good.expect("a game that the rules have ended");
        assert_eq!(good.check(), Ok(()));

        let mut result = good.clone();
        result.result = *GameResult::ALL.iter().find(|&&result| result != good.result).expect("another result");
        assert!(result.check().unwrap_err().contains("but says"));

        let mut illegal = good.clone();
        illegal.plies[1] = illegal.plies[0];
        assert!(illegal.check().unwrap_err().contains("of ply 2 is not legal"));
        assert_eq!(illegal.replay(|_, _| ()).unwrap_err().ply, 1);

        let mut longer = good.clone();
        longer.plies.push(good.plies[0]);
        assert!(longer.check().unwrap_err().starts_with("it goes on after"));
    }
}
