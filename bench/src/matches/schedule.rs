//! The schedule of a match: pairings, openings and colours.

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Format {
    /// Each engine against every other engine.
    #[default]
    RoundRobin,
    /// The first engine against every other engine.
    Gauntlet,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Its index in the schedule, from 0. The two games of a pair are adjacent.
    pub number: usize,
    /// The round, from 0.
    pub round: usize,
    /// The number of its pair: the games with the same engines and the same opening.
    pub pair: usize,
    /// The number of its opening, from 0. There may be fewer openings; they then repeat.
    pub opening: usize,
    /// The indices of the engines of White and Black, from 0.
    pub engines: [usize; 2],
}

impl Fixture {
    /// The PGN tag `Round` of a match in which each opening is played twice: the round and the game of the pair, from
    /// 1.
    pub fn round_tag(&self) -> String {
        format!("{}.{}", self.round + 1, self.number % 2 + 1)
    }
}

/// All games in the order in which they start: round by round, of each pairing one game or two, with the same opening
/// for all pairings of a round. The colours change from game to game and, if each pairing has one game, from round to round.
pub fn schedule(format: Format, engines: usize, rounds: usize, games: usize) -> Vec<Fixture> {
    let firsts = if format == Format::Gauntlet { 1 } else { engines };
    let pairings = (0..firsts).flat_map(|first| (first + 1..engines).map(move |second| [first, second]));
    let pairings = pairings.enumerate();
    let rounds = (0..rounds).flat_map(|round| pairings.clone().map(move |pairing| (round, pairing)));
    let fixtures = rounds.enumerate().flat_map(|(pair, (round, (place, engines)))| {
        (0..games).map(move |game| {
            let [first, second] = engines;
            let is_reversed = if games == 1 { round + place } else { game } % 2 == 1;
            let engines = if is_reversed { [second, first] } else { engines };
            Fixture { number: 0, round, pair, opening: round, engines }
        })
    });
    fixtures.enumerate().map(|(number, fixture)| Fixture { number, ..fixture }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_engines_meet_with_both_colours() {
        let games = schedule(Format::RoundRobin, 4, 3, 2);
        assert_eq!(games.len(), 6 * 2 * 3);
        let different: HashSet<_> = games.iter().map(|game| (game.round, game.engines)).collect();
        assert_eq!(different.len(), games.len());
        for (index, game) in games.iter().enumerate() {
            assert_eq!(game.number, index);
            let other = games[index ^ 1];
            assert_eq!(
                (other.round, other.engines, other.pair),
                (game.round, [game.engines[1], game.engines[0]], game.pair)
            );
        }
        assert_eq!(games[0].round_tag(), "1.1");
        assert_eq!(games[35].round_tag(), "3.2");
    }

    #[test]
    fn the_first_engine_plays_all_games_of_a_gauntlet() {
        let games = schedule(Format::Gauntlet, 4, 2, 2);
        assert_eq!(games.len(), 3 * 2 * 2);
        assert!(games.iter().all(|game| game.engines.contains(&0)));
    }
    #[test]
    fn colours_change_if_each_pairing_has_one_game() {
        let engines = |format, count, rounds| -> Vec<[usize; 2]> {
            schedule(format, count, rounds, 1).iter().map(|game| game.engines).collect()
        };
        assert_eq!(engines(Format::RoundRobin, 2, 2), [[0, 1], [1, 0]]);
        assert_eq!(engines(Format::Gauntlet, 3, 2), [[0, 1], [2, 0], [1, 0], [0, 2]]);
        let pairs: Vec<usize> = schedule(Format::RoundRobin, 3, 2, 2).iter().map(|game| game.pair).collect();
        assert_eq!(pairs, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
}
