//! From files of games to positions to learn from.

use super::position::Position;
use crate::record::{GameRecord, GameResult, Reader, RecordError};
use crate::rng::Rng;
use crate::sample::Sample;
use agoge::board::{Board, Variant};
use rayon::prelude::*;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Which positions are learnt from. A network replaces the evaluation of quiet positions; what a
/// search sees at once need not be learnt.
#[derive(Clone, PartialEq, Debug)]
pub struct Filter {
    /// So many plies at the begin of each game are left out.
    pub skip_plies: usize,
    /// Scores, in centipawns, that are further from zero are left out, mates with them.
    pub max_score: i16,
    /// Positions whose score changes by more centipawns within the next ply are left out: the search
    /// had not seen what was coming.
    pub max_swing: u16,
}

impl Default for Filter {
    fn default() -> Self {
        Self { skip_plies: 0, max_score: 3000, max_swing: 300 }
    }
}

/// Why a position was kept or left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Reason {
    /// It is learnt from.
    Kept,
    /// It is too near to the begin of the game.
    Early,
    /// The side to move is in check.
    Check,
    /// The best move captures or promotes.
    Noisy,
    /// The score is too far from zero, or there is none.
    Score,
    /// The score was another one a ply later.
    Swing,
    /// There are more pieces than a packed position has room for.
    Pieces,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 7] =
        [Self::Kept, Self::Early, Self::Check, Self::Noisy, Self::Score, Self::Swing, Self::Pieces];

    /// What to call the positions.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Early => "too early",
            Self::Check => "in check",
            Self::Noisy => "with a capture or promotion",
            Self::Score => "decided or without a score",
            Self::Swing => "with an unsteady score",
            Self::Pieces => "with too many pieces",
        }
    }
}

/// How many games and positions there were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Positions by [`Reason`].
    pub positions: [u64; Reason::ALL.len()],
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} games, {} positions", self.games, self.positions.iter().sum::<u64>())?;
        for (reason, count) in Reason::ALL.into_iter().zip(self.positions).filter(|&(_, count)| count > 0) {
            write!(f, ", {count} {}", reason.name())?;
        }
        Ok(())
    }
}

/// Where positions come from and what becomes of them.
#[derive(Clone, Debug)]
pub struct Source {
    /// Files of games ([`crate::record`]), or text files of positions ([`crate::sample`]).
    pub files: Vec<PathBuf>,
    /// Which positions are kept.
    pub filter: Filter,
    /// The share of the games whose positions are kept for validation, 0 to 1.
    pub validation: f64,
    /// Decides which games these are.
    pub seed: u64,
    /// No more games are read once so many positions are kept.
    pub limit: usize,
}

/// Positions to learn from.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// In the order of the files.
    pub training: Vec<Position>,
    /// From other games than those for training.
    pub validation: Vec<Position>,
    /// What was read.
    pub tally: Tally,
    /// What was wrong with the files but no reason to stop.
    pub warnings: Vec<String>,
}

/// Games that are unpacked at the same time.
const GAMES_AT_ONCE: usize = 4096;

