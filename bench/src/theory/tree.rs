//! The tree of the opening, and what is searched next.
//!
//! The tree is made of the results of searches alone: the same results, integrated in the same order, give the same
//! tree. Positions with equal keys are one position, so it is a directed graph. It never has a cycle: a move to a
//! position from which the present one was reached is a repetition and counts as a draw.

use super::Found;
use agoge_core::board::{Board, Setup, Variant};
use agoge_core::types::Move;
use agoge_core::types::score::{DRAW, INFINITE, MATE_IN_MAX, Value};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// The initial position is the first of all positions.
pub const START: usize = 0;

/// How many searches are chosen at a time. A part of the definition of the tree: changing it changes the tree.
const BATCH: usize = 32;

/// The line of the moves found first after each of White's first moves is searched up to this ply before anything else.
pub const FIRST_PLIES: usize = 6;

/// A known move of a position.
#[derive(Clone, Debug)]
pub struct Edge {
    pub mv: Move,
    /// The value of the search that found it, from the mover's view; none for the moves of the initial position, which
    /// are known from the beginning.
    pub found: Option<Value>,
    /// The position after the move.
    pub child: usize,
    /// Whether it leads back to a position from which this one was reached.
    pub repeats: bool,
}

/// A position with the results of its searches.
#[derive(Clone, Debug)]
pub struct Position {
    /// With the move counters of a game that starts here.
    pub board: Board,
    /// The known moves in the order in which they were found.
    pub edges: Vec<Edge>,
    /// Whether a search of all its moves has been integrated.
    pub is_searched: bool,
    /// From the side to move's view; meaningless before the first search.
    pub value: Value,
    /// The depth of the first search in iterations.
    pub depth: u32,
    /// The nodes of all its searches.
    pub nodes: u64,
    /// Plies from the initial position on the way on which it was found.
    pub ply: usize,
    parents: Vec<usize>,
    /// Whether all legal moves are known.
    is_complete: bool,
    /// Whether a search of it has been chosen but not integrated.
    is_chosen: bool,
}

/// A search: of a position without its known moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Task {
    pub position: usize,
    /// How many moves are known.
    pub known: usize,
}

#[derive(Clone, Debug)]
pub struct Tree {
    pub positions: Vec<Position>,
    keys: HashMap<u64, usize>,
    /// What a ply costs, in centipawns.
    ply_cost: i64,
    searched: usize,
}

/// The value of a move that leads to a position of this value, from the mover's view. Mates are a ply longer.
pub const fn value_of_move(child: Value) -> Value {
    match -child {
        value if value >= MATE_IN_MAX => value - 1,
        value if value <= -MATE_IN_MAX => value + 1,
        value => value,
    }
}

/// A position as if a game started here, so that how it was reached does not matter.
fn without_counters(board: &Board) -> Board {
    let setup = Setup { halfmove_clock: 0, fullmove_number: 1, ..Setup::from(board) };
    Board::from_fen(&setup.to_string(), board.variant()).unwrap_or_else(|_| board.clone())
}

impl Tree {
    /// The tree before the first search: the initial position, all of whose moves are known.
    pub fn new(ply_cost: u32) -> Self {
        let mut tree = Self { positions: Vec::new(), keys: HashMap::new(), ply_cost: i64::from(ply_cost), searched: 0 };
        let start = Board::start(Variant::Spartan);
        tree.add_position(&start, None);
        for mv in start.legal_moves() {
            let child = tree.add_position(&start.after(mv), Some(START));
            tree.positions[START].edges.push(Edge { mv, found: None, child, repeats: false });
        }
        let start = &mut tree.positions[START];
        (start.is_searched, start.is_complete) = (true, true);
        tree
    }

    /// The number of searched positions, without the initial one.
    pub fn searched(&self) -> usize {
        self.searched
    }

    /// The position on a board, if it is known.
    pub fn find(&self, board: &Board) -> Option<usize> {
        self.keys.get(&board.key()).copied()
    }

    fn add_position(&mut self, board: &Board, parent: Option<usize>) -> usize {
        let index = self.positions.len();
        self.keys.insert(board.key(), index);
        self.positions.push(Position {
            board: without_counters(board),
            edges: Vec::new(),
            is_searched: false,
            value: -INFINITE,
            depth: 0,
            nodes: 0,
            ply: parent.map_or(0, |parent| self.positions[parent].ply + 1),
            parents: parent.into_iter().collect(),
            is_complete: false,
            is_chosen: false,
        });
        index
    }

    /// The value of a move from the mover's view, if it is known: that of the position after it, or of the search that
    /// found it.
    pub fn edge_value(&self, edge: &Edge) -> Option<Value> {
        let child = &self.positions[edge.child];
        match edge.repeats {
            true => Some(DRAW),
            false if child.is_searched => Some(value_of_move(child.value)),
            false => edge.found,
        }
    }

    /// The move with the highest value; the one found first among equals.
    pub fn best_edge(&self, position: usize) -> Option<&Edge> {
        let edges = &self.positions[position].edges;
        edges.iter().rev().filter(|edge| self.edge_value(edge).is_some()).max_by_key(|edge| self.edge_value(edge))
    }

