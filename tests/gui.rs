//! `agoge gui` with the real binary: the page, the protection against other origins, and the engine behind it.

use crate::common::cases;
use crate::common::client::{BINARY, TIMEOUT, run};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};

/// A running server.
pub struct Server {
    pub process: Child,
    pub port: u16,
    pub token: String,
    /// What it keeps, if no other test uses it.
    data: Option<TempDir>,
}

impl Server {
    /// Starts a server at a free port, with a data folder of its own.
    fn start(arguments: &[&str]) -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(BINARY);
        command.args(["gui", "--no-open", "--port=0", "--data"]).arg(data.path()).args(arguments);
        let mut server = Self::run(&mut command);
        server.data = Some(data);
        server
    }

    pub fn run(command: &mut Command) -> Self {
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        output.read_line(&mut line).expect("a line");
        let address = line.split("http://127.0.0.1:").nth(1).unwrap_or_else(|| panic!("no address: {line}"));
        let (port, rest) = address.trim_end().split_once('/').expect("a path");
        let (port, token) = (port.parse().expect("a port"), rest.trim_end_matches('/').to_owned());
        Self { process, port, token, data: None }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
        stream
    }

    /// Sends a request and returns the whole response; empty if the server ends the connection.
    fn request(&self, text: &str) -> String {
        let mut stream = self.connect();
        let _ = stream.write_all(text.as_bytes());
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }

    pub fn get(&self, path: &str) -> String {
        self.request(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port))
    }

    /// Opens a WebSocket with the given headers instead of the right ones. Returns the status if the server refuses.
    fn try_page(&self, headers: &[(&'static str, &str)]) -> Result<Page, u16> {
        let mut request =
            format!("ws://127.0.0.1:{}/{}/engine", self.port, self.token).into_client_request().expect("an address");
        let right = [("origin", format!("http://127.0.0.1:{}", self.port))];
        for (name, value) in right.iter().map(|(name, value)| (*name, value.as_str())).chain(headers.iter().copied()) {
            if value.is_empty() {
                request.headers_mut().remove(name);
            } else {
                request.headers_mut().insert(name, HeaderValue::from_str(value).expect("a value"));
            }
        }
        match tungstenite::client(request, Connection(self.connect())) {
            Ok((socket, _)) => Ok(Page(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub fn page(&self) -> Page {
        self.try_page(&[]).unwrap_or_else(|status| panic!("refused with {status}"))
    }

    /// The engine processes.
    #[cfg(target_os = "linux")]
    fn engines(&self) -> Vec<u32> {
        let children = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).ok();
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.process.id())).expect("a process");
        let text: String = tasks.filter_map(|task| children(task.ok()?)).collect();
        text.split_ascii_whitespace().map(|id| id.parse().expect("a number")).collect()
    }

    /// The time that the server has used, without its engines, in ticks of the system.
    #[cfg(target_os = "linux")]
    fn processor_time(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).expect("a process");
        let fields = text.rsplit(')').next().expect("a name").split_ascii_whitespace().skip(11).take(2);
        fields.map(|field| field.parse::<u64>().expect("a number")).sum()
    }

    /// The most memory that the server has used, without its engines, in KiB.
    #[cfg(target_os = "linux")]
    fn peak_memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("a process");
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    #[cfg(target_os = "linux")]
    fn wait_for_engines(&self, count: usize) {
        let end = Instant::now() + TIMEOUT;
        while self.engines().len() != count {
            assert!(Instant::now() < end, "{:?} engines, not {count}", self.engines());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection with a timeout. Linux interrupts its reads when a suspended process goes on, and `tungstenite` takes
/// that for an error.
pub struct Connection(pub TcpStream);

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The WebSocket of a page.
pub struct Page(pub WebSocket<Connection>);

impl Page {
    pub fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).expect("the server reads");
    }

    /// Waits longer for the answers to questions that take minutes on a busy machine.
    pub fn be_patient(&self) {
        self.0.get_ref().0.set_read_timeout(Some(10 * TIMEOUT)).expect("a timeout");
    }

    pub fn receive(&mut self) -> String {
        match self.0.read() {
            Ok(Message::Text(text)) => text.to_string(),
            other => panic!("{other:?}"),
        }
    }

    pub fn until(&mut self, begin: &str) -> String {
        loop {
            let line = self.receive();
            if line.starts_with(begin) {
                return line;
            }
        }
    }

    pub fn ask(&mut self, question: &Value) -> Value {
        self.send(&question.to_string());
        serde_json::from_str(&self.until("{")).expect("JSON")
    }
}

pub fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn the_page_is_served_with_its_protection() {
    let server = Server::start(&[]);
    let root = format!("/{}/", server.token);
    let index = server.get(&root);
    assert_eq!(status(&index), "200", "{index}");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';",
        "frame-ancestors 'none'",
        "cross-origin-resource-policy: same-origin",
        "referrer-policy: no-referrer",
        "x-content-type-options: nosniff",
        "content-type: text/html",
    ] {
        assert!(index.to_ascii_lowercase().contains(header), "{header} is not in {index}");
    }
    // Everything that the page names is there, and nothing comes from elsewhere.
    let names = index
        .split(['"', '\''])
        .filter(|name| name.ends_with(".css") || name.ends_with(".js") || name.ends_with(".svg"));
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 3, "{names:?}");
    for name in names.into_iter().chain(["js/board.js", "lang/de.json", "fonts/OFL.txt", "positions/mates.epd"]) {
        assert!(!name.contains("//"), "{name}");
        assert_eq!(status(&server.get(&format!("{root}{name}"))), "200", "{name}");
    }
    assert!(server.get(&format!("{root}js/main.js")).contains("Content-Type: text/javascript"));
    assert_eq!(status(&server.get(&format!("{root}../main.rs"))), "404");
    assert_eq!(status(&server.get(&format!("{root}nothing"))), "404");
    // The engine's address is no page.
    assert_eq!(status(&server.get(&format!("{root}engine"))), "400");
}

