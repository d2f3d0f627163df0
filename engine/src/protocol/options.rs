//! What can be set from outside: names, types, ranges, defaults and values.

use super::text::{integer, quoted};
use crate::board::Variant;
use crate::book::Book;
use crate::nnue::{self, Network};
use crate::search::{LEVELS, MAX_RATING, MIN_RATING, Settings, Strength};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The size of the hash table in MiB: smallest, largest, default.
const HASH: Range = Range { min: 1, max: 1 << 20, default: 16 };
const THREADS: Range = Range { min: 1, max: 1024, default: 1 };
const MULTI_PV: Range = Range { min: 1, max: 256, default: 1 };
/// Milliseconds.
const MOVE_OVERHEAD: Range = Range { min: 0, max: 5000, default: 10 };
const NODES_TIME: Range = Range { min: 0, max: 10_000, default: 0 };
const SLOW_MOVER: Range = Range { min: 10, max: 1000, default: 100 };
/// The last one is what Cute Chess calls orthodox chess: it names the variant only where the engine knows it
/// by that name.
const VARIANTS: [&str; 3] = [Variant::ALL[0].name(), Variant::ALL[1].name(), STANDARD];
const STANDARD: &str = "standard";
const SKILL: Range = Range { min: 0, max: LEVELS, default: LEVELS };
const ELO: Range = Range { min: MIN_RATING, max: MAX_RATING, default: 1500 };

/// The values that a whole number may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least value.
    pub min: u32,
    /// The greatest value.
    pub max: u32,
    /// The value that holds until another one is set.
    pub default: u32,
}

/// What kind of value an option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Yes or no.
    Check {
        /// The value that holds until another one is set.
        default: bool,
    },
    /// A whole number.
    Spin(Range),
    /// One word of several; the first one is the default.
    Combo(&'static [&'static str]),
    /// An action; it takes no value.
    Button,
    /// Any text; empty by default.
    Text,
}

/// An option, as it is told to programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Id {
    /// Size of the hash table in MiB.
    Hash,
    /// Empties the hash table.
    ClearHash,
    /// Threads of a search.
    Threads,
    /// Whether the program will let the engine think on the opponent's time. Nothing depends on it.
    Ponder,
    /// Lines to report.
    MultiPv,
    /// Milliseconds that each move loses between engine and clock.
    MoveOverhead,
    /// Percentage of the usual time to think for.
    SlowMover,
    /// Nodes per millisecond that stand for time; 0 for the real clock.
    NodesTime,
    /// Whether moves are played from the book.
    OwnBook,
    /// The file of the book.
    BookFile,
    /// The game that is played.
    Variant,
    /// Whether the search is for analysis: playing strength is not limited then.
    AnalyseMode,
    /// Whether chances to win, draw and lose are reported.
    ShowWdl,
    /// Whether [`Id::Elo`] counts.
    LimitStrength,
    /// Playing strength, as a rating.
    Elo,
    /// Playing strength from 0 to 20, the full one.
    SkillLevel,
    /// Whether the neural network evaluates positions of Spartan Chess.
    UseNnue,
    /// The file of the network.
    EvalFile,
    /// The file to which all lines are logged.
    LogFile,
}

impl Id {
    /// All options, in the order in which they are told.
    pub const ALL: [Self; 19] = [
        Self::Hash,
        Self::ClearHash,
        Self::Threads,
        Self::Ponder,
        Self::MultiPv,
        Self::MoveOverhead,
        Self::SlowMover,
        Self::NodesTime,
        Self::OwnBook,
        Self::BookFile,
        Self::Variant,
        Self::AnalyseMode,
        Self::ShowWdl,
        Self::LimitStrength,
        Self::Elo,
        Self::SkillLevel,
        Self::UseNnue,
        Self::EvalFile,
        Self::LogFile,
    ];

