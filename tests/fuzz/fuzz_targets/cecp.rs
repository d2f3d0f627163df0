//! A CECP session: for any input, it continues and ends cleanly.

#![no_main]

use agoge::cecp::Session;
use agoge_fuzz::{CapturedOutput, is_heavy, lines};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

/// Whether a line needs too much memory or too many threads, or accesses files.
fn is_unwanted(line: &str) -> bool {
    let line = line.trim_ascii();
    let (word, rest) = line.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((line, ""));
    match word {
        "memory" => is_heavy("hash", rest),
        "cores" => is_heavy("threads", rest),
        "option" => {
            let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
            is_heavy(name, value)
        }
        _ => false,
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = String::new();
    for line in lines(data).filter(|line| !is_unwanted(line)) {
        input += &line;
        input.push('\n');
    }
    let captured = CapturedOutput::default();
    Session::with_input(Cursor::new(input), captured.output()).expect("memory").run();
    for line in captured.text().lines() {
        assert!(line.len() < 4000, "a line of {} bytes", line.len());
    }
});
