//! The reader. Damaged input never stops it: a game is read as far as possible, and the next one begins at the latest
//! with a tag after a blank line.

use super::{ParsedGame, ParsedMove, SUFFIXES, Warning, normal_result};

/// The maximum length of a game in bytes, which bounds the memory needed. The rest of a longer one is left out.
pub const MAX_GAME_SIZE: usize = 4 << 20;

/// The maximum number of warnings about a game.
const MAX_WARNINGS: usize = 20;

const TOO_LONG: &str = "the game is longer than 4 MiB";
const NOT_CLOSED: &str = "a comment without }";
pub const NO_RESULT: &str = "the game ends without a result";

/// Signs of an evaluation or a comment, and their numeric annotation glyphs; longer ones come first.
const SIGNS: [(&str, u8); 21] = [
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+-", 18),
    ("-+", 19),
    ("+=", 14),
    ("=+", 15),
    ("±", 16),
    ("∓", 17),
    ("⩲", 14),
    ("⩱", 15),
    ("∞", 13),
    ("□", 7),
    ("→", 40),
    ("↑", 36),
    ("⇆", 132),
    ("N", 146),
    ("=", 10),
    ("D", 220),
    ("⟳", 32),
];

/// What some programs write after a space, although it belongs to the move before.
const PARTS_OF_MOVES: [&str; 7] = ["e.p.", "e.p", "ep", "+", "#", "++", "ch"];

/// The beginnings of results, as a cut leaves them.
const CUT_RESULTS: [&str; 6] = ["1-", "0-", "1/", "1/2-", "1/2-1", "1/2-1/"];

/// Reads games one by one.
pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Where the game ends at the latest.
    limit: usize,
    /// The end of a line and of the paragraph that it begins, known so that a long one is searched only once.
    end_of_line: usize,
    end_of_paragraph: usize,
    /// Whether there are only blanks before `at` in its line.
    fresh: bool,
    /// An offset and the number of line ends before it, to count each only once.
    lines: (usize, usize),
}

