//! The program `agoge-bench`: see [`agoge_bench::command`].

use std::process::ExitCode;

fn main() -> ExitCode {
    agoge_bench::command::main()
}
