//! Counts the leaf nodes of the move tree of a position.
//!
//!     cargo run --release --example perft -- 5 "8/8/8/3K4/8/3k4/h7/8 b - - 0 1"

use agoge_core::board::{Board, Variant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(5), |depth| depth.parse())?;
    let board = match arguments.next() {
        Some(fen) => Board::from_fen(&fen, Variant::Spartan)?,
        None => Board::start(Variant::Spartan),
    };
    println!("{}", board.perft(depth));
    Ok(())
}
