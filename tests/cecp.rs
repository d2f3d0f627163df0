//! CECP, the protocol of XBoard, with the real binary: the handshake, moves, positions and options.

use crate::common::cecp::{DELAY, assert_legal, has_move, is_legal, next_thinking_move, pause};
use crate::common::client::Client;
use crate::common::{CHESS_START, START, temporary_file};
use agoge_core::board::Variant;

// ---- the handshake

#[test]
fn features_are_sent() {
    let mut gui = Client::start().with_cecp();
    gui.send("xboard");
    gui.expect_no_output(DELAY);
    let lines = gui.features();
    let text = lines.join(" ") + " ";
    assert!(lines.iter().all(|line| line.starts_with("feature ")), "{lines:?}");
    assert_eq!(lines.first().map(String::as_str), Some("feature done=0"));
    for feature in [
        "ping=1",
        "setboard=1",
        "usermove=1",
        "time=1",
        "memory=1",
        "smp=1",
        "analyze=1",
        "playother=1",
        "nps=1",
        "debug=1",
        "colors=0",
        "sigint=0",
        "sigterm=0",
        "san=0",
        "reuse=1",
        "draw=1",
        "variants=\"spartan,normal\"",
        "option=\"Clear Hash -button\"",
        "option=\"MultiPV -spin 1 1 500\"",
        "option=\"Move Overhead -spin 10 0 5000\"",
        "option=\"Slow Mover -spin 100 10 1000\"",
        "option=\"OwnBook -check 0\"",
        "option=\"BookVariety -spin 10 0 100\"",
        "option=\"BookFile -file \"",
        "option=\"UCI_LimitStrength -check 0\"",
        "option=\"Use NNUE -check 1\"",
        "option=\"EvalFile -file \"",
        "option=\"TablePath -path \"",
        "option=\"TableProbeLimit -spin 5 0 5\"",
    ] {
        assert!(text.contains(&format!(" {feature} ")), "no {feature} in {lines:#?}");
    }
    assert!(text.contains(" myname=\"Agoge "));
    gui.silent(&["accepted ping", "rejected debug", "accepted option"]);
    gui.quit();
}

#[test]
fn lines_with_a_byte_order_mark() {
    let mut gui = Client::with_arguments(&["xboard"]).with_cecp();
    gui.send("\u{feff}protover 2");
    gui.until_end("feature done=1");
    gui.silent(&["\u{feff}new", "\u{feff}", "force", "\u{feff}usermove e2e4", "\u{feff}option Skill Level=-5"]);
    gui.quit();
}

#[test]
fn an_engine_may_be_switched_over_from_uci() {
    let mut client = Client::start();
    client.send("uci");
    client.until("uciok");
    client.set("Skill Level", 7);
    client.send_all(&["position startpos moves e2e4", "go infinite", "xboard"]);
    client.until("bestmove");
    let mut gui = client.with_cecp();
    let lines = gui.features();
    assert!(lines.iter().any(|line| line == "feature option=\"Skill Level -spin 7 0 20\""), "{lines:#?}");
    for line in ["uci", "isready"] {
        assert_eq!(gui.ask(line), [format!("Error (unknown command): {line}")]);
    }
    gui.quit();
}

#[test]
fn the_xboard_argument_selects_cecp() {
    let mut gui = Client::with_arguments(&["xboard"]).with_cecp();
    gui.send("xboard");
    gui.features();
    gui.silent(&["new"]);
    gui.quit();
}

#[test]
fn orthodox_chess_until_another_variant_is_set() {
    let mut gui = Client::with_arguments(&["--variant", "spartan"]).with_cecp();
    gui.silent(&["xboard", "new", "force"]);
    gui.play("e2e4 e7e5");
    gui.send_all(&["new", "variant spartan", "force"]);
    gui.play("e2e4");
    assert_eq!(gui.ask("usermove e7e5"), ["Illegal move: e7e5"]);
    gui.play("e7c5");
    // A new game is one of orthodox chess again.
    gui.send_all(&["new", "force", "usermove e2e4"]);
    gui.play("e7e5");
    gui.silent(&["variant normal"]);
    gui.play("d2d4");
    assert_eq!(gui.ask("variant shogi"), ["Error (unsupported variant): variant shogi"]);
    gui.play("d7d5");
}

// ---- moves

#[test]
fn a_game_begins_with_the_engine_as_black() {
    for (name, variant) in [("spartan", Variant::Spartan), ("normal", Variant::Chess)] {
        let mut gui = Client::game(name);
        gui.send("sd 3");
        let reply = gui.reply("usermove e2e4");
        assert!(is_legal(variant, "e2e4", &reply), "{reply}");
        assert!(gui.ready().is_empty());
        // A second move is answered, too.
        let reply = gui.reply("usermove d2d4");
        assert_eq!(reply.len(), 4);
    }
}

