//! End-to-end tests of the match runner with the real engine and with faulty engines.
//!
//! The faulty engines are shell scripts, so their tests require Unix.
#[cfg(unix)]
use crate::common::write_script;
use crate::common::{ENGINE, bench, text};
#[cfg(target_os = "linux")]
use crate::common::{Running, full_tests};
#[cfg(unix)]
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An empty directory for one test.
fn directory(name: &str) -> PathBuf {
    crate::common::directory(&format!("match-{name}"))
}

/// The arguments for the real engine.
pub fn engine(name: &str, words: &str) -> Vec<String> {
    program(Path::new(ENGINE), name, words)
}

/// The arguments for an engine.
pub fn program(path: &Path, name: &str, words: &str) -> Vec<String> {
    let own = ["--engine".to_owned(), format!("cmd={}", path.display()), format!("name={name}")];
    own.into_iter().chain(words.split_ascii_whitespace().map(str::to_owned)).collect()
}

/// The option with which a script offers the variant.
#[cfg(unix)]
const SPARTAN: &str = "option name UCI_Variant type combo default chess var chess var spartan";

/// A UCI script that runs `at_go` at each `go`, with their number in `$n`.
#[cfg(unix)]
fn script(directory: &Path, name: &str, at_go: &str) -> Vec<String> {
    script_with(directory, name, SPARTAN, &format!("go) n=$((n+1)); {at_go};;"))
}

/// A UCI script with an option and additional cases of `case $word in`.
#[cfg(unix)]
fn script_with(directory: &Path, name: &str, option: &str, cases: &str) -> Vec<String> {
    let path = directory.join(name);
    let text = format!(
        "n=0\nwhile read -r word rest; do\ncase $word in\nuci) echo '{option}'; echo uciok;;\n{cases}\n\
         isready) echo readyok;;\nquit) exit;;\nesac\ndone"
    );
    write_script(&path, &text);
    program(&path, name, "")
}

fn command(arguments: &[&[String]], more: &[&str]) -> Command {
    let mut command = bench("match");
    command.args(arguments.iter().copied().flatten()).args(more).stdin(Stdio::null());
    command
}

pub fn run(arguments: &[&[String]], more: &[&str]) -> Output {
    command(arguments, more).output().expect("the match runs")
}

#[track_caller]
fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("no exit status: {}", text(&output.stderr)))
}

/// The JSON on stdout.
#[track_caller]
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)))
}

/// Whether an engine has made no faults.
pub fn is_faultless(engine: &Value) -> bool {
    engine["faults"].as_object().expect("faults").values().all(|count| count == 0)
}

/// The games of a file by their tags Round, White and Black.
fn games(path: &Path) -> Vec<(String, String, String)> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let tags = |name: &str| {
        let begin = format!("[{name} \"");
        let values = text.lines().filter_map(|line| line.strip_prefix(&begin)?.strip_suffix("\"]"));
        values.map(str::to_owned).collect::<Vec<_>>()
    };
    let players = tags("White").into_iter().zip(tags("Black"));
    tags("Round").into_iter().zip(players).map(|(round, (white, black))| (round, white, black)).collect()
}

#[test]
fn a_match_is_played_and_written() {
    let directory = directory("played");
    let pgn = directory.join("games.pgn");
    let engines = [engine("one", ""), engine("two", "option.Hash=1"), engine("three", "depth=2")];
    let output = run(
        &[&engines[0], &engines[1], &engines[2]],
        &["--each", "nodes=200", "--games", "4", "--concurrency", "2", "--json", "-", "--pgn", pgn.to_str().unwrap()],
    );
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    let report = json(&output);
    assert_eq!(report["games_played"], 12);
    for engine in report["engines"].as_array().expect("engines") {
        assert_eq!(engine["games"], 8);
        assert!(is_faultless(engine));
        assert_eq!(engine["pentanomial"].as_array().expect("pairs").iter().filter_map(Value::as_u64).sum::<u64>(), 4);
    }
    assert_eq!(report["pairings"].as_array().map(Vec::len), Some(3));
    let played = games(&pgn);
    assert_eq!(played.len(), 12);
    assert_eq!(played.iter().collect::<HashSet<_>>().len(), 12);
    let text = fs::read_to_string(&pgn).expect("games");
    for wanted in [
        "[Variant \"Spartan\"]",
        "[TimeControl \"nodes=200\"]",
        "[WhiteTimeControl \"depth=2\"]",
        "{book}",
        "[PlyCount ",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }

    // Without --resume the file is left unchanged, and with it there is nothing left to play.
    let size = fs::metadata(&pgn).expect("games").len();
    let each = ["--each", "nodes=200", "--games", "4", "--pgn", pgn.to_str().unwrap()];
    assert_eq!(status(&run(&[&engines[0], &engines[1], &engines[2]], &each)), 2);
    let resumed = [each.as_slice(), &["--resume", "--json", "-"]].concat();
    let output = run(&[&engines[0], &engines[1], &engines[2]], &resumed);
    assert_eq!((status(&output), &json(&output)["games_resumed"]), (0, &Value::from(12)));
    assert!(fs::metadata(&pgn).expect("games").len().abs_diff(size) < 2);
    // A different match is rejected.
    assert_eq!(status(&run(&[&engines[0], &engines[1]], &resumed)), 2);
}

