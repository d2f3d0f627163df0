//! A conversation in UCI: whatever is said, each `go` has exactly one answer, and the end is a clean one.

#![no_main]

use agoge::board::Variant;
use agoge::protocol::command::{self, Command};
use agoge::protocol::uci::{Flow, Session};
use agoge_fuzz::{Heard, is_heavy, lines};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let mut input = String::new();
    let mut searches = 0;
    let mut end = Flow::Quit;
    for line in lines(data) {
        match command::parse(&line) {
            Ok(Command::SetOption { name, value }) if is_heavy(&name, value) => continue,
            Ok(Command::Perft { depth, .. }) if depth > 2 => continue,
            // They take long, and nothing depends on the input; or they write files.
            Ok(Command::Bench { .. } | Command::SpeedTest { .. } | Command::ExportNet { .. }) => continue,
            Ok(Command::Go(_)) => searches += 1,
            Ok(Command::Xboard) => end = Flow::Xboard,
            _ => {}
        }
        input += &line;
        input.push('\n');
        if matches!(command::parse(&line), Ok(Command::Quit | Command::Xboard)) {
            break;
        }
    }
    // A search without an end is waited for until this is heard.
    input += "quit\n";
    let heard = Heard::default();
    let mut session = Session::new(Variant::Spartan, heard.output()).expect("memory");
    session.detect_variant();
    assert_eq!(session.run(Cursor::new(input)), end);
    let text = heard.text();
    let answers = text.lines().filter(|line| line.starts_with("bestmove ")).count();
    assert_eq!(answers, searches, "{text}");
});