impl Dataset {
    /// Reads all files. A file of games that ends within a block is read up to there, with a
    /// warning: its writer may still be at work.
    ///
    /// # Errors
    /// When a file cannot be read, is damaged, or has games of another variant or illegal moves.
    pub fn read(source: &Source) -> Result<Self, String> {
        let mut dataset = Self::default();
        for path in &source.files {
            let read = match Reader::open(path) {
                Ok(reader) => dataset.read_records(reader, path, source),
                Err(RecordError::NotRecords) => dataset.read_text(path, source),
                Err(error) => Err(error.to_string()),
            };
            read.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        dataset.training.shrink_to_fit();
        dataset.validation.shrink_to_fit();
        Ok(dataset)
    }

    /// CRC-32 of all positions, to know them again.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for position in self.training.iter().chain(&self.validation) {
            hasher.update(&position.bytes());
        }
        hasher.update(&(self.training.len() as u64).to_le_bytes());
        hasher.finalize()
    }

    fn is_full(&self, source: &Source) -> bool {
        self.training.len() + self.validation.len() >= source.limit
    }

    fn read_records(&mut self, mut reader: Reader, path: &Path, source: &Source) -> Result<(), String> {
        if reader.header().variant != Variant::Spartan {
            return Err(format!("games of {}, which the network does not know", reader.header().variant.name()));
        }
        let mut games = Vec::new();
        loop {
            games.clear();
            let mut torn = None;
            for game in reader.by_ref().take(GAMES_AT_ONCE) {
                match game {
                    Ok(game) => games.push(game),
                    Err(error @ RecordError::Torn { .. }) => torn = Some(error),
                    Err(error) => return Err(error.to_string()),
                }
            }
            let picked: Vec<_> = games.par_iter().map(|game| pick(game, &source.filter)).collect();
            for (picked, game) in picked.into_iter().zip(&games) {
                let (positions, counts) = picked.map_err(|error| format!("game {}: {error}", game.number))?;
                self.add_game(&positions, &counts, source);
                if self.is_full(source) {
                    return Ok(());
                }
            }
            if let Some(torn) = torn {
                self.warnings.push(format!("{}: {torn}", path.display()));
            }
            if games.len() < GAMES_AT_ONCE {
                return Ok(());
            }
        }
    }

    /// Reads lines. Those of a game follow each other, and its moves are numbered: where the numbers
    /// begin anew, so does a game. Moves are not known, so captures cannot be left out.
    fn read_text(&mut self, path: &Path, source: &Source) -> Result<(), String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let mut lines = BufReader::new(file).lines().enumerate();
        let mut game: Vec<Sample> = Vec::new();
        let number = |sample: &Sample| (sample.board.fullmove_number(), sample.board.side_to_move().index());
        loop {
            let mut texts = Vec::new();
            for (i, line) in lines.by_ref().take(64 * GAMES_AT_ONCE) {
                texts.push((i + 1, line.map_err(|error| error.to_string())?));
            }
            let end = texts.is_empty();
            let parse = |(line, text): &(usize, String)| {
                let sample = Sample::parse(text, Variant::Spartan);
                sample.map_err(|error| format!("line {line}: {error}"))
            };
            let filled: Vec<_> = texts.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
            let samples: Vec<Sample> = filled.par_iter().map(parse).collect::<Result<_, _>>()?;
            for sample in samples {
                if game.last().is_some_and(|last| number(last) >= number(&sample)) {
                    self.add_samples(&std::mem::take(&mut game), source);
                    if self.is_full(source) {
                        return Ok(());
                    }
                }
                game.push(sample);
            }
            if end {
                if !game.is_empty() {
                    self.add_samples(&game, source);
                }
                return Ok(());
            }
        }
    }

    fn add_samples(&mut self, game: &[Sample], source: &Source) {
        let mut picker = Picker::default();
        for (ply, sample) in game.iter().enumerate() {
            let half_points = (2.0 * sample.result) as u8;
            let score = sample.score.map(|score| score.clamp(-32_000, 32_000) as i16);
            let reason = source.filter.early(ply).or_else(|| source.filter.judge(&sample.board, score));
            picker.put(&sample.board, score.unwrap_or(0), half_points, reason);
        }
        self.add_game(&picker.positions, &picker.counts, source);
    }

    fn add_game(&mut self, positions: &[Position], counts: &[u64; Reason::ALL.len()], source: &Source) {
        // A number that depends on seed and game only: the same games whatever else is read.
        let drawn = Rng::new(source.seed ^ self.tally.games.wrapping_mul(0xD134_2543_DE82_EF95)).next();
        let held_back = (drawn as f64) < source.validation * u64::MAX as f64;
        if held_back { &mut self.validation } else { &mut self.training }.extend(positions);
        self.tally.games += 1;
        self.tally.positions.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
}

impl Filter {
    fn early(&self, ply: usize) -> Option<Reason> {
        (ply < self.skip_plies).then_some(Reason::Early)
    }

    /// What the position alone and its score say against it.
    fn judge(&self, board: &Board, score: Option<i16>) -> Option<Reason> {
        if board.in_check() {
            Some(Reason::Check)
        } else if score.is_none_or(|score| score.unsigned_abs() > self.max_score.unsigned_abs()) {
            Some(Reason::Score)
        } else {
            None
        }
    }
}

/// What is kept of a game.
#[derive(Default)]
struct Picker {
    positions: Vec<Position>,
    counts: [u64; Reason::ALL.len()],
}

impl Picker {
    fn put(&mut self, board: &Board, score: i16, half_points: u8, against: Option<Reason>) {
        let reason = against.unwrap_or_else(|| match Position::new(board, score, half_points) {
            Some(position) => {
                self.positions.push(position);
                Reason::Kept
            }
            None => Reason::Pieces,
        });
        self.counts[reason as usize] += 1;
    }
}

/// The positions of a game that pass the filter.
fn pick(game: &GameRecord, filter: &Filter) -> Result<(Vec<Position>, [u64; Reason::ALL.len()]), String> {
    let half_points = match game.result {
        GameResult::WhiteWins => 2,
        GameResult::Draw => 1,
        GameResult::BlackWins => 0,
    };
    let mut picker = Picker::default();
    let mut ply = 0;
    let end = game.replay(|board, played| {
        let next = game.plies.get(ply + 1).map_or(played.score, |next| next.score);
        let unsteady = || (next.abs_diff(played.score) > filter.max_swing).then_some(Reason::Swing);
        let noisy = || board.is_noisy(played.mv).then_some(Reason::Noisy);
        let judged = || filter.judge(board, Some(played.score));
        let reason = filter.early(ply).or_else(judged).or_else(noisy).or_else(unsteady);
        picker.put(board, played.score, half_points, reason);
        ply += 1;
    });
    end.map_err(|error| error.to_string())?;
    Ok((picker.positions, picker.counts))
}

#[cfg(test)]
mod tests;
