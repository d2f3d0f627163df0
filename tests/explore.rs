//! `agoge explore` with the real binary.

use crate::common::START;
use crate::common::client::{Ended, run};
use agoge_core::board::{Board, Variant};
use agoge_core::rng::Rng;
use agoge_core::search::win_draw_loss;
use agoge_core::theory::{KnownMove, Position, Theory};
use agoge_core::types::Colour;
use agoge_core::types::score::{Score, Value};
use serde_json::{Value as Json, json};
use std::fs;

/// The theory as text, from which the one in the program is made.
fn theory() -> Theory {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../positions/theory.epd");
    Theory::parse(&fs::read_to_string(path).expect("the file")).expect("theory")
}

fn explore(line: &str) -> Ended {
    let arguments: Vec<&str> = ["explore"].into_iter().chain(line.split(' ').filter(|word| !word.is_empty())).collect();
    run(&arguments)
}

fn explore_json(line: &str) -> Json {
    let ended = explore(&format!("{line} --json"));
    assert_eq!((ended.code, ended.stdout.lines().count()), (Some(0), 1), "{line}: {ended:?}");
    serde_json::from_str(&ended.stdout).expect("JSON")
}

fn score(value: Value) -> Json {
    match Score::from(value) {
        Score::Cp(value) => json!({"cp": value}),
        Score::Mate(moves) => json!({"mate": moves}),
    }
}

/// The results of games, from those that a side has won, drawn and lost.
fn games([won, draws, lost]: [u32; 3], side: Colour) -> Json {
    let [white, black] = if side == Colour::White { [won, lost] } else { [lost, won] };
    json!({"white": white, "draws": draws, "black": black})
}

/// Asserts that an object has the value and the searches, if there are any.
fn assert_has(object: &Json, value: Value, searches: Option<&Position>) {
    let [win, draw, _] = win_draw_loss(value);
    assert_eq!(object["score"], score(value), "{object}");
    let expected = object["expected"].as_f64().expect("a number");
    assert!((expected - (f64::from(win) + f64::from(draw) / 2.0) / 1000.0).abs() < 1e-9, "{object}");
    let (depth, nodes) = (object.get("depth"), object.get("nodes"));
    let searches = searches.filter(|position| position.depth > 0);
    assert_eq!(depth.cloned(), searches.map(|position| json!(position.depth)), "{object}");
    assert_eq!(nodes.cloned(), searches.map(|position| json!(position.nodes)), "{object}");
}

/// A random line of theory: coordinates, the position at its end.
fn random_line(theory: &Theory, rng: &mut Rng) -> (Vec<String>, Board) {
    let (mut line, mut board) = (Vec::new(), Board::start(Variant::Spartan));
    let length = rng.below(9);
    while let Some(position) = theory.get(&board).filter(|_| line.len() < length) {
        let known = position.moves[rng.below(position.moves.len())];
        let next = board.after(known.mv);
        if theory.get(&next).is_none() {
            break;
        }
        line.push(known.mv.to_string());
        board = next;
    }
    (line, board)
}

#[test]
fn values_and_games_are_those_of_the_file() {
    let theory = theory();
    let mut rng = Rng::new(7);
    for _ in 0..12 {
        let (line, board) = random_line(&theory, &mut rng);
        let position = theory.get(&board).expect("a position of theory");
        let answer = explore_json(&line.join(" "));
        let known = &answer["theory"];
        assert_eq!(answer["fen"], board.to_fen());
        assert_eq!((&answer["plies"], &known["plies"]), (&json!(line.len()), &json!(line.len())));
        let side = board.side_to_move();
        assert_has(known, position.value(), Some(position));
        assert_eq!(known["games"], games(position.games, side));
        let text = explore(&line.join(" ")).stdout;
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let moves = known["moves"].as_array().expect("moves");
        assert_eq!(moves.len(), position.moves.len());
        for (object, KnownMove { mv, value }) in moves.iter().zip(position.best_first()) {
            let next = theory.get(&board.after(mv));
            assert_eq!((&object["move"], &object["san"]), (&json!(mv.to_string()), &json!(board.to_san(mv))));
            assert_has(object, value, next);
            assert_eq!(object["games"], next.map_or(Json::Null, |next| games(next.games, !side)));
            let row = text.lines().find(|line| line.starts_with(&format!("{} ", board.to_san(mv)))).expect("a row");
            let pawns = match Score::from(value) {
                Score::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
                Score::Mate(moves) => format!("{}M{}", if moves < 0 { "-" } else { "" }, moves.abs()),
            };
            assert!(row.split_whitespace().any(|word| word == pawns), "{row}: {pawns}");
        }
    }
}

