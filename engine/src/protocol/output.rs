//! The one way out: every line that the engine writes goes through here.

use super::text::quoted;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Where lines go. Lines of several threads never mix, and each is flushed at once.
///
/// A reader that has gone away is not an error worth a message: the first failed write marks the
/// output as closed and tells whoever waits for that, and all later lines are dropped.
pub struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    /// Apart from the writer, so that what is read can be logged while a reader sleeps.
    log: Mutex<Option<File>>,
    is_stdout: bool,
    closed: AtomicBool,
    complained: AtomicBool,
    comments: AtomicBool,
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
            complained: AtomicBool::new(false),
            comments: AtomicBool::new(false),
            on_close: OnceLock::new(),
        }
    }

    /// An output to the standard output.
    pub fn stdout() -> Self {
        Self { is_stdout: true, ..Self::new(io::stdout()) }
    }

    /// Sets what happens once when the reader has gone away. Only the first call has an effect.
    pub fn set_on_close(&self, action: impl Fn() + Send + Sync + 'static) {
        let _ = self.on_close.set(Box::new(action));
    }

    /// Writes notes as CECP has them from now on, and not as UCI does.
    pub fn use_comments(&self) {
        self.comments.store(true, Ordering::Relaxed);
    }

    /// What a note for people begins with.
    fn note_prefix(&self) -> &'static str {
        if self.comments.load(Ordering::Relaxed) { "# " } else { "info string " }
    }

    /// Whether the reader is known to have gone away.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Looks whether the reader has gone away, which else only the next line would find out.
    pub fn look(&self) -> bool {
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

    /// Whether [`Output::error`] was ever needed.
    pub fn has_complained(&self) -> bool {
        self.complained.load(Ordering::Relaxed)
    }

    /// Writes one line, or several at one go. The last line feed is added here.
    pub fn line(&self, text: &str) {
        if self.is_closed() {
            return;
        }
        let mut block = String::with_capacity(text.len() + 1);
        block.push_str(text);
        block.push('\n');
        let mut writer = lock(&self.writer);
        if let Err(complaint) = self.log("<<", text) {
            block.insert_str(0, &format!("{complaint}\n"));
        }
        let written = writer.write_all(block.as_bytes()).and_then(|()| writer.flush());
        drop(writer);
        if written.is_err() {
            self.close();
        }
    }

    /// Writes a note for people.
    pub fn note(&self, text: &str) {
        self.line(&format!("{}{text}", self.note_prefix()));
    }

    /// Writes that something could not be done.
    pub fn error(&self, text: &str) {
        self.line(&self.complaint(text));
    }

    /// The line that says that something could not be done.
    fn complaint(&self, text: &str) -> String {
        self.complained.store(true, Ordering::Relaxed);
        format!("{}error: {text}", self.note_prefix())
    }

    /// Puts a line that was read into the log.
    pub fn log_input(&self, text: &str) {
        if let Err(complaint) = self.log(">>", text) {
            self.line(&complaint);
        }
    }

    /// Writes to the log, if there is one. A log that cannot be written any more, as when the disk
    /// is full, is given up, for which a complaint comes back: it must not disturb the play.
    fn log(&self, direction: &str, text: &str) -> Result<(), String> {
        let mut log = lock(&self.log);
        let Some(file) = log.as_mut() else { return Ok(()) };
        let entry: String = text.lines().map(|line| format!("{direction} {line}\n")).collect();
        file.write_all(entry.as_bytes()).map_err(|error| {
            *log = None;
            self.complaint(&format!("the log ends here: {error}"))
        })
    }

    /// Logs from now on to the end of a file, or nowhere.
    ///
    /// # Errors
    /// Says, for people, that the file cannot be opened; the log stays as it was.
    pub fn set_log(&self, path: Option<&Path>) -> Result<(), String> {
        let open = |path: &Path| {
            let file = if is_pipe(path) {
                Err(io::Error::other("it is a pipe"))
            } else {
                OpenOptions::new().create(true).append(true).open(path)
            };
            file.map_err(|error| format!("cannot write the log file {}: {error}", quoted(&path.to_string_lossy())))
        };
        let log = path.map(open).transpose()?;
        *lock(&self.log) = log;
        Ok(())
    }
}

/// A panic elsewhere leaves nothing half done that matters here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether nobody can read any more what is written to a stream.
#[cfg(unix)]
fn has_no_reader(stream: &impl std::os::fd::AsFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    // Not all systems tell of errors where nothing is asked for.
    let mut streams = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP;
    poll(&mut streams, PollTimeout::ZERO).is_ok() && streams[0].revents().is_some_and(|told| told.intersects(gone))
}

/// Whether nobody can read any more what is written to a stream: not known here.
#[cfg(not(unix))]
fn has_no_reader<T>(_: &T) -> bool {
    false
}

/// Whether a path leads to a named pipe: to open it and to write to it could mean to wait for ever for
/// somebody who reads.
#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|data| data.file_type().is_fifo())
}

/// Whether a path leads to a named pipe.
#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
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
    fn a_closed_output_tells_once() {
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

    /// A pipe that is full until its reader wakes up.
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

    /// Else `stop` would not be obeyed while a search waits to tell something.
    #[test]
    fn a_reader_that_sleeps_does_not_keep_commands_from_being_logged() {
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
