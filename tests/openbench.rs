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
    fs::write(folder.path().join("Books/chess.epd"), Variant::Chess.start_fen()).expect("a book");
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
        ("genfens 5 seed 3 book my books/none.epd nodes 9", "my books/none.epd: "),
        (
            "genfens 5 seed 3 book Books/chess.epd",
            "line 1: piece placement: this is a position of chess, not of spartan",
        ),
    ] {
        let (status, lines) = run(folder.path(), &[command, "quit"]);
        assert!(status == Some(2) && fens(&lines).is_empty(), "{command}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains(message)), "{command}: {lines:?}");
    }
}

/// Byte order marks, line ends, Latin-1 and damaged lines.
#[test]
fn genfens_reads_books_as_people_have_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let after = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -";
    for (text, skipped) in [
        (format!("\u{feff}{after} 0 1\r\n{after}\r\n").into_bytes(), 0),
        ([b"# Gr\xfcnfeld\n", after.as_bytes(), b" c0 \"\xfc; #\";\n\xef\xbb\xbf# joined\n"].concat(), 0),
        (format!("{after}\nnonsense\n8/8 w\n{after} hmvc 0;\n").into_bytes(), 2),
    ] {
        fs::write(folder.path().join("a.epd"), text).expect("a book");
        let (status, lines) = run(folder.path(), &["genfens 3 seed 3 book a.epd", "quit"]);
        assert_eq!((status, fens(&lines).len()), (Some(0), 3), "{lines:?}");
        let messages = lines.iter().filter(|line| line.starts_with("info string skipped: a.epd, line "));
        assert_eq!((messages.count(), lines.len()), (skipped, 3 + skipped), "{lines:?}");
    }
}

/// On the command line, in one argument or several, and in a session; on Linux also with bytes that are not UTF-8.
#[test]
fn names_of_books_with_blanks() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -\n";
    fs::create_dir(folder.path().join("my  books")).expect("a folder");
    fs::write(folder.path().join("my  books/seed one.epd"), book).expect("a book");
    for arguments in [
        &["genfens 2 seed 1 book my  books/seed one.epd nodes 100", "quit"][..],
        &["genfens 2 seed 1 book my  books/seed one.epd ", "quit"],
        &["genfens 2 seed 1 book \"my  books/seed one.epd\" nodes 100", "quit"],
        &["genfens", "2", "seed", "1", "book", "my  books/seed one.epd", "nodes", "100"],
        &["genfens", "2", "book", "my  books/seed one.epd"],
    ] {
        let (status, lines) = run(folder.path(), arguments);
        assert_eq!((status, fens(&lines).len()), (Some(0), 2), "{arguments:?}: {lines:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_files_that_are_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let start = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -";
    fs::write(folder.path().join(OsStr::from_bytes(b"Gr\xfcn feld.epd")), format!("{start}; e2e4 1\n"))
        .expect("a book");
    fs::write(folder.path().join(OsStr::from_bytes(b"\xff.epd")), format!("{start}\n")).expect("a book");
    let commands = b"setoption name BookFile value Gr\xfcn feld.epd\nsetoption name Debug Log File value \xff log\n\
        genfens 1 book \xff.epd nodes 50\nwait\nexport_net net \xfc.nnue\n\
        setoption name EvalFile value net \xfc.nnue\nsetoption name BookFile value no\xfc\nisready\n";
    let ended = run_with_input(Command::new(BINARY).current_dir(folder.path()), commands);
    let text = ended.stdout;
    assert!(text.contains("the book has 1 position") && text.contains("info string genfens "), "{text}");
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
    assert!(text.contains("the book 'no\\xfc' cannot be used"), "{text}");
    for name in [&b"net \xfc.nnue"[..], b"\xff log"] {
        assert!(folder.path().join(OsStr::from_bytes(name)).exists(), "{name:?}");
    }
    // As arguments.
    let book = OsStr::from_bytes(b"\xff.epd");
    let mut command = Command::new(BINARY);
    let ended = run_with_input(command.args(["genfens", "1", "book"]).arg(book).current_dir(folder.path()), b"");
    assert!(ended.stdout.contains("info string genfens "), "{ended:?}");
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
fn a_normal_build_has_no_parameters_to_tune() {
    let (status, lines) = run(Path::new("."), &["spsa"]);
    assert!(status == Some(2) && has_error(&lines, "build with --features tune"), "{lines:?}");
}
