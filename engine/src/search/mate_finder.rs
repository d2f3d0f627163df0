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
use std::hash::{BuildHasherDefault, Hasher};

/// A number that stands for "cannot be proven" or "cannot be refuted".
const NEVER: u32 = 1 << 28;

/// The length of the mates that are looked for first, in plies. When there is none, longer ones
/// follow: nearly all of a tree without such a bound lies far beyond the mates that can be found.
const FIRST_PLIES: usize = 3;

/// The longest mate that is looked for, in plies.
const MAX_PLIES: usize = 61;

/// Positions that are remembered; when there are more, first those are forgotten that are not proven.
const MAX_KNOWN: usize = 1 << 18;

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Leaves to prove at least until the mate is proven; 0 when it is.
    proof: u32,
    /// Leaves to refute at least until the mate is refuted; 0 when it is.
    disproof: u32,
    /// Plies to the mate that was proven.
    plies: u8,
    /// When it is proven: the move to it, or the one that puts it off longest. None in the mate.
    mv: Option<Move>,
}

/// A position that was not searched.
const UNKNOWN: Known = Known { proof: 1, disproof: 1, plies: 0, mv: None };
/// A mate.
const PROVEN: Known = Known { proof: 0, disproof: NEVER, plies: 0, mv: None };
/// A position without a mate within the plies that are left.
const REFUTED: Known = Known { proof: NEVER, disproof: 0, plies: 0, mv: None };

/// A position of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proven {
    /// The Zobrist key.
    pub key: u64,
    /// The move to the mate, or the one that puts it off longest; none where it is there.
    pub mv: Option<Move>,
    /// Plies to the mate: an odd number where the mating side is to move.
    pub plies: usize,
}

/// A map by Zobrist key, which needs no further hashing.
type KeyMap<T> = HashMap<u64, T, BuildHasherDefault<KeyHasher>>;

