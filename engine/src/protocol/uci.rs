//! The Universal Chess Interface.
//!
//! A listener thread reads lines into an inbox. The thread of the session takes them out one by one
//! and never waits for a search, so that `stop`, `ponderhit`, `isready` and `quit` are answered at
//! once. A command that would disturb the search under way (`position`, `go`, `ucinewgame`, some
//! options) stops it first and lets it answer; nothing is reordered, and each `go` has exactly one
//! `bestmove`. Perft, bench and the speed test run on a thread of their own; `go`, `quit` and the next of
//! their kind wait for their end, with an ear open for `stop`.

use super::command::{self, Command, Go};
use super::inbox::{Event, Inbox, TICK};
use super::info::UciListener;
use super::options::{EMPTY, Id, Kind, Setting};
use super::text::quoted;
use super::{Engine, EngineError, Output, engine, flip};
use crate::board::{Board, Game, Variant, diagram};
use crate::book::BookMove;
use crate::search::Limits;
#[cfg(feature = "tune")]
use crate::search::params;
use crate::tools::{bench, perft, speedtest};
use crate::types::{Colour, Move};
use crate::{eval, nnue};
use std::fmt::Write;
use std::fs::OpenOptions;
use std::io::{BufRead, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;
use vampirc_uci::{UciMessage, UciOptionConfig};

/// Name and version.
pub const NAME: &str = concat!("Agoge ", env!("CARGO_PKG_VERSION"));

/// Who made it.
pub const AUTHOR: &str = "the Agoge developers";

const HELP: &str = "\
uci                          name, options, uciok
isready                      readyok, when all before is done
setoption name N value V     sets an option; names have no case
ucinewgame                   forgets the last game
position startpos|fen F [moves M...]
go [wtime|btime|winc|binc|movetime MS] [movestogo|depth|nodes|mate N] [infinite] [ponder] [searchmoves M...]
stop, ponderhit, quit
go perft N, perft N [fen]    counts leaf nodes, on all threads
d                            shows the position
flip                         exchanges the colours; in Spartan Chess, whose armies differ, left and right
                             (White then cannot castle any more)
eval [fen]                   explains the evaluation
export_net [file]            writes the network in use to a new file, by default NAME.nnue
bench [depth] [threads] [hash]
                             searches a fixed set of positions to a depth (12)
speedtest [threads] [hash MiB] [seconds]
                             searches them for a time (all cores, 16 MiB a thread, 60 s); nodes per second
wait                         for the end of the search, before the next command
version, compiler            how this program was made
xboard                       speaks the protocol of XBoard (CECP) from now on
help                         this text

The game is Spartan Chess unless UCI_Variant or the argument --variant names chess, or the program
file is called agoge-chess. While neither of the first two has named it, a position that only the
other game allows changes it. quit waits for perft, bench and speedtest; stop ends them.";

/// Whether the session goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next line, please.
    Continue,
    /// It is over.
    Quit,
    /// The program that talks to the engine wants to do so in CECP.
    Xboard,
}

/// A conversation in UCI.
pub struct Session {
    engine: Engine,
    output: Arc<Output>,
    inbox: Inbox,
    task: Option<Task>,
    debug: bool,
    /// When the last search ends.
    end: End,
    /// The variant at the start, the default of its option.
    default_variant: Variant,
    /// Whether positions may change the variant, because nobody has chosen it.
    detects_variant: bool,
}

/// Work of some length that is not a search: it writes its results itself.
struct Task {
    handle: JoinHandle<()>,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// A session of a variant that hears nothing by itself: lines are given to [`Session::execute`].
    ///
    /// # Errors
    /// When there is not enough memory for the default hash table, or no thread.
    pub fn new(variant: Variant, output: Arc<Output>) -> Result<Self, EngineError> {
        let mut engine = Engine::new()?;
        engine.set_option(&Setting::Variant(variant))?;
        Ok(Self {
            engine,
            output,
            inbox: Inbox::empty(),
            task: None,
            debug: false,
            end: End::ByItself,
            default_variant: variant,
            detects_variant: false,
        })
    }

    /// Changes to the other variant when a position is one of that variant only, until the option names one.
    /// Programs without a Spartan board do not know of the option.
    pub fn detect_variant(&mut self) {
        self.detects_variant = true;
    }

