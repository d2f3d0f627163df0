//! The options of fastchess.

use super::super::config::{EngineConfig, Limits, Protocol, TimeControl};
use super::super::game::{DrawRule, ResignRule};
use super::super::processors;
use super::super::schedule::Format;
use super::super::sprt::{Scale, Sprt};
use regex_lite::Regex;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// A validated command line.
#[derive(Debug)]
pub struct Settings {
    pub engines: Vec<EngineConfig>,
    pub variant: VariantChoice,
    pub schedule: ScheduleSettings,
    pub concurrency: usize,
    /// The processors to which the engines of each concurrent game are bound; empty for any.
    pub processors: Vec<usize>,
    /// The pause after each game.
    pub wait: Duration,
    /// Whether the match goes on after a crash or a stall.
    pub recover: bool,
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    pub max_moves: Option<u32>,
    pub tables: Option<TableSettings>,
    pub book: Option<BookSettings>,
    pub seed: Option<u64>,
    pub sprt: Option<Sprt>,
    pub pgn: Option<PgnSettings>,
    pub epd: Option<FileSettings>,
    pub event: String,
    pub site: String,
    pub output: OutputFormat,
    /// How often the rating is printed, in pairs of games, or in games without pentanomial statistics; 0 for never.
    pub rating_interval: usize,
    /// How often the score is printed, in games; 0 for never.
    pub score_interval: usize,
    /// Whether the statistics are those of pairs.
    pub is_pentanomial: bool,
    pub log: Option<FileSettings>,
    /// Whether any fault of an engine ends the match.
    pub strict: bool,
    /// The file of the match itself, if it is to be saved or continued.
    pub config: Option<ConfigSettings>,
    /// How often that file is written, in games; 0 for only at the end.
    pub autosave_interval: usize,
    /// The words of the command line without those of `-config`.
    pub arguments: Vec<String>,
}

/// The file of a match.
#[derive(Clone, Debug)]
pub struct ConfigSettings {
    /// The file from which the match is continued, if any.
    pub input: Option<PathBuf>,
    /// The file to which it is saved.
    pub output: PathBuf,
    /// Whether the results are continued, and not only the command line.
    pub stats: bool,
}

/// The variant that the engines play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariantChoice {
    /// What the first engine plays by default.
    Standard,
    Spartan,
    Chess,
}

#[derive(Clone, Copy, Debug)]
pub struct ScheduleSettings {
    pub format: Format,
    /// The number of engines that play a gauntlet against the others.
    pub seeds: usize,
    pub rounds: usize,
    /// Games of each pairing in a round: 1 or 2.
    pub games: usize,
    /// Whether colours alternate from game to game.
    pub swap: bool,
    /// Whether the second engine of a pairing has White first.
    pub reverse: bool,
}

#[derive(Debug)]
pub struct TableSettings {
    pub path: String,
    pub max_men: u32,
    pub ignore_fifty_moves: bool,
    pub wins: bool,
    pub draws: bool,
}

#[derive(Debug, Default)]
pub struct BookSettings {
    pub file: PathBuf,
    pub is_pgn: bool,
    pub is_random: bool,
    pub plies: Option<usize>,
    /// The number of the first opening, from 1.
    pub start: usize,
}

#[derive(Debug)]
pub struct FileSettings {
    pub file: PathBuf,
    pub append: bool,
}

/// What the PGN file contains.
#[derive(Debug)]
pub struct PgnSettings {
    pub file: PathBuf,
    pub append: bool,
    /// Whether moves are in UCI notation instead of SAN.
    pub is_uci: bool,
    /// Only the moves and the essential tags.
    pub minimal: bool,
    /// What the comments contain beside score, depth and time.
    pub fields: Vec<Field>,
    /// The engine's lines to add to the comments.
    pub lines: Vec<Regex>,
}

/// An optional part of the comment on a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    TimeLeft,
    Latency,
    Nodes,
    SelDepth,
    Nps,
    HashFull,
    TbHits,
    Pv,
}