impl<'a> Reader<'a> {
    /// Reads the games of a text. What is not UTF-8 is read as the replacement character.
    pub const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, limit: 0, end_of_line: 0, end_of_paragraph: 0, fresh: true, lines: (0, 0) }
    }

    /// Counts the lines from another number than 1: that of the first line of a part of a file.
    pub const fn from_line(mut self, line: usize) -> Self {
        self.lines.1 = line.saturating_sub(1);
        self
    }

    /// The next game.
    pub fn next_game(&mut self) -> Option<ParsedGame> {
        loop {
            if self.at >= self.limit {
                self.fresh = true;
                self.limit = self.text.len();
                self.skip_blanks();
                self.limit = next_tags(self.text, self.at);
            }
            self.skip_blanks();
            if self.at >= self.text.len() {
                return None;
            }
            if self.at >= self.limit {
                continue;
            }
            let line = self.line_of(self.at);
            let mut game = ParsedGame { line, ..ParsedGame::default() };
            self.read_game(&mut game);
            game.end = self.at;
            // Comments alone are not a game.
            if !game.tags.is_empty() || !game.moves.is_empty() || game.result.is_some() {
                return Some(game);
            }
        }
    }

    /// The line of an offset, from 1. Offsets must not decrease from call to call.
    fn line_of(&mut self, at: usize) -> usize {
        let (known, ends) = self.lines;
        let at = at.max(known);
        let more = line_ends(&self.text[known..at]);
        self.lines = (at, ends + more);
        1 + ends + more
    }

    fn warn(&mut self, game: &mut ParsedGame, at: usize, cause: &str, cut: bool) {
        if game.warnings.len() < MAX_WARNINGS {
            let line = self.line_of(at);
            game.warnings.push(Warning { line, cause: cause.to_owned(), cut });
        }
    }

    /// What is left of the game.
    fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.limit)..self.limit]
    }

    /// Skips blanks and lines that begin with `%`, the escape of PGN.
    fn skip_blanks(&mut self) {
        while let Some((letter, length)) = first_char(self.rest()) {
            if matches!(letter, '\n' | '\r') {
                self.fresh = true;
            }
            if letter == '%' && begins_line(self.text, self.at) {
                self.at += line_end(self.rest());
            } else if is_blank(letter) || is_ignored(letter) {
                self.at += length;
            } else {
                break;
            }
        }
    }

    fn read_game(&mut self, game: &mut ParsedGame) {
        let begin = self.at;
        loop {
            self.skip_blanks();
            // Some programs write a blank line between two tags.
            if self.at >= self.limit && self.continues_tags(game) {
                self.limit = next_tags(self.text, self.at);
                self.skip_blanks();
            }
            let rest = self.rest();
            if !(rest.starts_with(b"[") || self.fresh && is_bare_tag(rest)) {
                break;
            }
            if self.at - begin > MAX_GAME_SIZE {
                break;
            }
            self.fresh = false;
            self.read_tag(game);
        }
        let mut depth = 0u32;
        // The line of the first parenthesis that is open.
        let mut opened = 0;
        loop {
            self.skip_blanks();
            let rest = self.rest();
            let Some(&byte) = rest.first() else { break };
            let fresh = std::mem::replace(&mut self.fresh, false);
            // The tags of the next game; this one has no result.
            let next = byte == b'[' && (has_tag_form(rest) || fresh && depth == 0 && begins_tag(rest));
            if next || fresh && is_bare_tag(rest) {
                self.fresh = true;
                break;
            }
            if self.at - begin > MAX_GAME_SIZE {
                self.warn(game, self.at, TOO_LONG, true);
                self.at = self.limit;
                break;
            }
            match byte {
                b'{' | b';' => {
                    let at = self.at;
                    let (comment, damage) = self.read_comment();
                    game.remark(&comment);
                    if let Some(cause) = damage {
                        self.warn(game, at, cause, cause == NOT_CLOSED);
                    }
                }
                b'(' => {
                    if depth == 0 {
                        opened = self.line_of(self.at);
                    }
                    depth += 1;
                    self.at += 1;
                    game.remark("(");
                }
                b')' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                    game.remark(")");
                }
                b'[' => {
                    self.warn(game, self.at, "a [ among the moves", false);
                    self.read_brackets(game);
                }
                b')' | b']' | b'}' => {
                    self.warn(game, self.at, &format!("a surplus {}", char::from(byte)), false);
                    self.at += 1;
                }
                _ if depth > 0 => {
                    let word = self.read_word(depth);
                    if !word.is_empty() {
                        game.remark(&word);
                    }
                }
                _ => {
                    let at = self.at;
                    let word = self.read_word(depth);
                    if let Some(result) = normal_result(&word) {
                        // In `*1. e4` it cannot be that of the game.
                        let is_glued = first_char(self.rest()).is_some_and(|(letter, _)| letter.is_alphanumeric());
                        if is_glued && game.moves.is_empty() {
                            self.warn(game, at, "a result before the moves", false);
                            continue;
                        }
                        game.result = Some(result.to_owned());
                        self.read_last_comments(game);
                        break;
                    }
                    let line = self.line_of(at);
                    game.read_word(&word, line);
                }
            }
        }
        if depth > 0 {
            game.close_variations(depth);
            let cut = game.result.is_none();
            game.warnings.push(Warning { line: opened, cause: "a variation without )".to_owned(), cut });
        }
        self.check_end(game);
    }

    /// Whether the tags after a blank line belong to the game: they do not repeat any, and none is damaged.
    fn continues_tags(&self, game: &ParsedGame) -> bool {
        let rest = &self.text[self.at..];
        let tag = parse_tag(&rest[..line_end(rest)], false);
        let name = tag.map(|tag| tag.name).filter(|name| name != "Event");
        game.warnings.is_empty()
            && !game.tags.is_empty()
            && name.is_some_and(|name| game.tags.iter().all(|(other, _)| *other != name))
    }

    /// Warns of a game that is cut off.
    fn check_end(&mut self, game: &mut ParsedGame) {
        if game.result.is_some() {
            return;
        }
        let last = game.moves.last().map_or_else(String::new, |mv| mv.san.clone());
        let is_loss_of_both = last == "0-0" && game.tag("Result").is_some_and(|tag| tag.trim() == "0-0");
        if is_loss_of_both || CUT_RESULTS.contains(&last.as_str()) {
            let remarks = game.moves.pop().map_or_else(String::new, |mv| mv.remarks);
            if !remarks.is_empty() {
                game.remark(&remarks);
            }
        }
        if is_loss_of_both {
            game.result = Some("*".to_owned());
        } else if !game.tags.is_empty() && last != "0-0" {
            let line = game.moves.last().map_or(game.line, |mv| mv.line);
            match game.warnings.last_mut() {
                Some(last) => last.cut = true,
                None => game.warnings.push(Warning { line, cause: NO_RESULT.to_owned(), cut: true }),
            }
        }
    }

    /// Reads a word: everything up to a character that cannot be part of a move.
    fn read_word(&mut self, depth: u32) -> String {
        let rest = self.rest();
        // In `1)e4` the bracket belongs to the number, in `(1. e4 2)` it does not.
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0
            && rest.get(digits) == Some(&b')')
            && (depth == 0 || rest.get(digits + 1).is_some_and(u8::is_ascii_alphabetic))
        {
            self.at += digits + 1;
            return String::new();
        }
        // In `e8=(Q)` the brackets belong to the move.
        let promotion = |at: usize| matches!(rest[at..], [b'(', piece, b')', ..] if piece.is_ascii_alphabetic());
        let mut length = 0;
        while let Some((letter, size)) = first_char(&rest[length..]) {
            let is_end = match letter {
                '(' => length > 0 && !promotion(length),
                ')' => length > 0 && (length < 2 || !promotion(length - 2)),
                '*' | '$' => length > 0,
                _ => is_blank(letter) || matches!(letter, '{' | '}' | ';' | '[' | ']'),
            };
            // A result without a blank after it.
            let is_after = match rest[0] {
                b'*' => length > 0,
                b'$' => length > 0 && !letter.is_ascii_digit(),
                _ => false,
            };
            if is_end || is_after {
                break;
            }
            length += size;
        }
        length = unglued(&rest[..length]);
        self.at += length;
        let text = String::from_utf8_lossy(&rest[..length]);
        text.chars().filter(|&letter| !is_ignored(letter)).collect()
    }

    /// Reads comments after the result. If no tags follow, they belong to the next game.
    fn read_last_comments(&mut self, game: &mut ParsedGame) {
        let begin = (self.at, self.fresh);
        let mut end = begin.0;
        let mut comments = Vec::new();
        self.skip_blanks();
        while let Some(b'{' | b';') = self.rest().first() {
            let at = self.at;
            self.fresh = false;
            comments.push((at, self.read_comment()));
            end = self.at;
            if end - begin.0 > MAX_GAME_SIZE {
                break;
            }
            self.skip_blanks();
        }
        let rest = self.rest();
        if rest.is_empty() || rest.starts_with(b"[") || self.fresh && is_bare_tag(rest) {
            for (at, (comment, damage)) in comments {
                game.remark(&comment);
                if let Some(cause) = damage {
                    self.warn(game, at, cause, false);
                }
            }
            self.at = end;
            self.fresh = false;
        } else {
            (self.at, self.fresh) = begin;
        }
    }

    /// Reads a comment, in braces or up to the end of the line. Returns it in braces, and what is damaged.
    fn read_comment(&mut self) -> (String, Option<&'static str>) {
        let rest = &self.rest()[1..];
        if self.rest().starts_with(b";") {
            let length = line_end(rest);
            self.at += 1 + length;
            return (format!("{{{}}}", printable(&rest[..length]).trim().replace('}', ")")), None);
        }
        // Comments do not nest. But if another } follows before the next {, the writer assumed that they do.
        let (mut open, mut end) = (1, None);
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                b'{' if end.is_some() => break,
                b'{' => open += 1,
                b'}' => {
                    open -= 1;
                    end = Some(at);
                    if open == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
        let Some(end) = end else {
            self.at = self.limit;
            let text = printable(rest);
            return (format!("{{{}}}", text.trim_end()), Some(NOT_CLOSED));
        };
        self.at += end + 2;
        let text = printable(&rest[..end]);
        if text.contains('}') {
            (format!("{{{}}}", text.replace('{', "(").replace('}', ")")), Some("a comment in a comment"))
        } else {
            let damage = text.contains('{').then_some("a { in a comment");
            (format!("{{{text}}}"), damage)
        }
    }

    /// Reads brackets that are not a tag, as a comment.
    fn read_brackets(&mut self, game: &mut ParsedGame) {
        let rest = self.rest();
        let end = rest.iter().position(|byte| matches!(byte, b']' | b'\n' | b'\r')).unwrap_or(rest.len());
        let length = end + usize::from(rest.get(end) == Some(&b']'));
        game.remark(&format!("{{{}}}", printable(&rest[..length]).replace(['{', '}'], "|")));
        self.at += length;
    }

    fn read_tag(&mut self, game: &mut ParsedGame) {
        let at = self.at;
        let rest = self.rest();
        if self.at >= self.end_of_line {
            self.end_of_line = self.at + line_end(rest);
            self.end_of_paragraph = self.at + paragraph_end(rest);
        }
        let up_to = |end: usize| &rest[..end.min(self.limit) - self.at];
        let line = up_to(self.end_of_line);
        let tag = parse_tag(line, false).or_else(|| parse_tag(up_to(self.end_of_paragraph), false));
        let Some(tag) = tag.or_else(|| parse_tag(line, true)) else {
            self.warn(game, at, "a tag without a name", false);
            return self.read_brackets(game);
        };
        if let Some(cause) = tag.damage {
            self.warn(game, at, &format!("{cause} ({})", tag.name), false);
        }
        self.at += tag.length;
        game.tags.push((tag.name, tag.value));
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

    /// Adds a word of the main line: a move, its number, or a sign after it.
    fn read_word(&mut self, word: &str, line: usize) {
        let name = without_number(word).trim_end_matches([',', '`']);
        let glyph = |text: &str| {
            let suffix = (0u8..).zip(SUFFIXES).find(|(glyph, suffix)| *glyph > 0 && *suffix == text);
            suffix.map(|(glyph, _)| glyph).or_else(|| SIGNS.iter().find(|sign| sign.0 == text).map(|sign| sign.1))
        };
        if name.is_empty() || PARTS_OF_MOVES.contains(&name) {
        } else if let Some(glyph) = glyph(name) {
            self.remark(&format!("${glyph}"));
        } else if name.starts_with(['$', '!', '?']) {
            self.remark(name);
        } else {
            let (san, signs) = without_signs(name);
            self.moves.push(ParsedMove { san, remarks: String::new(), line });
            signs.iter().for_each(|glyph| self.remark(&format!("${glyph}")));
        }
    }

    /// Closes variations at the end of the game. The last word is the result, if it looks so.
    fn close_variations(&mut self, depth: u32) {
        let remarks = self.moves.last_mut().map_or(&mut self.remarks, |mv| &mut mv.remarks);
        let last = remarks.rsplit([' ', '(']).next().unwrap_or_default();
        if let Some(result) = normal_result(last) {
            remarks.truncate(remarks.len() - last.len());
            remarks.truncate(remarks.trim_end().len());
            self.result = Some(result.to_owned());
        }
        (0..depth).for_each(|_| remarks.push(')'));
    }
}

/// A tag and its length in the text.
struct Tag {
    name: String,
    value: String,
    length: usize,
    damage: Option<&'static str>,
}

/// Reads `[Name "value"]`. Accepts a missing end only if `is_line`; the text is then a line. `None` if it has no name.
fn parse_tag(text: &[u8], is_line: bool) -> Option<Tag> {
    let is_bare = !text.starts_with(b"[");
    let begin = usize::from(!is_bare) + blanks(&text[usize::from(!is_bare)..]);
    let rest = &text[begin..];
    let name = name_length(rest);
    if name == 0 || !rest[0].is_ascii_alphabetic() {
        return None;
    }
    let at = begin + name + blanks(&rest[name..]);
    let name = String::from_utf8_lossy(&rest[..name]).into_owned();
    let rest = &text[at..];
    let bare = is_bare.then_some("a tag without [");
    let tag = |value: &[u8], length, damage: Option<&'static str>| {
        let has_break = value.contains(&b'\n') || value.contains(&b'\r');
        let damage = damage.or(has_break.then_some("a tag with a line break in its value"));
        Some(Tag { name: name.clone(), value: unescaped(value), length, damage })
    };
    if let Some(value) = rest.strip_prefix(b"\"") {
        /// How far from the quotation mark another one may end the value.
        const MAX_QUOTED: usize = 1024;
        // The end of the tag if its value ends at an offset.
        let end = |quote: usize| {
            let bracket = quote + 1 + blanks(&value[quote + 1..]);
            (value.get(bracket) == Some(&b']')).then_some(bracket + 1)
        };
        let strict = closing_quote(value);
        let quotes = (0..value.len().min(MAX_QUOTED)).filter(|&quote| value[quote] == b'"' && end(quote).is_some());
        let ends_well = |&quote: &usize| {
            let after = &value[end(quote).unwrap_or(value.len())..];
            matches!(after[blanks_in_line(after)..].first(), None | Some(b'\n' | b'\r' | b'['))
        };
        // Quotation marks in the value need not be escaped if it is clear where it ends.
        let strict_end = strict.filter(|&quote| end(quote).is_some());
        let chosen = strict_end.filter(|quote| ends_well(quote));
        let chosen = chosen.or_else(|| quotes.clone().find(ends_well)).or(strict_end).or_else(|| quotes.clone().next());
        if let Some((quote, end)) = chosen.and_then(|quote| Some((quote, end(quote)?))) {
            let damage = (Some(quote) != strict).then_some("a tag with a quotation mark or backslash in its value");
            return tag(&value[..quote], at + 1 + end, bare.or(damage));
        }
        if !is_line {
            return None;
        }
        let end = value.iter().rposition(|&byte| byte == b'"').filter(|&quote| {
            let after = &value[quote + 1..];
            blanks(after) == after.len()
        });
        return match end {
            Some(quote) => tag(&value[..quote], text.len(), Some("a tag without ]")),
            None => tag(unquoted(value), text.len(), Some("a tag without a closing quotation mark")),
        };
    }
    let bracket = rest.iter().position(|&byte| byte == b']');
    match bracket {
        Some(0) if is_line => tag(b"", at + 1, Some("a tag without a value")),
        Some(end) if is_line => tag(unquoted(&rest[..end]), at + end + 1, Some("a tag without quotation marks")),
        None if is_line => tag(unquoted(rest), text.len(), Some("a tag without ]")),
        _ => None,
    }
}

