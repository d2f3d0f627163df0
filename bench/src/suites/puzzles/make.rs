//! Makes puzzles from games of the engine against itself.
//!
//! The games are fast, and their moves often wrong. Where the expectation jumps between two searches of a game, one of
//! them has missed something: these positions are searched longer, the promising ones with the full number of nodes. A
//! puzzle begins where a single move wins or saves the game. It goes on with the best reply as long as the next move is
//! the only one, too. If the game ends in mate, the last positions of the winner may be mates with a single solution.

use super::judge::{self, REPLY_TOLERANCE, Verdict, WINS, judge};
use super::mate;
use super::puzzle::Puzzle;
use crate::PROGRAM;
use crate::analysis::{Searcher, WorkerPool};
use crate::collection::Collection;
use crate::data::starts::{random_endgame, random_opening};
use crate::epd::Epd;
use crate::outln;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::suites::solver::Solver;
use crate::terminal::{CommandResult, Error, Status, failed, usage};
use agoge_core::board::{Board, Game, Outcome, Variant};
use agoge_core::nnue;
use agoge_core::types::{Move, PieceType};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// The file of puzzles, in EPD; an existing file is continued
    #[arg(long)]
    out: PathBuf,
    /// The number of puzzles of the file
    #[arg(long, default_value_t = 1500)]
    count: usize,
    /// The seed of all games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file of mates or tactics, in EPD, which become puzzles before the games if they have a single solution
    #[arg(long)]
    from: Vec<PathBuf>,
    /// Nodes per move of the games
    #[arg(long, default_value_t = 150)]
    play_nodes: u64,
    /// Nodes of the searches that look for puzzles
    #[arg(long, default_value_t = 2_000)]
    scan_nodes: u64,
    /// Nodes of the searches that prove a move to be the only one
    #[arg(long, default_value_t = 20_000)]
    nodes: u64,
    /// Nodes of the solver that proves a mate to have a single solution
    #[arg(long, default_value_t = 60_000)]
    mate_nodes: u64,
    /// How much worse than the solution every other move is at least, as an expectation from 0 to 1
    #[arg(long, default_value_t = 0.3)]
    margin: f64,
    /// Hash table of each search in MiB
    #[arg(long, default_value_t = 4)]
    hash: usize,
}

const MAX_PLIES: usize = 240;

/// Of this number of games one begins with an endgame, the others with random moves.
const ENDGAMES: u64 = 4;

/// A game is decided when the expectation has been beyond this, or below 1 minus this, …
const DECIDED: f64 = 0.99;

/// … for this number of plies. It then goes on with fewer nodes, …
const DECIDED_PLIES: usize = 6;

/// … this share of them.
const DECIDED_SHARE: u64 = 2;

/// The change of the expectation between two searches that makes a position worth a look.
const JUMP: f64 = 0.2;

/// The searches that look for puzzles use this share of the margin, as they are inexact.
const SCAN_SHARE: f64 = 0.7;

/// Puzzles have at most this number of moves of the solver, …
const MAX_MOVES: usize = 8;

/// … and mates this.
const MAX_MATE: u32 = 4;

/// The longest mates of files.
const MAX_KNOWN_MATE: u32 = 6;

const PUZZLES_PER_GAME: usize = 3;

/// Hash table of the solver in MiB.
const SOLVER_TABLE: usize = 4;

/// The number of games after which the shares are counted again, constant so that the result does not depend on the
/// number of cores.
const BATCH: u64 = 8;

/// A position of a game, the move played in it, and the expectation of the side to move.
struct Played {
    board: Board,
    mv: Move,
    value: f64,
}

fn play(searcher: &mut Searcher, arguments: &Arguments, number: u64) -> Vec<Played> {
    let mut rng = Rng::stream(arguments.seed, number);
    let start = if number.is_multiple_of(ENDGAMES) { random_endgame } else { random_opening };
    let Some(mut game) = std::iter::repeat_with(|| start(Variant::Spartan, &mut rng)).flatten().next() else {
        return Vec::new();
    };
    let mut played: Vec<Played> = Vec::new();
    let mut decided = 0;
    while played.len() < MAX_PLIES && game.outcome().is_none() {
        let nodes = arguments.play_nodes / if decided < DECIDED_PLIES { 1 } else { DECIDED_SHARE };
        let Some((mv, value)) = judge::play(searcher, &game, nodes) else { break };
        decided = if (value - 0.5).abs() > DECIDED - 0.5 { decided + 1 } else { 0 };
        played.push(Played { board: game.board().clone(), mv, value });
        if game.push(mv).is_err() {
            break;
        }
    }
    played
}

