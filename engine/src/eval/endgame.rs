//! What is known of endings with few pieces: draws that look like wins, and the way to mate.

use super::terms::distance;
use crate::board::Board;
use crate::types::{Bitboard, Colour, PieceType, Square};

/// A scale that changes nothing.
pub(super) const FULL_SCALE: i32 = 64;

/// The correction of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Verdict {
    /// The part of the sum that is left, in [`FULL_SCALE`]ths.
    pub(super) scale: i32,
    /// What is added after scaling, from White's view.
    pub(super) bonus: i32,
}

/// Whether only the mating of a lone king is left: a side has nothing else, and the other the pieces for
/// it. That hardly occurs in games between engines, which end before, so that a network learns nothing of
/// it; the hand-made evaluation knows the way.
#[inline]
pub fn is_mop_up(board: &Board) -> bool {
    let is_alone = |&colour: &Colour| board.colour(colour) == board.kings(colour) && !board.has_two_kings(colour);
    Colour::ALL.iter().find(|colour| is_alone(colour)).is_some_and(|&weak| has_mating_material(board, !weak))
}

/// Looks at a position in which the sum favours a side.
#[inline]
pub(super) fn verdict(board: &Board, strong: Colour) -> Verdict {
    let weak = !strong;
    let pawnless = (board.pawns() & board.colour(strong)).is_empty();
    let bare = board.colour(weak) == board.kings(weak);
    if pawnless || bare { judge(board, strong, pawnless, bare) } else { Verdict { scale: FULL_SCALE, bonus: 0 } }
}

#[cold]
fn judge(board: &Board, strong: Colour, pawnless: bool, bare: bool) -> Verdict {
    let weak = !strong;
    let sure = Verdict { scale: FULL_SCALE, bonus: 0 };
    let can_mate = has_mating_material(board, strong);
    if pawnless && !can_mate {
        return Verdict { scale: 2, bonus: 0 };
    }
    if bare && !board.has_two_kings(weak) {
        if !can_mate {
            return sure;
        }
        let drive = drive(board, strong);
        return Verdict { scale: FULL_SCALE, bonus: if strong == Colour::White { drive } else { -drive } };
    }
    if pawnless {
        let (ours, theirs) = (points(board, strong), points(board, weak));
        if bare && ours <= 9 {
            // A queen against two kings that protect each other.
            return Verdict { scale: 20, bonus: 0 };
        }
        // An advantage of no more than a minor piece: rook against anything Spartan is such a case.
        if ours - theirs <= 3 {
            return Verdict { scale: 16, bonus: 0 };
        }
    }
    sure
}

/// The pieces of a side in pawns, a second king included, pawns themselves left out.
fn points(board: &Board, colour: Colour) -> i32 {
    use PieceType::{Bishop, Captain, General, Knight, Lieutenant, Queen, Rook, Warlord};
    let count = |kind| board.coloured(colour, kind).count() as i32;
    3 * (count(Knight) + count(Bishop) + count(Lieutenant) + count(Captain))
        + 5 * (count(Rook) + i32::from(board.has_two_kings(colour)))
        + 7 * count(General)
        + 8 * count(Warlord)
        + 9 * count(Queen)
}

/// Whether a side without pawns could mate a bare king by force. A captain can, a lieutenant or
/// knight or bishop alone cannot, nor can two knights or bishops of one colour of squares.
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

/// Mop-up: how far a lone king has been driven, to an edge and a corner and towards the enemy's
/// king or kings, with a bonus for having come so far.
fn drive(board: &Board, strong: Colour) -> i32 {
    const WON: i32 = 200;
    let prey = board.kings(!strong).lowest();
    let hunters = board.kings(strong);
    let near: i32 = hunters.map(|king| 7 - distance(king, prey) as i32).sum();
    let mut drive = WON + 8 * near / hunters.count().max(1) as i32 + 10 * from_centre(prey);
    // Knight and bishop mate only in a corner that the bishop attacks.
    let pieces = board.colour(strong) & !hunters;
    let bishops = board.coloured(strong, PieceType::Bishop);
    if pieces == bishops | board.coloured(strong, PieceType::Knight) && pieces.count() == 2 && !bishops.many() {
        let corners =
            if (bishops & Bitboard::DARK).nonempty() { [Square::A1, Square::H8] } else { [Square::A8, Square::H1] };
        let corner = corners.into_iter().map(|corner| steps(corner, prey)).min().unwrap_or(0);
        drive += 15 * (14 - corner);
    }
    drive
}

/// Steps along files and ranks from the four squares in the middle: 0 to 6.
fn from_centre(square: Square) -> i32 {
    let off = |index: usize| if index < 4 { 3 - index as i32 } else { index as i32 - 4 };
    off(square.file().index()) + off(square.rank().index())
}

/// Steps along files and ranks between two squares: 0 to 14.
fn steps(a: Square, b: Square) -> i32 {
    (a.file().index().abs_diff(b.file().index()) + a.rank().index().abs_diff(b.rank().index())) as i32
}
