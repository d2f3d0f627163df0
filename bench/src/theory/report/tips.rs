//! The inventor's tips, tested by the games.
//!
//! For each tip there are measures: something that a game has or has not at some ply. Scores of games with and without
//! it differ also because the better position has it more often. So games are compared at equal material, and at equal
//! material and an equal evaluation twenty plies earlier, before most of what is measured has happened.

use super::estimate::{Measured, Observation, matched_difference};
use super::facts::{Facts, Sample, balance};
use super::features as f;
use super::text::Table;
use agoge_core::types::Colour;

/// What is asked of a game: whether it has what a tip speaks of. `None` if the game says nothing about it.
type Feature = fn(&Facts, &Sample) -> Option<bool>;

/// A measure of a tip.
struct Measure {
    tip: &'static str,
    side: Colour,
    /// The ply of the position, one of [`super::facts::PLIES`].
    ply: usize,
    what: &'static str,
    feature: Feature,
}

const fn spartan(tip: &'static str, ply: usize, what: &'static str, feature: Feature) -> Measure {
    Measure { tip, side: Colour::Black, ply, what, feature }
}

const fn persian(tip: &'static str, ply: usize, what: &'static str, feature: Feature) -> Measure {
    Measure { tip, side: Colour::White, ply, what, feature }
}

const MEASURES: [Measure; 20] = [
    spartan("Closed game", 40, "no open file", |_, at| Some(f::open_files(&at.board) == 0)),
    spartan("Closed game", 40, "26 men or more on the board", |_, at| Some(at.board.occupied().count() >= 26)),
    spartan("Hoplite mobility", 40, "8 hoplite moves or more", |game, at| Some(f::hoplite_moves(game, at.ply) >= 8)),
    spartan("Hoplite mobility", 40, "3 hoplites on ranks 1 to 5 of 3 neighbouring files", |_, at| {
        Some(f::most_advanced_in_section(&at.board) >= 3)
    }),
    spartan("Phalanxes", 40, "a phalanx or more", |_, at| Some(f::phalanxes(&at.board) >= 1)),
    spartan("Patience", 40, "all 6 pieces besides kings have moved", |game, at| Some(f::developed(game, at.ply) == 6)),
    spartan("Patience", 40, "no piece on ranks 1 to 4 before ply 20", |game, _| Some(!f::crosses(game, 20))),
    spartan("King's attack", 60, "of two kings, one is on ranks 1 to 6", |_, at| f::advanced_king(&at.board)),
    spartan("Check immunity", 60, "two kings", |_, at| Some(at.board.has_two_kings(Colour::Black))),
    spartan("Quick victory", 60, "general and warlord on ranks 1 to 4 together", |game, at| {
        Some(f::joint_attack(game, at.ply))
    }),
    persian("Open game", 40, "an open file", |_, at| Some(f::open_files(&at.board) > 0)),
    persian("Open game", 60, "3 open files or more", |_, at| Some(f::open_files(&at.board) >= 3)),
    persian("Attrition", 60, "18 men or fewer on the board", |_, at| Some(at.board.occupied().count() <= 18)),
    persian("Maneuver", 60, "if a file is open, a rook or the queen is on one", |_, at| f::holds_open_file(&at.board)),
    persian("Maneuver", 40, "rooks, bishops and queen have 20 moves or more", |_, at| {
        Some(f::sliding_moves(&at.board) >= 20)
    }),
    persian("Neutralize hoplites", 40, "a hoplite has White's men on all diagonals ahead", |_, at| {
        Some(f::neutralised(&at.board) >= 1)
    }),
    persian("Regicide", 40, "a minor piece has been given for a king", |game, at| f::regicide(game, at.ply)),
    persian("Regicide", 60, "a minor piece has been given for a king", |game, at| f::regicide(game, at.ply)),
    persian(
        "Counter-punch",
        60,
        "since ply 40 more captures on the wing of Black's advance than elsewhere",
        |game, at| f::counter_punch(game, at.ply),
    ),
    persian("Counter-punch", 60, "rook or queen on ranks 5 to 8 of files a to c or f to h", |_, at| {
        Some(f::flank_invaded(&at.board))
    }),
];

