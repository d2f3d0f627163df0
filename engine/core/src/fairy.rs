//! Answers in the manner of Fairy-Stockfish's libraries, pyffish for Python and ffish for JavaScript, which our
//! packages for these languages stand in for.

use crate::board::{Board, FenError, FenField, Setup, Variant};
use crate::types::{Colour, Move, MoveKind, PieceType};

/// Whether a notation of these libraries, given by its number, is the long one: 0 and 1 are SAN, 2 is LAN.
///
/// # Errors
/// If it is none of the three; the error is a message for the user.
pub fn is_long(notation: u32) -> Result<bool, String> {
    match notation {
        0 | 1 => Ok(false),
        2 => Ok(true),
        _ => Err(format!("notation {notation} is not supported")),
    }
}

/// A legal move in SAN or, as `e2-e4` and `Qd1xd7+`, in long algebraic notation.
pub fn written(board: &Board, mv: Move, long: bool) -> String {
    let san = board.to_san(mv);
    if !long || mv.kind() == MoveKind::Castling {
        return san;
    }
    let capital = |kind: PieceType| kind.letter().to_ascii_uppercase();
    let piece = board.kind_on(mv.from()).filter(|&kind| kind != PieceType::Pawn);
    let piece = piece.map(|kind| capital(kind).to_string()).unwrap_or_default();
    let sign = if board.captured(mv).is_some() { 'x' } else { '-' };
    let promotion = mv.promoted().map(|kind| format!("={}", capital(kind))).unwrap_or_default();
    let suffix = san.strip_suffix(['+', '#']).map_or("", |rest| &san[rest.len()..]);
    format!("{piece}{}{sign}{}{promotion}{suffix}", mv.from(), mv.to())
}

/// Whether a side cannot win with its material. Of a single side these libraries never say so in Spartan Chess.
pub fn has_insufficient_material(board: &Board, side: Colour) -> bool {
    board.is_dead_position() || board.variant() == Variant::Chess && board.colour(side).count() == 1
}

/// The number of plies before a position, from its move number.
pub fn ply(board: &Board) -> usize {
    2 * usize::from(board.fullmove_number().saturating_sub(1)) + board.side_to_move().index()
}

/// 1 for a valid FEN, 0 for an empty one, otherwise the code of the wrong field.
pub fn validate_fen(fen: &str, variant: Variant) -> i32 {
    if fen.trim().is_empty() {
        return 0;
    }
    let setup = match Setup::from_fen(fen, variant) {
        Ok(setup) => setup,
        Err(error) => return code_of(error.field),
    };
    match Board::try_from(&setup).map_err(|error| FenError::from(error).field) {
        Ok(_) => 1,
        Err(field @ (FenField::Castling | FenField::EnPassant)) => code_of(field),
        // The pieces and the side to move do not make a position.
        Err(_) => -3,
    }
}

const fn code_of(field: FenField) -> i32 {
    match field {
        FenField::Whole => -11,
        FenField::Pieces => -10,
        FenField::SideToMove => -6,
        FenField::Castling => -5,
        FenField::EnPassant => -4,
        FenField::HalfmoveClock => -2,
        FenField::FullmoveNumber => -1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_notation() {
        for (variant, fen, mv, long) in [
            (Variant::Spartan, Variant::Spartan.start_fen(), "e2e4", "e2-e4"),
            (Variant::Spartan, "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "c1c8", "Qc1-c8#"),
            (Variant::Spartan, "k7/8/8/8/8/8/h7/4K3 b - - 0 1", "a2b1g", "Ha2-b1=G+"),
            (Variant::Chess, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O"),
            (Variant::Chess, "3rk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8", "Rd1xd8+"),
        ] {
            let board = Board::from_fen(fen, variant).expect("a position");
            let mv = board.parse_move(mv).unwrap_or_else(|error| panic!("{mv}: {error}"));
            assert_eq!(written(&board, mv, true), long);
            assert_eq!(written(&board, mv, false), board.to_san(mv));
        }
        assert!(is_long(3).is_err());
    }

    #[test]
    fn codes_of_fens() {
        let start = Variant::Spartan.start_fen();
        assert_eq!(validate_fen(start, Variant::Spartan), 1);
        assert_eq!(validate_fen(" ", Variant::Spartan), 0);
        assert_eq!(validate_fen(&start.replace(" w ", " x "), Variant::Spartan), -6);
        assert_eq!(validate_fen(start, Variant::Chess), -3);
        assert_eq!(validate_fen(&start.replace('P', "X"), Variant::Spartan), -10);
        assert_eq!(validate_fen("k7/8/8/8/8/8/8/4K3 w K - 0 1", Variant::Spartan), -5);
        assert_eq!(validate_fen("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", Variant::Chess), -4);
    }

    #[test]
    fn material_and_plies() {
        let board = |fen, variant| Board::from_fen(fen, variant).expect("a position");
        let rook = board("4k3/8/8/8/8/8/8/3RK3 b - - 0 7", Variant::Chess);
        assert!(has_insufficient_material(&rook, Colour::Black) && !has_insufficient_material(&rook, Colour::White));
        assert_eq!(ply(&rook), 13);
        let spartan = board("4k3/8/8/8/8/8/8/3RK3 w - - 0 7", Variant::Spartan);
        assert!(!has_insufficient_material(&spartan, Colour::Black));
        assert_eq!(ply(&spartan), 12);
    }
}
