//! Static exchange evaluation (SEE): the material balance of a move after both sides have captured on its destination
//! as long as it pays, least valuable attackers first.

use super::Board;
use crate::attacks::tables;
use crate::types::{Bitboard, Colour, Move, MoveKind, PieceType, Square};

/// All kinds from the least to the most valuable; the king's place is that of a second king.
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

impl Board {
    /// Whether a legal move wins at least `threshold` centipawns by exchanges on its destination.
    ///
    /// Pins are ignored. A royal king captures only if it cannot be recaptured; while there are two Spartan kings,
    /// either is treated as an ordinary piece.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let (from, to) = (mv.from(), mv.to());
        if mv.kind() == MoveKind::Castling {
            return threshold <= 0;
        }
        let Some(mover) = self.kind_on(from) else { return false };
        let mut balance = self.captured(mv).map_or(0, PieceType::exchange_value) - threshold;
        let mut on_square = mover.exchange_value();
        if let Some(promoted) = mv.promoted() {
            balance += promoted.exchange_value() - mover.exchange_value();
            on_square = promoted.exchange_value();
        }
        if balance < 0 {
            return false;
        }
        // At worst the moved piece is lost. A royal king never is.
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
        // The number of kings of each side during the exchange.
        let mut kings = [self.kings(Colour::White).count(), self.kings(Colour::Black).count()];
        if self.captured(mv) == Some(PieceType::King) {
            kings[side.index()] -= 1;
        }
        let mut victim = mv.promoted().unwrap_or(mover);
        if mv.promoted() == Some(PieceType::King) {
            kings[us.index()] += 1;
        }
        // The result for the side that made the move, if the exchange ends here. Each capture reverses it.
        let mut wins = true;
        loop {
            attackers &= occupied;
            let royal = kings[side.index()] < 2;
            let Some((kind, square)) = self.least_valuable(attackers & self.colour(side), royal) else { break };
            if kind == PieceType::King && royal {
                // It captures only unprotected pieces; x-rays through its own square protect, too.
                let behind = occupied.without(square);
                let opened = tables.rook(to, behind) & orthogonal | tables.bishop(to, behind) & diagonal;
                if ((attackers | opened) & behind & self.colour(!side)).nonempty() {
                    break;
                }
            }
            wins = !wins;
            // The side captures and risks its piece. If the balance is good enough even then, it has won.
            balance = -balance - 1 - kind.exchange_value();
            if balance >= 0 {
                break;
            }
            if victim == PieceType::King {
                kings[(!side).index()] -= 1;
            }
            victim = kind;
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

    const SECOND_KING: i32 = PieceType::King.exchange_value();

    #[test]
    fn order_follows_values() {
        assert!(BY_VALUE.is_sorted_by_key(|kind| kind.exchange_value()));
    }

    /// The exact SEE value of a move, found by trying thresholds.
    fn see(fen: &str, text: &str) -> i32 {
        let board = Board::from_fen(fen, Variant::Spartan).unwrap();
        let mv = board.parse_move(text).unwrap();
        (-1500..1500).rev().find(|&threshold| board.see_ge(mv, threshold)).unwrap()
    }

    #[test]
    fn hand_made_exchanges() {
        // An unprotected hoplite.
        assert_eq!(see("2k2k2/8/8/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), 100);
        // A hoplite protects the square straight ahead.
        assert_eq!(see("2k2k2/8/3h4/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
        // It does not protect the square diagonally ahead.
        assert_eq!(see("2k2k2/8/2h5/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), 100);
        // A captain protects by leaping over a piece.
        assert_eq!(see("2k2k2/3c4/3h4/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
        assert_eq!(see("2k2k2/3c4/3N4/3h4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
        // X-ray through an own rook.
        assert_eq!(see("2k2k2/3c4/3P4/3h4/8/8/3R4/3RK3 w - - 0 1", "d2d5"), 100 - 500 + 300);
    }

    #[test]
    fn spartan_kings_in_exchanges() {
        // One of two kings can be won, protected or not.
        assert_eq!(see("3k4/8/8/8/8/8/8/3RK2k w - - 0 1", "d1d8"), SECOND_KING);
        assert_eq!(see("3kk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8"), SECOND_KING - 500);
        // A second king recaptures although it can be recaptured.
        assert_eq!(see("8/8/4k3/3h4/8/8/3R4/k2RK3 w - - 0 1", "d2d5"), 100 - 500 + SECOND_KING);
        // A lone king does not recapture on an attacked square.
        assert_eq!(see("8/8/4k3/3h4/8/8/3R4/3RK3 w - - 0 1", "d2d5"), 100);
        assert_eq!(see("8/8/4k3/3h4/8/8/3R4/4K3 w - - 0 1", "d2d5"), -400);
        // The king that recaptures is lost; the other king cannot recapture because of the queen behind.
        assert_eq!(see("8/8/3kk3/3h4/8/3R4/3R4/3QK3 w - - 0 1", "d3d5"), 100 - 500 + SECOND_KING);
        // Nor if it shields the destination from a queen behind it.
        assert_eq!(see("8/8/8/2Q5/2k5/3c2Q1/2k1N3/4K3 b - - 0 1", "d3c3"), -300);
        // After the capture of one king the other is royal and cannot recapture on an attacked square.
        assert_eq!(see("8/8/4k3/3k4/8/8/3R4/3RK3 w - - 0 1", "d2d5"), SECOND_KING);
    }
}
