//! Merging, shuffling and verifying game files.

use crate::data::record::{GameRecord, Header, Reader, RecordError, Writer};
use crate::rng::Rng;
use crate::terminal::{CommandResult, Error, Status, failed, unreadable, unwritable, usage};
use crate::{files, outln, terminal};
use clap::Args;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The file that a command writes.
#[derive(Args)]
pub struct Out {
    /// The new file
    #[arg(long = "out", value_name = "FILE")]
    path: PathBuf,
    /// Overwrite the file of --out
    #[arg(long)]
    force: bool,
}

/// The arguments of `datagen merge`.
#[derive(Args)]
pub struct Merge {
    #[command(flatten)]
    out: Out,
    /// Merge files of `play --numbers` although some numbers are missing
    #[arg(long)]
    incomplete: bool,
    /// Game files of the same variant
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
}

/// The arguments of `datagen shuffle`.
#[derive(Args)]
pub struct Shuffle {
    #[command(flatten)]
    out: Out,
    /// The seed of the random order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A game file; all its games are held in memory, at about four bytes per position
    #[arg(value_name = "IN")]
    input: PathBuf,
}

/// The arguments of `datagen verify`.
#[derive(Args)]
pub struct Verify {
    /// Game files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Opens a game file.
pub fn open(path: &Path) -> Result<Reader, Error> {
    Reader::open(path).map_err(unreadable(path))
}

/// Calls `visit` with all games of a file. An incomplete block at the end, because the writer was killed or is still
/// running, is reported but not an error. Returns whether the file is complete, see [`Reader::is_complete`].
pub fn for_each(path: &Path, mut visit: impl FnMut(GameRecord) -> Result<(), Error>) -> Result<bool, Error> {
    let mut reader = open(path)?;
    for game in reader.by_ref() {
        match game {
            Ok(game) => visit(game)?,
            Err(error @ RecordError::Truncated { .. }) => {
                terminal::print_message(&format!("{}: {error}", path.display()));
            }
            Err(error) => return Err(unreadable(path)(error)),
        }
    }
    Ok(reader.is_complete())
}

impl Out {
    /// The new file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that no file would be overwritten without permission.
    pub fn check(&self) -> Result<(), Error> {
        files::check_new(&self.path, self.force, files::FORCE_HINT).map_err(usage)
    }

