//! Playing games on all cores and writing each as it ends.
//!
//! Numbers are handed out in their order, and only as long as the games that are finished or under way
//! are fewer than wanted. So the games of a file are those of the smallest numbers that give one,
//! however many threads played them and however often they were killed.

use crate::game::{
    self, DRAW_PLIES, DRAW_SCORE, Dropped, MAX_OPENING_SCORE, MAX_PLIES, MAX_SETUP_SCORE, Terms, WIN_PLIES,
};
use crate::lottery::{Lottery, Shares, Start};
use crate::{Status, Trouble, failed, usage};
use agoge::board::{Board, Game, Variant};
use agoge::nnue::{self, Network};
use agoge::protocol::uci::version;
use agoge::search::STACK_SIZE;
use agoge_bench::analysis::Analyst;
use agoge_bench::cli::Interrupt;
use agoge_bench::epd::Epd;
use agoge_bench::record::{GameRecord, Header, MAX_SCORE, RecordError, Writer};
use agoge_bench::{cli, errln, outln};
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::io::ErrorKind;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Arguments {
    /// The file that games are written to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    target: Target,
    /// The seed of all games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at the same time; 0 for one for each core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// A search ends after the iteration in which it passes so many nodes
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A search ends at once when it has spent so many times the nodes
    #[arg(long, default_value_t = 8, value_name = "FACTOR", value_parser = clap::value_parser!(u64).range(1..=1000))]
    hard_limit: u64,
    /// Positions that games begin with, before up to three random moves (EPD); without them all openings
    /// are random
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The part of the games that begin with a position of the book
    #[arg(long, default_value_t = 0.25, value_parser = share)]
    book_share: f64,
    /// The part of the games that begin with a random endgame
    #[arg(long, default_value_t = 0.1, value_parser = share)]
    endgame_share: f64,
    /// The part of the games that begin with a random middlegame with one king each
    #[arg(long, default_value_t = 0.05, value_parser = share)]
    midgame_share: f64,
    /// A game is won when both sides see such a score, in centipawns, for eight plies in a row
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(i16).range(500..=MAX_SCORE as i64))]
    win_score: i16,
    /// Hash table of each game in MiB
    #[arg(long, default_value_t = 4)]
    hash: usize,
    /// The network to play with; without it that of the engine
    #[arg(long, value_name = "FILE", conflicts_with = "hand_made")]
    eval_file: Option<PathBuf>,
    /// Play with the hand-made evaluation
    #[arg(long)]
    hand_made: bool,
    /// The game that is played
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// Go on with a file that was begun with the same settings
    #[arg(long)]
    resume: bool,
}

#[derive(Args, Clone, Copy)]
#[group(required = true, multiple = false)]
struct Target {
    /// Games to write, those in the file included
    #[arg(long)]
    games: Option<u64>,
    /// Positions to write at least, those in the file included; the games under way are finished
    #[arg(long)]
    positions: Option<u64>,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "not a number from 0 to 1".to_owned())
}

impl Arguments {
    fn terms(&self) -> Terms {
        let hard_nodes = self.nodes.saturating_mul(self.hard_limit);
        Terms { nodes: self.nodes, hard_nodes, win_score: self.win_score }
    }

    fn shares(&self) -> Result<Shares, Trouble> {
        let book = if self.openings.is_some() { self.book_share } else { 0.0 };
        if book + self.endgame_share + self.midgame_share > 1.0 + 1e-9 {
            return Err(usage("the shares of book, endgames and middlegames are more than 1 together"));
        }
        Ok(Shares { book, endgame: self.endgame_share, middlegame: self.midgame_share })
    }

    fn book(&self) -> Result<Vec<Board>, Trouble> {
        let Some(path) = &self.openings else { return Ok(Vec::new()) };
        let book = Epd::read(path, self.variant).map_err(usage)?;
        let open = |board: &Board| Game::new(board.clone()).outcome().is_none();
        let book: Vec<Board> = book.into_iter().map(|(_, epd)| epd.board).filter(open).collect();
        if book.is_empty() {
            return Err(usage(format!("{}: there is no position to play from", path.display())));
        }
        Ok(book)
    }

    fn network(&self) -> Result<Option<Arc<Network>>, Trouble> {
        match &self.eval_file {
            _ if self.hand_made => Ok(None),
            None => Ok(nnue::embedded()),
            Some(path) => match Network::read(path) {
                Ok(network) => Ok(Some(Arc::new(network))),
                Err(error) => Err(usage(format!("{}: {error}", path.display()))),
            },
        }
    }

