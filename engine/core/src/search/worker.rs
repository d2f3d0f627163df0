//! The state of a search on one thread, and what every node asks of it.

use super::cycle::repetitions;
use super::hash::Entry;
use super::history::{Histories, PieceMove};
use super::job::Job;
use super::mate_finder::MateFinder;
use super::root_move::RootMove;
use super::shared::Shared;
use super::time::TimeManager;
use crate::board::{Board, FIFTY_MOVES};
use crate::eval::{Evaluator, Source};
use crate::tables::{four_men, three_men};
use crate::types::score::{MATE, MATE_IN_MAX, MAX_PLY, NO_VALUE, Value};
use crate::types::{Bitboard, Move};
use arrayvec::ArrayVec;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub(super) type PvLine = ArrayVec<Move, MAX_PLY>;

/// A thread's data for one ply of the current line.
#[derive(Clone)]
pub(super) struct StackEntry {
    /// The corrected static evaluation, or [`NO_VALUE`] in check.
    pub eval: Value,
    /// The move made at this ply, unless it was a null move.
    pub current: Option<PieceMove>,
    /// The move made at this ply, if it is quiet.
    pub quiet: Option<Move>,
    /// Squares that the opponent attacks.
    pub threats: Bitboard,
    /// The move that a singular search excludes.
    pub excluded: Option<Move>,
    /// Quiet moves that caused a cutoff at this ply.
    pub killers: [Option<Move>; 2],
    /// The number of the move that is searched, from 1. Only the move loop sets it, so it is valid where `quiet` is,
    /// except in quiescence search.
    pub move_count: i32,
    /// How many nodes at this ply have failed high since their parent was entered.
    pub cutoffs: i32,
}

impl StackEntry {
    const EMPTY: Self = Self {
        eval: NO_VALUE,
        current: None,
        quiet: None,
        threats: Bitboard::EMPTY,
        excluded: None,
        killers: [None; 2],
        move_count: 0,
        cutoffs: 0,
    };
}

/// Stack entries before the root: the search looks back up to six plies.
pub(super) const STACK_OFFSET: usize = 6;

/// The first iteration may use this number of nodes even if time is up or `stop` has arrived.
const MIN_NODES: u64 = 2048;

/// A search on one thread. Histories and accumulators are those of the thread; the rest is made anew for each search.
pub(super) struct Worker<'a> {
    pub index: usize,
    pub search: &'a Shared,
    pub histories: Histories<'a>,
    pub evaluator: &'a mut Evaluator,
    pub stack: Vec<StackEntry>,
    /// The principal variation from each ply on ("Triangular PV-Table" of chessprogramming.org).
    pub pv_table: Vec<PvLine>,
    /// Keys of the game and of the current line, the current position last.
    pub keys: Vec<u64>,
    /// Repetitions are not searched before this index, because of a null move there.
    pub repetition_start: usize,
    pub time: TimeManager,
    pub nodes: u64,
    pub tb_hits: u64,
    /// Positions with more men are in no table; 0 at limited strength.
    pub probe_men: u32,
    pub seldepth: usize,
    pub root_depth: i32,
    pub completed_depth: u32,
    pub root_moves: Vec<RootMove>,
    /// The current line of a MultiPV search. The root moves before it have their final values.
    pub pv_index: usize,
    /// No null moves before this ply, during verification of a null move.
    pub null_move_min_ply: usize,
    pub mate_finder: MateFinder,
    pub mate_nodes: u64,
    /// Whether values of earlier searches in the hash table count. Not in mop-up endgames: on the long way to the mate,
    /// positions recur while the evaluation hardly changes, and old values of great depth would hide all progress.
    pub uses_old_values: bool,
    /// The last check of the clock, in time since the start.
    last_check: Duration,
    /// The longest time between two checks of the clock.
    pub longest_gap: Duration,
    pub stopped: bool,
    /// The allotted time is used up, but the search is pondering.
    pub stop_on_ponder_hit: bool,
}

