//! The binary: parses the arguments and runs a protocol session or a command.

use agoge::cecp;
use agoge::commands::arguments::ArgumentsError;
use agoge::commands::{analyse, gui};
use agoge::session::Output;
use agoge::session::about::{AUTHOR, NAME, version};
use agoge::uci::command::{self, Command};
use agoge::uci::{Flow, Session};
use agoge_core::board::Variant;
use agoge_core::nnue;
use std::ffi::OsString;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

const USAGE: &str = "\
usage: agoge [--variant spartan|chess] [command]

Without a command, or with 'uci', it speaks UCI on standard input and output; the UCI command
'xboard' switches to XBoard's protocol (CECP). With 'xboard' it speaks CECP from the beginning.
Any other UCI command works too; the program then ends. If the first argument has blanks, each is
a command, as in: agoge 'go depth 10' 'go depth 12'

  bench [depth] [threads] [hash]   searches a fixed set of positions
  perft N [fen]                    counts the leaf nodes of the tree of legal moves
  eval [fen]                       explains the evaluation
  analyse games.pgn                annotates games; see 'analyse --help'
  gui                              opens a board in the browser; see 'gui --help'
  go depth 10                      searches the start position

  speedtest [threads] [hash] [seconds]
                                   searches the bench positions for 60 s on all cores and prints
                                   the nodes per second

  --variant V                      the variant: spartan (default) or chess; a program file named
                                   agoge-chess (a copy or a link) plays chess by default, for GUIs
                                   without a Spartan board
  --version, -V                    name and version
  --help, -h                       this text";

/// The exit code for invalid arguments.
const USAGE_ERROR: u8 = 2;

/// The action that the arguments request.
#[derive(PartialEq, Eq, Debug)]
enum Request {
    Help,
    Version,
    /// UCI, with the variant if one was given.
    Uci(Option<Variant>),
    /// UCI without a command: prints a greeting in a terminal.
    Interactive(Option<Variant>),
    Xboard,
    /// UCI commands.
    RunCommands(Option<Variant>, Vec<String>),
    Analyse(Vec<OsString>),
    Gui(Vec<OsString>),
}

fn main() -> ExitCode {
    match parse(std::env::args_os().skip(1)) {
        Ok(request) => run(request),
        Err(error) => fail(&format!("agoge: {error}\n\n{USAGE}"), USAGE_ERROR),
    }
}

/// Parses the arguments.
fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Request, String> {
    let mut variant = None;
    let mut arguments = arguments.peekable();
    let text = |argument: OsString| argument.to_string_lossy().into_owned();
    while let Some(option) = arguments.next_if(|argument| argument.as_encoded_bytes().starts_with(b"-")).map(text) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option.as_str(), None),
        };
        match name {
            "--help" | "-h" => return Ok(Request::Help),
            "--version" | "-V" => return Ok(Request::Version),
            "--variant" => {
                let value = value.or_else(|| arguments.next().map(text)).ok_or("--variant needs a name")?;
                let named = Variant::from_name(&value).ok_or_else(|| format!("unknown variant '{value}'"))?;
                variant = Some(named);
            }
            _ => return Err(format!("unknown option '{option}'")),
        }
    }
    if arguments.next_if(|argument| argument == "analyse" || argument == "analyze").is_some() {
        // File names need not be UTF-8.
        let variant = variant.map(|variant| format!("--variant={}", variant.name()).into());
        return Ok(Request::Analyse(["agoge analyse".into()].into_iter().chain(variant).chain(arguments).collect()));
    }
    if arguments.next_if(|argument| argument == "gui").is_some() {
        if variant.is_some() {
            return Err("--variant has no effect on 'gui': the page selects the variant".to_owned());
        }
        return Ok(Request::Gui(["agoge gui".into()].into_iter().chain(arguments).collect()));
    }
    let words: Vec<String> = arguments.map(text).collect();
    // OpenBench passes `"genfens 4 seed 1 book None" quit`.
    let each_is_a_command = words.first().is_some_and(|word| word.contains(char::is_whitespace));
    let lines = if each_is_a_command { words } else { vec![words.join(" ")] };
    for line in lines.iter().skip(1) {
        command::parse(line)?;
    }
    match command::parse(&lines[0])? {
        Command::Nothing => Ok(Request::Interactive(variant)),
        Command::Uci => Ok(Request::Uci(variant)),
        // CECP selects the variant itself.
        Command::Xboard => Ok(Request::Xboard),
        _ => Ok(Request::RunCommands(variant, lines)),
    }
}

