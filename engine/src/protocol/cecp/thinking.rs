//! What a search tells, in the words of CECP, and where it leaves its answer.

use crate::protocol::Output;
use crate::protocol::inbox::Waker;
use crate::search::{Bound, Listener, Report};
use crate::types::Move;
use crate::types::score::Score;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What a mate on the spot would score; moves to the mate are added.
const MATE: i32 = 100_000;

/// The answer of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    /// The move to make; none only where there is no legal one.
    pub best: Option<Move>,
    /// The opponent's move that is expected then.
    pub predicted: Option<Move>,
    /// The value of the position, from the view of the side that moves.
    pub score: Option<Score>,
}

/// Where a search leaves its answer, and the session finds it.
pub(super) struct Desk {
    answer: Mutex<Option<Answer>>,
    waker: Option<Waker>,
}

impl Desk {
    /// An empty desk. Whoever sleeps at the inbox of `waker`, if there is one, is woken up by an answer.
    pub(super) fn new(waker: Option<Waker>) -> Self {
        Self { answer: Mutex::new(None), waker }
    }

    /// Takes the answer away.
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

/// How far a search has come.
#[derive(Default)]
struct Progress {
    depth: u32,
    score: Option<Score>,
    line: Vec<Move>,
    /// The root move that is being looked at, and its number.
    current: Option<(Move, usize)>,
}

/// Hears of one search, and writes of it what is wanted.
pub(super) struct Reporter {
    output: Arc<Output>,
    /// Whether thinking is to be shown.
    post: Arc<AtomicBool>,
    desk: Arc<Desk>,
    /// Set when nobody wants to hear of this search any more.
    muted: AtomicBool,
    start: Instant,
    progress: Mutex<Progress>,
}

impl Reporter {
    /// For a search that starts now.
    pub(super) fn new(output: Arc<Output>, post: Arc<AtomicBool>, desk: Arc<Desk>) -> Self {
        let (muted, progress) = (AtomicBool::new(false), Mutex::default());
        Self { output, post, desk, muted, start: Instant::now(), progress }
    }

    /// Writes nothing more.
    pub(super) fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    /// The first move of the best line so far.
    pub(super) fn first_move(&self) -> Option<Move> {
        self.progress().line.first().copied()
    }

    /// The `stat01` line: time, nodes, depth, moves left and in total, and the present one if known.
    pub(super) fn status(&self, nodes: u64, total: usize) -> String {
        let progress = self.progress();
        let time = self.start.elapsed().as_millis() / 10;
        let number = progress.current.map_or(0, |(_, number)| number);
        let left = total.saturating_sub(number);
        let mut line = format!("stat01: {time} {nodes} {} {left} {total}", progress.depth);
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

    fn best_move(&self, best: Option<Move>, predicted: Option<Move>) {
        let score = self.progress().score;
        self.desk.put(Answer { best, predicted, score });
    }
}

/// Depth, score in centipawns, time in centiseconds, nodes, and the line. A question mark after it
/// stands for a score that is too high, an exclamation mark for one that is too low.
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

/// A score as one number.
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
    use crate::protocol::info::tests::sample_report;
    use std::time::Duration;

    fn report() -> Report {
        Report { time: Duration::from_millis(2507), ..sample_report() }
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
        let desk = Arc::new(Desk::new(None));
        let output = Arc::new(Output::new(Vec::new()));
        let reporter = Reporter::new(output, Arc::default(), Arc::clone(&desk));
        reporter.report(&report());
        let (mv, line) = (report().pv[0], reporter.status(77, 20));
        assert!(line.starts_with("stat01: ") && line.ends_with(" 77 12 20 20"), "{line}");
        reporter.current_move(13, mv, 4);
        let line = reporter.status(77, 20);
        assert!(line.ends_with(" 77 13 16 20 a2a1w"), "{line}");
        assert_eq!(reporter.first_move(), Some(mv));
        reporter.best_move(Some(mv), None);
        assert_eq!(desk.take(), Some(Answer { best: Some(mv), predicted: None, score: Some(Score::Cp(-34)) }));
        assert_eq!(desk.take(), None);
    }
}
