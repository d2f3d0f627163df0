//! Evaluation traces.
//!
//! The evaluation is a sum of weights times counts, generic over a [`Trace`]: [`NoTrace`] costs nothing during a
//! search, [`Coefficients`] records the counts for the tuner and for `explain`.

use super::layout::COUNT;
use crate::types::Colour;

/// Receives the count of each weight.
pub trait Trace {
    /// Adds `count` to the weight at an index of the flat array, for a side.
    fn record(&mut self, colour: Colour, index: usize, count: i32);
}

/// Records nothing.
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn record(&mut self, _: Colour, _: usize, _: i32) {}
}

/// The count of each weight for White and for Black.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coefficients([[i32; COUNT]; 2]);

impl Default for Coefficients {
    fn default() -> Self {
        Self([[0; COUNT]; 2])
    }
}

impl Coefficients {
    /// The count of the weight at an index for a side.
    pub fn count(&self, colour: Colour, index: usize) -> i32 {
        self.0[colour.index()][index]
    }

    /// The count for White less that for Black.
    pub fn balance(&self, index: usize) -> i32 {
        self.0[0][index] - self.0[1][index]
    }
}

impl Trace for Coefficients {
    fn record(&mut self, colour: Colour, index: usize, count: i32) {
        self.0[colour.index()][index] += count;
    }
}
