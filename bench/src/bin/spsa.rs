//! Tunes the numbers of the search by games, and screens ideas. The parts are in
//! [`agoge_bench::spsa`]; what the numbers mean, in `agoge::search::params`.

use agoge::board::Variant;
use agoge::search::params::TABLE;
use agoge_bench::cli;
use agoge_bench::files;
use agoge_bench::rng::Rng;
use agoge_bench::spsa::{Factor, Observation, Spsa, Tunable, effects};
use agoge_bench::tournament::config::{EngineConfig, Limits, TimeControl};
use agoge_bench::tournament::game::{Adjudication, DrawRule, ResignRule, play};
use agoge_bench::tournament::openings::{self, Opening};
use agoge_bench::tournament::uci::{Engine, Failure, Terms};
use agoge_bench::{errln, outln};
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Tunes the numbers of the search by games between settings of one program. The program must be built
/// with `--features tune`.
#[derive(Parser)]
#[command(name = "spsa", version)]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Prints all numbers as `tune` wants them: name, value, step, least and greatest value
    List,
    /// Moves numbers along the gradient that games show
    Tune {
        /// The numbers to tune, a line each: name, value, step, least and greatest value
        #[arg(long)]
        numbers: PathBuf,
        /// How far a won pair moves a number at the end of the tuning, in steps
        #[arg(long, default_value_t = 0.02)]
        rate: f64,
        /// Goes on from the output of a tuning that was broken off
        #[arg(long)]
        resume: bool,
        #[command(flatten)]
        games: Games,
    },
    /// Says what each of many changes is worth, all tried at the same time
    Screen {
        /// The changes, a line each: name, value, other value
        #[arg(long)]
        factors: PathBuf,
        #[command(flatten)]
        games: Games,
    },
}

#[derive(Args, Clone)]
struct Games {
    /// The program
    #[arg(long)]
    engine: PathBuf,
    /// Pairs of games to play
    #[arg(long, default_value_t = 1000)]
    pairs: usize,
    /// Nodes for each move
    #[arg(long, default_value_t = 10_000)]
    nodes: u64,
    /// A clock in place of the nodes, for instance 2+0.02
    #[arg(long, value_parser = TimeControl::parse)]
    tc: Option<TimeControl>,
    /// A file of openings
    #[arg(long)]
    openings: PathBuf,
    /// Pairs at the same time
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// The seed of openings and signs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The new file that says how things stand, rewritten as games end
    #[arg(long)]
    out: PathBuf,
    /// Overwrite the file of --out
    #[arg(long)]
    force: bool,
}

/// How many pairs end between two versions of the output.
const WRITE_INTERVAL: usize = 20;

/// So many faults of an engine end the run: something is wrong with it.
const MAX_FAULTS: usize = 20;

/// Games whose end both sides agree on need not be played out.
const ADJUDICATION: Adjudication = Adjudication {
    draw: Some(DrawRule { score: 6, count: 5, from: 30 }),
    resign: Some(ResignRule { score: 1200, count: 3 }),
    max_moves: Some(200),
};

/// What is played for: whose settings a pair tries, and what its result teaches.
trait Experiment: Send {
    /// What is remembered of a pair until it is over.
    type Trial;

    /// The numbers that are set.
    fn names(&self) -> Vec<String>;
    /// A new pair, and the values of both players.
    fn draw(&mut self, rng: &mut Rng) -> (Self::Trial, [Vec<i64>; 2]);
    /// The result of a pair, from -1 to 1 for the first player.
    fn learn(&mut self, trial: Self::Trial, balance: f64);
    /// How things stand.
    fn report(&self) -> String;
}

struct Tuning {
    spsa: Spsa,
    /// Where the numbers were at first.
    before: Vec<f64>,
}

impl Experiment for Tuning {
    type Trial = agoge_bench::spsa::Perturbation;

    fn names(&self) -> Vec<String> {
        self.spsa.tunables.iter().map(|tunable| tunable.name.clone()).collect()
    }

    fn draw(&mut self, rng: &mut Rng) -> (Self::Trial, [Vec<i64>; 2]) {
        let trial = self.spsa.next(rng);
        let values = [true, false].map(|first| self.spsa.values(&trial, first, rng));
        (trial, values)
    }

    fn learn(&mut self, trial: Self::Trial, balance: f64) {
        self.spsa.learn(&trial, balance);
    }

    fn report(&self) -> String {
        let mut text = format!("{PROGRESS} {}\n", self.spsa.begun);
        for (tunable, before) in self.spsa.tunables.iter().zip(&self.before) {
            let moved = (tunable.value - before) / tunable.step;
            let _ = writeln!(text, "{tunable} # moved by {moved:+.2} steps");
        }
        text
    }
}