#[test]
fn orthodox_chess_from_a_file_of_openings() {
    let directory = directory("chess");
    let openings = directory.join("openings.epd");
    fs::write(&openings, "4k3/8/8/8/8/8/4P3/4K3 w - - id \"KPK\";\n").expect("openings");
    let pgn = directory.join("games.pgn");
    let engines = [engine("one", ""), engine("two", "")];
    let more = ["--each", "nodes=300", "--games", "2", "--variant", "chess", "--openings", openings.to_str().unwrap()];
    let output = run(&[&engines[0], &engines[1]], &[more.as_slice(), &["--pgn", pgn.to_str().unwrap()]].concat());
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("2 of 2 games"));
    let text = fs::read_to_string(&pgn).expect("games");
    assert!(text.contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]") && text.contains("[SetUp \"1\"]"));
    assert!(!text.contains("Variant"));
}

#[test]
fn a_test_decides_in_both_directions() {
    let engines = [engine("strong", "nodes=1500"), engine("weak", "nodes=30")];
    let more = ["--games", "400", "--sprt", "elo0=0", "elo1=200", "--json", "-", "--concurrency", "2"];
    let output = run(&[&engines[0], &engines[1]], &more);
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    assert_eq!(json(&output)["sprt"]["verdict"], "H1");
    assert!(json(&output)["games_played"].as_u64() < Some(400));
    let output = run(&[&engines[1], &engines[0]], &more);
    assert_eq!(status(&output), 1, "{}", text(&output.stderr));
    assert_eq!(json(&output)["sprt"]["verdict"], "H0");
    // One pair cannot decide a test.
    let output = run(&[&engines[0], &engines[1]], &["--games", "2", "--sprt", "elo0=0", "elo1=2"]);
    assert_eq!(status(&output), 3, "{}", text(&output.stderr));
}

/// Plays a match of the real engine against a faulty one and returns the faults of the latter; the real engine must
/// have none.
#[cfg(unix)]
fn faults_of(name: &str, at_go: &str, more: &[&str]) -> Value {
    let directory = directory(name);
    let pgn = directory.join("games.pgn");
    let engines = [engine("good", ""), script(&directory, name, at_go)];
    let more = [&["--games", "2", "--json", "-", "--strict", "--pgn", pgn.to_str().unwrap()], more].concat();
    let begin = Instant::now();
    let output = run(&[&engines[0], &engines[1]], &more);
    assert!(begin.elapsed() < Duration::from_secs(120));
    assert_eq!(status(&output), 5, "{}", text(&output.stderr));
    let report = json(&output);
    assert_eq!(report["games_played"], 2);
    assert_eq!(report["engines"][0]["points"], 2.0);
    assert!(is_faultless(&report["engines"][0]), "{report}");
    // Each fault is reported immediately and written to the file.
    let reported = text(&output.stderr).lines().filter(|line| line.contains(&format!(", {name}: "))).count();
    assert_eq!(reported, 2, "{}", text(&output.stderr));
    assert_eq!(games(&pgn).len(), 2);

    // The faults are restored from the file.
    let output = run(&[&engines[0], &engines[1]], &[more.as_slice(), &["--resume"]].concat());
    assert_eq!(status(&output), 5, "{}", text(&output.stderr));
    assert_eq!(json(&output)["engines"][1]["faults"], report["engines"][1]["faults"]);
    report["engines"][1]["faults"].clone()
}

#[cfg(unix)]
#[test]
fn illegal_moves_are_counted() {
    let faults = faults_of("illegal", "echo bestmove a1a8", &["--each", "nodes=100"]);
    assert_eq!(faults["illegal_moves"], 2);
    let faults = faults_of("nonsense", "echo bestmove", &["--each", "nodes=100"]);
    assert_eq!(faults["illegal_moves"], 2);
}

