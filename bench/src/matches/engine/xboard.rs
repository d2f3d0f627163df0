//! An engine with the Chess Engine Communication Protocol of XBoard and WinBoard, version 2.
//!
//! The engine is told both sides' moves, starts to play when it is first to move, and then answers each move of the
//! opponent. The clock is `level` or `st`; a limit of nodes is a time of that many seconds with one node a second
//! (`nps`).

use super::super::clock::Clock;
use super::super::config::{EngineConfig, Limits};
use super::connection::{Connection, START_TIME};
use super::search::Search;
use super::{Engine, Failure, Identity, Info, MatchConfig, SearchResult, Turn};
use agoge_core::board::{Board, Variant};
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Scores from here on are mates: this plus the number of moves.
const MATE: u64 = 100_000;

/// What an engine can do, by its features. The defaults are those of the protocol.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Features {
    ping: bool,
    setboard: bool,
    usermove: bool,
    memory: bool,
    smp: bool,
    nps: bool,
    /// Whether it can play several games.
    reuse: bool,
    /// Whether it is told the times on the clocks.
    time: bool,
    /// The names of its variants, if it lists them.
    variants: Option<String>,
}

#[derive(Debug)]
pub struct XBoardEngine {
    connection: Connection,
    match_config: MatchConfig,
    identity: Identity,
    features: Features,
    limits: Limits,
    ponders: bool,
    pings: u32,
    /// The number of moves of the game that the engine knows.
    known: usize,
    /// Whether the engine answers the opponent's moves.
    is_playing: bool,
    has_played: bool,
    /// See [`SearchResult::has_unasked_move`].
    has_unasked_move: bool,
}

impl XBoardEngine {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// If it cannot be started, does not list its features, lacks an option, or does not play the variant.
    pub fn start(config: &EngineConfig, match_config: &MatchConfig, stop: &AtomicBool) -> Result<Self, Failure> {
        let mut engine = Self {
            connection: Connection::spawn(config, match_config)?,
            match_config: match_config.clone(),
            identity: Identity::default(),
            features: Features { reuse: true, time: true, ..Features::default() },
            limits: config.limits,
            ponders: config.ponder,
            pings: 0,
            known: 0,
            is_playing: false,
            has_played: false,
            has_unasked_move: false,
        };
        engine.handshake(stop)?;
        engine.check_variant()?;
        engine.set_options(config)?;
        engine.wait_until_ready(stop)?;
        Ok(engine)
    }

    /// Asks for the features and waits for their end.
    fn handshake(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.connection.send("xboard")?;
        self.connection.send("protover 2")?;
        let deadline = Instant::now() + START_TIME;
        loop {
            let (_, line) = self.connection.receive(deadline, "feature done=1 after protover 2", stop)?;
            let Some(features) = line.trim().strip_prefix("feature ") else { continue };
            for (name, value) in Assignments(features) {
                let is_known = self.add_feature(name, value);
                self.connection.send(&format!("{} {name}", if is_known { "accepted" } else { "rejected" }))?;
                if (name, value) == ("done", "1") {
                    return Ok(());
                }
            }
        }
    }

    /// Notes a feature. Returns whether it is acceptable.
    fn add_feature(&mut self, name: &str, value: &str) -> bool {
        let is_on = value == "1";
        let features = &mut self.features;
        match name {
            "ping" => features.ping = is_on,
            "setboard" => features.setboard = is_on,
            "usermove" => features.usermove = is_on,
            "memory" => features.memory = is_on,
            "smp" => features.smp = is_on,
            "nps" => features.nps = is_on,
            "reuse" => features.reuse = is_on,
            "time" => features.time = is_on,
            "variants" => features.variants = Some(value.to_owned()),
            "myname" => value.clone_into(&mut self.identity.name),
            "option" => {
                let (name, rest) = value.split_once(" -").unwrap_or((value, ""));
                self.identity.add_option(name, rest);
            }
            // Moves are sent in coordinate notation, the colours are those of the moves, and pieces may not be dropped.
            "san" | "colors" | "ics" => return !is_on,
            "done" | "playother" | "draw" | "analyze" | "debug" | "sigint" | "sigterm" | "name" | "pause" => {}
            _ => return false,
        }
        true
    }

