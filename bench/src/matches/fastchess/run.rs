//! Plays a match with the command line of fastchess.

use super::super::config::Protocol;
use super::super::engine::uci::{UciEngine, VARIANT_OPTION};
use super::super::engine::{Log, MatchConfig};
use super::super::game::{Adjudication, Fault, TableRule};
use super::super::runner::{Event, MatchRunner};
use super::super::schedule::{Fixture, pairings};
use super::super::standings::GameResult;
use super::book;
use super::command_line::{self, FileSettings, Request, ScheduleSettings, Settings, VariantChoice};
use super::games::{Player, Writer, final_position};
use super::output::{Output, Scoreboard};
use super::saved::{Saved, SavedGame};
use crate::terminal::{self, Interrupt};
use crate::{errln, outln};
use agoge_core::board::Variant;
use agoge_core::tables::Tables;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The words after `match` or after a program named `fastchess…` if the command line is that of fastchess: if the first
/// option has one hyphen and several letters.
pub fn is_called(words: &[String]) -> Option<&[String]> {
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_stem()?.to_string_lossy().into_owned();
    if name.starts_with("fastchess") {
        return Some(rest);
    }
    let (command, rest) = rest.split_first()?;
    let option = rest.first()?.strip_prefix('-')?;
    (command == "match" && !option.starts_with('-') && option.len() > 1).then_some(rest)
}

