//! Reading and writing portable game notation (PGN).
//!
//! The crate `pgn-reader` is not used: it knows only the moves of orthodox chess and silently skips `Hbd5` and `Gxc4`.

use crate::board::{Board, Variant};
use crate::types::{Colour, Move};
use std::fmt;
use std::fmt::Write as _;

/// The markers that end the moves of a game.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Suffix annotations, each at the index of its numeric annotation glyph.
const SUFFIXES: [&str; 7] = ["", "!", "?", "!!", "??", "!?", "?!"];

/// A move as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParsedMove {
    /// The move with its suffixes: `Hc1=K#`, `e4!?`.
    pub san: String,
    /// Everything up to the next move: comments in braces, variations, glyphs.
    pub remarks: String,
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
}

impl ParsedGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The result: the marker after the moves, else the tag `Result`, else `*`.
    pub fn result(&self) -> &str {
        let tag = self.tag("Result").filter(|value| RESULTS.contains(value));
        self.result.as_deref().or(tag).unwrap_or("*")
    }

    /// The variant in the tag `Variant`, ignoring case; `None` if the tag is missing or `?`.
    ///
    /// # Errors
    /// If the tag names neither Spartan Chess nor orthodox chess.
    pub fn variant(&self) -> Result<Option<Variant>, String> {
        let tag = self.tags.iter().find(|(name, _)| name.eq_ignore_ascii_case("Variant"));
        let Some((_, name)) = tag else { return Ok(None) };
        let short = name.trim().to_ascii_lowercase();
        match short.strip_suffix(" chess").unwrap_or(&short) {
            "" | "?" | "-" => Ok(None),
            "spartan" | "spartan-chess" => Ok(Some(Variant::Spartan)),
            "chess" | "standard" | "normal" | "orthodox" | "from position" => Ok(Some(Variant::Chess)),
            _ => Err(format!("the variant '{name}' is neither spartan nor chess")),
        }
    }

    /// The first position and the moves of the main line. The variant is that of the tag, else `variant`, else the
    /// first of [`Variant::ALL`] in which all moves are legal.
    ///
    /// # Errors
    /// If the variant is unknown, the FEN is invalid or a move is illegal. If no variant fits, the message is
    /// about the one with the most legal moves before the error.
    pub fn replay(&self, variant: Option<Variant>) -> Result<(Board, Vec<Move>), String> {
        if let Some(variant) = self.variant()?.or(variant) {
            return self.replay_as(variant).map_err(|(_, error)| error);
        }
        let mut failures = Vec::new();
        for variant in Variant::ALL {
            match self.replay_as(variant) {
                Ok(game) => return Ok(game),
                Err((plies, error)) => failures.push((plies, format!("{error} (read as {})", variant.title()))),
            }
        }
        // The first one in case of a tie.
        let longest = failures.into_iter().rev().max_by_key(|(plies, _)| *plies);
        Err(longest.map_or_else(String::new, |(_, error)| error))
    }

    /// [`ParsedGame::replay`] in a given variant. An error includes the number of legal moves before it.
    fn replay_as(&self, variant: Variant) -> Result<(Board, Vec<Move>), (usize, String)> {
        let start = self.start(variant).map_err(|error| (0, error))?;
        let mut plies = 0;
        let moves = self.play(&start, usize::MAX, &mut plies).map_err(|error| (plies, error))?;
        Ok((start, moves))
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
        self.play(start, plies, &mut 0)
    }

    /// [`ParsedGame::line`], also counting the legal moves.
    fn play(&self, start: &Board, plies: usize, count: &mut usize) -> Result<Vec<Move>, String> {
        let mut board = start.clone();
        let next = |ParsedMove { san, .. }: &ParsedMove| {
            let mv = board.parse_san(san).map_err(|error| format!("{}{san}: {error}", number(&board)))?;
            board.make_move(mv);
            *count += 1;
            Ok(mv)
        };
        self.moves.iter().take(plies).map(next).collect()
    }
}

/// The move number as written before the next move: `12.` for White, `12...` for Black.
pub fn number(board: &Board) -> String {
    let dots = if board.side_to_move() == Colour::White { "." } else { "..." };
    format!("{}{dots}", board.fullmove_number())
}

/// The maximum length of a game in bytes, which bounds the memory needed.
pub const MAX_GAME_SIZE: usize = 4 << 20;

