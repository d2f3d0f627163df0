//! Errors in the arguments of a command.

use clap::error::ErrorKind;

/// Why there are no arguments.
#[derive(Debug)]
pub enum ArgumentsError {
    /// The user requested this help or version text.
    Help(String),
    /// The arguments are invalid: an error message and a hint, one line each.
    Invalid(String),
}

impl ArgumentsError {
    /// The error of the parser of a command, such as `agoge analyse`.
    pub fn new(error: &clap::Error, command: &str) -> Self {
        let text = error.to_string();
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            return Self::Help(text);
        }
        // The usage follows after an empty line.
        let cause = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let cause = cause.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::Invalid(format!("{command}: {cause}\nTry '{command} --help'."))
    }
}
