//! `agoge tables` with the real binary, and who finds what it has made. Not on Windows, where no variable says where
//! the user's folders are.

use crate::common::client::{BINARY, Client, Ended, finish, run, run_with_input, send_signal, with_default_signals};
use crate::gui::{Page, Server};
use agoge_core::tables::{Class, Table, Tables};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

/// A command of a user whose data folder is in a folder.
fn command(home: &TempDir) -> Command {
    let mut command = Command::new(BINARY);
    // macOS has only the second one.
    command.env("XDG_DATA_HOME", home.path()).env("HOME", home.path());
    command
}

fn tables(home: &TempDir, arguments: &[&str]) -> Ended {
    run_with_input(command(home).arg("tables").args(arguments), b"")
}

fn home() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A home with the tables of KQvk and of what it leads to.
fn home_with_tables() -> TempDir {
    let home = home();
    tables(&home, &["KQvk"]).succeed();
    home
}

/// The folder that the command names.
fn folder_of(home: &TempDir) -> PathBuf {
    let text = tables(home, &["--estimate"]).succeed().stdout;
    let line = text.strip_prefix("The tables are in ").unwrap_or_else(|| panic!("{text}"));
    line.split(';').next().expect("a path").into()
}

/// The classes of the files of a folder, which are all valid.
fn classes(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "agt"));
    let mut names: Vec<String> =
        files.map(|path| Table::open(&path).expect("a valid table").class().to_string()).collect();
    names.sort();
    names
}

#[test]
fn small_classes_are_made_from_nothing() {
    let home = home();
    let folder = folder_of(&home);
    // Elsewhere the system has other ways to say where it is.
    #[cfg(target_os = "linux")]
    assert_eq!(folder, home.path().join("agoge/tables"));
    let estimate = tables(&home, &["--estimate"]).succeed().stdout;
    assert!(estimate.contains("; 0 of 77 are there\n77 classes to solve: about "), "{estimate}");
    for what in ["MiB of memory", "MB of disk space", " min with "] {
        assert!(estimate.contains(what), "{estimate}");
    }
    assert!(!folder.exists(), "an estimate writes nothing");

    let made = tables(&home, &["KQvk", "Kvkk", "--threads", "2"]).succeed();
    assert!(made.stdout.contains("All 3 tables are made"), "{}", made.stdout);
    assert_eq!(made.stderr.lines().collect::<Vec<_>>(), ["Kvk      1 of 3", "KQvk     2 of 3", "Kvkk     3 of 3"]);
    assert_eq!(classes(&folder), ["KQvk", "Kvk", "Kvkk"]);
    // Against known values: the longest wins of a queen, and of two kings.
    let known = Tables::open_all(folder.as_os_str()).expect("usable files");
    for (name, moves) in [("KQvk", 10), ("Kvkk", 16)] {
        let table = known.get(&name.parse::<Class>().expect("a class")).expect("a table");
        let longest = (0..table.numbering().len()).filter_map(|index| {
            let (squares, side) = table.numbering().position(index);
            let board = agoge_solver::board(table.class(), &squares, side)?;
            known.value(&board).filter(|value| value.wdl.is_win())?.dtm
        });
        assert_eq!(longest.max().map(|plies| plies.div_ceil(2)), Some(moves), "{name}");
    }

    let again = tables(&home, &["KQvk"]).succeed();
    assert!(again.stdout.contains("; 2 of 2 are there\n0 classes to solve"), "{}", again.stdout);
    let mode = fs::metadata(&folder).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "only the user may read it");
}

/// Killed at any moment, it leaves valid files only, and the same command makes the rest.
#[test]
fn a_run_that_ends_early_is_continued() {
    let home = home();
    let folder = folder_of(&home);
    let wanted = ["KRvk", "Kvkc", "KPvk", "Kvkh", "KBvk"];
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let before = classes(&folder).len();
        let mut command = command(&home);
        with_default_signals(command.arg("tables").args(wanted));
        let run = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let run = run.expect("the program starts");
        while classes(&folder).len() <= before {
            sleep(Duration::from_millis(2));
        }
        send_signal(run.id(), signal);
        let ended = finish(run);
        if signal == Signal::SIGINT {
            ended.fail(1, "stopped; the same command continues");
        }
    }
    // What a killed run leaves behind is removed.
    fs::write(folder.join(".agoge-table-left"), "half").expect("a file");
    let done = classes(&folder).len();
    let made = tables(&home, &wanted).succeed();
    assert!(made.stdout.contains(&format!("; {done} of ")), "{done}: {}", made.stdout);
    assert_eq!(classes(&folder).len(), done + made.stderr.lines().count(), "{}", made.stderr);
    assert!(!folder.join(".agoge-table-left").exists());
}

