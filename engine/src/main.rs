//! The binary: runs what its arguments say, a command or a session of a protocol.

use agoge::cecp;
use agoge::commands::{self, Failure};
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

fn usage() -> String {
    let commands = commands::program_help();
    format!(
        "\
usage: agoge [--variant spartan|chess] [command]

Without a command, or with 'uci', it speaks UCI on standard input and output; the UCI command
'xboard' switches to XBoard's protocol (CECP). With 'xboard' it speaks CECP from the beginning.
Any other UCI command works too, such as 'go depth 10', which searches the start position; the
program then ends. If the first argument has blanks, each is a command, as in:
agoge 'go depth 10' 'go depth 12'

{commands}
  --variant V                      the variant: spartan (default) or chess; a program file named
                                   agoge-chess (a copy or a link) plays chess by default, for GUIs
                                   without a Spartan board
  --version, -V                    name and version
  --help, -h                       this text"
    )
}

/// What the arguments ask for.
enum Request {
    Help,
    Version,
    Xboard,
    /// A session of UCI without a command for it, which greets the user of a terminal.
    Interactive,
    Uci,
    UciLines(Vec<String>),
    Command(commands::Run, Vec<OsString>),
}

fn main() -> ExitCode {
    let request = parse(std::env::args_os().skip(1));
    let request = request.map_err(|error| Failure::usage(format!("agoge: {error}\n\n{}", usage())));
    request.and_then(|(variant, request)| run(variant, request)).unwrap_or_else(|Failure { message, status }| {
        // Standard error may be closed.
        let _ = writeln!(io::stderr(), "{message}");
        ExitCode::from(status)
    })
}

/// Parses the arguments. The variant is that of the option `--variant`.
fn parse(arguments: impl Iterator<Item = OsString>) -> Result<(Option<Variant>, Request), String> {
    let mut variant = None;
    let mut arguments = arguments.peekable();
    let text = |argument: OsString| argument.to_string_lossy().into_owned();
    while let Some(option) = arguments.next_if(|argument| argument.as_encoded_bytes().starts_with(b"-")).map(text) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option.as_str(), None),
        };
        match name {
            "--help" | "-h" => return Ok((variant, Request::Help)),
            "--version" | "-V" => return Ok((variant, Request::Version)),
            "--variant" => {
                let value = value.or_else(|| arguments.next().map(text)).ok_or("--variant needs a name")?;
                let named = Variant::from_name(&value).ok_or_else(|| format!("unknown variant '{value}'"))?;
                variant = Some(named);
            }
            _ => return Err(format!("unknown option '{option}'")),
        }
    }
    if let Some(run) = arguments.peek().and_then(|name| commands::find(name.to_str()?)) {
        return Ok((variant, Request::Command(run, arguments.skip(1).collect())));
    }
    let words: Vec<String> = arguments.map(text).collect();
    // OpenBench passes `"genfens 4 seed 1 book None" quit`.
    let each_is_a_command = words.first().is_some_and(|word| word.contains(char::is_whitespace));
    let lines = if each_is_a_command { words } else { vec![words.join(" ")] };
    for line in lines.iter().skip(1) {
        command::parse(line)?;
    }
    let request = match command::parse(&lines[0])? {
        Command::Nothing => Request::Interactive,
        Command::Uci => Request::Uci,
        // CECP selects the variant itself.
        Command::Xboard => Request::Xboard,
        _ => Request::UciLines(lines),
    };
    Ok((variant, request))
}

fn run(variant: Option<Variant>, request: Request) -> Result<ExitCode, Failure> {
    let output = Arc::new(Output::stdout());
    let default_variant = variant.unwrap_or_else(program_variant);
    let mut lines = Vec::new();
    match request {
        Request::Help => {
            output.line(&usage());
            return Ok(ExitCode::SUCCESS);
        }
        Request::Version => {
            let network = nnue::embedded();
            output.line(&version(network.as_ref().map(|network| network.name())));
            return Ok(ExitCode::SUCCESS);
        }
        Request::Xboard => {
            let input = BufReader::new(io::stdin());
            cecp::Session::with_input(input, output).map_err(|error| error.to_string())?.run();
            return Ok(ExitCode::SUCCESS);
        }
        Request::Command(run, arguments) => return run(variant, arguments),
        // GUIs expect no output before `uci`.
        Request::Interactive if io::stdin().is_terminal() => {
            output.line(&format!("{NAME} by {AUTHOR}, variant {}; type help or quit", default_variant.name()));
        }
        Request::Interactive | Request::Uci => {}
        Request::UciLines(given) => lines = given,
    }
    let mut session = Session::new(default_variant, Arc::clone(&output)).map_err(|error| error.to_string())?;
    if variant.is_none() {
        session.enable_variant_detection();
    }
    if lines.is_empty() && session.run(BufReader::new(io::stdin())) == Flow::Xboard {
        session.into_cecp().run();
        return Ok(ExitCode::SUCCESS);
    }
    for line in &lines {
        let flow = session.execute(line);
        session.wait_until_idle();
        if output.had_error() {
            return Ok(ExitCode::from(2));
        }
        if flow != Flow::Continue {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Result<(Option<Variant>, Request), String> {
        parse(line.split_ascii_whitespace().map(OsString::from))
    }

    #[test]
    fn arguments() {
        assert!(matches!(request(""), Ok((None, Request::Interactive))));
        assert!(matches!(request("uci"), Ok((None, Request::Uci))));
        assert!(matches!(request("xboard"), Ok((_, Request::Xboard))));
        assert!(matches!(request("--variant chess"), Ok((Some(Variant::Chess), Request::Interactive))));
        let perft = request("--variant=Chess perft 5");
        assert!(matches!(perft, Ok((Some(Variant::Chess), Request::UciLines(lines))) if lines == ["perft 5"]));
        for name in ["analyse", "analyze", "gui"] {
            let command = request(&format!("{name} --help"));
            assert!(matches!(command, Ok((None, Request::Command(_, rest))) if rest == ["--help"]), "{name}");
        }
        assert!(matches!(request("--version"), Ok((_, Request::Version))));
        assert!(matches!(request("-h"), Ok((_, Request::Help))));
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
