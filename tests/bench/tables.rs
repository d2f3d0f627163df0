//! The program `tables`, and the engine with the files that it writes.

#[cfg(unix)]
use crate::common::Running;
use crate::common::{ENGINE, bench, directory, text};
use agoge_core::board::Board;
use agoge_core::rng::Rng;
use agoge_core::tables::{Class, Table, Tables, Wdl};
use agoge_solver::board;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
#[cfg(unix)]
use std::time::Duration;

/// A folder with the tables of a class of four men, all that it leads to and others, made and checked by the program.
pub static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = directory("tables");
    let output = tables(&folder, &["KBBvk", "KQvk", "Kvkc", "--check", "2000"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    for line in ["KBBvk    2000 positions are consistent", "KQvk     2000 positions are consistent"] {
        assert!(lines.contains(line), "{lines}");
    }
    folder
});

pub fn tables(folder: &Path, arguments: &[&str]) -> Output {
    bench("tables").arg("--out").arg(folder).args(arguments).output().expect("the program runs")
}

/// The output of the engine for some lines of input.
fn uci(lines: &[String]) -> Vec<String> {
    let mut engine = Command::new(ENGINE);
    let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
    let mut input = engine.stdin.take().expect("a pipe");
    let commands = lines.join("\n") + "\nquit\n";
    input.write_all(commands.as_bytes()).expect("the engine reads");
    drop(input);
    let output = engine.wait_with_output().expect("the engine ends");
    text(&output.stdout).lines().map(str::to_owned).collect()
}

fn table_path(folder: &Path) -> String {
    format!("setoption name TablePath value {}", folder.display())
}

/// Random positions of KBBvk that satisfy a condition, with their values.
fn positions(count: usize, is_wanted: impl Fn(&Board, agoge_core::tables::Value) -> bool) -> Vec<(Board, u16, u16)> {
    let class: Class = "KBBvk".parse().expect("a class");
    let table = Table::open(&FOLDER.join("KBBvk.agt")).expect("a table");
    let mut rng = Rng::new(7);
    let mut found = Vec::new();
    while found.len() < count {
        let index = rng.below(table.numbering().len());
        let (squares, side) = table.numbering().position(index);
        let Some(board) = board(&class, &squares, side) else { continue };
        let value = table.value(&squares, side).expect("a value");
        if is_wanted(&board, value) {
            found.push((board, value.dtm.expect("a distance to mate"), value.dtz.expect("a distance to zeroing")));
        }
    }
    found
}

/// The output of a short search with the tables and an option.
fn search(board: &Board, option: &str) -> Vec<String> {
    uci(&[
        table_path(&FOLDER),
        format!("setoption name {option}"),
        format!("position fen {}", board.to_fen()),
        "go depth 3".into(),
        "wait".into(),
    ])
}

/// The word after another one.
fn after<'a>(line: &'a str, word: &str) -> &'a str {
    line.split(' ').skip_while(|&other| other != word).nth(1).unwrap_or_default()
}

