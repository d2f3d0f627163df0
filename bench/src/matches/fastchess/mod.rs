//! The command line and the output of [fastchess](https://github.com/Disservin/fastchess), for tools that drive it,
//! such as OpenBench.
//!
//! - [`command_line`]: the options, as settings of a match.
//! - [`output`]: the lines on stdout.
//! - [`saved`]: the file of a match that can be continued.

mod command_line;
mod output;
mod saved;

use super::config::{EngineConfig, Protocol};
use super::engine::uci::{UciEngine, VARIANT_OPTION};
use super::engine::{Engine, Log, MatchConfig};
use super::game::{Fault, Record};
use super::games_file::GamesFile;
use super::openings::Opening;
use super::report::unasked_move;
use super::runner::Event;
use super::schedule::Fixture;
use super::standings::{GameResult, Standings};
use crate::terminal::{self, Interrupt};
use crate::{errln, files, outln};
use agoge_core::board::{Board, Variant};
use command_line::CommandLine;
use output::Output;
use saved::Saved;
use std::fs::OpenOptions;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// After how many games the file of `-config` is written, or after which time.
const SAVE_GAMES: usize = 20;
const SAVE_TIME: Duration = Duration::from_secs(1);

/// The words after `match` or after a program named `fastchess…` if the command line is that of fastchess: if the first
/// option has one hyphen and several letters.
pub fn is_called(words: &[String]) -> Option<&[String]> {
    let (program, rest) = words.split_first()?;
    if is_fastchess(program) {
        return Some(rest);
    }
    let (command, rest) = rest.split_first()?;
    let option = rest.first()?.strip_prefix('-')?;
    (command == "match" && !option.starts_with('-') && option.len() > 1).then_some(rest)
}

/// Whether a program is named `fastchess…`.
fn is_fastchess(program: &str) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name.to_string_lossy().starts_with("fastchess"))
}

