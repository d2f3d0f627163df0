//! The moves of the root, the result of a thread, and the choice among the results.

use super::job::Bound;
use crate::types::Move;
use crate::types::score::{INFINITE, MATE, MATE_IN_MAX, Value};
use std::cmp::Reverse;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// The value of this iteration, or -[`INFINITE`] if the move has not been searched yet or, unless it is the
    /// first one, did not raise alpha.
    pub value: Value,
    /// The value of the last completed iteration, or -[`INFINITE`] as for `value`.
    pub previous: Value,
    /// The average of the values of completed iterations, the last one counting half: it is less erratic than the last
    /// value. Mates do not count. `None` before the first.
    pub average: Option<Value>,
    pub bound: Bound,
    /// The iteration of `value`.
    pub depth: u32,
    /// The principal variation, beginning with the move.
    pub pv: Vec<Move>,
    /// The principal variation of the last completed iteration, if this one has changed it.
    pub previous_pv: Option<Vec<Move>>,
    /// Nodes searched below the move, in all iterations.
    pub nodes: u64,
    pub seldepth: u32,
}

impl RootMove {
    pub fn new(mv: Move) -> Self {
        Self {
            mv,
            value: -INFINITE,
            previous: -INFINITE,
            average: None,
            bound: Bound::Exact,
            depth: 0,
            pv: vec![mv],
            previous_pv: None,
            nodes: 0,
            seldepth: 0,
        }
    }

    pub fn start_iteration(&mut self) {
        self.previous = std::mem::replace(&mut self.value, -INFINITE);
        self.previous_pv = None;
    }

    pub fn update_average(&mut self) {
        if self.value.abs() < MATE_IN_MAX {
            self.average = Some(self.average.map_or(self.value, |average| (average + self.value) / 2));
        }
    }

    /// Restores the result of the last completed iteration.
    pub fn restore(&mut self, completed_depth: u32) {
        self.value = self.previous;
        self.bound = Bound::Exact;
        self.depth = completed_depth;
        if let Some(pv) = self.previous_pv.take() {
            self.pv = pv;
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct ThreadResult {
    pub thread: usize,
    /// The last completed iteration.
    pub depth: u32,
    pub best: RootMove,
    pub ponder: Option<Move>,
}

/// Chooses among the results of the threads.
///
/// The shortest proven mate, for or against us, wins: a thread with a longer mate, or none, has missed it. Otherwise
/// each thread votes for its best move with the square of its depth, and the deepest thread that voted for the winning
/// move is chosen.
pub(super) fn vote(results: &[ThreadResult]) -> Option<&ThreadResult> {
    let is_proven = |result: &&ThreadResult| {
        let best = &result.best;
        best.value.abs() >= MATE_IN_MAX
            && (best.bound == Bound::Exact || (best.bound == Bound::Lower) == (best.value > 0))
    };
    // Ties go to the lowest thread index, that of the main thread.
    if let Some(mate) = results.iter().filter(is_proven).min_by_key(|result| MATE - result.best.value.abs()) {
        return Some(mate);
    }
    let weight = |result: &ThreadResult| u64::from(result.depth).pow(2);
    let mut votes: HashMap<Move, u64> = HashMap::new();
    for result in results {
        *votes.entry(result.best.mv).or_default() += weight(result);
    }
    results
        .iter()
        .max_by_key(|result| (votes[&result.best.mv], weight(result), result.best.value, Reverse(result.thread)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    fn result(thread: usize, depth: u32, mv: Move, value: Value) -> ThreadResult {
        let mut best = RootMove::new(mv);
        (best.value, best.depth) = (value, depth);
        ThreadResult { thread, depth, best, ponder: None }
    }

    #[test]
    fn the_vote_prefers_mates_and_depth() {
        let [a, b] = [Square::E4, Square::E3].map(|to| Move::normal(Square::E2, to));
        let chosen = |results: &[ThreadResult]| vote(results).map(|result| result.thread);
        assert_eq!(chosen(&[]), None);
        // A mate beats any number of threads that have not seen it.
        assert_eq!(chosen(&[result(0, 9, a, -80), result(1, 12, b, -MATE + 6), result(2, 9, a, -90)]), Some(1));
        assert_eq!(chosen(&[result(0, 9, a, MATE - 9), result(1, 8, b, MATE - 5)]), Some(1));
        // A lower bound on a loss does not prove the mate.
        let mut lower = result(0, 9, a, -MATE + 4);
        lower.best.bound = Bound::Lower;
        assert_eq!(chosen(&[lower, result(1, 9, b, 10), result(2, 8, b, 20)]), Some(1));
        // Two threads of nearly the same depth outvote one; shallow threads do not.
        assert_eq!(chosen(&[result(0, 10, a, 0), result(1, 9, b, 0), result(2, 9, b, 5)]), Some(2));
        assert_eq!(chosen(&[result(0, 10, a, 0), result(1, 3, b, 300), result(2, 2, b, 300)]), Some(0));
        assert_eq!(chosen(&[result(0, 10, a, 5), result(1, 10, a, 5)]), Some(0));
    }
}
