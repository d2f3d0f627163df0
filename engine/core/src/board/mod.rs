//! Positions and rules: armies, set-ups and their validation, FEN, legal move generation, making moves, static exchange
//! evaluation, draws, SAN.

pub(crate) mod army;
mod fen;
mod game;
mod make;
mod movegen;
mod san;
mod see;
mod setup;
pub(crate) mod zobrist;

use crate::attacks::{Tables, tables};
use crate::types::{Bitboard, CastlingRights, Colour, Move, MoveKind, Piece, PieceType, Square};
use army::{Army, BLACK, Persian, Spartan, WHITE};
pub use army::{Roster, Threats};
pub use fen::{FenError, FenField, split_fields};
pub use game::{FIFTY_MOVES, Game, MoveError, Outcome, diagram};
pub use san::{SanError, SanIntent};
pub use setup::{Setup, SetupError};
pub use zobrist::Keys;

/// A chess variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Variant {
    /// Persians against Spartans.
    #[default]
    Spartan,
    /// Orthodox chess: Persians on both sides.
    Chess,
}

impl Variant {
    /// The default one first.
    pub const ALL: [Self; 2] = [Self::Spartan, Self::Chess];

    /// The name in `UCI_Variant`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spartan => "spartan",
            Self::Chess => "chess",
        }
    }

    /// The name in plain text.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Spartan => "Spartan Chess",
            Self::Chess => "orthodox chess",
        }
    }

    /// The variant with a name, ignoring case.
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

    /// As [`Variant::from_name`]; the error lists the valid names.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::from_name(name).ok_or("spartan or chess")
    }
}

/// Check and pin masks of one king of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct KingState {
    /// The king's square; meaningless for an absent king.
    square: Square,
    /// The destinations of other pieces that leave this king unattacked, ignoring pins: all squares if it is not
    /// attacked, none in double check or if the king is absent.
    check_mask: Bitboard,
    /// Own pieces that are the only blocker between the king and an enemy slider.
    pinned: Bitboard,
    /// The squares between the king and each pinning slider, and the slider itself. Needed besides the ray because a
    /// pinned leaper could jump over its king or over the slider.
    pin_mask: Bitboard,
}

impl KingState {
    const ABSENT: Self =
        Self { square: Square::A1, check_mask: Bitboard::EMPTY, pinned: Bitboard::EMPTY, pin_mask: Bitboard::EMPTY };

    /// The destinations of a piece on `from` that leave this king unattacked.
    #[inline]
    fn legal_targets(&self, tables: &Tables, from: Square) -> Bitboard {
        if self.pinned.has(from) {
            self.check_mask & self.pin_mask & tables.ray(self.square, from)
        } else {
            self.check_mask
        }
    }
}

/// A position. There is no unmake; moves are made on a copy.
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

/// Calls a function that is generic over the army to move and the opposing army.
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

/// Calls a method of the [`Army`] of a side.
macro_rules! of_army {
    ($board:expr, $colour:expr, $method:ident($($arg:expr),*)) => {
        match ($board.variant, $colour) {
            (_, Colour::White) => Persian::<WHITE>::$method($($arg),*),
            (Variant::Spartan, Colour::Black) => Spartan::$method($($arg),*),
            (Variant::Chess, Colour::Black) => Persian::<BLACK>::$method($($arg),*),
        }
    };
}

impl Board {
    /// The initial position of a variant.
    pub fn start(variant: Variant) -> Self {
        Self::from_fen(variant.start_fen(), variant).expect("the start position is valid")
    }

    /// The rules that apply.
    #[inline]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The side whose turn it is.
    #[inline]
    pub fn side_to_move(&self) -> Colour {
        self.side_to_move
    }

    /// The rights that are left, whether or not castling is possible now.
    #[inline]
    pub fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The en-passant square; set only if a legal en-passant capture exists.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture, pawn move or hoplite move.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The move number, starting at 1 and incremented after each move of Black.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The hash keys of the position and of its parts.
    #[inline]
    pub fn keys(&self) -> Keys {
        self.keys
    }

