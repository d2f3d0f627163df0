//! Passes the git revision to the compiler, for the files that the program makes.

#![expect(clippy::disallowed_macros, reason = "Cargo reads stdout")]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // HEAD changes only with the branch; its log changes with each commit.
    for file in ["../.git/HEAD", "../.git/logs/HEAD"] {
        if Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    let output = Command::new("git").args(["rev-parse", "--short=8", "HEAD"]).output();
    let output = output.ok().filter(|output| output.status.success());
    let revision = output.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=AGOGE_REVISION={}", revision.as_deref().map_or("unknown", str::trim));
}
