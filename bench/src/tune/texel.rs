//! Texel tuning: fits the parameters of the hand-made evaluation to the results of games.
//!
//! Peter Österlund's method: a logistic function converts a value to an expected result, and the parameters are changed
//! to minimise the mean squared difference from the actual results. Apart from the taper the evaluation is linear in
//! its parameters, and its trace contains the coefficient of each of them. So the gradient is exact, and an epoch needs
//! no evaluation. The optimiser is AdamW. Its decay pulls towards the initial
//! parameters instead of zero, so parameters that the data say nothing about keep their values.
//!
//! The positions are the quiet positions of games written by `datagen`. Each takes about 700 bytes of memory.

use crate::adamw::Step;
use crate::data::read_games;
use crate::data::record::GameRecord;
use crate::rng::Rng;
use crate::terminal::{CommandResult, Error, Status, unreadable, unwritable, usage};
use crate::{files, outln};
use agoge_core::board::{Board, Variant};
use agoge_core::eval::layout::{COUNT, GROUPS, Pair};
use agoge_core::eval::params::PARAMS;
use agoge_core::eval::traced;
use clap::Args;
use rayon::prelude::*;
use std::borrow::Borrow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use wide::f32x16;

#[derive(Args)]
pub struct Arguments {
    /// Game files written by `datagen`
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The new file of parameters; by default engine/core/src/eval/params.rs is replaced
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file of --out
    #[arg(long, requires = "out")]
    force: bool,
    /// The variant
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// Passes over the positions
    #[arg(long, default_value_t = 30)]
    epochs: usize,
    /// Positions per step
    #[arg(long, default_value_t = 16384)]
    batch: usize,
    /// The initial step size in centipawns; it falls to a fiftieth along a cosine schedule
    #[arg(long, default_value_t = 1.0)]
    rate: f64,
    /// The decay towards the initial parameters
    #[arg(long, default_value_t = 0.05)]
    decay: f64,
    /// The weight of the score in the target, 0 to 1; the remaining weight is that of the result
    #[arg(long, default_value_t = 0.25)]
    score_weight: f64,
    /// The share of the positions used for validation
    #[arg(long, default_value_t = 0.05)]
    validation: f64,
    /// The steepness of the logistic function; by default fitted to the results
    #[arg(long)]
    k: Option<f64>,
    /// The seed of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// The maximum number of positions to read; 0 for all
    #[arg(long, default_value_t = 0)]
    limit: usize,
}

/// The parameters of the engine, relative to the root of the repository.
const PARAMS_FILE: &str = "engine/core/src/eval/params.rs";

/// The middlegame and endgame value of each parameter.
type Weights = Vec<[f64; 2]>;

fn weights_of(pairs: &[Pair]) -> Weights {
    pairs.iter().map(|pair| [f64::from(pair.mg), f64::from(pair.eg)]).collect()
}

/// A position with the score of a search and the result of the game.
struct Sample {
    board: Board,
    /// In centipawns from White's view.
    score: i16,
    /// 1 if White won, 0.5 for a draw, 0 if Black won.
    result: f32,
}

/// Games that start with more men than a random endgame can have started from an opening. Their first positions are
/// skipped, because the random moves before them leave tactics.
const MOST_ENDGAME_MEN: u32 = 19;

/// The number of positions skipped at the start of such games.
const SKIPPED_PLIES: usize = 4;

/// Positions with at least this score, in centipawns, are decided and skipped.
const DECIDED: u16 = 2000;

impl Sample {
    /// The quiet positions of a game: the side to move is not in check, its move neither captures nor promotes, and the
    /// game is not decided yet.
    fn of_game(game: &GameRecord) -> Result<Vec<Self>, String> {
        let opening = game.start.occupied().count() > MOST_ENDGAME_MEN;
        let mut skip = if opening { SKIPPED_PLIES } else { 0 };
        let mut samples = Vec::new();
        game.replay(|board, ply| {
            if skip > 0 {
                skip -= 1;
            } else if ply.score.unsigned_abs() < DECIDED && !board.in_check() && !board.is_noisy(ply.mv) {
                let result = f32::from(game.result.half_points()) / 2.0;
                samples.push(Self { board: board.clone(), score: ply.score, result });
            }
        })?;
        Ok(samples)
    }
}

