//! The options of the neural network with the real binary: network files, SIMD levels, and the table printed by
//! `eval`.

use crate::common::client::{Client, after, has_error, last_report, nodes};
use crate::common::temporary_file;
use agoge_core::nnue::Network;
use agoge_core::rng::Rng;
use tempfile::NamedTempFile;

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

fn nonsense() -> NamedTempFile {
    temporary_file(&network("nonsense"))
}

fn eval(client: &mut Client) -> String {
    client.ask("eval").join("\n")
}

#[test]
fn a_file_replaces_the_embedded_network() {
    let file = nonsense();
    let mut client = Client::start();
    let before = eval(&mut client);
    client.set("EvalFile", file.path().display());
    let after = eval(&mut client);
    assert!(after.contains("The network nonsense: "), "{after}");
    assert!(!before.contains("nonsense"), "{before}");
    assert!(after.contains("<- this position") && after.contains("(White's view)"), "{after}");
    client.best_move("go nodes 5000");
    client.set("EvalFile", "<empty>");
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
    let file = nonsense();
    client.set("EvalFile", file.path().display());
    let before = eval(&mut client);
    for (name, bytes, cause) in [
        ("empty.nnue", &[][..], "bytes, not"),
        ("short.nnue", &good[..good.len() - 1], "bytes, not"),
        ("long.nnue", &longer, "bytes, not"),
        ("damaged.nnue", &damaged, "damaged"),
        ("text.nnue", b"this is a text and no network", "not a network file"),
    ] {
        let lines = client.set("EvalFile", temporary_file(bytes).path().display());
        assert!(has_error(&lines, cause) && has_error(&lines, "the network "), "{name}: {lines:#?}");
        assert_eq!(eval(&mut client), before, "{name}");
    }
    for path in ["/no/such/file.nnue", "/"] {
        let lines = client.set("EvalFile", path);
        assert!(has_error(&lines, "cannot be used"), "{path}: {lines:#?}");
        assert_eq!(eval(&mut client), before, "{path}");
    }
    client.assert_responsive();
    client.quit();
}

#[test]
fn the_hand_crafted_evaluation_can_be_selected() {
    let file = nonsense();
    let mut client = Client::start();
    client.set("EvalFile", file.path().display());
    let with = client.search("go nodes 3000");
    client.set("Use NNUE", false);
    assert!(!eval(&mut client).contains("nonsense"));
    let without = client.search("go nodes 3000");
    assert_ne!(with.last(), without.last());
    client.set("use nnue", true);
    // No result of the other evaluation remains.
    let moves = |lines: &[String]| -> Vec<String> {
        lines.iter().filter_map(|line| Some(line.split_once(" pv ")?.1.to_owned())).collect()
    };
    assert_eq!(moves(&with), moves(&client.new_search("startpos", "go nodes 3000")));
    // Orthodox chess uses no network.
    client.set("UCI_Variant", "chess");
    assert!(!eval(&mut client).contains("nonsense"));
    client.best_move("go nodes 3000");
    client.quit();
}

#[test]
fn every_simd_level_searches_the_same_nodes() {
    let file = nonsense();
    let nodes = |mut client: Client| {
        client.set("EvalFile", file.path().display());
        let lines = client.search("go depth 9");
        client.quit();
        assert_eq!(after(last_report(&lines), "depth")[0], "9", "{lines:#?}");
        nodes(&lines)
    };
    // An unknown level is ignored.
    let expected = nodes(Client::with_environment("AGOGE_SIMD", "mmx"));
    assert!(expected > 1000);
    for (level, client) in Client::with_each_level() {
        assert_eq!(nodes(client), expected, "{level}");
    }
}
