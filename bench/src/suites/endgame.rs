//! Endgames with few men, solved by retrograde analysis.
//!
//! A class is a set of men, such as `KQvkg`. The values of all its positions are computed backwards from the mates (see
//! "Retrograde Analysis" in the chess programming wiki): a position with a move to a lost position is won, and a
//! position whose moves all lead to won positions is lost. Captures and promotions lead to other classes, which are
//! solved first. Distances are plies to mate ("DTM") with best play by both sides.
//!
//! The module has its own move generator, so that the solver is an independent check of [`Board`]. It ignores the
//! history of the game: repetitions and the fifty-move rule.

use agoge::attacks::{Tables as Attacks, tables};
use agoge::board::{Board, Setup, Variant};
use agoge::tablebase;
use agoge::types::{Bitboard, CastlingRights, Colour, Piece, PieceType, Square};
use arrayvec::ArrayVec;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// The maximum number of men of a class. Solving four men takes 25 MB and seconds, five men 64 times as much.
pub const MAX_MEN: usize = 5;

/// The value of a position for the side to move, with the plies to mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The side to move mates.
    Win(u32),
    /// Neither side can force a mate.
    Draw,
    /// The side to move is mated.
    Loss(u32),
}

impl Value {
    /// A number to compare values by, larger for values that are better for the side to move. Faster wins and slower
    /// losses are better.
    pub const fn rank(self) -> i64 {
        match self {
            Self::Win(plies) => i64::MAX - plies as i64,
            Self::Draw => 0,
            Self::Loss(plies) => i64::MIN + plies as i64,
        }
    }
}

/// The men of both sides, in the order `KQRBNPkgwclh`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Class(ArrayVec<Piece, MAX_MEN>);

/// The order of letters in names.
const ORDER: &str = "KQRBNPkgwclh";

impl Class {
    fn new(men: impl IntoIterator<Item = Piece>) -> Self {
        let mut men: ArrayVec<Piece, MAX_MEN> = men.into_iter().collect();
        men.sort_by_key(|man| ORDER.find(man.letter()));
        Self(men)
    }

    /// The classes after a capture or a promotion. A capturing promotion takes two steps.
    fn successors(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for (index, &man) in self.0.iter().enumerate() {
            let others = self.0.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, &man)| man);
            if man.kind != PieceType::King || man.colour == Colour::Black && self.black_kings() == 2 {
                found.push(Self::new(others.clone()));
            }
            let kinds = promotions(man.kind, self.black_kings());
            found.extend(
                kinds.iter().map(|&kind| Self::new(others.clone().chain([Piece { colour: man.colour, kind }]))),
            );
        }
        found
    }

    fn black_kings(&self) -> usize {
        self.0.iter().filter(|&&man| man == BLACK_KING).count()
    }

    fn has_pawns(&self) -> bool {
        self.0.iter().any(|man| man.kind.is_pawn())
    }
}

const BLACK_KING: Piece = Piece { colour: Colour::Black, kind: PieceType::King };

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, man) in self.0.iter().enumerate() {
            let first_of_black = man.colour == Colour::Black && index > 0 && self.0[index - 1].colour == Colour::White;
            write!(f, "{}{}", if first_of_black { "v" } else { "" }, man.letter())?;
        }
        Ok(())
    }
}

impl FromStr for Class {
    type Err = String;

    /// Parses names such as `KQvkg`: White before Black, in FEN letters.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let (white, black) = name.split_once('v').unwrap_or((name, ""));
        let valid = |letters: &str, allowed: &str, kings: std::ops::RangeInclusive<usize>| {
            letters.chars().all(|letter| allowed.contains(letter))
                && kings.contains(&letters.chars().filter(|letter| "Kk".contains(*letter)).count())
        };
        if !valid(white, "KQRBNP", 1..=1) || !valid(black, "kgwclh", 1..=2) {
            return Err(format!("'{name}' is not an endgame class such as KQvkg"));
        }
        if white.len() + black.len() > MAX_MEN {
            return Err(format!("'{name}' has more than {MAX_MEN} men"));
        }
        let read = |letter: char| {
            let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
            PieceType::from_letter(letter).map(|kind| Piece { colour, kind })
        };
        Ok(Self::new(white.chars().chain(black.chars()).filter_map(read)))
    }
}

