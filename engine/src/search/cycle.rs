//! Upcoming repetitions: can the side to move repeat an earlier position by one move?
//!
//! Marcel van Kervinck's method: two positions between which a single reversible move lies differ in
//! their keys by exactly that move. All such differences are in one cuckoo hash table.

use crate::attacks::tables;
use crate::board::zobrist::{piece_key, side_key};
use crate::board::{Board, Variant};
use crate::types::{Bitboard, Colour, Move, Piece, PieceType, Square};
use once_cell::sync::Lazy;

const SIZE: usize = 8192;

struct Cuckoo {
    keys: [u64; SIZE],
    moves: [Option<Move>; SIZE],
}

#[inline]
const fn first_slot(key: u64) -> usize {
    (key as usize) % SIZE
}

#[inline]
const fn second_slot(key: u64) -> usize {
    (key >> 16) as usize % SIZE
}

impl Cuckoo {
    fn build(variant: Variant) -> Box<Self> {
        let mut table = Box::new(Self { keys: [0; SIZE], moves: [None; SIZE] });
        for colour in Colour::ALL {
            for kind in PieceType::ALL.into_iter().filter(|kind| !kind.is_pawn()) {
                let spartan = variant == Variant::Spartan && colour == Colour::Black;
                if kind == PieceType::King || (kind > PieceType::King) == spartan {
                    table.insert_all(Piece { colour, kind });
                }
            }
        }
        table
    }

    fn insert_all(&mut self, piece: Piece) {
        for from in Square::all() {
            for to in reversible_moves(piece.kind, from).filter(|&to| to > from) {
                let mut key = piece_key(piece, from) ^ piece_key(piece, to) ^ side_key();
                let mut mv = Some(Move::normal(from, to));
                let mut slot = first_slot(key);
                while mv.is_some() {
                    std::mem::swap(&mut self.keys[slot], &mut key);
                    std::mem::swap(&mut self.moves[slot], &mut mv);
                    slot = if slot == first_slot(key) { second_slot(key) } else { first_slot(key) };
                }
            }
        }
    }

    #[inline]
    fn find(&self, key: u64) -> Option<Move> {
        let slot = if self.keys[first_slot(key)] == key {
            first_slot(key)
        } else if self.keys[second_slot(key)] == key {
            second_slot(key)
        } else {
            return None;
        };
        self.moves[slot]
    }
}

/// Where a piece can go on an empty board; it can come back the same way.
fn reversible_moves(kind: PieceType, from: Square) -> Bitboard {
    let (t, empty) = (tables(), Bitboard::EMPTY);
    match kind {
        PieceType::Pawn | PieceType::Hoplite => Bitboard::EMPTY,
        PieceType::Knight => t.knight(from),
        PieceType::Bishop => t.bishop(from, empty),
        PieceType::Rook => t.rook(from, empty),
        PieceType::Queen => t.queen(from, empty),
        PieceType::King => t.king(from),
        PieceType::Lieutenant => t.lieutenant(from) | t.sideways(from),
        PieceType::Captain => t.captain(from),
        PieceType::General => t.general(from, empty),
        PieceType::Warlord => t.warlord(from, empty),
    }
}

static CUCKOO: [Lazy<Box<Cuckoo>>; 2] =
    [Lazy::new(|| Cuckoo::build(Variant::Spartan)), Lazy::new(|| Cuckoo::build(Variant::Chess))];

/// Whether a move of the side to move leads to a position that has been on the board since the last
/// irreversible move. `keys` are the keys of the game and the search since the last null move, the
/// present one last; `ply` is the distance from the root. A position from before the root must have
/// occurred twice.
pub fn has_upcoming_repetition(board: &Board, keys: &[u64], ply: usize) -> bool {
    let Some(last) = keys.len().checked_sub(1) else { return false };
    let reach = usize::from(board.halfmove_clock()).min(last);
    if reach < 3 {
        return false;
    }
    let cuckoo: &Cuckoo = match board.variant() {
        Variant::Spartan => &CUCKOO[0],
        Variant::Chess => &CUCKOO[1],
    };
    let key = keys[last];
    for distance in (3..=reach).step_by(2) {
        let earlier = keys[last - distance];
        let Some(mv) = cuckoo.find(key ^ earlier) else { continue };
        let (from, to) = (mv.from(), mv.to());
        let (from, to) = if board.occupied().has(from) { (from, to) } else { (to, from) };
        let Some(piece) = board.piece_on(from) else { continue };
        // Captain and lieutenant leap; all other moves over a distance slide.
        let leaps = matches!(piece.kind, PieceType::Captain | PieceType::Lieutenant);
        if !leaps && (tables().between(from, to) & board.occupied()).nonempty() {
            continue;
        }
        if piece.colour != board.side_to_move() || board.occupied().has(to) {
            continue;
        }
        if distance < ply || keys[..last - distance].iter().rev().skip(1).step_by(2).any(|&k| k == earlier) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;

    #[test]
    fn every_reversible_move_is_found() {
        // Six kinds less the pawn on each side; the count of the orthodox half is well known.
        let count = |variant: Variant| CUCKOO[variant as usize].moves.iter().flatten().count();
        assert_eq!(count(Variant::Chess), 3668);
        let sum: u32 = PieceType::ALL[6..]
            .iter()
            .chain([&PieceType::King])
            .flat_map(|&kind| Square::all().map(move |from| reversible_moves(kind, from).count()))
            .sum();
        assert_eq!(count(Variant::Spartan) as u32, 3668 / 2 + sum / 2);
    }

    #[test]
    fn sees_the_move_that_repeats() {
        let mut game = Game::start(Variant::Spartan);
        let mut upcoming = Vec::new();
        for text in ["g1f3", "d8d6", "f3g1"] {
            let mv = game.board().parse_move(text).unwrap();
            game.push(mv).unwrap();
            upcoming.push(has_upcoming_repetition(game.board(), game.keys(), 10));
        }
        assert_eq!(upcoming, [false, false, true]);
        // In the game, and not in the search, the first position has occurred only once.
        assert!(!has_upcoming_repetition(game.board(), game.keys(), 0));
    }
}