/// How the number of pairs begun stands in the output of a tuning.
const PROGRESS: &str = "# pairs:";

struct Screening {
    factors: Vec<Factor>,
    observations: Vec<Observation>,
}

impl Experiment for Screening {
    type Trial = Observation;

    fn names(&self) -> Vec<String> {
        self.factors.iter().map(|factor| factor.name.clone()).collect()
    }

    fn draw(&mut self, rng: &mut Rng) -> (Self::Trial, [Vec<i64>; 2]) {
        let trial = Observation::draw(self.factors.len(), rng);
        let values = [true, false].map(|first| trial.values(&self.factors, first));
        (trial, values)
    }

    fn learn(&mut self, trial: Self::Trial, balance: f64) {
        self.observations.push(Observation { balance, ..trial });
    }

    fn report(&self) -> String {
        let Some((effects, error)) = effects(&self.observations, self.factors.len()) else {
            return format!("{PROGRESS} {}\n", self.observations.len());
        };
        let mut rows: Vec<(f64, &Factor)> = effects.into_iter().zip(&self.factors).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut text = format!("{PROGRESS} {}, error +-{error:.1} Elo (95 %)\n", self.observations.len());
        for (elo, Factor { name, low, high }) in rows {
            let _ = writeln!(text, "{name:>24} {low:>7} -> {high:<7} {elo:+7.1}");
        }
        text
    }
}

fn main() -> ExitCode {
    cli::answer(run(cli::parse()).map(|()| true))
}

fn run(arguments: Arguments) -> Result<(), String> {
    match arguments.action {
        Action::List => {
            for param in TABLE {
                let (value, min, max) = (param.default.into(), param.min.into(), param.max.into());
                let step = (f64::from(param.max - param.min) / 20.0).max(0.5);
                outln!("{}", Tunable { name: param.name.to_owned(), value, step, min, max });
            }
            Ok(())
        }
        Action::Tune { numbers, rate, resume, games } => {
            let before = read_lines(&numbers, Tunable::parse)?;
            let mut spsa = Spsa { tunables: before.clone(), planned: games.pairs, begun: 0, rate };
            if resume {
                spsa.tunables = read_lines(&games.out, Tunable::parse)?;
                spsa.begun = pairs_begun(&games.out)?;
            } else {
                files::check_new(&games.out, games.force, files::RESUME_HINT)?;
            }
            let before = before.iter().map(|tunable| tunable.value).collect();
            let begun = spsa.begun;
            conduct(&games, begun, Tuning { spsa, before })
        }
        Action::Screen { factors, games } => {
            let factors = read_lines(&factors, Factor::parse)?;
            files::check_new(&games.out, games.force, files::FORCE_HINT)?;
            conduct(&games, 0, Screening { factors, observations: Vec::new() })
        }
    }
}

/// Reads the lines of a file, but for empty ones and comments.
fn read_lines<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.split('#').next().unwrap_or("").trim().is_empty());
    let items: Result<Vec<T>, String> = lines
        .map(|(index, line)| parse(line).map_err(|error| format!("{name}, line {}: {error}", index + 1)))
        .collect();
    items.and_then(|items| if items.is_empty() { Err(format!("{name}: nothing in it")) } else { Ok(items) })
}

/// How far a tuning had come.
fn pairs_begun(path: &Path) -> Result<usize, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let count = text.lines().find_map(|line| line.strip_prefix(PROGRESS)?.trim().parse().ok());
    count.ok_or_else(|| format!("{name}: it does not say how many pairs were played"))
}

