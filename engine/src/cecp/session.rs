//! The session: executes the commands.

use super::clock::Clock;
use super::command::{self, Command, reason};
use super::edit::Editor;
use super::features;
use super::thinking::{AnswerSlot, Reporter};
use crate::session::inbox::{Event, Inbox};
use crate::session::{Output, new_engine};
use agoge_core::board::{Board, Game, SanError, Variant};
use agoge_core::engine::{Engine, EngineError};
use agoge_core::options::{Id, Kind};
use agoge_core::search::PoolError;
use agoge_core::text::printable;
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use agoge_core::uci::Output as _;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The maximum number of characters of a line that an error message quotes.
const MAX_QUOTED: usize = 80;

/// The maximum number of deferred commands. If it is reached, the engine moves at once.
const MAX_DEFERRED: usize = 1024;

/// Memory other than the hash table, in MiB, which counts towards the limit set by `memory`.
const OTHER_MEMORY: u64 = 16;

/// Which moves the engine makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// None.
    Force,
    /// Those of one side.
    Play(Colour),
    /// None, but it analyses the position.
    Analyse,
}

/// What the engine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activity {
    /// No search is running.
    Idle,
    Thinking,
    /// Pondering on this move of the opponent.
    Pondering(Move),
    Analysing,
}

pub struct Session {
    pub(super) engine: Engine,
    pub(super) output: Arc<Output>,
    inbox: Inbox,
    pub(super) answer_slot: Arc<AnswerSlot>,
    /// Whether to print thinking output.
    pub(super) post: Arc<AtomicBool>,
    pub(super) game: Game,
    /// Whether the GUI has set up an illegal position. Ours then differs from it, and no move can be made.
    pub(super) illegal_position: bool,
    pub(super) mode: Mode,
    pub(super) activity: Activity,
    /// The listener of the last search.
    pub(super) reporter: Option<Arc<Reporter>>,
    /// When the engine's clock started.
    pub(super) started: Instant,
    pub(super) clock: Clock,
    pub(super) ponder_enabled: bool,
    /// The predicted move of the opponent in the current position.
    pub(super) ponder_move: Option<Move>,
    /// The score of the engine's last move.
    pub(super) score: Option<Score>,
    /// Whether the opponent has offered a draw while the engine is thinking.
    pub(super) draw_offered: bool,
    pub(super) editor: Option<Editor>,
    /// Lines deferred until after the engine's move.
    deferred: VecDeque<String>,
}

impl Session {
    /// A session that reads `input`.
    ///
    /// # Errors
    /// If there is not enough memory for the default hash table, or a thread cannot be started.
    pub fn with_input(input: impl BufRead + Send + 'static, output: Arc<Output>) -> Result<Self, PoolError> {
        let engine = new_engine(&output)?;
        let inbox = Inbox::spawn(input, &output);
        Ok(Self::new(engine, output, inbox))
    }

    /// A session that uses an engine and its input.
    pub(crate) fn new(engine: Engine, output: Arc<Output>, inbox: Inbox) -> Self {
        output.use_cecp_notes();
        let mut session = Self {
            engine,
            output,
            answer_slot: Arc::new(AnswerSlot::new(Some(inbox.waker()))),
            inbox,
            post: Arc::default(),
            game: Game::start(Variant::Chess),
            illegal_position: false,
            mode: Mode::Force,
            activity: Activity::Idle,
            reporter: None,
            started: Instant::now(),
            clock: Clock::default(),
            ponder_enabled: false,
            ponder_move: None,
            score: None,
            draw_offered: false,
            editor: None,
            deferred: VecDeque::new(),
        };
        session.new_game();
        session
    }

