//! The engine, searching on threads of its own.

use crate::board::{PyBoard, is_white};
use crate::moves::PyMove;
use crate::value_error;
use agoge_core::board::Game;
use agoge_core::engine::{Engine, EngineError, Host};
use agoge_core::memory;
use agoge_core::options::AUTO;
use agoge_core::search::{Analysis, Bound as ScoreBound, Limits, Listener, PoolError, Report};
use agoge_core::types::Move;
use agoge_core::types::score::Score;
use agoge_core::uci::MAX_SECONDS;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a waiting call looks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Options of protocols, and those that arguments replace.
const UNUSED: [&str; 7] = ["BookFile", "BookVariety", "Debug Log File", "MultiPV", "OwnBook", "Ponder", "UCI_Variant"];

fn engine_error(error: &EngineError) -> PyErr {
    match error {
        EngineError::Option(error) => value_error(error),
        EngineError::Pool(error) => PyMemoryError::new_err(error.to_string()),
        EngineError::File(_) | EngineError::Tables(_) => PyOSError::new_err(error.to_string()),
    }
}

/// What the options do in the process of Python.
struct Process;

impl Host for Process {
    fn check_memory(&self, mib: usize, old_mib: usize) -> Result<(), PoolError> {
        memory::check(mib, old_mib)
    }
}

/// What a search has found so far.
#[derive(Default)]
struct Found {
    analysis: Analysis,
    /// How many of its reports the iterator has given.
    given: usize,
    /// The best move and the expected answer, once the search has ended.
    end: Option<(Option<Move>, Option<Move>)>,
}

/// Receives the output of a search.
#[derive(Default)]
struct Recorder {
    found: Mutex<Found>,
    changed: Condvar,
}

impl Recorder {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a short time for a condition. Returns whether it holds.
    fn wait_for(&self, condition: impl Fn(&Found) -> bool) -> bool {
        let wait = self.changed.wait_timeout_while(self.found(), SIGNAL_INTERVAL, |found| !condition(found));
        condition(&wait.unwrap_or_else(PoisonError::into_inner).0)
    }
}

impl Listener for Recorder {
    fn report(&self, report: &Report) {
        self.found().analysis.reports.push(report.clone());
        self.changed.notify_all();
    }

    fn best_move(&self, best: Option<Move>, ponder: Option<Move>) {
        self.found().end = Some((best, ponder));
        self.changed.notify_all();
    }
}

/// One line of a search.
#[pyclass(name = "Report", module = "agoge_chess", frozen)]
pub struct PyReport {
    report: Report,
    white_to_move: bool,
}

#[pymethods]
impl PyReport {
    #[getter]
    fn depth(&self) -> u32 {
        self.report.depth
    }

    #[getter]
    fn seldepth(&self) -> u32 {
        self.report.seldepth
    }

    #[getter]
    fn multipv(&self) -> usize {
        self.report.multi_pv
    }

    #[getter]
    fn cp(&self) -> Option<i32> {
        match self.report.score {
            Score::Cp(value) => Some(value),
            Score::Mate(_) => None,
        }
    }

    #[getter]
    fn mate(&self) -> Option<i32> {
        match self.report.score {
            Score::Mate(moves) => Some(moves),
            Score::Cp(_) => None,
        }
    }

    #[getter]
    fn turn(&self) -> bool {
        self.white_to_move
    }

    #[getter]
    fn bound(&self) -> Option<&'static str> {
        match self.report.bound {
            ScoreBound::Exact => None,
            ScoreBound::Lower => Some("lower"),
            ScoreBound::Upper => Some("upper"),
        }
    }

    #[getter]
    fn wdl(&self) -> (u32, u32, u32) {
        self.report.wdl.into()
    }

    #[getter]
    fn nodes(&self) -> u64 {
        self.report.nodes
    }

    #[getter]
    fn time(&self) -> f64 {
        self.report.time.as_secs_f64()
    }

    #[getter]
    fn tbhits(&self) -> u64 {
        self.report.tb_hits
    }

    #[getter]
    fn hashfull(&self) -> u32 {
        self.report.hashfull
    }

    #[getter]
    fn pv(&self) -> Vec<PyMove> {
        self.report.pv.iter().map(|&mv| mv.into()).collect()
    }
}

/// A search that was started.
#[pyclass(module = "agoge_chess", frozen)]
pub struct Search {
    recorder: Arc<Recorder>,
    stop: Arc<AtomicBool>,
    white_to_move: bool,
}

impl Search {
    fn report(&self, report: &Report) -> PyReport {
        PyReport { report: report.clone(), white_to_move: self.white_to_move }
    }

    /// Waits without the interpreter lock until a condition holds.
    ///
    /// # Errors
    /// The exception of a signal handler, such as `KeyboardInterrupt`; the search is stopped then.
    fn wait_for(&self, py: Python<'_>, condition: impl Fn(&Found) -> bool + Sync) -> PyResult<()> {
        while !py.detach(|| self.recorder.wait_for(&condition)) {
            py.check_signals().inspect_err(|_| self.stop())?;
        }
        Ok(())
    }
}

