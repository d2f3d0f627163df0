//! The mate finder: depth-first proof-number search for a forced mate in won positions.
//!
//! The tree search prunes and reduces moves that look bad, and when everything wins, so do the quiet key move and the
//! sacrifice that mate. Df-pn (Nagai 2002; "Proof-Number Search" of chessprogramming.org) always expands the line in
//! which the defender has the fewest options, quiet moves included, and does not evaluate positions.
//!
//! A proof does not depend on earlier moves, except for the fifty-move rule and repetitions. Only mates within the
//! fifty-move rule are searched for; the tree search handles repetitions when it follows the line.

use crate::board::{Board, FIFTY_MOVES};
use crate::types::Move;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The proof number of a disproven position, and the disproof number of a proven one.
const INFINITY: u32 = 1 << 28;

/// The length of the mates searched for first, in plies. Longer ones follow if there is none. Without a bound, nearly
/// the whole tree would lie beyond the mates that can be found.
const FIRST_PLIES: usize = 3;

/// The length of the longest mates searched for, in plies.
const MAX_PLIES: usize = 61;

/// The maximum number of stored positions. When full, unproven positions are removed first.
const MAX_ENTRIES: usize = 1 << 18;

/// The proof and disproof number of a position, and its mate if proven.
#[derive(Clone, Copy, Debug)]
pub(super) struct PnNode {
    /// Proof number: the least number of leaves to prove until the mate is proven; 0 if it is.
    proof: u32,
    /// Disproof number: the least number of leaves to disprove until the mate is disproven; 0 if it is.
    disproof: u32,
    /// Plies to the proven mate, odd if the attacker is to move.
    pub plies: u8,
    /// If proven: the attacker's mating move, or the longest defence. `None` if mated.
    pub mv: Option<Move>,
}

const UNKNOWN: PnNode = PnNode { proof: 1, disproof: 1, plies: 0, mv: None };
const PROVEN: PnNode = PnNode { proof: 0, disproof: INFINITY, plies: 0, mv: None };
/// A position without a mate within the remaining plies.
const DISPROVEN: PnNode = PnNode { proof: INFINITY, disproof: 0, plies: 0, mv: None };

/// A map by Zobrist key without further hashing.
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

