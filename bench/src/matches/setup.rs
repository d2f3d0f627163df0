//! The set-up of a match: checks the arguments and reads the openings before anything is played.

use super::arguments::{Arguments, Order};
use super::config::{EngineConfig, EngineWords, parse_numbers};
use super::engine::MatchConfig;
use super::game::{Adjudication, DrawRule, ResignRule, TableRule};
use super::openings::{self, Opening};
use super::processors;
use super::schedule::{Fixture, schedule};
use super::sprt::Sprt;
use crate::rng::Rng;
use crate::terminal::{self, Error, usage};
use crate::{errln, files};
use agoge_core::tables::Tables;
use clap::ArgMatches;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The engines, from the words of each `--engine`, which only `matches` keeps separate.
pub(super) fn engines(arguments: &Arguments, matches: Option<&ArgMatches>) -> Result<Vec<EngineConfig>, Error> {
    let each = EngineWords::parse(&arguments.each).map_err(|error| usage(format!("--each: {error}")))?;
    let groups = matches.and_then(|matches| matches.get_occurrences::<String>("engine")).into_iter().flatten();
    let engines = groups.map(|words| {
        let words: Vec<&String> = words.collect();
        EngineWords::parse(&words).and_then(|words| words.engine(&each))
    });
    engines.collect::<Result<_, _>>().map_err(|error| usage(format!("--engine: {error}")))
}

/// Checks a count: a positive integer.
fn count(value: Option<f64>, default: u32, name: &str) -> Result<u32, Error> {
    let value = value.unwrap_or(f64::from(default));
    if value.fract() == 0.0 && (1.0..=1e9).contains(&value) {
        Ok(value as u32)
    } else {
        Err(usage(format!("{name}: {value} is not a positive integer")))
    }
}

/// The validated arguments and input files.
pub(super) struct MatchSetup {
    pub(super) engines: Vec<EngineConfig>,
    pub(super) openings: Vec<Opening>,
    pub(super) schedule: Vec<Fixture>,
    pub(super) sprt: Option<Sprt>,
    pub(super) adjudication: Adjudication,
    pub(super) match_config: MatchConfig,
    pub(super) processors: Vec<usize>,
}

impl MatchSetup {
    /// Checks the arguments and reads the openings.
    pub(super) fn new(arguments: &Arguments, engines: Vec<EngineConfig>) -> Result<Self, Error> {
        if engines.len() < 2 {
            return Err(usage("a match needs at least two engines"));
        }
        for (index, engine) in engines.iter().enumerate() {
            if engines[..index].iter().any(|other| other.name == engine.name) {
                return Err(usage(format!("two engines are named '{}': distinguish them by name=", engine.name)));
            }
        }
        if arguments.games == 0 || arguments.games % 2 == 1 {
            return Err(usage(format!(
                "--games {}: the number must be even and positive, because each opening is played twice",
                arguments.games
            )));
        }
        if arguments.concurrency == 0 {
            return Err(usage("--concurrency must be at least 1"));
        }
        let stall = Duration::try_from_secs_f64(arguments.stall).ok().filter(|time| !time.is_zero());
        let stall_timeout = stall.ok_or_else(|| usage(format!("--stall {}: not a valid time", arguments.stall)))?;
        // Adding it to an `Instant` must not overflow.
        let stall_timeout = stall_timeout.min(Duration::from_secs(1_000_000));
        let rounds = arguments.games / 2;
        check_paths(arguments)?;
        // The files may exist from an earlier run.
        let force = arguments.force || arguments.resume;
        if let Some(path) = &arguments.json {
            terminal::check_output(path, force).map_err(usage)?;
        }
        if let Some(path) = &arguments.log {
            files::check_new(path, force, files::FORCE_HINT).map_err(usage)?;
        }
        Ok(Self {
            openings: read_openings(arguments, rounds)?,
            schedule: schedule(arguments.format, engines.len(), rounds),
            sprt: read_sprt(arguments, engines.len())?,
            adjudication: read_adjudication(arguments)?,
            match_config: MatchConfig { stall_timeout, ..MatchConfig::new(arguments.variant) },
            processors: match &arguments.affinity {
                None => Vec::new(),
                Some(list) => processors::choose(list.as_deref(), arguments.concurrency)
                    .map_err(|error| usage(format!("--affinity: {error}")))?,
            },
            engines,
        })
    }
}

