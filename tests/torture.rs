//! Malformed UCI input: the engine reports errors and continues, or exits cleanly.

use crate::common::client::{
    BINARY, Client, assert_exits_without_reader, count, finish, has_error, output_after_end_of_input,
};
use crate::common::{START, positions_lines};
use crate::fen::split;
use agoge_core::board::Variant;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Invalid or unusual lines. The engine must still respond after each of them.
const ODD_LINES: &[&str] = &[
    "",
    " ",
    "\t",
    "\r",
    "#",
    "position",
    "position ",
    "position fen",
    "position fen ",
    "position fen moves",
    "position moves",
    "position moves e2e4",
    "position startpos e2e4",
    "position startpos fen",
    "position startpos moves moves",
    "position startpos moves e2e4 e7e5",
    "position startpos moves e2e4 moves e7c5",
    "position startpos moves 0000",
    "position startpos moves e2e4q",
    "position startpos moves e2e2",
    "position startpos moves E2E4",
    "position startpos moves (none)",
    "position startpos moves e2e4\u{0}",
    "position startpos moves ééé éé",
    "position startpos moves a9a8 i1i2 e2e4e5e6",
    "position sstartpos",
    "setoption",
    "setoption name",
    "setoption name ",
    "setoption value",
    "setoption name value",
    "setoption name Hash",
    "setoption name Hash value",
    "setoption name Hash value ",
    "setoption name Hash value -1",
    "setoption name Hash value 1e3",
    "setoption name Hash value 18446744073709551616",
    "setoption name Threads value 0",
    "setoption name Threads value 100000",
    "setoption name MultiPV value 0",
    "setoption name MultiPV value 1000",
    "setoption name UCI_Variant value",
    "setoption name UCI_Elo value 99999",
    "setoption name Skill Level value -3",
    "setoption name Move Overhead value 5001",
    "setoption name nodestime value -1",
    "setoption name Debug Log File value /",
    "setoption name Debug Log File value /nowhere/x",
    "setoption name Nonsense value nonsense",
    "stop",
    "ponderhit",
    "debug",
    "debug maybe",
    "register",
    "register name",
    "register name x code",
    "perft",
    "perft x",
    "perft -1",
    "perft 1 nonsense",
    "go perft",
    "go perft x",
    "go perft -1",
    "go perft 99999999999999999999x",
    "bench x",
    "bench 0",
    "bench -1",
    "bench 1 0",
    "bench 1 99999",
    "bench 1 1 99999999",
    "bench 1 1 1 1",
    "eval nonsense",
    "speedtest 0",
    "speedtest 1 1 1 1",
    "export_net /no/such/folder/x.nnue",
    "flip now",
    "uciok",
    "readyok",
    "bestmove e2e4",
    "id name x",
    "option name x type check",
    "info depth 1",
    "copyprotection ok",
    "GO",
    "xyzzy",
    "uci\u{feff}",
    "e2e4",
    "isready now",
    "ucinewgame please",
    "d d",
];

#[test]
fn bad_fens_are_refused_and_keep_the_last_position() {
    let mut client = Client::with_arguments(&["--variant", "spartan"]);
    client.ask("position startpos moves e2e4");
    let before = client.fen();
    for (_, line) in positions_lines("invalid.fens") {
        let (fen, _, variant) = split(&line);
        // Followed by `moves` itself, the FEN is valid.
        if variant != Variant::Spartan || fen.contains("moves") {
            continue;
        }
        client.expect_error(&format!("position fen {fen}"), "");
        client.expect_error(&format!("position fen {fen} moves e2e4"), "");
        assert_eq!(client.fen(), before, "{fen:?}");
    }
    client.assert_responsive();
    client.ask("setoption name UCI_Variant value chess");
    assert!(has_error(&client.ask(&format!("position fen {START}")), ""));
    client.assert_responsive();
    client.quit();
}

#[test]
fn the_engine_responds_after_odd_lines() {
    let mut client = Client::start();
    for line in ODD_LINES {
        // "GO" is an infinite search.
        client.send_all(&[line, "stop"]);
        client.sync();
        client.best_move("go depth 1");
        for end in [" ", "\r", "\t \r", " \u{0}"] {
            client.send_all(&[&format!("{line}{end}"), "stop"]);
        }
        client.sync();
    }
    client.send("setoption name UCI_Variant value spartan");
    client.ask("position startpos");
    client.assert_responsive();
    client.quit();
}

#[test]
fn illegal_moves_in_a_list() {
    let mut client = Client::start();
    let good = "e2e4 e7c5 g1f3";
    for bad in ["e4e6", "f3f3", "zzzz", "e1g1", "e2e4", "a7a8q", "f3g5x", "--", "\u{0}", "0-0", "Nf3", "é2é4"] {
        let lines = client.ask(&format!("position startpos moves {good} {bad} a2a3"));
        assert!(has_error(&lines, "") && lines[0].contains("move 4 '"), "{bad:?}: {lines:?}");
        assert_eq!(client.fen(), "lgkcckwl/hhhh1hhh/8/2h5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQ - 1 2", "{bad:?}");
    }
    client.assert_responsive();
}

