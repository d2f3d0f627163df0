//! The evaluation: an [`Evaluator`] chooses between the neural network and the hand-made evaluation.
//!
//! The latter is a sum of terms, each with a middlegame and an endgame weight, tapered by the remaining pieces
//! ("Tapered Eval" and "Evaluation" of chessprogramming.org). The armies have separate terms where they differ:
//! hoplites step diagonally and capture straight ahead, and one of two Spartan kings is a piece worth about five pawns.
//!
//! - [`layout`] names the weights, [`params`] contains them; the tuner rewrites the latter.
//! - `terms` computes the sum, generic over the army (`army`) and the [`trace`].
//! - `endgame` scales the sum in endgames and evaluates mop-up endgames.

mod army;
mod endgame;
mod evaluator;
pub mod layout;
pub mod params;
mod terms;
pub mod trace;

use crate::board::army::{BLACK, Persian, Spartan};
use crate::board::{Board, Variant};
use crate::types::Colour;
use crate::types::score::{MAX_EVAL, Value};
use endgame::{FULL_SCALE, endgame_scale, mop_up};
pub use evaluator::{Evaluator, Source};
use layout::{GROUPS, Term};
use params::PARAMS;
use std::fmt::Write;
use terms::{FULL_PHASE, Sum, sum, unpack};
use trace::{Coefficients, NoTrace, Trace};

/// The hand-made value of a position from the side to move's view, in centipawns. Its absolute value is below
/// [`MAX_EVAL`].
pub fn evaluate(board: &Board) -> Value {
    let value = mop_up(board).unwrap_or_else(|| result(board, None, &mut NoTrace).value);
    if board.side_to_move() == Colour::White { value } else { -value }
}

/// The evaluation of a position for the tuner. The value is `(mg · phase + eg · (24 − phase)) / 24 · scale / 64 +
/// bonus`, where each division rounds towards zero and `mg` and `eg` are the sums of all weights times their counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Traced {
    /// The count of each weight.
    pub coefficients: Coefficients,
    /// The game phase, from 24 with all pieces to 0.
    pub phase: i32,
    /// The endgame scale, in 1/64.
    pub scale: i32,
    /// The bonus after scaling, from White's view.
    pub bonus: i32,
    /// The value from White's view.
    pub value: Value,
}

/// Evaluates a position and records the counts.
pub fn traced(board: &Board) -> Traced {
    let mut coefficients = Coefficients::default();
    let Evaluation { value, phase, scale, bonus, .. } = result(board, mop_up(board), &mut coefficients);
    Traced { coefficients, phase, scale, bonus, value }
}

/// The parts of an evaluation, from White's view.
struct Evaluation {
    mg: i32,
    eg: i32,
    phase: i32,
    scale: i32,
    bonus: i32,
    value: Value,
}

/// The evaluation; `mop_up` replaces the weighted sum.
#[inline]
fn result<T: Trace>(board: &Board, mop_up: Option<i32>, trace: &mut T) -> Evaluation {
    let Sum { packed, phase } = match board.variant() {
        Variant::Spartan => sum::<Spartan, T>(board, trace),
        Variant::Chess => sum::<Persian<BLACK>, T>(board, trace),
    };
    let (mg, eg) = unpack(packed);
    let tapered = (mg * phase + eg * (FULL_PHASE - phase)) / FULL_PHASE;
    let (scale, bonus) = match (mop_up, tapered) {
        (Some(value), _) => (0, value),
        (None, 0) => (FULL_SCALE, 0),
        (None, 1..) => (endgame_scale(board, Colour::White), 0),
        (None, _) => (endgame_scale(board, Colour::Black), 0),
    };
    let value = tapered * scale / FULL_SCALE + bonus;
    Evaluation { mg, eg, phase, scale, bonus, value: value.clamp(1 - MAX_EVAL, MAX_EVAL - 1) }
}

/// The terms of the hand-made evaluation as a table, in pawns from White's view.
fn explain(board: &Board) -> String {
    let mut coefficients = Coefficients::default();
    let Evaluation { mg, eg, phase, scale, bonus, value } = result(board, mop_up(board), &mut coefficients);
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
    let _ = writeln!(text, "\nphase {phase}/{FULL_PHASE}, scale {}/{FULL_SCALE}, bonus {:.2}", scale, pawns(bonus));
    let _ = writeln!(text, "evaluation {:+.2} (White's view)", pawns(value));
    text
}

#[cfg(test)]
mod tests;
