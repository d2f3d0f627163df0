//! Messages to a page, which wait while it does not read: a browser may suspend it for hours.
//!
//! The engine's `info` lines make way for newer ones. Nothing else is lost: it waits for room, and who sends it waits,
//! too. If a page that has much to read takes nothing for some time, the connection ends, and the page may come back.

use super::TIMEOUT;
use super::socket;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::protocol::frame::coding::Control;

/// More is added only when the waiting messages are together smaller, in bytes.
const MAX_SIZE: usize = 8 << 20;

/// The size of waiting `info` lines in bytes above which the oldest go.
const MAX_INFOS: usize = 256 << 10;

/// The memory that a waiting message needs besides its text, about.
const OVERHEAD: usize = 64;

pub struct Outbox {
    queue: Mutex<Queue>,
    /// Notified when the queue changes.
    changed: Condvar,
    /// Nothing more is sent. It is set within the lock of the queue.
    is_closed: AtomicBool,
}

struct Queue {
    messages: VecDeque<Message>,
    /// The size of all messages, with the one that is being written, and that of the waiting `info` lines.
    size: usize,
    infos: usize,
    /// When the page last took something, or got something after it had taken all.
    progress: Instant,
}

enum Message {
    Info(String),
    Text(String),
    Control(Control, Vec<u8>),
}

impl Message {
    fn size(&self) -> usize {
        OVERHEAD
            + match self {
                Self::Info(text) | Self::Text(text) => text.len(),
                Self::Control(_, payload) => payload.len(),
            }
    }
}

