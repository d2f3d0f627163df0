//! The session: executes the commands.
//!
//! One thread reads lines into an inbox. The session thread executes them in order, except that `stop`, `ponderhit` and
//! `isready` take effect at once while an earlier command waits. Commands that would disturb a running search
//! (`position`, `go`, `ucinewgame`, some options) stop it first and let it print its best move; each `go` has exactly
//! one `bestmove`. Perft, bench and the speed test are tasks with a thread of their own;
//! `go`, `quit` and the next task wait for their end, but still react to `stop`.

use super::command::{self, Command, GenFens, Go};
use super::info::UciListener;
use crate::cecp;
use crate::commands::{genfens, perft, uci_help};
use crate::memory;
use crate::session::about::{AUTHOR, NAME, version};
use crate::session::inbox::{Event, Inbox, TICK};
use crate::session::{Engine, EngineError, Output, engine};
use agoge_core::board::{Board, Game, Setup, Variant, diagram};
use agoge_core::eval::Evaluator;
use agoge_core::notation::book::BookMove;
use agoge_core::notation::starts;
use agoge_core::options::{EMPTY, Id, Kind, OptionValue};
use agoge_core::search::params;
use agoge_core::text::quoted;
use agoge_core::types::Move;
use agoge_core::{bench, speedtest};
use std::fmt::{Display, Write};
use std::fs::OpenOptions;
use std::io::{BufRead, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;
use vampirc_uci::{UciMessage, UciOptionConfig};

/// What the help says after the commands.
const HELP_END: &str = "
The variant is Spartan Chess unless UCI_Variant or the argument --variant selects chess, or the program
file is named agoge-chess. Until one of the first two has selected it, a position that is legal only in
the other variant switches to that. quit waits for perft, bench and speedtest; stop ends them.";

/// What happens after a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The session goes on.
    Continue,
    /// The session is over.
    Quit,
    /// The session goes on in CECP.
    Xboard,
}

/// A UCI session.
pub struct Session {
    engine: Engine,
    output: Arc<Output>,
    inbox: Inbox,
    task: Option<Task>,
    debug: bool,
    /// The initial variant, which is the default of the option.
    default_variant: Variant,
    /// Whether positions may change the variant, because it was not selected explicitly.
    detects_variant: bool,
}

/// Perft, bench or the speed test, on a thread that prints the results itself.
struct Task {
    handle: JoinHandle<()>,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// A session without input: pass lines to [`Session::execute`], or call [`Session::run`].
    ///
    /// # Errors
    /// If there is not enough memory for the default hash table, or a thread cannot be started.
    pub fn new(variant: Variant, output: Arc<Output>) -> Result<Self, EngineError> {
        let mut engine = Engine::new()?;
        engine.set_option(Id::Variant, &OptionValue::Variant(variant))?;
        Ok(Self {
            engine,
            output,
            inbox: Inbox::empty(),
            task: None,
            debug: false,
            default_variant: variant,
            detects_variant: false,
        })
    }

    /// Lets a position that is legal only in the other variant switch to it, until `UCI_Variant` is set. GUIs without a
    /// Spartan board do not know that option.
    pub fn enable_variant_detection(&mut self) {
        self.detects_variant = true;
    }

    /// Executes the lines of `input` until `quit`, `xboard`, the end of the input, or the output is closed. Never
    /// returns [`Flow::Continue`].
    ///
    /// Like `quit`, the end of the input stops a search but waits for perft, bench and the speed test: a script that
    /// pipes commands in wants their results.
    pub fn run(&mut self, input: impl BufRead + Send + 'static) -> Flow {
        self.inbox = Inbox::spawn(input, &self.output);
        let flow = loop {
            match self.next_event() {
                Event::Line(line) => match self.execute(&line) {
                    Flow::Continue => {}
                    flow => break flow,
                },
                Event::TooLong => self.output.error("line too long"),
                Event::Wake => {}
                Event::End { closed: false } => {
                    self.engine.stop_and_wait();
                    self.await_task(WaitReason::Implicit);
                    break Flow::Quit;
                }
                Event::End { closed: true } => break Flow::Quit,
            }
            if self.output.is_closed() {
                break Flow::Quit;
            }
        };
        self.abort();
        flow
    }

    /// Waits for the next event. While a task runs, also checks whether the output was closed.
    fn next_event(&mut self) -> Event {
        while self.task.as_ref().is_some_and(|task| !task.handle.is_finished()) {
            if self.output.check_closed() {
                return Event::End { closed: true };
            }
            if let Some(event) = self.inbox.next_within(TICK) {
                return event;
            }
        }
        self.inbox.next()
    }

