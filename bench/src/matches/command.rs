//! The command `match`: plays the games and evaluates the results.

use super::arguments::Arguments;
use super::engine::{Log, MatchConfig};
use super::games_file::GamesFile;
use super::pgn;
use super::progress;
use super::report::{Report, SprtReport, results};
use super::resume::{Plan, Played};
use super::runner::{Event, MatchRunner};
use super::schedule::Fixture;
use super::setup::{self, MatchSetup};
use super::sprt::Verdict;
use super::standings::{GameResult, Standings};
use crate::progress::Progress;
use crate::terminal::{self, CommandResult, Error, Interrupt, Status, failed, usage};
use crate::{errln, files, outln};
use clap::ArgMatches;
use std::fs::OpenOptions;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Opens the log. Call it after all arguments have been checked, so that invalid arguments leave no empty file.
fn open_log(arguments: &Arguments) -> Result<Option<Arc<Log>>, Error> {
    let Some(path) = &arguments.log else { return Ok(None) };
    let file = if arguments.resume && !arguments.force {
        OpenOptions::new().append(true).create(true).open(path)
    } else {
        files::create(path, arguments.force)
    };
    let file = file.map_err(|error| usage(format!("{}: {error}", path.display())))?;
    Ok(Some(Arc::new(Log::new(file))))
}

/// Runs the command. `matches` are the matches of its arguments.
///
/// # Errors
/// Invalid arguments or files, an engine that cannot be used, or a file that cannot be written.
pub fn run(arguments: &Arguments, matches: Option<&ArgMatches>) -> CommandResult {
    let engines = setup::engines(arguments, matches)?;
    let MatchSetup { engines, openings, schedule, sprt, adjudication, match_config, processors } =
        MatchSetup::new(arguments, engines)?;
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    let limits: Vec<String> = engines.iter().map(|engine| engine.limits.to_string()).collect();
    let variant = arguments.variant;
    let plan = Plan { schedule: &schedule, names: &names, limits: &limits, openings: &openings, variant };
    let (mut file, played) = match &arguments.pgn {
        Some(path) => GamesFile::open(path, arguments.resume, &plan).map(|(file, played)| (Some(file), played))?,
        None => (None, Played::default()),
    };
    let match_config = MatchConfig { log: open_log(arguments)?, ..match_config };
    let mut standings = Standings::new(engines.len());
    let mut missing = vec![true; schedule.len()];
    for result in &played.results {
        standings.add(result);
        missing[result.fixture.number] = false;
    }
    let pending: Vec<Fixture> = schedule.iter().copied().filter(|fixture| missing[fixture.number]).collect();

    // `stop` ends the match for any reason; `interrupted` is set only by a signal.
    let Interrupt { stop, interrupted } = Interrupt::listen().map_err(failed)?;

    let decided = |standings: &Standings| sprt.and_then(|sprt| sprt.verdict(&standings.tally(0).pairs));
    let runner = MatchRunner {
        engines: &engines,
        match_config: &match_config,
        openings: &openings,
        adjudication: &adjudication,
        concurrency: arguments.concurrency,
        pause: Duration::ZERO,
        processors: &processors,
    };
    let begin = Instant::now();
    let mut error = None;
    if decided(&standings).is_none() && !pending.is_empty() {
        runner.check(&stop).map_err(failed)?;
        let headings = pgn::Headings { event: arguments.event.clone(), variant };
        let bar = match arguments.quiet {
            true => Progress::hidden(),
            false => Progress::new(schedule.len() as u64, standings.games() as u64),
        };
        let opponent = if engines.len() == 2 { names[1].as_str() } else { "all" };
        let keep = |event: Event| {
            let Event::Finished(fixture, record) = event else { return };
            // Games that end after the test is decided do not count. They are played again if the match is resumed.
            if error.is_some() || decided(&standings).is_some() {
                return;
            }
            let players = fixture.engines.map(|engine| names[engine].as_str());
            if let Some(file) = &mut file {
                let limits = fixture.engines.map(|engine| limits[engine].as_str());
                if let Err(message) = file.write(&pgn::write(&headings, &fixture, players, limits, &record)) {
                    error = Some(message);
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
            let fault = record.end.fault();
            if let Some((loser, _)) = fault {
                let name = players[loser.index()];
                bar.print(|| errln!("game {}, {name}: {}", fixture.round_tag(), record.end));
            }
            standings.add(&GameResult { fixture, half_points: record.end.half_points(), fault });
            let message = progress::message(&standings, [&names[0], opponent], sprt.as_ref());
            bar.update(standings.games() as u64, message);
            if decided(&standings).is_some() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let ended = runner.play(&pending, &stop, keep);
        bar.finish();
        error = error.or(ended.err());
    }

    let (engine_reports, pairing_reports) = results(&engines, &standings);
    let any_fault = engine_reports.iter().any(|engine| engine.faults.total() > 0);
    let status = match (decided(&standings), &error) {
        (_, Some(_)) => Status::Incomplete,
        _ if arguments.strict && any_fault => Status::Faults,
        (Some(Verdict::H1), None) => Status::Success,
        (Some(Verdict::H0), None) => Status::Negative,
        (None, None) if standings.games() < schedule.len() => Status::Interrupted,
        (None, None) if sprt.is_some() => Status::Undecided,
        (None, None) => Status::Success,
    };
    let report = Report {
        variant: variant.name(),
        games_planned: schedule.len(),
        games_played: standings.games(),
        games_resumed: played.results.len(),
        seconds: begin.elapsed().as_secs_f64(),
        interrupted: interrupted.load(Ordering::Relaxed),
        engines: engine_reports,
        pairings: pairing_reports,
        sprt: sprt.map(|sprt| SprtReport::new(sprt, &standings)),
        error: error.clone(),
        exit_status: status as u8,
    };
    write_report(arguments, &report).map_err(failed)?;
    if terminal::report_lost_output() && error.is_none() {
        return Ok(Status::Incomplete);
    }
    error.map_or(Ok(status), |message| Err(Error { status, message }))
}

fn write_report(arguments: &Arguments, report: &Report) -> Result<(), String> {
    let force = arguments.force || arguments.resume;
    let json = arguments.json.as_deref().map_or(Ok(()), |path| terminal::write_json(path, report, force));
    if !arguments.json.as_deref().is_some_and(terminal::is_stdout) {
        outln!("{}", report.to_text().trim_end());
    }
    json
}
