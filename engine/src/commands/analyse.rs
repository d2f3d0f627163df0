//! Annotates games: an evaluation of each position, a better line for each mistake, the accuracy of each side, and a
//! graph of the winning chances.

use super::arguments::ArgumentsError;
use super::files::{self, NewFile, is_standard};
use super::graph::{Graph, Mark};
use super::progress::progress;
use crate::memory;
use agoge_core::board::{Board, FIFTY_MOVES, Game, Outcome, Variant};
use agoge_core::notation::pgn::{ParsedGame, PgnError, Reader, Writer, number};
use agoge_core::search::Limits;
use agoge_core::search::{Searcher, centipawns, white_view};
use agoge_core::tables::{Tables, Wdl};
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use clap::Parser;
use plotters::style::RGBColor;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The maximum size of an input file in bytes.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// The text of `--help` below the options.
const AFTER_HELP: &str = "\
The games are written with an evaluation after each move: [%eval 0.35] in pawns from White's
view, or [%eval #-3] where Black mates in three moves. Everything in the file is kept. The
graph of a game shows White's winning chances. Positions of three men, or in the endgame
tables, get their exact result, too.

Variant: from the tag Variant, else from --variant, else spartan if all moves are legal there,
else chess.

Mistakes: the evaluation of a position gives the expected score of the side to move, from 0
for a certain loss to 1 for a certain win. The loss of a move is the expected score before it
minus the one after it. A move that loses 0.05 or more is an inaccuracy (?!, $6 in the file),
0.1 a mistake (?, $2), 0.2 a blunder (??, $4); the better line follows as a variation. The
engine's own choice loses nothing.

Accuracy: a move that loses nothing counts 100 %, and each 0.1 that it loses halves this: a
loss of 0.1 counts 50 %, of 0.2 25 %. The accuracy of a side is the mean over its moves. The
average loss is also given in centipawns; scores beyond 10 pawns and mates count as 10 pawns.

Files appear when they are complete. Ctrl-C stops after the current position and keeps the
complete games. The exit status is 0, or 1 if a game or file failed, or 2 for invalid arguments.";

/// Annotates the games of a PGN file
#[derive(Parser, Debug)]
#[command(name = "agoge analyse", version, after_help = AFTER_HELP)]
pub struct Arguments {
    /// The games, as PGN; - for standard input
    file: PathBuf,
    /// The annotated games; - for standard output [default: games.analysed.pgn for games.pgn]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The graph; further games get games-2.svg and so on [default: games.svg for games.pgn]
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The variant of games without a tag Variant: spartan or chess
    #[arg(long, value_name = "NAME", overrides_with = "variant")]
    variant: Option<Variant>,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Time for each position in milliseconds, instead of nodes
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    hash: usize,
    /// Folders of endgame tables, separated as in PATH, for exact results
    #[arg(long, value_name = "FOLDERS")]
    tables: Option<OsString>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Parses the arguments; the first one is the name of the program.
    ///
    /// # Errors
    /// If they are invalid or request help.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, ArgumentsError> {
        Self::try_parse_from(arguments).map_err(|error| ArgumentsError::new(&error, "agoge analyse"))
    }

    fn limits(&self) -> Limits {
        match self.movetime {
            Some(time) => Limits { move_time: Some(Duration::from_millis(time)), ..Limits::default() },
            None => Limits { nodes: Some(self.nodes), ..Limits::default() },
        }
    }
}

/// The evaluation of a position.
#[derive(Clone, Debug)]
struct Evaluation {
    /// From the side to move's view; `None` if the game is over.
    score: Option<Score>,
    /// The expected score of the side to move, 0 to 1.
    expected: f64,
    line: Vec<Move>,
    depth: u32,
}

impl Evaluation {
    fn of_outcome(outcome: Outcome) -> Self {
        // The side to move is mated, or it is a draw.
        let expected = if matches!(outcome, Outcome::Checkmate { .. }) { 0.0 } else { 0.5 };
        Self { score: None, expected, line: Vec::new(), depth: 0 }
    }

    /// The score in centipawns, clamped so that all decided positions count alike.
    fn capped(&self) -> f64 {
        const LIMIT: i32 = 1000;
        let value = match self.score {
            Some(score) => centipawns(score).clamp(-LIMIT, LIMIT),
            None if self.expected > 0.0 => 0,
            None => -LIMIT,
        };
        value.into()
    }
}