fn run(request: Request) -> ExitCode {
    let output = Arc::new(Output::stdout());
    let (variant, lines) = match request {
        Request::Help => {
            output.line(USAGE);
            return ExitCode::SUCCESS;
        }
        Request::Version => {
            let network = nnue::embedded();
            output.line(&version(network.as_ref().map(|network| network.name())));
            return ExitCode::SUCCESS;
        }
        Request::Xboard => {
            return match cecp::Session::with_input(BufReader::new(io::stdin()), output) {
                Ok(session) => {
                    session.run();
                    ExitCode::SUCCESS
                }
                Err(error) => fail(&format!("agoge: {error}"), 1),
            };
        }
        Request::Analyse(arguments) => return run_analyse(arguments),
        Request::Gui(arguments) => return run_gui(arguments),
        Request::Uci(variant) => (variant, Vec::new()),
        Request::Interactive(variant) => {
            // GUIs expect no output before `uci`.
            if io::stdin().is_terminal() {
                let variant = variant.unwrap_or_else(program_variant).name();
                output.line(&format!("{NAME} by {AUTHOR}, variant {variant}; type help or quit"));
            }
            (variant, Vec::new())
        }
        Request::RunCommands(variant, lines) => (variant, lines),
    };
    let mut session = match Session::new(variant.unwrap_or_else(program_variant), Arc::clone(&output)) {
        Ok(session) => session,
        Err(error) => return fail(&format!("agoge: {error}"), 1),
    };
    if variant.is_none() {
        session.enable_variant_detection();
    }
    if lines.is_empty() {
        if session.run(BufReader::new(io::stdin())) == Flow::Xboard {
            session.into_cecp().run();
        }
        return ExitCode::SUCCESS;
    }
    for line in &lines {
        let flow = session.execute(line);
        session.wait_until_idle();
        if output.had_error() {
            return ExitCode::from(USAGE_ERROR);
        }
        if flow != Flow::Continue {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// The default variant, from the name of the program file.
fn program_variant() -> Variant {
    let path = std::env::args_os().next().unwrap_or_default();
    variant_of_program(Path::new(&path))
}

/// Orthodox chess for `agoge-chess`, with or without a file extension.
fn variant_of_program(path: &Path) -> Variant {
    let chess = path.file_stem().is_some_and(|name| name.eq_ignore_ascii_case("agoge-chess"));
    if chess { Variant::Chess } else { Variant::default() }
}

/// Annotates games. The exit code is 1 if a game could not be read.
fn run_analyse(arguments: Vec<OsString>) -> ExitCode {
    let arguments = match analyse::Arguments::read(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return explain(error),
    };
    match analyse::run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => fail(&format!("agoge: {error}"), 1),
    }
}

/// Serves the board until its page is closed.
fn run_gui(arguments: Vec<OsString>) -> ExitCode {
    let result = match gui::Arguments::read(arguments) {
        Ok(arguments) => gui::run(&arguments),
        Err(error) => return explain(error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("agoge: {error}"), 1),
    }
}

/// Prints the help, or the error in the arguments.
fn explain(error: ArgumentsError) -> ExitCode {
    let text = match error {
        ArgumentsError::Invalid(error) => return fail(&error, USAGE_ERROR),
        ArgumentsError::Help(text) => text,
    };
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        // As after `| head`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(&format!("agoge: standard output: {error}"), 1),
        _ => ExitCode::SUCCESS,
    }
}

/// Prints an error to standard error, which may be closed, and returns the exit code.
fn fail(text: &str, code: u8) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Result<Request, String> {
        parse(line.split_ascii_whitespace().map(OsString::from))
    }

    #[test]
    fn arguments() {
        assert_eq!(request(""), Ok(Request::Interactive(None)));
        assert_eq!(request("uci"), Ok(Request::Uci(None)));
        assert_eq!(request("xboard"), Ok(Request::Xboard));
        assert_eq!(request("--variant chess"), Ok(Request::Interactive(Some(Variant::Chess))));
        assert_eq!(
            request("--variant=Chess perft 5"),
            Ok(Request::RunCommands(Some(Variant::Chess), vec!["perft 5".into()]))
        );
        assert_eq!(request("--version"), Ok(Request::Version));
        assert_eq!(request("-h"), Ok(Request::Help));
        for bad in ["--variant", "--variant shogi", "--speed", "nonsense", "perft", "perft x"] {
            assert!(request(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_name_of_the_program_file_selects_the_variant() {
        for (path, variant) in [
            ("agoge", Variant::Spartan),
            ("", Variant::Spartan),
            ("/usr/games/agoge-chess", Variant::Chess),
            ("./Agoge-Chess.exe", Variant::Chess),
            ("agoge-chess-notes/agoge", Variant::Spartan),
        ] {
            assert_eq!(variant_of_program(Path::new(path)), variant, "{path}");
        }
    }
}
