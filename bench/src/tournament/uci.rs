//! An engine as a process that may crash or hang at any time.
//!
//! A thread reads what the engine says and notes when each line came, so that the time of a move is
//! that of the answer and not of whoever looks at it later. All times are of a monotonic clock.

use super::config::EngineConfig;
use agoge::board::Variant;
use agoge::types::score::Score;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A longer line is cut in pieces.
const MAX_LINE: u64 = 1 << 20;

/// Lines that may wait for a reader; then the engine has to wait.
const MAX_WAITING: usize = 4096;

/// How long an engine may take to start and to get ready for a game.
const START_TIME: Duration = Duration::from_secs(30);

/// How long an engine may take to end after `quit`.
const QUIT_TIME: Duration = Duration::from_secs(1);

/// How often a wait looks whether the match has been stopped.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Why an engine gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It ended, or closed its output.
    Crash(String),
    /// It says nothing any more.
    Stall(String),
    /// The match has been stopped; the engine is not to blame.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(details) | Self::Stall(details) => f.write_str(details),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

/// A move and what the engine said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought {
    /// The word after `bestmove`, which may be anything.
    pub best: String,
    /// From the command to the answer.
    pub time: Duration,
    /// The last score of the main line, from the engine's view.
    pub score: Option<Score>,
    /// The depth of that score.
    pub depth: u32,
}

/// All that is said between the match and its engines, with times and names.
#[derive(Debug)]
pub struct Log {
    file: Mutex<File>,
    begin: Instant,
}

impl Log {
    /// A log in a new file.
    pub fn new(file: File) -> Self {
        Self { file: Mutex::new(file), begin: Instant::now() }
    }

    fn write(&self, name: &str, direction: &str, line: &str) {
        let seconds = self.begin.elapsed().as_secs_f64();
        let text = format!("{seconds:.6} {name} {direction} {line}\n");
        // A log that cannot be written must not change the match.
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
    }
}

/// What the match sets for all engines.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The game that is played.
    pub variant: Variant,
    /// An engine that is silent for so long where it should answer hangs.
    pub patience: Duration,
    /// Where everything that is said is taken down.
    pub log: Option<Arc<Log>>,
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    name: String,
    terms: Terms,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<(Instant, String)>,
    /// The last line on stderr: what a crash has to say for itself.
    last_words: Arc<Mutex<String>>,
    alive: bool,
}

