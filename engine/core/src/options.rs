//! The options: one line gives field, name, default, valid values and meaning of each.

use crate::board::Variant;
use crate::files;
use crate::strength::{LEVELS, MAX_RATING, MIN_RATING, Strength};
use crate::tables::MAX_MEN;
use crate::text::{integer, quoted};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

/// What values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// True or false.
    Check,
    /// An integer, from the first number to the second.
    Spin(u32, u32),
    /// One of several words.
    Combo(&'static [&'static str]),
    /// None: it is an action.
    Button,
    /// The name of a file, or nothing.
    File,
    /// The names of folders, separated as in `PATH`, or nothing.
    Folders,
}

/// Who may set an option, beside a GUI that speaks UCI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Client {
    /// A GUI that speaks CECP. The other options have their own commands there (`memory`, `cores`, `hard`, `nps`,
    /// `variant`, `analyze`) or no meaning.
    Cecp,
    /// The page of the board in the browser, which may be anybody's: no files, no more memory, no more threads.
    Page,
}

use Client::{Cecp, Page};
use Kind::Spin;

/// The value of [`Options::table_path`] for the tables that the program has made for the user.
pub const AUTO: &str = "auto";

/// The last one is the name that Cute Chess has for orthodox chess: it sends the variant only to engines that offer
/// this name.
const VARIANTS: &[&str] = &[Variant::ALL[0].name(), Variant::ALL[1].name(), STANDARD];
const STANDARD: &str = "standard";

/// Defines the options, each on a line: `Id "name in the protocols" field: type = default, kind, clients`.
macro_rules! options {
    ($($(#[$doc:meta])* $id:ident $name:literal $field:ident: $type:ty = $default:expr, $kind:expr, $clients:expr;)*) => {
        /// Names an option.
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

            /// The valid values.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$id => $kind,)* }
            }

            /// Whether a client may set it.
            pub fn is_for(self, client: Client) -> bool {
                let clients: &[Client] = match self { $(Self::$id => &$clients,)* };
                clients.contains(&client)
            }
        }

        /// The values of the options.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Options {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for Options {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl Options {
            /// Sets an option by name, ignoring case, to a value as text. Returns which it was.
            ///
            /// # Errors
            /// If there is no such option, or it does not take the value; nothing is changed.
            pub fn set(&mut self, name: &str, value: &str) -> Result<Id, OptionError> {
                let id = Id::from_name(name).ok_or_else(|| OptionError::Unknown(name.into()))?;
                let valid = match id {
                    $(Id::$id => Value::read(&raised(id, value), $kind).map(|value| self.$field = value),)*
                };
                valid.map(|()| id).ok_or_else(|| OptionError::Value(id, value.into()))
            }

            /// The value of an option, as [`Self::set`] reads it.
            pub fn text(&self, id: Id) -> String {
                match id { $(Id::$id => self.$field.write(),)* }
            }
        }
    };
}

