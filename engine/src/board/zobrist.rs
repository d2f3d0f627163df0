//! Zobrist keys: random numbers that are combined by exclusive or into the key of a position.

use crate::rng::{INCREMENT, mix};
use crate::types::{CastlingRights, File, Piece, Square};

/// The keys of a position, each kept up to date by every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Keys {
    /// Pieces, side to move, castling rights, en-passant file: what makes two positions the same.
    pub position: u64,
    /// Pawns and hoplites only.
    pub pawns: u64,
    /// Everything but pawns and hoplites, for White and for Black.
    pub non_pawns: [u64; 2],
}

impl Keys {
    /// Puts a piece on a square or takes it off.
    #[inline]
    pub(super) fn toggle_piece(&mut self, piece: Piece, square: Square) {
        let key = PIECES[piece.index()][square.index()];
        self.position ^= key;
        if piece.kind.is_pawn() {
            self.pawns ^= key;
        } else {
            self.non_pawns[piece.colour.index()] ^= key;
        }
    }

    /// Passes the move to the other side.
    #[inline]
    pub(super) fn toggle_side(&mut self) {
        self.position ^= SIDE;
    }

    /// Puts a set of castling rights in or takes it out.
    #[inline]
    pub(super) fn toggle_castling(&mut self, rights: CastlingRights) {
        self.position ^= CASTLING[rights.index()];
    }

    /// Puts an en-passant file in or takes it out.
    #[inline]
    pub(super) fn toggle_en_passant(&mut self, file: File) {
        self.position ^= EN_PASSANT[file.index()];
    }
}

/// What a piece on a square adds to the key of a position.
pub(crate) fn piece_key(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index()][square.index()]
}

/// What Black to move adds to the key of a position.
pub(crate) fn side_key() -> u64 {
    SIDE
}

/// The pseudo-random number of an index, evaluated by the compiler.
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

/// The key of a set is the combination of those of its members, so that rights are lost one by one.
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
