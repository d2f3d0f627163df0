//! Extended Position Description: positions with operations, one per line.
//!
//! The writer uses the form of the files in `positions/`: a FEN of six fields, then operations, each after a semicolon:
//! `FEN ; ce 12 ; id book.7`. The parser also accepts the standard form: four fields, then operations that each end
//! with a semicolon, with the counters in the operations `hmvc` and `fmvn`: `... w KQ - bm Qh5; dm 1;`. Empty lines and
//! text after a `#` at the start of a word are comments. Only a `#` before a number as the operand of an operation is a
//! mate distance: `bm #1`. Operands in double quotes may contain semicolons and `#`; in them a backslash stands before
//! a quote or a backslash.

use crate::board::{Board, Setup, Variant, split_fields};
use crate::text::{counted, decode, integer, is_filler, quoted, quoted_length, split_unquoted, unquoted};
use crate::types::Move;
use std::fmt;
use std::path::Path;

/// A position and its operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The position. The clocks are those of `hmvc` and `fmvn`, if the line has them.
    pub board: Board,
    /// Names and operands of the operations in the order of the line, without quotes around operands.
    pub operations: Vec<(String, String)>,
}

impl Epd {
    /// A position without operations.
    pub const fn new(board: Board) -> Self {
        Self { board, operations: Vec::new() }
    }

    /// Adds an operation. Semicolons and line breaks in the operand are replaced by commas and spaces, because they
    /// would end it.
    #[must_use]
    pub fn with(mut self, name: &str, operand: impl fmt::Display) -> Self {
        let operand = operand.to_string().replace(';', ",").replace(['\n', '\r'], " ");
        self.operations.push((name.to_owned(), operand));
        self
    }

    /// The operand of the first operation with this name.
    pub fn operand(&self, name: &str) -> Option<&str> {
        self.operations.iter().find(|(other, _)| other == name).map(|(_, operand)| operand.as_str())
    }

    /// The operand of an operation as a number, if the operation exists.
    ///
    /// # Errors
    /// If the operand is not a valid number.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        let read = |text: &str| {
            text.parse().map_err(|_| format!("{} is not a number for the operation '{name}'", quoted(text)))
        };
        self.operand(name).map(read).transpose()
    }

    /// The number in an `id` written by this package: 17 in `id mate.17.5` for the kind `mate`. It is the number of the
    /// game or candidate in which the position was found.
    ///
    /// # Errors
    /// If there is no such `id`.
    pub fn number_in_id(&self, kind: &str) -> Result<u64, String> {
        let rest = self.operand("id").and_then(|id| id.strip_prefix(kind)?.strip_prefix('.'));
        let number = rest.and_then(|rest| rest.split('.').next()?.parse().ok());
        number.ok_or_else(|| format!("'{self}' has no id '{kind}.' with a number"))
    }

    /// The number of moves to mate, if the line tells it: `dm 3`, or `bm #3` as some suites write. Negative if the side
    /// to move is mated.
    ///
    /// # Errors
    /// If the operand is not a valid number.
    pub fn mate_distance(&self) -> Result<Option<i32>, String> {
        if let Some(moves) = self.number::<u32>("dm")? {
            return i32::try_from(moves).map(Some).map_err(|_| format!("a mate in {moves} moves is too far"));
        }
        let Some(text) = self.operand("bm").and_then(|moves| moves.strip_prefix('#')) else { return Ok(None) };
        let moves = integer(text).and_then(|moves| i32::try_from(moves).ok());
        moves.map(Some).ok_or_else(|| format!("{} is not a mate distance", quoted(text)))
    }

    /// Parses a line; `None` for an empty line or a comment.
    ///
    /// # Errors
    /// Describes the error in the line.
    pub fn parse(line: &str, variant: Variant) -> Result<Option<Self>, String> {
        let is_blank = |letter: char| letter.is_whitespace() || is_filler(letter);
        let line = line.trim_matches(is_blank);
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (fields, rest) = split_fields(line);
        let mut epd = Self { board: Board::start(variant), operations: read_operations(rest) };
        let mut fen = fields.join(" ");
        if fields.len() == 4 {
            let halfmoves: u16 = epd.number("hmvc")?.unwrap_or(0);
            let fullmoves: u16 = epd.number("fmvn")?.unwrap_or(1);
            fen = format!("{fen} {halfmoves} {fullmoves}");
        }
        epd.board = Board::from_fen(&fen, variant).map_err(|error| error.to_string())?;
        Ok(Some(epd))
    }

    /// Parses a text of many lines and returns each position with its line number, from 1.
    ///
    /// # Errors
    /// Names the first invalid line and the cause.
    pub fn parse_all(text: &str, variant: Variant) -> Result<Vec<(usize, Self)>, String> {
        let lines = parse_lines(text, variant).map(|(number, parsed)| match parsed {
            Ok(epd) => Ok((number, epd)),
            Err(error) => Err(format!("line {number}: {error}")),
        });
        lines.collect()
    }

    /// Parses the bytes of a file like [`Self::parse_all`], but only the invalid lines are lost.
    pub fn parse_file(bytes: &[u8], variant: Variant) -> Parsed {
        let mut parsed = Parsed::default();
        for (number, epd) in parse_lines(&decode(bytes), variant) {
            match epd {
                Ok(epd) => parsed.positions.push((number, epd)),
                Err(error) => parsed.errors.push(format!("line {number}: {error}")),
            }
        }
        parsed
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, or has errors and no position: then it names the first of them.
    pub fn read(path: &Path, variant: Variant) -> Result<Parsed, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse_file(&bytes, variant).named(path)
    }
}

