//! End-to-end tests of `spsa` with an engine whose search parameters are options. Such an engine, built with the feature
//! `tune`, may be named by the environment variable AGOGE_TUNED, as `.ci/run` does.

use crate::common::{ENGINE, assert_fails, assert_succeeds, bench, directory, text, write_script};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder with openings and other files.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = directory(&format!("spsa-{test}"));
    for (name, text) in files.iter().chain(&[("openings.epd", "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -\n")])
    {
        fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

/// Runs the tuner in a folder.
fn spsa(folder: &Path, line: &str) -> Output {
    bench("spsa").args(line.split_ascii_whitespace()).current_dir(folder).output().expect("the tuner runs")
}

/// The engine that was built with the feature `tune`, if there is one.
fn tuned() -> Option<PathBuf> {
    std::env::var_os("AGOGE_TUNED").map(PathBuf::from)
}

/// Runs it with an engine that has the `Tune_` options: the real one, otherwise a script that only announces the options
/// and plays with the default parameters.
fn play(folder: &Path, line: &str) -> Output {
    let engine = tuned().unwrap_or_else(|| {
        let engine = folder.join("engine");
        let prefix = agoge_core::search::params::OPTION_PREFIX;
        let option = |name: &str| format!("echo 'option name {prefix}{name} type spin'\n");
        let options: String = agoge_core::search::params::TABLE.iter().map(|param| option(param.name)).collect();
        write_script(&engine, &format!("{options}exec '{ENGINE}'"));
        engine
    });
    let words = line.split_ascii_whitespace().chain(["--openings", "openings.epd", "--out", "out", "--engine"]);
    bench("spsa").args(words).arg(engine).current_dir(folder).output().expect("the tuner runs")
}

#[test]
fn all_parameters_are_listed_in_the_input_format() {
    let output = spsa(&directory("spsa-list"), "list");
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
#[ignore = "needs the engine of AGOGE_TUNED"]
fn the_engine_prints_the_input_of_openbench() {
    use std::process::Command;
    let run = |arguments: &[&str]| {
        let engine = tuned().expect("AGOGE_TUNED names an engine");
        let output = Command::new(engine).args(arguments).output().expect("the engine runs");
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
    let numbers = "# two of them\nlmr_factor 480 100 105 1260\nrfp_margin 70 15 20 200\n";
    let folder = folder("tune", &[("numbers", numbers)]);
    let run = |pairs: &str| play(&folder, &format!("tune --nodes 400 --numbers numbers --pairs {pairs}"));
    let written = || fs::read_to_string(folder.join("out")).expect("an output");

    assert_succeeds(&run("6 --concurrency 2"));
    let first = written();
    assert!(first.starts_with("# pairs: 6\nlmr_factor "), "{first}");

    // The output is not overwritten.
    assert_eq!(run("8").status.code(), Some(2));
    assert_eq!(written(), first);

    // Other parameters than those of the output would be lost, or their values confused.
    let lines: Vec<&str> = numbers.lines().collect();
    for other in [lines[1].to_owned(), [lines[2], lines[1]].join("\n"), format!("{numbers}lmr_base 300 10 0 900\n")] {
        fs::write(folder.join("numbers"), other).expect("a file");
        assert_fails(&run("8 --resume"), 2, "out does not have the parameters of numbers in their order");
        assert_eq!(written(), first);
    }
    fs::write(folder.join("numbers"), numbers).expect("a file");

    assert_succeeds(&run("8 --resume"));
    assert!(written().starts_with("# pairs: 8\n"));
}

#[test]
fn a_screening_fits_all_factors() {
    let factors = "rfp_margin 70 18\nlmp_base 11 2\nlmr_base 300 900\nfutility_margin 70 21\n";
    let folder = folder("screen", &[("factors", factors)]);
    let run = |pairs: &str| play(&folder, &format!("screen --nodes 500 --factors factors --pairs {pairs}"));
    let written = || fs::read_to_string(folder.join("out")).expect("an output");

    assert_succeeds(&run("12 --concurrency 2"));
    let report = written();
    assert!(report.starts_with("# pairs: 12, error +-"), "{report}");
    assert_eq!(report.lines().count(), 5);
    // The output is not overwritten.
    assert_fails(&run("1"), 2, "out: the file exists; --force overwrites it");
    assert_eq!(written(), report);
    assert!(run("1 --force").status.success());
    assert!(written().starts_with("# pairs: 1"));
}

/// Without the options the games would say nothing about the parameters.
#[test]
fn an_engine_without_tune_options_is_an_error() {
    let folder = folder("fixed", &[("numbers", "lmr_factor 480 100 105 1260\n")]);
    let line = format!("tune --openings openings.epd --engine {ENGINE} --numbers numbers --out out");
    assert_fails(&spsa(&folder, &line), 4, "no option 'Tune_lmr_factor'");
}

/// Links beside the output are left alone.
#[test]
#[cfg(unix)]
fn links_beside_the_output_are_not_followed() {
    let folder = folder("link", &[("numbers", "lmr_factor 480 100 105 1260\n"), ("precious", "precious")]);
    let link = folder.join("out.part");
    std::os::unix::fs::symlink(folder.join("precious"), &link).expect("a link");
    assert_succeeds(&play(&folder, "tune --nodes 50 --pairs 1 --numbers numbers"));
    assert_eq!(fs::read_to_string(folder.join("precious")).expect("a file"), "precious");
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
}

#[test]
fn invalid_input_is_reported() {
    let low = "rfp_margin 70 15 20 200\nlmr_factor 480 100 104 1260\n";
    let files = [("bad", "rfp_margin 70 15 20\n"), ("unknown", "no_such_number 70 15 20 200\n"), ("low", low)];
    let folder = folder("bad", &files);
    for (numbers, message) in [
        ("bad", "line 1: rfp_margin: four numbers"),
        ("unknown", "unknown search parameter 'no_such_number'"),
        ("low", "lmr_factor: 104 is not between 105 and 1260"),
        ("out", "out: "),
    ] {
        let line = format!("tune --openings openings.epd --engine x --numbers {numbers} --out out");
        assert_fails(&spsa(&folder, &line), 2, message);
    }
}
