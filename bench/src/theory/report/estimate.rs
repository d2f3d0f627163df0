//! Scores with error bars, comparisons of matched groups, and the worth of pieces.

use crate::data::record::GameResult;
use crate::matches::stats::{TWO_SIDED_95, Wdl, moments};
use std::collections::BTreeMap;

/// White's games of some results.
pub fn count(results: impl IntoIterator<Item = GameResult>) -> Wdl {
    let mut games = Wdl::default();
    results.into_iter().for_each(|result| games.add(result.half_points()));
    games
}

/// The same games from the other side's view.
pub const fn reversed(Wdl { wins, draws, losses }: Wdl) -> Wdl {
    Wdl { wins: losses, draws, losses: wins }
}

/// The score: a win counts 1, a draw a half.
pub fn score(games: Wdl) -> Measured {
    let count = games.games() as f64;
    let (value, variance) = moments(&games.counts().map(|part| part as f64 / count));
    Measured { value, error: TWO_SIDED_95 * (variance / count).sqrt() }
}

/// The share of some of a number of things.
pub fn share(part: u64, all: u64) -> Measured {
    score(Wdl { wins: part, draws: 0, losses: all - part })
}

/// A number with half the width of its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    pub value: f64,
    pub error: f64,
}

impl Measured {
    /// As a percentage; a dash if there is no observation.
    pub fn percent(self) -> String {
        if self.value.is_nan() {
            return "–".to_owned();
        }
        format!("{:.1} ± {:.1} %", 100.0 * self.value, 100.0 * self.error)
    }

    /// A difference, in percentage points.
    pub fn points(self) -> String {
        if !self.error.is_finite() {
            return "–".to_owned();
        }
        // Adding 0 makes -0 positive.
        let value = (1000.0 * self.value).round() / 10.0 + 0.0;
        format!("{value:+.1} ± {:.1}", 100.0 * self.error).replace('-', "−")
    }
}

/// An observation of a comparison: the stratum in which games are comparable, the group, and the score.
pub struct Observation {
    pub stratum: (i32, i32),
    pub with: bool,
    /// 1 for a win, 0.5 for a draw.
    pub score: f64,
}

/// Count, sum and sum of squares of scores.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

/// The difference of the mean scores with and without something, within strata: what a linear regression with a
/// constant for each stratum gives. A stratum counts the more, the more games of both groups it has. The error supposes
/// independent games, whose scores vary equally within all groups and strata.
pub fn matched_difference(observations: &[Observation]) -> Measured {
    let mut strata: BTreeMap<(i32, i32), [Moments; 2]> = BTreeMap::new();
    for Observation { stratum, with, score } in observations {
        let group = &mut strata.entry(*stratum).or_default()[usize::from(*with)];
        group.count += 1.0;
        group.sum += score;
        group.squares += score * score;
    }
    let (mut weights, mut sum, mut residual, mut freedom) = (0.0, 0.0, 0.0, 0.0);
    for [without, with] in strata.values() {
        if without.count == 0.0 || with.count == 0.0 {
            continue;
        }
        let weight = without.count * with.count / (without.count + with.count);
        let difference = with.sum / with.count - without.sum / without.count;
        weights += weight;
        sum += weight * difference;
        for group in [without, with] {
            residual += group.squares - group.sum * group.sum / group.count;
            freedom += group.count - 1.0;
        }
    }
    let variance = residual / freedom;
    Measured { value: sum / weights, error: TWO_SIDED_95 * (variance / weights).sqrt() }
}

/// Coefficients, and the matrix of their variances and covariances.
pub type Fit<const N: usize> = ([f64; N], [[f64; N]; N]);

