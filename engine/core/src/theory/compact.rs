//! The compact form of theory: positions in the order in which the moves reach them, so that they need no boards.
//!
//! The file begins with `AGTHEORY`, a byte with the version 2, and the text about it after its length. Then comes the
//! initial position, and each position is followed by those after its moves that have not come before, in the order of
//! the moves. Numbers are unsigned LEB128; signed ones are in zigzag form (0, -1, 1, -2 …).
//!
//! | Number | Meaning |
//! | --- | --- |
//! | n | moves, at least 1 |
//! | n pairs | [`Move::bits`], and twice the value plus 1 if the position after the move follows; the value is signed, and after the first move the difference from it |
//! | 3 | games that the side to move has won, drawn and lost |
//! | 2 | depth and nodes of its searches |

use super::{KnownMove, Position, Theory};
use crate::board::{Board, Variant};
use crate::types::Move;
use crate::types::score::{INFINITE, Value};
use std::collections::HashSet;

const MAGIC: &[u8; 9] = b"AGTHEORY\x02";

const DAMAGED: &str = "the theory is damaged";

fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number: u32 = 0;
    for shift in (0..32).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u32::from(byte & 127).checked_shl(shift)?;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

const fn zigzag(value: Value) -> u32 {
    (value << 1 ^ value >> 31) as u32
}

const fn from_zigzag(number: u32) -> Value {
    (number >> 1) as Value ^ -((number & 1) as Value)
}

impl Theory {
    /// The compact form of the positions that can be reached from the initial position by moves of theory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        put(&mut bytes, self.about.len() as u32);
        bytes.extend(self.about.as_bytes());
        let start = Board::start(Variant::Spartan);
        let mut seen = HashSet::from([start.key()]);
        let mut stack = vec![start];
        while let Some(board) = stack.pop() {
            let Some(position) = self.get(&board) else { continue };
            put(&mut bytes, position.moves.len() as u32);
            let first = position.moves.first().map_or(0, |known| known.value);
            let mut after = Vec::new();
            for (index, known) in position.moves.iter().enumerate() {
                let next = board.after(known.mv);
                let follows = self.get(&next).is_some() && seen.insert(next.key());
                put(&mut bytes, known.mv.bits().into());
                let value = if index == 0 { known.value } else { known.value - first };
                put(&mut bytes, zigzag(value) << 1 | u32::from(follows));
                if follows {
                    after.push(next);
                }
            }
            position.games.iter().for_each(|&games| put(&mut bytes, games));
            put(&mut bytes, position.depth);
            put(&mut bytes, position.nodes);
            stack.extend(after.into_iter().rev());
        }
        bytes
    }

    /// Reads the compact form.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        Self::decode(bytes).ok_or_else(|| DAMAGED.to_owned())
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let length = take(&mut rest)? as usize;
        let about = String::from_utf8(rest.split_off(..length)?.to_vec()).ok()?;
        let mut theory = Self { about, ..Self::default() };
        if rest.is_empty() {
            return Some(theory);
        }
        let mut stack = vec![Board::start(Variant::Spartan)];
        while let Some(board) = stack.pop() {
            let (mut moves, mut after) = (Vec::new(), Vec::new());
            for _ in 0..take(&mut rest)? {
                let mv = Move::from_bits(u16::try_from(take(&mut rest)?).ok()?).filter(|&mv| board.is_legal(mv))?;
                let number = take(&mut rest)?;
                let first = moves.first().map_or(0, |known: &KnownMove| known.value);
                let value = from_zigzag(number >> 1).checked_add(first).filter(|value| value.abs() < INFINITE)?;
                moves.push(KnownMove { mv, value });
                if number & 1 == 1 {
                    after.push(board.after(mv));
                }
            }
            let games = [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?];
            let (depth, nodes) = (take(&mut rest)?, take(&mut rest)?);
            if moves.is_empty() {
                return None;
            }
            theory.insert(&board, Position { moves, games, depth, nodes }).ok()?;
            stack.extend(after.into_iter().rev());
        }
        rest.is_empty().then_some(theory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Theory of four positions: two orders of moves lead to the last one.
    fn small() -> Theory {
        let start = Board::start(Variant::Spartan);
        let play = |moves: &str| {
            moves.split_whitespace().fold(start.clone(), |board, mv| board.after(board.parse_move(mv).unwrap()))
        };
        let mut theory = Theory { about: "nodes: 9\n".to_owned(), ..Theory::default() };
        for (moves, known, games) in [
            ("", "e2e4 35 d2d4 -700", [300, 2, 70_000]),
            ("e2e4", "h7f5 31996", [1, 0, 0]),
            ("e2e4 h7f5", "d2d4 5 b1c3 -3", [0, 0, 0]),
            ("d2d4", "h7f5 -31998", [0, 1, 0]),
            ("d2d4 h7f5", "e2e4 0", [0, 0, 1]),
            ("d2d4 h7f5 e2e4", "a7c5 -20000", [4, 5, 6]),
        ] {
            let board = play(moves);
            let words: Vec<&str> = known.split(' ').collect();
            let known =
                |pair: &[&str]| KnownMove { mv: board.parse_move(pair[0]).unwrap(), value: pair[1].parse().unwrap() };
            let moves = words.chunks(2).map(known);
            theory.insert(&board, Position { moves: moves.collect(), games, depth: 7, nodes: 200_001 }).unwrap();
        }
        theory
    }

    #[test]
    fn the_compact_form_has_everything() {
        let theory = small();
        assert_eq!(theory.len(), 6);
        let bytes = theory.to_bytes();
        assert_eq!(Theory::from_bytes(&bytes), Ok(theory));
        assert!(bytes.len() < 110, "{}", bytes.len());
        assert_eq!(Theory::from_bytes(&Theory::default().to_bytes()), Ok(Theory::default()));
    }

    #[test]
    fn damage_is_found() {
        let bytes = small().to_bytes();
        for length in 0..bytes.len() {
            // Without any position the file is whole.
            assert!(Theory::from_bytes(&bytes[..length]).map_or(true, |theory| theory.is_empty()), "{length}");
        }
        for index in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[index] = value;
                // Not every change can be noticed; none may cause a panic.
                let _ = Theory::from_bytes(&damaged);
            }
        }
        assert!(Theory::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    }

    #[test]
    fn signed_numbers_round_trip() {
        for value in [0, 1, -1, 2, 64_000, -64_000] {
            assert_eq!(from_zigzag(zigzag(value)), value);
        }
    }
}
