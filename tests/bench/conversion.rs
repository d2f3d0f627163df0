//! The program `conversion` with the real engine.

use crate::common::{ENGINE, bench, full_tests, text};
use crate::tables::FOLDER;
use std::process::Output;

fn conversion(arguments: &[&str]) -> Output {
    let mut command = bench("conversion");
    command.arg(ENGINE).args(arguments).output().expect("the program runs")
}

/// Checks that the engine wins a share of sampled positions of some classes with a number of nodes per move.
#[track_caller]
fn wins(share: &str, nodes: &str, positions: &str, classes: &[&str]) {
    let tables = FOLDER.to_str().expect("UTF-8");
    let limits = ["--tables", tables, "--nodes", nodes, "--positions", positions, "--failures", "--require", share];
    let output = conversion(&[classes, &limits].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn one_piece_mates_a_lone_king() {
    wins("100%", "500", "10", &["KQvk", "KRvk", "KPvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "Kvkh"]);
}

#[test]
fn two_pieces_win() {
    let classes = ["KBBvk", "KNvkg", "KBvkg"];
    wins("100%", "10000", "4", if full_tests() { &classes } else { &classes[..1] });
}

#[test]
fn the_embedded_endgames_of_four_men_are_won() {
    wins("100%", "1000", "5", &["KBNvk", "KRvkc", "KBvkw"]);
}

#[test]
fn the_exit_status_shows_whether_enough_was_won() {
    // Without a search the engine does not find the mate.
    let tables = FOLDER.to_str().expect("UTF-8");
    for (arguments, status) in [
        (&["--tables", tables, "--nodes", "1", "--require", "90%", "--positions", "6", "KBBvk"][..], 1),
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
