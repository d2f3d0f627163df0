//! One game: clocks, legality, adjudication.

use super::clock::Clock;
use super::config::EngineConfig;
use super::engine::{Engine, Failure, Info, SearchResult, Turn};
use super::openings::Opening;
use agoge_core::board::{Board, Game, Outcome};
use agoge_core::tables::{Tables, Wdl};
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A fault of an engine, which loses the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Fault {
    /// It played an illegal move or none at all, rejected a legal one or claimed a wrong result.
    IllegalMove,
    Crash,
    Stall,
    TimeLoss,
}

impl Fault {
    pub const ALL: [Self; 4] = [Self::IllegalMove, Self::Crash, Self::Stall, Self::TimeLoss];

    pub const fn termination(self) -> &'static str {
        match self {
            Self::IllegalMove => "rules infraction",
            Self::Crash => "abandoned",
            Self::Stall => "stalled connection",
            Self::TimeLoss => "time forfeit",
        }
    }

    /// The fault of a value of the PGN tag `Termination`, if it is one.
    pub fn from_termination(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.termination() == text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::TimeLoss => "loss on time",
        })
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameEnd {
    Rules(Outcome),
    /// Both engines reported a draw for long enough.
    AdjudicatedDraw,
    /// Both engines reported a win of the same side for long enough.
    AdjudicatedWin {
        winner: Colour,
    },
    /// The endgame tables have the position.
    Tables {
        /// The side that wins; `None` for a draw.
        winner: Option<Colour>,
    },
    MaxMoves,
    Resignation {
        loser: Colour,
    },
    Fault {
        loser: Colour,
        fault: Fault,
        details: String,
    },
}

impl GameEnd {
    /// White's half points: 0, 1 or 2.
    pub const fn half_points(&self) -> u8 {
        match self {
            Self::Rules(Outcome::Checkmate { winner })
            | Self::AdjudicatedWin { winner }
            | Self::Tables { winner: Some(winner) } => match winner {
                Colour::White => 2,
                Colour::Black => 0,
            },
            Self::Fault { loser: Colour::White, .. } | Self::Resignation { loser: Colour::White } => 0,
            Self::Fault { loser: Colour::Black, .. } | Self::Resignation { loser: Colour::Black } => 2,
            Self::Rules(_) | Self::AdjudicatedDraw | Self::Tables { winner: None } | Self::MaxMoves => 1,
        }
    }

    pub const fn termination(&self) -> &'static str {
        match self {
            Self::Rules(_) | Self::Resignation { .. } => "normal",
            Self::AdjudicatedDraw | Self::AdjudicatedWin { .. } | Self::Tables { .. } | Self::MaxMoves => {
                "adjudication"
            }
            Self::Fault { fault, .. } => fault.termination(),
        }
    }

    pub const fn fault(&self) -> Option<(Colour, Fault)> {
        match self {
            Self::Fault { loser, fault, .. } => Some((*loser, *fault)),
            _ => None,
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(outcome) => outcome.fmt(f),
            Self::AdjudicatedDraw => f.write_str("draw by the scores of both"),
            Self::AdjudicatedWin { winner } => write!(f, "{winner:?} wins by the scores of both"),
            Self::Tables { winner: Some(winner) } => write!(f, "{winner:?} wins by the endgame tables"),
            Self::Tables { winner: None } => f.write_str("draw by the endgame tables"),
            Self::MaxMoves => f.write_str("draw by the number of moves"),
            Self::Resignation { loser } => write!(f, "{loser:?} resigns"),
            Self::Fault { loser, fault, details } => write!(f, "{fault} of {loser:?}: {details}"),
        }
    }
}

