//! The tuner as a user drives it, with an engine whose numbers can be set.

use crate::common::{build_engine, directory, engine_name, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const SPSA: &str = env!("CARGO_BIN_EXE_spsa");

/// The engine built for tuning, apart from the usual one.
fn engine() -> &'static str {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path = PATH.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tune");
        build_engine(&target, &["--features", "tune"]);
        target.join("debug").join(engine_name())
    });
    path.to_str().expect("a path in UTF-8")
}

/// A directory for one test with a file of openings; returns paths in it.
fn files<const N: usize>(test: &str, names: [&str; N]) -> [String; N] {
    let directory = directory(&format!("spsa-{test}"));
    names.map(|name| directory.join(name).to_str().expect("a path in UTF-8").to_owned())
}

const OPENINGS: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -\n";

fn spsa(arguments: &[&str]) -> Output {
    Command::new(SPSA).args(arguments).output().expect("the tuner runs")
}

#[test]
fn all_numbers_are_listed_as_the_tuner_reads_them() {
    let output = spsa(&["list"]);
    assert!(output.status.success());
    let listed = text(&output.stdout);
    let table = agoge::search::params::TABLE;
    assert_eq!(listed.lines().count(), table.len());
    for (line, param) in listed.lines().zip(table) {
        let tunable = agoge_bench::spsa::Tunable::parse(line).expect("a line that can be read again");
        assert_eq!((tunable.name.as_str(), tunable.value), (param.name, f64::from(param.default)));
    }
}

#[test]
fn a_tuning_moves_numbers_and_goes_on_where_it_was() {
    let [openings, numbers, out] = files("tune", ["openings.epd", "numbers", "out"]);
    fs::write(&openings, OPENINGS).expect("openings");
    fs::write(&numbers, "# two of them\nlmr_factor 480 100 100 1500\nrfp_margin 70 15 20 200\n").expect("numbers");
    let common =
        ["--openings", &openings, "--engine", engine(), "--nodes", "400", "--numbers", &numbers, "--out", &out];
    let run = |pairs: &str, more: &[&str]| spsa(&[&["tune", "--pairs", pairs], &common[..], more].concat());

    let output = run("6", &["--concurrency", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let first = fs::read_to_string(&out).expect("an output");
    assert!(first.starts_with("# pairs: 6\nlmr_factor "), "{first}");

    // The output is not overwritten by mistake.
    assert_eq!(run("8", &[]).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&out).expect("an output"), first);

    let output = run("8", &["--resume"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(fs::read_to_string(&out).expect("an output").starts_with("# pairs: 8\n"));
}

#[test]
fn a_screening_fits_all_factors() {
    let [openings, factors, out] = files("screen", ["openings.epd", "factors", "out"]);
    fs::write(&openings, OPENINGS).expect("openings");
    let margins = "rfp_margin 70 18\nlmp_base 11 2\nlmr_base 300 900\nfutility_margin 70 21\n";
    fs::write(&factors, margins).expect("factors");
    let arguments = [
        "screen",
        "--openings",
        &openings,
        "--engine",
        engine(),
        "--nodes",
        "500",
        "--factors",
        &factors,
        "--out",
        &out,
    ];
    let output = spsa(&[&arguments[..], &["--pairs", "12", "--concurrency", "2"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = fs::read_to_string(&out).expect("an output");
    assert!(report.starts_with("# pairs: 12, error +-"), "{report}");
    assert_eq!(report.lines().count(), 5);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let [openings, bad, unknown, out] = files("bad", ["openings.epd", "bad", "unknown", "out"]);
    fs::write(&openings, OPENINGS).expect("openings");
    fs::write(&bad, "rfp_margin 70 15 20\n").expect("numbers");
    fs::write(&unknown, "no_such_number 70 15 20 200\n").expect("numbers");
    for (numbers, message) in
        [(&bad, "line 1: rfp_margin: four numbers"), (&unknown, "no number 'no_such_number'"), (&out, "out: ")]
    {
        let output = spsa(&["tune", "--openings", &openings, "--engine", "x", "--numbers", numbers, "--out", &out]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}
