//! Parses lines of UCI into typed commands.

use crate::bench::{Goal, Parameters};
use crate::board::Board;
use crate::files;
use crate::genfens;
use crate::options::{Id, Options};
use crate::search::Limits;
use crate::text::{integer, quoted, split_word};
use crate::types::{Colour, Move};
use std::time::Duration;

/// A command.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// An empty line or a comment.
    Nothing,
    /// `uci`: asks for the name and the options.
    Uci,
    /// `debug on` or `debug off`.
    Debug(bool),
    /// `isready`: asks for `readyok`.
    IsReady,
    /// The words of the name are separated by single blanks; the value is the text after `value`, unchanged.
    SetOption {
        /// The name of the option, in any case.
        name: String,
        /// The value; empty for a button.
        value: String,
    },
    /// This engine needs no registration.
    Register,
    /// `ucinewgame`: the next position is of another game.
    NewGame,
    /// Without a FEN, from the initial position. The moves are separated by blanks.
    Position {
        /// Not checked yet.
        fen: Option<String>,
        /// In coordinate notation.
        moves: String,
    },
    /// `go …`: begins a search.
    Go(Box<Go>),
    /// `xboard`: switches to CECP.
    Xboard,
    /// `stop`: ends the search or the task.
    Stop,
    /// `ponderhit`: the opponent has made the expected move.
    PonderHit,
    /// `quit`: ends the program.
    Quit,
    /// A command that takes long.
    Task(Task),
    /// `eval [fen]`: the position; `None` for the current one.
    Eval(Option<String>),
    /// `spsa [name …]`: prints search parameters in OpenBench's format. The names are separated by blanks; none for
    /// all.
    Spsa(String),
    /// `flip`: swaps the colours, or mirrors left and right if the armies differ.
    Flip,
    /// `export_net [file]`: an empty name for that of the network.
    ExportNet(String),
    /// `d`: shows the position.
    Display,
    /// `wait`: waits for the end of the search before the next command is read.
    Wait,
    /// `version` and `compiler`
    Version,
    /// `help`: lists the commands.
    Help,
}

/// Work that takes long.
#[derive(Clone, PartialEq, Debug)]
pub enum Task {
    /// `perft N [fen]` and `go perft N`; without a FEN, of the current position.
    Perft {
        /// In plies.
        depth: u32,
        /// Not checked yet.
        fen: Option<String>,
    },
    /// `bench …` and `speedtest …`
    Bench(Parameters),
    /// `genfens …`: prints starting positions.
    GenFens(genfens::Parameters),
}

/// The parameters of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    limits: Limits,
    /// The moves of `searchmoves`, which only the position tells.
    search_moves: Vec<String>,
    /// Error messages about invalid parameters. The valid ones still apply.
    errors: Vec<String>,
}

/// The maximum time: thirty years. Longer times are clamped, so that arithmetic on times cannot overflow.
pub const MAX_SECONDS: u32 = 1_000_000_000;

/// [`MAX_SECONDS`] in milliseconds, the unit of UCI.
const MAX_MILLISECONDS: i64 = MAX_SECONDS as i64 * 1000;

/// The time to search when all given limits were invalid: the GUI still expects a `bestmove`.
const EMERGENCY_TIME: Duration = Duration::from_millis(100);

/// Whether a word of `go` is not a value.
fn is_keyword(word: &str) -> bool {
    const WORDS: &str = "wtime btime winc binc movestogo movetime depth nodes mate infinite ponder searchmoves perft";
    WORDS.split(' ').any(|known| known == word)
}