#[test]
fn moves_may_be_written_in_many_ways() {
    let wanted = explore_json("e2e4 b7d5 e4e5");
    for line in
        ["1.e4 Hbd5 2.e5", "1. e4 Hbd5 2. e5", "startpos moves e2e4 b7d5 e4e5", &format!("{START} 1.e4 Hbd5 2.e5")]
    {
        assert_eq!(explore_json(line), wanted, "{line}");
    }
    // In one argument, too.
    assert_eq!(run(&["explore", "1.e4 Hbd5 2.e5"]).stdout, explore("1.e4 Hbd5 2.e5").stdout);
}

#[test]
fn where_a_line_left_theory_is_told() {
    let theory = theory();
    let start = Board::start(Variant::Spartan);
    let first = theory.get(&start).expect("the initial position").moves[0];
    let board = start.after(first.mv);
    let known = theory.get(&board).expect("a position of theory");
    let is_known = |mv| known.moves.iter().any(|known| known.mv == mv);
    let other = board.legal_moves().into_iter().find(|&mv| !is_known(mv) && theory.get(&board.after(mv)).is_none());
    let line = format!("{} {}", first.mv, other.expect("a move that is not in theory"));
    let answer = explore_json(&line);
    assert_eq!((&answer["plies"], &answer["theory"]["plies"]), (&json!(2), &json!(1)));
    assert_eq!(answer["theory"]["fen"], board.to_fen());
    let text = explore(&line).stdout;
    let best = board.to_san(known.best_first()[0].mv);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let place = format!("The line left it after 1. {}, where theory plays {best} (", start.to_san(first.mv));
    assert!(words.contains("This position is not in the opening theory.") && words.contains(&place), "{text}");
    assert!(text.ends_with(&format!("The last position in theory: {}\n", board.to_fen())), "{text}");
    let text = explore("k7/8/8/8/8/8/8/K7 w - - 0 1").stdout;
    assert!(text.contains("This position is not in the opening theory.\n"), "{text}");
}

#[test]
fn endgames_have_exact_results() {
    let fen = "k7/2Q5/1K6/8/8/8/8/8 w - - 0 1";
    let answer = explore_json(fen);
    assert_eq!(answer["theory"], Json::Null);
    let moves = answer["exact"].as_array().expect("moves");
    assert_eq!(moves.len(), Board::from_fen(fen, Variant::Spartan).expect("a position").legal_moves().len());
    assert_eq!((&moves[0]["result"], &moves[0]["mate"]), (&json!("win"), &json!(1)));
    assert!(moves.iter().any(|mv| mv["result"] == "draw"), "{answer}");
    let text = explore(fen).stdout;
    assert!(text.contains(" win, mate in 1\n") && text.contains(" draw\n"), "{text}");
    assert!(explore_json("").get("exact").is_none());
}

#[test]
fn errors_are_sentences_with_an_exit_status() {
    for (arguments, error, code) in [
        (&["explore", "e4", "d5"][..], "agoge: move 1... 'd5' could mean Hbd5 or Hfd5.\n", 2),
        (&["explore", "8/8 w - -"], "agoge: The piece placement in the FEN cannot be read: 2 ranks, not 8.\n", 2),
        (&["--variant", "chess", "explore"], "agoge: explore has the theory of Spartan Chess only.\n", 2),
        (&["explore", "--tables", "/no/such/folder"], "agoge: unusable endgame table: /no/such/folder: ", 1),
        (&["explore", "--xyzzy"], "agoge explore: unexpected argument '--xyzzy' found", 2),
    ] {
        let ended = run(arguments);
        assert!(
            ended.code == Some(code) && ended.stderr.starts_with(error) && ended.stdout.is_empty(),
            "{arguments:?}: {ended:?}"
        );
    }
    assert!(run(&["explore", "--help"]).stdout.contains("--json"));
}
