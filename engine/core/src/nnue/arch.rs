//! The architecture of the network and its quantisation.

use crate::attacks::tables;
use crate::board::{Board, Threats};
use crate::types::{Bitboard, Colour, Piece, Square};
use arrayvec::ArrayVec;

/// The architecture in one line. Every file contains its hash, so a network of another architecture is refused. Change
/// the text whenever the meaning of the weights changes.
pub const ARCHITECTURE: &str = "4 threat states x 12 pieces x 64 squares, white king on a-d -> \
     512 squared clipped relu -> side x Spartan kings x kings in danger x (pieces - 1) / 4";

/// The number of features: twelve pieces on 64 squares in four threat states.
pub const INPUTS: usize = ThreatStates::COUNT * Piece::COUNT * 64;

/// The width of the accumulator.
pub const HIDDEN: usize = 512;

/// The number of output buckets, by the number of pieces.
pub const BUCKETS: usize = 8;

/// The number of combinations of kings in danger: see [`kings_in_danger`].
pub const DANGERS: usize = 4;

/// The number of output heads: one for each side to move, number of Spartan kings (one or two), combination of kings in
/// danger, and bucket.
pub const HEADS: usize = 4 * DANGERS * BUCKETS;

/// The quantised value of 1.0 in the accumulator, feature weights and biases.
pub const QA: i32 = 960;

/// The number of bits by which the square of a clipped accumulator is shifted, so that an activation fits an i16.
pub const SHIFT: u32 = 10;

/// The quantised value of 1.0 in activations.
pub const ACTIVATION_ONE: i32 = (QA * QA) >> SHIFT;

/// The quantised value of 1.0 in output weights.
pub const QB: i32 = 4096;

/// Centipawns for an output of 1.0. A network is trained so that `1 / (1 + exp(-output))` is the expected result.
pub const SCALE: i32 = 400;

/// The quantised value of 1.0 in output sums and output biases.
pub const OUTPUT_ONE: i32 = ACTIVATION_ONE * QB;

/// The maximum absolute value of a feature weight.
///
/// It does not keep accumulators from overflowing. For that, `Network::check` adds up, for each neuron, the largest
/// weight of any piece on each square: a board has at most 64 pieces, and most squares have small weights only.
pub const MAX_FEATURE_WEIGHT: i16 = 1008;

/// The maximum absolute value of an accumulator bias.
pub const MAX_BIAS: i16 = 1022;

/// The maximum absolute value of an output weight.
pub const MAX_OUTPUT_WEIGHT: i16 = i16::MAX;

/// The maximum absolute sum of the positive weights of a head, and of the negative ones, so that the sum over all
/// activations, and every partial sum in any order, fits an i32.
pub const MAX_HEAD_SUM: i32 = i32::MAX / ACTIVATION_ONE;

const _: () = assert!(QA << (16 - SHIFT) <= u16::MAX as i32);

/// The activation of a neuron, 0 to [`ACTIVATION_ONE`]: the square of the clipped accumulator, rounded down.
///
/// It is computed as the high half of a product, for which most processors have a vector instruction.
#[inline(always)]
pub fn activation(accumulator: i16) -> i16 {
    let clipped = accumulator.clamp(0, QA as i16) as u16;
    ((u32::from(clipped << (16 - SHIFT)) * u32::from(clipped)) >> 16) as i16
}

/// Whether a position is mirrored left-right for the features: White's king is on files e to h and is mapped to a to d.
///
/// Castling rights are not features, so a position and its mirror image are identical to the network.
#[inline]
pub fn is_mirrored(board: &Board) -> bool {
    board.kings(Colour::White).lowest().file().index() > 3
}

/// The squares that each side attacks.
#[inline]
pub fn threats_of_both(board: &Board) -> [Threats; 2] {
    Colour::ALL.map(|colour| board.threats_of(colour))
}

/// The threat states of all pieces: the low bit and the high bit of each. Empty squares have state 0.
///
/// Without them, a network must guess from the squares of all pieces what hangs. Monty's networks also distinguish
/// attacked and defended pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreatStates([Bitboard; 2]);

impl ThreatStates {
    /// The number of states of a piece:
    ///
    /// 0. not attacked;
    /// 1. attacked and undefended, but not by a less valuable piece;
    /// 2. attacked and defended, but not by a less valuable piece;
    /// 3. attacked by a less valuable piece (see `Threats::on_more_valuable`), defended or not.
    pub const COUNT: usize = 4;

