//! Questions about the rules in JSON, for front ends that have no rules of their own.
//!
//! A front end sends one object per question and gets one object per answer; [`answer`] has no state. The page of
//! `agoge gui` asks through a WebSocket, the page with the engine in WebAssembly through a worker. Searches are not
//! part of it: for these, front ends speak UCI.
//!
//! A question has a name in `ask`, and any `id`, which is copied to the answer. The answer has the result in `ok`, or
//! a message for the user in `error`. A *line* is the object `{variant, fen, moves}`: the variant (`spartan` if
//! missing), the first position (the initial one if missing) and moves in coordinate notation. Positions are answered
//! as in `Position`, the moves of a game as in `Node`.
//!
//! | `ask` | Fields | Answer |
//! | --- | --- | --- |
//! | `position` | `line` | the position after the line |
//! | `line` | `line` | for each move its SAN and the FEN after it |
//! | `san` | `line`, `more` | the SAN of further legal moves, up to the first illegal one |
//! | `move` | `line`, `text` | the legal move that a text in SAN or coordinates means |
//! | `explain` | `line`, `from`, `to` | why a move between two squares is illegal, or null if it is legal |
//! | `reach` | `line`, `from` | what the piece on a square can do there; see `Reach` |
//! | `other-side` | `line` | the `moves` that the side not to move would have, and its `premoves`; see `OtherSide` |
//! | `theory` | `line` | the opening theory there; see `Explored` |
//! | `tables-moves` | `line` | what the endgame tables say about the position, or null if it has too many men; see `Endgame` |
//! | `tables-line` | `line`, `move` | the line of best play after a legal move; see `BestLine` |
//! | `read-pgn` | `text`, `line`, `number` | the games of a PGN file with annotations, variations and warnings of damage |
//! | `list-pgn` | `text`, `line`, `cut`, `more` | the games of a part of a PGN file, without moves, and where it goes on |
//! | `write-pgn` | `line` without moves, `tags`, `nodes`, `result`, annotations | the PGN text of a game |
//! | `limits` | | the longest question, `text` of `read-pgn` and document that is kept, in bytes, the number of documents of a kind, the size of a network file, a name for the version of the page, and the Elo ratings of the levels, as `{question, text, document, documents, network, page, ratings}` |
//!
//! `line` and `number` of a text of PGN are the line and the number of the game, from 1, at which it begins in its
//! file; they may be missing.
//!
//! ```
//! let question = r#"{"id": 1, "ask": "move", "line": {"moves": ["e2e4"]}, "text": "Hbd5"}"#;
//! assert_eq!(agoge_web::json::answer(question), r#"{"id":1,"ok":{"move":"b7d5","san":"Hbd5"}}"#);
//! ```

mod annotations;
mod explain;
pub mod fen;
mod list;
mod node;
mod other;
mod pgn;
mod position;
mod reach;
mod tables;

use crate::explorer::explore;
use agoge_core::board::{Board, Game, SanError, Variant};
use agoge_core::nnue;
use agoge_core::strength::RATINGS;
use agoge_core::tables::Tables;
use agoge_core::types::{Move, Square};
use annotations::Annotations;
use list::Part;
use node::Node;
use other::OtherSide;
use position::Position;
pub(crate) use position::colour_name;
use reach::Reach;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;
use tables::Endgame;

/// The longest question in bytes. The longest is to write the game of a long file.
pub const MAX_QUESTION: usize = 8 << 20;

/// The longest text of PGN in bytes. Its games take up to two hundred times as much memory.
const MAX_TEXT: usize = 2 << 20;

/// The longest document that is kept for the page, in bytes: a game, an analysis or settings. It fits in a question.
pub const MAX_DOCUMENT: usize = 2 << 20;

/// The maximum number of documents of a kind.
pub const MAX_DOCUMENTS: usize = 10_000;

/// The maximum number of moves in a line.
const MAX_PLIES: usize = 1 << 16;

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
enum Question {
    Position {
        line: Line,
    },
    Line {
        line: Line,
    },
    San {
        line: Line,
        more: Vec<String>,
    },
    Move {
        line: Line,
        text: String,
    },
    Explain {
        line: Line,
        from: String,
        to: String,
    },
    Reach {
        line: Line,
        from: String,
    },
    OtherSide {
        line: Line,
    },
    Theory {
        line: Line,
    },
    TablesMoves {
        line: Line,
    },
    TablesLine {
        line: Line,
        r#move: String,
    },
    ReadPgn {
        text: String,
        #[serde(default = "first")]
        line: NonZeroUsize,
        #[serde(default = "first")]
        number: NonZeroUsize,
    },
    ListPgn {
        text: String,
        #[serde(default = "first")]
        line: NonZeroUsize,
        #[serde(default)]
        cut: bool,
        #[serde(default)]
        more: bool,
    },
    WritePgn {
        line: Line,
        tags: Vec<(String, String)>,
        nodes: Vec<Node>,
        result: String,
        #[serde(flatten)]
        notes: Annotations,
    },
    Limits {},
}

