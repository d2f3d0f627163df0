//! Engines and their limits, parsed from `key=value` words.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A clock: time for a number of moves or for the whole game, and an increment for each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// The number of moves after which the base time is added again; `None` for one base time per game.
    pub moves: Option<u32>,
    /// The time on the clock at the start.
    pub base: Duration,
    /// The time added for each move.
    pub increment: Duration,
}

impl TimeControl {
    /// Parses `[moves/]base[+increment]` in seconds; the base may also be given in minutes and seconds `m:ss`.
    /// Examples: `40/60+0.5`, `1+0.01`, `2:30`.
    ///
    /// # Errors
    /// If the text has a different form or the base time is zero.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a time control [moves/]base[+increment], in seconds");
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let moves = moves.parse().ok().filter(|&moves| moves > 0);
                (Some(moves.ok_or_else(wrong)?), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (minutes, seconds) = base.split_once(':').unwrap_or(("0", base));
        let minutes: u32 = minutes.parse().map_err(|_| wrong())?;
        let base = parse_seconds(seconds).ok_or_else(wrong)? + Duration::from_secs(60) * minutes;
        let increment = parse_seconds(increment).ok_or_else(wrong)?;
        if base.is_zero() {
            return Err(format!("the base time of the time control '{text}' is zero"));
        }
        Ok(Self { moves, base, increment })
    }
}

/// Parses seconds, with optional decimals, up to about 300 years.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    (0.0..1e10).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if self.increment.is_zero() { Ok(()) } else { write!(f, "+{}", self.increment.as_secs_f64()) }
    }
}

/// The limits of an engine's searches. All given limits apply at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The clock.
    pub clock: Option<TimeControl>,
    /// The time for each move.
    pub movetime: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// The depth of each search.
    pub depth: Option<u32>,
}

impl Limits {
    /// Whether there is no limit.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Limits {
    /// Formats the value of the PGN tag `TimeControl`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            self.clock.map(|clock| clock.to_string()),
            self.movetime.map(|time| format!("movetime={}", time.as_millis())),
            self.nodes.map(|nodes| format!("nodes={nodes}")),
            self.depth.map(|depth| format!("depth={depth}")),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        f.write_str(if words.is_empty() { "-" } else { "" })?;
        f.write_str(&words.join(" "))
    }
}

/// The protocol of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol of XBoard.
    XBoard,
}

impl Protocol {
    /// Parses the value of `proto=`.
    ///
    /// # Errors
    /// If it is neither `uci` nor `xboard`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "uci" => Ok(Self::Uci),
            "xboard" => Ok(Self::XBoard),
            _ => Err(format!("'{text}' is not a protocol; use uci or xboard")),
        }
    }
}

/// An engine of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineConfig {
    /// The name in tables and games, unique in the match.
    pub name: String,
    /// The program: a path, or a name searched for in PATH.
    pub command: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The working directory; `None` for that of the match.
    pub directory: Option<PathBuf>,
    /// Its protocol.
    pub protocol: Protocol,
    /// Its options, set in this order.
    pub options: Vec<(String, String)>,
    /// Its search limits.
    pub limits: Limits,
    /// How far it may exceed its time without losing the game.
    pub margin: Duration,
    /// Whether it is started anew for each game.
    pub restart: bool,
    /// Whether it thinks in the opponent's time.
    pub ponder: bool,
    /// The processor on which it runs; `None` for any.
    pub processor: Option<usize>,
}

impl EngineConfig {
    /// A UCI engine without arguments, options and limits.
    pub fn new(name: &str, command: PathBuf) -> Self {
        Self {
            name: name.to_owned(),
            command,
            arguments: Vec::new(),
            directory: None,
            protocol: Protocol::Uci,
            options: Vec::new(),
            limits: Limits::default(),
            margin: Duration::ZERO,
            restart: false,
            ponder: false,
            processor: None,
        }
    }
}

/// The default margin for engines with a clock: none, as in other match runners.
const CLOCK_MARGIN: Duration = Duration::ZERO;

/// The default margin for engines with a fixed time per move, which engines treat as a target.
const MOVETIME_MARGIN: Duration = Duration::from_millis(50);