    /// The Zobrist key of the position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.position
    }

    /// The pieces of a kind, of both sides.
    #[inline]
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The pieces of a side.
    #[inline]
    pub fn colour(&self, colour: Colour) -> Bitboard {
        self.colours[colour.index()]
    }

    /// The pieces of one side and kind.
    #[inline]
    pub fn coloured(&self, colour: Colour, kind: PieceType) -> Bitboard {
        self.colour(colour) & self.kind(kind)
    }

    /// The squares of all pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colours[0] | self.colours[1]
    }

    /// Pawns and hoplites of both sides.
    #[inline]
    pub fn pawns(&self) -> Bitboard {
        self.kind(PieceType::Pawn) | self.kind(PieceType::Hoplite)
    }

    /// The kings of a side: one, or up to two for the Spartans.
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

    /// Whether a side has two kings.
    #[inline]
    pub fn has_two_kings(&self, colour: Colour) -> bool {
        self.kings(colour).many()
    }

    /// Whether the side to move is in check, that is, all its kings are attacked.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.kings.iter().all(|king| king.check_mask != Bitboard::ALL)
    }

    /// The attacked kings of the side to move.
    pub fn attacked_kings(&self) -> Bitboard {
        // The states are in the order of the squares; a king that is missing has a state, but no square.
        let states = self.kings(self.side_to_move).into_iter().zip(&self.kings);
        states.filter(|(_, king)| king.check_mask != Bitboard::ALL).map(|(square, _)| square).collect()
    }

    /// Whether a side has anything besides kings and pawns or hoplites.
    #[inline]
    pub fn has_pieces(&self, colour: Colour) -> bool {
        (self.colour(colour) & !self.pawns() & !self.kind(PieceType::King)).nonempty()
    }

    /// The squares where two positions have different pieces.
    #[inline]
    pub fn difference(&self, other: &Self) -> Bitboard {
        let ours = self.kinds.iter().chain(&self.colours);
        let theirs = other.kinds.iter().chain(&other.colours);
        ours.zip(theirs).fold(Bitboard::EMPTY, |set, (&ours, &theirs)| set | ours ^ theirs)
    }

    /// All squares that a side attacks, own (protected) pieces included, by attacker.
    pub fn threats_of(&self, colour: Colour) -> Threats {
        of_army!(self, colour, threats(self, tables(), self.occupied()))
    }

    /// The pieces of a side that attack a square, given the `occupied` squares. Pieces missing from `occupied` block
    /// nothing but still count as attackers.
    pub fn attackers_of(&self, colour: Colour, target: Square, occupied: Bitboard) -> Bitboard {
        of_army!(self, colour, attackers(self, tables(), target, occupied))
    }

    /// The squares to which the piece of the side to move on `from` can go or that it protects, if the safety of its
    /// kings does not matter, with pieces of either side on the `occupied` squares. Without castling and en passant.
    pub fn reachable(&self, from: Square, occupied: Bitboard) -> Bitboard {
        dispatch!(self, reachable::<Us, Them>(self, from, occupied))
    }

    /// Whether a legal move gives check: it attacks all kings of the opponent, directly or by a discovered attack.
    pub fn gives_check(&self, mv: Move) -> bool {
        match mv.kind() {
            MoveKind::Normal => dispatch!(self, gives_check::<Us, Them>(self, mv)),
            _ => self.after(mv).in_check(),
        }
    }

    /// Whether all kings of a side are attacked. This is illegal for the side not to move.
    fn all_kings_attacked(&self, colour: Colour) -> bool {
        let kings = self.kings(colour);
        kings.nonempty() && kings.into_iter().all(|king| self.attackers_of(!colour, king, self.occupied()).nonempty())
    }

    /// The keys, computed from scratch.
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
    fn put_piece(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind.index()] |= bit;
        self.colours[piece.colour.index()] |= bit;
        self.squares[square.index()] = Some(piece.kind);
        self.keys.toggle_piece(piece, square);
    }

    /// Leaves the king states as they were.
    #[inline]
    pub(crate) fn remove_piece(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind.index()] ^= bit;
        self.colours[piece.colour.index()] ^= bit;
        self.squares[square.index()] = None;
        self.keys.toggle_piece(piece, square);
    }

    /// Recomputes the king states of the side to move.
    fn update_kings(&mut self) {
        dispatch!(self, update_kings::<Us, Them>(self));
    }
}

