//! Statistics of game files: positions by kind, and results.

use super::HIGH_CLOCK;
use super::charts::{self, Histogram, Results};
use super::read_games;
use super::record::GameRecord;
use crate::terminal::{CommandResult, Status, failed, unreadable, usage};
use crate::{outln, terminal};
use agoge_core::tables::{Class, MAX_MEN};
use agoge_core::types::Colour;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// Game files, counted together
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also list the endgames of Spartan Chess with at most this many men that occur most often
    #[arg(long, value_name = "MEN", value_parser = clap::value_parser!(u8).range(2..=MAX_MEN as i64))]
    classes: Option<u8>,
    /// Also write histograms of lengths, men and scores to this directory
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Overwrite the files of --svg
    #[arg(long, requires = "svg")]
    force: bool,
}

/// The number of classes that `--classes` lists.
const LISTED_CLASSES: usize = 100;

pub struct Counts {
    games: Results,
    positions: Results,
    mates: u64,
    /// Positions by the number of Black's kings.
    kings: [Results; 2],
    /// Positions with a halfmove clock of [`HIGH_CLOCK`] or more.
    late: Results,
    /// Positions by the number of men.
    men: Histogram,
    /// Positions by score, without forced mates.
    scores: Histogram,
    /// Games by length in plies.
    lengths: Histogram,
    /// Games and positions by class, of at most `max_men` men.
    classes: HashMap<Class, (u64, u64)>,
    max_men: u32,
}

impl Counts {
    /// Nothing counted yet. Classes are counted up to `max_men` men.
    fn new(max_men: u32) -> Self {
        Self {
            games: [0; 3],
            positions: [0; 3],
            mates: 0,
            kings: [[0; 3]; 2],
            late: [0; 3],
            men: Histogram::new(2, 1, 31),
            scores: Histogram::new(-2050, 100, 41),
            lengths: Histogram::new(0, 10, 61),
            classes: HashMap::new(),
            max_men,
        }
    }

    fn add(&mut self, game: &GameRecord) -> Result<(), String> {
        let result = game.result;
        self.games[result.index()] += 1;
        self.lengths.add(game.plies.len() as i32, result);
        let mut met = HashSet::new();
        let replayed = game.replay(|board, ply| {
            self.positions[result.index()] += 1;
            let men = board.occupied().count();
            self.men.add(men as i32, result);
            if men <= self.max_men
                && let Some((class, ..)) = Class::of(board)
            {
                let (games, positions) = self.classes.entry(class.clone()).or_default();
                *games += u64::from(met.insert(class));
                *positions += 1;
            }
            self.kings[usize::from(board.has_two_kings(Colour::Black))][result.index()] += 1;
            self.late[result.index()] += u64::from(board.halfmove_clock() >= HIGH_CLOCK);
            if ply.is_mate() {
                self.mates += 1;
            } else {
                self.scores.add(i32::from(ply.score), result);
            }
        });
        replayed.map(|_| ()).map_err(|error| format!("game {}: {error}", game.number))
    }

    fn text(&self) -> String {
        let total: u64 = self.positions.iter().sum();
        let mut table = table(["", "number", "White wins", "draws", "Black wins", "White scores"]);
        let mut row = |name: String, results: &Results| {
            let sum: u64 = results.iter().sum();
            let part = |count: u64| format!("{:.1} %", 100.0 * count as f64 / sum.max(1) as f64);
            let points = results[0] as f64 + results[1] as f64 / 2.0;
            let score = format!("{:.1} %", 100.0 * points / sum.max(1) as f64);
            let [won, drawn, lost] = results.map(part);
            table.add_row([name, sum.to_string(), won, drawn, lost, score]);
        };
        row("games".to_owned(), &self.games);
        row("positions".to_owned(), &self.positions);
        row("  one king of Black".to_owned(), &self.kings[0]);
        row("  two kings of Black".to_owned(), &self.kings[1]);
        row(format!("  halfmove clock of {HIGH_CLOCK} or more"), &self.late);
        for first in (2..=32).step_by(4) {
            let last = (first + 3).min(32);
            let within = self.men.rows().filter(|(men, _)| (first..=last).contains(&men.start));
            let sum = within.fold([0; 3], |sum: Results, (_, row)| [0, 1, 2].map(|index| sum[index] + row[index]));
            row(if first < last { format!("  {first} to {last} men") } else { format!("  {first} men") }, &sum);
        }
        let ends = self.scores.rows().count() - 1;
        for (index, (scores, results)) in self.scores.rows().enumerate() {
            let name = match index {
                0 => format!("  score below {}", scores.end),
                _ if index == ends => format!("  score from {}", scores.start),
                _ => format!("  score {} to {}", scores.start, scores.end - 1),
            };
            row(name, results);
        }
        let games: u64 = self.games.iter().sum();
        let length = total as f64 / games.max(1) as f64;
        format!("{table}\n{length:.1} plies a game; {} positions with a forced mate\n", self.mates)
    }

    /// The classes that occur in the most positions, that is, whose tables would be used most often.
    fn class_text(&self) -> String {
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by_key(|&(class, &(_, positions))| (Reverse(positions), class));
        let mut table = table(["endgame", "games", "positions"]);
        for (class, (games, positions)) in classes.into_iter().take(LISTED_CLASSES) {
            table.add_row([class.to_string(), games.to_string(), positions.to_string()]);
        }
        table.to_string()
    }
}

/// An empty table with right-aligned columns except for the first.
fn table<const N: usize>(heading: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heading);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

pub fn run(arguments: &Arguments) -> CommandResult {
    if let Some(directory) = &arguments.svg {
        charts::check(directory, arguments.force).map_err(usage)?;
    }
    let mut counts = Counts::new(arguments.classes.map_or(0, u32::from));
    for path in &arguments.files {
        let name = path.display();
        let (header, games) = read_games(path)?;
        outln!(
            "{name}: {}, seed {}, made by {}\n  {}",
            header.variant.name(),
            header.seed,
            header.program,
            header.settings.replace('\n', "\n  ")
        );
        if terminal::is_stdout_closed() && arguments.svg.is_none() {
            break;
        }
        for game in games {
            counts.add(&game?).map_err(unreadable(path))?;
        }
    }
    outln!("{}", counts.text().trim_end());
    if arguments.classes.is_some() {
        outln!("\n{}", counts.class_text().trim_end());
    }
    if let Some(directory) = &arguments.svg {
        charts::draw(directory, [&counts.lengths, &counts.men, &counts.scores], arguments.force).map_err(failed)?;
    }
    Ok(Status::Success.after_printing())
}
