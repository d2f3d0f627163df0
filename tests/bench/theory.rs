//! The opening theory: the tree, games from it, and the file that is made of them.

use crate::common::{assert_fails, assert_succeeds, bench, text};
use agoge_core::board::{Board, Variant};
use agoge_core::theory::Theory;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    fn command(&self, line: &str) -> Command {
        let mut command = bench("theory");
        command.args(line.split_ascii_whitespace()).current_dir(self.0.path());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("it runs")
    }

    #[track_caller]
    fn succeed(&self, line: &str) -> String {
        let output = self.run(line);
        assert_succeeds(&output);
        text(&output.stdout)
    }

    /// Grows a tree in one go and returns it as EPD.
    #[track_caller]
    fn tree(&self, name: &str, options: &str) -> String {
        self.succeed(&format!("build --out {name} {options} {SMALL}"));
        self.succeed(&format!("write {name} --out {name}.epd --compact {name}.bin"));
        self.read(&format!("{name}.epd"))
    }
}

const SMALL: &str = "--nodes 300 --hash 1";

/// The tree does not depend on the number of threads, nor on when a run ends.
#[test]
fn two_trees_are_equal() {
    let folder = Folder::new();
    let one = folder.tree("one", "--positions 300 --threads 1");
    assert_eq!(folder.tree("two", "--positions 300 --threads 3"), one);
    // Smaller ones that are continued.
    folder.succeed(&format!("build --out three --positions 30 --threads 2 {SMALL}"));
    folder.succeed(&format!("build --out three --positions 170 --threads 1 {SMALL}"));
    assert_eq!(folder.tree("three", "--positions 300 --threads 2"), one);
    // A complete one is not changed.
    let searches = folder.read("three");
    folder.tree_is_done("three");
    assert_eq!(folder.read("three"), searches);
    // The order of the searches in the file has no meaning.
    let (head, rest): (Vec<&str>, Vec<&str>) = searches.lines().partition(|line| line.starts_with('#'));
    let lines: Vec<&str> = head.into_iter().chain(rest.into_iter().rev()).collect();
    fs::write(folder.path("four"), lines.join("\n") + "\n").expect("a file");
    folder.succeed("write four --out four.epd");
    assert_eq!(folder.read("four.epd"), one);

    let theory = Theory::parse(&one).expect("theory");
    assert!(theory.len() > 300 && theory.about.contains("nodes: 300\nhash: 1\n"), "{}", theory.about);
    let compact = fs::read(folder.path("one.bin")).expect("a file");
    assert_eq!(Theory::from_bytes(&compact).as_ref(), Ok(&theory));
    let output = folder.run("write one --out again.epd --compact -");
    assert!(output.stdout == compact, "{}", text(&output.stderr));
    folder.succeed("compact one.epd --out again.bin");
    assert_eq!(fs::read(folder.path("again.bin")).expect("a file"), compact);
    // All first moves, each with a line of at least six plies.
    let start = Board::start(Variant::Spartan);
    let first = &theory.get(&start).expect("the initial position").moves;
    assert_eq!(first.len(), 20);
    for known in first {
        let mut board = start.after(known.mv);
        for ply in 1..6 {
            let position = theory.get(&board).unwrap_or_else(|| panic!("{} has {ply} plies", known.mv));
            board = board.after(position.moves[0].mv);
        }
    }
}

impl Folder {
    fn tree_is_done(&self, name: &str) {
        let output = self.succeed(&format!("build --out {name} --positions 300 {SMALL}"));
        assert!(output.contains(" positions; by ply: "), "{output}");
    }
}

/// A run that is killed loses nothing but the searches in progress, whatever it was writing.
#[cfg(unix)]
#[test]
fn a_killed_tree_is_continued() {
    use crate::common::Running;
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let one = folder.tree("one", "--positions 200 --threads 2");
    let line = format!("build --out two --positions 200 --threads 2 {SMALL}");
    let mut child = Running(folder.command(&line).spawn().expect("it starts"));
    let begin = Instant::now();
    while fs::read_to_string(folder.path("two")).map_or(0, |text| text.lines().count()) < 60 {
        assert!(begin.elapsed() < Duration::from_secs(100), "there are no searches");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.0.kill().expect("it is killed");
    child.0.wait().expect("it ends");
    // As if it had been killed while it wrote a line.
    let text = folder.read("two");
    fs::write(folder.path("two"), &text[..text.len() - 5]).expect("a file");
    assert_eq!(folder.tree("two", "--positions 200 --threads 1"), one);
}

#[test]
fn the_values_are_found_again() {
    let folder = Folder::new();
    let epd = folder.tree("tree", "--positions 100 --threads 2");
    let output = folder.succeed("check tree.epd --sample 40 --seed 3");
    assert!(output.contains("40 values searched again: 0 wrong"), "{output}");
    // The last move of the last line is not in the tree, so its value is that of a search.
    let last = epd.lines().last().expect("lines");
    let value = last.split("; ").find_map(|operation| operation.strip_prefix("mv ")).expect("moves");
    let value = value.trim_end_matches(';').rsplit(' ').next().expect("a value");
    let wrong = last.replace(&format!(" {value};"), " 1234;");
    fs::write(folder.path("wrong.epd"), epd.replace(last, &wrong)).expect("a file");
    let output = folder.run("check wrong.epd --sample 1000000");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(" 1234 "), "{output:?}");
    fs::write(folder.path("other.epd"), epd.replace("engine: bench ", "engine: bench 1")).expect("a file");
    assert_fails(&folder.run("check other.epd"), 2, "not of this program");
}

