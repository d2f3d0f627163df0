//! Progress on stderr, the same for all commands: a bar on a terminal, otherwise a line from time to time.

use crate::analysis::lock;
use crate::terminal::print_message;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// On a terminal: the elapsed time, the bar, the numbers, the message and the remaining time.
const TEMPLATE: &str = "{elapsed_precise} {wide_bar} {pos}/{len} {msg} ({eta} left)";

/// Without a terminal a line is printed whenever this share of the work is done …
const LINES: u64 = 20;

/// … or this time has passed.
const INTERVAL: Duration = Duration::from_secs(60);

/// The progress of a command. All methods may be called from several threads.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// The last line: when it was printed, and at which position. `None` if there are no lines.
    last_line: Option<Mutex<(Instant, u64)>>,
}

impl Progress {
    /// Starts at `position` of `length`.
    pub fn new(length: u64, position: u64) -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(length).with_position(position).with_style(style);
        bar.reset_eta();
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        let last_line = bar.is_hidden().then(|| Mutex::new((Instant::now(), position)));
        Self { bar, last_line }
    }

    /// No output except that of [`Self::print`].
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), last_line: None }
    }

    /// One step more.
    pub fn inc(&self) {
        self.bar.inc(1);
        self.show_line(self.bar.position());
    }

    /// Sets the position and the message that follows it.
    pub fn update(&self, position: u64, message: impl Into<String>) {
        self.bar.set_position(position);
        self.set_message(message);
    }

    /// Sets the message that follows the position.
    pub fn set_message(&self, message: impl Into<String>) {
        self.bar.set_message(message.into());
        self.show_line(self.bar.position());
    }

    /// Calls a function that prints, with the bar hidden.
    pub fn print(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show_line(&self, position: u64) {
        let Some(last) = &self.last_line else { return };
        let mut last = lock(last);
        let length = self.bar.length().unwrap_or(0).max(1);
        let share = |position: u64| position * LINES / length;
        if share(position) > share(last.1) || last.0.elapsed() >= INTERVAL {
            *last = (Instant::now(), position);
            print_message(format!("{position}/{length} {}", self.bar.message()).trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
