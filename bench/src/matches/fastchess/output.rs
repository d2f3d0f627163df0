//! The lines on stdout.
//!
//! OpenBench reads them as ASCII, so there are no other characters.

use super::super::config::Limits;
use super::super::engine::Identity;
use super::super::game::Record;
use super::super::runner::Outcome;
use super::super::schedule::Fixture;
use super::super::settings::Match;
use super::super::sprt::Sprt;
use super::super::standings::{Standings, Tally};
use super::super::stats::{Estimate, Interval, Wdl, estimate};

/// What the lines say about a match. With pentanomial statistics only complete pairs count.
#[derive(Debug)]
pub struct Output<'a> {
    pub settings: &'a Match,
    /// Whether the lines have the form of cutechess-cli.
    pub is_cutechess: bool,
    pub identities: Vec<Identity>,
    /// The file name of the book; empty without one.
    pub book: String,
}

/// A number with two decimals; `nan` as C prints it.
fn two(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:.2}") }
}

fn with_error(interval: Option<Interval>) -> [String; 2] {
    interval.map_or([f64::NAN; 2], |interval| [interval.value, interval.error()]).map(two)
}

fn percent(part: f64, whole: u64) -> f64 {
    100.0 * part / whole as f64
}

fn pairs_text(tally: &Tally) -> String {
    format!("[{}]", tally.pairs.map(|count| count.to_string()).join(", "))
}

