//! Set-ups: positions that are not validated yet.

use super::{Board, Keys, KingState, Variant};
use crate::types::{Bitboard, CastlingRights, CastlingSide, CastlingSquares, Colour, Piece, PieceType, Square};
use std::fmt;

/// The description of a position, which need not be legal.
///
/// FENs, game records and position editors become set-ups, and `Board::try_from` is the only way from there to a
/// [`Board`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The rules that are to apply.
    pub variant: Variant,
    /// The piece on each square, by [`Square::index`].
    pub pieces: [Option<Piece>; 64],
    /// The side whose turn it is.
    pub side_to_move: Colour,
    /// The rights that are left.
    pub castling: CastlingRights,
    /// The square that a pawn has just passed over. A board keeps it only if a legal en-passant capture exists.
    pub en_passant: Option<Square>,
    /// Plies since the last capture, pawn move or hoplite move.
    pub halfmove_clock: u16,
    /// The move number. A board counts from 1.
    pub fullmove_number: u16,
}

/// Why a set-up is not a legal position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetupError {
    /// The side does not have such pieces in the variant.
    Piece {
        /// The piece.
        piece: Piece,
        /// Where it stands.
        square: Square,
    },
    /// A side has too few or too many kings.
    Kings {
        /// The side.
        colour: Colour,
        /// How many it has.
        count: u32,
        /// How many it may have; one is the least.
        most: u32,
    },
    /// A pawn or hoplite is on the first or last rank.
    BackRank {
        /// Which of the two.
        kind: PieceType,
        /// Where it stands.
        square: Square,
    },
    /// All kings of the side not to move are attacked.
    OpponentInCheck(Colour),
    /// The king or the rook is not on its initial square.
    Castling {
        /// The player with the right.
        colour: Colour,
        /// The side of the board.
        side: CastlingSide,
    },
    /// No pawn has just passed over this square.
    EnPassant(Square),
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Piece { piece: Piece { colour, kind }, square } => {
                write!(f, "{colour:?} cannot have the {} on {square} in this variant", kind.name())
            }
            Self::Kings { colour, count, most } => {
                let wanted = if most == 1 { "one king" } else { "one or two kings" };
                write!(f, "{colour:?} must have {wanted}, not {count}")
            }
            Self::BackRank { kind, square } => write!(f, "a {} on {square}", kind.name()),
            Self::OpponentInCheck(colour) => write!(f, "{colour:?} is in check, but it is not {colour:?}'s move"),
            Self::Castling { colour, side } => {
                let CastlingSquares { king_from, rook_from, .. } = side.squares(colour);
                write!(f, "'{}' needs the king on {king_from} and a rook on {rook_from}", side.letter(colour))
            }
            Self::EnPassant(square) => write!(f, "no pawn has just passed over {square}"),
        }
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// An empty board with White to move, which is not a legal position.
    pub const fn empty(variant: Variant) -> Self {
        Self {
            variant,
            pieces: [None; 64],
            side_to_move: Colour::White,
            castling: CastlingRights::NONE,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    /// Puts a piece on a square, or clears the square.
    pub fn set(&mut self, square: Square, piece: Option<Piece>) {
        self.pieces[square.index()] = piece;
    }

    /// The pieces and their squares, from a1 to h8.
    pub fn iter(&self) -> impl Iterator<Item = (Square, Piece)> {
        Square::all().filter_map(|square| Some((square, self.pieces[square.index()]?)))
    }

    /// Whether king and rook are on the initial squares of a castling move.
    fn can_have_right(&self, colour: Colour, side: CastlingSide) -> bool {
        let CastlingSquares { king_from, rook_from, .. } = side.squares(colour);
        let has = |square: Square, kind| self.pieces[square.index()] == Some(Piece { colour, kind });
        has(king_from, PieceType::King) && has(rook_from, PieceType::Rook)
    }

    /// Grants every castling right whose king and rook are on their initial squares, and no other.
    pub fn grant_castling(&mut self) {
        let rights = CastlingRights::EACH.into_iter().filter(|&(colour, side)| self.can_have_right(colour, side));
        self.castling = rights.fold(CastlingRights::NONE, |rights, (colour, side)| rights.with(colour, side));
    }

    /// The set-up with left and right mirrored. It has no castling rights.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut pieces = [None; 64];
        self.iter().for_each(|(square, piece)| pieces[square.flip_file().index()] = Some(piece));
        Self { pieces, castling: CastlingRights::NONE, en_passant: self.en_passant.map(Square::flip_file), ..*self }
    }

    /// The set-up with colours swapped: each piece moves to the mirrored rank and changes sides.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let mut pieces = [None; 64];
        for (square, Piece { colour, kind }) in self.iter() {
            pieces[square.flip_rank().index()] = Some(Piece { colour: !colour, kind });
        }
        Self {
            pieces,
            side_to_move: !self.side_to_move,
            castling: self.castling.swapped(),
            en_passant: self.en_passant.map(Square::flip_rank),
            ..*self
        }
    }
}

impl From<&Board> for Setup {
    fn from(board: &Board) -> Self {
        let mut setup = Self {
            side_to_move: board.side_to_move,
            castling: board.castling,
            en_passant: board.en_passant,
            halfmove_clock: board.halfmove_clock,
            fullmove_number: board.fullmove_number,
            ..Self::empty(board.variant)
        };
        for square in board.occupied() {
            setup.set(square, board.piece_on(square));
        }
        setup
    }
}

