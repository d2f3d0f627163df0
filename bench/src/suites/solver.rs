//! A solver that proves forced mates, and that no shorter mate exists.
//!
//! The side to move, the attacker, mates within n moves if it has a move after which the other side is mated, or after
//! which it mates within n − 1 moves against every legal reply. The solver implements exactly this definition as a
//! depth-first search with iterative deepening. It searches all moves of both sides, including quiet ones, and prunes
//! only last moves that cannot give check. A hash table stores for each position within how many moves there is a mate
//! and within how many there is none. Both facts are independent of the search depth, so later iterations reuse them.
//! Positions are identified by their 64-bit Zobrist keys.
//!
//! The history of the game is ignored: a shortest mate repeats no position. A stalemate is a draw, not a mate. The
//! solver rejects positions in which the fifty-move rule could end the game before the mate.

use agoge_core::attacks::tables;
use agoge_core::board::Board;
use agoge_core::types::{Bitboard, Colour, Move, MoveKind, Piece, PieceType, Square};
use std::fmt;

/// The longest mate that the solver searches for, in moves.
pub const MAX_MOVES: u32 = 60;

/// Distinguishes entries with the defender to move from those with the attacker to move, because a solver may be used
/// for mates by both sides.
const DEFENDER: u64 = 0x5851_F42D_4C95_7F2D;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    Nodes,
    /// The fifty-move rule could end the game before the mate.
    FiftyMoves,
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nodes => "no proof within the node limit",
            Self::FiftyMoves => "the fifty-move rule could end the game before the mate",
        })
    }
}

impl std::error::Error for Unsolved {}

/// What is known about a position: with the attacker to move, within how many moves it mates; with the defender to
/// move, within how many further moves of the attacker it is mated.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    /// There is a mate within this number of moves; 0 if unknown.
    mate: u8,
    /// There is no mate within this number of moves.
    no_mate: u8,
    /// The move that mates, or the reply that refutes the mate; see [`Move::bits`].
    mv: u16,
}

/// Proves mates. Its methods fail at the node limit, and where the fifty-move rule could end the game before the mate.
pub struct Solver {
    table: Vec<[Entry; 2]>,
    nodes: u64,
    limit: u64,
    /// The last refutation for each number of remaining moves.
    refutations: [Option<Move>; MAX_MOVES as usize + 1],
}

impl Solver {
    /// A solver with a hash table of at most `table_mib` MiB.
    pub fn new(table_mib: usize) -> Self {
        let buckets = ((table_mib << 20) / size_of::<[Entry; 2]>()).max(1);
        // Rounded down to a power of two.
        let buckets = 1 << buckets.ilog2();
        Self {
            table: vec![Default::default(); buckets],
            nodes: 0,
            limit: u64::MAX,
            refutations: [None; MAX_MOVES as usize + 1],
        }
    }

    pub fn clear(&mut self) {
        self.table.fill(Default::default());
        self.refutations.fill(None);
    }

    /// Resets the node count and sets the limit. A node is a position with the attacker to move.
    pub fn allow(&mut self, nodes: u64) {
        self.nodes = 0;
        self.limit = nodes;
    }

    /// The number of moves of the shortest mate by the side to move, if there is one within `max_moves`. Both the mate
    /// and the absence of shorter ones are proven.
    pub fn shortest(&mut self, board: &Board, max_moves: u32) -> Result<Option<u32>, Unsolved> {
        let max_moves = max_moves.min(MAX_MOVES);
        check_clock(board, max_moves)?;
        for moves in 1..=max_moves {
            if self.attack(board, moves)? {
                return Ok(Some(moves));
            }
        }
        Ok(None)
    }

    pub fn mates_within(&mut self, board: &Board, moves: u32) -> Result<bool, Unsolved> {
        let moves = moves.min(MAX_MOVES);
        check_clock(board, moves)?;
        Ok(moves > 0 && self.attack(board, moves)?)
    }

    /// Whether the side to move is mated, or will be mated within a number of moves of the other side.
    pub fn mated_within(&mut self, board: &Board, moves: u32) -> Result<bool, Unsolved> {
        let moves = moves.min(MAX_MOVES);
        // One ply more than for a mate by the side to move.
        check_clock(board, moves + 1)?;
        if moves == 0 {
            return Ok(board.in_check() && !board.has_legal_move());
        }
        self.defend(board, moves)
    }

