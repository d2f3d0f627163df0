//! Reading and writing Forsyth-Edwards notation (FEN), with full validation.

use super::{Board, Keys, KingState, Variant};
use crate::types::{Bitboard, CastlingRights, Colour, File, Piece, PieceType, Rank, Square};
use std::fmt;

/// A part of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenField {
    /// The whole text: the number of fields.
    Whole,
    /// Field 1.
    Pieces,
    /// Field 2.
    SideToMove,
    /// Field 3.
    Castling,
    /// Field 4.
    EnPassant,
    /// Field 5.
    HalfmoveClock,
    /// Field 6.
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
    /// The wrong part.
    pub field: FenField,
    /// The reason.
    pub cause: String,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.cause)
    }
}

impl std::error::Error for FenError {}

fn error<T>(field: FenField, cause: impl Into<String>) -> Result<T, FenError> {
    Err(FenError { field, cause: cause.into() })
}

/// A quoted part of the input, truncated to 40 characters.
fn quoted(text: &str) -> String {
    if text.chars().count() > 40 {
        format!("'{}…'", text.chars().take(40).collect::<String>())
    } else {
        format!("'{text}'")
    }
}

impl Board {
    /// Reads a FEN of a variant: six fields, or four, in which case the counters are 0 and 1. Fields may be separated
    /// and surrounded by any number of blanks.
    ///
    /// # Errors
    /// The wrong field and the cause, if the text is not a position of the variant or if all kings of the side not to
    /// move are attacked.
    pub fn from_fen(fen: &str, variant: Variant) -> Result<Self, FenError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().take(7).collect();
        let (pieces, side, castling, en_passant, halfmoves, fullmoves) = match *fields {
            [a, b, c, d] => (a, b, c, d, "0", "1"),
            [a, b, c, d, e, f] => (a, b, c, d, e, f),
            [] => return error(FenField::Whole, "empty"),
            _ if fields.len() > 6 => return error(FenField::Whole, "more than 6 fields"),
            _ => return error(FenField::Whole, format!("{} fields, not 6 or 4", fields.len())),
        };
        let mut board = Self {
            kinds: Default::default(),
            colours: Default::default(),
            squares: [None; 64],
            keys: Keys::default(),
            kings: [KingState::ABSENT; 2],
            variant,
            side_to_move: Colour::White,
            castling: CastlingRights::NONE,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        };
        board.read_pieces(pieces)?;
        board.side_to_move = match side {
            "w" => Colour::White,
            "b" => Colour::Black,
            _ => return error(FenField::SideToMove, format!("{} is neither w nor b", quoted(side))),
        };
        board.check_pieces()?;
        board.castling = board.read_castling(castling)?;
        board.halfmove_clock = read_counter(halfmoves, FenField::HalfmoveClock)?;
        board.fullmove_number = read_counter(fullmoves, FenField::FullmoveNumber)?.max(1);
        board.keys = board.recomputed_keys();
        board.update_kings();
        board.read_en_passant(en_passant)?;
        Ok(board)
    }

    fn read_pieces(&mut self, text: &str) -> Result<(), FenError> {
        let field = FenField::Pieces;
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
                    let Some(piece) = self.piece_of_letter(letter) else {
                        return error(
                            field,
                            format!("'{}' is not a piece of {}", letter.escape_default(), self.variant.name()),
                        );
                    };
                    let (Some(f), Some(r)) = (File::new(file), Rank::new(index)) else {
                        return error(field, format!("rank {number} is too long"));
                    };
                    self.put_piece(piece, Square::at(f, r));
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
        Ok(())
    }

    /// The piece with a letter, if its side has such a piece in this variant.
    fn piece_of_letter(&self, letter: char) -> Option<Piece> {
        let kind = PieceType::from_letter(letter)?;
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        let spartan = self.variant == Variant::Spartan && colour == Colour::Black;
        let belongs = kind == PieceType::King || (kind > PieceType::King) == spartan;
        belongs.then_some(Piece { colour, kind })
    }

    /// Checks the pieces: number of kings, no pawns on the back ranks, and the side not to move not in check.
    fn check_pieces(&self) -> Result<(), FenError> {
        let field = FenField::Pieces;
        for colour in Colour::ALL {
            let kings = self.kings(colour).count();
            let most = if self.variant == Variant::Spartan && colour == Colour::Black { 2 } else { 1 };
            if kings == 0 || kings > most {
                let wanted = if most == 2 { "one or two kings" } else { "one king" };
                return error(field, format!("{colour:?} must have {wanted}, not {kings}"));
            }
        }
        if let Some(square) = (self.pawns() & Bitboard::BACK_RANKS).first() {
            let name = if self.kind_on(square) == Some(PieceType::Pawn) { "pawn" } else { "hoplite" };
            return error(field, format!("a {name} on {square}"));
        }
        if self.all_kings_attacked(!self.side_to_move) {
            return error(field, format!("{:?} is in check, but it is not {0:?}'s move", !self.side_to_move));
        }
        Ok(())
    }

    fn read_castling(&self, text: &str) -> Result<CastlingRights, FenError> {
        let field = FenField::Castling;
        let mut rights = CastlingRights::NONE;
        if text == "-" {
            return Ok(rights);
        }
        for letter in text.chars() {
            let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
            let king_side = match letter {
                'K' | 'H' => true,
                'Q' | 'A' => false,
                // Some programs write Black's rights although the Spartans never castle.
                'k' | 'q' if self.variant == Variant::Spartan => continue,
                'k' | 'h' if self.variant == Variant::Chess => true,
                'q' | 'a' if self.variant == Variant::Chess => false,
                _ => return error(field, format!("{} has an invalid letter", quoted(text))),
            };
            if rights.has(colour, king_side) {
                return error(field, format!("{} has a right twice", quoted(text)));
            }
            let (king, rook) = match (colour, king_side) {
                (Colour::White, true) => (Square::E1, Square::H1),
                (Colour::White, false) => (Square::E1, Square::A1),
                (Colour::Black, true) => (Square::E8, Square::H8),
                (Colour::Black, false) => (Square::E8, Square::A8),
            };
            if !self.kings(colour).has(king) || !self.coloured(colour, PieceType::Rook).has(rook) {
                return error(field, format!("'{letter}' needs the king on {king} and a rook on {rook}"));
            }
            rights = rights.with(colour, king_side);
        }
        Ok(rights)
    }

    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        let field = FenField::EnPassant;
        if text == "-" {
            return Ok(());
        }
        let square = match *text.as_bytes() {
            [file, rank @ (b'3' | b'6')] => Square::from_ascii(file, rank),
            _ => None,
        };
        let Some(square) = square else {
            return error(field, format!("{} is not a square on rank 3 or 6", quoted(text)));
        };
        if self.variant == Variant::Spartan {
            // There is no en passant; only the syntax of the field is checked.
            return Ok(());
        }
        let (rank, forward) = if self.side_to_move == Colour::White { ('6', -1) } else { ('3', 1) };
        let pawn = square.offset(0, forward);
        let origin = square.offset(0, -forward);
        let stepped = square.rank().digit() == rank
            && pawn.is_some_and(|pawn| self.coloured(!self.side_to_move, PieceType::Pawn).has(pawn))
            && [Some(square), origin].into_iter().flatten().all(|empty| !self.occupied().has(empty));
        if !stepped {
            return error(field, format!("no pawn has just passed over {square}"));
        }
        self.set_en_passant(square);
        Ok(())
    }

    /// The FEN: castling rights in the order KQkq, the en-passant square only if a legal capture exists.
    pub fn to_fen(&self) -> String {
        self.to_string()
    }
}

