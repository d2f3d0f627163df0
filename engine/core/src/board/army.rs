//! The two armies, as data and as types.
//!
//! Move generation and attack detection are generic over the moving army and its opponent, so inner loops never test
//! the colour or the variant; [`super::dispatch`] selects the types once per call.

use super::{Board, Variant};
use crate::attacks::{self, Tables};
use crate::types::{Bitboard, Colour, Piece, PieceType, Role, Square};

/// What an army consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Roster {
    /// The name in a sentence: "the Spartans".
    pub name: &'static str,
    /// Its kinds by [`Role`].
    pub kinds: [PieceType; 6],
    /// The promotions of its pawns or hoplites, except to a king.
    pub promotions: [PieceType; 4],
    /// The maximum number of kings. With two, one of them may be left attacked; with fewer than the maximum, hoplites
    /// may promote to a king.
    pub max_kings: u32,
    /// Whether its kings can castle.
    pub castles: bool,
    /// Whether its pawns can capture and be captured en passant, if the other army also has this.
    pub en_passant: bool,
}

const PERSIANS: Roster = Roster {
    name: "the Persians",
    kinds: [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen, PieceType::King],
    promotions: [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight],
    max_kings: 1,
    castles: true,
    en_passant: true,
};

const WHITE_ARMY: Roster = Roster { name: "White", ..PERSIANS };
const BLACK_ARMY: Roster = Roster { name: "Black", ..PERSIANS };

const SPARTANS: Roster = Roster {
    name: "the Spartans",
    kinds: [
        PieceType::Hoplite,
        PieceType::Lieutenant,
        PieceType::Captain,
        PieceType::General,
        PieceType::Warlord,
        PieceType::King,
    ],
    promotions: [PieceType::Warlord, PieceType::General, PieceType::Captain, PieceType::Lieutenant],
    max_kings: 2,
    castles: false,
    en_passant: false,
};

impl Variant {
    /// The army of a side.
    pub const fn army(self, colour: Colour) -> &'static Roster {
        match (self, colour) {
            (Self::Spartan, Colour::White) => &PERSIANS,
            (Self::Spartan, Colour::Black) => &SPARTANS,
            (Self::Chess, Colour::White) => &WHITE_ARMY,
            (Self::Chess, Colour::Black) => &BLACK_ARMY,
        }
    }

    /// The piece with a [`Piece::index`].
    pub fn piece(self, index: usize) -> Option<Piece> {
        let colour = *Colour::ALL.get(index / 6)?;
        Some(Piece { colour, kind: self.army(colour).kinds[index % 6] })
    }

    #[inline]
    pub(super) const fn has_en_passant(self) -> bool {
        self.army(Colour::White).en_passant && self.army(Colour::Black).en_passant
    }
}

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
    /// The squares where an enemy of a kind is attacked by a less valuable piece. A king counts as a rook. A general or
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

    /// The pieces of either side on squares where less valuable pieces of this army attack.
    #[inline]
    pub fn on_more_valuable(&self, board: &Board) -> Bitboard {
        PieceType::ALL.into_iter().fold(Bitboard::EMPTY, |set, kind| set | board.kind(kind) & self.by_lesser_than(kind))
    }
}

/// Destinations of pawns or hoplites, each set with the offset from origin to destination.
pub(crate) type PawnMoves<const N: usize> = [(Bitboard, i8); N];

/// An army as a type: its side, and how its pieces move and attack. The evaluation extends it.
pub(crate) trait Army {
    const COLOUR: Colour;
    const ROSTER: Roster;
    /// The rank on which its pawns promote.
    const LAST_RANK: Bitboard = Bitboard::rank(if matches!(Self::COLOUR, Colour::White) { 8 } else { 1 });
    /// The direction of its pawns: 1 or -1.
    const UP: i32 = Self::COLOUR.up();

    /// Non-capturing pawn moves.
    fn pawn_steps(pawns: Bitboard, empty: Bitboard) -> PawnMoves<4>;

    /// Captures by pawns.
    fn pawn_captures(pawns: Bitboard, enemies: Bitboard) -> PawnMoves<2>;

    /// The pieces that move along ranks and files.
    fn orthogonal_sliders(board: &Board) -> Bitboard;

    /// The pieces that move along diagonals.
    fn diagonal_sliders(board: &Board) -> Bitboard;

    /// Its piece with a role.
    #[inline]
    fn piece(role: Role) -> Piece {
        Piece { colour: Self::COLOUR, kind: Self::ROSTER.kinds[role as usize] }
    }

    /// Its pieces with a role.
    #[inline]
    fn pieces(board: &Board, role: Role) -> Bitboard {
        let kind = Self::ROSTER.kinds[role as usize];
        // Only the Spartans have these kinds.
        if kind.index() > PieceType::King.index() { board.kind(kind) } else { board.coloured(Self::COLOUR, kind) }
    }

