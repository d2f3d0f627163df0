//! A puzzle, and its line in a file.

use super::judge::WINS;
use super::themes::themes;
use crate::epd::{Epd, plain_san};
use agoge_core::board::Board;
use agoge_core::types::Move;

/// Ratings go from this …
const LOWEST: f64 = 800.0;

/// … for puzzles of this number of nodes …
const EASIEST: f64 = 30.0;

/// … to this …
const HIGHEST: f64 = 2400.0;

/// … for this one, in proportion to the logarithm of the nodes.
const HARDEST: f64 = 5_000.0;

#[derive(Clone, PartialEq, Debug)]
pub struct Puzzle {
    pub board: Board,
    /// The solution: moves of the solver, each the only good one, and the best replies to them between.
    pub line: Vec<Move>,
    /// The number of moves of the mate, if it is one; then no other move mates in time. Otherwise every other move is
    /// worse by a margin.
    pub mate: Option<u32>,
    /// The expectations after the first move and after the second-best one; 1 and 0 for a mate.
    pub values: [f64; 2],
    /// The nodes of each search that found it, or of the solver that proved the mate.
    pub nodes: u64,
    /// The nodes after which the engine finds the moves of the solver and keeps them, of all moves together.
    pub difficulty: u64,
}

/// The rating of a puzzle by its difficulty.
pub fn rating(difficulty: u64) -> u32 {
    let share = (difficulty.max(1) as f64 / EASIEST).ln() / (HARDEST / EASIEST).ln();
    (LOWEST + (HIGHEST - LOWEST) * share.clamp(0.0, 1.0)).round() as u32
}

impl Puzzle {
    /// Whether the solution saves the game without winning it.
    pub fn saves(&self) -> bool {
        self.values[0] < WINS
    }

    /// The line in a file: `bm` is the first move, `pv` the solution, `dm` the length of the mate, `acn` the nodes,
    /// `c0` the themes, `c1` the difficulty in nodes, `c2` the rating, `c3` the expectations.
    pub fn epd(&self, id: &str) -> Epd {
        let line: Vec<String> = self.line.iter().map(Move::to_string).collect();
        let best = self.line.first().map_or_else(String::new, |&mv| plain_san(&self.board, mv));
        let epd = Epd::new(self.board.clone()).with("bm", best).with("pv", line.join(" "));
        let epd = if let Some(moves) = self.mate { epd.with("dm", moves) } else { epd };
        epd.with("acn", self.nodes)
            .with("c0", themes(&self.board, &self.line, self.mate, self.saves()).join(" "))
            .with("c1", self.difficulty)
            .with("c2", rating(self.difficulty))
            .with("c3", self.values.map(|value| format!("{value:.3}")).join(" "))
            .with("id", id)
    }

    /// Reads the line of a file.
    ///
    /// # Errors
    /// If an operation is missing, or a move is not legal.
    pub fn parse(epd: &Epd) -> Result<Self, String> {
        let number = |name: &str| epd.number::<u64>(name)?.ok_or_else(|| format!("no operation {name}"));
        let mut board = epd.board.clone();
        let mut line = Vec::new();
        for text in epd.operand("pv").unwrap_or("").split_whitespace() {
            let mv = board.parse_move(text).map_err(|error| format!("pv {text}: {error}"))?;
            board.make_move(mv);
            line.push(mv);
        }
        if line.len() % 2 == 0 {
            return Err("the solution does not end with a move of the solver".to_owned());
        }
        let mate = epd.number("dm")?;
        if mate.is_some_and(|moves: u32| moves as usize != line.len().div_ceil(2)) {
            return Err("the solution is not as long as dm says".to_owned());
        }
        let values = epd.operand("c3").unwrap_or("").split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
        let values = values.ok().and_then(|values| values.try_into().ok()).ok_or("c3 has not two expectations")?;
        Ok(Self { board: epd.board.clone(), line, mate, values, nodes: number("acn")?, difficulty: number("c1")? })
    }

    /// The positions in which the solver moves, each with the move.
    pub fn choices(&self) -> Vec<(Board, Move)> {
        self.positions().into_iter().step_by(2).collect()
    }

    /// All positions of the line, each with the move played in it.
    pub fn positions(&self) -> Vec<(Board, Move)> {
        let mut board = self.board.clone();
        let step = |&mv: &Move| {
            let before = board.clone();
            board.make_move(mv);
            (before, mv)
        };
        self.line.iter().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    #[test]
    fn ratings_grow_with_the_nodes() {
        assert_eq!((rating(0), rating(30), rating(5_000), rating(1_000_000)), (800, 800, 2400, 2400));
        assert_eq!(rating(387), 1600);
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let board = Board::from_fen("7k/8/8/6K1/8/8/8/1Q6 w - - 0 1", Variant::Spartan).unwrap();
        let line = ["g5h6", "h8g8", "b1b8"];
        let mut at = board.clone();
        let line: Vec<Move> = line
            .iter()
            .map(|text| {
                let mv = at.parse_move(text).unwrap();
                at.make_move(mv);
                mv
            })
            .collect();
        let puzzle = Puzzle { board, line, mate: Some(2), values: [1.0, 0.25], nodes: 100, difficulty: 77 };
        let epd = puzzle.epd("puzzle.1.2");
        let text = epd.to_string();
        let end = "; bm Kh6 ; pv g5h6 h8g8 b1b8 ; dm 2 ; acn 100 ; c0 mate-in-2 endgame quiet ; c1 77 ; c2 1095 ; c3 1.000 0.250 ; \
                   id puzzle.1.2";
        assert!(text.ends_with(end), "{text}");
        assert_eq!(Puzzle::parse(&epd).as_ref(), Ok(&puzzle));
        assert_eq!(puzzle.choices().len(), 2);
        let parse = |text: &str| Puzzle::parse(&Epd::parse(text, Variant::Spartan).unwrap().unwrap());
        for wrong in [
            "pv g5h6 ; acn 1 ; c3 1 0",
            "pv g5h6 h8g8 ; acn 1 ; c1 1 ; c3 1 0",
            "pv g5h8 ; acn 1 ; c1 1 ; c3 1 0",
            "acn 1 ; c1 1 ; c3 1 0",
            "pv g5h6 ; dm 2 ; acn 1 ; c1 1 ; c3 1 0",
            "pv g5h6 ; acn 1 ; c1 1 ; c3 1",
        ] {
            assert!(parse(&format!("7k/8/8/6K1/8/8/8/1Q6 w - - 0 1 ; {wrong}")).is_err(), "{wrong}");
        }
        assert!(parse("7k/8/8/6K1/8/8/8/1Q6 w - - 0 1 ; pv g5h6 ; acn 1 ; c1 1 ; c3 1 0").is_ok());
    }
}
