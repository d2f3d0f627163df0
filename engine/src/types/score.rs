//! Values of positions in search.

/// A value from the side to move's view, in centipawns, with mates at the far ends.
pub type Value = i32;

/// The longest line that a search follows, in plies.
pub const MAX_PLY: usize = 128;

/// A value above all others.
pub const INFINITE: Value = 32_001;

/// The value of a position that is mate on the spot, for the winner.
pub const MATE: Value = 32_000;

/// Values from here on are forced mates.
pub const MATE_IN_MAX: Value = MATE - MAX_PLY as Value;

/// No static evaluation reaches this.
pub const MAX_EVAL: Value = 20_000;

/// No value.
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

/// A value as a person or a GUI reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Centipawns from the side to move's view.
    Cp(i32),
    /// The number of own moves to mate; negative when it is the side to move that is mated, 0 when
    /// it is mated already.
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
