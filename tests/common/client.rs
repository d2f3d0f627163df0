//! A client that drives the real binary through its pipes, by UCI or, with the functions of `cecp`, by CECP.

use agoge_core::nnue::Level;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The engine binary of this build.
pub const BINARY: &str = env!("CARGO_BIN_EXE_tested-agoge");

/// Timeout for everything that should be immediate, generous enough for a very busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(120);

/// Waits for a process to exit; panics on timeout.
pub fn wait_for_exit(child: &mut Child) -> ExitStatus {
    let end = Instant::now() + TIMEOUT;
    loop {
        if let Some(status) = child.try_wait().expect("the process can be asked") {
            return status;
        }
        if Instant::now() > end {
            let _ = child.kill();
            panic!("the engine does not exit");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// How a program ended, and what it printed.
#[derive(Debug)]
pub struct Ended {
    /// The exit status; `None` after a signal.
    pub code: Option<i32>,
    /// The standard output, if it is a pipe.
    pub stdout: String,
    /// The standard error, if it is a pipe.
    pub stderr: String,
}

impl Ended {
    /// Asserts that the program has ended well.
    pub fn succeed(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Asserts the exit status of a failure, and a part of the message.
    pub fn fail(&self, code: i32, message: &str) {
        assert!(self.code == Some(code) && self.stderr.contains(message), "{message}: {self:?}");
    }
}

/// Waits for a process to exit; panics on timeout, or if it printed anything that is not text.
pub fn finish(mut child: Child) -> Ended {
    fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
        thread::spawn(move || {
            let mut text = String::new();
            if let Some(mut pipe) = pipe {
                pipe.read_to_string(&mut text).expect("text");
            }
            text
        })
    }
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let code = wait_for_exit(&mut child).code();
    Ended { code, stdout: stdout.join().expect("the output"), stderr: stderr.join().expect("the errors") }
}

/// Runs a command to its end with an input, which it need not read.
pub fn run_with_input(command: &mut Command, input: &[u8]) -> Ended {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("the program starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    finish(child)
}

/// Runs the engine with arguments and without input.
pub fn run(arguments: &[&str]) -> Ended {
    run_with_input(Command::new(BINARY).args(arguments), b"")
}

/// Makes a command that does not inherit ignored signals, as from `nohup` or from a shell that runs the tests
/// in the background.
#[cfg(unix)]
pub fn with_default_signals(command: &mut Command) -> &mut Command {
    use nix::sys::signal::{SigHandler, Signal, signal};
    use std::os::unix::process::CommandExt;
    let reset = || {
        for ignored in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
            // SAFETY: this resets signals to the default action; no handler that anything relies on is replaced.
            unsafe { signal(ignored, SigHandler::SigDfl) }?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure only calls signal(2), which is async-signal-safe; it
    // neither allocates nor locks.
    unsafe { command.pre_exec(reset) }
}

/// Sends a signal to a process.
#[cfg(unix)]
pub fn send_signal(id: u32, signal: nix::sys::signal::Signal) {
    let id = i32::try_from(id).expect("a process id");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), signal).expect("a process");
}

/// Whether one of the lines is an error message that contains a text.
pub fn has_error(lines: &[String], part: &str) -> bool {
    let mut errors = lines.iter().filter_map(|line| line.strip_prefix("info string error: "));
    errors.any(|text| text.len() > 3 && text.contains(part))
}

/// The `info` lines with a score.
pub fn reports(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info depth") && line.contains(" score ")).collect()
}

/// The last `info` line with a score.
pub fn last_report(lines: &[String]) -> &str {
    reports(lines).pop().unwrap_or_else(|| panic!("no info in {lines:#?}"))
}

/// The words after a word of a line.
pub fn after<'a>(line: &'a str, word: &str) -> Vec<&'a str> {
    line.split(' ').skip_while(|&other| other != word).skip(1).collect()
}

/// The best move in the last line of a search.
pub fn best_move(lines: &[String]) -> &str {
    let last = lines.last().map_or("", String::as_str);
    last.split_whitespace().nth(1).unwrap_or_else(|| panic!("no move in '{last}'"))
}

/// The last reported node count of a search.
pub fn nodes(lines: &[String]) -> u64 {
    after(last_report(lines), "nodes")[0].parse().expect("a number")
}

/// Sends `commands` to an engine whose output is closed, and `later` after a delay. The engine must exit successfully,
/// without an error message, although its input stays open.
pub fn assert_exits_without_reader(commands: &str, delay: Duration, later: &str) {
    let mut command = Command::new(BINARY);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("the engine starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(commands.as_bytes()).expect("the engine reads");
    // The input stays open: the engine must notice the closed output, at the latest with its next line.
    thread::sleep(delay);
    let _ = stdin.write_all(later.as_bytes());
    let ended = finish(child);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{commands:?}");
}

/// Sends an input and closes it. The engine must exit successfully; returns its output.
pub fn output_after_end_of_input(input: &str) -> Vec<String> {
    let ended = run_with_input(&mut Command::new(BINARY), input.as_bytes());
    assert_eq!(ended.code, Some(0), "{input:?}");
    ended.stdout.lines().map(str::to_owned).collect()
}

/// The number of lines that begin with a text.
pub fn count(lines: &[String], begin: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(begin)).count()
}

/// A running engine, killed when dropped.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    syncs: usize,
    /// The number of the last `ping`, in CECP.
    pub(super) pings: Option<u32>,
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

    /// Starts the engine with an environment variable.
    pub fn with_environment(name: &str, value: &str) -> Self {
        Self::run(Command::new(BINARY).env(name, value))
    }

    /// Starts one engine for each SIMD level that this machine supports.
    pub fn with_each_level() -> Vec<(Level, Self)> {
        let start = |level: Level| {
            let mut client = Self::with_environment("AGOGE_SIMD", level.name());
            let lines = client.ask("version");
            let used = lines.contains(&format!("SIMD level: {level}"));
            assert_eq!(used, level.is_available(), "{level}: {lines:?}");
            used.then_some((level, client))
        };
        Level::ALL.into_iter().filter_map(start).collect()
    }

    /// Starts the engine by a command.
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
        Self { child, stdin, lines, syncs: 0, pings: None }
    }

    /// The process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(&[line.as_bytes(), b"\n"].concat());
    }

    /// Sends lines.
    pub fn send_all(&mut self, lines: &[&str]) {
        lines.iter().for_each(|line| self.send(line));
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the engine reads");
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next line; panics on timeout.
    pub fn line(&self) -> String {
        self.line_within(TIMEOUT).unwrap_or_else(|error| panic!("no line: {error}"))
    }

    /// The next line, if it arrives within a time.
    pub fn line_within(&self, time: Duration) -> Result<String, RecvTimeoutError> {
        self.lines.recv_timeout(time)
    }

    /// All lines up to and including the first one that begins with a word.
    pub fn until(&self, word: &str) -> Vec<String> {
        self.until_matches(word, |line| line.split_whitespace().next() == Some(word))
    }

    /// All lines up to and including the first one that ends with a text.
    pub fn until_end(&self, text: &str) -> Vec<String> {
        self.until_matches(text, |line| line.ends_with(text))
    }

    fn until_matches(&self, wanted: &str, matches: impl Fn(&str) -> bool) -> Vec<String> {
        let end = Instant::now() + TIMEOUT;
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

    /// Sends a line, waits until it has been processed, and returns the output until then. In CECP, if the engine is on
    /// move, this includes its move. Not for use during a search in UCI.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.ready()
    }

    /// Sends lines, none of which may have an answer.
    pub fn silent(&mut self, lines: &[&str]) {
        for line in lines {
            assert_eq!(self.ask(line), [""; 0], "{line}");
        }
    }

    /// Sets an option and returns the output. Not for use during a search.
    pub fn set(&mut self, name: &str, value: impl Display) -> Vec<String> {
        self.ask(&format!("setoption name {name} value {value}"))
    }

    /// Asserts that the only answer to a line is an error message that contains a text.
    pub fn expect_error(&mut self, line: &str, part: &str) {
        let lines = self.ask(line);
        assert!(lines.len() == 1 && has_error(&lines, part), "{line:?}, {part}: {lines:?}");
    }

    /// Sends `isready`, or `ping` in CECP, and returns the output before its answer.
    pub fn ready(&mut self) -> Vec<String> {
        let (question, answer) = match &mut self.pings {
            None => ("isready".to_owned(), "readyok".to_owned()),
            Some(pings) => {
                *pings += 1;
                (format!("ping {pings}"), format!("pong {pings}"))
            }
        };
        self.send(&question);
        let mut lines = self.until_matches(&answer, |line| line.trim_end() == answer);
        lines.pop();
        lines
    }

    /// Sends a unique unknown command and returns the output before the error message about it. Unlike `readyok`, this
    /// message cannot be confused with the answer to another line.
    pub fn sync(&mut self) -> Vec<String> {
        self.syncs += 1;
        let mark = format!("sync{}", self.syncs);
        self.send(&mark);
        let mut lines = self.until_matches(&mark, |line| line.contains(&format!("'{mark}'")));
        lines.pop();
        lines
    }

    /// Sends `go …` and returns the lines up to and including `bestmove`.
    pub fn search(&mut self, go: &str) -> Vec<String> {
        self.send(go);
        self.until("bestmove")
    }

    /// Sends `go …` and returns the best move.
    pub fn best_move(&mut self, go: &str) -> String {
        best_move(&self.search(go)).to_owned()
    }

    /// Begins a new game, sets up a position, as in `startpos` or `fen …`, and searches it.
    pub fn new_search(&mut self, position: &str, go: &str) -> Vec<String> {
        self.send_all(&["ucinewgame", &format!("position {position}")]);
        self.search(go)
    }

    /// Stops a search and returns the lines up to and including `bestmove`.
    pub fn stop(&mut self) -> Vec<String> {
        self.search("stop")
    }

    /// Sends a command and returns the number of nodes of the next perft that ends.
    pub fn perft(&mut self, command: &str) -> u64 {
        self.send(command);
        let last = self.until("Nodes").pop().expect("a line");
        last.strip_prefix("Nodes searched: ").and_then(|count| count.parse().ok()).expect("a number")
    }

    /// The text after a label in the output of `d`.
    pub fn display_field(&mut self, label: &str) -> String {
        let lines = self.ask("d");
        let found = lines.iter().find_map(|line| line.strip_prefix(label)?.strip_prefix(':'));
        found.unwrap_or_else(|| panic!("no '{label}' in {lines:#?}")).trim().to_owned()
    }

    /// The FEN of the current position.
    pub fn fen(&mut self) -> String {
        self.display_field("Fen")
    }

    /// The legal moves of the current position.
    pub fn legal_moves(&mut self) -> Vec<String> {
        self.display_field("Legal moves").split_whitespace().map(str::to_owned).collect()
    }

    /// Asserts that there is no output for a while.
    pub fn expect_no_output(&self, time: Duration) {
        if let Ok(line) = self.line_within(time) {
            panic!("unexpected line '{line}'");
        }
    }

    /// Asserts that the engine responds and that a search returns a legal move.
    pub fn assert_responsive(&mut self) {
        self.ready();
        let moves = self.legal_moves();
        let best = self.best_move("go depth 2");
        assert!(moves.contains(&best) || (moves.is_empty() && best == "(none)"), "{best} is not in {moves:?}");
    }

    /// Waits for the process to exit.
    pub fn wait(&mut self) -> ExitStatus {
        wait_for_exit(&mut self.child)
    }

    /// Sends `quit` and expects a clean exit.
    pub fn quit(mut self) {
        self.send("quit");
        assert!(self.wait().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
