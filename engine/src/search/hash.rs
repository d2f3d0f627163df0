//! The transposition table.
//!
//! Shared by all threads without locks. An entry is two words of relaxed atomics, the second one
//! stored combined with the key (Robert Hyatt's scheme): an entry torn between two writers does not
//! match its key any more and reads as a miss. What is read is a hint in any case; moves are tested
//! for legality by whoever uses them.

use crate::types::Move;
use crate::types::score::{MATE_IN_MAX, MAX_PLY, NO_VALUE, Value};
#[cfg(all(target_os = "linux", not(miri)))]
use memmap2::Advice;
use memmap2::{MmapMut, MmapRaw};
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::thread;
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

use super::Bound;

/// Entries that share a cache line and compete for it.
const WAYS: usize = 4;

/// Buckets for which a thread of its own is worth while when they are emptied: 16 MiB.
const SHARE: usize = (16 << 20) / size_of::<Bucket>();

/// Bytes that a table leaves free for all else; less if it is a small one. That must also make up for a
/// first table that was never touched, so that it gives back nothing.
const RESERVE: u64 = 32 << 20;

/// The number of table generations that are told apart.
const GENERATIONS: u8 = 32;

#[derive(Default)]
struct Slot {
    /// The key of the position, combined with `data`.
    check: AtomicU64,
    /// From the lowest bit: move 16, value 16, evaluation 16, depth 8, bound 2, PV 1, generation 5.
    data: AtomicU64,
}

#[repr(C, align(64))]
struct Bucket([Slot; WAYS]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, not necessarily legal here: keys may collide.
    pub mv: Option<Move>,
    /// The value found, mates counted from this position, or [`NO_VALUE`].
    pub value: Value,
    /// The static evaluation, or [`NO_VALUE`].
    pub eval: Value,
    /// The remaining depth of the search that found it, 0 for quiescence.
    pub depth: i32,
    /// How exact the value is; nothing if there is none.
    pub bound: Option<Bound>,
    /// Whether the position was once searched with an open window.
    pub pv: bool,
}

impl Entry {
    fn pack(self, generation: u8) -> u64 {
        let bound = match self.bound {
            None => 0,
            Some(Bound::Upper) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Exact) => 3,
        };
        let word = |value: Value| u64::from(value as i16 as u16);
        u64::from(self.mv.map_or(0, Move::bits))
            | word(self.value) << 16
            | word(self.eval) << 32
            | (self.depth.clamp(0, 255) as u64) << 48
            | bound << 56
            | u64::from(self.pv) << 58
            | u64::from(generation) << 59
    }

    fn unpack(data: u64) -> Self {
        let word = |shift: u32| Value::from((data >> shift) as u16 as i16);
        Self {
            mv: Move::from_bits(data as u16),
            value: word(16),
            eval: word(32),
            depth: (data >> 48 & 0xFF) as i32,
            bound: match data >> 56 & 3 {
                1 => Some(Bound::Upper),
                2 => Some(Bound::Lower),
                3 => Some(Bound::Exact),
                _ => None,
            },
            pv: data >> 58 & 1 != 0,
        }
    }
}

/// The hash table could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// The size asked for, in MiB.
    pub mib: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is not enough memory for a hash table of {} MiB", self.mib)
    }
}

impl std::error::Error for OutOfMemory {}

/// The table.
pub struct HashTable {
    /// Pages straight from the system: zeroed, page-aligned, and taken only once they are touched. That
    /// takes time, a second for some GiB: [`HashTable::clear`] touches all, so that no search has to.
    memory: MmapRaw,
    count: usize,
    generation: AtomicU8,
}

impl HashTable {
    /// A cleared table of some MiB, at least one.
    ///
    /// # Errors
    /// When the system has not that much memory, or says so only later: a request for more than is
    /// available is refused here, since pages are not handed out before they are used.
    pub fn new(mib: usize) -> Result<Self, OutOfMemory> {
        Self::in_place_of(mib, 0)
    }

