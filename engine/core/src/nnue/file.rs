//! The file format of quantised networks.
//!
//! A header of 128 bytes, then the weights; all integers little-endian:
//!
//! | Offset | Bytes | Content |
//! | --- | --- | --- |
//! | 0 | 8 | `AGOGENET` |
//! | 8 | 4 | format version: 2 |
//! | 12 | 4 | CRC-32 of [`ARCHITECTURE`] |
//! | 16 | 4 each | features, width of the accumulator, output heads, QA, QB, scale |
//! | 40 | 4 | CRC-32 of the whole file with these four bytes zero |
//! | 44 | 20 | zero |
//! | 64 | 64 | name, UTF-8, padded with zero bytes |
//! | 128 | 2 each | feature weights, feature by feature |
//! | | 2 each | biases of the accumulator |
//! | | 2 each | output weights, head by head |
//! | | 4 each | biases of the heads |

use super::arch::{
    ARCHITECTURE, HEADS, HIDDEN, INPUTS, MAX_BIAS, MAX_FEATURE_WEIGHT, MAX_HEAD_SUM, MAX_OUTPUT_WEIGHT, QA, QB, SCALE,
};
use crate::files::read_file;
use crate::pages::PageBox;
use bytemuck::Zeroable;
use std::fmt;
use std::path::Path;

const MAGIC: [u8; 8] = *b"AGOGENET";
const VERSION: u32 = 2;
const HEADER_BYTES: usize = 128;
const CHECKSUM_AT: usize = 40;
const NAME_AT: usize = 64;

/// The maximum length of a network's name, in bytes.
pub const MAX_NAME: usize = HEADER_BYTES - NAME_AT;

/// The length of a file, in bytes.
pub const FILE_BYTES: usize = HEADER_BYTES + 2 * (INPUTS + 1 + HEADS) * HIDDEN + 4 * HEADS;

/// The length up to which a file is read, in bytes.
pub const MAX_FILE: u64 = 64 << 20;

/// The shape fields of the header, in file order.
const SHAPE: [(&str, u32); 6] = [
    ("features", INPUTS as u32),
    ("neurons", HIDDEN as u32),
    ("heads", HEADS as u32),
    ("as QA", QA as u32),
    ("as QB", QB as u32),
    ("as scale", SCALE as u32),
];

/// One integer for each neuron of the accumulator, aligned for all vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Row(pub [i16; HIDDEN]);

// SAFETY: an array of integers without padding.
unsafe impl Zeroable for Row {}

impl Row {
    /// All zero.
    pub const ZERO: Self = Self([0; HIDDEN]);
}

/// Why a network cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetworkError {
    /// The file cannot be read, for this reason.
    Unreadable(String),
    /// The file does not start with the magic bytes.
    Magic,
    /// The file has this other format version.
    Version(u32),
    /// The network has another architecture, with this hash.
    Architecture(u32),
    /// A shape field is wrong.
    Shape {
        /// The field.
        what: &'static str,
        /// Its value in this program.
        expected: u32,
        /// Its value in the file.
        found: u32,
    },
    /// The file is too short or too long.
    Length {
        /// The correct length in bytes.
        expected: usize,
        /// The length of the file in bytes.
        found: usize,
    },
    /// The checksum is wrong: the file is damaged.
    Checksum,
    /// The name is empty, too long, not UTF-8, or has control characters.
    Name,
    /// These weights are so large that sums could overflow.
    Weights(&'static str),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(cause) => f.write_str(cause),
            Self::Magic => f.write_str("not a network file"),
            Self::Version(version) => write!(f, "a network file of version {version}, not {VERSION}"),
            Self::Architecture(hash) => {
                write!(f, "a network of another architecture ({hash:08x}, not {:08x})", architecture_hash())
            }
            Self::Shape { what, expected, found } => write!(f, "a network with {found} {what}, not {expected}"),
            Self::Length { expected, found } => write!(f, "{found} bytes, not {expected}"),
            Self::Checksum => f.write_str("wrong checksum: the file is damaged"),
            Self::Name => write!(f, "the name is not 1 to {MAX_NAME} bytes of printable text"),
            Self::Weights(which) => write!(f, "the {which} are so large that sums could overflow"),
        }
    }
}

impl std::error::Error for NetworkError {}