#[test]
fn damaged_files_are_made_anew() {
    let home = home_with_tables();
    let path = folder_of(&home).join("KQvk.agt");
    let right = fs::read(&path).expect("a file");
    let mut flipped = right.clone();
    flipped[right.len() / 2] ^= 1;
    for (damaged, cause) in
        [(&flipped[..], "wrong checksum"), (&right[..1000], "1000 bytes, not "), (b"", "not a table")]
    {
        fs::write(&path, damaged).expect("it is written");
        // Who reads it says so and goes on.
        let mut client = Client::run(&mut command(&home));
        assert!(
            client.set("TablePath", "auto").iter().any(|line| line.contains("KQvk.agt' (") && line.contains(cause))
        );
        client.quit();
        let made = tables(&home, &["KQvk"]).succeed();
        assert!(made.stderr.contains("KQvk.agt: ") && made.stderr.contains(cause), "{}", made.stderr);
        assert!(made.stderr.contains("; it is made anew"), "{}", made.stderr);
        assert!(fs::read(&path).expect("a file") == right, "{cause}");
    }
}

#[test]
fn wrong_arguments_and_folders() {
    let home = home();
    for arguments in [&["tables"][..], &["KQvkx"], &["--threads", "0"], &["--nonsense"]] {
        tables(&home, arguments).fail(2, "agoge tables: ");
    }
    tables(&home, &["KQvk", "--memory", "0.001"]).fail(1, "KQvk takes 0.0 GiB of memory");
    assert!(classes(&folder_of(&home)).is_empty(), "the smaller classes are not made first");
    tables(&home, &["--out", "no/such/folder", "KQvk"]).fail(1, "agoge: no/such/folder: ");
    run(&["--variant", "chess", "tables"]).fail(2, "--variant has no effect");
    let file = home.path().join("file");
    fs::write(&file, "").expect("a file");
    tables(&home, &["--out", &file.display().to_string(), "KQvk"]).fail(1, "agoge: ");
    let help = run(&["tables", "--help"]).succeed().stdout;
    assert!(help.contains("the exact result of each position") && help.lines().all(|line| line.len() <= 120), "{help}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    // A file system of that size cannot be mounted here, but the size of files can be limited.
    let home = home();
    let mut shell = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f 4; exec {BINARY} tables KQvk");
    let ended = run_with_input(shell.args(["-c", &script]).env("XDG_DATA_HOME", home.path()), b"");
    ended.fail(1, "KQvk.agt: ");
    assert_eq!(classes(&home.path().join("agoge/tables")), ["Kvk"]);
}

/// A position of KQvk whose result only the tables tell in so few nodes.
const POSITION: &str = "8/8/8/3k4/8/8/7Q/K7 w - - 0 1";

#[test]
fn uci_finds_the_tables_only_if_it_is_told() {
    let home = home_with_tables();
    let position = format!("position fen {POSITION}");
    let mut client = Client::run(&mut command(&home));
    client.send("uci");
    let options = client.until("uciok");
    assert!(options.iter().any(|line| line == "option name TablePath type string default <empty>"), "{options:#?}");
    let exact =
        |lines: &[String]| lines.iter().any(|line| line.starts_with("Tables: ") && line.contains(" to zeroing"));
    assert!(!exact(&client.ask(&format!("{position}\nd"))));
    assert_eq!(client.set("TablePath", "auto"), ["info string 2 endgame tables of up to 3 men, 0 MiB"]);
    assert!(exact(&client.ask("d")));
    client.set("TablePath", "<empty>");
    assert!(!exact(&client.ask("d")));
    client.quit();
    let mut client = Client::run(&mut command(&self::home()));
    let lines = client.set("TablePath", "auto");
    assert_eq!(lines, ["info string there are no endgame tables; the command 'agoge tables' makes them"]);
    client.quit();
}

#[test]
fn analyse_finds_the_tables() {
    let home = home();
    tables(&home, &["KNNvk"]).succeed();
    let game = home.path().join("game.pgn");
    let text = "[FEN \"8/8/8/3k4/8/8/3N4/K2N4 w - - 0 1\"]\n[SetUp \"1\"]\n[Result \"*\"]\n\n1. Kb1 Ke5 *\n";
    fs::write(&game, text).expect("a file");
    let analyse = |more: &[&str]| {
        let mut command = command(&home);
        command
            .args(["analyse", "--nodes", "1000", "--force", "--out", "-", "--svg"])
            .arg(home.path().join("game.svg"));
        run_with_input(command.arg(&game).args(more), b"").succeed().stdout
    };
    assert!(analyse(&[]).contains("exact: draw"), "{}", analyse(&[]));
    assert!(!analyse(&["--tables", "none"]).contains("exact"), "{}", analyse(&["--tables", "none"]));
}

/// What the engine behind a page says before it answers.
fn notes(page: &mut Page) -> Vec<String> {
    page.send("isready");
    let mut notes = vec![page.receive()];
    while notes.last().is_some_and(|line| line != "readyok") {
        notes.push(page.receive());
    }
    notes
}

#[test]
fn the_board_finds_the_tables() {
    let home = home_with_tables();
    for (more, is_found) in [(&[][..], true), (&["--tables", "none"], false)] {
        let mut command = command(&home);
        let server = Server::run(command.args(["gui", "--no-open", "--port=0"]).args(more));
        let mut page = server.page();
        let notes = notes(&mut page);
        assert_eq!(notes.iter().any(|line| line.contains("2 endgame tables of up to 3 men")), is_found, "{notes:#?}");
    }
}

/// Tables that are made while the board is open are used without a restart.
#[test]
fn the_board_makes_tables() {
    let home = home();
    let server = Server::run(command(&home).args(["gui", "--no-open", "--port=0"]));
    let mut page = server.page();
    assert!(!notes(&mut page).iter().any(|line| line.contains("endgame tables of up to")));
    let moves = json!({"ask": "tables-moves", "line": {"fen": "8/8/8/3k4/8/3l4/8/KQ6 w - - 0 1"}});
    let told = page.ask(&moves);
    assert_eq!((&told["ok"]["value"], &told["ok"]["missing"]), (&Value::Null, &json!(["KQvkl"])), "{told}");
    let state = page.ask(&json!({"ask": "tables-state"}));
    assert_eq!(
        (&state["ok"]["all"], &state["ok"]["made"], &state["ok"]["running"]),
        (&json!(77), &json!(0), &json!(false))
    );

    let mut state = page.ask(&json!({"ask": "tables-make"}));
    assert_eq!(state["ok"]["running"], true, "{state}");
    while state["ok"]["made"].as_u64() < Some(3) {
        sleep(Duration::from_millis(20));
        state = page.ask(&json!({"ask": "tables-state"}));
        assert!(state["ok"]["error"].is_null(), "{state}");
    }
    // One program at a time.
    tables(&home, &["KQvk", "KQvkl"]).fail(1, "another program is making tables there");
    page.ask(&json!({"ask": "tables-stop"}));
    while state["ok"]["running"] == true {
        sleep(Duration::from_millis(20));
        state = page.ask(&json!({"ask": "tables-state"}));
    }
    assert!(state["ok"]["error"].is_null(), "{state}");
    page.send("position startpos");
    assert!(notes(&mut page).iter().any(|line| line.contains("endgame tables of up to 3 men")));

    // What another program makes is noticed, too.
    tables(&home, &["KQvkl"]).succeed();
    sleep(Duration::from_millis(5100));
    let told = page.ask(&moves);
    assert!(told["ok"]["value"]["result"].is_string() && told["ok"]["missing"] == json!([]), "{told}");
    let legal = told["ok"]["moves"].as_array().expect("moves");
    assert!(legal.iter().all(|told| told["result"].is_string() && told["fen"].is_string()), "{told}");
    page.send("position startpos");
    assert!(notes(&mut page).iter().any(|line| line.contains("endgame tables of up to 4 men")));
}
