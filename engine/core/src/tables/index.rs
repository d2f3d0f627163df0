//! The numbering of the positions of a class.
//!
//! Positions that differ only by a symmetry have the same index, as have those that differ by the exchange of like men:
//!
//! - With pawns or hoplites: left-right mirroring. The first of them (in the order of the class, then of the squares)
//!   is on the files a to d.
//! - With lieutenants, whose sideways step rules out the diagonals: also top-bottom mirroring. The white king is on a1
//!   to d4.
//! - Otherwise all eight symmetries of the board. The white king is in the triangle a1, d1, d4.
//!
//! The index is a number in mixed radix. Its digits are, the most significant first: the squares of pawns and hoplites,
//! the side to move, the squares of the other men. Thus all positions with the same pawns are consecutive; they are a
//! slice, and only pawn moves, captures and promotions leave a slice. Many indices have no legal position.

use super::class::{Class, MAX_MEN, Squares};
use crate::types::{Colour, PieceType, Square};
use arrayvec::ArrayVec;

/// The symmetries that leave the rules of a class unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symmetry {
    Files,
    FilesAndRanks,
    All,
}

pub(super) const TRIANGLE: usize = 10;

/// The number of each square of the triangle: a1, b1, b2, c1 and so on to d4.
pub(super) const fn triangle_number(square: Square) -> usize {
    let (file, rank) = (square.file().index(), square.rank().index());
    file * (file + 1) / 2 + rank
}

const TRIANGLE_SQUARES: [Square; TRIANGLE] = {
    use Square::{A1, B1, B2, C1, C2, C3, D1, D2, D3, D4};
    [A1, B1, B2, C1, C2, C3, D1, D2, D3, D4]
};

/// Mirrors a square at the diagonal from a1 to h8.
pub(super) const fn transpose(square: Square) -> Square {
    Square::new(((square.index() % 8) * 8 + square.index() / 8) as u8)
}

/// A copy of some squares, then a1. A loop of known length: a copy of a few bytes is slow as a call.
#[inline]
fn padded(squares: &[Square]) -> [Square; MAX_MEN] {
    std::array::from_fn(|man| squares.get(man).copied().unwrap_or(Square::A1))
}

/// How the positions of a class are numbered: by its slices, each with White to move first. Symmetrical positions have
/// the same number.
#[derive(Clone, Debug)]
pub struct Numbering {
    symmetry: Symmetry,
    men: usize,
    /// The men that are pawns or hoplites, then the others.
    pawns: ArrayVec<u8, MAX_MEN>,
    pieces: ArrayVec<u8, MAX_MEN>,
    /// Neighbours in the order of the class that are alike.
    alike: ArrayVec<(u8, u8), MAX_MEN>,
    slices: usize,
    half: usize,
    /// What the index of a position changes by when a man moves by one square and no symmetry interferes. 0 for men
    /// whose moves may change the order of like men or the symmetry.
    strides: [usize; MAX_MEN],
}

impl Numbering {
    /// The numbering of a class.
    pub fn new(class: &Class) -> Self {
        let men: ArrayVec<_, MAX_MEN> = class.men().collect();
        let numbers = |pawns: bool| (0..men.len() as u8).filter(move |&i| pawns == class.nth(i).kind.is_pawn());
        let (pawns, pieces): (ArrayVec<u8, MAX_MEN>, ArrayVec<u8, MAX_MEN>) =
            (numbers(true).collect(), numbers(false).collect());
        let symmetry = if !pawns.is_empty() {
            Symmetry::Files
        } else if men.iter().any(|man| man.kind == PieceType::Lieutenant) {
            Symmetry::FilesAndRanks
        } else {
            Symmetry::All
        };
        let alike: ArrayVec<(u8, u8), MAX_MEN> =
            (1..men.len()).filter(|&i| men[i] == men[i - 1]).map(|i| (i as u8 - 1, i as u8)).collect();
        let slices = (0..pawns.len()).map(|i| if i == 0 { 24 } else { 48 }).product();
        let half = match symmetry {
            Symmetry::Files => 1 << (6 * pieces.len()),
            Symmetry::FilesAndRanks => 16 << (6 * (pieces.len() - 1)),
            Symmetry::All => TRIANGLE << (6 * (pieces.len() - 1)),
        };
        let mut strides = [0; MAX_MEN];
        let first_pawn_may_change = alike.iter().any(|&(man, _)| men[usize::from(man)].kind.is_pawn());
        if !first_pawn_may_change {
            for (digit, &piece) in pieces.iter().rev().enumerate() {
                strides[usize::from(piece)] = 1 << (6 * digit);
            }
            for &(a, b) in &alike {
                (strides[usize::from(a)], strides[usize::from(b)]) = (0, 0);
            }
            if symmetry != Symmetry::Files {
                strides[0] = 0;
            }
        }
        Self { symmetry, men: men.len(), pawns, pieces, alike, slices, half, strides }
    }

