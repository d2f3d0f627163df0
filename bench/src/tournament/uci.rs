//! An engine as a process that may crash or hang at any time.
//!
//! A thread reads what the engine says and notes when each line came, so that the time of a move is
//! that of the answer and not of whoever looks at it later. All times are of a monotonic clock.
//!
//! Whatever an engine prints, and however much, takes neither time nor memory without end: lines are cut,
//! few of them wait, and no deadline is moved by a line that tells of no progress.

use super::config::EngineConfig;
use agoge::board::Variant;
use agoge::types::score::Score;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a line that are read; the rest of it is dropped.
const MAX_LINE: usize = 16 << 10;

/// Lines that may wait for a reader; then the engine has to wait.
const MAX_WAITING: usize = 1024;

/// A search without a clock may take so many times the patience, as long as it makes progress.
const MAX_PATIENCE: u32 = 10;

/// How long an engine may leave its input unread when there is no more room in it.
const SEND_TIME: Duration = Duration::from_secs(5);

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
    /// It does not answer.
    Stall(String),
    /// It lacks what the match needs of it.
    Unfit(String),
    /// The match has been stopped; the engine is not to blame.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(details) | Self::Stall(details) | Self::Unfit(details) => f.write_str(details),
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
    /// An engine that takes so long to answer, after its time is over, hangs; so does one that searches
    /// without a clock and makes no progress for so long.
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
    /// A line that came after the time in which it was waited for.
    held: Option<(Instant, String)>,
    /// The names of its options.
    options: Vec<String>,
    /// The last line on stderr: what a crash has to say for itself.
    last_words: Arc<Mutex<String>>,
    alive: bool,
}

