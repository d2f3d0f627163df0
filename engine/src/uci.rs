//! vampirc-uci (version 0.11) at the border of UCI: its grammar reads the commands without free text and numbers, and
//! its types write what they can say. The engine's own parser and messages do the rest, because the crate
//!
//! - does not know Spartan pieces: it cannot read or write a promotion to one, nor `bestmove (none)`;
//! - silently cuts a list of moves at the first one that it cannot read;
//! - panics on blanks after the last number and on numbers out of range;
//! - has no depth above 255 and no mate in more than 127, and writes `currmovenumber` as `currmovenum`;
//! - takes times in the types of another crate, which it does not re-export.

use agoge_core::bench::Summary;
use agoge_core::options::{Id, Kind, Options};
use agoge_core::search::{Bound, Report};
use agoge_core::text::split_word;
use agoge_core::types::score::Score;
use agoge_core::types::{Move, PieceType, Square};
use agoge_core::uci::{self, Command, Message};
use vampirc_uci::{
    UciInfoAttribute as Attribute, UciMessage, UciMove, UciOptionConfig, UciPiece, UciSquare, parse_strict,
};

/// The maximum length of a line passed to vampirc-uci, in bytes.
const MAX_FIXED: usize = 256;

/// Commands with free text or numbers.
const FREE: [&str; 6] = ["position", "go", "setoption", "info", "option", "id"];

/// Parses a line.
///
/// # Errors
/// If the line is invalid; the error is a message for the user.
pub fn parse(line: &str) -> Result<Command, String> {
    read_fixed(line).map_or_else(|| uci::parse(line), Ok)
}

/// The command on a line that vampirc-uci reads completely and safely.
fn read_fixed(line: &str) -> Option<Command> {
    let line = line.trim_ascii();
    if line.len() > MAX_FIXED || FREE.iter().any(|word| split_word(line).0.eq_ignore_ascii_case(word)) {
        return None;
    }
    // A carriage return begins another message.
    match parse_strict(line).ok()?.as_slice() {
        [UciMessage::Uci] => Some(Command::Uci),
        [UciMessage::IsReady] => Some(Command::IsReady),
        [UciMessage::UciNewGame] => Some(Command::NewGame),
        [UciMessage::Stop] => Some(Command::Stop),
        [UciMessage::PonderHit] => Some(Command::PonderHit),
        [UciMessage::Quit] => Some(Command::Quit),
        [UciMessage::Debug(on)] => Some(Command::Debug(*on)),
        [UciMessage::Register { .. }] => Some(Command::Register),
        _ => None,
    }
}

/// The text of a message.
pub fn write(message: &Message) -> String {
    to_vampirc(message).map_or_else(|| message.to_string(), |message| message.to_string())
}

fn to_vampirc(message: &Message) -> Option<UciMessage> {
    Some(match message {
        Message::Name(name) => UciMessage::id_name(name),
        Message::Author(author) => UciMessage::id_author(author),
        Message::Option { id, defaults } => UciMessage::Option(option(*id, defaults)),
        Message::UciOk => UciMessage::UciOk,
        Message::ReadyOk => UciMessage::ReadyOk,
        Message::Info { report, show_wdl } => UciMessage::Info(info(report, *show_wdl)?),
        Message::CurrentMove { depth, mv, number } => UciMessage::Info(vec![
            Attribute::Depth(u8::try_from(*depth).ok()?),
            Attribute::CurrMove(to_move(*mv)?),
            named("currmovenumber", &number.to_string()),
        ]),
        Message::BestMove { best, ponder } => {
            let ponder = ponder.map_or(Some(None), |ponder| to_move(ponder).map(Some))?;
            UciMessage::BestMove { best_move: to_move((*best)?)?, ponder }
        }
    })
}

fn option(id: Id, defaults: &Options) -> UciOptionConfig {
    let (name, default) = (id.name().to_owned(), defaults.text(id));
    match id.kind() {
        Kind::Check => UciOptionConfig::Check { name, default: default.parse().ok() },
        Kind::Spin(min, max) => {
            UciOptionConfig::Spin { name, default: default.parse().ok(), min: Some(min.into()), max: Some(max.into()) }
        }
        Kind::Combo(words) => {
            let var = words.iter().map(|&word| word.to_owned()).collect();
            UciOptionConfig::Combo { name, default: Some(default), var }
        }
        Kind::Button => UciOptionConfig::Button { name },
        Kind::File | Kind::Folders => UciOptionConfig::String { name, default: Some(default) },
    }
}

fn info(report: &Report, show_wdl: bool) -> Option<Vec<Attribute>> {
    let mut attributes = vec![Attribute::Depth(u8::try_from(report.depth).ok()?)];
    if report.pv.is_empty() {
        attributes.push(score(report)?);
        return Some(attributes);
    }
    attributes.push(Attribute::SelDepth(u8::try_from(report.seldepth).ok()?));
    attributes.push(Attribute::MultiPv(u16::try_from(report.multi_pv).ok()?));
    attributes.push(score(report)?);
    if show_wdl {
        let [win, draw, loss] = report.wdl;
        attributes.push(named("wdl", &format!("{win} {draw} {loss}")));
    }
    attributes.push(Attribute::Nodes(report.nodes));
    attributes.push(Attribute::Nps(Summary { nodes: report.nodes, time: report.time }.nps()));
    attributes.push(Attribute::HashFull(u16::try_from(report.hashfull).ok()?));
    attributes.push(Attribute::TbHits(report.tb_hits));
    attributes.push(named("time", &report.time.as_millis().to_string()));
    attributes.push(Attribute::Pv(report.pv.iter().map(|&mv| to_move(mv)).collect::<Option<_>>()?));
    Some(attributes)
}