impl<'a> Worker<'a> {
    /// A search on the thread of an index, 0 for the main thread.
    pub fn new(index: usize, search: &'a Shared, histories: Histories<'a>, evaluator: &'a mut Evaluator) -> Self {
        let settings = &search.job.settings;
        evaluator.prepare(settings.network(), search.job.game.board().variant());
        let uses_old_values = evaluator.source(search.job.game.board()) != Source::MopUp;
        Self {
            index,
            search,
            histories,
            evaluator,
            stack: vec![StackEntry::EMPTY; MAX_PLY + STACK_OFFSET + 4],
            pv_table: vec![PvLine::new(); MAX_PLY + 2],
            keys: search.job.game.keys().to_vec(),
            repetition_start: 0,
            time: search.time_manager(),
            nodes: 0,
            tb_hits: 0,
            probe_men: if search.strength.is_none() { probe_men(&search.job) } else { 0 },
            seldepth: 0,
            root_depth: 0,
            completed_depth: 0,
            root_moves: root_moves(&search.job),
            pv_index: 0,
            null_move_min_ply: 0,
            mate_finder: MateFinder::default(),
            mate_nodes: 0,
            uses_old_values,
            last_check: Duration::ZERO,
            longest_gap: Duration::ZERO,
            stopped: false,
            stop_on_ponder_hit: false,
        }
    }

    pub fn is_main(&self) -> bool {
        self.index == 0
    }

    /// Checks the clock and `stop` every 512 nodes, and a single-threaded node limit at every node. Once true, it stays
    /// true.
    #[inline]
    pub fn check_limits(&mut self) -> bool {
        self.check_limits_every(512)
    }

    /// The same for another interval, which should take about half a millisecond.
    #[inline]
    pub fn check_limits_every(&mut self, nodes: u64) -> bool {
        if self.stopped {
            return true;
        }
        if self.nodes.is_multiple_of(nodes) {
            self.check_time();
        } else if self.search.single_thread_node_limit.is_some_and(|limit| self.nodes >= limit) {
            self.stopped = self.has_move_to_play();
        }
        self.stopped
    }

    fn check_time(&mut self) {
        self.publish_counters();
        if self.is_main() {
            let now = self.time.wall_time();
            self.longest_gap = self.longest_gap.max(now.saturating_sub(self.last_check));
            self.last_check = now;
        } else if self.search.is_oversubscribed && self.nodes.is_multiple_of(2048) {
            // Lets the main thread and the input thread run when threads outnumber processors. Rarely, since yielded
            // time also goes to other processes.
            std::thread::yield_now();
        }
        // Helpers stop at once, since their result is not needed.
        let stop_requested = self.search.stop.load(Relaxed) && (!self.is_main() || self.has_min_nodes());
        self.stopped = stop_requested || self.is_main() && self.is_limit_reached();
    }

    /// Whether the first iteration is complete, so that there is a sensible best move. It counts as complete if it
    /// takes too long: quiescence search can explode on boards full of pieces.
    fn has_move_to_play(&self) -> bool {
        const MAX_FIRST_NODES: u64 = 100_000;
        self.completed_depth >= 1 || self.nodes >= MAX_FIRST_NODES
    }

    /// Whether the first iteration is complete or has had [`MIN_NODES`]. They take a few milliseconds, and are
    /// spent even if `stop` or the end of the time came before the search began, so that a late start still finds a
    /// reasonable move.
    fn has_min_nodes(&self) -> bool {
        self.has_move_to_play() || self.nodes >= MIN_NODES
    }

    pub fn publish_counters(&self) {
        let counters = &self.search.counters[self.index];
        counters.nodes.store(self.nodes, Relaxed);
        counters.tb_hits.store(self.tb_hits, Relaxed);
    }

    fn is_limit_reached(&self) -> bool {
        if !self.has_move_to_play() && (!self.has_min_nodes() || !self.time.is_over(self.nodes)) {
            return false;
        }
        let total = self.search.total_nodes();
        if self.search.job.limits.nodes.is_some_and(|limit| total >= limit) {
            return true;
        }
        if self.search.is_pondering() {
            return false;
        }
        self.stop_on_ponder_hit || self.search.most_would_stop() || self.time.is_over(total)
    }

