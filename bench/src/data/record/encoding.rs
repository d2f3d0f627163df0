//! The binary encoding of games.

use super::{GameRecord, GameResult, MATE, MAX_PLIES, Ply, RecordError};
use agoge_core::board::{Board, Setup, Variant};
use agoge_core::types::{Bitboard, CastlingRights, Colour, Move, Square};

/// Bits of the byte with the side to move and the castling rights.
const BLACK_TO_MOVE: u8 = 1;
const FIRST_CASTLING_BIT: u8 = 2;
const STATE_BITS: u8 = 31;

/// Appends an encoded game.
///
/// # Errors
/// If the game has too many plies or a score beyond a mate. Then nothing is appended.
pub(super) fn encode(record: &GameRecord, out: &mut Vec<u8>) -> Result<(), RecordError> {
    if record.plies.len() > MAX_PLIES {
        return Err(RecordError::Unwritable("the game has too many plies"));
    }
    if record.plies.iter().any(|ply| ply.score.unsigned_abs() > MATE.unsigned_abs()) {
        return Err(RecordError::Unwritable("a score is out of range"));
    }
    out.extend(record.number.to_le_bytes());
    encode_board(&record.start, out);
    out.push(record.result.half_points());
    out.extend((record.plies.len() as u16).to_le_bytes());
    out.extend(record.plies.iter().flat_map(|ply| ply.mv.bits().to_le_bytes()));
    out.extend(record.plies.iter().flat_map(|ply| ply.score.to_le_bytes()));
    Ok(())
}

fn encode_board(board: &Board, out: &mut Vec<u8>) {
    out.extend(board.occupied().0.to_le_bytes());
    let nibbles: Vec<u8> =
        board.occupied().filter_map(|square| board.piece_on(square)).map(|piece| piece.index() as u8 + 1).collect();
    out.extend(nibbles.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 4)));
    let mut state = if board.side_to_move() == Colour::Black { BLACK_TO_MOVE } else { 0 };
    state |= board.castling().index() as u8 * FIRST_CASTLING_BIT;
    out.push(state);
    out.push(board.en_passant().map_or(0, |square| square.file().index() as u8 + 1));
    out.extend(board.halfmove_clock().to_le_bytes());
    out.extend(board.fullmove_number().to_le_bytes());
}

pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("its games are truncated")?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.0.split_first_chunk().ok_or("its games are truncated")?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u16(&mut self) -> Result<u16, String> {
        self.array().map(u16::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }
}

/// Decodes a game.
///
/// # Errors
/// Describes the error in the bytes.
pub(super) fn decode(bytes: &mut Bytes<'_>, variant: Variant) -> Result<GameRecord, String> {
    let number = bytes.u64()?;
    let with_number = |error: String| format!("game {number}: {error}");
    let start = decode_board(bytes, variant).map_err(with_number)?;
    let [code] = bytes.array()?;
    let result = GameResult::ALL.into_iter().find(|result| result.half_points() == code);
    let result = result.ok_or_else(|| with_number(format!("{code} is not a result")))?;
    let count = usize::from(bytes.u16()?);
    let words = |bytes: &'_ [u8]| bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect::<Vec<_>>();
    let (moves, scores) = (words(bytes.take(2 * count)?), words(bytes.take(2 * count)?));
    let ply = |(mv, score)| {
        let bits = u16::from_le_bytes(mv);
        let mv = Move::from_bits(bits).ok_or_else(|| with_number(format!("{bits:#06x} is not a move")))?;
        let score = i16::from_le_bytes(score);
        if score.unsigned_abs() > MATE.unsigned_abs() {
            return Err(with_number(format!("{score} is not a score")));
        }
        Ok(Ply { mv, score })
    };
    let plies = moves.into_iter().zip(scores).map(ply).collect::<Result<_, String>>()?;
    Ok(GameRecord { number, start, plies, result })
}

