//! What happens in a game.

use crate::data::record::{GameRecord, GameResult, Ply};
use agoge_core::board::{Board, Game, Outcome};
use agoge_core::types::{Colour, Move, MoveKind, Piece, PieceType, Square};
use std::fmt;

/// A move of a game.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub mv: Move,
    pub piece: Piece,
    pub captured: Option<PieceType>,
}

impl Step {
    pub const fn is_castling(&self) -> bool {
        matches!(self.mv.kind(), MoveKind::Castling)
    }
}

/// A position of a game, White to move.
#[derive(Clone, Debug)]
pub struct Sample {
    pub ply: usize,
    pub board: Board,
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum End {
    Mate,
    AdjudicatedWin,
    Stalemate,
    Repetition,
    FiftyMoves,
    DeadPosition,
    AdjudicatedDraw,
}

impl End {
    fn of(game: &Game, result: GameResult) -> Self {
        match (game.outcome(), result) {
            (Some(Outcome::Checkmate { .. }), _) => Self::Mate,
            (Some(Outcome::Stalemate), _) => Self::Stalemate,
            (Some(Outcome::ThreefoldRepetition), _) => Self::Repetition,
            (Some(Outcome::FiftyMoves), _) => Self::FiftyMoves,
            (Some(Outcome::DeadPosition), _) => Self::DeadPosition,
            (None, GameResult::Draw) => Self::AdjudicatedDraw,
            (None, _) => Self::AdjudicatedWin,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mate => "mate on the board",
            Self::AdjudicatedWin => "won, adjudicated",
            Self::Stalemate => "stalemate",
            Self::Repetition => "threefold repetition",
            Self::FiftyMoves => "fifty-move rule",
            Self::DeadPosition => "dead position",
            Self::AdjudicatedDraw => "drawn ending, adjudicated",
        })
    }
}

/// A game and what happened in it.
#[derive(Clone, Debug)]
pub struct Facts {
    pub result: GameResult,
    pub plies: Vec<Ply>,
    pub steps: Vec<Step>,
    pub end: End,
    /// For each of [`PLIES`], the first quiet position from it on.
    samples: [Option<Sample>; PLIES.len()],
}

/// The plies at which positions are compared: after 20 and 30 moves of each side.
pub const PLIES: [usize; 2] = [40, 60];

/// A quiet position is looked for within this number of plies.
const QUIET_WITHIN: usize = 12;

impl Facts {
    /// Replays a game from the initial position.
    ///
    /// # Errors
    /// If a move is illegal.
    pub fn of(record: GameRecord) -> Result<Self, String> {
        let mut game = Game::new(record.start.clone());
        let mut steps: Vec<Step> = Vec::with_capacity(record.plies.len());
        let mut samples: [Option<Sample>; PLIES.len()] = Default::default();
        for (ply, &Ply { mv, .. }) in record.plies.iter().enumerate() {
            let board = game.board();
            let illegal = || format!("game {}: move {mv} at ply {} is not legal", record.number, ply + 1);
            let piece = board.piece_on(mv.from()).ok_or_else(illegal)?;
            let step = Step { mv, piece, captured: board.captured(mv) };
            let is_quiet = |step: &Step| step.captured.is_none() && step.mv.promoted().is_none();
            if ply % 2 == 0 && is_quiet(&step) && steps.last().is_some_and(is_quiet) {
                for (sample, from) in samples.iter_mut().zip(PLIES) {
                    if sample.is_none() && (from..from + QUIET_WITHIN).contains(&ply) {
                        *sample = Some(Sample { ply, board: board.clone() });
                    }
                }
            }
            game.push(mv).map_err(|_| illegal())?;
            steps.push(step);
        }
        let end = End::of(&game, record.result);
        Ok(Self { result: record.result, plies: record.plies, steps, end, samples })
    }

    /// The first position from a ply of [`PLIES`] on with White to move, in which the last move was no capture and the
    /// next one is none; none if the game has no such position soon enough.
    pub fn sample(&self, ply: usize) -> Option<&Sample> {
        self.samples.iter().zip(PLIES).find(|(_, from)| *from == ply)?.0.as_ref()
    }

    /// The score for a side: 1 for a win, 0.5 for a draw.
    pub fn score(&self, side: Colour) -> f64 {
        let white = f64::from(self.result.half_points()) / 2.0;
        if side == Colour::White { white } else { 1.0 - white }
    }

    /// The moves of a side before a ply, each with its ply.
    pub fn moves_of(&self, side: Colour, before: usize) -> impl Iterator<Item = (usize, &Step)> {
        self.steps.iter().take(before).enumerate().filter(move |(_, step)| step.piece.colour == side)
    }