/// Parses a line.
///
/// # Errors
/// If the line is invalid; the error is a message for the user.
pub fn parse(line: &str) -> Result<Command, String> {
    let (word, rest) = split_word(line);
    if word.is_empty() || word.starts_with('#') {
        return Ok(Command::Nothing);
    }
    // No command is longer; do not copy long words.
    let lower = if word.len() <= 16 { word.to_ascii_lowercase() } else { String::new() };
    match lower.as_str() {
        // Parameters of these commands are ignored.
        "uci" => Ok(Command::Uci),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::NewGame),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "quit" => Ok(Command::Quit),
        "debug" if rest.eq_ignore_ascii_case("on") => Ok(Command::Debug(true)),
        "debug" if rest.eq_ignore_ascii_case("off") => Ok(Command::Debug(false)),
        "register" if is_registration(rest) => Ok(Command::Register),
        "debug" | "register" => Err(format!("cannot read {}", quoted(line.trim_ascii()))),
        "position" => parse_position(rest),
        "go" => parse_go(rest),
        "setoption" => parse_set_option(rest),
        "perft" => parse_perft(rest).map(Command::Task),
        "bench" => parse_bench(rest).map(Command::Task),
        "speedtest" => parse_speedtest(rest).map(Command::Task),
        "genfens" => parse_genfens(rest).map(Command::Task),
        "spsa" => Ok(Command::Spsa(rest.into())),
        "flip" => Ok(Command::Flip),
        "export_net" => Ok(Command::ExportNet(rest.into())),
        "eval" => Ok(Command::Eval(optional(rest))),
        "d" => Ok(Command::Display),
        "wait" => Ok(Command::Wait),
        "xboard" => Ok(Command::Xboard),
        "version" | "compiler" => Ok(Command::Version),
        "help" => Ok(Command::Help),
        _ => Err(format!("unknown command {} (try help)", quoted(word))),
    }
}

/// A parameter that may be missing.
fn optional(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether these are the parameters of `register`: `later`, or `name N code C`.
fn is_registration(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let (word, rest) = split_word(&text);
    let has_code = |(name, code): (&str, &str)| !name.is_empty() && !code.is_empty();
    text == "later" || (word == "name" && split_at_word(rest, "code").is_some_and(has_code))
}

/// Splits a text at the first occurrence of a whole word; returns the text before and after it.
fn split_at_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    while let Some(found) = text[from..].find(word) {
        let (start, end) = (from + found, from + found + word.len());
        let (before, after) = (&text[..start], &text[end..]);
        let starts_word = before.is_empty() || before.ends_with(|letter: char| letter.is_ascii_whitespace());
        let ends_word = after.is_empty() || after.starts_with(|letter: char| letter.is_ascii_whitespace());
        if starts_word && ends_word {
            return Some((before.trim_ascii(), after.trim_ascii()));
        }
        from = end;
    }
    None
}

fn parse_position(text: &str) -> Result<Command, String> {
    let (setup, moves) = split_at_word(text, "moves").unwrap_or((text, ""));
    let (word, rest) = split_word(setup);
    let fen = match word {
        "startpos" if rest.is_empty() => None,
        "startpos" => return Err(format!("expected 'moves' after 'startpos', not {}", quoted(rest))),
        "fen" => Some(rest.into()),
        _ => return Err(format!("expected 'startpos' or 'fen' after 'position', not {}", quoted(word))),
    };
    Ok(Command::Position { fen, moves: moves.into() })
}

fn parse_set_option(text: &str) -> Result<Command, String> {
    let (word, rest) = split_word(text);
    if word != "name" {
        return Err(format!("expected 'name' after 'setoption', not {}", quoted(word)));
    }
    let (name, value) = split_at_word(rest, "value").unwrap_or((rest, ""));
    if name.is_empty() {
        return Err("setoption needs the name of an option".to_owned());
    }
    let words: Vec<&str> = name.split_ascii_whitespace().collect();
    Ok(Command::SetOption { name: words.join(" "), value: value.into() })
}

fn parse_perft(text: &str) -> Result<Task, String> {
    let (number, fen) = split_word(text);
    let depth = integer(number).and_then(|depth| u32::try_from(depth.min(u32::MAX.into())).ok());
    let depth = depth.ok_or_else(|| format!("perft needs a depth, not {}", quoted(number)))?;
    Ok(Task::Perft { depth, fen: optional(fen) })
}

