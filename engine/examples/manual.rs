//! Writes the manual pages and the completions of shells into a folder, made from the table of commands.
//!
//!     cargo run -p agoge --example manual -- target/manual

use agoge::commands::command_line;
use clap_complete::{Shell, generate_to};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

fn write(folder: &Path) -> io::Result<()> {
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(command_line(), folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
        generate_to(shell, &mut command_line(), "agoge", &completions)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("usage: manual FOLDER");
        return ExitCode::from(2);
    };
    match write(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("manual: {}: {error}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}
