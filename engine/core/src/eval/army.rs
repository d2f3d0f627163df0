//! What the evaluation adds to the armies of the board.
//!
//! The terms are generic over the army and its opponent. Orthodox chess shares the code at no cost for Spartan Chess.

use super::layout::AT;
use crate::board::army::{Army, Persian, Spartan};
use crate::types::{Bitboard, Colour, Square};

/// An army with the constants of its evaluation, by [`Role`](crate::types::Role).
pub(super) trait EvalArmy: Army {
    /// Whether it has hoplites and up to two kings.
    const SPARTAN: bool;
    /// The mobility groups; unused for pawns.
    const MOBILITY: [usize; 5];
    /// The attack weight of a piece that attacks the zone of a king.
    const ATTACK_WEIGHT: [i32; 6];
    /// The attack weight of a safe check.
    const CHECK_WEIGHT: [i32; 6];

    /// The first of the army's piece-square tables.
    const FIRST_PSQT: usize = if Self::SPARTAN { 6 } else { 0 };

    /// The squares on which one of the pawns can stop or capture an advancing orthodox pawn of the enemy.
    fn stop_span(pawns: Bitboard) -> Bitboard;

    /// A square from the army's view: its own back rank is rank 1.
    #[inline]
    fn relative(square: Square) -> Square {
        if matches!(Self::COLOUR, Colour::White) { square } else { square.flip_rank() }
    }

    /// A set of squares from the army's view.
    #[inline]
    fn relative_set(set: Bitboard) -> Bitboard {
        if matches!(Self::COLOUR, Colour::White) { set } else { set.flip_ranks() }
    }

    /// The set and all squares in front of it.
    #[inline]
    fn fill(set: Bitboard) -> Bitboard {
        if Self::UP > 0 { fill_up(set) } else { fill_down(set) }
    }

    /// All squares behind those of a set.
    #[inline]
    fn fill_back(set: Bitboard) -> Bitboard {
        let behind = set.shift(0, -Self::UP);
        if Self::UP > 0 { fill_down(behind) } else { fill_up(behind) }
    }
}

#[inline]
pub(super) fn fill_up(Bitboard(mut set): Bitboard) -> Bitboard {
    set |= set << 8;
    set |= set << 16;
    Bitboard(set | set << 32)
}

#[inline]
pub(super) fn fill_down(Bitboard(mut set): Bitboard) -> Bitboard {
    set |= set >> 8;
    set |= set >> 16;
    Bitboard(set | set >> 32)
}

impl<const SIDE: u8> EvalArmy for Persian<SIDE> {
    const SPARTAN: bool = false;
    const MOBILITY: [usize; 5] = [0, AT.mobility_knight, AT.mobility_bishop, AT.mobility_rook, AT.mobility_queen];
    const ATTACK_WEIGHT: [i32; 6] = [1, 3, 2, 3, 5, 1];
    const CHECK_WEIGHT: [i32; 6] = [0, 5, 4, 6, 7, 0];

    #[inline]
    fn stop_span(pawns: Bitboard) -> Bitboard {
        Self::fill(pawns.shift(0, Self::UP) | Self::pawn_attacks(pawns))
    }
}

impl EvalArmy for Spartan {
    const SPARTAN: bool = true;
    const MOBILITY: [usize; 5] =
        [0, AT.mobility_lieutenant, AT.mobility_captain, AT.mobility_general, AT.mobility_warlord];
    const ATTACK_WEIGHT: [i32; 6] = [1, 3, 3, 4, 5, 2];
    const CHECK_WEIGHT: [i32; 6] = [0, 4, 4, 6, 7, 0];

    /// A hoplite on the same file blocks a pawn and captures it when they meet. A hoplite on an adjacent file can step
    /// in front of the pawn if it is at least two ranks ahead; from the next rank it would step past.
    #[inline]
    fn stop_span(hoplites: Bitboard) -> Bitboard {
        Self::fill(hoplites.shift(0, -1) | hoplites.shift(-1, -2) | hoplites.shift(1, -2))
    }
}