    /// The line of best moves from the initial position, as far as positions have been searched.
    pub fn best_line(&self) -> Vec<Move> {
        let mut index = START;
        let mut moves = Vec::new();
        while let Some(edge) = self.best_edge(index).filter(|_| self.positions[index].is_searched) {
            moves.push(edge.mv);
            if edge.repeats {
                break;
            }
            index = edge.child;
        }
        moves
    }

    /// The numbers of searched positions by ply.
    pub fn by_ply(&self) -> Vec<usize> {
        let searched = self.positions.iter().filter(|position| position.is_searched);
        searched.fold(Vec::new(), |mut counts, position| {
            counts.resize(counts.len().max(position.ply + 1), 0);
            counts[position.ply] += 1;
            counts
        })
    }

    /// Adds the result of a search.
    pub fn integrate(&mut self, task: Task, found: &Found) {
        let Task { position: index, known } = task;
        let position = &mut self.positions[index];
        position.is_chosen = false;
        position.nodes += found.nodes;
        if known == 0 {
            position.is_searched = true;
            position.depth = found.depth;
            self.searched += 1;
        }
        match found.mv {
            Some(mv) => self.add_move(index, mv, found.value),
            // The game is over.
            None => position.value = found.value,
        }
        let position = &mut self.positions[index];
        position.is_complete = position.edges.len() == position.board.legal_moves().len();
        self.back_up(index, known == 0);
    }

    fn add_move(&mut self, index: usize, mv: Move, value: Value) {
        let board = self.positions[index].board.after(mv);
        let (child, repeats) = match self.find(&board) {
            None => (self.add_position(&board, Some(index)), false),
            Some(child) if self.is_ancestor(child, index) => (child, true),
            Some(child) => {
                self.positions[child].parents.push(index);
                (child, false)
            }
        };
        self.positions[index].edges.push(Edge { mv, found: Some(value), child, repeats });
    }

    /// Whether a position can be reached from another, or is the same.
    fn is_ancestor(&self, ancestor: usize, index: usize) -> bool {
        let (mut seen, mut stack) = (HashSet::from([index]), vec![index]);
        while let Some(index) = stack.pop() {
            if index == ancestor {
                return true;
            }
            stack.extend(self.positions[index].parents.iter().copied().filter(|&parent| seen.insert(parent)));
        }
        false
    }

    /// Updates the value of a position by negamax, and those of the positions before it. `is_new` if it had no value.
    fn back_up(&mut self, index: usize, is_new: bool) {
        let mut stack = vec![(index, is_new)];
        while let Some((index, is_new)) = stack.pop() {
            let best = self.positions[index].edges.iter().filter_map(|edge| self.edge_value(edge)).max();
            let value = best.unwrap_or(self.positions[index].value);
            if value != self.positions[index].value || is_new {
                self.positions[index].value = value;
                stack.extend(self.positions[index].parents.iter().map(|&parent| (parent, false)));
            }
        }
    }

    /// Chooses the next searches. They are marked until they are integrated.
    ///
    /// The cost of a position is the smallest sum, over the moves of a path from the initial position, of `ply_cost`
    /// and what the move loses against the best move of its position, in centipawns. The next search is the cheapest:
    /// that of a new position costs what the position costs; the next move of a position costs a ply more, and the
    /// distance between the value of the position and that of the move found last, since the next one is hardly better.
    /// Among equals the position found first comes first. Before all that come the first plies: see [`FIRST_PLIES`].
    pub fn choose(&mut self) -> Vec<Task> {
        let mut tasks: Vec<(i64, usize)> = self.first_lines().into_iter().map(|index| (i64::MIN, index)).collect();
        tasks.extend(self.costs());
        tasks.sort_unstable();
        let mut chosen = Vec::new();
        for (_, index) in tasks {
            let position = &mut self.positions[index];
            if chosen.len() < BATCH && !position.is_chosen {
                position.is_chosen = true;
                chosen.push(Task { position: index, known: position.edges.len() });
            }
        }
        chosen
    }

    /// The ends of the lines of the moves found first, after each of White's first moves, that are shorter than
    /// [`FIRST_PLIES`].
    fn first_lines(&self) -> Vec<usize> {
        let ends = self.positions[START].edges.iter().filter_map(|edge| {
            let mut index = edge.child;
            for _ in 1..=FIRST_PLIES {
                if !self.positions[index].is_searched {
                    return Some(index);
                }
                index = self.positions[index].edges.first().filter(|edge| !edge.repeats)?.child;
            }
            None
        });
        ends.collect()
    }

