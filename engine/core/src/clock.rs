//! The clock: that of the system or, in WebAssembly without a system, a function of the host.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::ops::Sub;
    use std::time::Duration;

    #[link(wasm_import_module = "agoge")]
    unsafe extern "C" {
        /// Milliseconds since some moment; never less than before.
        safe fn now() -> f64;
    }

    /// A moment, as [`std::time::Instant`].
    #[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
    pub struct Instant(f64);

    impl Instant {
        /// The present moment.
        pub fn now() -> Self {
            Self(now())
        }

        /// The time since this moment.
        pub fn elapsed(&self) -> Duration {
            Self::now() - *self
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Self) -> Duration {
            Duration::from_secs_f64((self.0 - earlier.0).max(0.0) / 1000.0)
        }
    }
}
