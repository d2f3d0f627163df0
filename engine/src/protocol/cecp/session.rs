//! The conversation: what each command does.

use super::clock::Clock;
use super::command::{self, Command, reason};
use super::edit::Editor;
use super::features;
use super::record::Record;
use super::thinking::{Desk, Reporter};
use crate::board::{SanError, Variant};
use crate::protocol::inbox::{Event, Inbox};
use crate::protocol::options::{Id, Kind, Setting};
use crate::protocol::text::shown;
use crate::protocol::{Engine, EngineError, Output, uci};
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The most characters of a line that an answer repeats.
const SHOWN: usize = 80;

/// Commands that may wait for the engine's move. Should a program send still more, it gets the move.
const MAX_WAITING: usize = 1024;

/// MiB of the memory that `memory` allows which are not for the hash table.
const OTHER_MEMORY: u64 = 16;

/// Whose moves the engine makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Nobody's.
    Force,
    /// Those of a side.
    Play(Colour),
    /// Nobody's, but it thinks about those of both.
    Analyse,
}

/// What the engine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activity {
    /// Nothing.
    Idle,
    /// It looks for its move.
    Thinking,
    /// It looks for its answer to a move that it expects.
    Pondering(Move),
    /// It analyses.
    Analysing,
}

/// A conversation in CECP.
pub struct Session {
    pub(super) engine: Engine,
    pub(super) output: Arc<Output>,
    inbox: Inbox,
    pub(super) desk: Arc<Desk>,
    /// Whether thinking is shown.
    pub(super) post: Arc<AtomicBool>,
    pub(super) record: Record,
    /// The position of the program is not a legal one: ours is another, and no move can be made.
    pub(super) misplaced: bool,
    pub(super) mode: Mode,
    pub(super) activity: Activity,
    /// Who hears of the last search.
    pub(super) reporter: Option<Arc<Reporter>>,
    /// When the engine's clock began to run.
    pub(super) started: Instant,
    pub(super) clock: Clock,
    /// Whether to think on the opponent's time.
    pub(super) may_ponder: bool,
    /// The opponent's move that is expected in the present position.
    pub(super) predicted: Option<Move>,
    /// What the engine thought of the position when it last moved.
    pub(super) score: Option<Score>,
    /// The opponent offered a draw while the engine was thinking.
    pub(super) draw_offered: bool,
    pub(super) editor: Option<Editor>,
    /// Lines that wait for the engine's move.
    waiting: VecDeque<String>,
}

impl From<uci::Session> for Session {
    /// Goes on with the engine and the lines of a conversation in UCI.
    fn from(session: uci::Session) -> Self {
        let (engine, output, inbox) = session.into_parts();
        Self::new(engine, output, inbox)
    }
}

impl Session {
    /// A session that listens to `input`.
    ///
    /// # Errors
    /// When there is not enough memory for the default hash table, or no thread.
    pub fn listen(input: impl BufRead + Send + 'static, output: Arc<Output>) -> Result<Self, EngineError> {
        let engine = Engine::new()?;
        let inbox = Inbox::listen(input, &output);
        Ok(Self::new(engine, output, inbox))
    }

    fn new(engine: Engine, output: Arc<Output>, inbox: Inbox) -> Self {
        output.use_comments();
        let mut session = Self {
            engine,
            output,
            desk: Arc::new(Desk::new(Some(inbox.waker()))),
            inbox,
            post: Arc::default(),
            record: Record::start(Variant::Chess),
            misplaced: false,
            mode: Mode::Force,
            activity: Activity::Idle,
            reporter: None,
            started: Instant::now(),
            clock: Clock::default(),
            may_ponder: false,
            predicted: None,
            score: None,
            draw_offered: false,
            editor: None,
            waiting: VecDeque::new(),
        };
        session.new_game();
        session
    }

    /// Does what the lines say until `quit`, the end of the input, or until nobody reads the output any
    /// more. At the end of the input the engine still makes the move that it is thinking about, so that
    /// scripts can pipe commands in.
    pub fn run(mut self) {
        loop {
            self.collect();
            if self.output.is_closed() {
                break;
            }
            match self.inbox.next() {
                Event::Line(line) => {
                    if self.execute(&line) == uci::Flow::Quit {
                        break;
                    }
                }
                Event::TooLong => self.refuse("line too long", ""),
                Event::Wake => {}
                Event::End { closed } => {
                    if !closed && self.activity == Activity::Thinking {
                        self.may_ponder = false;
                        self.engine.finish();
                        self.collect();
                    }
                    break;
                }
            }
        }
        self.waiting.clear();
        self.abandon();
    }

    fn execute(&mut self, line: &str) -> uci::Flow {
        self.output.log_input(line.trim_ascii_end());
        let command = command::parse(line);
        if command == Ok(Command::Quit) {
            return uci::Flow::Quit;
        }
        if self.editor.is_some() {
            self.edit(line);
            return uci::Flow::Continue;
        }
        match command {
            Ok(command) if self.activity == Activity::Thinking && command.waits() => {
                self.waiting.push_back(line.to_owned());
                if self.waiting.len() >= MAX_WAITING {
                    self.engine.stop();
                    self.engine.wait();
                    self.collect();
                }
            }
            Ok(command) => self.dispatch(&command, line),
            Err(reason) => self.refuse(reason, line),
        }
        uci::Flow::Continue
    }

    /// Does what had to wait for the end of the engine's thinking.
    pub(super) fn catch_up(&mut self) {
        for line in std::mem::take(&mut self.waiting) {
            if let Ok(command) = command::parse(&line) {
                self.dispatch(&command, &line);
            }
        }
    }

