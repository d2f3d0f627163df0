//! The standings of a match.

use super::game::{Fault, GameEnd};
use super::schedule::Fixture;
use super::stats::{Pentanomial, Wdl};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameResult {
    pub fixture: Fixture,
    /// White's half points: 0, 1 or 2.
    pub half_points: u8,
    /// The fault that lost the game, if any.
    pub fault: Option<Fault>,
}

impl GameResult {
    pub fn new(fixture: Fixture, end: &GameEnd) -> Self {
        Self { fixture, half_points: end.half_points(), fault: end.fault().map(|(_, fault)| fault) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Faults {
    pub illegal_moves: u64,
    pub crashes: u64,
    pub stalls: u64,
    pub time_losses: u64,
}

impl Faults {
    const fn add(&mut self, fault: Fault) {
        match fault {
            Fault::IllegalMove => self.illegal_moves += 1,
            Fault::Crash => self.crashes += 1,
            Fault::Stall => self.stalls += 1,
            Fault::TimeLoss => self.time_losses += 1,
        }
    }

    pub const fn total(&self) -> u64 {
        self.illegal_moves + self.crashes + self.stalls + self.time_losses
    }
}

/// The results of an engine, against one other or against all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// The games with White and with Black.
    pub by_colour: [Wdl; 2],
    /// The complete pairs by half points.
    pub pairs: Pentanomial,
    /// The complete pairs with two draws.
    pub drawn_pairs: u64,
}

impl Tally {
    /// The games with both colours.
    pub const fn total(&self) -> Wdl {
        self.by_colour[0].plus(&self.by_colour[1])
    }

    fn add_pair(&mut self, half_points: [u8; 2]) {
        self.pairs[usize::from(half_points[0] + half_points[1])] += 1;
        self.drawn_pairs += u64::from(half_points == [1, 1]);
    }

    /// The games of the complete pairs.
    pub const fn paired(&self) -> Wdl {
        let [none, half, one, more, two] = self.pairs;
        let decided = one - self.drawn_pairs;
        Wdl {
            wins: decided + more + 2 * two,
            draws: half + 2 * self.drawn_pairs + more,
            losses: 2 * none + half + decided,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Standings {
    engines: Vec<(Tally, Faults)>,
    /// The results of each pairing, from the view of its first engine.
    pairings: BTreeMap<[usize; 2], Tally>,
    /// The half points of the first engine of the pairing in pairs with one game played.
    halves: HashMap<usize, u8>,
    games: usize,
}

impl Standings {
    pub fn new(engines: usize) -> Self {
        Self { engines: vec![Default::default(); engines], pairings: BTreeMap::new(), halves: HashMap::new(), games: 0 }
    }

    pub fn add(&mut self, result: &GameResult) {
        self.games += 1;
        let [white, black] = result.fixture.engines;
        if let Some(fault) = result.fault {
            let loser = if result.half_points == 0 { white } else { black };
            self.engines[loser].1.add(fault);
        }
        let both = [result.half_points, 2 - result.half_points];
        self.engines[white].0.by_colour[0].add(both[0]);
        self.engines[black].0.by_colour[1].add(both[1]);
        let (first, second) = (white.min(black), white.max(black));
        let colour = usize::from(first == black);
        let own = both[colour];
        let pairing = self.pairings.entry([first, second]).or_default();
        pairing.by_colour[colour].add(own);
        let pair = result.fixture.pair;
        if let Some(other) = self.halves.remove(&pair) {
            pairing.add_pair([own, other]);
            self.engines[first].0.add_pair([own, other]);
            self.engines[second].0.add_pair([2 - own, 2 - other]);
        } else {
            self.halves.insert(pair, own);
        }
    }

    pub const fn games(&self) -> usize {
        self.games
    }

    /// Whether both games of a pair have been played.
    pub fn is_complete(&self, pair: usize) -> bool {
        !self.halves.contains_key(&pair)
    }

    /// The results of an engine against all others.
    pub fn tally(&self, engine: usize) -> &Tally {
        &self.engines[engine].0
    }

    pub fn faults(&self, engine: usize) -> Faults {
        self.engines[engine].1
    }

    /// The results of a pairing from the view of its first engine, which has the lower number.
    pub fn pairing(&self, engines: [usize; 2]) -> Tally {
        self.pairings.get(&engines).copied().unwrap_or_default()
    }

    /// The results of each pairing with games, from the view of its first engine.
    pub fn pairings(&self) -> impl Iterator<Item = ([usize; 2], &Tally)> {
        self.pairings.iter().map(|(&pairing, tally)| (pairing, tally))
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Format, schedule};
    use super::*;

    #[test]
    fn pairs_and_colours() {
        let games = schedule(Format::RoundRobin, 2, 3, 2);
        let mut standings = Standings::new(2);
        // White wins both games of the first pair, the first engine both of the second; the third pair is incomplete.
        // The games end in a different order than they started.
        for (number, half_points) in [(2, 2), (0, 2), (1, 2), (4, 1), (3, 0)] {
            let fault = (number == 3).then_some(Fault::Crash);
            standings.add(&GameResult { fixture: games[number], half_points, fault });
        }
        let first = standings.tally(0);
        assert_eq!(first.by_colour[0], Wdl { wins: 2, draws: 1, losses: 0 });
        assert_eq!(first.by_colour[1], Wdl { wins: 1, draws: 0, losses: 1 });
        assert_eq!(first.pairs, [0, 0, 1, 0, 1]);
        assert_eq!(first.paired(), Wdl { wins: 3, draws: 0, losses: 1 });
        assert!(standings.is_complete(1) && !standings.is_complete(2));
        assert_eq!(standings.tally(1).pairs, [1, 0, 1, 0, 0]);
        assert_eq!(standings.tally(1).total(), Wdl { wins: 1, draws: 1, losses: 3 });
        assert_eq!((standings.faults(0).total(), standings.faults(1).crashes), (0, 1));
        assert_eq!(standings.games(), 5);
        assert_eq!(
            standings.pairings().map(|(pairing, tally)| (pairing, *tally)).collect::<Vec<_>>(),
            [([0, 1], *first)]
        );
    }
}