/// The pieces that a pawn or hoplite can promote to.
const fn promotions(kind: PieceType, black_kings: usize) -> &'static [PieceType] {
    use PieceType::{Bishop, Captain, General, King, Knight, Lieutenant, Queen, Rook, Warlord};
    match kind {
        PieceType::Pawn => &[Queen, Rook, Bishop, Knight],
        PieceType::Hoplite if black_kings == 1 => &[General, Warlord, Captain, Lieutenant, King],
        PieceType::Hoplite => &[General, Warlord, Captain, Lieutenant],
        _ => &[],
    }
}

/// The squares that a man attacks.
fn attacks(attacks: &Attacks, man: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    match man.kind {
        PieceType::Pawn => Bitboard::of(from).shift(-1, 1) | Bitboard::of(from).shift(1, 1),
        PieceType::Hoplite => Bitboard::of(from).shift(0, -1),
        PieceType::Knight => attacks.knight(from),
        PieceType::Bishop => attacks.bishop(from, occupied),
        PieceType::Rook => attacks.rook(from, occupied),
        PieceType::Queen => attacks.queen(from, occupied),
        PieceType::King => attacks.king(from),
        PieceType::Lieutenant => attacks.lieutenant(from),
        PieceType::Captain => attacks.captain(from),
        PieceType::General => attacks.general(from, occupied),
        PieceType::Warlord => attacks.warlord(from, occupied),
    }
}

/// The empty squares that a man can move to (`back` is `false`) or may have come from (`true`).
fn quiet_steps(tables: &Attacks, man: Piece, at: Square, occupied: Bitboard, back: bool) -> Bitboard {
    let here = Bitboard::of(at);
    let empty = !occupied;
    let up = if back { -1 } else { 1 };
    // The rank that a first move of two squares starts from or, backwards, ends on.
    let leap_from = |forward: usize, backward: usize| Bitboard::rank_number(if back { backward } else { forward });
    let steps = match man.kind {
        PieceType::Pawn => {
            let one = here.shift(0, up) & empty;
            let two = (here & leap_from(2, 4)).shift(0, up) & empty;
            one | two.shift(0, up)
        }
        PieceType::Hoplite => {
            let leaper = here & leap_from(7, 5);
            let beside = here.shift(-1, -up) | here.shift(1, -up);
            beside | leaper.shift(-2, -2 * up) | leaper.shift(2, -2 * up)
        }
        PieceType::Lieutenant => tables.lieutenant(at) | tables.sideways(at),
        _ => attacks(tables, man, at, occupied),
    };
    steps & empty
}

/// A position: the men in the order of their class, and the side to move.
#[derive(Clone, Debug)]
struct Position {
    men: ArrayVec<(Piece, Square), MAX_MEN>,
    side: Colour,
}

impl Position {
    fn of(board: &Board) -> Option<Self> {
        if board.variant() != Variant::Spartan || board.castling() != CastlingRights::NONE {
            return None;
        }
        let men = board.occupied().into_iter().filter_map(|square| Some((board.piece_on(square)?, square)));
        let mut sorted = ArrayVec::new();
        for man in men {
            sorted.try_push(man).ok()?;
        }
        Some(Self { men: sorted, side: board.side_to_move() }.sorted())
    }

    fn sorted(mut self) -> Self {
        self.men.sort_by_key(|(man, _)| ORDER.find(man.letter()));
        self
    }

    fn class(&self) -> Class {
        Class::new(self.men.iter().map(|&(man, _)| man))
    }

    fn occupied(&self) -> Bitboard {
        self.men.iter().fold(Bitboard::EMPTY, |set, &(_, square)| set.with(square))
    }

    /// Whether all kings of a side are attacked.
    fn is_in_check(&self, tables: &Attacks, colour: Colour) -> bool {
        let occupied = self.occupied();
        let enemies = self.men.iter().filter(|(man, _)| man.colour != colour);
        let attacked = enemies.fold(Bitboard::EMPTY, |set, &(man, from)| set | attacks(tables, man, from, occupied));
        let king = Piece { colour, kind: PieceType::King };
        self.men.iter().filter(|&&(man, _)| man == king).all(|&(_, square)| attacked.has(square))
    }

