//! Legal move generation, in sets.
//!
//! For each king the board keeps the destinations that leave it unattacked and the own pieces that
//! are pinned to it ([`super::KingState`]). A side with one king must stay inside that king's set.
//! A side with two may go wherever at least one of the two stays safe: the union of both sets. The
//! moves of a king itself obey the same union, with the squares that are not attacked once the king
//! has left as its own set, so duple-check needs no case of its own.

use super::army::{Army, BLACK, Persian, Spartan, WHITE};
use super::{Board, KingState, Variant, dispatch};
use crate::attacks::{Tables, tables};
use crate::types::{Bitboard, Colour, Move, MoveKind, MoveList, PieceType, Square};
use rayon::prelude::*;

/// Captures, promotions and all other moves.
const ALL: u8 = 0;
/// Captures and promotions.
const NOISY: u8 = 1;
/// Neither captures nor promotions.
const QUIET: u8 = 2;

/// What becomes of the generated moves.
trait Sink {
    /// A piece goes to each of the squares.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Pawns go to the squares, each from the square `delta` below its target.
    fn pawns(&mut self, targets: Bitboard, delta: i8);
    /// Pawns go to the squares and become any of the kinds.
    fn promotions(&mut self, targets: Bitboard, delta: i8, kinds: &[PieceType]);
    /// A single move of any kind.
    fn single(&mut self, mv: Move);
}

#[inline]
fn origin(target: Square, delta: i8) -> Square {
    Square::new((target as u8).wrapping_add_signed(-delta))
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        self.extend(targets.map(|to| Move::normal(from, to)));
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, delta: i8) {
        self.extend(targets.map(|to| Move::normal(origin(to, delta), to)));
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, delta: i8, kinds: &[PieceType]) {
        for to in targets {
            self.extend(kinds.iter().map(|&kind| Move::promotion(origin(to, delta), to, kind)));
        }
    }

    #[inline]
    fn single(&mut self, mv: Move) {
        self.push(mv);
    }
}

/// Counts moves without making them.
struct Counter(u32);

impl Sink for Counter {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) {
        self.0 += targets.count();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i8, kinds: &[PieceType]) {
        self.0 += targets.count() * kinds.len() as u32;
    }

    #[inline]
    fn single(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// Looks for one move among the generated ones.
struct Finder {
    wanted: Move,
    found: bool,
}

impl Sink for Finder {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        self.found |=
            self.wanted.kind() == MoveKind::Normal && self.wanted.from() == from && targets.has(self.wanted.to());
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, delta: i8) {
        let to = self.wanted.to();
        self.found |=
            self.wanted.kind() == MoveKind::Normal && targets.has(to) && origin(to, delta) == self.wanted.from();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, delta: i8, kinds: &[PieceType]) {
        let to = self.wanted.to();
        self.found |= self.wanted.promoted().is_some_and(|kind| kinds.contains(&kind))
            && targets.has(to)
            && origin(to, delta) == self.wanted.from();
    }

    #[inline]
    fn single(&mut self, mv: Move) {
        self.found |= self.wanted == mv;
    }
}

/// Sees whether there is any move at all.
struct AnyMove(bool);

impl Sink for AnyMove {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 |= targets.nonempty();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) {
        self.0 |= targets.nonempty();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i8, _: &[PieceType]) {
        self.0 |= targets.nonempty();
    }

    #[inline]
    fn single(&mut self, _: Move) {
        self.0 = true;
    }
}

impl Board {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        dispatch!(self, generate::<Us, Them, ALL, MoveList>(self, Bitboard::ALL, &mut list));
        list
    }

    /// Adds the legal captures and promotions to a list.
    pub fn noisy_moves(&self, list: &mut MoveList) {
        dispatch!(self, generate::<Us, Them, NOISY, MoveList>(self, Bitboard::ALL, list));
    }

    /// Adds the legal moves that neither capture nor promote to a list.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        dispatch!(self, generate::<Us, Them, QUIET, MoveList>(self, Bitboard::ALL, list));
    }

    /// The number of legal moves.
    pub fn count_moves(&self) -> u32 {
        let mut counter = Counter(0);
        dispatch!(self, generate::<Us, Them, ALL, Counter>(self, Bitboard::ALL, &mut counter));
        counter.0
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        let mut any = AnyMove(false);
        dispatch!(self, generate::<Us, Them, ALL, AnyMove>(self, Bitboard::ALL, &mut any));
        any.0
    }

    /// Whether a move, which may come from anywhere, is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        if !self.colour(self.side_to_move).has(mv.from()) {
            return false;
        }
        let mut finder = Finder { wanted: mv, found: false };
        dispatch!(self, generate::<Us, Them, ALL, Finder>(self, Bitboard::of(mv.from()), &mut finder));
        finder.found
    }

    /// Whether a legal move captures or promotes.
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

    /// The number of leaf nodes of the tree of legal moves, moves being counted and not made at the
    /// last ply.
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => u64::from(self.count_moves()),
            _ => self.legal_moves().into_iter().map(|mv| self.after(mv).perft(depth - 1)).sum(),
        }
    }
}

