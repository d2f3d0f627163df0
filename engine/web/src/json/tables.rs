//! What the endgame tables say about a position.

use crate::exact::{Exact, ExactMove, Step};
use agoge_core::board::{Board, Game};
use agoge_core::tables::{Class, MAX_MEN, Tables, Value};
use agoge_core::types::Move;
use serde::Serialize;

/// The plies of the longest line of best play that is told.
const MAX_LINE: usize = 400;

/// A position of few men.
#[derive(Serialize)]
pub struct Endgame {
    /// Its men, such as KQvkg.
    class: String,
    /// Its value, if the tables have it.
    value: Option<Exact>,
    /// The legal moves, the best ones first, those that the tables do not know last.
    moves: Vec<ExactMove>,
    /// The classes of the position and of those after its moves of which no file is there, but would tell more.
    missing: Vec<String>,
    /// What must be added to tables that are elsewhere for a better answer.
    wanted: Vec<Wanted>,
}

/// A range of bytes of the table of a class.
#[derive(Serialize)]
pub struct Wanted {
    class: String,
    from: u64,
    to: u64,
}

impl Wanted {
    fn of(tables: &Tables) -> Vec<Self> {
        let ranges = tables.take_wanted().into_iter();
        ranges.map(|(class, range)| Self { class: class.to_string(), from: range.start, to: range.end }).collect()
    }
}

impl Endgame {
    /// `None` with more men than a class has, castling rights, or no legal move.
    pub fn of(game: &Game, tables: &Tables) -> Option<Self> {
        let board = game.board();
        let (class, ..) = Class::of(board)?;
        if board.legal_moves().is_empty() {
            return None;
        }
        let mut missing = Vec::new();
        let result = |board: &Board| tables.value(board)?.result_at(board.halfmove_clock());
        let mut note = |board: &Board| {
            let class = Class::of(board).map(|(class, ..)| class).filter(|class| tables.get(class).is_none());
            let name = class.filter(|_| result(board).is_none()).map(|class| class.to_string());
            if let Some(name) = name.filter(|name| !missing.contains(name)) {
                missing.push(name);
            }
        };
        let is_over = game.outcome().is_some();
        if !is_over {
            note(board);
        }
        let ranked = tables.ranked_moves(game);
        ranked.iter().filter(|known| known.result.is_none()).for_each(|known| note(&board.after(known.mv)));
        let moves = ranked.iter().map(|known| ExactMove::of(board, known)).collect();
        // With legal moves, the game can only have ended in a draw.
        let value = if is_over { Some(Value::DRAW) } else { tables.value(board) };
        let value = value.and_then(|value| Exact::of(value, board.halfmove_clock()));
        Some(Self { class: class.to_string(), value, moves, missing, wanted: Wanted::of(tables) })
    }
}

/// A line of best play.
#[derive(Serialize)]
pub struct BestLine {
    steps: Vec<Step>,
    /// As in [`Endgame`].
    wanted: Vec<Wanted>,
}

/// The line of best play from a position on, beginning with a move: the winner mates as fast as the fifty-move rule
/// lets it, the loser resists as long as it can. It ends before a draw and where the tables end.
pub fn line(game: &Game, mv: Move, tables: &Tables) -> BestLine {
    let mut board = game.board().clone();
    let mut steps = vec![Step::make(&mut board, mv)];
    while steps.len() < MAX_LINE
        && board.occupied().count() as usize <= MAX_MEN
        && let Some(mv) = tables.best_move(&board)
    {
        steps.push(Step::make(&mut board, mv));
    }
    BestLine { steps, wanted: Wanted::of(tables) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn game(fen: &str) -> Game {
        Game::new(Board::from_fen(fen, Variant::Spartan).expect("a valid FEN"))
    }

    #[test]
    fn moves_are_sorted_and_told() {
        let told = |fen: &str| Endgame::of(&game(fen), Tables::embedded()).expect("few men");
        // The queen mates on b7; a stalemate is among the draws.
        let Endgame { class, value, moves, missing, .. } = told("k7/8/K7/8/8/8/8/1Q6 w - - 0 1");
        assert_eq!((class.as_str(), missing.len()), ("KQvk", 0));
        assert_eq!(value.and_then(|value| value.mate), Some(1));
        let results: Vec<_> = moves.iter().map(|told| (told.exact.result, told.exact.mate)).collect();
        assert_eq!(results[0], (Some("win"), Some(1)));
        assert!(results.windows(2).all(|pair| pair[0].0 >= pair[1].0 || pair[0].0 == Some("draw")), "{results:?}");
        assert!(results.iter().any(|&(result, _)| result == Some("draw")), "{results:?}");
        // The loser's moves: the longest resistance first.
        let lost = told("k7/8/2K5/8/8/8/8/1Q6 b - - 0 1");
        let mates: Vec<_> = lost.moves.iter().map(|told| (told.exact.result, told.exact.mate)).collect();
        assert!(mates.is_sorted_by(|a, b| a.1 >= b.1) && mates.iter().all(|told| told.0 == Some("loss")), "{mates:?}");
    }

    #[test]
    fn what_is_not_known_is_named() {
        let told = Endgame::of(&game("8/8/8/3k4/8/6g1/8/KQ6 w - - 0 1"), Tables::embedded()).expect("few men");
        assert!(told.value.is_none());
        assert_eq!(told.missing, ["KQvkg"]);
        // Capturing the general leads to the embedded three men.
        let told = Endgame::of(&game("8/8/8/3k4/8/8/8/KQg5 w - - 0 1"), Tables::embedded()).expect("few men");
        assert!(told.moves[0].exact.result.is_some() && told.moves.iter().any(|told| told.exact.result.is_none()));
        // The embedded table has no distances to zeroing, on which the result depends near the end of the fifty moves.
        let told = Endgame::of(&game("8/8/8/3k4/8/8/8/KQ6 w - - 95 80"), Tables::embedded()).expect("few men");
        assert!(told.value.is_none());
        assert_eq!(told.missing, ["KQvk"]);
        assert!(Endgame::of(&Game::start(Variant::Spartan), Tables::embedded()).is_none());
    }

    #[test]
    fn lines_end_with_mate() {
        let game = game("8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
        let told = Endgame::of(&game, Tables::embedded()).expect("few men");
        let best = game.board().parse_move(&told.moves[0].step.mv).expect("a legal move");
        let BestLine { steps, .. } = line(&game, best, Tables::embedded());
        assert_eq!(Some(steps.len().div_ceil(2) as u16), told.value.and_then(|value| value.mate));
        assert!(steps.last().is_some_and(|step| step.san.ends_with('#')));
    }
}
