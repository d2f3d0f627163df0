//! The search of the real binary: everything that it reports must hold on the board.

use crate::common::client::{Client, after, best_move, last_report, nodes, reports};
use crate::common::{bench_positions, cases, epd_file};
use agoge_core::board::{Board, Game, Outcome, Variant};

/// Plays a line on the board; panics if a move is illegal.
fn play(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::new(Board::from_fen(fen, Variant::Spartan).unwrap());
    crate::common::play(&mut game, &moves.join(" "));
    game
}

/// Runs a search and checks invariants of all searches.
fn check(client: &mut Client, fen: &str, go: &str) -> Vec<String> {
    client.send(&format!("position fen {fen}"));
    let lines = client.search(go);
    let best = best_move(&lines);
    for line in reports(&lines) {
        play(fen, &after(line, "pv"));
    }
    assert_eq!(after(last_report(&lines), "pv")[0], best, "{fen} {go}: {lines:#?}");
    if let Some(&ponder) = after(lines.last().unwrap(), "ponder").first() {
        play(fen, &[best, ponder]);
    }
    lines
}

#[test]
fn the_last_report_belongs_to_the_best_move() {
    let mut client = Client::start();
    for threads in [1, 3] {
        client.set("Threads", threads);
        for (index, fen) in bench_positions().iter().enumerate().step_by(cases(1, 3)) {
            for nodes in [1, 300, 6739, 11_000 + 777 * index] {
                check(&mut client, fen, &format!("go nodes {nodes}"));
            }
        }
        // The mate finder used to change the best move without a report.
        for nodes in (20_000..=300_000).step_by(40_000) {
            client.send("ucinewgame");
            check(&mut client, "8/8/8/8/3k4/8/8/R3K2R w - - 0 1", &format!("go nodes {nodes}"));
        }
    }
}

#[test]
fn multipv_lines_are_different_and_legal() {
    let mut client = Client::start();
    client.set("MultiPV", 5);
    for fen in bench_positions().iter().step_by(3) {
        client.send(&format!("position fen {fen}"));
        let lines = client.search("go nodes 20000");
        let reports = reports(&lines);
        let count = Board::from_fen(fen, Variant::Spartan).unwrap().count_moves().min(5) as usize;
        let mut first: Vec<&str> = reports[reports.len() - count..].iter().map(|line| after(line, "pv")[0]).collect();
        reports.iter().for_each(|line| drop(play(fen, &after(line, "pv"))));
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), count, "{fen}: {lines:#?}");
    }
}

/// Mates with the number of moves for the side to move, or 0 to accept any: the Persian fool's mate, duple-checks, a
/// lone king, the two kings alone, and being mated.
const MATES: [(&str, i32); 6] = [
    ("lgkcck1l/hhhhhhhh/5w2/8/6P1/5P2/PPPPP2P/RNBQKBNR b KQ - 0 2", 1),
    ("1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1", 1),
    ("8/8/8/8/8/2k5/8/K1k5 b - - 0 1", 1),
    ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1),
    ("8/8/8/5K2/8/6k1/8/Q7 w - - 0 80", 0),
    ("8/8/8/5K2/Q7/6k1/8/8 b - - 0 80", 0),
];

#[test]
fn mates_are_found_and_their_lines_end_in_mate() {
    for (fen, moves) in MATES {
        // A new engine each, so that no result of another search helps.
        let mut client = Client::start();
        let go = if moves > 0 { "go depth 6" } else { "go depth 16" };
        let lines = check(&mut client, fen, go);
        let last = last_report(&lines);
        let score = after(last, "score");
        assert_eq!(score[0], "mate", "{fen}: {last}");
        let mate: i32 = score[1].parse().unwrap();
        assert!(moves == 0 || mate == moves, "{fen}: mate in {mate}, not {moves}");
        let line = after(last, "pv");
        let plies = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
        assert_eq!(line.len() as i32, plies, "{fen}: {last}");
        assert!(matches!(play(fen, &line).outcome(), Some(Outcome::Checkmate { .. })), "{fen}: {last}");
    }
}

/// The mate finder proves these immediately; the proof used to be lost when the line was too short.
#[test]
fn a_proven_mate_is_reported() {
    for fen in ["8/2K3h1/h5k1/8/P7/k4Q2/h3R3/4Q3 w - - 3 7", "5Q2/6PK/8/4Q3/8/8/3k4/3k4 w - - 1 17"] {
        let mut client = Client::start();
        let lines = check(&mut client, fen, "go nodes 200000");
        let last = last_report(&lines);
        assert!(last.contains(" score mate "), "{fen}: {last}");
        client.quit();
    }
}

#[test]
fn node_limits_are_exact() {
    let mut client = Client::start();
    for limit in [1000, 5000, 33_333] {
        client.send("ucinewgame");
        let lines = check(&mut client, Variant::Spartan.start_fen(), &format!("go nodes {limit}"));
        assert!(nodes(&lines) <= limit, "{} nodes of {limit}", nodes(&lines));
    }
}

