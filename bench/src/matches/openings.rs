//! Openings: positions or lines from a file, or random moves.

use crate::epd::{Epd, Parsed};
use crate::rng::Rng;
use crate::terminal::{self, print_message};
use agoge_core::board::{Board, Game, Variant};
use agoge_core::notation::pgn::{self, Warning};
use agoge_core::types::Move;
use std::collections::HashSet;
use std::path::Path;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    pub start: Board,
    /// The moves played before the engines take over.
    pub moves: Vec<Move>,
}

impl Opening {
    pub const fn position(start: Board) -> Self {
        Self { start, moves: Vec::new() }
    }

    /// The game after the opening moves.
    ///
    /// # Errors
    /// If a move is illegal or the game is over.
    pub fn game(&self) -> Result<Game, String> {
        let mut game = Game::new(self.start.clone());
        for &mv in &self.moves {
            game.push(mv).map_err(|error| format!("{mv}: {error}"))?;
        }
        match game.outcome() {
            Some(outcome) => Err(format!("the game is over: {outcome}")),
            None => Ok(game),
        }
    }
}

/// Reads a file of openings: PGN if its name ends in `.pgn`, otherwise one FEN or EPD per line. At most `plies` plies
/// of each PGN game are used.
///
/// # Errors
/// If the file cannot be read or has no openings. Invalid lines of EPD are skipped, and a damaged PGN game is used as
/// far as it can be read, each with a message.
pub fn read(path: &Path, variant: Variant, plies: Option<usize>) -> Result<Vec<Opening>, String> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    let is_pgn = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    let openings = if is_pgn {
        let (openings, warnings) = from_pgn(&bytes, variant, plies);
        warnings.iter().for_each(|warning| print_message(&format!("{name}, {warning}")));
        openings
    } else {
        let (openings, skipped) = from_epd(&bytes, path, variant)?;
        terminal::warn(&skipped);
        openings
    };
    if openings.is_empty() { Err(format!("{name}: no opening")) } else { Ok(openings) }
}

/// Parses lines of FEN or EPD, see [`Epd`]. Also returns a message for each line that cannot be used; only these are an
/// error.
fn from_epd(bytes: &[u8], path: &Path, variant: Variant) -> Result<(Vec<Opening>, Vec<String>), String> {
    let Parsed { positions, mut errors } = Epd::parse_file(bytes, variant).named(path)?;
    let mut openings = Vec::with_capacity(positions.len());
    for (number, epd) in positions {
        let opening = Opening::position(epd.board);
        match opening.game() {
            Ok(_) => openings.push(opening),
            Err(error) => errors.push(format!("{}, line {number}: {error}", path.display())),
        }
    }
    if openings.is_empty() && !errors.is_empty() { Err(errors.swap_remove(0)) } else { Ok((openings, errors)) }
}

/// Parses the main lines of PGN games, each up to its first illegal move. Also returns what is damaged.
fn from_pgn(bytes: &[u8], variant: Variant, plies: Option<usize>) -> (Vec<Opening>, Vec<Warning>) {
    let (mut openings, mut warnings) = (Vec::new(), Vec::new());
    let mut reader = pgn::Reader::new(bytes);
    while let Some(game) = reader.next_game() {
        let opening = opening_of_game(&game, variant, plies);
        // The moves of an opening need no result.
        warnings.extend(game.warnings.into_iter().filter(|warning| !warning.is_end()));
        match opening {
            Ok((opening, end)) => {
                openings.push(opening);
                warnings.extend(end);
            }
            Err(cause) => warnings.push(Warning { line: game.line, cause: format!("{cause}; skipped"), cut: true }),
        }
    }
    (openings, warnings)
}

fn opening_of_game(
    game: &pgn::ParsedGame,
    variant: Variant,
    plies: Option<usize>,
) -> Result<(Opening, Option<Warning>), String> {
    let start = game.start(variant)?;
    let (moves, end) = game.legal_line(&start, plies.unwrap_or(usize::MAX));
    match end {
        Some(end) if moves.is_empty() => return Err(end.cause),
        _ => {}
    }
    let opening = Opening { start, moves };
    opening.game()?;
    Ok((opening, end))
}

