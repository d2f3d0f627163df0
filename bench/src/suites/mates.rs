//! Finds forced mates in games and proves them, and verifies files of mates.
//!
//! The engine plays fast games against itself from random openings and random endgames. If a game ends in mate, the
//! solver examines the winner's last positions. Mates that are proven, including that none is shorter, are kept until
//! there are enough of each kind and number of moves. See [`crate::suites::solver`].

use crate::analysis::{Searcher, WorkerPool};
use crate::collection::Collection;
use crate::data::starts::{random_endgame, random_opening};
use crate::epd::{Epd, Parsed, plain_san};
use crate::outln;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::suites::solver::{MateKind, Solver, promotes_to_king};
use crate::terminal::{self, CommandResult, Status, failed, usage};
use agoge_core::board::{Board, Game, Outcome, Variant};
use agoge_core::types::{Bitboard, Colour, Move, PieceType};
use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum Task {
    /// Play games and write their mates; resumes an existing file
    Generate(Generate),
    /// Prove every mate of a file; fails if one is false
    Verify(Verify),
    /// Count the mates of a file by kind and number of moves
    Count {
        /// The mates, in EPD
        file: PathBuf,
    },
}

#[derive(Args)]
pub struct Generate {
    /// The file of mates, in EPD; an existing file is continued
    #[arg(long)]
    out: PathBuf,
    /// The seed of all games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The maximum number of games
    #[arg(long, default_value_t = 20_000)]
    games: u64,
    /// The number of mates of each kind and number of moves
    #[arg(long, default_value_t = 12)]
    per_cell: usize,
    /// The minimum number of mates with a promotion to a king, of any kind
    #[arg(long, default_value_t = 40)]
    kings: usize,
    /// The shortest mates, in moves
    #[arg(long, default_value_t = 1)]
    min_moves: u32,
    /// Start all games from endgames with at most this number of men, in which long mates can be proven
    #[arg(long, value_parser = clap::value_parser!(u32).range(3..))]
    men: Option<u32>,
    /// The longest mates, in moves
    #[arg(long, default_value_t = 8)]
    max_moves: u32,
    /// Nodes per move of the games
    #[arg(long, default_value_t = 400)]
    nodes: u64,
    /// Nodes of the solver per position
    #[arg(long, default_value_t = 250_000)]
    solver_nodes: u64,
    /// Hash table of each solver in MiB
    #[arg(long, default_value = "16", value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_536))]
    table: usize,
}

#[derive(Args)]
pub struct Verify {
    /// The mates, in EPD with the operations dm and optionally bm
    file: PathBuf,
    /// Nodes of the solver per position; a mate that needs more counts as not proven
    #[arg(long, default_value_t = 1_000_000_000)]
    nodes: u64,
    /// Hash table of each solver in MiB
    #[arg(long, default_value = "256", value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_536))]
    table: usize,
    /// Verify only mates in at most this number of moves
    #[arg(long, default_value_t = u32::MAX, hide_default_value = true)]
    max_moves: u32,
}

const MAX_PLIES: usize = 300;

/// The number of the winner's positions before the mate that are examined.
const POSITIONS_BEFORE_MATE: usize = 12;

/// The maximum number of mates from one game, each with a different number of moves.
const MATES_PER_GAME: usize = 2;

/// The maximum number of first moves that mate equally fast.
const MAX_SOLUTIONS: usize = 4;

/// The number of games after which the set of missing mates is updated, constant so that the result does not depend on
/// the number of cores.
const BATCH: u64 = 16;

struct Mate {
    board: Board,
    moves: u32,
    kind: MateKind,
    solutions: Vec<Move>,
    line: Vec<Move>,
    /// Whether the line or a solution contains a promotion to a king.
    king: bool,
    id: String,
}

impl Mate {
    fn epd(&self) -> Epd {
        let solutions: Vec<String> = self.solutions.iter().map(|&mv| plain_san(&self.board, mv)).collect();
        let line: Vec<String> = self.line.iter().map(Move::to_string).collect();
        let theme = if self.king { KING_PROMOTION } else { "" };
        Epd::new(self.board.clone())
            .with("dm", self.moves)
            .with("bm", solutions.join(" "))
            .with("c0", format!("{}{theme}", self.kind.name()))
            .with("c1", line.join(" "))
            .with("id", &self.id)
    }
}

