//! Plays matches between UCI engines in Spartan Chess or orthodox chess and evaluates the results. The modules are in
//! [`agoge_bench::tournament`].

use agoge::board::Variant;
use agoge_bench::cli::{self, Interrupt};
use agoge_bench::files;
use agoge_bench::rng::Rng;
use agoge_bench::tournament::config::{EngineConfig, EngineWords, parse_numbers};
use agoge_bench::tournament::game::{Adjudication, DrawRule, Record, ResignRule};
use agoge_bench::tournament::openings::{self, Opening};
use agoge_bench::tournament::pgn;
use agoge_bench::tournament::report::{Report, SprtReport, results};
use agoge_bench::tournament::resume::{Plan, Played, read};
use agoge_bench::tournament::runner::MatchRunner;
use agoge_bench::tournament::schedule::{Fixture, Format, schedule};
use agoge_bench::tournament::sprt::{Scale, Sprt, Verdict};
use agoge_bench::tournament::standings::{GameResult, Standings};
use agoge_bench::tournament::stats::estimate;
use agoge_bench::tournament::uci::{Log, MatchConfig};
use agoge_bench::{errln, outln};
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The text after the options in `--help`.
const DETAILS: &str = "\
ENGINES
  --engine takes words key=value, --each the same for all engines:
    cmd=PATH         the program; a bare name is searched for in PATH
    name=NAME        its name, by default the file name; names must be unique
    arg=X, args='X Y'  its arguments; may be repeated
    dir=PATH         its working directory
    option.NAME=X    a UCI option; UCI_Variant is set automatically
    tc=[M/]T[+I]     a clock: T seconds (or m:ss), plus I for each move, plus T after every M moves
    movetime=MS, nodes=N, depth=N  limits of each move
    margin=MS        how far it may exceed its time; default 0 with a clock, 50 with movetime alone
  The limits of --each apply only to engines without limits; so engines can play at time odds.

GAMES
  Each opening is played twice with colours reversed. The runner itself checks legality, mate, stalemate,
  threefold repetition, the fifty-move rule and dead positions. Illegal moves, crashes, stalls and losses
  on time lose the game; they are reported immediately and counted separately. An engine that crashes or
  hangs is killed and restarted. An engine that does not offer the variant in UCI_Variant is an error; for
  orthodox chess it need not have that option.

  With --pgn each game is written as soon as it ends. --resume reads that file and plays the missing games;
  an incomplete game at the end of the file is removed and played again. The games must agree with the
  match: use the same arguments (--games may increase). --resume also appends to the log and rewrites the
  results. Without --resume no file is overwritten; --force overwrites the files of --json and --log, but
  never the games.

EXIT STATUS
  0  all games played; with --sprt: H1 accepted
  1  with --sprt: H0 accepted
  2  invalid arguments or files, nothing was played
  3  with --sprt: all games played, undecided
  4  an engine could not be used or a file could not be written, the match is incomplete
  5  with --strict: an illegal move, crash, stall or loss on time, whatever the result
  130  interrupted (Ctrl-C); the statistics so far are printed

EXAMPLES
  match --engine cmd=./new name=new --engine cmd=./old name=old --each tc=1+0.01 \\
        --openings positions/openings.epd --order random --games 600 --concurrency 2 --pgn new.pgn
  match --engine cmd=./new name=new --engine cmd=./old name=old --each nodes=20000 \\
        --games 20000 --sprt elo0=0 elo1=5 --pgn sprt.pgn --resume";

