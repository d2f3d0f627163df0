//! Table files. The module documentation of [`super`] describes the format.

use super::class::Class;
use super::codec::{BLOCK, Cursor, Sequence};
use super::contents::Contents;
use super::index::Numbering;
use super::remote::Remote;
use super::value::{Value, Wdl};
use crate::types::{Colour, Square};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::{fmt, fs, io};

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"AGOGETAB";

/// The version of the format.
pub const VERSION: u32 = 1;

/// The length of the header, in bytes.
pub const HEADER_BYTES: usize = 48;

/// The length of the class name in the header, with padding.
pub const NAME_BYTES: usize = 16;

/// The extension of the names of files.
pub const EXTENSION: &str = "agt";

// Where the fields of the header are.
const VERSION_AT: usize = 8;
const CHECKSUM_AT: usize = 12;
const LENGTH_AT: usize = 16;
const NAME_AT: usize = 24;
const SECTIONS_AT: usize = 40;

/// No distance in a file is longer, in plies.
pub const MAX_DISTANCE: u16 = 4000;

/// Why a file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableError {
    /// The system cannot read it, with the cause in words.
    Unreadable(String),
    /// It does not begin with [`MAGIC`].
    Magic,
    /// The file has this other version.
    Version(u32),
    /// The file is shorter or longer than it was written.
    Length {
        /// The length in its header, in bytes.
        expected: u64,
        /// Its length, in bytes.
        found: u64,
    },
    /// The length of the file, in bytes, is impossible for its class.
    ClassLength(u64),
    /// The file has changed since it was written.
    Checksum,
    /// The file was changed, shortened or became unreadable after it was opened.
    InUse,
    /// The name of the class in its header cannot be read.
    Name,
    /// The file has this other class than its name says.
    OtherClass(String),
    /// Something else in it is impossible, with the cause in words.
    Contents(&'static str),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(cause) => f.write_str(cause),
            Self::Magic => f.write_str("not a table file"),
            Self::Version(version) => write!(f, "a table file of version {version}, not {VERSION}"),
            Self::Length { expected, found } => write!(f, "{found} bytes, not {expected}"),
            Self::ClassLength(found) => write!(f, "a table of this class cannot have {found} bytes"),
            Self::InUse => f.write_str("the file changed while in use and is no longer used"),
            Self::Checksum => f.write_str("wrong checksum: the file is damaged"),
            Self::Name => f.write_str("the header does not name a class"),
            Self::OtherClass(class) => write!(f, "the file contains the class {class}"),
            Self::Contents(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for TableError {}

/// The table of a class, in a file that is read page by page, in memory, or elsewhere.
pub struct Table {
    class: Class,
    numbering: Numbering,
    header: [u8; HEADER_BYTES],
    contents: Contents,
    /// The name of the file; empty without one.
    path: PathBuf,
    /// Whether a failure was reported.
    is_reported: AtomicBool,
    wdl: Sequence,
    dtz: Sequence,
    dtm: Option<Sequence>,
}

impl PartialEq for Table {
    /// Compares the headers, which have a checksum of the rest.
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header
    }
}

impl Eq for Table {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({})", self.class)
    }
}

