//! End-to-end tests of `train`.

#[cfg(unix)]
use crate::common::Running;
use crate::common::{assert_fails, assert_succeeds, bench, text};
use agoge_bench::data::record::{GameRecord, GameResult, Header, Ply, Writer};
use agoge_bench::data::starts::random_opening;
use agoge_bench::rng::Rng;
use agoge_core::board::{Board, Game, Variant};
use agoge_core::nnue::{Network, evaluate_full};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A directory with a file of random games.
pub struct TestDir(TempDir);

impl TestDir {
    pub fn new() -> Self {
        let dir = Self(tempfile::tempdir().expect("a directory"));
        let header = Header { variant: Variant::Spartan, seed: 1, program: "test".to_owned(), settings: String::new() };
        let mut writer = Writer::create(&dir.path("games"), &header).expect("a new file");
        let mut rng = Rng::new(1);
        for number in 0..60 {
            let Some(game) = random_opening(Variant::Spartan, &mut rng) else { continue };
            writer.push(&random_game(number, game, &mut rng)).expect("a game");
        }
        writer.finish().expect("a whole file");
        dir
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, out: &str, options: &[&str]) -> Command {
        let mut command = bench("train");
        command.arg(self.path("games")).arg("--out").arg(self.path(out));
        command.args(["--batch", "200", "--warmup", "3", "--validation", "0.2"]).args(options);
        command
    }

    fn train(&self, out: &str, options: &[&str]) -> Output {
        self.command(out, options).args(["--epochs", "3"]).output().expect("the trainer runs")
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect(name)
    }
}

/// A game of random moves with a growing score for the winner.
fn random_game(number: u64, mut game: Game, rng: &mut Rng) -> GameRecord {
    let result = GameResult::ALL[rng.below(3)];
    let start = game.board().clone();
    let mut plies = Vec::new();
    while game.outcome().is_none() && plies.len() < 60 {
        let moves = game.board().legal_moves();
        let mv = moves[rng.below(moves.len())];
        game.push(mv).expect("a legal move");
        let score = (1 - result.index() as i16) * 5 * plies.len() as i16;
        plies.push(Ply { mv, score });
    }
    GameRecord { number, start, plies, result }
}

#[test]
fn a_training_writes_a_network_a_log_and_a_chart() {
    let dir = TestDir::new();
    let output = dir.train("out", &["--name", "first"]);
    assert_succeeds(&output);
    let printed = text(&output.stdout);
    assert!(printed.contains("epoch   3: loss 0."), "{printed}");
    assert!(printed.contains("first.nnue: loss in validation 0."), "{printed}");

    let network = Network::from_bytes(&dir.read("out/first.nnue")).expect("a network");
    assert_eq!(network.name(), "first");
    assert!(evaluate_full(&network, &Board::start(Variant::Spartan)).abs() < 1000);
    let log = text(&dir.read("out/log.csv"));
    assert_eq!(log.lines().count(), 4, "{log}");
    assert!(text(&dir.read("out/loss.svg")).starts_with("<svg"));
    let files = fs::read_dir(dir.path("out")).expect("a directory").count();
    assert_eq!(files, 4, "no temporary file is left");
}

#[test]
fn threads_and_interruptions_do_not_change_the_network() {
    let dir = TestDir::new();
    assert_succeeds(&dir.train("whole", &["--threads", "2"]));
    assert_succeeds(&dir.train("parts", &["--threads", "1", "--stop-at", "4"]));
    assert_ne!(dir.read("parts/agoge.nnue"), dir.read("whole/agoge.nnue"));
    for stop in ["5", "1000000"] {
        assert_succeeds(&dir.train("parts", &["--threads", "1", "--resume", "--stop-at", stop]));
    }
    for file in ["agoge.nnue", "log.csv", "loss.svg", "checkpoint"] {
        assert!(dir.read(&format!("parts/{file}")) == dir.read(&format!("whole/{file}")), "{file}");
    }
    // The training is complete.
    assert_succeeds(&dir.train("parts", &["--resume"]));
    assert_succeeds(&dir.train("other", &["--seed", "2"]));
    assert_ne!(dir.read("other/agoge.nnue"), dir.read("whole/agoge.nnue"));
}

