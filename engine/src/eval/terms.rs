//! The terms of the evaluation.

use super::army::{Army, Persian, WHITE};
use super::layout::{AT, COUNT};
use super::params::PARAMS;
use super::trace::Trace;
use crate::attacks::{Tables, tables};
use crate::board::Board;
use crate::types::{Bitboard, Colour, File, PieceType, Square};

/// The phase of a board with all pieces.
pub(super) const FULL_PHASE: i32 = 24;

/// A middlegame and an endgame sum in one number, the endgame in the upper half. No position, not
/// even one with 63 queens, comes near the ends of a half.
type Packed = i64;

const fn pack(mg: i16, eg: i16) -> Packed {
    ((eg as i64) << 32) + mg as i64
}

/// The middlegame and the endgame sum.
pub(super) const fn unpack(packed: Packed) -> (i32, i32) {
    (packed as i32, ((packed + 0x8000_0000) >> 32) as i32)
}

/// All numbers, packed.
static NUMBERS: [Packed; COUNT] = {
    let flat = PARAMS.flat();
    let mut packed = [0; COUNT];
    let mut i = 0;
    while i < COUNT {
        packed[i] = pack(flat[i].mg, flat[i].eg);
        i += 1;
    }
    packed
};

/// Piece-square tables: six Persian, six Spartan of which the last is that of a single king, and
/// that of one of two kings.
const TABLES: usize = 13;
const PAIRED_KING: usize = 12;

/// Piece-square tables of the whole board, the worth of the piece included.
static PLACEMENT: [[Packed; 64]; TABLES] = {
    let mut placement = [[0; 64]; TABLES];
    let mut table = 0;
    while table < TABLES {
        let mut square = 0;
        while square < 64 {
            placement[table][square] = NUMBERS[place(table, square)];
            if let Some(material) = worth(table) {
                placement[table][square] += NUMBERS[material];
            }
            square += 1;
        }
        table += 1;
    }
    placement
};

/// The index of the number of a square, relative to the army, in a piece-square table.
const fn place(table: usize, square: usize) -> usize {
    let file = square & 7;
    let half = if file < 4 { file } else { 7 - file };
    AT.psqt_pawn + 32 * table + (square >> 3) * 4 + half
}

/// The index of the worth of the pieces of a table. The order of tables is that of
/// [`PieceType`] except for kings.
const fn worth(table: usize) -> Option<usize> {
    if table == PieceType::King.index() || table > PieceType::Warlord.index() {
        None
    } else {
        Some(AT.material + table)
    }
}

/// The number of king steps between two squares.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> usize {
    a.file().index().abs_diff(b.file().index()).max(a.rank().index().abs_diff(b.rank().index()))
}

/// The distance from a square to the nearest square of a set that is not empty.
#[inline]
fn nearest(set: Bitboard, square: Square) -> usize {
    set.map(|other| distance(other, square)).min().unwrap_or(7)
}

/// What is gathered about a side on the way.
struct Side {
    /// Attacks by slot.
    attacks: [Bitboard; 6],
    /// Attacks of all pieces but kings.
    by_pieces: Bitboard,
    /// All attacks.
    all: Bitboard,
    /// Squares that are attacked twice or more.
    twice: Bitboard,
    /// Squares that count for mobility.
    room: Bitboard,
    /// The surroundings of the first and the second king.
    zones: [Bitboard; 2],
    /// The weight of the enemy's attacks on the zones.
    danger: [i32; 2],
}

impl Side {
    fn new<Us: Army, Them: Army>(board: &Board, tables: &Tables) -> Self {
        let pawns = Us::pawn_attacks(Us::pieces(board, 0));
        let mut zones = [Bitboard::EMPTY; 2];
        for (zone, king) in zones.iter_mut().zip(board.kings(Us::COLOUR)) {
            let ring = tables.king(king).with(king);
            *zone = ring | ring.shift(0, Us::UP);
        }
        Self {
            attacks: [pawns, Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY],
            by_pieces: pawns,
            all: pawns,
            twice: Bitboard::EMPTY,
            room: !(board.colour(Us::COLOUR) | Them::pawn_attacks(Them::pieces(board, 0))),
            zones,
            danger: [0; 2],
        }
    }

    #[inline]
    fn attack(&mut self, slot: usize, attacks: Bitboard) {
        self.attacks[slot] |= attacks;
        self.twice |= self.all & attacks;
        self.all |= attacks;
    }
}

/// The sum of all terms from White's view.
pub(super) struct Sum {
    pub(super) packed: Packed,
    pub(super) phase: i32,
}

