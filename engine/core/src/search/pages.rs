//! Large zeroed memory for the hash table: pages of the system or, in WebAssembly, memory of the allocator.

#[cfg(not(target_family = "wasm"))]
pub use system::Pages;
#[cfg(target_family = "wasm")]
pub use wasm::Pages;

#[cfg(not(target_family = "wasm"))]
mod system {
    #[cfg(all(target_os = "linux", not(miri)))]
    use memmap2::Advice;
    use memmap2::{MmapMut, MmapRaw};

    /// Pages from the system: zeroed, page-aligned, and allocated when first touched.
    pub struct Pages(MmapRaw);

    impl Pages {
        /// `None` if the system refuses.
        pub fn new(bytes: usize) -> Option<Self> {
            let memory = MmapMut::map_anon(bytes).ok()?;
            // Huge pages avoid most TLB misses. They are optional.
            #[cfg(all(target_os = "linux", not(miri)))]
            let _ = memory.advise(Advice::HugePage);
            Some(Self(MmapRaw::from(memory)))
        }

        /// The address. It is not derived from a reference, and the memory lives as long as `self`.
        #[inline]
        pub fn as_ptr(&self) -> *const u8 {
            self.0.as_ptr()
        }

        pub fn len(&self) -> usize {
            self.0.len()
        }
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

    // SAFETY: the memory belongs to this value alone, and its users share it only through atomics.
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
        pub fn as_ptr(&self) -> *const u8 {
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