    /// Does what the lines of `input` say until `quit`, `xboard`, the end of the input, or until nobody
    /// reads the output any more. Never returns [`Flow::Continue`].
    ///
    /// The end of the input stops a search as `quit` does, but lets perft and bench come to their end,
    /// which a script that pipes commands in wants to see.
    pub fn run(&mut self, input: impl BufRead + Send + 'static) -> Flow {
        self.inbox = Inbox::listen(input, &self.output);
        let end = loop {
            match self.next_event() {
                Event::Line(line) => match self.execute(&line) {
                    Flow::Continue => {}
                    end => break end,
                },
                Event::TooLong => self.output.error("the line is too long"),
                Event::Wake => {}
                Event::End { closed: false } => {
                    self.engine.finish();
                    self.await_task(Wait::ForNext);
                    break Flow::Quit;
                }
                Event::End { closed: true } => break Flow::Quit,
            }
            if self.output.is_closed() {
                break Flow::Quit;
            }
        };
        self.abort();
        end
    }

    /// Waits for something to happen. While perft or bench runs that is also that nobody waits for its
    /// result any more.
    fn next_event(&mut self) -> Event {
        while self.task.as_ref().is_some_and(|task| !task.handle.is_finished()) {
            if self.output.look() {
                return Event::End { closed: true };
            }
            if let Some(event) = self.inbox.next_within(TICK) {
                return event;
            }
        }
        self.inbox.next()
    }

    /// What another protocol goes on with.
    pub(super) fn into_parts(self) -> (Engine, Arc<Output>, Inbox) {
        (self.engine, self.output, self.inbox)
    }

    /// Does what a line says. A search goes on after the return.
    pub fn execute(&mut self, line: &str) -> Flow {
        self.output.log_input(line.trim_ascii_end());
        match command::parse(line) {
            Ok(Command::Quit) => {
                // Scripts send it right after what they want to know.
                self.await_task(Wait::ForNext);
                self.engine.finish();
                return Flow::Quit;
            }
            Ok(Command::Xboard) => {
                self.abort();
                return Flow::Xboard;
            }
            Ok(command) => self.dispatch(command),
            Err(error) => self.output.error(&error),
        }
        Flow::Continue
    }

    /// Waits until the search, perft or bench under way has ended by itself, or nobody reads its
    /// results any more.
    pub fn join(&mut self) {
        self.await_search();
    }

    /// Ends what is under way.
    fn abort(&mut self) {
        self.cancel_task();
        self.await_task(Wait::ForNext);
        self.engine.finish();
    }

