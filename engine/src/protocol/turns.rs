//! Turns of a thread at the processor.

/// Asks the system to give the present thread short turns, and therefore early ones: it hears commands
/// even where more threads search than there are processors. Its share of the time stays the same, and
/// threads that it starts have turns and priorities as ever.
///
/// Linux, from 6.12 on, gives a thread that wakes up the processor before others whose turns are longer
/// (the slices of the scheduler EEVDF). Elsewhere nothing happens.
#[cfg(target_os = "linux")]
pub(super) fn ask_for_short_turns() {
    /// Nanoseconds, the least that the system takes.
    const TURN: u64 = 100_000;
    const SIZE: u32 = size_of::<libc::sched_attr>() as u32;
    let mut attributes = std::mem::MaybeUninit::<libc::sched_attr>::zeroed();
    // SAFETY: the system writes at most so many bytes to the address, which has room for them; 0 means
    // the thread that calls.
    let told = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, attributes.as_mut_ptr(), SIZE, 0) };
    // SAFETY: it is made of whole numbers, for which zeros are values, too.
    let mut attributes = unsafe { attributes.assume_init() };
    // Whoever has asked for another way of scheduling knows better. A priority above the usual one would
    // be lost for the threads to come, together with the short turns.
    if told != 0 || attributes.sched_policy != libc::SCHED_OTHER as u32 || attributes.sched_nice < 0 {
        return;
    }
    attributes.sched_flags |= libc::SCHED_FLAG_RESET_ON_FORK as u64;
    attributes.sched_runtime = TURN;
    // A system that does not know of this says no.
    // SAFETY: the system reads the structure, whose size stands in it.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// Nothing, on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_short_turns() {}
