//! The tables of four men that are embedded in the engine: see [`agoge_core::tables::four_men`].

use agoge_core::tables::four_men::{self, CLASSES};
use agoge_solver::{Error, Store, board, encode};

/// The contents of the embedded file.
///
/// # Errors
/// None without a bug: four men need neither files nor much memory.
pub fn contents() -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut store = Store::default();
    for (name, weaker) in CLASSES {
        let Ok(class) = name.parse() else { continue };
        let solved = store.solved(&class)?;
        let numbering = solved.numbering();
        let mut elements = vec![u16::MAX; numbering.len() / 2];
        for index in 0..numbering.len() {
            let (squares, side) = numbering.position(index);
            // Only legal positions have an index, and symmetric ones share it.
            if side == weaker
                && numbering.index(&squares, side) == index
                && board(&class, &squares, side).is_some()
                && let Some(value) = solved.at(index)
            {
                elements[four_men::index(numbering, &squares, side)] = four_men::to_element(value);
            }
        }
        bytes.extend(encode(&elements));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_tables_are_up_to_date() {
        assert!(contents().unwrap() == four_men::EMBEDDED, "write them again with `agoge-bench embedded-tables`");
    }
}