/// `1-0`, `1/2-1/2` or `0-1`, by White's half points.
pub const fn result_text(half_points: u8) -> &'static str {
    match half_points {
        2 => "1-0",
        1 => "1/2-1/2",
        _ => "0-1",
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comment {
    pub info: Info,
    pub time: Duration,
    /// The lines of the engine to keep.
    pub lines: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub opening: Opening,
    /// The engines' moves.
    pub moves: Vec<(Move, Comment)>,
    pub end: GameEnd,
    /// By how much the last move was late if it lost the game.
    pub overrun: Duration,
    /// Whether White and Black have sent moves for which they were not asked.
    pub has_unasked_moves: [bool; 2],
    pub begin: DateTime<Utc>,
}

impl Record {
    /// `1-0`, `1/2-1/2` or `0-1`.
    pub const fn result(&self) -> &'static str {
        result_text(self.end.half_points())
    }

    /// Why a game ended, in the words of fastchess.
    pub fn reason(&self) -> String {
        match &self.end {
            GameEnd::Rules(Outcome::Checkmate { winner }) => format!("{winner:?} mates"),
            GameEnd::Rules(Outcome::Stalemate) => "Draw by stalemate".to_owned(),
            GameEnd::Rules(Outcome::ThreefoldRepetition) => "Draw by 3-fold repetition".to_owned(),
            GameEnd::Rules(Outcome::FiftyMoves) => "Draw by fifty moves rule".to_owned(),
            GameEnd::Rules(Outcome::DeadPosition) => "Draw by insufficient mating material".to_owned(),
            GameEnd::AdjudicatedWin { winner } | GameEnd::Tables { winner: Some(winner) } => {
                format!("{winner:?} wins by adjudication")
            }
            GameEnd::AdjudicatedDraw | GameEnd::MaxMoves | GameEnd::Tables { winner: None } => {
                "Draw by adjudication".to_owned()
            }
            GameEnd::Resignation { loser } => format!("{loser:?} resigns"),
            GameEnd::Fault { loser, fault, .. } => match fault {
                Fault::IllegalMove => format!("{loser:?} makes an illegal move"),
                Fault::Crash => format!("{loser:?} disconnects"),
                Fault::Stall => format!("{loser:?}'s connection stalls"),
                Fault::TimeLoss => format!("{loser:?} loses on time ({}ms overrun)", self.overrun.as_millis()),
            },
        }
    }
}

/// When a game is a draw by the scores of both engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// The maximum absolute score, in centipawns.
    pub score: i32,
    /// The number of consecutive moves for which each engine must report such a score.
    pub count: u32,
    /// The move number after which the rule applies.
    pub from: u32,
}

/// When a game is won by the scores of the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// The minimum score of the winner, in centipawns.
    pub score: i32,
    /// The number of consecutive moves for which such a score must be reported.
    pub count: u32,
    /// Whether both engines must agree. Otherwise the scores of the loser suffice.
    pub two_sided: bool,
}

/// Adjudication rules: ends of games beyond the rules of the game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Adjudication {
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    /// A draw after this number of moves of each side, without the opening.
    pub max_moves: Option<u32>,
    pub tables: Option<Arc<Tables>>,
}

/// The end of a game in a position of the endgame tables.
fn end_by_tables(tables: &Tables, board: &Board) -> Option<GameEnd> {
    let winner = match tables.value(board)?.result_at(board.halfmove_clock())? {
        Wdl::Win => Some(board.side_to_move()),
        Wdl::Loss => Some(!board.side_to_move()),
        Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => None,
    };
    Some(GameEnd::Tables { winner })
}

#[derive(Clone, Copy, Debug, Default)]
struct Scores {
    /// Consecutive plies with a score near 0 since the last capture, pawn or hoplite move.
    drawish: u32,
    /// Consecutive plies with a decisive score for the same side, positive for White.
    decisive: i64,
    /// Consecutive moves of each side with a lost score.
    lost: [u32; 2],
}

impl Scores {
    /// Adds the score of a move. `halfmove_clock` is that after the move.
    fn add(&mut self, adjudication: &Adjudication, mover: Colour, score: Option<Score>, halfmove_clock: u16) {
        // A mate beats any bound.
        let own = score.map(|score| match score {
            Score::Cp(value) => i64::from(value),
            Score::Mate(moves) => {
                if moves > 0 {
                    i64::MAX / 2
                } else {
                    -i64::MAX / 2
                }
            }
        });
        let white = own.map(|own| if mover == Colour::White { own } else { -own });
        if halfmove_clock == 0 {
            self.drawish = 0;
        }
        self.drawish = match (adjudication.draw, white) {
            (Some(rule), Some(white)) if white.abs() <= i64::from(rule.score) => self.drawish + 1,
            _ => 0,
        };
        self.decisive = match (adjudication.resign, white) {
            (Some(rule), Some(white)) if white.abs() >= i64::from(rule.score) => {
                let side = white.signum();
                if self.decisive.signum() == side { self.decisive + side } else { side }
            }
            _ => 0,
        };
        let lost = &mut self.lost[mover.index()];
        *lost = match (adjudication.resign, own) {
            (Some(rule), Some(own)) if own <= -i64::from(rule.score) => *lost + 1,
            _ => 0,
        };
    }

