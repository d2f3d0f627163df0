//! The signals that end a program: SIGINT, SIGTERM and SIGHUP, and Ctrl-C on Windows.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

static RECEIVED: AtomicBool = AtomicBool::new(false);

/// Lets signals set a flag from now on, so that the command can end in order. After a second one `save` keeps what is
/// complete, in another thread, and the program ends at once: the command may wait for a reader of its output.
///
/// # Errors
/// If this was called before, or the system refuses.
pub fn listen(save: impl Fn() + Send + 'static) -> Result<(), String> {
    #[cfg(unix)]
    let ignored = ignored::take();
    let handler = ctrlc::set_handler(move || {
        if RECEIVED.swap(true, Ordering::Relaxed) {
            save();
            process::exit(130);
        }
    });
    #[cfg(unix)]
    ignored::restore(&ignored);
    handler.map_err(|error| format!("signals: {error}"))
}

/// Whether there was a signal.
pub fn received() -> bool {
    RECEIVED.load(Ordering::Relaxed)
}

/// The flag that signals set.
pub fn flag() -> &'static AtomicBool {
    &RECEIVED
}

/// The signals that the program was told to ignore: by `nohup`, and in the background of some shells.
#[cfg(unix)]
mod ignored {
    use nix::sys::signal::{SigHandler, Signal, signal};

    /// Those ignored until now. All others are ignored, too, until they get a handler.
    pub fn take() -> Vec<Signal> {
        let signals = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
        signals.into_iter().filter(|&signal| matches!(ignore(signal), Ok(SigHandler::SigIgn))).collect()
    }

    pub fn restore(signals: &[Signal]) {
        for &signal in signals {
            let _ = ignore(signal);
        }
    }

    fn ignore(number: Signal) -> nix::Result<SigHandler> {
        // SAFETY: ignoring a signal runs no code.
        unsafe { signal(number, SigHandler::SigIgn) }
    }
}
