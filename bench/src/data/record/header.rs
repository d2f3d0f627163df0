//! The header of a file of games.

use super::RecordError;
use agoge_core::board::Variant;
use std::io::Read;

const MAGIC: &[u8; 8] = b"AGOGEREC";

const VERSION: u16 = 1;

/// The version of a file that has only a share of the numbers of a run. Such files are no longer written.
const SHARE_VERSION: u16 = 2;

/// The maximum length of each of the two texts in bytes.
const MAX_TEXT: usize = 1 << 20;

/// The settings with which the games of a file were generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub variant: Variant,
    /// The seed of all games; 0 in a file merged from files with different seeds.
    pub seed: u64,
    pub program: String,
    /// All settings that determine the games besides the seed and the program, as text for humans.
    pub settings: String,
}

impl Header {
    /// Encodes the header.
    ///
    /// # Errors
    /// If a text is longer than a mebibyte.
    pub(super) fn encode(&self) -> Result<Vec<u8>, RecordError> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([code(self.variant), 0]);
        bytes.extend(self.seed.to_le_bytes());
        for text in [&self.program, &self.settings] {
            if text.len() > MAX_TEXT {
                return Err(RecordError::Unwritable("the header is too long"));
            }
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads a header and returns it with its length in bytes.
    ///
    /// # Errors
    /// If there is no valid header or the file cannot be read.
    pub(super) fn read(input: &mut dyn Read) -> Result<(Self, u64), RecordError> {
        let mut scanner = Scanner { input, seen: Vec::new() };
        let (magic, version) = (scanner.array()?, u16::from_le_bytes(scanner.array()?));
        if magic != *MAGIC {
            return Err(RecordError::NotRecords);
        }
        if ![VERSION, SHARE_VERSION].contains(&version) {
            return Err(RecordError::Version(version));
        }
        let [variant, zero] = scanner.array()?;
        let seed = u64::from_le_bytes(scanner.array()?);
        if version == SHARE_VERSION {
            let _numbers: [u8; 16] = scanner.array()?;
        }
        let (program, settings) = (scanner.text()?, scanner.text()?);
        let sum = crc32fast::hash(&scanner.seen);
        if u32::from_le_bytes(scanner.array()?) != sum {
            return Err(RecordError::Header("its checksum is wrong"));
        }
        let variant = Variant::ALL.into_iter().find(|&known| code(known) == variant);
        let variant = variant.filter(|_| zero == 0).ok_or(RecordError::Header("its variant is unknown"))?;
        Ok((Self { variant, seed, program, settings }, scanner.seen.len() as u64))
    }
}

const fn code(variant: Variant) -> u8 {
    match variant {
        Variant::Spartan => 0,
        Variant::Chess => 1,
    }
}

/// A reader that keeps all bytes for the checksum.
struct Scanner<'a> {
    input: &'a mut dyn Read,
    seen: Vec<u8>,
}

impl Scanner<'_> {
    fn bytes(&mut self, count: usize) -> Result<&[u8], RecordError> {
        let begin = self.seen.len();
        let got = (&mut *self.input).take(count as u64).read_to_end(&mut self.seen)?;
        if got == count {
            return Ok(&self.seen[begin..]);
        }
        // A file with the right magic that is too short has a damaged header; anything else is not a file of games.
        let known = self.seen.len().min(MAGIC.len());
        Err(if self.seen.is_empty() || self.seen[..known] != MAGIC[..known] {
            RecordError::NotRecords
        } else {
            RecordError::Header("the file ends within it")
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    fn text(&mut self) -> Result<String, RecordError> {
        let length = u32::from_le_bytes(self.array()?) as usize;
        if length > MAX_TEXT {
            return Err(RecordError::Header("a text is too long"));
        }
        let bytes = self.bytes(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| RecordError::Header("a text is not UTF-8"))
    }
}
