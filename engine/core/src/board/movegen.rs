//! Legal move generation with bitboards.
//!
//! For each king of the side to move, the board stores the destinations that leave it unattacked and the pieces pinned
//! to it ([`super::KingState`]). With one king, a move is legal if its destination is in that set. With two kings, at
//! least one must stay safe, so the union of both sets is legal. For moves of a king itself, its own set is the
//! squares that are not attacked once the king has left. Duple-check therefore needs no special case.

use super::army::{Army, BLACK, Persian, Spartan, WHITE};
use super::{Board, KingState, Variant, dispatch};
use crate::attacks::{Tables, tables};
use crate::types::{
    Bitboard, CastlingSide, CastlingSquares, Colour, Move, MoveKind, MoveList, Piece, PieceType, Role, Square,
};

/// All moves.
const ALL: u8 = 0;
/// Captures and promotions.
const NOISY: u8 = 1;
/// All other moves.
const QUIET: u8 = 2;

/// Receives the generated moves.
trait Sink {
    /// `N` moves to each target, given by a function.
    fn add<const N: usize>(&mut self, targets: Bitboard, moves: impl Fn(Square) -> [Move; N]);
}

impl Sink for MoveList {
    #[inline]
    fn add<const N: usize>(&mut self, targets: Bitboard, moves: impl Fn(Square) -> [Move; N]) {
        for to in targets {
            self.extend(moves(to));
        }
    }
}

/// Counts moves without building a list.
struct Counter(u32);

impl Sink for Counter {
    #[inline]
    fn add<const N: usize>(&mut self, targets: Bitboard, _: impl Fn(Square) -> [Move; N]) {
        self.0 += targets.count() * N as u32;
    }
}

/// Checks whether one move is generated.
struct Finder {
    wanted: Move,
    found: bool,
}

impl Sink for Finder {
    #[inline]
    fn add<const N: usize>(&mut self, targets: Bitboard, moves: impl Fn(Square) -> [Move; N]) {
        let to = self.wanted.to();
        self.found |= targets.has(to) && moves(to).contains(&self.wanted);
    }
}

/// Checks whether any move exists.
struct AnyMove(bool);

impl Sink for AnyMove {
    #[inline]
    fn add<const N: usize>(&mut self, targets: Bitboard, _: impl Fn(Square) -> [Move; N]) {
        self.0 |= targets.nonempty();
    }
}

#[inline]
fn origin(target: Square, delta: i8) -> Square {
    Square::new((target as u8).wrapping_add_signed(-delta))
}

impl Board {
    /// All legal moves, in no particular order.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        dispatch!(self, generate::<Us, Them, ALL, MoveList>(self, Bitboard::ALL, &mut list));
        list
    }

    /// Adds the legal captures and promotions to a list.
    pub fn noisy_moves(&self, list: &mut MoveList) {
        dispatch!(self, generate::<Us, Them, NOISY, MoveList>(self, Bitboard::ALL, list));
    }

    /// Adds the legal moves that are neither captures nor promotions to a list.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        dispatch!(self, generate::<Us, Them, QUIET, MoveList>(self, Bitboard::ALL, list));
    }

    /// The number of legal moves; faster than the length of [`Self::legal_moves`].
    pub fn count_moves(&self) -> u32 {
        let mut counter = Counter(0);
        dispatch!(self, generate::<Us, Them, ALL, Counter>(self, Bitboard::ALL, &mut counter));
        counter.0
    }

    /// Whether there is a legal move; if not, it is mate or stalemate.
    pub fn has_legal_move(&self) -> bool {
        let mut any = AnyMove(false);
        dispatch!(self, generate::<Us, Them, ALL, AnyMove>(self, Bitboard::ALL, &mut any));
        any.0
    }

    /// Whether a move from any source, such as the hash table, is legal.
    pub fn is_legal(&self, mv: Move) -> bool {
        if !self.colour(self.side_to_move).has(mv.from()) {
            return false;
        }
        let mut finder = Finder { wanted: mv, found: false };
        dispatch!(self, generate::<Us, Them, ALL, Finder>(self, Bitboard::of(mv.from()), &mut finder));
        finder.found
    }

    /// Whether a legal move is a capture or promotion.
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        self.occupied().has(mv.to()) || matches!(mv.kind(), MoveKind::Promotion(_) | MoveKind::EnPassant)
    }

    /// The kind of the piece that a legal move captures.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<PieceType> {
        match mv.kind() {
            MoveKind::EnPassant => Some(PieceType::Pawn),
            MoveKind::Castling => None,
            _ => self.kind_on(mv.to()),
        }
    }

    /// The number of leaf nodes at a depth, with bulk counting at the last ply.
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => u64::from(self.count_moves()),
            _ => {
                let mut sum = 0;
                for mv in self.legal_moves() {
                    // Not `after`: the compiler would copy the board a second time.
                    let mut next = self.clone();
                    next.make_move(mv);
                    sum += next.perft(depth - 1);
                }
                sum
            }
        }
    }
}

