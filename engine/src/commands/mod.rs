//! The commands of the program, and the table of them that dispatch and help share.

mod analyse;
mod explore;
mod files;
mod gui;
mod interrupt;
pub mod perft;
mod tables;

use agoge_core::board::Variant;
use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// A command of the program, a line of UCI, or both.
pub struct Command {
    /// The name and what may follow it.
    pub usage: &'static str,
    /// What it does; empty if the usage says it.
    pub help: &'static str,
    /// Where it is known.
    pub scope: Scope,
}

/// Where a command is known.
#[derive(Clone, Copy)]
pub enum Scope {
    /// Only as the first argument of the program; it reads the other arguments itself. The function describes them.
    Program(Run, fn() -> clap::Command),
    /// In UCI. Each line of UCI is also a command of the program; this one is in the help of the program, too.
    Both,
    /// In UCI.
    Uci,
}

/// Runs a command with the variant before its name, if there is one, and the arguments after it.
pub type Run = fn(Option<Variant>, Vec<OsString>) -> Result<ExitCode, Failure>;

/// All commands, in the order of the help.
const TABLE: &[Command] = &[
    uci("uci", "name, options, uciok"),
    uci("isready", "readyok"),
    uci("setoption name N value V", "sets an option; names are case-insensitive"),
    uci("ucinewgame", "clears the hash table and the histories"),
    uci("position startpos|fen F [moves M...]", ""),
    uci(
        "go [wtime|btime|winc|binc|movetime MS] [movestogo|depth|nodes|mate N] [infinite] [ponder] [searchmoves M...]",
        "",
    ),
    uci("stop, ponderhit, quit", ""),
    perft::COMMAND,
    uci("d", "shows the position"),
    uci(
        "flip",
        "swaps the colours; in Spartan Chess, where the armies differ, mirrors left and\n\
         right (White then loses its castling rights)",
    ),
    both("eval [fen]", "explains the evaluation"),
    uci("export_net [file]", "writes the network in use to a new file, by default NAME.nnue"),
    both("bench [depth] [threads] [hash]", "searches a fixed set of positions to a depth (12)"),
    both(
        "speedtest [threads] [hash MiB] [seconds]",
        "searches the same positions by time (all cores, 16 MiB a thread, 60 s);\n\
         prints the nodes per second",
    ),
    uci(
        "genfens N [seed S] [book FILE|None] [nodes N] [endgames PERCENT] [middlegames PERCENT]",
        "prints N starting positions for data generation",
    ),
    uci("spsa [name...]", "prints search parameters as OpenBench's SPSA input; needs a build with --features tune"),
    uci("wait", "waits for the end of the search before the next command"),
    uci("version, compiler", "prints the version and how it was built"),
    uci("xboard", "switches to XBoard's protocol (CECP)"),
    uci("help", "this text"),
    analyse::COMMAND,
    explore::COMMAND,
    gui::COMMAND,
    tables::COMMAND,
];

const fn uci(usage: &'static str, help: &'static str) -> Command {
    Command { usage, help, scope: Scope::Uci }
}

const fn both(usage: &'static str, help: &'static str) -> Command {
    Command { usage, help, scope: Scope::Both }
}

/// The command that is not a line of UCI with this name.
pub fn find(name: &str) -> Option<Run> {
    let name = if name == "analyze" { "analyse" } else { name };
    TABLE.iter().find_map(|command| match command.scope {
        Scope::Program(run, _) if command.usage.split(' ').next() == Some(name) => Some(run),
        _ => None,
    })
}

/// The commands for the help of the program.
pub fn program_help() -> String {
    help(|scope| !matches!(scope, Scope::Uci), "  ")
}

/// The commands for the help of UCI.
pub fn uci_help() -> String {
    help(|scope| !matches!(scope, Scope::Program(..)), "")
}