#[test]
fn solved_classes_are_kept() {
    let output = tables(&FOLDER, &["KBBvk", "KQvk", "--statistics", "-", "--check", "100"]);
    assert!(text(&output.stderr).starts_with("0 classes to solve"), "{}", text(&output.stderr));
    // Only the statistics are in the output.
    assert!(text(&output.stderr).contains("\nKQvk     100 positions are consistent\n"), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    assert!(!lines.contains("consistent"), "{lines}");
    let row = |class: &str, side: &str| {
        let start = format!("| {class} | {side} |");
        lines.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{lines}")).to_owned()
    };
    assert!(row("KQvk", "White").contains("| 100.00 % | - | - | - | - | 10 | `"), "{lines}");
    assert!(row("KQvk", "Black").contains("| - | - | 10.32 % | - | 89.68 % | - |"), "{lines}");
    assert!(row("KBBvk", "White").contains("| 49.24 % | - | 50.76 % | - | - | 19 | `"), "{lines}");
}

/// A colon separates folders only where several can be given.
#[cfg(unix)]
#[test]
fn a_folder_may_have_any_name() {
    let output = tables(&directory("tables:folder"), &["KQvk", "--check", "100"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn wrong_arguments() {
    for arguments in [&["KQvkx"][..], &["KQvk", "--men", "6"], &["KQRBNvk"]] {
        let output = tables(&FOLDER, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    }
    let output = tables(Path::new("no/such/folder"), &["KQvk"]);
    assert!(text(&output.stderr).contains("agoge-bench tables: no/such/folder: "), "{}", text(&output.stderr));
    let output = tables(&directory("tables-memory"), &["KQvk", "--memory", "0.0001"]);
    assert!(text(&output.stderr).ends_with("--memory allows more\n"), "{}", text(&output.stderr));
}

#[test]
fn the_engine_mates_as_fast_as_possible() {
    let tables = Tables::open_all(FOLDER.as_os_str()).expect("usable files");
    for (board, dtm, _) in positions(8, |_, value| value.wdl == Wdl::Win && value.dtm.is_some_and(|plies| plies > 9)) {
        let lines = uci(&[
            table_path(&FOLDER),
            format!("position fen {}", board.to_fen()),
            "go nodes 100".into(),
            "wait".into(),
        ]);
        let notes: Vec<_> = lines.iter().filter(|line| line.contains("endgame tables of up to 4 men")).collect();
        assert_eq!(notes.len(), 1, "{lines:#?}");
        let report = lines.iter().rfind(|line| line.starts_with("info depth")).expect("a report");
        assert_eq!(after(report, "mate"), dtm.div_ceil(2).to_string(), "{lines:#?}");
        assert_ne!(after(report, "tbhits"), "0", "{report}");
        let best = lines.iter().find(|line| line.starts_with("bestmove")).expect("a move");
        let mv = board.parse_move(after(best, "bestmove")).expect("a legal move");
        let value = tables.value(&board.after(mv)).expect("a value");
        assert_eq!((value.wdl, value.dtm), (Wdl::Loss, Some(dtm - 1)), "{board} {best}");
    }
}

#[test]
fn d_and_eval_name_the_result() {
    let (board, dtm, dtz) = positions(1, |_, value| value.wdl == Wdl::Win && value.dtz > Some(4)).remove(0);
    let expected = format!("Tables: win, mate in {}, {dtz} plies to zeroing", dtm.div_ceil(2));
    let position = format!("position fen {}", board.to_fen());
    let lines = uci(&[table_path(&FOLDER), position.clone(), "d".into(), "eval".into()]);
    assert_eq!(lines.iter().filter(|&line| *line == expected).count(), 2, "{expected} {lines:#?}");
    for option in ["TableProbeLimit value 3", "Skill Level value 3", "TablePath value <empty>"] {
        let lines = uci(&[table_path(&FOLDER), format!("setoption name {option}"), position.clone(), "d".into()]);
        assert!(!lines.iter().any(|line| line.starts_with("Tables:")), "{lines:#?}");
    }
}

#[test]
fn the_fifty_move_rule_turns_wins_into_draws() {
    let (board, _, dtz) = positions(1, |_, value| value.wdl == Wdl::Win && value.dtz > Some(4)).remove(0);
    for (clock, is_draw) in [(100 - dtz, false), (101 - dtz, true)] {
        let fen = board.to_fen().replace(" 0 1", &format!(" {clock} 80"));
        let lines =
            uci(&[table_path(&FOLDER), format!("position fen {fen}"), "d".into(), "go depth 4".into(), "wait".into()]);
        let result = if is_draw { "Tables: cursed win" } else { "Tables: win" };
        assert!(lines.iter().any(|line| line.starts_with(result)), "{lines:#?}");
        let report = lines.iter().rfind(|line| line.starts_with("info depth")).expect("a report");
        let score: i32 = after(report, "cp").parse().unwrap_or(30_000);
        assert_eq!(score.abs() <= 1, is_draw, "{fen} {report}");
    }
}

#[test]
fn several_lines_are_all_reported() {
    let (board, ..) = positions(1, |board, value| value.wdl == Wdl::Win && board.legal_moves().len() > 3).remove(0);
    let lines = search(&board, "MultiPV value 3");
    assert!(lines.iter().any(|line| line.contains("multipv 3")), "{lines:#?}");
}

/// The positions of `positions/endgames.epd` of the solved classes are those that the program finds.
#[test]
fn the_instructive_positions_are_up_to_date() {
    let output = tables(&FOLDER, &["KBBvk", "KQvk", "Kvkc", "--epd", "-", "--count", "1000"]);
    let found = text(&output.stdout);
    let known = include_str!("../../positions/endgames.epd");
    assert!(known.lines().filter(|line| !line.starts_with('#')).count() == 200);
    let mut checked = 0;
    for class in ["KBBvk", "KQvk", "Kvkc"] {
        let of_class = |line: &&str| line.ends_with(&format!("; id {class}"));
        for line in known.lines().filter(of_class) {
            assert!(found.lines().any(|other| other == line), "{line} is not in {found}");
            checked += 1;
        }
    }
    assert!(checked > 3, "{checked}");
}

#[test]
fn games_are_adjudicated_by_tables() {
    let folder = directory("tables-match");
    let openings = folder.join("openings.epd");
    fs::write(&openings, "8/8/8/8/1Bk5/8/8/K2B4 w - - 0 1\n8/8/8/8/8/8/1Q6/k6K b - - 0 1\n").expect("a file");
    let engine = format!("cmd={ENGINE}");
    let output = bench("match")
        .args(["--engine", &engine, "name=a", "--engine", &engine, "name=b", "--each", "nodes=10", "--games", "4"])
        .args(["--quiet", "--json", "-", "--pgn"])
        .arg(folder.join("games.pgn"))
        .arg("--openings")
        .arg(&openings)
        .arg("--tables")
        .arg(&*FOLDER)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let games = fs::read_to_string(folder.join("games.pgn")).expect("games");
    for (words, count) in [("White wins by the endgame tables", 2), ("draw by the endgame tables", 2)] {
        assert_eq!(games.matches(words).count(), count, "{games}");
    }
    let output = bench("match")
        .args(["--engine", &engine, "name=a", "--engine", &engine, "name=b", "--each", "nodes=1", "--games", "2"])
        .args(["--tables", "/no/such"])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--tables: /no/such: "), "{}", text(&output.stderr));
}

#[test]
fn analysis_names_exact_results() {
    let folder = directory("tables-analysis");
    let game = folder.join("game.pgn");
    fs::write(
        &game,
        "[FEN \"8/8/8/8/1Bk5/8/8/K2B4 w - - 0 1\"]\n[SetUp \"1\"]\n[Result \"*\"]\n\n1. Bd6 Kc3 2. Kb1 *\n",
    )
    .expect("a file");
    let analyse = |tables: &Path| {
        let mut command = Command::new(ENGINE);
        command.args(["analyse", "--nodes", "1000", "--out", "-", "--tables"]).arg(tables).arg(&game);
        command.arg("--svg").arg(folder.join("game.svg")).arg("--force").output().expect("the engine runs")
    };
    let output = analyse(&FOLDER);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let annotated = text(&output.stdout);
    assert!(annotated.contains("; exact: White wins, mate in "), "{annotated}");
    let output = analyse(Path::new("/no/such"));
    assert!(text(&output.stderr).contains("unusable endgame table: /no/such: "), "{}", text(&output.stderr));
    assert!(!output.status.success());
}

#[test]
fn limited_levels_play_without_tables() {
    let (board, ..) = positions(1, |_, value| value.wdl == Wdl::Win && value.dtz > Some(8)).remove(0);
    let lines = search(&board, "Skill Level value 10");
    let report = lines.iter().rfind(|line| line.starts_with("info depth")).expect("a report");
    assert_eq!(after(report, "tbhits"), "0", "{report}");
}

#[test]
fn unusable_files_are_named_and_the_others_used() {
    let folder = directory("tables-damaged");
    for name in ["Kvk", "KQvk", "Kvkc"] {
        fs::copy(FOLDER.join(format!("{name}.agt")), folder.join(format!("{name}.agt"))).expect("a copy");
    }
    let mut damaged = fs::read(FOLDER.join("KBBvk.agt")).expect("a file");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(folder.join("KBBvk.agt"), &damaged).expect("a file");
    fs::write(folder.join("KRvk.agt"), &damaged[..1000]).expect("a file");
    fs::copy(FOLDER.join("KQvk.agt"), folder.join("KBvk.agt")).expect("a copy");
    fs::write(folder.join("KNvk.agt"), "no table").expect("a file");
    fs::write(folder.join("notes.txt"), "not looked at").expect("a file");
    fs::create_dir(folder.join("KPvk.agt")).expect("a folder");
    let fen = "8/8/8/4k3/8/8/1B6/KB6 w - - 0 1";
    let separator = if cfg!(windows) { ";" } else { ":" };
    let path = format!("{}{separator}/no/such/folder", table_path(&folder));
    let lines = uci(&[path, format!("position fen {fen}"), "go depth 3".into(), "wait".into()]);
    assert!(lines.iter().any(|line| line.contains("3 endgame tables of up to 3 men")), "{lines:#?}");
    let error = lines.iter().find(|line| line.starts_with("info string error: ")).expect("an error");
    for part in [
        "KBBvk.agt' (wrong checksum: the file is damaged)",
        "KRvk.agt' (1000 bytes, not ",
        "KBvk.agt' (the file contains the class KQvk)",
        "KNvk.agt' (not a table file)",
        "KPvk.agt' (not a regular file)",
        "'/no/such/folder' (",
    ] {
        assert!(error.contains(part), "{part} is not in {error}");
    }
    assert!(lines.iter().any(|line| line.starts_with("bestmove ")), "{lines:#?}");
}

/// A file that is changed while the engine uses it costs its table, not the engine.
#[test]
fn files_that_change_while_they_are_used() {
    type Change = fn(&Path);
    let truncate = |path: &Path, len| fs::File::options().write(true).open(path).and_then(|file| file.set_len(len));
    let changes: &[(&str, bool, Change)] = &[
        ("emptied", true, |path| fs::write(path, "").expect("it is written")),
        ("overwritten", true, |path| fs::write(path, vec![7; 1 << 20]).expect("it is written")),
        ("another table", true, |path| {
            fs::copy(FOLDER.join("KQvk.agt"), path).expect("a copy");
        }),
        ("inverted", true, |path| {
            let bytes: Vec<u8> = fs::read(path).expect("a file").iter().map(|byte| !byte).collect();
            fs::write(path, bytes).expect("it is written");
        }),
        // These do not change the open file.
        ("longer", false, |path| {
            let mut file = fs::File::options().append(true).open(path).expect("a file");
            file.write_all(b"more").expect("it is written");
        }),
        #[cfg(unix)]
        ("deleted", false, |path| fs::remove_file(path).expect("it is removed")),
        #[cfg(unix)]
        ("replaced", false, |path| {
            fs::write(path.with_extension("new"), "hi").expect("it is written");
            fs::rename(path.with_extension("new"), path).expect("it is renamed");
        }),
    ];
    let (board, ..) = positions(1, |_, value| value.wdl == Wdl::Win && value.dtz > Some(9)).remove(0);
    let check = |name: &str, fails: bool, xboard: bool, change: &dyn Fn(&Path)| {
        let folder = directory("tables-changed");
        let path = folder.join("KBBvk.agt");
        fs::copy(FOLDER.join("KBBvk.agt"), &path).expect("a copy");
        let mut engine = Command::new(ENGINE);
        let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
        let mut input = engine.stdin.take().expect("a pipe");
        let mut output = BufReader::new(engine.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        if xboard {
            let path = folder.display();
            writeln!(input, "xboard\nvariant spartan\nforce\noption TablePath={path}\nping 1").expect("it reads");
        } else {
            writeln!(input, "{}\nisready", table_path(&folder)).expect("it reads");
        }
        output.by_ref().find(|line| line == "readyok" || line == "pong 1").expect("an answer");
        change(&path);
        let fen = board.to_fen();
        let lines: Vec<String> = (0..2)
            .flat_map(|_| {
                if xboard {
                    writeln!(input, "force\nsetboard {fen}\nsd 4\ngo").expect("it reads");
                } else {
                    writeln!(input, "position fen {fen}\ngo depth 4").expect("it reads");
                }
                let mut lines: Vec<String> = Vec::new();
                let is_move = |line: &String| line.starts_with("bestmove ") || line.starts_with("move ");
                while !lines.last().is_some_and(is_move) {
                    lines.push(output.next().expect("a move"));
                }
                lines
            })
            .collect();
        let errors: Vec<_> = lines.iter().filter(|line| line.contains("error: ")).collect();
        assert_eq!(errors.len(), usize::from(fails), "{name}: {lines:#?}");
        assert!(errors.iter().all(|line| line.contains("KBBvk.agt' (the file changed")), "{errors:?}");
        writeln!(input, "quit").expect("it reads");
        assert!(engine.wait().expect("it ends").success(), "{name}");
    };
    for &(name, fails, change) in changes {
        check(name, fails, false, &change);
        check(name, fails, true, &change);
    }
    for len in [0, 47, 4096, 5000] {
        check("cut", true, false, &|path| truncate(path, len).expect("it is cut"));
    }
}

/// A file that claims a length that its class cannot have is refused at once: it is not read.
#[cfg(target_os = "linux")]
#[test]
fn lengths_that_do_not_fit_the_class() {
    let folder = directory("tables-length");
    let bytes = fs::read(FOLDER.join("KQvk.agt")).expect("a file");
    for len in [48, 60, 1 << 40] {
        let path = folder.join("KQvk.agt");
        let mut header = bytes[..48].to_vec();
        header[16..24].copy_from_slice(&u64::to_le_bytes(len));
        fs::write(&path, header).expect("it is written");
        let file = fs::File::options().write(true).open(&path).expect("a file");
        file.set_len(len).expect("a file with a hole");
        let error = Table::open(&path).expect_err("it cannot fit");
        assert_eq!(error.to_string(), format!("a table of this class cannot have {len} bytes"));
    }
}

/// Files that are there are checked; the damaged ones are named and solved anew.
#[test]
fn damaged_files_are_solved_again() {
    let folder = directory("tables-again");
    let right = |name: &str| fs::read(FOLDER.join(format!("{name}.agt"))).expect("a file");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(format!("{name}.agt")), bytes).expect("it is written");
    let mut flipped = right("KQvk");
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    write("Kvk", &right("Kvk"));
    for (damaged, cause) in [
        (&b"hi\n"[..], "not a table file"),
        (b"", "not a table file"),
        (&right("KQvk")[..1000], "1000 bytes, not "),
        (&[&right("KQvk")[..], b"x"].concat(), " bytes, not "),
        (&flipped, "wrong checksum"),
        (&right("Kvkc"), "the file contains the class Kvkc"),
    ] {
        write("KQvk", damaged);
        let estimate = tables(&folder, &["KQvk", "--estimate"]);
        assert!(text(&estimate.stderr).contains("1 class to solve"), "{}", text(&estimate.stderr));
        assert!(fs::read(folder.join("KQvk.agt")).expect("a file") == damaged, "an estimate changes nothing");
        let output = tables(&folder, &["KQvk"]);
        let message = text(&output.stderr);
        assert!(output.status.success(), "{message}");
        assert!(message.contains("KQvk.agt: ") && message.contains(cause), "{cause}: {message}");
        assert!(fs::read(folder.join("KQvk.agt")).expect("a file") == right("KQvk"), "{cause}");
    }
    let output = tables(&folder, &["KQvk"]);
    assert!(text(&output.stderr).starts_with("0 classes to solve"), "{}", text(&output.stderr));
    // The class that another one leads to.
    write("Kvk", b"hi");
    let output = tables(&folder, &["KQvk", "--check", "100"]);
    assert!(output.status.success() && fs::read(folder.join("Kvk.agt")).expect("a file") == right("Kvk"));
    // It is not known what this is, so it stays.
    fs::remove_file(folder.join("Kvk.agt")).expect("it is removed");
    fs::create_dir(folder.join("Kvk.agt")).expect("a folder");
    let output = tables(&folder, &["KQvk"]);
    assert!(!output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("Kvk.agt: not a regular file"), "{}", text(&output.stderr));
}

/// The names of the classes that have a file.
#[cfg(unix)]
fn solved(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let tables = files.filter(|path| path.extension().is_some_and(|extension| extension == "agt"));
    tables.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

/// A run that is stopped or killed keeps the classes that it has solved, and the next one goes on from there.
#[test]
#[cfg(unix)]
fn a_stopped_run_is_continued() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let folder = directory("tables-stopped");
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let before = solved(&folder).len();
        let mut command = bench("tables");
        command.arg("--out").arg(&folder).stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = Running(command.spawn().expect("the program runs"));
        while solved(&folder).len() == before {
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(Pid::from_raw(run.0.id().cast_signed()), signal).expect("a signal");
        let status = run.0.wait().expect("it ends");
        assert_eq!(status.code(), (signal == Signal::SIGINT).then_some(130));
    }
    let classes = solved(&folder);
    assert!((2..77).contains(&classes.len()), "{classes:?}");
    let names: Vec<&str> = classes.iter().map(String::as_str).chain(["--check", "100"]).collect();
    let output = tables(&folder, &names);
    assert!(text(&output.stderr).starts_with("0 classes to solve"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches(" positions are consistent").count(), classes.len());
}