#[test]
fn moves_in_other_notations() {
    let mut gui = Client::forced("spartan");
    gui.silent(&["e2e4", "usermove Hec5", "Nf3", "usermove Lc6", "f1e2"]);
    assert_eq!(gui.ask("a8b7"), ["Illegal move: a8b7"]);
    gui.silent(&["usermove h8f6", "Bd3"]);
}

#[test]
fn illegal_moves_are_refused() {
    let mut gui = Client::forced("spartan");
    for mv in ["e2e5", "e7c5", "a1a2", "e1g1", "e2e4q", "Nf6", "O-O", "@@@@", "0000", "zzzz"] {
        let lines = gui.ask(&format!("usermove {mv}"));
        assert!(lines.len() == 1 && lines[0].starts_with("Illegal move"), "{mv}: {lines:?}");
        assert!(lines[0].ends_with(&format!(": {mv}")), "{mv}: {lines:?}");
    }
    assert_eq!(gui.ask("e2e5"), ["Illegal move: e2e5"]);
    assert_eq!(gui.ask("Ne4"), ["Illegal move: Ne4"]);
    // A promotion needs its letter.
    gui.place("8/8/8/3k4/8/8/3h4/6K1 b - - 0 1");
    assert_eq!(gui.ask("usermove d2c1"), ["Illegal move: d2c1"]);
    gui.play("d2c1k");
    gui.place("3k4/8/8/8/8/3l1l2/8/6K1 b - - 0 1");
    assert_eq!(gui.ask("usermove Le2"), ["Error (ambiguous move): usermove Le2"]);
}

#[test]
fn promotions_have_their_letter() {
    let mut gui = Client::forced("spartan");
    gui.place("8/8/8/8/8/6k1/2h5/7K b - - 0 1");
    gui.send("sd 4");
    let mv = gui.reply("go");
    assert!(mv == "c2b1g" || mv == "c2d1g", "{mv}");
    assert_eq!(gui.result(), "0-1 {Black mates}");
}

