//! The tables of four men that are embedded in the engine: see [`agoge_core::tables::four_men`].

use agoge_core::tables::four_men::CLASSES;
use agoge_core::tables::three_men;
use agoge_solver::{Error, Store, encode};

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
        let half = solved.indices() / 2;
        let mut elements = vec![u16::MAX; half];
        for index in 0..solved.indices() {
            if let Some((_, value)) = solved.get(index).filter(|(board, _)| board.side_to_move() == weaker) {
                elements[index % half] = three_men::to_byte(value).into();
            }
        }
        bytes.extend(encode(&elements));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::tables::four_men::EMBEDDED;

    #[test]
    fn the_embedded_tables_are_up_to_date() {
        assert!(contents().unwrap() == EMBEDDED, "write them again with `agoge-bench embedded-tables`");
    }
}
