//! The terms of the evaluation.

use super::army::EvalArmy;
use super::layout::{AT, COUNT};
use super::params::PARAMS;
use super::trace::Trace;
use crate::attacks::{Tables, tables};
use crate::board::Board;
use crate::board::army::{Persian, WHITE};
use crate::types::{Bitboard, Colour, File, PieceType, Square};

/// The game phase with all pieces.
pub(super) const FULL_PHASE: i32 = 24;

/// A middlegame and an endgame sum packed into one integer, the endgame in the upper half. Not even a position with 63
/// queens comes near the limits of a half.
type Packed = i64;

const fn pack(mg: i16, eg: i16) -> Packed {
    ((eg as i64) << 32) + mg as i64
}

/// The middlegame and the endgame sum.
pub(super) const fn unpack(packed: Packed) -> (i32, i32) {
    (packed as i32, ((packed + 0x8000_0000) >> 32) as i32)
}

/// All weights, packed.
static WEIGHTS: [Packed; COUNT] = {
    let flat = PARAMS.flat();
    let mut packed = [0; COUNT];
    let mut i = 0;
    while i < COUNT {
        packed[i] = pack(flat[i].mg, flat[i].eg);
        i += 1;
    }
    packed
};

/// The number of piece-square tables: six Persian, six Spartan, the last of which is for a single king, and one for
/// each of two kings.
const PSQT_COUNT: usize = 13;
const PAIRED_KING: usize = 12;

/// Piece-square tables of the whole board, including material.
static PSQT: [[Packed; 64]; PSQT_COUNT] = {
    let mut placement = [[0; 64]; PSQT_COUNT];
    let mut table = 0;
    while table < PSQT_COUNT {
        let mut square = 0;
        while square < 64 {
            placement[table][square] = WEIGHTS[psqt_index(table, square)];
            if let Some(material) = material_index(table) {
                placement[table][square] += WEIGHTS[material];
            }
            square += 1;
        }
        table += 1;
    }
    placement
};

/// The index of the weight of a square, relative to the army, in a piece-square table.
const fn psqt_index(table: usize, square: usize) -> usize {
    let file = square & 7;
    let half = if file < 4 { file } else { 7 - file };
    AT.psqt_pawn + 32 * table + (square >> 3) * 4 + half
}

/// The index of the material weight for a piece-square table. The order of the tables is that of [`PieceType`], except
/// for kings.
const fn material_index(table: usize) -> Option<usize> {
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

/// Attack information of a side.
struct Side {
    /// Attacks by army index.
    attacks: [Bitboard; 6],
    /// Attacks of all pieces but kings.
    by_pieces: Bitboard,
    /// All attacks.
    all: Bitboard,
    /// Squares attacked at least twice.
    twice: Bitboard,
    /// Squares that count for mobility.
    mobility_area: Bitboard,
    /// The zones of the first and the second king.
    zones: [Bitboard; 2],
    /// The weights of the enemy's attacks on the zones.
    danger: [i32; 2],
}

impl Side {
    fn new<Us: EvalArmy, Them: EvalArmy>(board: &Board, tables: &Tables) -> Self {
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
            mobility_area: !(board.colour(Us::COLOUR) | Them::pawn_attacks(Them::pieces(board, 0))),
            zones,
            danger: [0; 2],
        }
    }

    #[inline]
    fn attack(&mut self, army_index: usize, attacks: Bitboard) {
        self.attacks[army_index] |= attacks;
        self.twice |= self.all & attacks;
        self.all |= attacks;
    }
}

/// The sum of all terms from White's view.
pub(super) struct Sum {
    pub(super) packed: Packed,
    pub(super) phase: i32,
}

