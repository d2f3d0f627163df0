//! Packed training positions: 40 bytes each, with features and labels.

use agoge_core::board::Board;
use agoge_core::nnue::arch;
use agoge_core::types::{Colour, Piece};
use arrayvec::ArrayVec;

pub const MAX_PIECES: usize = 32;

/// What the network learns: an expected result, and what that consists of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Objective {
    /// The weight of the game result in the target, 0 to 1; the rest is that of the score.
    pub wdl: f32,
    /// The score in centipawns at which the expected result is the sigmoid of one, 0.73.
    pub scale: f32,
    /// White's score of an even game, in centipawns. The network learns scores less this, so that 0 is an even game.
    pub even: f32,
}

impl Objective {
    /// The derivative of the argument of the sigmoid with respect to the output of the network.
    #[inline]
    pub fn steepness(self) -> f32 {
        arch::SCALE as f32 / self.scale
    }

    /// The expected result for an output of the network, which is in units of [`arch::SCALE`] centipawns.
    #[inline]
    pub fn expected(self, output: f32) -> f32 {
        sigmoid(output * self.steepness())
    }
}

/// A position with the score of a search and the result of the game.
///
/// It is stored as the network sees it: mirrored so that White's king is on the files a to d.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Position {
    occupied: u64,
    /// The pieces (0 to 11) in the order of their squares, the first of two in the low half.
    pieces: [u8; MAX_PIECES / 2],
    /// The threat states of the pieces in the same order, two bits each.
    states: u64,
    /// The score in centipawns from the side to move's view.
    score: i16,
    /// The half points of the side to move: 0 to 2.
    half_points: u8,
    black_to_move: bool,
    /// The kings in danger.
    danger: u8,
}

const _: () = assert!(size_of::<Position>() == 40);
const _: () = assert!(Piece::COUNT <= 1 << 4 && arch::DANGERS <= 1 << 2 && arch::ThreatStates::COUNT <= 1 << 2);

impl Position {
    /// Packs a position; `None` if it has more than [`MAX_PIECES`] pieces.
    ///
    /// The score (in centipawns) and the half points (0 to 2) are from White's view, as in all files.
    pub fn new(board: &Board, white_score: i16, white_half_points: u8) -> Option<Self> {
        if board.occupied().count() as usize > MAX_PIECES {
            return None;
        }
        let mut features = arch::features(board);
        features.sort_unstable_by_key(|feature| feature % 64);
        let mut position = Self {
            black_to_move: board.side_to_move() == Colour::Black,
            danger: arch::kings_in_danger(board, &arch::threats_of_both(board)) as u8,
            ..Self::default()
        };
        for (i, &feature) in features.iter().enumerate() {
            let (state, piece, square) = arch::parts(feature.into());
            position.occupied |= 1 << square;
            position.pieces[i / 2] |= (piece as u8) << (i % 2 * 4);
            position.states |= (state as u64) << (2 * i);
        }
        let half_points = white_half_points.min(2);
        (position.score, position.half_points) = if position.black_to_move {
            (white_score.saturating_neg(), 2 - half_points)
        } else {
            (white_score, half_points)
        };
        Some(position)
    }

    /// The number of features: one for each piece.
    pub fn count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The features of the position for the network, in the order of the squares.
    #[inline]
    pub fn features(&self) -> ArrayVec<u16, MAX_PIECES> {
        let mut features = [0; MAX_PIECES];
        let (mut squares, mut states) = (self.occupied, self.states);
        for (pair, pieces) in features.as_chunks_mut::<2>().0.iter_mut().zip(self.pieces) {
            if squares == 0 {
                break;
            }
            for (feature, piece) in pair.iter_mut().zip([pieces & 15, pieces >> 4]) {
                let state = (states & 3) as u16;
                *feature = (state * Piece::COUNT as u16 + u16::from(piece)) * 64 + squares.trailing_zeros() as u16;
                states >>= 2;
                squares &= squares.wrapping_sub(1);
            }
        }
        let mut features = ArrayVec::from(features);
        features.truncate(self.count());
        features
    }

    #[inline]
    pub fn head(&self) -> usize {
        let side = if self.black_to_move { Colour::Black } else { Colour::White };
        arch::head(side, self.spartan_kings() > 1, self.danger.into(), self.occupied.count_ones())
    }

    #[inline]
    fn spartan_kings(&self) -> u32 {
        const LOW: u128 = u128::from_ne_bytes([0x11; 16]);
        const SPARTAN_KING: u128 = 11;
        // The four bits of a Spartan king become zero, and only then the high bit of the sum stays clear.
        let others = u128::from_ne_bytes(self.pieces) ^ (SPARTAN_KING * LOW);
        let sums = (others & (7 * LOW)) + 7 * LOW;
        (!(sums | others) & (8 * LOW)).count_ones()
    }

    /// The score in centipawns from the side to move's view.
    pub fn score(&self) -> i16 {
        self.score
    }

    /// The training target from the side to move's view: the weighted mean of the result of the game and the expected
    /// result of the score.
    #[inline]
    pub fn target(&self, Objective { wdl, scale, even }: Objective) -> f32 {
        let even = if self.black_to_move { -even } else { even };
        let expected = sigmoid((f32::from(self.score) - even) / scale);
        wdl * (f32::from(self.half_points) / 2.0) + (1.0 - wdl) * expected
    }

