//! Tuning of the search by games: SPSA (simultaneous perturbation stochastic approximation) and screening.
//!
//! Both play pairs of games between two versions of the same program. In each pair all parameters are changed at once,
//! each in a random direction for one side and in the opposite direction for the other. So each game gives information
//! about every parameter.
//!
//! - [`Spsa`] follows the gradient estimated from the results (Spall 1992, "Multivariate stochastic approximation using
//!   a simultaneous perturbation gradient approximation"; with the schedules customary for chess engines).
//! - [`effects`] fits a linear model to the results of a two-level factorial experiment and estimates the effect of
//!   each parameter with its error. It is a cheap way to rank ideas, each of which then has to pass a match.

pub mod command;

use crate::rng::Rng;
use std::fmt;

#[derive(Clone, PartialEq, Debug)]
pub struct Tunable {
    /// The option name without the prefix `Tune_`.
    pub name: String,
    pub value: f64,
    /// The size of the perturbation at the end of the tuning: large enough to affect games.
    pub step: f64,
    pub min: f64,
    pub max: f64,
}

impl Tunable {
    /// Parses `name value step min max`; `#` starts a comment.
    ///
    /// # Errors
    /// If a field is missing, not a number or out of range.
    pub fn parse(line: &str) -> Result<Self, String> {
        let text = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let [name, numbers @ ..] = words.as_slice() else { return Err("a name is missing".into()) };
        let number = |word: &&str| word.parse::<f64>().ok().filter(|x| x.is_finite());
        let numbers: Option<Vec<f64>> = numbers.iter().map(number).collect();
        let Some(&[value, step, min, max]) = numbers.as_deref() else {
            return Err(format!("{name}: four numbers expected: value, step, minimum, maximum"));
        };
        if step <= 0.0 || min > max || !(min..=max).contains(&value) {
            return Err(format!("{name}: the step must be positive and the value within its range"));
        }
        if min.ceil() > max.floor() {
            return Err(format!("{name}: there is no integer from {min} to {max}"));
        }
        Ok(Self { name: (*name).to_owned(), value, step, min, max })
    }
}

impl fmt::Display for Tunable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.3} {} {} {}", self.name, self.value, self.step, self.min, self.max)
    }
}

/// The perturbation of one pair of games: the first player's parameters move in the direction of the signs, the
/// second's in the opposite direction.
#[derive(Clone, PartialEq, Debug)]
pub struct Perturbation {
    signs: Vec<f64>,
    /// The size of the perturbation relative to the end of the tuning.
    scale: f64,
    /// The gain (the step along the gradient) relative to the end of the tuning.
    gain: f64,
}

impl Perturbation {
    fn signs(count: usize, rng: &mut Rng) -> Vec<f64> {
        (0..count).map(|_| if rng.below(2) == 0 { -1.0 } else { 1.0 }).collect()
    }
}

#[derive(Clone, Debug)]
pub struct Spsa {
    pub tunables: Vec<Tunable>,
    pub planned: usize,
    /// The pairs from which it has learnt.
    pub learnt: usize,
    /// How far a won or lost pair moves a parameter at the end of the tuning, in steps.
    pub rate: f64,
}

impl Spsa {
    /// The decay of the perturbation (Spall's gamma).
    const GAMMA: f64 = 0.101;
    /// The decay of the gain (Spall's alpha).
    const ALPHA: f64 = 0.602;
    /// The stability constant of the gain, as a share of the planned pairs (Spall's A).
    const STABILITY: f64 = 0.1;

    pub fn next(&self, rng: &mut Rng) -> Perturbation {
        let (planned, number) = (self.planned.max(1) as f64, (self.learnt + 1) as f64);
        let stability = Self::STABILITY * planned;
        Perturbation {
            signs: Perturbation::signs(self.tunables.len(), rng),
            scale: (planned / number).max(1.0).powf(Self::GAMMA),
            gain: ((stability + planned) / (stability + number)).max(1.0).powf(Self::ALPHA),
        }
    }

