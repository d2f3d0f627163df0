//! Lets an engine play won endgames of three and four men against a perfect defender and counts the wins. See
//! [`crate::suites::conversion`].
//!
//! The exit status is 0 if the required share was won, 1 if not, and 2 if the games could not be played.

use crate::analysis::{lock, on_threads};
use crate::matches::config::EngineConfig;
use crate::matches::engine::uci::{UciEngine, position_command};
use crate::matches::engine::{Engine, MatchConfig};
use crate::outln;
use crate::rng::Rng;
use crate::suites::conversion::{CLASSES, Ending, Played, play, random_wins, sides};
use crate::terminal::{self, CommandResult, Status};
use agoge_core::board::{Board, Game, Variant};
use agoge_core::tables::Class;
use agoge_core::types::Move;
use agoge_solver::{Store, build, in_order};
use clap::{ArgGroup, Args};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[derive(Args)]
#[command(group(ArgGroup::new("limit").required(true).args(["nodes", "movetime"])))]
pub struct Arguments {
    /// The engine, a UCI program
    engine: PathBuf,
    /// Classes such as KQvkg; by default 26 classes of three and four men without pawns
    #[arg(value_name = "CLASS")]
    classes: Vec<Class>,
    /// Nodes per move
    #[arg(long)]
    nodes: Option<u64>,
    /// Milliseconds per move
    #[arg(long)]
    movetime: Option<u64>,
    /// An option of the engine, such as TablePath=/some/folder
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// A folder of endgame tables; classes that it lacks are solved and added to it
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
    /// Positions of each class for each side that can win
    #[arg(long, default_value_t = 10)]
    positions: usize,
    /// The seed of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Concurrent games
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// The minimum percentage of games that must be won
    #[arg(long, default_value = "0%", value_parser = terminal::parse_percent)]
    require: f64,
    /// Print every game that was not won
    #[arg(long)]
    failures: bool,
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[derive(Clone, Copy, Default)]
struct Score {
    games: usize,
    wins: usize,
    losses: usize,
    /// The plies of the won games in excess of the shortest mates.
    excess_plies: usize,
}

impl Score {
    fn add(&mut self, other: Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.losses += other.losses;
        self.excess_plies += other.excess_plies;
    }

    fn percent(&self) -> f64 {
        100.0 * self.wins as f64 / self.games.max(1) as f64
    }

    fn print(&self, name: &str) {
        let draws = self.games - self.wins - self.losses;
        let moves_lost = self.excess_plies as f64 / 2.0 / self.wins.max(1) as f64;
        outln!(
            "{name:<7} {:>5} {:>5} {draws:>6} {:>7} {:>7.1} {moves_lost:>11.1}",
            self.games,
            self.wins,
            self.losses,
            self.percent()
        );
    }
}

fn start(arguments: &Arguments, stop: &AtomicBool) -> Result<UciEngine, String> {
    let config = EngineConfig {
        options: arguments.option.clone(),
        ..EngineConfig::new(
            &arguments.engine.display().to_string(),
            std::path::absolute(&arguments.engine).unwrap_or_else(|_| arguments.engine.clone()),
        )
    };
    let match_config = MatchConfig::new(Variant::Spartan);
    UciEngine::start(&config, &match_config, stop).map_err(|failure| failure.to_string())
}

fn play_with(
    engine: &mut UciEngine,
    tables: &Store,
    board: &Board,
    rng: &mut Rng,
    go: &str,
    stop: &AtomicBool,
) -> Result<Played, String> {
    engine.new_game(board, stop).map_err(|failure| failure.to_string())?;
    play(tables, board, rng, |game: &Game, moves: &[Move]| {
        let position = position_command(board, moves);
        let result = engine.search_position(&position, go, None, stop).map_err(|failure| failure.to_string())?;
        let best = result.best.unwrap_or_default();
        game.board().parse_move(&best).map_err(|error| format!("'{best}': {error}"))
    })
}

fn measure(arguments: &Arguments, engines: &[Mutex<UciEngine>], class: &Class, go: &str) -> Result<Score, String> {
    let mut tables = Store::new(arguments.tables.clone(), usize::MAX);
    let stop = AtomicBool::new(false);
    // Games reach all classes that this one leads to.
    let classes = in_order(std::slice::from_ref(class));
    let built: Result<(), agoge_solver::Error> = build(&mut tables, &classes, &stop, &|_| {}, |_, _| Ok(()));
    built.map_err(|error| error.to_string())?;
    let table = tables.solved(class).map_err(|error| error.to_string())?;
    let mut rng = Rng::new(arguments.seed);
    let mut positions = Vec::new();
    for side in sides(&table) {
        positions.extend(random_wins(&table, side, arguments.positions, &mut rng));
    }
    let next = AtomicUsize::new(0);
    let score = Mutex::new(Score::default());
    on_threads(engines.len(), &stop, |number| {
        let mut engine = lock(&engines[number]);
        while let Some((board, plies)) = positions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut rng = Rng::new(board.key() ^ arguments.seed);
            let played = play_with(&mut engine, &tables, board, &mut rng, go, &stop)?;
            let won = played.ending == Ending::Win;
            let game = Score {
                games: 1,
                wins: usize::from(won),
                losses: usize::from(played.ending == Ending::Lost),
                excess_plies: if won { played.moves.len() - *plies as usize } else { 0 },
            };
            if arguments.failures && !won {
                let moves: Vec<String> = played.moves.iter().map(ToString::to_string).collect();
                outln!(
                    "{class}  {}  {}  mate in {}: {}",
                    played.ending,
                    board.to_fen(),
                    plies.div_ceil(2),
                    moves.join(" ")
                );
            }
            lock(&score).add(game);
        }
        Ok(())
    })?;
    Ok(*lock(&score))
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let by_default = CLASSES.map(str::parse);
    let classes = if arguments.classes.is_empty() {
        by_default.into_iter().collect::<Result<Vec<Class>, String>>()?
    } else {
        arguments.classes.clone()
    };
    let go = match (arguments.nodes, arguments.movetime) {
        (Some(nodes), _) => format!("go nodes {nodes}"),
        (None, time) => format!("go movetime {}", time.unwrap_or(0)),
    };
    let stop = AtomicBool::new(false);
    let engines = (0..arguments.concurrency).map(|_| start(arguments, &stop).map(Mutex::new));
    let engines = engines.collect::<Result<Vec<_>, String>>()?;
    outln!("class   games  wins  draws  losses       %  moves lost");
    let mut total = Score::default();
    for class in &classes {
        let score = measure(arguments, &engines, class, &go)?;
        score.print(&class.to_string());
        total.add(score);
    }
    total.print("all");
    Ok(Status::of_check(total.percent() >= arguments.require).after_printing())
}
