//! The training loop: schedules, epochs, and the state needed to resume.

use super::data::Dataset;
use super::gradient::{Calculator, Loss};
use super::net::Weights;
use super::optimiser::{AdamW, Hyperparameters};
use super::position::Objective;
use crate::adamw::EPSILON;
use crate::rng::Rng;
use agoge_core::nnue::arch;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The configuration that, together with the data, determines the network.
#[derive(Args, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Training")]
pub struct Config {
    /// Passes over the positions
    #[arg(long, default_value_t = Self::default().epochs)]
    pub epochs: u64,
    /// Positions per step
    #[arg(long, default_value_t = Self::default().batch)]
    pub batch: usize,
    /// The learning rate after the warm-up
    #[arg(long, default_value_t = Self::default().rate)]
    pub rate: f64,
    /// The learning rate at the end; it follows a cosine schedule
    #[arg(long, default_value_t = Self::default().final_rate)]
    pub final_rate: f64,
    /// The number of warm-up steps, at most a tenth of all steps
    #[arg(long, default_value_t = Self::default().warmup)]
    pub warmup: u64,
    /// The weight decay of AdamW
    #[arg(long, default_value_t = Self::default().decay)]
    pub decay: f64,
    /// The maximum norm of the gradient
    #[arg(long, default_value_t = Self::default().clip)]
    pub clip: f64,
    /// The epsilon of AdamW; a large one slows the weights of rare features down
    #[arg(long, default_value_t = Self::default().epsilon)]
    #[serde(default = "default_epsilon")]
    pub epsilon: f64,
    /// The rate of steps that all squares of a piece in a threat state share, and all heads of a side and number of kings,
    /// relative to --rate
    #[arg(long, default_value_t = Self::default().shared_rate)]
    #[serde(default)]
    pub shared_rate: f64,
    /// Learn with the rounded weights of the quantised network after this share of the steps; 1 for never
    #[arg(long, default_value_t = Self::default().round_after)]
    #[serde(default = "default_round_after")]
    pub round_after: f64,
    /// The weight of the game result in the target, 0 to 1; the remaining weight is that of the score
    #[arg(long, default_value_t = Self::default().wdl)]
    pub wdl: f64,
    /// The scale of the sigmoid in centipawns: the score at which the expected result is 0.73
    #[arg(long, default_value_t = Self::default().scale)]
    pub scale: f64,
    /// White's score of an even game in centipawns, subtracted from all scores so that 0 is an even game
    #[arg(long, default_value_t = Self::default().even, allow_negative_numbers = true)]
    #[serde(default)]
    pub even: f64,
    /// The weight of the result at the end; in between it changes linearly.
    #[arg(skip)]
    pub final_wdl: f64,
    /// The seed of the initial weights, the order of positions and the choice of validation games
    #[arg(long, default_value_t = Self::default().seed)]
    pub seed: u64,
    /// The CRC-32 of the file of the initial network; `None` for random weights.
    #[arg(skip)]
    pub init: Option<u32>,
}

/// The epsilon of trainings before it was an option, for their checkpoints.
fn default_epsilon() -> f64 {
    EPSILON
}

/// Trainings before it was an option never rounded.
fn default_round_after() -> f64 {
    1.0
}

impl Default for Config {
    /// The defaults of `train`, for few positions. A game result says little about each position of the game, so only
    /// the scores are used.
    fn default() -> Self {
        Self {
            epochs: 20,
            batch: 4096,
            rate: 1e-3,
            final_rate: 1e-5,
            warmup: 100,
            decay: 0.1,
            clip: 1.0,
            epsilon: default_epsilon(),
            shared_rate: 0.0,
            round_after: default_round_after(),
            wdl: 0.0,
            scale: f64::from(arch::SCALE),
            even: 0.0,
            final_wdl: 0.0,
            seed: 1,
            init: None,
        }
    }
}