#[test]
fn wrong_tokens_hosts_and_methods_are_refused() {
    let server = Server::start(&[]);
    let token = &server.token;
    assert_eq!(token.len(), 32);
    let wrong = format!("{}0", &token[..31]);
    let wrong = if wrong == *token { format!("{}1", &token[..31]) } else { wrong };
    for path in ["/", "", "/index.html", "//", &format!("/{wrong}/"), &format!("/{token}0/"), &format!("/{token}")] {
        let response = server.get(path);
        assert!(["403", "400"].contains(&status(&response)), "{path}: {response}");
        assert!(!response.contains(token.as_str()), "{response}");
    }
    let port = server.port;
    let other = port ^ 1;
    for host in ["evil.example".to_owned(), format!("evil.example:{port}"), format!("127.0.0.1:{other}"), String::new()]
    {
        let response = server.request(&format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(status(&response), "403", "{host}: {response}");
    }
    assert_eq!(status(&server.request(&format!("GET /{token}/ HTTP/1.1\r\n\r\n"))), "403");
    let localhost = format!("GET /{token}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    assert_eq!(status(&server.request(&localhost)), "200");
    assert_eq!(status(&server.request(&localhost.replace("GET", "POST"))), "405");
    for nonsense in ["x\r\n\r\n", "\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"] {
        assert_eq!(status(&server.request(nonsense)), "400", "{nonsense:?}");
    }
    // A head without end is refused at once when it is too long.
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1 << 20));
    assert!(["400", "none"].contains(&status(&server.request(&endless))));
    assert_eq!(status(&server.request(&localhost)), "200");
    // Two servers have different tokens.
    assert_ne!(Server::start(&[]).token, *token);
}

