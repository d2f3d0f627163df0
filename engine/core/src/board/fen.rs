//! Reading and writing Forsyth-Edwards notation (FEN).

use super::setup::{Setup, SetupError};
use super::{Board, Variant};
use crate::text::{is_invisible, quoted, split_unquoted};
use crate::types::{CastlingRights, CastlingSide, Colour, File, Piece, Rank, Square};
use std::borrow::Cow;
use std::fmt;

/// A part of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenField {
    /// The whole text: the number of fields.
    Whole,
    /// The first field: ranks from 8 to 1.
    Pieces,
    /// The second field: `w` or `b`.
    SideToMove,
    /// The third field: letters of [`CastlingRights::EACH`](crate::types::CastlingRights::EACH), or `-`.
    Castling,
    /// The fourth field: the square that a pawn has just passed over, or `-`.
    EnPassant,
    /// The fifth field: plies since the last capture, pawn move or hoplite move.
    HalfmoveClock,
    /// The sixth field: the move number, from 1.
    FullmoveNumber,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "FEN",
            Self::Pieces => "piece placement",
            Self::SideToMove => "side to move",
            Self::Castling => "castling field",
            Self::EnPassant => "en-passant field",
            Self::HalfmoveClock => "halfmove clock",
            Self::FullmoveNumber => "fullmove number",
        })
    }
}

/// Why a text is not a valid FEN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenError {
    /// Where the error is.
    pub field: FenField,
    /// What is wrong, in words, without a full stop.
    pub cause: String,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.cause)
    }
}

impl std::error::Error for FenError {}

impl From<SetupError> for FenError {
    fn from(error: SetupError) -> Self {
        let field = match error {
            SetupError::Castling { .. } => FenField::Castling,
            SetupError::EnPassant(_) => FenField::EnPassant,
            _ => FenField::Pieces,
        };
        Self { field, cause: error.to_string() }
    }
}

fn error<T>(field: FenField, cause: impl Into<String>) -> Result<T, FenError> {
    Err(FenError { field, cause: cause.into() })
}

impl Board {
    /// Reads a FEN of a variant: six fields, or four, in which case the counters are 0 and 1. Fields may be separated
    /// and surrounded by any number of blanks, underscores and quotes, as in texts copied from web pages, and `FEN:`
    /// may stand before them. EPD operations after them are skipped, except the counters `hmvc` and `fmvn`.
    ///
    /// # Errors
    /// The wrong field and the cause, if the text is not a position of the variant or if all kings of the side not to
    /// move are attacked. If the pieces are those of another variant, the error says so.
    pub fn from_fen(fen: &str, variant: Variant) -> Result<Self, FenError> {
        let read = |variant| Ok(Self::try_from(&Setup::from_fen(fen, variant)?)?);
        read(variant).map_err(|error: FenError| {
            let Some(other) = Variant::fitting(fen).filter(|&other| other != variant) else { return error };
            match read(other) {
                Ok(_) => {
                    let cause = format!("this is a position of {}, not of {}", other.name(), variant.name());
                    FenError { cause, ..error }
                }
                Err(error) => {
                    FenError { cause: format!("{} (the pieces are those of {})", error.cause, other.name()), ..error }
                }
            }
        })
    }

    /// The FEN: castling rights in the order KQkq, the en-passant square only if a legal capture exists.
    pub fn to_fen(&self) -> String {
        self.to_string()
    }
}

