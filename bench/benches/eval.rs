//! How long the hand-made evaluation takes, over positions of random games.

use agoge::board::{Board, Variant};
use agoge::eval::evaluate;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// Every seventh position of some random games, for as long as each side has some pieces.
fn positions(variant: Variant) -> Vec<Board> {
    let mut seed = 0x1234_5678_9ABC_DEF1u64;
    let mut positions = Vec::new();
    for _ in 0..20 {
        let mut board = Board::start(variant);
        for ply in 0..120 {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            board.make_move(moves[(seed % moves.len() as u64) as usize]);
            if ply % 7 == 0 {
                positions.push(board.clone());
            }
        }
    }
    positions
}

fn eval(criterion: &mut Criterion) {
    for variant in Variant::ALL {
        let positions = positions(variant);
        let mut group = criterion.benchmark_group("evaluate");
        group.throughput(criterion::Throughput::Elements(positions.len() as u64));
        group.bench_function(variant.name(), |bencher| {
            bencher.iter(|| positions.iter().map(|board| evaluate(black_box(board))).sum::<i32>());
        });
        group.finish();
    }
}

criterion_group!(benches, eval);
criterion_main!(benches);
