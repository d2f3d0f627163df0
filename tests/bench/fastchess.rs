//! The command line of fastchess, with the real engine and with faulty engines.
//!
//! The faulty engines are shell scripts, so these tests require Unix.
use crate::common::{ENGINE, bench, directory, text, write_script};
use crate::matches::write_filter;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The words about two engines, one and two.
fn two(words: &str) -> Vec<String> {
    let engine = |name: &str| format!("-engine cmd={ENGINE} name={name} option.Hash=1");
    let line = format!("{} {} -each {words}", engine("one"), engine("two"));
    line.split(' ').map(str::to_owned).collect()
}

fn command(words: &[String], more: &str) -> Command {
    let mut command = bench("match");
    command.args(words).args(more.split(' ').filter(|word| !word.is_empty())).stdin(Stdio::null());
    command
}

fn run(words: &[String], more: &str) -> Output {
    command(words, more).output().expect("the match runs")
}

/// The lines of a match that ends well.
#[track_caller]
fn lines(words: &[String], more: &str) -> Vec<String> {
    let output = run(words, more);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.stdout.is_ascii());
    text(&output.stdout).lines().map(str::to_owned).collect()
}

fn count(lines: &[String], begin: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(begin)).count()
}

fn book(directory: &Path) -> String {
    let path = directory.join("book.epd");
    let boards = [
        "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -",
        "lgkcckwl/hhhhhhhh/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQ -",
        "lgkcckwl/hhhhhhhh/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQ -",
    ];
    fs::write(&path, boards.join("\n")).expect("a book");
    path.display().to_string()
}

#[test]
fn a_match_as_openbench_starts_it() {
    let directory = directory("fastchess-openbench");
    let (book, pgn) = (book(&directory), directory.join("games.pgn"));
    // OpenBench calls a program named fastchess-ob.
    let program = directory.join("fastchess-ob");
    std::os::unix::fs::symlink(bench("match").get_program(), &program).expect("a link");
    let version = Command::new(&program).arg("--version").output().expect("the program runs");
    assert!(text(&version.stdout).contains(env!("CARGO_PKG_VERSION")));

    let engine = Path::new(ENGINE);
    let (folder, name) = (engine.parent().expect("a folder"), engine.file_name().expect("a name"));
    let engine = format!(
        "-engine dir={} cmd=./{} proto=uci tc=inf nodes=100 option.Hash=1 option.Threads=1",
        folder.display(),
        name.display()
    );
    let line = format!(
        "-recover -variant standard -testEnv -concurrency 2 -rounds 3 -games 2 -resign movecount=3 score=400 -draw \
         movenumber=40 movecount=8 score=10 {engine} name=x-dev {engine} name=x-base -openings file={book} format=epd \
         order=random start=2 -srand 42 -pgnout file={} seldepth=true nodes=true",
        pgn.display()
    );
    let output = Command::new(&program).args(line.split(' ')).args(["match_line=^info depth [0-9]* "]).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!((count(&lines, "Started game"), count(&lines, "Finished game")), (6, 6));
    // As OpenBench's client splits them.
    for line in lines.iter().filter(|line| line.starts_with("Finished game")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number: usize = words[2].parse().expect("a number");
        assert!(["1-0", "0-1", "1/2-1/2"].contains(&words[6]), "{line}");
        assert_eq!(words[3], if number % 2 == 1 { "(x-dev" } else { "(x-base" });
    }
    assert!(lines.iter().any(|line| line.starts_with("Results of x-dev vs x-base (100 nodes, 1t, 1MB, book.epd):")));
    assert!(lines.iter().any(|line| line.starts_with("Ptnml(0-2): [")));
    assert_eq!(count(&lines, "Tournament finished"), 1);

    let games = fs::read_to_string(&pgn).expect("games");
    assert_eq!(games.matches("[Event \"Fastchess Tournament\"]").count(), 6);
    for wanted in
        ["[Variant \"Spartan\"]", "[Termination \"", "[EngineWhiteName \"Agoge", ", n=", ", sd=", ", line=\"info depth"]
    {
        assert!(games.contains(wanted), "{wanted}: {games}");
    }
    // Both games of a pair have the same opening, all pairs different ones.
    let mut rounds: Vec<(&str, &str)> = games
        .split("[Event ")
        .skip(1)
        .map(|game| {
            let tag = |name: &str| {
                game.split(&format!("[{name} \"")).nth(1).and_then(|rest| rest.split('"').next()).expect("a tag")
            };
            (tag("Round"), tag("FEN"))
        })
        .collect();
    rounds.sort_unstable();
    rounds.dedup();
    assert_eq!(rounds.len(), 3, "{rounds:?}");
}

