//! The options: names, types, ranges, defaults and values.

use crate::board::Variant;
use crate::nnue::{self, Network};
use crate::notation::book::Book;
use crate::search::{LEVELS, MAX_RATING, MIN_RATING, Settings, Strength};
use crate::tables::{MAX_MEN, Tables};
use crate::text::{integer, quoted};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// The name of a file; empty by default.
    File,
    /// The names of folders, separated as in `PATH`; empty by default.
    Folders,
}

const fn spin(min: u32, max: u32, default: u32) -> Kind {
    Kind::Spin(Range { min, max, default })
}

const fn check(default: bool) -> Kind {
    Kind::Check { default }
}

/// The last one is the name that Cute Chess has for orthodox chess: it sends the variant only to engines that offer
/// this name.
const VARIANTS: [&str; 3] = [Variant::ALL[0].name(), Variant::ALL[1].name(), STANDARD];
const STANDARD: &str = "standard";

/// Defines the options, each with its name in the protocols and its type.
macro_rules! options {
    ($($(#[$doc:meta])* $id:ident, $name:literal, $kind:expr;)*) => {
        /// An option.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Id {
            $($(#[$doc])* $id,)*
        }

        impl Id {
            /// All options, in the order in which they are listed.
            pub const ALL: &[Self] = &[$(Self::$id,)*];

            /// The name in the protocols.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }

            /// The type.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$id => $kind,)* }
            }
        }
    };
}

options! {
    /// Size of the hash table in MiB.
    Hash, "Hash", spin(1, 1 << 20, 16);
    /// Clears the hash table.
    ClearHash, "Clear Hash", Kind::Button;
    /// Number of search threads.
    Threads, "Threads", spin(1, 1024, 1);
    /// Whether the GUI may let the engine ponder. Has no effect.
    Ponder, "Ponder", check(false);
    /// Number of lines to report.
    MultiPv, "MultiPV", spin(1, 256, 1);
    /// Milliseconds lost per move between engine and clock.
    MoveOverhead, "Move Overhead", spin(0, 5000, 10);
    /// Thinking time as a percentage of normal.
    SlowMover, "Slow Mover", spin(10, 1000, 100);
    /// Nodes per millisecond to use as the clock; 0 for real time.
    NodesTime, "nodestime", spin(0, 10_000, 0);
    /// Whether to play moves from the book.
    OwnBook, "OwnBook", check(false);
    /// The book file.
    BookFile, "BookFile", Kind::File;
    /// The variant.
    Variant, "UCI_Variant", Kind::Combo(&VARIANTS);
    /// Whether the search is for analysis, in which playing strength is never limited.
    AnalyseMode, "UCI_AnalyseMode", check(false);
    /// Whether to report win, draw and loss chances.
    ShowWdl, "UCI_ShowWDL", check(false);
    /// Whether [`Id::Elo`] limits the playing strength.
    LimitStrength, "UCI_LimitStrength", check(false);
    /// Playing strength as a rating.
    Elo, "UCI_Elo", spin(MIN_RATING, MAX_RATING, 1500);
    /// Playing strength as a level from 0 to 20; 20 is full strength.
    SkillLevel, "Skill Level", spin(0, LEVELS, LEVELS);
    /// Whether to evaluate positions of Spartan Chess with the neural network.
    UseNnue, "Use NNUE", check(true);
    /// The network file.
    EvalFile, "EvalFile", Kind::File;
    /// The folders of the endgame tables.
    TablePath, "TablePath", Kind::Folders;
    /// Positions with more men are not looked up in the tables.
    TableProbeLimit, "TableProbeLimit", spin(0, MAX_MEN as u32, MAX_MEN as u32);
    /// The minimum depth at which the search looks up positions with the greatest number of men.
    TableProbeDepth, "TableProbeDepth", spin(1, 100, 1);
    /// The file to log all input and output to.
    LogFile, "Debug Log File", Kind::File;
}

impl Id {
    /// The option with a name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name().eq_ignore_ascii_case(name))
    }
}

/// A valid value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// Of [`Kind::Check`].
    Flag(bool),
    /// Of [`Kind::Spin`], within its range.
    Number(u32),
    /// Of [`Id::Variant`].
    Variant(Variant),
    /// Of [`Kind::Button`].
    Pressed,
    /// Of [`Kind::File`] and [`Kind::Folders`]; `None` for no file or, of [`Id::EvalFile`], the embedded network.
    File(Option<PathBuf>),
}

/// Why a value is invalid.
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
                    Kind::File => f.write_str("a file name")?,
                    Kind::Folders => f.write_str("names of folders")?,
                }
                write!(f, ", not {}", quoted(value))
            }
        }
    }
}

impl std::error::Error for OptionError {}

