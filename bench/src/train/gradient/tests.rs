use super::*;
use crate::train::net::LANES;
use crate::train::position::tests::{random_positions, share};
use agoge_core::nnue::arch::HEADS;

/// The loss by definition in double precision, for finite differences.
fn loss(weights: &Weights, positions: &[Position], objective: Objective) -> f64 {
    let one = |position: &Position| {
        let head = position.head();
        let mut output = f64::from(weights.output_biases.numbers()[head]);
        for tile in &weights.tiles {
            for lane in 0..LANES {
                let number = |row: usize| f64::from(tile[row].numbers()[lane]);
                let sum = number(BIAS) + position.features().iter().map(|&f| number(usize::from(f))).sum::<f64>();
                output += sum.clamp(0.0, 1.0).powi(2) * number(FIRST_HEAD + head);
            }
        }
        let steepness = f64::from(objective.steepness());
        (1.0 / (1.0 + (-steepness * output).exp()) - f64::from(position.target(objective))).powi(2)
    };
    positions.iter().map(one).sum::<f64>() / positions.len() as f64
}

/// Weights with larger outputs than the initial ones, so that no gradient is lost in rounding noise.
fn weights(tiles: usize) -> Weights {
    let mut weights = Weights::random(tiles, 2);
    for (i, tile) in weights.tiles.iter_mut().enumerate() {
        for (j, row) in tile[FIRST_HEAD..].iter_mut().enumerate() {
            row.numbers_mut().iter_mut().for_each(|weight| *weight *= 2.0 + (i + j) as f32 * 0.1);
        }
    }
    let biases = weights.output_biases.numbers_mut().iter_mut().enumerate();
    biases.for_each(|(i, bias)| *bias = i as f32 * 0.02 - 0.1);
    weights
}

fn all(positions: &[Position]) -> Vec<u32> {
    (0..positions.len() as u32).collect()
}

fn gradient(calculator: &Calculator) -> Weights {
    let (tiles, output_biases) = calculator.gradient();
    Weights { tiles: tiles.cloned().collect(), output_biases: *output_biases }
}

#[test]
fn the_gradient_agrees_with_finite_differences() {
    let positions = random_positions(if crate::full_tests() { 300 } else { 60 }, 1);
    let mut weights = weights(2);
    let mut calculator = Calculator::new(2);
    let objective = Objective { wdl: 0.3, scale: 250.0, even: 30.0 };
    let found = calculator.learn(&weights, &positions, &all(&positions), objective);
    assert!((found.mean() - loss(&weights, &positions, objective)).abs() < 1e-6);
    let gradient = gradient(&calculator);
    let gradients: Vec<f32> = gradient.rows().flatten().copied().collect();

    // A sample of the feature weights, and weights of the biases and all heads.
    let rows = (0..INPUTS).step_by(if crate::full_tests() { 5 } else { 25 }).chain(BIAS..ROWS);
    let indices: Vec<usize> =
        (0..2).flat_map(|tile| rows.clone().map(move |row| (tile * ROWS + row) * LANES + row * 7 % LANES)).collect();
    let biases = (0..HEADS).map(|head| 2 * ROWS * LANES + head);
    let mut steep = 0;
    for index in indices.into_iter().chain(biases) {
        let mut shifted = |shift: f32| {
            let weight = weights.rows_mut().flatten().nth(index).expect("a weight");
            let before = *weight;
            *weight += shift;
            let distance = f64::from(*weight) - f64::from(before);
            let loss = loss(&weights, &positions, objective);
            *weights.rows_mut().flatten().nth(index).expect("a weight") = before;
            (loss, distance)
        };
        let ((up, right), (down, left)) = (shifted(1e-3), shifted(-1e-3));
        let slope = (up - down) / (right - left);
        let found = f64::from(gradients[index]);
        assert!((slope - found).abs() < 1e-6 + 1e-2 * slope.abs(), "{index}: {slope} {found}");
        steep += usize::from(slope.abs() > 1e-5);
    }
    assert!(steep > 50, "only {steep} gradients are not nearly zero");
}

#[test]
fn the_loss_agrees_with_the_definition() {
    let positions = random_positions(BLOCK + 100, 4);
    let weights = weights(2);
    let mut calculator = Calculator::new(2);
    let objective = Objective { wdl: 0.5, scale: 173.0, even: 0.0 };
    let plain: f64 = positions
        .iter()
        .map(|position| f64::from(objective.expected(weights.output(position)) - position.target(objective)).powi(2))
        .sum();
    let measured = calculator.measure(&weights, &positions, objective);
    assert_eq!(measured.count, positions.len() as u64);
    assert!((measured.sum - plain).abs() < 1e-3, "{} {plain}", measured.sum);
    let learnt = calculator.learn(&weights, &positions, &all(&positions), objective);
    assert_eq!(learnt.sum, measured.sum);
}

/// More positions than fit into a block, each of which appears once in the order.
#[test]
fn blocks_add_up() {
    let positions = random_positions(2 * BLOCK + 10, 5);
    let weights = weights(1);
    let mut calculator = Calculator::new(1);
    let order = all(&positions);
    calculator.learn(&weights, &positions, &order, share(0.3));
    let whole = gradient(&calculator);
    let mut sum = vec![0.0; whole.rows().flatten().count()];
    for part in order.chunks(700) {
        calculator.learn(&weights, &positions, part, share(0.3));
        let share = part.len() as f32 / order.len() as f32;
        let gradient = gradient(&calculator);
        sum.iter_mut().zip(gradient.rows().flatten()).for_each(|(sum, slope)| *sum += share * slope);
    }
    for (sum, slope) in sum.iter().zip(whole.rows().flatten()) {
        assert!((sum - slope).abs() < 1e-7 + 1e-4 * slope.abs(), "{sum} {slope}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let positions = random_positions(2 * BLOCK + 10, 6);
    let weights = weights(3);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut calculator = Calculator::new(3);
            let loss = calculator.learn(&weights, &positions, &all(&positions), share(0.3));
            (loss.sum.to_bits(), gradient(&calculator))
        })
    };
    let one = run(1);
    assert!(run(2) == one && run(3) == one);
}
