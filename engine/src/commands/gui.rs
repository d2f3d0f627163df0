//! The command `agoge gui`: a board in the browser.

use super::{Command, Scope, interrupt, refuse_variant, run_parsed};
use crate::tables;
use agoge_web::server::{self, Settings};
use clap::{CommandFactory as _, Parser};
use std::path::PathBuf;

pub(super) const COMMAND: Command = Command {
    usage: "gui",
    help: "opens a board in the browser; see 'gui --help'",
    scope: Scope::Program(
        |variant, arguments| {
            refuse_variant(variant, "gui", "the page selects the variant")?;
            run_parsed(arguments, run)
        },
        Arguments::command,
    ),
};

/// Play, watch and analyse in the browser
#[derive(Parser, Clone, Debug)]
#[command(name = "agoge gui", version)]
struct Arguments {
    /// The port of the server, 0 for any free one; by default that of the last start, at first 8624
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// The folder in which games and settings are saved; by default one of your user account
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The folder of endgame tables, or 'none' for no tables; by default the folder 'tables' in that of --data
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
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

/// Serves the page until it has been closed for a minute, or a signal.
fn run(arguments: &Arguments) -> Result<u8, String> {
    let Arguments { port, data, tables, no_open, threads, hash } = arguments.clone();
    // The file that leads to the page is removed at the end.
    interrupt::listen(|| ())?;
    let tables = match tables {
        Some(folder) if folder.as_os_str() == tables::NONE => None,
        Some(folder) => Some(folder),
        // Without a folder nothing is saved, either.
        None => server::tables_folder(data.clone()).ok(),
    };
    server::run(Settings { port, data, tables, open: !no_open, threads, hash }, interrupt::received).map(|()| 0)
}
