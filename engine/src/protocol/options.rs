//! The options: names, types, ranges, defaults and values.

use super::text::{integer, quoted};
use crate::board::Variant;
use crate::book::Book;
use crate::nnue::{self, Network};
use crate::search::{LEVELS, MAX_RATING, MIN_RATING, Settings, Strength};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The size of the hash table in MiB.
const HASH: Range = Range { min: 1, max: 1 << 20, default: 16 };
const THREADS: Range = Range { min: 1, max: 1024, default: 1 };
const MULTI_PV: Range = Range { min: 1, max: 256, default: 1 };
/// Milliseconds.
const MOVE_OVERHEAD: Range = Range { min: 0, max: 5000, default: 10 };
const NODES_TIME: Range = Range { min: 0, max: 10_000, default: 0 };
const SLOW_MOVER: Range = Range { min: 10, max: 1000, default: 100 };
/// The last one is the name that Cute Chess has for orthodox chess: it sends the variant only to engines that offer
/// this name.
const VARIANTS: [&str; 3] = [Variant::ALL[0].name(), Variant::ALL[1].name(), STANDARD];
const STANDARD: &str = "standard";
const SKILL: Range = Range { min: 0, max: LEVELS, default: LEVELS };
const ELO: Range = Range { min: MIN_RATING, max: MAX_RATING, default: 1500 };

/// The range of a numeric option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The minimum.
    pub min: u32,
    /// The maximum.
    pub max: u32,
    /// The default.
    pub default: u32,
}

/// The type of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// True or false.
    Check {
        /// The default.
        default: bool,
    },
    /// An integer.
    Spin(Range),
    /// One of several words; the first one is the default.
    Combo(&'static [&'static str]),
    /// An action without a value.
    Button,
    /// Any text; empty by default.
    Text,
}

/// An option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Id {
    /// Size of the hash table in MiB.
    Hash,
    /// Clears the hash table.
    ClearHash,
    /// Number of search threads.
    Threads,
    /// Whether the GUI may let the engine ponder. Has no effect.
    Ponder,
    /// Number of lines to report.
    MultiPv,
    /// Milliseconds lost per move between engine and clock.
    MoveOverhead,
    /// Thinking time in percent of the usual one.
    SlowMover,
    /// Nodes per millisecond to use as the clock; 0 for real time.
    NodesTime,
    /// Whether to play moves from the book.
    OwnBook,
    /// The book file.
    BookFile,
    /// The variant.
    Variant,
    /// Whether the search is for analysis, in which playing strength is never limited.
    AnalyseMode,
    /// Whether to report win, draw and loss chances.
    ShowWdl,
    /// Whether [`Id::Elo`] limits the playing strength.
    LimitStrength,
    /// Playing strength as a rating.
    Elo,
    /// Playing strength as a level from 0 to 20; 20 is full strength.
    SkillLevel,
    /// Whether to evaluate positions of Spartan Chess with the neural network.
    UseNnue,
    /// The network file.
    EvalFile,
    /// The file to log all input and output to.
    LogFile,
}

impl Id {
    /// All options, in the order in which they are listed.
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

    /// The name in the protocols.
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

    /// The type of the option.
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

    /// The option with a name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.name().eq_ignore_ascii_case(name))
    }
}

/// An option with a valid value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// The size of the hash table in MiB.
    Hash(usize),
    /// Clears the hash table.
    ClearHash,
    /// The number of threads, at least 1.
    Threads(usize),
    /// The number of lines, at least 1.
    MultiPv(usize),
    /// The variant.
    Variant(Variant),
    /// The network file; `None` for the embedded network.
    EvalFile(Option<PathBuf>),
    /// The book file; `None` for no book.
    BookFile(Option<PathBuf>),
    /// The file to append the log to; `None` for no log.
    LogFile(Option<PathBuf>),
    /// Any other numeric option.
    Number(Id, u32),
    /// Any other option that is true or false.
    Flag(Id, bool),
}