    /// Makes the principal variation of a ply: the move, followed by the line of the next ply.
    #[inline]
    pub fn update_pv(&mut self, ply: usize, mv: Move) {
        let (line, below) = {
            let (head, tail) = self.pv_table.split_at_mut(ply + 1);
            (&mut head[ply], &tail[0])
        };
        line.clear();
        line.push(mv);
        let _ = line.try_extend_from_slice(&below[..below.len().min(MAX_PLY - 1)]);
    }

    /// Whether a root move is searched for the current line of MultiPV.
    #[inline]
    pub fn is_root_candidate(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..].iter().any(|m| m.mv == mv)
    }

    /// Whether the position is a draw for the search. A single repetition counts if the earlier position is after the
    /// root; otherwise it takes two.
    #[inline]
    pub fn is_draw(&self, board: &Board, ply: usize) -> bool {
        let halfmoves = usize::from(board.halfmove_clock());
        if halfmoves >= usize::from(FIFTY_MOVES) && (!board.in_check() || board.has_legal_move()) {
            return true;
        }
        if board.is_dead_position() {
            return true;
        }
        let Some((&key, earlier)) = self.keys[self.repetition_start..].split_last() else { return false };
        let mut repetitions = repetitions(key, earlier, halfmoves);
        // Once since the root, or twice.
        repetitions.next().is_some_and(|distance| distance < ply || repetitions.next().is_some())
    }

    /// Looks up a position at a ply in the hash table. An entry whose mate comes after the end of the game by the
    /// fifty-move rule loses its value: it was stored with a lower halfmove clock.
    #[inline]
    pub fn probe_hash(&self, key: u64, ply: usize, halfmove_clock: u16) -> Option<Entry> {
        let entry = if self.uses_old_values {
            self.search.hash.probe(key, ply)
        } else {
            self.search.hash.probe_without_old_values(key, ply)
        }?;
        if comes_in_time(entry.value, ply, halfmove_clock) {
            Some(entry)
        } else {
            Some(Entry { value: NO_VALUE, bound: None, ..entry })
        }
    }

    /// The stack entry at an offset from a ply, negative for earlier plies.
    #[inline]
    pub fn at(&self, ply: usize, offset: isize) -> &StackEntry {
        &self.stack[(ply + STACK_OFFSET).wrapping_add_signed(offset)]
    }

    #[inline]
    pub fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.stack[ply + STACK_OFFSET]
    }

    /// Reports the current root move to the listener, after three seconds.
    pub fn report_current_move(&self, mv: Move, number: usize) {
        if self.is_main() && self.time.wall_time() > Duration::from_secs(3) {
            self.search.report_current_move(self.root_depth as u32, mv, number + self.pv_index);
        }
    }
}

/// Whether the value of a position at a ply, if it is a mate, does not come after the end of the game by the fifty-move
/// rule.
#[inline]
fn comes_in_time(value: Value, ply: usize, halfmove_clock: u16) -> bool {
    value == NO_VALUE
        || value.abs() < MATE_IN_MAX
        || MATE - value.abs() - ply as Value + Value::from(halfmove_clock) <= Value::from(FIFTY_MOVES)
}

/// The most men of a position that is looked up. The embedded tables of four men count only if the root is in them:
/// looking up each position of four men would slow down searches that hardly ever find one.
fn probe_men(job: &Job) -> u32 {
    let embedded = if four_men::has(job.game.board()) { four_men::MEN } else { three_men::MEN };
    job.settings.table_men().max(embedded)
}

/// The moves to search. If the endgame tables have the root, those that do not keep the result, or that win more slowly
/// or lose faster than others, are left out. MultiPV keeps all.
fn root_moves(job: &Job) -> Vec<RootMove> {
    let Job { game, limits, settings } = job;
    let board = game.board();
    let wanted = &limits.search_moves;
    let mut moves = board.legal_moves();
    moves.retain(|mv| wanted.is_empty() || wanted.contains(mv));
    if settings.options.multi_pv <= 1
        && board.occupied().count() <= settings.table_men()
        && let Some(best) = settings.tables.best_moves(game, moves.iter().copied())
        && !best.is_empty()
    {
        moves.retain(|mv| best.contains(mv));
    }
    moves.into_iter().map(RootMove::new).collect()
}