/// Generates the legal moves of one type (`ALL`, `NOISY` or `QUIET`) for the pieces in `movers`.
#[inline]
fn generate<Us: Army, Them: Army, const TYPE: u8, S: Sink>(board: &Board, movers: Bitboard, sink: &mut S) {
    let tables = tables();
    let occupied = board.occupied();
    let own = board.colour(Us::COLOUR);
    let enemies = board.colour(Them::COLOUR);
    let allowed = match TYPE {
        NOISY => enemies,
        QUIET => !occupied,
        _ => !own,
    };
    let movers = movers & own;
    let [first, second] = if Us::ROSTER.max_kings > 1 { board.kings } else { [board.kings[0], KingState::ABSENT] };
    let two_kings = Us::ROSTER.max_kings > 1 && board.has_two_kings(Us::COLOUR);
    let targets = first.check_mask | second.check_mask;

    if targets.nonempty() {
        let restricted = restricted(&first, &second);
        let free = movers & !restricted;
        pawns::<Us, TYPE, S>(free & Us::pieces(board, Role::Pawn), targets, occupied, enemies, sink);
        pieces::<Us, S>(board, tables, Role::Knight, free, targets & allowed, sink);
        pieces::<Us, S>(board, tables, Role::Bishop, free, targets & allowed, sink);
        pieces::<Us, S>(board, tables, Role::Rook, free, targets & allowed, sink);
        pieces::<Us, S>(board, tables, Role::Queen, free, targets & allowed, sink);
        let restricted = restricted & movers & !board.kings(Us::COLOUR);
        for from in restricted {
            let targets = first.legal_targets(tables, from) | second.legal_targets(tables, from);
            let single = Bitboard::of(from);
            pawns::<Us, TYPE, S>(single & Us::pieces(board, Role::Pawn), targets, occupied, enemies, sink);
            if let Some(kind) = board.kind_on(from).filter(|kind| !kind.is_pawn()) {
                let piece = Piece { colour: Us::COLOUR, kind };
                let targets = tables.destinations(piece, from, occupied) & targets & allowed;
                sink.add(targets, |to| [Move::normal(from, to)]);
            }
        }
    }
    if Us::ROSTER.max_kings > 1 && TYPE != QUIET && !two_kings {
        king_promotions::<Us, Them, S>(board, tables, movers, &first, sink);
    }

    king::<Us, Them, S>(board, tables, &first, &second, movers, allowed, sink);
    if two_kings {
        king::<Us, Them, S>(board, tables, &second, &first, movers, allowed, sink);
    }
    if Us::ROSTER.castles && TYPE != NOISY && !board.castling.is_empty() && first.check_mask == Bitboard::ALL {
        castling::<Us, Them, S>(board, tables, movers, sink);
    }
    if Us::ROSTER.en_passant && Them::ROSTER.en_passant && TYPE != QUIET {
        en_passant::<Us, S>(board, movers, sink);
    }
}

/// The pieces whose legal targets must be computed individually because of pins. A piece pinned to one king moves
/// freely while the other king is not attacked.
#[inline]
fn restricted(first: &KingState, second: &KingState) -> Bitboard {
    match (first.check_mask == Bitboard::ALL, second.check_mask == Bitboard::ALL) {
        (true, true) => first.pinned & second.pinned,
        (true, false) => first.pinned,
        (false, true) => second.pinned,
        (false, false) => first.pinned | second.pinned,
    }
}

/// Inlined, so that the role is a constant.
#[inline(always)]
fn pieces<Us: Army, S: Sink>(
    board: &Board,
    tables: &Tables,
    role: Role,
    movers: Bitboard,
    targets: Bitboard,
    sink: &mut S,
) {
    for from in Us::pieces(board, role) & movers {
        let targets = tables.destinations(Us::piece(role), from, board.occupied()) & targets;
        sink.add(targets, |to| [Move::normal(from, to)]);
    }
}

