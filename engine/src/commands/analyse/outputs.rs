//! The output files: the annotated games, and a graph for each game.

use super::Arguments;
use super::game::Annotated;
use crate::commands::files::{NewFile, is_standard};
use agoge_core::notation::pgn::ParsedGame;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The output files. All get their final names together at the end.
pub struct Outputs {
    /// `None` for standard output.
    games: Option<NewFile>,
    to_stdout: bool,
    /// The name of the first graph; `None` if no graphs are requested.
    first_graph: Option<PathBuf>,
    graphs: Vec<NewFile>,
    force: bool,
    /// Games written so far.
    pub written: usize,
    /// The first error of standard output, after which no more is printed.
    stdout_error: Option<io::Error>,
}

impl Outputs {
    /// Checks in advance that all files can be created, to fail before hours of work.
    pub fn create(arguments: &Arguments, count: usize) -> Result<Self, String> {
        let from_standard = is_standard(&arguments.file);
        let default = |extension| (!from_standard).then(|| arguments.file.with_extension(extension));
        let out = arguments.out.clone().or_else(|| default("analysed.pgn")).unwrap_or_else(|| "-".into());
        let first_graph = arguments.svg.clone().or_else(|| default("svg"));
        if first_graph.as_ref().is_some_and(|path| is_standard(path)) {
            return Err("--svg needs the name of a file".into());
        }
        let is_device = out.exists() && !out.is_file();
        if first_graph.as_ref() == Some(&out) && !is_device {
            return Err("--out and --svg name the same file".into());
        }
        let paths = first_graph.iter().flat_map(|first| (0..count).map(|index| numbered(first, index)));
        for path in paths {
            NewFile::create(&path, arguments.force)?;
        }
        let games = if is_standard(&out) { None } else { Some(NewFile::create(&out, arguments.force)?) };
        let (to_stdout, force) = (games.is_none(), arguments.force);
        Ok(Self { games, to_stdout, first_graph, graphs: Vec::new(), force, written: 0, stdout_error: None })
    }

    pub fn add(&mut self, game: &Annotated, parsed: &ParsedGame, index: usize) -> Result<(), String> {
        let text = game.write(parsed);
        match &mut self.games {
            Some(file) => file.write(&text)?,
            None => io::stdout().write_all(text.as_bytes()).map_err(|error| format!("standard output: {error}"))?,
        }
        let title = title(parsed);
        if let Some(first) = &self.first_graph {
            let path = numbered(first, index);
            let mut file = NewFile::create(&path, self.force)?;
            file.write(&game.draw(&title, parsed).map_err(|error| format!("{}: {error}", path.display()))?)?;
            file.close();
            self.graphs.push(file);
        }
        self.written += 1;
        self.print(&format!("{title}\n{}", game.summary()));
        Ok(())
    }

    /// Gives the files their final names.
    pub fn finish(mut self) -> Result<(), String> {
        if self.written == 0 {
            return Err("no game could be analysed; nothing is written".into());
        }
        let mut names: Vec<String> = self.games.iter().map(|file| file.path().display().to_string()).collect();
        if let [first, .., last] = &self.graphs[..] {
            names.push(format!("{} to {}", first.path().display(), last.path().display()));
        } else {
            names.extend(self.graphs.iter().map(|file| file.path().display().to_string()));
        }
        for file in self.games.take().into_iter().chain(self.graphs.drain(..)) {
            file.commit()?;
        }
        if !names.is_empty() {
            self.print(&format!("Written: {}", names.join(", ")));
        }
        match self.stdout_error {
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