    /// The adjudicated end of the game after the engines have made `plies` plies, if any. `next` is the number of the
    /// next move.
    fn end(&self, adjudication: &Adjudication, plies: usize, next: u32) -> Option<GameEnd> {
        if let Some(rule) = adjudication.resign {
            let winner = if rule.two_sided {
                let winner = if self.decisive > 0 { Colour::White } else { Colour::Black };
                (self.decisive.unsigned_abs() >= 2 * u64::from(rule.count)).then_some(winner)
            } else {
                Colour::ALL.into_iter().find(|&winner| self.lost[(!winner).index()] >= rule.count)
            };
            if let Some(winner) = winner {
                return Some(GameEnd::AdjudicatedWin { winner });
            }
        }
        if let Some(rule) = adjudication.draw
            && next > rule.from
            && self.drawish >= rule.count.saturating_mul(2)
        {
            return Some(GameEnd::AdjudicatedDraw);
        }
        let most = adjudication.max_moves?;
        (plies >= 2 * most as usize).then_some(GameEnd::MaxMoves)
    }
}

/// The end of a game by a failure; `None` if the match has been stopped.
fn end_by_failure(loser: Colour, failure: Failure) -> Option<GameEnd> {
    match failure {
        Failure::Crash(details) | Failure::Unsupported(details) => {
            Some(GameEnd::Fault { loser, fault: Fault::Crash, details })
        }
        Failure::Stall(details) => Some(GameEnd::Fault { loser, fault: Fault::Stall, details }),
        Failure::Dispute(details) => Some(GameEnd::Fault { loser, fault: Fault::IllegalMove, details }),
        Failure::Stopped => None,
    }
}

/// Plays a game between two engines, White first. `None` if the match has been stopped.
pub fn play<'a>(
    opening: &Opening,
    white: &'a mut dyn Engine,
    black: &'a mut dyn Engine,
    configs: [&EngineConfig; 2],
    adjudication: &Adjudication,
    stop: &AtomicBool,
) -> Option<Record> {
    let engines = [white, black];
    let mut record = Record {
        opening: opening.clone(),
        moves: Vec::new(),
        end: GameEnd::MaxMoves,
        overrun: Duration::ZERO,
        has_unasked_moves: [false; 2],
        begin: Utc::now(),
    };
    // Openings have been checked by the parser.
    let mut game = opening.game().ok()?;
    for colour in Colour::ALL {
        if let Err(failure) = engines[colour.index()].new_game(&opening.start, stop) {
            record.end = end_by_failure(colour, failure)?;
            return Some(record);
        }
    }
    let mut clocks = configs.map(Clock::new);
    let mut scores = Scores::default();
    let mut moves = opening.moves.clone();
    record.end = loop {
        if let Some(outcome) = game.outcome() {
            break GameEnd::Rules(outcome);
        }
        if let Some(end) = adjudication.tables.as_ref().and_then(|tables| end_by_tables(tables, game.board())) {
            break end;
        }
        if let Some(end) = scores.end(adjudication, record.moves.len(), u32::from(game.board().fullmove_number())) {
            break end;
        }
        let mover = game.board().side_to_move();
        let clock = clocks[mover.index()];
        let turn = Turn { start: &opening.start, moves: &moves, board: game.board(), clocks: &clocks };
        // Only now: after the end of the game there is nothing to ponder.
        if !record.moves.is_empty()
            && let Err(failure) = engines[(!mover).index()].ponder(&turn, stop)
        {
            break end_by_failure(!mover, failure)?;
        }
        let result = match engines[mover.index()].search(&turn, stop) {
            Ok(result) => result,
            Err(failure) => break end_by_failure(mover, failure)?,
        };
        record.has_unasked_moves[mover.index()] |= result.has_unasked_move;
        if let Some(allowance) = clock.allowance()
            && result.time > allowance
        {
            let (used, allowed) = (result.time.as_secs_f64(), allowance.as_secs_f64());
            let details = format!("{used:.4} s used, {allowed:.4} s allowed");
            record.overrun = result.time - (allowance - clock.margin);
            break GameEnd::Fault { loser: mover, fault: Fault::TimeLoss, details };
        }
        let SearchResult { best, time, info, lines, .. } = result;
        let Some(best) = best else { break GameEnd::Resignation { loser: mover } };
        let mv = match make(&mut game, &best) {
            Ok(mv) => mv,
            Err(details) => break GameEnd::Fault { loser: mover, fault: Fault::IllegalMove, details },
        };
        clocks[mover.index()].press(time);
        scores.add(adjudication, mover, info.score, game.board().halfmove_clock());
        moves.push(mv);
        record.moves.push((mv, Comment { info, time, lines }));
    };
    Some(record)
}

