//! The lines on stdout.
//!
//! OpenBench reads them as ASCII, so there are no other characters.

use super::super::config::{EngineConfig, Limits};
use super::super::engine::Identity;
use super::super::game::{Fault, GameEnd, Record, result_text};
use super::super::schedule::Fixture;
use super::super::sprt::{Sprt, Verdict};
use super::super::stats::{NORMALISED_UNIT, TWO_SIDED_95, Wdl, elo_of_score, moments};
use super::command_line::OutputFormat;
use agoge_core::board::Outcome;
use std::collections::{BTreeMap, HashMap};

/// The results of an engine against one or all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    pub games: Wdl,
    /// Pairs of games by half points.
    pub pairs: [u64; 5],
    /// Pairs of two draws, which are also counted in `pairs`.
    pub drawn_pairs: u64,
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.games = self.games.plus(&other.games);
        self.pairs.iter_mut().zip(other.pairs).for_each(|(sum, count)| *sum += count);
        self.drawn_pairs += other.drawn_pairs;
    }

    /// The results of the opponent.
    fn reversed(&self) -> Self {
        let Wdl { wins, draws, losses } = self.games;
        let mut pairs = self.pairs;
        pairs.reverse();
        Self { games: Wdl { wins: losses, draws, losses: wins }, pairs, drawn_pairs: self.drawn_pairs }
    }
}

/// All results. With pentanomial statistics only complete pairs count.
#[derive(Debug)]
pub struct Scoreboard {
    is_pentanomial: bool,
    /// The results of pairings, from the view of the engine with the lower index.
    scores: BTreeMap<[usize; 2], Score>,
    /// The half points of the first engine in pairs with one game played.
    halves: HashMap<usize, u8>,
}

impl Scoreboard {
    pub fn new(is_pentanomial: bool) -> Self {
        Self { is_pentanomial, scores: BTreeMap::new(), halves: HashMap::new() }
    }

    /// Adds a game with White's half points. Returns whether its pair is complete.
    pub fn add(&mut self, fixture: &Fixture, half_points: u8) -> bool {
        let [white, black] = fixture.engines;
        let own = if white < black { half_points } else { 2 - half_points };
        let score = self.scores.entry([white.min(black), white.max(black)]).or_default();
        if !self.is_pentanomial {
            score.games.add(own);
            return true;
        }
        let Some(other) = self.halves.remove(&fixture.pair) else {
            self.halves.insert(fixture.pair, own);
            return false;
        };
        score.games.add(own);
        score.games.add(other);
        score.pairs[usize::from(own + other)] += 1;
        score.drawn_pairs += u64::from(own == 1 && other == 1);
        true
    }

    /// The results of a pairing from the view of its first engine.
    pub fn pairing(&self, [first, second]: [usize; 2]) -> Score {
        let score = self.scores.get(&[first.min(second), first.max(second)]).copied().unwrap_or_default();
        if first < second { score } else { score.reversed() }
    }

    /// The results of an engine against all others.
    fn engine(&self, engine: usize) -> Score {
        let mut sum = Score::default();
        for (&[first, second], score) in &self.scores {
            if engine == first {
                sum.add(score);
            } else if engine == second {
                sum.add(&score.reversed());
            }
        }
        sum
    }

    /// The log-likelihood ratio of a test of the first engine against the second.
    fn llr(&self, test: &Sprt) -> f64 {
        let score = self.pairing([0, 1]);
        if self.is_pentanomial { test.llr(&score.pairs) } else { test.llr(&score.games.counts()) }
    }

    /// The verdict of a test.
    pub fn verdict(&self, test: &Sprt) -> Option<Verdict> {
        let score = self.pairing([0, 1]);
        if self.is_pentanomial { test.verdict(&score.pairs) } else { test.verdict(&score.games.counts()) }
    }
}

/// Elo and normalised Elo with their errors at 95 %, and the likelihood of superiority. They are `nan` or infinite where
/// they are undefined.
#[derive(Clone, Copy, Debug)]
struct Rating {
    elo: [f64; 2],
    normalised: [f64; 2],
    superiority: f64,
}

