//! Damaged EPD files and opening books: a line that stands whole is read, whatever is before and after it.

use crate::common::cases;
use agoge_core::board::Variant;
use agoge_core::notation::book::Book;
use agoge_core::notation::epd::Epd;
use agoge_core::rng::Rng;
use std::collections::HashSet;

const LINES: [&str; 6] = [
    "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1",
    "2k5/8/8/8/8/8/8/4K2R w K - bm Rh8; c0 \"a; b # c\"; id \"one\";",
    "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 ; dm 1 ; bm Qg7 ; id two # by hand",
    "7k/8/5K2/8/8/8/8/6Q1 w - - bm #1; id \"three\";",
    "8/8/8/3k4/8/8/8/4K3 b - - 100 200; id \"Gr\u{fc}nfeld\"",
    "k6k/8/8/8/8/8/8/R3K3 w - - hmvc 3; fmvn 9; c0 \"say \\\"mate\\\"\";",
];

const BOOK: [&str; 4] = [
    "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -; e2e4 30 d2d4 25",
    "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -; e7c5 2 # a comment",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -; g1f3 7",
    "8/8/8/3k4/8/8/8/4K3 w - -; e1e2 1",
];

/// What damages files: letters with a meaning, and bytes that are not text.
const INSERTED: [&[u8]; 12] =
    [b"\"", b"#", b";", b"\n", b"\r", b"\0", b"\x1a", b"\xef\xbb\xbf", b"\xff\xfe", b"\\", b" ", b"\xe2\x80"];

/// A file of some of the lines, cut, with bytes changed or inserted, or joined with another.
fn damaged(lines: &[&str], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..2 + rng.below(8) {
        bytes.extend_from_slice(rng.pick(lines).as_bytes());
        bytes.extend_from_slice(rng.pick(&[&b"\n"[..], b"\r\n"]));
    }
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len().max(1));
        match rng.below(4) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << rng.below(8),
            2 => drop(bytes.splice(at..at, rng.pick(&INSERTED).iter().copied())),
            _ => bytes.extend_from_within(at.min(bytes.len())..),
        }
    }
    bytes
}

/// The lines of a file that stand whole, by their numbers.
fn whole<'a>(bytes: &'a [u8], lines: &[&str]) -> Vec<&'a str> {
    let all = bytes.split(|byte| b"\r\n".contains(byte)).filter_map(|line| std::str::from_utf8(line).ok());
    all.filter(|line| lines.contains(line)).collect()
}

#[test]
fn damage_costs_only_the_damaged_lines() {
    let mut rng = Rng::new(11);
    let mut count = 0;
    for number in 0..cases(100_000, 5_000) {
        let bytes = damaged(&LINES, &mut rng);
        let parsed = Epd::parse_file(&bytes, Variant::Spartan);
        let mut read = parsed.positions.iter().map(|(_, epd)| epd);
        for line in whole(&bytes, &LINES) {
            let expected = Epd::parse(line, Variant::Spartan).expect("a good line").expect("a position");
            // In the order of the file.
            assert!(
                read.any(|epd| *epd == expected),
                "{number}: {line} is lost in {:?}",
                String::from_utf8_lossy(&bytes)
            );
            count += 1;
        }
    }
    assert!(count > cases(200_000, 10_000), "{count} lines stood whole");
}

#[test]
fn damage_costs_only_the_damaged_lines_of_a_book() {
    let mut rng = Rng::new(12);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.epd");
    let mut count = 0;
    for number in 0..cases(20_000, 1_000) {
        let bytes = damaged(&BOOK, &mut rng);
        std::fs::write(&path, &bytes).expect("a file");
        let lines: HashSet<&str> = whole(&bytes, &BOOK).into_iter().collect();
        let positions = Book::read(&path).map_or(0, |book| book.len());
        assert!(
            positions >= lines.len(),
            "{number}: {positions} of {} in {:?}",
            lines.len(),
            String::from_utf8_lossy(&bytes)
        );
        count += lines.len();
    }
    assert!(count > cases(20_000, 1_000), "{count} lines stood whole");
}
