//! The differences of the two armies for the evaluation.
//!
//! The terms are generic over the army and its opponent. Orthodox chess shares the code at no cost for Spartan Chess.

use super::layout::AT;
use crate::attacks::Tables;
use crate::board::Board;
use crate::types::{Bitboard, Colour, PieceType, Square};

/// An army. Army indices are those of [`PieceType::army_index`]: 0 pawns or hoplites, 1 and 2 minor pieces, 3 rooks or
/// generals, 4 queens or warlords, 5 kings.
pub(super) trait Army {
    /// The side.
    const COLOUR: Colour;
    /// Whether it has hoplites and up to two kings.
    const SPARTAN: bool;
    /// Its kinds of men by army index.
    const KINDS: [PieceType; 6];
    /// The mobility groups by army index, from 1 on.
    const MOBILITY: [usize; 5];
    /// The attack weight of a piece that attacks the zone of a king, by army index.
    const ATTACK_WEIGHT: [i32; 6];
    /// The attack weight of a safe check, by army index.
    const CHECK_WEIGHT: [i32; 6];

    /// The direction of its pawns: 1 or -1.
    const UP: i32 = if matches!(Self::COLOUR, Colour::White) { 1 } else { -1 };
    /// The first of the army's piece-square tables.
    const FIRST_PSQT: usize = if Self::SPARTAN { 6 } else { 0 };

    /// The squares attacked by pawns.
    fn pawn_attacks(pawns: Bitboard) -> Bitboard;

    /// The squares on which one of the pawns can stop or capture an advancing orthodox pawn of the enemy.
    fn stop_span(pawns: Bitboard) -> Bitboard;

    /// The attacks of a piece with an army index from 1 to 5.
    fn attacks<const INDEX: usize>(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard;

    /// The men with an army index.
    #[inline]
    fn pieces(board: &Board, army_index: usize) -> Bitboard {
        board.coloured(Self::COLOUR, Self::KINDS[army_index])
    }

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

    /// All squares behind those of a set.
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

/// The orthodox army, for either side.
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
    fn attacks<const INDEX: usize>(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        match INDEX {
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

    /// A hoplite on the same file blocks a pawn and captures it when they meet. A hoplite on an adjacent file can step
    /// in front of the pawn if it is at least two ranks ahead; from the next rank it would step past.
    #[inline]
    fn stop_span(hoplites: Bitboard) -> Bitboard {
        Self::fill(hoplites.shift(0, -1) | hoplites.shift(-1, -2) | hoplites.shift(1, -2))
    }

    #[inline]
    fn attacks<const INDEX: usize>(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        match INDEX {
            1 => tables.lieutenant(from),
            2 => tables.captain(from),
            3 => tables.general(from, occupied),
            4 => tables.warlord(from, occupied),
            _ => tables.king(from),
        }
    }
}