/// The parts of a comment in their order, with the keys of `-pgnout`.
const FIELDS: [(&str, Field); 8] = [
    ("timeleft", Field::TimeLeft),
    ("latency", Field::Latency),
    ("nodes", Field::Nodes),
    ("seldepth", Field::SelDepth),
    ("nps", Field::Nps),
    ("hashfull", Field::HashFull),
    ("tbhits", Field::TbHits),
    ("pv", Field::Pv),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputFormat {
    Fastchess,
    Cutechess,
}

/// How many values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Values {
    None,
    One,
    /// One or more `key=value`.
    Pairs,
    /// Any number of `key=value`.
    OptionalPairs,
    Any,
    /// The option is not supported, for the reason given.
    Refused(&'static str),
}

/// The options with their values and descriptions, in the order of `-help`.
const OPTIONS: [(&str, Values, &str); 50] = [
    (
        "-engine",
        Values::Pairs,
        "an engine: cmd= name= args= dir= proto=uci|xboard tc= st= nodes= depth= timemargin= restart= option.NAME=",
    ),
    ("-each", Values::Pairs, "the same for all engines"),
    ("-variant", Values::One, "standard (what the first engine plays by default), spartan or chess"),
    ("-concurrency", Values::One, "concurrent games (1)"),
    (
        "-use-affinity",
        Values::Any,
        "bind the engines of each concurrent game to a processor, of a list such as 3,5,7-11",
    ),
    ("-force-concurrency", Values::None, "allow more than there are processors"),
    ("-rounds", Values::One, "rounds (2)"),
    ("-games", Values::One, "games of each pairing in a round: 1 or 2 (2)"),
    ("-repeat", Values::Any, "-games 2"),
    ("-tournament", Values::One, "roundrobin or gauntlet (roundrobin)"),
    ("-seeds", Values::One, "engines that play a gauntlet against the others (1)"),
    ("-noswap", Values::None, "the first engine of a pairing always has White"),
    ("-reverse", Values::None, "the second engine of a pairing has White first"),
    ("-wait", Values::One, "milliseconds between games"),
    ("-recover", Values::None, "go on after a crash or a stall"),
    ("-openings", Values::Pairs, "file= format=epd|pgn order=random|sequential plies= start="),
    ("-srand", Values::One, "the seed of the order of the openings"),
    ("-sprt", Values::Pairs, "elo0= elo1= alpha= beta= model=normalized|logistic"),
    ("-draw", Values::Pairs, "movenumber= movecount= score="),
    ("-resign", Values::Pairs, "movecount= score= twosided="),
    ("-maxmoves", Values::One, "a draw after this number of moves"),
    ("-tb", Values::One, "folders of endgame tables of agoge-bench tables"),
    ("-tbpieces", Values::One, "adjudicate at most this number of men"),
    ("-tbignore50", Values::None, "ignore the fifty-move rule in the tables"),
    ("-tbadjudicate", Values::One, "BOTH, WIN_LOSS or DRAW (BOTH)"),
    (
        "-pgnout",
        Values::OptionalPairs,
        "file= append= notation=san|uci min= nodes= seldepth= nps= hashfull= tbhits= timeleft= latency= pv= match_line=",
    ),
    ("-epdout", Values::OptionalPairs, "file= append=: the final positions"),
    ("-event", Values::Any, "the PGN tag Event"),
    ("-site", Values::Any, "the PGN tag Site"),
    ("-output", Values::Pairs, "format=fastchess|cutechess"),
    ("-ratinginterval", Values::One, "rounds between reports of the rating (10)"),
    ("-scoreinterval", Values::One, "games between reports of the score (1)"),
    ("-report", Values::Pairs, "penta=true|false: pentanomial statistics (true)"),
    ("-log", Values::Pairs, "file= append=: all communication with the engines"),
    ("-config", Values::Pairs, "file= outname= discard= stats=: continue a match from a file, and save it"),
    ("-autosaveinterval", Values::One, "games after which the match is saved if there is -config (20)"),
    ("-strict", Values::None, "end with status 1 after any fault of an engine"),
    ("-quick", Values::Pairs, "cmd= cmd= book=: a match at 10+0.1"),
    ("-testEnv", Values::None, "for test frameworks; changes nothing"),
    ("-show-latency", Values::None, "changes nothing; see latency= of -pgnout"),
    ("-startup-ms", Values::One, "changes nothing: engines have 30 s to start"),
    ("-ucinewgame-ms", Values::One, "changes nothing: engines have 30 s to prepare for a game"),
    ("-ping-ms", Values::One, "changes nothing: engines have 30 s to answer isready"),
    ("-version", Values::None, "print the version"),
    ("--version", Values::None, "print the version"),
    ("-v", Values::None, "print the version"),
    ("-help", Values::None, "print this help"),
    ("--help", Values::None, "print this help"),
    ("-crc32", Values::Refused("use the program crc32 on the PGN file"), "not supported"),
    ("-check-mate-pvs", Values::Refused("lines are not checked"), "not supported"),
];

/// What the command line asks for.
#[derive(Debug)]
pub enum Request {
    Match(Box<Settings>),
    Help,
    Version,
}

/// The text of `-help`.
pub fn help() -> String {
    let mut text = "A match with the command line and output of fastchess.\n\n".to_owned();
    for (name, _, description) in OPTIONS {
        text.push_str(&format!("{name:<18} {description}\n"));
    }
    text
}

/// Parses a command line without the name of the program.
///
/// # Errors
/// The first mistake: an option or key that is unknown or not supported, or an invalid value.
pub fn parse(words: &[String]) -> Result<Request, String> {
    if words.is_empty() {
        return Ok(Request::Help);
    }
    let mut draft = Draft::default();
    let mut each = Vec::new();
    let mut rest = words;
    while let Some((name, after)) = rest.split_first() {
        let option = OPTIONS.iter().find(|(known, ..)| known == name);
        let (name, values, _) = option.ok_or_else(|| format!("Unrecognized option: {name}"))?;
        let count = after.iter().take_while(|word| is_value(word)).count();
        let (given, next) = after.split_at(count);
        rest = next;
        let wrong = |expected: &str| format!("Option \"{name}\" {expected}");
        match values {
            Values::Refused(reason) => return Err(wrong(&format!("is not supported: {reason}"))),
            Values::None if count > 0 => return Err(wrong("does not accept parameters")),
            Values::One if count != 1 => return Err(wrong("expects exactly one value")),
            Values::Pairs if count == 0 => return Err(wrong("expects key=value parameters")),
            _ => {}
        }
        let pairs = match values {
            Values::Pairs | Values::OptionalPairs => pairs(given).map_err(|error| wrong(&error))?,
            _ => Vec::new(),
        };
        match *name {
            "-config" => {}
            name => {
                draft.arguments.push(name.to_owned());
                draft.arguments.extend_from_slice(given);
            }
        }
        match *name {
            "-help" | "--help" => return Ok(Request::Help),
            "-version" | "--version" | "-v" => return Ok(Request::Version),
            // It also applies to engines that follow.
            "-each" => each.extend(pairs),
            name => draft.set(name, given, &pairs).map_err(|error| format!("{name}: {error}"))?,
        }
    }
    for engine in &mut draft.engines {
        each.iter().try_for_each(|(key, value)| engine.set(key, value)).map_err(|error| format!("-each: {error}"))?;
    }
    draft.finish().map(|settings| Request::Match(Box::new(settings)))
}

/// Whether a word is a value: negative numbers are, other words with a hyphen are options.
fn is_value(word: &str) -> bool {
    match word.strip_prefix('-') {
        Some(rest) => rest.starts_with(|c: char| c.is_ascii_digit()),
        None => true,
    }
}

fn pairs(words: &[String]) -> Result<Vec<(&str, &str)>, String> {
    let pair = |word: &'_ String| -> Option<(usize, usize)> {
        let at = word.find('=')?;
        (at > 0 && at + 1 < word.len()).then_some((at, at + 1))
    };
    let parsed = words.iter().map(|word| {
        let (end, begin) = pair(word).ok_or_else(|| format!("expects key=value pairs, not \"{word}\""))?;
        Ok((&word[..end], &word[begin..]))
    });
    parsed.collect()
}

