//! Finds forced mates in games and proves them; proves those of a file again.
//!
//! The engine plays quick games against itself, from random openings and from random endgames. Where
//! a game ends in mate, the solver looks at the winner's last positions: mates that it proves, with
//! the proof that none is shorter, are kept, until each number of moves has enough of each kind of
//! mate. See [`agoge_bench::mate`].

use agoge::board::{Board, Game, Outcome, Variant};
use agoge::types::{Bitboard, Colour, Move, PieceType};
use agoge_bench::analysis::{Analyst, Bureau};
use agoge_bench::cli;
use agoge_bench::collection::Collection;
use agoge_bench::epd::{Epd, plain_san};
use agoge_bench::mate::{Ending, Solver, makes_king};
use agoge_bench::outln;
use agoge_bench::rng::Rng;
use agoge_bench::starts::{random_endgame, random_opening};
use clap::{Args, Parser, Subcommand};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Finds and proves forced mates in Spartan Chess.
#[derive(Parser)]
#[command(name = "mates", version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Play games and write their mates; goes on if the file was begun before
    Generate(Generate),
    /// Prove every mate of a file again; fails if one is false
    Verify(Verify),
    /// Count the mates of a file by kind and number of moves
    Count {
        /// The mates, in EPD
        file: PathBuf,
    },
}

#[derive(Args)]
struct Generate {
    /// The mates, in EPD; begun or continued
    #[arg(long)]
    out: PathBuf,
    /// Another seed gives other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games to play at most
    #[arg(long, default_value_t = 20_000)]
    games: u64,
    /// Mates of each kind and number of moves
    #[arg(long, default_value_t = 12)]
    per_cell: usize,
    /// Mates with a promotion to a king, whatever their kind
    #[arg(long, default_value_t = 40)]
    kings: usize,
    /// The shortest mates, in moves
    #[arg(long, default_value_t = 1)]
    min_moves: u32,
    /// Begin all games with endgames of at most so many men, where long mates can be proven
    #[arg(long, value_parser = clap::value_parser!(u32).range(3..))]
    men: Option<u32>,
    /// The longest mates, in moves
    #[arg(long, default_value_t = 8)]
    max_moves: u32,
    /// Nodes that the engine searches for each move of the games
    #[arg(long, default_value_t = 400)]
    nodes: u64,
    /// Nodes that the solver may spend on a position
    #[arg(long, default_value_t = 250_000)]
    solver_nodes: u64,
    /// Table of each solver in MiB
    #[arg(long, default_value_t = 16)]
    table: usize,
}

#[derive(Args)]
struct Verify {
    /// The mates, in EPD with the operations dm and, perhaps, bm
    file: PathBuf,
    /// Nodes that the solver may spend on a position; more than that counts as not proven
    #[arg(long, default_value_t = 1_000_000_000)]
    nodes: u64,
    /// Table of each solver in MiB
    #[arg(long, default_value_t = 256)]
    table: usize,
    /// Only mates in at most so many moves
    #[arg(long, default_value_t = u32::MAX, hide_default_value = true)]
    max_moves: u32,
}

/// Games are broken off after so many plies.
const MAX_PLIES: usize = 300;

/// How many of the winner's positions before the mate are looked at.
const POSITIONS_BEFORE_MATE: usize = 12;

/// Mates taken from one game at most, each with another number of moves.
const MATES_PER_GAME: usize = 2;

/// More first moves than this that mate equally fast make a dull position.
const MAX_SOLUTIONS: usize = 4;

/// Games of which what is still wanted is decided together: the outcome must not depend on the cores.
const BATCH: u64 = 16;

/// A proven mate.
struct Mate {
    board: Board,
    moves: u32,
    ending: Ending,
    solutions: Vec<Move>,
    line: Vec<Move>,
    /// A king is made in the line or by one of the solutions.
    king: bool,
    id: String,
}