#[test]
fn an_unprotected_king_is_captured() {
    // The rook wins one of two kings; the other one is far away.
    let mut client = Client::start();
    let lines = check(&mut client, "2k4k/hh6/8/8/8/8/PP6/2R1K3 w - - 0 1", "go depth 8");
    assert!(lines.last().unwrap().starts_with("bestmove c1c8"), "{lines:#?}");
}

#[test]
fn exchanges_on_full_boards_terminate() {
    let mut client = Client::start();
    client.send("position fen 5Q2/k7/www4k/1Q1Q2w1/2w1wQw1/1K1w4/1w1Qw1QQ/Q1QQwQ2 w - - 0 1");
    let lines = client.search("go nodes 3000");
    assert!(!lines.last().unwrap().contains("(none)"));
}

/// Won positions without a short mate.
const WON: [&str; 8] = [
    "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/4K3 b - - 0 1",
    "4k3/3hhh2/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
    "4kk2/2hhhh2/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
    "2k2k2/hh3hh1/8/8/3g4/8/5PPP/4K3 b - - 0 1",
    "8/2h1k3/3c4/8/4P3/1w6/5K2/8 b - - 0 1",
    "8/8/4k3/4h3/8/2Q4P/5PK1/1R6 w - - 0 56",
    "1k6/8/8/8/3g4/K7/8/8 b - - 0 1",
    "8/3k4/8/2h5/8/1P6/1KQ5/8 w - - 0 1",
];

/// The depth, score, nodes and line of each iteration.
fn iterations(lines: &[String]) -> Vec<String> {
    let parts = |line: &String| {
        let number = |word| after(line, word).first().map_or("", |number| number).to_owned();
        let fields = ["depth", "multipv", "cp", "mate", "nodes"].map(|word| format!("{word} {}", number(word)));
        format!("{} {}", fields.join(" "), after(line, "pv").join(" "))
    };
    reports(lines).into_iter().map(parts).collect()
}

/// A search must not depend on its remaining nodes.
#[test]
fn a_short_search_is_the_prefix_of_a_long_one() {
    let mut client = Client::start();
    let positions = bench_positions();
    for fen in positions.iter().step_by(5).map(String::as_str).chain(WON) {
        let position = format!("fen {fen}");
        let mut search = |nodes: u32| iterations(&client.new_search(&position, &format!("go nodes {nodes}")));
        let long = search(60_000);
        for nodes in [700, 3000, 11_111, 30_000] {
            let mut short = search(nodes);
            // The last report belongs to the aborted iteration.
            short.pop();
            assert_eq!(short, long[..short.len()], "{fen}, {nodes} nodes");
        }
    }
}

/// `searchmoves` turns the mate finder off. The mate finder must hardly add to the cost of an iteration.
#[test]
fn the_mate_finder_uses_few_nodes() {
    for fen in WON {
        let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
        let moves: Vec<String> = board.legal_moves().iter().map(ToString::to_string).collect();
        let search = |go: &str| {
            let lines = check(&mut Client::start(), fen, go);
            let last = last_report(&lines).to_owned();
            (after(&last, "depth")[0].parse::<u32>().unwrap(), nodes(&lines), last)
        };
        for depth in [1, 2, 3] {
            let with = search(&format!("go depth {depth}"));
            let without = search(&format!("go depth {depth} searchmoves {}", moves.join(" ")));
            assert!(with.1 <= without.1 + without.1 / 10, "{fen}: {} and {} nodes", with.1, without.1);
        }
        let with = search("go nodes 20000");
        let without = search(&format!("go nodes 20000 searchmoves {}", moves.join(" ")));
        assert!(with.2.contains(" mate ") || with.0 + 1 >= without.0, "{fen}: {with:?} {without:?}");
    }
}

/// Checks the guarantees for GUIs: depths from 1, values in range, and MultiPV ranks in order.
fn check_lines(lines: &[String], count: usize, context: &str) {
    let mut ranks: Vec<(usize, i64)> = Vec::new();
    for line in reports(lines) {
        let number = |word: &str| after(line, word)[0].parse::<i64>().unwrap();
        assert!(number("depth") >= 1, "{context}: {line}");
        let score = match after(line, "score")[..2] {
            ["cp", cp] => {
                let cp: i64 = cp.parse().unwrap();
                assert!(cp.abs() <= 20_000, "{context}: {line}");
                cp
            }
            ["mate", moves] => {
                let moves: i64 = moves.parse().unwrap();
                assert!(moves != 0 && moves.abs() <= 64, "{context}: {line}");
                moves.signum() * (100_000 - moves.abs())
            }
            _ => panic!("{context}: {line}"),
        };
        let rank = number("multipv") as usize;
        if rank == 1 {
            ranks.clear();
        }
        ranks.push((rank, score));
        let expected: Vec<usize> = (1..=ranks.len()).collect();
        assert_eq!(ranks.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), expected, "{context}: {lines:#?}");
        let is_sorted = ranks.windows(2).all(|pair| pair[0].1 >= pair[1].1);
        assert!(is_sorted, "{context}: {ranks:?} {lines:#?}");
    }
    assert_eq!(ranks.len(), count, "{context}: {lines:#?}");
}