    /// Continues in CECP, with the same engine and input.
    pub fn into_cecp(self) -> cecp::Session {
        cecp::Session::new(self.engine, self.output, self.inbox)
    }

    /// Executes a line. A search continues in the background.
    pub fn execute(&mut self, line: &str) -> Flow {
        self.output.log_input(line.trim_ascii_end());
        match command::parse(line) {
            Ok(Command::Quit) => {
                // Scripts send it right after the command whose results they want.
                self.await_task(WaitReason::Implicit);
                self.engine.stop_and_wait();
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

    /// Stops the running search and task.
    fn abort(&mut self) {
        self.stop();
        self.await_task(WaitReason::Implicit);
        self.engine.stop_and_wait();
    }

    fn dispatch(&mut self, command: Command) {
        match command {
            Command::Nothing | Command::Quit | Command::Xboard => {}
            Command::Uci => self.identify(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.output.line(&UciMessage::ReadyOk.to_string()),
            Command::SetOption { name, value } => self.set_option(&name, value),
            Command::Register => self.output.note("no registration is needed"),
            Command::NewGame => self.engine.new_game(),
            Command::Position { fen, moves } => self.set_position(fen, moves),
            Command::Go(go) => self.go(*go),
            Command::Stop => self.stop(),
            Command::PonderHit => self.engine.ponder_hit(),
            Command::Perft { depth, fen } => self.perft(depth, fen),
            Command::Bench { depth, threads, hash } => self.bench(depth, threads, hash),
            Command::SpeedTest { threads, hash, seconds } => self.speedtest(threads, hash, seconds),
            Command::Eval { fen } => self.eval(fen),
            Command::GenFens(parameters) => self.genfens(parameters),
            Command::Spsa { names } => self.spsa(names),
            Command::Flip => self.flip(),
            Command::ExportNet { file } => self.export_network(file),
            Command::Display => self.output.line(&self.describe()),
            Command::Wait if self.engine.needs_command() => {
                self.output.error("cannot wait: this search ends only on command");
            }
            Command::Wait => self.wait_until_idle(),
            Command::Version => self.output.line(&version(self.network_name())),
            Command::Help => self.output.line(&(uci_help() + HELP_END)),
        }
    }

    fn identify(&self) {
        let mut text = format!("{}\n{}\n\n", UciMessage::id_name(NAME), UciMessage::id_author(AUTHOR));
        for &id in Id::ALL {
            let _ = writeln!(text, "{}", declaration(id, self.default_variant));
        }
        #[cfg(feature = "tune")]
        for param in params::TABLE {
            let option = UciMessage::Option(UciOptionConfig::Spin {
                name: format!("{}{}", params::OPTION_PREFIX, param.name),
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
        if let Some(param) = name.strip_prefix(params::OPTION_PREFIX) {
            if !value.parse().is_ok_and(|value| params::set(param, value)) {
                self.output.error(&format!("unknown parameter or invalid value: {} {}", quoted(name), quoted(value)));
            }
            return;
        }
        let (id, value) = match OptionValue::parse(name, value) {
            Ok(parsed) => parsed,
            Err(error) => return self.output.error(&error.to_string()),
        };
        if let (Id::LogFile, OptionValue::File(path)) = (id, &value) {
            return self.output.set_log(path.as_deref()).unwrap_or_else(|error| self.output.error(&error));
        }
        let result = self.engine.set_option(id, &value);
        let tables = &self.engine.options().tables;
        if id == Id::TablePath && !tables.is_empty() {
            let (count, men) = (tables.len(), tables.max_men());
            self.output.note(&format!("{count} endgame tables of up to {men} men, {} MiB", tables.bytes() >> 20));
        }
        match (result, value) {
            (Err(error), _) => self.output.error(&error.to_string()),
            (Ok(()), OptionValue::Variant(variant)) => {
                self.detects_variant = false;
                self.output.note(&variant_line(variant));
            }
            (Ok(()), OptionValue::File(Some(_))) if id == Id::BookFile => {
                let positions = self.engine.options().book.as_ref().map_or(0, |book| book.len());
                self.output.note(&format!("the book has {positions} positions"));
            }
            (Ok(()), value) if self.debug => self.output.note(&format!("set {} to {value:?}", id.name())),
            _ => {}
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &str) {
        let Err(error) = self.engine.set_position(fen, moves.split_ascii_whitespace()) else { return };
        let Some(game) = self.game_of_other_variant(fen, moves) else { return self.output.error(&error.to_string()) };
        let (before, variant) = (self.engine.options().variant, game.board().variant());
        if let Err(error) = self.engine.set_option(Id::Variant, &OptionValue::Variant(variant)) {
            return self.output.error(&error.to_string());
        }
        self.engine.set_game(game);
        let (before, name) = (before.name(), variant.name());
        self.output.note(&format!("this is {name}, not {before}: UCI_Variant is {name} from now on"));
        self.output.note(&variant_line(variant));
    }

    /// The game in the other variant, if positions may change the variant and the FEN and the moves are legal there.
    fn game_of_other_variant(&self, fen: Option<&str>, moves: &str) -> Option<Game> {
        let variant = self.other_variant()?;
        let mut game = engine::start_game(fen, variant).ok()?;
        engine::make_moves(&mut game, moves.split_ascii_whitespace()).ok()?;
        Some(game)
    }

    /// The variant to try if a position is illegal in the current one.
    fn other_variant(&self) -> Option<Variant> {
        let current = self.engine.options().variant;
        Variant::ALL.into_iter().find(|&variant| self.detects_variant && variant != current)
    }

    fn go(&mut self, go: Go) {
        self.await_task(WaitReason::Implicit);
        let (limits, errors) = go.into_limits(self.engine.game().board());
        for error in &errors {
            self.output.error(error);
        }
        if self.debug {
            self.output.note(&format!("{limits:?}"));
        }
        // The `bestmove` of an earlier `go` comes first.
        self.engine.stop_and_wait();
        let book_move = self.engine.book_move(self.engine.game().board(), &limits);
        if let Some(BookMove { mv, weight }) = book_move {
            return self.output.line(&format!("info string book move {mv}, weight {weight}\nbestmove {mv}"));
        }
        let listener = UciListener::new(Arc::clone(&self.output), self.engine.options().flag(Id::ShowWdl));
        self.engine.go(limits, Arc::new(listener));
    }

    /// The position of a command, or the current one.
    fn board(&self, fen: Option<&str>) -> Option<Board> {
        let Some(fen) = fen else { return Some(self.engine.game().board().clone()) };
        let read = Board::from_fen(fen, self.engine.options().variant).or_else(|error| {
            let other = self.other_variant().and_then(|variant| Board::from_fen(fen, variant).ok());
            other.ok_or(error)
        });
        read.map_err(|error| self.output.error(&error.to_string())).ok()
    }

    /// Swaps the colours in orthodox chess. The armies of Spartan Chess differ, so its board is mirrored instead.
    fn flip(&mut self) {
        let board = self.engine.game().board();
        let loses_castling = board.variant() == Variant::Spartan && !board.castling().is_empty();
        let setup = Setup::from(board);
        let flipped = match setup.variant {
            Variant::Spartan => setup.mirrored(),
            Variant::Chess => setup.swapped(),
        };
        match Board::try_from(&flipped) {
            Err(error) => self.output.error(&error.to_string()),
            Ok(flipped) => {
                self.engine.set_game(Game::new(flipped));
                if loses_castling {
                    self.output.note("left and right are mirrored; White has lost its castling rights");
                }
            }
        }
    }

    /// The name of the network in use, if any.
    fn network_name(&self) -> Option<&str> {
        self.engine.options().network.as_ref().map(|network| network.name())
    }

    /// Writes the current network to a new file.
    fn export_network(&self, file: &str) {
        let Some(network) = &self.engine.options().network else {
            return self.output.error("there is no network to write");
        };
        let name = if file.is_empty() { format!("{}.nnue", file_name(network.name())) } else { file.to_owned() };
        let bytes = network.to_bytes();
        let written = OpenOptions::new().write(true).create_new(true).open(&name).and_then(|mut file| {
            file.write_all(&bytes).inspect_err(|_| {
                // A truncated network is useless.
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
            let mut evaluator = Evaluator::default();
            evaluator.prepare(self.engine.options().settings().network.as_ref(), board.variant());
            let mut text = evaluator.explain(&board);
            if let Some(line) = self.exact_value(&board) {
                text = format!("{}\n\n{line}", text.trim_end());
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
            self.output.note(&format!("depth {depth} is too large; counting to depth {}", perft::MAX_DEPTH));
        }
        let threads = self.engine.options().number(Id::Threads) as usize;
        self.start_task(move |output, stop| {
            let start = Instant::now();
            let result = perft::perft(&board, depth, threads, stop).map(|perft| {
                let perft = perft?;
                let total = perft.total();
                let speed = bench::Summary { nodes: total, time: start.elapsed() };
                let mut text = format!("info string time {} nps {}\n", speed.time.as_millis(), speed.nps());
                for (mv, nodes) in &perft.divide {
                    let _ = writeln!(text, "{mv}: {nodes}");
                }
                Some(format!("{text}\nNodes searched: {total}"))
            });
            print_result(output, "perft", result);
        });
    }

    fn bench(&mut self, depth: Option<u32>, threads: Option<u32>, hash: Option<u32>) {
        let default = bench::Parameters::default();
        let parameters = bench::Parameters {
            depth: depth.unwrap_or(default.depth),
            threads: threads.map_or(default.threads, |threads| threads as usize),
            hash: hash.map_or(default.hash, |hash| hash as usize),
        };
        if !self.accepts(parameters.threads, parameters.hash) {
            return;
        }
        self.prepare_task();
        self.start_task(move |output, stop| {
            let result = bench::run(parameters, stop, |progress| print_progress(progress, output, stop));
            print_result(output, "bench", result);
        });
    }

    fn speedtest(&mut self, threads: Option<u32>, hash: Option<u32>, seconds: Option<u32>) {
        let size = |number: Option<u32>| number.map(|number| number as usize);
        let parameters = speedtest::Parameters::new(size(threads), size(hash), seconds);
        if !self.accepts(parameters.threads, parameters.hash) {
            return;
        }
        self.prepare_task();
        self.start_task(move |output, stop| {
            let speedtest::Parameters { threads, hash, time } = parameters;
            output.note(&format!("threads {threads} hash {hash} MiB time {} s", time.as_secs()));
            let result = speedtest::run(parameters, stop, |progress| print_progress(progress, output, stop));
            print_result(output, "speedtest", result);
        });
    }

    fn genfens(&mut self, parameters: GenFens) {
        let options = self.engine.options();
        let book = parameters.book.map(|file| starts::read_book(Path::new(file), options.variant));
        let book = match book.transpose() {
            Ok(book) => book.unwrap_or_default(),
            Err(error) => return self.output.error(&error),
        };
        let GenFens { count, seed, endgames, middlegames, nodes, .. } = parameters;
        let (variant, network) = (options.variant, options.settings().network);
        let nodes = nodes.unwrap_or(genfens::NODES);
        let parameters = genfens::Parameters { variant, count, seed, book, endgames, middlegames, nodes, network };
        self.prepare_task();
        self.start_task(move |output, stop| {
            let print = |board: &Board| {
                output.note(&format!("genfens {board}"));
                if output.is_closed() {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            match genfens::run(parameters, stop, print) {
                Ok(true) => {}
                Ok(false) => output.note("genfens was stopped"),
                Err(error) => output.error(&error.to_string()),
            }
        });
    }

    /// Prints search parameters for OpenBench.
    fn spsa(&self, names: &str) {
        if cfg!(not(feature = "tune")) {
            return self.output.error("the search parameters are fixed: build with --features tune");
        }
        let names: Vec<&str> = names.split_ascii_whitespace().collect();
        match params::openbench_inputs(&names) {
            Ok(text) => self.output.line(text.trim_end()),
            Err(name) => self.output.error(&format!("unknown search parameter {}", quoted(name))),
        }
    }

    /// Whether the numbers are in the ranges of the options; prints an error if not.
    fn accepts(&self, threads: usize, hash: usize) -> bool {
        for (id, number) in [(Id::Threads, threads), (Id::Hash, hash)] {
            if let Err(error) = OptionValue::parse(id.name(), &number.to_string()) {
                self.output.error(&error.to_string());
                return false;
            }
        }
        memory::check(hash, 0).inspect_err(|error| self.output.error(&error.to_string())).is_ok()
    }

    /// Stops the search and waits for the last task, so that results do not mix.
    fn prepare_task(&mut self) {
        self.engine.stop_and_wait();
        self.await_task(WaitReason::Implicit);
    }

    fn start_task(&mut self, work: impl FnOnce(&Output, &AtomicBool) + Send + 'static) {
        let stop = Arc::new(AtomicBool::new(false));
        let (output, flag) = (Arc::clone(&self.output), Arc::clone(&stop));
        match std::thread::Builder::new().spawn(move || work(&output, &flag)) {
            Ok(handle) => self.task = Some(Task { handle, stop }),
            Err(error) => self.output.error(&error.to_string()),
        }
    }

    /// Tells the search and the task to stop soon.
    fn stop(&self) {
        if let Some(task) = &self.task {
            task.stop.store(true, Ordering::Relaxed);
        }
        self.engine.stop();
    }

    /// Waits for the end of the task.
    fn await_task(&mut self, reason: WaitReason) {
        while self.task.as_ref().is_some_and(|task| !task.handle.is_finished()) {
            self.poll_input(reason);
        }
        // A panic is a bug, but no reason to end the engine.
        if self.task.take().is_some_and(|task| task.handle.join().is_err()) {
            self.output.error("internal error: the task panicked");
        }
    }

    /// Waits until the search and the task have finished, by themselves or by `stop`, or the output is closed.
    pub fn wait_until_idle(&mut self) {
        self.await_task(WaitReason::WaitCommand);
        while self.engine.is_searching() {
            self.poll_input(WaitReason::WaitCommand);
        }
    }

    /// Waits briefly for input. Commands that cannot be executed during a wait are deferred.
    fn poll_input(&mut self, reason: WaitReason) {
        if self.output.check_closed() {
            return self.stop();
        }
        if self.inbox.is_full() {
            return std::thread::sleep(TICK);
        }
        let applies_now = reason == WaitReason::Implicit || self.inbox.is_empty();
        let Some(event) = self.inbox.next_new(TICK) else { return };
        match &event {
            Event::Line(line) => match command::parse(line) {
                Ok(Command::IsReady) if applies_now => {
                    self.execute(line);
                    return;
                }
                Ok(Command::Stop) if applies_now => self.stop(),
                Ok(Command::PonderHit) if applies_now => self.engine.ponder_hit(),
                _ => {}
            },
            Event::End { closed: true } => self.stop(),
            Event::Wake => return,
            Event::End { closed: false } | Event::TooLong => {}
        }
        self.inbox.defer(event);
    }

    /// The line about the value of a position in the endgame tables.
    fn exact_value(&self, board: &Board) -> Option<String> {
        let settings = self.engine.options().settings();
        let value = settings.tables_for(board).value(board)?;
        Some(format!("Tables: {}", value.describe(board.halfmove_clock())))
    }

    /// The position in readable form.
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
        if let Some(line) = self.exact_value(board) {
            let _ = writeln!(text, "{line}");
        }
        let _ = write!(text, "State: {}", game.outcome().map_or_else(|| "-".to_owned(), |outcome| outcome.to_string()));
        text
    }
}

/// Why the session waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitReason {
    /// Before another search or task, or the end of the session: `stop` and `isready` apply at once.
    Implicit,
    /// The command `wait`: `stop` and `isready` after deferred commands apply to what those start.
    WaitCommand,
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
        Kind::File | Kind::Folders => UciOptionConfig::String { name, default: Some(EMPTY.to_owned()) },
    })
}

/// Turns a name into a file name without directories.
fn file_name(text: &str) -> String {
    let sanitize = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    if text.is_empty() { "network".to_owned() } else { text.chars().map(sanitize).collect() }
}

/// Prints the result of a task; `None` if it was stopped.
fn print_result<E: Display>(output: &Output, task: &str, result: Result<Option<impl Display>, E>) {
    match result {
        Err(error) => output.error(&error.to_string()),
        Ok(None) => output.note(&format!("{task} was stopped")),
        Ok(Some(result)) => output.line(&result.to_string()),
    }
}

/// Prints the result of one position of a benchmark, and stops it if the output is closed.
fn print_progress(progress: &bench::Progress, output: &Output, stop: &AtomicBool) {
    let best = progress.best.map_or_else(|| "(none)".to_owned(), |best| best.to_string());
    let nodes = progress.summary.nodes;
    output.note(&format!("{}/{} {nodes} nodes {best} {}", progress.number, progress.count, progress.fen));
    if output.is_closed() {
        stop.store(true, Ordering::Relaxed);
    }
}

/// The description of a variant in the format of Fairy-Stockfish, which its tools expect.
fn variant_line(variant: Variant) -> String {
    let template = match variant {
        Variant::Spartan => "fairy",
        Variant::Chess => "chess",
    };
    let (name, fen) = (variant.name(), variant.start_fen());
    format!("variant {name} files 8 ranks 8 pocket 0 template {template} startpos {fen}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_lines() {
        let text: Vec<String> = Id::ALL.iter().map(|&id| declaration(id, Variant::Spartan).to_string()).collect();
        for line in [
            "option name Hash type spin default 16 min 1 max 1048576",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name UCI_Variant type combo default spartan var spartan var chess var standard",
            "option name Debug Log File type string default <empty>",
        ] {
            assert!(text.iter().any(|other| other == line), "{line} is not in {text:?}");
        }
    }

    #[test]
    fn variant_lines_match_fairy_stockfish() {
        assert_eq!(
            variant_line(Variant::Spartan),
            "variant spartan files 8 ranks 8 pocket 0 template fairy startpos \
             lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
        );
    }
}
