//! What follows from the theory alone: first moves, replies, main lines, and positions with a single good move.

use super::text::{self, Table};
use crate::matches::stats::Wdl;
use agoge_core::board::{Board, Variant};
use agoge_core::theory::{KnownMove, Theory};
use agoge_core::types::score::{DRAW, Value};
use agoge_core::types::{Colour, Move};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet, VecDeque};

/// A line is shown up to this ply.
const LINE: usize = 12;

/// The results of games are those of the last position of a line that has at least this number.
const FEW_GAMES: u64 = 100;

/// The number of answers to the best first move whose lines are shown.
const ANSWERS: usize = 8;

/// A position has a single good move if the others are worse by at least this, in centipawns.
const SINGLE: Value = 90;

fn from_white(board: &Board, value: Value) -> Value {
    if board.side_to_move() == Colour::White { value } else { -value }
}

/// White's games of a position; none if theory does not have it.
fn games(theory: &Theory, board: &Board) -> Wdl {
    theory.get(board).map_or(Wdl::default(), |position| text::white_games(board, position))
}

/// White's first moves, the best one first.
fn first_moves_of(theory: &Theory) -> Vec<KnownMove> {
    theory.get(&Board::start(Variant::Spartan)).map_or(Vec::new(), agoge_core::theory::Position::best_first)
}

/// The best moves from a position, as far as theory knows them; at most `most`.
fn best_line(theory: &Theory, board: &Board, most: usize) -> Vec<Move> {
    let (mut board, mut moves) = (board.clone(), Vec::new());
    let mut seen = HashSet::from([board.key()]);
    while let Some(best) = theory.get(&board).and_then(|position| position.best_first().first().copied()) {
        if moves.len() >= most {
            break;
        }
        moves.push(best.mv);
        board.make_move(best.mv);
        if !seen.insert(board.key()) {
            break;
        }
    }
    moves
}

/// How good White's first moves are.
pub fn first_moves(theory: &Theory) -> String {
    let start = Board::start(Variant::Spartan);
    let heading = ["first move", "value", "expectation", "best reply", "games", "won / drawn / lost", "White scores"];
    let mut table = Table::new(1, heading);
    for KnownMove { mv, value } in first_moves_of(theory) {
        let after = start.after(mv);
        let reply = theory.get(&after).and_then(|position| position.best_first().first().copied());
        let reply = reply.map_or("–".to_owned(), |reply| format!("1...{}", after.to_san(reply.mv)));
        let games = games(theory, &after);
        table.row(&[
            format!("1.{}", start.to_san(mv)),
            text::pawns(value),
            text::expectation(value),
            reply,
            games.games().to_string(),
            text::results(games),
            text::score_text(games),
        ]);
    }
    table.into_text()
}

/// What is known of a first move of Black after all first moves of White.
#[derive(Default)]
struct Reply {
    /// After how many first moves it is known, and the best one.
    known: u32,
    best: u32,
    /// The sum of what it is worse than the best one, in centipawns.
    loss: i32,
    games: Wdl,
}

/// Black's first moves: how good they are after those of White's first moves after which theory knows them.
pub fn replies(theory: &Theory) -> String {
    /// Those that theory knows less often are left out.
    const LEAST: u32 = 3;
    let start = Board::start(Variant::Spartan);
    let mut replies: BTreeMap<String, Reply> = BTreeMap::new();
    for first in first_moves_of(theory) {
        let after = start.after(first.mv);
        let Some(position) = theory.get(&after) else { continue };
        for known in &position.moves {
            let reply = replies.entry(after.to_san(known.mv)).or_default();
            reply.known += 1;
            reply.best += u32::from(known.value == position.value());
            reply.loss += position.value() - known.value;
            reply.games = reply.games.plus(&games(theory, &after.after(known.mv)));
        }
    }
    let mut rows: Vec<(String, Reply)> = replies.into_iter().filter(|(_, reply)| reply.known >= LEAST).collect();
    rows.sort_by_key(|(_, reply)| Reverse((reply.best, reply.known)));
    let heading = ["reply", "known after", "best after", "mean loss", "games", "won / drawn / lost", "Black scores"];
    let mut table = Table::new(1, heading);
    for (san, Reply { known, best, loss, games }) in rows {
        let games = super::estimate::reversed(games);
        table.row(&[
            format!("1...{san}"),
            format!("{known} moves"),
            best.to_string(),
            format!("{:.2}", f64::from(loss) / 100.0 / f64::from(known)),
            games.games().to_string(),
            text::results(games),
            text::score_text(games),
        ]);
    }
    table.into_text()
}