#[test]
fn games_start_from_the_tree() {
    let folder = Folder::new();
    folder.tree("tree", "--positions 100 --threads 2");
    let play = "--nodes 100 --hash 1 --win-score 500 --seed 4";
    folder.succeed(&format!("games tree --out one --games 24 --threads 1 {play}"));
    folder.succeed(&format!("games tree --out two --games 9 --threads 3 {play}"));
    folder.succeed(&format!("games tree --out two --games 24 --threads 2 {play}"));
    for name in ["one", "two"] {
        folder.succeed(&format!("write tree --games {name} --out {name}.epd --pgn {name}.pgn"));
    }
    let epd = folder.read("one.epd");
    assert_eq!(folder.read("two.epd"), epd);
    let theory = Theory::parse(&epd).expect("theory");
    let start = Board::start(Variant::Spartan);
    let position = theory.get(&start).expect("the initial position");
    assert_eq!(position.games.iter().sum::<u32>(), 24);
    // What White wins, Black loses after the first move.
    let after = position.moves.iter().filter_map(|known| theory.get(&start.after(known.mv)));
    let after = after.fold([0; 3], |sum, next| std::array::from_fn(|index| sum[index] + next.games[2 - index]));
    assert_eq!(after, position.games);
    let pgn = folder.read("one.pgn");
    assert_eq!(pgn.matches("[Variant \"Spartan\"]").count(), 24);
    assert_fails(&folder.run("games tree --out one --games 24 --nodes 101"), 2, "other settings");
    assert_fails(&folder.run("build --out tree --nodes 301"), 2, "other settings");
}

/// The parts of the document that follow from the theory alone, and whose figures do not come from games that are not
/// in the repository.
#[test]
fn the_figures_of_the_repository() {
    let folder = Folder::new();
    let positions = concat!(env!("CARGO_MANIFEST_DIR"), "/../positions");
    let output = folder.succeed(&format!("report {positions}/theory.epd --document {positions}/OPENINGS.md --check"));
    assert!(output.contains("parts: 5, different: 0"), "{output}");
    // Each part names the command that makes it.
    let text = fs::read_to_string(format!("{positions}/OPENINGS.md")).expect("a file");
    let marks = text.matches("<!-- theory:").count();
    assert!(marks >= 17, "{marks}");
    assert_eq!(text.matches("\n`agoge-bench theory report positions/theory.epd").count(), marks);
}

#[test]
fn a_report_of_games() {
    let folder = Folder::new();
    folder.tree("tree", "--positions 100 --threads 2");
    let play = "--nodes 100 --hash 1 --win-score 500 --threads 2";
    folder.succeed(&format!("games tree --out one --games 30 --seed 4 {play}"));
    folder.succeed(&format!("games tree --out two --games 12 --plies 0 --most-nodes 300 --seed 5 {play}"));
    let report = "report tree.epd --games one two --balance two";
    let all = folder.succeed(report);
    assert_eq!(folder.succeed(report), all);
    assert_eq!(all.matches("<!-- theory:").count(), 18);
    assert!(all.contains("\n42 games: White won ") && all.contains("| 100 to 300 | 12 | "), "{all}");
    let only = folder.succeed(&format!("{report} --part balance"));
    assert!(all.contains(only.trim()) && only.matches("<!-- theory:").count() == 1);
    assert_fails(&folder.run("report tree.epd --part balance"), 2, "no part 'balance' of these files");

    // A document keeps its words.
    let marks: Vec<&str> = all.lines().filter(|line| line.starts_with("<!-- ")).collect();
    fs::write(folder.path("words.md"), format!("# Words\n{}\nThe end.\n", marks.join("\n"))).expect("a file");
    let check = folder.run(&format!("{report} --document words.md --check"));
    assert_eq!(check.status.code(), Some(1));
    assert!(text(&check.stderr).contains("the part 'tips' differs"), "{check:?}");
    assert!(folder.succeed(&format!("{report} --document words.md")).contains("parts: 18, changed: 18"));
    assert!(folder.succeed(&format!("{report} --document words.md --check")).contains("different: 0"));
    assert!(folder.read("words.md").starts_with("# Words\n<!-- theory:first-moves -->\n"));
    assert!(folder.read("words.md").ends_with("<!-- /theory:balance -->\nThe end.\n"));
    fs::write(folder.path("bare.md"), "nothing\n").expect("a file");
    assert_fails(&folder.run(&format!("{report} --document bare.md")), 2, "no line <!-- theory:first-moves -->");
}