#[cfg(unix)]
#[test]
fn crashes_are_counted_and_the_engine_is_restarted() {
    let faults = faults_of("crash", "echo info string; echo out of luck >&2; exit 3", &["--each", "nodes=100"]);
    assert_eq!(faults["crashes"], 2);
    // Even if a child process keeps its output open.
    let begin = Instant::now();
    let faults = faults_of("orphan", "sleep 1000 & exit 3", &["--each", "nodes=100", "--stall", "1000"]);
    assert!(faults["crashes"] == 2 && begin.elapsed() < Duration::from_secs(100));
}

/// A device is read neither for ever nor at all.
#[cfg(target_os = "linux")]
#[test]
fn games_are_written_to_devices() {
    let engines = [engine("one", "nodes=50"), engine("two", "nodes=50")];
    let run = |pgn| run(&[&engines[0], &engines[1]], &["--games", "2", "--pgn", pgn]);
    assert_eq!(status(&run("/dev/null")), 0);
    assert_eq!(text(&run("/dev/stdout").stdout).matches("[Event ").count(), 2);
    let output = run("/dev/full");
    assert_eq!(status(&output), 4, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("/dev/full: No space left on device"), "{}", text(&output.stderr));
    for command in ["openings --count", "tactics make --count", "mates generate --per-cell"] {
        let mut words = command.split(' ');
        let name = words.next().expect("a name");
        let output = bench(name).args(words).args(["1", "--out", "/dev/full"]).output().expect("it runs");
        assert_eq!(status(&output), 2, "{command}");
        assert!(text(&output.stderr).contains("/dev/full: it is not a file"), "{}", text(&output.stderr));
    }
}

#[cfg(unix)]
#[test]
fn stalls_are_counted_and_the_engine_is_restarted() {
    let faults = faults_of("stall", "sleep 1000", &["--each", "nodes=100", "--stall", "0.3"]);
    assert_eq!(faults["stalls"], 2);
    // With a clock, an engine stalls if it is silent after its time has run out.
    let faults = faults_of("stall-clock", "sleep 1000", &["--each", "tc=0.2+0.1", "margin=800", "--stall", "0.3"]);
    assert_eq!(faults["stalls"], 2);
}

#[cfg(unix)]
#[test]
fn an_engine_that_prints_forever_stalls() {
    let more = ["--each", "nodes=100", "--stall", "0.3"];
    let faults = faults_of("flood", "while :; do echo info string x; done", &more);
    assert_eq!(faults["stalls"], 2);
    let faults = faults_of("same", "while :; do echo info depth 1 nodes 5 score cp 3 pv e2e4; done", &more);
    assert_eq!(faults["stalls"], 2);
    // Apparent progress does not extend the time forever.
    let faults = faults_of("counter", "while :; do n=$((n+1)); echo info depth 1 nodes $n; done", &more[..]);
    assert_eq!(faults["stalls"], 2);
    let more = ["--each", "tc=0.2+0.1", "margin=800", "--stall", "0.3"];
    let faults = faults_of("flood-clock", "while :; do echo info string x; done", &more);
    assert_eq!(faults["stalls"], 2);
}

#[cfg(unix)]
#[test]
fn an_engine_may_search_long_while_it_makes_progress() {
    let directory = directory("progress");
    // Each line arrives within the stall timeout, but not the whole search.
    let at_go = "for i in 1 2 3; do echo info depth $i nodes $i; sleep 1.2; done; echo bestmove a1a8";
    let engines = [engine("good", ""), script(&directory, "slow", at_go)];
    let more = ["--each", "nodes=100", "--stall", "3", "--games", "2", "--json", "-"];
    let report = json(&run(&[&engines[0], &engines[1]], &more));
    assert_eq!(report["engines"][1]["faults"]["illegal_moves"], 2, "{report}");
}

#[cfg(unix)]
#[test]
fn an_engine_that_does_not_read_stalls() {
    let directory = directory("deaf");
    let path = directory.join("deaf");
    write_script(&path, &format!("echo '{SPARTAN}'; echo option name X type string; echo uciok; exec sleep 1000"));
    // More than a pipe holds.
    let deaf = program(&path, "deaf", &format!("nodes=1 option.X={}", "x".repeat(100_000)));
    let output = run(&[&engine("good", "nodes=1"), &deaf], &[]);
    assert_eq!(status(&output), 4);
    assert!(text(&output.stderr).contains("deaf does not read its input"), "{}", text(&output.stderr));
}

/// The peak memory of a process so far, in MiB.
#[cfg(target_os = "linux")]
fn peak_memory(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib >> 10)
}

