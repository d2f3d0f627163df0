//! Opening books: positions with weighted moves.
//!
//! A book is a text file with one position per line: the first four fields of its FEN, a semicolon, then moves in
//! coordinate notation, each followed by its weight. A move is played with a probability proportional to its weight.
//! Empty lines are skipped; `#` starts a comment:
//!
//! ```text
//! # 1.e4
//! lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -; e2e4 30 d2d4 25 g1f3 5
//! ```
//!
//! In a file that is read, only the invalid lines are lost.
//!
//! A file may contain positions of both Spartan Chess and orthodox chess. A FEN that is valid in both is read as
//! Spartan Chess.

use crate::board::{Board, Variant, split_fields};
use crate::files::read_file;
use crate::text::{counted, decode, quoted};
use crate::types::Move;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

/// The length up to which a file is read, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;

const MAX_WEIGHT: u32 = 1_000_000;

const EMPTY: &str = "it has no positions";

/// An opening book. All its moves are legal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Book {
    positions: HashMap<(Variant, u64), Vec<BookMove>>,
    errors: Vec<String>,
}

/// A move of a position of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// A legal move.
    pub mv: Move,
    /// Its relative frequency among the moves of the position; at least 1.
    pub weight: u32,
}

impl Book {
    /// Reads a file. Invalid lines are left out: see [`Self::errors`].
    ///
    /// # Errors
    /// If it cannot be read, or it has no positions.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::from_bytes(&read_file(path, MAX_BYTES).map_err(|error| error.to_string())?)
    }

    /// Parses the contents of a file. Invalid lines are left out: see [`Self::errors`].
    ///
    /// # Errors
    /// If there are no positions.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut book = Self::of_lines(&decode(bytes));
        match (book.positions.is_empty(), book.errors.is_empty()) {
            (false, _) => Ok(book),
            (true, false) => Err(book.errors.swap_remove(0)),
            (true, true) => Err(EMPTY.to_owned()),
        }
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// If a line is invalid, or there are no positions.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut book = Self::of_lines(text);
        match book.errors.is_empty() {
            false => Err(book.errors.swap_remove(0)),
            true if book.positions.is_empty() => Err(EMPTY.to_owned()),
            true => Ok(book),
        }
    }

    /// The positions of the lines that are valid.
    fn of_lines(text: &str) -> Self {
        let mut book = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty()
                && let Err(cause) = book.add(line)
            {
                book.errors.push(format!("line {}: {cause}", index + 1));
            }
        }
        book
    }

    /// For each invalid line of the file a message that names it.
    pub fn errors(&self) -> &[String] {
        &self.errors
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let (fen, moves) = line.split_once(';').ok_or("there is no ';' after the position")?;
        let fields = split_fields(fen).0.len();
        if fields != 4 {
            return Err(format!("the position has {}, not 4", counted(fields, "field", "fields")));
        }
        let board = match Variant::fitting(fen) {
            Some(variant) => {
                Board::from_fen(fen, variant).map_err(|error| format!("no position of {}: {error}", variant.name()))?
            }
            None => Board::from_fen(fen, Variant::Spartan)
                .or_else(|error| Board::from_fen(fen, Variant::Chess).map_err(|_| format!("no position: {error}")))?,
        };
        let mut entries: Vec<BookMove> = Vec::new();
        let mut words = moves.split_ascii_whitespace();
        while let Some(text) = words.next() {
            let mv = board.parse_move(text).map_err(|error| format!("{} is {error}", quoted(text)))?;
            if entries.iter().any(|entry| entry.mv == mv) {
                return Err(format!("duplicate move {text}"));
            }
            let weight = words.next().ok_or_else(|| format!("{text} has no weight"))?;
            let digits = weight.bytes().all(|byte| byte.is_ascii_digit());
            let number = weight.parse().ok().filter(|number| digits && (1..=MAX_WEIGHT).contains(number));
            let weight = number.ok_or_else(|| format!("{} is not a weight from 1 to {MAX_WEIGHT}", quoted(weight)))?;
            entries.push(BookMove { mv, weight });
        }
        if entries.is_empty() {
            return Err("there is no move".to_owned());
        }
        match self.positions.entry((board.variant(), board.key())) {
            Entry::Vacant(place) => place.insert(entries),
            Entry::Occupied(_) => return Err("duplicate position".to_owned()),
        };
        Ok(())
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The moves of a position in the order of the file; empty if it is not in the book.
    pub fn moves(&self, board: &Board) -> &[BookMove] {
        let found = self.positions.get(&(board.variant(), board.key()));
        // Two positions may have the same key.
        found.filter(|entries| entries.iter().all(|entry| board.is_legal(entry.mv))).map_or(&[], Vec::as_slice)
    }
}

