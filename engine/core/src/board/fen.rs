//! Reading and writing Forsyth-Edwards notation (FEN).

use super::setup::{Setup, SetupError};
use super::{Board, Variant};
use crate::text::quoted;
use crate::types::{CastlingRights, CastlingSide, Colour, File, Piece, Rank, Square};
use std::fmt;

/// A part of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenField {
    /// The whole text: the number of fields.
    Whole,
    Pieces,
    SideToMove,
    Castling,
    EnPassant,
    HalfmoveClock,
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
    pub field: FenField,
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
    /// and surrounded by any number of blanks.
    ///
    /// # Errors
    /// The wrong field and the cause, if the text is not a position of the variant or if all kings of the side not to
    /// move are attacked.
    pub fn from_fen(fen: &str, variant: Variant) -> Result<Self, FenError> {
        Ok(Self::try_from(&Setup::from_fen(fen, variant)?)?)
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
        let fields: Vec<&str> = fen.split_ascii_whitespace().take(7).collect();
        let (pieces, side, castling, en_passant, halfmoves, fullmoves) = match *fields {
            [a, b, c, d] => (a, b, c, d, "0", "1"),
            [a, b, c, d, e, f] => (a, b, c, d, e, f),
            [] => return error(FenField::Whole, "empty"),
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

fn read_pieces(text: &str, variant: Variant) -> Result<[Option<Piece>; 64], FenError> {
    let field = FenField::Pieces;
    let mut pieces = [None; 64];
    let ranks = text.split('/').count();
    if ranks != 8 {
        return error(field, format!("{ranks} ranks, not 8"));
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
        if file != 8 {
            return error(field, format!("rank {number} has {file} squares, not 8"));
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
