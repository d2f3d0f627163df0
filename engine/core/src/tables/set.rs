//! All tables: the embedded ones, and the files of several folders.

use super::class::Class;
use super::file::{EXTENSION, Table, TableError};
use super::value::Value;
use super::{four_men, three_men};
use crate::board::Board;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{env, fmt, fs, thread};

/// The embedded tables and the tables of several folders.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// The files, by class.
    by_key: BTreeMap<u64, Table>,
    max_men: u32,
}

static EMBEDDED: Tables = Tables { by_key: BTreeMap::new(), max_men: 0 };

/// A file or folder that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub cause: TableError,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.cause)
    }
}

impl Tables {
    /// The embedded tables alone, which are also the default.
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Opens all table files of the folders of a path, which are separated as in the environment variable `PATH`: by
    /// `:`, on Windows by `;`. If several folders have a class, the first one counts. Files that cannot be used are
    /// left out and reported.
    pub fn open(path: &OsStr) -> (Self, Vec<Problem>) {
        Self::open_folders(env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()))
    }

    /// Opens all table files of some folders, as [`Self::open`] does.
    pub fn open_folders(folders: impl IntoIterator<Item = PathBuf>) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut files = Vec::new();
        for folder in folders {
            match files_of(&folder) {
                Ok(found) => files.extend(found),
                Err(error) => {
                    problems.push(Problem { path: folder, cause: TableError::Unreadable(error.to_string()) });
                }
            }
        }
        // The checksums take time. Each thread takes the next file, until there is none.
        let opened: Vec<OnceLock<Result<Table, TableError>>> = files.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((file, table)) = files.iter().zip(&opened).nth(next.fetch_add(1, Relaxed)) {
                table.get_or_init(|| Table::open(file));
            }
        };
        thread::scope(|scope| {
            for _ in 1..thread::available_parallelism().map_or(1, NonZero::get).min(files.len()) {
                // If the system starts no thread, the others open its files.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let mut tables = Self::default();
        for (path, table) in files.into_iter().zip(opened.into_iter().filter_map(OnceLock::into_inner)) {
            match table {
                Ok(table) => tables.add(table),
                Err(cause) => problems.push(Problem { path, cause }),
            }
        }
        (tables, problems)
    }

    /// Opens all table files of the folders of a path, as [`Self::open`] does.
    ///
    /// # Errors
    /// The first problem, if any file or folder cannot be used.
    pub fn open_all(path: &OsStr) -> Result<Self, Problem> {
        all_or_problem(Self::open(path))
    }

    /// Opens all table files of a folder, whose name may have any characters.
    ///
    /// # Errors
    /// As [`Self::open_all`].
    pub fn open_folder(folder: PathBuf) -> Result<Self, Problem> {
        all_or_problem(Self::open_folders([folder]))
    }

    /// Adds a table unless there is one of the same class.
    pub fn add(&mut self, table: Table) {
        self.max_men = self.max_men.max(table.class().len() as u32);
        self.by_key.entry(table.class().key()).or_insert(table);
    }

    /// The number of classes with a file.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there are no files. The embedded tables do not count.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The largest number of men of a file; 0 without files.
    pub fn max_men(&self) -> u32 {
        self.max_men
    }

    /// The length of all files, in bytes.
    pub fn bytes(&self) -> u64 {
        self.by_key.values().map(Table::bytes).sum()
    }

    /// The table of a class from a file, if there is one.
    pub fn get(&self, class: &Class) -> Option<&Table> {
        self.by_key.get(&class.key())
    }

    /// The files that have failed since the last call. Their tables have no more values.
    pub fn new_failures(&self) -> Vec<Problem> {
        let failed = self.by_key.values().filter(|table| table.reports_failure());
        failed.map(|table| Problem { path: table.path().to_owned(), cause: TableError::InUse }).collect()
    }

    /// The ranges of bytes of tables that are elsewhere that were read in vain since the last call.
    pub fn take_wanted(&self) -> Vec<(&Class, Range<u64>)> {
        let ranges = |table: &Table| table.take_wanted().into_iter();
        self.by_key.values().flat_map(|table| ranges(table).map(move |range| (table.class(), range))).collect()
    }

    /// The value of a position without regard to its halfmove clock; `None` if it is unknown. A file has more than the
    /// embedded tables and goes first.
    pub fn value(&self, board: &Board) -> Option<Value> {
        if board.occupied().count() > self.max_men {
            return embedded_value(board);
        }
        let (class, squares, side) = Class::of(board)?;
        match self.get(&class) {
            Some(table) if !table.has_failed() => table.value(&squares, side),
            // Two kings alone.
            _ if class.len() == 2 => Some(Value::DRAW),
            _ => embedded_value(board),
        }
    }
}

fn embedded_value(board: &Board) -> Option<Value> {
    if board.occupied().count() == four_men::MEN { four_men::value(board) } else { three_men::value(board) }
}

fn all_or_problem((tables, problems): (Tables, Vec<Problem>)) -> Result<Tables, Problem> {
    problems.into_iter().next().map_or(Ok(tables), Err)
}

fn files_of(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = paths.collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    files.sort();
    Ok(files)
}
