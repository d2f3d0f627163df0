//! The tablebase that is embedded in the engine: see [`agoge::tablebase`].

use super::solved::board;
use super::store::{Store, StoreError};
use agoge::tablebase;
use agoge::tables::{Squares, Value};
use agoge::types::{Colour, Square};

/// The classes of the embedded tablebase.
const CLASSES: [&str; 8] = ["KQvk", "KRvk", "KPvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "Kvkh"];

/// The contents of the embedded file: the distances to mate of all positions with three men.
///
/// # Errors
/// None without a bug: three men need neither files nor much memory.
pub fn three_men() -> Result<Vec<u8>, StoreError> {
    let mut bytes = vec![0; tablebase::SIZE];
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
                    && let Some(index) = tablebase::index(&position)
                {
                    bytes[index] = embedded(value).to_byte();
                }
            }
        }
    }
    Ok(bytes)
}

/// The value as it is embedded.
fn embedded(value: Value) -> tablebase::Value {
    let plies = value.dtm.unwrap_or(0) as u8;
    if value.wdl.is_win() {
        tablebase::Value::Win(plies)
    } else if value.wdl.is_loss() {
        tablebase::Value::Loss(plies)
    } else {
        tablebase::Value::Draw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_tablebase_is_up_to_date() {
        assert!(three_men().unwrap() == tablebase::EMBEDDED, "write it again with `agoge-bench tablebase`");
    }
}
