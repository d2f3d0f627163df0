//! Plays a random game by the rules of Spartan Chess and prints it in standard algebraic notation.
//!
//!     cargo run --release --example rules -- 42

use agoge_core::board::{Game, Variant};
use agoge_core::rng::Rng;

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut rng = Rng::new(seed);
    let mut game = Game::start(Variant::Spartan);
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        let mv = rng.pick(&game.board().legal_moves());
        print!("{} ", game.board().to_san(mv));
        game.push(mv).expect("a legal move");
    };
    println!("{}", outcome.result());
    println!("{outcome} in {}", game.board().to_fen());
}