    /// The states of a position.
    #[inline]
    pub fn of(board: &Board) -> Self {
        Self::by(&threats_of_both(board), board)
    }

    /// The states of a position with these threats.
    #[inline]
    pub fn by(threats: &[Threats; 2], board: &Board) -> Self {
        let mut states = Self::default();
        for colour in Colour::ALL {
            let (own, enemy) = (&threats[colour.index()], &threats[(!colour).index()]);
            let attacked = board.colour(colour) & enemy.all;
            let by_lesser = board.colour(colour) & enemy.on_more_valuable(board);
            states.0[0] |= attacked & !own.all | by_lesser;
            states.0[1] |= attacked & own.all | by_lesser;
        }
        states
    }

    /// The state, 0 to [`ThreatStates::COUNT`] - 1, of a square.
    #[inline]
    pub const fn on(&self, square: Square) -> usize {
        self.0[0].has(square) as usize + 2 * self.0[1].has(square) as usize
    }

    /// The squares with different states.
    #[inline]
    pub fn difference(&self, other: &Self) -> Bitboard {
        self.0[0] ^ other.0[0] | self.0[1] ^ other.0[1]
    }
}

/// The feature, 0 to [`INPUTS`] - 1, of a piece on a square in a threat state.
#[inline]
pub const fn feature(piece: Piece, square: Square, state: usize, mirrored: bool) -> usize {
    let square = if mirrored { square.flip_file() } else { square };
    (state * Piece::COUNT + piece.index()) * 64 + square.index()
}

/// The threat state, the index of the piece and the index of the square of a feature.
#[inline]
pub const fn parts(feature: usize) -> (usize, usize, usize) {
    (feature / (Piece::COUNT * 64), feature / 64 % Piece::COUNT, feature % 64)
}

/// The head, 0 to [`HEADS`] - 1, for a side to move, whether Black has two kings, the kings in danger
/// ([`kings_in_danger`]), and the number of pieces, kings included. The last bucket is for 29 pieces or more.
///
/// With two kings Black may ignore an attack on one of them, so the same pieces are worth something else.
#[inline]
pub const fn head(side_to_move: Colour, two_kings: bool, danger: usize, pieces: u32) -> usize {
    let bucket = pieces.saturating_sub(1) as usize / 4;
    let bucket = if bucket < BUCKETS { bucket } else { BUCKETS - 1 };
    ((2 * side_to_move.index() + two_kings as usize) * DANGERS + danger) * BUCKETS + bucket
}

/// Which kings are in danger, given the squares that each side attacks: 2 if White's is, plus 1 if Black's are.
///
/// They are in danger if the opponent attacks or occupies at least two squares around White's king, or four around
/// Black's, the squares of the kings included. Then attackers are worth more.
#[inline]
pub fn kings_in_danger(board: &Board, threats: &[Threats; 2]) -> usize {
    let in_danger = |colour: Colour, limit: u32| {
        let kings = board.kings(colour);
        let around = kings.into_iter().fold(kings, |around, king| around | tables().king(king));
        let enemy = threats[(!colour).index()].all | board.colour(!colour);
        (around & enemy).count() >= limit
    };
    2 * usize::from(in_danger(Colour::White, 2)) + usize::from(in_danger(Colour::Black, 4))
}

/// The features of a position. Two Spartan kings are the same piece.
pub fn features(board: &Board) -> ArrayVec<u16, 64> {
    features_with(board, &ThreatStates::of(board), is_mirrored(board))
}

/// The features of a position with these threat states, mirrored or not.
pub(super) fn features_with(board: &Board, states: &ThreatStates, mirrored: bool) -> ArrayVec<u16, 64> {
    let on = |square| board.piece_on(square).map(|piece| feature(piece, square, states.on(square), mirrored) as u16);
    board.occupied().filter_map(on).collect()
}

/// The head of a position.
pub fn head_of(board: &Board) -> usize {
    head_by(&threats_of_both(board), board)
}

