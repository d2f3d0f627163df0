//! Reads games from PGN files, such as those of OpenBench's data generation.
//!
//! Every move has a comment with the score of its search from the mover's view and the depth, as in `{+0.35/12}`, but
//! nothing tells a game that was adjudicated from one that was lost on time. So a result that does not follow from the
//! rules must agree with the last scores.

use super::transform::{Out, fingerprint};
use crate::analysis::white_view;
use crate::data::record::{GameRecord, GameResult, Header, MAX_PLIES, Ply, white_score};
use crate::outln;
use crate::terminal::{CommandResult, Error, Status, print_message, unreadable, unwritable, usage};
use agoge_core::board::{Game, Variant};
use agoge_core::notation::pgn::{ParsedGame, Reader, normal_result};
use agoge_core::types::Colour;
use agoge_core::types::score::Score;
use clap::{Args, ValueEnum};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    out: Out,
    /// The variant of games without the tag Variant; games of the other one are dropped
    #[arg(long, default_value = "spartan")]
    variant: Variant,
    /// A win that does not follow from the rules counts only if the loser's last score is at most minus this, in
    /// centipawns
    #[arg(long, default_value_t = 300, value_name = "CP")]
    win_score: u16,
    /// A draw that does not follow from the rules counts only if the last score of each side is within this, in
    /// centipawns
    #[arg(long, default_value_t = 50, value_name = "CP")]
    draw_score: u16,
    /// What M5 in a comment counts; fastchess and cutechess-cli count plies. Games with the tag TerminationDetails, as
    /// `match` writes it, count moves
    #[arg(long, default_value = "plies", value_name = "UNIT")]
    mates: MateUnit,
    /// PGN files, also compressed by Zstandard; - for standard input
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum MateUnit {
    Plies,
    Moves,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    Unfinished,
    Variant,
    Illegal,
    Fault,
    Score,
    Length,
    Rules,
    Unfounded,
    Duplicate,
}

/// The reasons after a number of games, in the order of [`Reason`].
const REASONS: [&str; 9] = [
    "without a result",
    "of another variant",
    "with an illegal move or position",
    "ended by a fault",
    "with a move without a score",
    "without moves or too long",
    "with a result against the rules",
    "with a result against the scores",
    "that occur twice",
];

/// A dropped game: the reason, and the cause for a message.
type Dropped = (Reason, String);

/// The values of the tag `Termination` of games whose result says nothing about their positions.
const FAULTS: [&str; 7] = [
    "abandoned",
    "time forfeit",
    "rules infraction",
    "illegal move",
    "stalled connection",
    "unterminated",
    "emergency",
];

impl Arguments {
    /// The record of a game, with the number 0.
    fn record(&self, game: &ParsedGame) -> Result<GameRecord, Dropped> {
        let result = GameResult::ALL.into_iter().find(|result| game.result.as_ref() == Some(&result.to_string()));
        let result = result.ok_or_else(|| (Reason::Unfinished, "it has no result".to_owned()))?;
        let tag = game.tag("Result").filter(|tag| normal_result(tag) != Some(&*result.to_string()));
        if let Some(tag) = tag {
            return Err((Reason::Unfinished, format!("the tag Result is {tag}, but the game ends with {result}")));
        }
        if let Some(end) = game.tag("Termination").filter(|end| FAULTS.contains(&end.to_ascii_lowercase().as_str())) {
            return Err((Reason::Fault, format!("its termination is '{end}'")));
        }
        if let Some(other) = game.variant().map_err(|error| (Reason::Variant, error))?
            && other != self.variant
        {
            return Err((Reason::Variant, format!("its variant is {}", other.name())));
        }
        let (start, moves) = game.replay(Some(self.variant)).map_err(|error| (Reason::Illegal, error))?;
        let unit = if game.tag("TerminationDetails").is_some() { MateUnit::Moves } else { self.mates };

        // The first moves may come from a book.
        let scores: Vec<Option<Score>> = game.moves.iter().map(|mv| score(&mv.remarks, unit)).collect();
        let first = scores.iter().position(Option::is_some).unwrap_or(scores.len());
        let start = moves[..first].iter().fold(start, |board, &mv| board.after(mv));
        let mut plies = Vec::new();
        let mut side = start.side_to_move();
        for (&mv, score) in moves[first..].iter().zip(&scores[first..]) {
            let Some(score) = *score else {
                return Err((Reason::Score, format!("move {mv} has no score")));
            };
            plies.push(Ply { mv, score: white_score(side, score) });
            side = !side;
        }
        if plies.is_empty() || plies.len() > MAX_PLIES {
            return Err((Reason::Length, format!("it has {} moves with scores", plies.len())));
        }
        let record = GameRecord { number: 0, start, plies, result };
        record.check().map_err(|error| (Reason::Rules, error))?;
        self.check_result(&record)?;
        Ok(record)
    }