    fn is_legal(&self, tables: &Attacks) -> bool {
        let on_board = |&(man, square): &(Piece, Square)| {
            !man.kind.is_pawn() || (Bitboard::of(square) & Bitboard::BACK_RANKS).is_empty()
        };
        self.occupied().count() as usize == self.men.len()
            && self.men.iter().all(on_board)
            && !self.is_in_check(tables, !self.side)
    }

    /// Calls a function with the position after each legal move and whether it belongs to the same class.
    fn for_each_move(&self, tables: &Attacks, mut f: impl FnMut(Self, bool)) {
        let occupied = self.occupied();
        let black_kings = self.men.iter().filter(|&&(man, _)| man == BLACK_KING).count();
        for (index, &(man, from)) in self.men.iter().enumerate().filter(|(_, (man, _))| man.colour == self.side) {
            let enemies = self.men.iter().filter(|(other, _)| other.colour != self.side);
            let enemies = enemies.fold(Bitboard::EMPTY, |set, &(_, square)| set.with(square));
            let captures = attacks(tables, man, from, occupied) & enemies;
            for to in quiet_steps(tables, man, from, occupied, false) | captures {
                let mut next = self.clone();
                next.side = !self.side;
                next.men[index].1 = to;
                if captures.has(to) {
                    next.men.retain(|&mut (other, square)| other.colour == self.side || square != to);
                }
                let promotes = man.kind.is_pawn() && (Bitboard::of(to) & Bitboard::BACK_RANKS).nonempty();
                if !promotes {
                    if !next.is_in_check(tables, self.side) {
                        f(next, !captures.has(to));
                    }
                    continue;
                }
                for &kind in promotions(man.kind, black_kings) {
                    let mut promoted = next.clone();
                    for (man, _) in promoted.men.iter_mut().filter(|(_, square)| *square == to) {
                        man.kind = kind;
                    }
                    // Promoting to a king can resolve an attack on the only king.
                    if !promoted.is_in_check(tables, self.side) {
                        f(promoted.sorted(), false);
                    }
                }
            }
        }
    }

    /// Calls a function with each position from which a quiet move may have led here. These positions need not be
    /// legal.
    fn for_each_predecessor(&self, tables: &Attacks, mut f: impl FnMut(&Self)) {
        let occupied = self.occupied();
        let mut before = self.clone();
        before.side = !self.side;
        for (index, &(man, at)) in self.men.iter().enumerate().filter(|(_, (man, _))| man.colour != self.side) {
            for from in quiet_steps(tables, man, at, occupied, true) {
                before.men[index].1 = from;
                f(&before);
            }
            before.men[index].1 = at;
        }
    }

    fn board(&self) -> Option<Board> {
        let mut setup = Setup { side_to_move: self.side, ..Setup::empty(Variant::Spartan) };
        self.men.iter().for_each(|&(man, square)| setup.set(square, Some(man)));
        Board::try_from(&setup).ok()
    }
}

/// A draw, or not yet known to be decided.
const DRAWN: u16 = 0;

/// Not a legal position.
const ILLEGAL: u16 = u16::MAX;

/// The values of all positions of a class.
pub struct Table {
    class: Class,
    /// One more than the plies to mate, which are odd for won positions, or one of the constants above.
    values: Vec<u16>,
}

impl Table {
    /// The number of squares of the white king after mirroring: left to right, and without pawns also top to bottom.
    const fn king_squares(has_pawns: bool) -> usize {
        if has_pawns { 32 } else { 16 }
    }

    fn size(class: &Class) -> usize {
        (2 * Self::king_squares(class.has_pawns())) << (6 * (class.0.len() - 1))
    }

    fn index(has_pawns: bool, position: &Position) -> usize {
        let king = position.men[0].1;
        let mut flip = 0;
        if king.file().index() > 3 {
            flip ^= Square::H1.index();
        }
        if !has_pawns && king.rank().index() > 3 {
            flip ^= Square::A8.index();
        }
        let king = king.index() ^ flip;
        let mut index = position.side.index() * Self::king_squares(has_pawns) + (king >> 3) * 4 + (king & 7);
        for &(_, square) in &position.men[1..] {
            index = (index << 6) | (square.index() ^ flip);
        }
        index
    }

