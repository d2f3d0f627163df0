//! The scheduler's time slice of a thread.

/// Requests a short time slice for the calling thread. A shorter slice has an earlier deadline, so the thread receives
/// commands promptly even when more threads search than there are processors. Its share of processor time stays the
/// same. Threads that it starts get the default slice and priority.
///
/// Together with yielding helpers this halves the losses on time: see bench/CHANGELOG.md ("Losses on time").
///
/// Linux 6.12 and later runs a thread that wakes up before threads with longer slices (scheduler EEVDF). On other
/// systems this does nothing.
#[cfg(all(target_os = "linux", not(miri)))]
pub fn request_short_time_slice() {
    /// In nanoseconds; the minimum that the kernel accepts.
    const TIME_SLICE: u64 = 100_000;
    const SIZE: u32 = size_of::<libc::sched_attr>() as u32;
    let mut attributes = std::mem::MaybeUninit::<libc::sched_attr>::zeroed();
    // SAFETY: the kernel writes at most `SIZE` bytes to the address, and `attributes` has that size. Thread 0 is the
    // calling thread.
    let status = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, attributes.as_mut_ptr(), SIZE, 0) };
    // SAFETY: all fields are integers, for which the zeroed bytes are valid values.
    let mut attributes = unsafe { attributes.assume_init() };
    // Respect a scheduling policy that the user has chosen. A raised priority would be reset in new threads, together
    // with the short slice.
    if status != 0 || attributes.sched_policy != libc::SCHED_OTHER as u32 || attributes.sched_nice < 0 {
        return;
    }
    attributes.sched_flags |= libc::SCHED_FLAG_RESET_ON_FORK as u64;
    attributes.sched_runtime = TIME_SLICE;
    // A kernel without support returns an error.
    // SAFETY: the kernel reads only the structure, which holds its own size.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// Does nothing on this system.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub fn request_short_time_slice() {}
