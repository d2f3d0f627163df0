//! The compact binary format of game files: written by the generator, read by the tuner and the trainer.
//!
//! All numbers are little-endian. A file begins with a header:
//!
//! | Bytes | Contents |
//! | --- | --- |
//! | 8 | `AGOGEREC` |
//! | 2 | version of the format: 1 |
//! | 1 | variant: 0 Spartan, 1 orthodox |
//! | 1 | 0 |
//! | 8 | seed |
//! | 4, n | length of the program name, the name in UTF-8 |
//! | 4, n | length of the settings, the settings in UTF-8 |
//! | 4 | CRC-32 of all preceding bytes |
//!
//! It is followed by blocks of one or more games:
//!
//! | Bytes | Contents |
//! | --- | --- |
//! | 4 | `GAME` |
//! | 4 | number of games, at least 1 |
//! | 4 | length of the games, compressed |
//! | 4 | length of the games, not compressed |
//! | 4 | CRC-32 of the compressed bytes |
//! | 4 | CRC-32 of the preceding 20 bytes |
//! | n | the games, concatenated, as a Zstandard frame |
//!
//! Earlier programs wrote files with a share of the games of a run, which are still read: with version 2, 16 bytes
//! after the seed, and at the end a block without games: `DONE`, 16 zero bytes and their CRC-32.
//!
//! A game consists of its number (8 bytes), its starting position, its result (1 byte: 0 Black wins, 1 draw, 2 White
//! wins), the number of plies (2 bytes), their moves (2 bytes each, as [`Move::bits`]) and their scores (2 bytes each).
//! A position consists of the set of occupied squares (8 bytes, a1 is the lowest bit), four bits for each of these
//! squares in order (1 to 6 the pieces of White, pawn to king, 7 to 12 those of Black; the first of two in the low
//! half, 0 in an unused half), the side to move and the castling rights (1 byte: 1 Black to move, 2 and 4 White may
//! castle short and long, 8 and 16 Black), the file of an en-passant capture (1 byte: 0 none, 1 to 8), the halfmove
//! clock (2 bytes) and the fullmove number (2 bytes).
//!
//! A block is written with a single call. If the writer is killed during the call, the file ends with an incomplete
//! block. [`Reader`] distinguishes that from damage. [`Writer::append`] removes it, and anything else that follows the
//! last whole block. No file contents cause a panic.

mod encoding;
mod error;
mod header;
mod reader;
mod writer;

use crate::analysis::white_view;
use agoge_core::board::{Board, Game, Outcome, Variant};
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
pub use error::RecordError;
pub use header::Header;
pub use reader::Reader;
use std::fmt;
pub use writer::{Appended, Writer};

const BLOCK_MAGIC: &[u8; 4] = b"GAME";

/// The last block of a file with a share of the games of a run.
const DONE_MAGIC: &[u8; 4] = b"DONE";

/// The length of the header of a block, before the compressed bytes.
const BLOCK_HEAD: usize = 24;

/// The maximum evaluation in centipawns; the minimum is its negative.
pub const MAX_SCORE: i16 = 20_000;

/// A mate in `n` plies is `MATE - n`, negated for Black. Mates are beyond [`MAX_SCORE`]: `n` is at most 11,999.
pub const MATE: i16 = 32_000;

pub const MAX_PLIES: usize = u16::MAX as usize;

/// The maximum length of the games of a block before compression, in bytes.
const MAX_BLOCK: usize = 16 << 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Determines the game together with the seed and the settings in the header. In a file merged from files with
    /// different seeds, games may share a number.
    pub number: u64,
    /// The starting position. Earlier positions do not count as repetitions.
    pub start: Board,
    /// The moves played. A file may contain illegal moves: [`GameRecord::replay`] checks them.
    pub plies: Vec<Ply>,
    pub result: GameResult,
}

/// A move and the score of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
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

