//! `theory compact`: the compact form of the EPD, which the program embeds and the page loads.

use crate::files;
use crate::terminal::{CommandResult, Error, Status, check_output, failed, is_stdout, unreadable, unwritable};
use agoge_core::theory::Theory;
use clap::Args;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// The EPD
    #[arg(default_value = "positions/theory.epd")]
    file: PathBuf,
    /// The file to write; - for stdout
    #[arg(long, value_name = "FILE", default_value = "engine/core/data/theory.bin")]
    out: PathBuf,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> CommandResult {
    check_output(&arguments.out, arguments.force)?;
    let text = fs::read_to_string(&arguments.file).map_err(unreadable(&arguments.file))?;
    let theory = Theory::parse(&text).map_err(unreadable(&arguments.file))?;
    write(&theory, &arguments.out, arguments.force)?;
    Ok(Status::Success.after_printing())
}

/// Writes the compact form to a file or to stdout, after a check that it has all positions.
pub fn write(theory: &Theory, path: &Path, force: bool) -> Result<(), Error> {
    let bytes = theory.to_bytes();
    if Theory::from_bytes(&bytes).as_ref() != Ok(theory) {
        return Err(failed("the compact form differs: the moves of theory do not reach all its positions"));
    }
    if is_stdout(path) {
        return std::io::stdout().write_all(&bytes).map_err(unwritable(path));
    }
    files::write_new(path, &bytes, force).map_err(unwritable(path))
}
