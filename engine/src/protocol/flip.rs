//! The other side of a position: `flip`.

use crate::board::{Board, FenError, Variant};

/// The position with the colours exchanged, in orthodox chess: every piece on the same file of the opposite
/// rank, in the other colour, and the other side to move. The armies of Spartan Chess differ, so that there
/// left and right are exchanged instead, and White may not castle any more. Both are worth the same as the
/// position itself, castling aside.
///
/// # Errors
/// When the result is not a legal position; none is known.
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
            let rows: Vec<String> = pieces.split('/').rev().map(exchange_case).collect();
            let side = if side == "w" { "b" } else { "w" };
            let castling = exchange_case(castling);
            let en_passant = en_passant.replace('3', "x").replace('6', "3").replace('x', "6");
            format!("{} {side} {castling} {en_passant} {halfmoves} {fullmoves}", rows.join("/"))
        }
    };
    Board::from_fen(&flipped, board.variant())
}

fn exchange_case(text: &str) -> String {
    let exchange = |letter: char| {
        if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
    };
    text.chars().map(exchange).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipped_twice_it_is_the_same() {
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
    fn castling_is_lost_in_the_mirror() {
        let flipped = flip(&Board::start(Variant::Spartan)).unwrap();
        assert_eq!(flipped.to_fen(), "lwkcckgl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1");
    }
}
