//! Retrograde analysis of a class ("Retrograde Analysis" of chessprogramming.org).
//!
//! A class is solved slice by slice, those with the most advanced pawns first, so that captures, promotions and pawn
//! moves lead to known values only. Within a slice the values spread backwards from mates and from known values, by
//! increasing distance: a position with a move to a lost position is won, and a position whose moves all lead to won
//! positions is lost. This is done for the distance to mate, then for the distance to zeroing within fifty moves and,
//! if that leaves wins over, for the distance to zeroing without limit.

use super::known::Known;
use super::moves::{Conversion, Material, Step};
use super::solved::{Slice, Solved};
use agoge_core::attacks::tables;
use agoge_core::board::FIFTY_MOVES;
use agoge_core::tables::{Class, MAX_MEN, Squares, Value, Wdl};
use agoge_core::types::{Colour, PieceType, Square};
use arrayvec::ArrayVec;
use rayon::prelude::*;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32};

/// Positions per unit of parallel work.
const CHUNK: usize = 1 << 14;

/// Positions that are scanned together. The squares of one man usually, so their distances are similar.
const ROW: usize = 64;

/// The positions before one, of which each man of a side has fewer than 28.
type Offsets = ArrayVec<usize, { 28 * (MAX_MEN - 1) }>;

/// The state of a position: twice the distance, plus 1 if it is won, or one of the constants below.
type State = u16;

const ILLEGAL: State = u16::MAX - 1;

/// A draw, or not yet known to be decided.
const OPEN: State = u16::MAX;

const fn won(distance: u16) -> State {
    distance << 1 | 1
}

const fn lost(distance: u16) -> State {
    distance << 1
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Metric {
    Mate,
    /// Distance to zeroing; only what is decided in spite of the fifty-move rule counts.
    Fifty,
    /// Distance to zeroing without the fifty-move rule.
    Unlimited,
}

/// What a move to a known position means for the side that makes it.
#[derive(Clone, Copy)]
enum Outcome {
    Win(u16),
    Loss(u16),
    /// A draw, or a win or loss that the metric does not count.
    Open,
}

impl Metric {
    fn outcome(self, after: Value) -> Outcome {
        let distance = if self == Self::Mate { after.dtm.unwrap_or(0) + 1 } else { 1 };
        match after.wdl {
            Wdl::Loss => Outcome::Win(distance),
            Wdl::Win => Outcome::Loss(distance),
            Wdl::BlessedLoss if self != Self::Fifty => Outcome::Win(distance),
            Wdl::CursedWin if self != Self::Fifty => Outcome::Loss(distance),
            _ => Outcome::Open,
        }
    }

    /// The greatest distance that counts.
    const fn limit(self) -> u16 {
        if matches!(self, Self::Fifty) { FIFTY_MOVES } else { u16::MAX }
    }
}

/// The class after a capture or promotion.
struct Successor {
    known: Arc<Known>,
    /// For each man the place of that man before.
    order: Vec<usize>,
}

const CONVERSIONS: usize = (1 + MAX_MEN) * PROMOTIONS;

/// The number of promotions, with none as the first.
const PROMOTIONS: usize = 1 + MAX_MEN * PieceType::COUNT;

/// The number of a conversion, below [`CONVERSIONS`].
fn conversion_index((captured, promotion): Conversion) -> usize {
    let promotion = promotion.map_or(0, |(man, kind)| 1 + man * PieceType::COUNT + kind.index());
    captured.map_or(0, |man| 1 + man) * PROMOTIONS + promotion
}

pub struct Solver<'a> {
    material: Material,
    /// By [`conversion_index`].
    successors: Vec<Option<Successor>>,
    solved: Solved,
    stop: &'a AtomicBool,
}

/// The states of a slice while it is being solved.
struct Work {
    metric: Metric,
    states: Vec<AtomicU16>,
    /// The number of moves that are not known to lose.
    unresolved: Vec<AtomicU8>,
    /// The distance of the slowest loss among the moves that leave the slice. Empty for distances to zeroing, which are
    /// then shorter than any other.
    slowest_loss: Vec<AtomicU16>,
    /// For each [`ROW`] the smallest distance that had not spread yet when the row was last scanned.
    pending: Vec<AtomicU16>,
    /// For each [`ROW`] whether a state has changed since: in rounds of an even and of an odd number. A round changes
    /// only the flags of the next one.
    changed: [Vec<AtomicBool>; 2],
    greatest: AtomicU32,
}

