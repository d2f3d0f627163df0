//! The part of a client that speaks CECP, as XBoard does.

use super::client::Client;
use agoge_core::board::{Game, Variant};
use std::time::Duration;

/// Enough time for a search to start and report.
pub const DELAY: Duration = Duration::from_millis(100);

impl Client {
    /// Starts the engine and a game of a variant, with the engine as Black.
    pub fn game(variant: &str) -> Self {
        let mut gui = Self::start().with_cecp();
        gui.send("xboard");
        gui.features();
        gui.send("new");
        gui.silent(&[&format!("variant {variant}")]);
        gui
    }

    /// As [`Client::game`], in force mode.
    pub fn forced(variant: &str) -> Self {
        let mut gui = Self::game(variant);
        gui.send("force");
        gui
    }

    /// Waits by `ping` from now on.
    pub fn with_cecp(mut self) -> Self {
        self.pings = Some(0);
        self
    }

    /// Sends `protover 2` and returns the feature lines.
    pub fn features(&mut self) -> Vec<String> {
        self.send("protover 2");
        self.until_end("feature done=1")
    }

    /// Sends moves, which must be accepted without an answer.
    pub fn play(&mut self, moves: &str) {
        moves.split_whitespace().for_each(|mv| self.silent(&[&format!("usermove {mv}")]));
    }

    /// Sets up a position in force mode.
    pub fn place(&mut self, fen: &str) {
        self.send("force");
        self.silent(&[&format!("setboard {fen}")]);
    }

    /// Sends a line and returns the engine's next move.
    pub fn reply(&mut self, line: &str) -> String {
        self.send(line);
        self.engine_move()
    }

    /// The next move of the engine.
    pub fn engine_move(&self) -> String {
        let lines = self.until("move");
        lines.last().and_then(|line| line.strip_prefix("move ")).expect("a move").to_owned()
    }

    /// The next result claimed by the engine.
    pub fn result(&self) -> String {
        self.until_end("}").pop().expect("a line")
    }
}

/// Whether one of the lines is a move.
pub fn has_move(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("move "))
}

/// Whether a line is thinking output: four numbers and moves.
pub fn is_thinking(line: &str) -> bool {
    line.split(' ').take(4).filter(|word| word.parse::<i64>().is_ok()).count() == 4
}

/// The last thinking line: depth, score, time, nodes, and the first move.
pub fn last_thinking(lines: &[String]) -> ([i64; 4], String) {
    let line =
        lines.iter().rev().find(|line| is_thinking(line)).unwrap_or_else(|| panic!("no thinking output in {lines:#?}"));
    let words: Vec<&str> = line.split(' ').collect();
    ([0, 1, 2, 3].map(|index| words[index].parse().expect("a number")), words[4].to_owned())
}

/// The next thinking line.
pub fn next_thinking_line(gui: &Client) -> String {
    std::iter::repeat_with(|| gui.line()).find(|line| is_thinking(line)).expect("lines without end")
}

/// The first move of the next thinking line.
pub fn next_thinking_move(gui: &Client) -> String {
    last_thinking(&[next_thinking_line(gui)]).1
}

/// Asserts that a move is legal after some moves from the initial position of Spartan Chess.
pub fn assert_legal(moves: &str, mv: &str) {
    assert!(is_legal(Variant::Spartan, moves, mv), "{mv} after {moves}");
}

/// Whether a move is legal after some moves from the initial position.
pub fn is_legal(variant: Variant, moves: &str, mv: &str) -> bool {
    let mut game = Game::start(variant);
    super::play(&mut game, moves);
    game.board().parse_move(mv).is_ok()
}

pub fn pause() {
    std::thread::sleep(DELAY);
}
