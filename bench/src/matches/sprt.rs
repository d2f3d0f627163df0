//! The sequential probability ratio test on pairs of games.
//!
//! The test compares two hypotheses about the difference in strength by the ratio of their likelihoods, and the match
//! ends as soon as the ratio is conclusive. Under each hypothesis, the probabilities of the five results of a pair are
//! the maximum likelihood estimates that agree with it (the *generalised* SPRT; Michel Van den Bergh, "Comments on
//! normalized Elo" and "The generalized maximum likelihood ratio for the expectation value of a distribution").

use super::stats::{NORMALISED_UNIT, moments, score_of_elo, scores};
use serde::Serialize;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Elo: the expected score on the logistic scale.
    #[default]
    Logistic,
    /// Normalised Elo: the expected score in standard deviations of a game. The length of the test depends less on the
    /// draw rate.
    Normalised,
}

/// A test of "weaker than `elo0`" against "stronger than `elo1`".
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// The difference under the null hypothesis H0.
    pub elo0: f64,
    /// The difference under the alternative H1; more than `elo0`.
    pub elo1: f64,
    /// The probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 if H1 is true.
    pub beta: f64,
    pub scale: Scale,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Verdict {
    /// H1: the first engine is stronger by at least the margin.
    H1,
    /// H0: it is not.
    H0,
}

/// Replaces counts of 0, so that no result of a pair is considered impossible.
const PRIOR: f64 = 1e-3;

impl Sprt {
    /// A test.
    ///
    /// # Errors
    /// If the bounds are in the wrong order or an error rate is out of range.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, scale: Scale) -> Result<Self, String> {
        if elo0 >= elo1 {
            return Err(format!("elo0 ({elo0}) must be less than elo1 ({elo1})"));
        }
        for (name, rate) in [("alpha", alpha), ("beta", beta)] {
            if !(rate > 0.0 && rate < 1.0) {
                return Err(format!("{name} ({rate}) must lie between 0 and 1"));
            }
        }
        if alpha + beta >= 1.0 {
            return Err(format!("alpha ({alpha}) and beta ({beta}) must add up to less than 1"));
        }
        Ok(Self { elo0, elo1, alpha, beta, scale })
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The logarithm of the likelihood of H1 divided by that of H0, given the numbers of pairs with 0 to 4 half points
    /// (`N` = 5) or of single games lost, drawn and won (`N` = 3).
    pub fn llr<const N: usize>(&self, results: &[u64; N]) -> f64 {
        if results.iter().all(|&n| n == 0) {
            return 0.0;
        }
        let counts = results.map(|n| (n as f64).max(PRIOR));
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|n| n / total);
        let likeliest = |elo| match self.scale {
            Scale::Logistic => with_mean(&observed, &scores(), score_of_elo(elo)),
            // The deviation of a pair's mean is that of a game divided by the square root of 2.
            Scale::Normalised => with_signal(&observed, elo / NORMALISED_UNIT * ((N - 1) as f64 / 2.0).sqrt()),
        };
        let (Some(p0), Some(p1)) = (likeliest(self.elo0), likeliest(self.elo1)) else { return 0.0 };
        (0..N).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum()
    }

    /// The verdict of the test, if the log-likelihood ratio decides it.
    pub fn verdict(&self, llr: f64) -> Option<Verdict> {
        let [low, high] = self.bounds();
        if llr >= high {
            Some(Verdict::H1)
        } else if llr <= low {
            Some(Verdict::H0)
        } else {
            None
        }
    }
}

/// The maximum likelihood probabilities for which `values` have the given mean, given the `observed` frequencies.
///
/// By Lagrange multipliers they are `observed / (1 + k (value - mean))` with the k that gives this mean: the zero of a
/// function that decreases monotonically between its two poles. `None` if the mean is not strictly between the minimum
/// and the maximum value.
fn with_mean<const N: usize>(observed: &[f64; N], values: &[f64; N], mean: f64) -> Option<[f64; N]> {
    let offsets = values.map(|value| value - mean);
    let least = offsets.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = offsets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && greatest > 0.0) {
        return None;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    // Bisection to full precision.
    for _ in 0..200 {
        let k = f64::midpoint(low, high);
        let slope: f64 = (0..N).map(|i| observed[i] * offsets[i] / (1.0 + k * offsets[i])).sum();
        if slope > 0.0 { low = k } else { high = k }
    }
    let k = f64::midpoint(low, high);
    Some(std::array::from_fn(|i| observed[i] / (1.0 + k * offsets[i])))
}

