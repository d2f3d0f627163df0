//! The binary: runs what its arguments say, a command or a session of a protocol.

use agoge::cecp;
use agoge::commands::{self, Failure};
use agoge::session::about::{AUTHOR, NAME, version};
use agoge::session::{Flow, Output, Session};
use agoge::uci;
use agoge_core::board::Variant;
use agoge_core::files;
use agoge_core::nnue;
use agoge_core::uci::{Command, Output as _};
use std::ffi::OsString;
use std::fmt::Display;
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
program then ends. If the first argument contains spaces, each is a command, as in:
agoge 'go depth 10' 'go depth 12'

{commands}
  --variant V                      the variant: spartan (default) or chess; a program file named
                                   agoge-chess (a copy or a link) plays chess by default, for GUIs
                                   without a Spartan board
  --version, -V                    name and version
  --help, -h                       this text"
    )
}

fn main() -> ExitCode {
    run(std::env::args_os().skip(1)).unwrap_or_else(|Failure { message, status }| {
        // Standard error may be closed.
        let _ = writeln!(io::stderr(), "{message}");
        ExitCode::from(status)
    })
}

fn invalid(error: impl Display) -> Failure {
    Failure::usage(format!("agoge: {error}\n\n{}", usage()))
}

fn run(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let output = Arc::new(Output::stdout());
    let mut variant = None;
    let mut arguments = arguments.peekable();
    let text = |argument: OsString| files::to_text(argument.as_encoded_bytes());
    while let Some(option) = arguments.next_if(|argument| argument.as_encoded_bytes().starts_with(b"-")).map(text) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option.as_str(), None),
        };
        match name {
            "--help" | "-h" => {
                output.line(&usage());
                return result(&output);
            }
            "--version" | "-V" => {
                let network = nnue::embedded();
                output.line(&version(network.as_ref().map(|network| network.name())));
                return result(&output);
            }
            "--variant" => {
                let value = value.or_else(|| arguments.next().map(text));
                let value = value.ok_or_else(|| invalid("--variant needs a name"))?;
                let named = Variant::from_name(&value);
                variant = Some(named.ok_or_else(|| invalid(format!("unknown variant '{value}'")))?);
            }
            _ => return Err(invalid(format!("unknown option '{option}'"))),
        }
    }
    if let Some(command) = arguments.peek().and_then(|name| commands::find(name.to_str()?)) {
        return command(variant, arguments.skip(1).collect());
    }
    let words: Vec<String> = arguments.map(text).collect();
    // OpenBench passes `"genfens 4 seed 1 book None" quit`.
    let each_is_a_command = words.first().is_some_and(|word| word.contains(char::is_whitespace));
    let lines = if each_is_a_command { words } else { vec![words.join(" ")] };
    let parsed: Result<Vec<_>, _> = lines.iter().map(|line| uci::parse(line)).collect();
    let first = parsed.map_err(invalid)?.swap_remove(0);
    if first == Command::Xboard {
        // CECP selects the variant itself.
        let session = cecp::Session::with_input(BufReader::new(io::stdin()), output);
        session.map_err(|error| error.to_string())?.run();
        return Ok(ExitCode::SUCCESS);
    }
    let default_variant = variant.unwrap_or_else(program_variant);
    // GUIs expect no output before `uci`.
    if first == Command::Nothing && io::stdin().is_terminal() {
        output.line(&format!("{NAME} by {AUTHOR}, variant {}; type help or quit", default_variant.name()));
    }
    let mut session = Session::new(default_variant, Arc::clone(&output)).map_err(|error| error.to_string())?;
    if variant.is_none() {
        session.enable_variant_detection();
    }
    if matches!(first, Command::Nothing | Command::Uci) {
        if session.run(BufReader::new(io::stdin())) == Flow::Xboard {
            session.into_cecp().run();
        }
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
    result(&output)
}

/// The status after commands given as arguments: their output must be complete.
fn result(output: &Output) -> Result<ExitCode, Failure> {
    match output.failure() {
        Some(error) => Err(format!("standard output: {error}").into()),
        None => Ok(ExitCode::SUCCESS),
    }
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
