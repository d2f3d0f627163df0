//! The event queue of a session: input lines, the end of the input, closed output, and wake-ups by other threads.

use agoge_core::files::to_text;
use agoge_core::time_slice::request_short_time_slice;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::Output;

/// The maximum length of a line in bytes: a hundred times a game of ten thousand moves.
const MAX_LINE: usize = 8 << 20;

/// The maximum total size of deferred lines in bytes, except the last one: half a million positions. Beyond it the
/// reading thread waits, and with it the writing program, since a script must lose no line.
const MAX_DEFERRED: usize = 7 * MAX_LINE;

/// The polling interval where more than one condition is awaited.
pub(crate) const TICK: Duration = Duration::from_millis(5);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// An input line, without its line feed and a byte order mark before it. Names of files in it may have bytes that
    /// are not UTF-8: see [`to_text`].
    Line(String),
    /// A line was too long and was discarded.
    TooLong,
    /// A [`Waker`] was used.
    Wake,
    /// The input has ended, or the output is closed.
    End {
        /// Whether the output is closed.
        closed: bool,
    },
}

pub(crate) struct Inbox {
    /// Lines received but deferred, each with its line feed. Many short ones take little memory.
    deferred: VecDeque<u8>,
    /// How many bytes of them come before the end of the last `stop`.
    before_stop: usize,
    /// The end of the input, if it has come, after the deferred lines.
    end: Option<Event>,
    /// The reading thread is at most one line ahead.
    receiver: Receiver<Event>,
    waker: Waker,
}

/// Wakes up a thread that waits for an event of an [`Inbox`].
#[derive(Clone)]
pub(crate) struct Waker(SyncSender<Event>);

impl Waker {
    /// Sends [`Event::Wake`]. It is dropped if the queue is full; then no thread is waiting.
    pub(crate) fn wake(&self) {
        let _ = self.0.try_send(Event::Wake);
    }
}

impl Inbox {
    /// Starts a thread that reads `input`. Closing of `output` is an event, too.
    pub(crate) fn spawn(mut input: impl BufRead + Send + 'static, output: &Output) -> Self {
        let (sender, receiver) = sync_channel(1);
        let closed = sender.clone();
        let waker = Waker(sender.clone());
        // If the queue is full, no wake-up is needed: the session checks the output after each event.
        output.set_on_close(move || drop(closed.try_send(Event::End { closed: true })));
        request_short_time_slice();
        thread::spawn(move || {
            request_short_time_slice();
            read_lines(&mut input, &sender);
        });
        Self { deferred: VecDeque::new(), before_stop: 0, end: None, receiver, waker }
    }

    /// An inbox that never receives an event.
    pub(crate) fn empty() -> Self {
        let waker = Waker(sync_channel(0).0);
        Self { deferred: VecDeque::new(), before_stop: 0, end: None, receiver: sync_channel(0).1, waker }
    }

    pub(crate) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Waits for the next event.
    pub(crate) fn next(&mut self) -> Event {
        let event = self.next_deferred().or_else(|| self.receiver.recv().ok());
        event.unwrap_or(Event::End { closed: false })
    }

    /// Waits for the next event, at most for `timeout`.
    pub(crate) fn next_within(&mut self, timeout: Duration) -> Option<Event> {
        self.next_deferred().or_else(|| self.next_new(timeout))
    }

