//! Passes to the compiler the git revision, the version of the compiler and the target, for `agoge version`. The package
//! `agoge-bench` uses this script, too.

#![allow(clippy::disallowed_macros, reason = "Cargo reads stdout")]

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    // HEAD changes only with the branch; its log changes with each commit.
    for file in ["../.git/HEAD", "../.git/logs/HEAD"] {
        if Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    let revision = output(Command::new("git").args(["rev-parse", "--short=8", "HEAD"]));
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