    /// The searches that could be done next with their costs (Dijkstra's algorithm).
    fn costs(&self) -> Vec<(i64, usize)> {
        let mut costs = vec![i64::MAX; self.positions.len()];
        costs[START] = 0;
        let mut open = BinaryHeap::from([Reverse((0, START))]);
        let mut tasks = Vec::new();
        while let Some(Reverse((cost, index))) = open.pop() {
            let position = &self.positions[index];
            if cost > costs[index] {
                continue;
            }
            if !position.is_searched {
                if !position.is_chosen {
                    tasks.push((cost, index));
                }
                continue;
            }
            let cost_of = |value: Option<Value>| {
                cost + self.ply_cost + value.map_or(0, |value| i64::from(position.value - value).max(0))
            };
            if !position.is_complete && !position.is_chosen {
                tasks.push((cost_of(position.edges.last().and_then(|edge| edge.found)), index));
            }
            for edge in position.edges.iter().filter(|edge| !edge.repeats) {
                let next = cost_of(self.edge_value(edge));
                if next < costs[edge.child] {
                    costs[edge.child] = next;
                    open.push(Reverse((next, edge.child)));
                }
            }
        }
        tasks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::types::score::MATE;

    /// Integrates a search of the position after some moves, which finds the last one.
    fn find(tree: &mut Tree, moves: &str, value: Value) -> usize {
        let mut board = Board::start(Variant::Spartan);
        let (before, last) = moves.rsplit_once(' ').expect("two moves");
        before.split(' ').for_each(|mv| board = board.after(board.parse_move(mv).expect("a legal move")));
        let position = tree.find(&board).expect("a known position");
        let task = Task { position, known: tree.positions[position].edges.len() };
        let mv = Some(board.parse_move(last).expect("a legal move"));
        tree.integrate(task, &Found { mv, value, depth: 1, nodes: 10 });
        position
    }

    fn value(tree: &Tree, index: usize, mv: &str) -> Option<Value> {
        let edges = &tree.positions[index].edges;
        tree.edge_value(edges.iter().find(|edge| edge.mv.to_string() == mv).expect("a known move"))
    }

    #[test]
    fn values_are_those_of_the_best_moves() {
        let mut tree = Tree::new(10);
        assert_eq!((tree.positions.len(), value(&tree, START, "g1f3")), (21, None));
        let knight = find(&mut tree, "g1f3 g8f6", -20);
        assert_eq!((tree.positions[START].value, value(&tree, knight, "g8f6")), (20, Some(-20)));
        find(&mut tree, "b1c3 g8f6", -30);
        assert_eq!(tree.positions[START].value, 30);
        // The first one becomes worse when a better answer is found, and better when that turns out to be bad.
        find(&mut tree, "g1f3 h8f6", 5);
        assert_eq!((value(&tree, START, "g1f3"), value(&tree, START, "b1c3")), (Some(-5), Some(30)));
        find(&mut tree, "g1f3 h8f6 b1c3", 40);
        assert_eq!((value(&tree, START, "g1f3"), tree.positions[knight].nodes), (Some(20), 20));
        assert_eq!(tree.best_line().len(), 2);
        // Mates count plies.
        find(&mut tree, "b1c3 g8f6 c3b1", -MATE + 4);
        assert_eq!(value(&tree, START, "b1c3"), Some(-MATE + 6));
    }

    #[test]
    fn transpositions_are_one_position_and_repetitions_draws() {
        let mut tree = Tree::new(10);
        for (moves, value) in [("g1f3 g8f6", -20), ("g1f3 g8f6 b1c3", 20), ("b1c3 g8f6", -10)] {
            find(&mut tree, moves, value);
        }
        let count = tree.positions.len();
        let other = find(&mut tree, "b1c3 g8f6 g1f3", 15);
        assert_eq!((tree.positions.len(), tree.searched()), (count, 4));
        find(&mut tree, "g1f3 g8f6 b1c3 a8c6", -70);
        assert_eq!((value(&tree, other, "g1f3"), value(&tree, START, "b1c3")), (Some(70), Some(70)));
        // Back to the initial position.
        find(&mut tree, "g1f3 g8f6 f3g1", 90);
        let back = find(&mut tree, "g1f3 g8f6 f3g1 f6g8", -90);
        assert_eq!((tree.positions[back].edges[0].repeats, tree.positions[back].value), (true, DRAW));
    }

    #[test]
    fn the_cheapest_search_comes_first() {
        let mut tree = Tree::new(10);
        let first: Vec<usize> = tree.choose().iter().map(|task| task.position).collect();
        assert_eq!(first, (1..=20).collect::<Vec<_>>());
        assert_eq!(tree.choose(), []);
        // The moves lose 0, 5, 10, 15 …
        for (index, position) in first.into_iter().enumerate() {
            let mv = tree.positions[position].board.legal_moves()[0];
            let found = Found { mv: Some(mv), value: 5 * index as Value, depth: 1, nodes: 10 };
            tree.integrate(Task { position, known: 0 }, &found);
        }
        assert_eq!((tree.positions[START].value, tree.first_lines().len()), (0, 20));
        let chosen = tree.choose();
        assert_eq!(chosen.len(), BATCH);
        // The lines of the first moves, then the next moves of the best of them.
        assert!(chosen[..20].iter().all(|task| task.known == 0 && tree.positions[task.position].ply == 2));
        assert_eq!(chosen[20..].iter().map(|task| task.position).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    }
}