/// The number of the first line or game.
const fn first() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// The number of a question.
#[derive(Deserialize)]
pub(crate) struct Number {
    #[serde(default)]
    pub id: Value,
}

/// A first position and moves.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    variant: Option<String>,
    #[serde(default)]
    fen: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

impl Line {
    fn start(&self) -> Result<Board, String> {
        let variant = match &self.variant {
            Some(name) => Variant::from_name(name).ok_or_else(|| format!("unknown variant '{name}'"))?,
            None => Variant::default(),
        };
        match &self.fen {
            Some(fen) => fen::read(fen, variant),
            None => Ok(Board::start(variant)),
        }
    }

    /// The game after the moves.
    fn game(&self) -> Result<Game, String> {
        if self.moves.len() > MAX_PLIES {
            return Err(format!("more than {MAX_PLIES} moves"));
        }
        let mut game = Game::new(self.start()?);
        for (index, text) in self.moves.iter().enumerate() {
            let made = game.board().parse_move(text).and_then(|mv| game.push(mv));
            made.map_err(|error| format!("move {}: {error}", index + 1))?;
        }
        Ok(game)
    }
}

/// Answers a question, with the embedded endgame tables. Never fails: errors are answers, too.
pub fn answer(question: &str) -> String {
    answer_with(question, &Arc::default, &|| true)
}

/// Answers a question, with endgame tables, as long as somebody waits for the answer; what is returned afterwards has
/// no meaning.
pub fn answer_with(question: &str, tables: &dyn Fn() -> Arc<Tables>, is_wanted: &dyn Fn() -> bool) -> String {
    let id = match serde_json::from_str(question) {
        Ok(Number { id }) => id,
        Err(error) => return refuse(&format!("not a valid question: {error}")),
    };
    // Read a second time, because nodes need far less memory than as values that keep the number, too.
    let question = serde_json::from_str(question).map_err(|error| format!("not a valid question: {error}"));
    question.and_then(|question| resolve(&id, question, tables, is_wanted)).unwrap_or_else(|error| failed(&id, &error))
}

/// The answer to a question that was not read.
pub fn refuse(error: &str) -> String {
    failed(&Value::Null, error)
}

/// The answer to a question that cannot be answered.
pub(crate) fn failed(id: &Value, error: &str) -> String {
    json!({"id": id, "error": error}).to_string()
}

/// Writes the answer directly as text: as [`Value`] that of a long file would need ten times the memory.
pub(crate) fn ok(id: &Value, result: impl Serialize) -> Result<String, String> {
    #[derive(Serialize)]
    struct Answer<'a, T> {
        id: &'a Value,
        ok: T,
    }
    serde_json::to_string(&Answer { id, ok: result }).map_err(|error| error.to_string())
}