/// What was read from a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parsed {
    /// The positions with their line numbers, from 1.
    pub positions: Vec<(usize, Epd)>,
    /// For each line that could not be read a message that names it.
    pub errors: Vec<String>,
}

impl Parsed {
    /// Adds the name of the file to the errors.
    ///
    /// # Errors
    /// The first one, if there are only errors.
    pub fn named(mut self, path: &Path) -> Result<Self, String> {
        self.errors.iter_mut().for_each(|error| *error = format!("{}, {error}", path.display()));
        if self.positions.is_empty() && !self.errors.is_empty() { Err(self.errors.swap_remove(0)) } else { Ok(self) }
    }
}

/// At most a few of many messages about lines that were skipped, and how many more there are.
pub fn summarise(errors: &[String]) -> Vec<String> {
    const SHOWN: usize = 6;
    let mut lines: Vec<String> = errors.iter().take(SHOWN).map(|error| format!("skipped: {error}")).collect();
    if errors.len() > SHOWN {
        lines.push(format!("skipped: {}", counted(errors.len() - SHOWN, "more line", "more lines")));
    }
    lines
}

/// The lines of a text that are not empty, with their numbers.
fn parse_lines(text: &str, variant: Variant) -> impl Iterator<Item = (usize, Result<Epd, String>)> {
    let lines = text.lines().enumerate();
    lines.filter_map(move |(index, line)| Some((index + 1, Epd::parse(line, variant).transpose()?)))
}

/// Reads operations up to the end of the line or a comment.
fn read_operations(text: &str) -> Vec<(String, String)> {
    let mut operations = Vec::new();
    for text in split_unquoted(text, ';') {
        let comment = comment_start(text);
        let operation = text[..comment.unwrap_or(text.len())].trim();
        if !operation.is_empty() {
            // A quote begins the operand, also right after the name.
            let end = operation.find(|letter: char| letter.is_whitespace() || letter == '"').unwrap_or(operation.len());
            let (name, operand) = operation.split_at(end);
            operations.push((name.to_owned(), unquote(operand.trim())));
        }
        if comment.is_some() {
            break;
        }
    }
    operations
}

/// Where a comment begins in the text of an operation: at an unquoted `#` at the start of a word, as in `Rh8; # found
/// by hand`, but not in `bm #1`. `Qh7#` is a move.
fn comment_start(operation: &str) -> Option<usize> {
    let begins = |at: usize| operation[..at].chars().next_back().is_none_or(char::is_whitespace);
    let is_distance = |at: usize| {
        let word = operation[at + 1..].split(char::is_whitespace).next();
        operation[..at].split_whitespace().count() == 1 && word.is_some_and(|word| integer(word).is_some())
    };
    unquoted(operation).find(|&(at, letter)| letter == '#' && begins(at) && !is_distance(at)).map(|(at, _)| at)
}

/// An operand without the quotes around it.
fn unquote(operand: &str) -> String {
    if quoted_length(operand) != Some(operand.len()) {
        return operand.to_owned();
    }
    let mut letters = operand[1..operand.len() - 1].chars();
    let mut text = String::with_capacity(operand.len());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped @ ('"' | '\\')) => text.push(escaped),
                // Other programs do not escape backslashes.
                other => text.extend([letter].into_iter().chain(other)),
            },
            _ => text.push(letter),
        }
    }
    text
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.board)?;
        self.operations.iter().try_for_each(|(name, operand)| {
            if name.is_empty() || operand.contains([';', '"']) || comment_start(&format!("{name} {operand}")).is_some()
            {
                write!(f, " ; {name} \"{}\"", operand.replace('\\', "\\\\").replace('"', "\\\""))
            } else {
                write!(f, " ; {name} {operand}")
            }
        })
    }
}

