//! What the searches of all protocols share: the deadline, and what is kept of the output.

use super::connection::{Connection, ReceiveError};
use super::{Failure, Info, MatchConfig, SearchResult};
use regex_lite::Regex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The maximum number of lines of a search kept for the games.
const MAX_KEPT: usize = 100;

/// The maximum time of a search without a clock that makes progress, as a multiple of the stall timeout.
const MAX_TIMEOUTS: u32 = 10;

#[derive(Debug)]
pub(super) struct Search {
    begin: Instant,
    /// Whether earlier lines belong to the search: it has begun as pondering.
    includes_earlier: bool,
    /// The time after which the move is too late; `None` without a time limit.
    allowance: Option<Duration>,
    stall_timeout: Duration,
    /// When to stop waiting for the next line.
    deadline: Instant,
    /// Whether the engine has been told to move, or has no time limit.
    is_late: bool,
    /// The greatest depth and number of nodes reported.
    furthest: (u32, u64),
    kept_lines: Vec<Regex>,
    info: Info,
    lines: Vec<String>,
}

impl Search {
    pub(super) fn begin(allowance: Option<Duration>, config: &MatchConfig) -> Self {
        let begin = Instant::now();
        Self {
            begin,
            includes_earlier: false,
            allowance,
            stall_timeout: config.stall_timeout,
            deadline: begin + allowance.unwrap_or(config.stall_timeout),
            is_late: allowance.is_none(),
            furthest: (0, 0),
            kept_lines: config.kept_lines.clone(),
            info: Info::default(),
            lines: Vec::new(),
        }
    }

    /// Starts the clock of an engine that has been pondering.
    pub(super) fn continue_pondering(allowance: Option<Duration>, config: &MatchConfig) -> Self {
        Self { includes_earlier: true, ..Self::begin(allowance, config) }
    }

    /// The next line of the search with its time. If the engine exceeds its allowance it receives `move_now`, and has
    /// the stall timeout to answer.
    pub(super) fn next_line(
        &mut self,
        connection: &mut Connection,
        move_now: &str,
        stop: &AtomicBool,
    ) -> Result<(Instant, String), Failure> {
        loop {
            let (at, line) = match connection.try_receive(self.deadline, stop) {
                Ok(line) => line,
                Err(ReceiveError::Timeout) if !self.is_late => {
                    self.is_late = true;
                    self.deadline = Instant::now() + self.stall_timeout;
                    connection.send(move_now)?;
                    continue;
                }
                Err(error) => return Err(connection.failure(error, "move")),
            };
            if at < self.begin && !self.includes_earlier {
                continue;
            }
            if self.lines.len() < MAX_KEPT && self.kept_lines.iter().any(|wanted| wanted.is_match(&line)) {
                self.lines.push(line.clone());
            }
            return Ok((at, line));
        }
    }

    /// Adds a report that arrived at some time.
    pub(super) fn report(&mut self, at: Instant, info: Info) {
        if self.allowance.is_none() && (info.depth > self.furthest.0 || info.nodes > self.furthest.1) {
            self.furthest = (self.furthest.0.max(info.depth), self.furthest.1.max(info.nodes));
            let end = self.begin + self.stall_timeout.saturating_mul(MAX_TIMEOUTS);
            self.deadline = (at + self.stall_timeout).min(end);
        }
        if info.is_main && info.score.is_some() && (!info.is_bound || self.info.score.is_none()) {
            self.info = info;
        }
    }

    /// The result of the search: the engine has answered at some time, with a move unless it resigns.
    pub(super) fn finish(self, at: Instant, best: Option<String>) -> SearchResult {
        let time = at.saturating_duration_since(self.begin);
        SearchResult { best, time, info: self.info, lines: self.lines, has_unasked_move: false }
    }
}
