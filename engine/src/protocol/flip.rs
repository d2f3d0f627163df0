//! The command `flip`.

use crate::board::{Board, FenError, Variant};

/// The flipped position, which has the same value except for castling.
///
/// In orthodox chess the colours are swapped: the ranks are mirrored, each piece changes its colour, and the other side
/// is to move. The armies of Spartan Chess differ, so its files are mirrored instead, and White loses its castling
/// rights.
///
/// # Errors
/// If the result is not a legal position; no such case is known.
pub(super) fn flip(board: &Board) -> Result<Board, FenError> {
    let fen = board.to_fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let [pieces, side, castling, en_passant, halfmoves, fullmoves] = fields[..] else { return Ok(board.clone()) };
    let flipped = match board.variant() {
        Variant::Spartan => {
            let rows: Vec<String> = pieces.split('/').map(|row| row.chars().rev().collect()).collect();
            format!("{} {side} - - {halfmoves} {fullmoves}", rows.join("/"))
        }
        Variant::Chess => {
            let rows: Vec<String> = pieces.split('/').rev().map(swap_case).collect();
            let side = if side == "w" { "b" } else { "w" };
            let castling = swap_case(castling);
            let en_passant = en_passant.replace('3', "x").replace('6', "3").replace('x', "6");
            format!("{} {side} {castling} {en_passant} {halfmoves} {fullmoves}", rows.join("/"))
        }
    };
    Board::from_fen(&flipped, board.variant())
}

fn swap_case(text: &str) -> String {
    let swap = |letter: char| {
        if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
    };
    text.chars().map(swap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipping_twice_restores_the_position() {
        for (variant, fen, flipped) in [
            (
                Variant::Chess,
                "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQq e3 3 7",
                "rnbqkbnr/pppp1ppp/8/3Pp3/8/8/PPP1PPPP/RNBQKBNR w Qkq e6 3 7",
            ),
            (Variant::Spartan, "1k5l/8/8/2h5/8/8/P7/R3K3 b - - 5 9", "l5k1/8/8/5h2/8/8/7P/3K3R b - - 5 9"),
        ] {
            let board = Board::from_fen(fen, variant).unwrap();
            let other = flip(&board).unwrap();
            assert_eq!(other.to_fen(), flipped);
            assert_eq!(flip(&other).unwrap().to_fen(), fen);
            assert_eq!(board.legal_moves().len(), other.legal_moves().len());
        }
    }

    #[test]
    fn mirroring_removes_castling_rights() {
        let flipped = flip(&Board::start(Variant::Spartan)).unwrap();
        assert_eq!(flipped.to_fen(), "lwkcckgl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1");
    }
}