    /// The name, as it is told to programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::ClearHash => "Clear Hash",
            Self::Threads => "Threads",
            Self::Ponder => "Ponder",
            Self::MultiPv => "MultiPV",
            Self::MoveOverhead => "Move Overhead",
            Self::SlowMover => "Slow Mover",
            Self::NodesTime => "nodestime",
            Self::OwnBook => "OwnBook",
            Self::BookFile => "BookFile",
            Self::Variant => "UCI_Variant",
            Self::AnalyseMode => "UCI_AnalyseMode",
            Self::ShowWdl => "UCI_ShowWDL",
            Self::LimitStrength => "UCI_LimitStrength",
            Self::Elo => "UCI_Elo",
            Self::SkillLevel => "Skill Level",
            Self::UseNnue => "Use NNUE",
            Self::EvalFile => "EvalFile",
            Self::LogFile => "Debug Log File",
        }
    }

    /// What it takes.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Hash => Kind::Spin(HASH),
            Self::ClearHash => Kind::Button,
            Self::Threads => Kind::Spin(THREADS),
            Self::MultiPv => Kind::Spin(MULTI_PV),
            Self::MoveOverhead => Kind::Spin(MOVE_OVERHEAD),
            Self::SlowMover => Kind::Spin(SLOW_MOVER),
            Self::NodesTime => Kind::Spin(NODES_TIME),
            Self::Variant => Kind::Combo(&VARIANTS),
            Self::Ponder | Self::OwnBook | Self::AnalyseMode | Self::ShowWdl | Self::LimitStrength => {
                Kind::Check { default: false }
            }
            Self::Elo => Kind::Spin(ELO),
            Self::SkillLevel => Kind::Spin(SKILL),
            Self::UseNnue => Kind::Check { default: true },
            Self::BookFile | Self::EvalFile | Self::LogFile => Kind::Text,
        }
    }

    /// The option of a name, read without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.name().eq_ignore_ascii_case(name))
    }
}

/// An option with a value that it accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// MiB.
    Hash(usize),
    /// Without a value.
    ClearHash,
    /// From 1 on.
    Threads(usize),
    /// Lines, from 1 on.
    MultiPv(usize),
    /// The game.
    Variant(Variant),
    /// The file of the network, or none for the one in the program.
    EvalFile(Option<PathBuf>),
    /// The file of the book, or none.
    BookFile(Option<PathBuf>),
    /// The file to append to, or none.
    LogFile(Option<PathBuf>),
    /// Another whole number.
    Number(Id, u32),
    /// Another yes or no.
    Flag(Id, bool),
}

/// Why an option cannot be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// There is none of this name.
    Unknown(String),
    /// It does not take this value.
    Value {
        /// The option.
        id: Id,
        /// The value that was asked for.
        value: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "unknown option {}", quoted(name)),
            Self::Value { id, value } => {
                write!(f, "option {} takes ", id.name())?;
                match id.kind() {
                    Kind::Check { .. } => f.write_str("true or false")?,
                    Kind::Spin(range) => write!(f, "a number from {} to {}", range.min, range.max)?,
                    Kind::Combo(words) => f.write_str(&words.join(" or "))?,
                    Kind::Button => f.write_str("no value")?,
                    Kind::Text => f.write_str("a text")?,
                }
                write!(f, ", not {}", quoted(value))
            }
        }
    }
}

impl std::error::Error for OptionError {}

impl Setting {
    /// Reads the name and the value of an option.
    ///
    /// # Errors
    /// When there is no such option, or it does not accept the value.
    pub fn parse(name: &str, value: &str) -> Result<Self, OptionError> {
        let id = Id::from_name(name).ok_or_else(|| OptionError::Unknown(name.into()))?;
        let refuse = || OptionError::Value { id, value: value.into() };
        Ok(match id.kind() {
            Kind::Check { .. } => {
                let yes = value.eq_ignore_ascii_case("true");
                if !yes && !value.eq_ignore_ascii_case("false") {
                    return Err(refuse());
                }
                Self::Flag(id, yes)
            }
            Kind::Spin(range) => {
                let number = integer(value).and_then(|number| u32::try_from(number).ok());
                let number = number.filter(|number| (range.min..=range.max).contains(number)).ok_or_else(refuse)?;
                match id {
                    Id::Hash => Self::Hash(number as usize),
                    Id::Threads => Self::Threads(number as usize),
                    Id::MultiPv => Self::MultiPv(number as usize),
                    _ => Self::Number(id, number),
                }
            }
            Kind::Combo(_) if value.eq_ignore_ascii_case(STANDARD) => Self::Variant(Variant::Chess),
            Kind::Combo(_) => Self::Variant(Variant::from_name(value).ok_or_else(refuse)?),
            // Some programs send a value with a button.
            Kind::Button => Self::ClearHash,
            Kind::Text => {
                let none = value.is_empty() || value == EMPTY;
                let path = (!none).then(|| value.into());
                match id {
                    Id::EvalFile => Self::EvalFile(path),
                    Id::BookFile => Self::BookFile(path),
                    _ => Self::LogFile(path),
                }
            }
        })
    }
}

