//! `theory games`: games from positions of the tree.
//!
//! A game begins with a walk through the tree: each move is drawn from the known ones, by its value. It ends at a
//! position that has not been searched, from which the engine plays against itself. The number of nodes of each move is
//! drawn, too, so that games from the same position differ. A game depends only on the tree, the settings and its
//! number.

use super::build::Growth;
use super::searches::{self, Origin};
use super::tree::{START, Tree};
use crate::analysis::{Searcher, lock, on_threads, thread_count};
use crate::data::game::{self, DRAW_PLIES, DRAW_SCORE, Dropped, LongGame, MAX_PLIES, WIN_PLIES};
use crate::data::record::{GameRecord, Header, Ply, RecordError, Writer, white_score};
use crate::data::remove_blank;
use crate::outln;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::terminal::{CommandResult, Error, Interrupt, Status, failed, print_message, unreadable, unwritable, usage};
use agoge_core::board::{Game, Variant};
use agoge_core::search::Limits;
use agoge_core::types::score::Score;
use clap::Args;
use indicatif::{HumanCount, HumanDuration};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Arguments {
    /// The file of searches
    tree: PathBuf,
    /// The file of games, in the format of `datagen`; it is continued if it exists
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The number of games
    #[arg(long, default_value_t = 10_000)]
    games: u64,
    /// The seed of all games, from 1
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seed: u64,
    /// The fewest nodes of a move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The most nodes of a move; by default a fifth more than the fewest
    #[arg(long)]
    most_nodes: Option<u64>,
    /// Every fourth game begins with any first move. Otherwise a move that is worse than the best by this, in
    /// centipawns, is drawn e times less often
    #[arg(long, default_value_t = 20.0)]
    temperature: f64,
    /// The most plies that are drawn from the tree; 0 for games from the initial position
    #[arg(long, default_value_t = 60)]
    plies: usize,
    /// Adjudicate a win when both sides see at least this score, in centipawns, for eight consecutive plies
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(i16).range(500..=20_000))]
    win_score: i16,
    /// Hash table per game in MiB
    #[arg(long, default_value_t = 4)]
    hash: usize,
    /// The number of threads; 0 for one for each processor
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Stop after this time
    #[arg(long)]
    seconds: Option<u64>,
}

impl Arguments {
    /// The most nodes of a move.
    fn most_nodes(&self) -> u64 {
        self.most_nodes.unwrap_or(self.nodes + self.nodes / 5).max(self.nodes)
    }

    fn header(&self, tree: &Tree, origin: &Origin) -> Header {
        let settings = format!(
            "from a tree of {} positions ({}, ply-cost {}), at most {} plies of it with temperature {}, nodes {} to {}, \
             hash {} MiB, won at {} for {WIN_PLIES} plies, drawn at {DRAW_SCORE} for {DRAW_PLIES} plies, at most \
             {MAX_PLIES} plies, {}",
            tree.searched(),
            origin.settings.nodes,
            origin.settings.ply_cost,
            self.plies,
            self.temperature,
            self.nodes,
            self.most_nodes(),
            self.hash,
            self.win_score,
            origin.engine,
        );
        Header { variant: Variant::Spartan, seed: self.seed, program: crate::PROGRAM.to_owned(), settings }
    }

    /// Creates or continues the file of games.
    fn writer(&self, header: &Header, visit: impl FnMut(&GameRecord)) -> Result<Writer, Error> {
        if self.out.is_file() {
            remove_blank(&self.out, header)?;
        }
        match Writer::create(&self.out, header) {
            Err(RecordError::Io(error)) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            created => return created.map_err(unreadable(&self.out)),
        }
        let appended = Writer::append(&self.out, visit).map_err(unreadable(&self.out))?;
        let made = &appended.header;
        if (made.seed, &made.settings) != (header.seed, &header.settings) {
            let message = format!("the games were made with other settings: seed {}, {}", made.seed, made.settings);
            return Err(unreadable(&self.out)(message));
        }
        Ok(appended.writer)
    }
}

