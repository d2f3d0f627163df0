//! The options of the neural network with the real binary: network files, SIMD levels, and the table printed by
//! `eval`.

use crate::common::uci::Client;
use agoge_core::nnue::Network;
use agoge_core::rng::Rng;
use tempfile::NamedTempFile;

/// A file that is deleted when dropped.
fn temporary(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a temporary file");
    std::fs::write(&file, bytes).expect("a file");
    file
}

/// A random network: it plays nonsense, but deterministically.
fn network(name: &str) -> Vec<u8> {
    let mut random = Rng::new(5);
    let mut draw = |bound: usize| random.below(2 * bound + 1) as i16 - bound as i16;
    let mut network = Network::zeroed();
    network.set_name(name).expect("a name");
    network.feature_weights_mut().iter_mut().flat_map(|row| &mut row.0).for_each(|weight| *weight = draw(60));
    network.biases_mut().0.iter_mut().for_each(|bias| *bias = draw(100));
    network.output_weights_mut().iter_mut().flat_map(|row| &mut row.0).for_each(|weight| *weight = draw(20));
    network.to_bytes()
}

fn eval(client: &mut Client) -> String {
    client.send("eval");
    client.sync().join("\n")
}

#[test]
fn a_file_replaces_the_embedded_network() {
    let file = temporary(&network("nonsense"));
    let mut client = Client::start();
    let before = eval(&mut client);
    client.send(&format!("setoption name EvalFile value {}", file.path().display()));
    let after = eval(&mut client);
    assert!(after.contains("The network nonsense: "), "{after}");
    assert!(!before.contains("nonsense"), "{before}");
    assert!(after.contains("<- this position") && after.contains("(White's view)"), "{after}");
    client.best_move("go nodes 5000");
    client.send("setoption name EvalFile value <empty>");
    assert_eq!(eval(&mut client), before);
    client.quit();
}

#[test]
fn bad_files_are_refused_and_the_network_stays() {
    let good = network("nonsense");
    let mut damaged = good.clone();
    *damaged.last_mut().expect("bytes") ^= 1;
    let longer = [&good[..], &good[..]].concat();
    let mut client = Client::start();
    let file = temporary(&good);
    client.send(&format!("setoption name EvalFile value {}", file.path().display()));
    let before = eval(&mut client);
    for (name, bytes, cause) in [
        ("empty.nnue", &[][..], "bytes, not"),
        ("short.nnue", &good[..good.len() - 1], "bytes, not"),
        ("long.nnue", &longer, "bytes, not"),
        ("damaged.nnue", &damaged, "damaged"),
        ("text.nnue", b"this is a text and no network", "not a network file"),
    ] {
        let file = temporary(bytes);
        client.send(&format!("setoption name EvalFile value {}", file.path().display()));
        let lines = client.sync();
        let is_error = |line: &String| line.starts_with("info string error: the network ") && line.contains(cause);
        assert!(lines.iter().any(is_error), "{name}: {lines:#?}");
        assert_eq!(eval(&mut client), before, "{name}");
    }
    for path in ["/no/such/file.nnue", "/"] {
        client.send(&format!("setoption name EvalFile value {path}"));
        let lines = client.sync();
        assert!(lines.iter().any(|line| line.contains("cannot be used")), "{path}: {lines:#?}");
        assert_eq!(eval(&mut client), before, "{path}");
    }
    client.assert_responsive();
    client.quit();
}

#[test]
fn the_hand_crafted_evaluation_can_be_selected() {
    let file = temporary(&network("nonsense"));
    let mut client = Client::start();
    client.send(&format!("setoption name EvalFile value {}", file.path().display()));
    let with = client.search("go nodes 3000");
    client.send("setoption name Use NNUE value false");
    assert!(!eval(&mut client).contains("nonsense"));
    let without = client.search("go nodes 3000");
    assert_ne!(with.last(), without.last());
    client.send("setoption name use nnue value true");
    client.send("ucinewgame");
    // No result of the other evaluation remains.
    let moves = |lines: &[String]| {
        lines
            .iter()
            .filter(|line| line.contains(" pv "))
            .map(|line| {
                let (_, line) = line.split_once(" pv ").expect("a line");
                line.to_owned()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(moves(&with), moves(&client.search("go nodes 3000")));
    // Orthodox chess uses no network.
    client.send("setoption name UCI_Variant value chess");
    assert!(!eval(&mut client).contains("nonsense"));
    client.best_move("go nodes 3000");
    client.quit();
}

#[test]
fn every_simd_level_searches_the_same_nodes() {
    let file = temporary(&network("nonsense"));
    let nodes = |mut client: Client| {
        client.send(&format!("setoption name EvalFile value {}", file.path().display()));
        let lines = client.search("go depth 9");
        client.quit();
        let last = lines.iter().rfind(|line| line.starts_with("info depth 9") && line.contains(" nodes "));
        let (_, rest) = last.and_then(|line| line.split_once(" nodes ")).unwrap_or_else(|| panic!("{lines:#?}"));
        rest.split(' ').next().expect("a number").to_owned()
    };
    // An unknown level is ignored.
    let expected = nodes(Client::with_environment("AGOGE_SIMD", "mmx"));
    assert!(expected.parse::<u64>().expect("a number") > 1000);
    for (level, client) in Client::with_each_level() {
        assert_eq!(nodes(client), expected, "{level}");
    }
}