    /// As [`Self::new`], when a table of `old_mib` will make room for the new one.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn in_place_of(mib: usize, old_mib: usize) -> Result<Self, OutOfMemory> {
        let refused = OutOfMemory { mib };
        let bytes = mib.max(1).checked_mul(1 << 20).ok_or(refused)?;
        // What takes all that there is has the system end the program, sooner or later.
        let wanted = (bytes as u64).saturating_add((bytes as u64 / 8).min(RESERVE));
        // The old table cannot give back more than the whole program takes.
        let room = |memory: Memory| memory.available.saturating_add(memory.used.min((old_mib as u64) << 20));
        if memory().is_some_and(|memory| wanted > room(memory)) {
            return Err(refused);
        }
        let memory = MmapMut::map_anon(bytes).map_err(|_| refused)?;
        // Huge pages save most of the address translation misses. Without them all still works.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = memory.advise(Advice::HugePage);
        Ok(Self { memory: MmapRaw::from(memory), count: bytes / size_of::<Bucket>(), generation: AtomicU8::new(0) })
    }

    #[inline]
    fn buckets(&self) -> &[Bucket] {
        // SAFETY: the mapping is page-aligned, lives as long as `self`, and holds `count` buckets:
        // `count` is its length divided by their size. It was zeroed by the system, and all zeroes is
        // a valid value of an atomic. The pointer is the raw one that the mapping came with, not one
        // from a reference, and all access to the memory goes through the atomics, from here.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast::<Bucket>(), self.count) }
    }

    /// Maps the key to a bucket by its high bits (Lemire's multiplication).
    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = ((u128::from(key) * self.count as u128) >> 64) as usize;
        &self.buckets()[index]
    }

    /// Asks the processor to fetch what it will need for a key.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch of a valid address; SSE is part of every x86-64.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.bucket(key)).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// The size in MiB.
    pub fn mib(&self) -> usize {
        self.memory.len() >> 20
    }

    /// Looks a position up.
    ///
    /// `ply` is the distance from the root: mates are stored as seen from the position.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            if data == 0 || slot.check.load(Relaxed) ^ data != key {
                return None;
            }
            let mut entry = Entry::unpack(data);
            entry.value = from_table(entry.value, ply);
            if entry.value == NO_VALUE {
                entry.bound = None;
            }
            Some(entry)
        })
    }

    /// Stores a position, in place of what is worth least in its bucket.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let mut worst: Option<(&Slot, i32)> = None;
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if data == 0 || slot.check.load(Relaxed) ^ data == key {
                if data != 0 {
                    let old = Entry::unpack(data);
                    entry.mv = entry.mv.or(old.mv);
                    // A much deeper result of this search is worth more than a shallow newer one.
                    let same_search = (data >> 59) as u8 == generation;
                    if entry.bound != Some(Bound::Exact)
                        && same_search
                        && entry.depth + 4 + 2 * i32::from(entry.pv) <= old.depth
                    {
                        return;
                    }
                }
                worst = Some((slot, 0));
                break;
            }
            let age = i32::from(generation.wrapping_sub((data >> 59) as u8) % GENERATIONS);
            // A proof is worth as much as the deepest search, so that age gets the better of it.
            let worth = ((data >> 48 & 0xFF) as i32).min(MAX_PLY as i32) - 4 * age;
            if worst.is_none_or(|(_, least)| worth < least) {
                worst = Some((slot, worth));
            }
        }
        if let Some((slot, _)) = worst {
            entry.value = to_table(entry.value, ply);
            let data = entry.pack(generation);
            slot.data.store(data, Relaxed);
            slot.check.store(key ^ data, Relaxed);
        }
    }

    /// Begins a new search: what is in the table ages.
    pub fn new_search(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
    }

    /// Empties the table, on up to so many threads.
    pub fn clear(&self, threads: usize) {
        let empty = |buckets: &[Bucket]| {
            for slot in buckets.iter().flat_map(|bucket| &bucket.0) {
                slot.data.store(0, Relaxed);
                slot.check.store(0, Relaxed);
            }
        };
        let mut parts = self.buckets().chunks(self.count.div_ceil(threads.max(1)).max(SHARE));
        let own = parts.next();
        thread::scope(|scope| {
            for part in parts {
                // What the system gives no thread for is done by this one.
                if thread::Builder::new().spawn_scoped(scope, move || empty(part)).is_err() {
                    empty(part);
                }
            }
            own.into_iter().for_each(empty);
        });
        self.generation.store(0, Relaxed);
    }

    /// How full the table is with entries of the present search, in thousandths, by a sample.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Relaxed);
        let sample = &self.buckets()[..self.count.min(250)];
        let used = sample
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|slot| {
                let data = slot.data.load(Relaxed);
                data != 0 && (data >> 59) as u8 == generation
            })
            .count();
        (used * 1000 / (sample.len() * WAYS)) as u32
    }
}

/// What is known of memory, in bytes.
struct Memory {
    /// What could still be handed out to this process, whose container may be allowed less than there is.
    available: u64,
    /// What this process really takes.
    used: u64,
}

/// Asks the system, where that is possible.
fn memory() -> Option<Memory> {
    if cfg!(miri) {
        return None;
    }
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    // Where there is no /proc/meminfo, nothing is known.
    if system.total_memory() == 0 {
        return None;
    }
    let id = sysinfo::get_current_pid().ok()?;
    let wanted = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, wanted);
    let process = system.process(id)?;
    // Besides that, a container has copies of files in memory, which make room.
    let allowed = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    Some(Memory { available: system.available_memory().min(allowed), used: process.memory() })
}

fn to_table(value: Value, ply: usize) -> Value {
    if value == NO_VALUE {
        NO_VALUE
    } else if value >= MATE_IN_MAX {
        value + ply as Value
    } else if value <= -MATE_IN_MAX {
        value - ply as Value
    } else {
        value
    }
}