    /// Writes the file under a temporary name and renames it when it is complete, so that an incomplete file never has
    /// the final name. `fill` returns whether the file is complete, see [`Reader::is_complete`].
    pub fn create(&self, header: &Header, fill: impl FnOnce(&mut Writer) -> Result<bool, Error>) -> Result<(), Error> {
        self.check()?;
        let about_out = |error: RecordError| unwritable(&self.path)(error);
        let make = |path: &Path| Writer::create(path, header).map_err(io::Error::other);
        let made = files::unfinished().make_in(files::directory_of(&self.path), make);
        let (mut writer, unfinished) = made.map_err(unwritable(&self.path))?.into_parts();
        let complete = fill(&mut writer)?;
        if complete { writer.complete() } else { writer.finish() }.map_err(about_out)?;
        let renamed =
            if self.force { unfinished.persist(&self.path) } else { unfinished.persist_noclobber(&self.path) };
        renamed.map_err(|error| unwritable(&self.path)(error.error))
    }
}

/// The numbers of the merged file, if all inputs are of the same run and carry numbers.
///
/// # Errors
/// If files of the same run have numbers in common. Unless `incomplete` is set, also if there are gaps between them.
fn merged_numbers(
    inputs: &[(PathBuf, Header)],
    header: &Header,
    incomplete: bool,
) -> Result<Option<Range<u64>>, Error> {
    let mut shares: Vec<(&Header, &Range<u64>, &Path)> =
        inputs.iter().filter_map(|(path, header)| Some((header, header.numbers.as_ref()?, path.as_path()))).collect();
    // By run, then by number.
    shares.sort_by_key(|(header, numbers, _)| (header.seed, &header.settings, numbers.start, numbers.end));
    let same_run = |a: &Header, b: &Header| (a.seed, &a.settings) == (b.seed, &b.settings);
    for pair in shares.windows(2) {
        let [(run, before, first), (other, after, second)] = [pair[0], pair[1]];
        let (first, second) = (first.display(), second.display());
        if !same_run(run, other) {
            continue;
        }
        if before.end > after.start {
            let end = before.end.min(after.end);
            return Err(usage(format!("{first} and {second} both have the numbers {}..{end}", after.start)));
        }
        if before.end < after.start && !incomplete {
            let (from, to) = (before.end, after.start);
            return Err(usage(format!("the numbers {from}..{to}, between {first} and {second}, are missing")));
        }
    }
    let whole = !incomplete && shares.len() == inputs.len() && shares.iter().all(|(run, ..)| same_run(run, header));
    let range = shares.first().zip(shares.last()).map(|((_, first, _), (_, last, _))| first.start..last.end);
    Ok(range.filter(|_| whole))
}

/// The header of a merged file.
fn merged(headers: &[Header]) -> Option<Header> {
    let first = headers.first()?;
    if headers.iter().all(|header| (header.seed, &header.settings) == (first.seed, &first.settings)) {
        return Some(Header { numbers: None, ..first.clone() });
    }
    let mut settings: Vec<String> = Vec::new();
    for header in headers {
        // Merged files already have their seeds in their settings.
        let seed = if header.seed == 0 { String::new() } else { format!("seed {}: ", header.seed) };
        for line in header.settings.lines().map(|line| format!("{seed}{line}")) {
            if !settings.contains(&line) {
                settings.push(line);
            }
        }
    }
    Some(Header { seed: 0, numbers: None, settings: settings.join("\n"), ..first.clone() })
}

/// A hash of the start and the moves of a game.
pub fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.start.key().hash(&mut hasher);
    game.plies.iter().for_each(|ply| ply.mv.hash(&mut hasher));
    hasher.finish()
}

/// Checks that the number of a game belongs to its file and is new.
fn check_number(number: u64, numbers: &Range<u64>, present: &mut HashSet<u64>) -> Result<(), String> {
    if !numbers.contains(&number) {
        return Err(format!("game {number}: its number is not one of {}..{}", numbers.start, numbers.end));
    }
    if !present.insert(number) {
        return Err(format!("game {number}: its number occurs twice"));
    }
    Ok(())
}

/// Merges files into a new one.
pub fn merge(arguments: &Merge) -> CommandResult {
    arguments.out.check()?;
    let mut headers = Vec::new();
    for path in &arguments.inputs {
        headers.push(open(path)?.header().clone());
    }
    let mut header = merged(&headers).ok_or_else(|| usage("there is nothing to merge"))?;
    if let Some(other) = headers.iter().position(|other| other.variant != header.variant) {
        return Err(usage(format!(
            "{}: the variant is {}, not {}",
            arguments.inputs[other].display(),
            headers[other].variant.name(),
            header.variant.name()
        )));
    }
    let inputs: Vec<(PathBuf, Header)> = arguments.inputs.iter().cloned().zip(headers).collect();
    header.numbers = merged_numbers(&inputs, &header, arguments.incomplete)?;
    let mut seen = HashSet::new();
    let (mut positions, mut dropped) = (0, 0u64);
    arguments.out.create(&header, |writer| {
        for (path, Header { numbers, .. }) in &inputs {
            let mut present = HashSet::new();
            let complete = for_each(path, |game| {
                if let Some(numbers) = numbers {
                    check_number(game.number, numbers, &mut present).map_err(unreadable(path))?;
                }
                if !seen.insert(fingerprint(&game)) {
                    dropped += 1;
                    return Ok(());
                }
                positions += game.plies.len();
                writer.push(&game).map_err(unwritable(&arguments.out.path))
            })?;
            if let Some(numbers) = numbers
                && !complete
                && !arguments.incomplete
            {
                let (start, end) = (numbers.start, numbers.end);
                let cause = format!("not all of the numbers {start}..{end} have been played; `play --resume` does");
                return Err(unreadable(path)(cause));
            }
        }
        Ok(header.numbers.is_some())
    })?;
    outln!("{} games, {positions} positions; {dropped} duplicate games dropped", seen.len());
    Ok(Status::Success)
}

