//! Games with comments and variations, read from and written to PGN.

use super::MAX_PLIES;
use super::annotations::{Annotations, append, without_braces};
use super::node::Node;
use agoge_core::board::{Board, Variant};
use agoge_core::notation::pgn::{self, ParsedMove, Reader, Remark, Replay, Writer, number, split_remarks, words};
use agoge_core::types::Move;
use serde::Serialize;

/// The maximum number of games read from a file.
const MAX_GAMES: usize = 10_000;

/// The error if nobody waits for the answer any more.
pub(super) const UNWANTED: &str = "the question was withdrawn";

/// Variations nested deeper become comments.
const MAX_NESTING: usize = 24;

#[derive(Serialize)]
pub struct ParsedGame {
    /// The tags in the order of the file.
    pub tags: Vec<(String, String)>,
    /// `spartan` or `chess`.
    pub variant: &'static str,
    pub fen: String,
    /// What is noted before the first move.
    #[serde(flatten)]
    pub notes: Annotations,
    pub nodes: Vec<Node>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// What could not be read, here and between this game and the next one or the one before it, as sentences for the
    /// user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Reads the games of a text, as far as possible. `first` are the line and the number of the game, both from 1, at
/// which the text begins in its file.
///
/// # Errors
/// If none can be read, or nobody waits for them any more.
pub(super) fn read(text: &str, first: (usize, usize), is_wanted: &dyn Fn() -> bool) -> Result<Vec<ParsedGame>, String> {
    let mut reader = Reader::new(text.as_bytes()).from_line(first.0);
    let mut games: Vec<ParsedGame> = Vec::new();
    // Those about games that cannot be shown.
    let mut skipped = Vec::new();
    let mut number = first.1 - 1;
    while let Some(parsed) = reader.next_game() {
        number += 1;
        if games.len() == MAX_GAMES {
            skipped.push(format!("Only the first {MAX_GAMES} games are shown."));
            break;
        }
        let read = read_game(parsed, is_wanted);
        if !is_wanted() {
            return Err(UNWANTED.to_owned());
        }
        match read {
            Ok(mut game) => {
                let place = |warning: &String| format!("Game {number}, {warning}");
                game.warnings = skipped.drain(..).chain(game.warnings.iter().map(place)).collect();
                games.push(game);
            }
            Err(error) => skipped.push(if number == 1 { error } else { format!("Game {number}, {error}") }),
        }
    }
    match games.last_mut() {
        Some(last) => last.warnings.append(&mut skipped),
        None => return Err(skipped.into_iter().next().unwrap_or_else(|| "there is no game in this text".to_owned())),
    }
    Ok(games)
}

/// Reads a game up to its first illegal move.
///
/// # Errors
/// If it has no legal move and no tags, or no valid first position.
fn read_game(parsed: pgn::ParsedGame, is_wanted: &dyn Fn() -> bool) -> Result<ParsedGame, String> {
    let place = |error: &String| format!("line {}: {error}", parsed.line);
    let Replay { start, mut moves, end } = parsed.replay_legal(None).map_err(|error| place(&error))?;
    if let Some(end) = end.as_ref().filter(|_| moves.is_empty() && parsed.tags.is_empty()) {
        return Err(end.to_string());
    }
    let mut warnings: Vec<String> = parsed.all_warnings(end.as_ref()).iter().map(ToString::to_string).collect();
    if moves.len() > MAX_PLIES {
        moves.truncate(MAX_PLIES);
        warnings.push(format!("line {}: only the first {MAX_PLIES} moves are shown", parsed.moves[MAX_PLIES].line));
    }
    let result = parsed.result().to_owned();
    // What follows a result in a variation or before the first move is not lost, either.
    let mut before = Node::default();
    let mut lost = Vec::new();
    read_remarks(&mut before, &parsed.remarks, &mut lost, |_, text| Some(text.to_owned()));
    let nodes = read_nodes(&start, &moves, &parsed.moves, (0, 0), &mut lost, is_wanted);
    warnings.extend(lost);
    Ok(ParsedGame {
        tags: parsed.tags,
        variant: start.variant().name(),
        fen: start.to_fen(),
        notes: before.notes,
        nodes,
        result,
        warnings,
    })
}

/// The nodes of a line of legal moves. `place` is the nesting of the line and the number of moves before it.
fn read_nodes(
    start: &Board,
    moves: &[Move],
    parsed: &[ParsedMove],
    place: (usize, usize),
    warnings: &mut Vec<String>,
    is_wanted: &dyn Fn() -> bool,
) -> Vec<Node> {
    let mut board = start.clone();
    let mut nodes = Vec::new();
    for (ply, (&mv, parsed)) in moves.iter().zip(parsed).enumerate().take_while(|_| is_wanted()) {
        let before = board.clone();
        let mut node = Node::make(&mut board, mv);
        node.notes.glyphs.extend(parsed.suffix());
        let place = (place.0 + 1, place.1 + ply);
        let mut lost = Vec::new();
        read_remarks(&mut node, &parsed.remarks, &mut lost, |node, text| {
            read_variation(node, text, &before, place, is_wanted)
        });
        lost.extend(node.unread.take());
        let at = |text: &String| if place.0 == 1 { format!("line {}: {text}", parsed.line) } else { text.clone() };
        warnings.extend(lost.iter().map(at));
        nodes.push(node);
    }
    nodes
}

/// Adds comments, glyphs and variations to a move. `variation` adds the text of a variation; it returns what it could
/// not read, which becomes a comment.
fn read_remarks(
    node: &mut Node,
    remarks: &str,
    warnings: &mut Vec<String>,
    variation: impl Fn(&mut Node, &str) -> Option<String>,
) {
    for remark in split_remarks(remarks) {
        match remark {
            Remark::Comment(text) => node.notes.add_comment(text),
            Remark::Variation(text) => {
                if let Some(lost) = variation(node, text) {
                    append(&mut node.notes.comment, &format!("({})", without_braces(&lost)));
                    let start: String = lost.chars().take(20).collect();
                    warnings.push(format!("a variation is kept as a comment: {start}"));
                }
            }
            Remark::Word(word) => match word.strip_prefix('$').and_then(|number| number.parse().ok()) {
                Some(glyph) if !node.notes.glyphs.contains(&glyph) => node.notes.glyphs.push(glyph),
                Some(_) => {}
                None => append(&mut node.notes.comment, word),
            },
        }
    }
}

/// Adds a variation to a move, up to its first illegal move. The unreadable rest becomes a comment after its last move;
/// without a legal move it is returned.
fn read_variation(
    node: &mut Node,
    text: &str,
    board: &Board,
    place: (usize, usize),
    is_wanted: &dyn Fn() -> bool,
) -> Option<String> {
    let (nesting, plies) = place;
    let mut reader = Reader::new(text.as_bytes());
    let parsed = if nesting > MAX_NESTING { None } else { reader.next_game() };
    let Some(parsed) = parsed else { return Some(text.to_owned()) };
    let (mut moves, mut end) = parsed.legal_line(board, usize::MAX);
    moves.truncate(MAX_PLIES.saturating_sub(plies));
    if moves.is_empty() {
        return Some(text.to_owned());
    }
    let mut warnings = Vec::new();
    let mut nodes = read_nodes(board, &moves, &parsed.moves, place, &mut warnings, is_wanted);
    let (Some(last), true) = (nodes.len().checked_sub(1), is_wanted()) else { return None };
    let mut before = Node::default();
    read_remarks(&mut before, &parsed.remarks, &mut warnings, |_, text| Some(text.to_owned()));
    nodes[0].before = before.notes.into_text();
    // The words after the last legal move.
    let mut rest = String::new();
    if moves.len() < parsed.moves.len() {
        for ParsedMove { san, remarks, .. } in &parsed.moves[moves.len()..] {
            append(&mut rest, san);
            append(&mut rest, remarks);
        }
    }
    if let Some(result) = &parsed.result {
        append(&mut rest, result);
        append(&mut rest, text.get(parsed.end..).unwrap_or_default().trim());
        end = None;
    }
    append(&mut nodes[last].notes.comment, &without_braces(&rest));
    if let Some(end) = end {
        warnings.push(format!("{} (in a variation)", end.cause));
    }
    node.variations.push(nodes);
    // The first one is enough.
    node.unread = node.unread.take().or_else(|| warnings.into_iter().next());
    None
}

/// Writes a game.
///
/// # Errors
/// If a move is illegal, or nobody waits for the text any more.
pub(super) fn write(
    start: &Board,
    tags: &[(String, String)],
    notes: &Annotations,
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
    notes.write(&mut writer);
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
        writer.comment_of(words(&without_braces(&node.before)));
        let mv = board.parse_move(&node.mv).map_err(|error| format!("{}{}: {error}", number(&board), node.mv))?;
        writer.mv(&board, mv);
        node.notes.write(writer);
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
        super::read(text, (1, 1), &|| true)
    }

