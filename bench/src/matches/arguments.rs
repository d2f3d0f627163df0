//! The arguments of `match`.

use super::schedule::Format;
use super::sprt::Scale;
use agoge_core::board::Variant;
use clap::builder::RangedU64ValueParser;
use clap::{ArgAction, Args, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The text after the options in `--help`.
const DETAILS: &str = "\
ENGINES
  --engine takes words key=value, --each the same for all engines:
    cmd=PATH         the program; a bare name is searched for in PATH
    name=NAME        its name, by default the file name; names must be unique
    arg=X, args='X Y'  its arguments; may be repeated
    dir=PATH         its working directory
    proto=uci|xboard  its protocol, by default uci
    option.NAME=X    an option; the variant is set automatically. With XBoard's protocol, Hash and Threads stand for
                     memory and cores if the engine has no options of these names
    tc=[M/]T[+I]     a clock: T seconds (or m:ss), plus I for each move, plus T after every M moves
    movetime=MS, nodes=N, depth=N  limits of each move
    margin=MS        how far it may exceed its time; default 0 with a clock, 50 with movetime alone
    ponder=on|off    whether it thinks in the opponent's time; default off
  The limits of --each apply only to engines without limits; so engines can play at time odds.

GAMES
  Each opening is played twice with colours reversed. The runner itself checks legality, mate, stalemate,
  threefold repetition, the fifty-move rule and dead positions. Illegal moves, crashes, stalls and losses
  on time lose the game; they are reported immediately and counted separately. An engine that crashes or
  hangs is killed and restarted. An engine that does not offer the variant, in its option UCI_Variant or its
  feature variants, is an error; for orthodox chess it need not have either.

  With --pgn each game is written as soon as it ends. --resume reads that file and plays the missing games;
  an incomplete game at the end of the file is removed and played again. The games must agree with the
  match: use the same arguments (--games may increase). --resume also appends to the log and rewrites the
  results. Without --resume no file is overwritten; --force overwrites the files of --json and --log, but
  never the games.

EXAMPLES
  agoge-bench match --engine cmd=./new name=new --engine cmd=./old name=old --each tc=1+0.01 \\
        --openings positions/openings.epd --order random --games 600 --concurrency 2 --pgn new.pgn
  agoge-bench match --engine cmd=./new name=new --engine cmd=./old name=old --each nodes=20000 \\
        --games 20000 --sprt elo0=0 elo1=5 --pgn sprt.pgn --resume";

/// The arguments of `match`.
#[derive(Args)]
#[command(after_help = DETAILS)]
pub struct Arguments {
    /// An engine, as words key=value; repeat for each engine
    #[arg(long, required = true, num_args = 1.., action = ArgAction::Append, value_name = "KEY=VALUE")]
    pub(super) engine: Vec<String>,
    /// Settings common to all engines, as words key=value
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) each: Vec<String>,
    /// The variant: spartan or chess
    #[arg(long, default_value = "spartan")]
    pub(super) variant: Variant,
    /// The pairings: all against all, or the first against all others
    #[arg(long, value_enum, default_value_t = Format::RoundRobin)]
    pub(super) format: Format,
    /// Games of each pairing, an even number
    #[arg(long, default_value = "100", value_parser = even)]
    pub(super) games: usize,
    /// Concurrent games
    #[arg(long, default_value = "1", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub(super) concurrency: usize,
    /// Bind the engines of each concurrent game to its own processor, from a list such as 0,2,4-7 or from all
    #[arg(long, num_args = 0..=1, value_name = "PROCESSORS")]
    pub(super) affinity: Option<Option<String>>,
    /// A file of openings, PGN or EPD or FEN; by default random moves from the initial position
    #[arg(long)]
    pub(super) openings: Option<PathBuf>,
    /// The maximum number of plies of each opening of a PGN file
    #[arg(long, value_name = "PLIES", requires = "openings")]
    pub(super) opening_plies: Option<usize>,
    /// The number of random plies of each opening if there is no file
    #[arg(long, default_value = "8", value_name = "PLIES", conflicts_with = "openings",
        value_parser = RangedU64ValueParser::<usize>::new().range(..=40))]
    pub(super) random_plies: usize,
    /// The order of the openings of the file
    #[arg(long, value_enum, default_value_t = Order::Sequential)]
    pub(super) order: Order,
    /// The number of the first opening, from 1
    #[arg(long, default_value = "1", value_name = "NUMBER",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000_000))]
    pub(super) first_opening: usize,
    /// The seed of random openings and of a random order
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// An SPRT of the first engine against the second, which ends the match when decided: elo0, elo1 (required), alpha,
    /// beta (0.05)
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) sprt: Vec<String>,
    /// The scale of elo0 and elo1
    #[arg(long, value_enum, default_value_t = Scale::Logistic, requires = "sprt")]
    pub(super) sprt_scale: Scale,
    /// Adjudicate a draw when both engines report at most score centipawns for count moves each, without a capture,
    /// pawn or hoplite move, after move from: score (10), count (8), from (40)
    #[arg(long, num_args = 0.., value_name = "KEY=VALUE")]
    pub(super) draw: Option<Vec<String>>,
    /// Adjudicate a win when both engines report at least score centipawns for the same side for count moves each:
    /// score (1000), count (4)
    #[arg(long, num_args = 0.., value_name = "KEY=VALUE")]
    pub(super) resign: Option<Vec<String>>,
    /// Adjudicate a draw after this number of moves, without those of the opening
    #[arg(long, value_name = "MOVES", value_parser = value_parser!(u32).range(1..))]
    pub(super) max_moves: Option<u32>,
    /// Adjudicate positions in these endgame tables: folders, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    pub(super) tables: Option<OsString>,
    /// The stall timeout in seconds: an engine hangs if it does not answer within this time after its clock has run
    /// out, or, without a clock, makes no progress in depth or nodes for this time; a move without a clock may take at
    /// most ten times as long
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = stall_time)]
    pub(super) stall: Duration,
    /// The file to which games are written; it must not exist unless the match is resumed
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Play only the games missing from the PGN file
    #[arg(long, requires = "pgn")]
    pub(super) resume: bool,
    /// The PGN tag Event of the games
    #[arg(long, default_value = "Match")]
    pub(super) event: String,
    /// Write the results as JSON to a new file; - for stdout, instead of the table
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write all communication with the engines to a new file
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Overwrite the files of --json and --log
    #[arg(long)]
    pub(super) force: bool,
    /// Exit with status 5 after any illegal move, crash, stall or loss on time
    #[arg(long)]
    pub(super) strict: bool,
    /// Do not print progress to stderr
    #[arg(long)]
    pub(super) quiet: bool,
}

/// The maximum number of games of a pairing.
const MAX_GAMES: usize = 10_000_000;

/// Each opening is played twice.
fn even(text: &str) -> Result<usize, String> {
    let fits = |number: &usize| (1..=MAX_GAMES).contains(number) && number.is_multiple_of(2);
    let number = text.parse().ok().filter(fits);
    number.ok_or_else(|| {
        format!("the number must be even, because each opening is played twice, and at most {MAX_GAMES}")
    })
}

fn stall_time(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero()).ok_or("not a valid time")?;
    // Adding it to an `Instant` must not overflow.
    Ok(time.min(Duration::from_secs(1_000_000)))
}

/// The order of the openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Order {
    /// The order of the file.
    Sequential,
    /// Shuffled by the seed.
    Random,
}
