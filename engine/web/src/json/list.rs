//! A list of the games of a large file, which is read in parts.

use super::pgn::UNWANTED;
use agoge_core::notation::pgn::{ParsedGame, Reader, line_ends};
use serde::Serialize;

/// The maximum number of games in an answer.
const MAX_GAMES: usize = 5_000;

/// A game in the list.
#[derive(Serialize)]
struct Entry {
    /// Where its text begins and ends in the part, in bytes.
    begin: usize,
    end: usize,
    /// The line in the file in which its text begins, from 1.
    line: usize,
    white: String,
    black: String,
    date: String,
    event: String,
    result: String,
    /// The number of legal moves of the main line, in plies.
    plies: usize,
    /// What is damaged, apart from variations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// The games of a part of a file.
#[derive(Serialize)]
pub struct List {
    games: Vec<Entry>,
    /// The offset in the part at which the next one begins.
    end: usize,
    /// The line in the file at which the next part begins.
    line: usize,
    /// Whether the next part begins within a game.
    cut: bool,
}

/// A part of a file.
pub struct Part<'a> {
    pub text: &'a str,
    /// The line in the file at which it begins, from 1.
    pub line: usize,
    /// Whether it begins within a game.
    pub cut: bool,
    /// Whether more follows. The last game is then left for the next part, unless it is the only one.
    pub more: bool,
}

/// Lists the games of a part of a file.
///
/// # Errors
/// If nobody waits for the list any more.
pub fn list(part: &Part<'_>, is_wanted: &dyn Fn() -> bool) -> Result<List, String> {
    let bytes = part.text.as_bytes();
    let mut reader = Reader::new(bytes).from_line(part.line);
    let (mut begin, mut line) = (0, part.line);
    let mut games: Vec<Entry> = Vec::new();
    // About what is not a game.
    let mut skipped = Vec::new();
    let mut end = bytes.len();
    while let Some(parsed) = reader.next_game() {
        if !is_wanted() {
            return Err(UNWANTED.to_owned());
        }
        if games.len() == MAX_GAMES {
            end = begin;
            break;
        }
        let is_rest = part.cut && games.is_empty() && parsed.tags.is_empty();
        let next = parsed.end;
        match entry(&parsed, begin, line) {
            _ if is_rest => {}
            Ok(mut game) => {
                game.warnings.splice(..0, skipped.drain(..));
                games.push(game);
            }
            Err(warning) => skipped.push(warning),
        }
        line += line_ends(&bytes[begin..next]);
        begin = next;
    }
    let is_whole = end < bytes.len() || !part.more;
    let mut cut = !is_whole && (part.cut || !games.is_empty());
    if !is_whole && games.len() > 1 {
        end = games.pop().map_or(end, |game| game.begin);
        cut = false;
    } else if let (false, Some(game)) = (is_whole, games.last_mut()) {
        game.warnings = vec![format!("line {}: the game is longer than {} MiB", game.line, super::MAX_TEXT >> 20)];
    }
    match games.last_mut() {
        Some(last) => last.warnings.append(&mut skipped),
        None if is_whole && !skipped.is_empty() && !part.cut => return Err(skipped.swap_remove(0)),
        None => {}
    }
    Ok(List { games, end, line: part.line + line_ends(&bytes[..end]), cut })
}

