//! Slider attacks by perfect hashing: fancy magic bitboards (Pradyumna Kannan's scheme), or the
//! PEXT instruction where the build may use it.
//!
//! Both index the same table. The masks leave out the edge of the board, since a blocker there
//! changes nothing.

use super::magic_numbers::{BISHOP_MAGICS, ROOK_MAGICS};
use crate::types::{Bitboard, Square};

const ROOK_DIRECTIONS: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP_DIRECTIONS: [(i8, i8); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The sum of 2^(relevant squares) over all squares, for rooks and bishops.
const TABLE_SIZE: usize = 102_400 + 5_248;

/// How one kind of slider on one square finds its attacks.
#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    #[cfg_attr(agoge_pext, allow(dead_code))]
    factor: u64,
    offset: u32,
    #[cfg_attr(agoge_pext, allow(dead_code))]
    shift: u32,
}

impl Magic {
    #[cfg(not(agoge_pext))]
    #[inline]
    fn index(&self, occupied: u64) -> usize {
        self.offset as usize + ((occupied & self.mask).wrapping_mul(self.factor) >> self.shift) as usize
    }

    #[cfg(agoge_pext)]
    #[inline]
    fn index(&self, occupied: u64) -> usize {
        // SAFETY: `agoge_pext` is set by build.rs only when the target features of the build
        // include bmi2, so that every machine that may run the build has the instruction.
        let index = unsafe { std::arch::x86_64::_pext_u64(occupied, self.mask) };
        self.offset as usize + index as usize
    }
}

/// The attacks of rooks and bishops for every occupancy.
pub(super) struct Sliders {
    rook: [Magic; 64],
    bishop: [Magic; 64],
    attacks: Box<[Bitboard]>,
}

impl Sliders {
    pub(super) fn build() -> Self {
        let mut attacks = vec![Bitboard::EMPTY; TABLE_SIZE].into_boxed_slice();
        let mut offset = 0;
        let mut magics = |directions: &[(i8, i8)], factors: &[u64; 64]| {
            std::array::from_fn(|i| {
                let square = Square::new(i as u8);
                let mask = relevant_occupancy(square, directions);
                let magic = Magic { mask, factor: factors[i], offset, shift: 64 - mask.count_ones() };
                for blockers in subsets(mask) {
                    attacks[magic.index(blockers)] = slide(square, blockers, directions);
                }
                offset += 1 << mask.count_ones();
                magic
            })
        };
        let rook = magics(&ROOK_DIRECTIONS, &ROOK_MAGICS);
        let bishop = magics(&BISHOP_DIRECTIONS, &BISHOP_MAGICS);
        Self { rook, bishop, attacks }
    }

    #[inline]
    pub(super) fn rook(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attacks[self.rook[square.index()].index(occupied.0)]
    }

    #[inline]
    pub(super) fn bishop(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attacks[self.bishop[square.index()].index(occupied.0)]
    }
}

/// The attacks of a slider, step by step.
fn slide(square: Square, occupied: u64, directions: &[(i8, i8)]) -> Bitboard {
    let mut attacks = Bitboard::EMPTY;
    for &(files, ranks) in directions {
        let mut at = square;
        while let Some(next) = at.offset(files, ranks) {
            attacks = attacks.with(next);
            if Bitboard(occupied).has(next) {
                break;
            }
            at = next;
        }
    }
    attacks
}

/// The squares where a blocker makes a difference: those attacked on an empty board, except the
/// last one in each direction.
fn relevant_occupancy(square: Square, directions: &[(i8, i8)]) -> u64 {
    directions.iter().fold(0, |mask, &direction| {
        let ray = slide(square, 0, &[direction]);
        let last = ray.filter(|s| s.offset(direction.0, direction.1).is_none());
        mask | last.fold(ray, Bitboard::without).0
    })
}

/// All subsets of a set of squares, the empty one first (Carry-Rippler).
fn subsets(mask: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let subset = next?;
        let following = subset.wrapping_sub(mask) & mask;
        next = (following != 0).then_some(following);
        Some(subset)
    })
}

/// Searches magic factors anew, rooks first: how the constants of the engine were made.
///
/// Deterministic for a seed; takes a second or so.
pub fn find_magics(seed: u64) -> [[u64; 64]; 2] {
    let mut state = seed | 1;
    let mut random = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    };
    [ROOK_DIRECTIONS, BISHOP_DIRECTIONS].map(|directions| {
        std::array::from_fn(|i| {
            let square = Square::new(i as u8);
            let mask = relevant_occupancy(square, &directions);
            let shift = 64 - mask.count_ones();
            let cases: Vec<(u64, Bitboard)> = subsets(mask).map(|b| (b, slide(square, b, &directions))).collect();
            let mut table = vec![(0u32, Bitboard::EMPTY); 1 << mask.count_ones()];
            let mut round = 0;
            loop {
                // Factors with few bits set spread the occupancy best.
                let factor = random() & random() & random();
                if (mask.wrapping_mul(factor) >> 56).count_ones() < 6 {
                    continue;
                }
                round += 1;
                let fits = cases.iter().all(|&(blockers, attacks)| {
                    let entry = &mut table[(blockers.wrapping_mul(factor) >> shift) as usize];
                    let free = entry.0 != round;
                    if free {
                        *entry = (round, attacks);
                    }
                    free || entry.1 == attacks
                });
                if fits {
                    break factor;
                }
            }
        })
    })
}
