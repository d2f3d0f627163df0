//! Static exchange evaluation: what a capture wins or loses once both sides have taken back on the
//! square as often as it pays, least valuable pieces first.

use super::Board;
use crate::attacks::tables;
use crate::types::{Bitboard, Colour, Move, MoveKind, PieceType, Square};

/// A Spartan king is worth this while there are two of them.
const SECOND_KING: i32 = 400;

/// What a piece counts in exchanges, in centipawns. A royal king has no price: whether it may take
/// part is decided by the rules.
const fn value_of(kind: PieceType) -> i32 {
    match kind {
        PieceType::Pawn | PieceType::Hoplite => 100,
        PieceType::Captain => 300,
        PieceType::Knight | PieceType::Lieutenant => 320,
        PieceType::Bishop => 330,
        PieceType::King => SECOND_KING,
        PieceType::Rook => 500,
        PieceType::General => 720,
        PieceType::Warlord => 820,
        PieceType::Queen => 950,
    }
}

/// All kinds from the least to the most valuable, a second king in its place.
const BY_VALUE: [PieceType; PieceType::COUNT] = [
    PieceType::Pawn,
    PieceType::Hoplite,
    PieceType::Captain,
    PieceType::Knight,
    PieceType::Lieutenant,
    PieceType::Bishop,
    PieceType::King,
    PieceType::Rook,
    PieceType::General,
    PieceType::Warlord,
    PieceType::Queen,
];

impl PieceType {
    /// The value in exchanges, in centipawns; for a king, that of a Spartan king while there are two.
    #[inline]
    pub const fn exchange_value(self) -> i32 {
        value_of(self)
    }
}

impl Board {
    /// Whether a legal move wins at least `threshold` centipawns by exchanges on its destination.
    ///
    /// Pins are not looked at. A king that may not be left attacked joins in only when nobody can
    /// take back; a Spartan king that is one of two is a piece like others.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let (from, to) = (mv.from(), mv.to());
        if mv.kind() == MoveKind::Castling {
            return threshold <= 0;
        }
        let Some(mover) = self.kind_on(from) else { return false };
        let mut balance = self.captured(mv).map_or(0, value_of) - threshold;
        let mut on_square = value_of(mover);
        if let Some(promoted) = mv.promoted() {
            balance += value_of(promoted) - value_of(mover);
            on_square = value_of(promoted);
        }
        if balance < 0 {
            return false;
        }
        // The piece that has moved is lost at worst, but a royal king never is.
        let us = self.side_to_move();
        if mover == PieceType::King && !self.has_two_kings(us) {
            return true;
        }
        balance -= on_square;
        if balance >= 0 {
            return true;
        }

