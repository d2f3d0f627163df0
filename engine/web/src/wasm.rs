//! The engine as a WebAssembly module without imports other than two functions of its host.
//!
//! Text goes in and out through the module's memory: the host writes a message to [`agoge_buffer`] and calls
//! [`agoge_uci`] for a line of UCI or [`agoge_ask`] for a question about the rules ([`crate::json`]). Both return when
//! everything is done; the host gets the output line by line through its function `print`. [`agoge_add`] adds parts of
//! endgame tables. Without the feature `embedded`, the module has no network and no table of three men:
//! [`agoge_network`] and [`agoge_three_men`] take them, and until then searches and evaluations of Spartan Chess are
//! refused.
//!
//! Files of the host, which options may name, come by [`agoge_file`].
//!
//! A search blocks the worker that calls. Its clock calls the host's function `now`, at least every 512 nodes, and the
//! host may call [`agoge_stop`] from there: the search then ends within a millisecond.
//!
//! Compiled with atomics, the module imports a shared memory, and the host may lend it threads: see [`threads`].

use crate::json;
use agoge_core::board::Variant;
use agoge_core::engine::{self, Engine};
use agoge_core::nnue;
use agoge_core::options::Id;
#[cfg(not(feature = "embedded"))]
use agoge_core::tables::three_men;
use agoge_core::tables::{Remote, Table, Tables};
use agoge_core::uci::{self, Output, Session};
use serde::Deserialize;
use serde_json::Value;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The size of the hash table in MiB.
const HASH: &str = "32";

/// The name of the file with the compact form of the opening theory, for `OwnBook`.
const THEORY: &str = "theory.bin";

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

    #[cfg(target_family = "wasm")]
    pub fn print(line: &str) {
        // SAFETY: the host reads `length` bytes at the address, which are those of the text, and keeps no reference.
        unsafe { imports::print(line.as_ptr(), line.len()) }
    }

    #[cfg(not(target_family = "wasm"))]
    pub fn print(line: &str) {
        super::tests::LINES.with_borrow_mut(|lines| lines.extend(line.lines().map(str::to_owned)));
        if line.starts_with("info depth 5 ") {
            super::agoge_stop();
        }
    }
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    /// Ends the search of the session.
    static STOP: OnceCell<Arc<AtomicBool>> = const { OnceCell::new() };
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The endgame tables for the questions, of which parts are here.
    static TABLES: RefCell<Arc<Tables>> = RefCell::default();
    static FILES: RefCell<HashMap<String, Remote>> = RefCell::default();
    /// The files of the host.
    static WRITTEN: RefCell<HashMap<PathBuf, Vec<u8>>> = RefCell::default();
}

/// The output of the session.
struct Host;

impl Output for Host {
    fn line(&self, text: &str) {
        host::print(text);
    }
}

/// What the host does for the engine.
struct Files;

impl engine::Host for Files {
    fn read_file(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        let file = WRITTEN.with_borrow(|files| files.get(path).cloned());
        file.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file was written"))
    }

    fn theory(&self) -> Option<&'static [u8]> {
        // It is asked for until it is there, once.
        WRITTEN.with_borrow_mut(|files| files.remove(Path::new(THEORY))).map(|bytes| &*bytes.leak())
    }
}

fn new_session() -> Result<Session, String> {
    let mut engine = Engine::on_this_thread().map_err(|error| error.to_string())?;
    engine.host = Box::new(Files);
    engine.set_option(Id::Hash.name(), HASH).map_err(|error| error.to_string())?;
    STOP.with(|stop| stop.set(engine.searcher().stop_flag())).map_err(|_| "a second session")?;
    Ok(Session::new(engine, Variant::default(), Arc::new(Host)))
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
    match uci::parse(&message()) {
        Ok(command) => with_session(|session| session.execute(command)),
        Err(error) => Host.error(&error),
    }
}

/// Takes the message as a file: its name, a line feed, and its bytes. An option such as `EvalFile` may name it.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_file() {
    BUFFER.with_borrow(|buffer| {
        let end = buffer.iter().position(|&byte| byte == b'\n').unwrap_or(buffer.len());
        let name = String::from_utf8_lossy(&buffer[..end]).into_owned();
        let bytes = buffer.get(end + 1..).unwrap_or_default().to_vec();
        WRITTEN.with_borrow_mut(|files| files.insert(name.into(), bytes));
    });
}