fn resolve(
    id: &Value,
    question: Question,
    tables: &dyn Fn() -> Arc<Tables>,
    is_wanted: &dyn Fn() -> bool,
) -> Result<String, String> {
    match question {
        Question::Position { line } => ok(id, Position::of(&line.game()?)),
        Question::Line { line } => {
            let game = line.game()?;
            let mut board = game.initial_board().clone();
            ok(id, game.moves().iter().map(|&mv| Node::make(&mut board, mv)).collect::<Vec<_>>())
        }
        Question::San { line, more } => ok(id, san(line.game()?.board(), &more)),
        Question::Move { line, text } => {
            let game = line.game()?;
            let mv = read_move(&game, &text)?;
            ok(id, json!({"move": mv.to_string(), "san": game.board().to_san(mv)}))
        }
        Question::Explain { line, from, to } => {
            let game = line.game()?;
            ok(id, explain::explain(&game, square(&from)?, square(&to)?))
        }
        Question::Reach { line, from } => {
            let from = square(&from)?;
            let game = line.game()?;
            ok(id, Reach::of(game.board(), from).ok_or_else(|| format!("There is no piece on {from}."))?)
        }
        Question::OtherSide { line } => ok(id, OtherSide::of(&line.game()?)),
        Question::Theory { line } => ok(id, explore(&line.game()?, None)?),
        Question::TablesMoves { line } => ok(id, Endgame::of(&line.game()?, &tables())),
        Question::TablesLine { line, r#move } => {
            let game = line.game()?;
            let mv = game.board().parse_move(&r#move).map_err(|error| error.to_string())?;
            ok(id, tables::line(&game, mv, &tables()))
        }
        Question::ReadPgn { text, .. } | Question::ListPgn { text, .. } if text.len() > MAX_TEXT => {
            Err(format!("the text has more than {} MiB", MAX_TEXT >> 20))
        }
        Question::ReadPgn { text, line, number } => ok(id, pgn::read(&text, (line.get(), number.get()), is_wanted)?),
        Question::ListPgn { text, line, cut, more } => {
            ok(id, list::list(&Part { text: &text, line: line.get(), cut, more }, is_wanted)?)
        }
        Question::WritePgn { line, tags, nodes, result, notes } => {
            ok(id, pgn::write(&line.start()?, &tags, &notes, &nodes, &result, is_wanted)?)
        }
        Question::Limits {} => {
            let (document, documents, network) = (MAX_DOCUMENT, MAX_DOCUMENTS, nnue::FILE_BYTES);
            ok(
                id,
                json!({
                    "question": MAX_QUESTION, "text": MAX_TEXT, "document": document, "documents": documents,
                    "network": network, "page": env!("AGOGE_PAGE"),
                    "ratings": RATINGS,
                }),
            )
        }
    }
}

fn square(name: &str) -> Result<Square, &'static str> {
    let square = match *name.as_bytes() {
        [file, rank] => Square::from_ascii(file, rank),
        _ => None,
    };
    square.ok_or("not a square")
}

/// The SAN of further moves, up to the first illegal one.
fn san(board: &Board, moves: &[String]) -> Vec<String> {
    let mut board = board.clone();
    let next = |text: &String| {
        let mv = board.parse_move(text).ok()?;
        let san = board.to_san(mv);
        board.make_move(mv);
        Some(san)
    };
    moves.iter().take(MAX_PLIES).map_while(next).collect()
}

/// Reads a move that a person has typed, in coordinate or algebraic notation.
///
/// # Errors
/// Why it is no legal move, as a sentence for the user.
pub fn read_move(game: &Game, text: &str) -> Result<Move, String> {
    let board = game.board();
    let text = text.trim();
    // People also write pieces in lower case; before a digit the letter is a file.
    let mut capital = text.to_owned();
    let is_file = text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    if let Some(first) = capital.get_mut(..1).filter(|_| !is_file) {
        first.make_ascii_uppercase();
    }
    let mv = match board.parse_move(&text.to_ascii_lowercase()) {
        Ok(mv) => mv,
        Err(_) => match (board.parse_san(text), board.parse_san(&capital)) {
            (Ok(mv), _) | (Err(SanError::Illegal | SanError::Notation), Ok(mv)) => mv,
            (Err(SanError::Ambiguous), _) => return Err(ambiguous(game, text)),
            (Err(_), Err(SanError::Ambiguous)) => return Err(ambiguous(game, &capital)),
            (Err(error), Err(_)) => {
                let reason = explain::explain_san(game, text).or_else(|| explain::explain_san(game, &capital));
                return Err(reason.unwrap_or_else(|| format!("'{text}' is {error}.")));
            }
        },
    };
    Ok(mv)
}

