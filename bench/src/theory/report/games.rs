//! How games go: how they end, which pieces move and are exchanged first, and what comes of it.

use super::estimate::{self, count, score, share};
use super::facts::{End, Facts};
use super::text::{self, Table};
use crate::matches::stats::Wdl;
use agoge_core::board::{Board, Variant};
use agoge_core::types::{Bitboard, Colour, Square};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is rarer than this among games is left out of the lists.
const RARE: f64 = 0.01;

/// White's games of some.
pub fn white<'a>(games: impl IntoIterator<Item = &'a Facts>) -> Wdl {
    count(games.into_iter().map(|game| game.result))
}

/// The element in the middle of a sorted list; 0 if it is empty.
pub fn median(mut numbers: Vec<usize>) -> usize {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or(0)
}

/// Games, results and White's score of a row.
pub fn row(table: &mut Table, name: &str, games: Wdl, all: usize) {
    let part = share(games.games(), all as u64);
    table.row(&[
        name.to_owned(),
        games.games().to_string(),
        part.percent(),
        text::results(games),
        text::score_text(games),
    ]);
}

pub fn heading(first: &str) -> Table {
    Table::new(1, [first, "games", "of all", "won / drawn / lost by White", "White scores"])
}

/// A table of games by what they have in common, the most frequent first; rare ones are left out.
fn by<'a>(name: &str, games: &'a [Facts], key: impl Fn(&'a Facts) -> Option<String>) -> String {
    let mut groups: BTreeMap<String, Wdl> = BTreeMap::new();
    for game in games {
        if let Some(key) = key(game) {
            groups.entry(key).or_default().add(game.result.half_points());
        }
    }
    let mut groups: Vec<(String, Wdl)> = groups.into_iter().collect();
    groups.retain(|(_, group)| group.games() as f64 >= RARE * games.len() as f64);
    groups.sort_by_key(|(_, group)| Reverse(group.games()));
    let mut table = heading(name);
    groups.iter().for_each(|(name, group)| row(&mut table, name, *group, games.len()));
    table.into_text()
}

/// How games end, and how long they are.
pub fn endings(games: &[Facts]) -> String {
    let all = white(games);
    let mut text = format!(
        "{} games: White won {}, drew {} and lost {}; White scores {}, {} are drawn.\n\n",
        games.len(),
        all.wins,
        all.draws,
        all.losses,
        score(all).percent(),
        share(all.draws, all.games()).percent()
    );
    let mut table = Table::new(1, ["end", "games", "of all", "won / drawn / lost by White", "median of plies"]);
    let ends: BTreeMap<End, Vec<&Facts>> = games.iter().fold(BTreeMap::new(), |mut ends, game| {
        ends.entry(game.end).or_insert_with(Vec::new).push(game);
        ends
    });
    for (end, group) in ends {
        let plies = median(group.iter().map(|game| game.plies.len()).collect());
        let results = white(group);
        table.row(&[
            end.to_string(),
            results.games().to_string(),
            share(results.games(), all.games()).percent(),
            text::results(results),
            plies.to_string(),
        ]);
    }
    text += &table.into_text();
    let lengths = |wanted: Option<f64>| {
        let chosen = games.iter().filter(|game| wanted.is_none_or(|wanted| game.score(Colour::White) == wanted));
        let mut plies: Vec<usize> = chosen.map(|game| game.plies.len()).collect();
        plies.sort_unstable();
        let at = |part: usize| plies.get(plies.len() * part / 10).or(plies.last()).copied().unwrap_or(0).to_string();
        [at(0), at(1), at(5), at(9), at(10)]
    };
    let mut table = Table::new(1, ["plies", "shortest", "10 %", "median", "90 %", "longest"]);
    for (name, wanted) in
        [("all games", None), ("White wins", Some(1.0)), ("draws", Some(0.5)), ("Black wins", Some(0.0))]
    {
        let [a, b, c, d, e] = lengths(wanted);
        table.row(&[name.to_owned(), a, b, c, d, e]);
    }
    text + "\n" + &table.into_text()
}

/// The ply of the first move of a pawn or hoplite from its first square.
fn first_pawn_move(game: &Facts, side: Colour, home: Square, before: usize) -> Option<usize> {
    // Whatever moves from the square first, as long as nothing has been taken there: the pawn itself.
    let moved = game.steps.iter().take(before).position(|step| step.mv.from() == home || step.mv.to() == home)?;
    (game.steps[moved].mv.from() == home && game.steps[moved].piece.colour == side).then_some(moved)
}