const TOO_LONG: &str = "the game is longer than 4 MiB";

/// Why a text is not PGN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnError {
    /// The line of the error, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: &'static str,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.cause)
    }
}

/// Reads games one by one.
pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// The length of the byte order mark.
    bom: usize,
    /// An offset and the number of line feeds before it, to count each only once.
    lines: (usize, usize),
}

impl<'a> Reader<'a> {
    /// A reader of a file's bytes.
    pub const fn new(text: &'a [u8]) -> Self {
        let bom = if let [0xef, 0xbb, 0xbf, ..] = text { 3 } else { 0 };
        Self { text, at: bom, bom, lines: (0, 0) }
    }

    /// The next game. There are no further games after an error.
    pub fn next_game(&mut self) -> Option<Result<ParsedGame, PgnError>> {
        self.skip_blanks();
        if self.at >= self.text.len() {
            return None;
        }
        let begin = self.at;
        let line = self.line_of(begin);
        match self.read_game() {
            // Comments alone are not a game.
            Ok(game) if game.tags.is_empty() && game.moves.is_empty() && game.result.is_none() => self.next_game(),
            Ok(game) => Some(Ok(ParsedGame { line, end: self.at, ..game })),
            Err(cause) => {
                let error = PgnError { line: self.line_of(self.at), cause };
                self.at = self.text.len();
                Some(Err(error))
            }
        }
    }

    /// The line of an offset, from 1. Offsets must not decrease from call to call.
    fn line_of(&mut self, at: usize) -> usize {
        let (known, ends) = self.lines;
        let more = self.text[known..at].iter().filter(|&&byte| byte == b'\n').count();
        self.lines = (at, ends + more);
        1 + ends + more
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips white space and lines that begin with `%`, the escape of PGN.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            let line_start = matches!(self.text[..self.at].last(), None | Some(b'\n')) || self.at == self.bom;
            if byte == b'%' && line_start {
                self.skip_line();
            } else if byte.is_ascii_whitespace() {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    fn read_game(&mut self) -> Result<ParsedGame, &'static str> {
        let mut game = ParsedGame::default();
        let begin = self.at;
        while self.peek() == Some(b'[') && self.at - begin <= MAX_GAME_SIZE {
            game.tags.push(self.read_tag()?);
            self.skip_blanks();
        }
        let mut depth = 0u32;
        loop {
            if self.at - begin > MAX_GAME_SIZE {
                return Err(TOO_LONG);
            }
            self.skip_blanks();
            let Some(byte) = self.peek() else { break };
            match byte {
                b'{' | b';' => game.remark(&self.read_comment()?),
                b'(' => {
                    depth += 1;
                    self.at += 1;
                    game.remark("(");
                }
                b')' => {
                    depth = depth.checked_sub(1).ok_or("unmatched )")?;
                    self.at += 1;
                    game.remark(")");
                }
                // The tags of the next game; this one has no result.
                b'[' if depth == 0 => break,
                b'[' | b']' | b'}' => return Err("a bracket instead of a move"),
                _ => {
                    let word = self.read_word();
                    if depth == 0 && RESULTS.contains(&word.as_str()) {
                        game.result = Some(word);
                        self.read_last_comments(&mut game)?;
                        break;
                    }
                    let name = without_number(&word);
                    if depth > 0 || name.starts_with(['$', '!', '?']) {
                        game.remark(&word);
                    // Some programs write a space before `e.p.`.
                    } else if !name.is_empty() && name != "e.p." {
                        game.moves.push(ParsedMove { san: name.to_owned(), remarks: String::new() });
                    }
                }
            }
        }
        if depth > 0 { Err("unmatched (") } else { Ok(game) }
    }

    /// Reads a word: everything up to a character that cannot be part of a move.
    fn read_word(&mut self) -> String {
        let rest = &self.text[self.at..];
        // In `e8=(Q)` the brackets belong to the move.
        let promotion = |at: usize| matches!(rest[at..], [b'(', piece, b')', ..] if piece.is_ascii_alphabetic());
        let is_end = |at: usize| match rest[at] {
            b'(' => !promotion(at),
            b')' => at < 2 || !promotion(at - 2),
            byte => byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b';' | b'[' | b']'),
        };
        let length = (1..rest.len()).find(|&at| is_end(at)).unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(&rest[..length]).into_owned()
    }

