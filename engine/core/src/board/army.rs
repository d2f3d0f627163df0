//! The two armies as types.
//!
//! Move generation and attack detection are generic over the moving army and its opponent, so inner loops never test
//! the colour or the variant; [`super::dispatch`] selects the types once per call.

use super::Board;
use crate::attacks::Tables;
use crate::types::{Bitboard, Colour, PieceType, Square};

/// Destinations of pawns or hoplites, each set with the offset from origin to destination.
pub(crate) type PawnMoves<const N: usize> = [(Bitboard, i8); N];

/// The squares that an army attacks, by the least valuable attacker. Each set includes the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Attacked by pawns or hoplites.
    pub by_pawn: Bitboard,
    /// `by_pawn`, and attacks of knights, bishops, captains and lieutenants.
    pub by_minor: Bitboard,
    /// `by_minor`, and attacks of rooks, generals and warlords.
    pub by_rook: Bitboard,
    /// Attacked by any piece.
    pub all: Bitboard,
}

impl Threats {
    /// The squares where an enemy of a kind is attacked by a less valuable man. A king counts as a rook. A general or
    /// warlord counts as a queen when attacked, but as a rook when it attacks.
    #[inline]
    pub fn by_lesser_than(&self, kind: PieceType) -> Bitboard {
        match kind {
            PieceType::Pawn | PieceType::Hoplite => Bitboard::EMPTY,
            PieceType::Knight | PieceType::Bishop | PieceType::Captain | PieceType::Lieutenant => self.by_pawn,
            PieceType::Rook | PieceType::King => self.by_minor,
            PieceType::General | PieceType::Warlord | PieceType::Queen => self.by_rook,
        }
    }

    /// The men of either side on squares where less valuable men of this army attack.
    #[inline]
    pub fn on_more_valuable(&self, board: &Board) -> Bitboard {
        PieceType::ALL.into_iter().fold(Bitboard::EMPTY, |set, kind| set | board.kind(kind) & self.by_lesser_than(kind))
    }
}

/// An army: its side, and how its pieces move and attack. The evaluation extends it.
pub(crate) trait Army {
    /// The side that the army plays.
    const COLOUR: Colour;
    /// Its kinds of men by [`PieceType::army_index`]: pawns first, king last.
    const KINDS: [PieceType; 6];
    /// Promotions of its pawns, except to a king.
    const PROMOTIONS: [PieceType; 4];
    /// The rank on which its pawns promote.
    const LAST_RANK: Bitboard;
    /// Whether its pawns can capture and be captured en passant, if the other army also has this.
    const EN_PASSANT: bool;
    /// Whether its king can castle.
    const CASTLES: bool;
    /// The maximum number of kings. With two, one of them may be left attacked.
    const MAX_KINGS: usize;
    /// The direction of its pawns: 1 or -1.
    const UP: i32 = if matches!(Self::COLOUR, Colour::White) { 1 } else { -1 };

    /// Non-capturing pawn moves.
    fn pawn_steps(pawns: Bitboard, empty: Bitboard) -> PawnMoves<4>;

    /// Captures by pawns.
    fn pawn_captures(pawns: Bitboard, enemies: Bitboard) -> PawnMoves<2>;

    /// All squares that pawns attack.
    fn pawn_attacks(pawns: Bitboard) -> Bitboard;

    /// The squares on which a pawn would attack the target.
    fn pawn_attack_origins(target: Bitboard) -> Bitboard;

    /// The attacks of the piece with an army index from 1 to 5.
    fn piece_attacks(index: usize, tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard;

    /// Destinations of the piece with an army index from 1 to 5, including squares of own pieces.
    #[inline]
    fn destinations(index: usize, tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        Self::piece_attacks(index, tables, from, occupied)
    }

    /// All squares that the army attacks, own (protected) pieces included, by attacker.
    fn threats(board: &Board, tables: &Tables, occupied: Bitboard) -> Threats;

    /// All squares that the army attacks, own (protected) pieces included.
    #[inline]
    fn attacks(board: &Board, tables: &Tables, occupied: Bitboard) -> Bitboard {
        Self::threats(board, tables, occupied).all
    }

    /// The pieces that attack a square by a step or leap, which cannot be blocked.
    fn leaping_attackers(board: &Board, tables: &Tables, target: Square) -> Bitboard;

    /// The sliders that would attack the target on an empty board.
    fn snipers(board: &Board, tables: &Tables, target: Square) -> Bitboard;

    /// The sliders that attack the target.
    fn sliding_attackers(board: &Board, tables: &Tables, target: Square, occupied: Bitboard) -> Bitboard;

    /// All pieces of the army that attack a square. Pieces missing from `occupied` still count.
    #[inline]
    fn attackers(board: &Board, tables: &Tables, target: Square, occupied: Bitboard) -> Bitboard {
        Self::leaping_attackers(board, tables, target) | Self::sliding_attackers(board, tables, target, occupied)
    }

    /// The army's pieces with an army index.
    #[inline]
    fn pieces(board: &Board, index: usize) -> Bitboard {
        board.coloured(Self::COLOUR, Self::KINDS[index])
    }
}

pub(crate) const WHITE: u8 = Colour::White as u8;
pub(crate) const BLACK: u8 = Colour::Black as u8;

/// The orthodox army, for either side.
pub(crate) struct Persian<const SIDE: u8>;

/// The army with two kings. It always plays Black.
pub(crate) struct Spartan;

impl<const SIDE: u8> Persian<SIDE> {
    const STEP: i8 = 8 * Self::UP as i8;
    const THIRD_RANK: Bitboard = Bitboard::rank_number(if SIDE == WHITE { 3 } else { 6 });