    /// Tells that a line cannot be obeyed.
    pub(super) fn refuse(&self, reason: &str, line: &str) {
        self.output.line(&format!("Error ({reason}): {}", shown(line.trim_ascii(), SHOWN)));
    }

    fn dispatch(&mut self, command: &Command, line: &str) {
        match *command {
            Command::Nothing | Command::Quit => {}
            Command::Protover => self.output.line(&features::announcement(self.engine.options())),
            Command::New => self.new_game(),
            Command::Variant(name) => match name {
                "spartan" => self.set_variant(Variant::Spartan),
                "normal" | "chess" => self.set_variant(Variant::Chess),
                _ => self.refuse("unsupported variant", line),
            },
            Command::Force => {
                self.abandon();
                self.set_mode(Mode::Force);
            }
            // What the program shows is no position for these.
            Command::Go | Command::PlayOther | Command::Turn { .. } if self.misplaced => {
                self.refuse(reason::NOT_NOW, line);
            }
            Command::Go => self.go(),
            Command::PlayOther => self.play_other(),
            Command::Turn { white } => self.set_turn(if white { Colour::White } else { Colour::Black }, line),
            Command::Control(control) => {
                self.clock.set(control, self.record.plies());
                self.begin_again();
            }
            Command::Depth(depth) => {
                self.clock.depth = depth;
                self.begin_again();
            }
            Command::NodeRate(rate) => {
                self.set_node_rate(rate);
                self.begin_again();
            }
            Command::Time(left) => self.clock.show(left),
            Command::Move(text) => self.user_move(text, line),
            Command::Word(text) => self.word(text, line),
            Command::MoveNow => {
                if self.activity == Activity::Thinking {
                    self.engine.stop();
                }
            }
            Command::Ping(number) => self.output.line(&format!("pong {number}")),
            Command::Draw => self.hear_offer(),
            Command::Result => {
                if let Mode::Play(_) = self.mode {
                    self.abandon();
                    self.set_mode(Mode::Force);
                }
            }
            Command::SetBoard(fen) => self.set_board(fen),
            Command::Edit => {
                self.abandon();
                self.editor = Some(Editor::new(self.record.board()));
            }
            Command::Hint => self.hint(),
            Command::Book => self.tell_book(),
            Command::Undo => self.take_back(1, line),
            Command::Remove => self.take_back(2, line),
            Command::Ponder(yes) => {
                self.may_ponder = yes;
                if yes {
                    self.ponder();
                } else if let Activity::Pondering(_) = self.activity {
                    self.abandon();
                }
            }
            Command::Post(yes) => {
                self.post.store(yes, Ordering::Relaxed);
                self.tell_pondering();
            }
            Command::Analyse => {
                self.abandon();
                self.set_mode(Mode::Analyse);
                self.analyse();
            }
            Command::Exit if self.mode == Mode::Analyse => {
                self.abandon();
                self.set_mode(Mode::Force);
            }
            Command::Exit => self.refuse(reason::NOT_NOW, line),
            Command::Status => self.tell_status(),
            Command::Memory(allowed) => {
                let size = (allowed - OTHER_MEMORY.min(allowed / 2)).clamp(1, most(Id::Hash));
                self.set(&Setting::Hash(size as usize), line);
            }
            Command::Cores(0) => self.refuse(reason::BAD, line),
            Command::Cores(number) => self.set(&Setting::Threads(number.min(most(Id::Threads)) as usize), line),
            Command::Option { name, value } => match Setting::parse(name, features::value(name, value)) {
                Ok(Setting::LogFile(path)) => {
                    self.output.set_log(path.as_deref()).unwrap_or_else(|error| self.refuse(&error, line));
                }
                Ok(Setting::Variant(variant)) => self.set_variant(variant),
                Ok(setting) => self.set(&setting, line),
                Err(error) => self.refuse(&error.to_string(), line),
            },
        }
    }

    /// Changes an option. What the engine does beside the game begins anew.
    fn set(&mut self, setting: &Setting, line: &str) {
        let busy = self.activity != Activity::Idle;
        self.abandon();
        if let Err(error) = self.engine.set_option(setting) {
            self.refuse(&error.to_string(), line);
        }
        if busy {
            self.resume();
        }
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.change(&Setting::Flag(Id::AnalyseMode, mode == Mode::Analyse));
    }

    /// Changes an option that can always be changed.
    pub(super) fn change(&mut self, setting: &Setting) {
        let set = self.engine.set_option(setting);
        debug_assert!(set.is_ok(), "{setting:?} needs no memory");
    }

    /// With a rate, a node counts as a millisecond in the search, and times are converted to that.
    pub(super) fn set_node_rate(&mut self, rate: Option<u64>) {
        if rate.is_some() || self.clock.node_rate.is_some() {
            self.change(&Setting::Number(Id::NodesTime, u32::from(rate.is_some())));
        }
        self.clock.node_rate = rate;
    }

    /// A word that is no command: a move, if it looks like one.
    fn word(&mut self, text: &str, line: &str) {
        let coordinates = Move::parse_coordinates(text).is_ok();
        if coordinates || self.record.board().parse_san(text) != Err(SanError::Notation) {
            self.user_move(text, line);
        } else {
            self.refuse(reason::UNKNOWN, line);
        }
    }
}

/// The greatest value of an option that is a number.
fn most(id: Id) -> u64 {
    match id.kind() {
        Kind::Spin(range) => range.max.into(),
        _ => u64::MAX,
    }
}
