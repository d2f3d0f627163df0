//! The embedded table: exact values of the three-man endgames that can be won.
//!
//! The file has a byte for each position of the classes below: the distance to mate (DTM) in plies plus 1, or 0 for
//! draws and illegal positions. `agoge-bench embedded-tables` writes it by retrograde analysis. See "Endgame
//! Tablebases" of chessprogramming.org.
//!
//! Only one side has a man beside its king, so only that side can win; the parity of the distance gives the winner. The
//! values ignore the fifty-move rule: no mate takes that long, but callers have to check the halfmove clock.

use super::index::{TRIANGLE, transpose, triangle_number};
use super::value::{Value, Wdl};
use crate::board::Board;
use crate::types::{CastlingRights, Colour, PieceType, Square};

/// The third man, in file order. With any other man the game is drawn.
const CLASSES: [PieceType; 8] = {
    use PieceType::{Captain, General, Hoplite, King, Pawn, Queen, Rook, Warlord};
    [Queen, Rook, King, General, Warlord, Captain, Pawn, Hoplite]
};

/// The number of classes without pawns or hoplites, which have all eight symmetries of the board.
const PAWNLESS: usize = 6;

/// The number of squares of the lone king in classes with pawns or hoplites: files a to d.
const HALF_BOARD: usize = 32;

/// The number of positions of a class without pawns or hoplites, by side to move, lone king (in the triangle a1, d1,
/// d4), other king and third man.
const PAWNLESS_SIZE: usize = 2 * TRIANGLE * 64 * 64;

/// The number of positions of a class with pawns or hoplites, which are on ranks 2 to 7.
const PAWN_SIZE: usize = 2 * HALF_BOARD * 64 * 48;

/// The length of the table, in bytes: one for each position.
pub const SIZE: usize = PAWNLESS * PAWNLESS_SIZE + (CLASSES.len() - PAWNLESS) * PAWN_SIZE;

/// The table.
#[cfg(feature = "embedded-three-men")]
pub static EMBEDDED: &[u8; SIZE] = include_bytes!("../../data/three-men.dtm");

/// The CRC-32 of the file.
#[cfg(any(test, not(feature = "embedded-three-men")))]
const CHECKSUM: u32 = 0x3B92_EB84;

/// The number of men of its positions.
pub const MEN: u32 = 3;

/// The byte of a value: 0 for a draw, else the plies to mate and one.
pub fn to_byte(value: Value) -> u8 {
    if value.wdl == Wdl::Draw { 0 } else { value.dtm.map_or(0, |plies| plies as u8 + 1) }
}

pub(super) fn from_byte(byte: u8) -> Value {
    u16::from(byte).checked_sub(1).map_or(Value::DRAW, decided)
}

/// The value of a mate in some plies.
pub(super) fn decided(plies: u16) -> Value {
    let wdl = if plies.is_multiple_of(2) { Wdl::Loss } else { Wdl::Win };
    Value { wdl, dtz: None, dtm: Some(plies) }
}

#[cfg(feature = "embedded-three-men")]
#[inline]
fn table() -> Option<&'static [u8; SIZE]> {
    Some(EMBEDDED)
}

#[cfg(not(feature = "embedded-three-men"))]
static PROVIDED: std::sync::OnceLock<Box<[u8; SIZE]>> = std::sync::OnceLock::new();

#[cfg(not(feature = "embedded-three-men"))]
fn table() -> Option<&'static [u8; SIZE]> {
    PROVIDED.get().map(|bytes| &**bytes)
}

/// Takes the contents of the file. Until then nothing is known about three men.
///
/// # Errors
/// If they are not those of the file.
#[cfg(not(feature = "embedded-three-men"))]
pub fn provide(bytes: &[u8]) -> Result<(), &'static str> {
    let table = Box::<[u8; SIZE]>::try_from(bytes.to_vec()).ok().filter(|_| crc32fast::hash(bytes) == CHECKSUM);
    let table = table.ok_or("the table of three men is damaged")?;
    // Another one is the same.
    let _ = PROVIDED.set(table);
    Ok(())
}

