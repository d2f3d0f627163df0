//! Reads training positions from game files.

use super::position::Position;
use crate::data::record::GameRecord;
use crate::data::{HIGH_CLOCK, read_games};
use crate::rng::Rng;
use crate::terminal::{Error, unreadable, usage};
use agoge_core::board::{Board, Variant};
use agoge_core::tables::{Tables, Wdl};
use agoge_core::types::Colour;
use clap::Args;
use rayon::prelude::*;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The selection of training positions. The network evaluates quiet positions; tactics are left to the search. Where
/// the score jumps, the search has missed something.
#[derive(Args, Clone, PartialEq, Debug)]
#[command(next_help_heading = "Positions")]
pub struct Filter {
    /// Plies to skip at the start of each game
    #[arg(long, default_value_t = 0)]
    pub skip_plies: usize,
    /// Skip positions with a larger absolute score, in centipawns; mates are beyond 20000
    #[arg(long, default_value_t = 3000)]
    pub max_score: i16,
    /// Skip positions whose score changes by more than this at the next ply, in centipawns
    #[arg(long, default_value_t = 300)]
    pub max_swing: u16,
    /// Skip positions with a larger halfmove clock: the network does not see it, and draws by the fifty-move rule are
    /// near
    #[arg(long, default_value_t = HIGH_CLOCK - 1)]
    pub max_clock: u16,
    /// Skip positions with fewer men, unless they are in the endgame tables
    #[arg(long, default_value_t = 0)]
    pub min_men: u32,
}

/// Why a position was kept or skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Reason {
    Kept,
    /// Kept, with the value of an endgame table as label.
    Table,
    Early,
    Check,
    /// The move played is a capture or promotion.
    Noisy,
    Score,
    Swing,
    /// The halfmove clock is high.
    Clock,
    /// There are too few men.
    Men,
    /// There are more pieces than a packed position can hold.
    Pieces,
}

impl Reason {
    pub const ALL: [Self; 10] = [
        Self::Kept,
        Self::Table,
        Self::Early,
        Self::Check,
        Self::Noisy,
        Self::Score,
        Self::Swing,
        Self::Clock,
        Self::Men,
        Self::Pieces,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Table => "kept and labelled by endgame tables",
            Self::Early => "too early",
            Self::Check => "in check",
            Self::Noisy => "with a capture or promotion",
            Self::Score => "decided",
            Self::Swing => "with an unsteady score",
            Self::Clock => "with a high halfmove clock",
            Self::Men => "with too few men",
            Self::Pieces => "with too many pieces",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
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

#[derive(Args, Clone, Debug)]
pub struct Source {
    /// Game files written by `datagen`
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The share of the games used for validation
    #[arg(long, default_value_t = 0.02, help_heading = "Positions")]
    pub validation: f64,
    /// A file of games used for validation only, instead of a share of the others; several with several such options
    #[arg(long, value_name = "FILE", conflicts_with = "validation", help_heading = "Positions")]
    pub validation_file: Vec<PathBuf>,
    #[command(flatten)]
    pub filter: Filter,
    /// The weight, from 0 to less than 1, of the next position's label in the label of a training position; the remaining
    /// weight is that of its own score
    #[arg(long, default_value_t = 0.0, help_heading = "Positions")]
    pub lambda: f32,
    /// Label positions by the endgame tables of these folders, separated as in PATH, instead of score and result
    #[arg(long, value_name = "FOLDER", help_heading = "Positions")]
    pub tables: Option<OsString>,
    /// Stop reading after this number of positions, in whole games; 0 for all
    #[arg(long, default_value_t = 0, help_heading = "Positions")]
    pub limit: usize,
    /// The seed of the choice of validation games.
    #[arg(skip)]
    pub seed: u64,
}

impl Source {
    /// Checks what does not depend on the files.
    ///
    /// # Errors
    /// Names the invalid value.
    pub fn check(&self) -> Result<(), Error> {
        if !(0.0..1.0).contains(&self.validation) {
            return Err(usage("the validation share is not between 0 and 1".to_owned()));
        }
        if !(0.0..1.0).contains(&self.lambda) {
            return Err(usage(format!("lambda {} is not from 0 to less than 1", self.lambda)));
        }
        if self.filter.max_score <= 0 {
            return Err(usage("the maximum score must be more than 0".to_owned()));
        }
        Ok(())
    }

    /// The source with the defaults filled in: no share for validation beside a file for it, and no limit instead of 0.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        Self {
            validation: if self.validation_file.is_empty() { self.validation } else { 0.0 },
            limit: if self.limit == 0 { usize::MAX } else { self.limit },
            seed,
            ..self.clone()
        }
    }