/// Openings of `plies` random moves from the initial position, all different if there are enough.
pub fn random(variant: Variant, plies: usize, seed: u64, count: usize) -> Vec<Opening> {
    let mut rng = Rng::new(seed);
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    // Few plies give few different positions, which then repeat.
    const MAX_REPEATS: usize = 1000;
    let mut repeats = 0;
    while openings.len() < count {
        let mut game = Game::start(variant);
        let mut moves = Vec::with_capacity(plies);
        for _ in 0..plies {
            let legal = game.board().legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[rng.below(legal.len())];
            if game.push(mv).is_err() {
                break;
            }
            moves.push(mv);
        }
        if moves.len() < plies || game.outcome().is_some() {
            continue;
        }
        let is_new = seen.insert(game.board().key());
        if is_new || repeats >= MAX_REPEATS {
            openings.push(Opening { start: Board::start(variant), moves });
        }
        if repeats < MAX_REPEATS {
            // Not compared with `count`: more openings begin with the same ones.
            repeats = if is_new { 0 } else { repeats + 1 };
        }
    }
    openings
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -";

    #[test]
    fn epd_lines() {
        let fen_of_epd = |line: &str| {
            let epd = Epd::parse(line, Variant::Spartan).expect("a good line");
            epd.expect("a position").board.to_fen()
        };
        let start = Variant::Spartan.start_fen();
        assert_eq!(fen_of_epd(start), start);
        assert_eq!(fen_of_epd(START), start);
        assert_eq!(fen_of_epd(&format!("{START} bm e4; id \"a\";")), start);
        assert_eq!(fen_of_epd(&format!("{START} 3 9; bm e4;")), format!("{START} 3 9"));
        assert_eq!(fen_of_epd(&format!("{START} hmvc 3; fmvn 9;")), format!("{START} 3 9"));
        assert_eq!(fen_of_epd(&format!("{START}; ce 12;")), start);
        let read = |text: &[u8]| from_epd(text, Path::new("a.epd"), Variant::Spartan);
        let text = format!("\u{feff}# openings\n\n{START} # the start\r\n{START} 0 1; ce 3;\n");
        let latin1 = [text.as_bytes(), b"# Gr\xfcnfeld\n"].concat();
        for text in [text.as_bytes(), &latin1] {
            assert_eq!(read(text).map(|(openings, skipped)| (openings.len(), skipped)), Ok((2, Vec::new())));
        }
        for bad in
            ["x", "8/8", "8/8/8/8/8/8/8/8 w - -", "k7/8/8/8/8/8/8/K7 w - -", START.split(' ').next().unwrap_or("")]
        {
            let (openings, skipped) = read(format!("{START}\n{bad}\n{START}\n").as_bytes()).expect(bad);
            assert_eq!((openings.len(), skipped.len()), (2, 1), "{skipped:?}");
            assert!(skipped[0].starts_with("a.epd, line 2: "), "{skipped:?}");
            let error = read(format!("{bad}\n").as_bytes()).expect_err(bad);
            assert!(error.starts_with("a.epd, line 1: "), "{error}");
        }
        let chess = read(Variant::Chess.start_fen().as_bytes()).expect_err("another variant");
        assert!(chess.contains("a position of chess, not of spartan"), "{chess}");
    }

    #[test]
    fn pgn_lines() {
        let text = b"[Event \"?\"]\n\n1. e4 Hfd5 2. Nf3 (2. d4) { x } Lc6 *\n\n1. d4 1/2-1/2\n";
        let openings = from_pgn(text, Variant::Spartan, None).0;
        assert_eq!(openings.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(), [4, 1]);
        let openings = from_pgn(text, Variant::Spartan, Some(2)).0;
        assert_eq!(openings[0].moves.len(), 2);
        // A damaged game costs only its own rest.
        let text =
            b"1. e4 Ke5 2. d4 *\n\n[Event \"?\"]\n[FEN \"8/8 w\"]\n\n*\n\n1. Ke5 *\n\n[Event \"?\"]\n\n1. d4 {cut";
        let (openings, warnings) = from_pgn(text, Variant::Spartan, None);
        assert_eq!(openings.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(warnings.iter().map(|warning| warning.line).collect::<Vec<_>>(), [1, 3, 8, 12], "{warnings:?}");
    }

    #[test]
    fn random_openings_depend_on_the_seed() {
        let openings = random(Variant::Spartan, 6, 1, 50);
        assert_eq!(openings.len(), 50);
        assert!(openings.iter().all(|opening| opening.moves.len() == 6 && opening.game().is_ok()));
        let keys: HashSet<_> = openings.iter().filter_map(|opening| Some(opening.game().ok()?.board().key())).collect();
        assert_eq!(keys.len(), 50);
        assert_eq!(random(Variant::Spartan, 6, 1, 50), openings);
        assert_ne!(random(Variant::Spartan, 6, 2, 50), openings);
        // There are few positions after one ply, and one after none.
        let one_ply = random(Variant::Spartan, 1, 1, 50);
        assert_eq!(one_ply.len(), 50);
        let longer = random(Variant::Spartan, 1, 1, 400);
        assert_eq!(longer[..50], one_ply, "a longer match begins with the same openings");
        assert_eq!(random(Variant::Chess, 0, 1, 3).len(), 3);
    }
}
