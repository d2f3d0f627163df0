//! A UCI session: for any input, each `go` has exactly one answer and the session ends cleanly.

#![no_main]

use agoge_core::board::Variant;
use agoge::session::{Flow, Session};
use agoge::uci::parse;
use agoge_core::uci::{Command, Task};
use agoge_fuzz::{CapturedOutput, is_heavy, lines};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let mut input = String::new();
    let mut searches = 0;
    let mut end = Flow::Quit;
    for line in lines(data) {
        match parse(&line) {
            Ok(Command::SetOption { name, value }) if is_heavy(&name, &value) => continue,
            Ok(Command::Task(Task::Perft { depth, .. })) if depth > 2 => continue,
            // These take long without depending on the input, or write files.
            Ok(Command::Task(Task::Bench(_) | Task::GenFens(_)) | Command::ExportNet(_)) => continue,
            Ok(Command::Go(_)) => searches += 1,
            Ok(Command::Xboard) => end = Flow::Xboard,
            _ => {}
        }
        input += &line;
        input.push('\n');
        if matches!(parse(&line), Ok(Command::Quit | Command::Xboard)) {
            break;
        }
    }
    // `quit` ends infinite searches.
    input += "quit\n";
    let captured = CapturedOutput::default();
    let mut session = Session::new(Variant::Spartan, captured.output()).expect("memory");
    session.enable_variant_detection();
    assert_eq!(session.run(Cursor::new(input)), end);
    let text = captured.text();
    let answers = text.lines().filter(|line| line.starts_with("bestmove ")).count();
    assert_eq!(answers, searches, "{text}");
});
