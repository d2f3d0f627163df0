//! Tunes search parameters by games and screens ideas. The algorithms are in [`crate::tune::spsa`]; the parameters are
//! defined in `agoge_core::search::params`.

use crate::analysis::{lock, on_threads};
use crate::files;
use crate::matches::config::{EngineConfig, Limits, TimeControl};
use crate::matches::engine::{self, Engine, Failure, MatchConfig};
use crate::matches::game::{Adjudication, DrawRule, ResignRule, play};
use crate::matches::openings::{self, Opening};
use crate::progress::Progress;
use crate::rng::Rng;
use crate::terminal::{CommandResult, Interrupt, Status, failed, usage};
use crate::tune::spsa::{Factor, Observation, Spsa, Tunable, effects};
use crate::{errln, outln};
use agoge_core::board::Variant;
use agoge_core::search::params::{OPTION_PREFIX, TABLE};
use clap::{Args, Subcommand};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[derive(Subcommand)]
pub enum Action {
    /// Print all parameters in the format of `tune`: name, value, step, minimum, maximum
    List,
    /// Tune parameters by SPSA
    Tune {
        /// The parameters to tune, one per line: name, value, step, minimum, maximum
        #[arg(long)]
        numbers: PathBuf,
        /// How far a won pair moves a parameter at the end of the tuning, in steps
        #[arg(long, default_value_t = 0.02)]
        rate: f64,
        /// Resume from the output of an interrupted tuning
        #[arg(long)]
        resume: bool,
        /// The games
        #[command(flatten)]
        games: Games,
    },
    /// Estimate the effects of many changes in one experiment
    Screen {
        /// The changes, one per line: name, value, other value
        #[arg(long)]
        factors: PathBuf,
        /// The games
        #[command(flatten)]
        games: Games,
    },
}

/// The games of an experiment.
#[derive(Args, Clone)]
pub struct Games {
    /// The engine
    #[arg(long)]
    engine: PathBuf,
    /// The number of pairs of games
    #[arg(long, default_value_t = 1000)]
    pairs: usize,
    /// Nodes per move
    #[arg(long, default_value_t = 10_000)]
    nodes: u64,
    /// A time control instead of --nodes, for example 2+0.02
    #[arg(long, value_parser = TimeControl::parse)]
    tc: Option<TimeControl>,
    /// A file of openings
    #[arg(long)]
    openings: PathBuf,
    /// Concurrent pairs
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// The seed of the openings and perturbations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The new report file, updated during the run
    #[arg(long)]
    out: PathBuf,
    /// Overwrite the file of --out
    #[arg(long)]
    force: bool,
}

/// The number of pairs between updates of the report.
const WRITE_INTERVAL: usize = 20;

const MAX_FAULTS: usize = 20;

const ADJUDICATION: Adjudication = Adjudication {
    draw: Some(DrawRule { score: 6, count: 5, from: 30 }),
    resign: Some(ResignRule { score: 1200, count: 3, two_sided: true }),
    max_moves: Some(200),
    tables: None,
};

/// An experiment: chooses the values for each pair of games and learns from the results.
trait Experiment: Send {
    type Trial;

    /// The names of the parameters, each with its two extreme values in the experiment.
    fn ranges(&self) -> Vec<(String, [i64; 2])>;
    /// Starts a pair and returns the values of both players.
    fn next_trial(&mut self, rng: &mut Rng) -> (Self::Trial, [Vec<i64>; 2]);
    /// The result of a pair, from -1 to 1 for the first player.
    fn learn(&mut self, trial: Self::Trial, balance: f64);
    fn report(&self) -> String;
}

struct Tuning {
    spsa: Spsa,
    initial: Vec<f64>,
}

impl Experiment for Tuning {
    type Trial = crate::tune::spsa::Perturbation;

    fn ranges(&self) -> Vec<(String, [i64; 2])> {
        let range = |tunable: &Tunable| (tunable.name.clone(), [tunable.min, tunable.max].map(|value| value as i64));
        self.spsa.tunables.iter().map(range).collect()
    }