fn parse_bench(text: &str) -> Result<Task, String> {
    let [depth, threads, hash] = parse_numbers("bench", ["depth", "threads", "hash"], text)?;
    let default = Parameters::default();
    bench(
        depth.map_or(default.goal, Goal::Depth),
        threads.map_or(default.threads, |threads| threads as usize),
        hash.map_or(default.hash, |hash| hash as usize),
    )
}

/// By default as many threads as the machine can run at once, 16 MiB for each, and a minute.
fn parse_speedtest(text: &str) -> Result<Task, String> {
    let [threads, hash, seconds] = parse_numbers("speedtest", ["threads", "hash", "seconds"], text)?;
    let available = || std::thread::available_parallelism().map_or(1, usize::from).min(1024);
    let threads = threads.map_or_else(available, |threads| threads as usize);
    let time = Duration::from_secs(seconds.unwrap_or(60).into());
    bench(Goal::Time(time), threads, hash.map_or(threads.saturating_mul(16), |hash| hash as usize))
}

/// The task of a bench, if the numbers are in the ranges of the options.
fn bench(goal: Goal, threads: usize, hash: usize) -> Result<Task, String> {
    for (id, number) in [(Id::Threads, threads), (Id::Hash, hash)] {
        Options::default().set(id.name(), &number.to_string()).map_err(|error| error.to_string())?;
    }
    Ok(Task::Bench(Parameters { goal, threads, hash }))
}

/// Parses numbers given by position, or by name as in `threads=2`.
fn parse_numbers(command: &str, names: [&str; 3], text: &str) -> Result<[Option<u32>; 3], String> {
    let mut numbers = [None; 3];
    for (index, word) in text.split_ascii_whitespace().enumerate() {
        let (index, value) = match word.split_once('=') {
            Some((name, value)) => (names.iter().position(|known| *known == name), value),
            None => (Some(index), word),
        };
        let number = index.and_then(|index| numbers.get_mut(index));
        let value = integer(value).and_then(|value| u32::try_from(value).ok()).filter(|&value| value > 0);
        match (number, value) {
            (Some(number), Some(value)) => *number = Some(value),
            _ => {
                let [a, b, c] = names;
                return Err(format!("{command} takes [{a}] [{b}] [{c}], each at least 1, not {}", quoted(word)));
            }
        }
    }
    Ok(numbers)
}

fn parse_genfens(text: &str) -> Result<Task, String> {
    let (number, mut rest) = split_word(text);
    let positive =
        |word: &str| integer(word).and_then(|number| u64::try_from(number).ok()).filter(|&number| number > 0);
    let count =
        positive(number).ok_or_else(|| format!("genfens needs a number of positions, not {}", quoted(number)))?;
    let mut parameters =
        genfens::Parameters { count, seed: 0, book: None, endgames: 0.0, middlegames: 0.0, nodes: genfens::NODES };
    while !rest.is_empty() {
        let (name, after) = split_word(rest);
        let (value, after) = if name == "book" { split_file_name(after) } else { split_word(after) };
        rest = after;
        let invalid = || format!("genfens: invalid {name} {}", quoted(value));
        let share = || {
            let percent = value.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent));
            percent.map(|percent| percent / 100.0).ok_or_else(invalid)
        };
        match name {
            "seed" => parameters.seed = value.parse().map_err(|_| invalid())?,
            "book" if value.is_empty() => return Err(invalid()),
            "book" => parameters.book = (!value.eq_ignore_ascii_case("none")).then(|| files::path(value)),
            "nodes" => parameters.nodes = positive(value).ok_or_else(invalid)?,
            "endgames" => parameters.endgames = share()?,
            "middlegames" => parameters.middlegames = share()?,
            _ => return Err(format!("unknown parameter of genfens: {}", quoted(name))),
        }
    }
    if parameters.endgames + parameters.middlegames > 1.0 {
        return Err("genfens: endgames and middlegames are more than 100 percent".to_owned());
    }
    Ok(Task::GenFens(parameters))
}

