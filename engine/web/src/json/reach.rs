//! What a piece can do from its square, for those who learn how it moves.

use agoge_core::board::Board;
use agoge_core::types::{Bitboard, PieceType, Square};
use serde::Serialize;

/// The squares that a piece of either side reaches in the position, whoever is to move and whether or not its kings
/// are safe. `moves`, `quiet` and `captures` have no square in common.
#[derive(Serialize)]
pub struct Reach {
    /// The kind of the piece, as in `hoplite`.
    piece: &'static str,
    /// Empty squares where it can go and would also capture.
    moves: Vec<String>,
    /// Empty squares where it can go, but never captures.
    quiet: Vec<String>,
    /// Squares of enemies that it can capture, and empty ones where it captures but does not go.
    captures: Vec<String>,
    /// Those of all these squares that it reaches over whatever stands between.
    leaps: Vec<String>,
}

impl Reach {
    /// `None` if there is no piece on the square.
    pub fn of(board: &Board, from: Square) -> Option<Self> {
        let piece = board.piece_on(from)?;
        let mut board = board.clone();
        if piece.colour != board.side_to_move() {
            board.make_null_move();
        }
        let occupied = board.occupied();
        let enemies = board.colour(!piece.colour);
        let reached = board.reachable(from, occupied);
        let attacked = match piece.kind {
            PieceType::Pawn | PieceType::Hoplite => board.reachable(from, Bitboard::ALL),
            _ => Bitboard::EMPTY,
        };
        let quiet: Bitboard =
            (reached & !occupied).filter(|&to| !board.reachable(from, occupied.with(to)).has(to)).collect();
        let captures = (reached & enemies) | (attacked & !occupied);
        let leaps = ((reached & !board.colour(piece.colour)) | captures).filter(|&to| {
            let others = if quiet.has(to) { Bitboard::ALL.without(to) } else { Bitboard::ALL };
            from.distance(to) > 1 && board.reachable(from, others).has(to)
        });
        let names = |squares: Bitboard| squares.map(|square| square.to_string()).collect();
        Some(Self {
            piece: piece.kind.name(),
            moves: names(reached & !occupied & !quiet),
            quiet: names(quiet),
            captures: names(captures),
            leaps: leaps.map(|square| square.to_string()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    /// The moves, quiet moves, captures and leaps from a square.
    fn reach(fen: &str, from: &str) -> [String; 4] {
        let board = Board::from_fen(fen, Variant::Spartan).expect("a valid FEN");
        let from = Square::from_ascii(from.as_bytes()[0], from.as_bytes()[1]).expect("a square");
        let Reach { moves, quiet, captures, leaps, .. } = Reach::of(&board, from).expect("a piece");
        [moves, quiet, captures, leaps].map(|squares| squares.join(" "))
    }

    #[test]
    fn every_kind_in_the_first_position() {
        let start = Variant::Spartan.start_fen();
        for (from, moves, quiet, captures, leaps) in [
            // Whose turn it is does not matter.
            ("d7", "", "b5 f5 c6 e6", "d6", "b5 f5"),
            ("a8", "c6", "", "", "c6"),
            ("d8", "d6", "", "", "d6"),
            ("g8", "f6 h6", "", "", "f6 h6"),
            ("b8", "", "", "", ""),
            ("c8", "", "", "", ""),
            ("e2", "", "e3 e4", "d3 f3", ""),
            ("g1", "f3 h3", "", "", "f3 h3"),
            ("d1", "", "", "", ""),
        ] {
            assert_eq!(reach(start, from), [moves, quiet, captures, leaps], "{from}");
        }
    }

    #[test]
    fn captures_leaps_and_what_stands_between() {
        let fen = "k7/3h4/2P1P3/1h1h4/1PPl1P2/2PhP3/1P1P1P2/4K3 w - - 0 1";
        assert_eq!(reach(fen, "d4"), ["c5 e5 b6 f6", "e4", "b2 f2 c3 e3", "b2 f2 b6 f6"]);
        // A hoplite leaps over what stands beside it; straight ahead is an own piece.
        assert_eq!(reach(fen, "d7"), ["", "f5", "d6", "f5"]);
        // Neither an enemy nor an own piece is passed without a leap.
        let fen = "k7/8/3P4/8/1h1g2P1/8/3h4/7K w - - 0 1";
        assert_eq!(reach(fen, "d4"), ["c3 d3 e3 c4 e4 f4 c5 d5 e5", "", "g4 d6", ""]);
    }

    #[test]
    fn an_empty_square_has_none() {
        let board = Board::start(Variant::Spartan);
        assert!(Square::from_ascii(b'e', b'4').is_some_and(|square| Reach::of(&board, square).is_none()));
    }
}
