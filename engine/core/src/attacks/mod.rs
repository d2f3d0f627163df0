//! Attack tables: magic bitboards for sliders, leaper attacks, and lines between squares.
//!
//! [`tables`] builds all tables once, in a few milliseconds. Callers with several lookups keep the reference and pass
//! it on.

mod leapers;
mod magic;
mod magic_numbers;

use crate::types::{Bitboard, Square};
use magic::Sliders;
pub use magic::find_magics;
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

    /// The squares that a rook attacks, own pieces included.
    #[inline]
    pub fn rook(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.sliders.rook(square, occupied)
    }

    /// The squares that a bishop attacks, own pieces included.
    #[inline]
    pub fn bishop(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.sliders.bishop(square, occupied)
    }

    /// The squares that a queen attacks, own pieces included.
    #[inline]
    pub fn queen(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.rook(square, occupied) | self.bishop(square, occupied)
    }

    /// The squares that a general attacks: rook plus one step diagonally.
    #[inline]
    pub fn general(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.rook(square, occupied) | self.diagonal_step(square)
    }

    /// The squares that a warlord attacks: bishop plus knight.
    #[inline]
    pub fn warlord(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.bishop(square, occupied) | self.knight(square)
    }

    /// The squares that a king attacks.
    #[inline]
    pub fn king(&self, square: Square) -> Bitboard {
        self.king[square.index()]
    }

    /// The squares that a knight attacks.
    #[inline]
    pub fn knight(&self, square: Square) -> Bitboard {
        self.knight[square.index()]
    }

    /// The diagonally adjacent squares.
    #[inline]
    pub fn diagonal_step(&self, square: Square) -> Bitboard {
        self.diagonal_step[square.index()]
    }

    /// The squares that a captain attacks.
    #[inline]
    pub fn captain(&self, square: Square) -> Bitboard {
        self.captain[square.index()]
    }

    /// The squares that a lieutenant attacks, which exclude its sideways moves.
    #[inline]
    pub fn lieutenant(&self, square: Square) -> Bitboard {
        self.lieutenant[square.index()]
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
    use crate::types::{File, Rank};

    /// Reference implementation of slider attacks.
    fn slow_slider(square: Square, occupied: Bitboard, directions: &[(i8, i8)]) -> Bitboard {
        let mut attacks = Bitboard::EMPTY;
        for &(files, ranks) in directions {
            let mut at = square;
            while let Some(next) = at.offset(files, ranks) {
                attacks = attacks.with(next);
                if occupied.has(next) {
                    break;
                }
                at = next;
            }
        }
        attacks
    }

    #[test]
    fn sliders_agree_with_stepping() {
        let mut seed = 0x1234_5678_9ABC_DEF1u64;
        for round in 0..2000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let occupied = Bitboard(if round % 2 == 0 { seed } else { seed & seed.rotate_left(17) });
            for square in Square::all() {
                let rook = slow_slider(square, occupied, &[(1, 0), (-1, 0), (0, 1), (0, -1)]);
                let bishop = slow_slider(square, occupied, &[(1, 1), (-1, 1), (1, -1), (-1, -1)]);
                assert_eq!(tables().rook(square, occupied), rook);
                assert_eq!(tables().bishop(square, occupied), bishop);
            }
        }
    }

    #[test]
    fn magic_numbers_are_reproducible() {
        assert_eq!(find_magics(0x5EED), [magic_numbers::ROOK_MAGICS, magic_numbers::BISHOP_MAGICS]);
    }

    #[test]
    fn attacks_of_leapers_and_spartan_pieces() {
        let squares = |names: &str| -> Bitboard {
            names.split(' ').map(|n| Square::from_ascii(n.as_bytes()[0], n.as_bytes()[1]).unwrap()).collect()
        };
        let t = tables();
        assert_eq!(t.captain(Square::D4), squares("d5 d6 d3 d2 c4 b4 e4 f4"));
        assert_eq!(t.lieutenant(Square::D4), squares("e5 f6 c5 b6 e3 f2 c3 b2"));
        assert_eq!(t.sideways(Square::A4), squares("b4"));
        assert_eq!(t.king(Square::H8), squares("g8 g7 h7"));
        assert_eq!(t.knight(Square::A1), squares("b3 c2"));
        assert_eq!(t.general(Square::A1, squares("a2 b1")), squares("a2 b1 b2"));
        assert_eq!(t.warlord(Square::A1, squares("b2")), squares("b2 b3 c2"));
    }

    #[test]
    fn lines() {
        let t = tables();
        assert_eq!(t.between(Square::A1, Square::D4), Bitboard::of(Square::B2) | Bitboard::of(Square::C3));
        assert_eq!(t.between(Square::A1, Square::B3), Bitboard::EMPTY);
        assert_eq!(t.ray(Square::B4, Square::D4), Bitboard::rank(Rank::new(3).unwrap()) & Bitboard(!0 << 26));
        assert_eq!(t.ray(Square::E2, Square::E7), Bitboard::file(File::new(4).unwrap()) & Bitboard(!0 << 16));
        assert_eq!(t.ray(Square::C3, Square::B2), Bitboard::of(Square::B2) | Bitboard::of(Square::A1));
        assert_eq!(t.ray(Square::B4, Square::C6), Bitboard::EMPTY);
    }
}
