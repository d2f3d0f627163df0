//! The end of a training: the quantised network, compared with its original and with an earlier network.

use super::data::Dataset;
use super::report::{Quantisation, mean_value, quantisation};
use super::trainer::Trainer;
use crate::outln;
use crate::terminal::{Error, unreadable, usage};
use agoge_core::nnue::{self, Network};
use clap::Args;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

/// How large the values of a network may be, compared with those of the reference, before `--rescale` changes them. The
/// margins of the search are fixed numbers of centipawns.
const SIMILAR: RangeInclusive<f64> = 0.95..=1.05;

/// The network whose values are compared with the new ones.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct Reference {
    /// Compare the size of the values with those of this network; by default that of the engine
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Scale the output weights so that the values are as large as those of the reference on average, if they differ by
    /// more than 5 %
    #[arg(long)]
    rescale: bool,
}

impl Reference {
    /// Reads the network; `None` if the engine has none.
    pub fn network(&self) -> Result<Option<Arc<Network>>, Error> {
        match &self.reference {
            None => Ok(nnue::embedded()),
            Some(path) => Ok(Some(Arc::new(Network::read(path).map_err(unreadable(path))?))),
        }
    }
}

/// The quantised network of a training. Prints its loss, and the size of its values compared with the reference.
pub fn network(
    name: &str,
    trainer: &Trainer,
    data: &Dataset,
    reference: Option<&Network>,
    options: &Reference,
) -> Result<Network, Error> {
    let (positions, which) =
        if data.validation.is_empty() { (&data.training, "training") } else { (&data.validation, "validation") };
    let mut weights = trainer.state().weights.clone();
    let mut network = weights.quantised();
    if let Some(reference) = reference {
        let wanted = mean_value(reference, positions);
        let ratio = |network: &Network| mean_value(network, positions) / wanted.max(1e-9);
        let before = ratio(&network);
        outln!(
            "values of {:.1} centipawns on average, those of {} of {wanted:.1}: ratio {before:.3}",
            mean_value(&network, positions),
            reference.name()
        );
        if options.rescale && !SIMILAR.contains(&before) && before > 0.0 {
            weights.scale_outputs((1.0 / before) as f32);
            network = weights.quantised();
            outln!("output weights multiplied by {:.3}: ratio {:.3}", 1.0 / before, ratio(&network));
        }
    }
    network.set_name(name).map_err(|error| usage(error.to_string()))?;
    let config = trainer.config();
    let wdl = config.wdl_at(trainer.steps_done().saturating_sub(1), trainer.steps());
    let Quantisation { exact, quantised, mean, largest } =
        quantisation(&network, &weights, positions, config.objective(wdl));
    outln!(
        "{name}.nnue: loss in {which} {exact:.6}, quantised {quantised:.6}; values differ by {mean:.2} centipawns, \
         {largest:.1} at most"
    );
    Ok(network)
}
