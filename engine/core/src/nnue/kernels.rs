//! The two inner loops of the network, compiled for each SIMD level.
//!
//! Each loop is written in plain code, and compiled for every [`Level`]. Where compilers use only half of the vectors,
//! it is also written with intrinsics. All arithmetic is exact integer arithmetic, so every level gives the same
//! values.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use super::arch::activation;
use super::arch::{HIDDEN, INPUTS};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::arch::{QA, SHIFT};
use super::file::Row;
use once_cell::sync::Lazy;
use std::fmt;

/// A SIMD level: a set of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The instructions that the program was compiled for.
    Scalar,
    /// x86-64 with 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// x86-64 with 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// x86-64 with 512-bit vectors and multiply-accumulate instructions.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    /// ARM with 128-bit vectors.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// The environment variable that forces a level by its name, for tests. Unavailable levels are ignored.
const FORCE: &str = "AGOGE_SIMD";

impl Level {
    /// All levels of this architecture, the slowest first.
    #[cfg(target_arch = "x86_64")]
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Avx2, Self::Avx512, Self::Avx512Vnni];
    /// All levels of this architecture, the slowest first.
    #[cfg(target_arch = "aarch64")]
    pub const ALL: [Self; 2] = [Self::Scalar, Self::Neon];
    /// All levels of this architecture, the slowest first.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub const ALL: [Self; 1] = [Self::Scalar];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => "avx512vnni",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
        }
    }

    /// Whether this machine supports the instructions.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => Self::Avx512.is_available() && is_x86_feature_detected!("avx512vnni"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kernels of a level that this machine supports: the proof that its instructions may be executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernels(Level);

static BEST: Lazy<Kernels> = Lazy::new(|| {
    let forced = std::env::var(FORCE).ok();
    let wanted = |level: &Level| forced.as_ref().is_none_or(|name| level.name().eq_ignore_ascii_case(name));
    let available = || Level::ALL.into_iter().rev().filter_map(Kernels::new);
    available().find(|kernels| wanted(&kernels.0)).or_else(|| available().next()).unwrap_or(Kernels(Level::Scalar))
});

impl Kernels {
    /// The kernels of a level; `None` if the machine does not support it.
    pub fn new(level: Level) -> Option<Self> {
        level.is_available().then_some(Self(level))
    }

    /// The kernels of the highest level that the machine supports. The environment variable `AGOGE_SIMD` selects
    /// another one, for tests.
    pub fn best() -> Self {
        *BEST
    }

    /// The level.
    pub fn level(self) -> Level {
        self.0
    }

    /// Adds the rows of `weights` with indices in `added`, and subtracts those in `removed`. Sums wrap.
    #[inline]
    pub fn update(self, row: &mut Row, weights: &[Row; INPUTS], added: &[u16], removed: &[u16]) {
        match self.0 {
            Level::Scalar => update::<64>(row, weights, added, removed),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernels::new` has checked that this machine has the features, and nothing else constructs
            // `Kernels` of this level.
            Level::Avx2 => unsafe { avx2::update(row, weights, added, removed) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx512 | Level::Avx512Vnni => unsafe { avx512::update(row, weights, added, removed) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Level::Neon => unsafe { neon::update(row, weights, added, removed) },
        }
    }

    /// The sum over all neurons of the squared clipped accumulator times the weight, in units of 1 /
    /// [`super::arch::OUTPUT_ONE`]. It fits an i32: see [`super::arch::MAX_HEAD_SUM`].
    #[inline]
    pub fn sum(self, accumulator: &Row, weights: &Row) -> i32 {
        match self.0 {
            Level::Scalar => sum(accumulator, weights),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernels::new` has checked that this machine has the features, and nothing else constructs
            // `Kernels` of this level.
            Level::Avx2 => unsafe { avx2::sum(accumulator, weights) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx512 => unsafe { avx512::sum(accumulator, weights) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx512Vnni => unsafe { avx512::sum_vnni(accumulator, weights) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Level::Neon => unsafe { neon::sum(accumulator, weights) },
        }
    }
}

/// With intrinsics, since a module that is compiled for size has no loops of vectors otherwise.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn update<const TILE: usize>(row: &mut Row, weights: &[Row; INPUTS], added: &[u16], removed: &[u16]) {
    use std::arch::wasm32::*;
    const LANES: usize = 8;
    const VECTORS: usize = 8;
    const { assert!(TILE == LANES * VECTORS && HIDDEN.is_multiple_of(TILE)) };
    let load = |tile: &[i16; TILE]| -> [v128; VECTORS] {
        std::array::from_fn(|i| {
            let lanes = &tile.as_chunks::<LANES>().0[i];
            // SAFETY: the array has 16 bytes; the load needs no alignment.
            unsafe { v128_load(lanes.as_ptr().cast()) }
        })
    };
    for (tile, sums) in row.0.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let vectors_of = |&feature: &u16| load(&weights[usize::from(feature)].0.as_chunks::<TILE>().0[tile]);
        let mut values = load(sums);
        for weights in added.iter().map(vectors_of) {
            values = std::array::from_fn(|i| i16x8_add(values[i], weights[i]));
        }
        for weights in removed.iter().map(vectors_of) {
            values = std::array::from_fn(|i| i16x8_sub(values[i], weights[i]));
        }
        for (lanes, value) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(values) {
            // SAFETY: the array has 16 bytes; the store needs no alignment.
            unsafe { v128_store(lanes.as_mut_ptr().cast(), value) };
        }
    }
}

/// `TILE` neurons at a time stay in registers while all rows are added and subtracted.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn update<const TILE: usize>(row: &mut Row, weights: &[Row; INPUTS], added: &[u16], removed: &[u16]) {
    const { assert!(HIDDEN.is_multiple_of(TILE)) };
    for (tile, sums) in row.0.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let tile_of = |&feature: &u16| &weights[usize::from(feature)].0.as_chunks::<TILE>().0[tile];
        let mut values = *sums;
        for weights in added.iter().map(tile_of) {
            for i in 0..TILE {
                values[i] = values[i].wrapping_add(weights[i]);
            }
        }
        for weights in removed.iter().map(tile_of) {
            for i in 0..TILE {
                values[i] = values[i].wrapping_sub(weights[i]);
            }
        }
        *sums = values;
    }
}

