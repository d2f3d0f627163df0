//! The hash table ("Transposition Table" of chessprogramming.org).
//!
//! All threads share it without locks ("Shared Hash Table" of chessprogramming.org). An entry consists of two relaxed
//! atomics: the data, and the key XOR the data (Hyatt and Mann 2002). An entry torn between two writers does not match
//! its key and reads as a miss. Keys may collide, so callers test the moves for legality.

use crate::pages::Pages;
use crate::types::Move;
use crate::types::score::{MATE_IN_MAX, MAX_PLY, NO_VALUE, Value};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::thread;

use super::error::PoolError;
use super::job::Bound;

/// Slots of a bucket, which is a cache line.
const WAYS: usize = 4;

/// Each thread that helps to clear the table gets at least this number of buckets: 16 MiB.
const BUCKETS_PER_THREAD: usize = (16 << 20) / size_of::<Bucket>();

const GENERATIONS: u8 = 32;

#[derive(Default)]
struct Slot {
    /// The key of the position XOR `data`.
    check: AtomicU64,
    /// From the lowest bit: move 16, value 16, evaluation 16, depth 8, bound 2, PV 1, generation 5.
    data: AtomicU64,
}

#[repr(C, align(64))]
struct Bucket([Slot; WAYS]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// What the hash table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move. It may be illegal, since keys may collide.
    pub mv: Option<Move>,
    /// The value, or [`NO_VALUE`]. The table stores mates relative to this position; [`HashTable::probe`] returns them
    /// relative to the root.
    pub value: Value,
    /// The static evaluation, or [`NO_VALUE`].
    pub eval: Value,
    /// The depth of the search that found the value, 0 for quiescence.
    pub depth: i32,
    /// The bound of the value; `None` without a value.
    pub bound: Option<Bound>,
    /// Whether the position was once searched as a PV node.
    pub pv: bool,
}

impl Entry {
    /// The entry of a position that was only evaluated.
    pub const fn eval_only(eval: Value, pv: bool) -> Self {
        Self { mv: None, value: NO_VALUE, eval, depth: 0, bound: None, pv }
    }

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

/// The hash table, which all threads read and write without locks: an entry that is written by two at once is not
/// found.
pub struct HashTable {
    /// Zeroed, and allocated by the system when first touched. That takes about a second for some GiB, so
    /// [`HashTable::clear`] touches all of it before a search has to.
    memory: Pages,
    count: usize,
    generation: AtomicU8,
}

impl HashTable {
    /// A cleared table of `mib` MiB, at least 1.
    ///
    /// # Errors
    /// If the system refuses the memory. Most systems overcommit: they refuse only what can never fit.
    pub fn new(mib: usize) -> Result<Self, PoolError> {
        let bytes = mib.max(1).checked_mul(1 << 20);
        let memory = bytes.and_then(Pages::new).ok_or(PoolError::Memory { purpose: "a hash table", mib })?;
        let count = memory.len() / size_of::<Bucket>();
        Ok(Self { memory, count, generation: AtomicU8::new(0) })
    }

    #[inline]
    fn buckets(&self) -> &[Bucket] {
        // SAFETY: the memory is page-aligned, lives as long as `self`, and holds `count` buckets: `count` is its length
        // divided by their size. It was zeroed, and all zeroes is a valid value of an atomic. The pointer is a raw one,
        // not derived from a reference, and all access to the memory goes through these atomics.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().cast::<Bucket>(), self.count) }
    }

    /// Maps the key to a bucket by its high bits (Lemire's multiplication).
    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = ((u128::from(key) * self.count as u128) >> 64) as usize;
        &self.buckets()[index]
    }

    /// Fetches the bucket of a key into the cache of the processor.
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

