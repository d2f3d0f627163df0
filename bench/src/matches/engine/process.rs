//! The process of an engine: it can be killed together with its child processes, and a full pipe does not block the
//! writer.

use std::io;
use std::process::{Child, ChildStdin, Command};
use std::time::Duration;

/// A process with its child processes.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    #[cfg(windows)]
    job: job::Job,
}

impl ProcessGroup {
    /// Starts a program in a group of its own: Ctrl-C in the terminal does not reach it. It runs only on `processor` if
    /// one is given.
    ///
    /// # Errors
    /// If it cannot be started or bound to the processor.
    pub fn spawn(command: &mut Command, processor: Option<usize>) -> io::Result<Self> {
        #[cfg(unix)]
        {
            std::os::unix::process::CommandExt::process_group(command, 0);
            let child = match processor {
                None => command.spawn()?,
                Some(processor) => affinity::spawn_on(command, processor)?,
            };
            Ok(Self { child })
        }
        #[cfg(windows)]
        {
            use std::os::windows::io::AsRawHandle;
            use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;
            std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
            job::include_this_program();
            let job = job::Job::new()?;
            let mut child = command.spawn()?;
            let bound = processor.map_or(Ok(()), |processor| affinity::bind(&child, processor));
            if let Err(error) = bound.and_then(|()| job.assign(child.as_raw_handle())) {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
            Ok(Self { child, job })
        }
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether the process itself has exited.
    pub fn has_exited(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Kills the process and its child processes. To be called once.
    pub fn kill(&mut self) {
        #[cfg(unix)]
        if let Ok(id) = i32::try_from(self.child.id()) {
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGKILL);
        }
        #[cfg(windows)]
        self.job.terminate();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The input of a process that need not read it.
#[derive(Debug)]
pub struct Input {
    #[cfg(unix)]
    stdin: ChildStdin,
    /// Windows cannot poll the pipe: a thread writes to it. It ends with the pipe, when the process is killed.
    #[cfg(windows)]
    writer: writer::Writer,
}

impl Input {
    /// The input of a process.
    ///
    /// # Errors
    /// If the pipe cannot be set up.
    #[cfg(unix)]
    pub fn new(stdin: ChildStdin) -> io::Result<Self> {
        nix::fcntl::fcntl(&stdin, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))?;
        Ok(Self { stdin })
    }

    /// The input of a process.
    ///
    /// # Errors
    /// Never on this system.
    #[cfg(windows)]
    pub fn new(stdin: ChildStdin) -> io::Result<Self> {
        Ok(Self { writer: writer::Writer::spawn(stdin) })
    }

    /// Writes a text.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if the process does not read it within `limit`; the input is then unusable. Other
    /// errors if the process has closed its input.
    #[cfg(unix)]
    pub fn write(&mut self, text: &str, limit: Duration) -> io::Result<()> {
        use std::io::Write;
        use std::time::Instant;
        let mut rest = text.as_bytes();
        let deadline = Instant::now() + limit;
        while !rest.is_empty() {
            match self.stdin.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes a text.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if the process does not read it within `limit`; the input is then unusable. Other
    /// errors if the process has closed its input.
    #[cfg(windows)]
    pub fn write(&mut self, text: &str, limit: Duration) -> io::Result<()> {
        self.writer.write(text, limit)
    }
}

#[cfg(windows)]
mod writer {
    use std::io::{self, ErrorKind, Write};
    use std::process::ChildStdin;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
    use std::thread;
    use std::time::Duration;

    #[derive(Debug)]
    pub struct Writer {
        texts: SyncSender<Vec<u8>>,
        results: Receiver<io::Result<()>>,
    }

    impl Writer {
        pub fn spawn(mut stdin: ChildStdin) -> Self {
            let (texts, to_write) = sync_channel::<Vec<u8>>(1);
            let (done, results) = sync_channel(1);
            thread::spawn(move || {
                for text in to_write {
                    if done.send(stdin.write_all(&text)).is_err() {
                        return;
                    }
                }
            });
            Self { texts, results }
        }

        pub fn write(&mut self, text: &str, limit: Duration) -> io::Result<()> {
            self.texts.send(text.into()).map_err(|_| ErrorKind::BrokenPipe)?;
            match self.results.recv_timeout(limit) {
                Ok(result) => result,
                Err(RecvTimeoutError::Timeout) => Err(ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => Err(ErrorKind::BrokenPipe.into()),
            }
        }
    }
}

#[cfg(windows)]
mod job {
    use std::io;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
    use std::ptr::null;
    use std::sync::OnceLock;
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
        TerminateJobObject,
    };
    use windows_sys::Win32::System::Threading::GetCurrentProcess;
    use windows_sys::core::BOOL;

    /// A job object. Windows kills its processes when its only handle is closed, even if that is because this program
    /// was killed.
    #[derive(Debug)]
    pub struct Job(OwnedHandle);

    impl Job {
        pub fn new() -> io::Result<Self> {
            // SAFETY: null pointers select the default security and no name.
            let handle = unsafe { CreateJobObjectW(null(), null()) };
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is new and has no other owner.
            let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            // SAFETY: pointer and size are those of the structure that belongs to this class of information; the handle
            // is open.
            check(unsafe {
                SetInformationJobObject(
                    job.0.as_raw_handle(),
                    JobObjectExtendedLimitInformation,
                    (&raw const limits).cast(),
                    size_of_val(&limits) as u32,
                )
            })?;
            Ok(job)
        }

        /// Adds a process; its future child processes belong to the job, too.
        pub fn assign(&self, process: RawHandle) -> io::Result<()> {
            // SAFETY: the job's handle is open; a handle that is no process gives an error.
            check(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process) })
        }

        pub fn terminate(&self) {
            // SAFETY: the handle is open.
            let _ = unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
        }
    }

    /// Adds this program to a job that ends with it. An engine belongs to that job before its first instruction; if
    /// this program was killed before the engine is in a job of its own, a half-started process would stay for ever.
    pub fn include_this_program() {
        static JOB: OnceLock<Option<Job>> = OnceLock::new();
        JOB.get_or_init(|| {
            let job = Job::new().ok()?;
            // SAFETY: the function has no requirements.
            job.assign(unsafe { GetCurrentProcess() }).ok()?;
            Some(job)
        });
    }

    fn check(result: BOOL) -> io::Result<()> {
        if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// The processors on which this program may run.
///
/// # Errors
/// If the system does not tell.
pub fn processors() -> io::Result<Vec<usize>> {
    affinity::processors()
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod affinity {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;
    use std::io;
    use std::process::{Child, Command};
    use std::thread;

    /// This thread.
    const THIS: Pid = Pid::from_raw(0);

    pub fn processors() -> io::Result<Vec<usize>> {
        let set = sched_getaffinity(THIS)?;
        Ok((0..CpuSet::count()).filter(|&processor| set.is_set(processor).unwrap_or(false)).collect())
    }

    /// Starts a program from a thread that is bound to a processor: a process inherits that before it starts threads.
    pub fn spawn_on(command: &mut Command, processor: usize) -> io::Result<Child> {
        let spawn = || {
            let mut set = CpuSet::new();
            set.set(processor)?;
            sched_setaffinity(THIS, &set)?;
            command.spawn()
        };
        let panicked = |_| Err(io::Error::other("the thread that starts the engine panicked"));
        thread::scope(|scope| scope.spawn(spawn).join()).unwrap_or_else(panicked)
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod affinity {
    use std::io;
    use std::process::{Child, Command};

    pub fn processors() -> io::Result<Vec<usize>> {
        Err(io::Error::other("this system does not bind programs to processors"))
    }

    pub fn spawn_on(_command: &mut Command, _processor: usize) -> io::Result<Child> {
        processors().and(Err(io::ErrorKind::Unsupported.into()))
    }
}

#[cfg(windows)]
mod affinity {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::process::Child;
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessAffinityMask, SetProcessAffinityMask};

    pub fn processors() -> io::Result<Vec<usize>> {
        let (mut process, mut system) = (0, 0);
        // SAFETY: the pseudo handle is always valid, and both pointers are to variables of the right type.
        if unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut process, &raw mut system) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((0..usize::BITS as usize).filter(|processor| process >> processor & 1 == 1).collect())
    }

    /// Binds all threads of a process, also future ones.
    pub fn bind(child: &Child, processor: usize) -> io::Result<()> {
        let mask = u32::try_from(processor).ok().and_then(|processor| 1usize.checked_shl(processor));
        let mask = mask.ok_or_else(|| io::Error::other("no such processor"))?;
        // SAFETY: the handle is open.
        if unsafe { SetProcessAffinityMask(child.as_raw_handle(), mask) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}