/// The value of a position with three men. `None` for another number of men, a third man that cannot win, castling
/// rights, or without the table.
#[inline]
pub(super) fn value(board: &Board) -> Option<Value> {
    if board.occupied().count() != MEN {
        return None;
    }
    let table = table()?;
    index(board).map(|index| from_byte(table[index]))
}

/// The index of a position in the file, with the conditions of `value`.
#[cold]
pub fn index(board: &Board) -> Option<usize> {
    if board.occupied().count() != MEN || board.castling() != CastlingRights::NONE {
        return None;
    }
    let strong = if board.colour(Colour::White).many() { Colour::White } else { Colour::Black };
    let mut lone_king = board.kings(!strong).first()?;
    let mut king = board.kings(strong).first()?;
    let mut man = board.colour(strong).without(king).first()?;
    let kind = board.piece_on(man)?.kind;
    let class = CLASSES.iter().position(|&known| known == kind)?;
    // In orthodox chess, either side can have the third man. The file has White's.
    if strong == Colour::Black && matches!(kind, PieceType::Queen | PieceType::Rook | PieceType::Pawn) {
        [lone_king, king, man] = [lone_king, king, man].map(Square::flip_rank);
    }
    if lone_king.file().index() > 3 {
        [lone_king, king, man] = [lone_king, king, man].map(Square::flip_file);
    }
    let side = usize::from(board.side_to_move() == strong);
    if class >= PAWNLESS {
        let lone = lone_king.rank().index() * 4 + lone_king.file().index();
        // Ranks 2 to 7.
        let man = man.index().checked_sub(8).filter(|&man| man < 48)?;
        let before = PAWNLESS * PAWNLESS_SIZE + (class - PAWNLESS) * PAWN_SIZE;
        return Some(before + ((side * HALF_BOARD + lone) * 64 + king.index()) * 48 + man);
    }
    if lone_king.rank().index() > 3 {
        [lone_king, king, man] = [lone_king, king, man].map(Square::flip_rank);
    }
    if lone_king.rank().index() > lone_king.file().index() {
        [lone_king, king, man] = [lone_king, king, man].map(transpose);
    }
    // The two kings are interchangeable.
    if kind == PieceType::King && king.index() > man.index() {
        (king, man) = (man, king);
    }
    Some(
        class * PAWNLESS_SIZE + ((side * TRIANGLE + triangle_number(lone_king)) * 64 + king.index()) * 64 + man.index(),
    )
}

#[cfg(all(test, feature = "embedded-three-men"))]
mod tests {
    use super::*;
    use crate::board::{Setup, Variant};
    use crate::rng::Rng;
    use crate::tables::Tables;
    use crate::types::Piece;

    fn probe(fen: &str, variant: Variant) -> Option<Value> {
        value(&Board::from_fen(fen, variant).expect(fen))
    }

    fn win(plies: u16) -> Value {
        Value { wdl: Wdl::Win, dtz: None, dtm: Some(plies) }
    }

    fn loss(plies: u16) -> Value {
        Value { wdl: Wdl::Loss, ..win(plies) }
    }

    #[test]
    fn the_file_has_its_checksum() {
        assert_eq!(crc32fast::hash(EMBEDDED), CHECKSUM);
    }

