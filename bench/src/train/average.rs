//! The average of networks.
//!
//! Networks trained from the same initial weights with other seeds or options stay close to each other, and the mean of
//! their weights is often better than each of them ("model soup", Wortsman et al. 2022).

use super::net::{LANES, Weights};
use crate::terminal::{CommandResult, Error, Status, unreadable, unwritable, usage};
use crate::{files, outln};
use agoge_core::nnue::Network;
use agoge_core::nnue::arch::HIDDEN;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// Two or more networks, trained from the same initial weights
    #[arg(required = true, num_args = 2..)]
    networks: Vec<PathBuf>,
    /// The new network
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The name of the new network
    #[arg(long, default_value = "agoge")]
    name: String,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let Arguments { networks: paths, out, name, force } = arguments;
    files::check_new(out, *force, files::FORCE_HINT).map_err(usage)?;
    Network::check_name(name).map_err(usage)?;
    let read = |path: &PathBuf| Network::read(path).map_err(unreadable(path));
    let networks = paths.iter().map(read).collect::<Result<Vec<Network>, Error>>()?;
    let mut weights = average(&networks);
    // Rounding could increase sums at the bound.
    weights.clip_sums();
    let mut network = weights.quantised();
    network.set_name(name).map_err(usage)?;
    files::write_new(out, &network.to_bytes(), *force).map_err(unwritable(out))?;
    outln!("{}: the average of {} networks", out.display(), networks.len());
    Ok(Status::Success)
}

/// The mean of all weights. It keeps the bounds that all networks keep.
fn average(networks: &[Network]) -> Weights {
    let mut sum = Weights::zeroed(HIDDEN / LANES);
    for weights in networks.iter().map(Weights::from_network) {
        for (to, from) in sum.rows_mut().zip(weights.rows()) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
    }
    let count = networks.len() as f32;
    sum.rows_mut().flatten().for_each(|weight| *weight /= count);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_averaged() {
        let networks = [[-10, 400], [20, 401], [50, 404]].map(|[feature, head]| {
            let mut network = Network::zeroed();
            network.feature_weights_mut()[7].0[100] = feature;
            network.output_weights_mut()[3].0[511] = head;
            network
        });
        let mean = average(&networks).quantised();
        assert_eq!(mean.feature_weights()[7].0[100], 20);
        assert_eq!(mean.output_weights()[3].0[511], 402);
        assert_eq!(mean.feature_weights()[7].0[101], 0);
    }
}
