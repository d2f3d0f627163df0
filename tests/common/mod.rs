//! Shared by the integration tests: the files of `positions/`, checks of move lists, clients for both protocols, and a
//! second implementation of the rules.

// Not every function is used on every platform.
#![allow(dead_code)]

pub mod cecp;
pub mod client;
pub mod mailbox;

use agoge_core::board::{Board, Game, Variant};
use agoge_core::notation::epd::Epd;
use agoge_core::types::{Move, MoveList};
use std::path::PathBuf;
use tempfile::NamedTempFile;

pub const START: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
pub const CHESS_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// 1.g4 Wf6 2.f3 Wh4#, for `position`.
pub const FOOLS_MATE: &str = "startpos moves g2g4 g8f6 f2f3 f6h4";

/// A file with some content, deleted when dropped.
pub fn temporary_file(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a temporary file");
    std::fs::write(&file, bytes).expect("a file");
    file
}

/// The number of cases of a test that would take minutes in full. They are all tested if the variable
/// `AGOGE_FULL_TESTS` is set, as `.ci/run` does.
pub fn cases(all: usize, sample: usize) -> usize {
    if std::env::var_os("AGOGE_FULL_TESTS").is_some() { all } else { sample }
}

/// The text of a file in `positions/`.
pub fn positions_file(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "positions", name].iter().collect();
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a file in `positions/` that are neither empty nor comments, each with its line number from 1.
pub fn positions_lines(name: &str) -> Vec<(usize, String)> {
    let text = positions_file(name);
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.to_string()));
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')).collect()
}

/// The FENs of the bench positions.
pub fn bench_positions() -> Vec<String> {
    agoge_core::bench::positions().map(str::to_owned).collect()
}

/// Makes moves in coordinate notation, separated by blanks; panics if one is illegal.
pub fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = game.board().parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        game.push(mv).expect("a legal move");
    }
}

/// All positions of an EPD file in `positions/`, each with the file and line number, for messages.
pub fn epd_file(name: &str, variant: Variant) -> Vec<(String, Epd)> {
    let positions = Epd::parse_all(&positions_file(name), variant).unwrap_or_else(|error| panic!("{name}, {error}"));
    assert!(!positions.is_empty(), "{name} is empty");
    positions.into_iter().map(|(line, epd)| (format!("{name}:{line}"), epd)).collect()
}

/// The encodings of moves in order.
pub fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
    let mut bits: Vec<u16> = moves.into_iter().map(Move::bits).collect();
    bits.sort_unstable();
    bits
}

/// Asserts that all functions that generate, classify or count the legal moves of a position agree.
pub fn check_move_lists(board: &Board) {
    let moves = board.legal_moves();
    let all = sorted(moves.iter().copied());
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "duplicate move in {board}");
    assert_eq!(board.count_moves() as usize, moves.len(), "count of {board}");
    assert_eq!(board.has_legal_move(), !moves.is_empty(), "any move of {board}");
    let mut classes = MoveList::new();
    board.noisy_moves(&mut classes);
    assert!(classes.iter().all(|&mv| board.is_noisy(mv)), "a quiet move among the noisy ones of {board}");
    let noisy = classes.len();
    board.quiet_moves(&mut classes);
    assert!(classes[noisy..].iter().all(|&mv| !board.is_noisy(mv)), "a noisy move among the quiet ones of {board}");
    assert_eq!(sorted(classes), all, "noisy and quiet moves of {board}");
}

/// Asserts that of all 65,536 encodings `is_legal` accepts exactly the generated moves. Moves may come from a hash
/// table or a file.
pub fn check_encodings(board: &Board) {
    let accepted = (0..=u16::MAX).filter(|&bits| Move::from_bits(bits).is_some_and(|mv| board.is_legal(mv)));
    assert_eq!(accepted.collect::<Vec<_>>(), sorted(board.legal_moves()), "{board}");
}
