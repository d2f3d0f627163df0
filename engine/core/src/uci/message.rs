//! The lines that the engine writes.

use crate::bench::Summary;
use crate::options::{Id, Kind, Options};
use crate::search::{Bound, Report};
use crate::types::Move;
use crate::types::score::Score;
use std::fmt;

/// A line that the engine writes, other than text.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// `id name …`
    Name(&'a str),
    /// `id author …`
    Author(&'a str),
    /// `option …`
    Option {
        /// The option.
        id: Id,
        /// The values from which the default is taken.
        defaults: &'a Options,
    },
    /// `uciok`
    UciOk,
    /// `readyok`
    ReadyOk,
    /// `info …` of a line of the search. Without a move, in a position that is mate or stalemate, it has only the depth
    /// and the score.
    Info {
        /// The line.
        report: &'a Report,
        /// Whether it tells the chances to win, draw and lose.
        show_wdl: bool,
    },
    /// `info … currmove …`
    CurrentMove {
        /// The iteration.
        depth: u32,
        /// The root move that is searched now.
        mv: Move,
        /// Its place among the root moves, from 1.
        number: usize,
    },
    /// `bestmove …`; `(none)` without a legal move.
    BestMove {
        /// `None` without a legal move.
        best: Option<Move>,
        /// The reply that is expected, if one is known.
        ponder: Option<Move>,
    },
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {name}"),
            Self::Author(author) => write!(f, "id author {author}"),
            Self::Option { id, defaults } => write_option(f, *id, &defaults.text(*id)),
            Self::UciOk => f.write_str("uciok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info { report, show_wdl } => write_info(f, report, *show_wdl),
            Self::CurrentMove { depth, mv, number } => {
                write!(f, "info depth {depth} currmove {mv} currmovenumber {number}")
            }
            Self::BestMove { best: None, .. } => f.write_str("bestmove (none)"),
            Self::BestMove { best: Some(best), ponder: None } => write!(f, "bestmove {best}"),
            Self::BestMove { best: Some(best), ponder: Some(ponder) } => write!(f, "bestmove {best} ponder {ponder}"),
        }
    }
}

fn write_option(f: &mut fmt::Formatter<'_>, id: Id, default: &str) -> fmt::Result {
    let name = id.name();
    match id.kind() {
        Kind::Check => write!(f, "option name {name} type check default {default}"),
        Kind::Spin(min, max) => write!(f, "option name {name} type spin default {default} min {min} max {max}"),
        Kind::Combo(words) => {
            write!(f, "option name {name} type combo default {default}")?;
            words.iter().try_for_each(|word| write!(f, " var {word}"))
        }
        Kind::Button => write!(f, "option name {name} type button"),
        Kind::File | Kind::Folders => write!(f, "option name {name} type string default {default}"),
    }
}

fn write_info(f: &mut fmt::Formatter<'_>, report: &Report, show_wdl: bool) -> fmt::Result {
    let &Report { depth, seldepth, multi_pv, score, bound, wdl, nodes, tb_hits, time, hashfull, ref pv } = report;
    write!(f, "info depth {depth}")?;
    if !pv.is_empty() {
        write!(f, " seldepth {seldepth} multipv {multi_pv}")?;
    }
    match score {
        Score::Cp(value) => write!(f, " score cp {value}")?,
        Score::Mate(moves) => write!(f, " score mate {moves}")?,
    }
    f.write_str(match bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    })?;
    if pv.is_empty() {
        return Ok(());
    }
    if show_wdl {
        let [win, draw, loss] = wdl;
        write!(f, " wdl {win} {draw} {loss}")?;
    }
    let (nps, time) = (Summary { nodes, time }.nps(), time.as_millis());
    write!(f, " nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tb_hits} time {time} pv")?;
    pv.iter().try_for_each(|mv| write!(f, " {mv}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{PieceType, Square};
    use std::time::Duration;

    fn report() -> Report {
        Report {
            depth: 12,
            seldepth: 20,
            multi_pv: 1,
            score: Score::Cp(-34),
            bound: Bound::Exact,
            wdl: [100, 500, 400],
            nodes: 5_000_000,
            tb_hits: 12,
            time: Duration::from_millis(2500),
            hashfull: 17,
            pv: vec![Move::promotion(Square::A2, Square::A1, PieceType::Warlord), Move::normal(Square::E1, Square::E2)],
        }
    }

    fn info(report: &Report, show_wdl: bool) -> String {
        Message::Info { report, show_wdl }.to_string()
    }

    #[test]
    fn a_full_line() {
        let expected = "info depth 12 seldepth 20 multipv 1 score cp -34 nodes 5000000 nps 2000000 hashfull 17 tbhits 12 \
                        time 2500 pv a2a1w e1e2";
        assert_eq!(info(&report(), false), expected);
        let expected = expected.replace(" nodes 5", " wdl 100 500 400 nodes 5");
        assert_eq!(info(&report(), true), expected);
    }

    #[test]
    fn bounds_mates_and_finished_games() {
        let line = info(&Report { bound: Bound::Lower, ..report() }, false);
        assert!(line.contains("score cp -34 lowerbound nodes"), "{line}");
        let line = info(&Report { depth: 300, bound: Bound::Upper, score: Score::Mate(-3), ..report() }, false);
        assert!(line.starts_with("info depth 300 seldepth 20 multipv 1 score mate -3 upperbound nodes"), "{line}");
        let line = info(&Report { depth: 0, score: Score::Mate(0), pv: vec![], ..report() }, true);
        assert_eq!(line, "info depth 0 score mate 0");
    }

    #[test]
    fn options() {
        let defaults = Options::default();
        let text: Vec<String> =
            Id::ALL.iter().map(|&id| Message::Option { id, defaults: &defaults }.to_string()).collect();
        for line in [
            "option name Hash type spin default 16 min 1 max 1048576",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name UCI_Variant type combo default spartan var spartan var chess var standard",
            "option name Debug Log File type string default <empty>",
        ] {
            assert!(text.iter().any(|other| other == line), "{line} is not in {text:?}");
        }
    }
}
