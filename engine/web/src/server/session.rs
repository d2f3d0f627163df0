//! The session of a page: a WebSocket, and an engine process that speaks UCI.

use super::Server;
use super::outbox::Outbox;
use super::socket::{Message, Reader};
use super::store;
use crate::json;
use agoge_core::options::{Client, Id};
use agoge_core::uci::{self, Command};
use std::collections::VecDeque;
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{self, Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Messages are read ahead up to this size together. It is more than a system keeps for a connection, so that the end
/// of a page is noticed while its messages wait.
const MAX_WAITING: usize = 16 << 20;

/// The memory that a waiting message needs besides its text, about.
const OVERHEAD: usize = 64;

/// Questions longer than this are answered one at a time, because their answers may be large.
const LARGE: usize = 64 << 10;

/// Commands, and questions, per second that a page may send on average; more are slowed down.
const RATE: f64 = 500.0;

/// Commands, and questions, that a page may send at once.
const BURST: f64 = 1000.0;

/// The commands that a page may give to the engine. None reads or writes a file.
const COMMANDS: [&str; 7] = ["uci", "isready", "ucinewgame", "position", "go", "stop", "ponderhit"];

/// Runs a session until the page is closed. Returns whether the page has said so; otherwise the connection has broken.
pub fn run(stream: &TcpStream, server: &Server) -> bool {
    // The page may be silent for hours.
    let handles = stream.set_read_timeout(None).and_then(|()| stream.try_clone());
    let Ok(connection) = handles else { return false };
    let page = Arc::new(Page { outbox: Outbox::new(), connection, inbox: Mutex::default(), changed: Condvar::new() });
    thread::scope(|scope| {
        let thread = thread::Builder::new;
        let started = thread()
            .spawn_scoped(scope, || page.write())
            .and_then(|_| thread().spawn_scoped(scope, || execute(&page, server)))
            .and_then(|_| thread().spawn_scoped(scope, || answer(&page, server)))
            .and_then(|_| thread().spawn_scoped(scope, || answer_about_documents(&page, server)));
        let ended = started.and_then(|_| read(&page));
        page.close();
        ended.is_ok()
    })
}

/// Reads messages until the page says that it is closed.
///
/// # Errors
/// If the connection ends otherwise.
fn read(page: &Page) -> io::Result<()> {
    let mut reader = Reader::new(&page.connection, json::MAX_QUESTION);
    loop {
        match reader.read()? {
            Message::Text(text) => page.keep(text),
            Message::TooLong => {
                let error = format!("the message has more than {} MiB", json::MAX_QUESTION >> 20);
                page.outbox.send(json::refuse(&error));
            }
            Message::Binary => {}
            Message::Ping(payload) => {
                page.outbox.send_pong(payload);
            }
            Message::Close(mut payload) => {
                // The status goes back to the page.
                payload.truncate(2);
                page.stop(Some(payload));
                page.outbox.flush();
                return Ok(());
            }
        }
    }
}

/// Executes the commands of the page.
fn execute(page: &Arc<Page>, server: &Server) {
    let mut engine = Engine::start(server, page);
    let mut limiter = Limiter::new();
    while let Some(line) = page.next(|inbox| &mut inbox.commands) {
        limiter.wait();
        if line == "restart" {
            drop(engine);
            engine = Engine::start(server, page);
        } else if is_allowed(&line) {
            if let Some(engine) = &mut engine {
                // Before a search, because it would end one. If the engine has ended, the page has been told.
                let loaded = if line.starts_with("position") { engine.load_tables(server) } else { Ok(()) };
                let _ = loaded.and_then(|()| engine.send(&line));
            }
        } else {
            page.outbox.send("info string error: this command is not allowed here".to_owned());
        }
    }
}

/// Answers the questions about documents. They have a thread of their own, because the disk may be slow, and all are
/// answered, also if the page is closed before: it may just have written something.
fn answer_about_documents(page: &Page, server: &Server) {
    let mut limiter = Limiter::new();
    while let Some(question) = page.next_document() {
        if !page.outbox.is_closed() {
            limiter.wait();
        }
        if let Some(answer) = server.store.answer(&question) {
            page.outbox.send(answer);
        }
    }
}

/// Answers the other questions of the page.
fn answer(page: &Page, server: &Server) {
    let mut limiter = Limiter::new();
    while let Some(question) = page.next(|inbox| &mut inbox.questions) {
        limiter.wait();
        let answer = || page.outbox.send(answer_to(&question, page, server));
        if question.len() > LARGE {
            server.large_questions.install(|| answer() && page.outbox.wait());
        } else {
            answer();
        }
    }
}

/// The answer to a question about the rules or the endgame tables.
fn answer_to(question: &str, page: &Page, server: &Server) -> String {
    let is_wanted = || !page.outbox.is_closed();
    let tables = || server.tables.get();
    server.tables.answer(question).unwrap_or_else(|| json::answer_with(question, &tables, &is_wanted))
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

/// The connection to a page, and the messages that wait.
struct Page {
    outbox: Outbox,
    connection: TcpStream,
    inbox: Mutex<Inbox>,
    /// Notified when the inbox changes and when the page is closed.
    changed: Condvar,
}

#[derive(Default)]
struct Inbox {
    commands: VecDeque<String>,
    questions: VecDeque<String>,
    /// Questions about documents.
    documents: VecDeque<String>,
    /// The size of all waiting messages in bytes.
    size: usize,
}

impl Page {
    /// Sends the messages, and ends the connection after the last one. A page that has not read for too long must notice
    /// that it gets no more answers.
    fn write(&self) {
        let _ = self.outbox.write(&self.connection);
        self.close();
    }

    /// Ends all work for the page; see [`Outbox::end`].
    fn stop(&self, status: Option<Vec<u8>>) {
        {
            // Within the lock, so that no thread misses the notification.
            let _inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            self.outbox.end(status);
        }
        self.changed.notify_all();
    }

    /// Ends the connection and all work for the page.
    fn close(&self) {
        self.stop(None);
        let _ = self.connection.shutdown(Shutdown::Both);
    }

    /// Keeps a message until its turn comes, as soon as there is room.
    fn keep(&self, text: String) {
        let is_question = text.starts_with('{');
        let is_about_documents = is_question && store::is_question(&text);
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |inbox: &mut Inbox| inbox.size > MAX_WAITING && !self.outbox.is_closed();
        let mut inbox = self.changed.wait_while(inbox, is_full).unwrap_or_else(PoisonError::into_inner);
        inbox.size += text.len() + OVERHEAD;
        let queue = match (is_question, is_about_documents) {
            (false, _) => &mut inbox.commands,
            (true, false) => &mut inbox.questions,
            (true, true) => &mut inbox.documents,
        };
        queue.push_back(text);
        drop(inbox);
        self.changed.notify_all();
    }

    /// Waits for the next message of a queue; `None` if the page is closed.
    fn next(&self, queue: fn(&mut Inbox) -> &mut VecDeque<String>) -> Option<String> {
        self.take(queue).filter(|_| !self.outbox.is_closed())
    }

    /// Waits for the next question about documents; `None` if the page is closed and all are answered.
    fn next_document(&self) -> Option<String> {
        self.take(|inbox| &mut inbox.documents)
    }

    /// Waits for the next message of a queue, or for the end of the page.
    fn take(&self, queue: fn(&mut Inbox) -> &mut VecDeque<String>) -> Option<String> {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let is_idle = |inbox: &mut Inbox| queue(inbox).is_empty() && !self.outbox.is_closed();
        let mut inbox = self.changed.wait_while(inbox, is_idle).unwrap_or_else(PoisonError::into_inner);
        let text = queue(&mut inbox).pop_front()?;
        inbox.size -= text.len() + OVERHEAD;
        drop(inbox);
        self.changed.notify_all();
        Some(text)
    }
}

/// An engine process, which is killed when this is dropped.
struct Engine {
    child: Child,
    input: ChildStdin,
    /// Set before the process is killed, so that the page is not told of its end.
    dismissed: Arc<AtomicBool>,
    /// The [version](super::tables::Tables::version) of the endgame tables that it uses.
    tables: Option<SystemTime>,
}

impl Engine {
    /// Starts an engine that writes to the page. If it does not start, the page is told.
    fn start(server: &Server, page: &Arc<Page>) -> Option<Self> {
        let command = process::Command::new(&server.engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let started = command.ok().and_then(|mut child| {
            let (input, output) = (child.stdin.take()?, child.stdout.take()?);
            Some((Self { child, input, dismissed: Arc::default(), tables: None }, output))
        });
        let Some((mut engine, output)) = started else {
            page.outbox.send("engine ended".to_owned());
            return None;
        };
        let (page, dismissed) = (Arc::clone(page), Arc::clone(&engine.dismissed));
        thread::spawn(move || pass_on(output, &page, &dismissed));
        let options = format!(
            "setoption name Threads value {}\nsetoption name Hash value {}\nsetoption name UCI_ShowWDL value true",
            server.settings.threads, server.settings.hash
        );
        // An engine that has ended is noticed by its output.
        let _ = engine.send(&options).and_then(|()| engine.load_tables(server));
        Some(engine)
    }

    /// Lets the engine use the tables that are there now, unless it does.
    fn load_tables(&mut self, server: &Server) -> io::Result<()> {
        let version = server.tables.version();
        let Some(folder) = server.tables.folder().filter(|_| version != self.tables) else { return Ok(()) };
        self.tables = version;
        let path = folder.as_os_str().as_encoded_bytes();
        // The option takes several folders, and is a line. Only the page uses tables in a folder with such a name.
        if path.contains(&b'\n') || env::join_paths([folder]).is_err() {
            return Ok(());
        }
        self.input.write_all(&[b"setoption name TablePath value ", path, b"\n"].concat())?;
        self.input.flush()
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
        if dismissed.load(Ordering::Relaxed) || !page.outbox.send_line(line) {
            return;
        }
    }
    if !dismissed.load(Ordering::Relaxed) {
        page.outbox.send("engine ended".to_owned());
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
    use std::io::Read;
    use std::net::TcpListener;

    #[test]
    fn a_page_that_gets_no_more_answers_loses_its_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (connection, _) = listener.accept().expect("a connection");
        let page = Page { outbox: Outbox::new(), connection, inbox: Mutex::default(), changed: Condvar::new() };
        thread::scope(|scope| {
            scope.spawn(|| page.write());
            scope.spawn(|| page.next_document());
            page.outbox.end(None);
            client.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
            assert_eq!(client.read(&mut [0]).expect("the end"), 0);
        });
    }

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
