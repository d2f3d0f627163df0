//! The programs with a closed or full stdout or stderr, and their messages about invalid arguments.

use crate::common::{ENGINE, bench, text};
use crate::train::TestDir;
use std::fs::{self, File};
use std::io::pipe;
use std::process::{Command, Output, Stdio};

const COMMANDS: [&str; 13] = [
    "average",
    "conversion",
    "datagen",
    "embedded-tables",
    "match",
    "mates",
    "openings",
    "spsa",
    "suite",
    "tactics",
    "theory",
    "train",
    "tune",
];

/// A place where writing fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sink {
    /// A pipe without a reader.
    Closed,
    /// A full disk.
    Full,
}

const SINKS: [Sink; 2] = [Sink::Closed, Sink::Full];

impl Sink {
    fn open(self) -> Stdio {
        match self {
            Self::Closed => pipe().expect("a pipe").1.into(),
            Self::Full => File::options().write(true).open("/dev/full").expect("a full device").into(),
        }
    }
}

/// A command line without the name of the program.
fn command(dir: &TestDir, line: &str) -> Command {
    let mut words = line.split_ascii_whitespace();
    let mut command = bench(words.next().expect("a command"));
    command.args(words).current_dir(dir.path("")).stdin(Stdio::null());
    command
}

/// Runs a command with a sink as stdout and checks its exit status and error message.
#[track_caller]
fn run(dir: &TestDir, line: &str, sink: Sink, status: i32) {
    let output = command(dir, line).stdout(sink.open()).output().expect("it runs");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{line}, {sink:?}: {errors}");
    assert!(!errors.contains("panicked"), "{line}, {sink:?}: {errors}");
    assert_eq!(errors.contains("stdout: "), sink == Sink::Full, "{line}, {sink:?}: {errors}");
}

const MATE: &str = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 ; dm 1 ; bm Qg7 ; c0 orthodox ; id easy\n";

#[test]
fn programs_that_write_files_do_not_depend_on_stdout() {
    let dir = TestDir::new();
    let engines = format!("--engine cmd={ENGINE} name=one --engine cmd={ENGINE} name=two");
    for sink in SINKS {
        let name = |file: &str| format!("{file}-{sink:?}");
        for (line, file) in [
            ("train games --batch 200 --epochs 2 --out @", "agoge.nnue"),
            ("datagen play --games 2 --nodes 50 --hash 1 --out @", ""),
            ("datagen merge games --out @", ""),
            ("datagen shuffle games --out @", ""),
            ("datagen stats games --svg @", "scores.svg"),
            ("mates generate --per-cell 0 --kings 0 --out @", ""),
            ("openings --count 0 --out @", ""),
            ("tactics make --count 0 --out @", ""),
            ("tune games --epochs 1 --out @", ""),
            ("match ENGINES --each nodes=20 --games 2 --pgn pgn-@ --json @", ""),
        ] {
            let words: Vec<&str> = line.split_ascii_whitespace().take(2).collect();
            let made = name(&words.join("-"));
            // The charts and the JSON file do not replace the requested table.
            let status = match words[..] {
                ["datagen", "stats"] if sink == Sink::Full => 4,
                ["match", _] if sink == Sink::Full => 4,
                _ => 0,
            };
            run(&dir, &line.replace("ENGINES", &engines).replace('@', &made), sink, status);
            let path = dir.path(&made).join(file);
            let path = if file.is_empty() { dir.path(&made) } else { path };
            assert!(fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0), "{line}: no {}", path.display());
        }
    }
    let verified = command(&dir, "datagen verify datagen-play-Closed datagen-play-Full").output().expect("it runs");
    assert!(verified.status.success() && text(&verified.stdout).matches("2 games").count() == 2);
}

#[test]
fn programs_that_only_print_exit_quietly_on_a_closed_pipe() {
    let dir = TestDir::new();
    fs::write(dir.path("suite.epd"), MATE).expect("a suite");
    fs::write(dir.path("wrong.epd"), MATE.replace("dm 1", "dm 3")).expect("a suite");
    let mate = include_str!("../../positions/mates.epd").lines().find(|line| line.contains("dm 1")).expect("a mate");
    fs::write(dir.path("mates.epd"), mate).expect("a file of mates");
    let puzzle =
        include_str!("../../positions/puzzles.epd").lines().find(|line| line.contains("dm 1")).expect("a puzzle");
    fs::write(dir.path("puzzles.epd"), puzzle).expect("a file of puzzles");
    for (line, closed, full) in [
        ("datagen stats games", 0, 4),
        ("datagen verify games", 0, 4),
        ("datagen verify suite.epd", 1, 1),
        ("suite suite.epd --nodes 5000", 0, 4),
        ("suite suite.epd --nodes 5000 --json -", 0, 4),
        // A failed check has precedence over a failed write.
        ("suite wrong.epd --nodes 5000", 1, 1),
        ("mates count mates.epd", 0, 4),
        ("mates verify mates.epd --table 1", 0, 4),
        ("puzzles check puzzles.epd --sample 1", 0, 4),
        ("puzzles solve puzzles.epd --tries 1 --require=-100", 0, 4),
        ("spsa list", 0, 4),
        ("train --help", 0, 4),
        ("--version", 0, 4),
    ] {
        run(&dir, line, Sink::Closed, closed);
        run(&dir, line, Sink::Full, full);
    }
}

