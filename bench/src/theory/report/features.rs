//! What the inventor's tips speak of, as questions to a position or a game.

use super::facts::Facts;
use agoge_core::board::Board;
use agoge_core::types::{Bitboard, Colour, File, PieceType, Square};

/// Ranks 1 to `last`.
fn ranks_to(last: usize) -> Bitboard {
    (1..=last).fold(Bitboard::EMPTY, |set, rank| set | Bitboard::rank(rank))
}

/// Files from `first` to `last`, counted from 0.
fn files(first: usize, last: usize) -> Bitboard {
    (first..=last)
        .filter_map(|file| File::new(file as u8))
        .fold(Bitboard::EMPTY, |set, file| set | Bitboard::file(file))
}

fn hoplites(board: &Board) -> Bitboard {
    board.coloured(Colour::Black, PieceType::Hoplite)
}

/// The files without pawns and hoplites.
fn open(board: &Board) -> impl Iterator<Item = Bitboard> {
    let pawns = board.pawns();
    (0..8).map(|file| files(file, file)).filter(move |file| (*file & pawns).is_empty())
}

pub fn open_files(board: &Board) -> usize {
    open(board).count()
}

/// Black's moves with hoplites before a ply.
pub fn hoplite_moves(game: &Facts, before: usize) -> usize {
    game.moves_of(Colour::Black, before).filter(|(_, step)| step.piece.kind == PieceType::Hoplite).count()
}

/// The most hoplites that have left rank 6 behind, on three neighbouring files.
pub fn most_advanced_in_section(board: &Board) -> u32 {
    let advanced = hoplites(board) & ranks_to(5);
    (0..6).map(|file| (advanced & files(file, file + 2)).count()).max().unwrap_or(0)
}

/// The hoplites right behind another one.
pub fn phalanxes(board: &Board) -> u32 {
    let hoplites = hoplites(board);
    (hoplites & hoplites.shift(0, 1)).count()
}

/// How many of Black's pieces besides kings and hoplites have left their first squares before a ply.
pub fn developed(game: &Facts, before: usize) -> usize {
    const HOMES: [Square; 6] = [Square::A8, Square::B8, Square::D8, Square::E8, Square::G8, Square::H8];
    HOMES.iter().filter(|&&home| game.moves_of(Colour::Black, before).any(|(_, step)| step.mv.from() == home)).count()
}

/// Whether a piece of Black besides hoplites enters White's half before a ply.
pub fn crosses(game: &Facts, before: usize) -> bool {
    let half = ranks_to(4);
    game.moves_of(Colour::Black, before)
        .any(|(_, step)| step.piece.kind != PieceType::Hoplite && half.has(step.mv.to()))
}

/// Of two kings, whether one has left ranks 7 and 8.
pub fn advanced_king(board: &Board) -> Option<bool> {
    let kings = board.kings(Colour::Black);
    kings.many().then(|| (kings & ranks_to(6)).nonempty())
}

/// Whether general and warlord stand in White's half at the same time, before a ply.
pub fn joint_attack(game: &Facts, before: usize) -> bool {
    let half = ranks_to(4);
    let (mut general, mut warlord) = (Some(Square::B8), Some(Square::G8));
    game.steps.iter().take(before).any(|step| {
        for (kind, square) in [(PieceType::General, &mut general), (PieceType::Warlord, &mut warlord)] {
            if *square == Some(step.mv.to()) {
                *square = None;
            }
            if step.piece.kind == kind && (square.is_none() || *square == Some(step.mv.from())) {
                *square = Some(step.mv.to());
            }
        }
        let is_forward = |square: Option<Square>| square.is_some_and(|square| half.has(square));
        is_forward(general) && is_forward(warlord)
    })
}

/// If a file is open, whether White has a rook or queen on one.
pub fn holds_open_file(board: &Board) -> Option<bool> {
    let heavy = board.colour(Colour::White) & (board.kind(PieceType::Rook) | board.kind(PieceType::Queen));
    let mut open = open(board).peekable();
    open.peek()?;
    Some(open.any(|file| (file & heavy).nonempty()))
}

/// The moves of White's rooks, bishops and queens. White is to move.
pub fn sliding_moves(board: &Board) -> usize {
    let slides = |square| matches!(board.kind_on(square), Some(PieceType::Rook | PieceType::Bishop | PieceType::Queen));
    board.legal_moves().iter().filter(|mv| slides(mv.from())).count()
}

/// The hoplites with White's men on all diagonal squares right in front of them. Those of rank 7 may leap.
pub fn neutralised(board: &Board) -> usize {
    let white = board.colour(Colour::White);
    let stopped = |square: &Square| {
        let ahead = [square.offset(-1, -1), square.offset(1, -1)];
        ahead.iter().flatten().all(|square| white.has(*square))
    };
    (hoplites(board) & ranks_to(6)).into_iter().filter(stopped).count()
}

