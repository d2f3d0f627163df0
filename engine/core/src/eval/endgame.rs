//! Endgame knowledge: drawish material, and the way to mate ("Mop-up Evaluation" of chessprogramming.org).

use super::terms::{nearest, pieces_worth};
use crate::board::Board;
use crate::types::score::MAX_EVAL;
use crate::types::{Bitboard, Colour, PieceType, Square};

/// The scale that changes nothing.
pub(super) const FULL_SCALE: i32 = 64;

/// Whether the position is a mop-up endgame: a lone king against mating material, or a queen, general or warlord
/// against a minor piece. Engine games end before, so the network does not learn these positions; the hand-made
/// evaluation knows how to win them.
#[inline]
pub(super) fn is_mop_up(board: &Board) -> bool {
    winner(board).is_some()
}

/// The winner of a mop-up endgame, see [`is_mop_up`].
#[inline]
fn winner(board: &Board) -> Option<Colour> {
    let is_won = |&strong: &Colour| {
        let pieces = board.colour(!strong);
        if pieces == board.kings(!strong) {
            !board.has_two_kings(!strong) && has_mating_material(board, strong)
        } else {
            pieces.count() == 2 && beats_a_minor_piece(board, strong)
        }
    };
    Colour::ALL.into_iter().find(is_won)
}

/// Whether a side has only its king and a queen, general or warlord, and a minor piece is on the other side, which has
/// two pieces.
fn beats_a_minor_piece(board: &Board, strong: Colour) -> bool {
    use PieceType::{Bishop, Captain, General, Knight, Lieutenant, Queen, Warlord};
    let of = |kinds: &[PieceType]| kinds.iter().fold(Bitboard::EMPTY, |set, &kind| set | board.kind(kind));
    board.colour(strong).count() == 2
        && (board.colour(strong) & of(&[Queen, General, Warlord])).nonempty()
        && (board.colour(!strong) & of(&[Bishop, Knight, Captain, Lieutenant])).nonempty()
}

/// The value of a mop-up endgame from White's view; `None` for other positions.
#[inline]
pub(super) fn mop_up(board: &Board) -> Option<i32> {
    let strong = winner(board)?;
    let value = won_value(board, strong);
    Some(if strong == Colour::White { value } else { -value })
}

/// The factor, in units of 1 / [`FULL_SCALE`], of an evaluation that favours `strong`.
#[inline]
pub(super) fn endgame_scale(board: &Board, strong: Colour) -> i32 {
    let pawnless = (board.pawns() & board.colour(strong)).is_empty();
    if pawnless { pawnless_scale(board, strong) } else { FULL_SCALE }
}

#[cold]
fn pawnless_scale(board: &Board, strong: Colour) -> i32 {
    let weak = !strong;
    if !has_mating_material(board, strong) {
        return 2;
    }
    let kings_only = board.colour(weak) == board.kings(weak);
    let [ours, theirs] = [strong, weak].map(|side| pieces_worth(board, side, |worth| worth.points));
    if kings_only && ours <= 9 {
        // At most a queen against two kings, which protect each other.
        return 20;
    }
    // An advantage of at most a minor piece, such as a rook against any Spartan piece.
    if ours - theirs <= 3 { 16 } else { FULL_SCALE }
}

/// Whether a side without pawns can force mate against a lone king. A captain can. A single lieutenant, knight or
/// bishop cannot, nor can two knights, or bishops on squares of one colour.
fn has_mating_material(board: &Board, colour: Colour) -> bool {
    use PieceType::{Bishop, Captain, General, Knight, Lieutenant, Queen, Rook, Warlord};
    let of = |kind| board.coloured(colour, kind);
    if (of(Queen) | of(Rook) | of(General) | of(Warlord) | of(Captain)).nonempty() || board.has_two_kings(colour) {
        return true;
    }
    let (knights, bishops, lieutenants) = (of(Knight), of(Bishop), of(Lieutenant));
    let both_colours = (bishops & Bitboard::DARK).nonempty() && (bishops & !Bitboard::DARK).nonempty();
    lieutenants.many() || both_colours || knights.nonempty() && bishops.nonempty() || knights.count() > 2
}

/// The value of a mop-up endgame for the winner: above other endgames, and higher the nearer the mate.
#[cold]
fn won_value(board: &Board, strong: Colour) -> i32 {
    /// The base value against a lone king, and against a king and a minor piece, which has to be won first.
    const LONE_KING: i32 = 1000;
    const MINOR_PIECE: i32 = 600;
    let weak = !strong;
    let is_alone = board.colour(weak) == board.kings(weak);
    let base = if is_alone { LONE_KING } else { MINOR_PIECE };
    let distance = match mating_corners(board, strong) {
        Some(corners) => distance_by_corners(board, strong, corners),
        None => distance_to_mate(board, strong),
    };
    (base + power(board, strong) - power(board, weak) - distance).min(MAX_EVAL - 1)
}

