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
    /// One or two squares diagonally, leaping; one sideways without capturing.
    Lieutenant,
    /// One or two squares along rank or file, leaping.
    Captain,
    /// Rook, or one step diagonally.
    General,
    /// Bishop, or knight's leap.
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

    /// The place of the kind among the six of its army, 0 (pawn, hoplite) to 5 (king).
    #[inline]
    pub const fn slot(self) -> usize {
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

    /// The kind that a letter of either case stands for.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_lowercase())
    }
}

/// A piece of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Piece {
    /// Whose it is.
    pub colour: Colour,
    /// What it is.
    pub kind: PieceType,
}

impl Piece {
    /// The number of different indices: six slots for each side.
    pub const COUNT: usize = 12;

    /// Six kinds of White, then six of Black: 0 to 11.
    #[inline]
    pub const fn index(self) -> usize {
        self.colour.index() * 6 + self.kind.slot()
    }

    /// The FEN letter: upper case for White.
    pub const fn letter(self) -> char {
        match self.colour {
            Colour::White => self.kind.letter().to_ascii_uppercase(),
            Colour::Black => self.kind.letter(),
        }
    }
}
