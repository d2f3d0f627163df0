//! Attack tables: magic bitboards for sliders, leaper attacks, and lines between squares.
//!
//! [`tables`] builds all tables once, in a few milliseconds. Callers with several lookups keep the reference and pass
//! it on.

mod leapers;
mod magic;
mod magic_numbers;

use crate::types::{Bitboard, Piece, PieceType, Square};
use magic::Sliders;
use once_cell::sync::Lazy;

/// How the attacks of sliders are looked up, chosen by `build.rs`.
pub const SLIDERS: &str = if cfg!(agoge_pext) { "PEXT" } else { "magics" };

/// All attack tables.
pub struct Tables {
    sliders: Sliders,
    king: [Bitboard; 64],
    knight: [Bitboard; 64],
    diagonal_step: [Bitboard; 64],
    captain: [Bitboard; 64],
    lieutenant: [Bitboard; 64],
    sideways: [Bitboard; 64],
    rook_rays: [Bitboard; 64],
    bishop_rays: [Bitboard; 64],
    between: [[Bitboard; 64]; 64],
    ray: [[Bitboard; 64]; 64],
}

static TABLES: Lazy<Box<Tables>> = Lazy::new(Tables::build);

/// The tables, built on first use.
#[inline]
pub fn tables() -> &'static Tables {
    &TABLES
}

/// The squares that pawns or hoplites attack.
#[inline]
pub const fn pawn_attacks(pawn: Piece, from: Bitboard) -> Bitboard {
    let up = pawn.colour.up();
    match pawn.kind {
        PieceType::Hoplite => from.shift(0, up),
        _ => Bitboard(from.shift(-1, up).0 | from.shift(1, up).0),
    }
}

impl Tables {
    fn build() -> Box<Self> {
        let sliders = Sliders::build();
        let mut between = [[Bitboard::EMPTY; 64]; 64];
        let mut ray = [[Bitboard::EMPTY; 64]; 64];
        for a in Square::all() {
            for b in Square::all().filter(|&b| b != a) {
                let ends = Bitboard::of(a) | Bitboard::of(b);
                for attacks in [Sliders::rook, Sliders::bishop] {
                    if attacks(&sliders, a, Bitboard::EMPTY).has(b) {
                        between[a.index()][b.index()] = attacks(&sliders, a, ends) & attacks(&sliders, b, ends);
                        let beyond = attacks(&sliders, a, Bitboard::EMPTY) & attacks(&sliders, b, Bitboard::of(a));
                        ray[a.index()][b.index()] = beyond.with(b);
                    }
                }
            }
        }
        Box::new(Self {
            rook_rays: std::array::from_fn(|i| sliders.rook(Square::new(i as u8), Bitboard::EMPTY)),
            bishop_rays: std::array::from_fn(|i| sliders.bishop(Square::new(i as u8), Bitboard::EMPTY)),
            sliders,
            king: leapers::table(&leapers::KING),
            knight: leapers::table(&leapers::KNIGHT),
            diagonal_step: leapers::table(&leapers::DIAGONAL_STEP),
            captain: leapers::table(&leapers::CAPTAIN),
            lieutenant: leapers::table(&leapers::LIEUTENANT),
            sideways: leapers::table(&leapers::SIDEWAYS),
            between,
            ray,
        })
    }

    /// The squares that a rook attacks: in each direction up to the first occupied one, which is included.
    #[inline]
    pub fn rook(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.sliders.rook(square, occupied)
    }

    /// The squares that a bishop attacks: in each direction up to the first occupied one, which is included.
    #[inline]
    pub fn bishop(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.sliders.bishop(square, occupied)
    }

    /// The squares one step away, in all eight directions.
    #[inline]
    pub fn king(&self, square: Square) -> Bitboard {
        self.king[square.index()]
    }

    /// The squares that a piece, not a pawn or hoplite, attacks by a step or leap, which cannot be blocked.
    #[inline]
    pub fn leaps(&self, kind: PieceType, from: Square) -> Bitboard {
        match kind {
            PieceType::Knight | PieceType::Warlord => self.knight[from.index()],
            PieceType::King => self.king(from),
            PieceType::Lieutenant => self.lieutenant[from.index()],
            PieceType::Captain => self.captain[from.index()],
            PieceType::General => self.diagonal_step[from.index()],
            _ => Bitboard::EMPTY,
        }
    }

    /// The squares that a piece attacks, those of own (protected) pieces included.
    #[inline]
    pub fn attacks(&self, piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
        match piece.kind {
            PieceType::Pawn | PieceType::Hoplite => pawn_attacks(piece, Bitboard::of(from)),
            PieceType::Bishop => self.bishop(from, occupied),
            PieceType::Rook => self.rook(from, occupied),
            PieceType::Queen => self.rook(from, occupied) | self.bishop(from, occupied),
            PieceType::General => self.rook(from, occupied) | self.diagonal_step[from.index()],
            PieceType::Warlord => self.bishop(from, occupied) | self.knight[from.index()],
            leaper => self.leaps(leaper, from),
        }
    }