impl Mate {
    fn epd(&self) -> Epd {
        let solutions: Vec<String> = self.solutions.iter().map(|&mv| plain_san(&self.board, mv)).collect();
        let line: Vec<String> = self.line.iter().map(Move::to_string).collect();
        let theme = if self.king { KING_THEME } else { "" };
        Epd::new(self.board.clone())
            .with("dm", self.moves)
            .with("bm", solutions.join(" "))
            .with("c0", format!("{}{theme}", self.ending.name()))
            .with("c1", line.join(" "))
            .with("id", &self.id)
    }
}

/// What the comment of a mate says after its kind when a king is made.
const KING_THEME: &str = ", with a promotion to a king";

/// How many mates of each kind there are.
#[derive(Clone, Default)]
struct Tally {
    cells: BTreeMap<(Ending, u32), usize>,
    kings: usize,
}

impl Tally {
    fn add(&mut self, ending: Ending, moves: u32, king: bool) {
        *self.cells.entry((ending, moves)).or_default() += 1;
        self.kings += usize::from(king);
    }

    /// Counts a line of a file.
    fn add_line(&mut self, epd: &Epd) -> Result<(), String> {
        let moves = epd.number("dm")?.ok_or_else(|| format!("'{epd}' has no operation dm"))?;
        let theme = epd.operand("c0").unwrap_or("");
        let ending = Ending::ALL.into_iter().find(|ending| theme.starts_with(ending.name()));
        let ending = ending.ok_or_else(|| format!("'{epd}' has no kind of mate in c0"))?;
        self.add(ending, moves, theme.ends_with(KING_THEME));
        Ok(())
    }

    fn of(&self, ending: Ending, moves: u32) -> usize {
        self.cells.get(&(ending, moves)).copied().unwrap_or(0)
    }

    fn total(&self) -> usize {
        self.cells.values().sum()
    }

    fn wants(&self, arguments: &Generate, ending: Ending, moves: u32, king: bool) -> bool {
        self.of(ending, moves) < arguments.per_cell || king && self.kings < arguments.kings
    }

    fn print(&self) {
        let longest = self.cells.keys().map(|&(_, moves)| moves).max().unwrap_or(0);
        let row = |name: &str, cell: &dyn Fn(u32) -> String, all: &str| {
            let cells: String = (1..=longest).map(|moves| format!("{:>5}", cell(moves))).collect();
            outln!("{name:<38}{cells}{all:>6}");
        };
        row("mate in", &|moves| moves.to_string(), "all");
        for ending in Ending::ALL {
            let all = (1..=longest).map(|moves| self.of(ending, moves)).sum::<usize>();
            row(ending.name(), &|moves| self.of(ending, moves).to_string(), &all.to_string());
        }
        let of_all = |moves| Ending::ALL.iter().map(|&ending| self.of(ending, moves)).sum::<usize>().to_string();
        row("all", &of_all, &self.total().to_string());
        outln!("with a promotion to a king: {}", self.kings);
    }
}

/// Whether a hoplite may become a king before long.
fn may_make_king(board: &Board) -> bool {
    let near = Bitboard::rank_number(2) | Bitboard::rank_number(3) | Bitboard::rank_number(4);
    let hoplites = board.coloured(Colour::Black, PieceType::Hoplite);
    !board.has_two_kings(Colour::Black) && (hoplites & near).nonempty()
}

/// A random endgame in which a hoplite may soon become a second king.
fn random_promotion(rng: &mut Rng) -> Option<Game> {
    let game = random_endgame(Variant::Spartan, rng)?;
    (may_make_king(game.board()) && game.board().has_pieces(Colour::White)).then_some(game)
}

/// A random endgame in which White's queen and rook face two kings. Duple-checks are rare otherwise.
fn random_hunt(rng: &mut Rng) -> Option<Game> {
    let game = random_endgame(Variant::Spartan, rng)?;
    let board = game.board();
    let has = |kind| board.coloured(Colour::White, kind).nonempty();
    (board.has_two_kings(Colour::Black) && has(PieceType::Queen) && has(PieceType::Rook)).then_some(game)
}