fn make(game: &mut Game, text: &str) -> Result<Move, String> {
    let mv = game.board().parse_move(text).and_then(|mv| game.push(mv).map(|()| mv));
    mv.map_err(|error| {
        let shown: String = text.chars().filter(|c| !c.is_control()).take(20).collect();
        format!("'{shown}' in {}: {error}", game.board())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_are_adjudicated_when_both_agree() {
        let rules = Adjudication {
            resign: Some(ResignRule { score: 500, count: 2, two_sided: true }),
            ..Adjudication::default()
        };
        let run = |list: &[Score]| {
            let mut scores = Scores::default();
            for (ply, &score) in list.iter().enumerate() {
                scores.add(&rules, if ply % 2 == 0 { Colour::White } else { Colour::Black }, Some(score), 1);
            }
            scores.end(&rules, 10, 10)
        };
        let cp = |values: &[i32]| values.iter().map(|&value| Score::Cp(value)).collect::<Vec<_>>();
        assert_eq!(run(&cp(&[500, -600, 700, -500])), Some(GameEnd::AdjudicatedWin { winner: Colour::White }));
        assert_eq!(run(&cp(&[-500, 600, -700, 500])), Some(GameEnd::AdjudicatedWin { winner: Colour::Black }));
        assert_eq!(run(&cp(&[500, -600, 700])), None);
        assert_eq!(run(&cp(&[500, 600, 700, 800])), None);
        assert_eq!(run(&cp(&[500, -600, 700, -400, 500])), None);
        let mates = [Score::Mate(-3), Score::Mate(2), Score::Mate(-1), Score::Cp(900)];
        assert_eq!(run(&mates), Some(GameEnd::AdjudicatedWin { winner: Colour::Black }));
    }

    #[test]
    fn draws_are_adjudicated_when_both_agree() {
        let draw = Some(DrawRule { score: 10, count: 2, from: 30 });
        let rules = Adjudication { draw, max_moves: Some(100), ..Adjudication::default() };
        let mut scores = Scores::default();
        for score in [5, -10, 0, 10] {
            scores.add(&rules, Colour::White, Some(Score::Cp(score)), 1);
        }
        assert_eq!(scores.end(&rules, 60, 30), None);
        assert_eq!(scores.end(&rules, 60, 31), Some(GameEnd::AdjudicatedDraw));
        scores.add(&rules, Colour::White, None, 1);
        assert_eq!(scores.end(&rules, 199, 100), None);
        assert_eq!(scores.end(&rules, 200, 101), Some(GameEnd::MaxMoves));
        assert_eq!(Scores::default().end(&Adjudication::default(), 10_000, 5000), None);
    }

    #[test]
    fn faults_round_trip_as_terminations() {
        for fault in Fault::ALL {
            assert_eq!(Fault::from_termination(fault.termination()), Some(fault));
        }
        assert_eq!(Fault::from_termination("normal"), None);
    }
}
