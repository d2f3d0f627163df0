//! The file of `-config`: the command line of a match and its results so far.

use super::super::game::Fault;
use super::super::schedule::Fixture;
use super::super::standings::GameResult;
use crate::files;
use agoge_core::types::Colour;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A saved match.
#[derive(Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The words of the command line without `-config`.
    pub arguments: Vec<String>,
    /// The games played.
    pub games: Vec<SavedGame>,
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedGame {
    /// The number of the game in the schedule, from 0.
    pub number: usize,
    /// White's half points.
    pub half_points: u8,
    /// The fault that lost the game, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<SavedFault>,
}

/// A fault of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedFault {
    /// Whether White made it.
    pub white: bool,
    /// The fault.
    pub kind: Fault,
}

impl SavedGame {
    /// What is saved of a result.
    pub fn new(result: &GameResult) -> Self {
        let fault = result.fault.map(|(side, kind)| SavedFault { white: side == Colour::White, kind });
        Self { number: result.fixture.number, half_points: result.half_points, fault }
    }
}

impl Saved {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not such a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: not a saved match: {error}", path.display()))
    }

    /// Writes a file, or leaves the old one if that fails.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        files::replace(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The results of the games in the order in which they ended.
    ///
    /// # Errors
    /// If a game is not part of the schedule, is listed twice, or has an impossible result.
    pub fn results(&self, fixtures: &[Fixture]) -> Result<Vec<GameResult>, String> {
        let mut seen = vec![false; fixtures.len()];
        let mut results = Vec::new();
        for game in &self.games {
            let fixture = fixtures.get(game.number).filter(|_| game.half_points <= 2);
            let fixture = fixture.filter(|fixture| !std::mem::replace(&mut seen[fixture.number], true));
            let fixture = *fixture.ok_or_else(|| format!("the saved game {} is not valid", game.number + 1))?;
            let side = |white| if white { Colour::White } else { Colour::Black };
            let fault = game.fault.map(|fault| (side(fault.white), fault.kind));
            results.push(GameResult { fixture, half_points: game.half_points, fault });
        }
        Ok(results)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::schedule::{Format, schedule};
    use super::*;

    #[test]
    fn results_are_saved_and_checked() {
        let fixtures = schedule(Format::RoundRobin, 2, 2);
        let result = |number: usize, fault| GameResult { fixture: fixtures[number], half_points: 2, fault };
        let results = [result(2, None), result(0, Some((Colour::Black, Fault::TimeLoss)))];
        let saved = Saved { arguments: vec!["-x".into()], games: results.iter().map(SavedGame::new).collect() };
        let text = serde_json::to_string(&saved).expect("JSON");
        let read: Saved = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read.arguments, saved.arguments);
        assert_eq!(read.results(&fixtures).as_deref(), Ok(results.as_slice()));
        for (number, half_points) in [(4, 0), (2, 1), (1, 3)] {
            let mut games = saved.games.clone();
            games.push(SavedGame { number, half_points, fault: None });
            assert!(Saved { arguments: Vec::new(), games }.results(&fixtures).is_err(), "{number} {half_points}");
        }
    }
}