/// The suffix of the comment of a mate with a promotion to a king.
const KING_PROMOTION: &str = ", with a promotion to a king";

#[derive(Clone, Default)]
struct Tally {
    cells: BTreeMap<(MateKind, u32), usize>,
    kings: usize,
}

impl Tally {
    fn add(&mut self, kind: MateKind, moves: u32, king: bool) {
        *self.cells.entry((kind, moves)).or_default() += 1;
        self.kings += usize::from(king);
    }

    fn add_line(&mut self, epd: &Epd) -> Result<(), String> {
        let moves = mate_in(epd).map_err(|error| format!("'{epd}' has {error}"))?;
        let theme = epd.operand("c0").unwrap_or("");
        let kind = MateKind::ALL.into_iter().find(|kind| theme.starts_with(kind.name()));
        let kind = kind.ok_or_else(|| format!("'{epd}' has no kind of mate in c0"))?;
        self.add(kind, moves, theme.ends_with(KING_PROMOTION));
        Ok(())
    }

    fn of(&self, kind: MateKind, moves: u32) -> usize {
        self.cells.get(&(kind, moves)).copied().unwrap_or(0)
    }

    fn total(&self) -> usize {
        self.cells.values().sum()
    }

    fn wants(&self, arguments: &Generate, kind: MateKind, moves: u32, king: bool) -> bool {
        self.of(kind, moves) < arguments.per_cell || king && self.kings < arguments.kings
    }

    fn print(&self) {
        let longest = self.cells.keys().map(|&(_, moves)| moves).max().unwrap_or(0);
        let row = |name: &str, cell: &dyn Fn(u32) -> String, all: &str| {
            let cells: String = (1..=longest).map(|moves| format!("{:>5}", cell(moves))).collect();
            outln!("{name:<38}{cells}{all:>6}");
        };
        row("mate in", &|moves| moves.to_string(), "all");
        for kind in MateKind::ALL {
            let all = (1..=longest).map(|moves| self.of(kind, moves)).sum::<usize>();
            row(kind.name(), &|moves| self.of(kind, moves).to_string(), &all.to_string());
        }
        let of_all = |moves| MateKind::ALL.iter().map(|&kind| self.of(kind, moves)).sum::<usize>().to_string();
        row("all", &of_all, &self.total().to_string());
        outln!("with a promotion to a king: {}", self.kings);
    }
}

/// Whether a hoplite may soon promote to a king.
fn may_promote_to_king(board: &Board) -> bool {
    let near = Bitboard::rank(2) | Bitboard::rank(3) | Bitboard::rank(4);
    let hoplites = board.coloured(Colour::Black, PieceType::Hoplite);
    !board.has_two_kings(Colour::Black) && (hoplites & near).nonempty()
}

/// A random endgame in which a hoplite may soon promote to a second king.
fn random_promotion(rng: &mut Rng) -> Option<Game> {
    let game = random_endgame(Variant::Spartan, rng)?;
    (may_promote_to_king(game.board()) && game.board().has_pieces(Colour::White)).then_some(game)
}

/// A random endgame in which White's queen and rook face two kings. Duple-checks are rare otherwise.
fn random_hunt(rng: &mut Rng) -> Option<Game> {
    let game = random_endgame(Variant::Spartan, rng)?;
    let board = game.board();
    let has = |kind| board.coloured(Colour::White, kind).nonempty();
    (board.has_two_kings(Colour::Black) && has(PieceType::Queen) && has(PieceType::Rook)).then_some(game)
}

/// Plays a game and returns its positions, the mate last; `None` if it does not end in mate.
fn play(searcher: &mut Searcher, arguments: &Generate, rng: &mut Rng) -> Option<Vec<Board>> {
    let endgame = |rng: &mut Rng| random_endgame(Variant::Spartan, rng);
    let start = match (arguments.men, rng.below(10)) {
        (Some(_), _) | (None, 4..6) => endgame,
        (None, 0..4) => |rng: &mut Rng| random_opening(Variant::Spartan, rng),
        (None, 6..8) => random_hunt,
        (None, _) => random_promotion,
    };
    let few = |game: &Game| arguments.men.is_none_or(|men| game.board().occupied().count() <= men);
    let mut game = std::iter::repeat_with(|| start(rng)).flatten().find(few)?;
    let mut boards = vec![game.board().clone()];
    for _ in 0..MAX_PLIES {
        match game.outcome() {
            Some(Outcome::Checkmate { .. }) => return Some(boards),
            Some(_) => return None,
            None => {}
        }
        game.push(searcher.search_nodes(&game, arguments.nodes, 1).best?).ok()?;
        boards.push(game.board().clone());
    }
    None
}

