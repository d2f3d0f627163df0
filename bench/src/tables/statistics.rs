//! What the tables say about a class.

use agoge_core::attacks::tables as attacks;
use agoge_core::board::Board;
use agoge_core::tables::{Class, Value, Wdl};
use agoge_core::types::Colour;
use agoge_solver::{Material, Solved, board};
use rayon::prelude::*;
use std::cmp::Reverse;

/// The results of the legal positions of a class with one side to move. Symmetric positions count once.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The number of positions by result, losses first.
    pub counts: [u64; 5],
    /// The longest win of the side to move without the fifty-move rule: its plies, and a position.
    pub longest_win: Option<(u16, Board)>,
}

impl Statistics {
    pub fn of(solved: &Solved) -> [Self; 2] {
        let (numbering, material) = (solved.numbering(), Material::new(solved.class()));
        // The counts, and the longest win with the smallest index.
        type Found = ([u64; 5], Option<(u16, Reverse<usize>)>);
        let add = |[white, black]: [Found; 2], index: usize| {
            let (squares, colour) = numbering.position(index);
            // A file has values for all indices.
            let mut found = [white, black];
            let value = solved.at(index);
            if let Some(value) = value.filter(|_| material.has_position(numbering, index, &squares, colour)) {
                let (counts, longest) = &mut found[colour.index()];
                counts[value.wdl as usize] += 1;
                let distance = value.dtm.filter(|_| value.wdl.is_win());
                *longest = (*longest).max(distance.map(|distance| (distance, Reverse(index))));
            }
            found
        };
        let merge = |a: Found, b: Found| (std::array::from_fn(|wdl| a.0[wdl] + b.0[wdl]), a.1.max(b.1));
        let found = (0..solved.indices())
            .into_par_iter()
            .fold(Default::default, add)
            .reduce(Default::default, |[white, black]: [Found; 2], [more_white, more_black]| {
                [merge(white, more_white), merge(black, more_black)]
            });
        found.map(|(counts, longest)| {
            let longest_win = longest.and_then(|(distance, Reverse(index))| {
                let (squares, side) = numbering.position(index);
                Some((distance, board(solved.class(), &squares, side)?))
            });
            Self { counts, longest_win }
        })
    }

    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub fn share(&self, wdl: Wdl) -> f64 {
        self.counts[wdl as usize] as f64 / self.total().max(1) as f64
    }
}

pub const HEADER: &str = "\
| Class | To move | Positions | Win | Cursed win | Draw | Blessed loss | Loss | Longest win | Position |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |";

/// The rows of a class, one for each side to move.
pub fn rows(class: &Class, statistics: &[Statistics; 2]) -> Vec<String> {
    let row = |(side, statistics): (Colour, &Statistics)| {
        let percent = |wdl| {
            let share = 100.0 * statistics.share(wdl);
            if share == 0.0 { "-".to_owned() } else { format!("{share:.2} %") }
        };
        let shares: Vec<String> = Wdl::ALL.into_iter().rev().map(percent).collect();
        let (longest, fen) = match &statistics.longest_win {
            Some((plies, board)) => (plies.div_ceil(2).to_string(), format!("`{board}`")),
            None => ("-".to_owned(), String::new()),
        };
        let side = if side == Colour::White { "White" } else { "Black" };
        let total = statistics.total();
        format!("| {class} | {side} | {total} | {} | {longest} | {fen} |", shares.join(" | "))
    };
    Colour::ALL.into_iter().zip(statistics).map(row).collect()
}

/// The mutual zugzwangs of a class: legal positions of either side to move in which each side does worse if it is on
/// move.
#[derive(Clone, Debug, Default)]
pub struct Zugzwangs {
    /// Their number. Symmetric positions count once.
    pub count: u64,
    /// One of those in which the most is at stake, with White to move, and its values with White and Black to move.
    pub example: Option<(Board, [Value; 2])>,
}

impl Zugzwangs {
    pub fn of(solved: &Solved) -> Self {
        let (numbering, material) = (solved.numbering(), Material::new(solved.class()));
        // What White gains by passing, in steps of the result, and the index.
        let stake = |index: usize| {
            let (squares, side) = numbering.position(index);
            let is_legal = |side| material.is_legal(&squares, side, attacks());
            if side != Colour::White
                || !numbering.is_canonical(index, &squares, side)
                || !Colour::ALL.into_iter().all(is_legal)
            {
                return None;
            }
            let moving = solved.at(index)?.wdl as u8;
            let passing = solved.value(&squares, Colour::Black)?.wdl.negated() as u8;
            (passing > moving).then(|| (passing - moving, Reverse(index)))
        };
        let found = (0..solved.indices()).into_par_iter().filter_map(stake).map(|stake| (1, Some(stake)));
        let (count, best) = found.reduce(|| (0, None), |a, b| (a.0 + b.0, a.1.max(b.1)));
        let example = best.and_then(|(_, Reverse(index))| {
            let (squares, side) = numbering.position(index);
            let values = [solved.at(index)?, solved.value(&squares, Colour::Black)?];
            Some((board(solved.class(), &squares, side)?, values))
        });
        Self { count, example }
    }
}

pub const ZUGZWANG_HEADER: &str = "\
| Class | Mutual zugzwangs | Example | White to move | Black to move |
| --- | ---: | --- | --- | --- |";

pub fn zugzwang_row(class: &Class, Zugzwangs { count, example }: &Zugzwangs) -> Option<String> {
    let (board, values) = example.as_ref()?;
    let [white, black] = values.map(|value| value.describe(0));
    Some(format!("| {class} | {count} | `{board}` | {white} | {black} |"))
}
