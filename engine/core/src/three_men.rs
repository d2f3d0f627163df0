//! The embedded table: exact values of the three-man endgames that can be won.
//!
//! The file has a byte for each position of the classes below: the distance to mate (DTM) in plies plus 1, or 0 for
//! draws and illegal positions. `agoge-bench three-men` writes it by retrograde analysis. See "Endgame Tablebases" of
//! chessprogramming.org.
//!
//! Only one side has a man beside its king, so only that side can win; the parity of the distance gives the winner. The
//! values ignore the fifty-move rule: no mate takes that long, but callers have to check the halfmove clock.

use crate::board::Board;
use crate::types::{CastlingRights, Colour, Move, PieceType, Square};

/// The third man, in file order. With any other man the game is drawn.
const CLASSES: [PieceType; 8] = {
    use PieceType::{Captain, General, Hoplite, King, Pawn, Queen, Rook, Warlord};
    [Queen, Rook, King, General, Warlord, Captain, Pawn, Hoplite]
};

/// The number of classes without pawns or hoplites, which have all eight symmetries of the board.
const PAWNLESS: usize = 6;

/// The number of squares of the lone king in these classes, after symmetry: a1, b1, b2, c1 and so on to d4.
const TRIANGLE: usize = 10;

/// The number of squares of the lone king in classes with pawns or hoplites: files a to d.
const HALF_BOARD: usize = 32;

/// The number of positions of a class without pawns or hoplites, by side to move, lone king, other king and third man.
const PAWNLESS_SIZE: usize = 2 * TRIANGLE * 64 * 64;

/// The number of positions of a class with pawns or hoplites, which are on ranks 2 to 7.
const PAWN_SIZE: usize = 2 * HALF_BOARD * 64 * 48;

/// The size of the file, in bytes.
pub const SIZE: usize = PAWNLESS * PAWNLESS_SIZE + (CLASSES.len() - PAWNLESS) * PAWN_SIZE;

/// The embedded file.
pub static EMBEDDED: &[u8; SIZE] = include_bytes!("../data/three-men.dtm");

/// The number of men of positions in the table.
pub const MEN: u32 = 3;

/// The distance to mate (DTM) of a position for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dtm {
    /// It mates in this number of plies.
    Win(u8),
    /// Neither side can force mate.
    Draw,
    /// It is mated in this number of plies.
    Loss(u8),
}

impl Dtm {
    /// The value in words, such as "win, mate in 12".
    pub fn describe(self) -> String {
        match self {
            Self::Draw => "draw".to_owned(),
            Self::Win(plies) => format!("win, mate in {}", plies.div_ceil(2)),
            Self::Loss(plies) => format!("loss, mate in {}", plies.div_ceil(2)),
        }
    }

    /// The byte of the file for this value.
    pub const fn to_byte(self) -> u8 {
        match self {
            Self::Draw => 0,
            Self::Win(plies) | Self::Loss(plies) => plies + 1,
        }
    }

    const fn from_byte(byte: u8) -> Self {
        match byte {
            0 => Self::Draw,
            _ if byte.is_multiple_of(2) => Self::Win(byte - 1),
            _ => Self::Loss(byte - 1),
        }
    }
}

/// The value of a position with three men. `None` for another number of men, a third man that cannot win, or castling
/// rights.
#[inline]
pub fn probe(board: &Board) -> Option<Dtm> {
    if board.occupied().count() != MEN {
        return None;
    }
    index(board).map(|index| Dtm::from_byte(EMBEDDED[index]))
}

/// The index of a position in the file, with the conditions of [`probe`].
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
        let transpose = |square: Square| Square::new(((square.index() % 8) * 8 + square.index() / 8) as u8);
        [lone_king, king, man] = [lone_king, king, man].map(transpose);
    }
    // The two kings are interchangeable.
    if kind == PieceType::King && king.index() > man.index() {
        (king, man) = (man, king);
    }
    let (file, rank) = (lone_king.file().index(), lone_king.rank().index());
    let lone = file * (file + 1) / 2 + rank;
    Some(class * PAWNLESS_SIZE + ((side * TRIANGLE + lone) * 64 + king.index()) * 64 + man.index())
}

