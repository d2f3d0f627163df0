//! Finds positions with one best move that a deep search is sure of and a shallow one misses.
//!
//! The engine plays games against itself with the nodes of the shallow search. Where the score of a
//! side falls from one of its moves to the next, the move in between may have been a mistake: such
//! positions are searched longer, and if the answer is another one, long enough to be sure. Kept is
//! a position if the deep search, with two lines, gave the same move in its last iterations and likes
//! it better than the second by a clear margin, and if the shallow search, with an empty memory, gives
//! another one.

use agoge::board::{Game, Variant};
use agoge::search::Report;
use agoge::types::Move;
use agoge::types::score::Score;
use agoge_bench::analysis::{Analysis, Analyst, Bureau, centipawns};
use agoge_bench::cli;
use agoge_bench::collection::Collection;
use agoge_bench::epd::{Epd, plain_san};
use agoge_bench::outln;
use agoge_bench::rng::Rng;
use agoge_bench::starts::random_opening;
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Finds best-move positions of Spartan Chess in games; goes on if the file was begun before.
#[derive(Parser)]
#[command(name = "tactics", version)]
struct Arguments {
    /// The positions, in EPD; begun or continued
    #[arg(long)]
    out: PathBuf,
    /// Positions that the file shall have
    #[arg(long, default_value_t = 220)]
    count: usize,
    /// Another seed gives other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes of the shallow search, which plays the games
    #[arg(long, default_value_t = 5_000)]
    shallow_nodes: u64,
    /// Nodes of the search that looks whether there is a better move
    #[arg(long, default_value_t = 40_000)]
    middle_nodes: u64,
    /// Nodes of the deep search
    #[arg(long, default_value_t = 2_000_000)]
    deep_nodes: u64,
    /// How much better than the second move the best must be, in centipawns
    #[arg(long, default_value_t = 60)]
    margin: i32,
    /// Hash table of each search in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
}

/// Games are broken off after so many plies, or when the score says that they are decided.
const MAX_PLIES: usize = 160;

/// A score beyond this decides a game.
const DECIDED: i32 = 800;

/// The second move must leave something to play for, so that the best one matters.
const MAX_SECOND: i32 = 400;

/// How far the score must fall from one move of a side to its next.
const FALL: i32 = 60;

/// Iterations at the end of the deep search that must agree.
const STABLE_ITERATIONS: usize = 5;

/// Positions taken from one game at most.
const POSITIONS_PER_GAME: usize = 3;

/// A move of a game with what the search that chose it thought.
struct Played {
    before: Game,
    mv: Move,
    score: i32,
}