    /// Looks up a position.
    ///
    /// `ply` is the distance from the root, for mate values: the table stores them relative to the position.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        self.find(key).map(|data| from_data(data, ply))
    }

    /// Looks up a position, but without the value of an earlier search, unless it is a mate.
    #[inline]
    pub fn probe_without_old_values(&self, key: u64, ply: usize) -> Option<Entry> {
        let data = self.find(key)?;
        let mut entry = from_data(data, ply);
        if (data >> 59) as u8 != self.generation.load(Relaxed) && entry.value.abs() < MATE_IN_MAX {
            (entry.value, entry.bound) = (NO_VALUE, None);
        }
        Some(entry)
    }

    /// The data of the slot with a key.
    #[inline]
    fn find(&self, key: u64) -> Option<u64> {
        let slots = &mut self.bucket(key).0.iter();
        let mut data = slots.map(|slot| (slot.data.load(Relaxed), slot.check.load(Relaxed)));
        data.find(|&(data, check)| data != 0 && check ^ data == key).map(|(data, _)| data)
    }

    /// Stores a position. It replaces its own entry, or else the least valuable one of the bucket: old and shallow
    /// entries first.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let mut victim: Option<(&Slot, i32)> = None;
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if data == 0 || slot.check.load(Relaxed) ^ data == key {
                if data != 0 {
                    let old = Entry::unpack(data);
                    entry.mv = entry.mv.or(old.mv);
                    // Keep a much deeper result of this search.
                    let same_search = (data >> 59) as u8 == generation;
                    if entry.bound != Some(Bound::Exact)
                        && same_search
                        && entry.depth + 4 + 2 * i32::from(entry.pv) <= old.depth
                    {
                        return;
                    }
                }
                victim = Some((slot, 0));
                break;
            }
            let age = i32::from(generation.wrapping_sub((data >> 59) as u8) % GENERATIONS);
            // The depth of proven mates is capped at that of the deepest search, so that they age, too.
            let priority = ((data >> 48 & 0xFF) as i32).min(MAX_PLY as i32) - 4 * age;
            if victim.is_none_or(|(_, lowest)| priority < lowest) {
                victim = Some((slot, priority));
            }
        }
        if let Some((slot, _)) = victim {
            entry.value = to_table(entry.value, ply);
            let data = entry.pack(generation);
            slot.data.store(data, Relaxed);
            slot.check.store(key ^ data, Relaxed);
        }
    }

    /// Starts a new search: all entries age.
    pub fn new_search(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
    }

    /// Clears the table on up to `threads` threads.
    pub fn clear(&self, threads: usize) {
        let empty = |buckets: &[Bucket]| {
            for slot in buckets.iter().flat_map(|bucket| &bucket.0) {
                slot.data.store(0, Relaxed);
                slot.check.store(0, Relaxed);
            }
        };
        let mut parts = self.buckets().chunks(self.count.div_ceil(threads.max(1)).max(BUCKETS_PER_THREAD));
        let own = parts.next();
        thread::scope(|scope| {
            for part in parts {
                // If the system starts no thread, this one clears the part.
                if thread::Builder::new().spawn_scoped(scope, move || empty(part)).is_err() {
                    empty(part);
                }
            }
            own.into_iter().for_each(empty);
        });
        self.generation.store(0, Relaxed);
    }

    /// The share of slots with entries of the current search, in thousandths, from a sample of buckets.
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

/// The entry of a slot. A value that cannot be used becomes [`NO_VALUE`].
#[inline]
fn from_data(data: u64, ply: usize) -> Entry {
    let mut entry = Entry::unpack(data);
    entry.value = from_table(entry.value, ply);
    if entry.value == NO_VALUE {
        entry.bound = None;
    }
    entry
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

/// Converts a stored value. A mate beyond the maximum ply becomes [`NO_VALUE`]: as a plain value it would be reported
/// in centipawns and spoil the correction histories.
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
    fn threads_clear_the_whole_table() {
        let table = HashTable::new(50).unwrap();
        let is_empty = |bucket: &Bucket| bucket.0.iter().all(|slot| slot.data.load(Relaxed) == 0);
        for threads in [0, 1, 2, 3, 1000] {
            // One key for each bucket.
            for bucket in 0..table.count as u128 {
                table.store(((bucket << 64) / table.count as u128) as u64 + 1, 0, entry(7));
            }
            assert!(!table.buckets().iter().any(is_empty));
            table.clear(threads);
            assert!(table.buckets().iter().all(is_empty), "{threads}");
        }
    }

    #[test]
    fn old_values_can_be_left_out() {
        let table = HashTable::new(1).unwrap();
        table.store(1, 0, entry(3));
        table.store(2, 0, Entry { value: mate_in(7), ..entry(3) });
        assert_eq!(table.probe_without_old_values(1, 0), Some(entry(3)), "of this search");
        table.new_search();
        assert_eq!(table.probe(1, 0), Some(entry(3)));
        assert_eq!(table.probe_without_old_values(1, 0), Some(Entry { value: NO_VALUE, bound: None, ..entry(3) }));
        assert_eq!(table.probe_without_old_values(2, 2), table.probe(2, 2), "a mate");
        assert_eq!(table.probe_without_old_values(3, 0), None);
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

    /// Threads that access the same buckets at the same time see complete entries or none.
    #[test]
    fn entries_of_several_threads_never_mix() {
        const ROUNDS: usize = if cfg!(miri) { 50 } else { 100_000 };
        let table = HashTable::new(1).unwrap();
        // Eight buckets, and more keys than slots for each.
        let keys: Vec<u64> = (0..64).map(|n| n << 61 | n).collect();
        // Every field is a function of the key, so a field of another entry would show.
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
