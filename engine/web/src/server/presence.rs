//! When nobody needs the server any more.

use std::time::{Duration, Instant};

/// The server ends this long after the last page was closed, so that a page can be reloaded.
const CLOSED: Duration = Duration::from_secs(60);

/// The server waits this long for a page whose connection has broken, because it may come back.
const LOST: Duration = Duration::from_secs(3600);

/// What became of the pages.
#[derive(Default)]
pub struct Presence {
    /// The number of open pages.
    open: usize,
    /// When a page was last closed.
    closed: Option<Instant>,
    /// When connections broke whose pages have not come back.
    lost: Vec<Instant>,
}

impl Presence {
    /// A page has connected. It is taken for one that was lost, if there is one.
    pub fn open(&mut self) {
        self.open += 1;
        self.lost.pop();
    }

    /// A page has gone, with or without having said so.
    pub fn end(&mut self, said_goodbye: bool, now: Instant) {
        self.open -= 1;
        if said_goodbye {
            self.closed = Some(now);
        } else {
            self.lost.push(now);
        }
    }

    /// Whether a page is or was open.
    pub fn had_page(&self) -> bool {
        self.open > 0 || self.closed.is_some() || !self.lost.is_empty()
    }

    /// Whether pages were open and none is expected back.
    pub fn is_abandoned(&self, now: Instant) -> bool {
        let is_over = |time: Instant, limit| now.saturating_duration_since(time) > limit;
        self.open == 0
            && self.had_page()
            && self.closed.is_none_or(|time| is_over(time, CLOSED))
            && self.lost.iter().all(|&time| is_over(time, LOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_pages_are_awaited_for_a_minute_and_lost_ones_for_an_hour() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut pages = Presence::default();
        assert!(!pages.is_abandoned(at(100_000)) && !pages.had_page());
        pages.open();
        pages.open();
        pages.end(true, at(0));
        assert!(!pages.is_abandoned(at(100_000)) && pages.had_page());
        pages.end(true, at(10));
        assert!(!pages.is_abandoned(at(70)) && pages.is_abandoned(at(71)));
        // One is lost while the other is closed.
        pages.open();
        pages.open();
        pages.end(false, at(100));
        pages.end(true, at(200));
        assert!(!pages.is_abandoned(at(3700)) && pages.is_abandoned(at(3701)));
        // It comes back and is closed.
        pages.open();
        pages.end(true, at(300));
        assert!(!pages.is_abandoned(at(360)) && pages.is_abandoned(at(361)));
    }
}
