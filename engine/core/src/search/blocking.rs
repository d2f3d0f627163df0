//! Blocking searches: each call waits for the result and returns all reports.

use super::{Bound, InlineSearcher, Job, Limits, Listener, PoolError, Report, Settings, ThreadPool};
use crate::board::Game;
use crate::nnue::{self, Network};
use crate::tables::Tables;
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::sync::{Arc, Mutex, PoisonError};

/// The value of a mate in centipawns, where scores are compared as numbers.
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

/// Searches the current position of a game with one thread, the embedded network and a hash table of 16 MiB. Use a
/// [`BlockingSearcher`] for several searches.
///
/// # Errors
/// If there is not enough memory or the thread cannot be started.
pub fn search(game: &Game, limits: Limits) -> Result<Analysis, PoolError> {
    Ok(BlockingSearcher::new(1, 16)?.search(game, limits, 1))
}

/// Collects the reports of a search.
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

/// Runs searches one after another.
pub struct BlockingSearcher {
    backend: Backend,
    network: Option<Arc<Network>>,
    tables: Arc<Tables>,
}

/// Where searches run.
enum Backend {
    Threads(ThreadPool),
    ThisThread(Box<InlineSearcher>),
}

impl BlockingSearcher {
    /// A searcher with its own search threads, a hash table of `hash_mib` MiB and the engine's network.
    ///
    /// # Errors
    /// If there is not enough memory or a thread cannot be started.
    pub fn new(threads: usize, hash_mib: usize) -> Result<Self, PoolError> {
        let backend = Backend::Threads(ThreadPool::new(threads, hash_mib)?);
        Ok(Self { backend, network: nnue::embedded(), tables: Arc::default() })
    }

    /// A searcher that searches on the calling thread, which needs a stack of
    /// [`super::STACK_SIZE`] bytes. This halves the time of short searches.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn on_this_thread(hash_mib: usize) -> Result<Self, PoolError> {
        let backend = Backend::ThisThread(Box::new(InlineSearcher::new(hash_mib)?));
        Ok(Self { backend, network: nnue::embedded(), tables: Arc::default() })
    }

    /// Replaces the network; `None` selects the hand-made evaluation.
    #[must_use]
    pub fn with_network(self, network: Option<Arc<Network>>) -> Self {
        Self { network, ..self }
    }

    /// Replaces the endgame tables.
    #[must_use]
    pub fn with_tables(self, tables: Arc<Tables>) -> Self {
        Self { tables, ..self }
    }

    /// The endgame tables.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// Clears the hash table and the histories: the next search then depends only on its position.
    pub fn clear(&mut self) {
        match &mut self.backend {
            Backend::Threads(pool) => pool.clear(),
            Backend::ThisThread(searcher) => searcher.clear(),
        }
    }

    /// Searches and waits for the result.
    pub fn search(&mut self, game: &Game, limits: Limits, multi_pv: usize) -> Analysis {
        let recorder = Arc::new(Recorder::default());
        let (network, tables) = (self.network.clone(), self.tables.clone());
        let settings = Settings { multi_pv, network, tables, ..Settings::default() };
        let job = Job { game: game.clone(), limits, settings };
        match &mut self.backend {
            Backend::Threads(pool) => {
                pool.start(job, recorder.clone());
                pool.wait();
            }
            Backend::ThisThread(searcher) => searcher.search(job, recorder.clone()),
        }
        let mut analysis = Analysis::default();
        recorder.with(|recorded| std::mem::swap(recorded, &mut analysis));
        analysis
    }

    /// Searches a number of nodes.
    pub fn search_nodes(&mut self, game: &Game, nodes: u64, multi_pv: usize) -> Analysis {
        self.search(game, Limits { nodes: Some(nodes), ..Limits::default() }, multi_pv)
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        match &self.backend {
            Backend::Threads(pool) => pool.nodes(),
            Backend::ThisThread(searcher) => searcher.nodes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    #[test]
    fn searches_on_this_thread_match_those_of_the_pool() {
        let game = Game::start(Variant::Spartan);
        let here = move || {
            let mut searcher = BlockingSearcher::on_this_thread(1).expect("memory");
            let searches = [(); 3].map(|()| {
                let analysis = searcher.search_nodes(&game, 3000, 1);
                (analysis.best, analysis.score(), searcher.nodes())
            });
            searcher.clear();
            let again = searcher.search_nodes(&game, 3000, 1);
            (searches, (again.best, again.score(), searcher.nodes()))
        };
        let thread = std::thread::Builder::new().stack_size(crate::search::STACK_SIZE).spawn(here);
        let (searches, again) = thread.expect("a thread").join().expect("searches");
        let game = Game::start(Variant::Spartan);
        let mut searcher = BlockingSearcher::new(1, 1).expect("memory");
        for search in searches {
            let analysis = searcher.search_nodes(&game, 3000, 1);
            assert_eq!((analysis.best, analysis.score(), searcher.nodes()), search);
        }
        assert_eq!(again, searches[0]);
    }

    #[test]
    fn faster_mates_score_higher() {
        let order = [Score::Mate(1), Score::Mate(5), Score::Cp(900), Score::Cp(0), Score::Mate(-5), Score::Mate(-1)];
        assert!(order.windows(2).all(|pair| centipawns(pair[0]) > centipawns(pair[1])));
    }
}
