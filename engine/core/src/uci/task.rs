//! Commands that take long: their work, and what they print.

use super::{Output, Session, Task};
use crate::bench::{self, Goal, Parameters, Summary};
use crate::board::Board;
use crate::clock::Instant;
use crate::genfens;
use crate::types::Move;
use std::fmt::{Display, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The maximum depth of perft. A count to this depth would not finish in a lifetime, and one a little deeper would
/// overflow 64 bits.
const MAX_PERFT_DEPTH: u32 = 12;

/// Work that takes long. It prints its results, and ends soon once the flag is set. The thread that does it needs a
/// stack of [`STACK_SIZE`](crate::search::STACK_SIZE) bytes.
pub type Work = Box<dyn FnOnce(&AtomicBool) + Send>;

/// Counts the leaf nodes below each legal move of a position, to a depth from 1 to [`MAX_PERFT_DEPTH`], with a number
/// of threads. `None` if the flag was set before the end; errors are messages for the user.
pub(super) type Perft = fn(&Board, u32, usize, &AtomicBool) -> Result<Option<Vec<(Move, u64)>>, String>;

impl Session {
    /// The work of a task, to be done on this thread or beside the input.
    ///
    /// # Errors
    /// If the position is illegal or there is not enough memory; the error is a message for the user.
    pub fn work(&self, task: Task) -> Result<Work, String> {
        let output = Arc::clone(&self.output);
        let options = self.engine.options();
        Ok(match task {
            Task::Perft { depth, fen } => {
                let (board, perft, threads) = (self.board(fen.as_deref())?, self.perft, options.threads as usize);
                Box::new(move |stop| {
                    if depth == 0 {
                        return output.line("\nNodes searched: 1");
                    }
                    if depth > MAX_PERFT_DEPTH {
                        output.note(&format!("depth {depth} is too large; counting to depth {MAX_PERFT_DEPTH}"));
                    }
                    let start = Instant::now();
                    let counted = perft(&board, depth.min(MAX_PERFT_DEPTH), threads, stop);
                    let result = counted.map(|divide| divide.map(|divide| describe_perft(&divide, start.elapsed())));
                    print_result(&*output, "perft", result);
                })
            }
            Task::Bench(mut parameters) => {
                self.engine.host.check_memory(parameters.hash, 0).map_err(|error| error.to_string())?;
                if self.engine.searcher().is_on_this_thread() {
                    parameters.threads = 0;
                }
                Box::new(move |stop| {
                    let Parameters { goal, threads, hash } = parameters;
                    let name = match goal {
                        Goal::Depth(_) => "bench",
                        Goal::Time(time) => {
                            output.note(&format!(
                                "threads {} hash {hash} MiB time {} s",
                                threads.max(1),
                                time.as_secs()
                            ));
                            "speedtest"
                        }
                    };
                    let result = bench::run(parameters, stop, |progress| print_progress(progress, &*output, stop));
                    print_result(&*output, name, result);
                })
            }
            Task::GenFens(parameters) => {
                self.engine.settings().check_network(options.variant)?;
                let (variant, network) = (options.variant, self.engine.settings().network().cloned());
                Box::new(move |stop| {
                    let result = genfens::run(
                        &parameters,
                        variant,
                        network,
                        stop,
                        |skipped| output.note(skipped),
                        |board| {
                            output.note(&format!("genfens {board}"));
                            stop_if_closed(&*output, stop);
                        },
                    );
                    match result {
                        Ok(true) => {}
                        Ok(false) => output.note("genfens was stopped"),
                        Err(error) => output.error(&error),
                    }
                })
            }
        })
    }
}

/// [`Perft`] on one thread.
pub(super) fn divide(
    board: &Board,
    depth: u32,
    _: usize,
    stop: &AtomicBool,
) -> Result<Option<Vec<(Move, u64)>>, String> {
    let mut divide = Vec::new();
    for mv in board.legal_moves() {
        let Some(nodes) = count(&board.after(mv), depth - 1, stop) else { return Ok(None) };
        divide.push((mv, nodes));
    }
    Ok(Some(divide))
}

/// The greatest depth that is counted at once, in some ten milliseconds.
const UNSTOPPED_DEPTH: u32 = 4;

/// Counts leaf nodes; `None` if the flag was set before the end.
fn count(board: &Board, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if depth > UNSTOPPED_DEPTH {
        return board.legal_moves().into_iter().map(|mv| count(&board.after(mv), depth - 1, stop)).sum();
    }
    // A host without threads sets the flag when it is asked for the time.
    let _ = Instant::now();
    (!stop.load(Ordering::Relaxed)).then(|| board.perft(depth))
}

/// The result of perft.
fn describe_perft(divide: &[(Move, u64)], time: Duration) -> String {
    let total = divide.iter().map(|&(_, nodes)| nodes).sum();
    let nps = Summary { nodes: total, time }.nps();
    let mut text = format!("info string time {} nps {nps}\n", time.as_millis());
    for (mv, nodes) in divide {
        let _ = writeln!(text, "{mv}: {nodes}");
    }
    text + &format!("\nNodes searched: {total}")
}

/// Prints the result of a task; `None` if it was stopped.
fn print_result(output: &dyn Output, task: &str, result: Result<Option<impl Display>, String>) {
    match result {
        Err(error) => output.error(&error),
        Ok(None) => output.note(&format!("{task} was stopped")),
        Ok(Some(result)) => output.line(&result.to_string()),
    }
}

/// Prints the result of one position of a benchmark.
fn print_progress(progress: &bench::Progress, output: &dyn Output, stop: &AtomicBool) {
    let best = progress.best.map_or_else(|| "(none)".to_owned(), |best| best.to_string());
    let nodes = progress.summary.nodes;
    output.note(&format!("{}/{} {nodes} nodes {best} {}", progress.number, progress.count, progress.fen));
    stop_if_closed(output, stop);
}

fn stop_if_closed(output: &dyn Output, stop: &AtomicBool) {
    if output.is_closed() {
        stop.store(true, Ordering::Relaxed);
    }
}