/// The judgment of a bad move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judgment {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Judgment {
    const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The judgment of a move that loses `loss` points.
    fn of(loss: f64) -> Option<Self> {
        match loss {
            0.2.. => Some(Self::Blunder),
            0.1.. => Some(Self::Mistake),
            0.05.. => Some(Self::Inaccuracy),
            _ => None,
        }
    }

    /// The numeric annotation glyph of PGN.
    const fn glyph(self) -> u8 {
        match self {
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }

    /// The suffix equivalent to the glyph.
    const fn symbol(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// The name and colour in the graph.
    const fn kind(self) -> (&'static str, RGBColor) {
        match self {
            Self::Inaccuracy => ("inaccuracy ?!", RGBColor(224, 176, 0)),
            Self::Mistake => ("mistake ?", RGBColor(232, 116, 0)),
            Self::Blunder => ("blunder ??", RGBColor(208, 24, 24)),
        }
    }
}

/// The loss of a move.
#[derive(Clone, Copy, Debug)]
struct Loss {
    /// Points, 0 to 1.
    points: f64,
    centipawns: f64,
}

impl Loss {
    /// The loss of the move between two positions. It is never negative, even if the move was better than expected.
    fn between(before: &Evaluation, after: &Evaluation, mv: Move) -> Self {
        if before.line.first() == Some(&mv) {
            return Self { points: 0.0, centipawns: 0.0 };
        }
        // Round: a difference of 0.2 must be a blunder despite rounding errors.
        let points = ((before.expected + after.expected - 1.0) * 1e4).round() / 1e4;
        Self { points: points.max(0.0), centipawns: (before.capped() + after.capped()).max(0.0) }
    }

    /// The accuracy of the move, 0 to 1.
    fn accuracy(self) -> f64 {
        /// The loss that halves the accuracy.
        const HALF: f64 = 0.1;
        0.5f64.powf(self.points / HALF)
    }
}

/// The performance of a side.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Performance {
    /// The number of evaluated moves.
    moves: usize,
    /// The mean accuracy in percent.
    accuracy: f64,
    /// The mean loss per move in points.
    loss: f64,
    /// The mean loss per move in centipawns.
    centipawns: f64,
    /// The number of moves with each [`Judgment`].
    judgments: [usize; 3],
}

impl Performance {
    fn of(losses: impl Iterator<Item = Loss>) -> Option<Self> {
        let mut sum = Self::default();
        for loss in losses {
            sum.moves += 1;
            sum.accuracy += loss.accuracy();
            sum.loss += loss.points;
            sum.centipawns += loss.centipawns;
            if let Some(judgment) = Judgment::of(loss.points) {
                sum.judgments[judgment as usize] += 1;
            }
        }
        let moves = sum.moves as f64;
        (sum.moves > 0).then_some(Self {
            accuracy: 100.0 * sum.accuracy / moves,
            loss: sum.loss / moves,
            centipawns: sum.centipawns / moves,
            ..sum
        })
    }
}

/// A game with evaluations.
struct Annotated {
    /// All positions, starting with the first one.
    boards: Vec<Board>,
    moves: Vec<Move>,
    /// One for each position; `None` if unknown.
    evaluations: Vec<Option<Evaluation>>,
    /// One for each move; `None` if it is unknown or the game was over.
    losses: Vec<Option<Loss>>,
    tables: Arc<Tables>,
}