    /// Checks a result that does not follow from the rules: it must agree with the last scores.
    fn check_result(&self, record: &GameRecord) -> Result<(), Dropped> {
        let mut game = Game::new(record.start.clone());
        if record.plies.iter().any(|ply| game.push(ply.mv).is_err()) || game.outcome().is_some() {
            // `GameRecord::check` has compared it.
            return Ok(());
        }
        let winner = match record.result {
            GameResult::WhiteWins => Some(Colour::White),
            GameResult::BlackWins => Some(Colour::Black),
            GameResult::Draw => None,
        };
        let mut side = game.board().side_to_move();
        // A side without a score counts as if it saw a draw.
        for score in record.plies.iter().rev().map(|ply| ply.score).chain([0]).take(2) {
            side = !side;
            let score = white_view(side, i32::from(score));
            let agrees = match winner {
                Some(winner) => side == winner || score <= -i32::from(self.win_score),
                None => score.abs() <= i32::from(self.draw_score),
            };
            if !agrees {
                let cause = format!("{}, but the last score of {side:?} is {score} centipawns", record.result);
                return Err((Reason::Unfounded, cause));
            }
        }
        Ok(())
    }

    fn header(&self) -> Header {
        const MOST: usize = 100;
        let names: Vec<String> = self.inputs.iter().take(MOST).map(|path| path.display().to_string()).collect();
        let more = self.inputs.len().saturating_sub(MOST);
        let more = if more == 0 { String::new() } else { format!(" and {more} more files") };
        let settings = format!(
            "imported from {}{more}; wins within the rules or from {}, draws within the rules or up to {}",
            names.join(", "),
            self.win_score,
            self.draw_score
        );
        Header { variant: self.variant, seed: 0, program: crate::PROGRAM.to_owned(), settings }
    }
}

/// The score in the comment of a move: `{+0.35/12 0.104s, n=5000}` or `{-M4/20}`.
fn score(remarks: &str, unit: MateUnit) -> Option<Score> {
    let comment = remarks.split_once('{')?.1.split('}').next()?;
    let words = comment.split(|letter: char| letter.is_ascii_whitespace() || letter == ',');
    words.into_iter().find_map(|word| {
        let (score, depth) = word.split_once('/')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(depth) {
            return None;
        }
        let negative = score.starts_with('-');
        let size = score.strip_prefix(['+', '-']).unwrap_or(score);
        if let Some(distance) = size.strip_prefix('M') {
            let distance: i32 = distance.parse().ok().filter(|_| digits(distance))?;
            let moves = match unit {
                MateUnit::Moves => distance,
                MateUnit::Plies if negative => distance / 2,
                MateUnit::Plies => distance / 2 + distance % 2,
            };
            return Some(Score::Mate(if negative { -moves } else { moves }));
        }
        let starts_with_digit = size.starts_with(|letter: char| letter.is_ascii_digit());
        let pawns: f64 = size.parse().ok().filter(|_| starts_with_digit)?;
        let size = (pawns * 100.0).round() as i32;
        Some(Score::Cp(if negative { -size } else { size }))
    })
}

/// The tag with which a game begins.
const EVENT: &[u8] = b"[Event ";

/// The length of the parts in which a text is read, in bytes.
const PART: usize = 16 << 20;

