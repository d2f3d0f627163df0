//! The session of a page: a WebSocket, and an engine process that speaks UCI.

use super::Server;
use crate::json;
use agoge_core::options::{Client, Id};
use agoge_core::uci::{self, Command};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{self, Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

/// The maximum size of a message in bytes; a PGN file is the largest.
const MAX_MESSAGE: usize = 1 << 20;

/// Messages per second that a page may send on average; more are slowed down.
const RATE: f64 = 500.0;

/// Messages that a page may send at once.
const BURST: f64 = 1000.0;

/// The commands that a page may give to the engine. None reads or writes a file.
const COMMANDS: [&str; 7] = ["uci", "isready", "ucinewgame", "position", "go", "stop", "ponderhit"];

/// Runs a session until the page is closed.
pub fn run(stream: &TcpStream, server: &Server) {
    let Ok(half) = Half::new(stream) else { return };
    // The page may be silent for hours.
    if stream.set_read_timeout(None).is_err() {
        return;
    }
    let config = WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE));
    let socket = || WebSocket::from_raw_socket(half.clone(), Role::Server, Some(config));
    let page = Page(Arc::new(Mutex::new(socket())));
    let mut input = socket();
    let mut engine = Engine::start(server, &page);
    let mut limiter = Limiter::new();
    loop {
        match input.read() {
            Ok(Message::Text(text)) => {
                limiter.wait();
                if text.starts_with('{') {
                    page.send(&json::answer(&text));
                } else if text.as_str() == "restart" {
                    drop(engine);
                    engine = Engine::start(server, &page);
                } else if is_allowed(&text) {
                    if let Some(engine) = &mut engine {
                        // If the engine has ended, the page has been told.
                        let _ = engine.send(&text);
                    }
                } else {
                    page.send("info string error: this command is not allowed here");
                }
            }
            Ok(Message::Close(_)) | Err(_) => break,
            Ok(_) => limiter.wait(),
        }
    }
    drop(engine);
    // Lets the close frame or its answer out before the connection ends.
    let _ = input.close(None);
    let _ = input.flush();
    let _ = stream.shutdown(Shutdown::Both);
}

/// Whether the page may give a command to the engine.
fn is_allowed(line: &str) -> bool {
    // A line feed would begin another command.
    if line.chars().any(char::is_control) {
        return false;
    }
    match uci::parse(line) {
        Ok(Command::SetOption { name, .. }) => Id::from_name(&name).is_some_and(|id| id.is_for(Client::Page)),
        _ => line.split(' ').next().is_some_and(|word| COMMANDS.contains(&word)),
    }
}

/// One of several handles to a connection. One may read while others write; each write is complete, so that frames
/// do not mix.
#[derive(Clone)]
struct Half {
    reader: Arc<TcpStream>,
    writer: Arc<Mutex<TcpStream>>,
}

impl Half {
    fn new(stream: &TcpStream) -> io::Result<Self> {
        Ok(Self { reader: Arc::new(stream.try_clone()?), writer: Arc::new(Mutex::new(stream.try_clone()?)) })
    }
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.reader).read(buffer)
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends messages to the page.
#[derive(Clone)]
struct Page(Arc<Mutex<WebSocket<Half>>>);

impl Page {
    /// Sends a message. Returns whether the page is still there.
    fn send(&self, text: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).send(Message::text(text)).is_ok()
    }
}

/// An engine process, which is killed when this is dropped.
struct Engine {
    child: Child,
    input: ChildStdin,
    /// Set before the process is killed, so that the page is not told of its end.
    dismissed: Arc<AtomicBool>,
}

impl Engine {
    /// Starts an engine that writes to the page. If it does not start, the page is told.
    fn start(server: &Server, page: &Page) -> Option<Self> {
        let command = process::Command::new(&server.engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let started = command.ok().and_then(|mut child| {
            let (input, output) = (child.stdin.take()?, child.stdout.take()?);
            Some((Self { child, input, dismissed: Arc::default() }, output))
        });
        let Some((mut engine, output)) = started else {
            page.send("engine ended");
            return None;
        };
        let (page, dismissed) = (page.clone(), Arc::clone(&engine.dismissed));
        thread::spawn(move || pass_on(output, &page, &dismissed));
        let options = format!(
            "setoption name Threads value {}\nsetoption name Hash value {}\nsetoption name UCI_ShowWDL value true",
            server.settings.threads, server.settings.hash
        );
        // An engine that has ended is noticed by its output.
        let _ = engine.send(&options);
        Some(engine)
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.input.write_all(format!("{line}\n").as_bytes())?;
        self.input.flush()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.dismissed.store(true, Ordering::Relaxed);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes the engine's output on to the page, line by line, and tells it when the engine has ended by itself.
fn pass_on(output: ChildStdout, page: &Page, dismissed: &AtomicBool) {
    let mut lines = BufReader::new(output).lines();
    while let Some(Ok(line)) = lines.next() {
        if dismissed.load(Ordering::Relaxed) || !page.send(&line) {
            return;
        }
    }
    if !dismissed.load(Ordering::Relaxed) {
        page.send("engine ended");
    }
}

/// Slows down a page that sends too much ("Token bucket").
struct Limiter {
    allowance: f64,
    last: Instant,
}

impl Limiter {
    fn new() -> Self {
        Self { allowance: BURST, last: Instant::now() }
    }

    /// Takes one message from the allowance, and waits if it is used up.
    fn wait(&mut self) {
        let now = Instant::now();
        self.allowance = (self.allowance + now.duration_since(self.last).as_secs_f64() * RATE).min(BURST) - 1.0;
        self.last = now;
        if self.allowance < 0.0 {
            thread::sleep(Duration::from_secs_f64(-self.allowance / RATE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_commands_are_allowed() {
        for line in ["uci", "go infinite", "position startpos moves e2e4", "stop", "setoption name MultiPV value 3"] {
            assert!(is_allowed(line), "{line}");
        }
        for line in [
            "export_net x",
            "quit",
            "xboard",
            "bench",
            "",
            "go\nexport_net x",
            "setoption name Debug Log File value x",
            "setoption name EvalFile value x",
            "setoption name BookFile value x",
            "setoption name Hash value 1000000",
            "setoption",
            "GO",
        ] {
            assert!(!is_allowed(line), "{line}");
        }
    }
}