    /// Waits for the next new event, at most for `timeout`, ignoring deferred ones.
    pub(crate) fn next_new(&self, timeout: Duration) -> Option<Event> {
        match self.receiver.recv_timeout(timeout) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(timeout);
                None
            }
        }
    }

    /// Defers a line: [`Inbox::next`] returns it again.
    pub(crate) fn defer(&mut self, line: &str) {
        self.deferred.extend(line.as_bytes());
        self.deferred.push_back(b'\n');
    }

    /// Defers `stop`, until after the commands that it is to stop.
    pub(crate) fn defer_stop(&mut self, line: &str) {
        self.defer(line);
        self.before_stop = self.deferred.len();
    }

    /// Whether `stop` is deferred.
    pub(crate) fn has_stop(&self) -> bool {
        self.before_stop > 0
    }

    /// Defers the end of the input until after the deferred lines.
    pub(crate) fn defer_end(&mut self, end: Event) {
        self.end = Some(end);
    }

    fn next_deferred(&mut self) -> Option<Event> {
        let Some(feed) = self.deferred.iter().position(|&byte| byte == b'\n') else { return self.end.take() };
        self.before_stop = self.before_stop.saturating_sub(feed + 1);
        let bytes: Vec<u8> = self.deferred.drain(..=feed).take(feed).collect();
        if self.deferred.is_empty() {
            self.deferred = VecDeque::new();
        }
        Some(Event::Line(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Whether no line is deferred.
    pub(crate) fn is_empty(&self) -> bool {
        self.deferred.is_empty()
    }

    /// Whether so many lines are deferred that no more should be taken from the queue.
    pub(crate) fn is_full(&self) -> bool {
        self.deferred.len() > MAX_DEFERRED
    }
}

/// Reads lines until the input ends or the inbox is dropped.
fn read_lines(input: &mut impl BufRead, sender: &SyncSender<Event>) {
    let mut bytes = Vec::new();
    loop {
        let event = match read_line(input, &mut bytes) {
            Line::Complete => Event::Line(to_text(without_mark(&bytes))),
            Line::TooLong => Event::TooLong,
            Line::None => Event::End { closed: false },
        };
        let is_last = matches!(event, Event::End { .. });
        if sender.send(event).is_err() || is_last {
            return;
        }
        // Release the memory of a long line.
        bytes.clear();
        bytes.shrink_to(1 << 16);
    }
}

/// A line without the byte order marks of UTF-8 that editors and PowerShell write before text.
fn without_mark(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_prefix("\u{feff}".as_bytes()) {
        line = rest;
    }
    line
}

#[derive(PartialEq, Eq, Debug)]
enum Line {
    Complete,
    TooLong,
    None,
}

/// Reads up to the next line feed or the end of the input into `bytes`, which must be empty. An error ends the input.
fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> Line {
    let mut too_long = false;
    let mut is_empty = true;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => &[],
        };
        if chunk.is_empty() {
            break;
        }
        is_empty = false;
        let feed = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..feed.unwrap_or(chunk.len())];
        too_long |= bytes.len() + part.len() > MAX_LINE;
        if !too_long {
            bytes.extend_from_slice(part);
        }
        let used = part.len() + usize::from(feed.is_some());
        input.consume(used);
        if feed.is_some() {
            break;
        }
    }
    match (is_empty, too_long) {
        (true, _) => Line::None,
        (false, true) => Line::TooLong,
        (false, false) => Line::Complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_a_line_feed_or_the_input() {
        let mut input: &[u8] = b"a\r\n\nb\xff";
        let mut bytes = Vec::new();
        for expected in [&b"a\r"[..], b"", b"b\xff"] {
            bytes.clear();
            assert_eq!(read_line(&mut input, &mut bytes), Line::Complete);
            assert_eq!(bytes, expected);
        }
        assert_eq!(read_line(&mut input, &mut bytes), Line::None);
    }

    #[test]
    fn overlong_lines_are_discarded() {
        let text = [vec![b'x'; MAX_LINE + 1], b"\nb\n".to_vec()].concat();
        let mut input: &[u8] = &text;
        let mut bytes = Vec::new();
        assert_eq!(read_line(&mut input, &mut bytes), Line::TooLong);
        bytes.clear();
        assert_eq!(read_line(&mut input, &mut bytes), Line::Complete);
        assert_eq!(bytes, b"b");
    }

    #[test]
    fn byte_order_marks_are_no_part_of_a_line() {
        let output = Output::new(Vec::new());
        let mut inbox = Inbox::spawn("\u{feff}uci\n\u{feff}\u{feff}go\n\u{feff}\na\u{feff}".as_bytes(), &output);
        for line in ["uci", "go", "", "a\u{feff}"] {
            assert_eq!(inbox.next(), Event::Line(line.into()));
        }
    }

    #[test]
    fn deferred_lines_come_before_the_end() {
        let mut inbox = Inbox::empty();
        for line in ["one", "", "dr\u{e9}i"] {
            inbox.defer(line);
        }
        inbox.defer_stop(" stop");
        inbox.defer_end(Event::End { closed: false });
        for line in ["one", "", "dr\u{e9}i", " stop"] {
            assert!(inbox.has_stop());
            assert!(!inbox.is_empty() && !inbox.is_full());
            assert_eq!(inbox.next(), Event::Line(line.into()));
        }
        assert!(inbox.is_empty() && !inbox.has_stop());
        assert_eq!(inbox.next(), Event::End { closed: false });
    }

    #[test]
    fn events_come_in_order() {
        let output = Output::new(Vec::new());
        let mut inbox = Inbox::spawn(&b"one\ntwo"[..], &output);
        assert_eq!(inbox.next(), Event::Line("one".into()));
        assert_eq!(inbox.next(), Event::Line("two".into()));
        assert_eq!(inbox.next(), Event::End { closed: false });
    }
}