    fn next_trial(&mut self, rng: &mut Rng) -> (Self::Trial, [Vec<i64>; 2]) {
        let trial = self.spsa.next(rng);
        let values = [true, false].map(|first| self.spsa.values(&trial, first, rng));
        (trial, values)
    }

    fn learn(&mut self, trial: Self::Trial, balance: f64) {
        self.spsa.learn(&trial, balance);
    }

    fn report(&self) -> String {
        let mut text = format!("{PROGRESS} {}\n", self.spsa.learnt);
        for (tunable, initial) in self.spsa.tunables.iter().zip(&self.initial) {
            let moved = (tunable.value - initial) / tunable.step;
            let _ = writeln!(text, "{tunable} # moved by {moved:+.2} steps");
        }
        text
    }
}

/// The prefix of the line with the number of pairs in a report.
const PROGRESS: &str = "# pairs:";

struct Screening {
    factors: Vec<Factor>,
    observations: Vec<Observation>,
}

impl Experiment for Screening {
    type Trial = Observation;

    fn ranges(&self) -> Vec<(String, [i64; 2])> {
        self.factors.iter().map(|factor| (factor.name.clone(), [factor.low, factor.high])).collect()
    }

    fn next_trial(&mut self, rng: &mut Rng) -> (Self::Trial, [Vec<i64>; 2]) {
        let trial = Observation::random(self.factors.len(), rng);
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

pub fn run(action: Action) -> CommandResult {
    match action {
        Action::List => {
            for param in TABLE {
                let (value, min, max) = (param.default.into(), param.min.into(), param.max.into());
                outln!("{}", Tunable { name: param.name.to_owned(), value, step: param.step(), min, max });
            }
            Ok(Status::Success.after_printing())
        }
        Action::Tune { numbers, rate, resume, games } => {
            let tunables = read_lines(&numbers, Tunable::parse)?;
            let initial = tunables.iter().map(|tunable| tunable.value).collect();
            let mut spsa = Spsa { tunables, planned: games.pairs, learnt: 0, rate };
            if resume {
                let found = read_lines(&games.out, Tunable::parse)?;
                if !found.iter().map(|tunable| &tunable.name).eq(spsa.tunables.iter().map(|tunable| &tunable.name)) {
                    let (out, numbers) = (games.out.display(), numbers.display());
                    return Err(usage(format!("{out} does not have the parameters of {numbers} in their order")));
                }
                spsa.tunables = found;
                spsa.learnt = pairs_learnt(&games.out)?;
            } else {
                files::check_new(&games.out, games.force, files::RESUME_HINT)?;
            }
            let learnt = spsa.learnt;
            run_experiment(&games, learnt, Tuning { spsa, initial })
        }
        Action::Screen { factors, games } => {
            let factors = read_lines(&factors, Factor::parse)?;
            files::check_new(&games.out, games.force, files::FORCE_HINT)?;
            run_experiment(&games, 0, Screening { factors, observations: Vec::new() })
        }
    }
}

/// Parses the lines of a file, except empty lines and comments.
fn read_lines<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.split('#').next().unwrap_or("").trim().is_empty());
    let items: Result<Vec<T>, String> = lines
        .map(|(index, line)| parse(line).map_err(|error| format!("{name}, line {}: {error}", index + 1)))
        .collect();
    items.and_then(|items| if items.is_empty() { Err(format!("{name}: the file is empty")) } else { Ok(items) })
}

fn pairs_learnt(path: &Path) -> Result<usize, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let count = text.lines().find_map(|line| line.strip_prefix(PROGRESS)?.trim().parse().ok());
    count.ok_or_else(|| format!("{name}: the number of pairs is missing"))
}