impl Work {
    /// All positions open, and with more moves than can be resolved.
    fn new(len: usize, metric: Metric) -> Self {
        let losses = if metric == Metric::Mate { len } else { 0 };
        Self {
            metric,
            states: (0..len).into_par_iter().map(|_| AtomicU16::new(OPEN)).collect(),
            unresolved: (0..len).into_par_iter().map(|_| AtomicU8::new(u8::MAX)).collect(),
            slowest_loss: (0..losses).into_par_iter().map(|_| AtomicU16::new(0)).collect(),
            pending: (0..len.div_ceil(ROW)).map(|_| AtomicU16::new(u16::MAX)).collect(),
            changed: [true, false].map(|changed| (0..len.div_ceil(ROW)).map(|_| AtomicBool::new(changed)).collect()),
            greatest: AtomicU32::new(0),
        }
    }

    fn reach(&self, distance: u16) {
        let distance = u32::from(distance);
        if self.greatest.load(Relaxed) < distance {
            self.greatest.fetch_max(distance, Relaxed);
        }
    }

    fn is_illegal(&self, offset: usize) -> bool {
        self.states[offset].load(Relaxed) == ILLEGAL
    }

    /// Sets the state of a legal position before the others spread.
    fn set(&self, offset: usize, initial: Initial) {
        self.states[offset].store(initial.state, Relaxed);
        self.unresolved[offset].store(initial.unresolved, Relaxed);
        if let Some(slowest_loss) = self.slowest_loss.get(offset) {
            slowest_loss.store(initial.slowest_loss, Relaxed);
        }
        if initial.state < ILLEGAL {
            self.reach(initial.state >> 1);
        }
    }

    /// In a round, moves are found to lead from positions to one that is won or lost at the distance of the round.
    fn update(&self, before: &[usize], after_is_won: bool, round: u16) {
        // Atomic operations that write wait for their memory one after the other, loads do not. So they go first.
        let mut open = Offsets::new();
        for &offset in before {
            // A win stays what it is, unless this one is shorter, and so does an illegal position.
            let state = self.states[offset].load(Relaxed);
            let is_settled = if after_is_won { state & 1 == 1 && state < ILLEGAL } else { state <= won(round + 1) };
            if state != ILLEGAL && !is_settled {
                open.push(offset);
            }
        }
        if !after_is_won {
            for &offset in &open {
                self.states[offset].fetch_min(won(round + 1), Relaxed);
                self.change(offset, round, round + 1);
            }
            return;
        }
        black_box(open.iter().fold(0, |all, &offset| all | self.unresolved[offset].load(Relaxed)));
        for &offset in &open {
            if self.unresolved[offset].fetch_sub(1, Relaxed) == 1 {
                let slowest_loss = self.slowest_loss.get(offset).map_or(0, |slowest_loss| slowest_loss.load(Relaxed));
                let distance = (round + 1).max(slowest_loss);
                self.states[offset].store(lost(distance), Relaxed);
                self.change(offset, round, distance);
            }
        }
    }

    /// Notes that a position got a distance in a round.
    fn change(&self, offset: usize, round: u16, distance: u16) {
        self.changed[usize::from(round + 1) % 2][offset / ROW].store(true, Relaxed);
        self.reach(distance);
    }

    /// Calls a function with the offsets and states of the positions of a row whose distance is that of the round.
    fn scan_row(&self, row: usize, round: u16, mut f: impl FnMut(usize, State)) {
        let (pending, changed) = (&self.pending[row], &self.changed[usize::from(round) % 2][row]);
        if pending.load(Relaxed) > round && !changed.load(Relaxed) {
            return;
        }
        let mut next = u16::MAX;
        for offset in row * ROW..self.states.len().min((row + 1) * ROW) {
            let state = self.states[offset].load(Relaxed);
            let distance = state >> 1;
            if distance == round {
                f(offset, state);
            } else if distance > round && state < ILLEGAL {
                next = next.min(distance);
            }
        }
        pending.store(next, Relaxed);
        changed.store(false, Relaxed);
    }

    fn into_states(self) -> Vec<State> {
        self.states.into_iter().map(AtomicU16::into_inner).collect()
    }
}

/// The state of a position as far as it follows from the moves that leave the slice.
#[derive(Clone, Copy)]
struct Initial {
    state: State,
    unresolved: u8,
    slowest_loss: u16,
}

impl Initial {
    /// A position without moves: a loss.
    const START: Self = Self { state: OPEN, unresolved: 0, slowest_loss: 0 };

    /// A move leaves the slice.
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win(distance) => {
                self.unresolved += 1;
                self.state = self.state.min(won(distance));
            }
            Outcome::Loss(distance) => self.slowest_loss = self.slowest_loss.max(distance),
            Outcome::Open => self.unresolved += 1,
        }
    }
}