/// The first quotation mark that is not escaped.
fn closing_quote(value: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match (value.get(at)?, value.get(at + 1)) {
            (b'"', _) => return Some(at),
            (b'\\', Some(b'"' | b'\\')) => at += 2,
            _ => at += 1,
        }
    }
}

/// A value without the blanks, brackets and quotation marks around it.
fn unquoted(mut value: &[u8]) -> &[u8] {
    let is_outside = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b']');
    while let [first, rest @ ..] = value
        && is_outside(*first)
    {
        value = rest;
    }
    while let [rest @ .., last] = value
        && is_outside(*last)
    {
        value = rest;
    }
    for quotes in ["“", "”", "„", "‘", "’"] {
        value = value.strip_prefix(quotes.as_bytes()).unwrap_or(value);
        value = value.strip_suffix(quotes.as_bytes()).unwrap_or(value);
    }
    value
}

/// A value without escapes and control characters.
fn unescaped(value: &[u8]) -> String {
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'\\', [escaped @ (b'"' | b'\\'), after @ ..]) => {
                text.push(*escaped);
                rest = after;
            }
            (b'\r', [b'\n', ..]) => {}
            _ => text.push(*first),
        }
    }
    String::from_utf8_lossy(&text).chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// A text without control characters other than white space: they may confuse the terminal.