/// Draws the moves of a game from the tree.
fn walk(tree: &Tree, arguments: &Arguments, number: u64, rng: &mut Rng) -> Vec<Ply> {
    let mut plies = Vec::new();
    let mut index = START;
    let mut seen = HashSet::from([START]);
    while plies.len() < arguments.plies {
        let position = &tree.positions[index];
        let valued = position.edges.iter().filter_map(|edge| Some((edge, tree.edge_value(edge)?)));
        let moves: Vec<_> = valued.filter(|(edge, _)| !edge.repeats).collect();
        let Some(best) = moves.iter().map(|&(_, value)| value).max() else { break };
        let is_even = index == START && number.is_multiple_of(4);
        let weight = |value| if is_even { 1.0 } else { libm::exp(f64::from(value - best) / arguments.temperature) };
        let mut rest = rng.unit() * moves.iter().map(|&(_, value)| weight(value)).sum::<f64>();
        let drawn = moves.iter().find(|&&(_, value)| {
            rest -= weight(value);
            rest < 0.0
        });
        let Some(&(edge, value)) = drawn.or(moves.first()) else { break };
        plies.push(Ply { mv: edge.mv, score: white_score(position.board.side_to_move(), Score::from(value)) });
        index = edge.child;
        if !seen.insert(index) {
            break;
        }
    }
    plies
}

/// Plays a game; `None` if `stop` was set.
fn play(
    searcher: &mut Searcher,
    tree: &Tree,
    arguments: &Arguments,
    number: u64,
    stop: &AtomicBool,
) -> Option<GameRecord> {
    let mut rng = Rng::stream(arguments.seed, number);
    let mut game = Game::start(Variant::Spartan);
    let start = game.board().clone();
    let plies = walk(tree, arguments, number, &mut rng);
    plies.iter().try_for_each(|ply| game.push(ply.mv)).ok()?;
    searcher.clear();
    let spread = usize::try_from(arguments.most_nodes() - arguments.nodes + 1).unwrap_or(usize::MAX);
    let played = game::play_on(game, plies, arguments.win_score, LongGame::Drawn, stop, |game, _| {
        let nodes = arguments.nodes + rng.below(spread) as u64;
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let found = super::found(&searcher.search(game, limits, 1), nodes).ok_or(Dropped::Stopped)?;
        let score = white_score(game.board().side_to_move(), Score::from(found.value));
        Ok(Ply { mv: found.mv.ok_or(Dropped::Stopped)?, score })
    });
    let (plies, result) = played.ok()?;
    Some(GameRecord { number, start, plies, result })
}

/// Games by result, see [`GameResult::index`].
type Results = [u64; 3];

fn message([won, drawn, lost]: Results) -> String {
    format!("games: White won {won}, drew {drawn}, lost {lost}")
}

pub fn run(arguments: &Arguments) -> CommandResult {
    if arguments.temperature.is_nan() || arguments.temperature <= 0.0 {
        return Err(usage("the temperature must be positive"));
    }
    let (origin, known) = searches::read(&arguments.tree).map_err(usage)?;
    let growth = Growth::new(&origin.settings, known, usize::MAX).map_err(unreadable(&arguments.tree))?;
    let tree = &growth.tree;
    let header = arguments.header(tree, &origin);
    let (mut present, mut results) = (HashSet::new(), Results::default());
    let writer = arguments.writer(&header, |game| {
        present.insert(game.number);
        results[game.result.index()] += 1;
    })?;
    print_message(&header.settings);
    let Interrupt { stop, interrupted } = Interrupt::listen().map_err(failed)?;
    let missing: Vec<u64> = (0..arguments.games).filter(|number| !present.contains(number)).collect();
    let progress = Progress::new(arguments.games, arguments.games - missing.len() as u64);
    let (next, begin) = (AtomicUsize::new(0), Instant::now());
    let state = Mutex::new((writer, results, 0));
    let played = on_threads(thread_count(arguments.threads), &stop, |_| {
        let mut searcher = Searcher::on_this_thread(arguments.hash).map_err(|error| error.to_string())?;
        while let Some(&number) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(game) = play(&mut searcher, tree, arguments, number, &stop) else {
                return if stop.load(Ordering::Relaxed) { Ok(()) } else { Err(format!("game {number} failed")) };
            };
            let mut state = lock(&state);
            let (writer, results, done) = &mut *state;
            writer.write(&game).map_err(|error| format!("{}: {error}", arguments.out.display()))?;
            results[game.result.index()] += 1;
            *done += 1;
            let left = begin.elapsed().mul_f64((missing.len() - *done) as f64 / *done as f64);
            let text = format!("{}, about {} left", message(*results), HumanDuration(left));
            progress.update(results.iter().sum(), text);
            if arguments.seconds.is_some_and(|seconds| begin.elapsed() >= Duration::from_secs(seconds)) {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    });
    progress.finish();
    let (writer, results, _) = state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    writer.finish().map_err(unwritable(&arguments.out))?;
    outln!("{} {}", HumanCount(results.iter().sum()), message(results));
    played.map_err(failed)?;
    Ok(if interrupted.load(Ordering::Relaxed) { Status::Interrupted } else { Status::Success })
}
