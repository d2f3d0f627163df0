//! UCI with the real binary: every command, and the behaviour of common GUIs and tools.

use crate::common::play;
use crate::common::uci::{BINARY, Client, after, has_error, last_report, nodes};
use agoge_core::board::{Board, Game, Variant};
use std::collections::HashSet;
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const START: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
const CHESS_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// 1.g4 Wf6 2.f3 Wh4#
const FOOLS_MATE: &str = "position startpos moves g2g4 g8f6 f2f3 f6h4";

fn run(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).stdin(Stdio::null()).output().expect("the engine runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is UTF-8")
}

/// The report right before `bestmove`, which many programs read: it must have depth, score, time and a PV that begins
/// with the best move.
fn final_report<'a>(lines: &'a [String], what: &str) -> &'a str {
    let [.., info, best] = lines else { panic!("{what}: {lines:#?}") };
    assert!(info.starts_with("info depth "), "{what}: {lines:#?}");
    for word in ["score", "time", "pv"] {
        assert!(!after(info, word).is_empty(), "{what}: no {word} in '{info}'");
    }
    assert_eq!(after(info, "pv")[0], after(best, "bestmove")[0], "{what}: {lines:#?}");
    info
}

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
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name nodestime type spin default 0 min 0 max 10000",
        "option name Slow Mover type spin default 100 min 10 max 1000",
        "option name OwnBook type check default false",
        "option name BookFile type string default <empty>",
        "option name UCI_Variant type combo default spartan var spartan var chess var standard",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1500 min 925 max 4260",
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

#[test]
fn there_is_no_unsolicited_output() {
    let mut client = Client::start();
    client.expect_no_output(Duration::from_millis(200));
    assert!(client.ask("debug on").is_empty());
    assert!(client.ask("debug off").is_empty());
    assert!(client.ask("ucinewgame").is_empty());
    assert!(client.ask("position startpos").is_empty());
    assert!(client.ask("setoption name Hash value 8").is_empty());
    assert!(client.ask("# a comment").is_empty());
    assert!(client.ask("").is_empty());
}