    /// Whether a legal move mates within a number of moves, including itself.
    pub fn solves(&mut self, board: &Board, mv: Move, moves: u32) -> Result<bool, Unsolved> {
        let moves = moves.min(MAX_MOVES);
        check_clock(board, moves)?;
        let next = board.after(mv);
        match moves {
            0 => Ok(false),
            1 => Ok(next.in_check() && !next.has_legal_move()),
            _ => self.defend(&next, moves - 1),
        }
    }

    /// All moves that mate within a number of moves, in the order of generation.
    pub fn solutions(&mut self, board: &Board, moves: u32) -> Result<Vec<Move>, Unsolved> {
        let mut found = Vec::new();
        for mv in board.legal_moves() {
            if self.solves(board, mv, moves)? {
                found.push(mv);
            }
        }
        Ok(found)
    }

    /// A line of best play to the mate in `moves`, which must be the shortest mate: the attacker mates as fast as
    /// possible, and the defender holds out as long as possible. Among equal moves a promotion to a king is preferred.
    pub fn line(&mut self, board: &Board, moves: u32) -> Result<Vec<Move>, Unsolved> {
        let mut line = Vec::new();
        let mut board = board.clone();
        for left in (1..=moves).rev() {
            let solutions = self.solutions(&board, left)?;
            let Some(&attack) = solutions.iter().find(|&&mv| promotes_to_king(mv)).or(solutions.first()) else { break };
            line.push(attack);
            board.make_move(attack);
            let mut longest: Option<(u32, bool, Move)> = None;
            for reply in board.legal_moves() {
                let next = board.after(reply);
                let length = self.shortest(&next, left - 1)?.unwrap_or(left);
                if longest.is_none_or(|(most, king, _)| (length, promotes_to_king(reply)) > (most, king)) {
                    longest = Some((length, promotes_to_king(reply), reply));
                }
            }
            let Some((_, _, reply)) = longest else { break };
            line.push(reply);
            board.make_move(reply);
        }
        Ok(line)
    }

    fn bucket_index(&self, key: u64) -> usize {
        key as usize & (self.table.len() - 1)
    }

    fn probe(&self, key: u64) -> Option<Entry> {
        self.table[self.bucket_index(key)].iter().copied().find(|entry| entry.key == key)
    }

    /// Stores new facts about a position. The first entry of a bucket is replaced by depth, the second always.
    fn store(&mut self, key: u64, learned: Entry) {
        let index = self.bucket_index(key);
        let bucket = &mut self.table[index];
        let worth = |entry: &Entry| entry.mate.max(entry.no_mate);
        let entry = match bucket.iter().position(|entry| entry.key == key) {
            Some(index) => &mut bucket[index],
            None => {
                let index = usize::from(worth(&learned) < worth(&bucket[0]));
                bucket[index] = Entry { key, ..Entry::default() };
                &mut bucket[index]
            }
        };
        if learned.mate > 0 && (entry.mate == 0 || learned.mate < entry.mate) {
            entry.mate = learned.mate;
        }
        entry.no_mate = entry.no_mate.max(learned.no_mate);
        if learned.mv != 0 {
            entry.mv = learned.mv;
        }
    }

    /// Whether the side to move mates within a number of moves, at least one.
    fn attack(&mut self, board: &Board, moves: u32) -> Result<bool, Unsolved> {
        if moves == 1 {
            // Searching is faster than probing the table.
            return Ok(self.mate_in_one(board)?.is_some());
        }
        let key = board.key();
        let mut known = 0;
        let mut first = None;
        if let Some(entry) = self.probe(key) {
            if entry.mate > 0 && u32::from(entry.mate) <= moves {
                return Ok(true);
            }
            known = u32::from(entry.no_mate);
            first = Move::from_bits(entry.mv);
        }
        // Short mates first, because most lines end in one.
        for within in known + 1..=moves {
            let found = if within == 1 { self.mate_in_one(board)? } else { self.attack_at(board, within, first)? };
            if let Some(mv) = found {
                self.store(key, Entry { mate: within as u8, mv: mv.bits(), ..Entry::default() });
                return Ok(true);
            }
        }
        if moves > known {
            self.store(key, Entry { no_mate: moves as u8, ..Entry::default() });
        }
        Ok(false)
    }

    fn visit(&mut self) -> Result<(), Unsolved> {
        self.nodes += 1;
        if self.nodes > self.limit { Err(Unsolved::Nodes) } else { Ok(()) }
    }

