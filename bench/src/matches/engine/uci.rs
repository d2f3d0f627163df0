//! An engine with the Universal Chess Interface.

use super::super::clock::Clock;
use super::super::config::EngineConfig;
use super::connection::{Connection, MAX_LINE, START_TIME};
use super::search::Search;
use super::{Engine, Failure, Identity, Info, MatchConfig, SearchResult, Turn};
use agoge_core::board::{Board, Variant};
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub const VARIANT_OPTION: &str = "UCI_Variant";

#[derive(Debug)]
pub struct UciEngine {
    connection: Connection,
    match_config: MatchConfig,
    identity: Identity,
    ponders: bool,
    /// The move that it expects after its own.
    expected: Option<String>,
    /// The move on which it ponders.
    pondered: Option<Move>,
    /// See [`SearchResult::has_unasked_move`].
    has_unasked_move: bool,
}

impl UciEngine {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// If it cannot be started, is not a UCI engine, lacks an option, or does not play the variant: all variants except
    /// orthodox chess must be listed in its option `UCI_Variant`.
    pub fn start(config: &EngineConfig, match_config: &MatchConfig, stop: &AtomicBool) -> Result<Self, Failure> {
        let mut engine = Self::identified(config, match_config, stop)?;
        engine.check_variant()?;
        engine.set_options(config)?;
        engine.wait_until_ready(stop)?;
        Ok(engine)
    }

    /// Starts an engine and asks what it is.
    ///
    /// # Errors
    /// If it cannot be started or is not a UCI engine.
    pub fn identified(config: &EngineConfig, match_config: &MatchConfig, stop: &AtomicBool) -> Result<Self, Failure> {
        let mut engine = Self {
            connection: Connection::spawn(config, match_config)?,
            match_config: match_config.clone(),
            identity: Identity::default(),
            ponders: config.ponder,
            expected: None,
            pondered: None,
            has_unasked_move: false,
        };
        engine.handshake(stop)?;
        Ok(engine)
    }

    /// The UCI handshake, in which the engine lists its options.
    fn handshake(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.connection.send("uci")?;
        let deadline = Instant::now() + START_TIME;
        loop {
            let (_, line) = self.connection.receive(deadline, "uciok", stop)?;
            let line = line.trim();
            if line == "uciok" {
                return Ok(());
            }
            if let Some(name) = line.strip_prefix("id name ") {
                name.trim().clone_into(&mut self.identity.name);
            } else if let Some(author) = line.strip_prefix("id author ") {
                author.trim().clone_into(&mut self.identity.author);
            } else if let Some(option) = line.strip_prefix("option name ") {
                let (name, rest) = option.split_once(" type ").unwrap_or((option, ""));
                self.identity.add_option(name, rest);
            }
        }
    }

    fn check_variant(&self) -> Result<(), Failure> {
        let variant = self.match_config.variant;
        let reason = match self.identity.option(VARIANT_OPTION) {
            None if variant == Variant::Chess => return Ok(()),
            None => format!("it has no option {VARIANT_OPTION}"),
            Some(values) if has_value(values, variant.name()) => return Ok(()),
            Some(_) => format!("its option {VARIANT_OPTION} does not offer it"),
        };
        let name = self.connection.name();
        Err(Failure::Unsupported(format!("{name} does not play the variant {}: {reason}", variant.name())))
    }

    fn set_options(&mut self, config: &EngineConfig) -> Result<(), Failure> {
        if self.identity.option(VARIANT_OPTION).is_some() {
            self.set_option(VARIANT_OPTION, self.match_config.variant.name())?;
        }
        if self.ponders && self.identity.option("Ponder").is_some() {
            self.set_option("Ponder", "true")?;
        }
        for (name, value) in &config.options {
            if self.identity.option(name).is_none() {
                self.match_config.skip_option(&config.name, name)?;
                continue;
            }
            if value.is_empty() {
                self.connection.send(&format!("setoption name {name}"))?;
            } else {
                self.set_option(name, value)?;
            }
        }
        Ok(())
    }

    /// Waits until the engine has done everything that it was told, and drops its output until then.
    fn wait_until_ready(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.connection.send("isready")?;
        let deadline = Instant::now() + START_TIME;
        loop {
            match self.connection.receive(deadline, "readyok", stop)?.1.trim() {
                "readyok" => return Ok(()),
                line => self.has_unasked_move |= is_best_move(line),
            }
        }
    }

