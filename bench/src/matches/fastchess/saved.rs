//! The file of `-config`: the command line of a match and its results so far.

use super::super::game::Fault;
use super::super::schedule::Fixture;
use super::super::standings::GameResult;
use crate::files;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The words of the command line without `-config`.
    pub arguments: Vec<String>,
    games: Vec<SavedGame>,
    /// The length of the PGN file with these games, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn_length: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedGame {
    /// Its number in the schedule, from 0.
    number: usize,
    half_points: u8,
    /// The fault that lost the game, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
}

impl Saved {
    /// A match in which nothing has been played.
    pub const fn new(arguments: Vec<String>) -> Self {
        Self { arguments, games: Vec::new(), pgn_length: None }
    }

    pub fn push(&mut self, game: &GameResult) {
        let GameResult { fixture, half_points, fault } = *game;
        self.games.push(SavedGame { number: fixture.number, half_points, fault });
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not such a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| format!("not a saved match: {error}"))
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
    pub fn results(&self, schedule: &[Fixture]) -> Result<Vec<GameResult>, String> {
        let mut seen = vec![false; schedule.len()];
        let result = |&SavedGame { number, half_points, fault }: &SavedGame| {
            let fixture = schedule.get(number).filter(|_| half_points <= 2);
            let fixture = fixture.filter(|fixture| !std::mem::replace(&mut seen[fixture.number], true));
            let fixture = *fixture.ok_or_else(|| format!("the saved game {} is not valid", number + 1))?;
            Ok(GameResult { fixture, half_points, fault })
        };
        self.games.iter().map(result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::schedule::{Format, schedule};
    use super::*;

    #[test]
    fn results_are_saved_and_checked() {
        let schedule = schedule(Format::RoundRobin, 2, 2, 2);
        let mut saved = Saved::new(vec!["-x".into()]);
        let results = [(2, None), (0, Some(Fault::TimeLoss))];
        let results = results.map(|(number, fault)| GameResult { fixture: schedule[number], half_points: 2, fault });
        results.iter().for_each(|result| saved.push(result));
        let text = serde_json::to_string(&saved).expect("JSON");
        let read: Saved = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read.arguments, saved.arguments);
        assert_eq!(read.results(&schedule).as_deref(), Ok(results.as_slice()));
        for (number, half_points) in [(4, 0), (2, 1), (1, 3)] {
            let mut games = saved.games.clone();
            games.push(SavedGame { number, half_points, fault: None });
            assert!(
                Saved { arguments: Vec::new(), games, pgn_length: None }.results(&schedule).is_err(),
                "{number} {half_points}"
            );
        }
    }
}
