//! The board in the browser: serves the page in `page/` to this machine and connects it with the engine.
//!
//! A web page of another origin must not reach the engine, so the server
//! - listens on the loopback address only,
//! - has a random token in its address, without which it serves nothing,
//! - refuses other names in `Host` (DNS rebinding) and, for the WebSocket, other origins,
//! - limits the number of connections, the size of messages and their rate,
//! - passes on only UCI commands that touch no file.
//!
//! Each page has a WebSocket and an engine process of its own, which ends with it. Messages that begin with a brace are
//! questions to [`crate::json`]; all others are lines of UCI. The program ends some time after the last page is closed.

mod http;
mod session;

use http::{Request, Response};
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::handshake::server::{create_response, write_response};

/// The maximum number of connections at a time.
const MAX_CONNECTIONS: usize = 64;

/// The maximum number of pages, each with an engine.
const MAX_SESSIONS: usize = 16;

/// How long a client may take to send a request or to read an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The program ends this long after the last page was closed, so that a page can be reloaded.
const LINGER: Duration = Duration::from_secs(60);

/// How to serve the page.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The port; 0 for a free one.
    pub port: u16,
    /// Whether to open the page in the default browser.
    pub open: bool,
    /// Search threads of each page's engine.
    pub threads: u16,
    /// Hash table of each page's engine in MiB.
    pub hash: u32,
}

/// What all connections share.
struct Server {
    /// The name and port in the address, as in the header `Host`.
    hosts: [String; 2],
    token: String,
    engine: PathBuf,
    settings: Settings,
    /// See [`count`].
    connections: Arc<()>,
    sessions: Arc<()>,
    /// When the last page was closed; `None` before the first one.
    last_closed: Mutex<Option<Instant>>,
}

/// Serves the page until it has been closed for a minute.
///
/// # Errors
/// If the port is not free or the system gives no random numbers.
pub fn run(settings: Settings) -> Result<(), String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))
        .map_err(|error| failed(&format!("port {}", settings.port), &error))?;
    let port = listener.local_addr().map_err(|error| failed("the server's address", &error))?.port();
    let server = Arc::new(Server {
        hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        token: new_token().map_err(|error| failed("no random numbers", &error))?,
        engine: std::env::current_exe().map_err(|error| failed("the engine's path", &error))?,
        settings,
        connections: Arc::default(),
        sessions: Arc::default(),
        last_closed: Mutex::new(None),
    });
    let address = format!("http://{}/{}/", server.hosts[0], server.token);
    // Go on even if standard output is closed.
    let _ =
        writeln!(io::stdout(), "The board is at {address}\nIt ends a minute after the page is closed, or by Ctrl-C.")
            .and_then(|()| io::stdout().flush());
    if settings.open && open::that_detached(&address).is_err() {
        let _ = writeln!(io::stderr(), "agoge: no browser was found; open the address yourself");
    }
    let shared = Arc::clone(&server);
    thread::spawn(move || accept(&listener, &shared));
    while !server.is_abandoned() {
        thread::sleep(Duration::from_millis(500));
    }
    Ok(())
}

/// 128 random bits as hexadecimal digits.
fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn accept(listener: &TcpListener, server: &Arc<Server>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files, for example.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        let Some(guard) = count(&server.connections, MAX_CONNECTIONS) else { continue };
        let server = Arc::clone(server);
        let started = thread::Builder::new().spawn(move || {
            // An error ends the connection; nobody is left to be told.
            let _ = handle(stream, &server);
            drop(guard);
        });
        if started.is_err() {
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Answers one request, or runs the session of a page.
fn handle(mut stream: TcpStream, server: &Server) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    let opened = http::read_request(&mut stream)?.and_then(|request| open_session(&request, server));
    let (_guard, handshake) = match opened {
        Ok(opened) => opened,
        Err(response) => return response.send(&mut stream, server),
    };
    stream.write_all(&handshake)?;
    session::run(&stream, server);
    *server.last_closed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    Ok(())
}

/// Opens a session if that is the request, with the answer that begins it. The error is the answer to any other request.
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

impl Server {
    /// The path after the token, if the token is right.
    fn path_below_token<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, file) = path.strip_prefix('/')?.split_once('/')?;
        // Compares all bytes, so that the time does not tell how many are right.
        let differences = token.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        (token.len() == self.token.len() && differences == 0).then_some(file)
    }

    /// Whether pages were open and all have been closed for some time.
    fn is_abandoned(&self) -> bool {
        let last_closed = *self.last_closed.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::strong_count(&self.sessions) == 1 && last_closed.is_some_and(|time| time.elapsed() > LINGER)
    }
}

/// One more of the clones of a counter, which are counted while they exist; `None` if there are already `most`.
fn count(counter: &Arc<()>, most: usize) -> Option<Arc<()>> {
    let guard = Arc::clone(counter);
    (Arc::strong_count(counter) <= 1 + most).then_some(guard)
}