    /// Whether the positions of a game are for validation.
    ///
    /// It depends on the seed and the game alone, not on its place or the filter: a training that starts from the
    /// network of another must have the same validation games, or the network has already seen them.
    fn is_validation(&self, game: &GameRecord) -> bool {
        let checksum = checksum_of(game);
        let drawn = Rng::new(self.seed ^ u64::from(checksum).wrapping_mul(0xD134_2543_DE82_EF95)).next();
        ((drawn >> 11) as f64) < self.validation * (1u64 << 53) as f64
    }
}

#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The training positions, in the order of the files.
    pub training: Vec<Position>,
    /// The validation positions, from different games.
    pub validation: Vec<Position>,
    pub tally: Tally,
}

const GAMES_AT_ONCE: usize = 4096;

impl Dataset {
    /// Reads all files.
    ///
    /// # Errors
    /// If a file cannot be read, is damaged, or contains games of another variant or illegal moves.
    pub fn read(source: &Source) -> Result<Self, Error> {
        let tables = source.tables.as_ref().map(|path| Tables::open_all(path).map_err(usage)).transpose()?;
        let tables = tables.as_ref();
        let mut dataset = Self::default();
        source.files.iter().try_for_each(|path| dataset.read_file(path, source, tables))?;
        let all = Source { validation: 1.0, limit: usize::MAX, ..source.clone() };
        source.validation_file.iter().try_for_each(|path| dataset.read_file(path, &all, tables))?;
        if let Some(problem) = tables.and_then(|tables| tables.new_failures().into_iter().next()) {
            return Err(usage(problem));
        }
        dataset.training.shrink_to_fit();
        dataset.validation.shrink_to_fit();
        Ok(dataset)
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

    fn read_file(&mut self, path: &Path, source: &Source, tables: Option<&Tables>) -> Result<(), Error> {
        if self.is_full(source) {
            return Ok(());
        }
        let (header, mut games) = read_games(path)?;
        if header.variant != Variant::Spartan {
            let cause = format!("the network does not support games of {}", header.variant.name());
            return Err(unreadable(path)(cause));
        }
        loop {
            let games = games.by_ref().take(GAMES_AT_ONCE).collect::<Result<Vec<GameRecord>, Error>>()?;
            let pick = |game: &GameRecord| {
                let is_validation = source.is_validation(game);
                // The losses in validation do not depend on lambda, so they can be compared.
                let lambda = if is_validation { 0.0 } else { source.lambda };
                let picked = pick(game, lambda, &source.filter, tables);
                picked.map(|picked| (is_validation, picked)).map_err(|error| format!("game {}: {error}", game.number))
            };
            let picked: Vec<_> = games.par_iter().map(pick).collect();
            for picked in picked {
                let (is_validation, (positions, counts)) = picked.map_err(unreadable(path))?;
                self.add_game(is_validation, &positions, &counts);
                if self.is_full(source) {
                    return Ok(());
                }
            }
            if games.len() < GAMES_AT_ONCE {
                return Ok(());
            }
        }
    }

    fn add_game(&mut self, is_validation: bool, positions: &[Position], counts: &[u64; Reason::ALL.len()]) {
        if is_validation { &mut self.validation } else { &mut self.training }.extend(positions);
        self.tally.games += 1;
        self.tally.positions.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
}

/// The CRC-32 of the start and the moves of a game.
fn checksum_of(game: &GameRecord) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(game.start.to_string().as_bytes());
    game.plies.iter().for_each(|ply| hasher.update(&ply.mv.bits().to_le_bytes()));
    hasher.finalize()
}

/// The CRC-32 of some positions, to which more can be added.
fn hasher_of<'a>(positions: impl IntoIterator<Item = &'a Position>) -> crc32fast::Hasher {
    let mut hasher = crc32fast::Hasher::new();
    positions.into_iter().for_each(|position| hasher.update(&position.bytes()));
    hasher
}

