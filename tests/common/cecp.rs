//! The part of a client that speaks CECP, as XBoard does.

use super::uci::Client;

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