    /// All squares that pawns attack.
    #[inline]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        attacks::pawn_attacks(Self::piece(Role::Pawn), pawns)
    }

    /// The squares on which a pawn would attack the target.
    #[inline]
    fn pawn_attack_origins(target: Bitboard) -> Bitboard {
        attacks::pawn_attacks(Piece { colour: !Self::COLOUR, ..Self::piece(Role::Pawn) }, target)
    }

    /// Adds all squares that the pieces with a role, not pawns, attack. Inlined, so that the role is a constant.
    #[inline(always)]
    fn with_attacks(mut set: Bitboard, board: &Board, tables: &Tables, role: Role, occupied: Bitboard) -> Bitboard {
        for from in Self::pieces(board, role) {
            set |= tables.attacks(Self::piece(role), from, occupied);
        }
        set
    }

    /// All squares that the army attacks, own (protected) pieces included, by attacker.
    #[inline]
    fn threats(board: &Board, tables: &Tables, occupied: Bitboard) -> Threats {
        let with = |set, role| Self::with_attacks(set, board, tables, role, occupied);
        let by_pawn = Self::pawn_attacks(Self::pieces(board, Role::Pawn));
        let by_minor = with(with(by_pawn, Role::Knight), Role::Bishop);
        let by_rook = with(by_minor, Role::Rook);
        let by_queen = with(by_rook, Role::Queen);
        let all = with(by_queen, Role::King);
        let by_rook = if matches!(Self::piece(Role::Queen).kind, PieceType::Warlord) { by_queen } else { by_rook };
        Threats { by_pawn, by_minor, by_rook, all }
    }

    /// The pieces that attack a square by a step or leap, which cannot be blocked.
    #[inline]
    fn leaping_attackers(board: &Board, tables: &Tables, target: Square) -> Bitboard {
        let leapers = |role: Role| {
            let kind = Self::ROSTER.kinds[role as usize];
            tables.leaps(kind, target) & board.kind(kind)
        };
        let pawns = Self::pawn_attack_origins(Bitboard::of(target)) & board.kind(Self::piece(Role::Pawn).kind);
        let pieces = leapers(Role::Knight) | leapers(Role::Bishop) | leapers(Role::Rook) | leapers(Role::Queen);
        (pawns | pieces | leapers(Role::King)) & board.colour(Self::COLOUR)
    }

    /// The sliders that would attack the target on an empty board.
    #[inline]
    fn snipers(board: &Board, tables: &Tables, target: Square) -> Bitboard {
        tables.rook_rays(target) & Self::orthogonal_sliders(board)
            | tables.bishop_rays(target) & Self::diagonal_sliders(board)
    }

    /// All pieces of the army that attack a square. Pieces missing from `occupied` still count.
    #[inline]
    fn attackers(board: &Board, tables: &Tables, target: Square, occupied: Bitboard) -> Bitboard {
        Self::leaping_attackers(board, tables, target)
            | tables.rook(target, occupied) & Self::orthogonal_sliders(board)
            | tables.bishop(target, occupied) & Self::diagonal_sliders(board)
    }
}

pub(crate) const WHITE: u8 = Colour::White as u8;
pub(crate) const BLACK: u8 = Colour::Black as u8;

/// The orthodox army, for either side.
pub(crate) struct Persian<const SIDE: u8>;

/// The army with two kings. It always plays Black.
pub(crate) struct Spartan;

impl<const SIDE: u8> Army for Persian<SIDE> {
    const COLOUR: Colour = if SIDE == WHITE { Colour::White } else { Colour::Black };
    const ROSTER: Roster = PERSIANS;

    #[inline]
    fn pawn_steps(pawns: Bitboard, empty: Bitboard) -> PawnMoves<4> {
        let up = 8 * Self::UP as i8;
        let third_rank = Bitboard::rank(if SIDE == WHITE { 3 } else { 6 });
        let single = pawns.shift(0, Self::UP) & empty;
        let double = (single & third_rank).shift(0, Self::UP) & empty;
        [(single, up), (double, 2 * up), (Bitboard::EMPTY, 0), (Bitboard::EMPTY, 0)]
    }

    #[inline]
    fn pawn_captures(pawns: Bitboard, enemies: Bitboard) -> PawnMoves<2> {
        let up = 8 * Self::UP as i8;
        [(pawns.shift(-1, Self::UP) & enemies, up - 1), (pawns.shift(1, Self::UP) & enemies, up + 1)]
    }

    #[inline]
    fn orthogonal_sliders(board: &Board) -> Bitboard {
        (board.kind(PieceType::Rook) | board.kind(PieceType::Queen)) & board.colour(Self::COLOUR)
    }

    #[inline]
    fn diagonal_sliders(board: &Board) -> Bitboard {
        (board.kind(PieceType::Bishop) | board.kind(PieceType::Queen)) & board.colour(Self::COLOUR)
    }
}

impl Army for Spartan {
    const COLOUR: Colour = Colour::Black;
    const ROSTER: Roster = SPARTANS;

    #[inline]
    fn pawn_steps(hoplites: Bitboard, empty: Bitboard) -> PawnMoves<4> {
        let unmoved = hoplites & Bitboard::rank(7);
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
    fn orthogonal_sliders(board: &Board) -> Bitboard {
        board.kind(PieceType::General)
    }

    #[inline]
    fn diagonal_sliders(board: &Board) -> Bitboard {
        board.kind(PieceType::Warlord)
    }
}
