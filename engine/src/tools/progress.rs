//! The progress bar of all programs.

use indicatif::{ProgressBar, ProgressStyle};

/// The look of [`progress`].
const PROGRESS: &str = "{elapsed_precise} {wide_bar} {prefix}{pos}/{len} {msg} ({eta} left)";

/// A progress bar on stderr with times, for work that was begun before and stands at `position` of
/// `length`. Its prefix, empty at first, goes before the numbers, its message behind them.
pub fn progress(length: u64, position: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(PROGRESS).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_position(position).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_of_the_progress_is_well_formed() {
        assert!(ProgressStyle::with_template(PROGRESS).is_ok());
    }
}
