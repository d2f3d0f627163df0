//! The endgame tables: those that are there, and making those of four men in the background.
//!
//! | `ask` | Answer |
//! | --- | --- |
//! | `tables-state` | what there is, and what is being made: [`State`] |
//! | `tables-make` | begins to make what is missing; the answer is the state |
//! | `tables-stop` | ends that soon; the answer is the state |

use super::data;
use crate::json::{Number, failed, ok};
use agoge_core::tables::Tables as Opened;
use agoge_solver::{Error, Plan, Progress, Store, all_classes, build};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// The number of men of the classes that are made.
const MEN: usize = 4;

/// The memory for making tables, in bytes. They need a quarter.
const MEMORY: usize = 512 << 20;

/// Longer questions are others, and some take long to read.
const MAX_QUESTION: usize = 200;

/// How often the folder is looked at for tables that another program makes.
const INTERVAL: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
#[serde(tag = "ask")]
enum Question {
    #[serde(rename = "tables-state")]
    State,
    #[serde(rename = "tables-make")]
    Make,
    #[serde(rename = "tables-stop")]
    Stop,
}

/// What there is, and what is being made.
#[derive(Serialize)]
struct State {
    /// `None` if no tables are to be used.
    folder: Option<String>,
    /// The number of classes of up to four men, and of those that have a table.
    all: usize,
    made: usize,
    /// The time that the others take, in seconds, and their size in bytes.
    time: u64,
    disk: u64,
    running: bool,
    /// The share that is done of what is being made, and the time left in seconds.
    share: f64,
    left: Option<u64>,
    /// Why it has ended early, as a sentence.
    error: Option<String>,
}

/// The endgame tables of a server.
#[derive(Debug)]
pub struct Tables {
    folder: Option<PathBuf>,
    seen: Mutex<Seen>,
    job: Arc<Job>,
}

/// The tables that are used.
#[derive(Debug, Default)]
struct Seen {
    opened: Arc<Opened>,
    /// When the folder had changed last when they were opened; `None` if there is none.
    opened_version: Option<SystemTime>,
    /// The same when it was looked at last.
    version: Option<SystemTime>,
    looked: Option<Instant>,
}

/// Making tables.
#[derive(Debug, Default)]
struct Job {
    stop: AtomicBool,
    status: Mutex<Status>,
}

