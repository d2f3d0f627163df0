//! Finds positions with a single best move that a deep search finds reliably and a shallow search misses.
//!
//! The engine plays games against itself with the nodes of the shallow search. If the score of a side drops between two
//! of its moves, the first of them may have been a mistake. Such a position is searched longer, and if the best move is
//! a different one, with the full deep search. The position is kept if the deep search (with two lines) chose the same
//! move in its last iterations and prefers it to the second move by a clear margin, and if the shallow search from a
//! cleared state chooses a different move.
//!
//! A stronger engine may disagree with the one that made a file: `check` repeats the deep search with more nodes.

use crate::analysis::{Analysis, Searcher, WorkerPool, centipawns};
use crate::collection::Collection;
use crate::data::starts::random_opening;
use crate::epd::{Epd, plain_san};
use crate::outln;
use crate::rng::Rng;
use crate::suites::recheck::Checked;
use crate::suites::task;
use crate::terminal::{CommandResult, Status};
use agoge_core::board::{Board, Game, Variant};
use agoge_core::search::{Bound, Report};
use agoge_core::types::Move;
use agoge_core::types::score::Score;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum Task {
    /// Find positions in games; continues an existing file
    Make(Make),
    /// Search every position of a file again; exits with status 1 if one has no clear best move, or another one
    Check(Check),
}

#[derive(Args)]
pub struct Make {
    /// The file of positions, in EPD; an existing file is continued
    #[arg(long)]
    out: PathBuf,
    /// The number of positions of the file
    #[arg(long, default_value_t = 220)]
    count: usize,
    /// The seed of all games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes of the shallow search, which plays the games
    #[arg(long, default_value_t = 5_000)]
    shallow_nodes: u64,
    /// Nodes of the search that looks for a better move
    #[arg(long, default_value_t = 40_000)]
    middle_nodes: u64,
    /// Nodes of the deep search
    #[arg(long, default_value_t = 2_000_000)]
    deep_nodes: u64,
    /// The minimum advantage of the best move over the second, in centipawns
    #[arg(long, default_value_t = 60)]
    margin: i32,
    /// Hash table of each search in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
}

#[derive(Args)]
pub struct Check {
    /// The positions with their best moves, in EPD
    file: PathBuf,
    /// Nodes of the search of each position
    #[arg(long, default_value_t = 10_000_000)]
    nodes: u64,
    /// The minimum advantage of the best move over the second, in centipawns
    #[arg(long, default_value_t = 60)]
    margin: i32,
    /// Hash table of each search in MiB
    #[arg(long, default_value_t = 256)]
    hash: usize,
    /// Remove from the file the positions that fail
    #[arg(long)]
    drop: bool,
}

const MAX_PLIES: usize = 160;

/// Games end when the absolute score exceeds this, in centipawns.
const DECIDED: i32 = 800;

/// The maximum score of the second move, in centipawns: otherwise the best move does not matter.
const MAX_SECOND: i32 = 400;

/// The minimum drop of the score between two moves of a side, in centipawns.
const MIN_DROP: i32 = 60;

/// The number of last iterations of the deep search that must agree.
const STABLE_ITERATIONS: usize = 5;

const POSITIONS_PER_GAME: usize = 3;

struct Played {
    before: Game,
    mv: Move,
    score: i32,
}

fn play(searcher: &mut Searcher, arguments: &Make, rng: &mut Rng) -> Option<Vec<Played>> {
    let mut game = std::iter::repeat_with(|| random_opening(Variant::Spartan, rng)).flatten().next()?;
    let mut moves = Vec::new();
    for _ in 0..MAX_PLIES {
        if game.outcome().is_some() {
            break;
        }
        let analysis = searcher.search_nodes(&game, arguments.shallow_nodes, 1);
        let (mv, score) = (analysis.best?, analysis.score()?);
        let before = game.clone();
        game.push(mv).ok()?;
        moves.push(Played { before, mv, score });
        if score.abs() > DECIDED {
            break;
        }
    }
    Some(moves)
}

/// The two lines of the last iteration that finished both.
fn last_two(analysis: &Analysis) -> Option<[&Report; 2]> {
    let exact = || analysis.reports.iter().rev().filter(|report| report.bound == Bound::Exact);
    let second = exact().find(|report| report.multi_pv == 2)?;
    let first = exact().find(|report| report.multi_pv == 1 && report.depth == second.depth)?;
    Some([first, second])
}

/// The best line of a search and its lead, if it is better than the second line by a margin and the choice matters.
fn clear_best(analysis: &Analysis, margin: i32) -> Option<(&Report, i32)> {
    let [first, second] = last_two(analysis)?;
    let (best, next) = (centipawns(first.score), centipawns(second.score));
    (best - next >= margin && next < MAX_SECOND && best > -MAX_SECOND).then_some((first, best - next))
}

fn is_stable(analysis: &Analysis, mv: Move) -> bool {
    let mut iterations: Vec<&Report> = Vec::new();
    for report in analysis.exact() {
        // Keep the last report of each iteration.
        match iterations.last_mut() {
            Some(last) if last.depth == report.depth => *last = report,
            _ => iterations.push(report),
        }
    }
    iterations.len() >= STABLE_ITERATIONS
        && iterations.iter().rev().take(STABLE_ITERATIONS).all(|report| report.pv.first() == Some(&mv))
}

