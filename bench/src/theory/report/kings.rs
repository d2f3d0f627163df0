//! What the second king is worth: when it is given up, what comes of it, and the worth of all pieces as the games show
//! it.

use super::estimate::{self, Fit, logistic, share};
use super::facts::{Facts, PLIES};
use super::games::{heading, median, row, white};
use super::text::{self, Table};
use crate::matches::stats::TWO_SIDED_95;
use agoge_core::board::Board;
use agoge_core::types::{Colour, PieceType};

/// How many kings Black has at the end of a game.
fn final_kings(game: &Facts) -> usize {
    let taken = game.captures().filter(|(_, _, kind)| *kind == PieceType::King).count();
    let made = game.steps.iter().filter(|step| step.mv.promoted() == Some(PieceType::King)).count();
    2 + made - taken
}

/// When a king is given up, for what, and with which result.
pub fn kings(games: &[Facts]) -> String {
    let all = games.len();
    let mut table = heading("the kings");
    let without: Vec<&Facts> = games.iter().filter(|game| game.king_taken().is_some()).collect();
    row(&mut table, "both stay to the end", white(games.iter().filter(|game| game.king_taken().is_none())), all);
    row(&mut table, "one is taken", white(without.iter().copied()), all);
    for (from, to) in [(0, 40), (40, 60), (60, 80), (80, 120), (120, usize::MAX)] {
        let within =
            without.iter().copied().filter(|game| game.king_taken().is_some_and(|ply| (from..to).contains(&ply)));
        let name = match to {
            usize::MAX => format!("– after ply {from}"),
            _ => format!("– at ply {} to {to}", from + 1),
        };
        row(&mut table, &name, white(within), all);
    }
    let plies: Vec<usize> = without.iter().filter_map(|game| game.king_taken().map(|ply| ply + 1)).collect();
    let promoted = |game: &&Facts| game.steps.iter().any(|step| step.mv.promoted() == Some(PieceType::King));
    row(&mut table, "a hoplite becomes a second king", white(games.iter().filter(promoted)), all);
    row(&mut table, "two kings at the end", white(games.iter().filter(|game| final_kings(game) == 2)), all);
    format!(
        "The median of the ply at which the king is taken is {}.\n\n{}\n{}",
        median(plies),
        table.into_text(),
        prices(games)
    )
}

/// What White gives for the king: what Black takes right before or right after.
fn prices(games: &[Facts]) -> String {
    let price = |game: &Facts| game.king_taken().map(|ply| game.price(ply));
    let taken = games.iter().filter(|game| price(game).is_some()).count();
    let mut table = Table::new(
        1,
        ["the king is taken", "games", "of these", "median of the ply", "won / drawn / lost by White", "White scores"],
    );
    for (name, kind) in [
        ("for nothing", None),
        ("for a pawn", Some(PieceType::Pawn)),
        ("for a knight", Some(PieceType::Knight)),
        ("for a bishop", Some(PieceType::Bishop)),
        ("for a rook", Some(PieceType::Rook)),
        ("for the queen", Some(PieceType::Queen)),
    ] {
        let chosen: Vec<&Facts> = games.iter().filter(|game| price(game) == Some(kind)).collect();
        let results = white(chosen.iter().copied());
        let plies = chosen.iter().filter_map(|game| game.king_taken().map(|ply| ply + 1)).collect();
        table.row(&[
            name.to_owned(),
            results.games().to_string(),
            share(results.games(), taken as u64).percent(),
            median(plies).to_string(),
            text::results(results),
            text::score_text(results),
        ]);
    }
    table.into_text()
}

/// Constant, pawn, knight, bishop, rook, queen, hoplite, lieutenant, captain, general, warlord, second king.
const TERMS: usize = 12;

/// The term of the rook.
const ROOK: usize = 4;

const WHITE: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

const BLACK: [PieceType; 5] =
    [PieceType::Hoplite, PieceType::Lieutenant, PieceType::Captain, PieceType::General, PieceType::Warlord];

/// The terms of a position: what White has, and what Black has as negative numbers.
fn terms(board: &Board) -> [f64; TERMS] {
    let white = WHITE.map(|kind| f64::from(board.coloured(Colour::White, kind).count()));
    let black = BLACK.map(|kind| -f64::from(board.coloured(Colour::Black, kind).count()));
    let second = if board.has_two_kings(Colour::Black) { -1.0 } else { 0.0 };
    let all: Vec<f64> = [1.0].into_iter().chain(white).chain(black).chain([second]).collect();
    std::array::from_fn(|index| all[index])
}

/// The worth of all pieces, if a rook is worth 5: a logistic regression of the results on the pieces that are on the
/// board.
pub fn worth(games: &[Facts]) -> String {
    let regression = |ply| {
        let samples =
            games.iter().filter_map(|game| Some((terms(&game.sample(ply)?.board), game.score(Colour::White))));
        let rows: Vec<([f64; TERMS], f64)> = samples.collect();
        (rows.len(), logistic(&rows))
    };
    let results = PLIES.map(regression);
    let headings = PLIES.map(|ply| format!("after ply {ply}"));
    let mut table = Table::new(1, ["piece", &headings[0], &headings[1]]);
    let names = WHITE.into_iter().chain(BLACK).map(PieceType::name).chain(["second king"]);
    for (index, name) in names.enumerate() {
        let cell = |(_, result): &(usize, Option<Fit<TERMS>>)| match result {
            // The error of a ratio, by the delta method.
            Some((value, variance)) => {
                let term = index + 1;
                let ratio = value[term] / value[ROOK];
                let square =
                    variance[term][term] - 2.0 * ratio * variance[term][ROOK] + ratio * ratio * variance[ROOK][ROOK];
                let error = TWO_SIDED_95 * square.max(0.0).sqrt() / value[ROOK].abs();
                format!("{:.1} ± {:.1}", 5.0 * ratio, 5.0 * error).replace('-', "−")
            }
            None => "–".to_owned(),
        };
        table.row(&[name.to_owned(), cell(&results[0]), cell(&results[1])]);
    }
    let counts = results.each_ref().map(|(count, _)| count.to_string());
    table.row(&["games".to_owned(), counts[0].clone(), counts[1].clone()]);
    table.into_text()
}

/// Promotions by either side.
pub fn promotions(games: &[Facts]) -> String {
    let mut table = Table::new(1, ["promotion to", "games", "of all", "the side scores"]);
    for (side, kinds) in [
        (Colour::White, &[PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight][..]),
        (
            Colour::Black,
            &[PieceType::King, PieceType::General, PieceType::Warlord, PieceType::Captain, PieceType::Lieutenant],
        ),
    ] {
        for &kind in kinds {
            let is_made = |game: &&Facts| game.steps.iter().any(|step| step.mv.promoted() == Some(kind));
            let results = white(games.iter().filter(is_made));
            let results = if side == Colour::White { results } else { estimate::reversed(results) };
            table.row(&[
                kind.name().to_owned(),
                results.games().to_string(),
                share(results.games(), games.len() as u64).percent(),
                text::score_text(results),
            ]);
        }
    }
    table.into_text()
}