fn read_counter(text: &str, field: FenField) -> Result<u16, FenError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return error(field, format!("{} is not a number", quoted(text)));
    }
    text.parse().or_else(|_| error(field, format!("{} is more than {}", quoted(text), u16::MAX)))
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8u8).rev() {
            let mut gap = 0;
            for file in 0..8u8 {
                if let Some(piece) = self.piece_on(Square::new(rank * 8 + file)) {
                    if gap > 0 {
                        write!(f, "{gap}")?;
                        gap = 0;
                    }
                    write!(f, "{}", piece.letter())?;
                } else {
                    gap += 1;
                }
            }
            if gap > 0 {
                write!(f, "{gap}")?;
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        f.write_str(if self.side_to_move == Colour::White { " w " } else { " b " })?;
        if self.castling.is_empty() {
            f.write_str("-")?;
        }
        for (colour, king_side, letter) in [
            (Colour::White, true, 'K'),
            (Colour::White, false, 'Q'),
            (Colour::Black, true, 'k'),
            (Colour::Black, false, 'q'),
        ] {
            if self.castling.has(colour, king_side) {
                write!(f, "{letter}")?;
            }
        }
        match self.en_passant {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", self.halfmove_clock, self.fullmove_number)
    }
}
/// The first field of a FEN, from letters and blanks in the order a8, b8 and so on to h1.
#[cfg(test)]
pub(crate) fn placement(men: &[char; 64]) -> String {
    let rows: Vec<String> = men.chunks(8).map(String::from_iter).collect();
    let shorten = |text: String, count: usize| text.replace(&" ".repeat(count), &count.to_string());
    (1..=8).rev().fold(rows.join("/"), shorten)
}
