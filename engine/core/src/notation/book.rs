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
//! A file may contain positions of both Spartan Chess and orthodox chess. A FEN that is valid in both is read as
//! Spartan Chess.

use crate::board::{Board, Variant};
use crate::files::read_file;
use crate::text::quoted;
use crate::types::Move;
use std::collections::HashMap;
use std::path::Path;

const MAX_BYTES: u64 = 64 << 20;

const MAX_WEIGHT: u32 = 1_000_000;

/// An opening book. All its moves are legal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Book {
    positions: HashMap<(Variant, u64), Vec<BookMove>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    pub mv: Move,
    /// Its relative frequency among the moves of the position; at least 1.
    pub weight: u32,
}

impl Book {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, a line is invalid, or it has no positions.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = read_file(path, MAX_BYTES).map_err(|error| error.to_string())?;
        Self::parse(&String::from_utf8(bytes).map_err(|_| "it is not text")?)
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// If a line is invalid, or there are no positions.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut book = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() {
                book.add(line).map_err(|cause| format!("line {}: {cause}", index + 1))?;
            }
        }
        if book.positions.is_empty() { Err("it has no positions".to_owned()) } else { Ok(book) }
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let (fen, moves) = line.split_once(';').ok_or("there is no ';' after the position")?;
        let fields = fen.split_ascii_whitespace().count();
        if fields != 4 {
            return Err(format!("the position has {fields} fields, not 4"));
        }
        let board = Board::from_fen(fen, Variant::Spartan).or_else(|spartan| {
            let chess = Board::from_fen(fen, Variant::Chess);
            chess.map_err(|chess| format!("no position of Spartan Chess ({spartan}) or chess ({chess})"))
        })?;
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
        match self.positions.insert((board.variant(), board.key()), entries) {
            None => Ok(()),
            Some(_) => Err("duplicate position".to_owned()),
        }
    }

    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The moves of a position in the order of the file; empty if it is not in the book.
    pub fn moves(&self, board: &Board) -> &[BookMove] {
        let found = self.positions.get(&(board.variant(), board.key()));
        // Two positions may have the same key.
        found.filter(|entries| entries.iter().all(|entry| board.is_legal(entry.mv))).map_or(&[], Vec::as_slice)
    }

    /// Chooses a move of a position by its weight, using the random number `random`.
    pub fn choose(&self, board: &Board, random: u64) -> Option<BookMove> {
        let moves = self.moves(board);
        let total: u64 = moves.iter().map(|entry| u64::from(entry.weight)).sum();
        let mut rest = random.checked_rem(total)?;
        moves.iter().copied().find(|entry| {
            let hit = rest < u64::from(entry.weight);
            rest = rest.saturating_sub(entry.weight.into());
            hit
        })
    }
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
        let chosen: Vec<_> = (0..8).map(|random| book.choose(&board, random).unwrap().mv.to_string()).collect();
        assert_eq!(chosen, ["e2e4", "e2e4", "e2e4", "d2d4", "e2e4", "e2e4", "e2e4", "d2d4"]);
        let chosen = book.choose(&Board::start(Variant::Chess), u64::MAX).unwrap();
        assert_eq!((chosen.mv.to_string().as_str(), chosen.weight), ("g1f3", 7));
        let other = Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", Variant::Spartan).unwrap();
        assert_eq!(book.choose(&other, 0), None);
    }

    #[test]
    fn errors_name_the_line() {
        for (line, cause) in [
            ("nonsense", "no ';'"),
            ("x; e2e4 1", "1 fields, not 4"),
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
