//! The progress bar shared by all programs.

use indicatif::{ProgressBar, ProgressStyle};

/// The template of [`progress`].
const PROGRESS: &str = "{elapsed_precise} {wide_bar} {prefix}{pos}/{len} {msg} ({eta} left)";

/// A progress bar on stderr that starts at `position` of `length` and shows elapsed and remaining time.
/// The prefix is shown before the numbers, the message after them; both are empty at first.
pub fn progress(length: u64, position: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(PROGRESS).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_position(position).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(PROGRESS).is_ok());
    }
}
