//! The memory that is left. Systems overcommit, and a program that takes all memory is killed sooner or later.

use crate::search::{PoolError, Searcher};

/// Bytes that a hash table leaves available, at most an eighth of its own size. This must also cover a first table that
/// was never touched and whose release frees nothing.
const RESERVE: u64 = 32 << 20;

/// A searcher with threads and a hash table that fits.
///
/// # Errors
/// If there is not enough memory or a thread cannot be started.
pub fn searcher(threads: usize, hash_mib: usize) -> Result<Searcher, PoolError> {
    check(hash_mib, 0)?;
    Searcher::new(threads, hash_mib)
}

/// Whether there is enough memory for a hash table of `mib` MiB once an old one of `old_mib` MiB is freed.
///
/// # Errors
/// If there is not.
pub fn check(mib: usize, old_mib: usize) -> Result<(), PoolError> {
    let bytes = |mib: usize| (mib as u64).saturating_mul(1 << 20);
    let wanted = bytes(mib).saturating_add((bytes(mib) / 8).min(RESERVE));
    match state() {
        // Freeing the old table yields at most what the whole process uses.
        Some((available, used)) if mib != old_mib && wanted > available.saturating_add(used.min(bytes(old_mib))) => {
            Err(PoolError::Memory { purpose: "a hash table", mib })
        }
        _ => Ok(()),
    }
}

/// The bytes that this process can still allocate, including the limit of its container, and those that it uses; `None`
/// if the system does not tell.
fn state() -> Option<(u64, u64)> {
    use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};
    if cfg!(miri) {
        return None;
    }
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    // Without /proc/meminfo the total is 0.
    if system.total_memory() == 0 {
        return None;
    }
    let id = sysinfo::get_current_pid().ok()?;
    let wanted = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, wanted);
    let process = system.process(id)?;
    // The resident set of a container excludes its page cache, which the system can drop.
    let allowed = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    Some((system.available_memory().min(allowed), process.memory()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_was_never_used_makes_no_room() {
        let Some((available, _)) = state() else { return };
        let mib = (available >> 20) as usize;
        // All tests of this process together use far less.
        assert!(check(mib + (8 << 10), mib).is_err());
    }
}
