//! The rules for the solver.
//!
//! This is a second move generator, independent of [`agoge_core::board`], on lists of men. It knows neither castling
//! nor en passant (Spartan Chess has none), nor the history of the game.

use agoge_core::attacks::{Tables as Attacks, tables};
use agoge_core::tables::{Class, MAX_MEN, Numbering};
use agoge_core::types::{Bitboard, Colour, Piece, PieceType, Square};
use arrayvec::ArrayVec;

const BLACK_KING: Piece = Piece { colour: Colour::Black, kind: PieceType::King };

/// The pieces that a pawn or hoplite can promote to.
pub const fn promotions(kind: PieceType, black_kings: usize) -> &'static [PieceType] {
    use PieceType::{Bishop, Captain, General, King, Knight, Lieutenant, Queen, Rook, Warlord};
    match kind {
        PieceType::Pawn => &[Queen, Rook, Bishop, Knight],
        PieceType::Hoplite if black_kings == 1 => &[General, Warlord, Captain, Lieutenant, King],
        PieceType::Hoplite => &[General, Warlord, Captain, Lieutenant],
        _ => &[],
    }
}

/// The empty squares that a piece can move to. It can come from the same squares.
#[inline]
fn piece_steps(tables: &Attacks, man: Piece, at: Square, occupied: Bitboard) -> Bitboard {
    tables.destinations(man, at, occupied) & !occupied
}

/// The empty squares that a pawn or hoplite can move to.
fn pawn_steps(man: Piece, at: Square, occupied: Bitboard) -> Bitboard {
    let (here, empty) = (Bitboard::of(at), !occupied);
    if man.kind == PieceType::Pawn {
        let one = here.shift(0, 1) & empty;
        let two = (one & Bitboard::rank(3)).shift(0, 1);
        return (one | two) & empty;
    }
    let leaper = here & Bitboard::rank(7);
    (here.shift(-1, -1) | here.shift(1, -1) | leaper.shift(-2, -2) | leaper.shift(2, -2)) & empty
}

#[derive(Debug)]
pub struct Material {
    men: ArrayVec<Piece, MAX_MEN>,
    black_kings: usize,
}

/// A capture, a promotion, or both: the place of the captured man, and the man that promotes with its new kind.
pub type Conversion = (Option<usize>, Option<(usize, PieceType)>);

#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The man that moves, by its place in the class.
    pub man: usize,
    pub to: Square,
    pub captured: Option<usize>,
    /// The kind that a pawn or hoplite becomes.
    pub promotion: Option<PieceType>,
}

impl Material {
    pub fn new(class: &Class) -> Self {
        Self { men: class.men().collect(), black_kings: class.kings(Colour::Black) }
    }

    pub fn men(&self) -> &[Piece] {
        &self.men
    }