#[derive(Debug, Default, Clone)]
struct Status {
    running: bool,
    share: f64,
    left: Option<Duration>,
    error: Option<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tables {
    /// The tables of a folder, which need not exist.
    pub fn new(folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
        Self { folder, seen: Mutex::default(), job: Arc::default() }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Changes whenever there are other tables; `None` if there are none. While they are being made, it stays the same.
    pub fn version(&self) -> Option<SystemTime> {
        self.look().version
    }

    fn look(&self) -> MutexGuard<'_, Seen> {
        let mut seen = lock(&self.seen);
        let is_fresh = seen.looked.is_some_and(|time| time.elapsed() < INTERVAL);
        if !is_fresh && !lock(&self.job.status).running {
            seen.looked = Some(Instant::now());
            // An engine would load all tables anew with each file that is finished, and forget what it has searched.
            if let Some(folder) = self.folder.as_ref().filter(|folder| !Store::is_locked(folder)) {
                let found = fs::metadata(folder).ok().filter(fs::Metadata::is_dir);
                seen.version = found.and_then(|found| found.modified().ok());
            }
        }
        seen
    }

    /// The tables that are there now. Damaged ones are left out.
    pub fn get(&self) -> Arc<Opened> {
        let seen = self.look();
        let version = seen.version;
        if version == seen.opened_version {
            return Arc::clone(&seen.opened);
        }
        // Other pages do not wait while the files are checked.
        drop(seen);
        let opened = Arc::new(Opened::open_folders(self.folder.clone()).0);
        let mut seen = lock(&self.seen);
        (seen.opened_version, seen.opened) = (version, Arc::clone(&opened));
        opened
    }

    /// Answers a question; `None` if it is not one about the tables of the server.
    pub fn answer(&self, question: &str) -> Option<String> {
        if question.len() > MAX_QUESTION {
            return None;
        }
        let asked: Question = serde_json::from_str(question).ok()?;
        let Number { id } = serde_json::from_str(question).ok()?;
        match asked {
            Question::State => {}
            Question::Make => self.make(),
            Question::Stop => self.job.stop.store(true, Ordering::Relaxed),
        }
        Some(ok(&id, self.state()).unwrap_or_else(|error| failed(&id, &error)))
    }

    fn state(&self) -> State {
        let (mut plan, Status { running, share, left, error }) = (plan(), lock(&self.job.status).clone());
        if running {
            let file = |class: &_| self.folder.as_deref().is_some_and(|folder| Store::file(folder, class).exists());
            plan.missing.retain(|class| !file(class));
        } else {
            // A damaged file is made anew.
            let opened = self.get();
            plan.missing.retain(|class| opened.get(class).is_none());
        }
        let estimate = plan.estimate(threads());
        State {
            folder: self.folder.as_ref().map(|folder| folder.display().to_string()),
            all: plan.classes.len(),
            made: plan.classes.len() - plan.missing.len(),
            time: estimate.time.as_secs(),
            disk: estimate.disk,
            running,
            share,
            left: left.map(|left| left.as_secs()),
            error,
        }
    }

    /// Makes the missing tables in the background, unless that is being done.
    fn make(&self) {
        let Some(folder) = self.folder.clone() else { return };
        let mut status = lock(&self.job.status);
        if status.running {
            return;
        }
        *status = Status { running: true, ..Status::default() };
        self.job.stop.store(false, Ordering::Relaxed);
        drop(status);
        let job = Arc::clone(&self.job);
        let work = move || {
            let made = job.run(&folder);
            let mut status = lock(&job.status);
            status.running = false;
            status.error = made.err().flatten();
        };
        if let Err(error) = thread::Builder::new().spawn(work) {
            let mut status = lock(&self.job.status);
            (status.running, status.error) = (false, Some(cannot(&error)));
        }
        // What is made is seen at once.
        lock(&self.seen).looked = None;
    }
}

/// All classes, as if all were missing.
fn plan() -> Plan {
    let classes = all_classes(MEN);
    Plan { missing: classes.clone(), classes, damaged: Vec::new() }
}

/// Half of the processors: somebody plays or analyses meanwhile.
fn threads() -> usize {
    (thread::available_parallelism().map_or(1, NonZero::get) / 2).max(1)
}

fn cannot(error: &dyn std::fmt::Display) -> String {
    format!("The endgame tables cannot be made: {error}.")
}

impl Job {
    /// Makes the tables.
    ///
    /// # Errors
    /// What the user is told; `None` if it was stopped.
    fn run(&self, folder: &Path) -> Result<(), Option<String>> {
        data::create_folder(folder).map_err(|error| Some(cannot(&error)))?;
        let pool = ThreadPoolBuilder::new().num_threads(threads()).start_handler(|_| yield_to_others()).build();
        let pool = pool.map_err(|error| Some(cannot(&error)))?;
        let made = pool.install(|| {
            let mut store = Store::new(Some(folder.to_owned()), MEMORY);
            let plan = Plan::new(&mut store, all_classes(MEN))?;
            build(&mut store, &plan.missing, &self.stop, &|progress| self.note(&progress), |_, _| Ok::<(), Error>(()))
        });
        made.map_err(|error| match error {
            Error::Stopped => None,
            Error::Locked(_) => Some("Another program is making endgame tables in the same folder.".to_owned()),
            Error::Write { cause, .. } if cause.kind() == ErrorKind::StorageFull => {
                Some("The disk is full; make room to go on with the endgame tables.".to_owned())
            }
            error => Some(cannot(&error)),
        })
    }

    fn note(&self, progress: &Progress<'_>) {
        let mut status = lock(&self.status);
        status.share = progress.indices as f64 / progress.total.max(1) as f64;
        status.left = progress.left;
    }
}

/// Gives the threads of searches the precedence over this one, on Linux.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}
