//! The output of a search in CECP, and its answer.

use crate::session::Output;
use crate::session::inbox::Waker;
use agoge_core::engine::EngineError;
use agoge_core::search::{Bound, Listener, Report};
use agoge_core::tables::Problem;
use agoge_core::types::Move;
use agoge_core::types::score::Score;
use agoge_core::uci::Output as _;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The score of a mate; the number of moves to it is added.
const MATE: i32 = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    /// The best move; `None` only if there is no legal move.
    pub best: Option<Move>,
    /// The predicted reply of the opponent.
    pub ponder_move: Option<Move>,
    /// The score from the side to move's view.
    pub score: Option<Score>,
}

/// Passes the answer of a search to the session.
pub(super) struct AnswerSlot {
    answer: Mutex<Option<Answer>>,
    waker: Option<Waker>,
}

impl AnswerSlot {
    /// An empty slot. An answer wakes the thread that waits at the inbox of `waker`, if there is one.
    pub(super) fn new(waker: Option<Waker>) -> Self {
        Self { answer: Mutex::new(None), waker }
    }

    pub(super) fn take(&self) -> Option<Answer> {
        self.lock().take()
    }

    fn put(&self, answer: Answer) {
        *self.lock() = Some(answer);
        if let Some(waker) = &self.waker {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Answer>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Progress {
    depth: u32,
    score: Option<Score>,
    line: Vec<Move>,
    /// The root move being searched, and its number.
    current: Option<(Move, usize)>,
}

/// The listener of a search; prints thinking output.
pub(super) struct Reporter {
    output: Arc<Output>,
    /// Whether to print thinking output.
    post: Arc<AtomicBool>,
    answer_slot: Arc<AnswerSlot>,
    /// Set when the search is aborted.
    muted: AtomicBool,
    start: Instant,
    /// The number of root moves.
    root_moves: usize,
    progress: Mutex<Progress>,
}

impl Reporter {
    /// A listener for a search that starts now.
    pub(super) fn new(
        output: Arc<Output>,
        post: Arc<AtomicBool>,
        answer_slot: Arc<AnswerSlot>,
        root_moves: usize,
    ) -> Self {
        let (muted, progress) = (AtomicBool::new(false), Mutex::default());
        Self { output, post, answer_slot, muted, start: Instant::now(), root_moves, progress }
    }

    pub(super) fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    /// The first move of the best line so far.
    pub(super) fn first_move(&self) -> Option<Move> {
        self.progress().line.first().copied()
    }

    /// The `stat01` line: time, nodes, depth, remaining and total moves, and the current move if known.
    pub(super) fn status(&self, nodes: u64) -> String {
        let progress = self.progress();
        let time = self.start.elapsed().as_millis() / 10;
        let number = progress.current.map_or(0, |(_, number)| number);
        let total = self.root_moves;
        let remaining = total.saturating_sub(number);
        let mut line = format!("stat01: {time} {nodes} {} {remaining} {total}", progress.depth);
        if let Some((mv, _)) = progress.current {
            let _ = write!(line, " {mv}");
        }
        line
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Reporter {
    fn report(&self, report: &Report) {
        if report.pv.is_empty() {
            return;
        }
        if report.multi_pv == 1 {
            let mut progress = self.progress();
            if progress.depth != report.depth {
                progress.current = None;
            }
            progress.depth = report.depth;
            if report.bound == Bound::Exact {
                progress.score = Some(report.score);
            }
            progress.line.clone_from(&report.pv);
        }
        if self.post.load(Ordering::Relaxed) && !self.muted.load(Ordering::Relaxed) {
            self.output.line(&thinking_line(report));
        }
    }

    fn current_move(&self, depth: u32, mv: Move, number: usize) {
        let mut progress = self.progress();
        progress.depth = depth;
        progress.current = Some((mv, number));
    }

    fn tables_failed(&self, problems: Vec<Problem>) {
        self.output.error(&EngineError::Tables(problems).to_string());
    }

    fn best_move(&self, best: Option<Move>, ponder_move: Option<Move>) {
        let score = self.progress().score;
        self.answer_slot.put(Answer { best, ponder_move, score });
    }
}

/// Depth, score in centipawns, time in centiseconds, nodes, and the line. A question mark after it marks an upper
/// bound, an exclamation mark a lower bound.
fn thinking_line(report: &Report) -> String {
    let (depth, nodes) = (report.depth, report.nodes);
    let time = report.time.as_millis() / 10;
    let mut line = format!("{depth} {} {time} {nodes}", score_number(report.score));
    for mv in &report.pv {
        let _ = write!(line, " {mv}");
    }
    match report.bound {
        Bound::Exact => {}
        Bound::Upper => line.push_str(" ?"),
        Bound::Lower => line.push_str(" !"),
    }
    line
}

/// A score as a number.
fn score_number(score: Score) -> i32 {
    match score {
        Score::Cp(centipawns) => centipawns,
        Score::Mate(moves) if moves > 0 => MATE + moves,
        Score::Mate(moves) => moves - MATE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::types::{PieceType, Square};
    use std::time::Duration;

    fn report() -> Report {
        Report {
            depth: 12,
            seldepth: 20,
            multi_pv: 1,
            score: Score::Cp(-34),
            bound: Bound::Exact,
            wdl: [100, 500, 400],
            nodes: 5_000_000,
            tb_hits: 12,
            time: Duration::from_millis(2507),
            hashfull: 17,
            pv: vec![Move::promotion(Square::A2, Square::A1, PieceType::Warlord), Move::normal(Square::E1, Square::E2)],
        }
    }

    #[test]
    fn lines() {
        assert_eq!(thinking_line(&report()), "12 -34 250 5000000 a2a1w e1e2");
        let line = thinking_line(&Report { bound: Bound::Upper, ..report() });
        assert_eq!(line, "12 -34 250 5000000 a2a1w e1e2 ?");
        let line = thinking_line(&Report { bound: Bound::Lower, score: Score::Mate(3), ..report() });
        assert_eq!(line, "12 100003 250 5000000 a2a1w e1e2 !");
        assert_eq!(score_number(Score::Mate(-2)), -100_002);
        assert_eq!(score_number(Score::Mate(0)), -100_000);
    }

    #[test]
    fn progress_and_answer() {
        let answer_slot = Arc::new(AnswerSlot::new(None));
        let output = Arc::new(Output::new(Vec::new()));
        let reporter = Reporter::new(output, Arc::default(), Arc::clone(&answer_slot), 20);
        reporter.report(&report());
        let (mv, line) = (report().pv[0], reporter.status(77));
        assert!(line.starts_with("stat01: ") && line.ends_with(" 77 12 20 20"), "{line}");
        reporter.current_move(13, mv, 4);
        let line = reporter.status(77);
        assert!(line.ends_with(" 77 13 16 20 a2a1w"), "{line}");
        assert_eq!(reporter.first_move(), Some(mv));
        reporter.best_move(Some(mv), None);
        assert_eq!(answer_slot.take(), Some(Answer { best: Some(mv), ponder_move: None, score: Some(Score::Cp(-34)) }));
        assert_eq!(answer_slot.take(), None);
    }
}
