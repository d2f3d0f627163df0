//! Parses lines of UCI into typed commands.

use crate::session::MAX_SECONDS;
use agoge_core::board::Board;
use agoge_core::search::Limits;
use agoge_core::text::{integer, quoted, split_word};
use agoge_core::types::{Colour, Move};
use std::time::Duration;
use vampirc_uci::{UciMessage, parse_strict};

/// A parsed command.
#[derive(Clone, PartialEq, Debug)]
pub enum Command<'a> {
    /// An empty line or a comment.
    Nothing,
    /// `uci`
    Uci,
    /// `debug on|off`
    Debug(bool),
    /// `isready`
    IsReady,
    /// `setoption name … value …`
    SetOption {
        /// The name, its words separated by single blanks.
        name: String,
        /// The text after `value`, unchanged.
        value: &'a str,
    },
    /// `register …`; this engine needs no registration.
    Register,
    /// `ucinewgame`
    NewGame,
    /// `position …`
    Position {
        /// The FEN; `None` for the initial position.
        fen: Option<&'a str>,
        /// The moves, separated by blanks.
        moves: &'a str,
    },
    /// `go …`
    Go(Box<Go<'a>>),
    /// `xboard`: switch to CECP.
    Xboard,
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// `perft N [fen]` and `go perft N`
    Perft {
        /// The depth in plies.
        depth: u32,
        /// The position; `None` for the current one.
        fen: Option<&'a str>,
    },
    /// `bench [depth] [threads] [hash]`
    Bench {
        /// The depth in plies.
        depth: Option<u32>,
        /// The number of threads.
        threads: Option<u32>,
        /// The size of the hash table in MiB.
        hash: Option<u32>,
    },
    /// `eval [fen]`
    Eval {
        /// The position; `None` for the current one.
        fen: Option<&'a str>,
    },
    /// `speedtest [threads] [hash] [seconds]`
    SpeedTest {
        /// The number of threads.
        threads: Option<u32>,
        /// The size of the hash table in MiB.
        hash: Option<u32>,
        /// The time in seconds.
        seconds: Option<u32>,
    },
    /// `genfens N [seed S] [book FILE] …`
    GenFens(GenFens<'a>),
    /// `spsa [name …]`: prints search parameters in OpenBench's format.
    Spsa {
        /// The names, separated by blanks; empty for all.
        names: &'a str,
    },
    /// `flip`: swaps the colours, or mirrors left and right if the armies differ.
    Flip,
    /// `export_net [file]`
    ExportNet {
        /// The file; empty to name it after the network.
        file: &'a str,
    },
    /// `d`
    Display,
    /// `wait`: waits for the end of the search before the next command is read.
    Wait,
    /// `version` and `compiler`
    Version,
    /// `help`
    Help,
}

/// The parameters of `genfens`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GenFens<'a> {
    /// The number of positions.
    pub count: u64,
    /// The seed.
    pub seed: u64,
    /// The file of openings; `None` for random openings.
    pub book: Option<&'a str>,
    /// The share of random endgames, 0 to 1.
    pub endgames: f64,
    /// The share of random middlegames, 0 to 1.
    pub middlegames: f64,
    /// Nodes of the short search; `None` for the default.
    pub nodes: Option<u64>,
}

/// The parameters of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go<'a> {
    clock: [Option<Duration>; 2],
    increment: [Option<Duration>; 2],
    moves_to_go: Option<u32>,
    move_time: Option<Duration>,
    depth: Option<u32>,
    nodes: Option<u64>,
    mate: Option<u32>,
    infinite: bool,
    ponder: bool,
    search_moves: Vec<&'a str>,
    /// Error messages about invalid parameters. The valid ones still apply.
    pub errors: Vec<String>,
}

/// [`MAX_SECONDS`] in milliseconds, the unit of UCI.
const MAX_MILLISECONDS: i64 = MAX_SECONDS as i64 * 1000;