/// Whether a search near a position of a game contradicts another one.
fn has_jump(played: &[Played], ply: usize) -> bool {
    let own = |at: usize| {
        played.get(at).map(|other| if at.abs_diff(ply).is_multiple_of(2) { other.value } else { 1.0 - other.value })
    };
    let differs = |value: f64| (value - played[ply].value).abs() >= JUMP;
    let around = [ply.checked_sub(1), Some(ply + 1), Some(ply + 2)];
    around.into_iter().flatten().filter_map(own).any(differs)
}

/// The solution from a position, with the verdict on its first move. Empty if the first move is not the only good one.
fn solution(searcher: &mut Searcher, arguments: &Arguments, start: &Board) -> Option<(Verdict, Vec<Move>)> {
    let verdict = judge(searcher, start, arguments.nodes)?;
    if verdict.second.is_none() || !verdict.is_single(arguments.margin) {
        return None;
    }
    let mut line = vec![verdict.best];
    // The length of the line up to the last move of the solver that was not forced.
    let mut end = 1;
    let mut board = start.after(verdict.best);
    while line.len() < 2 * MAX_MOVES - 1 && Game::new(board.clone()).outcome().is_none() {
        let (reply, value) = judge::best_reply(searcher, &board, arguments.nodes)?;
        let next = board.after(reply);
        if Game::new(next.clone()).outcome().is_some() {
            break;
        }
        let Some(choice) = judge(searcher, &next, arguments.nodes).filter(|choice| choice.is_single(arguments.margin))
        else {
            break;
        };
        if value - (1.0 - choice.value) > REPLY_TOLERANCE {
            break;
        }
        line.extend([reply, choice.best]);
        board = next.after(choice.best);
        if choice.second.is_some() {
            end = line.len();
        }
    }
    line.truncate(if is_mate(&board) { line.len() } else { end });
    Some((verdict, line))
}

fn is_mate(board: &Board) -> bool {
    matches!(Game::new(board.clone()).outcome(), Some(Outcome::Checkmate { .. }))
}

/// Whether the first move only takes what hangs or takes back, and nothing follows from it.
fn is_trivial(board: &Board, line: &[Move], last: Option<Move>) -> bool {
    let Some(&first) = line.first() else { return true };
    let takes_back = board.captured(first).is_some() && last.is_some_and(|last| last.to() == first.to());
    let wins_at_once = line.len() == 1 && board.is_noisy(first) && board.see_ge(first, 1);
    let promotes_oddly = first.promoted().is_some_and(|kind| kind != PieceType::Queen);
    takes_back || wins_at_once && !promotes_oddly
}

/// What a puzzle is about, for the shares of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    MateInOne,
    Mate,
    /// A single move saves the game.
    Defence,
    /// The solution is a single move.
    Short,
    Long,
}

impl Kind {
    /// At most this share of a file is of the kind, in percent.
    const fn share(self) -> usize {
        match self {
            Self::MateInOne => 7,
            Self::Mate => 35,
            Self::Defence => 12,
            Self::Short => 40,
            Self::Long => 100,
        }
    }

    fn of(puzzle: &Puzzle) -> Self {
        match puzzle.mate {
            Some(1) => Self::MateInOne,
            Some(_) => Self::Mate,
            None if puzzle.saves() => Self::Defence,
            None if puzzle.line.len() == 1 => Self::Short,
            None => Self::Long,
        }
    }
}

/// The number of puzzles of each kind.
#[derive(Clone, Default)]
struct Tally(BTreeMap<Kind, usize>);

impl Tally {
    fn add(&mut self, kind: Kind) {
        *self.0.entry(kind).or_default() += 1;
    }

    fn wants(&self, arguments: &Arguments, kind: Kind) -> bool {
        self.0.get(&kind).copied().unwrap_or(0) < (arguments.count * kind.share()).div_ceil(100)
    }
}