    fn position(class: &Class, has_pawns: bool, index: usize) -> Position {
        let mut rest = index;
        let mut men: ArrayVec<(Piece, Square), MAX_MEN> = ArrayVec::new();
        for &man in class.0[1..].iter().rev() {
            men.push((man, Square::new((rest & 63) as u8)));
            rest >>= 6;
        }
        let squares = Self::king_squares(has_pawns);
        let (side, king) = (rest / squares, rest % squares);
        men.push((class.0[0], Square::new(((king >> 2) * 8 + (king & 3)) as u8)));
        men.reverse();
        Position { men, side: if side == 0 { Colour::White } else { Colour::Black } }
    }

    /// The value at an index; `None` for an illegal position.
    fn value(&self, index: usize) -> Option<Value> {
        match self.values[index] {
            ILLEGAL => None,
            DRAWN => Some(Value::Draw),
            known if known % 2 == 0 => Some(Value::Win(u32::from(known) - 1)),
            known => Some(Value::Loss(u32::from(known) - 1)),
        }
    }

    /// The number of indices, including illegal and mirrored positions.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no positions: never.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The position at an index below [`Table::len`] and its value; `None` if it is not legal.
    pub fn get(&self, number: usize) -> Option<(Board, Value)> {
        let value = self.value(number)?;
        Some((Self::position(&self.class, self.class.has_pawns(), number).board()?, value))
    }

    /// The number of legal positions with `side` to move, and how many of them it wins.
    pub fn count(&self, side: Colour) -> (usize, usize) {
        let half = self.len() / 2;
        let values = (side.index() * half..(side.index() + 1) * half).filter_map(|index| self.value(index));
        values.fold((0, 0), |(all, won), value| (all + 1, won + usize::from(matches!(value, Value::Win(_)))))
    }

    /// The length in plies of the longest win of the side to move; `None` if it never wins.
    pub fn longest(&self, side: Colour) -> Option<u32> {
        let half = self.len() / 2;
        let values = (side.index() * half..(side.index() + 1) * half).filter_map(|index| self.value(index));
        values.filter_map(|value| if let Value::Win(plies) = value { Some(plies) } else { None }).max()
    }

    /// Solves a class whose successors have been solved.
    fn solve(class: &Class, known: &Tables) -> Self {
        let (tables, has_pawns) = (tables(), class.has_pawns());
        let initial: Vec<InitialState> = (0..Self::size(class))
            .into_par_iter()
            .map(|index| InitialState::at(&Self::position(class, has_pawns, index), known))
            .collect();
        let mut unresolved: Vec<u8> = initial.iter().map(|state| state.unresolved).collect();
        let mut slowest_loss: Vec<u16> = initial.iter().map(|state| state.slowest_loss).collect();
        let mut values: Vec<u16> = initial.into_iter().map(|state| state.value).collect();
        let is_distance = |&&value: &&u16| value != ILLEGAL;
        let mut last = values.iter().filter(is_distance).copied().max().unwrap_or(DRAWN);
        let mut now = 1;
        while now <= last {
            for index in 0..values.len() {
                if values[index] != now {
                    continue;
                }
                let is_won = now % 2 == 0;
                Self::position(class, has_pawns, index).for_each_predecessor(tables, |before| {
                    let before = Self::index(has_pawns, before);
                    if values[before] == ILLEGAL {
                        return;
                    }
                    if !is_won {
                        if values[before] == DRAWN || values[before] > now + 1 {
                            values[before] = now + 1;
                            last = last.max(now + 1);
                        }
                        return;
                    }
                    unresolved[before] -= 1;
                    slowest_loss[before] = slowest_loss[before].max(now + 1);
                    if unresolved[before] == 0 {
                        values[before] = slowest_loss[before];
                        last = last.max(slowest_loss[before]);
                    }
                });
            }
            now += 1;
        }
        Self { class: class.clone(), values }
    }
}

/// The initial state of a position, from its moves to other classes and the mates and stalemates.
struct InitialState {
    /// As in [`Table::values`].
    value: u16,
    /// The number of moves not yet known to lose.
    unresolved: u8,
    /// The value of the slowest known loss among the other moves.
    slowest_loss: u16,
}

