//! The openings, in the order of fastchess.

use super::super::openings::Opening;
use super::command_line::BookSettings;
use crate::epd::Epd;
use agoge_core::board::{Board, Variant};
use agoge_core::notation::pgn;
use rand_mt::Mt64;

/// The openings of a match: at most `rounds` of the book's, from its first one on, which repeat if there are fewer.
///
/// With the same seed a random order is that of fastchess: a shuffle by Fisher and Yates with the 64-bit Mersenne
/// twister. Empty lines and comments (`#`) of EPD files do not count.
///
/// # Errors
/// If the file cannot be read, has no openings, or has an invalid one among those of the match.
pub fn read(book: &BookSettings, variant: Variant, rounds: usize, seed: u64) -> Result<Vec<Opening>, String> {
    let name = book.file.display();
    let bytes = std::fs::read(&book.file).map_err(|error| format!("{name}: {error}"))?;
    let openings = if book.is_pgn {
        let games = games(&bytes).map_err(|error| format!("{name}, {error}"))?;
        select(games, book, rounds, seed)
            .iter()
            .map(|game| from_game(game, variant, book.plies).map_err(|error| format!("line {}: {error}", game.line)))
            .collect::<Result<Vec<_>, _>>()
    } else {
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(|line| line.trim_end_matches('\r')).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect();
        select(lines, book, rounds, seed)
            .iter()
            .map(|(index, line)| from_epd(line, variant).map_err(|error| format!("line {}: {error}", index + 1)))
            .collect::<Result<Vec<_>, _>>()
    };
    let openings = openings.map_err(|error| format!("{name}, {error}"))?;
    if openings.is_empty() { Err(format!("No openings found in file: {name}")) } else { Ok(openings) }
}

/// The openings of the match in their order.
fn select<T>(mut all: Vec<T>, book: &BookSettings, rounds: usize, seed: u64) -> Vec<T> {
    let count = all.len();
    if count == 0 {
        return all;
    }
    if book.is_random {
        let mut rng = Mt64::new(seed);
        for i in 0..count - 1 {
            all.swap(i, i + (rng.next_u64() % (count - i) as u64) as usize);
        }
    }
    all.rotate_left((book.start - 1) % count);
    all.truncate(rounds);
    all
}

fn from_epd(line: &str, variant: Variant) -> Result<Opening, String> {
    let epd = Epd::parse(line, variant)?.ok_or("no position")?;
    Ok(Opening::position(epd.board))
}

fn games(bytes: &[u8]) -> Result<Vec<pgn::ParsedGame>, String> {
    let mut games = Vec::new();
    let mut reader = pgn::Reader::new(bytes);
    while let Some(game) = reader.next_game() {
        games.push(game.map_err(|error| error.to_string())?);
    }
    Ok(games)
}

/// The first moves of a game. A move that ends the game is left out.
fn from_game(game: &pgn::ParsedGame, variant: Variant, plies: Option<usize>) -> Result<Opening, String> {
    let start = game.start(variant)?;
    let mut moves = game.line(&start, plies.unwrap_or(usize::MAX))?;
    while !moves.is_empty() && (Opening { start: start.clone(), moves: moves.clone() }).game().is_err() {
        moves.pop();
    }
    Ok(Opening { start, moves })
}

/// The only opening of a match without a book.
pub fn initial(variant: Variant) -> Vec<Opening> {
    vec![Opening::position(Board::start(variant))]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected order was computed with `std::mt19937_64` of the C++ library.
    #[test]
    fn the_order_is_that_of_fastchess() {
        let book = BookSettings { is_random: true, start: 1, ..BookSettings::default() };
        let all: Vec<u32> = (0..10).collect();
        assert_eq!(select(all.clone(), &book, 10, 42), [6, 0, 4, 7, 9, 8, 1, 3, 5, 2]);
        let sequential = BookSettings { start: 9, ..BookSettings::default() };
        assert_eq!(select(all, &sequential, 4, 42), [8, 9, 0, 1]);
    }
}
