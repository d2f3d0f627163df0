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

/// Parses seconds, with optional decimals and unit `s`, up to about 300 years.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse().ok()?;
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
    pub clock: Option<TimeControl>,
    pub movetime: Option<Duration>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

impl Limits {
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol of XBoard.
    XBoard,
}

/// A name with single blanks instead of tabs, line breaks and the like, with which tables and PGN files cannot show it.
pub fn one_line(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineConfig {
    /// The name in tables and games, unique in the match, as [`one_line`] writes it.
    pub name: String,
    /// The program: a path, or a name searched for in PATH.
    pub command: PathBuf,
    pub arguments: Vec<String>,
    /// The working directory; `None` for that of the match.
    pub directory: Option<PathBuf>,
    pub protocol: Protocol,
    /// Its options, set in this order.
    pub options: Vec<(String, String)>,
    pub limits: Limits,
    /// How far it may exceed its time without losing the game.
    pub margin: Duration,
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
            ponder: false,
            processor: None,
        }
    }

    /// The engine of words such as `cmd=./agoge`, `name=new`, `option.Hash=64`, `tc=10+0.1`, `nodes=5000`. Its own
    /// words come after those for each engine, and the later of two wins. If it has any limits of its own, the limits
    /// for each engine are ignored.
    ///
    /// # Errors
    /// If a word is unknown, its value is invalid, or the engine has no command or no limit.
    pub fn parse(each: &[String], own: &[String]) -> Result<Self, String> {
        let mut engine = Self::new("", PathBuf::new());
        each.iter().try_for_each(|word| engine.set(word))?;
        let common_limits = std::mem::take(&mut engine.limits);
        own.iter().try_for_each(|word| engine.set(word))?;
        let command = absolute(engine.command);
        let file = command.file_name().ok_or("an engine has no cmd=")?;
        if engine.name.is_empty() {
            engine.name = one_line(&file.to_string_lossy());
        }
        engine.command = command;
        if engine.limits.is_empty() {
            engine.limits = common_limits;
        }
        if engine.limits.is_empty() {
            return Err(format!("{} has no limit: tc=, movetime=, nodes= or depth=", engine.name));
        }
        if engine.limits.clock.is_none() && !each.iter().chain(own).any(|word| word.starts_with("margin=")) {
            engine.margin = MOVETIME_MARGIN;
        }
        Ok(engine)
    }

    /// Applies a word.
    fn set(&mut self, word: &str) -> Result<(), String> {
        let (key, value) = key_value(word)?;
        let number = || match value.parse::<u64>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("'{word}': not a number above 0")),
        };
        match key {
            "cmd" if value.is_empty() => return Err(format!("'{word}' has no value")),
            "name" if one_line(value).is_empty() => return Err(format!("'{word}' has no value")),
            "cmd" => self.command = value.into(),
            "name" => self.name = one_line(value),
            "arg" => self.arguments.push(value.to_owned()),
            "args" => {
                let words = shlex::split(value).ok_or_else(|| format!("'{word}': a quote is not closed"))?;
                self.arguments.extend(words);
            }
            "dir" => self.directory = Some(value.into()),
            "proto" => {
                self.protocol = match value {
                    "uci" => Protocol::Uci,
                    "xboard" => Protocol::XBoard,
                    _ => return Err(format!("'{value}' is not a protocol; use uci or xboard")),
                }
            }
            "ponder" => match value {
                "on" => self.ponder = true,
                "off" => self.ponder = false,
                _ => return Err(format!("'{word}': neither on nor off")),
            },
            "tc" => self.limits.clock = Some(TimeControl::parse(value)?),
            "movetime" => self.limits.movetime = Some(Duration::from_millis(number()?)),
            "nodes" => self.limits.nodes = Some(number()?),
            "depth" => {
                let depth = u32::try_from(number()?);
                self.limits.depth = Some(depth.map_err(|_| format!("'{word}': too deep"))?);
            }
            "margin" => {
                let margin = value.parse().map_err(|_| format!("'{word}': not a number of milliseconds"))?;
                self.margin = Duration::from_millis(margin);
            }
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => self.options.push((name.to_owned(), value.to_owned())),
                _ => {
                    return Err(format!(
                        "'{key}' is unknown; use cmd, name, arg, args, dir, proto, option.NAME, tc, movetime, nodes, \
                         depth, margin, ponder"
                    ));
                }
            },
        }
        Ok(())
    }
}