    #[inline]
    fn orthogonal_sliders(board: &Board) -> Bitboard {
        (board.kind(PieceType::Rook) | board.kind(PieceType::Queen)) & board.colour(Self::COLOUR)
    }

    #[inline]
    fn diagonal_sliders(board: &Board) -> Bitboard {
        (board.kind(PieceType::Bishop) | board.kind(PieceType::Queen)) & board.colour(Self::COLOUR)
    }
}

impl<const SIDE: u8> Army for Persian<SIDE> {
    const COLOUR: Colour = if SIDE == WHITE { Colour::White } else { Colour::Black };
    const KINDS: [PieceType; 6] =
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen, PieceType::King];
    const PROMOTIONS: [PieceType; 4] = [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight];
    const LAST_RANK: Bitboard = Bitboard::rank_number(if SIDE == WHITE { 8 } else { 1 });
    const EN_PASSANT: bool = true;
    const CASTLES: bool = true;
    const MAX_KINGS: usize = 1;

    #[inline]
    fn pawn_steps(pawns: Bitboard, empty: Bitboard) -> PawnMoves<4> {
        let single = pawns.shift(0, Self::UP) & empty;
        let double = (single & Self::THIRD_RANK).shift(0, Self::UP) & empty;
        [(single, Self::STEP), (double, 2 * Self::STEP), (Bitboard::EMPTY, 0), (Bitboard::EMPTY, 0)]
    }

    #[inline]
    fn pawn_captures(pawns: Bitboard, enemies: Bitboard) -> PawnMoves<2> {
        [(pawns.shift(-1, Self::UP) & enemies, Self::STEP - 1), (pawns.shift(1, Self::UP) & enemies, Self::STEP + 1)]
    }

    #[inline]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        pawns.shift(-1, Self::UP) | pawns.shift(1, Self::UP)
    }

    #[inline]
    fn pawn_attack_origins(target: Bitboard) -> Bitboard {
        target.shift(-1, -Self::UP) | target.shift(1, -Self::UP)
    }

    #[inline]
    fn piece_attacks(index: usize, tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        match index {
            1 => tables.knight(from),
            2 => tables.bishop(from, occupied),
            3 => tables.rook(from, occupied),
            4 => tables.queen(from, occupied),
            _ => tables.king(from),
        }
    }

    #[inline]
    fn threats(board: &Board, tables: &Tables, occupied: Bitboard) -> Threats {
        let by_pawn = Self::pawn_attacks(Self::pieces(board, 0));
        let mut by_minor = by_pawn;
        for from in Self::pieces(board, 1) {
            by_minor |= tables.knight(from);
        }
        for from in Self::pieces(board, 2) {
            by_minor |= tables.bishop(from, occupied);
        }
        let mut by_rook = by_minor;
        for from in Self::pieces(board, 3) {
            by_rook |= tables.rook(from, occupied);
        }
        let mut all = by_rook;
        for from in Self::pieces(board, 4) {
            all |= tables.queen(from, occupied);
        }
        for from in Self::pieces(board, 5) {
            all |= tables.king(from);
        }
        Threats { by_pawn, by_minor, by_rook, all }
    }

    #[inline]
    fn leaping_attackers(board: &Board, tables: &Tables, target: Square) -> Bitboard {
        (Self::pawn_attack_origins(Bitboard::of(target)) & board.kind(PieceType::Pawn)
            | tables.knight(target) & board.kind(PieceType::Knight)
            | tables.king(target) & board.kind(PieceType::King))
            & board.colour(Self::COLOUR)
    }

    #[inline]
    fn snipers(board: &Board, tables: &Tables, target: Square) -> Bitboard {
        tables.rook_rays(target) & Self::orthogonal_sliders(board)
            | tables.bishop_rays(target) & Self::diagonal_sliders(board)
    }

    #[inline]
    fn sliding_attackers(board: &Board, tables: &Tables, target: Square, occupied: Bitboard) -> Bitboard {
        tables.rook(target, occupied) & Self::orthogonal_sliders(board)
            | tables.bishop(target, occupied) & Self::diagonal_sliders(board)
    }
}

