//! The output of a search in UCI.

use crate::session::Output;
use agoge_core::search::{Bound, Listener, Report};
use agoge_core::types::Move;
use agoge_core::types::score::Score;
use std::fmt::Display;
use std::sync::Arc;
use vampirc_uci::{UciInfoAttribute as Attribute, UciMessage};

/// Writes the output of a search.
pub(super) struct UciListener {
    output: Arc<Output>,
    show_wdl: bool,
}

impl UciListener {
    /// A listener that writes to `output`, with win, draw and loss chances if `show_wdl`.
    pub(super) fn new(output: Arc<Output>, show_wdl: bool) -> Self {
        Self { output, show_wdl }
    }
}

impl Listener for UciListener {
    fn report(&self, report: &Report) {
        self.output.line(&info_line(report, self.show_wdl));
    }

    fn current_move(&self, depth: u32, mv: Move, number: usize) {
        let attributes = vec![depth_attribute("depth", depth), any("currmove", &mv), any("currmovenumber", &number)];
        self.output.line(&UciMessage::Info(attributes).to_string());
    }

    fn best_move(&self, best: Option<Move>, ponder: Option<Move>) {
        self.output.line(&match (best, ponder) {
            (None, _) => "bestmove (none)".to_owned(),
            (Some(best), None) => format!("bestmove {best}"),
            (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
        });
    }
}

/// The `info` line of a report. Without a move, in a position that is mate or stalemate, it has only the depth and the
/// score.
fn info_line(report: &Report, show_wdl: bool) -> String {
    let mut attributes = vec![depth_attribute("depth", report.depth)];
    if report.pv.is_empty() {
        attributes.push(score_attribute(report));
        return UciMessage::Info(attributes).to_string();
    }
    attributes.push(depth_attribute("seldepth", report.seldepth));
    attributes.push(any("multipv", &report.multi_pv));
    attributes.push(score_attribute(report));
    if show_wdl {
        let [win, draw, loss] = report.wdl;
        attributes.push(any("wdl", &format_args!("{win} {draw} {loss}")));
    }
    attributes.push(Attribute::Nodes(report.nodes));
    attributes.push(Attribute::Nps(nodes_per_second(report)));
    attributes.push(any("hashfull", &report.hashfull));
    attributes.push(Attribute::TbHits(report.tb_hits));
    attributes.push(any("time", &report.time.as_millis()));
    let line: Vec<String> = report.pv.iter().map(Move::to_string).collect();
    attributes.push(any("pv", &line.join(" ")));
    UciMessage::Info(attributes).to_string()
}

fn any(name: &str, value: &dyn Display) -> Attribute {
    Attribute::Any(name.to_owned(), value.to_string())
}

fn depth_attribute(name: &str, depth: u32) -> Attribute {
    match (name, u8::try_from(depth)) {
        ("depth", Ok(depth)) => Attribute::Depth(depth),
        ("seldepth", Ok(depth)) => Attribute::SelDepth(depth),
        _ => any(name, &depth),
    }
}

fn score_attribute(report: &Report) -> Attribute {
    // The crate prints a bound for any `Some`, even `Some(false)`.
    let lower_bound = (report.bound == Bound::Lower).then_some(true);
    let upper_bound = (report.bound == Bound::Upper).then_some(true);
    match report.score {
        Score::Cp(cp) => Attribute::Score { cp: Some(cp), mate: None, lower_bound, upper_bound },
        Score::Mate(moves) => match i8::try_from(moves) {
            Ok(moves) => Attribute::Score { cp: None, mate: Some(moves), lower_bound, upper_bound },
            Err(_) => any("score", &format_args!("mate {moves}")),
        },
    }
}

fn nodes_per_second(report: &Report) -> u64 {
    let microseconds = report.time.as_micros().max(1);
    u64::try_from(u128::from(report.nodes) * 1_000_000 / microseconds).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::sample_report;

    #[test]
    fn a_full_line() {
        let expected = "info depth 12 seldepth 20 multipv 1 score cp -34 nodes 5000000 nps 2000000 hashfull 17 tbhits 12 \
                        time 2500 pv a2a1w e1e2";
        assert_eq!(info_line(&sample_report(), false), expected);
        let expected = expected.replace(" nodes 5", " wdl 100 500 400 nodes 5");
        assert_eq!(info_line(&sample_report(), true), expected);
    }

    #[test]
    fn bounds_mates_and_great_depths() {
        let line = info_line(&Report { bound: Bound::Lower, ..sample_report() }, false);
        assert!(line.contains("score cp -34 lowerbound nodes"), "{line}");
        let line = info_line(&Report { bound: Bound::Upper, score: Score::Mate(-3), ..sample_report() }, false);
        assert!(line.contains("score mate -3 upperbound nodes"), "{line}");
        let line = info_line(&Report { depth: 300, score: Score::Mate(200), ..sample_report() }, false);
        assert!(line.starts_with("info depth 300 seldepth 20 multipv 1 score mate 200 nodes"), "{line}");
    }

    #[test]
    fn a_finished_game() {
        let line = info_line(&Report { depth: 0, score: Score::Mate(0), pv: vec![], ..sample_report() }, true);
        assert_eq!(line, "info depth 0 score mate 0");
    }
}
