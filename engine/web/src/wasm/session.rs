//! The part of UCI that the page uses, for one thread. The full protocol needs threads for its input and its search.

use agoge_core::bench;
use agoge_core::board::{Board, Game, Variant};
use agoge_core::clock::Instant;
use agoge_core::search::{Bound, Limits, Listener, Report, Searcher, Settings, Strength};
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The size of the hash table in MiB.
const HASH: usize = 32;

/// The level of full strength.
const FULL: u32 = 20;

thread_local! {
    /// The flag that ends the search; set by the first session.
    static STOP: OnceCell<Arc<AtomicBool>> = const { OnceCell::new() };
}

/// Ends the running search soon.
pub fn stop() {
    STOP.with(|stop| stop.get().map(|stop| stop.store(true, Ordering::Relaxed)));
}

/// A UCI session whose commands return when they are done.
pub struct Session {
    searcher: Searcher,
    print: fn(&str),
    game: Game,
    variant: Variant,
    multi_pv: usize,
    level: u32,
    analyses: bool,
}

impl Session {
    /// A session that writes its lines with `print`.
    pub fn new(print: fn(&str)) -> Result<Self, String> {
        let searcher = Searcher::on_this_thread(HASH).map_err(|error| error.to_string())?;
        STOP.with(|stop| stop.set(searcher.stop_flag())).map_err(|_| "a second session")?;
        let variant = Variant::default();
        let game = Game::start(variant);
        Ok(Self { searcher, print, game, variant, multi_pv: 1, level: FULL, analyses: false })
    }

    fn error(&self, text: &str) {
        (self.print)(&format!("info string error: {text}"));
    }

    /// Gives a limited engine other evaluation errors.
    pub fn set_seed(&mut self, seed: u64) {
        self.searcher.set_seed(seed);
    }

    /// Executes a line. A search returns when it has ended.
    pub fn execute(&mut self, line: &str) {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match word {
            "uci" => (self.print)(concat!("id name Agoge ", env!("CARGO_PKG_VERSION"), "\nuciok")),
            "isready" => (self.print)("readyok"),
            "ucinewgame" => self.searcher.clear(),
            "setoption" => self.set_option(rest),
            "position" => self.set_position(rest),
            "go" => self.go(rest),
            "" | "stop" | "ponderhit" => {}
            _ => self.error("unknown command"),
        }
    }

    fn set_option(&mut self, text: &str) {
        let (name, value) = text.strip_prefix("name ").unwrap_or(text).split_once(" value ").unwrap_or((text, ""));
        let number = || value.trim().parse::<u32>().ok();
        match name.trim() {
            "MultiPV" => self.multi_pv = number().map_or(1, |lines| lines.clamp(1, 256) as usize),
            "Skill Level" => self.level = number().map_or(FULL, |level| level.min(FULL)),
            "UCI_AnalyseMode" => self.analyses = value.trim() == "true",
            "UCI_Variant" => match Variant::from_name(value.trim()) {
                Some(variant) if variant != self.variant => {
                    self.variant = variant;
                    self.game = Game::start(variant);
                    self.searcher.clear();
                }
                Some(_) => {}
                None => self.error("unknown variant"),
            },
            // Chances are always reported.
            "UCI_ShowWDL" => {}
            _ => self.error("unknown option"),
        }
    }

    fn set_position(&mut self, text: &str) {
        let (start, moves) = text.split_once("moves").unwrap_or((text, ""));
        let game = match start.trim().strip_prefix("fen ") {
            Some(fen) => Board::from_fen(fen, self.variant).map(Game::new).map_err(|error| error.to_string()),
            None => Ok(Game::start(self.variant)),
        };
        let mut game = match game {
            Ok(game) => game,
            Err(error) => return self.error(&error),
        };
        for text in moves.split_ascii_whitespace() {
            let made = game.board().parse_move(text).and_then(|mv| game.push(mv));
            if let Err(error) = made {
                return self.error(&format!("{text}: {error}"));
            }
        }
        self.game = game;
    }

    fn go(&mut self, text: &str) {
        let limits = limits(text);
        let strength = (self.level < FULL && !self.analyses).then(|| Strength::of_level(f64::from(self.level)));
        self.searcher.settings = Settings { multi_pv: self.multi_pv, strength, ..Settings::default() };
        self.searcher.start(self.game.clone(), limits, Arc::new(Printer(self.print)));
    }
}

/// Parses the arguments of `go`. A search without limits ends by [`stop`]; the page keeps its move back until then.
fn limits(text: &str) -> Limits {
    let mut limits = Limits::default();
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if matches!(word, "infinite" | "ponder") {
            continue;
        }
        let number = words.next().and_then(|word| word.parse::<i64>().ok()).unwrap_or(0).max(0).unsigned_abs();
        let time = Duration::from_millis(number.min(1 << 40));
        let small = u32::try_from(number).unwrap_or(u32::MAX).max(1);
        match word {
            "wtime" => limits.clock[Colour::White.index()] = Some(time),
            "btime" => limits.clock[Colour::Black.index()] = Some(time),
            "winc" => limits.increment[Colour::White.index()] = time,
            "binc" => limits.increment[Colour::Black.index()] = time,
            "movetime" => limits.move_time = Some(time),
            "depth" => limits.depth = Some(small),
            "nodes" => limits.nodes = Some(number.max(1)),
            _ => {}
        }
    }
    limits
}

/// Prints the output of a search.
struct Printer(fn(&str));