/// Adds up all terms but those of [`super::endgame`] for White against an army `B`.
#[inline]
pub(super) fn sum<B: Army, T: Trace>(board: &Board, trace: &mut T) -> Sum {
    let tables = tables();
    let mut evaluator = Evaluator { board, tables, occupied: board.occupied(), packed: 0, trace };
    let mut white = Side::new::<Persian<WHITE>, B>(board, tables);
    let mut black = Side::new::<B, Persian<WHITE>>(board, tables);
    evaluator.pieces::<Persian<WHITE>, B>(&mut white, &mut black);
    evaluator.pieces::<B, Persian<WHITE>>(&mut black, &mut white);
    evaluator.pawns::<Persian<WHITE>, B>(&white, &black);
    evaluator.pawns::<B, Persian<WHITE>>(&black, &white);
    evaluator.kings::<Persian<WHITE>, B>(&white, &black);
    evaluator.kings::<B, Persian<WHITE>>(&black, &white);
    evaluator.threats::<Persian<WHITE>, B>(&white, &black);
    evaluator.threats::<B, Persian<WHITE>>(&black, &white);
    if board.side_to_move() == Colour::White {
        evaluator.add::<Persian<WHITE>>(AT.tempo, 1);
    } else {
        evaluator.add::<B>(AT.tempo, 1);
    }
    Sum { packed: evaluator.packed, phase: phase(board) }
}

/// How much of the middlegame is left, from 0 with kings and pawns alone to [`FULL_PHASE`].
fn phase(board: &Board) -> i32 {
    use PieceType::{Bishop, Captain, General, Knight, Lieutenant, Queen, Rook, Warlord};
    let count = |a, b| (board.kind(a) | board.kind(b)).count() as i32;
    let minors = count(Knight, Bishop) + count(Lieutenant, Captain);
    let second_king = i32::from(board.has_two_kings(Colour::Black));
    let generals = board.kind(General).count() as i32;
    let rooks = board.kind(Rook).count() as i32;
    (minors + 2 * rooks + 3 * generals + 4 * count(Queen, Warlord) + second_king).min(FULL_PHASE)
}

struct Evaluator<'a, T: Trace> {
    board: &'a Board,
    tables: &'static Tables,
    occupied: Bitboard,
    packed: Packed,
    trace: &'a mut T,
}