/// Plays the pairs of an experiment and keeps its report up to date.
fn conduct<E: Experiment>(games: &Games, begun: usize, experiment: E) -> Result<(), String> {
    let openings = openings::read(&games.openings, Variant::Spartan, None)?;
    let names = experiment.names();
    if let Some(name) = names.iter().find(|name| !TABLE.iter().any(|param| param.name == **name)) {
        return Err(format!("the search has no number '{name}'"));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let interrupted = Arc::clone(&stop);
    ctrlc::set_handler(move || interrupted.store(true, Ordering::Relaxed)).map_err(|error| error.to_string())?;
    let style = ProgressStyle::with_template("{pos}/{len} pairs {bar:30} {eta}").map_err(|error| error.to_string())?;
    let progress = ProgressBar::new(games.pairs as u64).with_style(style).with_position(begun as u64);
    let next = AtomicUsize::new(begun);
    let state = Mutex::new((experiment, 0));
    let worker = |index: usize| -> Result<(), String> {
        let mut rng = Rng::new(games.seed.wrapping_add((begun * 64 + index) as u64));
        let mut table = Table::new(games, &names);
        while !stop.load(Ordering::Relaxed) && next.fetch_add(1, Ordering::Relaxed) < games.pairs {
            let opening = &openings[rng.below(openings.len())];
            let (trial, values) = locked(&state).0.draw(&mut rng);
            let balance = table.play_pair(opening, &values, &stop);
            let mut guard = locked(&state);
            let (experiment, pairs) = &mut *guard;
            match balance? {
                None => continue,
                Some(balance) => experiment.learn(trial, balance),
            }
            *pairs += 1;
            progress.inc(1);
            if *pairs % WRITE_INTERVAL == 0 {
                write(&games.out, &experiment.report())?;
            }
        }
        Ok(())
    };
    let results: Vec<Result<(), String>> = thread::scope(|scope| {
        let worker = &worker;
        let stop = &stop;
        let threads: Vec<_> = (0..games.concurrency.max(1))
            .map(|index| scope.spawn(move || worker(index).inspect_err(|_| stop.store(true, Ordering::Relaxed))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))).collect()
    });
    progress.finish();
    let report = locked(&state).0.report();
    write(&games.out, &report)?;
    outln!("{}", report.trim_end());
    // The file has it, too.
    cli::tell_lost_output();
    results.into_iter().collect()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    files::replace(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}

/// Two engines that play each other.
struct Table<'a> {
    config: EngineConfig,
    names: &'a [String],
    terms: Terms,
    engines: Option<[Engine; 2]>,
    faults: usize,
}

impl<'a> Table<'a> {
    fn new(games: &Games, names: &'a [String]) -> Self {
        let limits = match games.tc {
            Some(clock) => Limits { clock: Some(clock), ..Limits::default() },
            None => Limits { nodes: Some(games.nodes), ..Limits::default() },
        };
        let config = EngineConfig {
            name: "engine".into(),
            command: games.engine.clone(),
            arguments: Vec::new(),
            directory: None,
            options: Vec::new(),
            limits,
            margin: Duration::from_millis(20),
        };
        let terms = Terms { variant: Variant::Spartan, patience: Duration::from_secs(60), log: None };
        Self { config, names, terms, engines: None, faults: 0 }
    }

    /// Plays an opening twice with colours reversed. Nothing if the run was stopped, or if an engine
    /// failed: such a pair says nothing of its numbers.
    fn play_pair(
        &mut self,
        opening: &Opening,
        values: &[Vec<i64>; 2],
        stop: &AtomicBool,
    ) -> Result<Option<f64>, String> {
        let mut engines = match self.engines.take() {
            Some(engines) => engines,
            None => {
                let start = || Engine::start(&self.config, &self.terms, stop);
                match (start(), start()) {
                    (Ok(first), Ok(second)) => {
                        // Else the games would tell nothing, and nobody would notice.
                        let lacks = |name: &&String| !first.has_option(&format!("Tune {name}"));
                        if let Some(name) = self.names.iter().find(lacks) {
                            let engine = self.config.command.display();
                            return Err(format!("{engine} has no option 'Tune {name}': build it with --features tune"));
                        }
                        [first, second]
                    }
                    (Err(Failure::Stopped), _) | (_, Err(Failure::Stopped)) => return Ok(None),
                    (Err(failure), _) | (_, Err(failure)) => return Err(failure.to_string()),
                }
            }
        };
        for (engine, values) in engines.iter_mut().zip(values) {
            for (name, value) in self.names.iter().zip(values) {
                let set = engine.set_option(&format!("Tune {name}"), &value.to_string());
                set.map_err(|failure| failure.to_string())?;
            }
        }
        let mut balance = -1.0;
        for first_is_white in [true, false] {
            let [first, second] = &mut engines;
            let mut players = if first_is_white { [first, second] } else { [second, first] };
            let record = play(opening, &mut players, [&self.config; 2], &ADJUDICATION, stop);
            let Some(record) = record else { return Ok(None) };
            if let Some((_, fault)) = record.end.fault() {
                self.faults += 1;
                errln!("{fault}: {}", record.end);
                return if self.faults < MAX_FAULTS { Ok(None) } else { Err("too many faults".into()) };
            }
            let white = f64::from(record.end.half_points()) / 2.0;
            balance += if first_is_white { white } else { 1.0 - white };
        }
        self.engines = Some(engines);
        Ok(Some(balance))
    }
}
