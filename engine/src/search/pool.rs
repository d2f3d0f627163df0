//! STUB, to be replaced: the interface of the thread pool with a one-ply search.

use super::{Bound, Job, Listener, Report};
use crate::eval::evaluate;
use crate::types::Move;
use crate::types::score::{MAX_PLY, Score};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Why the pool cannot be as wanted.
#[derive(Debug)]
pub struct PoolError(String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PoolError {}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    ponder: AtomicBool,
    searching: AtomicBool,
    nodes: AtomicU64,
}

/// STUB
pub struct ThreadPool {
    shared: Arc<Shared>,
    handle: Mutex<Option<JoinHandle<()>>>,
}

#[allow(missing_docs)]
impl ThreadPool {
    pub fn new(_threads: usize, _hash_mib: usize) -> Result<Self, PoolError> {
        Ok(Self { shared: Arc::default(), handle: Mutex::default() })
    }
    pub fn set_threads(&mut self, _threads: usize) -> Result<(), PoolError> {
        self.wait();
        Ok(())
    }
    pub fn set_hash(&mut self, mib: usize) -> Result<(), PoolError> {
        self.wait();
        if mib > 500_000 { Err(PoolError(format!("no memory for a hash table of {mib} MiB"))) } else { Ok(()) }
    }
    pub fn clear(&mut self) {}
    pub fn clear_hash(&mut self) {}
    pub fn start(&mut self, job: Job, listener: Arc<dyn Listener>) {
        self.wait();
        let shared = Arc::clone(&self.shared);
        shared.stop.store(false, Ordering::SeqCst);
        shared.ponder.store(job.limits.ponder, Ordering::SeqCst);
        shared.searching.store(true, Ordering::SeqCst);
        shared.nodes.store(0, Ordering::SeqCst);
        *self.handle.lock().unwrap() = Some(std::thread::spawn(move || search(&job, &*listener, &shared)));
    }
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
    }
    pub fn ponder_hit(&self) {
        self.shared.ponder.store(false, Ordering::SeqCst);
    }
    pub fn is_searching(&self) -> bool {
        self.shared.searching.load(Ordering::SeqCst)
    }
    pub fn wait(&self) {
        if let Some(handle) = self.handle.lock().unwrap().take() {
            handle.join().unwrap();
        }
    }
    pub fn nodes(&self) -> u64 {
        self.shared.nodes.load(Ordering::SeqCst)
    }
}

fn search(job: &Job, listener: &dyn Listener, shared: &Shared) {
    let start = Instant::now();
    let board = job.game.board();
    let moves =
        if job.limits.search_moves.is_empty() { board.legal_moves().to_vec() } else { job.limits.search_moves.clone() };
    let us = board.side_to_move().index();
    let budget = job.limits.move_time.or(job.limits.clock[us].map(|time| time / 30));
    let mut best: Option<Move> = None;
    let depths = job.limits.depth.unwrap_or(64).min(MAX_PLY as u32);
    let waits = || !shared.stop.load(Ordering::SeqCst) && (job.limits.infinite || shared.ponder.load(Ordering::SeqCst));
    for depth in 1..=depths {
        let mut scored: Vec<(Score, Move)> = Vec::new();
        for &mv in &moves {
            let next = board.after(mv);
            shared.nodes.fetch_add(1, Ordering::SeqCst);
            let mate = !next.has_legal_move() && next.in_check();
            scored.push((if mate { Score::Mate(1) } else { Score::Cp(-evaluate(&next)) }, mv));
        }
        scored.sort_by_key(|&(score, _)| {
            std::cmp::Reverse(match score {
                Score::Mate(_) => 30_000,
                Score::Cp(cp) => cp,
            })
        });
        let report = |multi_pv, score, pv: Vec<Move>, depth| Report {
            depth,
            seldepth: depth,
            multi_pv,
            score,
            bound: Bound::Exact,
            wdl: [0, 1000, 0],
            nodes: shared.nodes.load(Ordering::SeqCst),
            time: start.elapsed(),
            hashfull: 0,
            pv,
        };
        if scored.is_empty() {
            listener.report(&report(1, if board.in_check() { Score::Mate(0) } else { Score::Cp(0) }, vec![], 0));
            break;
        }
        best = Some(scored[0].1);
        for (index, &(score, mv)) in scored.iter().take(job.settings.multi_pv).enumerate() {
            listener.report(&report(index + 1, score, vec![mv], depth));
        }
        let over = budget.is_some_and(|budget| start.elapsed() >= budget) && !waits();
        if over
            || shared.stop.load(Ordering::SeqCst)
            || job.limits.nodes.is_some_and(|nodes| shared.nodes.load(Ordering::SeqCst) >= nodes)
        {
            break;
        }
        if budget.is_some() || job.limits.depth.is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    while waits() {
        std::thread::sleep(Duration::from_millis(1));
    }
    listener.best_move(best, None);
    shared.searching.store(false, Ordering::SeqCst);
}
