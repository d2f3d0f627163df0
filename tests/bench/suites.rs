//! The position files made by the tools of this package, and end-to-end tests of `suite` and `mates`.

use crate::common::{bench, directory, text};
use agoge_bench::analysis::white_view;
use agoge_bench::epd::{Epd, canonical};
use agoge_bench::suites::puzzles::puzzle::{Puzzle, rating};
use agoge_bench::suites::solver::{MAX_MOVES, MateKind, Solver, promotes_to_king};
use agoge_bench::suites::task::{Task, read_moves};
use agoge_core::board::{Game, Variant};
use agoge_core::types::Colour;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::process::Output;

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "positions", name].iter().collect()
}

fn read(name: &str) -> Vec<Epd> {
    let lines = Epd::read(&path(name), Variant::Spartan).unwrap_or_else(|error| panic!("{error}"));
    assert!(lines.errors.is_empty(), "{:?}", lines.errors);
    lines.positions.into_iter().map(|(_, epd)| epd).collect()
}

#[test]
fn the_book_has_many_balanced_calm_openings() {
    let book = read("openings.epd");
    assert!(book.len() >= 4000, "{} openings", book.len());
    let mut seen = HashSet::new();
    let (mut plies, mut sides) = (BTreeMap::new(), [0; 2]);
    for epd in &book {
        let board = &epd.board;
        let black = board.side_to_move() == Colour::Black;
        assert!(seen.insert(canonical(board)), "{epd}: twice");
        assert!(!board.in_check() && board.attacked_kings().is_empty(), "{epd}: a king is attacked");
        assert!(Game::new(board.clone()).outcome().is_none(), "{epd}: the game is over");
        assert_eq!((board.kings(Colour::White).count(), board.kings(Colour::Black).count()), (1, 2), "{epd}");
        let ply = 2 * (board.fullmove_number() - 1) + u16::from(black);
        assert!((6..=12).contains(&ply), "{epd}: ply {ply}");
        *plies.entry(ply).or_insert(0) += 1;
        sides[usize::from(black)] += 1;
        // Balanced: near White's normal advantage of 85 and near zero.
        let white = white_view(board.side_to_move(), epd.number("ce").unwrap().unwrap());
        assert!(white.abs() <= 80 && (white - 85).abs() <= 80, "{epd}: {white}");
        assert!(epd.number::<u64>("acn").unwrap().unwrap() >= 100_000, "{epd}");
        let wins = |mv| board.is_noisy(mv) && board.see_ge(mv, 100);
        assert!(!board.legal_moves().into_iter().any(wins), "{epd}: a capture wins material");
    }
    assert!(plies.len() == 7 && plies.values().all(|&count| count >= book.len() / 20), "{plies:?}");
    assert!(sides.iter().all(|&count| count >= book.len() / 4), "{sides:?}");
}

#[test]
fn there_are_many_mates_of_all_kinds() {
    let mates = read("mates.epd");
    assert!(mates.len() >= 300, "{} mates", mates.len());
    let mut seen = HashSet::new();
    let (mut kinds, mut lengths, mut kings) = (BTreeMap::new(), BTreeMap::new(), 0);
    for epd in &mates {
        assert!(seen.insert(canonical(&epd.board)), "{epd}: twice");
        let moves: u32 = epd.number("dm").unwrap().unwrap();
        let solutions = read_moves(epd, "bm").unwrap_or_else(|error| panic!("{epd}: {error}"));
        // The line ends in a mate of the stated kind.
        let mut game = Game::new(epd.board.clone());
        let mut line = Vec::new();
        for text in epd.operand("c1").unwrap().split_whitespace() {
            let mv = game.board().parse_move(text).unwrap_or_else(|error| panic!("{epd}: {text}: {error}"));
            game.push(mv).unwrap();
            line.push(mv);
        }
        assert_eq!(line.len() as u32, 2 * moves - 1, "{epd}");
        assert!(game.board().in_check() && !game.board().has_legal_move(), "{epd}: no mate");
        assert!(solutions.contains(&line[0]), "{epd}");
        let kind = MateKind::of(&epd.board, &line);
        let theme = epd.operand("c0").unwrap();
        assert!(theme.starts_with(kind.name()), "{epd}");
        let king = line.iter().chain(&solutions).any(|&mv| promotes_to_king(mv));
        assert_eq!(theme.contains("promotion to a king"), king, "{epd}");
        *kinds.entry(kind).or_insert(0) += 1;
        *lengths.entry(moves).or_insert(0) += 1;
        kings += usize::from(king);
    }
    assert!(MateKind::ALL.iter().all(|kind| kinds[kind] >= 40), "{kinds:?}");
    assert!((1..=8).all(|moves| lengths[&moves] >= 10), "{lengths:?}");
    assert!(lengths.keys().all(|&moves| moves <= MAX_MOVES), "{lengths:?}");
    assert!(kings >= 10, "{kings} with a promotion to a king");
}