    fn dispatch(&mut self, command: Command) {
        match command {
            Command::Nothing | Command::Quit | Command::Xboard => {}
            Command::Uci => self.introduce(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.output.line(&UciMessage::ReadyOk.to_string()),
            Command::SetOption { name, value } => self.set_option(&name, value),
            Command::Register => self.output.note("no registration is needed"),
            Command::NewGame => self.engine.new_game(),
            Command::Position { fen, moves } => self.set_position(fen, moves),
            Command::Go(go) => self.go(*go),
            Command::Stop => {
                self.cancel_task();
                self.engine.stop();
                self.end = End::ByItself;
            }
            Command::PonderHit => self.ponder_hit(),
            Command::Perft { depth, fen } => self.perft(depth, fen),
            Command::Bench { numbers } => self.bench(numbers),
            Command::SpeedTest { numbers } => self.speedtest(numbers),
            Command::Eval { fen } => self.eval(fen),
            Command::Flip => self.flip(),
            Command::ExportNet { file } => self.export_network(file),
            Command::Display => self.output.line(&self.describe()),
            Command::Wait if self.end != End::ByItself && self.engine.is_searching() => {
                self.output.error("this search ends only when it is told to");
            }
            Command::Wait => self.await_search(),
            Command::Version => self.output.line(&version()),
            Command::Help => self.output.line(HELP),
        }
    }

    fn introduce(&self) {
        let mut text = format!("{}\n{}\n\n", UciMessage::id_name(NAME), UciMessage::id_author(AUTHOR));
        for id in Id::ALL {
            let _ = writeln!(text, "{}", declaration(id, self.default_variant));
        }
        #[cfg(feature = "tune")]
        for param in params::TABLE {
            let option = UciMessage::Option(UciOptionConfig::Spin {
                name: format!("{TUNE}{}", param.name),
                default: Some(param.default.into()),
                min: Some(param.min.into()),
                max: Some(param.max.into()),
            });
            let _ = writeln!(text, "{option}");
        }
        text.push_str(&UciMessage::UciOk.to_string());
        self.output.line(&text);
    }

    fn set_option(&mut self, name: &str, value: &str) {
        #[cfg(feature = "tune")]
        if let Some(param) = name.strip_prefix(TUNE) {
            if !value.parse().is_ok_and(|value| params::set(param, value)) {
                self.output.error(&format!(
                    "no such parameter, or not a value for it: {} {}",
                    quoted(name),
                    quoted(value)
                ));
            }
            return;
        }
        let setting = match Setting::parse(name, value) {
            Ok(setting) => setting,
            Err(error) => return self.output.error(&error.to_string()),
        };
        if let Setting::LogFile(path) = &setting {
            return self.output.set_log(path.as_deref()).unwrap_or_else(|error| self.output.error(&error));
        }
        match self.engine.set_option(&setting) {
            Err(error) => self.output.error(&error.to_string()),
            Ok(()) => {
                if let Setting::Variant(variant) = setting {
                    self.detects_variant = false;
                    self.output.note(&variant_line(variant));
                } else if let Setting::BookFile(Some(_)) = setting {
                    let positions = self.engine.options().book.as_ref().map_or(0, |book| book.len());
                    self.output.note(&format!("the book has {positions} positions"));
                } else if self.debug {
                    self.output.note(&format!("set {setting:?}"));
                }
            }
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &str) {
        let Err(error) = self.engine.set_position(fen, moves.split_ascii_whitespace()) else { return };
        let Some(game) = self.game_of_other_variant(fen, moves) else { return self.output.error(&error.to_string()) };
        let (before, variant) = (self.engine.options().variant, game.board().variant());
        if let Err(error) = self.engine.set_option(&Setting::Variant(variant)) {
            return self.output.error(&error.to_string());
        }
        self.engine.set_game(game);
        let (before, name) = (before.name(), variant.name());
        self.output.note(&format!("this is {name}, not {before}: UCI_Variant is {name} from now on"));
        self.output.note(&variant_line(variant));
    }

    /// The game that a position and moves make in the variant that is not set, if that is left to positions.
    fn game_of_other_variant(&self, fen: Option<&str>, moves: &str) -> Option<Game> {
        let variant = self.other_variant()?;
        let mut game = engine::begin(fen, variant).ok()?;
        engine::make_moves(&mut game, moves.split_ascii_whitespace()).ok()?;
        Some(game)
    }

    /// The variant to try where the present one fails.
    fn other_variant(&self) -> Option<Variant> {
        let present = self.engine.options().variant;
        Variant::ALL.into_iter().find(|&variant| self.detects_variant && variant != present)
    }

    fn go(&mut self, mut go: Go) {
        self.await_task(Wait::ForNext);
        let limits = go.limits(self.engine.game().board());
        for complaint in &go.complaints {
            self.output.error(complaint);
        }
        if self.debug {
            self.output.note(&format!("{limits:?}"));
        }
        self.end = End::of(&limits, self.engine.game().board().side_to_move());
        // The answer to an earlier `go` comes first.
        self.engine.finish();
        let book_move = self.engine.book_move(self.engine.game().board(), &limits);
        if let Some(BookMove { mv, weight }) = book_move {
            return self.output.line(&format!("info string book move {mv}, weight {weight}\nbestmove {mv}"));
        }
        let listener = UciListener::new(Arc::clone(&self.output), self.engine.options().show_wdl);
        self.engine.go(limits, Arc::new(listener));
    }

    fn ponder_hit(&mut self) {
        self.engine.ponder_hit();
        if self.end == End::AfterPonderHit {
            self.end = End::ByItself;
        }
    }

    /// The position that a command names, or the present one.
    fn board(&self, fen: Option<&str>) -> Option<Board> {
        let Some(fen) = fen else { return Some(self.engine.game().board().clone()) };
        let read = Board::from_fen(fen, self.engine.options().variant).or_else(|error| {
            let other = self.other_variant().and_then(|variant| Board::from_fen(fen, variant).ok());
            other.ok_or(error)
        });
        read.map_err(|error| self.output.error(&error.to_string())).ok()
    }

    fn flip(&mut self) {
        let board = self.engine.game().board();
        let castling = board.variant() == Variant::Spartan && !board.castling().is_empty();
        match flip::flip(board) {
            Err(error) => self.output.error(&error.to_string()),
            Ok(flipped) => {
                self.engine.set_game(Game::new(flipped));
                if castling {
                    self.output.note("left and right are exchanged, and White cannot castle any more");
                }
            }
        }
    }

    /// Writes the network in use to a file that is not there yet.
    fn export_network(&self, file: &str) {
        let Some(network) = &self.engine.options().network else {
            return self.output.error("there is no network to write");
        };
        let name = if file.is_empty() { format!("{}.nnue", file_name(network.name())) } else { file.to_owned() };
        let bytes = network.to_bytes();
        let written = OpenOptions::new().write(true).create_new(true).open(&name).and_then(|mut file| {
            file.write_all(&bytes).inspect_err(|_| {
                // A part of a network is of no use.
                let _ = std::fs::remove_file(&name);
            })
        });
        match written {
            Ok(()) => self.output.note(&format!("network written to {}, {} bytes", quoted(&name), bytes.len())),
            Err(error) => self.output.error(&format!("the network cannot be written to {}: {error}", quoted(&name))),
        }
    }

    fn eval(&self, fen: Option<&str>) {
        if let Some(board) = self.board(fen) {
            let mut text = eval::explain(&board);
            if let Some(network) = self.engine.options().settings().network
                && board.variant() == Variant::Spartan
                && !eval::is_mop_up(&board)
            {
                text = format!(
                    "{}\n\nHand-made evaluation (not in use)\n\n{text}",
                    nnue::explain(&network, &board).trim_end()
                );
            }
            self.output.line(text.trim_end());
        }
    }

    fn perft(&mut self, depth: u32, fen: Option<&str>) {
        let Some(board) = self.board(fen) else { return };
        self.prepare_task();
        if depth == 0 {
            return self.output.line("\nNodes searched: 1");
        }
        if depth > perft::MAX_DEPTH {
            self.output.note(&format!("depth {depth} is out of reach; counting to {}", perft::MAX_DEPTH));
        }
        let threads = self.engine.options().threads;
        self.start_task(move |output, stop| {
            let start = Instant::now();
            match perft::perft(&board, depth, threads, stop) {
                Err(error) => output.error(&error.to_string()),
                Ok(None) => output.note("perft was stopped"),
                Ok(Some(perft)) => {
                    let total = perft.total();
                    let speed = bench::Summary { nodes: total, time: start.elapsed() };
                    let mut text = format!("info string time {} nps {}\n", speed.time.as_millis(), speed.nps());
                    for (mv, nodes) in &perft.divide {
                        let _ = writeln!(text, "{mv}: {nodes}");
                    }
                    output.line(&format!("{text}\nNodes searched: {total}"));
                }
            }
        });
    }

    fn bench(&mut self, numbers: [Option<u32>; 3]) {
        let default = bench::Parameters::default();
        let parameters = bench::Parameters {
            depth: numbers[0].unwrap_or(default.depth),
            threads: numbers[1].map_or(default.threads, |threads| threads as usize),
            hash: numbers[2].map_or(default.hash, |hash| hash as usize),
        };
        if !self.accepts(parameters.threads, parameters.hash) {
            return;
        }
        self.prepare_task();
        self.start_task(move |output, stop| {
            let result = bench::run(parameters, stop, |progress| tell_progress(progress, output, stop));
            match result {
                Err(error) => output.error(&error.to_string()),
                Ok(None) => output.note("bench was stopped"),
                Ok(Some(summary)) => output.line(&summary.to_string()),
            }
        });
    }

    fn speedtest(&mut self, [threads, hash, seconds]: [Option<u32>; 3]) {
        let size = |number: Option<u32>| number.map(|number| number as usize);
        let parameters = speedtest::Parameters::new(size(threads), size(hash), seconds);
        if !self.accepts(parameters.threads, parameters.hash) {
            return;
        }
        self.prepare_task();
        self.start_task(move |output, stop| {
            let speedtest::Parameters { threads, hash, time } = parameters;
            output.note(&format!("threads {threads} hash {hash} MiB time {} s", time.as_secs()));
            let result = speedtest::run(parameters, stop, |progress| tell_progress(progress, output, stop));
            match result {
                Err(error) => output.error(&error.to_string()),
                Ok(None) => output.note("speedtest was stopped"),
                Ok(Some(summary)) => output.line(&summary.to_string()),
            }
        });
    }

    /// Whether these are values of the options, whose ranges hold for measurements, too.
    fn accepts(&self, threads: usize, hash: usize) -> bool {
        for (id, number) in [(Id::Threads, threads), (Id::Hash, hash)] {
            if let Err(error) = Setting::parse(id.name(), &number.to_string()) {
                self.output.error(&error.to_string());
                return false;
            }
        }
        true
    }

    /// Ends the search and waits for the work of the same kind, so that results do not mix.
    fn prepare_task(&mut self) {
        self.engine.finish();
        self.await_task(Wait::ForNext);
    }

    fn start_task(&mut self, work: impl FnOnce(&Output, &AtomicBool) + Send + 'static) {
        let stop = Arc::new(AtomicBool::new(false));
        let (output, flag) = (Arc::clone(&self.output), Arc::clone(&stop));
        match std::thread::Builder::new().spawn(move || work(&output, &flag)) {
            Ok(handle) => self.task = Some(Task { handle, stop }),
            Err(error) => self.output.error(&error.to_string()),
        }
    }

    fn cancel_task(&self) {
        if let Some(task) = &self.task {
            task.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for the end of perft or bench.
    fn await_task(&mut self, wait: Wait) {
        if let Some(Task { handle, stop }) = self.task.take() {
            while !handle.is_finished() {
                match self.listen(wait) {
                    Heard::Stop => stop.store(true, Ordering::Relaxed),
                    Heard::PonderHit | Heard::Nothing => {}
                }
            }
            // A panic there is a bug, but no reason to end the engine.
            if handle.join().is_err() {
                self.output.error("the work ended early");
            }
        }
    }

    /// Waits until the search and perft or bench have ended by themselves, or by `stop`.
    fn await_search(&mut self) {
        self.await_task(Wait::AsTold);
        while self.engine.is_searching() {
            match self.listen(Wait::AsTold) {
                Heard::Stop => self.engine.stop(),
                Heard::PonderHit => self.ponder_hit(),
                Heard::Nothing => {}
            }
        }
        self.engine.wait();
    }

    /// Looks for a moment at what comes in. What cannot be done while something is waited for is put off.
    fn listen(&mut self, wait: Wait) -> Heard {
        if self.output.look() {
            return Heard::Stop;
        }
        if self.inbox.is_full() {
            std::thread::sleep(TICK);
            return Heard::Nothing;
        }
        let heard_now = wait == Wait::ForNext || self.inbox.is_empty();
        let Some(event) = self.inbox.next_new(TICK) else { return Heard::Nothing };
        let heard = match &event {
            Event::Line(line) => match command::parse(line) {
                Ok(Command::IsReady) if heard_now => {
                    self.output.log_input(line.trim_ascii_end());
                    self.output.line(&UciMessage::ReadyOk.to_string());
                    return Heard::Nothing;
                }
                Ok(Command::Stop) if heard_now => Heard::Stop,
                Ok(Command::PonderHit) if heard_now => Heard::PonderHit,
                _ => Heard::Nothing,
            },
            Event::End { closed: true } => Heard::Stop,
            Event::Wake => return Heard::Nothing,
            Event::End { closed: false } | Event::TooLong => Heard::Nothing,
        };
        self.inbox.put_off(event);
        heard
    }

    /// The position for people.
    fn describe(&self) -> String {
        let game = self.engine.game();
        let board = game.board();
        let mut moves: Vec<String> = board.legal_moves().iter().map(Move::to_string).collect();
        moves.sort_unstable();
        let mut text = diagram(board);
        let _ = writeln!(text, "\nFen: {}", board.to_fen());
        let _ = writeln!(text, "Key: {:016X}", board.key());
        let _ = writeln!(text, "Check: {}", if board.in_check() { "yes" } else { "no" });
        let _ = writeln!(text, "Legal moves: {}", moves.join(" "));
        let _ = write!(text, "State: {}", game.outcome().map_or_else(|| "-".to_owned(), |outcome| outcome.to_string()));
        text
    }
}

/// When a search ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Without being told to.
    ByItself,
    /// By itself, once the expected move was made.
    AfterPonderHit,
    /// Only when it is told to.
    WhenTold,
}

impl End {
    /// The end of a search with these limits.
    fn of(limits: &Limits, us: Colour) -> Self {
        match limits {
            _ if limits.infinite || !limits.is_bounded(us) => Self::WhenTold,
            _ if limits.ponder => Self::AfterPonderHit,
            _ => Self::ByItself,
        }
    }
}

/// What the names of the options of a tuning build begin with.
#[cfg(feature = "tune")]
const TUNE: &str = "Tune ";

/// Why the session waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// The next of its kind is to begin, or the program to end: `stop` and `isready` are meant for now.
    ForNext,
    /// A script said `wait`. What comes behind other commands is meant for what they begin.
    AsTold,
}

/// Something that matters while the session waits.
enum Heard {
    Nothing,
    Stop,
    PonderHit,
}

/// The `option` line of an option.
fn declaration(id: Id, variant: Variant) -> UciMessage {
    let name = id.name().to_owned();
    UciMessage::Option(match id.kind() {
        Kind::Check { default } => UciOptionConfig::Check { name, default: Some(default) },
        Kind::Spin(range) => UciOptionConfig::Spin {
            name,
            default: Some(range.default.into()),
            min: Some(range.min.into()),
            max: Some(range.max.into()),
        },
        Kind::Combo(words) => UciOptionConfig::Combo {
            name,
            default: Some(variant.name().to_owned()),
            var: words.iter().map(|&word| word.to_owned()).collect(),
        },
        Kind::Button => UciOptionConfig::Button { name },
        Kind::Text => UciOptionConfig::String { name, default: Some(EMPTY.to_owned()) },
    })
}

/// A name that cannot lead to another folder.
fn file_name(text: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    if text.is_empty() { "network".to_owned() } else { text.chars().map(plain).collect() }
}

/// Tells what a measurement has found out about one position, and ends it when nobody reads that.
fn tell_progress(progress: &bench::Progress, output: &Output, stop: &AtomicBool) {
    let best = progress.best.map_or_else(|| "(none)".to_owned(), |best| best.to_string());
    let nodes = progress.summary.nodes;
    output.note(&format!("{}/{} {nodes} nodes {best} {}", progress.number, progress.count, progress.fen));
    if output.is_closed() {
        stop.store(true, Ordering::Relaxed);
    }
}

/// What the tools of Fairy-Stockfish expect to be told about a variant.
fn variant_line(variant: Variant) -> String {
    let template = match variant {
        Variant::Spartan => "fairy",
        Variant::Chess => "chess",
    };
    let (name, fen) = (variant.name(), variant.start_fen());
    format!("variant {name} files 8 ranks 8 pocket 0 template {template} startpos {fen}")
}

/// Name, version, revision, what the program was built for, and the vector instructions that the network
/// is computed with on this machine.
pub fn version() -> String {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let features = [
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("pext", cfg!(agoge_pext)),
        ("avx2", cfg!(target_feature = "avx2")),
        ("avx512", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ]
    .into_iter()
    .filter_map(|(name, there)| there.then_some(name));
    let target: Vec<&str> = [std::env::consts::ARCH, std::env::consts::OS].into_iter().chain(features).collect();
    format!(
        "{NAME} ({}) by {AUTHOR}\n{build} build by {} for {}\nnetwork computed with: {}",
        env!("AGOGE_REVISION"),
        env!("AGOGE_COMPILER"),
        target.join(" "),
        nnue::Kernels::best().level()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_told_as_uci_wants() {
        let text: Vec<String> = Id::ALL.iter().map(|&id| declaration(id, Variant::Spartan).to_string()).collect();
        for line in [
            "option name Hash type spin default 16 min 1 max 1048576",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name UCI_Variant type combo default spartan var spartan var chess var standard",
            "option name Debug Log File type string default <empty>",
        ] {
            assert!(text.iter().any(|told| told == line), "{line} is not in {text:?}");
        }
    }

    #[test]
    fn variants_are_told_as_fairy_stockfish_does() {
        assert_eq!(
            variant_line(Variant::Spartan),
            "variant spartan files 8 ranks 8 pocket 0 template fairy startpos \
             lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
        );
    }
}