impl TryFrom<&Setup> for Board {
    type Error = SetupError;

    fn try_from(setup: &Setup) -> Result<Self, SetupError> {
        let mut board = Self {
            kinds: Default::default(),
            colours: Default::default(),
            squares: [None; 64],
            keys: Keys::default(),
            kings: [KingState::ABSENT; 2],
            variant: setup.variant,
            side_to_move: setup.side_to_move,
            castling: setup.castling,
            en_passant: None,
            halfmove_clock: setup.halfmove_clock,
            fullmove_number: setup.fullmove_number.max(1),
        };
        for (square, piece) in setup.iter() {
            if !setup.variant.army(piece.colour).kinds.contains(&piece.kind) {
                return Err(SetupError::Piece { piece, square });
            }
            board.put_piece(piece, square);
        }
        for colour in Colour::ALL {
            let count = board.kings(colour).count();
            let most = setup.variant.army(colour).max_kings;
            if count == 0 || count > most {
                return Err(SetupError::Kings { colour, count, most });
            }
        }
        if let Some(square) = (board.pawns() & Bitboard::BACK_RANKS).first()
            && let Some(kind) = board.kind_on(square)
        {
            return Err(SetupError::BackRank { kind, square });
        }
        if board.all_kings_attacked(!board.side_to_move) {
            return Err(SetupError::OpponentInCheck(!board.side_to_move));
        }
        for (colour, side) in CastlingRights::EACH {
            if setup.castling.has(colour, side) && !setup.can_have_right(colour, side) {
                return Err(SetupError::Castling { colour, side });
            }
        }
        board.keys = board.recomputed_keys();
        board.update_kings();
        if let Some(square) = setup.en_passant {
            board.check_en_passant(square)?;
            board.set_en_passant(square);
        }
        Ok(board)
    }
}

impl Board {
    /// Whether an enemy pawn can just have passed over a square.
    fn check_en_passant(&self, square: Square) -> Result<(), SetupError> {
        let up = self.side_to_move.up() as i8;
        let (pawn, origin) = (square.offset(0, -up), square.offset(0, up));
        let stepped = square.rank().digit() == if self.side_to_move == Colour::White { '6' } else { '3' }
            && pawn.is_some_and(|pawn| self.coloured(!self.side_to_move, PieceType::Pawn).has(pawn))
            && [Some(square), origin].into_iter().flatten().all(|empty| !self.occupied().has(empty));
        if stepped { Ok(()) } else { Err(SetupError::EnPassant(square)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_undo_themselves() {
        for (variant, fen, swapped) in [
            (
                Variant::Chess,
                "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQq e3 3 7",
                "rnbqkbnr/pppp1ppp/8/3Pp3/8/8/PPP1PPPP/RNBQKBNR w Qkq e6 3 7",
            ),
            (Variant::Chess, "4k3/8/8/8/8/8/8/4K2R w K - 5 9", "4k2r/8/8/8/8/8/8/4K3 b k - 5 9"),
        ] {
            let setup = Setup::from_fen(fen, variant).expect("a FEN");
            assert_eq!(setup.swapped().to_string(), swapped);
            assert_eq!(setup.swapped().swapped(), setup);
            let mirrored = setup.mirrored();
            assert!(mirrored.castling.is_empty());
            assert_eq!(Setup { castling: setup.castling, ..mirrored.mirrored() }, setup);
        }
        let mirrored = Setup::from(&Board::start(Variant::Spartan)).mirrored();
        assert_eq!(mirrored.to_string(), "lwkcckgl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1");
    }

    #[test]
    fn rights_follow_kings_and_rooks() {
        for (variant, fen) in [
            (Variant::Chess, "r3k2r/8/8/8/8/8/8/4K2R w Kkq - 0 1"),
            (Variant::Spartan, "g3k2g/8/8/8/8/8/8/R3K3 w Q - 0 1"),
        ] {
            let mut setup = Setup::from_fen(fen, variant).expect("a FEN");
            setup.castling = CastlingRights::NONE;
            setup.grant_castling();
            assert_eq!(setup.to_string(), fen);
        }
    }

    #[test]
    fn illegal_set_ups() {
        let board = |change: &dyn Fn(&mut Setup)| {
            let mut setup = Setup::from(&Board::start(Variant::Spartan));
            change(&mut setup);
            Board::try_from(&setup)
        };
        assert_eq!(board(&|_| {}), Ok(Board::start(Variant::Spartan)));
        assert_eq!(
            Board::try_from(&Setup::empty(Variant::Spartan)),
            Err(SetupError::Kings { colour: Colour::White, count: 0, most: 1 })
        );
        let rook = Piece { colour: Colour::Black, kind: PieceType::Rook };
        assert_eq!(
            board(&|setup| setup.set(Square::E4, Some(rook))),
            Err(SetupError::Piece { piece: rook, square: Square::E4 })
        );
        assert_eq!(
            board(&|setup| setup.castling = setup.castling.with(Colour::Black, CastlingSide::King)),
            Err(SetupError::Castling { colour: Colour::Black, side: CastlingSide::King })
        );
        assert_eq!(board(&|setup| setup.en_passant = Some(Square::E6)), Err(SetupError::EnPassant(Square::E6)));
    }
}