/// The command line as clap describes it: for manual pages and the completions of shells. The program itself reads only
/// the arguments of its commands by clap, since a line of UCI is a command, too.
pub fn command_line() -> clap::Command {
    let variants = Variant::ALL.map(Variant::name);
    let variant = clap::Arg::new("variant").long("variant").value_name("V").value_parser(variants);
    let root = clap::Command::new("agoge")
        .version(env!("CARGO_PKG_VERSION"))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .long_about(
            "Without a command, or with 'uci', it speaks UCI on standard input and output, with 'xboard' XBoard's \
             protocol (CECP). A program file named agoge-chess plays orthodox chess by default.",
        )
        .arg(variant.help("The variant; by default Spartan Chess"))
        .disable_help_subcommand(true);
    let protocols = [("uci", "speaks UCI"), ("xboard", "speaks XBoard's protocol (CECP)")];
    let root = root.subcommands(protocols.map(|(name, help)| clap::Command::new(name).about(help)));
    root.subcommands(TABLE.iter().filter_map(|command| {
        let (name, rest) = command.usage.split_once([' ', ',']).unwrap_or((command.usage, ""));
        let help = command.help.split_whitespace().collect::<Vec<_>>().join(" ");
        match command.scope {
            Scope::Program(_, describe) => {
                Some(describe().name(name).display_name(format!("agoge-{name}")).bin_name(format!("agoge {name}")))
            }
            Scope::Both => {
                let words = clap::Arg::new("words").num_args(0..).value_name("WORDS").help(rest.to_owned());
                Some(clap::Command::new(name).about(help).arg(words))
            }
            Scope::Uci => None,
        }
    }))
}

/// The commands that `is_known` accepts, each line after an indent.
fn help(is_known: impl Fn(Scope) -> bool, indent: &str) -> String {
    /// The width of the usage.
    const WIDTH: usize = 33;
    let mut text = String::new();
    for Command { usage, help, .. } in TABLE.iter().filter(|command| is_known(command.scope)) {
        let mut usage = *usage;
        if usage.len() >= WIDTH || help.is_empty() {
            let _ = writeln!(text, "{indent}{usage}");
            usage = "";
        }
        for line in help.lines() {
            let _ = writeln!(text, "{indent}{usage:WIDTH$}{line}");
            usage = "";
        }
    }
    text
}

/// Why a command failed.
#[derive(Debug)]
pub struct Failure {
    /// The message for standard error.
    pub message: String,
    /// The exit status: 2 for invalid arguments, else 1.
    pub status: u8,
}

impl Failure {
    pub fn usage(message: String) -> Self {
        Self { message, status: 2 }
    }
}

impl From<String> for Failure {
    fn from(error: String) -> Self {
        Self { message: format!("agoge: {error}"), status: 1 }
    }
}

/// Refuses a variant before a command that does not take one, and says why.
fn refuse_variant(variant: Option<Variant>, name: &str, cause: &str) -> Result<(), Failure> {
    let message = || format!("agoge: --variant has no effect on '{name}': {cause}");
    variant.map_or(Ok(()), |_| Err(Failure::usage(message())))
}

/// Parses the arguments of a command and runs it, or prints its help if they ask for it. `run` returns the exit status.
fn run_parsed<A: Parser, E: Into<Failure>>(
    arguments: impl IntoIterator<Item = OsString>,
    run: fn(&A) -> Result<u8, E>,
) -> Result<ExitCode, Failure> {
    let command = A::command();
    let name = command.get_name();
    match A::try_parse_from([name.into()].into_iter().chain(arguments)) {
        Ok(arguments) => run(&arguments).map(ExitCode::from).map_err(Into::into),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            match io::stdout().write_all(error.to_string().as_bytes()).and_then(|()| io::stdout().flush()) {
                // As after `| head`.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    Err(format!("standard output: {error}").into())
                }
                _ => Ok(ExitCode::SUCCESS),
            }
        }
        Err(error) => {
            // The usage follows after an empty line.
            let text = error.to_string();
            let cause = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            let cause = cause.split_whitespace().collect::<Vec<_>>().join(" ");
            Err(Failure::usage(format!("{name}: {cause}\nTry '{name} --help'.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_has_all_commands() {
        let root = command_line();
        root.clone().debug_assert();
        let known: Vec<&str> = root.get_subcommands().map(clap::Command::get_name).collect();
        assert!(known.len() > 6, "{known:?}");
        for name in program_help().lines().filter_map(|line| line.strip_prefix("  ")?.split([' ', ',']).next()) {
            assert!(name.is_empty() || known.contains(&name), "{name} is not among {known:?}");
        }
        let gui = root.find_subcommand("gui").expect("gui");
        assert!(gui.get_arguments().any(|argument| argument.get_long() == Some("port")));
    }
}
