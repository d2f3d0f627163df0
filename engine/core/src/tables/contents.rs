//! The bytes of a table file, read page by page.
//!
//! Files are not mapped into memory: if somebody shortened a mapped file, the system would end the engine. Pages are
//! kept in a cache of fixed size that all tables share, and each has a checksum from when the file was opened, so that
//! a file that is changed while it is used gives no wrong values.

use super::remote::Remote;
use arrayvec::ArrayVec;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};

const PAGE: usize = 4096;

/// The number of pages in the cache: 64 MiB, far more than all tables of up to four men that a search needs at a time.
const CACHED_PAGES: usize = 1 << 14;

/// The number of bytes that are read at once to compute the checksums: some pages.
const CHUNK: usize = 64 * PAGE;

/// The number of an empty page.
const NONE: u64 = u64::MAX;

struct Page {
    number: u64,
    bytes: [u8; PAGE],
}

/// The pages that were read last, each at its number modulo the length. They are allocated as they are used.
static CACHE: LazyLock<Vec<Mutex<Option<Box<Page>>>>> =
    LazyLock::new(|| (0..CACHED_PAGES).map(|_| Mutex::new(None)).collect());

/// The number of the first page of the next file. Pages of different files have different numbers, and those of files
/// opened one after the other have different places in the cache.
static NEXT_PAGE: AtomicU64 = AtomicU64::new(0);

/// The contents of a file, or memory.
pub enum Contents {
    Memory(Cow<'static, [u8]>),
    Pages(Pages),
    /// A file elsewhere.
    Remote(Remote),
}

pub struct Pages {
    file: File,
    len: u64,
    /// The number of the first page.
    first: u64,
    /// The place from which the checksums count, on the first page.
    start: usize,
    /// The CRC-32 of all bytes up to the end of each page.
    checksums: Vec<u32>,
    /// Whether a page could not be read or has changed.
    has_failed: AtomicBool,
}

impl Contents {
    /// The contents of a file, of which nothing is read yet.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        if cfg!(any(unix, windows)) {
            let file = File::open(path)?;
            let len = file.metadata()?.len();
            let has_failed = AtomicBool::new(false);
            Ok(Self::Pages(Pages { file, len, first: 0, start: 0, checksums: Vec::new(), has_failed }))
        } else {
            std::fs::read(path).map(|bytes| Self::Memory(bytes.into()))
        }
    }

    pub fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Pages(pages) => pages.len,
            Self::Remote(remote) => remote.len(),
        }
    }

    /// Whether the file could not be read, or was changed, after it was opened.
    #[inline]
    pub fn has_failed(&self) -> bool {
        matches!(self, Self::Pages(pages) if pages.has_failed.load(Relaxed))
    }

    /// The first bytes, or fewer if there are not as many.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn head(&self, count: usize) -> io::Result<Vec<u8>> {
        let count = count.min(usize::try_from(self.len()).unwrap_or(usize::MAX));
        match self {
            Self::Memory(bytes) => Ok(bytes[..count].to_vec()),
            Self::Pages(pages) => {
                let mut bytes = vec![0; count];
                read_exact_at(&pages.file, &mut bytes, 0)?;
                Ok(bytes)
            }
            Self::Remote(_) => self.get(0..count as u64).ok_or_else(|| io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Reads the whole file. Returns the CRC-32 of all bytes from `start` on, which must be on the first page, and lets
    /// [`Self::read`] read the file. `None` for a file elsewhere, which is not read.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn checksum(&mut self, start: usize) -> io::Result<Option<u32>> {
        let pages = match self {
            Self::Memory(bytes) => return Ok(Some(crc32fast::hash(bytes.get(start..).unwrap_or_default()))),
            Self::Pages(pages) => pages,
            Self::Remote(_) => return Ok(None),
        };
        pages.start = start;
        let mut chunk = vec![0; CHUNK.min(usize::try_from(pages.len).unwrap_or(CHUNK))];
        let mut at = 0;
        while at < pages.len {
            let count = usize::try_from(pages.len - at).unwrap_or(CHUNK).min(CHUNK);
            let bytes = &mut chunk[..count];
            read_exact_at(&pages.file, bytes, at)?;
            for page in bytes.chunks(PAGE) {
                let number = pages.checksums.len();
                pages.checksums.push(pages.checksum_after(number, page));
            }
            at += count as u64;
        }
        pages.first = NEXT_PAGE.fetch_add(pages.checksums.len() as u64, Relaxed);
        Ok(Some(pages.checksums.last().copied().unwrap_or_default()))
    }

    /// Calls `f` with a range of the bytes; `None` if they do not exist, are more than `N`, or cannot be read any more.
    #[inline]
    pub fn read<const N: usize, R>(&self, range: Range<u64>, f: impl FnOnce(&[u8]) -> R) -> Option<R> {
        if range.end > self.len() || range.end.checked_sub(range.start)? > N as u64 {
            return None;
        }
        if let Self::Pages(pages) = self
            && range.start < range.end
            && range.start / PAGE as u64 == (range.end - 1) / PAGE as u64
        {
            let page = range.start / PAGE as u64;
            let from = (range.start % PAGE as u64) as usize;
            return pages.with_page(page, |bytes| f(&bytes[from..from + (range.end - range.start) as usize]));
        }
        let mut bytes = ArrayVec::<u8, N>::new();
        self.for_each_part(range, |part| {
            // It fits.
            let _ = bytes.try_extend_from_slice(part);
        })?;
        Some(f(&bytes))
    }

    /// A range of the bytes; `None` as for [`Self::read`].
    pub fn get(&self, range: Range<u64>) -> Option<Vec<u8>> {
        if range.end > self.len() {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(range.end.checked_sub(range.start)?).ok()?);
        self.for_each_part(range, |part| bytes.extend(part))?;
        Some(bytes)
    }

    /// Calls `f` with the bytes of a range in order.
    #[inline]
    fn for_each_part(&self, range: Range<u64>, mut f: impl FnMut(&[u8])) -> Option<()> {
        let pages = match self {
            Self::Memory(bytes) => {
                f(bytes.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)?);
                return Some(());
            }
            Self::Remote(remote) => return remote.for_each_part(&range, &mut f),
            Self::Pages(pages) => pages,
        };
        let mut at = range.start;
        while at < range.end {
            let from = (at % PAGE as u64) as usize;
            let count = ((range.end - at).min((PAGE - from) as u64)) as usize;
            pages.with_page(at / PAGE as u64, |bytes| f(&bytes[from..from + count]))?;
            at += count as u64;
        }
        Some(())
    }
}