/// The width of the strata, in centipawns.
const MATERIAL_STEP: i32 = 100;
const EVALUATION_STEP: i32 = 50;

/// Games are compared at an equal evaluation this number of plies before.
const BEFORE: usize = 20;

/// The mean score of one group.
fn mean(observations: &[Observation], with: bool) -> String {
    let scores: Vec<f64> = observations.iter().filter(|one| one.with == with).map(|one| one.score).collect();
    if scores.is_empty() {
        return "–".to_owned();
    }
    format!("{:.1} %", 100.0 * scores.iter().sum::<f64>() / scores.len() as f64)
}

/// What two comparisons say of a tip: both must agree.
fn verdict(comparisons: [Measured; 2]) -> &'static str {
    if comparisons.iter().all(|one| one.value - one.error > 0.0) {
        "supported"
    } else if comparisons.iter().all(|one| one.value + one.error < 0.0) {
        "contradicted"
    } else {
        "open"
    }
}

pub fn tips(games: &[Facts]) -> String {
    let heading = [
        "tip",
        "at ply",
        "with",
        "games with",
        "without",
        "score with",
        "without",
        "difference",
        "at equal material",
        "and evaluation",
        "tip is",
    ];
    let mut table = Table::new(1, heading);
    for Measure { tip, side, ply, what, feature } in &MEASURES {
        let mut observations = Vec::new();
        let mut evaluations = Vec::new();
        for game in games {
            let Some(sample) = game.sample(*ply) else { continue };
            let Some(with) = feature(game, sample) else { continue };
            let material = balance(&sample.board).div_euclid(MATERIAL_STEP);
            let before = i32::from(game.plies[sample.ply - BEFORE].score).clamp(-1000, 1000);
            observations.push(Observation { stratum: (material, 0), with, score: game.score(*side) });
            evaluations.push(before.div_euclid(EVALUATION_STEP));
        }
        let strata = |of: &dyn Fn(usize, i32) -> (i32, i32)| {
            let again = observations.iter().enumerate().map(|(index, Observation { stratum, with, score })| {
                Observation { stratum: of(index, stratum.0), with: *with, score: *score }
            });
            matched_difference(&again.collect::<Vec<_>>())
        };
        let equal = strata(&|_, material| (material, 0));
        let both = strata(&|index, material| (material, evaluations[index]));
        let with = observations.iter().filter(|one| one.with).count();
        table.row(&[
            (*tip).to_owned(),
            ply.to_string(),
            (*what).to_owned(),
            with.to_string(),
            (observations.len() - with).to_string(),
            mean(&observations, true),
            mean(&observations, false),
            strata(&|_, _| (0, 0)).points(),
            equal.points(),
            both.points(),
            verdict([equal, both]).to_owned(),
        ]);
    }
    table.into_text()
}

/// Games won within some plies, with and without general and warlord together in White's half before.
pub fn quick_wins(games: &[Facts]) -> String {
    let heading =
        ["won within", "by White", "of all", "by Black", "of all", "of these with general and warlord together"];
    let mut table = Table::new(1, heading);
    for most in [40, 60, 80, 100, 120] {
        let won = |side: Colour| games.iter().filter(move |game| game.plies.len() <= most && game.score(side) == 1.0);
        let share = |count: usize| super::estimate::share(count as u64, games.len() as u64).percent();
        let (white, black) = (won(Colour::White).count(), won(Colour::Black).count());
        let together = won(Colour::Black).filter(|game| f::joint_attack(game, most)).count();
        table.row(&[
            format!("{most} plies"),
            white.to_string(),
            share(white),
            black.to_string(),
            share(black),
            together.to_string(),
        ]);
    }
    table.into_text()
}
