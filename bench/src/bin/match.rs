//! Plays matches between UCI engines in Spartan Chess or orthodox chess and says what they mean.
//! The parts are in [`agoge_bench::tournament`].

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
use agoge_bench::tournament::runner::Hall;
use agoge_bench::tournament::schedule::{Fixture, Format, schedule};
use agoge_bench::tournament::sprt::{Scale, Sprt, Verdict};
use agoge_bench::tournament::standings::{GameResult, Standings};
use agoge_bench::tournament::stats::estimate;
use agoge_bench::tournament::uci::{Log, Terms};
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

/// What stands behind the options in `--help`.
const DETAILS: &str = "\
ENGINES
  --engine takes words key=value, --each the same for all engines:
    cmd=PATH         the program; a bare name is looked for in PATH
    name=NAME        its name, by default the file name; no two may be alike
    arg=X, args='X Y'  its arguments; may stand several times
    dir=PATH         where it runs
    option.NAME=X    a UCI option; UCI_Variant is set without being asked for
    tc=[M/]T[+I]     a clock: T seconds (or m:ss), I more for each move, T again after M moves
    movetime=MS, nodes=N, depth=N  limits of each move
    margin=MS        how far it may overstep its time; default 0 for a clock, 50 for movetime alone
  An engine with a limit of its own does not have those of --each: so time odds are given.

GAMES
  Each opening is played twice with colours reversed. Legality, mate, stalemate, threefold repetition,
  fifty moves and dead positions are judged by our own rules. An illegal move, a crash, a stall and a
  loss on time lose the game, are told at once and counted apart; an engine that crashes or hangs is
  killed and started anew. An engine that does not offer the variant in UCI_Variant is refused; for
  orthodox chess it need not have that option.

  With --pgn each game is written as soon as it is over. --resume reads that file and plays what is
  missing; a game at its end that breaks off is cut away and played again. What has been played must
  agree with the match: give the same arguments (--games may grow). A log is gone on with, too, and the
  results are written anew. Without --resume no file is overwritten; --force overwrites those of --json
  and --log, never the games.

EXIT STATUS
  0  all games played; with --sprt: H1 accepted
  1  with --sprt: H0 accepted
  2  the arguments or files make no sense, nothing was played
  3  with --sprt: all games played, undecided
  4  an engine could not be used or a file not be written, the match is not complete
  5  with --strict: an illegal move, crash, stall or loss on time, whatever else
  130  interrupted (Ctrl-C); statistics so far are printed

EXAMPLES
  match --engine cmd=./new name=new --engine cmd=./old name=old --each tc=1+0.01 \\
        --openings positions/openings.epd --order random --games 600 --concurrency 2 --pgn new.pgn
  match --engine cmd=./new name=new --engine cmd=./old name=old --each nodes=20000 \\
        --games 20000 --sprt elo0=0 elo1=5 --pgn sprt.pgn --resume";