fn architecture_hash() -> u32 {
    crc32fast::hash(ARCHITECTURE.as_bytes())
}

/// A quantised network, see [`super::arch`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    name: String,
    feature_weights: PageBox<[Row; INPUTS]>,
    biases: Box<Row>,
    output_weights: Box<[Row; HEADS]>,
    output_biases: [i32; HEADS],
}

impl Network {
    /// A network that evaluates every position as 0.
    ///
    /// # Panics
    /// If there is not enough memory.
    pub fn zeroed() -> Self {
        Self::try_zeroed().expect("memory for a network")
    }

    /// The same; `None` if there is not enough memory.
    fn try_zeroed() -> Option<Self> {
        Some(Self {
            name: "zero".to_owned(),
            feature_weights: PageBox::zeroed()?,
            biases: Box::new(Row::ZERO),
            output_weights: Box::new([Row::ZERO; HEADS]),
            output_biases: [0; HEADS],
        })
    }

    /// The name of the network.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks that a name is 1 to [`MAX_NAME`] bytes without control characters.
    ///
    /// # Errors
    /// [`NetworkError::Name`] if it is not.
    pub fn check_name(name: &str) -> Result<(), NetworkError> {
        let is_valid = (1..=MAX_NAME).contains(&name.len()) && !name.contains(char::is_control);
        if is_valid { Ok(()) } else { Err(NetworkError::Name) }
    }

    /// Renames the network.
    ///
    /// # Errors
    /// As [`Self::check_name`].
    pub fn set_name(&mut self, name: &str) -> Result<(), NetworkError> {
        Self::check_name(name)?;
        name.clone_into(&mut self.name);
        Ok(())
    }

    /// The weights of each feature.
    #[inline]
    pub fn feature_weights(&self) -> &[Row; INPUTS] {
        &self.feature_weights
    }

    /// The weights of each feature. The caller must keep to the bounds of [`Self::check`].
    pub fn feature_weights_mut(&mut self) -> &mut [Row; INPUTS] {
        &mut self.feature_weights
    }

    /// The accumulator of an empty board.
    #[inline]
    pub fn biases(&self) -> &Row {
        &self.biases
    }

    /// The accumulator of an empty board. The caller must keep to the bounds of [`Self::check`].
    pub fn biases_mut(&mut self) -> &mut Row {
        &mut self.biases
    }

    /// The weights of each head.
    #[inline]
    pub fn output_weights(&self) -> &[Row; HEADS] {
        &self.output_weights
    }

    /// The weights of each head. The caller must keep to the bounds of [`Self::check`].
    pub fn output_weights_mut(&mut self) -> &mut [Row; HEADS] {
        &mut self.output_weights
    }

    /// The bias of each head, in units of 1 / [`super::arch::OUTPUT_ONE`].
    #[inline]
    pub fn output_biases(&self) -> &[i32; HEADS] {
        &self.output_biases
    }

    /// The bias of each head.
    pub fn output_biases_mut(&mut self) -> &mut [i32; HEADS] {
        &mut self.output_biases
    }

    /// Checks that all weights are within the bounds that keep sums from overflowing.
    ///
    /// # Errors
    /// [`NetworkError::Weights`] with the kind of weights that are not.
    pub fn check(&self) -> Result<(), NetworkError> {
        let bounded = |row: &Row, bound: i16| row.0.iter().all(|&weight| (-bound..=bound).contains(&weight));
        if !self.feature_weights.iter().all(|row| bounded(row, MAX_FEATURE_WEIGHT)) {
            return Err(NetworkError::Weights("feature weights"));
        }
        if !bounded(&self.biases, MAX_BIAS) {
            return Err(NetworkError::Weights("biases"));
        }
        if !self.accumulators_fit() {
            return Err(NetworkError::Weights("feature weights"));
        }
        let sum = |row: &Row, sign: i32| row.0.iter().map(|&weight| (sign * i32::from(weight)).max(0)).sum::<i32>();
        let sums_fit = |row: &Row| [1, -1].into_iter().all(|sign| sum(row, sign) <= MAX_HEAD_SUM);
        if !self.output_weights.iter().all(|row| bounded(row, MAX_OUTPUT_WEIGHT) && sums_fit(row)) {
            return Err(NetworkError::Weights("output weights"));
        }
        Ok(())
    }

