//! The parts of what stands between two moves.

use std::iter;

/// A part of the remarks of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remark<'a> {
    /// A comment, without its braces.
    Comment(&'a str),
    /// A variation, without its parentheses.
    Variation(&'a str),
    /// A glyph such as `$2`, or another word.
    Word(&'a str),
}

/// The parts of the remarks of a move.
pub fn split_remarks(mut rest: &str) -> impl Iterator<Item = Remark<'_>> {
    iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        if let Some(text) = rest.strip_prefix('{') {
            let (comment, after) = text.split_once('}').unwrap_or((text, ""));
            rest = after;
            return Some(Remark::Comment(comment));
        }
        if rest.starts_with('(') {
            let (inner, after) = split_variation(rest);
            rest = after;
            return Some(Remark::Variation(inner));
        }
        let end = rest.find(|letter: char| letter.is_ascii_whitespace() || "({".contains(letter));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!word.is_empty()).then_some(Remark::Word(word))
    })
}

/// Splits a text that begins with a bracket into what is inside it and what follows.
fn split_variation(text: &str) -> (&str, &str) {
    let (mut depth, mut in_comment) = (0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => in_comment = true,
            '}' => in_comment = false,
            '(' if !in_comment => depth += 1,
            ')' if !in_comment => {
                depth -= 1;
                if depth == 0 {
                    return (&text[1..at], &text[at + 1..]);
                }
            }
            _ => {}
        }
    }
    (&text[1..], "")
}
