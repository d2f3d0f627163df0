//! The begin of a file of games.

use super::RecordError;
use agoge::board::Variant;
use std::io::Read;

const MAGIC: &[u8; 8] = b"AGOGEREC";
const VERSION: u16 = 1;

/// The most bytes of each of the two texts.
const MAX_TEXT: usize = 1 << 20;

/// What the games of a file were made with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The game that is played.
    pub variant: Variant,
    /// The seed of all games; 0 in a file that was merged from files of several seeds.
    pub seed: u64,
    /// Name and version of the program that began the file.
    pub program: String,
    /// All that decides, besides the seed and the program, what the games are like; for people.
    pub settings: String,
}

impl Header {
    /// The bytes of the header.
    ///
    /// # Errors
    /// When a text is longer than a mebibyte.
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

    /// Reads a header and says how many bytes it has.
    ///
    /// # Errors
    /// When there is something else, or the file cannot be read.
    pub(super) fn read(input: &mut dyn Read) -> Result<(Self, u64), RecordError> {
        let mut scanner = Scanner { input, seen: Vec::new() };
        let (magic, version) = (scanner.array()?, u16::from_le_bytes(scanner.array()?));
        if magic != *MAGIC {
            return Err(RecordError::NotRecords);
        }
        if version != VERSION {
            return Err(RecordError::Version(version));
        }
        let [variant, zero] = scanner.array()?;
        let seed = u64::from_le_bytes(scanner.array()?);
        let (program, settings) = (scanner.text()?, scanner.text()?);
        let sum = crc32fast::hash(&scanner.seen);
        if u32::from_le_bytes(scanner.array()?) != sum {
            return Err(RecordError::Header("its checksum is wrong"));
        }
        let variant = Variant::ALL.into_iter().find(|&known| code(known) == variant);
        let variant = variant.filter(|_| zero == 0).ok_or(RecordError::Header("it names no variant"))?;
        Ok((Self { variant, seed, program, settings }, scanner.seen.len() as u64))
    }
}

/// The number of a variant in a file.
const fn code(variant: Variant) -> u8 {
    match variant {
        Variant::Spartan => 0,
        Variant::Chess => 1,
    }
}

/// Remembers what it has read.
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
        // A file that is too short for a header may still be one; any other text is not.
        let known = self.seen.len().min(MAGIC.len());
        Err(if self.seen.is_empty() || self.seen[..known] != MAGIC[..known] {
            RecordError::NotRecords
        } else {
            RecordError::Header("the file ends in it")
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
