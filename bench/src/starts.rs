//! Random positions that games can begin with.

use crate::rng::Rng;
use agoge::board::{Board, Game, Variant};

/// Six to ten random moves from the initial position. Nothing comes of moves that end the game.
pub fn random_opening(variant: Variant, rng: &mut Rng) -> Option<Game> {
    let mut game = Game::start(variant);
    for _ in 0..6 + rng.below(5) {
        let moves = game.board().legal_moves();
        if moves.is_empty() {
            return None;
        }
        game.push(moves[rng.below(moves.len())]).ok()?;
    }
    Some(game)
}

/// Kings, up to six pieces and up to eight pawns anywhere. Nothing comes of an illegal or finished
/// position.
pub fn random_endgame(variant: Variant, rng: &mut Rng) -> Option<Game> {
    let (pieces, kings) = match variant {
        Variant::Spartan => (["RBNQ", "gwcl"], ["K", "k"]),
        Variant::Chess => (["RBNQ", "rbnq"], ["K", "k"]),
    };
    let pawns = match variant {
        Variant::Spartan => ['P', 'h'],
        Variant::Chess => ['P', 'p'],
    };
    let mut squares = [None; 64];
    let mut put = |rng: &mut Rng, letter: char, from: usize, to: usize| {
        let square = from + rng.below(to - from);
        // An occupied square is taken: a piece less.
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
    if variant == Variant::Spartan && rng.below(2) == 0 {
        put(rng, 'k', 0, 64);
    }
    if kings.iter().any(|king| !squares.iter().flatten().any(|letter| king.contains(*letter))) {
        return None;
    }
    let mut fen = String::new();
    for (i, square) in squares.iter().enumerate() {
        if i > 0 && i % 8 == 0 {
            fen.push('/');
        }
        match (square, fen.chars().last()) {
            (Some(letter), _) => fen.push(*letter),
            (None, Some(digit @ '1'..='7')) => {
                fen.pop();
                fen.push((digit as u8 + 1) as char);
            }
            (None, _) => fen.push('1'),
        }
    }
    let side = if rng.below(2) == 0 { "w" } else { "b" };
    let game = Game::new(Board::from_fen(&format!("{fen} {side} - - 0 1"), variant).ok()?);
    game.outcome().is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_positions_to_play_from() {
        let mut rng = Rng::new(3);
        for variant in Variant::ALL {
            for start in [random_opening, random_endgame] {
                let games = (0..200).filter_map(|_| start(variant, &mut rng));
                assert!(games.filter(|game| game.outcome().is_none()).count() > 50);
            }
        }
    }
}
