//! Looks for a forced mate where the game is decided.
//!
//! The tree search prunes and reduces what looks bad, and a quiet key move or a sacrifice that mates
//! does look bad while everything else wins as well. Depth-first proof-number search (Nagai's df-pn;
//! "Proof-Number Search" of the chess programming wiki) goes another way: it always looks at the line
//! in which the defender has the fewest ways out, quiet moves included, and knows nothing of values.
//!
//! A proof holds whatever was played before, but for the fifty-move rule and repetitions, with which
//! the search deals when it goes through the line.

use crate::board::Board;
use crate::types::Move;
use std::collections::HashMap;

/// A number that stands for "cannot be proven" or "cannot be refuted".
const NEVER: u32 = 1 << 28;

/// The longest mate that is looked for, in plies.
const MAX_PLIES: usize = 60;

/// Positions that are remembered; when there are more, all that are not proven are forgotten.
const MAX_KNOWN: usize = 1 << 17;

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Leaves to prove at least until the mate is proven; 0 when it is.
    proof: u32,
    /// Leaves to refute at least until the mate is refuted; 0 when it is.
    disproof: u32,
    /// Plies to the mate that was proven.
    plies: u8,
    /// The move to it, of the attacker.
    mv: Option<Move>,
}

/// A position of a proof, as the finder tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proven {
    /// The Zobrist key.
    pub key: u64,
    /// The mating side's move; none where the other side is to move.
    pub mv: Option<Move>,
    /// Plies to the mate.
    pub plies: usize,
}

/// The finder and what it remembers.
#[derive(Default)]
pub(super) struct MateFinder {
    known: HashMap<u64, Known>,
    /// Keys from the root to the present position.
    path: Vec<u64>,
    /// Positions that may still be looked at.
    budget: u64,
}

/// A move and the position after it.
struct Child {
    mv: Move,
    board: Board,
    known: Known,
}

impl MateFinder {
    /// Spends up to so many positions, or fewer when `go_on` says no before one of them, on a mate for
    /// the side to move. Says whether there is one. What an earlier look found out is gone on with.
    pub fn look(&mut self, board: &Board, budget: u64, mut go_on: impl FnMut() -> bool) -> bool {
        self.budget = budget;
        self.path.clear();
        let known = self.expand(board, true, NEVER, NEVER, &mut go_on);
        known.proof == 0
    }

    /// The positions of the proof of the last look.
    pub fn proof(&self, board: &Board) -> Vec<Proven> {
        let mut found = Vec::new();
        self.collect(board, true, &mut found, &mut 0);
        found
    }

    fn collect(&self, board: &Board, attacking: bool, found: &mut Vec<Proven>, count: &mut usize) {
        /// More positions would only push others out of the hash table.
        const ENOUGH: usize = 20_000;
        let Some(known) = self.known.get(&board.key()).filter(|known| known.proof == 0) else { return };
        *count += 1;
        if *count > ENOUGH {
            return;
        }
        found.push(Proven { key: board.key(), mv: known.mv, plies: known.plies.into() });
        match known.mv {
            Some(mv) => self.collect(&board.after(mv), false, found, count),
            None if !attacking => {
                board.legal_moves().into_iter().for_each(|mv| self.collect(&board.after(mv), true, found, count));
            }
            None => {}
        }
    }

    /// Works on a position until its numbers reach the thresholds or the budget is spent.
    fn expand(
        &mut self,
        board: &Board,
        attacking: bool,
        proof_limit: u32,
        disproof_limit: u32,
        go_on: &mut impl FnMut() -> bool,
    ) -> Known {
        let mut children: Vec<Child> = board
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let next = board.after(mv);
                let known = self.first_look(&next, !attacking);
                Child { mv, board: next, known }
            })
            .collect();
        self.path.push(board.key());
        let result = loop {
            let known = combine(&children, attacking);
            if known.proof >= proof_limit || known.disproof >= disproof_limit || known.proof == 0 || known.disproof == 0
            {
                break known;
            }
            if self.budget == 0 || !go_on() {
                self.budget = 0;
                break known;
            }
            self.budget -= 1;
            let (best, second) = two_best(&children, attacking);
            let child = &children[best];
            // A little beyond the second best, so that the search does not go to and fro all the time.
            let patience = |number: u32| number.saturating_add(1 + number / 4).min(NEVER);
            let (proof_limit, disproof_limit) = if attacking {
                (
                    proof_limit.min(patience(second)),
                    disproof_limit.saturating_sub(known.disproof - child.known.disproof),
                )
            } else {
                (proof_limit.saturating_sub(known.proof - child.known.proof), disproof_limit.min(patience(second)))
            };
            let next = child.board.clone();
            children[best].known = if self.path.len() >= MAX_PLIES || self.path.contains(&next.key()) {
                // Not remembered: it depends on the way here.
                Known { proof: NEVER, disproof: 0, plies: 0, mv: None }
            } else {
                self.expand(&next, !attacking, proof_limit, disproof_limit, go_on)
            };
        };
        self.path.pop();
        self.remember(board.key(), result);
        result
    }

    /// What is known of a position before it is worked on.
    fn first_look(&self, board: &Board, attacking: bool) -> Known {
        if let Some(&known) = self.known.get(&board.key()) {
            return known;
        }
        if attacking {
            return Known { proof: 1, disproof: 1, plies: 0, mv: None };
        }
        match board.count_moves() {
            0 if board.in_check() => Known { proof: 0, disproof: NEVER, plies: 0, mv: None },
            0 => Known { proof: NEVER, disproof: 0, plies: 0, mv: None },
            replies => Known { proof: replies, disproof: 1, plies: 0, mv: None },
        }
    }

    fn remember(&mut self, key: u64, known: Known) {
        if self.known.len() >= MAX_KNOWN {
            self.known.retain(|_, known| known.proof == 0);
        }
        self.known.insert(key, known);
    }
}