    /// The contents as bytes, for checksums.
    pub fn bytes(&self) -> [u8; 36] {
        let mut bytes = [0; 36];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..32].copy_from_slice(&self.states.to_le_bytes());
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..].copy_from_slice(&[self.half_points, u8::from(self.black_to_move) | self.danger << 1]);
        bytes
    }
}

/// The logistic function. It uses `libm` instead of the system's library, so that nets do not depend on the machine.
#[inline]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::data::starts::{random_endgame, random_opening};
    use crate::rng::Rng;
    use agoge_core::board::{Game, Variant};

    /// Boards from random games and random endgames.
    pub(crate) fn random_boards(count: usize, seed: u64) -> Vec<Board> {
        let mut rng = Rng::new(seed);
        let mut boards = Vec::new();
        while boards.len() < count {
            let start = if rng.below(3) == 0 { random_endgame } else { random_opening };
            let Some(mut game) = start(Variant::Spartan, &mut rng) else { continue };
            for _ in 0..rng.below(100) {
                let moves = game.board().legal_moves();
                if moves.is_empty() || game.push(moves[rng.below(moves.len())]).is_err() {
                    break;
                }
            }
            boards.push(Game::board(&game).clone());
        }
        boards
    }

    /// Positions from random games with random labels.
    pub(crate) fn random_positions(count: usize, seed: u64) -> Vec<Position> {
        let mut rng = Rng::new(!seed);
        let label = |board| Position::new(&board, rng.below(2001) as i16 - 1000, rng.below(3) as u8);
        random_boards(count, seed).into_iter().filter_map(label).collect()
    }

    /// A share of the result, with the scale of the network.
    pub(crate) fn share(wdl: f32) -> Objective {
        Objective { wdl, scale: arch::SCALE as f32, even: 0.0 }
    }

    #[test]
    fn packing_keeps_features_heads_and_labels() {
        for (i, board) in random_boards(500, 3).into_iter().enumerate() {
            let (score, half_points) = (i as i16 - 250, (i % 3) as u8);
            let position = Position::new(&board, score, half_points).expect("32 pieces at most");
            let mut features: Vec<u16> = arch::features(&board).to_vec();
            features.sort_unstable_by_key(|feature| feature % 64);
            assert_eq!(position.features().as_slice(), features);
            assert_eq!(position.count(), features.len());
            assert_eq!(position.head(), arch::head_of(&board));
            let white = board.side_to_move() == Colour::White;
            assert_eq!(position.score(), if white { score } else { -score });
            let result = f32::from(half_points) / 2.0;
            assert_eq!(position.target(share(1.0)), if white { result } else { 1.0 - result });
        }
    }

    #[test]
    fn targets_blend_result_and_score() {
        let board = Board::start(Variant::Spartan);
        let position = Position::new(&board, 400, 0).expect("a position");
        let expected = 1.0 / (1.0 + (-1f32).exp());
        assert!((position.target(share(0.0)) - expected).abs() < 1e-6);
        assert!((position.target(share(0.25)) - 0.75 * expected).abs() < 1e-6);
        for (side, score) in [("w", 430), ("b", 430)] {
            let fen = format!("4k3/8/8/8/8/8/8/4K3 {side} - - 0 1");
            let board = Board::from_fen(&fen, Variant::Spartan).expect("a position");
            let position = Position::new(&board, score, 0).expect("a position");
            let white = position.target(Objective { even: 30.0, ..share(0.0) });
            let white = if side == "w" { white } else { 1.0 - white };
            assert!((white - expected).abs() < 1e-6, "{side}");
        }
        let lost = Position::new(&board, i16::MIN, 1).expect("a position");
        assert!((0.0..1e-30).contains(&lost.target(share(0.0))));
    }

    #[test]
    fn output_and_score_have_the_same_scale() {
        let position = Position::new(&Board::start(Variant::Spartan), 200, 0).expect("a position");
        for scale in [100.0, 173.0, 400.0] {
            let objective = Objective { wdl: 0.0, scale, even: 0.0 };
            let expected = 1.0 / (1.0 + (-200.0 / scale).exp());
            assert!((position.target(objective) - expected).abs() < 1e-6);
            assert!((objective.expected(0.5) - expected).abs() < 1e-6, "half a unit is 200 centipawns");
        }
        // The scale of the first networks changes nothing.
        assert_eq!(share(0.0).steepness(), 1.0);
    }

    #[test]
    fn positions_with_too_many_pieces_are_rejected() {
        let pack = |fen| Position::new(&Board::from_fen(fen, Variant::Spartan).expect("a position"), 0, 1);
        let full = pack("kggggggg/hhhhhhhh/8/8/8/8/PPPPPPPP/KQQQQQQQ w - - 0 1").expect("32 pieces");
        assert_eq!(full.features().len(), 32);
        assert_eq!(pack("kggggggg/hhhhhhhh/7h/8/8/8/PPPPPPPP/KQQQQQQQ w - - 0 1"), None);
    }
}