/// The time to search when all given limits were invalid: the GUI still expects a `bestmove`.
const EMERGENCY_TIME: Duration = Duration::from_millis(100);

/// The maximum length of a command passed to vampirc-uci, in bytes.
const MAX_FIXED: usize = 256;

/// The keywords of `go`.
const GO_WORDS: [&str; 13] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "depth",
    "nodes",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
];

/// Parses a line.
///
/// # Errors
/// If the line is invalid; the error is a message for the user.
pub fn parse(line: &str) -> Result<Command<'_>, String> {
    let (word, rest) = split_word(line);
    if word.is_empty() || word.starts_with('#') {
        return Ok(Command::Nothing);
    }
    // No command is longer; do not copy long words.
    let lower = if word.len() <= 16 { word.to_ascii_lowercase() } else { String::new() };
    match lower.as_str() {
        "position" => parse_position(rest),
        "go" => parse_go(rest),
        "setoption" => parse_set_option(rest),
        "perft" => parse_perft(rest),
        "bench" => parse_numbers("bench", ["depth", "threads", "hash"], rest)
            .map(|[depth, threads, hash]| Command::Bench { depth, threads, hash }),
        "speedtest" => parse_numbers("speedtest", ["threads", "hash", "seconds"], rest)
            .map(|[threads, hash, seconds]| Command::SpeedTest { threads, hash, seconds }),
        "genfens" => parse_genfens(rest),
        "spsa" => Ok(Command::Spsa { names: rest }),
        "flip" => Ok(Command::Flip),
        "export_net" => Ok(Command::ExportNet { file: rest }),
        "eval" => Ok(Command::Eval { fen: (!rest.is_empty()).then_some(rest) }),
        "d" => Ok(Command::Display),
        "wait" => Ok(Command::Wait),
        "xboard" => Ok(Command::Xboard),
        "version" | "compiler" => Ok(Command::Version),
        "help" => Ok(Command::Help),
        // Parameters of these commands are ignored.
        "uci" | "isready" | "ucinewgame" | "stop" | "ponderhit" | "quit" => parse_fixed(&lower),
        "debug" | "register" if line.len() <= MAX_FIXED => {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            parse_fixed(&words.join(" "))
        }
        _ => Err(format!("unknown command {} (try help)", quoted(word))),
    }
}

fn parse_fixed(line: &str) -> Result<Command<'static>, String> {
    let message = parse_strict(line).ok().and_then(|list| list.into_iter().next());
    match message {
        Some(UciMessage::Uci) => Ok(Command::Uci),
        Some(UciMessage::IsReady) => Ok(Command::IsReady),
        Some(UciMessage::UciNewGame) => Ok(Command::NewGame),
        Some(UciMessage::Stop) => Ok(Command::Stop),
        Some(UciMessage::PonderHit) => Ok(Command::PonderHit),
        Some(UciMessage::Quit) => Ok(Command::Quit),
        Some(UciMessage::Debug(on)) => Ok(Command::Debug(on)),
        Some(UciMessage::Register { .. }) => Ok(Command::Register),
        _ => Err(format!("cannot read {}", quoted(line))),
    }
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

fn parse_position(text: &str) -> Result<Command<'_>, String> {
    let (setup, moves) = split_at_word(text, "moves").unwrap_or((text, ""));
    let (word, rest) = split_word(setup);
    match word {
        "startpos" if rest.is_empty() => Ok(Command::Position { fen: None, moves }),
        "startpos" => Err(format!("expected 'moves' after 'startpos', not {}", quoted(rest))),
        "fen" => Ok(Command::Position { fen: Some(rest), moves }),
        _ => Err(format!("expected 'startpos' or 'fen' after 'position', not {}", quoted(word))),
    }
}

fn parse_set_option(text: &str) -> Result<Command<'_>, String> {
    let (word, rest) = split_word(text);
    if word != "name" {
        return Err(format!("expected 'name' after 'setoption', not {}", quoted(word)));
    }
    let (name, value) = split_at_word(rest, "value").unwrap_or((rest, ""));
    if name.is_empty() {
        return Err("setoption needs the name of an option".to_owned());
    }
    let words: Vec<&str> = name.split_ascii_whitespace().collect();
    Ok(Command::SetOption { name: words.join(" "), value })
}