impl Army for Spartan {
    const COLOUR: Colour = Colour::Black;
    const KINDS: [PieceType; 6] = [
        PieceType::Hoplite,
        PieceType::Lieutenant,
        PieceType::Captain,
        PieceType::General,
        PieceType::Warlord,
        PieceType::King,
    ];
    const PROMOTIONS: [PieceType; 4] =
        [PieceType::Warlord, PieceType::General, PieceType::Captain, PieceType::Lieutenant];
    const LAST_RANK: Bitboard = Bitboard::rank_number(1);
    const EN_PASSANT: bool = false;
    const CASTLES: bool = false;
    const MAX_KINGS: usize = 2;

    #[inline]
    fn pawn_steps(hoplites: Bitboard, empty: Bitboard) -> PawnMoves<4> {
        let unmoved = hoplites & Bitboard::rank_number(7);
        [
            (hoplites.shift(-1, -1) & empty, -9),
            (hoplites.shift(1, -1) & empty, -7),
            (unmoved.shift(-2, -2) & empty, -18),
            (unmoved.shift(2, -2) & empty, -14),
        ]
    }

    #[inline]
    fn pawn_captures(hoplites: Bitboard, enemies: Bitboard) -> PawnMoves<2> {
        [(hoplites.shift(0, -1) & enemies, -8), (Bitboard::EMPTY, 0)]
    }

    #[inline]
    fn pawn_attacks(hoplites: Bitboard) -> Bitboard {
        hoplites.shift(0, -1)
    }

    #[inline]
    fn pawn_attack_origins(target: Bitboard) -> Bitboard {
        target.shift(0, 1)
    }

    #[inline]
    fn piece_attacks(index: usize, tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        match index {
            1 => tables.lieutenant(from),
            2 => tables.captain(from),
            3 => tables.general(from, occupied),
            4 => tables.warlord(from, occupied),
            _ => tables.king(from),
        }
    }

    /// A lieutenant also moves sideways, without capturing.
    #[inline]
    fn destinations(index: usize, tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
        let sideways = if index == 1 { tables.sideways(from) & !occupied } else { Bitboard::EMPTY };
        Self::piece_attacks(index, tables, from, occupied) | sideways
    }

    #[inline]
    fn threats(board: &Board, tables: &Tables, occupied: Bitboard) -> Threats {
        let by_pawn = Self::pawn_attacks(board.kind(PieceType::Hoplite));
        let mut by_minor = by_pawn;
        for from in board.kind(PieceType::Lieutenant) {
            by_minor |= tables.lieutenant(from);
        }
        for from in board.kind(PieceType::Captain) {
            by_minor |= tables.captain(from);
        }
        let mut by_rook = by_minor;
        for from in board.kind(PieceType::General) {
            by_rook |= tables.general(from, occupied);
        }
        for from in board.kind(PieceType::Warlord) {
            by_rook |= tables.warlord(from, occupied);
        }
        let mut all = by_rook;
        for from in Self::pieces(board, 5) {
            all |= tables.king(from);
        }
        Threats { by_pawn, by_minor, by_rook, all }
    }

    #[inline]
    fn leaping_attackers(board: &Board, tables: &Tables, target: Square) -> Bitboard {
        Self::pawn_attack_origins(Bitboard::of(target)) & board.kind(PieceType::Hoplite)
            | tables.lieutenant(target) & board.kind(PieceType::Lieutenant)
            | tables.captain(target) & board.kind(PieceType::Captain)
            | tables.diagonal_step(target) & board.kind(PieceType::General)
            | tables.knight(target) & board.kind(PieceType::Warlord)
            | tables.king(target) & Self::pieces(board, 5)
    }

    #[inline]
    fn snipers(board: &Board, tables: &Tables, target: Square) -> Bitboard {
        tables.rook_rays(target) & board.kind(PieceType::General)
            | tables.bishop_rays(target) & board.kind(PieceType::Warlord)
    }

    #[inline]
    fn sliding_attackers(board: &Board, tables: &Tables, target: Square, occupied: Bitboard) -> Bitboard {
        tables.rook(target, occupied) & board.kind(PieceType::General)
            | tables.bishop(target, occupied) & board.kind(PieceType::Warlord)
    }
}
