//! Plays games on all cores and writes each game as it ends.
//!
//! Game numbers are assigned in order, and only while the finished and running games are fewer than requested. So the
//! games of a file are always those with the smallest usable numbers, regardless of the number of threads and of
//! interruptions.

use super::game::{self, DRAW_PLIES, DRAW_SCORE, Dropped, GameConfig, MAX_PLIES, WIN_PLIES};
use super::{HIGH_CLOCK, remove_blank};
use crate::analysis::{Searcher, lock, on_threads, thread_count};
use crate::data::record::{GameRecord, Header, MAX_SCORE, RecordError, Writer};
use crate::files;
use crate::progress::Progress;
use crate::terminal::{CommandResult, Error, Interrupt, Status, failed, unreadable, unwritable, usage};
use crate::{outln, terminal};
use agoge_core::board::{Board, Variant};
use agoge_core::nnue::{self, Network};
use agoge_core::notation::starts::{self, Kind, Shares, Start, StartSampler};
use clap::Args;
use indicatif::HumanCount;
use std::collections::HashSet;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Arguments {
    /// The file to which games are written
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    target: Target,
    /// The seed of all games, from 1
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seed: u64,
    /// Concurrent games; 0 for one per core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// The soft limit: a search stops after the iteration in which it exceeds this number of nodes
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The hard limit, as a multiple of --nodes: a search stops immediately at it
    #[arg(long, default_value_t = 8, value_name = "FACTOR", value_parser = clap::value_parser!(u64).range(1..=1000))]
    hard_limit: u64,
    /// A book of openings (EPD), each followed by up to three random moves; by default all openings are random
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The share of the games that start from the book
    #[arg(long, default_value_t = 0.25, value_parser = share)]
    book_share: f64,
    /// The share of the games that start from a random endgame
    #[arg(long, default_value_t = 0.1, value_parser = share)]
    endgame_share: f64,
    /// The share of the games that start from a random middlegame with one king each
    #[arg(long, default_value_t = 0.05, value_parser = share)]
    midgame_share: f64,
    /// Adjudicate a win when both sides see at least this score, in centipawns, for eight consecutive plies
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(i16).range(500..=MAX_SCORE as i64))]
    win_score: i16,
    /// Hash table per game in MiB
    #[arg(long, default_value_t = 4)]
    hash: usize,
    /// The network to play with; by default that of the engine
    #[arg(long, value_name = "FILE", conflicts_with = "hand_made")]
    eval_file: Option<PathBuf>,
    /// Play with the hand-made evaluation
    #[arg(long)]
    hand_made: bool,
    /// The variant
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// Continue a file that was started with the same settings
    #[arg(long)]
    resume: bool,
}

#[derive(Args, Clone, Copy)]
#[group(required = true, multiple = false)]
struct Target {
    /// Number of games to write, including those in the file
    #[arg(long)]
    games: Option<u64>,
    /// Minimum number of positions to write, including those in the file; running games are finished
    #[arg(long)]
    positions: Option<u64>,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "not a number from 0 to 1".to_owned())
}

impl Arguments {
    fn config(&self) -> GameConfig {
        let hard_nodes = self.nodes.saturating_mul(self.hard_limit);
        GameConfig { nodes: self.nodes, hard_nodes, win_score: self.win_score }
    }

    fn shares(&self) -> Result<Shares, Error> {
        let book = if self.openings.is_some() { self.book_share } else { 0.0 };
        if book + self.endgame_share + self.midgame_share > 1.0 + 1e-9 {
            return Err(usage("the shares of book, endgames and middlegames add up to more than 1"));
        }
        Ok(Shares { book, endgame: self.endgame_share, middlegame: self.midgame_share })
    }

    fn book(&self) -> Result<Vec<Board>, Error> {
        let Some(path) = &self.openings else { return Ok(Vec::new()) };
        let (positions, skipped) = starts::read_book(path, self.variant).map_err(usage)?;
        terminal::warn(&skipped);
        Ok(positions)
    }

    fn network(&self) -> Result<Option<Arc<Network>>, Error> {
        match &self.eval_file {
            _ if self.hand_made => Ok(None),
            None => Ok(nnue::embedded()),
            Some(path) => Ok(Some(Arc::new(Network::read(path).map_err(unreadable(path))?))),
        }
    }