impl Listener for Printer {
    fn report(&self, report: &Report) {
        let score = match report.score {
            Score::Cp(value) => format!("cp {value}"),
            Score::Mate(moves) => format!("mate {moves}"),
        };
        let bound = match report.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let Report { depth, seldepth, multi_pv, wdl: [win, draw, loss], nodes, time, hashfull, .. } = report;
        let nps = u128::from(*nodes) * 1_000_000 / time.as_micros().max(1);
        let pv: Vec<String> = report.pv.iter().map(Move::to_string).collect();
        (self.0)(&format!(
            "info depth {depth} seldepth {seldepth} multipv {multi_pv} score {score}{bound} wdl {win} {draw} {loss} \
             nodes {nodes} nps {nps} hashfull {hashfull} time {} pv {}",
            time.as_millis(),
            pv.join(" ")
        ));
    }

    fn best_move(&self, best: Option<Move>, ponder: Option<Move>) {
        let best = best.map_or_else(|| "(none)".to_owned(), |best| best.to_string());
        let ponder = ponder.map_or_else(String::new, |ponder| format!(" ponder {ponder}"));
        (self.0)(&format!("bestmove {best}{ponder}"));
    }
}

/// Searches the bench positions to a depth and returns `<nodes> nodes <nps> nps`, as `agoge bench` does.
pub fn bench(depth: u32) -> Result<String, String> {
    let mut searcher =
        Searcher::on_this_thread(bench::Parameters::default().hash).map_err(|error| error.to_string())?;
    let mut summary = bench::Summary::default();
    for fen in bench::positions() {
        let game = Game::new(Board::from_fen(fen, Variant::Spartan).map_err(|error| error.to_string())?);
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        searcher.clear();
        let start = Instant::now();
        searcher.search(&game, limits, 1);
        summary.time += start.elapsed();
        summary.nodes += searcher.nodes();
    }
    Ok(summary.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    /// The host's function. It stops the search after depth 5, as the page may do at any time.
    fn print(text: &str) {
        LINES.with_borrow_mut(|lines| lines.extend(text.lines().map(str::to_owned)));
        if text.starts_with("info depth 5 ") {
            stop();
        }
    }

    fn ask(session: &mut Session, line: &str) -> Vec<String> {
        session.execute(line);
        LINES.take()
    }

    /// Two moves mate.
    const MATE: &str = "position fen k1k5/8/1Q6/8/8/8/7R/R2RK3 w - - 0 1";

    fn mates(lines: &[String]) -> bool {
        lines.last().is_some_and(|line| ["bestmove h2c2", "bestmove a1a8"].contains(&line.as_str()))
    }

    fn session() -> Session {
        Session::new(print).expect("memory")
    }

    #[test]
    fn the_handshake() {
        let mut session = session();
        let lines = ask(&mut session, "uci");
        assert!(lines[0].starts_with("id name Agoge ") && lines[1] == "uciok", "{lines:?}");
        assert_eq!(ask(&mut session, "isready"), ["readyok"]);
        for silent in ["", "ucinewgame", "stop", "setoption name UCI_ShowWDL value true"] {
            assert!(ask(&mut session, silent).is_empty(), "{silent}");
        }
    }

    #[test]
    fn a_search_finds_a_duple_checkmate() {
        let mut session = session();
        ask(&mut session, MATE);
        let lines = ask(&mut session, "go depth 3");
        assert!(mates(&lines), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains(" score mate 1 wdl 1000 0 0 ")), "{lines:?}");
        ask(&mut session, &format!("{MATE} moves h2c2"));
        assert_eq!(ask(&mut session, "go depth 3").last().map(String::as_str), Some("bestmove (none)"));
    }

    #[test]
    fn the_host_stops_a_search() {
        let mut session = session();
        let lines = ask(&mut session, "go infinite");
        assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:?}");
        // It may not stop the next one.
        let lines = ask(&mut session, "go depth 4");
        assert!(lines.iter().any(|line| line.starts_with("info depth 4 ")), "{lines:?}");
    }

    #[test]
    fn options_apply() {
        let mut session = session();
        ask(&mut session, "setoption name MultiPV value 3");
        let lines = ask(&mut session, "go depth 2");
        for rank in 1..=3 {
            assert!(lines.iter().any(|line| line.contains(&format!(" multipv {rank} "))), "{lines:?}");
        }
        ask(&mut session, "setoption name MultiPV value 1");
        ask(&mut session, "setoption name Skill Level value 0");
        let nodes = |lines: &[String]| {
            let last = lines.iter().rfind(|line| line.contains(" nodes ")).expect("a report");
            last.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok()).expect("nodes")
        };
        assert!(nodes(&ask(&mut session, "go movetime 100000")) < 1000);
        ask(&mut session, "setoption name UCI_Variant value chess");
        ask(&mut session, "position startpos moves e2e4 e7e5");
        let lines = ask(&mut session, "go nodes 500");
        assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:?}");
    }

    #[test]
    fn bad_input_is_reported_and_changes_nothing() {
        let mut session = session();
        ask(&mut session, MATE);
        for bad in [
            "xyzzy",
            "position fen 8/8 w",
            "position startpos moves e2e4 e2e4",
            &format!("{MATE} moves h2h3 a8a1"),
            "setoption name Colour value red",
            "setoption name UCI_Variant value atomic",
        ] {
            let lines = ask(&mut session, bad);
            assert!(lines.len() == 1 && lines[0].starts_with("info string error: "), "{bad}: {lines:?}");
            assert!(mates(&ask(&mut session, "go depth 2")), "{bad}");
        }
    }

    #[test]
    fn the_bench_counts_nodes() {
        let text = bench(1).expect("memory");
        let words: Vec<&str> = text.split(' ').collect();
        assert!(words[0].parse::<u64>().is_ok_and(|nodes| nodes > 100) && words[1] == "nodes", "{text}");
        assert_eq!(bench(1).expect("memory").split(' ').next(), Some(words[0]));
    }
}