#[test]
fn castling_is_a_king_move() {
    for variant in ["spartan", "normal"] {
        let mut gui = Client::forced(variant);
        // Only castling mates immediately.
        gui.place("4R3/8/8/8/8/1P1k4/1P6/R3K3 w Q - 0 1");
        gui.send("sd 4");
        assert_eq!(gui.reply("go"), "e1c1");
        assert_eq!(gui.result(), "1-0 {White mates}");
    }
    let mut gui = Client::forced("normal");
    gui.place("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    gui.play("e1g1 e8c8 f1f8");
}

// ---- side to move

#[test]
fn nobody_moves_in_force_mode() {
    let mut gui = Client::game("spartan");
    gui.send("force");
    gui.play("e2e4 e7c5 d2d4");
    gui.expect_no_output(DELAY);
}

#[test]
fn force_stops_thinking_without_a_move() {
    let mut gui = Client::game("spartan");
    gui.send("level 40 5 0");
    for line in ["force", "result 1-0 {White mates}", "new", "variant spartan", "undo", "analyze"] {
        gui.send("go");
        pause();
        let lines = gui.ask(line);
        assert!(!has_move(&lines), "{line}: {lines:?}");
        gui.send_all(&["exit", "force", "usermove e2e4", "usermove e7c5"]);
        gui.ready();
    }
    gui.expect_no_output(DELAY);
}

#[test]
fn go_plays_the_side_to_move() {
    let mut gui = Client::forced("spartan");
    gui.send("sd 3");
    let first = gui.reply("go");
    assert_legal("", &first);
    let second = gui.reply("usermove e7c5");
    assert_eq!(second.len(), 4);
    // Now with the engine as the other side.
    gui.send_all(&["force", "new", "variant spartan", "force", "sd 3", "usermove e2e4"]);
    assert_legal("e2e4", &gui.reply("go"));
    assert!(gui.ready().is_empty());
}

#[test]
fn playother_plays_the_side_not_to_move() {
    let mut gui = Client::forced("spartan");
    gui.send("sd 3");
    gui.silent(&["playother"]);
    assert_legal("e2e4", &gui.reply("usermove e2e4"));
    gui.send_all(&["force", "undo"]);
    gui.silent(&["playother"]);
    gui.reply("usermove e7c5");
}

#[test]
fn white_and_black_set_the_side_to_move() {
    let mut gui = Client::forced("spartan");
    gui.send("sd 2");
    for (colour, ranks) in [("black", b'7'..=b'8'), ("white", b'1'..=b'2')] {
        gui.silent(&[colour]);
        let mv = gui.reply("go");
        assert!(ranks.contains(&mv.as_bytes()[1]), "{mv}");
    }
    // White cannot be on move here: Black is in check.
    gui.place("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1");
    assert_eq!(gui.ask("white"), ["Error (command not legal now): white"]);
    gui.play("e8d8");
}

#[test]
fn a_question_mark_asks_for_the_move_now() {
    let mut gui = Client::game("spartan");
    gui.send_all(&["level 0 60 0", "usermove e2e4"]);
    pause();
    assert_legal("e2e4", &gui.reply("?"));
    gui.silent(&["?"]);
}

#[test]
fn a_ping_on_move_is_answered_after_the_move() {
    let mut gui = Client::game("spartan");
    gui.send_all(&["level 0 60 0", "usermove e2e4", "ping 77"]);
    gui.expect_no_output(DELAY);
    gui.send("?");
    let lines = gui.until("pong");
    assert_eq!(lines.last().map(String::as_str), Some("pong 77"));
    assert!(has_move(&lines), "{lines:?}");
    // It does not wait for a move that was cancelled.
    gui.send_all(&["usermove d2d4", "ping 78", "force"]);
    assert_eq!(gui.until("pong"), ["pong 78"]);
}

#[test]
fn commands_while_the_engine_is_on_move() {
    let mut gui = Client::game("spartan");
    gui.send_all(&["level 0 60 0", "usermove e2e4"]);
    gui.send_all(&["post", "nopost", "easy", "hard", "easy", "draw", "time 100000", "otim 100000", "memory 32"]);
    gui.send_all(&["cores 1", "option MultiPV=1", "level 0 30 0", "name nobody", "rating 1 2", "computer", "nonsense"]);
    // Between `post` and `nopost` the engine may print its thinking.
    let lines = gui.until_end("Error (unknown command): nonsense");
    assert!(lines[..lines.len() - 1].iter().all(|line| line.starts_with(|c: char| c.is_ascii_digit())), "{lines:?}");
    gui.expect_no_output(DELAY);
    gui.send("usermove d2d4");
    assert_eq!(gui.line(), "Illegal move (not your turn): d2d4");
    assert_legal("e2e4", &gui.reply("?"));
    assert!(gui.ready().is_empty());
}

#[test]
fn undo_and_remove() {
    let mut gui = Client::forced("spartan");
    gui.play("e2e4 e7c5 g1f3");
    gui.silent(&["undo", "usermove f1c4", "remove", "usermove h7f5", "remove"]);
    assert_eq!(gui.ask("undo"), ["Error (command not legal now): undo"]);
    assert_eq!(gui.ask("remove"), ["Error (command not legal now): remove"]);
    // While playing: one move of each side is undone, and the game continues.
    let mut gui = Client::game("spartan");
    gui.send("sd 2");
    gui.reply("usermove e2e4");
    gui.silent(&["remove"]);
    assert_legal("d2d4", &gui.reply("usermove d2d4"));
}

// ---- positions

#[test]
fn positions_are_set_up() {
    let mut gui = Client::forced("spartan");
    for fen in [
        START,
        // As XBoard writes it.
        "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1",
        "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    ] {
        gui.place(fen);
    }
    gui.play("e2e4");
    let mut gui = Client::forced("normal");
    gui.place("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3");
    gui.play("d4e3");
}

#[test]
fn moves_are_refused_in_an_illegal_position() {
    let mut gui = Client::forced("spartan");
    gui.send("usermove e2e4");
    for fen in ["", "x", "8/8/8/8/8/8/8/8 w - - 0 1", CHESS_START] {
        let lines = gui.ask(&format!("setboard {fen}"));
        assert!(lines.len() == 1 && lines[0].starts_with("tellusererror Illegal position"), "{lines:?}");
        let lines = gui.ask("usermove e7c5");
        assert!(lines.len() == 1 && lines[0].starts_with("Illegal move"), "{lines:?}");
        for line in ["go", "playother", "undo", "white", "black"] {
            assert_eq!(gui.ask(line), [format!("Error (command not legal now): {line}")]);
        }
    }
    gui.place(START);
    gui.play("e2e4");
    gui.ask("setboard nonsense");
    gui.silent(&["new"]);
    assert!(!has_move(&gui.ask("force")));
    gui.play("e2e4");
}

#[test]
fn positions_are_edited() {
    let mut gui = Client::forced("spartan");
    gui.send_all(&["edit", "#", "Ke1", "Rh1", "Pa2", "c", "Kc8", "Kf8", "Ga8", "We7", "Cd6", "Lh5", "Hb7"]);
    // A king and rook on their initial squares may castle; the pieces are as entered.
    gui.silent(&[".", "usermove e1g1", "usermove a8a3"]);
    assert!(!gui.ask("usermove h1h2").is_empty());
    // Black to move, as old GUIs do it.
    gui.send_all(&["new", "variant spartan", "force", "a2a3", "edit", "#", "Kg1", "c", "Kd5", "Hd2"]);
    gui.silent(&[".", "usermove d2c1g"]);
    // Invalid lines, and an invalid position.
    gui.send("edit");
    for line in ["Za1", "ping 5"] {
        gui.send(line);
        assert_eq!(gui.line(), format!("Error (unknown command): {line}"));
    }
    gui.send_all(&["#", "."]);
    assert!(gui.line().starts_with("tellusererror Illegal position"));
    assert!(gui.ask("usermove g1h1")[0].starts_with("Illegal move"));
    gui.send_all(&["edit", "quit"]);
    assert!(gui.wait().success());
}

// ---- resources

#[test]
fn memory_cores_and_options() {
    let mut gui = Client::game("spartan");
    gui.silent(&["memory 64", "memory 1", "memory 0", "cores 2", "cores 1", "option Clear Hash"]);
    gui.silent(&["option Skill Level=20", "option Use NNUE=0", "option Use NNUE=1", "option UCI_LimitStrength=0"]);
    gui.silent(&["option UCI_Elo=1500", "option Move Overhead=30", "option Slow Mover=50", "option OwnBook=1"]);
    gui.silent(&["option BookFile=", "option OwnBook=0", "option EvalFile=", "option TablePath="]);
    gui.silent(&["option TableProbeDepth=2", "option Debug Log File="]);
    for line in [
        "option Nonsense=1",
        "option Skill Level=21",
        "option Use NNUE=yes",
        "option EvalFile=/nowhere/at/all",
        "option BookFile=/nowhere/at/all",
        "option TablePath=/nowhere/at/all",
        "option Slow Mover=9",
        "option Debug Log File=/nowhere/at/all",
        "memory 1048576",
    ] {
        let lines = gui.ask(line);
        assert!(lines.len() == 1 && lines[0].starts_with("Error (") && lines[0].ends_with(line), "{lines:?}");
    }
    gui.send("sd 2");
    gui.reply("usermove e2e4");
}

/// XBoard sends what the user grants to all engines.
#[test]
fn more_cores_than_threads_are_possible() {
    let mut gui = Client::game("spartan");
    for cores in ["1025", "99999", "99999999999999999999"] {
        let lines = gui.ask(&format!("cores {cores}"));
        assert!(lines.len() == 1 && lines[0].starts_with("# cores "), "{lines:?}");
        assert!(lines[0].contains(" is too large, using "), "{lines:?}");
    }
    gui.reply("usermove e2e4");
    gui.silent(&["cores 2"]);
}

#[test]
fn the_log_has_both_directions() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut gui = Client::game("spartan");
    gui.silent(&[&format!("option Debug Log File={}", file.path().display())]);
    gui.send("sd 1");
    gui.reply("usermove e2e4");
    gui.ask("option Debug Log File=");
    let log = std::fs::read_to_string(file.path()).expect("the log is there");
    for line in [">> usermove e2e4\n", "<< move "] {
        assert!(log.contains(line), "{line:?} is not in {log}");
    }
}

