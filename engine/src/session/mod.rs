//! The session: reads lines, executes them, and waits where results must not mix. CECP uses the same input and output.
//!
//! One thread reads lines into an inbox. The session thread executes them in order, except that `stop`, `ponderhit` and
//! `isready` take effect at once while an earlier command waits, however many lines wait behind it. The search has
//! threads of its own, and so has a task (perft, bench, the speed test, openings): `go`, `quit` and the next task wait
//! for its end, but still react to `stop`.

pub mod about;
pub(crate) mod inbox;
mod output;
mod task;

pub use output::Output;

use crate::cecp;
use crate::commands::{perft, uci_help};
use crate::{tables, uci};
use agoge_core::board::Variant;
use agoge_core::engine::{Engine, Host};
use agoge_core::files;
use agoge_core::memory;
use agoge_core::search::PoolError;
use agoge_core::text::quoted;
use agoge_core::theory;
use agoge_core::uci::{Command, Output as _, Task};
use inbox::{Event, Inbox, TICK};
use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use task::RunningTask;

/// What the help says after the commands.
const HELP_END: &str = "
The variant is Spartan Chess unless UCI_Variant or the argument --variant selects chess, or the program
file is named agoge-chess. Until one of the first two has selected it, a position that is legal only in
the other variant switches to that. quit waits for perft, bench and speedtest; stop ends them.";

/// A line with an error is deferred if it is not longer than this, in bytes.
const MAX_WRONG: usize = 4096;

const TOO_LONG: &str = "line too long";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Continue,
    Quit,
    /// The session goes on in CECP.
    Xboard,
}

pub struct Session {
    uci: agoge_core::uci::Session,
    output: Arc<Output>,
    inbox: Inbox,
    task: Option<RunningTask>,
}

/// Why the session waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitReason {
    /// Before another search or task, or the end of the session: `isready` is answered at once.
    Implicit,
    /// The command `wait`: `isready` after deferred commands is answered after their output.
    WaitCommand,
}

struct ProgramHost(Arc<Output>);

impl Host for ProgramHost {
    fn set_log(&self, path: Option<&Path>) -> Result<(), String> {
        self.0.set_log(path)
    }

    fn check_memory(&self, mib: usize, old_mib: usize) -> Result<(), PoolError> {
        memory::check(mib, old_mib)
    }

    fn tables_folder(&self) -> Option<PathBuf> {
        tables::folder().ok().filter(|folder| folder.is_dir())
    }

    fn theory(&self) -> Option<&'static [u8]> {
        Some(theory::EMBEDDED)
    }
}

/// The engine of a session that writes to an output.
///
/// # Errors
/// If there is not enough memory for the default hash table, or a thread cannot be started.
pub(crate) fn new_engine(output: &Arc<Output>) -> Result<Engine, PoolError> {
    let mut engine = Engine::new()?;
    engine.host = Box::new(ProgramHost(Arc::clone(output)));
    Ok(engine)
}

impl Session {
    /// A session without input: pass lines to [`Session::execute`], or call [`Session::run`].
    ///
    /// # Errors
    /// If there is not enough memory for the default hash table, or a thread cannot be started.
    pub fn new(variant: Variant, output: Arc<Output>) -> Result<Self, PoolError> {
        let engine = new_engine(&output)?;
        let mut uci = agoge_core::uci::Session::new(engine, variant, Arc::clone(&output) as _);
        uci.perft = perft::perft;
        Ok(Self { uci, output, inbox: Inbox::empty(), task: None })
    }

    /// Lets a position that is legal only in the other variant switch to it, until `UCI_Variant` is set.
    pub fn enable_variant_detection(&mut self) {
        self.uci.detects_variant = true;
    }