/// A parameter with a nonzero coefficient in a position, and the coefficient.
#[derive(Clone, Copy)]
struct Feature {
    index: u16,
    count: i16,
}

#[derive(Clone, Copy)]
struct Point {
    /// The factors of the middlegame and the endgame sum.
    taper: [f32; 2],
    /// A constant added to the scaled sum.
    bonus: f32,
    /// The score in centipawns from White's view.
    score: i16,
    result: f32,
    /// The end of its features.
    end: u32,
}

/// Positions that are processed by one thread at a time. The blocks do not depend on the number of threads, and their
/// sums are added in order, so results do not depend on it either.
#[derive(Default)]
struct Block {
    points: Vec<Point>,
    features: Vec<Feature>,
}

const BLOCK: usize = 1024;

impl Block {
    fn push(&mut self, sample: &Sample) {
        let traced = traced(&sample.board);
        for index in 0..COUNT {
            let count = traced.coefficients.balance(index);
            if count != 0 {
                self.features.push(Feature { index: index as u16, count: count as i16 });
            }
        }
        let scale = traced.scale as f32 / 64.0;
        let phase = traced.phase as f32 / 24.0;
        self.points.push(Point {
            taper: [phase * scale, (1.0 - phase) * scale],
            bonus: traced.bonus as f32,
            score: sample.score,
            result: sample.result,
            end: self.features.len() as u32,
        });
    }

    fn iter(&self) -> impl Iterator<Item = (&Point, &[Feature])> {
        let mut begin = 0;
        self.points.iter().map(move |point| {
            let features = &self.features[begin..point.end as usize];
            begin = point.end as usize;
            (point, features)
        })
    }
}

fn value(weights: &Weights, point: &Point, features: &[Feature]) -> f64 {
    let mut sums = [0.0; 2];
    for feature in features {
        let [mg, eg] = weights[feature.index as usize];
        sums[0] += mg * f64::from(feature.count);
        sums[1] += eg * f64::from(feature.count);
    }
    sums[0] * f64::from(point.taper[0]) + sums[1] * f64::from(point.taper[1]) + f64::from(point.bonus)
}

/// The expected result for a value: the Elo curve with steepness `k`, one centipawn counting as one Elo point.
fn expected(k: f64, value: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-k * value / 400.0))
}

fn target(k: f64, score_weight: f64, point: &Point) -> f64 {
    let result = f64::from(point.result);
    (1.0 - score_weight) * result + score_weight * expected(k, f64::from(point.score))
}

fn count<B: Borrow<Block>>(blocks: &[B]) -> usize {
    blocks.iter().map(|block| block.borrow().points.len()).sum()
}

/// The mean squared error.
fn loss(blocks: &[Block], weights: &Weights, k: f64, score_weight: f64) -> f64 {
    let error = |(point, features): (&Point, &[Feature])| {
        (expected(k, value(weights, point, features)) - target(k, score_weight, point)).powi(2)
    };
    // Summed in order, so that the result does not depend on the number of threads.
    let sums: Vec<f64> = blocks.par_iter().map(|block| block.iter().map(error).sum()).collect();
    sums.iter().sum::<f64>() / count(blocks).max(1) as f64
}

/// The gradient of the mean squared error up to a constant factor, to which Adam is invariant.
fn gradient(blocks: &[&Block], weights: &Weights, k: f64, score_weight: f64) -> Weights {
    let parts: Vec<Weights> = blocks
        .par_iter()
        .map(|block| {
            let mut gradient = vec![[0.0; 2]; COUNT];
            for (point, features) in block.iter() {
                let expected = expected(k, value(weights, point, features));
                let slope = (expected - target(k, score_weight, point)) * expected * (1.0 - expected);
                let slopes = point.taper.map(|taper| slope * f64::from(taper));
                for feature in features {
                    let sum = &mut gradient[feature.index as usize];
                    sum[0] += slopes[0] * f64::from(feature.count);
                    sum[1] += slopes[1] * f64::from(feature.count);
                }
            }
            gradient
        })
        .collect();
    let count = count(blocks).max(1) as f64;
    let mut total = vec![[0.0; 2]; COUNT];
    for part in parts {
        for (total, part) in total.iter_mut().flatten().zip(part.iter().flatten()) {
            *total += part / count;
        }
    }
    total
}