#[test]
fn moves_are_played_from_the_book() {
    let moved = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -";
    let start = START.strip_suffix(" 0 1").expect("counters");
    let book = temporary_file(format!("{start}; a2a3 1\n{moved}; h7f5 3 a7b6 1\n").as_bytes());
    let mut gui = Client::game("spartan");
    assert_eq!(gui.ask("bk"), [" There is no opening book.", ""]);
    gui.silent(&[&format!("option BookFile={}", book.path().display()), "option OwnBook=1"]);
    assert_eq!(gui.ask("bk"), [" a2a3 100 %", ""]);
    let lines = gui.ask("usermove e2e4");
    let legal = ["h7f5", "a7b6"].iter().any(|mv| lines.last() == Some(&format!("move {mv}")));
    assert!(legal && lines.len() == 2 && lines[0].starts_with("# book move "), "{lines:?}");
    // Outside of the book the engine searches; analysis does not use the book.
    gui.send("sd 2");
    assert_eq!(gui.reply("usermove d2d4").len(), 4);
    gui.send("force");
    gui.ask("remove");
    gui.ask("undo");
    assert_eq!(gui.ask("bk"), [" h7f5 75 %", " a7b6 25 %", ""]);
    gui.send_all(&["post", "analyze"]);
    next_thinking_move(&gui);
    gui.send("exit");
    gui.ask("usermove a7b6");
    assert_eq!(gui.ask("bk"), [" The book has no move for this position.", ""]);
    gui.quit();
}
