//! Passes to the compiler the git revision, the version of the compiler and the target, for `agoge version`. The
//! package `agoge-bench` uses this script, too.

#![allow(clippy::disallowed_macros, reason = "Cargo reads stdout")]

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    // A package from crates.io has no repository, but it may lie in that of somebody else.
    const PACKED: &str = ".cargo_vcs_info.json";
    // HEAD changes only with the branch; its log changes with each commit.
    for file in ["../.git/HEAD", "../.git/logs/HEAD"] {
        if Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    let revision = match fs::read_to_string(PACKED) {
        Ok(info) => info.split_once("\"sha1\": \"").and_then(|(_, hash)| hash.get(..8)).map(str::to_owned),
        Err(_) => output(Command::new("git").args(["rev-parse", "--short=8", "HEAD"])),
    };
    println!("cargo::rustc-env=AGOGE_REVISION={}", revision.as_deref().unwrap_or("unknown"));
    let compiler = env::var_os("RUSTC").and_then(|rustc| output(Command::new(rustc).arg("--version")));
    println!("cargo::rustc-env=AGOGE_COMPILER={}", compiler.as_deref().unwrap_or("rustc"));
    println!("cargo::rustc-env=AGOGE_TARGET={}", env::var("TARGET").unwrap_or_default());
}

/// What a program prints, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
