//! The process of an engine and the lines to and from it.

use super::super::config::EngineConfig;
use super::process::{Input, ProcessGroup};
use super::{Failure, MatchConfig};
use crate::analysis::lock;
use crate::errln;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum length of a line in bytes; the rest is dropped.
pub(super) const MAX_LINE: usize = 16 << 10;

/// The maximum number of queued lines; beyond it the engine has to wait.
const MAX_WAITING: usize = 1024;

/// How long an engine may leave its input unread while the pipe is full.
const SEND_TIME: Duration = Duration::from_secs(5);

/// How long an engine may take to start and to prepare for a game.
pub(super) const START_TIME: Duration = Duration::from_secs(30);

/// How long an engine may take to exit after `quit`.
const QUIT_TIME: Duration = Duration::from_secs(1);

/// How often a waiting thread checks whether the match has been stopped.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// A log of all lines sent and received, with times and engine names.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: Mutex<File>,
    has_failed: AtomicBool,
    begin: Instant,
}

impl Log {
    /// A log in a file with this path, which was opened for writing.
    pub fn new(path: &Path, file: File) -> Self {
        let has_failed = AtomicBool::new(false);
        Self { path: path.to_owned(), file: Mutex::new(file), has_failed, begin: Instant::now() }
    }

    fn write(&self, name: &str, direction: &str, line: &str) {
        let seconds = self.begin.elapsed().as_secs_f64();
        let text = format!("{seconds:.6} {name} {direction} {line}\n");
        // Errors of the log must not affect the match.
        if let Err(error) = lock(&self.file).write_all(text.as_bytes())
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            errln!("{}: {error}; the log is incomplete", self.path.display());
        }
    }
}

/// Why no line was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReceiveError {
    Timeout,
    Closed,
    Stopped,
}

/// A running process with its input and output.
#[derive(Debug)]
pub(super) struct Connection {
    name: String,
    log: Option<Arc<Log>>,
    process: ProcessGroup,
    input: Input,
    lines: Receiver<(Instant, String)>,
    /// A line that arrived after the deadline of the last wait.
    late_line: Option<(Instant, String)>,
    /// The last line on stderr, for the message about a crash.
    last_stderr_line: Arc<Mutex<String>>,
    alive: bool,
}

impl Connection {
    pub(super) fn spawn(config: &EngineConfig, match_config: &MatchConfig) -> Result<Self, Failure> {
        let mut command = Command::new(&config.command);
        command.args(&config.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        let cannot = |error: &dyn fmt::Display| Failure::Crash(format!("{}: {error}", config.command.display()));
        let mut process = ProcessGroup::spawn(&mut command, config.processor).map_err(|error| cannot(&error))?;
        let child = process.child();
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            process.kill();
            return Err(cannot(&"no pipes"));
        };
        let input = match Input::new(stdin) {
            Ok(input) => input,
            Err(error) => {
                process.kill();
                return Err(cannot(&error));
            }
        };
        let (sender, lines) = sync_channel(MAX_WAITING);
        let log = match_config.log.clone().map(|log| (log, config.name.clone()));
        let last_stderr_line = Arc::new(Mutex::new(String::new()));
        let stderr_line = Arc::clone(&last_stderr_line);
        let errors_log = log.clone();
        thread::spawn(move || read_lines(stdout, log.as_ref(), ">", |line| send(&sender, line)));
        thread::spawn(move || {
            read_lines(stderr, errors_log.as_ref(), "!", |line| {
                if !line.trim().is_empty() {
                    *lock(&stderr_line) = line.trim().chars().take(200).collect();
                }
                true
            });
        });
        Ok(Self {
            name: config.name.clone(),
            log: match_config.log.clone(),
            process,
            input,
            lines,
            late_line: None,
            last_stderr_line,
            alive: true,
        })
    }

    /// The name of the engine in messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn is_alive(&self) -> bool {
        self.alive
    }

    pub(super) fn send(&mut self, line: &str) -> Result<(), Failure> {
        if let Some(log) = &self.log {
            log.write(&self.name, "<", line);
        }
        match self.input.write(&format!("{line}\n"), SEND_TIME) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                self.kill();
                Err(Failure::Stall(format!("{} does not read its input", self.name)))
            }
            Err(_) => Err(self.crash()),
        }
    }

    /// Drops all lines that have arrived.
    pub(super) fn discard_lines(&mut self) -> Result<(), Failure> {
        self.late_line = None;
        for _ in 0..MAX_WAITING {
            match self.lines.try_recv() {
                Ok(_) => {}
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Err(self.crash()),
            }
        }
        Ok(())
    }

    /// The next line; `what` describes the expected line in error messages.
    pub(super) fn receive(
        &mut self,
        deadline: Instant,
        what: &str,
        stop: &AtomicBool,
    ) -> Result<(Instant, String), Failure> {
        self.try_receive(deadline, stop).map_err(|error| self.failure(error, what))
    }

    /// The next line that arrived before a deadline.
    pub(super) fn try_receive(
        &mut self,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<(Instant, String), ReceiveError> {
        let mut has_exited = false;
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
                // A child process may keep the output of an engine open that has exited.
                Err(RecvTimeoutError::Timeout) if has_exited => return Err(ReceiveError::Closed),
                // What it has written last may still have to be read.
                Err(RecvTimeoutError::Timeout) => has_exited = self.process.has_exited(),
            }
        };
        if line.0 > deadline {
            // The queue may never be empty, if lines arrive faster than they are processed.
            self.late_line = Some(line);
            return Err(ReceiveError::Timeout);
        }
        Ok(line)
    }

    pub(super) fn failure(&mut self, error: ReceiveError, what: &str) -> Failure {
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
            status = self.process.child().try_wait().ok().flatten();
            if status.is_none() {
                thread::sleep(Duration::from_millis(5));
            }
        }
        self.kill();
        let status =
            status.map_or_else(|| "closed its output".to_owned(), |status| exit_message(self.name.as_str(), status));
        // The last line on stderr may not have been read yet.
        thread::sleep(Duration::from_millis(10));
        let line = lock(&self.last_stderr_line);
        let colon = if line.is_empty() { "" } else { ": " };
        Failure::Crash(format!("{status}{colon}{line}"))
    }

    /// Kills the engine and its child processes.
    pub(super) fn kill(&mut self) {
        if !std::mem::replace(&mut self.alive, false) {
            return;
        }
        self.process.kill();
    }
}

impl Drop for Connection {
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

fn exit_message(name: &str, status: ExitStatus) -> String {
    format!("{name} terminated with {status}")
}

fn send(sender: &SyncSender<(Instant, String)>, line: String) -> bool {
    sender.send((Instant::now(), line)).is_ok()
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
