//! AdamW: Adam (Kingma and Ba) with decoupled weight decay (Loshchilov and Hutter).

use wide::f32x16;

/// The decay of the first moment, the running mean of the gradient.
const BETA1: f32 = 0.9;
/// The decay of the second moment, the running mean of the squared gradient.
const BETA2: f32 = 0.999;
/// The usual epsilon, which only avoids division by zero where the gradient is zero.
pub const EPSILON: f64 = 1e-8;

/// One step of the optimiser, for all weights.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The factor of the gradient, for clipping.
    scale: f32,
    /// The factor of the first moment, which corrects its bias towards zero in the first steps.
    mean: f32,
    /// The factor of the second moment, likewise.
    square: f32,
    rate: f32,
    /// The factor of the weights, for their decay.
    weight: f32,
    epsilon: f32,
}

impl Step {
    /// Step `number`, from 1, with a learning rate. `decay` is relative to weight and learning rate.
    pub fn new(number: u64, rate: f32, decay: f32) -> Self {
        let correction = |decay: f32| 1.0 - libm::pow(f64::from(decay), number as f64);
        Self {
            scale: 1.0,
            mean: (1.0 / correction(BETA1)) as f32,
            square: (1.0 / correction(BETA2)) as f32,
            rate,
            weight: 1.0 - rate * decay,
            epsilon: EPSILON as f32,
        }
    }

    /// The same step with all gradients multiplied by a factor.
    #[must_use]
    pub fn scaled(self, factor: f32) -> Self {
        Self { scale: self.scale * factor, ..self }
    }

    /// The same step with an epsilon of its own, which is added to the root of the second moment: weights whose gradients
    /// are smaller move by less than the learning rate.
    #[must_use]
    pub fn with_epsilon(self, epsilon: f32) -> Self {
        Self { epsilon, ..self }
    }

    /// Updates 16 weights and their moments, and clamps the weights to `bound`.
    #[inline(always)]
    pub fn apply(
        &self,
        weights: &mut f32x16,
        means: &mut f32x16,
        squares: &mut f32x16,
        gradient: f32x16,
        bound: f32x16,
    ) {
        let slope = gradient * self.scale;
        *means = *means * BETA1 + slope * (1.0 - BETA1);
        *squares = *squares * BETA2 + slope * slope * (1.0 - BETA2);
        let step = *means * self.mean / ((*squares * self.square).sqrt() + self.epsilon);
        *weights = (*weights * self.weight - step * self.rate).fast_max(-bound).fast_min(bound);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_is_minimised() {
        let [mut weight, mut mean, mut square] = [f32x16::splat(3.0), f32x16::ZERO, f32x16::ZERO];
        for number in 1..=2000 {
            let gradient = (weight - 1.0) * 2.0;
            Step::new(number, 0.01, 0.0).apply(&mut weight, &mut mean, &mut square, gradient, f32x16::splat(10.0));
        }
        assert!(weight.to_array().iter().all(|weight| (weight - 1.0).abs() < 1e-3), "{weight:?}");
    }

    #[test]
    fn small_gradients_move_weights_less_with_a_large_epsilon() {
        let distance = |epsilon: f32, gradient: f32| {
            let [mut weight, mut mean, mut square] = [f32x16::ZERO; 3];
            let step = Step::new(1, 0.1, 0.0).with_epsilon(epsilon);
            step.apply(&mut weight, &mut mean, &mut square, f32x16::splat(gradient), f32x16::splat(10.0));
            -weight.to_array()[0]
        };
        assert!((distance(EPSILON as f32, 1e-3) - 0.1).abs() < 1e-4);
        assert!((distance(1e-3, 1e-3) - 0.05).abs() < 1e-4);
        assert!((distance(1e-3, 1.0) - 0.1).abs() < 1e-3);
    }

    #[test]
    fn weights_decay_and_stay_within_the_bound() {
        let [mut weight, mut mean, mut square] = [f32x16::splat(3.0), f32x16::ZERO, f32x16::ZERO];
        let step = Step::new(1, 0.1, 0.5);
        step.apply(&mut weight, &mut mean, &mut square, f32x16::ZERO, f32x16::splat(10.0));
        assert!((weight.to_array()[0] - 2.85).abs() < 1e-6, "{weight:?}");
        step.apply(&mut weight, &mut mean, &mut square, f32x16::ZERO, f32x16::splat(2.0));
        assert_eq!(weight.to_array(), [2.0; 16]);
    }
}
