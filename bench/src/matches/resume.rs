//! Resuming a match: reads the games already played from its PGN file.

use super::config::one_line;
use super::game::{Fault, result_text};
use super::openings::Opening;
use super::schedule::Fixture;
use super::settings::Match;
use super::standings::GameResult;
use agoge_core::board::Variant;
use agoge_core::notation::pgn::{ParsedGame, Reader};
use std::collections::HashMap;

/// The games of a match found in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Played {
    pub results: Vec<GameResult>,
    /// The number of bytes to keep: up to the end of the last complete game.
    pub length: usize,
    pub is_truncated: bool,
}

/// Reads the games of a match. An incomplete game at the end of the file is ignored.
///
/// # Errors
/// If the file is damaged elsewhere, contains a game that is not part of the match or differs from it, or contains a
/// game twice.
pub fn read(bytes: &[u8], settings: &Match) -> Result<Played, String> {
    let mut fixtures: HashMap<(String, [&str; 2]), Fixture> = HashMap::new();
    for &fixture in &settings.schedule {
        let names = fixture.engines.map(|engine| settings.engines[engine].name.as_str());
        fixtures.insert((fixture.round_tag(), names), fixture);
    }
    let mut played = Played::default();
    let mut reader = Reader::new(bytes);
    while let Some(game) = reader.next_game() {
        match game {
            // `1/2` is a result that is cut off.
            game if game.result.as_ref().is_some_and(|result| bytes[..game.end].ends_with(result.as_bytes()))
                && game.warnings.iter().all(|warning| !warning.cut) =>
            {
                let place = |error| format!("game at line {}: {error}", game.line);
                played.results.push(result(&game, settings, &mut fixtures).map_err(place)?);
                played.length = game.end;
            }
            incomplete => {
                // If another game follows, this is not the end of an interrupted write.
                let tail = &bytes[played.length..];
                if !may_be_cut_off(tail, &settings.style.first_line()) {
                    return Err(format!("the text after {} games is not a game of this match", played.results.len()));
                }
                let begins = tail.windows(8).filter(|window| window == b"\n[Event ").count();
                let first = usize::from(tail.starts_with(b"[Event "));
                if begins + first > 1 {
                    return Err(match incomplete.warnings.first() {
                        Some(damage) if !damage.is_end() => damage.to_string(),
                        _ => "a game without a result is not the last one".to_owned(),
                    });
                }
                played.is_truncated = true;
                break;
            }
        }
    }
    Ok(played)
}

/// Whether a text is the beginning of a game of the match, or the zeros that a power failure leaves.
fn may_be_cut_off(text: &[u8], begin: &str) -> bool {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let text = &text[text.iter().take_while(|byte| is_blank(byte)).count()..];
    text.starts_with(begin.as_bytes()) || begin.as_bytes().starts_with(text)
}