impl Outbox {
    pub fn new() -> Self {
        let queue = Queue { messages: VecDeque::new(), size: 0, infos: 0, progress: Instant::now() };
        Self { queue: Mutex::new(queue), changed: Condvar::new(), is_closed: AtomicBool::new(false) }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message as soon as there is room. Returns whether the page is still there.
    pub fn send(&self, text: String) -> bool {
        self.push(Message::Text(text))
    }

    /// Answers a ping.
    pub fn send_pong(&self, payload: Vec<u8>) -> bool {
        self.push(Message::Control(Control::Pong, payload))
    }

    /// Sends a line of the engine. Returns whether the page is still there.
    pub fn send_line(&self, line: String) -> bool {
        let is_info = line.starts_with("info ") && !line.starts_with("info string ");
        if !is_info {
            return self.send(line);
        }
        let mut queue = self.queue();
        if self.is_closed() {
            return false;
        }
        queue.add(Message::Info(line));
        while queue.infos > MAX_INFOS && queue.drop_oldest_info() {}
        drop(queue);
        self.changed.notify_all();
        true
    }

    fn push(&self, message: Message) -> bool {
        let Some(mut queue) = self.wait_for_room() else { return false };
        queue.add(message);
        drop(queue);
        self.changed.notify_all();
        true
    }

    /// Waits until a large message that was sent is mostly written. Returns whether the page is still there.
    pub fn wait(&self) -> bool {
        self.wait_for_room().is_some()
    }

    /// `None` if the page is gone or has not read for too long.
    fn wait_for_room(&self) -> Option<MutexGuard<'_, Queue>> {
        let mut queue = self.queue();
        while queue.size > MAX_SIZE && !self.is_closed() {
            let left = TIMEOUT.saturating_sub(queue.progress.elapsed());
            if left.is_zero() {
                drop(queue);
                self.end(None);
                return None;
            }
            queue = self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        (!self.is_closed()).then_some(queue)
    }

    /// Ends without sending what waits; with the answer to a page that has closed the connection with a status.
    pub fn end(&self, status: Option<Vec<u8>>) {
        let mut queue = self.queue();
        self.is_closed.store(true, Ordering::Relaxed);
        queue.size -= queue.messages.iter().map(Message::size).sum::<usize>();
        queue.messages.clear();
        queue.infos = 0;
        if let Some(status) = status {
            queue.add(Message::Control(Control::Close, status));
        }
        drop(queue);
        self.changed.notify_all();
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Waits until everything is written, but only for a moment.
    pub fn flush(&self) {
        let is_waiting = |queue: &mut Queue| queue.size > 0;
        let _ = self.changed.wait_timeout_while(self.queue(), Duration::from_secs(1), is_waiting);
    }

    /// Writes the messages to the page until the end.
    pub fn write(&self, stream: &TcpStream) -> io::Result<()> {
        let mut output = Output { stream, outbox: self };
        loop {
            let is_idle = |queue: &mut Queue| queue.messages.is_empty() && !self.is_closed();
            let mut queue = self.changed.wait_while(self.queue(), is_idle).unwrap_or_else(PoisonError::into_inner);
            let Some(message) = queue.messages.pop_front() else { return Ok(()) };
            if matches!(message, Message::Info(_)) {
                queue.infos -= message.size();
            }
            drop(queue);
            match &message {
                Message::Info(text) | Message::Text(text) => socket::write_text(&mut output, text)?,
                Message::Control(control, payload) => socket::write_control(&mut output, *control, payload)?,
            }
            self.queue().size -= message.size();
            self.changed.notify_all();
        }
    }
}

impl Queue {
    fn add(&mut self, message: Message) {
        if self.size == 0 {
            self.progress = Instant::now();
        }
        self.size += message.size();
        if matches!(message, Message::Info(_)) {
            self.infos += message.size();
        }
        self.messages.push_back(message);
    }

    fn drop_oldest_info(&mut self) -> bool {
        let index = self.messages.iter().position(|message| matches!(message, Message::Info(_)));
        let Some(message) = index.and_then(|index| self.messages.remove(index)) else { return false };
        self.size -= message.size();
        self.infos -= message.size();
        true
    }
}

/// The connection, which waits for a page that does not read.
struct Output<'a> {
    stream: &'a TcpStream,
    outbox: &'a Outbox,
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.stream.write(bytes) {
                // On Windows a connection cannot be used after a timeout.
                Err(error)
                    if cfg!(unix)
                        && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
                        && !self.outbox.is_closed() => {}
                Ok(count) => {
                    self.outbox.queue().progress = Instant::now();
                    return Ok(count);
                }
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(outbox: &Outbox) -> Vec<String> {
        let queue = outbox.queue();
        let text = |message: &Message| match message {
            Message::Info(text) | Message::Text(text) => text.clone(),
            Message::Control(..) => String::new(),
        };
        queue.messages.iter().map(text).collect()
    }

    #[test]
    fn old_infos_make_way_and_nothing_else() {
        let outbox = Outbox::new();
        let info = |number: usize| format!("info depth {number} pv {}", "e2e4 ".repeat(200));
        let count = 10 * MAX_INFOS / info(0).len();
        assert!(outbox.send("first".into()));
        for number in 0..count {
            assert!(outbox.send_line(info(number)));
            if number % 100 == 0 {
                assert!(outbox.send_line(format!("info string {number}")));
            }
        }
        assert!(outbox.send_line("bestmove e2e4".into()));
        let texts = texts(&outbox);
        assert_eq!((texts[0].as_str(), texts[texts.len() - 1].as_str()), ("first", "bestmove e2e4"));
        let others = texts.iter().filter(|text| !text.starts_with("info depth"));
        assert_eq!(others.count(), 2 + count.div_ceil(100));
        // The newest are left, in order.
        let infos: Vec<_> = texts.iter().filter(|text| text.starts_with("info depth")).collect();
        assert_eq!(infos[..], (count - infos.len()..count).map(info).collect::<Vec<_>>().iter().collect::<Vec<_>>());
        let queue = outbox.queue();
        assert!(queue.infos <= MAX_INFOS && queue.infos > MAX_INFOS / 2 && queue.size < 2 * MAX_INFOS);
    }

    #[test]
    fn a_full_outbox_ends_if_nobody_reads() {
        let outbox = Outbox::new();
        assert!(outbox.send("x".repeat(MAX_SIZE + 1)));
        outbox.queue().progress = Instant::now() - TIMEOUT;
        assert!(!outbox.send("y".into()) && outbox.is_closed());
        assert!(!outbox.send_line("info depth 1".into()));
    }
}
