//! Won endgames against a perfect defender, to measure how many of them an engine converts.
//!
//! Positions are drawn from endgame tables. The engine plays the winning side. The other side plays by the tables: it
//! draws if it can, otherwise it delays the mate as long as possible.

pub mod command;

use crate::rng::Rng;
use crate::tables::Statistics;
use agoge_core::board::{Board, Game, Outcome};
use agoge_core::tables::{Value, Wdl};
use agoge_core::types::{Colour, Move};
use agoge_solver::{Solved, Store};
use std::fmt;

/// The classes that are played by default: all classes of three and four men without pawns with one piece against a
/// bare king, or pieces on both sides, in which a side wins more than [`MIN_WIN_SHARE`] of its positions. Two pieces
/// against a bare king are included only where the win takes technique.
pub const CLASSES: [&str; 26] = [
    "KQvk", "KRvk", "KBBvk", "KBNvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "KQvkk", "KQvkg", "KQvkw", "KQvkc", "KQvkl",
    "KRvkk", "KRvkg", "KRvkw", "KRvkc", "KRvkl", "KBvkk", "KBvkg", "KBvkw", "KBvkc", "KNvkk", "KNvkg", "KNvkw",
    "KNvkc",
];

/// A side that wins less than this share of the positions in which it is to move is not measured: such wins are
/// tactical accidents.
pub const MIN_WIN_SHARE: f64 = 0.01;

/// Longer wins are not sampled, because the fifty-move rule could end the game first.
const MAX_PLIES: u16 = 99;

/// The sides that win at least [`MIN_WIN_SHARE`] of the positions of a class.
pub fn sides(solved: &Solved) -> Vec<Colour> {
    let statistics = Statistics::of(solved);
    Colour::ALL.into_iter().filter(|side| statistics[side.index()].share(Wdl::Win) >= MIN_WIN_SHARE).collect()
}

/// Random positions that the side to move wins, with the plies to mate. The class must contain such positions.
pub fn random_wins(solved: &Solved, side: Colour, count: usize, rng: &mut Rng) -> Vec<(Board, u16)> {
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let Some((board, Value { wdl: Wdl::Win, dtm: Some(plies), .. })) = solved.get(rng.below(solved.indices()))
        else {
            continue;
        };
        if board.side_to_move() == side && plies <= MAX_PLIES {
            found.push((board, plies));
        }
    }
    found
}