/// Finds puzzles.
struct Finder<'a> {
    searcher: &'a mut Searcher,
    solver: &'a mut Solver,
    arguments: &'a Arguments,
    wanted: &'a Tally,
}

impl Finder<'_> {
    fn wants(&self, kind: Kind) -> bool {
        self.wanted.wants(self.arguments, kind)
    }

    /// Adds the difficulty. `None` if the engine does not find the solution, or the file has enough of such puzzles.
    fn finish(&mut self, mut puzzle: Puzzle) -> Option<Puzzle> {
        if !self.wants(Kind::of(&puzzle)) {
            return None;
        }
        for (board, mv) in puzzle.choices() {
            if board.count_moves() > 1 {
                puzzle.difficulty += judge::nodes_to_find(self.searcher, &board, mv, self.arguments.nodes)?;
            }
        }
        Some(puzzle)
    }

    /// Examines a position, after the move `last` if that is known.
    fn examine(&mut self, board: &Board, last: Option<Move>) -> Option<Puzzle> {
        let arguments = self.arguments;
        let scan = judge(self.searcher, board, arguments.scan_nodes)?;
        if scan.second.is_none_or(|second| scan.value - second < SCAN_SHARE * arguments.margin)
            || scan.value < WINS - arguments.margin / 2.0 && !self.wants(Kind::Defence)
        {
            return None;
        }
        let (verdict, line) = solution(self.searcher, arguments, board)?;
        let end = line.iter().fold(board.clone(), |board, &mv| board.after(mv));
        if is_mate(&end) {
            return self.mate(board, line.len().div_ceil(2) as u32, arguments.mate_nodes);
        }
        if is_trivial(board, &line, last) {
            return None;
        }
        self.finish(Puzzle {
            board: board.clone(),
            line,
            mate: None,
            values: [verdict.value, verdict.second?],
            nodes: arguments.nodes,
            difficulty: 0,
        })
    }

    /// Examines a position with a mate in a number of moves. More nodes of the solver prove it to have a single
    /// solution.
    fn mate(&mut self, board: &Board, moves: u32, nodes: u64) -> Option<Puzzle> {
        if !self.wants(if moves == 1 { Kind::MateInOne } else { Kind::Mate }) || board.count_moves() < 2 {
            return None;
        }
        self.solver.clear();
        self.solver.allow(nodes);
        let line = mate::solution(self.solver, board, moves).ok()??;
        self.finish(Puzzle { board: board.clone(), line, mate: Some(moves), values: [1.0, 0.0], nodes, difficulty: 0 })
    }

    /// The longest mate with a single solution at the end of a game.
    fn last_mate(&mut self, played: &[Played]) -> Option<(usize, Puzzle)> {
        let last = played.last()?;
        if !is_mate(&last.board.after(last.mv)) {
            return None;
        }
        let mut found = None;
        for (moves, position) in (1..=MAX_MATE).zip(played.iter().rev().step_by(2)) {
            self.solver.clear();
            self.solver.allow(self.arguments.mate_nodes);
            // The loser may have cooperated. Positions further from the end are even harder.
            let Ok(shortest) = self.solver.shortest(&position.board, moves) else { break };
            if shortest == Some(moves)
                && let Some(puzzle) = self.mate(&position.board, moves, self.arguments.mate_nodes)
            {
                found = Some((played.len() + 1 - 2 * moves as usize, puzzle));
            }
        }
        found
    }

    /// Plays a game and returns its puzzles.
    fn game(&mut self, number: u64) -> Vec<(Kind, Epd)> {
        let played = play(self.searcher, self.arguments, number);
        let mut found = Vec::new();
        let mut ply = 0;
        while ply < played.len() && found.len() < PUZZLES_PER_GAME {
            let last = ply.checked_sub(1).map(|before| played[before].mv);
            let puzzle = if has_jump(&played, ply) { self.examine(&played[ply].board, last) } else { None };
            ply += 1;
            if let Some(puzzle) = puzzle {
                // The rest of the solution is no puzzle of its own.
                let after = ply - 1 + puzzle.line.len();
                found.push((ply - 1, puzzle));
                ply = after;
            }
        }
        let known = found.iter().map(|(ply, puzzle)| ply + puzzle.line.len()).max().unwrap_or(0);
        found.extend(self.last_mate(&played).filter(|&(ply, _)| ply >= known));
        let epd = |(ply, puzzle): (usize, Puzzle)| (Kind::of(&puzzle), puzzle.epd(&format!("puzzle.{number}.{ply}")));
        found.into_iter().map(epd).collect()
    }

    /// A position of a file as a puzzle with the same id.
    fn known(&mut self, epd: &Epd) -> Result<Option<(Kind, Epd)>, String> {
        let puzzle = match epd.mate_distance()? {
            Some(moves) => u32::try_from(moves)
                .ok()
                .filter(|&moves| moves <= MAX_KNOWN_MATE)
                .and_then(|moves| self.mate(&epd.board, moves, 8 * self.arguments.mate_nodes)),
            None => self.examine(&epd.board, None),
        };
        let id = epd.operand("id").ok_or_else(|| format!("'{epd}' has no id"))?;
        Ok(puzzle.map(|puzzle| (Kind::of(&puzzle), puzzle.epd(id))))
    }
}

