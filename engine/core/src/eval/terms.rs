//! The terms of the evaluation.

use super::army::{EvalArmy, fill_down, fill_up};
use super::layout::{AT, COUNT};
use super::params::PARAMS;
use super::trace::Trace;
use crate::attacks::{Tables, tables};
use crate::board::Board;
use crate::board::army::{Persian, WHITE};
use crate::types::{Bitboard, CastlingSide, Colour, File, PieceType, Role, Square, Worth};

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

/// The king steps from a square to the nearest of a set; 7 if that is empty.
#[inline]
pub(super) fn nearest(set: Bitboard, square: Square) -> usize {
    set.map(|other| other.distance(square)).min().unwrap_or(7)
}

/// Attack information of a side.
struct Side {
    /// Attacks by [`Role`].
    attacks: [Bitboard; 6],
    /// Attacks of all pieces but kings.
    by_pieces: Bitboard,
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
        let pawns = Us::pawn_attacks(Us::pieces(board, Role::Pawn));
        let mut zones = [Bitboard::EMPTY; 2];
        for (zone, king) in zones.iter_mut().zip(board.kings(Us::COLOUR)) {
            let ring = tables.king(king).with(king);
            *zone = ring | ring.shift(0, Us::UP);
        }
        Self {
            attacks: Role::ALL.map(|role| if role == Role::Pawn { pawns } else { Bitboard::EMPTY }),
            by_pieces: pawns,
            all: pawns,
            twice: Bitboard::EMPTY,
            mobility_area: !(board.colour(Us::COLOUR) | Them::pawn_attacks(Them::pieces(board, Role::Pawn))),
            zones,
            danger: [0; 2],
        }
    }

    #[inline]
    fn attack(&mut self, role: Role, attacks: Bitboard) {
        self.attacks[role as usize] |= attacks;
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
    use PieceType::{Bishop, Captain, General, King, Knight, Lieutenant, Queen, Rook, Warlord};
    let share = |kind: PieceType| board.kind(kind).count() as i32 * kind.worth().phase;
    let minors = share(Knight) + share(Bishop) + share(Lieutenant) + share(Captain);
    let majors = share(Rook) + share(General) + share(Queen) + share(Warlord);
    let second_king = if board.has_two_kings(Colour::Black) { King.worth().phase } else { 0 };
    (minors + majors + second_king).min(FULL_PHASE)
}

