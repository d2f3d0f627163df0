//! The file of searches, which grows line by line. It is all that a tree is made from.
//!
//! The header names the program and the settings. Each other line is a search: the key of the position in hexadecimal
//! digits, the number of its known moves, which were left out, the best other move as the hexadecimal digits of
//! [`Move::bits`] (0 if there is no legal move), its value, the depth and the nodes. The order of the lines has no
//! meaning.

use super::Found;
use super::tree::Task;
use crate::files;
use agoge_core::board::Board;
use agoge_core::types::Move;
use agoge_core::types::score::{INFINITE, Value};
use clap::Args;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The settings on which the tree depends.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Nodes of each search
    #[arg(long, default_value_t = 500_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// The hash table of each search, in MiB
    #[arg(long, default_value_t = 8)]
    pub hash: usize,
    /// What each ply of the way to a position counts, in centipawns: the smaller, the deeper the tree
    #[arg(long, default_value_t = 2, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub ply_cost: u32,
}

/// What the values of a file depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    pub settings: Settings,
    /// The program that started the file.
    pub program: String,
    /// The node count of `agoge bench`, and the network.
    pub engine: String,
}

impl Origin {
    /// Of this program.
    pub fn new(settings: Settings) -> Self {
        let network = agoge_core::nnue::embedded().map_or_else(
            || "hand-made evaluation".to_owned(),
            |network| format!("network {} (CRC-32 {:08x})", network.name(), crc32fast::hash(&network.to_bytes())),
        );
        let engine = format!("bench {}, {network}", agoge_core::bench::signature());
        Self { settings, program: crate::PROGRAM.to_owned(), engine }
    }

    /// The lines of the header.
    pub fn text(&self) -> String {
        let Settings { nodes, hash, ply_cost } = self.settings;
        format!(
            "program: {}\nengine: {}\nnodes: {nodes}\nhash: {hash}\nply-cost: {ply_cost}\n",
            self.program, self.engine
        )
    }

    /// The lines of a header, each after `# `.
    pub fn parse(text: &str) -> Option<Self> {
        let field = |name: &str| {
            let lines = text.lines().map_while(|line| line.strip_prefix("# "));
            lines.filter_map(|line| line.split_once(": ")).find(|(found, _)| *found == name).map(|(_, value)| value)
        };
        let settings = Settings {
            nodes: field("nodes")?.parse().ok()?,
            hash: field("hash")?.parse().ok()?,
            ply_cost: field("ply-cost")?.parse().ok()?,
        };
        Some(Self { settings, program: field("program")?.to_owned(), engine: field("engine")?.to_owned() })
    }
}

/// The searches of a file by the key of the position and the number of moves left out.
pub type Known = HashMap<(u64, usize), Found>;

/// The key of a search in [`Known`].
pub fn key_of(board: &Board, task: Task) -> (u64, usize) {
    (board.key(), task.known)
}

const TITLE: &str = "# Searches of `agoge-bench theory`; see bench/THEORY.md.\n";

fn parse_line(line: &str) -> Option<((u64, usize), Found)> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [key, known, mv, value, depth, nodes] = fields[..] else { return None };
    let mv = match u16::from_str_radix(mv, 16).ok()? {
        0 => None,
        bits => Some(Move::from_bits(bits)?),
    };
    let value = value.parse().ok().filter(|value: &Value| value.abs() < INFINITE)?;
    let key = (u64::from_str_radix(key, 16).ok()?, known.parse().ok()?);
    Some((key, Found { mv, value, depth: depth.parse().ok()?, nodes: nodes.parse().ok()? }))
}

/// Reads a file.
///
/// # Errors
/// If it cannot be read, has no header, or has an invalid line. An incomplete last line does not count.
pub fn read(path: &Path) -> Result<(Origin, Known), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn parse(text: &str) -> Result<(Origin, Known), String> {
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let rest = whole.strip_prefix(TITLE).ok_or("this is not a file of searches")?;
    let origin = Origin::parse(rest).ok_or("the header is not complete")?;
    let mut known = Known::new();
    for (index, line) in whole.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let (key, found) = parse_line(line).ok_or_else(|| format!("line {}: not a search: {line}", index + 1))?;
        known.insert(key, found);
    }
    Ok((origin, known))
}

/// A file of searches that is being written.
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Creates a file, or opens one that was made with the same settings by the same engine, and returns its searches.
    /// What an interrupted write has left is removed.
    ///
    /// # Errors
    /// If the file cannot be read or written, another program is writing to it, or it was made with other settings.
    pub fn open(path: &Path, origin: &Origin) -> Result<(Self, Origin, Known), String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut file = files::open_locked(path)?;
        let header = origin.text().lines().fold(TITLE.to_owned(), |header, line| format!("{header}# {line}\n"));
        let text = files::read_lines(&mut file, &header).map_err(|error| failed(&error))?;
        let (made, known) = parse(&text).map_err(|error| failed(&error))?;
        if (made.settings, &made.engine) != (origin.settings, &origin.engine) {
            let found = made.text().replace('\n', ", ");
            return Err(failed(&format!("the file was made with other settings: {}", found.trim_end_matches(", "))));
        }
        files::cut(&mut file, text.len() as u64).map_err(|error| failed(&error))?;
        Ok((Self { path: path.to_owned(), file }, made, known))
    }

    /// Adds a search.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, (key, known): (u64, usize), found: &Found) -> Result<(), String> {
        let &Found { mv, value, depth, nodes } = found;
        let bits = mv.map_or(0, Move::bits);
        let line = format!("{key:016x} {known} {bits:x} {value} {depth} {nodes}\n");
        self.file.write_all(line.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_left_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("searches");
        let settings = Settings { nodes: 1000, hash: 1, ply_cost: 2 };
        let origin = Origin { settings, program: "agoge-bench".to_owned(), engine: "agoge".to_owned() };
        let open = |text: &str| {
            std::fs::write(&path, text).expect("a file");
            let opened = Log::open(&path, &origin).map(|_| ());
            (opened, std::fs::read_to_string(&path).expect("a file"))
        };
        let (opened, header) = open("");
        assert!(opened.is_ok() && header.starts_with(TITLE));
        for other in ["precious", "precious\n", "# precious\nline\n"] {
            let (opened, left) = open(other);
            assert!(opened.is_err() && left == other, "{left}");
        }
        // An incomplete header, and an incomplete line after it.
        assert_eq!(open(&header[..header.len() - 3]), (Ok(()), header.clone()));
        assert_eq!(open(&format!("{header}12ab")), (Ok(()), header.clone()));
    }
}