/// The parsed words of `--engine` or `--each`.
#[derive(Clone, Debug, Default)]
pub struct EngineWords {
    name: Option<String>,
    command: Option<PathBuf>,
    arguments: Vec<String>,
    directory: Option<PathBuf>,
    protocol: Option<Protocol>,
    options: Vec<(String, String)>,
    limits: Limits,
    margin: Option<Duration>,
    ponder: Option<bool>,
}

impl EngineWords {
    /// Parses words such as `cmd=./agoge`, `name=new`, `arg=--variant`, `option.Hash=64`, `tc=10+0.1`, `nodes=5000`.
    ///
    /// # Errors
    /// If a word is unknown or its value is invalid.
    pub fn parse<S: AsRef<str>>(words: &[S]) -> Result<Self, String> {
        let mut found = Self::default();
        for word in words {
            let word = word.as_ref();
            let Some((key, value)) = word.split_once('=') else {
                return Err(format!("'{word}' is not of the form key=value"));
            };
            let number = |value: &str| match value.parse::<u64>() {
                Ok(number) if number > 0 => Ok(number),
                _ => Err(format!("'{word}': not a number above 0")),
            };
            match key {
                "cmd" | "name" if value.is_empty() => return Err(format!("'{word}' has no value")),
                "cmd" => found.command = Some(value.into()),
                "name" => found.name = Some(value.to_owned()),
                "arg" => found.arguments.push(value.to_owned()),
                "args" => {
                    let words = shlex::split(value).ok_or_else(|| format!("'{word}': a quote is not closed"))?;
                    found.arguments.extend(words);
                }
                "dir" => found.directory = Some(value.into()),
                "proto" => found.protocol = Some(Protocol::parse(value)?),
                "ponder" => match value {
                    "on" => found.ponder = Some(true),
                    "off" => found.ponder = Some(false),
                    _ => return Err(format!("'{word}': neither on nor off")),
                },
                "tc" => found.limits.clock = Some(TimeControl::parse(value)?),
                "movetime" => found.limits.movetime = Some(Duration::from_millis(number(value)?)),
                "nodes" => found.limits.nodes = Some(number(value)?),
                "depth" => {
                    let depth = u32::try_from(number(value)?);
                    found.limits.depth = Some(depth.map_err(|_| format!("'{word}': too deep"))?);
                }
                "margin" => {
                    let margin = value.parse().map_err(|_| format!("'{word}': not a number of milliseconds"))?;
                    found.margin = Some(Duration::from_millis(margin));
                }
                _ => match key.strip_prefix("option.") {
                    Some(name) if !name.is_empty() => found.options.push((name.to_owned(), value.to_owned())),
                    _ => {
                        return Err(format!(
                            "'{key}' is unknown; use cmd, name, arg, args, dir, proto, option.NAME, tc, movetime, \
                             nodes, depth, margin, ponder"
                        ));
                    }
                },
            }
        }
        Ok(found)
    }

    /// The engine described by these words and the words common to all engines. Its own words take precedence; if it
    /// has any limits of its own, the common limits are ignored.
    ///
    /// # Errors
    /// If it has no command or no limit.
    pub fn engine(self, each: &Self) -> Result<EngineConfig, String> {
        let command = self.command.or_else(|| each.command.clone()).ok_or("an engine has no cmd=")?;
        let command = absolute(command);
        let file_name = || command.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = self.name.or_else(|| each.name.clone()).unwrap_or_else(file_name);
        let limits = if self.limits.is_empty() { each.limits } else { self.limits };
        if limits.is_empty() {
            return Err(format!("{name} has no limit: tc=, movetime=, nodes= or depth="));
        }
        let default_margin = if limits.clock.is_some() { CLOCK_MARGIN } else { MOVETIME_MARGIN };
        Ok(EngineConfig {
            name,
            command,
            arguments: [each.arguments.as_slice(), &self.arguments].concat(),
            directory: self.directory.or_else(|| each.directory.clone()),
            protocol: self.protocol.or(each.protocol).unwrap_or_default(),
            // If an option is set twice, the later value wins.
            options: [each.options.as_slice(), &self.options].concat(),
            limits,
            margin: self.margin.or(each.margin).unwrap_or(default_margin),
            restart: false,
            ponder: self.ponder.or(each.ponder).unwrap_or(false),
            processor: None,
        })
    }
}

