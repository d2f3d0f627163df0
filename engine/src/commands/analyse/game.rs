//! The annotation of a game: the evaluation of each position, and what follows from it.

use super::Arguments;
use super::graph::{Graph, Mark};
use super::judgment::{JUDGMENTS, judge};
use super::own;
use crate::commands::interrupt;
use agoge_core::board::{Board, FIFTY_MOVES, Game, Outcome, Variant};
use agoge_core::notation::pgn::{ParsedGame, Replay, Writer, number};
use agoge_core::search::{Searcher, centipawns, white_view};
use agoge_core::tables::{Tables, Wdl};
use agoge_core::text::counted;
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;

/// The prefix has the number of the game, the message that of the move.
const PROGRESS: &str = "{elapsed_precise} {wide_bar} {prefix}{pos}/{len} {msg} ({eta} left)";

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
    moves: usize,
    /// The mean accuracy in percent.
    accuracy: f64,
    /// The mean loss per move in points.
    loss: f64,
    /// The mean loss per move in centipawns.
    centipawns: f64,
    /// The number of moves with each of [`JUDGMENTS`].
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
            if let Some(judgment) = judge(loss.points) {
                sum.judgments[judgment] += 1;
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
pub struct Annotated {
    /// All positions, starting with the first one.
    boards: Vec<Board>,
    moves: Vec<Move>,
    /// One for each position; `None` if unknown.
    evaluations: Vec<Option<Evaluation>>,
    /// One for each move; `None` if it is unknown or the game was over.
    losses: Vec<Option<Loss>>,
    tables: Arc<Tables>,
}

/// The exact result of a position, if the tables tell it: "draw", or "White wins, mate in 12".
fn exact_result(tables: &Tables, board: &Board) -> Option<String> {
    let value = tables.value(board)?;
    let winner = match value.result_at(board.halfmove_clock())? {
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

/// Evaluates all positions of a game from last to first: the hash table then has results for the continuation.
pub fn annotate(
    searcher: &mut Searcher,
    arguments: &Arguments,
    parsed: &ParsedGame,
    index: usize,
    count: usize,
) -> Result<Annotated, String> {
    let Replay { start, moves, .. } = parsed.replay_legal(arguments.variant)?;
    let mut boards = vec![start];
    for &mv in &moves {
        boards.push(boards[boards.len() - 1].after(mv));
    }
    let style = ProgressStyle::with_template(PROGRESS).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(boards.len() as u64).with_style(style);
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
    let analysis = searcher.search_until(interrupt::flag(), game, arguments.limits(), 1);
    let report = analysis.exact().next_back()?;
    let expected = match report.score {
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
        Score::Cp(_) => report.expectation(),
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

    fn judgment(&self, ply: usize) -> Option<usize> {
        judge(self.losses[ply]?.points)
    }

    fn performance(&self, side: Colour) -> Option<Performance> {
        let plies = (0..self.moves.len()).filter(|&ply| self.board(ply).side_to_move() == side);
        Performance::of(plies.filter_map(|ply| self.losses[ply]))
    }

    /// The annotated game as PGN, with everything that was in the file.
    pub fn write(&self, parsed: &ParsedGame) -> String {
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
        writer.tag(OWN[0], &own::annotator(parsed));
        let sides = [Colour::White, Colour::Black].map(|side| self.performance(side));
        for (name, side) in OWN[1..].iter().zip(sides.iter().chain(&sides)) {
            let Some(side) = side else { continue };
            let value = if name.ends_with("ACPL") { side.centipawns.round() } else { side.accuracy };
            writer.tag(name, &if name.ends_with("ACPL") { format!("{value}") } else { format!("{value:.1}") });
        }
        writer.annotate(parsed, start, &self.moves, |writer, ply, [board, next]| {
            let judgment = self.judgment(ply);
            let glyph = judgment.map(|judgment| JUDGMENTS[judgment].glyph);
            let is_marked = glyph.is_some_and(|glyph| parsed.moves[ply].has_glyph(glyph));
            if let Some(glyph) = glyph.filter(|_| !is_marked) {
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
                let marked = if is_marked { own::MARKED } else { "" };
                writer.variation(board, &format!("[%eval {}]{marked}", eval_text(board.side_to_move(), *score)), line);
            }
        })
    }

    /// The performance of each side, one line each.
    pub fn summary(&self) -> String {
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

    pub fn draw(&self, title: &str, parsed: &ParsedGame) -> Result<String, String> {
        let chances = self.boards.iter().zip(&self.evaluations).map(|(board, evaluation)| {
            let expected = evaluation.as_ref()?.expected;
            Some(if board.side_to_move() == Colour::White { expected } else { 1.0 - expected })
        });
        let chances: Vec<Option<f64>> = chances.collect();
        let marks = (0..self.moves.len()).filter_map(|ply| {
            let (loss, judgment) = (self.losses[ply]?.points, self.judgment(ply)?);
            let board = self.board(ply);
            let label = format!("{}{}{}", number(board), board.to_san(self.moves[ply]), JUDGMENTS[judgment].symbol);
            Some(Mark { ply: ply + 1, loss, label, kind: judgment })
        });
        let marks: Vec<Mark> = marks.collect();
        let accuracy = |side| self.performance(side).map_or_else(|| "-".into(), |p| format!("{:.1} %", p.accuracy));
        let subtitle = format!("Accuracy: White {}, Black {}", accuracy(Colour::White), accuracy(Colour::Black));
        let start = self.board(0);
        let first = 2 * usize::from(start.fullmove_number()) + usize::from(start.side_to_move() == Colour::Black);
        let event = parsed.tag("Event").filter(|event| !matches!(*event, "" | "?"));
        let title = event.map_or_else(|| title.to_owned(), |event| format!("{title} ({event})"));
        let kinds = JUDGMENTS.map(|judgment| (judgment.name, judgment.colour));
        let graph =
            Graph { title: &title, subtitle: &subtitle, first, chances: &chances, marks: &marks, kinds: &kinds };
        graph.svg().map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_of_progress_is_valid() {
        assert!(ProgressStyle::with_template(PROGRESS).is_ok());
    }

    #[test]
    fn judgments_follow_from_the_loss() {
        let glyph = |loss| judge(loss).map(|judgment| JUDGMENTS[judgment].glyph);
        assert_eq!([-0.3, 0.04].map(glyph), [None, None]);
        assert_eq!([0.05, 0.15, 0.2, 1.0].map(glyph), [Some(6), Some(2), Some(4), Some(4)]);
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
}