/// The numbers of a position from those of its children. Where all children have to be proven, it is
/// the hardest and one for each of the others: their proofs have much in common (weak proof numbers).
fn combine(children: &[Child], attacking: bool) -> Known {
    let proofs = || children.iter().map(|child| child.known.proof);
    let disproofs = || children.iter().map(|child| child.known.disproof);
    let hardest = |numbers: &mut dyn Iterator<Item = u32>| {
        let (mut most, mut open) = (0, 0);
        for number in numbers.filter(|&number| number > 0) {
            most = most.max(number);
            open += 1;
        }
        if most >= NEVER { NEVER } else { (most + open).saturating_sub(1) }
    };
    if attacking {
        let proof = proofs().min().unwrap_or(NEVER);
        let disproof = if proof == 0 { NEVER } else { hardest(&mut disproofs()) };
        let mate = children.iter().filter(|child| child.known.proof == 0).min_by_key(|child| child.known.plies);
        let plies = mate.map_or(0, |child| child.known.plies + 1);
        Known { proof, disproof, plies, mv: mate.map(|child| child.mv) }
    } else {
        let proof = hardest(&mut proofs());
        let disproof = disproofs().min().unwrap_or(NEVER);
        let plies = children.iter().map(|child| child.known.plies + 1).max().unwrap_or(0);
        Known { proof, disproof: if proof == 0 { NEVER } else { disproof }, plies, mv: None }
    }
}

/// The child to work on, and the number that is next to it.
fn two_best(children: &[Child], attacking: bool) -> (usize, u32) {
    let number = |child: &Child| if attacking { child.known.proof } else { child.known.disproof };
    let mut best = (0, NEVER);
    let mut second = NEVER;
    for (index, child) in children.iter().enumerate() {
        let number = number(child);
        if number < best.1 {
            second = best.1;
            best = (index, number);
        } else if number < second {
            second = number;
        }
    }
    (best.0, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    /// Looks for a mate and goes through the whole proof: after every reply it must go on, and end in
    /// time.
    fn find(fen: &str, budget: u64) -> Option<usize> {
        let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
        let mut finder = MateFinder::default();
        let mut used = 0;
        let found = finder.look(&board, budget, || {
            used += 1;
            true
        });
        assert!(used <= budget);
        if !found {
            return None;
        }
        let plies = usize::from(finder.known[&board.key()].plies);
        check(&finder, &board, plies);
        let proof = finder.proof(&board);
        assert_eq!(proof[0].key, board.key());
        assert_eq!(proof[0].plies, plies);
        Some(plies)
    }

    fn check(finder: &MateFinder, board: &Board, plies: usize) {
        let known = finder.known[&board.key()];
        assert!(known.proof == 0 && usize::from(known.plies) <= plies, "{board}");
        let next = board.after(known.mv.expect("a move to the mate"));
        let replies = next.legal_moves();
        assert!(!replies.is_empty() || next.in_check(), "stalemate is no mate: {next}");
        assert!(replies.is_empty() || plies > 2, "no mate in time: {next}");
        replies.into_iter().for_each(|reply| check(finder, &next.after(reply), plies - 2));
    }

    #[test]
    fn finds_mates() {
        for (fen, moves) in [
            // Mate on the spot, with and without a second king to take first.
            ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", 1),
            ("8/8/2hB3K/8/4k1P1/1k6/R7/6lQ w - - 1 2", 3),
            // Quiet key moves.
            ("8/7k/7P/5KP1/8/8/8/8 w - - 1 26", 8),
            ("1Q5N/4k3/2hK2hk/3P4/2h5/6c1/6P1/1B2R3 w - - 0 1", 4),
            // Spartans mate.
            ("8/6h1/hK1Pw3/h5k1/3P4/4P3/5h2/3g4 b - - 2 3", 4),
        ] {
            let plies = find(fen, 200_000).unwrap_or_else(|| panic!("no mate in {fen}"));
            assert!(plies % 2 == 1 && plies >= 2 * moves - 1, "{plies} plies in {fen}");
        }
    }

    #[test]
    fn there_is_not_always_a_mate() {
        for fen in ["k7/8/8/8/8/8/8/K6R b - - 0 1", "8/8/8/k7/8/8/8/K5N1 w - - 0 1", Variant::Spartan.start_fen()] {
            assert_eq!(find(fen, 2000), None, "{fen}");
        }
        // Stalemate: the only move that takes all squares away gives no check.
        assert_eq!(find("k7/8/1K6/8/8/8/8/8 w - - 0 1", 2000), None);
    }

    #[test]
    fn stops_when_it_is_told_to() {
        let board = Board::start(Variant::Spartan);
        let mut finder = MateFinder::default();
        let mut left = 10;
        assert!(!finder.look(&board, 1000, || {
            left -= 1;
            left > 0
        }));
        assert_eq!(left, 0);
        assert!(finder.proof(&board).is_empty());
    }
}
