use super::*;
use crate::train::checkpoint::{decode, encode};
use crate::train::net::LANES;
use crate::train::position::Position;
use crate::train::position::tests::{random_boards, random_positions, share};
use crate::train::report::quantisation;
use agoge_core::board::{Board, Variant};
use agoge_core::nnue::arch::HIDDEN;
use agoge_core::nnue::evaluate_full;
use agoge_core::types::Colour;

fn data(training: usize, validation: usize) -> Dataset {
    Dataset {
        training: random_positions(training, 1),
        validation: random_positions(validation, 2),
        ..Dataset::default()
    }
}

fn config() -> Config {
    Config { epochs: 3, batch: 300, warmup: 4, final_wdl: 0.6, shared_rate: 0.5, round_after: 0.4, ..Config::default() }
}

fn run(trainer: &mut Trainer, steps: u64) {
    for _ in 0..steps {
        trainer.step();
    }
}

#[test]
fn the_network_depends_on_the_seed_and_not_on_the_threads() {
    let data = data(1000, 100);
    let on = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut trainer = Trainer::new(Config { seed, ..config() }, &data, 3);
            run(&mut trainer, 100);
            assert!(trainer.is_over());
            trainer.state().clone()
        })
    };
    let one = on(1, 1);
    assert!(on(2, 1) == one);
    assert!(on(1, 2) != one);
}

#[test]
fn a_resumed_training_gives_the_same_network() {
    let data = data(1000, 100);
    let mut whole = Trainer::new(config(), &data, 1);
    assert_eq!((whole.steps_per_epoch(), whole.steps()), (3, 9));
    run(&mut whole, 9);
    assert!(whole.is_over() && whole.step().is_none());
    for stops in [vec![1], vec![3], vec![2, 5], vec![8], vec![9]] {
        let mut trainer = Trainer::new(config(), &data, 1);
        for stop in stops {
            let steps = stop - trainer.steps_done();
            run(&mut trainer, steps);
            let bytes = encode(&config(), data.checksum(), trainer.state());
            let state = decode(&bytes, &config(), data.checksum()).expect("the same training");
            trainer = Trainer::resumed(config(), &data, state);
        }
        run(&mut trainer, 9);
        assert!(trainer.state().weights == whole.state().weights);
        assert!(trainer.state() == whole.state());
    }
}

#[test]
fn rates_rise_and_fall() {
    let config = Config { warmup: 10, rate: 1.0, final_rate: 0.1, ..Config::default() };
    assert_eq!(config.rate_at(0, 100), 0.1);
    assert_eq!(config.rate_at(9, 100), 1.0);
    assert_eq!(config.rate_at(10, 100), 1.0);
    assert!((config.rate_at(99, 100) - 0.1).abs() < 1e-12);
    assert!((1..90).all(|i| config.rate_at(9 + i, 100) >= config.rate_at(10 + i, 100)));
    // A short training has a shorter warm-up.
    assert_eq!((config.rate_at(0, 20), config.rate_at(1, 20), config.rate_at(2, 20)), (0.5, 1.0, 1.0));
    assert_eq!((config.rate_at(0, 5), config.rate_at(4, 5)), (1.0, 0.1));
    let config = Config { wdl: 0.2, final_wdl: 0.7, ..Config::default() };
    assert_eq!((config.wdl_at(0, 11), config.wdl_at(10, 11)), (0.2, 0.7));
}

#[test]
fn invalid_configurations_are_errors() {
    assert_eq!(Config::default().check(), Ok(()));
    for wrong in [
        Config { epochs: 0, ..config() },
        Config { batch: 0, ..config() },
        Config { wdl: 1.5, ..config() },
        Config { final_wdl: f64::NAN, ..config() },
        Config { rate: 0.0, ..config() },
        Config { clip: f64::INFINITY, ..config() },
        Config { scale: 0.0, ..config() },
        Config { even: f64::NAN, ..config() },
        Config { decay: -0.1, ..config() },
        Config { decay: 1e4, ..config() },
    ] {
        assert!(wrong.check().is_err(), "{wrong:?}");
    }
}

