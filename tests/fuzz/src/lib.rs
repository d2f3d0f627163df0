//! Shared by the targets: in-memory sessions, and input that is excluded.

use agoge::session::Output;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// An output that captures everything in memory.
#[derive(Clone, Default)]
pub struct CapturedOutput(Arc<Mutex<Vec<u8>>>);

impl CapturedOutput {
    /// The captured text.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(bytes.clone()).expect("the engine writes UTF-8")
    }

    /// An engine output that writes to this buffer.
    pub fn output(&self) -> Arc<Output> {
        Arc::new(Output::new(self.clone()))
    }
}

impl Write for CapturedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines of an input as the engine reads them.
pub fn lines(data: &[u8]) -> impl Iterator<Item = String> {
    data.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned())
}

/// Whether an option accesses files, or needs so much memory or so many threads that it would slow fuzzing down.
pub fn is_heavy(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    match name.trim() {
        "debug log file" | "evalfile" | "bookfile" => true,
        "hash" => digits > 2,
        "threads" => digits > 1,
        _ => false,
    }
}
