//! UCI with the real binary: the handshake, options, variants, the log and positions.

#[cfg(unix)]
use crate::common::client::{BINARY, finish, run_with_input};
use crate::common::client::{Client, after, has_error, nodes};
use crate::common::{CHESS_START, FOOLS_MATE, START};
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::time::Duration;

// ---- the handshake

#[test]
fn uci_prints_name_options_and_uciok() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.until("uciok");
    assert!(lines[0].starts_with("id name Agoge "));
    assert!(lines[1].starts_with("id author "));
    for option in [
        "option name Hash type spin default 16 min 1 max 1048576",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max 1024",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max 500",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name nodestime type spin default 0 min 0 max 10000",
        "option name Slow Mover type spin default 100 min 10 max 1000",
        "option name OwnBook type check default false",
        "option name BookVariety type spin default 10 min 0 max 100",
        "option name BookFile type string default <empty>",
        "option name UCI_Variant type combo default spartan var spartan var chess var standard",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1500 min 900 max 4295",
        "option name Skill Level type spin default 20 min 0 max 20",
        "option name Use NNUE type check default true",
        "option name EvalFile type string default <empty>",
        "option name TablePath type string default <empty>",
        "option name TableProbeLimit type spin default 5 min 0 max 5",
        "option name TableProbeDepth type spin default 1 min 1 max 100",
        "option name Debug Log File type string default <empty>",
    ] {
        assert!(lines.iter().any(|line| line == option), "'{option}' is not in {lines:#?}");
    }
    assert!(!lines.iter().any(|line| line.contains("Chess960")));
    client.quit();
}

/// Windows PowerShell begins what it writes to a program with a byte order mark, and so do editors.
#[test]
fn lines_with_a_byte_order_mark() {
    let mut client = Client::start();
    client.send("\u{feff}uci");
    client.until("uciok");
    client.silent(&[
        "\u{feff}",
        "\u{feff}position startpos moves e2e4",
        "\u{feff}\u{feff}setoption name MultiPV value 2",
    ]);
    assert!(client.fen().contains(" b "));
    assert_eq!(crate::common::client::output_after_end_of_input("\u{feff}isready\n"), ["readyok"]);
}

#[test]
fn there_is_no_unsolicited_output() {
    let mut client = Client::start();
    client.expect_no_output(Duration::from_millis(200));
    client.silent(&["debug on", "debug off", "ucinewgame", "position startpos", "setoption name Hash value 8"]);
    client.silent(&["# a comment", "", "stop", "ponderhit"]);
    client.best_move("go depth 1");
    client.silent(&["stop", "ponderhit"]);
    client.assert_responsive();
}

#[test]
fn unknown_commands_are_named() {
    let mut client = Client::start();
    assert_eq!(client.ask("castle"), ["info string error: unknown command 'castle' (try help)"]);
    assert!(client.ask("help").len() > 10);
    assert!(client.ask("version")[0].starts_with("Agoge "));
    assert_eq!(client.ask("version"), client.ask("compiler"));
    assert_eq!(client.ask("register later"), ["info string no registration is needed"]);
}

// ---- options