fn printable(text: &[u8]) -> String {
    let letters = String::from_utf8_lossy(text);
    let is_allowed = |letter: char| !letter.is_control() || letter.is_ascii_whitespace();
    letters.chars().map(|letter| if is_allowed(letter) { letter } else { ' ' }).collect()
}

/// The first character of a text and its length in bytes. An invalid byte counts as a replacement character, or as the
/// no-break space that it is in Latin-1.
fn first_char(text: &[u8]) -> Option<(char, usize)> {
    let first = *text.first()?;
    if first.is_ascii() {
        return Some((first.into(), 1));
    }
    let chunk = text[..text.len().min(4)].utf8_chunks().next()?;
    Some(match chunk.valid().chars().next() {
        Some(letter) => (letter, letter.len_utf8()),
        None if first == 0xa0 => ('\u{a0}', 1),
        None => (char::REPLACEMENT_CHARACTER, chunk.invalid().len()),
    })
}

/// Whether a character separates words: white space, control characters such as NUL and ^Z, and blanks without width.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || matches!(letter, '\u{200b}' | '\u{feff}' | '\u{180e}' | '\u{2800}')
}

/// Whether a character is invisible and may stand within a word: joiners, marks of direction, the soft hyphen.
const fn is_ignored(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// The length of the blanks at the beginning of a text.
fn blanks(text: &[u8]) -> usize {
    leading(text, |letter| is_blank(letter) || is_ignored(letter))
}

/// [`blanks`] without line ends.
fn blanks_in_line(text: &[u8]) -> usize {
    leading(text, |letter| !matches!(letter, '\n' | '\r') && (is_blank(letter) || is_ignored(letter)))
}

/// The length of the beginning of a text whose characters are accepted.
fn leading(text: &[u8], accepts: impl Fn(char) -> bool) -> usize {
    let mut at = 0;
    while let Some((letter, length)) = first_char(&text[at..])
        && accepts(letter)
    {
        at += length;
    }
    at
}

/// Whether a text is read as the name of a tag if it is written as that. The standard allows letters, digits and `_`;
/// others are read, too.
pub fn is_tag_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && name_length(name.as_bytes()) == name.len()
}