fn number<T: FromStr>(value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("invalid number \"{value}\""))
}

/// A whole number of at least `least`.
fn at_least<T: FromStr + PartialOrd + Display + Copy>(value: &str, least: T) -> Result<T, String> {
    let found = number::<T>(value)?;
    if found < least { Err(format!("{value} is less than {least}")) } else { Ok(found) }
}

fn boolean(value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("\"{value}\" is neither true nor false")),
    }
}

fn unknown(key: &str, value: &str) -> String {
    format!("unrecognized \"{key}\" with value \"{value}\"")
}

/// A duration in seconds, with decimals; fastchess counts milliseconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = number(text.strip_suffix('s').filter(|rest| !rest.is_empty()).unwrap_or(text))?;
    if !(0.0..1e10).contains(&seconds) {
        return Err(format!("invalid duration \"{text}\""));
    }
    Ok(Duration::from_millis((seconds * 1000.0) as u64))
}

/// Parses `[moves/]time[+increment]` with the time in seconds or as `minutes:seconds`; `inf` is no clock.
fn time_control(text: &str) -> Result<Option<TimeControl>, String> {
    if matches!(text, "inf" | "infinite") {
        return Ok(None);
    }
    let wrong = || format!("invalid time control \"{text}\"");
    let (moves, rest) = match text.split_once('/') {
        Some(("inf" | "infinite", rest)) => (None, rest),
        Some((moves, rest)) => (Some(at_least(moves, 1u32)?), rest),
        None => (None, text),
    };
    let (time, increment) = match rest.split_once('+') {
        Some((time, increment)) => (time, seconds(increment)?),
        None => (rest, Duration::ZERO),
    };
    let base = match time.split_once(':') {
        Some((minutes, rest)) => {
            let minutes: f64 = number(minutes)?;
            if !(0.0..1e8).contains(&minutes) {
                return Err(wrong());
            }
            Duration::from_millis((minutes * 60_000.0) as u64) + seconds(rest)?
        }
        None => seconds(time)?,
    };
    Ok(Some(TimeControl { moves, base, increment }).filter(|clock| !(clock.base + clock.increment).is_zero()))
}

/// The words about an engine so far.
#[derive(Debug, Default)]
struct EngineDraft {
    command: Option<String>,
    name: Option<String>,
    arguments: Vec<String>,
    directory: Option<PathBuf>,
    limits: Limits,
    margin: Duration,
    restart: bool,
    protocol: Protocol,
    options: Vec<(String, String)>,
}

