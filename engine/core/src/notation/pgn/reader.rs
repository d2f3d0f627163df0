//! The reader.

use super::{ParsedGame, ParsedMove, RESULTS};
use std::fmt;

/// The maximum length of a game in bytes, which bounds the memory needed.
const MAX_GAME_SIZE: usize = 4 << 20;

const TOO_LONG: &str = "the game is longer than 4 MiB";

/// Why a text is not PGN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnError {
    /// The line of the error, from 1.
    pub line: usize,
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

#[cfg(test)]
mod tests {
    use super::super::tests::games;
    use super::*;
    use crate::board::{Board, Variant};

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
    fn remarks_are_kept() {
        let text = "{before} 1. e4 $1 {a ( b} (1. d4 {x} Hed5 (1... Ha6)) Hed5 ; rest }\n2. Nf3 *";
        let game = &games(text)[0];
        assert_eq!(game.remarks, "{before}");
        assert_eq!(game.moves[0].remarks, "$1 {a ( b} (1. d4 {x} Hed5 (1... Ha6))");
        assert_eq!(game.moves[1].remarks, "{rest )}");
        assert_eq!(game.moves[2].remarks, "");
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
    fn games_that_are_too_long_are_refused() {
        for (begin, part) in [("", "e4 "), ("", "[Event \"x\"]\n"), ("", "{x} "), ("", "( "), ("*", "{x} ")] {
            let text = format!("{begin}{}", part.repeat(MAX_GAME_SIZE / part.len() + 2));
            let error = Reader::new(text.as_bytes()).next_game().and_then(Result::err).expect("too long");
            assert!(error.cause.contains("4 MiB"), "{error}");
        }
    }
}