#[test]
#[cfg(target_os = "linux")]
fn long_lines_take_little_memory() {
    let directory = directory("memory");
    // The opponent searches until 250 lines of 1 MB are waiting to be read.
    let done = directory.join("done");
    let done = done.to_str().unwrap();
    let cases = format!(
        "ucinewgame) n=$((n+1));;\nisready) echo readyok; if [ $n = 1 ]; then n=2; \
         x=$(head -c 1000000 /dev/zero | tr '\\0' x); for i in $(seq 250); do echo $x; done; touch {done}; fi;;\n\
         go) echo bestmove a1a8;;"
    );
    let long = script_with(&directory, "long", SPARTAN, &cases);
    let wait = format!("while [ ! -e {done} ]; do sleep 0.1; done; echo bestmove a1a8");
    let slow = script(&directory, "slow", &wait);
    let more = ["--each", "nodes=1", "--games", "2", "--stall", "300", "--json", "-"];
    let mut child =
        command(&[&slow, &long], &more).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the match runs");
    let mut peak = 0;
    while child.try_wait().expect("a child").is_none() {
        peak = peak.max(peak_memory(child.id()).unwrap_or(0));
        sleep(Duration::from_millis(20));
    }
    let report = json(&child.wait_with_output().expect("an end"));
    assert_eq!(report["games_played"], 2);
    assert!((1..150).contains(&peak), "{peak} MiB");
}

/// The number of children of a process that have ended and have not been waited for.
#[cfg(target_os = "linux")]
fn zombies(parent: u32) -> usize {
    let processes = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let states = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    let zombie = format!("Z {parent} ");
    states.filter(|state| state.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(&zombie))).count()
}

#[test]
#[cfg(target_os = "linux")]
fn faults_of_all_kinds_in_concurrent_games_are_counted_once() {
    let directory = directory("kinds");
    let [games, made] = ["games", "made"].map(|name| directory.join(name).display().to_string());
    let cases = format!(
        "ucinewgame) echo >> {games}; n=$(($(wc -l < {games}) % 5));;\n\
         go) case $n in\n0) echo crashes >> {made}; exit 3;;\n1) echo illegal_moves >> {made}; echo bestmove a1a1;;\n\
         2) echo stalls >> {made}; sleep 1000;;\n3) echo stalls >> {made}; while :; do echo info string x; done;;\n\
         4) echo time_losses >> {made}; sleep 0.6; echo bestmove e2e4;;\nesac;;"
    );
    let faulty = script_with(&directory, "faulty", SPARTAN, &cases);
    let limits = ["movetime=300".to_owned(), "margin=0".to_owned()];
    let games = if full_tests() { "200" } else { "20" };
    let more = ["--games", games, "--concurrency", "2", "--stall", "2", "--json", "-", "--quiet"];
    let mut child = command(&[&faulty, &limits, &engine("good", "nodes=100")], &more)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the match runs");
    let (mut most_zombies, mut peak) = (0, 0);
    while child.try_wait().expect("a child").is_none() {
        most_zombies = most_zombies.max(zombies(child.id()));
        peak = peak.max(peak_memory(child.id()).unwrap_or(0));
        sleep(Duration::from_millis(20));
    }
    let report = json(&child.wait_with_output().expect("an end"));
    let made = fs::read_to_string(&made).expect("faults");
    for (fault, count) in report["engines"][0]["faults"].as_object().expect("faults") {
        let made = made.lines().filter(|line| line == fault).count();
        assert_eq!(count.as_u64(), Some(made as u64), "{fault}: {report}");
    }
    assert!(is_faultless(&report["engines"][1]), "{report}");
    assert!(most_zombies <= 2 && (1..100).contains(&peak), "{most_zombies} zombies, {peak} MiB");
}

#[cfg(unix)]
#[test]
fn an_engine_without_the_variant_is_refused() {
    let directory = directory("variant");
    let pgn = directory.join("games.pgn");
    let good = engine("good", "");
    let answer = "go) echo bestmove a1a8;;";
    let none = script_with(&directory, "none", "option name Hash type spin", answer);
    let other = script_with(&directory, "other", "option name UCI_Variant type combo default chess var chess", answer);
    let more = ["--each", "nodes=100", "--games", "2", "--pgn", pgn.to_str().unwrap(), "--json", "-"];
    for (bad, message) in [
        (&none, "agoge-bench match: none does not play the variant spartan: it has no option UCI_Variant\n"),
        (
            &other,
            "agoge-bench match: other does not play the variant spartan: its option UCI_Variant does not offer it\n",
        ),
    ] {
        let output = run(&[&good, bad], &more);
        assert_eq!((status(&output), text(&output.stderr).as_str()), (4, message));
        assert!(games(&pgn).is_empty());
        // Engines without the option are assumed to play orthodox chess.
        let output = run(&[&good, bad], &["--each", "nodes=100", "--games", "2", "--variant", "chess", "--json", "-"]);
        assert_eq!(json(&output)["games_played"], 2);
    }
}

