//! What the functions answer.

use agoge_core::board::{Board, Game, Outcome, Variant, diagram};
use agoge_core::fairy;
use agoge_core::notation::pgn::{Reader, Writer};
use agoge_core::types::{Colour, Move, Piece, Square};
use std::fmt::Write as _;

/// The variant with a name; orthodox chess if it is empty, as in ffish.
pub fn variant(name: &str) -> Result<Variant, String> {
    match name.trim() {
        "" => Ok(Variant::Chess),
        name if name.eq_ignore_ascii_case("standard") => Ok(Variant::Chess),
        name => Variant::from_name(name).ok_or_else(|| format!("the variant '{name}' is neither spartan nor chess")),
    }
}

/// A board from a FEN; from the initial position if it is empty.
pub fn board(variant: Variant, fen: &str) -> Result<Board, String> {
    if fen.is_empty() {
        return Ok(Board::start(variant));
    }
    Board::from_fen(fen, variant).map_err(|error| format!("FEN: {error}"))
}

pub const fn colour(white: bool) -> Colour {
    if white { Colour::White } else { Colour::Black }
}

/// Moves in coordinate notation.
pub fn coordinates(moves: &[Move]) -> String {
    let mut text = String::with_capacity(moves.len() * 6);
    for mv in moves {
        let _ = write!(text, "{mv} ");
    }
    text.pop();
    text
}

/// Moves of a text in SAN or LAN, written as ffish does: `1...e5 2. Nf3`.
pub fn variation(board: &Board, moves: &str, long: bool, numbers: bool) -> String {
    let mut board = board.clone();
    let mut words = Vec::new();
    for text in moves.split_ascii_whitespace() {
        let Ok(mv) = board.parse_move(text) else { return String::new() };
        let number = match board.side_to_move() {
            Colour::White => format!("{}. ", board.fullmove_number()),
            Colour::Black if words.is_empty() => format!("{}...", board.fullmove_number()),
            Colour::Black => String::new(),
        };
        words.push((if numbers { number } else { String::new() }) + &fairy::written(&board, mv, long));
        board.make_move(mv);
    }
    words.join(" ")
}

/// The squares of the kings in check.
pub fn checked(board: &Board) -> String {
    if !board.in_check() {
        return String::new();
    }
    board.kings(board.side_to_move()).map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
}

/// The number of ffish's `Termination`.
pub fn termination(game: &Game, claim: bool) -> u32 {
    match game.outcome() {
        Some(Outcome::Checkmate { .. }) => 1,
        Some(Outcome::Stalemate) => 2,
        Some(Outcome::DeadPosition) => 3,
        Some(Outcome::FiftyMoves) if claim => 4,
        Some(Outcome::ThreefoldRepetition) if claim => 5,
        Some(Outcome::FiftyMoves | Outcome::ThreefoldRepetition) | None => 0,
    }
}

/// The pieces, rank by rank.
pub fn compact(board: &Board) -> String {
    let rank = |rank: u8| {
        let letter = |file| board.piece_on(Square::new(8 * rank + file)).map_or('.', Piece::letter);
        (0..8).map(|file| letter(file).to_string()).collect::<Vec<_>>().join(" ")
    };
    (0..8).rev().map(rank).collect::<Vec<_>>().join("\n")
}

/// A diagram and what else is known about a position.
pub fn verbose(board: &Board) -> String {
    format!("{}\nFen: {}\nKey: {:016X}\nCheckers: {}", diagram(board), board.to_fen(), board.key(), checked(board))
}

/// The tags that every game has, and what they say if nothing is known.
const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

/// The tags that follow from the game.
const OWN: [&str; 3] = ["Variant", "SetUp", "FEN"];