/// The positions of a game that ended in mate, the mate last.
fn play(analyst: &mut Analyst, arguments: &Generate, rng: &mut Rng) -> Option<Vec<Board>> {
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
        game.push(analyst.search_nodes(&game, arguments.nodes, 1).best?).ok()?;
        boards.push(game.board().clone());
    }
    None
}

/// The mates of a game, the shortest first.
fn harvest(analyst: &mut Analyst, solver: &mut Solver, arguments: &Generate, wanted: &Tally, number: u64) -> Vec<Mate> {
    let mut rng = Rng::stream(arguments.seed, number);
    let Some(boards) = play(analyst, arguments, &mut rng) else { return Vec::new() };
    let mut mates = Vec::new();
    let last = boards.len() - 1;
    let first = 2 * arguments.min_moves.max(1) as usize - 1;
    for plies in (first..=last).step_by(2).take(POSITIONS_BEFORE_MATE) {
        let board = &boards[last - plies];
        // The game shows a mate in so many moves, though the loser may have helped.
        let longest = (plies as u32).div_ceil(2).min(arguments.max_moves);
        let king = may_make_king(board);
        let may_be = |ending: Ending| (ending == Ending::Spartan) == (board.side_to_move() == Colour::Black);
        let wants = |moves| Ending::ALL.into_iter().any(|e| may_be(e) && wanted.wants(arguments, e, moves, king));
        if !(arguments.min_moves..=longest).any(wants) {
            continue;
        }
        solver.clear();
        solver.allow(arguments.solver_nodes);
        // Further from the end of the game it only becomes harder.
        let Ok(found) = solver.shortest(board, longest) else { break };
        let Some(moves) = found.filter(|&moves| moves >= arguments.min_moves && wants(moves)) else { continue };
        solver.allow(4 * arguments.solver_nodes);
        let Ok(solutions) = solver.solutions(board, moves) else { continue };
        if solutions.len() > MAX_SOLUTIONS {
            continue;
        }
        let Ok(line) = solver.line(board, moves) else { continue };
        let ending = Ending::of(board, &line);
        let king = line.iter().chain(&solutions).any(|&mv| makes_king(mv));
        if wanted.wants(arguments, ending, moves, king) {
            let id = format!("mate.{number}.{}", last - plies);
            mates.push(Mate { board: board.clone(), moves, ending, solutions, line, king, id });
        }
    }
    mates
}

fn generate(arguments: &Generate) -> Result<(), String> {
    let header = format!(
        "Proven forced mates of Spartan Chess, made by the binary `mates` of agoge-bench; see README.md.\n\
         seed {}, nodes {}",
        arguments.seed, arguments.nodes
    );
    let (mut file, begun) = Collection::open(&arguments.out, &header, Variant::Spartan)?;
    let mut tally = Tally::default();
    let mut next = 0;
    for epd in &begun {
        tally.add_line(epd)?;
        next = next.max(epd.number_in_id("mate")? + 1);
    }
    let bar = cli::progress(arguments.games, next).with_prefix("game ");
    let table = arguments.table;
    // The solver is cleared for each position that it is asked about.
    let bureau = Bureau::of(move || Ok((Analyst::new(1, 1)?, Solver::new(table))), |(analyst, _)| analyst.forget());
    let full = |tally: &Tally| {
        (arguments.min_moves..=arguments.max_moves)
            .all(|n| Ending::ALL.iter().all(|&e| tally.of(e, n) >= arguments.per_cell))
            && tally.kings >= arguments.kings
    };
    while next < arguments.games && !full(&tally) {
        let look =
            |(analyst, solver): &mut (Analyst, Solver), number| harvest(analyst, solver, arguments, &tally, number);
        let found = bureau.map(next..(next + BATCH).min(arguments.games), look);
        let found = found.map_err(|error| error.to_string())?;
        next += BATCH;
        for mut mates in found {
            // What is rarest goes first.
            mates.sort_by_key(|mate| (!mate.king, tally.of(mate.ending, mate.moves)));
            let mut taken: Vec<u32> = Vec::new();
            for mate in mates {
                let fresh = taken.len() < MATES_PER_GAME && !taken.contains(&mate.moves);
                if fresh && tally.wants(arguments, mate.ending, mate.moves, mate.king) && file.push_new(&mate.epd())? {
                    tally.add(mate.ending, mate.moves, mate.king);
                    taken.push(mate.moves);
                }
            }
        }
        bar.set_position(next.min(arguments.games));
        bar.set_message(format!("{} mates, {} kings made", tally.total(), tally.kings));
    }
    bar.finish();
    tally.print();
    // The file is what counts.
    cli::tell_lost_output();
    Ok(())
}