    /// Searches a position with a `go` command. See [`Engine::search`](super::Engine::search) for the allowance.
    ///
    /// # Errors
    /// If the engine exits or does not answer in time.
    pub fn search_position(
        &mut self,
        position: &str,
        go: &str,
        allowance: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<SearchResult, Failure> {
        self.connection.send(position)?;
        self.wait_until_ready(stop)?;
        let search = Search::begin(allowance, &self.match_config);
        self.connection.send(go)?;
        let has_unasked_move = std::mem::take(&mut self.has_unasked_move);
        self.wait_for_move(search, stop).map(|result| SearchResult { has_unasked_move, ..result })
    }

    fn wait_for_move(&mut self, mut search: Search, stop: &AtomicBool) -> Result<SearchResult, Failure> {
        loop {
            let (at, line) = search.next_line(&mut self.connection, "stop", stop)?;
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("bestmove") => {
                    let best = words.next().unwrap_or("").to_owned();
                    self.expected = (words.next() == Some("ponder")).then(|| words.next().map(str::to_owned)).flatten();
                    return Ok(search.finish(at, Some(best)));
                }
                Some("info") => {
                    let Some(info) = Info::parse(words) else { continue };
                    search.report(at, info);
                }
                _ => {}
            }
        }
    }

    /// Stops pondering and drops the answer.
    fn end_pondering(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.connection.send("stop")?;
        let deadline = Instant::now() + self.match_config.stall_timeout;
        while !is_best_move(&self.connection.receive(deadline, "bestmove after pondering", stop)?.1) {}
        Ok(())
    }
}

impl Engine for UciEngine {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn is_alive(&self) -> bool {
        self.connection.is_alive()
    }

    fn new_game(&mut self, _start: &Board, stop: &AtomicBool) -> Result<(), Failure> {
        self.expected = None;
        if self.pondered.take().is_some() {
            self.end_pondering(stop)?;
        }
        self.connection.send("ucinewgame")?;
        self.wait_until_ready(stop)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        self.connection.send(&format!("setoption name {name} value {value}"))
    }

    fn search(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<SearchResult, Failure> {
        let allowance = turn.clock().allowance();
        match self.pondered.take() {
            Some(mv) if turn.moves.last() == Some(&mv) => {
                let search = Search::continue_pondering(allowance, &self.match_config);
                self.connection.send("ponderhit")?;
                return self.wait_for_move(search, stop);
            }
            Some(_) => self.end_pondering(stop)?,
            None => {}
        }
        let go = go_command(turn.clocks, turn.board.side_to_move(), false);
        self.search_position(&position_command(turn.start, turn.moves), &go, allowance, stop)
    }

    fn ponder(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<(), Failure> {
        let Some(expected) = self.expected.take().filter(|_| self.ponders) else { return Ok(()) };
        let Ok(mv) = turn.board.parse_move(&expected) else { return Ok(()) };
        let moves = [turn.moves, &[mv]].concat();
        self.connection.send(&position_command(turn.start, &moves))?;
        self.wait_until_ready(stop)?;
        self.connection.send(&go_command(turn.clocks, !turn.board.side_to_move(), true))?;
        self.pondered = Some(mv);
        Ok(())
    }
}

/// Whether a line is the answer to a search.
fn is_best_move(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("bestmove")
}

/// Whether the values of an option, the text after `type`, include one. A truncated line may include it.
fn has_value(values: &str, wanted: &str) -> bool {
    let Some(values) = values.trim().strip_prefix("combo") else { return true };
    let mut words = values.split_ascii_whitespace();
    let is_truncated = values.len() + 100 > MAX_LINE;
    is_truncated || words.any(|word| word.eq_ignore_ascii_case(wanted))
}

/// The `position` command with all moves, so that the engine knows about repetitions.
pub fn position_command(start: &Board, moves: &[Move]) -> String {
    let fen = start.to_fen();
    let position = if fen == start.variant().start_fen() { "startpos".to_owned() } else { format!("fen {fen}") };
    let mut text = format!("position {position}");
    for (index, mv) in moves.iter().enumerate() {
        text.push_str(if index == 0 { " moves " } else { " " });
        let _ = write!(text, "{mv}");
    }
    text
}

fn go_command(clocks: &[Clock; 2], mover: Colour, is_ponder: bool) -> String {
    let own = &clocks[mover.index()];
    let mut text = if is_ponder { "go ponder" } else { "go" }.to_owned();
    if own.limits.clock.is_some() {
        // The opponent may play without a clock.
        for (clock, letter) in clocks.iter().zip(['w', 'b']) {
            if let Some(control) = clock.limits.clock {
                let _ = write!(
                    text,
                    " {letter}time {} {letter}inc {}",
                    clock.milliseconds(),
                    control.increment.as_millis()
                );
            }
        }
        if let Some(moves) = own.moves_to_go() {
            let _ = write!(text, " movestogo {moves}");
        }
    }
    if let Some(time) = own.limits.movetime {
        let _ = write!(text, " movetime {}", time.as_millis());
    }
    if let Some(nodes) = own.limits.nodes {
        let _ = write!(text, " nodes {nodes}");
    }
    if let Some(depth) = own.limits.depth {
        let _ = write!(text, " depth {depth}");
    }
    text
}

impl Info {
    /// Parses the words after `info`. `None` if they are invalid.
    fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut info = Self { is_main: true, ..Self::default() };
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = words.next()?.parse().ok()?,
                "seldepth" => info.seldepth = words.next()?.parse().ok()?,
                "nodes" => info.nodes = words.next()?.parse().ok()?,
                "multipv" => info.is_main = words.next()? == "1",
                "cp" => info.score = Some(Score::Cp(words.next()?.parse().ok()?)),
                "mate" => info.score = Some(Score::Mate(words.next()?.parse().ok()?)),
                "lowerbound" | "upperbound" => info.is_bound = true,
                "pv" | "string" => break,
                _ => {}
            }
        }
        Some(info)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::{Limits, TimeControl};
    use super::*;

