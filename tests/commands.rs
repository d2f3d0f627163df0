//! The other UCI commands, and the same commands as arguments, with the real binary.

use crate::common::client::{BINARY, Client, has_error, run, run_with_input};
use crate::common::{FOOLS_MATE, temporary_file};
use std::process::Command;
use std::time::Duration;

/// The text of `bench` and `speedtest` ends with nodes and nodes a second.
fn assert_ends_with_speed(text: &str) {
    let words: Vec<&str> = text.lines().last().unwrap_or("").split(' ').collect();
    let is_number = |word: &str| word.parse::<u64>().is_ok();
    assert!(matches!(*words, [nodes, "nodes", nps, "nps"] if is_number(nodes) && is_number(nps)), "{text}");
}

/// Bug reports need it, and the tests of other targets.
#[test]
fn the_version_names_the_build_and_what_it_uses_here() {
    let printed = run(&["--version"]).stdout;
    let lines: Vec<&str> = printed.lines().collect();
    let [name, build, simd, sliders, network] = lines[..] else { panic!("{printed}") };
    assert!(name.starts_with(concat!("Agoge ", env!("CARGO_PKG_VERSION"), " (")), "{name}");
    assert!(build.contains(std::env::consts::ARCH) && build.contains("rustc"), "{build}");
    assert_eq!(simd, format!("SIMD level: {}", agoge_core::nnue::Kernels::best().level()));
    assert!(matches!(sliders, "slider attacks: PEXT" | "slider attacks: magics"), "{sliders}");
    let embedded = agoge_core::nnue::embedded().expect("a network");
    assert_eq!(network, format!("network: {}", embedded.name()));
    assert_eq!(run(&["version"]).stdout, printed);
    let client = &mut Client::start();
    assert_eq!(client.ask("version"), lines);

    // Of a loaded network, and of a lower SIMD level.
    let mut other = (*embedded).clone();
    other.set_name("other").expect("a short name");
    let file = temporary_file(&other.to_bytes());
    client.silent(&[&format!("setoption name EvalFile value {}", file.path().display())]);
    assert_eq!(client.ask("version")[4], "network: other");
    let scalar = run_with_input(Command::new(BINARY).arg("version").env("AGOGE_SIMD", "scalar"), b"");
    assert_eq!(scalar.stdout.lines().nth(2), Some("SIMD level: scalar"));
}

#[test]
fn perft_divides() {
    let mut client = Client::start();
    for command in ["go perft 3", "perft 3", "perft  3 "] {
        client.send(command);
        let lines = client.until("Nodes");
        assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 14244"));
        let counts: Vec<u64> = lines.iter().filter_map(|line| line.split_once(": ")?.1.parse().ok()).take(20).collect();
        assert_eq!(counts.iter().sum::<u64>(), 14_244);
        assert_eq!(lines.iter().filter(|line| line.len() > 5 && &line[4..6] == ": ").count(), 20);
        assert_eq!(lines[lines.len() - 2], "");
    }
    client.set("Threads", 3);
    assert_eq!(client.perft("perft 5"), 11_712_515);
    assert_eq!(client.perft("perft 0"), 1);
    client.perft("perft 2 k7/8/8/8/8/8/8/K7 w - - 0 1");
    client.ask(&format!("position {FOOLS_MATE}"));
    assert_eq!(client.perft("perft 4"), 0);
}

#[test]
fn perft_can_be_stopped() {
    let mut client = Client::start();
    client.send_all(&["go perft 99", "perft 11", "d"]);
    std::thread::sleep(Duration::from_millis(50));
    client.ready();
    client.send("stop");
    client.until("Fen:");
    client.send("stop");
    client.assert_responsive();
    client.quit();
}

#[test]
fn tables_are_made_in_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("new").display().to_string();
    run(&["tables", "--out", &out, "KBvk"]).succeed();
    for name in ["Kvk", "KBvk"] {
        assert!(folder.path().join(format!("new/{name}.agt")).exists(), "{name}");
    }
    let mut client = Client::start();
    let lines = client.set("TablePath", out);
    assert_eq!(lines, ["info string 2 endgame tables of up to 3 men, 0 MiB"]);
    client.quit();
}

#[test]
fn bench_ends_with_nodes_and_nps() {
    let mut client = Client::start();
    client.send("bench 1 1 1");
    assert_ends_with_speed(&client.until_end(" nps").join("\n"));
    client.assert_responsive();
}

