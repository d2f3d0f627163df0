//! Making moves. There is no unmake: positions are small, and callers copy them (copy-make).

use super::army::{Army, BLACK, Persian, Spartan, WHITE};
use super::zobrist::{piece_key, side_key};
use super::{Board, Variant, dispatch};
use crate::attacks::pawn_attacks;
use crate::types::{Bitboard, CastlingSide, CastlingSquares, Colour, Move, MoveKind, Piece, PieceType, Role, Square};

impl Board {
    /// Makes a legal move. An illegal one corrupts the position; check with [`Board::is_legal`].
    #[inline]
    pub fn make_move(&mut self, mv: Move) {
        dispatch!(self, make::<Us, Them>(self, mv));
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let mut next = self.clone();
        next.make_move(mv);
        next
    }

    /// The approximate key after a move, for prefetching. It is wrong if the move castles, promotes, captures en
    /// passant, or changes castling or en-passant rights.
    #[inline]
    pub fn likely_key_after(&self, mv: Move) -> u64 {
        let (us, from, to) = (self.side_to_move, mv.from(), mv.to());
        let mut key = self.key() ^ side_key();
        if let Some(kind) = self.kind_on(from) {
            let piece = Piece { colour: us, kind };
            key ^= piece_key(piece, from) ^ piece_key(piece, to);
        }
        if let Some(kind) = self.kind_on(to) {
            key ^= piece_key(Piece { colour: !us, kind }, to);
        }
        key
    }

    /// The key after a legal move, or `None` if the move changes more than the squares of the moving and the captured
    /// piece: if it castles, promotes, or may change castling or en-passant rights.
    #[inline]
    pub fn key_after(&self, mv: Move) -> Option<u64> {
        let (from, to) = (mv.from(), mv.to());
        let may_set_en_passant = self.variant.has_en_passant() && self.kind_on(from) == Some(PieceType::Pawn);
        let is_plain = mv.kind() == MoveKind::Normal
            && self.en_passant.is_none()
            && !may_set_en_passant
            && self.castling.after_move(from, to) == self.castling;
        is_plain.then(|| self.likely_key_after(mv))
    }

    /// Whether no later position can equal an earlier one: after a capture or a move by a pawn or hoplite.
    #[inline]
    pub fn is_irreversible(&self, mv: Move) -> bool {
        self.captured(mv).is_some() || self.kind_on(mv.from()).is_some_and(PieceType::is_pawn)
    }

    /// Passes the turn to the other side. The side to move must not be in check.
    pub fn make_null_move(&mut self) {
        self.clear_en_passant();
        self.side_to_move = !self.side_to_move;
        self.keys.toggle_side();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.update_kings();
    }

    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.keys.toggle_en_passant(square.file());
        }
    }

    /// Sets the en-passant square only if a legal en-passant capture exists, so that positions with the same legal
    /// moves have the same key (FIDE 9.2.3).
    pub(super) fn set_en_passant(&mut self, square: Square) {
        let us = self.side_to_move;
        let captured = Square::new(square as u8 ^ 8);
        let pawn = Piece { colour: !us, kind: PieceType::Pawn };
        let attackers = pawn_attacks(pawn, Bitboard::of(square)) & self.coloured(us, PieceType::Pawn);
        if attackers.into_iter().any(|from| self.en_passant_is_legal(from, square, captured)) {
            self.en_passant = Some(square);
            self.keys.toggle_en_passant(square.file());
        }
    }

    /// Whether the king is not attacked after an en-passant capture. Pins do not suffice: two pawns leave one rank at
    /// once.
    pub(super) fn en_passant_is_legal(&self, from: Square, to: Square, captured: Square) -> bool {
        let us = self.side_to_move;
        let occupied = self.occupied().without(from).without(captured).with(to);
        self.kings(us)
            .first()
            .is_none_or(|king| (self.attackers_of(!us, king, occupied) & !Bitboard::of(captured)).is_empty())
    }
}

#[inline]
fn make<Us: Army, Them: Army>(board: &mut Board, mv: Move) {
    let (from, to) = (mv.from(), mv.to());
    let Some(kind) = board.kind_on(from) else { return };
    let us = Us::COLOUR;
    let mover = Piece { colour: us, kind };
    let mut double_step = false;

    board.halfmove_clock = board.halfmove_clock.saturating_add(1);
    if Us::ROSTER.en_passant && Them::ROSTER.en_passant {
        board.clear_en_passant();
    }

    if let Some(captured) = board.kind_on(to) {
        let captured = Piece { colour: Them::COLOUR, kind: captured };
        board.remove_piece(captured, to);
        board.halfmove_clock = 0;
    }
    board.remove_piece(mover, from);
    let mut placed = mover;
    if kind == Us::piece(Role::Pawn).kind {
        board.halfmove_clock = 0;
        double_step = from as u8 ^ to as u8 == 16;
    }

    match mv.kind() {
        MoveKind::Normal => {}
        MoveKind::Promotion(promoted) => placed.kind = promoted,
        MoveKind::Castling => {
            let side = if to > from { CastlingSide::King } else { CastlingSide::Queen };
            let CastlingSquares { rook_from, rook_to, .. } = side.squares(us);
            let rook = Piece { colour: us, kind: PieceType::Rook };
            board.remove_piece(rook, rook_from);
            board.put_piece(rook, rook_to);
        }
        MoveKind::EnPassant => {
            let captured = Piece { colour: Them::COLOUR, kind: PieceType::Pawn };
            let square = Square::new(to as u8 ^ 8);
            board.remove_piece(captured, square);
        }
    }
    board.put_piece(placed, to);

    if (Us::ROSTER.castles || Them::ROSTER.castles) && !board.castling.is_empty() {
        let rights = board.castling.after_move(from, to);
        if rights != board.castling {
            board.keys.toggle_castling(board.castling);
            board.keys.toggle_castling(rights);
            board.castling = rights;
        }
    }
    if us == Colour::Black {
        board.fullmove_number = board.fullmove_number.saturating_add(1);
    }
    board.side_to_move = Them::COLOUR;
    board.keys.toggle_side();
    if Us::ROSTER.en_passant && Them::ROSTER.en_passant && double_step {
        board.set_en_passant(Square::new((from as u8 + to as u8) / 2));
    }
    super::update_kings::<Them, Us>(board);
    debug_assert_eq!(board.keys, board.recomputed_keys());
}