/// The best line of a search and its lead, if it is clear and the last iterations agree on its move.
fn clear_and_stable(analysis: &Analysis, margin: i32) -> Option<(&Report, Move, i32)> {
    let (line, lead) = clear_best(analysis, margin)?;
    let mv = *line.pv.first()?;
    (analysis.best == Some(mv) && is_stable(analysis, mv)).then_some((line, mv, lead))
}

/// Examines the position before a move; returns its EPD if it qualifies.
fn examine(searcher: &mut Searcher, arguments: &Make, played: &Played) -> Option<Epd> {
    let game = Game::new(played.before.board().clone());
    let board = game.board();
    if board.count_moves() < 2 {
        return None;
    }
    searcher.clear();
    let middle = searcher.search_nodes(&game, arguments.middle_nodes, 2);
    let (first, _) = clear_best(&middle, arguments.margin * 3 / 4)?;
    let best = *first.pv.first()?;
    if best == played.mv {
        return None;
    }
    searcher.clear();
    if searcher.search_nodes(&game, arguments.shallow_nodes, 1).best? == best {
        return None;
    }
    // A fifth of the deep search rejects most unsuitable positions.
    searcher.clear();
    let early = searcher.search_nodes(&game, arguments.deep_nodes / 5, 2);
    if clear_best(&early, arguments.margin * 3 / 4)?.0.pv.first() != Some(&best) {
        return None;
    }
    searcher.clear();
    let deep = searcher.search_nodes(&game, arguments.deep_nodes, 2);
    let (first, _, lead) = clear_and_stable(&deep, arguments.margin).filter(|&(_, mv, _)| mv == best)?;
    let epd = Epd::new(board.clone()).with("bm", plain_san(board, best));
    let epd = match first.score {
        Score::Cp(score) => epd.with("ce", score),
        // Not `dm`, because it is not proven to be the shortest mate.
        Score::Mate(moves) => epd.with("c2", format!("mate in {moves}")),
    };
    Some(
        epd.with("acd", first.depth)
            .with("acn", arguments.deep_nodes)
            .with("c0", best)
            .with("c1", format!("better than the second move by {}", lead.min(10_000))),
    )
}

/// Plays a game and returns its positions for the file.
fn find_positions(searcher: &mut Searcher, arguments: &Make, number: u64) -> Vec<Epd> {
    let mut rng = Rng::stream(arguments.seed, number);
    let Some(moves) = play(searcher, arguments, &mut rng) else { return Vec::new() };
    let mut found = Vec::new();
    // A move and the next move of the same side.
    for (ply, pair) in moves.windows(3).enumerate() {
        let [now, _, later] = pair else { continue };
        if now.score - later.score < MIN_DROP || found.len() >= POSITIONS_PER_GAME {
            continue;
        }
        if let Some(epd) = examine(searcher, arguments, now) {
            found.push(epd.with("id", format!("tactic.{number}.{ply}")));
        }
    }
    found
}

fn make(arguments: &Make) -> CommandResult {
    let header = format!(
        "Best moves of Spartan Chess that a shallow search misses, made by `agoge-bench tactics`; see \
         README.md.\nseed {}, nodes {}, {} and {}, margin {}, hash {}",
        arguments.seed,
        arguments.shallow_nodes,
        arguments.middle_nodes,
        arguments.deep_nodes,
        arguments.margin,
        arguments.hash
    );
    let (mut file, existing) = Collection::open(&arguments.out, &header, Variant::Spartan)?;
    // Repeat the last game, which may have more positions; duplicates are dropped.
    let mut next = existing.last().map_or(Ok(0), |epd| epd.number_in_id("tactic"))?;
    let pool = WorkerPool::new(arguments.hash);
    let batch = 2 * rayon::current_num_threads() as u64;
    file.fill(arguments.count, &mut next, batch, "game", |numbers| {
        pool.map(numbers, |searcher, number| find_positions(searcher, arguments, number))
    })?;
    outln!("{} positions", file.count());
    Ok(Status::Success)
}

/// Why a position is no longer a task with one solution; `None` if it is.
fn fault(searcher: &mut Searcher, arguments: &Check, board: &Board, solution: &[Move]) -> Option<String> {
    searcher.clear();
    let analysis = searcher.search_nodes(&Game::new(board.clone()), arguments.nodes, 2);
    match clear_and_stable(&analysis, arguments.margin) {
        Some((_, mv, _)) if solution.contains(&mv) => None,
        Some((_, mv, lead)) => Some(format!("{} is better than all other moves by {lead}", board.to_san(mv))),
        None => {
            let Some(lines) = last_two(&analysis) else { return Some("no two lines".to_owned()) };
            let show = |line: &Report| {
                let mv = line.pv.first().map_or_else(String::new, |&mv| board.to_san(mv));
                format!("{mv} {:+}", centipawns(line.score))
            };
            Some(format!("no clear best move: {}", lines.map(show).join(", ")))
        }
    }
}

fn check(arguments: &Check) -> CommandResult {
    let solution = |epd: &Epd| match task::Task::of(epd)? {
        task::Task::Moves { best, .. } if !best.is_empty() => Ok(best),
        _ => Err("no bm".to_owned()),
    };
    let positions = Checked::read(&arguments.file, solution)?;
    positions.check(&WorkerPool::new(arguments.hash), "confirmed", arguments.drop, |searcher, line| {
        fault(searcher, arguments, &line.epd.board, &line.value)
    })
}

pub fn run(task: &Task) -> CommandResult {
    match task {
        Task::Make(arguments) => make(arguments),
        Task::Check(arguments) => check(arguments),
    }
}
