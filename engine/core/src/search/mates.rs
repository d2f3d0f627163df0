//! The use of the mate finder between the iterations of the main thread.

use super::hash::Entry;
use super::job::Bound;
use super::mate_finder::{PnNode, is_attacker_to_move};
use super::node::PROVEN_DEPTH;
use super::worker::Worker;
use crate::board::Board;
use crate::types::Move;
use crate::types::score::{NO_VALUE, Value, mate_in, mated_in};

/// The mate finder runs from this value on, in centipawns.
const MATE_FINDER_VALUE: Value = 1000;

impl Worker<'_> {
    /// Spends a share of the nodes on the mate finder while the side to move is winning. A proof goes into the hash
    /// table, where the next iteration finds it.
    ///
    /// The budget depends only on the node count, so that searches are reproducible. It starts at 0, since a head start
    /// of a few thousand nodes would take all the time at fast time controls.
    pub(super) fn find_mate(&mut self, board: &Board, value: Value) {
        /// One finder node for every 8 nodes. A finder node takes up to twice as long.
        const NODES_PER_FINDER_NODE: u64 = 8;
        /// A smaller budget would only repeat the path from the root.
        const MIN_BUDGET: u64 = 100;
        let limits = &self.search.job.limits;
        let limited = !limits.search_moves.is_empty() || self.search.strength.is_some();
        // After a mate, a shorter one.
        let is_wanted = value >= MATE_FINDER_VALUE && value < mate_in(self.mate_finder.plies());
        if !is_wanted || limited {
            return;
        }
        let budget = (self.nodes / NODES_PER_FINDER_NODE).saturating_sub(self.mate_nodes);
        if budget < MIN_BUDGET {
            return;
        }
        let before = self.nodes;
        let mut finder = std::mem::take(&mut self.mate_finder);
        let found = finder.search(board, budget, || {
            let may_continue = !self.check_limits_every(16);
            self.nodes += u64::from(may_continue);
            may_continue
        });
        self.mate_nodes += self.nodes - before;
        if found {
            let proof = finder.proof(board);
            let root = proof.first().map(|&(_, root)| root);
            for (key, PnNode { mv, plies, .. }) in proof {
                let plies = usize::from(plies);
                let is_win = is_attacker_to_move(plies);
                let value = if is_win { mate_in(plies) } else { mated_in(plies) };
                let bound = if is_win { Bound::Lower } else { Bound::Upper };
                let entry = Entry { mv, value, eval: NO_VALUE, depth: PROVEN_DEPTH, bound: Some(bound), pv: true };
                self.search.hash.store(key, 0, entry);
            }
            if let Some(PnNode { mv: Some(mv), plies, .. }) = root {
                self.adopt_mate(board, mv, plies.into());
            }
        }
        self.mate_finder = finder;
    }

    /// Makes the first move of a proven mate the best one and reports it: the next iteration may be aborted before it
    /// gets there. Not if the move is no candidate: the finder knows neither repetitions nor the tables.
    fn adopt_mate(&mut self, board: &Board, mv: Move, plies: usize) {
        if self.root_moves.iter().all(|m| m.mv != mv) {
            return;
        }
        self.root_moves.sort_by_key(|m| m.mv != mv);
        let best = &mut self.root_moves[0];
        best.value = mate_in(plies);
        best.bound = Bound::Exact;
        (best.depth, best.seldepth) = (self.completed_depth, plies as u32);
        best.pv = vec![mv];
        best.previous_pv = None;
        self.publish_result(board);
        self.report_lines();
    }
}