fn header(arguments: &Arguments) -> String {
    let network = nnue::embedded().map_or_else(|| "none".to_owned(), |network| network.name().to_owned());
    let from: Vec<_> = arguments.from.iter().map(|path| path.display().to_string()).collect();
    format!(
        "Puzzles of Spartan Chess, made by `agoge-bench puzzles make`; see README.md.\n\
         {PROGRAM}, network {network}\n\
         from {}, seed {}, nodes {}, {} and {}, of the solver {}, margin {}, hash {}",
        from.join(" "),
        arguments.seed,
        arguments.play_nodes,
        arguments.scan_nodes,
        arguments.nodes,
        arguments.mate_nodes,
        arguments.margin,
        arguments.hash
    )
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let (mut file, existing) = Collection::open(&arguments.out, &header(arguments), Variant::Spartan)?;
    let mut tally = Tally::default();
    for epd in &existing {
        tally.add(Kind::of(&Puzzle::parse(epd)?));
    }
    // Repeat the last game, which may have more puzzles; duplicates are dropped.
    let last = existing.last().and_then(|epd| epd.number_in_id("puzzle").ok());
    let hash = arguments.hash;
    let pool = WorkerPool::from_fn(
        move || Ok((Searcher::new(1, hash)?, Solver::new(SOLVER_TABLE))),
        |(searcher, _)| searcher.clear(),
    );
    let mut known = Vec::new();
    for path in arguments.from.iter().filter(|_| last.is_none()) {
        known.extend(Epd::read(path, Variant::Spartan)?.positions.into_iter().map(|(_, epd)| epd));
    }
    let finder = |workers: &mut (Searcher, Solver), wanted: &Tally, work: &mut dyn FnMut(&mut Finder<'_>)| {
        work(&mut Finder { searcher: &mut workers.0, solver: &mut workers.1, arguments, wanted });
    };
    let bar = Progress::new(arguments.count as u64, file.count() as u64);
    let mut add = |found: Vec<(Kind, Epd)>, tally: &mut Tally| -> Result<bool, Error> {
        for (kind, epd) in found {
            if file.count() < arguments.count && tally.wants(arguments, kind) && file.push_new(&epd).map_err(failed)? {
                tally.add(kind);
                bar.inc();
            }
        }
        Ok(file.count() < arguments.count)
    };
    for epds in known.chunks(BATCH as usize) {
        let found = pool.map(0..epds.len() as u64, |workers, number| {
            let mut puzzle = Ok(None);
            finder(workers, &tally, &mut |finder| puzzle = finder.known(&epds[number as usize]));
            puzzle
        });
        let found = found.map_err(usage)?.into_iter().collect::<Result<Vec<_>, String>>()?;
        add(found.into_iter().flatten().collect(), &mut tally)?;
    }
    let mut next = last.unwrap_or(0) / BATCH * BATCH;
    while add(Vec::new(), &mut tally)? {
        let found = pool.map(next..next + BATCH, |workers, number| {
            let mut puzzles = Vec::new();
            finder(workers, &tally, &mut |finder| puzzles = finder.game(number));
            puzzles
        });
        next += BATCH;
        for puzzles in found.map_err(usage)? {
            add(puzzles, &mut tally)?;
        }
    }
    bar.finish();
    outln!("{} puzzles from {next} games", file.count());
    Ok(Status::Success)
}