/// The maximum likelihood probabilities for which the mean is `signal` standard deviations above one half.
///
/// The constraint is not linear, so it is linearised repeatedly: with the mean m and the deviation d of the last
/// approximation, its tangent is a constraint on the mean of the values
/// `score - signal d / 2 (1 + ((score - m) / d)^2)`, and its solution is the next approximation.
fn with_signal<const N: usize>(observed: &[f64; N], signal: f64) -> Option<[f64; N]> {
    let mut found = [1.0 / N as f64; N];
    for _ in 0..100 {
        let (mean, variance) = moments(&found);
        let deviation = variance.sqrt();
        let values =
            scores::<N>().map(|score| score - signal * deviation / 2.0 * (1.0 + ((score - mean) / deviation).powi(2)));
        let next = with_mean(observed, &values, 0.5)?;
        let change = (0..N).map(|i| (next[i] - found[i]).abs()).fold(0.0, f64::max);
        found = next;
        if change < 1e-12 {
            break;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(elo0: f64, elo1: f64, scale: Scale) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, scale).expect("a test")
    }

    #[track_caller]
    fn assert_close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-5, "{a} is not {b}");
    }

    /// The expected values come from a general optimiser (SLSQP of SciPy) applied directly to the likelihood and the
    /// constraints, without the algebra of this module.
    #[test]
    fn known_samples() {
        for (pairs, elo0, elo1, logistic, normalised) in [
            ([10, 80, 200, 95, 15], 0.0, 5.0, 0.807_856_1, 0.531_319_6),
            ([3, 17, 40, 25, 6], -3.0, 7.0, 0.869_457_0, 0.584_694_1),
            ([2, 90, 310, 140, 8], 0.0, 3.0, 2.038_257_6, 1.044_959_2),
            ([0, 3, 90, 5, 0], 0.0, 10.0, -0.490_377_6, 0.204_813_9),
            ([40, 160, 200, 80, 5], 0.0, 5.0, -5.284_672_3, -3.413_924_2),
        ] {
            assert_close(test(elo0, elo1, Scale::Logistic).llr(&pairs), logistic);
            assert_close(test(elo0, elo1, Scale::Normalised).llr(&pairs), normalised);
        }
    }

    #[test]
    fn bounds_are_those_of_wald() {
        let [low, high] = test(0.0, 5.0, Scale::Logistic).bounds();
        assert_close(low, -2.944_439);
        assert_close(high, 2.944_439);
    }

    #[test]
    fn clear_results_decide_the_test() {
        for scale in [Scale::Logistic, Scale::Normalised] {
            let test = test(0.0, 10.0, scale);
            let verdict = |pairs: [u64; 5]| test.verdict(test.llr(&pairs));
            assert_eq!(verdict([0; 5]), None);
            assert_eq!(verdict([5, 20, 50, 20, 5]), None);
            assert_eq!(verdict([0, 20, 500, 200, 20]), Some(Verdict::H1));
            assert_eq!(verdict([20, 200, 500, 20, 0]), Some(Verdict::H0));
        }
    }

    #[test]
    fn reversed_results_reverse_the_ratio() {
        for scale in [Scale::Logistic, Scale::Normalised] {
            for pairs in [[3, 17, 40, 25, 6], [0, 3, 90, 5, 0], [1, 0, 0, 0, 9]] {
                let mut reversed = pairs;
                reversed.reverse();
                let ratio = test(-3.0, 7.0, scale).llr(&pairs);
                assert_close(ratio, -test(-7.0, 3.0, scale).llr(&reversed));
                assert!(ratio.is_finite());
            }
        }
    }

    #[test]
    fn samples_with_one_result_give_a_finite_ratio() {
        for scale in [Scale::Logistic, Scale::Normalised] {
            for kind in 0..5 {
                for count in [1, 10, 1000, 1_000_000] {
                    let mut pairs = [0; 5];
                    pairs[kind] = count;
                    assert!(test(0.0, 5.0, scale).llr(&pairs).is_finite(), "{pairs:?}");
                }
            }
        }
    }

    #[test]
    fn invalid_parameters_are_errors() {
        assert!(Sprt::new(5.0, 5.0, 0.05, 0.05, Scale::Logistic).is_err());
        assert!(Sprt::new(5.0, 0.0, 0.05, 0.05, Scale::Logistic).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.0, 0.05, Scale::Logistic).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.05, 0.95, Scale::Logistic).is_err());
        assert!(Sprt::new(0.0, 5.0, f64::NAN, 0.05, Scale::Logistic).is_err());
    }
}