fn named(name: &str, value: &str) -> Attribute {
    Attribute::Any(name.to_owned(), value.to_owned())
}

fn score(report: &Report) -> Option<Attribute> {
    let (cp, mate) = match report.score {
        Score::Cp(value) => (Some(value), None),
        Score::Mate(moves) => (None, Some(i8::try_from(moves).ok()?)),
    };
    // The crate prints a bound for any `Some`, even `Some(false)`.
    let lower_bound = (report.bound == Bound::Lower).then_some(true);
    let upper_bound = (report.bound == Bound::Upper).then_some(true);
    Some(Attribute::Score { cp, mate, lower_bound, upper_bound })
}

fn to_move(mv: Move) -> Option<UciMove> {
    let promotion = match mv.promoted() {
        None => None,
        Some(PieceType::Knight) => Some(UciPiece::Knight),
        Some(PieceType::Bishop) => Some(UciPiece::Bishop),
        Some(PieceType::Rook) => Some(UciPiece::Rook),
        Some(PieceType::Queen) => Some(UciPiece::Queen),
        Some(PieceType::King) => Some(UciPiece::King),
        Some(_) => return None,
    };
    let square = |square: Square| UciSquare::from(square.file().letter(), square.rank().index() as u8 + 1);
    Some(UciMove { from: square(mv.from()), to: square(mv.to()), promotion })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    /// Words of UCI, some of them complete commands, and some that are none.
    const WORDS: &str = "uci UCI debug on off isready IsReady register later name code codex ucinewgame stop now ponderhit \
                         quit uciok bestmove e2e4 infox \r é \0";

    #[test]
    fn fixed_commands_are_read() {
        for line in [
            "uci",
            " isready ",
            "UCINEWGAME",
            "stop\t",
            "ponderhit",
            "quit\r",
            "debug on",
            "debug  OFF",
            "register later",
            "register name a b code 1 2",
        ] {
            assert!(read_fixed(line).is_some(), "{line}");
            assert_eq!(read_fixed(line), uci::parse(line).ok(), "{line}");
        }
    }

    /// Lines at which the crate panics, or which it reads in part.
    #[test]
    fn other_lines_are_left_to_the_engine() {
        for line in [
            "go depth 999",
            "go movetime 1 ",
            "GO mate 300",
            "info depth 256",
            "option name x type spin default 99999999999999999999",
            "position startpos moves a2a1w",
            "setoption name valued value 1",
            "stop\rquit",
            "stop now",
            "",
            &format!("register name {} code 1", "x".repeat(300)),
        ] {
            assert_eq!(read_fixed(line), None, "{line}");
            let _ = parse(line);
        }
    }

    fn moves() -> impl Strategy<Value = Move> {
        any::<u16>().prop_filter_map("a move", Move::from_bits)
    }

    fn reports() -> impl Strategy<Value = Report> {
        let score = prop_oneof![any::<i32>().prop_map(Score::Cp), (-300..300).prop_map(Score::Mate)];
        let bound = prop::sample::select(vec![Bound::Upper, Bound::Lower, Bound::Exact]);
        let numbers = (0..300u32, 0..300u32, 1..300usize, any::<[u32; 3]>(), any::<[u32; 3]>());
        (numbers, score, bound, prop::collection::vec(moves(), 0..4)).prop_map(|(numbers, score, bound, pv)| {
            let (depth, seldepth, multi_pv, wdl, [nodes, time, hashfull]) = numbers;
            let time = Duration::from_millis(time.into());
            let (nodes, tb_hits) = (nodes.into(), nodes.into());
            Report { depth, seldepth, multi_pv, score, bound, wdl, nodes, tb_hits, time, hashfull, pv }
        })
    }

    /// Words of UCI with any blanks, or any text.
    fn lines() -> impl Strategy<Value = String> {
        let words = prop::collection::vec(prop::sample::select(WORDS.split(' ').collect::<Vec<_>>()), 0..6);
        prop_oneof![(words, "[ \t]{1,3}").prop_map(|(words, blank)| words.join(&blank)), ".{0,40}"]
    }

    proptest! {
        #[test]
        fn both_parsers_agree(line in lines()) {
            if let Some(command) = read_fixed(&line) {
                prop_assert_eq!(uci::parse(&line), Ok(command));
            }
        }

        #[test]
        fn both_write_equal_lines(report in reports(), show_wdl: bool, best in moves(), ponder in prop::option::of(moves())) {
            let current = Message::CurrentMove { depth: report.depth, mv: best, number: report.multi_pv };
            let best = Message::BestMove { best: Some(best), ponder };
            for message in [Message::Info { report: &report, show_wdl }, current, best] {
                prop_assert_eq!(write(&message), message.to_string());
            }
        }
    }

    #[test]
    fn simple_messages_are_written_by_the_crate() {
        let defaults = Options::default();
        let options = Id::ALL.iter().map(|&id| Message::Option { id, defaults: &defaults });
        let others = [Message::Name("a"), Message::Author("b c"), Message::UciOk, Message::ReadyOk];
        for message in options.chain(others) {
            assert_eq!(to_vampirc(&message).map(|message| message.to_string()), Some(message.to_string()));
        }
        let none = Message::BestMove { best: None, ponder: None };
        assert_eq!((to_vampirc(&none), write(&none)), (None, "bestmove (none)".to_owned()));
    }
}
