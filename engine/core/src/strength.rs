//! Limited playing strength.
//!
//! A weak player calculates less and evaluates worse. So does a limited engine: it searches few nodes and adds an error
//! to each evaluation. The error of a position is constant during a game: the engine follows mistaken plans instead of
//! blundering at random, and at every level it still sees what a short search sees, such as a hanging piece.

use crate::rng::mix;
use crate::types::score::Value;

/// The number of limited levels of `Skill Level`. The level after them is full strength.
pub const LEVELS: u32 = 20;

/// The Elo rating of each limited level, from matches between neighbours. Level 4 was rated by games against
/// Fairy-Stockfish, whose Skill Level 0 counts as 1350. engine/README.md ("Levels") has the results.
pub const RATINGS: [u32; LEVELS as usize] = [
    900, 1050, 1200, 1355, 1550, 1675, 1825, 2010, 2170, 2320, 2500, 2680, 2865, 3025, 3180, 3405, 3625, 3885, 4115,
    4295,
];

/// The least rating of `UCI_Elo`.
pub const MIN_RATING: u32 = RATINGS[0];
/// The greatest rating of `UCI_Elo`.
pub const MAX_RATING: u32 = RATINGS[RATINGS.len() - 1];

const STRENGTHS: [Strength; LEVELS as usize] = [
    Strength { nodes: 50, error: 400 },
    Strength { nodes: 72, error: 326 },
    Strength { nodes: 104, error: 267 },
    Strength { nodes: 142, error: 224 },
    Strength { nodes: 195, error: 188 },
    Strength { nodes: 243, error: 167 },
    Strength { nodes: 308, error: 146 },
    Strength { nodes: 384, error: 129 },
    Strength { nodes: 461, error: 117 },
    Strength { nodes: 545, error: 107 },
    Strength { nodes: 652, error: 97 },
    Strength { nodes: 789, error: 87 },
    Strength { nodes: 966, error: 78 },
    Strength { nodes: 1182, error: 69 },
    Strength { nodes: 1496, error: 61 },
    Strength { nodes: 2130, error: 50 },
    Strength { nodes: 3136, error: 40 },
    Strength { nodes: 5556, error: 29 },
    Strength { nodes: 9844, error: 21 },
    Strength { nodes: 17442, error: 16 },
];

/// What makes a limited engine weak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// The node limit of each search, in addition to other limits.
    pub nodes: u64,
    /// The standard deviation of the evaluation error, in centipawns.
    pub error: Value,
}

impl Strength {
    /// The strength of a level from 0 to [`LEVELS`] - 1. Fractions are interpolated exponentially.
    pub fn of_level(level: f64) -> Self {
        let level = level.clamp(0.0, f64::from(LEVELS - 1));
        let (low, high) = (STRENGTHS[level.floor() as usize], STRENGTHS[level.ceil() as usize]);
        let between = |low: f64, high: f64| (low * (high / low).powf(level.fract())).round();
        Self {
            nodes: between(low.nodes as f64, high.nodes as f64) as u64,
            error: between(f64::from(low.error), f64::from(high.error)) as Value,
        }
    }

    /// The strength of an Elo rating, interpolated between two levels.
    pub fn of_rating(rating: u32) -> Self {
        let above = RATINGS.partition_point(|&known| known <= rating).clamp(1, RATINGS.len() - 1);
        let (low, high) = (f64::from(RATINGS[above - 1]), f64::from(RATINGS[above]));
        let part = ((f64::from(rating) - low) / (high - low)).clamp(0.0, 1.0);
        Self::of_level((above - 1) as f64 + part)
    }

    /// The evaluation error for the position of a key, in centipawns. `seed` identifies the game: errors are constant
    /// during a game and differ between games.
    #[inline]
    pub fn error_of(self, key: u64, seed: u64) -> Value {
        let bits = mix(key ^ seed);
        // The sum of eight bytes is nearly normal, with mean 1020 and standard deviation 209.
        let sum: Value = bits.to_le_bytes().into_iter().map(Value::from).sum();
        (sum - 1020) * self.error / 209
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_are_stronger() {
        let levels: Vec<Strength> = (0..LEVELS).map(|level| Strength::of_level(f64::from(level))).collect();
        assert!(levels.windows(2).all(|pair| pair[0].nodes < pair[1].nodes && pair[0].error >= pair[1].error));
        assert!(RATINGS.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn ratings_lie_between_levels() {
        for (level, &rating) in RATINGS.iter().enumerate() {
            assert_eq!(Strength::of_rating(rating), Strength::of_level(level as f64));
        }
        assert_eq!(Strength::of_rating(0), Strength::of_level(0.0));
        assert_eq!(Strength::of_rating(9999), Strength::of_level(f64::from(LEVELS - 1)));
        let between = Strength::of_rating(u32::midpoint(RATINGS[4], RATINGS[5]));
        assert!(between.nodes > Strength::of_level(4.0).nodes && between.nodes < Strength::of_level(5.0).nodes);
    }

    #[test]
    fn errors_have_the_deviation_asked_for_and_last_a_game() {
        let strength = Strength { nodes: 1, error: 100 };
        let count = 20_000;
        let key = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let errors: Vec<Value> = (0..count).map(|n| strength.error_of(key(n), 7)).collect();
        let sum: Value = errors.iter().sum();
        let squares: i64 = errors.iter().map(|&error| i64::from(error).pow(2)).sum();
        assert!(sum.abs() < 5 * count as Value);
        let deviation = (squares as f64 / count as f64).sqrt();
        assert!((90.0..110.0).contains(&deviation), "{deviation}");
        assert_eq!(strength.error_of(42, 7), strength.error_of(42, 7));
        assert!((0..count).any(|n| strength.error_of(key(n), 8) != errors[n as usize]));
    }
}
