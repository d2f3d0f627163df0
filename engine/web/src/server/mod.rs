//! The board in the browser: serves the page in `page/` to this machine and connects it with the engine.
//!
//! A web page of another origin must not reach the engine, so the server
//! - listens on the loopback address only,
//! - has a random token in its address, without which it serves nothing,
//! - refuses other names in `Host` (DNS rebinding) and, for the WebSocket, other origins,
//! - limits the number of connections, the size of messages and their rate,
//! - gives a connection little time for its request, and keeps places for those with the token,
//! - passes on only UCI commands that touch no file.
//!
//! Other users of the machine may see the command lines of all programs, so the browser is not told the address but a
//! file that leads to it, which only this user may read.
//!
//! Each page has a WebSocket and an engine process of its own, which ends with it. Messages that begin with a brace are
//! questions to [`store`], [`tables`] or [`crate::json`]; all others are lines of UCI. The program ends some time after
//! the last page is closed.

mod address;
mod data;
mod http;
mod outbox;
mod presence;
mod session;
mod socket;
mod store;
mod tables;

use address::Address;
use data::DataFolder;
use http::{Request, Response};
use presence::Presence;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use store::Store;
use tables::Tables;
use tempfile::TempPath;
use tungstenite::handshake::server::{create_response, write_response};

/// The maximum number of connections whose request has not been read yet.
const MAX_WAITING: usize = 64;

/// The maximum number of connections with the token that get a file.
const MAX_FILES: usize = 64;

/// The maximum number of pages, each with an engine.
const MAX_SESSIONS: usize = 16;

/// How long a client may take to send its whole request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a client may read nothing of an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long the file that leads to the page is kept if no page is opened.
const FILE_TIMEOUT: Duration = Duration::from_secs(60);

/// How to serve the page.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The port, 0 for any free one. If missing, the port of the last start, or a new one.
    pub port: Option<u16>,
    /// The folder of what is kept; if missing, the one that the system has for programs.
    pub data: Option<PathBuf>,
    /// The folder of the endgame tables, if they are to be used. It need not exist.
    pub tables: Option<PathBuf>,
    /// Whether to open the page in the default browser.
    pub open: bool,
    /// Search threads of each page's engine.
    pub threads: u16,
    /// Hash table of each page's engine in MiB.
    pub hash: u32,
}

/// The folder of the endgame tables in a data folder, by default the one that the system has for programs.
///
/// # Errors
/// If the system has no such folder, as a sentence.
pub fn tables_folder(data: Option<PathBuf>) -> Result<PathBuf, String> {
    DataFolder::new(data).map(|folder| folder.path().join("tables"))
}

/// Creates the folder of [`tables_folder`], private to the user, if it is missing.
///
/// # Errors
/// If it cannot be created, or the system has no such folder.
pub fn create_tables_folder(data: Option<PathBuf>) -> Result<PathBuf, String> {
    let folder = tables_folder(data)?;
    data::create_folder(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// What all connections share.
struct Server {
    /// The name and port in the address, as in the header `Host`.
    hosts: [String; 2],
    token: String,
    engine: PathBuf,
    settings: Settings,
    /// The connections whose request has not been read yet, the oldest first.
    waiting: Mutex<VecDeque<Arc<TcpStream>>>,
    /// See [`count`].
    files: Arc<()>,
    sessions: Arc<()>,
    /// A thread that answers the large questions of all pages one at a time. Otherwise the memory for them would add
    /// up, also after the answers, because the allocator keeps some for each thread.
    large_questions: ThreadPool,
    store: Store,
    tables: Tables,
    presence: Mutex<Presence>,
}

/// Serves the page until it has been closed for a minute, or `is_ended`. If the connection broke before the page was
/// closed, it is awaited for an hour.
///
/// # Errors
/// If the given port is not free or the system gives no random numbers.
pub fn run(settings: Settings, is_ended: impl Fn() -> bool) -> Result<(), String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let store = Store::new(DataFolder::new(settings.data.clone()));
    let Address { listener, token, running: _running, has_folder } = Address::claim(store.folder(), settings.port)?;
    let port = listener.local_addr().map_err(|error| failed("the server's address", &error))?.port();
    let server = Arc::new(Server {
        hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        token,
        engine: std::env::current_exe().map_err(|error| failed("the engine's path", &error))?,
        tables: Tables::new(settings.tables.clone()),
        settings,
        waiting: Mutex::default(),
        files: Arc::default(),
        sessions: Arc::default(),
        large_questions: ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| failed("a thread", &error))?,
        store,
        presence: Mutex::default(),
    });
    let address = format!("http://{}/{}/", server.hosts[0], server.token);
    // Go on even if standard output is closed.
    let folder = server.store.folder().ok().filter(|_| has_folder);
    let kept = folder.map(|folder| format!("Games and settings are saved in {}\n", folder.path().display()));
    let kept = kept.unwrap_or_default();
    let text = format!(
        "The board is at {address}\n{kept}It stops a minute after the page is closed, or when you press Ctrl-C.\n"
    );
    let _ = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    let shared = Arc::clone(&server);
    thread::spawn(move || accept(&listener, &shared));
    let begin = Instant::now();
    let mut file = None;
    if server.settings.open {
        match open_page(&address) {
            // Removed when this function returns, too.
            Ok(path) => file = Some(path),
            Err(error) => {
                report(&format!("no browser was started ({error}); open the address yourself"));
            }
        }
    }
    while !server.presence().is_abandoned(Instant::now()) && !is_ended() {
        if server.presence().had_page() || begin.elapsed() > FILE_TIMEOUT {
            file = None;
        }
        thread::sleep(Duration::from_millis(100));
    }
    drop(file);
    Ok(())
}