/// Plays matches between UCI engines in Spartan Chess.
#[derive(Parser)]
#[command(name = "match", version, after_help = DETAILS)]
struct Arguments {
    /// An engine, as words key=value; stands once for each engine
    #[arg(long, required = true, num_args = 1.., action = ArgAction::Append, value_name = "KEY=VALUE")]
    engine: Vec<String>,
    /// What holds for all engines, as words key=value
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// The game that is played: spartan or chess
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// Who plays whom: all each other, or the first all others
    #[arg(long, value_enum, default_value_t = Format::RoundRobin)]
    format: Format,
    /// Games of each pairing, an even number
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Games at the same time
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// A file of openings, PGN or EPD or FEN; without it random moves from the initial position
    #[arg(long)]
    openings: Option<PathBuf>,
    /// At most so many plies of each opening of a PGN file
    #[arg(long, value_name = "PLIES", requires = "openings")]
    opening_plies: Option<usize>,
    /// Random moves at the start of each opening if there is no file
    #[arg(long, default_value_t = 8, value_name = "PLIES", conflicts_with = "openings")]
    random_plies: usize,
    /// The order in which the openings of the file are played
    #[arg(long, value_enum, default_value_t = Order::Sequential)]
    order: Order,
    /// The first opening to play, from 1
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    first_opening: usize,
    /// The seed of random openings and of a random order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A test of the first engine against the second that ends the match when decided: elo0, elo1 (required),
    /// alpha, beta (0.05)
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// The scale of elo0 and elo1
    #[arg(long, value_enum, default_value_t = Scale::Logistic, requires = "sprt")]
    sprt_scale: Scale,
    /// Draw when both engines see no more than score centipawns for count moves each, after move from:
    /// score (10), count (8), from (40)
    #[arg(long, num_args = 0.., value_name = "KEY=VALUE")]
    draw: Option<Vec<String>>,
    /// Win when both engines see at least score centipawns for the same side for count moves each:
    /// score (1000), count (4)
    #[arg(long, num_args = 0.., value_name = "KEY=VALUE")]
    resign: Option<Vec<String>>,
    /// Draw after so many moves
    #[arg(long, value_name = "MOVES")]
    max_moves: Option<u32>,
    /// Seconds after which an engine hangs: without an answer when its time is over, or, if it has no clock,
    /// without progress in depth or nodes; ten times as long is too long for any move without a clock
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    stall: f64,
    /// The file that games are written to; it must not exist unless the match is resumed
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Play only what the PGN file does not have yet
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// The tag Event of the games
    #[arg(long, default_value = "Match")]
    event: String,
    /// A new file for the results as JSON; - for stdout, in place of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// A new file for all that is said between match and engines
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Overwrite the files of --json and --log
    #[arg(long)]
    force: bool,
    /// Exit status 5 if an engine did what it must not
    #[arg(long)]
    strict: bool,
    /// No progress on stderr
    #[arg(long)]
    quiet: bool,
}

/// The order of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Order {
    /// That of the file.
    Sequential,
    /// Shuffled by the seed.
    Random,
}

/// How the program ends. The numbers are the exit status.
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

/// A message and the exit status that goes with it.
type Trouble = (Status, String);

/// Makes a message one about arguments or files.
fn usage(message: impl Into<String>) -> Trouble {
    (Status::Usage, message.into())
}

/// Reads a count: a whole number above 0.
fn count(value: Option<f64>, default: u32, name: &str) -> Result<u32, Trouble> {
    let value = value.unwrap_or(f64::from(default));
    if value.fract() == 0.0 && (1.0..=1e9).contains(&value) {
        Ok(value as u32)
    } else {
        Err(usage(format!("{name}: {value} is not a whole number above 0")))
    }
}

/// Everything that the arguments and files say, checked.
struct Setting {
    engines: Vec<EngineConfig>,
    openings: Vec<Opening>,
    schedule: Vec<Fixture>,
    sprt: Option<Sprt>,
    adjudication: Adjudication,
    terms: Terms,
}

impl Setting {
    fn new(arguments: &Arguments, engines: Vec<EngineConfig>) -> Result<Self, Trouble> {
        if engines.len() < 2 {
            return Err(usage("a match takes two engines or more"));
        }
        for (index, engine) in engines.iter().enumerate() {
            if engines[..index].iter().any(|other| other.name == engine.name) {
                return Err(usage(format!("two engines are called '{}': tell them apart by name=", engine.name)));
            }
        }
        if arguments.games == 0 || arguments.games % 2 == 1 {
            return Err(usage(format!(
                "--games {}: each opening is played twice, so the number is even",
                arguments.games
            )));
        }
        if arguments.concurrency == 0 {
            return Err(usage("--concurrency 0: there must be a game at a time"));
        }
        let stall = Duration::try_from_secs_f64(arguments.stall).ok().filter(|time| !time.is_zero());
        let patience = stall.ok_or_else(|| usage(format!("--stall {}: not a time", arguments.stall)))?;
        // Added to points in time, it must not overflow.
        let patience = patience.min(Duration::from_secs(1_000_000));
        let rounds = arguments.games / 2;
        check_paths(arguments)?;
        // An earlier run may have left them.
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
            terms: Terms { variant: arguments.variant, patience, log: None },
            engines,
        })
    }
}

