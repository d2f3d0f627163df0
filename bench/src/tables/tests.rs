//! Tests of the values of the solver.

use super::check;
use crate::rng::Rng;
use crate::suites::solver::Solver as MateSolver;
use agoge_core::tables::{Class, Numbering, Table, Tables};
use agoge_solver::{Store, board, contents, in_order};

fn class(name: &str) -> Class {
    name.parse().unwrap()
}

/// The tables of a class and its successors, written and read again.
fn tables_of(name: &str) -> Tables {
    let mut store = Store::default();
    let mut tables = Tables::default();
    for class in in_order(&[class(name)]) {
        let solved = store.solved(&class).unwrap();
        tables.add(Table::from_bytes(contents(&solved)).unwrap());
    }
    tables
}

/// Moves to mate in the longest win of White and of Black.
fn longest(store: &mut Store, name: &str) -> [Option<u16>; 2] {
    let statistics = super::Statistics::of(&store.solved(&class(name)).unwrap());
    statistics.map(|side| side.longest_win.map(|(plies, _)| plies.div_ceil(2)))
}

/// The known longest mates of orthodox chess and of Spartan pieces as solved elsewhere.
#[test]
fn known_lengths() {
    let mut store = Store::default();
    let expected = [
        ("Kvk", [None, None]),
        ("KQvk", [Some(10), None]),
        ("KRvk", [Some(16), None]),
        ("KBvk", [None, None]),
        ("KNvk", [None, None]),
        ("KPvk", [Some(28), None]),
        ("Kvkk", [None, Some(16)]),
        ("Kvkc", [None, Some(29)]),
        ("Kvkl", [None, None]),
        ("Kvkg", [None, Some(10)]),
        ("Kvkw", [None, Some(17)]),
        ("KBNvk", [Some(33), None]),
    ];
    let small = if crate::full_tests() { expected.len() } else { expected.len() - 1 };
    for (name, expected) in expected.into_iter().take(small) {
        assert_eq!(longest(&mut store, name), expected, "{name}");
    }
}

#[test]
fn values_agree_with_a_search_for_mate() {
    let mut rng = Rng::new(13);
    let mut store = Store::default();
    let mut solver = MateSolver::new(4);
    let mut mates = 0;
    for name in ["Kvkk", "Kvkh", "KPvk", "Kvkw"] {
        let solved = store.solved(&class(name)).unwrap();
        for number in 0..3000 {
            let Some((board, value)) = solved.get(rng.below(solved.indices())) else { continue };
            solver.allow(u64::MAX);
            let plies = value.dtm.filter(|&plies| value.wdl.is_win() && plies <= 5);
            let expected = plies.map(|plies| u32::from(plies.div_ceil(2)));
            mates += usize::from(expected.is_some());
            if expected.is_none() && number % 10 != 0 && !crate::full_tests() {
                continue;
            }
            assert_eq!(solver.shortest(&board, 3).unwrap(), expected, "{board}");
        }
    }
    assert!(mates > 20, "{mates}");
}

/// Every position of some classes of three men, by the engine's rules and the engine's reader of the file.
#[test]
fn values_follow_from_those_after_the_moves() {
    let classes = ["KPvk", "Kvkk", "Kvkh", "KRvk", "Kvkl"];
    for name in if crate::full_tests() { &classes[..] } else { &classes[1..2] } {
        let (class, tables) = (class(name), tables_of(name));
        let numbering = Numbering::new(&class);
        let mut checked = 0;
        for index in 0..numbering.len() {
            let (squares, side) = numbering.position(index);
            if numbering.index(&squares, side) != index {
                continue;
            }
            let Some(board) = board(&class, &squares, side) else { continue };
            check(&board, &tables).unwrap();
            checked += 1;
        }
        assert!(checked > 20_000, "{name}: {checked}");
    }
}

#[test]
fn a_wrong_value_does_not_follow() {
    let mut store = Store::default();
    let solved = store.solved(&class("KRvk")).unwrap();
    let mut tables = tables_of("KQvk");
    // The values of another class under the name of this one.
    let mut bytes = contents(&solved);
    bytes[24..40].copy_from_slice(b"KQvk\0\0\0\0\0\0\0\0\0\0\0\0");
    let checksum = crc32fast::hash(&bytes[16..]);
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    let mut wrong = Tables::default();
    wrong.add(Table::from_bytes(bytes).unwrap());
    wrong.add(Table::from_bytes(contents(&store.solved(&class("Kvk")).unwrap())).unwrap());
    let mut rng = Rng::new(3);
    let queen = store.solved(&class("KQvk")).unwrap();
    let boards: Vec<_> = (0..2000).filter_map(|_| queen.get(rng.below(queen.indices()))).collect();
    tables.add(Table::from_bytes(contents(&store.solved(&class("Kvk")).unwrap())).unwrap());
    assert!(boards.iter().all(|(board, _)| check(board, &tables).is_ok()));
    assert!(boards.iter().any(|(board, _)| check(board, &wrong).is_err()));
}
