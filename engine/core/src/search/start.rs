//! How search threads are started: by the system or, in WebAssembly, which has no system, from threads that the host
//! lends.

#[cfg(target_family = "wasm")]
pub use host::{available, lend_thread, start};
#[cfg(target_family = "wasm")]
pub use lender::Started;
#[cfg(not(target_family = "wasm"))]
pub use system::{Started, available, start};

/// Stack size of a search thread, in bytes. The deepest line takes about 3 MiB; the system maps only what is used.
pub const STACK_SIZE: usize = 16 << 20;

#[cfg(not(target_family = "wasm"))]
mod system {
    use super::STACK_SIZE;
    use std::{io, thread};

    /// A running thread.
    pub type Started = thread::JoinHandle<()>;

    /// How many threads there can be, besides those of the caller. The system may refuse earlier.
    pub const fn available() -> usize {
        usize::MAX
    }

    /// Runs the search thread `index`.
    ///
    /// # Errors
    /// If the system cannot start one more.
    pub fn start(index: usize, body: impl FnOnce() + Send + 'static) -> io::Result<Started> {
        thread::Builder::new().name(format!("search {index}")).stack_size(STACK_SIZE).spawn(body)
    }
}

#[cfg(target_family = "wasm")]
mod host {
    use super::lender::{Lender, Started};
    use std::io;

    static LENDER: Lender = Lender::new();

    /// Lends the calling thread, which needs a stack of [`STACK_SIZE`](crate::search::STACK_SIZE) bytes, to searchers,
    /// as a helper of their main thread. Calls `ready` as soon as they may use it.
    pub fn lend_thread(ready: impl FnOnce()) -> ! {
        LENDER.lend(ready)
    }

    /// How many threads there can be, besides those of the caller.
    pub fn available() -> usize {
        LENDER.available()
    }

    /// Runs a search thread on one that was lent.
    ///
    /// # Errors
    /// If all are in use.
    pub fn start(_index: usize, body: impl FnOnce() + Send + 'static) -> io::Result<Started> {
        LENDER.start(body)
    }
}

#[cfg(any(test, target_family = "wasm"))]
mod lender {
    use std::collections::VecDeque;
    use std::sync::mpsc::{self, Receiver};
    use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
    use std::{io, thread};

    #[derive(Default)]
    struct State {
        /// How many threads were lent, and how many of them nobody uses.
        lent: usize,
        free: usize,
        /// What the free threads have not begun yet.
        bodies: VecDeque<Box<dyn FnOnce() + Send>>,
    }

    /// Runs search threads on threads that it gets from somebody else.
    pub struct Lender {
        state: Mutex<State>,
        started: Condvar,
    }

    /// A running thread.
    pub struct Started(Receiver<()>);

    impl Started {
        /// Waits until the thread is free again.
        pub fn join(self) -> thread::Result<()> {
            // Nothing is sent: the sender is dropped at the end.
            let _ = self.0.recv();
            Ok(())
        }
    }

    impl Lender {
        pub const fn new() -> Self {
            let state = State { lent: 0, free: 0, bodies: VecDeque::new() };
            Self { state: Mutex::new(state), started: Condvar::new() }
        }

        fn state(&self) -> MutexGuard<'_, State> {
            self.state.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Lends the calling thread. Calls `ready` when others can use it.
        pub fn lend(&self, ready: impl FnOnce()) -> ! {
            let mut state = self.state();
            state.lent += 1;
            state.free += 1;
            drop(state);
            ready();
            state = self.state();
            loop {
                if let Some(body) = state.bodies.pop_front() {
                    drop(state);
                    body();
                    state = self.state();
                } else {
                    state = self.started.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }

        /// How many threads were lent.
        pub fn available(&self) -> usize {
            self.state().lent
        }

        /// Runs `body` on a free thread.
        ///
        /// # Errors
        /// If none is free.
        pub fn start(&'static self, body: impl FnOnce() + Send + 'static) -> io::Result<Started> {
            let mut state = self.state();
            state.free = state.free.checked_sub(1).ok_or(io::ErrorKind::Unsupported)?;
            let (running, ended) = mpsc::channel();
            state.bodies.push_back(Box::new(move || {
                body();
                self.state().free += 1;
                drop(running);
            }));
            self.started.notify_one();
            Ok(Started(ended))
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::lender::Lender;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn lent_threads_run_what_is_started_one_after_another() {
        static LENDER: Lender = Lender::new();
        assert!(LENDER.start(|| ()).is_err(), "nobody has lent any");
        let (ready, are_ready) = mpsc::channel::<()>();
        for _ in 0..2 {
            let ready = ready.clone();
            thread::spawn(move || LENDER.lend(|| drop(ready)));
        }
        drop(ready);
        assert!(are_ready.recv().is_err());
        assert_eq!(LENDER.available(), 2);
        for _ in 0..100 {
            let (sender, received) = mpsc::channel();
            let running = [(); 2].map(|()| {
                let (sender, (stop, stopped)) = (sender.clone(), mpsc::channel::<()>());
                let body = move || {
                    let _ = sender.send(thread::current().id());
                    let _ = stopped.recv();
                };
                (LENDER.start(body).expect("a free thread"), stop)
            });
            assert!(LENDER.start(|| ()).is_err(), "both are in use");
            assert_ne!(received.recv(), received.recv());
            for (thread, stop) in running {
                drop(stop);
                thread.join().expect("no panic");
            }
        }
    }
}