/// A count of leaf nodes by root move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// Each legal move with the leaf nodes behind it, in the order of generation.
    pub divide: Vec<(Move, u64)>,
}

impl Perft {
    /// Counts to a depth of at least 1, in the current rayon pool.
    pub fn run(board: &Board, depth: u32) -> Self {
        // Two plies are split into tasks: root moves alone are too few and too unequal.
        let divide = board
            .legal_moves()
            .into_par_iter_list()
            .map(|mv| {
                let next = board.after(mv);
                let nodes = if depth < 4 {
                    next.perft(depth.saturating_sub(1))
                } else {
                    next.legal_moves().into_par_iter_list().map(|reply| next.after(reply).perft(depth - 2)).sum()
                };
                (mv, nodes)
            })
            .collect();
        Self { divide }
    }

    /// The sum over all root moves.
    pub fn total(&self) -> u64 {
        self.divide.iter().map(|&(_, nodes)| nodes).sum()
    }
}

/// A list of moves as the start of parallel work.
trait IntoParList {
    fn into_par_iter_list(self) -> rayon::vec::IntoIter<Move>;
}

impl IntoParList for MoveList {
    fn into_par_iter_list(self) -> rayon::vec::IntoIter<Move> {
        self.to_vec().into_par_iter()
    }
}

/// Gives the legal moves of one class of the pieces in `movers` to a sink.
#[inline]
fn generate<Us: Army, Them: Army, const CLASS: u8, S: Sink>(board: &Board, movers: Bitboard, sink: &mut S) {
    let tables = tables();
    let occupied = board.occupied();
    let own = board.colour(Us::COLOUR);
    let enemies = board.colour(Them::COLOUR);
    let allowed = match CLASS {
        NOISY => enemies,
        QUIET => !occupied,
        _ => !own,
    };
    let movers = movers & own;
    let [first, second] = if Us::MAX_KINGS > 1 { board.kings } else { [board.kings[0], KingState::ABSENT] };
    let two_kings = Us::MAX_KINGS > 1 && board.has_two_kings(Us::COLOUR);
    let targets = first.safe | second.safe;

    if targets.nonempty() {
        let restricted = restricted(&first, &second);
        let free = movers & !restricted;
        pawns::<Us, CLASS, S>(free & Us::pieces(board, 0), targets, occupied, enemies, sink);
        pieces::<Us, S>(board, tables, 1, free, targets & allowed, sink);
        pieces::<Us, S>(board, tables, 2, free, targets & allowed, sink);
        pieces::<Us, S>(board, tables, 3, free, targets & allowed, sink);
        pieces::<Us, S>(board, tables, 4, free, targets & allowed, sink);
        let restricted = restricted & movers & !Us::pieces(board, 5);
        for from in restricted {
            let targets = first.allows(tables, from) | second.allows(tables, from);
            let alone = Bitboard::of(from);
            pawns::<Us, CLASS, S>(alone & Us::pieces(board, 0), targets, occupied, enemies, sink);
            for slot in 1..5 {
                pieces::<Us, S>(board, tables, slot, alone, targets & allowed, sink);
            }
        }
    }
    if Us::MAX_KINGS > 1 && CLASS != QUIET && !two_kings {
        king_promotions::<Us, Them, S>(board, tables, movers, &first, sink);
    }

    king::<Us, Them, S>(board, tables, &first, &second, movers, allowed, sink);
    if two_kings {
        king::<Us, Them, S>(board, tables, &second, &first, movers, allowed, sink);
    }
    if Us::CASTLES && CLASS != NOISY && !board.castling.is_empty() && first.safe == Bitboard::ALL {
        castling::<Us, Them, S>(board, tables, movers, sink);
    }
    if Us::EN_PASSANT && Them::EN_PASSANT && CLASS != QUIET {
        en_passant::<Us, S>(board, movers, sink);
    }
}