/// Why a setting is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// There is no option of this name.
    Unknown(String),
    /// The option does not accept the value.
    Value {
        /// The option.
        id: Id,
        /// The rejected value.
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
    /// Parses the name and the value of an option.
    ///
    /// # Errors
    /// If there is no such option, or it does not accept the value.
    pub fn parse(name: &str, value: &str) -> Result<Self, OptionError> {
        let id = Id::from_name(name).ok_or_else(|| OptionError::Unknown(name.into()))?;
        let invalid = || OptionError::Value { id, value: value.into() };
        Ok(match id.kind() {
            Kind::Check { .. } => {
                let yes = value.eq_ignore_ascii_case("true");
                if !yes && !value.eq_ignore_ascii_case("false") {
                    return Err(invalid());
                }
                Self::Flag(id, yes)
            }
            Kind::Spin(range) => {
                let number = integer(value).and_then(|number| u32::try_from(number).ok());
                let number = number.filter(|number| (range.min..=range.max).contains(number)).ok_or_else(invalid)?;
                match id {
                    Id::Hash => Self::Hash(number as usize),
                    Id::Threads => Self::Threads(number as usize),
                    Id::MultiPv => Self::MultiPv(number as usize),
                    _ => Self::Number(id, number),
                }
            }
            Kind::Combo(_) if value.eq_ignore_ascii_case(STANDARD) => Self::Variant(Variant::Chess),
            Kind::Combo(_) => Self::Variant(Variant::from_name(value).ok_or_else(invalid)?),
            // Some GUIs send a value with a button.
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

/// The notation of UCI for an empty string.
pub const EMPTY: &str = "<empty>";

/// The current values of the options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Size of the hash table in MiB.
    pub hash: usize,
    /// Number of search threads.
    pub threads: usize,
    /// Whether the GUI may let the engine ponder.
    pub ponder: bool,
    /// Number of lines to report.
    pub multi_pv: usize,
    /// In milliseconds per move.
    pub move_overhead: u32,
    /// Thinking time in percent of the usual one.
    pub slow_mover: u32,
    /// Nodes per millisecond to use as the clock; 0 for real time.
    pub nodes_time: u32,
    /// Whether to play from `book`.
    pub own_book: bool,
    /// The opening book, if any.
    pub book: Option<Arc<Book>>,
    /// The variant.
    pub variant: Variant,
    /// Whether the search is for analysis.
    pub analyse_mode: bool,
    /// Whether to report win, draw and loss chances.
    pub show_wdl: bool,
    /// Whether `elo` limits the playing strength.
    pub limit_strength: bool,
    /// Playing strength as a rating.
    pub elo: u32,
    /// Playing strength as a level from 0 to 20.
    pub skill_level: u32,
    /// Whether to evaluate positions of Spartan Chess with `network`.
    pub use_nnue: bool,
    /// The network; `None` selects the hand-made evaluation.
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
    /// The settings of a search.
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

    /// The playing strength: `elo` overrides `skill_level`, and analysis is never weakened.
    fn strength(&self) -> Option<Strength> {
        if self.analyse_mode {
            None
        } else if self.limit_strength {
            Some(Strength::of_rating(self.elo))
        } else {
            (self.skill_level < LEVELS).then(|| Strength::of_level(self.skill_level.into()))
        }
    }

    /// The current value of a numeric option, or of a flag as 1 or 0.
    pub fn number(&self, id: Id) -> Option<u32> {
        let flag = |value: bool| Some(u32::from(value));
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

    /// Sets a value of the kind [`Setting::Number`].
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

    /// Sets a value of the kind [`Setting::Flag`].
    pub(super) fn set_flag(&mut self, id: Id, value: bool) {
        match id {
            Id::Ponder => self.ponder = value,
            Id::OwnBook => self.own_book = value,
            Id::AnalyseMode => self.analyse_mode = value,
            Id::ShowWdl => self.show_wdl = value,
            Id::LimitStrength => self.limit_strength = value,
            Id::UseNnue => self.use_nnue = value,
            _ => debug_assert!(false, "{id:?} is not a flag"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_case_insensitive() {
        assert_eq!(Setting::parse("hAsH", "64"), Ok(Setting::Hash(64)));
        assert_eq!(Setting::parse("clear hash", "true"), Ok(Setting::ClearHash));
        assert_eq!(Setting::parse("uci_variant", "CHESS"), Ok(Setting::Variant(Variant::Chess)));
        assert_eq!(Setting::parse("UCI_Variant", "standard"), Ok(Setting::Variant(Variant::Chess)));
        assert_eq!(Setting::parse("Ponder", "True"), Ok(Setting::Flag(Id::Ponder, true)));
        assert_eq!(Setting::parse("Debug Log File", "<empty>"), Ok(Setting::LogFile(None)));
    }

    #[test]
    fn invalid_values_are_rejected() {
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
    fn every_number_and_flag_can_be_set() {
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