fn result<'a>(
    game: &ParsedGame,
    settings: &'a Match,
    fixtures: &mut HashMap<(String, [&'a str; 2]), Fixture>,
) -> Result<GameResult, String> {
    let tag = |name: &str| game.tag(name).ok_or_else(|| format!("the tag {name} is missing"));
    let (round, white, black) = (tag("Round")?, tag("White")?, tag("Black")?);
    let known = |name: &str| {
        let name = one_line(name);
        settings.engines.iter().map(|engine| engine.name.as_str()).find(|&known| known == name)
    };
    let players = known(white).zip(known(black));
    let fixture = players.and_then(|(white, black)| fixtures.remove(&(round.to_owned(), [white, black])));
    let fixture = fixture.ok_or_else(|| {
        format!("round {round}, {white} - {black}: the match has no such game, or the file contains it twice")
    })?;

    let limits = fixture.engines.map(|engine| settings.engines[engine].limits.to_string());
    let found = match game.tag("TimeControl") {
        Some(both) => [both, both],
        None => [tag("WhiteTimeControl")?, tag("BlackTimeControl")?],
    };
    if found != limits {
        return Err(format!(
            "the time control is {} - {} instead of {} - {}",
            found[0], found[1], limits[0], limits[1]
        ));
    }
    check_opening(game, settings.opening(&fixture), settings.variant())?;

    let plies: usize = tag("PlyCount")?.parse().map_err(|_| "PlyCount is not a number")?;
    if plies != game.moves.len() {
        return Err(format!("it has {} plies, but PlyCount is {plies}", game.moves.len()));
    }
    let text = tag("Result")?;
    let half_points = (0..3).find(|&half_points| result_text(half_points) == text);
    let half_points = half_points.filter(|_| game.result.as_deref() == Some(text));
    let half_points = half_points.ok_or("the tag Result is not the result of the game")?;
    let fault = Fault::from_termination(tag("Termination")?);
    Ok(GameResult { fixture, half_points, fault })
}

/// Checks that a game starts with its opening.
fn check_opening(game: &ParsedGame, opening: &Opening, variant: Variant) -> Result<(), String> {
    let mut board = opening.start.clone();
    let mut same =
        game.tag("FEN").unwrap_or(variant.start_fen()) == board.to_fen() && game.moves.len() >= opening.moves.len();
    for (&mv, written) in opening.moves.iter().zip(&game.moves) {
        same &= board.parse_san(&written.san) == Ok(mv);
        board.make_move(mv);
    }
    if same { Ok(()) } else { Err("its opening differs from that of the match".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::super::config::{EngineConfig, Limits, TimeControl};
    use super::super::engine::Identity;
    use super::super::game::{Comment, GameEnd, Record};
    use super::super::pgn::Player;
    use super::super::schedule::{Format, schedule};
    use super::*;
    use agoge_core::board::Outcome;
    use agoge_core::types::Colour;
    use chrono::DateTime;
    use std::time::Duration;

    /// A match of four games and their PGN texts.
    fn example() -> (Match, Vec<String>) {
        let engine = |name, limits| EngineConfig { limits, ..EngineConfig::new(name, "x".into()) };
        let clock = TimeControl::parse("1+0.01").ok();
        let settings = Match {
            engines: vec![
                engine("new \"x\"", Limits { clock, ..Limits::default() }),
                engine("old", Limits { nodes: Some(500), ..Limits::default() }),
            ],
            openings: super::super::openings::random(Variant::Spartan, 4, 1, 2),
            schedule: schedule(Format::RoundRobin, 2, 2, 2),
            ..Match::default()
        };
        let write = |fixture: &Fixture| {
            let opening = settings.opening(fixture).clone();
            let game = opening.game().expect("a legal opening");
            let details = "a } \" \\ detail".to_owned();
            let record = Record {
                moves: vec![(game.board().legal_moves()[0], Comment::default())],
                end: match fixture.number {
                    0 => GameEnd::Rules(Outcome::Stalemate),
                    1 => GameEnd::Fault { loser: Colour::Black, fault: Fault::Stall, details },
                    2 => GameEnd::Fault { loser: Colour::White, fault: Fault::TimeLoss, details },
                    _ => GameEnd::AdjudicatedWin { winner: Colour::White },
                },
                opening,
                overrun: Duration::ZERO,
                has_unasked_moves: [false; 2],
                begin: DateTime::UNIX_EPOCH,
            };
            let identity = Identity::default();
            let players =
                fixture.engines.map(|engine| Player { config: &settings.engines[engine], identity: &identity });
            settings.style.write(Variant::Spartan, fixture, players, &record)
        };
        let texts = settings.schedule.iter().map(write).collect();
        (settings, texts)
    }

    #[test]
    fn written_games_are_read() {
        let (settings, texts) = example();
        let text = texts.concat();
        let played = read(text.as_bytes(), &settings).expect("a good file");
        assert_eq!(played.results.iter().map(|result| result.fixture).collect::<Vec<_>>(), settings.schedule);
        assert_eq!(played.results.iter().map(|result| result.half_points).collect::<Vec<_>>(), [1, 2, 0, 2]);
        let faults: Vec<_> = played.results.iter().map(|result| result.fault).collect();
        let expected = [None, Some(Fault::Stall), Some(Fault::TimeLoss), None];
        assert_eq!(faults, expected);
        assert_eq!((played.length, played.is_truncated), (text.trim_end().len(), false));
        assert_eq!(read(b"", &settings), Ok(Played::default()));
    }

    #[test]
    fn other_texts_are_no_incomplete_games() {
        let (settings, texts) = example();
        let unfinished = "[Event \"Casual\"]\n[White \"Ann\"]\n\n1. e4 Hbd5\n";
        for other in ["precious", "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\n", unfinished] {
            assert!(read(other.as_bytes(), &settings).is_err(), "{other}");
            assert!(read((texts[0].clone() + other).as_bytes(), &settings).is_err(), "{other}");
        }
    }

    #[test]
    fn a_file_may_be_truncated_anywhere() {
        let (settings, texts) = example();
        let text = texts[..2].concat();
        let first = texts[0].trim_end().len();
        for end in 0..text.len() {
            let played = read(&text.as_bytes()[..end], &settings).expect("an incomplete game is no error");
            let whole = usize::from(end >= first) + usize::from(end >= text.trim_end().len());
            assert_eq!(played.results.len(), whole, "{end}");
            assert_eq!(played.length, [0, first, text.trim_end().len()][whole]);
            if played.is_truncated {
                assert!(text[played.length..end].contains('['));
            }
            // As after a power failure. Behind a result without a line break it is open whether the game counts.
            for zeros in [1, 5000].into_iter().filter(|_| text[..end].ends_with('\n')) {
                let torn = [&text.as_bytes()[..end], &vec![0; zeros]].concat();
                let torn = read(&torn, &settings).expect("an incomplete game is no error");
                assert_eq!((torn.results, torn.length), (played.results.clone(), played.length), "{end}");
            }
        }
    }

    #[test]
    fn a_different_match_is_rejected() {
        let (settings, texts) = example();
        let refused = |text: &str| read(text.as_bytes(), &settings).expect_err("not this match");
        let game = &texts[0];
        assert!(refused(&game.repeat(2)).contains("twice"));
        assert!(refused(&game.replace("Round \"1.1\"", "Round \"9.1\"")).contains("no such game"));
        assert!(refused(&game.replace("\"old\"", "\"older\"")).contains("no such game"));
        assert!(refused(&game.replace("nodes=500", "nodes=600")).contains("time control"));
        assert!(refused(&game.replace("Round \"1.1\"", "Round \"2.1\"")).contains("opening"));
        assert!(refused(&game.replace("PlyCount \"5\"", "PlyCount \"6\"")).contains("PlyCount"));
        assert!(refused(&game.replace("[Result \"1/2-1/2\"]", "[Result \"1-0\"]")).contains("Result"));
        let incomplete = &game[..game.len() / 2];
        assert!(read(format!("{incomplete}\n\n{}", texts[1]).as_bytes(), &settings).is_err());
    }
}