    /// What decides the games besides the seed, in words.
    fn header(&self, shares: Shares, book: &[Board], network: Option<&Network>) -> Header {
        let evaluation = match network {
            None => "hand-made evaluation".to_owned(),
            Some(network) => {
                format!("network {} (CRC-32 {:08x})", network.name(), crc32fast::hash(&network.to_bytes()))
            }
        };
        let Terms { nodes, hard_nodes, win_score } = self.terms();
        let Shares { book: book_share, endgame, middlegame } = shares;
        let text: String = book.iter().map(|board| format!("{board}\n")).collect();
        let settings = format!(
            "nodes {nodes} to {hard_nodes}, hash {} MiB, openings within {MAX_OPENING_SCORE}, book {book_share} of {} \
             positions (CRC-32 {:08x}), endgames {endgame} and middlegames {middlegame} within {MAX_SETUP_SCORE}, \
             won at {win_score} for {WIN_PLIES} plies, drawn at {DRAW_SCORE} for {DRAW_PLIES} plies, at most \
             {MAX_PLIES} plies, {evaluation}",
            self.hash,
            book.len(),
            crc32fast::hash(text.as_bytes()),
        );
        let program = version().lines().next().unwrap_or_default().to_owned();
        Header { variant: self.variant, seed: self.seed, program, settings }
    }

    /// The file to write to, and the games that it has, which are shown one by one.
    fn writer(&self, header: &Header, visit: impl FnMut(&GameRecord)) -> Result<Writer, Trouble> {
        let out = self.out.display();
        let found = std::fs::metadata(&self.out).ok();
        let begun = found.as_ref().is_some_and(|metadata| metadata.len() > 0);
        if self.resume && !begun && found.is_some_and(|metadata| metadata.is_file()) {
            // A generator that was killed before its first word may have left an empty file.
            let _ = std::fs::remove_file(&self.out);
        }
        if !self.resume || !begun {
            return Writer::create(&self.out, header).map_err(|error| match error {
                RecordError::Io(error) if error.kind() == ErrorKind::AlreadyExists => {
                    failed(format!("{out}: the file exists; --resume goes on with it"))
                }
                error => failed(format!("{out}: {error}")),
            });
        }
        let appended = Writer::append(&self.out, visit).map_err(|error| failed(format!("{out}: {error}")))?;
        let made = &appended.header;
        if (made.variant, made.seed, &made.settings) != (header.variant, header.seed, &header.settings) {
            return Err(failed(format!(
                "{out}: the file was made with other settings: {}, seed {}, {}",
                made.variant.name(),
                made.seed,
                made.settings
            )));
        }
        if made.program != header.program {
            cli::complain(&format!("{out}: begun by {}, and now goes on with {}", made.program, header.program));
        }
        if appended.cut_off > 0 {
            cli::complain(&format!("{out}: {} bytes of half a game cut off", appended.cut_off));
        }
        Ok(appended.writer)
    }
}

/// What has been written.
#[derive(Clone, Copy, Default)]
struct Tally {
    positions: u64,
    /// Games by result, as [`GameResult::index`].
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

/// What all workers share.
struct Factory<'a> {
    arguments: &'a Arguments,
    network: Option<Arc<Network>>,
    stop: &'a AtomicBool,
    desk: Mutex<Desk>,
    changed: Condvar,
    bar: ProgressBar,
    begin: Instant,
    /// Positions that were there before.
    found: u64,
}

/// Where numbers are handed out and games are handed in.
struct Desk {
    lottery: Lottery,
    writer: Writer,
    /// Numbers of games that were there before.
    present: HashSet<u64>,
    tally: Tally,
    /// Games under way.
    playing: u64,
    /// Games dropped because their start was uneven, and because they were too long.
    dropped: [u64; 2],
    told: Instant,
}

