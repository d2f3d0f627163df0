//! The name of the engine and how it was built.

pub use agoge_core::uci::{AUTHOR, NAME};

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
        "{NAME} ({}) by {AUTHOR}\n{build} build by {} for {}\n{}",
        env!("AGOGE_REVISION"),
        env!("AGOGE_COMPILER"),
        target.join(" "),
        agoge_core::uci::about(network)
    )
}
