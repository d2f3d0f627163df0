//! PGN output of match games.

use super::game::{Comment, Record};
use super::schedule::Fixture;
use agoge_core::board::Variant;
use agoge_core::notation::pgn::Writer;
use agoge_core::types::score::Score;
use std::fmt;

/// The tags shared by all games of a match.
#[derive(Clone, Debug)]
pub struct Headings {
    /// The tag `Event`.
    pub event: String,
    /// The variant.
    pub variant: Variant,
}

/// Writes a game followed by an empty line.
///
/// Each move has a comment: `{+0.35/12 0.104s}` is the score in pawns from the mover's view, the depth and the time.
/// Mates are `+M5` and `-M4`, in moves. Moves of the opening have the comment `{book}`.
pub fn write(headings: &Headings, fixture: &Fixture, names: [&str; 2], limits: [&str; 2], record: &Record) -> String {
    let mut writer = Writer::default();
    let mut tag = |name: &str, value: &str| writer.tag(name, value);
    let result = record.result();
    tag("Event", &headings.event);
    tag("Site", "?");
    tag("Date", &record.begin.format("%Y.%m.%d").to_string());
    tag("Round", &fixture.round_tag());
    tag("White", names[0]);
    tag("Black", names[1]);
    tag("Result", result);
    if headings.variant == Variant::Spartan {
        tag("Variant", "Spartan");
    }
    let start = &record.opening.start;
    if start.to_fen() != headings.variant.start_fen() {
        tag("SetUp", "1");
        tag("FEN", &start.to_fen());
    }
    tag("UTCDate", &record.begin.format("%Y.%m.%d").to_string());
    tag("UTCTime", &record.begin.format("%H:%M:%S").to_string());
    if limits[0] == limits[1] {
        tag("TimeControl", limits[0]);
    } else {
        tag("WhiteTimeControl", limits[0]);
        tag("BlackTimeControl", limits[1]);
    }
    tag("PlyCount", &(record.opening.moves.len() + record.moves.len()).to_string());
    tag("Termination", record.end.termination());
    tag("TerminationDetails", &record.end.to_string());
    writer.begin_moves();

    let mut board = start.clone();
    let book = record.opening.moves.iter().map(|&mv| (mv, None));
    let played = record.moves.iter().map(|(mv, comment)| (*mv, Some(comment)));
    for (mv, comment) in book.chain(played) {
        writer.mv(&board, mv);
        writer.comment(&comment.map_or_else(|| "book".to_owned(), ToString::to_string));
        board.make_move(mv);
    }
    writer.finish(result)
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(score) = self.info.score {
            match score {
                Score::Cp(value) => write!(f, "{:+.2}", f64::from(value) / 100.0)?,
                Score::Mate(moves) => write!(f, "{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs())?,
            }
            write!(f, "/{} ", self.info.depth)?;
        }
        write!(f, "{:.3}s", self.time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::Info;
    use super::*;
    use std::time::Duration;

    #[test]
    fn comments() {
        let shown = |score, depth| {
            let info = Info { score, depth, ..Info::default() };
            Comment { info, time: Duration::from_millis(104), ..Comment::default() }.to_string()
        };
        assert_eq!(shown(Some(Score::Cp(35)), 12), "+0.35/12 0.104s");
        assert_eq!(shown(Some(Score::Cp(-1205)), 7), "-12.05/7 0.104s");
        assert_eq!(shown(Some(Score::Mate(5)), 20), "+M5/20 0.104s");
        assert_eq!(shown(Some(Score::Mate(-4)), 20), "-M4/20 0.104s");
        assert_eq!(shown(None, 0), "0.104s");
    }
}