    /// Whether no accumulator leaves the range of i16, with any pieces on any number of squares.
    fn accumulators_fit(&self) -> bool {
        const SQUARES: usize = 64;
        let [mut least, mut most] = [self.biases.0.map(i32::from); 2];
        for square in 0..SQUARES {
            let [mut smallest, mut largest] = [Row::ZERO; 2];
            for row in self.feature_weights.iter().skip(square).step_by(SQUARES) {
                for (i, &weight) in row.0.iter().enumerate() {
                    smallest.0[i] = smallest.0[i].min(weight);
                    largest.0[i] = largest.0[i].max(weight);
                }
            }
            least.iter_mut().zip(smallest.0).for_each(|(sum, weight)| *sum += i32::from(weight));
            most.iter_mut().zip(largest.0).for_each(|(sum, weight)| *sum += i32::from(weight));
        }
        least.iter().chain(&most).all(|&sum| i16::try_from(sum).is_ok())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a network that this program can use.
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let bytes = read_file(path, MAX_FILE).map_err(|error| NetworkError::Unreadable(error.to_string()))?;
        Self::from_bytes(&bytes)
    }

    /// Parses the contents of a file.
    ///
    /// # Errors
    /// If the bytes are not a complete, undamaged network that this program can use.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let length = NetworkError::Length { expected: FILE_BYTES, found: bytes.len() };
        if !MAGIC.iter().zip(bytes).all(|(expected, found)| expected == found) {
            return Err(NetworkError::Magic);
        }
        if bytes.len() < HEADER_BYTES {
            return Err(length);
        }
        let mut reader = Reader(&bytes[MAGIC.len()..]);
        match reader.u32() {
            VERSION => {}
            version => return Err(NetworkError::Version(version)),
        }
        let hash = reader.u32();
        if hash != architecture_hash() {
            return Err(NetworkError::Architecture(hash));
        }
        for (what, expected) in SHAPE {
            let found = reader.u32();
            if found != expected {
                return Err(NetworkError::Shape { what, expected, found });
            }
        }
        if bytes.len() != FILE_BYTES {
            return Err(length);
        }
        if reader.u32() != checksum(bytes) {
            return Err(NetworkError::Checksum);
        }
        let name = bytes[NAME_AT..HEADER_BYTES].split(|&byte| byte == 0).next().unwrap_or_default();
        let name = std::str::from_utf8(name).map_err(|_| NetworkError::Name)?;
        let no_memory = || NetworkError::Unreadable("there is not enough memory for it".to_owned());
        let mut network = Self::try_zeroed().ok_or_else(no_memory)?;
        network.set_name(name)?;
        let mut reader = Reader(&bytes[HEADER_BYTES..]);
        network.feature_weights.iter_mut().for_each(|row| reader.row(row));
        reader.row(&mut network.biases);
        network.output_weights.iter_mut().for_each(|row| reader.row(row));
        network.output_biases.iter_mut().for_each(|bias| *bias = reader.u32().cast_signed());
        network.check()?;
        Ok(network)
    }

    /// The contents of a file. Readers refuse it unless the weights are within their bounds ([`Self::check`]).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FILE_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(architecture_hash().to_le_bytes());
        bytes.extend(SHAPE.iter().flat_map(|(_, value)| value.to_le_bytes()));
        bytes.resize(NAME_AT, 0);
        bytes.extend(self.name.as_bytes());
        bytes.resize(HEADER_BYTES, 0);
        let rows = self.feature_weights.iter().chain([&*self.biases]).chain(self.output_weights.iter());
        bytes.extend(rows.flat_map(|row| row.0).flat_map(i16::to_le_bytes));
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        let checksum = checksum(&bytes);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }
}

/// The checksum of a file with at least a complete header.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM_AT]);
    hasher.update(&[0; 4]);
    hasher.update(&bytes[CHECKSUM_AT + 4..]);
    hasher.finalize()
}

