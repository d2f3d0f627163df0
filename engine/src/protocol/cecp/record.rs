//! The game record; moves can be taken back.

use crate::board::{Board, Game, MoveError, Variant};
use crate::types::{Colour, Move};

/// A game with its first position and its moves.
#[derive(Clone, Debug)]
pub(super) struct Record {
    start: Board,
    moves: Vec<Move>,
    game: Game,
}

impl Record {
    /// A game from a position.
    pub(super) fn new(start: Board) -> Self {
        Self { game: Game::new(start.clone()), start, moves: Vec::new() }
    }

    /// A game from the initial position of a variant.
    pub(super) fn start(variant: Variant) -> Self {
        Self::new(Board::start(variant))
    }

    /// The game so far.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// The current position.
    pub(super) fn board(&self) -> &Board {
        self.game.board()
    }

    /// The number of plies.
    pub(super) fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The number of moves that a side has made after the first `plies` plies of the game.
    pub(super) fn moves_since(&self, plies: usize, side: Colour) -> usize {
        let first = usize::from(self.start.side_to_move() != side);
        (plies..self.moves.len()).filter(|ply| ply % 2 == first).count()
    }

    /// Makes a move.
    ///
    /// # Errors
    /// If it is illegal.
    pub(super) fn push(&mut self, mv: Move) -> Result<(), MoveError> {
        self.game.push(mv)?;
        self.moves.push(mv);
        Ok(())
    }

    /// Takes back the last `count` plies. Returns false and changes nothing if there are fewer.
    pub(super) fn take_back(&mut self, count: usize) -> bool {
        let Some(length) = self.moves.len().checked_sub(count) else { return false };
        self.moves.truncate(length);
        self.game = Game::new(self.start.clone());
        for &mv in &self.moves {
            let made = self.game.push(mv);
            debug_assert!(made.is_ok(), "{mv} was legal");
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_made_and_taken_back() {
        let mut record = Record::start(Variant::Spartan);
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
            let mv = record.board().parse_move(text).expect("a legal move");
            record.push(mv).expect("a legal move");
        }
        assert_eq!(record.game().repetitions(), 2);
        assert_eq!(record.moves_since(0, Colour::White), 2);
        assert_eq!(record.moves_since(1, Colour::White), 1);
        assert_eq!(record.moves_since(1, Colour::Black), 2);
        assert!(!record.take_back(5));
        assert!(record.take_back(1));
        assert_eq!((record.plies(), record.game().repetitions()), (3, 1));
        assert!(record.take_back(3));
        assert_eq!(record.board(), &Board::start(Variant::Spartan));
    }
}