/// Runs the command line. The exit status is that of fastchess: 0 if the match ended as it should, otherwise 1.
pub fn main(words: &[String]) -> ExitCode {
    let asks_for = |options: &[&str]| words.iter().any(|word| options.contains(&word.as_str()));
    if words.is_empty() || asks_for(&["-help", "--help"]) {
        terminal::print(format_args!("{}", command_line::HELP));
        return ExitCode::SUCCESS;
    }
    if asks_for(&["-version", "--version", "-v"]) {
        outln!("{}, with the command line of fastchess", crate::PROGRAM);
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    match CommandLine::parse(words).and_then(play) {
        Ok(is_complete) => {
            let seconds = begin.elapsed().as_secs();
            let [hours, minutes, seconds] = [seconds / 3600, seconds / 60 % 60, seconds % 60];
            outln!("Finished match");
            outln!("Total Time: {hours:02}:{minutes:02}:{seconds:02} (hours:minutes:seconds)");
            if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            errln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A match with what has been played of it.
struct Loaded {
    line: CommandLine,
    results: Vec<GameResult>,
    /// The length of the PGN file with these games, if it is known.
    pgn_length: Option<u64>,
}

/// The match of the file from which it is continued, if there is one, or else a new one.
fn load(line: CommandLine) -> Result<Loaded, String> {
    let Some(path) = &line.config.file else { return Ok(Loaded { line, results: Vec::new(), pgn_length: None }) };
    let load = || {
        let saved = Saved::read(path)?;
        let mut loaded = CommandLine::parse(&saved.arguments)?;
        if loaded.config.file.is_some() {
            return Err("not a saved match: it names another file".to_owned());
        }
        loaded.config.clone_from(&line.config);
        let results = saved.results(&loaded.settings.schedule)?;
        Ok(Loaded { line: loaded, results, pgn_length: saved.pgn_length })
    };
    let loaded = load().map_err(|error: String| format!("{}: {error}", path.display()))?;
    if !line.words.is_empty() {
        errln!("Warning: -config file={}: the other options are those of the file.", path.display());
    }
    Ok(loaded)
}

/// The variant that an engine plays if nothing is said about it: the default of its option, or orthodox chess.
fn default_variant(engine: &EngineConfig, stop: &AtomicBool) -> Result<Variant, String> {
    if engine.protocol == Protocol::XBoard {
        return Ok(Variant::Chess);
    }
    let started = UciEngine::identified(engine, &MatchConfig::new(Variant::Chess), stop)
        .map_err(|failure| format!("{} cannot be started: {failure}", engine.name))?;
    Ok(match started.identity().default_value(VARIANT_OPTION) {
        Some(name) if name.eq_ignore_ascii_case(Variant::Spartan.name()) => Variant::Spartan,
        _ => Variant::Chess,
    })
}

/// Completes the settings: the variant, the openings and the log.
fn prepare(line: &mut CommandLine, stop: &AtomicBool) -> Result<(), String> {
    let settings = &mut line.settings;
    let variant = match line.variant {
        Some(variant) => variant,
        None => default_variant(&settings.engines[0], stop)?,
    };
    settings.match_config.variant = variant;
    let time = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
    let seed = line.seed.unwrap_or(time);
    if line.seed.is_none() {
        // A match that is continued has the same order.
        line.words.extend(["-srand".to_owned(), seed.to_string()]);
    }
    settings.openings = match &line.book {
        Some(book) => book.read(variant, seed)?,
        None => {
            errln!("Warning: No opening book specified! All games start from the initial position.");
            vec![Opening::position(Board::start(variant))]
        }
    };
    if let Some(path) = &line.log {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        settings.match_config.log = Some(Arc::new(Log::new(path, file)));
    }
    Ok(())
}

/// Plays the match. Returns whether it came to its end: all games, or the verdict of the test.
fn play(line: CommandLine) -> Result<bool, String> {
    let Loaded { mut line, results: played, pgn_length } = load(line)?;
    let interrupt = Interrupt::listen()?;
    prepare(&mut line, &interrupt.stop)?;
    let (line, settings) = (&line, &line.settings);
    let file = line.pgn.as_deref().map(|path| GamesFile::append(path, pgn_length)).transpose()?;
    let mut saved = Saved::new(line.words.clone());
    played.iter().for_each(|game| saved.push(game));
    let mut last_saved = Instant::now();
    let book = line.book.as_ref().and_then(|book| book.path.file_name()).unwrap_or_default().display().to_string();
    let mut output = Output { settings, is_cutechess: line.is_cutechess, identities: Vec::new(), book };
    let outcome = settings.play(&played, file, &interrupt, |event, standings| {
        match event {
            Event::Ready(identities) => output.identities = identities,
            Event::UnaskedMove(engine) => errln!("Warning; {}", unasked_move(&settings.engines[engine].name)),
            Event::Started(fixture) => outln!("{}", output.started(&fixture)),
            Event::Finished(fixture, record) => {
                outln!("{}", output.finished(&fixture, &record));
                print_results(line, &output, &fixture, standings);
                saved.push(&GameResult::new(fixture, &record.end));
                if standings.games().is_multiple_of(SAVE_GAMES) || last_saved.elapsed() >= SAVE_TIME {
                    save(line, &mut saved)?;
                    last_saved = Instant::now();
                }
                check_fault(line, &fixture, &record)?;
            }
        }
        if terminal::is_stdout_closed() { Err("stdout is closed".to_owned()) } else { Ok(()) }
    })?;
    outln!("{}", output.end(&outcome));
    save(line, &mut saved)?;
    let is_interrupted = interrupt.interrupted.load(Ordering::Relaxed);
    let is_complete = outcome.verdict.is_some() || outcome.standings.games() == settings.schedule.len();
    if is_interrupted && !is_complete {
        errln!("{}", how_to_resume(line));
    }
    match outcome.error {
        Some(error) => Err(error),
        None => Ok(is_complete && !is_interrupted),
    }
}

/// Prints the score and the rating after a game if it is time for them.
fn print_results(line: &CommandLine, output: &Output<'_>, fixture: &Fixture, standings: &Standings) {
    let (settings, games) = (&line.settings, standings.games());
    let is_over = games == settings.schedule.len() || settings.verdict(standings).is_some();
    let is_due = |interval: usize, count: usize| is_over || interval > 0 && count.is_multiple_of(interval);
    let [white, black] = fixture.engines;
    let pairing = [white.min(black), white.max(black)];
    if line.is_cutechess && is_due(line.score_interval, games) {
        outln!("{}", output.score(pairing, standings));
    }
    let (count, is_new) = match settings.is_paired {
        true => (fixture.pair + 1, standings.is_complete(fixture.pair)),
        false => (games, true),
    };
    if (is_new || is_over) && is_due(line.rating_interval, count) {
        outln!("{}", output.rating(pairing, standings));
    }
}

/// Writes the file of `-config` if there is one.
fn save(line: &CommandLine, saved: &mut Saved) -> Result<(), String> {
    let Some(path) = line.config.saved() else { return Ok(()) };
    let pgn = line.pgn.as_ref().filter(|path| !files::is_special(path));
    saved.pgn_length = pgn.and_then(|path| path.metadata().ok()).map(|metadata| metadata.len());
    saved.write(path)
}

/// How to go on with a match that the user has stopped.
fn how_to_resume(line: &CommandLine) -> String {
    let Some(path) = line.config.saved() else {
        return "The match was not saved: only one with -config outname=FILE can be resumed.".to_owned();
    };
    let program = std::env::args_os().next().unwrap_or_default().to_string_lossy().into_owned();
    let file = format!("file={}", path.display());
    let command = if is_fastchess(&program) { &[][..] } else { &["match"] };
    let words = [&[program.as_str()], command, &["-config", &file]].concat();
    format!("The match was saved. To resume it: {}", shlex::try_join(words).unwrap_or_default())
}

/// Reports the fault that ended a game, if any, and ends the match after a crash without `-recover`.
fn check_fault(line: &CommandLine, fixture: &Fixture, record: &Record) -> Result<(), String> {
    let Some((loser, fault)) = record.end.fault() else { return Ok(()) };
    let (number, engine) = (fixture.number + 1, &line.settings.engines[fixture.engines[loser.index()]]);
    errln!("Warning; game {number}, {}: {}", engine.name, record.end);
    if matches!(fault, Fault::Crash | Fault::Stall) && !line.recovers {
        return Err(format!("the match ends because of game {number}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_recognised() {
        let called = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            is_called(&words).map(<[String]>::len)
        };
        assert_eq!(called("agoge-bench match -engine cmd=a"), Some(2));
        assert_eq!(called("./fastchess-ob -version"), Some(1));
        assert_eq!(called("/x/fastchess-ob.exe"), Some(0));
        assert_eq!(called("agoge-bench match --engine cmd=a"), None);
        assert_eq!(called("agoge-bench match -h"), None);
        assert_eq!(called("agoge-bench train -out x"), None);
        assert_eq!(called("agoge-bench"), None);
    }
}
