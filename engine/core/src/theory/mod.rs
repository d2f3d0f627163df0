//! Opening theory: positions with the values of their moves and the results of games.
//!
//! `agoge-bench theory` makes it. As text (`positions/theory.epd`) it is EPD with these operations, all from the side
//! to move's view:
//!
//! - `ce`: the value in centipawns, or `dm`: the moves to mate, negative if the side to move is mated;
//! - `acd`, `acn`: the depth of the first search and the nodes of all searches of the position;
//! - `mv`: the known moves in coordinate notation, each followed by its value, in the order in which they were found;
//!   mates are `M3` and `-M3`;
//! - `wdl`: the games won, drawn and lost.
//!
//! `compact` is the form that programs embed.

mod compact;

use crate::board::{Board, Variant};
use crate::notation::book::BookMove;
use crate::notation::epd::Epd;
use crate::text::quoted;
use crate::types::Move;
use crate::types::score::{INFINITE, MATE, MATE_IN_MAX, Score, Value};
use std::collections::HashMap;
use std::fmt;

/// The compact form of the theory of the repository (`positions/theory.epd`). Only programs that use it contain it.
pub static EMBEDDED: &[u8] = include_bytes!("../../data/theory.bin");

/// The theory of Spartan Chess. All its moves are legal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Theory {
    /// What made it: the lines of the head of the file.
    pub about: String,
    positions: HashMap<u64, Position>,
}

/// A position of theory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The known moves, at least one, in the order in which they were found.
    pub moves: Vec<KnownMove>,
    /// Games that the side to move has won, drawn and lost.
    pub games: [u32; 3],
    /// The depth of the first search in iterations; 0 for the initial position, which is not searched.
    pub depth: u32,
    /// The nodes of all searches.
    pub nodes: u32,
}

/// A move of theory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownMove {
    /// A legal move.
    pub mv: Move,
    /// From the mover's view.
    pub value: Value,
}

impl Position {
    /// The value of the best move.
    pub fn value(&self) -> Value {
        self.moves.iter().map(|known| known.value).max().unwrap_or(-INFINITE)
    }

    /// The moves, the best one first; of equals the one that was found first.
    pub fn best_first(&self) -> Vec<KnownMove> {
        let mut moves = self.moves.clone();
        moves.sort_by_key(|known| -known.value);
        moves
    }

    /// The moves to play with their weights, the best one first: a move that is worse by `variety` centipawns has a
    /// weight e times lower. Moves that are worse by more than twice that are left out.
    pub fn book_moves(&self, variety: u32) -> Vec<BookMove> {
        /// The weight of the best move.
        const BEST: f64 = 1000.0;
        let best = self.value();
        let loss = |known: &KnownMove| best.abs_diff(known.value);
        let moves = self.best_first().into_iter().filter(|known| loss(known) <= variety.saturating_mul(2));
        let weight = |loss| (BEST * (-f64::from(loss) / f64::from(variety.max(1))).exp()).round() as u32;
        moves.map(|known| BookMove { mv: known.mv, weight: weight(loss(&known)).max(1) }).collect()
    }
}

/// A value as text: centipawns, or moves to mate such as `M3` and `-M3`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueText(pub Value);

impl fmt::Display for ValueText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Score::from(self.0) {
            Score::Cp(value) => write!(f, "{value}"),
            Score::Mate(moves) if moves > 0 => write!(f, "M{moves}"),
            Score::Mate(moves) => write!(f, "-M{}", -moves),
        }
    }
}

/// The value of a text, see [`ValueText`].
fn parse_value(text: &str) -> Option<Value> {
    let in_range = |moves: &Value| (0..=(MATE - MATE_IN_MAX) / 2).contains(moves);
    if let Some(moves) = text.strip_prefix('M') {
        return moves.parse().ok().filter(in_range).filter(|&moves| moves > 0).map(|moves: Value| MATE + 1 - 2 * moves);
    }
    match text.strip_prefix("-M") {
        Some(moves) => moves.parse().ok().filter(in_range).map(|moves: Value| 2 * moves - MATE),
        None => text.parse().ok().filter(|value: &Value| value.abs() < MATE_IN_MAX),
    }
}