/// The material of a side by its mating power, in centipawns.
fn power(board: &Board, colour: Colour) -> i32 {
    let advance = |pawn: Square| if colour == Colour::White { pawn.rank().index() } else { 7 - pawn.rank().index() };
    let pawns: i32 = (board.pawns() & board.colour(colour)).map(|pawn| 80 + 20 * advance(pawn) as i32).sum();
    pawns + pieces_worth(board, colour, |worth| worth.mating)
}

/// An estimate of the distance to mate, in tenths of a ply: the king must be driven to an edge and a corner, and the
/// pieces must approach it. The weights are rounded from a regression over solved endgames.
fn distance_to_mate(board: &Board, strong: Colour) -> i32 {
    let weak = !strong;
    let weak_king = board.kings(weak).lowest();
    let kings = board.kings(strong);
    let pieces = board.colour(strong) & !kings & !board.pawns();
    let mut estimate = average(kings, |king| {
        10 * king_steps(king, weak_king) + 4 * manhattan(king, weak_king) + 12 * from_centre(king)
    });
    estimate += average(pieces, |piece| 5 * king_steps(piece, weak_king));
    estimate += 20 * (6 - from_centre(weak_king)) + 8 * from_edge(weak_king) + 4 * reachable(board, strong, weak_king);
    if pieces == board.coloured(strong, PieceType::Captain) {
        estimate += average(pieces, |captain| 10 * nearest(kings, captain) as i32 + 5 * from_centre(captain));
    }
    // A piece away from its king can be won soon.
    let defenders = board.colour(weak) & !board.kings(weak);
    let chase =
        |piece: Square| 10 * (nearest(kings, piece) + nearest(pieces, piece) + 7 - piece.distance(weak_king)) as i32;
    estimate + average(defenders, chase)
}

/// As [`distance_to_mate`], with bishop and knight: the king must be driven to one of two corners. The weights were
/// chosen by the number of games won (`bench/CHANGELOG.md`).
fn distance_by_corners(board: &Board, strong: Colour, [one, other]: [Square; 2]) -> i32 {
    let weak_king = board.kings(!strong).lowest();
    let king = board.kings(strong).lowest();
    let pieces = board.colour(strong) & !board.kings(strong);
    45 * manhattan(one, weak_king).min(manhattan(other, weak_king))
        + 30 * from_edge(weak_king)
        + 25 * king_steps(king, weak_king)
        + 14 * manhattan(king, weak_king)
        + 8 * from_centre(king)
        + average(pieces, |piece| 8 * king_steps(piece, weak_king))
}

/// The mean over a set of squares; 0 if it is empty.
fn average(set: Bitboard, term: impl Fn(Square) -> i32) -> i32 {
    set.map(term).sum::<i32>() / (set.count() as i32).max(1)
}

/// The corners in which knight and bishop can mate: those of the bishop's colour. `None` for other pieces.
fn mating_corners(board: &Board, strong: Colour) -> Option<[Square; 2]> {
    let pieces = board.colour(strong) & !board.kings(strong);
    let bishops = board.coloured(strong, PieceType::Bishop);
    let knights = board.coloured(strong, PieceType::Knight);
    if pieces != bishops | knights || pieces.count() != 2 || bishops.count() != 1 {
        return None;
    }
    let is_dark = (bishops & Bitboard::DARK).nonempty();
    Some(if is_dark { [Square::A1, Square::H8] } else { [Square::A8, Square::H1] })
}

/// The number of squares that a king could reach if the other side did not move.
fn reachable(board: &Board, strong: Colour, king: Square) -> i32 {
    let free = !board.threats_of(strong).all;
    let mut reached = Bitboard::of(king);
    loop {
        let row = reached | reached.shift(1, 0) | reached.shift(-1, 0);
        let wider = (row | row.shift(0, 1) | row.shift(0, -1)) & free | reached;
        if wider == reached {
            return reached.count() as i32;
        }
        reached = wider;
    }
}

/// King steps between two squares: 0 to 7.
fn king_steps(a: Square, b: Square) -> i32 {
    a.distance(b) as i32
}

/// The distance to the nearest edge: 0 to 3.
fn from_edge(square: Square) -> i32 {
    let (file, rank) = (square.file().index(), square.rank().index());
    file.min(7 - file).min(rank).min(7 - rank) as i32
}

/// The Manhattan distance to the four centre squares: 0 to 6.
fn from_centre(square: Square) -> i32 {
    let off = |index: usize| if index < 4 { 3 - index as i32 } else { index as i32 - 4 };
    off(square.file().index()) + off(square.rank().index())
}

/// The Manhattan distance of two squares: 0 to 14.
fn manhattan(a: Square, b: Square) -> i32 {
    (a.file().index().abs_diff(b.file().index()) + a.rank().index().abs_diff(b.rank().index())) as i32
}