impl Config {
    /// Validates the configuration.
    ///
    /// # Errors
    /// Names the first invalid value.
    pub fn check(&self) -> Result<(), String> {
        let shares = [("wdl", self.wdl), ("final wdl", self.final_wdl)];
        let positive = [
            ("rate", self.rate),
            ("final rate", self.final_rate),
            ("clip", self.clip),
            ("epsilon", self.epsilon),
            ("scale", self.scale),
        ];
        if self.epochs == 0 || self.batch == 0 {
            return Err("epochs and batch must not be 0".to_owned());
        }
        if let Some((name, value)) = shares.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            return Err(format!("{name} {value} is not between 0 and 1"));
        }
        if let Some((name, value)) = positive.into_iter().find(|(_, value)| !value.is_finite() || *value <= 0.0) {
            return Err(format!("{name} {value} is not a positive number"));
        }
        if !self.shared_rate.is_finite() || self.shared_rate < 0.0 {
            return Err(format!("shared rate {} is not a number from 0 on", self.shared_rate));
        }
        if !(0.0..=1.0).contains(&self.round_after) {
            return Err(format!("round after {} is not between 0 and 1", self.round_after));
        }
        if !self.even.is_finite() {
            return Err(format!("even {} is not a number of centipawns", self.even));
        }
        if !(0.0..1.0).contains(&(self.decay * self.rate)) {
            return Err(format!("decay {} is negative or too large", self.decay));
        }
        Ok(())
    }

    /// The learning rate of a step (from 0) out of `steps`.
    pub fn rate_at(&self, step: u64, steps: u64) -> f64 {
        let warmup = self.warmup.min(steps / 10);
        if step < warmup {
            return self.rate * (step + 1) as f64 / warmup as f64;
        }
        let progress = (step - warmup) as f64 / steps.saturating_sub(warmup + 1).max(1) as f64;
        self.final_rate + (self.rate - self.final_rate) * 0.5 * (1.0 + libm::cos(PI * progress.min(1.0)))
    }

    /// The weight of the result in the target at a step (from 0) out of `steps`.
    pub fn wdl_at(&self, step: u64, steps: u64) -> f64 {
        let progress = step as f64 / steps.saturating_sub(1).max(1) as f64;
        self.wdl + (self.final_wdl - self.wdl) * progress.min(1.0)
    }

    /// Whether the gradient of a step (from 0) out of `steps` is that of the rounded weights. It then changes the weights
    /// before rounding (the straight-through estimator; Bengio, Léonard and Courville 2013), until enough of them round
    /// to others. Without it, the small changes of a low rate are mostly lost in the end.
    pub fn rounds_at(&self, step: u64, steps: u64) -> bool {
        self.round_after < 1.0 && step as f64 >= self.round_after * steps as f64
    }

    /// The objective with a weight of the result.
    pub fn objective(&self, wdl: f64) -> Objective {
        Objective { wdl: wdl as f32, scale: self.scale as f32, even: self.even as f32 }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Epoch {
    /// The number of the epoch, from 1.
    pub epoch: u64,
    pub steps: u64,
    /// The learning rate of its last step.
    pub rate: f64,
    /// The weight of the result in its last targets.
    pub wdl: f64,
    /// The mean loss of its batches, each measured before the step.
    pub training: f64,
    /// The mean loss over the validation positions at its end, if there are any.
    pub validation: Option<f64>,
    /// The mean norm of the gradients.
    pub gradient: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub weights: Weights,
    pub adam: AdamW,
    pub progress: Progress,
}

/// What has been measured since the start of the epoch, and the finished epochs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    #[serde(flatten)]
    pub loss: Loss,
    /// The sum of the gradient norms.
    pub norms: f64,
    pub history: Vec<Epoch>,
}

pub struct Trainer<'a> {
    config: Config,
    data: &'a Dataset,
    state: State,
    calculator: Calculator,
    /// The shuffled positions of an epoch, and the index of that epoch.
    order: Vec<u32>,
    order_epoch: Option<u64>,
}

impl<'a> Trainer<'a> {
    /// Starts a training of a network of `tiles` tiles from random weights.
    pub fn new(config: Config, data: &'a Dataset, tiles: usize) -> Self {
        let weights = Weights::random(tiles, config.seed);
        Self::from_weights(config, data, weights)
    }

