//! The moves of the side not to move.

use agoge_core::board::{Board, Game};
use agoge_core::types::{Bitboard, CastlingSide, Colour, PieceType, Square};
use serde::Serialize;

/// What the side not to move could play, in coordinate notation.
#[derive(Serialize)]
pub struct OtherSide {
    /// The legal moves if it were its turn, without captures of the last king.
    moves: Vec<String>,
    /// The moves that may become legal by the next move of the opponent: each piece goes wherever it could go if the
    /// squares were empty or occupied as it needs them.
    premoves: Vec<String>,
}

impl OtherSide {
    pub fn of(game: &Game) -> Self {
        let mut board = game.board().clone();
        board.make_null_move();
        let kings = board.kings(!board.side_to_move());
        let safe = if kings.count() > 1 { Bitboard::EMPTY } else { kings };
        let moves = board.legal_moves().into_iter().filter(|mv| !safe.has(mv.to()));
        Self { moves: moves.map(|mv| mv.to_string()).collect(), premoves: premoves(&board) }
    }
}

/// The premoves of the side to move.
fn premoves(board: &Board) -> Vec<String> {
    let side = board.side_to_move();
    let mut list = Vec::new();
    for from in board.colour(side) {
        let is_pawn = board.kind_on(from).is_some_and(PieceType::is_pawn);
        for to in targets(board, from) {
            if is_pawn && to.rank() == last_rank(side) {
                list.extend(promotions(board).map(|kind| format!("{from}{to}{}", kind.letter())));
            } else {
                list.push(format!("{from}{to}"));
            }
        }
    }
    list
}

/// The squares that a piece could reach in one move, whatever the opponent plays before.
fn targets(board: &Board, from: Square) -> Bitboard {
    let side = board.side_to_move();
    let alone = board.reachable(from, Bitboard::of(from));
    // Pawns and hoplites capture in other directions than they move.
    let captures = match board.kind_on(from) {
        Some(kind) if kind.is_pawn() => board.reachable(from, Bitboard::ALL),
        _ => Bitboard::EMPTY,
    };
    let castles = CastlingSide::ALL.into_iter().filter(|&castling| board.castling().has(side, castling));
    let castles = castles.map(|castling| castling.squares(side)).filter(|squares| squares.king_from == from);
    castles.fold(alone | captures, |set, squares| set.with(squares.king_to))
}

/// The pieces to which a pawn or hoplite may promote, the strongest first.
fn promotions(board: &Board) -> impl Iterator<Item = PieceType> {
    let side = board.side_to_move();
    let army = board.variant().army(side);
    let king = (board.kings(side).count() < army.max_kings).then_some(PieceType::King);
    army.promotions.into_iter().chain(king)
}

fn last_rank(side: Colour) -> agoge_core::types::Rank {
    CastlingSide::King.squares(!side).king_from.rank()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;
    use agoge_core::rng::Rng;

    fn other(fen: &str) -> OtherSide {
        let variant = if fen.contains(['q', 'p', 'n']) { Variant::Chess } else { Variant::Spartan };
        OtherSide::of(&Game::new(Board::from_fen(fen, variant).expect("a valid FEN")))
    }

    /// The squares to which a piece can go by the moves of a list, in order.
    fn targets_from(list: &[String], from: &str) -> String {
        let mut squares: Vec<&str> = list.iter().filter_map(|mv| mv.strip_prefix(from)).collect();
        squares.sort_unstable();
        squares.join(" ")
    }

    #[test]
    fn premoves_ignore_what_may_change() {
        let start = other("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1");
        // Steps, leaps and captures of a hoplite; own pieces may be captured before.
        assert_eq!(targets_from(&start.premoves, "d7"), "b5 c6 d6 e6 f5");
        assert_eq!(targets_from(&start.premoves, "a8"), "b7 b8 c6");
        assert_eq!(targets_from(&start.moves, "d7"), "b5 c6 e6 f5");
        let persians = other("k7/8/8/8/8/8/P7/R3K2R b KQ - 0 1");
        assert_eq!(targets_from(&persians.premoves, "e1"), "c1 d1 d2 e2 f1 f2 g1");
        assert_eq!(targets_from(&persians.premoves, "a2"), "a3 a4 b3");
        assert_eq!(targets_from(&persians.moves, "a2"), "a3 a4");
    }

    #[test]
    fn premoves_promote() {
        let one_king = other("k7/8/8/8/8/8/h7/4K3 w - - 0 1");
        assert_eq!(targets_from(&one_king.premoves, "a2"), "a1c a1g a1k a1l a1w b1c b1g b1k b1l b1w");
        let two_kings = other("kk6/8/8/8/8/8/h7/4K3 w - - 0 1");
        assert_eq!(targets_from(&two_kings.premoves, "a2a1"), "c g l w");
    }

    #[test]
    fn no_last_king_is_captured() {
        let checked = other("k7/8/8/8/8/8/8/R3K3 b - - 0 1");
        assert!(!checked.moves.contains(&"a1a8".to_owned()) && checked.moves.contains(&"a1a7".to_owned()));
        let one_of_two = other("k6k/8/8/8/8/8/8/R3K3 b - - 0 1");
        assert!(one_of_two.moves.contains(&"a1a8".to_owned()));
    }

    /// After any move of the opponent, every legal move is among the premoves.
    #[test]
    fn premoves_contain_all_later_moves() {
        let mut rng = Rng::new(7);
        for variant in Variant::ALL {
            for _ in 0..8 {
                let mut game = Game::start(variant);
                while game.outcome().is_none() && game.moves().len() < 120 {
                    let OtherSide { premoves, .. } = OtherSide::of(&game);
                    let kings = game.board().kings(!game.board().side_to_move()).count();
                    game.push(rng.pick(&game.board().legal_moves())).expect("a legal move");
                    let board = game.board();
                    // A king captured just now allows a new one, which nobody could foresee.
                    if board.kings(board.side_to_move()).count() < kings {
                        continue;
                    }
                    for mv in board.legal_moves() {
                        assert!(premoves.contains(&mv.to_string()), "{} {mv}", board.to_fen());
                    }
                }
            }
        }
    }
}