impl Factory<'_> {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The start of another game; waits while it depends on the games under way whether there is to
    /// be one.
    fn next(&self) -> Result<Option<Start>, String> {
        let mut desk = self.desk();
        loop {
            let Target { games, positions } = self.arguments.target;
            let enough = positions.is_some_and(|positions| desk.tally.positions >= positions)
                || games.is_some_and(|games| desk.tally.games() >= games);
            if enough || self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if games.is_none_or(|games| desk.tally.games() + desk.playing < games) {
                let start = desk.lottery.draw().ok_or("there are no new positions to begin with")?;
                if !desk.present.remove(&start.number) {
                    desk.playing += 1;
                    return Ok(Some(start));
                }
            } else {
                desk = self.changed.wait(desk).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn hand_in(&self, game: &Result<GameRecord, Dropped>) -> Result<(), String> {
        let mut desk = self.desk();
        desk.playing -= 1;
        match game {
            Ok(game) => {
                desk.writer.write(game).map_err(|error| format!("{}: {error}", self.arguments.out.display()))?;
                desk.tally.add(game);
            }
            Err(Dropped::Uneven) => desk.dropped[0] += 1,
            Err(Dropped::TooLong) => desk.dropped[1] += 1,
            Err(Dropped::Stopped) => {}
        }
        self.tell(&mut desk);
        Ok(())
    }

    fn work(&self) -> Result<(), String> {
        let analyst = Analyst::on_this_thread(self.arguments.hash).map_err(|error| error.to_string())?;
        let mut analyst = analyst.with_network(self.network.clone());
        let terms = self.arguments.terms();
        while let Some(start) = self.next()? {
            let game = game::play(&mut analyst, &terms, start, self.stop);
            self.hand_in(&game)?;
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Runs until all is done or something fails, which stops the other workers too.
    fn guarded_work(&self) -> Result<(), String> {
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| self.work()));
        let result = result.unwrap_or_else(|_| Err("a worker panicked".to_owned()));
        if result.is_err() {
            // Nobody may be between looking at the flag and waiting.
            let _desk = self.desk();
            self.stop.store(true, Ordering::Relaxed);
        }
        self.changed.notify_all();
        result
    }

    fn message(&self, tally: &Tally) -> String {
        let [won, drawn, lost] = tally.results;
        let speed = (tally.positions - self.found) as f64 / self.begin.elapsed().as_secs_f64().max(1e-3);
        format!(
            "{} games: White won {won}, drew {drawn}, lost {lost}; {} positions, {speed:.0} per second",
            HumanCount(tally.games()),
            HumanCount(tally.positions)
        )
    }

    /// Moves the bar. Where nobody can see it a line is written once a minute.
    fn tell(&self, desk: &mut Desk) {
        const INTERVAL: Duration = Duration::from_secs(60);
        let done = if self.arguments.target.games.is_some() { desk.tally.games() } else { desk.tally.positions };
        self.bar.set_position(done);
        self.bar.set_message(self.message(&desk.tally));
        if self.bar.is_hidden() && desk.told.elapsed() >= INTERVAL {
            desk.told = Instant::now();
            errln!("{}", self.message(&desk.tally));
        }
    }
}

/// Plays games until there are enough.
pub fn run(arguments: &Arguments) -> Result<Status, Trouble> {
    let shares = arguments.shares()?;
    let book = arguments.book()?;
    let network = arguments.network()?;
    let header = arguments.header(shares, &book, network.as_deref());
    let (mut present, mut tally) = (HashSet::new(), Tally::default());
    let writer = arguments.writer(&header, |game| {
        present.insert(game.number);
        tally.add(game);
    })?;

    let Interrupt { stop, interrupted } = Interrupt::listen().map_err(failed)?;

    let Target { games, positions } = arguments.target;
    let style = ProgressStyle::with_template("{elapsed_precise} {bar:20} {percent}% {msg}, {eta} left")
        .map_err(|error| failed(error.to_string()))?;
    let done = if games.is_some() { tally.games() } else { tally.positions };
    let bar = ProgressBar::new(games.or(positions).unwrap_or_default()).with_style(style).with_position(done);
    bar.reset_eta();
    let begin = Instant::now();
    let found = tally.positions;
    let lottery = Lottery::new(arguments.variant, arguments.seed, shares, book);
    let desk = Desk { lottery, writer, present, tally, playing: 0, dropped: [0; 2], told: begin };
    let (desk, changed) = (Mutex::new(desk), Condvar::new());
    let factory = Factory { arguments, network, stop: &stop, desk, changed, bar, begin, found };

    let threads = match arguments.threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let results: Vec<Result<(), String>> = thread::scope(|scope| {
        let spawn = || thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, || factory.guarded_work());
        let workers: Vec<_> =
            (0..threads).map(|_| spawn().inspect_err(|_| stop.store(true, Ordering::Relaxed))).collect();
        let result = |worker: std::io::Result<ScopedJoinHandle<Result<(), String>>>| match worker {
            Ok(worker) => worker.join().unwrap_or_else(|_| Err("a worker panicked".to_owned())),
            Err(error) => Err(format!("no thread: {error}")),
        };
        workers.into_iter().map(result).collect()
    });
    factory.bar.finish_and_clear();
    let message = factory.message(&factory.desk().tally);
    let desk = factory.desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    outln!("{message}; not used: {} uneven, {} too long", desk.dropped[0], desk.dropped[1]);
    desk.writer.finish().map_err(|error| failed(format!("{}: {error}", arguments.out.display())))?;
    results.into_iter().collect::<Result<(), String>>().map_err(|error| failed(error.to_string()))?;
    Ok(if interrupted.load(Ordering::Relaxed) { Status::Interrupted } else { Status::Done })
}
