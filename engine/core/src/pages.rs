//! Zeroed memory for large tables: pages of the system, huge ones where it has them, or, in WebAssembly, memory of the
//! allocator.
//!
//! Tables that are read at random miss the TLB for nearly every access if their pages are small.

use bytemuck::Zeroable;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

#[cfg(not(target_family = "wasm"))]
pub use system::Pages;
#[cfg(target_family = "wasm")]
pub use wasm::Pages;

#[cfg(not(target_family = "wasm"))]
mod system {
    #[cfg(all(target_os = "linux", not(miri)))]
    use memmap2::Advice;
    use memmap2::{MmapMut, MmapRaw};

    /// The size and alignment of huge pages, on most machines.
    #[cfg(all(target_os = "linux", not(miri)))]
    const HUGE_PAGE: usize = 2 << 20;

    /// Pages from the system: zeroed, page-aligned, and allocated when first touched.
    pub struct Pages {
        memory: MmapRaw,
        start: usize,
        len: usize,
    }

    impl Pages {
        /// `None` if the system refuses.
        pub fn new(len: usize) -> Option<Self> {
            let (memory, start) = map(len)?;
            Some(Self { memory: MmapRaw::from(memory), start, len })
        }

        /// The address. It is not derived from a reference, and the memory lives as long as `self`.
        #[inline]
        pub fn as_mut_ptr(&self) -> *mut u8 {
            self.memory.as_mut_ptr().wrapping_add(self.start)
        }

        pub fn len(&self) -> usize {
            self.len
        }
    }

    /// At least `len` bytes of memory from an offset on, which is returned, too.
    #[cfg(all(target_os = "linux", not(miri)))]
    fn map(len: usize) -> Option<(MmapMut, usize)> {
        if len < HUGE_PAGE / 2 {
            return Some((MmapMut::map_anon(len).ok()?, 0));
        }
        // Whole huge pages, wherever the memory begins. The system allocates only what is touched.
        let whole = len.checked_next_multiple_of(HUGE_PAGE)?;
        let memory = MmapMut::map_anon(whole.checked_add(HUGE_PAGE)?).ok()?;
        let start = memory.as_ptr().align_offset(HUGE_PAGE);
        // Huge pages are optional.
        let _ = memory.advise_range(Advice::HugePage, start, whole);
        Some((memory, start))
    }

    #[cfg(not(all(target_os = "linux", not(miri))))]
    fn map(len: usize) -> Option<(MmapMut, usize)> {
        Some((MmapMut::map_anon(len).ok()?, 0))
    }
}

#[cfg(target_family = "wasm")]
mod wasm {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    /// Zeroed memory of the allocator.
    pub struct Pages {
        memory: *mut u8,
        layout: Layout,
    }

    // SAFETY: the memory belongs to this value alone, which only hands out its address: whoever uses that answers for
    // what threads do with it.
    unsafe impl Send for Pages {}
    // SAFETY: as above.
    unsafe impl Sync for Pages {}

    impl Pages {
        /// `None` if there is not enough memory or `bytes` is 0.
        pub fn new(bytes: usize) -> Option<Self> {
            let layout = Layout::from_size_align(bytes, 4096).ok().filter(|layout| layout.size() > 0)?;
            // SAFETY: the size is not zero.
            let memory = unsafe { alloc_zeroed(layout) };
            (!memory.is_null()).then_some(Self { memory, layout })
        }

        /// The address. It is not derived from a reference, and the memory lives as long as `self`.
        #[inline]
        pub fn as_mut_ptr(&self) -> *mut u8 {
            self.memory
        }

        pub fn len(&self) -> usize {
            self.layout.size()
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: allocated in `new` with the same layout, and nothing uses it any more.
            unsafe { dealloc(self.memory, self.layout) }
        }
    }
}

/// A value on pages of its own, zeroed at first.
pub struct PageBox<T> {
    pages: Pages,
    value: PhantomData<T>,
}

impl<T: Zeroable> PageBox<T> {
    /// `None` if there is not enough memory.
    pub fn zeroed() -> Option<Self> {
        const { assert!(align_of::<T>() <= 4096 && size_of::<T>() > 0 && !std::mem::needs_drop::<T>()) };
        Some(Self { pages: Pages::new(size_of::<T>())?, value: PhantomData })
    }

    /// Makes the value zero.
    pub fn clear(&mut self) {
        // New pages cost nothing before they are used; to write to the old ones touches them all.
        match Self::zeroed() {
            Some(new) => *self = new,
            // SAFETY: the pages hold the size of the value, and zero is a valid value.
            None => unsafe { self.pages.as_mut_ptr().write_bytes(0, size_of::<T>()) },
        }
    }
}

impl<T> Deref for PageBox<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the pages are aligned and hold the size of the value. They were zeroed, which is a valid value of
        // the type, and are accessed through `self` only, as this borrow allows.
        unsafe { &*self.pages.as_mut_ptr().cast() }
    }
}

impl<T> DerefMut for PageBox<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.pages.as_mut_ptr().cast() }
    }
}

impl<T: Zeroable + Clone> Clone for PageBox<T> {
    fn clone(&self) -> Self {
        let mut clone = Self::zeroed().expect("memory for a copy");
        T::clone_from(&mut clone, self);
        clone
    }
}

impl<T: PartialEq> PartialEq for PageBox<T> {
    fn eq(&self, other: &Self) -> bool {
        T::eq(self, other)
    }
}

impl<T: Eq> Eq for PageBox<T> {}

impl<T: fmt::Debug> fmt::Debug for PageBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}