/// How a game ended for the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Win,
    /// The game ended without mate.
    Draw(Outcome),
    /// The engine gave away the win: the table says draw. The game was stopped.
    GivenAway,
    /// The engine was mated, or the table says that it will be. The game was stopped.
    Lost,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win => f.write_str("mate"),
            Self::Draw(outcome) => outcome.fmt(f),
            Self::GivenAway => f.write_str("win given away"),
            Self::Lost => f.write_str("lost"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Played {
    pub ending: Ending,
    pub moves: Vec<Move>,
}

/// Plays a won position. `choose` returns each move of the engine, given the game and its moves so far. The tables must
/// contain the class of the position.
///
/// # Errors
/// If `choose` fails or returns an illegal move.
pub fn play(
    tables: &Store,
    start: &Board,
    rng: &mut Rng,
    mut choose: impl FnMut(&Game, &[Move]) -> Result<Move, String>,
) -> Result<Played, String> {
    let mut game = Game::new(start.clone());
    let mut moves = Vec::new();
    let engine = start.side_to_move();
    let ending = loop {
        match game.outcome() {
            Some(Outcome::Checkmate { winner }) if winner == engine => break Ending::Win,
            Some(Outcome::Checkmate { .. }) => break Ending::Lost,
            Some(outcome) => break Ending::Draw(outcome),
            None => {}
        }
        let mv = if game.board().side_to_move() == engine {
            choose(&game, &moves)?
        } else {
            let wdl = value(tables, game.board())?.wdl;
            if wdl.is_win() {
                break Ending::Lost;
            } else if !wdl.is_loss() {
                break Ending::GivenAway;
            }
            defend(tables, game.board(), rng)?
        };
        game.push(mv).map_err(|error| format!("{mv} in {}: {error}", game.board().to_fen()))?;
        moves.push(mv);
    };
    Ok(Played { ending, moves })
}

fn value(tables: &Store, board: &Board) -> Result<Value, String> {
    tables.probe(board).ok_or_else(|| format!("no table for {}", board.to_fen()))
}

/// A number to compare values by, larger for values that are better for the side to move: faster wins, slower losses.
fn rank(value: Value) -> i32 {
    let plies = i32::from(value.dtm.unwrap_or(0));
    if value.wdl.is_win() {
        i32::MAX - plies
    } else if value.wdl.is_loss() {
        i32::MIN + plies
    } else {
        0
    }
}

/// A random one of the moves that delay the mate longest.
fn defend(tables: &Store, board: &Board, rng: &mut Rng) -> Result<Move, String> {
    let mut best = Vec::new();
    let mut lowest = i32::MAX;
    for mv in board.legal_moves() {
        let rank = rank(value(tables, &board.after(mv))?);
        if rank < lowest {
            best.clear();
            lowest = rank;
        }
        if rank == lowest {
            best.push(mv);
        }
    }
    if best.is_empty() {
        return Err(format!("no move in {}", board.to_fen()));
    }
    Ok(best[rng.below(best.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::tables::Class;

    fn solved(name: &str) -> (Store, Class) {
        let class: Class = name.parse().unwrap();
        let mut tables = Store::default();
        tables.solved(&class).unwrap();
        (tables, class)
    }

    /// A best move according to the table.
    fn perfect(tables: &Store, board: &Board) -> Move {
        let moves = board.legal_moves();
        *moves.iter().min_by_key(|&&mv| rank(tables.probe(&board.after(mv)).unwrap())).unwrap()
    }

    #[test]
    fn class_names_are_canonical() {
        for name in CLASSES {
            assert_eq!(name.parse::<Class>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn only_winners_are_measured() {
        let (mut tables, class) = solved("Kvkg");
        assert_eq!(sides(&tables.solved(&class).unwrap()), [Colour::Black]);
        let (mut tables, class) = solved("KQvk");
        assert_eq!(sides(&tables.solved(&class).unwrap()), [Colour::White]);
        let (mut tables, class) = solved("KPvk");
        assert_eq!(sides(&tables.solved(&class).unwrap()), [Colour::White]);
    }

    #[test]
    fn perfect_play_mates_in_the_tabulated_number_of_moves() {
        let (mut tables, class) = solved("Kvkw");
        let mut rng = Rng::new(5);
        let starts = random_wins(&tables.solved(&class).unwrap(), Colour::Black, 20, &mut rng);
        for (board, plies) in starts {
            let played = play(&tables, &board, &mut rng, |game, _| Ok(perfect(&tables, game.board()))).unwrap();
            assert_eq!((played.ending, played.moves.len()), (Ending::Win, plies as usize), "{board}");
        }
    }

    #[test]
    fn bad_play_does_not_win() {
        let (mut tables, class) = solved("KQvk");
        let mut rng = Rng::new(6);
        let starts = random_wins(&tables.solved(&class).unwrap(), Colour::White, 20, &mut rng);
        let mut endings = Vec::new();
        for (board, _) in starts {
            let choose = |game: &Game, _: &[Move]| {
                let moves = game.board().legal_moves();
                Ok(*moves.iter().max_by_key(|&&mv| rank(tables.probe(&game.board().after(mv)).unwrap())).unwrap())
            };
            endings.push(play(&tables, &board, &mut rng, choose).unwrap().ending);
        }
        assert!(!endings.contains(&Ending::Win), "{endings:?}");
        assert!(endings.iter().any(|ending| matches!(ending, Ending::Draw(_) | Ending::GivenAway)), "{endings:?}");
    }

    #[test]
    fn illegal_moves_are_errors() {
        let (tables, _) = solved("KQvk");
        let board = Board::from_fen("k7/8/8/8/8/8/1Q6/K7 w - - 0 1", agoge_core::board::Variant::Spartan).unwrap();
        let illegal = Move::from_bits(1).unwrap();
        assert!(play(&tables, &board, &mut Rng::new(1), |_, _| Ok(illegal)).is_err());
        assert!(play(&tables, &board, &mut Rng::new(1), |_, _| Err("no".to_owned())).is_err());
    }
}
