//! UCI commands during a search, with the real binary: what interrupts it, what waits for it, and how it ends.

use crate::common::client::{Client, after, count, has_error, last_report, nodes, output_after_end_of_input};
use crate::common::{CHESS_START, START};
use std::slice;
use std::time::Duration;

#[test]
fn infinite_waits_for_stop() {
    let mut client = Client::start();
    // Even if the result is known.
    for position in ["position startpos", "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1"] {
        client.ask(position);
        client.send("go infinite");
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!(count(&client.ready(), "bestmove"), 0);
        client.stop();
        client.expect_no_output(Duration::from_millis(20));
    }
}

#[test]
fn ponderhit_and_miss() {
    let mut client = Client::start();
    client.ask("position startpos moves e2e4 e7c5");
    for (wait, end) in [(100, "ponderhit"), (30, "stop")] {
        client.send("go ponder wtime 500 btime 500 winc 0 binc 0");
        std::thread::sleep(Duration::from_millis(wait));
        assert_eq!(count(&client.ready(), "bestmove"), 0);
        client.search(end);
        client.expect_no_output(Duration::from_millis(20));
    }
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
    client.stop();
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
            client.send_all(&[go, command, "stop"]);
            let mut lines = client.ready();
            // The answer to `isready` may come first.
            if count(&lines, "bestmove") == 0 {
                lines = client.until("bestmove");
            }
            assert_eq!(count(&lines, "bestmove"), 1, "{go}, {command}");
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
        client.send_all(&["go infinite", command]);
        let best = client.best_move("stop");
        assert!(legal.contains(&best), "{command}: {best}");
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
fn many_quick_games() {
    let mut client = Client::start();
    for _ in 0..100 {
        client.send_all(&["ucinewgame", "isready", "position startpos"]);
        client.best_move("go nodes 20");
    }
    client.quit();
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

/// Lines are read however many wait: `stop` ends what they wait for, and `isready` is answered.
#[test]
fn any_number_of_lines_may_wait() {
    let long = format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(2500));
    for (line, count, commands) in [
        ("position startpos", 1025, "perft 11\ngo depth 3"),
        ("position startpos", 1025, "bench 60\nperft 11\ngo depth 3"),
        ("position startpos", 1025, "go depth 120\nwait"),
        ("isready", 1025, "speedtest 1 1 600\nperft 11\ngo depth 3"),
        ("xyz", 50_000, "perft 11\nbench 60\ngo depth 120\nwait"),
        (&long, 340, "perft 11\ngo depth 3"),
    ] {
        let mut client = Client::start();
        client.send(commands);
        client.send_bytes(format!("{line}\n").repeat(count).as_bytes());
        if !commands.ends_with("wait") {
            client.send("isready");
            client.until("readyok");
        }
        client.send_all(&["stop", "quit"]);
        client.until("bestmove");
        assert!(client.wait().success(), "{line:.20} {commands}");
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
    for (command, name) in [
        ("go perft 9", "perft"),
        ("bench 60", "bench"),
        ("speedtest 1 1 600", "speedtest"),
        ("genfens 1 nodes 1000000000000", "genfens"),
        ("genfens 1000000000", "genfens"),
    ] {
        let mut client = Client::start();
        client.send(&format!("{command}\nquit\nstop"));
        client.until_end(&format!("{name} was stopped"));
        assert!(client.wait().success(), "{command}");
    }
}

#[test]
fn piped_input_completes_perft_and_wait() {
    let input = "go depth 3\nwait\nposition startpos moves e2e4\ngo depth 3\nwait\nperft 4\nperft 3\n";
    let mut lines = output_after_end_of_input(input);
    lines.retain(|line| line.starts_with("bestmove") || line.starts_with("Nodes"));
    assert_eq!(count(&lines[..2], "bestmove"), 2, "{lines:?}");
    assert_eq!((lines.len(), lines[2].as_str()), (4, "Nodes searched: 987438"), "{lines:?}");
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
    assert!(client.until("Nodes").ends_with(&["Nodes searched: 987438".to_owned()]));
    client.until("readyok");
    assert!(client.wait().success());
}

/// `wait` is allowed for searches that end by themselves or are stopped: after `stop`, and after `ponderhit` with a
/// clock. Commands after it follow the answer.
#[test]
fn waiting_needs_a_search_that_ends() {
    let mut client = Client::start();
    let clock = "go ponder wtime 300 btime 300";
    for (lines, refusals) in [
        (["go infinite", "stop", "wait", "d"], 0),
        (["go ponder", "stop", "wait", "d"], 0),
        (["go ponder wtime 9000 btime 9000", "stop", "wait", "d"], 0),
        (["go nodes 100000000000", "wait", "stop", "d"], 0),
        (["go infinite", "wait", "stop", "wait\nd"], 1),
        ([clock, "wait", "ponderhit", "wait\nd"], 1),
        (["go ponder", "wait", "ponderhit", "wait\nd"], 2),
    ] {
        client.silent(&["position startpos"]);
        client.send_all(&lines);
        let answers = client.until("Fen:");
        let refused = answers.iter().filter(|line| has_error(slice::from_ref(line), "ends only on")).count();
        assert_eq!(refused, refusals, "{lines:?}: {answers:#?}");
        assert_eq!(count(&answers, "bestmove") == 1, refusals < 2, "{lines:?}: {answers:#?}");
        client.send("stop");
        client.sync();
    }
    client.assert_responsive();
}