/// Adds up all terms except those of [`super::endgame`] for White against an army `B`.
#[inline]
pub(super) fn sum<B: EvalArmy, T: Trace>(board: &Board, trace: &mut T) -> Sum {
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

/// The game phase, from [`FULL_PHASE`] to 0 with kings and pawns only.
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
    /// Adds a weight `count` times for a side.
    #[inline]
    fn add<Us: EvalArmy>(&mut self, index: usize, count: i32) {
        self.trace.record(Us::COLOUR, index, count);
        self.add_packed::<Us>(WEIGHTS[index] * i64::from(count));
    }

    #[inline]
    fn add_packed<Us: EvalArmy>(&mut self, packed: Packed) {
        self.packed += if Us::COLOUR == Colour::White { packed } else { -packed };
    }

    /// Adds material and placement of a piece.
    #[inline]
    fn placement<Us: EvalArmy>(&mut self, table: usize, square: Square) {
        let square = Us::relative(square).index();
        self.trace.record(Us::COLOUR, psqt_index(table, square), 1);
        if let Some(material) = material_index(table) {
            self.trace.record(Us::COLOUR, material, 1);
        }
        self.add_packed::<Us>(PSQT[table][square]);
    }

    /// The terms of single pieces, and the attacks of a side.
    #[inline]
    fn pieces<Us: EvalArmy, Them: EvalArmy>(&mut self, us: &mut Side, them: &mut Side) {
        for square in Us::pieces(self.board, 0) {
            self.placement::<Us>(Us::FIRST_PSQT, square);
        }
        for (zone, danger) in them.zones.into_iter().zip(&mut them.danger) {
            *danger += Us::ATTACK_WEIGHT[0] * (us.attacks[0] & zone).count() as i32;
        }
        self.pieces_of_kind::<Us, Them, 1>(us, them);
        self.pieces_of_kind::<Us, Them, 2>(us, them);
        self.pieces_of_kind::<Us, Them, 3>(us, them);
        self.pieces_of_kind::<Us, Them, 4>(us, them);
        us.by_pieces = us.all;

        let kings = self.board.kings(Us::COLOUR);
        let paired = Us::SPARTAN && kings.many();
        for king in kings {
            self.placement::<Us>(if paired { PAIRED_KING } else { Us::FIRST_PSQT + 5 }, king);
            let attacks = self.tables.king(king);
            us.attack(5, attacks);
            // Only one of two kings can safely approach the enemy king.
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

    /// The pieces with an army index from 1 to 4.
    #[inline]
    fn pieces_of_kind<Us: EvalArmy, Them: EvalArmy, const INDEX: usize>(&mut self, us: &mut Side, them: &mut Side) {
        let pieces = Us::pieces(self.board, INDEX);
        for square in pieces {
            let attacks = Us::piece_attacks(INDEX, self.tables, square, self.occupied);
            us.attack(INDEX, attacks);
            self.placement::<Us>(Us::FIRST_PSQT + INDEX, square);

            let mut mobility = (attacks & us.mobility_area).count() as usize;
            if Us::SPARTAN && INDEX == 1 {
                mobility += (self.tables.sideways(square) & us.mobility_area & !self.occupied).count() as usize;
            }
            self.add::<Us>(Us::MOBILITY[INDEX] + mobility, 1);

            for (zone, danger) in them.zones.into_iter().zip(&mut them.danger).take(if Them::SPARTAN { 2 } else { 1 }) {
                let reached = (attacks & zone).count() as i32;
                *danger += if reached > 0 { Us::ATTACK_WEIGHT[INDEX] + reached } else { 0 };
            }
            if INDEX == 3 {
                self.file::<Us>(square);
            }
        }
        if INDEX <= 2 {
            let ranks = Us::relative_set(Bitboard(0x0000_FFFF_FF00_0000));
            let outposts = pieces & ranks & us.attacks[0] & !them.attacks[0];
            self.add::<Us>(AT.outpost + INDEX - 1 + if Us::SPARTAN { 2 } else { 0 }, outposts.count() as i32);
        }
        if !Us::SPARTAN && INDEX == 2 {
            let pair = (pieces & Bitboard::DARK).nonempty() && (pieces & !Bitboard::DARK).nonempty();
            self.add::<Us>(AT.bishop_pair, i32::from(pair));
        }
    }

    /// The file of a rook or general.
    #[inline]
    fn file<Us: EvalArmy>(&mut self, square: Square) {
        let file = Bitboard::file(square.file());
        let index = if Us::SPARTAN { AT.general_file } else { AT.rook_file };
        if (file & self.board.pawns()).is_empty() {
            self.add::<Us>(index, 1);
        } else if (file & Us::pieces(self.board, 0)).is_empty() {
            self.add::<Us>(index + 1, 1);
        }
    }

    /// Adds a weight for each square of a set by rank, from the army's second to its seventh.
    #[inline]
    fn by_rank<Us: EvalArmy>(&mut self, index: usize, set: Bitboard) {
        for square in set {
            self.add::<Us>(index + Us::relative(square).rank().index() - 1, 1);
        }
    }

    /// The structure of pawns or hoplites, and passed ones.
    #[inline]
    fn pawns<Us: EvalArmy, Them: EvalArmy>(&mut self, us: &Side, them: &Side) {
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
    fn passed_pawns<Us: EvalArmy, Them: EvalArmy>(&mut self, us: &Side, them: &Side, passed: Bitboard) {
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

    /// Hoplites with a path to the last rank.
    ///
    /// A hoplite can choose between two squares at every step, so files say little. The squares with a path are
    /// computed backwards from the last rank.
    #[inline]
    fn passed_hoplites<Us: EvalArmy, Them: EvalArmy>(&mut self, us: &Side, them: &Side, hoplites: Bitboard) {
        let passed = hoplites & hoplite_paths::<Us>(!(Them::pieces(self.board, 0) | them.attacks[0]));
        if passed.is_empty() {
            return;
        }
        let free = hoplite_paths::<Us>(!(self.occupied | them.all));
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

    /// King safety of a side.
    #[inline]
    fn kings<Us: EvalArmy, Them: EvalArmy>(&mut self, us: &Side, them: &Side) {
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
        for (army_index, (one, two)) in checks[0].iter().zip(checks[1]).enumerate().skip(1) {
            let forks = them.attacks[army_index] & *one & two & safe;
            self.add::<Us>(AT.kings_fork + army_index - 1, i32::from(forks.nonempty()));
        }
    }

    /// The squares from which the pieces of an army would attack a king, by army index.
    #[inline]
    fn checks<Them: EvalArmy>(&self, king: Square) -> [Bitboard; 5] {
        [
            Bitboard::EMPTY,
            Them::piece_attacks(1, self.tables, king, self.occupied),
            Them::piece_attacks(2, self.tables, king, self.occupied),
            Them::piece_attacks(3, self.tables, king, self.occupied),
            Them::piece_attacks(4, self.tables, king, self.occupied),
        ]
    }

    /// The attack weight on a king: attacks on its zone, attacked squares next to it that only kings protect, and safe
    /// checks.
    #[inline]
    fn danger<Us: EvalArmy, Them: EvalArmy>(
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
        for (army_index, &squares) in checks.iter().enumerate().skip(1) {
            if (them.attacks[army_index] & squares & safe).nonempty() {
                danger += Them::CHECK_WEIGHT[army_index];
            }
        }
        danger
    }

    /// Pawn shelter and pawn storm: own and enemy pawns or hoplites in front of a king.
    #[inline]
    fn shelter<Us: EvalArmy, Them: EvalArmy>(&mut self, king: Square, shelter: usize, storm: usize) {
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

    /// Attacked men of the enemy.
    #[inline]
    fn threats<Us: EvalArmy, Them: EvalArmy>(&mut self, us: &Side, them: &Side) {
        // An attacked single king is in check, which the search handles.
        let kinds = if Them::SPARTAN && self.board.has_two_kings(Them::COLOUR) { 6 } else { 5 };
        let attackers = [
            (AT.threat_by_pawn, us.attacks[0]),
            (AT.threat_by_minor, us.attacks[1] | us.attacks[2]),
            (AT.threat_by_rook, us.attacks[3]),
            (AT.threat_by_queen, us.attacks[4]),
            (AT.threat_by_king, us.attacks[5]),
            (AT.hanging, us.all & !them.all),
        ];
        let attacked = self.board.colour(Them::COLOUR) & us.all;
        for army_index in 0..kinds {
            let victims = Them::pieces(self.board, army_index) & attacked;
            if victims.nonempty() {
                let kind = Them::KINDS[army_index].index();
                for (index, attacks) in attackers {
                    self.add::<Us>(index + kind, (victims & attacks).count() as i32);
                }
            }
        }
    }
}

/// The index of an attack weight in the danger tables.
#[inline]
fn danger_step(weight: i32) -> usize {
    (weight / 2).clamp(0, 31) as usize
}

/// All squares of the files of a set.
#[inline]
fn fill_files(set: u64) -> u64 {
    let mut files = set | set >> 8;
    files |= files >> 16;
    files |= files >> 32;
    (files & 0xFF).wrapping_mul(0x0101_0101_0101_0101)
}

/// The squares from which a hoplite can reach the last rank by diagonal steps over allowed squares. The square of the
/// hoplite itself need not be allowed.
#[inline]
fn hoplite_paths<Us: EvalArmy>(allowed: Bitboard) -> Bitboard {
    let back = |set: Bitboard| set.shift(-1, -Us::UP) | set.shift(1, -Us::UP);
    let mut row = Us::relative_set(Bitboard::rank_number(8)) & allowed;
    let mut paths = Bitboard::EMPTY;
    for _ in 0..6 {
        let origins = back(row);
        paths |= origins;
        row = origins & allowed;
    }
    paths
}
