//! The table of three men that is embedded in the engine: see [`agoge_core::tables::three_men`].

use crate::files::{self, FORCE_HINT};
use crate::terminal::{CommandResult, Status, unwritable};
use agoge_core::tables::{Squares, three_men};
use agoge_core::types::{Colour, Square};
use agoge_solver::{Error, Store, board};
use clap::Args;
use std::path::PathBuf;

const CLASSES: [&str; 8] = ["KQvk", "KRvk", "KPvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "Kvkh"];

#[derive(Args)]
pub struct Arguments {
    /// The output file, engine/core/data/three-men.dtm
    out: PathBuf,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> CommandResult {
    files::check_new(&arguments.out, arguments.force, FORCE_HINT)?;
    let bytes = contents()?;
    files::write_new(&arguments.out, &bytes, arguments.force).map_err(unwritable(&arguments.out))?;
    Ok(Status::Success)
}

/// The contents of the embedded file: the distances to mate of all positions with three men.
///
/// # Errors
/// None without a bug: three men need neither files nor much memory.
pub fn contents() -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; three_men::SIZE];
    let mut store = Store::default();
    for name in CLASSES {
        let Ok(class) = name.parse() else { continue };
        let solved = store.solved(&class)?;
        // The embedded file knows fewer symmetries than the tables.
        for number in 0..64 * 64 * 64 {
            let squares = [number >> 12, number >> 6, number].map(|square| Square::new((square & 63) as u8));
            let squares: Squares = squares.into_iter().collect();
            for side in Colour::ALL {
                // Only legal positions have an index.
                if let Some(position) = board(&class, &squares, side)
                    && let Some(value) = solved.value(&squares, side)
                    && let Some(index) = three_men::index(&position)
                {
                    bytes[index] = three_men::to_byte(value);
                }
            }
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_up_to_date() {
        assert!(contents().unwrap() == three_men::EMBEDDED, "write it again with `agoge-bench three-men`");
    }
}
