//! Writes the training positions of games as packed records, for trainers outside this program.

use super::data::{Dataset, Source};
use super::position::Position;
use crate::terminal::{CommandResult, Error, Status, failed, unwritable, usage};
use crate::{files, outln};
use clap::Args;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// The output directory, for training.positions and validation.positions
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite earlier files
    #[arg(long)]
    force: bool,
    /// The seed of the choice of validation games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    source: Source,
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let Arguments { out, force, seed, source } = arguments;
    source.check()?;
    let paths = ["training.positions", "validation.positions"].map(|name| out.join(name));
    fs::create_dir_all(out).map_err(|error| failed(format!("{}: {error}", out.display())))?;
    for path in &paths {
        files::check_new(path, *force, files::FORCE_HINT).map_err(usage)?;
    }
    let data = Dataset::read(&source.with_seed(*seed))?;
    outln!("{}", data.tally);
    for (path, positions) in paths.iter().zip([&data.training, &data.validation]) {
        write(path, positions, *force)?;
        outln!("{}: {} positions", path.display(), positions.len());
    }
    Ok(Status::Success)
}

fn write(path: &Path, positions: &[Position], force: bool) -> Result<(), Error> {
    let written = files::write_new_by(path, force, |file| {
        let mut file = BufWriter::new(file);
        positions.iter().try_for_each(|position| file.write_all(&position.bytes()))?;
        file.flush()
    });
    written.map_err(unwritable(path))
}