#[test]
fn a_training_starts_from_a_network() {
    let dir = TestDir::new();
    let network = agoge_core::nnue::embedded().expect("a network");
    let file = dir.path("initial.nnue");
    fs::write(&file, network.to_bytes()).expect("a file");
    let init = ["--init", file.to_str().expect("a path")];
    // With such a rate no weight changes by half a unit.
    let still = [&init[..], &["--rate", "1e-9", "--final-rate", "1e-9", "--decay", "0"]].concat();
    assert_succeeds(&dir.train("still", &still));
    let trained = Network::from_bytes(&dir.read("still/agoge.nnue")).expect("a network");
    assert!(trained.feature_weights() == network.feature_weights());
    assert!(trained.output_weights() == network.output_weights());
    assert_succeeds(&dir.train("out", &[&init[..], &["--stop-at", "4"]].concat()));
    assert_fails(&dir.train("out", &["--resume"]), 2, "the checkpoint has init ");
    assert_succeeds(&dir.train("out", &[&init[..], &["--resume"]].concat()));
    let output = dir.train("none", &["--init", "missing"]);
    assert_fails(&output, 2, "missing: ");
    assert_eq!(text(&output.stdout), "", "found before the positions are read");
}

#[test]
fn values_are_compared_with_a_reference_and_rescaled() {
    let dir = TestDir::new();
    let ratio = |printed: &str, before: &str| -> f64 {
        let number = printed.split(before).nth(1).and_then(|rest| rest.split_ascii_whitespace().next());
        number.unwrap_or_else(|| panic!("{before}: {printed}")).parse().expect("a number")
    };
    let printed = text(&dir.train("out", &["--scale", "173"]).stdout);
    assert!(printed.contains("those of agoge-"), "{printed}");
    let before = ratio(&printed, ": ratio ");
    assert!(
        !(0.9..1.1).contains(&before),
        "three epochs of random games do not make the values of the engine: {before}"
    );

    // A finished training can be rescaled, and its checkpoint stays as it is.
    let checkpoint = dir.read("out/checkpoint");
    let options = ["--scale", "173", "--resume", "--rescale"];
    let printed = text(&dir.train("out", &options).stdout);
    assert_eq!(ratio(&printed, ": ratio "), before);
    let after = printed.split("output weights multiplied by ").nth(1).expect("it was rescaled");
    assert!((ratio(after, ": ratio ") - 1.0).abs() < 0.02, "{printed}");
    assert!(dir.read("out/checkpoint") == checkpoint);

    // Compared with itself it is not changed.
    let rescaled = dir.path("rescaled.nnue");
    fs::copy(dir.path("out/agoge.nnue"), &rescaled).expect("a copy");
    let options = ["--reference", rescaled.to_str().expect("a path"), "--scale", "173", "--resume"];
    let printed = text(&dir.train("out", &options).stdout);
    assert!((ratio(&printed, ": ratio ") - before).abs() < 0.02 * before, "{printed}");
    assert_fails(&dir.train("other", &["--reference", "missing"]), 2, "missing: ");
}

#[test]
fn the_scale_and_the_choice_of_positions_change_a_training() {
    let dir = TestDir::new();
    let counts = |options: &[&str]| {
        let output = dir.train("out", &[options, &["--force", "--stop-at", "1"]].concat());
        assert_succeeds(&output);
        text(&output.stdout).lines().next().expect("a line").to_owned()
    };
    let tables = tempfile::tempdir().expect("a folder");
    let folder = tables.path().to_str().expect("a path");
    assert!(!counts(&[]).contains("too few men"));
    let network = dir.read("out/agoge.nnue");
    assert!(counts(&["--min-men", "31"]).contains(" with too few men"));
    assert!(counts(&["--max-clock", "2", "--tables", folder]).contains(" with a high halfmove clock"));
    counts(&["--scale", "173"]);
    assert_ne!(dir.read("out/agoge.nnue"), network);
    assert_fails(&dir.train("out", &["--resume"]), 2, "the checkpoint has scale 173.0, not 400.0");
    fs::write(tables.path().join("KQvk.agt"), "no table").expect("a file");
    assert_fails(&dir.train("new", &["--tables", folder]), 2, "KQvk.agt: ");
    assert!(!dir.path("new").exists());
}

