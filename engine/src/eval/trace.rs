//! What the evaluation tells of itself.
//!
//! The evaluation is a sum of numbers, each times a count. It is written once, generic over a
//! [`Trace`]: in play [`NoTrace`] costs nothing, in the tuner and in the explanation
//! [`Coefficients`] keeps the counts.

use super::layout::COUNT;
use crate::types::Colour;

/// Who hears of every number that counts.
pub trait Trace {
    /// The number at an index of the flat array counts so many times for a side.
    fn record(&mut self, colour: Colour, index: usize, count: i32);
}

/// A trace that does not care.
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn record(&mut self, _: Colour, _: usize, _: i32) {}
}

/// How often each number counts for White and for Black.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coefficients([[i32; COUNT]; 2]);

impl Default for Coefficients {
    fn default() -> Self {
        Self([[0; COUNT]; 2])
    }
}

impl Coefficients {
    /// How often the number at an index counts for a side.
    pub fn count(&self, colour: Colour, index: usize) -> i32 {
        self.0[colour.index()][index]
    }

    /// The count of White less that of Black.
    pub fn balance(&self, index: usize) -> i32 {
        self.0[0][index] - self.0[1][index]
    }
}

impl Trace for Coefficients {
    fn record(&mut self, colour: Colour, index: usize, count: i32) {
        self.0[colour.index()][index] += count;
    }
}