/// The steepness with which the current values predict the results best, by golden-section search.
fn fit_k(blocks: &[Block], weights: &Weights) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.05, 5.0);
    while high - low > 0.001 {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        if loss(blocks, weights, left, 0.0) < loss(blocks, weights, right, 0.0) { high = right } else { low = left }
    }
    (low + high) / 2.0
}

/// [AdamW](crate::adamw) on the differences from the initial weights, so that the decay pulls towards these.
struct Optimiser {
    start: Weights,
    differences: Vec<f32x16>,
    means: Vec<f32x16>,
    squares: Vec<f32x16>,
    steps: u64,
}

impl Optimiser {
    fn new(start: &Weights) -> Self {
        let zero = vec![f32x16::ZERO; start.as_flattened().len().div_ceil(16)];
        Self { start: start.clone(), differences: zero.clone(), means: zero.clone(), squares: zero, steps: 0 }
    }

    fn update(&mut self, weights: &mut Weights, gradient: &Weights, rate: f64, decay: f64) {
        // Keeps rare parameters clear of the optimiser's epsilon.
        const GRADIENT_SCALE: f64 = 1000.0;
        self.steps += 1;
        let step = Step::new(self.steps, rate as f32, decay as f32);
        let moments = self.means.iter_mut().zip(&mut self.squares);
        let gradients = gradient.as_flattened().chunks(16);
        for ((difference, (mean, square)), slopes) in self.differences.iter_mut().zip(moments).zip(gradients) {
            let mut vector = [0.0; 16];
            vector.iter_mut().zip(slopes).for_each(|(to, slope)| *to = (slope * GRADIENT_SCALE) as f32);
            step.apply(difference, mean, square, f32x16::from(vector), f32x16::splat(f32::MAX));
        }
        let differences = self.differences.iter().flat_map(|vector| vector.to_array());
        let start = self.start.as_flattened();
        for ((weight, start), difference) in weights.as_flattened_mut().iter_mut().zip(start).zip(differences) {
            *weight = start + f64::from(difference);
        }
    }
}

struct Data {
    training: Vec<Block>,
    validation: Vec<Block>,
}

impl Data {
    /// Reads the files. The positions of a game are adjacent, so consecutive runs of positions are used for validation.
    /// Otherwise the results of most validation positions would be known from training positions of the same game.
    fn read(arguments: &Arguments) -> Result<Self, Error> {
        const RUN_LENGTH: usize = 2000;
        let mut rng = Rng::new(arguments.seed);
        let (mut training, mut validation) = (Vec::new(), Vec::new());
        let mut read = 0;
        let limit = if arguments.limit > 0 { arguments.limit } else { usize::MAX };
        'files: for path in &arguments.data {
            let (header, games) = read_games(path)?;
            if header.variant != arguments.variant {
                let cause = format!("its games are of the variant {}", header.variant.name());
                return Err(unreadable(path)(cause));
            }
            for game in games {
                if read >= limit {
                    break 'files;
                }
                let game = game?;
                let samples = Sample::of_game(&game).map_err(|error| format!("game {}: {error}", game.number));
                for sample in samples.map_err(unreadable(path))?.into_iter().take(limit - read) {
                    let run = Rng::new(arguments.seed ^ (read / RUN_LENGTH) as u64).next();
                    let is_validation = (run as f64) < arguments.validation * u64::MAX as f64;
                    if is_validation { &mut validation } else { &mut training }.push(sample);
                    read += 1;
                }
            }
        }
        if training.is_empty() {
            return Err(usage("there are no training positions"));
        }
        rng.shuffle(&mut training);
        let blocks = |samples: Vec<Sample>| {
            let block = |samples: &[Sample]| {
                let mut block = Block::default();
                samples.iter().for_each(|sample| block.push(sample));
                block.features.shrink_to_fit();
                block
            };
            samples.par_chunks(BLOCK).map(block).collect()
        };
        Ok(Self { training: blocks(training), validation: blocks(validation) })
    }
}