/// Runs the command line. The exit status is that of fastchess: 0 if the match ended as it should, otherwise 1.
pub fn main(words: &[String]) -> ExitCode {
    let settings = match command_line::parse(words) {
        Ok(Request::Help) => {
            terminal::print(format_args!("{}", command_line::help()));
            return ExitCode::SUCCESS;
        }
        Ok(Request::Version) => {
            outln!("agoge-bench {}, with the command line of fastchess", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Ok(Request::Match(settings)) => settings,
        Err(error) => {
            errln!("Error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let begin = Instant::now();
    match load(settings).and_then(|(settings, saved)| run(&settings, saved)) {
        Ok(is_complete) => {
            let seconds = begin.elapsed().as_secs();
            outln!("Finished match");
            outln!(
                "Total Time: {:02}:{:02}:{:02} (hours:minutes:seconds)",
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60
            );
            if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            errln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Replaces the settings by those of the file from which the match is continued, if there is one.
fn load(settings: Box<Settings>) -> Result<(Box<Settings>, Option<Saved>), String> {
    let config = settings.config.as_ref();
    let Some((config, path)) = config.and_then(|config| Some((config, config.input.as_ref()?))) else {
        return Ok((settings, None));
    };
    let saved = Saved::read(path)?;
    let wrong = |error: String| format!("{}: {error}", path.display());
    let Request::Match(mut loaded) = command_line::parse(&saved.arguments).map_err(wrong)? else {
        return Err(wrong("not a saved match".to_owned()));
    };
    loaded.config = Some(config.clone());
    if !config.stats {
        return Ok((loaded, None));
    }
    // The games of the first part stay in their files.
    loaded.pgn.iter_mut().for_each(|pgn| pgn.append = true);
    loaded.epd.iter_mut().for_each(|epd| epd.append = true);
    Ok((loaded, Some(saved)))
}

/// All games in the order in which they start. Each pairing of a round has its own opening, and the engines change
/// colours from game to game.
fn fixtures(settings: &ScheduleSettings, engines: usize) -> Vec<Fixture> {
    let pairings = pairings(settings.format, engines, settings.seeds);
    let pairs = (0..settings.rounds).flat_map(|round| pairings.iter().map(move |&pairing| (round, pairing)));
    let games = pairs.enumerate().flat_map(|(pair, (round, engines))| {
        std::iter::repeat_n(Fixture { number: 0, round, pair, opening: pair, engines }, settings.games)
    });
    let numbered = games.enumerate().map(|(number, mut game)| {
        if (settings.swap && number % 2 == 1) != settings.reverse {
            game.engines.reverse();
        }
        Fixture { number, ..game }
    });
    numbered.collect()
}

/// The variant that an engine plays if nothing is said about it: the default of its option, or orthodox chess.
fn default_variant(settings: &Settings, stop: &AtomicBool) -> Result<Variant, String> {
    let engine = &settings.engines[0];
    if engine.protocol == Protocol::XBoard {
        return Ok(Variant::Chess);
    }
    let identity = UciEngine::identify(engine, &MatchConfig::new(Variant::Chess), stop)
        .map_err(|failure| format!("{} cannot be started: {failure}", engine.name))?;
    Ok(match identity.default_value(VARIANT_OPTION) {
        Some(name) if name.eq_ignore_ascii_case(Variant::Spartan.name()) => Variant::Spartan,
        _ => Variant::Chess,
    })
}

fn open(settings: &FileSettings) -> Result<File, String> {
    open_file(&settings.file, settings.append)
}

fn open_file(path: &Path, append: bool) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.create(true).append(append).write(true).truncate(!append);
    options.open(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn adjudication(settings: &Settings) -> Result<Adjudication, String> {
    let tables = settings.tables.as_ref().map(|wanted| {
        let tables = Tables::open_all(wanted.path.as_ref()).map_err(|problem| format!("-tb: {problem}"))?;
        Ok::<_, String>(TableRule {
            tables: Arc::new(tables),
            max_men: wanted.max_men,
            ignore_fifty_moves: wanted.ignore_fifty_moves,
            wins: wanted.wins,
            draws: wanted.draws,
        })
    });
    Ok(Adjudication {
        draw: settings.draw,
        resign: settings.resign,
        max_moves: settings.max_moves,
        tables: tables.transpose()?,
    })
}

/// Counts a fault under losses on time and crashes.
const fn count_fault([timeouts, crashes]: &mut [u64; 2], fault: Fault) {
    match fault {
        Fault::TimeLoss => *timeouts += 1,
        Fault::Crash | Fault::Stall => *crashes += 1,
        Fault::IllegalMove => {}
    }
}

/// Plays the match. Returns whether it came to its end: all games, or the verdict of the test.
fn run(settings: &Settings, saved: Option<Saved>) -> Result<bool, String> {
    let Interrupt { stop, interrupted } = Interrupt::listen()?;
    let variant = match settings.variant {
        VariantChoice::Standard => default_variant(settings, &stop)?,
        VariantChoice::Spartan => Variant::Spartan,
        VariantChoice::Chess => Variant::Chess,
    };
    let fixtures = fixtures(&settings.schedule, settings.engines.len());
    let seed = settings.seed.unwrap_or_else(|| chrono::Utc::now().timestamp_micros() as u64);
    let earlier = saved.map_or(Ok(Vec::new()), |saved| saved.results(&fixtures))?;
    let mut saved = Saved {
        arguments: [settings.arguments.as_slice(), &["-srand".to_owned(), seed.to_string()]].concat(),
        games: earlier.iter().map(SavedGame::new).collect(),
    };
    let openings = match &settings.book {
        Some(wanted) => book::read(wanted, variant, settings.schedule.rounds, seed)?,
        None => {
            errln!("Warning: No opening book specified! All games start from the initial position.");
            book::initial(variant)
        }
    };
    let adjudication = adjudication(settings)?;
    let log = settings.log.as_ref().map(open).transpose()?;
    let match_config = MatchConfig {
        log: log.map(|file| Arc::new(Log::new(file))),
        kept_lines: settings.pgn.as_ref().map_or_else(Vec::new, |pgn| pgn.lines.clone()),
        skip_unknown_options: true,
        ..MatchConfig::new(variant)
    };
    let runner = MatchRunner {
        engines: &settings.engines,
        match_config: &match_config,
        openings: &openings,
        adjudication: &adjudication,
        concurrency: settings.concurrency,
        pause: settings.wait,
        processors: &settings.processors,
    };
    let identities = runner.check(&stop)?;
    let mut pgn_file = settings.pgn.as_ref().map(|pgn| open_file(&pgn.file, pgn.append)).transpose()?;
    let mut epd_file = settings.epd.as_ref().map(open).transpose()?;
    let writer = settings.pgn.as_ref().map(|pgn| Writer {
        settings: pgn,
        event: &settings.event,
        site: &settings.site,
        variant,
    });
    let book_name = settings.book.as_ref().and_then(|book| book.file.file_name());
    let output = Output {
        format: settings.output,
        is_pentanomial: settings.is_pentanomial,
        engines: &settings.engines,
        identities: &identities,
        book: book_name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        sprt: settings.sprt,
        total: fixtures.len(),
    };
    let mut scoreboard = Scoreboard::new(settings.is_pentanomial);
    let mut faults = vec![[0, 0]; settings.engines.len()];
    let mut missing = vec![true; fixtures.len()];
    for result in &earlier {
        scoreboard.add(&result.fixture, result.half_points);
        if let Some((loser, fault)) = result.fault {
            count_fault(&mut faults[result.fixture.engines[loser.index()]], fault);
        }
        missing[result.fixture.number] = false;
    }
    let mut pending: Vec<Fixture> = fixtures.iter().copied().filter(|fixture| missing[fixture.number]).collect();
    let (mut played, mut problem) = (earlier.len(), None);
    let mut is_decided = settings.sprt.is_some_and(|test| scoreboard.verdict(&test).is_some());
    if is_decided {
        pending.clear();
    }
    let result = runner.play(&pending, &stop, |event| {
        let (fixture, record) = match event {
            Event::Started(fixture) => {
                if !is_decided {
                    outln!("{}", output.started(&fixture));
                }
                return;
            }
            Event::Finished(fixture, record) => (fixture, record),
        };
        // Games that end after the end of the match do not count.
        if is_decided || problem.is_some() {
            return;
        }
        played += 1;
        let players = fixture.engines.map(|engine| Player {
            name: &settings.engines[engine].name,
            identity: &identities[engine],
            limits: &settings.engines[engine].limits,
        });
        let written = match (&mut pgn_file, &writer) {
            (Some(file), Some(writer)) => file.write_all(writer.pgn(&fixture, players, &record).as_bytes()),
            _ => Ok(()),
        };
        let written = written.and_then(|()| match &mut epd_file {
            Some(file) => file.write_all(final_position(&record).as_bytes()),
            None => Ok(()),
        });
        if let Err(error) = written {
            problem = Some(format!("the games cannot be written: {error}"));
            stop.store(true, Ordering::Relaxed);
            return;
        }
        outln!("{}", output.finished(&fixture, &record));
        let game = GameResult { fixture, half_points: record.end.half_points(), fault: record.end.fault() };
        saved.games.push(SavedGame::new(&game));
        let is_pair_complete = scoreboard.add(&fixture, record.end.half_points());
        let is_last = played == fixtures.len();
        let pairing = [fixture.engines[0].min(fixture.engines[1]), fixture.engines[0].max(fixture.engines[1])];
        is_decided = settings.sprt.is_some_and(|test| scoreboard.verdict(&test).is_some());
        let is_due = |interval: usize, count: usize| interval > 0 && count.is_multiple_of(interval);
        if is_due(settings.score_interval, played) || is_last || is_decided {
            output.score(pairing, &scoreboard).into_iter().for_each(|line| outln!("{line}"));
        }
        let count = if settings.is_pentanomial { fixture.pair + 1 } else { played };
        if (is_due(settings.rating_interval, count) && is_pair_complete) || is_last || is_decided {
            outln!("{}", output.rating(pairing, &scoreboard));
        }
        if let Some(config) = &settings.config
            && is_due(settings.autosave_interval, played)
            && let Err(error) = saved.write(&config.output)
        {
            problem = Some(error);
        }
        if let Some((loser, fault)) = record.end.fault() {
            let engine = fixture.engines[loser.index()];
            count_fault(&mut faults[engine], fault);
            errln!("Warning; game {}, {}: {}", fixture.number + 1, settings.engines[engine].name, record.end);
            let ends_match = matches!(fault, Fault::Crash | Fault::Stall) && !settings.recover;
            if settings.strict || ends_match {
                problem = Some(format!("the match ends because of game {}", fixture.number + 1));
            }
        }
        if is_decided || problem.is_some() || terminal::is_stdout_closed() {
            stop.store(true, Ordering::Relaxed);
        }
    });
    outln!("{}", output.end(&scoreboard));
    for (engine, [timeouts, crashes]) in settings.engines.iter().zip(faults) {
        if timeouts + crashes > 0 {
            outln!("Player: {}\n  Timeouts: {timeouts}\n  Crashed: {crashes}", engine.name);
        }
    }
    result?;
    if let Some(config) = &settings.config {
        saved.write(&config.output)?;
    }
    match problem {
        Some(problem) => Err(problem),
        None => Ok((is_decided || played == fixtures.len()) && !interrupted.load(Ordering::Relaxed)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::schedule::Format;
    use super::*;

    const SETTINGS: ScheduleSettings =
        ScheduleSettings { format: Format::RoundRobin, seeds: 1, rounds: 2, games: 2, swap: true, reverse: false };

    fn engines(settings: ScheduleSettings, count: usize) -> Vec<[usize; 2]> {
        fixtures(&settings, count).iter().map(|game| game.engines).collect()
    }

    #[test]
    fn colours_and_openings() {
        assert_eq!(engines(SETTINGS, 2), [[0, 1], [1, 0], [0, 1], [1, 0]]);
        assert_eq!(engines(ScheduleSettings { reverse: true, ..SETTINGS }, 2), [[1, 0], [0, 1], [1, 0], [0, 1]]);
        assert_eq!(engines(ScheduleSettings { swap: false, ..SETTINGS }, 2), [[0, 1]; 4]);
        assert_eq!(engines(ScheduleSettings { games: 1, ..SETTINGS }, 2), [[0, 1], [1, 0]]);
        let games = fixtures(&SETTINGS, 3);
        assert_eq!(games.iter().map(|game| game.opening).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(games.iter().map(|game| game.round).collect::<Vec<_>>(), [[0; 6], [1; 6]].concat());
        let gauntlet = ScheduleSettings { format: Format::Gauntlet, games: 1, rounds: 1, ..SETTINGS };
        assert_eq!(engines(gauntlet, 3), [[0, 1], [2, 0]]);
    }

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
