//! The starting position of each game.

use super::{random_endgame, random_middlegame, random_moves, random_opening};
use crate::board::{Board, Game, Variant};
use crate::rng::Rng;
use std::collections::HashSet;

/// The source of a start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Random moves from the initial position.
    Opening,
    /// A position of the book followed by up to three random moves.
    Book,
    /// A random endgame.
    Endgame,
    /// A random middlegame with one king each.
    Middlegame,
}

impl Kind {
    /// The maximum absolute score of a start, in centipawns: a game from a more uneven one teaches little. Random
    /// endgames and middlegames are seldom balanced.
    pub const fn max_score(self) -> u16 {
        match self {
            Self::Opening | Self::Book => 300,
            Self::Endgame | Self::Middlegame => 700,
        }
    }
}

/// The shares of the games, 0 to 1, for each kind of start; the rest is [`Kind::Opening`].
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// The share of [`Kind::Book`].
    pub book: f64,
    /// The share of [`Kind::Endgame`].
    pub endgame: f64,
    /// The share of [`Kind::Middlegame`].
    pub middlegame: f64,
}

/// The start of a game.
#[derive(Clone, Debug)]
pub struct Start {
    /// The number of the game, from 0.
    pub number: u64,
    /// Where the position comes from.
    pub kind: Kind,
    /// The position.
    pub board: Board,
}

/// After this number of consecutive duplicates the sampler is exhausted.
const MAX_DUPLICATES: usize = 100_000;

/// Samples a unique starting position for each game number.
pub struct StartSampler {
    variant: Variant,
    seed: u64,
    shares: Shares,
    book: Vec<Board>,
    next: u64,
    seen: HashSet<u64>,
}

impl StartSampler {
    /// A sampler that starts with number 0. The book must not be empty if its share is positive.
    pub fn new(variant: Variant, seed: u64, shares: Shares, book: Vec<Board>) -> Self {
        Self { variant, seed, shares, book, next: 0, seen: HashSet::new() }
    }

    /// The start with the next number whose position is new; `None` if new positions have become too rare.
    pub fn sample(&mut self) -> Option<Start> {
        for _ in 0..MAX_DUPLICATES {
            let start = self.start(self.next);
            self.next += 1;
            if self.seen.insert(start.board.key()) {
                return Some(start);
            }
        }
        None
    }

    /// The start with a given number, which depends only on the seed and the number.
    fn start(&self, number: u64) -> Start {
        let mut rng = Rng::stream(self.seed, number);
        let roll = rng.unit();
        let Shares { book, endgame, middlegame } = self.shares;
        let kind = if roll < book {
            Kind::Book
        } else if roll < book + endgame {
            Kind::Endgame
        } else if roll < book + endgame + middlegame {
            Kind::Middlegame
        } else {
            Kind::Opening
        };
        loop {
            let game = match kind {
                Kind::Opening => random_opening(self.variant, &mut rng),
                Kind::Book => self.book_opening(&mut rng),
                Kind::Endgame => random_endgame(self.variant, &mut rng),
                Kind::Middlegame => random_middlegame(self.variant, &mut rng),
            };
            if let Some(game) = game.filter(|game| game.outcome().is_none()) {
                return Start { number, kind, board: game.board().clone() };
            }
        }
    }

    /// A random book position followed by random moves, because the book alone has too few positions.
    fn book_opening(&self, rng: &mut Rng) -> Option<Game> {
        let game = Game::new(self.book[rng.below(self.book.len())].clone());
        let count = rng.below(4);
        random_moves(game, count, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_depend_on_seed_and_number() {
        let shares = Shares { book: 0.25, endgame: 0.25, middlegame: 0.25 };
        let book: Vec<Board> = vec![Board::start(Variant::Spartan)];
        let sample = |seed, count| -> Vec<Start> {
            let mut sampler = StartSampler::new(Variant::Spartan, seed, shares, book.clone());
            (0..count).map_while(|_| sampler.sample()).collect()
        };
        let starts = sample(1, 400);
        let again = sample(1, 400);
        assert!(starts.iter().zip(&again).all(|(a, b)| a.number == b.number && a.board == b.board));
        assert!(starts.iter().zip(sample(2, 400)).filter(|(a, b)| a.board == b.board).count() < 10);

        let keys: HashSet<u64> = starts.iter().map(|start| start.board.key()).collect();
        assert_eq!(keys.len(), starts.len());
        // The book has one position, so some numbers were skipped.
        assert!(starts.last().unwrap().number >= 400);
        for kind in [Kind::Opening, Kind::Book, Kind::Endgame, Kind::Middlegame] {
            let count = starts.iter().filter(|start| start.kind == kind).count();
            assert!((60..140).contains(&count), "{kind:?}: {count}");
        }
    }

    #[test]
    fn a_sampler_can_be_exhausted() {
        // White has three moves, each of which ends the game or leaves few moves.
        let board = Board::from_fen("8/8/8/8/8/5k2/7h/7K w - - 0 1", Variant::Spartan).unwrap();
        let shares = Shares { book: 1.0, endgame: 0.0, middlegame: 0.0 };
        let mut sampler = StartSampler::new(Variant::Spartan, 1, shares, vec![board]);
        let count = std::iter::repeat_with(|| sampler.sample()).take_while(Option::is_some).count();
        assert!((1..1000).contains(&count), "{count}");
    }
}
