//! The search through the real binary: what it tells must hold on the board.

use crate::common::bench_positions;
use crate::common::uci::{Client, after, told};
use agoge::board::{Board, Game, Outcome, Variant};

/// Plays a line on the board; panics when a move is illegal.
fn play(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::new(Board::from_fen(fen, Variant::Spartan).unwrap());
    crate::common::play(&mut game, &moves.join(" "));
    game
}

/// Asks for a search and checks what holds for every search.
fn check(client: &mut Client, fen: &str, go: &str) -> Vec<String> {
    client.send(&format!("position fen {fen}"));
    let lines = client.search(go);
    let best = lines.last().and_then(|line| line.split_whitespace().nth(1)).unwrap();
    let told = told(&lines);
    for line in &told {
        play(fen, &after(line, "pv"));
    }
    let last = told.last().unwrap_or_else(|| panic!("nothing was told of {fen} {go}"));
    assert_eq!(after(last, "pv")[0], best, "{fen} {go}: {lines:#?}");
    if let Some(&ponder) = after(lines.last().unwrap(), "ponder").first() {
        play(fen, &[best, ponder]);
    }
    lines
}

#[test]
fn the_last_line_told_is_that_of_the_answer() {
    let mut client = Client::start();
    for threads in [1, 3] {
        client.send(&format!("setoption name Threads value {threads}"));
        for (index, fen) in bench_positions().iter().enumerate() {
            for nodes in [1, 300, 6739, 11_000 + 777 * index] {
                check(&mut client, fen, &format!("go nodes {nodes}"));
            }
        }
    }
}

#[test]
fn lines_of_several_are_all_different_and_legal() {
    let mut client = Client::start();
    client.send("setoption name MultiPV value 5");
    for fen in bench_positions().iter().step_by(3) {
        client.send(&format!("position fen {fen}"));
        let lines = client.search("go nodes 20000");
        let told = told(&lines);
        let count = Board::from_fen(fen, Variant::Spartan).unwrap().count_moves().min(5) as usize;
        let mut first: Vec<&str> = told[told.len() - count..].iter().map(|line| after(line, "pv")[0]).collect();
        told.iter().for_each(|line| drop(play(fen, &after(line, "pv"))));
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), count, "{fen}: {lines:#?}");
    }
}

/// Mates, each with its number of moves for the side to move, or 0 where that is for the search to say:
/// the Persian fool's mate, duple-checks, a lone king, the two kings alone, and being mated.
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
        // Each on its own: what another search left behind must not be needed.
        let mut client = Client::start();
        let go = if moves > 0 { "go depth 6" } else { "go depth 16" };
        let lines = check(&mut client, fen, go);
        let last = told(&lines).pop().unwrap();
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

/// The mate finder proves these at once; the proof used to be lost in lines too short for it.
#[test]
fn a_mate_that_is_proven_is_told() {
    for fen in ["8/2K3h1/h5k1/8/P7/k4Q2/h3R3/4Q3 w - - 3 7", "5Q2/6PK/8/4Q3/8/8/3k4/3k4 w - - 1 17"] {
        let mut client = Client::start();
        let lines = check(&mut client, fen, "go nodes 200000");
        let last = told(&lines).pop().expect("an info line");
        assert!(last.contains(" score mate "), "{fen}: {last}");
        client.quit();
    }
}

#[test]
fn one_thread_searches_the_same_tree_every_time() {
    let search = |client: &mut Client, fen: &str| -> (String, Vec<String>) {
        client.send("ucinewgame");
        client.send(&format!("position fen {fen}"));
        let lines = client.search("go depth 9");
        let told =
            told(&lines).iter().map(|line| after(line, "score")[..2].join(" ") + after(line, "nodes")[0]).collect();
        (lines.last().unwrap().clone(), told)
    };
    let (mut one, mut other) = (Client::start(), Client::start());
    for fen in bench_positions().iter().step_by(7) {
        let first = search(&mut one, fen);
        assert_eq!(first, search(&mut one, fen));
        assert_eq!(first, search(&mut other, fen));
    }
}

#[test]
fn node_limits_are_kept_to_the_node() {
    let mut client = Client::start();
    for nodes in [1000, 5000, 33_333] {
        client.send("ucinewgame");
        let lines = check(&mut client, Variant::Spartan.start_fen(), &format!("go nodes {nodes}"));
        let searched: u64 = after(told(&lines).last().unwrap(), "nodes")[0].parse().unwrap();
        assert!(searched <= nodes, "{searched} nodes of {nodes}");
    }
}

#[test]
fn a_king_that_is_free_to_take_is_taken() {
    // The rook takes one of two kings for nothing; the other one is far away.
    let mut client = Client::start();
    let lines = check(&mut client, "2k4k/hh6/8/8/8/8/PP6/2R1K3 w - - 0 1", "go depth 8");
    assert!(lines.last().unwrap().starts_with("bestmove c1c8"), "{lines:#?}");
}

#[test]
fn exchanges_on_full_boards_come_to_an_end() {
    let mut client = Client::start();
    client.send("position fen 5Q2/k7/www4k/1Q1Q2w1/2w1wQw1/1K1w4/1w1Qw1QQ/Q1QQwQ2 w - - 0 1");
    let lines = client.search("go nodes 3000");
    assert!(!lines.last().unwrap().contains("(none)"));
}