    /// Executes the lines of the input until `quit`, the end of the input, or the output is closed. At the end of the
    /// input the engine still makes the move that it is thinking about, so that scripts can pipe commands in.
    pub fn run(mut self) {
        loop {
            self.poll_answer();
            if self.output.is_closed() {
                break;
            }
            match self.inbox.next() {
                Event::Line(line) => {
                    if !self.execute(&line) {
                        break;
                    }
                }
                Event::TooLong => self.reject("line too long", ""),
                Event::Wake => {}
                Event::End { closed } => {
                    if !closed && self.activity == Activity::Thinking {
                        self.ponder_enabled = false;
                        self.engine.stop_and_wait();
                        self.poll_answer();
                    }
                    break;
                }
            }
        }
        self.deferred.clear();
        self.abort_search();
    }

    /// Executes a line. Returns false after `quit`.
    fn execute(&mut self, line: &str) -> bool {
        self.output.log_input(line.trim_ascii_end());
        let command = command::parse(line);
        if command == Ok(Command::Quit) {
            return false;
        }
        if self.editor.is_some() {
            self.edit(line);
            return true;
        }
        match command {
            Ok(command) if self.activity == Activity::Thinking && command.is_deferrable() => {
                self.deferred.push_back(line.to_owned());
                if self.deferred.len() >= MAX_DEFERRED {
                    self.engine.searcher().stop();
                    self.engine.searcher().wait();
                    self.poll_answer();
                }
            }
            Ok(command) => self.dispatch(&command, line),
            Err(reason) => self.reject(reason, line),
        }
        true
    }

    pub(super) fn run_deferred(&mut self) {
        for line in std::mem::take(&mut self.deferred) {
            if let Ok(command) = command::parse(&line) {
                self.dispatch(&command, &line);
            }
        }
    }

    /// Prints an error message about a line.
    pub(super) fn reject(&self, reason: &str, line: &str) {
        self.output.line(&format!("Error ({reason}): {}", printable(line.trim_ascii(), MAX_QUOTED)));
    }

    fn dispatch(&mut self, command: &Command, line: &str) {
        match *command {
            Command::Nothing | Command::Quit => {}
            Command::Protover => self.output.line(&features::announcement(self.engine.options())),
            Command::New => self.new_game(),
            Command::Variant(name) => match name {
                "spartan" => self.set_variant(Variant::Spartan),
                "normal" | "chess" => self.set_variant(Variant::Chess),
                _ => self.reject("unsupported variant", line),
            },
            Command::Force => {
                self.abort_search();
                self.set_mode(Mode::Force);
            }
            // The engine cannot play from the illegal position that the GUI shows.
            Command::Go | Command::PlayOther | Command::Turn { .. } if self.illegal_position => {
                self.reject(reason::NOT_NOW, line);
            }
            Command::Go => self.go(),
            Command::PlayOther => self.play_other(),
            Command::Turn { white } => self.set_turn(if white { Colour::White } else { Colour::Black }, line),
            Command::Control(control) => {
                self.clock.set(control, self.game.moves().len());
                self.restart_pondering();
            }
            Command::Depth(depth) => {
                self.clock.depth = depth;
                self.restart_pondering();
            }
            Command::NodeRate(rate) => {
                self.set_node_rate(rate);
                self.restart_pondering();
            }
            Command::Time(remaining) => self.clock.set_remaining(remaining),
            Command::Move(text) => self.user_move(text, line),
            Command::Word(text) => self.unknown_word(text, line),
            Command::MoveNow => {
                if self.activity == Activity::Thinking {
                    self.engine.searcher().stop();
                }
            }
            Command::Ping(number) => self.output.line(&format!("pong {number}")),
            Command::Draw => self.answer_draw_offer(),
            Command::Result => {
                if let Mode::Play(_) = self.mode {
                    self.abort_search();
                    self.set_mode(Mode::Force);
                }
            }
            Command::SetBoard(fen) => self.set_board(fen),
            Command::Edit => {
                self.abort_search();
                self.editor = Some(Editor::new(self.game.board()));
            }
            Command::Hint => self.hint(),
            Command::Book => self.print_book(),
            Command::Undo => self.take_back(1, line),
            Command::Remove => self.take_back(2, line),
            Command::Ponder(enabled) => {
                self.ponder_enabled = enabled;
                if enabled {
                    self.ponder();
                } else if let Activity::Pondering(_) = self.activity {
                    self.abort_search();
                }
            }
            Command::Post(enabled) => {
                self.post.store(enabled, Ordering::Relaxed);
                self.print_ponder_move();
            }
            Command::Analyse => {
                self.abort_search();
                self.set_mode(Mode::Analyse);
                self.analyse();
            }
            Command::Exit if self.mode == Mode::Analyse => {
                self.abort_search();
                self.set_mode(Mode::Force);
            }
            Command::Exit => self.reject(reason::NOT_NOW, line),
            Command::Status => self.print_status(),
            Command::Memory(allowed) => {
                let size = (allowed - OTHER_MEMORY.min(allowed / 2)).max(1);
                self.set_option(Id::Hash.name(), &at_most(size, Id::Hash).to_string(), line);
            }
            Command::Cores(0) => self.reject(reason::BAD, line),
            Command::Cores(number) => self.set_cores(number, line),
            Command::Option { name, value } => self.set_option(name, features::value(name, value), line),
        }
    }

