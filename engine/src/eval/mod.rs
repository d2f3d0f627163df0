//! The hand-made evaluation.
//!
//! A sum of terms, each with a worth in the middlegame and one in the endgame, tapered by the pieces
//! that are left (see "Tapered Eval" and "Evaluation" of the chess programming wiki). Both armies
//! have terms of their own where they differ: hoplites step diagonally and capture straight ahead,
//! and one of two Spartan kings is a piece of about five pawns, not the game.
//!
//! - [`layout`] names the numbers, [`params`] holds them; the tuner rewrites the latter.
//! - `terms` is the sum, written once for both armies (`army`) and for every [`trace`].
//! - `endgame` corrects the sum where few pieces are left.

mod army;
mod endgame;
pub mod layout;
pub mod params;
mod terms;
pub mod trace;

use crate::board::{Board, Variant};
use crate::types::Colour;
use crate::types::score::{MAX_EVAL, Value};
use army::{BLACK, Persian, Spartan};
pub use endgame::is_mop_up;
use endgame::{FULL_SCALE, Verdict, mop_up, verdict};
use layout::{GROUPS, Term};
use params::PARAMS;
use std::fmt::Write;
use terms::{FULL_PHASE, Sum, sum, unpack};
use trace::{Coefficients, NoTrace, Trace};

/// The value of a position from the side to move's view, in centipawns. Its size is below
/// [`MAX_EVAL`].
pub fn evaluate(board: &Board) -> Value {
    let value = mop_up(board).unwrap_or_else(|| result(board, &mut NoTrace).value);
    if board.side_to_move() == Colour::White { value } else { -value }
}

/// A position as the tuner sees it: the value is
/// `(mg · phase + eg · (24 − phase)) / 24 · scale / 64 + bonus`, each division rounding towards
/// zero, with the sums `mg` and `eg` of all numbers times their counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Traced {
    /// How often each number counts.
    pub coefficients: Coefficients,
    /// How much of the middlegame is left, 0 to 24.
    pub phase: i32,
    /// The part of the sum that counts, in sixty-fourths.
    pub scale: i32,
    /// What is added in the end, from White's view.
    pub bonus: i32,
    /// The value from White's view.
    pub value: Value,
}

/// Evaluates and keeps the counts.
pub fn traced(board: &Board) -> Traced {
    let mut coefficients = Coefficients::default();
    let Evaluation { value, phase, verdict, .. } = result(board, &mut coefficients);
    Traced { coefficients, phase, scale: verdict.scale, bonus: verdict.bonus, value }
}

/// All that comes out of an evaluation, from White's view.
struct Evaluation {
    mg: i32,
    eg: i32,
    phase: i32,
    verdict: Verdict,
    value: Value,
}

#[inline]
fn result<T: Trace>(board: &Board, trace: &mut T) -> Evaluation {
    let Sum { packed, phase } = match board.variant() {
        Variant::Spartan => sum::<Spartan, T>(board, trace),
        Variant::Chess => sum::<Persian<BLACK>, T>(board, trace),
    };
    let (mg, eg) = unpack(packed);
    let tapered = (mg * phase + eg * (FULL_PHASE - phase)) / FULL_PHASE;
    let verdict = match (mop_up(board), tapered) {
        (Some(bonus), _) => Verdict { scale: 0, bonus },
        (None, 0) => Verdict { scale: FULL_SCALE, bonus: 0 },
        (None, 1..) => verdict(board, Colour::White),
        (None, _) => verdict(board, Colour::Black),
    };
    let value = tapered * verdict.scale / FULL_SCALE + verdict.bonus;
    Evaluation { mg, eg, phase, verdict, value: value.clamp(1 - MAX_EVAL, MAX_EVAL - 1) }
}

/// The terms of the evaluation as a table for people, in pawns from White's view.
pub fn explain(board: &Board) -> String {
    let mut coefficients = Coefficients::default();
    let Evaluation { mg, eg, phase, verdict, value } = result(board, &mut coefficients);
    let numbers = PARAMS.flat();
    let pawns = |centipawns: i32| f64::from(centipawns) / 100.0;
    let sums = |term: Term, colour: Colour| {
        let indices = GROUPS.iter().filter(|group| group.term == term).flat_map(|g| g.first..g.first + g.len);
        indices.fold((0, 0), |(mg, eg), i| {
            let count = coefficients.count(colour, i);
            (mg + count * i32::from(numbers[i].mg), eg + count * i32::from(numbers[i].eg))
        })
    };
    let rule = "--------------+-----------------+-----------------+-----------------\n";
    let mut text = String::from("term          |      White      |      Black      |      total\n");
    text.push_str("              |     mg      eg  |     mg      eg  |     mg      eg\n");
    text.push_str(rule);
    let row = |text: &mut String, title: &str, cells: [Option<(i32, i32)>; 3]| {
        let _ = write!(text, "{title:<14}");
        for cell in cells {
            let _ = match cell {
                Some((mg, eg)) => write!(text, "|{:7.2} {:7.2}  ", pawns(mg), pawns(eg)),
                None => write!(text, "|    ---     ---  "),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    };
    for term in Term::ALL {
        let (white, black) = (sums(term, Colour::White), sums(term, Colour::Black));
        let total = (white.0 - black.0, white.1 - black.1);
        row(&mut text, term.title(), [Some(white), Some(black), Some(total)]);
    }
    text.push_str(rule);
    row(&mut text, "Sum", [None, None, Some((mg, eg))]);
    let _ = writeln!(
        text,
        "\nphase {phase}/{FULL_PHASE}, scale {}/{FULL_SCALE}, bonus {:.2}",
        verdict.scale,
        pawns(verdict.bonus)
    );
    let _ = writeln!(text, "evaluation {:+.2} (White's view)", pawns(value));
    text
}

#[cfg(test)]
mod tests;
