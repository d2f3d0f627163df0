//! Castling rights.

use super::{Colour, Square};

/// Which castlings the sides have not lost yet, as four bits: White short and long, Black short and
/// long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No right.
    pub const NONE: Self = Self(0);

    const fn bit(colour: Colour, king_side: bool) -> u8 {
        1 << (colour as u8 * 2 + !king_side as u8)
    }

    /// The index of the set of rights, 0 to 15.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether nobody may castle any more.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the side still has the right to castle on that wing.
    #[inline]
    pub const fn has(self, colour: Colour, king_side: bool) -> bool {
        self.0 & Self::bit(colour, king_side) != 0
    }

    /// The rights and one more.
    #[must_use]
    pub const fn with(self, colour: Colour, king_side: bool) -> Self {
        Self(self.0 | Self::bit(colour, king_side))
    }

    /// What is left after a piece left `from` or anything arrived on `to`.
    #[inline]
    #[must_use]
    pub const fn after_move(self, from: Square, to: Square) -> Self {
        Self(self.0 & KEPT[from as usize] & KEPT[to as usize])
    }
}

/// The rights that survive when a square is left or entered.
const KEPT: [u8; 64] = {
    let mut kept = [0xF; 64];
    kept[Square::A1 as usize] = 0b1101;
    kept[Square::E1 as usize] = 0b1100;
    kept[Square::H1 as usize] = 0b1110;
    kept[Square::A8 as usize] = 0b0111;
    kept[Square::E8 as usize] = 0b0011;
    kept[Square::H8 as usize] = 0b1011;
    kept
};