    fn mate_in_one(&mut self, board: &Board) -> Result<Option<Move>, Unsolved> {
        self.visit()?;
        let checks = Checks::new(board);
        let mates = |&mv: &Move| {
            checks.may_give(board, mv) && {
                let next = board.after(mv);
                next.in_check() && !next.has_legal_move()
            }
        };
        Ok(board.legal_moves().into_iter().find(mates))
    }

    /// A move that mates in exactly `moves` moves, at least two, given that there is no shorter mate.
    fn attack_at(&mut self, board: &Board, moves: u32, first: Option<Move>) -> Result<Option<Move>, Unsolved> {
        self.visit()?;
        // Forcing moves first: checks, then those that leave few replies.
        let mut ordered: Vec<(u32, Move)> = Vec::with_capacity(64);
        let checks = Checks::new(board);
        for mv in board.legal_moves() {
            let rank = if Some(mv) == first {
                0
            } else if moves > 2 {
                let next = board.after(mv);
                next.count_moves() + if next.in_check() { 0 } else { 1000 }
            } else {
                u32::from(!checks.may_give(board, mv))
            };
            ordered.push((rank, mv));
        }
        ordered.sort_by_key(|&(rank, _)| rank);
        for (_, mv) in ordered {
            if self.defend(&board.after(mv), moves - 1)? {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    /// Whether the side to move is mated, or the attacker mates within a number of moves after every reply.
    fn defend(&mut self, board: &Board, moves: u32) -> Result<bool, Unsolved> {
        let key = board.key() ^ DEFENDER;
        let mut hash_move = None;
        if moves > 1
            && let Some(entry) = self.probe(key)
        {
            if entry.mate > 0 && u32::from(entry.mate) <= moves {
                return Ok(true);
            }
            if u32::from(entry.no_mate) >= moves {
                return Ok(false);
            }
            hash_move = Move::from_bits(entry.mv);
        }
        let replies = board.legal_moves();
        if replies.is_empty() {
            // Stalemate is a draw.
            return Ok(board.in_check());
        }
        // Previous refutations first, then captures.
        let likely = [hash_move, self.refutations[moves as usize]];
        let likely = likely.map(|mv| mv.filter(|mv| replies.contains(mv)));
        let captures = replies.iter().copied().filter(|&mv| board.is_noisy(mv));
        let others = replies.iter().copied().filter(|&mv| !board.is_noisy(mv));
        let rest = captures.chain(others).filter(|&mv| !likely.contains(&Some(mv)));
        for reply in likely.into_iter().flatten().chain(rest) {
            if !self.attack(&board.after(reply), moves)? {
                self.refutations[moves as usize] = Some(reply);
                if moves > 1 {
                    self.store(key, Entry { no_mate: moves as u8, mv: reply.bits(), ..Entry::default() });
                }
                return Ok(false);
            }
        }
        if moves > 1 {
            self.store(key, Entry { mate: moves as u8, ..Entry::default() });
        }
        Ok(true)
    }
}

/// The squares from which pieces of the side to move would attack the enemy kings: a fast filter for moves that cannot
/// give check. Moves that pass it need not give check.
struct Checks {
    kings: Bitboard,
    /// For each king: the squares of own pieces on an open line to it.
    in_line: [Bitboard; 2],
    /// For each king and kind of piece: the squares from which the piece attacks the king.
    from: [[Bitboard; PieceType::COUNT]; 2],
    /// Whether each king is attacked already.
    attacked: [bool; 2],
}

impl Checks {
    fn new(board: &Board) -> Self {
        let (tables, us, occupied) = (tables(), board.side_to_move(), board.occupied());
        let kings = board.kings(!us);
        let mut checks = Self {
            kings,
            in_line: [Bitboard::EMPTY; 2],
            from: [[Bitboard::EMPTY; PieceType::COUNT]; 2],
            attacked: [false; 2],
        };
        for (index, king) in kings.into_iter().take(2).enumerate() {
            let (rook, bishop) = (tables.rook(king, occupied), tables.bishop(king, occupied));
            checks.in_line[index] = (rook | bishop) & board.colour(us);
            for kind in PieceType::ALL {
                // A piece attacks the king from where an enemy piece of its kind on the king's square would attack it.
                checks.from[index][kind.index()] = tables.attacks(Piece { colour: !us, kind }, king, occupied);
            }
            checks.attacked[index] = board.attackers_of(us, king, occupied).nonempty();
        }
        checks
    }

    /// `false` only if the move certainly does not give check.
    fn may_give(&self, board: &Board, mv: Move) -> bool {
        if matches!(mv.kind(), MoveKind::Castling | MoveKind::EnPassant) {
            return true;
        }
        let Some(kind) = mv.promoted().or(board.kind_on(mv.from())) else { return true };
        let attacks = |(index, king): (usize, Square)| {
            // A captured king need not be attacked.
            king == mv.to()
                || self.attacked[index]
                || self.in_line[index].has(mv.from())
                || self.from[index][kind.index()].has(mv.to())
        };
        self.kings.into_iter().take(2).enumerate().all(attacks)
    }
}

fn check_clock(board: &Board, moves: u32) -> Result<(), Unsolved> {
    // A mate on the hundredth ply still wins.
    let plies = u32::from(board.halfmove_clock()) + 2 * moves.max(1) - 1;
    if plies > 100 { Err(Unsolved::FiftyMoves) } else { Ok(()) }
}

pub fn promotes_to_king(mv: Move) -> bool {
    mv.kind() == MoveKind::Promotion(PieceType::King)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum MateKind {
    /// The Persians mate two kings at once.
    DupleCheck,
    /// The Persians face two kings, capture one and mate the other.
    CaptureThenMate,
    /// The Persians mate a lone king.
    LastKing,
    /// The Spartans mate.
    Spartan,
}

impl MateKind {
    pub const ALL: [Self; 4] = [Self::DupleCheck, Self::CaptureThenMate, Self::LastKing, Self::Spartan];

    pub const fn name(self) -> &'static str {
        match self {
            Self::DupleCheck => "Persian duple-check",
            Self::CaptureThenMate => "Persian capture of a king, then mate",
            Self::LastKing => "Persian mate of the last king",
            Self::Spartan => "Spartan mate",
        }
    }

    /// The kind of mate of a line from `board`.
    pub fn of(board: &Board, line: &[Move]) -> Self {
        let mut last = board.clone();
        line.iter().for_each(|&mv| last.make_move(mv));
        match (board.side_to_move(), board.has_two_kings(Colour::Black), last.has_two_kings(Colour::Black)) {
            (Colour::Black, ..) => Self::Spartan,
            (Colour::White, _, true) => Self::DupleCheck,
            (Colour::White, true, false) => Self::CaptureThenMate,
            (Colour::White, false, false) => Self::LastKing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::starts::random_endgame;
    use crate::rng::Rng;
    use agoge_core::board::{Game, Outcome, Variant};

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).unwrap()
    }

    /// A direct implementation of the definition.
    fn plain(board: &Board, moves: u32) -> bool {
        board.legal_moves().into_iter().any(|mv| {
            let next = board.after(mv);
            let replies = next.legal_moves();
            if replies.is_empty() {
                return next.in_check();
            }
            moves > 1 && replies.into_iter().all(|reply| plain(&next.after(reply), moves - 1))
        })
    }

    #[test]
    fn known_mates() {
        for (fen, moves, solutions) in [
            ("lgkcck1l/hhhhhhhh/5w2/8/6P1/5P2/PPPPP2P/RNBQKBNR b KQ - 0 2", 1, "f6h4"),
            ("1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1", 1, "h5b5"),
            ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1, "g1g7"),
            // Mate on the hundredth ply.
            ("k7/8/1K6/8/8/8/8/2Q5 w - - 99 80", 1, "c1c8"),
            ("7k/8/8/6K1/8/8/8/1Q6 w - - 0 1", 0, ""),
        ] {
            let board = board(fen);
            let mut solver = Solver::new(1);
            let shortest = solver.shortest(&board, 1).unwrap();
            assert_eq!(shortest, (moves > 0).then_some(moves), "{fen}");
            let mut found: Vec<String> =
                solver.solutions(&board, moves.max(1)).unwrap().into_iter().map(|mv| mv.to_string()).collect();
            let mut wanted: Vec<&str> = solutions.split_whitespace().collect();
            found.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{fen}");
        }
    }

    #[test]
    fn no_mate_where_there_is_none() {
        let mut solver = Solver::new(4);
        // The initial position; a bare king; a stalemate; one queen against two kings that protect each other.
        for (fen, moves) in [
            (Variant::Spartan.start_fen(), 2),
            ("7k/8/8/8/8/8/8/K7 w - - 0 1", 5),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 3),
            ("8/8/3kk3/8/8/8/8/KQ6 w - - 0 1", 3),
        ] {
            solver.clear();
            assert_eq!(solver.shortest(&board(fen), moves), Ok(None), "{fen}");
        }
    }

    #[test]
    fn a_stalemate_is_no_mate() {
        // Qf7 is stalemate.
        let board = board("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1");
        let mut solver = Solver::new(1);
        let stalemate = board.parse_move("f1f7").unwrap();
        for moves in 1..=3 {
            assert_eq!(solver.solves(&board, stalemate, moves), Ok(false));
        }
        assert_eq!(solver.shortest(&board, 3), Ok(Some(1)));
    }

    #[test]
    fn the_fifty_move_rule_is_respected() {
        let near = board("7k/8/8/6K1/8/8/8/1Q6 w - - 96 80");
        assert_eq!(Solver::new(1).shortest(&near, 3), Err(Unsolved::FiftyMoves));
        assert!(Solver::new(1).shortest(&near, 2).is_ok());
    }

    #[test]
    fn being_mated_is_proven_too() {
        let mut solver = Solver::new(1);
        // Mated; stalemated; mated after every reply; not mated.
        let mated = |solver: &mut Solver, fen, moves| solver.mated_within(&board(fen), moves);
        assert_eq!(mated(&mut solver, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 0), Ok(true));
        assert_eq!(mated(&mut solver, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0), Ok(false));
        assert_eq!(mated(&mut solver, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 2), Ok(false));
        assert_eq!(mated(&mut solver, "k7/8/1K6/8/8/8/7R/8 b - - 0 1", 0), Ok(false));
        assert_eq!(mated(&mut solver, "k7/8/1K6/8/8/8/7R/8 b - - 0 1", 1), Ok(true));
        assert_eq!(mated(&mut solver, "7k/8/8/8/8/8/8/K7 b - - 0 1", 4), Ok(false));
    }

    #[test]
    fn nodes_are_limited() {
        let mut solver = Solver::new(1);
        solver.allow(100);
        assert_eq!(solver.shortest(&Board::start(Variant::Spartan), 4), Err(Unsolved::Nodes));
        assert!(solver.nodes <= 101);
    }

    #[test]
    fn the_filter_passes_all_checks() {
        let mut rng = Rng::new(5);
        let mut counts = [[0; 2]; 2];
        for round in 0..400 {
            let variant = Variant::ALL[usize::from(round % 4 == 3)];
            let mut game = Game::start(variant);
            for _ in 0..200 {
                let board = game.board().clone();
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let checks = Checks::new(&board);
                for &mv in &moves {
                    let (is, may) = (board.after(mv).in_check(), checks.may_give(&board, mv));
                    assert!(may || !is, "{board}: {mv}");
                    counts[usize::from(is)][usize::from(may)] += 1;
                }
                game.push(moves[rng.below(moves.len())]).unwrap();
            }
        }
        assert!(counts[1][1] > 1000 && counts[0][0] > 5 * counts[0][1], "{counts:?}");
    }

    #[test]
    fn the_solver_agrees_with_the_plain_definition() {
        let mut rng = Rng::new(11);
        let mut mates = [0; 3];
        for game in std::iter::repeat_with(|| random_endgame(Variant::Spartan, &mut rng)).flatten().take(400) {
            let board = game.board();
            let shortest = Solver::new(1).shortest(board, 2).unwrap();
            let plainly = (1..=2).find(|&moves| plain(board, moves));
            assert_eq!(shortest, plainly, "{board}");
            mates[plainly.unwrap_or(0) as usize] += 1;
        }
        assert!(mates.iter().all(|&count| count > 5), "{mates:?}");
    }

    #[test]
    fn lines_end_in_the_expected_kind_of_mate() {
        for (fen, kind) in [
            ("1Q6/k7/k7/7Q/8/8/8/1K6 w - - 0 1", MateKind::DupleCheck),
            ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", MateKind::LastKing),
            ("8/8/8/8/8/2k5/8/K1k5 b - - 0 1", MateKind::Spartan),
            ("k6k/8/8/8/8/7R/8/KR5R w - - 0 1", MateKind::CaptureThenMate),
        ] {
            let board = board(fen);
            let mut solver = Solver::new(4);
            let moves = solver.shortest(&board, 3).unwrap().unwrap_or_else(|| panic!("no mate in {fen}"));
            let line = solver.line(&board, moves).unwrap();
            assert_eq!(line.len() as u32, 2 * moves - 1, "{fen}");
            let mut game = Game::new(board.clone());
            line.iter().for_each(|&mv| game.push(mv).unwrap());
            assert!(matches!(game.outcome(), Some(Outcome::Checkmate { .. })), "{fen}");
            assert_eq!(MateKind::of(&board, &line), kind, "{fen}");
        }
    }
}
