//! Who plays whom, from which opening, with which colours.

/// How the engines are paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Format {
    /// Each engine against each other one.
    #[default]
    RoundRobin,
    /// The first engine against each other one.
    Gauntlet,
}

/// A game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Its place in the schedule, from 0. The two games of a pair follow each other.
    pub number: usize,
    /// Which opening of the match is played, from 0.
    pub round: usize,
    /// The engines of White and Black, from 0.
    pub engines: [usize; 2],
}

impl Fixture {
    /// The number of the pair of games with the same engines and the same opening.
    pub const fn pair(&self) -> usize {
        self.number / 2
    }

    /// Whether it is the second of its pair, in which the colours are reversed.
    pub const fn is_return(&self) -> bool {
        self.number % 2 == 1
    }

    /// The PGN tag: the round and the game of the pair, from 1.
    pub fn round_tag(&self) -> String {
        format!("{}.{}", self.round + 1, self.number % 2 + 1)
    }
}

/// The pairings of a format.
pub fn pairings(format: Format, engines: usize) -> Vec<[usize; 2]> {
    let firsts = if format == Format::Gauntlet { 0..engines.min(1) } else { 0..engines };
    firsts.flat_map(|first| (first + 1..engines).map(move |second| [first, second])).collect()
}

/// All games, in the order in which they begin: round by round, each pairing with both colours.
pub fn schedule(format: Format, engines: usize, rounds: usize) -> Vec<Fixture> {
    let pairings = pairings(format, engines);
    let pairs = (0..rounds).flat_map(|round| pairings.iter().map(move |&pairing| (round, pairing)));
    let colours = |(round, [a, b]): (usize, [usize; 2])| [(round, [a, b]), (round, [b, a])];
    let games = pairs.flat_map(colours).enumerate();
    games.map(|(number, (round, engines))| Fixture { number, round, engines }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn everyone_meets_with_both_colours() {
        let games = schedule(Format::RoundRobin, 4, 3);
        assert_eq!(games.len(), 6 * 2 * 3);
        let different: HashSet<_> = games.iter().map(|game| (game.round, game.engines)).collect();
        assert_eq!(different.len(), games.len());
        for (index, game) in games.iter().enumerate() {
            assert_eq!(game.number, index);
            let other = games[index ^ 1];
            assert_eq!(
                (other.round, other.engines, other.pair()),
                (game.round, [game.engines[1], game.engines[0]], game.pair())
            );
        }
        assert_eq!(games[0].round_tag(), "1.1");
        assert_eq!(games[35].round_tag(), "3.2");
    }

    #[test]
    fn a_gauntlet_is_run_by_the_first() {
        let games = schedule(Format::Gauntlet, 4, 2);
        assert_eq!(games.len(), 3 * 2 * 2);
        assert!(games.iter().all(|game| game.engines.contains(&0)));
    }
}