impl EngineDraft {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |error| format!("{key}={value}: {error}");
        match key {
            "cmd" => self.command = Some(value.to_owned()),
            "name" => self.name = Some(value.to_owned()),
            "args" => self.arguments = shlex::split(value).ok_or_else(|| wrong("a quote is not closed".to_owned()))?,
            "dir" => self.directory = Some(value.into()),
            "tc" => self.limits.clock = time_control(value).map_err(wrong)?,
            "st" => self.limits.movetime = Some(seconds(value).map_err(wrong)?).filter(|time| !time.is_zero()),
            "timemargin" => self.margin = Duration::from_millis(at_least(value, 0).map_err(wrong)?),
            "nodes" => self.limits.nodes = Some(number(value).map_err(wrong)?).filter(|&nodes| nodes > 0),
            "depth" | "plies" => self.limits.depth = Some(number(value).map_err(wrong)?).filter(|&depth| depth > 0),
            "restart" => match value {
                "on" => self.restart = true,
                "off" => self.restart = false,
                _ => return Err(wrong("neither on nor off".to_owned())),
            },
            "proto" => self.protocol = Protocol::parse(value).map_err(wrong)?,
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => self.options.push((name.to_owned(), value.to_owned())),
                _ => return Err(unknown(key, value)),
            },
        }
        Ok(())
    }

    fn finish(self) -> Result<EngineConfig, String> {
        let text = self.command.ok_or("an engine has no cmd=")?;
        let mut command = PathBuf::from(&text);
        if let Some(directory) = &self.directory {
            command = directory.join(command);
        }
        let bare = self.directory.is_none() && command.parent() == Some(Path::new(""));
        if !bare {
            command = std::path::absolute(&command).unwrap_or(command);
        }
        if (self.directory.is_some() || Path::new(&text).is_absolute()) && !command.is_file() {
            return Err(format!("Engine binary does not exist: {}", command.display()));
        }
        let limits = self.limits;
        if limits.is_empty() {
            return Err("no TimeControl specified".to_owned());
        }
        if limits.clock.is_some() && limits.movetime.is_some() {
            return Err("cannot use tc and st together".to_owned());
        }
        let stem = || Path::new(&text).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = self.name.or_else(stem).ok_or("please specify a name for each engine")?;
        Ok(EngineConfig {
            name,
            command,
            arguments: self.arguments,
            directory: self.directory,
            protocol: self.protocol,
            options: self.options,
            limits,
            margin: self.margin,
            restart: self.restart,
            ponder: false,
            processor: None,
        })
    }
}

/// The command line so far.
#[derive(Debug)]
struct Draft {
    engines: Vec<EngineDraft>,
    variant: VariantChoice,
    format: Format,
    seeds: usize,
    rounds: usize,
    games: usize,
    swap: bool,
    reverse: bool,
    concurrency: i64,
    force_concurrency: bool,
    /// The list of processors to bind engines to, if any; empty for all.
    affinity: Option<String>,
    wait: u64,
    recover: bool,
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    max_moves: Option<u32>,
    tables: Option<String>,
    max_men: u32,
    ignore_fifty_moves: bool,
    adjudicate: (bool, bool),
    book: BookSettings,
    seed: Option<u64>,
    sprt: Option<SprtDraft>,
    pgn: Option<PgnSettings>,
    epd: Option<FileSettings>,
    event: String,
    site: String,
    output: OutputFormat,
    rating_interval: usize,
    score_interval: usize,
    penta: bool,
    log: Option<FileSettings>,
    strict: bool,
    config: Option<ConfigSettings>,
    autosave_interval: usize,
    arguments: Vec<String>,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            engines: Vec::new(),
            variant: VariantChoice::Standard,
            format: Format::RoundRobin,
            seeds: 1,
            rounds: 2,
            games: 2,
            swap: true,
            reverse: false,
            concurrency: 1,
            force_concurrency: false,
            affinity: None,
            wait: 0,
            recover: false,
            draw: None,
            resign: None,
            max_moves: None,
            tables: None,
            max_men: 0,
            ignore_fifty_moves: false,
            adjudicate: (true, true),
            book: BookSettings { start: 1, ..BookSettings::default() },
            seed: None,
            sprt: None,
            pgn: None,
            epd: None,
            event: "Fastchess Tournament".to_owned(),
            site: "?".to_owned(),
            output: OutputFormat::Fastchess,
            rating_interval: 10,
            score_interval: 1,
            penta: true,
            log: None,
            strict: false,
            config: None,
            autosave_interval: 20,
            arguments: Vec::new(),
        }
    }
}

#[derive(Debug, Default)]
struct SprtDraft {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    scale: Scale,
}