/// The algebraic notation of a legal move without `+` and `#`, for operands: `#` starts a comment in some EPD parsers.
pub fn plain_san(board: &Board, mv: Move) -> String {
    board.to_san(mv).trim_end_matches(['+', '#']).to_owned()
}

/// A text that is equal for two positions if and only if they are equivalent: identical except for the move counters,
/// or mirror images without castling rights or en-passant square.
pub fn canonical(board: &Board) -> String {
    let setup = Setup { halfmove_clock: 0, fullmove_number: 1, ..Setup::from(board) };
    let fen = setup.to_string();
    if board.castling().is_empty() && board.en_passant().is_none() {
        fen.min(setup.mirrored().to_string())
    } else {
        fen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Epd {
        Epd::parse(line, Variant::Spartan).unwrap().unwrap()
    }

    #[test]
    fn both_forms_are_parsed() {
        let ours = parse("2k5/8/8/8/8/8/8/4K2R w K - 3 40 ; bm Rh8 ; c0 \"a; b\"; dm 2 ; # found by hand");
        let standard = parse("2k5/8/8/8/8/8/8/4K2R w K - bm Rh8; c0 \"a; b\"; dm 2; hmvc 3; fmvn 40;");
        assert_eq!(ours.board, standard.board);
        assert_eq!(ours.board.halfmove_clock(), 3);
        for epd in [ours, standard] {
            assert_eq!(epd.operand("bm"), Some("Rh8"));
            assert_eq!(epd.operand("c0"), Some("a; b"));
            assert_eq!(epd.number::<u32>("dm"), Ok(Some(2)));
            assert_eq!(epd.operand("am"), None);
        }
        assert_eq!(parse("2k5/8/8/8/8/8/8/4K2R w K -").board.fullmove_number(), 1);
        assert_eq!(parse("2k5/8/8/8/8/8/8/4K2R w - - 0 1 ; bm Rh8# ; id x").operand("bm"), Some("Rh8#"));
    }

    #[test]
    fn quotes_protect_semicolons_and_hashes() {
        let fen = "2k5/8/8/8/8/8/8/4K2R w K -";
        for (operations, name, operand) in [
            ("c0 \"a; b # c\"; bm Rh8;", "c0", "a; b # c"),
            ("c0 \"#1; bm Kf1\"; bm Rh8;", "c0", "#1; bm Kf1"),
            ("bm Rh8; id \"a;b;c\";", "id", "a;b;c"),
            ("bm Rh8; id \"say \\\"mate; now\\\"\";", "id", "say \"mate; now\""),
            ("bm Rh8; c0 \"C:\\;D:\\\\\";", "c0", "C:\\;D:\\"),
            // A quote that is not closed.
            ("c0 \"open; bm Rh8;", "c0", "\"open"),
            ("bm Rh8; # \"by hand; bm Kf1", "c0", ""),
            ("bm Rh8; c0 5\" gun", "c0", "5\" gun"),
            ("bm Rh8; c0 \"\"", "c0", ""),
            ("bm Rh8; c0\"a;b\";", "c0", "a;b"),
            ("bm Rh8; \"a;b\";", "", "a;b"),
            ("bm Rh8; c0 \"a;b\" c;", "c0", "\"a;b\" c"),
            ("; bm Rh8", "c0", ""),
            ("bm Rh8 # \"a;b\"", "c0", ""),
        ] {
            let epd = parse(&format!("{fen} {operations}"));
            assert_eq!(epd.operand("bm"), Some("Rh8"), "{operations}");
            assert_eq!(epd.operand(name).unwrap_or_default(), operand, "{operations}");
            assert_eq!(parse(&epd.to_string()), epd, "{operations}");
        }
    }

    #[test]
    fn mate_distances() {
        let distance = |operations: &str| parse(&format!("2k5/8/8/8/8/8/8/4K2R w K - {operations}")).mate_distance();
        for (operations, moves) in [
            ("bm #1;", Some(1)),
            ("bm #1", Some(1)),
            ("bm #14; id \"a # b\";", Some(14)),
            ("bm #-3;", Some(-3)),
            ("id \"a\"; bm  #+2 ; # comment", Some(2)),
            ("dm 3; bm Rh8#;", Some(3)),
            ("bm Rh8#;", None),
            ("bm Rh8 #1", None),
            ("#1 bm Rh8;", None),
            ("bm # 1", None),
        ] {
            assert_eq!(distance(operations), Ok(moves), "{operations}");
        }
        assert!(distance("bm #99999999999;").is_err() && distance("dm -1;").is_err());
    }

    #[test]
    fn lines_as_people_have_them() {
        let expected = parse("2k5/8/8/8/8/8/8/4K2R w K - 0 1 ; bm Rh8");
        for line in [
            "\u{feff}2k5/8/8/8/8/8/8/4K2R w K - bm Rh8;",
            "2k5/8/8/8/8/8/8/4K2R w K - bm Rh8;\r",
            "2k5/8/8/8/8/8/8/4K2R\u{a0}w\u{a0}K\u{a0}-\u{a0}bm Rh8;\x1a",
            "2k5/8/8/8/8/8/8/4K2R w K -;bm Rh8;",
            "2k5/8/8/8/8/8/8/4K2R\tw K - 0 1;\tbm\tRh8",
        ] {
            assert_eq!(parse(line), expected, "{line:?}");
        }
        for comment in ["\u{feff}# a", "#a", "\u{a0}", "\x1a"] {
            assert_eq!(Epd::parse(comment, Variant::Spartan), Ok(None), "{comment:?}");
        }
    }

    #[test]
    fn a_bad_line_costs_only_itself() {
        let start = Variant::Spartan.start_fen();
        let text = [start.as_bytes(), b"\r\nnonsense\n\xef\xbb\xbf", start.as_bytes(), b" ; c0 \xe9\n8/8 w\n"].concat();
        let parsed = Epd::parse_file(&text, Variant::Spartan);
        assert_eq!(parsed.positions.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(parsed.positions[1].1.operand("c0"), Some("é"));
        assert!(parsed.errors[0].starts_with("line 2: ") && parsed.errors[1].starts_with("line 4: "));
        assert_eq!(summarise(&vec!["x".to_owned(); 9]).len(), 7);
    }

    #[test]
    fn lines_round_trip() {
        let board = Board::start(Variant::Spartan);
        let epd = Epd::new(board).with("ce", -12).with("id", "book.7").with("c0", "no; semicolon");
        let line = epd.to_string();
        assert_eq!(parse(&line).to_string(), line);
        assert_eq!(parse(&line).operand("c0"), Some("no, semicolon"));
    }

    #[test]
    fn errors_name_the_line() {
        let read = |text: &str| Epd::parse_all(text, Variant::Spartan);
        assert_eq!(read("\n# nothing\n   \n").unwrap(), []);
        let start = Variant::Spartan.start_fen();
        assert_eq!(read(&format!("# a\n{start}\n")).unwrap()[0].0, 2);
        assert!(read(&format!("{start}\nnonsense\n")).unwrap_err().starts_with("line 2: "));
        assert!(read("2k5/8/8/8/8/8/8/4K2R w - - hmvc x;").unwrap_err().contains("hmvc"));
        for text in [";", ";;;", "\"", "a b c d e f", "\u{e9} ; \u{e9}"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ids_contain_numbers() {
        let number = |id: &str| Epd::new(Board::start(Variant::Spartan)).with("id", id).number_in_id("mate").ok();
        assert_eq!(number("mate.17"), Some(17));
        assert_eq!(number("mate.17.5"), Some(17));
        for id in ["", "17", "mate", "mate.", "mate.x.5", "mate17", "checkmate.17", "mates.17"] {
            assert_eq!(number(id), None, "{id}");
        }
    }

    #[test]
    fn plain_moves_have_no_suffix() {
        let board = Board::from_fen("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", Variant::Spartan).unwrap();
        let plain = |mv| plain_san(&board, board.parse_move(mv).unwrap());
        assert_eq!([plain("g1g7"), plain("g1h1"), plain("g1a1")], ["Qg7", "Qh1", "Qa1"]);
    }

    #[test]
    fn mirror_images_are_equivalent_without_castling() {
        let form = |fen: &str| canonical(&Board::from_fen(fen, Variant::Spartan).unwrap());
        assert_eq!(form("2k5/8/8/8/8/8/8/4K2R w - - 3 9"), form("5k2/8/8/8/8/8/8/R2K4 w - - 0 1"));
        assert_ne!(form("2k5/8/8/8/8/8/8/4K2R w K - 0 1"), form("2k5/8/8/8/8/8/8/4K2R w - - 0 1"));
        assert_ne!(form("2k5/8/8/8/8/8/8/4K2R w - - 0 1"), form("2k5/8/8/8/8/8/8/4K2R b - - 0 1"));
    }
}
