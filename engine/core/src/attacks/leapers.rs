//! Attack tables of leapers.

use crate::types::{Bitboard, Square};

pub(super) const KING: [(i8, i8); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
pub(super) const KNIGHT: [(i8, i8); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
pub(super) const DIAGONAL_STEP: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
pub(super) const CAPTAIN: [(i8, i8); 8] = [(1, 0), (2, 0), (-1, 0), (-2, 0), (0, 1), (0, 2), (0, -1), (0, -2)];
pub(super) const LIEUTENANT: [(i8, i8); 8] = [(1, 1), (2, 2), (1, -1), (2, -2), (-1, 1), (-2, 2), (-1, -1), (-2, -2)];
pub(super) const SIDEWAYS: [(i8, i8); 2] = [(1, 0), (-1, 0)];

/// For each square, the destinations of the steps.
pub(super) fn table(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    std::array::from_fn(|i| {
        let from = Square::new(i as u8);
        steps.iter().filter_map(|&(files, ranks)| from.offset(files, ranks)).collect()
    })
}