/// What the pieces of a side are worth together, with a second king, but without pawns.
pub(super) fn pieces_worth(board: &Board, colour: Colour, of: impl Fn(&Worth) -> i32) -> i32 {
    let pieces = PieceType::ALL.into_iter().filter(|&kind| kind != PieceType::King);
    let worth: i32 = pieces.map(|kind| board.coloured(colour, kind).count() as i32 * of(kind.worth())).sum();
    worth + if board.has_two_kings(colour) { of(PieceType::King.worth()) } else { 0 }
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
        for square in Us::pieces(self.board, Role::Pawn) {
            self.placement::<Us>(Us::FIRST_PSQT, square);
        }
        for (zone, danger) in them.zones.into_iter().zip(&mut them.danger) {
            *danger += Us::ATTACK_WEIGHT[Role::Pawn as usize] * (us.attacks[Role::Pawn as usize] & zone).count() as i32;
        }
        self.pieces_with_role::<Us, Them>(Role::Knight, us, them);
        self.pieces_with_role::<Us, Them>(Role::Bishop, us, them);
        self.pieces_with_role::<Us, Them>(Role::Rook, us, them);
        self.pieces_with_role::<Us, Them>(Role::Queen, us, them);
        us.by_pieces = us.all;

        let kings = self.board.kings(Us::COLOUR);
        let paired = Us::SPARTAN && kings.many();
        for king in kings {
            self.placement::<Us>(if paired { PAIRED_KING } else { Us::FIRST_PSQT + Role::King as usize }, king);
            let attacks = self.tables.king(king);
            us.attack(Role::King, attacks);
            // Only one of two kings can safely approach the enemy king.
            if paired && (attacks & them.zones[0]).nonempty() {
                them.danger[0] += Us::ATTACK_WEIGHT[Role::King as usize];
            }
        }
        if paired {
            self.add::<Us>(AT.material + PieceType::King.index(), 1);
        }
        if !Us::SPARTAN && !self.board.castling().is_empty() {
            let rights = CastlingSide::ALL.map(|side| i32::from(self.board.castling().has(Us::COLOUR, side)));
            self.add::<Us>(AT.castling, rights.iter().sum());
        }
    }

    /// The pieces with a role, not pawns or kings. Inlined, so that the role is a constant.
    #[inline(always)]
    fn pieces_with_role<Us: EvalArmy, Them: EvalArmy>(&mut self, role: Role, us: &mut Side, them: &mut Side) {
        let pieces = Us::pieces(self.board, role);
        let index = role as usize;
        for square in pieces {
            let attacks = self.tables.attacks(Us::piece(role), square, self.occupied);
            us.attack(role, attacks);
            self.placement::<Us>(Us::FIRST_PSQT + index, square);

            let mut mobility = (attacks & us.mobility_area).count() as usize;
            if Us::piece(role).kind == PieceType::Lieutenant {
                mobility += (self.tables.sideways(square) & us.mobility_area & !self.occupied).count() as usize;
            }
            self.add::<Us>(Us::MOBILITY[index] + mobility, 1);

            for (zone, danger) in them.zones.into_iter().zip(&mut them.danger).take(if Them::SPARTAN { 2 } else { 1 }) {
                let reached = (attacks & zone).count() as i32;
                *danger += if reached > 0 { Us::ATTACK_WEIGHT[index] + reached } else { 0 };
            }
            if role == Role::Rook {
                self.file::<Us>(square);
            }
        }
        if matches!(role, Role::Knight | Role::Bishop) {
            let ranks = Us::relative_set(Bitboard(0x0000_FFFF_FF00_0000));
            let outposts = pieces & ranks & us.attacks[Role::Pawn as usize] & !them.attacks[Role::Pawn as usize];
            self.add::<Us>(AT.outpost + index - 1 + if Us::SPARTAN { 2 } else { 0 }, outposts.count() as i32);
        }
        if Us::piece(role).kind == PieceType::Bishop {
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
        } else if (file & Us::pieces(self.board, Role::Pawn)).is_empty() {
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
        let pawns = Us::pieces(self.board, Role::Pawn);
        let files = fill_up(fill_down(pawns));
        let isolated = pawns & !(files.shift(1, 0) | files.shift(-1, 0));
        let phalanx = pawns & (pawns.shift(1, 0) | pawns.shift(-1, 0));
        let supported = pawns & us.attacks[Role::Pawn as usize];
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
            let passed = pawns & !behind & !Them::stop_span(Them::pieces(self.board, Role::Pawn));
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
            self.add::<Us>(AT.passed_pawn_supported + rank, i32::from(us.attacks[Role::Pawn as usize].has(square)));
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
        let passed =
            hoplites & hoplite_paths::<Us>(!(Them::pieces(self.board, Role::Pawn) | them.attacks[Role::Pawn as usize]));
        if passed.is_empty() {
            return;
        }
        let free = hoplite_paths::<Us>(!(self.occupied | them.all));
        let paired = self.board.has_two_kings(Us::COLOUR);
        for square in passed {
            let rank = Us::relative(square).rank().index() - 1;
            self.add::<Us>(AT.passed_hoplite + rank, 1);
            self.add::<Us>(AT.passed_hoplite_free + rank, i32::from(free.has(square)));
            self.add::<Us>(AT.passed_hoplite_supported + rank, i32::from(us.attacks[Role::Pawn as usize].has(square)));
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
        self.add::<Us>(AT.kings_distance + first.distance(second), 1);
        let safe = !(self.board.colour(Them::COLOUR) | us.all);
        for (index, role) in Role::PIECES.into_iter().enumerate() {
            let forks = them.attacks[role as usize] & checks[0][index] & checks[1][index] & safe;
            self.add::<Us>(AT.kings_fork + index, i32::from(forks.nonempty()));
        }
    }

    /// The squares from which the pieces of an army would attack a king, in the order of [`Role::PIECES`].
    #[inline]
    fn checks<Them: EvalArmy>(&self, king: Square) -> [Bitboard; 4] {
        let attacks = |role| self.tables.attacks(Them::piece(role), king, self.occupied);
        [attacks(Role::Knight), attacks(Role::Bishop), attacks(Role::Rook), attacks(Role::Queen)]
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
        checks: &[Bitboard; 4],
    ) -> i32 {
        let weak = them.all & !us.by_pieces;
        let mut danger = us.danger[zone] + 2 * (self.tables.king(king) & weak).count() as i32;
        let safe = !self.board.colour(Them::COLOUR) & (!us.all | weak & them.twice & !us.twice);
        for (role, &squares) in Role::PIECES.into_iter().zip(checks) {
            if (them.attacks[role as usize] & squares & safe).nonempty() {
                danger += Them::CHECK_WEIGHT[role as usize];
            }
        }
        danger
    }

    /// Pawn shelter and pawn storm: own and enemy pawns or hoplites in front of a king.
    #[inline]
    fn shelter<Us: EvalArmy, Them: EvalArmy>(&mut self, king: Square, shelter: usize, storm: usize) {
        let king = Us::relative(king);
        let ahead = Bitboard(!0 << (8 * king.rank().index()));
        let own = Us::relative_set(Us::pieces(self.board, Role::Pawn)) & ahead;
        let enemy = Us::relative_set(Them::pieces(self.board, Role::Pawn)) & ahead;
        let centre = king.file().index().clamp(1, 6);
        for index in centre - 1..=centre + 1 {
            let Some(file) = File::new(index as u8) else { continue };
            let rank = |set: Bitboard| (set & Bitboard::file(file)).first().map_or(0, |square| square.rank().index());
            let from_edge = index.min(7 - index);
            self.add::<Us>(shelter + 7 * from_edge + rank(own), 1);
            self.add::<Us>(storm + rank(enemy), 1);
        }
    }

    /// Attacked pieces of the enemy.
    #[inline]
    fn threats<Us: EvalArmy, Them: EvalArmy>(&mut self, us: &Side, them: &Side) {
        let by = |role: Role| us.attacks[role as usize];
        let attackers = [
            (AT.threat_by_pawn, by(Role::Pawn)),
            (AT.threat_by_minor, by(Role::Knight) | by(Role::Bishop)),
            (AT.threat_by_rook, by(Role::Rook)),
            (AT.threat_by_queen, by(Role::Queen)),
            (AT.threat_by_king, by(Role::King)),
            (AT.hanging, us.all & !them.all),
        ];
        let attacked = self.board.colour(Them::COLOUR) & us.all;
        // An attacked single king is in check, which the search handles.
        let paired = Them::SPARTAN && self.board.has_two_kings(Them::COLOUR);
        for role in Role::ALL.into_iter().filter(|&role| role != Role::King || paired) {
            let victims = Them::pieces(self.board, role) & attacked;
            if victims.nonempty() {
                let kind = Them::piece(role).kind.index();
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

/// The squares from which a hoplite can reach the last rank by diagonal steps over allowed squares. The square of the
/// hoplite itself need not be allowed.
#[inline]
fn hoplite_paths<Us: EvalArmy>(allowed: Bitboard) -> Bitboard {
    let back = |set: Bitboard| set.shift(-1, -Us::UP) | set.shift(1, -Us::UP);
    let mut row = Us::relative_set(Bitboard::rank(8)) & allowed;
    let mut paths = Bitboard::EMPTY;
    for _ in 0..6 {
        let origins = back(row);
        paths |= origins;
        row = origins & allowed;
    }
    paths
}