/// The length of the name of a tag.
fn name_length(text: &[u8]) -> usize {
    leading(text, |letter| !is_blank(letter) && !is_ignored(letter) && !matches!(letter, '"' | '[' | ']'))
}

/// The number of line ends in a text: `\n`, `\r\n` or `\r`.
pub fn line_ends(text: &[u8]) -> usize {
    let is_end = |(at, &byte): (usize, &u8)| byte == b'\n' || byte == b'\r' && text.get(at + 1) != Some(&b'\n');
    text.iter().enumerate().filter(|&item| is_end(item)).count()
}

/// The length of the first line without its end.
fn line_end(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len())
}

/// The length of the first line with its end.
fn line_length(text: &[u8]) -> usize {
    let end = line_end(text);
    end + if text[end..].starts_with(b"\r\n") { 2 } else { usize::from(end < text.len()) }
}

/// The length of the lines that the value of a tag may have: up to a blank line or the next tag.
fn paragraph_end(text: &[u8]) -> usize {
    const MAX_LINES: usize = 8;
    let mut at = line_length(text);
    for _ in 1..MAX_LINES {
        let rest = &text[at..];
        let line = &rest[..line_end(rest)];
        if blanks(line) == line.len() || line[blanks(line)..].starts_with(b"[") {
            break;
        }
        at += line_length(rest);
    }
    at
}

