//! Which evaluation a position gets.

use super::endgame::is_mop_up;
use super::{evaluate, explain};
use crate::board::{Board, Threats, Variant};
use crate::nnue::{self, Accumulators, Kernels, Network};
use crate::types::Colour;
use crate::types::score::Value;
use std::sync::Arc;

/// An evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The neural network.
    Network,
    /// The hand-made evaluation: orthodox chess, or no network.
    HandMade,
    /// The hand-made evaluation of mop-up endgames. It leads to mate in steps that are smaller than the corrections of
    /// the search, which must not be applied.
    MopUp,
}

/// Evaluates positions by the network or by hand-made terms.
#[derive(Default)]
pub struct Evaluator {
    accumulators: Option<Accumulators>,
}

impl Evaluator {
    /// Prepares for positions of a variant; without a network for the hand-made evaluation. The network does not know
    /// orthodox chess. Keeps the accumulators of the same network.
    pub fn prepare(&mut self, network: Option<&Arc<Network>>, variant: Variant) {
        let network = network.filter(|_| variant == Variant::Spartan);
        match (network, &self.accumulators) {
            (Some(network), Some(old)) if Arc::ptr_eq(network, old.network()) => {}
            _ => self.accumulators = network.map(|network| Accumulators::new(Arc::clone(network), Kernels::best())),
        }
    }

    /// The evaluation that a position gets.
    #[inline]
    pub fn source(&self, board: &Board) -> Source {
        if is_mop_up(board) {
            Source::MopUp
        } else if self.accumulators.is_some() {
            Source::Network
        } else {
            Source::HandMade
        }
    }

    /// The value of a position by its [source](Self::source), in centipawns from the side to move's view. Its absolute
    /// value is below [`MAX_EVAL`](crate::types::score::MAX_EVAL).
    #[inline]
    pub fn evaluate(&mut self, board: &Board, source: Source) -> Value {
        match &mut self.accumulators {
            Some(accumulators) if source == Source::Network => accumulators.evaluate(board),
            _ => evaluate(board),
        }
    }

    /// All squares that a side attacks. They are known if the network evaluated the position last.
    #[inline]
    pub fn threats_of(&self, colour: Colour, board: &Board) -> Threats {
        let known = self.accumulators.as_ref().and_then(|accumulators| accumulators.threats_of(colour, board));
        known.unwrap_or_else(|| board.threats_of(colour))
    }

    /// The evaluation of a position as text. After the network's, for comparison, comes the hand-made one.
    pub fn explain(&self, board: &Board) -> String {
        let hand_made = explain(board);
        match &self.accumulators {
            Some(accumulators) if self.source(board) == Source::Network => {
                let network = nnue::explain(accumulators.network(), board);
                format!("{}\n\nHand-made evaluation (not in use)\n\n{hand_made}", network.trim_end())
            }
            _ => hand_made,
        }
    }
}