    /// Reads comments after the result. If no tags follow, they belong to the next game.
    fn read_last_comments(&mut self, game: &mut ParsedGame) -> Result<(), &'static str> {
        let begin = self.at;
        let mut end = begin;
        let mut comments = Vec::new();
        self.skip_blanks();
        while let Some(b'{' | b';') = self.peek() {
            comments.push(self.read_comment()?);
            end = self.at;
            if end - begin > MAX_GAME_SIZE {
                return Err(TOO_LONG);
            }
            self.skip_blanks();
        }
        if matches!(self.peek(), None | Some(b'[')) {
            comments.iter().for_each(|comment| game.remark(comment));
            self.at = end;
        } else {
            self.at = begin;
        }
        Ok(())
    }

    /// Reads a comment, in braces or up to the end of the line, and returns it in braces.
    fn read_comment(&mut self) -> Result<String, &'static str> {
        if self.peek() == Some(b';') {
            let begin = self.at + 1;
            self.skip_line();
            let text = String::from_utf8_lossy(&self.text[begin..self.at]);
            return Ok(format!("{{{}}}", text.trim().replace('}', ")")));
        }
        let rest = &self.text[self.at..];
        let length = 1 + rest.iter().position(|&byte| byte == b'}').ok_or("unterminated comment")?;
        self.at += length;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    /// Reads `[Name "value"]`.
    fn read_tag(&mut self) -> Result<(String, String), &'static str> {
        self.at += 1;
        self.skip_blanks();
        let begin = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.at += 1;
        }
        let name = String::from_utf8_lossy(&self.text[begin..self.at]).into_owned();
        self.skip_blanks();
        if name.is_empty() || self.peek() != Some(b'"') {
            return Err("a tag must have the form [Name \"value\"]");
        }
        self.at += 1;
        let mut value = Vec::new();
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err("unterminated tag value"),
                Some(b'"') => break,
                Some(b'\\') if matches!(self.text.get(self.at + 1), Some(b'"' | b'\\')) => {
                    value.push(self.text[self.at + 1]);
                    self.at += 2;
                }
                Some(byte) => {
                    value.push(byte);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        self.skip_blanks();
        if self.peek() != Some(b']') {
            return Err("a tag must end with ]");
        }
        self.at += 1;
        Ok((name, String::from_utf8_lossy(&value).into_owned()))
    }
}

impl ParsedGame {
    /// Appends to the remarks of the last move so far.
    fn remark(&mut self, text: &str) {
        let remarks = self.moves.last_mut().map_or(&mut self.remarks, |mv| &mut mv.remarks);
        if !remarks.is_empty() && text != ")" && !remarks.ends_with('(') {
            remarks.push(' ');
        }
        remarks.push_str(text);
    }
}

/// A word without a leading move number: `1.e4`, `1...`, `12.`, `3`.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    // `0-0` begins with a digit and is a move.
    if rest.is_empty() || rest.starts_with('.') || rest.len() == word.len() {
        rest.trim_start_matches('.')
    } else {
        word
    }
}

/// Escapes the quotation marks and backslashes of a tag value, and replaces control characters by spaces.
fn escaped(value: &str) -> String {
    let value = value.chars().map(|c| if c.is_control() { ' ' } else { c });
    value.flat_map(|c| matches!(c, '"' | '\\').then_some('\\').into_iter().chain([c])).collect()
}

/// The maximum length of a line in characters. Only a single longer word exceeds it.
const LINE: usize = 80;

/// Writes one game: first the tags, then the moves.
#[derive(Default)]
pub struct Writer {
    text: String,
    column: usize,
    /// Whether the next move needs its number even if it is Black's.
    interrupted: bool,
}

