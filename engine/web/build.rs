//! Lists the files of the page for the server, with their contents, and makes a number of them that tells versions
//! apart.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=page");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    find(&package.join("page"), "", &mut files)?;
    // In the repository they are links in this package, which some systems check out as text files.
    let repository = package.join("../..");
    let positions = if repository.join("engine/web").exists() { &repository } else { &package };
    for name in ["positions/mates.epd", "positions/puzzles.epd", "positions/tactics.epd"] {
        let path = positions.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        files.push((name.to_owned(), path));
    }
    // The order of a folder differs between machines.
    files.sort();
    let mut hasher = DefaultHasher::new();
    for (name, path) in &files {
        (name, fs::read(path)?).hash(&mut hasher);
    }
    println!("cargo::rustc-env=AGOGE_PAGE={:016x}", hasher.finish());
    let rows: String =
        files.iter().map(|(name, path)| format!("    ({name:?}, include_bytes!({path:?})),\n")).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("files.rs"), format!("const FILES: &[(&str, &[u8])] = &[\n{rows}];\n"))
}

/// Adds the files below a folder, with their names after a prefix.
fn find(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            find(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