#[test]
fn the_short_mates_are_correct() {
    let mut solver = Solver::new(16);
    for epd in read("mates.epd") {
        let moves: u32 = epd.number("dm").unwrap().unwrap();
        if moves > 3 {
            continue;
        }
        solver.clear();
        assert_eq!(solver.shortest(&epd.board, moves), Ok(Some(moves)), "{epd}");
        let mut solutions = solver.solutions(&epd.board, moves).unwrap();
        let mut named = read_moves(&epd, "bm").unwrap();
        solutions.sort_unstable_by_key(|mv| mv.bits());
        named.sort_unstable_by_key(|mv| mv.bits());
        assert_eq!(solutions, named, "{epd}");
    }
}

#[test]
fn each_tactic_has_one_legal_best_move() {
    for file in ["tactics.epd", "bestmoves.epd"] {
        let tactics = read(file);
        assert!(tactics.len() >= 200, "{} positions", tactics.len());
        let mut seen = HashSet::new();
        for epd in &tactics {
            assert!(seen.insert(canonical(&epd.board)), "{epd}: twice");
            let Task::Moves { best, avoid } = Task::of(epd).unwrap_or_else(|error| panic!("{epd}: {error}")) else {
                panic!("{epd}: no best move");
            };
            assert!(best.len() == 1 && avoid.is_empty(), "{epd}");
            assert_eq!(epd.operand("c0"), Some(best[0].to_string().as_str()), "{epd}");
            assert!(epd.board.count_moves() > 1, "{epd}");
        }
    }
}

#[test]
fn there_are_many_puzzles_of_all_themes() {
    let puzzles = read("puzzles.epd");
    assert!(puzzles.len() >= 1500, "{} puzzles", puzzles.len());
    let (mut seen, mut ids) = (HashSet::new(), HashSet::new());
    let (mut themes, mut ratings, mut sides) = (BTreeMap::new(), BTreeMap::new(), [0; 2]);
    for epd in &puzzles {
        let puzzle = Puzzle::parse(epd).unwrap_or_else(|error| panic!("{epd}: {error}"));
        let id = epd.operand("id").unwrap();
        assert!(seen.insert(canonical(&epd.board)) && ids.insert(id), "{epd}: twice");
        // The rest follows from the position, the solution and the difficulty.
        assert_eq!(puzzle.epd(id).to_string(), epd.to_string());
        assert!(puzzle.board.count_moves() > 1 && puzzle.difficulty > 0, "{epd}");
        assert!(puzzle.values[0] - puzzle.values[1] >= 0.3, "{epd}");
        for theme in epd.operand("c0").unwrap().split_whitespace() {
            *themes.entry(theme).or_insert(0) += 1;
        }
        *ratings.entry(rating(puzzle.difficulty) / 400).or_insert(0) += 1;
        sides[usize::from(epd.board.side_to_move() == Colour::Black)] += 1;
    }
    for theme in ["duple-check", "duple-checkmate", "king-fork", "promotion", "regicide", "mate-in-2", "endgame"] {
        assert!(themes.get(theme).is_some_and(|&count| count >= 10), "{theme}: {themes:?}");
    }
    assert!((2..6).all(|range| ratings.get(&range).is_some_and(|&count| count >= 50)), "{ratings:?}");
    assert!(sides.iter().all(|&count| count >= puzzles.len() / 4), "{sides:?}");
}

/// A sample. The engine that made the puzzles proves all; another network may see a few differently.
#[test]
fn puzzles_are_proven_with_twice_the_nodes() {
    let output = bench("puzzles")
        .arg("check")
        .arg(path("puzzles.epd"))
        .args(["--sample", "20", "--seed", "7"])
        .output()
        .unwrap();
    let text = text(&output.stdout);
    let summary = text.lines().last().unwrap_or("");
    let proven = summary.strip_prefix("20 positions, ").and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(proven.is_some_and(|proven| proven >= 18), "{text}");
}

#[test]
fn false_puzzles_are_detected_and_dropped() {
    let puzzles = std::fs::read_to_string(path("puzzles.epd")).unwrap();
    let good = puzzles.lines().find(|line| line.contains(" dm 1 ")).unwrap();
    let epd = Epd::parse(good, Variant::Spartan).unwrap().unwrap();
    let solution = epd.operand("pv").unwrap();
    let other = epd.board.legal_moves().into_iter().find(|mv| mv.to_string() != solution).unwrap();
    let wrong = good.replace(&format!("pv {solution} "), &format!("pv {other} "));
    let by_margin = wrong.replace("dm 1 ; ", "").replace(&format!("acn {}", epd.operand("acn").unwrap()), "acn 5000");
    let file = file("puzzles", &format!("# header\n{good}\n{wrong}\n{by_margin}\n"));
    let check = |arguments: &[&str]| bench("puzzles").args(["check", &file]).args(arguments).output().unwrap();
    let output = check(&[]);
    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("is not the only mate in 1") && text.contains("is better than"), "{text}");
    assert!(text.ends_with("3 positions, 1 proven, 2 not\n"), "{text}");
    assert_eq!(check(&["--drop"]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("# header\n{good}\n"));
    assert_eq!(check(&[]).status.code(), Some(0));
}

