//! A text read as a FEN of each variant: on every accepted position all functions must work.

#![no_main]

use agoge_core::board::{Board, Variant};
use agoge_core::eval::evaluate;
use agoge_core::nnue::{embedded, evaluate_full};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for variant in Variant::ALL {
        let board = match Board::from_fen(&text, variant) {
            Ok(board) => board,
            Err(error) => {
                assert!(error.to_string().len() < 400, "{error}");
                continue;
            }
        };
        assert_eq!(Board::from_fen(&board.to_fen(), variant).as_ref(), Ok(&board));
        assert_eq!(board.keys(), board.recomputed_keys());
        evaluate(&board);
        if let Some(network) = embedded() {
            evaluate_full(&network, &board);
        }
        let moves = board.legal_moves();
        assert_eq!(moves.len(), board.count_moves() as usize);
        for mv in moves {
            assert!(board.is_legal(mv));
            assert_eq!(board.parse_san(&board.to_san(mv)), Ok(mv));
            board.see_ge(mv, 0);
            let next = board.after(mv);
            assert_eq!(Board::from_fen(&next.to_fen(), variant).as_ref(), Ok(&next));
        }
    }
});
