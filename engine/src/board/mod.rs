//! The position and the rules: set-up and validation, FEN, making moves, legal move generation,
//! static exchange evaluation, draws, notation.

mod army;
mod fen;
mod game;
mod make;
mod movegen;
mod san;
mod see;
pub(crate) mod zobrist;

use crate::attacks::{Tables, tables};
use crate::types::{Bitboard, CastlingRights, Colour, Piece, PieceType, Square};
pub use army::Threats;
use army::{Army, BLACK, Persian, Spartan, WHITE};
pub use fen::{FenError, FenField};
pub use game::{Game, MoveError, Outcome, diagram};
pub use make::{NoObserver, Observer};
pub use movegen::Perft;
pub use san::SanError;
pub use zobrist::Keys;

/// Which game is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Variant {
    /// Persians against Spartans.
    #[default]
    Spartan,
    /// Orthodox chess: Persians on both sides.
    Chess,
}

impl Variant {
    /// All variants, the default one first.
    pub const ALL: [Self; 2] = [Self::Spartan, Self::Chess];

    /// The name that UCI_Variant knows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spartan => "spartan",
            Self::Chess => "chess",
        }
    }

    /// The variant of a name, read without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name().eq_ignore_ascii_case(name))
    }

    /// The FEN of the initial position.
    pub const fn start_fen(self) -> &'static str {
        match self {
            Self::Spartan => "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
            Self::Chess => "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        }
    }
}

impl std::str::FromStr for Variant {
    type Err = &'static str;

    /// As [`Variant::from_name`]; the error names those that there are.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::from_name(name).ok_or("spartan or chess")
    }
}

/// What the generator must know of a king of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct KingState {
    /// Where it stands; without meaning for a king that is not there.
    square: Square,
    /// The destinations of another piece after which this king is not attacked, pins aside: all
    /// squares while it is not attacked, none under double check, none for a king that is not there.
    safe: Bitboard,
    /// Own pieces that alone stand between the king and an enemy slider.
    pinned: Bitboard,
    /// The squares between the king and each slider that pins, and the slider itself. A leaper that
    /// is pinned could otherwise jump over its king or over the slider.
    pins: Bitboard,
}

impl KingState {
    const ABSENT: Self =
        Self { square: Square::A1, safe: Bitboard::EMPTY, pinned: Bitboard::EMPTY, pins: Bitboard::EMPTY };

    /// The destinations of a piece on `from` after which this king is not attacked.
    #[inline]
    fn allows(&self, tables: &Tables, from: Square) -> Bitboard {
        if self.pinned.has(from) { self.safe & self.pins & tables.ray(self.square, from) } else { self.safe }
    }
}

/// A position. Copying it is how a move is taken back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    kinds: [Bitboard; PieceType::COUNT],
    colours: [Bitboard; 2],
    squares: [Option<PieceType>; 64],
    keys: Keys,
    kings: [KingState; 2],
    variant: Variant,
    side_to_move: Colour,
    castling: CastlingRights,
    en_passant: Option<Square>,
    halfmove_clock: u16,
    fullmove_number: u16,
}

/// Calls a function that is generic over the army to move and the army that it faces.
macro_rules! dispatch {
    ($board:expr, $($call:ident)::+ :: <$us:ident, $them:ident $(, $extra:tt)*>($($arg:expr),* $(,)?)) => {
        match ($board.variant, $board.side_to_move) {
            (Variant::Spartan, Colour::White) => $($call)::+::<Persian<WHITE>, Spartan $(, $extra)*>($($arg),*),
            (Variant::Spartan, Colour::Black) => $($call)::+::<Spartan, Persian<WHITE> $(, $extra)*>($($arg),*),
            (Variant::Chess, Colour::White) => $($call)::+::<Persian<WHITE>, Persian<BLACK> $(, $extra)*>($($arg),*),
            (Variant::Chess, Colour::Black) => $($call)::+::<Persian<BLACK>, Persian<WHITE> $(, $extra)*>($($arg),*),
        }
    };
}
use dispatch;

impl Board {
    /// The initial position of a variant.
    pub fn start(variant: Variant) -> Self {
        Self::from_fen(variant.start_fen(), variant).expect("the start position is valid")
    }

    /// The game that is played.
    #[inline]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Whose move it is.
    #[inline]
    pub fn side_to_move(&self) -> Colour {
        self.side_to_move
    }

    /// The rights to castle that are left.
    #[inline]
    pub fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The square that a pawn passed over and on which it can be captured by a legal move.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or move of a pawn or hoplite.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the move, from 1; it grows after each move of Black.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The Zobrist keys.
    #[inline]
    pub fn keys(&self) -> Keys {
        self.keys
    }

