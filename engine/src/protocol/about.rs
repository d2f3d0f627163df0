//! The name of the engine and how it was built.

use crate::nnue;

/// Name and version.
pub const NAME: &str = concat!("Agoge ", env!("CARGO_PKG_VERSION"));

/// The authors.
pub const AUTHOR: &str = "the Agoge developers";

/// Name, version, revision and build target, and the SIMD level of the network's kernels on this machine.
pub fn version() -> String {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let features = [
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("pext", cfg!(agoge_pext)),
        ("avx2", cfg!(target_feature = "avx2")),
        ("avx512", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ]
    .into_iter()
    .filter_map(|(name, enabled)| enabled.then_some(name));
    let target: Vec<&str> = [std::env::consts::ARCH, std::env::consts::OS].into_iter().chain(features).collect();
    format!(
        "{NAME} ({}) by {AUTHOR}\n{build} build by {} for {}\nnetwork computed with: {}",
        env!("AGOGE_REVISION"),
        env!("AGOGE_COMPILER"),
        target.join(" "),
        nnue::Kernels::best().level()
    )
}
