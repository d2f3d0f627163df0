//! Parses lines of CECP into typed commands.

use super::clock::Control;
use agoge_core::text::{integer, split_word};
use agoge_core::uci::MAX_SECONDS;
use std::time::Duration;

/// A parsed command.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Command<'a> {
    /// An empty line, or a command that this engine ignores.
    Nothing,
    /// `protover N`: print the features.
    Protover,
    New,
    Variant(&'a str),
    Quit,
    Force,
    Go,
    PlayOther,
    /// `white` and `black`, which are obsolete: set the side to move; the engine plays the other side.
    Turn {
        white: bool,
    },
    /// `level …` and `st …`
    Control(Control),
    /// `sd N`: the maximum depth in plies; 0 for no limit.
    Depth(Option<u32>),
    /// `nps N`: nodes that count as a second; 0 for real time.
    NodeRate(Option<u64>),
    /// `time N`: the remaining time of the engine.
    Time(Duration),
    /// `usermove M`
    Move(&'a str),
    /// A word that is not a command. It may be a move.
    Word(&'a str),
    /// `?`
    MoveNow,
    /// `ping N`, with the digits as received.
    Ping(&'a str),
    Draw,
    Result,
    SetBoard(&'a str),
    Edit,
    Hint,
    /// `bk`
    Book,
    Undo,
    Remove,
    /// `hard` and `easy`: whether to ponder.
    Ponder(bool),
    /// `post` and `nopost`: whether to print thinking output.
    Post(bool),
    /// `analyze`
    Analyse,
    /// `exit`: ends analysis.
    Exit,
    /// `.`: print the status of the search.
    Status,
    /// `memory N`, MiB.
    Memory(u64),
    Cores(u64),
    /// `option NAME=VALUE` and `option NAME`
    Option {
        name: &'a str,
        /// The value; empty if none was given.
        value: &'a str,
    },
}

impl Command<'_> {
    /// Whether the command is deferred while the engine is thinking about its move.
    pub(super) fn is_deferrable(&self) -> bool {
        matches!(self, Self::Ping(_) | Self::Memory(_) | Self::Cores(_) | Self::Option { .. })
    }
}

/// Why a command was rejected, as text of the error message.
pub(super) mod reason {
    pub(crate) const UNKNOWN: &str = "unknown command";
    pub(crate) const TOO_MANY: &str = "too many parameters";
    pub(crate) const TOO_FEW: &str = "too few parameters";
    pub(crate) const BAD: &str = "bad parameter";
    /// The command is not allowed in the current state.
    pub(crate) const NOT_NOW: &str = "command not legal now";
}

/// Parses a line.
///
/// # Errors
/// One of the reasons above.
pub(super) fn parse(line: &str) -> Result<Command<'_>, &'static str> {
    let (word, rest) = split_word(line);
    let no_parameter = |command| if rest.is_empty() { Ok(command) } else { Err(reason::TOO_MANY) };
    match word {
        // The engine does not need the information of the last ones.
        "" | "xboard" | "accepted" | "rejected" | "random" | "computer" | "name" | "rating" | "ics" => {
            Ok(Command::Nothing)
        }
        "protover" => number(rest).map(|_| Command::Protover),
        "new" => no_parameter(Command::New),
        "variant" => one(rest).map(Command::Variant),
        "quit" => Ok(Command::Quit),
        "force" => no_parameter(Command::Force),
        "go" => no_parameter(Command::Go),
        "playother" => no_parameter(Command::PlayOther),
        "white" => no_parameter(Command::Turn { white: true }),
        "black" => no_parameter(Command::Turn { white: false }),
        "level" => parse_level(rest),
        "st" => seconds(one(rest)?).map(|time| Command::Control(Control::PerMove(time))).ok_or(reason::BAD),
        "sd" => number(rest).map(|depth| Command::Depth(u32::try_from(depth).ok().filter(|&depth| depth > 0))),
        "nps" => number(rest).map(|rate| Command::NodeRate((rate > 0).then_some(rate))),
        "time" => centiseconds(rest).map(Command::Time),
        // The engine does not use the opponent's clock.
        "otim" => centiseconds(rest).map(|_| Command::Nothing),
        "usermove" => one(rest).map(Command::Move),
        "?" => no_parameter(Command::MoveNow),
        "ping" => number(rest).map(|_| Command::Ping(rest)),
        "draw" => no_parameter(Command::Draw),
        "result" => Ok(Command::Result),
        "setboard" => Ok(Command::SetBoard(rest)),
        "edit" => no_parameter(Command::Edit),
        "hint" => no_parameter(Command::Hint),
        "bk" => no_parameter(Command::Book),
        "undo" => no_parameter(Command::Undo),
        "remove" => no_parameter(Command::Remove),
        "hard" => no_parameter(Command::Ponder(true)),
        "easy" => no_parameter(Command::Ponder(false)),
        "post" => no_parameter(Command::Post(true)),
        "nopost" => no_parameter(Command::Post(false)),
        "analyze" => no_parameter(Command::Analyse),
        "exit" => no_parameter(Command::Exit),
        "." => no_parameter(Command::Status),
        "memory" => number(rest).map(Command::Memory),
        "cores" => number(rest).map(Command::Cores),
        "option" => parse_option(rest),
        _ if rest.is_empty() => Ok(Command::Word(word)),
        _ => Err(reason::UNKNOWN),
    }
}

/// The only parameter.
fn one(text: &str) -> Result<&str, &'static str> {
    match split_word(text) {
        ("", _) => Err(reason::TOO_FEW),
        (word, "") => Ok(word),
        _ => Err(reason::TOO_MANY),
    }
}

/// The only parameter, a non-negative integer. Values out of range saturate.
fn number(text: &str) -> Result<u64, &'static str> {
    integer(one(text)?).and_then(|number| u64::try_from(number).ok()).ok_or(reason::BAD)
}

/// The only parameter, a time in centiseconds; negative times count as zero.
fn centiseconds(text: &str) -> Result<Duration, &'static str> {
    let number = integer(one(text)?).ok_or(reason::BAD)?.clamp(0, i64::from(MAX_SECONDS) * 100);
    Ok(Duration::from_millis(number.unsigned_abs() * 10))
}

