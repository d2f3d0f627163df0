//! Runs a suite of positions at a fixed limit and prints the score.
//!
//! Each position is searched with cleared hash table and histories. See [`crate::suites::task`] for the tasks and the
//! check of announced mates. The exit status is 0 if the required score was reached and no wrong mate was announced, 1
//! if not, and 2 if the suite could not be run. Lines that cannot be read are skipped with a message; then it is not 0.

use crate::analysis::Searcher;
use crate::epd::{Epd, Parsed};
use crate::outln;
use crate::suites::solver::Solver;
use crate::suites::task::{Task, check_mates};
use crate::terminal::{self, CommandResult, Status, failed};
use agoge_core::board::{Game, Variant};
use agoge_core::search::Limits;
use agoge_core::types::score::Score;
use clap::{ArgGroup, Args};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Args)]
#[command(group(ArgGroup::new("limit").required(true).multiple(true).args(["nodes", "movetime", "depth"])))]
pub struct Arguments {
    /// The positions, in EPD
    file: PathBuf,
    /// Nodes per position
    #[arg(long)]
    nodes: Option<u64>,
    /// Milliseconds per position
    #[arg(long)]
    movetime: Option<u64>,
    /// The maximum depth
    #[arg(long)]
    depth: Option<u32>,
    /// Search threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Hash table in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Only mates in at least this number of moves
    #[arg(long)]
    dm_min: Option<u32>,
    /// Only mates in at most this number of moves
    #[arg(long)]
    dm_max: Option<u32>,
    /// Accept a mate of any length, not only the shortest
    #[arg(long)]
    any_mate: bool,
    /// Continue to the limit after the mate has been found, to check all announced mates
    #[arg(long)]
    full: bool,
    /// Prove announced mates in positions without dm, with this number of solver nodes each
    #[arg(long, default_value_t = 0)]
    prove: u64,
    /// The minimum percentage of positions that must be solved
    #[arg(long, default_value = "0%", value_parser = terminal::parse_percent)]
    require: f64,
    /// Write the result as JSON to a new file; - for stdout, instead of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Overwrite the file of --json
    #[arg(long, requires = "json")]
    force: bool,
    /// Print the score only, not every position
    #[arg(long)]
    quiet: bool,
}

#[derive(Serialize)]
struct PositionResult {
    line: usize,
    id: String,
    fen: String,
    task: String,
    solved: bool,
    /// The nodes until the answer was found.
    solution_nodes: Option<u64>,
    /// In mate tasks, whether a mate of any length was found.
    mate_found: Option<bool>,
    nodes: u64,
    milliseconds: u64,
    depth: u32,
    best: String,
    score: String,
    mates_announced: u32,
    mates_unproven: u32,
    wrong_mates: Vec<String>,
}

#[derive(Serialize)]
struct Summary {
    file: String,
    positions: usize,
    /// The number of lines that could not be read.
    skipped: usize,
    solved: usize,
    percent: f64,
    required_percent: f64,
    /// The number of mate tasks in which a mate of any length was found.
    mates_found: usize,
    mates_announced: u32,
    mates_unproven: u32,
    wrong_mates: usize,
    mean_solution_nodes: Option<f64>,
    nodes: u64,
    milliseconds: u64,
    passed: bool,
    #[serde(rename = "verdicts")]
    results: Vec<PositionResult>,
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => format!("{value:+}"),
        Score::Mate(moves) => format!("mate {moves}"),
    }
}

fn solve(
    searcher: &mut Searcher,
    solver: Option<&mut Solver>,
    arguments: &Arguments,
    line: usize,
    epd: &Epd,
    task: &Task,
) -> PositionResult {
    let limits = Limits {
        nodes: arguments.nodes,
        move_time: arguments.movetime.map(Duration::from_millis),
        depth: arguments.depth,
        mate: match *task {
            Task::Mate(moves) if !arguments.full => u32::try_from(moves).ok(),
            Task::Mate(_) | Task::Moves { .. } => None,
        },
        ..Limits::default()
    };
    searcher.clear();
    let begin = Instant::now();
    let analysis = searcher.search(&Game::new(epd.board.clone()), limits, 1);
    let milliseconds = begin.elapsed().as_millis() as u64;
    let announced = check_mates(&epd.board, task, &analysis, solver, arguments.prove);
    let solution_nodes = task.solved_after(&analysis, arguments.any_mate);
    let any_mate = task.solved_after(&analysis, true).is_some();
    let last = analysis.exact().next_back();
    let asked = |name: &str| epd.operand(name).map_or(String::new(), |operand| format!("{name} {operand}"));
    PositionResult {
        line,
        id: epd.operand("id").map_or_else(|| format!("line {line}"), str::to_owned),
        fen: epd.board.to_fen(),
        task: match task {
            Task::Mate(moves) if *moves < 0 => format!("bm #{moves}"),
            Task::Mate(moves) => format!("dm {moves}"),
            Task::Moves { .. } => format!("{} {}", asked("bm"), asked("am")).trim().to_owned(),
        },
        solved: solution_nodes.is_some(),
        solution_nodes,
        mate_found: matches!(task, Task::Mate(_)).then_some(any_mate),
        nodes: searcher.nodes(),
        milliseconds,
        depth: last.map_or(0, |report| report.depth),
        best: analysis.best.map_or_else(|| "-".to_owned(), |mv| epd.board.to_san(mv)),
        score: last.map_or_else(|| "-".to_owned(), |report| score_text(report.score)),
        mates_announced: announced.mates,
        mates_unproven: announced.unproven,
        wrong_mates: announced.wrong,
    }
}