    /// Executes the lines of `input` until `quit`, `xboard`, the end of the input, or the output is closed. Never
    /// returns [`Flow::Continue`].
    ///
    /// Like `quit`, the end of the input stops a search but waits for a task: a script that pipes commands in wants
    /// their results.
    pub fn run(&mut self, input: impl BufRead + Send + 'static) -> Flow {
        self.inbox = Inbox::spawn(input, &self.output);
        let flow = loop {
            match self.next_event() {
                Event::Line(line) => match self.execute(&line) {
                    Flow::Continue => {}
                    flow => break flow,
                },
                Event::TooLong => self.output.error(TOO_LONG),
                Event::Wake => {}
                Event::End { closed: false } => {
                    self.uci.engine.stop_and_wait();
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
        while self.is_task_running() {
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
        cecp::Session::new(self.uci.engine, self.output, self.inbox)
    }

    /// Executes a line. A search and a task continue in the background.
    pub fn execute(&mut self, line: &str) -> Flow {
        self.output.log_input(line.trim_ascii_end());
        match uci::parse(line) {
            Err(error) => self.output.error(&error),
            Ok(Command::Go(go)) => {
                self.await_task(WaitReason::Implicit);
                self.uci.go(*go);
            }
            Ok(Command::Stop) => self.stop(),
            Ok(Command::Task(task)) => self.start_task(task),
            Ok(Command::Wait) if self.uci.engine.searcher().needs_command() => {
                self.output.error("cannot wait: this search ends only on command");
            }
            Ok(Command::Wait) => self.wait_until_idle(),
            Ok(Command::Version) => {
                let network = self.uci.engine.settings().network.as_ref();
                self.output.line(&about::version(network.map(|network| network.name())));
            }
            Ok(Command::Help) => self.output.line(&(uci_help() + HELP_END)),
            Ok(Command::ExportNet(file)) => self.export_network(&file),
            Ok(Command::Quit) => {
                // Scripts send it right after the command whose results they want.
                self.await_task(WaitReason::Implicit);
                self.uci.engine.stop_and_wait();
                return Flow::Quit;
            }
            Ok(Command::Xboard) => {
                self.abort();
                return Flow::Xboard;
            }
            Ok(command) => self.uci.execute(command),
        }
        Flow::Continue
    }

    /// Starts a task after the search and the last task, so that results do not mix.
    fn start_task(&mut self, task: Task) {
        let work = match self.uci.work(task) {
            Ok(work) => work,
            Err(error) => return self.output.error(&error),
        };
        self.uci.engine.stop_and_wait();
        self.await_task(WaitReason::Implicit);
        match RunningTask::start(work) {
            Ok(task) => self.task = Some(task),
            Err(error) => self.output.error(&error.to_string()),
        }
    }

    fn is_task_running(&self) -> bool {
        self.task.as_ref().is_some_and(|task| !task.has_ended())
    }

    /// Tells the search and the task to stop soon.
    fn stop(&self) {
        if let Some(task) = &self.task {
            task.stop();
        }
        self.uci.engine.searcher().stop();
    }

    fn abort(&mut self) {
        self.stop();
        self.await_task(WaitReason::Implicit);
        self.uci.engine.stop_and_wait();
    }

    fn await_task(&mut self, reason: WaitReason) {
        while self.is_task_running() {
            self.poll_input(reason);
        }
        // No reason to end the engine.
        if self.task.take().is_some_and(|task| !task.join()) {
            self.output.error("internal error: the task panicked");
        }
    }

    /// Waits until the search and the task have finished, by themselves or by `stop`, or the output is closed.
    pub fn wait_until_idle(&mut self) {
        self.await_task(WaitReason::WaitCommand);
        while self.uci.engine.searcher().is_searching() {
            self.poll_input(WaitReason::WaitCommand);
        }
    }

    /// Waits briefly for input. Commands that cannot be executed during a wait are deferred.
    fn poll_input(&mut self, reason: WaitReason) {
        if self.output.check_closed() {
            return self.stop();
        }
        // It came after all that the session waits for.
        if self.inbox.has_stop() {
            self.stop();
        }
        if self.inbox.is_full() {
            return std::thread::sleep(TICK);
        }
        let is_ready = reason == WaitReason::Implicit || self.inbox.is_empty();
        match self.inbox.next_new(TICK) {
            Some(Event::Line(line)) => {
                match uci::parse(&line) {
                    Ok(Command::IsReady) if is_ready => {
                        self.execute(&line);
                        return;
                    }
                    // It also applies to what the deferred commands start.
                    Ok(Command::Stop) => {
                        self.stop();
                        return self.inbox.defer_stop(&line);
                    }
                    Ok(Command::PonderHit) => self.uci.engine.searcher().ponder_hit(),
                    // Garbage is not kept.
                    Err(error) if line.len() > MAX_WRONG => return self.output.error(&error),
                    // It may also be a command of CECP, after a deferred `xboard`.
                    Ok(_) | Err(_) => {}
                }
                self.inbox.defer(&line);
            }
            Some(Event::TooLong) => self.output.error(TOO_LONG),
            Some(end @ Event::End { closed }) => {
                if closed {
                    self.stop();
                }
                self.inbox.defer_end(end);
            }
            Some(Event::Wake) | None => {}
        }
    }

    /// Writes the current network to a new file.
    fn export_network(&self, file: &str) {
        let Some(network) = &self.uci.engine.settings().network else {
            return self.output.error("there is no network to write");
        };
        let name = if file.is_empty() { format!("{}.nnue", file_name(network.name())) } else { file.to_owned() };
        let bytes = network.to_bytes();
        let path = files::path(&name);
        let written = OpenOptions::new().write(true).create_new(true).open(&path).and_then(|mut file| {
            file.write_all(&bytes).inspect_err(|_| {
                // A truncated network is useless.
                let _ = std::fs::remove_file(&path);
            })
        });
        match written {
            Ok(()) => self.output.note(&format!("network written to {}, {} bytes", quoted(&name), bytes.len())),
            Err(error) => self.output.error(&format!("the network cannot be written to {}: {error}", quoted(&name))),
        }
    }
}

/// Turns a name into a file name without directories.
fn file_name(text: &str) -> String {
    let sanitize = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    if text.is_empty() { "network".to_owned() } else { text.chars().map(sanitize).collect() }
}
