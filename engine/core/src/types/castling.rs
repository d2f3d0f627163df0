//! Castling: its squares, and the rights to it.

use super::{Colour, Piece, PieceType, Square};

/// The side of the board to which a king castles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastlingSide {
    /// Towards file h.
    King,
    /// Towards file a.
    Queen,
}

/// Where king and rook stand before and after castling.
#[derive(Clone, Copy, Debug)]
pub struct CastlingSquares {
    /// Where the king stands.
    pub king_from: Square,
    /// Where the king goes.
    pub king_to: Square,
    /// Where the rook stands.
    pub rook_from: Square,
    /// Where the rook goes.
    pub rook_to: Square,
}

impl CastlingSide {
    /// Both sides.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// The squares of a player.
    #[inline]
    pub const fn squares(self, colour: Colour) -> CastlingSquares {
        use Square::{A1, A8, C1, C8, D1, D8, E1, E8, F1, F8, G1, G8, H1, H8};
        let (king_from, king_to, rook_from, rook_to) = match (colour, self) {
            (Colour::White, Self::King) => (E1, G1, H1, F1),
            (Colour::White, Self::Queen) => (E1, C1, A1, D1),
            (Colour::Black, Self::King) => (E8, G8, H8, F8),
            (Colour::Black, Self::Queen) => (E8, C8, A8, D8),
        };
        CastlingSquares { king_from, king_to, rook_from, rook_to }
    }

    /// The letter of the right in a FEN.
    pub const fn letter(self, colour: Colour) -> char {
        let kind = match self {
            Self::King => PieceType::King,
            Self::Queen => PieceType::Queen,
        };
        Piece { colour, kind }.letter()
    }
}

/// Castling rights as four bits, in the order of [`CastlingRights::EACH`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No right.
    pub const NONE: Self = Self(0);

    /// Each right, in the order of a FEN.
    pub const EACH: [(Colour, CastlingSide); 4] = [
        (Colour::White, CastlingSide::King),
        (Colour::White, CastlingSide::Queen),
        (Colour::Black, CastlingSide::King),
        (Colour::Black, CastlingSide::Queen),
    ];

    const fn bit(colour: Colour, side: CastlingSide) -> u8 {
        1 << (colour as u8 * 2 + side as u8)
    }

    /// 0 to 15.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether no right is left.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a right is left.
    #[inline]
    pub const fn has(self, colour: Colour, side: CastlingSide) -> bool {
        self.0 & Self::bit(colour, side) != 0
    }

    /// The rights and another one.
    #[must_use]
    pub const fn with(self, colour: Colour, side: CastlingSide) -> Self {
        Self(self.0 | Self::bit(colour, side))
    }

    /// The rights without one.
    #[must_use]
    pub const fn without(self, colour: Colour, side: CastlingSide) -> Self {
        Self(self.0 & !Self::bit(colour, side))
    }

    /// The rights with colours swapped.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self(self.0 >> 2 | (self.0 & 3) << 2)
    }

    /// The rights that remain after a move: kings and rooks lose them when they move, rooks also when they are
    /// captured.
    #[inline]
    #[must_use]
    pub const fn after_move(self, from: Square, to: Square) -> Self {
        Self(self.0 & RIGHTS_MASK[from as usize] & RIGHTS_MASK[to as usize])
    }
}

/// For each square, the rights that remain after a move from or to it.
const RIGHTS_MASK: [u8; 64] = {
    let mut masks = [0xF; 64];
    let mut i = 0;
    while i < 4 {
        let (colour, side) = CastlingRights::EACH[i];
        let CastlingSquares { king_from, rook_from, .. } = side.squares(colour);
        masks[king_from as usize] &= !CastlingRights::bit(colour, side);
        masks[rook_from as usize] &= !CastlingRights::bit(colour, side);
        i += 1;
    }
    masks
};
