//! Makes a book of balanced openings for matches.
//!
//! Each candidate is a random walk from the initial position: every move is sampled from the best moves of a small
//! search, better moves with a higher probability. A short search and then a deep one must find the final position
//! balanced and quiet. A candidate depends only on the seed and its number, and candidates are taken in the order of
//! their numbers. So the same seed gives the same book on any number of cores, and a killed generator can resume.
//!
//! Balanced means that White's deep score is within the margin both of the score of the initial position (White's
//! normal advantage) and of zero. So both sides have winning chances. White's moves are sampled with a higher
//! temperature than Black's, so that the walks end below the normal advantage.

use super::BookOptions;
use crate::analysis::{Searcher, WorkerPool, centipawns, draw_move, white_view};
use crate::collection::Collection;
use crate::epd::Epd;
use crate::outln;
use crate::rng::Rng;
use crate::terminal::{CommandResult, Status, usage};
use agoge_core::board::{Board, Game, Variant};
use agoge_core::eval::evaluate;
use agoge_core::types::Colour;
use clap::Args;
use clap::builder::RangedU64ValueParser;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    common: BookOptions,
    /// The number of positions of the book
    #[arg(long, default_value_t = 4500)]
    count: usize,
    /// The shortest opening in plies
    #[arg(long, default_value = "6", value_parser = RangedU64ValueParser::<usize>::new().range(..=1000))]
    min_plies: usize,
    /// The longest opening in plies
    #[arg(long, default_value = "12", value_parser = RangedU64ValueParser::<usize>::new().range(..=1000))]
    max_plies: usize,
    /// Nodes of the deep search
    #[arg(long, default_value_t = 100_000)]
    nodes: u64,
    /// Nodes of the short search before it
    #[arg(long, default_value_t = 8_000)]
    short_nodes: u64,
    /// Nodes of the search from which the moves of a walk are sampled
    #[arg(long, default_value_t = 1_000)]
    walk_nodes: u64,
    /// A move of White that is worse than the best by this, in centipawns, is played e times less often; higher than
    /// for Black, because White starts with an advantage
    #[arg(long, default_value_t = 90.0)]
    white_temperature: f64,
    /// The same for Black
    #[arg(long, default_value_t = 45.0)]
    black_temperature: f64,
    /// White's normal advantage: the deep score of the initial position in centipawns
    #[arg(long, default_value_t = 85, allow_hyphen_values = true)]
    centre: i32,
    /// The maximum distance of White's deep score from that, and from zero
    #[arg(long, default_value_t = 70)]
    margin: i32,
}

/// The number of moves considered in each position of a walk.
const CHOICES: usize = 12;

/// The maximum difference between the static evaluation and the score, in centipawns; more indicates a tactic.
const MAX_QUIET_DIFFERENCE: i32 = 90;

/// The maximum range of the scores of the last iterations.
const MAX_DRIFT: i32 = 25;

/// The number of last iterations compared.
const STABLE_ITERATIONS: usize = 3;

/// A capture that wins this much by static exchange evaluation is a tactic.
const WINNING_CAPTURE: i32 = 50;

/// The extra tolerance of the short search.
const SHORT_SLACK: i32 = 15;

impl Arguments {
    fn is_balanced(&self, white: i32, slack: i32) -> bool {
        white.abs() <= self.margin + slack && (white - self.centre).abs() <= self.margin + slack
    }

    /// The header of the file, with all settings that determine the positions.
    fn header(&self) -> String {
        format!(
            "Balanced openings of Spartan Chess, made by `agoge-bench openings`; see README.md.\n\
             seed {}, plies {} to {}, nodes {}, short nodes {}, walk nodes {}, temperatures {} and {}, centre {}, \
             margin {}, hash {}",
            self.common.seed,
            self.min_plies,
            self.max_plies,
            self.nodes,
            self.short_nodes,
            self.walk_nodes,
            self.white_temperature,
            self.black_temperature,
            self.centre,
            self.margin,
            self.common.hash
        )
    }
}

/// A random walk from the initial position; `None` if it ends the game.
fn walk(searcher: &mut Searcher, arguments: &Arguments, rng: &mut Rng) -> Option<Game> {
    let plies = arguments.min_plies + rng.below(arguments.max_plies - arguments.min_plies + 1);
    let mut game = Game::start(Variant::Spartan);
    for _ in 0..plies {
        let analysis = searcher.search_nodes(&game, arguments.walk_nodes, CHOICES);
        let lines = analysis.lines();
        let temperature = match game.board().side_to_move() {
            Colour::White => arguments.white_temperature,
            Colour::Black => arguments.black_temperature,
        };
        game.push(draw_move(&lines, temperature, rng)?).ok()?;
    }
    game.outcome().is_none().then_some(game)
}

/// Whether the position is tactically quiet: both kings of Black are on the board, no king is attacked, and no capture
/// wins material.
fn is_calm(board: &Board) -> bool {
    let all_kings = board.has_two_kings(Colour::Black);
    let wins = |mv| board.is_noisy(mv) && board.see_ge(mv, WINNING_CAPTURE);
    all_kings && board.attacked_kings().is_empty() && !board.legal_moves().into_iter().any(wins)
}

