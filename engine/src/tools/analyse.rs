//! Annotates games: a score for every position, a better line where a move gave something away, and a
//! picture of the evaluation.

use super::analyst::{Analyst, centipawns, white_view};
use super::progress::progress;
use crate::board::{Board, Game, Variant};
use crate::pgn::{ParsedGame, Reader, Writer, number};
use crate::search::Limits;
use crate::types::score::Score;
use crate::types::{Colour, Move};
use clap::Parser;
use plotters::prelude::*;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Annotates the games of a PGN file
///
/// Each move gets the value of the position after it as `[%eval 0.35]`, in pawns from White's view, or
/// `[%eval #-3]` for a mate in three moves of Black. A move that gives away a twentieth of a point or
/// more is marked `?!`, a tenth `?`, a fifth `??`, and what was better stands behind it in brackets.
/// What the file says already is kept. A picture of each game shows the evaluation by moves.
#[derive(Parser, Debug)]
#[command(name = "agoge analyse", version, about, long_about)]
pub struct Arguments {
    /// The games
    file: PathBuf,
    /// The annotated games; without it the name of the file with `.analysed.pgn`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The pictures, with a number in the name from the second game on; without it the name of the file
    /// with `.svg`
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The game that is played where the file does not say it
    #[arg(long, default_value = "spartan", overrides_with = "variant")]
    variant: Variant,
    /// Nodes for each position
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Milliseconds for each position, instead of nodes
    #[arg(long, conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Hash table in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Write over files that are there
    #[arg(long)]
    force: bool,
}

/// What the search thinks of a position.
#[derive(Clone, Debug)]
struct Judgement {
    /// From the side to move's view.
    score: Score,
    /// Points that the side to move may hope for, 0 to 1.
    expected: f64,
    line: Vec<Move>,
    depth: u32,
}

/// How bad a move is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Verdict {
    /// By the points that a move gives away.
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

    const fn colour(self) -> RGBColor {
        match self {
            Self::Inaccuracy => RGBColor(230, 180, 0),
            Self::Mistake => RGBColor(230, 110, 0),
            Self::Blunder => RED,
        }
    }
}

/// A game with all that was found out about it.
struct Annotated {
    /// Its positions, from the first on.
    boards: Vec<Board>,
    moves: Vec<Move>,
    /// Of each position; none where the game is over.
    judgements: Vec<Option<Judgement>>,
    /// Of each move, with the points given away.
    verdicts: Vec<Option<(Verdict, f64)>>,
}

/// Carries the command out. Says whether all games were good.
///
/// # Errors
/// When a file cannot be read or written, or memory or threads are lacking.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let in_file = |error: &dyn std::fmt::Display| format!("{}: {error}", arguments.file.display());
    let bytes = std::fs::read(&arguments.file).map_err(|error| in_file(&error))?;
    let mut reader = Reader::new(&bytes);
    let games: Vec<ParsedGame> =
        std::iter::from_fn(|| reader.next_game()).collect::<Result<_, _>>().map_err(|error| in_file(&error))?;
    if games.is_empty() {
        return Err(in_file(&"there is no game in it"));
    }
    let path = arguments.out.clone().unwrap_or_else(|| arguments.file.with_extension("analysed.pgn"));
    let picture = arguments.svg.clone().unwrap_or_else(|| arguments.file.with_extension("svg"));
    let picture = |i: usize| if i == 0 { picture.clone() } else { numbered(&picture, i + 1) };
    // Before hours of work, not after them.
    if let Some(taken) = (0..games.len()).map(picture).find(|path| !arguments.force && path.exists()) {
        return Err(format!("{}: it is there already{HINT}", taken.display()));
    }
    let mut analyst = Analyst::new(arguments.threads.into(), arguments.hash).map_err(|error| error.to_string())?;
    let mut out = create(&path, arguments.force)?;
    let mut good = true;
    for (i, parsed) in games.iter().enumerate() {
        let done = annotate(&mut analyst, arguments, parsed, i, games.len());
        let game = match done {
            Ok(game) => game,
            Err(error) => {
                // Whoever has closed the streams still wants the files.
                let text =
                    format!("agoge: {}, game at line {}: {error}; left out", arguments.file.display(), parsed.line);
                let _ = writeln!(io::stderr(), "{text}");
                good = false;
                continue;
            }
        };
        out.write_all(game.write(parsed).as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
        let picture = picture(i);
        game.draw(&picture, &title(parsed), arguments.force)?;
        let text = format!("{}\n{}\n  {}, {}", title(parsed), game.summary(), path.display(), picture.display());
        let _ = writeln!(io::stdout(), "{text}");
    }
    Ok(good)
}

/// What to do about a file that is there.
const HINT: &str = " (--force writes over it)";

