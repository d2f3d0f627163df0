//! Castling rights.

use super::{Colour, Square};

/// Castling rights as four bits: White king-side and queen-side, Black king-side and queen-side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No rights.
    pub const NONE: Self = Self(0);

    /// The side and wing of each right, `true` for the king's wing, in the order of a FEN.
    pub const EACH: [(Colour, bool); 4] =
        [(Colour::White, true), (Colour::White, false), (Colour::Black, true), (Colour::Black, false)];

    const fn bit(colour: Colour, king_side: bool) -> u8 {
        1 << (colour as u8 * 2 + !king_side as u8)
    }

    /// The index of the set of rights, 0 to 15.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether no right is left.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a side has the right to castle on a wing.
    #[inline]
    pub const fn has(self, colour: Colour, king_side: bool) -> bool {
        self.0 & Self::bit(colour, king_side) != 0
    }

    /// These rights and one more.
    #[must_use]
    pub const fn with(self, colour: Colour, king_side: bool) -> Self {
        Self(self.0 | Self::bit(colour, king_side))
    }

    /// These rights without one.
    #[must_use]
    pub const fn without(self, colour: Colour, king_side: bool) -> Self {
        Self(self.0 & !Self::bit(colour, king_side))
    }

    /// The rights with colours swapped.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self(self.0 >> 2 | (self.0 & 3) << 2)
    }

    /// The remaining rights after a move.
    #[inline]
    #[must_use]
    pub const fn after_move(self, from: Square, to: Square) -> Self {
        Self(self.0 & RIGHTS_MASK[from as usize] & RIGHTS_MASK[to as usize])
    }
}

/// For each square, the rights that remain after a move from or to it.
const RIGHTS_MASK: [u8; 64] = {
    let mut masks = [0xF; 64];
    masks[Square::A1 as usize] = 0b1101;
    masks[Square::E1 as usize] = 0b1100;
    masks[Square::H1 as usize] = 0b1110;
    masks[Square::A8 as usize] = 0b0111;
    masks[Square::E8 as usize] = 0b0011;
    masks[Square::H8 as usize] = 0b1011;
    masks
};
