//! Tests of the solver, its files and its memory.

use super::{Error, Material, Solved, Store, board, contents};
use agoge_core::attacks::tables;
use agoge_core::rng::Rng;
use agoge_core::tables::codec::BLOCK;
use agoge_core::tables::{Class, HEADER_BYTES, Numbering, Remote, Squares, Table, TableError, Value};
use agoge_core::types::{Bitboard, Colour, Square};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Whether the tests that take minutes run in full; otherwise a sample of their cases is tested. `.ci/run` sets the
/// variable.
fn full_tests() -> bool {
    std::env::var_os("AGOGE_FULL_TESTS").is_some()
}

fn class(name: &str) -> Class {
    name.parse().unwrap()
}

fn random(numbering: &Numbering, rng: &mut Rng) -> (Squares, Colour) {
    numbering.position(rng.below(numbering.len()))
}

fn are_distinct(squares: &Squares) -> bool {
    squares.iter().fold(Bitboard::EMPTY, |set, &square| set.with(square)).count() as usize == squares.len()
}

#[test]
fn moves_agree_with_the_engine() {
    let mut rng = Rng::new(11);
    let mut legal = 0;
    for name in ["KQvkk", "KPvkh", "KBPvkk", "KRvkkh", "KNvkl", "KPvgk", "KQvkkl", "KPPvkc", "Kvkkhh", "KBvkw"] {
        let class = class(name);
        let (numbering, material) = (Numbering::new(&class), Material::new(&class));
        for _ in 0..3000 {
            let (squares, side) = random(&numbering, &mut rng);
            if !are_distinct(&squares) {
                continue;
            }
            let known = board(&class, &squares, side);
            assert_eq!(material.is_legal(&squares, side, tables()), known.is_some(), "{class} {squares:?}");
            let Some(known) = known else { continue };
            legal += 1;
            let mut ours = HashSet::new();
            material.for_each_move(&squares, side, tables(), |step| {
                let mut next = squares.clone();
                next[step.man] = step.to;
                let promotion = step.promotion.map(|kind| (step.man, kind));
                let (class, next) = match material.after(step.captured, promotion) {
                    Some((after, order)) => (after, order.iter().map(|&place| next[place]).collect()),
                    None => (class.clone(), next),
                };
                assert!(ours.insert(board(&class, &next, !side).unwrap().key()), "{known}");
            });
            let theirs: HashSet<u64> = known.legal_moves().into_iter().map(|mv| known.after(mv).key()).collect();
            assert_eq!(ours, theirs, "{known}");
        }
    }
    assert!(legal > 5000);
}

/// Counting depends on it: as many edges lead from one index to another as back.
#[test]
fn unmoves_are_the_inverse_of_quiet_moves() {
    let mut rng = Rng::new(12);
    for name in ["KQvkkl", "KPvkh", "KRvkkh", "KPPvkc", "Kvkhh", "KBBvk", "KRvkk", "KQvk"] {
        let class = class(name);
        let (numbering, material) = (Numbering::new(&class), Material::new(&class));
        let edges = |index: usize, forward: bool| {
            let (squares, side) = numbering.position(index);
            let mut next = Vec::new();
            let slice = index / numbering.slice_len();
            let mut push = |squares: &[Square]| {
                let to = numbering.index(squares, !side);
                if to / numbering.slice_len() == slice {
                    next.push(to);
                }
            };
            if forward {
                material.for_each_move(&squares, side, tables(), |step| {
                    if step.captured.is_none() && step.promotion.is_none() && !material.men()[step.man].kind.is_pawn() {
                        let mut after = squares.clone();
                        after[step.man] = step.to;
                        push(&after);
                    }
                });
            } else {
                material.for_each_unmove(&squares, side, tables(), |man, from| {
                    let mut before = squares.clone();
                    before[man] = from;
                    push(&before);
                });
            }
            if numbering.is_symmetric(&squares) {
                next.sort_unstable();
                next.dedup();
            }
            next
        };
        let is_position = |index: usize| {
            let (squares, side) = numbering.position(index);
            material.is_legal(&squares, side, tables()) && numbering.index(&squares, side) == index
        };
        let mut symmetric = 0;
        for round in 0..4000 {
            let mut index = rng.below(numbering.len());
            if round % 2 == 0 {
                // Look for positions on the diagonal, if there are any.
                let found = (0..2000).map(|_| rng.below(numbering.len())).find(|&index| {
                    let (squares, _) = numbering.position(index);
                    numbering.is_symmetric(&squares) && are_distinct(&squares)
                });
                index = found.unwrap_or(index);
            }
            if !is_position(index) {
                continue;
            }
            symmetric += usize::from(numbering.is_symmetric(&numbering.position(index).0));
            for forward in [true, false] {
                let next = edges(index, forward);
                for &other in next.iter().filter(|&&other| is_position(other)) {
                    let count = |list: &[usize], wanted: usize| list.iter().filter(|&&found| found == wanted).count();
                    let back = edges(other, !forward);
                    assert_eq!(count(&next, other), count(&back, index), "{name} {index} {other}");
                }
            }
        }
        assert!(symmetric > 0 || !["KBBvk", "KRvkk", "KQvk"].contains(&name), "{name}");
    }
}

