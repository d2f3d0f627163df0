//! The tables of several folders.

use super::class::Class;
use super::file::{EXTENSION, Table, TableError};
use super::value::{Value, Wdl};
use crate::board::Board;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs};

/// The tables of several folders, by class.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tables {
    by_key: HashMap<u64, Table>,
    max_men: u32,
}

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
    /// Opens all table files of the folders of a path, which are separated as in the environment variable `PATH`: by
    /// `:`, on Windows by `;`. If several folders have a class, the first one counts. Files that cannot be used are
    /// left out and reported.
    pub fn open(path: &OsStr) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut files = Vec::new();
        for folder in env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()) {
            match files_of(&folder) {
                Ok(found) => files.extend(found),
                Err(error) => {
                    problems.push(Problem { path: folder, cause: TableError::Unreadable(error.to_string()) });
                }
            }
        }
        // The checksums take time.
        let opened: Vec<(PathBuf, Result<Table, TableError>)> =
            files.into_par_iter().map(|file| (file.clone(), Table::open(&file))).collect();
        let mut tables = Self::default();
        for (path, table) in opened {
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
        let (tables, problems) = Self::open(path);
        problems.into_iter().next().map_or(Ok(tables), Err)
    }

    /// Adds a table unless there is one of the same class.
    pub fn add(&mut self, table: Table) {
        self.max_men = self.max_men.max(table.class().len() as u32);
        self.by_key.entry(table.class().key()).or_insert(table);
    }

    /// The number of tables.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there are no tables.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The largest number of men of a class.
    pub fn max_men(&self) -> u32 {
        self.max_men
    }

    /// The size of all files in bytes.
    pub fn bytes(&self) -> usize {
        self.by_key.values().map(Table::bytes).sum()
    }

    /// The table of a class.
    pub fn get(&self, class: &Class) -> Option<&Table> {
        self.by_key.get(&class.key())
    }

    /// The result of a position at its halfmove clock; `None` if there is no table for it.
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        let (class, squares, side) = Class::of(board)?;
        let Some(table) = self.get(&class) else { return two_kings(&class).map(|value| value.wdl) };
        if table.is_clock_relevant(board.halfmove_clock()) {
            return Some(table.value(&squares, side)?.result_at(board.halfmove_clock()));
        }
        table.wdl(&squares, side)
    }

    /// The value of a position without regard to its halfmove clock; `None` if there is no table for it.
    pub fn value(&self, board: &Board) -> Option<Value> {
        let (class, squares, side) = Class::of(board)?;
        match self.get(&class) {
            Some(table) => table.value(&squares, side),
            None => two_kings(&class),
        }
    }
}

/// Two kings alone draw, with or without a table.
fn two_kings(class: &Class) -> Option<Value> {
    (class.len() == 2).then_some(Value::DRAW)
}

fn files_of(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
