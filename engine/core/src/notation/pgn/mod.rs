//! Reading and writing portable game notation (PGN).
//!
//! The crate `pgn-reader` is not used: it knows only the moves of orthodox chess and silently skips `Hbd5` and `Gxc4`.

mod reader;
mod remarks;
mod writer;

pub use reader::{MAX_GAME_SIZE, Reader, is_tag_name, line_ends};
pub use remarks::{Remark, split_remarks};
pub use writer::{Writer, words};

use crate::board::{Board, Variant};
use crate::text::{printable, quoted};
use crate::types::{Colour, Move};
use std::fmt;

/// The variant that a tag `Variant` names, ignoring case; `None` if it says nothing, as `?`.
///
/// # Errors
/// If it names neither Spartan Chess nor orthodox chess.
pub fn variant_of_tag(name: &str) -> Result<Option<Variant>, String> {
    let short = name.trim().to_ascii_lowercase();
    match short.strip_suffix(" chess").unwrap_or(&short) {
        "" | "?" | "-" => Ok(None),
        "spartan" | "spartan-chess" => Ok(Some(Variant::Spartan)),
        "chess" | "standard" | "normal" | "orthodox" | "from position" => Ok(Some(Variant::Chess)),
        _ => Err(format!("the variant {} is neither spartan nor chess", quoted(name))),
    }
}

/// The length at which a word is cut off in a message.
const MAX_SHOWN: usize = 40;

/// The result that a text means: `1-0`, `0-1`, `1/2-1/2` or `*`. Accepts `1/2`, `½-½`, other dashes, and backticks.
pub fn normal_result(text: &str) -> Option<&'static str> {
    let mut plain = String::new();
    for letter in text.trim().chars() {
        match letter {
            '`' | '´' => {}
            '½' => plain.push_str("1/2"),
            ':' => plain.push('-'),
            _ => plain.push(if is_dash(letter) { '-' } else { letter }),
        }
    }
    match plain.trim_end_matches(['.', ',']) {
        "1-0" => Some("1-0"),
        "0-1" => Some("0-1"),
        "1/2-1/2" | "1/2" => Some("1/2-1/2"),
        "*" => Some("*"),
        _ => None,
    }
}

/// Whether a character looks like a hyphen.
const fn is_dash(letter: char) -> bool {
    matches!(letter, '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Suffix annotations, each at the index of its numeric annotation glyph.
const SUFFIXES: [&str; 7] = ["", "!", "?", "!!", "??", "!?", "?!"];

/// A move as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParsedMove {
    /// The move with its suffixes: `Hc1=K#`, `e4!?`.
    pub san: String,
    /// Everything up to the next move: comments in braces, variations, glyphs.
    pub remarks: String,
    /// The line in the file, from 1.
    pub line: usize,
}

impl ParsedMove {
    /// The numeric annotation glyph of the suffix: 1 to 6 for `!`, `?`, `!!`, `??`, `!?` and `?!`.
    pub fn suffix(&self) -> Option<u8> {
        let suffix = self.san.trim_start_matches(|c| !matches!(c, '!' | '?'));
        let glyph = (1u8..).zip(&SUFFIXES[1..]).find(|(_, known)| **known == suffix)?;
        Some(glyph.0)
    }

    /// Whether the move is annotated with a glyph, as a suffix or as `$2` after it.
    pub fn has_glyph(&self, glyph: u8) -> bool {
        let word = format!("${glyph}");
        let mut words = self.remarks.split_ascii_whitespace().take_while(|word| word.starts_with('$'));
        self.suffix() == Some(glyph) || words.any(|other| other == word)
    }
}

/// Damage in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The line, from 1.
    pub line: usize,
    /// What is damaged, in words.
    pub cause: String,
    /// Whether a part of the game is lost.
    pub cut: bool,
}

impl Warning {
    /// Whether only the end of the game is missing.
    pub fn is_end(&self) -> bool {
        self.cause == reader::NO_RESULT
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.cause)
    }
}

/// The part of a game that can be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The position before the first move: that of the tag `FEN`, or the initial one.
    pub start: Board,
    /// The moves up to the first one that is not legal.
    pub moves: Vec<Move>,
    /// Why there are no more moves, if there should be.
    pub end: Option<Warning>,
}

/// A game as written in a file. The moves are not checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParsedGame {
    /// The tags in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The comments before the first move, in braces.
    pub remarks: String,
    /// The moves of the main line.
    pub moves: Vec<ParsedMove>,
    /// The marker after the moves: `1-0`, `0-1`, `1/2-1/2` or `*`. None if it is missing.
    pub result: Option<String>,
    /// The line in which the game begins, from 1.
    pub line: usize,
    /// The offset of the end of the game in the file, in bytes.
    pub end: usize,
    /// What is damaged, in the order of the file.
    pub warnings: Vec<Warning>,
}

