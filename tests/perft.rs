//! Perft against known counts, and invariants at each node.

use crate::common::{Epd, epd_file};
use agoge::commands::perft::{Perft, perft};
use agoge_core::board::{Board, Variant};
use agoge_core::types::{Move, MoveList};
use std::sync::atomic::AtomicBool;

/// The depths and node counts of a line.
fn known_counts(epd: &Epd) -> Vec<(u32, u64)> {
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{}: '{text}' is not a number", epd.place));
    epd.operations.iter().map(|(depth, nodes)| (number(depth.trim_start_matches('D')) as u32, number(nodes))).collect()
}

fn parallel(board: &Board, depth: u32) -> Perft {
    perft(board, depth, 2, &AtomicBool::new(false)).expect("two threads").expect("not stopped")
}

fn counts_agree(file: &str, variant: Variant) {
    for epd in epd_file(file) {
        let board = epd.board(variant);
        for (depth, nodes) in known_counts(&epd) {
            let perft = parallel(&board, depth);
            assert_eq!(perft.total(), nodes, "{}: depth {depth} of {}", epd.place, epd.fen);
            assert_eq!(perft.divide.len(), board.legal_moves().len());
        }
    }
}

#[test]
fn spartan_counts() {
    counts_agree("perft.epd", Variant::Spartan);
}

#[test]
fn chess_counts() {
    counts_agree("perft_chess.epd", Variant::Chess);
}

#[test]
fn serial_and_parallel_counts_agree() {
    for variant in Variant::ALL {
        let board = Board::start(variant);
        assert_eq!(board.perft(0), 1);
        for depth in 1..=4 {
            assert_eq!(board.perft(depth), parallel(&board, depth).total());
        }
    }
}

fn sorted(moves: &[Move]) -> Vec<u16> {
    let mut bits: Vec<u16> = moves.iter().map(|mv| mv.bits()).collect();
    bits.sort_unstable();
    bits
}

/// Checks a node and its descendants to a depth; returns the number of nodes.
fn walk(board: &Board, depth: u32) -> u64 {
    let fen = board.to_fen();
    assert_eq!(board.keys(), board.recomputed_keys(), "keys of {fen}");
    assert_eq!(Board::from_fen(&fen, board.variant()).as_ref(), Ok(board), "FEN {fen}");

    let moves = board.legal_moves();
    let mut classes = MoveList::new();
    board.noisy_moves(&mut classes);
    assert!(classes.iter().all(|&mv| board.is_noisy(mv)), "a quiet move among the noisy ones of {fen}");
    let noisy = classes.len();
    board.quiet_moves(&mut classes);
    assert!(classes[noisy..].iter().all(|&mv| !board.is_noisy(mv)), "a noisy move among the quiet ones of {fen}");
    let all = sorted(&moves);
    assert_eq!(sorted(&classes), all, "noisy and quiet moves of {fen}");
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "duplicate move in {fen}");
    assert_eq!(board.count_moves() as usize, moves.len(), "count of {fen}");
    assert_eq!(board.has_legal_move(), !moves.is_empty(), "any move of {fen}");
    if depth == 0 {
        return 1;
    }
    1 + moves.into_iter().map(|mv| walk(&board.after(mv), depth - 1)).sum::<u64>()
}

#[test]
fn every_node_is_consistent() {
    let mut nodes = 0;
    for (file, variant) in [("perft.epd", Variant::Spartan), ("perft_chess.epd", Variant::Chess)] {
        for epd in epd_file(file) {
            // The deepest count with at most 20,000 leaves.
            let depth =
                known_counts(&epd).into_iter().filter(|&(_, nodes)| nodes <= 20_000).map(|(depth, _)| depth).max();
            nodes += walk(&epd.board(variant), depth.unwrap_or(1));
        }
    }
    assert!(nodes > 200_000, "only {nodes} nodes");
}
