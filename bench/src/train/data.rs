//! Reads training positions from game files.

use super::position::Position;
use crate::data::record::{GameRecord, GameResult, Reader, RecordError};
use crate::data::sample::Sample;
use crate::rng::Rng;
use agoge_core::board::{Board, Variant};
use rayon::prelude::*;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The selection of training positions. The network evaluates quiet positions; tactics are left to the search.
#[derive(Clone, PartialEq, Debug)]
pub struct Filter {
    /// The number of plies skipped at the start of each game.
    pub skip_plies: usize,
    /// Positions with a larger absolute score, in centipawns, are skipped, including mates.
    pub max_score: i16,
    /// Positions whose score changes by more than this at the next ply, in centipawns, are skipped, because the search
    /// missed something.
    pub max_swing: u16,
}

impl Default for Filter {
    fn default() -> Self {
        Self { skip_plies: 0, max_score: 3000, max_swing: 300 }
    }
}

/// Why a position was kept or skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Reason {
    /// It is used for training or validation.
    Kept,
    /// It is too close to the start of the game.
    Early,
    /// The side to move is in check.
    Check,
    /// The move played is a capture or promotion.
    Noisy,
    /// The absolute score is too large, or there is no score.
    Score,
    /// The score changes too much at the next ply.
    Swing,
    /// There are more pieces than a packed position can hold.
    Pieces,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 7] =
        [Self::Kept, Self::Early, Self::Check, Self::Noisy, Self::Score, Self::Swing, Self::Pieces];

    /// The description of such positions.
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

/// The number of games and positions read.
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

/// The files to read and the selection of positions.
#[derive(Clone, Debug)]
pub struct Source {
    /// Files of games ([`crate::data::record`]), or text files of positions ([`crate::data::sample`]).
    pub files: Vec<PathBuf>,
    /// The selection of positions.
    pub filter: Filter,
    /// The share of the games used for validation, 0 to 1.
    pub validation: f64,
    /// Files of the same kinds, all of whose games are used for validation.
    pub validation_files: Vec<PathBuf>,
    /// The seed of the choice of validation games.
    pub seed: u64,
    /// Reading stops once this number of positions has been kept.
    pub limit: usize,
}

/// Training and validation positions.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The training positions, in the order of the files.
    pub training: Vec<Position>,
    /// The validation positions, from different games.
    pub validation: Vec<Position>,
    /// The number of games and positions read.
    pub tally: Tally,
    /// Problems of the files that are not errors.
    pub warnings: Vec<String>,
}

/// The number of games processed at a time.
const GAMES_AT_ONCE: usize = 4096;

impl Dataset {
    /// Reads all files. A game file that ends within a block is read up to that block, with a warning, because its
    /// writer may still be running.
    ///
    /// # Errors
    /// If a file cannot be read, is damaged, or contains games of another variant or illegal moves.
    pub fn read(source: &Source) -> Result<Self, String> {
        let mut dataset = Self::default();
        dataset.read_files(&source.files, source)?;
        let all = Source { validation: 1.0, limit: usize::MAX, ..source.clone() };
        dataset.read_files(&source.validation_files, &all)?;
        dataset.training.shrink_to_fit();
        dataset.validation.shrink_to_fit();
        Ok(dataset)
    }

    fn read_files(&mut self, files: &[PathBuf], source: &Source) -> Result<(), String> {
        for path in files {
            let read = match Reader::open(path) {
                Ok(reader) => self.read_records(reader, path, source),
                Err(RecordError::NotRecords) => self.read_text(path, source),
                Err(error) => Err(error.to_string()),
            };
            read.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }

    /// The CRC-32 of all positions, which identifies the data.
    pub fn checksum(&self) -> u32 {
        let mut hasher = hasher_of(self.training.iter().chain(&self.validation));
        hasher.update(&(self.training.len() as u64).to_le_bytes());
        hasher.finalize()
    }

    fn is_full(&self, source: &Source) -> bool {
        self.training.len() + self.validation.len() >= source.limit
    }

    fn read_records(&mut self, mut reader: Reader, path: &Path, source: &Source) -> Result<(), String> {
        if reader.header().variant != Variant::Spartan {
            return Err(format!("the network does not support games of {}", reader.header().variant.name()));
        }
        let mut games = Vec::new();
        loop {
            games.clear();
            let mut truncated = None;
            for game in reader.by_ref().take(GAMES_AT_ONCE) {
                match game {
                    Ok(game) => games.push(game),
                    Err(error @ RecordError::Truncated { .. }) => truncated = Some(error),
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
            if let Some(error) = truncated {
                self.warnings.push(format!("{}: {error}", path.display()));
            }
            if games.len() < GAMES_AT_ONCE {
                return Ok(());
            }
        }
    }

    /// Reads a text file. The positions of a game are adjacent and in order: a new game starts where the move number
    /// does not increase. The moves played are unknown, so positions with captures cannot be skipped.
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
            let reason = source.filter.early(ply).or_else(|| source.filter.reject(&sample.board, score));
            picker.add(&sample.board, score.unwrap_or(0), half_points, reason);
        }
        self.add_game(&picker.positions, &picker.counts, source);
    }

    fn add_game(&mut self, positions: &[Position], counts: &[u64; Reason::ALL.len()], source: &Source) {
        // This number depends on the seed and the game alone, not on its place: a training that starts from the network
        // of another must have the same validation games, or the network has already seen them.
        let checksum = hasher_of(positions).finalize();
        let drawn = Rng::new(source.seed ^ u64::from(checksum).wrapping_mul(0xD134_2543_DE82_EF95)).next();
        let is_validation = ((drawn >> 11) as f64) < source.validation * (1u64 << 53) as f64;
        if is_validation { &mut self.validation } else { &mut self.training }.extend(positions);
        self.tally.games += 1;
        self.tally.positions.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
}

impl Filter {
    fn early(&self, ply: usize) -> Option<Reason> {
        (ply < self.skip_plies).then_some(Reason::Early)
    }

    /// The reason to skip a position that follows from the position and its score.
    fn reject(&self, board: &Board, score: Option<i16>) -> Option<Reason> {
        if board.in_check() {
            Some(Reason::Check)
        } else if score.is_none_or(|score| score.unsigned_abs() > self.max_score.unsigned_abs()) {
            Some(Reason::Score)
        } else {
            None
        }
    }
}

/// The positions kept of a game.
#[derive(Default)]
struct Picker {
    positions: Vec<Position>,
    counts: [u64; Reason::ALL.len()],
}

impl Picker {
    fn add(&mut self, board: &Board, score: i16, half_points: u8, rejected: Option<Reason>) {
        let reason = rejected.unwrap_or_else(|| match Position::new(board, score, half_points) {
            Some(position) => {
                self.positions.push(position);
                Reason::Kept
            }
            None => Reason::Pieces,
        });
        self.counts[reason as usize] += 1;
    }
}

/// The CRC-32 of some positions, to which more can be added.
fn hasher_of<'a>(positions: impl IntoIterator<Item = &'a Position>) -> crc32fast::Hasher {
    let mut hasher = crc32fast::Hasher::new();
    positions.into_iter().for_each(|position| hasher.update(&position.bytes()));
    hasher
}

/// The positions of a game that pass the filter, and the number of positions by [`Reason`].
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
        let rejected = || filter.reject(board, Some(played.score));
        let reason = filter.early(ply).or_else(rejected).or_else(noisy).or_else(unsteady);
        picker.add(board, played.score, half_points, reason);
        ply += 1;
    });
    end.map_err(|error| error.to_string())?;
    Ok((picker.positions, picker.counts))
}

#[cfg(test)]
mod tests;
