//! Which position each game begins with.

use agoge::board::{Board, Game, Variant};
use agoge_bench::rng::Rng;
use agoge_bench::starts::{random_endgame, random_middlegame, random_opening};
use std::collections::HashSet;

/// What a start was made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Random moves from the initial position.
    Opening,
    /// A position of the book and up to three random moves.
    Book,
    /// A random endgame.
    Endgame,
    /// A random middlegame with one king each.
    Middlegame,
}

/// The parts of the games, 0 to 1, that do not begin as [`Kind::Opening`].
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    pub book: f64,
    pub endgame: f64,
    pub middlegame: f64,
}

/// The begin of a game.
#[derive(Clone, Debug)]
pub struct Start {
    pub number: u64,
    pub kind: Kind,
    pub board: Board,
}

/// After so many numbers in a row whose positions had been drawn before, there is nothing new to be
/// drawn.
const PATIENCE: usize = 100_000;

/// Gives each number its position, and no position to two of them.
pub struct Lottery {
    variant: Variant,
    seed: u64,
    shares: Shares,
    book: Vec<Board>,
    next: u64,
    drawn: HashSet<u64>,
}

impl Lottery {
    /// A lottery that begins with number 0. The book must not be empty if it has a share.
    pub fn new(variant: Variant, seed: u64, shares: Shares, book: Vec<Board>) -> Self {
        Self { variant, seed, shares, book, next: 0, drawn: HashSet::new() }
    }

    /// The next number whose position was not drawn by an earlier one; nothing when new positions
    /// have become too rare.
    pub fn draw(&mut self) -> Option<Start> {
        for _ in 0..PATIENCE {
            let start = self.start(self.next);
            self.next += 1;
            if self.drawn.insert(start.board.key()) {
                return Some(start);
            }
        }
        None
    }

    /// The position of a number: it depends on nothing but the seed.
    fn start(&self, number: u64) -> Start {
        let mut rng = Rng::new(Rng::new(self.seed).next() ^ Rng::new(number).next());
        let ticket = (rng.next() >> 11) as f64 / (1u64 << 53) as f64;
        let Shares { book, endgame, middlegame } = self.shares;
        let kind = if ticket < book {
            Kind::Book
        } else if ticket < book + endgame {
            Kind::Endgame
        } else if ticket < book + endgame + middlegame {
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

    /// A book alone would soon be used up: random moves make many positions of each.
    fn book_opening(&self, rng: &mut Rng) -> Option<Game> {
        let mut game = Game::new(self.book[rng.below(self.book.len())].clone());
        for _ in 0..rng.below(4) {
            let moves = game.board().legal_moves();
            if moves.is_empty() {
                return None;
            }
            game.push(moves[rng.below(moves.len())]).ok()?;
        }
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_depend_on_seed_and_number() {
        let shares = Shares { book: 0.25, endgame: 0.25, middlegame: 0.25 };
        let book: Vec<Board> = vec![Board::start(Variant::Spartan)];
        let draw = |seed, count| -> Vec<Start> {
            let mut lottery = Lottery::new(Variant::Spartan, seed, shares, book.clone());
            (0..count).map_while(|_| lottery.draw()).collect()
        };
        let starts = draw(1, 400);
        let again = draw(1, 400);
        assert!(starts.iter().zip(&again).all(|(a, b)| a.number == b.number && a.board == b.board));
        assert!(starts.iter().zip(draw(2, 400)).filter(|(a, b)| a.board == b.board).count() < 10);

        let keys: HashSet<u64> = starts.iter().map(|start| start.board.key()).collect();
        assert_eq!(keys.len(), starts.len());
        // The book has one position, so that some of its numbers were skipped.
        assert!(starts.last().unwrap().number >= 400);
        for kind in [Kind::Opening, Kind::Book, Kind::Endgame, Kind::Middlegame] {
            let count = starts.iter().filter(|start| start.kind == kind).count();
            assert!((60..140).contains(&count), "{kind:?}: {count}");
        }
    }

    #[test]
    fn a_lottery_may_come_to_its_end() {
        // White has three moves, and each of them ends the game or leaves few.
        let board = Board::from_fen("8/8/8/8/8/5k2/7h/7K w - - 0 1", Variant::Spartan).unwrap();
        let shares = Shares { book: 1.0, endgame: 0.0, middlegame: 0.0 };
        let mut lottery = Lottery::new(Variant::Spartan, 1, shares, vec![board]);
        let count = std::iter::repeat_with(|| lottery.draw()).take_while(Option::is_some).count();
        assert!((1..1000).contains(&count), "{count}");
    }
}