    /// The integer values of a player. Fractions are rounded stochastically, so that steps smaller than one have an
    /// effect, too.
    pub fn values(&self, perturbation: &Perturbation, first: bool, rng: &mut Rng) -> Vec<i64> {
        let side = if first { 1.0 } else { -1.0 };
        let moved = self.tunables.iter().zip(&perturbation.signs).map(|(tunable, sign)| {
            let value = tunable.value + side * sign * tunable.step * perturbation.scale;
            let chance = rng.below(1 << 20) as f64 / f64::from(1 << 20);
            (value + chance).floor().clamp(tunable.min.ceil(), tunable.max.floor()) as i64
        });
        moved.collect()
    }

    /// Updates the parameters after a pair of games. `balance` is half the difference of the players' scores, from -1
    /// to 1, positive if the first player scored more.
    pub fn learn(&mut self, perturbation: &Perturbation, balance: f64) {
        self.learnt += 1;
        for (tunable, sign) in self.tunables.iter_mut().zip(&perturbation.signs) {
            let step = self.rate * perturbation.gain / perturbation.scale * tunable.step * balance * sign;
            tunable.value = (tunable.value + step).clamp(tunable.min, tunable.max);
        }
    }
}

/// A parameter at two levels.
#[derive(Clone, PartialEq, Debug)]
pub struct Factor {
    /// The option name without the prefix `Tune_`.
    pub name: String,
    /// One level: usually the current value.
    pub low: i64,
    pub high: i64,
}

impl Factor {
    /// Parses `name low high`; `#` starts a comment.
    ///
    /// # Errors
    /// If a field is missing or not an integer.
    pub fn parse(line: &str) -> Result<Self, String> {
        let text = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let error = || format!("'{}': expected a name and two integers", text.trim());
        let &[name, low, high] = words.as_slice() else { return Err(error()) };
        let (Ok(low), Ok(high)) = (low.parse(), high.parse()) else { return Err(error()) };
        Ok(Self { name: name.to_owned(), low, high })
    }
}

/// A pair of games of a screening.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// For each factor, 1 if the first player had the high level and the second the low level, otherwise -1.
    pub signs: Vec<f64>,
    /// Half the difference of the players' scores, from -1 to 1, positive if the first player scored more.
    pub balance: f64,
}

impl Observation {
    /// Draws the levels of a pair that has not been played yet.
    pub fn random(factors: usize, rng: &mut Rng) -> Self {
        Self { signs: Perturbation::signs(factors, rng), balance: 0.0 }
    }

    pub fn values(&self, factors: &[Factor], first: bool) -> Vec<i64> {
        let levels = factors.iter().zip(&self.signs);
        levels.map(|(factor, &sign)| if (sign > 0.0) == first { factor.high } else { factor.low }).collect()
    }
}

/// The slope of Elo over the balance of a pair at equal strength, from the logistic curve.
const ELO_PER_BALANCE: f64 = 200.0 / std::f64::consts::LN_10 * 4.0;