    pub fn from_weights(config: Config, data: &'a Dataset, weights: Weights) -> Self {
        let adam = AdamW::new(weights.tiles.len());
        Self::resumed(config, data, State { weights, adam, progress: Progress::default() })
    }

    /// Resumes a training. With the same configuration and data it gives the same network as an uninterrupted training.
    pub fn resumed(config: Config, data: &'a Dataset, state: State) -> Self {
        let calculator = Calculator::new(state.weights.tiles.len());
        Self { config, data, state, calculator, order: Vec::new(), order_epoch: None }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// The number of positions of a step: the batch size, or all positions if there are fewer.
    pub fn batch(&self) -> usize {
        self.config.batch.min(self.data.training.len())
    }

    /// The steps of an epoch. The positions that do not fill a batch are left out; they differ from epoch to epoch.
    pub fn steps_per_epoch(&self) -> u64 {
        (self.data.training.len() / self.batch().max(1)) as u64
    }

    pub fn steps(&self) -> u64 {
        self.steps_per_epoch() * self.config.epochs
    }

    pub fn steps_done(&self) -> u64 {
        self.state.adam.steps
    }

    pub fn is_over(&self) -> bool {
        self.steps_done() >= self.steps()
    }

    pub fn running_loss(&self) -> f64 {
        self.state.progress.loss.mean()
    }

    /// Does a step. At the end of an epoch, adds the epoch to the history and returns it.
    pub fn step(&mut self) -> Option<&Epoch> {
        let (step, steps, per_epoch) = (self.steps_done(), self.steps(), self.steps_per_epoch());
        if step >= steps {
            return None;
        }
        self.shuffle(step / per_epoch);
        let (rate, wdl) = (self.config.rate_at(step, steps), self.config.wdl_at(step, steps));
        let begin = (step % per_epoch) as usize * self.batch();
        let order = &self.order[begin..begin + self.batch()];
        let state = &mut self.state;
        let objective = self.config.objective(wdl);
        let rounded = self.config.rounds_at(step, steps).then(|| state.weights.rounded());
        let weights = rounded.as_ref().unwrap_or(&state.weights);
        let loss = self.calculator.learn(weights, &self.data.training, order, objective);
        let config = &self.config;
        let parameters = Hyperparameters {
            rate: rate as f32,
            decay: config.decay as f32,
            clip: config.clip as f32,
            epsilon: config.epsilon as f32,
            shared: config.shared_rate as f32,
        };
        let norm = state.adam.update(&mut state.weights, &self.calculator, parameters);
        state.progress.loss.add(loss);
        state.progress.norms += f64::from(norm);
        if !(step + 1).is_multiple_of(per_epoch) {
            return None;
        }
        let validation = self.validate(wdl);
        let training = self.running_loss();
        let progress = &mut self.state.progress;
        let gradient = progress.norms / per_epoch as f64;
        let epoch = (step + 1) / per_epoch;
        progress.history.push(Epoch { epoch, steps: step + 1, rate, wdl, training, validation, gradient });
        (progress.loss, progress.norms) = (Loss::default(), 0.0);
        progress.history.last()
    }

    /// The mean loss over the validation positions, if there are any, with weight `wdl` of the result in the targets.
    pub fn validate(&mut self, wdl: f64) -> Option<f64> {
        let positions = &self.data.validation;
        let loss = self.calculator.measure(&self.state.weights, positions, self.config.objective(wdl));
        (loss.count > 0).then(|| loss.mean())
    }

    /// Shuffles the positions for an epoch. The order depends only on the seed and the epoch.
    fn shuffle(&mut self, epoch: u64) {
        if self.order_epoch != Some(epoch) {
            self.order_epoch = Some(epoch);
            self.order.clear();
            self.order.extend(0..self.data.training.len() as u32);
            Rng::new(Rng::new(self.config.seed).next().wrapping_add(epoch)).shuffle(&mut self.order);
        }
    }
}

#[cfg(test)]
mod tests;
