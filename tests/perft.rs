//! Perft against known counts, and invariants at each node.

use crate::common::{check_move_lists, epd_file};
use agoge::commands::perft::perft;
use agoge_core::board::{Board, Variant};
use agoge_core::notation::epd::Epd;
use agoge_core::types::Move;
use std::sync::atomic::AtomicBool;

/// The depths and node counts of a line.
fn known_counts(epd: &Epd) -> Vec<(u32, u64)> {
    let depth = |name: &str| name.trim_start_matches('D').parse().expect("a depth");
    epd.operations.iter().map(|(name, nodes)| (depth(name), nodes.parse().expect("a number of nodes"))).collect()
}

fn total(divide: &[(Move, u64)]) -> u64 {
    divide.iter().map(|&(_, nodes)| nodes).sum()
}

fn parallel(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    perft(board, depth, 2, &AtomicBool::new(false)).expect("two threads").expect("not stopped")
}

fn counts_agree(file: &str, variant: Variant) {
    for (place, epd) in epd_file(file, variant) {
        for (depth, nodes) in known_counts(&epd) {
            let divide = parallel(&epd.board, depth);
            assert_eq!(total(&divide), nodes, "{place}: depth {depth} of {}", epd.board);
            assert_eq!(divide.len(), epd.board.legal_moves().len());
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
            assert_eq!(board.perft(depth), total(&parallel(&board, depth)));
        }
    }
}

/// Checks a node and its descendants to a depth; returns the number of nodes.
fn walk(board: &Board, depth: u32) -> u64 {
    let fen = board.to_fen();
    assert_eq!(board.keys(), board.recomputed_keys(), "keys of {fen}");
    assert_eq!(Board::from_fen(&fen, board.variant()).as_ref(), Ok(board), "FEN {fen}");

    check_move_lists(board);
    if depth == 0 {
        return 1;
    }
    1 + board.legal_moves().into_iter().map(|mv| walk(&board.after(mv), depth - 1)).sum::<u64>()
}

#[test]
fn every_node_is_consistent() {
    let mut nodes = 0;
    for (file, variant) in [("perft.epd", Variant::Spartan), ("perft_chess.epd", Variant::Chess)] {
        for (_, epd) in epd_file(file, variant) {
            // The deepest count with at most 20,000 leaves.
            let depth =
                known_counts(&epd).into_iter().filter(|&(_, nodes)| nodes <= 20_000).map(|(depth, _)| depth).max();
            nodes += walk(&epd.board, depth.unwrap_or(1));
        }
    }
    assert!(nodes > 200_000, "only {nodes} nodes");
}