/// How UCI writes an empty text.
pub const EMPTY: &str = "<empty>";

/// The values of all options that outlive the moment in which they are set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// MiB of the hash table.
    pub hash: usize,
    /// Threads of a search.
    pub threads: usize,
    /// Whether pondering was announced.
    pub ponder: bool,
    /// Lines to report.
    pub multi_pv: usize,
    /// Milliseconds.
    pub move_overhead: u32,
    /// Percentage of the usual time.
    pub slow_mover: u32,
    /// Nodes per millisecond, or 0.
    pub nodes_time: u32,
    /// Whether `book` is played from.
    pub own_book: bool,
    /// The opening book, if one was read.
    pub book: Option<Arc<Book>>,
    /// The game that is played.
    pub variant: Variant,
    /// Whether the search is for analysis.
    pub analyse_mode: bool,
    /// Whether chances are reported.
    pub show_wdl: bool,
    /// Whether `elo` counts.
    pub limit_strength: bool,
    /// A rating.
    pub elo: u32,
    /// 0 to 20.
    pub skill_level: u32,
    /// Whether `network` evaluates positions of Spartan Chess.
    pub use_nnue: bool,
    /// The network in use; without one the hand-made evaluation serves.
    pub network: Option<Arc<Network>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: HASH.default as usize,
            threads: THREADS.default as usize,
            ponder: false,
            multi_pv: MULTI_PV.default as usize,
            move_overhead: MOVE_OVERHEAD.default,
            slow_mover: SLOW_MOVER.default,
            nodes_time: NODES_TIME.default,
            own_book: false,
            book: None,
            variant: Variant::default(),
            analyse_mode: false,
            show_wdl: false,
            limit_strength: false,
            elo: ELO.default,
            skill_level: SKILL.default,
            use_nnue: true,
            network: nnue::embedded(),
        }
    }
}

impl Options {
    /// What a search must know.
    pub fn settings(&self) -> Settings {
        Settings {
            multi_pv: self.multi_pv,
            move_overhead: Duration::from_millis(self.move_overhead.into()),
            slow_mover: self.slow_mover,
            nodes_time: self.nodes_time.into(),
            strength: self.strength(),
            network: self.network.clone().filter(|_| self.use_nnue),
        }
    }

    /// The strength to play at: the rating goes before the level, and analysis is never weakened.
    fn strength(&self) -> Option<Strength> {
        if self.analyse_mode {
            None
        } else if self.limit_strength {
            Some(Strength::of_rating(self.elo))
        } else {
            (self.skill_level < LEVELS).then(|| Strength::of_level(self.skill_level.into()))
        }
    }

    /// The present value of an option that is a number, or a yes (1) or no (0).
    pub fn number(&self, id: Id) -> Option<u32> {
        let flag = |yes: bool| Some(u32::from(yes));
        match id {
            Id::Hash => u32::try_from(self.hash).ok(),
            Id::Threads => u32::try_from(self.threads).ok(),
            Id::MultiPv => u32::try_from(self.multi_pv).ok(),
            Id::MoveOverhead => Some(self.move_overhead),
            Id::SlowMover => Some(self.slow_mover),
            Id::NodesTime => Some(self.nodes_time),
            Id::OwnBook => flag(self.own_book),
            Id::Elo => Some(self.elo),
            Id::SkillLevel => Some(self.skill_level),
            Id::Ponder => flag(self.ponder),
            Id::AnalyseMode => flag(self.analyse_mode),
            Id::ShowWdl => flag(self.show_wdl),
            Id::LimitStrength => flag(self.limit_strength),
            Id::UseNnue => flag(self.use_nnue),
            Id::ClearHash | Id::Variant | Id::BookFile | Id::EvalFile | Id::LogFile => None,
        }
    }

