//! The settings of a match.

use super::config::EngineConfig;
use super::engine::MatchConfig;
use super::game::Adjudication;
use super::openings::Opening;
use super::pgn::Style;
use super::schedule::Fixture;
use super::sprt::{Sprt, Verdict};
use super::standings::Standings;
use agoge_core::board::Variant;

/// The settings of a match, whatever the command line from which they come.
#[derive(Clone, Debug)]
pub struct Match {
    pub engines: Vec<EngineConfig>,
    /// The settings common to all engines, with the variant.
    pub match_config: MatchConfig,
    pub schedule: Vec<Fixture>,
    /// The openings, which repeat if the schedule needs more.
    pub openings: Vec<Opening>,
    pub adjudication: Adjudication,
    /// A test of the first engine against the second, which ends the match when it is decided.
    pub sprt: Option<Sprt>,
    /// Whether pairs of games are the observations of the test, and not single games.
    pub is_paired: bool,
    pub concurrency: usize,
    /// The processors to which the engines of each concurrent game are bound; empty for any.
    pub processors: Vec<usize>,
    pub style: Style,
}

impl Default for Match {
    /// Spartan Chess without engines and games.
    fn default() -> Self {
        Self {
            engines: Vec::new(),
            match_config: MatchConfig::new(Variant::Spartan),
            schedule: Vec::new(),
            openings: Vec::new(),
            adjudication: Adjudication::default(),
            sprt: None,
            is_paired: true,
            concurrency: 1,
            processors: Vec::new(),
            style: Style::default(),
        }
    }
}

impl Match {
    pub const fn variant(&self) -> Variant {
        self.match_config.variant
    }

    pub fn opening(&self, fixture: &Fixture) -> &Opening {
        &self.openings[fixture.opening % self.openings.len()]
    }

    /// The log-likelihood ratio of a test with the results of the first engine.
    pub fn llr(&self, test: &Sprt, standings: &Standings) -> f64 {
        let tally = standings.tally(0);
        if self.is_paired { test.llr(&tally.pairs) } else { test.llr(&tally.total().counts()) }
    }

    /// The verdict of the test, if there is one and the results decide it.
    pub fn verdict(&self, standings: &Standings) -> Option<Verdict> {
        let test = self.sprt?;
        test.verdict(self.llr(&test, standings))
    }
}