/// Plays matches between UCI engines in Spartan Chess.
#[derive(Parser)]
#[command(name = "match", version, after_help = DETAILS)]
struct Arguments {
    /// An engine, as words key=value; repeat for each engine
    #[arg(long, required = true, num_args = 1.., action = ArgAction::Append, value_name = "KEY=VALUE")]
    engine: Vec<String>,
    /// Settings common to all engines, as words key=value
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// The variant: spartan or chess
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// The pairings: all against all, or the first against all others
    #[arg(long, value_enum, default_value_t = Format::RoundRobin)]
    format: Format,
    /// Games of each pairing, an even number
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Concurrent games
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// A file of openings, PGN or EPD or FEN; by default random moves from the initial position
    #[arg(long)]
    openings: Option<PathBuf>,
    /// The maximum number of plies of each opening of a PGN file
    #[arg(long, value_name = "PLIES", requires = "openings")]
    opening_plies: Option<usize>,
    /// The number of random plies of each opening if there is no file
    #[arg(long, default_value_t = 8, value_name = "PLIES", conflicts_with = "openings")]
    random_plies: usize,
    /// The order of the openings of the file
    #[arg(long, value_enum, default_value_t = Order::Sequential)]
    order: Order,
    /// The number of the first opening, from 1
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    first_opening: usize,
    /// The seed of random openings and of a random order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// An SPRT of the first engine against the second, which ends the match when decided: elo0, elo1 (required), alpha,
    /// beta (0.05)
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// The scale of elo0 and elo1
    #[arg(long, value_enum, default_value_t = Scale::Logistic, requires = "sprt")]
    sprt_scale: Scale,
    /// Adjudicate a draw when both engines report at most score centipawns for count moves each, after move from: score
    /// (10), count (8), from (40)
    #[arg(long, num_args = 0.., value_name = "KEY=VALUE")]
    draw: Option<Vec<String>>,
    /// Adjudicate a win when both engines report at least score centipawns for the same side for count moves each:
    /// score (1000), count (4)
    #[arg(long, num_args = 0.., value_name = "KEY=VALUE")]
    resign: Option<Vec<String>>,
    /// Adjudicate a draw after this number of moves
    #[arg(long, value_name = "MOVES")]
    max_moves: Option<u32>,
    /// The stall timeout in seconds: an engine hangs if it does not answer within this time after its clock has run
    /// out, or, without a clock, makes no progress in depth or nodes for this time; a move without a clock may take at
    /// most ten times as long
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    stall: f64,
    /// The file to which games are written; it must not exist unless the match is resumed
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Play only the games missing in the PGN file
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// The PGN tag Event of the games
    #[arg(long, default_value = "Match")]
    event: String,
    /// Write the results as JSON to a new file; - for stdout, instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write all communication with the engines to a new file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Overwrite the files of --json and --log
    #[arg(long)]
    force: bool,
    /// Exit with status 5 after any illegal move, crash, stall or loss on time
    #[arg(long)]
    strict: bool,
    /// Do not print progress to stderr
    #[arg(long)]
    quiet: bool,
}

/// The order of the openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Order {
    /// The order of the file.
    Sequential,
    /// Shuffled by the seed.
    Random,
}

/// The exit status of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Status {
    Done = 0,
    H0 = 1,
    Usage = 2,
    Undecided = 3,
    Failed = 4,
    Faults = 5,
    Interrupted = 130,
}

/// An error message with its exit status.
type ExitError = (Status, String);

/// An error about arguments or input files.
fn usage(message: impl Into<String>) -> ExitError {
    (Status::Usage, message.into())
}

/// Checks a count: a positive integer.
fn count(value: Option<f64>, default: u32, name: &str) -> Result<u32, ExitError> {
    let value = value.unwrap_or(f64::from(default));
    if value.fract() == 0.0 && (1.0..=1e9).contains(&value) {
        Ok(value as u32)
    } else {
        Err(usage(format!("{name}: {value} is not a positive integer")))
    }
}

/// The validated arguments and input files.
struct MatchSetup {
    engines: Vec<EngineConfig>,
    openings: Vec<Opening>,
    schedule: Vec<Fixture>,
    sprt: Option<Sprt>,
    adjudication: Adjudication,
    match_config: MatchConfig,
}

impl MatchSetup {
    fn new(arguments: &Arguments, engines: Vec<EngineConfig>) -> Result<Self, ExitError> {
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
            cli::check_json(path, force).map_err(usage)?;
        }
        if let Some(path) = &arguments.log {
            files::check_new(path, force, files::FORCE_HINT).map_err(usage)?;
        }
        Ok(Self {
            openings: read_openings(arguments, rounds)?,
            schedule: schedule(arguments.format, engines.len(), rounds),
            sprt: read_sprt(arguments, engines.len())?,
            adjudication: read_adjudication(arguments)?,
            match_config: MatchConfig { variant: arguments.variant, stall_timeout, log: None },
            engines,
        })
    }
}

