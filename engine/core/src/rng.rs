//! Pseudo-random numbers that depend on a seed only.

use std::hash::{BuildHasher, Hasher, RandomState};

/// The increment of the generator's state: 2^64 divided by the golden ratio.
pub(crate) const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijection that turns related integers into unrelated ones: the finalizer of SplitMix64 (Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", 2014).
#[inline]
pub const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A seed that differs from run to run: the standard library's keys against hash flooding.
pub fn entropy() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// SplitMix64: a small generator, good enough for shuffling and random openings. Its state is its seed.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator. Different seeds give unrelated sequences.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of one of many tasks with a common seed. The task number gives it an independent sequence,
    /// whatever order the tasks run in. The result is symmetric in seed and number, so use them consistently.
    pub const fn stream(seed: u64, number: u64) -> Self {
        Self(Self(seed).next() ^ Self(number).next())
    }

    /// The next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(INCREMENT);
        mix(self.0)
    }

    /// A number below `end`, which must not be 0.
    pub const fn below(&mut self, end: usize) -> usize {
        ((self.next() as u128 * end as u128) >> 64) as usize
    }

    /// A uniformly distributed number in [0, 1), a multiple of 2^-53.
    pub const fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A random element of a slice, which must not be empty.
    pub fn pick<T: Copy>(&mut self, slice: &[T]) -> T {
        slice[self.below(slice.len())]
    }

    /// Shuffles a slice.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for i in (1..slice.len()).rev() {
            slice.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn shuffling_keeps_everything() {
        let mut numbers: Vec<usize> = (0..100).collect();
        Rng::new(1).shuffle(&mut numbers);
        assert_ne!(numbers, (0..100).collect::<Vec<_>>());
        numbers.sort_unstable();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_stay_below_the_end() {
        let mut rng = Rng::new(7);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[rng.below(5)] = true;
        }
        assert_eq!(seen, [true; 5]);
    }

    #[test]
    fn streams_differ_by_seed_and_number() {
        let begin = |seed, number| Rng::stream(seed, number).next();
        let all: HashSet<u64> = (0..20).flat_map(|seed| (100..120).map(move |number| begin(seed, number))).collect();
        assert_eq!(all.len(), 400);
        assert_eq!(begin(1, 2), Rng::stream(1, 2).next());
    }

    #[test]
    fn units_lie_between_0_and_1() {
        let mut rng = Rng::new(9);
        let units: Vec<f64> = (0..1000).map(|_| rng.unit()).collect();
        assert!(units.iter().all(|unit| (0.0..1.0).contains(unit)));
        assert!((units.iter().sum::<f64>() / 1000.0 - 0.5).abs() < 0.05);
    }
}
