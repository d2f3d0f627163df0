//! Plays games of the engine against itself and writes their quiet positions for the tuner.
//!
//! Games begin with random moves from the initial position, or with a random endgame. Each worker
//! searches with one thread and a fixed number of nodes, and forgets everything between games, so
//! that a game depends on its seed alone. A game is written when it is over, in the format of
//! [`agoge_bench::sample`]: positions in which the side to move is not in check and its best move
//! neither captures nor promotes.

use agoge::board::{Game, Outcome, Variant};
use agoge::search::{Bound, Job, Limits, Listener, PoolError, Report, Settings, ThreadPool};
use agoge::types::score::Score;
use agoge::types::{Colour, Move};
use agoge_bench::rng::Rng;
use agoge_bench::sample::Sample;
use agoge_bench::starts::{random_endgame, random_opening};
use clap::Parser;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Plays games of the engine against itself and writes quiet positions with score and result.
#[derive(Parser)]
struct Arguments {
    /// The file that games are appended to
    #[arg(long)]
    out: PathBuf,
    /// Games to play
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// The first game's seed; the next games take the following numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at the same time; 0 for one for each core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Nodes for each move
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// The part of the games that begin with a random endgame
    #[arg(long, default_value_t = 0.1)]
    endgames: f64,
    /// Hash table of each worker in MiB
    #[arg(long, default_value_t = 8)]
    hash: usize,
    /// The game that is played
    #[arg(long, default_value = "spartan", value_parser = parse_variant)]
    variant: Variant,
    /// A game is won when both sides see such a score, in centipawns, for eight plies in a row
    #[arg(long, default_value_t = 2000)]
    win_score: i32,
}

fn parse_variant(name: &str) -> Result<Variant, String> {
    Variant::from_name(name).ok_or_else(|| "spartan or chess".to_owned())
}

/// Plies of a clear score after which a game is won.
const WIN_PLIES: u32 = 8;

/// Plies after the random ones from which no position is taken: tactics are still loose.
const SKIPPED_PLIES: usize = 4;

/// Games are a draw after so many plies.
const MAX_PLIES: usize = 600;

/// Beyond this, in centipawns, an opening is too uneven to be of use. Random moves harm the Spartans
/// more than White, who is a pawn ahead on average.
const MAX_OPENING_SCORE: i32 = 200;

/// The same for an endgame.
const MAX_ENDGAME_SCORE: i32 = 700;

/// Takes down what a search finds.
#[derive(Default)]
struct Answer(Mutex<(Option<Score>, Option<Move>)>);

impl Listener for Answer {
    fn report(&self, report: &Report) {
        let mut answer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if report.bound == Bound::Exact || answer.0.is_none() {
            answer.0 = Some(report.score);
        }
    }

    fn current_move(&self, _: u32, _: Move, _: usize) {}

    fn best_move(&self, best: Option<Move>, _: Option<Move>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = best;
    }
}

/// One search at a time.
struct Player {
    pool: ThreadPool,
    nodes: u64,
}

impl Player {
    fn new(arguments: &Arguments) -> Result<Self, PoolError> {
        Ok(Self { pool: ThreadPool::new(1, arguments.hash)?, nodes: arguments.nodes })
    }

