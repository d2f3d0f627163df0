//! Writes the tablebase of three men that the engine embeds (see `agoge::tablebase`).

use super::three_men::three_men;
use crate::cli::{CommandResult, Status, failed, unwritable};
use crate::files::{self, FORCE_HINT};
use clap::Args;
use std::path::PathBuf;

/// Solves all endgames of three men and writes the file that the engine embeds.
#[derive(Args)]
pub struct Arguments {
    /// The output file, engine/tablebases/three-men.dtm
    out: PathBuf,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// Invalid arguments or files.
pub fn run(arguments: &Arguments) -> CommandResult {
    files::check_new(&arguments.out, arguments.force, FORCE_HINT)?;
    let bytes = three_men().map_err(|error| failed(error.to_string()))?;
    files::write_new(&arguments.out, &bytes, arguments.force).map_err(unwritable(&arguments.out))?;
    Ok(Status::Success)
}
