//! Extended Position Description: positions with operations, one per line.
//!
//! The writer uses the form of the files in `positions/`: a FEN of six fields, then operations, each after a semicolon:
//! `FEN ; ce 12 ; id book.7`. The parser also accepts the standard form: four fields, then operations that each end
//! with a semicolon, with the counters in the operations `hmvc` and `fmvn`: `... w KQ - bm Qh5; dm 1;`. Empty lines and
//! text after a `#` at the start of a word are comments.

use crate::board::{Board, Setup, Variant};
use crate::types::Move;
use std::fmt;
use std::path::Path;

/// A position and its operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    pub board: Board,
    /// Names and operands of the operations in the order of the line, without quotes around operands.
    pub operations: Vec<(String, String)>,
}

impl Epd {
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
        let read =
            |text: &str| text.parse().map_err(|_| format!("'{text}' is not a number for the operation '{name}'"));
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

    /// Parses a line; `None` for an empty line or a comment.
    ///
    /// # Errors
    /// Describes the error in the line.
    pub fn parse(line: &str, variant: Variant) -> Result<Option<Self>, String> {
        let line = without_comment(line).trim();
        if line.is_empty() {
            return Ok(None);
        }
        let (head, rest) = line.split_once(';').unwrap_or((line, ""));
        let words: Vec<&str> = head.split_ascii_whitespace().collect();
        let is_counter = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let fields = match &words[..] {
            [_, _, _, _, a, b, ..] if is_counter(a) && is_counter(b) => 6,
            _ => words.len().min(4),
        };
        let first = words[fields..].join(" ");
        let mut operations = Vec::new();
        for text in std::iter::once(first.as_str()).chain(split_unquoted(rest)) {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let (name, operand) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            let operand = operand.trim();
            let bare = operand.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(operand);
            operations.push((name.to_owned(), bare.to_owned()));
        }
        let mut epd = Self { board: Board::start(variant), operations };
        let mut fen = words[..fields].join(" ");
        if fields == 4 {
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
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, Self::parse(line, variant)));
        lines
            .filter_map(|(number, parsed)| match parsed {
                Ok(epd) => epd.map(|epd| Ok((number, epd))),
                Err(error) => Some(Err(format!("line {number}: {error}"))),
            })
            .collect()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is invalid: then it names the first such line and the cause.
    pub fn read(path: &Path, variant: Variant) -> Result<Vec<(usize, Self)>, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse_all(&text, variant).map_err(|error| format!("{}, {error}", path.display()))
    }
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.board)?;
        self.operations.iter().try_for_each(|(name, operand)| write!(f, " ; {name} {operand}"))
    }
}

/// The line up to the first unquoted `#` at the start of a word; `Qh7#` is a move.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut before = ' ';
    for (index, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted && (before.is_whitespace() || before == ';') => return &line[..index],
            _ => {}
        }
        before = letter;
    }
    line
}

fn split_unquoted(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |letter| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    })
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