#[test]
fn idle_stop_and_ponderhit_stay_silent() {
    let mut client = Client::start();
    assert!(client.ask("stop").is_empty());
    assert!(client.ask("ponderhit").is_empty());
    client.best_move("go depth 1");
    assert!(client.ask("stop").is_empty());
    assert!(client.ask("ponderhit").is_empty());
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

/// Bug reports need it, and the tests of other targets.
#[test]
fn the_version_names_the_build_and_what_it_uses_here() {
    let printed = text(&run(&["--version"]).stdout);
    let lines: Vec<&str> = printed.lines().collect();
    let [name, build, simd, sliders, network] = lines[..] else { panic!("{printed}") };
    assert!(name.starts_with(concat!("Agoge ", env!("CARGO_PKG_VERSION"), " (")), "{name}");
    assert!(build.contains(std::env::consts::ARCH) && build.contains("rustc"), "{build}");
    assert_eq!(simd, format!("SIMD level: {}", agoge_core::nnue::Kernels::best().level()));
    assert!(matches!(sliders, "slider attacks: PEXT" | "slider attacks: magics"), "{sliders}");
    let embedded = agoge_core::nnue::embedded().expect("a network");
    assert_eq!(network, format!("network: {}", embedded.name()));
    assert_eq!(text(&run(&["version"]).stdout), printed);
    let client = &mut Client::start();
    assert_eq!(client.ask("version"), lines);

    // Of a loaded network, and of a lower SIMD level.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("other.nnue");
    let mut other = (*embedded).clone();
    other.set_name("other").expect("a short name");
    std::fs::write(&path, other.to_bytes()).expect("a network file");
    assert!(client.ask(&format!("setoption name EvalFile value {}", path.display())).is_empty());
    assert_eq!(client.ask("version")[4], "network: other");
    let scalar = Command::new(BINARY).arg("version").env("AGOGE_SIMD", "scalar").output().expect("the engine runs");
    assert_eq!(text(&scalar.stdout).lines().nth(2), Some("SIMD level: scalar"));
}

// ---- options

#[test]
fn options_before_uci_and_in_any_case() {
    let mut client = Client::start();
    assert!(client.ask("setoption name threads value 2").is_empty());
    assert!(client.ask("setoption name HASH value 1").is_empty());
    assert!(client.ask("setoption name clear hash value true").is_empty());
    assert!(client.ask("setoption name Clear Hash").is_empty());
    assert!(client.ask("setoption  name\tMove   Overhead  value  30 ").is_empty());
    assert!(client.ask("setoption name Ponder value true").is_empty());
    client.send("uci");
    client.until("uciok");
    client.assert_responsive();
}

#[test]
fn options_take_effect_before_uci_and_in_any_case() {
    let mut client = Client::start();
    client.send("setoption name multipv value 2");
    client.send("setoption name UCI_SHOWWDL value TRUE");
    client.send("uci");
    client.until("uciok");
    let lines = client.search("go depth 8");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ") && line.contains(" wdl ")), "{lines:#?}");
    // `Clear Hash` must clear the table: otherwise the same search would again need few nodes.
    client.ask("setoption name multipv value 1");
    let first = nodes(&client.search("go depth 10"));
    let again = nodes(&client.search("go depth 10"));
    assert!(client.ask("setoption name clear hash value true").is_empty());
    let cleared = nodes(&client.search("go depth 10"));
    assert!(again < first && again < cleared, "{first} nodes, then {again}, then {cleared}");
}

#[test]
fn bad_values_keep_the_old_ones() {
    let mut client = Client::start();
    client.ask("setoption name MultiPV value 2");
    client.ask("setoption name UCI_ShowWDL value true");
    for line in [
        "setoption name MultiPV value 0",
        "setoption name MultiPV value 257",
        "setoption name MultiPV value three",
        "setoption name MultiPV",
        "setoption name UCI_ShowWDL value no",
        "setoption name MultiPVs value 5",
        "setoption name UCI_Variant value crazyhouse",
    ] {
        let lines = client.ask(line);
        assert!(lines.len() == 1 && has_error(&lines, ""), "{line}: {lines:?}");
    }
    let lines = client.search("go depth 2");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ") && line.contains(" wdl ")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains(" multipv 3 ")), "{lines:#?}");
    assert_eq!(client.fen(), START);
}

#[test]
fn bad_options_are_ignored_with_a_message() {
    let mut client = Client::start();
    assert!(has_error(&client.ask("setoption name UCI_Chess960 value false"), "unknown option 'UCI_Chess960'"));
    assert!(has_error(&client.ask("setoption name Hash value 0"), "Hash"));
    assert!(has_error(&client.ask("setoption name Hash value 99999999999999999999"), "Hash"));
    assert!(has_error(&client.ask("setoption name Threads value many"), "Threads"));
    assert!(has_error(&client.ask("setoption name Threads"), "Threads"));
    assert!(has_error(&client.ask("setoption name UCI_Variant value shogi"), "spartan or chess"));
    assert!(has_error(&client.ask("setoption name UCI_ShowWDL value 2"), "true or false"));
    assert!(has_error(&client.ask("setoption"), "name"));
    client.assert_responsive();
}

#[test]
fn a_table_larger_than_the_memory_is_refused() {
    let mut client = Client::start();
    assert!(has_error(&client.ask("setoption name Hash value 1048576"), ""));
    client.assert_responsive();
}

#[test]
fn multipv_and_wdl() {
    let mut client = Client::start();
    client.ask("setoption name MultiPV value 3");
    client.ask("setoption name UCI_ShowWDL value true");
    let lines = client.search("go depth 3");
    for rank in ["multipv 1", "multipv 2", "multipv 3"] {
        let line = lines.iter().rfind(|line| line.contains(&format!(" {rank} ")));
        let line = line.unwrap_or_else(|| panic!("no {rank} in {lines:#?}"));
        let words: Vec<&str> = line.split(' ').collect();
        let at = words.iter().position(|&word| word == "wdl").expect("wdl");
        let sum: u32 = words[at + 1..at + 4].iter().map(|word| word.parse::<u32>().expect("a number")).sum();
        assert_eq!(sum, 1000);
    }
}

#[test]
fn variants() {
    let mut client = Client::start();
    assert_eq!(client.fen(), START);
    assert_eq!(
        client.ask("setoption name UCI_Variant value chess"),
        [format!("info string variant chess files 8 ranks 8 pocket 0 template chess startpos {CHESS_START}")]
    );
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

#[test]
fn a_fen_of_the_other_variant_is_refused() {
    let mut client = Client::with_arguments(&["--variant", "spartan"]);
    client.ask("position startpos moves e2e4");
    let before = client.fen();
    assert!(has_error(&client.ask(&format!("position fen {CHESS_START}")), "piece placement"));
    assert_eq!(client.fen(), before);
    client.assert_responsive();
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
            let lines = client.ask(&foreign);
            assert!(lines.len() == 1 && has_error(&lines, "piece placement"), "{lines:?}");
            client.send(command);
            client.until(answer);
        }
        assert_eq!(client.fen(), START, "{command}");
        client.assert_responsive();
        client.quit();
    }
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
    assert!(client.ask("position startpos moves e2e4").is_empty());
    assert_eq!(client.ask("position startpos moves e2e4 e7e5"), changed_to("chess"));
    assert_eq!(client.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    client.assert_responsive();
    // The variant stays, also in new games.
    for line in ["ucinewgame", "position startpos moves d2d4 d7d5 c2c4", "position startpos"] {
        assert!(client.ask(line).is_empty(), "{line}");
    }
    assert_eq!(client.fen(), CHESS_START);
    assert_eq!(client.ask("position startpos moves d2d4 h7f5"), changed_to("spartan"));
    assert_eq!(client.ask(&format!("position fen {CHESS_START} moves d2d4")), changed_to("chess"));
    assert_eq!(client.ask(&format!("position fen {START}")), changed_to("spartan"));
    // Positions that are valid in both variants or in neither do not change it.
    assert!(client.ask("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1").is_empty());
    assert!(has_error(&client.ask("position startpos moves e2e4 e7e5 e4e5"), "move 2 'e7e5'"));
    assert!(has_error(&client.ask("position fen rnbqkbnr/hhhhhhhh/8/8/8/8/8/8 w - - 0 1"), "piece placement"));
    assert!(has_error(&client.ask("position fen nonsense"), "FEN"));
    // Other commands accept positions of both variants.
    client.send(&format!("perft 2 {CHESS_START}"));
    assert_eq!(client.until("Nodes").last().map(String::as_str), Some("Nodes searched: 400"));
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
        [(&["--variant", "spartan"][..], None), (&[][..], Some("setoption name UCI_Variant value spartan"))]
    {
        let mut client = Client::with_arguments(arguments);
        if let Some(option) = option {
            client.ask(option);
        }
        assert!(has_error(&client.ask("position startpos moves e2e4 e7e5"), "move 2 'e7e5'"));
        assert!(has_error(&client.ask(&format!("eval {CHESS_START}")), "piece placement"));
        client.ask("position startpos");
        assert_eq!(client.fen(), START);
    }
    let mut client = Client::with_arguments(&["--variant", "chess"]);
    client.send("uci");
    let option = "option name UCI_Variant type combo default chess var spartan var chess var standard";
    assert!(client.until("uciok").iter().any(|line| line == option));
    assert!(has_error(&client.ask("position startpos moves e2e4 h7f5"), "move 2 'h7f5'"));
}

/// Cute Chess sets a variant only if the engine lists it under Cute Chess's own name.
#[test]
fn orthodox_chess_as_cute_chess_calls_it() {
    let mut client = Client::start();
    let lines = client.ask("setoption name UCI_Variant value standard");
    assert_eq!(
        lines,
        [format!("info string variant chess files 8 ranks 8 pocket 0 template chess startpos {CHESS_START}")]
    );
    client.send("position startpos moves e2e4");
    assert!(client.fen().starts_with("rnbqkbnr/"));
    client.quit();
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
    let output = Command::new(&link).args(["perft", "3"]).stdin(Stdio::null()).output().expect("it runs");
    assert!(text(&output.stdout).ends_with("\nNodes searched: 8902\n"));
}

/// The engine prints a greeting when started in a terminal.
#[cfg(unix)]
#[test]
fn a_terminal_gets_a_greeting() {
    use crate::common::uci::wait_for_exit;
    use std::io::Write;
    let started = |arguments: &[&str]| {
        let terminal = nix::pty::openpty(None, None).expect("a terminal");
        let mut child = Command::new(BINARY)
            .args(arguments)
            .stdin(terminal.slave)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        std::fs::File::from(terminal.master.try_clone().expect("a terminal")).write_all(b"quit\n").expect("it reads");
        let mut output = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
        assert!(wait_for_exit(&mut child).success());
        output
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
    let path = std::env::temp_dir().join(format!("agoge-test-{}.log", std::process::id()));
    let mut client = Client::start();
    client.ask(&format!("setoption name Debug Log File value {}", path.display()));
    client.best_move("go depth 1");
    // An invalid path leaves the old log in use.
    assert!(has_error(&client.ask("setoption name Debug Log File value /nowhere/at all/x.log"), "log file"));
    client.ask("help");
    client.ask("setoption name Debug Log File value <empty>");
    client.ask("version");
    let log = std::fs::read_to_string(&path).expect("the log is there");
    std::fs::remove_file(&path).expect("the log can be removed");
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

// ---- positions

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
    let lines = client.ask("position startpos moves e2e4 e7c5 e4e6 g1f3");
    assert!(has_error(&lines, "move 3 'e4e6'"), "{lines:?}");
    assert_eq!(client.fen(), "lgkcckwl/hhhh1hhh/8/2h5/4P3/8/PPPP1PPP/RNBQKBNR w KQ - 0 2");
    let lines = client.ask("position startpos moves Nf3");
    assert!(has_error(&lines, "move 1 'Nf3'"), "{lines:?}");
    assert_eq!(client.fen(), START);
    client.assert_responsive();
}

#[test]
fn the_d_command() {
    let mut client = Client::start();
    assert_eq!(client.display_field("Check"), "no");
    assert_eq!(client.display_field("State"), "-");
    assert_eq!(client.display_field("Key").len(), 16);
    assert_eq!(client.legal_moves().len(), 20);
    let mut sorted = client.legal_moves();
    sorted.sort();
    assert_eq!(client.legal_moves(), sorted);

    client.ask(FOOLS_MATE);
    assert_eq!(client.display_field("Check"), "yes");
    assert_eq!(client.display_field("State"), "checkmate");
    assert!(client.legal_moves().is_empty());

    client.ask("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    assert_eq!(client.display_field("State"), "threefold repetition");
    client.ask("position fen 4k3/8/8/8/8/8/8/4K2R w K - 100 80");
    assert_eq!(client.display_field("State"), "fifty-move rule");
    client.ask("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 80");
    assert_eq!(client.display_field("State"), "dead position");
    client.ask("position fen k7/2Q5/8/8/8/8/8/4K3 b - - 0 80");
    assert_eq!(client.display_field("State"), "stalemate");
    assert_eq!(client.display_field("Check"), "no");
}

// ---- searches

#[test]
fn an_info_line_is_complete() {
    let mut client = Client::start();
    let lines = client.search("go depth 4");
    let info = last_report(&lines);
    let words: Vec<&str> = info.split(' ').collect();
    for word in ["depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "tbhits", "time", "pv"] {
        assert!(words.contains(&word), "no {word} in '{info}'");
    }
    let at = words.iter().position(|&word| word == "pv").expect("a pv");
    let best = lines.last().and_then(|line| line.split(' ').nth(1));
    assert_eq!(Some(words[at + 1]), best);
    let legal = client.ask(&format!("position startpos moves {}", words[at + 1..].join(" ")));
    assert!(legal.is_empty(), "{legal:?}");
}

/// GUIs use the last report before the best move, whatever ended the search.
#[test]
fn the_final_report_is_complete() {
    let mut client = Client::start();
    for threads in [1, 2] {
        client.send(&format!("setoption name Threads value {threads}"));
        for go in [
            "go depth 1",
            "go depth 7",
            "go nodes 1",
            "go nodes 5000",
            "go movetime 1",
            "go movetime 60",
            "go wtime 0 btime 0",
            "go wtime 1 btime 1",
            "go wtime 600 btime 600 winc 10 binc 10",
            "go mate 2 depth 6",
            "go depth 3 searchmoves a2a3 h2h3",
        ] {
            client.send("ucinewgame");
            client.send("position startpos");
            final_report(&client.search(go), go);
        }
        // Stopped early and late.
        for wait in [0, 20, 150] {
            client.send("position startpos moves e2e4");
            for (go, end) in [("go infinite", "stop"), ("go ponder wtime 20 btime 20", "ponderhit")] {
                client.send(go);
                std::thread::sleep(Duration::from_millis(wait));
                client.send(end);
                final_report(&client.until("bestmove"), go);
            }
        }
    }
    client.quit();
}

/// After three seconds the engine reports each root move that it searches, but not after the last report.
#[test]
fn current_moves_do_not_follow_the_final_report() {
    let mut client = Client::start();
    client.send("go infinite");
    while !client.line().contains(" currmove ") {}
    client.send("stop");
    final_report(&client.until("bestmove"), "currmove");
}

/// The first limit that is reached ends the search.
#[test]
fn limits_hold_together() {
    let mut client = Client::start();
    let hour = 3_600_000;
    for (go, depth) in [
        (format!("go depth 3 movetime {hour} wtime {hour} btime {hour}"), Some(3)),
        (format!("go wtime {hour} btime {hour} winc {hour} binc {hour} movetime {hour} depth 4"), Some(4)),
        (format!("go movetime 30 depth 100 wtime {hour} btime {hour}"), None),
        (format!("go nodes 3000 movetime {hour} depth 100"), None),
        (format!("go wtime 20 btime 20 depth 100 movetime {hour}"), None),
        (format!("go infinite searchmoves e2e4 depth 2 wtime {hour}"), Some(2)),
    ] {
        client.send("ucinewgame");
        client.send(&go);
        if go.contains("infinite") {
            client.send("stop");
        }
        let lines = client.until("bestmove");
        let reached: u32 = after(last_report(&lines), "depth")[0].parse().expect("a number");
        match depth {
            // Stopped, perhaps before reaching the depth.
            Some(depth) if go.contains("infinite") => assert!(reached <= depth, "{go}: {lines:#?}"),
            Some(depth) => assert_eq!(reached, depth, "{go}: {lines:#?}"),
            None => assert!(reached < 100, "{go}: {lines:#?}"),
        }
    }
    // Without time left the engine answers immediately with a legal move.
    for clock in [
        "wtime 0 btime 0",
        "wtime -3600000 btime -3600000",
        "wtime -1 btime 3600000",
        "movetime 0",
        "movetime -3600000",
    ] {
        let legal = client.legal_moves();
        let best = client.best_move(&format!("go {clock}"));
        assert!(legal.contains(&best), "{clock}: {best}");
    }
}

#[test]
fn go_in_any_order_and_subset() {
    let mut client = Client::start();
    for go in [
        "go wtime 300 btime 300",
        "go btime 300 binc 10 wtime 300 winc 10",
        "go movestogo 5 wtime 300 btime 300",
        "go movestogo 0 wtime 300 btime 300",
        "go depth 3",
        "go nodes 500",
        "go movetime 50",
        "go movetime 50 depth 3 wtime 1000 btime 1000 nodes 1000",
        "go mate 1 movetime 50",
        "go wtime 0 btime 0",
        "go wtime -100 btime -100 winc -5 binc -5",
        "go wtime 1 btime 1 winc 0 binc 0 movestogo 1",
        "go btime 300",
        "go winc 20",
        "go movestogo 3",
        "go depth 0",
        "go nodes 0",
        "go movetime 0",
        "go movetime -1",
        "go depth 3 searchmoves e2e4 d2d4",
        "go searchmoves d2d4 depth 3",
        "go  depth\t3 ",
    ] {
        let best = client.best_move(go);
        assert_eq!(best.len(), 4, "{go}: {best}");
        client.expect_no_output(Duration::from_millis(5));
    }
}

#[test]
fn bad_go_parameters_are_named_and_answered() {
    let mut client = Client::start();
    for (go, part) in [
        ("go depth x", "depth"),
        ("go depth", "depth"),
        ("go movetime 1.5", "movetime"),
        ("go wtime abc btime 100", "wtime"),
        ("go deep 3", "deep"),
        ("go searchmoves e2e5 depth 2", "e2e5"),
        ("go searchmoves", ""),
    ] {
        if go == "go searchmoves" {
            client.send(go);
            client.send("stop");
            client.until("bestmove");
            continue;
        }
        let lines = client.search(go);
        assert!(has_error(&lines, part), "{go}: {lines:?}");
    }
    client.assert_responsive();
}

#[test]
fn numbers_out_of_range_saturate() {
    let mut client = Client::start();
    for go in [
        "go depth 99999999999999999999 movetime 30",
        "go nodes 99999999999999999999999999 movetime 30",
        "go mate 4294967296 movetime 30",
        "go movestogo 99999999999 wtime 300 btime 300",
        "go wtime 99999999999999999999 btime 99999999999999999999 winc 99999999999999999999 depth 2",
        "go movetime 99999999999999999999 depth 2",
        "go depth -5",
    ] {
        assert_eq!(client.best_move(go).len(), 4, "{go}");
    }
}

#[test]
fn only_searchmoves_are_played() {
    let mut client = Client::start();
    for mv in client.legal_moves() {
        assert_eq!(client.best_move(&format!("go depth 2 searchmoves {mv}")), mv);
    }
    let lines = client.search("go depth 2 searchmoves e2e9 a2a3 a2a3");
    assert!(has_error(&lines, "e2e9"));
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove a2a3")));
}

#[test]
fn finished_games() {
    let mut client = Client::start();
    client.ask(FOOLS_MATE);
    for go in ["go depth 5", "go wtime 1000 btime 1000", "go movetime 1000", "go nodes 10"] {
        assert_eq!(client.search(go), ["info depth 0 score mate 0", "bestmove (none)"], "{go}");
    }
    client.ask("position fen k7/2Q5/8/8/8/8/8/4K3 b - - 0 80");
    assert_eq!(client.search("go depth 5"), ["info depth 0 score cp 0", "bestmove (none)"]);
    // These wait for `stop` or `ponderhit` even so.
    for (go, end) in [("go infinite", "stop"), ("go ponder movetime 10", "ponderhit"), ("go ponder", "stop")] {
        client.send(go);
        assert!(!client.ready().iter().any(|line| line.starts_with("bestmove")), "{go}");
        client.send(end);
        assert_eq!(client.until("bestmove").last().map(String::as_str), Some("bestmove (none)"), "{go}");
        client.expect_no_output(Duration::from_millis(10));
    }
    client.ask("setoption name UCI_Variant value chess");
    client.ask("position startpos moves f2f3 e7e5 g2g4 d8h4");
    assert_eq!(client.search("go depth 5"), ["info depth 0 score mate 0", "bestmove (none)"]);
    client.ask("setoption name UCI_Variant value spartan");
    // Drawn by rule, but with legal moves: `go` still returns one.
    client.ask("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 80");
    assert_eq!(client.best_move("go depth 3").len(), 4);
    client.ask("position fen 4k3/8/8/8/8/8/8/4K2R w K - 100 80");
    assert_eq!(client.best_move("go depth 3").len(), 4);
}

#[test]
fn a_mate_in_one_is_found_and_reported() {
    let mut client = Client::start();
    client.ask("position startpos moves g2g4 g8f6 f2f3");
    let lines = client.search("go depth 3");
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove f6h4")), "{lines:?}");
    assert!(last_report(&lines).contains("score mate 1 "), "{lines:?}");
    assert!(last_report(&lines).ends_with("pv f6h4"), "{lines:?}");
}

/// GUIs that adjudicate by score must not miss a mate because a search was short.
#[test]
fn a_mating_move_is_reported_as_mate_in_one() {
    let mut client = Client::start();
    let mut mates = 0;
    for position in [
        "startpos moves g2g4 g8f6 f2f3",
        // One queen against two kings, the last king, a promotion, castling, and the two kings alone.
        "fen 1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1",
        "fen 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
        "fen 8/8/8/8/8/6k1/2h5/7K b - - 0 1",
        "fen 4R3/8/8/8/8/1P1k4/1P6/R3K3 w Q - 0 1",
        "fen 8/8/8/8/8/2k5/8/K1k5 b - - 0 1",
        // On the last move before the fifty-move rule.
        "fen k7/8/1K6/8/8/8/8/2Q5 w - - 99 80",
    ] {
        for go in [
            "go nodes 1",
            "go nodes 10",
            "go depth 1",
            "go depth 2",
            "go movetime 1",
            "go wtime 0 btime 0",
            "go mate 1",
        ] {
            client.send("ucinewgame");
            client.send(&format!("position {position}"));
            let lines = client.search(go);
            let info = final_report(&lines, go);
            let best = after(info, "pv")[0];
            let moves = if position.contains(" moves ") { format!(" {best}") } else { format!(" moves {best}") };
            client.send(&format!("position {position}{moves}"));
            let mated = client.display_field("State") == "checkmate";
            assert_eq!(mated, after(info, "score").starts_with(&["mate", "1"]), "{position}, {go}: {lines:#?}");
            mates += usize::from(mated);
            assert!(mated || !(go.contains("depth") || go.contains("mate")), "{position}, {go}: {lines:#?}");
        }
    }
    assert!(mates > 30, "{mates}");
}

/// Searches a position to small depths. Returns the number of draw scores with a PV of several moves and of one move,
/// and the best move. A PV of one move must end the game.
fn count_draw_scores(client: &mut Client, fen: &str, moves: &str) -> ([usize; 2], String) {
    client.send(&format!("position fen {fen} moves {moves}"));
    let mut game = Game::new(Board::from_fen(fen, Variant::Spartan).expect("a position"));
    play(&mut game, moves);
    let (mut draws, mut best) = ([0; 2], String::new());
    for depth in 1..8 {
        let lines = client.search(&format!("go depth {depth}"));
        for line in &lines {
            let Some((_, pv)) = line.split_once(" pv ") else { continue };
            if line.contains(" score cp 0 ") {
                let mut game = game.clone();
                play(&mut game, pv);
                let one = !pv.contains(' ');
                assert!(!one || game.outcome().is_some(), "{fen} {moves}: {line}");
                draws[usize::from(one)] += 1;
            }
        }
        best = after(lines.last().expect("a move"), "bestmove")[0].to_owned();
    }
    (draws, best)
}

/// variantfishtest adjudicates a draw when the score is 0 and the PV has one move.
#[test]
fn a_draw_score_with_one_pv_move_ends_the_game() {
    let mut client = Client::start();
    let rooks = "8/3kk3/8/8/8/3KR3/8/8 w - - 0 1 moves d3e2 d7e6 e2f3 e7f6 f3e2 f6e5 e2f3 e6f5";
    let mut draws = [0, 0];
    for position in [
        rooks,
        &format!("{rooks} f3e2 f5e6 e2f3"),
        &format!("{rooks} f3e2 f5e6 e2f3 e6f5 f3e2 f5e6"),
        "3k4/3g4/8/8/8/8/3R4/3KR3 w - - 0 1 moves d2d7 d8d7 d1c2 d7d8 e1e6 d8d7 e6a6 d7d8 c2c3 d8d7 c3c2 d7e7 c2b3",
        // Capturing the rook leaves a dead position.
        "8/8/8/8/8/3kR3/8/7K b - - 0 1",
        // A draw by the tablebase.
        "8/8/8/8/k7/8/P7/K7 w - - 0 1",
    ] {
        client.send("ucinewgame");
        let (fen, moves) = position.split_once(" moves ").unwrap_or((position, ""));
        let (counts, _) = count_draw_scores(&mut client, fen, moves);
        draws = [draws[0] + counts[0], draws[1] + counts[1]];
    }
    assert!(draws.iter().all(|&number| number > 0), "{draws:?}");
    // Games without winning chances: most moves lead to positions with the value of a draw.
    for fen in
        ["4k3/3c4/8/8/8/4B3/8/4K3 w - - 0 1", "4k3/3l4/8/8/8/4N3/8/4K3 w - - 0 1", "4k3/4g3/8/8/8/8/4Q3/4K3 w - - 0 1"]
    {
        client.send("ucinewgame");
        let mut moves = String::new();
        for _ in 0..12 {
            let (_, best) = count_draw_scores(&mut client, fen, moves.trim_end());
            if best == "(none)" {
                break;
            }
            moves.push_str(&format!("{best} "));
        }
    }
    client.quit();
}

#[test]
fn spartan_promotions_keep_their_letter() {
    let mut client = Client::start();
    client.ask("position fen 8/8/8/8/8/6k1/h7/7K b - - 0 1");
    let promotions = client.legal_moves();
    for mv in ["a2a1k", "a2a1w", "a2a1g", "a2a1c", "a2a1l"] {
        if promotions.iter().any(|legal| legal == mv) {
            assert_eq!(client.best_move(&format!("go depth 2 searchmoves {mv}")), mv);
        }
    }
    client.ask("position fen 8/8/8/8/8/6k1/1h6/R6K b - - 0 1");
    assert_eq!(client.legal_moves().iter().filter(|mv| mv.starts_with("b2b1")).count(), 0);
    assert!(client.legal_moves().iter().any(|mv| mv == "b2a1k" || mv == "b2c1k"));
    assert_eq!(client.best_move("go depth 2 searchmoves b2c1k"), "b2c1k");
}

// ---- commands during a search

#[test]
fn infinite_waits_for_stop() {
    let mut client = Client::start();
    // Even if the result is known.
    for position in ["position startpos", "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1"] {
        client.ask(position);
        client.send("go infinite");
        std::thread::sleep(Duration::from_millis(150));
        assert!(!client.ready().iter().any(|line| line.starts_with("bestmove")));
        client.send("stop");
        client.until("bestmove");
        client.expect_no_output(Duration::from_millis(20));
    }
}

#[test]
fn ponderhit_and_miss() {
    let mut client = Client::start();
    client.ask("position startpos moves e2e4 e7c5");
    client.send("go ponder wtime 500 btime 500 winc 0 binc 0");
    std::thread::sleep(Duration::from_millis(100));
    assert!(!client.ready().iter().any(|line| line.starts_with("bestmove")));
    client.send("ponderhit");
    client.until("bestmove");
    client.expect_no_output(Duration::from_millis(20));

    client.send("go ponder wtime 500 btime 500");
    std::thread::sleep(Duration::from_millis(30));
    client.send("stop");
    client.until("bestmove");
    client.expect_no_output(Duration::from_millis(20));
    client.assert_responsive();
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut client = Client::start();
    client.send("go infinite");
    for _ in 0..10 {
        client.ready();
    }
    client.send("uci");
    client.until("uciok");
    client.send("d");
    client.until("Fen:");
    client.send("stop");
    client.until("bestmove");
}

#[test]
fn interrupted_searches_answer_once() {
    let mut client = Client::start();
    for command in [
        "position startpos moves e2e4",
        "position fen nonsense",
        "ucinewgame",
        "setoption name Hash value 2",
        "setoption name Threads value 2",
        "setoption name Clear Hash",
        "setoption name UCI_Variant value chess",
        "setoption name UCI_Variant value spartan",
        "setoption name MultiPV value 2",
        "eval",
        "nonsense",
        "stop",
        "stop\nstop",
        "ponderhit",
    ] {
        for go in ["go infinite", "go ponder wtime 100000 btime 100000", "go depth 100"] {
            client.send(go);
            client.send(command);
            client.send("stop");
            client.send("isready");
            let mut answers = 0;
            let mut ready = false;
            while answers == 0 || !ready {
                let line = client.line();
                answers += usize::from(line.starts_with("bestmove"));
                ready |= line == "readyok";
            }
            assert_eq!(answers, 1, "{go}, {command}");
            client.expect_no_output(Duration::from_millis(10));
        }
    }
    client.assert_responsive();
}

/// An interrupting command ends the search with a move of the old position, and is then executed.
#[test]
fn interrupting_commands_run_after_bestmove() {
    let mut client = Client::start();
    let moved = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1";
    for (before, command, after) in [
        ("position startpos", "position startpos moves e2e4", moved),
        ("position startpos moves e2e4", "position startpos", START),
        ("position startpos moves e2e4", "ucinewgame", START),
        ("position startpos moves e2e4", "setoption name UCI_Variant value chess", CHESS_START),
        ("position startpos moves e2e4", "setoption name UCI_Variant value spartan", START),
        ("position startpos moves e2e4", "position fen nonsense", moved),
    ] {
        client.send(before);
        let legal = client.legal_moves();
        client.send("go infinite");
        client.send(command);
        client.send("stop");
        let lines = client.until("bestmove");
        let best = lines.last().and_then(|line| line.split(' ').nth(1)).expect("a move");
        assert!(legal.iter().any(|mv| mv == best), "{command}: {best}");
        assert_eq!(client.fen(), after, "{command}");
        client.assert_responsive();
    }
}

/// A late `stop`, after the search has ended by itself, has no effect.
#[test]
fn a_late_stop_does_not_end_the_next_search() {
    let mut client = Client::start();
    for late in ["stop", "ponderhit", "stop\nponderhit\nstop"] {
        client.search("go depth 2");
        client.send(late);
        let lines = client.search("go depth 6");
        assert_eq!(after(last_report(&lines), "depth")[0], "6", "{late}: {lines:#?}");
        assert!(client.ready().is_empty(), "{late}");
    }
}

#[test]
fn each_go_has_one_answer() {
    let mut client = Client::start();
    let games = 40;
    for index in 0..games {
        client.send(if index % 2 == 0 { "position startpos moves e2e4" } else { "position startpos" });
        client.send("go infinite");
    }
    client.send("stop");
    for _ in 0..games {
        client.until("bestmove");
    }
    client.expect_no_output(Duration::from_millis(50));
    client.assert_responsive();
}

#[test]
fn quit_during_a_search() {
    for go in ["go infinite", "go ponder", "go depth 100"] {
        let mut client = Client::start();
        client.send(go);
        std::thread::sleep(Duration::from_millis(30));
        client.quit();
    }
}

/// Scripts send `quit` directly after a measurement.
#[test]
fn measurements_end_before_quit() {
    for (commands, last) in [
        ("position startpos\ngo perft 5", "Nodes searched: 11712515"),
        ("perft 3\nuci\nperft 4", "Nodes searched: 473282"),
        ("bench 1 1 1", " nps"),
        ("speedtest 1 1 1", " nps"),
        ("eval", ""),
    ] {
        let mut client = Client::start();
        client.send(&format!("{commands}\nquit"));
        client.until_end(last);
        assert!(client.wait().success(), "{commands}");
        // The end of the input does not interrupt it, either.
        let mut client = Client::start();
        client.send(commands);
        client.close_input();
        client.until_end(last);
        assert!(client.wait().success(), "{commands}");
    }
}

#[test]
fn measurements_can_be_stopped_with_quit_pending() {
    for (command, name) in [("go perft 9", "perft"), ("bench 60", "bench"), ("speedtest 1 1 600", "speedtest")] {
        let mut client = Client::start();
        client.send(&format!("{command}\nquit\nstop"));
        client.until_end(&format!("{name} was stopped"));
        assert!(client.wait().success(), "{command}");
    }
}

#[test]
fn many_quick_games() {
    let mut client = Client::start();
    for _ in 0..100 {
        client.send("ucinewgame");
        client.send("isready");
        client.send("position startpos");
        client.send("go nodes 20");
        client.until("bestmove");
    }
    client.quit();
}

// ---- perft, bench, eval

#[test]
fn perft_divides() {
    let mut client = Client::start();
    for command in ["go perft 3", "perft 3", "perft  3 "] {
        client.send(command);
        let lines = client.until("Nodes");
        assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 14244"));
        let counts: Vec<u64> = lines.iter().filter_map(|line| line.split_once(": ")?.1.parse().ok()).take(20).collect();
        assert_eq!(counts.iter().sum::<u64>(), 14_244);
        assert_eq!(lines.iter().filter(|line| line.len() > 5 && &line[4..6] == ": ").count(), 20);
        assert_eq!(lines[lines.len() - 2], "");
    }
    client.send("setoption name Threads value 3");
    client.send("perft 5");
    assert_eq!(client.until("Nodes").last().map(String::as_str), Some("Nodes searched: 11712515"));
    client.send("perft 0");
    assert_eq!(client.until("Nodes").last().map(String::as_str), Some("Nodes searched: 1"));
    client.send("perft 2 k7/8/8/8/8/8/8/K7 w - - 0 1");
    client.until("Nodes");
    client.ask(FOOLS_MATE);
    client.send("perft 4");
    assert_eq!(client.until("Nodes").last().map(String::as_str), Some("Nodes searched: 0"));
}

#[test]
fn perft_can_be_stopped() {
    let mut client = Client::start();
    client.send("go perft 99");
    client.send("perft 11");
    client.send("d");
    std::thread::sleep(Duration::from_millis(50));
    client.send("isready");
    client.until("readyok");
    client.send("stop");
    client.until("Fen:");
    client.send("stop");
    client.assert_responsive();
    client.quit();
}

#[test]
fn piped_input_completes_perft_and_wait() {
    let mut client = Client::start();
    client.send("go depth 3\nwait\nposition startpos moves e2e4\ngo depth 3\nwait\nperft 4\nperft 3");
    client.close_input();
    client.until("bestmove");
    client.until("bestmove");
    assert_eq!(client.until("Nodes").last().map(String::as_str), Some("Nodes searched: 987438"));
    client.until("Nodes");
    assert!(client.wait().success());
}

#[test]
fn limited_strength_limits_the_search() {
    let mut client = Client::start();
    let mut searched = |option: &str| {
        client.send(option);
        client.send("ucinewgame");
        nodes(&client.search("go depth 12"))
    };
    let weakest = searched("setoption name Skill Level value 0");
    let stronger = searched("setoption name Skill Level value 12");
    assert!(weakest < stronger && stronger < 2000, "{weakest} and {stronger} nodes");
    // `UCI_Elo` takes precedence over `Skill Level`, and `UCI_AnalyseMode` over both.
    let rated = searched("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 925");
    assert!(rated < stronger, "{rated} and {stronger} nodes");
    assert!(searched("setoption name UCI_AnalyseMode value true") > 10 * stronger);
    client.quit();
}

/// The random errors differ between games.
#[test]
fn a_limited_engine_does_not_always_play_the_same() {
    let mut client = Client::start();
    client.send("setoption name Skill Level value 0");
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..12 {
        client.send("ucinewgame");
        moves.push(client.best_move("go depth 5"));
    }
    moves.sort_unstable();
    moves.dedup();
    assert!(moves.len() > 1, "{moves:?}");
    client.quit();
}

#[test]
fn a_limited_engine_reports_one_line_and_finally_its_move() {
    let mut client = Client::start();
    client.send("setoption name Skill Level value 0");
    for _ in 0..8 {
        let lines = client.search("go nodes 3000");
        assert!(lines.iter().all(|line| !line.contains(" multipv ") || after(line, "multipv")[0] == "1"), "{lines:#?}");
        let best = lines.last().and_then(|line| line.split(' ').nth(1)).expect("a move");
        assert_eq!(after(last_report(&lines), "pv")[0], best, "{lines:#?}");
    }
    client.quit();
}

/// Commands after `wait`, including `quit`, are executed later.
#[test]
fn wait_is_not_interrupted_by_later_commands() {
    let mut client = Client::start();
    client.send(
        "go nodes 300000\nwait\nposition startpos moves e2e4\ngo nodes 200000\nwait\ngo perft 4\nwait\nisready\nquit",
    );
    for expected in [300_000, 200_000] {
        let lines = client.until("bestmove");
        assert!(nodes(&lines) >= expected, "{lines:#?}");
    }
    assert_eq!(client.until("Nodes").last().map(String::as_str), Some("Nodes searched: 987438"));
    client.until("readyok");
    assert!(client.wait().success());
}

/// `stop` still ends a search during `wait`.
#[test]
fn stop_ends_a_wait() {
    let mut client = Client::start();
    client.send("go nodes 100000000000\nwait\nstop\nd");
    client.until("bestmove");
    client.until("Fen:");
    client.quit();
}

/// After `ponderhit` a search ends by itself, so `wait` is allowed.
#[test]
fn waiting_after_ponderhit() {
    let mut client = Client::start();
    for (go, refused) in [("go ponder wtime 300 btime 300", false), ("go ponder", true)] {
        assert!(client.ask("position startpos").is_empty());
        client.send(go);
        client.send("wait");
        client.send("ponderhit");
        client.send("wait");
        client.send("d");
        let lines = client.until("Fen:");
        let refusals = lines.iter().filter(|line| line.contains("ends only on")).count();
        assert_eq!(refusals, if refused { 2 } else { 1 }, "{lines:#?}");
        assert_eq!(lines.iter().any(|line| line.starts_with("bestmove")), !refused, "{lines:#?}");
        client.send("stop");
        client.sync();
    }
}

/// Limits hold for all threads, even if the answer has to wait.
#[test]
fn no_thread_searches_beyond_the_limits() {
    let mut client = Client::start();
    client.send("setoption name Threads value 3");
    for go in ["go ponder nodes 20000", "go infinite nodes 20000"] {
        client.send(go);
        std::thread::sleep(Duration::from_millis(700));
        client.send("stop");
        let lines = client.until("bestmove");
        assert!(nodes(&lines) < 100_000, "{go}: {lines:#?}");
    }
}

#[test]
fn waiting_forever_is_refused() {
    let mut client = Client::start();
    client.send("go infinite");
    client.send("wait");
    client.send("stop");
    assert!(has_error(&client.until("bestmove"), "ends only"));
    client.assert_responsive();
}

/// A stopped search ends soon, so `wait` is allowed, and commands after `wait` follow its answer.
#[test]
fn waiting_after_stop() {
    let mut client = Client::start();
    for go in ["go infinite", "go ponder", "go ponder wtime 9000 btime 9000"] {
        for line in [go, "stop", "wait", "d"] {
            client.send(line);
        }
        let lines = client.until("Fen:");
        assert!(lines.iter().any(|line| line.starts_with("bestmove")), "{go}: {lines:#?}");
        assert!(!has_error(&lines, "ends only"), "{go}: {lines:#?}");
        client.sync();
    }
}

#[test]
fn bench_ends_with_nodes_and_nps() {
    let mut client = Client::start();
    client.send("bench 1 1 1");
    let lines = client.until_end(" nps");
    let last = lines.last().map_or("", String::as_str);
    let words: Vec<&str> = last.split(' ').collect();
    assert!(
        matches!(*words, [nodes, "nodes", nps, "nps"] if nodes.parse::<u64>().is_ok() && nps.parse::<u64>().is_ok())
    );
    client.assert_responsive();
}

#[test]
fn eval_prints_something() {
    let mut client = Client::start();
    assert!(!client.ask("eval").is_empty());
    assert!(has_error(&client.ask("eval x"), "FEN"));
    client.assert_responsive();
}

// ---- other commands

#[test]
fn flip_mirrors_colours_or_files() {
    let mut client = Client::with_arguments(&["--variant", "chess"]);
    client.ask("position startpos moves e2e4 e7e6 e4e5 d7d5");
    assert!(client.ask("flip").is_empty());
    assert_eq!(client.fen(), "rnbqkbnr/pppp1ppp/8/8/3Pp3/4P3/PPP2PPP/RNBQKBNR b KQkq d3 0 3");
    client.send("perft 3");
    let flipped = client.until("Nodes").pop();
    client.ask("flip");
    client.send("perft 3");
    assert_eq!(client.until("Nodes").pop(), flipped);
    client.quit();
    let mut client = Client::start();
    client.ask("position startpos moves e2e4 h7f5");
    let lines = client.ask("flip");
    assert_eq!(lines, ["info string left and right are mirrored; White has lost its castling rights"]);
    assert_eq!(client.fen(), "lwkcckgl/1hhhhhhh/8/2h5/3P4/8/PPP1PPPP/RNBKQBNR w - - 0 2");
    assert!(client.ask("flip").is_empty());
    client.assert_responsive();
    client.quit();
}

#[test]
fn networks_are_exported_to_new_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut client = Client::run(Command::new(BINARY).current_dir(folder.path()));
    let lines = client.ask("export_net copy of it.nnue");
    assert_eq!(
        lines,
        [format!("info string network written to 'copy of it.nnue', {} bytes", agoge_core::nnue::FILE_BYTES)]
    );
    let original = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/core/nets/agoge.nnue")).expect("the network");
    assert_eq!(std::fs::read(folder.path().join("copy of it.nnue")).expect("the copy"), original);
    // Files are not overwritten.
    assert!(has_error(&client.ask("export_net copy of it.nnue"), "cannot be written to 'copy of it.nnue'"));
    assert!(has_error(&client.ask("export_net no/such/folder/x.nnue"), "cannot be written"));
    assert!(has_error(&client.ask("export_net ."), "cannot be written"));
    // The file can be loaded. Without an argument, the file gets a default name.
    assert!(client.ask("setoption name EvalFile value copy of it.nnue").is_empty());
    let line = client.ask("export_net").pop().expect("an answer");
    let name = line.split('\'').nth(1).expect("a name").to_owned();
    assert!(name.ends_with(".nnue") && folder.path().join(&name).exists(), "{line}");
    client.quit();
}

#[test]
fn speedtest_prints_nodes_and_nps() {
    let mut client = Client::start();
    client.send("speedtest 2 3 1");
    let lines = client.until_end(" nps");
    assert_eq!(lines[0], "info string threads 2 hash 3 MiB time 1 s");
    let last = lines.last().map_or("", String::as_str);
    let words: Vec<&str> = last.split(' ').collect();
    assert!(
        matches!(*words, [nodes, "nodes", nps, "nps"] if nodes.parse::<u64>().is_ok() && nps.parse::<u64>().is_ok())
    );
    assert!(lines.len() > 50, "{lines:#?}");
    for (line, part) in
        [("speedtest 0", "speedtest takes"), ("speedtest 2000", "Threads"), ("speedtest 1 9999999", "Hash")]
    {
        assert!(has_error(&client.ask(line), part), "{line}");
    }
    // Without arguments it uses the machine's resources.
    client.send("speedtest\nstop");
    client.until_end("speedtest was stopped");
    client.assert_responsive();
    client.quit();
}

/// Uses `nodestime` to be independent of the machine.
#[test]
fn slow_movers_think_longer_but_never_beyond_the_clock() {
    let mut client = Client::start();
    client.send("setoption name nodestime value 100");
    let mut spent = |percentage: u32, clock: &str| {
        client.send("ucinewgame");
        assert!(client.ask(&format!("setoption name Slow Mover value {percentage}")).is_empty());
        nodes(&client.search(&format!("go {clock}")))
    };
    let clock = "wtime 30000 btime 30000";
    let (fast, usual, slow) = (spent(10, clock), spent(100, clock), spent(1000, clock));
    assert!(2 * fast < usual && 2 * usual < slow, "{fast}, {usual} and {slow} nodes");
    for clock in ["wtime 30 btime 30", "wtime 300 btime 300 movestogo 1", "wtime 300 btime 300 winc 1000 binc 1000"] {
        let left = 100 * clock.split(' ').nth(1).expect("a time").parse::<u64>().expect("a number");
        let spent = spent(1000, clock);
        assert!(spent < left, "{clock}: {spent} nodes");
    }
}

// ---- the opening book

/// A book file with some text.
fn book_file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), text).expect("a file");
    file
}

/// A book with a2a3 and h2h3 for the initial position, one reply, and a move of orthodox chess.
fn small_book() -> tempfile::NamedTempFile {
    let start = START.strip_suffix(" 0 1").expect("counters");
    let chess = CHESS_START.strip_suffix(" 0 1").expect("counters");
    book_file(&format!(
        "# a book\n{start}; a2a3 1 h2h3 3\n\nlgkcckwl/hhhhhhhh/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQ -; h7f5 2\n{chess}; b1a3 9\n"
    ))
}

/// An engine that plays from a book.
fn client_with_book(book: &tempfile::NamedTempFile) -> Client {
    let mut client = Client::start();
    client.ask("setoption name OwnBook value true");
    client.ask(&format!("setoption name BookFile value {}", book.path().display()));
    client
}

#[test]
fn moves_are_played_from_the_book() {
    let book = small_book();
    let mut client = Client::start();
    let lines = client.ask(&format!("setoption name BookFile value {}", book.path().display()));
    assert_eq!(lines, ["info string the book has 3 positions"]);
    // Not without `OwnBook`.
    assert!(client.best_move("go depth 1 searchmoves e2e4") == "e2e4");
    assert!(!client.search("go depth 1").iter().any(|line| line.contains("book")));
    assert!(client.ask("setoption name OwnBook value true").is_empty());
    let mut drawn = [0, 0];
    for _ in 0..100 {
        let lines = client.search("go wtime 600000 btime 600000");
        match [lines[0].as_str(), lines[1].as_str()] {
            ["info string book move a2a3, weight 1", "bestmove a2a3"] => drawn[0] += 1,
            ["info string book move h2h3, weight 3", "bestmove h2h3"] => drawn[1] += 1,
            _ => panic!("{lines:#?}"),
        }
        assert_eq!(lines.len(), 2);
    }
    // By weight: both are played within a hundred tries, the second one more often.
    assert!(drawn[0] > 0 && drawn[1] > drawn[0], "{drawn:?}");
    client.ask("position startpos moves a2a3");
    for go in ["go depth 5", "go nodes 100", "go movetime 1000", "go wtime 1 btime 1"] {
        assert_eq!(client.best_move(go), "h7f5", "{go}");
    }
    // Outside of the book, and in the other variant.
    client.ask("position startpos moves a2a3 h7f5");
    assert!(client.search("go depth 2").iter().any(|line| line.starts_with("info depth 2 ")));
    client.ask("setoption name UCI_Variant value chess");
    assert_eq!(client.best_move("go depth 3"), "b1a3");
    client.quit();
}

/// The engine's book has more than one move for each side.
#[test]
fn the_book_of_the_repository() {
    let mut client = Client::start();
    client.ask("setoption name OwnBook value true");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../positions/book.epd");
    let lines = client.ask(&format!("setoption name BookFile value {path}"));
    let positions: usize = after(&lines[0], "has")[0].parse().expect("a number");
    assert!(positions > 400, "{lines:?}");
    for position in ["startpos", "startpos moves e2e4", "startpos moves d2d4"] {
        client.send(&format!("position {position}"));
        let moves: HashSet<String> = (0..40).map(|_| client.best_move("go movetime 10")).collect();
        assert!(moves.len() > 1, "{position}: {moves:?}");
        assert!(client.search("go movetime 10")[0].starts_with("info string book move "), "{position}");
    }
    client.quit();
}

#[test]
fn analysis_does_not_use_the_book() {
    let book = small_book();
    let mut client = client_with_book(&book);
    for go in ["go infinite", "go ponder wtime 9000 btime 9000", "go", "go mate 3"] {
        client.send(go);
        client.send("stop");
        let lines = client.until("bestmove");
        assert!(!lines.iter().any(|line| line.contains("book")), "{go}: {lines:#?}");
    }
    assert_eq!(client.best_move("go depth 1 searchmoves e2e4"), "e2e4");
    client.ask("setoption name UCI_AnalyseMode value true");
    assert!(client.search("go depth 2").iter().any(|line| line.starts_with("info depth 2 ")));
    client.ask("setoption name UCI_AnalyseMode value false");
    assert!(client.search("go depth 2")[0].starts_with("info string book move "));
    client.ask("setoption name BookFile value <empty>");
    assert!(client.search("go depth 2").iter().any(|line| line.starts_with("info depth 2 ")));
    client.quit();
}

#[test]
fn invalid_books_leave_the_old_one() {
    let book = small_book();
    let mut client = client_with_book(&book);
    let start = START.strip_suffix(" 0 1").expect("counters");
    for (text, cause) in [
        (String::new(), "no positions"),
        ("nonsense\n".to_owned(), "line 1: there is no ';'"),
        (format!("{start}; e2e4 1\n{start}; d2d4 1\n"), "line 2: duplicate position"),
        (format!("#\n\n{start}; e2e5 1\n"), "line 3: 'e2e5' is not a legal move"),
        (format!("{start}; e2e4 zero\n"), "line 1: 'zero' is not a weight"),
    ] {
        let wrong = book_file(&text);
        let lines = client.ask(&format!("setoption name BookFile value {}", wrong.path().display()));
        assert!(has_error(&lines, cause) && has_error(&lines, "cannot be used"), "{text}: {lines:?}");
    }
    for path in ["/no/such/book", "/dev/zero", "."] {
        assert!(has_error(&client.ask(&format!("setoption name BookFile value {path}")), "cannot be used"), "{path}");
    }
    assert!(client.search("go depth 2")[0].starts_with("info string book move "));
    client.quit();
}

// ---- arguments

#[test]
fn commands_as_arguments() {
    let perft = run(&["perft", "3"]);
    assert!(perft.status.success());
    assert!(text(&perft.stdout).ends_with("\nNodes searched: 14244\n"));

    let perft = run(&["--variant", "chess", "perft", "4"]);
    assert!(text(&perft.stdout).ends_with("\nNodes searched: 197281\n"));
    let perft = run(&["--variant=chess", "go", "perft", "3"]);
    assert!(text(&perft.stdout).ends_with("\nNodes searched: 8902\n"));

    let perft = run(&["perft", "1", "k7/8/8/8/8/8/8/K7 w - - 0 1"]);
    assert!(text(&perft.stdout).ends_with("\nNodes searched: 3\n"));

    let go = run(&["go", "depth", "3"]);
    assert!(text(&go.stdout).lines().last().is_some_and(|line| line.starts_with("bestmove ")));

    let bench = run(&["bench", "1"]);
    assert!(bench.status.success());
    assert!(text(&bench.stdout).lines().last().is_some_and(|line| line.ends_with(" nps")));

    assert!(run(&["eval"]).status.success());
    assert!(text(&run(&["--version"]).stdout).starts_with("Agoge "));
    assert!(text(&run(&["--help"]).stdout).starts_with("usage: agoge"));
    assert!(run(&["uci"]).status.success());
}

#[test]
fn bad_arguments() {
    for arguments in
        [&["nonsense"][..], &["--variant"], &["--variant", "shogi"], &["--fast"], &["perft"], &["perft", "x"]]
    {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(text(&output.stderr).starts_with("agoge: "), "{arguments:?}");
    }
    assert_eq!(run(&["eval", "x"]).status.code(), Some(2));
}