/// A game in PGN, with the tags given as names and values. Without a tag `Result`, the result is that of the rules.
pub fn pgn(game: &Game, tags: &[&str]) -> String {
    let given = || tags.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let value = |name: &str| given().find(|(other, _)| *other == name).map(|(_, value)| value);
    let ruled = game.outcome().map_or("*", Outcome::result);
    let result = value("Result").filter(|text| ["1-0", "0-1", "1/2-1/2", "*"].contains(text)).unwrap_or(ruled);
    let mut writer = Writer::default();
    for (name, unknown) in ROSTER {
        writer.tag(name, value(name).unwrap_or(unknown));
    }
    writer.tag("Result", result);
    let start = game.initial_board();
    writer.tag("Variant", if start.variant() == Variant::Spartan { "Spartan" } else { "Standard" });
    if start.to_fen() != start.variant().start_fen() {
        writer.tag("SetUp", "1");
        writer.tag("FEN", &start.to_fen());
    }
    let is_known =
        |name: &str| name == "Result" || OWN.contains(&name) || ROSTER.iter().any(|(known, _)| *known == name);
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    for (name, value) in given().filter(|(name, _)| is_name(name) && !is_known(name)) {
        writer.tag(name, value);
    }
    writer.begin_moves();
    let mut board = start.clone();
    for &mv in game.moves() {
        writer.mv(&board, mv);
        board.make_move(mv);
    }
    writer.finish(result)
}

/// The first game of a text: the moves of its main line up to the first illegal one, the first warning, and the tags.
pub fn read_pgn(text: &str) -> Vec<String> {
    let Some(game) = Reader::new(text.as_bytes()).next_game() else {
        return vec![String::new(), "there is no game in this text".to_owned()];
    };
    let (moves, warning) = match game.replay_legal(None) {
        Ok(replay) => {
            let warning = game.all_warnings(replay.end.as_ref()).first().map(ToString::to_string);
            (coordinates(&replay.moves), warning.unwrap_or_default())
        }
        Err(error) => (String::new(), error),
    };
    let tags = game.tags.into_iter().flat_map(|(name, value)| [name, value]);
    [moves, warning].into_iter().chain(tags).map(|part| part.replace('\0', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variations_are_numbered_as_in_ffish() {
        let mut board = Board::start(Variant::Chess);
        board.make_move(board.parse_move("e2e4").expect("a move"));
        let line = "e7e5 g1f3 b8c6 f1c4";
        assert_eq!(variation(&board, line, false, true), "1...e5 2. Nf3 Nc6 3. Bc4");
        assert_eq!(variation(&board, line, true, true), "1...e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-c4");
        assert_eq!(variation(&board, line, false, false), "e5 Nf3 Nc6 Bc4");
        assert_eq!(variation(&board, "e7e5 g1f4", false, true), "");
    }

    #[test]
    fn games_are_written_and_read() {
        let mut game =
            Game::new(Board::from_fen("k7/8/1K6/8/8/8/8/2Q5 w - - 99 80", Variant::Spartan).expect("a position"));
        game.push(game.board().parse_move("c1c8").expect("a move")).expect("a legal move");
        let text = pgn(&game, &["White", "Xerxes \"I\"", "Annotator", "me", "FEN", "x", "a b", "c"]);
        for line in [
            "[White \"Xerxes \\\"I\\\"\"]",
            "[Black \"?\"]",
            "[Result \"1-0\"]",
            "[Variant \"Spartan\"]",
            "[FEN \"k7/8/1K6/8/8/8/8/2Q5 w - - 99 80\"]",
            "[Annotator \"me\"]",
            "80. Qc8# 1-0",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} in {text}");
        }
        let read = read_pgn(&text);
        assert_eq!(&read[..2], ["c1c8", ""]);
        assert!(read[2..].chunks(2).any(|tag| tag == ["White", "Xerxes \"I\""]), "{read:?}");
        assert_eq!(read_pgn("1. e4 Qh9 *")[0], "e2e4");
        assert!(!read_pgn("1. e4 Qh9 *")[1].is_empty() && !read_pgn("")[1].is_empty());
        assert_eq!(termination(&game, false), 1);
    }

    #[test]
    fn both_kings_are_checked() {
        let board = |fen| Board::from_fen(fen, Variant::Spartan).expect("a position");
        let fork = board("lgkcckw1/hhhhhhhh/1N3lN1/8/8/8/PPPPPPPP/R1BQKB1R b KQ - 11 6");
        assert_eq!(checked(&fork), "c8 f8");
        assert!(verbose(&fork).ends_with("Checkers: c8 f8") && compact(&fork).starts_with("l g k c c k w .\nh h"));
        assert_eq!(checked(&board("k1k5/8/8/8/8/8/1Q6/K1R5 b - - 0 1")), "");
    }
}