    /// The number of indices; some are of positions that cannot arise.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.slices * self.slice_len()
    }

    /// The number of slices, one for each placement of pawns and hoplites; 1 without them.
    pub fn slices(&self) -> usize {
        self.slices
    }

    /// The number of indices of a slice: first White to move, then as many with Black to move.
    pub fn slice_len(&self) -> usize {
        2 * self.half
    }

    /// The index of a position, given the squares of the men in the order of the class. Pawns and hoplites must be on
    /// ranks 2 to 7.
    #[inline]
    pub fn index(&self, squares: &[Square], side: Colour) -> usize {
        debug_assert_eq!(squares.len(), self.men);
        let men = &mut padded(squares)[..squares.len()];
        if self.symmetry == Symmetry::Files {
            return self.index_with_pawns(men, side);
        }
        let king = men[0];
        if king.file().index() > 3 {
            men.iter_mut().for_each(|square| *square = square.flip_file());
        }
        if king.rank().index() > 3 {
            men.iter_mut().for_each(|square| *square = square.flip_rank());
        }
        if self.symmetry == Symmetry::All {
            let (file, rank) = (men[0].file().index(), men[0].rank().index());
            if rank >= file {
                let direct = if rank == file { self.ordered_number(men, side) } else { usize::MAX };
                men.iter_mut().for_each(|square| *square = transpose(*square));
                return self.ordered_number(men, side).min(direct);
            }
        }
        self.ordered_number(men, side)
    }

    /// The smaller of the two numbers if the first pawn can be on the files a to d both ways.
    fn index_with_pawns(&self, men: &mut [Square], side: Colour) -> usize {
        let number = |men: &mut [Square]| {
            self.order(men);
            let is_left = men[usize::from(self.pawns[0])].file().index() < 4;
            if is_left { self.number(men, side) } else { usize::MAX }
        };
        let direct = number(men);
        men.iter_mut().for_each(|square| *square = square.flip_file());
        if self.alike.is_empty() && direct != usize::MAX { direct } else { direct.min(number(men)) }
    }

    fn ordered_number(&self, men: &mut [Square], side: Colour) -> usize {
        self.order(men);
        self.number(men, side)
    }

    /// Sorts the squares of like men: a bubble sort of at most four neighbours.
    #[inline]
    fn order(&self, men: &mut [Square]) {
        for round in 0..self.alike.len() {
            for &(a, b) in &self.alike[..self.alike.len() - round] {
                let (a, b) = (usize::from(a), usize::from(b));
                if men[a] > men[b] {
                    men.swap(a, b);
                }
            }
        }
    }

    /// The number of squares that need no mirroring.
    #[inline]
    fn number(&self, men: &[Square], side: Colour) -> usize {
        let mut number = 0;
        for (digit, &pawn) in self.pawns.iter().enumerate() {
            let square = men[usize::from(pawn)];
            let from_second_rank = square.index().wrapping_sub(8);
            number = if digit == 0 {
                (from_second_rank >> 3) * 4 + (from_second_rank & 3)
            } else {
                number * 48 + from_second_rank
            };
        }
        number = number * 2 + side.index();
        for (digit, &piece) in self.pieces.iter().enumerate() {
            let square = men[usize::from(piece)];
            number = match (digit, self.symmetry) {
                (0, Symmetry::All) => number * TRIANGLE + self.king_digit(square),
                (0, Symmetry::FilesAndRanks) => number * 16 + self.king_digit(square),
                _ => number << 6 | square.index(),
            };
        }
        number
    }

    /// The position with an index below [`Numbering::len`]. It may be illegal: men may share a square.
    pub fn position(&self, index: usize) -> (Squares, Colour) {
        let mut men = [Square::A1; MAX_MEN];
        let mut rest = index;
        for (digit, &piece) in self.pieces.iter().enumerate().rev() {
            let radix = match (digit, self.symmetry) {
                (0, Symmetry::All) => TRIANGLE,
                (0, Symmetry::FilesAndRanks) => 16,
                _ => 64,
            };
            let value = rest % radix;
            rest /= radix;
            men[usize::from(piece)] = match radix {
                TRIANGLE => TRIANGLE_SQUARES[value],
                16 => Square::new((value / 4 * 8 + value % 4) as u8),
                _ => Square::new(value as u8),
            };
        }
        let side = if rest.is_multiple_of(2) { Colour::White } else { Colour::Black };
        rest /= 2;
        for (digit, &pawn) in self.pawns.iter().enumerate().rev() {
            let radix = if digit == 0 { 24 } else { 48 };
            let value = rest % radix;
            rest /= radix;
            let from_second_rank = if digit == 0 { value / 4 * 8 + value % 4 } else { value };
            men[usize::from(pawn)] = Square::new((from_second_rank + 8) as u8);
        }
        (men[..self.men].iter().copied().collect(), side)
    }

    /// Whether an index is that of its position. `squares` are those of [`Numbering::position`].
    #[inline]
    pub fn is_canonical(&self, index: usize, squares: &[Square], side: Colour) -> bool {
        let is_unique = self.alike.is_empty() && !self.is_on_diagonal(squares);
        is_unique || self.index(squares, side) == index
    }

    /// Whether the position has the white king on the diagonal where a diagonal mirroring is a symmetry.
    #[inline]
    fn is_on_diagonal(&self, squares: &[Square]) -> bool {
        self.symmetry == Symmetry::All && transpose(squares[0]) == squares[0]
    }

    /// The digit of the white king of a class without pawns and hoplites, if it is where it needs no mirroring.
    #[inline]
    fn king_digit(&self, square: Square) -> usize {
        if self.symmetry == Symmetry::All {
            triangle_number(square)
        } else {
            square.rank().index() * 4 + square.file().index()
        }
    }

    /// Whether a position with the white king on a square is certain to need no mirroring. False for all classes with
    /// pawns or hoplites.
    #[inline]
    fn keeps_symmetry(&self, king: Square) -> bool {
        let (file, rank) = (king.file().index(), king.rank().index());
        match self.symmetry {
            Symmetry::Files => false,
            Symmetry::FilesAndRanks => file < 4 && rank < 4,
            Symmetry::All => file < 4 && rank < file,
        }
    }

    /// The indices of positions that differ from one by the move of a piece, with the other side to move. `index` must
    /// be canonical, and `squares` and `side` those of [`Numbering::position`].
    #[inline]
    pub fn neighbours<'a>(&'a self, index: usize, squares: &'a [Square], side: Colour) -> Neighbours<'a> {
        let base = if side == Colour::White { index + self.half } else { index - self.half };
        let mut neighbours = Neighbours { numbering: self, base, transposed: usize::MAX, squares, side: !side };
        if self.is_on_diagonal(squares) {
            let men = &mut padded(squares).map(transpose)[..squares.len()];
            self.order(men);
            neighbours.transposed = self.number(men, !side);
        }
        neighbours
    }

    /// Whether a diagonal mirroring maps a position, as [`Numbering::position`] returns it, to itself. Then several
    /// moves may lead to the same index.
    pub fn is_symmetric(&self, squares: &[Square]) -> bool {
        if !self.is_on_diagonal(squares) {
            return false;
        }
        let mut direct = padded(squares);
        let mut mirrored = direct.map(transpose);
        self.order(&mut direct[..squares.len()]);
        self.order(&mut mirrored[..squares.len()]);
        direct == mirrored
    }
}

