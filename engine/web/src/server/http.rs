//! The part of HTTP that the page needs: GET, with one request for each connection.

use super::Server;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Instant;
use tungstenite::error::{Error, ProtocolError};
use tungstenite::handshake::machine::TryParse;
pub use tungstenite::handshake::server::Request;

/// The maximum size of a request in bytes.
const MAX_REQUEST: usize = 16 << 10;

const TEXT: &str = "text/plain; charset=utf-8";

// `FILES`: the files of the page by their names in the address. The build script writes it.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Reads a request, or makes the answer to one that is malformed or too long.
///
/// # Errors
/// If the connection ends, or the request is not whole at the deadline.
pub fn read_request(mut stream: &TcpStream, deadline: Instant) -> io::Result<Result<Request, Response>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        // A zero timeout is an error, too.
        stream.set_read_timeout(Some(deadline.saturating_duration_since(Instant::now())))?;
        let count = match stream.read(&mut chunk) {
            // Linux ends a read with a timeout when a suspended process goes on.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            result => result?,
        };
        bytes.extend_from_slice(&chunk[..count]);
        match Request::try_parse(&bytes) {
            Ok(Some((_, request))) => return Ok(Ok(request)),
            Ok(None) if count > 0 && bytes.len() <= MAX_REQUEST => {}
            Err(Error::Protocol(ProtocolError::WrongHttpMethod)) => {
                return Ok(Err(Response::text(405, "only GET is allowed")));
            }
            _ => return Ok(Err(Response::text(400, "not a request of HTTP"))),
        }
    }
}

/// The value of a header; `None` if it is given twice, because programs differ on which one counts.
pub fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let mut values = request.headers().get_all(name).iter();
    let (value, second) = (values.next()?, values.next());
    value.to_str().ok().filter(|_| second.is_none())
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

    pub fn is_file(&self) -> bool {
        self.status == 200
    }

    /// Sends the answer and ends the connection.
    pub fn send(&self, mut stream: &TcpStream, server: &Server) -> io::Result<()> {
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
             Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; \
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
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        _ => TEXT,
    };
    Some(Response { status: 200, kind, body: body.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tungstenite::handshake::server::create_response;

    #[test]
    fn requests_are_parsed() {
        let text = "GET /x/engine?y HTTP/1.1\r\nHost: a:1\r\nOrigin: http://a:1\r\nConnection: keep-alive, Upgrade\r\n\
                    Upgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let parse = |text: &str| Request::try_parse(text.as_bytes()).map(|parsed| parsed.map(|(_, request)| request));
        let request = parse(text).expect("HTTP").expect("complete");
        assert_eq!((request.uri().path(), header(&request, "Host")), ("/x/engine", Some("a:1")));
        assert!(create_response(&request).is_ok());
        for (from, to) in [("13", "8"), ("WebSocket\r", "h2c\r"), ("keep-alive, Upgrade", "close")] {
            let other = parse(&text.replace(from, to)).expect("HTTP").expect("complete");
            assert!(create_response(&other).is_err());
        }
        // Two hosts are none.
        let two = parse(&text.replace("Origin:", "Host: b\r\nOrigin:")).expect("HTTP").expect("complete");
        assert_eq!(header(&two, "host"), None);
        for end in 0..text.len() {
            assert!(parse(&text[..end]).is_ok_and(|request| request.is_none()));
        }
        assert!(parse("\0\0").is_err());
    }
}