fn parse_perft(text: &str) -> Result<Command<'_>, String> {
    let (number, fen) = split_word(text);
    let depth = integer(number).and_then(|depth| u32::try_from(depth.min(u32::MAX.into())).ok());
    match depth {
        Some(depth) => Ok(Command::Perft { depth, fen: (!fen.is_empty()).then_some(fen) }),
        None => Err(format!("perft needs a depth, not {}", quoted(number))),
    }
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

fn parse_genfens(text: &str) -> Result<Command<'_>, String> {
    let (number, mut rest) = split_word(text);
    let positive =
        |word: &str| integer(word).and_then(|number| u64::try_from(number).ok()).filter(|&number| number > 0);
    let count =
        positive(number).ok_or_else(|| format!("genfens needs a number of positions, not {}", quoted(number)))?;
    let mut command = GenFens { count, seed: 0, book: None, endgames: 0.0, middlegames: 0.0, nodes: None };
    while !rest.is_empty() {
        let (name, after) = split_word(rest);
        let (value, after) = split_word(after);
        rest = after;
        let invalid = || format!("genfens: invalid {name} {}", quoted(value));
        let share = || {
            let percent = value.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent));
            percent.map(|percent| percent / 100.0).ok_or_else(invalid)
        };
        match name {
            "seed" => command.seed = value.parse().map_err(|_| invalid())?,
            "book" if value.is_empty() => return Err(invalid()),
            "book" => command.book = (!value.eq_ignore_ascii_case("none")).then_some(value),
            "nodes" => command.nodes = Some(positive(value).ok_or_else(invalid)?),
            "endgames" => command.endgames = share()?,
            "middlegames" => command.middlegames = share()?,
            _ => return Err(format!("unknown parameter of genfens: {}", quoted(name))),
        }
    }
    if command.endgames + command.middlegames > 1.0 {
        return Err("genfens: endgames and middlegames are more than 100 percent".to_owned());
    }
    Ok(Command::GenFens(command))
}

fn parse_go(text: &str) -> Result<Command<'_>, String> {
    let mut go = Go::default();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|next| !GO_WORDS.contains(next)) {
                    go.search_moves.push(mv);
                }
            }
            _ if !GO_WORDS.contains(&word) => {
                go.push_error(format!("unknown parameter of go: {}", quoted(word)));
            }
            _ => {
                let value = words.next_if(|next| !GO_WORDS.contains(next)).unwrap_or("");
                match integer(value) {
                    Some(number) if word == "perft" => {
                        let depth = u32::try_from(number.min(u32::MAX.into()));
                        let depth = depth.map_err(|_| format!("perft needs a depth, not {}", quoted(value)))?;
                        return Ok(Command::Perft { depth, fen: None });
                    }
                    None if word == "perft" => return Err(format!("perft needs a depth, not {}", quoted(value))),
                    Some(number) => go.set(word, number),
                    None => go.push_error(format!("{word} needs a number, not {}", quoted(value))),
                }
            }
        }
    }
    Ok(Command::Go(Box::new(go)))
}

