//! Damaged and unusual PGN: a damaged game costs at most its own rest. By `agoge analyse`, the board and the reader.

use crate::common::client::{BINARY, Ended, run_with_input};
use agoge_core::board::Variant;
use agoge_core::notation::pgn::{ParsedGame, Reader};
use serde_json::{Value, json};
use std::process::Command;

fn analyse(text: &[u8]) -> Ended {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("a.pgn");
    std::fs::write(&file, text).expect("a file");
    let mut command = Command::new(BINARY);
    command.arg("analyse").arg(&file).args(["--nodes", "20", "--hash", "1", "--out", "-", "--svg"]);
    run_with_input(command.arg(folder.path().join("a.svg")), b"")
}

fn games(text: &[u8]) -> Vec<ParsedGame> {
    let mut reader = Reader::new(text);
    std::iter::from_fn(|| reader.next_game()).collect()
}

/// What the board reads: the games, or an error.
fn board(text: &str) -> Value {
    let answer = agoge_web::json::answer(&json!({"ask": "read-pgn", "text": text}).to_string());
    serde_json::from_str(&answer).expect("JSON")
}

/// The moves of the board's games, in SAN.
fn board_moves(answer: &Value) -> Vec<String> {
    let moves = |game: &Value| -> Vec<String> {
        let nodes = game["nodes"].as_array().expect("nodes");
        nodes.iter().map(|node| node["san"].as_str().expect("a move").to_owned()).collect()
    };
    answer["ok"].as_array().unwrap_or(&Vec::new()).iter().map(|game| moves(game).join(" ")).collect()
}

fn written_moves(text: &str) -> Vec<String> {
    let moves = |game: ParsedGame| game.moves.into_iter().map(|mv| mv.san).collect::<Vec<_>>().join(" ");
    games(text.as_bytes()).into_iter().map(moves).collect()
}

const TAGS: &str = "[Event \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n[Variant \"Spartan\"]\n\n";

