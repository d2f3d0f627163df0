//! `theory check`: finds the values of the file again.
//!
//! The value of a move that leads to another position of theory must follow from that of the position, and is checked
//! for all of them. The others are values of searches, and a sample of them is searched again, without the moves that
//! were found before.

use super::search;
use super::searches::{Origin, Settings};
use super::tree::value_of_move;
use crate::analysis::{Searcher, WorkerPool};
use crate::epd::Epd;
use crate::outln;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::terminal::{CommandResult, Status, print_message, unreadable, usage};
use agoge_core::board::{Board, Variant};
use agoge_core::theory::{KnownMove, Theory, ValueText};
use agoge_core::types::Move;
use agoge_core::types::score::DRAW;
use clap::Args;
use std::fs;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// The EPD
    #[arg(default_value = "positions/theory.epd")]
    file: PathBuf,
    /// The number of values to search again
    #[arg(long, default_value_t = 50)]
    sample: usize,
    /// The seed of the sample
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The value of a move from a search of a position.
struct Value {
    board: Board,
    /// The moves found before.
    before: Vec<Move>,
    known: KnownMove,
}

/// The values that are those of searches; the values of other moves that do not follow from the positions after them
/// are added to `errors`.
fn values(theory: &Theory, boards: &[Board], errors: &mut Vec<String>) -> Vec<Value> {
    let mut searched = Vec::new();
    for board in boards {
        let Some(position) = theory.get(board) else { continue };
        for (index, &known) in position.moves.iter().enumerate() {
            match theory.get(&board.after(known.mv)) {
                // A move that repeats a position is a draw.
                Some(next) if [DRAW, value_of_move(next.value())].contains(&known.value) => {}
                Some(next) => errors.push(format!(
                    "{board}: {} has the value {}, but the position after it has {}",
                    known.mv,
                    ValueText(known.value),
                    ValueText(next.value())
                )),
                None => {
                    let before = position.moves[..index].iter().map(|known| known.mv).collect();
                    searched.push(Value { board: board.clone(), before, known });
                }
            }
        }
    }
    searched
}

/// Searches a value again. Returns what is wrong.
fn check(searcher: &mut Searcher, value: &Value, settings: &Settings) -> Option<String> {
    let Value { board, before, known } = value;
    let found = if board.after(known.mv).has_legal_move() {
        search(searcher, board, before, settings.nodes)
    } else {
        return None;
    };
    match found {
        Some(found) if found.mv == Some(known.mv) && found.value == known.value => None,
        found => {
            let found = found.map_or("nothing".to_owned(), |found| {
                let mv = found.mv.map_or("no move".to_owned(), |mv| mv.to_string());
                format!("{mv} {}", ValueText(found.value))
            });
            Some(format!("{board}: {} {} was found, now {found}", known.mv, ValueText(known.value)))
        }
    }
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let path = &arguments.file;
    let text = fs::read_to_string(path).map_err(unreadable(path))?;
    let theory = Theory::parse(&text).map_err(unreadable(path))?;
    let origin = Origin::parse(&text).ok_or_else(|| usage(format!("{}: the head has no settings", path.display())))?;
    let engine = Origin::new(origin.settings).engine;
    if engine != origin.engine {
        let message = format!("the values are those of {}, not of this program, {engine}", origin.engine);
        return Err(unreadable(path)(message));
    }
    let positions = Epd::parse_all(&text, Variant::Spartan).map_err(unreadable(path))?;
    let boards: Vec<Board> = positions.into_iter().map(|(_, epd)| epd.board).collect();
    let mut errors = Vec::new();
    let mut sample = values(&theory, &boards, &mut errors);
    Rng::new(arguments.seed).shuffle(&mut sample);
    sample.truncate(arguments.sample);

    let progress = Progress::new(sample.len() as u64, 0);
    let hash = origin.settings.hash;
    let pool = WorkerPool::new(hash);
    let wrong = pool.map(0..sample.len() as u64, |searcher, number| {
        let wrong = sample.get(number as usize).and_then(|value| check(searcher, value, &origin.settings));
        progress.inc();
        wrong
    });
    progress.finish();
    errors.extend(wrong.map_err(usage)?.into_iter().flatten());
    errors.iter().for_each(|error| print_message(error));
    outln!("{} positions, {} values searched again: {} wrong", theory.len(), sample.len(), errors.len());
    Ok(Status::of_check(errors.is_empty()).after_printing())
}
