//! Criterion benchmarks of the speed-critical parts of the engine.
//!
//! `cargo bench -p agoge-microbench` runs all of them; a name after `--` selects some. Compare two versions of the code
//! with criterion's `--save-baseline` and `--baseline` on an idle machine.

use agoge_core::board::{Board, Game, Variant};
use agoge_core::eval::evaluate;
use agoge_core::nnue::{self, Accumulators, Kernels, Level};
use agoge_core::search::{Bound, Entry, HashTable, Limits, Searcher};
use agoge_core::tables::Tables;
use agoge_core::types::MoveList;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

/// The positions that `agoge bench` searches.
fn positions() -> Vec<Board> {
    include_str!("../../engine/core/data/bench.epd")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|fen| Board::from_fen(fen, Variant::Spartan).expect("the positions of the bench are valid"))
        .collect()
}

fn move_generation(c: &mut Criterion) {
    let boards = positions();
    let moves: u64 = boards.iter().map(|board| u64::from(board.count_moves())).sum();
    let mut group = c.benchmark_group("move generation");
    group.throughput(Throughput::Elements(moves));
    group.bench_function("all legal moves", |b| {
        b.iter(|| boards.iter().map(|board| black_box(board).legal_moves().len()).sum::<usize>());
    });
    group.bench_function("count only", |b| {
        b.iter(|| boards.iter().map(|board| black_box(board).count_moves()).sum::<u32>());
    });
    group.bench_function("captures and promotions", |b| {
        b.iter(|| {
            boards
                .iter()
                .map(|board| {
                    let mut list = MoveList::new();
                    black_box(board).noisy_moves(&mut list);
                    list.len()
                })
                .sum::<usize>()
        });
    });
    group.bench_function("legality of each move", |b| {
        let lists: Vec<MoveList> = boards.iter().map(Board::legal_moves).collect();
        b.iter(|| {
            boards.iter().zip(&lists).flat_map(|(board, list)| list.iter().filter(|mv| board.is_legal(**mv))).count()
        });
    });
    group.finish();
}

fn perft(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft");
    for (variant, depth) in [(Variant::Spartan, 4), (Variant::Chess, 4)] {
        let board = Board::start(variant);
        group.throughput(Throughput::Elements(board.perft(depth)));
        group.bench_function(variant.name(), |b| b.iter(|| black_box(&board).perft(depth)));
    }
    group.finish();
}

fn make_move(c: &mut Criterion) {
    let boards = positions();
    let lists: Vec<MoveList> = boards.iter().map(Board::legal_moves).collect();
    let mut group = c.benchmark_group("make move");
    group.throughput(Throughput::Elements(lists.iter().map(|list| list.len() as u64).sum()));
    group.bench_function("every legal move", |b| {
        b.iter(|| {
            let pairs = boards.iter().zip(&lists);
            pairs.flat_map(|(board, list)| list.iter().map(|&mv| board.after(mv).key())).fold(0, |a, key| a ^ key)
        });
    });
    group.finish();
}

fn exchanges(c: &mut Criterion) {
    let boards = positions();
    let captures: Vec<MoveList> = boards
        .iter()
        .map(|board| {
            let mut list = MoveList::new();
            board.noisy_moves(&mut list);
            list
        })
        .collect();
    let mut group = c.benchmark_group("static exchange evaluation");
    group.throughput(Throughput::Elements(captures.iter().map(|list| list.len() as u64).sum()));
    group.bench_function("every capture", |b| {
        b.iter(|| {
            let pairs = boards.iter().zip(&captures);
            pairs.flat_map(|(board, list)| list.iter().filter(|mv| board.see_ge(**mv, 0))).count()
        });
    });
    group.finish();
}

fn evaluation(c: &mut Criterion) {
    let boards = positions();
    let mut group = c.benchmark_group("evaluation");
    group.throughput(Throughput::Elements(boards.len() as u64));
    group
        .bench_function("hand-made", |b| b.iter(|| boards.iter().map(|board| evaluate(black_box(board))).sum::<i32>()));
    group.finish();
}

