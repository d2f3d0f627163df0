//! End-to-end tests of `spsa` with an engine whose search parameters are options.

use crate::common::{ENGINE, bench, directory, text};
use std::fs;
use std::process::Output;

/// An engine with the `Tune_` options: with the feature `tune` the real one, otherwise a script that only announces the
/// options and plays with the default parameters.
fn engine(_test: &str) -> String {
    #[cfg(feature = "tune")]
    return ENGINE.to_owned();
    #[cfg(not(feature = "tune"))]
    {
        let path = directory(&format!("spsa-engine-{_test}")).join("engine");
        let prefix = agoge_core::search::params::OPTION_PREFIX;
        let option = |name: &str| format!("echo 'option name {prefix}{name} type spin'\n");
        let options: String = agoge_core::search::params::TABLE.iter().map(|param| option(param.name)).collect();
        crate::common::write_script(&path, &format!("{options}exec '{ENGINE}'"));
        path.to_str().expect("a path in UTF-8").to_owned()
    }
}

/// Creates an empty directory for one test and returns paths in it.
fn files<const N: usize>(test: &str, names: [&str; N]) -> [String; N] {
    let directory = directory(&format!("spsa-{test}"));
    names.map(|name| directory.join(name).to_str().expect("a path in UTF-8").to_owned())
}

const OPENINGS: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -\n";

fn spsa(arguments: &[&str]) -> Output {
    bench("spsa").args(arguments).output().expect("the tuner runs")
}

#[test]
fn all_parameters_are_listed_in_the_input_format() {
    let output = spsa(&["list"]);
    assert!(output.status.success());
    let listed = text(&output.stdout);
    let table = agoge_core::search::params::TABLE;
    assert_eq!(listed.lines().count(), table.len());
    for (line, param) in listed.lines().zip(table) {
        let tunable = agoge_bench::tune::spsa::Tunable::parse(line).expect("a valid line");
        assert_eq!((tunable.name.as_str(), tunable.value), (param.name, f64::from(param.default)));
    }
}

/// The engine prints its parameters as OpenBench's form for SPSA reads them: see `verify_workload.py` there.
#[test]
#[cfg(feature = "tune")]
fn the_engine_prints_the_input_of_openbench() {
    use std::process::Command;
    let run = |arguments: &[&str]| {
        let output = Command::new(ENGINE).args(arguments).output().expect("the engine runs");
        (output.status.code(), text(&output.stdout))
    };
    let (status, all) = run(&["spsa"]);
    assert_eq!(status, Some(0));
    let options = run(&["isready now", "uci", "quit"]).1;
    assert_eq!(all.lines().count(), agoge_core::search::params::TABLE.len());
    for (line, param) in all.lines().zip(agoge_core::search::params::TABLE) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, "int", value, min, max, c_end, r_end] = fields[..] else { panic!("{line}") };
        let [value, min, max, c_end, r_end] =
            [value, min, max, c_end, r_end].map(|number| number.parse::<f64>().expect("a number"));
        assert!(min <= value && value <= max && c_end >= 0.5 && r_end > 0.0, "{line}");
        assert_eq!(value, f64::from(param.default));
        // OpenBench splits options at blanks.
        assert!(!name.contains(' '), "{line}");
        assert!(options.contains(&format!("option name {name} type spin default {value} ")), "{line}");
    }
    let (status, three) = run(&["spsa rfp_margin Tune_lmr_factor lmp_base"]);
    assert_eq!(status, Some(0));
    let names: Vec<&str> = three.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["Tune_rfp_margin", "Tune_lmr_factor", "Tune_lmp_base"]);
    let (status, message) = run(&["spsa no_such_number"]);
    assert!(status == Some(2) && message.contains("unknown search parameter 'no_such_number'"), "{message}");
}

#[test]
fn a_tuning_can_be_resumed() {
    let [openings, numbers, out] = files("tune", ["openings.epd", "numbers", "out"]);
    fs::write(&openings, OPENINGS).expect("openings");
    fs::write(&numbers, "# two of them\nlmr_factor 480 100 105 1260\nrfp_margin 70 15 20 200\n").expect("numbers");
    let engine = engine("tune");
    let common = ["--openings", &openings, "--engine", &engine, "--nodes", "400", "--numbers", &numbers, "--out", &out];
    let run = |pairs: &str, more: &[&str]| spsa(&[&["tune", "--pairs", pairs], &common[..], more].concat());

    let output = run("6", &["--concurrency", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let first = fs::read_to_string(&out).expect("an output");
    assert!(first.starts_with("# pairs: 6\nlmr_factor "), "{first}");

    // The output is not overwritten.
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
    let engine = engine("screen");
    let arguments = [
        "screen",
        "--openings",
        &openings,
        "--engine",
        &engine,
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
    // The output is not overwritten.
    let output = spsa(&[&arguments[..], &["--pairs", "1"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("out: the file exists; --force overwrites it"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&out).expect("an output"), report);
    assert!(spsa(&[&arguments[..], &["--pairs", "1", "--force"]].concat()).status.success());
    assert!(fs::read_to_string(&out).expect("an output").starts_with("# pairs: 1"));
}

/// Without the options the games would say nothing about the parameters.
#[test]
#[cfg(not(feature = "tune"))]
fn an_engine_without_tune_options_is_an_error() {
    let [openings, numbers, out] = files("fixed", ["openings.epd", "numbers", "out"]);
    fs::write(&openings, OPENINGS).expect("openings");
    fs::write(&numbers, "lmr_factor 480 100 105 1260\n").expect("numbers");
    let output = spsa(&["tune", "--openings", &openings, "--engine", ENGINE, "--numbers", &numbers, "--out", &out]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("no option 'Tune_lmr_factor'"), "{}", text(&output.stderr));
}

/// Links beside the output are left alone.
#[test]
#[cfg(unix)]
fn links_beside_the_output_are_not_followed() {
    let [openings, numbers, out, link, target] =
        files("link", ["openings.epd", "numbers", "out", "out.part", "precious"]);
    fs::write(&openings, OPENINGS).expect("openings");
    fs::write(&numbers, "lmr_factor 480 100 105 1260\n").expect("numbers");
    fs::write(&target, "precious").expect("a file");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    let engine = engine("link");
    let common = ["--openings", &openings, "--engine", &engine, "--nodes", "50", "--pairs", "1"];
    let output = spsa(&[&["tune", "--numbers", &numbers, "--out", &out], &common[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&target).expect("a file"), "precious");
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
}

#[test]
fn invalid_input_is_reported() {
    let [openings, bad, unknown, low, out] = files("bad", ["openings.epd", "bad", "unknown", "low", "out"]);
    fs::write(&openings, OPENINGS).expect("openings");
    fs::write(&bad, "rfp_margin 70 15 20\n").expect("numbers");
    fs::write(&unknown, "no_such_number 70 15 20 200\n").expect("numbers");
    fs::write(&low, "rfp_margin 70 15 20 200\nlmr_factor 480 100 104 1260\n").expect("numbers");
    for (numbers, message) in [
        (&bad, "line 1: rfp_margin: four numbers"),
        (&unknown, "unknown search parameter 'no_such_number'"),
        (&low, "lmr_factor: 104 is not between 105 and 1260"),
        (&out, "out: "),
    ] {
        let output = spsa(&["tune", "--openings", &openings, "--engine", "x", "--numbers", numbers, "--out", &out]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}
