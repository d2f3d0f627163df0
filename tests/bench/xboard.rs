//! Matches with engines that speak XBoard's protocol, and the options that concern processes: pondering and affinity.
//!
//! The faulty engines are shell scripts, so their tests require Unix.
use crate::common::text;
#[cfg(unix)]
use crate::common::write_script;
#[cfg(unix)]
use crate::matches::program;
use crate::matches::{engine, is_faultless, json, run};
use serde_json::Value;
use std::fs;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::process::Output;

/// An empty directory for one test.
fn directory(name: &str) -> PathBuf {
    crate::common::directory(&format!("xboard-{name}"))
}

/// Plays between two engines; the results are on stdout as JSON.
fn play(engines: [&[String]; 2], more: &str) -> Output {
    let more: Vec<&str> = more.split_ascii_whitespace().chain(["--json", "-"]).collect();
    run(&engines, &more)
}

/// The report of a match that ends as it should.
#[track_caller]
fn report(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    json(output)
}

#[test]
fn an_engine_plays_in_both_protocols() {
    let directory = directory("both");
    let openings = directory.join("openings.epd");
    let black = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -\n";
    fs::write(&openings, format!("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -\n{black}")).expect("openings");
    for (number, limits) in ["nodes=300", "tc=1+0.02", "depth=3", "movetime=20 margin=10000"].iter().enumerate() {
        let [pgn, log] = ["pgn", "log"].map(|extension| directory.join(format!("{number}.{extension}")));
        let more = format!(
            "--each {limits} --games 4 --concurrency 2 --max-moves 30 --openings {} --pgn {} --log {}",
            openings.display(),
            pgn.display(),
            log.display()
        );
        let uci = engine("uci", "option.Hash=1 margin=10000");
        let xboard = engine("xboard", "proto=xboard option.Hash=1 margin=10000");
        let report = report(&play([&xboard, &uci], &more));
        assert_eq!(report["games_played"], 4, "{limits}");
        for engine in report["engines"].as_array().expect("engines") {
            assert!(is_faultless(engine), "{engine}");
        }
        let log = fs::read_to_string(&log).expect("a log");
        for command in ["memory 1", "variant spartan", "setboard lgkcckwl/", "usermove ", "go"] {
            assert!(log.contains(&format!("xboard < {command}")), "{limits}: {command}");
        }
        // Each move has its comment with score and depth.
        let games = fs::read_to_string(&pgn).expect("games");
        let (with, without) = (games.matches("/").count(), games.matches("{book}").count());
        assert!(with > 40 && without == 0, "{limits}: {games}");
        assert!(!games.contains("{/0"), "{limits}: {games}");
    }
}

#[test]
fn orthodox_chess() {
    let xboard = engine("xboard", "proto=xboard");
    let uci = engine("uci", "");
    let report = report(&play([&xboard, &uci], "--each nodes=200 --games 2 --variant chess --max-moves 20"));
    assert_eq!(report["games_played"], 2);
}

/// A script that runs `think` when it is to move, with the number of its moves in `$n`, and the result with which it
/// loses in `$loss`.
#[cfg(unix)]
fn script(directory: &Path, name: &str, features: &str, think: &str) -> Vec<String> {
    let path = directory.join(name);
    let text = format!(
        "n=0; force=1\nthink() {{ n=$((n+1)); {think}; }}\nwhile read -r word rest; do\ncase $word in\n\
         protover) echo 'feature done=0'; echo 'feature {features} done=1';;\nping) echo \"pong $rest\";;\n\
         new) force=0; loss=0-1;;\nforce) force=1;;\ngo) force=0; think;;\n\
         usermove) if [ $force = 1 ]; then loss=1-0; else think; fi;;\nquit) exit;;\nesac\ndone"
    );
    write_script(&path, &text);
    program(&path, name, "proto=xboard")
}

#[cfg(unix)]
const FEATURES: &str = "ping=1 setboard=1 usermove=1 nps=1 variants=\"normal,spartan\" myname=\"A script\"";

/// The report on a script in a match of two games, and the messages.
#[cfg(unix)]
#[track_caller]
fn results_of(name: &str, think: &str) -> (Value, String) {
    let directory = directory(name);
    let script = script(&directory, "script", FEATURES, think);
    let output = play([&script, &engine("agoge", "")], "--each nodes=100 --games 2 --stall 1 --random-plies 0");
    let report = report(&output);
    assert_eq!(report["engines"][1]["points"], 2.0, "{report}");
    (report["engines"][0].clone(), text(&output.stderr))
}