impl SprtDraft {
    fn new(pairs: &[(&str, &str)]) -> Result<Self, String> {
        let mut test = Self { scale: Scale::Normalised, ..Self::default() };
        for &(key, value) in pairs {
            match (key, value) {
                ("elo0", _) => test.elo0 = number(value)?,
                ("elo1", _) => test.elo1 = number(value)?,
                ("alpha", _) => test.alpha = number(value)?,
                ("beta", _) => test.beta = number(value)?,
                ("model", "normalized") => test.scale = Scale::Normalised,
                ("model", "logistic") => test.scale = Scale::Logistic,
                ("model", "bayesian") => return Err("the model bayesian is not supported; use logistic".to_owned()),
                _ => return Err(unknown(key, value)),
            }
        }
        Ok(test)
    }
}

impl Draft {
    /// Applies an option: its values, and if it takes `key=value`, its pairs.
    fn set(&mut self, name: &str, values: &[String], pairs: &[(&str, &str)]) -> Result<(), String> {
        let value = values.first().map_or("", String::as_str);
        match name {
            "-engine" => {
                let mut engine = EngineDraft::default();
                pairs.iter().try_for_each(|(key, value)| engine.set(key, value))?;
                self.engines.push(engine);
            }
            "-variant" => {
                self.variant = match value {
                    "standard" => VariantChoice::Standard,
                    "spartan" => VariantChoice::Spartan,
                    "chess" => VariantChoice::Chess,
                    "fischerandom" => return Err("fischerandom is not supported".to_owned()),
                    _ => return Err(format!("unknown variant {value}")),
                }
            }
            "-concurrency" => self.concurrency = number(value)?,
            "-use-affinity" => self.affinity = Some(values.join(",")),
            "-force-concurrency" => self.force_concurrency = true,
            "-rounds" => self.rounds = at_least(value, 1)?,
            "-games" => self.games = at_least(value, 1)?,
            "-repeat" => self.games = if values.len() == 1 { at_least(value, 1)? } else { 2 },
            "-tournament" => {
                self.format = match value {
                    "roundrobin" => Format::RoundRobin,
                    "gauntlet" => Format::Gauntlet,
                    _ => return Err(format!("unsupported tournament format {value}; use roundrobin or gauntlet")),
                }
            }
            "-seeds" => self.seeds = at_least(value, 1)?,
            "-noswap" => self.swap = false,
            "-reverse" => self.reverse = true,
            "-wait" => self.wait = number(value)?,
            "-recover" => self.recover = true,
            "-openings" => self.set_book(pairs)?,
            "-srand" => self.seed = Some(number(value)?),
            "-sprt" => self.sprt = Some(SprtDraft::new(pairs)?),
            "-draw" => self.draw = Some(draw_rule(pairs)?),
            "-resign" => self.resign = Some(resign_rule(pairs)?),
            "-maxmoves" => self.max_moves = Some(at_least(value, 1)?),
            "-tb" => self.tables = Some(value.to_owned()),
            "-tbpieces" => self.max_men = number(value)?,
            "-tbignore50" => self.ignore_fifty_moves = true,
            "-tbadjudicate" => {
                self.adjudicate = match value {
                    "BOTH" => (true, true),
                    "WIN_LOSS" => (true, false),
                    "DRAW" => (false, true),
                    _ => return Err(format!("invalid type {value}")),
                }
            }
            "-pgnout" => self.pgn = Some(pgn_settings(pairs)?),
            "-epdout" => self.epd = Some(file_settings(pairs, "epd")?),
            "-event" => self.event = values.concat(),
            "-site" => self.site = values.concat(),
            "-output" => {
                for &(key, value) in pairs {
                    self.output = match (key, value) {
                        ("format", "fastchess") => OutputFormat::Fastchess,
                        ("format", "cutechess") => OutputFormat::Cutechess,
                        _ => return Err(unknown(key, value)),
                    };
                }
            }
            "-ratinginterval" => self.rating_interval = number(value)?,
            "-scoreinterval" => self.score_interval = number(value)?,
            "-report" => {
                for &(key, value) in pairs {
                    match key {
                        "penta" => self.penta = boolean(value)?,
                        _ => return Err(unknown(key, value)),
                    }
                }
            }
            "-log" => self.log = log_settings(pairs)?,
            "-strict" => self.strict = true,
            "-quick" => self.set_quick(pairs)?,
            "-config" => self.config = Some(config_settings(pairs)?),
            "-autosaveinterval" => self.autosave_interval = number(value)?,
            "-startup-ms" | "-ucinewgame-ms" | "-ping-ms" => drop(number::<u64>(value)?),
            // Those that change nothing.
            _ => {}
        }
        Ok(())
    }

    fn set_book(&mut self, pairs: &[(&str, &str)]) -> Result<(), String> {
        let book = &mut self.book;
        for &(key, value) in pairs {
            match (key, value) {
                ("file", _) => {
                    book.file = value.into();
                    if !book.file.exists() {
                        return Err(format!("Opening file does not exist: {value}"));
                    }
                    book.is_pgn = value.ends_with(".pgn");
                }
                ("format", "epd") => book.is_pgn = false,
                ("format", "pgn") => book.is_pgn = true,
                ("order", "random") => book.is_random = true,
                ("order", "sequential") => book.is_random = false,
                ("plies", _) => book.plies = usize::try_from(number::<i64>(value)?).ok(),
                ("start", _) => book.start = at_least(value, 1)?,
                ("policy", "round") => {}
                _ => return Err(unknown(key, value)),
            }
        }
        Ok(())
    }