/// The indices of the positions next to one; see [`Numbering::neighbours`].
#[derive(Debug)]
pub struct Neighbours<'a> {
    numbering: &'a Numbering,
    base: usize,
    /// The number of the transposed position if it has the same white king, otherwise the maximum.
    transposed: usize,
    squares: &'a [Square],
    side: Colour,
}

impl Neighbours<'_> {
    /// The index of the position in which a man stands on another square, with the same side to move.
    #[inline]
    pub fn index(&self, man: usize, to: Square) -> usize {
        let stride = self.numbering.strides[man];
        if stride > 0 {
            let from = self.squares[man];
            let direct = self.base + to.index() * stride - from.index() * stride;
            if self.transposed == usize::MAX {
                return direct;
            }
            return direct.min(self.transposed + transpose(to).index() * stride - transpose(from).index() * stride);
        }
        if man == 0 && self.numbering.keeps_symmetry(to) {
            let [before, after] = [self.squares[0], to].map(|square| self.numbering.king_digit(square));
            let stride = 1 << (6 * (self.squares.len() - 1));
            return (self.base + after * stride) - before * stride;
        }
        let squares = &mut padded(self.squares)[..self.squares.len()];
        squares[man] = to;
        self.numbering.index(squares, self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::HashMap;

    const NAMES: [&str; 12] =
        ["KQvk", "Kvkk", "KRvkl", "KPvk", "Kvkh", "KPPvk", "Kvkhh", "KPvkh", "KBBvk", "KNvkkc", "KPvkkh", "KPPPvk"];

    fn numbering(name: &str) -> Numbering {
        Numbering::new(&name.parse().expect(name))
    }

    #[test]
    fn sizes() {
        for (name, len) in [
            ("KQvk", 2 * 10 * 64 * 64),
            ("KRvkl", 2 * 16 * 64 * 64 * 64),
            ("KPvk", 24 * 2 * 64 * 64),
            ("KPvkh", 24 * 48 * 2 * 64 * 64),
        ] {
            assert_eq!(numbering(name).len(), len, "{name}");
        }
    }

    #[test]
    fn the_index_of_a_numbered_position_is_its_number_or_a_smaller_one() {
        let mut rng = Rng::new(1);
        for name in NAMES {
            let numbering = numbering(name);
            let mut same = 0;
            for _ in 0..20_000 {
                let number = rng.below(numbering.len());
                let (squares, side) = numbering.position(number);
                let index = numbering.index(&squares, side);
                assert!(index <= number, "{name}");
                same += usize::from(index == number);
                let (again, same_side) = numbering.position(index);
                assert_eq!((numbering.index(&again, same_side), same_side), (index, side), "{name}");
            }
            assert!(same > 2000, "{name}: {same}");
        }
    }

    #[test]
    fn neighbours_have_the_index_of_their_squares() {
        let mut rng = Rng::new(3);
        for name in NAMES.into_iter().chain(["KRBvkh", "KQvkgw", "KRvkcl", "KRRvkh"]) {
            let class: Class = name.parse().expect(name);
            let numbering = Numbering::new(&class);
            for _ in 0..20_000 {
                let number = rng.below(numbering.len());
                let (mut squares, side) = numbering.position(number);
                let index = numbering.index(&squares, side);
                assert_eq!(numbering.is_canonical(number, &squares, side), index == number, "{name}");
                let man = rng.below(class.len());
                if index != number || class.nth(man as u8).kind.is_pawn() {
                    continue;
                }
                let to = Square::new(rng.below(64) as u8);
                let neighbour = numbering.neighbours(number, &squares.clone(), side).index(man, to);
                squares[man] = to;
                assert_eq!(neighbour, numbering.index(&squares, !side), "{name}");
            }
        }
    }

    /// Two positions have the same index exactly if a symmetry or an exchange of like men relates them.
    #[test]
    fn symmetric_positions_share_an_index() {
        let mut rng = Rng::new(2);
        for name in NAMES {
            let class: Class = name.parse().expect(name);
            let numbering = Numbering::new(&class);
            let kinds: Vec<_> = class.men().collect();
            let mut known: HashMap<usize, Vec<(usize, Square)>> = HashMap::new();
            for _ in 0..5000 {
                let (squares, side) = numbering.position(rng.below(numbering.len()));
                let index = numbering.index(&squares, side);
                let images = images(&squares, numbering.symmetry);
                let canonical = images
                    .iter()
                    .map(|image| {
                        assert_eq!(numbering.index(image, side), index, "{name}");
                        let mut men: Vec<_> = image.iter().zip(&kinds).map(|(&s, &k)| (k.index(), s)).collect();
                        men.sort_unstable();
                        men
                    })
                    .min();
                let canonical = canonical.expect("at least one image");
                assert_eq!(*known.entry(index).or_insert_with(|| canonical.clone()), canonical, "{name}");
                let stabilised = images[1..].iter().any(|image| {
                    let mut a: Vec<_> = image.iter().zip(&kinds).map(|(&s, &k)| (k.index(), s)).collect();
                    let mut b: Vec<_> = squares.iter().zip(&kinds).map(|(&s, &k)| (k.index(), s)).collect();
                    a.sort_unstable();
                    b.sort_unstable();
                    a == b
                });
                assert_eq!(stabilised, numbering.is_symmetric(&squares), "{name}");
            }
        }
    }

    fn images(squares: &[Square], symmetry: Symmetry) -> Vec<Vec<Square>> {
        let apply = |all: &[Vec<Square>], map: fn(Square) -> Square| -> Vec<Vec<Square>> {
            all.iter().flat_map(|men| [men.clone(), men.iter().map(|&s| map(s)).collect()]).collect()
        };
        let mut all = apply(&[squares.to_vec()], Square::flip_file);
        if symmetry != Symmetry::Files {
            all = apply(&all, Square::flip_rank);
        }
        if symmetry == Symmetry::All {
            all = apply(&all, transpose);
        }
        all
    }
}