/// Which pawns or hoplites move within the first 20 moves.
fn pawn_moves(games: &[Facts], side: Colour) -> String {
    /// After 20 moves of each side.
    const BEFORE: usize = 40;
    let (name, rank) = if side == Colour::White { ("pawn", 2) } else { ("hoplite", 7) };
    let mut table = Table::new(
        1,
        [
            name,
            "moves by ply 40",
            "of these by two squares",
            "median of the ply",
            "score if it moves",
            "score if not",
            "is the first to move",
        ],
    );
    let first_of = |game: &Facts| {
        game.moves_of(side, BEFORE).find(|(_, step)| step.piece.kind.is_pawn()).map(|(_, step)| step.mv.from())
    };
    for home in Bitboard::rank(rank) {
        let plies: Vec<Option<usize>> = games.iter().map(|game| first_pawn_move(game, side, home, BEFORE)).collect();
        let some = |moved: bool| {
            let chosen = games.iter().zip(&plies).filter(move |(_, ply)| ply.is_some() == moved);
            let results = white(chosen.map(|(game, _)| game));
            if side == Colour::White { results } else { estimate::reversed(results) }
        };
        let first = games.iter().filter(|game| first_of(game) == Some(home)).count();
        let is_double = |(game, ply): (&Facts, &Option<usize>)| {
            ply.is_some_and(|ply| game.steps[ply].mv.to().rank().index().abs_diff(home.rank().index()) == 2)
        };
        let double = games.iter().zip(&plies).filter(|&pair| is_double(pair)).count();
        table.row(&[
            home.to_string(),
            share(some(true).games(), games.len() as u64).percent(),
            share(double as u64, some(true).games()).percent(),
            median(plies.iter().flatten().map(|ply| ply + 1).collect()).to_string(),
            text::score_text(some(true)),
            text::score_text(some(false)),
            share(first as u64, games.len() as u64).percent(),
        ]);
    }
    table.into_text()
}

/// Black's first moves, and which hoplites move.
pub fn hoplites(games: &[Facts]) -> String {
    let first = by("Black's first move", games, |game| {
        let start = Board::start(Variant::Spartan);
        let [white, black, ..] = game.steps[..] else { return None };
        Some(start.after(white.mv).to_san(black.mv))
    });
    format!("{first}\n{}", pawn_moves(games, Colour::Black))
}

/// Which pawns of White move.
pub fn pawns(games: &[Facts]) -> String {
    pawn_moves(games, Colour::White)
}

/// Castling: how often, when, and with which score.
pub fn castling(games: &[Facts]) -> String {
    let castled = |game: &Facts| game.steps.iter().position(super::facts::Step::is_castling);
    let is_short = |game: &Facts, ply: usize| game.steps[ply].mv.to() > game.steps[ply].mv.from();
    let mut table = Table::new(1, ["White", "games", "of all", "median of the ply", "White scores"]);
    for (name, side) in [("castles short", Some(true)), ("castles long", Some(false)), ("does not castle", None)] {
        let chosen = games.iter().filter_map(|game| {
            let ply = castled(game);
            (ply.map(|ply| is_short(game, ply)) == side).then_some((game, ply))
        });
        let chosen: Vec<(&Facts, Option<usize>)> = chosen.collect();
        let results = white(chosen.iter().map(|(game, _)| *game));
        let plies: Vec<usize> = chosen.iter().filter_map(|(_, ply)| ply.map(|ply| ply + 1)).collect();
        table.row(&[
            name.to_owned(),
            results.games().to_string(),
            share(results.games(), games.len() as u64).percent(),
            if plies.is_empty() { "–".to_owned() } else { median(plies).to_string() },
            text::score_text(results),
        ]);
    }
    table.into_text()
}

/// Which pieces go first, and the first exchange.
pub fn exchanges(games: &[Facts]) -> String {
    let lost_first = |side: Colour| {
        let title = if side == Colour::White { "White's first piece to go" } else { "Black's first piece to go" };
        by(title, games, move |game| {
            let mut captures = game.captures();
            let lost = captures.find(|(_, step, kind)| step.piece.colour != side && !kind.is_pawn());
            lost.map(|(_, _, kind)| kind.name().to_owned())
        })
    };
    // The first capture that is answered on the same square.
    let exchange = by("first exchange, White's piece for Black's", games, |game| {
        let (taken, back, side) =
            game.captures().find_map(|(ply, step, taken)| Some((taken, game.recaptured(ply)?, step.piece.colour)))?;
        let [white, black] = if side == Colour::White { [back, taken] } else { [taken, back] };
        Some(format!("{} for {}", white.name(), black.name()))
    });
    let first = median(games.iter().filter_map(|game| game.captures().next().map(|(ply, ..)| ply + 1)).collect());
    format!(
        "The median of the ply of the first capture is {first}.\n\n{}\n{}\n{exchange}",
        lost_first(Colour::White),
        lost_first(Colour::Black)
    )
}
