//! Solving classes in the order of their dependencies, with files as the memory.

use super::error::Error;
use super::known::{CachedTable, Known};
use super::moves::Material;
use super::solve::Solver;
use super::solved::Solved;
use super::write::contents;
use agoge_core::board::Board;
use agoge_core::tables::{Class, EXTENSION, Numbering, Problem, Table, TableError, Value};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The file that the program locks that makes tables in a folder.
const LOCK: &str = "lock";

/// The beginning of the names of files that are being written.
const UNFINISHED: &str = ".agoge-table-";

/// Solved classes in memory and in a folder.
#[derive(Debug)]
pub struct Store {
    folder: Option<PathBuf>,
    /// The memory that classes may take, in bytes.
    memory: usize,
    /// With the time of the last use.
    classes: HashMap<Class, (Arc<Solved>, u64)>,
    time: u64,
    /// The classes whose files are damaged. They are solved again.
    damaged: HashSet<Class>,
}

impl Default for Store {
    /// A store without files and with as much memory as needed.
    fn default() -> Self {
        Self::new(None, usize::MAX)
    }
}

impl Store {
    /// A store in a folder, if any, that uses at most some bytes of memory.
    pub fn new(folder: Option<PathBuf>, memory: usize) -> Self {
        Self { folder, memory, classes: HashMap::new(), time: 0, damaged: HashSet::new() }
    }

    pub fn file(folder: &Path, class: &Class) -> PathBuf {
        folder.join(format!("{class}.{EXTENSION}"))
    }

    /// The memory for solving a class, in bytes: its values and the state of the solver or, later, a section of the
    /// file. More makes it faster: the successors that fit are kept in memory, the others are read from their files.
    pub fn needed(class: &Class) -> usize {
        // The state is that of the slices that are being solved. Without pawns and hoplites there is only one slice.
        if Numbering::new(class).slices() == 1 { 4 * Solved::memory(class) } else { 2 * Solved::memory(class) }
    }