/// Opens the page in the default browser, by a file that only the user may read. Returns its path.
fn open_page(address: &str) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix("agoge-").suffix(".html").tempfile()?;
    write!(
        file,
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n<title>Agoge</title>\n\
         <a href=\"{address}\">Open the board</a>\n"
    )?;
    // Closed, because Windows lets no other program open it before.
    let path = file.into_temp_path();
    open::that_detached(&path)?;
    Ok(path)
}

/// Tells the user about a problem with which the server goes on.
fn report(problem: &str) {
    let _ = writeln!(io::stderr(), "agoge: {problem}");
}

fn accept(listener: &TcpListener, server: &Arc<Server>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files, for example.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        let waiting = Waiting::new(Arc::new(stream), server);
        let server = Arc::clone(server);
        let started = thread::Builder::new().spawn(move || {
            // An error ends the connection; nobody is left to be told.
            let _ = handle(waiting, &server);
        });
        if started.is_err() {
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Answers one request, or runs the session of a page.
fn handle(waiting: Waiting, server: &Server) -> io::Result<()> {
    let stream = Arc::clone(&waiting.stream);
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    let request = http::read_request(&stream, Instant::now() + REQUEST_TIMEOUT)?;
    drop(waiting);
    let (_guard, handshake) = match request.and_then(|request| open_session(&request, server)) {
        Ok(opened) => opened,
        Err(response) => {
            // Errors are short and need no reader; the token is needed only for files.
            let _guard = match count(&server.files, MAX_FILES) {
                None if response.is_file() => return Response::text(503, "too many connections").send(&stream, server),
                guard => guard,
            };
            return response.send(&stream, server);
        }
    };
    (&*stream).write_all(&handshake)?;
    server.presence().open();
    let said_goodbye = session::run(&stream, server);
    server.presence().end(said_goodbye, Instant::now());
    Ok(())
}

/// Opens a session if that is the request, with the answer that begins it. The error is the answer to any other
/// request.
fn open_session(request: &Request, server: &Server) -> Result<(Arc<()>, Vec<u8>), Response> {
    let refuse = |status, text| Err(Response::text(status, text));
    let host = http::header(request, "host").unwrap_or_default();
    if !server.hosts.iter().any(|name| name == host) {
        return refuse(403, "wrong host");
    }
    let Some(file) = server.path_below_token(request.uri().path()) else {
        return refuse(403, "wrong address: open the one that 'agoge gui' has printed");
    };
    if file != "engine" {
        return Err(http::file(file).unwrap_or_else(|| Response::text(404, "no such file")));
    }
    let mut handshake = Vec::new();
    if create_response(request).and_then(|response| write_response(&mut handshake, &response)).is_err() {
        return refuse(400, "this address is a WebSocket");
    }
    // Browsers always send the origin.
    if http::header(request, "origin") != Some(&format!("http://{host}")) {
        return refuse(403, "wrong origin");
    }
    match count(&server.sessions, MAX_SESSIONS) {
        Some(guard) => Ok((guard, handshake)),
        None => refuse(503, "too many pages are open"),
    }
}

/// The place of a connection in [`Server::waiting`].
struct Waiting {
    stream: Arc<TcpStream>,
    server: Arc<Server>,
}

impl Waiting {
    /// If there are too many, the oldest connection ends: a page sends its request at once, so that slow ones, however
    /// many, do not shut it out.
    fn new(stream: Arc<TcpStream>, server: &Arc<Server>) -> Self {
        let mut waiting = server.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back(Arc::clone(&stream));
        let oldest = if waiting.len() > MAX_WAITING { waiting.pop_front() } else { None };
        if let Some(oldest) = oldest {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        drop(waiting);
        Self { stream, server: Arc::clone(server) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut waiting = self.server.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|stream| !Arc::ptr_eq(stream, &self.stream));
    }
}

impl Server {
    /// The path after the token, if the token is right.
    fn path_below_token<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, file) = path.strip_prefix('/')?.split_once('/')?;
        // Compares all bytes, so that the time does not tell how many are right.
        let differences = token.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        (token.len() == self.token.len() && differences == 0).then_some(file)
    }

    fn presence(&self) -> MutexGuard<'_, Presence> {
        self.presence.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One more of the clones of a counter, which are counted while they exist; `None` if there are already `most`.
fn count(counter: &Arc<()>, most: usize) -> Option<Arc<()>> {
    let guard = Arc::clone(counter);
    (Arc::strong_count(counter) <= 1 + most).then_some(guard)
}