/// A best move: the fastest mate, or the longest defence. `None` in draws and in positions that [`probe`] does not
/// have.
pub fn best_move(board: &Board) -> Option<Move> {
    let next = match probe(board)? {
        Dtm::Win(plies) => Dtm::Loss(plies - 1),
        Dtm::Loss(plies) => Dtm::Win(plies.checked_sub(1)?),
        Dtm::Draw => return None,
    };
    board.legal_moves().into_iter().find(|&mv| probe(&board.after(mv)) == Some(next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Setup, Variant};
    use crate::rng::Rng;
    use crate::types::Piece;

    fn value(fen: &str, variant: Variant) -> Option<Dtm> {
        probe(&Board::from_fen(fen, variant).expect(fen))
    }

    #[test]
    fn known_values() {
        let spartan = |fen: &str| value(fen, Variant::Spartan);
        assert_eq!(spartan("k7/2K5/8/8/8/8/8/1Q6 w - - 0 1"), Some(Dtm::Win(1)));
        assert_eq!(spartan("k7/1Q6/2K5/8/8/8/8/8 b - - 0 1"), Some(Dtm::Loss(0)));
        // Stalemate, and a piece that is captured.
        assert_eq!(spartan("k7/2Q5/8/8/8/8/8/K7 b - - 0 1"), Some(Dtm::Draw));
        assert_eq!(spartan("kR6/8/8/8/8/8/8/K7 b - - 0 1"), Some(Dtm::Draw));
        // Minor pieces, two men and four men are not in the table.
        assert_eq!(spartan("k7/8/8/8/8/8/8/KB6 b - - 0 1"), None);
        assert_eq!(spartan("k7/8/8/8/8/8/8/K7 b - - 0 1"), None);
        assert_eq!(spartan("k7/8/8/8/8/8/8/KRR5 b - - 0 1"), None);
        // A hoplite about to promote to a general.
        assert!(matches!(spartan("8/8/8/3K4/8/3k4/h7/8 b - - 0 1"), Some(Dtm::Win(_))));
    }

    #[test]
    fn in_orthodox_chess_both_sides_win() {
        let chess = |fen: &str| value(fen, Variant::Chess);
        for (white, black) in [
            ("8/8/8/3k4/8/8/3PK3/8 w - - 0 1", "8/3pk3/8/8/3K4/8/8/8 b - - 0 1"),
            ("8/8/8/3k4/8/8/4K3/Q7 b - - 0 1", "q7/4k3/8/8/3K4/8/8/8 w - - 0 1"),
            ("8/8/8/3k4/8/8/4K3/R7 w - - 0 1", "r7/4k3/8/8/3K4/8/8/8 b - - 0 1"),
        ] {
            assert_eq!(chess(white), chess(black));
            assert!(chess(white).is_some_and(|value| value != Dtm::Draw), "{white}");
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
                    let value = probe(&board).expect("a known class");
                    assert_eq!(value, from_moves(&board), "{board}");
                    if value != Dtm::Draw && value != Dtm::Loss(0) {
                        assert!(best_move(&board).is_some(), "{board}");
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

    fn from_moves(board: &Board) -> Dtm {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { Dtm::Loss(0) } else { Dtm::Draw };
        }
        let after: Vec<Dtm> = moves.into_iter().map(|mv| probe(&board.after(mv)).unwrap_or(Dtm::Draw)).collect();
        let losses = after.iter().filter_map(|value| if let Dtm::Loss(plies) = value { Some(plies + 1) } else { None });
        if let Some(plies) = losses.min() {
            return Dtm::Win(plies);
        }
        let wins = after.iter().filter_map(|value| if let Dtm::Win(plies) = value { Some(plies + 1) } else { None });
        if after.contains(&Dtm::Draw) { Dtm::Draw } else { wins.max().map_or(Dtm::Draw, Dtm::Loss) }
    }
}
