//! Makes an opening book (for the options `OwnBook` and `BookFile`) from self-play games.
//!
//! In the opening of each game every move is sampled from the best moves of a search, better moves with a higher
//! probability. Every second game starts with a uniformly random move, which is not added to the book, so that the book
//! has replies to all first moves. The rest of the game is played with the best moves of small searches. The weight of
//! a book move is its score in these games: two for a win of the side that played it, one for a draw. Games depend only
//! on the seed and their number, so the same seed gives the same book on any number of cores.

use super::BookOptions;
use crate::analysis::{Searcher, WorkerPool, centipawns, draw_move};
use crate::progress::Progress;
use crate::rng::Rng;
use crate::terminal::{CommandResult, Status, unwritable, usage};
use crate::{files, outln};
use agoge_core::board::{Game, Outcome, Variant};
use agoge_core::notation::book::Book;
use agoge_core::types::{Colour, Move};
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    common: BookOptions,
    /// Games to play
    #[arg(long, default_value_t = 2000)]
    games: u64,
    /// The variant: spartan or chess
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// Plies of the opening of each game, which are sampled and added to the book
    #[arg(long, default_value_t = 14)]
    plies: usize,
    /// Nodes of the search from which these moves are sampled
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Nodes per move in the rest of the game
    #[arg(long, default_value_t = 500)]
    play_nodes: u64,
    /// A move that is worse than the best by this, in centipawns, is played e times less often
    #[arg(long, default_value_t = 15.0)]
    temperature: f64,
    /// A move that is worse by more than this, in centipawns, is never played
    #[arg(long, default_value_t = 40)]
    margin: i32,
    /// The minimum number of games in which a book move was played
    #[arg(long, default_value_t = 2)]
    min_games: u32,
}

/// The number of moves considered for sampling.
const CHOICES: usize = 8;

/// The score at which a game is adjudicated, in centipawns.
const DECIDED: i32 = 1000;

/// Games of this length in plies are draws.
const MAX_PLIES: usize = 300;

/// A move of the opening: the position before it as the first four fields of a FEN, and the side to move.
struct Step {
    position: String,
    side: Colour,
    mv: Move,
}

/// A game: its opening and its winner, if any.
struct Played {
    opening: Vec<Step>,
    winner: Option<Colour>,
}

/// Samples a move, better moves with a higher probability.
fn sample_move(searcher: &mut Searcher, arguments: &Arguments, game: &Game, rng: &mut Rng) -> Option<Move> {
    let analysis = searcher.search_nodes(game, arguments.nodes, CHOICES);
    let lines = analysis.lines();
    let best = lines.iter().map(|line| centipawns(line.score)).max()?;
    let good: Vec<_> = lines.into_iter().filter(|line| best - centipawns(line.score) <= arguments.margin).collect();
    draw_move(&good, arguments.temperature, rng)
}

fn play(searcher: &mut Searcher, arguments: &Arguments, number: u64) -> Played {
    let mut rng = Rng::stream(arguments.common.seed, number);
    let mut game = Game::start(arguments.variant);
    let mut opening = Vec::new();
    for ply in 0..MAX_PLIES {
        let side = game.board().side_to_move();
        match game.outcome() {
            None => {}
            Some(Outcome::Checkmate { winner }) => return Played { opening, winner: Some(winner) },
            Some(_) => break,
        }
        let mv = if ply == 0 && number % 2 == 1 {
            // A random first move, as opponents may play any.
            let moves = game.board().legal_moves();
            moves.get(rng.below(moves.len())).copied()
        } else if ply < arguments.plies {
            let mv = sample_move(searcher, arguments, &game, &mut rng);
            let fen = game.board().to_fen();
            let position = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
            opening.extend(mv.map(|mv| Step { position, side, mv }));
            mv
        } else {
            let analysis = searcher.search_nodes(&game, arguments.play_nodes, 1);
            match analysis.score() {
                Some(score) if score >= DECIDED => return Played { opening, winner: Some(side) },
                Some(score) if score <= -DECIDED => return Played { opening, winner: Some(!side) },
                _ => analysis.best,
            }
        };
        if mv.is_none_or(|mv| game.push(mv).is_err()) {
            break;
        }
    }
    Played { opening, winner: None }
}

fn lines(arguments: &Arguments, games: &[Played]) -> String {
    /// The number of games with a move, and its score in half points.
    type Count = (u32, u32);
    let mut positions: BTreeMap<&str, BTreeMap<String, Count>> = BTreeMap::new();
    for game in games {
        for step in &game.opening {
            let count = positions.entry(&step.position).or_default().entry(step.mv.to_string()).or_default();
            count.0 += 1;
            count.1 += game.winner.map_or(1, |winner| if winner == step.side { 2 } else { 0 });
        }
    }
    let mut text = String::new();
    for (position, moves) in positions {
        let mut kept: Vec<_> = moves
            .into_iter()
            .filter(|&(_, (games, score))| games >= arguments.min_games && score > 0)
            .map(|(mv, (_, score))| (score, mv))
            .collect();
        kept.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        if !kept.is_empty() {
            let moves: Vec<String> = kept.into_iter().map(|(weight, mv)| format!("{mv} {weight}")).collect();
            let _ = writeln!(text, "{position}; {}", moves.join(" "));
        }
    }
    text
}

pub fn run(arguments: &Arguments) -> CommandResult {
    if arguments.temperature.is_nan() || arguments.temperature <= 0.0 {
        return Err(usage("the temperature must be positive"));
    }
    let bar = Progress::new(arguments.games, 0);
    let pool = WorkerPool::new(arguments.common.hash);
    let games = pool.map(0..arguments.games, |searcher, number| {
        let played = play(searcher, arguments, number);
        bar.inc();
        played
    });
    let games = games.map_err(usage)?;
    bar.finish();
    let text = format!(
        "# Openings of {}, made by `agoge-bench book`; see README.md.\n\
         # seed {}, games {}, plies {}, nodes {} and {}, temperature {}, margin {}, at least {} games, hash {}\n{}",
        arguments.variant.title(),
        arguments.common.seed,
        arguments.games,
        arguments.plies,
        arguments.nodes,
        arguments.play_nodes,
        arguments.temperature,
        arguments.margin,
        arguments.min_games,
        arguments.common.hash,
        lines(arguments, &games)
    );
    let book = Book::parse(&text).map_err(|error| format!("no book was written: {error}"))?;
    files::write_new(&arguments.common.out, text.as_bytes(), false).map_err(unwritable(&arguments.common.out))?;
    let won = |colour| games.iter().filter(|game| game.winner == Some(colour)).count();
    let (white, black) = (won(Colour::White), won(Colour::Black));
    outln!("{} positions of {} games: {white} won by White, {black} by Black", book.len(), games.len());
    Ok(Status::Success)
}
