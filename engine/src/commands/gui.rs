//! The command `agoge gui`: a board in the browser.

use super::arguments::ArgumentsError;
use agoge_web::server::{self, Settings};
use clap::Parser;
use std::ffi::OsString;

/// Play, watch and analyse in the browser
#[derive(Parser, Debug)]
#[command(name = "agoge gui", version)]
pub struct Arguments {
    /// The port of the server; by default a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Do not open the page in the default browser
    #[arg(long)]
    no_open: bool,
    /// Search threads of each page's engine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Hash table of each page's engine in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
}

impl Arguments {
    /// Parses the arguments; the first one is the name of the program.
    ///
    /// # Errors
    /// If they are invalid or request help.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, ArgumentsError> {
        Self::try_parse_from(arguments).map_err(|error| ArgumentsError::new(&error, "agoge gui"))
    }
}

/// Serves the page until it has been closed for a minute.
///
/// # Errors
/// If the port is not free or the system gives no random numbers.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let &Arguments { port, no_open, threads, hash } = arguments;
    server::run(Settings { port, open: !no_open, threads, hash })
}
