//! Passes to the compiler the git revision, the compiler version, and whether PEXT is available and fast.

use std::env;
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
    println!("cargo::rustc-check-cfg=cfg(agoge_pext)");

    let revision = Command::new("git")
        .args(["rev-parse", "--short=8", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=AGOGE_REVISION={}", revision.as_deref().map_or("unknown", str::trim));

    let compiler = env::var_os("RUSTC")
        .and_then(|rustc| Command::new(rustc).arg("--version").output().ok())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=AGOGE_COMPILER={}", compiler.as_deref().map_or("rustc", str::trim));

    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if features.split(',').any(|feature| feature == "bmi2") && pext_is_fast() {
        println!("cargo::rustc-cfg=agoge_pext");
    }
}

/// Whether PEXT is fast on the processors that the program is built for. On AMD's Zen 1 and 2 it is microcoded and many
/// times slower than a multiplication. A build for a class of processors that includes them, such as x86-64-v3, does
/// without.
fn pext_is_fast() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let target_cpu = flags.split('\u{1f}').filter_map(|flag| flag.split_once("target-cpu=")).next_back();
    match target_cpu.map(|(_, name)| name) {
        Some("native") => host_pext_is_fast(),
        None | Some("x86-64-v3" | "znver1" | "znver2") => false,
        Some(_) => true,
    }
}

/// False on AMD's family 17h, Zen 1 and 2.
#[cfg(target_arch = "x86_64")]
fn host_pext_is_fast() -> bool {
    use std::arch::x86_64::__cpuid;
    let vendor = __cpuid(0);
    let is_amd = vendor.ebx == u32::from_le_bytes(*b"Auth");
    let version = __cpuid(1).eax;
    let family = (version >> 8 & 0xF) + (version >> 20 & 0xFF);
    !is_amd || family >= 0x19
}

#[cfg(not(target_arch = "x86_64"))]
fn host_pext_is_fast() -> bool {
    false
}
