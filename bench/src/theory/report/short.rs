//! Short games: the shortest wins, mistakes of the opening, and the shortest mates that are possible.

use super::facts::{End, Facts};
use super::text::{self, Table};
use agoge_core::board::{Board, Variant};
use agoge_core::search::{expectation as expected_score, white_view};
use agoge_core::types::{Colour, Move};

/// The rows of a list.
const ROWS: usize = 6;

fn moves(game: &Facts) -> Vec<Move> {
    game.plies.iter().map(|ply| ply.mv).collect()
}

/// The shortest games that end in mate, and the shortest wins.
pub fn short_wins(games: &[Facts]) -> String {
    let start = Board::start(Variant::Spartan);
    let mut table = Table::new(2, ["won by", "end", "plies", "moves"]);
    for side in Colour::ALL {
        for end in [End::AdjudicatedWin, End::Mate] {
            let mut won: Vec<&Facts> = games.iter().filter(|game| game.score(side) == 1.0 && game.end == end).collect();
            // Of equals, the one whose moves come first, so that the order of the files does not matter.
            won.sort_by_cached_key(|game| (game.plies.len(), text::line(&start, &moves(game))));
            for game in won.into_iter().take(ROWS / 2) {
                let name = if side == Colour::White { "White" } else { "Black" };
                let length = game.plies.len().to_string();
                table.row(&[name, &end.to_string(), &length, &text::line(&start, &moves(game))]);
            }
        }
    }
    table.into_text()
}

/// A move that loses at once.
struct Mistake<'a> {
    game: &'a Facts,
    ply: usize,
    /// The evaluations before and after it, from White's view.
    values: [i32; 2],
}

/// The expectation of a side.
fn expectation(side: Colour, white: i32) -> f64 {
    expected_score(white_view(side, white))
}

/// The first moves by which the expectation of a side that is not lost falls to next to nothing.
pub fn mistakes(games: &[Facts]) -> String {
    /// The most plies before the mistake.
    const MOST: usize = 30;
    /// Expectations of a side that is not lost, and of one that is.
    const HELD: f64 = 0.25;
    const LOST: f64 = 0.1;
    let mut found: Vec<Mistake> = Vec::new();
    for game in games {
        let mistake = (0..MOST.min(game.plies.len().saturating_sub(1))).find_map(|ply| {
            let values = [ply, ply + 1].map(|ply| i32::from(game.plies[ply].score));
            let side = game.steps[ply].piece.colour;
            let [before, after] = values.map(|value| expectation(side, value));
            (before >= HELD && after <= LOST && game.score(side) == 0.0).then_some(Mistake { game, ply, values })
        });
        found.extend(mistake);
    }
    let start = Board::start(Variant::Spartan);
    let line = |mistake: &Mistake| text::line(&start, &moves(mistake.game)[..mistake.ply]);
    found.sort_by_cached_key(|mistake| (mistake.ply, line(mistake)));
    let mut table = Table::new(3, ["after", "mistake", "answer", "value before", "after"]);
    for mistake in found.iter().take(2 * ROWS) {
        let played = moves(mistake.game);
        let board = played[..mistake.ply].iter().fold(start.clone(), |board, &mv| board.after(mv));
        let mv = played[mistake.ply];
        let [before, after] = mistake.values.map(text::pawns);
        table.row(&[
            line(mistake),
            text::line(&board, &[mv]),
            text::line(&board.after(mv), &played[mistake.ply + 1..=mistake.ply + 1]),
            before,
            after,
        ]);
    }
    let count = found.len();
    format!("{count} of {} games have such a mistake within {MOST} plies.\n\n{}", games.len(), table.into_text())
}

/// Calls `visit` with the moves of each game of at most `most` plies that ends in mate.
fn mates(board: &Board, most: usize, moves: &mut Vec<Move>, visit: &mut impl FnMut(&[Move])) {
    if board.in_check() && !board.has_legal_move() {
        visit(moves);
        return;
    }
    if moves.len() == most {
        return;
    }
    for mv in board.legal_moves() {
        moves.push(mv);
        mates(&board.after(mv), most, moves, visit);
        moves.pop();
    }
}

/// The shortest mates that are possible: all games of four plies are tried.
pub fn shortest_mates() -> String {
    const PLIES: usize = 4;
    let start = Board::start(Variant::Spartan);
    let mut by_ply = [0u64; PLIES + 1];
    let mut lines = Vec::new();
    mates(&start, PLIES, &mut Vec::new(), &mut |moves| {
        by_ply[moves.len()] += 1;
        lines.push(text::line(&start, moves));
    });
    let games: u64 = start.perft(PLIES as u32);
    let shorter: u64 = by_ply[..PLIES].iter().sum();
    lines.sort();
    let list: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!(
        "Of all {games} games of {PLIES} plies, {} end in mate, and {shorter} games end in mate before:\n\n{list}",
        by_ply[PLIES]
    )
}
