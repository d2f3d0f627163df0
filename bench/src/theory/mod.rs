//! Opening theory: a tree of the opening with values, and the results of games.
//!
//! The tree grows by best-first search with drop-out expansion (Lincke, "Strategies for the Automatic Construction of
//! Opening Books", 2001): each position is searched alone, and its best move enters the tree; its next move is found by
//! a search without the known ones. What is searched next is the cheapest position, see [`tree`].
//!
//! - [`searches`]: the file of searches, from which the tree is made.
//! - [`tree`]: positions, values, and the order of the searches.
//! - [`build`]: searches on all cores; the tree does not depend on their number.
//! - [`games`]: games from positions of the tree.
//! - [`write`]: writes `positions/theory.epd`.
//! - [`compact`]: the compact form of it that the program embeds.
//! - [`check`]: finds the values of the file again.
//! - [`report`]: the figures of `positions/OPENINGS.md`.

pub mod build;
mod check;
mod compact;
mod games;
mod report;
mod searches;
mod tree;
mod write;

use crate::analysis::{Analysis, Searcher};
use crate::terminal::CommandResult;
use agoge_core::board::{Board, Game};
use agoge_core::search::{Limits, Report};
use agoge_core::types::Move;
use agoge_core::types::score::{MATE, Score, Value};
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Theory {
    /// Search positions of the opening and grow a tree of them; the same command continues it
    Build(build::Arguments),
    /// Play games from positions of the tree; the same command continues them
    Games(games::Arguments),
    /// Write the tree with the results of games as EPD, and in the form that the program embeds
    Write(write::Arguments),
    /// Write the EPD in the form that the program embeds
    Compact(compact::Arguments),
    /// Search random positions of the EPD again and compare; exits with status 1 on any difference
    Check(check::Arguments),
    /// Print the figures of positions/OPENINGS.md, or write them into it
    Report(report::Arguments),
}

pub fn run(command: &Theory) -> CommandResult {
    match command {
        Theory::Build(arguments) => build::run(arguments),
        Theory::Games(arguments) => games::run(arguments),
        Theory::Write(arguments) => write::run(arguments),
        Theory::Compact(arguments) => compact::run(arguments),
        Theory::Check(arguments) => check::run(arguments),
        Theory::Report(arguments) => report::run(arguments),
    }
}

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The best move; none if there is no legal move.
    pub mv: Option<Move>,
    /// From the side to move's view.
    pub value: Value,
    /// In iterations.
    pub depth: u32,
    pub nodes: u64,
}

/// The value of a score.
const fn value_of(score: Score) -> Value {
    match score {
        Score::Cp(value) => value,
        Score::Mate(moves) if moves > 0 => MATE + 1 - 2 * moves,
        Score::Mate(moves) => -MATE - 2 * moves,
    }
}

/// Searches a position without some of its moves, independently of earlier searches. `None` if all moves are left out,
/// or the search was interrupted.
fn search(searcher: &mut Searcher, board: &Board, left_out: &[Move], nodes: u64) -> Option<Found> {
    let mut moves = board.legal_moves();
    moves.retain(|mv| !left_out.contains(mv));
    if moves.is_empty() && !left_out.is_empty() {
        return None;
    }
    searcher.clear();
    let search_moves = if left_out.is_empty() { Vec::new() } else { moves.to_vec() };
    let limits = Limits { nodes: Some(nodes), search_moves, ..Limits::default() };
    let analysis = searcher.search(&Game::new(board.clone()), limits, 1);
    found(&analysis, searcher.nodes())
}

/// What a search has found: its best move with the last exact score of it, if there is one. A move by which the mate
/// finder has just found a mate has no score yet; then it is the last exact one of any move.
fn found(analysis: &Analysis, nodes: u64) -> Option<Found> {
    let is_best = |report: &&Report| report.pv.first().copied() == analysis.best;
    let exact = analysis.exact().rev().find(is_best).or_else(|| analysis.reports.iter().rev().find(is_best));
    let report = exact.or_else(|| analysis.exact().next_back())?;
    Some(Found { mv: analysis.best, value: value_of(report.score), depth: report.depth, nodes })
}