/// Proves a line; tells what is wrong with it.
fn prove(solver: &mut Solver, epd: &Epd, nodes: u64) -> Result<(), String> {
    let moves = epd.number("dm")?.ok_or("no operation dm")?;
    if moves == 0 {
        return Err("there is no mate in 0 moves of the side to move".to_owned());
    }
    solver.clear();
    solver.allow(nodes);
    match solver.shortest(&epd.board, moves).map_err(|error| error.to_string())? {
        Some(shortest) if shortest == moves => {}
        Some(shortest) => return Err(format!("it is mate in {shortest} already, not {moves}")),
        None => return Err(format!("there is no mate in {moves}")),
    }
    let Some(best) = epd.operand("bm") else { return Ok(()) };
    let mut named = Vec::new();
    for text in best.split_whitespace() {
        named.push(epd.board.parse_san(text).map_err(|error| format!("'{text}': {error}"))?);
    }
    let solutions = solver.solutions(&epd.board, moves).map_err(|error| error.to_string())?;
    if let Some(&mv) = named.iter().find(|mv| !solutions.contains(mv)) {
        return Err(format!("{} does not mate in {moves}", epd.board.to_san(mv)));
    }
    match solutions.iter().find(|mv| !named.contains(mv)) {
        Some(&mv) => Err(format!("{} mates in {moves}, too", epd.board.to_san(mv))),
        None => Ok(()),
    }
}

/// Whether all lines of a file are true.
fn verify(arguments: &Verify) -> Result<bool, String> {
    let mut lines = Epd::read(&arguments.file, Variant::Spartan)?;
    lines.retain(|(_, epd)| !matches!(epd.number::<u32>("dm"), Ok(Some(moves)) if moves > arguments.max_moves));
    if lines.is_empty() {
        return Err(format!("{}: no mates", arguments.file.display()));
    }
    let bar = ProgressBar::new(lines.len() as u64);
    let faults: Vec<String> = lines
        .par_iter()
        .map_init(
            || Solver::new(arguments.table),
            |solver, (number, epd)| {
                let fault = prove(solver, epd, arguments.nodes).err();
                bar.inc(1);
                fault.map(|fault| format!("{}, line {number}: {fault}: {epd}", arguments.file.display()))
            },
        )
        .flatten()
        .collect();
    bar.finish_and_clear();
    faults.iter().for_each(|fault| outln!("{fault}"));
    outln!("{} mates, {} proven, {} not", lines.len(), lines.len() - faults.len(), faults.len());
    Ok(faults.is_empty())
}

fn count(file: &std::path::Path) -> Result<(), String> {
    let mut tally = Tally::default();
    for (number, epd) in Epd::read(file, Variant::Spartan)? {
        tally.add_line(&epd).map_err(|error| format!("{}, line {number}: {error}", file.display()))?;
    }
    tally.print();
    Ok(())
}

fn main() -> ExitCode {
    cli::answer(match &cli::parse::<Arguments>().task {
        Task::Generate(arguments) => generate(arguments).map(|()| true),
        Task::Verify(arguments) => verify(arguments),
        Task::Count { file } => count(file).map(|()| true),
    })
}