/// Annotates the games of a file. Returns whether all of them could be read.
///
/// # Errors
/// If a file cannot be read or written, no game can be read, there is not enough memory, or a thread cannot be
/// started: no file is written then. If a signal interrupts it: the complete games are written.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let input =
        if is_standard(&arguments.file) { "standard input".into() } else { arguments.file.display().to_string() };
    let bytes = files::read(&arguments.file, MAX_FILE_SIZE)?;
    let count = count_games(&bytes).map_err(|error| format!("{input}: {error}"))?;
    if count == 0 {
        return Err(format!("{input}: no game"));
    }
    interrupt::install_handlers();
    let mut outputs = Outputs::create(arguments, count)?;
    let tables = arguments.tables.as_deref().map(Tables::open_all).transpose();
    let tables = tables.map_err(|problem| format!("unusable endgame table: {problem}"))?;
    let mut searcher = memory::searcher(arguments.threads.into(), arguments.hash).map_err(|error| error.to_string())?;
    searcher.settings.tables = tables.unwrap_or_default().into();
    let mut reader = Reader::new(&bytes);
    let mut all_read = true;
    for index in 0..count {
        let Some(Ok(parsed)) = reader.next_game() else { break };
        let annotated = annotate(&mut searcher, arguments, &parsed, index, count);
        if interrupt::received() {
            let written = outputs.written;
            if written > 0 {
                outputs.finish()?;
            }
            return Err(format!("interrupted; games written: {written} of {count}"));
        }
        match annotated {
            Ok(game) => outputs.add(&game, &parsed, index)?,
            Err(error) => {
                all_read = false;
                // Go on even if standard error is closed.
                let _ = writeln!(io::stderr(), "agoge: {input}, game at line {}: {error}; skipped", parsed.line);
            }
        }
    }
    outputs.finish()?;
    Ok(all_read)
}

/// The exact result of a position, if it is in the tables: "draw", or "White wins, mate in 12".
fn exact_result(tables: &Tables, board: &Board) -> Option<String> {
    let value = tables.value(board)?;
    let winner = match value.result_at(board.halfmove_clock()).unwrap_or(value.wdl) {
        Wdl::Draw => return Some("draw".to_owned()),
        Wdl::CursedWin | Wdl::BlessedLoss => return Some("draw by the fifty-move rule".to_owned()),
        Wdl::Win => board.side_to_move(),
        Wdl::Loss => !board.side_to_move(),
    };
    let name = if winner == Colour::White { "White" } else { "Black" };
    Some(match value.dtm.map(|plies| plies.div_ceil(2)) {
        Some(0) | None => format!("{name} wins"),
        Some(moves) => format!("{name} wins, mate in {moves}"),
    })
}

/// Parses and counts all games, to report errors before hours of work. The games are not stored: they need many times
/// the memory of their text.
fn count_games(bytes: &[u8]) -> Result<usize, PgnError> {
    let mut reader = Reader::new(bytes);
    let mut count = 0;
    while let Some(game) = reader.next_game() {
        game?;
        count += 1;
    }
    Ok(count)
}

/// Signals that terminate the program. They take effect after the current search: the complete games are written, and
/// no temporary file is left behind. A second signal ends the program at once.
#[cfg(unix)]
mod interrupt {
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
    use std::ffi::c_int;
    use std::sync::atomic::{AtomicBool, Ordering};

    static RECEIVED: AtomicBool = AtomicBool::new(false);

    extern "C" fn handle(_: c_int) {
        RECEIVED.store(true, Ordering::Relaxed);
    }

    pub fn received() -> bool {
        RECEIVED.load(Ordering::Relaxed)
    }

    pub fn install_handlers() {
        let flags = SaFlags::SA_RESETHAND | SaFlags::SA_RESTART;
        let action = SigAction::new(SigHandler::Handler(handle), flags, SigSet::empty());
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            // SAFETY: the handler only stores to an atomic, which is async-signal-safe.
            let old = unsafe { sigaction(signal, &action) };
            // Under `nohup`, and in the background of some shells, signals are ignored: keep it so.
            if let Ok(old) = old
                && matches!(old.handler(), SigHandler::SigIgn)
            {
                // SAFETY: ignoring a signal runs no code.
                let _ = unsafe { sigaction(signal, &old) };
            }
        }
    }
}

/// Signals end the program at once here.
#[cfg(not(unix))]
mod interrupt {
    pub fn received() -> bool {
        false
    }

    pub fn install_handlers() {}
}

/// The output files. All get their final names together at the end.
struct Outputs {
    /// `None` for standard output.
    games: Option<NewFile>,
    to_stdout: bool,
    /// The name of the first graph; `None` if no graphs are requested.
    first_graph: Option<PathBuf>,
    graphs: Vec<NewFile>,
    force: bool,
    /// Games written so far.
    written: usize,
    /// The first error of standard output, after which no more is printed.
    stdout_error: Option<io::Error>,
}