/// Checks that no two options name the same file: one would overwrite the other.
fn check_paths(arguments: &Arguments) -> Result<(), Trouble> {
    let options = [
        ("--openings", &arguments.openings),
        ("--pgn", &arguments.pgn),
        ("--json", &arguments.json),
        ("--log", &arguments.log),
    ];
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in options.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
        // What two options may share is no file: a device, or stdout.
        if cli::is_stdout(path) || files::is_special(path) {
            continue;
        }
        let full = path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.clone());
        if let Some((other, _)) = seen.iter().find(|(_, seen)| *seen == full) {
            return Err(usage(format!("{}: both {other} and {option} name it", path.display())));
        }
        seen.push((option, full));
    }
    Ok(())
}

fn read_openings(arguments: &Arguments, rounds: usize) -> Result<Vec<Opening>, Trouble> {
    let Some(skipped) = arguments.first_opening.checked_sub(1) else {
        return Err(usage("--first-opening 0: they are counted from 1"));
    };
    let Some(path) = &arguments.openings else {
        if arguments.random_plies > 40 {
            return Err(usage(format!("--random-plies {}: more than 40", arguments.random_plies)));
        }
        let mut list = openings::random(arguments.variant, arguments.random_plies, arguments.seed, skipped + rounds);
        return Ok(list.split_off(skipped));
    };
    let mut list = openings::read(path, arguments.variant, arguments.opening_plies).map_err(usage)?;
    if arguments.order == Order::Random {
        Rng::new(arguments.seed).shuffle(&mut list);
    }
    let there = list.len();
    if skipped >= there {
        return Err(usage(format!("--first-opening {}: there are {there}", arguments.first_opening)));
    }
    if there - skipped < rounds && !arguments.quiet {
        errln!("{}: {} openings for {rounds} rounds; they are played again", path.display(), there - skipped);
    }
    Ok((0..rounds).map(|round| list[(skipped + round) % there].clone()).collect())
}

fn read_sprt(arguments: &Arguments, engines: usize) -> Result<Option<Sprt>, Trouble> {
    if arguments.sprt.is_empty() {
        return Ok(None);
    }
    if engines != 2 {
        return Err(usage("--sprt is a test of two engines"));
    }
    let numbers = parse_numbers(&arguments.sprt, ["elo0", "elo1", "alpha", "beta"]);
    let [elo0, elo1, alpha, beta] = numbers.map_err(|error| usage(format!("--sprt: {error}")))?;
    let (Some(elo0), Some(elo1)) = (elo0, elo1) else { return Err(usage("--sprt needs elo0= and elo1=")) };
    let test = Sprt::new(elo0, elo1, alpha.unwrap_or(0.05), beta.unwrap_or(0.05), arguments.sprt_scale);
    test.map(Some).map_err(|error| usage(format!("--sprt: {error}")))
}

