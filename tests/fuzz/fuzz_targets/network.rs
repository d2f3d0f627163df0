//! A network file with some bytes changed and a valid or invalid checksum: it is refused, or all SIMD levels compute
//! the same values.

#![no_main]

use agoge_core::board::{Board, Variant};
use agoge_core::nnue::{Accumulators, FILE_BYTES, Kernels, Level, Network, evaluate_full};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| Network::zeroed().to_bytes());

/// The bytes of the checksum.
const CHECKSUM: std::ops::Range<usize> = 40..44;

fuzz_target!(|data: &[u8]| {
    let _ = Network::from_bytes(data);
    let Some((&[flags, length_low, length_high], patches)) = data.split_first_chunk() else { return };
    let mut bytes = GOOD.clone();
    for patch in patches.chunks_exact(5) {
        // Three bytes are the position, the other two the new bytes (the size of a weight).
        let at = usize::from(patch[0]) << 16 | usize::from(patch[1]) << 8 | usize::from(patch[2]);
        // Half of the patches are in the header.
        let at = if patch[0] & 0x80 != 0 { at % 128 } else { at % (FILE_BYTES - 1) };
        bytes[at..at + 2].copy_from_slice(&patch[3..5]);
    }
    if flags & 1 != 0 {
        bytes[CHECKSUM].fill(0);
        let checksum = crc32fast::hash(&bytes);
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    }
    if flags & 2 != 0 {
        bytes.truncate(usize::from(length_high) << 8 | usize::from(length_low));
    }
    let Ok(network) = Network::from_bytes(&bytes) else { return };
    network.check().expect("an accepted network is within its bounds");
    assert_eq!(Network::from_bytes(&network.to_bytes()).as_ref(), Ok(&network));
    let network = Arc::new(network);
    for kernels in Level::ALL.into_iter().filter_map(Kernels::new) {
        let mut accumulators = Accumulators::new(Arc::clone(&network), kernels);
        // Each position differs from the one before with White's king on the same half.
        for fen in [
            "8/8/2k5/8/8/8/4P3/6K1 b - - 0 1",
            Variant::Spartan.start_fen(),
            "8/8/2k5/8/3l4/8/4P3/1K6 w - - 0 1",
            "8/8/2k5/3w4/8/8/4P3/6K1 w - - 0 1",
        ] {
            let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
            assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board));
        }
    }
});