    /// Whether all kings of a side are attacked. The men of `gone`, a set of places, are not on the board.
    #[inline]
    fn is_exposed(men: &[Piece], squares: &[Square], gone: u8, colour: Colour, tables: &Attacks) -> bool {
        let mut occupied = Bitboard::EMPTY;
        for (place, &square) in squares.iter().enumerate() {
            if gone >> place & 1 == 0 {
                occupied = occupied.with(square);
            }
        }
        let king = Piece { colour, kind: PieceType::King };
        let mut attacked = None;
        for (place, &square) in squares.iter().enumerate() {
            if men[place] == king && gone >> place & 1 == 0 {
                let attacked = *attacked.get_or_insert_with(|| {
                    let mut all = Bitboard::EMPTY;
                    for (place, &from) in squares.iter().enumerate() {
                        if men[place].colour != colour && gone >> place & 1 == 0 {
                            all |= tables.attacks(men[place], from, occupied);
                        }
                    }
                    all
                });
                if !attacked.has(square) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the side is in check, that is, all its kings are attacked.
    pub fn is_in_check(&self, squares: &[Square], colour: Colour, tables: &Attacks) -> bool {
        Self::is_exposed(&self.men, squares, 0, colour, tables)
    }

    /// Whether a position is legal: each man has its own square, pawns and hoplites are on ranks 2 to 7, and the side
    /// not to move is not in check.
    pub fn is_legal(&self, squares: &[Square], side: Colour, tables: &Attacks) -> bool {
        let mut occupied = Bitboard::EMPTY;
        for (man, &square) in self.men.iter().zip(squares) {
            if occupied.has(square) || man.kind.is_pawn() && Bitboard::BACK_RANKS.has(square) {
                return false;
            }
            occupied = occupied.with(square);
        }
        !self.is_in_check(squares, !side, tables)
    }

    /// Whether an index has a legal position of its own, not one that another index stands for.
    pub fn has_position(&self, numbering: &Numbering, index: usize, squares: &[Square], side: Colour) -> bool {
        self.is_legal(squares, side, tables()) && numbering.is_canonical(index, squares, side)
    }

    /// Calls a function with each legal move.
    #[cfg(test)]
    pub fn for_each_move(&self, squares: &[Square], side: Colour, tables: &Attacks, mut f: impl FnMut(Step)) {
        self.for_each_pseudo_legal_move(squares, side, tables, |step| {
            if self.is_legal_move(squares, side, tables, step) {
                f(step);
            }
        });
    }

    /// Calls a function with each move that is legal unless it leaves the side in check.
    #[inline]
    pub fn for_each_pseudo_legal_move(
        &self,
        squares: &[Square],
        side: Colour,
        tables: &Attacks,
        mut f: impl FnMut(Step),
    ) {
        let (mut occupied, mut enemies) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for (man, &square) in self.men.iter().zip(squares) {
            occupied = occupied.with(square);
            if man.colour != side {
                enemies = enemies.with(square);
            }
        }
        for (man, &piece) in self.men.iter().enumerate().filter(|(_, piece)| piece.colour == side) {
            let from = squares[man];
            let captures = tables.attacks(piece, from, occupied) & enemies;
            let quiet = if piece.kind.is_pawn() {
                pawn_steps(piece, from, occupied)
            } else {
                piece_steps(tables, piece, from, occupied)
            };
            for to in quiet | captures {
                let captured = if enemies.has(to) { squares.iter().position(|&square| square == to) } else { None };
                if piece.kind.is_pawn() && Bitboard::BACK_RANKS.has(to) {
                    for &kind in promotions(piece.kind, self.black_kings) {
                        f(Step { man, to, captured, promotion: Some(kind) });
                    }
                } else {
                    f(Step { man, to, captured, promotion: None });
                }
            }
        }
    }

    /// Whether a pseudo-legal move does not leave the side that makes it in check.
    pub fn is_legal_move(&self, squares: &[Square], side: Colour, tables: &Attacks, step: Step) -> bool {
        let mut next = [Square::A1; MAX_MEN];
        let next = &mut next[..squares.len()];
        next.copy_from_slice(squares);
        next[step.man] = step.to;
        let gone = step.captured.map_or(0, |place| 1 << place);
        let Some(kind) = step.promotion else {
            return !Self::is_exposed(&self.men, next, gone, side, tables);
        };
        // Promoting to a king can resolve an attack on the only king.
        let mut men = self.men.clone();
        men[step.man].kind = kind;
        !Self::is_exposed(&men, next, gone, side, tables)
    }

    /// Calls a function with each quiet move of a piece that may have led to this position: the man and the square it
    /// came from. The positions before need not be legal.
    #[inline]
    pub fn for_each_unmove(
        &self,
        squares: &[Square],
        side: Colour,
        tables: &Attacks,
        mut f: impl FnMut(usize, Square),
    ) {
        let occupied = squares.iter().fold(Bitboard::EMPTY, |set, &square| set.with(square));
        for (man, &piece) in self.men.iter().enumerate() {
            if piece.colour != side && !piece.kind.is_pawn() {
                for from in piece_steps(tables, piece, squares[man], occupied) {
                    f(man, from);
                }
            }
        }
    }

    /// The class after a capture, a promotion, or both, and for each of its men the place of that man before. `None`
    /// for neither.
    pub fn after(&self, captured: Option<usize>, promotion: Option<(usize, PieceType)>) -> Option<(Class, Vec<usize>)> {
        if captured.is_none() && promotion.is_none() {
            return None;
        }
        let mut men: Vec<(Piece, usize)> =
            self.men.iter().copied().zip(0..).filter(|&(_, place)| Some(place) != captured).collect();
        if let Some((promoted, kind)) = promotion {
            men.iter_mut().filter(|(_, place)| *place == promoted).for_each(|(man, _)| man.kind = kind);
        }
        let class = Class::new(men.iter().map(|&(man, _)| man))?;
        let mut order = Vec::new();
        for wanted in class.men() {
            let at = men.iter().position(|&(man, _)| man == wanted)?;
            order.push(men.remove(at).1);
        }
        Some((class, order))
    }

    /// All captures and promotions that may be possible in positions of the class.
    pub fn conversions(&self) -> Vec<Conversion> {
        let mut found = Vec::new();
        let pieces = |colour: Colour| self.men.iter().enumerate().filter(move |(_, man)| man.colour == colour);
        for side in Colour::ALL {
            let is_takeable = |man: Piece| man.kind != PieceType::King || man == BLACK_KING && self.black_kings == 2;
            let captures: Vec<Option<usize>> = pieces(!side)
                .filter(|&(_, &man)| is_takeable(man))
                .map(|(place, _)| Some(place))
                .chain([None])
                .collect();
            for &captured in &captures {
                found.push((captured, None));
                for (place, man) in pieces(side) {
                    let kinds = promotions(man.kind, self.black_kings);
                    found.extend(kinds.iter().map(|&kind| (captured, Some((place, kind)))));
                }
            }
        }
        found.retain(|&(captured, promotion)| captured.is_some() || promotion.is_some());
        found
    }

    pub fn successors(&self) -> Vec<Class> {
        let after = |(captured, promotion)| self.after(captured, promotion).map(|(class, _)| class);
        let mut classes: Vec<Class> = self.conversions().into_iter().filter_map(after).collect();
        classes.sort();
        classes.dedup();
        classes
    }
}