impl Engine {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// When it cannot be started, is no UCI engine, lacks an option, or does not play the variant: every
    /// variant but orthodox chess must be among the values of its option `UCI_Variant`.
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
        // An engine that does not read must not block the match.
        #[cfg(unix)]
        nix::fcntl::fcntl(&stdin, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))
            .map_err(|error| cannot(&error))?;
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
        let mut engine = Self {
            name: config.name.clone(),
            terms: terms.clone(),
            child,
            stdin,
            lines,
            held: None,
            options: Vec::new(),
            last_words,
            alive: true,
        };
        engine.introduce(stop)?;
        if engine.has_option(VARIANT_OPTION) {
            engine.send(&format!("setoption name {VARIANT_OPTION} value {}", terms.variant.name()))?;
        }
        for (name, value) in &config.options {
            if !engine.has_option(name) {
                return Err(Failure::Unfit(format!("{} has no option '{name}'", config.name)));
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

    /// The first exchange, in which the engine tells its options.
    fn introduce(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("uci")?;
        let mut variants = None;
        let deadline = Instant::now() + START_TIME;
        loop {
            let (_, line) = self.receive(deadline, "uciok", stop)?;
            if line.trim() == "uciok" {
                break;
            }
            let Some(option) = line.trim().strip_prefix("option name ") else { continue };
            let (name, rest) = option.split_once(" type ").unwrap_or((option, ""));
            if name.trim().eq_ignore_ascii_case(VARIANT_OPTION) {
                variants = Some(rest.to_owned());
            }
            // More than any engine has: one that never ends with them.
            if self.options.len() < 10_000 {
                self.options.push(name.trim().to_owned());
            }
        }
        let variant = self.terms.variant;
        let lack = match variants {
            None if variant == Variant::Chess => return Ok(()),
            None => format!("it has no option {VARIANT_OPTION}"),
            Some(values) if offers(&values, variant.name()) => return Ok(()),
            Some(_) => format!("its option {VARIANT_OPTION} does not offer it"),
        };
        Err(Failure::Unfit(format!("{} does not play the variant {}: {lack}", self.name, variant.name())))
    }

    /// Whether the engine has an option.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.eq_ignore_ascii_case(name))
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
    /// allowance the engine may think as long as it makes progress, within reason: depth or nodes that it
    /// tells must grow.
    ///
    /// # Errors
    /// When the engine ends, or does not answer in time.
    pub fn think(
        &mut self,
        position: &str,
        go: &str,
        allowance: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Thought, Failure> {
        // What was said before the question is no answer.
        self.held = None;
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
        let mut furthest = (0, 0);
        let end = begin + self.terms.patience.saturating_mul(MAX_PATIENCE);
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
            // It was still on its way when the question was asked.
            if at < begin {
                continue;
            }
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("bestmove") => {
                    let best = words.next().unwrap_or("").to_owned();
                    let time = at.saturating_duration_since(begin);
                    return Ok(Thought { best, time, score: last.score, depth: last.depth });
                }
                Some("info") => {
                    let Some(info) = Info::parse(words) else { continue };
                    if allowance.is_none() && (info.depth > furthest.0 || info.nodes > furthest.1) {
                        furthest = (furthest.0.max(info.depth), furthest.1.max(info.nodes));
                        deadline = (at + self.terms.patience).min(end);
                    }
                    if info.is_main && info.score.is_some() && (!info.is_bound || last.score.is_none()) {
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

    /// The next line, for which `what` stands in messages.
    fn receive(&mut self, deadline: Instant, what: &str, stop: &AtomicBool) -> Result<(Instant, String), Failure> {
        self.wait(deadline, stop).map_err(|wait| self.failure(wait, what))
    }

    /// The next line that came before a deadline.
    fn wait(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<(Instant, String), Wait> {
        let line = loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Wait::Stopped);
            }
            if let Some(line) = self.held.take() {
                break line;
            }
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(rest.min(STOP_INTERVAL)) {
                Ok(line) => break line,
                Err(RecvTimeoutError::Disconnected) => return Err(Wait::Closed),
                Err(RecvTimeoutError::Timeout) if rest <= STOP_INTERVAL => return Err(Wait::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        if line.0 > deadline {
            // Lines may come faster than they are read, so that it is never silent.
            self.held = Some(line);
            return Err(Wait::Timeout);
        }
        Ok(line)
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

/// The option that names the game.
const VARIANT_OPTION: &str = "UCI_Variant";

/// Whether the values of an option, as the engine tells them after `type`, have one. A line that was cut
/// may have it.
fn offers(values: &str, wanted: &str) -> bool {
    let Some(values) = values.trim().strip_prefix("combo") else { return true };
    let mut words = values.split_ascii_whitespace();
    let is_cut = values.len() + 100 > MAX_LINE;
    is_cut || words.any(|word| word.eq_ignore_ascii_case(wanted))
}

/// Reads a line up to its end; what is beyond [`MAX_LINE`] is dropped. None at the end of the input.
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

/// Hands on lines until there are no more, or nobody wants them.
fn read_lines(
    source: impl Read,
    log: Option<&(Arc<Log>, String)>,
    direction: &str,
    mut hand_on: impl FnMut(String) -> bool,
) {
    let mut source = BufReader::new(source);
    let mut bytes = Vec::new();
    while read_line(&mut source, &mut bytes).is_some() {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned();
        if let Some((log, name)) = log {
            log.write(name, direction, &line);
        }
        if !hand_on(line) {
            return;
        }
    }
}

/// What a line `info` says of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Info {
    score: Option<Score>,
    depth: u32,
    nodes: u64,
    is_bound: bool,
    /// It is about the best line.
    is_main: bool,
}

impl Info {
    /// Reads the words after `info`. None if they are wrong.
    fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut info = Self { is_main: true, ..Self::default() };
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = words.next()?.parse().ok()?,
                "nodes" => info.nodes = words.next()?.parse().ok()?,
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
    fn lines_of_thought() {
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
    fn long_lines_are_cut() {
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
    fn variants_on_offer() {
        for (values, offered) in [
            ("combo default chess var chess var spartan", true),
            ("combo default chess var chess var atomic", false),
            ("combo default Spartan", true),
            ("string default chess", true),
            ("combo default x var spartanx", false),
        ] {
            assert_eq!(offers(values, "spartan"), offered, "{values}");
        }
    }
}
