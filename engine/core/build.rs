//! Passes to the compiler the network to embed, and whether PEXT is available and fast.
//!
//! PEXT is chosen when the program is built. A choice in each lookup when it runs takes more instructions (bench + 1.7
//! %, perft + 4.3 %) than the multiplications that PEXT saves (bench 0.6 %, perft 1.2 %).

use std::path::PathBuf;
use std::process::exit;
use std::{env, fs};

#[cfg_attr(test, allow(dead_code))]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(agoge_pext)");

    println!("cargo::rerun-if-env-changed={NETWORK_VARIABLE}");
    match network() {
        Ok(path) => {
            println!("cargo::rerun-if-changed={}", path.display());
            println!("cargo::rustc-env=AGOGE_EMBEDDED_NETWORK={}", path.display());
        }
        Err(error) => {
            println!("cargo::error={NETWORK_VARIABLE}={error}");
            exit(1);
        }
    }

    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |wanted: &str| features.split(',').any(|feature| feature == wanted);
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if has("bmi2") && pext_is_fast(&flags, host_pext_is_fast) {
        println!("cargo::rustc-cfg=agoge_pext");
    }
    let is_x86 = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    if is_x86 && !has("popcnt") && env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!(
            "cargo::warning=this program will run on every x86-64 processor, but slower than it could: build it in the \
             folder of Agoge, or with RUSTFLAGS=\"-C target-cpu=native\" for this machine"
        );
    }
}

/// The environment variable with the path of the network to embed; a relative path starts from this folder.
const NETWORK_VARIABLE: &str = "AGOGE_EVALFILE";

/// The length of the part of a network file that all networks of this architecture have in common: magic bytes,
/// version, architecture and shape. The checksum of the file follows. `src/nnue/file.rs` describes the format.
const COMMON_BYTES: usize = 40;

/// The file of the network to embed.
///
/// A network that the program could not use would be noticed only by its play, so it is compared with the network of
/// this repository here.
fn network() -> Result<PathBuf, String> {
    let folder = env::current_dir().map_err(|error| error.to_string())?;
    let usual = folder.join("nets/agoge.nnue");
    let Some(name) = env::var_os(NETWORK_VARIABLE).filter(|name| !name.is_empty()) else { return Ok(usual) };
    let path = folder.join(name);
    let wrong = |cause: &str| format!("{}: {cause}", path.display());
    let mut bytes = fs::read(&path).map_err(|error| wrong(&error.to_string()))?;
    let known = fs::read(&usual).map_err(|error| format!("{}: {error}", usual.display()))?;
    if bytes.get(..8) != known.get(..8) {
        return Err(wrong("not a network file"));
    }
    if bytes.len() != known.len() || bytes[..COMMON_BYTES] != known[..COMMON_BYTES] {
        return Err(wrong("a network of another version or architecture than this program"));
    }
    let checksum: Vec<u8> = bytes.splice(COMMON_BYTES..COMMON_BYTES + 4, [0; 4]).collect();
    if checksum != crc32fast::hash(&bytes).to_le_bytes() {
        return Err(wrong("wrong checksum: the file is damaged"));
    }
    Ok(path)
}

/// Whether PEXT is fast on all processors that the program is built for. A build for a class of processors that
/// includes slow ones, such as x86-64-v3, does without. `flags` are those of rustc, separated by 0x1F; `host` tells it
/// for the machine that builds.
fn pext_is_fast(flags: &str, host: impl FnOnce() -> bool) -> bool {
    let target_cpu = flags.split('\u{1f}').filter_map(|flag| flag.split_once("target-cpu=")).next_back();
    match target_cpu.map(|(_, name)| name) {
        Some("native") => host(),
        None | Some("x86-64-v3" | "bdver4" | "znver1" | "znver2") => false,
        Some(_) => true,
    }
}

#[cfg(target_arch = "x86_64")]
fn host_pext_is_fast() -> bool {
    /// What CPUID says of a leaf.
    #[allow(unused_unsafe, reason = "the function is unsafe in older versions of Rust")]
    fn cpuid(leaf: u32) -> std::arch::x86_64::CpuidResult {
        // SAFETY: every x86-64 processor has the instruction.
        unsafe { std::arch::x86_64::__cpuid(leaf) }
    }
    let vendor = cpuid(0);
    !has_slow_pext([vendor.ebx, vendor.edx, vendor.ecx], cpuid(1).eax)
}

#[cfg(not(target_arch = "x86_64"))]
fn host_pext_is_fast() -> bool {
    false
}

/// Whether a processor has PEXT in microcode, many times slower than a multiplication: AMD's before family 19h
/// (Excavator, Zen 1 and Zen 2) and Hygon's, which are Zen 1. `vendor` is EBX, EDX and ECX of CPUID leaf 0, `signature`
/// EAX of leaf 1.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
fn has_slow_pext(vendor: [u32; 3], signature: u32) -> bool {
    let name = vendor.map(u32::to_le_bytes);
    let family = (signature >> 8 & 0xF) + (signature >> 20 & 0xFF);
    match name.as_flattened() {
        b"AuthenticAMD" => family < 0x19,
        b"HygonGenuine" => true,
        _ => false,
    }
}

/// The integration tests include this file.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_pext_is_known_by_the_processor() {
        let vendor = |name: &[u8; 12]| [0, 4, 8].map(|at| u32::from_le_bytes(name[at..at + 4].try_into().unwrap()));
        for (name, signature, slow) in [
            (b"AuthenticAMD", 0x0066_0F01, true),
            (b"AuthenticAMD", 0x0080_0F11, true),
            (b"AuthenticAMD", 0x0087_0F10, true),
            (b"HygonGenuine", 0x0090_0F02, true),
            (b"AuthenticAMD", 0x00A2_0F10, false),
            (b"AuthenticAMD", 0x00A6_0F12, false),
            (b"AuthenticAMD", 0x00B4_0F40, false),
            (b"GenuineIntel", 0x0003_06C3, false),
            (b"GenuineIntel", 0x0008_06F8, false),
        ] {
            assert_eq!(has_slow_pext(vendor(name), signature), slow, "{signature:#x}");
        }
    }

    #[test]
    fn pext_is_used_where_all_processors_of_the_build_have_it_fast() {
        for (flags, fast) in [
            ("", false),
            ("-C\u{1f}target-feature=+bmi2", false),
            ("-C\u{1f}target-cpu=x86-64-v3", false),
            ("-Ctarget-cpu=znver2", false),
            ("-Ctarget-cpu=bdver4", false),
            ("-C\u{1f}target-cpu=x86-64-v4", true),
            ("-C\u{1f}target-cpu=haswell", true),
            ("-C\u{1f}target-cpu=haswell\u{1f}-C\u{1f}target-cpu=x86-64-v3", false),
        ] {
            assert_eq!(pext_is_fast(flags, || panic!("the machine that builds does not matter")), fast, "{flags:?}");
        }
        for fast in [false, true] {
            assert_eq!(pext_is_fast("-C\u{1f}target-cpu=native", || fast), fast);
        }
    }
}