#[test]
fn the_output_of_cutechess() {
    let lines =
        lines(&two("nodes=50"), "-output format=cutechess -rounds 2 -maxmoves 5 -ratinginterval 0 -variant chess");
    assert_eq!((count(&lines, "Score of one vs two: "), count(&lines, "Elo difference: ")), (4, 1), "{lines:#?}");
    assert!(lines.contains(&"Score of one vs two: 0 - 0 - 4  [0.500] 4".to_owned()), "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| line.ends_with("{Draw by adjudication}")).count(), 4);
}

#[test]
fn a_test_ends_the_match() {
    // The first engine searches a hundred times as many nodes.
    let mut words = two("timemargin=1000");
    words.splice(4..4, ["nodes=3000".to_owned()]);
    words.splice(9..9, ["nodes=10".to_owned()]);
    let more = "-sprt elo0=0 elo1=100 alpha=0.05 beta=0.05 -rounds 200 -resign movecount=2 score=500";
    let lines = lines(&words, more);
    assert!(lines.contains(&"SPRT ([0.00, 100.00]) completed - H1 was accepted".to_owned()), "{lines:#?}");
    let last = lines.iter().rfind(|line| line.starts_with("LLR: ")).expect("a ratio");
    assert!(last.ends_with("(-2.94, 2.94) [0.00, 100.00]"), "{last}");
    assert!(count(&lines, "Finished game") < 400);
}

#[test]
fn faults_have_the_words_of_fastchess() {
    let directory = directory("fastchess-faults");
    for (name, at_go, reason) in [
        ("illegal", "echo bestmove e2e5", "makes an illegal move"),
        ("crash", "exit 3", "disconnects"),
        ("late", "sleep 0.3; echo bestmove e2e4", "loses on time ("),
    ] {
        let path = directory.join(name);
        write_script(
            &path,
            &format!(
                "while read -r word rest; do\ncase $word in\nuci) echo uciok;;\nisready) echo readyok;;\ngo) {at_go};;\n\
                 quit) exit;;\nesac\ndone"
            ),
        );
        let faulty = format!("-engine cmd={} name={name} st=0.05 timemargin=20", path.display());
        let words: Vec<String> = faulty.split(' ').map(str::to_owned).collect();
        let other = format!("-engine cmd={ENGINE} name=other nodes=10 option.NoSuchOption=1 -variant chess -rounds 1");
        let output = run(&words, &format!("{other} -recover"));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        let shown = text(&output.stdout);
        // White in the first game, Black in the second.
        for side in ["0-1 {White ", "1-0 {Black "] {
            assert!(shown.contains(&format!("{side}{reason}")), "{name}: {shown}");
        }
        assert!(text(&output.stderr).contains("NoSuchOption"), "{}", text(&output.stderr));
        // Without -recover a crash ends the match.
        let output = run(&words, &other);
        assert_eq!(output.status.code(), Some(i32::from(name == "crash")), "{name}");
    }
}

#[test]
fn a_second_move_is_dropped_and_reported_once() {
    let path = directory("fastchess-second").join("engine");
    write_filter(&path, ":", "sleep 0.02; printf '%s\\n' \"$line\"");
    for protocol in ["uci", "xboard"] {
        let words =
            format!("-engine cmd={} name=twice proto={protocol} -engine cmd={ENGINE} name=good", path.display());
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let output = run(&words, "-each nodes=50 -variant spartan -rounds 2 -maxmoves 20 -concurrency 2");
        let (shown, messages) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{messages}");
        assert_eq!(shown.matches("{Draw by adjudication}").count(), 4, "{shown}");
        assert_eq!(messages.matches("Warning; twice: it sent a move").count(), 1, "{messages}");
    }
}

#[test]
fn a_match_is_continued_from_its_file() {
    let directory = directory("fastchess-config");
    let [file, pgn, whole] = ["config.json", "games.pgn", "whole.json"].map(|name| directory.join(name));
    let line = format!("-rounds 3 -repeat -openings file={} order=random -maxmoves 10", book(&directory));
    let saving = format!("{line} -srand 5 -pgnout file={} -config outname={}", pgn.display(), whole.display());
    let all = lines(&two("nodes=50"), &saving);
    let games = fs::read_to_string(&pgn).expect("games");

    // As if it had ended after three games.
    let text = fs::read_to_string(&whole).expect("a saved match");
    let mut saved: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(saved["games"].as_array().map(Vec::len), Some(6));
    saved["games"].as_array_mut().expect("games").truncate(3);
    fs::write(&file, saved.to_string()).expect("a file");
    let part = games.match_indices("[Event").nth(3).expect("six games").0;
    fs::write(&pgn, &games[..part]).expect("games");
    // The file has all other options.
    let rest = lines(&[], &format!("-config file={}", file.display()));
    assert_eq!((count(&all, "Finished game "), count(&rest, "Finished game ")), (6, 3));
    let result = |lines: &[String]| lines.iter().rfind(|line| line.starts_with("Games: ")).cloned().expect("a result");
    assert_eq!(result(&all), result(&rest));
    let moves = |games: &str| -> Vec<Vec<String>> {
        let mut reader = agoge_core::notation::pgn::Reader::new(games.as_bytes());
        let games = std::iter::from_fn(|| reader.next_game());
        games.map(|game| game.moves.into_iter().map(|mv| mv.san).collect()).collect()
    };
    let continued = fs::read_to_string(&pgn).expect("games");
    assert_eq!(moves(&continued), moves(&games));
    let again = fs::read_to_string(&file).expect("a saved match");
    let again: serde_json::Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(again["games"].as_array().map(Vec::len), Some(6));
    assert_eq!(again["arguments"], saved["arguments"]);

    // Games that were played after it was saved, before the program was killed, are removed and played again.
    saved["pgn_length"] = part.into();
    fs::write(&file, saved.to_string()).expect("a file");
    fs::write(&pgn, &games[..games.rfind("1-0").or(games.rfind("1/2")).expect("a result")]).expect("games");
    let output = run(&[], &format!("-config file={}", file.display()));
    let message = crate::common::text(&output.stderr);
    assert!(output.status.success() && message.contains("removed 3 games that were played after"), "{message}");
    assert_eq!(moves(&fs::read_to_string(&pgn).expect("games")), moves(&games));

    for (name, contents) in [
        ("empty", ""),
        ("foreign", "{}"),
        ("twice", &text.replace("\"number\":1", "\"number\":0")),
        ("nested", r#"{"arguments":["-config","file=x"],"games":[]}"#),
    ] {
        let path = directory.join(name);
        fs::write(&path, contents).expect("a file");
        let output = run(&two("nodes=50"), &format!("-config file={}", path.display()));
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(crate::common::text(&output.stderr).starts_with("Error: "), "{name}");
    }
}

#[test]
fn an_interrupted_match_says_how_to_resume_it() {
    let directory = directory("fastchess-interrupted");
    let [file, pgn] = ["a match.json", "games.pgn"].map(|name| directory.join(name));
    let mut words = two("nodes=100");
    words.extend(["-config".to_owned(), format!("outname={}", file.display())]);
    let interrupt = |words: &[String], more: &str, games: usize| {
        let mut child = command(words, more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a match");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        for _ in 0..games {
            while !stdout.next().expect("a game").expect("a line").starts_with("Finished game ") {}
        }
        kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("a signal");
        assert!(stdout.map_while(Result::ok).any(|line| line == "Finished match"));
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let more = format!("-rounds 500 -maxmoves 5 -pgnout file={}", pgn.display());
    let message = interrupt(&words, &more, 3);
    let resume = format!(" match -config 'file={}'\n", file.display());
    assert!(message.contains("The match was saved. To resume it: /") && message.ends_with(&resume), "{message}");
    // As often as it is interrupted.
    for _ in 0..2 {
        let message = interrupt(&["-config".to_owned(), format!("file={}", file.display())], "", 2);
        assert!(message.ends_with(&resume), "{message}");
    }
    let saved: serde_json::Value = serde_json::from_slice(&fs::read(&file).expect("a saved match")).expect("JSON");
    let games = fs::read_to_string(&pgn).expect("games").matches("[Event ").count();
    assert_eq!(saved["games"].as_array().map(Vec::len), Some(games));
    assert!(games >= 7, "{games}");

    let message = interrupt(&two("nodes=100"), "-rounds 500", 1);
    assert!(message.contains("only one with -config outname=FILE can be resumed"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn games_are_bound_to_processors_and_quick_matches_are_played() {
    let directory = directory("fastchess-quick");
    let words = format!("-quick cmd={ENGINE} cmd={ENGINE} book={}", book(&directory));
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let allowed = fs::read_to_string("/proc/self/status").expect("a status");
    let allowed = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("processors");
    let first = allowed.trim().split([',', '-']).next().expect("a processor");
    for affinity in ["-use-affinity".to_owned(), format!("-use-affinity {first}")] {
        let log = directory.join("log");
        let more = format!("-each depth=1 -rounds 2 -maxmoves 4 -concurrency 1 -log file={} {affinity}", log.display());
        let lines = lines(&words, &more);
        assert_eq!((count(&lines, "Finished game "), count(&lines, "Score of ")), (4, 4), "{lines:#?}");
        assert!(fs::read_to_string(log).expect("a log").contains("go wtime 10000 winc 100 btime 10000 binc 100"));
    }
    for more in ["-use-affinity x", "-use-affinity 99999", "-use-affinity 0 -concurrency 2"] {
        let output = run(&two("nodes=10"), more);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{more}");
        assert!(text(&output.stderr).starts_with("Error: -use-affinity: "), "{more}: {}", text(&output.stderr));
    }
}

#[test]
fn mistakes_end_with_status_1_and_nothing_on_stdout() {
    for more in ["-colour red", "-config file=x.json", "-openings file=/nonexistent.epd", "-variant atomic", "-rounds"]
    {
        let output = run(&two("nodes=10"), more);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{more}");
        assert!(text(&output.stderr).starts_with("Error: "), "{more}: {}", text(&output.stderr));
    }
    let output = run(&["-help".to_owned()], "");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("-openings"));
}