/// Splits off the name of a file, which may contain blanks: it is in double quotes, or ends before a parameter of
/// `genfens` with a number. `None` is always a word of its own.
fn split_file_name(text: &str) -> (&str, &str) {
    if let Some(length) = text.strip_prefix('"').and_then(|rest| rest.find('"')) {
        return (&text[1..=length], text[length + 2..].trim_ascii());
    }
    let (first, mut rest) = split_word(text);
    while !rest.is_empty() && !first.eq_ignore_ascii_case("none") {
        let (word, after) = split_word(rest);
        let is_parameter = ["seed", "nodes", "endgames", "middlegames"].contains(&word);
        if is_parameter && split_word(after).0.parse::<f64>().is_ok() {
            break;
        }
        rest = after;
    }
    (text[..text.len() - rest.len()].trim_ascii(), rest)
}

fn parse_go(text: &str) -> Result<Command, String> {
    let mut go = Box::<Go>::default();
    let mut has_increment = false;
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.limits.infinite = true,
            "ponder" => go.limits.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|next| !is_keyword(next)) {
                    go.search_moves.push(mv.into());
                }
            }
            _ if !is_keyword(word) => go.error(format!("unknown parameter of go: {}", quoted(word))),
            _ => {
                let value = words.next_if(|next| !is_keyword(next)).unwrap_or("");
                match integer(value) {
                    _ if word == "perft" => return parse_perft(value).map(Command::Task),
                    Some(number) => go.set(word, number),
                    None => go.error(format!("{word} needs a number, not {}", quoted(value))),
                }
                has_increment |= matches!(word, "winc" | "binc") && integer(value).is_some();
            }
        }
    }
    go.complete_clock(has_increment);
    Ok(Command::Go(go))
}

impl Go {
    /// The maximum number of errors reported for one line.
    const MAX_ERRORS: usize = 8;

