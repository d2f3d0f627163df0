//! Classes of endgames.

use crate::board::{Board, Variant};
use crate::types::{CastlingRights, Colour, Piece, PieceType, Square};
use arrayvec::ArrayVec;
use std::fmt;
use std::str::FromStr;

/// The maximum number of men of a class.
pub const MAX_MEN: usize = 5;

/// The letters of the men in the order of names.
const ORDER: &[u8; 12] = b"KQRBNPkgwclh";

/// A set of men, such as `KQvkg`: one white king, one or two black kings, and other men of Spartan Chess. The men are
/// in the order `KQRBNPkgwclh`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class(ArrayVec<Man, MAX_MEN>);

/// A man, as its place in [`ORDER`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Man(u8);

impl Man {
    fn of(piece: Piece) -> Option<Self> {
        let letter = u8::try_from(piece.letter()).ok()?;
        ORDER.iter().position(|&known| known == letter).map(|at| Self(at as u8))
    }

    fn piece(self) -> Piece {
        let king = Piece { colour: Colour::White, kind: PieceType::King };
        // Every letter of the order is that of a piece.
        Piece::from_letter(ORDER[usize::from(self.0)].into()).unwrap_or(king)
    }
}

/// Squares of men, in the order of their class.
pub type Squares = ArrayVec<Square, MAX_MEN>;

impl Class {
    /// The class of some men; `None` if there are more than [`MAX_MEN`], not one white king, not one or two black
    /// kings, or men of another variant.
    pub fn new(men: impl IntoIterator<Item = Piece>) -> Option<Self> {
        let mut sorted: ArrayVec<Man, MAX_MEN> = ArrayVec::new();
        for piece in men {
            sorted.try_push(Man::of(piece)?).ok()?;
        }
        sorted.sort_unstable();
        let class = Self(sorted);
        (class.kings(Colour::White) == 1 && (1..=2).contains(&class.kings(Colour::Black))).then_some(class)
    }

    /// The men in the order of the class: first those of White, in each side the king first.
    pub fn men(&self) -> impl DoubleEndedIterator<Item = Piece> + ExactSizeIterator {
        self.0.iter().map(|man| man.piece())
    }

    /// The man with a number below [`Class::len`].
    pub(super) fn nth(&self, number: u8) -> Piece {
        self.0[usize::from(number)].piece()
    }

    /// The number of men, kings included: 2 to [`MAX_MEN`].
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of kings of a side: 1, or 2 of the Spartans.
    pub fn kings(&self, colour: Colour) -> usize {
        self.men().filter(|&man| man == Piece { colour, kind: PieceType::King }).count()
    }

    /// A number that no other class has.
    pub fn key(&self) -> u64 {
        self.0.iter().map(|man| 1 << (4 * man.0)).sum()
    }

    /// The class of a position and the squares of its men, in order; the last value is the side to move.
    ///
    /// Orthodox chess has the classes in which one side has only its king, with the colours exchanged if that is White.
    /// `None` with more than [`MAX_MEN`] men or castling rights.
    pub fn of(board: &Board) -> Option<(Self, Squares, Colour)> {
        let occupied = board.occupied();
        if occupied.count() as usize > MAX_MEN || board.castling() != CastlingRights::NONE {
            return None;
        }
        let flip = board.variant() == Variant::Chess && board.colour(Colour::Black).many();
        if flip && board.colour(Colour::White).many() {
            return None;
        }
        let mut men: ArrayVec<(Man, Square), MAX_MEN> = ArrayVec::new();
        for square in occupied {
            let mut piece = board.piece_on(square)?;
            let mut at = square;
            if flip {
                piece.colour = !piece.colour;
                at = square.flip_rank();
            }
            men.push((Man::of(piece)?, at));
        }
        men.sort_unstable_by_key(|&(man, square)| (man, square));
        let class = Self(men.iter().map(|&(man, _)| man).collect());
        let squares = men.iter().map(|&(_, square)| square).collect();
        let side = board.side_to_move();
        Some((class, squares, if flip { !side } else { side }))
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last = Colour::White;
        for man in self.men() {
            if man.colour != last {
                f.write_str("v")?;
                last = man.colour;
            }
            write!(f, "{}", man.letter())?;
        }
        Ok(())
    }
}

impl FromStr for Class {
    type Err = String;

    /// Parses names such as `KQvkg`: White before Black, in FEN letters.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("'{name}' is not an endgame class such as KQvkg");
        let (white, black) = name.split_once('v').ok_or_else(wrong)?;
        let valid = |letters: &str, allowed: &[u8]| letters.bytes().all(|letter| allowed.contains(&letter));
        if !valid(white, &ORDER[..6]) || !valid(black, &ORDER[6..]) {
            return Err(wrong());
        }
        if white.len() + black.len() > MAX_MEN {
            return Err(format!("'{name}' has more than {MAX_MEN} men"));
        }
        Self::new(white.chars().chain(black.chars()).filter_map(Piece::from_letter)).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["Kvk", "KQvkg", "KBNvk", "KPvkkh", "Kvkkgw"] {
            assert_eq!(name.parse::<Class>().expect(name).to_string(), name);
        }
        assert_eq!("NBKvk".parse::<Class>().expect("a class").to_string(), "KBNvk");
        for wrong in ["", "K", "Kv", "vk", "KQ", "KKvk", "Kvkkk", "Kvkq", "KGvk", "KQvg", "KQRBNvk", "kvK", "KvK"] {
            assert!(wrong.parse::<Class>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn classes_of_positions() {
        let of = |fen: &str, variant| Class::of(&Board::from_fen(fen, variant).expect(fen)).map(|(class, ..)| class);
        let name = |fen: &str, variant| of(fen, variant).map(|class| class.to_string());
        assert_eq!(name("k1k5/8/8/8/8/8/7h/K1Q5 b - - 0 1", Variant::Spartan), Some("KQvkkh".into()));
        assert_eq!(name("kr6/8/8/8/8/8/p7/K7 w - - 0 1", Variant::Chess), Some("KRPvk".into()));
        assert_eq!(of("kr6/8/8/8/8/8/p7/KR6 w - - 0 1", Variant::Chess), None);
        assert_eq!(of("4k3/8/8/8/8/8/8/4K2R w K - 0 1", Variant::Spartan), None);
        assert_eq!(of("4k3/4h3/4h3/4h3/8/8/8/3QK2R w - - 0 1", Variant::Spartan), None);
    }

    #[test]
    fn keys_are_distinct() {
        let keys = ["KQvk", "KQQvk", "KQvkk", "Kvkk", "KvkQ"].iter().filter_map(|name| name.parse::<Class>().ok());
        let keys: std::collections::HashSet<u64> = keys.map(|class| class.key()).collect();
        assert_eq!(keys.len(), 4);
    }
}
