//! Writes the tablebase of three men that the engine embeds (see `agoge::tablebase`).

use agoge_bench::cli;
use agoge_bench::endgame::three_men;
use agoge_bench::files::{self, FORCE_HINT};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Solves all endgames of three men and writes the file that the engine embeds.
#[derive(Parser)]
struct Arguments {
    /// The output file, engine/tablebases/three-men.dtm
    out: PathBuf,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    files::check_new(&arguments.out, arguments.force, FORCE_HINT)?;
    let bytes = three_men();
    files::write_new(&arguments.out, &bytes, arguments.force)
        .map_err(|error| format!("{}: {error}", arguments.out.display()))?;
    Ok(true)
}

fn main() -> ExitCode {
    cli::exit_code_of_check(run(&cli::parse()))
}