#[inline]
fn pawns<Us: Army, const TYPE: u8, S: Sink>(
    pawns: Bitboard,
    targets: Bitboard,
    occupied: Bitboard,
    enemies: Bitboard,
    sink: &mut S,
) {
    let mut add = |to: Bitboard, delta: i8, quiet: bool, noisy: bool| {
        let to = to & targets;
        if quiet {
            sink.add(to & !Us::LAST_RANK, |to| [Move::normal(origin(to, delta), to)]);
        }
        if noisy && (to & Us::LAST_RANK).nonempty() {
            let promotion = |to| Us::ROSTER.promotions.map(|kind| Move::promotion(origin(to, delta), to, kind));
            sink.add(to & Us::LAST_RANK, promotion);
        }
    };
    for (to, delta) in Us::pawn_steps(pawns, !occupied) {
        add(to, delta, TYPE != NOISY, TYPE != QUIET);
    }
    if TYPE != QUIET {
        for (to, delta) in Us::pawn_captures(pawns, enemies) {
            add(to, delta, true, true);
        }
    }
}

/// Promotions of hoplites to a second king. They are legal if either the old or the new king is unattacked.
#[inline]
fn king_promotions<Us: Army, Them: Army, S: Sink>(
    board: &Board,
    tables: &Tables,
    movers: Bitboard,
    king: &KingState,
    sink: &mut S,
) {
    let pawns = Us::pieces(board, Role::Pawn) & movers & Us::pawn_attack_origins(Us::LAST_RANK);
    if pawns.is_empty() {
        return;
    }
    let steps = Us::pawn_steps(pawns, !board.occupied());
    let captures = Us::pawn_captures(pawns, board.colour(Them::COLOUR));
    for (targets, delta) in steps.into_iter().chain(captures) {
        for to in targets {
            let from = origin(to, delta);
            let occupied = board.occupied().without(from).with(to);
            if king.legal_targets(tables, from).has(to) || Them::attackers(board, tables, to, occupied).is_empty() {
                sink.add(Bitboard::of(to), |to| [Move::promotion(from, to, PieceType::King)]);
            }
        }
    }
}

/// Moves of one king: to unattacked squares, and to any square if the other king stays unattacked.
#[inline]
fn king<Us: Army, Them: Army, S: Sink>(
    board: &Board,
    tables: &Tables,
    king: &KingState,
    other: &KingState,
    movers: Bitboard,
    allowed: Bitboard,
    sink: &mut S,
) {
    let from = king.square;
    let mut targets = tables.king(from) & allowed;
    if targets.is_empty() || !movers.has(from) {
        return;
    }
    let other_safe = other.legal_targets(tables, from);
    if !(targets & !other_safe).is_empty() {
        // The king does not block sliders: it leaves its square.
        let attacked = Them::threats(board, tables, board.occupied().without(from)).all;
        targets &= !attacked | other_safe;
    }
    sink.add(targets, |to| [Move::normal(from, to)]);
}

#[inline]
fn castling<Us: Army, Them: Army, S: Sink>(board: &Board, tables: &Tables, movers: Bitboard, sink: &mut S) {
    let occupied = board.occupied();
    for side in CastlingSide::ALL {
        let CastlingSquares { king_from, king_to, rook_from, .. } = side.squares(Us::COLOUR);
        if board.castling.has(Us::COLOUR, side)
            && movers.has(king_from)
            && (tables.between(king_from, rook_from) & occupied).is_empty()
            && tables
                .between(king_from, king_to)
                .with(king_to)
                .all(|square| Them::attackers(board, tables, square, occupied).is_empty())
        {
            sink.add(Bitboard::of(king_to), |to| [Move::castling(king_from, to)]);
        }
    }
}

#[inline]
fn en_passant<Us: Army, S: Sink>(board: &Board, movers: Bitboard, sink: &mut S) {
    let Some(to) = board.en_passant else { return };
    let captured = Square::new(to as u8 ^ 8);
    for from in Us::pawn_attack_origins(Bitboard::of(to)) & Us::pieces(board, Role::Pawn) & movers {
        if board.en_passant_is_legal(from, to, captured) {
            sink.add(Bitboard::of(to), |to| [Move::en_passant(from, to)]);
        }
    }
}