    /// Stores a value of the kind [`Setting::Number`].
    pub(super) fn set_number(&mut self, id: Id, number: u32) {
        match id {
            Id::MoveOverhead => self.move_overhead = number,
            Id::SlowMover => self.slow_mover = number,
            Id::NodesTime => self.nodes_time = number,
            Id::Elo => self.elo = number,
            Id::SkillLevel => self.skill_level = number,
            _ => debug_assert!(false, "{id:?} is not a plain number"),
        }
    }

    /// Stores a value of the kind [`Setting::Flag`].
    pub(super) fn set_flag(&mut self, id: Id, yes: bool) {
        match id {
            Id::Ponder => self.ponder = yes,
            Id::OwnBook => self.own_book = yes,
            Id::AnalyseMode => self.analyse_mode = yes,
            Id::ShowWdl => self.show_wdl = yes,
            Id::LimitStrength => self.limit_strength = yes,
            Id::UseNnue => self.use_nnue = yes,
            _ => debug_assert!(false, "{id:?} is not a flag"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_have_no_case() {
        assert_eq!(Setting::parse("hAsH", "64"), Ok(Setting::Hash(64)));
        assert_eq!(Setting::parse("clear hash", "true"), Ok(Setting::ClearHash));
        assert_eq!(Setting::parse("uci_variant", "CHESS"), Ok(Setting::Variant(Variant::Chess)));
        assert_eq!(Setting::parse("UCI_Variant", "standard"), Ok(Setting::Variant(Variant::Chess)));
        assert_eq!(Setting::parse("Ponder", "True"), Ok(Setting::Flag(Id::Ponder, true)));
        assert_eq!(Setting::parse("Debug Log File", "<empty>"), Ok(Setting::LogFile(None)));
    }

    #[test]
    fn bad_values_are_refused() {
        for (name, value) in [
            ("Hash", "0"),
            ("Hash", "1048577"),
            ("Hash", "-16"),
            ("Hash", "99999999999999999999"),
            ("Hash", "sixteen"),
            ("Hash", ""),
            ("Threads", "1025"),
            ("Ponder", "yes"),
            ("Ponder", ""),
            ("UCI_Variant", "shogi"),
            ("Skill Level", "21"),
        ] {
            assert!(matches!(Setting::parse(name, value), Err(OptionError::Value { .. })), "{name} {value}");
        }
        assert!(matches!(Setting::parse("UCI_Chess960", "true"), Err(OptionError::Unknown(_))));
    }

    #[test]
    fn every_number_and_flag_can_be_stored() {
        let mut options = Options::default();
        for id in Id::ALL {
            match id.kind() {
                Kind::Check { .. } => options.set_flag(id, true),
                Kind::Spin(range) => match Setting::parse(id.name(), &range.max.to_string()) {
                    Ok(Setting::Number(id, number)) => options.set_number(id, number),
                    other => assert!(other.is_ok(), "{other:?}"),
                },
                _ => {}
            }
        }
        assert!(options.ponder && options.analyse_mode && options.show_wdl && options.limit_strength);
        assert_eq!((options.elo, options.skill_level), (ELO.max, SKILL.max));
        assert_eq!(options.number(Id::Elo), Some(ELO.max));
        assert_eq!(options.number(Id::UseNnue), Some(1));
        assert_eq!(options.number(Id::LogFile), None);
    }

    #[test]
    fn strength() {
        let mut options = Options::default();
        assert_eq!(options.settings().strength, None);
        options.skill_level = 5;
        assert_eq!(options.settings().strength, Some(Strength::of_level(5.0)));
        options.limit_strength = true;
        options.elo = ELO.min;
        assert_eq!(options.settings().strength, Some(Strength::of_level(0.0)));
        options.elo = ELO.max;
        assert_eq!(options.settings().strength, Some(Strength::of_level(f64::from(LEVELS - 1))));
        options.elo = ELO.min;
        options.analyse_mode = true;
        assert_eq!(options.settings().strength, None);
    }
}