#[test]
fn a_checkpoint_is_not_overwritten_or_resumed_with_other_settings() {
    let dir = TestDir::new();
    assert_fails(&dir.train("out", &["--resume"]), 2, "there is no training to resume");
    assert_succeeds(&dir.train("out", &["--stop-at", "1"]));
    let before = dir.read("out/checkpoint");
    assert_fails(&dir.train("out", &[]), 2, "checkpoint: the file exists; --resume continues it");
    assert_fails(&dir.train("out", &["--resume", "--decay", "0.5"]), 2, "the checkpoint has decay 0.1, not 0.5");
    assert_fails(&dir.train("out", &["--resume", "--max-score", "50"]), 2, "other positions");
    assert_eq!(dir.read("out/checkpoint"), before);
    fs::write(dir.path("out/checkpoint"), &before[..before.len() / 2]).expect("half a file");
    assert_fails(&dir.train("out", &["--resume"]), 2, "checkpoint: ");
}

#[test]
fn a_network_is_not_overwritten() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("out")).expect("a directory");
    for file in ["agoge.nnue", "log.csv", "loss.svg"] {
        fs::write(dir.path("out").join(file), "precious").expect("a file");
        assert_fails(&dir.train("out", &["--stop-at", "1"]), 2, "the file exists; --force overwrites it");
        assert_eq!(dir.read(&format!("out/{file}")), b"precious");
        assert!(!dir.path("out/checkpoint").exists());
        fs::remove_file(dir.path("out").join(file)).expect("a file");
    }
    assert_succeeds(&dir.train("out", &["--stop-at", "1"]));
    let before = dir.read("out/agoge.nnue");
    assert_succeeds(&dir.train("out", &["--stop-at", "2", "--force"]));
    assert_ne!(dir.read("out/agoge.nnue"), before);
}

#[test]
#[cfg(unix)]
fn links_beside_the_checkpoint_are_not_followed() {
    use std::os::unix::fs::symlink;
    let dir = TestDir::new();
    fs::create_dir(dir.path("out")).expect("a directory");
    fs::write(dir.path("precious"), "precious").expect("a file");
    for file in ["checkpoint.tmp", "agoge.nnue.tmp", "log.csv.tmp", "loss.svg.tmp"] {
        symlink(dir.path("precious"), dir.path("out").join(file)).expect("a link");
    }
    assert_succeeds(&dir.train("out", &[]));
    assert_eq!(dir.read("precious"), b"precious");
    assert!(!fs::symlink_metadata(dir.path("out/checkpoint")).expect("a checkpoint").is_symlink());
}

#[test]
fn the_defaults_are_those_of_the_configuration() {
    use agoge_bench::train::trainer::Config;
    let output = bench("train").arg("--help").output().expect("the trainer runs");
    let help = text(&output.stdout);
    let default = |option: &str| {
        let begin = help.find(&format!("--{option} <")).unwrap_or_else(|| panic!("no --{option}: {help}"));
        let value = help[begin..].split("[default: ").nth(1).and_then(|rest| rest.split(']').next());
        value.expect("a default").parse::<f64>().expect("a number")
    };
    let config = Config::default();
    for (option, value) in [
        ("epochs", config.epochs as f64),
        ("batch", config.batch as f64),
        ("rate", config.rate),
        ("final-rate", config.final_rate),
        ("warmup", config.warmup as f64),
        ("decay", config.decay),
        ("clip", config.clip),
        ("epsilon", config.epsilon),
        ("shared-rate", config.shared_rate),
        ("round-after", config.round_after),
        ("wdl", config.wdl),
        ("scale", config.scale),
        ("seed", config.seed as f64),
    ] {
        assert_eq!(default(option), value, "{option}");
    }
    assert_eq!(config.final_wdl, config.wdl);
}

#[test]
fn invalid_options_are_errors() {
    let dir = TestDir::new();
    for (options, message) in [
        (["--wdl", "1.5"], "wdl 1.5 is not between 0 and 1"),
        (["--scale", "0"], "scale 0 is not a positive number"),
        (["--rate", "0"], "rate 0 is not a positive number"),
        (["--epsilon", "0"], "epsilon 0 is not a positive number"),
        (["--shared-rate", "inf"], "shared rate inf is not a number from 0 on"),
        (["--round-after", "2"], "round after 2 is not between 0 and 1"),
        (["--validation", "1"], "validation"),
        (["--name", "a/b"], "name"),
        (["--name", ""], "name"),
        (["--max-score", "0"], "more than 0"),
        (["--skip-plies", "1000"], "there are no training positions"),
    ] {
        assert_fails(&dir.train("out", &options), 2, message);
        assert!(!dir.path("out").exists());
    }
    let missing = bench("train").args(["nowhere", "--out", "x"]).output().expect("the trainer runs");
    assert_fails(&missing, 2, "nowhere: ");
    assert!(!Path::new("x").exists());
    assert_fails(&dir.train("games/out", &[]), 4, "games");
}

