//! A UCI engine as a process, which may crash or hang at any time.
//!
//! A thread reads the engine's output and records the arrival time of each line, so that the time of a move does not
//! depend on when the line is processed. All times come from a monotonic clock.
//!
//! No output of an engine can take unbounded time or memory: lines are truncated, the queue of lines is bounded, and
//! only lines that report progress extend a deadline.

use super::config::EngineConfig;
use crate::errln;
use agoge::board::Variant;
use agoge::types::score::Score;
use regex_lite::Regex;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum length of a line in bytes; the rest is dropped.
const MAX_LINE: usize = 16 << 10;

/// The maximum number of queued lines; beyond it the engine has to wait.
const MAX_WAITING: usize = 1024;

/// The maximum number of lines of a search kept for the games.
const MAX_KEPT: usize = 100;

/// The maximum time of a search without a clock that makes progress, as a multiple of the stall timeout.
const MAX_TIMEOUTS: u32 = 10;

/// How long an engine may leave its input unread while the pipe is full.
const SEND_TIME: Duration = Duration::from_secs(5);

/// How long an engine may take to start and to prepare for a game.
const START_TIME: Duration = Duration::from_secs(30);

/// How long an engine may take to exit after `quit`.
const QUIT_TIME: Duration = Duration::from_secs(1);

/// How often a waiting thread checks whether the match has been stopped.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Why an engine did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It exited or closed its output.
    Crash(String),
    /// It did not answer in time.
    Stall(String),
    /// It lacks an option or the variant that the match requires.
    Unsupported(String),
    /// The match has been stopped; not a fault of the engine.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(details) | Self::Stall(details) | Self::Unsupported(details) => f.write_str(details),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The word after `bestmove`, not validated.
    pub best: String,
    /// The time from the command to the answer.
    pub time: Duration,
    /// The last report on the first line.
    pub info: Info,
    /// The principal variation of that report.
    pub pv: String,
    /// The lines that match [`MatchConfig::kept_lines`].
    pub lines: Vec<String>,
}

/// A log of all lines sent and received, with times and engine names.
#[derive(Debug)]
pub struct Log {
    file: Mutex<File>,
    begin: Instant,
}

impl Log {
    /// Starts a log in a file.
    pub fn new(file: File) -> Self {
        Self { file: Mutex::new(file), begin: Instant::now() }
    }

    fn write(&self, name: &str, direction: &str, line: &str) {
        let seconds = self.begin.elapsed().as_secs_f64();
        let text = format!("{seconds:.6} {name} {direction} {line}\n");
        // Errors of the log must not affect the match.
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
    }
}

/// The settings common to all engines of a match.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// The variant.
    pub variant: Variant,
    /// The stall timeout: an engine hangs if it does not answer within this time after its allowance, or searches
    /// without a clock and makes no progress for this time.
    pub stall_timeout: Duration,
    /// The log of the communication, if any.
    pub log: Option<Arc<Log>>,
    /// The lines of a search to keep for the games.
    pub kept_lines: Vec<Regex>,
    /// Whether options that an engine lacks are skipped with a warning instead of being an error.
    pub skip_unknown_options: bool,
}

impl MatchConfig {
    /// The settings of a variant: a stall timeout of a minute, no log, no kept lines.
    pub const fn new(variant: Variant) -> Self {
        Self {
            variant,
            stall_timeout: Duration::from_secs(60),
            log: None,
            kept_lines: Vec::new(),
            skip_unknown_options: false,
        }
    }
}

/// What an engine says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// Its name; empty if it does not give one.
    pub name: String,
    /// Its author; empty if it does not give one.
    pub author: String,
    /// The names of its options and the rest of their lines, from the type on.
    options: Vec<(String, String)>,
}

impl Identity {
    /// The rest of the line of an option, if the engine has it.
    fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter();
        options.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, rest)| rest.as_str())
    }

    /// The default value of an option, if the engine has it.
    pub fn default_value(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.option(name)?.split_once("default ")?;
        let end = [" min ", " max ", " var "].iter().filter_map(|word| rest.find(word)).min();
        Some(rest[..end.unwrap_or(rest.len())].trim())
    }
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    name: String,
    match_config: MatchConfig,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<(Instant, String)>,
    /// A line that arrived after the deadline of the last wait.
    late_line: Option<(Instant, String)>,
    identity: Identity,
    /// The last line on stderr, for the message about a crash.
    last_stderr_line: Arc<Mutex<String>>,
    alive: bool,
}