impl Output<'_> {
    fn name(&self, engine: usize) -> &str {
        &self.settings.engines[engine].name
    }

    fn players(&self, fixture: &Fixture) -> String {
        let [white, black] = fixture.engines.map(|engine| self.name(engine));
        format!("{white} vs {black}")
    }

    /// The line at the start of a game.
    pub fn started(&self, fixture: &Fixture) -> String {
        let total = self.settings.schedule.len();
        format!("Started game {} of {total} ({})", fixture.number + 1, self.players(fixture))
    }

    /// The line at the end of a game.
    pub fn finished(&self, fixture: &Fixture, record: &Record) -> String {
        let (players, result) = (self.players(fixture), record.result());
        format!("Finished game {} ({players}): {result} {{{}}}", fixture.number + 1, record.reason())
    }

    fn games(&self, tally: &Tally) -> Wdl {
        if self.settings.is_paired { tally.paired() } else { tally.total() }
    }

    fn estimate(&self, tally: &Tally) -> Option<Estimate> {
        let paired = self.settings.is_paired;
        let mut found = if paired { estimate(&tally.pairs) } else { estimate(&tally.total().counts()) }?;
        if found.normalised.is_none() {
            // If all results are the same, the error is 0 for fastchess, and it divides by that.
            let exact = |value| Interval { value, low: value, high: value };
            let normalised = (found.los - 0.5) / 0.0;
            (found.elo, found.normalised) = (exact(found.elo.value), Some(exact(normalised)));
            found.los = if normalised.is_nan() { f64::NAN } else { found.los };
        }
        Some(found)
    }

    fn draw_percent(&self, tally: &Tally) -> f64 {
        if self.settings.is_paired {
            percent(tally.pairs[2] as f64, tally.pairs.iter().sum())
        } else {
            percent(tally.total().draws as f64, tally.total().games())
        }
    }

    /// The line of cutechess-cli with the score of a pairing.
    pub fn score(&self, pairing: [usize; 2], standings: &Standings) -> String {
        let score = standings.pairing(pairing).total();
        let Wdl { wins, draws, losses } = score;
        let (games, ratio) = (score.games(), score.points() / score.games() as f64);
        let [first, second] = pairing.map(|engine| self.name(engine));
        format!("Score of {first} vs {second}: {wins} - {losses} - {draws}  [{ratio:.3}] {games}")
    }

    /// The report on the rating and the test.
    pub fn rating(&self, pairing: [usize; 2], standings: &Standings) -> String {
        let tally = standings.pairing(pairing);
        let report = match (self.settings.engines.len(), self.is_cutechess) {
            (2, false) => self.head_to_head(pairing, &tally),
            (2, true) => {
                let found = self.estimate(&tally);
                format!(
                    "Elo difference: {}, LOS: {} %, DrawRatio: {} %\n",
                    with_error(found.map(|found| found.elo)).join(" +/- "),
                    two(found.map_or(f64::NAN, |found| 100.0 * found.los)),
                    two(self.draw_percent(&tally))
                )
            }
            _ => self.table(standings),
        };
        let sprt = self.settings.sprt.map_or_else(String::new, |test| self.sprt_line(&test, standings));
        if self.is_cutechess {
            return format!("{report}{sprt}").trim_end().to_owned();
        }
        let line = "-".repeat(50);
        format!("{line}\n{report}{sprt}{line}")
    }

    fn head_to_head(&self, pairing: [usize; 2], tally: &Tally) -> String {
        let [first, second] = pairing.map(|engine| self.name(engine));
        let both = |text: &dyn Fn(usize) -> String| {
            let [first, second] = pairing.map(text);
            if first == second { first } else { format!("{first} - {second}") }
        };
        let time = both(&|engine| time_text(&self.settings.engines[engine].limits));
        let threads = both(&|engine| self.option(engine, "Threads", "t"));
        let hash = both(&|engine| self.option(engine, "Hash", "MB"));
        let book = if self.book.is_empty() { String::new() } else { format!(", {}", self.book) };
        let mut text = format!("Results of {first} vs {second} ({time}, {threads}, {hash}{book}):\n");
        let found = self.estimate(tally);
        let elo = with_error(found.map(|found| found.elo)).join(" +/- ");
        let normalised = with_error(found.and_then(|found| found.normalised)).join(" +/- ");
        text += &format!("Elo: {elo}, nElo: {normalised}\n");
        let superiority = two(found.map_or(f64::NAN, |found| 100.0 * found.los));
        text += &format!("LOS: {superiority} %, DrawRatio: {} %", two(self.draw_percent(tally)));
        let [ll, ld, even, wd, ww] = tally.pairs;
        if self.settings.is_paired {
            text += &format!(", PairsRatio: {}", two((ww + wd) as f64 / (ld + ll) as f64));
        }
        let score = self.games(tally);
        let (games, Wdl { wins, draws, losses }, points) = (score.games(), score, score.points());
        text += &format!(
            "\nGames: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({} %)\n",
            two(percent(points, games))
        );
        if self.settings.is_paired {
            let ratio = two((even - tally.drawn_pairs) as f64 / tally.drawn_pairs as f64);
            text += &format!("Ptnml(0-2): {}, WL/DD Ratio: {ratio}\n", pairs_text(tally));
        }
        text
    }

    /// The value of an option of an engine with its unit.
    fn option(&self, engine: usize, name: &str, unit: &str) -> String {
        let mut options = self.settings.engines[engine].options.iter().rev();
        let given = options.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
        let value = self.identities[engine].default_value(name).map(|default| given.unwrap_or(default));
        value.map_or_else(|| "NULL".to_owned(), |value| format!("{value}{unit}"))
    }

    /// The table of more than two engines, the strongest first.
    fn table(&self, standings: &Standings) -> String {
        let tally = |engine| (self.name(engine), standings.tally(engine), self.estimate(standings.tally(engine)));
        let mut rows: Vec<(&str, &Tally, Option<Estimate>)> = (0..self.settings.engines.len()).map(tally).collect();
        let elo = |found: Option<Estimate>| found.map_or(f64::NEG_INFINITY, |found| found.elo.value);
        rows.sort_by(|(.., a), (.., b)| elo(*b).total_cmp(&elo(*a)));
        let width = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0).max(25);
        let row = |cells: [&str; 10]| {
            let [rank, name, numbers @ .., pairs] = cells;
            let mut text = format!("{rank:>4} {name:<width$}");
            text.extend(numbers.map(|number| format!(" {number:>10}")));
            text += &if self.is_cutechess { String::new() } else { format!(" {pairs:>20}") };
            text + "\n"
        };
        let headings = ["Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw", "Ptnml(0-2)"];
        let mut text = row(headings);
        for ((name, tally, found), rank) in rows.into_iter().zip(1..) {
            let games = self.games(tally);
            let [elo, elo_error] = with_error(found.map(|found| found.elo));
            let [normalised, normalised_error] = with_error(found.and_then(|found| found.normalised));
            text += &row([
                &format!("{rank}"),
                name,
                &elo,
                &elo_error,
                &normalised,
                &normalised_error,
                &games.games().to_string(),
                &format!("{:.1}%", percent(games.points(), games.games())),
                &format!("{:.1}%", self.draw_percent(tally)),
                &if self.settings.is_paired { pairs_text(tally) } else { String::new() },
            ]);
        }
        text
    }

    fn sprt_line(&self, test: &Sprt, standings: &Standings) -> String {
        let llr = self.settings.llr(test, standings);
        let [low, high] = test.bounds();
        if self.is_cutechess {
            let share = 100.0 * if llr < 0.0 { llr / low } else { llr / high };
            let verdict = test.verdict(llr).map_or_else(String::new, |verdict| format!(" - {verdict:?} was accepted"));
            format!("SPRT: llr {llr:.2} ({share:.1}%), lbound {low:.2}, ubound {high:.2}{verdict}\n")
        } else {
            let share = 100.0 * if llr >= 0.0 { llr / high } else { -llr / low };
            format!("LLR: {llr:.2} ({share:.1}%) ({low:.2}, {high:.2}) {}\n", elo_bounds(test))
        }
    }

    /// The last lines of the match: how it ended, and the engines that made faults.
    pub fn end(&self, outcome: &Outcome) -> String {
        let mut text = match (self.settings.sprt, outcome.verdict) {
            (Some(test), Some(verdict)) if !self.is_cutechess => {
                format!("SPRT ({}) completed - {verdict:?} was accepted", elo_bounds(&test))
            }
            _ => "Tournament finished".to_owned(),
        };
        for engine in 0..self.settings.engines.len() {
            let faults = outcome.standings.faults(engine);
            let (timeouts, crashes) = (faults.time_losses, faults.crashes + faults.stalls);
            if timeouts + crashes > 0 {
                text += &format!("\nPlayer: {}\n  Timeouts: {timeouts}\n  Crashed: {crashes}", self.name(engine));
            }
        }
        text
    }
}

fn elo_bounds(test: &Sprt) -> String {
    format!("[{:.2}, {:.2}]", test.elo0, test.elo1)
}

/// The limits of an engine: `10+0.1`, `0.5/move`, `6 plies`, `5000 nodes`.
fn time_text(limits: &Limits) -> String {
    if let Some(clock) = limits.clock {
        clock.to_string()
    } else if let Some(time) = limits.movetime {
        format!("{}/move", time.as_secs_f64())
    } else if let Some(depth) = limits.depth {
        format!("{depth} plies")
    } else {
        format!("{} nodes", limits.nodes.unwrap_or(0))
    }
}