/// The maximum length of a text without the beginning of a game, in bytes.
const MAX_PART: usize = 64 << 20;

/// The place of the last game that begins in some bytes, but not at their start.
fn last_event(bytes: &[u8]) -> Option<usize> {
    let found = bytes.windows(EVENT.len() + 1).rposition(|window| window[0] == b'\n' && window[1..] == *EVENT)?;
    Some(found + 1)
}

const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens a file, or standard input, which may be compressed.
fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut input: Box<dyn Read> = match path {
        _ if path.as_os_str() == "-" => Box::new(io::stdin()),
        // Windows reports the opening of a directory as a denied access.
        _ if path.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        _ => Box::new(File::open(path)?),
    };
    let mut head = Vec::new();
    (&mut input).take(ZSTANDARD.len() as u64).read_to_end(&mut head)?;
    let is_compressed = head == ZSTANDARD;
    let input = Cursor::new(head).chain(input);
    Ok(if is_compressed { Box::new(zstd::Decoder::new(input)?) } else { Box::new(input) })
}

/// Reads PGN in parts that begin with a game; `visit` gets each with the number of lines before it. Returns the damage
/// that ended the input early, if any.
fn read_parts(
    input: &mut dyn Read,
    mut visit: impl FnMut(usize, &[u8]) -> Result<(), Error>,
) -> Result<Option<String>, Error> {
    let (mut bytes, mut lines) = (Vec::new(), 0);
    loop {
        let read = (&mut *input).take(PART as u64).read_to_end(&mut bytes);
        // What comes before the damage may be good.
        let ended = !matches!(read, Ok(length) if length == PART);
        let end = if ended { Some(bytes.len()) } else { last_event(&bytes) };
        if let Some(end) = end {
            visit(lines, &bytes[..end])?;
            lines += bytes[..end].iter().filter(|&&byte| byte == b'\n').count();
            bytes.drain(..end);
        } else if bytes.len() > MAX_PART {
            return Ok(Some(format!("no game begins within {} MiB", MAX_PART >> 20)));
        }
        if ended {
            return Ok(read.err().map(|error| error.to_string()));
        }
    }
}

/// Calls `visit` with each game of a part and the number of lines before the part.
fn for_each_game(
    lines: usize,
    part: &[u8],
    visit: &mut dyn FnMut(usize, &ParsedGame) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut reader = Reader::new(part);
    while let Some(game) = reader.next_game() {
        visit(lines, &game)?;
    }
    Ok(())
}

