//! Moves in 16 bits, and move lists.

use super::{PieceType, Square};
use arrayvec::ArrayVec;
use std::fmt;
use std::num::NonZeroU16;

/// What a move does besides moving a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    /// A step or capture without special effects.
    Normal,
    /// Castling, encoded as the king's move: e1g1, e1c1.
    Castling,
    /// An en-passant capture; only in orthodox chess.
    EnPassant,
    /// A pawn or hoplite becomes this piece.
    Promotion(PieceType),
}

/// A move: six bits for the origin, six for the destination, four for the [`MoveKind`].
///
/// Origin and destination differ, so no move is zero and `Option<Move>` has the same size.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

/// The promotions of pawns and hoplites, in the order of their codes.
const PROMOTIONS: [PieceType; 9] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::Lieutenant,
    PieceType::Captain,
    PieceType::General,
    PieceType::Warlord,
    PieceType::King,
];
const CASTLING: u16 = 1;
const EN_PASSANT: u16 = 2;
const FIRST_PROMOTION: u16 = 4;

/// The code of a promotion to each kind.
const PROMOTION_CODES: [u16; PieceType::COUNT] = {
    let mut codes = [FIRST_PROMOTION; PieceType::COUNT];
    let mut i = 0;
    while i < PROMOTIONS.len() {
        codes[PROMOTIONS[i].index()] = FIRST_PROMOTION + i as u16;
        i += 1;
    }
    codes
};

impl Move {
    #[inline]
    const fn pack(from: Square, to: Square, code: u16) -> Self {
        debug_assert!(from as u8 != to as u8);
        let bits = from as u16 | (to as u16) << 6 | code << 12;
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            None => panic!("origin and destination differ"),
        }
    }

    /// A normal move. The squares must differ.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::pack(from, to, 0)
    }

    /// Castling, given the king's origin and destination.
    #[inline]
    pub const fn castling(from: Square, to: Square) -> Self {
        Self::pack(from, to, CASTLING)
    }

    /// An en-passant capture; `to` is the en-passant square.
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self::pack(from, to, EN_PASSANT)
    }

    /// A promotion, with or without capture. `kind` must not be a pawn or hoplite; these become a knight.
    #[inline]
    pub const fn promotion(from: Square, to: Square, kind: PieceType) -> Self {
        Self::pack(from, to, PROMOTION_CODES[kind.index()])
    }

    /// Decodes a move; `None` if the encoding is invalid.
    pub const fn from_bits(bits: u16) -> Option<Self> {
        let code = bits >> 12;
        if bits & 63 == bits >> 6 & 63 || code == 3 || code >= FIRST_PROMOTION + PROMOTIONS.len() as u16 {
            return None;
        }
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// The 16-bit encoding.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The origin; that of the king in castling.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0.get() & 63) as u8)
    }

    /// The destination; that of the king in castling.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0.get() >> 6 & 63) as u8)
    }

    /// What else it does.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match self.0.get() >> 12 {
            0 => MoveKind::Normal,
            CASTLING => MoveKind::Castling,
            EN_PASSANT => MoveKind::EnPassant,
            code => {
                let index = (code.wrapping_sub(FIRST_PROMOTION)) as usize;
                MoveKind::Promotion(if index < PROMOTIONS.len() { PROMOTIONS[index] } else { PieceType::Knight })
            }
        }
    }

    /// The kind of piece that a pawn or hoplite promotes to.
    #[inline]
    pub const fn promoted(self) -> Option<PieceType> {
        match self.kind() {
            MoveKind::Promotion(kind) => Some(kind),
            _ => None,
        }
    }

    /// Reads coordinate notation: two squares and an optional promotion letter (`e2e1k`). This checks only the syntax.
    pub fn parse_coordinates(text: &str) -> Option<(Square, Square, Option<PieceType>)> {
        let (squares, letter) = match *text.as_bytes() {
            [a, b, c, d] => ([a, b, c, d], None),
            [a, b, c, d, e] => ([a, b, c, d], Some(e)),
            _ => return None,
        };
        let from = Square::from_ascii(squares[0], squares[1])?;
        let to = Square::from_ascii(squares[2], squares[3])?;
        let promotion = match letter {
            None => None,
            Some(letter) => Some(PieceType::from_letter(letter as char).filter(|kind| !kind.is_pawn())?),
        };
        Some((from, to, promotion))
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promoted().map_or(Ok(()), |kind| write!(f, "{}", kind.letter()))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {:?}", self.kind())
    }
}

/// Capacity of a move list, enough for every position that a FEN can describe.
///
/// A Persian piece has at most 27 moves (a queen; a pawn has 12, counting promotions), a Spartan one 21 (a warlord; a
/// hoplite has 15). Conversely, a square can be reached by at most eight pieces from adjacent squares or along lines,
/// eight knight leaps, and eight leaps over two squares: 16 Persian or 24 Spartan pieces. Promotion choices add 72 or
/// 96 to the sum over all squares. With n own pieces there are therefore at most min(27 n, 16 (64 - n) + 72) Persian
/// moves and min(21 n, 24 (64 - n) + 96) Spartan ones; both are below 768 for every n.
pub const MAX_MOVES: usize = 768;

/// The moves of one position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;