/// The entry of a game whose text begins at an offset and a line.
///
/// # Errors
/// If it has neither tags nor a legal move.
fn entry(parsed: &ParsedGame, begin: usize, line: usize) -> Result<Entry, String> {
    let (plies, warnings) = match parsed.replay_legal(None) {
        Ok(replay) => {
            if let Some(end) = replay.end.as_ref().filter(|_| replay.moves.is_empty() && parsed.tags.is_empty()) {
                return Err(end.to_string());
            }
            let warnings = parsed.all_warnings(replay.end.as_ref());
            (replay.moves.len(), warnings.iter().map(ToString::to_string).collect())
        }
        Err(error) => (0, vec![format!("line {}: {error}", parsed.line)]),
    };
    let tag = |name: &str| parsed.tag(name).unwrap_or_default().to_owned();
    Ok(Entry {
        begin,
        end: parsed.end,
        line,
        white: tag("White"),
        black: tag("Black"),
        date: tag("Date"),
        event: tag("Event"),
        result: parsed.result().to_owned(),
        plies,
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn ask(text: &str, line: usize, cut: bool, more: bool) -> Value {
        let list = list(&Part { text, line, cut, more }, &|| true).unwrap_or_else(|error| panic!("{error}"));
        serde_json::to_value(list).expect("JSON")
    }

    fn game(number: usize, moves: &str) -> String {
        format!("[Event \"Cup\"]\n[White \"Player {number}\"]\n[Variant \"Spartan\"]\n\n{moves}\n\n")
    }

    #[test]
    fn games_are_listed_with_their_place_and_damage() {
        let shogi = "[White \"C\"]\n[Variant \"Shogi\"]\n\n1. e4 *\n\n";
        let text = format!("{}{}{shogi}", game(1, "1. e4 Hbd5 1-0"), game(2, "1. e4 Hbd5 2. Qh9 *"));
        let answer = ask(&text, 11, false, false);
        let games = answer["games"].as_array().expect("games");
        assert_eq!(games.len(), 3);
        assert_eq!(
            (&games[0]["white"], &games[0]["event"], &games[0]["result"]),
            (&"Player 1".into(), &"Cup".into(), &"1-0".into())
        );
        assert_eq!(games.iter().map(|game| game["plies"].as_u64()).collect::<Vec<_>>(), [Some(2), Some(2), Some(0)]);
        assert!(games[0].get("warnings").is_none());
        assert!(games[1]["warnings"][0].as_str().is_some_and(|text| text.starts_with("line 21: 2.Qh9")), "{answer}");
        assert!(games[2]["warnings"][0].as_str().is_some_and(|text| text.contains("Shogi")), "{answer}");
        // Each game's text alone is that game.
        for (number, game) in games.iter().enumerate().take(2) {
            let range =
                game["begin"].as_u64().expect("a number") as usize..game["end"].as_u64().expect("a number") as usize;
            let again = ask(&text[range], 1, false, false);
            assert_eq!(again["games"][0]["white"], format!("Player {}", number + 1));
        }
    }

    #[test]
    fn a_file_may_be_read_in_parts() {
        let text: String = (1..=300).map(|number| game(number, "1. e4 {é} Hbd5 2. Nf3 *")).collect();
        let whole = ask(&text, 1, false, false);
        for size in [500, 999, 4096] {
            let (mut at, mut line, mut names, mut lines) = (0, 1, Vec::new(), Vec::new());
            while at < text.len() {
                let mut end = (at + size).min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                let answer = ask(&text[at..end], line, false, end < text.len());
                for game in answer["games"].as_array().expect("games") {
                    names.push(game["white"].clone());
                    lines.push(game["line"].clone());
                    assert!(game.get("warnings").is_none(), "{game}");
                }
                at += answer["end"].as_u64().expect("an offset") as usize;
                line = answer["line"].as_u64().expect("a line") as usize;
                assert_eq!(answer["cut"], false);
            }
            let of_whole = |field: &str| -> Vec<Value> {
                whole["games"].as_array().expect("games").iter().map(|game| game[field].clone()).collect()
            };
            assert_eq!((names, lines), (of_whole("white"), of_whole("line")), "{size}");
        }
    }

    #[test]
    fn a_game_that_is_too_long_is_marked_and_its_rest_skipped() {
        let text = format!("{}{}", game(1, &format!("{} *", "1. Nf3 Wf6 2. Ng1 Wg8 ".repeat(100))), game(2, "1. e4 *"));
        let first = ask(&text[..900], 1, false, true);
        assert_eq!((&first["cut"], &first["end"]), (&true.into(), &900.into()));
        assert_eq!(first["games"][0]["warnings"][0], "line 1: the game is longer than 2 MiB");
        let middle = ask(&text[900..1500], 5, true, true);
        assert_eq!((&middle["cut"], middle["games"].as_array().map(Vec::len)), (&true.into(), Some(0)));
        let last = ask(&text[1500..], 5, true, false);
        assert_eq!(last["games"].as_array().map(Vec::len), Some(1), "{last}");
        assert_eq!(last["games"][0]["white"], "Player 2");
    }

    #[test]
    fn what_is_not_a_game_is_an_error_or_a_warning() {
        let part = |text| Part { text, line: 1, cut: false, more: false };
        assert!(list(&part("hello"), &|| true).is_err_and(|error| error.contains("hello")));
        assert_eq!(ask("", 1, false, false)["games"].as_array().map(Vec::len), Some(0));
        let answer = ask(&format!("{}hello", game(1, "*")), 1, false, false);
        assert_eq!(answer["games"].as_array().map(Vec::len), Some(1), "{answer}");
        assert!(answer["games"][0]["warnings"][0].as_str().is_some_and(|text| text.contains("hello")), "{answer}");
        assert!(list(&part("1. e4 *"), &|| false).is_err());
    }
}