impl Setup {
    /// Reads a FEN like [`Board::from_fen`], without testing whether the position is legal.
    ///
    /// # Errors
    /// The wrong field and the cause, if the text is not a FEN.
    pub fn from_fen(fen: &str, variant: Variant) -> Result<Self, FenError> {
        let fen = plain(fen);
        let (mut fields, rest) = split_fields(&fen);
        let [mut halfmoves, mut fullmoves] = ["0", "1"];
        if rest.contains(';') {
            for operation in split_unquoted(rest, ';') {
                match operation.split_whitespace().collect::<Vec<_>>()[..] {
                    ["hmvc", number] => halfmoves = number,
                    ["fmvn", number] => fullmoves = number,
                    _ => {}
                }
            }
        } else {
            fields.extend(rest.split(is_separator).filter(|word| !["", "]"].contains(word)).take(3));
        }
        let (pieces, side, castling, en_passant) = match *fields {
            [a, b, c, d] => (a, b, c, d),
            [a, b, c, d, e, f] => {
                [halfmoves, fullmoves] = [e, f];
                (a, b, c, d)
            }
            [] => return error(FenField::Whole, "empty"),
            [_] => return error(FenField::Whole, "1 field, not 6 or 4"),
            _ if fields.len() > 6 => return error(FenField::Whole, "more than 6 fields"),
            _ => return error(FenField::Whole, format!("{} fields, not 6 or 4", fields.len())),
        };
        Ok(Self {
            variant,
            pieces: read_pieces(pieces, variant)?,
            side_to_move: match side {
                "w" => Colour::White,
                "b" => Colour::Black,
                _ => return error(FenField::SideToMove, format!("{} is neither w nor b", quoted(side))),
            },
            castling: read_castling(castling, variant)?,
            // There is no en passant in Spartan Chess; only the syntax of the field is checked.
            en_passant: read_en_passant(en_passant)?.filter(|_| variant.has_en_passant()),
            halfmove_clock: read_counter(halfmoves, FenField::HalfmoveClock)?,
            fullmove_number: read_counter(fullmoves, FenField::FullmoveNumber)?,
        })
    }
}

/// Without letters of no width, and with a hyphen for each dash: word processors replace hyphens.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let letters = text.chars().filter(|&letter| !is_invisible(letter));
    letters
        .map(|letter| if ('\u{2010}'..='\u{2015}').contains(&letter) || letter == '−' { '-' } else { letter })
        .collect()
}

/// Whether a letter separates the fields of a FEN: a blank, the underscore for a blank in addresses, or a quote.
fn is_separator(letter: char) -> bool {
    letter.is_whitespace() || "_\"'`´‘’‚“”„«»".contains(letter)
}

/// Splits a text that begins with a FEN: its fields, six if there are both counters, otherwise at most four; and the
/// rest.
pub fn split_fields(text: &str) -> (Vec<&str>, &str) {
    let skipped = |letter: char| is_separator(letter) || is_invisible(letter) || "[:=".contains(letter);
    let mut rest = text.trim_start_matches(skipped);
    if let Some((label, after)) = rest.split_at_checked(3)
        && ["fen", "epd"].iter().any(|known| label.eq_ignore_ascii_case(known))
        && !after.starts_with(char::is_alphanumeric)
    {
        rest = after.trim_start_matches(skipped);
    }
    let mut fields = Vec::new();
    while fields.len() < 4 && !rest.is_empty() && !rest.starts_with(';') {
        let (field, after) = split_field(rest);
        fields.push(field);
        rest = after;
    }
    let (halfmoves, after) = split_field(rest);
    let (fullmoves, after) = split_field(after);
    let is_counter = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if fields.len() == 4 && is_counter(halfmoves) && is_counter(fullmoves) {
        fields.extend([halfmoves, fullmoves]);
        rest = after;
    }
    (fields, rest)
}

/// Splits off the text up to a separator or a semicolon. The rest begins with the next field.
fn split_field(text: &str) -> (&str, &str) {
    let end = text.find(|letter| is_separator(letter) || letter == ';').unwrap_or(text.len());
    let (field, rest) = text.split_at(end);
    (field, rest.trim_start_matches(is_separator))
}

impl Variant {
    /// The variant to which most letters of the piece placement of a FEN belong, if it is only one.
    pub fn fitting(fen: &str) -> Option<Self> {
        let fen = plain(fen);
        let (fields, _) = split_fields(&fen);
        let pieces = || fields.first().into_iter().flat_map(|pieces| pieces.chars()).filter_map(Piece::from_letter);
        let fit =
            |variant: Self| pieces().filter(|piece| variant.army(piece.colour).kinds.contains(&piece.kind)).count();
        let most = Self::ALL.into_iter().map(fit).max()?;
        let mut best = Self::ALL.into_iter().filter(|&variant| fit(variant) == most);
        best.next().filter(|_| best.next().is_none())
    }
}