options! {
    /// Size of the hash table in MiB.
    Hash "Hash" hash: u32 = 16, Spin(1, 1 << 20), [];
    /// Clears the hash table.
    ClearHash "Clear Hash" clear_hash: Button = Button, Kind::Button, [Cecp, Page];
    /// Number of search threads.
    Threads "Threads" threads: u32 = 1, Spin(1, 1024), [];
    /// Whether the GUI may let the engine ponder. Has no effect.
    Ponder "Ponder" ponder: bool = false, Kind::Check, [Page];
    /// Number of lines to report. Tools of Fairy-Stockfish ask for up to 500, more than any position has moves.
    MultiPv "MultiPV" multi_pv: u32 = 1, Spin(1, 500), [Cecp, Page];
    /// Milliseconds lost per move between engine and clock.
    MoveOverhead "Move Overhead" move_overhead: u32 = 10, Spin(0, 5000), [Cecp];
    /// Thinking time as a percentage of normal.
    SlowMover "Slow Mover" slow_mover: u32 = 100, Spin(10, 1000), [Cecp, Page];
    /// Nodes per millisecond to use as the clock; 0 for real time.
    NodesTime "nodestime" nodes_time: u32 = 0, Spin(0, 10_000), [];
    /// Whether to play moves from the book.
    OwnBook "OwnBook" own_book: bool = false, Kind::Check, [Cecp];
    /// How much worse than the best a move of the opening theory is when it is played e times less often, in
    /// centipawns; 0 for the best moves only.
    BookVariety "BookVariety" book_variety: u32 = 10, Spin(0, 100), [Cecp];
    /// The book; `None` for the opening theory.
    BookFile "BookFile" book_file: Option<PathBuf> = None, Kind::File, [Cecp];
    /// The variant.
    Variant "UCI_Variant" variant: Variant = Variant::Spartan, Kind::Combo(VARIANTS), [Page];
    /// Whether the search is for analysis, in which playing strength is never limited.
    AnalyseMode "UCI_AnalyseMode" analyse_mode: bool = false, Kind::Check, [Page];
    /// Whether to report win, draw and loss chances.
    ShowWdl "UCI_ShowWDL" show_wdl: bool = false, Kind::Check, [Page];
    /// Whether [`Options::elo`] limits the playing strength.
    LimitStrength "UCI_LimitStrength" limit_strength: bool = false, Kind::Check, [Cecp, Page];
    /// Playing strength as a rating.
    Elo "UCI_Elo" elo: u32 = 1500, Spin(MIN_RATING, MAX_RATING), [Cecp, Page];
    /// Playing strength as a level from 0 to 20; 20 is full strength.
    SkillLevel "Skill Level" skill_level: u32 = LEVELS, Spin(0, LEVELS), [Cecp, Page];
    /// Whether to evaluate positions of Spartan Chess with the neural network.
    UseNnue "Use NNUE" use_nnue: bool = true, Kind::Check, [Cecp];
    /// The network; `None` for the embedded one.
    EvalFile "EvalFile" eval_file: Option<PathBuf> = None, Kind::File, [Cecp];
    /// The folders of the endgame tables, or [`AUTO`].
    TablePath "TablePath" table_path: Option<PathBuf> = None, Kind::Folders, [Cecp];
    /// Positions with more men are not looked up in the tables.
    TableProbeLimit "TableProbeLimit" table_probe_limit: u32 = MAX_MEN as u32, Spin(0, MAX_MEN as u32), [Cecp];
    /// The minimum depth at which the search looks up positions with the greatest number of men.
    TableProbeDepth "TableProbeDepth" table_probe_depth: u32 = 1, Spin(1, 100), [Cecp];
    /// The file to log all input and output to.
    LogFile "Debug Log File" log_file: Option<PathBuf> = None, Kind::File, [Cecp];
}

/// The value of an option, or our lowest one for a lower one of Fairy-Stockfish.
fn raised(id: Id, value: &str) -> Cow<'_, str> {
    let lowest = LOWEST.iter().find(|&&(known, _)| known == id).map(|&(_, lowest)| lowest);
    match (id.kind(), lowest, integer(value)) {
        (Spin(min, _), Some(lowest), Some(number)) if (lowest..min.into()).contains(&number) => min.to_string().into(),
        _ => value.into(),
    }
}

impl Id {
    /// The option with a name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name().eq_ignore_ascii_case(name))
    }
}

/// The lowest values that Fairy-Stockfish takes for options of ours with the same meaning. Its clients send them
/// whatever the engine lists: fairyfishnet plays its weakest levels with `Skill Level` -4, and bots set an `UCI_Elo`
/// from 500. What is below our lowest value counts as that.
const LOWEST: [(Id, i64); 2] = [(Id::SkillLevel, -20), (Id::Elo, 500)];

/// Whether an option of Fairy-Stockfish that is set by its clients without asking changes nothing here:
///
/// - `UCI_Chess960 false`: fairyfishnet, before each search.
/// - `VariantPath`, the file with the rules of more variants: fairyfishnet and chess-variant-puzzler.
/// - `SyzygyPath`, tables of orthodox chess: bots such as pychess-bot, whose configurations are written for Stockfish.
/// - `Protocol`: scripts that choose one of the protocols of Fairy-Stockfish. Only UCI has options set like this.
pub fn is_ignored(name: &str, value: &str) -> bool {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    is("UCI_Chess960") && value.eq_ignore_ascii_case("false")
        || ["VariantPath", "SyzygyPath", "Protocol"].into_iter().any(is)
}

impl Options {
    /// The limited playing strength, if any: [`Self::elo`] overrides [`Self::skill_level`], and analysis is never
    /// weakened.
    pub fn strength(&self) -> Option<Strength> {
        if self.analyse_mode {
            None
        } else if self.limit_strength {
            Some(Strength::of_rating(self.elo))
        } else {
            (self.skill_level < LEVELS).then(|| Strength::of_level(self.skill_level.into()))
        }
    }
}

/// The notation of UCI for an empty string.
const EMPTY: &str = "<empty>";

/// The value of a button.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Button;

/// A type of values.
trait Value: Sized {
    /// Reads a value of an option of this kind.
    fn read(text: &str, kind: Kind) -> Option<Self>;

    fn write(&self) -> String;
}