/// WebAssembly has an instruction for the last step that compilers do not find.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn sum(accumulator: &Row, weights: &Row) -> i32 {
    use std::arch::wasm32::*;
    const LANES: usize = 8;
    const { assert!(HIDDEN.is_multiple_of(LANES)) };
    let (zero, one) = (i16x8_splat(0), i16x8_splat(QA as i16));
    let mut sum = i32x4_splat(0);
    for (values, weights) in accumulator.0.chunks_exact(LANES).zip(weights.0.chunks_exact(LANES)) {
        // SAFETY: a chunk has 16 bytes; the load needs no alignment.
        let values = unsafe { v128_load(values.as_ptr().cast()) };
        // SAFETY: as above.
        let weights = unsafe { v128_load(weights.as_ptr().cast()) };
        let clipped = i16x8_min(i16x8_max(values, zero), one);
        let squares = [u32x4_extmul_low_u16x8(clipped, clipped), u32x4_extmul_high_u16x8(clipped, clipped)];
        let [low, high] = squares.map(|squares| u32x4_shr(squares, SHIFT));
        let activations = u16x8_narrow_i32x4(low, high);
        sum = i32x4_add(sum, i32x4_dot_i16x8(activations, weights));
    }
    let lanes = [
        i32x4_extract_lane::<0>(sum),
        i32x4_extract_lane::<1>(sum),
        i32x4_extract_lane::<2>(sum),
        i32x4_extract_lane::<3>(sum),
    ];
    lanes.into_iter().fold(0, i32::wrapping_add)
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn sum(accumulator: &Row, weights: &Row) -> i32 {
    let mut sum = 0i32;
    for i in 0..HIDDEN {
        sum = sum.wrapping_add(i32::from(activation(accumulator.0[i])) * i32::from(weights.0[i]));
    }
    sum
}

/// Compiles a loop for a set of processor features.
#[allow(unused_macros, reason = "other architectures have no levels")]
macro_rules! compiled_for {
    ($features:literal, update::<$tile:literal>) => {
        #[target_feature(enable = $features)]
        pub(super) fn update(row: &mut Row, weights: &[Row; INPUTS], added: &[u16], removed: &[u16]) {
            super::update::<$tile>(row, weights, added, removed);
        }
    };
    ($features:literal, sum) => {
        #[target_feature(enable = $features)]
        pub(super) fn sum(accumulator: &Row, weights: &Row) -> i32 {
            super::sum(accumulator, weights)
        }
    };
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::{INPUTS, Row};

    compiled_for!("neon", update::<128>);
    compiled_for!("neon", sum);
}

