//! The output files: the annotated games, and a graph for each game.

use super::Arguments;
use super::game::Annotated;
use crate::commands::files::{NewFile, is_standard};
use agoge_core::notation::pgn::ParsedGame;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The output files. All get their final names together at the end.
#[derive(Default)]
struct Files {
    /// `None` for standard output.
    games: Option<NewFile>,
    graphs: Vec<NewFile>,
    /// Games written so far.
    written: usize,
}

impl Files {
    /// Gives the files their final names, unless they are empty. Returns the names.
    fn commit(self) -> Result<Vec<String>, String> {
        if self.written == 0 {
            return Ok(Vec::new());
        }
        let mut names: Vec<String> = self.games.iter().map(|file| file.path().display().to_string()).collect();
        if let [first, .., last] = &self.graphs[..] {
            names.push(format!("{} to {}", first.path().display(), last.path().display()));
        } else {
            names.extend(self.graphs.iter().map(|file| file.path().display().to_string()));
        }
        // One that fails does not cost the others.
        let committed: Vec<Result<(), String>> =
            self.games.into_iter().chain(self.graphs).map(NewFile::commit).collect();
        committed.into_iter().collect::<Result<(), String>>().map(|()| names)
    }
}

/// The files while they are incomplete; also for the thread of the signals.
static FILES: Mutex<Option<Files>> = Mutex::new(None);

fn files() -> MutexGuard<'static, Option<Files>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the complete games after a second signal, and removes the temporary files.
pub fn save() {
    let mut files = files();
    if let Some(Err(error)) = files.take().map(Files::commit) {
        let _ = writeln!(io::stderr(), "agoge: {error}");
    }
    // Nothing may be created any more before the program ends.
    std::mem::forget(files);
}

/// Where the results go.
pub struct Outputs {
    to_stdout: bool,
    /// The name of the first graph; `None` if no graphs are requested.
    first_graph: Option<PathBuf>,
    force: bool,
    /// Games written so far.
    pub written: usize,
    /// The first error of standard output, after which no more is printed.
    stdout_error: Option<io::Error>,
}

impl Outputs {
    /// Checks in advance that all files can be created and none is used twice, to fail before hours of work.
    pub fn create(arguments: &Arguments, count: usize) -> Result<Self, String> {
        // Nothing is written beside a device or pipe.
        let is_special = fs::metadata(&arguments.file).is_ok_and(|data| !data.is_file() && !data.is_dir());
        let from_standard = is_standard(&arguments.file) || is_special || arguments.file.starts_with("/dev");
        let default = |extension| (!from_standard).then(|| arguments.file.with_extension(extension));
        let out = arguments.out.clone().or_else(|| default("analysed.pgn")).unwrap_or_else(|| "-".into());
        let first_graph = arguments.svg.clone().or_else(|| default("svg"));
        if first_graph.as_ref().is_some_and(|path| is_standard(path)) {
            return Err("--svg needs the name of a file".into());
        }
        let input = if is_standard(&arguments.file) { Path::new("/dev/stdin") } else { &arguments.file };
        let input = Identity::of(input);
        let to_stdout = is_standard(&out);
        let games = if to_stdout { None } else { Identity::of(&out) };
        if games.is_some() && games == input {
            return Err(format!("{}: --out names the input", out.display()));
        }
        let mut files = files();
        for path in first_graph.iter().flat_map(|first| (0..count).map(|index| numbered(first, index))) {
            let graph = Identity::of(&path);
            for (other, name) in [(&input, "the input"), (&games, "the file of --out")] {
                if graph.is_some() && graph == *other {
                    return Err(format!("{}: a picture of --svg names {name}", path.display()));
                }
            }
            NewFile::create(&path, arguments.force)?;
        }
        let games = if to_stdout { None } else { Some(NewFile::create(&out, arguments.force)?) };
        *files = Some(Files { games, ..Files::default() });
        Ok(Self { to_stdout, first_graph, force: arguments.force, written: 0, stdout_error: None })
    }

    pub fn add(&mut self, game: &Annotated, parsed: &ParsedGame, index: usize) -> Result<(), String> {
        let text = game.write(parsed);
        let title = title(parsed);
        if self.to_stdout {
            io::stdout().write_all(text.as_bytes()).map_err(|error| format!("standard output: {error}"))?;
        }
        let mut guard = files();
        let Some(files) = guard.as_mut() else { return Ok(()) };
        if let Some(first) = &self.first_graph {
            let path = numbered(first, index);
            let mut file = NewFile::create(&path, self.force)?;
            file.write(&game.draw(&title, parsed).map_err(|error| format!("{}: {error}", path.display()))?)?;
            file.close();
            files.graphs.push(file);
        }
        if let Some(file) = &mut files.games {
            file.write(&text)?;
        }
        files.written += 1;
        self.written = files.written;
        drop(guard);
        self.print(&format!("{title}\n{}", game.summary()));
        Ok(())
    }

    /// Gives the files their final names.
    pub fn finish(mut self) -> Result<(), String> {
        if self.written == 0 {
            return Err("no game could be analysed; nothing is written".into());
        }
        // A second signal waits until all files have their names.
        let names = {
            let mut files = files();
            files.take().map_or_else(|| Ok(Vec::new()), Files::commit)?
        };
        if !names.is_empty() {
            self.print(&format!("Written: {}", names.join(", ")));
        }
        match self.stdout_error.take() {
            // As after `| head`.
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("standard output: {error}; the files are complete"))
            }
            _ => Ok(()),
        }
    }

    /// Prints a result to standard output, or to standard error if the games go to standard output. An
    /// error is kept until the files are complete.
    fn print(&mut self, text: &str) {
        if self.to_stdout {
            let _ = writeln!(io::stderr(), "{text}");
        } else if self.stdout_error.is_none() {
            self.stdout_error = writeln!(io::stdout(), "{text}").err();
        }
    }
}

impl Drop for Outputs {
    /// Removes the temporary files that have not got their names.
    fn drop(&mut self) {
        files().take();
    }
}

/// What tells whether two names mean the same file, also one that does not exist yet.
#[derive(PartialEq, Eq)]
enum Identity {
    #[cfg(unix)]
    Node(u64, u64),
    Path(PathBuf),
}

impl Identity {
    /// `None` for a device or pipe, which nothing replaces.
    fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(data) if !data.is_file() => None,
            #[cfg(unix)]
            Ok(data) => {
                use std::os::unix::fs::MetadataExt;
                Some(Self::Node(data.dev(), data.ino()))
            }
            #[cfg(not(unix))]
            Ok(_) => fs::canonicalize(path).ok().map(Self::Path),
            Err(_) => {
                let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                Some(Self::Path(fs::canonicalize(directory).ok()?.join(path.file_name()?)))
            }
        }
    }
}

/// The name of the graph of a game by its index: `games.svg`, `games-2.svg`.
fn numbered(path: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{}", index + 1));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

fn title(game: &ParsedGame) -> String {
    let tag = |name| game.tag(name).unwrap_or("?");
    format!("{} - {}, {}", tag("White"), tag("Black"), game.result())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_names_are_numbered() {
        assert_eq!(numbered(Path::new("a/games.x.svg"), 0), Path::new("a/games.x.svg"));
        assert_eq!(numbered(Path::new("a/games.x.svg"), 1), Path::new("a/games.x-2.svg"));
        assert_eq!(numbered(Path::new("picture"), 2), Path::new("picture-3"));
    }
}