/// Positions with their line numbers and tasks.
type Positions = Vec<(usize, Epd, Task)>;

/// The selected positions, and a message for each line that was skipped.
fn read(arguments: &Arguments) -> Result<(Positions, Vec<String>), String> {
    let Parsed { positions: lines, errors: mut skipped } = Epd::read(&arguments.file, Variant::Spartan)?;
    let mut positions = Vec::new();
    for (line, epd) in lines {
        let task = Task::of(&epd)
            .and_then(|task| if epd.board.has_legal_move() { Ok(task) } else { Err("the game is over".to_owned()) });
        let task = match task {
            Ok(task) => task,
            Err(error) => {
                skipped.push(format!("{}, line {line}: {error}", arguments.file.display()));
                continue;
            }
        };
        let filtered = arguments.dm_min.is_some() || arguments.dm_max.is_some();
        let wanted = match task {
            Task::Mate(moves) => {
                let moves = moves.unsigned_abs();
                arguments.dm_min.is_none_or(|min| moves >= min) && arguments.dm_max.is_none_or(|max| moves <= max)
            }
            Task::Moves { .. } => !filtered,
        };
        if wanted {
            positions.push((line, epd, task));
        }
    }
    match (positions.is_empty(), skipped.is_empty()) {
        (false, _) => Ok((positions, skipped)),
        (true, false) => Err(skipped.swap_remove(0)),
        (true, true) => Err(format!("{}: no positions", arguments.file.display())),
    }
}

fn print_result(result: &PositionResult) {
    let mark = if result.solved { "ok  " } else { "FAIL" };
    let spent = result.solution_nodes.unwrap_or(result.nodes);
    let wrong = if result.wrong_mates.is_empty() {
        String::new()
    } else {
        format!("  WRONG: {}", result.wrong_mates.join(", "))
    };
    outln!(
        "{mark} {:<20} {:<16} {:>8} {:>9} depth {:>3} nodes {spent:>10}{wrong}",
        result.id,
        result.task,
        result.best,
        result.score,
        result.depth
    );
}

fn print_summary(summary: &Summary) {
    outln!(
        "{} of {} solved, {:.1} % (required {:.1} %)",
        summary.solved,
        summary.positions,
        summary.percent,
        summary.required_percent
    );
    if let Some(mean) = summary.mean_solution_nodes {
        outln!("mean nodes to the solution: {mean:.0}");
    }
    outln!(
        "mates of any length found in {} positions; announced {}, wrong {}, not proven {}",
        summary.mates_found,
        summary.mates_announced,
        summary.wrong_mates,
        summary.mates_unproven
    );
    outln!("{} nodes, {:.1} s", summary.nodes, summary.milliseconds as f64 / 1000.0);
}

pub fn run(arguments: &Arguments) -> CommandResult {
    if let Some(path) = &arguments.json {
        terminal::check_output(path, arguments.force)?;
    }
    let (positions, skipped) = read(arguments)?;
    terminal::warn(&skipped);
    let mut searcher = Searcher::new(arguments.threads, arguments.hash).map_err(|error| error.to_string())?;
    let mut solver = (arguments.prove > 0).then(|| Solver::new(64));
    let to_stdout = arguments.json.as_deref().is_some_and(terminal::is_stdout);
    let mut results = Vec::with_capacity(positions.len());
    for (line, epd, task) in &positions {
        let result = solve(&mut searcher, solver.as_mut(), arguments, *line, epd, task);
        if !arguments.quiet && !to_stdout {
            print_result(&result);
        }
        results.push(result);
    }

    let solution_nodes: Vec<u64> = results.iter().filter_map(|result| result.solution_nodes).collect();
    let solved = solution_nodes.len();
    let percent = 100.0 * solved as f64 / results.len() as f64;
    let wrong_mates = results.iter().map(|result| result.wrong_mates.len()).sum();
    let summary = Summary {
        file: arguments.file.display().to_string(),
        positions: results.len(),
        skipped: skipped.len(),
        solved,
        percent,
        required_percent: arguments.require,
        mates_found: results.iter().filter(|result| result.mate_found == Some(true)).count(),
        mates_announced: results.iter().map(|result| result.mates_announced).sum(),
        mates_unproven: results.iter().map(|result| result.mates_unproven).sum(),
        wrong_mates,
        mean_solution_nodes: (solved > 0).then(|| solution_nodes.iter().sum::<u64>() as f64 / solved as f64),
        nodes: results.iter().map(|result| result.nodes).sum(),
        milliseconds: results.iter().map(|result| result.milliseconds).sum(),
        passed: percent >= arguments.require && wrong_mates == 0 && skipped.is_empty(),
        results,
    };
    if let Some(path) = &arguments.json {
        terminal::write_json(path, &summary, arguments.force).map_err(failed)?;
    }
    if !to_stdout {
        print_summary(&summary);
    }
    Ok(Status::of_check(summary.passed).after_printing())
}