impl Rating {
    fn new<const N: usize>(counts: &[u64; N]) -> Self {
        let total = counts.iter().sum::<u64>() as f64;
        let (mean, variance) = moments(&counts.map(|count| count as f64 / total));
        let error = (variance / total).sqrt();
        let with_error = |of: &dyn Fn(f64) -> f64| {
            let [low, high] = [-1.0, 1.0].map(|sign| of(mean + sign * TWO_SIDED_95 * error));
            [of(mean), (high - low) / 2.0]
        };
        let deviation = (variance * (N - 1) as f64 / 2.0).sqrt();
        Self {
            elo: with_error(&elo_of_score),
            normalised: with_error(&|score| (score - 0.5) / deviation * NORMALISED_UNIT),
            superiority: libm::erfc(-(mean - 0.5) / error / std::f64::consts::SQRT_2) / 2.0,
        }
    }

    fn of(score: &Score, is_pentanomial: bool) -> Self {
        if is_pentanomial { Self::new(&score.pairs) } else { Self::new(&score.games.counts()) }
    }
}

/// A number with two decimals; `nan` as C prints it.
fn two(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:.2}") }
}

fn plus_minus([value, error]: [f64; 2]) -> String {
    format!("{} +/- {}", two(value), two(error))
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole as f64
}

impl Score {
    fn percent(&self) -> f64 {
        100.0 * self.games.points() / self.games.games() as f64
    }

    fn draw_percent(&self, is_pentanomial: bool) -> f64 {
        if is_pentanomial {
            percent(self.pairs[2], self.pairs.iter().sum())
        } else {
            percent(self.games.draws, self.games.games())
        }
    }

    fn pairs_text(&self) -> String {
        format!("[{}]", self.pairs.map(|count| count.to_string()).join(", "))
    }
}

/// What the lines say about the match.
#[derive(Debug)]
pub struct Output<'a> {
    pub format: OutputFormat,
    pub is_pentanomial: bool,
    pub engines: &'a [EngineConfig],
    pub identities: &'a [Identity],
    /// The file name of the book; empty without one.
    pub book: String,
    pub sprt: Option<Sprt>,
    /// The number of games of the match.
    pub total: usize,
}