/// The head of a position with these threats.
#[inline]
pub(super) fn head_by(threats: &[Threats; 2], board: &Board) -> usize {
    let two_kings = board.has_two_kings(Colour::Black);
    head(board.side_to_move(), two_kings, kings_in_danger(board, threats), board.occupied().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;
    use crate::types::PieceType;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).expect("a position")
    }

    #[test]
    fn features_see_the_white_king_on_the_left() {
        let left = features(&board("8/8/2k5/8/8/8/4P3/1K6 w - - 0 1"));
        assert_eq!(left.as_slice(), [5 * 64 + 1, 12, 11 * 64 + 42]);
        let mut right = features(&board("8/8/5k2/8/8/8/3P4/6K1 w - - 0 1"));
        right.sort_unstable();
        let mut sorted = left;
        sorted.sort_unstable();
        assert_eq!(right, sorted);
    }

    #[test]
    fn threat_states_go_by_attackers_and_defenders() {
        let board = board("k7/8/8/3g4/2P1B3/8/8/K3R3 w - - 0 1");
        let states = ThreatStates::of(&board);
        assert_eq!(states.on(Square::E1), 0);
        assert_eq!(states.on(Square::C4), 1, "undefended");
        assert_eq!(states.on(Square::E4), 2, "defended by the rook");
        assert_eq!(states.on(Square::D5), 3, "attacked by the pawn");
        let moved = ThreatStates::of(&board.after(board.parse_move("e1f1").expect("a move")));
        assert_eq!(states.difference(&moved), Bitboard::of(Square::E4), "no longer defended");
        let pawn = Piece { colour: Colour::White, kind: PieceType::Pawn };
        assert!(features(&board).contains(&(feature(pawn, Square::C4, 1, false) as u16)));
    }

    #[test]
    fn features_consist_of_their_parts() {
        for state in 0..ThreatStates::COUNT {
            for kind in PieceType::ALL {
                let piece = Piece { colour: Colour::White, kind };
                let feature = feature(piece, Square::H8, state, true);
                assert_eq!(parts(feature), (state, piece.index(), Square::A8.index()));
            }
        }
    }

    #[test]
    fn every_piece_has_its_own_features() {
        let mut start = features(&Board::start(Variant::Spartan));
        start.sort_unstable();
        assert_eq!(start.len(), 32);
        assert!(start.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(start.iter().all(|&feature| usize::from(feature) < INPUTS));
    }

    #[test]
    fn heads_go_by_side_spartan_kings_danger_and_number_of_pieces() {
        assert_eq!(head(Colour::White, false, 0, 2), 0);
        assert_eq!(head(Colour::White, false, 0, 4), 0);
        assert_eq!(head(Colour::White, false, 0, 5), 1);
        assert_eq!(head(Colour::White, false, 3, 5), 25);
        assert_eq!(head(Colour::White, true, 0, 5), 33);
        assert_eq!(head(Colour::White, true, 1, 32), 47);
        assert_eq!(head(Colour::Black, false, 0, 2), 64);
        assert_eq!(head(Colour::Black, false, 2, 28), 86);
        assert_eq!(head(Colour::Black, true, 3, 64), 127);
        assert_eq!(head_of(&board("8/8/2k5/8/8/8/4P3/1K6 b - - 0 1")), 64);
        assert_eq!(head_of(&board("8/8/2k2k2/8/8/8/4P3/1K6 b - - 0 1")), 96);
    }

    #[test]
    fn kings_are_in_danger_if_squares_around_them_are_attacked_or_occupied() {
        for (fen, danger) in [
            ("8/8/2k5/8/8/8/8/1K6 w - - 0 1", 0),
            // c2 is attacked.
            ("8/8/2k5/8/8/2h5/8/1K6 w - - 0 1", 0),
            // c2 is occupied, c1 attacked.
            ("8/8/2k5/8/8/8/2h5/1K6 w - - 0 1", 2),
            // a7 and b7 are attacked, b5 is occupied.
            ("8/7R/k7/1N6/8/8/8/4K3 b - - 0 1", 0),
            // a7, b7, a5 and b5 are attacked.
            ("8/7R/k7/7R/8/8/8/4K3 b - - 0 1", 1),
            // a7 and b7 near one king, b1 and a1 itself.
            ("k7/7R/8/8/8/4K3/8/k6R b - - 0 1", 1),
            ("k7/7R/8/8/3h4/4Kh2/8/k6R b - - 0 1", 3),
        ] {
            let board = board(fen);
            assert_eq!(kings_in_danger(&board, &threats_of_both(&board)), danger, "{fen}");
        }
    }
}
