//! What waits to be done: lines that were read, the end of the input, a reader that has gone away,
//! work that another thread has done.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use super::Output;
use super::turns::ask_for_short_turns;

/// Bytes of a line that are kept. A game of ten thousand moves fits a hundred times.
const MAX_LINE: usize = 8 << 20;

/// Lines that may wait; after that the listener waits too, and with it the program that writes.
const MAX_WAITING: usize = 1024;

/// Bytes of lines that may wait, besides the last one of them.
const MAX_BYTES: usize = 2 * MAX_LINE;

/// How often who waits for more than one thing looks up.
pub(super) const TICK: Duration = Duration::from_millis(5);

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// A line was read; without its end, and with what is not UTF-8 replaced.
    Line(String),
    /// A line was too long and is lost.
    TooLong,
    /// A [`Waker`] was used.
    Wake,
    /// Nothing more will come, or nobody reads any more.
    End {
        /// Whether nobody reads any more.
        closed: bool,
    },
}

/// The events in their order.
pub(super) struct Inbox {
    /// Events that were received but could not be dealt with yet.
    backlog: VecDeque<Event>,
    receiver: Receiver<Event>,
    /// Bytes of all lines that wait.
    bytes: Arc<AtomicUsize>,
    waker: Waker,
}

/// Wakes up whoever waits at an [`Inbox`], from any thread.
#[derive(Clone)]
pub(super) struct Waker(SyncSender<Event>);

impl Waker {
    /// Puts [`Event::Wake`] into the inbox. It is lost if the inbox is full; then nobody sleeps.
    pub(super) fn wake(&self) {
        let _ = self.0.try_send(Event::Wake);
    }
}

impl Inbox {
    /// Starts a thread that listens to `input`, and hears from `output` when it is closed.
    pub(super) fn listen(mut input: impl BufRead + Send + 'static, output: &Output) -> Self {
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let closed = sender.clone();
        let waker = Waker(sender.clone());
        // If the queue is full there is no need to wake anybody up: the loop looks at the output
        // after each event.
        output.set_on_close(move || drop(closed.try_send(Event::End { closed: true })));
        let bytes = Arc::default();
        let waiting = Arc::downgrade(&bytes);
        ask_for_short_turns();
        thread::spawn(move || {
            ask_for_short_turns();
            listen(&mut input, &sender, &waiting);
        });
        Self { backlog: VecDeque::new(), receiver, bytes, waker }
    }

    /// An inbox into which nothing ever comes.
    pub(super) fn empty() -> Self {
        let waker = Waker(sync_channel(0).0);
        Self { backlog: VecDeque::new(), receiver: sync_channel(0).1, bytes: Arc::default(), waker }
    }

    /// What wakes up the one who waits at this inbox.
    pub(super) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Waits for the next event.
    pub(super) fn next(&mut self) -> Event {
        let event = self.backlog.pop_front().or_else(|| self.receiver.recv().ok());
        self.taken(event.unwrap_or(Event::End { closed: false }))
    }

    /// Waits for the next event until a time is over.
    pub(super) fn next_within(&mut self, timeout: Duration) -> Option<Event> {
        match self.backlog.pop_front() {
            Some(event) => Some(self.taken(event)),
            None => self.next_new(timeout),
        }
    }

    /// Waits for an event until a time is over, passing by those that were put off.
    pub(super) fn next_new(&mut self, timeout: Duration) -> Option<Event> {
        match self.receiver.recv_timeout(timeout) {
            Ok(event) => Some(self.taken(event)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(timeout);
                None
            }
        }
    }

    /// Keeps an event for later.
    pub(super) fn put_off(&mut self, event: Event) {
        self.bytes.fetch_add(event.bytes(), Ordering::Relaxed);
        self.backlog.push_back(event);
    }

    /// An event that does not wait any more.
    fn taken(&self, event: Event) -> Event {
        self.bytes.fetch_sub(event.bytes(), Ordering::Relaxed);
        event
    }

    /// Whether nothing was put off.
    pub(super) fn is_empty(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Whether so much was put off that it is better to read no further.
    pub(super) fn is_full(&self) -> bool {
        self.backlog.len() >= MAX_WAITING
    }
}

impl Event {
    /// Bytes of the line.
    fn bytes(&self) -> usize {
        if let Self::Line(line) = self { line.len() } else { 0 }
    }
}

/// Reads lines until the input ends or nobody wants them. `waiting` counts the bytes of those that were
/// not taken out yet.
fn listen(input: &mut impl BufRead, sender: &SyncSender<Event>, waiting: &Weak<AtomicUsize>) {
    let mut bytes = Vec::new();
    loop {
        let event = match read_line(input, &mut bytes) {
            Line::Complete => Event::Line(String::from_utf8_lossy(&bytes).into_owned()),
            Line::TooLong => Event::TooLong,
            Line::None => Event::End { closed: false },
        };
        let over = matches!(event, Event::End { .. });
        if !finds_room(&event, waiting) || sender.send(event).is_err() || over {
            return;
        }
        // One long line must not hold its memory for ever.
        bytes.clear();
        bytes.shrink_to(1 << 16);
    }
}

/// Waits until there is room for an event, and counts it. Says no where nobody wants it any more.
fn finds_room(event: &Event, waiting: &Weak<AtomicUsize>) -> bool {
    while let Some(waiting) = waiting.upgrade() {
        if waiting.load(Ordering::Relaxed) <= MAX_BYTES {
            waiting.fetch_add(event.bytes(), Ordering::Relaxed);
            return true;
        }
        thread::sleep(TICK);
    }
    false
}

#[derive(PartialEq, Eq, Debug)]
enum Line {
    Complete,
    TooLong,
    None,
}

/// Reads up to the next line feed or the end into `bytes`, which is empty. An error ends the input.
fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> Line {
    let mut too_long = false;
    let mut anything = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => &[],
        };
        if chunk.is_empty() {
            break;
        }
        anything = true;
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
    match (anything, too_long) {
        (false, _) => Line::None,
        (true, true) => Line::TooLong,
        (true, false) => Line::Complete,
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
    fn endless_lines_do_not_fill_the_memory() {
        let text = [vec![b'x'; MAX_LINE + 1], b"\nb\n".to_vec()].concat();
        let mut input: &[u8] = &text;
        let mut bytes = Vec::new();
        assert_eq!(read_line(&mut input, &mut bytes), Line::TooLong);
        bytes.clear();
        assert_eq!(read_line(&mut input, &mut bytes), Line::Complete);
        assert_eq!(bytes, b"b");
    }

    #[test]
    fn events_come_in_order() {
        let output = Output::new(Vec::new());
        let mut inbox = Inbox::listen(&b"one\ntwo"[..], &output);
        assert_eq!(inbox.next(), Event::Line("one".into()));
        assert_eq!(inbox.next(), Event::Line("two".into()));
        assert_eq!(inbox.next(), Event::End { closed: false });
    }
}