impl InitialState {
    fn at(position: &Position, known: &Tables) -> Self {
        let tables = tables();
        let mut state = Self { value: DRAWN, unresolved: 0, slowest_loss: 1 };
        if !position.is_legal(tables) {
            state.value = ILLEGAL;
            return state;
        }
        let mut count = 0;
        position.for_each_move(tables, |next, same_class| {
            count += 1;
            match if same_class { Some(Value::Draw) } else { known.value(&next) } {
                Some(Value::Win(plies)) => state.slowest_loss = state.slowest_loss.max(plies as u16 + 2),
                Some(Value::Loss(plies)) => {
                    state.unresolved += 1;
                    let win = plies as u16 + 2;
                    state.value = if state.value == DRAWN { win } else { state.value.min(win) };
                }
                _ => state.unresolved += 1,
            }
        });
        if state.unresolved == 0 && (count > 0 || position.is_in_check(tables, position.side)) {
            state.value = state.slowest_loss;
        }
        state
    }
}

/// Solved classes.
#[derive(Default)]
pub struct Tables(HashMap<Class, Table>);

impl Tables {
    /// The table of a class. Solves it and its successors if necessary.
    pub fn solve(&mut self, class: &Class) -> &Table {
        if !self.0.contains_key(class) {
            for successor in class.successors() {
                self.solve(&successor);
            }
            let table = Table::solve(class, self);
            self.0.insert(class.clone(), table);
        }
        &self.0[class]
    }

    /// The value of a position; `None` if its class has not been solved, if there are castling rights, or if the
    /// variant is not Spartan Chess.
    pub fn probe(&self, board: &Board) -> Option<Value> {
        self.value(&Position::of(board)?)
    }

    fn value(&self, position: &Position) -> Option<Value> {
        let table = self.0.get(&position.class())?;
        table.value(Table::index(table.class.has_pawns(), position))
    }
}