/// Whether an offset is at the beginning of a line, or after a byte order mark there.
fn begins_line(text: &[u8], at: usize) -> bool {
    let mut before = &text[..at];
    while let Some(shorter) = before.strip_suffix("\u{feff}".as_bytes()) {
        before = shorter;
    }
    matches!(before.last(), None | Some(b'\n' | b'\r'))
}

/// Whether a text begins with a bracket and a name.
fn begins_tag(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"[").unwrap_or_default();
    rest[blanks_in_line(rest)..].first().is_some_and(u8::is_ascii_alphabetic)
}

/// Whether a text begins with `[Name "`, or with `[Event`, the first tag of a game.
fn has_tag_form(text: &[u8]) -> bool {
    if !begins_tag(text) {
        return false;
    }
    let rest = &text[1 + blanks_in_line(&text[1..])..];
    let length = name_length(rest);
    &rest[..length] == b"Event" || rest[length + blanks_in_line(&rest[length..])..].starts_with(b"\"")
}

/// Whether a line is `Name "value"]`: a tag without its bracket.
fn is_bare_tag(text: &[u8]) -> bool {
    if !text.first().is_some_and(u8::is_ascii_uppercase) {
        return false;
    }
    let length = leading(text, |letter| letter.is_ascii_alphanumeric() || letter == '_');
    let rest = &text[length..];
    let space = blanks_in_line(rest);
    space > 0 && rest[space..].starts_with(b"\"") && rest[..line_end(rest)].trim_ascii_end().ends_with(b"\"]")
}

/// The offset of the next line with a tag that follows a blank line, after an offset.
fn next_tags(text: &[u8], from: usize) -> usize {
    let mut at = from + line_length(&text[from..]);
    let mut after_blank = false;
    while at < text.len() {
        let rest = &text[at..];
        let content = &rest[blanks_in_line(rest)..];
        if matches!(content.first(), None | Some(b'\n' | b'\r')) {
            after_blank = true;
        } else if after_blank && (has_tag_form(content) || is_bare_tag(content)) {
            return at;
        } else {
            after_blank = false;
        }
        at += line_length(rest);
    }
    text.len()
}

