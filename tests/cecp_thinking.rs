//! Searches by CECP with the real binary: time, thinking output, pondering, analysis, results and whole games.

use crate::common::START;
use crate::common::cecp::{
    DELAY, assert_legal, has_move, is_legal, is_thinking, last_thinking, next_thinking_line, next_thinking_move, pause,
};
use crate::common::client::{Client, TIMEOUT};
use agoge_core::board::{Board, Game, Variant};
use std::time::{Duration, Instant};

/// The move that the engine would play, by `hint`.
fn hint(gui: &mut Client) -> Option<String> {
    gui.ask("hint").iter().find_map(|line| Some(line.strip_prefix("Hint: ")?.to_owned()))
}

/// The first move of the running analysis, as soon as there is one.
fn analysis_move(gui: &mut Client) -> String {
    let end = Instant::now() + TIMEOUT;
    loop {
        if let Some(mv) = hint(gui) {
            return mv;
        }
        assert!(Instant::now() < end, "no analysis");
    }
}

// ---- time

#[test]
fn time_controls_are_kept() {
    for control in [
        &["st 0.2"][..],
        &["st 3600", "sd 2"],
        &["level 40 0:01 0"],
        &["level 0 0:01 0.1"],
        &["level 40 6000 0", "time 20", "otim 6000"],
        &["level 0 6000 0", "time 0", "otim 0"],
        &["level 0 6000 0", "sd 3"],
        &["level 0 6000 0", "nps 1000", "time 1000"],
        &["st 36000", "sd 1", "nps 0"],
        &["option Slow Mover=10", "level 0 0:01 0.1"],
        &["option Slow Mover=1000", "level 0 0:01 0.1"],
        &["level 40 0:01 0", "time -500", "otim -1"],
        &["level 40 0:01 0", "time -9999999999999999999"],
    ] {
        let mut gui = Client::game("spartan");
        gui.send_all(control);
        // Without the limit the reply would take hours.
        gui.reply("usermove e2e4");
    }
}

/// GUIs count differently if Black begins: XBoard adds time after move 4 of the game, which is White's third, cutechess
/// after White's fourth. Only the last move of a session may take most of the time. With `nps`, time is nodes.
#[test]
fn sessions_of_a_game_that_black_begins() {
    const FEN: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1";
    for first in [3, 4] {
        let mut gui = Client::game("spartan");
        gui.send_all(&["level 4 0:08 0", "nps 10000", "post"]);
        gui.place(FEN);
        let mut game = Game::new(Board::from_fen(FEN, Variant::Spartan).expect("a legal position"));
        let mut clock = 80_000;
        for number in 1..=9 {
            let mv = *game.board().legal_moves().last().expect("a move");
            crate::common::play(&mut game, &mv.to_string());
            gui.send_all(&[&format!("time {}", clock / 100), &format!("usermove {mv}")]);
            if number == 1 {
                gui.send("go");
            }
            let lines = gui.until("move");
            let ([_, _, _, nodes], _) = last_thinking(&lines);
            let is_last = number % 4 == first % 4;
            assert!(is_last || nodes * 10 < clock * 7, "move {number} of {first}: {nodes} of {clock} nodes");
            crate::common::play(&mut game, lines.last().expect("a line").trim_start_matches("move "));
            clock -= nodes;
            if is_last {
                clock += 80_000;
            }
        }
        gui.quit();
    }
}

#[test]
fn limits_of_depth_and_nodes() {
    let mut gui = Client::game("spartan");
    gui.send_all(&["post", "sd 3", "usermove e2e4"]);
    let ([depth, ..], _) = last_thinking(&gui.until("move"));
    assert_eq!(depth, 3);
    // A new game has no depth limit.
    gui.send_all(&["force", "new", "variant spartan", "post", "st 2", "nps 3000"]);
    gui.ready();
    gui.send("usermove e2e4");
    let ([depth, _, _, nodes], _) = last_thinking(&gui.until("move"));
    assert!(depth > 3 && (300..=6000).contains(&nodes), "depth {depth}, {nodes} nodes");
}