#[cfg(unix)]
#[test]
fn tables_are_in_the_order_of_the_scores() {
    let directory = directory("table");
    let bad = script(&directory, "bad", "echo bestmove a1a8");
    let each = ["--each", "nodes=50", "--games", "2", "--quiet"];
    let rows = |output: &Output| -> Vec<String> {
        let shown = text(&output.stdout);
        let rows = shown.lines().filter(|line| line.starts_with('│'));
        rows.map(|row| row.trim_start_matches('│').split_whitespace().next().unwrap_or("").to_owned()).collect()
    };
    let output = run(&[&bad, &engine("one", ""), &engine("two", "nodes=60")], &each);
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    let names = rows(&output);
    // The tables of engines, pairings and faults.
    assert_eq!((names[0].as_str(), names[3].as_str(), names[names.len() - 1].as_str()), ("engine", "bad", "bad"));
    assert!(text(&output.stdout).contains("lost all"), "{}", text(&output.stdout));
    // The crosstable is in the same order.
    assert_eq!((names[4].as_str(), names[5].as_str(), names[7].as_str()), ("crosstable", "1", "3"));
    let last = text(&output.stdout).lines().find(|line| line.starts_with("│ 3 bad")).expect("a row").to_owned();
    let cells: Vec<&str> = last.split(['│', '┆']).map(str::trim).collect();
    assert_eq!(cells[2..5], ["0/2", "0/2", "-"]);
    assert!(!text(&output.stdout).contains("inf"), "{}", text(&output.stdout));
    // Of two engines the first is the one under test.
    let output = run(&[&bad, &engine("one", "")], &each);
    assert_eq!(rows(&output)[1..3], ["bad", "one"]);
    assert!(text(&output.stdout).contains("won all") && text(&output.stdout).contains("lost all"));
}

#[test]
fn results_and_logs_are_not_overwritten() {
    let directory = directory("overwrite");
    let [pgn, results, log] = ["games.pgn", "result.json", "match.log"].map(|name| directory.join(name));
    let [pgn, results, log] = [&pgn, &results, &log].map(|path| path.to_str().unwrap());
    let engines = [engine("one", "nodes=20"), engine("two", "nodes=20")];
    let run = |more: &[&str]| run(&[&engines[0], &engines[1]], &[&["--games", "2", "--quiet"], more].concat());
    let read = |path: &str| fs::read_to_string(path).expect("a file");
    for option in ["--json", "--log"] {
        let path = if option == "--json" { results } else { log };
        fs::write(path, "precious").expect("a file");
        let output = run(&[option, path, "--pgn", pgn]);
        let message = format!("agoge-bench match: {path}: the file exists; --force overwrites it\n");
        assert_eq!((status(&output), text(&output.stderr)), (2, message));
        assert_eq!(read(path), "precious");
        assert!(games(Path::new(pgn)).is_empty(), "games were played");
        assert_eq!(status(&run(&[option, path, "--force"])), 0);
        assert_ne!(read(path), "precious");
        fs::remove_file(path).expect("a file");
    }
    // Two options must not name the same file.
    for force in ["--force", "--resume"] {
        let output = run(&["--pgn", pgn, "--json", pgn, force]);
        let message = format!("agoge-bench match: {pgn}: used by both --pgn and --json\n");
        assert_eq!((status(&output), text(&output.stderr)), (2, message));
    }
    // The same command with --resume continues all files.
    let more = ["--json", results, "--log", log, "--pgn", pgn];
    assert_eq!(status(&run(&more)), 0);
    let logged = read(log);
    assert_eq!(status(&run(&more)), 2);
    let output = run(&[&more[..], &["--games", "4", "--resume"]].concat());
    assert_eq!(status(&output), 2, "--games is given twice: {}", text(&output.stderr));
    fs::write(pgn, "").expect("no games");
    assert_eq!(status(&run(&[&more[..], &["--resume"]].concat())), 0);
    assert!(read(log).len() > logged.len() && read(log).starts_with(&logged));
    assert_eq!(serde_json::from_str::<Value>(&read(results)).expect("JSON")["games_played"], 2);
    // Invalid arguments leave no files behind, and devices may be overwritten.
    fs::remove_file(log).expect("a file");
    assert_eq!(status(&run(&["--log", log, "--openings", "/nonexistent"])), 2);
    assert!(!Path::new(log).exists());
    #[cfg(unix)]
    assert_eq!(status(&run(&["--json", "/dev/null", "--log", "/dev/null"])), 0);
    // A log that cannot be written does not stop the match.
    #[cfg(target_os = "linux")]
    {
        let output = run(&["--json", "/dev/null", "--log", "/dev/full"]);
        let message = "/dev/full: No space left on device (os error 28); the log is incomplete";
        assert_eq!(
            (status(&output), text(&output.stderr).matches(message).count()),
            (0, 1),
            "{}",
            text(&output.stderr)
        );
    }
    assert_eq!(status(&run(&["--json", "/nonexistent/result.json"])), 2);
}

