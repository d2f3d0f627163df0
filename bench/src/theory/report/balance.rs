//! Games from the initial position without theory: where the game goes as play gets better.

use super::estimate::share;
use super::facts::Facts;
use super::games::{median, white};
use super::text::{self, Table};
use agoge_core::board::{Board, Variant};
use std::collections::{BTreeMap, HashSet};

/// The games of a file.
pub struct Match {
    /// The nodes of each move, as the file tells them.
    pub nodes: String,
    pub games: Vec<Facts>,
}

/// What the settings of a file say between two words.
pub fn nodes_of(settings: &str) -> String {
    let nodes = settings.split(", ").find_map(|setting| setting.strip_prefix("nodes "));
    nodes.unwrap_or("unknown").to_owned()
}

/// The results at each strength, and the first moves.
pub fn balance(matches: &[Match]) -> String {
    let heading = [
        "nodes a move",
        "games",
        "distinct",
        "won / drawn / lost by White",
        "White scores",
        "drawn",
        "median of plies",
        "a king is taken",
    ];
    let mut table = Table::new(1, heading);
    for Match { nodes, games } in matches {
        let distinct: HashSet<Vec<u16>> =
            games.iter().map(|game| game.plies.iter().map(|ply| ply.mv.bits()).collect()).collect();
        let results = white(games);
        table.row(&[
            nodes.clone(),
            games.len().to_string(),
            distinct.len().to_string(),
            text::results(results),
            text::score_text(results),
            share(results.draws, results.games()).percent(),
            median(games.iter().map(|game| game.plies.len()).collect()).to_string(),
            share(games.iter().filter(|game| game.king_taken().is_some()).count() as u64, results.games()).percent(),
        ]);
    }
    let mut text = table.into_text();
    for Match { nodes, games } in matches {
        text += &format!("\n{}", openings(nodes, games));
    }
    text
}

/// The most frequent beginnings of two plies.
fn openings(nodes: &str, games: &[Facts]) -> String {
    const ROWS: usize = 8;
    let start = Board::start(Variant::Spartan);
    let mut groups: BTreeMap<String, Vec<&Facts>> = BTreeMap::new();
    for game in games.iter().filter(|game| game.plies.len() >= 2) {
        let moves = [0, 1].map(|ply| game.plies[ply].mv);
        groups.entry(text::line(&start, &moves)).or_default().push(game);
    }
    let mut groups: Vec<(String, Vec<&Facts>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.len()));
    let first = format!("with {nodes} nodes");
    let mut table = super::games::heading(&first);
    for (line, group) in groups.into_iter().take(ROWS) {
        super::games::row(&mut table, &line, white(group), games.len());
    }
    table.into_text()
}