#[test]
fn files_have_the_values_of_the_solver() {
    let mut store = Store::default();
    let classes = ["Kvk", "Kvkk", "KPvk", "KBvk", "Kvkl"];
    for name in if full_tests() { &classes[..] } else { &classes[..2] } {
        let solved = store.solved(&class(name)).unwrap();
        let table = Table::from_bytes(contents(&solved)).unwrap();
        let blocks: Vec<Value> =
            (0..solved.indices().div_ceil(BLOCK)).flat_map(|block| table.block(block).unwrap()).collect();
        for (index, value) in solved.values().enumerate() {
            let Some(value) = value else { continue };
            assert_eq!(table.value_at(index), Some(value), "{name} {index}");
            assert_eq!(blocks[index], value, "{name} {index}");
        }
    }
}

fn file_of(name: &str) -> Vec<u8> {
    contents(&Store::default().solved(&class(name)).unwrap())
}

#[test]
fn damaged_files_are_refused() {
    let bytes = file_of("Kvkk");
    for length in (0..HEADER_BYTES + 20).chain((0..bytes.len()).step_by(997)) {
        let error = Table::from_bytes(bytes[..length].to_vec()).unwrap_err();
        let expected = if length < 8 { TableError::Magic } else { TableError::Length { expected: 0, found: 0 } };
        assert_eq!(std::mem::discriminant(&error), std::mem::discriminant(&expected), "{length}: {error}");
    }
    for at in (0..HEADER_BYTES).chain((0..bytes.len()).step_by(131)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let error = Table::from_bytes(damaged).unwrap_err();
        match at {
            0..8 => assert_eq!(error, TableError::Magic),
            8..12 => assert!(matches!(error, TableError::Version(_))),
            16..24 => assert!(matches!(error, TableError::Length { .. })),
            24..40 => assert!(matches!(error, TableError::Name | TableError::Checksum), "{at}: {error}"),
            _ => assert_eq!(error, TableError::Checksum, "{at}"),
        }
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(matches!(Table::from_bytes(longer), Err(TableError::Length { .. })));
}

/// Forged files with correct checksums: they are refused, or have some values.
#[test]
fn hostile_files_do_no_harm() {
    let mut rng = Rng::new(17);
    let (mut refused, mut accepted) = (0, 0);
    for name in ["KBvk", "Kvkl", "Kvkk"] {
        let bytes = file_of(name);
        let len = Numbering::new(&class(name)).len();
        for round in 0..if full_tests() { 1500 } else { 500 } {
            let mut forged = bytes.clone();
            for _ in 0..1 + round % 4 {
                // Most of the structure is at the beginning of the sections.
                let end = if round % 3 == 0 { forged.len() } else { 200.min(forged.len()) };
                forged[16 + rng.below(end - 16)] = rng.pick(&[0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]);
            }
            if round % 7 == 0 {
                forged.truncate(HEADER_BYTES + rng.below(forged.len() - HEADER_BYTES));
            }
            let length = (forged.len() as u64).to_le_bytes();
            forged[16..24].copy_from_slice(&length);
            let checksum = crc32fast::hash(&forged[16..]).to_le_bytes();
            forged[12..16].copy_from_slice(&checksum);
            let Ok(table) = Table::from_bytes(forged) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let end = table.numbering().len();
            for index in (0..50).map(|_| rng.below(end)).chain([0, end - 1, len.min(end) - 1]) {
                let _ = table.value_at(index);
            }
            (0..end.div_ceil(BLOCK)).for_each(|block| drop(table.block(block)));
        }
    }
    assert!(refused > 100 && accepted > 100, "{refused} {accepted}");
}

/// Of a table that is elsewhere only what is needed is fetched.
#[test]
fn tables_are_read_in_parts() {
    let bytes = file_of("KRvk");
    let remote = Remote::new(bytes.len() as u64);
    let mut fetched = 0;
    let mut fetch = || {
        let wanted = remote.take_wanted();
        assert!(!wanted.is_empty(), "it can never be read");
        for range in wanted {
            fetched += range.end - range.start;
            remote.add(range.start, &bytes[range.start as usize..range.end as usize]);
        }
    };
    let table = loop {
        match Table::from_remote(&remote, "KRvk") {
            Ok(table) => break table,
            Err(error) => {
                assert!(matches!(error, TableError::Unreadable(_) | TableError::Contents(_)), "{error}");
                fetch();
            }
        }
    };
    let known = Table::from_bytes(bytes.clone()).unwrap();
    for index in (0..known.numbering().len()).step_by(977) {
        let value = loop {
            match table.value_at(index) {
                Some(value) => break value,
                None => fetch(),
            }
        };
        assert_eq!(Some(value), known.value_at(index), "{index}");
    }
    assert!(fetched <= bytes.len() as u64, "nothing is fetched twice: {fetched}");
    assert!(Table::from_remote(&remote, "KQvk").is_err(), "it is another class");
}

#[test]
fn memory_is_bounded() {
    let mut store = Store::new(None, 1 << 20);
    let error = store.solved(&class("KQvk")).unwrap_err();
    assert!(error.to_string().starts_with("KQvk takes 0.0 GiB of memory"), "{error:?}");
    let always = AtomicBool::new(true);
    let stopped = Store::default().solve(&class("KQvk"), &always, &|_, _| {});
    assert!(matches!(stopped, Err(Error::Stopped)));
}

#[test]
fn successors_are_read_from_files_if_memory_is_short() {
    let folder = tempfile::tempdir().unwrap();
    let names = if full_tests() { &["KPvk", "Kvkh"][..] } else { &["Kvkk"] };
    for class in names.iter().copied().map(class) {
        // Without pawns and hoplites, successors may need more memory than the class.
        let mut large = Store::new(Some(folder.path().to_owned()), usize::MAX);
        for successor in Material::new(&class).successors() {
            large.solved(&successor).unwrap();
        }
        let mut small = Store::new(Some(folder.path().to_owned()), Store::needed(&class));
        small.solved(&class).unwrap();
        let expected = contents(&Store::default().solved(&class).unwrap());
        assert!(std::fs::read(Store::file(folder.path(), &class)).unwrap() == expected, "{class}");
    }
}

#[test]
fn classes_come_from_files_and_are_forgotten_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let queen = class("KQvk");
    // Room for one of the two.
    let mut store = Store::new(Some(folder.path().to_owned()), Store::needed(&queen));
    let first: Arc<_> = store.solved(&queen).unwrap();
    let (board, value) = (0..first.indices()).find_map(|index| first.get(index)).unwrap();
    store.solved(&class("KRvk")).unwrap();
    assert_eq!(store.probe(&board), None);
    let again = store.solve(&queen, &AtomicBool::new(false), &|_, _| panic!("it was solved again")).unwrap();
    assert_eq!(store.probe(&board), Some(value));
    assert!(!Arc::ptr_eq(&first, &again));
    // The same without solving.
    let mut store = Store::new(Some(folder.path().to_owned()), Solved::memory(&queen));
    store.known(&queen).unwrap();
    assert_eq!(store.probe(&board), Some(value));
    store.known(&class("KRvk")).unwrap();
    assert_eq!(store.probe(&board), None);
    std::fs::write(Store::file(folder.path(), &queen), "no table").unwrap();
    let error = Store::new(Some(folder.path().to_owned()), usize::MAX).known(&queen).unwrap_err();
    assert!(error.to_string().ends_with("KQvk.agt: not a table file"), "{error:?}");
}