    /// The Zobrist key of the whole position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.position
    }

    /// All pieces of a kind, of both sides.
    #[inline]
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// All pieces of a side.
    #[inline]
    pub fn colour(&self, colour: Colour) -> Bitboard {
        self.colours[colour.index()]
    }

    /// The pieces of a side and kind.
    #[inline]
    pub fn coloured(&self, colour: Colour, kind: PieceType) -> Bitboard {
        self.colour(colour) & self.kind(kind)
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colours[0] | self.colours[1]
    }

    /// Pawns and hoplites of both sides.
    #[inline]
    pub fn pawns(&self) -> Bitboard {
        self.kind(PieceType::Pawn) | self.kind(PieceType::Hoplite)
    }

    /// The kings of a side: one, or two for the Spartans.
    #[inline]
    pub fn kings(&self, colour: Colour) -> Bitboard {
        self.coloured(colour, PieceType::King)
    }

    /// The kind of the piece on a square.
    #[inline]
    pub fn kind_on(&self, square: Square) -> Option<PieceType> {
        self.squares[square.index()]
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        let kind = self.kind_on(square)?;
        let colour = if self.colour(Colour::White).has(square) { Colour::White } else { Colour::Black };
        Some(Piece { colour, kind })
    }

    /// Whether a side plays with two kings.
    #[inline]
    pub fn has_two_kings(&self, colour: Colour) -> bool {
        self.kings(colour).many()
    }

    /// Whether the side to move is in check: all its kings are attacked.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.kings.iter().all(|king| king.safe != Bitboard::ALL)
    }

    /// The kings of the side to move that are attacked.
    pub fn attacked_kings(&self) -> Bitboard {
        let kings = self.kings(self.side_to_move);
        self.kings
            .iter()
            .filter(|king| king.safe != Bitboard::ALL)
            .fold(Bitboard::EMPTY, |set, king| set.with(king.square))
            & kings
    }

    /// Whether a side has anything but kings and pawns or hoplites.
    #[inline]
    pub fn has_pieces(&self, colour: Colour) -> bool {
        (self.colour(colour) & !self.pawns() & !self.kind(PieceType::King)).nonempty()
    }

    /// All squares that a side attacks, protected own pieces included, by what attacks them.
    pub fn threats_of(&self, colour: Colour) -> Threats {
        let (tables, occupied) = (tables(), self.occupied());
        match (self.variant, colour) {
            (_, Colour::White) => Persian::<WHITE>::threats(self, tables, occupied),
            (Variant::Spartan, Colour::Black) => Spartan::threats(self, tables, occupied),
            (Variant::Chess, Colour::Black) => Persian::<BLACK>::threats(self, tables, occupied),
        }
    }

    /// The pieces of a side that attack a square when `occupied` is not empty. Pieces of the board
    /// that `occupied` lacks block nothing but still count as attackers.
    pub fn attackers_of(&self, colour: Colour, target: Square, occupied: Bitboard) -> Bitboard {
        let tables = tables();
        match (self.variant, colour) {
            (_, Colour::White) => Persian::<WHITE>::attackers(self, tables, target, occupied),
            (Variant::Spartan, Colour::Black) => Spartan::attackers(self, tables, target, occupied),
            (Variant::Chess, Colour::Black) => Persian::<BLACK>::attackers(self, tables, target, occupied),
        }
    }

    /// Whether every king of a side is attacked. The side that has just moved may not be so.
    fn is_fully_exposed(&self, colour: Colour) -> bool {
        let kings = self.kings(colour);
        kings.nonempty() && kings.into_iter().all(|king| self.attackers_of(!colour, king, self.occupied()).nonempty())
    }

    /// The keys, computed from the pieces and not step by step.
    pub fn recomputed_keys(&self) -> Keys {
        let mut keys = Keys::default();
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                keys.toggle_piece(piece, square);
            }
        }
        if self.side_to_move == Colour::Black {
            keys.toggle_side();
        }
        keys.toggle_castling(self.castling);
        if let Some(square) = self.en_passant {
            keys.toggle_en_passant(square.file());
        }
        keys
    }

    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind.index()] |= bit;
        self.colours[piece.colour.index()] |= bit;
        self.squares[square.index()] = Some(piece.kind);
        self.keys.toggle_piece(piece, square);
    }

    #[inline]
    fn take(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind.index()] ^= bit;
        self.colours[piece.colour.index()] ^= bit;
        self.squares[square.index()] = None;
        self.keys.toggle_piece(piece, square);
    }

    /// Finds out how the kings of the side to move stand.
    fn update_kings(&mut self) {
        self.kings = dispatch!(self, king_states::<Us, Them>(self));
    }
}

#[inline]
fn king_states<Us: Army, Them: Army>(board: &Board) -> [KingState; 2] {
    let tables = tables();
    let kings = Us::pieces(board, 5);
    let mut states = [KingState::ABSENT; 2];
    states[0] = king_state::<Us, Them>(board, tables, kings.lowest());
    if Us::MAX_KINGS > 1
        && let Some(second) = kings.without_lowest().first()
    {
        states[1] = king_state::<Us, Them>(board, tables, second);
    }
    states
}

#[inline]
fn king_state<Us: Army, Them: Army>(board: &Board, tables: &Tables, king: Square) -> KingState {
    let occupied = board.occupied();
    let leapers = Them::leaping_attackers(board, tables, king);
    // A leaper that gives check can only be captured; `between` would name a square even for a
    // captain two squares away.
    let mut checkers = leapers;
    let mut safe = leapers;
    let mut pinned = Bitboard::EMPTY;
    let mut pins = Bitboard::EMPTY;
    for sniper in Them::snipers(board, tables, king) {
        let between = tables.between(king, sniper);
        let blockers = between & occupied;
        if blockers.is_empty() {
            checkers = checkers.with(sniper);
            safe |= between.with(sniper);
        } else if !blockers.many() {
            // An enemy in between pins nothing, and so its line is never asked for.
            pinned |= blockers & board.colour(Us::COLOUR);
            pins |= between.with(sniper);
        }
    }
    if checkers.is_empty() {
        safe = Bitboard::ALL;
    } else if checkers.many() {
        safe = Bitboard::EMPTY;
    }
    KingState { square: king, safe, pinned, pins }
}
