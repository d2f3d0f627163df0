//! Moves in 16 bits and lists of them.

use super::{PieceType, Square};
use arrayvec::ArrayVec;
use std::fmt;
use std::num::NonZeroU16;

/// What a move does besides taking a piece from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    /// Nothing else.
    Normal,
    /// The rook jumps over the king. The move is written as the king's: e1g1, e1c1.
    Castling,
    /// An en-passant capture; only in orthodox chess.
    EnPassant,
    /// The piece becomes another one.
    Promotion(PieceType),
}

/// A move: six bits of origin, six of destination, four of [`MoveKind`].
///
/// Origin and destination differ, so no move is all zeroes and `Option<Move>` has the same size.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

/// The kinds that a pawn or a hoplite may become, in the order of their codes.
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

impl Move {
    #[inline]
    const fn pack(from: Square, to: Square, code: u16) -> Self {
        debug_assert!(from as u8 != to as u8);
        let bits = from as u16 | (to as u16) << 6 | code << 12;
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            None => panic!("a move goes somewhere"),
        }
    }

    /// A move that is nothing but a step or a capture. The squares must differ.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::pack(from, to, 0)
    }

    /// Castling, from the king's square to its destination.
    #[inline]
    pub const fn castling(from: Square, to: Square) -> Self {
        Self::pack(from, to, CASTLING)
    }

    /// An en-passant capture, `to` being the square that was passed over.
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self::pack(from, to, EN_PASSANT)
    }

    /// A step or capture onto the last rank. Pawns and hoplites as `kind` are no promotions and are
    /// read as a knight.
    #[inline]
    pub const fn promotion(from: Square, to: Square, kind: PieceType) -> Self {
        let code = match kind {
            PieceType::Bishop => 1,
            PieceType::Rook => 2,
            PieceType::Queen => 3,
            PieceType::Lieutenant => 4,
            PieceType::Captain => 5,
            PieceType::General => 6,
            PieceType::Warlord => 7,
            PieceType::King => 8,
            _ => 0,
        };
        Self::pack(from, to, FIRST_PROMOTION + code)
    }

    /// The move of an encoding, or nothing where the encoding stands for none.
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

    /// The square that the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0.get() & 63) as u8)
    }

    /// The square that the piece arrives on.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0.get() >> 6 & 63) as u8)
    }

    /// What else the move does.
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

    /// The piece that a pawn or hoplite becomes.
    #[inline]
    pub const fn promoted(self) -> Option<PieceType> {
        match self.kind() {
            MoveKind::Promotion(kind) => Some(kind),
            _ => None,
        }
    }

    /// Reads coordinate notation: two squares and, perhaps, the letter of a promotion (`e2e1k`).
    ///
    /// The result tells only what the text says; whether such a move exists is for
    /// [`crate::board::Board::parse_move`] to find out.
    ///
    /// # Errors
    /// When the text has another form.
    pub fn parse_coordinates(text: &str) -> Result<(Square, Square, Option<PieceType>), ParseMoveError> {
        let (squares, letter) = match *text.as_bytes() {
            [a, b, c, d] => ([a, b, c, d], None),
            [a, b, c, d, e] => ([a, b, c, d], Some(e)),
            _ => return Err(ParseMoveError),
        };
        let from = Square::from_ascii(squares[0], squares[1]).ok_or(ParseMoveError)?;
        let to = Square::from_ascii(squares[2], squares[3]).ok_or(ParseMoveError)?;
        let promotion = match letter {
            None => None,
            Some(letter) => {
                let kind = PieceType::from_letter(letter as char).filter(|kind| !kind.is_pawn());
                Some(kind.ok_or(ParseMoveError)?)
            }
        };
        Ok((from, to, promotion))
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

/// A text that is not a move in coordinate notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseMoveError;

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a move in coordinate notation")
    }
}

impl std::error::Error for ParseMoveError {}

/// Room for the moves of any position that a FEN can describe.
///
/// A Persian piece has at most 27 moves (a queen; a pawn 12, promotions counted), a Spartan one 21 (a
/// warlord; a hoplite 15). On the other hand a square can be reached by at most eight pieces from the
/// squares beside it or along the lines, eight knights, and eight leapers over two squares: 16
/// Persian or 24 Spartan pieces; the choice of promotions adds 72 or 96 to the sum over all squares.
/// With n own pieces there are so at most min(27 n, 16 (64 - n) + 72) Persian moves and
/// min(21 n, 24 (64 - n) + 96) Spartan ones: both are below 768 for every n.
pub const MAX_MOVES: usize = 768;

/// The moves of one position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;