#[test]
fn speedtest_prints_nodes_and_nps() {
    let mut client = Client::start();
    client.send("speedtest 2 3 1");
    let lines = client.until_end(" nps");
    assert_eq!(lines[0], "info string threads 2 hash 3 MiB time 1 s");
    assert_ends_with_speed(&lines.join("\n"));
    assert!(lines.len() > 50, "{lines:#?}");
    for (line, part) in
        [("speedtest 0", "speedtest takes"), ("speedtest 2000", "Threads"), ("speedtest 1 9999999", "Hash")]
    {
        assert!(has_error(&client.ask(line), part), "{line}");
    }
    // Without arguments it uses the machine's resources.
    client.send("speedtest\nstop");
    client.until_end("speedtest was stopped");
    client.assert_responsive();
    client.quit();
}

#[test]
fn eval_prints_something() {
    let mut client = Client::start();
    assert!(!client.ask("eval").is_empty());
    client.expect_error("eval x", "FEN");
    client.assert_responsive();
}

#[test]
fn flip_mirrors_colours_or_files() {
    let mut client = Client::with_arguments(&["--variant", "chess"]);
    client.ask("position startpos moves e2e4 e7e6 e4e5 d7d5");
    client.silent(&["flip"]);
    assert_eq!(client.fen(), "rnbqkbnr/pppp1ppp/8/8/3Pp3/4P3/PPP2PPP/RNBQKBNR b KQkq d3 0 3");
    let flipped = client.perft("perft 3");
    client.ask("flip");
    assert_eq!(client.perft("perft 3"), flipped);
    client.quit();
    let mut client = Client::start();
    client.ask("position startpos moves e2e4 h7f5");
    let lines = client.ask("flip");
    assert_eq!(lines, ["info string left and right are mirrored; White has lost its castling rights"]);
    assert_eq!(client.fen(), "lwkcckgl/1hhhhhhh/8/2h5/3P4/8/PPP1PPPP/RNBKQBNR w - - 0 2");
    client.silent(&["flip"]);
    client.assert_responsive();
    client.quit();
}

#[test]
fn networks_are_exported_to_new_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut client = Client::run(Command::new(BINARY).current_dir(folder.path()));
    let size = agoge_core::nnue::FILE_BYTES;
    let message = format!("info string network written to 'copy of it.nnue', {size} bytes");
    assert_eq!(client.ask("export_net copy of it.nnue"), [message]);
    let original =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/core/nets/agoge.nnue")).expect("the network");
    assert_eq!(std::fs::read(folder.path().join("copy of it.nnue")).expect("the copy"), original);
    // Files are not overwritten.
    client.expect_error("export_net copy of it.nnue", "cannot be written to 'copy of it.nnue'");
    client.expect_error("export_net no/such/folder/x.nnue", "cannot be written");
    client.expect_error("export_net .", "cannot be written");
    // The file can be loaded. Without an argument, the file gets a default name.
    client.silent(&["setoption name EvalFile value copy of it.nnue"]);
    let line = client.ask("export_net").pop().expect("an answer");
    let name = line.split('\'').nth(1).expect("a name").to_owned();
    assert!(name.ends_with(".nnue") && folder.path().join(&name).exists(), "{line}");
    client.quit();
}

#[test]
fn commands_as_arguments() {
    for (arguments, last) in [
        (&["perft", "3"][..], "Nodes searched: 14244"),
        (&["--variant", "chess", "perft", "4"], "Nodes searched: 197281"),
        (&["--variant=Chess", "go", "perft", "3"], "Nodes searched: 8902"),
        (&["perft", "1", "k7/8/8/8/8/8/8/K7 w - - 0 1"], "Nodes searched: 3"),
    ] {
        let perft = run(arguments);
        assert!(perft.code == Some(0) && perft.stdout.ends_with(&format!("\n{last}\n")), "{perft:?}");
    }
    assert!(run(&["go", "depth", "3"]).stdout.lines().last().is_some_and(|line| line.starts_with("bestmove ")));
    // OpenBench reads the last line of both streams.
    let bench = run(&["bench", "2"]);
    assert_eq!((bench.code, bench.stderr.as_str()), (Some(0), ""));
    assert_ends_with_speed(&bench.stdout);
    assert_eq!(run(&["eval"]).code, Some(0));
    assert!(run(&["--version"]).stdout.starts_with("Agoge "));
    for option in ["--help", "-h"] {
        assert!(run(&[option]).stdout.starts_with("usage: agoge"));
    }
    assert_eq!(run(&["uci"]).code, Some(0));
}

#[test]
fn bad_arguments() {
    for arguments in
        [&["nonsense"][..], &["--variant"], &["--variant", "shogi"], &["--fast"], &["perft"], &["perft", "x"]]
    {
        let ended = run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.stderr.starts_with("agoge: "), "{arguments:?}");
    }
    assert_eq!(run(&["eval", "x"]).code, Some(2));
}
