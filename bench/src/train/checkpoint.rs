//! Checkpoint files, from which a training can be resumed.
//!
//! | Bytes | Contents |
//! | --- | --- |
//! | 8 | `AGOGETRN` |
//! | 4 | length of the description |
//! | n | the description, JSON |
//! | 4 each | weights, first moments, second moments, as little-endian floating-point numbers |
//! | 4 each | with shared steps, the first and second moments of the shared weights |
//! | 4 | CRC-32 of all preceding bytes |

use super::net::{LANES, ROWS, Row, Weights};
use super::optimiser::{AdamW, GROUPS};
use super::trainer::{Config, Progress, State};
use agoge_core::nnue::arch::HEADS;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const MAGIC: &[u8; 8] = b"AGOGETRN";

/// The version of the format and of the computations. A training must not be resumed with different computations.
const VERSION: u32 = 3;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Description {
    version: u32,
    config: Config,
    /// The checksum of the positions.
    data: u32,
    tiles: usize,
    steps: u64,
    #[serde(flatten)]
    progress: Progress,
}

pub fn encode(config: &Config, data: u32, state: &State) -> Vec<u8> {
    let description = Description {
        version: VERSION,
        config: config.clone(),
        data,
        tiles: state.weights.tiles.len(),
        steps: state.adam.steps,
        progress: state.progress.clone(),
    };
    let description = serde_json::to_vec(&description).expect("plain data");
    let mut bytes = MAGIC.to_vec();
    bytes.extend((description.len() as u32).to_le_bytes());
    bytes.extend(description);
    for weights in [&state.weights, &state.adam.means, &state.adam.squares] {
        for row in weights.rows() {
            bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    if config.shared_rate > 0.0 {
        let numbers = state.adam.shared.iter().flatten().flat_map(Row::numbers);
        bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Decodes a checkpoint of a training with this configuration and data checksum.
///
/// # Errors
/// If the bytes are not a checkpoint, or one of a different training: then the error names the difference.
pub fn decode(bytes: &[u8], config: &Config, data: u32) -> Result<State, String> {
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or("not a checkpoint")?;
    let rest = body.strip_prefix(MAGIC).ok_or("not a checkpoint")?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err("the checkpoint is damaged".to_owned());
    }
    let (length, rest) = rest.split_first_chunk::<4>().ok_or("the checkpoint is too short")?;
    let length = u32::from_le_bytes(*length) as usize;
    let (description, numbers) = rest.split_at_checked(length).ok_or("the checkpoint is too short")?;
    let found: Value = serde_json::from_slice(description).map_err(|error| error.to_string())?;
    if found["version"] != VERSION {
        return Err(format!("the checkpoint has version {}, not {VERSION}", found["version"]));
    }
    let description: Description = serde_json::from_value(found).map_err(|error| error.to_string())?;
    check_config(&description.config, config)?;
    if description.data != data {
        return Err("the checkpoint is of a training on other positions".to_owned());
    }

    let tiles = description.tiles;
    let has_shared = config.shared_rate > 0.0;
    let rows = 3 * ROWS + if has_shared { 2 * GROUPS } else { 0 };
    let expected = tiles.checked_mul(LANES * rows).and_then(|count| count.checked_add(3 * HEADS)?.checked_mul(4));
    if expected != Some(numbers.len()) {
        return Err("the checkpoint has the wrong number of weights".to_owned());
    }
    let (numbers, _) = numbers.as_chunks();
    let mut numbers = numbers.iter().map(|&number| f32::from_le_bytes(number));
    let [weights, means, squares] = std::array::from_fn(|_| {
        let mut weights = Weights::zeroed(tiles);
        weights.rows_mut().flatten().zip(&mut numbers).for_each(|(weight, number)| *weight = number);
        weights
    });
    let mut adam = AdamW { means, squares, steps: description.steps, ..AdamW::new(tiles) };
    if has_shared {
        let shared = adam.shared.iter_mut().flatten().flat_map(Row::numbers_mut);
        shared.zip(&mut numbers).for_each(|(to, number)| *to = number);
    }
    Ok(State { weights, adam, progress: description.progress })
}

/// Checks that the configuration is that of the checkpoint.
fn check_config(found: &Config, config: &Config) -> Result<(), String> {
    let [found, expected] = [found, config].map(|config| serde_json::to_value(config).expect("plain data"));
    for (name, value) in expected.as_object().into_iter().flatten() {
        if found[name] != *value {
            return Err(format!("the checkpoint has {name} {}, not {value}", found[name]));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::gradient::Loss;
    use super::super::trainer::Epoch;
    use super::*;

    fn state() -> State {
        let mut adam = AdamW::new(1);
        adam.steps = 7;
        adam.means.tiles[0][3].numbers_mut()[5] = -0.1;
        adam.squares.output_biases.numbers_mut()[31] = 1e-30;
        let epoch =
            Epoch { epoch: 1, steps: 5, rate: 1e-3, wdl: 0.3, training: 0.0625, validation: None, gradient: 0.5 };
        let loss = Loss { sum: 0.1 + 0.2, count: 9 };
        State { weights: Weights::random(1, 3), adam, progress: Progress { loss, norms: 0.7, history: vec![epoch] } }
    }

    #[test]
    fn checkpoints_round_trip() {
        let config = Config { rate: 0.1 + 0.2, ..Config::default() };
        let bytes = encode(&config, 5, &state());
        assert_eq!(decode(&bytes, &config, 5), Ok(state()));
        let config = Config { shared_rate: 0.5, ..config };
        let mut state = state();
        state.adam.shared[0][3].numbers_mut()[2] = 0.25;
        state.adam.shared[1][GROUPS - 1].numbers_mut()[LANES - 1] = 1e-9;
        assert_eq!(decode(&encode(&config, 5, &state), &config, 5), Ok(state));
    }

    /// One of a version without numbers that later ones have.
    #[test]
    fn an_older_training_is_resumed() {
        let bytes = encode(&Config::default(), 5, &state());
        let start = MAGIC.len() + 4;
        let length = u32::from_le_bytes(bytes[MAGIC.len()..start].try_into().unwrap()) as usize;
        let mut description: Value = serde_json::from_slice(&bytes[start..start + length]).unwrap();
        let config = description["config"].as_object_mut().unwrap();
        for name in ["even", "epsilon", "shared_rate", "round_after"] {
            config.remove(name).unwrap();
        }
        let description = serde_json::to_vec(&description).unwrap();
        let mut old = MAGIC.to_vec();
        old.extend((description.len() as u32).to_le_bytes());
        old.extend(description);
        old.extend(&bytes[start + length..bytes.len() - 4]);
        old.extend(crc32fast::hash(&old).to_le_bytes());
        assert_eq!(decode(&old, &Config::default(), 5), Ok(state()));
    }

    #[test]
    fn another_training_is_not_resumed() {
        let bytes = encode(&Config::default(), 5, &state());
        let error = |config: Config, data| decode(&bytes, &config, data).expect_err("another training");
        assert_eq!(error(Config { batch: 5, ..Config::default() }, 5), "the checkpoint has batch 4096, not 5");
        assert_eq!(error(Config { wdl: 0.5, ..Config::default() }, 5), "the checkpoint has wdl 0.0, not 0.5");
        assert_eq!(error(Config { scale: 173.0, ..Config::default() }, 5), "the checkpoint has scale 400.0, not 173.0");
        assert!(error(Config::default(), 6).contains("other positions"));
    }

    #[test]
    fn damaged_checkpoints_are_errors() {
        let bytes = encode(&Config::default(), 5, &state());
        let steps = if crate::full_tests() { 1 } else { 7 };
        for length in (0..800).step_by(steps).chain([bytes.len() - 1]) {
            assert!(decode(&bytes[..length], &Config::default(), 5).is_err(), "{length}");
        }
        for at in (0..800).step_by(steps).chain([bytes.len() - 1]) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(decode(&damaged, &Config::default(), 5).is_err(), "{at}");
        }
    }
}
