//! The search threads: long-lived, one search at a time, all on the same tree ("Lazy SMP" of chessprogramming.org).
//!
//! Threads share only the hash table and a few flags. The random order of their hash table accesses is enough to make
//! them search different parts of the tree.

use super::error::PoolError;
use super::thread::{Task, Thread};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

/// Stack size of a search thread, in bytes. The deepest line takes about 3 MiB; the system maps only what is used.
pub const STACK_SIZE: usize = 16 << 20;

struct Handle {
    tasks: Sender<Task>,
    thread: Option<JoinHandle<()>>,
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
    fn spawn(index: usize, wanted: usize) -> Result<Self, PoolError> {
        // Allocated here, where a lack of memory can still be reported.
        let mut thread = Thread::new(index)?;
        let (tasks, received) = mpsc::channel::<Task>();
        let builder = thread::Builder::new().name(format!("search {index}")).stack_size(STACK_SIZE);
        let handle = builder.spawn(move || received.into_iter().for_each(|task| task(&mut thread)));
        let handle = handle.map_err(|cause| PoolError::Thread { wanted, cause })?;
        Ok(Self { tasks, thread: Some(handle) })
    }

    fn close(&mut self) {
        self.tasks = mpsc::channel().0;
    }
}

/// Search threads. They end when the pool is dropped.
#[derive(Default)]
pub(super) struct ThreadPool(Vec<Handle>);

impl ThreadPool {
    /// Sets the number of threads, at least 1. The remaining threads keep their histories.
    ///
    /// # Errors
    /// If the system cannot start more threads. The number is then unchanged.
    pub fn resize(&mut self, threads: usize) -> Result<(), PoolError> {
        let (before, wanted) = (self.0.len(), threads.max(1));
        for index in before..wanted {
            match Handle::spawn(index, wanted) {
                Ok(handle) => self.0.push(handle),
                Err(error) => {
                    self.0.truncate(before);
                    return Err(error);
                }
            }
        }
        // Close all channels before waiting for the first thread.
        let mut surplus = self.0.split_off(wanted);
        surplus.iter_mut().for_each(Handle::close);
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The channels of the first threads: the main thread and its helpers.
    pub fn channels(&self, count: usize) -> Vec<Sender<Task>> {
        self.0.iter().take(count).map(|handle| handle.tasks.clone()).collect()
    }

    /// Executes a task on all threads, after those that they have, and waits until it is done.
    pub fn broadcast(&self, task: fn(&mut Thread)) {
        /// Never sent: the receiver waits until all senders have been dropped.
        enum Never {}
        let (sender, all_done) = mpsc::channel::<Never>();
        for handle in &self.0 {
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
        self.0.iter_mut().for_each(Handle::close);
    }
}