/// Decodes a position and validates it like any other input.
fn decode_board(bytes: &mut Bytes<'_>, variant: Variant) -> Result<Board, String> {
    let mut setup = Setup::empty(variant);
    let occupied = bytes.u64()?;
    let men = occupied.count_ones() as usize;
    let packed = bytes.take(men.div_ceil(2))?;
    if men % 2 == 1 && packed.last().is_some_and(|pair| pair >> 4 != 0) {
        return Err("the padding after the last piece is not zero".to_owned());
    }
    let nibbles = packed.iter().flat_map(|pair| [pair & 15, pair >> 4]);
    for (square, nibble) in Bitboard(occupied).into_iter().zip(nibbles) {
        let piece = usize::from(nibble).checked_sub(1).and_then(|index| variant.piece(index));
        setup.set(square, Some(piece.ok_or_else(|| format!("{nibble} is not a piece"))?));
    }
    let [state, en_passant] = bytes.array()?;
    if state & !STATE_BITS != 0 {
        return Err(format!("{state} is not a valid side to move with castling rights"));
    }
    let black = state & BLACK_TO_MOVE != 0;
    if black {
        setup.side_to_move = Colour::Black;
    }
    for (bit, (colour, side)) in CastlingRights::EACH.into_iter().enumerate() {
        if state & FIRST_CASTLING_BIT << bit != 0 {
            setup.castling = setup.castling.with(colour, side);
        }
    }
    setup.en_passant = match en_passant {
        0 => None,
        file @ 1..=8 => Some(Square::new((if black { 16 } else { 40 }) + file - 1)),
        file => return Err(format!("{file} is not the file of an en-passant capture")),
    };
    (setup.halfmove_clock, setup.fullmove_number) = (bytes.u16()?, bytes.u16()?);
    Board::try_from(&setup).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_record;
    use super::*;

    fn round_trip(record: &GameRecord) -> GameRecord {
        let mut bytes = Vec::new();
        encode(record, &mut bytes).unwrap();
        let mut bytes = Bytes::new(&bytes);
        let read = decode(&mut bytes, record.variant()).unwrap();
        assert!(bytes.is_empty());
        read
    }

    #[test]
    fn games_round_trip() {
        for variant in Variant::ALL {
            for number in 0..50 {
                let record = random_record(variant, number);
                assert_eq!(round_trip(&record), record);
            }
        }
    }

    #[test]
    fn positions_round_trip_with_all_state() {
        let fens = [
            ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 17 300", Variant::Chess),
            ("r3k2r/8/8/3pP3/8/8/8/R3K2R w Qk d6 0 3", Variant::Chess),
            ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 3", Variant::Chess),
            ("k6k/8/8/8/8/8/8/4K2R b K - 99 65535", Variant::Spartan),
        ];
        for (fen, variant) in fens {
            let start = Board::from_fen(fen, variant).unwrap();
            let record = GameRecord { number: u64::MAX, start, plies: Vec::new(), result: GameResult::Draw };
            assert_eq!(round_trip(&record).start.to_fen(), fen);
        }
    }

    #[test]
    fn a_game_takes_four_bytes_a_ply() {
        let record = random_record(Variant::Spartan, 0);
        let mut bytes = Vec::new();
        encode(&record, &mut bytes).unwrap();
        let men = record.start.occupied().count() as usize;
        assert_eq!(bytes.len(), 8 + 8 + men.div_ceil(2) + 6 + 3 + 4 * record.plies.len());
    }

    #[test]
    fn invalid_games_are_not_encoded() {
        let record = random_record(Variant::Spartan, 0);
        let mut score = record.clone();
        score.plies[0].score = MATE + 1;
        let mut long = record.clone();
        long.plies = vec![record.plies[0]; MAX_PLIES + 1];
        for wrong in [score, long] {
            let mut bytes = Vec::new();
            assert!(matches!(encode(&wrong, &mut bytes), Err(RecordError::Unwritable(_))));
            assert!(bytes.is_empty());
        }
    }

    #[test]
    fn arbitrary_bytes_cause_no_panic() {
        let mut rng = crate::rng::Rng::new(1);
        let mut good = Vec::new();
        encode(&random_record(Variant::Spartan, 0), &mut good).unwrap();
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..1 + rng.below(3) {
                let index = rng.below(60);
                bytes[index] = rng.next() as u8;
            }
            bytes.truncate(rng.below(2 * good.len()));
            let _ = decode(&mut Bytes::new(&bytes), Variant::ALL[rng.below(2)]);
        }
    }
}
