//! A conversation in the protocol of XBoard: whatever is said, it goes on, and the end is a clean one.

#![no_main]

use agoge::protocol::cecp::Session;
use agoge_fuzz::{Heard, is_heavy, lines};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

/// Whether a line costs too much memory, threads or files.
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
    let heard = Heard::default();
    Session::listen(Cursor::new(input), heard.output()).expect("memory").run();
    for line in heard.text().lines() {
        assert!(line.len() < 4000, "a line of {} bytes", line.len());
    }
});
