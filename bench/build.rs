//! Passes the git revision to the compiler.

// Cargo reads the output.
#![allow(clippy::disallowed_macros)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // HEAD changes only with the branch; its log changes with each commit.
    for file in ["../.git/HEAD", "../.git/logs/HEAD"].into_iter().filter(|file| Path::new(file).exists()) {
        println!("cargo::rerun-if-changed={file}");
    }
    let output = Command::new("git").args(["rev-parse", "--short=8", "HEAD"]).output().ok();
    let revision = output.filter(|output| output.status.success()).map(|output| output.stdout);
    let revision = revision.map_or_else(|| "unknown".into(), |bytes| String::from_utf8_lossy(&bytes).into_owned());
    println!("cargo::rustc-env=AGOGE_REVISION={}", revision.trim());
}
