//! The progress message of a match.

use super::sprt::Sprt;
use super::standings::Standings;
use super::stats::estimate;

/// The score of the first engine against `opponent`.
pub(super) fn message(standings: &Standings, [first, opponent]: [&str; 2], sprt: Option<&Sprt>) -> String {
    let tally = standings.tally(0);
    let score = tally.total();
    let mut text = format!("{first} v {opponent}: +{} ={} -{}", score.wins, score.draws, score.losses);
    if score.games() > 0 {
        text.push_str(&format!(", {:.1} %", 100.0 * score.points() / score.games() as f64));
    }
    if let Some(found) = estimate(&tally.pairs).filter(|found| found.elo.error().is_finite()) {
        text.push_str(&format!(", Elo {:+.1} ± {:.1}", found.elo.value, found.elo.error()));
    }
    if let Some(sprt) = sprt {
        let [low, high] = sprt.bounds();
        text.push_str(&format!(", LLR {:.2} [{low:.2}, {high:.2}]", sprt.llr(&tally.pairs)));
    }
    text
}