impl Outputs {
    /// Checks in advance that all files can be created, to fail before hours of work.
    fn create(arguments: &Arguments, count: usize) -> Result<Self, String> {
        let from_standard = is_standard(&arguments.file);
        let default = |extension| (!from_standard).then(|| arguments.file.with_extension(extension));
        let out = arguments.out.clone().or_else(|| default("analysed.pgn")).unwrap_or_else(|| "-".into());
        let first_graph = arguments.svg.clone().or_else(|| default("svg"));
        if first_graph.as_ref().is_some_and(|path| is_standard(path)) {
            return Err("--svg needs the name of a file".into());
        }
        let is_device = out.exists() && !out.is_file();
        if first_graph.as_ref() == Some(&out) && !is_device {
            return Err("--out and --svg name the same file".into());
        }
        let paths = first_graph.iter().flat_map(|first| (0..count).map(|index| numbered(first, index)));
        for path in paths {
            files::check_output(&path, arguments.force)?;
        }
        let games = if is_standard(&out) { None } else { Some(NewFile::create(&out, arguments.force)?) };
        let to_stdout = games.is_none();
        Ok(Self {
            games,
            to_stdout,
            first_graph,
            graphs: Vec::new(),
            force: arguments.force,
            written: 0,
            stdout_error: None,
        })
    }

    fn add(&mut self, game: &Annotated, parsed: &ParsedGame, index: usize) -> Result<(), String> {
        let text = game.write(parsed);
        match &mut self.games {
            Some(file) => file.write(&text)?,
            None => io::stdout().write_all(text.as_bytes()).map_err(|error| format!("standard output: {error}"))?,
        }
        let title = title(parsed);
        if let Some(first) = &self.first_graph {
            let path = numbered(first, index);
            let mut file = NewFile::create(&path, self.force)?;
            file.write(&game.draw(&title, parsed).map_err(|error| format!("{}: {error}", path.display()))?)?;
            file.close()?;
            self.graphs.push(file);
        }
        self.written += 1;
        self.print(&format!("{title}\n{}", game.summary()));
        Ok(())
    }

    /// Gives the files their final names.
    fn finish(mut self) -> Result<(), String> {
        if self.written == 0 {
            return Err("no game could be analysed; nothing is written".into());
        }
        let mut names: Vec<String> = self.games.iter().map(|file| file.path().display().to_string()).collect();
        if let [first, .., last] = &self.graphs[..] {
            names.push(format!("{} to {}", first.path().display(), last.path().display()));
        } else {
            names.extend(self.graphs.iter().map(|file| file.path().display().to_string()));
        }
        for file in self.games.take().into_iter().chain(self.graphs.drain(..)) {
            file.commit()?;
        }
        if !names.is_empty() {
            self.print(&format!("Written: {}", names.join(", ")));
        }
        match self.stdout_error {
            // As after `| head`.
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("standard output: {error}; the files are complete"))
            }
            _ => Ok(()),
        }
    }

    /// Prints a result to standard output, or to standard error if the games go to standard output. An
    /// error is kept until the files are complete.
    fn print(&mut self, text: &str) {
        if self.to_stdout {
            let _ = writeln!(io::stderr(), "{text}");
        } else if self.stdout_error.is_none() {
            self.stdout_error = writeln!(io::stdout(), "{text}").err();
        }
    }
}

