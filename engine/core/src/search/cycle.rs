//! Upcoming repetitions: can the side to move repeat an earlier position by one move?
//!
//! Marcel van Kervinck's method: the Zobrist keys of two positions that are one reversible move apart differ by exactly
//! that move. A cuckoo hash table ("Cuckoo Hashing" of chessprogramming.org) contains all these differences.

use crate::attacks::tables;
use crate::board::zobrist::{piece_key, side_key};
use crate::board::{Board, Variant};
use crate::types::{Bitboard, Colour, Move, Piece, Square};
use once_cell::sync::Lazy;

const SIZE: usize = 8192;

struct Cuckoo {
    keys: [u64; SIZE],
    moves: [Option<Move>; SIZE],
}

#[inline]
const fn first_index(key: u64) -> usize {
    (key as usize) % SIZE
}

#[inline]
const fn second_index(key: u64) -> usize {
    (key >> 16) as usize % SIZE
}

impl Cuckoo {
    fn build(variant: Variant) -> Box<Self> {
        let mut table = Box::new(Self { keys: [0; SIZE], moves: [None; SIZE] });
        for colour in Colour::ALL {
            for &kind in &variant.army(colour).kinds[1..] {
                table.insert_all(Piece { colour, kind });
            }
        }
        table
    }

    fn insert_all(&mut self, piece: Piece) {
        for from in Square::all() {
            for to in tables().destinations(piece, from, Bitboard::EMPTY).filter(|&to| to > from) {
                let mut key = piece_key(piece, from) ^ piece_key(piece, to) ^ side_key();
                let mut mv = Some(Move::normal(from, to));
                let mut index = first_index(key);
                while mv.is_some() {
                    std::mem::swap(&mut self.keys[index], &mut key);
                    std::mem::swap(&mut self.moves[index], &mut mv);
                    index = if index == first_index(key) { second_index(key) } else { first_index(key) };
                }
            }
        }
    }

    #[inline]
    fn find(&self, key: u64) -> Option<Move> {
        let index = if self.keys[first_index(key)] == key {
            first_index(key)
        } else if self.keys[second_index(key)] == key {
            second_index(key)
        } else {
            return None;
        };
        self.moves[index]
    }
}

/// One table for each variant, by its number.
static CUCKOO: [Lazy<Box<Cuckoo>>; 2] =
    [Lazy::new(|| Cuckoo::build(Variant::Spartan)), Lazy::new(|| Cuckoo::build(Variant::Chess))];

/// The distances in plies from a position to its earlier occurrences since the last irreversible move, `halfmoves`
/// plies ago. `key` is its key, `earlier` the keys of the positions before it. A position cannot recur in less than
/// four plies.
#[inline]
pub fn repetitions(key: u64, earlier: &[u64], halfmoves: usize) -> impl Iterator<Item = usize> {
    let reach = halfmoves.min(earlier.len());
    (4..=reach).step_by(2).filter(move |distance| earlier[earlier.len() - distance] == key)
}

/// Whether the side to move can repeat a position since the last irreversible move. `keys` are the keys of the game and
/// the search since the last null move, the current one last; `ply` is the distance from the root. A position at or
/// before the root must have occurred twice.
pub fn has_upcoming_repetition(board: &Board, keys: &[u64], ply: usize) -> bool {
    let Some(last) = keys.len().checked_sub(1) else { return false };
    let reach = usize::from(board.halfmove_clock()).min(last);
    if reach < 3 {
        return false;
    }
    let cuckoo = &CUCKOO[board.variant() as usize];
    let key = keys[last];
    for distance in (3..=reach).step_by(2) {
        let earlier = keys[last - distance];
        let Some(mv) = cuckoo.find(key ^ earlier) else { continue };
        let (from, to) = (mv.from(), mv.to());
        let (from, to) = if board.occupied().has(from) { (from, to) } else { (to, from) };
        let Some(piece) = board.piece_on(from) else { continue };
        let reached = tables().destinations(piece, from, board.occupied()) & !board.occupied();
        if piece.colour != board.side_to_move() || !reached.has(to) {
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
        // Six piece types less the pawn on each side. The count of orthodox chess is well known.
        let count = |variant: Variant| CUCKOO[variant as usize].moves.iter().flatten().count();
        assert_eq!(count(Variant::Chess), 3668);
        let mut sum = 0;
        for &kind in &Variant::Spartan.army(Colour::Black).kinds[1..] {
            let piece = Piece { colour: Colour::Black, kind };
            let moves = Square::all().map(|from| tables().destinations(piece, from, Bitboard::EMPTY).count());
            sum += moves.sum::<u32>();
        }
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
        // Before the root a single occurrence is not enough.
        assert!(!has_upcoming_repetition(game.board(), game.keys(), 0));
    }
}