/// Checks that no two options name the same file, because one would overwrite the other.
fn check_paths(arguments: &Arguments) -> Result<(), Error> {
    let options = [
        ("--openings", &arguments.openings),
        ("--pgn", &arguments.pgn),
        ("--json", &arguments.json),
        ("--log", &arguments.log),
    ];
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in options.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
        // Options may share devices and stdout.
        if terminal::is_stdout(path) || files::is_special(path) {
            continue;
        }
        let full = path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.clone());
        if let Some((other, _)) = seen.iter().find(|(_, seen)| *seen == full) {
            return Err(usage(format!("{}: used by both {other} and {option}", path.display())));
        }
        seen.push((option, full));
    }
    Ok(())
}

fn read_openings(arguments: &Arguments, rounds: usize) -> Result<Vec<Opening>, Error> {
    let Some(skipped) = arguments.first_opening.checked_sub(1) else {
        return Err(usage("--first-opening must be at least 1"));
    };
    let Some(path) = &arguments.openings else {
        if arguments.random_plies > 40 {
            return Err(usage(format!("--random-plies {}: the maximum is 40", arguments.random_plies)));
        }
        let mut list = openings::random(arguments.variant, arguments.random_plies, arguments.seed, skipped + rounds);
        return Ok(list.split_off(skipped));
    };
    let mut list = openings::read(path, arguments.variant, arguments.opening_plies).map_err(usage)?;
    if arguments.order == Order::Random {
        Rng::new(arguments.seed).shuffle(&mut list);
    }
    let available = list.len();
    if skipped >= available {
        return Err(usage(format!("--first-opening {}: there are only {available}", arguments.first_opening)));
    }
    if available - skipped < rounds && !arguments.quiet {
        errln!("{}: {} openings for {rounds} rounds; openings will repeat", path.display(), available - skipped);
    }
    Ok((0..rounds).map(|round| list[(skipped + round) % available].clone()).collect())
}

fn read_sprt(arguments: &Arguments, engines: usize) -> Result<Option<Sprt>, Error> {
    if arguments.sprt.is_empty() {
        return Ok(None);
    }
    if engines != 2 {
        return Err(usage("--sprt requires exactly two engines"));
    }
    let numbers = parse_numbers(&arguments.sprt, ["elo0", "elo1", "alpha", "beta"]);
    let [elo0, elo1, alpha, beta] = numbers.map_err(|error| usage(format!("--sprt: {error}")))?;
    let (Some(elo0), Some(elo1)) = (elo0, elo1) else { return Err(usage("--sprt needs elo0= and elo1=")) };
    let test = Sprt::new(elo0, elo1, alpha.unwrap_or(0.05), beta.unwrap_or(0.05), arguments.sprt_scale);
    test.map(Some).map_err(|error| usage(format!("--sprt: {error}")))
}

fn read_adjudication(arguments: &Arguments) -> Result<Adjudication, Error> {
    let mut adjudication = Adjudication { max_moves: arguments.max_moves, ..Adjudication::default() };
    if arguments.max_moves == Some(0) {
        return Err(usage("--max-moves must be at least 1"));
    }
    if let Some(words) = &arguments.draw {
        let numbers = parse_numbers(words, ["score", "count", "from"]);
        let [score, number, from] = numbers.map_err(|error| usage(format!("--draw: {error}")))?;
        adjudication.draw = Some(DrawRule {
            score: count(score, 10, "--draw score")?.cast_signed(),
            count: count(number, 8, "--draw count")?,
            from: count(from, 40, "--draw from")?,
        });
    }
    if let Some(words) = &arguments.resign {
        let numbers = parse_numbers(words, ["score", "count"]);
        let [score, number] = numbers.map_err(|error| usage(format!("--resign: {error}")))?;
        adjudication.resign = Some(ResignRule {
            score: count(score, 1000, "--resign score")?.cast_signed(),
            count: count(number, 4, "--resign count")?,
            two_sided: true,
        });
    }
    if let Some(path) = &arguments.tables {
        let tables = Tables::open_all(path).map_err(|problem| usage(format!("--tables: {problem}")))?;
        adjudication.tables = Some(TableRule::new(Arc::new(tables)));
    }
    Ok(adjudication)
}