/// Whether White has given a knight or bishop for a king before a ply; `None` if a king has gone otherwise.
pub fn regicide(game: &Facts, before: usize) -> Option<bool> {
    match game.king_taken().filter(|&ply| ply < before) {
        None => Some(false),
        Some(ply) => matches!(game.price(ply), Some(PieceType::Knight | PieceType::Bishop)).then_some(true),
    }
}

/// Whether White has captured more on the wing on which Black's hoplites were further advanced twenty plies before
/// than on the other one; `None` if on both alike, or no wing was further advanced.
pub fn counter_punch(game: &Facts, ply: usize) -> Option<bool> {
    let board = &game.sample(40)?.board;
    let wings = [files(0, 3), files(4, 7)];
    let advance = wings.map(|wing| {
        (hoplites(board) & wing).into_iter().map(|square: Square| 6 - square.rank().index() as i32).sum::<i32>()
    });
    let captures = wings.map(|wing| {
        let within = game.captures().filter(|(at, ..)| (40..ply).contains(at));
        within.filter(|(_, step, _)| step.piece.colour == Colour::White && wing.has(step.mv.to())).count()
    });
    let [left, right] = advance;
    let [on, off] = if left > right { captures } else { [captures[1], captures[0]] };
    (left != right && on != off).then_some(on > off)
}

/// Whether White has a rook or queen in Black's half on an outer file.
pub fn flank_invaded(board: &Board) -> bool {
    let heavy = board.colour(Colour::White) & (board.kind(PieceType::Rook) | board.kind(PieceType::Queen));
    let flanks = files(0, 2) | files(5, 7);
    (heavy & flanks & !ranks_to(4)).nonempty()
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::game;
    use super::*;
    use crate::data::record::GameResult;
    use agoge_core::board::Variant;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).unwrap()
    }

    #[test]
    fn files_and_hoplites() {
        let start = board(Variant::Spartan.start_fen());
        assert_eq!((open_files(&start), phalanxes(&start), most_advanced_in_section(&start)), (0, 0, 0));
        // Of files a, b and h, without pawns and hoplites, the queen holds one.
        let open = board("2k2k2/2hhhhh1/8/8/8/8/2PPPPP1/1Q2K3 w - - 0 1");
        assert_eq!((open_files(&open), holds_open_file(&open)), (3, Some(true)));
        assert_eq!(holds_open_file(&board("2k2k2/2hhhhh1/8/8/8/8/2PPPPP1/2Q1K3 w - - 0 1")), Some(false));
        assert_eq!(holds_open_file(&start), None);
        let ranks = board("2k2k2/8/2h5/2hh4/4h3/7h/8/4K3 w - - 0 1");
        assert_eq!((phalanxes(&ranks), most_advanced_in_section(&ranks)), (1, 3));
    }

    #[test]
    fn stopped_hoplites() {
        // c5 has White's men on both diagonals, a5 on its only one, e5 on one of two, g7 may leap.
        let stopped = board("2k2k2/6h1/5N1N/h1h1h3/1B1P4/8/8/4K3 w - - 0 1");
        assert_eq!(neutralised(&stopped), 2);
        assert!(flank_invaded(&board("2k2k2/8/R7/8/8/8/8/4K3 w - - 0 1")));
        assert!(!flank_invaded(&board("2k2k2/8/3R4/8/R7/8/8/4K3 w - - 0 1")));
        assert_eq!(sliding_moves(&board("2k2k2/8/8/8/8/8/8/R3K3 w - - 0 1")), 10);
        assert_eq!(advanced_king(&board("2k5/8/5k2/8/8/8/8/R3K3 w - - 0 1")), Some(true));
        assert_eq!(advanced_king(&board("2k5/5k2/8/8/8/8/8/R3K3 w - - 0 1")), Some(false));
        assert_eq!(advanced_king(&board("8/8/5k2/8/8/8/8/R3K3 w - - 0 1")), None);
    }

    #[test]
    fn moves_of_a_game() {
        let start = Variant::Spartan.start_fen();
        let moves = "g1f3 g8f6 f3g1 f6d4 g1f3 b7c6 f3g1 c6b5 g1f3 b8b6 f3g1 b6b7 g1f3 b7c6 f3g1 c6d5 g1f3 d5e4";
        let attack = game(start, moves, GameResult::Draw);
        assert_eq!((developed(&attack, 40), hoplite_moves(&attack, 40), hoplite_moves(&attack, 6)), (2, 2, 1));
        assert!(joint_attack(&attack, 40) && !joint_attack(&attack, attack.steps.len() - 1));
        assert!(crosses(&attack, 4) && !crosses(&attack, 3));
        // A warlord that is taken no longer attacks.
        let moves = "c2c3 g8f6 g1f3 f6d4 c3d4 b7c6 f3g1 c6b5 g1f3 b8b6 f3g1 b6b7 g1f3 b7c6 f3g1 c6d5 g1f3 d5e4";
        let taken = game(start, moves, GameResult::Draw);
        assert!(!joint_attack(&taken, 40));
        assert_eq!(regicide(&attack, 40), Some(false));
    }
}