impl<T: Trace> Evaluator<'_, T> {
    /// Counts a number so many times for a side.
    #[inline]
    fn add<Us: Army>(&mut self, index: usize, count: i32) {
        self.trace.record(Us::COLOUR, index, count);
        self.add_packed::<Us>(NUMBERS[index] * i64::from(count));
    }

    #[inline]
    fn add_packed<Us: Army>(&mut self, packed: Packed) {
        self.packed += if Us::COLOUR == Colour::White { packed } else { -packed };
    }

    /// Counts the worth and the place of a piece.
    #[inline]
    fn place<Us: Army>(&mut self, table: usize, square: Square) {
        let square = Us::relative(square).index();
        self.trace.record(Us::COLOUR, place(table, square), 1);
        if let Some(material) = worth(table) {
            self.trace.record(Us::COLOUR, material, 1);
        }
        self.add_packed::<Us>(PLACEMENT[table][square]);
    }

    /// Everything about single pieces, and the attacks of a side.
    #[inline]
    fn pieces<Us: Army, Them: Army>(&mut self, us: &mut Side, them: &mut Side) {
        for square in Us::pieces(self.board, 0) {
            self.place::<Us>(Us::TABLE, square);
        }
        for (zone, danger) in them.zones.into_iter().zip(&mut them.danger) {
            *danger += Us::ATTACK_WEIGHT[0] * (us.attacks[0] & zone).count() as i32;
        }
        self.slot::<Us, Them, 1>(us, them);
        self.slot::<Us, Them, 2>(us, them);
        self.slot::<Us, Them, 3>(us, them);
        self.slot::<Us, Them, 4>(us, them);
        us.by_pieces = us.all;

        let kings = self.board.kings(Us::COLOUR);
        let paired = Us::SPARTAN && kings.many();
        for king in kings {
            self.place::<Us>(if paired { PAIRED_KING } else { Us::TABLE + 5 }, king);
            let attacks = self.tables.king(king);
            us.attack(5, attacks);
            // Only a king that may be taken goes near the enemy's.
            if paired && (attacks & them.zones[0]).nonempty() {
                them.danger[0] += Us::ATTACK_WEIGHT[5];
            }
        }
        if paired {
            self.add::<Us>(AT.material + PieceType::King.index(), 1);
        }
        if !Us::SPARTAN && !self.board.castling().is_empty() {
            let castling = self.board.castling();
            let rights = i32::from(castling.has(Us::COLOUR, true)) + i32::from(castling.has(Us::COLOUR, false));
            self.add::<Us>(AT.castling, rights);
        }
    }

    /// The pieces of a slot from 1 to 4.
    #[inline]
    fn slot<Us: Army, Them: Army, const SLOT: usize>(&mut self, us: &mut Side, them: &mut Side) {
        let pieces = Us::pieces(self.board, SLOT);
        for square in pieces {
            let attacks = Us::attacks::<SLOT>(self.tables, square, self.occupied);
            us.attack(SLOT, attacks);
            self.place::<Us>(Us::TABLE + SLOT, square);

            let mut room = (attacks & us.room).count() as usize;
            if Us::SPARTAN && SLOT == 1 {
                room += (self.tables.sideways(square) & us.room & !self.occupied).count() as usize;
            }
            self.add::<Us>(Us::MOBILITY[SLOT] + room, 1);

            for (zone, danger) in them.zones.into_iter().zip(&mut them.danger).take(if Them::SPARTAN { 2 } else { 1 }) {
                let reached = (attacks & zone).count() as i32;
                *danger += if reached > 0 { Us::ATTACK_WEIGHT[SLOT] + reached } else { 0 };
            }
            if SLOT == 3 {
                self.file::<Us>(square);
            }
        }
        if SLOT <= 2 {
            let ranks = Us::relative_set(Bitboard(0x0000_FFFF_FF00_0000));
            let outposts = pieces & ranks & us.attacks[0] & !them.attacks[0];
            self.add::<Us>(AT.outpost + SLOT - 1 + if Us::SPARTAN { 2 } else { 0 }, outposts.count() as i32);
        }
        if !Us::SPARTAN && SLOT == 2 {
            let pair = (pieces & Bitboard::DARK).nonempty() && (pieces & !Bitboard::DARK).nonempty();
            self.add::<Us>(AT.bishop_pair, i32::from(pair));
        }
    }

    /// The file of a rook or general.
    #[inline]
    fn file<Us: Army>(&mut self, square: Square) {
        let file = Bitboard::file(square.file());
        let index = if Us::SPARTAN { AT.general_file } else { AT.rook_file };
        if (file & self.board.pawns()).is_empty() {
            self.add::<Us>(index, 1);
        } else if (file & Us::pieces(self.board, 0)).is_empty() {
            self.add::<Us>(index + 1, 1);
        }
    }

    /// Counts the squares of a set by rank, from the army's second to its seventh.
    #[inline]
    fn by_rank<Us: Army>(&mut self, index: usize, set: Bitboard) {
        for square in set {
            self.add::<Us>(index + Us::relative(square).rank().index() - 1, 1);
        }
    }

    /// The structure of pawns or hoplites, and those that are passed.
    #[inline]
    fn pawns<Us: Army, Them: Army>(&mut self, us: &Side, them: &Side) {
        let pawns = Us::pieces(self.board, 0);
        let files = Bitboard(fill_files(pawns.0));
        let isolated = pawns & !(files.shift(1, 0) | files.shift(-1, 0));
        let phalanx = pawns & (pawns.shift(1, 0) | pawns.shift(-1, 0));
        let supported = pawns & us.attacks[0];
        if Us::SPARTAN {
            self.add::<Us>(AT.hoplite_isolated, isolated.count() as i32);
            let steps = (!self.occupied).shift(1, -Us::UP) | (!self.occupied).shift(-1, -Us::UP);
            self.add::<Us>(AT.hoplite_blocked, (pawns & !steps).count() as i32);
            self.by_rank::<Us>(AT.hoplite_supported, supported);
            self.by_rank::<Us>(AT.hoplite_phalanx, phalanx);
            self.passed_hoplites::<Us, Them>(us, them, pawns);
        } else {
            self.add::<Us>(AT.pawn_isolated, isolated.count() as i32);
            let behind = Us::fill_back(pawns);
            self.add::<Us>(AT.pawn_doubled, (pawns & behind).count() as i32);
            self.add::<Us>(AT.pawn_blocked, (pawns & self.occupied.shift(0, -Us::UP)).count() as i32);
            self.by_rank::<Us>(AT.pawn_supported, supported);
            self.by_rank::<Us>(AT.pawn_phalanx, phalanx);
            let passed = pawns & !behind & !Them::stop_span(Them::pieces(self.board, 0));
            self.passed_pawns::<Us, Them>(us, them, passed);
        }
    }

    /// Orthodox pawns that no enemy pawn or hoplite can stop.
    #[inline]
    fn passed_pawns<Us: Army, Them: Army>(&mut self, us: &Side, them: &Side, passed: Bitboard) {
        for square in passed {
            let rank = Us::relative(square).rank().index() - 1;
            let stop = Bitboard::of(square).shift(0, Us::UP);
            let path = Us::fill(stop);
            self.add::<Us>(AT.passed_pawn + rank, 1);
            self.add::<Us>(AT.passed_pawn_free + rank, i32::from((path & self.occupied).is_empty()));
            self.add::<Us>(AT.passed_pawn_safe + rank, i32::from((path & them.all).is_empty()));
            self.add::<Us>(AT.passed_pawn_supported + rank, i32::from(us.attacks[0].has(square)));
            if rank >= 2 {
                let own = nearest(self.board.kings(Us::COLOUR), stop.lowest());
                let enemy = nearest(self.board.kings(Them::COLOUR), stop.lowest());
                self.add::<Us>(AT.passed_pawn_own_king + own, 1);
                self.add::<Us>(AT.passed_pawn_enemy_king + enemy, 1);
            }
        }
    }

    /// Hoplites that have a way to the last rank.
    ///
    /// A hoplite has a choice of two squares at every step, so single files tell little. The squares
    /// from which some way leads down are found from the last rank upwards.
    #[inline]
    fn passed_hoplites<Us: Army, Them: Army>(&mut self, us: &Side, them: &Side, hoplites: Bitboard) {
        let passed = hoplites & ways::<Us>(!(Them::pieces(self.board, 0) | them.attacks[0]));
        if passed.is_empty() {
            return;
        }
        let free = ways::<Us>(!(self.occupied | them.all));
        let paired = self.board.has_two_kings(Us::COLOUR);
        for square in passed {
            let rank = Us::relative(square).rank().index() - 1;
            self.add::<Us>(AT.passed_hoplite + rank, 1);
            self.add::<Us>(AT.passed_hoplite_free + rank, i32::from(free.has(square)));
            self.add::<Us>(AT.passed_hoplite_supported + rank, i32::from(us.attacks[0].has(square)));
            self.add::<Us>(AT.hoplite_crown + rank, i32::from(!paired));
            if rank >= 2 {
                let own = nearest(self.board.kings(Us::COLOUR), square);
                let enemy = nearest(self.board.kings(Them::COLOUR), square);
                self.add::<Us>(AT.passed_hoplite_own_king + own, 1);
                self.add::<Us>(AT.passed_hoplite_enemy_king + enemy, 1);
            }
        }
    }

    /// The safety of the kings of a side.
    #[inline]
    fn kings<Us: Army, Them: Army>(&mut self, us: &Side, them: &Side) {
        let kings = self.board.kings(Us::COLOUR);
        let first = kings.lowest();
        let second = if Us::SPARTAN { kings.without_lowest().first() } else { None };
        let Some(second) = second else {
            let (shelter, storm, danger) = if Us::SPARTAN {
                (AT.shelter_royal, AT.storm_royal, AT.danger_royal)
            } else {
                (AT.shelter_persian, AT.storm_persian, AT.danger_persian)
            };
            self.shelter::<Us, Them>(first, shelter, storm);
            let checks = self.checks::<Them>(first);
            self.add::<Us>(danger + danger_step(self.danger::<Us, Them>(us, them, 0, first, &checks)), 1);
            return;
        };
        self.shelter::<Us, Them>(first, AT.shelter_paired, AT.storm_paired);
        self.shelter::<Us, Them>(second, AT.shelter_paired, AT.storm_paired);
        let checks = [self.checks::<Them>(first), self.checks::<Them>(second)];
        let steps = [
            danger_step(self.danger::<Us, Them>(us, them, 0, first, &checks[0])),
            danger_step(self.danger::<Us, Them>(us, them, 1, second, &checks[1])),
        ];
        self.add::<Us>(AT.danger_paired + steps[0], 1);
        self.add::<Us>(AT.danger_paired + steps[1], 1);
        self.add::<Us>(AT.danger_duple + steps[0].min(steps[1]).min(15), 1);
        self.add::<Us>(AT.kings_distance + distance(first, second), 1);
        let safe = !(self.board.colour(Them::COLOUR) | us.all);
        for (slot, (one, two)) in checks[0].iter().zip(checks[1]).enumerate().skip(1) {
            let forks = them.attacks[slot] & *one & two & safe;
            self.add::<Us>(AT.kings_fork + slot - 1, i32::from(forks.nonempty()));
        }
    }

    /// The squares from which the pieces of an army would attack a king, by slot.
    #[inline]
    fn checks<Them: Army>(&self, king: Square) -> [Bitboard; 5] {
        [
            Bitboard::EMPTY,
            Them::attacks::<1>(self.tables, king, self.occupied),
            Them::attacks::<2>(self.tables, king, self.occupied),
            Them::attacks::<3>(self.tables, king, self.occupied),
            Them::attacks::<4>(self.tables, king, self.occupied),
        ]
    }

    /// The weight of the attack on a king: pieces at its zone, squares beside it that only kings
    /// protect, and checks from squares where the piece is safe.
    #[inline]
    fn danger<Us: Army, Them: Army>(
        &self,
        us: &Side,
        them: &Side,
        zone: usize,
        king: Square,
        checks: &[Bitboard; 5],
    ) -> i32 {
        let weak = them.all & !us.by_pieces;
        let mut danger = us.danger[zone] + 2 * (self.tables.king(king) & weak).count() as i32;
        let safe = !self.board.colour(Them::COLOUR) & (!us.all | weak & them.twice & !us.twice);
        for (slot, &squares) in checks.iter().enumerate().skip(1) {
            if (them.attacks[slot] & squares & safe).nonempty() {
                danger += Them::CHECK_WEIGHT[slot];
            }
        }
        danger
    }

    /// Pawns or hoplites before a king, own and enemy ones.
    #[inline]
    fn shelter<Us: Army, Them: Army>(&mut self, king: Square, shelter: usize, storm: usize) {
        let king = Us::relative(king);
        let ahead = Bitboard(!0 << (8 * king.rank().index()));
        let own = Us::relative_set(Us::pieces(self.board, 0)) & ahead;
        let enemy = Us::relative_set(Them::pieces(self.board, 0)) & ahead;
        let centre = king.file().index().clamp(1, 6);
        for index in centre - 1..=centre + 1 {
            let Some(file) = File::new(index as u8) else { continue };
            let rank = |set: Bitboard| (set & Bitboard::file(file)).first().map_or(0, |square| square.rank().index());
            let from_edge = index.min(7 - index);
            self.add::<Us>(shelter + 7 * from_edge + rank(own), 1);
            self.add::<Us>(storm + rank(enemy), 1);
        }
    }

    /// Pieces of the enemy that are attacked.
    #[inline]
    fn threats<Us: Army, Them: Army>(&mut self, us: &Side, them: &Side) {
        // A king that must not be taken is in check, which is for search to see.
        let slots = if Them::SPARTAN && self.board.has_two_kings(Them::COLOUR) { 6 } else { 5 };
        let attackers = [
            (AT.threat_by_pawn, us.attacks[0]),
            (AT.threat_by_minor, us.attacks[1] | us.attacks[2]),
            (AT.threat_by_rook, us.attacks[3]),
            (AT.threat_by_queen, us.attacks[4]),
            (AT.threat_by_king, us.attacks[5]),
            (AT.hanging, us.all & !them.all),
        ];
        let attacked = self.board.colour(Them::COLOUR) & us.all;
        for slot in 0..slots {
            let victims = Them::pieces(self.board, slot) & attacked;
            if victims.nonempty() {
                let kind = Them::KINDS[slot].index();
                for (index, attacks) in attackers {
                    self.add::<Us>(index + kind, (victims & attacks).count() as i32);
                }
            }
        }
    }
}

/// The row of a table of king danger that a weight of attack stands for.
#[inline]
fn danger_step(weight: i32) -> usize {
    (weight / 2).clamp(0, 31) as usize
}

/// The files of a set, whole.
#[inline]
fn fill_files(set: u64) -> u64 {
    let mut files = set | set >> 8;
    files |= files >> 16;
    files |= files >> 32;
    (files & 0xFF).wrapping_mul(0x0101_0101_0101_0101)
}

/// The squares from which a hoplite can step diagonally down to the last rank over allowed squares
/// only. The square that it starts from need not be allowed.
#[inline]
fn ways<Us: Army>(allowed: Bitboard) -> Bitboard {
    let back = |set: Bitboard| set.shift(-1, -Us::UP) | set.shift(1, -Us::UP);
    let mut row = Us::relative_set(Bitboard::rank_number(8)) & allowed;
    let mut ways = Bitboard::EMPTY;
    for _ in 0..6 {
        let origins = back(row);
        ways |= origins;
        row = origins & allowed;
    }
    ways
}