fn read_pieces(text: &str, variant: Variant) -> Result<[Option<Piece>; 64], FenError> {
    let field = FenField::Pieces;
    let mut pieces = [None; 64];
    let ranks = text.split('/').count();
    match ranks {
        8 => {}
        1 => return error(field, "1 rank, not 8"),
        _ => return error(field, format!("{ranks} ranks, not 8")),
    }
    for (row, index) in text.split('/').zip((0..8u8).rev()) {
        let number = index + 1;
        let mut file = 0u8;
        let mut after_digit = false;
        for letter in row.chars() {
            if let Some(gap @ 1..=8) = letter.to_digit(10) {
                if after_digit {
                    return error(field, format!("consecutive digits in rank {number}"));
                }
                after_digit = true;
                file += gap as u8;
            } else {
                after_digit = false;
                let Some(piece) = Piece::from_letter(letter) else {
                    let name = variant.name();
                    return error(field, format!("'{}' is not a piece of {name}", letter.escape_default()));
                };
                let (Some(f), Some(r)) = (File::new(file), Rank::new(index)) else {
                    return error(field, format!("rank {number} is too long"));
                };
                pieces[Square::at(f, r).index()] = Some(piece);
                file += 1;
            }
            if file > 8 {
                return error(field, format!("rank {number} is too long"));
            }
        }
        match file {
            8 => {}
            1 => return error(field, format!("rank {number} has 1 square, not 8")),
            _ => return error(field, format!("rank {number} has {file} squares, not 8")),
        }
    }
    Ok(pieces)
}

fn read_castling(text: &str, variant: Variant) -> Result<CastlingRights, FenError> {
    let field = FenField::Castling;
    let mut rights = CastlingRights::NONE;
    if text == "-" {
        return Ok(rights);
    }
    for letter in text.chars() {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        let castles = variant.army(colour).castles;
        let side = match letter.to_ascii_lowercase() {
            'k' | 'h' if castles => CastlingSide::King,
            'q' | 'a' if castles => CastlingSide::Queen,
            // Some programs write Black's rights although the Spartans never castle.
            'k' | 'q' => continue,
            _ => return error(field, format!("{} has an invalid letter", quoted(text))),
        };
        if rights.has(colour, side) {
            return error(field, format!("{} has a right twice", quoted(text)));
        }
        rights = rights.with(colour, side);
    }
    Ok(rights)
}

fn read_en_passant(text: &str) -> Result<Option<Square>, FenError> {
    let square = match *text.as_bytes() {
        [b'-'] => return Ok(None),
        [file, rank @ (b'3' | b'6')] => Square::from_ascii(file, rank),
        _ => None,
    };
    match square {
        Some(_) => Ok(square),
        None => error(FenField::EnPassant, format!("{} is not a square on rank 3 or 6", quoted(text))),
    }
}

fn read_counter(text: &str, field: FenField) -> Result<u16, FenError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return error(field, format!("{} is not a number", quoted(text)));
    }
    text.parse().or_else(|_| error(field, format!("{} is more than {}", quoted(text), u16::MAX)))
}

/// Writes the FEN.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Setup::from(self).fmt(f)
    }
}

