//! Values and scores.

/// A search value in centipawns from the side to move's view, with mates at the ends of the range.
pub type Value = i32;

/// The maximum ply of a search.
pub const MAX_PLY: usize = 128;

/// An upper bound of all values.
pub const INFINITE: Value = 32_001;

/// The value of a mated position, for the winner.
pub const MATE: Value = 32_000;

/// Values of at least this are forced mates.
pub const MATE_IN_MAX: Value = MATE - MAX_PLY as Value;

/// The upper bound of wins by the endgame tables whose mate is out of reach: such a win is this less its distance in
/// plies, and above [`MAX_EVAL`].
pub const TABLE_WIN: Value = MATE_IN_MAX - 1;

/// An upper bound of static evaluations.
pub const MAX_EVAL: Value = 20_000;

/// Marks a missing value; outside of ±[`INFINITE`].
pub const NO_VALUE: Value = 32_002;

/// The value of a draw.
pub const DRAW: Value = 0;

/// The value of being mated `ply` plies from the root.
#[inline]
pub const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// The value of mating `ply` plies from the root.
#[inline]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// A value in the form reported to users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Centipawns from the side to move's view.
    Cp(i32),
    /// Mate in this number of moves; negative if the side to move is being mated, 0 if it is already mated.
    Mate(i32),
}

impl From<Value> for Score {
    fn from(value: Value) -> Self {
        if value >= MATE_IN_MAX {
            Self::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_IN_MAX {
            Self::Mate(-(MATE + value) / 2)
        } else {
            Self::Cp(value)
        }
    }
}
