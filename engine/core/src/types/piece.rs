//! Kinds of pieces and coloured pieces.

use super::Colour;

/// A kind of piece, of either army. Both armies share the king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum PieceType {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
    /// The Spartan pawn: moves diagonally, captures straight ahead.
    Hoplite,
    /// Leaps one or two squares diagonally; moves one square sideways without capturing.
    Lieutenant,
    /// Leaps one or two squares along the rank or file.
    Captain,
    /// Rook plus one step diagonally.
    General,
    /// Bishop plus knight.
    Warlord,
}

const _: () = assert!(size_of::<Option<PieceType>>() == 1);

impl PieceType {
    /// The number of kinds.
    pub const COUNT: usize = 11;

    /// All kinds in the order of their index.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
        Self::Hoplite,
        Self::Lieutenant,
        Self::Captain,
        Self::General,
        Self::Warlord,
    ];

    /// 0 to 10.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The index of the kind within its army, 0 (pawn, hoplite) to 5 (king).
    #[inline]
    pub const fn army_index(self) -> usize {
        let index = self as usize;
        if index > Self::King as usize { index - 6 } else { index }
    }

    /// Whether the piece is a pawn or a hoplite.
    #[inline]
    pub const fn is_pawn(self) -> bool {
        matches!(self, Self::Pawn | Self::Hoplite)
    }

    /// The letter in coordinate notation and in the FEN of Black.
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
            Self::Hoplite => 'h',
            Self::Lieutenant => 'l',
            Self::Captain => 'c',
            Self::General => 'g',
            Self::Warlord => 'w',
        }
    }

    /// The kind with a letter of either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_lowercase())
    }
}

/// A piece of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Piece {
    /// The side.
    pub colour: Colour,
    /// The kind.
    pub kind: PieceType,
}

impl Piece {
    /// The number of indices: six for each side.
    pub const COUNT: usize = 12;

    /// 0 to 11: six kinds of White, then six of Black.
    #[inline]
    pub const fn index(self) -> usize {
        self.colour.index() * 6 + self.kind.army_index()
    }

    /// The piece with a FEN letter: upper case for White.
    pub fn from_letter(letter: char) -> Option<Self> {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        PieceType::from_letter(letter).map(|kind| Self { colour, kind })
    }

    /// The FEN letter: upper case for White.
    pub const fn letter(self) -> char {
        match self.colour {
            Colour::White => self.kind.letter().to_ascii_uppercase(),
            Colour::Black => self.kind.letter(),
        }
    }
}