/// Gives a limited engine other evaluation errors, so that its games differ.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_seed(seed: u32) {
    with_session(|session| session.engine.searcher().set_seed(seed.into()));
}

fn with_session(action: impl FnOnce(&mut Session)) {
    // Taken out, so that the host may call `agoge_stop` during a search.
    match SESSION.take().map_or_else(new_session, Ok) {
        Ok(mut session) => {
            action(&mut session);
            SESSION.set(Some(session));
        }
        Err(error) => Host.error(&error),
    }
}

/// Answers the message as a question about the rules.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_ask() {
    let tables = || TABLES.with_borrow(Arc::clone);
    host::print(&json::answer_with(&message(), &tables, &|| true));
}

/// A part of a table file, whose bytes follow after a line feed.
#[derive(Deserialize)]
struct Part {
    id: Value,
    class: String,
    /// That of the whole file.
    length: u64,
    offset: u64,
}

/// Adds the part of a table in the message. The answer are the ranges that are needed to open the table.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_add() {
    let wanted = BUFFER.with_borrow(|buffer| {
        let end = buffer.iter().position(|&byte| byte == b'\n')?;
        let part: Part = serde_json::from_slice(&buffer[..end]).ok()?;
        Some((add(&part, &buffer[end + 1..]), part.id))
    });
    if let Some((wanted, id)) = wanted {
        host::print(&json::ok(&id, wanted).unwrap_or_else(|error| json::failed(&id, &error)));
    }
}

fn add(part: &Part, bytes: &[u8]) -> Vec<(u64, u64)> {
    let remote = FILES
        .with_borrow_mut(|files| files.entry(part.class.clone()).or_insert_with(|| Remote::new(part.length)).clone());
    remote.add(part.offset, bytes);
    TABLES.with_borrow_mut(|tables| {
        let is_open = part.class.parse().is_ok_and(|class| tables.get(&class).is_some());
        // No question is being answered, so nobody else has them.
        if let Some(tables) = Arc::get_mut(tables).filter(|_| !is_open)
            && let Ok(table) = Table::from_remote(&remote, &part.class)
        {
            tables.add(table);
        }
    });
    remote.take_wanted().into_iter().map(|range| (range.start, range.end)).collect()
}

/// Takes the message as the compact form of the opening theory. If it is damaged, the answer is 0, and questions about
/// theory are refused.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_theory() -> u32 {
    BUFFER.with_borrow(|buffer| crate::explorer::load_theory(buffer)).is_ok().into()
}

/// Threads of the host. Each is another worker with an instance of the module on the same memory, which has its own
/// stack and its own thread-local storage. Before anything else, the host calls [`agoge_new_thread`] in the first
/// worker and, in the new one, sets the global `__stack_pointer` to the address and calls `__wasm_init_tls` with it.
/// There, [`agoge_thread`] then waits for searches: up to as many as there are such workers, besides the first one,
/// take part if the option `Threads` says so.
#[cfg(target_feature = "atomics")]
pub mod threads {
    use agoge_core::search::{STACK_SIZE, lend_thread};
    use std::mem::ManuallyDrop;

    /// Aligned as well as any stack and any thread-local variable.
    #[repr(align(4096))]
    struct Block {
        _bytes: [u8; 4096],
    }

    /// Allocates the memory of a thread with `storage` bytes of thread-local storage, for good. Returns where its
    /// stack, which grows downwards, begins and after that the storage; null if there is not enough memory.
    #[unsafe(no_mangle)]
    pub extern "C" fn agoge_new_thread(storage: usize) -> *mut u8 {
        let stack = STACK_SIZE.div_ceil(size_of::<Block>());
        let count = stack + storage.div_ceil(size_of::<Block>());
        // The thread runs as long as the program.
        let mut memory = ManuallyDrop::new(Vec::<Block>::new());
        match memory.try_reserve_exact(count) {
            Ok(()) => memory.as_mut_ptr().wrapping_add(stack).cast(),
            Err(_) => std::ptr::null_mut(),
        }
    }