impl Output<'_> {
    fn players(&self, fixture: &Fixture) -> String {
        let [white, black] = fixture.engines.map(|engine| self.engines[engine].name.as_str());
        format!("{white} vs {black}")
    }

    /// The line at the start of a game.
    pub fn started(&self, fixture: &Fixture) -> String {
        format!("Started game {} of {} ({})", fixture.number + 1, self.total, self.players(fixture))
    }

    /// The line at the end of a game.
    pub fn finished(&self, fixture: &Fixture, record: &Record) -> String {
        let result = result_text(record.end.half_points());
        format!("Finished game {} ({}): {result} {{{}}}", fixture.number + 1, self.players(fixture), reason(record))
    }

    /// The line with the score of a pairing.
    pub fn score(&self, pairing: [usize; 2], scoreboard: &Scoreboard) -> Option<String> {
        if self.format == OutputFormat::Fastchess {
            return None;
        }
        let Wdl { wins, draws, losses } = scoreboard.pairing(pairing).games;
        let games = wins + draws + losses;
        let ratio = (wins as f64 + draws as f64 / 2.0) / games as f64;
        let [first, second] = pairing.map(|engine| self.engines[engine].name.as_str());
        Some(format!("Score of {first} vs {second}: {wins} - {losses} - {draws}  [{ratio:.3}] {games}"))
    }

    /// The report on the rating and the test.
    pub fn rating(&self, pairing: [usize; 2], scoreboard: &Scoreboard) -> String {
        let report = match (self.engines.len(), self.format) {
            (2, OutputFormat::Fastchess) => self.head_to_head(pairing, &scoreboard.pairing(pairing)),
            (2, OutputFormat::Cutechess) => {
                let score = scoreboard.pairing(pairing);
                let rating = Rating::new(&score.games.counts());
                format!(
                    "Elo difference: {}, LOS: {} %, DrawRatio: {} %\n",
                    plus_minus(rating.elo),
                    two(100.0 * rating.superiority),
                    two(score.draw_percent(false))
                )
            }
            _ => self.table(scoreboard),
        };
        let sprt = self.sprt.map_or_else(String::new, |test| self.sprt_line(&test, scoreboard));
        match self.format {
            OutputFormat::Fastchess => {
                let line = "-".repeat(50);
                format!("{line}\n{report}{sprt}{line}")
            }
            OutputFormat::Cutechess => format!("{report}{sprt}").trim_end().to_owned(),
        }
    }

    fn head_to_head(&self, pairing: [usize; 2], score: &Score) -> String {
        let rating = Rating::of(score, self.is_pentanomial);
        let [first, second] = pairing.map(|engine| self.engines[engine].name.as_str());
        let both = |text: &dyn Fn(usize) -> String| {
            let [first, second] = pairing.map(text);
            if first == second { first } else { format!("{first} - {second}") }
        };
        let time = both(&|engine| time_text(&self.engines[engine].limits));
        let threads = both(&|engine| self.option(engine, "Threads", "t"));
        let hash = both(&|engine| self.option(engine, "Hash", "MB"));
        let book = if self.book.is_empty() { String::new() } else { format!(", {}", self.book) };
        let [.., wd, ww] = score.pairs;
        let [ll, ld, ..] = score.pairs;
        let Wdl { wins, draws, losses } = score.games;
        let mut text = format!("Results of {first} vs {second} ({time}, {threads}, {hash}{book}):\n");
        text += &format!("Elo: {}, nElo: {}\n", plus_minus(rating.elo), plus_minus(rating.normalised));
        let draw_ratio = two(score.draw_percent(self.is_pentanomial));
        text += &format!("LOS: {} %, DrawRatio: {draw_ratio} %", two(100.0 * rating.superiority));
        if self.is_pentanomial {
            text += &format!(", PairsRatio: {}", two((ww + wd) as f64 / (ld + ll) as f64));
        }
        let points = score.games.points();
        text += &format!(
            "\nGames: {}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({} %)\n",
            wins + draws + losses,
            two(score.percent())
        );
        if self.is_pentanomial {
            let decided = score.pairs[2] - score.drawn_pairs;
            let ratio = two(decided as f64 / score.drawn_pairs as f64);
            text += &format!("Ptnml(0-2): {}, WL/DD Ratio: {ratio}\n", score.pairs_text());
        }
        text
    }

    /// The value of an option of an engine with its unit.
    fn option(&self, engine: usize, name: &str, unit: &str) -> String {
        let mut options = self.engines[engine].options.iter().rev();
        let given = options.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
        let value = self.identities[engine].default_value(name).map(|default| given.unwrap_or(default));
        value.map_or_else(|| "NULL".to_owned(), |value| format!("{value}{unit}"))
    }

    /// The table of more than two engines, the strongest first.
    fn table(&self, scoreboard: &Scoreboard) -> String {
        let is_pentanomial = self.is_pentanomial;
        let mut rows: Vec<(&str, Score, Rating)> = Vec::new();
        for (index, engine) in self.engines.iter().enumerate() {
            let score = scoreboard.engine(index);
            rows.push((&engine.name, score, Rating::of(&score, is_pentanomial)));
        }
        rows.sort_by(|(.., a), (.., b)| {
            let key = |rating: &Rating| if rating.elo[0].is_nan() { f64::NEG_INFINITY } else { rating.elo[0] };
            key(b).total_cmp(&key(a))
        });
        let width = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0).max(25);
        let mut text = format!(
            "{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
            "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"
        );
        if self.format == OutputFormat::Fastchess {
            text += &format!(" {:>20}", "Ptnml(0-2)");
        }
        text.push('\n');
        for (rank, (name, score, rating)) in rows.iter().enumerate() {
            let [elo, elo_error, normalised, normalised_error] =
                [rating.elo[0], rating.elo[1], rating.normalised[0], rating.normalised[1]].map(two);
            let points = format!("{:.1}%", score.percent());
            let draws = format!("{:.1}%", score.draw_percent(is_pentanomial));
            text += &format!(
                "{:>4} {name:<width$} {elo:>10} {elo_error:>10} {normalised:>10} {normalised_error:>10} {:>10} \
                 {points:>10} {draws:>10}",
                rank + 1,
                score.games.games()
            );
            if self.format == OutputFormat::Fastchess {
                let pairs = if is_pentanomial { score.pairs_text() } else { String::new() };
                text += &format!(" {pairs:>20}");
            }
            text.push('\n');
        }
        text
    }

    fn sprt_line(&self, test: &Sprt, scoreboard: &Scoreboard) -> String {
        let llr = scoreboard.llr(test);
        let [low, high] = test.bounds();
        match self.format {
            OutputFormat::Fastchess => {
                let share = 100.0 * if llr >= 0.0 { llr / high } else { -llr / low };
                format!("LLR: {llr:.2} ({share:.1}%) ({low:.2}, {high:.2}) {}\n", elo_bounds(test))
            }
            OutputFormat::Cutechess => {
                let share = 100.0 * if llr < 0.0 { llr / low } else { llr / high };
                let verdict = match scoreboard.verdict(test) {
                    Some(Verdict::H1) => " - H1 was accepted",
                    Some(Verdict::H0) => " - H0 was accepted",
                    None => "",
                };
                format!("SPRT: llr {llr:.2} ({share:.1}%), lbound {low:.2}, ubound {high:.2}{verdict}\n")
            }
        }
    }

    /// The last line of the match.
    pub fn end(&self, scoreboard: &Scoreboard) -> String {
        let decided = self.sprt.and_then(|test| Some((test, scoreboard.verdict(&test)?)));
        match (decided, self.format) {
            (Some((test, verdict)), OutputFormat::Fastchess) => {
                format!("SPRT ({}) completed - {verdict:?} was accepted", elo_bounds(&test))
            }
            _ => "Tournament finished".to_owned(),
        }
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

/// Why a game ended, in the words of fastchess.
pub fn reason(record: &Record) -> String {
    match &record.end {
        GameEnd::Rules(Outcome::Checkmate { winner }) => format!("{winner:?} mates"),
        GameEnd::Rules(Outcome::Stalemate) => "Draw by stalemate".to_owned(),
        GameEnd::Rules(Outcome::ThreefoldRepetition) => "Draw by 3-fold repetition".to_owned(),
        GameEnd::Rules(Outcome::FiftyMoves) => "Draw by fifty moves rule".to_owned(),
        GameEnd::Rules(Outcome::DeadPosition) => "Draw by insufficient mating material".to_owned(),
        GameEnd::AdjudicatedDraw | GameEnd::MaxMoves => "Draw by adjudication".to_owned(),
        GameEnd::AdjudicatedWin { winner } => format!("{winner:?} wins by adjudication"),
        GameEnd::Tables { winner: Some(winner) } => format!("{winner:?} wins by adjudication: endgame tables"),
        GameEnd::Tables { winner: None } => "Draw by adjudication: endgame tables".to_owned(),
        GameEnd::Resignation { loser } => format!("{loser:?} resigns"),
        GameEnd::Fault { loser, fault, .. } => match fault {
            Fault::IllegalMove => format!("{loser:?} makes an illegal move"),
            Fault::Crash => format!("{loser:?} disconnects"),
            Fault::Stall => format!("{loser:?}'s connection stalls"),
            Fault::TimeLoss => format!("{loser:?} loses on time ({}ms overrun)", record.overrun.as_millis()),
        },
    }
}
