//! Games: a position with its history, and outcomes.

use super::{Board, Variant};
use crate::types::{Bitboard, Colour, Move, Piece, PieceType, Square};
use std::fmt;

/// The plies within which a capture, pawn move or hoplite move must come.
pub const FIFTY_MOVES: u16 = 100;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The side to move is mated. With two Spartan kings this is a duple-check without an answer.
    Checkmate {
        /// The side that has mated.
        winner: Colour,
    },
    /// The side to move is not in check and has no legal move.
    Stalemate,
    /// The position has occurred three times with the same side to move and the same rights.
    ThreefoldRepetition,
    /// Fifty moves by each side without a capture, pawn move or hoplite move.
    FiftyMoves,
    /// Neither side has the material to mate.
    DeadPosition,
}

impl Outcome {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub const fn result(self) -> &'static str {
        match self {
            Self::Checkmate { winner: Colour::White } => "1-0",
            Self::Checkmate { winner: Colour::Black } => "0-1",
            _ => "1/2-1/2",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate { .. } => "checkmate",
            Self::Stalemate => "stalemate",
            Self::ThreefoldRepetition => "threefold repetition",
            Self::FiftyMoves => "fifty-move rule",
            Self::DeadPosition => "dead position",
        })
    }
}

/// Why a move cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveError {
    /// The text is not a move such as `e2e4` or `e7e8q`.
    Notation,
    /// The rules forbid the move.
    Illegal,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Notation => "not a move in coordinate notation",
            Self::Illegal => "not a legal move",
        })
    }
}

impl std::error::Error for MoveError {}

impl Board {
    /// Reads a legal move in coordinate notation (`e2e4`, `e7e8q`, `e1g1`).
    ///
    /// # Errors
    /// If the text is not in coordinate notation or the move is not legal.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let (from, to, promotion) = Move::parse_coordinates(text).ok_or(MoveError::Notation)?;
        self.legal_moves()
            .into_iter()
            .find(|mv| mv.from() == from && mv.to() == to && mv.promoted() == promotion)
            .ok_or(MoveError::Illegal)
    }

    /// Whether neither side has the material to mate: bare kings, a single knight or lieutenant, or any number of
    /// bishops on squares of one colour. Two Spartan kings can mate, so a position with them is never dead.
    pub fn is_dead_position(&self) -> bool {
        let kings = self.kind(PieceType::King);
        if kings.count() > 2 {
            return false;
        }
        let others = self.occupied() & !kings;
        let bishops = self.kind(PieceType::Bishop);
        match others.count() {
            0 => true,
            1 => (others & !(bishops | self.kind(PieceType::Knight) | self.kind(PieceType::Lieutenant))).is_empty(),
            _ => {
                let one_square_colour = (bishops & Bitboard::DARK).is_empty() || (bishops & !Bitboard::DARK).is_empty();
                others == bishops && one_square_colour
            }
        }
    }
}

/// A position with its history. Moves can be undone.
#[derive(Clone, Debug)]
pub struct Game {
    initial: Board,
    moves: Vec<Move>,
    board: Board,
    /// The keys of all positions, the current one last.
    keys: Vec<u64>,
}

impl Game {
    /// A game that starts from a position.
    pub fn new(board: Board) -> Self {
        let keys = vec![board.key()];
        Self { initial: board.clone(), moves: Vec::new(), board, keys }
    }

    /// A game that starts from the initial position of a variant.
    pub fn start(variant: Variant) -> Self {
        Self::new(Board::start(variant))
    }

    /// The position after all moves.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position before the first move.
    pub fn initial_board(&self) -> &Board {
        &self.initial
    }

    /// All moves, the last one last.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The number of moves that a side has made after the first `plies` plies of the game.
    pub fn moves_since(&self, plies: usize, side: Colour) -> usize {
        let first = usize::from(self.initial.side_to_move() != side);
        (plies..self.moves.len()).filter(|ply| ply % 2 == first).count()
    }

    /// The keys of all positions, the current one last.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// # Errors
    /// If the move is not legal; the game is then unchanged.
    pub fn push(&mut self, mv: Move) -> Result<(), MoveError> {
        if !self.board.is_legal(mv) {
            return Err(MoveError::Illegal);
        }
        self.board.make_move(mv);
        self.moves.push(mv);
        self.keys.push(self.board.key());
        Ok(())
    }

    /// Undoes the last `count` plies, in a time that grows with the moves before them. Returns false and changes
    /// nothing if there are fewer.
    pub fn undo(&mut self, count: usize) -> bool {
        let Some(length) = self.moves.len().checked_sub(count) else { return false };
        self.moves.truncate(length);
        self.keys.truncate(length + 1);
        self.board = self.initial.clone();
        self.moves.iter().for_each(|&mv| self.board.make_move(mv));
        true
    }

    /// How often the current position has occurred, including now.
    pub fn repetitions(&self) -> usize {
        self.keys.iter().filter(|&&key| key == self.board.key()).count()
    }

    /// The outcome, if the game is over. Mate takes precedence over the fifty-move rule.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.board.has_legal_move() {
            return Some(if self.board.in_check() {
                Outcome::Checkmate { winner: !self.board.side_to_move() }
            } else {
                Outcome::Stalemate
            });
        }
        if self.board.is_dead_position() {
            Some(Outcome::DeadPosition)
        } else if self.board.halfmove_clock() >= FIFTY_MOVES {
            Some(Outcome::FiftyMoves)
        } else if self.repetitions() >= 3 {
            Some(Outcome::ThreefoldRepetition)
        } else {
            None
        }
    }
}

/// A text diagram of the board with coordinates.
pub fn diagram(board: &Board) -> String {
    let mut text = String::new();
    let line = " +---+---+---+---+---+---+---+---+\n";
    for rank in (0..8u8).rev() {
        text.push_str(line);
        for file in 0..8u8 {
            let letter = board.piece_on(Square::new(rank * 8 + file)).map_or(' ', Piece::letter);
            text.push_str(&format!(" | {letter}"));
        }
        text.push_str(&format!(" | {}\n", rank + 1));
    }
    text.push_str(line);
    text.push_str("   a   b   c   d   e   f   g   h\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_made_and_undone() {
        let mut game = Game::start(Variant::Spartan);
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
            let mv = game.board().parse_move(text).expect("a legal move");
            game.push(mv).expect("a legal move");
        }
        assert_eq!(game.repetitions(), 2);
        assert_eq!(game.moves_since(0, Colour::White), 2);
        assert_eq!(game.moves_since(1, Colour::White), 1);
        assert_eq!(game.moves_since(1, Colour::Black), 2);
        assert!(!game.undo(5));
        assert!(game.undo(1));
        assert_eq!((game.moves().len(), game.keys().len(), game.repetitions()), (3, 4, 1));
        assert!(game.undo(3));
        assert_eq!(game.board(), &Board::start(Variant::Spartan));
        assert_eq!(game.initial_board(), game.board());
    }
}
