//! The themes of a puzzle, found by rules.

use agoge_core::attacks::tables;
use agoge_core::board::Board;
use agoge_core::types::{Bitboard, Colour, Move, PieceType};
use std::collections::BTreeSet;

/// An endgame has at most this number of pieces besides kings, pawns and hoplites.
const ENDGAME_PIECES: u32 = 4;

/// A sacrifice loses at least this by exchanges, in centipawns.
const SACRIFICE: i32 = 100;

/// The themes of a line from `board`, whose moves with even indices are the solver's. `mate` is the number of moves of
/// the mate in which it ends; `saves` tells that it only saves the game.
pub fn themes(board: &Board, line: &[Move], mate: Option<u32>, saves: bool) -> Vec<String> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let solver = board.side_to_move();
    let mut before = board.clone();
    for (index, &mv) in line.iter().enumerate() {
        let after = before.after(mv);
        if index % 2 == 0 {
            let is_last = index + 1 == line.len();
            found.extend(of_move(&before, mv, &after, line.get(index + 1)));
            let mates = is_last && mate.is_some();
            if !mates && !before.see_ge(mv, 1 - SACRIFICE) {
                found.insert("sacrifice");
            }
            if after.has_two_kings(Colour::Black) && solver == Colour::White && after.in_check() {
                found.insert(if mates { "duple-checkmate" } else { "duple-check" });
            }
        }
        before = after;
    }
    if line.first().is_some_and(|&mv| !board.is_noisy(mv) && board.after(mv).attacked_kings().is_empty()) {
        found.insert("quiet");
    }
    if is_endgame(board) {
        found.insert("endgame");
    }
    if saves {
        found.insert("defence");
    }
    let mate = mate.map(|moves| format!("mate-in-{moves}"));
    mate.into_iter().chain(found.into_iter().map(str::to_owned)).collect()
}

/// The themes of one move of the solver. A piece that is taken at once forks nothing.
fn of_move(before: &Board, mv: Move, after: &Board, reply: Option<&Move>) -> Vec<&'static str> {
    let mut found = Vec::new();
    if before.captured(mv) == Some(PieceType::King) {
        found.push("regicide");
    }
    match mv.promoted() {
        Some(PieceType::King) => found.push("promotion-to-king"),
        Some(_) => found.push("promotion"),
        None => {}
    }
    if reply.is_none_or(|reply| reply.to() != mv.to()) {
        found.extend(fork(after, mv));
    }
    found
}

/// Whether the piece that has just moved attacks two kings, a king and a piece, or two pieces. A piece counts if it is
/// undefended or worth more than the one that attacks it; pawns and hoplites do not count.
fn fork(after: &Board, mv: Move) -> Option<&'static str> {
    let (enemy, occupied) = (after.side_to_move(), after.occupied());
    let piece = after.piece_on(mv.to())?;
    let attacked = tables().attacks(piece, mv.to(), occupied) & after.colour(enemy);
    let kings = attacked & after.kings(enemy);
    let is_target = |&square: &_| {
        let Some(kind) = after.kind_on(square).filter(|kind| !kind.is_pawn() && *kind != PieceType::King) else {
            return false;
        };
        kind.exchange_value() > piece.kind.exchange_value() || after.attackers_of(enemy, square, occupied).is_empty()
    };
    let pieces: Bitboard = attacked.into_iter().filter(is_target).collect();
    match (kings.count(), pieces.count()) {
        (2.., _) | (1, 1..) => Some("king-fork"),
        (0, 2..) => Some("fork"),
        _ => None,
    }
}

fn is_endgame(board: &Board) -> bool {
    let others = board.occupied() & !board.pawns() & !board.kind(PieceType::King);
    others.count() <= ENDGAME_PIECES
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn of(fen: &str, moves: &str, mate: Option<u32>, saves: bool) -> String {
        let board = Board::from_fen(fen, Variant::Spartan).unwrap();
        let mut at = board.clone();
        let line: Vec<Move> = moves
            .split_whitespace()
            .map(|text| {
                let mv = at.parse_move(text).unwrap();
                at.make_move(mv);
                mv
            })
            .collect();
        themes(&board, &line, mate, saves).join(" ")
    }

    #[test]
    fn themes_follow_from_the_line() {
        for (fen, moves, mate, saves, themes) in [
            ("1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1", "h5b5", Some(1), false, "mate-in-1 duple-checkmate endgame"),
            // A knight forks two kings, then takes one.
            (
                "8/8/1k3k2/8/8/4N3/8/4K2R w - - 0 1",
                "e3d5 b6c6 d5f6",
                None,
                false,
                "duple-check endgame king-fork regicide",
            ),
            // A captain attacks king and queen; the queen is worth more.
            ("k7/8/8/2c5/8/8/2K5/4Q3 b - - 0 1", "c5c4", None, false, "endgame"),
            ("k7/8/8/8/8/8/4h3/K7 b - - 0 1", "e2d1k", None, false, "endgame promotion-to-king"),
            ("8/4P3/8/8/8/k7/8/K7 w - - 0 1", "e7e8q", None, false, "endgame promotion"),
            ("8/8/8/8/8/2g5/1K6/7k w - - 0 1", "b2c3", None, true, "defence endgame"),
        ] {
            assert_eq!(of(fen, moves, mate, saves), themes, "{fen}");
        }
    }
}