#[cfg(unix)]
#[test]
fn losses_on_time_are_counted() {
    // The margin is for machines that are busy with other tests.
    let more = ["--each", "movetime=20", "margin=150", "--stall", "20"];
    let faults = faults_of("late", "sleep 0.4; echo bestmove e2e4", &more);
    assert_eq!(faults["time_losses"], 2);
}

#[test]
fn unusable_engines_are_reported() {
    let good = engine("good", "nodes=100");
    let missing = program(Path::new("/nonexistent/engine"), "missing", "nodes=1");
    let output = run(&[&good, &missing], &[]);
    assert_eq!(status(&output), 4);
    // On Windows the path is complete, with its drive and backslashes.
    assert!(text(&output.stderr).replace('\\', "/").contains("/nonexistent/engine"), "{}", text(&output.stderr));
    let output = run(&[&good, &engine("bad", "nodes=100 option.Colour=red")], &[]);
    assert_eq!(status(&output), 4);
    assert!(text(&output.stderr).contains("no option 'Colour'"), "{}", text(&output.stderr));
}

#[test]
fn invalid_arguments_are_reported() {
    let directory = directory("arguments");
    let openings = directory.join("openings.epd");
    fs::write(&openings, "8/8/8/8/8/8/8/8 w - -\n").expect("openings");
    let pair = [engine("one", "nodes=1"), engine("two", "nodes=1")];
    let one: &[&[String]] = &[&pair[0]];
    let twins: &[&[String]] = &[&pair[0], &pair[0]];
    let two: &[&[String]] = &[&pair[0], &pair[1]];
    for (engines, more) in [
        (one, &[][..]),
        (twins, &[]),
        (&[], &[]),
        (two, &["--games", "3"]),
        (two, &["--games", "0"]),
        (two, &["--concurrency", "0"]),
        (two, &["--stall", "nan"]),
        (two, &["--sprt", "elo0=0"]),
        (two, &["--sprt", "elo0=5", "elo1=0"]),
        (two, &["--sprt", "elo0=0", "elo1=5", "alpha=2"]),
        (two, &["--draw", "score=-1"]),
        (two, &["--resign", "moves=1"]),
        (two, &["--max-moves", "0"]),
        (two, &["--first-opening", "0"]),
        (two, &["--random-plies", "1000"]),
        (two, &["--openings", "/nonexistent"]),
        (two, &["--openings", openings.to_str().unwrap()]),
        (two, &["--pgn", "/nonexistent/games.pgn"]),
        (two, &["--resume"]),
        (two, &["--variant", "xiangqi"]),
        (two, &["--each", "colour=red"]),
        (two, &["--each", "tc=x"]),
    ] {
        let output = run(engines, more);
        assert_eq!(status(&output), 2, "{more:?}: {}", text(&output.stderr));
        assert!(!output.stderr.is_empty());
    }
}

/// Not UTF-8.
#[cfg(unix)]
#[test]
fn an_argument_of_other_bytes_is_reported() {
    use std::os::unix::ffi::OsStrExt;
    let output = bench("match").arg(std::ffi::OsStr::from_bytes(b"--\xff")).output().expect("the program runs");
    assert_eq!(status(&output), 2, "{}", text(&output.stderr));
}

