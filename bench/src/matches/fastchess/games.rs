//! The games in PGN, and their final positions in EPD.

use super::super::config::Limits;
use super::super::engine::Identity;
use super::super::game::{Comment, Fault, GameEnd, Record};
use super::super::schedule::Fixture;
use super::command_line::{Field, PgnSettings};
use super::output::reason;
use crate::epd::Epd;
use agoge_core::board::{Board, Variant};
use agoge_core::notation::pgn::number;
use agoge_core::types::Colour;
use agoge_core::types::score::Score;
use std::time::Duration;

/// The length of lines of moves.
const LINE: usize = 80;

/// What all games share.
#[derive(Debug)]
pub struct Writer<'a> {
    pub settings: &'a PgnSettings,
    pub event: &'a str,
    pub site: &'a str,
    pub variant: Variant,
}

/// The engine of a side.
#[derive(Clone, Copy, Debug)]
pub struct Player<'a> {
    pub name: &'a str,
    pub identity: &'a Identity,
    pub limits: &'a Limits,
}

impl Writer<'_> {
    /// Writes a game followed by an empty line. Comments are `score/depth time`, the fields asked for as `key=value`,
    /// and at the last move the reason of the result. Mates are in plies.
    pub fn pgn(&self, fixture: &Fixture, players: [Player<'_>; 2], record: &Record) -> String {
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            if !value.is_empty() {
                text += &format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""));
            }
        };
        let is_full = !self.settings.minimal;
        tag("Event", self.event);
        tag("Site", self.site);
        tag("Date", &record.begin.format("%Y.%m.%d").to_string());
        tag("Round", &(fixture.pair + 1).to_string());
        tag("White", players[0].name);
        tag("Black", players[1].name);
        tag("Result", record.result());
        if is_full {
            for (side, player) in ["White", "Black"].iter().zip(players) {
                tag(&format!("Engine{side}Name"), &player.identity.name);
                tag(&format!("Engine{side}Author"), &player.identity.author);
            }
        }
        if self.variant == Variant::Spartan {
            tag("Variant", "Spartan");
        }
        let start = &record.opening.start;
        if start.to_fen() != self.variant.start_fen() {
            tag("SetUp", "1");
            tag("FEN", &start.to_fen());
        }
        if is_full {
            let time = |time: chrono::DateTime<chrono::Utc>| time.format("%Y-%m-%dT%H:%M:%SZ").to_string();
            let seconds = record.duration.as_secs();
            let duration = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            tag("GameDuration", &duration);
            tag("GameStartTime", &time(record.begin));
            tag("GameEndTime", &time(record.begin + record.duration));
            tag("PlyCount", &(record.opening.moves.len() + record.moves.len()).to_string());
            tag("Termination", termination(&record.end));
            let limits = players.map(|player| time_control(player.limits));
            if limits[0] == limits[1] {
                tag("TimeControl", &limits[0]);
            } else {
                tag("WhiteTimeControl", &limits[0]);
                tag("BlackTimeControl", &limits[1]);
            }
        }
        text.push('\n');
        text += &self.moves(record);
        text + "\n\n"
    }

    fn moves(&self, record: &Record) -> String {
        let mut board = record.opening.start.clone();
        let mut words = Vec::new();
        let book = record.opening.moves.iter().map(|&mv| (mv, None));
        let played = record.moves.iter().map(|(mv, comment)| (*mv, Some(comment)));
        let last = record.opening.moves.len() + record.moves.len();
        for (ply, (mv, comment)) in (1..).zip(book.chain(played)) {
            let mut word = String::new();
            if board.side_to_move() == Colour::White || ply == 1 {
                word = number(&board) + " ";
            }
            word += &if self.settings.is_uci { mv.to_string() } else { board.to_san(mv) };
            if !self.settings.minimal {
                let mut comment = comment.map_or_else(|| "book".to_owned(), |comment| self.comment(comment));
                if ply == last {
                    comment += &format!(", {}", reason(record));
                }
                word += &format!(" {{{comment}}}");
            }
            words.push(word);
            board.make_move(mv);
        }
        if last == 0 && !self.settings.minimal {
            words.push(format!("{{{}}}", reason(record)));
        }
        words.push(record.result().to_owned());
        wrap(&words)
    }

    fn comment(&self, comment: &Comment) -> String {
        let info = &comment.info;
        let score = match info.score {
            None => String::new(),
            Some(Score::Cp(0)) => "0.00".to_owned(),
            Some(Score::Cp(value)) => format!("{:+.2}", f64::from(value) / 100.0),
            Some(Score::Mate(moves)) if moves > 0 => format!("+M{}", 2 * i64::from(moves) - 1),
            Some(Score::Mate(moves)) => format!("-M{}", -2 * i64::from(moves)),
        };
        let mut parts = vec![format!("{score}/{} {}", info.depth, time(comment.time))];
        let latency = || comment.time.as_secs_f64() - info.time.unwrap_or(0) as f64 / 1000.0;
        parts.extend(self.settings.fields.iter().map(|field| match field {
            Field::TimeLeft => format!("tl={}", time(comment.left.unwrap_or(Duration::ZERO))),
            Field::Latency => format!("latency={:.3}s", latency()),
            Field::Nodes => format!("n={}", info.nodes),
            Field::SelDepth => format!("sd={}", info.seldepth),
            Field::Nps => format!("nps={}", info.nps),
            Field::HashFull => format!("hashfull={}", info.hashfull),
            Field::TbHits => format!("tbhits={}", info.tb_hits),
            Field::Pv => format!("pv=\"{}\"", comment.pv),
        }));
        parts.extend(comment.lines.iter().map(|line| format!("line=\"{line}\"")));
        // A brace would end the comment.
        parts.join(", ").replace(['{', '}'], "")
    }
}

/// Breaks words into lines.
fn wrap(words: &[String]) -> String {
    let mut text = String::new();
    let mut length = 0;
    for word in words {
        if length > 0 && length + 1 + word.len() > LINE {
            text.push('\n');
            length = 0;
        } else if length > 0 {
            text.push(' ');
            length += 1;
        }
        text += word;
        length += word.len();
    }
    text
}

fn time(time: Duration) -> String {
    format!("{:.3}s", time.as_secs_f64())
}

/// The tag `Termination`.
const fn termination(end: &GameEnd) -> &'static str {
    match end {
        GameEnd::Fault { fault: Fault::IllegalMove, .. } => "illegal move",
        GameEnd::Fault { fault: Fault::Crash | Fault::Stall, .. } => "abandoned",
        _ => end.termination(),
    }
}

/// The tag `TimeControl`.
fn time_control(limits: &Limits) -> String {
    match (limits.clock, limits.movetime) {
        (Some(clock), _) => clock.to_string(),
        (None, Some(time)) => format!("{}/move", time.as_secs_f64()),
        (None, None) => "-".to_owned(),
    }
}

/// The final position of a game in EPD.
pub fn final_position(record: &Record) -> String {
    let mut board: Board = record.opening.start.clone();
    let played = record.moves.iter().map(|&(mv, _)| mv);
    record.opening.moves.iter().copied().chain(played).for_each(|mv| board.make_move(mv));
    let (clock, number) = (board.halfmove_clock(), board.fullmove_number());
    format!("{}\n", Epd::new(board).with("hmvc", clock).with("fmvn", number))
}