    /// The score from the side to move's view and the best move.
    fn search(&mut self, game: &Game) -> (Option<Score>, Option<Move>) {
        let answer = Arc::new(Answer::default());
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let job = Job { game: game.clone(), limits, settings: Settings::default() };
        self.pool.start(job, answer.clone());
        self.pool.wait();
        *answer.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Half points of White for a game that has ended by the rules.
fn half_points(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Checkmate { winner: Colour::White } => 2,
        Outcome::Checkmate { winner: Colour::Black } => 0,
        _ => 1,
    }
}

/// A game that is over.
struct Record {
    /// Of White: 0, 1 or 2.
    half_points: usize,
    samples: Vec<Sample>,
}

/// Plays a game; nothing comes of it if the start is too uneven.
fn play(player: &mut Player, arguments: &Arguments, rng: &mut Rng) -> Option<Record> {
    let endgame = (rng.next() as f64) < arguments.endgames * u64::MAX as f64;
    let start = if endgame { random_endgame } else { random_opening };
    let mut game = std::iter::repeat_with(|| start(arguments.variant, rng)).flatten().next()?;
    player.pool.clear();

    let mut samples = Vec::new();
    // Plies in a row with a clear score, and for whom.
    let mut clear = (0, 0);
    for ply in 0..MAX_PLIES {
        if let Some(outcome) = game.outcome() {
            return Some(Record { half_points: half_points(outcome), samples });
        }
        let board = game.board().clone();
        let (score, best) = player.search(&game);
        let best = best?;
        let sign = if board.side_to_move() == Colour::White { 1 } else { -1 };
        let white = score.map(|score| match score {
            Score::Cp(value) => sign * value,
            Score::Mate(moves) => sign * if moves > 0 { 10_000 } else { -10_000 },
        });
        if let Some(white) = white {
            if ply == 0 && white.abs() > if endgame { MAX_ENDGAME_SCORE } else { MAX_OPENING_SCORE } {
                return None;
            }
            let side = if white.abs() >= arguments.win_score { white.signum() } else { 0 };
            clear = if side == clear.1 { (clear.0 + 1, side) } else { (1, side) };
            if side != 0 && clear.0 >= WIN_PLIES {
                return Some(Record { half_points: if side > 0 { 2 } else { 0 }, samples });
            }
            let quiet = !board.in_check() && !board.is_noisy(best);
            if quiet && white.abs() < arguments.win_score && (endgame || ply >= SKIPPED_PLIES) {
                samples.push(Sample { board, score: Some(white), result: 0.5 });
            }
        }
        game.push(best).ok()?;
    }
    Some(Record { half_points: 1, samples })
}

/// What all workers share.
struct Factory<'a> {
    arguments: &'a Arguments,
    out: Mutex<File>,
    next: AtomicU64,
    failed: AtomicBool,
    begin: Instant,
    tally: Mutex<Tally>,
}

/// What was done so far.
struct Tally {
    /// Games by half points of White.
    results: [u64; 3],
    positions: u64,
    told: Instant,
}

impl Factory<'_> {
    fn work(&self) -> Result<(), String> {
        let mut player = Player::new(self.arguments).map_err(|error| error.to_string())?;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.arguments.games || self.failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            let mut rng = Rng::new(Rng::new(self.arguments.seed + number).next());
            let play = || play(&mut player, self.arguments, &mut rng);
            let Some(record) = std::iter::repeat_with(play).flatten().next() else { continue };
            self.keep(record)?;
        }
    }

    fn keep(&self, record: Record) -> Result<(), String> {
        let mut text = String::new();
        for mut sample in record.samples {
            sample.result = record.half_points as f32 / 2.0;
            let _ = writeln!(text, "{sample}");
        }
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        drop(out);

        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.results[record.half_points] += 1;
        tally.positions += text.lines().count() as u64;
        if tally.told.elapsed() > Duration::from_secs(10) {
            tally.told = Instant::now();
            self.tell(&tally);
        }
        Ok(())
    }

    fn tell(&self, tally: &Tally) {
        let [black, drawn, white] = tally.results;
        let seconds = self.begin.elapsed().as_secs_f64();
        println!(
            "{} games: White won {white}, drew {drawn}, lost {black}; {} positions, {:.0} per second",
            white + drawn + black,
            tally.positions,
            tally.positions as f64 / seconds
        );
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let out = OpenOptions::new().create(true).append(true).open(&arguments.out);
    let out = out.map_err(|error| format!("{}: {error}", arguments.out.display()))?;
    let threads = match arguments.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let factory = Factory {
        arguments,
        out: Mutex::new(out),
        next: AtomicU64::new(0),
        failed: AtomicBool::new(false),
        begin: Instant::now(),
        tally: Mutex::new(Tally { results: [0; 3], positions: 0, told: Instant::now() }),
    };
    let results: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let work = || factory.work().inspect_err(|_| factory.failed.store(true, Ordering::Relaxed));
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let lost = |_| Err("a worker panicked".to_owned());
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(lost)).collect()
    });
    factory.tell(&factory.tally.lock().unwrap_or_else(PoisonError::into_inner));
    results.into_iter().collect()
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