/// Makes a path absolute, so that it is valid in another working directory. A bare name is left for PATH.
fn absolute(command: PathBuf) -> PathBuf {
    let bare = command.parent() == Some(Path::new(""));
    if bare { command } else { std::path::absolute(&command).unwrap_or(command) }
}

/// Parses the words `key=value` of an option such as `--sprt`, in any order, into the numbers of `keys`.
///
/// # Errors
/// If a word is unknown, has no number or is given twice.
pub fn parse_numbers<const N: usize>(words: &[String], keys: [&str; N]) -> Result<[Option<f64>; N], String> {
    let mut found = [None; N];
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("'{word}' is not of the form key=value"))?;
        let index = keys.iter().position(|&known| known == key);
        let index = index.ok_or_else(|| format!("'{key}' is unknown; use {}", keys.join(", ")))?;
        let number: Option<f64> = value.parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.ok_or_else(|| format!("'{word}': not a number"))?;
        if found[index].replace(number).is_some() {
            return Err(format!("'{key}' is given twice"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls() {
        let parsed = |text| TimeControl::parse(text).map(|control| control.to_string());
        for (text, shown) in [
            ("1+0.01", "1+0.01"),
            ("40/60+0.5", "40/60+0.5"),
            ("60", "60"),
            ("2:30+1", "150+1"),
            ("0.5", "0.5"),
            ("3/1", "3/1"),
        ] {
            assert_eq!(parsed(text).as_deref(), Ok(shown));
        }
        for text in
            ["", "x", "0", "0+0.1", "0/60", "-1", "1+-1", "1+", "+1", "/1", "1/", "inf", "nan", "1e300", "1+1+1"]
        {
            assert!(parsed(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn words_of_engines() {
        let each = EngineWords::parse(&["tc=1+0.01", "option.Hash=16", "margin=5"]).expect("good words");
        let words =
            ["cmd=/bin/agoge", "args=--variant 'chess'", "arg=-x=y", "option.Hash=32", "option.Debug Log File="];
        let engine = EngineWords::parse(&words).and_then(|words| words.engine(&each)).expect("an engine");
        assert_eq!(engine.name, "agoge");
        assert_eq!(engine.arguments, ["--variant", "chess", "-x=y"]);
        assert_eq!(
            engine.options.last().map(|(name, value)| (name.as_str(), value.as_str())),
            Some(("Debug Log File", ""))
        );
        assert_eq!(engine.limits.to_string(), "1+0.01");
        assert_eq!(engine.margin.as_millis(), 5);
        assert_eq!((engine.protocol, engine.ponder), (Protocol::Uci, false));
        // Its own limits replace the common ones.
        let words = EngineWords::parse(&["cmd=sjaakii", "proto=xboard", "ponder=on", "nodes=500", "depth=3"])
            .and_then(|words| words.engine(&each));
        let engine = words.expect("an engine");
        assert_eq!(engine.limits.to_string(), "nodes=500 depth=3");
        assert_eq!(engine.command, PathBuf::from("sjaakii"));
        assert_eq!((engine.protocol, engine.ponder), (Protocol::XBoard, true));

        for words in [
            ["nodes=0"],
            ["nodes=x"],
            ["cmd="],
            ["option.=3"],
            ["colour=red"],
            ["x"],
            ["depth=5000000000"],
            ["args='"],
            ["proto=cecp"],
        ] {
            assert!(EngineWords::parse(&words).is_err(), "{words:?}");
        }
        let none = EngineWords::default();
        assert!(EngineWords::parse(&["cmd=a"]).is_ok_and(|words| words.engine(&none).is_err()));
        assert!(EngineWords::parse(&["tc=1"]).is_ok_and(|words| words.engine(&none).is_err()));
    }

    #[test]
    fn numbers() {
        let words = ["elo1=5".to_owned(), "elo0=-0.5".to_owned()];
        assert_eq!(parse_numbers(&words, ["elo0", "elo1", "alpha"]), Ok([Some(-0.5), Some(5.0), None]));
        for bad in ["elo2=3", "elo0", "elo0=x", "elo0=inf", "elo0=1"] {
            let words = ["elo0=1".to_owned(), bad.to_owned()];
            assert!(parse_numbers(&words, ["elo0", "elo1"]).is_err(), "{bad}");
        }
    }
}