#[cfg(unix)]
#[test]
fn resignations_are_no_faults() {
    for (name, think) in [("resigns", "echo resign"), ("claims-its-loss", "echo \"$loss {I give up}\"")] {
        assert!(is_faultless(&results_of(name, think).0), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn faults_are_counted() {
    for (name, think, fault, message) in [
        ("illegal", "echo 'move a1a1'", "illegal_moves", "a1a1"),
        ("claims", "echo '1/2-1/2 {I say so}'", "illegal_moves", "claims 1/2-1/2 {I say so}"),
        ("rejects", "echo 'Illegal move: x'", "illegal_moves", "rejects a legal move: Illegal move: x"),
        ("crashes", "echo broken >&2; exit 3", "crashes", "broken"),
        ("stalls", "sleep 100 & wait", "stalls", "does not answer"),
    ] {
        let (engine, stderr) = results_of(name, think);
        assert_eq!(engine["faults"][fault], 2, "{name}: {engine}");
        assert!(stderr.contains(message), "{name}: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn engines_that_cannot_play_are_refused() {
    let directory = directory("refused");
    for (name, features, message) in [
        ("no-variant", "ping=1 setboard=1 nps=1 variants=\"normal\"", "variants does not list it"),
        ("no-variants", "ping=1 setboard=1 nps=1", "variants does not list it"),
        ("no-nodes", "ping=1 setboard=1 variants=\"spartan\"", "no feature nps"),
    ] {
        let script = script(&directory, name, features, "echo resign");
        let output = play([&script, &engine("agoge", "")], "--each nodes=100 --games 2");
        assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
        let stderr = text(&output.stderr);
        assert!(stderr.contains(message) && stderr.contains(name), "{stderr}");
    }
    let script = script(&directory, "no-option", FEATURES, "echo resign");
    for limits in ["tc=10+1 movetime=100", "movetime=100 nodes=1000", "tc=10+1 nodes=1000 depth=3"] {
        let output = play([&script, &engine("agoge", "")], &format!("--each {limits} --games 2"));
        assert!(text(&output.stderr).contains("only one of tc=, movetime= and nodes="), "{}", text(&output.stderr));
    }
    let output = play([&script, &engine("agoge", "")], "--each nodes=100 option.Contempt=5 --games 2");
    assert!(text(&output.stderr).contains("no option 'Contempt'"), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn an_engine_that_plays_one_game_is_restarted() {
    let directory = directory("reuse");
    let starts = directory.join("starts");
    let features = format!("{FEATURES} reuse=0");
    let think = format!("echo x >> '{}'; [ $n = 1 ] && echo resign", starts.display());
    let script = script(&directory, "script", &features, &think);
    report(&play([&script, &engine("agoge", "")], "--each nodes=100 --games 4"));
    // Had it not been restarted, it would not have resigned in its second game, and stalled.
    assert_eq!(fs::read_to_string(&starts).expect("starts").lines().count(), 4);
}

#[test]
fn engines_ponder() {
    let log = directory("ponder").join("log");
    let engines = ["one", "two"].map(|name| engine(name, "ponder=on margin=5000 option.Hash=1"));
    let more = format!("--each tc=1+0.05 --games 2 --max-moves 20 --log {}", log.display());
    let report = report(&play([&engines[0], &engines[1]], &more));
    assert_eq!(report["games_played"], 2);
    let log = fs::read_to_string(&log).expect("a log");
    for command in ["setoption name Ponder value true", "go ponder wtime", "ponderhit", "stop"] {
        assert!(log.contains(&format!("< {command}")), "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn engines_are_bound_to_processors() {
    let directory = directory("affinity");
    let seen = directory.join("seen");
    let think = format!("grep Cpus_allowed_list /proc/$$/status >> '{}'; echo resign", seen.display());
    let script = script(&directory, "script", FEATURES, &think);
    let agoge = engine("agoge", "");
    let allowed = fs::read_to_string("/proc/self/status").expect("a status");
    let allowed = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("processors");
    let first = allowed.trim().split([',', '-']).next().expect("a processor");
    report(&play([&script, &agoge], &format!("--each nodes=100 --games 2 --affinity {first}")));
    let seen = fs::read_to_string(&seen).expect("processors");
    assert_eq!(seen, format!("Cpus_allowed_list:\t{first}\n").repeat(2));
    for (list, message) in [("x", "not a list"), ("99999", "no processor 99999")] {
        let output = play([&script, &agoge], &format!("--each nodes=100 --games 2 --affinity {list}"));
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}
