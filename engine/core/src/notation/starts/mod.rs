//! Random starting positions for self-play.

mod sampler;

pub use sampler::{Kind, Shares, Start, StartSampler};

use crate::board::{Board, Game, Setup, Variant};
use crate::files::read_file;
use crate::notation::epd::{Epd, Parsed};
use crate::rng::Rng;
use crate::types::{Colour, Piece, Role, Square};
use std::ops::Range;
use std::path::Path;

/// The maximum size of a book of openings in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Reads a book of openings: the positions of an EPD file in which the game is not over, and a message for each line
/// that could not be read.
///
/// # Errors
/// If the file cannot be read, or there is no such position.
pub fn read_book(path: &Path, variant: Variant) -> Result<(Vec<Board>, Vec<String>), String> {
    let bytes = read_file(path, MAX_BYTES).map_err(|error| format!("{}: {error}", path.display()))?;
    let Parsed { positions, errors } = Epd::parse_file(&bytes, variant).named(path)?;
    let open = |board: &Board| Game::new(board.clone()).outcome().is_none();
    let book: Vec<Board> = positions.into_iter().map(|(_, epd)| epd.board).filter(open).collect();
    if book.is_empty() {
        return Err(format!("{}: there is no position to play from", path.display()));
    }
    Ok((book, errors))
}

/// Six to ten random moves from the initial position; `None` if they end the game.
pub fn random_opening(variant: Variant, rng: &mut Rng) -> Option<Game> {
    let count = 6 + rng.below(5);
    random_moves(Game::start(variant), count, rng)
}

/// A game after random moves; `None` if they end it.
fn random_moves(mut game: Game, count: usize, rng: &mut Rng) -> Option<Game> {
    for _ in 0..count {
        let moves = game.board().legal_moves();
        if moves.is_empty() {
            return None;
        }
        game.push(rng.pick(&moves)).ok()?;
    }
    Some(game)
}

/// Kings, up to four pieces and up to four pawns of each side on random squares; `None` if the position is illegal or
/// the game over.
pub fn random_endgame(variant: Variant, rng: &mut Rng) -> Option<Game> {
    let pieces = match variant {
        Variant::Spartan => ["RBNQ", "gwcl"],
        Variant::Chess => ["RBNQ", "rbnq"],
    };
    let pawns = pawn_letters(variant);
    let mut squares = [None; 64];
    let mut put = |rng: &mut Rng, letter: char, from: usize, to: usize| {
        let square = from + rng.below(to - from);
        // A piece on an occupied square is captured.
        squares[square] = Some(letter);
    };
    for side in 0..2 {
        for letter in pieces[side].chars() {
            if rng.below(5) < 2 {
                put(rng, letter, 0, 64);
            }
        }
        for _ in 0..rng.below(5) {
            put(rng, pawns[side], 8, 56);
        }
    }
    put(rng, 'K', 0, 64);
    put(rng, 'k', 0, 64);
    if variant.army(Colour::Black).max_kings > 1 && rng.below(2) == 0 {
        put(rng, 'k', 0, 64);
    }
    if !['K', 'k'].iter().all(|&king| squares.contains(&Some(king))) {
        return None;
    }
    game_from_squares(variant, &squares, rng)
}

/// A fairly full board with one king each: most pieces of both sides on random squares of their first three ranks, four
/// to eight pawns of each side on its second to fourth rank, and no castling rights. `None` if the position is illegal
/// or the game over.
///
/// White gets somewhat fewer pieces, so that the positions are balanced on average although the Spartans lack a king.
pub fn random_middlegame(variant: Variant, rng: &mut Rng) -> Option<Game> {
    // The pieces of Black, and the probability of each White and Black piece in twentieths.
    let (black, often) = match variant {
        Variant::Spartan => ("gwccll", [14, 17]),
        Variant::Chess => ("qrrbbnn", [16, 16]),
    };
    let pawns = pawn_letters(variant);
    let mut squares = [None; 64];
    // Square 0 is a8. Occupied squares are not used twice.
    let mut put = |rng: &mut Rng, letter: char, among: Range<usize>| loop {
        let square = among.start + rng.below(among.len());
        if squares[square].is_none() {
            squares[square] = Some(letter);
            break;
        }
    };
    for (side, pieces) in ["QRRBBNN", black].into_iter().enumerate() {
        for _ in 0..4 + rng.below(5) {
            put(rng, pawns[side], [32..56, 8..32][side].clone());
        }
        let home = [40..64, 0..24][side].clone();
        put(rng, ['K', 'k'][side], home.clone());
        for letter in pieces.chars() {
            if rng.below(20) < often[side] {
                put(rng, letter, home.clone());
            }
        }
    }
    game_from_squares(variant, &squares, rng)
}

fn pawn_letters(variant: Variant) -> [char; 2] {
    Colour::ALL.map(|colour| Piece { colour, kind: variant.army(colour).kinds[Role::Pawn as usize] }.letter())
}

/// A game from the letters on the squares a8 to h1 with a random side to move.
fn game_from_squares(variant: Variant, squares: &[Option<char>; 64], rng: &mut Rng) -> Option<Game> {
    let mut setup = Setup::empty(variant);
    for (index, letter) in (0..64u8).zip(squares) {
        setup.set(Square::new(index).flip_rank(), letter.and_then(Piece::from_letter));
    }
    setup.side_to_move = if rng.below(2) == 0 { Colour::White } else { Colour::Black };
    let game = Game::new(Board::try_from(&setup).ok()?);
    game.outcome().is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_playable() {
        let mut rng = Rng::new(3);
        for variant in Variant::ALL {
            for start in [random_opening, random_endgame, random_middlegame] {
                let games = (0..200).filter_map(|_| start(variant, &mut rng));
                assert!(games.filter(|game| game.outcome().is_none()).count() > 50);
            }
        }
    }

    #[test]
    fn middlegames_have_one_king_each_and_a_full_board() {
        let mut rng = Rng::new(9);
        for variant in Variant::ALL {
            let games: Vec<Game> = (0..500).filter_map(|_| random_middlegame(variant, &mut rng)).collect();
            for game in &games {
                let board = game.board();
                assert_eq!(Colour::ALL.map(|side| board.kings(side).count()), [1, 1]);
            }
            let men: u32 = games.iter().map(|game| game.board().occupied().count()).sum();
            assert!(men as usize > 20 * games.len(), "{variant:?}: {men} men in {} games", games.len());
        }
    }
}