/// Opens a file for writing; one that is there only if that is wished.
fn create(path: &Path, force: bool) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    options.open(path).map_err(|error| {
        let hint = if !force && path.exists() { HINT } else { "" };
        format!("{}: {error}{hint}", path.display())
    })
}

/// `games.svg` becomes `games-2.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}."));
    name.push(path.extension().unwrap_or_default());
    path.with_file_name(name)
}

fn title(game: &ParsedGame) -> String {
    let tag = |name| game.tag(name).unwrap_or("?");
    format!("{} - {}, {}", tag("White"), tag("Black"), game.result())
}

/// Looks at all positions of a game, from the last to the first: so the search knows already where
/// each of them leads to.
fn annotate(
    analyst: &mut Analyst,
    arguments: &Arguments,
    parsed: &ParsedGame,
    index: usize,
    count: usize,
) -> Result<Annotated, String> {
    let start = parsed.start(parsed.variant(arguments.variant)?)?;
    let moves = parsed.line(&start, usize::MAX)?;
    let mut boards = vec![start];
    for &mv in &moves {
        boards.push(boards[boards.len() - 1].after(mv));
    }
    let bar = progress(boards.len() as u64, 0);
    if count > 1 {
        bar.set_prefix(format!("game {} of {count}: ", index + 1));
    }
    analyst.forget();
    let mut judgements: Vec<Option<Judgement>> = vec![None; boards.len()];
    for (ply, judgement) in judgements.iter_mut().enumerate().rev() {
        bar.set_message(number(&boards[ply]));
        *judgement = judge(analyst, arguments, &game_up_to(ply, &boards, &moves)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let verdicts = moves.iter().enumerate().map(|(ply, &mv)| {
        let before = judgements[ply].as_ref().filter(|before| before.line.first() != Some(&mv))?;
        let next = &boards[ply + 1];
        let after = match &judgements[ply + 1] {
            Some(after) => 1.0 - after.expected,
            // The game is over. Only the mover can have mated.
            None if next.in_check() && !next.has_legal_move() => 1.0,
            None => 0.5,
        };
        let loss = before.expected - after;
        Verdict::of(loss).map(|verdict| (verdict, loss))
    });
    let verdicts = verdicts.collect();
    Ok(Annotated { boards, moves, judgements, verdicts })
}

/// A game up to one of its positions. What was before the last capture or move of a pawn cannot come
/// again and is left out: whole histories of all positions would need memory by the square of the length.
fn game_up_to(ply: usize, boards: &[Board], moves: &[Move]) -> Result<Game, String> {
    let first = ply.saturating_sub(boards[ply].halfmove_clock().into());
    let mut game = Game::new(boards[first].clone());
    for &mv in &moves[first..ply] {
        game.push(mv).map_err(|error| format!("{mv}: {error}"))?;
    }
    Ok(game)
}

/// What the search thinks of the last position of a game, unless the game is over.
fn judge(analyst: &mut Analyst, arguments: &Arguments, game: &Game) -> Option<Judgement> {
    if game.outcome().is_some() {
        return None;
    }
    let limits = match arguments.movetime {
        Some(time) => Limits { move_time: Some(Duration::from_millis(time)), ..Limits::default() },
        None => Limits { nodes: Some(arguments.nodes), ..Limits::default() },
    };
    let analysis = analyst.search(game, limits, 1);
    let report = analysis.exact().next_back()?;
    let [win, draw, _] = report.wdl.map(f64::from);
    let expected = match report.score {
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
        Score::Cp(_) => (win + draw / 2.0) / 1000.0,
    };
    Some(Judgement { score: report.score, expected, line: report.pv.clone(), depth: report.depth })
}

/// A score as comments in PGN have it: pawns or moves to mate, from White's view.
fn eval(side: Colour, score: Score) -> String {
    match score {
        Score::Cp(value) => format!("{:.2}", f64::from(white_view(side, value)) / 100.0),
        Score::Mate(moves) => format!("#{}", white_view(side, moves)),
    }
}

impl Annotated {
    fn board(&self, ply: usize) -> &Board {
        &self.boards[ply]
    }

    /// The game as PGN, with all that it said before.
    fn write(&self, parsed: &ParsedGame) -> String {
        /// A longer line says more about the search than about the game.
        const LONGEST_LINE: usize = 10;
        let mut writer = Writer::default();
        for (name, value) in parsed.tags.iter().filter(|(name, _)| name != "Annotator") {
            writer.tag(name, value);
        }
        writer.tag("Annotator", concat!("Agoge ", env!("CARGO_PKG_VERSION")));
        writer.annotate(parsed, self.board(0), &self.moves, |writer, ply, [board, next]| {
            let verdict = self.verdicts[ply];
            if let Some((verdict, _)) = verdict {
                writer.glyph(verdict.glyph());
            }
            if let Some(after) = &self.judgements[ply + 1] {
                writer.comment(&format!("[%eval {}] depth {}", eval(next.side_to_move(), after.score), after.depth));
            }
            if let Some(before) = self.judgements[ply].as_ref().filter(|_| verdict.is_some()) {
                let line = &before.line[..before.line.len().min(LONGEST_LINE)];
                writer.variation(board, &format!("[%eval {}]", eval(board.side_to_move(), before.score)), line);
            }
        })
    }

    /// Who gave away how much.
    fn summary(&self) -> String {
        let mut text = String::new();
        for colour in [Colour::White, Colour::Black] {
            let mine = |ply: &usize| self.board(*ply).side_to_move() == colour;
            let plies = || (0..self.moves.len()).filter(mine);
            let number = |wanted| plies().filter(|&ply| self.verdicts[ply].is_some_and(|(v, _)| v == wanted)).count();
            // Not `sum`, which of nothing is -0.0.
            let lost = plies().filter_map(|ply| self.verdicts[ply]).fold(0.0, |lost, (_, loss)| lost + loss);
            let name = if colour == Colour::White { "White" } else { "Black" };
            let _ = write!(
                text,
                "  {name}: {} moves, ?! {}, ? {}, ?? {}, {lost:.2} points given away{}",
                plies().count(),
                number(Verdict::Inaccuracy),
                number(Verdict::Mistake),
                number(Verdict::Blunder),
                if colour == Colour::White { "\n" } else { "" }
            );
        }
        text
    }

    /// Draws the evaluation into an SVG file.
    fn draw(&self, path: &Path, title: &str, force: bool) -> Result<(), String> {
        let mut text = String::new();
        self.picture(&mut text, title).map_err(|error| format!("{}: {error}", path.display()))?;
        create(path, force)?.write_all(text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn picture(&self, text: &mut String, title: &str) -> Result<(), Box<dyn Error>> {
        /// Beyond that many pawns a game is decided.
        const MOST: f64 = 10.0;
        let pawns = |ply: usize| {
            let score = self.judgements[ply].as_ref()?.score;
            Some((f64::from(white_view(self.board(ply).side_to_move(), centipawns(score))) / 100.0).clamp(-MOST, MOST))
        };
        // Moves as they are numbered, so that the position before move 12 of White stands at 12.
        let start = self.board(0);
        let first = f64::from(start.fullmove_number()) + if start.side_to_move() == Colour::White { 0.0 } else { 0.5 };
        let x = |ply: usize| first + ply as f64 / 2.0;
        let end = x(self.moves.len().max(1));
        let points: Vec<(f64, f64)> = (0..self.boards.len()).filter_map(|ply| Some((x(ply), pawns(ply)?))).collect();
        let area = SVGBackend::with_string(text, (900, 420)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(50)
            .build_cartesian_2d(first..end, -MOST..MOST)?;
        chart
            .configure_mesh()
            .x_desc("move")
            .y_desc("pawns, White's view")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:+.0}"))
            .light_line_style(TRANSPARENT)
            .draw()?;
        chart.draw_series(LineSeries::new([(first, 0.0), (end, 0.0)], BLACK))?;
        chart.draw_series(LineSeries::new(points, BLUE.stroke_width(2)))?;
        let marks = self.verdicts.iter().enumerate().filter_map(|(ply, verdict)| {
            let (verdict, _) = (*verdict)?;
            Some(Circle::new((x(ply + 1), pawns(ply + 1)?), 4, verdict.colour().filled()))
        });
        chart.draw_series(marks)?;
        area.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_go_by_the_points_given_away() {
        let of = |loss| Verdict::of(loss);
        assert_eq!([of(-0.3), of(0.04)], [None, None]);
        assert_eq!([of(0.05), of(0.15), of(0.2)].map(|v| v.map(Verdict::glyph)), [Some(6), Some(2), Some(4)]);
        assert_eq!(of(1.0), Some(Verdict::Blunder));
    }

    #[test]
    fn scores_are_from_white_s_view() {
        assert_eq!(eval(Colour::White, Score::Cp(35)), "0.35");
        assert_eq!(eval(Colour::Black, Score::Cp(35)), "-0.35");
        assert_eq!(eval(Colour::Black, Score::Mate(3)), "#-3");
        assert_eq!(eval(Colour::Black, Score::Mate(-2)), "#2");
    }

    #[test]
    fn what_cannot_come_again_is_left_out_of_histories() {
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
    fn further_pictures_have_numbers() {
        assert_eq!(numbered(Path::new("a/games.x.svg"), 2), Path::new("a/games.x-2.svg"));
    }
}
