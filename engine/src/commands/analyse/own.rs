//! Finds in a game what an earlier analysis has written, so that a new one replaces it. What other people wrote stays.

use super::judgment::JUDGMENTS;
use agoge_core::notation::pgn::{ParsedGame, Remark, split_remarks};

/// The program in the tag `Annotator`.
pub const ANNOTATOR: &str = concat!("Agoge ", env!("CARGO_PKG_VERSION"));

/// After the evaluation that begins a variation: the glyph of the mistake was already in the game.
pub const MARKED: &str = "; marked before";

/// The annotator to write: this program after other people.
pub fn annotator(game: &ParsedGame) -> String {
    let others = game.tag("Annotator").unwrap_or_default().split(", ");
    let others: Vec<&str> = others.filter(|name| !matches!(*name, "" | "?") && !name.starts_with("Agoge ")).collect();
    [others, vec![ANNOTATOR]].concat().join(", ")
}

/// Removes the glyphs, evaluations and variations of an earlier analysis.
pub fn remove(game: &mut ParsedGame) {
    if !game.tag("Annotator").is_some_and(|names| names.split(", ").any(|name| name.starts_with("Agoge "))) {
        return;
    }
    for mv in &mut game.moves {
        let mut parts: Vec<Option<String>> = Vec::new();
        let remarks: Vec<Remark> = split_remarks(&mv.remarks).collect();
        // The first part that is removed: the glyph of a mistake stands before it.
        let mut first = None;
        let mut is_marked = None;
        for (index, remark) in remarks.iter().enumerate() {
            let kept = match *remark {
                Remark::Word(word) => Some(word.to_owned()),
                Remark::Comment(text) => match after_evaluation(&single_spaced(text)) {
                    Some("") => None,
                    Some(rest) => Some(format!("{{{rest}}}")),
                    None => Some(format!("{{{text}}}")),
                },
                Remark::Variation(text) => {
                    let own = if is_marked.is_none() { variation(text) } else { None };
                    is_marked = is_marked.or(own);
                    own.is_none().then(|| format!("({text})"))
                }
            };
            let is_changed = match *remark {
                Remark::Comment(text) => after_evaluation(&single_spaced(text)).is_some(),
                _ => kept.is_none(),
            };
            if is_changed && first.is_none() {
                first = Some(index);
            }
            parts.push(kept);
        }
        if let Some(glyph) = first.and_then(|first| first.checked_sub(1)).filter(|_| is_marked == Some(false)) {
            let is_own = |word: &str| JUDGMENTS.iter().any(|judgment| word == format!("${}", judgment.glyph));
            parts[glyph] = parts[glyph].take().filter(|word| !is_own(word));
        }
        if first.is_some() {
            mv.remarks = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        }
    }
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What follows `[%eval 0.35]` in a text.
fn after_value(text: &str) -> Option<&str> {
    let (value, rest) = text.strip_prefix("[%eval ")?.split_once(']')?;
    value.bytes().all(|byte| byte.is_ascii_digit() || b"#-.".contains(&byte)).then_some(rest)
}

/// What follows the evaluation of an analysis in a comment: `[%eval 0.35] depth 12; exact: draw`.
fn after_evaluation(comment: &str) -> Option<&str> {
    const RESULTS: [&str; 4] = ["draw by the fifty-move rule", "draw", "White wins", "Black wins"];
    let digits = |text: &str| text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let rest = after_value(comment)?.strip_prefix(" depth ")?;
    let length = digits(rest);
    let mut rest = rest.get(length..).filter(|_| length > 0)?;
    if let Some(exact) = rest.strip_prefix("; exact: ") {
        rest = RESULTS.iter().find_map(|result| exact.strip_prefix(result))?;
        if let Some(mate) = rest.strip_prefix(", mate in ") {
            rest = &mate[digits(mate)..];
        }
    }
    Some(rest.trim())
}

/// Whether a variation of an analysis says that the mistake was marked before; `None` if it is of other people.
fn variation(text: &str) -> Option<bool> {
    let (comment, moves) = text.strip_prefix('{')?.split_once('}')?;
    let comment = single_spaced(comment);
    let rest = after_value(&comment)?;
    let is_plain = !moves.contains(['{', '(', '$']);
    (is_plain && (rest.is_empty() || rest == MARKED)).then_some(rest == MARKED)
}