/// Converts a score from the side to move's view to the score of a record, from White's view.
pub fn white_score(side: Colour, score: Score) -> i16 {
    const MOST_PLIES: i32 = (MATE - MAX_SCORE) as i32 - 1;
    let mover = match score {
        Score::Cp(value) => value.clamp(-i32::from(MAX_SCORE), i32::from(MAX_SCORE)),
        Score::Mate(moves) if moves > 0 => i32::from(MATE) - moves.saturating_mul(2).min(MOST_PLIES + 1) + 1,
        Score::Mate(moves) => -i32::from(MATE) + moves.saturating_mul(-2).min(MOST_PLIES),
    };
    white_view(side, mover) as i16
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum GameResult {
    WhiteWins,
    Draw,
    BlackWins,
}

impl GameResult {
    /// All results, White's win first.
    pub const ALL: [Self; 3] = [Self::WhiteWins, Self::Draw, Self::BlackWins];

    /// 0 for a White win, 1 for a draw, 2 for a Black win.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// White's half points: 2, 1 or 0.
    pub const fn half_points(self) -> u8 {
        2 - self as u8
    }

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

/// `ply` counts from 0.
fn illegal(ply: usize, mv: Move) -> String {
    format!("move {mv} at ply {} is not legal", ply + 1)
}

impl GameRecord {
    /// Replays the game: calls `visit` with each position and the ply played from it, and returns the final position.
    ///
    /// # Errors
    /// If a move is illegal; the positions before it have been visited.
    pub fn replay(&self, mut visit: impl FnMut(&Board, &Ply)) -> Result<Board, String> {
        let mut board = self.start.clone();
        for (ply, played) in self.plies.iter().enumerate() {
            if !board.is_legal(played.mv) {
                return Err(illegal(ply, played.mv));
            }
            visit(&board, played);
            board.make_move(played.mv);
        }
        Ok(board)
    }

    /// Checks the game against the rules: all moves are legal, no moves follow the end of the game, and if the game
    /// ended by the rules, the result is correct.
    ///
    /// # Errors
    /// Describes the first error.
    pub fn check(&self) -> Result<(), String> {
        let mut game = Game::new(self.start.clone());
        for (ply, played) in self.plies.iter().enumerate() {
            if let Some(outcome) = game.outcome() {
                return Err(format!("it continues after {outcome} at ply {ply}"));
            }
            game.push(played.mv).map_err(|_| illegal(ply, played.mv))?;
        }
        match game.outcome() {
            Some(outcome) if GameResult::from(outcome) != self.result => {
                Err(format!("it ends in {outcome}, {}, but the result is {}", GameResult::from(outcome), self.result))
            }
            _ => Ok(()),
        }
    }

    /// Encodes the game as in a block, before compression.
    ///
    /// # Errors
    /// If it has too many plies or a score out of range.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RecordError> {
        let mut bytes = Vec::new();
        encoding::encode(self, &mut bytes)?;
        Ok(bytes)
    }

    /// Decodes the output of [`GameRecord::to_bytes`].
    ///
    /// # Errors
    /// Describes the error in the bytes.
    pub fn from_bytes(bytes: &[u8], variant: Variant) -> Result<Self, String> {
        let mut bytes = encoding::Bytes::new(bytes);
        let game = encoding::decode(&mut bytes, variant)?;
        if bytes.is_empty() { Ok(game) } else { Err(format!("game {}: there are bytes after its end", game.number)) }
    }

    pub fn variant(&self) -> Variant {
        self.start.variant()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::data::starts::{random_endgame, random_opening};
    use crate::rng::Rng;

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
    fn invalid_games_are_detected() {
        let good = (0..).map(|number| random_record(Variant::Spartan, number)).find(|game| {
            let last = game.replay(|_, _| ()).expect("legal moves");
            game.plies.len() > 2 && Game::new(last).outcome().is_some()
        });
        let good = good.expect("a game that the rules have ended");
        assert_eq!(good.check(), Ok(()));

        let mut result = good.clone();
        result.result = *GameResult::ALL.iter().find(|&&result| result != good.result).expect("another result");
        assert!(result.check().unwrap_err().contains("but the result is"));

        let mut illegal = good.clone();
        illegal.plies[1] = illegal.plies[0];
        assert!(illegal.check().unwrap_err().contains("at ply 2 is not legal"));
        assert!(illegal.replay(|_, _| ()).unwrap_err().contains("at ply 2 is not legal"));

        let mut longer = good.clone();
        longer.plies.push(good.plies[0]);
        assert!(longer.check().unwrap_err().starts_with("it continues after"));
    }
}