#[test]
fn options_before_uci_and_in_any_case() {
    let mut client = Client::start();
    client.silent(&[
        "setoption name threads value 2",
        "setoption name HASH value 1",
        "setoption name clear hash value true",
        "setoption name Clear Hash",
        "setoption  name\tMove   Overhead  value  30 ",
        "setoption name Ponder value true",
        "setoption name multipv value 2",
        "setoption name UCI_SHOWWDL value TRUE",
    ]);
    client.send("uci");
    client.until("uciok");
    let lines = client.search("go depth 8");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ") && line.contains(" wdl ")), "{lines:#?}");
    client.assert_responsive();
}

/// Otherwise a search that is less deep than the one before would again need few nodes.
#[test]
fn clear_hash_clears_the_table() {
    let mut client = Client::start();
    client.search("go depth 12");
    let again = nodes(&client.search("go depth 8"));
    client.silent(&["setoption name clear hash value true"]);
    let cleared = nodes(&client.search("go depth 8"));
    assert!(2 * again < cleared, "{again} nodes, then {cleared}");
    client.assert_responsive();
}

#[test]
fn bad_options_are_ignored_with_a_message() {
    let mut client = Client::start();
    client.set("MultiPV", 2);
    client.set("UCI_ShowWDL", true);
    for (line, part) in [
        ("setoption name MultiPV value 0", ""),
        ("setoption name MultiPV value 501", ""),
        ("setoption name MultiPV value three", ""),
        ("setoption name MultiPV", ""),
        ("setoption name UCI_ShowWDL value no", ""),
        ("setoption name UCI_ShowWDL value 2", "true or false"),
        ("setoption name MultiPVs value 5", ""),
        ("setoption name UCI_Chess960 value true", "unknown option 'UCI_Chess960'"),
        ("setoption name Hash value 0", "Hash"),
        ("setoption name Hash value 99999999999999999999", "Hash"),
        // More than the memory.
        ("setoption name Hash value 1048576", ""),
        ("setoption name Threads value many", "Threads"),
        ("setoption name Threads", "Threads"),
        ("setoption name UCI_Variant value crazyhouse", ""),
        ("setoption name UCI_Variant value shogi", "spartan or chess"),
        ("setoption", "name"),
    ] {
        client.expect_error(line, part);
    }
    // The old values are kept.
    let lines = client.search("go depth 2");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ") && line.contains(" wdl ")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains(" multipv 3 ")), "{lines:#?}");
    assert_eq!(client.fen(), START);
    client.assert_responsive();
}

/// The lines that fairyfishnet, which plays and analyses for PyChess, sends for Spartan Chess and for chess.
#[test]
fn fairyfishnet() {
    let mut client = Client::start();
    client.send("uci");
    client.until("uciok");
    client.silent(&["setoption name threads value 2", "setoption name hash value 16"]);
    client.ready();
    for (variant, fen, moves) in [("spartan", START, "e2e4 e7c5"), ("chess", CHESS_START, "e2e4 e7e5")] {
        for level in ["-4", "0", "3", "20", "-20"] {
            client
                .silent(&["setoption name VariantPath value variants.ini", "setoption name UCI_Chess960 value false"]);
            let lines = client.ask(&format!("setoption name UCI_Variant value {variant}"));
            assert!(!has_error(&lines, ""), "{lines:?}");
            client.silent(&[&format!("setoption name Skill Level value {level}")]);
            client.silent(&["setoption name UCI_AnalyseMode value False", "ucinewgame"]);
            let lines = client.new_search(&format!("fen {fen} moves {moves}"), "go movetime 50 depth 1");
            assert!(
                lines.iter().all(|line| line.starts_with("info depth ") || line.starts_with("bestmove ")),
                "{lines:?}"
            );
            client.silent(&[&format!("position fen {fen} moves ")]);
            let clock = "go movetime 50 depth 1 wtime 60000 btime 60000 winc 1000 binc 1000";
            assert_ne!(client.best_move(clock), "(none)");
            assert_eq!(client.fen(), fen);
        }
        client.silent(&[
            "setoption name Skill Level value 20",
            "setoption name UCI_AnalyseMode value true",
            "ucinewgame",
        ]);
        let lines = client.new_search(&format!("fen {fen} moves {moves}"), "go movetime 4000 nodes 20000");
        assert!(lines.iter().any(|line| line.contains(" score cp ")), "{lines:?}");
    }
    client.assert_responsive();
}

/// Other clients of Fairy-Stockfish set options that this engine need not have, and values that it does not list.
#[test]
fn values_of_fairy_stockfish() {
    let mut client = Client::start();
    client.silent(&[
        "setoption name SyzygyPath value /no/tables",
        "setoption name Protocol value uci",
        "setoption name variantpath value <empty>",
        "setoption name MultiPV value 500",
        "setoption name MultiPV value 1",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 500",
    ]);
    // The weakest level searches 50 nodes.
    assert!(nodes(&client.search("go depth 20")) < 100);
    client.silent(&["setoption name UCI_LimitStrength value false", "setoption name Skill Level value -20"]);
    assert!(nodes(&client.search("go depth 20")) < 100);
    for line in [
        "UCI_Elo value 499",
        "UCI_Elo value 4296",
        "Skill Level value -21",
        "Skill Level value 21",
        "MultiPV value 501",
    ] {
        client.expect_error(&format!("setoption name {line}"), "takes a number from");
    }
    client.expect_error("setoption name UCI_Chess960 value true", "unknown option");
}

#[test]
fn multipv_and_wdl() {
    let mut client = Client::start();
    client.set("MultiPV", 3);
    client.set("UCI_ShowWDL", true);
    let lines = client.search("go depth 3");
    for rank in [" multipv 1 ", " multipv 2 ", " multipv 3 "] {
        let line = lines.iter().rfind(|line| line.contains(rank)).unwrap_or_else(|| panic!("no{rank}in {lines:#?}"));
        let wdl = &after(line, "wdl")[..3];
        assert_eq!(wdl.iter().map(|word| word.parse::<u32>().expect("a number")).sum::<u32>(), 1000);
    }
}

#[test]
fn variants() {
    let mut client = Client::start();
    assert_eq!(client.fen(), START);
    // Cute Chess sets a variant only if the engine lists it under Cute Chess's own name, `standard`.
    for name in ["chess", "standard"] {
        let chess = "info string variant chess files 8 ranks 8 pocket 0 template chess startpos";
        assert_eq!(client.set("UCI_Variant", name), [format!("{chess} {CHESS_START}")]);
        assert_eq!(client.fen(), CHESS_START);
        client.assert_responsive();
        client.ask("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1");
        assert!(client.fen().starts_with("r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq"));
        assert_eq!(
            client.ask("setoption name uci_variant value Spartan"),
            [format!("info string variant spartan files 8 ranks 8 pocket 0 template fairy startpos {START}")]
        );
        assert_eq!(client.fen(), START);
        client.assert_responsive();
    }
}

/// A GUI that has set the wrong variant sends orthodox positions.
#[test]
fn every_command_is_answered_after_a_fen_of_the_other_variant() {
    let foreign = format!("position fen {CHESS_START} moves e2e4 e7e5");
    for (command, answer) in [
        ("isready", "readyok"),
        ("uci", "uciok"),
        ("go depth 3", "bestmove"),
        ("go movetime 20", "bestmove"),
        ("go infinite\nstop", "bestmove"),
        ("go ponder wtime 100 btime 100\nponderhit", "bestmove"),
        ("d", "State:"),
        ("eval\nisready", "readyok"),
        ("go perft 2", "Nodes"),
        ("ucinewgame\nisready", "readyok"),
    ] {
        // As the first command, and a second time.
        let mut client = Client::with_arguments(&["--variant=spartan"]);
        for _ in 0..2 {
            client.expect_error(&foreign, "piece placement");
            client.send(command);
            client.until(answer);
        }
        assert_eq!(client.fen(), START, "{command}");
        client.assert_responsive();
        client.quit();
    }
    // The last position stays, too.
    let mut client = Client::with_arguments(&["--variant", "spartan"]);
    client.ask("position startpos moves e2e4");
    let before = client.fen();
    client.expect_error(&format!("position fen {CHESS_START}"), "piece placement");
    assert_eq!(client.fen(), before);
    client.assert_responsive();
}

// ---- variant detection

/// The engine's output when a position changes the variant.
fn changed_to(name: &str) -> Vec<String> {
    let (other, template, start) =
        if name == "chess" { ("spartan", "chess", CHESS_START) } else { ("chess", "fairy", START) };
    vec![
        format!("info string this is {name}, not {other}: UCI_Variant is {name} from now on"),
        format!("info string variant {name} files 8 ranks 8 pocket 0 template {template} startpos {start}"),
    ]
}

/// Cute Chess and other programs without Spartan Chess do not set the variant for orthodox chess.
#[test]
fn a_position_of_the_other_variant_changes_the_variant() {
    let mut client = Client::start();
    client.silent(&["position startpos moves e2e4"]);
    assert_eq!(client.ask("position startpos moves e2e4 e7e5"), changed_to("chess"));
    assert_eq!(client.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    client.assert_responsive();
    // The variant stays, also in new games.
    client.silent(&["ucinewgame", "position startpos moves d2d4 d7d5 c2c4", "position startpos"]);
    assert_eq!(client.fen(), CHESS_START);
    assert_eq!(client.ask("position startpos moves d2d4 h7f5"), changed_to("spartan"));
    assert_eq!(client.ask(&format!("position fen {CHESS_START} moves d2d4")), changed_to("chess"));
    assert_eq!(client.ask(&format!("position fen {START}")), changed_to("spartan"));
    // Positions that are valid in both variants or in neither do not change it.
    client.silent(&["position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1"]);
    client.expect_error("position startpos moves e2e4 e7e5 e4e5", "move 2 'e7e5'");
    client.expect_error("position fen rnbqkbnr/hhhhhhhh/8/8/8/8/8/8 w - - 0 1", "piece placement");
    client.expect_error("position fen nonsense", "FEN");
    // Other commands accept positions of both variants.
    assert_eq!(client.perft(&format!("perft 2 {CHESS_START}")), 400);
    assert!(!client.ask(&format!("eval {CHESS_START}")).iter().any(|line| line.contains("error")));
    client.ask("position startpos");
    assert_eq!(client.fen(), START);
    client.quit();
}

#[test]
fn a_search_is_answered_before_the_variant_changes() {
    let mut client = Client::start();
    client.send("go infinite");
    let lines = client.ask("position startpos moves e2e4 e7e5");
    let best = lines.iter().position(|line| line.starts_with("bestmove ")).expect("an answer");
    assert_eq!(lines[best + 1..], changed_to("chess"));
    client.quit();
}

#[test]
fn a_variant_that_was_set_stays() {
    for (arguments, option) in
        [(&["--variant", "spartan"][..], ""), (&[][..], "setoption name UCI_Variant value spartan")]
    {
        let mut client = Client::with_arguments(arguments);
        client.ask(option);
        client.expect_error("position startpos moves e2e4 e7e5", "move 2 'e7e5'");
        client.expect_error(&format!("eval {CHESS_START}"), "piece placement");
        client.ask("position startpos");
        assert_eq!(client.fen(), START);
    }
    let mut client = Client::with_arguments(&["--variant", "chess"]);
    client.send("uci");
    let option = "option name UCI_Variant type combo default chess var spartan var chess var standard";
    assert!(client.until("uciok").iter().any(|line| line == option));
    client.expect_error("position startpos moves e2e4 h7f5", "move 2 'h7f5'");
}

#[cfg(unix)]
#[test]
fn an_executable_named_agoge_chess() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let link = folder.path().join("agoge-chess");
    std::os::unix::fs::symlink(BINARY, &link).expect("a link");
    let mut client = Client::run(&mut Command::new(&link));
    client.send("uci");
    assert!(client.until("uciok").iter().any(|line| line.contains("UCI_Variant type combo default chess ")));
    client.ask("position startpos moves e2e4");
    assert_eq!(client.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    // The variant has not been set explicitly.
    assert_eq!(client.ask(&format!("position fen {START}")), changed_to("spartan"));
    client.quit();
    let mut client = Client::run(Command::new(&link).args(["--variant", "spartan"]));
    assert_eq!(client.fen(), START);
    client.quit();
    let perft = run_with_input(Command::new(&link).args(["perft", "3"]), b"");
    assert!(perft.stdout.ends_with("\nNodes searched: 8902\n"));
}

// ---- terminal and log

/// The engine prints a greeting when started in a terminal.
#[cfg(unix)]
#[test]
fn a_terminal_gets_a_greeting() {
    use std::io::Write;
    let started = |arguments: &[&str]| {
        let terminal = nix::pty::openpty(None, None).expect("a terminal");
        let mut command = Command::new(BINARY);
        let piped = command.args(arguments).stdin(terminal.slave).stdout(Stdio::piped());
        let child = piped.spawn().expect("the engine starts");
        std::fs::File::from(terminal.master.try_clone().expect("a terminal")).write_all(b"quit\n").expect("it reads");
        let ended = finish(child);
        assert_eq!(ended.code, Some(0));
        ended.stdout
    };
    for (arguments, variant) in [(&[][..], "spartan"), (&["--variant", "chess"], "chess")] {
        let output = started(arguments);
        assert_eq!(output.lines().count(), 1, "{output}");
        assert!(output.starts_with("Agoge ") && output.contains(&format!("variant {variant}; type help ")), "{output}");
    }
    assert_eq!(started(&["uci"]), "");
}

#[test]
fn the_log_has_both_directions() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut client = Client::start();
    client.set("Debug Log File", file.path().display());
    client.best_move("go depth 1");
    // An invalid path leaves the old log in use.
    client.expect_error("setoption name Debug Log File value /nowhere/at all/x.log", "log file");
    client.ask("help");
    client.set("Debug Log File", "<empty>");
    client.ask("version");
    let log = std::fs::read_to_string(file.path()).expect("the log is there");
    for line in [">> go depth 1\n", "<< bestmove ", ">> help\n", "<< readyok\n"] {
        assert!(log.contains(line), "{line:?} is not in {log}");
    }
    assert!(!log.contains("version\n"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_log() {
    let mut client = Client::start();
    let lines = client.ask("setoption name Debug Log File value /dev/full");
    assert!(has_error(&lines, "logging stopped"), "{lines:?}");
    client.assert_responsive();
}

/// A terminal that is stopped, or whose other end nobody reads, would stop the engine as soon as it is full.
#[cfg(unix)]
#[test]
fn no_log_on_a_terminal() {
    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let name = nix::unistd::ttyname(&terminal.slave).expect("a name");
    let mut client = Client::start();
    for path in [name.display().to_string(), "/dev/tty".to_owned(), "/dev/zero".to_owned()] {
        client.expect_error(&format!("setoption name Debug Log File value {path}"), "is a device");
    }
    client.silent(&["setoption name Debug Log File value /dev/null"]);
    for _ in 0..300 {
        client.ask("help");
    }
    client.assert_responsive();
}

// ---- positions

#[test]
fn pasted_fens() {
    let mut client = Client::start();
    let fields = START.split(' ').collect::<Vec<_>>();
    for fen in [
        fields.join("\u{a0}"),
        fields.join("_"),
        format!("\"{START}\""),
        format!("FEN: {START}"),
        format!("[FEN \"{START}\"]"),
        format!("{START} ; bm e4 ; id \"moves\""),
        format!("{} hmvc 0; fmvn 1;", fields[..4].join(" ")),
    ] {
        client.ask("position startpos moves e2e4");
        assert!(client.ask(&format!("position fen {fen}")).is_empty(), "{fen:?}");
        assert_eq!(client.fen(), START, "{fen:?}");
        assert!(client.ask(&format!("position fen {fen} moves e2e4")).is_empty(), "{fen:?}");
        assert!(client.fen().contains(" b "), "{fen:?}");
    }
    client.set("UCI_Variant", "spartan");
    client.expect_error(&format!("position fen {CHESS_START}"), "a position of chess, not of spartan");
}

#[test]
fn positions_with_odd_blanks_and_without_counters() {
    let mut client = Client::start();
    for line in [
        "position startpos",
        "position startpos ",
        "position startpos moves",
        "position startpos moves ",
        "  position \t startpos  moves\t",
        "position fen lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -",
        "position fen  lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR  w\tKQkq -  0   1   moves ",
        "position fen lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w HA - 0 0\r",
    ] {
        client.ask("position startpos moves e2e4");
        assert!(client.ask(line).is_empty(), "{line:?}");
        assert_eq!(client.fen(), START, "{line:?}");
    }
    client.ask("position startpos moves  e2e4\te7c5   g1f3 ");
    assert_eq!(client.fen(), "lgkcckwl/hhhh1hhh/8/2h5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQ - 1 2");
}

#[test]
fn an_illegal_move_keeps_the_moves_before_it() {
    let mut client = Client::start();
    client.expect_error("position startpos moves e2e4 e7c5 e4e6 g1f3", "move 3 'e4e6'");
    assert_eq!(client.fen(), "lgkcckwl/hhhh1hhh/8/2h5/4P3/8/PPPP1PPP/RNBQKBNR w KQ - 0 2");
    client.expect_error("position startpos moves Nf3", "move 1 'Nf3'");
    assert_eq!(client.fen(), START);
    client.assert_responsive();
}

#[test]
fn the_d_command() {
    let mut client = Client::start();
    assert_eq!(client.display_field("Key").len(), 16);
    let moves = client.legal_moves();
    assert!(moves.len() == 20 && moves.is_sorted(), "{moves:?}");
    for (position, check, state) in [
        ("startpos", "no", "-"),
        (FOOLS_MATE, "yes", "checkmate"),
        ("startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "no", "threefold repetition"),
        ("fen 4k3/8/8/8/8/8/8/4K2R w K - 100 80", "no", "fifty-move rule"),
        ("fen 4k3/8/8/8/8/8/8/4K3 w - - 0 80", "no", "dead position"),
        ("fen k7/2Q5/8/8/8/8/8/4K3 b - - 0 80", "no", "stalemate"),
    ] {
        client.ask(&format!("position {position}"));
        assert_eq!(client.display_field("Check"), check, "{position}");
        assert_eq!(client.display_field("State"), state, "{position}");
        let is_over = ["checkmate", "stalemate"].contains(&state);
        assert_eq!(client.legal_moves().is_empty(), is_over, "{position}");
    }
}
