//! PGN output of match games.

use super::config::EngineConfig;
use super::engine::Identity;
use super::game::{Comment, Fault, GameEnd, Record};
use super::schedule::Fixture;
use agoge_core::board::Variant;
use agoge_core::notation::pgn::Writer;
use agoge_core::types::score::Score;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Style {
    pub event: String,
    /// Whether the games have the form of fastchess, which numbers the rounds by pairs, counts mates in plies, and adds
    /// the names that the engines give themselves and the reason of the result.
    pub is_fastchess: bool,
    pub nodes: bool,
    pub seldepth: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { event: "Match".to_owned(), is_fastchess: false, nodes: false, seldepth: false }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Player<'a> {
    pub config: &'a EngineConfig,
    /// What it says about itself.
    pub identity: &'a Identity,
}

impl Style {
    /// The line with which a game begins.
    pub fn first_line(&self) -> String {
        let mut writer = Writer::default();
        writer.tag("Event", &self.event);
        writer.finish("*").lines().next().unwrap_or_default().to_owned()
    }

    /// Writes a game followed by an empty line.
    ///
    /// Each move has a comment: `{+0.35/12 0.104s}` is the score in pawns from the mover's view, the depth and the
    /// time. Mates are `+M5` and `-M4`, in moves. Moves of the opening have the comment `{book}`.
    pub fn write(&self, variant: Variant, fixture: &Fixture, players: [Player<'_>; 2], record: &Record) -> String {
        let mut writer = Writer::default();
        let mut tag = |name: &str, value: &str| writer.tag(name, value);
        tag("Event", &self.event);
        tag("Site", "?");
        tag("Date", &record.begin.format("%Y.%m.%d").to_string());
        tag("Round", &if self.is_fastchess { (fixture.pair + 1).to_string() } else { fixture.round_tag() });
        tag("White", &players[0].config.name);
        tag("Black", &players[1].config.name);
        tag("Result", record.result());
        if variant == Variant::Spartan {
            tag("Variant", "Spartan");
        }
        let start = &record.opening.start;
        if start.to_fen() != variant.start_fen() {
            tag("SetUp", "1");
            tag("FEN", &start.to_fen());
        }
        tag("UTCDate", &record.begin.format("%Y.%m.%d").to_string());
        tag("UTCTime", &record.begin.format("%H:%M:%S").to_string());
        let [white, black] = players.map(|player| player.config.limits.to_string());
        if white == black {
            tag("TimeControl", &white);
        } else {
            tag("WhiteTimeControl", &white);
            tag("BlackTimeControl", &black);
        }
        tag("PlyCount", &(record.opening.moves.len() + record.moves.len()).to_string());
        match &record.end {
            // OpenBench looks for this word.
            GameEnd::Fault { fault: Fault::IllegalMove, .. } if self.is_fastchess => tag("Termination", "illegal move"),
            end => tag("Termination", end.termination()),
        }
        if self.is_fastchess {
            for (side, Player { identity, .. }) in ["White", "Black"].iter().zip(players) {
                tag(&format!("Engine{side}Name"), &identity.name);
                tag(&format!("Engine{side}Author"), &identity.author);
            }
        } else {
            // Readers take it as a sign that mates are counted in moves.
            tag("TerminationDetails", &record.end.to_string());
        }
        writer.begin_moves();

        let mut board = start.clone();
        let book = record.opening.moves.iter().map(|&mv| (mv, "book".to_owned()));
        let played = record.moves.iter().map(|(mv, comment)| (*mv, self.comment(comment)));
        for (mv, comment) in book.chain(played) {
            writer.mv(&board, mv);
            if self.is_fastchess {
                // The lines of an engine are read as they are.
                writer.unbroken_comment(&comment);
            } else {
                writer.comment(&comment);
            }
            board.make_move(mv);
        }
        if self.is_fastchess {
            writer.unbroken_comment(&record.reason());
        }
        writer.finish(record.result())
    }

    fn comment(&self, comment: &Comment) -> String {
        let info = &comment.info;
        let mut text = match info.score {
            None => String::new(),
            Some(Score::Cp(value)) => format!("{:+.2}/{} ", f64::from(value) / 100.0, info.depth),
            Some(Score::Mate(moves)) => {
                let (sign, count) = (if moves > 0 { '+' } else { '-' }, moves.unsigned_abs());
                let plies = count.saturating_mul(2) - u32::from(moves > 0);
                format!("{sign}M{}/{} ", if self.is_fastchess { plies } else { count }, info.depth)
            }
        };
        text += &format!("{:.3}s", comment.time.as_secs_f64());
        if self.nodes {
            text += &format!(", n={}", info.nodes);
        }
        if self.seldepth {
            text += &format!(", sd={}", info.seldepth);
        }
        text.extend(comment.lines.iter().map(|line| format!(", line=\"{line}\"")));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::Info;
    use super::*;
    use std::time::Duration;

    #[test]
    fn comments() {
        let fastchess = Style { is_fastchess: true, nodes: true, seldepth: true, ..Style::default() };
        for (score, depth, own, theirs) in [
            (Some(Score::Cp(35)), 12, "+0.35/12 0.104s", "+0.35/12 0.104s, n=7, sd=9"),
            (Some(Score::Cp(-1205)), 7, "-12.05/7 0.104s", "-12.05/7 0.104s, n=7, sd=9"),
            (Some(Score::Mate(5)), 20, "+M5/20 0.104s", "+M9/20 0.104s, n=7, sd=9"),
            (Some(Score::Mate(-4)), 20, "-M4/20 0.104s", "-M8/20 0.104s, n=7, sd=9"),
            (Some(Score::Mate(i32::MIN)), 1, "-M2147483648/1 0.104s", "-M4294967295/1 0.104s, n=7, sd=9"),
            (None, 0, "0.104s", "0.104s, n=7, sd=9"),
        ] {
            let info = Info { score, depth, nodes: 7, seldepth: 9, ..Info::default() };
            let comment = Comment { info, time: Duration::from_millis(104), ..Comment::default() };
            assert_eq!((Style::default().comment(&comment), fastchess.comment(&comment)), (own.into(), theirs.into()));
        }
    }
}