pub fn run(arguments: &Arguments) -> CommandResult {
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global().map_err(usage)?;
    match &arguments.out {
        Some(path) => files::check_new(path, arguments.force, files::FORCE_HINT)?,
        None => files::check_new(Path::new(PARAMS_FILE), true, files::FORCE_HINT)?,
    }
    let begin = Instant::now();
    let data = Data::read(arguments)?;
    let validated = if data.validation.is_empty() { &data.training } else { &data.validation };
    outln!(
        "{} training positions, {} validation positions, read in {:.1} s",
        count(&data.training),
        count(&data.validation),
        begin.elapsed().as_secs_f64()
    );

    let start = weights_of(&PARAMS.flat());
    let mut weights = start.clone();
    let k = arguments.k.unwrap_or_else(|| fit_k(&data.training, &weights));
    let measure = |weights: &Weights, blocks| loss(blocks, weights, k, arguments.score_weight);
    let mut best = (measure(&weights, validated), weights.clone());
    outln!("k {k:.3}, error {:.6} in training, {:.6} in validation", measure(&weights, &data.training), best.0);

    let mut optimiser = Optimiser::new(&start);
    let mut rng = Rng::new(!arguments.seed);
    let mut order: Vec<&Block> = data.training.iter().collect();
    let blocks_per_step = arguments.batch.div_ceil(BLOCK).max(1);
    let steps = order.len().div_ceil(blocks_per_step) * arguments.epochs;
    let mut step = 0usize;
    for epoch in 1..=arguments.epochs {
        rng.shuffle(&mut order);
        for batch in order.chunks(blocks_per_step) {
            let progress = step as f64 / steps as f64;
            let rate = arguments.rate * (0.02 + 0.49 * (1.0 + (std::f64::consts::PI * progress).cos()));
            let gradient = gradient(batch, &weights, k, arguments.score_weight);
            optimiser.update(&mut weights, &gradient, rate, arguments.decay);
            step += 1;
        }
        let error = measure(&weights, validated);
        outln!(
            "epoch {epoch:3}: error {:.6} in training, {error:.6} in validation, {:.0} s",
            measure(&weights, &data.training),
            begin.elapsed().as_secs_f64()
        );
        if error < best.0 {
            best = (error, weights.clone());
        }
    }

    let rounded: Vec<Pair> =
        best.1.iter().map(|&[mg, eg]| Pair { mg: mg.round() as i16, eg: eg.round() as i16 }).collect();
    outln!("best, rounded: error {:.6} in validation", measure(&weights_of(&rounded), validated));
    let text = render(&rounded);
    let (path, written) = match &arguments.out {
        Some(path) => (path.as_path(), files::write_new(path, text.as_bytes(), arguments.force)),
        None => (Path::new(PARAMS_FILE), files::replace(Path::new(PARAMS_FILE), text.as_bytes())),
    };
    written.map_err(unwritable(path))?;
    Ok(Status::Success)
}

