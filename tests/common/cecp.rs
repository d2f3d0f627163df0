//! A CECP GUI, like XBoard, that drives the real binary through its pipes.

// Not every function is used on every platform.
#![allow(dead_code)]

use super::uci::Client;
use std::ops::{Deref, DerefMut};

/// The GUI's side of CECP, with a running engine.
pub struct Gui {
    client: Client,
    pings: usize,
}

impl Gui {
    /// Starts the engine and a game of a variant, with the engine as Black.
    pub fn start(variant: &str) -> Self {
        let mut gui = Self::connect(Client::start());
        gui.send("xboard");
        gui.features();
        gui.send("new");
        gui.silent(&[&format!("variant {variant}")]);
        gui
    }

    /// As [`Gui::start`], in force mode.
    pub fn forced(variant: &str) -> Self {
        let mut gui = Self::start(variant);
        gui.send("force");
        gui
    }

    /// Connects to a running engine.
    pub fn connect(client: Client) -> Self {
        Self { client, pings: 0 }
    }

    /// Sends `protover 2` and returns the feature lines.
    pub fn features(&mut self) -> Vec<String> {
        self.send("protover 2");
        self.until_end("feature done=1")
    }

    /// Sends a line, waits until it has been processed, and returns the output until then. If the engine is on move,
    /// this includes its move.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.ping()
    }

    /// Sends lines, none of which may have an answer.
    pub fn silent(&mut self, lines: &[&str]) {
        for line in lines {
            assert_eq!(self.ask(line), [""; 0], "{line}");
        }
    }

    /// Sends moves, which must be accepted without an answer.
    pub fn play(&mut self, moves: &str) {
        moves.split_whitespace().for_each(|mv| self.silent(&[&format!("usermove {mv}")]));
    }

    /// Sends a `ping` and returns the output before its answer.
    pub fn ping(&mut self) -> Vec<String> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.client.send(&format!("ping {}", self.pings));
        let mut lines = self.until_end(&pong);
        assert_eq!(lines.pop(), Some(pong));
        lines
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

    /// Sends `quit` and expects a clean exit.
    pub fn quit(self) {
        self.client.quit();
    }

    /// The next result claimed by the engine.
    pub fn result(&self) -> String {
        let lines = self.until_end("}");
        lines.last().expect("a line").clone()
    }
}

/// Whether one of the lines is a move.
pub fn has_move(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("move "))
}

impl Deref for Gui {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Gui {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}
