//! `agoge analyse` with the real program: games in, annotated games and pictures out.

use agoge::board::Variant;
use agoge::pgn::{ParsedGame, Reader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
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

fn analyse(file: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agoge"));
    command.arg("analyse").arg(file).args(["--nodes", "3000"]).args(more).output().expect("the program runs")
}

fn games(text: &str) -> Vec<ParsedGame> {
    let mut reader = Reader::new(text.as_bytes());
    std::iter::from_fn(|| reader.next_game()).map(|game| game.expect("good PGN")).collect()
}

fn sans(game: &ParsedGame) -> Vec<&str> {
    game.moves.iter().map(|mv| mv.san.as_str()).collect()
}

/// As sites write games: no signs of check and mate, clocks in comments.
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
    let output = analyse(&file, &[]);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.starts_with("Persians - Spartans, *\n  White: 17 moves, "), "{told}");

    let text = read(&folder, "sample.analysed.pgn");
    let game = &games(&text)[0];
    assert!(game.tag("Annotator").is_some_and(|name| name.starts_with("Agoge ")));
    assert_eq!(game.tag("White"), Some("Persians"));
    assert!(game.remarks.starts_with("{As printed"), "{}", game.remarks);
    assert!(game.moves[22].remarks.ends_with("{duple-check}"), "{}", game.moves[22].remarks);
    let start = game.start(Variant::Spartan).expect("a position");
    assert_eq!(game.line(&start, usize::MAX), games(sample)[0].line(&start, usize::MAX));
    assert!(game.moves.iter().all(|mv| mv.remarks.contains("{[%eval ")), "{text}");
    // Black could take the bishop's pawn with impunity, so 16... Gb5 gives the game away.
    assert!(game.moves[31].remarks.starts_with("$4 {"), "{text}");
    assert!(game.moves[31].remarks.contains("({[%eval "), "{text}");
    let picture = read(&folder, "sample.svg");
    assert!(picture.starts_with("<svg") && picture.contains("Persians - Spartans"));
}

#[test]
fn games_of_sites_and_games_in_other_variants() {
    let folder = folder();
    let orthodox = "[Variant \"Standard\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    let file = write(&folder, "two.pgn", &format!("{PYCHESS}\n{orthodox}"));
    let output = analyse(&file, &["--out", folder.path().join("out.pgn").to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{output:?}");
    let text = read(&folder, "out.pgn");
    let games = games(&text);
    assert_eq!(games.len(), 2);
    assert_eq!(sans(&games[0]), ["g4", "Wf6", "f3", "Wh4#"]);
    assert_eq!(sans(&games[1]), ["f3", "e5", "g4", "Qh4#"]);
    for game in &games {
        // The move into the mate is a blunder, the mate is none and has no score.
        assert!(game.moves[2].remarks.starts_with("$4 {[%eval #-1]"), "{text}");
        assert_eq!(game.moves[3].remarks, "");
        assert_eq!(game.result.as_deref(), Some("0-1"));
    }
    assert!(games[0].moves[0].remarks.ends_with("{[%clk 0:05:00]}"), "{text}");
    assert!(games[0].moves[2].remarks.ends_with("(2. d3)"), "{text}");
    assert!(read(&folder, "two.svg").starts_with("<svg") && read(&folder, "two-2.svg").starts_with("<svg"));
}

#[test]
fn nothing_is_written_over_unless_it_is_wished() {
    let folder = folder();
    let file = write(&folder, "game.pgn", PYCHESS);
    write(&folder, "game.analysed.pgn", "precious");
    let output = analyse(&file, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--force"), "{output:?}");
    assert_eq!(read(&folder, "game.analysed.pgn"), "precious");
    assert!(analyse(&file, &["--force"]).status.success());
    assert!(read(&folder, "game.analysed.pgn").contains("[%eval "));
    // The picture is there now: that is told before anything is written.
    std::fs::remove_file(folder.path().join("game.analysed.pgn")).expect("it is there");
    let output = analyse(&file, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("game.svg: "), "{output:?}");
    assert!(!folder.path().join("game.analysed.pgn").exists());
}

/// Names of files need not be text.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let file = folder.path().join(std::ffi::OsStr::from_bytes(b"\xffgame.pgn"));
    std::fs::write(&file, PYCHESS).expect("a file");
    let output = analyse(&file, &[]);
    assert!(output.status.success(), "{output:?}");
    assert!(file.with_extension("analysed.pgn").exists() && file.with_extension("svg").exists());
}

#[test]
fn who_gave_nothing_away_gave_nothing_away() {
    let folder = folder();
    let file = write(&folder, "short.pgn", "[Result \"1-0\"]\n\n1. e4\n");
    let told = analyse(&file, &[]);
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.starts_with("? - ?, 1-0\n"), "{told}");
    assert!(told.contains(" 0.00 points") && !told.contains("-0.00"), "{told}");
}

#[test]
fn what_is_wrong_is_told_and_the_rest_is_done() {
    let folder = folder();
    let bad = "[Event \"bad\"]\n\n1. e4 Hbd5 2. Qh9 *\n";
    let unknown = "[Variant \"Shogi\"]\n\n1. e4 *\n";
    let broken = "[FEN \"8/8 w\"]\n\n*\n";
    let file = write(&folder, "games.pgn", &format!("{bad}\n{unknown}\n{broken}\n{PYCHESS}"));
    let output = analyse(&file, &[]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    for part in ["game at line 1: 2.Qh9", "game at line 5: the variant 'Shogi'", "FEN: "] {
        assert!(errors.contains(part), "{errors}");
    }
    assert_eq!(games(&read(&folder, "games.analysed.pgn")).len(), 1);

    for (text, part) in [("", "no game"), ("[Event", "line 1"), ("1. e4 { *", "does not end")] {
        let output = analyse(&write(&folder, "no.pgn", text), &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(part), "{output:?}");
    }
    assert_eq!(analyse(Path::new("/no/such/file.pgn"), &[]).status.code(), Some(1));
    assert_eq!(analyse(&file, &["--nonsense"]).status.code(), Some(2));
    let help = analyse(&file, &["--help"]);
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--movetime"));
}
