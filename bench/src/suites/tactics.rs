//! Finds positions with a single best move that a deep search finds reliably and a shallow search misses.
//!
//! The engine plays games against itself with the nodes of the shallow search. If the score of a side drops between two
//! of its moves, the first of them may have been a mistake. Such a position is searched longer, and if the best move is
//! a different one, with the full deep search. The position is kept if the deep search (with two lines) chose the same
//! move in its last iterations and prefers it to the second move by a clear margin, and if the shallow search from a
//! cleared state chooses a different move.

use crate::analysis::{Analysis, Searcher, WorkerPool, centipawns};
use crate::collection::Collection;
use crate::data::starts::random_opening;
use crate::epd::{Epd, plain_san};
use crate::outln;
use crate::rng::Rng;
use crate::terminal::{CommandResult, Status};
use agoge_core::board::{Game, Variant};
use agoge_core::search::Report;
use agoge_core::types::Move;
use agoge_core::types::score::Score;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
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

fn play(searcher: &mut Searcher, arguments: &Arguments, rng: &mut Rng) -> Option<Vec<Played>> {
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

/// The best line of a search and its lead, if it is better than the second line by a margin and the choice matters.
fn clear_best(analysis: &Analysis, margin: i32) -> Option<(&Report, i32)> {
    let lines = analysis.lines();
    let &[first, second] = &lines[..] else { return None };
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

/// Examines the position before a move; returns its EPD if it qualifies.
fn examine(searcher: &mut Searcher, arguments: &Arguments, played: &Played) -> Option<Epd> {
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
    let (first, lead) = clear_best(&deep, arguments.margin)?;
    if deep.best? != best || first.pv.first() != Some(&best) || !is_stable(&deep, best) {
        return None;
    }
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
fn find_positions(searcher: &mut Searcher, arguments: &Arguments, number: u64) -> Vec<Epd> {
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

pub fn run(arguments: &Arguments) -> CommandResult {
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