#[test]
fn line_ends_and_blanks() {
    let mut client = Client::start();
    client.send_bytes(b"isready\r\n");
    client.until("readyok");
    client.send_bytes(b"\r\n\r\n  \t isready \t \r\n");
    client.until("readyok");
    client.send_bytes(b"position\tstartpos\tmoves\te2e4\t\r\ngo\tdepth\t2\t\r\n");
    client.until("bestmove");
    client.send_bytes(b"go depth 2 \r\n");
    client.until("bestmove");
    client.send_bytes(b"go movetime 20 \n");
    client.until("bestmove");
    client.assert_responsive();
}

#[test]
fn bytes_that_are_not_text() {
    let mut client = Client::start();
    for bytes in [
        &b"\0\n"[..],
        b"\0\0\0\0isready\0\n",
        b"\xff\xfe\xfd\n",
        b"\xc3\x28\xa0\xa1 go depth 3\n",
        b"position fen \xff\xff\xff w - - 0 1\n",
        b"position startpos moves \xf0\x28\x8c\x28\n",
        b"setoption name \xff value \xfe\n",
        b"setoption name Debug Log File value /nowhere/\xff\n",
        b"setoption name Debug Log File value \0\n",
        b"go depth \xff\n",
        b"go searchmoves \xff\xff\xff\xff depth 1\n",
        b"\x1b[2J\x07\x08\n",
    ] {
        client.send_bytes(bytes);
        client.send("stop");
        client.sync();
    }
    client.assert_responsive();
    client.quit();
}

#[test]
fn long_lines() {
    for length in [100_000, 1 << 20, 9 << 20] {
        let mut client = Client::start();
        for (start, part) in [
            ("", "x"),
            ("", " "),
            ("uci", " "),
            ("isready ", "x"),
            ("debug ", "on "),
            ("register name ", "x"),
            ("go ", "depth "),
            ("go depth ", "1"),
            ("go depth 1 searchmoves ", "e2e4 "),
            ("go depth 1 ", "nonsense "),
            ("position ", "startpos "),
            ("position fen ", "8/"),
            ("position fen ", "1"),
            ("position fen lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w ", "K"),
            ("position fen lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 ", "1"),
            ("position startpos moves ", "e2e4 "),
            ("position startpos moves ", "moves "),
            ("setoption name ", "Hash "),
            ("setoption name Hash value ", "1"),
            ("setoption name Debug Log File value /", "x"),
            ("perft ", "9"),
            ("bench ", "1 "),
            ("eval ", "8/"),
        ] {
            let line = format!("{start}{}", part.repeat(length / part.len()));
            client.send_all(&[&line, "stop"]);
            let lines = client.sync();
            let longest = lines.iter().map(String::len).max().unwrap_or(0);
            assert!(longest < 2000, "{start} {part}: an answer of {longest} bytes");
        }
        client.ask("position startpos");
        client.assert_responsive();
        client.quit();
    }
}

#[test]
fn a_very_long_game() {
    // A quarter of a million plies overflows 16-bit counters.
    let mut client = Client::start();
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(1 << 16);
    client.silent(&[&format!("position startpos moves {moves}")]);
    assert_eq!(client.display_field("State"), "fifty-move rule");
    client.assert_responsive();
    client.ask("position fen 4k3/7h/8/8/8/8/8/4K2R w K - 65535 65535 moves h1h2 e8e7 h2h3 e7e8");
    client.assert_responsive();
    client.quit();
}

#[test]
fn the_input_ends() {
    for last in [
        "",
        "uci\n",
        "isready",
        "go infinite\n",
        "go infinite",
        "go ponder wtime 1000 btime 1000\n",
        "go wtime 100000 btime 100000\n",
        "go depth 100\n",
        "position startpos moves e2e4",
        "go infinite\nposition startpos\ngo infinite\n",
        "bench 1 1 1",
        "perft 4",
    ] {
        let answers = count(&output_after_end_of_input(last), "bestmove");
        assert_eq!(answers, last.matches("go ").count(), "{last:?}");
    }
}

#[test]
fn the_reader_goes_away() {
    for commands in [
        "isready\n",
        "uci\n",
        "d\n",
        "go depth 4\n",
        "go infinite\n",
        "setoption name MultiPV value 5\ngo infinite\n",
        "bench 3\n",
        "perft 3\n",
        "help\ngo infinite\n",
    ] {
        assert_exits_without_reader(commands, Duration::from_millis(30), "stop\nisready\n");
    }
}

#[test]
fn closed_output_of_command_line_runs() {
    for arguments in [&["--help"][..], &["--version"], &["bench", "2"], &["perft", "4"], &["go", "infinite"]] {
        let mut command = Command::new(BINARY);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        drop(child.stdout.take());
        let ended = finish(child);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