/// Waits until a file has at least this number of games.
fn wait_for_games(path: &Path, count: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while games(path).len() < count {
        assert!(Instant::now() < deadline, "the match makes no progress");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_match_is_resumed() {
    let directory = directory("killed");
    let pgn = directory.join("games.pgn");
    let engines = [engine("one", "nodes=300"), engine("two", "nodes=200")];
    let more = ["--games", "24", "--concurrency", "2", "--pgn", pgn.to_str().unwrap(), "--resume", "--json", "-"];
    let mut had = 0;
    for part in [5, 12] {
        let mut child = command(&[&engines[0], &engines[1]], &more)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the match runs");
        wait_for_games(&pgn, part);
        child.kill().expect("a match can be killed");
        child.wait().expect("it has ended");
        had = games(&pgn).len();
        assert!((part..24).contains(&had), "{had}");
    }
    // Simulate a kill during a write.
    let mut truncated = fs::read_to_string(&pgn).expect("games");
    let keep = truncated.trim_end().len() - 20;
    truncated.truncate(keep);
    fs::write(&pgn, truncated).expect("a truncated file");

    let output = run(&[&engines[0], &engines[1]], &more);
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("removed an incomplete game"));
    let report = json(&output);
    assert_eq!((&report["games_played"], &report["games_resumed"]), (&Value::from(24), &Value::from(had - 1)));
    let played = games(&pgn);
    assert_eq!(played.len(), 24);
    for round in 1..=12 {
        for (game, white, black) in [(1, "one", "two"), (2, "two", "one")] {
            let wanted = (format!("{round}.{game}"), white.to_owned(), black.to_owned());
            assert_eq!(played.iter().filter(|&game| *game == wanted).count(), 1, "{wanted:?}");
        }
    }
}

/// The names are read from the games as they were written.
#[test]
fn a_match_is_resumed_whatever_the_names() {
    let directory = directory("names");
    let names = ["a\tb", " two\n\u{a0}words ", "\"q\" \\", "\u{1b}[1mbold", "Müller ½", "[x] {y} ; %", "a b c"];
    let engines: Vec<_> = names.iter().map(|name| engine(name, "nodes=10")).collect();
    let arguments: Vec<&[String]> = engines.iter().map(Vec::as_slice).collect();
    let pgn = directory.join("games.pgn");
    let more =
        ["--games", "2", "--max-moves", "3", "--pgn", pgn.to_str().unwrap(), "--resume", "--quiet", "--json", "-"];
    for resumed in [0, 42] {
        let output = run(&arguments, &more);
        assert_eq!(status(&output), 0, "{}", text(&output.stderr));
        assert_eq!((&json(&output)["games_played"], &json(&output)["games_resumed"]), (&42.into(), &resumed.into()));
    }
    // Tables have one row for each engine.
    let output = run(&[&engines[0], &engines[1]], &["--games", "2", "--max-moves", "3", "--quiet"]);
    assert!(text(&output.stdout).contains("│ a b "), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("│ two words "), "{}", text(&output.stdout));
    // Names that differ only in that are the same.
    let twin = engine("a \t b", "nodes=10");
    let output = run(&[&engines[0], &twin], &[]);
    assert_eq!(status(&output), 2);
    assert!(text(&output.stderr).contains("two engines are named 'a b'"), "{}", text(&output.stderr));
    assert_eq!(status(&run(&[&engines[0], &engine("\t", "nodes=10")], &[])), 2);
}

/// As under `nohup`, which starts a program with SIGHUP ignored.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_hangup_stays_ignored() {
    let directory = directory("hangup");
    let engines = format!("cmd={ENGINE} name=one --engine cmd={ENGINE} name=two --each nodes=100000");
    for line in [
        format!("match --engine {engines}"),
        format!("match -engine {}", engines.replace("--", "-")),
        "datagen play --out games --games 100000".to_owned(),
        "tables --out tables KRBvkl".to_owned(),
    ] {
        let program = bench("match").get_program().to_owned();
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(program).args(line.split(' '));
        let command = command.current_dir(&directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = Running(command.spawn().expect("the program runs"));
        let signals = |name: &str| {
            let status = fs::read_to_string(format!("/proc/{}/status", child.0.id())).expect("a status");
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("signals").trim().to_owned();
            u64::from_str_radix(&line, 16).expect("a number")
        };
        let bit = |signal: Signal| 1_u64 << (signal as i32 - 1);
        // The handler of Ctrl-C is installed.
        let deadline = Instant::now() + Duration::from_secs(60);
        while signals("SigCgt:") & bit(Signal::SIGINT) == 0 {
            assert!(Instant::now() < deadline, "{line}: no handler");
            sleep(Duration::from_millis(5));
        }
        sleep(Duration::from_millis(50));
        assert_eq!(signals("SigCgt:") & bit(Signal::SIGHUP), 0, "{line}");
        assert_ne!(signals("SigIgn:") & bit(Signal::SIGHUP), 0, "{line}");
        kill(Pid::from_raw(child.0.id().cast_signed()), Signal::SIGHUP).expect("a signal");
        sleep(Duration::from_millis(50));
        assert!(child.0.try_wait().expect("a child").is_none(), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_reports_its_results() {
    let directory = directory("interrupted");
    let pgn = directory.join("games.pgn");
    let engines = [engine("one", "nodes=300"), engine("two", "nodes=300")];
    let child = command(
        &[&engines[0], &engines[1]],
        &["--games", "2000", "--concurrency", "2", "--pgn", pgn.to_str().unwrap(), "--json", "-"],
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("the match runs");
    wait_for_games(&pgn, 3);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("a signal");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(status(&output), 130, "{}", text(&output.stderr));
    let report = json(&output);
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["games_played"].as_u64(), Some(games(&pgn).len() as u64));
    // No engine is blamed.
    assert!(!text(&output.stderr).contains("crash"));
    let message = "interrupted: the same command with --resume continues the match\n";
    assert!(text(&output.stderr).ends_with(message), "{}", text(&output.stderr));
}

/// Writes a script that runs the engine, and commands before each line that tells that it is ready and after each move.
#[cfg(unix)]
pub fn write_filter(path: &Path, before: &str, after: &str) {
    let text = format!(
        "'{ENGINE}' | while IFS= read -r line; do\ncase $line in\nreadyok | pong*) {before};;\nesac\n\
         printf '%s\\n' \"$line\"\ncase $line in\nbestmove* | move*) {after};;\nesac\ndone",
    );
    write_script(path, &text);
}

#[cfg(unix)]
#[test]
fn a_second_move_is_dropped_and_reported_once() {
    let directory = directory("second");
    for (number, (words, pause)) in
        [("", "0"), ("", "0.03"), ("ponder=on", "0.03"), ("proto=xboard", "0"), ("proto=xboard ponder=on", "0.03")]
            .into_iter()
            .enumerate()
    {
        let path = directory.join(format!("engine-{number}"));
        write_filter(&path, ":", &format!("sleep {pause}; printf '  %s\\r\\n' \"$line\""));
        let engines = [program(&path, "twice", words), engine("good", "")];
        let more = ["--each", "nodes=50", "--games", "4", "--max-moves", "30", "--concurrency", "2", "--json", "-"];
        let output = run(&[&engines[0], &engines[1]], &more);
        assert_eq!(status(&output), 0, "{}", text(&output.stderr));
        let (report, messages) = (json(&output), text(&output.stderr));
        for engine in report["engines"].as_array().expect("engines") {
            assert!(is_faultless(engine), "{words}: {messages}");
        }
        assert_eq!(messages.matches("twice: it sent a move").count(), 1, "{words}: {messages}");
        assert!(!messages.lines().any(|line| line.starts_with("good: ")), "{words}: {messages}");
    }
}

/// An engine that failed then would lose a game that is over.
#[cfg(unix)]
#[test]
fn nobody_ponders_after_the_game() {
    let directory = directory("ponder-end");
    let (path, log) = (directory.join("engine"), directory.join("log"));
    write_script(&path, &format!("tee -a '{}' | '{ENGINE}'", log.display()));
    let engines = [engine("good", ""), program(&path, "logged", "ponder=on")];
    let more = ["--each", "nodes=2000", "--games", "2", "--max-moves", "1", "--json", "-"];
    let report = json(&run(&[&engines[0], &engines[1]], &more));
    assert!(is_faultless(&report["engines"][1]), "{report}");
    // Only as White, during the opponent's move.
    let lines = fs::read_to_string(&log).expect("a log");
    assert_eq!(lines.matches("go ponder").count(), 1, "{lines}");
}

#[cfg(unix)]
#[test]
fn the_time_before_a_search_is_off_the_clock() {
    let path = directory("off-the-clock").join("engine");
    // Six of these pauses are longer than the clock.
    write_filter(&path, "sleep 0.9", ":");
    for words in ["", "proto=xboard"] {
        let engines = [program(&path, "slow", words), engine("good", "")];
        let more =
            ["--each", "tc=5", "depth=1", "--games", "2", "--max-moves", "6", "--concurrency", "2", "--json", "-"];
        let report = json(&run(&[&engines[0], &engines[1]], &more));
        assert!(is_faultless(&report["engines"][0]), "{report}");
    }
}

#[test]
fn games_are_adjudicated_by_the_scores_of_both_engines() {
    let directory = directory("adjudicated");
    let openings = directory.join("openings.epd");
    fs::write(&openings, "3k4/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\n").expect("openings");
    let pgn = directory.join("games.pgn");
    let engines = [engine("one", "nodes=200"), engine("two", "nodes=200")];
    let more = ["--games", "2", "--openings", openings.to_str().unwrap(), "--resign", "count=1", "score=500"];
    let output = run(&[&engines[0], &engines[1]], &[more.as_slice(), &["--pgn", pgn.to_str().unwrap()]].concat());
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    let text = fs::read_to_string(&pgn).expect("games");
    assert_eq!(text.matches("[Termination \"adjudication\"]").count(), 2);
    assert_eq!(text.matches("[PlyCount \"2\"]").count(), 2);
    assert_eq!(text.matches("[Result \"1-0\"]").count(), 2);

    let pgn = directory.join("short.pgn");
    let more = ["--games", "2", "--max-moves", "10", "--pgn", pgn.to_str().unwrap()];
    assert_eq!(status(&run(&[&engines[0], &engines[1]], &more)), 0);
    let text = fs::read_to_string(&pgn).expect("games");
    // The eight plies of the opening do not count.
    assert_eq!(text.matches("[PlyCount \"28\"]").count(), 2);
}