/// A mate that is too far from the root to be told from other values is no value: as a plain one it would
/// be reported in centipawns and spoil the correction histories.
fn from_table(value: Value, ply: usize) -> Value {
    let (mated, value_at_root) = (value <= -MATE_IN_MAX, value.abs() - ply as Value);
    if value == NO_VALUE || value.abs() < MATE_IN_MAX {
        value
    } else if value_at_root < MATE_IN_MAX {
        NO_VALUE
    } else if mated {
        -value_at_root
    } else {
        value_at_root
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;
    use crate::types::score::mate_in;

    fn entry(depth: i32) -> Entry {
        let mv = Some(Move::normal(Square::E2, Square::E4));
        Entry { mv, value: -123, eval: 45, depth, bound: Some(Bound::Lower), pv: true }
    }

    #[test]
    fn stores_and_finds() {
        let table = HashTable::new(1).unwrap();
        assert_eq!(table.probe(42, 0), None);
        table.store(42, 0, entry(7));
        assert_eq!(table.probe(42, 0), Some(entry(7)));
        assert_eq!(table.probe(43, 0), None);
        table.clear(1);
        assert_eq!(table.probe(42, 0), None);
    }

    #[cfg(not(miri))]
    #[test]
    fn threads_empty_all_of_it() {
        let table = HashTable::new(50).unwrap();
        let is_empty = |bucket: &Bucket| bucket.0.iter().all(|slot| slot.data.load(Relaxed) == 0);
        for threads in [0, 1, 2, 3, 1000] {
            // A key for each bucket.
            for bucket in 0..table.count as u128 {
                table.store(((bucket << 64) / table.count as u128) as u64 + 1, 0, entry(7));
            }
            assert!(!table.buckets().iter().any(is_empty));
            table.clear(threads);
            assert!(table.buckets().iter().all(is_empty), "{threads}");
        }
    }

    #[test]
    fn mates_are_counted_from_the_position() {
        let table = HashTable::new(1).unwrap();
        table.store(1, 4, Entry { value: mate_in(7), ..entry(3) });
        assert_eq!(table.probe(1, 2).unwrap().value, mate_in(5));
        table.store(1, 4, Entry { value: NO_VALUE, bound: None, ..entry(9) });
        assert_eq!(table.probe(1, 2).unwrap().value, NO_VALUE);
    }

    #[test]
    fn mates_beyond_the_longest_line_have_no_value() {
        let table = HashTable::new(1).unwrap();
        for sign in [1, -1] {
            table.store(1, 0, Entry { value: sign * mate_in(100), bound: Some(Bound::Exact), ..entry(3) });
            assert_eq!(table.probe(1, 28).unwrap().value, sign * mate_in(128));
            let beyond = table.probe(1, 29).unwrap();
            assert_eq!((beyond.value, beyond.bound), (NO_VALUE, None));
        }
    }

    #[test]
    fn a_torn_entry_is_a_miss() {
        let table = HashTable::new(1).unwrap();
        table.store(5, 0, entry(3));
        let slot = &table.bucket(5).0[0];
        slot.data.store(slot.data.load(Relaxed) ^ 1, Relaxed);
        assert_eq!(table.probe(5, 0), None);
    }

    #[test]
    fn old_and_shallow_entries_make_room() {
        let table = HashTable::new(1).unwrap();
        for key in 0..4 {
            table.store(key, 0, entry(10 + key as i32));
        }
        table.store(4, 0, entry(1));
        assert!(table.probe(0, 0).is_none() && table.probe(4, 0).is_some() && table.probe(1, 0).is_some());
    }

    #[test]
    fn a_table_that_does_not_fit_is_refused() {
        assert!(HashTable::new(usize::MAX >> 20).is_err());
        assert!(HashTable::new(usize::MAX).is_err());
    }

    #[test]
    fn a_table_that_was_never_used_makes_no_room() {
        let Some(Memory { available, .. }) = memory() else { return };
        let mib = (available >> 20) as usize;
        // The tests of this program together take far less than that.
        assert!(HashTable::in_place_of(mib + (8 << 10), mib).is_err());
    }

    /// Threads that write and read the same few buckets at the same time see whole entries or none.
    #[test]
    fn entries_of_several_threads_never_mix() {
        const ROUNDS: usize = if cfg!(miri) { 50 } else { 100_000 };
        let table = HashTable::new(1).unwrap();
        // Eight buckets, and for each of them more keys than it has room for.
        let keys: Vec<u64> = (0..64).map(|n| n << 61 | n).collect();
        // All of it is a function of the key: what belongs to another key would show.
        let whole = |key: u64| {
            let number = (key & 63) as Value;
            let mv = Move::from_bits(key as u16 & 63 | 0x0FC0);
            Entry { mv, value: 100 * number, eval: -number, depth: 7, bound: Some(Bound::Exact), pv: key & 1 != 0 }
        };
        thread::scope(|scope| {
            for thread in 0..4 {
                let (table, keys) = (&table, &keys);
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        let key = keys[round * (2 * thread + 1) % 63];
                        table.store(key, 0, whole(key));
                        let other = keys[(round * 11 + thread) % 63];
                        assert!(table.probe(other, 0).is_none_or(|entry| entry == whole(other)));
                    }
                });
            }
        });
    }
}
