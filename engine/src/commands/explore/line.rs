//! Reads a position and moves as people write them.

use agoge_core::board::{Board, Game, Variant, split_fields};
use agoge_core::notation::pgn::number;
use agoge_web::json::{fen, read_move};

/// Reads `[FEN] [moves]`.
///
/// # Errors
/// What is wrong with the position or a move, as a sentence.
pub fn read(text: &str) -> Result<Game, String> {
    let (position, moves) = split(text);
    let board = match position {
        Some(fen) => fen::read(fen, Variant::Spartan)?,
        None => Board::start(Variant::Spartan),
    };
    let mut game = Game::new(board);
    for word in moves.split_whitespace() {
        let word = without_number(word);
        if word.is_empty() || word == "moves" {
            continue;
        }
        let before = number(game.board());
        let made = read_move(&game, word).and_then(|mv| game.push(mv).map_err(|error| format!("'{word}' is {error}.")));
        made.map_err(|error| format!("move {before} {error}"))?;
    }
    Ok(game)
}

/// Splits off the FEN, if there is one.
fn split(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    if !text.split(' ').next().is_some_and(|word| word.contains('/')) {
        return (None, text.strip_prefix("startpos").unwrap_or(text));
    }
    let (fen, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let (_, rest) = split_fields(fen);
    if rest.is_empty() { (Some(fen), moves) } else { (fen.strip_suffix(rest), rest) }
}

/// A word without a number of a move before it, as in `12.Nf3` and `1...Hbd5`.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let dots = rest.trim_start_matches(['.', '…']);
    if rest.len() < word.len() && (dots.len() < rest.len() || rest.is_empty()) { dots } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1";

    #[test]
    fn moves_are_read_as_people_write_them() {
        for text in [
            "1.e4 Hbd5 2.e5",
            "1. e4 Hbd5 2. e5",
            "e2e4 b7d5 e4e5",
            "startpos moves e2e4 b7d5 e4e5",
            "1.e4 1...Hbd5 2.e5!?",
            &format!("{FEN} 1...Hbd5 2.e5"),
            &format!("{FEN} moves b7d5 e4e5"),
            &format!("{} b7d5 e4e5", FEN.trim_end_matches(" 0 1")),
        ] {
            let game = read(text).expect(text);
            assert!(game.board().to_fen().starts_with("lgkcckwl/h1hhhhhh/8/3hP3/8/8/PPPP1PPP/RNBQKBNR b"), "{text}");
        }
        assert_eq!(read("").map(|game| game.moves().len()), Ok(0));
    }

    #[test]
    fn errors_are_sentences() {
        for (text, error) in [
            ("e4 d5", "move 1... 'd5' could mean Hbd5 or Hfd5."),
            ("1.e4 e7e8", "move 1... Your own piece stands on e8."),
            ("8/8 w", "The FEN cannot be read: 2 fields, not 6 or 4."),
            ("xyzzy", "move 1. 'xyzzy' is"),
        ] {
            assert!(
                read(text).is_err_and(|found| found.starts_with(error) && found.ends_with('.')),
                "{text}: {:?}",
                read(text).err()
            );
        }
    }
}