    /// The header with all settings that determine the games besides the seed.
    fn header(&self, shares: Shares, book: &[Board], network: Option<&Network>) -> Header {
        let evaluation = match network {
            None => "hand-made evaluation".to_owned(),
            Some(network) => {
                format!("network {} (CRC-32 {:08x})", network.name(), crc32fast::hash(&network.to_bytes()))
            }
        };
        let GameConfig { nodes, hard_nodes, win_score } = self.config();
        let Shares { book: book_share, endgame, middlegame } = shares;
        let text: String = book.iter().map(|board| format!("{board}\n")).collect();
        let settings = format!(
            "nodes {nodes} to {hard_nodes}, hash {} MiB, openings within {}, book {book_share} of {} \
             positions (CRC-32 {:08x}), endgames {endgame} and middlegames {middlegame} within {}, \
             won at {win_score} for {WIN_PLIES} plies, drawn at {DRAW_SCORE} for {DRAW_PLIES} plies, at most \
             {MAX_PLIES} plies, plain evaluation below halfmove clock {HIGH_CLOCK}, {evaluation}",
            self.hash,
            Kind::Opening.max_score(),
            book.len(),
            crc32fast::hash(text.as_bytes()),
            Kind::Endgame.max_score(),
        );
        Header { variant: self.variant, seed: self.seed, program: crate::PROGRAM.to_owned(), settings }
    }

    /// Creates or continues the output file; calls `visit` with each game that it contains.
    fn writer(&self, header: &Header, visit: impl FnMut(&GameRecord)) -> Result<Writer, Error> {
        let out = self.out.display();
        let found = std::fs::metadata(&self.out).ok().filter(|_| self.resume);
        let length = found.as_ref().map_or(0, Metadata::len);
        files::check_no_device(&self.out).map_err(usage)?;
        let is_file = found.as_ref().is_some_and(Metadata::is_file);
        if is_file && remove_blank(&self.out, header)? || length == 0 {
            return Writer::create(&self.out, header).map_err(|error| match error {
                RecordError::Io(error) if error.kind() == ErrorKind::AlreadyExists => {
                    usage(format!("{out}: the file exists; --resume continues it"))
                }
                error => unreadable(&self.out)(error),
            });
        }
        let appended = Writer::append(&self.out, visit).map_err(unreadable(&self.out))?;
        let made = &appended.header;
        let settings_of =
            |header: &Header| format!("{}, seed {}, {}", header.variant.name(), header.seed, header.settings);
        if settings_of(made) != settings_of(header) {
            return Err(usage(format!("{out}: the file was made with other settings: {}", settings_of(made))));
        }
        if made.program != header.program {
            terminal::print_message(&format!("{out}: started by {}, continued by {}", made.program, header.program));
        }
        if appended.removed_bytes > 0 {
            terminal::print_message(&format!(
                "{out}: removed {} bytes after the last whole game",
                appended.removed_bytes
            ));
        }
        Ok(appended.writer)
    }
}

/// The number of games and positions written.
#[derive(Clone, Copy, Default)]
struct Tally {
    positions: u64,
    /// Games by result, see [`GameResult::index`].
    results: [u64; 3],
}

impl Tally {
    fn add(&mut self, game: &GameRecord) {
        self.positions += game.plies.len() as u64;
        self.results[game.result.index()] += 1;
    }

    fn games(&self) -> u64 {
        self.results.iter().sum()
    }
}

/// The context shared by all workers.
struct Generator<'a> {
    arguments: &'a Arguments,
    network: Option<Arc<Network>>,
    stop: &'a AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
    progress: Progress,
    begin: Instant,
    /// The number of positions in the file at the start of the run.
    initial_positions: u64,
}

/// The mutable state: assigns game numbers and collects finished games.
struct State {
    sampler: StartSampler,
    writer: Writer,
    /// The numbers of the games in the file at the start of the run.
    present: HashSet<u64>,
    tally: Tally,
    playing: u64,
    /// The number of games dropped because of an uneven start, and because of their length.
    dropped: [u64; 2],
}