/// A logistic regression of scores: the coefficients that make the scores most likely, with the inverse of the
/// information matrix. `None` if it does not converge.
pub fn logistic<const N: usize>(rows: &[([f64; N], f64)]) -> Option<Fit<N>> {
    /// Newton's method converges within a few steps, if at all.
    const STEPS: usize = 30;
    let mut coefficients = [0.0; N];
    for _ in 0..STEPS {
        let (mut gradient, mut information) = ([0.0; N], [[0.0; N]; N]);
        for (row, score) in rows {
            let sum: f64 = row.iter().zip(&coefficients).map(|(value, coefficient)| value * coefficient).sum();
            let expected = 1.0 / (1.0 + libm::exp(-sum));
            for i in 0..N {
                gradient[i] += row[i] * (score - expected);
                for j in 0..N {
                    information[i][j] += row[i] * row[j] * expected * (1.0 - expected);
                }
            }
        }
        let inverse = inverse(information)?;
        let step: [f64; N] = std::array::from_fn(|i| (0..N).map(|j| inverse[i][j] * gradient[j]).sum());
        (0..N).for_each(|i| coefficients[i] += step[i]);
        if step.iter().all(|step| step.abs() < 1e-9) {
            return Some((coefficients, inverse));
        }
    }
    None
}

/// The inverse of a matrix by Gauss-Jordan elimination; `None` if it is singular.
fn inverse<const N: usize>(mut matrix: [[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut inverse: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for column in 0..N {
        let pivot = (column..N).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let scale = matrix[column][column];
        if scale.abs() < 1e-12 {
            return None;
        }
        for j in 0..N {
            matrix[column][j] /= scale;
            inverse[column][j] /= scale;
        }
        for row in (0..N).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for j in 0..N {
                matrix[row][j] -= factor * matrix[column][j];
                inverse[row][j] -= factor * inverse[column][j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn scores_have_errors() {
        let games = Wdl { wins: 50, draws: 20, losses: 30 };
        let Measured { value, error } = score(games);
        assert!((value - 0.6).abs() < 1e-9);
        // The variance is 0.55 - 0.36.
        assert!((error - 1.96 * (0.19f64 / 100.0).sqrt()).abs() < 1e-4, "{error}");
        assert_eq!(score(games).percent(), "60.0 ± 8.5 %");
        assert_eq!(score(reversed(games)).percent(), "40.0 ± 8.5 %");
        assert_eq!(share(20, 100).percent(), "20.0 ± 7.8 %");
        assert_eq!(score(Wdl::default()).percent(), "–");
        assert_eq!(Measured { value: -0.034, error: 0.01 }.points(), "−3.4 ± 1.0");
        assert_eq!(Measured { value: -0.0003, error: 0.01 }.points(), "+0.0 ± 1.0");
    }

    /// A difference between strata is none within them.
    #[test]
    fn groups_are_compared_within_strata() {
        let mut observations = Vec::new();
        let mut rng = Rng::new(1);
        for number in 0..20_000 {
            let stratum = number % 2;
            // The second stratum scores better, and is more often in the first group.
            let with = rng.unit() < if stratum == 1 { 0.8 } else { 0.2 };
            let chance = 0.3 + 0.4 * f64::from(stratum) + if with { 0.05 } else { 0.0 };
            let score = f64::from(u8::from(rng.unit() < chance));
            observations.push(Observation { stratum: (stratum, 0), with, score });
        }
        let matched = matched_difference(&observations);
        assert!((matched.value - 0.05).abs() < matched.error * 1.5 && matched.error < 0.02, "{matched:?}");
        observations.iter_mut().for_each(|observation| observation.stratum = (0, 0));
        assert!(matched_difference(&observations).value > 0.2);
        assert_eq!(matched_difference(&[]).points(), "–");
    }

    #[test]
    fn coefficients_are_found_again() {
        let mut rng = Rng::new(2);
        let rows: Vec<([f64; 3], f64)> = (0..20_000)
            .map(|_| {
                let (a, b) = (rng.unit() * 4.0 - 2.0, rng.unit());
                let chance = 1.0 / (1.0 + (-(0.5 + a - 2.0 * b)).exp());
                ([1.0, a, b], f64::from(u8::from(rng.unit() < chance)))
            })
            .collect();
        let (found, variance) = logistic(&rows).unwrap();
        for (index, wanted) in [0.5, 1.0, -2.0].into_iter().enumerate() {
            assert!((found[index] - wanted).abs() < 3.0 * variance[index][index].sqrt(), "{found:?}");
        }
        assert_eq!(logistic(&[([1.0, 1.0], 0.5)]), None);
    }
}
