//! The command `tables`.

use super::statistics::{HEADER, Statistics, ZUGZWANG_HEADER, Zugzwangs, rows, zugzwang_row};
use super::study::{best_line, instructive};
use super::verify::check;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::terminal::{
    CommandResult, Error, Interrupt, Status, check_output, failed, is_stdout, print_message, usage, write_text,
};
use crate::{errln, outln};
use agoge_core::tables::{Class, Numbering, Tables};
use agoge_solver::{Plan, Solved, Store, all_classes, board, build, in_order};
use clap::Args as ClapArgs;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(ClapArgs, Debug)]
pub struct Args {
    /// Classes such as KRvkkc (White's men, v, Black's men), solved with all classes that they lead to; by default all
    /// classes of Spartan Chess with up to --men men
    #[arg(value_name = "CLASS")]
    classes: Vec<Class>,
    /// The folder of the files, made if it does not exist. Classes that have a file are not solved again, unless it is
    /// damaged, so the same command continues a run that was stopped
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The number of men of the classes solved by default
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=5))]
    men: u8,
    /// The memory to use, in GiB
    #[arg(long, default_value_t = 8.0, value_name = "GIB")]
    memory: f64,
    /// The number of threads; by default one for each processor
    #[arg(long)]
    threads: Option<usize>,
    /// Print what would be solved and what it takes, and stop
    #[arg(long)]
    estimate: bool,
    /// Check this number of random positions of each class: whether each value follows from those after the moves
    #[arg(long, value_name = "POSITIONS", default_value_t = 0)]
    check: usize,
    /// Write the share of wins, the longest wins and the mutual zugzwangs of the given classes, or of all, to a file in
    /// Markdown; - for stdout
    #[arg(long, value_name = "FILE")]
    statistics: Option<PathBuf>,
    /// Write instructive positions of the given classes, or of all, with exact answers to a file in EPD; - for stdout
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// The maximum number of positions of the EPD file
    #[arg(long, value_name = "POSITIONS", default_value_t = 200)]
    count: usize,
    /// Overwrite the files of statistics and positions
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> CommandResult {
    for path in [&args.statistics, &args.epd].into_iter().flatten() {
        check_output(path, args.force)?;
    }
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global().map_err(|error| format!("threads: {error}"))?;
    }
    let classes = if args.classes.is_empty() { all_classes(usize::from(args.men)) } else { in_order(&args.classes) };
    let memory = (args.memory.max(0.0) * (1u64 << 30) as f64) as usize;
    let mut store = Store::new(Some(args.out.clone()), memory);
    let plan = Plan::new(&mut store, classes)?;
    for problem in &plan.damaged {
        print_message(&format!("{problem}; this class is solved again"));
    }
    errln!("{}", plan.estimate(rayon::current_num_threads()));
    if args.estimate {
        return Ok(Status::Success);
    }
    let interrupt = Interrupt::listen()?;
    let studied = match (&args.statistics, &args.epd) {
        (None, None) => &[][..],
        _ if args.classes.is_empty() => &plan.classes,
        _ => &args.classes,
    };
    // The lines about the work must not be among the results.
    let is_piped = [&args.statistics, &args.epd].into_iter().flatten().any(|path| is_stdout(path));
    let say = |line: &str| if is_piped { errln!("{line}") } else { outln!("{line}") };
    let studies = solve(&mut store, &plan, studied, &args.out, &say, &interrupt.stop)?;
    if args.check == 0 && args.statistics.is_none() && args.epd.is_none() {
        return Ok(Status::Success.after_printing());
    }
    let tables = Tables::open_folder(args.out.clone()).map_err(usage)?;
    if args.check > 0
        && let Some(error) = check_classes(&plan.classes, &tables, args.check, &say, &interrupt.stop)?
    {
        print_message(&error);
        return Ok(Status::Negative);
    }
    if let Some(path) = &args.statistics {
        write_text(path, &report(&studies, &tables), args.force).map_err(failed)?;
    }
    if let Some(path) = &args.epd {
        let text = positions(&mut store, &studies, &tables, args.count, &interrupt.stop)?;
        write_text(path, &text, args.force).map_err(failed)?;
    }
    Ok(Status::Success.after_printing())
}

impl From<agoge_solver::Error> for Error {
    fn from(error: agoge_solver::Error) -> Self {
        use agoge_solver::Error::{Locked, Memory, Stopped, Table, Write};
        match &error {
            Stopped => Self { status: Status::Interrupted, message: error.to_string() },
            Memory { .. } => usage(format!("{error}; --memory allows more")),
            Locked(_) => usage(&error),
            Table { .. } | Write { .. } => failed(&error),
        }
    }
}

fn check_stop(stop: &AtomicBool) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) { Err(agoge_solver::Error::Stopped.into()) } else { Ok(()) }
}