/// Checks that no two options name the same file, because one would overwrite the other.
fn check_paths(arguments: &Arguments) -> Result<(), ExitError> {
    let options = [
        ("--openings", &arguments.openings),
        ("--pgn", &arguments.pgn),
        ("--json", &arguments.json),
        ("--log", &arguments.log),
    ];
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in options.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
        // Options may share devices and stdout.
        if cli::is_stdout(path) || files::is_special(path) {
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

fn read_openings(arguments: &Arguments, rounds: usize) -> Result<Vec<Opening>, ExitError> {
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

fn read_sprt(arguments: &Arguments, engines: usize) -> Result<Option<Sprt>, ExitError> {
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

fn read_adjudication(arguments: &Arguments) -> Result<Adjudication, ExitError> {
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
        });
    }
    Ok(adjudication)
}

/// Opens the log. Call it after all arguments have been checked, so that invalid arguments leave no empty file.
fn open_log(arguments: &Arguments) -> Result<Option<Arc<Log>>, ExitError> {
    let Some(path) = &arguments.log else { return Ok(None) };
    let file = if arguments.resume && !arguments.force {
        OpenOptions::new().append(true).create(true).open(path)
    } else {
        files::create(path, arguments.force)
    };
    let file = file.map_err(|error| usage(format!("{}: {error}", path.display())))?;
    Ok(Some(Arc::new(Log::new(file))))
}

/// The PGN file, locked so that no other match writes to it.
struct GamesFile {
    path: PathBuf,
    file: File,
}

impl GamesFile {
    /// Opens the file and reads the games already played.
    fn open(path: &Path, resume: bool, plan: &Plan<'_>) -> Result<(Self, Played), ExitError> {
        let shown = path.display();
        let error = |error: std::io::Error| usage(format!("{shown}: {error}"));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(usage(format!("{shown}: another match is writing to it"))),
            // The file system has no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(error)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(error)?;
            return Ok((Self { path: path.to_owned(), file }, Played::default()));
        }
        if !resume {
            return Err(usage(format!("{shown} contains games: --resume continues the match")));
        }
        let played = read(&bytes, plan).map_err(|error| usage(format!("{shown}, {error}")))?;
        if played.is_truncated {
            errln!("{shown}: removed an incomplete game at the end");
        }
        let mut games = Self { path: path.to_owned(), file };
        games.file.set_len(played.length as u64).map_err(error)?;
        games.file.seek(SeekFrom::End(0)).map_err(error)?;
        if played.length > 0 {
            games.file.write_all(b"\n\n").map_err(error)?;
        }
        Ok((games, played))
    }

    /// Writes a game with a single call, without buffering.
    fn write(&mut self, text: &str) -> Result<(), String> {
        self.file.write_all(text.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

/// The progress display.
struct Progress {
    bar: ProgressBar,
    /// The number of games between progress lines; `None` with a terminal.
    lines: Option<usize>,
}

impl Progress {
    fn new(arguments: &Arguments, games: usize, played: usize) -> Self {
        let terminal = stderr().is_terminal();
        let bar = if arguments.quiet || !terminal { ProgressBar::hidden() } else { ProgressBar::new(games as u64) };
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} [{elapsed_precise}, {eta} left]\n{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(played as u64);
        bar.reset_eta();
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        let lines = (!arguments.quiet && !terminal).then_some((games / 20).max(1));
        Self { bar, lines }
    }

    /// Prints a message above the progress bar.
    fn print(&self, text: &str) {
        self.bar.suspend(|| errln!("{text}"));
    }

    fn update(&self, standings: &Standings, names: [&str; 2], total: usize, sprt: Option<&Sprt>) {
        let games = standings.games();
        let due = self.lines.is_some_and(|interval| games.is_multiple_of(interval) || games == total);
        if self.bar.is_hidden() && !due {
            return;
        }
        let tally = standings.tally(0);
        let score = tally.total();
        let mut text = format!("{} v {}: +{} ={} -{}", names[0], names[1], score.wins, score.draws, score.losses);
        if score.games() > 0 {
            text.push_str(&format!(", {:.1} %", 100.0 * score.points() / score.games() as f64));
        }
        if let Some(found) = estimate(&tally.pairs).filter(|found| found.elo.error().is_finite()) {
            text.push_str(&format!(", Elo {:+.1} ± {:.1}", found.elo.value, found.elo.error()));
        }
        if let Some(sprt) = sprt {
            let [low, high] = sprt.bounds();
            text.push_str(&format!(", LLR {:.2} [{low:.2}, {high:.2}]", sprt.llr(&tally.pairs)));
        }
        if self.lines.is_some() {
            errln!("{games}/{total} {text}");
        } else {
            self.bar.set_message(text);
            self.bar.set_position(games as u64);
        }
    }
}

fn run(arguments: &Arguments, engines: Vec<EngineConfig>) -> Result<Status, ExitError> {
    let MatchSetup { engines, openings, schedule, sprt, adjudication, match_config } =
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
    let Interrupt { stop, interrupted } = Interrupt::listen().map_err(|error| (Status::Failed, error))?;

    let decided = |standings: &Standings| sprt.and_then(|sprt| sprt.verdict(&standings.tally(0).pairs));
    let runner = MatchRunner {
        engines: &engines,
        match_config: &match_config,
        openings: &openings,
        adjudication,
        concurrency: arguments.concurrency,
    };
    let begin = Instant::now();
    let mut error = None;
    if decided(&standings).is_none() && !pending.is_empty() {
        runner.check(&stop).map_err(|error| (Status::Failed, error))?;
        let headings = pgn::Headings { event: arguments.event.clone(), variant };
        let progress = Progress::new(arguments, schedule.len(), standings.games());
        let opponent = if engines.len() == 2 { names[1].as_str() } else { "all" };
        let keep = |fixture: Fixture, record: &Record| {
            // Games that end after the test is decided do not count. They are played again if the match is resumed.
            if error.is_some() || decided(&standings).is_some() {
                return;
            }
            let players = fixture.engines.map(|engine| names[engine].as_str());
            if let Some(file) = &mut file {
                let limits = fixture.engines.map(|engine| limits[engine].as_str());
                if let Err(message) = file.write(&pgn::write(&headings, &fixture, players, limits, record)) {
                    error = Some(message);
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
            let fault = record.end.fault();
            if let Some((loser, _)) = fault {
                let name = players[loser.index()];
                progress.print(&format!("game {}, {name}: {}", fixture.round_tag(), record.end));
            }
            standings.add(&GameResult { fixture, half_points: record.end.half_points(), fault });
            progress.update(&standings, [&names[0], opponent], schedule.len(), sprt.as_ref());
            if decided(&standings).is_some() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let ended = runner.play(&pending, &stop, keep);
        progress.bar.finish_and_clear();
        error = error.or(ended.err());
    }

    let (engine_reports, pairing_reports) = results(&engines, &standings);
    let any_fault = engine_reports.iter().any(|engine| engine.faults.total() > 0);
    let status = match (decided(&standings), &error) {
        (_, Some(_)) => Status::Failed,
        _ if arguments.strict && any_fault => Status::Faults,
        (Some(Verdict::H1), None) => Status::Done,
        (Some(Verdict::H0), None) => Status::H0,
        (None, None) if standings.games() < schedule.len() => Status::Interrupted,
        (None, None) if sprt.is_some() => Status::Undecided,
        (None, None) => Status::Done,
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
    write_report(arguments, &report).map_err(|error| (Status::Failed, error))?;
    if cli::report_lost_output() && error.is_none() {
        return Ok(Status::Failed);
    }
    error.map_or(Ok(status), |error| Err((status, error)))
}

fn write_report(arguments: &Arguments, report: &Report) -> Result<(), String> {
    let force = arguments.force || arguments.resume;
    let json = arguments.json.as_deref().map_or(Ok(()), |path| cli::write_json(path, report, force));
    if !arguments.json.as_deref().is_some_and(cli::is_stdout) {
        outln!("{}", report.to_text().trim_end());
    }
    json
}

/// Parses the arguments, keeping the words of each `--engine` separate.
fn parse_arguments() -> Result<(Arguments, Vec<EngineConfig>), ExitError> {
    let matches = cli::matches(&Arguments::command());
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| usage(error.to_string()))?;
    let each = EngineWords::parse(&arguments.each).map_err(|error| usage(format!("--each: {error}")))?;
    let groups = matches.get_occurrences::<String>("engine").into_iter().flatten();
    let engines = groups.map(|words| {
        let words: Vec<&String> = words.collect();
        EngineWords::parse(&words).and_then(|words| words.engine(&each))
    });
    let engines: Result<Vec<_>, _> = engines.collect();
    Ok((arguments, engines.map_err(|error| usage(format!("--engine: {error}")))?))
}

fn main() -> ExitCode {
    let status = parse_arguments().and_then(|(arguments, engines)| run(&arguments, engines));
    let status = status.unwrap_or_else(|(status, message)| {
        cli::print_message(&message);
        status
    });
    ExitCode::from(status as u8)
}