    fn check_variant(&self) -> Result<(), Failure> {
        let variant = self.match_config.variant;
        let offers = |list: &String| list.split(',').any(|name| name.trim() == protocol_name(variant));
        if variant == Variant::Chess || self.features.variants.as_ref().is_some_and(offers) {
            return Ok(());
        }
        let (name, variant) = (self.connection.name(), variant.name());
        let reason = "its feature variants does not list it";
        Err(Failure::Unsupported(format!("{name} does not play the variant {variant}: {reason}")))
    }

    fn set_options(&mut self, config: &EngineConfig) -> Result<(), Failure> {
        if self.limits.nodes.is_some() && !self.features.nps {
            let details = format!("{} has no feature nps, so nodes= is not possible", config.name);
            return Err(Failure::Unsupported(details));
        }
        let times = [self.limits.clock.is_some(), self.limits.movetime.is_some(), self.limits.nodes.is_some()];
        if times.into_iter().filter(|&given| given).count() > 1 {
            let details = format!("{}: XBoard's protocol has only one of tc=, movetime= and nodes=", config.name);
            return Err(Failure::Unsupported(details));
        }
        for (name, value) in &config.options {
            match self.option_command(name, value) {
                Some(command) => self.connection.send(&command)?,
                None => self.match_config.skip_option(&config.name, name)?,
            }
        }
        Ok(())
    }

    /// The command that sets an option. The names of UCI for hash table and threads stand for the commands of this
    /// protocol. `None` if the engine has no such option.
    fn option_command(&self, name: &str, value: &str) -> Option<String> {
        if self.identity.option(name).is_some() {
            let sign = if value.is_empty() { "" } else { "=" };
            let value = match value {
                "true" => "1",
                "false" => "0",
                _ => value,
            };
            return Some(format!("option {name}{sign}{value}"));
        }
        match name {
            "Hash" if self.features.memory => Some(format!("memory {value}")),
            "Threads" if self.features.smp => Some(format!("cores {value}")),
            _ => None,
        }
    }

    /// Waits until the engine has done everything that it was told, if it can tell, and drops its output until then.
    fn wait_until_ready(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        if !self.features.ping {
            return self.connection.discard_lines();
        }
        self.pings += 1;
        self.connection.send(&format!("ping {}", self.pings))?;
        let deadline = Instant::now() + START_TIME;
        let pong = format!("pong {}", self.pings);
        loop {
            let (_, line) = self.connection.receive(deadline, &pong, stop)?;
            match line.trim() {
                line if line == pong => return Ok(()),
                line if line.starts_with("Illegal move") => return Err(self.dispute("rejects a legal move:", line)),
                line => self.has_unasked_move |= move_of(line).is_some(),
            }
        }
    }

    fn send_move(&mut self, mv: Move) -> Result<(), Failure> {
        let command = if self.features.usermove { "usermove " } else { "" };
        self.connection.send(&format!("{command}{mv}"))
    }

    /// Tells the engine the times on the clocks, in centiseconds.
    fn send_clocks(&mut self, turn: &Turn<'_>) -> Result<(), Failure> {
        let us = turn.board.side_to_move();
        for (command, side) in [("time", us), ("otim", !us)] {
            let clock: &Clock = &turn.clocks[side.index()];
            if self.features.time && clock.limits.clock.is_some() {
                self.connection.send(&format!("{command} {}", clock.milliseconds() / 10))?;
            }
        }
        Ok(())
    }

    fn wait_for_move(
        &mut self,
        mut search: Search,
        turn: &Turn<'_>,
        stop: &AtomicBool,
    ) -> Result<SearchResult, Failure> {
        loop {
            let (at, line) = search.next_line(&mut self.connection, "?", stop)?;
            let line = line.trim();
            if let Some(text) = move_of(line) {
                return Ok(search.finish(at, Some(coordinates(turn.board, text))));
            }
            if line == "resign" || line.starts_with("resign ") {
                return Ok(search.finish(at, None));
            }
            if let Some(winner) = claimed_winner(line) {
                // An engine may name the result instead of resigning.
                if winner == Some(!turn.board.side_to_move()) {
                    return Ok(search.finish(at, None));
                }
                return Err(self.dispute("claims", line));
            }
            if line.starts_with("Illegal move") {
                return Err(self.dispute("rejects a legal move:", line));
            }
            if let Some(info) = thinking(line) {
                search.report(at, info);
            }
        }
    }

    fn dispute(&self, what: &str, line: &str) -> Failure {
        let line: String = line.chars().filter(|c| !c.is_control()).take(80).collect();
        Failure::Dispute(format!("{} {what} {line}", self.connection.name()))
    }
}

