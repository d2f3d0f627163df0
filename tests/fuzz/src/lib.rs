//! What the targets share: conversations in memory, and what must not be said in them.

use agoge::protocol::Output;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// An output whose lines can be looked at.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<u8>>>);

impl Heard {
    /// What was written so far.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(bytes.clone()).expect("the engine writes UTF-8")
    }

    /// An output that writes here.
    pub fn output(&self) -> Arc<Output> {
        Arc::new(Output::new(self.clone()))
    }
}

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines of an input as the engine will read them.
pub fn lines(data: &[u8]) -> impl Iterator<Item = String> {
    data.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned())
}

/// Whether an option touches files, or takes so much memory or so many threads that the fuzzer would
/// learn nothing but that.
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
