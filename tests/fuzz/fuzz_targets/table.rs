//! A table file with any contents and a correct or wrong header: it is refused, or has some value for every index.

#![no_main]

use agoge_core::tables::codec::BLOCK;
use agoge_core::tables::{HEADER_BYTES, MAGIC, Table, VERSION};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = Table::from_bytes(data.to_vec());
    if data.len() < HEADER_BYTES {
        return;
    }
    let mut bytes = data.to_vec();
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let length = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[16..]);
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    let Ok(table) = Table::from_bytes(bytes) else { return };
    let end = table.numbering().len();
    for index in (0..end).step_by(end / 97 + 1).chain([end - 1]) {
        let _ = table.value_at(index);
    }
    // Larger classes have too many blocks.
    if table.class().len() < 4 {
        (0..end.div_ceil(BLOCK)).for_each(|block| drop(table.block(block)));
    }
});