    /// Sets the number of threads, or as many as this machine allows if it is too large: GUIs send the number of
    /// processors that the user grants to all engines.
    fn set_cores(&mut self, number: u64, line: &str) {
        let busy = self.activity != Activity::Idle;
        self.abort_search();
        let mut threads = at_most(number, Id::Threads);
        loop {
            match self.engine.set_option(Id::Threads.name(), &threads.to_string()) {
                // Too little memory, or too many threads for the system.
                Err(EngineError::Pool(_)) if threads > 1 => threads /= 2,
                Err(error) => break self.reject(&error.to_string(), line),
                Ok(_) if threads < number => {
                    break self.output.note(&format!("cores {number} is too large, using {threads}"));
                }
                Ok(_) => break,
            }
        }
        if busy {
            self.resume();
        }
    }

    /// Changes an option. Restarts analysis or pondering.
    fn set_option(&mut self, name: &str, value: &str, line: &str) {
        let busy = self.activity != Activity::Idle;
        self.abort_search();
        match self.engine.set_option(name, value) {
            Ok(Id::Variant) => return self.set_position(Board::start(self.engine.options().variant)),
            Ok(_) => {}
            Err(error) => self.reject(&error.to_string(), line),
        }
        if busy {
            self.resume();
        }
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.change(Id::AnalyseMode, if mode == Mode::Analyse { "true" } else { "false" });
    }

    /// Changes an option for which this cannot fail.
    pub(super) fn change(&mut self, id: Id, value: &str) {
        let set = self.engine.set_option(id.name(), value);
        debug_assert!(set.is_ok(), "{id:?} cannot fail");
    }

    /// Sets the nodes that count as a second. With a rate a node counts as a millisecond in the search, and `Clock`
    /// converts the times.
    pub(super) fn set_node_rate(&mut self, rate: Option<u64>) {
        if rate.is_some() || self.clock.node_rate.is_some() {
            self.change(Id::NodesTime, if rate.is_some() { "1" } else { "0" });
        }
        self.clock.node_rate = rate;
    }

    /// A word that is not a command: a move, if it looks like one.
    fn unknown_word(&mut self, text: &str, line: &str) {
        let coordinates = Move::parse_coordinates(text).is_some();
        if coordinates || self.game.board().parse_san(text) != Err(SanError::Notation) {
            self.user_move(text, line);
        } else {
            self.reject(reason::UNKNOWN, line);
        }
    }
}

/// A number, but at most the maximum of an option.
fn at_most(number: u64, id: Id) -> u64 {
    let Kind::Spin(_, max) = id.kind() else { return number };
    number.min(max.into())
}