    /// The captures by either side, each with its ply.
    pub fn captures(&self) -> impl Iterator<Item = (usize, &Step, PieceType)> {
        self.steps.iter().enumerate().filter_map(|(ply, step)| Some((ply, step, step.captured?)))
    }

    /// The ply at which White first took a king.
    pub fn king_taken(&self) -> Option<usize> {
        self.captures().find(|&(_, _, captured)| captured == PieceType::King).map(|(ply, ..)| ply)
    }

    /// The most valuable man of White that Black takes right before or right after a ply.
    pub fn price(&self, ply: usize) -> Option<PieceType> {
        let taken = [ply.checked_sub(1), Some(ply + 1)].into_iter().flatten();
        let taken = taken.filter_map(|ply| self.steps.get(ply)?.captured);
        taken.max_by_key(|kind| kind.exchange_value())
    }

    /// What is taken at once on the square of the move at a ply.
    pub fn recaptured(&self, ply: usize) -> Option<PieceType> {
        let square: Square = self.steps[ply].mv.to();
        self.steps.get(ply + 1).filter(|next| next.mv.to() == square)?.captured
    }
}

/// White's material less Black's, in centipawns, by the values in exchanges. Of two kings, one counts 400.
pub fn balance(board: &Board) -> i32 {
    let of = |side| -> i32 {
        let pieces = PieceType::ALL.into_iter().filter(|&kind| kind != PieceType::King);
        let sum: i32 = pieces.map(|kind| kind.exchange_value() * board.coloured(side, kind).count() as i32).sum();
        sum + if board.has_two_kings(side) { PieceType::King.exchange_value() } else { 0 }
    };
    of(Colour::White) - of(Colour::Black)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use agoge_core::board::Variant;

    /// A game of moves in coordinate notation, with evaluations of 0.
    pub fn game(fen: &str, moves: &str, result: GameResult) -> Facts {
        let start = Board::from_fen(fen, Variant::Spartan).unwrap();
        let mut board = start.clone();
        let mut plies = Vec::new();
        for text in moves.split_whitespace() {
            let mv = board.parse_move(text).unwrap();
            plies.push(Ply { mv, score: 0 });
            board.make_move(mv);
        }
        Facts::of(GameRecord { number: 1, start, plies, result }).unwrap()
    }

    #[test]
    fn the_end_of_a_game_is_known() {
        let start = Variant::Spartan.start_fen();
        let mate = game(start, "f2f3 g8f6 g2g4 f6h4", GameResult::BlackWins);
        assert_eq!((mate.end, mate.score(Colour::Black), mate.score(Colour::White)), (End::Mate, 1.0, 0.0));
        let repeated = "g1f3 a8c6 f3g1 c6a8 g1f3 a8c6 f3g1 c6a8";
        assert_eq!(game(start, repeated, GameResult::Draw).end, End::Repetition);
        assert_eq!(game(start, "d2d4", GameResult::WhiteWins).end, End::AdjudicatedWin);
        assert_eq!(game(start, "d2d4", GameResult::Draw).end, End::AdjudicatedDraw);
        assert!(game(start, "d2d4", GameResult::Draw).sample(40).is_none());
    }

    #[test]
    fn kings_and_their_price() {
        // The bishop takes a king and is taken.
        let taken = game("2k2k2/8/3h4/8/8/B7/8/4K3 w - - 0 1", "a3b2 f8e8 b2a3 d6c5 a3c5 e8d7", GameResult::Draw);
        assert_eq!(taken.king_taken(), None);
        let exchange = game("2k2k2/4c3/8/8/8/B7/8/R3K3 w - - 0 1", "a3e7 f8e7 a1a8 e7e6 a8c8", GameResult::Draw);
        assert_eq!((exchange.king_taken(), exchange.price(4)), (Some(4), None));
        assert_eq!((exchange.recaptured(0), exchange.recaptured(2)), (Some(PieceType::Bishop), None));
        assert_eq!(exchange.price(2), Some(PieceType::Bishop));
        assert_eq!(exchange.captures().map(|(ply, ..)| ply).collect::<Vec<_>>(), [0, 1, 4]);
    }

    #[test]
    fn a_second_king_counts_as_material() {
        let of = |fen| balance(&Board::from_fen(fen, Variant::Spartan).unwrap());
        assert_eq!(of("2k2k2/8/8/8/8/8/8/R3K3 w - - 0 1"), 100);
        assert_eq!(of("2k5/8/8/8/8/8/8/R3K3 w - - 0 1"), 500);
        assert_eq!(of(Variant::Spartan.start_fen()), 70);
    }
}