fn reachable<Us: Army, Them: Army>(board: &Board, from: Square, occupied: Bitboard) -> Bitboard {
    match board.kind_on(from) {
        None => Bitboard::EMPTY,
        Some(kind) if kind.is_pawn() => {
            let steps = Us::pawn_steps(Bitboard::of(from), !occupied);
            let captures = Us::pawn_captures(Bitboard::of(from), occupied);
            steps.into_iter().chain(captures).fold(Bitboard::EMPTY, |set, (to, _)| set | to)
        }
        Some(kind) => tables().destinations(Piece { colour: Us::COLOUR, kind }, from, occupied),
    }
}

/// [`Board::gives_check`] for a move that neither castles nor promotes nor captures en passant.
fn gives_check<Us: Army, Them: Army>(board: &Board, mv: Move) -> bool {
    let (from, to) = (mv.from(), mv.to());
    let Some(kind) = board.kind_on(from) else { return false };
    let tables = tables();
    let occupied = board.occupied().without(from).with(to);
    let attacks = tables.attacks(Piece { colour: Us::COLOUR, kind }, to, occupied);
    // Without a king that the move captures.
    let mut kings = board.kings(Them::COLOUR).without(to).into_iter();
    kings.all(|king| attacks.has(king) || Us::attackers(board, tables, king, occupied).without(from).nonempty())
}

/// Updates the check and pin masks of the side to move. It writes to the board directly: vectors of masks that have just been
/// written one by one would have to wait for them.
#[inline]
fn update_kings<Us: Army, Them: Army>(board: &mut Board) {
    let tables = tables();
    let kings = board.kings(Us::COLOUR);
    board.kings[0] = king_state::<Us, Them>(board, tables, kings.lowest());
    board.kings[1] = match kings.without_lowest().first() {
        Some(second) if Us::ROSTER.max_kings > 1 => king_state::<Us, Them>(board, tables, second),
        _ => KingState::ABSENT,
    };
}

#[inline(always)]
fn king_state<Us: Army, Them: Army>(board: &Board, tables: &Tables, king: Square) -> KingState {
    let occupied = board.occupied();
    let leapers = Them::leaping_attackers(board, tables, king);
    // Checks by leapers cannot be blocked. `between` must not be used: it is not empty for a captain two squares away.
    let mut checkers = leapers;
    let mut check_mask = leapers;
    let mut pinned = Bitboard::EMPTY;
    let mut pin_mask = Bitboard::EMPTY;
    for sniper in Them::snipers(board, tables, king) {
        let between = tables.between(king, sniper);
        let blockers = between & occupied;
        if blockers.is_empty() {
            checkers = checkers.with(sniper);
            check_mask |= between.with(sniper);
        } else if !blockers.many() {
            // With an enemy blocker nothing is pinned; its line in the mask is never used.
            pinned |= blockers & board.colour(Us::COLOUR);
            pin_mask |= between.with(sniper);
        }
    }
    if checkers.is_empty() {
        check_mask = Bitboard::ALL;
    } else if checkers.many() {
        check_mask = Bitboard::EMPTY;
    }
    KingState { square: king, check_mask, pinned, pin_mask }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kings_on_the_board_are_attacked() {
        for (fen, expected) in [
            ("k6k/8/8/8/8/8/8/R3K3 b - - 0 1", "a8"),
            ("k6k/8/8/8/8/8/8/R3K2R b KQ - 0 1", "a8 h8"),
            ("k6k/8/8/8/8/8/8/4K2R b K - 0 1", "h8"),
            ("k6k/8/8/8/8/8/8/4K3 b - - 0 1", ""),
            ("7k/8/8/8/8/8/8/4K2R b K - 0 1", "h8"),
            ("g6k/8/8/8/8/8/8/K7 w - - 0 1", "a1"),
            // A second king that is missing is not on a1.
            ("7k/8/8/8/8/8/P7/K7 w - - 0 1", ""),
            ("7K/8/8/8/8/8/7h/k7 b - - 0 1", ""),
        ] {
            let board = Board::from_fen(fen, Variant::Spartan).expect("a position");
            let attacked: Vec<String> = board.attacked_kings().into_iter().map(|square| square.to_string()).collect();
            assert_eq!(attacked.join(" "), expected, "{fen}");
        }
    }
}