/// The loops with 256-bit vectors. Compilers would use 128 bits for the sum.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::super::arch::{QA, SHIFT};
    use super::{INPUTS, Row};
    use std::arch::x86_64::*;

    const LANES: usize = 16;

    /// The number of partial sums: each addition needs the result of the one before.
    const SUMS: usize = 2;

    compiled_for!("avx2", update::<128>);

    #[target_feature(enable = "avx2")]
    pub(super) fn sum(accumulator: &Row, weights: &Row) -> i32 {
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
        let mut sums = [zero; SUMS];
        let chunks = accumulator.0.as_chunks::<LANES>().0.iter().zip(weights.0.as_chunks::<LANES>().0);
        for (i, (values, weights)) in chunks.enumerate() {
            // SAFETY: the array has 32 bytes; the load needs no alignment.
            let values = unsafe { _mm256_loadu_si256(values.as_ptr().cast()) };
            // SAFETY: as above.
            let weights = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
            let clipped = _mm256_min_epi16(_mm256_max_epi16(values, zero), one);
            let activations = _mm256_mulhi_epu16(_mm256_slli_epi16::<{ 16 - SHIFT as i32 }>(clipped), clipped);
            sums[i % SUMS] = _mm256_add_epi32(sums[i % SUMS], _mm256_madd_epi16(activations, weights));
        }
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let sum = _mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum));
        _mm_cvtsi128_si32(sum).wrapping_add(_mm_extract_epi32::<1>(sum))
    }
}

/// The loops with 512-bit vectors. Compilers would use 256 bits only.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::super::arch::{QA, SHIFT};
    use super::{HIDDEN, INPUTS, Row};
    use std::arch::x86_64::*;

    /// A row as vectors of 32 integers.
    type Vectors = [__m512i; HIDDEN / 32];

    const _: () = assert!(size_of::<Row>() == size_of::<Vectors>() && align_of::<Row>() >= align_of::<Vectors>());

    /// The number of partial sums: each addition needs the result of the one before, which takes several cycles.
    const SUMS: usize = 4;

    fn vectors(row: &Row) -> &Vectors {
        // SAFETY: both types have the same size and a sufficient alignment, as asserted above, and no padding, and all
        // bits are valid for both.
        unsafe { &*std::ptr::from_ref(row).cast() }
    }

    fn vectors_mut(row: &mut Row) -> &mut Vectors {
        // SAFETY: as above.
        unsafe { &mut *std::ptr::from_mut(row).cast() }
    }

    /// The whole row stays in registers while others are added and subtracted.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn update(row: &mut Row, weights: &[Row; INPUTS], added: &[u16], removed: &[u16]) {
        let row_of = |&feature: &u16| vectors(&weights[usize::from(feature)]);
        let mut values = *vectors(row);
        for weights in added.iter().map(row_of) {
            for i in 0..values.len() {
                values[i] = _mm512_add_epi16(values[i], weights[i]);
            }
        }
        for weights in removed.iter().map(row_of) {
            for i in 0..values.len() {
                values[i] = _mm512_sub_epi16(values[i], weights[i]);
            }
        }
        *vectors_mut(row) = values;
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn sum(accumulator: &Row, weights: &Row) -> i32 {
        let mut sums = [_mm512_setzero_si512(); SUMS];
        for (i, (&values, &weights)) in vectors(accumulator).iter().zip(vectors(weights)).enumerate() {
            let products = _mm512_madd_epi16(activations(values), weights);
            sums[i % SUMS] = _mm512_add_epi32(sums[i % SUMS], products);
        }
        total(sums)
    }

    /// The same with an instruction that multiplies and adds.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn sum_vnni(accumulator: &Row, weights: &Row) -> i32 {
        let mut sums = [_mm512_setzero_si512(); SUMS];
        for (i, (&values, &weights)) in vectors(accumulator).iter().zip(vectors(weights)).enumerate() {
            sums[i % SUMS] = _mm512_dpwssd_epi32(sums[i % SUMS], activations(values), weights);
        }
        total(sums)
    }

    /// [`activation`](super::super::arch::activation) of 32 neurons.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn activations(values: __m512i) -> __m512i {
        let clipped = _mm512_min_epi16(_mm512_max_epi16(values, _mm512_setzero_si512()), _mm512_set1_epi16(QA as i16));
        _mm512_mulhi_epu16(_mm512_slli_epi16::<{ 16 - SHIFT }>(clipped), clipped)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn total([a, b, c, d]: [__m512i; SUMS]) -> i32 {
        _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d)))
    }
}
