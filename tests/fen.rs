//! FEN: valid FENs and how they are printed, invalid FENs and their errors.

use crate::common::positions_lines;
use agoge_core::board::{Board, Variant};

/// Splits a line `FEN ; text` or `FEN ; text ; variant`. Blanks in the FEN are preserved.
pub fn split(line: &str) -> (String, String, Variant) {
    let parts: Vec<&str> = line.split(';').collect();
    let variant = parts.get(2).map_or(Variant::Spartan, |name| Variant::from_name(name.trim()).expect("a variant"));
    let text = parts.get(1).unwrap_or_else(|| panic!("no expected text in {line}"));
    // Tabs in a FEN are written as \t in the files.
    (parts[0].replace("\\t", "\t"), text.trim().to_string(), variant)
}

#[test]
fn valid_fens() {
    for (number, line) in positions_lines("valid.fens") {
        let (fen, printed, variant) = split(&line);
        let board =
            Board::from_fen(&fen, variant).unwrap_or_else(|error| panic!("valid.fens:{number}: {error}: {fen}"));
        assert_eq!(board.to_fen(), printed, "valid.fens:{number}: {fen}");
        assert_eq!(Board::from_fen(&printed, variant), Ok(board), "valid.fens:{number}: {printed}");
    }
}

#[test]
fn invalid_fens() {
    for (number, line) in positions_lines("invalid.fens") {
        let (fen, field, variant) = split(&line);
        match Board::from_fen(&fen, variant) {
            Ok(board) => panic!("invalid.fens:{number}: {fen} is read as {board}"),
            Err(error) => {
                assert_eq!(error.field.to_string(), field, "invalid.fens:{number}: {fen}: {error}");
                assert!(error.to_string().starts_with(&format!("{field}: ")), "invalid.fens:{number}: {error}");
                assert!(
                    !error.cause.is_empty() && error.to_string().lines().count() == 1,
                    "invalid.fens:{number}: {error}"
                );
            }
        }
    }
}

#[test]
fn start_positions() {
    for variant in Variant::ALL {
        assert_eq!(Board::start(variant).to_fen(), variant.start_fen());
        assert_eq!(Variant::from_name(&variant.name().to_uppercase()), Some(variant));
    }
    assert_eq!(Variant::default(), Variant::Spartan);
    // The initial position of the other variant is invalid.
    assert!(Board::from_fen(Variant::Chess.start_fen(), Variant::Spartan).is_err());
    assert!(Board::from_fen(Variant::Spartan.start_fen(), Variant::Chess).is_err());
}

#[test]
fn known_positions_print_unchanged() {
    for file in ["perft.epd", "corner_cases.epd", "draws.epd"] {
        for (number, line) in positions_lines(file) {
            let fen = line.split(';').next().unwrap_or_default().trim();
            let printed = Board::from_fen(fen, Variant::Spartan).expect("a valid FEN").to_fen();
            let fields: Vec<&str> = fen.split(' ').collect();
            // There is no en passant, so it is never printed.
            let expected = [&fields[..3], &["-"], &fields[4..]].concat().join(" ");
            assert_eq!(printed, expected, "{file}:{number}");
        }
    }
}