    fn write(game: &ParsedGame) -> Result<String, String> {
        let variant = Variant::from_name(game.variant).expect("a variant");
        let start = Board::from_fen(&game.fen, variant).expect("a position");
        super::write(&start, &game.tags, &game.notes, &game.nodes, &game.result, &|| true)
    }

    const GAME: &str = "[Event \"A \\\"cup\\\"\"]\n[Variant \"Spartan\"]\n\n1. e4 {best} (1. d4 Hbd5 (1... Hac5 $2 2. Nf3) 2. c4) 1... Hbd5!? \
                        {a} {b (c)} 2. exd5 1-0";

    #[test]
    fn variations_comments_and_glyphs() {
        let games = read(GAME).unwrap_or_else(|error| panic!("{error}"));
        let [game] = &games[..] else { panic!("one game") };
        assert_eq!((game.variant, game.result.as_str(), game.nodes.len()), ("spartan", "1-0", 3));
        let [first, second, _] = &game.nodes[..] else { panic!("three moves") };
        assert_eq!(first.notes.comment, "best");
        assert_eq!((second.notes.comment.as_str(), &second.notes.glyphs[..]), ("a b (c)", &[5][..]));
        let line: Vec<&str> = first.variations[0].iter().map(|node| node.san.as_str()).collect();
        assert_eq!(line, ["d4", "Hbd5", "c4"]);
        let inner = &first.variations[0][1].variations[0];
        assert_eq!(
            (inner[0].san.as_str(), &inner[0].notes.glyphs[..], inner[1].san.as_str()),
            ("Hac5", &[2][..], "Nf3")
        );
    }

