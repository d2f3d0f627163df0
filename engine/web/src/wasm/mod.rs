//! The engine as a WebAssembly module without imports other than three functions of its host.
//!
//! Text goes in and out through the module's memory: the host writes a message to [`agoge_buffer`] and calls
//! [`agoge_uci`] for a line of UCI or [`agoge_ask`] for a question about the rules ([`crate::json`]). Both return when
//! everything is done; the host gets the output line by line through its function `print`.
//!
//! There is one thread, so that a search blocks its worker. Its clock calls the host's function `now`, at least every
//! 512 nodes, and the host may call [`agoge_stop`] from there: the search then ends within a millisecond.

mod session;

use session::Session;
use std::cell::RefCell;

/// The functions of the host.
mod host {
    #[cfg(target_family = "wasm")]
    mod imports {
        #[link(wasm_import_module = "agoge")]
        unsafe extern "C" {
            /// Passes on a text of UTF-8 in the module's memory.
            pub fn print(text: *const u8, length: usize);
        }
    }

    /// Passes a line on to the host.
    #[cfg(target_family = "wasm")]
    pub fn print(line: &str) {
        // SAFETY: the host reads `length` bytes at the address, which are those of the text, and keeps no reference.
        unsafe { imports::print(line.as_ptr(), line.len()) }
    }

    /// Prints a line, in tests on other machines.
    #[cfg(not(target_family = "wasm"))]
    pub fn print(line: &str) {
        println!("{line}");
    }
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a message and returns its address. The host writes the message there before its next call.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_buffer(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// The message of the host.
fn message() -> String {
    BUFFER.with_borrow(|buffer| String::from_utf8_lossy(buffer).into_owned())
}

/// Executes the message as a line of UCI.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_uci() {
    let line = message();
    with_session(|session| session.execute(&line));
}

/// Gives a limited engine other evaluation errors, so that its games differ.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_seed(seed: u32) {
    with_session(|session| session.set_seed(seed.into()));
}

fn with_session(action: impl FnOnce(&mut Session)) {
    // Taken out, so that `agoge_stop` finds no borrowed cell during a search.
    match SESSION.take().map_or_else(|| Session::new(host::print), Ok) {
        Ok(mut session) => {
            action(&mut session);
            SESSION.set(Some(session));
        }
        Err(error) => host::print(&format!("info string error: {error}")),
    }
}

/// Answers the message as a question about the rules.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_ask() {
    host::print(&crate::json::answer(&message()));
}

/// Ends the running search soon. To be called from the host's functions during a search.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_stop() {
    session::stop();
}

/// Searches the positions of `agoge bench` to a depth and prints the nodes and the time, to compare builds.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_bench(depth: u32) {
    match session::bench(depth) {
        Ok(text) => host::print(&text),
        Err(error) => host::print(&format!("info string error: {error}")),
    }
}
