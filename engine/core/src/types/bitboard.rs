//! Sets of squares, one bit each.

use super::{File, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares: bit 0 is a1, bit 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 64 squares.
    pub const ALL: Self = Self(!0);
    /// The dark squares: a1, c1, b2 and so on, where the sum of file and rank index is even.
    pub const DARK: Self = Self(0xAA55_AA55_AA55_AA55);
    /// Ranks 1 and 8.
    pub const BACK_RANKS: Self = Self(0xFF00_0000_0000_00FF);

    const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    const NOT_AB: u64 = 0xFCFC_FCFC_FCFC_FCFC;
    const NOT_GH: u64 = 0x3F3F_3F3F_3F3F_3F3F;

    /// The squares of a file.
    #[inline]
    pub const fn file(file: File) -> Self {
        Self(0x0101_0101_0101_0101 << file.index())
    }

    /// The squares of the rank with a number from 1 to 8.
    #[inline]
    pub const fn rank(number: usize) -> Self {
        Self(0xFF << (8 * (number - 1)))
    }

    /// A single square.
    #[inline]
    pub const fn of(square: Square) -> Self {
        Self(1 << square as u8)
    }

    /// Whether the set has no square.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has a square.
    #[inline]
    pub const fn nonempty(self) -> bool {
        self.0 != 0
    }

    /// Whether the set has two squares or more.
    #[inline]
    pub const fn many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether a square is in the set.
    #[inline]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square as u8 & 1 != 0
    }

    /// The number of squares, 0 to 64.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The lowest square, if any.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(self.lowest()) }
    }

    /// The lowest square of a set that is not empty (a1 of an empty one).
    #[inline]
    pub const fn lowest(self) -> Square {
        Square::new(self.0.trailing_zeros() as u8)
    }

    /// The set without its lowest square; the empty one stays empty.
    #[inline]
    pub const fn without_lowest(self) -> Self {
        Self(self.0 & self.0.wrapping_sub(1))
    }

    /// The set and a square.
    #[inline]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | 1 << square as u8)
    }

    /// The set without a square.
    #[inline]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !(1 << square as u8))
    }

    /// All squares shifted `files` to the right and `ranks` up; squares shifted off the board are dropped.
    ///
    /// `files` must be from -2 to 2, enough for the moves of pawns and hoplites.
    #[inline]
    pub const fn shift(self, files: i32, ranks: i32) -> Self {
        let masked = match files {
            0 => self.0,
            1 => self.0 & Self::NOT_H,
            2 => self.0 & Self::NOT_GH,
            -1 => self.0 & Self::NOT_A,
            -2 => self.0 & Self::NOT_AB,
            _ => panic!("shift by more than two files"),
        };
        let by = ranks * 8 + files;
        if by >= 0 { Self(masked << by) } else { Self(masked >> -by) }
    }

    /// The set with ranks mirrored: rank 1 becomes rank 8.
    #[inline]
    pub const fn flip_ranks(self) -> Self {
        Self(self.0.swap_bytes())
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign_method:ident, $op:tt) => {
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign_trait for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}

operator!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |);
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        *self = self.without_lowest();
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.count() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Bitboard {}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            for file in 0..8 {
                f.write_str(if self.has(Square::new(rank * 8 + file)) { "x " } else { ". " })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