fn run_experiment<E: Experiment>(games: &Games, learnt: usize, experiment: E) -> CommandResult {
    let openings = openings::read(&games.openings, Variant::Spartan, None)?;
    let ranges = experiment.ranges();
    for (name, values) in &ranges {
        let Some(param) = TABLE.iter().find(|param| param.name == *name) else {
            return Err(usage(format!("unknown search parameter '{name}'")));
        };
        // The engine would keep the value before.
        let allowed = i64::from(param.min)..=i64::from(param.max);
        if let Some(value) = values.iter().find(|value| !allowed.contains(value)) {
            return Err(usage(format!("{name}: {value} is not between {} and {}", param.min, param.max)));
        }
    }
    let names: Vec<String> = ranges.into_iter().map(|(name, _)| name).collect();
    let Interrupt { stop, interrupted } = Interrupt::listen()?;
    let progress = Progress::new(games.pairs as u64, learnt as u64);
    progress.set_message("pairs");
    let next = AtomicUsize::new(learnt);
    let state = Mutex::new((experiment, 0));
    let worker = |index: usize| -> Result<(), String> {
        let mut rng = Rng::new(games.seed.wrapping_add((learnt * 64 + index) as u64));
        let mut engines = EnginePair::new(games, &names);
        while !stop.load(Ordering::Relaxed) && next.fetch_add(1, Ordering::Relaxed) < games.pairs {
            let opening = &openings[rng.below(openings.len())];
            let (trial, values) = lock(&state).0.next_trial(&mut rng);
            let balance = engines.play_pair(opening, &values, &stop);
            let mut guard = lock(&state);
            let (experiment, pairs) = &mut *guard;
            match balance? {
                // Another one takes its place.
                None => {
                    next.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                Some(balance) => experiment.learn(trial, balance),
            }
            *pairs += 1;
            progress.inc();
            if *pairs % WRITE_INTERVAL == 0 {
                write(&games.out, &experiment.report())?;
            }
        }
        Ok(())
    };
    let played = on_threads(games.concurrency.max(1), &stop, worker);
    progress.finish();
    let report = lock(&state).0.report();
    write(&games.out, &report).map_err(failed)?;
    outln!("{}", report.trim_end());
    played.map_err(failed)?;
    Ok(if interrupted.load(Ordering::Relaxed) { Status::Interrupted } else { Status::Success })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    files::replace(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}

struct EnginePair<'a> {
    config: EngineConfig,
    names: &'a [String],
    match_config: MatchConfig,
    engines: Option<[Box<dyn Engine>; 2]>,
    faults: usize,
}

impl<'a> EnginePair<'a> {
    fn new(games: &Games, names: &'a [String]) -> Self {
        let limits = match games.tc {
            Some(clock) => Limits { clock: Some(clock), ..Limits::default() },
            None => Limits { nodes: Some(games.nodes), ..Limits::default() },
        };
        let config = EngineConfig {
            limits,
            margin: Duration::from_millis(20),
            ..EngineConfig::new("engine", games.engine.clone())
        };
        let match_config = MatchConfig::new(Variant::Spartan);
        Self { config, names, match_config, engines: None, faults: 0 }
    }

    /// Plays an opening twice with colours reversed. `None` if the run was stopped or an engine made a fault: such a
    /// pair says nothing about the parameters.
    fn play_pair(
        &mut self,
        opening: &Opening,
        values: &[Vec<i64>; 2],
        stop: &AtomicBool,
    ) -> Result<Option<f64>, String> {
        let mut engines = match self.engines.take() {
            Some(engines) => engines,
            None => {
                let start = || engine::start(&self.config, &self.match_config, stop);
                match (start(), start()) {
                    (Ok(first), Ok(second)) => {
                        // Without the options the results would be meaningless.
                        let lacks =
                            |name: &&String| first.identity().option(&format!("{OPTION_PREFIX}{name}")).is_none();
                        if let Some(name) = self.names.iter().find(lacks) {
                            let engine = self.config.command.display();
                            return Err(format!(
                                "{engine} has no option '{OPTION_PREFIX}{name}': build it with --features tune"
                            ));
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
                let set = engine.set_option(&format!("{OPTION_PREFIX}{name}"), &value.to_string());
                set.map_err(|failure| failure.to_string())?;
            }
        }
        let mut balance = -1.0;
        for first_is_white in [true, false] {
            let [first, second] = &mut engines;
            let (white, black) = if first_is_white { (first, second) } else { (second, first) };
            let record = play(opening, white.as_mut(), black.as_mut(), [&self.config; 2], &ADJUDICATION, stop);
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
