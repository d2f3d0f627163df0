//! The writer.

use super::{ParsedGame, number, numbered};
use crate::board::Board;
use crate::types::{Colour, Move};
use std::fmt::Write as _;

/// Escapes the quotation marks and backslashes of a tag value, and replaces control characters by spaces.
fn escaped(value: &str) -> String {
    let value = value.chars().map(|c| if c.is_control() { ' ' } else { c });
    value.flat_map(|c| matches!(c, '"' | '\\').then_some('\\').into_iter().chain([c])).collect()
}

/// The maximum length of a line in characters. Only a single longer word exceeds it.
const LINE: usize = 80;

/// The words of a text, separated by the white space that the reader recognises. A command such as `[%eval 0.35]` is
/// one, because not every reader accepts a line break in it.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_command = false;
    for part in text.split_ascii_whitespace() {
        match words.last_mut() {
            Some(word) if is_command => {
                word.push(' ');
                word.push_str(part);
            }
            _ => words.push(part.to_owned()),
        }
        // A command without its bracket ends with the comment.
        let ends = |text: &str| text.contains([']', '}']);
        is_command = match part.rfind("[%") {
            Some(begin) => !ends(&part[begin..]),
            None => is_command && !ends(part),
        };
    }
    if is_command {
        let last = words.pop().unwrap_or_default();
        words.extend(last.split(' ').map(str::to_owned));
    }
    words
}

/// Writes one game: first the tags, then the moves.
#[derive(Default)]
pub struct Writer {
    text: String,
    column: usize,
    /// Whether the next move needs its number even if it is Black's.
    interrupted: bool,
}

impl Writer {
    /// Writes a tag. Control characters in the value become blanks.
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
        if text.chars().count() + 2 <= LINE / 2 {
            self.unbroken_comment(text);
        } else {
            self.remarks(&format!("{{{}}}", text.replace('}', ")")));
        }
    }

    /// Writes a comment on one line even if it is long.
    pub fn unbroken_comment(&mut self, text: &str) {
        self.word(&format!("{{{}}}", text.replace('}', ")")));
        self.interrupted = true;
    }

    /// Writes a comment of words that stay whole, such as `[%eval 0.35]`; nothing if there is none. Their braces must
    /// be replaced already.
    pub fn comment_of(&mut self, mut words: Vec<String>) {
        words.first_mut().into_iter().for_each(|first| first.insert(0, '{'));
        words.last_mut().into_iter().for_each(|last| last.push('}'));
        self.interrupted |= !words.is_empty();
        words.iter().for_each(|word| self.word(word));
    }

    /// Writes a numeric annotation glyph, such as `$2` for a mistake.
    pub fn glyph(&mut self, glyph: u8) {
        self.word(&format!("${glyph}"));
    }

    /// Writes a variation in brackets, starting with a comment unless that is empty.
    pub fn variation(&mut self, board: &Board, comment: &str, moves: &[Move]) {
        let mut words = numbered(board, moves);
        // The comment and the first word stay on one line.
        let comment = if comment.is_empty() { String::new() } else { format!("{{{comment}}} ") };
        words.first_mut().into_iter().for_each(|first| first.insert_str(0, &format!("({comment}")));
        words.last_mut().into_iter().for_each(|last| last.push(')'));
        words.iter().for_each(|word| self.word(word));
        self.interrupted = true;
    }

    /// Writes comments, variations and glyphs unchanged, apart from line breaks.
    pub fn remarks(&mut self, text: &str) {
        // Split elsewhere, the rest of a word would become a move.
        for word in words(text) {
            self.word(&word);
            self.interrupted = true;
        }
    }

    /// Writes the moves of a parsed game with its remarks and result, and returns the text. `moves` are the moves of
    /// its main line. `add` may write more after each move and its glyphs; it gets the index of the move and the
    /// positions before and after it.
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
            // Glyphs stay behind their move.
            let mut rest = parsed.remarks.trim_ascii_start();
            while rest.starts_with('$') {
                let (glyph, after) = rest.split_at(rest.find([' ', '{', '(']).unwrap_or(rest.len()));
                self.word(glyph);
                rest = after.trim_ascii_start();
            }
            add(&mut self, ply, [&board, &next]);
            self.remarks(rest);
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
    use super::super::ParsedMove;
    use super::super::tests::games;
    use super::*;
    use crate::board::Variant;

    #[test]
    fn values_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c d");
    }

    #[test]
    fn commands_are_not_split() {
        let command = "[%eval 0.35]";
        for length in 1..100 {
            let filler = "x ".repeat(length);
            let mut writer = Writer::default();
            writer.begin_moves();
            writer.comment(&format!("{filler}[%clk\n0:10:00]{command} depth 12 {filler}"));
            writer.remarks(&format!("{{{filler}{command}}} $1 ({{ {command} }} 1. e4 {{[%cal {filler}) [x y"));
            let text = writer.finish("*");
            assert_eq!(text.matches(command).count(), 3, "{text}");
            assert!(text.contains(&format!("[%clk 0:10:00]{command}")), "{text}");
            assert!(text.lines().all(|line| line.len() <= LINE), "{text}");
        }
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

    /// Found by fuzzing: signs that are not glyphs, tabs in a FEN, and escaped lines.
    #[test]
    fn remarks_and_tags_never_become_moves() {
        let fill = "x ".repeat(31);
        let text = format!("[FEN \"k7/8/8/8/8/8/4P3/4K3\tw - - 0 1\"]\n\n!x $1 1. e4 ({fill} %y) Kb8 *");
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
}