impl Pages {
    /// Calls `f` with the bytes of a page, which has zeros after the end of the file.
    #[inline]
    fn with_page<R>(&self, page: u64, f: impl FnOnce(&[u8; PAGE]) -> R) -> Option<R> {
        let number = self.first + page;
        let slot = &CACHE[number as usize % CACHED_PAGES];
        let Ok(mut slot) = slot.try_lock() else {
            // Another thread uses it. Reading is faster than waiting until the system schedules that thread.
            let mut bytes = [0; PAGE];
            self.read(page, &mut bytes)?;
            return Some(f(&bytes));
        };
        if let Some(held) = slot.as_ref().filter(|held| held.number == number) {
            return Some(f(&held.bytes));
        }
        let held = slot.get_or_insert_with(|| Box::new(Page { number: NONE, bytes: [0; PAGE] }));
        held.number = NONE;
        self.read(page, &mut held.bytes)?;
        held.number = number;
        Some(f(&held.bytes))
    }

    /// The CRC-32 of all bytes up to the end of a page, from that of the page before.
    fn checksum_after(&self, page: usize, bytes: &[u8]) -> u32 {
        let before = page.checked_sub(1).and_then(|before| self.checksums.get(before));
        let mut hasher = crc32fast::Hasher::new_with_initial(before.copied().unwrap_or_default());
        hasher.update(bytes.get(if page == 0 { self.start } else { 0 }..).unwrap_or_default());
        hasher.finalize()
    }

    #[cold]
    fn read(&self, page: u64, bytes: &mut [u8; PAGE]) -> Option<()> {
        let start = page * PAGE as u64;
        let (used, rest) = bytes.split_at_mut((self.len - start).min(PAGE as u64) as usize);
        rest.fill(0);
        let is_read = read_exact_at(&self.file, used, start).is_ok();
        let page = page as usize;
        if is_read && self.checksums.get(page) == Some(&self.checksum_after(page, used)) {
            return Some(());
        }
        self.has_failed.store(true, Relaxed);
        None
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, any(unix, windows)))]
mod tests {
    use super::*;
    use std::thread;

    fn file_of(bytes: &[u8]) -> (tempfile::NamedTempFile, Contents) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("it is written");
        let mut contents = Contents::open(file.path()).expect("it opens");
        assert_eq!(contents.checksum(5).expect("it is read"), Some(crc32fast::hash(&bytes[5..])));
        (file, contents)
    }

    fn bytes_of(len: usize) -> Vec<u8> {
        let mut rng = crate::rng::Rng::new(1);
        (0..len).map(|_| rng.below(256) as u8).collect()
    }

    #[test]
    fn all_ranges_are_read() {
        let bytes = bytes_of(2 * CHUNK + PAGE + 77);
        let (_file, contents) = file_of(&bytes);
        let memory = Contents::Memory(bytes.clone().into());
        let read = || {
            let mut rng = crate::rng::Rng::new(2);
            for _ in 0..2000 {
                let start = rng.below(bytes.len());
                let end = (start + rng.below(3 * PAGE)).min(bytes.len());
                let range = start as u64..end as u64;
                assert_eq!(contents.get(range.clone()).as_deref(), Some(&bytes[start..end]));
                let expected = (end - start <= PAGE).then(|| bytes[start..end].to_vec());
                for contents in [&contents, &memory] {
                    assert_eq!(contents.read::<PAGE, _>(range.clone(), <[u8]>::to_vec), expected);
                }
            }
        };
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(read))));
        let len = bytes.len() as u64;
        assert!(contents.get(len - 1..len + 1).is_none() && contents.get(len..len).is_some());
        let (start, end) = (7, 6);
        assert!(contents.read::<8, _>(start..end, |_| ()).is_none());
        assert!(!contents.has_failed());
    }

    #[test]
    fn changes_are_noticed() {
        let bytes = bytes_of(3 * PAGE);
        let other: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
        for changed in [&bytes[..0], &bytes[..PAGE], &bytes[..3 * PAGE - 1], &other] {
            let (file, contents) = file_of(&bytes);
            assert!(contents.get(0..9).is_some());
            std::fs::write(file.path(), changed).expect("it is written");
            // What is in the cache stays valid.
            assert_eq!(contents.get(0..9).as_deref(), Some(&bytes[..9]));
            assert!(!contents.has_failed());
            assert!(contents.get(2 * PAGE as u64..3 * PAGE as u64).is_none());
            assert!(contents.has_failed());
        }
    }
}
