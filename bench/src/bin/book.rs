//! Makes an opening book for play (`OwnBook`, `BookFile`) of games of the engine against itself.
//!
//! In the opening of each game every move is drawn from those that a search likes, the better the likelier;
//! but every second game begins with any move at all, which is not put into the book, so that it knows
//! replies to all of them. The rest is played with the best moves of small searches. A move of the book
//! weighs what it scored in these games: two for a win of the side that made it, one for a draw. Games
//! depend on the seed and their number alone, so that the same seed gives the same book on any number of
//! cores.

use agoge::board::{Game, Outcome, Variant};
use agoge::book::Book;
use agoge::search::Report;
use agoge::types::{Colour, Move};
use agoge_bench::analysis::{Analyst, Bureau, centipawns};
use agoge_bench::rng::Rng;
use agoge_bench::{cli, outln};
use clap::Parser;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Makes an opening book of games of the engine against itself.
#[derive(Parser)]
struct Arguments {
    /// The book; an existing file is not overwritten
    #[arg(long)]
    out: PathBuf,
    /// Games to play
    #[arg(long, default_value_t = 2000)]
    games: u64,
    /// Another seed gives another book
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// spartan or chess
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// Plies of each game that are drawn, and that the book has
    #[arg(long, default_value_t = 14)]
    plies: usize,
    /// Nodes of the search that these are drawn from
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Nodes for each of the other moves
    #[arg(long, default_value_t = 500)]
    play_nodes: u64,
    /// A move that is worse than the best by this, in centipawns, is drawn e times less often
    #[arg(long, default_value_t = 15.0)]
    temperature: f64,
    /// A move that is worse by more than this, in centipawns, is never drawn
    #[arg(long, default_value_t = 40)]
    margin: i32,
    /// Games in which a move must have been played
    #[arg(long, default_value_t = 2)]
    min_games: u32,
    /// Hash table of each search in MiB
    #[arg(long, default_value_t = 8)]
    hash: usize,
}

/// Moves that are drawn from.
const CHOICES: usize = 8;

/// A score that decides a game, in centipawns.
const DECIDED: i32 = 1000;

/// A game that goes on for so many plies is a draw.
const MAX_PLIES: usize = 300;

/// A move of the opening: the position before it as the first four fields of a FEN, and whose move it is.
struct Step {
    position: String,
    side: Colour,
    mv: Move,
}

/// A game: its opening, and who has won it, if anybody has.
struct Played {
    opening: Vec<Step>,
    winner: Option<Colour>,
}

/// A move that a search likes, the better the likelier.
fn draw(analyst: &mut Analyst, arguments: &Arguments, game: &Game, rng: &mut Rng) -> Option<Move> {
    let analysis = analyst.search_nodes(game, arguments.nodes, CHOICES);
    let lines = analysis.lines();
    let best = lines.iter().map(|line| centipawns(line.score)).max()?;
    let loss = |line: &Report| best - centipawns(line.score);
    let good: Vec<_> = lines.into_iter().filter(|line| loss(line) <= arguments.margin).collect();
    let weight = |line: &Report| (-f64::from(loss(line)) / arguments.temperature).exp();
    let total: f64 = good.iter().map(|line| weight(line)).sum();
    let mut drawn = rng.unit() * total;
    let chosen = good.iter().find(|line| {
        drawn -= weight(line);
        drawn < 0.0
    });
    chosen.or(good.first())?.pv.first().copied()
}

/// Plays the game of a number.
fn play(analyst: &mut Analyst, arguments: &Arguments, number: u64) -> Played {
    let mut rng = Rng::stream(arguments.seed, number);
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
            // Opponents play such moves, too.
            let moves = game.board().legal_moves();
            moves.get(rng.below(moves.len())).copied()
        } else if ply < arguments.plies {
            let mv = draw(analyst, arguments, &game, &mut rng);
            let fen = game.board().to_fen();
            let position = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
            opening.extend(mv.map(|mv| Step { position, side, mv }));
            mv
        } else {
            let analysis = analyst.search_nodes(&game, arguments.play_nodes, 1);
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

/// The lines of the book.
fn lines(arguments: &Arguments, games: &[Played]) -> String {
    /// Games with a move, and what it scored in half points.
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

fn run(arguments: &Arguments) -> Result<(), String> {
    if arguments.temperature.is_nan() || arguments.temperature <= 0.0 {
        return Err("the temperature must be positive".to_owned());
    }
    let bar = cli::progress(arguments.games, 0);
    let bureau = Bureau::new(arguments.hash);
    let games = bureau.map(0..arguments.games, |analyst, number| {
        let played = play(analyst, arguments, number);
        bar.inc(1);
        played
    });
    let games = games.map_err(|error| error.to_string())?;
    bar.finish();
    let text = format!(
        "# Openings of {}, made by the binary `book` of agoge-bench; see README.md.\n\
         # seed {}, games {}, plies {}, nodes {} and {}, temperature {}, margin {}, at least {} games, hash {}\n{}",
        if arguments.variant == Variant::Spartan { "Spartan Chess" } else { "orthodox chess" },
        arguments.seed,
        arguments.games,
        arguments.plies,
        arguments.nodes,
        arguments.play_nodes,
        arguments.temperature,
        arguments.margin,
        arguments.min_games,
        arguments.hash,
        lines(arguments, &games)
    );
    let book = Book::parse(&text).map_err(|error| format!("nothing is written: {error}"))?;
    let failed = |error| format!("{}: {error}", arguments.out.display());
    let mut file = OpenOptions::new().write(true).create_new(true).open(&arguments.out).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    let won = |colour| games.iter().filter(|game| game.winner == Some(colour)).count();
    let (white, black) = (won(Colour::White), won(Colour::Black));
    outln!("{} positions of {} games: {white} won by White, {black} by Black", book.len(), games.len());
    Ok(())
}

fn main() -> ExitCode {
    cli::done(run(&cli::parse()))
}
