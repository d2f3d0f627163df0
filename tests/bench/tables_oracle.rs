//! The tables of up to three men against a slow solver that shares nothing with the program's: value iteration over the
//! moves of the mailbox, forward, without symmetry.

use crate::common::{bench, directory, full_tests, text};
use crate::mailbox::Mailbox;
use agoge_core::board::FIFTY_MOVES;
use agoge_core::board::{Board, Setup};
use agoge_core::tables::{Squares, Tables, Value, Wdl};
use agoge_core::types::{Colour, Square};
use agoge_solver::{all_classes, board};
use rayon::prelude::*;
use std::collections::HashMap;

/// A distance that is not known, or that of a draw.
const NONE: u16 = u16::MAX;

/// A position with its legal moves.
struct Node {
    board: Board,
    is_mate: bool,
    /// The positions after the moves, and whether the moves are captures or moves of pawns or hoplites.
    moves: Vec<(u32, bool)>,
}

/// Men, squares and side to move of a position of up to three men.
fn key(setup: &Setup) -> u64 {
    let men = setup.pieces.iter().enumerate().filter_map(|(square, piece)| Some((square as u64, (*piece)?)));
    men.fold(setup.side_to_move as u64, |key, (square, man)| key << 13 | square << 7 | man.letter() as u64)
}

/// All legal positions of all classes of up to some number of men.
fn boards(men: usize) -> Vec<Board> {
    let on_squares = |class, number: usize, len: usize| {
        let square = |man: usize| Square::new((number >> (6 * man) & 63) as u8);
        let squares: Squares = (0..len).map(square).collect();
        board(class, &squares, if number >> (6 * len) == 0 { Colour::White } else { Colour::Black })
    };
    let classes = all_classes(men);
    classes
        .iter()
        .flat_map(|class| {
            let len = class.len();
            (0..2usize << (6 * len))
                .into_par_iter()
                .filter_map(|number| on_squares(class, number, len))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn nodes(men: usize) -> Vec<Node> {
    let boards = boards(men);
    let mut numbers = HashMap::new();
    for board in &boards {
        let number = numbers.len() as u32;
        // Two men of the same kind can change places.
        numbers.entry(key(&Setup::from(board))).or_insert(number);
    }
    let mut distinct: Vec<Option<Board>> = vec![None; numbers.len()];
    for board in boards {
        let number = numbers[&key(&Setup::from(&board))];
        distinct[number as usize] = Some(board);
    }
    let node = |board: Option<Board>| {
        let board = board.expect("each number has a position");
        let mailbox = Mailbox::new(&board);
        let after = |(_, next): (String, Mailbox)| {
            let setup = next.setup();
            (numbers[&key(&setup)], setup.halfmove_clock == 0)
        };
        let moves: Vec<_> = mailbox.successors().into_iter().map(after).collect();
        Node { is_mate: moves.is_empty() && mailbox.in_check(), moves, board }
    };
    distinct.into_par_iter().map(node).collect()
}

/// The distances of all positions for which a rule holds, found one distance after the other.
fn iterate(nodes: &[Node], rule: impl Fn(&Node, usize, &[u16], u16) -> bool + Sync) -> Vec<u16> {
    let mut distances = vec![NONE; nodes.len()];
    for plies in 0.. {
        let is_new = |&number: &usize| distances[number] == NONE && rule(&nodes[number], number, &distances, plies);
        let found: Vec<usize> = (0..nodes.len()).into_par_iter().filter(is_new).collect();
        if found.is_empty() && plies > 0 {
            break;
        }
        found.iter().for_each(|&number| distances[number] = plies);
    }
    distances
}

/// Whether the side to move wins or loses at a distance to mate.
fn is_win(plies: u16) -> bool {
    plies != NONE && plies % 2 == 1
}

fn is_loss(plies: u16) -> bool {
    plies.is_multiple_of(2)
}

#[test]
fn all_values_of_three_men_agree_with_a_slow_solver() {
    let men = if full_tests() { 3 } else { 2 };
    let nodes = nodes(men);
    let dtm = iterate(&nodes, |node, _, dtm, plies| {
        let after = |&(number, _): &(u32, bool)| dtm[number as usize];
        match plies {
            0 => node.is_mate,
            _ if plies % 2 == 1 => node.moves.iter().any(|mv| after(mv) == plies - 1),
            _ => !node.moves.is_empty() && node.moves.iter().all(|mv| is_win(after(mv))),
        }
    });
    let dtz = iterate(&nodes, |node, number, dtz, plies| {
        let distance =
            |&(after, zeroing): &(u32, bool)| if zeroing { 1 } else { dtz[after as usize].saturating_add(1) };
        match dtm[number] {
            0 => plies == 0,
            NONE => false,
            mate if is_win(mate) => node.moves.iter().any(|mv| is_loss(dtm[mv.0 as usize]) && distance(mv) == plies),
            _ => node.moves.iter().all(|mv| distance(mv) <= plies) && plies > 0,
        }
    });
    let folder = directory("tables-oracle");
    let output = bench("tables").arg("--out").arg(&folder).args(["--men", &men.to_string()]).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tables = Tables::open_all(folder.as_os_str()).expect("usable files");
    let expected = |number: usize| match dtm[number] {
        NONE => Value::DRAW,
        mate => {
            assert!(dtz[number] <= FIFTY_MOVES);
            Value { wdl: if is_win(mate) { Wdl::Win } else { Wdl::Loss }, dtz: Some(dtz[number]), dtm: Some(mate) }
        }
    };
    nodes.par_iter().enumerate().for_each(|(number, node)| {
        assert_eq!(tables.value(&node.board), Some(expected(number)), "{}", node.board.to_fen());
    });
    let decided = dtm.iter().filter(|&&plies| plies != NONE).count();
    assert_eq!(decided > 0, men > 2, "{decided} of {}", nodes.len());
}