/// The best lines after some moves that begin with `before`, each up to ply [`LINE`].
fn lines(theory: &Theory, before: &[Move], moves: &[KnownMove]) -> String {
    let start = Board::start(Variant::Spartan);
    let mut table = Table::new(1, ["line", "value", "expectation", "games", "at ply", "White scores"]);
    for KnownMove { mv, value } in moves {
        let mut line = [before, &[*mv]].concat();
        let board = line.iter().fold(start.clone(), |board, &mv| board.after(mv));
        // The value is that of the side that makes the move.
        let value = if board.side_to_move() == Colour::Black { *value } else { -value };
        line.extend(best_line(theory, &board, LINE - line.len()));
        let (mut board, mut met) = (start.clone(), (0, Wdl::default()));
        for (index, &mv) in line.iter().enumerate() {
            board.make_move(mv);
            let games = games(theory, &board);
            if games.games() >= FEW_GAMES || index <= before.len() {
                met = (index + 1, games);
            }
        }
        table.row(&[
            text::line(&start, &line),
            text::pawns(value),
            text::expectation(value),
            met.1.games().to_string(),
            met.0.to_string(),
            text::score_text(met.1),
        ]);
    }
    table.into_text()
}

/// The best line, and the best lines after each first move, and after the best answers to the best one.
pub fn main_lines(theory: &Theory) -> String {
    let start = Board::start(Variant::Spartan);
    let first = first_moves_of(theory);
    let mut text = format!("The best line: {}\n\n", text::line(&start, &best_line(theory, &start, usize::MAX)));
    text += &lines(theory, &[], &first);
    if let Some(best) = first.first().map(|known| known.mv)
        && let Some(position) = theory.get(&start.after(best))
    {
        text += &format!("\nAnswers to {}:\n\n", text::line(&start, &[best]));
        let answers: Vec<KnownMove> = position.best_first().into_iter().take(ANSWERS).collect();
        text += &lines(theory, &[best], &answers);
    }
    text
}

/// A position with a single good move.
struct Single {
    moves: Vec<Move>,
    best: KnownMove,
    next: KnownMove,
    /// From White's view.
    values: [Value; 2],
}

/// Positions with a single good move, nearest to the initial position first; one of those with the same last move and
/// the same good move.
fn singles(theory: &Theory) -> Vec<Single> {
    let start = Board::start(Variant::Spartan);
    let mut seen = HashSet::from([start.key()]);
    let mut queue = VecDeque::from([(start, Vec::new())]);
    let mut met = HashSet::new();
    let mut found = Vec::new();
    while let Some((board, moves)) = queue.pop_front() {
        let Some(position) = theory.get(&board) else { continue };
        let best_first = position.best_first();
        if let [best, next, ..] = best_first[..]
            // Repetitions are draws, whatever a position is worth.
            && best.value != DRAW
            && next.value != DRAW
            && best.value - next.value >= SINGLE
            && met.insert((moves.last().copied(), best.mv))
        {
            let values = [best, next].map(|known| from_white(&board, known.value));
            found.push(Single { moves: moves.clone(), best, next, values });
        }
        for known in best_first {
            let after = board.after(known.mv);
            if seen.insert(after.key()) {
                queue.push_back((after, [moves.as_slice(), &[known.mv]].concat()));
            }
        }
    }
    found
}

/// Positions in which only one move is good.
pub fn only_moves(theory: &Theory) -> String {
    let start = Board::start(Variant::Spartan);
    let mut table = Table::new(3, ["after", "only move", "next best", "value", "instead"]);
    for Single { moves, best, next, values } in singles(theory) {
        let board = moves.iter().fold(start.clone(), |board, &mv| board.after(mv));
        let [value, instead] = values.map(text::pawns);
        table.row(&[
            text::line(&start, &moves),
            text::line(&board, &[best.mv]),
            text::line(&board, &[next.mv]),
            value,
            instead,
        ]);
    }
    table.into_text()
}