fn play(analyst: &mut Analyst, arguments: &Arguments, rng: &mut Rng) -> Option<Vec<Played>> {
    let mut game = std::iter::repeat_with(|| random_opening(Variant::Spartan, rng)).flatten().next()?;
    let mut moves = Vec::new();
    for _ in 0..MAX_PLIES {
        if game.outcome().is_some() {
            break;
        }
        let analysis = analyst.search_nodes(&game, arguments.shallow_nodes, 1);
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

/// The two best lines of a search, if the first is better by a margin and worth something.
fn clear_best(analysis: &Analysis, margin: i32) -> Option<(&Report, i32)> {
    let lines = analysis.lines();
    let &[first, second] = &lines[..] else { return None };
    let (best, next) = (centipawns(first.score), centipawns(second.score));
    (best - next >= margin && next < MAX_SECOND && best > -MAX_SECOND).then_some((first, best - next))
}

/// Whether the last iterations agree on a move.
fn is_stable(analysis: &Analysis, mv: Move) -> bool {
    let mut iterations: Vec<&Report> = Vec::new();
    for report in analysis.exact() {
        // The last word of an iteration counts.
        match iterations.last_mut() {
            Some(last) if last.depth == report.depth => *last = report,
            _ => iterations.push(report),
        }
    }
    iterations.len() >= STABLE_ITERATIONS
        && iterations.iter().rev().take(STABLE_ITERATIONS).all(|report| report.pv.first() == Some(&mv))
}

/// Looks at a position in which a move was played; its line if it is one for the file.
fn examine(analyst: &mut Analyst, arguments: &Arguments, played: &Played) -> Option<Epd> {
    let game = Game::new(played.before.board().clone());
    let board = game.board();
    if board.count_moves() < 2 {
        return None;
    }
    analyst.forget();
    let middle = analyst.search_nodes(&game, arguments.middle_nodes, 2);
    let (first, _) = clear_best(&middle, arguments.margin * 3 / 4)?;
    let best = *first.pv.first()?;
    if best == played.mv {
        return None;
    }
    analyst.forget();
    if analyst.search_nodes(&game, arguments.shallow_nodes, 1).best? == best {
        return None;
    }
    // A fifth of the deep search sorts out most of what it would refuse.
    analyst.forget();
    let early = analyst.search_nodes(&game, arguments.deep_nodes / 5, 2);
    if clear_best(&early, arguments.margin * 3 / 4)?.0.pv.first() != Some(&best) {
        return None;
    }
    analyst.forget();
    let deep = analyst.search_nodes(&game, arguments.deep_nodes, 2);
    let (first, lead) = clear_best(&deep, arguments.margin)?;
    if deep.best? != best || first.pv.first() != Some(&best) || !is_stable(&deep, best) {
        return None;
    }
    let epd = Epd::new(board.clone()).with("bm", plain_san(board, best));
    let epd = match first.score {
        Score::Cp(score) => epd.with("ce", score),
        // Not dm, since nobody has proven that there is no shorter one.
        Score::Mate(moves) => epd.with("c2", format!("mate in {moves}")),
    };
    Some(
        epd.with("acd", first.depth)
            .with("acn", arguments.deep_nodes)
            .with("c0", best)
            .with("c1", format!("better than the second move by {}", lead.min(10_000))),
    )
}

/// The positions of a game.
fn harvest(analyst: &mut Analyst, arguments: &Arguments, number: u64) -> Vec<Epd> {
    let mut rng = Rng::stream(arguments.seed, number);
    let Some(moves) = play(analyst, arguments, &mut rng) else { return Vec::new() };
    let mut found = Vec::new();
    // A move and the next of the same side.
    for (ply, pair) in moves.windows(3).enumerate() {
        let [now, _, later] = pair else { continue };
        if now.score - later.score < FALL || found.len() >= POSITIONS_PER_GAME {
            continue;
        }
        if let Some(epd) = examine(analyst, arguments, now) {
            found.push(epd.with("id", format!("tactic.{number}.{ply}")));
        }
    }
    found
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let header = format!(
        "Best moves of Spartan Chess that a shallow search misses, made by the binary `tactics` of agoge-bench; see \
         README.md.\nseed {}, nodes {}, {} and {}, margin {}, hash {}",
        arguments.seed,
        arguments.shallow_nodes,
        arguments.middle_nodes,
        arguments.deep_nodes,
        arguments.margin,
        arguments.hash
    );
    let (mut file, begun) = Collection::open(&arguments.out, &header, Variant::Spartan)?;
    // The last game may have more; what is there already is not taken twice.
    let mut next = begun.last().map_or(Ok(0), |epd| epd.number_in_id("tactic"))?;
    let bar = cli::progress(arguments.count as u64, file.count() as u64);
    let bureau = Bureau::new(arguments.hash);
    let batch = 2 * rayon::current_num_threads() as u64;
    while file.count() < arguments.count {
        let found = bureau.map(next..next + batch, |analyst, number| harvest(analyst, arguments, number));
        let found = found.map_err(|error| error.to_string())?;
        next += batch;
        for epd in found.into_iter().flatten() {
            if file.count() < arguments.count && file.push_new(&epd)? {
                bar.inc(1);
            }
        }
        bar.set_message(format!("game {next}"));
    }
    bar.finish();
    outln!("{} positions", file.count());
    Ok(())
}

fn main() -> ExitCode {
    cli::done(run(&cli::parse()))
}