/// The name of the graph of a game by its index: `games.svg`, `games-2.svg`.
fn numbered(path: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{}", index + 1));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

fn title(game: &ParsedGame) -> String {
    let tag = |name| game.tag(name).unwrap_or("?");
    format!("{} - {}, {}", tag("White"), tag("Black"), game.result())
}

/// Evaluates all positions of a game from last to first: the hash table then has results for the continuation.
fn annotate(
    searcher: &mut Searcher,
    arguments: &Arguments,
    parsed: &ParsedGame,
    index: usize,
    count: usize,
) -> Result<Annotated, String> {
    let (start, moves) = parsed.replay(arguments.variant)?;
    let mut boards = vec![start];
    for &mv in &moves {
        boards.push(boards[boards.len() - 1].after(mv));
    }
    let bar = progress(boards.len() as u64, 0);
    if count > 1 {
        bar.set_prefix(format!("game {} of {count}: ", index + 1));
    }
    searcher.clear();
    let mut evaluations: Vec<Option<Evaluation>> = vec![None; boards.len()];
    for (ply, evaluation) in evaluations.iter_mut().enumerate().rev().take_while(|_| !interrupt::received()) {
        bar.set_message(number(&boards[ply]));
        *evaluation = evaluate(searcher, arguments, &game_up_to(ply, &boards, &moves)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let losses = moves.iter().zip(evaluations.windows(2)).map(|(&mv, pair)| {
        let before = pair[0].as_ref().filter(|before| before.score.is_some())?;
        Some(Loss::between(before, pair[1].as_ref()?, mv))
    });
    let losses = losses.collect();
    Ok(Annotated { boards, moves, evaluations, losses, tables: Arc::clone(&searcher.settings.tables) })
}

/// The game up to one of its positions, with only the history that the rules need: positions before the last capture or
/// pawn move cannot recur, and after a hundred plies the game is drawn. The work for a whole game is then linear in its
/// length.
fn game_up_to(ply: usize, boards: &[Board], moves: &[Move]) -> Result<Game, String> {
    let first = ply.saturating_sub(usize::from(boards[ply].halfmove_clock().min(FIFTY_MOVES)));
    let mut game = Game::new(boards[first].clone());
    for &mv in &moves[first..ply] {
        game.push(mv).map_err(|error| format!("{mv}: {error}"))?;
    }
    Ok(game)
}

/// Evaluates the last position of a game; `None` if the search was too short for a score.
fn evaluate(searcher: &mut Searcher, arguments: &Arguments, game: &Game) -> Option<Evaluation> {
    if let Some(outcome) = game.outcome() {
        return Some(Evaluation::of_outcome(outcome));
    }
    let analysis = searcher.search(game, arguments.limits(), 1);
    let report = analysis.exact().next_back()?;
    let [win, draw, _] = report.wdl.map(f64::from);
    let expected = match report.score {
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
        Score::Cp(_) => (win + draw / 2.0) / 1000.0,
    };
    Some(Evaluation { score: Some(report.score), expected, line: report.pv.clone(), depth: report.depth })
}

/// A score in the format of PGN comments: pawns or moves to mate, from White's view.
fn eval_text(side: Colour, score: Score) -> String {
    match score {
        Score::Cp(value) => format!("{:.2}", f64::from(white_view(side, value)) / 100.0),
        Score::Mate(moves) => format!("#{}", white_view(side, moves)),
    }
}

impl Annotated {
    fn board(&self, ply: usize) -> &Board {
        &self.boards[ply]
    }

    fn judgment(&self, ply: usize) -> Option<Judgment> {
        Judgment::of(self.losses[ply]?.points)
    }

    fn performance(&self, side: Colour) -> Option<Performance> {
        let plies = (0..self.moves.len()).filter(|&ply| self.board(ply).side_to_move() == side);
        Performance::of(plies.filter_map(|ply| self.losses[ply]))
    }

    /// The annotated game as PGN, with everything that was in the file.
    fn write(&self, parsed: &ParsedGame) -> String {
        /// The maximum length of a variation in plies.
        const MAX_LINE: usize = 10;
        /// The tags that replace those of the file.
        const OWN: [&str; 5] = ["Annotator", "WhiteAccuracy", "BlackAccuracy", "WhiteACPL", "BlackACPL"];
        let mut writer = Writer::default();
        for (name, value) in parsed.tags.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
            writer.tag(name, value);
        }
        let start = self.board(0);
        if start.variant() == Variant::Spartan && parsed.variant() == Ok(None) {
            writer.tag("Variant", "Spartan");
        }
        writer.tag(OWN[0], concat!("Agoge ", env!("CARGO_PKG_VERSION")));
        let sides = [Colour::White, Colour::Black].map(|side| self.performance(side));
        for (name, side) in OWN[1..].iter().zip(sides.iter().chain(&sides)) {
            let Some(side) = side else { continue };
            let value = if name.ends_with("ACPL") { side.centipawns.round() } else { side.accuracy };
            writer.tag(name, &if name.ends_with("ACPL") { format!("{value}") } else { format!("{value:.1}") });
        }
        writer.annotate(parsed, start, &self.moves, |writer, ply, [board, next]| {
            let judgment = self.judgment(ply);
            if let Some(glyph) = judgment.map(Judgment::glyph).filter(|&glyph| !parsed.moves[ply].has_glyph(glyph)) {
                writer.glyph(glyph);
            }
            if let Some(Evaluation { score: Some(score), depth, .. }) = self.evaluations[ply + 1] {
                let exact = exact_result(&self.tables, next);
                let exact = exact.map_or_else(String::new, |result| format!("; exact: {result}"));
                writer.comment(&format!("[%eval {}] depth {depth}{exact}", eval_text(next.side_to_move(), score)));
            }
            if let Some(Evaluation { score: Some(score), line, .. }) = &self.evaluations[ply]
                && judgment.is_some()
            {
                let line = &line[..line.len().min(MAX_LINE)];
                writer.variation(board, &format!("[%eval {}]", eval_text(board.side_to_move(), *score)), line);
            }
        })
    }

    /// The performance of each side, one line each.
    fn summary(&self) -> String {
        let line = |side| {
            let name = if side == Colour::White { "White" } else { "Black" };
            let Some(p) = self.performance(side) else { return format!("  {name}: 0 moves") };
            let [inaccuracies, mistakes, blunders] = p.judgments;
            format!(
                "  {name}: {}, accuracy {:.1} %, average loss {:.0} centipawns ({:.3} points), {}, {}, {}",
                counted(p.moves, "move", "moves"),
                p.accuracy,
                p.centipawns,
                p.loss,
                counted(inaccuracies, "inaccuracy", "inaccuracies"),
                counted(mistakes, "mistake", "mistakes"),
                counted(blunders, "blunder", "blunders"),
            )
        };
        format!("{}\n{}", line(Colour::White), line(Colour::Black))
    }

    /// The graph as SVG.
    fn draw(&self, title: &str, parsed: &ParsedGame) -> Result<String, String> {
        let chances = self.boards.iter().zip(&self.evaluations).map(|(board, evaluation)| {
            let expected = evaluation.as_ref()?.expected;
            Some(if board.side_to_move() == Colour::White { expected } else { 1.0 - expected })
        });
        let chances: Vec<Option<f64>> = chances.collect();
        let marks = (0..self.moves.len()).filter_map(|ply| {
            let (loss, judgment) = (self.losses[ply]?.points, self.judgment(ply)?);
            let board = self.board(ply);
            let label = format!("{}{}{}", number(board), board.to_san(self.moves[ply]), judgment.symbol());
            Some(Mark { ply: ply + 1, loss, label, kind: judgment as usize })
        });
        let marks: Vec<Mark> = marks.collect();
        let accuracy = |side| self.performance(side).map_or_else(|| "-".into(), |p| format!("{:.1} %", p.accuracy));
        let subtitle = format!("Accuracy: White {}, Black {}", accuracy(Colour::White), accuracy(Colour::Black));
        let start = self.board(0);
        let first = 2 * usize::from(start.fullmove_number()) + usize::from(start.side_to_move() == Colour::Black);
        let event = parsed.tag("Event").filter(|event| !matches!(*event, "" | "?"));
        let title = event.map_or_else(|| title.to_owned(), |event| format!("{title} ({event})"));
        let kinds = Judgment::ALL.map(Judgment::kind);
        let graph =
            Graph { title: &title, subtitle: &subtitle, first, chances: &chances, marks: &marks, kinds: &kinds };
        graph.svg().map_err(|error| error.to_string())
    }
}

/// A number with a noun in the singular or plural.
fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgments_follow_from_the_loss() {
        let of = |loss| Judgment::of(loss);
        assert_eq!([of(-0.3), of(0.04)], [None, None]);
        assert_eq!([of(0.05), of(0.15), of(0.2)].map(|v| v.map(Judgment::glyph)), [Some(6), Some(2), Some(4)]);
        assert_eq!(of(1.0), Some(Judgment::Blunder));
    }

    #[test]
    fn accuracy_halves_with_each_tenth_of_a_point() {
        let evaluation = |expected, score, mv| Evaluation { score, expected, line: mv, depth: 1 };
        let board = Board::start(Variant::Spartan);
        let [best, other] = ["e2e4", "d2d4"].map(|text| board.parse_move(text).expect("a legal move"));
        let before = evaluation(0.5, Some(Score::Cp(0)), vec![best]);
        let after = evaluation(0.7, Some(Score::Cp(85)), vec![]);
        let loss = Loss::between(&before, &after, other);
        assert!(loss.points == 0.2 && (loss.centipawns - 85.0).abs() < 1e-9, "{loss:?}");
        assert!((loss.accuracy() - 0.25).abs() < 1e-9);
        let none = Loss::between(&before, &after, best);
        assert_eq!((none.points, none.centipawns, none.accuracy()), (0.0, 0.0, 1.0));
        // The search underrated the move.
        let better = Loss::between(&before, &evaluation(0.1, Some(Score::Cp(-200)), vec![]), other);
        assert_eq!((better.points, better.accuracy()), (0.0, 1.0));

        let performance = Performance::of([none, loss].into_iter()).expect("moves");
        assert_eq!((performance.moves, performance.judgments), (2, [0, 0, 1]));
        assert!((performance.accuracy - 62.5).abs() < 1e-9 && (performance.centipawns - 42.5).abs() < 1e-9);
        assert_eq!(Performance::of(std::iter::empty()), None);
    }

    #[test]
    fn finished_games_have_a_value() {
        let mate = Evaluation::of_outcome(Outcome::Checkmate { winner: Colour::White });
        assert_eq!((mate.expected, mate.capped()), (0.0, -1000.0));
        let draw = Evaluation::of_outcome(Outcome::Stalemate);
        assert_eq!((draw.expected, draw.capped()), (0.5, 0.0));
        let mating = Evaluation { score: Some(Score::Mate(3)), ..draw };
        assert_eq!(mating.capped(), 1000.0);
    }

    /// The work for each position must not grow with the length of the game.
    #[test]
    fn histories_are_bounded() {
        let mut board = Board::start(Variant::Spartan);
        let (mut boards, mut moves) = (vec![board.clone()], Vec::new());
        for text in ["g1f3", "d8d6", "f3g1", "d6d8"].repeat(500) {
            let mv = board.parse_move(text).expect("a legal move");
            board.make_move(mv);
            boards.push(board.clone());
            moves.push(mv);
        }
        assert_eq!(board.halfmove_clock(), 2000);
        for ply in 0..=moves.len() {
            let game = game_up_to(ply, &boards, &moves).expect("legal moves");
            assert!(game.keys().len() <= 101, "{} positions at ply {ply}", game.keys().len());
            assert_eq!(game.board(), &boards[ply]);
            let outcome = match ply {
                0..8 => None,
                8..100 => Some(Outcome::ThreefoldRepetition),
                _ => Some(Outcome::FiftyMoves),
            };
            assert_eq!(game.outcome(), outcome, "at ply {ply}");
        }
    }

    #[test]
    fn scores_are_from_whites_view() {
        assert_eq!(eval_text(Colour::White, Score::Cp(35)), "0.35");
        assert_eq!(eval_text(Colour::Black, Score::Cp(35)), "-0.35");
        assert_eq!(eval_text(Colour::Black, Score::Mate(3)), "#-3");
        assert_eq!(eval_text(Colour::Black, Score::Mate(-2)), "#2");
    }

    #[test]
    fn histories_start_at_the_last_pawn_move() {
        let mut game = Game::start(Variant::Spartan);
        let (mut boards, mut moves) = (vec![game.board().clone()], Vec::new());
        let (black, white) = (["d8d6", "g1f3", "d6d8", "f3g1"], ["g1f3", "d8d6", "f3g1", "d6d8"]);
        for text in [&["e2e4"][..], &black.repeat(3), &["a7b6"], &white].concat() {
            let mv = game.board().parse_move(text).unwrap_or_else(|_| panic!("{text} in {}", game.board()));
            game.push(mv).expect("a legal move");
            boards.push(game.board().clone());
            moves.push(mv);
            let part = game_up_to(moves.len(), &boards, &moves).expect("legal moves");
            assert_eq!(part.keys().len(), 1 + usize::from(game.board().halfmove_clock()));
            assert_eq!((part.outcome(), part.repetitions()), (game.outcome(), game.repetitions()));
        }
    }

    #[test]
    fn graph_names_are_numbered() {
        assert_eq!(numbered(Path::new("a/games.x.svg"), 0), Path::new("a/games.x.svg"));
        assert_eq!(numbered(Path::new("a/games.x.svg"), 1), Path::new("a/games.x-2.svg"));
        assert_eq!(numbered(Path::new("picture"), 2), Path::new("picture-3"));
    }
}