/// Writes the FEN.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, rank) in self.pieces.chunks(8).rev().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            let mut gap = 0;
            for piece in rank {
                let Some(piece) = piece else {
                    gap += 1;
                    continue;
                };
                if gap > 0 {
                    write!(f, "{gap}")?;
                    gap = 0;
                }
                write!(f, "{}", piece.letter())?;
            }
            if gap > 0 {
                write!(f, "{gap}")?;
            }
        }
        f.write_str(if self.side_to_move == Colour::White { " w " } else { " b " })?;
        if self.castling.is_empty() {
            f.write_str("-")?;
        }
        for (colour, side) in CastlingRights::EACH {
            if self.castling.has(colour, side) {
                write!(f, "{}", side.letter(colour))?;
            }
        }
        match self.en_passant {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", self.halfmove_clock, self.fullmove_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_texts() {
        let board = Board::from_fen("2k5/8/8/8/8/8/8/4K2R w K - 3 40", Variant::Spartan);
        assert!(board.is_ok());
        for text in [
            "2k5/8/8/8/8/8/8/4K2R\u{a0}w\u{a0}K\u{2009}-\u{3000}3 40",
            "\u{feff}2k5/8/8/8/\u{200b}8/8/8/4K2R w K - 3 40\u{200b}",
            "2k5/8/8/8/8/8/8/4K2R_w_K_-_3_40",
            "\"2k5/8/8/8/8/8/8/4K2R w K - 3 40\"",
            "'2k5/8/8/8/8/8/8/4K2R w K - 3 40'",
            "“2k5/8/8/8/8/8/8/4K2R w K – 3 40”",
            "`2k5/8/8/8/8/8/8/4K2R w K - 3 40`",
            "FEN: 2k5/8/8/8/8/8/8/4K2R w K - 3 40",
            "fen:2k5/8/8/8/8/8/8/4K2R w K - 3 40",
            "FEN 2k5/8/8/8/8/8/8/4K2R w K - 3 40",
            "fen = \"2k5/8/8/8/8/8/8/4K2R w K - 3 40\"",
            "\"FEN\": \"2k5/8/8/8/8/8/8/4K2R w K - 3 40\"",
            "[FEN \"2k5/8/8/8/8/8/8/4K2R w K - 3 40\"]",
            "2k5/8/8/8/8/8/8/4K2R w K - 3 40; bm Rh8; id \"a; b\";",
            "2k5/8/8/8/8/8/8/4K2R w K - 3 40 ; ce 12",
            "2k5/8/8/8/8/8/8/4K2R w K - hmvc 3; fmvn 40;",
            "2k5/8/8/8/8/8/8/4K2R w K - bm Rh8; c0 \"; hmvc 9;\"; fmvn 40; hmvc 3;",
        ] {
            assert_eq!(Board::from_fen(text, Variant::Spartan), board, "{text:?}");
        }
        let plain = Board::from_fen("2k5/8/8/8/8/8/8/4K2R w K -", Variant::Spartan);
        for text in
            ["2k5/8/8/8/8/8/8/4K2R w K - bm Rh8;", "2k5/8/8/8/8/8/8/4K2R w K -;", "epd 2k5/8/8/8/8/8/8/4K2R w K -;"]
        {
            assert_eq!(Board::from_fen(text, Variant::Spartan), plain, "{text:?}");
        }
        for text in
            ["FEN:", "\"\"", "fen", "; 2k5/8/8/8/8/8/8/4K2R w K -", "éé", "[", "2k5/8/8/8/8/8/8/4K2R w K - hmvc x;"]
        {
            assert!(Board::from_fen(text, Variant::Spartan).is_err(), "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_variant_that_the_pieces_fit() {
        let error = |fen: &str, variant| Board::from_fen(fen, variant).expect_err(fen).to_string();
        let (spartan, chess) = (Variant::Spartan.start_fen(), Variant::Chess.start_fen());
        assert!(error(chess, Variant::Spartan).ends_with("this is a position of chess, not of spartan"));
        assert!(error(spartan, Variant::Chess).ends_with("this is a position of spartan, not of chess"));
        let broken = error(&chess.replace(" w ", " x "), Variant::Spartan);
        assert_eq!(broken, "side to move: 'x' is neither w nor b (the pieces are those of chess)");
        assert_eq!(error(&spartan.replace(" w ", " x "), Variant::Spartan), "side to move: 'x' is neither w nor b");
        assert_eq!(Variant::fitting("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), None);
    }
}
