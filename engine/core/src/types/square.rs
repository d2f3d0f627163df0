//! Squares, files and ranks, in little-endian rank-file mapping: a1 = 0, b1 = 1, h8 = 63.

use std::fmt;

/// A file, `a` to `h`, as 0 to 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct File(u8);

impl File {
    /// The file with an index from 0 (`a`) to 7 (`h`).
    pub const fn new(index: u8) -> Option<Self> {
        if index < 8 { Some(Self(index)) } else { None }
    }

    /// 0 to 7.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// `a` to `h`.
    pub const fn letter(self) -> char {
        (b'a' + self.0) as char
    }
}

/// A rank, 1 to 8, as 0 to 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Rank(u8);

impl Rank {
    /// The rank with an index from 0 (rank 1) to 7 (rank 8).
    pub const fn new(index: u8) -> Option<Self> {
        if index < 8 { Some(Self(index)) } else { None }
    }

    /// 0 to 7.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// `1` to `8`.
    pub const fn digit(self) -> char {
        (b'1' + self.0) as char
    }
}

/// One of the 64 squares.
///
/// An enum rather than an integer, which lets the compiler omit bounds checks for tables of 64 entries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Square {
    A1, B1, C1, D1, E1, F1, G1, H1,
    A2, B2, C2, D2, E2, F2, G2, H2,
    A3, B3, C3, D3, E3, F3, G3, H3,
    A4, B4, C4, D4, E4, F4, G4, H4,
    A5, B5, C5, D5, E5, F5, G5, H5,
    A6, B6, C6, D6, E6, F6, G6, H6,
    A7, B7, C7, D7, E7, F7, G7, H7,
    A8, B8, C8, D8, E8, F8, G8, H8,
}

const _: () = assert!(size_of::<Option<Square>>() == 1);

impl Square {
    /// The square with the index in the lowest six bits of `index`.
    #[inline]
    pub const fn new(index: u8) -> Self {
        // SAFETY: the variants of this `repr(u8)` enumeration are exactly the values 0 to 63, and
        // the mask leaves no other value.
        unsafe { std::mem::transmute::<u8, Self>(index & 63) }
    }

    /// The square on a file and a rank.
    #[inline]
    pub const fn at(file: File, rank: Rank) -> Self {
        Self::new(rank.0 * 8 + file.0)
    }

    /// All squares from a1 to h8, rank by rank.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..64u8).map(Self::new)
    }

    /// 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file that it is on.
    #[inline]
    pub const fn file(self) -> File {
        File(self as u8 & 7)
    }

    /// The rank that it is on.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank(self as u8 >> 3)
    }

    /// The square with the rank mirrored: e2 becomes e7.
    #[inline]
    pub const fn flip_rank(self) -> Self {
        Self::new(self as u8 ^ 56)
    }

    /// The square with the file mirrored: b2 becomes g2.
    #[inline]
    pub const fn flip_file(self) -> Self {
        Self::new(self as u8 ^ 7)
    }

    /// The square a number of files to the right and ranks up, unless it is off the board.
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let file = (self as i8 & 7) + files;
        let rank = (self as i8 >> 3) + ranks;
        if file < 0 || file > 7 || rank < 0 || rank > 7 { None } else { Some(Self::new((rank * 8 + file) as u8)) }
    }

    /// The number of king steps to another square: 0 to 7.
    #[inline]
    pub fn distance(self, other: Self) -> usize {
        let (file, rank) = (self.file().index(), self.rank().index());
        file.abs_diff(other.file().index()).max(rank.abs_diff(other.rank().index()))
    }

    /// Reads `a1` to `h8`.
    pub const fn from_ascii(file: u8, rank: u8) -> Option<Self> {
        if file >= b'a' && file <= b'h' && rank >= b'1' && rank <= b'8' {
            Some(Self::new((rank - b'1') * 8 + (file - b'a')))
        } else {
            None
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().digit())
    }
}