    /// Makes the folder if only it is missing, and locks it: one program at a time solves classes there. The lock ends
    /// when the file is dropped, or the program ends. Removes what a program that was killed has not finished. `None`
    /// without a folder.
    ///
    /// # Errors
    /// If another program has the lock, or nothing can be written in the folder.
    pub fn lock(&self) -> Result<Option<File>, Error> {
        let Some(folder) = &self.folder else { return Ok(None) };
        if !folder.is_dir() {
            fs::create_dir(folder).map_err(Error::write(folder))?;
        }
        let path = folder.join(LOCK);
        let file = File::options().write(true).create(true).truncate(false).open(&path).map_err(Error::write(&path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(Error::Locked(folder.clone())),
            Err(TryLockError::Error(error)) => return Err(Error::write(&path)(error)),
            Ok(()) => {}
        }
        for entry in fs::read_dir(folder).map_err(Error::write(folder))?.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(Some(file))
    }

    /// Whether a program makes tables in a folder now.
    pub fn is_locked(folder: &Path) -> bool {
        let file = File::options().write(true).open(folder.join(LOCK));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Checks the files of some classes. Returns what is wrong with those that are damaged: they count as missing, and
    /// are replaced when the class is solved.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn check(&mut self, classes: &[Class]) -> Result<Vec<Problem>, Error> {
        let files = classes.par_iter().filter_map(|class| Some((class, self.file_of(class)?)));
        let opened = files.filter(|(_, path)| path.exists()).map(|(class, path)| match Table::open(&path) {
            Ok(_) => Ok(None),
            Err(error @ TableError::Unreadable(_)) => Err(Error::table(&path)(error)),
            Err(cause) => Ok(Some((class.clone(), Problem { path, cause }))),
        });
        let damaged: Vec<(Class, Problem)> = opened.filter_map(Result::transpose).collect::<Result<_, Error>>()?;
        self.damaged.extend(damaged.iter().map(|(class, _)| class.clone()));
        Ok(damaged.into_iter().map(|(_, problem)| problem).collect())
    }

    /// Whether a class has a file that is not known to be damaged.
    pub fn has_file(&self, class: &Class) -> bool {
        !self.damaged.contains(class) && self.file_of(class).is_some_and(|path| path.exists())
    }

    /// A class that has been solved: from memory or from its file, for which others are forgotten. A class that takes
    /// more than all memory is read nevertheless.
    ///
    /// # Errors
    /// If the file is damaged. `Ok(None)` if there is no such file.
    pub fn known(&mut self, class: &Class) -> Result<Option<Arc<Solved>>, Error> {
        self.time += 1;
        if let Some((solved, used)) = self.classes.get_mut(class) {
            *used = self.time;
            return Ok(Some(Arc::clone(solved)));
        }
        let Some(path) = self.file_of(class).filter(|_| self.has_file(class)) else {
            return Ok(None);
        };
        self.forget(&[], self.memory.saturating_sub(Solved::memory(class)));
        let solved = Solved::from_table(&self.table(class)?).map_err(Error::table(&path))?;
        Ok(Some(self.keep(solved)))
    }

    fn table(&self, class: &Class) -> Result<Table, Error> {
        let path = self.file_of(class).unwrap_or_default();
        Table::open(&path).map_err(Error::table(&path))
    }

    fn keep(&mut self, solved: Solved) -> Arc<Solved> {
        let solved = Arc::new(solved);
        self.classes.insert(solved.class().clone(), (Arc::clone(&solved), self.time));
        solved
    }

    /// Solves a class and, before it, the classes that it leads to, unless they are known. `progress` gets the class
    /// and the number of its indices that are done, slice by slice.
    ///
    /// # Errors
    /// If it is stopped, takes too much memory, or a file cannot be read or written.
    pub fn solve(
        &mut self,
        class: &Class,
        stop: &AtomicBool,
        progress: &(dyn Fn(&Class, usize) + Sync),
    ) -> Result<Arc<Solved>, Error> {
        if let Some(known) = self.known(class)? {
            return Ok(known);
        }
        let successors = Material::new(class).successors();
        for successor in &successors {
            if !self.has_file(successor) {
                self.solve(successor, stop, progress)?;
            }
        }
        let kept = self.make_room(class, successors)?;
        let mut files = Vec::new();
        let solver = Solver::new(class, stop, |successor| {
            if kept.contains(successor) {
                self.solve(successor, stop, progress).map(Known::Memory)
            } else {
                let table = Arc::new(self.table(successor)?);
                files.push(Arc::clone(&table));
                Ok(Known::File(CachedTable::new(table)))
            }
        })?;
        let solved = solver.run(|done| progress(class, done)).ok_or(Error::Stopped)?;
        // Its values may be wrong.
        if let Some(table) = files.iter().find(|table| table.has_failed()) {
            return Err(Error::table(table.path())(TableError::InUse));
        }
        if let Some(path) = self.file_of(class) {
            match write_file(&path, &contents(&solved), self.damaged.contains(class)) {
                // Another process has solved it meanwhile.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                written => written.map_err(Error::write(&path))?,
            }
            self.damaged.remove(class);
        }
        Ok(self.keep(solved))
    }

    /// Solves a class without a report of the progress.
    ///
    /// # Errors
    /// As for [`Store::solve`].
    pub fn solved(&mut self, class: &Class) -> Result<Arc<Solved>, Error> {
        self.solve(class, &AtomicBool::new(false), &|_, _| {})
    }

    fn file_of(&self, class: &Class) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| Self::file(folder, class))
    }

    /// Decides which successors of a class are to be in memory while it is solved: the small ones, which most captures
    /// lead to, then larger ones as far as there is room. Forgets other classes, those that were not used for the
    /// longest time first, until there is room for these. Without files, all classes stay in memory.
    fn make_room(&mut self, class: &Class, mut successors: Vec<Class>) -> Result<Vec<Class>, Error> {
        let mut needed = Self::needed(class);
        if self.folder.is_none() {
            needed += successors.iter().map(Solved::memory).sum::<usize>();
        }
        let Some(mut room) = self.memory.checked_sub(needed) else {
            return Err(Error::Memory { class: class.clone(), needed });
        };
        if self.folder.is_none() {
            return Ok(successors);
        }
        successors.sort_by_key(Solved::memory);
        successors.retain(|successor| {
            let left = room.checked_sub(Solved::memory(successor));
            room = left.unwrap_or(room);
            left.is_some()
        });
        self.forget(&successors, room);
        Ok(successors)
    }

    /// Forgets classes, those that were not used for the longest time first, until the others, except for those to
    /// keep, take at most some bytes.
    fn forget(&mut self, keep: &[Class], room: usize) {
        let mut others: Vec<(u64, Class)> =
            self.classes.iter().map(|(held, &(_, used))| (used, held.clone())).collect();
        others.retain(|(_, held)| !keep.contains(held));
        others.sort();
        let mut held: usize = others.iter().map(|(_, held)| Solved::memory(held)).sum();
        for (_, oldest) in others {
            if held <= room {
                break;
            }
            held -= Solved::memory(&oldest);
            self.classes.remove(&oldest);
        }
    }

    /// The value of a position; `None` if its class is not in memory.
    pub fn probe(&self, board: &Board) -> Option<Value> {
        let (class, squares, side) = Class::of(board)?;
        self.classes.get(&class)?.0.value(&squares, side)
    }
}

/// Writes a file beside its place, synchronises and renames it, so that its name is never that of an incomplete one.
///
/// # Errors
/// If it cannot be written, or exists and is not to be replaced.
fn write_file(path: &Path, bytes: &[u8], replace: bool) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // The usual permissions of a new file; the default of a temporary file is private to the user.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The errors of the crate name the temporary file.
    let bare = |error: io::Error| error.raw_os_error().map_or(error, io::Error::from_raw_os_error);
    let mut file = builder.tempfile_in(path.parent().unwrap_or(Path::new("."))).map_err(bare)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    let renamed = if replace { file.persist(path) } else { file.persist_noclobber(path) };
    renamed.map(drop).map_err(|error| error.error)
}