    /// Prints `ready`, searches whenever there is something to search, and never returns.
    #[unsafe(no_mangle)]
    pub extern "C" fn agoge_thread() {
        lend_thread(|| super::host::print("ready"))
    }
}

/// Takes the message as the network file to evaluate with. If it is not one, the old network stays, an error is
/// printed, and the answer is 0.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_network() -> u32 {
    let network = match BUFFER.with_borrow(|buffer| nnue::provide(buffer)) {
        Ok(network) => network,
        Err(error) => {
            Host.error(&format!("the network cannot be used: {error}"));
            return 0;
        }
    };
    // Its room is as large as the network.
    BUFFER.take();
    // A later session begins with it.
    SESSION.with_borrow_mut(|session| {
        if let Some(session) = session {
            session.engine.set_network(Some(network));
        }
    });
    1
}

/// Takes the message as the table of three men. If it is not that, the answer is 0.
#[cfg(not(feature = "embedded"))]
#[unsafe(no_mangle)]
pub extern "C" fn agoge_three_men() -> u32 {
    three_men::provide(&BUFFER.take()).is_ok().into()
}

/// Ends the running search soon. To be called from the host's functions during a search.
#[unsafe(no_mangle)]
pub extern "C" fn agoge_stop() {
    STOP.with(|stop| stop.get().map(|stop| stop.store(true, Ordering::Relaxed)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::nnue::Network;

    thread_local! {
        /// What was printed.
        pub static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    /// Writes a message as the host does.
    fn write(message: &[u8]) {
        let address = agoge_buffer(message.len());
        // SAFETY: there is room for the message, and nothing else uses the buffer now.
        unsafe { address.copy_from_nonoverlapping(message.as_ptr(), message.len()) };
    }

    /// Writes a message, calls a function and returns the lines that it printed.
    fn send(message: &str, function: extern "C" fn()) -> Vec<String> {
        write(message.as_bytes());
        function();
        LINES.take()
    }

    #[test]
    fn the_host_asks_searches_and_stops() {
        let lines = send("uci", agoge_uci);
        assert!(
            lines[0].starts_with("id name Agoge ") && lines.last().is_some_and(|line| line == "uciok"),
            "{lines:?}"
        );
        agoge_seed(7);
        send("position startpos moves e2e4", agoge_uci);
        let lines = send("go infinite", agoge_uci);
        assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:?}");
        assert!(!lines.iter().any(|line| line.starts_with("info depth 7 ")), "{lines:?}");
        assert!(send("xyzzy", agoge_uci)[0].starts_with("info string error: unknown command"));
        assert!(send("{}", agoge_ask)[0].starts_with('{'));
    }

    #[test]
    fn the_host_passes_a_network_on() {
        let eval = || send("eval", agoge_uci).concat();
        let before = eval();
        let mut network = Network::zeroed();
        network.set_name("nothing").expect("a name");
        let mut bytes = network.to_bytes();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        write(&bytes);
        assert_eq!(agoge_network(), 0);
        assert!(LINES.take()[0].contains("the network cannot be used: wrong checksum"));
        assert_eq!(eval(), before);
        bytes[last] ^= 1;
        write(&bytes);
        assert_eq!(agoge_network(), 1);
        assert!(eval().contains("The network nothing: "), "{}", eval());
    }

    #[test]
    fn options_name_files_of_the_host() {
        let nosuch = send("setoption name BookFile value /book.epd", agoge_uci);
        assert!(nosuch[0].contains("cannot be used: no such file"), "{nosuch:?}");
        send("/book.epd\nlgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -; a2a4 1\n", agoge_file);
        let lines = send("setoption name BookFile value /book.epd", agoge_uci);
        assert_eq!(lines, ["info string the book has 1 position"]);
        send("setoption name OwnBook value true", agoge_uci);
        assert_eq!(send("go nodes 100", agoge_uci).last().map(String::as_str), Some("bestmove a2a4"));
        send("/net.nnue\nsomething else", agoge_file);
        let lines = send("setoption name EvalFile value /net.nnue", agoge_uci);
        assert!(lines[0].contains("the network '/net.nnue' cannot be used: not a network file"), "{lines:?}");
    }
}
