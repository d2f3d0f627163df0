//! The final tables and the JSON report.

use super::config::EngineConfig;
use super::settings::Match;
use super::sprt::{Sprt, Verdict};
use super::standings::{Faults, Standings, Tally};
use super::stats::{Estimate, Interval, Pentanomial, Wdl, estimate};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::fmt::Write as _;

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub variant: &'static str,
    pub games_planned: usize,
    /// The number of games played, including earlier runs.
    pub games_played: usize,
    /// The number of games of earlier runs.
    pub games_resumed: usize,
    /// The duration of this run in seconds.
    pub seconds: f64,
    pub interrupted: bool,
    pub engines: Vec<EngineReport>,
    pub pairings: Vec<PairingReport>,
    pub sprt: Option<SprtReport>,
    pub error: Option<String>,
    pub exit_status: u8,
}

#[derive(Clone, Debug, Serialize)]
pub struct EngineReport {
    pub name: String,
    pub command: String,
    pub limits: String,
    #[serde(flatten)]
    pub results: Results,
    pub faults: Faults,
}

/// The results of a pairing, from the first engine's view.
#[derive(Clone, Debug, Serialize)]
pub struct PairingReport {
    pub engines: [String; 2],
    #[serde(flatten)]
    pub results: Results,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Results {
    pub games: u64,
    pub points: f64,
    pub white: Wdl,
    pub black: Wdl,
    /// Complete pairs by half points.
    pub pentanomial: Pentanomial,
    /// The estimate from the complete pairs; null in JSON if there are none. Infinite numbers are also null.
    pub estimate: Option<Estimate>,
}

impl From<&Tally> for Results {
    fn from(tally: &Tally) -> Self {
        let total = tally.total();
        Self {
            games: total.games(),
            points: total.points(),
            white: tally.by_colour[0],
            black: tally.by_colour[1],
            pentanomial: tally.pairs,
            estimate: estimate(&tally.pairs),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct SprtReport {
    #[serde(flatten)]
    pub test: Sprt,
    pub llr: f64,
    /// The ratio at which H0 is accepted.
    pub lower_bound: f64,
    /// The ratio at which H1 is accepted.
    pub upper_bound: f64,
    pub verdict: Option<Verdict>,
}

impl SprtReport {
    pub fn new(test: Sprt, llr: f64) -> Self {
        let [lower_bound, upper_bound] = test.bounds();
        Self { test, llr, lower_bound, upper_bound, verdict: test.verdict(llr) }
    }
}

pub fn results(engines: &[EngineConfig], standings: &Standings) -> (Vec<EngineReport>, Vec<PairingReport>) {
    let of_engine = |(index, config): (usize, &EngineConfig)| EngineReport {
        name: config.name.clone(),
        command: config.command.display().to_string(),
        limits: config.limits.to_string(),
        results: standings.tally(index).into(),
        faults: standings.faults(index),
    };
    let of_pairing = |(pairing, tally): ([usize; 2], &Tally)| PairingReport {
        engines: pairing.map(|engine| engines[engine].name.clone()),
        results: tally.into(),
    };
    (engines.iter().enumerate().map(of_engine).collect(), standings.pairings().map(of_pairing).collect())
}

/// The message about an engine that sends moves for which it was not asked.
pub(super) fn unasked_move(engine: &str) -> String {
    format!("{engine}: it sent a move it was not asked for; such moves are ignored")
}

/// The score of the first engine against the others, for the progress bar.
pub(super) fn progress(settings: &Match, standings: &Standings) -> String {
    let (first, opponent) = match &settings.engines[..] {
        [first, second] => (first.name.as_str(), second.name.as_str()),
        engines => (engines[0].name.as_str(), "all"),
    };
    let tally = standings.tally(0);
    let score = tally.total();
    let mut text = format!("{first} v {opponent}: +{} ={} -{}", score.wins, score.draws, score.losses);
    if score.games() > 0 {
        text.push_str(&format!(", {:.1} %", 100.0 * score.points() / score.games() as f64));
    }
    if let Some(found) = estimate(&tally.pairs).filter(|found| found.elo.error().is_finite()) {
        text.push_str(&format!(", Elo {:+.1} ± {:.1}", found.elo.value, found.elo.error()));
    }
    if let Some(sprt) = settings.sprt {
        let [low, high] = sprt.bounds();
        text.push_str(&format!(", LLR {:.2} [{low:.2}, {high:.2}]", settings.llr(&sprt, standings)));
    }
    text
}

/// Formats `+12.3 ± 4.5`, or words if the interval is unbounded.
fn with_error(interval: Option<Interval>) -> String {
    let Some(interval @ Interval { value, low, high }) = interval else { return "-".to_owned() };
    if value == f64::INFINITY {
        "won all".to_owned()
    } else if value == f64::NEG_INFINITY {
        "lost all".to_owned()
    } else if interval.error().is_finite() {
        format!("{value:+.1} ± {:.1}", interval.error())
    } else if low.is_finite() {
        format!("{value:+.1}, at least {low:+.1}")
    } else if high.is_finite() {
        format!("{value:+.1}, at most {high:+.1}")
    } else {
        format!("{value:+.1}, error unknown")
    }
}

/// The engines in the order of the table: sorted by score if there are more than two. Of two engines the first is the
/// one under test and stays first.
fn ranking(engines: &[EngineReport]) -> Vec<&EngineReport> {
    let mut ranking: Vec<&EngineReport> = engines.iter().collect();
    if ranking.len() > 2 {
        let score = |engine: &EngineReport| engine.results.points / engine.results.games.max(1) as f64;
        ranking.sort_by(|a, b| score(b).total_cmp(&score(a)));
    }
    ranking
}

fn percent(results: &Results) -> String {
    if results.games == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * results.points / results.games as f64) }
}

fn wdl(score: &Wdl) -> String {
    format!("+{} ={} -{}", score.wins, score.draws, score.losses)
}

impl Results {
    fn row(&self, name: String) -> Vec<String> {
        let estimate = self.estimate;
        vec![
            name,
            self.games.to_string(),
            wdl(&self.white.plus(&self.black)),
            percent(self),
            wdl(&self.white),
            wdl(&self.black),
            self.pentanomial.map(|count| count.to_string()).join(" "),
            with_error(estimate.map(|estimate| estimate.elo)),
            with_error(estimate.and_then(|estimate| estimate.normalised)),
            estimate.map_or_else(|| "-".to_owned(), |estimate| format!("{:.1} %", 100.0 * estimate.los)),
        ]
    }
}

/// A table of [`Results::row`]s.
fn results_table(what: &str, rows: impl Iterator<Item = Vec<String>>) -> Table {
    let headings =
        [what, "games", "total", "score", "White", "Black", "pairs 0 ½ 1 1½ 2", "Elo", "normalised Elo", "LOS"];
    table(&headings, rows)
}

fn table(headings: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

impl Report {
    /// The points and games of each engine against each other.
    fn crosstable(&self, ranking: &[&EngineReport]) -> Table {
        let against = |own: &str, other: &str| {
            let pairing = self.pairings.iter().find(|pairing| {
                let [first, second] = pairing.engines.each_ref().map(String::as_str);
                [first, second] == [own, other] || [second, first] == [own, other]
            })?;
            let Results { games, points, .. } = pairing.results;
            let points = if pairing.engines[0] == own { points } else { games as f64 - points };
            Some(format!("{points}/{games}"))
        };
        let numbers = (1..=ranking.len()).map(|number| number.to_string());
        let headings: Vec<String> = ["crosstable".to_owned()].into_iter().chain(numbers).collect();
        let rows = ranking.iter().zip(1..).map(|(engine, number)| {
            let cells =
                ranking.iter().map(|other| against(&engine.name, &other.name).unwrap_or_else(|| "-".to_owned()));
            [format!("{number} {}", engine.name)].into_iter().chain(cells).collect()
        });
        table(&headings.iter().map(String::as_str).collect::<Vec<_>>(), rows)
    }

    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let ranking = ranking(&self.engines);
        let engines = ranking.iter().map(|engine| engine.results.row(engine.name.clone()));
        let _ = writeln!(text, "{}", results_table("engine", engines));
        if self.engines.len() > 2 {
            let _ = writeln!(text, "{}", self.crosstable(&ranking));
            let pairings = self.pairings.iter().map(|pairing| pairing.results.row(pairing.engines.join(" - ")));
            let _ = writeln!(text, "{}", results_table("pairing", pairings));
        }
        let faults = ranking.iter().map(|engine| {
            let faults = engine.faults;
            let counts = [faults.illegal_moves, faults.crashes, faults.stalls, faults.time_losses];
            let mut row = vec![engine.name.clone(), engine.limits.clone()];
            row.extend(counts.map(|count| count.to_string()));
            row
        });
        let headings = ["engine", "limits", "illegal moves", "crashes", "stalls", "losses on time"];
        let _ = writeln!(text, "{}", table(&headings, faults));
        if let Some(sprt) = &self.sprt {
            let _ = writeln!(text, "{}", sprt.to_text());
        }
        let _ = writeln!(
            text,
            "{} of {} games ({} of them before), {:.0} s{}",
            self.games_played,
            self.games_planned,
            self.games_resumed,
            self.seconds,
            if self.interrupted { ", interrupted" } else { "" }
        );
        text
    }
}

impl SprtReport {
    /// The state of the test in one line.
    pub fn to_text(self) -> String {
        let Sprt { elo0, elo1, alpha, beta, scale } = self.test;
        let verdict = match self.verdict {
            Some(Verdict::H1) => "H1 accepted",
            Some(Verdict::H0) => "H0 accepted",
            None => "undecided",
        };
        let elo = if scale == super::sprt::Scale::Logistic { "Elo" } else { "normalised Elo" };
        format!(
            "SPRT: {verdict}; LLR {:.2} [{:.2}, {:.2}] for {elo} {elo0} v {elo1}, alpha {alpha}, beta {beta}",
            self.llr, self.lower_bound, self.upper_bound
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_formatted() {
        assert_eq!(with_error(None), "-");
        assert_eq!(with_error(Some(Interval { value: 12.34, low: 10.0, high: 14.0 })), "+12.3 ± 2.0");
        const INF: f64 = f64::INFINITY;
        for (value, low, high, shown) in [
            (INF, -INF, INF, "won all"),
            (-INF, -INF, INF, "lost all"),
            (338.0, 120.0, INF, "+338.0, at least +120.0"),
            (-338.0, -INF, -120.0, "-338.0, at most -120.0"),
            (190.8, -INF, INF, "+190.8, error unknown"),
        ] {
            assert_eq!(with_error(Some(Interval { value, low, high })), shown);
        }
    }
}
