//! The network's evaluation of a position as text.

use super::arch::{BUCKETS, features, head, head_by, kings_in_danger, threats_of_both};
use super::{Network, accumulate, output};
use crate::board::Board;
use crate::types::score::Value;
use crate::types::{Colour, Piece, PieceType, Square};
use std::fmt::Write;

/// The network's evaluation as tables, in pawns from White's view: the value of each piece, which is the difference of
/// the evaluations with and without it, and the output of each bucket.
///
/// Without a piece, others may be in another threat state; that counts, too. The only king of a side has no such value.
/// All evaluations use the bucket of the whole position, for comparability.
pub fn explain(network: &Network, board: &Board) -> String {
    let side = board.side_to_move();
    let two_kings = board.has_two_kings(Colour::Black);
    let threats = threats_of_both(board);
    let danger = kings_in_danger(board, &threats);
    let pawns = |value: Value| f64::from(if side == Colour::White { value } else { -value }) / 100.0;
    let used = head_by(&threats, board);
    let row = accumulate(network, &features(board));
    let value = output(network, &row, used);

    let worth = |square: Square| {
        let piece = board.piece_on(square)?;
        if piece.kind == PieceType::King && !board.has_two_kings(piece.colour) {
            return None;
        }
        let mut without = board.clone();
        without.remove_piece(piece, square);
        Some(pawns(value) - pawns(output(network, &accumulate(network, &features(&without)), used)))
    };

    let rule = format!("+{}\n", "-------+".repeat(8));
    let mut text = format!("The network {}: the worth of each piece in pawns, from White's view\n\n", network.name());
    for rank in (0..8u8).rev() {
        text.push_str(&rule);
        let squares = || (0..8u8).map(|file| Square::new(rank * 8 + file));
        for square in squares() {
            let letter = board.piece_on(square).map_or(' ', Piece::letter);
            let _ = write!(text, "|   {letter}   ");
        }
        text.push_str("|\n");
        for square in squares() {
            let _ = match worth(square) {
                Some(worth) => write!(text, "|{worth:+6.2} "),
                None => write!(text, "|       "),
            };
        }
        text.push_str("|\n");
    }
    text.push_str(&rule);

    text.push_str("\nbucket (pieces)   value\n");
    for bucket in 0..BUCKETS as u32 {
        let of_bucket = head(side, two_kings, danger, 4 * bucket + 1);
        let mark = if of_bucket == used { " <- this position" } else { "" };
        let _ = writeln!(
            text,
            "{:>6} ({:>2} to {:>2}) {:+8.2}{mark}",
            bucket,
            4 * bucket + 1,
            4 * bucket + 4,
            pawns(output(network, &row, of_bucket))
        );
    }
    let _ = writeln!(text, "\nevaluation {:+.2} (White's view)", pawns(value));
    text
}

#[cfg(test)]
mod tests {
    use super::super::arch::{HEADS, QA, QB};
    use super::*;
    use crate::board::Variant;

    #[test]
    fn shows_the_worth_of_a_piece() {
        let mut network = Network::zeroed();
        network.set_name("knights").expect("a name");
        // The neuron is 1 with an unattacked white knight, otherwise 0.
        for square in 0..64 {
            network.feature_weights_mut()[64 + square].0[0] = QA as i16;
        }
        for of_head in 0..HEADS {
            network.output_weights_mut()[of_head].0[0] =
                if of_head < HEADS / 2 { QB as i16 / 4 } else { -(QB as i16) / 4 };
        }
        for side in ["w", "b"] {
            let board = Board::from_fen(&format!("k6k/8/8/8/3N4/8/8/K7 {side} - - 0 1"), Variant::Spartan).unwrap();
            let text = explain(&network, &board);
            assert!(text.contains("The network knights"), "{text}");
            assert!(text.contains("| +1.00 |"), "{text}");
            assert_eq!(text.matches("| +0.00 ").count(), 2, "the two kings of Black: {text}");
            assert!(text.contains("     0 ( 1 to  4)    +1.00 <- this position"), "{text}");
            assert!(text.ends_with("evaluation +1.00 (White's view)\n"), "{text}");
        }
    }
}
