//! Shared by the integration tests: the files of `positions/`, reproducible random positions, clients for both
//! protocols, and a second implementation of the rules.
#![allow(dead_code)]

pub mod cecp;
pub mod mailbox;
pub mod uci;

use agoge_core::board::{Board, Game, Setup, Variant};
use agoge_core::rng::Rng;
use agoge_core::types::{CastlingRights, Colour, Piece};
use std::path::PathBuf;
use tempfile::NamedTempFile;

pub const START: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
pub const CHESS_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// 1.g4 Wf6 2.f3 Wh4#, for `position`.
pub const FOOLS_MATE: &str = "startpos moves g2g4 g8f6 f2f3 f6h4";

/// A file with some content, deleted when dropped.
pub fn temporary_file(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a temporary file");
    std::fs::write(&file, bytes).expect("a file");
    file
}

/// The number of cases of a test that would take minutes in full. They are all tested if the variable
/// `AGOGE_FULL_TESTS` is set, as `.ci/run` does.
pub fn cases(all: usize, sample: usize) -> usize {
    if std::env::var_os("AGOGE_FULL_TESTS").is_some() { all } else { sample }
}

/// The text of a file in `positions/`.
pub fn positions_file(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "positions", name].iter().collect();
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a file in `positions/` that are neither empty nor comments, each with its line number from 1.
pub fn positions_lines(name: &str) -> Vec<(usize, String)> {
    let text = positions_file(name);
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.to_string()));
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')).collect()
}

/// The FENs of the bench positions.
pub fn bench_positions() -> Vec<String> {
    agoge_core::bench::positions().map(str::to_owned).collect()
}

/// Makes moves in coordinate notation, separated by blanks; panics if one is illegal.
pub fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = game.board().parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        game.push(mv).expect("a legal move");
    }
}

/// A line of an EPD file: a FEN of four or six fields and operations, separated by semicolons.
#[derive(Clone, Debug)]
pub struct Epd {
    /// The file and line number, for messages.
    pub place: String,
    /// The FEN.
    pub fen: String,
    /// The operations in order, each as name and operand.
    pub operations: Vec<(String, String)>,
    /// The text after `#`.
    pub comment: String,
}

impl Epd {
    /// Reads a line.
    pub fn parse(place: String, line: &str) -> Self {
        let (line, comment) = line.split_once('#').unwrap_or((line, ""));
        let mut parts = line.split(';').map(str::trim);
        let fen = parts.next().unwrap_or_default().to_string();
        let operations = parts
            .filter(|part| !part.is_empty())
            .map(|part| {
                let (name, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
                (name.to_string(), rest.trim().to_string())
            })
            .collect();
        Self { place, fen, operations, comment: comment.trim().to_string() }
    }

    /// The operand of an operation; panics if it is missing.
    pub fn operation(&self, name: &str) -> &str {
        let found = self.operations.iter().find(|(other, _)| other == name);
        found.map(|(_, text)| text.as_str()).unwrap_or_else(|| panic!("{}: no operation '{name}'", self.place))
    }

    /// The position; panics if it is invalid.
    pub fn board(&self, variant: Variant) -> Board {
        Board::from_fen(&self.fen, variant).unwrap_or_else(|error| panic!("{}: {error}: {}", self.place, self.fen))
    }
}

/// All lines of an EPD file in `positions/`.
pub fn epd_file(name: &str) -> Vec<Epd> {
    let lines = positions_lines(name);
    assert!(!lines.is_empty(), "{name} is empty");
    lines.into_iter().map(|(number, line)| Epd::parse(format!("{name}:{number}"), &line)).collect()
}

/// A random valid position with few or many pieces: one or two Spartan kings, pawns and hoplites often near promotion,
/// sometimes king and rooks on their initial squares with castling rights.
pub fn random_position(random: &mut Rng, variant: Variant) -> Board {
    loop {
        let mut setup = Setup::empty(variant);
        let castles = random.below(3) == 0;
        if castles {
            let black = if variant == Variant::Chess { "krr" } else { "" };
            for (square, letter) in [4, 0, 7, 60, 56, 63].into_iter().zip("KRR".chars().chain(black.chars())) {
                put(&mut setup, square, letter);
            }
        } else {
            put(&mut setup, random.below(64), 'K');
        }
        if !(castles && variant == Variant::Chess) {
            put(&mut setup, random.below(64), 'k');
        }
        if variant == Variant::Spartan && random.below(5) < 3 {
            put(&mut setup, random.below(64), 'k');
        }
        let (black, pawns) = if variant == Variant::Spartan { ("gwclh", "PPh") } else { ("qrbnp", "Ppp") };
        let most = random.pick(&[2, 5, 5, 10]);
        for army in ["QRBNP", black] {
            for _ in 0..random.below(most) {
                put(&mut setup, random.below(64), random.pick(army.as_bytes()).into());
            }
        }
        // More on ranks 2 and 7: double steps and promotions.
        for _ in 0..random.below(5) {
            put(&mut setup, random.pick(&[8, 48]) + random.below(8), random.pick(pawns.as_bytes()).into());
        }
        if castles {
            setup.grant_castling();
            for (colour, side) in CastlingRights::EACH {
                if random.below(3) == 0 {
                    setup.castling = setup.castling.without(colour, side);
                }
            }
        }
        setup.side_to_move = random.pick(&Colour::ALL);
        (setup.halfmove_clock, setup.fullmove_number) = (random.below(60) as u16, 1 + random.below(99) as u16);
        if let Ok(board) = Board::try_from(&setup) {
            return board;
        }
    }
}

/// Puts a piece on a square if that is empty and the piece is allowed there.
pub fn put(setup: &mut Setup, square: usize, letter: char) {
    let piece = Piece::from_letter(letter).expect("a piece");
    if setup.pieces[square].is_none() && (!piece.kind.is_pawn() || (8..56).contains(&square)) {
        setup.pieces[square] = Some(piece);
    }
}

/// Positions of random games from the initial position and from random positions, including final positions. Captures
/// and promotions are more frequent than others, which leads to all kinds of endgames.
pub fn random_positions(random: &mut Rng, variant: Variant, games: usize, plies: usize) -> Vec<Board> {
    let mut boards = Vec::new();
    for game in 0..games {
        let mut board = if game % 4 == 0 { Board::start(variant) } else { random_position(random, variant) };
        let plies = if game % 4 == 0 { plies * 3 } else { plies };
        for _ in 0..plies {
            boards.push(board.clone());
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let noisy: Vec<_> = moves.iter().copied().filter(|&mv| board.is_noisy(mv)).collect();
            let mv = if !noisy.is_empty() && random.below(3) == 0 { random.pick(&noisy) } else { random.pick(&moves) };
            board.make_move(mv);
        }
    }
    boards
}
