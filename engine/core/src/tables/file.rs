//! Table files. The module documentation of [`super`] describes the format.

use super::class::Class;
use super::codec::{BLOCK, Cursor, Sequence};
use super::index::Numbering;
use super::value::{Value, Wdl};
use crate::types::{Colour, Square};
use std::path::Path;
use std::{fmt, fs, io};

pub const MAGIC: [u8; 8] = *b"AGOGETAB";

pub const VERSION: u32 = 1;

pub const HEADER_BYTES: usize = 48;

/// The length of the class name in the header, with padding.
pub const NAME_BYTES: usize = 16;

pub const EXTENSION: &str = "agt";

/// No distance in a file is longer, in plies.
pub const MAX_DISTANCE: u16 = 4000;

/// Why a file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableError {
    Unreadable(String),
    Magic,
    /// The file has this other version.
    Version(u32),
    /// The file is shorter or longer than it was written.
    Length {
        expected: u64,
        found: u64,
    },
    /// The file has changed since it was written.
    Checksum,
    Name,
    /// The file has this other class than its name says.
    OtherClass(String),
    Contents(&'static str),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(cause) => f.write_str(cause),
            Self::Magic => f.write_str("not a table file"),
            Self::Version(version) => write!(f, "a table file of version {version}, not {VERSION}"),
            Self::Length { expected, found } => write!(f, "{found} bytes, not {expected}"),
            Self::Checksum => f.write_str("wrong checksum: the file is damaged"),
            Self::Name => f.write_str("the header does not name a class"),
            Self::OtherClass(class) => write!(f, "the file contains the class {class}"),
            Self::Contents(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for TableError {}

#[cfg(not(target_family = "wasm"))]
fn contents(path: &Path) -> io::Result<memmap2::Mmap> {
    let file = fs::File::open(path)?;
    // SAFETY: the map is read-only. As for every mapped file, nobody may change or shorten the file in place while it is
    // mapped; the program that writes these files replaces them by new ones.
    unsafe { memmap2::Mmap::map(&file) }
}

#[cfg(target_family = "wasm")]
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

pub struct Table {
    class: Class,
    numbering: Numbering,
    /// A mapped file, or memory.
    contents: Box<dyn AsRef<[u8]> + Send + Sync>,
    wdl: Sequence,
    dtz: Sequence,
    dtm: Option<Sequence>,
}

impl PartialEq for Table {
    /// Compares the headers, which have a checksum of the rest.
    fn eq(&self, other: &Self) -> bool {
        self.contents().get(..HEADER_BYTES) == other.contents().get(..HEADER_BYTES)
    }
}

impl Eq for Table {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({})", self.class)
    }
}

impl Table {
    /// Maps a file, named after its class, into memory and checks it.
    ///
    /// # Errors
    /// If the file cannot be read, is no table, is damaged, or belongs to another class.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let unreadable = |error: io::Error| TableError::Unreadable(error.to_string());
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(TableError::Unreadable("not a regular file".to_owned()));
        }
        // Nothing cannot be mapped.
        if metadata.len() == 0 {
            return Err(TableError::Magic);
        }
        let table = Self::new(Box::new(contents(path).map_err(unreadable)?))?;
        let name = path.file_stem().and_then(|stem| stem.to_str());
        if name != Some(&table.class.to_string()) {
            return Err(TableError::OtherClass(table.class.to_string()));
        }
        Ok(table)
    }

    /// A table from the contents of a file.
    ///
    /// # Errors
    /// If they are not a valid table.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, TableError> {
        Self::new(Box::new(bytes))
    }

    fn new(contents: Box<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, TableError> {
        let bytes = (*contents).as_ref();
        let found = bytes.len() as u64;
        let mut cursor = Cursor::new(bytes, 0);
        if cursor.take(MAGIC.len()) != Some(&MAGIC) {
            return Err(TableError::Magic);
        }
        let short = TableError::Length { expected: HEADER_BYTES as u64, found };
        let version = cursor.u32().ok_or(short.clone())?;
        if version != VERSION {
            return Err(TableError::Version(version));
        }
        let checksum = cursor.u32().ok_or(short.clone())?;
        let checked_from = cursor.at();
        let expected = cursor.u64().ok_or(short.clone())?;
        if expected != found {
            return Err(TableError::Length { expected, found });
        }
        if crc32fast::hash(&bytes[checked_from..]) != checksum {
            return Err(TableError::Checksum);
        }
        let name = cursor.take(NAME_BYTES).ok_or(short.clone())?;
        let sections = cursor.u32().ok_or(short.clone())?;
        let zero = cursor.u32().ok_or(short)?;
        let name = std::str::from_utf8(name).map_err(|_| TableError::Name)?.trim_end_matches('\0');
        let class: Class = name.parse().map_err(|_| TableError::Name)?;
        if class.to_string() != name {
            return Err(TableError::Name);
        }
        if !(2..=3).contains(&sections) || zero != 0 {
            return Err(TableError::Contents("a wrong number of sections"));
        }
        let numbering = Numbering::new(&class);
        let mut section = || Sequence::read(&mut cursor, numbering.len()).map_err(TableError::Contents);
        let (wdl, dtz) = (section()?, section()?);
        let dtm = (sections == 3).then(section).transpose()?;
        if cursor.at() != bytes.len() {
            return Err(TableError::Contents("there is something behind the last section"));
        }
        if wdl.values().iter().any(|&value| usize::from(value) >= Wdl::ALL.len()) {
            return Err(TableError::Contents("a value is neither win, draw nor loss"));
        }
        let distances = dtz.values().iter().chain(dtm.iter().flat_map(Sequence::values));
        if distances.max().is_some_and(|&distance| distance > MAX_DISTANCE) {
            return Err(TableError::Contents("a distance is too long"));
        }
        Ok(Self { class, numbering, contents, wdl, dtz, dtm })
    }

    pub fn class(&self) -> &Class {
        &self.class
    }

    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    fn contents(&self) -> &[u8] {
        (*self.contents).as_ref()
    }

    pub fn bytes(&self) -> usize {
        self.contents().len()
    }

    /// The value of a legal position. `None` if the data are invalid, which the checksum rules out for files that were not
    /// forged.
    pub fn value(&self, squares: &[Square], side: Colour) -> Option<Value> {
        self.value_at(self.numbering.index(squares, side))
    }

    /// The value at an index below the length of the numbering. It has no meaning if the position is illegal.
    pub fn value_at(&self, index: usize) -> Option<Value> {
        let wdl = *Wdl::ALL.get(usize::from(self.wdl.get(self.contents(), index)?))?;
        if wdl == Wdl::Draw {
            return Some(Value::DRAW);
        }
        let dtz = Some(self.dtz.get(self.contents(), index)?);
        let dtm = match &self.dtm {
            Some(dtm) => Some(plies(wdl, dtm.get(self.contents(), index)?)),
            None => None,
        };
        Some(Value { wdl, dtz, dtm })
    }

    /// The values of [`BLOCK`] indices, or fewer at the end, from `block * BLOCK` on, as for [`Table::value_at`]. Faster
    /// than each on its own.
    pub fn block(&self, block: usize) -> Option<Vec<Value>> {
        let len = self.numbering.len();
        let mut values = Vec::with_capacity(BLOCK);
        self.wdl.decode_block(self.contents(), block, len, &mut |code| {
            let wdl = Wdl::ALL.get(usize::from(code)).copied().unwrap_or(Wdl::Draw);
            values.push(Value { wdl, ..Value::DRAW });
        })?;
        let mut decided = values.iter_mut();
        self.dtz.decode_block(self.contents(), block, len, &mut |dtz| {
            if let Some(value) = decided.next().filter(|value| value.wdl != Wdl::Draw) {
                (value.dtz, value.dtm) = (Some(dtz), None);
            }
        })?;
        if let Some(dtm) = &self.dtm {
            let mut decided = values.iter_mut();
            dtm.decode_block(self.contents(), block, len, &mut |moves| {
                if let Some(value) = decided.next().filter(|value| value.wdl != Wdl::Draw) {
                    value.dtm = Some(plies(value.wdl, moves));
                }
            })?;
        }
        Some(values)
    }
}

/// The plies to mate from the number of moves in the file: the side to move mates after an odd number of plies and is
/// mated after an even one.
const fn plies(wdl: Wdl, moves: u16) -> u16 {
    if wdl.is_win() {
        (2 * moves).saturating_sub(1)
    } else if wdl.is_loss() {
        2 * moves
    } else {
        0
    }
}