impl Engine for XBoardEngine {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn is_alive(&self) -> bool {
        self.connection.is_alive() && (self.features.reuse || !self.has_played)
    }

    fn new_game(&mut self, start: &Board, stop: &AtomicBool) -> Result<(), Failure> {
        if self.has_played {
            self.connection.send("force")?;
        }
        (self.known, self.is_playing, self.has_played) = (0, false, true);
        let variant = start.variant();
        self.connection.send("new")?;
        if variant != Variant::Chess {
            self.connection.send(&format!("variant {}", protocol_name(variant)))?;
        }
        // Engines without moves in force mode would start to think.
        self.connection.send("force")?;
        let fen = start.to_fen();
        if fen != variant.start_fen() {
            if !self.features.setboard {
                let name = self.connection.name();
                return Err(Failure::Unsupported(format!(
                    "{name} cannot set up positions: it has no feature setboard"
                )));
            }
            self.connection.send(&format!("setboard {fen}"))?;
        }
        for command in limit_commands(&self.limits) {
            self.connection.send(&command)?;
        }
        self.connection.send("post")?;
        self.connection.send(if self.ponders { "hard" } else { "easy" })?;
        self.wait_until_ready(stop)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let command = self.option_command(name, value).unwrap_or_else(|| format!("option {name}={value}"));
        self.connection.send(&command)
    }

    fn search(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<SearchResult, Failure> {
        let clock = turn.clock();
        let search;
        match turn.moves[self.known..] {
            [answer] if self.is_playing => {
                self.send_clocks(turn)?;
                self.wait_until_ready(stop)?;
                search = Search::begin(clock.allowance(), &self.match_config);
                self.send_move(answer)?;
            }
            ref news => {
                if std::mem::replace(&mut self.is_playing, true) {
                    self.connection.send("force")?;
                }
                for &mv in news {
                    self.send_move(mv)?;
                }
                self.send_clocks(turn)?;
                self.wait_until_ready(stop)?;
                search = Search::begin(clock.allowance(), &self.match_config);
                self.connection.send("go")?;
            }
        }
        // With the move that the engine is about to make.
        self.known = turn.moves.len() + 1;
        let has_unasked_move = std::mem::take(&mut self.has_unasked_move);
        self.wait_for_move(search, turn, stop).map(|result| SearchResult { has_unasked_move, ..result })
    }
}

/// The name of a variant in this protocol.
const fn protocol_name(variant: Variant) -> &'static str {
    match variant {
        Variant::Spartan => "spartan",
        Variant::Chess => "normal",
    }
}

fn limit_commands(limits: &Limits) -> Vec<String> {
    let mut commands = Vec::new();
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    if let Some(clock) = limits.clock {
        // The base time is in whole seconds; the commands `time` are exact.
        let base = clock.base.as_secs().max(1);
        let time = format!("{}:{:02}", base / 60, base % 60);
        commands.push(format!("level {} {time} {}", clock.moves.unwrap_or(0), seconds(clock.increment)));
    }
    if let Some(time) = limits.movetime {
        commands.push(format!("st {}", seconds(time)));
    }
    if let Some(nodes) = limits.nodes {
        commands.push(format!("st {nodes}"));
        commands.push("nps 1".to_owned());
    }
    if let Some(depth) = limits.depth {
        commands.push(format!("sd {depth}"));
    }
    if limits.clock.is_none() && limits.movetime.is_none() && limits.nodes.is_none() {
        // The default of the protocol is a clock of five minutes.
        commands.push("st 1000000".to_owned());
    }
    commands
}

/// The move that a line sends.
fn move_of(line: &str) -> Option<&str> {
    line.strip_prefix("move ").or_else(|| line.strip_prefix("My move is: ")).map(str::trim)
}

/// A move in coordinate notation. Engines may also write castling or all moves in SAN. A text that is neither is
/// returned as it is, for the message about it.
fn coordinates(board: &Board, text: &str) -> String {
    let parsed = board.parse_move(text).or_else(|error| board.parse_san(text).map_err(|_| error));
    parsed.map_or_else(|_| text.to_owned(), |mv| mv.to_string())
}

/// The winner that a result such as `0-1 {resigns}` names: `Some(None)` for a draw, `None` if the line is no result.
fn claimed_winner(line: &str) -> Option<Option<Colour>> {
    match line.split_ascii_whitespace().next()? {
        "1-0" => Some(Some(Colour::White)),
        "0-1" => Some(Some(Colour::Black)),
        "1/2-1/2" => Some(None),
        _ => None,
    }
}

