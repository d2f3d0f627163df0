//! The program `conversion` with the real engine.

use crate::common::{ENGINE, bench, full_tests, text};
use crate::tables::{FOLDER, tables};
use std::fs::File;
use std::process::Output;
use std::sync::LazyLock;

const ONE_PIECE: [&str; 8] = ["KQvk", "KRvk", "KPvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "Kvkh"];
const TWO_PIECES: [&str; 3] = ["KBBvk", "KNvkg", "KBvkg"];
const EMBEDDED: [&str; 3] = ["KBNvk", "KRvkc", "KBvkw"];

/// A folder with the tables of all tests: only one program at a time makes tables there.
static TABLES: LazyLock<&str> = LazyLock::new(|| {
    let output = tables(&FOLDER, &[&ONE_PIECE[..], two_pieces(), &EMBEDDED].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    FOLDER.to_str().expect("UTF-8")
});

fn two_pieces() -> &'static [&'static str] {
    if full_tests() { &TWO_PIECES } else { &TWO_PIECES[..1] }
}

fn conversion(arguments: &[&str]) -> Output {
    let mut command = bench("conversion");
    command.arg(ENGINE).args(arguments).output().expect("the program runs")
}

/// Checks that the engine wins a share of sampled positions of some classes with a number of nodes per move.
#[track_caller]
fn wins(share: &str, nodes: &str, positions: &str, classes: &[&str]) {
    let limits = ["--tables", *TABLES, "--nodes", nodes, "--positions", positions, "--failures", "--require", share];
    let output = conversion(&[classes, &limits].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn one_piece_mates_a_lone_king() {
    wins("100%", "500", "10", &ONE_PIECE);
}

#[test]
fn two_pieces_win() {
    wins("100%", "10000", "4", two_pieces());
}

#[test]
fn the_embedded_endgames_of_four_men_are_won() {
    wins("100%", "1000", "5", &EMBEDDED);
}

#[test]
fn tables_are_not_made_where_another_program_makes_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--tables", folder.path().to_str().expect("UTF-8"), "--nodes", "500", "--positions", "1", "Kvkg"];
    let lock = File::create(folder.path().join("lock")).expect("a file");
    lock.lock().expect("a lock");
    let output = conversion(&arguments);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("another program is making tables there"), "{}", text(&output.stderr));
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 1);
    lock.unlock().expect("no lock");
    assert_eq!(conversion(&arguments).status.code(), Some(0));
    assert!(folder.path().join("Kvkg.agt").exists());
    // What is there can be read.
    lock.lock().expect("a lock");
    assert_eq!(conversion(&arguments).status.code(), Some(0));
}

#[test]
fn the_exit_status_shows_whether_enough_was_won() {
    // Without a search the engine does not find the mate.
    for (arguments, status) in [
        (&["--tables", *TABLES, "--nodes", "1", "--require", "90%", "--positions", "6", "KBBvk"][..], 1),
        (&["--nodes", "1", "--require", "0%", "--positions", "3", "Kvkc"], 0),
        (&["--nodes", "1", "Kvkx"], 2),
        (&["--nodes", "1", "KQRBNvk"], 2),
        (&["Kvkc"], 2),
        (&["--nodes", "1", "--movetime", "1", "Kvkc"], 2),
    ] {
        let output = conversion(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
    }
    let output = bench("conversion").args(["no/such/engine", "--nodes", "1"]).output();
    assert_eq!(output.expect("the program runs").status.code(), Some(2));
}
