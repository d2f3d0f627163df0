//! A UCI client: it drives the real binary through its pipes.

// Each test program uses a part of it.
#![allow(dead_code)]

use agoge::nnue::Level;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The binary that belongs to this build.
pub const BINARY: &str = env!("CARGO_BIN_EXE_agoge");

/// How long anything may take that ought to take no time, on a machine that is very busy.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for the end of a process, which must not take long.
pub fn end_of(child: &mut Child) -> ExitStatus {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().expect("the process can be asked") {
            return status;
        }
        if Instant::now() > end {
            let _ = child.kill();
            panic!("the engine does not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Makes a command that does not inherit ignored signals, as from `nohup` or from a shell that runs the tests
/// in the background.
#[cfg(unix)]
pub fn with_default_signals(command: &mut Command) -> &mut Command {
    use nix::sys::signal::{SigHandler, Signal, signal};
    use std::os::unix::process::CommandExt;
    let reset = || {
        for ignored in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
            // SAFETY: no handler is installed or replaced that anything relies on; the default needs none.
            unsafe { signal(ignored, SigHandler::SigDfl) }?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure only calls signal(2), which is async-signal-safe; it
    // neither allocates nor locks.
    unsafe { command.pre_exec(reset) }
}

/// Whether one of the lines complains of something, with a text that has a part.
pub fn says_error(lines: &[String], part: &str) -> bool {
    let mut complaints = lines.iter().filter_map(|line| line.strip_prefix("info string error: "));
    complaints.any(|text| text.len() > 3 && text.contains(part))
}

/// The lines of thought that tell a score.
pub fn told(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info depth") && line.contains(" score ")).collect()
}

/// The last of them.
pub fn last_info(lines: &[String]) -> &str {
    told(lines).pop().unwrap_or_else(|| panic!("no info in {lines:#?}"))
}

/// The words of a line after a word.
pub fn after<'a>(line: &'a str, word: &str) -> Vec<&'a str> {
    line.split(' ').skip_while(|&other| other != word).skip(1).collect()
}

/// The nodes that a search tells last.
pub fn nodes(lines: &[String]) -> u64 {
    after(last_info(lines), "nodes")[0].parse().expect("a number")
}

/// Sends `commands` to an engine whose output nobody reads, and `later` a moment after: it must end
/// by itself, with success and without a complaint, although its input stays open.
pub fn assert_ends_without_reader(commands: &str, moment: Duration, later: &str) {
    let mut child = Command::new(BINARY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(commands.as_bytes()).expect("the engine reads");
    // The input stays open: the engine must notice by itself, at the latest with its next line.
    thread::sleep(moment);
    let _ = stdin.write_all(later.as_bytes());
    let status = end_of(&mut child);
    assert!(status.success(), "{commands:?}: {status}");
    let mut complaint = String::new();
    child.stderr.take().expect("stderr is a pipe").read_to_string(&mut complaint).expect("text");
    assert_eq!(complaint, "", "{commands:?}");
}

/// A running engine. It is killed when dropped.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    syncs: usize,
}

impl Client {
    /// Starts the engine without arguments.
    pub fn start() -> Self {
        Self::with_arguments(&[])
    }

    /// Starts the engine with arguments.
    pub fn with_arguments(arguments: &[&str]) -> Self {
        Self::run(Command::new(BINARY).args(arguments))
    }

    /// Starts the engine with a variable in its environment.
    pub fn with_environment(name: &str, value: &str) -> Self {
        Self::run(Command::new(BINARY).env(name, value))
    }

    /// One for each set of vector instructions that this machine has, made to use that one; with its name.
    pub fn with_each_level() -> Vec<(Level, Self)> {
        let start = |level: Level| {
            let mut client = Self::with_environment("AGOGE_SIMD", level.name());
            let told = client.ask("version").pop();
            let taken = told.as_deref() == Some(&format!("network computed with: {level}"));
            assert_eq!(taken, level.is_available(), "{level}: {told:?}");
            taken.then_some((level, client))
        };
        Level::ALL.into_iter().filter_map(start).collect()
    }

    /// Starts a command that becomes the engine.
    pub fn run(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the engine starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, lines, syncs: 0 }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(&[line.as_bytes(), b"\n"].concat());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the engine reads");
    }

    /// Ends the input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next line; fails the test when none comes.
    pub fn line(&self) -> String {
        self.line_within(PATIENCE).unwrap_or_else(|error| panic!("no line: {error}"))
    }

    /// The next line, if one comes within a time.
    pub fn line_within(&self, time: Duration) -> Result<String, RecvTimeoutError> {
        self.lines.recv_timeout(time)
    }

    /// All lines up to and with the first one that begins with a word.
    pub fn until(&self, word: &str) -> Vec<String> {
        self.until_matches(word, |line| line.split_whitespace().next() == Some(word))
    }

    /// All lines up to and with the first one that ends with a text.
    pub fn until_end(&self, text: &str) -> Vec<String> {
        self.until_matches(text, |line| line.ends_with(text))
    }

    fn until_matches(&self, wanted: &str, matches: impl Fn(&str) -> bool) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let found = matches(&line);
                    lines.push(line);
                    if found {
                        return lines;
                    }
                }
                Err(error) => panic!("no '{wanted}': {error}, after {lines:#?}"),
            }
        }
    }

    /// Sends a line and `isready`; what comes before `readyok`. Not for use during a search.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.ready()
    }

    /// Sends `isready`; what comes before `readyok`.
    pub fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a command that does not exist and waits for the answer to it; what comes before. Unlike
    /// `readyok`, this answer cannot be taken for that to another line.
    pub fn sync(&mut self) -> Vec<String> {
        self.syncs += 1;
        let mark = format!("sync{}", self.syncs);
        self.send(&mark);
        let mut lines = self.until_matches(&mark, |line| line.contains(&format!("'{mark}'")));
        lines.pop();
        lines
    }

    /// Sends `go …`; the lines up to and with `bestmove`.
    pub fn search(&mut self, go: &str) -> Vec<String> {
        self.send(go);
        self.until("bestmove")
    }

    /// Sends `go …`; the best move.
    pub fn best_move(&mut self, go: &str) -> String {
        let lines = self.search(go);
        let last = lines.last().map_or("", String::as_str);
        last.split_whitespace().nth(1).unwrap_or_else(|| panic!("no move in '{last}'")).to_owned()
    }

    /// What follows a label in the answer to `d`.
    pub fn shown(&mut self, label: &str) -> String {
        let lines = self.ask("d");
        let found = lines.iter().find_map(|line| line.strip_prefix(label)?.strip_prefix(':'));
        found.unwrap_or_else(|| panic!("no '{label}' in {lines:#?}")).trim().to_owned()
    }

    /// The FEN of the present position.
    pub fn fen(&mut self) -> String {
        self.shown("Fen")
    }

    /// The legal moves of the present position.
    pub fn legal_moves(&mut self) -> Vec<String> {
        self.shown("Legal moves").split_whitespace().map(str::to_owned).collect()
    }

    /// That nothing is written for a while.
    pub fn expect_silence(&self, time: Duration) {
        if let Ok(line) = self.line_within(time) {
            panic!("unexpected line '{line}'");
        }
    }

    /// Whether the engine answers, and a search finds a legal move.
    pub fn check_health(&mut self) {
        self.ready();
        let moves = self.legal_moves();
        let best = self.best_move("go depth 2");
        assert!(moves.contains(&best) || (moves.is_empty() && best == "(none)"), "{best} is not in {moves:?}");
    }

    /// Waits for the end of the process.
    pub fn exit(&mut self) -> ExitStatus {
        end_of(&mut self.child)
    }

    /// Sends `quit` and expects a clean end.
    pub fn quit(mut self) {
        self.send("quit");
        assert!(self.exit().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