/// The effect of each factor in Elo, high level against low level averaged over all other factors, and the half-width
/// of its 95 % interval (the same for all). Estimated by least squares; `None` if there are not more pairs than
/// factors.
pub fn effects(observations: &[Observation], factors: usize) -> Option<(Vec<f64>, f64)> {
    if observations.len() <= factors {
        return None;
    }
    // The normal equations, slightly damped so that a solution always exists.
    let mut rows: Vec<Vec<f64>> = (0..factors)
        .map(|i| {
            let product = |f: &dyn Fn(&Observation) -> f64| observations.iter().map(|o| o.signs[i] * f(o)).sum::<f64>();
            let mut row: Vec<f64> = (0..factors).map(|j| product(&|o| o.signs[j])).collect();
            row[i] += 1.0;
            row.push(product(&|o| o.balance));
            row
        })
        .collect();
    for i in 0..factors {
        let pivot = rows[i][i];
        rows[i].iter_mut().for_each(|x| *x /= pivot);
        let row = rows[i].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|&(j, _)| j != i) {
            let factor = other[i];
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let weights: Vec<f64> = rows.iter().map(|row| row[factors]).collect();
    let residual = |o: &Observation| o.balance - o.signs.iter().zip(&weights).map(|(s, w)| s * w).sum::<f64>();
    let count = observations.len() as f64;
    let variance = observations.iter().map(|o| residual(o).powi(2)).sum::<f64>() / (count - factors as f64);
    let error = 1.96 * (variance / count).sqrt() * ELO_PER_BALANCE;
    Some((weights.iter().map(|w| w * ELO_PER_BALANCE).collect(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tunable(value: f64) -> Tunable {
        Tunable { name: "x".into(), value, step: 10.0, min: 0.0, max: 200.0 }
    }

    #[test]
    fn lines_are_parsed() {
        assert_eq!(Tunable::parse("x 30 10 0 200 # was 5"), Ok(tunable(30.0)));
        assert_eq!(Tunable::parse(&tunable(30.25).to_string()), Ok(tunable(30.25)));
        for bad in [
            "",
            "x",
            "x 1 2 3",
            "x 1 0 0 9",
            "x 10 1 0 9",
            "x 1 1 a 9",
            "x 1 1 0 NaN",
            "x 1 1 0 9 9",
            "x 0.5 1 0.2 0.8",
        ] {
            assert!(Tunable::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Factor::parse("x -1 2"), Ok(Factor { name: "x".into(), low: -1, high: 2 }));
        assert!(Factor::parse("x 1").is_err() && Factor::parse("x 1 2.5").is_err());
    }

    #[test]
    fn players_get_opposite_values() {
        let mut rng = Rng::new(1);
        let spsa = Spsa { tunables: vec![tunable(100.0), tunable(195.0)], planned: 1, learnt: 0, rate: 0.02 };
        let perturbation = spsa.next(&mut rng);
        let (a, b) = (spsa.values(&perturbation, true, &mut rng), spsa.values(&perturbation, false, &mut rng));
        assert!(a[0] + b[0] == 200 && (a[0] - 100).abs() == 10, "{a:?} {b:?}");
        assert!(a.iter().chain(&b).all(|&x| x <= 200));
    }

    /// By Spall's formula a step is the gain divided by the perturbation.
    #[test]
    fn larger_perturbations_count_less() {
        let mut spsa = Spsa { tunables: vec![tunable(100.0)], planned: 1, learnt: 0, rate: 0.5 };
        spsa.learn(&Perturbation { signs: vec![1.0], scale: 2.0, gain: 3.0 }, 1.0);
        assert_eq!((spsa.tunables[0].value, spsa.learnt), (107.5, 1));
    }

    #[test]
    fn a_noisy_maximum_is_found() {
        let mut rng = Rng::new(7);
        let mut spsa = Spsa { tunables: vec![tunable(20.0), tunable(150.0)], planned: 20_000, learnt: 0, rate: 0.02 };
        let strength = |x: &[i64]| -((x[0] - 90) as f64 / 60.0).powi(2) - ((x[1] - 60) as f64 / 60.0).powi(2);
        for _ in 0..spsa.planned {
            let perturbation = spsa.next(&mut rng);
            let a = spsa.values(&perturbation, true, &mut rng);
            let b = spsa.values(&perturbation, false, &mut rng);
            let chance = 1.0 / (1.0 + (strength(&b) - strength(&a)).exp());
            let won = (rng.below(1 << 20) as f64) < chance * f64::from(1 << 20);
            spsa.learn(&perturbation, if won { 1.0 } else { -1.0 });
        }
        let (x, y) = (spsa.tunables[0].value, spsa.tunables[1].value);
        assert!((x - 90.0).abs() < 20.0 && (y - 60.0).abs() < 20.0, "{x} {y}");
    }

    #[test]
    fn effects_are_estimated() {
        let mut rng = Rng::new(3);
        let truth = [0.1, 0.0, -0.05];
        let observations: Vec<Observation> = (0..20_000)
            .map(|_| {
                let mut o = Observation::random(3, &mut rng);
                let mean: f64 = o.signs.iter().zip(truth).map(|(s, t)| s * t).sum();
                o.balance =
                    if (rng.below(1 << 20) as f64) < (0.5 + mean / 2.0) * f64::from(1 << 20) { 1.0 } else { -1.0 };
                o
            })
            .collect();
        let (found, error) = effects(&observations, 3).expect("enough pairs");
        for (found, truth) in found.iter().zip(truth) {
            assert!((found - truth * ELO_PER_BALANCE).abs() < 1.5 * error, "{found} {truth}");
        }
        assert!(error > 3.0 && error < 7.0, "{error}");
        assert_eq!(effects(&observations[..3], 3), None);
    }
}