impl Engine {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// When it cannot be started, is no UCI engine, or lacks an option.
    pub fn start(config: &EngineConfig, terms: &Terms, stop: &AtomicBool) -> Result<Self, Failure> {
        let mut command = Command::new(&config.command);
        command.args(&config.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        // A group of its own: the terminal's Ctrl-C does not reach the engine, and what it has started
        // ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let cannot = |error: &dyn fmt::Display| Failure::Crash(format!("{}: {error}", config.command.display()));
        let mut child = command.spawn().map_err(|error| cannot(&error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(cannot(&"no pipes"));
        };
        let (sender, lines) = sync_channel(MAX_WAITING);
        let log = terms.log.clone().map(|log| (log, config.name.clone()));
        let last_words = Arc::new(Mutex::new(String::new()));
        let words = Arc::clone(&last_words);
        let errors_log = log.clone();
        thread::spawn(move || read_lines(stdout, log.as_ref(), ">", |line| send(&sender, line)));
        thread::spawn(move || {
            read_lines(stderr, errors_log.as_ref(), "!", |line| {
                if !line.trim().is_empty() {
                    *words.lock().unwrap_or_else(PoisonError::into_inner) = line.trim().chars().take(200).collect();
                }
                true
            });
        });
        let mut engine =
            Self { name: config.name.clone(), terms: terms.clone(), child, stdin, lines, last_words, alive: true };
        let options = engine.introduce(stop)?;
        let has = |name: &str| options.iter().any(|option| option.eq_ignore_ascii_case(name));
        if has("UCI_Variant") {
            engine.send(&format!("setoption name UCI_Variant value {}", terms.variant.name()))?;
        }
        for (name, value) in &config.options {
            if !has(name) {
                return Err(Failure::Crash(format!("{} has no option '{name}'", config.name)));
            }
            engine.send(&if value.is_empty() {
                format!("setoption name {name}")
            } else {
                format!("setoption name {name} value {value}")
            })?;
        }
        engine.ready(stop)?;
        Ok(engine)
    }

    /// The first exchange; returns the names of the options.
    fn introduce(&mut self, stop: &AtomicBool) -> Result<Vec<String>, Failure> {
        self.send("uci")?;
        let mut options = Vec::new();
        let deadline = Instant::now() + START_TIME;
        loop {
            let (_, line) = self.receive(deadline, "uciok", stop)?;
            if line.trim() == "uciok" {
                return Ok(options);
            }
            let name = line.trim().strip_prefix("option name ").and_then(|rest| rest.split(" type ").next());
            options.extend(name.map(|name| name.trim().to_owned()));
        }
    }

    /// Whether the engine can still be played with.
    pub const fn is_alive(&self) -> bool {
        self.alive
    }

    /// Gets the engine ready for a new game.
    ///
    /// # Errors
    /// When it is not ready in time.
    pub fn new_game(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("ucinewgame")?;
        self.ready(stop)
    }

    /// Sets an option, which the engine is not asked whether it has. It counts from the next game on.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    fn ready(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("isready")?;
        let deadline = Instant::now() + START_TIME;
        while self.receive(deadline, "readyok", stop)?.1.trim() != "readyok" {}
        Ok(())
    }

    /// Lets the engine search. `allowance` is the time after which its answer is too late to count; it
    /// is then told to stop, and the answer is returned all the same, with its time. Without an
    /// allowance the engine may think as long as it says something now and then.
    ///
    /// # Errors
    /// When the engine ends, or says nothing when it has to.
    pub fn think(
        &mut self,
        position: &str,
        go: &str,
        allowance: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Thought, Failure> {
        // What was said before the question is no answer.
        for _ in 0..MAX_WAITING {
            match self.lines.try_recv() {
                Ok(_) => {}
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Err(self.crash()),
            }
        }
        self.send(position)?;
        let begin = Instant::now();
        self.send(go)?;
        let mut deadline = begin + allowance.unwrap_or(self.terms.patience);
        let mut late = allowance.is_none();
        let mut last = Info::default();
        loop {
            let line = match self.wait(deadline, stop) {
                Ok(line) => line,
                Err(Wait::Timeout) if !late => {
                    late = true;
                    deadline = Instant::now() + self.terms.patience;
                    self.send("stop")?;
                    continue;
                }
                Err(wait) => return Err(self.failure(wait, "bestmove")),
            };
            let (at, line) = line;
            if late && allowance.is_none() {
                deadline = at + self.terms.patience;
            }
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("bestmove") => {
                    let best = words.next().unwrap_or("").to_owned();
                    let time = at.saturating_duration_since(begin);
                    return Ok(Thought { best, time, score: last.score, depth: last.depth });
                }
                Some("info") => {
                    if let Some(info) = Info::parse(words)
                        && (!info.is_bound || last.score.is_none())
                    {
                        last = info;
                    }
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        if let Some(log) = &self.terms.log {
            log.write(&self.name, "<", line);
        }
        let written = self.stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.stdin.flush());
        written.map_err(|_| self.crash())
    }

    /// The next line, for which `what` stands in messages.
    fn receive(&mut self, deadline: Instant, what: &str, stop: &AtomicBool) -> Result<(Instant, String), Failure> {
        self.wait(deadline, stop).map_err(|wait| self.failure(wait, what))
    }

    fn wait(&self, deadline: Instant, stop: &AtomicBool) -> Result<(Instant, String), Wait> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Wait::Stopped);
            }
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(rest.min(STOP_INTERVAL)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(Wait::Closed),
                Err(RecvTimeoutError::Timeout) if rest <= STOP_INTERVAL => return Err(Wait::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn failure(&mut self, wait: Wait, what: &str) -> Failure {
        match wait {
            Wait::Stopped => Failure::Stopped,
            Wait::Closed => self.crash(),
            Wait::Timeout => {
                self.kill();
                Failure::Stall(format!("{} does not answer: no {what}", self.name))
            }
        }
    }

    /// Finds out how the engine ended.
    fn crash(&mut self) -> Failure {
        let deadline = Instant::now() + QUIT_TIME;
        let mut status = None;
        while status.is_none() && Instant::now() < deadline {
            status = self.child.try_wait().ok().flatten();
            if status.is_none() {
                thread::sleep(Duration::from_millis(5));
            }
        }
        self.kill();
        let status = status.map_or_else(|| "closed its output".to_owned(), |status| told(self.name.as_str(), status));
        // Its last line may still be on its way.
        thread::sleep(Duration::from_millis(10));
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let colon = if words.is_empty() { "" } else { ": " };
        Failure::Crash(format!("{status}{colon}{words}"))
    }

    /// Ends the engine and all that it has started.
    fn kill(&mut self) {
        if !std::mem::replace(&mut self.alive, false) {
            return;
        }
        #[cfg(unix)]
        if let Ok(id) = i32::try_from(self.child.id()) {
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Engine {
    /// Lets the engine end by itself, and ends it if it does not.
    fn drop(&mut self) {
        if self.alive && self.send("quit").is_ok() {
            let deadline = Instant::now() + QUIT_TIME;
            // The output ends with the process, which stays in the table until it is asked for: its
            // number, by which the group is ended, cannot be that of another one.
            while Instant::now() < deadline {
                match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        }
        self.kill();
    }
}

/// Why there is no line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wait {
    Timeout,
    Closed,
    Stopped,
}

fn told(name: &str, status: ExitStatus) -> String {
    format!("{name} ended with {status}")
}

fn send(sender: &SyncSender<(Instant, String)>, line: String) -> bool {
    sender.send((Instant::now(), line)).is_ok()
}

/// Hands on lines until there are no more, or nobody wants them.
fn read_lines(
    source: impl Read,
    log: Option<&(Arc<Log>, String)>,
    direction: &str,
    mut hand_on: impl FnMut(String) -> bool,
) {
    let mut source = BufReader::new(source);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match source.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
        if let Some((log, name)) = log {
            log.write(name, direction, &line);
        }
        if !hand_on(line) {
            return;
        }
    }
}

/// What a line `info` says of the main line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Info {
    score: Option<Score>,
    depth: u32,
    is_bound: bool,
}

impl Info {
    /// Reads the words after `info`. None if there is no score, or that of another line.
    fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut info = Self::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = words.next()?.parse().ok()?,
                "multipv" if words.next()? != "1" => return None,
                "cp" => info.score = Some(Score::Cp(words.next()?.parse().ok()?)),
                "mate" => info.score = Some(Score::Mate(words.next()?.parse().ok()?)),
                "lowerbound" | "upperbound" => info.is_bound = true,
                "pv" | "string" => break,
                _ => {}
            }
        }
        info.score.map(|_| info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_thought() {
        let parse = |line: &str| Info::parse(line.split_ascii_whitespace());
        let score = |line| parse(line).and_then(|info| info.score);
        assert_eq!(score("depth 12 seldepth 20 multipv 1 score cp -35 nodes 1 pv e2e4"), Some(Score::Cp(-35)));
        assert_eq!(score("depth 3 score mate -2 pv a b"), Some(Score::Mate(-2)));
        assert_eq!(parse("depth 3 score cp 10 lowerbound").map(|info| (info.depth, info.is_bound)), Some((3, true)));
        assert_eq!(score("depth 3 multipv 2 score cp 10"), None);
        for line in
            ["", "depth", "depth x score cp 1", "score cp", "score cp 99999999999", "string score cp 3", "nodes 5"]
        {
            assert_eq!(parse(line), None, "{line:?}");
        }
    }
}