/// The position of a line, without its value, which is that of the best move.
fn parse_position(epd: &Epd) -> Result<Position, String> {
    let mut moves: Vec<KnownMove> = Vec::new();
    let mut words = epd.operand("mv").ok_or("it has no moves")?.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let mv = epd.board.parse_move(word).map_err(|error| format!("{} is {error}", quoted(word)))?;
        if moves.iter().any(|known| known.mv == mv) {
            return Err(format!("duplicate move {word}"));
        }
        let value = words.next().and_then(parse_value).ok_or_else(|| format!("{word} has no value"))?;
        moves.push(KnownMove { mv, value });
    }
    if moves.is_empty() {
        return Err("it has no moves".to_owned());
    }
    let games = epd.operand("wdl").unwrap_or("0 0 0").split_ascii_whitespace().map(str::parse::<u32>);
    let games: Vec<u32> = games.collect::<Result<_, _>>().map_err(|_| "the operation 'wdl' is not three numbers")?;
    let games = <[u32; 3]>::try_from(games).map_err(|_| "the operation 'wdl' is not three numbers")?;
    let (depth, nodes) = (epd.number("acd")?.unwrap_or(0), epd.number("acn")?.unwrap_or(0));
    Ok(Position { moves, games, depth, nodes })
}

impl Theory {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// Names the first invalid line and the cause.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut theory = Self::default();
        for line in text.lines().map_while(|line| line.strip_prefix('#')) {
            theory.about += line.strip_prefix(' ').unwrap_or(line);
            theory.about.push('\n');
        }
        for (number, epd) in Epd::parse_all(text, Variant::Spartan)? {
            let position = parse_position(&epd).map_err(|error| format!("line {number}: {error}"))?;
            theory.insert(&epd.board, position).map_err(|error| format!("line {number}: {error}"))?;
        }
        Ok(theory)
    }

    /// Adds a position; its moves must be legal.
    fn insert(&mut self, board: &Board, position: Position) -> Result<(), &'static str> {
        match self.positions.insert(board.key(), position) {
            None => Ok(()),
            Some(_) => Err("duplicate position"),
        }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// A position, if it is known.
    pub fn get(&self, board: &Board) -> Option<&Position> {
        let found = self.positions.get(&board.key()).filter(|_| board.variant() == Variant::Spartan)?;
        // Two positions may have the same key.
        found.moves.iter().all(|known| board.is_legal(known.mv)).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -";
    const MOVED: &str = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -";

    #[test]
    fn a_text_is_parsed() {
        let text = format!(
            "# Theory\n# nodes: 9\n{START} ce 30; acd 9; acn 18; mv d2d4 20 e2e4 30; wdl 3 2 1;\n\n{MOVED} dm -3; mv h7f5 -M3;\n"
        );
        let theory = Theory::parse(&text).unwrap();
        assert_eq!((theory.len(), theory.about.as_str()), (2, "Theory\nnodes: 9\n"));
        let board = Board::start(Variant::Spartan);
        let start = theory.get(&board).unwrap();
        assert_eq!((start.value(), start.games, start.depth, start.nodes), (30, [3, 2, 1], 9, 18));
        let best: Vec<String> = start.best_first().iter().map(|known| known.mv.to_string()).collect();
        assert_eq!(best, ["e2e4", "d2d4"]);
        for (variety, weights) in [(0, &[1000][..]), (4, &[1000]), (5, &[1000, 135]), (10, &[1000, 368])] {
            let moves = start.book_moves(variety);
            assert_eq!(moves.iter().map(|entry| entry.weight).collect::<Vec<_>>(), weights, "{variety}");
        }
        let moved = theory.get(&board.after(board.parse_move("e2e4").unwrap())).unwrap();
        assert_eq!((moved.value(), moved.games), (-MATE + 6, [0; 3]));
        assert_eq!(theory.get(&board.after(board.parse_move("d2d4").unwrap())), None);
        assert_eq!(theory.get(&Board::start(Variant::Chess)), None);
    }

    #[test]
    fn values_round_trip() {
        for value in [0, 35, -35, 20_000, -31_000, MATE - 1, MATE - 5, -MATE, -MATE + 2, -MATE + 8] {
            assert_eq!(parse_value(&ValueText(value).to_string()), Some(value));
        }
        for text in ["", "M", "M0", "M-1", "-M", "M99", "x", "31999", "1.5"] {
            assert_eq!(parse_value(text), None, "{text}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (operations, cause) in [
            ("ce 5;", "no moves"),
            ("mv;", "no moves"),
            ("mv e2e5 5;", "'e2e5' is not a legal move"),
            ("mv e2e4;", "e2e4 has no value"),
            ("mv e2e4 5 e2e4 6;", "duplicate move e2e4"),
            ("mv e2e4 5; wdl 1 2;", "three numbers"),
            ("mv e2e4 5; wdl 1 2 -3;", "three numbers"),
        ] {
            let error = Theory::parse(&format!("# a\n{START} {operations}\n")).unwrap_err();
            assert!(error.starts_with("line 2: ") && error.contains(cause), "{operations}: {error}");
        }
        let error = Theory::parse(&format!("{START} mv e2e4 5;\n{START} mv d2d4 5;\n")).unwrap_err();
        assert_eq!(error, "line 2: duplicate position");
    }
}
