//! Merging, shuffling and verifying game files.

use crate::data::record::{GameRecord, Header, Reader, RecordError, Writer};
use crate::rng::Rng;
use crate::terminal::{CommandResult, Error, Status, failed, unreadable, unwritable, usage};
use crate::{files, outln, terminal};
use clap::Args;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Args)]
struct Out {
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
/// running, is reported but not an error.
pub fn for_each(path: &Path, mut visit: impl FnMut(GameRecord) -> Result<(), Error>) -> Result<(), Error> {
    for game in open(path)? {
        match game {
            Ok(game) => visit(game)?,
            Err(error @ RecordError::Truncated { .. }) => {
                terminal::print_message(&format!("{}: {error}", path.display()));
            }
            Err(error) => return Err(unreadable(path)(error)),
        }
    }
    Ok(())
}

impl Out {
    fn check(&self) -> Result<(), Error> {
        files::check_new(&self.path, self.force, files::FORCE_HINT).map_err(usage)
    }

    /// Writes the file under a temporary name and renames it when it is complete, so that an incomplete file never has
    /// the final name.
    fn create(&self, header: &Header, fill: impl FnOnce(&mut Writer) -> Result<(), Error>) -> Result<(), Error> {
        self.check()?;
        let about_out = |error: RecordError| unwritable(&self.path)(error);
        let make = |path: &Path| Writer::create(path, header).map_err(io::Error::other);
        let made = files::unfinished().make_in(files::directory_of(&self.path), make);
        let (mut writer, unfinished) = made.map_err(unwritable(&self.path))?.into_parts();
        fill(&mut writer)?;
        writer.finish().map_err(about_out)?;
        let renamed =
            if self.force { unfinished.persist(&self.path) } else { unfinished.persist_noclobber(&self.path) };
        renamed.map_err(|error| unwritable(&self.path)(error.error))
    }
}

/// The header of a merged file.
fn merged(headers: &[Header]) -> Option<Header> {
    let first = headers.first()?;
    if headers.iter().all(|header| (header.seed, &header.settings) == (first.seed, &first.settings)) {
        return Some(first.clone());
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
    Some(Header { seed: 0, settings: settings.join("\n"), ..first.clone() })
}

/// A hash of the start and the moves of a game.
fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.start.key().hash(&mut hasher);
    game.plies.iter().for_each(|ply| ply.mv.hash(&mut hasher));
    hasher.finish()
}

/// Merges files into a new one.
pub fn merge(arguments: &Merge) -> CommandResult {
    arguments.out.check()?;
    let mut headers = Vec::new();
    for path in &arguments.inputs {
        headers.push(open(path)?.header().clone());
    }
    let header = merged(&headers).ok_or_else(|| usage("there is nothing to merge"))?;
    if let Some(other) = headers.iter().position(|other| other.variant != header.variant) {
        return Err(usage(format!(
            "{}: the variant is {}, not {}",
            arguments.inputs[other].display(),
            headers[other].variant.name(),
            header.variant.name()
        )));
    }
    let mut seen = HashSet::new();
    let (mut positions, mut dropped) = (0, 0u64);
    arguments.out.create(&header, |writer| {
        for path in &arguments.inputs {
            for_each(path, |game| {
                if !seen.insert(fingerprint(&game)) {
                    dropped += 1;
                    return Ok(());
                }
                positions += game.plies.len();
                writer.push(&game).map_err(unwritable(&arguments.out.path))
            })?;
        }
        Ok(())
    })?;
    outln!("{} games, {positions} positions; {dropped} duplicate games dropped", seen.len());
    Ok(Status::Success)
}

/// Writes the games of a file in random order.
pub fn shuffle(arguments: &Shuffle) -> CommandResult {
    arguments.out.check()?;
    let header = open(&arguments.input)?.header().clone();
    let mut games: Vec<(u64, Box<[u8]>)> = Vec::new();
    for_each(&arguments.input, |game| {
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
        Ok(())
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
        let (mut games, mut positions, mut errors) = (0u64, 0, 0u64);
        let mut report = |text: String| {
            errors += 1;
            if errors <= SHOWN {
                terminal::print_message(&format!("{name}: {text}"));
            }
        };
        match Reader::open(path) {
            Err(error) => report(error.to_string()),
            Ok(reader) => {
                let same_run = reader.header().seed != 0;
                let mut numbers = HashSet::new();
                for game in reader {
                    match game {
                        Err(error) => report(error.to_string()),
                        Ok(game) => {
                            games += 1;
                            positions += game.plies.len();
                            if let Err(error) = game.check() {
                                report(format!("game {}: {error}", game.number));
                            }
                            if same_run && !numbers.insert(game.number) {
                                report(format!("game {}: its number occurs twice", game.number));
                            }
                        }
                    }
                }
            }
        }
        outln!("{name}: {games} games, {positions} positions, {errors} errors");
        if errors > 0 {
            status = Status::Negative;
        }
    }
    Ok(status.after_printing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge::board::Variant;

    #[test]
    fn a_merged_header_contains_all_seeds() {
        let header = |seed, settings: &str| Header {
            variant: Variant::Spartan,
            seed,
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