#[pymethods]
impl Search {
    fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    #[getter]
    fn is_running(&self) -> bool {
        self.recorder.found().end.is_none()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyReport>> {
        self.wait_for(py, |found| found.given < found.analysis.reports.len() || found.end.is_some())?;
        let mut found = self.recorder.found();
        let next = found.analysis.reports.get(found.given).map(|report| self.report(report));
        found.given += usize::from(next.is_some());
        Ok(next)
    }

    /// Waits for the end. Returns the best move and the expected answer.
    fn wait(&self, py: Python<'_>) -> PyResult<(Option<PyMove>, Option<PyMove>)> {
        self.wait_for(py, |found| found.end.is_some())?;
        let (best, ponder) = self.recorder.found().end.unwrap_or_default();
        Ok((best.map(PyMove::from), ponder.map(PyMove::from)))
    }

    /// The last report of each line, the best line first.
    fn lines(&self) -> Vec<PyReport> {
        let found = self.recorder.found();
        found.analysis.lines().into_iter().map(|report| self.report(report)).collect()
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A time of the limits. Longer ones than UCI allows are clamped, so that arithmetic on times cannot overflow.
fn seconds(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds: f64 = value.extract()?;
    let time = Duration::try_from_secs_f64(seconds);
    let time = time.map_err(|_| value_error(format!("{seconds} is not a time in seconds")))?;
    Ok(time.min(Duration::from_secs(MAX_SECONDS.into())))
}

/// The limits with the names of python-chess.
///
/// # Errors
/// `TypeError` or `ValueError` if a limit is unknown or has a wrong value, or a root move is illegal.
fn limits_of(given: &Bound<'_, PyDict>, game: &Game) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given {
        if value.is_none() {
            continue;
        }
        match name.extract::<String>()?.as_str() {
            "depth" => limits.depth = Some(value.extract()?),
            "nodes" => limits.nodes = Some(value.extract()?),
            "mate" => limits.mate = Some(value.extract()?),
            "time" => limits.move_time = Some(seconds(&value)?),
            "white_clock" => limits.clock[0] = Some(seconds(&value)?),
            "black_clock" => limits.clock[1] = Some(seconds(&value)?),
            "white_inc" => limits.increment[0] = seconds(&value)?,
            "black_inc" => limits.increment[1] = seconds(&value)?,
            "remaining_moves" => limits.moves_to_go = Some(value.extract()?),
            "root_moves" => {
                let moves: Vec<PyMove> = value.extract()?;
                if moves.is_empty() {
                    return Err(value_error("root_moves has no move"));
                }
                limits.search_moves = moves.into_iter().map(|mv| mv.on(game.board())).collect::<PyResult<_>>()?;
            }
            other => return Err(PyTypeError::new_err(format!("'{other}' is not a limit of a search"))),
        }
    }
    // Without a clock of its own side the search would not end.
    limits.complete_clocks();
    Ok(limits)
}

/// The engine in this process.
#[pyclass(name = "Engine", module = "agoge_chess", frozen, subclass)]
pub struct PyEngine {
    engine: Mutex<Engine>,
    /// The flag of the search that was started last.
    stop: Mutex<Arc<AtomicBool>>,
}

impl PyEngine {
    fn engine(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop_flag(&self) -> MutexGuard<'_, Arc<AtomicBool>> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyEngine {
    #[new]
    #[pyo3(signature = (*, threads=1, hash=16))]
    fn new(threads: i64, hash: i64) -> PyResult<Self> {
        let mut engine = Engine::new().map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        engine.host = Box::new(Process);
        let this = Self { engine: Mutex::new(engine), stop: Mutex::default() };
        this.set("Threads", &threads.to_string())?;
        this.set("Hash", &hash.to_string())?;
        Ok(this)
    }

    /// Sets an option of UCI.
    #[pyo3(name = "_set")]
    fn set_option(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        py.detach(|| self.set(name, value))
    }

    /// Forgets what earlier searches found.
    fn new_game(&self, py: Python<'_>) {
        py.detach(|| self.engine().new_game());
    }

    /// Starts a search. An earlier one that is running is stopped first.
    #[pyo3(name = "_start")]
    fn start(&self, py: Python<'_>, board: &PyBoard, limits: &Bound<'_, PyDict>, multipv: u32) -> PyResult<Search> {
        let limits = limits_of(limits, &board.game)?;
        let recorder = Arc::new(Recorder::default());
        let (game, listener) = (board.game.clone(), Arc::clone(&recorder));
        let stop = py.detach(|| {
            let mut engine = self.engine();
            let variant = game.board().variant().name();
            for (name, value) in [("UCI_Variant", variant), ("MultiPV", &multipv.to_string())] {
                engine.set_option(name, value).map_err(|error| engine_error(&error))?;
            }
            engine.go(&game, limits, listener);
            let stop = engine.searcher().stop_flag();
            *self.stop_flag() = Arc::clone(&stop);
            Ok::<_, PyErr>(stop)
        })?;
        Ok(Search { recorder, stop, white_to_move: is_white(board.game.board().side_to_move()) })
    }

    /// Ends the search that was started last, from any thread.
    fn stop(&self) {
        self.stop_flag().store(true, Relaxed);
    }
}

impl PyEngine {
    fn set(&self, name: &str, value: &str) -> PyResult<()> {
        if let Some(unused) = UNUSED.iter().find(|unused| unused.eq_ignore_ascii_case(name)) {
            return Err(value_error(format!("the option {unused} has no effect here")));
        }
        if name.eq_ignore_ascii_case("TablePath") && value == AUTO {
            return Err(value_error("TablePath takes folders here"));
        }
        self.engine().set_option(name, value).map(|_| ()).map_err(|error| engine_error(&error))
    }
}