    fn set_quick(&mut self, pairs: &[(&str, &str)]) -> Result<(), String> {
        let first = self.engines.len();
        let mut book = Vec::new();
        for &(key, value) in pairs {
            match key {
                "cmd" => {
                    let mut engine = EngineDraft { name: Some(value.to_owned()), ..EngineDraft::default() };
                    engine.set("cmd", value)?;
                    engine.set("tc", "10+0.1")?;
                    self.engines.push(engine);
                }
                "book" => book.push(("file", value)),
                _ => return Err(unknown(key, value)),
            }
        }
        let [one, two] = &mut self.engines[first..] else {
            return Err("requires exactly two cmd entries".to_owned());
        };
        if one.name == two.name {
            for (engine, digit) in [(one, '1'), (two, '2')] {
                engine.name.iter_mut().for_each(|name| name.push(digit));
            }
        }
        let Some(&(_, name)) = book.last() else { return Err("requires a book=FILE entry".to_owned()) };
        if !name.ends_with(".pgn") && !name.ends_with(".epd") {
            return Err("the book needs the extension .pgn or .epd".to_owned());
        }
        self.set_book(&book)?;
        self.book.is_random = true;
        (self.games, self.rounds, self.recover) = (2, 25_000, true);
        self.concurrency = (available_processors() - 2).max(1);
        self.draw = Some(DrawRule { from: 30, count: 8, score: 8 });
        self.output = OutputFormat::Cutechess;
        Ok(())
    }

    fn finish(mut self) -> Result<Settings, String> {
        // As in cutechess-cli, `-games` may be meant as the number of rounds.
        if self.games > 2 {
            std::mem::swap(&mut self.games, &mut self.rounds);
        }
        if self.games > 2 {
            return Err("-games: at most 2".to_owned());
        }
        let is_pentanomial = self.penta && self.output == OutputFormat::Fastchess && self.games == 2;
        if self.concurrency <= 0 {
            self.concurrency += available_processors();
        }
        let concurrency = usize::try_from(self.concurrency).unwrap_or(0);
        if concurrency == 0 {
            return Err("-concurrency: too few processors".to_owned());
        }
        if self.concurrency > available_processors() && !self.force_concurrency {
            return Err("Concurrency exceeds number of CPUs. Use -force-concurrency to override.".to_owned());
        }
        let processors = self.affinity.map_or(Ok(Vec::new()), |list| {
            let list = Some(list.as_str()).filter(|list| !list.is_empty());
            processors::choose(list, concurrency).map_err(|error| format!("-use-affinity: {error}"))
        })?;
        let mut engines = self.engines.into_iter().map(EngineDraft::finish).collect::<Result<Vec<_>, _>>()?;
        if engines.len() < 2 {
            return Err("Need at least two engines to start".to_owned());
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        for engine in &mut engines {
            let count = seen.entry(engine.name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                engine.name = format!("{}_{count}", engine.name);
            }
        }
        let sprt = self.sprt.map(|test| Sprt::new(test.elo0, test.elo1, test.alpha, test.beta, test.scale));
        let (wins, draws) = self.adjudicate;
        let tables = self.tables.map(|path| TableSettings {
            path,
            max_men: if self.max_men == 0 { u32::MAX } else { self.max_men },
            ignore_fifty_moves: self.ignore_fifty_moves,
            wins,
            draws,
        });
        Ok(Settings {
            engines,
            variant: self.variant,
            schedule: ScheduleSettings {
                format: self.format,
                seeds: self.seeds,
                rounds: self.rounds,
                games: self.games,
                swap: self.swap,
                reverse: self.reverse,
            },
            concurrency,
            processors,
            wait: Duration::from_millis(self.wait),
            recover: self.recover,
            draw: self.draw,
            resign: self.resign,
            max_moves: self.max_moves,
            tables,
            book: (!self.book.file.as_os_str().is_empty()).then_some(self.book),
            seed: self.seed,
            sprt: sprt.transpose().map_err(|error| format!("-sprt: {error}"))?,
            pgn: self.pgn,
            epd: self.epd,
            event: self.event,
            site: self.site,
            output: self.output,
            rating_interval: self.rating_interval,
            score_interval: self.score_interval,
            is_pentanomial,
            log: self.log,
            strict: self.strict,
            config: self.config,
            autosave_interval: self.autosave_interval,
            arguments: self.arguments,
        })
    }
}

fn available_processors() -> i64 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as i64)
}

fn draw_rule(pairs: &[(&str, &str)]) -> Result<DrawRule, String> {
    let mut rule = DrawRule { from: 0, count: 1, score: 0 };
    for &(key, value) in pairs {
        match key {
            "movenumber" => rule.from = number(value)?,
            "movecount" => rule.count = number(value)?,
            "score" => rule.score = at_least(value, 0)?,
            _ => return Err(unknown(key, value)),
        }
    }
    Ok(rule)
}