        let tables = tables();
        let mut occupied = self.occupied().without(from).with(to);
        if mv.kind() == MoveKind::EnPassant {
            occupied = occupied.without(Square::new(to as u8 ^ 8));
        }
        let orthogonal = self.kind(PieceType::Rook) | self.kind(PieceType::Queen) | self.kind(PieceType::General);
        let diagonal = self.kind(PieceType::Bishop) | self.kind(PieceType::Queen) | self.kind(PieceType::Warlord);
        let mut attackers =
            self.attackers_of(Colour::White, to, occupied) | self.attackers_of(Colour::Black, to, occupied);
        let mut side = !us;
        // Kings of each side, as they would be in the course of the exchange.
        let mut kings = [self.kings(Colour::White).count(), self.kings(Colour::Black).count()];
        if self.captured(mv) == Some(PieceType::King) {
            kings[side.index()] -= 1;
        }
        let mut prey = mv.promoted().unwrap_or(mover);
        if mv.promoted() == Some(PieceType::King) {
            kings[us.index()] += 1;
        }
        // The verdict for the side whose turn it is not, once the other one finds nothing to take with.
        let mut wins = true;
        loop {
            attackers &= occupied;
            let royal = kings[side.index()] < 2;
            let Some((kind, square)) = self.least_valuable(attackers & self.colour(side), royal) else { break };
            if kind == PieceType::King && royal {
                // It takes only what is not protected, through the square that it leaves included.
                let behind = occupied.without(square);
                let opened = tables.rook(to, behind) & orthogonal | tables.bishop(to, behind) & diagonal;
                if ((attackers | opened) & behind & self.colour(!side)).nonempty() {
                    break;
                }
            }
            wins = !wins;
            // The side takes and stands to lose its piece; if that still reaches the goal, it is done.
            balance = -balance - 1 - value_of(kind);
            if balance >= 0 {
                break;
            }
            if prey == PieceType::King {
                kings[(!side).index()] -= 1;
            }
            prey = kind;
            occupied = occupied.without(square);
            attackers |= tables.rook(to, occupied) & orthogonal | tables.bishop(to, occupied) & diagonal;
            side = !side;
        }
        wins
    }

    fn least_valuable(&self, own: Bitboard, royal: bool) -> Option<(PieceType, Square)> {
        let king = (PieceType::King, (own & self.kind(PieceType::King)).first());
        BY_VALUE
            .iter()
            .filter(|&&kind| !(royal && kind == PieceType::King))
            .map(|&kind| (kind, (own & self.kind(kind)).first()))
            .chain([king])
            .find_map(|(kind, square)| Some((kind, square?)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Variant;
    use super::*;

    /// The exact value of a capture by see_ge, found by trying thresholds.
    fn see(fen: &str, text: &str) -> i32 {
        let board = Board::from_fen(fen, Variant::Spartan).unwrap();
        let mv = board.parse_move(text).unwrap();
        (-1500..1500).rev().find(|&threshold| board.see_ge(mv, threshold)).unwrap()
    }

    #[test]
    fn hand_made_exchanges() {
        // A free hoplite.
        assert_eq!(see("2k2k2/8/8/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), 100);
        // The hoplite behind it protects straight ahead.
        assert_eq!(see("2k2k2/8/3h4/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
        // A hoplite beside it does not.
        assert_eq!(see("2k2k2/8/2h5/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), 100);
        // A leaping captain protects over the hoplite.
        assert_eq!(see("2k2k2/3c4/3h4/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
        assert_eq!(see("2k2k2/3c4/3N4/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
        // X-ray through the own rook.
        assert_eq!(see("2k2k2/3c4/3P4/3h4/8/8/3R4/3RK3 w - - 0 1", "d2d5"), 100 - 500 + 300);
    }

    #[test]
    fn spartan_kings_in_exchanges() {
        // One of two kings is a prize of its own, protected or not.
        assert_eq!(see("3k4/8/8/8/8/8/8/3RK2k w - - 0 1", "d1d8"), SECOND_KING);
        assert_eq!(see("3kk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8"), SECOND_KING - 500);
        // A second king takes back although it can be taken in turn.
        assert_eq!(see("8/8/4k3/3h4/8/8/3R4/k2RK3 w - - 0 1", "d2d5"), 100 - 500 + SECOND_KING);
        // A lone king does not step into attack.
        assert_eq!(see("8/8/4k3/3h4/8/8/3R4/3RK3 w - - 0 1", "d2d5"), 100);
        assert_eq!(see("8/8/4k3/3h4/8/8/3R4/4K3 w - - 0 1", "d2d5"), -400);
        // The king that took back is lost in turn; the other may not follow, since the queen stands behind.
        assert_eq!(see("8/8/3kk3/3h4/8/3R4/3R4/3QK3 w - - 0 1", "d3d5"), 100 - 500 + SECOND_KING);
        // Nor with a queen in front of which it stands.
        assert_eq!(see("8/8/8/2Q5/2k5/3c2Q1/2k1N3/4K3 b - - 0 1", "d3c3"), -300);
        // After one king is taken the other is royal and may not take back into attack.
        assert_eq!(see("8/8/4k3/3k4/8/8/3R4/3RK3 w - - 0 1", "d2d5"), SECOND_KING);
    }
}
