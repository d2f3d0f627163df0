//! The name of the engine and how it was built.

use agoge_core::{attacks, nnue};

/// Name and version.
pub const NAME: &str = concat!("Agoge ", env!("CARGO_PKG_VERSION"));

/// The authors.
pub const AUTHOR: &str = "the Agoge developers";

/// Name, version, revision and target of the build, and what it uses on this machine. `network` is the name of the
/// network in use, if any.
pub fn version(network: Option<&str>) -> String {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let features = [
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("avx512", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ]
    .into_iter()
    .filter_map(|(name, enabled)| enabled.then_some(name));
    let target: Vec<&str> = [env!("AGOGE_TARGET")].into_iter().chain(features).collect();
    format!(
        "{NAME} ({}) by {AUTHOR}\n{build} build by {} for {}\nSIMD level: {}\nslider attacks: {}\nnetwork: {}",
        env!("AGOGE_REVISION"),
        env!("AGOGE_COMPILER"),
        target.join(" "),
        nnue::Kernels::best().level(),
        attacks::SLIDERS,
        network.unwrap_or("none")
    )
}
