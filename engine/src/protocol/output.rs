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
    sink: Mutex<Sink>,
    closed: AtomicBool,
    complained: AtomicBool,
    comments: AtomicBool,
    on_close: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

struct Sink {
    writer: Box<dyn Write + Send>,
    log: Option<File>,
}

impl Output {
    /// An output that writes to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        let sink = Sink { writer: Box::new(writer), log: None };
        Self {
            sink: Mutex::new(sink),
            closed: AtomicBool::new(false),
            complained: AtomicBool::new(false),
            comments: AtomicBool::new(false),
            on_close: OnceLock::new(),
        }
    }

    /// An output to the standard output.
    pub fn stdout() -> Self {
        Self::new(io::stdout())
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

    /// Whether the reader has gone away.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
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
        let mut sink = self.lock();
        sink.log("<<", text, self.note_prefix());
        let written = sink.writer.write_all(block.as_bytes()).and_then(|()| sink.writer.flush());
        drop(sink);
        if written.is_err()
            && !self.closed.swap(true, Ordering::Relaxed)
            && let Some(action) = self.on_close.get()
        {
            action();
        }
    }

    /// Writes a note for people.
    pub fn note(&self, text: &str) {
        self.line(&format!("{}{text}", self.note_prefix()));
    }

    /// Writes that something could not be done.
    pub fn error(&self, text: &str) {
        self.complained.store(true, Ordering::Relaxed);
        self.note(&format!("error: {text}"));
    }

    /// Puts a line that was read into the log.
    pub fn log_input(&self, text: &str) {
        self.lock().log(">>", text, self.note_prefix());
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
        self.lock().log = log;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Sink> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

impl Sink {
    /// Writes to the log, if there is one. A log that cannot be written any more, as when the disk
    /// is full, is given up: it must not disturb the play.
    fn log(&mut self, direction: &str, text: &str, note_prefix: &str) {
        let Some(log) = &mut self.log else { return };
        let entry: String = text.lines().map(|line| format!("{direction} {line}\n")).collect();
        if let Err(error) = log.write_all(entry.as_bytes()) {
            self.log = None;
            // A reader that has gone away is noticed by the line that follows.
            let _ = writeln!(self.writer, "{note_prefix}error: the log ends here: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

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
}