/// Names the moves that a text may mean.
fn ambiguous(game: &Game, text: &str) -> String {
    let board = game.board();
    let Some(intent) = board.san_intent(text) else { return format!("'{text}' matches more than one legal move.") };
    let means =
        |mv: &Move| mv.to() == intent.to && intent.pieces.contains(&mv.from()) && mv.promoted() == intent.promotion;
    let moves = board.legal_moves().into_iter().filter(means);
    let mut names: Vec<String> = moves.map(|mv| board.to_san(mv)).collect();
    names.sort_unstable();
    format!("'{text}' could mean {}.", names.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(question: &Value) -> Value {
        serde_json::from_str(&answer(&question.to_string())).expect("JSON")
    }

    #[test]
    fn bad_questions_are_answered() {
        for question in ["", "x", "[]", "{}", "{\"ask\": 1}", "{\"ask\": \"tea\"}", "{\"ask\": \"position\"}", "null"] {
            let answer: Value = serde_json::from_str(&answer(question)).expect("JSON");
            assert!(answer["error"].is_string(), "{question}: {answer}");
        }
        let answer = ask(&json!({"id": "x", "ask": "position", "line": {"fen": "8/8 w - -"}}));
        assert_eq!(answer["id"], "x");
        assert_eq!(answer["error"], "The piece placement in the FEN cannot be read: 2 ranks, not 8.");
        let answer = ask(&json!({"ask": "position", "line": {"moves": ["e2e4", "e2e4"]}}));
        assert_eq!(answer["error"], "move 2: not a legal move");
        let answer = ask(&json!({"ask": "line", "line": {"variant": "shogi"}}));
        assert_eq!(answer["error"], "unknown variant 'shogi'");
        let answer = ask(&json!({"ask": "line", "line": {"moves": vec!["g1f3"; MAX_PLIES + 1]}}));
        assert_eq!(answer["error"], "more than 65536 moves");
    }

    #[test]
    fn lines_have_san_and_positions() {
        let line = json!({"moves": ["g2g4", "g8f6", "f2f3", "f6h4"]});
        let steps = ask(&json!({"ask": "line", "line": line}));
        assert_eq!(steps["ok"][3]["san"], "Wh4#");
        let position = |line: &Value| ask(&json!({"ask": "position", "line": line}))["ok"].clone();
        assert_eq!(position(&json!({}))["legal"].as_array().map(Vec::len), Some(20));
        assert_eq!(position(&line)["end"]["reason"], "checkmate");
        let more = ask(&json!({"ask": "san", "line": {}, "more": ["e2e4", "b7d5", "e2e4"]}));
        assert_eq!(more["ok"], json!(["e4", "Hbd5"]));
        let other = ask(&json!({"ask": "other-side", "line": {"moves": ["e2e4"]}}))["ok"].clone();
        assert_eq!(other["moves"].as_array().map(Vec::len), Some(30));
        assert!(other["premoves"].as_array().is_some_and(|moves| moves.contains(&json!("e4d5"))));
        let reach = ask(&json!({"ask": "reach", "line": {}, "from": "d8"}));
        let captain = json!({"piece": "captain", "moves": ["d6"], "quiet": [], "captures": [], "leaps": ["d6"]});
        assert_eq!(reach["ok"], captain);
        let reach = ask(&json!({"ask": "reach", "line": {}, "from": "e4"}));
        assert_eq!(reach["error"], "There is no piece on e4.");
        assert_eq!(ask(&json!({"ask": "reach", "line": {}, "from": "e9"}))["error"], "not a square");
    }

    #[test]
    fn moves_are_read_in_san_and_coordinates() {
        for (text, mv) in [("e4", "e2e4"), ("E2E4", "e2e4"), (" Nf3! ", "g1f3"), ("e2-e4", "e2e4")] {
            assert_eq!(ask(&json!({"ask": "move", "line": {}, "text": text}))["ok"]["move"], mv, "{text}");
        }
        let line = json!({"moves": ["e2e4"]});
        let error = |text: &str| ask(&json!({"ask": "move", "line": line, "text": text}))["error"].clone();
        assert_eq!(error("d5"), "'d5' could mean Hbd5 or Hfd5.");
        assert_eq!(error("hd5"), "'Hd5' could mean Hbd5 or Hfd5.");
        assert_eq!(error("Gb4"), "Another piece stands in the way of the general.");
        assert_eq!(error("Ke5"), "No king of yours reaches e5.");
        assert!(error("h7h6").as_str().is_some_and(|text| text.starts_with("A hoplite moves one square diagonally")));
        assert_eq!(error("hello"), "'hello' is not a move in algebraic notation.");
        assert_eq!(ask(&json!({"ask": "move", "line": line, "text": "wf6"}))["ok"]["move"], "g8f6");
    }

    #[test]
    fn illegal_moves_in_notation_are_explained() {
        let error =
            |fen: &str, text: &str| ask(&json!({"ask": "move", "line": {"fen": fen}, "text": text}))["error"].clone();
        let two_kings = "k6k/8/8/8/8/8/1h6/4K3 b - - 0 1";
        let king_moved = "1k6/8/8/8/8/8/8/R4K1R w - - 0 1";
        let castling = "1k3g2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        for (fen, text, reason) in [
            (two_kings, "Hc1=K", "You have two kings; a hoplite becomes a king only when there is one."),
            (two_kings, "Hc1", "Name the new piece, as in Hc1=G."),
            (two_kings, "Ka7=G", "The king is not promoted there."),
            (two_kings, "Cc3", "You have no such captain."),
            (
                castling,
                "O-O",
                "f1 is attacked by the general on f8; a king may not castle over or onto an attacked square.",
            ),
            (king_moved, "o-o", "The right to castle on this side is lost: the king is not on e1."),
            (castling, "Qd1", "You have no such queen."),
            (castling, "Rd2", "No rook of yours reaches d2."),
        ] {
            assert_eq!(error(fen, text), reason, "{text}");
        }
    }
}