#[test]
fn lines_are_complete_and_in_order() {
    let mut client = Client::start();
    let positions = bench_positions();
    let races =
        ["8/3P4/8/8/5K2/8/4k3/8 w - - 0 1", "8/8/1K6/7R/8/6R1/8/5k2 b - - 0 1", "8/8/8/8/7g/3k4/1K6/8 w - - 0 1"];
    for (multi_pv, threads) in [(1, 1), (4, 1), (3, 4)] {
        client.set("MultiPV", multi_pv);
        client.set("Threads", threads);
        for fen in positions.iter().skip(1).step_by(cases(1, 3) * 4).map(String::as_str).chain(WON).chain(races) {
            let count = Board::from_fen(fen, Variant::Spartan).unwrap().count_moves().min(multi_pv) as usize;
            client.send(&format!("position fen {fen}"));
            // The repeated search starts with the proven results of the first one.
            for nodes in [2500, 20_000, 40_000, 40_000] {
                let lines = client.search(&format!("go nodes {nodes}"));
                check_lines(&lines, count, &format!("{fen}, {multi_pv} lines, {threads} threads, {nodes} nodes"));
            }
        }
    }
}

/// A mate found only through hash table entries used to be reported as 318 pawns.
#[test]
fn far_mates_are_not_reported_in_centipawns() {
    let mut client = Client::start();
    client.set("MultiPV", 4);
    client.send("position fen 8/3P4/8/8/5K2/8/4k3/8 w - - 0 1");
    check_lines(&client.search("go nodes 600000"), 4, "a race");
}

/// A lone piece that sacrifices itself for stalemate used to be overlooked: pruned for what it loses, or evaluated as
/// quiet when no legal move was left.
#[test]
fn stalemate_tricks_are_seen() {
    let mut client = Client::start();
    for (fen, blunder) in
        [("8/8/2R5/kh6/2Q5/P7/3g1P2/5K2 w - - 3 47", "a3a4"), ("QQ6/3k4/8/8/4R3/2g1K3/8/8 w - - 1 75", "e3f4")]
    {
        let lines = check(&mut client, fen, &format!("go nodes 10000 searchmoves {blunder}"));
        let last = last_report(&lines);
        assert_eq!(after(last, "score")[..2], ["cp", "0"], "{fen}: {last}");
    }
}

#[test]
fn three_man_positions_are_probed() {
    let mut client = Client::start();
    // The longest wins: with a pawn, and with a captain.
    for (fen, moves) in [("8/8/8/1k6/8/8/K5P1/8 w - - 0 1", 28), ("8/2K5/8/8/8/8/8/k1c5 b - - 0 1", 21)] {
        let lines = check(&mut client, fen, "go depth 2");
        let last = last_report(&lines);
        let ["mate", mate] = after(last, "score")[..2] else { panic!("{fen}: {last}") };
        let mate: usize = mate.parse().unwrap();
        assert_ne!(after(last, "tbhits")[0], "0", "{last}");
        let line = after(last, "pv");
        assert!(mate == moves && line.len() == 2 * mate - 1, "{fen}: {last}");
        assert!(matches!(play(fen, &line).outcome(), Some(Outcome::Checkmate { .. })), "{fen}: {last}");
    }
    // Not if the fifty-move rule comes first, and not with limited strength.
    for (fen, option) in [
        ("8/8/8/8/3k4/8/8/K3c3 b - - 90 60", "Skill Level value 20"),
        ("8/8/8/8/3k4/8/8/K3c3 b - - 0 1", "Skill Level value 3"),
    ] {
        client.send(&format!("setoption name {option}"));
        let lines = check(&mut client, fen, "go depth 2");
        assert!(!lines.iter().any(|line| line.contains(" mate ")), "{fen}: {lines:#?}");
    }
}

/// Threads without a mate used to outvote the one that had found it.
#[test]
fn thread_voting_keeps_a_mate() {
    let mut client = Client::start();
    client.set("Threads", 8);
    let mut seen = 0;
    // The positions after the key move of a mate: the side to move is mated.
    for (_, epd) in epd_file("mates.epd", Variant::Spartan).iter().step_by(9) {
        let Some(key) = epd.operand("c1").and_then(|moves| moves.split(' ').next()) else { continue };
        let mut game = Game::new(epd.board.clone());
        crate::common::play(&mut game, key);
        if game.outcome().is_some() {
            continue;
        }
        let fen = game.board().to_fen();
        let lines = client.new_search(&format!("fen {fen}"), "go nodes 80000");
        check_lines(&lines, 1, &fen);
        // All reports except the last are from the main thread.
        let reports = reports(&lines);
        let mates: Vec<i64> = reports
            .iter()
            .filter(|line| !line.contains("bound") && after(line, "score")[0] == "mate")
            .map(|line| after(line, "score")[1].parse().unwrap())
            .collect();
        if let Some(&main) = mates.first() {
            seen += 1;
            let last = reports.last().expect("an answer");
            assert!(last.contains(" mate "), "{fen}: the main thread has mate {main}, the answer is {last}");
        }
    }
    assert!(seen >= 8, "only {seen} mates");
}