#[test]
#[cfg(unix)]
fn an_interrupted_training_can_be_resumed() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let dir = TestDir::new();
    let many = ["--epochs", "1000000"];
    let child = dir.command("out", &many).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Running(child) = &mut Running(child.expect("the trainer runs"));
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("text").starts_with("epoch   1:")));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("a signal");
    let rest = lines.map(|line| line.expect("text")).collect::<Vec<_>>();
    assert_eq!(child.wait().expect("an end").code(), Some(130), "{rest:?}");
    Network::from_bytes(&dir.read("out/agoge.nnue")).expect("a network");
    assert_succeeds(&dir.command("out", &many).args(["--resume", "--stop-at", "0"]).output().expect("it runs"));
}

#[test]
fn packed_positions_are_those_that_train_learns_from() {
    let dir = TestDir::new();
    let pack = |options: &[&str]| {
        let mut command = bench("datagen");
        command.arg("pack").arg(dir.path("games")).arg("--out").arg(dir.path("packed"));
        command.args(["--validation", "0.2"]).args(options).output().expect("the packer runs")
    };
    assert_succeeds(&pack(&[]));
    let [training, validation] =
        ["training", "validation"].map(|name| dir.read(&format!("packed/{name}.positions")).len());
    assert!(training % 36 == 0 && validation % 36 == 0, "{training} {validation}");
    let printed = dir.train("out", &[]);
    let counts = format!("{} training positions, {} validation positions", training / 36, validation / 36);
    assert!(text(&printed.stdout).contains(&counts), "{counts}: {}", text(&printed.stdout));

    let before = dir.read("packed/training.positions");
    assert_fails(&pack(&[]), 2, "--force overwrites it");
    assert_fails(&pack(&["--force", "--max-score", "0"]), 2, "the maximum score must be more than 0");
    assert_eq!(dir.read("packed/training.positions"), before);
    assert_succeeds(&pack(&["--force", "--limit", "100"]));
    assert!(dir.read("packed/training.positions").len() < before.len());
}

#[test]
fn networks_are_averaged() {
    let dir = TestDir::new();
    for seed in ["1", "2"] {
        assert_succeeds(&dir.train(seed, &["--seed", seed]));
    }
    let [first, second] = ["1/agoge.nnue", "2/agoge.nnue"].map(|name| dir.path(name));
    let average = |networks: &[&Path], options: &[&str]| {
        let mut command = bench("average");
        command.args(networks).arg("--out").arg(dir.path("mean.nnue")).args(options).output().expect("it runs")
    };
    assert_succeeds(&average(&[&first, &second], &["--name", "mean"]));
    let [first_network, second_network, mean] =
        [&first, &second, &dir.path("mean.nnue")].map(|path| Network::read(path).expect("a network"));
    assert_eq!(mean.name(), "mean");
    let weights = |network: &Network| i32::from(network.feature_weights()[11].0[300]);
    let sum = weights(&first_network) + weights(&second_network);
    assert!(sum != 0 && (2 * weights(&mean) - sum).abs() <= 1, "{sum} {}", weights(&mean));

    let before = dir.read("mean.nnue");
    assert_fails(&average(&[&first, &second], &[]), 2, "--force overwrites it");
    assert_fails(&average(&[&first, &dir.path("games")], &["--force"]), 2, "not a network file");
    // The name is checked before the networks are read.
    assert_fails(
        &average(&[&first, &dir.path("games")], &["--force", "--name", ""]),
        2,
        "the name is not 1 to 64 bytes",
    );
    assert_eq!(dir.read("mean.nnue"), before);
    assert_succeeds(&average(&[&first, &first], &["--force"]));
    assert_eq!(dir.read("mean.nnue"), dir.read("1/agoge.nnue"));
}