/// Solves the missing ones of the classes, in order. Returns what the outputs say about the classes to be studied,
/// which takes the least time while a class is in memory.
fn solve(
    store: &mut Store,
    plan: &Plan,
    studied: &[Class],
    folder: &Path,
    say: &dyn Fn(&str),
    stop: &AtomicBool,
) -> Result<Vec<Study>, Error> {
    let bar = Progress::new(plan.estimate(1).indices, 0);
    let mut studies = Vec::new();
    let is_needed = |class: &&Class| plan.missing.contains(class) || studied.contains(class);
    let classes: Vec<Class> = plan.classes.iter().filter(is_needed).cloned().collect();
    let update = |progress: agoge_solver::Progress<'_>| bar.update(progress.indices, progress.class.to_string());
    build(store, &classes, stop, &update, |solved, time| {
        let class = solved.class();
        if plan.missing.contains(class) {
            let size = Store::file(folder, class).metadata().map_or(0, |metadata| metadata.len());
            let (name, seconds) = (class.to_string(), time.as_secs_f64());
            bar.print(|| say(&format!("{name:<8} {seconds:>8.1} s  {size:>10} bytes")));
        }
        if studied.contains(class) {
            studies.push(Study::of(solved));
        }
        Ok::<(), Error>(())
    })?;
    bar.finish();
    Ok(studies)
}

/// Checks random positions of each class. Returns what is wrong with the first one that is.
fn check_classes(
    classes: &[Class],
    tables: &Tables,
    positions: usize,
    say: &dyn Fn(&str),
    stop: &AtomicBool,
) -> Result<Option<String>, Error> {
    const BATCH: usize = 1000;
    for class in classes {
        let numbering = Numbering::new(class);
        let checked = (0..positions.div_ceil(BATCH) as u64)
            .into_par_iter()
            .map(|batch| {
                let mut rng = Rng::new(batch);
                let mut checked = 0;
                while checked < BATCH.min(positions - batch as usize * BATCH) && !stop.load(Ordering::Relaxed) {
                    let (squares, side) = numbering.position(rng.below(numbering.len()));
                    let Some(board) = board(class, &squares, side) else { continue };
                    check(&board, tables)?;
                    checked += 1;
                }
                Ok::<usize, String>(checked)
            })
            .try_reduce(|| 0, |a, b| Ok(a + b));
        check_stop(stop)?;
        let name = class.to_string();
        match checked {
            Ok(checked) => say(&format!("{name:<8} {checked} positions are consistent")),
            Err(error) => return Ok(Some(error)),
        }
    }
    Ok(None)
}

struct Study {
    class: Class,
    statistics: [Statistics; 2],
    zugzwangs: Zugzwangs,
}

impl Study {
    fn of(solved: &Solved) -> Self {
        Self { class: solved.class().clone(), statistics: Statistics::of(solved), zugzwangs: Zugzwangs::of(solved) }
    }
}

fn report(studies: &[Study], tables: &Tables) -> String {
    let (mut results, mut lines, mut zugzwangs) = (Vec::new(), Vec::new(), Vec::new());
    for Study { class, statistics, zugzwangs: found } in studies {
        results.extend(rows(class, statistics));
        for (plies, board) in statistics.iter().filter_map(|side| side.longest_win.as_ref()) {
            let moves = plies.div_ceil(2);
            lines.push(format!("**{class}**, mate in {moves}: `{board}`  \n{}\n", best_line(tables, board)));
        }
        zugzwangs.extend(zugzwang_row(class, found));
    }
    format!(
        "## Results\n\n{HEADER}\n{}\n\n## Longest wins\n\n{}\n## Mutual zugzwangs\n\n{ZUGZWANG_HEADER}\n{}\n",
        results.join("\n"),
        lines.join("\n"),
        zugzwangs.join("\n")
    )
}

/// At most `count` instructive positions of all classes, in EPD. Each class gets the themes in their order.
fn positions(
    store: &mut Store,
    studies: &[Study],
    tables: &Tables,
    count: usize,
    stop: &AtomicBool,
) -> Result<String, Error> {
    let mut found = Vec::new();
    for Study { class, statistics, zugzwangs } in studies {
        let solved = store.solve(class, stop, &|_, _| {})?;
        found.extend(instructive(&solved, statistics, zugzwangs, tables));
        check_stop(stop)?;
    }
    // The sort is stable: within a theme the order is that of the classes.
    found.sort_by_key(|&(theme, _)| theme);
    let mut text = "# Endgames with exact answers, made by `agoge-bench tables --epd`; see README.md.\n".to_owned();
    found.into_iter().take(count).for_each(|(_, epd)| text += &format!("{epd}\n"));
    Ok(text)
}