impl State {
    /// How much of the target has been reached.
    fn done(&self, target: Target) -> u64 {
        if target.positions.is_some() { self.tally.positions } else { self.tally.games() }
    }
}

impl Generator<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The start of the next game. Waits while the running games decide whether another game is needed.
    fn next(&self) -> Result<Option<Start>, String> {
        let mut state = self.state();
        loop {
            let Target { games, positions } = self.arguments.target;
            let enough = positions.is_some_and(|positions| state.tally.positions >= positions)
                || games.is_some_and(|games| state.tally.games() >= games);
            if enough || self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if games.is_none_or(|games| state.tally.games() + state.playing < games) {
                let start = state.sampler.sample().ok_or("there are no new starting positions")?;
                if !state.present.remove(&start.number) {
                    state.playing += 1;
                    return Ok(Some(start));
                }
            } else {
                // A worker that fails notifies nobody.
                let waited = self.changed.wait_timeout(state, Duration::from_millis(100));
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    fn submit(&self, game: &Result<GameRecord, Dropped>) -> Result<(), String> {
        let mut state = self.state();
        state.playing -= 1;
        match game {
            Ok(game) => {
                state.writer.write(game).map_err(|error| format!("{}: {error}", self.arguments.out.display()))?;
                state.tally.add(game);
            }
            Err(Dropped::Uneven) => state.dropped[0] += 1,
            Err(Dropped::TooLong) => state.dropped[1] += 1,
            Err(Dropped::Stopped) => {}
        }
        let done = state.done(self.arguments.target);
        self.progress.update(done, self.message(&state.tally));
        Ok(())
    }

    fn work(&self) -> Result<(), String> {
        let mut searcher = Searcher::on_this_thread(self.arguments.hash).map_err(|error| error.to_string())?;
        searcher.settings.network.clone_from(&self.network);
        let config = self.arguments.config();
        while let Some(start) = self.next()? {
            let game = game::play(&mut searcher, &config, start, self.stop);
            self.submit(&game)?;
            self.changed.notify_all();
        }
        Ok(())
    }

    fn message(&self, tally: &Tally) -> String {
        let [won, drawn, lost] = tally.results;
        let speed = (tally.positions - self.initial_positions) as f64 / self.begin.elapsed().as_secs_f64().max(1e-3);
        format!(
            "{} games: White won {won}, drew {drawn}, lost {lost}; {} positions, {speed:.0} per second",
            HumanCount(tally.games()),
            HumanCount(tally.positions)
        )
    }
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let shares = arguments.shares()?;
    let book = arguments.book()?;
    let network = arguments.network()?;
    let header = arguments.header(shares, &book, network.as_deref());
    let (mut present, mut tally) = (HashSet::new(), Tally::default());
    let writer = arguments.writer(&header, |game| {
        present.insert(game.number);
        tally.add(game);
    })?;
    // A wrong network would spoil the games without any other sign.
    terminal::print_message(&format!("{}: {}", arguments.out.display(), header.settings));

    let Interrupt { stop, interrupted } = Interrupt::listen().map_err(failed)?;

    let Target { games, positions } = arguments.target;
    let begin = Instant::now();
    let initial_positions = tally.positions;
    let sampler = StartSampler::new(arguments.variant, arguments.seed, shares, book);
    let state = State { sampler, writer, present, tally, playing: 0, dropped: [0; 2] };
    let progress = Progress::new(games.or(positions).unwrap_or_default(), state.done(arguments.target));
    let (state, changed) = (Mutex::new(state), Condvar::new());
    let generator = Generator { arguments, network, stop: &stop, state, changed, progress, begin, initial_positions };

    let played = on_threads(thread_count(arguments.threads), &stop, |_| generator.work());
    generator.progress.finish();
    let message = generator.message(&generator.state().tally);
    let state = generator.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    outln!("{message}; dropped: {} uneven, {} too long", state.dropped[0], state.dropped[1]);
    state.writer.finish().map_err(unwritable(&arguments.out))?;
    played.map_err(failed)?;
    Ok(if interrupted.load(Ordering::Relaxed) { Status::Interrupted } else { Status::Success })
}