/// The contents of the tablebase file of [`agoge::tablebase`]: the values of all positions with three men.
pub fn three_men() -> Vec<u8> {
    let mut bytes = vec![0; tablebase::SIZE];
    let mut tables = Tables::default();
    for name in ["KQvk", "KRvk", "KPvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "Kvkh"] {
        let Ok(class) = name.parse() else { continue };
        let table = tables.solve(&class);
        for (board, value) in (0..table.len()).filter_map(|number| table.get(number)) {
            let value = match value {
                Value::Win(plies) => tablebase::Value::Win(plies as u8),
                Value::Draw => tablebase::Value::Draw,
                Value::Loss(plies) => tablebase::Value::Loss(plies as u8),
            };
            if let Some(index) = tablebase::index(&board) {
                bytes[index] = value.to_byte();
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::suites::solver::Solver;
    use std::collections::HashSet;

    fn class(name: &str) -> Class {
        name.parse().unwrap()
    }

    /// Moves to mate in the longest win of White and of Black.
    fn longest(name: &str) -> [Option<u32>; 2] {
        let mut tables = Tables::default();
        let table = tables.solve(&class(name));
        Colour::ALL.map(|side| table.longest(side).map(|plies| plies.div_ceil(2)))
    }

    #[test]
    fn names_are_read_and_written() {
        for name in ["Kvk", "KQvkg", "KBNvk", "KPvkkh", "Kvkkgw"] {
            assert_eq!(class(name).to_string(), name);
        }
        assert_eq!(class("NBKvk").to_string(), "KBNvk");
        for wrong in ["", "K", "Kv", "vk", "KQ", "KKvk", "Kvkkk", "Kvkq", "KGvk", "KQvg", "KQRBNvk", "kvK"] {
            assert!(wrong.parse::<Class>().is_err(), "{wrong}");
        }
    }

    /// The known longest mates of orthodox chess and of Spartan pieces as solved elsewhere.
    #[test]
    fn three_men_have_the_known_lengths() {
        for (name, expected) in [
            ("Kvk", [None, None]),
            ("KQvk", [Some(10), None]),
            ("KRvk", [Some(16), None]),
            ("KBvk", [None, None]),
            ("KNvk", [None, None]),
            ("KPvk", [Some(28), None]),
            ("Kvkk", [None, Some(16)]),
            ("Kvkc", [None, Some(29)]),
            ("Kvkl", [None, None]),
            ("Kvkg", [None, Some(10)]),
            ("Kvkw", [None, Some(17)]),
        ] {
            assert_eq!(longest(name), expected, "{name}");
        }
    }

    #[test]
    fn the_embedded_tablebase_is_up_to_date() {
        assert!(three_men() == tablebase::EMBEDDED, "write it again with `--bin tablebase`");
    }

    #[test]
    fn bishop_and_knight_mate_within_33_moves() {
        assert_eq!(longest("KBNvk"), [Some(33), None]);
    }

    /// A random position of a class, legal or not.
    fn random(class: &Class, rng: &mut Rng) -> Position {
        let has_pawns = class.has_pawns();
        Table::position(class, has_pawns, rng.below(Table::size(class)))
    }

    #[test]
    fn moves_agree_with_the_engine() {
        let mut rng = Rng::new(11);
        let mut legal = 0;
        for name in ["KQvkk", "KPvkh", "KBPvkk", "KRvkkh", "KNvkl", "KPvgk", "KQvkkl", "KPPvkc", "Kvkkhh", "KBvkw"] {
            let class = class(name);
            for _ in 0..3000 {
                let position = random(&class, &mut rng);
                let board = position.board();
                let distinct = position.occupied().count() as usize == class.0.len();
                if !distinct {
                    continue;
                }
                assert_eq!(position.is_legal(tables()), board.is_some(), "{position:?}");
                let Some(board) = board else { continue };
                legal += 1;
                let mut ours = HashSet::new();
                position.for_each_move(tables(), |next, same_class| {
                    assert_eq!(same_class, next.class() == class);
                    assert!(ours.insert(next.board().unwrap().keys().position), "{position:?}");
                });
                let theirs: HashSet<u64> = board.legal_moves().into_iter().map(|mv| board.after(mv).key()).collect();
                assert_eq!(ours, theirs, "{board}");
            }
        }
        assert!(legal > 5000);
    }

    #[test]
    fn predecessors_are_the_inverse_of_moves() {
        let mut rng = Rng::new(12);
        for name in ["KQvkkl", "KPvkh", "KRvkkh", "KPPvkc", "Kvkhh"] {
            let class = class(name);
            let has_pawns = class.has_pawns();
            for _ in 0..2000 {
                let position = random(&class, &mut rng);
                if !position.is_legal(tables()) {
                    continue;
                }
                let here = Table::index(has_pawns, &position);
                position.for_each_move(tables(), |next, same_class| {
                    let mut found = !same_class;
                    next.for_each_predecessor(tables(), |before| found |= Table::index(has_pawns, before) == here);
                    assert!(found, "{position:?} {next:?}");
                });
                position.for_each_predecessor(tables(), |before| {
                    let mut found = !before.is_legal(tables());
                    before.for_each_move(tables(), |next, same_class| {
                        found |= same_class && Table::index(has_pawns, &next) == here;
                    });
                    assert!(found, "{before:?} {position:?}");
                });
            }
        }
    }

    #[test]
    fn values_agree_with_a_search_for_mate() {
        let mut rng = Rng::new(13);
        let mut tables = Tables::default();
        let mut solver = Solver::new(4);
        let mut mates = 0;
        for name in ["Kvkk", "Kvkh", "KPvk", "Kvkw"] {
            let class = class(name);
            let table = tables.solve(&class);
            for _ in 0..3000 {
                let Some((board, value)) = table.get(rng.below(table.len())) else { continue };
                solver.allow(u64::MAX);
                let expected = match value {
                    Value::Win(plies) if plies <= 5 => Some(plies.div_ceil(2)),
                    _ => None,
                };
                mates += usize::from(expected.is_some());
                assert_eq!(solver.shortest(&board, 3).unwrap(), expected, "{board}");
            }
        }
        assert!(mates > 20, "{mates}");
    }

    #[test]
    fn each_value_follows_from_its_successors() {
        let mut tables = Tables::default();
        let mut rng = Rng::new(14);
        for name in ["Kvkh", "KPvk", "Kvkk"] {
            tables.solve(&class(name));
            let table = &tables.0[&class(name)];
            for _ in 0..3000 {
                let Some((board, value)) = table.get(rng.below(table.len())) else { continue };
                assert_eq!(tables.probe(&board), Some(value));
                let after = board.legal_moves().into_iter().map(|mv| tables.probe(&board.after(mv)).unwrap());
                let best = after.min_by_key(|value| value.rank());
                let expected = match best {
                    None if board.in_check() => Value::Loss(0),
                    None | Some(Value::Draw) => Value::Draw,
                    Some(Value::Loss(plies)) => Value::Win(plies + 1),
                    Some(Value::Win(plies)) => Value::Loss(plies + 1),
                };
                assert_eq!(value, expected, "{board}");
            }
        }
    }
}