/// Each text between two good games, the moves that are read of it, and what the warnings say: a part of one of them,
/// or nothing.
#[test]
fn every_kind_of_damage_costs_only_its_game() {
    let cases: &[(&str, &[&str], &str, i32)] = &[
        // Cut off.
        ("1. e4 {+0.3/8 0.1s} Hbd5 {-0.2", &["e4 Hbd5"], "a comment without }", 3),
        ("1. e4 Hbd5 2. Nf", &["e4 Hbd5"], "2.Nf: not a move", 3),
        ("1. e4 Hbd5 1/2-", &["e4 Hbd5"], "without a result", 3),
        ("1. e4 Hbd5 1-", &["e4 Hbd5"], "without a result", 3),
        ("1. e4 Hbd5", &["e4 Hbd5"], "without a result", 3),
        ("1. e4 Hbd5 (1... Hd", &["e4 Hbd5"], "a variation without )", 3),
        // Braces and parentheses.
        ("1. e4 Hbd5 (1... Hdf5 2. d4 *", &["e4 Hbd5"], "a variation without )", 0),
        ("1. e4 Hbd5 (1... Hdf5 (1... Hac5) 2. d4 *", &["e4 Hbd5"], "a variation without )", 0),
        ("1. e4 ) Hbd5 *", &["e4 Hbd5"], "a surplus )", 0),
        ("1. e4 } Hbd5 ] *", &["e4 Hbd5"], "a surplus }", 0),
        ("1. e4 {a {b} c} Hbd5 *", &["e4 Hbd5"], "a comment in a comment", 0),
        ("1. e4 {a {b {c} d} e} Hbd5 {f} *", &["e4 Hbd5"], "a comment in a comment", 0),
        ("1. e4 { :{ } Hbd5 {good} *", &["e4 Hbd5"], "a { in a comment", 0),
        ("1. e4 [%clk 0:01:00] Hbd5 *", &["e4 Hbd5"], "a [ among the moves", 0),
        // Moves.
        ("1. e4 Hbd5 2. Qh9 Hac5 *", &["e4 Hbd5"], "2.Qh9: not a", 3),
        ("1. e4 -- 2. d4 Hbd5 *", &["e4"], "1...--: a null move", 3),
        ("1. e4 Z0 2. d4 *", &["e4"], "1...Z0: a null move", 3),
        ("1. e4 0000 2. d4 *", &["e4"], "1...0000: a null move", 3),
        ("1. e4 1... 0000? 2. d4 *", &["e4"], "1...0000?: a null move", 3),
        ("1. e4 @@@@ 2. d4 *", &["e4"], "1...@@@@: a null move", 3),
        ("1. e4 Hbd5 (1... -- 2. d4) (1... Z0) (1... @@@@ 2. a3) 2. d4 *", &["e4 Hbd5 d4"], "", 0),
        // Blanks.
        ("1.\u{a0} Nf3\u{a0} Hbd5\u{202f}2. d4\u{3000}*", &["Nf3 Hbd5 d4"], "", 0),
        ("1. e4\u{200b}Hbd5\u{2060} \u{200e}2.\u{feff}d4 *\u{feff}", &["e4 Hbd5 d4"], "", 0),
        ("1. e4\0Hbd5 * \u{1a}", &["e4 Hbd5"], "", 0),
        ("1.\u{2009}e4\u{85}Hbd5\u{2028}*", &["e4 Hbd5"], "", 0),
        // Results.
        ("1. e4 Hbd5 1/2", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd5 ½-½", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd5 1–0", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd5 1−0", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd5 `1-0`", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd5 0-1`", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd5 0-0", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd5*", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd51-0", &["e4 Hbd5"], "", 0),
        ("1. e4 Hbd51/2-1/2", &["e4 Hbd5"], "", 0),
        ("*1. e4 Hbd5 *", &["e4 Hbd5"], "a result before the moves", 0),
        ("1-01. e4 Hbd5 1-0", &["e4 Hbd5"], "a result before the moves", 0),
        // Signs.
        ("1. e4$1 Hbd5$2$14 2. d4 $3 *", &["e4 Hbd5 d4"], "", 0),
        ("1)e4 Hbd5 2) d4 *", &["e4 Hbd5 d4"], "", 0),
        ("1. e4 1…Hbd5 2.… d4 *", &["e4 Hbd5 d4"], "", 0),
        ("1. e4+- Hbd5+= 2. d4= Hac5 N 3. Nf3N *", &["e4 Hbd5 d4 Hac5 Nf3"], "", 0),
        ("1. e4!± Hbd5 ⩲ 2. d4 +- Hac5 = *", &["e4 Hbd5 d4 Hac5"], "", 0),
    ];
    let good = |mv: &str| format!("{TAGS}1. {mv} *\n\n");
    for &(text, moves, warning, code) in cases {
        // The joined file has byte order marks and the line ends of Windows.
        let joined = format!("\u{feff}{}\u{feff}{TAGS}{text}\n\n{}", good("d4"), good("a3"));
        let joined = joined.replace('\n', "\r\n");
        let output = analyse(joined.as_bytes());
        let expected = [&["d4"], moves, &["a3"]].concat();
        assert_eq!(written_moves(&output.stdout), expected, "{text}: {output:?}");
        assert_eq!(output.code, Some(code), "{text}: {output:?}");
        let messages: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("agoge: ")).collect();
        assert_eq!(messages.is_empty(), warning.is_empty(), "{text}: {messages:?}");
        assert!(messages.iter().all(|line| line.contains(", game 2: ")), "{messages:?}");
        assert!(warning.is_empty() || messages.iter().any(|line| line.contains(warning)), "{text}: {messages:?}");
        if code == 3 {
            assert_eq!(messages.len(), 1, "{text}: {messages:?}");
            let line = joined[..joined.find(text).expect("it is there")].matches('\n').count() + 1;
            assert!(messages[0].contains(&format!("line {line}, ")), "{text}: {messages:?}");
        }
        let answer = board(&joined);
        assert_eq!(board_moves(&answer), expected, "{text}: {answer}");
        let warnings: Vec<&Value> =
            answer["ok"].as_array().expect("games").iter().map(|game| &game["warnings"]).collect();
        let is_null_move = text.contains("(1... --");
        assert_eq!(warnings[1].is_null(), warning.is_empty() && !is_null_move, "{text}: {warnings:?}");
        // What was read is written back: it reads alike, without damage.
        for (game, again) in games(joined.as_bytes()).iter().zip(games(output.stdout.as_bytes())) {
            assert!(again.warnings.iter().all(|damage| !damage.cut), "{text}: {:?}", again.warnings);
            let words = |mv: &str| mv.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
            for (mv, again) in game.moves.iter().zip(&again.moves) {
                let (old, new) = (words(&mv.remarks), words(&again.remarks));
                let mut rest = new.iter();
                assert!(old.iter().all(|word| rest.any(|other| other == word)), "{text}: {old:?}, {new:?}");
            }
            assert_eq!(game.result(), again.result(), "{text}");
        }
    }
}

#[test]
fn damaged_tags_are_kept_as_well_as_they_can_be() {
    let cases = [
        ("[White A]", "White", "A"),
        ("[White]", "White", ""),
        ("[White ]", "White", ""),
        ("[White \"A]", "White", "A"),
        ("[White \"A\"", "White", "A"),
        ("[White \"A", "White", "A"),
        ("[White A\"]", "White", "A"),
        ("[White “A”]", "White", "A"),
        ("White \"A\"]", "White", "A"),
        ("[Event \"5th \"Mikis Theodorakis\" Tournament\"]", "Event", "5th \"Mikis Theodorakis\" Tournament"),
        ("[White \"A \"B\"\"]", "White", "A \"B\""),
        ("[White \"Stockfish 7 /Level 6\\\"]", "White", "Stockfish 7 /Level 6\\"),
        ("[White \"C:\\dir\"]", "White", "C:\\dir"),
        ("[White \"A\nB\"]", "White", "A B"),
        ("[White\n\"A\"]", "White", "A"),
        ("[Time-Control \"60\"]", "Time-Control", "60"),
        ("[White \"A]\"]", "White", "A]"),
        ("[White \"A\u{1b}[31m\"]", "White", "A [31m"),
    ];
    for (line, name, value) in cases {
        let other = if name == "Event" { "[Site \"x\"]" } else { "[Event \"x\"]" };
        for tags in [format!("{other}\n{line}\n"), format!("{line}\n{other}\n")] {
            // Without its first bracket a tag begins a game only after the result of another one.
            let text = format!("{TAGS}1. d4 *\n\n{tags}[Variant \"Spartan\"]\n\n1. e4 Hbd5 *\n\n{TAGS}1. a3 *\n");
            let output = analyse(text.as_bytes()).succeed();
            assert!(!output.stderr.contains('\u{1b}'), "{output:?}");
            let found = games(output.stdout.as_bytes());
            assert_eq!(written_moves(&output.stdout), ["d4", "e4 Hbd5", "a3"], "{tags}: {output:?}");
            assert_eq!(found[1].tag(name), Some(value), "{tags}: {output:?}");
            assert_eq!(found[1].tag("Variant"), Some("Spartan"), "{tags}: {output:?}");
            let is_legal =
                line.contains('-') || line.contains('\\') && !line.contains("\\\"") || line.contains('\u{1b}');
            let is_legal = is_legal || line.contains("A]\"") || line.contains("White\n");
            assert_eq!(output.stderr.contains(", game 2: a tag "), !is_legal, "{tags}: {output:?}");
            assert_eq!(board_moves(&board(&text)), ["d4", "e4 Hbd5", "a3"]);
        }
    }
}

#[test]
fn games_that_cannot_be_shown_do_not_hide_the_others() {
    let bad = "[Event \"x\"]\n[FEN \"8/8 w\"]\n\n1. e4 *\n\n[Event \"y\"]\n[Variant \"Shogi\"]\n\n1. e4 *\n\n";
    let text = format!("{TAGS}1. d4 *\n\n{bad}{TAGS}1. a3 *\n");
    let output = analyse(text.as_bytes());
    output.fail(3, "line 9, game 2: FEN: ");
    output.fail(3, "line 14, game 3: the variant 'Shogi'");
    assert_eq!(written_moves(&output.stdout), ["d4", "a3"]);
    let answer = board(&text);
    assert_eq!(board_moves(&answer), ["d4", "a3"]);
    assert_eq!(answer["ok"][1]["warnings"].as_array().map(Vec::len), Some(2), "{answer}");
    // Nothing at all is read.
    analyse(bad.as_bytes()).fail(1, "nothing is written");
    assert!(board(bad)["error"].as_str().is_some_and(|error| error.contains("FEN: ")));
    // Too many games, and too many moves.
    let many = format!("{TAGS}1. d4 *\n\n").repeat(10_001);
    let answer = board(&many);
    assert_eq!(answer["ok"].as_array().map(Vec::len), Some(10_000));
    assert_eq!(answer["ok"][9_999]["warnings"][0], "Only the first 10000 games are shown.");
    let long = format!("{TAGS}{} *", "1. Nf3 d8d6 2. Ng1 d6d8 ".repeat(17_000));
    let answer = board(&long);
    assert_eq!(answer["ok"][0]["nodes"].as_array().map(Vec::len), Some(65_536));
    assert!(answer["ok"][0]["warnings"][0].as_str().is_some_and(|text| text.contains("65536")));
}

#[test]
fn comments_before_moves_and_unreadable_variations_stay_on_the_board() {
    let text = "[Event \"Charles XII at Bender\"]\n[Variant \"Spartan\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\
                [SetUp \"1\"]\n\n{ Find the mate! [%csl Ge8] } 1. Ra8+ { Verno } (1. O-O-O) ({ Or rather, slowly: } \
                1. Ra7 { keeps the rank } Kd8 2. Qh9 {what} Kc8) ({ pass } 1. -- Kd8) *";
    let answer = board(text);
    let game = &answer["ok"][0];
    assert_eq!(game["comment"], "Find the mate!");
    assert_eq!(game["shapes"], json!([{"from": "e8", "colour": "green"}]));
    let variation = &game["nodes"][0]["variations"][1];
    assert_eq!(variation[0]["before"], "Or rather, slowly:");
    assert_eq!(variation[1]["comment"], "Qh9 |what| Kc8");
    assert!(
        game["nodes"][0]["comment"].as_str().is_some_and(|text| text.starts_with("Verno") && text.contains("-- Kd8"))
    );
    assert_eq!(game["warnings"].as_array().map(Vec::len), Some(2), "{answer}");
    let question = json!({"ask": "write-pgn", "line": {"variant": "spartan", "fen": game["fen"]}, "tags": game["tags"],
        "comment": game["comment"], "shapes": game["shapes"], "nodes": game["nodes"], "result": game["result"]});
    let written: Value = serde_json::from_str(&agoge_web::json::answer(&question.to_string())).expect("JSON");
    let again = board(written["ok"].as_str().unwrap_or_else(|| panic!("{written}")));
    for part in ["comment", "shapes", "nodes", "result"] {
        assert_eq!(again["ok"][0][part], game[part], "{written}");
    }
    let output = analyse(text.as_bytes()).succeed();
    let game = &games(output.stdout.as_bytes())[0];
    assert!(game.remarks.contains("Find the mate!") && output.stdout.contains("Or rather, slowly:"), "{output:?}");
}

/// A generator of damage.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Files made by damaging good ones: no game is lost that stands whole before or after the damage.
#[test]
fn no_whole_game_is_lost_by_damage() {
    let files = if std::env::var_os("AGOGE_FULL_TESTS").is_some() { 100_000 } else { 5_000 };
    const INSERTED: [&str; 20] = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "\\",
        ";",
        "%",
        "\n",
        "\n\n",
        "*",
        "1-0",
        "$",
        "\u{feff}",
        "\0",
        "[Event \"",
        "{[",
        "]\n\n[",
    ];
    const MOVES: [&str; 6] = [
        "1. e4 {+0.3/8 0.1s} Hbd5 (1... Hac5 {or} 2. Nf3 (2. d4)) 2. exd5 $4",
        "1. d4 ; so\nHac5 2. Nf3 {a ( [%clk 0:01:00]}",
        "{first} 1. Nf3 Hbd5!? 2. d4",
        "1. a3",
        "1. e4 ({why} 1. d4)",
        "",
    ];
    let mut rng = Rng(1);
    let mut whole = 0;
    for file in 0..files {
        let count = 2 + rng.below(4);
        let texts: Vec<String> = (0..count)
            .map(|game| {
                let result = ["1-0", "0-1", "1/2-1/2", "*"][rng.below(4)];
                let moves = MOVES[rng.below(MOVES.len())];
                format!("[Event \"{game}\"]\n[White \"a \\\"b\\\"\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
            })
            .collect();
        let damaged = rng.below(count);
        let mut bytes = texts[damaged].clone().into_bytes();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len().max(1));
            match rng.below(4) {
                0 => {
                    let end = at + rng.below(bytes.len() - at + 1);
                    bytes.drain(at..end);
                }
                1 if !bytes.is_empty() => bytes[at] ^= 1 << rng.below(8),
                2 => drop(bytes.splice(at..at, INSERTED[rng.below(INSERTED.len())].bytes())),
                3 => bytes.truncate(at),
                _ => {}
            }
        }
        // The next game is whole if it begins after a blank line.
        bytes.extend(b"\n\n");
        let mut text: Vec<u8> = Vec::new();
        for (game, good) in texts.iter().enumerate() {
            // Joined files have byte order marks.
            if game > 0 && rng.below(8) == 0 {
                text.extend("\u{feff}".as_bytes());
            }
            text.extend(if game == damaged { bytes.as_slice() } else { good.as_bytes() });
        }
        if rng.below(3) == 0 {
            text = String::from_utf8_lossy(&text).replace('\n', "\r\n").into_bytes();
        }
        let found = games(&text);
        let remarks = |text: &str| text.replace('\r', "");
        // A comment after the result belongs to the game, also one that is damage.
        let same = |found: &ParsedGame, good: &ParsedGame| {
            let all = |game: &ParsedGame| -> String {
                game.moves.iter().fold(remarks(&game.remarks), |all, mv| all + "\n" + &remarks(&mv.remarks))
            };
            found.tags == good.tags
                && found.result == good.result
                && found.moves.iter().map(|mv| &mv.san).eq(good.moves.iter().map(|mv| &mv.san))
                && all(found).starts_with(&all(good))
        };
        for (game, good) in texts.iter().enumerate().filter(|(game, _)| *game != damaged) {
            let expected = games(good.as_bytes());
            assert_eq!(expected.len(), 1);
            let copies = found.iter().filter(|found| same(found, &expected[0])).count();
            assert!(copies >= 1, "file {file}, game {game}, damaged {damaged}:\n{}", String::from_utf8_lossy(&text));
            whole += 1;
        }
        // Whatever can be played can be written and read again.
        for game in &found {
            if let Ok(replay) = game.replay_legal(Some(Variant::Spartan)) {
                assert!(replay.moves.len() <= game.moves.len());
            }
        }
    }
    assert!(whole > files, "{whole}");
}