    #[test]
    fn known_values() {
        let spartan = |fen: &str| probe(fen, Variant::Spartan);
        assert_eq!(spartan("k7/2K5/8/8/8/8/8/1Q6 w - - 0 1"), Some(win(1)));
        assert_eq!(spartan("k7/1Q6/2K5/8/8/8/8/8 b - - 0 1"), Some(loss(0)));
        // Stalemate, and a piece that is captured.
        assert_eq!(spartan("k7/2Q5/8/8/8/8/8/K7 b - - 0 1"), Some(Value::DRAW));
        assert_eq!(spartan("kR6/8/8/8/8/8/8/K7 b - - 0 1"), Some(Value::DRAW));
        // Minor pieces, two men and four men are not in the table.
        assert_eq!(spartan("k7/8/8/8/8/8/8/KB6 b - - 0 1"), None);
        assert_eq!(spartan("k7/8/8/8/8/8/8/K7 b - - 0 1"), None);
        assert_eq!(spartan("k7/8/8/8/8/8/8/KRR5 b - - 0 1"), None);
        // A hoplite about to promote to a general.
        assert!(spartan("8/8/8/3K4/8/3k4/h7/8 b - - 0 1").is_some_and(|value| value.wdl == Wdl::Win));
    }

    #[test]
    fn in_orthodox_chess_both_sides_win() {
        let chess = |fen: &str| probe(fen, Variant::Chess);
        for (white, black) in [
            ("8/8/8/3k4/8/8/3PK3/8 w - - 0 1", "8/3pk3/8/8/3K4/8/8/8 b - - 0 1"),
            ("8/8/8/3k4/8/8/4K3/Q7 b - - 0 1", "q7/4k3/8/8/3K4/8/8/8 w - - 0 1"),
            ("8/8/8/3k4/8/8/4K3/R7 w - - 0 1", "r7/4k3/8/8/3K4/8/8/8 b - - 0 1"),
        ] {
            assert_eq!(chess(white), chess(black));
            assert!(chess(white).is_some_and(|value| value != Value::DRAW), "{white}");
        }
        // Castling rights can change the value.
        assert_eq!(chess("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None);
    }

    /// Each value is the best of those after the moves. By induction from the mates, all values are correct.
    #[test]
    fn values_follow_from_those_after_the_moves() {
        let mut checked = 0;
        for (letters, variant) in [
            (&['Q', 'R', 'P', 'k', 'g', 'w', 'c', 'h'][..], Variant::Spartan),
            (&['Q', 'R', 'P', 'q', 'r', 'p'], Variant::Chess),
        ] {
            for &letter in letters {
                let mut rng = Rng::new(1);
                for _ in 0..4000 {
                    let squares = [(); 3].map(|()| Square::new(rng.below(64) as u8));
                    let side = rng.pick(&Colour::ALL);
                    let Some(board) = placed(['K', 'k', letter], squares, side, variant) else { continue };
                    let value = value(&board).expect("a known class");
                    assert_eq!(value, from_moves(&board), "{board}");
                    if let Some(plies @ 1..) = value.dtm {
                        let best = Tables::embedded().best_move(&board).expect("a move to the mate");
                        let after = super::value(&board.after(best)).expect("a known class");
                        assert_eq!(
                            after,
                            if value.wdl == Wdl::Win { loss(plies - 1) } else { win(plies - 1) },
                            "{board}"
                        );
                    }
                    checked += 1;
                }
            }
        }
        assert!(checked > 20_000, "{checked}");
    }

    fn placed(letters: [char; 3], squares: [Square; 3], side: Colour, variant: Variant) -> Option<Board> {
        let mut setup = Setup { side_to_move: side, ..Setup::empty(variant) };
        for (letter, square) in letters.into_iter().zip(squares) {
            setup.set(square, Piece::from_letter(letter));
        }
        let board = Board::try_from(&setup).ok()?;
        (board.occupied().count() == 3).then_some(board)
    }

    fn from_moves(board: &Board) -> Value {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { loss(0) } else { Value::DRAW };
        }
        let after: Vec<Value> = moves.into_iter().map(|mv| value(&board.after(mv)).unwrap_or(Value::DRAW)).collect();
        let plies = |wdl| after.iter().filter(move |value| value.wdl == wdl).filter_map(|value| Some(value.dtm? + 1));
        if let Some(fastest) = plies(Wdl::Loss).min() {
            return win(fastest);
        }
        if after.contains(&Value::DRAW) { Value::DRAW } else { plies(Wdl::Win).max().map_or(Value::DRAW, loss) }
    }
}
