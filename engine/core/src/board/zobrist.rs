//! Zobrist keys: the key of a position is the XOR of random numbers for its features.

use crate::rng::{INCREMENT, mix};
use crate::types::{CastlingRights, File, Piece, Square};

/// The keys of a position, updated incrementally.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Keys {
    /// Pieces, side to move, castling rights and en-passant file: everything that identifies a position.
    pub position: u64,
    /// Pawns and hoplites only.
    pub pawns: u64,
    /// All other pieces, of White and of Black.
    pub non_pawns: [u64; 2],
}

impl Keys {
    #[inline]
    pub(super) fn toggle_piece(&mut self, piece: Piece, square: Square) {
        let key = piece_key(piece, square);
        self.position ^= key;
        if piece.kind.is_pawn() {
            self.pawns ^= key;
        } else {
            self.non_pawns[piece.colour.index()] ^= key;
        }
    }

    #[inline]
    pub(super) fn toggle_side(&mut self) {
        self.position ^= SIDE;
    }

    /// Adds or removes a set of castling rights.
    #[inline]
    pub(super) fn toggle_castling(&mut self, rights: CastlingRights) {
        self.position ^= CASTLING[rights.index()];
    }

    #[inline]
    pub(super) fn toggle_en_passant(&mut self, file: File) {
        self.position ^= EN_PASSANT[file.index()];
    }
}

#[inline]
pub(crate) fn piece_key(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index()][square.index()]
}

/// The key of Black to move.
pub(crate) fn side_key() -> u64 {
    SIDE
}

/// The pseudo-random number with an index, evaluated at compile time.
const fn random(index: u64) -> u64 {
    mix(index.wrapping_add(1).wrapping_mul(INCREMENT).wrapping_add(0xA60E))
}

const fn randoms<const N: usize>(first: u64) -> [u64; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = random(first + i as u64);
        i += 1;
    }
    numbers
}

static PIECES: [[u64; 64]; Piece::COUNT] = {
    let mut keys = [[0; 64]; Piece::COUNT];
    let mut i = 0;
    while i < Piece::COUNT {
        keys[i] = randoms(i as u64 * 64);
        i += 1;
    }
    keys
};

/// The key of a set of rights is the XOR of the keys of its members.
static CASTLING: [u64; 16] = {
    let single: [u64; 4] = randoms(1000);
    let mut keys = [0; 16];
    let mut set = 0;
    while set < 16 {
        let mut bit = 0;
        while bit < 4 {
            if set >> bit & 1 != 0 {
                keys[set] ^= single[bit];
            }
            bit += 1;
        }
        set += 1;
    }
    keys
};

static EN_PASSANT: [u64; 8] = randoms(1100);
const SIDE: u64 = random(1200);
