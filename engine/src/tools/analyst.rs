//! Searches that are waited for, and all that they tell.

use crate::board::Game;
use crate::nnue::{self, Network};
use crate::search::{Bound, Job, Limits, Listener, PoolError, Report, Searcher, Settings, ThreadPool};
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::sync::{Arc, Mutex, PoisonError};

/// A mate counts as this many centipawns where numbers are compared.
const MATE_CENTIPAWNS: i32 = 20_000;

/// A score as a number of centipawns, mates beyond all others and the nearer the better.
pub const fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value,
        Score::Mate(moves) if moves > 0 => MATE_CENTIPAWNS - moves,
        Score::Mate(moves) => -MATE_CENTIPAWNS - moves,
    }
}

/// A score of the side to move as White sees it, or the other way round.
pub const fn white_view(side: Colour, score: i32) -> i32 {
    match side {
        Colour::White => score,
        Colour::Black => -score,
    }
}

/// What a search told, in the order in which it did.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// All reports, of all lines.
    pub reports: Vec<Report>,
    /// The answer; missing only where there is no legal move.
    pub best: Option<Move>,
}

impl Analysis {
    /// The reports of an exact value of the best line. The last may be of an iteration that was broken
    /// off.
    pub fn exact(&self) -> impl DoubleEndedIterator<Item = &Report> {
        self.reports.iter().filter(|report| report.multi_pv == 1 && report.bound == Bound::Exact)
    }

    /// The final score from the side to move's view, in centipawns.
    pub fn score(&self) -> Option<i32> {
        self.exact().next_back().map(|report| centipawns(report.score))
    }

    /// The last report of each line, by rank. An iteration that was broken off may leave a later line
    /// with a better score than an earlier one.
    pub fn lines(&self) -> Vec<&Report> {
        let ranks = self.reports.iter().map(|report| report.multi_pv).max().unwrap_or(0);
        (1..=ranks).filter_map(|rank| self.reports.iter().rev().find(|report| report.multi_pv == rank)).collect()
    }
}

/// Takes down what a search tells.
#[derive(Default)]
struct Recorder(Mutex<Analysis>);

impl Recorder {
    fn with(&self, change: impl FnOnce(&mut Analysis)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Listener for Recorder {
    fn report(&self, report: &Report) {
        self.with(|analysis| analysis.reports.push(report.clone()));
    }

    fn current_move(&self, _: u32, _: Move, _: usize) {}

    fn best_move(&self, best: Option<Move>, _: Option<Move>) {
        self.with(|analysis| analysis.best = best);
    }
}

/// Does one search after the other.
pub struct Analyst {
    hands: Hands,
    network: Option<Arc<Network>>,
}

enum Hands {
    Threads(ThreadPool),
    ThisThread(Box<Searcher>),
}

impl Analyst {
    /// An analyst with some search threads, a hash table of some MiB and the network of the engine.
    ///
    /// # Errors
    /// When memory or threads are lacking.
    pub fn new(threads: usize, hash_mib: usize) -> Result<Self, PoolError> {
        let hands = Hands::Threads(ThreadPool::new(threads, hash_mib)?);
        Ok(Self { hands, network: nnue::embedded() })
    }

    /// The same on the thread that asks, which needs a stack of [`crate::search::STACK_SIZE`] bytes.
    /// Short searches take half the time so.
    ///
    /// # Errors
    /// When memory is lacking.
    pub fn on_this_thread(hash_mib: usize) -> Result<Self, PoolError> {
        let hands = Hands::ThisThread(Box::new(Searcher::new(hash_mib)?));
        Ok(Self { hands, network: nnue::embedded() })
    }

    /// The same with another network, or with `None` for the hand-made evaluation.
    #[must_use]
    pub fn with_network(self, network: Option<Arc<Network>>) -> Self {
        Self { network, ..self }
    }

    /// Forgets all that earlier searches found, so that the next one depends on its position alone.
    pub fn forget(&mut self) {
        match &mut self.hands {
            Hands::Threads(pool) => pool.clear(),
            Hands::ThisThread(searcher) => searcher.clear(),
        }
    }

    /// Searches and waits for the answer.
    pub fn search(&mut self, game: &Game, limits: Limits, multi_pv: usize) -> Analysis {
        let recorder = Arc::new(Recorder::default());
        let settings = Settings { multi_pv, network: self.network.clone(), ..Settings::default() };
        let job = Job { game: game.clone(), limits, settings };
        match &mut self.hands {
            Hands::Threads(pool) => {
                pool.start(job, recorder.clone());
                pool.wait();
            }
            Hands::ThisThread(searcher) => searcher.search(job, recorder.clone()),
        }
        let mut analysis = Analysis::default();
        recorder.with(|recorded| std::mem::swap(recorded, &mut analysis));
        analysis
    }

    /// Searches a number of nodes.
    pub fn search_nodes(&mut self, game: &Game, nodes: u64, multi_pv: usize) -> Analysis {
        self.search(game, Limits { nodes: Some(nodes), ..Limits::default() }, multi_pv)
    }

    /// Positions visited by the last search.
    pub fn nodes(&self) -> u64 {
        match &self.hands {
            Hands::Threads(pool) => pool.nodes(),
            Hands::ThisThread(searcher) => searcher.nodes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    #[test]
    fn this_thread_finds_what_another_finds() {
        let game = Game::start(Variant::Spartan);
        let here = move || {
            let mut analyst = Analyst::on_this_thread(1).expect("memory");
            let searches = [(); 3].map(|()| {
                let analysis = analyst.search_nodes(&game, 3000, 1);
                (analysis.best, analysis.score(), analyst.nodes())
            });
            analyst.forget();
            let again = analyst.search_nodes(&game, 3000, 1);
            (searches, (again.best, again.score(), analyst.nodes()))
        };
        let thread = std::thread::Builder::new().stack_size(crate::search::STACK_SIZE).spawn(here);
        let (searches, again) = thread.expect("a thread").join().expect("searches");
        let game = Game::start(Variant::Spartan);
        let mut analyst = Analyst::new(1, 1).expect("memory");
        for search in searches {
            let analysis = analyst.search_nodes(&game, 3000, 1);
            assert_eq!((analysis.best, analysis.score(), analyst.nodes()), search);
        }
        assert_eq!(again, searches[0]);
    }

    #[test]
    fn near_mates_are_better() {
        let order = [Score::Mate(1), Score::Mate(5), Score::Cp(900), Score::Cp(0), Score::Mate(-5), Score::Mate(-1)];
        assert!(order.windows(2).all(|pair| centipawns(pair[0]) > centipawns(pair[1])));
    }
}
