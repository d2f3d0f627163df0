//! The recorded reports of a search.

use super::job::{Bound, Listener, Report};
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::sync::{Mutex, PoisonError};

const MATE_CENTIPAWNS: i32 = 20_000;

/// A score as a number of centipawns. Mates are beyond all other scores; faster ones count more.
pub const fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value,
        Score::Mate(moves) if moves > 0 => MATE_CENTIPAWNS - moves,
        Score::Mate(moves) => -MATE_CENTIPAWNS - moves,
    }
}

/// Converts a score between the side to move's view and White's view.
pub const fn white_view(side: Colour, score: i32) -> i32 {
    match side {
        Colour::White => score,
        Colour::Black => -score,
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// All reports of all lines, in order.
    pub reports: Vec<Report>,
    /// The best move; none only if there is no legal move.
    pub best: Option<Move>,
}

impl Analysis {
    /// The exact reports of the best line. The last one may come from an unfinished iteration.
    pub fn exact(&self) -> impl DoubleEndedIterator<Item = &Report> {
        self.reports.iter().filter(|report| report.multi_pv == 1 && report.bound == Bound::Exact)
    }

    /// The final score from the side to move's view, in centipawns.
    pub fn score(&self) -> Option<i32> {
        self.exact().next_back().map(|report| centipawns(report.score))
    }

    /// The last report of each line, by rank. After an unfinished iteration a lower line may have a
    /// better score than a higher one.
    pub fn lines(&self) -> Vec<&Report> {
        let ranks = self.reports.iter().map(|report| report.multi_pv).max().unwrap_or(0);
        (1..=ranks).filter_map(|rank| self.reports.iter().rev().find(|report| report.multi_pv == rank)).collect()
    }
}

/// Records a search.
impl Listener for Mutex<Analysis> {
    fn report(&self, report: &Report) {
        self.lock().unwrap_or_else(PoisonError::into_inner).reports.push(report.clone());
    }

    fn best_move(&self, best: Option<Move>, _: Option<Move>) {
        self.lock().unwrap_or_else(PoisonError::into_inner).best = best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_mates_score_higher() {
        let order = [Score::Mate(1), Score::Mate(5), Score::Cp(900), Score::Cp(0), Score::Mate(-5), Score::Mate(-1)];
        assert!(order.windows(2).all(|pair| centipawns(pair[0]) > centipawns(pair[1])));
    }
}