impl Value for bool {
    fn read(text: &str, _: Kind) -> Option<Self> {
        text.to_ascii_lowercase().parse().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for u32 {
    fn read(text: &str, kind: Kind) -> Option<Self> {
        let number = integer(text).and_then(|number| Self::try_from(number).ok())?;
        matches!(kind, Spin(min, max) if (min..=max).contains(&number)).then_some(number)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for Variant {
    fn read(text: &str, _: Kind) -> Option<Self> {
        if text.eq_ignore_ascii_case(STANDARD) { Some(Self::Chess) } else { Self::from_name(text) }
    }

    fn write(&self) -> String {
        self.name().to_owned()
    }
}

impl Value for Button {
    fn read(_: &str, _: Kind) -> Option<Self> {
        // Some GUIs send a value with a button.
        Some(Self)
    }

    fn write(&self) -> String {
        String::new()
    }
}

impl Value for Option<PathBuf> {
    fn read(text: &str, _: Kind) -> Option<Self> {
        Some((!text.is_empty() && text != EMPTY).then(|| files::path(text)))
    }

    fn write(&self) -> String {
        self.as_ref().map_or_else(|| EMPTY.to_owned(), |path| files::to_text(path.as_os_str().as_encoded_bytes()))
    }
}

/// Why a value is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// There is no option of this name.
    Unknown(String),
    /// The option does not take the value.
    Value(Id, String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "unknown option {}", quoted(name)),
            Self::Value(id, value) => {
                write!(f, "option {} takes ", id.name())?;
                match id.kind() {
                    Kind::Check => f.write_str("true or false")?,
                    Spin(min, max) => write!(f, "a number from {min} to {max}")?,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_case_insensitive() {
        let mut options = Options::default();
        assert_eq!(options.set("hAsH", "64"), Ok(Id::Hash));
        assert_eq!(options.set("clear hash", "true"), Ok(Id::ClearHash));
        assert_eq!(options.set("Ponder", "True"), Ok(Id::Ponder));
        assert_eq!(options.set("EvalFile", "a b"), Ok(Id::EvalFile));
        assert_eq!(options.set("Debug Log File", "<empty>"), Ok(Id::LogFile));
        let (eval_file, log_file) = (Some("a b".into()), None);
        assert_eq!(options, Options { hash: 64, ponder: true, eval_file, log_file, ..Options::default() });
        for name in ["CHESS", "standard"] {
            let mut options = Options::default();
            assert_eq!(options.set("uci_variant", name), Ok(Id::Variant));
            assert_eq!(options.variant, Variant::Chess);
        }
    }

    #[test]
    fn invalid_values_are_rejected() {
        let mut options = Options::default();
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
            ("Skill Level", "-21"),
            ("UCI_Elo", "499"),
            ("MultiPV", "501"),
        ] {
            assert!(matches!(options.set(name, value), Err(OptionError::Value(..))), "{name} {value}");
        }
        assert!(matches!(options.set("UCI_Chess960", "true"), Err(OptionError::Unknown(_))));
        assert_eq!(options, Options::default());
    }

    #[test]
    fn values_of_fairy_stockfish_below_ours_are_our_weakest() {
        for (name, value, text) in [
            ("Skill Level", "-20", "0"),
            ("skill level", "-4", "0"),
            ("Skill Level", "3", "3"),
            ("UCI_Elo", "500", "900"),
            ("UCI_Elo", "899", "900"),
            ("UCI_Elo", "2850", "2850"),
            ("MultiPV", "500", "500"),
        ] {
            let mut options = Options::default();
            let id = options.set(name, value).expect(name);
            assert_eq!(options.text(id), text, "{name} {value}");
        }
    }

    #[test]
    fn options_of_fairy_stockfish_are_ignored() {
        for (name, value, ignored) in [
            ("UCI_Chess960", "false", true),
            ("uci_chess960", "False", true),
            ("UCI_Chess960", "true", false),
            ("VariantPath", "/tmp/variants.ini", true),
            ("SyzygyPath", "", true),
            ("Protocol", "uci", true),
            ("Hash", "false", false),
        ] {
            assert_eq!(is_ignored(name, value), ignored, "{name} {value}");
        }
    }

    #[test]
    fn values_are_written_as_they_are_read() {
        let mut options = Options::default();
        for &id in Id::ALL {
            assert_eq!(options.set(id.name(), &options.text(id)), Ok(id));
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn strength() {
        let mut options = Options::default();
        assert_eq!(options.strength(), None);
        options.skill_level = 5;
        assert_eq!(options.strength(), Some(Strength::of_level(5.0)));
        options.limit_strength = true;
        options.elo = MIN_RATING;
        assert_eq!(options.strength(), Some(Strength::of_level(0.0)));
        options.elo = MAX_RATING;
        assert_eq!(options.strength(), Some(Strength::of_level(f64::from(LEVELS - 1))));
        options.analyse_mode = true;
        assert_eq!(options.strength(), None);
    }
}