#[test]
fn bad_parameters_are_named() {
    let mut gui = Client::game("spartan");
    for (line, reason) in [
        ("level 1 2 3 4 5 6 7", "too many parameters"),
        ("level 40", "too few parameters"),
        ("level x 5 0", "bad parameter"),
        ("st", "too few parameters"),
        ("st soon", "bad parameter"),
        ("sd -1", "bad parameter"),
        ("nps many", "bad parameter"),
        ("time", "too few parameters"),
        ("memory lots", "bad parameter"),
        ("cores 0", "bad parameter"),
        ("force now", "too many parameters"),
        ("exit", "command not legal now"),
        ("castle", "unknown command"),
        ("make a move", "unknown command"),
    ] {
        assert_eq!(gui.ask(line), [format!("Error ({reason}): {line}")]);
    }
}

#[test]
fn irrelevant_commands_print_nothing() {
    let mut gui = Client::game("spartan");
    gui.silent(&["random", "computer", "name XBoard", "rating 2000 1900", "ics -", "hard", "easy", "post", "nopost"]);
    gui.silent(&["otim 100", "time 100", "accepted x", "rejected y", "result *", "draw", "", " ", "xboard", "?", "."]);
}

// ---- thinking

#[test]
fn thinking_is_shown_with_post() {
    let mut gui = Client::game("spartan");
    gui.send_all(&["sd 4", "post", "usermove e2e4"]);
    let lines = gui.until("move");
    let ([depth, _, time, nodes], first) = last_thinking(&lines);
    assert!(depth == 4 && nodes > 0 && time < 3000, "{lines:?}");
    assert_eq!(lines.last(), Some(&format!("move {first}")));
    gui.send_all(&["nopost", "usermove d2d4"]);
    assert_eq!(gui.until("move").len(), 1);
}

#[test]
fn mate_scores_follow_xboards_convention() {
    let mut gui = Client::forced("spartan");
    gui.send("post");
    for (fen, expected) in [
        ("8/8/8/8/8/6k1/2h5/7K b - - 0 1", 100_001),
        ("7k/8/8/8/8/R7/1R6/4K3 w - - 0 1", 100_002),
        // The only move, after which the general mates on h8.
        ("6g1/8/8/8/8/8/5k2/7K w - - 0 1", -100_001),
    ] {
        gui.place(fen);
        gui.send_all(&["sd 8", "go"]);
        assert_eq!(last_thinking(&gui.until("move")).0[1], expected, "{fen}");
        gui.send("force");
        gui.ready();
    }
}

#[test]
fn multipv_thinking_lines() {
    let mut gui = Client::game("spartan");
    gui.silent(&["option MultiPV=3"]);
    gui.send_all(&["post", "sd 3", "usermove e2e4"]);
    let lines = gui.until("move");
    assert!(lines.iter().filter(|line| line.starts_with("3 ")).count() >= 3, "{lines:?}");
}

// ---- pondering

/// A game in which the engine ponders after its first move, and the expected reply.
fn pondering() -> (Client, String) {
    let mut gui = Client::game("spartan");
    gui.send_all(&["level 0 600 0", "hard", "post", "usermove e2e4"]);
    // Enough time to expect a reply.
    while last_thinking(&[next_thinking_line(&gui)]).0[0] < 5 {}
    gui.send("?");
    gui.until("move");
    let hint = gui.until("Hint:").pop().expect("a line");
    (gui, hint.trim_start_matches("Hint: ").to_owned())
}

#[test]
fn pondering_on_the_right_move() {
    let (mut gui, expected) = pondering();
    // It thinks on the opponent's time and answers a ping.
    next_thinking_move(&gui);
    assert!(!has_move(&gui.ready()));
    let lines = gui.ask("hint");
    assert!(lines.contains(&format!("Hint: {expected}")), "{lines:?}");
    while last_thinking(&[next_thinking_line(&gui)]).0[0] < 5 {}
    // The search continues, and its clock starts.
    gui.send(&format!("usermove {expected}"));
    gui.send("?");
    let lines = gui.until("move");
    assert!(lines.iter().filter(|line| is_thinking(line)).all(|line| !line.starts_with("1 ")), "{lines:?}");
    // Then it ponders again.
    gui.until("Hint:");
    gui.quit();
}