impl Writer {
    /// Writes a tag.
    pub fn tag(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.text, "[{name} \"{}\"]", escaped(value));
    }

    /// Ends the tags and begins the moves.
    pub fn begin_moves(&mut self) {
        self.text.push('\n');
        self.interrupted = true;
    }

    /// Writes a move, with its number if needed.
    pub fn mv(&mut self, board: &Board, mv: Move) {
        if self.interrupted || board.side_to_move() == Colour::White {
            self.word(&number(board));
        }
        self.interrupted = false;
        self.word(&board.to_san(mv));
    }

    /// Writes a comment, on one line if it is short: not every reader accepts a line break in `[%eval 0.35]`.
    pub fn comment(&mut self, text: &str) {
        let comment = format!("{{{}}}", text.replace('}', ")"));
        if comment.chars().count() <= LINE / 2 {
            self.word(&comment);
            self.interrupted = true;
        } else {
            self.remarks(&comment);
        }
    }

    /// Writes a numeric annotation glyph, such as `$2` for a mistake.
    pub fn glyph(&mut self, glyph: u8) {
        self.word(&format!("${glyph}"));
    }

    /// Writes a variation in brackets, starting with a comment unless that is empty.
    pub fn variation(&mut self, board: &Board, comment: &str, moves: &[Move]) {
        let mut board = board.clone();
        let mut words: Vec<String> = Vec::new();
        for (i, &mv) in moves.iter().enumerate() {
            words.extend((i == 0 || board.side_to_move() == Colour::White).then(|| number(&board)));
            words.push(board.to_san(mv));
            board.make_move(mv);
        }
        let comment = if comment.is_empty() { String::new() } else { format!("{{{comment}}} ") };
        // Keep the comment and the first word on one line.
        let (first, rest) = words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        self.word(&format!("({comment}{first}{}", if rest.is_empty() { ")" } else { "" }));
        for (i, word) in rest.iter().enumerate() {
            self.word(&format!("{word}{}", if i + 1 == rest.len() { ")" } else { "" }));
        }
        self.interrupted = true;
    }

    /// Writes comments, variations and glyphs unchanged, apart from line breaks.
    pub fn remarks(&mut self, text: &str) {
        // Split only at the white space that the reader recognises: elsewhere the rest of a word would become a move.
        for word in text.split_ascii_whitespace() {
            self.word(word);
            self.interrupted = true;
        }
    }

    /// Writes the moves of a parsed game with its remarks and result, and returns the text. `moves` are the moves of
    /// its main line. `add` may write more after each move; it gets the index of the move and the positions before and
    /// after it.
    pub fn annotate(
        mut self,
        game: &ParsedGame,
        start: &Board,
        moves: &[Move],
        mut add: impl FnMut(&mut Self, usize, [&Board; 2]),
    ) -> String {
        self.begin_moves();
        self.remarks(&game.remarks);
        let mut board = start.clone();
        for (ply, (&mv, parsed)) in moves.iter().zip(&game.moves).enumerate() {
            let next = board.after(mv);
            self.mv(&board, mv);
            if let Some(glyph) = parsed.suffix() {
                self.glyph(glyph);
            }
            add(&mut self, ply, [&board, &next]);
            self.remarks(&parsed.remarks);
            board = next;
        }
        self.finish(game.result())
    }

    /// Writes the result and returns the text, which ends with an empty line.
    pub fn finish(mut self, result: &str) -> String {
        self.word(result);
        self.text.push_str("\n\n");
        self.text
    }

    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        // Readers skip lines that begin with a percent sign.
        if self.column > 0 && self.column + 1 + length > LINE && !word.starts_with('%') {
            self.text.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<ParsedGame> {
        let mut reader = Reader::new(text.as_bytes());
        std::iter::from_fn(|| reader.next_game()).map(|game| game.expect("a good game")).collect()
    }

    #[test]
    fn games_with_everything_in_them() {
        let text = "\u{feff}% escaped\n[Event \"A \\\"B\\\" \\\\\"]\n[ Round \"1\" ]\n\n1.e4 $1 Hed5!? 2. (2.a4 (2.b4) Hh5) Nf3 \
                    {x (] } Hxe4 ; rest )\n3... O-O 0-0-0 e8=(Q) 4... Hc1=K# ! 1-0\n\n\n[Event \"2\"]\n\n*\n1. d4\n[Event \"3\"]\n0-1";
        let games = games(text);
        assert_eq!(games.len(), 4);
        assert_eq!(games[0].tag("Event"), Some("A \"B\" \\"));
        assert_eq!(games[0].tag("Round"), Some("1"));
        let moves: Vec<_> = games[0].moves.iter().map(|mv| mv.san.as_str()).collect();
        assert_eq!(moves, ["e4", "Hed5!?", "Nf3", "Hxe4", "O-O", "0-0-0", "e8=(Q)", "Hc1=K#"]);
        assert_eq!(games[0].result.as_deref(), Some("1-0"));
        assert_eq!(games[0].line, 2);
        assert!(text[..games[0].end].ends_with("! 1-0"));
        assert_eq!((games[1].moves.len(), games[1].result.as_deref()), (0, Some("*")));
        assert_eq!((games[2].moves.len(), games[2].result.as_deref()), (1, None));
        assert_eq!((games[3].tag("Event"), games[3].result.as_deref()), (Some("3"), Some("0-1")));
    }

    #[test]
    fn comments_after_the_result() {
        let text =
            "1. e4 1-0 {White wins on time} ; really\n[Event \"2\"]\n\n1. d4 * {first} 1. c4 0-1 {over}\n{all}\n";
        let games = games(text);
        assert_eq!(games.len(), 3);
        assert_eq!(games[0].moves[0].remarks, "{White wins on time} {really}");
        assert_eq!((games[1].moves[0].remarks.as_str(), games[2].remarks.as_str()), ("", "{first}"));
        assert_eq!(games[2].moves[0].remarks, "{over} {all}");
        assert_eq!(games.iter().map(|game| game.line).collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[test]
    fn comments_alone_are_not_a_game() {
        assert_eq!(games("; nothing\n{here}\n"), []);
        assert_eq!(games("{file of}\n[Event \"1\"]\n\n*\n").len(), 1);
    }

    #[test]
    fn the_result_may_be_in_the_tag_only() {
        let games = games("[Result \"1-0\"]\n\n1. e4\n[Result \"?\"]\n\n1. e4\n[Result \"1-0\"]\n\n1. e4 0-1");
        assert_eq!(games.iter().map(ParsedGame::result).collect::<Vec<_>>(), ["1-0", "*", "0-1"]);
    }

    #[test]
    fn en_passant_suffix_after_a_space() {
        let game = &games("1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6 *")[0];
        assert_eq!(game.line(&Board::start(Variant::Chess), 9).map(|line| line.len()), Ok(6));
    }

    #[test]
    fn errors_name_their_line() {
        for (text, line) in [
            ("[Event", 1),
            ("[Event \"x]\n\n1. e4 *", 1),
            ("[Event \"x\"\n\n1. e4 *", 3),
            ("\n\n1. e4 { *", 3),
            ("1. e4\n ( *", 2),
            ("1. e4\n ) *", 2),
            ("1. e4 ] *", 1),
            ("[ \"x\"]", 1),
        ] {
            let mut reader = Reader::new(text.as_bytes());
            assert_eq!(reader.next_game().and_then(Result::err).map(|error| error.line), Some(line), "{text:?}");
            assert!(reader.next_game().is_none());
        }
    }

    #[test]
    fn truncated_games_do_not_panic() {
        let text = "[Event \"é\"]\n[FEN \"8/8 w\"]\n\n1. e4 {+0.35/12 0.1s} 1... Hed5 {book}\n2. e8=(Q) (2. a4) $3 1/2-1/2\n\n";
        for end in 0..text.len() {
            let mut reader = Reader::new(&text.as_bytes()[..end]);
            while reader.next_game().is_some() {}
        }
    }

    #[test]
    fn values_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c d");
    }

    #[test]
    fn remarks_are_kept() {
        let text = "{before} 1. e4 $1 {a ( b} (1. d4 {x} Hed5 (1... Ha6)) Hed5 ; rest }\n2. Nf3 *";
        let game = &games(text)[0];
        assert_eq!(game.remarks, "{before}");
        assert_eq!(game.moves[0].remarks, "$1 {a ( b} (1. d4 {x} Hed5 (1... Ha6))");
        assert_eq!(game.moves[1].remarks, "{rest )}");
        assert_eq!(game.moves[2].remarks, "");
    }

    #[test]
    fn written_games_are_read_back() {
        let start = Board::start(Variant::Spartan);
        let text = "1. e4 Hbd5 2. Nf3 *";
        let line = games(text)[0].line(&start, 9).unwrap_or_else(|error| panic!("{error}"));
        let mut writer = Writer::default();
        writer.tag("Event", "a \"b\"");
        writer.tag("Variant", "Spartan");
        writer.begin_moves();
        let mut board = start.clone();
        for &mv in &line {
            writer.mv(&board, mv);
            if board.side_to_move() == Colour::White {
                writer.glyph(6);
                writer.comment("a } brace, and more words than fit on a line of eighty characters, so it is split");
            }
            writer.variation(&board, "+0.20", &[mv]);
            board.make_move(mv);
        }
        let text = writer.finish("1/2-1/2");
        assert!(text.lines().all(|line| line.len() <= LINE) && text.ends_with(" 1/2-1/2\n\n"), "{text}");
        assert!(text.contains("2. Nf3 $6"), "{text}");
        let game = &games(&text)[0];
        assert_eq!(game.line(&start, usize::MAX).as_ref(), Ok(&line));
        assert_eq!(game.line(&start, 2).as_deref(), Ok(&line[..2]));
        assert_eq!((game.tag("Event"), game.variant()), (Some("a \"b\""), Ok(Some(Variant::Spartan))));
    }

    /// Found by fuzzing: white space that does not separate words, tabs in a FEN, and escaped lines.
    #[test]
    fn remarks_and_tags_never_become_moves() {
        let fill = "x ".repeat(31);
        let text = format!("[FEN \"k7/8/8/8/8/8/4P3/4K3\tw - - 0 1\"]\n\n!\u{b}e4 $1\u{a0}e5 1. e4 ({fill} %y) Kb8 *");
        let game = &games(&text)[0];
        let start = game.start(Variant::Spartan).expect("a position");
        let moves = game.line(&start, usize::MAX).unwrap_or_else(|error| panic!("{error}"));
        let mut writer = Writer::default();
        game.tags.iter().for_each(|(name, value)| writer.tag(name, value));
        let text = writer.annotate(game, &start, &moves, |_, _, _| ());
        let again = &games(&text)[0];
        assert_eq!(again.start(Variant::Spartan).as_ref(), Ok(&start), "{text}");
        assert_eq!(again.line(&start, usize::MAX).as_ref(), Ok(&moves), "{text}");
        assert_eq!(again.remarks, game.remarks);
        assert_eq!(again.moves[0].remarks, game.moves[0].remarks);
    }

    /// Found by fuzzing: an invalid byte, in brackets like those of a promotion, becomes longer when it is
    /// replaced.
    #[test]
    fn invalid_utf8_is_read_as_its_replacement() {
        let bytes = b"1. e4 $1(\xc8)P Hed5 {\xff} (2. \xc8(\xc8) e8=(Q)) 2. e8=(Q) *";
        let read = |text: &[u8]| Reader::new(text).next_game().expect("a game").map(|game| (game.moves, game.result));
        assert_eq!(read(bytes), read(String::from_utf8_lossy(bytes).as_bytes()));
        let (moves, _) = read(bytes).expect("a good game");
        assert_eq!(moves.iter().map(|mv| mv.san.as_str()).collect::<Vec<_>>(), ["e4", "P", "Hed5", "e8=(Q)"]);
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

    #[test]
    fn suffixes_become_glyphs() {
        let game = &games("1. e4! e5?! 2. Nf3+!! $4 {x} Nc6 {$2} 3. Bb5 $2 $16 *")[0];
        let suffixes: Vec<_> = game.moves.iter().map(ParsedMove::suffix).collect();
        assert_eq!(suffixes, [Some(1), Some(6), Some(3), None, None]);
        let has = |i: usize, glyph| game.moves[i].has_glyph(glyph);
        assert!(has(1, 6) && has(2, 3) && has(2, 4) && !has(3, 2) && has(4, 2) && has(4, 16) && !has(4, 1));
        let (start, moves) = games("1. e4!? e5 *")[0].replay(None).expect("a game");
        let text = Writer::default().annotate(&games("1. e4!? e5 *")[0], &start, &moves, |_, _, _| ());
        assert!(text.contains("1. e4 $5 e5"), "{text}");
    }

    #[test]
    fn games_that_are_too_long_are_refused() {
        for (begin, part) in [("", "e4 "), ("", "[Event \"x\"]\n"), ("", "{x} "), ("", "( "), ("*", "{x} ")] {
            let text = format!("{begin}{}", part.repeat(MAX_GAME_SIZE / part.len() + 2));
            let error = Reader::new(text.as_bytes()).next_game().and_then(Result::err).expect("too long");
            assert!(error.cause.contains("4 MiB"), "{error}");
        }
    }
}
