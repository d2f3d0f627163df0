//! Checks every line of a file of positions again, and removes those that fail.

use crate::analysis::WorkerPool;
use crate::epd::Epd;
use crate::progress::Progress;
use crate::terminal::{CommandResult, Error, Status, failed, usage};
use crate::{files, outln};
use agoge_core::board::Variant;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A line of a file.
pub struct Line<T> {
    /// The number of the line, from 1.
    pub number: usize,
    pub epd: Epd,
    /// What the operations of the line mean.
    pub value: T,
}

/// A file with all its lines.
pub struct Checked<T> {
    path: PathBuf,
    pub lines: Vec<Line<T>>,
}

impl<T: Send + Sync> Checked<T> {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, has no position, or has a line that is invalid or that `parse` rejects.
    pub fn read(path: &Path, parse: impl Fn(&Epd) -> Result<T, String>) -> Result<Self, Error> {
        let parsed = Epd::read(path, Variant::Spartan)?;
        if let Some(error) = parsed.errors.into_iter().next() {
            return Err(usage(error));
        }
        let read = |(number, epd): (usize, Epd)| {
            let value = parse(&epd).map_err(|error| format!("{}, line {number}: {error}", path.display()))?;
            Ok(Line { number, epd, value })
        };
        let lines = parsed.positions.into_iter().map(read).collect::<Result<Vec<_>, String>>()?;
        if lines.is_empty() {
            return Err(usage(format!("{}: no positions", path.display())));
        }
        Ok(Self { path: path.to_owned(), lines })
    }

    /// Checks all lines on all cores, and prints those that fail with the fault, and a summary. `passed` is the word for
    /// the others. With `drop` the lines that fail are removed from the file; without, the status says whether there are
    /// any.
    ///
    /// # Errors
    /// If there is not enough memory, or if the file has changed or cannot be written.
    pub fn check<W: Send>(
        &self,
        pool: &WorkerPool<W>,
        passed: &str,
        drop: bool,
        fault: impl Fn(&mut W, &Line<T>) -> Option<String> + Sync,
    ) -> CommandResult {
        let count = self.lines.len();
        let bar = Progress::new(count as u64, 0);
        let faults = pool.map(0..count as u64, |worker, index| {
            let line = &self.lines[index as usize];
            let fault = fault(worker, line);
            bar.inc();
            fault.map(|fault| (line, fault))
        });
        let faults: Vec<(&Line<T>, String)> = faults.map_err(usage)?.into_iter().flatten().collect();
        bar.finish();
        for (line, fault) in &faults {
            outln!("{fault}: {}", line.epd);
        }
        outln!("{count} positions, {} {passed}, {} not", count - faults.len(), faults.len());
        if drop && !faults.is_empty() {
            let now = Epd::read(&self.path, Variant::Spartan)?.positions;
            let is_there = |line: &Line<T>| now.iter().any(|(number, epd)| (*number, epd) == (line.number, &line.epd));
            if !faults.iter().all(|(line, _)| is_there(line)) {
                return Err(failed(format!("{}: it was changed meanwhile; nothing is removed", self.path.display())));
            }
            drop_lines(&self.path, &faults.iter().map(|(line, _)| line.number).collect())?;
            return Ok(Status::Success);
        }
        Ok(Status::of_check(faults.is_empty()).after_printing())
    }
}

/// Writes a file without some of its lines, which are numbered from 1.
fn drop_lines(path: &Path, numbers: &HashSet<usize>) -> Result<(), Error> {
    let text = std::fs::read_to_string(path).map_err(crate::terminal::unreadable(path))?;
    let kept: String = (1..)
        .zip(text.lines())
        .filter(|(number, _)| !numbers.contains(number))
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    files::replace(path, kept.as_bytes()).map_err(crate::terminal::unwritable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_dropped_whatever_their_form() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("puzzles.epd");
        std::fs::write(&path, "# puzzles\none; \ntwo\n\nthree").expect("a file");
        drop_lines(&path, &HashSet::from([2, 5])).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "# puzzles\ntwo\n\n");
    }

    #[test]
    fn a_file_that_changes_during_the_check_keeps_its_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("positions.epd");
        let line = |rook: char| format!("7k/8/8/8/8/8/8/K5{rook}1 w - - 0 1 ; id x\n");
        std::fs::write(&path, line('R')).expect("a file");
        let positions = Checked::read(&path, |_| Ok(())).unwrap_or_else(|error| panic!("{error:?}"));
        let pool = WorkerPool::from_fn(|| Ok(()), |()| ());
        let result = positions.check(&pool, "good", true, |(), _| {
            std::fs::write(&path, line('Q')).expect("a file");
            Some("bad".to_owned())
        });
        assert!(result.is_err_and(|error| error.message.contains("changed meanwhile")));
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), line('Q'));
    }
}
