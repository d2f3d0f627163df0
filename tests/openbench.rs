//! The engine as OpenBench's client calls it.

use crate::common::client::{BINARY, Client, has_error, run_with_input};
use agoge_core::board::{Board, Game, Variant};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the engine with arguments in a folder; returns the exit status and the lines of its output, as the client reads
/// them: with those of stderr.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let ended = run_with_input(Command::new(BINARY).args(arguments).current_dir(folder), b"");
    (ended.code, ended.stdout.lines().chain(ended.stderr.lines()).map(str::to_owned).collect())
}

/// The FENs in the lines of `genfens`, as the client reads them.
fn fens(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.strip_prefix("info string genfens ")).collect()
}

#[test]
fn genfens_makes_different_playable_positions() {
    let folder = tempfile::tempdir().expect("a folder");
    let genfens = |seed: u32, more: &str| {
        // The client leaves a blank after the book if there are no further parameters.
        let command = format!("genfens 6 seed {seed} book None {more}");
        let (status, lines) = run(folder.path(), &[&command, "quit"]);
        assert_eq!((status, fens(&lines).len()), (Some(0), 6), "{lines:?}");
        lines
    };
    let lines = genfens(7, "");
    let distinct: HashSet<&str> = fens(&lines).into_iter().collect();
    assert_eq!(distinct.len(), 6);
    for fen in distinct {
        // The client passes on the first four fields, and the two counters.
        assert_eq!(fen.split(' ').count(), 6, "{fen}");
        let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
        assert!(Game::new(board).outcome().is_none(), "{fen}");
    }
    assert_eq!(genfens(7, ""), lines);
    assert_ne!(genfens(2_147_483_647, ""), lines);
    // Endgames have fewer men.
    let men = |lines: &[String]| -> usize {
        fens(lines).iter().map(|fen| fen.split(' ').next().map_or(0, |b| b.matches(char::is_alphabetic).count())).sum()
    };
    assert!(men(&genfens(7, "endgames 100 nodes 100")) < men(&lines));
    assert!(men(&genfens(7, "endgames 0 middlegames 100 nodes 100")) < men(&lines));
}

#[test]
fn genfens_starts_from_a_book() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("Books")).expect("a folder");
    let after = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -";
    fs::write(folder.path().join("Books/a.epd"), format!("# a book\n{after} hmvc 0; fmvn 1;\n")).expect("a book");
    let (status, lines) = run(folder.path(), &["genfens 5 seed 3 book Books/a.epd", "quit"]);
    assert_eq!((status, fens(&lines).len()), (Some(0), 5), "{lines:?}");
    for fen in fens(&lines) {
        let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
        // At most three plies after Black's first move.
        assert!(board.fullmove_number() <= 3 && !fen.starts_with(Variant::Spartan.start_fen()), "{fen}");
    }
    fs::write(folder.path().join("Books/bad.epd"), "nonsense\n").expect("a book");
    for (command, message) in [
        ("genfens 5 seed 3 book Books/none.epd", "Books/none.epd"),
        ("genfens 5 seed 3 book Books/bad.epd", "line 1"),
        ("genfens 5 seed 3 book", "invalid book"),
        ("genfens", "a number of positions"),
        ("genfens 0 seed 3 book None", "a number of positions"),
        ("genfens 5 seed x book None", "invalid seed 'x'"),
        ("genfens 5 seed 3 book None nodes 0", "invalid nodes '0'"),
        ("genfens 5 seed 3 book None endgames 101", "invalid endgames '101'"),
        ("genfens 5 seed 3 book None endgames 60 middlegames 60", "more than 100 percent"),
        ("genfens 5 seed 3 book None colour blue", "'colour'"),
    ] {
        let (status, lines) = run(folder.path(), &[command, "quit"]);
        assert!(status == Some(2) && fens(&lines).is_empty(), "{command}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains(message)), "{command}: {lines:?}");
    }
}

#[test]
fn genfens_works_in_a_session_and_stops() {
    let mut client = Client::start();
    client.set("UCI_Variant", "chess");
    client.send_all(&["genfens 2 seed 1 book None", "isready", "wait", "d"]);
    let lines = client.until("State:");
    let found = fens(&lines);
    assert_eq!(found.len(), 2, "{lines:?}");
    assert!(found.iter().all(|fen| Board::from_fen(fen, Variant::Chess).is_ok()), "{found:?}");
    client.send("genfens 1000000 seed 1 book None");
    assert_eq!(fens(&[client.line()]).len(), 1);
    client.send("stop");
    client.until_end("genfens was stopped");
    client.send("quit");
}

#[test]
fn arguments_with_blanks_are_commands() {
    let here = Path::new(".");
    let (status, lines) = run(here, &["position startpos moves e2e4", "go depth 1", "quit"]);
    assert_eq!(status, Some(0));
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:?}");
    // Nothing is executed if a later command is invalid.
    let (status, lines) = run(here, &["go depth 1", "nonsense"]);
    assert!(status == Some(2) && !lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    let (status, lines) = run(here, &["perft", "2"]);
    assert!(status == Some(0) && lines.iter().any(|line| line == "Nodes searched: 640"), "{lines:?}");
}

#[test]
#[cfg(not(feature = "tune"))]
fn a_normal_build_has_no_parameters_to_tune() {
    let (status, lines) = run(Path::new("."), &["spsa"]);
    assert!(status == Some(2) && has_error(&lines, "build with --features tune"), "{lines:?}");
}