/// The default margin for engines with a fixed time per move, which engines treat as a target. With a clock there is
/// none, as in other match runners.
const MOVETIME_MARGIN: Duration = Duration::from_millis(50);

/// Makes a path absolute, so that it is valid in another working directory. A bare name is left for PATH.
fn absolute(command: PathBuf) -> PathBuf {
    let bare = command.parent() == Some(Path::new(""));
    if bare { command } else { std::path::absolute(&command).unwrap_or(command) }
}

/// Splits a word `key=value`.
///
/// # Errors
/// If it has no `=`.
pub fn key_value(word: &str) -> Result<(&str, &str), String> {
    word.split_once('=').ok_or_else(|| format!("'{word}' is not of the form key=value"))
}

/// Parses words into whole numbers. Each key has a default and a least value.
///
/// # Errors
/// If a word is unknown, given twice or not such a number.
pub fn parse_counts<const N: usize>(words: &[String], keys: [(&str, u32, u32); N]) -> Result<[u32; N], String> {
    let found = parse_numbers(words, keys.map(|(key, ..)| key))?;
    let mut counts = [0; N];
    for ((count, value), (key, default, least)) in counts.iter_mut().zip(found).zip(keys) {
        let value = value.unwrap_or(f64::from(default));
        if value.fract() != 0.0 || !(f64::from(least)..=1e9).contains(&value) {
            return Err(format!("{key}={value}: not a whole number of at least {least}"));
        }
        *count = value as u32;
    }
    Ok(counts)
}

/// Parses the words `key=value` of an option such as `--sprt`, in any order, into the numbers of `keys`.
///
/// # Errors
/// If a word is unknown, has no number or is given twice.
pub fn parse_numbers<const N: usize>(words: &[String], keys: [&str; N]) -> Result<[Option<f64>; N], String> {
    let mut found = [None; N];
    for word in words {
        let (key, value) = key_value(word)?;
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
        let parse = |each: &str, own: &[&str]| {
            let each: Vec<String> = each.split_whitespace().map(str::to_owned).collect();
            EngineConfig::parse(&each, &own.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
        };
        let each = "tc=1+0.01 option.Hash=16 margin=5";
        let words =
            ["cmd=/bin/agoge", "args=--variant 'chess'", "arg=-x=y", "option.Hash=32", "option.Debug Log File="];
        let engine = parse(each, &words).expect("an engine");
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
        let words = ["cmd=sjaakii", "proto=xboard", "ponder=on", "nodes=500", "depth=3"];
        let engine = parse(each, &words).expect("an engine");
        assert_eq!(engine.limits.to_string(), "nodes=500 depth=3");
        assert_eq!(engine.command, PathBuf::from("sjaakii"));
        assert_eq!((engine.protocol, engine.ponder), (Protocol::XBoard, true));

        assert_eq!(parse("", &["cmd=a", "movetime=9"]).map(|engine| engine.margin), Ok(MOVETIME_MARGIN));

        for word in
            ["nodes=0", "nodes=x", "cmd=", "option.=3", "colour=red", "x", "depth=5000000000", "args='", "proto=cecp"]
        {
            assert!(parse("", &["cmd=a", "tc=1", word]).is_err(), "{word:?}");
        }
        assert!(parse("", &["cmd=a"]).is_err() && parse("", &["tc=1"]).is_err());
    }

    #[test]
    fn numbers() {
        let words = ["elo1=5".to_owned(), "elo0=-0.5".to_owned()];
        assert_eq!(parse_numbers(&words, ["elo0", "elo1", "alpha"]), Ok([Some(-0.5), Some(5.0), None]));
        for bad in ["elo2=3", "elo0", "elo0=x", "elo0=inf", "elo0=1"] {
            let words = ["elo0=1".to_owned(), bad.to_owned()];
            assert!(parse_numbers(&words, ["elo0", "elo1"]).is_err(), "{bad}");
        }
        let counts = |word: &str| parse_counts(&[word.to_owned()], [("score", 10, 0), ("count", 8, 1)]);
        assert_eq!((counts("score=0"), counts("count=3")), (Ok([0, 8]), Ok([10, 3])));
        for bad in ["score=-1", "score=0.5", "count=0", "count=2000000000"] {
            assert!(counts(bad).is_err(), "{bad}");
        }
    }
}