/// The least score, in centipawns, of a position that a table knows to be won. The search is right about the order of
/// won positions, even if its scores are too low.
const TABLE_WIN: i16 = 1000;

/// The score and the half points of a position in a table, from White's view: those of a win, a draw or a loss with
/// best play, also by the fifty-move rule. `None` if it is in none, or if that rule makes the result unknown.
fn table_label(tables: &Tables, board: &Board, score: i16) -> Option<(i16, u8)> {
    let value = tables.value(board)?;
    let winner = match value.result_at(board.halfmove_clock())? {
        Wdl::Win => board.side_to_move(),
        Wdl::Loss => !board.side_to_move(),
        Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => return Some((0, 1)),
    };
    Some(match winner {
        Colour::White => (score.max(TABLE_WIN), 2),
        Colour::Black => (score.min(-TABLE_WIN), 0),
    })
}

/// The labels of the positions of a game, from White's view: each is the mean of the score of its own search and the
/// label of the next position, which has the weight `lambda` (TD(lambda), Sutton 1988). The searches of the next plies
/// see further ahead.
fn labels(game: &GameRecord, lambda: f32) -> Vec<i16> {
    let mut next = None;
    let mut labels: Vec<i16> = Vec::with_capacity(game.plies.len());
    for ply in game.plies.iter().rev() {
        let score = f32::from(ply.score);
        let label = next.map_or(score, |next| (1.0 - lambda) * score + lambda * next);
        labels.push(label.round() as i16);
        next = Some(label);
    }
    labels.reverse();
    labels
}

/// The positions of a game that pass the filter, with their [`labels`], and the number of positions by [`Reason`].
fn pick(
    game: &GameRecord,
    lambda: f32,
    filter: &Filter,
    tables: Option<&Tables>,
) -> Result<(Vec<Position>, [u64; Reason::ALL.len()]), String> {
    let labels = labels(game, lambda);
    let (mut positions, mut counts) = (Vec::new(), [0; Reason::ALL.len()]);
    let mut ply = 0;
    game.replay(|board, played| {
        let next = game.plies.get(ply + 1).map_or(played.score, |next| next.score);
        let reason = if ply < filter.skip_plies {
            Reason::Early
        } else if board.in_check() {
            Reason::Check
        } else if played.score.unsigned_abs() > filter.max_score.unsigned_abs() {
            Reason::Score
        } else if board.is_noisy(played.mv) {
            Reason::Noisy
        } else if board.halfmove_clock() > filter.max_clock {
            Reason::Clock
        } else if let Some((score, half_points)) = tables.and_then(|tables| table_label(tables, board, played.score)) {
            positions.extend(Position::new(board, score, half_points));
            Reason::Table
        } else if board.occupied().count() < filter.min_men {
            Reason::Men
        } else if next.abs_diff(played.score) > filter.max_swing {
            Reason::Swing
        } else if let Some(position) = Position::new(board, labels[ply], game.result.half_points()) {
            positions.push(position);
            Reason::Kept
        } else {
            Reason::Pieces
        };
        counts[reason as usize] += 1;
        ply += 1;
    })?;
    Ok((positions, counts))
}

#[cfg(test)]
mod tests;
