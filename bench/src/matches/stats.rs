//! Statistics of results: Elo and normalised Elo with error bars, and the likelihood of superiority.
//!
//! Two games from the same opening with colours reversed are one observation (*pentanomial* statistics). The advantage
//! that an opening gives to one side cancels, and the error of pairs is smaller than that of independent games.

use serde::Serialize;

/// The number of pairs of games by half points, 0 to 4.
pub type Pentanomial = [u64; 5];

/// The possible scores of one game (`N` = 3) or of a pair (`N` = 5).
pub fn scores<const N: usize>() -> [f64; N] {
    std::array::from_fn(|i| i as f64 / (N - 1) as f64)
}

/// The half-width, in standard deviations, of the interval that contains 95 % of a normal distribution.
pub const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The normalised Elo of one standard deviation of a game: 800 / ln 10, which makes it equal to Elo for equal engines
/// that never draw.
pub const NORMALISED_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Wdl {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Wdl {
    /// The numbers of losses, draws and wins.
    pub const fn counts(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    /// Adds a game by its half points: 2 for a win, 1 for a draw, 0 for a loss.
    pub const fn add(&mut self, half_points: u8) {
        match half_points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
    }

    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win is 1, a draw a half.
    pub const fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    pub const fn plus(&self, other: &Self) -> Self {
        Self { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }
}

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Interval {
    /// The estimate; infinite if all games were won or lost.
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Half the width of the interval: the number after `±`.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The difference in Elo, on the logistic scale. The bounds are infinite if all results are the same, because
    /// the error is then unknown.
    pub elo: Interval,
    /// The difference in normalised Elo, measured in standard deviations of a game. `None` if all results are
    /// the same.
    pub normalised: Option<Interval>,
    /// The likelihood of superiority, 0 to 1.
    pub los: f64,
}

/// The mean and variance of a score, given the probabilities of its values from 0 to 1 at equal distances: of a game
/// (0, ½, 1) or of a pair.
pub fn moments<const N: usize>(probabilities: &[f64; N]) -> (f64, f64) {
    let scores = scores::<N>();
    let terms = || scores.iter().zip(probabilities);
    let mean: f64 = terms().map(|(score, p)| score * p).sum();
    (mean, terms().map(|(score, p)| p * (score - mean).powi(2)).sum())
}

/// The Elo difference that corresponds to an expected score.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The expected score at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The distribution function of the standard normal distribution.
fn normal_cdf(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

/// The estimate from the numbers of pairs with 0 to 4 half points (`N` = 5) or of single games lost, drawn and won
/// (`N` = 3); `None` if there are none.
pub fn estimate<const N: usize>(results: &[u64; N]) -> Option<Estimate> {
    let count = results.iter().sum::<u64>() as f64;
    if count == 0.0 {
        return None;
    }
    let (mean, variance) = moments(&results.map(|n| n as f64 / count));
    // If all results are the same, the variance may be nonzero because of rounding.
    let same = results.iter().filter(|&&n| n > 0).count() == 1;
    let deviation = if same { 0.0 } else { variance.sqrt() };
    let error = deviation / count.sqrt();
    let bound = |sign: f64| mean + sign * TWO_SIDED_95 * error;
    let [low, high] = [-1.0, 1.0].map(|sign| if same { sign * f64::INFINITY } else { elo_of_score(bound(sign)) });
    let elo = Interval { value: elo_of_score(mean), low, high };
    // The variance of a game is twice that of the mean of two games.
    let deviation_of_game = deviation * ((N - 1) as f64 / 2.0).sqrt();
    let normalised = (!same).then(|| {
        let of = |score: f64| (score - 0.5) / deviation_of_game * NORMALISED_UNIT;
        Interval { value: of(mean), low: of(bound(-1.0)), high: of(bound(1.0)) }
    });
    let los = match (same, mean) {
        (true, 0.5) => 0.5,
        (true, mean) => f64::from(u8::from(mean > 0.5)),
        (false, mean) => normal_cdf((mean - 0.5) / error),
    };
    Some(Estimate { elo, normalised, los })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} is not {b}");
    }

    /// The expected values were computed independently, from the definitions, in Python.
    #[test]
    fn known_samples() {
        for (pairs, elo, normalised, los) in [
            (
                [10, 80, 200, 95, 15],
                [10.860_898_417, -3.218_152_477, 24.975_717_152],
                [18.571_213_214, -5.504_402_120, 42.646_828_549],
                0.934_714_991,
            ),
            (
                [3, 17, 40, 25, 6],
                [26.778_715_852, -5.859_745_571, 59.897_252_288],
                [41.399_954_009, -9.076_250_971, 91.876_158_988],
                0.946_031_802,
            ),
            (
                [2, 90, 310, 140, 8],
                [19.603_509_817, 9.545_529_985, 29.694_429_218],
                [40.048_178_134, 19.516_424_390, 60.579_931_878],
                0.999_934_082,
            ),
        ] {
            let found = estimate(&pairs).expect("pairs");
            let bounds = |interval: Interval| [interval.value, interval.low, interval.high];
            let found_normalised = bounds(found.normalised.expect("pairs of different kinds"));
            for (found, expected) in
                bounds(found.elo).into_iter().zip(elo).chain(found_normalised.into_iter().zip(normalised))
            {
                assert_close(found, expected);
            }
            assert_close(found.los, los);
        }
    }

    #[test]
    fn extreme_samples() {
        assert_eq!(estimate(&[0; 5]), None);
        let even = estimate(&[0, 0, 7, 0, 0]).expect("pairs");
        assert_eq!((even.elo.value, even.elo.error(), even.normalised, even.los), (0.0, f64::INFINITY, None, 0.5));
        assert!(even.elo.value.is_sign_positive());
        let won = estimate(&[0, 0, 0, 0, 9]).expect("pairs");
        assert_eq!((won.elo.value, won.normalised, won.los), (f64::INFINITY, None, 1.0));
        let lost = estimate(&[9, 0, 0, 0, 0]).expect("pairs");
        assert_eq!((lost.elo.value, lost.los), (f64::NEG_INFINITY, 0.0));
        // The bounds may lie outside the range of scores.
        let wide = estimate(&[0, 0, 0, 1, 3]).expect("pairs");
        assert!(wide.elo.value.is_finite() && wide.elo.high == f64::INFINITY);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        assert_close(score_of_elo(0.0), 0.5);
        assert_close(score_of_elo(400.0), 10.0 / 11.0);
        for elo in [-700.0, -3.0, 0.0, 12.5, 300.0] {
            assert_close(elo_of_score(score_of_elo(elo)), elo);
        }
    }

    #[test]
    fn points() {
        let mut score = Wdl::default();
        for half_points in [0, 1, 1, 2, 2, 2] {
            score.add(half_points);
        }
        assert_eq!(score, Wdl { wins: 3, draws: 2, losses: 1 });
        assert_eq!((score.games(), score.points()), (6, 4.0));
    }
}