impl ParsedGame {
    /// The value of the first tag with a name; upper and lower case differ.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The result: the marker after the moves, else the tag `Result`, else `*`.
    pub fn result(&self) -> &str {
        let tag = self.tag("Result").and_then(normal_result);
        self.result.as_deref().or(tag).unwrap_or("*")
    }

    /// The variant in the tag `Variant`, ignoring case; `None` if the tag is missing or `?`.
    ///
    /// # Errors
    /// If the tag names neither Spartan Chess nor orthodox chess.
    pub fn variant(&self) -> Result<Option<Variant>, String> {
        let tag = self.tags.iter().find(|(name, _)| name.eq_ignore_ascii_case("Variant"));
        tag.map_or(Ok(None), |(_, name)| variant_of_tag(name))
    }

    /// The first position and the moves of the main line. The variant is that of the tag, else `variant`, else the
    /// first of [`Variant::ALL`] in which all moves are legal.
    ///
    /// # Errors
    /// If the variant is unknown, the FEN is invalid or a move is illegal. If no variant fits, the message is
    /// about the one with the most legal moves before the error.
    pub fn replay(&self, variant: Option<Variant>) -> Result<(Board, Vec<Move>), String> {
        match self.replay_legal(variant)? {
            Replay { end: Some(warning), .. } => Err(warning.cause),
            Replay { start, moves, .. } => Ok((start, moves)),
        }
    }

    /// As [`ParsedGame::replay`], but up to the first illegal move.
    ///
    /// # Errors
    /// If the variant is unknown or the FEN is invalid.
    pub fn replay_legal(&self, variant: Option<Variant>) -> Result<Replay, String> {
        if let Some(variant) = self.variant()?.or(variant) {
            return self.replay_as(variant);
        }
        let mut longest: Result<Replay, String> = Err(String::new());
        for variant in Variant::ALL {
            let replay = self.replay_as(variant).map_err(|error| format!("{error} (read as {})", variant.title()));
            let better = match (&replay, &longest) {
                (Ok(Replay { end: None, .. }), _) => return replay,
                (Ok(new), Ok(old)) => new.moves.len() > old.moves.len(),
                (Ok(_), Err(_)) => true,
                (Err(_), Err(old)) => old.is_empty(),
                (Err(_), Ok(_)) => false,
            };
            if better {
                longest = replay;
            }
        }
        if let Ok(Replay { start, end: Some(warning), .. }) = &mut longest {
            warning.cause += &format!(" (read as {})", start.variant().title());
        }
        longest
    }

    fn replay_as(&self, variant: Variant) -> Result<Replay, String> {
        let start = self.start(variant)?;
        let (moves, end) = self.legal_line(&start, usize::MAX);
        Ok(Replay { start, moves, end })
    }

    /// The warnings about the game, with that of its replay.
    pub fn all_warnings(&self, end: Option<&Warning>) -> Vec<Warning> {
        // If the last move is cut off, so is the result.
        let known = self.warnings.iter().filter(|warning| end.is_none() || !warning.is_end());
        let mut warnings: Vec<Warning> = known.chain(end).cloned().collect();
        warnings.sort_by_key(|warning| warning.line);
        warnings
    }

    /// The first position: that of the tag `FEN`, or the initial position of the variant.
    ///
    /// # Errors
    /// If the FEN is invalid.
    pub fn start(&self, variant: Variant) -> Result<Board, String> {
        let fen = self.tag("FEN").unwrap_or(variant.start_fen());
        Board::from_fen(fen, variant).map_err(|error| format!("FEN: {error}"))
    }

    /// The moves of the main line, at most `plies` of them.
    ///
    /// # Errors
    /// If a move is illegal. The message names it.
    pub fn line(&self, start: &Board, plies: usize) -> Result<Vec<Move>, String> {
        match self.legal_line(start, plies) {
            (moves, None) => Ok(moves),
            (_, Some(warning)) => Err(warning.cause),
        }
    }

    /// As [`ParsedGame::line`], but up to the first illegal move, with the warning about that.
    pub fn legal_line(&self, start: &Board, plies: usize) -> (Vec<Move>, Option<Warning>) {
        let mut board = start.clone();
        let mut moves = Vec::new();
        for (ply, ParsedMove { san, line, .. }) in self.moves.iter().take(plies).enumerate() {
            match board.parse_san(san) {
                Ok(mv) => {
                    board.make_move(mv);
                    moves.push(mv);
                }
                // Both sides lost: a result that looks like castling.
                Err(_) if san == "0-0" && ply + 1 == self.moves.len() && self.result.is_none() => break,
                Err(error) => {
                    let error = if is_null_move(san) { "a null move".to_owned() } else { error.to_string() };
                    let cause = format!("{}{}: {error}", number(&board), printable(san, MAX_SHOWN));
                    return (moves, Some(Warning { line: *line, cause, cut: true }));
                }
            }
        }
        (moves, None)
    }
}