    /// Games with everything that other programs write.
    const FILES: [&str; 4] = [
        GAME,
        "{ [%csl Ge4][%cal Re2e4] Start } $10 1. e4 $1 $14 { [%eval 0.17,22] [%clk 0:10:00] } 1... Hbd5 $6 { [%eval #-3] \
         [%clk 0:09:58.7] [%emt 0:00:02] a plan [%tqu \"En\",\"\"] } ( { [%csl Ra1] or } 1... Hac5 $18 {[%eval -1.5]}) *",
        "[White \"A\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\n{x [%cal Ga1a8]} *",
        "[Variant \"chess\"]\n[WhiteElo \"2000\"]\n\n1. e4 {[%clk 1:00:00]} {[%clk 0:59:59]} e5 ; rest [%csl Bd4]\n2. Nf3 ⩲ 1/2-1/2",
    ];

    #[test]
    fn written_games_are_read_back() {
        for file in FILES {
            let game = &read(file).unwrap_or_else(|error| panic!("{error}"))[0];
            let text = write(game).unwrap_or_else(|error| panic!("{error}"));
            let again = &read(&text).unwrap_or_else(|error| panic!("{error}: {text}"))[0];
            let json = |game: &ParsedGame| {
                let mut value = serde_json::to_value(game).expect("JSON");
                value["tags"].take();
                value
            };
            assert_eq!(json(again), json(game), "{text}");
            assert_eq!(write(again).as_ref(), Ok(&text));
            for tag in game.tags.iter().filter(|(name, _)| name != "Variant") {
                assert!(again.tags.contains(tag), "{tag:?} in {text}");
            }
        }
        let text = write(&read(FILES[1]).unwrap_or_else(|error| panic!("{error}"))[0]);
        let text = text.unwrap_or_else(|error| panic!("{error}")).replace('\n', " ");
        for part in [
            "$10 {[%csl Ge4] [%cal Re2e4] Start} 1. e4 $1 $14 {[%eval 0.17,22] [%clk 0:10:00]} 1... Hbd5 $6",
            "{[%eval #-3] [%clk 0:09:58.7] [%emt 0:00:02] a plan [%tqu \"En\",\"\"]}",
            "( {[%csl Ra1] or} 1... Hac5 $18 {[%eval -1.50]} )",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn errors_name_the_move() {
        assert_eq!(read("").err().as_deref(), Some("there is no game in this text"));
        let error = read("1. Qh9 *").err().unwrap_or_default();
        assert!(error.contains("1.Qh9"), "{error}");
        let games = read("[Variant \"Spartan\"]\n\n1. e4 Hbd5 2. Qh9 *").unwrap_or_else(|error| panic!("{error}"));
        let error = games[0].warnings.join("");
        assert_eq!(games[0].nodes.len(), 2);
        assert!(error.contains("2.Qh9"), "{error}");
        let mut game = games.into_iter().next().expect("a game");
        game.nodes = vec![Node { mv: "e2e5".into(), ..Node::default() }];
        let error = write(&game).err();
        assert_eq!(error.as_deref(), Some("1.e2e5: not a legal move"));
    }

    #[test]
    fn deep_nesting_is_cut_off() {
        let text = format!("1. e4 {} {} *", "(1. e4".repeat(5000), ")".repeat(5000));
        assert!(read(&text).is_ok());
    }
}
