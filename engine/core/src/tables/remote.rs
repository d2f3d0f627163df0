//! The bytes of a table that is elsewhere, of which only some are here, such as behind a web server.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The bytes that are fetched together.
const PAGE: u64 = 1 << 14;

/// A table file of which pages are added as they are needed. Reading one that is not here fails and notes it. Clones
/// share the pages.
#[derive(Clone, Debug)]
pub struct Remote {
    len: u64,
    pages: Arc<Mutex<Pages>>,
}

#[derive(Debug, Default)]
struct Pages {
    here: BTreeMap<u64, Box<[u8]>>,
    wanted: BTreeSet<u64>,
}

impl Remote {
    /// A file of some length, of which nothing is here.
    pub fn new(len: u64) -> Self {
        Self { len, pages: Arc::default() }
    }

    /// The length of the whole file, in bytes.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the whole file has no bytes.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the whole pages among the bytes from an offset on, which begins a page. Only the last one of the file may
    /// be shorter than the others.
    pub fn add(&self, offset: u64, bytes: &[u8]) {
        let mut pages = self.pages();
        let mut begin = offset;
        for page in bytes.chunks(PAGE as usize) {
            let end = (begin + PAGE).min(self.len);
            if begin.is_multiple_of(PAGE) && begin + page.len() as u64 == end {
                pages.wanted.remove(&(begin / PAGE));
                pages.here.insert(begin / PAGE, page.into());
            }
            begin += page.len() as u64;
        }
    }

    /// The ranges of bytes that were asked for in vain since the last call, in order. Neighbours are one range.
    pub fn take_wanted(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for page in std::mem::take(&mut self.pages().wanted) {
            let (begin, end) = (page * PAGE, ((page + 1) * PAGE).min(self.len));
            match ranges.last_mut().filter(|last| last.end == begin) {
                Some(last) => last.end = end,
                None => ranges.push(begin..end),
            }
        }
        ranges
    }

    /// Calls `f` with the parts of a range in order. `None` if a page is not here.
    pub(super) fn for_each_part(&self, range: &Range<u64>, f: &mut dyn FnMut(&[u8])) -> Option<()> {
        let mut pages = self.pages();
        let numbers = range.start / PAGE..range.end.div_ceil(PAGE);
        let missing: Vec<u64> = numbers.clone().filter(|number| !pages.here.contains_key(number)).collect();
        if !missing.is_empty() {
            pages.wanted.extend(missing);
            return None;
        }
        for number in numbers {
            let page = pages.here.get(&number)?;
            let begin = number * PAGE;
            let from = range.start.saturating_sub(begin) as usize;
            let to = (range.end - begin).min(page.len() as u64) as usize;
            f(page.get(from..to)?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_noted_until_it_is_here() {
        let bytes: Vec<u8> = (0..PAGE * 3 + 100).map(|number| (number % 251) as u8).collect();
        let remote = Remote::new(bytes.len() as u64);
        let read = |range: Range<u64>| {
            let mut found = Vec::new();
            remote.for_each_part(&range, &mut |part| found.extend(part)).map(|()| found)
        };
        assert_eq!(read(PAGE - 5..PAGE + 5), None);
        assert_eq!(read(PAGE * 3 + 50..PAGE * 3 + 60), None);
        assert_eq!(remote.take_wanted(), [0..PAGE * 2, PAGE * 3..PAGE * 3 + 100]);
        assert!(remote.take_wanted().is_empty());
        // A part of a page is not kept.
        remote.add(0, &bytes[..PAGE as usize + 7]);
        assert_eq!(read(PAGE - 5..PAGE + 5), None);
        assert_eq!(remote.take_wanted(), vec![PAGE..PAGE * 2; 1]);
        remote.add(PAGE, &bytes[PAGE as usize..]);
        for range in [0..1, PAGE - 5..PAGE + 5, 7..PAGE * 3 + 100, PAGE * 3 + 99..PAGE * 3 + 100] {
            assert_eq!(read(range.clone()).as_deref(), Some(&bytes[range.start as usize..range.end as usize]));
        }
    }
}