#[test]
fn false_tactics_are_detected_and_dropped() {
    let tactics = std::fs::read_to_string(path("tactics.epd")).unwrap();
    let good = tactics.lines().find(|line| line.contains(" id tactic.29.43")).unwrap();
    let wrong = good.replace(" bm Nc3 ", " bm g4 ");
    let undecided = "7k/8/8/8/8/8/8/K5R1 w - - 0 1 ; bm Rg2";
    let file = file("tactics", &format!("# header\n{wrong}\n{good}\n{undecided}\n"));
    let check = |arguments: &[&str]| {
        bench("tactics").args(["check", &file, "--nodes", "100000", "--hash", "8"]).args(arguments).output().unwrap()
    };
    let output = check(&[]);
    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("Nc3 is better than all other moves by ") && text.contains("no clear best move: "), "{text}");
    assert!(text.ends_with("3 positions, 1 confirmed, 2 not\n"), "{text}");
    assert_eq!(check(&["--drop"]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("# header\n{good}\n"));
    assert_eq!(check(&[]).status.code(), Some(0));

    std::fs::write(&file, "7k/8/8/8/8/8/8/K5R1 w - - 0 1 ; dm 3\n").unwrap();
    let output = check(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 1: no bm"));
}

#[test]
fn the_same_seed_gives_the_same_puzzles() {
    let directory = directory("suites-make-puzzles");
    let make = |name: &str, count: &str| {
        let out = directory.join(name);
        let nodes = ["--play-nodes", "60", "--scan-nodes", "500", "--nodes", "3000", "--mate-nodes", "5000"];
        let output = bench("puzzles").args(["make", "--count", count, "--out"]).arg(&out).args(nodes).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read_to_string(&out).unwrap()
    };
    let puzzles = make("one.epd", "6");
    assert_eq!(puzzles.lines().filter(|line| !line.starts_with('#')).count(), 6);
    assert_eq!(make("two.epd", "6"), puzzles);
    for line in puzzles.lines() {
        if let Some(epd) = Epd::parse(line, Variant::Spartan).unwrap() {
            assert!(Puzzle::parse(&epd).is_ok(), "{line}");
        }
    }
}

fn suite(arguments: &[&str]) -> Output {
    bench("suite").args(arguments).output().unwrap()
}

/// The path of a file with some lines.
fn file(test: &str, text: &str) -> String {
    let path = directory(&format!("suites-{test}")).join("positions.epd");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const MATE_IN_ONE: &str = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 ; dm 1 ; bm Qg7 ; id easy\n";

#[test]
fn the_exit_status_of_suite_is_the_result() {
    let right = file("right", &format!("# one\n{MATE_IN_ONE}"));
    // The engine finds a mate in 1, so the claimed shortest mate in 3 is wrong.
    let wrong = file("wrong", &MATE_IN_ONE.replace("dm 1", "dm 3"));
    let bad_move = file(
        "bad-move",
        "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 ; bm Qg7 ; id good\n7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 ; am Qg7\n",
    );
    let nonsense = file("nonsense", "7k/8 w\n");
    let over = file("over", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1 ; dm 1\n");
    let empty = file("empty", "# nothing\n");
    for (file, more, status) in [
        (right.as_str(), &["--nodes", "5000", "--require", "100%"][..], 0),
        (right.as_str(), &["--depth", "5", "--require", "100", "--threads", "2"], 0),
        (right.as_str(), &["--movetime", "50", "--full", "--json", "-"], 0),
        (&wrong, &["--nodes", "5000"], 1),
        (&bad_move, &["--nodes", "5000", "--require", "50%"], 0),
        (&bad_move, &["--nodes", "5000", "--require", "51%"], 1),
        (&bad_move, &["--nodes", "5000", "--dm-max", "4"], 2),
        (right.as_str(), &["--nodes", "5000", "--require", "101%"], 2),
        (right.as_str(), &[], 2),
        (&nonsense, &["--nodes", "5000"], 2),
        (&over, &["--nodes", "5000"], 2),
        (&empty, &["--nodes", "5000"], 2),
        ("no/such/file.epd", &["--nodes", "5000"], 2),
    ] {
        let output = suite(&[&[file], more].concat());
        let text = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{file} {more:?}: {text}");
        assert_eq!(text.is_empty(), status < 2, "{file} {more:?}: {text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

/// Byte order marks, line ends and Latin-1; `bm #1`, and a mate of the other side; semicolons and `#` in quotes.
#[test]
fn suites_as_people_have_them() {
    let easy = "7k/8/5K2/8/8/8/8/6Q1 w - -";
    for (name, content) in [
        ("mark", format!("\u{feff}{easy} bm Qg7;\r\n").into_bytes()),
        ("latin1", [b"# Gr\xfcnfeld\n", easy.as_bytes(), b" bm Qg7; id \"\xfc\";\n"].concat()),
        ("joined", format!("{easy} bm Qg7;\n\u{feff}{easy} bm #1;\n\x1a").into_bytes()),
        ("distance", format!("{easy} bm #1;\n{easy} bm #+1\n").into_bytes()),
        ("mated", b"7k/8/5K2/6Q1/8/8/8/8 b - - bm #-1; id \"a; b # c\";\n".to_vec()),
        ("quotes", format!("{easy} c0 \"first; bm Kf5 # x\"; bm Qg7; # by \"hand; bm Kf5\n").into_bytes()),
    ] {
        let path = directory(&format!("suites-people-{name}")).join("positions.epd");
        std::fs::write(&path, content).unwrap();
        let output = suite(&[path.to_str().unwrap(), "--nodes", "20000", "--require", "100%"]);
        let errors = text(&output.stderr);
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{name}: {}", text(&output.stdout));
    }
}

/// A line that cannot be read costs only itself; the status and a message say that it was skipped.
#[test]
fn damaged_lines_of_suites_are_skipped() {
    let path = file("damaged", &format!("8/8 w\n{MATE_IN_ONE}7k/8/5K2/8/8/8/8/6Q1 w - - bm Qa9;\n{MATE_IN_ONE}"));
    let output = suite(&[&path, "--nodes", "5000"]);
    let (errors, printed) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(printed.contains("2 of 2 solved"), "{printed}");
    let messages: Vec<&str> = errors.lines().collect();
    assert!(messages.len() == 2 && messages[0].contains("line 1: ") && messages[1].contains("line 3: "), "{errors}");
    let output = bench("mates").args(["verify", &path, "--table", "1"]).output().unwrap();
    assert!(text(&output.stdout).ends_with("4 mates, 2 proven, 2 not\n"), "{output:?}");
    let chess = file("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ; bm e4\n");
    let output = suite(&[&chess, "--nodes", "5000"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a position of chess, not of spartan"), "{output:?}");
}

#[test]
fn suite_writes_json() {
    let file = file("json", MATE_IN_ONE);
    let output = suite(&[&file, "--nodes", "5000", "--json", "-"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["solved"], 1);
    assert_eq!(value["passed"], true);
    assert_eq!(value["wrong_mates"], 0);
    assert_eq!(value["verdicts"][0]["id"], "easy");
    assert!(value["verdicts"][0]["solution_nodes"].as_u64().unwrap() <= 5000);
}

#[test]
fn results_are_not_overwritten() {
    let (file, json) = (file("overwrite", MATE_IN_ONE), file("overwritten", "precious"));
    let run = |more: &[&str]| suite(&[&[&file, "--nodes", "5000", "--json", &json], more].concat());
    let output = run(&[]);
    let message = format!("agoge-bench suite: {json}: the file exists; --force overwrites it\n");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), message));
    assert_eq!(std::fs::read(&json).unwrap(), b"precious");
    assert_eq!(run(&["--force"]).status.code(), Some(0));
    assert_ne!(std::fs::read(&json).unwrap(), b"precious");
}

#[test]
fn short_mates_are_found_and_none_is_wrong() {
    let file = path("mates.epd");
    let file = file.to_str().unwrap();
    let output = suite(&[file, "--nodes", "200000", "--dm-max", "2", "--require", "100%", "--quiet"]);
    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("wrong 0"), "{text}");
}

#[test]
fn false_mates_are_detected() {
    for (name, from, to, status) in [
        ("true", "", "", 0),
        ("longer", "dm 1", "dm 2", 1),
        ("zero", "dm 1", "dm 0", 1),
        ("no-mate", "bm Qg7", "bm Qg7 Qg2", 1),
        ("illegal", "bm Qg7", "bm Qa2", 1),
        ("other-side", "w - -", "b - -", 1),
        ("no-number", "dm 1", "dm one", 1),
        ("no-board", "7k", "7x", 2),
    ] {
        let file = file(name, &MATE_IN_ONE.replacen(from, to, 1));
        let output = bench("mates").args(["verify", &file, "--table", "1"]).output().unwrap();
        let text = text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{name}: {text}");
    }
}