fn read_adjudication(arguments: &Arguments) -> Result<Adjudication, Trouble> {
    let mut adjudication = Adjudication { max_moves: arguments.max_moves, ..Adjudication::default() };
    if arguments.max_moves == Some(0) {
        return Err(usage("--max-moves 0: there must be a move"));
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

/// Opens the log: when all arguments have been found to be good, so that no empty file is left of those
/// that are not.
fn open_log(arguments: &Arguments) -> Result<Option<Arc<Log>>, Trouble> {
    let Some(path) = &arguments.log else { return Ok(None) };
    let file = if arguments.resume && !arguments.force {
        OpenOptions::new().append(true).create(true).open(path)
    } else {
        files::create(path, arguments.force)
    };
    let file = file.map_err(|error| usage(format!("{}: {error}", path.display())))?;
    Ok(Some(Arc::new(Log::new(file))))
}

/// The file of games, open and locked, so that no second match writes to it.
struct GamesFile {
    path: PathBuf,
    file: File,
}

impl GamesFile {
    /// Opens the file and finds out what has been played.
    fn open(path: &Path, resume: bool, plan: &Plan<'_>) -> Result<(Self, Played), Trouble> {
        let shown = path.display();
        let trouble = |error: std::io::Error| usage(format!("{shown}: {error}"));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(trouble)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(usage(format!("{shown}: another match writes to it"))),
            // A file system without locks: then it goes without.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(trouble)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(trouble)?;
            return Ok((Self { path: path.to_owned(), file }, Played::default()));
        }
        if !resume {
            return Err(usage(format!("{shown} has games in it: --resume goes on with them")));
        }
        let played = read(&bytes, plan).map_err(|error| usage(format!("{shown}, {error}")))?;
        if played.is_torn {
            errln!("{shown}: a game that breaks off at the end is cut away");
        }
        let mut games = Self { path: path.to_owned(), file };
        games.file.set_len(played.length as u64).map_err(trouble)?;
        games.file.seek(SeekFrom::End(0)).map_err(trouble)?;
        if played.length > 0 {
            games.file.write_all(b"\n\n").map_err(trouble)?;
        }
        Ok((games, played))
    }

    /// Writes a game, with one call, and nothing stays in a buffer of ours.
    fn write(&mut self, text: &str) -> Result<(), String> {
        self.file.write_all(text.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

/// What is shown while games are played.
struct Progress {
    bar: ProgressBar,
    /// Without a terminal, a line after so many games.
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

    /// A message that stays.
    fn say(&self, text: &str) {
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

fn run(arguments: &Arguments, engines: Vec<EngineConfig>) -> Result<Status, Trouble> {
    let Setting { engines, openings, schedule, sprt, adjudication, terms } = Setting::new(arguments, engines)?;
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    let limits: Vec<String> = engines.iter().map(|engine| engine.limits.to_string()).collect();
    let variant = arguments.variant;
    let plan = Plan { schedule: &schedule, names: &names, limits: &limits, openings: &openings, variant };
    let (mut file, played) = match &arguments.pgn {
        Some(path) => GamesFile::open(path, arguments.resume, &plan).map(|(file, played)| (Some(file), played))?,
        None => (None, Played::default()),
    };
    let terms = Terms { log: open_log(arguments)?, ..terms };
    let mut standings = Standings::new(engines.len());
    let mut missing = vec![true; schedule.len()];
    for result in &played.results {
        standings.add(result);
        missing[result.fixture.number] = false;
    }
    let pending: Vec<Fixture> = schedule.iter().copied().filter(|fixture| missing[fixture.number]).collect();

    // `stop` ends the match for whatever reason, `interrupted` is one of them.
    let Interrupt { stop, interrupted } = Interrupt::listen().map_err(|error| (Status::Failed, error))?;

    let decided = |standings: &Standings| sprt.and_then(|sprt| sprt.verdict(&standings.tally(0).pairs));
    let hall = Hall {
        engines: &engines,
        terms: &terms,
        openings: &openings,
        adjudication,
        concurrency: arguments.concurrency,
    };
    let begin = Instant::now();
    let mut error = None;
    if decided(&standings).is_none() && !pending.is_empty() {
        hall.check(&stop).map_err(|error| (Status::Failed, error))?;
        let headings = pgn::Headings { event: arguments.event.clone(), variant };
        let progress = Progress::new(arguments, schedule.len(), standings.games());
        let opponent = if engines.len() == 2 { names[1].as_str() } else { "all" };
        let keep = |fixture: Fixture, record: &Record| {
            // What comes after the end of a test does not count, and is played again if need be.
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
                progress.say(&format!("game {}, {name}: {}", fixture.round_tag(), record.end));
            }
            standings.add(&GameResult { fixture, half_points: record.end.half_points(), fault });
            progress.update(&standings, [&names[0], opponent], schedule.len(), sprt.as_ref());
            if decided(&standings).is_some() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let ended = hall.play(&pending, &stop, keep);
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
    if cli::tell_lost_output() && error.is_none() {
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

/// The arguments, and the engines with their words apart.
fn parse_arguments() -> Result<(Arguments, Vec<EngineConfig>), Trouble> {
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
        cli::complain(&message);
        status
    });
    ExitCode::from(status as u8)
}
