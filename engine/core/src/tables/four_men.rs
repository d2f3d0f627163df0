//! The embedded tables of three endgames of four men that a search does not win by itself: mate is up to 46 moves away,
//! and neither the network nor simple rules show the way. Browsers do not get them, since they would double the page.
//!
//! The file has a compressed sequence (see [`super::codec`]) for each of [`CLASSES`], one after the other. Its elements
//! are those of the positions with the weaker side to move, by their index without the side (see [`super::index`]),
//! with the meaning of the bytes of [`three_men`]. With the stronger side to move, the value is that of its best move.
//! `agoge-bench embedded-tables` writes the file.

use super::class::{Class, Squares};
use super::codec::{BLOCK, Cursor, Sequence};
use super::contents::Contents;
use super::index::Numbering;
use super::three_men::{self, decided, from_byte};
use super::value::{Value, Wdl};
use crate::board::Board;
use crate::types::Colour;
use once_cell::sync::Lazy;
use std::borrow::Cow;
use std::sync::OnceLock;

/// The classes in file order, with the weaker side.
pub const CLASSES: [(&str, Colour); 3] = [("KBNvk", Colour::Black), ("KRvkc", Colour::Black), ("KBvkw", Colour::White)];

/// The number of men of its positions.
pub const MEN: u32 = 4;

/// The file; empty in WebAssembly, which does without.
pub static EMBEDDED: &[u8] = if cfg!(target_family = "wasm") { &[] } else { include_bytes!("../../data/four-men.dtm") };

/// A class: the distances to mate with the weaker side to move.
struct Table {
    class: Class,
    weaker: Colour,
    numbering: Numbering,
    distances: Sequence,
    /// The elements of the sequence. A search reads them often, and each of its nodes all those after the legal moves,
    /// so that they are decompressed when the class is first seen: 2.6 MB in about 10 ms.
    elements: OnceLock<Vec<u8>>,
}

static CONTENTS: Contents = Contents::Memory(Cow::Borrowed(EMBEDDED));

static TABLES: Lazy<Vec<Table>> = Lazy::new(|| {
    let mut cursor = Cursor::new(&CONTENTS, 0);
    let read = |(name, weaker): (&str, Colour)| {
        let class: Class = name.parse().ok()?;
        let numbering = Numbering::new(&class);
        let distances = Sequence::read(&mut cursor, numbering.len() / 2).ok()?;
        Some(Table { class, weaker, numbering, distances, elements: OnceLock::new() })
    };
    CLASSES.into_iter().map_while(read).collect()
});

impl Table {
    /// The table of a position, the squares of the men, and the side to move.
    fn of(board: &Board) -> Option<(&'static Self, Squares, Colour)> {
        if board.occupied().count() != MEN {
            return None;
        }
        let (class, squares, side) = Class::of(board)?;
        TABLES.iter().find(|table| table.class == class).map(|table| (table, squares, side))
    }

    fn value(&self, squares: &Squares) -> Option<Value> {
        let elements = self.elements.get_or_init(|| self.decompressed());
        let index = self.numbering.index(squares, self.weaker) % (self.numbering.len() / 2);
        elements.get(index).map(|&element| from_byte(element))
    }

    #[cold]
    fn decompressed(&self) -> Vec<u8> {
        let len = self.numbering.len() / 2;
        let mut elements = Vec::with_capacity(len);
        for block in 0..len.div_ceil(BLOCK) {
            // No distance is longer than 91 plies.
            let mut push = |element| elements.push(u8::try_from(element).unwrap_or(0));
            if self.distances.decode_block(&CONTENTS, block, len, &mut push).is_none() {
                break;
            }
        }
        elements
    }
}

/// Whether a position is of one of the classes.
pub fn has(board: &Board) -> bool {
    Table::of(board).is_some()
}

/// The value of a position; `None` if it is of another class.
#[cold]
pub(super) fn value(board: &Board) -> Option<Value> {
    let (table, squares, side) = Table::of(board)?;
    if side == table.weaker { table.value(&squares) } else { best_move_value(board) }
}

/// The value of a position with the stronger side to move, from the positions after its moves.
fn best_move_value(board: &Board) -> Option<Value> {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return Some(if board.in_check() { decided(0) } else { Value::DRAW });
    }
    let mut best: Option<Value> = None;
    for &mv in &moves {
        let after = board.after(mv);
        let value = if after.occupied().count() == MEN {
            value(&after)?
        } else {
            // Other third men cannot win.
            three_men::value(&after).unwrap_or(Value::DRAW)
        };
        let value = if value.wdl == Wdl::Draw { Value::DRAW } else { decided(value.dtm? + 1) };
        if best.is_none_or(|best| rank(value) > rank(best)) {
            best = Some(value);
        }
    }
    best
}

/// Fast wins are best, fast losses worst.
fn rank(value: Value) -> (Wdl, i32) {
    let plies = value.dtm.map_or(0, i32::from);
    (value.wdl, if value.wdl == Wdl::Win { -plies } else { plies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    fn probe(fen: &str, variant: Variant) -> Option<Value> {
        value(&Board::from_fen(fen, variant).expect(fen))
    }

    #[test]
    fn the_file_has_all_classes() {
        assert_eq!(TABLES.len(), CLASSES.len());
        for table in TABLES.iter() {
            assert_eq!(table.decompressed().len(), table.numbering.len() / 2, "{}", table.class);
        }
    }

    #[test]
    fn values_of_both_sides() {
        let won = |fen, variant, plies| assert_eq!(probe(fen, variant), Some(decided(plies)), "{fen}");
        won("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", Variant::Spartan, 59);
        won("8/8/8/3k4/8/8/4N3/KB6 b - - 0 1", Variant::Spartan, 58);
        // In orthodox chess, Black can have bishop and knight.
        won("kbn5/8/8/8/3K4/8/8/8 b - - 0 1", Variant::Chess, 59);
        assert_eq!(probe("8/8/8/8/8/1k6/8/KB1N4 b - - 0 1", Variant::Spartan).map(|value| value.wdl), Some(Wdl::Loss));
        // The last piece can be captured.
        assert_eq!(probe("8/8/8/8/8/2k5/1N6/6KB b - - 0 1", Variant::Spartan), Some(Value::DRAW));
        won("k7/8/1K6/8/8/8/7c/6R1 w - - 0 1", Variant::Spartan, 1);
        // The captain takes the rook, or the rook the captain.
        assert_eq!(probe("8/8/8/8/8/k7/8/K1R1c3 b - - 0 1", Variant::Spartan).map(|value| value.wdl), Some(Wdl::Win));
        assert!(probe("8/8/8/8/8/k7/8/K1R1c3 w - - 0 1", Variant::Spartan).is_some_and(|value| value.wdl == Wdl::Win));
        assert_eq!(probe("8/8/8/3k4/8/8/8/KQ1c4 w - - 0 1", Variant::Spartan), None);
        assert_eq!(probe("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", Variant::Spartan), None);
    }
}