impl<'a> Solver<'a> {
    /// A solver of a class. `known` returns the successors of the class; it is called once for each. The solver returns
    /// early when `stop` is set.
    ///
    /// # Errors
    /// Those of `known`.
    pub fn new<E>(
        class: &Class,
        stop: &'a AtomicBool,
        mut known: impl FnMut(&Class) -> Result<Known, E>,
    ) -> Result<Self, E> {
        let material = Material::new(class);
        let mut classes: HashMap<Class, Arc<Known>> = HashMap::new();
        let mut successors: Vec<Option<Successor>> = (0..CONVERSIONS).map(|_| None).collect();
        for conversion in material.conversions() {
            if let Some((class, order)) = material.after(conversion.0, conversion.1) {
                let known = match classes.entry(class) {
                    Entry::Occupied(entry) => Arc::clone(entry.get()),
                    Entry::Vacant(entry) => {
                        let values = Arc::new(known(entry.key())?);
                        Arc::clone(entry.insert(values))
                    }
                };
                successors[conversion_index(conversion)] = Some(Successor { known, order });
            }
        }
        Ok(Self { material, successors, solved: Solved::new(class), stop })
    }

    /// Solves the class and calls `progress` with the number of indices of each slice that is done. `None` if it was
    /// stopped.
    pub fn run(self, progress: impl Fn(usize) + Sync) -> Option<Solved> {
        for group in self.groups() {
            group.into_par_iter().for_each(|slice| {
                if let Some(values) = self.solve_slice(slice) {
                    self.solved.set(slice, values);
                    progress(self.solved.numbering().slice_len());
                }
            });
            if self.stop.load(Relaxed) {
                return None;
            }
        }
        Some(self.solved)
    }

    /// The slices, grouped by the progress of their pawns, the most advanced first. Pawn moves lead to earlier groups.
    fn groups(&self) -> Vec<Vec<usize>> {
        let numbering = self.solved.numbering();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for slice in 0..numbering.slices() {
            let (squares, _) = numbering.position(slice * numbering.slice_len());
            let pawns = self.material.men().iter().zip(&squares);
            let to_go: usize = pawns
                .map(|(man, square)| match man.kind {
                    PieceType::Pawn => 7 - square.rank().index(),
                    PieceType::Hoplite => square.rank().index(),
                    _ => 0,
                })
                .sum();
            if groups.len() <= to_go {
                groups.resize_with(to_go + 1, Vec::new);
            }
            groups[to_go].push(slice);
        }
        groups
    }

    fn solve_slice(&self, slice: usize) -> Option<Slice> {
        let len = self.solved.numbering().slice_len();
        let works = [Metric::Mate, Metric::Fifty].map(|metric| Work::new(len, metric));
        self.initialise(slice, &works);
        let [dtm, fifty] = works;
        let dtm = self.measure(slice, dtm)?;
        if !dtm.par_iter().any(|&state| state < ILLEGAL) {
            let codes = dtm.iter().map(|&state| if state == ILLEGAL { Slice::ILLEGAL } else { DRAW }).collect();
            return Some(Slice::new(codes, vec![0; dtm.len()]));
        }
        let fifty = self.measure(slice, fifty)?;
        let is_complete = dtm.par_iter().zip(&fifty).all(|(&dtm, &fifty)| (dtm < ILLEGAL) == (fifty < ILLEGAL));
        let unlimited = if is_complete {
            None
        } else {
            let works = [Work::new(len, Metric::Unlimited)];
            self.initialise(slice, &works);
            let [unlimited] = works;
            Some(self.measure(slice, unlimited)?)
        };
        let code = |index: usize| match (dtm[index], fifty[index]) {
            (ILLEGAL, _) => Slice::ILLEGAL,
            (OPEN, _) => DRAW,
            (_, state) if state < ILLEGAL => Slice::code(if state & 1 == 1 { Wdl::Win } else { Wdl::Loss }, state >> 1),
            _ => {
                let state = unlimited.as_ref().map_or(0, |states| states[index]);
                Slice::code(if state & 1 == 1 { Wdl::CursedWin } else { Wdl::BlessedLoss }, state >> 1)
            }
        };
        let codes = (0..dtm.len()).into_par_iter().map(code).collect();
        let distance = |&state: &State| if state < ILLEGAL { state >> 1 } else { 0 };
        Some(Slice::new(codes, dtm.par_iter().map(distance).collect()))
    }

    /// Sets the states of all positions of a slice before they spread, for several metrics at once.
    fn initialise<const N: usize>(&self, slice: usize, works: &[Work; N]) {
        let numbering = self.solved.numbering();
        let len = numbering.slice_len();
        let first = slice * len;
        // First what is illegal, so that the legality of most moves can be looked up.
        (0..len).into_par_iter().with_min_len(CHUNK / 4).for_each(|offset| {
            let (squares, side) = numbering.position(first + offset);
            if !self.material.has_position(numbering, first + offset, &squares, side) {
                works.iter().for_each(|work| work.states[offset].store(ILLEGAL, Relaxed));
            }
        });
        (0..len).into_par_iter().with_min_len(CHUNK / 4).for_each(|offset| {
            if !works[0].is_illegal(offset) && !self.stop.load(Relaxed) {
                self.initialise_position(slice, first + offset, works);
            }
        });
    }