/// Parses the beginning of a line of thinking output: depth, score in centipawns, time in centiseconds, nodes.
fn thinking(line: &str) -> Option<Info> {
    let mut words = line.split_whitespace();
    let depth = words.next()?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    let score: i64 = words.next()?.parse().ok()?;
    words.next()?.parse::<u64>().ok()?;
    let nodes = words.next()?.parse().ok()?;
    let size = score.unsigned_abs();
    let score = if size >= MATE {
        // Some engines count the mating move as the first one, others as none.
        let moves = i32::try_from((size - MATE).max(1)).ok()?;
        Score::Mate(if score > 0 { moves } else { -moves })
    } else {
        Score::Cp(i32::try_from(score).ok()?)
    };
    Some(Info { score: Some(score), depth, nodes, is_main: true, ..Info::default() })
}

/// Iterates over words `name=value` or `name="several words"`.
struct Assignments<'a>(&'a str);

impl<'a> Iterator for Assignments<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, rest) = self.0.trim_start().split_once('=')?;
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        self.0 = rest;
        Some((name.trim(), value))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::TimeControl;
    use super::*;

    #[test]
    fn features_are_parsed() {
        let list: Vec<_> = Assignments("ping=1 myname=\"A = b\" option=\"Hash -spin 1 1 9\"  done=1").collect();
        assert_eq!(list, [("ping", "1"), ("myname", "A = b"), ("option", "Hash -spin 1 1 9"), ("done", "1")]);
        for damaged in ["", "ping", "  "] {
            assert_eq!(Assignments(damaged).count(), 0, "{damaged:?}");
        }
        assert_eq!(Assignments("a=\"b c").collect::<Vec<_>>(), [("a", "b c")]);
    }

    #[test]
    fn thinking_is_parsed() {
        let parsed = |line| thinking(line).map(|info| (info.depth, info.score, info.nodes));
        assert_eq!(parsed("  8    38     66    145013  1.  d4 Lc6"), Some((8, Some(Score::Cp(38)), 145_013)));
        assert_eq!(parsed("9. -100003 1 2 30 4000 5\te2e4"), Some((9, Some(Score::Mate(-3)), 2)));
        assert_eq!(parsed("3 100001 0 7 "), Some((3, Some(Score::Mate(1)), 7)));
        assert_eq!(parsed("3 100000 0 7 "), Some((3, Some(Score::Mate(1)), 7)));
        assert_eq!(parsed("3 -100000 0 7 "), Some((3, Some(Score::Mate(-1)), 7)));
        assert_eq!(parsed("3 -9223372036854775808 0 7 "), None);
        for other in ["", "move e2e4", "1 2 3", "1 x 3 4 e4", "telluser 1 2 3 4"] {
            assert_eq!(parsed(other), None, "{other:?}");
        }
    }

    #[test]
    fn limits_are_commands() {
        let clock = |text| Limits { clock: TimeControl::parse(text).ok(), ..Limits::default() };
        assert_eq!(limit_commands(&clock("40/90+0.5")), ["level 40 1:30 0.5"]);
        assert_eq!(limit_commands(&clock("0.5+0.005")), ["level 0 0:01 0.005"]);
        let movetime = Limits { movetime: Some(Duration::from_millis(1500)), ..Limits::default() };
        assert_eq!(limit_commands(&movetime), ["st 1.5"]);
        assert_eq!(limit_commands(&Limits { nodes: Some(500), ..Limits::default() }), ["st 500", "nps 1"]);
        assert_eq!(limit_commands(&Limits { depth: Some(3), ..Limits::default() }), ["sd 3", "st 1000000"]);
    }

    #[test]
    fn moves_and_results() {
        let board = Board::start(Variant::Spartan);
        for (text, mv) in [("e2e4", "e2e4"), ("Nf3", "g1f3"), ("e9e4", "e9e4"), ("", "")] {
            assert_eq!(coordinates(&board, text), mv);
        }
        assert_eq!(claimed_winner("1-0 {White mates}"), Some(Some(Colour::White)));
        assert_eq!(claimed_winner("0-1"), Some(Some(Colour::Black)));
        assert_eq!(claimed_winner("1/2-1/2 {repetition}"), Some(None));
        assert_eq!(claimed_winner("1-0x"), None);
    }
}
