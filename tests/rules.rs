//! The rules of the game: hand-made cases, every encoding of a move, draws and known games. Invariants of all
//! positions are in `properties.rs`.

use crate::common::{check_encodings, epd_file, play};
use agoge_core::board::{Board, Game, MoveError, Outcome, Variant};
use agoge_core::types::{Colour, Move};

fn legal_moves(board: &Board) -> Vec<String> {
    let mut moves: Vec<String> = board.legal_moves().iter().map(Move::to_string).collect();
    moves.sort();
    moves
}

fn state(board: &Board) -> &'static str {
    match (board.has_legal_move(), board.in_check()) {
        (true, _) => "-",
        (false, true) => "mate",
        (false, false) => "stalemate",
    }
}

#[test]
fn corner_cases() {
    let cases = epd_file("corner_cases.epd", Variant::Spartan);
    assert!(cases.len() >= 128);
    for (place, epd) in cases {
        let board = &epd.board;
        let operand = |name| epd.operand(name).unwrap_or_else(|| panic!("{place}: no operation '{name}'"));
        let mut expected: Vec<&str> = operand("legal").split_whitespace().filter(|mv| *mv != "-").collect();
        expected.sort_unstable();
        assert_eq!(legal_moves(board), expected, "{place}: {epd}");
        assert_eq!(if board.in_check() { "yes" } else { "no" }, operand("check"), "{place}: {epd}");
        assert_eq!(state(board), operand("state"), "{place}: {epd}");
    }
}

#[test]
fn every_encoding_of_a_move() {
    for (file, variant) in
        [("corner_cases.epd", Variant::Spartan), ("perft.epd", Variant::Spartan), ("perft_chess.epd", Variant::Chess)]
    {
        epd_file(file, variant).iter().for_each(|(_, epd)| check_encodings(&epd.board));
    }
    // En passant, legal and not.
    for fen in ["8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"] {
        check_encodings(&Board::from_fen(fen, Variant::Chess).expect("a valid FEN"));
    }
}

#[test]
fn ends_of_games() {
    for (place, epd) in epd_file("draws.epd", Variant::Spartan) {
        let mut game = Game::new(epd.board.clone());
        let operand = |name| epd.operand(name).unwrap_or_else(|| panic!("{place}: no operation '{name}'"));
        for text in operand("moves").split_whitespace() {
            assert_eq!(game.outcome(), None, "{place}: {epd}: before {text}");
            play(&mut game, text);
        }
        let end = game.outcome().map_or("-".to_string(), |outcome| outcome.to_string());
        assert_eq!(end, operand("end"), "{place}: {epd}");
    }
}

#[test]
fn ends_of_orthodox_games() {
    for (fen, dead) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k1n1/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
        // Both bishops on dark squares, then on squares of both colours.
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", false),
        ("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", false),
    ] {
        let board = Board::from_fen(fen, Variant::Chess).expect("a valid FEN");
        assert_eq!(board.is_dead_position(), dead, "{fen}");
        assert_eq!(Game::new(board).outcome() == Some(Outcome::DeadPosition), dead, "{fen}");
    }
    let mut game = Game::start(Variant::Chess);
    play(&mut game, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(game.outcome(), Some(Outcome::Checkmate { winner: Colour::Black }));
    // An en-passant square without a legal capture does not distinguish positions.
    let mut game = Game::start(Variant::Chess);
    play(&mut game, "e2e4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8");
    assert_eq!(game.outcome(), None);
    play(&mut game, "f3g1");
    assert_eq!(game.outcome(), Some(Outcome::ThreefoldRepetition));
}

#[test]
fn results() {
    let mut game = Game::start(Variant::Spartan);
    play(&mut game, "g2g4 g8f6 f2f3");
    assert_eq!(game.outcome(), None);
    play(&mut game, "f6h4");
    assert_eq!(game.outcome(), Some(Outcome::Checkmate { winner: Colour::Black }));
    assert_eq!(game.outcome().map(Outcome::result), Some("0-1"));

    let board = Board::from_fen("k7/8/1K6/8/8/8/8/2Q5 w - - 99 80", Variant::Spartan).expect("a valid FEN");
    let mut game = Game::new(board);
    play(&mut game, "c1c8");
    assert_eq!(game.outcome(), Some(Outcome::Checkmate { winner: Colour::White }));
    assert_eq!(game.outcome().map(Outcome::result), Some("1-0"));
    for outcome in [Outcome::Stalemate, Outcome::ThreefoldRepetition, Outcome::FiftyMoves, Outcome::DeadPosition] {
        assert_eq!(outcome.result(), "1/2-1/2");
    }
}

#[test]
fn an_illegal_move_leaves_the_game_unchanged() {
    let mut game = Game::start(Variant::Spartan);
    let board = game.board().clone();
    let (from, to, _) = Move::parse_coordinates("e2e5").expect("a notation");
    assert_eq!(game.push(Move::normal(from, to)), Err(MoveError::Illegal));
    assert_eq!(game.board(), &board);
    assert_eq!(game.keys().len(), 1);
    for (text, error) in [
        ("e2e5", MoveError::Illegal),
        ("e7e5", MoveError::Illegal),
        ("e2e4q", MoveError::Illegal),
        ("e1g1", MoveError::Illegal),
        ("e2e2", MoveError::Illegal),
        ("", MoveError::Notation),
        ("e2", MoveError::Notation),
        ("e2e9", MoveError::Notation),
        ("e2e4h", MoveError::Notation),
        ("e2e4qq", MoveError::Notation),
        ("0000", MoveError::Notation),
        ("é2é4", MoveError::Notation),
        ("é2e", MoveError::Notation),
    ] {
        assert_eq!(board.parse_move(text), Err(error), "{text}");
    }
}

/// The sample game from the inventor's rules; White's twelfth move is a duple-check.
#[test]
fn the_inventors_game() {
    let mut game = Game::start(Variant::Spartan);
    play(
        &mut game,
        "g2g3 e8e6 d2d4 b7d5 g1f3 h8f6 c2c3 a8c6 b1d2 d5d4 c3d4 f7d5 e2e3 d5d4 f3d4 f6d4 e3d4 c6d5 d2b3 d5b3 a2b3 c8b7",
    );
    assert!(!game.board().in_check());
    play(&mut game, "d1f3");
    assert!(game.board().in_check());
    assert_eq!(game.board().attacked_kings(), game.board().kings(Colour::Black));
    play(&mut game, "f8e8 f1g2 d7c6 e1g1 d8d6 f3c3 b7a6 d4d5 b8b5 c3g7 g8f6");
    assert_eq!(game.board().to_fen(), "4k3/h1h1h1Qh/k1hccw2/1g1P4/8/1P4P1/1P3PBP/R1B2RK1 w - - 1 18");
    assert_eq!(game.outcome(), None);
}

/// Counters saturate.
#[test]
fn counters_saturate() {
    let mut board = Board::from_fen("k6k/8/8/8/8/8/8/R3K3 w - - 65535 65535", Variant::Spartan).expect("a valid FEN");
    for text in ["a1b1", "a8a7", "b1a1", "a7a8"] {
        board.make_move(board.parse_move(text).expect("a legal move"));
    }
    assert_eq!(board.halfmove_clock(), u16::MAX);
    assert_eq!(board.fullmove_number(), u16::MAX);
}