#[test]
fn a_batch_has_no_more_than_all_positions() {
    let data = data(70, 0);
    let mut trainer = Trainer::new(config(), &data, 1);
    assert_eq!((trainer.batch(), trainer.steps()), (70, 3));
    let epoch = trainer.step().cloned().expect("an epoch");
    assert_eq!((epoch.epoch, epoch.steps, epoch.validation), (1, 1, None));
}

#[test]
fn rounded_weights_are_those_of_the_quantised_network() {
    let weights = Weights::random(HIDDEN / LANES, 3);
    let rounded = weights.rounded();
    assert!(rounded.tiles != weights.tiles);
    assert!(Weights::from_network(&weights.quantised()).tiles == rounded.tiles);
}

#[test]
fn a_training_with_rounded_weights_measures_their_loss() {
    let data = data(300, 0);
    let first_loss = |round_after| {
        let mut trainer = Trainer::new(Config { round_after, epochs: 1, ..config() }, &data, 1);
        trainer.step().expect("an epoch").training
    };
    let weights = Weights::random(1, config().seed);
    let loss = |weights: &Weights| Calculator::new(1).measure(weights, &data.training, config().objective(0.0)).mean();
    assert!((first_loss(1.0) - loss(&weights)).abs() < 1e-9);
    assert!((first_loss(0.0) - loss(&weights.rounded())).abs() < 1e-9);
    assert!((loss(&weights) - loss(&weights.rounded())).abs() > 1e-8);
}

#[test]
fn weights_are_rounded_after_a_share_of_the_steps() {
    let config = |round_after| Config { round_after, ..Config::default() };
    assert_eq!([4, 5, 9].map(|step| config(0.5).rounds_at(step, 10)), [false, true, true]);
    assert!(config(0.0).rounds_at(0, 10) && !config(1.0).rounds_at(10, 10));
}

/// The material balance in centipawns from White's view.
fn material(board: &Board) -> i16 {
    let worth = |piece: agoge_core::types::Piece| [100, 300, 300, 500, 900, 0][piece.kind.role() as usize];
    let of = |colour| board.colour(colour).filter_map(|square| board.piece_on(square)).map(worth).sum::<i16>();
    of(Colour::White) - of(Colour::Black)
}

/// The network learns piece values from positions labelled with their material balance.
#[test]
fn material_can_be_learnt() {
    let label = |board: Board| Position::new(&board, material(&board), 1);
    let positions: Vec<Position> = random_boards(28_000, 9).into_iter().filter_map(label).collect();
    let (validation, training) = positions.split_at(500);
    let data = Dataset { training: training.to_vec(), validation: validation.to_vec(), ..Dataset::default() };
    let config = Config { epochs: 20, batch: 500, rate: 5e-3, warmup: 20, ..Config::default() };
    let mut trainer = Trainer::new(config, &data, HIDDEN / LANES);
    let before = trainer.validate(0.0).expect("positions");
    while !trainer.is_over() {
        trainer.step();
    }
    let after = trainer.validate(0.0).expect("positions");
    assert!(after < before / 10.0, "{before} {after}");
    let history = &trainer.state().progress.history;
    assert!(history[19].training < history[0].training / 10.0);

    // The quantised network gives nearly the same values.
    let weights = &trainer.state().weights;
    let network = weights.quantised();
    let compared = quantisation(&network, weights, validation, share(0.0));
    assert!((compared.exact - after).abs() < 1e-5, "{compared:?}");
    assert!((compared.quantised - after).abs() < 0.2 * after, "{compared:?}");
    assert!(compared.mean < 15.0, "{compared:?}");

    let value = |pieces: &str, side: &str| {
        let fen = format!("1k6/2hh4/5h2/3h4/8/{pieces}/2PPP3/1K6 {side} - - 0 1");
        evaluate_full(&network, &Board::from_fen(&fen, Variant::Spartan).expect("a position"))
    };
    for side in ["w", "b"] {
        let values = ["8", "4N3", "4R3", "4Q3"]
            .map(|pieces| if side == "w" { value(pieces, side) } else { -value(pieces, side) });
        assert!(values.is_sorted(), "{values:?}");
        assert!(values[3] - values[0] > 400, "{values:?}");
    }
}