impl Engine {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// If it cannot be started, is not a UCI engine, lacks an option, or does not play the variant: all variants except
    /// orthodox chess must be listed in its option `UCI_Variant`.
    pub fn start(config: &EngineConfig, match_config: &MatchConfig, stop: &AtomicBool) -> Result<Self, Failure> {
        let mut engine = Self::spawn(config, match_config)?;
        engine.handshake(stop)?;
        engine.check_variant()?;
        engine.set_options(config)?;
        engine.wait_until_ready(stop)?;
        Ok(engine)
    }

    /// Asks an engine what it is.
    ///
    /// # Errors
    /// If it cannot be started or is not a UCI engine.
    pub fn identify(config: &EngineConfig, match_config: &MatchConfig, stop: &AtomicBool) -> Result<Identity, Failure> {
        let mut engine = Self::spawn(config, match_config)?;
        engine.handshake(stop)?;
        Ok(engine.identity.clone())
    }

    /// What the engine says about itself.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    fn spawn(config: &EngineConfig, match_config: &MatchConfig) -> Result<Self, Failure> {
        let mut command = Command::new(&config.command);
        command.args(&config.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        // A separate process group: Ctrl-C in the terminal does not reach the engine, and its child processes can be
        // killed with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let cannot = |error: &dyn fmt::Display| Failure::Crash(format!("{}: {error}", config.command.display()));
        let mut child = command.spawn().map_err(|error| cannot(&error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(cannot(&"no pipes"));
        };
        // An engine that does not read must not block the match.
        #[cfg(unix)]
        nix::fcntl::fcntl(&stdin, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))
            .map_err(|error| cannot(&error))?;
        let (sender, lines) = sync_channel(MAX_WAITING);
        let log = match_config.log.clone().map(|log| (log, config.name.clone()));
        let last_stderr_line = Arc::new(Mutex::new(String::new()));
        let stderr_line = Arc::clone(&last_stderr_line);
        let errors_log = log.clone();
        thread::spawn(move || read_lines(stdout, log.as_ref(), ">", |line| send(&sender, line)));
        thread::spawn(move || {
            read_lines(stderr, errors_log.as_ref(), "!", |line| {
                if !line.trim().is_empty() {
                    *stderr_line.lock().unwrap_or_else(PoisonError::into_inner) =
                        line.trim().chars().take(200).collect();
                }
                true
            });
        });
        Ok(Self {
            name: config.name.clone(),
            match_config: match_config.clone(),
            child,
            stdin,
            lines,
            late_line: None,
            identity: Identity::default(),
            last_stderr_line,
            alive: true,
        })
    }

    /// Sets the variant and the options.
    fn set_options(&mut self, config: &EngineConfig) -> Result<(), Failure> {
        if self.has_option(VARIANT_OPTION) {
            self.send(&format!("setoption name {VARIANT_OPTION} value {}", self.match_config.variant.name()))?;
        }
        for (name, value) in &config.options {
            if !self.has_option(name) {
                if self.match_config.skip_unknown_options {
                    errln!("Warning; {} doesn't have option {name}", config.name);
                    continue;
                }
                return Err(Failure::Unsupported(format!("{} has no option '{name}'", config.name)));
            }
            self.send(&if value.is_empty() {
                format!("setoption name {name}")
            } else {
                format!("setoption name {name} value {value}")
            })?;
        }
        Ok(())
    }