fn render(numbers: &[Pair]) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation, in centipawns for the middlegame and the endgame.\n\
         //!\n\
         //! Written by `tune` of the bench crate. [`super::layout`] describes the groups.\n\
         \n\
         use super::layout::{Params, s};\n\
         \n\
         /// The weights in use.\n\
         #[rustfmt::skip]\n\
         pub static PARAMS: Params = Params {\n",
    );
    let mut term = None;
    for group in GROUPS {
        if term != Some(group.term) {
            if term.is_some() {
                text.push('\n');
            }
            term = Some(group.term);
            let _ = writeln!(text, "    // {}", group.term.title());
        }
        let _ = writeln!(text, "    {}: [", group.name);
        for row in numbers[group.first..group.first + group.len].chunks(group.row) {
            let row: Vec<String> = row.iter().map(|pair| format!("s({:4}, {:4}),", pair.mg, pair.eg)).collect();
            let _ = writeln!(text, "        {}", row.join(" "));
        }
        text.push_str("    ],\n");
    }
    text.push_str("};\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::{GameResult, Ply};

    #[test]
    fn quiet_positions_of_games_are_sampled() {
        let start = Board::from_fen("2k5/8/8/2h5/8/2N5/4P3/4K3 w - - 0 1", Variant::Spartan).unwrap();
        let moves = ["c3e4", "c5d4", "e4c5", "d4e3", "e1f1", "e3e2"];
        let scores = [10, 20, 1999, -2000, 30, 40];
        let mut board = start.clone();
        let mut plies = Vec::new();
        for (text, score) in moves.into_iter().zip(scores) {
            let mv = board.parse_move(text).unwrap();
            plies.push(Ply { mv, score });
            board.make_move(mv);
        }
        let game = GameRecord { number: 1, start, plies, result: GameResult::BlackWins };
        let samples = Sample::of_game(&game).unwrap();
        // The fourth position is decided, and the last move is a capture.
        let scores: Vec<_> = samples.iter().map(|sample| sample.score).collect();
        assert_eq!(scores, [10, 20, 1999, 30]);
        assert!(samples.iter().all(|sample| sample.result == 0.0));
        assert_eq!(samples[1].board.to_fen(), "2k5/8/8/2h5/4N3/8/4P3/4K3 b - - 1 1");

        // The first four positions of a game from a full board are skipped.
        let start = Board::start(Variant::Spartan);
        let mut board = start.clone();
        let plies = ["g2g3", "e8e6", "d2d4", "b7d5", "g1f3", "h8f6"].map(|text| {
            let mv = board.parse_move(text).unwrap();
            board.make_move(mv);
            Ply { mv, score: 5 }
        });
        let game = GameRecord { number: 2, start, plies: plies.to_vec(), result: GameResult::Draw };
        assert_eq!(Sample::of_game(&game).unwrap().len(), 2);
        let wrong = GameRecord { plies: vec![plies[1]], ..game };
        assert!(Sample::of_game(&wrong).is_err());
    }

    /// One block of positions of a random game, with random results.
    fn block() -> Block {
        let mut rng = Rng::new(5);
        let mut block = Block::default();
        let mut board = Board::start(Variant::Spartan);
        for _ in 0..120 {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.make_move(moves[rng.below(moves.len())]);
            let score = rng.below(400) as i16 - 200;
            block.push(&Sample { board: board.clone(), score, result: [0.0, 0.5, 1.0][rng.below(3)] });
        }
        block
    }

    #[test]
    fn the_parameter_file_is_what_the_tuner_writes() {
        assert_eq!(render(&PARAMS.flat()), include_str!("../../../engine/core/src/eval/params.rs"));
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let block = block();
        let mut weights = weights_of(&PARAMS.flat());
        let slopes = gradient(&[&block], &weights, 1.0, 0.25);
        let blocks = [block];
        for i in (0..COUNT).step_by(7) {
            for half in 0..2 {
                let middle = weights[i][half];
                let mut error = |shift: f64| {
                    weights[i][half] = middle + shift;
                    loss(&blocks, &weights, 1.0, 0.25)
                };
                // The constant factor: 2 k ln 10 / 400.
                let slope = (error(0.5) - error(-0.5)) / (2.0 * 10f64.ln() / 400.0);
                weights[i][half] = middle;
                assert!(
                    (slope - slopes[i][half]).abs() < 1e-5 + 1e-2 * slope.abs(),
                    "{i}: {slope} {}",
                    slopes[i][half]
                );
            }
        }
    }

    #[test]
    fn steps_reduce_the_error() {
        let block = block();
        let mut weights = weights_of(&PARAMS.flat());
        let mut optimiser = Optimiser::new(&weights);
        let before = loss(std::slice::from_ref(&block), &weights, 1.0, 0.25);
        for _ in 0..50 {
            let slopes = gradient(&[&block], &weights, 1.0, 0.25);
            optimiser.update(&mut weights, &slopes, 1.0, 0.01);
        }
        assert!(loss(&[block], &weights, 1.0, 0.25) < before);
    }
}
