//! Proves the puzzles of a file again, and measures which of them a level solves.

use super::judge::{REPLY_TOLERANCE, best_reply, judge};
use super::mate;
use super::puzzle::Puzzle;
use crate::analysis::{Searcher, WorkerPool};
use crate::outln;
use crate::rng::{Rng, mix};
use crate::suites::recheck::Checked;
use crate::suites::solver::Solver;
use crate::terminal::{CommandResult, Error, Status, usage};
use agoge_core::board::{Board, Game};
use agoge_core::search::Limits;
use agoge_core::strength::LEVELS;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Check {
    /// The puzzles, in EPD
    file: PathBuf,
    /// How much worse than the solution every other move must be, as an expectation from 0 to 1
    #[arg(long, default_value_t = 0.3)]
    margin: f64,
    /// Search with this multiple of the nodes that made the puzzle
    #[arg(long, default_value_t = 2)]
    times: u64,
    /// Hash table of each search in MiB
    #[arg(long, default_value_t = 8)]
    hash: usize,
    /// Remove from the file the puzzles that are not proven
    #[arg(long)]
    drop: bool,
    /// Check only this number of puzzles, drawn by the seed
    #[arg(long, conflicts_with = "drop")]
    sample: Option<usize>,
    /// The seed of the sample
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
pub struct Solve {
    /// The puzzles, in EPD
    file: PathBuf,
    /// The level of the engine that solves them, from 1
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=i64::from(LEVELS)))]
    level: u32,
    /// How often it tries each puzzle, with different evaluation errors
    #[arg(long, default_value_t = 3)]
    tries: u64,
    /// The seed of its evaluation errors
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// By how many percentage points its success in the easiest third must exceed that in the hardest
    #[arg(long, default_value_t = 20.0)]
    require: f64,
}

/// Why a puzzle is not proven.
fn fault(searcher: &mut Searcher, solver: &mut Solver, puzzle: &Puzzle, margin: f64, nodes: u64) -> Option<String> {
    if puzzle.mate.is_some() {
        solver.clear();
        solver.allow(nodes);
        return mate::fault(solver, &puzzle.board, &puzzle.line);
    }
    // What the opponent could have had with the reply that was searched last.
    let mut promised = None;
    for (ply, (board, mv)) in puzzle.positions().into_iter().enumerate() {
        if ply % 2 == 1 {
            promised = best_reply(searcher, &board, nodes).map(|(_, value)| (board.to_san(mv), value));
            continue;
        }
        let san = board.to_san(mv);
        let Some(verdict) = judge(searcher, &board, nodes) else {
            return Some(format!("the search has not decided on {san}"));
        };
        if verdict.best != mv {
            return Some(format!("{} is better than {san}", board.to_san(verdict.best)));
        }
        if !verdict.is_single(margin) {
            let second = verdict.second.unwrap_or(0.0);
            return Some(format!("{san} has the expectation {:.3}, another move {second:.3}", verdict.value));
        }
        if let Some((reply, value)) =
            promised.take().filter(|(_, value)| value - (1.0 - verdict.value) > REPLY_TOLERANCE)
        {
            return Some(format!("the opponent has better than {reply}: {value:.3}, not {:.3}", 1.0 - verdict.value));
        }
    }
    None
}

fn read(path: &Path) -> Result<Checked<Puzzle>, Error> {
    Checked::read(path, Puzzle::parse)
}

pub fn check(arguments: &Check) -> CommandResult {
    let mut puzzles = read(&arguments.file)?;
    if let Some(count) = arguments.sample {
        Rng::new(arguments.seed).shuffle(&mut puzzles.lines);
        puzzles.lines.truncate(count.max(1));
    }
    let hash = arguments.hash;
    let pool = WorkerPool::from_fn(move || Ok((Searcher::new(1, hash)?, Solver::new(hash))), |_| ());
    puzzles.check(&pool, "proven", arguments.drop, |(searcher, solver), line| {
        let puzzle = &line.value;
        fault(searcher, solver, puzzle, arguments.margin, puzzle.nodes * arguments.times)
    })
}

/// Whether the engine at a level plays all moves of the solution.
fn solves(searcher: &mut Searcher, puzzle: &Puzzle, seed: u64) -> bool {
    puzzle.choices().into_iter().all(|(board, mv)| {
        searcher.clear();
        searcher.set_seed(seed);
        best_move(searcher, board) == Some(mv)
    })
}

/// The move of a level, whose own limit ends the search.
fn best_move(searcher: &mut Searcher, board: Board) -> Option<agoge_core::types::Move> {
    searcher.search(&Game::new(board), Limits { nodes: Some(1 << 20), ..Limits::default() }, 1).best
}

/// Measures how many puzzles a level solves: of the easiest third, of the middle and of the hardest.
pub fn solve(arguments: &Solve) -> CommandResult {
    let mut puzzles: Vec<Puzzle> = read(&arguments.file)?.lines.into_iter().map(|line| line.value).collect();
    puzzles.sort_by_key(|puzzle| puzzle.difficulty);
    let level = arguments.level - 1;
    let pool = WorkerPool::from_fn(
        move || {
            let mut searcher = Searcher::new(1, 1)?;
            searcher.settings.options.skill_level = level;
            Ok(searcher)
        },
        |_| (),
    );
    let solved = pool.map(0..puzzles.len() as u64, |searcher, number| {
        let seed = |attempt| mix(arguments.seed ^ mix(number * arguments.tries + attempt));
        (0..arguments.tries).filter(|&attempt| solves(searcher, &puzzles[number as usize], seed(attempt))).count()
    });
    let solved = solved.map_err(usage)?;
    let (third, rest) = (puzzles.len() / 3, puzzles.len() - puzzles.len() / 3);
    let mut shares = Vec::new();
    for (name, range) in [("easiest", 0..third), ("middle", third..rest), ("hardest", rest..puzzles.len())] {
        let tries = range.len() as u64 * arguments.tries;
        let count: usize = solved[range.clone()].iter().sum();
        let share = 100.0 * count as f64 / tries.max(1) as f64;
        let nodes = |at: Option<&Puzzle>| at.map_or(0, |puzzle| puzzle.difficulty);
        let (from, to) = (nodes(puzzles[range.clone()].first()), nodes(puzzles[range].last()));
        outln!("{name:<8} {from:>6} to {to:>6} nodes: {count} of {tries} solved, {share:.1} %");
        shares.push(share);
    }
    let lead = shares[0] - shares[2];
    outln!(
        "level {} solves {lead:.1} percentage points more of the easiest third than of the hardest",
        arguments.level
    );
    Ok(Status::of_check(lead >= arguments.require).after_printing())
}