impl Go<'_> {
    /// The maximum number of errors reported for one line.
    const MAX_ERRORS: usize = 8;

    fn push_error(&mut self, error: String) {
        if self.errors.len() < Self::MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Sets a numeric parameter. Negative times, which some GUIs send after a late move, count as zero. Counts below
    /// one count as one; `movestogo` below one counts as not given.
    fn set(&mut self, word: &str, number: i64) {
        let time = Duration::from_millis(number.clamp(0, MAX_MILLISECONDS).unsigned_abs());
        let count = number.max(1).unsigned_abs();
        let small = u32::try_from(count).unwrap_or(u32::MAX);
        match word {
            "wtime" => self.clock[Colour::White.index()] = Some(time),
            "btime" => self.clock[Colour::Black.index()] = Some(time),
            "winc" => self.increment[Colour::White.index()] = Some(time),
            "binc" => self.increment[Colour::Black.index()] = Some(time),
            "movestogo" => self.moves_to_go = (number > 0).then_some(small),
            "movetime" => self.move_time = Some(time),
            "depth" => self.depth = Some(small),
            "nodes" => self.nodes = Some(count),
            "mate" => self.mate = Some(small),
            _ => debug_assert!(false, "{word} takes no number"),
        }
    }

    /// The limits for a search of `board`, and the errors in the line. Illegal moves in `searchmoves` are skipped.
    pub fn into_limits(mut self, board: &Board) -> (Limits, Vec<String>) {
        let mut search_moves: Vec<Move> = Vec::new();
        for text in std::mem::take(&mut self.search_moves) {
            match board.parse_move(text) {
                Ok(mv) if !search_moves.contains(&mv) => search_moves.push(mv),
                Ok(_) => {}
                Err(error) => self.push_error(format!("searchmoves: {} is {error}", quoted(text))),
            }
        }
        let mut limits = Limits {
            clock: self.clock,
            increment: self.increment.map(Option::unwrap_or_default),
            moves_to_go: self.moves_to_go,
            move_time: self.move_time,
            depth: self.depth,
            nodes: self.nodes,
            soft_nodes: None,
            mate: self.mate,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves,
        };
        self.ensure_bounded(&mut limits, board.side_to_move());
        (limits, self.errors)
    }

    /// Adds a limit if only incomplete or invalid ones were given, so that the search ends.
    fn ensure_bounded(&self, limits: &mut Limits, us: Colour) {
        let (own, other) = (us.index(), (!us).index());
        let bounded =
            limits.move_time.is_some() || limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
        if limits.infinite || bounded || limits.clock[own].is_some() {
            return;
        }
        let incremental = self.increment.iter().any(Option::is_some);
        if let Some(time) = limits.clock[other] {
            // Only the opponent's clock is known: assume that ours shows the same.
            limits.clock[own] = Some(time);
        } else if incremental || self.moves_to_go.is_some() {
            limits.clock[own] = Some(limits.increment[own]);
        } else if !self.errors.is_empty() {
            limits.move_time = Some(EMERGENCY_TIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn go(text: &str) -> Go<'_> {
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
        assert_eq!(parse("position startpos"), Ok(Command::Position { fen: None, moves: "" }));
        assert_eq!(parse("position startpos moves "), Ok(Command::Position { fen: None, moves: "" }));
        assert_eq!(
            parse("position\tfen  a b \t moves  x  y\r"),
            Ok(Command::Position { fen: Some("a b"), moves: "x  y" })
        );
        assert_eq!(parse("position fen"), Ok(Command::Position { fen: Some(""), moves: "" }));
    }

    #[test]
    fn options() {
        let set = |name: &str, value| Ok(Command::SetOption { name: name.into(), value });
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
        assert_eq!(parse("go perft 5"), Ok(Command::Perft { depth: 5, fen: None }));
        assert_eq!(parse("perft 2 a b"), Ok(Command::Perft { depth: 2, fen: Some("a b") }));
        assert_eq!(parse("perft 99999999999"), Ok(Command::Perft { depth: u32::MAX, fen: None }));
        assert_eq!(parse("bench 5 2"), Ok(Command::Bench { depth: Some(5), threads: Some(2), hash: None }));
        assert_eq!(parse("bench hash=8"), Ok(Command::Bench { depth: None, threads: None, hash: Some(8) }));
        assert_eq!(
            parse("speedtest 4 seconds=9"),
            Ok(Command::SpeedTest { threads: Some(4), hash: None, seconds: Some(9) })
        );
        assert_eq!(parse("export_net  a b.nnue "), Ok(Command::ExportNet { file: "a b.nnue" }));
    }
}