/// The length of a word without a result that is glued to it: `Nf31-0`, `1-01.`.
fn unglued(word: &[u8]) -> usize {
    const RESULTS: [&str; 5] = ["1/2-1/2", "½-½", "1-0", "0-1", "1/2"];
    let text = std::str::from_utf8(word).unwrap_or_default();
    if text.is_empty() || normal_result(text).is_some() {
        return word.len();
    }
    for result in RESULTS {
        if let Some(mv) = text.strip_suffix(result)
            && mv.contains(|letter: char| letter.is_ascii_alphabetic())
            && !mv.ends_with(['-', '/', '='])
        {
            return mv.len();
        }
        if let Some(rest) = text.strip_prefix(result) {
            let number = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let is_number = number.len() < rest.len() && number.starts_with(['.', '…']);
            if is_number || rest.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                return result.len();
            }
        }
    }
    word.len()
}

/// A word without a leading move number: `1.e4`, `1…`, `12.`, `3`.
fn without_number(word: &str) -> &str {
    // A null move.
    if word.trim_end_matches(['!', '?']) == "0000" {
        return word;
    }
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    // `0-0` begins with a digit and is a move.
    if rest.is_empty() || rest.starts_with(['.', '…']) || rest.len() == word.len() {
        rest.trim_start_matches(['.', '…'])
    } else {
        word
    }
}

/// A move without signs of an evaluation such as `+-`, which are returned as glyphs. Suffixes like `!?` stay.
fn without_signs(name: &str) -> (String, Vec<u8>) {
    let end = name.trim_end_matches(['!', '?']).len();
    let (mut base, suffix) = name.split_at(end);
    let mut glyphs = Vec::new();
    while let Some((shorter, glyph)) = SIGNS.iter().find_map(|&(sign, glyph)| {
        let shorter = base.strip_suffix(sign).filter(|shorter| !shorter.is_empty())?;
        let is_sign = match sign {
            // `e8N` and `Hc1N` mean promotions.
            "N" => {
                shorter.ends_with(|last: char| last.is_ascii_digit())
                    && !(shorter.ends_with(['1', '8'])
                        && shorter.starts_with(|c: char| c.is_ascii_lowercase() || c == 'H'))
            }
            "D" => false,
            _ => true,
        };
        is_sign.then_some((shorter, glyph))
    }) {
        base = shorter;
        glyphs.insert(0, glyph);
    }
    let dashes = |letter| if super::is_dash(letter) { '-' } else { letter };
    (base.chars().map(dashes).chain(suffix.chars()).collect(), glyphs)
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
    fn warnings_name_their_line() {
        for (text, line) in [
            ("[Event", 1),
            ("[Event \"x]\n\n1. e4 *", 1),
            ("[Event \"x\"\n\n1. e4 *", 1),
            ("\n\n1. e4 { *", 3),
            ("1. e4\n ( *", 2),
            ("1. e4\n ) *", 2),
            ("1. e4 ] *", 1),
            ("[ \"x\"]\n1. e4 *", 1),
            ("[Event \"x\"]\r\n\r\n1. e4\r\nHb", 4),
            ("[Event \"x\"]\r\r1. e4\r*\r} 1. e4 *", 5),
        ] {
            let lines: Vec<usize> =
                games(text).iter().flat_map(|game| &game.warnings).map(|found| found.line).collect();
            assert_eq!(lines, [line], "{text:?}");
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
        let read = |text: &[u8]| {
            let game = Reader::new(text).next_game().expect("a game");
            (game.moves, game.result)
        };
        assert_eq!(read(bytes), read(String::from_utf8_lossy(bytes).as_bytes()));
        let (moves, _) = read(bytes);
        assert_eq!(moves.iter().map(|mv| mv.san.as_str()).collect::<Vec<_>>(), ["e4", "P", "Hed5", "e8=(Q)"]);
    }

    #[test]
    fn games_that_are_too_long_are_cut() {
        for (begin, part) in [("", "e4 "), ("", "[Event \"x\"]\n"), ("", "{x} "), ("", "( "), ("", "[]")] {
            let text = format!("1. e4 {begin}{}\n\n[Event \"x\"]\n\n*", part.repeat(MAX_GAME_SIZE / part.len() + 2));
            let games = games(&text);
            let too_long = |game: &ParsedGame| game.warnings.iter().any(|warning| warning.cause.contains("4 MiB"));
            assert!(part.starts_with('[') || too_long(&games[0]), "{part}");
            assert_eq!(games.last().and_then(|game| game.result.as_deref()), Some("*"));
        }
    }
}