/// White's score and the depth of a search, if it finds the position balanced and quiet.
fn balanced_score(
    searcher: &mut Searcher,
    arguments: &Arguments,
    game: &Game,
    nodes: u64,
    slack: i32,
) -> Option<(i32, u32)> {
    let board = game.board();
    let analysis = searcher.search_nodes(game, nodes, 1);
    let scores: Vec<_> = analysis.exact().rev().take(STABLE_ITERATIONS).map(|r| centipawns(r.score)).collect();
    let (score, depth) = (*scores.first()?, analysis.exact().next_back()?.depth);
    let white = white_view(board.side_to_move(), score);
    let drift = scores.iter().max()? - scores.iter().min()?;
    let good = scores.len() == STABLE_ITERATIONS
        && arguments.is_balanced(white, slack)
        && drift <= MAX_DRIFT + slack
        && (evaluate(board) - score).abs() <= MAX_QUIET_DIFFERENCE + slack
        && !board.is_noisy(analysis.best?);
    good.then_some((white, depth))
}

fn candidate(searcher: &mut Searcher, arguments: &Arguments, number: u64) -> Option<Epd> {
    let mut rng = Rng::stream(arguments.common.seed, number);
    let game = walk(searcher, arguments, &mut rng)?;
    // The positions of a walk must not count as repetitions when a match starts after it.
    let game = Game::new(game.board().clone());
    if !is_calm(game.board()) {
        return None;
    }
    balanced_score(searcher, arguments, &game, arguments.short_nodes, SHORT_SLACK)?;
    // Clear the state of the walk, so that the score can be reproduced from the position alone.
    searcher.clear();
    let (white, depth) = balanced_score(searcher, arguments, &game, arguments.nodes, 0)?;
    let board = game.board().clone();
    let score = white_view(board.side_to_move(), white);
    let epd = Epd::new(board).with("ce", score).with("acd", depth).with("acn", arguments.nodes);
    Some(epd.with("id", format!("opening.{number}")))
}

pub fn run(arguments: &Arguments) -> CommandResult {
    if arguments.min_plies > arguments.max_plies {
        return Err(usage("the shortest opening must not be longer than the longest"));
    }
    let positive = |temperature: f64| temperature > 0.0;
    if !positive(arguments.white_temperature) || !positive(arguments.black_temperature) {
        return Err(usage("the temperatures must be positive"));
    }
    let (mut book, existing) = Collection::open(&arguments.common.out, &arguments.header(), Variant::Spartan)?;
    let mut next = existing.last().map_or(Ok(0), |epd| epd.number_in_id("opening"))? + u64::from(!existing.is_empty());
    let first = next;
    let pool = WorkerPool::new(arguments.common.hash);
    let batch = 8 * rayon::current_num_threads() as u64;
    book.fill(arguments.count, &mut next, batch, "candidate", |numbers| {
        pool.map(numbers, |searcher, number| candidate(searcher, arguments, number))
    })?;
    outln!("{} positions; {} candidates examined in this run", book.count(), next - first);
    Ok(Status::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_depends_only_on_its_number() {
        let arguments = Arguments {
            common: BookOptions { out: "x".into(), seed: 5, hash: 1 },
            count: 1,
            min_plies: 6,
            max_plies: 12,
            nodes: 6000,
            short_nodes: 2000,
            walk_nodes: 200,
            white_temperature: 90.0,
            black_temperature: 45.0,
            centre: 85,
            margin: 70,
        };
        let pool = WorkerPool::new(1);
        let get = |number| pool.with(|searcher| candidate(searcher, &arguments, number)).unwrap();
        let lines = |numbers: &[u64]| -> Vec<String> {
            numbers.iter().filter_map(|&number| get(number)).map(|epd| epd.to_string()).collect()
        };
        let numbers: Vec<u64> = (0..60).collect();
        let found = lines(&numbers);
        assert!(found.len() >= 3, "{found:?}");
        let mut backwards = lines(&numbers.iter().rev().copied().collect::<Vec<_>>());
        backwards.reverse();
        assert_eq!(found, backwards);
        for line in found {
            let epd = Epd::parse(&line, Variant::Spartan).unwrap().unwrap();
            let white = white_view(epd.board.side_to_move(), epd.number("ce").unwrap().unwrap());
            assert!(arguments.is_balanced(white, 0) && is_calm(&epd.board), "{line}");
            assert!(epd.number_in_id("opening").is_ok());
        }
    }

    #[test]
    fn tactics_are_not_calm() {
        let calm = |fen: &str| is_calm(&Board::from_fen(fen, Variant::Spartan).unwrap());
        assert!(calm(Variant::Spartan.start_fen()));
        // A hanging queen; an attacked king; a single king.
        assert!(!calm("2k2k2/8/8/3Q4/3c4/8/8/4K3 b - - 0 1"));
        assert!(!calm("2k2k2/8/8/8/2Q5/8/8/4K3 b - - 0 1"));
        assert!(!calm("2k5/8/8/8/8/8/8/4K3 w - - 0 1"));
    }
}