/// Plays a game and returns its proven mates, the shortest first.
fn find_mates(
    searcher: &mut Searcher,
    solver: &mut Solver,
    arguments: &Generate,
    wanted: &Tally,
    number: u64,
) -> Vec<Mate> {
    let mut rng = Rng::stream(arguments.seed, number);
    let Some(boards) = play(searcher, arguments, &mut rng) else { return Vec::new() };
    let mut mates = Vec::new();
    let last = boards.len() - 1;
    let first = 2 * arguments.min_moves.max(1) as usize - 1;
    for plies in (first..=last).step_by(2).take(POSITIONS_BEFORE_MATE) {
        let board = &boards[last - plies];
        // The game shows a mate in this number of moves, but the loser may have cooperated.
        let longest = (plies as u32).div_ceil(2).min(arguments.max_moves);
        let king = may_promote_to_king(board);
        let may_be = |kind: MateKind| (kind == MateKind::Spartan) == (board.side_to_move() == Colour::Black);
        let wants = |moves| MateKind::ALL.into_iter().any(|e| may_be(e) && wanted.wants(arguments, e, moves, king));
        if !(arguments.min_moves..=longest).any(wants) {
            continue;
        }
        solver.clear();
        solver.allow(arguments.solver_nodes);
        // Positions further from the end of the game are even harder.
        let Ok(found) = solver.shortest(board, longest) else { break };
        let Some(moves) = found.filter(|&moves| moves >= arguments.min_moves && wants(moves)) else { continue };
        solver.allow(4 * arguments.solver_nodes);
        let Ok(solutions) = solver.solutions(board, moves) else { continue };
        if solutions.len() > MAX_SOLUTIONS {
            continue;
        }
        let Ok(line) = solver.line(board, moves) else { continue };
        let kind = MateKind::of(board, &line);
        let king = line.iter().chain(&solutions).any(|&mv| promotes_to_king(mv));
        if wanted.wants(arguments, kind, moves, king) {
            let id = format!("mate.{number}.{}", last - plies);
            mates.push(Mate { board: board.clone(), moves, kind, solutions, line, king, id });
        }
    }
    mates
}

fn generate(arguments: &Generate) -> CommandResult {
    let header = format!(
        "Proven forced mates of Spartan Chess, made by `agoge-bench mates`; see README.md.\n\
         seed {}, nodes {}",
        arguments.seed, arguments.nodes
    );
    let (mut file, existing) = Collection::open(&arguments.out, &header, Variant::Spartan)?;
    let mut tally = Tally::default();
    let mut next = 0;
    for epd in &existing {
        tally.add_line(epd)?;
        next = next.max(epd.number_in_id("mate")? + 1);
    }
    let bar = Progress::new(arguments.games, next);
    let table = arguments.table;
    // The solver is cleared for each position anyway.
    let pool =
        WorkerPool::from_fn(move || Ok((Searcher::new(1, 1)?, Solver::new(table))), |(searcher, _)| searcher.clear());
    let full = |tally: &Tally| {
        (arguments.min_moves..=arguments.max_moves)
            .all(|n| MateKind::ALL.iter().all(|&e| tally.of(e, n) >= arguments.per_cell))
            && tally.kings >= arguments.kings
    };
    while next < arguments.games && !full(&tally) {
        let find = |(searcher, solver): &mut (Searcher, Solver), number| {
            find_mates(searcher, solver, arguments, &tally, number)
        };
        let found = pool.map(next..(next + BATCH).min(arguments.games), find);
        let found = found.map_err(usage)?;
        next += BATCH;
        for mut mates in found {
            // The rarest mates first.
            mates.sort_by_key(|mate| (!mate.king, tally.of(mate.kind, mate.moves)));
            let mut taken: Vec<u32> = Vec::new();
            for mate in mates {
                let fresh = taken.len() < MATES_PER_GAME && !taken.contains(&mate.moves);
                if fresh
                    && tally.wants(arguments, mate.kind, mate.moves, mate.king)
                    && file.push_new(&mate.epd()).map_err(failed)?
                {
                    tally.add(mate.kind, mate.moves, mate.king);
                    taken.push(mate.moves);
                }
            }
        }
        let found = format!("games: {} mates, {} with a promotion to a king", tally.total(), tally.kings);
        bar.update(next.min(arguments.games), found);
    }
    bar.finish();
    tally.print();
    Ok(Status::Success)
}

