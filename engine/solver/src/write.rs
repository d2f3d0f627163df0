//! Writing table files. [`agoge_core::tables`] describes the format.

use super::encode::{ANY, encode};
use super::solved::Solved;
use agoge_core::tables::{MAGIC, NAME_BYTES, VERSION, Value};
use rayon::prelude::*;

/// The length from which the sections are encoded one after the other.
const MANY_ELEMENTS: usize = 1 << 26;

pub fn contents(solved: &Solved) -> Vec<u8> {
    let element: [fn(Value) -> u16; 3] = [
        |value| value.wdl as u16,
        |value| value.dtz.filter(|_| value.wdl.is_win() || value.wdl.is_loss()).unwrap_or(ANY),
        // The winner's moves: an odd number of plies if it is to move.
        |value| match value.dtm {
            Some(plies) if value.wdl.is_win() || value.wdl.is_loss() => plies.div_ceil(2),
            _ => ANY,
        },
    ];
    // One section after the other if the elements of all would take much memory.
    let sections_per_task = if solved.indices() > MANY_ELEMENTS { element.len() } else { 1 };
    let sections: Vec<Vec<u8>> = element
        .par_iter()
        .with_min_len(sections_per_task)
        .map(|element| encode(&solved.values().map(|value| value.map_or(ANY, element)).collect::<Vec<u16>>()))
        .collect();

    let mut name = [0; NAME_BYTES];
    for (byte, letter) in name.iter_mut().zip(solved.class().to_string().bytes()) {
        *byte = letter;
    }
    let mut checked = Vec::new();
    let before = MAGIC.len() + 8;
    let length = before + 8 + name.len() + 8 + sections.iter().map(Vec::len).sum::<usize>();
    checked.extend((length as u64).to_le_bytes());
    checked.extend(name);
    checked.extend((sections.len() as u32).to_le_bytes());
    checked.extend(0u32.to_le_bytes());
    checked.extend(sections.into_iter().flatten());
    let mut out = Vec::with_capacity(length);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(crc32fast::hash(&checked).to_le_bytes());
    out.extend(checked);
    out
}