/// The pieces for which the union of both kings' sets must be made anew. A piece that is pinned to
/// one king is free as long as the other king is not attacked.
#[inline]
fn restricted(first: &KingState, second: &KingState) -> Bitboard {
    match (first.safe == Bitboard::ALL, second.safe == Bitboard::ALL) {
        (true, true) => first.pinned & second.pinned,
        (true, false) => first.pinned,
        (false, true) => second.pinned,
        (false, false) => first.pinned | second.pinned,
    }
}

#[inline]
fn pieces<Us: Army, S: Sink>(
    board: &Board,
    tables: &Tables,
    slot: usize,
    movers: Bitboard,
    targets: Bitboard,
    sink: &mut S,
) {
    for from in Us::pieces(board, slot) & movers {
        sink.piece(from, Us::destinations(slot, tables, from, board.occupied()) & targets);
    }
}

#[inline]
fn pawns<Us: Army, const CLASS: u8, S: Sink>(
    pawns: Bitboard,
    targets: Bitboard,
    occupied: Bitboard,
    enemies: Bitboard,
    sink: &mut S,
) {
    for (to, delta) in Us::pawn_steps(pawns, !occupied) {
        let to = to & targets;
        if CLASS != NOISY {
            sink.pawns(to & !Us::LAST_RANK, delta);
        }
        if CLASS != QUIET && (to & Us::LAST_RANK).nonempty() {
            sink.promotions(to & Us::LAST_RANK, delta, &Us::PROMOTIONS);
        }
    }
    if CLASS != QUIET {
        for (to, delta) in Us::pawn_captures(pawns, enemies) {
            let to = to & targets;
            sink.pawns(to & !Us::LAST_RANK, delta);
            if (to & Us::LAST_RANK).nonempty() {
                sink.promotions(to & Us::LAST_RANK, delta, &Us::PROMOTIONS);
            }
        }
    }
}

/// Promotions of hoplites to a second king. The new king may be the one that is safe.
#[inline]
fn king_promotions<Us: Army, Them: Army, S: Sink>(
    board: &Board,
    tables: &Tables,
    movers: Bitboard,
    king: &KingState,
    sink: &mut S,
) {
    let pawns = Us::pieces(board, 0) & movers & Us::pawn_attack_origins(Us::LAST_RANK);
    if pawns.is_empty() {
        return;
    }
    let steps = Us::pawn_steps(pawns, !board.occupied());
    let captures = Us::pawn_captures(pawns, board.colour(Them::COLOUR));
    for (targets, delta) in steps.into_iter().chain(captures) {
        for to in targets {
            let from = origin(to, delta);
            let occupied = board.occupied().without(from).with(to);
            if king.allows(tables, from).has(to) || Them::attackers(board, tables, to, occupied).is_empty() {
                sink.single(Move::promotion(from, to, PieceType::King));
            }
        }
    }
}

/// Moves of one king. It may go where it is not attacked, or anywhere that leaves the other safe.
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
    let sheltered = other.allows(tables, from);
    if !(targets & !sheltered).is_empty() {
        // Sliders see through the square that the king leaves.
        let attacked = Them::attacks(board, tables, board.occupied().without(from));
        targets &= !attacked | sheltered;
    }
    sink.piece(from, targets);
}

#[inline]
fn castling<Us: Army, Them: Army, S: Sink>(board: &Board, tables: &Tables, movers: Bitboard, sink: &mut S) {
    let from = if Us::COLOUR == Colour::White { Square::E1 } else { Square::E8 };
    if !movers.has(from) {
        return;
    }
    let occupied = board.occupied();
    for (king_side, rook, to) in [(true, 3, 2), (false, -4, -2)] {
        let (Some(rook), Some(to)) = (from.offset(rook, 0), from.offset(to, 0)) else { continue };
        if board.castling.has(Us::COLOUR, king_side)
            && (tables.between(from, rook) & occupied).is_empty()
            && tables.between(from, to).with(to).all(|s| Them::attackers(board, tables, s, occupied).is_empty())
        {
            sink.single(Move::castling(from, to));
        }
    }
}

#[inline]
fn en_passant<Us: Army, S: Sink>(board: &Board, movers: Bitboard, sink: &mut S) {
    let Some(to) = board.en_passant else { return };
    let captured = Square::new(to as u8 ^ 8);
    for from in Us::pawn_attack_origins(Bitboard::of(to)) & Us::pieces(board, 0) & movers {
        if board.en_passant_is_legal(from, to, captured) {
            sink.single(Move::en_passant(from, to));
        }
    }
}