fn network(c: &mut Criterion) {
    let network = nnue::embedded().expect("the embedded network");
    let boards = positions();
    // Each position before and after a move.
    let pairs: Vec<[Board; 2]> =
        boards.iter().filter_map(|board| Some([board.clone(), board.after(*board.legal_moves().first()?)])).collect();
    let mut group = c.benchmark_group("network");
    for level in Level::ALL {
        let Some(kernels) = Kernels::new(level) else { continue };
        let mut accumulators = Accumulators::new(network.clone(), kernels);
        group.throughput(Throughput::Elements(boards.len() as u64));
        group.bench_function(format!("unrelated positions, {}", level.name()), |b| {
            b.iter(|| boards.iter().map(|board| accumulators.evaluate(black_box(board))).sum::<i32>());
        });
        // Accumulators for each pair, so that each update is by one move, back or forth.
        let mut all: Vec<Accumulators> = pairs.iter().map(|_| Accumulators::new(network.clone(), kernels)).collect();
        group.throughput(Throughput::Elements(2 * pairs.len() as u64));
        group.bench_function(format!("one move, {}", level.name()), |b| {
            b.iter(|| {
                let evaluate = |(accumulators, pair): (&mut Accumulators, &[Board; 2])| {
                    pair.iter().map(|board| accumulators.evaluate(black_box(board))).sum::<i32>()
                };
                all.iter_mut().zip(&pairs).map(evaluate).sum::<i32>()
            });
        });
    }
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("full evaluation, reference", |b| {
        b.iter(|| boards.iter().map(|board| nnue::evaluate_full(&network, black_box(board))).sum::<i32>());
    });
    group.finish();
}

fn hash_table(c: &mut Criterion) {
    let table = HashTable::new(64).expect("64 MiB of memory");
    let keys: Vec<u64> = (0..4096u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let entry = Entry { mv: None, value: 12, eval: 3, depth: 5, bound: Some(Bound::Lower), pv: false };
    for &key in keys.iter().step_by(2) {
        table.store(key, 0, entry);
    }
    let mut group = c.benchmark_group("hash table");
    group.throughput(Throughput::Elements(keys.len() as u64));
    group.bench_function("probe, half of them hits", |b| {
        b.iter(|| keys.iter().filter(|&&key| table.probe(black_box(key), 0).is_some()).count());
    });
    group.bench_function("store", |b| b.iter(|| keys.iter().for_each(|&key| table.store(black_box(key), 0, entry))));
    group.finish();
}

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let mut searcher = Searcher::new(1, 16).expect("a thread and 16 MiB of memory");
    let (game, limits) = (Game::start(Variant::Spartan), Limits { depth: Some(11), ..Limits::default() });
    group.bench_function("start position to depth 11", |b| {
        b.iter(|| {
            searcher.clear();
            searcher.search(&game, limits.clone(), 1);
            searcher.nodes()
        });
    });
    group.finish();
}

/// Probes of the endgame tables in the folders of the environment variable `AGOGE_TABLES`; without it, of none.
fn table_probes(c: &mut Criterion) {
    let Some(path) = std::env::var_os("AGOGE_TABLES") else { return };
    let tables = Tables::open_all(&path).expect("usable tables");
    // The positions two plies after those of the file: as in a search, neighbours have many men in common.
    let after = |boards: Vec<Board>| -> Vec<Board> {
        boards.iter().flat_map(|board| board.legal_moves().into_iter().map(|mv| board.after(mv))).collect()
    };
    let first = include_str!("../../positions/endgames.epd").lines().filter(|line| !line.starts_with('#'));
    let fens = first.map(|line| line.split_ascii_whitespace().take(6).collect::<Vec<_>>().join(" "));
    let boards = fens.map(|fen| Board::from_fen(&fen, Variant::Spartan).expect("a valid position")).collect();
    let mut boards = after(after(boards));
    boards.retain(|board| tables.value(board).is_some());
    let mut group = c.benchmark_group("table probes");
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("value", |b| {
        b.iter(|| boards.iter().filter_map(|board| tables.value(black_box(board))?.dtm).map(u64::from).sum::<u64>());
    });
    group.finish();
}

criterion_group!(
    benches,
    move_generation,
    perft,
    make_move,
    exchanges,
    evaluation,
    network,
    hash_table,
    search,
    table_probes
);
criterion_main!(benches);
