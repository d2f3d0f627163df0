//! The part of HTTP that the page needs: GET, one request for each connection, and the handshake of WebSocket.

use super::Server;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use tungstenite::handshake::derive_accept_key;

/// The maximum size of a request in bytes.
const MAX_REQUEST: usize = 16 << 10;

const MAX_HEADERS: usize = 64;

const TEXT: &str = "text/plain; charset=utf-8";

// `FILES`: the files of the page by their names in the address. The build script writes it.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The parts of a request that matter.
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub host: Option<String>,
    pub origin: Option<String>,
    /// The key of a client that wants a WebSocket of version 13.
    pub web_socket_key: Option<String>,
}

/// Reads a request; `None` if it is malformed or too long.
pub fn read_request(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = match stream.read(&mut chunk) {
            // Linux ends a read with a timeout when a suspended process goes on.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            result => result?,
        };
        bytes.extend_from_slice(&chunk[..count]);
        match parse(&bytes) {
            Ok(Some(request)) => return Ok(Some(request)),
            Ok(None) if count > 0 && bytes.len() <= MAX_REQUEST => {}
            _ => return Ok(None),
        }
    }
}

/// Parses a request; `Ok(None)` if it is incomplete.
fn parse(bytes: &[u8]) -> Result<Option<Request>, httparse::Error> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    if parsed.parse(bytes)?.is_partial() {
        return Ok(None);
    }
    let header = |name: &str| {
        let mut values = parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
        // A header given twice may be an attempt to deceive: proxies differ on which one counts.
        let (value, second) = (values.next()?, values.next());
        let text = std::str::from_utf8(value.value).ok().filter(|_| second.is_none())?;
        Some(text.trim().to_owned())
    };
    let lists = |name: &str, word: &str| {
        header(name).is_some_and(|text| text.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    };
    let upgrades = lists("upgrade", "websocket") && lists("connection", "upgrade");
    let is_known = header("sec-websocket-version").is_some_and(|version| version == "13");
    let path = parsed.path.unwrap_or_default();
    Ok(Some(Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.split(['?', '#']).next().unwrap_or_default().to_owned(),
        host: header("host"),
        origin: header("origin"),
        web_socket_key: header("sec-websocket-key").filter(|_| upgrades && is_known),
    }))
}

pub struct Response {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

impl Response {
    /// A short text, mostly an error.
    pub fn text(status: u16, text: &str) -> Self {
        Self { status, kind: TEXT, body: format!("{text}\n").into_bytes() }
    }

    /// Sends the answer and ends the connection.
    pub fn send(&self, stream: &mut TcpStream, server: &Server) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            _ => "Service Unavailable",
        };
        let [first, second] = &server.hosts;
        let head = format!(
            "HTTP/1.1 {} {reason}\r\n\
             Content-Type: {}\r\n\
             Content-Length: {}\r\n\
             Connection: close\r\n\
             Cache-Control: no-store\r\n\
             Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self' ws://{first} ws://{second}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\
             Referrer-Policy: no-referrer\r\n\
             X-Content-Type-Options: nosniff\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        );
        stream.write_all(&[head.as_bytes(), &self.body].concat())?;
        stream.flush()
    }
}

pub fn file(name: &str) -> Option<Response> {
    let name = if name.is_empty() { "index.html" } else { name };
    let (_, body) = FILES.iter().find(|(known, _)| *known == name)?;
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => TEXT,
    };
    Some(Response { status: 200, kind, body: body.to_vec() })
}

/// Completes the handshake of a WebSocket.
pub fn accept_web_socket(stream: &mut TcpStream, key: &str) -> io::Result<()> {
    let accept = derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_parsed() {
        let text = "GET /x/engine?y HTTP/1.1\r\nHost: a:1\r\nOrigin: http://a:1\r\nConnection: keep-alive, Upgrade\r\n\
                    Upgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: k\r\n\r\n";
        let request = parse(text.as_bytes()).expect("HTTP").expect("complete");
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/x/engine"));
        assert_eq!(request.web_socket_key.as_deref(), Some("k"));
        for (from, to) in [("13", "8"), ("WebSocket", "h2c"), ("keep-alive, Upgrade", "close")] {
            let other = text.replace(from, to);
            assert!(parse(other.as_bytes()).is_ok_and(|request| request.is_some_and(|r| r.web_socket_key.is_none())));
        }
        // Two hosts are none.
        let two = text.replace("Origin:", "Host: b\r\nOrigin:");
        assert!(parse(two.as_bytes()).is_ok_and(|request| request.is_some_and(|request| request.host.is_none())));
        for end in 0..text.len() {
            assert!(parse(&text.as_bytes()[..end]).is_ok_and(|request| request.is_none()));
        }
        assert!(parse(b"\0\0").is_err());
    }
}