fn resign_rule(pairs: &[(&str, &str)]) -> Result<ResignRule, String> {
    let mut rule = ResignRule { count: 1, score: 0, two_sided: false };
    for &(key, value) in pairs {
        match key {
            "movecount" => rule.count = number(value)?,
            "score" => rule.score = at_least(value, 0)?,
            "twosided" => rule.two_sided = boolean(value)?,
            _ => return Err(unknown(key, value)),
        }
    }
    Ok(rule)
}

/// A new file in the current folder, named after the time.
fn default_file(extension: &str) -> PathBuf {
    format!("fastchess_{}.{extension}", chrono::Utc::now().format("%Y%m%d_%H%M%S")).into()
}

fn file_settings(pairs: &[(&str, &str)], extension: &str) -> Result<FileSettings, String> {
    let mut found = FileSettings { file: default_file(extension), append: true };
    for &(key, value) in pairs {
        match key {
            "file" => found.file = value.into(),
            "append" => found.append = boolean(value)?,
            _ => return Err(unknown(key, value)),
        }
    }
    Ok(found)
}

fn log_settings(pairs: &[(&str, &str)]) -> Result<Option<FileSettings>, String> {
    let mut found = FileSettings { file: PathBuf::new(), append: true };
    for &(key, value) in pairs {
        match (key, value) {
            ("file", _) => found.file = value.into(),
            ("append", _) => found.append = boolean(value)?,
            ("level", "trace" | "info" | "warn" | "err" | "fatal") => {}
            ("realtime" | "engine", _) => drop(boolean(value)?),
            ("compress", _) if boolean(value)? => return Err("compress=true is not supported".to_owned()),
            ("compress", _) => {}
            _ => return Err(unknown(key, value)),
        }
    }
    Ok(Some(found).filter(|found| !found.file.as_os_str().is_empty()))
}

/// The file of the match. With `discard=true` the input is ignored.
fn config_settings(pairs: &[(&str, &str)]) -> Result<ConfigSettings, String> {
    let mut found = ConfigSettings { input: None, output: "config.json".into(), stats: true };
    let mut discard = false;
    for &(key, value) in pairs {
        match key {
            "file" => found.input = Some(value.into()),
            "outname" => found.output = value.into(),
            "discard" => discard = boolean(value)?,
            "stats" => found.stats = boolean(value)?,
            _ => return Err(unknown(key, value)),
        }
    }
    if discard {
        found.input = None;
    }
    Ok(found)
}