/// Seconds with or without a fraction.
fn seconds(text: &str) -> Option<Duration> {
    // The standard library also accepts `inf` and `1e5`.
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number.min(MAX_SECONDS.into())).ok()
}

/// Minutes, or minutes and seconds separated by a colon. The rest is ignored: later versions of the protocol may define
/// it.
fn minutes(text: &str) -> Option<Duration> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (minutes, rest) = text.split_at(digits(text));
    let minutes = seconds(minutes)?.saturating_mul(60);
    let Some(rest) = rest.strip_prefix(':') else { return Some(minutes) };
    Some(minutes.saturating_add(seconds(&rest[..digits(rest)])?).min(Duration::from_secs(MAX_SECONDS.into())))
}

fn parse_level(text: &str) -> Result<Command<'_>, &'static str> {
    let words: Vec<&str> = text.split_ascii_whitespace().take(4).collect();
    let (moves, base, increment) = match *words {
        [moves, base, increment] => (moves, base, increment),
        [_, _, _, _] => return Err(reason::TOO_MANY),
        _ => return Err(reason::TOO_FEW),
    };
    let moves = u32::try_from(number(moves)?).unwrap_or(u32::MAX);
    let base = minutes(base).ok_or(reason::BAD)?;
    let increment = seconds(increment).ok_or(reason::BAD)?;
    Ok(Command::Control(Control::Clock { moves, base, increment }))
}

fn parse_option(text: &str) -> Result<Command<'_>, &'static str> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let (name, value) = (name.trim_ascii(), value.trim_ascii());
    if name.is_empty() { Err(reason::TOO_FEW) } else { Ok(Command::Option { name, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(line: &str) -> (u32, f64, f64) {
        match parse(line) {
            Ok(Command::Control(Control::Clock { moves, base, increment })) => {
                (moves, base.as_secs_f64(), increment.as_secs_f64())
            }
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn time_controls() {
        assert_eq!(level("level 40 5 0"), (40, 300.0, 0.0));
        assert_eq!(level("level 40 0:30 0"), (40, 30.0, 0.0));
        assert_eq!(level("level 0 2:30 12"), (0, 150.0, 12.0));
        assert_eq!(level("level 0 2 0.5"), (0, 120.0, 0.5));
        assert_eq!(level("level 40 25+5 0"), (40, 1500.0, 0.0));
        assert_eq!(level("level 99999999999999999999 99999999999999999999 99999999999999999999").0, u32::MAX);
        assert_eq!(parse("st 30"), Ok(Command::Control(Control::PerMove(Duration::from_secs(30)))));
        assert_eq!(parse("st 0.25"), Ok(Command::Control(Control::PerMove(Duration::from_millis(250)))));
        assert_eq!(parse("time 1234"), Ok(Command::Time(Duration::from_millis(12_340))));
        assert_eq!(parse("time -5"), Ok(Command::Time(Duration::ZERO)));
        assert_eq!(parse("sd 0"), Ok(Command::Depth(None)));
        assert_eq!(parse("nps 0"), Ok(Command::NodeRate(None)));
    }

    #[test]
    fn reasons() {
        for (line, expected) in [
            ("level", reason::TOO_FEW),
            ("level 40 5", reason::TOO_FEW),
            ("level 1 2 3 4 5 6 7", reason::TOO_MANY),
            ("level a 5 0", reason::BAD),
            ("level 40 :30 0", reason::BAD),
            ("level 40 5: 0", reason::BAD),
            ("level 40 5 -1", reason::BAD),
            ("level 40 5 inf", reason::BAD),
            ("level -1 5 0", reason::BAD),
            ("level 40 1.2.3 0", reason::BAD),
            ("st", reason::TOO_FEW),
            ("st .", reason::BAD),
            ("st 1e5", reason::BAD),
            ("st 5 5", reason::TOO_MANY),
            ("ping", reason::TOO_FEW),
            ("ping x", reason::BAD),
            ("time x", reason::BAD),
            ("new game", reason::TOO_MANY),
            ("variant", reason::TOO_FEW),
            ("option", reason::TOO_FEW),
            ("option =5", reason::TOO_FEW),
            ("usermove", reason::TOO_FEW),
            ("usermove e2e4 e7e5", reason::TOO_MANY),
            ("castle now", reason::UNKNOWN),
        ] {
            assert_eq!(parse(line), Err(expected), "{line}");
        }
    }

    #[test]
    fn option_names_may_contain_blanks() {
        assert_eq!(parse("option Skill Level=5"), Ok(Command::Option { name: "Skill Level", value: "5" }));
        assert_eq!(parse("option Clear Hash"), Ok(Command::Option { name: "Clear Hash", value: "" }));
        assert_eq!(parse("option EvalFile=a=b c"), Ok(Command::Option { name: "EvalFile", value: "a=b c" }));
    }

    #[test]
    fn unknown_words_may_be_moves() {
        assert_eq!(parse(" e2e4\r"), Ok(Command::Word("e2e4")));
        assert_eq!(parse("usermove e2e4\r"), Ok(Command::Move("e2e4")));
        assert_eq!(parse(""), Ok(Command::Nothing));
    }
}