    fn clock(limits: Limits) -> Clock {
        Clock::new(&EngineConfig { limits, margin: Duration::from_millis(5), ..EngineConfig::new("a", "a".into()) })
    }

    fn time_control(text: &str) -> Clock {
        clock(Limits { clock: TimeControl::parse(text).ok(), ..Limits::default() })
    }

    #[test]
    fn go_commands() {
        let clocks = [time_control("40/60+0.5"), time_control("1+0.01")];
        let go = |clocks, mover| go_command(clocks, mover, false);
        assert_eq!(go(&clocks, Colour::White), "go wtime 60000 winc 500 btime 1000 binc 10 movestogo 40");
        assert_eq!(go(&clocks, Colour::Black), "go wtime 60000 winc 500 btime 1000 binc 10");
        assert_eq!(go_command(&clocks, Colour::Black, true), "go ponder wtime 60000 winc 500 btime 1000 binc 10");
        let limits = Limits {
            nodes: Some(5000),
            depth: Some(9),
            movetime: Some(Duration::from_millis(20)),
            ..Limits::default()
        };
        let clocks = [time_control("1"), clock(limits)];
        assert_eq!(go(&clocks, Colour::White), "go wtime 1000 winc 0");
        assert_eq!(go(&clocks, Colour::Black), "go movetime 20 nodes 5000 depth 9");
        assert_eq!(clocks[1].allowance(), Some(Duration::from_millis(25)));
    }

    #[test]
    fn position_commands() {
        let start = Board::start(Variant::Spartan);
        assert_eq!(position_command(&start, &[]), "position startpos");
        let mv = start.parse_move("e2e4").expect("a legal move");
        assert_eq!(position_command(&start, &[mv]), "position startpos moves e2e4");
        let board = Board::from_fen("k7/8/8/8/8/8/8/KR6 w - - 0 1", Variant::Spartan).expect("a position");
        assert_eq!(position_command(&board, &[]), "position fen k7/8/8/8/8/8/8/KR6 w - - 0 1");
    }

    #[test]
    fn info_lines_are_parsed() {
        let parse = |line: &str| Info::parse(line.split_ascii_whitespace());
        let score = |line| parse(line).filter(|info| info.is_main).and_then(|info| info.score);
        assert_eq!(score("depth 12 seldepth 20 multipv 1 score cp -35 nodes 1 pv e2e4"), Some(Score::Cp(-35)));
        assert_eq!(score("depth 3 score mate -2 pv a b"), Some(Score::Mate(-2)));
        assert_eq!(parse("depth 3 score cp 10 lowerbound").map(|info| (info.depth, info.is_bound)), Some((3, true)));
        assert_eq!(score("depth 3 multipv 2 score cp 10"), None);
        assert_eq!(parse("depth 7 nodes 345 string 5").map(|info| (info.depth, info.nodes)), Some((7, 345)));
        for line in ["", "string score cp 3", "nodes 5"] {
            assert_eq!(score(line), None, "{line:?}");
        }
        for line in ["depth", "depth x score cp 1", "score cp", "score cp 99999999999", "nodes -1"] {
            assert_eq!(parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn offered_variants_are_recognised() {
        for (values, offered) in [
            ("combo default chess var chess var spartan", true),
            ("combo default chess var chess var atomic", false),
            ("combo default Spartan", true),
            ("string default chess", true),
            ("combo default x var spartanx", false),
        ] {
            assert_eq!(has_value(values, "spartan"), offered, "{values}");
        }
    }
}
