//! The settings of a match from the arguments: checks them and reads the openings before anything is played.

use super::arguments::{Arguments, Order};
use super::config::{EngineConfig, parse_counts, parse_numbers};
use super::engine::MatchConfig;
use super::game::{Adjudication, DrawRule, ResignRule};
use super::openings::{self, Opening};
use super::pgn::Style;
use super::processors;
use super::schedule::schedule;
use super::settings::Match;
use super::sprt::{Scale, Sprt};
use crate::rng::Rng;
use crate::terminal;
use crate::{errln, files};
use agoge_core::tables::Tables;
use clap::ArgMatches;
use std::path::PathBuf;
use std::sync::Arc;

/// The match of the arguments. Only `matches`, of the same arguments, keeps the words of each `--engine` separate.
///
/// # Errors
/// Invalid arguments or files.
pub(super) fn settings(arguments: &Arguments, matches: Option<&ArgMatches>) -> Result<Match, String> {
    let groups = matches.and_then(|matches| matches.get_occurrences::<String>("engine")).into_iter().flatten();
    let engine = |words: Vec<String>| EngineConfig::parse(&arguments.each, &words);
    let engines = groups.map(|words| engine(words.cloned().collect())).collect::<Result<Vec<_>, _>>()?;
    if engines.len() < 2 {
        return Err("a match needs at least two engines".to_owned());
    }
    for (index, engine) in engines.iter().enumerate() {
        if engines[..index].iter().any(|other| other.name == engine.name) {
            return Err(format!("two engines are named '{}': distinguish them by name=", engine.name));
        }
    }
    check_paths(arguments)?;
    let rounds = arguments.games / 2;
    let sprt = match &arguments.sprt[..] {
        [] => None,
        words => Some(sprt(words, arguments.sprt_scale, engines.len()).map_err(|error| format!("--sprt: {error}"))?),
    };
    let processors = match &arguments.affinity {
        None => Vec::new(),
        Some(list) => processors::choose(list.as_deref(), arguments.concurrency)
            .map_err(|error| format!("--affinity: {error}"))?,
    };
    Ok(Match {
        match_config: MatchConfig { stall_timeout: arguments.stall, ..MatchConfig::new(arguments.variant) },
        schedule: schedule(arguments.format, engines.len(), rounds, 2),
        openings: read_openings(arguments, rounds)?,
        adjudication: adjudication(arguments)?,
        sprt,
        concurrency: arguments.concurrency,
        processors,
        style: Style { event: arguments.event.clone(), ..Style::default() },
        engines,
        is_paired: true,
    })
}

/// Checks that the files of results are new, unless they may be from an earlier run, and that no two options name the
/// same file, because one would overwrite the other.
fn check_paths(arguments: &Arguments) -> Result<(), String> {
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
            return Err(format!("{}: used by both {other} and {option}", path.display()));
        }
        seen.push((option, full));
    }
    let force = arguments.force || arguments.resume;
    if let Some(path) = &arguments.json {
        terminal::check_output(path, force)?;
    }
    arguments.log.as_ref().map_or(Ok(()), |path| files::check_new(path, force, files::FORCE_HINT))
}

fn read_openings(arguments: &Arguments, rounds: usize) -> Result<Vec<Opening>, String> {
    let skipped = arguments.first_opening - 1;
    let Some(path) = &arguments.openings else {
        let mut list = openings::random(arguments.variant, arguments.random_plies, arguments.seed, skipped + rounds);
        return Ok(list.split_off(skipped));
    };
    let mut list = openings::read(path, arguments.variant, arguments.opening_plies)?;
    if arguments.order == Order::Random {
        Rng::new(arguments.seed).shuffle(&mut list);
    }
    let available = list.len();
    if skipped >= available {
        return Err(format!("--first-opening {}: there are only {available}", arguments.first_opening));
    }
    if available - skipped < rounds && !arguments.quiet {
        errln!("{}: {} openings for {rounds} rounds; openings will repeat", path.display(), available - skipped);
    }
    list.rotate_left(skipped);
    Ok(list)
}

/// The test of the words `elo0=`, `elo1=`, `alpha=` and `beta=`.
///
/// # Errors
/// If the words are not those of a test, or the match has more than two engines.
pub(super) fn sprt(words: &[String], scale: Scale, engines: usize) -> Result<Sprt, String> {
    if engines != 2 {
        return Err("it requires exactly two engines".to_owned());
    }
    let [elo0, elo1, alpha, beta] = parse_numbers(words, ["elo0", "elo1", "alpha", "beta"])?;
    let (Some(elo0), Some(elo1)) = (elo0, elo1) else { return Err("it needs elo0= and elo1=".to_owned()) };
    Sprt::new(elo0, elo1, alpha.unwrap_or(0.05), beta.unwrap_or(0.05), scale)
}

fn adjudication(arguments: &Arguments) -> Result<Adjudication, String> {
    let draw = arguments.draw.as_ref().map(|words| {
        let counts = parse_counts(words, [("score", 10, 1), ("count", 8, 1), ("from", 40, 1)]);
        let [score, count, from] = counts.map_err(|error| format!("--draw: {error}"))?;
        Ok::<_, String>(DrawRule { score: score.cast_signed(), count, from })
    });
    let resign = arguments.resign.as_ref().map(|words| {
        let counts = parse_counts(words, [("score", 1000, 1), ("count", 4, 1)]);
        let [score, count] = counts.map_err(|error| format!("--resign: {error}"))?;
        Ok::<_, String>(ResignRule { score: score.cast_signed(), count, two_sided: true })
    });
    let tables = arguments.tables.as_ref().map(|path| Tables::open_all(path).map(Arc::new));
    Ok(Adjudication {
        draw: draw.transpose()?,
        resign: resign.transpose()?,
        max_moves: arguments.max_moves,
        tables: tables.transpose().map_err(|problem| format!("--tables: {problem}"))?,
    })
}
