//! What is missing in a folder, what it takes, and solving it.

use super::error::Error;
use super::solved::Solved;
use super::store::Store;
use agoge_core::tables::{Class, Numbering, Problem};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Indices that a thread solves in a second.
const INDICES_PER_SECOND: f64 = 1.7e6;

/// Bytes of a file for each index: the mean of all classes of four men. With five men, pawns and hoplites can make it
/// twice as much.
const BYTES_PER_INDEX: f64 = 0.293;

/// Some classes, and which of them a folder lacks.
#[derive(Debug)]
pub struct Plan {
    /// In the order in which they are solved.
    pub classes: Vec<Class>,
    /// Those without a file, or with a damaged one.
    pub missing: Vec<Class>,
    /// The damaged files, which are replaced.
    pub damaged: Vec<Problem>,
}

/// About what the missing classes take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub classes: usize,
    pub indices: u64,
    pub threads: usize,
    /// With these threads.
    pub time: Duration,
    /// The memory needed, in bytes. With more it takes less time.
    pub memory: usize,
    /// The size of the files in bytes.
    pub disk: u64,
}

impl Plan {
    /// Checks the files of some classes, which are in the order of [`super::in_order`].
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(store: &mut Store, classes: Vec<Class>) -> Result<Self, Error> {
        let damaged = store.check(&classes)?;
        let missing = classes.iter().filter(|class| !store.has_file(class)).cloned().collect();
        Ok(Self { classes, missing, damaged })
    }

    pub fn estimate(&self, threads: usize) -> Estimate {
        let indices = self.missing.iter().map(indices).sum();
        let time = Duration::from_secs_f64(indices as f64 / INDICES_PER_SECOND / threads.max(1) as f64);
        let memory = self.missing.iter().map(Store::needed).max().unwrap_or(0);
        let disk = (indices as f64 * BYTES_PER_INDEX) as u64;
        Estimate { classes: self.missing.len(), indices, threads, time, memory, disk }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize, one, many| format!("{count} {}", if count == 1 { one } else { many });
        let classes = plural(self.classes, "class", "classes");
        if self.classes == 0 {
            return write!(f, "{classes} to solve");
        }
        let time = match self.time.as_secs() {
            seconds @ 0..60 => format!("{} s", seconds.max(1)),
            seconds @ 60..3600 => format!("{} min", seconds.div_ceil(60)),
            seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        };
        let threads = plural(self.threads, "thread", "threads");
        let (memory, disk) = (self.memory.div_ceil(1 << 20), (self.disk as f64 / 1e6).ceil());
        write!(f, "{classes} to solve: about {time} with {threads}, {memory} MiB of memory and {disk} MB of disk space")
    }
}

fn indices(class: &Class) -> u64 {
    Numbering::new(class).len() as u64
}

/// How far [`build`] is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The class that is being solved.
    pub class: &'a Class,
    /// The indices of the missing classes that are solved, and of all missing classes.
    pub indices: u64,
    pub total: u64,
    /// The time left, once it can be estimated.
    pub left: Option<Duration>,
}

/// The time that the rest takes at the same speed; `None` in the first second.
fn time_left(elapsed: Duration, done: u64, total: u64) -> Option<Duration> {
    let rest = total.saturating_sub(done) as f64 / done as f64;
    (elapsed.as_secs() > 0 && done > 0).then(|| elapsed.mul_f64(rest))
}

/// Solves or reads some classes, in order. `progress` is called often, from several threads, and `done` after each
/// class, with the time that it took.
///
/// # Errors
/// If it is stopped, a class takes too much memory, a file cannot be read or written, or another program makes tables
/// in the folder; and those of `done`.
pub fn build<E: From<Error>>(
    store: &mut Store,
    classes: &[Class],
    stop: &AtomicBool,
    progress: &(dyn Fn(Progress<'_>) + Sync),
    mut done: impl FnMut(&Arc<Solved>, Duration) -> Result<(), E>,
) -> Result<(), E> {
    let _lock = if classes.iter().all(|class| store.has_file(class)) { None } else { store.lock()? };
    let total = classes.iter().filter(|class| !store.has_file(class)).map(indices).sum();
    let (begin, solved_indices) = (Instant::now(), AtomicU64::new(0));
    let report = |class: &Class, count: u64| {
        let indices = solved_indices.fetch_add(count, Ordering::Relaxed) + count;
        progress(Progress { class, indices, total, left: time_left(begin.elapsed(), indices, total) });
    };
    for class in classes {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped.into());
        }
        let start = Instant::now();
        report(class, 0);
        let solved = store.solve(class, stop, &|class, count| report(class, count as u64))?;
        done(&solved, start.elapsed())?;
    }
    Ok(())
}