    /// The squares where a piece, not a pawn or hoplite, can move to or protect: its attacks, and the lieutenant's
    /// steps sideways, which do not capture.
    #[inline]
    pub fn destinations(&self, piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
        let sideways =
            if piece.kind == PieceType::Lieutenant { self.sideways(from) & !occupied } else { Bitboard::EMPTY };
        self.attacks(piece, from, occupied) | sideways
    }

    /// The adjacent squares on the rank, where a lieutenant moves without capturing.
    #[inline]
    pub fn sideways(&self, square: Square) -> Bitboard {
        self.sideways[square.index()]
    }

    /// The squares that a rook attacks on an empty board.
    #[inline]
    pub fn rook_rays(&self, square: Square) -> Bitboard {
        self.rook_rays[square.index()]
    }

    /// The squares that a bishop attacks on an empty board.
    #[inline]
    pub fn bishop_rays(&self, square: Square) -> Bitboard {
        self.bishop_rays[square.index()]
    }

    /// The squares strictly between two squares on a common rank, file or diagonal; empty for other squares.
    #[inline]
    pub fn between(&self, a: Square, b: Square) -> Bitboard {
        self.between[a.index()][b.index()]
    }

    /// The squares from `a` (excluded) through `b` to the edge of the board, if both are on a common rank, file or
    /// diagonal; empty for other squares.
    #[inline]
    pub fn ray(&self, a: Square, b: Square) -> Bitboard {
        self.ray[a.index()][b.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::types::File;

    #[test]
    fn sliders_agree_with_stepping() {
        let mut rng = Rng::new(1);
        for round in 0..2000 {
            let occupied = Bitboard(if round % 2 == 0 { rng.next() } else { rng.next() & rng.next() });
            for square in Square::all() {
                let rook = magic::slide(square, occupied.0, &[(1, 0), (-1, 0), (0, 1), (0, -1)]);
                let bishop = magic::slide(square, occupied.0, &[(1, 1), (-1, 1), (1, -1), (-1, -1)]);
                assert_eq!(tables().rook(square, occupied), rook);
                assert_eq!(tables().bishop(square, occupied), bishop);
            }
        }
    }

    #[test]
    fn magic_numbers_are_reproducible() {
        assert_eq!(magic::find_magics(0x5EED), [magic_numbers::ROOK_MAGICS, magic_numbers::BISHOP_MAGICS]);
    }

    #[test]
    fn attacks_of_leapers_and_spartan_pieces() {
        let squares = |names: &str| -> Bitboard {
            names.split(' ').map(|n| Square::from_ascii(n.as_bytes()[0], n.as_bytes()[1]).unwrap()).collect()
        };
        let attacks = |letter: char, from: Square, occupied: Bitboard| {
            tables().attacks(Piece::from_letter(letter).unwrap(), from, occupied)
        };
        let empty = Bitboard::EMPTY;
        assert_eq!(attacks('c', Square::D4, empty), squares("d5 d6 d3 d2 c4 b4 e4 f4"));
        assert_eq!(attacks('l', Square::D4, empty), squares("e5 f6 c5 b6 e3 f2 c3 b2"));
        assert_eq!(tables().sideways(Square::A4), squares("b4"));
        assert_eq!(attacks('k', Square::H8, empty), squares("g8 g7 h7"));
        assert_eq!(attacks('N', Square::A1, empty), squares("b3 c2"));
        assert_eq!(attacks('g', Square::A1, squares("a2 b1")), squares("a2 b1 b2"));
        assert_eq!(attacks('w', Square::A1, squares("b2")), squares("b2 b3 c2"));
    }

    #[test]
    fn lines() {
        let t = tables();
        assert_eq!(t.between(Square::A1, Square::D4), Bitboard::of(Square::B2) | Bitboard::of(Square::C3));
        assert_eq!(t.between(Square::A1, Square::B3), Bitboard::EMPTY);
        assert_eq!(t.ray(Square::B4, Square::D4), Bitboard::rank(4) & Bitboard(!0 << 26));
        assert_eq!(t.ray(Square::E2, Square::E7), Bitboard::file(File::new(4).unwrap()) & Bitboard(!0 << 16));
        assert_eq!(t.ray(Square::C3, Square::B2), Bitboard::of(Square::B2) | Bitboard::of(Square::A1));
        assert_eq!(t.ray(Square::B4, Square::C6), Bitboard::EMPTY);
    }
}
