//! The command `agoge tables`: makes endgame tables.

use super::{Command, Scope, interrupt, refuse_variant, run_parsed};
use crate::tables;
use agoge_core::memory;
use agoge_core::tables::Class;
use agoge_solver::{Error, Plan, Progress, Store, all_classes, build, in_order};
use clap::{CommandFactory as _, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, ErrorKind, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The number of men of the classes that are made by default.
const MEN: usize = 4;

/// On a terminal: the elapsed time, the bar, the class and the remaining time.
const TEMPLATE: &str = "{elapsed_precise} {wide_bar} {percent} % {msg}";

/// The text of `--help` below the options.
const AFTER_HELP: &str = "\
A table has the exact result of each position of a class, with the distances to mate and to the
next capture or move of a pawn or hoplite. 'agoge gui', 'analyse' and 'explore' find the tables
in the usual folder by themselves; in a GUI set the option TablePath to auto. With --out, name
the folder there instead.

Each file appears when it is complete, and has a checksum. Files that are there are checked and
kept, damaged ones made anew: after Ctrl-C, a full disk or a loss of power the same command
continues. To remove the tables, delete the folder.

The exit status is 0, or 1 if it was stopped or a file cannot be written, or 2 for invalid
arguments.";

pub(super) const COMMAND: Command = Command {
    usage: "tables [class...]",
    help: "makes endgame tables, by default all of four men; see 'tables --help'",
    scope: Scope::Program(
        |variant, arguments| {
            refuse_variant(variant, "tables", "they are those of Spartan Chess")?;
            run_parsed(arguments, run)
        },
        Arguments::command,
    ),
};

/// Makes endgame tables
#[derive(Parser, Debug)]
#[command(name = "agoge tables", version, after_help = AFTER_HELP)]
struct Arguments {
    /// Classes such as KQvkg, with all that they lead to; by default all of up to four men
    #[arg(value_name = "CLASS")]
    classes: Vec<Class>,
    /// The folder of the files; by default one of your user account
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Say how much time, memory and disk space it takes, and stop
    #[arg(long)]
    estimate: bool,
    /// Threads; by default one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The most memory to use, in GiB; more makes it faster
    #[arg(long, value_name = "GIB", default_value_t = 2.0)]
    memory: f64,
}

/// Makes the tables. Returns the exit status.
///
/// # Errors
/// If there is not enough memory, a file cannot be read or written, or a signal interrupts it.
fn run(arguments: &Arguments) -> Result<u8, String> {
    let folder = arguments.out.clone().map_or_else(tables::folder, Ok)?;
    let threads =
        arguments.threads.map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get), usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    let wanted = &arguments.classes;
    let classes = if wanted.is_empty() { all_classes(MEN) } else { in_order(wanted) };
    let memory = (arguments.memory.max(0.0) * (1u64 << 30) as f64) as usize;
    let mut store = Store::new(Some(folder.clone()), memory);
    let plan = pool.install(|| Plan::new(&mut store, classes)).map_err(|error| message(&error))?;
    for problem in &plan.damaged {
        say(&format!("{problem}; it is made anew"));
    }
    let estimate = plan.estimate(threads);
    let kept = plan.classes.len() - plan.missing.len();
    print(&format!("The tables are in {}; {kept} of {} are there", folder.display(), plan.classes.len()))?;
    print(&estimate.to_string())?;
    if arguments.estimate || plan.missing.is_empty() {
        return Ok(0);
    }
    // Now, not after the smaller classes.
    if let Some(class) = plan.missing.iter().find(|class| Store::needed(class) > memory) {
        return Err(message(&Error::Memory { class: class.clone(), needed: Store::needed(class) }));
    }
    if memory::check(estimate.memory >> 20, 0).is_err() {
        return Err(format!("it takes {} MiB of memory, more than is free", estimate.memory >> 20));
    }
    if arguments.out.is_none() {
        tables::create_folder()?;
    }
    interrupt::listen(|| ())?;
    let bar = Bar::new();
    let mut done = 0;
    let built = pool.install(|| {
        build(&mut store, &plan.missing, interrupt::flag(), &|progress| bar.update(&progress), |solved, _| {
            done += 1;
            bar.line(&format!("{:<8} {done} of {}", solved.class().to_string(), plan.missing.len()));
            Ok::<(), Error>(())
        })
    });
    bar.0.finish_and_clear();
    built.map_err(|error| message(&error))?;
    print(&format!("All {} tables are made, {} MB", plan.classes.len(), size(&folder, &plan.classes) / 1_000_000))?;
    Ok(0)
}

/// The size of the files of some classes in bytes.
fn size(folder: &Path, classes: &[Class]) -> u64 {
    classes.iter().filter_map(|class| Some(Store::file(folder, class).metadata().ok()?.len())).sum()
}

fn message(error: &Error) -> String {
    match error {
        Error::Memory { .. } => format!("{error}; --memory allows more"),
        Error::Write { path, cause } if cause.kind() == ErrorKind::StorageFull => {
            format!("{}: the disk is full; make room, and the same command continues", path.display())
        }
        _ => error.to_string(),
    }
}

/// Writes a line to standard output.
fn print(line: &str) -> Result<(), String> {
    let mut output = io::stdout();
    match writeln!(output, "{line}").and_then(|()| output.flush()) {
        // As after `| head`: the tables are what counts.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}

/// Writes a line to standard error, which may be closed.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "agoge: {line}");
}

/// The progress on standard error: a bar on a terminal, otherwise a line for each class.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(1).with_style(style);
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Self(bar)
    }

    fn update(&self, progress: &Progress<'_>) {
        self.0.set_length(progress.total.max(1));
        self.0.set_position(progress.indices);
        let left = progress.left.map(|time| format!(" ({}:{:02} left)", time.as_secs() / 60, time.as_secs() % 60));
        self.0.set_message(format!("{}{}", progress.class, left.unwrap_or_default()));
    }

    fn line(&self, line: &str) {
        if self.0.is_hidden() {
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