#[test]
fn web_sockets_of_other_origins_are_refused() {
    let server = Server::start(&[]);
    let port = server.port;
    let other = format!("http://127.0.0.1:{}", port ^ 1);
    let rebound = format!("evil.example:{port}");
    for headers in [
        &[("origin", "http://evil.example")][..],
        &[("origin", other.as_str())],
        &[("origin", "null")],
        &[("origin", "")],
        &[("host", rebound.as_str())],
        &[("host", rebound.as_str()), ("origin", &format!("http://{rebound}"))],
    ] {
        assert_eq!(server.try_page(headers).err(), Some(403), "{headers:?}");
    }
    server.page().send("isready");
}

#[test]
fn the_page_speaks_uci_and_asks_about_the_rules() {
    let server = Server::start(&["--threads", "2", "--hash=8"]);
    let mut page = server.page();
    page.send("uci");
    page.until("uciok");
    page.send("position startpos moves g2g4 g8f6 f2f3");
    page.send("go depth 6");
    assert_eq!(page.until("bestmove"), "bestmove f6h4");
    let answer = page.ask(&json!({"id": 7, "ask": "move", "line": {"moves": ["e2e4"]}, "text": "Hbd5"}));
    assert_eq!(answer, json!({"id": 7, "ok": {"move": "b7d5", "san": "Hbd5"}}));
    // Questions are answered during a search.
    page.send("go infinite");
    let answer = page.ask(&json!({"ask": "position", "line": {}}));
    assert_eq!(answer["ok"]["legal"].as_array().map(Vec::len), Some(20));
    page.send("stop");
    page.until("bestmove");
}

