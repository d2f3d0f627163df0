//! Searches a position and prints its value, the best line and the speed.
//!
//!     cargo run --release --example search -- "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"

use agoge_core::board::{Board, Game, Variant};
use agoge_core::search::{Limits, Searcher};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let board = match std::env::args().nth(1) {
        Some(fen) => Board::from_fen(&fen, Variant::Spartan)?,
        None => Board::start(Variant::Spartan),
    };
    let limits = Limits { nodes: Some(1_000_000), ..Limits::default() };
    let analysis = Searcher::new(1, 16)?.search(&Game::new(board), limits, 1);
    let Some(report) = analysis.exact().next_back() else {
        println!("the game is over");
        return Ok(());
    };
    let line: Vec<String> = report.pv.iter().map(ToString::to_string).collect();
    println!("{:?} at depth {} in {:?}: {}", report.score, report.depth, report.time, line.join(" "));
    Ok(())
}