/// Chooses one of some moves by their weights, using the random number `random`.
pub fn choose(moves: &[BookMove], random: u64) -> Option<BookMove> {
    let total: u64 = moves.iter().map(|entry| u64::from(entry.weight)).sum();
    let mut rest = random.checked_rem(total)?;
    moves.iter().copied().find(|entry| {
        let hit = rest < u64::from(entry.weight);
        rest = rest.saturating_sub(entry.weight.into());
        hit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -";

    #[test]
    fn moves_are_chosen_by_weight() {
        let chess = Variant::Chess.start_fen();
        let chess = chess.strip_suffix(" 0 1").unwrap();
        let book = Book::parse(&format!("# a book\n\n{START}; e2e4 3 d2d4 1 # two moves\r\n{chess};g1f3 7\n")).unwrap();
        assert_eq!(book.len(), 2);
        let board = Board::start(Variant::Spartan);
        let chosen: Vec<_> = (0..8).map(|random| choose(book.moves(&board), random).unwrap().mv.to_string()).collect();
        assert_eq!(chosen, ["e2e4", "e2e4", "e2e4", "d2d4", "e2e4", "e2e4", "e2e4", "d2d4"]);
        let chosen = choose(book.moves(&Board::start(Variant::Chess)), u64::MAX).unwrap();
        assert_eq!((chosen.mv.to_string().as_str(), chosen.weight), ("g1f3", 7));
        let other = Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", Variant::Spartan).unwrap();
        assert_eq!(choose(book.moves(&other), 0), None);
    }

    #[test]
    fn a_bad_line_of_a_file_costs_only_itself() {
        let file = |bytes: &[u8]| {
            let path = std::env::temp_dir().join(format!("agoge-book-{}.epd", std::process::id()));
            std::fs::write(&path, bytes).unwrap();
            let book = Book::read(&path);
            std::fs::remove_file(path).unwrap();
            book
        };
        let text = format!("\u{feff}{START}; e2e4 1\r\n{START}; d2d4 1\r\nx; e2e4 1\n\u{feff}# joined\n");
        let book = file(&[text.as_bytes(), b"# Gr\xfcnfeld\n"].concat()).unwrap();
        assert_eq!(book.moves(&Board::start(Variant::Spartan)).len(), 1);
        assert_eq!(book.errors()[0], "line 2: duplicate position");
        assert!(book.errors()[1].starts_with("line 3: ") && book.errors().len() == 2, "{:?}", book.errors());
        assert!(file(b"x; e2e4 1\n").unwrap_err().starts_with("line 1: "));
    }

    #[test]
    fn errors_name_the_line() {
        for (line, cause) in [
            ("nonsense", "no ';'"),
            ("x; e2e4 1", "1 field, not 4"),
            ("x w - -; e2e4 1", "no position"),
            (&format!("{START} 0 1; e2e4 1"), "6 fields"),
            (&format!("{START};"), "no move"),
            (&format!("{START}; e2e5 1"), "'e2e5' is not a legal move"),
            (&format!("{START}; Nf3 1"), "'Nf3' is not a move"),
            (&format!("{START}; e2e4"), "no weight"),
            (&format!("{START}; e2e4 d2d4"), "'d2d4' is not a weight"),
            (&format!("{START}; e2e4 0"), "not a weight"),
            (&format!("{START}; e2e4 +1"), "not a weight"),
            (&format!("{START}; e2e4 99999999999999999999"), "not a weight"),
            (&format!("{START}; e2e4 1 e2e4 2"), "duplicate move e2e4"),
            (&format!("{START}; e2e4 1\n{START}; d2d4 1"), "duplicate position"),
        ] {
            let error = Book::parse(&format!("#\n{line}\n")).unwrap_err();
            let number = 1 + line.lines().count();
            assert!(error.starts_with(&format!("line {number}: ")), "{line}: {error}");
            assert!(error.contains(cause), "{line}: {error}");
        }
        assert_eq!(Book::parse("# nothing\n"), Err("it has no positions".to_owned()));
    }
}