#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The key of a position from which mate must come within `left` plies.
const fn key_within(key: u64, left: usize) -> u64 {
    key ^ (left as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The finder and what it remembers.
pub(super) struct MateFinder {
    /// By position and plies that are left.
    known: KeyMap<Known>,
    /// What is proven, whatever plies were left.
    proven: KeyMap<Known>,
    /// Mates of so many plies are looked for.
    plies: usize,
    /// Positions that may still be expanded.
    budget: u64,
    /// The search was told to stop, or the budget is spent.
    stopped: bool,
}

/// A move and the position after it.
struct Child {
    mv: Move,
    board: Board,
    known: Known,
}

impl Default for MateFinder {
    fn default() -> Self {
        Self { known: KeyMap::default(), proven: KeyMap::default(), plies: FIRST_PLIES, budget: 0, stopped: false }
    }
}

impl MateFinder {
    /// Looks for a mate for the side to move. Expands up to `budget` positions, or fewer if `go_on`, which
    /// is called before each, returns false. Returns whether there is a mate. The next call goes on where
    /// this one ended.
    pub fn look(&mut self, board: &Board, budget: u64, mut go_on: impl FnMut() -> bool) -> bool {
        self.budget = budget;
        let mut may_expand = move |finder: &mut Self| {
            finder.stopped = finder.budget == 0 || !go_on();
            finder.budget = finder.budget.saturating_sub(1);
            !finder.stopped
        };
        self.stopped = false;
        loop {
            let known = self.expand(board, self.plies, NEVER, NEVER, &mut may_expand);
            if known.proof == 0 {
                return true;
            }
            if self.stopped || self.plies >= MAX_PLIES {
                return false;
            }
            self.plies += 2;
            self.known.clear();
        }
    }

    /// The positions of the proof of the last look.
    pub fn proof(&self, board: &Board) -> Vec<Proven> {
        let mut found = Vec::new();
        self.collect(board, &mut found, &mut 0);
        found
    }

    fn collect(&self, board: &Board, found: &mut Vec<Proven>, count: &mut usize) {
        /// More positions would only push others out of the hash table.
        const ENOUGH: usize = 20_000;
        let Some(known) = self.proven.get(&board.key()) else { return };
        *count += 1;
        if *count > ENOUGH {
            return;
        }
        found.push(Proven { key: board.key(), mv: known.mv, plies: known.plies.into() });
        match known.mv {
            Some(mv) if is_attackers(known.plies.into()) => self.collect(&board.after(mv), found, count),
            _ => board.legal_moves().into_iter().for_each(|mv| self.collect(&board.after(mv), found, count)),
        }
    }

    /// Searches a position, from which mate must come within `left` plies, until its numbers reach the
    /// thresholds or the search is stopped.
    fn expand(
        &mut self,
        board: &Board,
        left: usize,
        proof_limit: u32,
        disproof_limit: u32,
        may_expand: &mut impl FnMut(&mut Self) -> bool,
    ) -> Known {
        let attacking = is_attackers(left);
        if !may_expand(self) {
            return UNKNOWN;
        }
        let moves = board.legal_moves();
        if left == 1 {
            // Most positions are of this kind.
            let mate = moves.into_iter().find(|&mv| is_mate(&board.after(mv)));
            let result = match mate {
                Some(mv) => Known { plies: 1, mv: Some(mv), ..PROVEN },
                None => REFUTED,
            };
            self.remember(board.key(), left, result);
            return result;
        }
        let mut children = Vec::with_capacity(moves.len());
        for mv in moves {
            let next = board.after(mv);
            let known = self.first_look(&next, left - 1);
            children.push(Child { mv, board: next, known });
        }
        let result = loop {
            let known = combine(&children, attacking);
            if known.proof >= proof_limit || known.disproof >= disproof_limit || known.proof == 0 || known.disproof == 0
            {
                break known;
            }
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
            let result = self.expand(&child.board, left - 1, proof_limit, disproof_limit, may_expand);
            if self.stopped {
                break known;
            }
            children[best].known = result;
        };
        self.remember(board.key(), left, result);
        result
    }

    /// What is known of a position before it is worked on.
    fn first_look(&self, board: &Board, left: usize) -> Known {
        if let Some(&known) = self.proven.get(&board.key()).filter(|known| usize::from(known.plies) <= left) {
            return known;
        }
        if let Some(&known) = self.known.get(&key_within(board.key(), left)) {
            return known;
        }
        if is_attackers(left) {
            return UNKNOWN;
        }
        match board.count_moves() {
            0 if board.in_check() => PROVEN,
            0 => REFUTED,
            replies => Known { proof: replies, disproof: 1, plies: 0, mv: None },
        }
    }

    fn remember(&mut self, key: u64, left: usize, known: Known) {
        if self.known.len() + self.proven.len() >= MAX_KNOWN {
            self.known.clear();
            if self.proven.len() >= MAX_KNOWN / 2 {
                self.proven.clear();
            }
        }
        if known.proof > 0 {
            self.known.insert(key_within(key, left), known);
        } else if self.proven.get(&key).is_none_or(|before| before.plies > known.plies) {
            self.proven.insert(key, known);
        }
    }
}

fn is_mate(board: &Board) -> bool {
    board.in_check() && !board.has_legal_move()
}

/// Whether it is the attacker's move so many plies before the mate.
pub(super) const fn is_attackers(left: usize) -> bool {
    left % 2 == 1
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
        let toughest = children.iter().max_by_key(|child| child.known.plies);
        let plies = toughest.map_or(0, |child| child.known.plies + 1);
        let disproof = if proof == 0 { NEVER } else { disproof };
        Known { proof, disproof, plies, mv: toughest.map(|child| child.mv) }
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
        let plies = usize::from(finder.proven[&board.key()].plies);
        check(&finder, &board, plies);
        let proof = finder.proof(&board);
        assert_eq!(proof[0].key, board.key());
        assert_eq!(proof[0].plies, plies);
        Some(plies)
    }

    fn check(finder: &MateFinder, board: &Board, plies: usize) {
        let known = finder.proven[&board.key()];
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