/// Writes the games of a file in random order.
pub fn shuffle(arguments: &Shuffle) -> CommandResult {
    arguments.out.check()?;
    let header = open(&arguments.input)?.header().clone();
    let mut games: Vec<(u64, Box<[u8]>)> = Vec::new();
    let complete = for_each(&arguments.input, |game| {
        games.push((game.number, game.to_bytes().map_err(unreadable(&arguments.input))?.into()));
        Ok(())
    })?;
    // Sort first, so that the result does not depend on the order of the file. Numbers may not be unique after a merge.
    games.sort_unstable();
    Rng::new(arguments.seed).shuffle(&mut games);
    arguments.out.create(&header, |writer| {
        for (_, bytes) in &games {
            let game = GameRecord::from_bytes(bytes, header.variant).map_err(failed)?;
            writer.push(&game).map_err(unwritable(&arguments.out.path))?;
        }
        Ok(complete)
    })?;
    outln!("{} games", games.len());
    Ok(Status::Success)
}

/// Verifies all games of some files.
pub fn verify(arguments: &Verify) -> CommandResult {
    const SHOWN: u64 = 20;
    let mut status = Status::Success;
    for path in &arguments.files {
        let name = path.display();
        let (mut games, mut positions, mut errors, mut share) = (0u64, 0, 0u64, String::new());
        let mut report = |text: String| {
            errors += 1;
            if errors <= SHOWN {
                terminal::print_message(&format!("{name}: {text}"));
            }
        };
        match Reader::open(path) {
            Err(error) => report(error.to_string()),
            Ok(mut reader) => {
                let Header { seed, numbers, .. } = reader.header().clone();
                let numbers = numbers.or((seed != 0).then_some(0..u64::MAX));
                let mut present = HashSet::new();
                for game in reader.by_ref() {
                    match game {
                        Err(error) => report(error.to_string()),
                        Ok(game) => {
                            games += 1;
                            positions += game.plies.len();
                            if let Err(error) = game.check() {
                                report(format!("game {}: {error}", game.number));
                            }
                            let number = numbers.as_ref().map(|n| check_number(game.number, n, &mut present));
                            if let Some(Err(error)) = number {
                                report(error);
                            }
                        }
                    }
                }
                if let Some(numbers) = &reader.header().numbers {
                    let state = if reader.is_complete() { "all" } else { "not all" };
                    share = format!(", {state} of the numbers {}..{}", numbers.start, numbers.end);
                }
            }
        }
        outln!("{name}: {games} games, {positions} positions{share}, {errors} errors");
        if errors > 0 {
            status = Status::Negative;
        }
    }
    Ok(status.after_printing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    #[test]
    fn a_merged_header_contains_all_seeds() {
        let header = |seed, settings: &str| Header {
            variant: Variant::Spartan,
            seed,
            numbers: None,
            program: "p".to_owned(),
            settings: settings.to_owned(),
        };
        let (one, two) = (header(1, "a"), header(2, "a"));
        assert_eq!(merged(&[one.clone(), one.clone()]), Some(one.clone()));
        let both = merged(&[one.clone(), two]).unwrap();
        assert_eq!((both.seed, both.settings.as_str()), (0, "seed 1: a\nseed 2: a"));
        let all = merged(&[both, header(3, "b"), one]).unwrap();
        assert_eq!((all.seed, all.settings.as_str()), (0, "seed 1: a\nseed 2: a\nseed 3: b"));
        assert_eq!(merged(&[]), None);
    }
}