    /// The UCI handshake, in which the engine lists its options.
    fn handshake(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("uci")?;
        let deadline = Instant::now() + START_TIME;
        loop {
            let (_, line) = self.receive(deadline, "uciok", stop)?;
            let line = line.trim();
            if line == "uciok" {
                return Ok(());
            }
            if let Some(name) = line.strip_prefix("id name ") {
                name.trim().clone_into(&mut self.identity.name);
            } else if let Some(author) = line.strip_prefix("id author ") {
                author.trim().clone_into(&mut self.identity.author);
            } else if let Some(option) = line.strip_prefix("option name ")
                // Bounds the memory for an engine that never stops listing options.
                && self.identity.options.len() < 10_000
            {
                let (name, rest) = option.split_once(" type ").unwrap_or((option, ""));
                self.identity.options.push((name.trim().to_owned(), rest.to_owned()));
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
        Err(Failure::Unsupported(format!("{} does not play the variant {}: {reason}", self.name, variant.name())))
    }

    /// Whether the engine has an option.
    pub fn has_option(&self, name: &str) -> bool {
        self.identity.option(name).is_some()
    }

    /// Whether the engine is still running and usable.
    pub const fn is_alive(&self) -> bool {
        self.alive
    }

    /// Prepares the engine for a new game.
    ///
    /// # Errors
    /// If it is not ready in time.
    pub fn new_game(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("ucinewgame")?;
        self.wait_until_ready(stop)
    }

    /// Sets an option without checking that it exists. It takes effect from the next game on.
    ///
    /// # Errors
    /// If the engine has exited.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    fn wait_until_ready(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("isready")?;
        let deadline = Instant::now() + START_TIME;
        while self.receive(deadline, "readyok", stop)?.1.trim() != "readyok" {}
        Ok(())
    }

    /// Lets the engine search. After `allowance` the answer is too late: the engine receives `stop`, and its answer is
    /// still returned with its time. Without an allowance the engine may search as long as it makes progress (its
    /// reported depth or nodes increase), but at most ten times the stall timeout.
    ///
    /// # Errors
    /// If the engine exits or does not answer in time.
    pub fn search(
        &mut self,
        position: &str,
        go: &str,
        allowance: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<SearchResult, Failure> {
        // Discard earlier output.
        self.late_line = None;
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
        let mut deadline = begin + allowance.unwrap_or(self.match_config.stall_timeout);
        let mut late = allowance.is_none();
        let (mut last, mut last_line, mut lines) = (Info::default(), String::new(), Vec::new());
        let mut furthest = (0, 0);
        let end = begin + self.match_config.stall_timeout.saturating_mul(MAX_TIMEOUTS);
        loop {
            let line = match self.try_receive(deadline, stop) {
                Ok(line) => line,
                Err(ReceiveError::Timeout) if !late => {
                    late = true;
                    deadline = Instant::now() + self.match_config.stall_timeout;
                    self.send("stop")?;
                    continue;
                }
                Err(error) => return Err(self.failure(error, "bestmove")),
            };
            let (at, line) = line;
            // Sent before the search started.
            if at < begin {
                continue;
            }
            if lines.len() < MAX_KEPT && self.match_config.kept_lines.iter().any(|wanted| wanted.is_match(&line)) {
                lines.push(line.clone());
            }
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("bestmove") => {
                    let best = words.next().unwrap_or("").to_owned();
                    let time = at.saturating_duration_since(begin);
                    let pv = last_line.split_once(" pv ").map_or_else(String::new, |(_, pv)| pv.trim().to_owned());
                    return Ok(SearchResult { best, time, info: last, pv, lines });
                }
                Some("info") => {
                    let Some(info) = Info::parse(words) else { continue };
                    if allowance.is_none() && (info.depth > furthest.0 || info.nodes > furthest.1) {
                        furthest = (furthest.0.max(info.depth), furthest.1.max(info.nodes));
                        deadline = (at + self.match_config.stall_timeout).min(end);
                    }
                    if info.is_main && info.score.is_some() && (!info.is_bound || last.score.is_none()) {
                        (last, last_line) = (info, line);
                    }
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        if let Some(log) = &self.match_config.log {
            log.write(&self.name, "<", line);
        }
        let text = format!("{line}\n");
        let mut rest = text.as_bytes();
        let deadline = Instant::now() + SEND_TIME;
        while !rest.is_empty() {
            match self.stdin.write(rest) {
                Ok(count) if count > 0 => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(5));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.kill();
                    return Err(Failure::Stall(format!("{} does not read its input", self.name)));
                }
                Ok(_) | Err(_) => return Err(self.crash()),
            }
        }
        Ok(())
    }

    /// The next line; `what` describes the expected line in error messages.
    fn receive(&mut self, deadline: Instant, what: &str, stop: &AtomicBool) -> Result<(Instant, String), Failure> {
        self.try_receive(deadline, stop).map_err(|error| self.failure(error, what))
    }

    /// The next line that arrived before a deadline.
    fn try_receive(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<(Instant, String), ReceiveError> {
        let line = loop {
            if stop.load(Ordering::Relaxed) {
                return Err(ReceiveError::Stopped);
            }
            if let Some(line) = self.late_line.take() {
                break line;
            }
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(rest.min(STOP_INTERVAL)) {
                Ok(line) => break line,
                Err(RecvTimeoutError::Disconnected) => return Err(ReceiveError::Closed),
                Err(RecvTimeoutError::Timeout) if rest <= STOP_INTERVAL => return Err(ReceiveError::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        if line.0 > deadline {
            // The queue may never be empty, if lines arrive faster than they are processed.
            self.late_line = Some(line);
            return Err(ReceiveError::Timeout);
        }
        Ok(line)
    }

    fn failure(&mut self, error: ReceiveError, what: &str) -> Failure {
        match error {
            ReceiveError::Stopped => Failure::Stopped,
            ReceiveError::Closed => self.crash(),
            ReceiveError::Timeout => {
                self.kill();
                Failure::Stall(format!("{} does not answer: no {what}", self.name))
            }
        }
    }

    /// Determines how the engine exited.
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
        let status =
            status.map_or_else(|| "closed its output".to_owned(), |status| exit_message(self.name.as_str(), status));
        // The last line on stderr may not have been read yet.
        thread::sleep(Duration::from_millis(10));
        let line = self.last_stderr_line.lock().unwrap_or_else(PoisonError::into_inner);
        let colon = if line.is_empty() { "" } else { ": " };
        Failure::Crash(format!("{status}{colon}{line}"))
    }

    /// Kills the engine and its child processes.
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
    /// Sends `quit`, and kills the engine if it does not exit in time.
    fn drop(&mut self) {
        if self.alive && self.send("quit").is_ok() {
            let deadline = Instant::now() + QUIT_TIME;
            // Wait for the end of the output instead of the process. A process that has not been waited for keeps its
            // id, so that [`Self::kill`] cannot hit the process group of another process.
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

/// Why no line was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ReceiveError {
    Timeout,
    Closed,
    Stopped,
}

fn exit_message(name: &str, status: ExitStatus) -> String {
    format!("{name} terminated with {status}")
}

fn send(sender: &SyncSender<(Instant, String)>, line: String) -> bool {
    sender.send((Instant::now(), line)).is_ok()
}

/// The option that selects the variant.
pub const VARIANT_OPTION: &str = "UCI_Variant";

/// Whether the values of an option, the text after `type`, include one. A truncated line may include it.
fn has_value(values: &str, wanted: &str) -> bool {
    let Some(values) = values.trim().strip_prefix("combo") else { return true };
    let mut words = values.split_ascii_whitespace();
    let is_truncated = values.len() + 100 > MAX_LINE;
    is_truncated || words.any(|word| word.eq_ignore_ascii_case(wanted))
}

/// Reads a line and drops everything beyond [`MAX_LINE`]. `None` at the end of the input.
fn read_line(source: &mut impl BufRead, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.clear();
    let mut is_empty = true;
    loop {
        let buffer = match source.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if buffer.is_empty() {
            return (!is_empty).then_some(());
        }
        is_empty = false;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        bytes.extend_from_slice(&part[..part.len().min(MAX_LINE - bytes.len())]);
        let used = part.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            return Some(());
        }
    }
}

/// Forwards lines until the input ends or `forward` returns `false`.
fn read_lines(
    source: impl Read,
    log: Option<&(Arc<Log>, String)>,
    direction: &str,
    mut forward: impl FnMut(String) -> bool,
) {
    let mut source = BufReader::new(source);
    let mut bytes = Vec::new();
    while read_line(&mut source, &mut bytes).is_some() {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned();
        if let Some((log, name)) = log {
            log.write(name, direction, &line);
        }
        if !forward(line) {
            return;
        }
    }
}

/// The contents of an `info` line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// The score from the engine's view.
    pub score: Option<Score>,
    /// The depth in plies.
    pub depth: u32,
    /// The selective depth in plies.
    pub seldepth: u32,
    /// The nodes searched.
    pub nodes: u64,
    /// The nodes per second.
    pub nps: u64,
    /// The use of the hash table in per mille.
    pub hashfull: u32,
    /// The positions found in endgame tables.
    pub tb_hits: u64,
    /// The time in milliseconds as the engine reports it.
    pub time: Option<u64>,
    pub(super) is_bound: bool,
    /// Whether it is about the first line of multi-PV.
    pub(super) is_main: bool,
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
                "nps" => info.nps = words.next()?.parse().ok()?,
                "hashfull" => info.hashfull = words.next()?.parse().ok()?,
                "tbhits" => info.tb_hits = words.next()?.parse().ok()?,
                "time" => info.time = Some(words.next()?.parse().ok()?),
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
    use super::*;

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
    fn long_lines_are_truncated() {
        let mut text = vec![b'x'; 3 * MAX_LINE];
        text.extend(b"\nbestmove e2e4\r\n\nlast");
        let mut lines = Vec::new();
        read_lines(text.as_slice(), None, ">", |line| {
            lines.push(line);
            true
        });
        assert_eq!(lines[0].len(), MAX_LINE);
        assert_eq!(lines[1..], ["bestmove e2e4", "", "last"]);
    }

    #[test]
    fn default_values() {
        let identity = |rest: &str| Identity { options: vec![("Hash".into(), rest.into())], ..Identity::default() };
        for (rest, value) in [
            ("spin default 16 min 1 max 1024", Some("16")),
            ("combo default spartan var spartan var chess", Some("spartan")),
            ("string default a b", Some("a b")),
            ("button", None),
        ] {
            assert_eq!(identity(rest).default_value("hash"), value, "{rest}");
        }
        assert_eq!(identity("button").default_value("Threads"), None);
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
