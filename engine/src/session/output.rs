//! The output: every line that the engine writes goes through here.

use agoge_core::files::{check_writable, to_text};
use agoge_core::text::quoted;
use agoge_core::uci::{self, Output as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Writes lines. Lines of several threads never mix, and each is flushed at once.
///
/// A closed pipe is not reported as an error: the first failed write marks the output as closed and calls the action of
/// [`Output::set_on_close`]; later lines are discarded.
pub struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    /// Not under the lock of the writer, so that input can be logged while a write blocks.
    log: Mutex<Option<File>>,
    is_stdout: bool,
    closed: AtomicBool,
    /// Why the first line that was lost could not be written.
    failure: OnceLock<io::Error>,
    had_error: AtomicBool,
    cecp_notes: AtomicBool,
    on_close: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Output {
    /// An output that writes to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        Self {
            writer: Mutex::new(Box::new(writer)),
            log: Mutex::new(None),
            is_stdout: false,
            closed: AtomicBool::new(false),
            failure: OnceLock::new(),
            had_error: AtomicBool::new(false),
            cecp_notes: AtomicBool::new(false),
            on_close: OnceLock::new(),
        }
    }

    /// An output to the standard output.
    pub fn stdout() -> Self {
        Self { is_stdout: true, ..Self::new(io::stdout()) }
    }

    /// Sets an action that is called once when the output is closed. Only the first call has an effect.
    pub fn set_on_close(&self, action: impl Fn() + Send + Sync + 'static) {
        let _ = self.on_close.set(Box::new(action));
    }

    /// Writes notes in the format of CECP from now on, instead of that of UCI.
    pub fn use_cecp_notes(&self) {
        self.cecp_notes.store(true, Ordering::Relaxed);
    }

    /// The prefix of a note.
    fn note_prefix(&self) -> &'static str {
        if self.cecp_notes.load(Ordering::Relaxed) { "# " } else { "info string " }
    }

    /// Checks whether the reader has closed the output, which otherwise only the next write would notice.
    pub fn check_closed(&self) -> bool {
        if self.is_stdout && !self.is_closed() && has_no_reader(&io::stdout()) {
            self.close();
        }
        self.is_closed()
    }

    fn close(&self) {
        if !self.closed.swap(true, Ordering::Relaxed)
            && let Some(action) = self.on_close.get()
        {
            action();
        }
    }

    /// Why lines could not be written, unless the reader has closed a pipe.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// Whether an error was ever written.
    pub fn had_error(&self) -> bool {
        self.had_error.load(Ordering::Relaxed)
    }

    /// The line of an error message.
    fn error_line(&self, text: &str) -> String {
        self.had_error.store(true, Ordering::Relaxed);
        format!("{}error: {text}", self.note_prefix())
    }

    /// Logs an input line.
    pub fn log_input(&self, text: &str) {
        if let Err(error) = self.log(">>", text) {
            self.line(&error);
        }
    }

    /// Writes to the log, if there is one. If that fails, as on a full disk, logging stops and the line of the error
    /// message is returned: play must go on.
    fn log(&self, direction: &str, text: &str) -> Result<(), String> {
        let mut log = lock(&self.log);
        let Some(file) = log.as_mut() else { return Ok(()) };
        let entry: String = text.lines().map(|line| format!("{direction} {line}\n")).collect();
        file.write_all(entry.as_bytes()).map_err(|error| {
            *log = None;
            self.error_line(&format!("logging stopped: {error}"))
        })
    }

    /// Appends the log to a file from now on; `None` stops logging.
    ///
    /// # Errors
    /// If the file cannot be opened; the error is a message for the user, and the log is unchanged.
    pub fn set_log(&self, path: Option<&Path>) -> Result<(), String> {
        let open = |path: &Path| {
            // Opening or writing a pipe or a terminal could block forever.
            let allowed = std::fs::metadata(path).map_or(Ok(()), |data| check_writable(&data));
            let file = allowed.and_then(|()| OpenOptions::new().create(true).append(true).open(path));
            file.map_err(|error| {
                format!("cannot write the log file {}: {error}", quoted(&to_text(path.as_os_str().as_encoded_bytes())))
            })
        };
        let log = path.map(open).transpose()?;
        *lock(&self.log) = log;
        Ok(())
    }
}

impl uci::Output for Output {
    fn line(&self, text: &str) {
        if self.is_closed() {
            return;
        }
        let mut block = String::with_capacity(text.len() + 1);
        block.push_str(text);
        block.push('\n');
        let mut writer = lock(&self.writer);
        if let Err(error) = self.log("<<", text) {
            block.insert_str(0, &format!("{error}\n"));
        }
        let written = writer.write_all(block.as_bytes()).and_then(|()| writer.flush());
        drop(writer);
        if let Err(error) = written {
            let _ = self.failure.set(error);
            self.close();
        }
    }

    fn format(&self, message: &uci::Message) -> String {
        crate::uci::write(message)
    }

    fn note(&self, text: &str) {
        self.line(&format!("{}{text}", self.note_prefix()));
    }

    fn error(&self, text: &str) {
        self.line(&self.error_line(text));
    }

    /// Whether the reader is known to have closed the output.
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Ignores poisoning: a panic in another thread leaves the data usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the reading end of a stream is closed.
#[cfg(unix)]
fn has_no_reader(stream: &impl std::os::fd::AsFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    // Not all systems report errors if no event is requested.
    let mut streams = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP;
    poll(&mut streams, PollTimeout::ZERO).is_ok() && streams[0].revents().is_some_and(|events| events.intersects(gone))
}

/// Whether the reading end of a stream is closed: unknown on this system.
#[cfg(not(unix))]
fn has_no_reader<T>(_: &T) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::{self, Receiver, Sender};
    use std::thread;
    use std::time::Duration;

    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn closing_calls_the_action_once() {
        let output = Output::new(Broken);
        let calls = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&calls);
        output.set_on_close(move || {
            seen.fetch_add(1, Ordering::Relaxed);
        });
        assert!(!output.is_closed());
        output.line("a");
        output.line("b");
        assert!(output.is_closed());
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }

    /// A pipe that is full until its reader resumes.
    struct Full {
        tried: Sender<()>,
        awake: Receiver<()>,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.tried.send(());
            let _ = self.awake.recv();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Otherwise `stop` would not be handled while a search waits to write a line.
    #[test]
    fn a_blocked_write_does_not_block_logging_of_commands() {
        const PATIENCE: Duration = Duration::from_secs(30);
        let (tried, trying) = mpsc::channel();
        let (wake_up, awake) = mpsc::channel();
        let output = Arc::new(Output::new(Full { tried, awake }));
        let (writer, reader) = (Arc::clone(&output), Arc::clone(&output));
        let writing = thread::spawn(move || writer.line("info depth 1"));
        trying.recv_timeout(PATIENCE).expect("it is written");
        let (logged, has_logged) = mpsc::channel();
        thread::spawn(move || {
            reader.log_input("stop");
            let _ = logged.send(());
        });
        assert_eq!(has_logged.recv_timeout(PATIENCE), Ok(()));
        drop(wake_up);
        writing.join().expect("it was written");
    }
}
