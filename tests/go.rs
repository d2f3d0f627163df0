//! UCI searches with the real binary: `go` with all its limits, and what is reported.

use crate::common::client::{Client, after, best_move, count, has_error, last_report, nodes};
use crate::common::{FOOLS_MATE, play};
use agoge_core::board::{Board, Game, Variant};
use agoge_core::strength::{RATINGS, Strength};
use std::collections::HashSet;
use std::fs;
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

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

// ---- searches

#[test]
fn an_info_line_is_complete() {
    let mut client = Client::start();
    let lines = client.search("go depth 4");
    let info = last_report(&lines);
    for word in ["depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "tbhits", "time", "pv"] {
        assert!(info.split(' ').any(|other| other == word), "no {word} in '{info}'");
    }
    let pv = after(info, "pv");
    assert_eq!(pv[0], best_move(&lines));
    client.silent(&[&format!("position startpos moves {}", pv.join(" "))]);
}

/// GUIs use the last report before the best move, whatever ended the search.
#[test]
fn the_final_report_is_complete() {
    let mut client = Client::start();
    for threads in [1, 2] {
        client.set("Threads", threads);
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
            final_report(&client.new_search("startpos", go), go);
        }
        // Stopped early and late.
        for wait in [0, 20, 150] {
            client.send("position startpos moves e2e4");
            for (go, end) in [("go infinite", "stop"), ("go ponder wtime 20 btime 20", "ponderhit")] {
                client.send(go);
                thread::sleep(Duration::from_millis(wait));
                final_report(&client.search(end), go);
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
    final_report(&client.stop(), "currmove");
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
}

/// In any order and subset, without time left, and with numbers out of range, which saturate: each `go` has one answer,
/// a legal move.
#[test]
fn every_form_of_go_is_answered() {
    let mut client = Client::start();
    let legal = client.legal_moves();
    for go in [
        "wtime 300 btime 300",
        "btime 300 binc 10 wtime 300 winc 10",
        "movestogo 5 wtime 300 btime 300",
        "movestogo 0 wtime 300 btime 300",
        "depth 3",
        "nodes 500",
        "movetime 50",
        "movetime 50 depth 3 wtime 1000 btime 1000 nodes 1000",
        "mate 1 movetime 50",
        "wtime 1 btime 1 winc 0 binc 0 movestogo 1",
        "btime 300",
        "winc 20",
        "movestogo 3",
        "depth 3 searchmoves e2e4 d2d4",
        "searchmoves d2d4 depth 3",
        " depth\t3 ",
        "depth 0",
        "depth -5",
        "depth 99999999999999999999 movetime 30",
        "nodes 0",
        "nodes 99999999999999999999999999 movetime 30",
        "mate 4294967296 movetime 30",
        "movetime 0",
        "movetime -1",
        "movetime -5",
        "movetime -3600000",
        "movetime 99999999999999999999 depth 2",
        "movestogo 99999999999 wtime 300 btime 300",
        "wtime 0 btime 0",
        "wtime 0 btime 0 movestogo 0",
        "wtime -1 btime -1",
        "wtime -1 btime 3600000",
        "wtime -100 btime -100 winc -5 binc -5",
        "wtime -100000 btime 5 winc -7 binc -7",
        "wtime -3600000 btime -3600000",
        "wtime -9223372036854775808 btime 9223372036854775807",
        "wtime 5 btime 99999999999 movestogo -3",
        "wtime 99999999999999999999 btime 99999999999999999999 winc 99999999999999999999 depth 2",
    ] {
        let best = client.best_move(&format!("go {go}"));
        assert!(legal.contains(&best), "{go}: {best}");
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
    ] {
        let lines = client.search(go);
        assert!(has_error(&lines, part), "{go}: {lines:?}");
    }
    client.send("go searchmoves");
    client.stop();
    client.assert_responsive();
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
    client.ask(&format!("position {FOOLS_MATE}"));
    for go in ["go depth 5", "go wtime 1000 btime 1000", "go movetime 1000", "go nodes 10"] {
        assert_eq!(client.search(go), ["info depth 0 score mate 0", "bestmove (none)"], "{go}");
    }
    client.ask("position fen k7/2Q5/8/8/8/8/8/4K3 b - - 0 80");
    assert_eq!(client.search("go depth 5"), ["info depth 0 score cp 0", "bestmove (none)"]);
    // These wait for `stop` or `ponderhit` even so.
    for (go, end) in [("go infinite", "stop"), ("go ponder movetime 10", "ponderhit"), ("go ponder", "stop")] {
        client.send(go);
        assert_eq!(count(&client.ready(), "bestmove"), 0, "{go}");
        assert_eq!(client.best_move(end), "(none)", "{go}");
        client.expect_no_output(Duration::from_millis(10));
    }
    client.set("UCI_Variant", "chess");
    client.ask("position startpos moves f2f3 e7e5 g2g4 d8h4");
    assert_eq!(client.search("go depth 5"), ["info depth 0 score mate 0", "bestmove (none)"]);
    client.set("UCI_Variant", "spartan");
    // Drawn by rule, but with legal moves: `go` still returns one.
    for fen in ["4k3/8/8/8/8/8/8/4K3 w - - 0 80", "4k3/8/8/8/8/8/8/4K2R w K - 100 80"] {
        client.ask(&format!("position fen {fen}"));
        assert_eq!(client.best_move("go depth 3").len(), 4);
    }
}

/// GUIs that adjudicate by score must not miss a mate because a search was short.
#[test]
fn a_mating_move_is_reported_as_mate_in_one() {
    let mut client = Client::start();
    let mut mates = 0;
    for position in [
        "startpos moves g2g4 g8f6 f2f3",
        // One queen against two kings, the last king, a promotion, castling, and the two kings alone.
        "fen 1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1 moves",
        "fen 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 moves",
        "fen 8/8/8/8/8/6k1/2h5/7K b - - 0 1 moves",
        "fen 4R3/8/8/8/8/1P1k4/1P6/R3K3 w Q - 0 1 moves",
        "fen 8/8/8/8/8/2k5/8/K1k5 b - - 0 1 moves",
        // On the last move before the fifty-move rule.
        "fen k7/8/1K6/8/8/8/8/2Q5 w - - 99 80 moves",
    ] {
        for limit in ["nodes 1", "nodes 10", "depth 1", "depth 2", "depth 3", "movetime 1", "wtime 0 btime 0", "mate 1"]
        {
            let lines = client.new_search(position, &format!("go {limit}"));
            let info = final_report(&lines, limit);
            client.send(&format!("position {position} {}", after(info, "pv")[0]));
            let mated = client.display_field("State") == "checkmate";
            assert_eq!(mated, after(info, "score").starts_with(&["mate", "1"]), "{position}, {limit}: {lines:#?}");
            assert!(!mated || after(info, "pv").len() == 1, "{position}, {limit}: {lines:#?}");
            mates += usize::from(mated);
            assert!(mated || !(limit.contains("depth") || limit.contains("mate")), "{position}, {limit}: {lines:#?}");
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

// ---- time and strength

/// Uses `nodestime` to be independent of the machine.
#[test]
fn slow_movers_think_longer_but_never_beyond_the_clock() {
    let mut client = Client::start();
    client.set("nodestime", 100);
    let mut spent = |percentage: u32, clock: &str| {
        client.silent(&[&format!("setoption name Slow Mover value {percentage}")]);
        nodes(&client.new_search("startpos", &format!("go {clock}")))
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

/// Another thread answers when the main thread has no processor: even then the line comes before the move, and nothing
/// after it.
#[test]
fn answers_on_a_busy_machine_are_complete() {
    let is_over = AtomicBool::new(false);
    let processors = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..2 * processors {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        let mut client = Client::start();
        for threads in [1, 2] {
            client.set("Threads", threads);
            for limit in ["movetime 1", "movetime 30", "wtime 60 btime 60 winc 10 binc 10"].repeat(10) {
                let go = format!("go {limit}");
                final_report(&client.search(&go), &go);
            }
            client.expect_no_output(Duration::from_millis(30));
        }
        is_over.store(true, Relaxed);
    });
}

/// Limits hold for all threads, even if the answer has to wait.
#[test]
fn no_thread_searches_beyond_the_limits() {
    let mut client = Client::start();
    client.set("Threads", 3);
    for go in ["go ponder nodes 20000", "go infinite nodes 20000"] {
        client.send(go);
        thread::sleep(Duration::from_millis(700));
        let lines = client.stop();
        assert!(nodes(&lines) < 100_000, "{go}: {lines:#?}");
    }
}

#[test]
fn limited_strength_limits_the_search() {
    let mut client = Client::start();
    let mut searched = |option: &str| {
        client.send(option);
        nodes(&client.new_search("startpos", "go depth 12"))
    };
    let weakest = searched("setoption name Skill Level value 0");
    let stronger = searched("setoption name Skill Level value 12");
    assert!(weakest < stronger && stronger < 2000, "{weakest} and {stronger} nodes");
    // `UCI_Elo` takes precedence over `Skill Level`, and `UCI_AnalyseMode` over both.
    let weakest_rating =
        format!("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value {}", RATINGS[0]);
    let rated = searched(&weakest_rating);
    assert!(rated < stronger, "{rated} and {stronger} nodes");
    assert!(searched("setoption name UCI_AnalyseMode value true") > 10 * stronger);
    client.quit();
}

/// The table of the levels in engine/README.md has the numbers of the program.
#[test]
fn the_levels_are_those_that_were_measured() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/README.md")).expect("a README");
    let table = readme.lines().skip_while(|line| !line.starts_with("| Level | Elo |")).skip(2);
    let rows: Vec<Vec<&str>> =
        table.take_while(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), RATINGS.len());
    for (level, row) in rows.iter().enumerate() {
        let Strength { nodes, error } = Strength::of_level(level as f64);
        let error = format!("{}.{:02}", error / 100, error % 100);
        assert_eq!(row[1..5], [level.to_string(), RATINGS[level].to_string(), nodes.to_string(), error]);
    }
}

/// The random errors differ between games.
#[test]
fn a_limited_engine_does_not_always_play_the_same() {
    let mut client = Client::start();
    client.set("Skill Level", 0);
    let mut play = |_| best_move(&client.new_search("startpos", "go depth 5")).to_owned();
    let moves: HashSet<String> = (0..12).map(&mut play).collect();
    assert!(moves.len() > 1, "{moves:?}");
    client.quit();
}

#[test]
fn a_limited_engine_reports_one_line_and_finally_its_move() {
    let mut client = Client::start();
    client.set("Skill Level", 0);
    for _ in 0..8 {
        let lines = client.search("go nodes 3000");
        assert!(lines.iter().all(|line| !line.contains(" multipv ") || after(line, "multipv")[0] == "1"), "{lines:#?}");
        assert_eq!(after(last_report(&lines), "pv")[0], best_move(&lines), "{lines:#?}");
    }
    client.quit();
}