pub fn run(arguments: &Arguments) -> CommandResult {
    const SHOWN: u64 = 20;
    arguments.out.check()?;
    // Before anything is done.
    let inputs = arguments.inputs.iter().map(|path| open(path).map_err(unreadable(path)));
    let inputs = inputs.collect::<Result<Vec<_>, Error>>()?;

    let (mut seen, mut games, mut positions) = (HashSet::new(), 0u64, 0);
    let (mut dropped, mut damaged, mut damages) = ([0u64; REASONS.len()], 0u64, 0u64);
    arguments.out.create(&arguments.header(), |writer| {
        for (path, mut input) in arguments.inputs.iter().zip(inputs) {
            let name = path.display();
            let mut visit = |lines, game: &ParsedGame| {
                for warning in &game.warnings {
                    damages += 1;
                    if damages <= SHOWN {
                        print_message(&format!("{name}, line {}: {}", lines + warning.line, warning.cause));
                    }
                }
                let line = lines + game.line;
                let record = arguments.record(game).and_then(|record| {
                    let new = seen.insert(fingerprint(&record));
                    if new { Ok(record) } else { Err((Reason::Duplicate, "it is there already".to_owned())) }
                });
                match record {
                    Ok(record) => {
                        positions += record.plies.len();
                        games += 1;
                        let record = GameRecord { number: games - 1, ..record };
                        writer.push(&record).map_err(unwritable(arguments.out.path()))?;
                    }
                    Err((reason, cause)) => {
                        dropped[reason as usize] += 1;
                        if reason != Reason::Duplicate && dropped.iter().sum::<u64>() <= SHOWN {
                            print_message(&format!("{name}, line {line}: {cause}"));
                        }
                    }
                }
                Ok(())
            };
            if let Some(cause) = read_parts(&mut input, |lines, part| for_each_game(lines, part, &mut visit))? {
                damaged += 1;
                print_message(&format!("{name}: {cause}"));
            }
        }
        if games == 0 {
            return Err(usage("there is no game to import"));
        }
        Ok(())
    })?;
    let reasons = dropped.iter().zip(REASONS).filter(|(count, _)| **count > 0);
    let reasons: Vec<String> = reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
    let reasons = if reasons.is_empty() { "none".to_owned() } else { reasons.join(", ") };
    let damaged = if damaged == 0 { String::new() } else { format!("; {damaged} damaged files") };
    outln!("{games} games, {positions} positions; dropped: {reasons}{damaged}");
    Ok(Status::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_comments() {
        let plies = |text: &str| score(text, MateUnit::Plies);
        assert_eq!(plies("{+0.35/12 0.104s}"), Some(Score::Cp(35)));
        assert_eq!(plies("{-12.05/7}"), Some(Score::Cp(-1205)));
        assert_eq!(plies("{0.00/1 0s, n=5, sd=3}"), Some(Score::Cp(0)));
        assert_eq!(plies("{+M5/20}"), Some(Score::Mate(3)));
        assert_eq!(plies("{-M4/20, line=x}"), Some(Score::Mate(-2)));
        assert_eq!(plies("$1 {a note, +1.50/9}"), Some(Score::Cp(150)));
        assert_eq!(score("{+M5/20}", MateUnit::Moves), Some(Score::Mate(5)));
        assert_eq!(score("{-M4/20}", MateUnit::Moves), Some(Score::Mate(-4)));
        for text in
            ["", "{}", "{book}", "{unknown}", "{0.104s}", "{ERR/5}", "{+/5}", "{+0.35/}", "{M/3}", "{nan/3}", "{1e9/x}"]
        {
            assert_eq!(plies(text), None, "{text}");
        }
    }

    #[test]
    fn games_after_a_broken_one_are_read() {
        let game = |event: &str, moves: &str| format!("[Event \"{event}\"]\n\n{moves}\n\n");
        let text = [
            game("1", "e4 {+0.35/12} 1-0"),
            game("2", "e4 ) 1-0"),
            game("3", "d4 1-0"),
            game("4", "( d4"),
            game("5", "1/2-1/2"),
            "[Event \"6]\n\n1-0\n\n".to_owned(),
            game("7", "*"),
        ]
        .concat();
        let mut found = Vec::new();
        for_each_game(100, text.as_bytes(), &mut |lines, game| {
            found.push((lines + game.line, game.tag("Event").map(str::to_owned), game.result.is_some()));
            Ok(())
        })
        .unwrap();
        let found: Vec<(usize, &str, bool)> =
            found.iter().filter_map(|(line, event, ends)| Some((*line, event.as_deref()?, *ends))).collect();
        let (good, cut) = (true, false);
        assert_eq!(
            found,
            [
                (101, "1", good),
                (105, "2", good),
                (109, "3", good),
                (113, "4", cut),
                (117, "5", good),
                (121, "6", good),
                (125, "7", good)
            ]
        );
    }

    #[test]
    fn long_texts_are_read_in_parts() {
        let text: String =
            (0..5).map(|event| format!("[Event \"{event}\"]\n\n{}1-0\n\n", " ".repeat(7 << 20))).collect();
        let mut parts = Vec::new();
        let damage = read_parts(&mut text.as_bytes(), |lines, part| {
            parts.push((lines, part.len()));
            Ok(())
        });
        assert_eq!(damage, Ok(None));
        assert_eq!(parts.iter().map(|(_, length)| length).sum::<usize>(), text.len());
        assert!(parts.len() > 1 && parts.iter().all(|(lines, _)| lines % 4 == 0), "{parts:?}");
    }
}
