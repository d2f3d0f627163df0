//! The command `match`: plays the games and evaluates the results.

use super::arguments::Arguments;
use super::engine::Log;
use super::games_file::GamesFile;
use super::report::{Report, SprtReport, progress, results, unasked_move};
use super::runner::{Event, Outcome};
use super::setup;
use super::sprt::Verdict;
use crate::progress::Progress;
use crate::terminal::{self, CommandResult, Error, Interrupt, Status, failed};
use crate::{errln, files, outln};
use clap::ArgMatches;
use std::fs::OpenOptions;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Opens the log. Call it after all arguments have been checked, so that invalid arguments leave no empty file.
fn open_log(arguments: &Arguments) -> Result<Option<Arc<Log>>, String> {
    let Some(path) = &arguments.log else { return Ok(None) };
    let file = if arguments.resume && !arguments.force {
        OpenOptions::new().append(true).create(true).open(path)
    } else {
        files::create(path, arguments.force)
    };
    let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Some(Arc::new(Log::new(path, file))))
}

/// Runs the command. `matches` are the matches of its arguments.
///
/// # Errors
/// Invalid arguments or files, an engine that cannot be used, or a file that cannot be written.
pub fn run(arguments: &Arguments, matches: Option<&ArgMatches>) -> CommandResult {
    let mut settings = setup::settings(arguments, matches)?;
    let (file, played) = match &arguments.pgn {
        Some(path) => {
            GamesFile::open(path, arguments.resume, &settings).map(|(file, played)| (Some(file), played.results))?
        }
        None => (None, Vec::new()),
    };
    settings.match_config.log = open_log(arguments)?;
    let interrupt = Interrupt::listen().map_err(failed)?;
    let bar = match arguments.quiet {
        true => Progress::hidden(),
        false => Progress::new(settings.schedule.len() as u64, played.len() as u64),
    };
    let begin = Instant::now();
    let outcome = settings.play(&played, file, &interrupt, |event, standings| {
        match event {
            Event::Ready(_) | Event::Started(_) => {}
            Event::UnaskedMove(engine) => bar.print(|| errln!("{}", unasked_move(&settings.engines[engine].name))),
            Event::Finished(fixture, record) => {
                if let Some((loser, _)) = record.end.fault() {
                    let name = &settings.engines[fixture.engines[loser.index()]].name;
                    bar.print(|| errln!("game {}, {name}: {}", fixture.round_tag(), record.end));
                }
                bar.update(standings.games() as u64, progress(&settings, standings));
            }
        }
        Ok(())
    });
    bar.finish();
    let Outcome { standings, verdict, error } = outcome.map_err(failed)?;

    let (engine_reports, pairing_reports) = results(&settings.engines, &standings);
    let any_fault = engine_reports.iter().any(|engine| engine.faults.total() > 0);
    let status = match verdict {
        _ if error.is_some() => Status::Incomplete,
        _ if arguments.strict && any_fault => Status::Faults,
        Some(Verdict::H1) => Status::Success,
        Some(Verdict::H0) => Status::Negative,
        None if standings.games() < settings.schedule.len() => Status::Interrupted,
        None if settings.sprt.is_some() => Status::Undecided,
        None => Status::Success,
    };
    let report = Report {
        variant: arguments.variant.name(),
        games_planned: settings.schedule.len(),
        games_played: standings.games(),
        games_resumed: played.len(),
        seconds: begin.elapsed().as_secs_f64(),
        interrupted: interrupt.interrupted.load(Ordering::Relaxed),
        engines: engine_reports,
        pairings: pairing_reports,
        sprt: settings.sprt.map(|test| SprtReport::new(test, settings.llr(&test, &standings))),
        error: error.clone(),
        exit_status: status as u8,
    };
    write_report(arguments, &report).map_err(failed)?;
    if status == Status::Interrupted {
        errln!("{}", how_to_resume(arguments));
    }
    if terminal::report_lost_output() && error.is_none() {
        return Ok(Status::Incomplete);
    }
    error.map_or(Ok(status), |message| Err(Error { status, message }))
}

/// How to go on with a match that the user has stopped.
const fn how_to_resume(arguments: &Arguments) -> &'static str {
    match (&arguments.pgn, arguments.resume) {
        (None, _) => "interrupted: only a match with --pgn can be resumed",
        (_, false) => "interrupted: the same command with --resume continues the match",
        (_, true) => "interrupted: the same command continues the match",
    }
}

fn write_report(arguments: &Arguments, report: &Report) -> Result<(), String> {
    let force = arguments.force || arguments.resume;
    let json = arguments.json.as_deref().map_or(Ok(()), |path| terminal::write_json(path, report, force));
    if !arguments.json.as_deref().is_some_and(terminal::is_stdout) {
        outln!("{}", report.to_text().trim_end());
    }
    json
}
