//! Portable game notation, in and out.
//!
//! The reader is our own because the moves are: the crate `pgn-reader` hands out moves of orthodox
//! chess only and passes over `Hbd5` and `Gxc4` without a word.

use super::game::{Comment, Record};
use super::schedule::Fixture;
use agoge::board::Variant;
use agoge::types::score::Score;
use agoge::types::{Colour, Move};
use std::fmt;
use std::fmt::Write as _;

/// A game as it stands in a file. Moves are not checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParsedGame {
    /// The tags in their order.
    pub tags: Vec<(String, String)>,
    /// The moves of the main line as they are written.
    pub moves: Vec<String>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`, as the moves end. None if the game breaks off.
    pub result: Option<String>,
    /// The number of its first line, from 1.
    pub line: usize,
    /// Where in the file it ends.
    pub end: usize,
}

impl ParsedGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// Why a text is no PGN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnError {
    /// The line in which the trouble begins, from 1.
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
    mark: usize,
}

impl<'a> Reader<'a> {
    /// A reader of a file's bytes.
    pub const fn new(text: &'a [u8]) -> Self {
        let mark = if let [0xef, 0xbb, 0xbf, ..] = text { 3 } else { 0 };
        Self { text, at: mark, mark }
    }

    /// The next game. After an error there is nothing more.
    pub fn next_game(&mut self) -> Option<Result<ParsedGame, PgnError>> {
        self.skip_blanks();
        if self.at >= self.text.len() {
            return None;
        }
        let begin = self.at;
        let game = self.read_game().map_err(|cause| PgnError { line: self.line_of(self.at), cause });
        match game {
            Ok(mut game) => {
                game.line = self.line_of(begin);
                game.end = self.at;
                Some(Ok(game))
            }
            Err(error) => {
                self.at = self.text.len();
                Some(Err(error))
            }
        }
    }

    fn line_of(&self, at: usize) -> usize {
        1 + self.text[..at.min(self.text.len())].iter().filter(|&&byte| byte == b'\n').count()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips blanks and lines that begin with `%`, which are not for us.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            let line_start = matches!(self.text[..self.at].last(), None | Some(b'\n')) || self.at == self.mark;
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
        while self.peek() == Some(b'[') {
            game.tags.push(self.read_tag()?);
            self.skip_blanks();
        }
        let mut depth = 0u32;
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else { break };
            match byte {
                b'{' => self.skip_comment()?,
                b';' => self.skip_line(),
                b'(' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' => {
                    depth = depth.checked_sub(1).ok_or("a variation ends that did not begin")?;
                    self.at += 1;
                }
                // The tags of the next game: this one has no result.
                b'[' if depth == 0 => break,
                b'[' | b']' | b'}' => return Err("a bracket where there should be a move"),
                _ => {
                    let word = self.read_word();
                    if depth == 0 && matches!(word.as_str(), "1-0" | "0-1" | "1/2-1/2" | "*") {
                        game.result = Some(word);
                        break;
                    }
                    let name = without_number(&word);
                    if depth == 0 && !name.is_empty() && !name.starts_with(['$', '!', '?']) {
                        game.moves.push(name.to_owned());
                    }
                }
            }
        }
        if depth > 0 { Err("a variation does not end") } else { Ok(game) }
    }

    /// Reads up to what cannot be a part of a move.
    fn read_word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let bracket = |at: usize| match rest[at] {
            // `e8=(Q)`: the bracket belongs to the move.
            b'(' => rest.get(at + 2) != Some(&b')') || at == 0 || rest[at - 1].is_ascii_whitespace(),
            b')' => at < 2 || rest[at - 2] != b'(',
            byte => byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b';' | b'[' | b']'),
        };
        let length = (1..rest.len()).find(|&at| bracket(at)).unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(&rest[..length]).into_owned()
    }

    fn skip_comment(&mut self) -> Result<(), &'static str> {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| byte == b'}').ok_or("a comment does not end")?;
        self.at += length + 1;
        Ok(())
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
            return Err("a tag is not of the form [Name \"value\"]");
        }
        self.at += 1;
        let mut value = Vec::new();
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err("the value of a tag does not end"),
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
            return Err("a tag does not end with ]");
        }
        self.at += 1;
        Ok((name, String::from_utf8_lossy(&value).into_owned()))
    }
}

/// A word without the number of the move that it begins with: `1.e4`, `1...`, `12.`, `3`.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    // `0-0` begins with a digit and is a move.
    if rest.is_empty() || rest.starts_with('.') || rest.len() == word.len() {
        rest.trim_start_matches('.')
    } else {
        word
    }
}

/// What all games of a match have in common.
#[derive(Clone, Debug)]
pub struct Headings {
    /// The tag `Event`.
    pub event: String,
    /// The game that is played.
    pub variant: Variant,
}

/// The text in a tag: quotation marks and backslashes are escaped, what is no text is left out.
fn escaped(value: &str) -> String {
    let value = value.chars().filter(|c| !c.is_control());
    value.flat_map(|c| matches!(c, '"' | '\\').then_some('\\').into_iter().chain([c])).collect()
}

/// Lines of at most so many characters.
const LINE: usize = 80;

/// Collects words into lines.
struct Movetext {
    text: String,
    column: usize,
}

impl Movetext {
    fn push(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 && self.column + 1 + length > LINE {
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

/// Writes a game, with an empty line at the end.
///
/// Comments of moves: `{+0.35/12 0.104s}` is the score in pawns from the mover's view, the depth and
/// the time; mates are `+M5` and `-M4`, in moves; `{book}` stands behind moves of the opening.
pub fn write(headings: &Headings, fixture: &Fixture, names: [&str; 2], limits: [&str; 2], record: &Record) -> String {
    let mut text = String::with_capacity(4096);
    let mut tag = |name: &str, value: &str| {
        let _ = writeln!(text, "[{name} \"{}\"]", escaped(value));
    };
    let result = record.result();
    tag("Event", &headings.event);
    tag("Site", "?");
    tag("Date", &record.begin.strftime("%Y.%m.%d").to_string());
    tag("Round", &fixture.round_tag());
    tag("White", names[0]);
    tag("Black", names[1]);
    tag("Result", result);
    if headings.variant == Variant::Spartan {
        tag("Variant", "Spartan");
    }
    let start = &record.opening.start;
    if start.to_fen() != headings.variant.start_fen() {
        tag("SetUp", "1");
        tag("FEN", &start.to_fen());
    }
    tag("UTCDate", &record.begin.strftime("%Y.%m.%d").to_string());
    tag("UTCTime", &record.begin.strftime("%H:%M:%S").to_string());
    if limits[0] == limits[1] {
        tag("TimeControl", limits[0]);
    } else {
        tag("WhiteTimeControl", limits[0]);
        tag("BlackTimeControl", limits[1]);
    }
    tag("PlyCount", &(record.opening.moves.len() + record.moves.len()).to_string());
    tag("Termination", record.end.termination());
    tag("TerminationDetails", &record.end.to_string());
    text.push('\n');

    let mut board = start.clone();
    let mut movetext = Movetext { text, column: 0 };
    let book = record.opening.moves.iter().map(|&mv| (mv, None));
    let played = record.moves.iter().map(|(mv, comment)| (*mv, Some(comment)));
    for (mv, comment) in book.chain(played) {
        push_move(&mut movetext, &board, mv, comment);
        board.make_move(mv);
    }
    movetext.push(result);
    movetext.text.push_str("\n\n");
    movetext.text
}

fn push_move(movetext: &mut Movetext, board: &agoge::board::Board, mv: Move, comment: Option<&Comment>) {
    let number = board.fullmove_number();
    // Each move of Black stands behind a comment, and so needs its number, too.
    movetext.push(&if board.side_to_move() == Colour::White { format!("{number}.") } else { format!("{number}...") });
    movetext.push(&board.to_san(mv));
    let comment = comment.map_or_else(|| "book".to_owned(), ToString::to_string);
    movetext.push(&format!("{{{comment}}}"));
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(score) = self.score {
            match score {
                Score::Cp(value) => write!(f, "{:+.2}", f64::from(value) / 100.0)?,
                Score::Mate(moves) => write!(f, "{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs())?,
            }
            write!(f, "/{} ", self.depth)?;
        }
        write!(f, "{:.3}s", self.time.as_secs_f64())
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
        assert_eq!(games[0].moves, ["e4", "Hed5!?", "Nf3", "Hxe4", "O-O", "0-0-0", "e8=(Q)", "Hc1=K#"]);
        assert_eq!(games[0].result.as_deref(), Some("1-0"));
        assert_eq!(games[0].line, 2);
        assert!(text[..games[0].end].ends_with("! 1-0"));
        assert_eq!((games[1].moves.len(), games[1].result.as_deref()), (0, Some("*")));
        assert_eq!((games[2].moves.len(), games[2].result.as_deref()), (1, None));
        assert_eq!((games[3].tag("Event"), games[3].result.as_deref()), (Some("3"), Some("0-1")));
    }

    #[test]
    fn nonsense_is_told_with_its_line() {
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
    fn any_part_of_a_game_can_be_read() {
        let text = "[Event \"é\"]\n[FEN \"8/8 w\"]\n\n1. e4 {+0.35/12 0.1s} 1... Hed5 {book}\n2. e8=(Q) (2. a4) $3 1/2-1/2\n\n";
        for end in 0..text.len() {
            let mut reader = Reader::new(&text.as_bytes()[..end]);
            while reader.next_game().is_some() {}
        }
    }

    #[test]
    fn values_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\cd");
    }

    #[test]
    fn comments() {
        use std::time::Duration;
        let shown = |score, depth| Comment { score, depth, time: Duration::from_millis(104) }.to_string();
        assert_eq!(shown(Some(Score::Cp(35)), 12), "+0.35/12 0.104s");
        assert_eq!(shown(Some(Score::Cp(-1205)), 7), "-12.05/7 0.104s");
        assert_eq!(shown(Some(Score::Mate(5)), 20), "+M5/20 0.104s");
        assert_eq!(shown(Some(Score::Mate(-4)), 20), "-M4/20 0.104s");
        assert_eq!(shown(None, 0), "0.104s");
    }
}
