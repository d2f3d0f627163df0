//! Games with comments and variations, read from and written to PGN.

use agoge_core::board::{Board, Variant};
use agoge_core::notation::pgn::{ParsedMove, Reader, Writer, number};
use agoge_core::types::Move;
use serde::{Deserialize, Serialize};

/// The maximum number of games read from a file.
const MAX_GAMES: usize = 10_000;

/// The error if nobody waits for the answer any more.
const UNWANTED: &str = "the question was withdrawn";

/// Variations nested deeper are dropped.
const MAX_NESTING: usize = 24;

/// A move of a game and what belongs to it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Node {
    /// In coordinate notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// In algebraic notation; ignored when written.
    #[serde(default)]
    pub san: String,
    /// The position after the move; ignored when written.
    #[serde(default)]
    pub fen: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Numeric annotation glyphs, such as 4 for a blunder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub glyphs: Vec<u8>,
    /// Alternatives to the move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Vec<Node>>,
}

impl Node {
    /// Makes a move on a board.
    pub fn make(board: &mut Board, mv: Move) -> Self {
        let san = board.to_san(mv);
        board.make_move(mv);
        Self { mv: mv.to_string(), san, fen: board.to_fen(), ..Self::default() }
    }
}

#[derive(Serialize)]
pub struct ParsedGame {
    /// The tags in the order of the file.
    pub tags: Vec<(String, String)>,
    /// `spartan` or `chess`.
    pub variant: &'static str,
    pub fen: String,
    pub nodes: Vec<Node>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

/// Reads the games of a file.
///
/// # Errors
/// If there is none, one cannot be read, or there are more than 10,000, or nobody waits for them any more.
pub(super) fn read(text: &str, is_wanted: &dyn Fn() -> bool) -> Result<Vec<ParsedGame>, String> {
    let mut reader = Reader::new(text.as_bytes());
    let mut games = Vec::new();
    while let Some(parsed) = reader.next_game() {
        let parsed = parsed.map_err(|error| error.to_string())?;
        let (start, moves) = parsed.replay(None).map_err(|error| match games.len() {
            0 => error,
            before => format!("game {}: {error}", before + 1),
        })?;
        if games.len() == MAX_GAMES {
            return Err(format!("more than {MAX_GAMES} games"));
        }
        let result = parsed.result().to_owned();
        let nodes = read_nodes(&start, &moves, &parsed.moves, 0, is_wanted);
        if !is_wanted() {
            return Err(UNWANTED.to_owned());
        }
        games.push(ParsedGame {
            tags: parsed.tags,
            variant: start.variant().name(),
            fen: start.to_fen(),
            nodes,
            result,
        });
    }
    if games.is_empty() { Err("there is no game in this text".to_owned()) } else { Ok(games) }
}

/// The nodes of a line of legal moves.
fn read_nodes(
    start: &Board,
    moves: &[Move],
    parsed: &[ParsedMove],
    nesting: usize,
    is_wanted: &dyn Fn() -> bool,
) -> Vec<Node> {
    let mut board = start.clone();
    let mut nodes = Vec::new();
    for (&mv, parsed) in moves.iter().zip(parsed).take_while(|_| is_wanted()) {
        let before = board.clone();
        let mut node = Node::make(&mut board, mv);
        node.glyphs.extend(parsed.suffix());
        read_remarks(&mut node, &parsed.remarks, &before, nesting, is_wanted);
        nodes.push(node);
    }
    nodes
}

/// Adds comments, glyphs and variations to a move. `board` is the position before it.
fn read_remarks(node: &mut Node, mut rest: &str, board: &Board, nesting: usize, is_wanted: &dyn Fn() -> bool) {
    while is_wanted() {
        rest = rest.trim_ascii_start();
        if let Some(text) = rest.strip_prefix('{') {
            let (comment, after) = text.split_once('}').unwrap_or((text, ""));
            if !node.comment.is_empty() {
                node.comment.push(' ');
            }
            node.comment.push_str(comment.trim());
            rest = after;
        } else if rest.starts_with('(') {
            let (inner, after) = split_variation(rest);
            node.variations.extend(read_variation(inner, board, nesting + 1, is_wanted));
            rest = after;
        } else {
            let word = rest.split(|letter: char| letter.is_ascii_whitespace() || "({".contains(letter)).next();
            let Some(word) = word.filter(|word| !word.is_empty()) else { return };
            let glyph = word.strip_prefix('$').and_then(|number| number.parse().ok());
            node.glyphs.extend(glyph.filter(|glyph| !node.glyphs.contains(glyph)));
            rest = &rest[word.len()..];
        }
    }
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

/// Reads a variation up to its first illegal move; `None` if it has no legal one.
fn read_variation(text: &str, board: &Board, nesting: usize, is_wanted: &dyn Fn() -> bool) -> Option<Vec<Node>> {
    if nesting > MAX_NESTING {
        return None;
    }
    let parsed = Reader::new(text.as_bytes()).next_game()?.ok()?;
    let mut moves = Vec::new();
    let mut at = board.clone();
    for ParsedMove { san, .. } in &parsed.moves {
        let Ok(mv) = at.parse_san(san) else { break };
        at.make_move(mv);
        moves.push(mv);
    }
    let nodes = read_nodes(board, &moves, &parsed.moves, nesting, is_wanted);
    (!nodes.is_empty()).then_some(nodes)
}

/// Writes a game.
///
/// # Errors
/// If a move is illegal, or nobody waits for the text any more.
pub(super) fn write(
    start: &Board,
    tags: &[(String, String)],
    nodes: &[Node],
    result: &str,
    is_wanted: &dyn Fn() -> bool,
) -> Result<String, String> {
    let mut writer = Writer::default();
    let is_set_up = start.to_fen() != start.variant().start_fen();
    let own = ["Variant", "FEN", "SetUp", "Result"];
    for (name, value) in tags.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        writer.tag(name, value);
    }
    let result = if ["1-0", "0-1", "1/2-1/2"].contains(&result) { result } else { "*" };
    writer.tag("Result", result);
    writer.tag("Variant", if start.variant() == Variant::Spartan { "Spartan" } else { "Standard" });
    if is_set_up {
        writer.tag("SetUp", "1");
        writer.tag("FEN", &start.to_fen());
    }
    writer.begin_moves();
    write_nodes(&mut writer, start, nodes, 0, is_wanted)?;
    Ok(writer.finish(result))
}

/// Writes a line with its variations.
fn write_nodes(
    writer: &mut Writer,
    start: &Board,
    nodes: &[Node],
    nesting: usize,
    is_wanted: &dyn Fn() -> bool,
) -> Result<(), String> {
    let mut board = start.clone();
    for node in nodes {
        if !is_wanted() {
            return Err(UNWANTED.to_owned());
        }
        let mv = board.parse_move(&node.mv).map_err(|error| format!("{}{}: {error}", number(&board), node.mv))?;
        writer.mv(&board, mv);
        node.glyphs.iter().for_each(|&glyph| writer.glyph(glyph));
        if !node.comment.is_empty() {
            writer.comment(&node.comment.replace(['{', '}'], "|"));
        }
        for variation in &node.variations {
            if nesting < MAX_NESTING && !variation.is_empty() {
                writer.remarks("(");
                write_nodes(writer, &board, variation, nesting + 1, is_wanted)?;
                writer.remarks(")");
            }
        }
        board.make_move(mv);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<ParsedGame>, String> {
        super::read(text, &|| true)
    }

    fn write(start: &Board, tags: &[(String, String)], nodes: &[Node], result: &str) -> Result<String, String> {
        super::write(start, tags, nodes, result, &|| true)
    }

    const GAME: &str = "[Event \"A \\\"cup\\\"\"]\n[Variant \"Spartan\"]\n\n1. e4 {best} (1. d4 Hbd5 (1... Hac5 $2 2. Nf3) 2. c4) 1... Hbd5!? \
                        {a} {b (c)} 2. exd5 1-0";

    #[test]
    fn variations_comments_and_glyphs() {
        let games = read(GAME).unwrap_or_else(|error| panic!("{error}"));
        let [game] = &games[..] else { panic!("one game") };
        assert_eq!((game.variant, game.result.as_str(), game.nodes.len()), ("spartan", "1-0", 3));
        let [first, second, _] = &game.nodes[..] else { panic!("three moves") };
        assert_eq!(first.comment, "best");
        assert_eq!((second.comment.as_str(), &second.glyphs[..]), ("a b (c)", &[5][..]));
        let line: Vec<&str> = first.variations[0].iter().map(|node| node.san.as_str()).collect();
        assert_eq!(line, ["d4", "Hbd5", "c4"]);
        let inner = &first.variations[0][1].variations[0];
        assert_eq!((inner[0].san.as_str(), &inner[0].glyphs[..], inner[1].san.as_str()), ("Hac5", &[2][..], "Nf3"));
    }

    #[test]
    fn written_games_are_read_back() {
        let game = &read(GAME).unwrap_or_else(|error| panic!("{error}"))[0];
        let start = Board::start(Variant::Spartan);
        let text = write(&start, &game.tags, &game.nodes, &game.result).unwrap_or_else(|error| panic!("{error}"));
        let again = &read(&text).unwrap_or_else(|error| panic!("{error}: {text}"))[0];
        let json = |nodes: &[Node]| serde_json::to_string(nodes).expect("JSON");
        assert_eq!(json(&again.nodes), json(&game.nodes), "{text}");
        assert_eq!(again.result, "1-0");
        assert!(again.tags.contains(&("Event".into(), "A \"cup\"".into())), "{text}");
    }

    #[test]
    fn errors_name_the_move() {
        assert_eq!(read("").err().as_deref(), Some("there is no game in this text"));
        let error = read("[Variant \"Spartan\"]\n\n1. e4 Hbd5 2. Qh9 *").err().unwrap_or_default();
        assert!(error.contains("2.Qh9"), "{error}");
        let node = Node { mv: "e2e5".into(), ..Node::default() };
        let error = write(&Board::start(Variant::Spartan), &[], &[node], "*").err();
        assert_eq!(error.as_deref(), Some("1.e2e5: not a legal move"));
    }

    #[test]
    fn deep_nesting_is_cut_off() {
        let text = format!("1. e4 {} {} *", "(1. e4".repeat(5000), ")".repeat(5000));
        assert!(read(&text).is_ok());
    }
}