#[test]
fn a_page_reaches_no_file() {
    let server = Server::start(&[]);
    let mut page = server.page();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    let name = file.display();
    for line in [
        format!("export_net {name}"),
        format!("setoption name Debug Log File value {name}"),
        format!("isready\nexport_net {name}"),
        format!("setoption name EvalFile value {name}"),
        "bench".into(),
        "quit".into(),
    ] {
        page.send(&line);
        assert_eq!(page.until("info string error"), "info string error: this command is not allowed here", "{line}");
    }
    page.send("isready");
    page.until("readyok");
    assert!(!file.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn closing_the_page_ends_its_engine() {
    let server = Server::start(&[]);
    let (mut first, mut second) = (server.page(), server.page());
    server.wait_for_engines(2);
    for page in [&mut first, &mut second] {
        page.send("go infinite");
        page.until("info depth");
    }
    // With and without a closing handshake.
    first.0.close(None).expect("closed");
    let _ = first.0.flush();
    server.wait_for_engines(1);
    drop(second);
    server.wait_for_engines(0);
    server.page().send("isready");
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_engine_is_reported_and_started_anew() {
    use crate::common::client::send_signal;
    use nix::sys::signal::Signal;
    let server = Server::start(&[]);
    let mut page = server.page();
    page.send("go infinite");
    page.until("info depth");
    send_signal(server.engines()[0], Signal::SIGKILL);
    page.until("engine ended");
    // Commands to no engine do no harm.
    page.send("stop");
    page.send("restart");
    page.send("go depth 3");
    page.until("bestmove");
    // The page is not told of the end of an engine that it has replaced.
    page.send("restart");
    page.send("isready");
    while page.receive() != "readyok" {}
    server.wait_for_engines(1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_suspended_server_goes_on() {
    use crate::common::client::send_signal;
    use nix::sys::signal::Signal;
    let server = Server::start(&[]);
    let mut page = server.page();
    let mut stream = server.connect();
    stream.write_all(format!("GET /{}/ HTTP/1.1\r\n", server.token).as_bytes()).expect("the server reads");
    // The times let the server begin to read, and stop; the test cannot fail if they are too short.
    for signal in [Signal::SIGSTOP, Signal::SIGCONT] {
        std::thread::sleep(Duration::from_millis(100));
        send_signal(server.process.id(), signal);
    }
    let rest = format!("Host: 127.0.0.1:{}\r\n\r\n", server.port);
    stream.write_all(rest.as_bytes()).expect("the server still reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    assert_eq!(status(&response), "200", "{response}");
    page.send("isready");
    while page.receive() != "readyok" {}
}

#[test]
fn messages_that_are_too_long_are_answered() {
    let server = Server::start(&[]);
    let mut page = server.page();
    let limits = page.ask(&json!({"id": 1, "ask": "limits"}))["ok"].clone();
    let (question, text) = (limits["question"].as_u64().expect("a size"), limits["text"].as_u64().expect("a size"));
    assert!(text >= 1 << 20 && question > text, "{limits}");
    assert!(limits["document"] == 2 << 20 && limits["documents"] == 10_000, "{limits}");
    assert_eq!(limits["ratings"], json!(agoge_core::strength::RATINGS));
    let long = question as usize + 1;
    for message in [
        Message::text("x".repeat(long)),
        Message::text(format!("{{{}", "x".repeat(long))),
        Message::binary(vec![0; 3 * long]),
        Message::text(format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(long / 20))),
    ] {
        page.0.send(message).expect("the server reads");
        let answer: Value = serde_json::from_str(&page.until("{")).expect("JSON");
        assert_eq!(answer, json!({"id": null, "error": "the message has more than 8 MiB"}));
    }
    let answer = page.ask(&json!({"id": 2, "ask": "read-pgn", "text": "x".repeat(text as usize + 1)}));
    assert_eq!(answer, json!({"id": 2, "error": "the text has more than 2 MiB"}));
    // The session goes on.
    page.send("isready");
    page.until("readyok");
    let comment = format!("{{{}}} 1. e4 *", "x".repeat(text as usize - 100));
    assert_eq!(page.ask(&json!({"ask": "read-pgn", "text": comment}))["ok"][0]["nodes"][0]["move"], "e2e4");
}

/// Two knights that go to and fro, as moves of PGN without numbers.
fn to_and_fro(plies: usize) -> String {
    ["Nf3", "Wf6", "Ng1", "Wg8"].into_iter().cycle().take(plies).collect::<Vec<_>>().join(" ")
}

#[test]
fn long_files_and_analyses_are_read_and_written() {
    let server = Server::start(&[]);
    let mut page = server.page();
    // A megabyte of games.
    let game = format!("[Event \"A cup\"]\n[Variant \"Spartan\"]\n\n{} 1/2-1/2\n\n", to_and_fro(150));
    let count = (1 << 20) / game.len() + 1;
    let games = page.ask(&json!({"ask": "read-pgn", "text": game.repeat(count)}))["ok"].clone();
    assert_eq!(games.as_array().map(Vec::len), Some(count));
    // A megabyte of variations in one game, a thousand of them, and a long one.
    for (variations, plies) in [(1000, 252), (1, 40_000)] {
        let variation = format!("({})", to_and_fro(plies));
        let text = format!("[Variant \"Spartan\"]\n\n1. e4 {} Hbd5 *", variation.repeat(variations));
        let game = page.ask(&json!({"ask": "read-pgn", "text": text}))["ok"][0].clone();
        let node = &game["nodes"][0];
        let last = &node["variations"][variations - 1][plies - 1];
        assert_eq!((&last["move"], node["variations"].as_array().map(Vec::len)), (&json!("f6g8"), Some(variations)));
        // The page does not send what is ignored.
        let mut nodes = game["nodes"].clone();
        strip(&mut nodes);
        let write = json!({"ask": "write-pgn", "line": {}, "tags": [], "nodes": nodes, "result": "*"});
        let text = page.ask(&write)["ok"].clone();
        let again = page.ask(&json!({"ask": "read-pgn", "text": text}))["ok"][0].clone();
        assert!(again["nodes"] == game["nodes"], "{variations} variations of {plies} plies");
    }
    // A game of more than 4096 plies has positions.
    let moves: Vec<&str> = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(10_001).collect();
    let position = page.ask(&json!({"ask": "position", "line": {"moves": moves}}))["ok"].clone();
    assert_eq!(position["turn"], "black");
}

/// Removes from nodes what can be computed.
fn strip(nodes: &mut Value) {
    for node in nodes.as_array_mut().expect("nodes") {
        let fields = node.as_object_mut().expect("a node");
        fields.remove("san");
        fields.remove("fen");
        fields.get_mut("variations").and_then(Value::as_array_mut).into_iter().flatten().for_each(strip);
    }
}

/// A question that takes long, and much memory.
#[cfg(target_os = "linux")]
fn large_question() -> String {
    let text = format!("[Variant \"Spartan\"]\n\n1. e4 {} *", format!("({})", to_and_fro(250)).repeat(1000));
    json!({"ask": "read-pgn", "text": text}).to_string()
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_page_costs_nothing_more() {
    let server = Server::start(&[]);
    let question = large_question();
    let used = || server.processor_time();
    let mut page = server.page();
    page.ask(&serde_json::from_str(&question).expect("JSON"));
    let one = used();
    for how in ["closed", "dropped"] {
        let before = used();
        let mut page = server.page();
        for _ in 0..8 {
            page.send(&question);
        }
        if how == "closed" {
            page.0.close(None).expect("closed");
            let _ = page.0.flush();
        }
        drop(page);
        server.wait_for_engines(1);
        let mut last = used();
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = used();
            if now == last {
                break;
            }
            last = now;
        }
        // The first answer may be half ready when the eighth question has come.
        assert!(last - before < 3 * one, "{how}: {} ticks; one question takes {one}", last - before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn large_questions_of_all_pages_have_bounded_memory() {
    let server = Server::start(&[]);
    let question = large_question();
    let mut first = server.page();
    first.ask(&serde_json::from_str(&question).expect("JSON"));
    let one = server.peak_memory();
    let mut pages: Vec<Page> = (0..cases(14, 6)).map(|_| server.page()).collect();
    for page in &mut pages {
        // Each waits for all before it.
        page.be_patient();
        page.send(&question);
    }
    std::thread::scope(|scope| {
        for page in &mut pages {
            scope.spawn(|| assert!(page.until("{").starts_with("{\"id\":null,\"ok\":[")));
        }
    });
    let all = server.peak_memory();
    assert!(all < 2 * one + (64 << 10), "{one} KiB for one, {all} KiB for all");
}

#[test]
fn floods_are_slowed_down() {
    let server = Server::start(&[]);
    let mut page = server.page();
    let start = Instant::now();
    let count = cases(10_000, 2000) as u32;
    let reader = page.0.get_ref().0.try_clone().expect("a second handle");
    let mut answers = WebSocket::from_raw_socket(Connection(reader), tungstenite::protocol::Role::Client, None);
    let reading = std::thread::spawn(move || {
        for id in 0..count {
            let answer = loop {
                match answers.read().expect("an answer") {
                    Message::Text(text) if text.starts_with('{') => break text,
                    _ => {}
                }
            };
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(answer["id"], id);
        }
    });
    for id in 0..count {
        page.send(&json!({"id": id, "ask": "san", "line": {}, "more": []}).to_string());
    }
    reading.join().expect("all answers in order");
    // A thousand at once, then five hundred a second.
    assert!(start.elapsed() > Duration::from_millis(2 * (u64::from(count) - 1000) - 100), "{:?}", start.elapsed());
    // Another page is not slowed down.
    server.page().send("isready");
}

#[test]
fn slow_connections_do_not_shut_out_pages() {
    let server = Server::start(&[]);
    let path = format!("/{}/", server.token);
    // Silent ones, and some that have begun a request, more than the server keeps.
    let mut slow = Vec::new();
    for index in 0..200 {
        let mut stream = server.connect();
        if index % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\n").expect("the server reads");
        }
        slow.push(stream);
        if index % 20 == 0 {
            assert_eq!(status(&server.get(&path)), "200", "after {index}");
        }
    }
    let mut page = server.page();
    page.send("isready");
    while page.receive() != "readyok" {}
    // The request has a deadline as a whole.
    let mut stream = server.connect();
    let begin = Instant::now();
    let mut is_open = true;
    while is_open {
        assert!(begin.elapsed() < TIMEOUT, "the connection is still open");
        stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
        is_open = stream.write_all(b"x").is_ok() && matches!(stream.read(&mut [0]), Err(error) if is_timeout(&error));
    }
    page.send("isready");
    while page.receive() != "readyok" {}
}

fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    [Interrupted, TimedOut, WouldBlock].contains(&error.kind())
}

#[test]
fn many_pages_are_refused() {
    let server = Server::start(&[]);
    let end = Instant::now() + TIMEOUT;
    // Pages have engines, so that only some are allowed.
    let mut pages = Vec::new();
    let refused = loop {
        match server.try_page(&[]) {
            Ok(page) => pages.push(page),
            Err(status) => break status,
        }
    };
    assert_eq!((refused, pages.len()), (503, 16));
    pages.pop();
    while server.try_page(&[]).is_err() {
        assert!(Instant::now() < end, "no page is accepted after one was closed");
    }
}

/// A program in the place of the browser's launcher writes down its arguments, the rights of the file that they name
/// and its text.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_told_a_private_file() {
    use crate::common::client::send_signal;
    use nix::sys::signal::Signal;
    use std::os::unix::fs::PermissionsExt as _;
    for end in ["page", "SIGINT", "SIGTERM", "SIGHUP"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let (launcher, note) = (path("xdg-open"), path("note"));
        let script = format!(
            "#!/bin/sh\n{{ echo \"$@\"; stat -c %a \"$1\"; cat \"$1\"; }} >{0}.new\nmv {0}.new {0}\n",
            note.display()
        );
        std::fs::write(&launcher, script).expect("a script");
        std::fs::set_permissions(&launcher, std::fs::Permissions::from_mode(0o755)).expect("rights");
        std::fs::create_dir(path("tmp")).expect("a folder");
        let search = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(BINARY);
        command.args(["gui", "--port=0", "--data"]).arg(path("data")).env("PATH", search).env("TMPDIR", path("tmp"));
        let server = Server::run(&mut command);
        let deadline = Instant::now() + TIMEOUT;
        while !note.exists() {
            assert!(Instant::now() < deadline, "the launcher was not run");
            std::thread::sleep(Duration::from_millis(5));
        }
        let text = std::fs::read_to_string(&note).expect("a note");
        let (arguments, rest) = text.split_once('\n').expect("lines");
        assert!(!arguments.contains(&server.token) && arguments.ends_with(".html"), "{arguments}");
        let address = format!("http://127.0.0.1:{}/{}/", server.port, server.token);
        assert!(rest.starts_with("600\n") && rest.contains(&format!("0; url={address}\"")), "{rest}");
        let files = || std::fs::read_dir(path("tmp")).expect("a folder").count();
        assert_eq!(files(), 1);
        let _page = match end {
            "page" => Some(server.page()),
            signal => {
                send_signal(server.process.id(), signal.parse::<Signal>().expect("a signal"));
                None
            }
        };
        while files() > 0 {
            assert!(Instant::now() < deadline, "{end}: the file is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn arguments_and_a_port_in_use() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().to_str().expect("text");
    let used = run(&["gui", "--no-open", "--port", &server.port.to_string(), "--data", data]);
    assert!(used.code == Some(1) && (used.stdout + &used.stderr).contains("port"));
    let help = run(&["gui", "--help"]);
    assert!(help.code == Some(0) && help.stdout.contains("--no-open"), "{help:?}");
    for (arguments, error) in [
        (&["gui", "--port", "x"][..], "agoge gui: invalid value 'x' for '--port <N>': "),
        (&["gui", "--threads", "0"], "agoge gui: "),
        (&["gui", "--hash", "0"], "agoge gui: "),
        (&["gui", "--nonsense"], "agoge gui: unexpected argument '--nonsense' found\nTry 'agoge gui --help'.\n"),
        (&["gui", "more"], "agoge gui: "),
        (&["--variant", "chess", "gui"], "agoge: --variant has no effect on 'gui': the page selects the variant\n"),
    ] {
        let ended = run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.starts_with(error), "{arguments:?}: {ended:?}");
    }
}