#[test]
fn pondering_on_the_wrong_move() {
    let (mut gui, expected) = pondering();
    let other = if expected == "a2a3" { "h2h3" } else { "a2a3" };
    gui.send("time 100");
    gui.reply(&format!("usermove {other}"));
    gui.until("Hint:");
    // Game commands are executed while pondering.
    for line in ["memory 20", "cores 2", "option Clear Hash", "level 0 0:10 0", "cores 1"] {
        gui.send(line);
        gui.until("Hint:");
    }
    assert!(!has_move(&gui.ask("easy")));
    gui.expect_no_output(DELAY);
    gui.send("hard");
    gui.until("Hint:");
    assert!(!has_move(&gui.ask("force")));
    gui.expect_no_output(DELAY);
}

#[test]
fn no_pondering_unless_enabled() {
    let mut gui = Client::game("spartan");
    gui.send_all(&["st 1", "sd 4", "post", "usermove e2e4"]);
    gui.until("move");
    gui.expect_no_output(DELAY);
    // After `playother`, too, it ponders only if enabled.
    gui.send("force");
    gui.silent(&["playother"]);
    gui.send_all(&["force", "hard", "playother"]);
    gui.until("Hint:");
}

// ---- analysis

#[test]
fn analysis_follows_the_moves() {
    let mut gui = Client::forced("spartan");
    gui.send_all(&["post", "analyze"]);
    next_thinking_move(&gui);
    for (line, board) in [
        ("usermove e2e4", "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1"),
        ("e7c5", "lgkcckwl/hhhh1hhh/8/2h5/4P3/8/PPPP1PPP/RNBQKBNR w KQ - 0 2"),
        ("undo", "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1"),
        ("setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
    ] {
        let lines = gui.ask(line);
        assert!(!has_move(&lines), "{line}");
        let first = analysis_move(&mut gui);
        let board = Board::from_fen(board, Variant::Spartan).expect("a position");
        assert!(board.parse_move(&first).is_ok(), "{line}: {first}");
    }
    assert!(gui.ask("usermove h1h9").contains(&"Illegal move (not a move): h1h9".to_owned()));
    // Analysis resumes after editing.
    gui.send_all(&["edit", "#", "Ke1", "Ra1", "c", "Kg8", "."]);
    gui.ready();
    analysis_move(&mut gui);
    // It also continues with a new game, which is orthodox chess until the variant is set.
    gui.ask("new");
    assert!(is_legal(Variant::Chess, "", &analysis_move(&mut gui)));
    gui.ask("variant spartan");
    assert_legal("", &analysis_move(&mut gui));
    assert!(!has_move(&gui.ask("exit")));
    gui.expect_no_output(DELAY);
    // The engine is in force mode.
    gui.play("e2e4");
    gui.expect_no_output(DELAY);
}

#[test]
fn analysis_reports_progress() {
    let mut gui = Client::forced("spartan");
    gui.silent(&["."]);
    gui.send_all(&["post", "analyze"]);
    next_thinking_move(&gui);
    gui.ask("nopost");
    let lines = gui.ask(".");
    let words: Vec<&str> = lines[0].split(' ').collect();
    assert_eq!((lines.len(), words[0]), (1, "stat01:"), "{lines:?}");
    let numbers: Vec<u64> = words[1..6].iter().map(|word| word.parse().expect("a number")).collect();
    let [time, nodes, depth, left, total] = numbers[..] else { panic!("{numbers:?}") };
    assert!(time < 3000 && nodes > 0 && depth > 0 && left <= total && total == 20, "{lines:?}");
    assert_legal("", &hint(&mut gui).expect("a hint"));
    assert_eq!(gui.ask("bk"), [" There is no opening book.", ""]);
    // Game commands do not end it.
    gui.silent(&["hard", "easy", "time 100", "memory 20", "cores 1", "result *", "sd 3", "draw", "?"]);
    pause();
    assert!(gui.ask(".")[0].starts_with("stat01: "));
    gui.quit();
}

#[test]
fn analysis_of_finished_games() {
    let mut gui = Client::forced("spartan");
    gui.send("post");
    gui.play("g2g4 g8f6 f2f3 f6h4");
    gui.silent(&["analyze"]);
    gui.expect_no_output(DELAY);
    // There is a mate in one: the analysis may end before the ping is answered.
    let lines = gui.ask("undo");
    assert!(!has_move(&lines));
    if !lines.iter().any(|line| is_thinking(line)) {
        next_thinking_move(&gui);
    }
    assert_eq!(analysis_move(&mut gui), "f6h4");
    let lines = gui.ask("setboard nonsense");
    assert!(lines.iter().any(|line| line.starts_with("tellusererror Illegal position")), "{lines:?}");
    gui.expect_no_output(DELAY);
    gui.send(&format!("setboard {START}"));
    next_thinking_move(&gui);
}

#[test]
fn analysis_can_turn_into_a_game() {
    let mut gui = Client::forced("spartan");
    gui.send("analyze");
    pause();
    gui.send("sd 2");
    assert_legal("", &gui.reply("go"));
}

#[test]
fn hints() {
    let mut gui = Client::game("spartan");
    assert_legal("", &hint(&mut gui).expect("a hint"));
    gui.send("sd 4");
    let reply = gui.reply("usermove e2e4");
    assert_legal(&format!("e2e4 {reply}"), &hint(&mut gui).expect("a hint"));
    // There is none without a legal move.
    gui.place("k7/2Q5/8/8/8/8/8/4K3 b - - 0 80");
    gui.silent(&["hint"]);
}

// ---- results

/// Plays moves in a position and asserts that the engine claims a result after the last one.
fn claims(variant: &str, fen: &str, moves: &str, last: &str, claim: &str) {
    let mut gui = Client::forced(variant);
    if !fen.is_empty() {
        gui.place(fen);
    }
    gui.play(moves);
    gui.send("playother");
    assert_eq!(gui.ask(&format!("usermove {last}")), [claim], "{fen} {last}");
    // The claim is final.
    assert_eq!(gui.ask("go"), [claim]);
    gui.expect_no_output(Duration::from_millis(20));
}

#[test]
fn results_after_a_move_of_the_opponent() {
    claims("spartan", "", "g2g4 g8f6 f2f3", "f6h4", "0-1 {Black mates}");
    claims("spartan", "7k/8/8/8/8/R7/1R6/4K3 w - - 0 1", "a3a7 h8g8", "b2b8", "1-0 {White mates}");
    claims("spartan", "k7/8/8/8/8/8/2Q5/4K3 w - - 0 1", "", "c2c7", "1/2-1/2 {Stalemate}");
    let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    claims("spartan", "", shuffle, "f6g8", "1/2-1/2 {Draw by repetition}");
    claims("normal", "", shuffle, "f6g8", "1/2-1/2 {Draw by repetition}");
    let fifty = "4k3/8/8/8/8/8/8/4K2R w K - 99 80";
    claims("spartan", fifty, "", "h1h2", "1/2-1/2 {Draw by fifty-move rule}");
    let dead = "4k3/8/8/8/8/8/4c3/4K3 w - - 0 1";
    claims("spartan", dead, "", "e1e2", "1/2-1/2 {Draw by insufficient mating material}");
    // Mate takes precedence over the fifty-move rule.
    claims("spartan", "k7/8/1K6/8/8/8/8/2Q5 w - - 99 80", "", "c1c8", "1-0 {White mates}");
}

#[test]
fn results_after_a_move_of_the_engine() {
    let mut gui = Client::forced("spartan");
    gui.send_all(&["usermove g2g4", "usermove g8f6", "usermove f2f3", "sd 3"]);
    assert_eq!(gui.ask("go"), ["move f6h4", "0-1 {Black mates}"]);
    // The last piece is captured.
    gui.place("4k3/8/8/8/8/8/4g3/4K3 w - - 0 1");
    assert_eq!(gui.ask("go"), ["move e1e2", "1/2-1/2 {Draw by insufficient mating material}"]);
    // The last move before the fifty-move rule.
    gui.place("4k3/8/8/8/8/8/8/4K2R w - - 99 80");
    let lines = gui.ask("go");
    assert!(has_move(&lines), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("1/2-1/2 {Draw by fifty-move rule}"));
}

#[test]
fn nothing_is_claimed_in_force_mode() {
    let mut gui = Client::forced("spartan");
    gui.play("g2g4 g8f6 f2f3 f6h4");
    assert_eq!(gui.ask("usermove a2a3"), ["Illegal move: a2a3"]);
}

/// A draw offer after a move is answered by the position after the move.
#[test]
fn a_draw_is_not_accepted_by_the_score_of_another_position() {
    let mut gui = Client::forced("normal");
    gui.place("1nbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR b KQk - 0 1");
    gui.send("st 0.1");
    assert_eq!(gui.reply("go").len(), 4);
    // The queen is given away.
    gui.send_all(&["usermove d1d7", "draw"]);
    let lines = gui.until("move");
    assert!(!lines.iter().any(|line| line == "offer draw"), "{lines:?}");
    // New positions, and invalid ones, invalidate the last score.
    gui.place("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(gui.reply("go").len(), 4);
    assert!(gui.ask("setboard 8/8 w").len() == 1);
    gui.silent(&["hint", "draw"]);
}

#[test]
fn a_draw_is_accepted_by_the_side_that_loses() {
    let mut gui = Client::forced("spartan");
    gui.silent(&["draw"]);
    // Independent of the network.
    gui.send("option Use NNUE=0");
    // A queen against a hoplite.
    gui.place("4k3/7h/8/8/8/8/8/3QK3 b - - 0 1");
    gui.send("sd 5");
    gui.reply("go");
    assert_eq!(gui.ask("draw"), ["offer draw"]);
    // The last score does not apply to another position or to the other side.
    gui.silent(&["force", "undo", "playother", "draw"]);
    gui.place("4k3/7h/8/8/8/8/8/3QK3 w - - 0 1");
    gui.silent(&["draw"]);
    gui.reply("go");
    gui.silent(&["draw"]);
    // The sides are switched while it thinks about its second move.
    gui.place("4k3/7h/8/8/8/8/8/3QK3 b - - 0 1");
    gui.reply("go");
    gui.send_all(&["sd 60", "st 60", "usermove e1d2", "black"]);
    gui.silent(&["draw"]);
}

// ---- whole games

/// Plays a game between two engines on the clock. Both must claim the result that the rules give.
fn play(variant: Variant, ponder: bool) {
    let name = if variant == Variant::Chess { "normal" } else { "spartan" };
    let base = Duration::from_secs(2);
    let mut sides = [Client::game(name), Client::game(name)];
    for gui in &mut sides {
        gui.send_all(&["level 0 0:02 0", if ponder { "hard" } else { "easy" }, "post", "force"]);
    }
    let mut game = Game::start(variant);
    let mut clocks = [base; 2];
    let mut command = String::from("go");
    loop {
        let us = game.board().side_to_move().index();
        let gui = &mut sides[us];
        gui.send(&format!("time {}", clocks[us].as_millis() / 10));
        gui.send(&format!("otim {}", clocks[1 - us].as_millis() / 10));
        let start = Instant::now();
        gui.send(&command);
        let mv = gui.engine_move();
        clocks[us] = clocks[us].saturating_sub(start.elapsed());
        crate::common::play(&mut game, &mv);
        if let Some(outcome) = game.outcome() {
            let claim = sides[us].result();
            assert!(claim.starts_with(outcome.result()), "{outcome}: {claim}");
            sides[1 - us].send(&format!("usermove {mv}"));
            assert_eq!(sides[1 - us].result(), claim);
            for gui in &mut sides {
                assert!(!has_move(&gui.ask(&format!("result {claim}"))));
            }
            return;
        }
        // The first move is followed by `go` for the other side.
        if game.keys().len() == 2 {
            sides[1 - us].send(&format!("usermove {mv}"));
            command = "go".to_owned();
        } else {
            command = format!("usermove {mv}");
        }
    }
}

#[test]
fn a_game_of_spartan_chess() {
    play(Variant::Spartan, false);
}

#[test]
fn a_game_of_spartan_chess_with_pondering() {
    play(Variant::Spartan, true);
}

#[test]
fn a_game_of_orthodox_chess() {
    play(Variant::Chess, false);
}