impl Table {
    /// Opens a file, named after its class, and checks it.
    ///
    /// # Errors
    /// If the file cannot be read, is no table, is damaged, or belongs to another class.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        // Opening a pipe would wait for a writer.
        if !fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(TableError::Unreadable("not a regular file".to_owned()));
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let table = Self::new(Contents::open(path).map_err(unreadable)?, Some(name))?;
        Ok(Self { path: path.to_owned(), ..table })
    }

    /// A table from the contents of a file.
    ///
    /// # Errors
    /// If they are not a valid table.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, TableError> {
        Self::new(Contents::Memory(bytes.into()), None)
    }

    /// A table of a class that is elsewhere. Its checksum is not checked.
    ///
    /// # Errors
    /// If it is not a valid table of this class, or a part that must be known is not here yet: `remote` then wants it.
    pub fn from_remote(remote: &Remote, class: &str) -> Result<Self, TableError> {
        Self::new(Contents::Remote(remote.clone()), Some(class))
    }

    /// Reads a table, which must have the class `name`, if that is given.
    fn new(mut contents: Contents, name: Option<&str>) -> Result<Self, TableError> {
        let found = contents.len();
        let head = contents.head(HEADER_BYTES).map_err(unreadable)?;
        if !head.starts_with(&MAGIC) {
            return Err(TableError::Magic);
        }
        let short = TableError::Length { expected: HEADER_BYTES as u64, found };
        let header: [u8; HEADER_BYTES] = head.try_into().map_err(|_| short)?;
        let u32_at = |at: usize| header[at..].first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes));
        let version = u32_at(VERSION_AT);
        if version != VERSION {
            return Err(TableError::Version(version));
        }
        let expected = header[LENGTH_AT..].first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes));
        if expected != found {
            return Err(TableError::Length { expected, found });
        }
        let class_name = std::str::from_utf8(&header[NAME_AT..NAME_AT + NAME_BYTES]).map_err(|_| TableError::Name)?;
        let class_name = class_name.trim_end_matches('\0');
        let class: Class = class_name.parse().map_err(|_| TableError::Name)?;
        if class.to_string() != class_name {
            return Err(TableError::Name);
        }
        if name.is_some_and(|name| name != class_name) {
            return Err(TableError::OtherClass(class_name.to_owned()));
        }
        let numbering = Numbering::new(&class);
        // The file is read as a whole only if it can be a table.
        let (shortest, longest) = Sequence::lengths(numbering.len());
        if !(2 * shortest..=3 * longest).contains(&(found - HEADER_BYTES as u64)) {
            return Err(TableError::ClassLength(found));
        }
        if contents.checksum(LENGTH_AT).map_err(unreadable)?.is_some_and(|found| found != u32_at(CHECKSUM_AT)) {
            return Err(TableError::Checksum);
        }
        let (sections, zero) = (u32_at(SECTIONS_AT), u32_at(SECTIONS_AT + 4));
        if !(2..=3).contains(&sections) || zero != 0 {
            return Err(TableError::Contents("a wrong number of sections"));
        }
        let mut cursor = Cursor::new(&contents, HEADER_BYTES as u64);
        let mut section = || Sequence::read(&mut cursor, numbering.len()).map_err(TableError::Contents);
        let (wdl, dtz) = (section()?, section()?);
        let dtm = (sections == 3).then(section).transpose()?;
        if cursor.at() != found {
            return Err(TableError::Contents("there is something behind the last section"));
        }
        if wdl.values().iter().any(|&value| usize::from(value) >= Wdl::ALL.len()) {
            return Err(TableError::Contents("a value is neither win, draw nor loss"));
        }
        let distances = dtz.values().iter().chain(dtm.iter().flat_map(Sequence::values));
        if distances.max().is_some_and(|&distance| distance > MAX_DISTANCE) {
            return Err(TableError::Contents("a distance is too long"));
        }
        let (path, is_reported) = (PathBuf::new(), AtomicBool::new(false));
        Ok(Self { class, numbering, header, contents, path, is_reported, wdl, dtz, dtm })
    }

    /// The file; empty for a table without one.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file was changed or became unreadable after it was opened. Then the table has no more values.
    pub fn has_failed(&self) -> bool {
        self.contents.has_failed()
    }

    /// Whether the file has failed and this is the first call that says so.
    pub(super) fn reports_failure(&self) -> bool {
        self.has_failed() && !self.is_reported.swap(true, Relaxed)
    }

    /// What was read in vain since the last call, of a table that is elsewhere.
    pub(super) fn take_wanted(&self) -> Vec<Range<u64>> {
        if let Contents::Remote(remote) = &self.contents { remote.take_wanted() } else { Vec::new() }
    }

    /// The class of its positions.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// How positions of the class are numbered.
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The length of the file, in bytes.
    pub fn bytes(&self) -> u64 {
        self.contents.len()
    }

    /// The value of a legal position. `None` if the file has failed or is forged.
    pub fn value(&self, squares: &[Square], side: Colour) -> Option<Value> {
        self.value_at(self.numbering.index(squares, side))
    }

    /// The value at an index below the length of the numbering. It has no meaning if the position is illegal.
    pub fn value_at(&self, index: usize) -> Option<Value> {
        if self.has_failed() {
            return None;
        }
        let Some(code) = self.wdl.get(&self.contents, index) else {
            // What is elsewhere is wanted at once as a whole.
            if let Contents::Remote(_) = self.contents {
                [Some(&self.dtz), self.dtm.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|part| _ = part.get(&self.contents, index));
            }
            return None;
        };
        let wdl = *Wdl::ALL.get(usize::from(code))?;
        if wdl == Wdl::Draw {
            return Some(Value::DRAW);
        }
        let dtz = Some(self.dtz.get(&self.contents, index)?);
        let dtm = match &self.dtm {
            Some(dtm) => Some(plies(wdl, dtm.get(&self.contents, index)?)),
            None => None,
        };
        Some(Value { wdl, dtz, dtm })
    }

    /// The values of [`BLOCK`] indices, or fewer at the end, from `block * BLOCK` on, as for [`Table::value_at`].
    /// Faster than each on its own.
    pub fn block(&self, block: usize) -> Option<Vec<Value>> {
        let len = self.numbering.len();
        let mut values = Vec::with_capacity(BLOCK);
        self.wdl.decode_block(&self.contents, block, len, &mut |code| {
            let wdl = Wdl::ALL.get(usize::from(code)).copied().unwrap_or(Wdl::Draw);
            values.push(Value { wdl, ..Value::DRAW });
        })?;
        let mut decided = values.iter_mut();
        self.dtz.decode_block(&self.contents, block, len, &mut |dtz| {
            if let Some(value) = decided.next().filter(|value| value.wdl != Wdl::Draw) {
                (value.dtz, value.dtm) = (Some(dtz), None);
            }
        })?;
        if let Some(dtm) = &self.dtm {
            let mut decided = values.iter_mut();
            dtm.decode_block(&self.contents, block, len, &mut |moves| {
                if let Some(value) = decided.next().filter(|value| value.wdl != Wdl::Draw) {
                    value.dtm = Some(plies(value.wdl, moves));
                }
            })?;
        }
        Some(values)
    }
}

#[allow(clippy::needless_pass_by_value)]
fn unreadable(error: io::Error) -> TableError {
    TableError::Unreadable(error.to_string())
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