/// Reads integers from bytes. Missing bytes at the end read as zero.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *taken
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn row(&mut self, row: &mut Row) {
        row.0.iter_mut().for_each(|weight| *weight = i16::from_le_bytes(self.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> Network {
        let mut network = Network::zeroed();
        network.set_name("a net, ἀγωγή").expect("a name");
        for (i, row) in network.feature_weights.iter_mut().enumerate() {
            row.0.iter_mut().enumerate().for_each(|(j, weight)| *weight = (i * 31 + j * 17) as i16 % 505);
        }
        network.biases.0.iter_mut().enumerate().for_each(|(j, bias)| *bias = j as i16 - 256);
        for (i, row) in network.output_weights.iter_mut().enumerate() {
            row.0
                .iter_mut()
                .enumerate()
                .for_each(|(j, weight)| *weight = (i + j) as i16 % 128 * (1 - 2 * (j as i16 % 2)));
        }
        network.output_biases.iter_mut().enumerate().for_each(|(i, bias)| *bias = i as i32 * 1_000_003 - 8_000_000);
        network
    }

    #[test]
    fn written_networks_are_read_back() {
        let network = network();
        let bytes = network.to_bytes();
        assert_eq!(bytes.len(), FILE_BYTES);
        assert_eq!(Network::from_bytes(&bytes).as_ref(), Ok(&network));
        assert_eq!(std::ptr::from_ref(network.biases()).addr() % 64, 0);
    }

    #[test]
    fn truncated_files_are_refused() {
        let bytes = network().to_bytes();
        let ends = 2 * HEADER_BYTES;
        let is_end = |length| !(ends..FILE_BYTES - ends).contains(&length);
        let tested = |&length: &usize| crate::full_tests() || is_end(length) || length.is_multiple_of(1009);
        for length in (0..FILE_BYTES).filter(tested) {
            let error = Network::from_bytes(&bytes[..length]).expect_err("too short");
            assert_eq!(error, NetworkError::Length { expected: FILE_BYTES, found: length }, "{length}");
        }
        let longer = [&bytes[..], &[0]].concat();
        let expected = NetworkError::Length { expected: FILE_BYTES, found: FILE_BYTES + 1 };
        assert_eq!(Network::from_bytes(&longer), Err(expected));
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = network().to_bytes();
        for at in (0..HEADER_BYTES + 8).chain([FILE_BYTES / 2, FILE_BYTES - 1]) {
            for flip in [1, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let error = Network::from_bytes(&damaged).expect_err("damaged");
                assert!(!error.to_string().is_empty());
                match at {
                    0..8 => assert_eq!(error, NetworkError::Magic),
                    8..12 => assert!(matches!(error, NetworkError::Version(_))),
                    12..16 => assert!(matches!(error, NetworkError::Architecture(_))),
                    16..40 => assert!(matches!(error, NetworkError::Shape { .. })),
                    _ => assert_eq!(error, NetworkError::Checksum),
                }
            }
        }
    }

    #[test]
    fn weights_that_could_overflow_are_refused() {
        // Each weight is within its bound, but not their sum over the squares.
        fn large(network: &mut Network, weight: i16) {
            network.biases_mut().0[7] = 0;
            network.feature_weights_mut()[128..192].iter_mut().for_each(|row| row.0[7] = weight);
        }
        let refused = |change: fn(&mut Network)| {
            let mut network = network();
            change(&mut network);
            Network::from_bytes(&network.to_bytes()).expect_err("too large")
        };
        let weights = NetworkError::Weights;
        assert_eq!(refused(|net| net.feature_weights_mut()[INPUTS - 1].0[511] = 1009), weights("feature weights"));
        assert_eq!(refused(|net| net.feature_weights_mut()[0].0[0] = i16::MIN), weights("feature weights"));
        assert_eq!(refused(|net| net.biases_mut().0[3] = -1023), weights("biases"));
        assert_eq!(refused(|net| large(net, 513)), weights("feature weights"));
        assert_eq!(refused(|net| large(net, -513)), weights("feature weights"));
        assert_eq!(refused(|net| net.output_weights_mut()[15].0[0] = i16::MIN), weights("output weights"));
        assert_eq!(refused(|net| net.output_weights_mut()[7].0.fill(-16_384)), weights("output weights"));
    }

    #[test]
    fn names_are_checked() {
        let mut network = network();
        for name in ["", "two\nlines", &"x".repeat(MAX_NAME + 1)] {
            assert_eq!(network.set_name(name), Err(NetworkError::Name));
        }
        network.set_name(&"x".repeat(MAX_NAME)).expect("as long as may be");
        assert_eq!(Network::from_bytes(&network.to_bytes()), Ok(network));
    }
}
