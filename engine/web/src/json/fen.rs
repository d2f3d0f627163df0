//! Reads positions, and explains in whole sentences what is wrong with them.

use agoge_core::board::{Board, FenError, FenField, Setup, SetupError, Variant};
use agoge_core::types::{CastlingSquares, Piece};

/// Reads a FEN.
///
/// # Errors
/// What is wrong, as a sentence for the user.
pub fn read(fen: &str, variant: Variant) -> Result<Board, String> {
    parse(fen, variant).map_err(|error| {
        let Some(other) = Variant::fitting(fen).filter(|&other| other != variant) else { return error };
        match parse(fen, other) {
            Ok(_) => format!("This is a position of {}, not of {}.", other.title(), variant.title()),
            Err(error) => error,
        }
    })
}

fn parse(fen: &str, variant: Variant) -> Result<Board, String> {
    let setup = Setup::from_fen(fen, variant).map_err(|error| unreadable(&error))?;
    Board::try_from(&setup).map_err(|error| illegal(error, variant))
}

/// What is wrong with a text that is no FEN.
fn unreadable(error: &FenError) -> String {
    let FenError { field, cause } = error;
    match field {
        FenField::Whole => format!("The FEN cannot be read: {cause}."),
        field => format!("The {field} in the FEN cannot be read: {cause}."),
    }
}

/// Why a set-up is not a legal position.
fn illegal(error: SetupError, variant: Variant) -> String {
    let name = |colour| variant.army(colour).name;
    // "the Persians are", "White is"
    let [is, has] = if variant == Variant::Spartan { ["are", "have"] } else { ["is", "has"] };
    let text = match error {
        SetupError::Piece { piece: Piece { colour, kind }, square } => {
            format!("{} cannot have the {} on {square}.", name(colour), kind.name())
        }
        SetupError::Kings { colour, count, most } => {
            let wanted = if most == 1 { "one king" } else { "one or two kings" };
            let count = if count == 0 { "none".to_owned() } else { count.to_string() };
            format!("{} must have {wanted}, but {has} {count}.", name(colour))
        }
        SetupError::BackRank { kind, square } => format!("A {} cannot stand on {square}.", kind.name()),
        SetupError::OpponentInCheck(colour) => {
            format!("{} {is} in check, but {} {is} to move.", name(colour), name(!colour))
        }
        SetupError::Castling { colour, side } => {
            let CastlingSquares { king_from, rook_from, .. } = side.squares(colour);
            format!("{} can castle there only with the king on {king_from} and a rook on {rook_from}.", name(colour))
        }
        SetupError::EnPassant(square) => {
            format!("No pawn has just passed over {square}, so nothing is captured there.")
        }
    };
    capitalised(&text)
}

/// A sentence with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_a_sentence() {
        use Variant::{Chess, Spartan};
        for (fen, variant, sentence) in [
            ("8/8/8/8/8/8/8/4K3 w - - 0 1", Spartan, "The Spartans must have one or two kings, but have none."),
            ("kk6/8/k7/8/8/8/8/4K3 w - - 0 1", Spartan, "The Spartans must have one or two kings, but have 3."),
            ("k7/8/8/8/8/8/8/KK6 w - - 0 1", Chess, "White must have one king, but has 2."),
            ("k3g3/8/8/8/8/8/8/4K3 b - - 0 1", Spartan, "The Persians are in check, but the Spartans are to move."),
            ("k3r3/8/8/8/8/8/8/4K3 b - - 0 1", Chess, "White is in check, but Black is to move."),
            ("k2g3P/8/8/8/8/8/8/4K3 w - - 0 1", Spartan, "A pawn cannot stand on h8."),
            (
                "k2g4/8/8/8/8/8/8/4K3 w K - 0 1",
                Spartan,
                "The Persians can castle there only with the king on e1 and a rook on h1.",
            ),
            ("k2g4/8/8/8/8/8/8/K2G4 w - - 0 1", Spartan, "The Persians cannot have the general on d1."),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - e6 0 1",
                Chess,
                "No pawn has just passed over e6, so nothing is captured there.",
            ),
            (Chess.start_fen(), Spartan, "This is a position of orthodox chess, not of Spartan Chess."),
            ("8/8 w - -", Spartan, "The piece placement in the FEN cannot be read: 2 ranks, not 8."),
            ("8/8", Spartan, "The FEN cannot be read: 1 field, not 6 or 4."),
        ] {
            assert_eq!(read(fen, variant).err().as_deref(), Some(sentence), "{fen}");
        }
        assert!(read(Spartan.start_fen(), Spartan).is_ok());
    }
}