/// Whether a move only passes the turn, as some programs write it in variations.
fn is_null_move(san: &str) -> bool {
    matches!(san.trim_end_matches(['!', '?']), "--" | "Z0" | "@@@@" | "0000" | "null" | "pass")
}

/// The move number as written before the next move: `12.` for White, `12...` for Black.
pub fn number(board: &Board) -> String {
    let dots = if board.side_to_move() == Colour::White { "." } else { "..." };
    format!("{}{dots}", board.fullmove_number())
}

/// Legal moves from a position in SAN, each number before its move as a word of its own.
pub fn numbered(board: &Board, moves: &[Move]) -> Vec<String> {
    let mut board = board.clone();
    let mut words = Vec::new();
    for &mv in moves {
        if words.is_empty() || board.side_to_move() == Colour::White {
            words.push(number(&board));
        }
        words.push(board.to_san(mv));
        board.make_move(mv);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The games of a text.
    pub fn games(text: &str) -> Vec<ParsedGame> {
        let mut reader = Reader::new(text.as_bytes());
        std::iter::from_fn(|| reader.next_game()).collect()
    }

    #[test]
    fn the_result_may_be_in_the_tag_only() {
        let games = games("[Result \"1-0\"]\n\n1. e4\n[Result \"?\"]\n\n1. e4\n[Result \"1-0\"]\n\n1. e4 0-1");
        assert_eq!(games.iter().map(ParsedGame::result).collect::<Vec<_>>(), ["1-0", "*", "0-1"]);
    }

    #[test]
    fn variants_and_illegal_moves() {
        let variant = |text: &str| games(text)[0].variant();
        for name in ["spartan", "sPartan Chess", "SPARTAN", " spartan-chess "] {
            assert_eq!(variant(&format!("[Variant \"{name}\"]\n*")), Ok(Some(Variant::Spartan)), "{name}");
        }
        for name in ["Standard", "chess", "Normal", "orthodox chess", "From Position"] {
            assert_eq!(variant(&format!("[variant \"{name}\"]\n*")), Ok(Some(Variant::Chess)), "{name}");
        }
        for text in ["*", "[Variant \"?\"]\n*", "[Variant \"\"]\n*"] {
            assert_eq!(variant(text), Ok(None));
        }
        assert!(variant("[Variant \"Shogi\"]\n*").is_err());
        let game = &games("1. e4 Hbd5 2. Qh9 *")[0];
        let error = game.line(&Board::start(Variant::Spartan), usize::MAX).expect_err("no move");
        assert!(error.contains("2.Qh9"), "{error}");
        assert!(games("[FEN \"8/8 w\"]\n*")[0].start(Variant::Spartan).is_err());
    }

    #[test]
    fn the_variant_follows_from_the_moves() {
        let variant =
            |text: &str, given| games(text)[0].replay(given).map(|(start, moves)| (start.variant(), moves.len()));
        assert_eq!(variant("1. e4 e5 2. Nf3 *", None), Ok((Variant::Chess, 3)));
        assert_eq!(variant("1. e4 Hbd5 2. Nf3 *", None), Ok((Variant::Spartan, 3)));
        assert_eq!(variant("1. e4 *", None), Ok((Variant::Spartan, 1)));
        assert_eq!(variant("1. e4 *", Some(Variant::Chess)), Ok((Variant::Chess, 1)));
        assert_eq!(variant("[Variant \"Chess\"]\n1. e4 *", Some(Variant::Spartan)), Ok((Variant::Chess, 1)));
        let fen = Variant::Chess.start_fen();
        assert_eq!(variant(&format!("[FEN \"{fen}\"]\n*"), None), Ok((Variant::Chess, 0)));
        // The error is about the variant that fits best.
        for (text, place) in
            [("1. e4 e5 2. Qh9 *", "2.Qh9: "), ("1. e4 Hbd5 2. Qh9 *", "2.Qh9: "), ("1. e9 *", "1.e9: ")]
        {
            let error = variant(text, None).expect_err("no such move");
            assert!(error.starts_with(place), "{error}");
        }
        assert!(variant("1. e4 e5 *", Some(Variant::Spartan)).is_err_and(|error| error.starts_with("1...e5: ")));
    }
}