impl OptionValue {
    /// Parses the name and the value of an option.
    ///
    /// # Errors
    /// If there is no such option, or it does not accept the value.
    pub fn parse(name: &str, value: &str) -> Result<(Id, Self), OptionError> {
        let id = Id::from_name(name).ok_or_else(|| OptionError::Unknown(name.into()))?;
        let parsed = match id.kind() {
            Kind::Check { .. } if value.eq_ignore_ascii_case("true") => Some(Self::Flag(true)),
            Kind::Check { .. } => value.eq_ignore_ascii_case("false").then_some(Self::Flag(false)),
            Kind::Spin(Range { min, max, .. }) => {
                let number = integer(value).and_then(|number| u32::try_from(number).ok());
                number.filter(|number| (min..=max).contains(number)).map(Self::Number)
            }
            Kind::Combo(_) if value.eq_ignore_ascii_case(STANDARD) => Some(Self::Variant(Variant::Chess)),
            Kind::Combo(_) => Variant::from_name(value).map(Self::Variant),
            // Some GUIs send a value with a button.
            Kind::Button => Some(Self::Pressed),
            Kind::File | Kind::Folders if value.is_empty() || value == EMPTY => Some(Self::File(None)),
            Kind::File | Kind::Folders => Some(Self::File(Some(value.into()))),
        };
        parsed.map(|parsed| (id, parsed)).ok_or_else(|| OptionError::Value { id, value: value.into() })
    }
}

/// The notation of UCI for an empty string.
pub const EMPTY: &str = "<empty>";

/// The current values of the options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The numbers, and the flags as 1 or 0, by option.
    numbers: [u32; Id::ALL.len()],
    /// The variant.
    pub variant: Variant,
    /// The opening book, if any.
    pub book: Option<Arc<Book>>,
    /// The network; `None` selects the hand-made evaluation.
    pub network: Option<Arc<Network>>,
    /// The endgame tables.
    pub tables: Arc<Tables>,
}

impl Default for Options {
    fn default() -> Self {
        let mut numbers = [0; Id::ALL.len()];
        for &id in Id::ALL {
            numbers[id as usize] = match id.kind() {
                Kind::Check { default } => default.into(),
                Kind::Spin(range) => range.default,
                _ => 0,
            };
        }
        Self { numbers, variant: Variant::default(), book: None, network: nnue::embedded(), tables: Arc::default() }
    }
}

impl Options {
    /// The value of a numeric option, or of a flag as 1 or 0; 0 for other options.
    pub const fn number(&self, id: Id) -> u32 {
        self.numbers[id as usize]
    }

    /// The value of a flag.
    pub const fn flag(&self, id: Id) -> bool {
        self.number(id) != 0
    }

    /// Sets a number or a flag. Other options are unchanged.
    pub fn set(&mut self, id: Id, value: &OptionValue) {
        match *value {
            OptionValue::Flag(flag) => self.numbers[id as usize] = flag.into(),
            OptionValue::Number(number) => self.numbers[id as usize] = number,
            _ => {}
        }
    }

    /// The settings of a search.
    pub fn settings(&self) -> Settings {
        Settings {
            multi_pv: self.number(Id::MultiPv) as usize,
            move_overhead: Duration::from_millis(self.number(Id::MoveOverhead).into()),
            slow_mover: self.number(Id::SlowMover),
            nodes_time: self.number(Id::NodesTime).into(),
            strength: self.strength(),
            network: self.network.clone().filter(|_| self.flag(Id::UseNnue)),
            tables: self.tables.clone(),
            probe_limit: self.number(Id::TableProbeLimit),
            probe_depth: self.number(Id::TableProbeDepth) as i32,
        }
    }

    /// The playing strength: [`Id::Elo`] overrides [`Id::SkillLevel`], and analysis is never weakened.
    fn strength(&self) -> Option<Strength> {
        let level = self.number(Id::SkillLevel);
        if self.flag(Id::AnalyseMode) {
            None
        } else if self.flag(Id::LimitStrength) {
            Some(Strength::of_rating(self.number(Id::Elo)))
        } else {
            (level < LEVELS).then(|| Strength::of_level(level.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_case_insensitive() {
        assert_eq!(OptionValue::parse("hAsH", "64"), Ok((Id::Hash, OptionValue::Number(64))));
        assert_eq!(OptionValue::parse("clear hash", "true"), Ok((Id::ClearHash, OptionValue::Pressed)));
        for name in ["CHESS", "standard"] {
            let chess = OptionValue::Variant(Variant::Chess);
            assert_eq!(OptionValue::parse("uci_variant", name), Ok((Id::Variant, chess)));
        }
        assert_eq!(OptionValue::parse("Ponder", "True"), Ok((Id::Ponder, OptionValue::Flag(true))));
        assert_eq!(OptionValue::parse("Debug Log File", "<empty>"), Ok((Id::LogFile, OptionValue::File(None))));
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
            assert!(matches!(OptionValue::parse(name, value), Err(OptionError::Value { .. })), "{name} {value}");
        }
        assert!(matches!(OptionValue::parse("UCI_Chess960", "true"), Err(OptionError::Unknown(_))));
    }

    #[test]
    fn strength() {
        let mut options = Options::default();
        assert_eq!(options.settings().strength, None);
        options.set(Id::SkillLevel, &OptionValue::Number(5));
        assert_eq!(options.settings().strength, Some(Strength::of_level(5.0)));
        options.set(Id::LimitStrength, &OptionValue::Flag(true));
        options.set(Id::Elo, &OptionValue::Number(MIN_RATING));
        assert_eq!(options.settings().strength, Some(Strength::of_level(0.0)));
        options.set(Id::Elo, &OptionValue::Number(MAX_RATING));
        assert_eq!(options.settings().strength, Some(Strength::of_level(f64::from(LEVELS - 1))));
        options.set(Id::Elo, &OptionValue::Number(MIN_RATING));
        options.set(Id::AnalyseMode, &OptionValue::Flag(true));
        assert_eq!(options.settings().strength, None);
    }
}