/// The key of a position with `plies_left` plies left for the mate.
const fn key_within(key: u64, plies_left: usize) -> u64 {
    key ^ (plies_left as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

pub(super) struct MateFinder {
    /// Unproven positions, by position and remaining plies.
    table: KeyMap<PnNode>,
    /// Proven positions, for any number of remaining plies.
    proven: KeyMap<PnNode>,
    /// The length of the mates searched for at present, in plies.
    plies: usize,
    /// Positions that may still be expanded.
    budget: u64,
    /// Whether the search was stopped or the budget is spent.
    stopped: bool,
}

struct Child {
    mv: Move,
    board: Board,
    node: PnNode,
}

impl Default for MateFinder {
    fn default() -> Self {
        Self { table: KeyMap::default(), proven: KeyMap::default(), plies: FIRST_PLIES, budget: 0, stopped: false }
    }
}

impl MateFinder {
    /// Searches for a mate for the side to move and returns whether there is one. Expands up to `budget` positions, or
    /// until `may_continue`, which is called before each, returns false. The next call resumes where this one ended.
    /// A mate may come as the last move before the fifty-move rule ends the game, but not later.
    pub fn search(&mut self, board: &Board, budget: u64, mut may_continue: impl FnMut() -> bool) -> bool {
        self.budget = budget;
        let mut may_expand = move |finder: &mut Self| {
            finder.stopped = finder.budget == 0 || !may_continue();
            finder.budget = finder.budget.saturating_sub(1);
            !finder.stopped
        };
        self.stopped = false;
        let longest = MAX_PLIES.min(FIFTY_MOVES.saturating_sub(board.halfmove_clock()).into());
        while self.plies <= longest {
            let node = self.expand(board, self.plies, INFINITY, INFINITY, &mut may_expand);
            if node.proof == 0 {
                return true;
            }
            if self.stopped {
                return false;
            }
            self.plies += 2;
            self.table.clear();
        }
        false
    }

    /// The length of the mates searched for at present, in plies. There is none of fewer.
    pub fn plies(&self) -> usize {
        self.plies
    }

    /// The positions of the last proof, by Zobrist key.
    pub fn proof(&self, board: &Board) -> Vec<(u64, PnNode)> {
        let mut found = Vec::new();
        self.collect(board, &mut found, &mut 0);
        found
    }

    fn collect(&self, board: &Board, found: &mut Vec<(u64, PnNode)>, count: &mut usize) {
        /// More positions would only replace useful entries of the hash table.
        const MAX_POSITIONS: usize = 20_000;
        let Some(&node) = self.proven.get(&board.key()) else { return };
        *count += 1;
        if *count > MAX_POSITIONS {
            return;
        }
        found.push((board.key(), node));
        match node.mv {
            Some(mv) if is_attacker_to_move(node.plies.into()) => self.collect(&board.after(mv), found, count),
            _ => board.legal_moves().into_iter().for_each(|mv| self.collect(&board.after(mv), found, count)),
        }
    }

    /// Searches a position for mate within `plies_left` plies, until its numbers reach the thresholds or the search
    /// stops.
    fn expand(
        &mut self,
        board: &Board,
        plies_left: usize,
        proof_limit: u32,
        disproof_limit: u32,
        may_expand: &mut impl FnMut(&mut Self) -> bool,
    ) -> PnNode {
        let attacking = is_attacker_to_move(plies_left);
        if !may_expand(self) {
            return UNKNOWN;
        }
        let moves = board.legal_moves();
        if plies_left == 1 {
            // Most positions are such leaves.
            let mate = moves.iter().copied().find(|&mv| is_mate(&board.after(mv)));
            let result = match mate {
                Some(mv) => PnNode { plies: 1, mv: Some(mv), ..PROVEN },
                None => DISPROVEN,
            };
            self.store(board.key(), plies_left, result);
            return result;
        }
        let mut children = Vec::with_capacity(moves.len());
        for &mv in &moves {
            let next = board.after(mv);
            let node = self.lookup(&next, plies_left - 1);
            children.push(Child { mv, board: next, node });
        }
        let result = loop {
            let node = combine(&children, attacking);
            if node.proof >= proof_limit || node.disproof >= disproof_limit || node.proof == 0 || node.disproof == 0 {
                break node;
            }
            let (best, second) = select_child(&children, attacking);
            let child = &children[best];
            // A quarter beyond the second best child (1 + ε trick, Pawlewicz and Lew 2007): the search switches less
            // often.
            let with_slack = |number: u32| number.saturating_add(1 + number / 4).min(INFINITY);
            let (proof_limit, disproof_limit) = if attacking {
                (
                    proof_limit.min(with_slack(second)),
                    disproof_limit.saturating_sub(node.disproof - child.node.disproof),
                )
            } else {
                (proof_limit.saturating_sub(node.proof - child.node.proof), disproof_limit.min(with_slack(second)))
            };
            let result = self.expand(&child.board, plies_left - 1, proof_limit, disproof_limit, may_expand);
            if self.stopped {
                break node;
            }
            children[best].node = result;
        };
        self.store(board.key(), plies_left, result);
        result
    }

    /// The numbers of a position before it is searched: stored, or initialised by the number of replies.
    fn lookup(&self, board: &Board, plies_left: usize) -> PnNode {
        if let Some(&node) = self.proven.get(&board.key()).filter(|node| usize::from(node.plies) <= plies_left) {
            return node;
        }
        if let Some(&node) = self.table.get(&key_within(board.key(), plies_left)) {
            return node;
        }
        if is_attacker_to_move(plies_left) {
            return UNKNOWN;
        }
        match board.count_moves() {
            0 if board.in_check() => PROVEN,
            0 => DISPROVEN,
            replies => PnNode { proof: replies, disproof: 1, plies: 0, mv: None },
        }
    }

    fn store(&mut self, key: u64, plies_left: usize, node: PnNode) {
        if self.table.len() + self.proven.len() >= MAX_ENTRIES {
            self.table.clear();
            if self.proven.len() >= MAX_ENTRIES / 2 {
                self.proven.clear();
            }
        }
        if node.proof > 0 {
            self.table.insert(key_within(key, plies_left), node);
        } else if self.proven.get(&key).is_none_or(|before| before.plies > node.plies) {
            self.proven.insert(key, node);
        }
    }
}

fn is_mate(board: &Board) -> bool {
    board.in_check() && !board.has_legal_move()
}

/// Whether the attacker is to move with this number of plies to mate.
pub(super) const fn is_attacker_to_move(plies_left: usize) -> bool {
    plies_left % 2 == 1
}

/// The numbers of a position from those of its children. Where all children have to be proven, the sum of their numbers
/// would count common parts of the proofs repeatedly. Weak proof numbers (Ueda et al. 2008) use the maximum instead,
/// plus one for each other child.
fn combine(children: &[Child], attacking: bool) -> PnNode {
    let proofs = || children.iter().map(|child| child.node.proof);
    let disproofs = || children.iter().map(|child| child.node.disproof);
    let hardest = |numbers: &mut dyn Iterator<Item = u32>| {
        let (mut most, mut open) = (0, 0);
        for number in numbers.filter(|&number| number > 0) {
            most = most.max(number);
            open += 1;
        }
        if most >= INFINITY { INFINITY } else { (most + open).saturating_sub(1) }
    };
    if attacking {
        let proof = proofs().min().unwrap_or(INFINITY);
        let disproof = if proof == 0 { INFINITY } else { hardest(&mut disproofs()) };
        let mate = children.iter().filter(|child| child.node.proof == 0).min_by_key(|child| child.node.plies);
        let plies = mate.map_or(0, |child| child.node.plies + 1);
        PnNode { proof, disproof, plies, mv: mate.map(|child| child.mv) }
    } else {
        let proof = hardest(&mut proofs());
        let disproof = disproofs().min().unwrap_or(INFINITY);
        let toughest = children.iter().max_by_key(|child| child.node.plies);
        let plies = toughest.map_or(0, |child| child.node.plies + 1);
        let disproof = if proof == 0 { INFINITY } else { disproof };
        PnNode { proof, disproof, plies, mv: toughest.map(|child| child.mv) }
    }
}

/// The index of the most promising child, and the number of the second best one.
fn select_child(children: &[Child], attacking: bool) -> (usize, u32) {
    let number = |child: &Child| if attacking { child.node.proof } else { child.node.disproof };
    let mut best = (0, INFINITY);
    let mut second = INFINITY;
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

    /// Searches for a mate and checks the whole proof: it must have an answer to every reply and mate in time.
    fn find(fen: &str, budget: u64) -> Option<usize> {
        let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
        let mut finder = MateFinder::default();
        let mut used = 0;
        let found = finder.search(&board, budget, || {
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
        assert_eq!((proof[0].0, usize::from(proof[0].1.plies)), (board.key(), plies));
        Some(plies)
    }

    fn check(finder: &MateFinder, board: &Board, plies: usize) {
        let node = finder.proven[&board.key()];
        assert!(node.proof == 0 && usize::from(node.plies) <= plies, "{board}");
        let next = board.after(node.mv.expect("a move to the mate"));
        let replies = next.legal_moves();
        assert!(!replies.is_empty() || next.in_check(), "stalemate is no mate: {next}");
        assert!(replies.is_empty() || plies > 2, "no mate in time: {next}");
        replies.into_iter().for_each(|reply| check(finder, &next.after(reply), plies - 2));
    }

    #[test]
    fn finds_mates() {
        for (fen, moves) in [
            // Mate in one, and with a second king to take first.
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
    fn mates_come_before_the_fifty_move_rule() {
        let find = |clock: u16| find(&format!("1Q5N/4k3/2hK2hk/3P4/2h5/6c1/6P1/1B2R3 w - - {clock} 100"), 200_000);
        assert_eq!(find(93), Some(7));
        for clock in [94, 97, 98, 100, 200] {
            assert_eq!(find(clock), None, "{clock}");
        }
    }

    #[test]
    fn stops_when_it_is_told_to() {
        let board = Board::start(Variant::Spartan);
        let mut finder = MateFinder::default();
        let mut left = 10;
        assert!(!finder.search(&board, 1000, || {
            left -= 1;
            left > 0
        }));
        assert_eq!(left, 0);
        assert!(finder.proof(&board).is_empty());
    }
}