#[test]
fn a_failing_stderr_does_not_change_the_exit_status() {
    let dir = TestDir::new();
    for sink in SINKS {
        for name in COMMANDS {
            let status = command(&dir, &format!("{name} --nonsense")).stderr(sink.open()).status();
            assert_eq!(status.expect("it runs").code(), Some(2), "{name}, {sink:?}");
        }
        let engine = |name: &str| format!("--engine cmd={ENGINE} name={name}");
        for (line, status) in [
            (format!("match {} {} --each nodes=1 --openings none", engine("a"), engine("b")), 2),
            // Progress goes to stderr.
            (format!("match {} {} --each nodes=20 --games 2", engine("a"), engine("b")), 0),
            ("datagen verify none".to_owned(), 1),
            ("datagen stats none".to_owned(), 2),
            ("train none --out out".to_owned(), 2),
            ("suite none --nodes 5".to_owned(), 2),
            ("tune none".to_owned(), 2),
        ] {
            let output = command(&dir, &line).stderr(sink.open()).stdout(Stdio::null()).status();
            assert_eq!(output.expect("it runs").code(), Some(status), "{line}, {sink:?}");
        }
    }
}

#[test]
fn invalid_arguments_are_reported_in_one_line() {
    let dir = TestDir::new();
    let lines = [
        "fly",
        "--fly",
        "average",
        "average x --out y",
        "datagen",
        "datagen play",
        "datagen play --out x --games many",
        "datagen fly",
        "match",
        "match --engine",
        "match --engine cmd=a --order backwards",
        "match --engine cmd=a --gmes 3",
        "mates",
        "mates verify",
        "openings",
        "openings --out x --count x",
        "spsa",
        "spsa tune --pairs 3",
        "suite",
        "suite x",
        "suite x --nodes 5 --require 200%",
        "tactics make --speed",
        "train",
        "train x",
        "train x --out y --epochs -1",
        "tune",
    ];
    for line in lines {
        let Output { status, stdout, stderr } = command(&dir, line).output().expect("it runs");
        let (error, name) = (text(&stderr), line.split(' ').next().expect("a name"));
        let name = if COMMANDS.contains(&name) { format!("agoge-bench {name}") } else { "agoge-bench".to_owned() };
        assert_eq!((status.code(), stdout.len(), error.lines().count()), (Some(2), 0, 1), "{line}: {error}");
        assert!(
            (error.starts_with(&format!("{name}: ")) || error.starts_with(&format!("{name} ")))
                && error.ends_with("--help'\n"),
            "{line}: {error}"
        );
        assert!(!error.contains("Usage"), "{line}: {error}");
    }
    let error = |line: &str| text(&command(&dir, line).output().expect("it runs").stderr);
    let missing = "agoge-bench spsa: a command is missing: list, tune, screen; try 'agoge-bench spsa --help'\n";
    assert_eq!(error("spsa"), missing);
    assert!(error("datagen play").ends_with("try 'agoge-bench datagen play --help'\n"));
    assert!(error("match --engine cmd=a --gmes 3").contains("'--games'"));
}

#[test]
fn each_command_has_its_help() {
    let dir = TestDir::new();
    assert!(text(&command(&dir, "--version").output().expect("it runs").stdout).starts_with("agoge-bench "));
    for (program, commands) in [
        ("conversion", &[][..]),
        ("datagen", &["play", "merge", "shuffle", "verify", "stats"]),
        ("embedded-tables", &[]),
        ("mates", &["generate", "verify", "count"]),
        ("spsa", &["list", "tune", "screen"]),
        ("match", &[]),
        ("openings", &[]),
        ("suite", &[]),
        ("tactics", &["make", "check"]),
        ("theory", &["build", "games", "write", "compact", "check", "report"]),
        ("train", &[]),
        ("tune", &[]),
    ] {
        let help = |line: &str| {
            let output = command(&dir, line).output().expect("it runs");
            assert!(output.status.success() && output.stderr.is_empty(), "{line}");
            text(&output.stdout)
        };
        let of_program = help(&format!("{program} --help"));
        assert!(of_program.contains(&format!("Usage: agoge-bench {program}")), "{of_program}");
        assert!(help("--help").lines().any(|line| line.trim_start().starts_with(&format!("{program} "))), "{program}");
        assert_eq!(of_program, help(&format!("help {program}")));
        for name in commands {
            assert!(of_program.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))), "{of_program}");
            let own = help(&format!("{program} {name} --help"));
            assert!(own.contains(&format!("Usage: agoge-bench {program} {name}")), "{own}");
            assert_eq!(own, help(&format!("{program} help {name}")));
        }
    }
}