/// The number of moves of the mate by the side to move.
fn mate_in(epd: &Epd) -> Result<u32, String> {
    epd.mate_distance()?.and_then(|moves| u32::try_from(moves).ok()).ok_or_else(|| "no operation dm".to_owned())
}

fn prove(solver: &mut Solver, epd: &Epd, nodes: u64) -> Result<(), String> {
    let moves = mate_in(epd)?;
    if moves == 0 {
        return Err("a mate in 0 moves is impossible".to_owned());
    }
    solver.clear();
    solver.allow(nodes);
    match solver.shortest(&epd.board, moves).map_err(|error| error.to_string())? {
        Some(shortest) if shortest == moves => {}
        Some(shortest) => return Err(format!("there is a mate in {shortest}, shorter than {moves}")),
        None => return Err(format!("there is no mate in {moves}")),
    }
    let Some(best) = epd.operand("bm").filter(|moves| !moves.starts_with('#')) else { return Ok(()) };
    let mut named = Vec::new();
    for text in best.split_whitespace() {
        named.push(epd.board.parse_san(text).map_err(|error| format!("'{text}': {error}"))?);
    }
    let solutions = solver.solutions(&epd.board, moves).map_err(|error| error.to_string())?;
    if let Some(&mv) = named.iter().find(|mv| !solutions.contains(mv)) {
        return Err(format!("{} does not mate in {moves}", epd.board.to_san(mv)));
    }
    match solutions.iter().find(|mv| !named.contains(mv)) {
        Some(&mv) => Err(format!("{} also mates in {moves}", epd.board.to_san(mv))),
        None => Ok(()),
    }
}

fn verify(arguments: &Verify) -> CommandResult {
    let Parsed { positions: mut lines, errors } = Epd::read(&arguments.file, Variant::Spartan)?;
    lines.retain(|(_, epd)| !mate_in(epd).is_ok_and(|moves| moves > arguments.max_moves));
    if lines.is_empty() {
        return Err(usage(format!("{}: no mates", arguments.file.display())));
    }
    let bar = Progress::new(lines.len() as u64, 0);
    let mut faults = errors;
    let unreadable = faults.len();
    faults.par_extend(
        lines
            .par_iter()
            .map_init(
                || Solver::new(arguments.table),
                |solver, (number, epd)| {
                    let fault = prove(solver, epd, arguments.nodes).err();
                    bar.inc();
                    fault.map(|fault| format!("{}, line {number}: {fault}: {epd}", arguments.file.display()))
                },
            )
            .flatten(),
    );
    bar.finish();
    faults.iter().for_each(|fault| outln!("{fault}"));
    let count = lines.len() + unreadable;
    outln!("{count} mates, {} proven, {} not", count - faults.len(), faults.len());
    Ok(Status::of_check(faults.is_empty()).after_printing())
}

fn count(file: &std::path::Path) -> CommandResult {
    let mut tally = Tally::default();
    let Parsed { positions, errors } = Epd::read(file, Variant::Spartan)?;
    terminal::warn(&errors);
    for (number, epd) in positions {
        tally.add_line(&epd).map_err(|error| format!("{}, line {number}: {error}", file.display()))?;
    }
    tally.print();
    Ok(Status::Success.after_printing())
}

pub fn run(task: &Task) -> CommandResult {
    match task {
        Task::Generate(arguments) => generate(arguments),
        Task::Verify(arguments) => verify(arguments),
        Task::Count { file } => count(file),
    }
}
