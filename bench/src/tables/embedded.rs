//! Writing the tables that are embedded in the engine.

use super::{four_men, three_men};
use crate::files::{self, FORCE_HINT};
use crate::terminal::{CommandResult, Status, unwritable};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// The folder of the files three-men.dtm and four-men.dtm, engine/core/data
    folder: PathBuf,
    /// Overwrite the files
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let files = ["three-men.dtm", "four-men.dtm"].map(|name| arguments.folder.join(name));
    for file in &files {
        files::check_new(file, arguments.force, FORCE_HINT)?;
    }
    for (file, bytes) in files.iter().zip([three_men::contents()?, four_men::contents()?]) {
        files::write_new(file, &bytes, arguments.force).map_err(unwritable(file))?;
    }
    Ok(Status::Success)
}
