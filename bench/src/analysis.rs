//! Searches that are waited for, and all that they tell.

use agoge::board::Game;
use agoge::nnue::{self, Network};
use agoge::search::{Bound, Job, Limits, Listener, PoolError, Report, Searcher, Settings, ThreadPool};
use agoge::types::score::Score;
use agoge::types::{Colour, Move};
use rayon::prelude::*;
use std::ops::Range;
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

    /// The same on the thread that asks, which needs a stack of [`agoge::search::STACK_SIZE`] bytes.
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

/// Workers that parallel tasks borrow, since they are costly to make: analysts, or whatever else. There
/// are never more than tasks at the same time.
pub struct Bureau<W = Analyst> {
    hire: Box<dyn Fn() -> Result<W, PoolError> + Send + Sync>,
    forget: fn(&mut W),
    idle: Mutex<Vec<W>>,
}

impl Bureau {
    /// A bureau of analysts with one thread each and hash tables of some MiB.
    pub fn new(hash_mib: usize) -> Self {
        Self::of(move || Analyst::new(1, hash_mib), Analyst::forget)
    }
}

impl<W: Send> Bureau<W> {
    /// A bureau of workers that `hire` makes. Before each task `forget` makes the worker forget the
    /// tasks before it, so that the result does not depend on which worker does it.
    pub fn of(hire: impl Fn() -> Result<W, PoolError> + Send + Sync + 'static, forget: fn(&mut W)) -> Self {
        Self { hire: Box::new(hire), forget, idle: Mutex::new(Vec::new()) }
    }

    /// Does something with a worker that remembers nothing.
    ///
    /// # Errors
    /// When memory or threads are lacking.
    pub fn with<T>(&self, task: impl FnOnce(&mut W) -> T) -> Result<T, PoolError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut worker = match taken {
            Some(worker) => worker,
            None => (self.hire)()?,
        };
        (self.forget)(&mut worker);
        let result = task(&mut worker);
        idle().push(worker);
        Ok(result)
    }

    /// Does a task for each of some numbers, on all cores. The results are in the order of the numbers.
    ///
    /// # Errors
    /// When memory or threads are lacking.
    pub fn map<T: Send>(
        &self,
        numbers: Range<u64>,
        task: impl Fn(&mut W, u64) -> T + Sync,
    ) -> Result<Vec<T>, PoolError> {
        numbers.into_par_iter().map(|number| self.with(|worker| task(worker, number))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge::board::Variant;

    #[test]
    fn the_same_search_tells_the_same() {
        let game = Game::start(Variant::Spartan);
        let bureau = Bureau::new(1);
        let search = || bureau.with(|analyst| analyst.search_nodes(&game, 3000, 3)).unwrap();
        let (one, other) = (search(), search());
        assert_eq!(one.best, other.best);
        assert_eq!(one.score(), other.score());
        let lines = one.lines();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].pv[0] != lines[1].pv[0] && lines[1].pv[0] != lines[2].pv[0]);
        assert_eq!(one.best, lines[0].pv.first().copied());
    }

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
        let thread = std::thread::Builder::new().stack_size(agoge::search::STACK_SIZE).spawn(here);
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
    fn workers_forget_and_results_are_in_order() {
        let bureau = Bureau::of(|| Ok(Vec::new()), Vec::clear);
        let take_down = |notes: &mut Vec<u64>, number| {
            notes.push(number);
            notes.clone()
        };
        let results = bureau.map(10..200, take_down).unwrap();
        assert_eq!(results, (10..200).map(|number| vec![number]).collect::<Vec<_>>());
    }

    #[test]
    fn near_mates_are_better() {
        let order = [Score::Mate(1), Score::Mate(5), Score::Cp(900), Score::Cp(0), Score::Mate(-5), Score::Mate(-1)];
        assert!(order.windows(2).all(|pair| centipawns(pair[0]) > centipawns(pair[1])));
    }
}