fn pgn_settings(pairs: &[(&str, &str)]) -> Result<PgnSettings, String> {
    let mut found = PgnSettings {
        file: default_file("pgn"),
        append: true,
        is_uci: false,
        minimal: false,
        fields: Vec::new(),
        lines: Vec::new(),
    };
    let mut wanted = Vec::new();
    for &(key, value) in pairs {
        match (key, value) {
            ("file", _) => found.file = value.into(),
            ("append", _) => found.append = boolean(value)?,
            ("min", _) => found.minimal = boolean(value)?,
            ("notation", "san") => found.is_uci = false,
            ("notation", "uci") => found.is_uci = true,
            ("notation", "lan") => return Err("notation=lan is not supported; use san or uci".to_owned()),
            ("match_line", _) => {
                found.lines.push(Regex::new(value).map_err(|error| format!("match_line={value}: {error}"))?);
            }
            _ if FIELDS.iter().any(|(known, _)| *known == key) => {
                wanted.retain(|other| *other != key);
                if boolean(value)? {
                    wanted.push(key);
                }
            }
            _ => return Err(unknown(key, value)),
        }
    }
    found.fields = FIELDS.iter().filter(|(key, _)| wanted.contains(key)).map(|(_, field)| *field).collect();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(line: &str) -> Result<Settings, String> {
        let words = shlex::split(line).expect("closed quotes");
        match parse(&words)? {
            Request::Match(settings) => Ok(*settings),
            other => panic!("{other:?}"),
        }
    }

    const TWO: &str = "-engine cmd=a name=x -engine cmd=b name=y";

    #[test]
    fn the_command_line_of_openbench() {
        let line = "-recover -variant standard -testEnv -concurrency 1 -rounds 16 -games 2 -resign movecount=3 score=400 \
                    -draw movenumber=40 movecount=8 score=10 -engine dir=/bin cmd=./sh proto=uci tc=8.20+0.08 \
                    timemargin=250 option.Threads=1 option.Hash=16 name=sh-dev -engine dir=/bin cmd=./sh proto=uci \
                    tc=inf nodes=5000 option.Hash=16 name=sh-base -openings file=Cargo.toml format=epd order=random \
                    start=33 -srand 1234567 -pgnout file=x.pgn seldepth=true nodes=true \
                    match_line='^info string pgncomment .*'";
        let found = settings(line).expect("a valid line");
        let [dev, base] = &found.engines[..] else { panic!("{:?}", found.engines) };
        assert_eq!((dev.limits.to_string(), base.limits.to_string()), ("8.2+0.08".into(), "nodes=5000".into()));
        assert_eq!((dev.margin.as_millis(), dev.name.as_str()), (250, "sh-dev"));
        assert!(dev.command.ends_with("bin/./sh") || dev.command.ends_with("bin/sh"), "{:?}", dev.command);
        assert_eq!(found.resign, Some(ResignRule { score: 400, count: 3, two_sided: false }));
        assert_eq!(found.draw, Some(DrawRule { score: 10, count: 8, from: 40 }));
        let book = found.book.expect("a book");
        assert_eq!((book.is_pgn, book.is_random, book.start, found.seed), (false, true, 33, Some(1_234_567)));
        let pgn = found.pgn.expect("a PGN file");
        assert_eq!(pgn.fields, [Field::Nodes, Field::SelDepth]);
        assert!(pgn.lines[0].is_match("info string pgncomment x"));
        assert!(found.is_pentanomial && found.recover);
    }

    #[test]
    fn time_controls() {
        let shown =
            |text| time_control(text).map(|clock| clock.map_or_else(|| "-".to_owned(), |clock| clock.to_string()));
        for (text, expected) in [
            ("inf", "-"),
            ("60+0.6", "60+0.6"),
            ("40/1:30+1", "40/90+1"),
            ("10s", "10"),
            ("0+1", "0+1"),
            ("0", "-"),
            ("1.2345", "1.234"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["", "x", "1+", "+1", "/1", "0/1", "-1", "1:x", "nan", "1e300", "hg=5"] {
            assert!(shown(text).is_err(), "{text}");
        }
    }

    #[test]
    fn defaults_are_those_of_fastchess() {
        let found = settings(&format!("{TWO} -each tc=1")).expect("a valid line");
        let ScheduleSettings { rounds, games, swap, seeds, .. } = found.schedule;
        assert_eq!((rounds, games, swap, seeds), (2, 2, true, 1));
        assert_eq!((found.concurrency, found.rating_interval, found.score_interval), (1, 10, 1));
        assert!(found.is_pentanomial && !found.recover && found.book.is_none());
        // Games and rounds are exchanged if that makes sense.
        let found = settings(&format!("{TWO} -each tc=1 -games 50 -rounds 1")).expect("a valid line");
        assert_eq!((found.schedule.rounds, found.schedule.games, found.is_pentanomial), (50, 1, false));
    }

    #[test]
    fn equal_names_are_numbered() {
        let found = settings("-engine cmd=a -engine cmd=a -engine cmd=x/a.bin -each nodes=5").expect("a valid line");
        assert_eq!(found.engines.iter().map(|engine| engine.name.as_str()).collect::<Vec<_>>(), ["a", "a_2", "a_3"]);
    }

    #[test]
    fn mistakes_are_named() {
        for (rest, error) in [
            ("-colour red", "Unrecognized option: -colour"),
            ("-each", "expects key=value"),
            ("-each tc", "not \"tc\""),
            ("-each tc=x", "tc=x"),
            ("-each tc=1 st=1", "tc and st"),
            ("-each tc=1 proto=xyz", "protocol"),
            ("-each tc=1 restart=maybe", "restart"),
            ("-each tc=1 timemargin=-1", "timemargin"),
            ("-each colour=red", "colour"),
            ("", "TimeControl"),
            ("-each tc=1 -rounds 0", "-rounds"),
            ("-each tc=1 -rounds 1 2", "exactly one"),
            ("-each tc=1 -games 5 -rounds 5", "-games"),
            ("-each tc=1 -recover yes", "-recover"),
            ("-each tc=1 -variant fischerandom", "fischerandom"),
            ("-each tc=1 -openings file=/nonexistent", "does not exist"),
            ("-each tc=1 -openings order=alphabetical", "order"),
            ("-each tc=1 -sprt elo0=5 elo1=0 alpha=0.05 beta=0.05", "elo0"),
            ("-each tc=1 -sprt elo0=0 elo1=5", "alpha"),
            ("-each tc=1 -draw score=-1", "less than 0"),
            ("-each tc=1 -pgnout match_line=(", "match_line"),
            ("-each tc=1 -pgnout nodes=1", "true"),
            ("-each tc=1 -crc32 pgn=true", "not supported"),
            ("-each tc=1 -config file", "key=value"),
            ("-each tc=1 -config stats=1", "true"),
            ("-each tc=1 -concurrency 1000000", "CPUs"),
            ("-each tc=1 -tournament swiss", "swiss"),
        ] {
            let found = settings(&format!("{TWO} {rest}")).expect_err(rest);
            assert!(found.contains(error), "{rest}: {found}");
        }
        assert!(settings("-engine cmd=a tc=1").is_err());
    }
}