    fn initialise_position<const N: usize>(&self, slice: usize, index: usize, works: &[Work; N]) {
        let (numbering, tables) = (self.solved.numbering(), tables());
        let first = slice * numbering.slice_len();
        let (squares, side) = numbering.position(index);
        let neighbours = numbering.neighbours(index, &squares, side);
        let mut initial = [Initial::START; N];
        let mut has_moves = false;
        let mut seen = Seen::of(numbering.is_symmetric(&squares));
        self.material.for_each_pseudo_legal_move(&squares, side, tables, |step| {
            if step.captured.is_none() && !self.material.men()[step.man].kind.is_pawn() {
                let after = neighbours.index(step.man, step.to);
                if !works[0].is_illegal(after - first) {
                    has_moves = true;
                    if seen.is_new(after) {
                        initial.iter_mut().for_each(|initial| initial.unresolved += 1);
                    }
                }
            } else if self.material.is_legal_move(&squares, side, tables, step) {
                has_moves = true;
                let value = self.after(&squares, side, step);
                works.iter().zip(&mut initial).for_each(|(work, initial)| initial.add(work.metric.outcome(value)));
            }
        });
        let is_stalemate = !has_moves && !self.material.is_in_check(&squares, side, tables);
        for (work, mut initial) in works.iter().zip(initial) {
            if is_stalemate {
                initial.unresolved = u8::MAX;
            } else if initial.unresolved == 0 {
                initial.state = lost(initial.slowest_loss);
            }
            work.set(index - first, initial);
        }
    }

    /// The states of all positions of a slice after they have spread. `None` if it was stopped.
    fn measure(&self, slice: usize, work: Work) -> Option<Vec<State>> {
        let len = self.solved.numbering().slice_len();
        let first = slice * len;
        let mut round = 0;
        while u32::from(round) <= work.greatest.load(Relaxed) && round < work.metric.limit() {
            if self.stop.load(Relaxed) {
                return None;
            }
            (0..len.div_ceil(ROW)).into_par_iter().with_min_len(CHUNK / ROW).for_each(|row| {
                work.scan_row(row, round, |offset, state| self.spread(&work, first, offset, state));
            });
            round += 1;
        }
        Some(work.into_states())
    }

    /// Updates the positions before a decided one.
    fn spread(&self, work: &Work, first: usize, offset: usize, state: State) {
        let numbering = self.solved.numbering();
        let (squares, side) = numbering.position(first + offset);
        let neighbours = numbering.neighbours(first + offset, &squares, side);
        let mut seen = Seen::of(numbering.is_symmetric(&squares));
        let mut before = Offsets::new();
        self.material.for_each_unmove(&squares, side, tables(), |man, from| {
            let offset = neighbours.index(man, from) - first;
            if seen.is_new(offset) {
                before.push(offset);
            }
        });
        work.update(&before, state & 1 == 1, state >> 1);
    }

    /// The value after a move that leaves the slice.
    fn after(&self, squares: &Squares, side: Colour, step: Step) -> Value {
        let mut next = [Square::A1; MAX_MEN];
        for (to, &from) in next.iter_mut().zip(squares) {
            *to = from;
        }
        next[step.man] = step.to;
        let promotion = step.promotion.map(|kind| (step.man, kind));
        let value = if step.captured.is_none() && promotion.is_none() {
            self.solved.value(&next[..squares.len()], !side)
        } else {
            self.successors[conversion_index((step.captured, promotion))].as_ref().and_then(|successor| {
                let mut men = [Square::A1; MAX_MEN];
                for (man, &place) in men.iter_mut().zip(&successor.order) {
                    *man = next[place];
                }
                successor.known.value(&men[..successor.order.len()], !side)
            })
        };
        // All slices and conversions are known, and legal moves lead to legal positions.
        value.unwrap_or(Value::DRAW)
    }
}

/// The positions next to a symmetric one, so that those with the same index count once.
struct Seen(Option<Vec<usize>>);

impl Seen {
    fn of(is_symmetric: bool) -> Self {
        Self(is_symmetric.then(Vec::new))
    }

    fn is_new(&mut self, index: usize) -> bool {
        match &mut self.0 {
            Some(seen) if seen.contains(&index) => false,
            Some(seen) => {
                seen.push(index);
                true
            }
            None => true,
        }
    }
}

const DRAW: u16 = Slice::code(Wdl::Draw, 0);
