//! Merging, shuffling and verifying game files.

use super::read_games;
use super::record::{GameRecord, Header, Reader, Writer};
use crate::rng::Rng;
use crate::terminal::{CommandResult, Error, Status, failed, unreadable, unwritable, usage};
use crate::{files, outln, terminal};
use clap::Args;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Out {
    /// The new file
    #[arg(long = "out", value_name = "FILE")]
    path: PathBuf,
    /// Overwrite the file of --out
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
pub struct Merge {
    #[command(flatten)]
    out: Out,
    /// Game files of the same variant
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
}

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

#[derive(Args)]
pub struct Verify {
    /// Game files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Out {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn check(&self) -> Result<(), Error> {
        files::check_no_device(&self.path).map_err(usage)?;
        files::check_new(&self.path, self.force, files::FORCE_HINT).map_err(usage)
    }

    /// Writes the file under a temporary name and renames it when it is complete, so that an incomplete file never has
    /// the final name.
    pub fn create(&self, header: &Header, fill: impl FnOnce(&mut Writer) -> Result<(), Error>) -> Result<(), Error> {
        self.check()?;
        let make = |path: &Path| Writer::create(path, header).map_err(io::Error::other);
        let made = files::unfinished().make_in(files::directory_of(&self.path), make);
        let (mut writer, unfinished) = made.map_err(unwritable(&self.path))?.into_parts();
        fill(&mut writer)?;
        writer.finish().map_err(unwritable(&self.path))?;
        let renamed =
            if self.force { unfinished.persist(&self.path) } else { unfinished.persist_noclobber(&self.path) };
        renamed.map_err(|error| unwritable(&self.path)(error.error))
    }
}

fn merged(headers: &[Header]) -> Option<Header> {
    let first = headers.first()?;
    if headers.iter().all(|header| header == first) {
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
pub fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.start.key().hash(&mut hasher);
    game.plies.iter().for_each(|ply| ply.mv.hash(&mut hasher));
    hasher.finish()
}

pub fn merge(arguments: &Merge) -> CommandResult {
    arguments.out.check()?;
    let inputs = &arguments.inputs;
    let headers = inputs.iter().map(|path| Ok(read_games(path)?.0)).collect::<Result<Vec<Header>, Error>>()?;
    let header = merged(&headers).ok_or_else(|| usage("there is nothing to merge"))?;
    if let Some(other) = headers.iter().position(|other| other.variant != header.variant) {
        return Err(usage(format!(
            "{}: the variant is {}, not {}",
            inputs[other].display(),
            headers[other].variant.name(),
            header.variant.name()
        )));
    }
    let mut seen = HashSet::new();
    let (mut positions, mut dropped) = (0, 0u64);
    arguments.out.create(&header, |writer| {
        for path in inputs {
            for game in read_games(path)?.1 {
                let game = game?;
                if !seen.insert(fingerprint(&game)) {
                    dropped += 1;
                    continue;
                }
                positions += game.plies.len();
                writer.push(&game).map_err(unwritable(&arguments.out.path))?;
            }
        }
        Ok(())
    })?;
    outln!("{} games, {positions} positions; {dropped} duplicate games dropped", seen.len());
    Ok(Status::Success)
}

pub fn shuffle(arguments: &Shuffle) -> CommandResult {
    arguments.out.check()?;
    let (header, read) = read_games(&arguments.input)?;
    let mut games: Vec<(u64, Box<[u8]>)> = Vec::new();
    for game in read {
        let game = game?;
        games.push((game.number, game.to_bytes().map_err(unreadable(&arguments.input))?.into()));
    }
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
                // Games of different seeds may share a number.
                let are_numbers_unique = reader.header().seed != 0;
                let mut present = HashSet::new();
                for game in reader {
                    match game {
                        Err(error) => report(error.to_string()),
                        Ok(game) => {
                            games += 1;
                            positions += game.plies.len();
                            if let Err(error) = game.check() {
                                report(format!("game {}: {error}", game.number));
                            }
                            if are_numbers_unique && !present.insert(game.number) {
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
    use agoge_core::board::Variant;

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
        // Another program plays other games with the same seed.
        let other = Header { program: "q".to_owned(), ..one.clone() };
        assert_eq!(merged(&[one.clone(), other]).unwrap().seed, 0);
        let both = merged(&[one.clone(), two]).unwrap();
        assert_eq!((both.seed, both.settings.as_str()), (0, "seed 1: a\nseed 2: a"));
        let all = merged(&[both, header(3, "b"), one]).unwrap();
        assert_eq!((all.seed, all.settings.as_str()), (0, "seed 1: a\nseed 2: a\nseed 3: b"));
        assert_eq!(merged(&[]), None);
    }
}
