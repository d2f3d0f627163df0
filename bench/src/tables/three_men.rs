//! The table of three men that is embedded in the engine: see [`agoge_core::tables::three_men`].

use agoge_core::tables::{Squares, three_men};
use agoge_core::types::{Colour, Square};
use agoge_solver::{Error, Store, board};

const CLASSES: [&str; 8] = ["KQvk", "KRvk", "KPvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "Kvkh"];

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
        assert!(contents().unwrap() == three_men::EMBEDDED, "write it again with `agoge-bench embedded-tables`");
    }
}
