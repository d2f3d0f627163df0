//! What the evaluation must know of the two armies.
//!
//! The terms are generic over the army that they look at and the army that it faces, so that the
//! orthodox variant shares them and costs the Spartan one nothing.

use super::layout::AT;
use crate::attacks::Tables;
use crate::board::Board;
use crate::types::{Bitboard, Colour, PieceType, Square};

/// An army as the evaluation sees it. Slots are those of [`PieceType::slot`]: 0 pawns or hoplites,
/// 1 and 2 minor pieces, 3 rooks or generals, 4 queens or warlords, 5 kings.
pub(super) trait Army {
    /// The side that it plays.
    const COLOUR: Colour;
    /// Whether it has hoplites and perhaps two kings.
    const SPARTAN: bool;
    /// Its pieces by slot.
    const KINDS: [PieceType; 6];
    /// The groups of mobility by slot, from slot 1 on.
    const MOBILITY: [usize; 5];
    /// What a piece of a slot that reaches the zone of a king adds to the weight of the attack.
    const ATTACK_WEIGHT: [i32; 6];
    /// What a check from a safe square, by a piece of a slot, adds.
    const CHECK_WEIGHT: [i32; 6];

    /// Ranks that a pawn of the army advances: 1 or -1.
    const UP: i32 = if matches!(Self::COLOUR, Colour::White) { 1 } else { -1 };
    /// The first of the army's piece-square tables.
    const TABLE: usize = if Self::SPARTAN { 6 } else { 0 };

    /// The squares that pawns attack.
    fn pawn_attacks(pawns: Bitboard) -> Bitboard;

    /// The squares on which an orthodox pawn of the enemy could be stopped or captured by one of the
    /// pawns on its way.
    fn stop_span(pawns: Bitboard) -> Bitboard;

    /// The squares that a piece of a slot from 1 to 5 attacks.
    fn attacks<const SLOT: usize>(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard;

    /// The pieces of a slot.
    #[inline]
    fn pieces(board: &Board, slot: usize) -> Bitboard {
        board.coloured(Self::COLOUR, Self::KINDS[slot])
    }

    /// A square as the army sees it: its own back rank is rank 1.
    #[inline]
    fn relative(square: Square) -> Square {
        if matches!(Self::COLOUR, Colour::White) { square } else { square.flip_rank() }
    }

    /// A set of squares as the army sees it.
    #[inline]
    fn relative_set(set: Bitboard) -> Bitboard {
        if matches!(Self::COLOUR, Colour::White) { set } else { set.flip_ranks() }
    }

    /// The squares and all those before them, in the army's direction.
    #[inline]
    fn fill(set: Bitboard) -> Bitboard {
        let mut filled = set.0;
        if Self::UP > 0 {
            filled |= filled << 8;
            filled |= filled << 16;
            filled |= filled << 32;
        } else {
            filled |= filled >> 8;
            filled |= filled >> 16;
            filled |= filled >> 32;
        }
        Bitboard(filled)
    }

    /// The squares behind those of a set, the set itself left out unless one is behind another.
    #[inline]
    fn fill_back(set: Bitboard) -> Bitboard {
        let mut filled = set.shift(0, -Self::UP).0;
        if Self::UP > 0 {
            filled |= filled >> 8;
            filled |= filled >> 16;
            filled |= filled >> 32;
        } else {
            filled |= filled << 8;
            filled |= filled << 16;
            filled |= filled << 32;
        }
        Bitboard(filled)
    }
}

pub(super) const WHITE: u8 = Colour::White as u8;
pub(super) const BLACK: u8 = Colour::Black as u8;

/// The orthodox army, of either side.
pub(super) struct Persian<const SIDE: u8>;

/// The army of hoplites and two kings. It always plays Black.
pub(super) struct Spartan;

impl<const SIDE: u8> Army for Persian<SIDE> {
    const COLOUR: Colour = if SIDE == WHITE { Colour::White } else { Colour::Black };
    const SPARTAN: bool = false;
    const KINDS: [PieceType; 6] =
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen, PieceType::King];
    const MOBILITY: [usize; 5] = [0, AT.mobility_knight, AT.mobility_bishop, AT.mobility_rook, AT.mobility_queen];
    const ATTACK_WEIGHT: [i32; 6] = [1, 3, 2, 3, 5, 1];
    const CHECK_WEIGHT: [i32; 6] = [0, 5, 4, 6, 7, 0];

    #[inline]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        pawns.shift(-1, Self::UP) | pawns.shift(1, Self::UP)
    }

    #[inline]
    fn stop_span(pawns: Bitboard) -> Bitboard {
        Self::fill(pawns.shift(0, Self::UP) | Self::pawn_attacks(pawns))
    }

    #[inline]
    fn attacks<const SLOT: usize>(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        match SLOT {
            1 => tables.knight(from),
            2 => tables.bishop(from, occupied),
            3 => tables.rook(from, occupied),
            4 => tables.queen(from, occupied),
            _ => tables.king(from),
        }
    }
}

impl Army for Spartan {
    const COLOUR: Colour = Colour::Black;
    const SPARTAN: bool = true;
    const KINDS: [PieceType; 6] = [
        PieceType::Hoplite,
        PieceType::Lieutenant,
        PieceType::Captain,
        PieceType::General,
        PieceType::Warlord,
        PieceType::King,
    ];
    const MOBILITY: [usize; 5] =
        [0, AT.mobility_lieutenant, AT.mobility_captain, AT.mobility_general, AT.mobility_warlord];
    const ATTACK_WEIGHT: [i32; 6] = [1, 3, 3, 4, 5, 2];
    const CHECK_WEIGHT: [i32; 6] = [0, 4, 4, 6, 7, 0];

    #[inline]
    fn pawn_attacks(hoplites: Bitboard) -> Bitboard {
        hoplites.shift(0, -1)
    }

    /// A hoplite straight ahead stops a pawn and captures it when they meet. One on a neighbouring
    /// file steps in between as long as it is two ranks ahead; from the next rank it would step
    /// past.
    #[inline]
    fn stop_span(hoplites: Bitboard) -> Bitboard {
        Self::fill(hoplites.shift(0, -1) | hoplites.shift(-1, -2) | hoplites.shift(1, -2))
    }

    #[inline]
    fn attacks<const SLOT: usize>(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        match SLOT {
            1 => tables.lieutenant(from),
            2 => tables.captain(from),
            3 => tables.general(from, occupied),
            4 => tables.warlord(from, occupied),
            _ => tables.king(from),
        }
    }
}