    fn error(&mut self, error: String) {
        if self.errors.len() < Self::MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Sets a numeric parameter. Negative times, which some GUIs send after a late move, count as zero. Counts below
    /// one count as one; `movestogo` below one counts as not given.
    fn set(&mut self, word: &str, number: i64) {
        let limits = &mut self.limits;
        let time = Duration::from_millis(number.clamp(0, MAX_MILLISECONDS).unsigned_abs());
        let count = number.max(1).unsigned_abs();
        let small = u32::try_from(count).unwrap_or(u32::MAX);
        match word {
            "wtime" => limits.clock[Colour::White.index()] = Some(time),
            "btime" => limits.clock[Colour::Black.index()] = Some(time),
            "winc" => limits.increment[Colour::White.index()] = time,
            "binc" => limits.increment[Colour::Black.index()] = time,
            "movestogo" => limits.moves_to_go = (number > 0).then_some(small),
            "movetime" => limits.move_time = Some(time),
            "depth" => limits.depth = Some(small),
            "nodes" => limits.nodes = Some(count),
            "mate" => limits.mate = Some(small),
            _ => debug_assert!(false, "{word} takes no number"),
        }
    }

    /// Whether the search of a side ends without another limit, or is not meant to end.
    fn is_complete(&self, us: Colour) -> bool {
        self.limits.infinite || self.limits.mate.is_some() || self.limits.is_bounded(us)
    }

    /// Adds a clock if only a part of one was given, so that the search ends.
    fn complete_clock(&mut self, has_increment: bool) {
        let [white, black] = self.limits.clock;
        if white.is_some() != black.is_some() && !Colour::ALL.iter().all(|&us| self.is_complete(us)) {
            self.limits.complete_clocks();
        } else if !self.is_complete(Colour::White) && (has_increment || self.limits.moves_to_go.is_some()) {
            self.limits.clock = self.limits.increment.map(Some);
        }
    }

    /// The limits for a search of `board`, and the errors in the line. Illegal moves in `searchmoves` are skipped.
    pub fn into_limits(mut self, board: &Board) -> (Limits, Vec<String>) {
        let mut search_moves: Vec<Move> = Vec::new();
        for text in std::mem::take(&mut self.search_moves) {
            match board.parse_move(&text) {
                Ok(mv) if !search_moves.contains(&mv) => search_moves.push(mv),
                Ok(_) => {}
                Err(error) => self.error(format!("searchmoves: {} is {error}", quoted(&text))),
            }
        }
        if !self.errors.is_empty() && !self.is_complete(board.side_to_move()) {
            self.limits.move_time = Some(EMERGENCY_TIME);
        }
        (Limits { search_moves, ..self.limits }, self.errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    fn go(text: &str) -> Go {
        match parse(text) {
            Ok(Command::Go(go)) => *go,
            other => panic!("{other:?}"),
        }
    }

    fn limits(text: &str) -> Limits {
        go(text).into_limits(&Board::start(Variant::Spartan)).0
    }

    #[test]
    fn fixed_commands() {
        for (line, expected) in [
            ("uci", Command::Uci),
            (" \tUCI \r", Command::Uci),
            ("isready", Command::IsReady),
            ("ucinewgame", Command::NewGame),
            ("stop now", Command::Stop),
            ("ponderhit ", Command::PonderHit),
            ("quit", Command::Quit),
            ("xboard", Command::Xboard),
            ("debug  on ", Command::Debug(true)),
            ("debug off", Command::Debug(false)),
            ("register later", Command::Register),
            ("register  name a b code 123 ", Command::Register),
            ("", Command::Nothing),
            ("\r", Command::Nothing),
            ("# go", Command::Nothing),
            ("d", Command::Display),
            ("compiler", Command::Version),
        ] {
            assert_eq!(parse(line), Ok(expected), "{line:?}");
        }
    }

    #[test]
    fn invalid_commands_are_rejected() {
        let long = "x".repeat(1 << 20);
        for line in [
            "debug",
            "debug perhaps",
            "register",
            "register name",
            "register code name",
            "uciok",
            "\0",
            "go\u{fffd}",
            "position",
            "position fen2",
            "position startpos e2e4",
            "setoption",
            "setoption Hash value 1",
            "setoption name",
            "setoption name value 3",
            "perft",
            "perft -1",
            "perft x",
            "go perft",
            "go perft -3",
            "bench 0",
            "bench 1 1 1 1",
            "bench x=1",
            "speedtest 0",
            "speedtest depth=3",
            &long,
            &format!("debug {long}"),
        ] {
            assert!(parse(line).is_err(), "{:?}", quoted(line));
        }
    }

    #[test]
    fn positions() {
        assert_eq!(parse("position startpos"), Ok(Command::Position { fen: None, moves: String::new() }));
        assert_eq!(parse("position startpos moves "), Ok(Command::Position { fen: None, moves: String::new() }));
        assert_eq!(
            parse("position\tfen  a b \t moves  x  y\r"),
            Ok(Command::Position { fen: Some("a b".into()), moves: "x  y".into() })
        );
        assert_eq!(parse("position fen"), Ok(Command::Position { fen: Some(String::new()), moves: String::new() }));
    }

    #[test]
    fn options() {
        let set = |name: &str, value: &str| Ok(Command::SetOption { name: name.into(), value: value.into() });
        assert_eq!(parse("setoption name Hash value 16"), set("Hash", "16"));
        assert_eq!(parse("setoption  name  clear \t hash "), set("clear hash", ""));
        assert_eq!(
            parse("setoption name Debug Log File value /tmp/a  b value c"),
            set("Debug Log File", "/tmp/a  b value c")
        );
        assert_eq!(parse("setoption name valued value values"), set("valued", "values"));
    }

    #[test]
    fn limits_in_any_order() {
        let limits =
            limits("go movestogo 7 searchmoves e2e4 d2d4 e2e4 binc 2 wtime 1000 nodes 5 winc 1 depth 3 btime -9");
        assert_eq!(limits.clock, [Some(Duration::from_secs(1)), Some(Duration::ZERO)]);
        assert_eq!(limits.increment, [Duration::from_millis(1), Duration::from_millis(2)]);
        assert_eq!((limits.moves_to_go, limits.nodes, limits.depth), (Some(7), Some(5), Some(3)));
        assert_eq!(limits.search_moves.len(), 2);
    }

    #[test]
    fn extreme_numbers() {
        let limits =
            limits("go depth 99999999999 nodes 99999999999999999999999 mate -1 movetime 9999999999999999999999");
        assert_eq!((limits.depth, limits.nodes, limits.mate), (Some(u32::MAX), Some(i64::MAX.unsigned_abs()), Some(1)));
        assert_eq!(limits.move_time, Some(Duration::from_millis(MAX_MILLISECONDS.unsigned_abs())));
    }

    #[test]
    fn invalid_limits_still_end_the_search() {
        for text in ["go depth", "go depth x", "go movetime -", "go nonsense", "go searchmoves e2e5"] {
            let (limits, errors) = go(text).into_limits(&Board::start(Variant::Spartan));
            assert_eq!(limits.move_time, Some(EMERGENCY_TIME), "{text}");
            assert!(!errors.is_empty(), "{text}");
        }
        assert_eq!(limits("go btime 5000").clock[0], Some(Duration::from_secs(5)));
        assert_eq!(limits("go winc 50").clock[0], Some(Duration::from_millis(50)));
        let unbounded = limits("go");
        assert!(unbounded.move_time.is_none() && unbounded.clock == [None; 2] && !unbounded.infinite);
        assert!(limits("go infinite depth x").move_time.is_none());
    }

    #[test]
    fn keywords_are_not_values() {
        let (limits, errors) = go("go depth infinite").into_limits(&Board::start(Variant::Spartan));
        assert!(limits.infinite);
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn perft_bench_and_other_commands() {
        assert_eq!(parse("go perft 5"), Ok(Command::Task(Task::Perft { depth: 5, fen: None })));
        assert_eq!(parse("perft 2 a b"), Ok(Command::Task(Task::Perft { depth: 2, fen: Some("a b".into()) })));
        assert_eq!(parse("perft 99999999999"), Ok(Command::Task(Task::Perft { depth: u32::MAX, fen: None })));
        let bench = |goal, threads, hash| Ok(Command::Task(Task::Bench(Parameters { goal, threads, hash })));
        assert_eq!(parse("bench"), bench(Goal::Depth(12), 1, 16));
        assert_eq!(parse("bench 5 2"), bench(Goal::Depth(5), 2, 16));
        assert_eq!(parse("bench hash=8"), bench(Goal::Depth(12), 1, 8));
        assert_eq!(parse("speedtest 4 seconds=9"), bench(Goal::Time(Duration::from_secs(9)), 4, 64));
        assert_eq!(parse("export_net  a b.nnue "), Ok(Command::ExportNet("a b.nnue".into())));
        let genfens = genfens::Parameters {
            count: 4,
            seed: 1,
            book: Some("a.epd".into()),
            endgames: 0.5,
            middlegames: 0.0,
            nodes: 9,
        };
        assert_eq!(parse("genfens 4 seed 1 nodes 9 endgames 50 book a.epd"), Ok(Command::Task(Task::GenFens(genfens))));
        for (text, name, nodes) in [
            ("a b.epd", "a b.epd", genfens::NODES),
            ("a  b.epd nodes 7", "a  b.epd", 7),
            ("my nodes.epd nodes 7 ", "my nodes.epd", 7),
            ("nodes 7.epd", "nodes 7.epd", genfens::NODES),
            ("\"a seed 1\" nodes 7", "a seed 1", 7),
            ("\"a b.epd\"", "a b.epd", genfens::NODES),
            ("\"a", "\"a", genfens::NODES),
        ] {
            let Ok(Command::Task(Task::GenFens(read))) = parse(&format!("genfens 2 book {text}")) else {
                panic!("{text}")
            };
            assert_eq!((read.book, read.nodes), (Some(name.into()), nodes), "{text}");
        }
    }
}
