//! `agoge analyse` with the real binary: annotated games and pictures, errors and signals.

use crate::common::client::{BINARY, Ended, run, run_with_input};
use agoge_core::board::Variant;
use agoge_core::notation::pgn::{ParsedGame, Reader};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

fn write(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn analyse(file: &Path, more: &[&str]) -> Ended {
    run_with_input(Command::new(BINARY).arg("analyse").arg(file).args(["--nodes", "3000"]).args(more), b"")
}

/// Analyses standard input, with the folder as working directory.
fn analyse_input(folder: &TempDir, input: &[u8], more: &[&str]) -> Ended {
    let mut command = Command::new(BINARY);
    run_with_input(command.args(["analyse", "-", "--nodes", "3000"]).args(more).current_dir(folder.path()), input)
}

/// The files of a folder, in alphabetical order.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn games(text: &str) -> Vec<ParsedGame> {
    let mut reader = Reader::new(text.as_bytes());
    std::iter::from_fn(|| reader.next_game()).collect()
}

fn sans(game: &ParsedGame) -> Vec<&str> {
    game.moves.iter().map(|mv| mv.san.as_str()).collect()
}

/// As web sites write games: no check or mate signs, clocks in comments.
const PYCHESS: &str = "[Event \"PyChess casual game\"]
[Site \"https://www.pychess.org/abcdefgh\"]
[Date \"2026.01.02\"]
[White \"one\"]
[Black \"other\"]
[Result \"0-1\"]
[TimeControl \"300+3\"]
[Variant \"Spartan\"]

1. g4 {[%clk 0:05:00]} Wf6 {[%clk 0:05:01]} 2. f3 (2. d3) Wh4 0-1
";

#[test]
fn the_inventors_game_is_annotated() {
    let folder = folder();
    let sample = include_str!("../positions/sample.pgn");
    let file = write(&folder, "sample.pgn", sample);
    let output = analyse(&file, &[]).succeed();
    let summary = output.stdout;
    assert!(summary.starts_with("Persians - Spartans, *\n  White: 17 moves, "), "{summary}");

    let text = read(&folder, "sample.analysed.pgn");
    let game = &games(&text)[0];
    assert!(game.tag("Annotator").is_some_and(|name| name.starts_with("Agoge ")));
    assert_eq!(game.tag("White"), Some("Persians"));
    assert!(game.remarks.starts_with("{As printed"), "{}", game.remarks);
    assert!(game.moves[22].remarks.ends_with("{duple-check}"), "{}", game.moves[22].remarks);
    let start = game.start(Variant::Spartan).expect("a position");
    assert_eq!(game.line(&start, usize::MAX), games(sample)[0].line(&start, usize::MAX));
    assert!(game.moves.iter().all(|mv| mv.remarks.contains("{[%eval ")), "{text}");
    // Black could safely capture the bishop's pawn, so 16... Gb5 is a blunder.
    assert!(game.moves[31].remarks.starts_with("$4 {"), "{text}");
    assert!(game.moves[31].remarks.contains("({[%eval "), "{text}");
    let picture = read(&folder, "sample.svg");
    assert!(picture.starts_with("<svg") && picture.contains("Persians - Spartans"));
}

#[test]
fn several_games_and_variants() {
    let folder = folder();
    let orthodox = "[Variant \"Standard\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    let file = write(&folder, "two.pgn", &format!("{PYCHESS}\n{orthodox}"));
    analyse(&file, &["--out", folder.path().join("out.pgn").to_str().expect("UTF-8")]).succeed();
    let text = read(&folder, "out.pgn");
    let games = games(&text);
    assert_eq!(games.len(), 2);
    assert_eq!(sans(&games[0]), ["g4", "Wf6", "f3", "Wh4#"]);
    assert_eq!(sans(&games[1]), ["f3", "e5", "g4", "Qh4#"]);
    for game in &games {
        // The move before the mate is a blunder. The mating move is not, and has no score.
        assert!(game.moves[2].remarks.starts_with("$4 {[%eval #-1]"), "{text}");
        assert_eq!(game.moves[3].remarks, "");
        assert_eq!(game.result.as_deref(), Some("0-1"));
    }
    assert!(games[0].moves[0].remarks.ends_with("{[%clk 0:05:00]}"), "{text}");
    assert!(games[0].moves[2].remarks.ends_with("(2. d3)"), "{text}");
    assert!(read(&folder, "two.svg").starts_with("<svg") && read(&folder, "two-2.svg").starts_with("<svg"));
}

#[test]
fn existing_files_are_kept_without_force() {
    let folder = folder();
    let file = write(&folder, "game.pgn", PYCHESS);
    write(&folder, "game.analysed.pgn", "precious");
    analyse(&file, &[]).fail(1, "--force");
    assert_eq!(read(&folder, "game.analysed.pgn"), "precious");
    analyse(&file, &["--force"]).succeed();
    assert!(read(&folder, "game.analysed.pgn").contains("[%eval "));
    // The picture already exists, which is reported before anything is written.
    std::fs::remove_file(folder.path().join("game.analysed.pgn")).expect("it is there");
    analyse(&file, &[]).fail(1, "game.svg: ");
    assert!(!folder.path().join("game.analysed.pgn").exists());
}

/// File names need not be UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn file_names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let file = folder.path().join(std::ffi::OsStr::from_bytes(b"\xffgame.pgn"));
    std::fs::write(&file, PYCHESS).expect("a file");
    analyse(&file, &[]).succeed();
    assert!(file.with_extension("analysed.pgn").exists() && file.with_extension("svg").exists());
}

#[test]
fn a_game_without_a_mistake() {
    let folder = folder();
    let file = write(&folder, "short.pgn", "[FEN \"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\"]\n\n1. Ra8# 1-0\n");
    let output = analyse(&file, &[]);
    let summary = output.stdout;
    assert!(summary.starts_with("? - ?, 1-0\n  White: 1 move, accuracy 100.0 %, "), "{summary}");
    assert!(summary.contains("average loss 0 centipawns (0.000 points), 0 inaccuracies, 0 mistakes"), "{summary}");
    assert!(summary.contains("Black: 0 moves\n"), "{summary}");
    let picture = read(&folder, "short.svg");
    assert!(circles(&picture).len() == 3 && picture.contains("Accuracy: White 100.0 %, Black -"), "{picture}");
}

#[test]
fn bad_games_are_reported_and_left_out() {
    let folder = folder();
    let bad = "[Event \"bad\"]\n\n1. e4 Hbd5 2. Qh9 *\n";
    let unknown = "[Variant \"Shogi\"]\n\n1. e4 *\n";
    let broken = "[FEN \"8/8 w\"]\n\n*\n";
    let file = write(&folder, "games.pgn", &format!("{bad}\n{unknown}\n{broken}\n{PYCHESS}"));
    let output = analyse(&file, &[]);
    // Some of it is written.
    assert_eq!(output.code, Some(3));
    let errors = output.stderr;
    let parts =
        ["line 3, game 1: 2.Qh9", "; read up to there", "line 5, game 2: the variant 'Shogi' is neither", "FEN: "];
    for part in parts {
        assert!(errors.contains(part), "{errors}");
    }
    let text = read(&folder, "games.analysed.pgn");
    assert_eq!(games(&text).iter().map(|game| sans(game).len()).collect::<Vec<_>>(), [2, 4]);

    for (text, part) in [("", "no game"), ("hello", "line 1, game 1: 1.hello: "), (unknown, "; skipped")] {
        analyse(&write(&folder, "no.pgn", text), &[]).fail(1, part);
    }
    analyse(Path::new("/no/such/file.pgn"), &[]).fail(1, "");
    analyse(&file, &["--nonsense"]).fail(2, "");
    let help = analyse(&file, &["--help"]);
    assert!(help.succeed().stdout.contains("--movetime"));
}

const ORTHODOX: &str = "[White \"one\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";

#[test]
fn the_variant_follows_from_the_moves() {
    let folder = folder();
    let untagged = PYCHESS.replace("[Variant \"Spartan\"]\n", "");
    let file =
        write(&folder, "a.pgn", &format!("{ORTHODOX}\n{untagged}\n{}", PYCHESS.replace("Spartan", "SPARTAN chess")));
    analyse(&file, &[]).succeed();
    let text = read(&folder, "a.analysed.pgn");
    let games = games(&text);
    assert_eq!(sans(&games[0]), ["f3", "e5", "g4", "Qh4#"]);
    assert_eq!(sans(&games[1]), ["g4", "Wf6", "f3", "Wh4#"]);
    assert_eq!(sans(&games[2]), sans(&games[1]));
    // The tag is added, since other programs need it.
    let variants: Vec<_> = games.iter().map(|game| game.tag("Variant")).collect();
    assert_eq!(variants, [None, Some("Spartan"), Some("SPARTAN chess")]);
    // The option takes precedence over detection by the moves, but not over the tag.
    analyse(&file, &["--variant", "spartan", "--force"]).fail(3, "line 4, game 1: 1...e5: ");
}

#[test]
fn failure_leaves_no_files() {
    let folder = folder();
    let file = write(&folder, "game.pgn", "1. Qh9 Hbd5 *\n");
    let output = analyse(&file, &[]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("1.Qh9: ") && output.stderr.contains("nothing is written"), "{output:?}");
    assert_eq!(names(&folder), ["game.pgn"]);
    write(&folder, "game.pgn", ORTHODOX);
    analyse(&file, &["--variant", "chess"]).succeed();
    assert_eq!(names(&folder), ["game.analysed.pgn", "game.pgn", "game.svg"]);
    // Old results stay until new ones are complete.
    write(&folder, "game.pgn", "1. e5 *\n");
    let old = read(&folder, "game.analysed.pgn");
    analyse(&file, &["--force"]).fail(1, "");
    assert_eq!(read(&folder, "game.analysed.pgn"), old);
    assert_eq!(names(&folder), ["game.analysed.pgn", "game.pgn", "game.svg"]);
    // If a picture cannot be written, neither are the games.
    write(&folder, "other.pgn", ORTHODOX);
    analyse(&folder.path().join("other.pgn"), &["--svg", "/no/such/folder/picture.svg"])
        .fail(1, "/no/such/folder/picture.svg: ");
    assert_eq!(names(&folder), ["game.analysed.pgn", "game.pgn", "game.svg", "other.pgn"]);
}

#[test]
fn standard_input_is_read_and_standard_output_written() {
    let folder = folder();
    let output = analyse_input(&folder, PYCHESS.as_bytes(), &[]).succeed();
    assert_eq!(sans(&games(&output.stdout)[0]), ["g4", "Wf6", "f3", "Wh4#"]);
    assert!(output.stderr.contains("accuracy "), "{output:?}");
    assert!(names(&folder).is_empty());
    let output = analyse_input(&folder, PYCHESS.as_bytes(), &["--out", "a.pgn", "--svg", "a.svg"]).succeed();
    assert!(output.stdout.ends_with("Written: a.pgn, a.svg\n"), "{output:?}");
    assert_eq!(names(&folder), ["a.pgn", "a.svg"]);
}

#[test]
fn text_that_is_not_utf8_is_kept() {
    let folder = folder();
    let text = PYCHESS.replace("\"one\"", "\"M\u{fc}ller\"");
    let latin1: Vec<u8> = text.chars().map(|letter| u8::try_from(letter).expect("Latin-1")).collect();
    let utf16 = std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [text.clone().into_bytes(), latin1, utf16] {
        let output = analyse_input(&folder, &bytes, &[]).succeed();
        assert!(output.stdout.contains("[White \"M\u{fc}ller\"]"), "{output:?}");
        assert_eq!(sans(&games(&output.stdout)[0]), ["g4", "Wf6", "f3", "Wh4#"]);
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    for (path, part) in [(pipe.as_path(), "is a pipe; give -"), (Path::new("/dev/zero"), "is a device")] {
        analyse(path, &[]).fail(1, part);
    }
    let file = write(&folder, "game.pgn", PYCHESS);
    for option in ["--out", "--svg"] {
        analyse(&file, &[option, pipe.to_str().expect("UTF-8"), "--force"]).fail(1, "is a pipe");
    }
    assert_eq!(names(&folder), ["game.pgn", "pipe"]);
    // A device is not replaced by a file.
    analyse(&file, &["--out", "/dev/null", "--svg", "/dev/null"]).succeed();
    assert!(!Path::new("/dev/null").is_file());
    assert_eq!(names(&folder), ["game.pgn", "pipe"]);
}

#[test]
fn endless_input_is_refused() {
    let folder = folder();
    for (part, message) in [("\0", "standard input: "), ("e4 ", "4 MiB"), (";", "64 MiB"), ("{x} *\n", "64 MiB")] {
        let text = part.repeat((65 << 20) / part.len());
        let output = analyse_input(&folder, text.as_bytes(), &[]);
        assert_eq!(output.code, Some(1), "{part:?}");
        assert!(output.stderr.contains(message) && output.stderr.lines().count() == 1, "{part:?}: {output:?}");
    }
    assert!(names(&folder).is_empty());
}

/// This took minutes when the game was replayed for every position.
#[test]
fn long_games() {
    let folder = folder();
    let text = "1. Nf3 d8d6 2. Ng1 d6d8 ".repeat(10_000);
    let output = analyse_input(&folder, format!("{text}*").as_bytes(), &["--hash", "1", "--svg", "long.svg"]);
    assert_eq!(games(&output.succeed().stdout)[0].moves.len(), 40_000);
    assert!(read(&folder, "long.svg").starts_with("<svg"));
}

/// The value of an attribute of an SVG element.
fn attribute(element: &str, name: &str) -> f64 {
    let value = element.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} in {element}"))
}

/// The texts of a picture with their coordinates.
fn texts(picture: &str) -> Vec<(f64, f64, String)> {
    let text = |element: &str| {
        let (head, rest) = element.split_once('>').expect("an element");
        (attribute(head, "x"), attribute(head, "y"), rest.split("</text>").next().expect("its end").trim().to_owned())
    };
    picture.split("<text").skip(1).map(text).collect()
}

/// The centres of the circles of a picture.
fn circles(picture: &str) -> Vec<(f64, f64)> {
    picture.split("<circle").skip(1).map(|element| (attribute(element, "cx"), attribute(element, "cy"))).collect()
}

#[test]
fn the_picture_labels_mistakes() {
    let folder = folder();
    let text = "[White \"A & <B>\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n";
    let file = write(&folder, "game.pgn", text);
    analyse(&file, &[]).succeed();
    let picture = read(&folder, "game.svg");
    let texts = texts(&picture);
    let place = |wanted: &str| {
        let found: Vec<_> = texts.iter().filter(|(_, _, text)| text == wanted).collect();
        assert_eq!(found.len(), 1, "{wanted} in {texts:?}");
        (found[0].0, found[0].1)
    };
    for name in ["inaccuracy ?!", "mistake ?", "blunder ??", "White&apos;s winning chances", "0 %", "100 %", "move"] {
        place(name);
    }
    assert!(picture.contains("A &amp; &lt;B&gt; - ?, 1-0"), "{picture}");
    let numbers: Vec<f64> = ["1", "2", "3", "4"].map(|number| place(number).0).to_vec();
    let width = numbers[1] - numbers[0];
    assert!(numbers.windows(2).all(|pair| (pair[1] - pair[0] - width).abs() < 2.0), "{numbers:?}");
    // Black's third move allows mate: its mark is half a move after the 3, at White's maximum.
    place("3...Nf6??");
    let marks = circles(&picture);
    let top = place("100 %").1;
    let is_there = |&(x, y): &(f64, f64)| (x - numbers[2] - width / 2.0).abs() < 2.0 && (y - top).abs() < 2.0;
    assert!(marks.iter().any(is_there), "{marks:?}");
}

#[test]
fn accuracy_and_glyphs_are_in_the_game() {
    let folder = folder();
    let text = "[WhiteAccuracy \"1.0\"]\n\n1. e4! Hbd5 2. Qg4?? Wf6 3. Nf3 *\n";
    let file = write(&folder, "game.pgn", text);
    let output = analyse(&file, &[]).succeed();
    let text = read(&folder, "game.analysed.pgn");
    let game = &games(&text)[0];
    for (name, most) in
        [("WhiteAccuracy", 100.0), ("BlackAccuracy", 100.0), ("WhiteACPL", 2000.0), ("BlackACPL", 2000.0)]
    {
        let values: Vec<f64> =
            game.tags.iter().filter(|tag| tag.0 == name).map(|tag| tag.1.parse().expect("a number")).collect();
        assert!(values.len() == 1 && (0.0..=most).contains(&values[0]), "{name}: {values:?}");
    }
    let accuracy = game.tag("WhiteAccuracy").expect("a tag");
    let summary = output.stdout;
    assert!(summary.contains(&format!("White: 3 moves, accuracy {accuracy} %, average loss ")), "{summary}");
    // Suffixes in the input become glyphs, and none is written twice.
    assert!(game.moves[0].remarks.starts_with("$1 "), "{text}");
    assert!(game.moves[2].remarks.starts_with("$4 "), "{text}");
    let again = analyse(&folder.path().join("game.analysed.pgn"), &["--out", "-"]);
    let again = games(&again.stdout).remove(0);
    assert_eq!(again.moves[2].remarks.matches("$4").count(), 1, "{again:?}");
    assert_eq!(again.tags.iter().filter(|tag| tag.0 == "WhiteAccuracy").count(), 1);
}

/// Runs the program with standard output redirected.
#[cfg(target_os = "linux")]
fn redirected(folder: &TempDir, arguments: &str, to: &str) -> Ended {
    let script = format!("exec '{BINARY}' analyse --nodes 3000 {arguments} {to}");
    run_with_input(Command::new("sh").args(["-c", &script]).current_dir(folder.path()), b"")
}

#[cfg(target_os = "linux")]
#[test]
fn full_or_closed_standard_output() {
    let folder = folder();
    write(&folder, "game.pgn", &format!("{PYCHESS}\n").repeat(3));
    // The files are complete; the exit status reports the lost summary.
    redirected(&folder, "game.pgn", "> /dev/full").fail(1, "standard output: No space left");
    assert_eq!(games(&read(&folder, "game.analysed.pgn")).len(), 3);
    // A closed pipe is not an error.
    let output = redirected(&folder, "game.pgn --force", "| true");
    assert!(output.stderr.is_empty(), "{output:?}");
    let output = redirected(&folder, "game.pgn --force", ">&-");
    assert!(output.code == Some(0) && output.stderr.is_empty(), "{output:?}");
    // The games themselves cannot be written.
    for (out, to) in [("-", "> /dev/full"), ("/dev/full", "")] {
        redirected(&folder, &format!("game.pgn --out {out} --svg other.svg"), to).fail(1, "No space left");
        assert_eq!(names(&folder).len(), 5, "{:?}", names(&folder));
    }
    redirected(&folder, "--help", "> /dev/full").fail(1, "No space left");
    // Nothing is written beside a device.
    let output = redirected(&folder, "/dev/stdin", "< game.pgn").succeed();
    assert_eq!(games(&output.stdout).len(), 3);
    assert!(!Path::new("/dev/stdin.analysed.pgn").exists() && names(&folder).len() == 5);
}

#[test]
fn help_and_wrong_arguments() {
    for (arguments, part) in [
        (&["analyse", "a.pgn", "--nonsense"][..], "'--nonsense'"),
        (&["analyse"], "<FILE>"),
        (&["analyse", "a.pgn", "--nodes", "0"], "'--nodes <N>'"),
        (&["analyse", "a.pgn", "--variant", "shogi"], "spartan or chess"),
        (&["analyse", "a.pgn", "--nodes", "5", "--movetime", "5"], "'--movetime <MS>'"),
    ] {
        let output = run(arguments);
        assert_eq!(output.code, Some(2));
        let text = output.stderr;
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with("agoge analyse: ") && lines[0].contains(part), "{text}");
        assert_eq!(lines[1], "Try 'agoge analyse --help'.");
    }
    let help = run(&["analyse", "--help"]).stdout;
    for part in [
        "Annotates the games",
        "--movetime",
        "[default: games.analysed.pgn",
        "Accuracy: ",
        "0.2 a blunder (??, $4)",
        "standard input",
    ] {
        assert!(help.contains(part), "{part} in {help}");
    }
    assert!(help.lines().all(|line| line.len() <= 120), "{help}");
    let output = run(&["analyse", "a.pgn", "--out", "b", "--svg", "b"]);
    assert!(output.code == Some(1) && output.stderr.lines().count() == 1, "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_complete_games_only() {
    use crate::common::client::{finish, send_signal, with_default_signals};
    use nix::sys::signal::Signal;
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let sample = include_str!("../positions/sample.pgn");
    // A finished game needs no search.
    let over = "[FEN \"R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1\"]\n\n1-0\n\n";
    // `files`: the annotated games, and the picture of the first game.
    for (text, signal, files) in
        [(sample.to_owned(), Signal::SIGTERM, 1), (format!("{over}{sample}"), Signal::SIGINT, 2)]
    {
        let folder = folder();
        let file = write(&folder, "a.pgn", &text);
        let mut command = Command::new(BINARY);
        with_default_signals(&mut command);
        command.arg("analyse").arg(&file).args(["--movetime", "2000"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program runs");
        let begin = Instant::now();
        while names(&folder).len() < 1 + files {
            assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", names(&folder));
            std::thread::sleep(Duration::from_millis(10));
        }
        send_signal(child.id(), signal);
        let output = finish(child);
        assert_eq!(output.code, Some(1), "{output:?}");
        let message = format!("interrupted; games written: {} of {files}", files - 1);
        assert!(output.stderr.contains(&message), "{output:?}");
        if files == 1 {
            assert_eq!(names(&folder), ["a.pgn"]);
        } else {
            assert_eq!(names(&folder), ["a.analysed.pgn", "a.pgn", "a.svg"]);
            assert_eq!(games(&read(&folder, "a.analysed.pgn")).len(), 1);
        }
    }
}

/// `nohup` ignores the signal that a closed terminal sends.
#[cfg(unix)]
#[test]
fn ignored_signals_stay_ignored() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = folder();
    let file = write(&folder, "a.pgn", ORTHODOX);
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_tested-agoge")).arg("analyse").arg(&file).args(["--movetime", "300"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
    let begin = Instant::now();
    while names(&folder).len() < 2 {
        assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", names(&folder));
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().expect("kill runs").success());
    assert!(child.wait().expect("an exit").success());
    assert_eq!(names(&folder), ["a.analysed.pgn", "a.pgn", "a.svg"]);
}

#[test]
fn a_second_analysis_replaces_the_first() {
    let folder = folder();
    let text = "[Annotator \"Smith\"]\n\n{first} 1. e4! {[%eval 0.3]} Hbd5 (1... Hac5 $2 {[%eval 0.9] mine}) 2. Qg4?? {why} \
                Wf6 $2 3. Nf3 ({[%eval 0.1]} 3. d4 {theirs}) *\n";
    let file = write(&folder, "game.pgn", text);
    let out = |name: &str| folder.path().join(name);
    let run = |from: &Path, nodes: &str, to: &str| {
        let to = out(to);
        let mut command = Command::new(BINARY);
        command.arg("analyse").arg(from).args(["--force", "--nodes", nodes, "--svg"]).arg(out("a.svg"));
        run_with_input(command.arg("--out").arg(to), b"").succeed();
    };
    run(&file, "3000", "1.pgn");
    run(&out("1.pgn"), "3000", "2.pgn");
    run(&out("2.pgn"), "30", "3.pgn");
    run(&out("3.pgn"), "3000", "4.pgn");
    let first = read(&folder, "1.pgn");
    assert!(first.contains("[Annotator \"Smith, Agoge "), "{first}");
    assert_eq!(read(&folder, "2.pgn"), first);
    assert_eq!(read(&folder, "4.pgn"), first);
    // All of the others is there.
    for name in ["1.pgn", "3.pgn"] {
        let text = read(&folder, name).split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "{first} 1. e4 $1 ",
            "{[%eval 0.3]}",
            "(1... Hac5 $2 {[%eval 0.9] mine})",
            "Qg4 $4 ",
            "{why}",
            "Wf6 $2 ",
            "{theirs})",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}

#[test]
fn no_file_is_used_twice() {
    let folder = folder();
    let text = format!("{PYCHESS}\n{PYCHESS}");
    let file = write(&folder, "game.pgn", &text);
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    std::fs::create_dir(at("sub")).expect("a folder");
    let around = at("sub/../game.pgn");
    let mut cases = vec![
        (vec!["--out".to_owned(), at("game.pgn")], "names the input"),
        (vec!["--out".to_owned(), around.clone()], "names the input"),
        (vec!["--svg".to_owned(), around], "names the input"),
        (vec!["--out".to_owned(), at("x"), "--svg".to_owned(), at("sub/../x")], "names the file of --out"),
        (vec!["--out".to_owned(), at("x-2.svg"), "--svg".to_owned(), at("x.svg")], "names the file of --out"),
    ];
    if cfg!(unix) {
        for (link, to) in [("hard.pgn", "game.pgn"), ("hard-2.svg", "game.pgn")] {
            std::fs::hard_link(at(to), at(link)).expect("a link");
        }
        cases.push((vec!["--out".to_owned(), at("hard.pgn")], "names the input"));
        cases.push((vec!["--svg".to_owned(), at("hard.svg")], "names the input"));
    }
    let before = names(&folder);
    for (arguments, part) in &cases {
        for force in [None, Some("--force")] {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(force).collect();
            analyse(&file, &arguments).fail(1, part);
            assert_eq!((names(&folder), read(&folder, "game.pgn")), (before.clone(), text.clone()), "{arguments:?}");
        }
    }
}

/// Also when nobody reads the output.
#[cfg(unix)]
#[test]
fn a_second_interrupt_keeps_complete_games_and_leaves_nothing_else() {
    use crate::common::client::{finish, send_signal, with_default_signals};
    use nix::sys::signal::Signal;
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let over = "[FEN \"R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1\"]\n\n1-0\n\n";
    // The summaries of the games fill the pipe, or the second game takes long.
    for (text, arguments) in [
        (over.repeat(1500), ["--movetime", "1"]),
        (format!("{over}{}", include_str!("../positions/sample.pgn")), ["--movetime", "100000"]),
    ] {
        let folder = folder();
        let file = write(&folder, "a.pgn", &text);
        let mut command = Command::new(BINARY);
        with_default_signals(&mut command);
        command.arg("analyse").arg(&file).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program runs");
        let begin = Instant::now();
        let mut last = 0;
        // Until no more files come.
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = names(&folder).len();
            if now > 2 && now == last {
                break;
            }
            last = now;
            assert!(begin.elapsed() < Duration::from_secs(60), "{now} files");
        }
        send_signal(child.id(), Signal::SIGINT);
        std::thread::sleep(Duration::from_millis(20));
        send_signal(child.id(), Signal::SIGINT);
        let output = finish(child);
        assert!(matches!(output.code, Some(1 | 130)), "{output:?}");
        let names = names(&folder);
        assert!(names.iter().all(|name| !name.ends_with(".tmp")), "{names:?}");
        // All but the input and the games have a picture each.
        let written = games(&read(&folder, "a.analysed.pgn"));
        assert!(!written.is_empty() && written.len() == names.len() - 2, "{} games, {names:?}", written.len());
    }
}
