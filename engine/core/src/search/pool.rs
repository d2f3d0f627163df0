//! The search threads: long-lived, one search at a time, all on the same tree ("Lazy SMP" of chessprogramming.org).
//!
//! Threads share the hash table, some of the histories and a few flags. The random order of their accesses is enough
//! to make them search different parts of the tree.

use super::error::PoolError;
use super::history::SharedHistories;
use super::start::{self, Started};
use super::thread::{Task, Thread};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

struct Handle {
    tasks: Sender<Task>,
    thread: Option<Started>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        // The thread ends when its channel closes.
        self.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Handle {
    /// Starts the thread `index` of the `wanted` ones.
    fn spawn(index: usize, wanted: usize, histories: &Arc<SharedHistories>) -> Result<Self, PoolError> {
        // Allocated here, where a lack of memory can still be reported.
        let mut thread = Thread::new(index, histories)?;
        let (tasks, received) = mpsc::channel::<Task>();
        let started = start::start(index, move || received.into_iter().for_each(|task| task(&mut thread)));
        let thread = started.map_err(|cause| PoolError::Thread { wanted, cause })?;
        Ok(Self { tasks, thread: Some(thread) })
    }

    fn close(&mut self) {
        self.tasks = mpsc::channel().0;
    }
}

/// Search threads. They end when the pool is dropped.
pub(super) struct ThreadPool {
    /// The index of the first thread.
    first: usize,
    threads: Vec<Handle>,
    /// The histories shared by all threads.
    histories: Arc<SharedHistories>,
}

impl ThreadPool {
    /// A pool without threads yet, whose first will be the main thread.
    pub const fn new(histories: Arc<SharedHistories>) -> Self {
        Self { first: 0, threads: Vec::new(), histories }
    }

    /// A pool without threads yet, for the helpers of a main thread that is not in it.
    pub const fn of_helpers(histories: Arc<SharedHistories>) -> Self {
        Self { first: 1, threads: Vec::new(), histories }
    }

    /// Sets the number of threads. The remaining threads keep their histories.
    ///
    /// # Errors
    /// If the system cannot start more threads. The number is then unchanged.
    pub fn resize(&mut self, wanted: usize) -> Result<(), PoolError> {
        let before = self.len();
        for index in before..wanted {
            match Handle::spawn(self.first + index, self.first + wanted, &self.histories) {
                Ok(handle) => self.threads.push(handle),
                Err(error) => {
                    self.threads.truncate(before);
                    return Err(error);
                }
            }
        }
        // Close all channels before waiting for the first thread.
        let mut surplus = self.threads.split_off(wanted);
        surplus.iter_mut().for_each(Handle::close);
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// The channels of the first threads.
    pub fn channels(&self, count: usize) -> Vec<Sender<Task>> {
        self.threads.iter().take(count).map(|handle| handle.tasks.clone()).collect()
    }

    /// Executes a task on all threads, after those that they have, and waits until it is done.
    pub fn broadcast(&self, task: fn(&mut Thread)) {
        /// Never sent: the receiver waits until all senders have been dropped.
        enum Never {}
        let (sender, all_done) = mpsc::channel::<Never>();
        for handle in &self.threads {
            let done = sender.clone();
            let _ = handle.tasks.send(Box::new(move |thread| {
                task(thread);
                drop(done);
            }));
        }
        drop(sender);
        let _ = all_done.recv();
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.threads.iter_mut().for_each(Handle::close);
    }
}
